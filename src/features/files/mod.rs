//! Uploads: pictures, which are decoded and written anew, and documents, which are only ever handed out
//! as downloads. A file lies in the data directory; its record says whose it is.

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
pub use garbage::Swept;
pub use model::FileRecord;
pub use rules::{by_url, may_show};
pub use serve::media;
pub use sound::ReadThrough;

use crate::feature::Feature;

/// What the house knows of it.
pub const FEATURE: Feature = Feature { name: "files", searchable: &[], live: &[] };

#[cfg(test)]
pub(crate) mod tests;
