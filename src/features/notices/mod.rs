//! What messages and notifications have in common: short items for one person, unread until they are
//! read, newest first, counted, and thrown away when there are too many.

mod api;
pub mod calls;
mod model;
pub mod removal;
pub mod rules;
#[cfg(test)]
mod tests;

pub use api::{Item, New, Patch, Toggle, Unread, View};
pub use model::{Author, Group, Kind, Notice};

use crate::feature::Feature;

/// What the house knows of it.
pub const FEATURE: Feature = Feature { name: "notices", searchable: &[], live: &[] };
