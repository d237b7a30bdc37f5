//! The records of merges.

use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;
use uuid::Uuid;

use crate::{
    features::records::{KindName, bulk::BulkState, parts::part_place},
    kernel::{Id, MemberId},
    store::{Counters, Lookups, Record, Stored, TenantRecord},
};

/// Index of the merges in progress.
pub const MERGES_IN_PROGRESS: u16 = 1_255;
/// Index of the parts of merges by merge and place.
pub const MERGE_PARTS: u16 = 1_256;
/// Index of merges by their two records.
pub const MERGES_BY_RECORD: u16 = 1_257;

/// A record that became part of another one.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Merge {
    /// The kind of both.
    pub kind: KindName,
    /// The record that is kept.
    pub kept: Uuid,
    /// Its name after the merge.
    pub kept_title: String,
    /// The record that was merged into it.
    pub duplicate: Uuid,
    /// Its name.
    pub duplicate_title: String,
    /// How far the merge is.
    pub state: BulkState,
    /// The fields of the kept record that the merge changed, as they were before: a patch, as JSON.
    pub before: Option<String>,
    /// The same fields after the merge.
    pub after: Option<String>,
    /// Which sort of things follows next.
    pub phase: u32,
    /// Where the next ones begin.
    pub cursor: Option<Vec<u8>>,
    /// The number of parts that are kept.
    pub parts: u32,
    /// How many things followed.
    pub moved: u64,
    /// After it was undone: how many of them stayed, because they were changed since.
    pub left: u64,
    /// After it was undone: the fields of the kept record that stayed, because they were changed since.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_fields: Vec<String>,
    /// The member who undoes it.
    pub undone_by: Option<MemberId>,
    /// Whether the history of the kept record has an entry of it. Merges from before there were such entries have none.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub in_history: bool,
}

impl Record for Merge {
    type Key = Self;
    const KIND: &'static str = "merge";
    const TABLE: u16 = 73;
    fn lookups(record: &Stored<Self>, out: &mut Lookups) {
        if record.state.is_in_progress() {
            out.multi(MERGES_IN_PROGRESS, []);
        }
        out.multi(MERGES_BY_RECORD, record.kept.as_bytes());
        out.multi(MERGES_BY_RECORD, record.duplicate.as_bytes());
    }
    fn counters(record: &Stored<Self>, out: &mut Counters) {
        out.add(merges_of(record.kind), 1);
    }
}
impl TenantRecord for Merge {}

/// Returns the name of the counter of the merges of a kind.
pub fn merges_of(kind: KindName) -> String {
    format!("merges/{}", kind.kind().kind)
}

/// Something of a duplicate that followed to the kept record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MovedItem {
    /// A comment.
    Comment(Id<()>),
    /// A file.
    File(Id<()>),
    /// A link to another record.
    Link(Id<()>),
    /// An activity.
    Activity(Id<()>),
    /// A record that refers to it.
    Reference(KindName, Id<()>),
}

/// A batch of things that followed in a merge.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MergePart {
    /// The merge.
    pub merge: Id<Merge>,
    /// Its place among the parts of the merge.
    pub place: u32,
    /// What followed.
    pub items: Vec<MovedItem>,
}

impl Record for MergePart {
    type Key = Self;
    const KIND: &'static str = "merge_part";
    const TABLE: u16 = 74;
    fn lookups(record: &Stored<Self>, out: &mut Lookups) {
        out.multi(MERGE_PARTS, part_place(record.merge, record.place));
    }
}
impl TenantRecord for MergePart {}
