//! What is known of the sessions in memory: whose they are, and when each was last used.

use std::{
    collections::HashMap,
    sync::{
        Arc,
        atomic::{AtomicI64, AtomicU64, Ordering},
    },
};

use super::record::Session;
use crate::kernel::{Id, MemberId, TenantId, Timestamp};

/// A session as every request sees it. The store has the last word on whether it is still there.
#[derive(Debug)]
pub struct Live {
    pub(in crate::access) tenant: TenantId,
    pub(in crate::access) member: MemberId,
    pub(super) ends_at: Timestamp,
    /// The newest generation whose access token was used.
    used: AtomicU64,
    /// The place in the ledger of its last write: its next search waits for that.
    pub(in crate::access) last_write: AtomicU64,
    seen_at: AtomicI64,
}

impl Live {
    /// A session whose last write may be anything up to a place of the ledger.
    pub(super) fn of(tenant: TenantId, session: &Session, written: u64) -> Self {
        Self {
            tenant,
            member: session.member,
            ends_at: session.ends_at,
            // After a stop it is not known whether the newest was used: the grace decides.
            used: AtomicU64::new(0),
            last_write: AtomicU64::new(written),
            seen_at: AtomicI64::new(session.seen_at.millis()),
        }
    }

    /// Notes that an access token of a generation was used.
    pub(in crate::access) fn note(&self, generation: u64, now: Timestamp) {
        self.used.fetch_max(generation, Ordering::AcqRel);
        self.seen_at.fetch_max(now.millis(), Ordering::Relaxed);
    }

    /// Whether an access token of this generation, or a later one, was used.
    pub(super) fn has_used(&self, generation: u64) -> bool {
        self.used.load(Ordering::Acquire) >= generation
    }
}

/// The sessions in memory, by their ids and by their members.
#[derive(Default)]
pub(super) struct Table {
    sessions: HashMap<Id<Session>, Arc<Live>>,
    members: HashMap<MemberId, Vec<Id<Session>>>,
}

impl Table {
    pub(super) fn get(&self, id: Id<Session>) -> Option<&Arc<Live>> {
        self.sessions.get(&id)
    }

    pub(super) fn insert(&mut self, id: Id<Session>, live: Live) {
        self.members.entry(live.member).or_default().push(id);
        self.sessions.insert(id, Arc::new(live));
    }

    pub(super) fn remove(&mut self, id: Id<Session>) {
        let Some(live) = self.sessions.remove(&id) else { return };
        if let Some(ids) = self.members.get_mut(&live.member) {
            ids.retain(|kept| *kept != id);
            if ids.is_empty() {
                self.members.remove(&live.member);
            }
        }
    }

    pub(super) fn remove_all(&mut self, member: MemberId) {
        for id in self.members.remove(&member).unwrap_or_default() {
            self.sessions.remove(&id);
        }
    }

    /// When any of a member's sessions was last used.
    pub(super) fn last_seen(&self, tenant: TenantId, member: MemberId) -> Option<Timestamp> {
        let ids = self.members.get(&member)?;
        let live = ids.iter().filter_map(|id| self.sessions.get(id)).filter(|session| session.tenant == tenant);
        live.map(|session| Timestamp::from_millis(session.seen_at.load(Ordering::Relaxed))).max()
    }
}
