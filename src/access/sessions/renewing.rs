//! How a session goes on: a refresh token is good once.

use super::{Device, Opened, Refresh, Session, Sessions, Tell, record::Fit};
use crate::{
    access::{
        audit::{self, Event},
        hash::Hash,
        members::Colleague,
    },
    kernel::{Code, Error, Result},
    store::{Actor, Stored, TenantWrite},
    wire::problem::Locked,
};

/// What came of showing a refresh token.
enum Turn {
    Renewed(Box<Stored<Session>>),
    Locked(Box<Colleague>),
    Theft,
}

/// The error that a locked session answers with; the lock screen shows whose it is.
pub(in crate::access) fn locked(whose: &Colleague) -> Error {
    let who = Locked { email: whose.member.email.clone(), name: whose.member.name.clone() };
    match serde_json::to_value(who) {
        Ok(who) => Error::new(Code::SessionLocked).with_extra("who", who),
        Err(error) => Error::internal(error),
    }
}

impl Sessions {
    /// Renews a session by its refresh token, which is good once (product §4). `next` is the secret of its
    /// successor, the same each time the token is shown, so that refreshes at the same time are answered alike. Its
    /// member was active so many seconds ago. A token that was stolen ends the session, and `told` writes in the same breath what the
    /// member shall know of it.
    ///
    /// # Errors
    /// `not_signed_in` when the session is over, the token is none of it, or was stolen; `session_locked`
    /// when its member must show first who they are; `busy`.
    pub async fn renew(
        &self,
        shown: Refresh,
        next: [u8; 32],
        device: Device,
        idle_seconds: u32,
        told: Tell,
    ) -> Result<Opened> {
        let refused = || Error::new(Code::NotSignedIn);
        let live = self.of_token(&shown).ok_or_else(refused)?;
        let Refresh { tenant, session: id, secret: old_secret } = shown;
        let (shown, new, member) = (Hash::of(&old_secret), Hash::of(&next), live.member);
        let state = live.clone();
        let work = move |tx: &TenantWrite<'_>| {
            let now = tx.now();
            let old = tx.find(id)?.ok_or_else(refused)?;
            // Nobody gets a token who may not come in: the one they have stays the newest.
            let whose = Colleague::find(tx, member)?.ok_or_else(refused)?;
            let fit = old.fit(&shown, now, |generation| state.has_used(generation));
            if fit == Fit::None {
                tx.remove(id, None)?;
                audit::note(tx, Event::new("session.theft").of(&whose.member).from(device.address.clone()))?;
                told(tx, &whose, &device)?;
                return Ok(Turn::Theft);
            }
            if old.locked_at.is_some() {
                return Ok(Turn::Locked(Box::new(whose)));
            }
            let limit = whose.company.idle_minutes;
            if !state.is_awake(now, idle_seconds, limit) {
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
                tracing::warn!(session = %id, "an old refresh token was shown; the session ends");
                self.table_mut().remove(id);
                Err(refused())
            }
        }
    }
}
