//! Uploaded files: pictures, which are re-encoded, and documents, which are only served as downloads. The bytes lie in
//! the data directory; the records are in the store.

mod api;
mod archive;
mod file_store;
mod garbage;
mod incoming;
mod integrity;
mod model;
mod picture;
mod rules;
mod serve;

pub use api::Api;
pub use archive::{DamagedUpload, Names, copy_out, find_damaged, put_back};
pub use file_store::{FileStore, IMPORT_PATH, too_large};
pub use garbage::{Removed, files_in};
pub use incoming::UploadForm;
pub use integrity::ScrubReport;
pub use model::FileRecord;
pub use rules::{by_url, check_picture, check_text, keep_as_is, keep_for, nameable, note_removed, stored_bytes};
pub use serve::media;

use crate::feature::Feature;

/// Feature registration.
pub const FEATURE: Feature = Feature::new("files");

#[cfg(test)]
pub(crate) mod tests;
