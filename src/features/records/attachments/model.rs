//! The record of a file on a record.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::{
    features::records::{KindName, content::AttachedFile},
    kernel::media::media_of,
    store::{Lookups, Record, Stored, TenantRecord},
};

/// Index of files by the record that they are on.
pub const ATTACHMENTS_BY_RECORD: u16 = 1_244;
/// Index of attachments by file.
pub const ATTACHMENTS_BY_FILE: u16 = 1_282;

/// A file on a record. The member who created it attached it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordFile {
    /// The kind of the record.
    pub kind: KindName,
    /// The record.
    pub record: Uuid,
    /// The file.
    pub file: AttachedFile,
}

impl Record for RecordFile {
    type Key = Self;
    const KIND: &'static str = "record_file";
    const TABLE: u16 = 38;
    fn lookups(record: &Stored<Self>, out: &mut Lookups) {
        out.multi(ATTACHMENTS_BY_RECORD, record.record.as_bytes());
        if let Some(media) = media_of(&record.file.path) {
            out.multi(ATTACHMENTS_BY_FILE, media);
        }
    }
    fn part_of(&self) -> Option<(String, [u8; 16])> {
        Some((self.kind.kind().kind.to_owned(), self.record.into_bytes()))
    }
}
impl TenantRecord for RecordFile {}
