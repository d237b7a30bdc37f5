//! Navigation menu in the structure of each layout, with current counts as badges. Entries that a member's role may not
//! use are left out.

mod api;
#[cfg(test)]
mod tests;
mod tree;

pub use api::Api;

use crate::feature::Feature;

/// Registration of the feature.
pub const FEATURE: Feature = Feature::new("navigation");
