//! Renewal of sessions by refresh tokens, each valid once; reuse of an old one ends the session.

use super::{Device, NotifyMember, Opened, Refresh, Session, Sessions, record::Fit};
use crate::{
    access::hash::Hash,
    kernel::{Code, Error, Result},
    people::{
        audit::{self, Event},
        members::Colleague,
    },
    store::{Actor, Stored, TenantWrite},
    wire::problem::Locked,
};

/// The result of presenting a refresh token.
enum Turn {
    Renewed(Box<Stored<Session>>),
    Locked(Box<Colleague>),
    Theft,
}

/// Returns the error of a locked session, which names the member for the lock screen.
pub(in crate::access) fn locked(whose: &Colleague) -> Error {
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
        shown: Refresh,
        next: [u8; 32],
        device: Device,
        idle_seconds: u32,
        on_theft: NotifyMember,
    ) -> Result<Opened> {
        let refused = || Error::new(Code::NotSignedIn);
        let live = self.of_token(&shown).ok_or_else(refused)?;
        let Refresh { tenant, session: id, secret: old_secret } = shown;
        let shown = Hash::of(&old_secret);
        let new = Hash::of(&next);
        let member = live.member;
        let state = live.clone();
        let work = move |tx: &TenantWrite<'_>| {
            let now = tx.now();
            let old = tx.find::<Session>(id)?.ok_or_else(refused)?;
            // A member who may not sign in gets no token: the one they have stays the newest.
            let whose = Colleague::find(tx, member)?.ok_or_else(refused)?;
            let fit = old.fit(&shown, now, |generation| state.has_used(generation));
            if fit == Fit::None {
                tx.remove::<Session>(id, None)?;
                audit::note(tx, Event::new("session.theft").of(&whose.member).from(device.address.clone()))?;
                on_theft(tx, &whose, &device)?;
                return Ok(Turn::Theft);
            }
            if old.locked_at.is_some() {
                return Ok(Turn::Locked(Box::new(whose)));
            }
            let limit = whose.company.idle_minutes;
            if !state.note_activity(now, idle_seconds, limit) {
                let since = state.active_at().plus_seconds(i64::from(limit) * 60);
                tx.update(id, None, |session: &mut Session| {
                    session.locked_at = Some(since);
                    Ok(())
                })?;
                audit::note(tx, Event::new("auth.locked").of(&whose.member).with("idle", limit.to_string()))?;
                return Ok(Turn::Locked(Box::new(whose)));
            }
            let renewed = tx.update(id, None, |session: &mut Session| {
                session.turn(fit, shown, new, now);
                session.address = device.address;
                session.active_at = Some(state.active_at());
                Ok(())
            })?;
            Ok(Turn::Renewed(Box::new(renewed)))
        };
        let (turn, _) = self.store.write_even_when_full(tenant, Actor::Member(member), work).await?;
        match turn {
            Turn::Renewed(session) => {
                Ok(Opened { tenant, refresh: Refresh { tenant, session: id, secret: next }, session: *session })
            }
            Turn::Locked(whose) => {
                self.follow(id, &live);
                Err(locked(&whose))
            }
            Turn::Theft => {
                tracing::warn!(session = %id, "session: an old refresh token was used; the session ends");
                self.table_mut().remove(id);
                Err(refused())
            }
        }
    }
}
