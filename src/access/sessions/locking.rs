//! Locking of sessions, and unlocking by the member's password.

use std::sync::Arc;

use super::{ActiveSession, Device, Opened, Refresh, Session, Sessions, UNLOCK_TRIES, record::Fit};
use crate::{
    access::hash::Hash,
    kernel::{Code, Error, Id, MemberId, Result, TenantId},
    people::{
        audit::{self, Event},
        members::{ActiveMember, Credentials},
    },
    store::{Actor, TenantWrite},
};

/// A session that is to be unlocked.
pub struct Unlock {
    tenant: TenantId,
    whose: ActiveMember,
    hash: Option<String>,
    presented: Refresh,
    live: Arc<ActiveSession>,
}

/// An attempt to unlock a session: taken before the password is checked, so that attempts at the same moment all
/// count.
pub struct UnlockAttempt {
    unlock: Unlock,
    number: u32,
}

impl UnlockAttempt {
    /// The hash of the member's password; `None` when they have none.
    pub fn hash(&self) -> Option<String> {
        self.unlock.hash.clone()
    }

    /// The session's tenant.
    pub const fn tenant(&self) -> TenantId {
        self.unlock.tenant
    }

    /// The session's member.
    pub const fn whose(&self) -> &ActiveMember {
        &self.unlock.whose
    }
}

fn refused() -> Error {
    Error::new(Code::NotSignedIn)
}

impl Sessions {
    /// Locks a session: it accepts no requests until its member unlocks it.
    /// Errors: `not_signed_in` when the session is over.
    pub async fn lock(&self, tenant: TenantId, member: MemberId, id: Id<Session>, device: Device) -> Result<()> {
        let work = move |tx: &TenantWrite<'_>| {
            let now = tx.now();
            if tx.find::<Session>(id)?.ok_or_else(refused)?.locked_at.is_some() {
                return Ok(());
            }
            let whose = ActiveMember::find(tx, member)?.ok_or_else(refused)?;
            tx.update(id, None, |session: &mut Session| {
                session.locked_at = Some(now);
                Ok(())
            })?;
            audit::write(tx, Event::new("auth.locked").about_member(&whose.member).from_address(device.address))
        };
        self.store.write_even_when_full(tenant, Actor::Member(member), work).await?;
        if let Some(live) = self.find(id, self.store.clock().now()) {
            self.refresh_state(id, &live);
        }
        Ok(())
    }

    /// Finds the session of a refresh token, to unlock it.
    /// Errors: `not_signed_in` when it is over, the token is not valid, or its member may not sign in.
    pub fn begin_unlock(&self, presented: Refresh) -> Result<Unlock> {
        let live = self.of_token(&presented).ok_or_else(refused)?;
        let snapshot = self.store.snapshot()?;
        let now = self.store.clock().now();
        let data = snapshot.tenant(presented.tenant, Some(live.member));
        let session = data.find::<Session>(presented.session)?.ok_or_else(refused)?;
        let fit = session.fit(&Hash::of(&presented.secret), now, |generation| live.has_used(generation));
        let whose = ActiveMember::find(&data, live.member)?.filter(|_| fit != Fit::None).ok_or_else(refused)?;
        let hash = data.find::<Credentials>(live.member)?.map(|kept| kept.value.password);
        Ok(Unlock { tenant: presented.tenant, whose, hash, presented, live })
    }

    /// Takes one of the attempts.
    /// Errors: `not_signed_in` when none is left: the session ends.
    pub async fn take_attempt(&self, unlock: Unlock) -> Result<UnlockAttempt> {
        match unlock.live.take_attempt() {
            Some(number) => Ok(UnlockAttempt { unlock, number }),
            None => Err(self.end_after_failures(&unlock).await?),
        }
    }

    /// Gives back an attempt whose password or second factor was not checked.
    pub fn return_attempt(&self, attempt: &UnlockAttempt) {
        attempt.unlock.live.return_attempt();
    }

    /// Records a failed attempt. Returns the error to respond with. The fifth failure ends the session.
    pub async fn record_failed_unlock(&self, attempt: UnlockAttempt, code: Code) -> Result<Error> {
        let UnlockAttempt { unlock, number } = attempt;
        if number >= UNLOCK_TRIES {
            return self.end_after_failures(&unlock).await;
        }
        let id = unlock.presented.session;
        let work = move |tx: &TenantWrite<'_>| {
            tx.find::<Session>(id)?.ok_or_else(refused)?;
            tx.update(id, None, |session: &mut Session| {
                session.tries = session.tries.max(number);
                Ok(())
            })
        };
        self.store.write_even_when_full(unlock.tenant, Actor::System, work).await?;
        let error = Error::new(code).with_extra("attemptsLeft", (UNLOCK_TRIES - number).into());
        // The member is asked for the password only.
        let is_password = code == Code::InvalidCredentials;
        Ok(if is_password { error.say("errors.fields.password_wrong", Vec::new()) } else { error })
    }

    /// Ends the session after too many failures.
    async fn end_after_failures(&self, unlock: &Unlock) -> Result<Error> {
        let id = unlock.presented.session;
        let member = unlock.whose.member.clone();
        let work = move |tx: &TenantWrite<'_>| {
            if tx.find::<Session>(id)?.is_some() {
                tx.remove::<Session>(id, None)?;
                audit::write(tx, Event::new("session.ended").about_member(&member).with("why", "unlock"))?;
            }
            Ok(())
        };
        self.store.write_even_when_full(unlock.tenant, Actor::System, work).await?;
        self.table_mut().remove(id);
        Ok(refused())
    }

    /// Unlocks the session after the member authenticated; `next` is the secret of the new refresh token.
    /// Errors: `not_signed_in` when it has ended, or the token was used; `invalid_credentials` when the password was
    /// changed in between.
    pub async fn unlock(&self, attempt: UnlockAttempt, next: [u8; 32], device: Device) -> Result<Opened> {
        let Unlock { tenant, hash, presented, live, .. } = attempt.unlock;
        let id = presented.session;
        let member = live.member;
        let presented = Hash::of(&presented.secret);
        let new = Hash::of(&next);
        let state = live.clone();
        let work = move |tx: &TenantWrite<'_>| {
            let now = tx.now();
            let old = tx.find::<Session>(id)?.ok_or_else(refused)?;
            let whose = ActiveMember::find(tx, member)?.ok_or_else(refused)?;
            if tx.find::<Credentials>(member)?.map(|kept| kept.value.password) != hash {
                return Err(Error::new(Code::InvalidCredentials));
            }
            let fit = old.fit(&presented, now, |generation| state.has_used(generation));
            if fit == Fit::None {
                return Err(refused());
            }
            audit::write(
                tx,
                Event::new("auth.unlocked").about_member(&whose.member).from_address(device.address.clone()),
            )?;
            tx.update(id, None, |session: &mut Session| {
                session.rotate_token(fit, presented, new, now);
                session.address = device.address;
                session.locked_at = None;
                session.tries = 0;
                session.active_at = Some(now);
                Ok(())
            })
        };
        let (session, _) = self.store.write_even_when_full(tenant, Actor::Member(member), work).await?;
        live.reset_attempts(session.updated_at);
        self.refresh_state(id, &live);
        Ok(Opened { tenant, refresh: Refresh { tenant, session: id, secret: next }, session })
    }
}
