//! Management of sessions by a member: their own, and those of colleagues whom they manage.

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

/// Seconds without input after which a device reports that it is idle.
const LEFT_AFTER: u32 = 5 * 60;

/// Why a session takes no more requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SessionEndReason {
    /// It was ended, or it expired.
    Ended,
    /// It is locked.
    Locked,
    /// The member signed out.
    SignedOut,
    /// The member may no longer sign in.
    Suspended,
    /// The company requires a second factor that the member does not have.
    SecondFactorRequired,
}

impl<R: Right> Member<R> {
    /// The client's device and address.
    pub const fn device(&self) -> &Device {
        &self.1.device
    }

    /// Waits until the session is locked or over. Returns the error for it.
    pub async fn closed(&self) -> Error {
        match self.0.live.closed().await {
            State::Ended => Error::new(Code::NotSignedIn),
            State::Locked | State::Open => sessions::locked(&self.0.who),
        }
    }

    /// Checks in the store whether the session still gives the right, as for a new request.
    pub fn check(&self) -> Result<()> {
        // With the longest idle time: the check does not count as activity.
        self.0.auth.authenticate_session::<R>(&self.session_ref(), u32::MAX).map(drop)
    }

    /// Notes activity at a device that stays connected. An idle device reports that after five minutes, so the last
    /// input may be as long ago.
    pub fn touch(&self) {
        let limit = self.0.who.company.idle_minutes;
        let seconds = if limit == 0 { LEFT_AFTER } else { LEFT_AFTER.min(limit.saturating_mul(30)) };
        self.0.live.is_awake(self.now(), seconds, limit);
    }

    /// Returns why the session takes no more requests, from the error of a check.
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
    /// Errors: `not_signed_in` when it is over.
    pub async fn lock(&self) -> Result<()> {
        let device = self.1.device.clone();
        self.0.auth.0.sessions.lock(self.0.live.tenant, self.0.live.member, self.0.session, device).await
    }

    /// Returns the member's own sessions, newest first.
    pub fn sessions(&self) -> Result<Vec<Stored<Session>>> {
        self.0.auth.0.sessions.list(&self.0.auth.0.store.snapshot()?, &self.0.who)
    }

    /// Ends one of the member's own sessions.
    /// Errors: `not_found` when it is not one of theirs.
    pub async fn end_session(&self, id: Id<Session>) -> Result<()> {
        self.0.auth.0.sessions.end(self.0.live.tenant, self.0.live.member, id, self.1.device.clone()).await
    }

    /// Ends all other sessions of the member. Returns how many there were.
    pub async fn end_other_sessions(&self) -> Result<usize> {
        let live = &self.0.live;
        let device = self.1.device.clone();
        let ended =
            self.0.auth.0.sessions.end_others(live.tenant, live.member, live.member, Some(self.0.session), device);
        ended.await
    }

    /// Removes the member's other sessions from memory, after a write ended them.
    pub fn forget_own_sessions_but_this(&self) {
        let live = &self.0.live;
        self.0.auth.0.sessions.forget_others(live.tenant, live.member, Some(self.0.session));
    }

    /// Returns a colleague's sessions, newest first.
    /// Errors: `not_found` when there is no such member.
    pub fn sessions_of(&self, colleague: MemberId) -> Result<Vec<Stored<Session>>> {
        let whose = self.read(|tx| Ok(Colleague { member: tx.get(colleague)?, company: Company::of(tx)? }))?;
        self.0.auth.0.sessions.list(&self.0.auth.0.store.snapshot()?, &whose)
    }

    /// Ends all sessions of a colleague. Returns how many there were.
    pub async fn end_sessions_of(&self, colleague: MemberId) -> Result<usize> {
        let live = &self.0.live;
        let device = self.1.device.clone();
        self.0.auth.0.sessions.end_others(live.tenant, live.member, colleague, None, device).await
    }

    /// Removes a colleague's sessions from memory, after a write ended them.
    pub fn forget_sessions_of(&self, colleague: MemberId) {
        self.0.auth.0.sessions.forget_all(self.0.live.tenant, colleague);
    }
}
