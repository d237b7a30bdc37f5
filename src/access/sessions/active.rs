//! Sessions in memory: their members, states and times of last use.

use std::{
    collections::HashMap,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicI64, AtomicU32, AtomicU64, Ordering},
    },
};

use tokio::sync::watch;

use super::record::Session;
use crate::{
    kernel::{Id, MemberId, Result, TenantId, Timestamp},
    people::members::LastReads,
    store::LastRead,
};

/// Wrong passwords and second factors after which a locked session ends.
pub const UNLOCK_TRIES: u32 = 5;

/// The state of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::access) enum State {
    /// It accepts requests.
    Open,
    /// It accepts no requests until its member unlocks it.
    Locked,
    /// It is over.
    Ended,
}

/// A session as requests see it. Only the store knows whether it still exists.
#[derive(Debug)]
pub struct ActiveSession {
    pub(in crate::access) tenant: TenantId,
    pub(in crate::access) member: MemberId,
    pub(super) ends_at: Timestamp,
    /// The newest generation whose access token was used.
    used: AtomicU64,
    /// The ledger sequence number of its last write, for which its next search waits.
    pub(in crate::access) last_write: AtomicU64,
    seen_at: AtomicI64,
    /// The time of the member's last activity.
    active_at: AtomicI64,
    /// Whether the member signed out.
    signed_out: AtomicBool,
    /// Wrong attempts to unlock it since it was locked.
    tries: AtomicU32,
    state: watch::Sender<State>,
    /// The session as it was read last.
    pub(super) last_read: LastRead<Session>,
    /// Its member and their company as they were read last.
    pub(super) last_reads: LastReads,
}

impl ActiveSession {
    /// Creates the entry of a session whose last write has at most the ledger sequence number `written`.
    pub(super) fn of(tenant: TenantId, session: &Session, written: u64) -> Self {
        Self {
            tenant,
            member: session.member,
            ends_at: session.ends_at,
            // After a restart it is unknown whether the newest was used: the grace period decides.
            used: AtomicU64::new(0),
            last_write: AtomicU64::new(written),
            seen_at: AtomicI64::new(session.seen_at.millis()),
            active_at: AtomicI64::new(session.active_at().millis()),
            signed_out: AtomicBool::new(false),
            tries: AtomicU32::new(session.tries),
            state: watch::Sender::new(session.state()),
            last_read: LastRead::default(),
            last_reads: LastReads::default(),
        }
    }

    /// Notes that an access token of a generation was used.
    pub(in crate::access) fn note_use(&self, generation: u64, now: Timestamp) {
        self.used.fetch_max(generation, Ordering::AcqRel);
        self.seen_at.fetch_max(now.millis(), Ordering::Relaxed);
    }

    /// Whether an access token of this generation, or a later one, was used.
    pub(super) fn has_used(&self, generation: u64) -> bool {
        self.used.load(Ordering::Acquire) >= generation
    }

    /// Notes that the member was active `idle_seconds` ago. Returns false when they had been idle, or are idle now, for
    /// longer than `limit` minutes (0: no limit): then the session is locked, and the activity is not noted.
    pub(in crate::access) fn note_activity(&self, now: Timestamp, idle_seconds: u32, limit: u32) -> bool {
        let before = self.active_at.load(Ordering::Acquire);
        let active = now.plus_seconds(-i64::from(idle_seconds)).millis();
        let longest = i64::from(limit) * 60_000;
        if limit > 0 && (active - before > longest || now.millis() - active.max(before) > longest) {
            return false;
        }
        self.active_at.fetch_max(active, Ordering::AcqRel);
        true
    }

    /// Returns the time of the member's last activity.
    pub(super) fn active_at(&self) -> Timestamp {
        Timestamp::from_millis(self.active_at.load(Ordering::Acquire))
    }

    /// Takes one of the attempts to unlock. Returns its number, from 1; `None` when none is left.
    pub(super) fn take_attempt(&self) -> Option<u32> {
        let taken = self.tries.fetch_add(1, Ordering::AcqRel).saturating_add(1);
        (taken <= UNLOCK_TRIES).then_some(taken)
    }

    /// Gives back an attempt whose password was not checked.
    pub(super) fn return_attempt(&self) {
        self.tries.fetch_sub(1, Ordering::AcqRel);
    }

    /// Resets attempts and idle time, after the member authenticated again.
    pub(super) fn reset_attempts(&self, now: Timestamp) {
        self.tries.store(0, Ordering::Release);
        self.active_at.store(now.millis(), Ordering::Release);
    }

    /// Takes over the session's state from the store. It is read under the lock, so that the last caller sets the
    /// newest state.
    pub(super) fn refresh_state(&self, read: impl FnOnce() -> Result<State>) {
        self.state.send_if_modified(|state| match read() {
            Ok(now) => std::mem::replace(state, now) != now,
            Err(_) => false,
        });
    }

    /// Notes that its member signs out.
    pub(super) fn sign_out(&self) {
        self.signed_out.store(true, Ordering::Release);
    }

    /// Whether its member signed out.
    pub(in crate::access) fn is_signed_out(&self) -> bool {
        self.signed_out.load(Ordering::Acquire)
    }

    fn end(&self) {
        self.state.send_replace(State::Ended);
    }

    /// Waits until the session is locked or over.
    pub(in crate::access) async fn closed(&self) -> State {
        let mut state = self.state.subscribe();
        state.wait_for(|state| *state != State::Open).await.map_or(State::Ended, |state| *state)
    }
}

/// The sessions in memory, by id and by member.
#[derive(Default)]
pub(super) struct Table {
    sessions: HashMap<Id<Session>, Arc<ActiveSession>>,
    /// By tenant as well: an imported copy of a tenant has members with the same ids.
    members: HashMap<(TenantId, MemberId), Vec<Id<Session>>>,
}

impl Table {
    pub(super) fn get(&self, id: Id<Session>) -> Option<&Arc<ActiveSession>> {
        self.sessions.get(&id)
    }

    pub(super) fn count(&self, now: Timestamp) -> usize {
        self.sessions.values().filter(|session| session.ends_at > now).count()
    }

    pub(super) fn insert(&mut self, id: Id<Session>, live: ActiveSession) {
        self.members.entry((live.tenant, live.member)).or_default().push(id);
        self.sessions.insert(id, Arc::new(live));
    }

    pub(super) fn remove(&mut self, id: Id<Session>) {
        let Some(live) = self.sessions.remove(&id) else { return };
        live.end();
        let whose = (live.tenant, live.member);
        if let Some(ids) = self.members.get_mut(&whose) {
            ids.retain(|kept| *kept != id);
            if ids.is_empty() {
                self.members.remove(&whose);
            }
        }
    }

    /// Removes a member's sessions except one.
    pub(super) fn remove_all(&mut self, tenant: TenantId, member: MemberId, but: Option<Id<Session>>) {
        for id in self.members.get(&(tenant, member)).cloned().unwrap_or_default() {
            if Some(id) != but {
                self.remove(id);
            }
        }
    }

    /// Returns when any of a member's sessions was last used.
    pub(super) fn last_seen(&self, tenant: TenantId, member: MemberId) -> Option<Timestamp> {
        let ids = self.members.get(&(tenant, member))?;
        let live = ids.iter().filter_map(|id| self.sessions.get(id));
        live.map(|session| Timestamp::from_millis(session.seen_at.load(Ordering::Relaxed))).max()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn live(at: Timestamp) -> ActiveSession {
        let tenant = TenantId::from_bytes([1; 16]).unwrap();
        ActiveSession::of(tenant, &Session::for_tests(Id::from_bytes([2; 16]), at), 0)
    }

    #[test]
    fn idle_session_locks_and_stays_locked() {
        let start = Timestamp::from_millis(1_700_000_000_000);
        let minute = |n: i64| start.plus_seconds(60 * n);
        let session = live(start);
        assert!(session.note_activity(minute(30), 0, 30), "to the minute");
        assert!(session.note_activity(minute(60), 20 * 60, 30), "active at minute 40");
        assert!(session.note_activity(minute(70), 30 * 60, 30));
        assert!(!session.note_activity(minute(71), 31 * 60, 30), "active at minute 40, and now is minute 71");
        assert!(!session.note_activity(minute(72), 0, 30), "what is done now comes too late");
        assert!(session.note_activity(minute(72), 0, 0), "who never locks is awake");
        session.reset_attempts(minute(80));
        assert!(session.note_activity(minute(110), 30 * 60, 30));
        assert!(!session.note_activity(minute(141), 0, 30), "nothing was heard for 31 minutes");
        assert!(!session.note_activity(minute(141), 20 * 60, 30), "between was nothing either");
        assert!(session.note_activity(minute(79), 0, 30), "a clock that is set back does not lock the session");
    }

    #[test]
    fn session_allows_five_unlock_attempts() {
        let session = live(Timestamp::from_millis(0));
        let tries: Vec<_> = (0..7).map(|_| session.take_attempt()).collect();
        assert_eq!(tries, [Some(1), Some(2), Some(3), Some(4), Some(5), None, None]);
        session.reset_attempts(Timestamp::from_millis(0));
        assert_eq!(session.take_attempt(), Some(1));
        session.return_attempt();
        assert_eq!(session.take_attempt(), Some(1));
    }
}
