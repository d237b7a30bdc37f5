//! The records of bulk changes.

use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;

use crate::{
    features::records::{KindName, parts::part_place},
    kernel::{Error, Id, MemberId, is_default},
    store::{Lookups, Record, Stored, TenantRecord},
};

/// Index of bulk changes by author.
pub const BULK_BY_AUTHOR: u16 = 1_248;
/// Index of the bulk changes in progress.
pub const BULK_IN_PROGRESS: u16 = 1_249;
/// Index of the parts of bulk changes by change and place.
pub const PARTS_BY_PLACE: u16 = 1_250;

/// A change of many records. It belongs to the member who began it.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BulkChange {
    /// The kind of the records.
    pub kind: KindName,
    /// What is done to each.
    pub action: BulkAction,
    /// How far it is.
    pub state: BulkState,
    /// The number of records.
    pub total: u64,
    /// The number of records of each part but the last.
    #[serde(default = "first_part_size", skip_serializing_if = "is_first_part_size")]
    pub part_size: u32,
    /// How many of them have been looked at.
    pub done: u64,
    /// How many were changed.
    pub changed: u64,
    /// How many could not be changed.
    pub skipped: u64,
    /// The first of those.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub skips: Vec<BulkSkip>,
    /// How many have been looked at to undo the change.
    pub undo_done: u64,
    /// How many were undone.
    pub undone: u64,
    /// How many could not be undone. They can be tried again.
    #[serde(default, skip_serializing_if = "is_default")]
    pub undo_skipped: u64,
    /// The first of those.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub undo_skips: Vec<BulkSkip>,
    /// The member who undid it.
    pub undone_by: Option<MemberId>,
}

/// The size of the parts of changes that are stored without one.
const FIRST_PART_SIZE: u32 = 250;

const fn first_part_size() -> u32 {
    FIRST_PART_SIZE
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks with a reference")]
const fn is_first_part_size(size: &u32) -> bool {
    *size == FIRST_PART_SIZE
}

/// What a bulk change does to each record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BulkAction {
    /// Changes fields and tags.
    Change {
        /// The patch, as JSON.
        patch: String,
        /// Tags to add.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        add_tags: Vec<String>,
        /// Tags to take away.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        remove_tags: Vec<String>,
    },
    /// Changes it in a way of its kind's own, of this name.
    Own(String),
    /// Moves it to the bin.
    Remove,
}

/// How far a bulk change is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, poem_openapi::Enum)]
#[oai(rename = "BulkState", rename_all = "lowercase")]
#[serde(rename_all = "snake_case")]
pub enum BulkState {
    /// It is being applied.
    Running,
    /// It was applied to all records.
    Done,
    /// It was stopped before its end.
    Stopped,
    /// It is being undone.
    Undoing,
    /// It was undone.
    Undone,
}

impl BulkState {
    /// Whether there is work left.
    pub const fn is_in_progress(self) -> bool {
        matches!(self, Self::Running | Self::Undoing)
    }
}

/// A record that could not be changed, or whose change could not be undone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BulkSkip {
    /// Its id.
    pub id: Id<()>,
    /// The reason: the code of the error.
    pub reason: String,
}

impl BulkSkip {
    /// Names a record that was refused.
    pub fn of(id: Id<()>, error: &Error) -> Self {
        Self { id, reason: error.code().as_str().to_owned() }
    }
}

impl Record for BulkChange {
    type Key = Self;
    const KIND: &'static str = "bulk_change";
    const TABLE: u16 = 54;
    fn lookups(record: &Stored<Self>, out: &mut Lookups) {
        if let Some(author) = record.created_by {
            out.multi(BULK_BY_AUTHOR, author.as_bytes());
        }
        if record.state.is_in_progress() {
            out.multi(BULK_IN_PROGRESS, []);
        }
    }
}
impl TenantRecord for BulkChange {}

/// Some of the records of a bulk change, and how they were before.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BulkPart {
    /// The change.
    pub change: Id<BulkChange>,
    /// Its place among the parts of the change.
    pub place: u32,
    /// The ids of the records.
    pub ids: Vec<Id<()>>,
    /// How to undo what was done, in the same order; as many as have been looked at.
    pub undo: Vec<Option<BulkUndo>>,
}

/// How to undo the change of a record.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BulkUndo {
    /// The version of the record after the change.
    pub version: u64,
    /// The digest of its contents after the change; empty for a record in the bin, and in changes of earlier versions.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub digest: String,
    /// The patch that undoes it, as JSON; none for a record in the bin.
    pub patch: Option<String>,
    /// A record that was created for it, and is removed unless others refer to it then.
    pub created: Option<BulkCreated>,
}

/// A record that was created for the change of another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BulkCreated {
    /// Its kind.
    pub kind: KindName,
    /// Its id.
    pub id: Id<()>,
}

impl Record for BulkPart {
    type Key = Self;
    const KIND: &'static str = "bulk_part";
    const TABLE: u16 = 55;
    fn lookups(record: &Stored<Self>, out: &mut Lookups) {
        out.multi(PARTS_BY_PLACE, part_place(record.change, record.place));
    }
}
impl TenantRecord for BulkPart {}
