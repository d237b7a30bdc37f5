//! The stored session, and the refresh token that a browser keeps.

use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;

use super::active::State;
use crate::{
    access::hash::Hash,
    kernel::{Id, MemberId, Result, TenantId, Timestamp, hex},
    store::{Lookups, Record, Scan, Stored, TenantRead, TenantRecord, TenantWrite},
};

/// Index of a tenant's sessions by member.
const BY_MEMBER: u16 = 1_006;
/// Index of a tenant's sessions by expiry.
const BY_END: u16 = 1_007;
/// Sessions that are read at once. No member has as many.
const STEP: usize = 100;
/// Milliseconds for which the refresh token before the newest stays valid, while the newest is unused.
const GRACE_MILLIS: i64 = 60_000;

/// A session.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Session {
    /// Its member.
    pub member: MemberId,
    /// When it expires at the latest.
    pub ends_at: Timestamp,
    /// Whether the cookie outlives the browser.
    pub remember: bool,
    /// The device, as its browser names itself.
    pub device: String,
    /// The address it was last refreshed from.
    pub address: String,
    /// When it was last refreshed.
    pub seen_at: Timestamp,
    /// Incremented by each refresh.
    pub generation: u64,
    /// When it was locked; absent while it is not.
    pub locked_at: Option<Timestamp>,
    /// Whether its member used a second factor.
    #[serde(default)]
    pub second_factor: bool,
    /// The member's last activity, as known at the last refresh.
    pub(super) active_at: Option<Timestamp>,
    /// Failed attempts to unlock it (wrong passwords and codes) since it was locked.
    #[serde(default)]
    pub(super) tries: u32,
    /// The hash of the newest refresh token.
    pub(super) current: Hash,
    /// The hash of the token that was exchanged for it.
    pub(super) previous: Hash,
    /// Until when that token stays valid, while no successor is used.
    pub(super) previous_until: Timestamp,
    /// Earlier successors of the previous token. There are any only when the signing key, from which successors are
    /// derived, was changed in between.
    #[serde(default)]
    pub(super) siblings: Vec<Hash>,
    /// The generation (not a time) of the previous token's first successor.
    #[serde(default)]
    pub(super) since: u64,
}

/// How a presented refresh token relates to a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fit {
    /// The newest, or another successor of the one before.
    Newest,
    /// The one before, while it is still valid.
    Previous,
    /// Not valid.
    None,
}

impl Session {
    /// Returns the member's last activity, as far as it is known.
    pub(super) fn active_at(&self) -> Timestamp {
        self.active_at.unwrap_or(self.seen_at)
    }

    /// Returns its state.
    pub(in crate::access) const fn state(&self) -> State {
        if self.locked_at.is_some() { State::Locked } else { State::Open }
    }

    /// Returns how a token relates to it; `used` says whether an access token of this generation or later was used.
    pub(super) fn fit(&self, presented: &Hash, now: Timestamp, used: impl FnOnce(u64) -> bool) -> Fit {
        if *presented == self.current || self.siblings.contains(presented) {
            return Fit::Newest;
        }
        let before = *presented == self.previous && now <= self.previous_until && !used(self.since);
        if before { Fit::Previous } else { Fit::None }
    }

    /// Replaces the presented refresh token by its successor, unless that has happened already.
    pub(super) fn rotate_token(&mut self, fit: Fit, presented: Hash, new: Hash, now: Timestamp) {
        self.seen_at = now;
        if new == self.current || self.siblings.contains(&new) {
            return;
        }
        self.generation += 1;
        if fit == Fit::Newest {
            self.previous = presented;
            self.previous_until = now.plus_millis(GRACE_MILLIS);
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
    type Key = Self;
    const KIND: &'static str = "session";
    const TABLE: u16 = 13;
    const LEDGER: bool = false;
    fn lookups(record: &Stored<Self>, out: &mut Lookups) {
        out.multi(BY_MEMBER, record.member.as_bytes());
        out.multi(BY_END, record.ends_at.sortable());
    }
}
impl TenantRecord for Session {}

/// Returns a member's sessions, oldest first.
pub(super) fn of_member(tx: &TenantRead<'_>, member: MemberId) -> Result<Vec<Stored<Session>>> {
    Ok(tx.page(&Scan::with(BY_MEMBER, member.as_bytes()).limit(STEP), |_| true)?.items)
}

/// Returns some of the expired sessions.
pub(super) fn expired(tx: &TenantRead<'_>, now: Timestamp) -> Result<Vec<Stored<Session>>> {
    let until = now.plus_millis(1).sortable();
    Ok(tx.page(&Scan::between(BY_END, Timestamp::from_millis(i64::MIN).sortable(), until).limit(STEP), |_| true)?.items)
}

/// Ends all sessions of a member, in the write that makes them invalid: their next requests are refused.
pub fn end_all(tx: &TenantWrite<'_>, member: MemberId) -> Result<()> {
    end_others(tx, member, None).map(drop)
}

/// Ends all sessions of a member except one. Returns how many there were.
pub fn end_others(tx: &TenantWrite<'_>, member: MemberId, but: Option<Id<Session>>) -> Result<usize> {
    let mut ended = 0;
    for session in of_member(tx, member)?.into_iter().filter(|session| Some(session.id) != but) {
        tx.remove::<Session>(session.id, None)?;
        ended += 1;
    }
    Ok(ended)
}

/// A refresh token, as the browser keeps it in its cookie: the session's id and the current secret.
#[derive(Clone)]
pub struct Refresh {
    pub(super) tenant: TenantId,
    pub(super) session: Id<Session>,
    pub(super) secret: [u8; 32],
}

impl Refresh {
    /// Returns the bytes from which the secret of its successor is derived.
    pub fn seed(&self) -> Vec<u8> {
        [self.session.as_bytes().as_slice(), &self.secret].concat()
    }

    /// Formats the cookie's value.
    pub fn to_text(&self) -> String {
        hex::encode(&[self.tenant.as_bytes().as_slice(), self.session.as_bytes(), &self.secret].concat())
    }

    /// Parses the cookie's value.
    pub fn parse(text: &str) -> Option<Self> {
        let bytes = hex::decode(text).filter(|bytes| bytes.len() == 64)?;
        Some(Self {
            tenant: TenantId::from_bytes(bytes.get(..16)?.try_into().ok()?)?,
            session: Id::from_slice(bytes.get(16..32)?)?,
            secret: bytes.get(32..)?.try_into().ok()?,
        })
    }
}

/// Without the secret, which must not get into a log.
impl std::fmt::Debug for Refresh {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Refresh").field("session", &self.session).finish_non_exhaustive()
    }
}
