//! What a member may do with sessions: their own, and those of colleagues whom they look after.

use super::Member;
use crate::{
    access::{
        members::{Colleague, Company},
        permission::Right,
        sessions::{self, Device, Session, State},
    },
    kernel::{Code, Error, Id, MemberId, Result},
    store::Stored,
};

/// Seconds without input after which a device says that nobody is at it.
const LEFT_AFTER: u32 = 5 * 60;

/// Why a session is not what it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SessionEndReason {
    /// It was ended, or its time is over.
    Ended,
    /// It is locked.
    Locked,
    /// Its member signed out.
    SignedOut,
    /// Its member may not come in any more.
    Suspended,
    /// The company asks for a second factor that the member has not.
    SecondFactorRequired,
}

impl<R: Right> Member<R> {
    /// The device that asks, and where it is.
    #[must_use]
    pub const fn device(&self) -> &Device {
        &self.1.device
    }

    /// Waits until the session is locked or over; what to answer then.
    pub async fn closed(&self) -> Error {
        match self.0.live.closed().await {
            State::Ended => Error::new(Code::NotSignedIn),
            State::Locked | State::Open => sessions::locked(&self.0.who),
        }
    }

    /// Looks again whether the session is still what it was when the request came, as the store knows it.
    ///
    /// # Errors
    /// As for a request that would come now.
    pub fn check(&self) -> Result<()> {
        // As somebody who has done nothing for ever: looking is no sign of life.
        self.0.auth.authenticate_session::<R>(&self.session_ref(), u32::MAX).map(drop)
    }

    /// Notes that somebody is at a device that stays connected: one that they have left says so after five minutes,
    /// so that is how long ago they may have been there last.
    pub fn touch(&self) {
        let limit = self.0.who.company.idle_minutes;
        let seconds = if limit == 0 { LEFT_AFTER } else { LEFT_AFTER.min(limit.saturating_mul(30)) };
        self.0.live.is_awake(self.now(), seconds, limit);
    }

    /// Why the session is not what it was, when an error says that it is not.
    #[must_use]
    pub fn parting(&self, error: &Error) -> SessionEndReason {
        let active = || self.read(|tx| Colleague::find(tx, self.id())).is_ok_and(|who| who.is_some());
        match error.code() {
            Code::SessionLocked => SessionEndReason::Locked,
            Code::SecondFactorRequired => SessionEndReason::SecondFactorRequired,
            _ if self.0.live.is_signed_out() => SessionEndReason::SignedOut,
            _ if active() => SessionEndReason::Ended,
            _ => SessionEndReason::Suspended,
        }
    }

    /// Locks the session.
    ///
    /// # Errors
    /// `not_signed_in` when it is over, `busy`.
    pub async fn lock(&self) -> Result<()> {
        let device = self.1.device.clone();
        self.0.auth.0.sessions.lock(self.0.live.tenant, self.0.live.member, self.0.session, device).await
    }

    /// The member's own sessions, newest first.
    ///
    /// # Errors
    /// `busy` or `internal` when they cannot be read.
    pub fn sessions(&self) -> Result<Vec<Stored<Session>>> {
        self.0.auth.0.sessions.list(&self.0.auth.0.store.snapshot()?, &self.0.who)
    }

    /// Ends one of the member's own sessions.
    ///
    /// # Errors
    /// `not_found` when it is none of theirs.
    pub async fn end_session(&self, id: Id<Session>) -> Result<()> {
        self.0.auth.0.sessions.end(self.0.live.tenant, self.0.live.member, id, self.1.device.clone()).await
    }

    /// Ends all of the member's own sessions but this one; how many there were.
    ///
    /// # Errors
    /// `busy` when it cannot be written.
    pub async fn end_other_sessions(&self) -> Result<usize> {
        let (live, device) = (&self.0.live, self.1.device.clone());
        let ended =
            self.0.auth.0.sessions.end_others(live.tenant, live.member, live.member, Some(self.0.session), device);
        ended.await
    }

    /// Forgets the member's own sessions but this one, which ended in a write before.
    pub fn forget_own_sessions_but_this(&self) {
        let live = &self.0.live;
        self.0.auth.0.sessions.forget_others(live.tenant, live.member, Some(self.0.session));
    }

    /// A colleague's sessions, newest first.
    ///
    /// # Errors
    /// `not_found` when there is no such member.
    pub fn sessions_of(&self, colleague: MemberId) -> Result<Vec<Stored<Session>>> {
        let whose = self.read(|tx| Ok(Colleague { member: tx.get(colleague.cast())?, company: Company::of(tx)? }))?;
        self.0.auth.0.sessions.list(&self.0.auth.0.store.snapshot()?, &whose)
    }

    /// Ends all sessions of a colleague; how many there were.
    ///
    /// # Errors
    /// `busy` when it cannot be written.
    pub async fn end_sessions_of(&self, colleague: MemberId) -> Result<usize> {
        let (live, device) = (&self.0.live, self.1.device.clone());
        self.0.auth.0.sessions.end_others(live.tenant, live.member, colleague, None, device).await
    }

    /// Forgets the sessions of a colleague, which ended in a write before.
    pub fn forget_sessions_of(&self, colleague: MemberId) {
        self.0.auth.0.sessions.forget_all(self.0.live.tenant, colleague);
    }
}
