//! Sessions: a member signed in on a device. Kept in the store, looked up in memory at every request, so
//! that ending one takes effect on the next request and not when a token runs out.

use std::{
    collections::HashMap,
    sync::{
        Arc, PoisonError, RwLock,
        atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering},
    },
};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::members;
use crate::{
    kernel::{Code, Error, Id, MemberId, Result, TenantId, Timestamp, hex},
    store::{Actor, Record, Snapshot, Store, Stored, TenantRecord},
};

/// Hours that a session lasts at most, and with "remember me".
const HOURS: i64 = 12;
const REMEMBERED_HOURS: i64 = 7 * 24;
/// Milliseconds for which the refresh token before the newest stays good, while that is unused.
const GRACE: i64 = 60_000;
/// Sessions that one member may have; the oldest ends first.
const PER_MEMBER: usize = 10;

/// A session as it lies in the store.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Session {
    /// Whose.
    pub member: MemberId,
    /// When it ends, whatever happens.
    pub ends_at: Timestamp,
    /// Whether the cookie outlives the browser.
    pub remember: bool,
    /// The device, as its browser names itself.
    pub device: String,
    /// The address it was last refreshed from.
    pub address: String,
    /// When it was last refreshed.
    pub seen_at: Timestamp,
    /// Counts its refreshes.
    pub generation: u64,
    #[serde(with = "serde_bytes_32")]
    current: [u8; 32],
    #[serde(with = "serde_bytes_32")]
    previous: [u8; 32],
    previous_until: Timestamp,
}

/// Hashes as two numbers lists would be larger; as bytes they are 32.
mod serde_bytes_32 {
    use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};

    use crate::kernel::hex;

    pub fn serialize<S: Serializer>(bytes: &[u8; 32], serializer: S) -> Result<S::Ok, S::Error> {
        hex::encode(bytes).serialize(serializer)
    }
    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<[u8; 32], D::Error> {
        let text = String::deserialize(deserializer)?;
        let bytes = hex::decode(&text);
        bytes.and_then(|bytes| bytes.try_into().ok()).ok_or_else(|| D::Error::custom("a hash has 32 bytes"))
    }
}

impl Record for Session {
    const KIND: &'static str = "session";
    const TABLE: u16 = 13;
    const LEDGER: bool = false;
}
impl TenantRecord for Session {}

/// A session as every request sees it.
#[derive(Debug)]
pub struct Live {
    pub(super) tenant: TenantId,
    pub(super) member: MemberId,
    pub(super) ends_at: Timestamp,
    /// The newest generation, and whether anybody has used it yet.
    generation: AtomicU64,
    used: AtomicBool,
    /// The place in the ledger of its last write: its next search waits for that.
    pub(super) last_write: AtomicU64,
    pub(super) seen_at: AtomicI64,
}

impl Live {
    fn of(tenant: TenantId, session: &Session, used: bool) -> Self {
        Self {
            tenant,
            member: session.member,
            ends_at: session.ends_at,
            generation: AtomicU64::new(session.generation),
            used: AtomicBool::new(used),
            last_write: AtomicU64::new(0),
            seen_at: AtomicI64::new(session.seen_at.millis()),
        }
    }
}

/// What a browser keeps in its cookie: which session, and the secret of the moment.
#[derive(Clone, Debug)]
pub struct Refresh {
    tenant: TenantId,
    session: Id<Session>,
    secret: [u8; 32],
}

impl Refresh {
    /// The cookie's value.
    #[must_use]
    pub fn to_text(&self) -> String {
        hex::encode(&[self.tenant.as_bytes().as_slice(), self.session.as_bytes(), &self.secret].concat())
    }

    /// From the cookie's value.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let bytes = hex::decode(text).filter(|bytes| bytes.len() == 64)?;
        Some(Self {
            tenant: TenantId::from_bytes(bytes.get(..16)?.try_into().ok()?)?,
            session: Id::from_slice(bytes.get(16..32)?)?,
            secret: bytes.get(32..)?.try_into().ok()?,
        })
    }
}

fn hash(secret: &[u8; 32]) -> [u8; 32] {
    Sha256::digest(secret).into()
}

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

/// What came of showing a refresh token.
enum Turn {
    Renewed(Box<Stored<Session>>),
    Theft,
}

/// All sessions of the installation.
pub struct Sessions {
    store: Store,
    live: RwLock<HashMap<Id<Session>, Arc<Live>>>,
}

impl Sessions {
    /// Takes up the sessions that the store holds.
    ///
    /// # Errors
    /// `busy` or `internal` when they cannot be read.
    pub fn load(store: Store) -> Result<Self> {
        let mut live = HashMap::new();
        let (snapshot, now) = (store.snapshot()?, store.clock().now());
        for tenant in members::tenants(&snapshot)? {
            snapshot.tenant(tenant, None).each::<Session>(|session| {
                if session.ends_at > now {
                    // Whether its newest token was used is not known after a stop: the grace decides.
                    live.insert(session.id, Arc::new(Live::of(tenant, &session, false)));
                }
                Ok(())
            })?;
        }
        Ok(Self { store, live: RwLock::new(live) })
    }

    /// The session, when it is live.
    pub(super) fn find(&self, id: Id<Session>, now: Timestamp) -> Option<Arc<Live>> {
        let live = self.live.read().unwrap_or_else(PoisonError::into_inner);
        live.get(&id).filter(|session| session.ends_at > now).cloned()
    }

    /// Notes that an access token of a generation was used.
    pub(super) fn used(live: &Live, generation: u64, now: Timestamp) {
        if live.generation.load(Ordering::Acquire) == generation {
            live.used.store(true, Ordering::Release);
        }
        live.seen_at.store(now.millis(), Ordering::Relaxed);
    }

    /// Opens a session for a member.
    ///
    /// # Errors
    /// `busy` when it cannot be kept.
    pub async fn open(&self, tenant: TenantId, member: MemberId, remember: bool, device: Device) -> Result<Opened> {
        let secret = self.store.entropy().bytes::<32>();
        let work = move |tx: &crate::store::TenantWrite<'_>| {
            let now = tx.now();
            let mut others = Vec::new();
            tx.each::<Session>(|session| {
                if session.member == member || session.ends_at <= now {
                    others.push((session.ends_at <= now, session.created_at, session.id));
                }
                Ok(())
            })?;
            others.sort_unstable_by_key(|(over, made, _)| (!over, *made));
            let over = others.iter().filter(|(over, ..)| *over).count();
            let surplus = (others.len() - over + 1).saturating_sub(PER_MEMBER) + over;
            let mut ended = Vec::new();
            for (.., id) in others.into_iter().take(surplus) {
                tx.remove(id, None)?;
                ended.push(id);
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
                current: hash(&secret),
                previous: [0; 32],
                previous_until: now,
            })?;
            Ok((session, ended))
        };
        let ((session, ended), _) = self.store.write(tenant, Actor::Member(member), work).await?;
        let mut live = self.live.write().unwrap_or_else(PoisonError::into_inner);
        for id in ended {
            live.remove(&id);
        }
        live.insert(session.id, Arc::new(Live::of(tenant, &session, false)));
        Ok(Opened { tenant, refresh: Refresh { tenant, session: session.id, secret }, session })
    }

    /// Renews a session by its refresh token, which is good once (product §4).
    ///
    /// # Errors
    /// `not_signed_in` when the session is over, the token is none of it, or was stolen; the session ends then.
    pub async fn renew(&self, shown: Refresh, device: Device) -> Result<Opened> {
        let refused = || Error::new(Code::NotSignedIn);
        let live = self.find(shown.session, self.store.clock().now()).ok_or_else(refused)?;
        if live.tenant != shown.tenant {
            return Err(refused());
        }
        let secret = self.store.entropy().bytes::<32>();
        let (shown_hash, new_hash) = (hash(&shown.secret), hash(&secret));
        let successor_used = live.used.load(Ordering::Acquire);
        let work = move |tx: &crate::store::TenantWrite<'_>| {
            let now = tx.now();
            let old = tx.find(shown.session)?.ok_or_else(refused)?;
            let newest = shown_hash == old.current;
            let before = shown_hash == old.previous && !successor_used && now <= old.previous_until;
            if !newest && !before {
                tx.remove(shown.session, None)?;
                return Ok(Turn::Theft);
            }
            let renewed = tx.update(shown.session, None, |session| {
                if newest {
                    session.previous = session.current;
                    session.previous_until = now.plus_millis(GRACE);
                }
                session.current = new_hash;
                session.generation += 1;
                session.seen_at = now;
                session.address = device.address;
                Ok(())
            })?;
            Ok(Turn::Renewed(Box::new(renewed)))
        };
        let (turn, _) = self.store.write(shown.tenant, Actor::Member(live.member), work).await?;
        match turn {
            Turn::Renewed(session) => {
                live.used.store(false, Ordering::Release);
                live.generation.store(session.generation, Ordering::Release);
                let refresh = Refresh { tenant: shown.tenant, session: session.id, secret };
                Ok(Opened { tenant: shown.tenant, refresh, session: *session })
            }
            Turn::Theft => {
                tracing::warn!(session = %shown.session, "an old refresh token was shown; the session ends");
                self.forget(shown.session);
                Err(refused())
            }
        }
    }

    /// Ends a session: its next request is refused.
    ///
    /// # Errors
    /// `not_found` when the member has no such session, `busy` when it cannot be written.
    pub async fn end(&self, tenant: TenantId, member: MemberId, id: Id<Session>) -> Result<()> {
        let work = move |tx: &crate::store::TenantWrite<'_>| {
            if tx.get(id)?.member == member { tx.remove(id, None).map(drop) } else { Err(Error::not_found()) }
        };
        self.store.write(tenant, Actor::Member(member), work).await?;
        self.forget(id);
        Ok(())
    }

    /// Ends the session that a refresh token belongs to, if it is the newest or the one before.
    ///
    /// # Errors
    /// `busy` when it cannot be written.
    pub async fn end_by(&self, shown: &Refresh) -> Result<()> {
        let Some(live) = self.find(shown.session, self.store.clock().now()) else { return Ok(()) };
        let (id, hash) = (shown.session, hash(&shown.secret));
        let fits = {
            let snapshot = self.store.snapshot()?;
            let session = snapshot.tenant(live.tenant, None).find(id)?;
            session.is_some_and(|session| session.current == hash || session.previous == hash)
        };
        if fits && live.tenant == shown.tenant {
            self.end(live.tenant, live.member, id).await?;
        }
        Ok(())
    }

    /// Ends all sessions of a member.
    ///
    /// # Errors
    /// `busy` when it cannot be written.
    pub async fn end_all(&self, tenant: TenantId, member: MemberId) -> Result<()> {
        for id in self.of(tenant, member) {
            match self.end(tenant, member, id).await {
                Err(error) if error.code() != Code::NotFound => return Err(error),
                _ => self.forget(id),
            }
        }
        Ok(())
    }

    fn of(&self, tenant: TenantId, member: MemberId) -> Vec<Id<Session>> {
        let live = self.live.read().unwrap_or_else(PoisonError::into_inner);
        live.iter().filter(|(_, s)| s.tenant == tenant && s.member == member).map(|(id, _)| *id).collect()
    }

    fn forget(&self, id: Id<Session>) {
        self.live.write().unwrap_or_else(PoisonError::into_inner).remove(&id);
    }

    /// The member's live sessions, newest first.
    pub(super) fn list(
        snapshot: &Snapshot,
        tenant: TenantId,
        member: MemberId,
        now: Timestamp,
    ) -> Result<Vec<Stored<Session>>> {
        let mut found = Vec::new();
        snapshot.tenant(tenant, None).each::<Session>(|session| {
            if session.member == member && session.ends_at > now {
                found.push(session);
            }
            Ok(())
        })?;
        found.reverse();
        Ok(found)
    }

    /// When any of a member's sessions was last used.
    #[must_use]
    pub fn last_seen(&self, tenant: TenantId, member: MemberId) -> Option<Timestamp> {
        let live = self.live.read().unwrap_or_else(PoisonError::into_inner);
        let times = live.values().filter(|s| s.tenant == tenant && s.member == member);
        times.map(|session| Timestamp::from_millis(session.seen_at.load(Ordering::Relaxed))).max()
    }
}
