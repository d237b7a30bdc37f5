//! Notices: the common part of messages and notifications. Short items for one member, unread until they are read,
//! newest first, counted, and limited in number.

mod api;
pub mod broadcast;
mod excerpts;
mod model;
pub mod removal;
pub mod rules;
pub mod shared_api;
#[cfg(test)]
mod tests;

pub use api::{Item, New, Patch, Toggle, Unread, View};
pub use broadcast::Broadcast;
pub use excerpts::{Excerpt, ExcerptReader};
pub use model::{Author, Copy, Group, Kind, Notice};

use crate::feature::Feature;

/// Registration of the feature.
pub const FEATURE: Feature = Feature::new("notices");
