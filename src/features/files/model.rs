//! What is known of an uploaded file.

use serde::{Deserialize, Serialize};

use crate::store::{Counters, Lookups, Record, Stored, TenantRecord};

/// Files of the installation by their media id.
pub(super) const BY_MEDIA: u16 = 1_180;
/// Files of a tenant by their media id.
pub(super) const OWN_BY_MEDIA: u16 = 1_181;

/// The figure of the bytes that a tenant's files take.
pub(super) const BYTES: &str = "files/bytes";

/// The path under which files are served.
pub(super) const MEDIA: &str = "/media/";

/// An uploaded file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileRecord {
    /// 128 random bits as 32 hexadecimal digits: who has them may see the file.
    pub media: String,
    /// What it was called where it came from.
    pub name: String,
    /// Bytes, as it is kept.
    pub size: u64,
    /// Its media type; only pictures are served with it.
    #[serde(rename = "type")]
    pub kind: String,
    /// Pixels, of a picture; not known of those that came before they were kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub width: Option<u32>,
    /// Pixels, of a picture; not known of those that came before they were kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub height: Option<u32>,
    /// SHA-256 of its bytes as it is kept, in hexadecimal digits; none of those that came before it was kept and were
    /// not read through since.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
    /// Whether nothing refers to it and it is about to go: nothing may begin to refer to it then.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub doomed: bool,
}

impl FileRecord {
    /// The path at which it is served.
    #[must_use]
    pub fn url(&self) -> String {
        format!("{MEDIA}{}", self.media)
    }

    /// Whether it is a picture that was written anew here.
    #[must_use]
    pub fn is_picture(&self) -> bool {
        self.kind.starts_with("image/")
    }
}

/// The media id in a path such as ours, when it is one: 32 lower-case hexadecimal digits.
#[must_use]
pub(super) fn media_of(url: &str) -> Option<&str> {
    url.strip_prefix(MEDIA).filter(|id| is_media(id))
}

/// Whether a text can be a media id at all.
#[must_use]
pub(super) fn is_media(id: &str) -> bool {
    id.len() == 32 && id.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

impl Record for FileRecord {
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
