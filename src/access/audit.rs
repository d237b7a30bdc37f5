//! The record of what happened to accounts and access: who did what to whom, when and from where. Kept by the
//! write that does it, never changed, and not found by search.

use serde::{Deserialize, Serialize};

use super::members::MemberRecord;
use crate::{
    kernel::{Id, MemberId, Result},
    store::{Actor, Lookups, Record, Stored, TenantRecord, TenantWrite},
};

/// Entries of a tenant by who did it.
pub const BY_ACTOR: u16 = 1_050;
/// Entries of a tenant by what happened.
pub const BY_EVENT: u16 = 1_051;
/// Entries of a tenant by when it happened.
pub const BY_TIME: u16 = 1_052;

/// An entry. Its fields cannot be written from outside: what happened stays as it was.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    event: String,
    actor: Who,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    about: Option<About>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    facts: Vec<(String, String)>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    address: Option<String>,
}

/// Who did it, with the name that they had then.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Who {
    /// A member.
    Member {
        /// Who.
        id: MemberId,
        /// Their name.
        name: String,
    },
    /// Whoever has a shell on the machine.
    Operator,
    /// Atrium itself, or somebody whom it does not know.
    System,
}

/// What it was done to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct About {
    /// The record's kind.
    pub kind: String,
    /// Its id.
    pub id: [u8; 16],
    /// The name that it had then.
    pub name: String,
}

impl Entry {
    /// What happened: a word of `audit.*`.
    #[must_use]
    pub fn event(&self) -> &str {
        &self.event
    }

    /// Who did it.
    #[must_use]
    pub const fn actor(&self) -> &Who {
        &self.actor
    }

    /// What it was done to.
    #[must_use]
    pub const fn about(&self) -> Option<&About> {
        self.about.as_ref()
    }

    /// What else is to be known of it.
    #[must_use]
    pub fn facts(&self) -> &[(String, String)] {
        &self.facts
    }

    /// The address that it was done from.
    #[must_use]
    pub fn address(&self) -> Option<&str> {
        self.address.as_deref()
    }
}

impl Record for Entry {
    const KIND: &'static str = "audit_entry";
    const TABLE: u16 = 41;
    const LEDGER: bool = false;
    fn lookups(record: &Stored<Self>, out: &mut Lookups) {
        if let Who::Member { id, .. } = &record.actor {
            out.multi(BY_ACTOR, id.as_bytes());
        }
        out.multi(BY_EVENT, &record.event);
        out.multi(BY_TIME, record.created_at.sortable());
    }
}
impl TenantRecord for Entry {}

/// Something that happened, about to be noted.
#[derive(Clone, Debug)]
pub struct Event {
    word: &'static str,
    about: Option<About>,
    facts: Vec<(String, String)>,
    address: Option<String>,
}

impl Event {
    /// What happened: a word of `audit.*`, as in `member.invited`.
    #[must_use]
    pub const fn new(word: &'static str) -> Self {
        Self { word, about: None, facts: Vec::new(), address: None }
    }

    /// What it was done to.
    #[must_use]
    pub fn about<R: Record>(mut self, id: Id<R>, name: impl Into<String>) -> Self {
        self.about = Some(About { kind: R::KIND.to_owned(), id: *id.as_bytes(), name: name.into() });
        self
    }

    /// The member to whom it was done.
    #[must_use]
    pub fn of(self, member: &Stored<MemberRecord>) -> Self {
        self.about(member.id, member.name.clone())
    }

    /// What else is to be known of it. Never a secret.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<String>) -> Self {
        self.facts.push((name.to_owned(), value.into()));
        self
    }

    /// The address that it was done from.
    #[must_use]
    pub fn from(mut self, address: impl Into<String>) -> Self {
        self.address = Some(address.into());
        self
    }
}

/// Notes what happened, in the write that does it.
///
/// # Errors
/// `busy` or `internal` when it cannot be kept: then it does not happen either.
pub fn note(tx: &TenantWrite<'_>, event: Event) -> Result<()> {
    let actor = match tx.actor() {
        Actor::Operator => Who::Operator,
        Actor::System => Who::System,
        Actor::Member(id) => {
            let name = tx.find::<MemberRecord>(id.cast())?.map(|member| member.value.name);
            Who::Member { id, name: name.unwrap_or_default() }
        }
    };
    let Event { word, about, facts, address } = event;
    tx.create(Entry { event: word.to_owned(), actor, about, facts, address }).map(drop)
}
