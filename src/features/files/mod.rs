//! Uploaded files: pictures, which are re-encoded, and documents, which are only served as downloads. The bytes lie in
//! the data directory; the records are in the store.

mod api;
mod archive;
mod file_store;
mod garbage;
mod model;
mod picture;
mod rules;
mod serve;
mod sound;

pub use api::Api;
pub use archive::{Lost, Names, copy_out, lost, put_back};
pub use file_store::FileStore;
pub use garbage::Removed;
pub use model::FileRecord;
pub use rules::{by_url, may_show};
pub use serve::media;
pub use sound::ReadThrough;

use crate::feature::Feature;

/// Feature registration.
pub const FEATURE: Feature = Feature { name: "files", searchable: &[], live: &[] };

#[cfg(test)]
pub(crate) mod tests;
