//! Queue of e-mails: their records and rate limits.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::kind::{Kind, Page};
use crate::{
    kernel::{Error, Id, MemberId, Result, Timestamp, i18n::Locale, text},
    store::{Lookups, Record, Scan, Stored, TenantRecord, TenantWrite},
};

/// Index of all tenants' e-mails by due time.
pub(super) const BY_DUE: u16 = 1_060;
/// Index of a tenant's e-mails by kind and address.
const BY_RECIPIENT: u16 = 1_061;
/// Index of all tenants' e-mails by kind and address.
pub(super) const GLOBAL_BY_RECIPIENT: u16 = 1_062;
/// Maximum of e-mails of one kind to one address per hour.
pub(super) const MAX_PER_HOUR: usize = 5;
/// Maximum of e-mails of one kind to one address per hour, about events from all IP addresses together.
const MAX_PER_HOUR_FROM_ALL: usize = 20;
/// Milliseconds per hour.
pub(super) const HOUR_MILLIS: i64 = 3_600_000;

/// The delivery state of an e-mail.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum State {
    /// Waiting for the next attempt.
    #[default]
    Waiting,
    /// Accepted by a server.
    Sent,
    /// Stored in the data directory, because no mail server is configured.
    Kept,
    /// Delivery failed for good.
    Failed,
    /// No longer worth sending.
    Dropped,
}

impl State {
    /// Returns its name in lists.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Sent => "sent",
            Self::Kept => "kept",
            Self::Failed => "failed",
            Self::Dropped => "dropped",
        }
    }
}

/// A queued e-mail. Never part of the change feed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Email {
    /// What the e-mail is about.
    pub kind: Kind,
    /// The recipient's address, in canonical form.
    pub to: String,
    /// The recipient's name, if known.
    pub name: String,
    /// The code of its language.
    pub locale: String,
    /// The member who receives it. Without that member it is no longer sent.
    #[serde(default)]
    pub member: Option<MemberId>,
    /// The id of its link's record.
    #[serde(default)]
    pub link: Option<[u8; 16]>,
    /// The delivery state.
    #[serde(default)]
    pub state: State,
    /// When to process it next: the next attempt while it is waiting, its removal afterwards.
    pub due: Timestamp,
    /// Number of attempts so far.
    #[serde(default)]
    pub attempts: u32,
    /// The error of the last attempt.
    #[serde(default)]
    pub error: Option<String>,
}

impl Email {
    /// Creates an e-mail to an address in canonical form.
    pub fn new(kind: Kind, to: &str, name: &str, locale: Locale) -> Self {
        Self {
            kind,
            to: to.to_owned(),
            name: text::line(name),
            locale: locale.code().to_owned(),
            member: None,
            link: None,
            state: State::Waiting,
            due: Timestamp::default(),
            attempts: 0,
            error: None,
        }
    }

    /// Sets the member: if the member is removed, the e-mail is not sent.
    pub const fn for_member(mut self, member: MemberId) -> Self {
        self.member = Some(member);
        self
    }

    /// Sets the link, by the id of its record.
    pub const fn with_link(mut self, link: [u8; 16]) -> Self {
        self.link = Some(link);
        self
    }

    fn recipient_key(&self) -> Vec<u8> {
        recipient_key(self.kind.word(), &self.to)
    }
}

/// Returns the index key of e-mails of a kind to an address.
pub(super) fn recipient_key(kind: &str, to: &str) -> Vec<u8> {
    [kind.as_bytes(), b"\0", to.as_bytes()].concat()
}

impl Record for Email {
    type Key = Self;
    const KIND: &'static str = "letter";
    const TABLE: u16 = 42;
    const LEDGER: bool = false;
    fn lookups(record: &Stored<Self>, out: &mut Lookups) {
        out.global(BY_DUE, record.due.sortable());
        out.multi(BY_RECIPIENT, record.recipient_key());
        out.global(GLOBAL_BY_RECIPIENT, record.recipient_key());
    }
}
impl TenantRecord for Email {}

/// Queues an e-mail in the transaction of the change that causes it. Returns whether it was queued: an address gets at
/// most five an hour of a kind. Warnings about events from an IP address are counted per IP address, up to twenty an
/// hour in total, so that a member's own sign-ins do not suppress the warning about a foreign one.
/// Errors: `internal` if the kind needs a link and the e-mail has none, or the other way round.
pub fn queue(tx: &TenantWrite<'_>, mut email: Email) -> Result<bool> {
    if matches!(email.kind.page(), Page::Token(_)) != email.link.is_some() {
        return Err(Error::internal("an e-mail without its link, or with a link that its kind does not take"));
    }
    let since = tx.now().plus_millis(-HOUR_MILLIS);
    let recent = Scan::with(BY_RECIPIENT, email.recipient_key()).reversed(true).limit(MAX_PER_HOUR_FROM_ALL);
    let recent = tx.page::<Email>(&recent, |other| other.created_at > since)?.items;
    let alike = recent.iter().filter(|other| other.kind.ip_address() == email.kind.ip_address()).count();
    if alike >= MAX_PER_HOUR || recent.len() >= MAX_PER_HOUR_FROM_ALL {
        tracing::warn!(kind = email.kind.word(), "mail: not sent, too many emails to this address");
        return Ok(false);
    }
    email.due = tx.now();
    tx.create(email)?;
    Ok(true)
}

/// Removes a record from a queued or sent e-mail, by the id in its links: a notification altogether, from a
/// digest its items.
pub fn forget_record(tx: &TenantWrite<'_>, id: Id<Email>, record: Uuid) -> Result<()> {
    let Some(email) = tx.find_intact::<Email>(id)? else { return Ok(()) };
    let record = record.to_string();
    match &email.kind {
        Kind::Notification { link, .. } if link.contains(&record) => tx.remove::<Email>(id, None).map(drop),
        Kind::Digest { .. } => tx.rewrite(&email, |email| {
            if let Kind::Digest { items, .. } = &mut email.kind {
                items.retain(|item| item.link.as_ref().is_none_or(|link| !link.contains(&record)));
            }
        }),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        kernel::{Clock, Code, Entropy, TenantId},
        mail::Device,
        store::{Actor, Store},
    };

    fn email(kind: Kind) -> Email {
        Email::new(kind, "ada@acme.example", "Ada\r\nBcc: all@acme.example", Locale::EN)
    }

    #[tokio::test]
    async fn queues_at_most_five_emails_of_a_kind_per_hour_and_address() {
        let folder = tempfile::tempdir().unwrap();
        let clock = Clock::stopped(Timestamp::from_millis(1_700_000_000_000));
        let store = Store::open(&folder.path().join("store.redb"), clock.clone(), Entropy::seeded(1)).unwrap();
        let tenant = TenantId::from_bytes([7; 16]).unwrap();
        let queue = async |email| {
            let work = move |tx: &TenantWrite<'_>| queue(tx, email);
            store.write(tenant, Actor::System, work).await.map(|(queued, _)| queued)
        };
        for _ in 0..MAX_PER_HOUR {
            assert!(queue(email(Kind::AlreadyMember)).await.unwrap());
        }
        assert!(!queue(email(Kind::AlreadyMember)).await.unwrap());
        // The member's own sign-ins from new devices do not use up the warnings about foreign ones.
        let device = |address: &str| Device { name: "Firefox".into(), address: address.into() };
        let from = |address: &str| email(Kind::NewDevice { from: device(address) });
        for _ in 0..MAX_PER_HOUR {
            assert!(queue(from("192.0.2.1")).await.unwrap());
        }
        assert!(!queue(from("192.0.2.1")).await.unwrap());
        for n in 0..MAX_PER_HOUR_FROM_ALL - MAX_PER_HOUR {
            assert!(queue(from(&format!("203.0.113.{n}"))).await.unwrap());
        }
        assert!(!queue(from("198.51.100.1")).await.unwrap(), "the limit for all IP addresses");
        assert!(queue(email(Kind::Test)).await.unwrap(), "another kind has its own limit");
        clock.advance(HOUR_MILLIS);
        assert!(queue(email(Kind::AlreadyMember)).await.unwrap());
        assert_eq!(store.snapshot().unwrap().last_change().unwrap(), 0, "e-mails are not in the ledger");
    }

    #[tokio::test]
    async fn rejects_an_email_whose_link_does_not_match_its_kind() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(&folder.path().join("store.redb"), Clock::system(), Entropy::seeded(1)).unwrap();
        let tenant = TenantId::from_bytes([7; 16]).unwrap();
        for wrong in [email(Kind::Reset), email(Kind::Test).with_link([1; 16])] {
            let work = move |tx: &TenantWrite<'_>| queue(tx, wrong);
            assert_eq!(store.write(tenant, Actor::System, work).await.unwrap_err().code(), Code::Internal);
        }
        assert_eq!(email(Kind::Test).name, "Ada Bcc: all@acme.example");
    }
}
