//! Sessions: a member signed in on a device. Kept in the store, where every request looks for its own,
//! so that ending one takes effect on the next request and not when a token runs out.

mod ending;
mod live;
mod locking;
#[cfg(test)]
mod model;
mod opening;
mod record;
mod renewing;

use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use self::live::Table;
pub(in crate::access) use self::{live::State, renewing::locked};
pub use self::{
    live::{Live, UNLOCK_TRIES},
    locking::{Try, Unlock},
    opening::{NewSession, Verified},
    record::{Refresh, Session, end_all, end_others},
};
use super::members::{self, Colleague};
use crate::{
    kernel::{Id, MemberId, Result, TenantId, Timestamp},
    store::{Snapshot, Store, Stored, TenantWrite},
};

/// Hours that a session lasts at most, and with "remember me".
const HOURS: i64 = 12;
const REMEMBERED_HOURS: i64 = 7 * 24;
/// Sessions that one member may have; the oldest ends first.
const PER_MEMBER: usize = 10;

/// A session that was just opened or refreshed.
#[derive(Debug)]
pub struct Opened {
    /// Whose company's.
    pub tenant: TenantId,
    /// The session.
    pub session: Stored<Session>,
    /// What the browser keeps.
    pub refresh: Refresh,
}

/// What a device says of itself.
#[derive(Clone, Debug, Default)]
pub struct Device {
    /// The browser's own name for itself.
    pub name: String,
    /// Its address.
    pub address: String,
}

/// What a member shall be told of a session of theirs, in the write in which it happens.
pub type Tell = fn(&TenantWrite<'_>, &Colleague, &Device) -> Result<()>;

/// All sessions of the installation.
pub struct Sessions {
    store: Store,
    live: RwLock<Table>,
}

impl Sessions {
    /// Takes up the sessions that the store holds.
    ///
    /// # Errors
    /// `busy` or `internal` when they cannot be read.
    pub fn load(store: Store) -> Result<Self> {
        let mut live = Table::default();
        let (snapshot, now) = (store.snapshot()?, store.clock().now());
        let written = snapshot.last_change()?;
        for tenant in members::tenants(&snapshot)? {
            snapshot.tenant(tenant, None).each::<Session>(|session| {
                if session.ends_at > now {
                    live.insert(session.id, Live::of(tenant, &session, written));
                }
                Ok(())
            })?;
        }
        Ok(Self { store, live: RwLock::new(live) })
    }

    fn table(&self) -> RwLockReadGuard<'_, Table> {
        self.live.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn table_mut(&self) -> RwLockWriteGuard<'_, Table> {
        self.live.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// The session, when it may be live. The store knows whether it is.
    pub(super) fn find(&self, id: Id<Session>, now: Timestamp) -> Option<Arc<Live>> {
        self.table().get(id).filter(|session| session.ends_at > now).cloned()
    }

    /// The session of a refresh token, when it may be live.
    fn of_token(&self, shown: &Refresh) -> Option<Arc<Live>> {
        self.find(shown.session, self.store.clock().now()).filter(|live| live.tenant == shown.tenant)
    }

    /// Tells who waits in a session how it stands now.
    fn follow(&self, id: Id<Session>, live: &Live) {
        live.follow(|| {
            let session = self.store.snapshot()?.tenant(live.tenant, None).find(id)?;
            Ok(session.map_or(State::Ended, |session| session.state()))
        });
    }

    /// The member's live sessions, newest first. Those whose member idles too long are as good as locked.
    ///
    /// # Errors
    /// `busy` or `internal` when they cannot be read.
    pub fn list(&self, snapshot: &Snapshot, whose: &Colleague) -> Result<Vec<Stored<Session>>> {
        let (tenant, now) = (whose.company.id, self.store.clock().now());
        let Some(tenant) = TenantId::from_bytes(*tenant.as_bytes()) else { return Ok(Vec::new()) };
        let mut found = record::of(&snapshot.tenant(tenant, None), whose.member.id.cast())?;
        found.retain(|session| session.ends_at > now);
        found.reverse();
        let longest = i64::from(whose.company.idle_minutes) * 60;
        for session in found.iter_mut().filter(|session| longest > 0 && session.locked_at.is_none()) {
            let active = self.find(session.id, now).map_or(session.active_at(), |live| live.active_at());
            let due = active.plus_seconds(longest);
            session.value.locked_at = (due < now).then_some(due);
        }
        Ok(found)
    }

    /// When any of a member's sessions was last used.
    #[must_use]
    pub fn last_seen(&self, tenant: TenantId, member: MemberId) -> Option<Timestamp> {
        self.table().last_seen(tenant, member)
    }
}
