//! Uploads: pictures, which are decoded and written anew, and documents, which are only ever handed out
//! as downloads. A file lies in the data directory; its record says whose it is.

mod api;
mod model;
mod picture;
mod rules;
mod serve;
mod sound;
mod sweep;
mod travel;
mod vault;

pub use api::Api;
pub use model::FileRecord;
pub use rules::{by_url, may_show};
pub use serve::media;
pub use sound::ReadThrough;
pub use sweep::Swept;
pub use travel::{Lost, Names, copy_out, lost, put_back};
pub use vault::Vault;

use crate::feature::Feature;

/// What the house knows of it.
pub const FEATURE: Feature = Feature { name: "files", searchable: &[], news: &[] };

#[cfg(test)]
pub(crate) mod tests;
