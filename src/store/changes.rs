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
    /// Whether it is left out of the counts of changes by hour, which all members see. Entries of earlier versions are all
    /// counted.
    #[serde(rename = "u", default, skip_serializing_if = "is_default")]
    pub is_uncounted: bool,
}

impl Change {
    /// Whether the counts of changes by hour have it.
    pub(super) const fn is_counted(&self) -> bool {
        self.person.is_none() && !self.is_uncounted
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
