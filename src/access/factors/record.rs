//! Stored second factors of members. None of them is in the ledger, and no secret gets into a log.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;

use crate::{
    access::hash::Hash,
    kernel::{MemberId, Result, Timestamp},
    store::{Lookups, Record, Scan, Stored, TenantRead, TenantRecord},
};

/// Global index of passkeys by credential.
pub(super) const GLOBAL_CREDENTIAL: u16 = 1_070;
/// Index of a tenant's passkeys by member.
const BY_MEMBER: u16 = 1_071;
/// Passkeys that a member may have.
pub(super) const MOST_PASSKEYS: usize = 10;

/// The secret that an authenticator app shares with the server.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Secret(pub(super) Vec<u8>);

/// Without the secret, which must not get into a log.
impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret")
    }
}

/// A member's authenticator app and recovery codes. Stored under the member's id.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Factors {
    /// The app whose codes are accepted.
    pub(super) app: Option<App>,
    /// An app that has not shown a correct code yet.
    pub(super) pending: Option<Pending>,
    /// Hashes of the unused recovery codes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) recovery: Vec<Hash>,
}

/// An authenticator app.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct App {
    pub(super) secret: Secret,
    /// The time step of the last accepted code: codes of it and of earlier steps are refused.
    pub(super) last_step: u64,
}

/// An authenticator app during its enrolment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Pending {
    pub(super) secret: Secret,
    pub(super) until: Timestamp,
}

impl Record for Factors {
    type Key = crate::kernel::Person;
    const KIND: &'static str = "factors";
    const TABLE: u16 = 43;
    const LEDGER: bool = false;
}
impl TenantRecord for Factors {}

/// A passkey.
#[skip_serializing_none]
#[derive(Clone, Serialize, Deserialize)]
pub struct Passkey {
    /// Its member.
    pub member: MemberId,
    /// The name that the member gave it.
    pub name: String,
    /// When it was last used.
    pub last_used_at: Option<Timestamp>,
    /// The host that it belongs to; browsers offer it at no other.
    pub(super) host: String,
    /// The credential's id, in hexadecimal.
    pub(super) credential: String,
    /// Public key and counter, as the library serializes them.
    pub(super) key: String,
}

/// Without the key.
impl fmt::Debug for Passkey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Passkey").field("member", &self.member).field("name", &self.name).finish_non_exhaustive()
    }
}

impl Record for Passkey {
    type Key = Self;
    const KIND: &'static str = "passkey";
    const TABLE: u16 = 44;
    const LEDGER: bool = false;
    fn lookups(record: &Stored<Self>, out: &mut Lookups) {
        out.global_unique(GLOBAL_CREDENTIAL, "credential", &record.credential);
        out.multi(BY_MEMBER, record.member.as_bytes());
    }
}
impl TenantRecord for Passkey {}

/// Returns a member's app and recovery codes.
pub(super) fn factors(tx: &TenantRead<'_>, member: MemberId) -> Result<Factors> {
    Ok(tx.find::<Factors>(member)?.map(|kept| kept.value).unwrap_or_default())
}

/// Returns a member's passkeys, oldest first.
pub fn passkeys(tx: &TenantRead<'_>, member: MemberId) -> Result<Vec<Stored<Passkey>>> {
    Ok(tx.page(&Scan::with(BY_MEMBER, member.as_bytes()).limit(MOST_PASSKEYS * 2), |_| true)?.items)
}
