//! The records of tags.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;

use crate::{
    feature::Color,
    features::records::{KindName, bulk::BulkState, parts::part_place},
    kernel::{Id, MemberId, Result, is_default, text},
    store::{Lookups, Record, Stored, TenantRead, TenantRecord, TenantWrite},
};

/// Index of the changes of tags in progress.
pub const TAGS_IN_PROGRESS: u16 = 1_253;
/// Index of the parts of changes of tags by change and place.
pub const TAG_PARTS_BY_PLACE: u16 = 1_254;

/// The colors of a company's tags. Stored under the company's own id once a tag has one.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TagRegister {
    /// The colors by tag.
    pub colors: BTreeMap<String, Color>,
}

impl Record for TagRegister {
    type Key = Self;
    const KIND: &'static str = "tags";
    const TABLE: u16 = 64;
}
impl TenantRecord for TagRegister {}

impl TagRegister {
    fn id(tx: &TenantRead<'_>) -> Id<Self> {
        tx.single_id()
    }

    /// Returns the register of the company; an empty one when it is damaged.
    pub fn of(tx: &TenantRead<'_>) -> Result<Self> {
        Ok(tx.find_intact(Self::id(tx))?.map(|stored| stored.value).unwrap_or_default())
    }

    /// Stores the register.
    pub fn save(self, tx: &TenantWrite<'_>) -> Result<()> {
        let id = Self::id(tx);
        if tx.find_intact::<Self>(id)?.is_none() {
            return tx.create_at(id, self).map(drop);
        }
        tx.update(id, None, |register: &mut Self| {
            *register = self;
            Ok(())
        })
        .map(drop)
    }
}

/// A tag that is renamed, merged into another or removed, in the records of all kinds.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TagChange {
    /// The tag.
    pub from: String,
    /// What it becomes; none when it is removed.
    pub to: Option<String>,
    /// How far the change is.
    pub state: BulkState,
    /// The kind whose records come next; none when all have been looked through.
    pub kind: Option<KindName>,
    /// Where those records begin.
    pub cursor: Option<Vec<u8>>,
    /// How many records had the tag when the change began.
    pub total: u64,
    /// How many were changed.
    pub changed: u64,
    /// How many could not be changed.
    pub skipped: u64,
    /// How many were given the tag back.
    pub undone: u64,
    /// How many could not be undone. They can be tried again.
    #[serde(default, skip_serializing_if = "is_default")]
    pub undo_skipped: u64,
    /// The first of those.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub undo_skips: Vec<TagSkip>,
    /// While it is undone: the number of parts that have not been looked at; none for all.
    pub undo_parts: Option<u32>,
    /// The number of parts that are kept.
    pub parts: u32,
    /// The color that the tag had.
    pub color: Option<Color>,
    /// Whether the other tag had no color, and so got this one.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub passed_color: bool,
    /// The member who undoes it.
    pub undone_by: Option<MemberId>,
    /// The first records that it changed, with their kinds, from which follows who may read of it. They stay when it is undone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub first: Vec<(KindName, Id<()>)>,
}

/// A record whose tags could not be put back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TagSkip {
    /// Its kind.
    pub kind: KindName,
    /// Its id.
    pub id: Id<()>,
    /// The reason: the code of the error.
    pub reason: String,
}

impl TagChange {
    /// Returns tags after the change.
    pub fn apply_to(&self, tags: &[String]) -> Vec<String> {
        let changed = tags.iter().filter_map(|tag| if *tag == self.from { self.to.as_ref() } else { Some(tag) });
        text::tags(&changed.collect::<Vec<_>>())
    }
}

impl Record for TagChange {
    type Key = Self;
    const KIND: &'static str = "tag_change";
    const TABLE: u16 = 65;
    fn lookups(record: &Stored<Self>, out: &mut Lookups) {
        if record.state.is_in_progress() {
            out.multi(TAGS_IN_PROGRESS, []);
        }
    }
}
impl TenantRecord for TagChange {}

/// Some of the records that a change of a tag has changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TagPart {
    /// The change.
    pub change: Id<TagChange>,
    /// Its place among the parts of the change.
    pub place: u32,
    /// The kind of the records.
    pub kind: KindName,
    /// The records.
    pub records: Vec<TagUndo>,
}

/// The tags that a record had before.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TagUndo {
    /// Its id.
    pub id: Id<()>,
    /// Its tags.
    pub tags: Vec<String>,
}

impl Record for TagPart {
    type Key = Self;
    const KIND: &'static str = "tag_part";
    const TABLE: u16 = 66;
    fn lookups(record: &Stored<Self>, out: &mut Lookups) {
        out.multi(TAG_PARTS_BY_PLACE, part_place(record.change, record.place));
    }
}
impl TenantRecord for TagPart {}
