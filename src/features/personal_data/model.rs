//! The record of an erasure in progress.

use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;
use uuid::Uuid;

use crate::{
    features::{customers::Customer, files::FileRecord},
    kernel::Id,
    store::{Record, TenantRecord},
};

/// What is done next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ErasureStage {
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
