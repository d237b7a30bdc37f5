//! Creation of sessions.

use super::{
    ActiveSession, Device, HOURS, NotifyMember, Opened, PER_MEMBER, REMEMBERED_HOURS, Refresh, Session, Sessions,
    record,
};
use crate::{
    access::hash::Hash,
    kernel::{Code, Error, MemberId, Result, TenantId},
    people::{
        audit::{self, Event},
        members::{ActiveMember, Credentials},
    },
    store::{Actor, TenantWrite},
};

/// A member who has authenticated.
#[derive(Clone)]
pub struct Verified {
    /// Their tenant.
    pub tenant: TenantId,
    /// The member.
    pub member: MemberId,
    /// The hash that their password was checked against; `None` when they signed in without one.
    pub hash: Option<String>,
    /// Whether they also used a second factor.
    pub second_factor: bool,
}

/// The properties of a new session.
pub struct NewSession {
    /// Whether the cookie outlives the browser.
    pub remember: bool,
    /// The device.
    pub device: Device,
    /// Informs the member, when they never signed in from this browser before.
    pub on_new_device: Option<NotifyMember>,
}

impl Sessions {
    /// Opens a session for a member.
    /// Errors: `invalid_credentials` when the password was changed since it was checked, or the member may no longer
    /// sign in.
    pub async fn open(&self, who: Verified, new: NewSession) -> Result<Opened> {
        let Verified { tenant, member, hash, second_factor } = who;
        let secret = self.store.entropy().bytes::<32>();
        let work = move |tx: &TenantWrite<'_>| {
            let now = tx.now();
            let refused = || Error::new(Code::InvalidCredentials);
            let kept = tx.find::<Credentials>(member)?.map(|kept| kept.value.password);
            if hash.is_some() && hash != kept {
                return Err(refused());
            }
            let whose = ActiveMember::find(tx, member)?.ok_or_else(refused)?;
            let mut ended = record::expired(tx, now)?;
            for session in &ended {
                tx.remove::<Session>(session.id, None)?;
            }
            let others = record::of_member(tx, member)?;
            let surplus = (others.len() + 1).saturating_sub(PER_MEMBER);
            for session in others.into_iter().take(surplus) {
                ended.push(tx.remove::<Session>(session.id, None)?);
            }
            let NewSession { remember, device, on_new_device } = new;
            let event = Event::new("auth.signed_in").about_member(&whose.member).with("device", device.name.clone());
            audit::write(tx, event.from_address(device.address.clone()))?;
            if let Some(tell) = on_new_device {
                tell(tx, &whose, &device)?;
            }
            let hours = if remember { REMEMBERED_HOURS } else { HOURS };
            let session = tx.create(Session {
                member,
                ends_at: now.plus_seconds(hours * 3_600),
                remember,
                device: device.name,
                address: device.address,
                seen_at: now,
                generation: 1,
                locked_at: None,
                second_factor,
                active_at: Some(now),
                tries: 0,
                current: Hash::of(&secret),
                previous: Hash::NONE,
                previous_until: now,
                siblings: Vec::new(),
                since: 1,
            })?;
            Ok((session, ended))
        };
        let ((session, ended), _) = self.store.write_even_when_full(tenant, Actor::Member(member), work).await?;
        let mut live = self.table_mut();
        for over in ended {
            live.remove(over.id);
        }
        live.insert(session.id, ActiveSession::of(tenant, &session, 0));
        Ok(Opened { tenant, refresh: Refresh { tenant, session: session.id, secret }, session })
    }
}
