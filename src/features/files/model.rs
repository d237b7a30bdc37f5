//! The record of an uploaded file.

use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;

pub(super) use crate::kernel::media::{MEDIA, is_media, media_of};
use crate::store::{Counters, Lookups, Record, Stored, TenantRecord};

/// Index of the installation's files by media id.
pub(super) const BY_MEDIA: u16 = 1_180;
/// Index of a tenant's files by media id.
pub(super) const OWN_BY_MEDIA: u16 = 1_181;

/// Counter of the bytes that a tenant's files take.
pub(super) const BYTES: &str = "files/bytes";

/// An uploaded file.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileRecord {
    /// 128 random bits as 32 hexadecimal digits.
    pub media: String,
    /// The file's original name.
    pub name: String,
    /// Size in bytes, as stored.
    pub size: u64,
    /// Media type; only pictures are served with it.
    #[serde(rename = "type")]
    pub kind: String,
    /// Width of a picture in pixels; absent for pictures that predate this field.
    pub width: Option<u32>,
    /// Height of a picture in pixels; absent for pictures that predate this field.
    pub height: Option<u32>,
    /// SHA-256 of the stored bytes, in hexadecimal digits; absent for files that predate this field and were not
    /// verified since.
    pub digest: Option<String>,
    /// Whether garbage collection is about to remove the file; no new reference to it is allowed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub doomed: bool,
}

impl FileRecord {
    /// Returns the path at which the file is served.
    pub fn url(&self) -> String {
        format!("{MEDIA}{}", self.media)
    }

    /// Whether the file is a picture that was re-encoded on upload.
    pub fn is_picture(&self) -> bool {
        self.kind.starts_with("image/")
    }
}

impl Record for FileRecord {
    type Key = Self;
    const KIND: &'static str = "file";
    const TABLE: u16 = 34;
    fn lookups(record: &Stored<Self>, out: &mut Lookups) {
        out.global_unique(BY_MEDIA, "file", &record.media);
        out.unique(OWN_BY_MEDIA, "file", &record.media);
    }
    fn counters(record: &Stored<Self>, out: &mut Counters) {
        out.add(BYTES, i64::try_from(record.size).unwrap_or(i64::MAX));
    }
    fn title(&self) -> Option<String> {
        Some(self.name.clone())
    }
}
impl TenantRecord for FileRecord {}
