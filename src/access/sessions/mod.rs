//! Sessions: a member signed in on a device. Kept in the store, where every request looks for its own,
//! so that ending one takes effect on the next request and not when a token runs out.

mod live;
mod record;

use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use self::live::Table;
pub use self::{
    live::Live,
    record::{Refresh, Session, end_all},
};
use super::{
    hash::Hash,
    members::{self, Colleague, Credentials},
};
use crate::{
    kernel::{Code, Error, Id, MemberId, Result, TenantId, Timestamp},
    store::{Actor, Snapshot, Store, Stored, TenantWrite},
};

/// Hours that a session lasts at most, and with "remember me".
const HOURS: i64 = 12;
const REMEMBERED_HOURS: i64 = 7 * 24;
/// Milliseconds for which the refresh token before the newest stays good, while that is unused.
const GRACE: i64 = 60_000;
/// Sessions that one member may have; the oldest ends first.
const PER_MEMBER: usize = 10;
/// Successors of one refresh token that are good at once.
const SIBLINGS: usize = 4;

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

/// Somebody whose password was checked.
pub struct Verified {
    /// Of which tenant.
    pub tenant: TenantId,
    /// Who.
    pub member: MemberId,
    /// The hash that the password was checked against.
    pub hash: String,
}

/// An old refresh token was shown, which only somebody who copied it would do.
pub struct Theft {
    /// Whose session ends.
    pub whose: Colleague,
    /// The address that it was shown from.
    pub address: String,
}

/// What came of showing a refresh token.
enum Turn {
    Renewed(Box<Stored<Session>>),
    Theft,
}

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

    /// Opens a session for a member.
    ///
    /// # Errors
    /// `invalid_credentials` when the password was changed since it was checked, or the member may not come
    /// in any more; `busy` when the session cannot be kept.
    pub async fn open(&self, who: Verified, remember: bool, device: Device) -> Result<Opened> {
        let Verified { tenant, member, hash } = who;
        let secret = self.store.entropy().bytes::<32>();
        let work = move |tx: &TenantWrite<'_>| {
            let now = tx.now();
            let kept = tx.find::<Credentials>(member.cast())?;
            if kept.is_none_or(|kept| kept.value.password != hash) || Colleague::find(tx, member)?.is_none() {
                return Err(Error::new(Code::InvalidCredentials));
            }
            let mut ended = record::over(tx, now)?;
            for session in &ended {
                tx.remove(session.id, None)?;
            }
            let others = record::of(tx, member)?;
            let surplus = (others.len() + 1).saturating_sub(PER_MEMBER);
            for session in others.into_iter().take(surplus) {
                ended.push(tx.remove(session.id, None)?);
            }
            let hours = if remember { REMEMBERED_HOURS } else { HOURS };
            let session = tx.create(Session {
                member,
                ends_at: now.plus_seconds(hours * 3_600),
                remember,
                device: device.name,
                address: device.address,
                seen_at: now,
                generation: 1,
                current: Hash::of(&secret),
                previous: Hash::NONE,
                previous_until: now,
                siblings: Vec::new(),
                since: 1,
            })?;
            Ok((session, ended))
        };
        let ((session, ended), _) = self.store.write(tenant, Actor::Member(member), work).await?;
        let mut live = self.table_mut();
        for over in ended {
            live.remove(over.id);
        }
        live.insert(session.id, Live::of(tenant, &session, 0));
        Ok(Opened { tenant, refresh: Refresh { tenant, session: session.id, secret }, session })
    }

    /// Renews a session by its refresh token, which is good once (product §4). One that was stolen ends the
    /// session, and `told` writes in the same breath what the member shall know of it.
    ///
    /// # Errors
    /// `not_signed_in` when the session is over, the token is none of it, or was stolen; `busy`.
    pub async fn renew(
        &self,
        shown: Refresh,
        device: Device,
        told: impl FnOnce(&TenantWrite<'_>, &Theft) -> Result<()> + Send + 'static,
    ) -> Result<Opened> {
        let refused = || Error::new(Code::NotSignedIn);
        let Refresh { tenant, session: id, secret: old_secret } = shown;
        let live = self.find(id, self.store.clock().now()).filter(|live| live.tenant == tenant).ok_or_else(refused)?;
        let secret = self.store.entropy().bytes::<32>();
        let (shown, new, member) = (Hash::of(&old_secret), Hash::of(&secret), live.member);
        let work = move |tx: &TenantWrite<'_>| {
            let now = tx.now();
            let old = tx.find(id)?.ok_or_else(refused)?;
            // Nobody gets a token who may not come in: the one they have stays the newest.
            let whose = Colleague::find(tx, member)?.ok_or_else(refused)?;
            let newest = shown == old.current || old.siblings.contains(&shown);
            let before = shown == old.previous && !live.has_used(old.since) && now <= old.previous_until;
            if !newest && !before {
                tx.remove(id, None)?;
                told(tx, &Theft { whose, address: device.address })?;
                return Ok(Turn::Theft);
            }
            let renewed = tx.update(id, None, |session| {
                session.generation += 1;
                if newest {
                    session.previous = shown;
                    session.previous_until = now.plus_millis(GRACE);
                    session.siblings.clear();
                    session.since = session.generation;
                } else {
                    session.siblings.push(session.current);
                    let surplus = session.siblings.len().saturating_sub(SIBLINGS);
                    session.siblings.drain(..surplus);
                }
                session.current = new;
                session.seen_at = now;
                session.address = device.address;
                Ok(())
            })?;
            Ok(Turn::Renewed(Box::new(renewed)))
        };
        let (turn, _) = self.store.write(tenant, Actor::Member(member), work).await?;
        match turn {
            Turn::Renewed(session) => {
                Ok(Opened { tenant, refresh: Refresh { tenant, session: id, secret }, session: *session })
            }
            Turn::Theft => {
                tracing::warn!(session = %id, "an old refresh token was shown; the session ends");
                self.table_mut().remove(id);
                Err(refused())
            }
        }
    }

    /// Ends a session: its next request is refused.
    ///
    /// # Errors
    /// `not_found` when the member has no such session, `busy` when it cannot be written.
    pub async fn end(&self, tenant: TenantId, member: MemberId, id: Id<Session>) -> Result<()> {
        let work = move |tx: &TenantWrite<'_>| {
            if tx.get(id)?.member == member { tx.remove(id, None).map(drop) } else { Err(Error::not_found()) }
        };
        self.store.write(tenant, Actor::Member(member), work).await?;
        self.table_mut().remove(id);
        Ok(())
    }

    /// Ends the session that a refresh token belongs to, if it is the newest or the one before.
    ///
    /// # Errors
    /// `busy` when it cannot be written.
    pub async fn end_by(&self, shown: &Refresh) -> Result<()> {
        let Refresh { tenant, session: id, secret } = shown.clone();
        let Some(live) = self.find(id, self.store.clock().now()).filter(|live| live.tenant == tenant) else {
            return Ok(());
        };
        let shown = Hash::of(&secret);
        let work = move |tx: &TenantWrite<'_>| {
            let Some(session) = tx.find(id)? else { return Ok(true) };
            let fits = [session.current, session.previous].contains(&shown) || session.siblings.contains(&shown);
            if fits {
                tx.remove(id, None)?;
            }
            Ok(fits)
        };
        if self.store.write(tenant, Actor::Member(live.member), work).await?.0 {
            self.table_mut().remove(id);
        }
        Ok(())
    }

    /// Forgets the sessions of a member, which ended in the store before.
    pub fn forget_all(&self, member: MemberId) {
        self.table_mut().remove_all(member);
    }

    /// The member's live sessions, newest first.
    pub(super) fn list(
        snapshot: &Snapshot,
        tenant: TenantId,
        member: MemberId,
        now: Timestamp,
    ) -> Result<Vec<Stored<Session>>> {
        let mut found = record::of(&snapshot.tenant(tenant, None), member)?;
        found.retain(|session| session.ends_at > now);
        found.reverse();
        Ok(found)
    }

    /// When any of a member's sessions was last used.
    #[must_use]
    pub fn last_seen(&self, tenant: TenantId, member: MemberId) -> Option<Timestamp> {
        self.table().last_seen(tenant, member)
    }
}
