//! A member's sessions and those of colleagues whom they manage, and connections that stay open.

use super::Member;
use crate::{
    access::sessions::{self, Session, Sessions, State},
    kernel::{Code, Error, Id, MemberId, Result, TenantId, Timestamp},
    live::{TenantChannel, presence::DeviceLimit},
    people::{
        members::{ActiveMember, Company, MemberRecord},
        permission::Right,
    },
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

/// A member's sessions, and those of colleagues whom they manage.
pub struct MemberSessions<'m, R>(pub(super) &'m Member<R>);

impl<R: Right> MemberSessions<'_, R> {
    fn sessions(&self) -> &Sessions {
        &self.0.0.auth.0.sessions
    }

    fn tenant(&self) -> TenantId {
        self.0.0.live.tenant
    }

    /// Returns the member's own sessions, newest first.
    pub fn list(self) -> Result<Vec<Stored<Session>>> {
        self.sessions().list(&self.0.0.auth.0.store.snapshot()?, &self.0.0.who)
    }

    /// Locks the session of this request.
    /// Errors: `not_signed_in` when it is over.
    pub async fn lock(self) -> Result<()> {
        let device = self.0.device().clone();
        self.sessions().lock(self.tenant(), self.0.id(), self.0.session(), device).await
    }

    /// Ends one of the member's own sessions.
    /// Errors: `not_found` when it is not one of theirs.
    pub async fn end(self, id: Id<Session>) -> Result<()> {
        self.sessions().end(self.tenant(), self.0.id(), id, self.0.device().clone()).await
    }

    /// Ends all other sessions of the member. Returns how many there were.
    pub async fn end_others(self) -> Result<usize> {
        self.end_but(self.0.id(), Some(self.0.session())).await
    }

    /// Removes the member's other sessions from memory, after a write ended them.
    pub fn forget_others(self) {
        self.sessions().forget_others(self.tenant(), self.0.id(), Some(self.0.session()));
    }

    /// Returns a colleague's sessions, newest first.
    /// Errors: `not_found` when there is no such member.
    pub fn list_of(self, colleague: MemberId) -> Result<Vec<Stored<Session>>> {
        let whose = self.0.read(|tx| {
            Ok(ActiveMember { member: tx.get::<MemberRecord>(colleague)?.into(), company: Company::of(tx)?.into() })
        })?;
        self.sessions().list(&self.0.0.auth.0.store.snapshot()?, &whose)
    }

    /// Ends all sessions of a colleague. Returns how many there were.
    pub async fn end_of(self, colleague: MemberId) -> Result<usize> {
        self.end_but(colleague, None).await
    }

    /// Removes a colleague's sessions from memory, after a write ended them.
    pub fn forget_of(self, colleague: MemberId) {
        self.sessions().forget_all(self.tenant(), colleague);
    }

    /// Ends all sessions and e-mailed links of the member's company, which is closed.
    pub async fn end_of_company(self) -> Result<()> {
        self.sessions().end_of_company(self.tenant()).await
    }

    /// Returns when a colleague's sessions were last used.
    pub fn last_seen(self, colleague: MemberId) -> Option<Timestamp> {
        self.sessions().last_seen(self.tenant(), colleague)
    }

    async fn end_but(&self, whose: MemberId, kept: Option<Id<Session>>) -> Result<usize> {
        let device = self.0.device().clone();
        self.sessions().end_others(self.tenant(), self.0.id(), whose, kept, device).await
    }
}

/// A connection of the member that stays open: a socket or a long poll.
pub struct Connection<'m, R>(pub(super) &'m Member<R>);

impl<R: Right> Connection<'_, R> {
    /// Subscribes to the tenant's live updates that the member may see; `idle` is whether the device is idle.
    /// Errors: [`DeviceLimit`] when the session or the tenant has as many connected devices as it may.
    pub fn subscribe(self, idle: bool) -> Result<TenantChannel, DeviceLimit> {
        let live = &self.0.0.live;
        self.0.0.auth.0.hub.join(live.tenant, live.member, *self.0.session().as_bytes(), idle)
    }

    /// Waits until the session is locked or over. Returns the error for it.
    pub async fn closed(self) -> Error {
        match self.0.0.live.closed().await {
            State::Ended => Error::new(Code::NotSignedIn),
            State::Locked | State::Open => sessions::locked(&self.0.0.who),
        }
    }

    /// Checks in the store whether the session still gives the right, as for a new request.
    pub fn check(self) -> Result<()> {
        // With the longest idle time: the check does not count as activity.
        self.0.0.auth.authenticate_session::<R>(&self.0.session_ref(), u32::MAX).map(drop)
    }

    /// Notes activity at the device. An idle device reports that after five minutes, so the last input may be as long
    /// ago.
    pub fn touch(self) {
        let limit = self.0.0.who.company.idle_minutes;
        let seconds = if limit == 0 { LEFT_AFTER } else { LEFT_AFTER.min(limit.saturating_mul(30)) };
        self.0.0.live.note_activity(self.0.now(), seconds, limit);
    }

    /// Returns why the session takes no more requests, from the error of a check.
    pub fn end_reason(self, error: &Error) -> SessionEndReason {
        let active = || self.0.read(|tx| ActiveMember::find(tx, self.0.id())).is_ok_and(|who| who.is_some());
        match error.code() {
            Code::SessionLocked => SessionEndReason::Locked,
            Code::SecondFactorRequired => SessionEndReason::SecondFactorRequired,
            _ if self.0.0.live.is_signed_out() => SessionEndReason::SignedOut,
            _ if active() => SessionEndReason::Ended,
            _ => SessionEndReason::Suspended,
        }
    }
}
