//! E-mailed links, which prove that a person has read the mail. A link has one purpose and is valid once, for a limited
//! time; the store keeps only the hash of its secret, which is made when the e-mail is sent.

use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;

use super::hash::Hash;
use crate::{
    kernel::{Code, Entropy, Error, Id, MemberId, Result, TenantId, Timestamp, hex},
    store::{Lookups, Record, Scan, Snapshot, Stored, TenantRead, TenantRecord, TenantWrite},
};

/// Index of a tenant's links by member.
const BY_MEMBER: u16 = 1_040;
/// Index of a tenant's links by expiry.
const BY_END: u16 = 1_041;
/// Valid secrets of a link: each attempt to send the e-mail makes one, and the oldest becomes invalid.
const SECRETS: usize = 5;
/// Links of one member for one purpose; the oldest is removed first.
const PER_MEMBER: usize = 5;
/// Links that are read at once.
const STEP: usize = 100;

/// The purpose of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Purpose {
    /// To confirm the address of a new account.
    Confirm,
    /// To accept an invitation.
    Invite,
    /// To choose a new password.
    Reset,
    /// To confirm a new address of a member.
    Email,
}

impl Purpose {
    /// The name that clients use.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Confirm => "confirm",
            Self::Invite => "invite",
            Self::Reset => "reset",
            Self::Email => "email",
        }
    }

    /// Seconds for which such a link is valid.
    pub const fn seconds(self) -> i64 {
        match self {
            Self::Reset => 3_600,
            Self::Confirm | Self::Email => 24 * 3_600,
            Self::Invite => 7 * 24 * 3_600,
        }
    }
}

/// A link. Kept until it is used, has expired, or its member is gone.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Link {
    /// The purpose.
    pub purpose: Purpose,
    /// The member.
    pub member: MemberId,
    /// When it expires.
    pub ends_at: Timestamp,
    /// Hashes of the valid secrets, newest last.
    hashes: Vec<Hash>,
    /// The new address, for a change of address.
    pub email: Option<String>,
}

impl Record for Link {
    type Key = Self;
    const KIND: &'static str = "link";
    const TABLE: u16 = 40;
    const LEDGER: bool = false;
    fn lookups(record: &Stored<Self>, out: &mut Lookups) {
        out.multi(BY_MEMBER, record.member.as_bytes());
        out.multi(BY_END, record.ends_at.sortable());
    }
}
impl TenantRecord for Link {}

/// The token in an e-mailed URL: the link's id and a secret.
#[derive(Clone)]
pub struct Token {
    /// The link's tenant.
    pub tenant: TenantId,
    link: Id<Link>,
    secret: [u8; 32],
}

impl Token {
    /// Formats the token as the URL's fragment.
    pub fn to_text(&self) -> String {
        hex::encode(&[self.tenant.as_bytes().as_slice(), self.link.as_bytes(), &self.secret].concat())
    }

    /// Parses the URL's fragment.
    /// Errors: `link_invalid` for any other format.
    pub fn parse(text: &str) -> Result<Self> {
        let read = |bytes: &[u8]| {
            Some(Self {
                tenant: TenantId::from_bytes(bytes.get(..16)?.try_into().ok()?)?,
                link: Id::from_slice(bytes.get(16..32)?)?,
                secret: bytes.get(32..)?.try_into().ok()?,
            })
        };
        hex::decode(text.trim()).and_then(|bytes| read(&bytes)).ok_or_else(invalid)
    }

    /// Finds the link, if the token is valid now.
    /// Errors: `link_invalid` when it was used, has expired, or does not exist.
    pub fn find(&self, snapshot: &Snapshot, now: Timestamp) -> Result<Stored<Link>> {
        find(&snapshot.tenant(self.tenant, None), self, now)
    }
}

/// Without the secret, which must not get into a log.
impl std::fmt::Debug for Token {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Token").field("link", &self.link).finish_non_exhaustive()
    }
}

fn invalid() -> Error {
    Error::new(Code::LinkInvalid)
}

fn find(tx: &TenantRead<'_>, token: &Token, now: Timestamp) -> Result<Stored<Link>> {
    let link = tx.find::<Link>(token.link)?.ok_or_else(invalid)?;
    if link.ends_at > now && link.hashes.contains(&Hash::of(&token.secret)) { Ok(link) } else { Err(invalid()) }
}

fn of(tx: &TenantRead<'_>, member: MemberId) -> Result<Vec<Stored<Link>>> {
    Ok(tx.page(&Scan::with(BY_MEMBER, member.as_bytes()).limit(STEP), |_| true)?.items)
}

/// Creates a link for a member. It cannot be used until [`create_secret`] makes a secret.
pub fn create(tx: &TenantWrite<'_>, purpose: Purpose, member: MemberId, email: Option<String>) -> Result<Id<Link>> {
    remove_expired(tx)?;
    let mut earlier = of(tx, member)?;
    earlier.retain(|link| link.purpose == purpose);
    let surplus = (earlier.len() + 1).saturating_sub(PER_MEMBER);
    for link in earlier.into_iter().take(surplus) {
        tx.remove::<Link>(link.id, None)?;
    }
    let ends_at = tx.now().plus_seconds(purpose.seconds());
    Ok(tx.create(Link { purpose, member, ends_at, hashes: Vec::new(), email })?.id)
}

/// Makes a secret for a link whose e-mail is about to be sent, and returns the URL's fragment; `None` when the link
/// was used or has expired, so that no useless link is sent.
pub fn create_secret(tx: &TenantWrite<'_>, id: Id<Link>, entropy: &Entropy) -> Result<Option<String>> {
    if tx.find::<Link>(id)?.is_none_or(|link| link.ends_at <= tx.now()) {
        return Ok(None);
    }
    let secret = entropy.bytes::<32>();
    tx.update::<Link>(id, None, |link| {
        link.hashes.push(Hash::of(&secret));
        let surplus = link.hashes.len().saturating_sub(SECRETS);
        link.hashes.drain(..surplus);
        Ok(())
    })?;
    Ok(Some(Token { tenant: tx.tenant(), link: id, secret }.to_text()))
}

/// Uses a link up, in the write that does what it is for, with all other links of the member for the same purpose.
/// Errors: `link_invalid` when it was used, has expired, does not exist, or has another purpose.
pub fn take(tx: &TenantWrite<'_>, token: &Token, purposes: &[Purpose]) -> Result<Stored<Link>> {
    let link = find(tx, token, tx.now())?;
    if !purposes.contains(&link.purpose) || token.tenant != tx.tenant() {
        return Err(invalid());
    }
    end(tx, link.member, &[link.purpose])?;
    Ok(link)
}

/// Removes a member's links for some purposes.
pub fn end(tx: &TenantWrite<'_>, member: MemberId, purposes: &[Purpose]) -> Result<()> {
    end_where(tx, member, |link| purposes.contains(&link.purpose))
}

/// Removes all of a member's links, in the write that makes them invalid.
pub fn end_all(tx: &TenantWrite<'_>, member: MemberId) -> Result<()> {
    end_where(tx, member, |_| true)
}

fn end_where(tx: &TenantWrite<'_>, member: MemberId, is_ended: impl Fn(&Link) -> bool) -> Result<()> {
    for link in of(tx, member)?.into_iter().filter(|link| is_ended(link)) {
        tx.remove::<Link>(link.id, None)?;
    }
    Ok(())
}

/// Removes some of the expired links.
fn remove_expired(tx: &TenantWrite<'_>) -> Result<()> {
    let until = tx.now().plus_millis(1).sortable();
    let over = Scan::between(BY_END, Timestamp::from_millis(i64::MIN).sortable(), until).limit(STEP);
    for link in tx.page::<Link>(&over, |_| true)?.items {
        tx.remove::<Link>(link.id, None)?;
    }
    Ok(())
}
