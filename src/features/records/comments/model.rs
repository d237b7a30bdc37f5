//! The record of a comment, and its validation.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;
use uuid::Uuid;

use crate::{
    features::records::{
        KindName,
        content::{AttachedFile, Mention, Reaction, Reference, Written},
    },
    kernel::{Result, Timestamp, error::Faults, media::media_of},
    store::{Lookups, Record, Stored, TenantRecord},
};

/// Index of comments by record.
pub const COMMENTS_BY_RECORD: u16 = 1_243;
/// Index of comments by attached file.
pub const COMMENTS_BY_FILE: u16 = 1_283;

/// A comment on a record. Its author is the member who created it.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Comment {
    /// The kind of the record.
    pub kind: KindName,
    /// The record.
    pub record: Uuid,
    /// The text, without formatting.
    pub value: String,
    /// When the author last edited it.
    pub edited_at: Option<Timestamp>,
    /// Attached files.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attachments: Vec<AttachedFile>,
    /// Mentioned members.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub mentions: Vec<Mention>,
    /// Records that the text refers to.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub references: Vec<Reference>,
    /// Reactions of members, in the order in which each emoji was first used.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reactions: Vec<Reaction>,
}

impl Comment {
    /// Cleans the text and validates the comment.
    /// Errors: `invalid` with all invalid fields.
    pub fn clean(&mut self) -> Result<()> {
        let mut faults = Faults::default();
        let has_files = !self.attachments.is_empty();
        let Self { value, mentions, references, .. } = self;
        Written { value, has_files, mentions, references }.clean(&mut faults);
        faults.into_result()
    }
}

impl Record for Comment {
    type Key = Self;
    const KIND: &'static str = "comment";
    const TABLE: u16 = 37;
    fn lookups(record: &Stored<Self>, out: &mut Lookups) {
        // Sorted by id, which is the order of writing.
        out.multi(COMMENTS_BY_RECORD, record.record.as_bytes());
        for media in record.attachments.iter().filter_map(|file| media_of(&file.path)).collect::<BTreeSet<_>>() {
            out.multi(COMMENTS_BY_FILE, media);
        }
    }
    fn part_of(&self) -> Option<(String, [u8; 16])> {
        Some((self.kind.kind().kind.to_owned(), self.record.into_bytes()))
    }
}
impl TenantRecord for Comment {}
