//! A session as it lies in the store, and what a browser keeps of it.

use serde::{Deserialize, Serialize};

use super::active::State;
use crate::{
    access::hash::Hash,
    kernel::{Id, MemberId, Result, TenantId, Timestamp, hex},
    store::{Lookups, Record, Scan, Stored, TenantRead, TenantRecord, TenantWrite},
};

/// Sessions of a tenant by their member.
const BY_MEMBER: u16 = 1_006;
/// Sessions of a tenant by their end.
const BY_END: u16 = 1_007;
/// Sessions that are looked at together. Nobody has as many.
const STEP: usize = 100;
/// Milliseconds for which the refresh token before the newest stays good, while that is unused.
const GRACE: i64 = 60_000;

/// A session.
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
    /// When it was locked, while it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub locked_at: Option<Timestamp>,
    /// Whether its member showed a second factor.
    #[serde(default)]
    pub second_factor: bool,
    /// When its member last did something, as far as it was known at the last refresh.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) active_at: Option<Timestamp>,
    /// Wrong passwords since it was locked.
    #[serde(default)]
    pub(super) tries: u32,
    /// The newest refresh token.
    pub(super) current: Hash,
    /// The one that was shown for it.
    pub(super) previous: Hash,
    /// How long that stays good, while no successor is used.
    pub(super) previous_until: Timestamp,
    /// Successors of the previous one before the newest. There is one only where the signing key, which successors
    /// are made with, was changed meanwhile.
    #[serde(default)]
    pub(super) siblings: Vec<Hash>,
    /// The generation of the first successor of the previous one.
    #[serde(default)]
    pub(super) since: u64,
}

/// What a refresh token is to a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fit {
    /// The newest, or one that was given out beside it.
    Newest,
    /// The one before, while that is still good.
    Before,
    /// None that is good.
    None,
}

impl Session {
    /// When its member last did something, as far as it is known.
    pub(super) fn active_at(&self) -> Timestamp {
        self.active_at.unwrap_or(self.seen_at)
    }

    /// How it stands.
    pub(in crate::access) const fn state(&self) -> State {
        if self.locked_at.is_some() { State::Locked } else { State::Open }
    }

    /// What a token is to it; `used` says whether a token of its newest generations was used.
    pub(super) fn fit(&self, shown: &Hash, now: Timestamp, used: impl FnOnce(u64) -> bool) -> Fit {
        if *shown == self.current || self.siblings.contains(shown) {
            return Fit::Newest;
        }
        let before = *shown == self.previous && now <= self.previous_until && !used(self.since);
        if before { Fit::Before } else { Fit::None }
    }

    /// Puts the successor of the refresh token that was shown in its place, unless it is there already.
    pub(super) fn turn(&mut self, fit: Fit, shown: Hash, new: Hash, now: Timestamp) {
        self.seen_at = now;
        if new == self.current || self.siblings.contains(&new) {
            return;
        }
        self.generation += 1;
        if fit == Fit::Newest {
            self.previous = shown;
            self.previous_until = now.plus_millis(GRACE);
            self.siblings.clear();
            self.since = self.generation;
        } else {
            self.siblings.push(self.current);
        }
        self.current = new;
    }

    #[cfg(test)]
    pub(super) fn for_tests(member: MemberId, now: Timestamp) -> Self {
        Self {
            member,
            ends_at: now.plus_seconds(43_200),
            remember: false,
            device: String::new(),
            address: String::new(),
            seen_at: now,
            generation: 1,
            locked_at: None,
            second_factor: false,
            active_at: Some(now),
            tries: 0,
            current: Hash::NONE,
            previous: Hash::NONE,
            previous_until: now,
            siblings: Vec::new(),
            since: 1,
        }
    }
}

impl Record for Session {
    const KIND: &'static str = "session";
    const TABLE: u16 = 13;
    const LEDGER: bool = false;
    fn lookups(record: &Stored<Self>, out: &mut Lookups) {
        out.multi(BY_MEMBER, record.member.as_bytes());
        out.multi(BY_END, record.ends_at.sortable());
    }
}
impl TenantRecord for Session {}

/// A member's sessions, oldest first.
pub(super) fn of(tx: &TenantRead<'_>, member: MemberId) -> Result<Vec<Stored<Session>>> {
    Ok(tx.page(&Scan::with(BY_MEMBER, member.as_bytes()).limit(STEP), |_| true)?.items)
}

/// Some of the sessions that are over.
pub(super) fn over(tx: &TenantRead<'_>, now: Timestamp) -> Result<Vec<Stored<Session>>> {
    let until = now.plus_millis(1).sortable();
    Ok(tx.page(&Scan::between(BY_END, Timestamp::from_millis(i64::MIN).sortable(), until).limit(STEP), |_| true)?.items)
}

/// Ends all sessions of a member, in the write that takes away what they stood on: the next request of
/// each is refused.
///
/// # Errors
/// `busy` or `internal` when they cannot be read.
pub fn end_all(tx: &TenantWrite<'_>, member: MemberId) -> Result<()> {
    end_others(tx, member, None).map(drop)
}

/// Ends all sessions of a member but one; how many there were.
///
/// # Errors
/// `busy` or `internal` when they cannot be read.
pub fn end_others(tx: &TenantWrite<'_>, member: MemberId, but: Option<Id<Session>>) -> Result<usize> {
    let mut ended = 0;
    for session in of(tx, member)?.into_iter().filter(|session| Some(session.id) != but) {
        tx.remove(session.id, None)?;
        ended += 1;
    }
    Ok(ended)
}

/// What a browser keeps in its cookie: which session, and the secret of the moment.
#[derive(Clone)]
pub struct Refresh {
    pub(super) tenant: TenantId,
    pub(super) session: Id<Session>,
    pub(super) secret: [u8; 32],
}

impl Refresh {
    /// What the secret of its successor is made of.
    #[must_use]
    pub fn seed(&self) -> Vec<u8> {
        [self.session.as_bytes().as_slice(), &self.secret].concat()
    }

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

/// Without the secret, which must not come into a log.
impl std::fmt::Debug for Refresh {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Refresh").field("session", &self.session).finish_non_exhaustive()
    }
}
