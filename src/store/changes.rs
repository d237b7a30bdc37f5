//! The change feed (the ledger): which record changed how, in commit order. Search, audit, live delivery and counters
//! read it. A change and its entry share one commit, so they cannot disagree.

use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;

use crate::kernel::{MemberId, TenantId, Timestamp, is_default};

/// The type of change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Op {
    /// The record was created.
    Created,
    /// The record was updated.
    Updated,
    /// The record was removed.
    Removed,
}

/// The originator of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Actor {
    /// A member, over the web.
    Member(MemberId),
    /// A person with a shell on the server.
    Operator,
    /// Atrium itself: jobs, upgrades, demo data.
    System,
}

impl Actor {
    /// Returns the member as an actor, or the system for none.
    pub fn of(member: Option<MemberId>) -> Self {
        member.map_or(Self::System, Self::Member)
    }

    /// Returns the member, if it is one.
    pub const fn member(self) -> Option<MemberId> {
        match self {
            Self::Member(id) => Some(id),
            Self::Operator | Self::System => None,
        }
    }
}

/// An entry of the change feed.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Change {
    /// Sequence number: increases by one with each change in the installation.
    #[serde(rename = "s")]
    pub seq: u64,
    /// The tenant of the record.
    #[serde(rename = "t")]
    pub tenant: TenantId,
    /// When it happened.
    #[serde(rename = "a")]
    pub at: Timestamp,
    /// Who made the change.
    #[serde(rename = "w")]
    pub actor: Actor,
    /// The member whose personal record it is; `None` for a record of the tenant.
    #[serde(rename = "p")]
    pub person: Option<MemberId>,
    /// The record's kind.
    #[serde(rename = "k")]
    pub kind: String,
    /// The record's id.
    #[serde(rename = "i")]
    pub id: [u8; 16],
    /// The record's version after the change.
    #[serde(rename = "v")]
    pub version: u64,
    /// The type of change.
    #[serde(rename = "o")]
    pub op: Op,
    /// Names of the changed fields, for an update.
    #[serde(rename = "f", default, skip_serializing_if = "Vec::is_empty")]
    pub fields: Vec<String>,
    /// The record's title at that time.
    #[serde(rename = "n")]
    pub title: Option<String>,
    /// Kind and id of the record that it is a part of.
    #[serde(rename = "r", default)]
    pub part_of: Option<(String, [u8; 16])>,
    /// Kinds and ids of the other records without which it is not seen. Entries of earlier versions lack them.
    #[serde(rename = "l", default, skip_serializing_if = "Vec::is_empty")]
    pub also_of: Vec<(String, [u8; 16])>,
    /// By how much the change raised or lowered levels (`Record::levels`). Absent for kinds without levels, and in
    /// entries from before they were kept.
    #[serde(rename = "m", default)]
    pub amounts: Option<Vec<(String, i64)>>,
    /// What the change is to people who read about it, unless its type says so.
    #[serde(rename = "y", default)]
    pub act: Option<Act>,
    /// Whether it is left out of the counts of changes by hour, which all members see. Entries of earlier versions are all
    /// counted.
    #[serde(rename = "u", default, skip_serializing_if = "is_default")]
    pub is_uncounted: bool,
}

/// What a change is to people who read about recent changes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Act {
    /// A part of an act that has an entry of its own, or of one that people do not read about.
    Part,
    /// The record came out of the bin.
    Restored,
    /// The member accepted their invitation, or confirmed their address.
    Joined,
    /// An act that changed many records, in an entry of its own (`Act::KIND`).
    Many {
        /// What was done.
        verb: Verb,
        /// The kind of the records.
        kind: String,
        /// The number of the records.
        count: u64,
    },
}

/// What was done to many records.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verb {
    /// They were imported.
    Imported,
    /// Their import was undone.
    ImportUndone,
    /// They were added as sample data.
    SampleAdded,
    /// The sample data was taken away.
    SampleRemoved,
    /// They were changed in bulk.
    Changed,
    /// They were moved to the bin in bulk.
    Removed,
    /// A change in bulk was undone.
    ChangeUndone,
    /// They were put back after they had been removed in bulk.
    RemovalUndone,
    /// One was merged into another.
    Merged,
    /// A merge was undone.
    MergeUndone,
    /// Their tag was renamed, merged or removed.
    TagChanged,
    /// A change of their tag was undone.
    TagChangeUndone,
}

impl Act {
    /// `Change::kind` of the entries of acts that changed many records.
    pub const KIND: &'static str = "act";
}

impl Change {
    /// Whether people read about it: a visible change of a record of the tenant with a title.
    pub(super) fn is_news(&self) -> bool {
        match &self.act {
            _ if self.person.is_some() => false,
            Some(Act::Part) => false,
            Some(Act::Many { .. }) => true,
            _ => self.title.is_some() && (self.op != Op::Updated || !self.fields.is_empty()),
        }
    }
}

/// Which fields of a kind of record have a history.
#[derive(Clone, Copy, Debug)]
pub struct History {
    /// The fields without a history, such as those that the server derives from others.
    pub except: &'static [&'static str],
    /// The fields whose parts have a history of their own, named `field.part`.
    pub in_parts: &'static [&'static str],
}
