//! Links that are mailed: whoever shows one has read the mail. A link is good for one thing, once, for a
//! while; the store keeps the hash of its secret only, and the secret is made when the letter is sent.

use serde::{Deserialize, Serialize};

use super::hash::Hash;
use crate::{
    kernel::{Code, Entropy, Error, Id, MemberId, Result, TenantId, Timestamp, hex},
    store::{Lookups, Record, Scan, Snapshot, Stored, TenantRead, TenantRecord, TenantWrite},
};

/// Links of a tenant by their member.
const BY_MEMBER: u16 = 1_040;
/// Links of a tenant by their end.
const BY_END: u16 = 1_041;
/// Secrets that are good at once: letters that were tried to be sent again.
const SECRETS: usize = 5;
/// Links for one purpose that one member may have; the oldest ends first.
const PER_MEMBER: usize = 5;
/// Links that are looked at together.
const STEP: usize = 100;

/// What a link is good for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Purpose {
    /// To show that the address of a new account is one's own.
    Confirm,
    /// To follow an invitation.
    Invite,
    /// To choose a new password.
    Reset,
    /// To show that an address one wants to have is one's own.
    Email,
}

impl Purpose {
    /// The name by which clients know it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Confirm => "confirm",
            Self::Invite => "invite",
            Self::Reset => "reset",
            Self::Email => "email",
        }
    }

    /// Seconds for which such a link is good.
    #[must_use]
    pub const fn seconds(self) -> i64 {
        match self {
            Self::Reset => 3_600,
            Self::Confirm | Self::Email => 24 * 3_600,
            Self::Invite => 7 * 24 * 3_600,
        }
    }

    /// The page that takes the link.
    #[must_use]
    pub const fn page(self) -> &'static str {
        match self {
            Self::Reset => "/reset-password",
            Self::Confirm | Self::Invite | Self::Email => "/activate-account",
        }
    }
}

/// A link. Kept until it is used, over, or its member is gone.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Link {
    /// What it is good for.
    pub purpose: Purpose,
    /// For whom.
    pub member: MemberId,
    /// How long.
    pub ends_at: Timestamp,
    /// The secrets that open it, the newest last.
    hashes: Vec<Hash>,
    /// The address that is to become the member's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub email: Option<String>,
}

impl Record for Link {
    const KIND: &'static str = "link";
    const TABLE: u16 = 40;
    const LEDGER: bool = false;
    fn lookups(record: &Stored<Self>, out: &mut Lookups) {
        out.multi(BY_MEMBER, record.member.as_bytes());
        out.multi(BY_END, record.ends_at.sortable());
    }
}
impl TenantRecord for Link {}

/// What stands in a mailed address: which link, and its secret.
#[derive(Clone)]
pub struct Token {
    /// Whose company's.
    pub tenant: TenantId,
    link: Id<Link>,
    secret: [u8; 32],
}

impl Token {
    /// What stands behind `#`.
    #[must_use]
    pub fn to_text(&self) -> String {
        hex::encode(&[self.tenant.as_bytes().as_slice(), self.link.as_bytes(), &self.secret].concat())
    }

    /// From what stands behind `#`.
    ///
    /// # Errors
    /// `link_invalid` for what no link of ours looks like.
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

    /// The link, when the token opens it now.
    ///
    /// # Errors
    /// `link_invalid` when it was used, is over, or there is none.
    pub fn find(&self, snapshot: &Snapshot, now: Timestamp) -> Result<Stored<Link>> {
        find(&snapshot.tenant(self.tenant, None), self, now)
    }
}

/// Without the secret, which must not come into a log.
impl std::fmt::Debug for Token {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Token").field("link", &self.link).finish_non_exhaustive()
    }
}

fn invalid() -> Error {
    Error::new(Code::LinkInvalid)
}

fn find(tx: &TenantRead<'_>, token: &Token, now: Timestamp) -> Result<Stored<Link>> {
    let link = tx.find(token.link)?.ok_or_else(invalid)?;
    if link.ends_at > now && link.hashes.contains(&Hash::of(&token.secret)) { Ok(link) } else { Err(invalid()) }
}

fn of(tx: &TenantRead<'_>, member: MemberId) -> Result<Vec<Stored<Link>>> {
    Ok(tx.page(&Scan::with(BY_MEMBER, member.as_bytes()).limit(STEP), |_| true)?.items)
}

/// Opens a link for a member. Nothing opens it until [`secret`] was asked for one.
///
/// # Errors
/// `busy` or `internal` when it cannot be kept.
pub fn open(tx: &TenantWrite<'_>, purpose: Purpose, member: MemberId, email: Option<String>) -> Result<Id<Link>> {
    sweep(tx)?;
    let mut earlier = of(tx, member)?;
    earlier.retain(|link| link.purpose == purpose);
    let surplus = (earlier.len() + 1).saturating_sub(PER_MEMBER);
    for link in earlier.into_iter().take(surplus) {
        tx.remove(link.id, None)?;
    }
    let ends_at = tx.now().plus_seconds(purpose.seconds());
    Ok(tx.create(Link { purpose, member, ends_at, hashes: Vec::new(), email })?.id)
}

/// A fresh secret for a link whose letter is about to be sent: what stands behind `#` in the address. None when
/// the link was used or is over, so that nobody is sent one that does nothing.
///
/// # Errors
/// `busy` or `internal` when it cannot be kept.
pub fn secret(tx: &TenantWrite<'_>, id: Id<Link>, entropy: &Entropy) -> Result<Option<String>> {
    if tx.find(id)?.is_none_or(|link| link.ends_at <= tx.now()) {
        return Ok(None);
    }
    let secret = entropy.bytes::<32>();
    tx.update(id, None, |link| {
        link.hashes.push(Hash::of(&secret));
        let surplus = link.hashes.len().saturating_sub(SECRETS);
        link.hashes.drain(..surplus);
        Ok(())
    })?;
    Ok(Some(Token { tenant: tx.tenant(), link: id, secret }.to_text()))
}

/// Uses a link up, in the write that does what it is for. All others that the member has for the same purpose
/// go with it.
///
/// # Errors
/// `link_invalid` when it was used, is over, is none, or is for something else.
pub fn take(tx: &TenantWrite<'_>, token: &Token, purposes: &[Purpose]) -> Result<Stored<Link>> {
    let link = find(tx, token, tx.now())?;
    if !purposes.contains(&link.purpose) || token.tenant != tx.tenant() {
        return Err(invalid());
    }
    end(tx, link.member, &[link.purpose])?;
    Ok(link)
}

/// Ends a member's links for some purposes.
///
/// # Errors
/// `busy` or `internal` when they cannot be read.
pub fn end(tx: &TenantWrite<'_>, member: MemberId, purposes: &[Purpose]) -> Result<()> {
    for link in of(tx, member)?.into_iter().filter(|link| purposes.contains(&link.purpose)) {
        tx.remove(link.id, None)?;
    }
    Ok(())
}

/// Ends all of a member's links: with the write that takes away what they stood on.
///
/// # Errors
/// `busy` or `internal` when they cannot be read.
pub fn end_all(tx: &TenantWrite<'_>, member: MemberId) -> Result<()> {
    end(tx, member, &[Purpose::Confirm, Purpose::Invite, Purpose::Reset, Purpose::Email])
}

/// Removes some of the links that are over.
fn sweep(tx: &TenantWrite<'_>) -> Result<()> {
    let until = tx.now().plus_millis(1).sortable();
    let over = Scan::between(BY_END, Timestamp::from_millis(i64::MIN).sortable(), until).limit(STEP);
    for link in tx.page::<Link>(&over, |_| true)?.items {
        tx.remove(link.id, None)?;
    }
    Ok(())
}
