//! Navigation: where one can go, as each layout shows it, with live counts of what waits there.
//! Places that a member's role has no use for are left out.

mod api;
#[cfg(test)]
mod tests;
mod tree;

pub use api::Api;

use crate::feature::Feature;

/// What the house knows of it.
pub const FEATURE: Feature = Feature { name: "navigation", searchable: &[], live: &[] };
