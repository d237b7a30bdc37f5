//! Sessions of members on devices. They are in the store, where every request looks its own up, so that ending one
//! takes effect on the next request and not when a token expires.

mod active;
mod ending;
mod locking;
mod opening;
mod record;
mod renewing;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use parking_lot::{RwLock, RwLockReadGuard, RwLockWriteGuard};

pub(in crate::access) use self::{active::State, renewing::locked};
use self::{active::Table, record::Fit};
pub use self::{
    active::{ActiveSession, UNLOCK_TRIES},
    ending::{end_company, end_everything},
    locking::{Unlock, UnlockAttempt},
    opening::{NewSession, Verified},
    record::{Refresh, Session, end_all, end_others},
};
use super::hash::Hash;
use crate::{
    kernel::{Code, Error, Id, MemberId, Result, TenantId, Timestamp},
    people::members::{self, ActiveMember},
    store::{Snapshot, Store, Stored, TenantWrite},
};

/// The longest life of a session in hours, and with "remember me".
const HOURS: i64 = 12;
const REMEMBERED_HOURS: i64 = 7 * 24;
/// Sessions of one member; the oldest is ended first.
const PER_MEMBER: usize = 10;

/// A session that was just opened or refreshed.
#[derive(Debug)]
pub struct Opened {
    /// Its tenant.
    pub tenant: TenantId,
    /// The session.
    pub session: Stored<Session>,
    /// The refresh token for the browser.
    pub refresh: Refresh,
}

/// A reference to a session, as in an access token.
#[derive(Clone, Copy, Debug)]
pub(in crate::access) struct SessionRef {
    pub(in crate::access) tenant: TenantId,
    pub(in crate::access) member: MemberId,
    pub(in crate::access) session: Id<Session>,
    /// The number of the session's refresh that it came from.
    pub(in crate::access) generation: u64,
}

/// A client's device.
#[derive(Clone, Debug, Default)]
pub struct Device {
    /// The browser's own name for itself.
    pub name: String,
    /// Its address.
    pub address: String,
}

/// Informs a member about an event of their session, within the write that causes it.
pub type NotifyMember = fn(&TenantWrite<'_>, &ActiveMember, &Device) -> Result<()>;

/// All sessions of the installation.
pub struct Sessions {
    store: Store,
    live: RwLock<Table>,
}

impl Sessions {
    /// Loads the sessions from the store.
    pub fn load(store: Store) -> Result<Self> {
        let mut live = Table::default();
        let snapshot = store.snapshot()?;
        let now = store.clock().now();
        let written = snapshot.last_change()?;
        for tenant in members::tenants(&snapshot)? {
            snapshot.tenant(tenant, None).each::<Session>(|session| {
                if session.ends_at > now {
                    live.insert(session.id, ActiveSession::of(tenant, &session, written));
                }
                Ok(())
            })?;
        }
        Ok(Self { store, live: RwLock::new(live) })
    }

    fn table(&self) -> RwLockReadGuard<'_, Table> {
        self.live.read()
    }

    fn table_mut(&self) -> RwLockWriteGuard<'_, Table> {
        self.live.write()
    }

    /// Returns the number of sessions that have not expired.
    pub fn count(&self, now: Timestamp) -> usize {
        self.table().count(now)
    }

    /// Finds a session in memory that has not expired. Only the store knows whether it still exists.
    pub(super) fn find(&self, id: Id<Session>, now: Timestamp) -> Option<Arc<ActiveSession>> {
        self.table().get(id).filter(|session| session.ends_at > now).cloned()
    }

    /// Authenticates a session whose member's last input was `idle_seconds` ago. `even_locked` accepts locked ones too.
    /// Errors: `not_signed_in` when the session is over, or its member may not sign in; `session_locked`.
    pub(super) fn authenticate(
        &self,
        at: &SessionRef,
        idle_seconds: u32,
        even_locked: bool,
    ) -> Result<(Arc<Stored<Session>>, ActiveMember, Arc<ActiveSession>)> {
        let refused = || Error::new(Code::NotSignedIn);
        let now = self.store.clock().now();
        let live = self.find(at.session, now).ok_or_else(refused)?;
        if live.tenant != at.tenant || live.member != at.member {
            return Err(refused());
        }
        let snapshot = self.store.snapshot()?;
        let tenant = snapshot.tenant(live.tenant, Some(live.member));
        // The session may have ended or been locked a moment ago: the store decides.
        let session = match tenant.find_again::<Session>(at.session, &live.last_read) {
            Err(error) if error.is_damage() => None,
            found => found?,
        };
        let session = session.ok_or_else(refused)?;
        let who = ActiveMember::find_again(&tenant, live.member, &live.last_reads)?.ok_or_else(refused)?;
        live.note_use(at.generation, now);
        let awake = || live.note_activity(now, idle_seconds, who.company.idle_minutes);
        if !even_locked && (session.state() == State::Locked || !awake()) {
            return Err(locked(&who));
        }
        Ok((session, who, live))
    }

    /// Finds the session of a refresh token in memory.
    fn of_token(&self, presented: &Refresh) -> Option<Arc<ActiveSession>> {
        self.find(presented.session, self.store.clock().now()).filter(|live| live.tenant == presented.tenant)
    }

    /// Returns the member of a refresh token, and the reference for an access token. Changes nothing.
    /// Errors: `not_signed_in` when the session is over, the token is not valid for it, or its member may not sign in;
    /// `session_locked`.
    pub(super) fn holder(&self, presented: &Refresh, idle_seconds: u32) -> Result<(SessionRef, ActiveMember)> {
        let refused = || Error::new(Code::NotSignedIn);
        let live = self.of_token(presented).ok_or_else(refused)?;
        let now = self.store.clock().now();
        let session = self
            .store
            .snapshot()?
            .tenant(presented.tenant, None)
            .find::<Session>(presented.session)?
            .ok_or_else(refused)?;
        // The token before the newest is valid only until an access token of the newest is used.
        let generation = match session.fit(&Hash::of(&presented.secret), now, |generation| live.has_used(generation)) {
            Fit::Newest => session.generation,
            Fit::Previous => session.since.saturating_sub(1),
            Fit::None => return Err(refused()),
        };
        let at = SessionRef { tenant: live.tenant, member: live.member, session: session.id, generation };
        self.authenticate(&at, idle_seconds, false).map(|(_, who, _)| (at, who))
    }

    /// Reads a session's state from the store, and passes it to the requests that wait in the session.
    fn refresh_state(&self, id: Id<Session>, live: &ActiveSession) {
        live.refresh_state(|| {
            let session = self.store.snapshot()?.tenant(live.tenant, None).find::<Session>(id)?;
            Ok(session.map_or(State::Ended, |session| session.state()))
        });
    }

    /// Returns the member's live sessions, newest first. Sessions that are idle for too long count as locked.
    pub fn list(&self, snapshot: &Snapshot, whose: &ActiveMember) -> Result<Vec<Stored<Session>>> {
        let tenant = whose.company.id;
        let now = self.store.clock().now();
        let Some(tenant) = TenantId::from_bytes(*tenant.as_bytes()) else { return Ok(Vec::new()) };
        let mut found = record::of_member(&snapshot.tenant(tenant, None), whose.member.id)?;
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

    /// Returns when any of a member's sessions was last used.
    pub fn last_seen(&self, tenant: TenantId, member: MemberId) -> Option<Timestamp> {
        self.table().last_seen(tenant, member)
    }
}
