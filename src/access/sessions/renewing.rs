//! Renewal of sessions by refresh tokens, each valid once; reuse of an old one ends the session.

use super::{Device, NotifyMember, Opened, Refresh, Session, Sessions, record::Fit};
use crate::{
    access::hash::Hash,
    kernel::{Code, Error, Result},
    people::{
        audit::{self, Event},
        members::ActiveMember,
    },
    store::{Actor, Stored, TenantWrite},
    wire::problem::Locked,
};

/// The result of presenting a refresh token.
enum Renewal {
    Renewed(Box<Stored<Session>>),
    Locked(Box<ActiveMember>),
    Theft,
}

/// Returns the error of a locked session, which names the member for the lock screen.
pub(in crate::access) fn locked(whose: &ActiveMember) -> Error {
    let who = Locked { email: whose.member.email.clone(), name: whose.member.name.clone() };
    match serde_json::to_value(who) {
        Ok(who) => Error::new(Code::SessionLocked).with_extra("who", who),
        Err(error) => Error::internal(error),
    }
}

impl Sessions {
    /// Renews a session by its refresh token, which is valid once (product §4). `next` is the secret of its
    /// successor, the same each time the token is presented, so that refreshes at the same time get the same result.
    /// The member's last input was `idle_seconds` ago. A stolen token ends the session, and `on_theft` informs the
    /// member in the same write.
    /// Errors: `not_signed_in` when the session is over, or the token is not valid for it or was stolen;
    /// `session_locked` when its member must authenticate first.
    pub async fn renew(
        &self,
        presented: Refresh,
        next: [u8; 32],
        device: Device,
        idle_seconds: u32,
        on_theft: NotifyMember,
    ) -> Result<Opened> {
        let refused = || Error::new(Code::NotSignedIn);
        let live = self.of_token(&presented).ok_or_else(refused)?;
        let Refresh { tenant, session: id, secret: old_secret } = presented;
        let presented = Hash::of(&old_secret);
        let new = Hash::of(&next);
        let member = live.member;
        let state = live.clone();
        let work = move |tx: &TenantWrite<'_>| {
            let now = tx.now();
            let old = tx.find::<Session>(id)?.ok_or_else(refused)?;
            // A member who may not sign in gets no token: the one they have stays the newest.
            let whose = ActiveMember::find(tx, member)?.ok_or_else(refused)?;
            let fit = old.fit(&presented, now, |generation| state.has_used(generation));
            if fit == Fit::None {
                tx.remove::<Session>(id, None)?;
                audit::write(
                    tx,
                    Event::new("session.theft").about_member(&whose.member).from_address(device.address.clone()),
                )?;
                on_theft(tx, &whose, &device)?;
                return Ok(Renewal::Theft);
            }
            if old.locked_at.is_some() {
                return Ok(Renewal::Locked(Box::new(whose)));
            }
            let limit = whose.company.idle_minutes;
            if !state.note_activity(now, idle_seconds, limit) {
                let since = state.active_at().plus_seconds(i64::from(limit) * 60);
                tx.update(id, None, |session: &mut Session| {
                    session.locked_at = Some(since);
                    Ok(())
                })?;
                audit::write(
                    tx,
                    Event::new("auth.locked").about_member(&whose.member).with("idle", limit.to_string()),
                )?;
                return Ok(Renewal::Locked(Box::new(whose)));
            }
            let renewed = tx.update(id, None, |session: &mut Session| {
                session.rotate_token(fit, presented, new, now);
                session.address = device.address;
                session.active_at = Some(state.active_at());
                Ok(())
            })?;
            Ok(Renewal::Renewed(Box::new(renewed)))
        };
        let (renewal, _) = self.store.write_even_when_full(tenant, Actor::Member(member), work).await?;
        match renewal {
            Renewal::Renewed(session) => {
                Ok(Opened { tenant, refresh: Refresh { tenant, session: id, secret: next }, session: *session })
            }
            Renewal::Locked(whose) => {
                self.refresh_state(id, &live);
                Err(locked(&whose))
            }
            Renewal::Theft => {
                tracing::warn!(session = %id, "session: an old refresh token was used; the session ends");
                self.table_mut().remove(id);
                Err(refused())
            }
        }
    }
}
