//! The records of an erasure and of a run of the retention in progress.

use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;
use uuid::Uuid;

use crate::{
    features::{customers::Customer, files::FileRecord},
    kernel::{Day, Id, Result},
    store::{Record, Stored, TenantRead, TenantRecord},
};

/// What is done next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ErasureStage {
    /// Those who were merged into the person are erased, too: they are the same.
    Merged,
    /// Records that name the person are read: the files of parts are noted, and names are replaced.
    Records,
    /// History, comments, activities and links are removed, and references cleared.
    Parts,
    /// Responses that are stored for repeated requests are removed.
    Replies,
    /// Files that no other record refers to are removed.
    Files,
    /// Titles in the change feed are replaced.
    Titles,
}

/// The erasure of a person, from the removal of the record until nothing of it is left. Stored under the id of the
/// person. It holds no personal data.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PersonErasure {
    /// What is done next.
    pub stage: ErasureStage,
    /// Where the search of this stage continues.
    #[serde(default, with = "serde_bytes")]
    pub cursor: Option<Vec<u8>>,
    /// The files that the person and the parts of the record named.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<Id<FileRecord>>,
    /// Other records that were removed, whose titles are in the change feed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub titled: Vec<Uuid>,
}

impl Record for PersonErasure {
    type Key = Customer;
    const KIND: &'static str = "person_erasure";
    const TABLE: u16 = 80;
}
impl TenantRecord for PersonErasure {}

/// The daily run of the retention of a company. Stored under the company's own id, so that what it moved before a restart
/// is reported, and a day has one run.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RetentionRun {
    /// How many people were moved to the bin that is not reported yet, by the ids of their statuses.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub moved: Vec<MovedPeople>,
    /// The day in the company's time zone on which the last run ended.
    pub ended_on: Option<Day>,
}

/// How many people with a status were moved.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MovedPeople {
    /// The id of the status.
    pub status: String,
    /// Their number.
    pub people: u64,
}

impl Record for RetentionRun {
    type Key = Self;
    const KIND: &'static str = "retention_run";
    const TABLE: u16 = 79;
    const LEDGER: bool = false;
}
impl TenantRecord for RetentionRun {}

impl RetentionRun {
    /// Returns where a company's run is stored.
    pub fn id(tx: &TenantRead<'_>) -> Id<Self> {
        tx.single_id()
    }

    /// Returns the stored run; a damaged one counts as none.
    pub fn stored(tx: &TenantRead<'_>) -> Result<Option<Stored<Self>>> {
        tx.find_intact(Self::id(tx))
    }

    /// Adds a moved person.
    pub fn count(&mut self, status: &str) {
        match self.moved.iter_mut().find(|moved| moved.status == status) {
            Some(moved) => moved.people += 1,
            None => self.moved.push(MovedPeople { status: status.to_owned(), people: 1 }),
        }
    }
}

#[cfg(test)]
impl RetentionRun {
    /// A run with all fields.
    pub fn in_progress() -> Self {
        let moved = vec![MovedPeople { status: "inactive".to_owned(), people: 3 }];
        Self { moved, ended_on: Some(Day(jiff::civil::date(2026, 11, 20))) }
    }
}

#[cfg(test)]
impl PersonErasure {
    /// An erasure with all fields.
    pub fn in_progress() -> Self {
        Self {
            stage: ErasureStage::Files,
            cursor: Some(vec![7; 16]),
            files: vec![Id::from_bytes([7; 16])],
            titled: vec![Uuid::from_bytes([8; 16])],
        }
    }
}
