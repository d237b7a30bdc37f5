//! A session as it lies in the store, and what a browser keeps of it.

use serde::{Deserialize, Serialize};

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
    /// The newest refresh token.
    pub(super) current: Hash,
    /// The one that was shown for it.
    pub(super) previous: Hash,
    /// How long that stays good, while no successor is used.
    pub(super) previous_until: Timestamp,
    /// Successors of the previous one before the newest: whoever asked twice may hold any of them.
    #[serde(default)]
    pub(super) siblings: Vec<Hash>,
    /// The generation of the first successor of the previous one.
    #[serde(default)]
    pub(super) since: u64,
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
    for session in of(tx, member)? {
        tx.remove(session.id, None)?;
    }
    Ok(())
}

/// What a browser keeps in its cookie: which session, and the secret of the moment.
#[derive(Clone)]
pub struct Refresh {
    pub(super) tenant: TenantId,
    pub(super) session: Id<Session>,
    pub(super) secret: [u8; 32],
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

/// Without the secret, which must not come into a log.
impl std::fmt::Debug for Refresh {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Refresh").field("session", &self.session).finish_non_exhaustive()
    }
}
