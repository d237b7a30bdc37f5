//! The ledger: what happened to which record, in the order in which it became durable. Search, audit,
//! live delivery and figures read it; a change and its entry are one commit, so they cannot disagree.

use serde::{Deserialize, Serialize};

use crate::kernel::{MemberId, TenantId, Timestamp};

/// What was done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Op {
    /// The record was made.
    Created,
    /// It was changed.
    Updated,
    /// It was removed.
    Removed,
}

/// Who does it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Actor {
    /// A member, through the web.
    Member(MemberId),
    /// Whoever has a shell on the machine.
    Operator,
    /// Atrium itself: jobs, upgrades, demo data.
    System,
}

impl Actor {
    /// The member, when it is one.
    #[must_use]
    pub const fn member(self) -> Option<MemberId> {
        match self {
            Self::Member(id) => Some(id),
            Self::Operator | Self::System => None,
        }
    }
}

/// An entry of the ledger.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Change {
    /// Its place: rises by one with each change of the installation.
    #[serde(rename = "s")]
    pub seq: u64,
    /// Whose data it concerns.
    #[serde(rename = "t")]
    pub tenant: TenantId,
    /// When.
    #[serde(rename = "a")]
    pub at: Timestamp,
    /// Who did it.
    #[serde(rename = "w")]
    pub actor: Actor,
    /// The person whose own record it is, when it is one's own and not the company's.
    #[serde(rename = "p", default, skip_serializing_if = "Option::is_none")]
    pub person: Option<MemberId>,
    /// The record's kind.
    #[serde(rename = "k")]
    pub kind: String,
    /// The record's id.
    #[serde(rename = "i")]
    pub id: [u8; 16],
    /// The record's version after it.
    #[serde(rename = "v")]
    pub version: u64,
    /// What was done.
    #[serde(rename = "o")]
    pub op: Op,
    /// The names of the fields that changed, for an update.
    #[serde(rename = "f", default, skip_serializing_if = "Vec::is_empty")]
    pub fields: Vec<String>,
    /// The record's title as it was then.
    #[serde(rename = "n", default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
}
