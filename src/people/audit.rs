//! Audit log of accounts and access: who did what, to which record, when and from where. Each entry is written by the
//! transaction that makes the change, and is not searchable. It is never changed, except that the name of an erased
//! person is replaced.

use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;

use crate::{
    kernel::{Id, MemberId, Result},
    people::members::{Company, MemberRecord},
    store::{Actor, Lookups, Record, Stored, TenantRecord, TenantWrite},
};

/// Index of a tenant's entries by actor.
pub const BY_ACTOR: u16 = 1_050;
/// Index of a tenant's entries by event.
pub const BY_EVENT: u16 = 1_051;
/// Index of a tenant's entries by time.
pub const BY_TIME: u16 = 1_052;

/// What stands in place of the name of an erased person, in the audit log, the change feed and texts. The interface
/// shows it in the language of the reader.
pub const ERASED_PERSON: &str = "[erased person]";

/// An audit entry. Its fields are private, so that other modules cannot change it.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    event: String,
    actor: Who,
    about: Option<About>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    facts: Vec<(String, String)>,
    address: Option<String>,
}

/// The actor, with the name at that time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Who {
    /// A member.
    Member {
        /// The member's id.
        id: MemberId,
        /// Their name.
        name: String,
    },
    /// The operator: a person with a shell on the machine.
    Operator,
    /// Atrium itself, or an unknown person.
    System,
}

/// The record that was affected.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct About {
    /// The record's kind.
    pub kind: String,
    /// Its id.
    pub id: [u8; 16],
    /// Its name at that time.
    pub name: String,
}

impl Entry {
    /// The event: a key of `audit.*`.
    pub fn event(&self) -> &str {
        &self.event
    }

    /// The actor.
    pub const fn actor(&self) -> &Who {
        &self.actor
    }

    /// The record that was affected.
    pub const fn about(&self) -> Option<&About> {
        self.about.as_ref()
    }

    /// Further details.
    pub fn facts(&self) -> &[(String, String)] {
        &self.facts
    }

    /// The client's address.
    pub fn address(&self) -> Option<&str> {
        self.address.as_deref()
    }
}

impl Record for Entry {
    type Key = Self;
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

/// An audit event that is not written yet.
#[derive(Clone, Debug)]
pub struct Event {
    word: &'static str,
    about: Option<About>,
    facts: Vec<(String, String)>,
    address: Option<String>,
}

impl Event {
    /// Creates an event named by a key of `audit.*`, such as `member.invited`.
    pub const fn new(word: &'static str) -> Self {
        Self { word, about: None, facts: Vec::new(), address: None }
    }

    /// Sets the affected record.
    pub fn about<R: Record>(mut self, record: &Stored<R>, name: &str) -> Self {
        self.about = Some(About { kind: R::KIND.to_owned(), id: *record.id.as_bytes(), name: name.to_owned() });
        self
    }

    /// Sets the affected company.
    pub fn about_company(self, company: &Stored<Company>) -> Self {
        self.about(company, &company.name)
    }

    /// Sets the affected member.
    pub fn about_member(self, member: &Stored<MemberRecord>) -> Self {
        self.about(member, &member.name)
    }

    /// Adds a detail, which must not be a secret.
    pub fn with(mut self, name: &str, value: impl Into<String>) -> Self {
        self.facts.push((name.to_owned(), value.into()));
        self
    }

    /// Sets the client's address.
    pub fn from_address(mut self, address: impl Into<String>) -> Self {
        self.address = Some(address.into());
        self
    }
}

/// Replaces the name of an erased person in an audit entry about them.
pub fn erase_name(tx: &TenantWrite<'_>, id: Id<Entry>, person: [u8; 16]) -> Result<()> {
    let Some(entry) = tx.find_intact::<Entry>(id)? else { return Ok(()) };
    tx.rewrite(&entry, |entry| {
        for about in entry.about.iter_mut().filter(|about| about.id == person) {
            ERASED_PERSON.clone_into(&mut about.name);
        }
    })
}

/// Writes an audit entry, in the transaction that makes the change. When it fails, the change fails as well.
pub fn write(tx: &TenantWrite<'_>, event: Event) -> Result<()> {
    let actor = match tx.actor() {
        Actor::Operator => Who::Operator,
        Actor::System => Who::System,
        Actor::Member(id) => {
            let name = tx.find::<MemberRecord>(id)?.map(|member| member.value.name);
            Who::Member { id, name: name.unwrap_or_default() }
        }
    };
    let Event { word, about, facts, address } = event;
    tx.create(Entry { event: word.to_owned(), actor, about, facts, address }).map(drop)
}
