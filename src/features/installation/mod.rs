//! What the installation shows of itself before anybody signed in: whose it is, in which colours, its
//! versions and languages, and whether a company can be made here.

mod api;
#[cfg(test)]
mod tests;

pub use api::Api;

use crate::feature::Feature;

/// What the house knows of it.
pub const FEATURE: Feature = Feature { name: "global", searchable: &[], live: &[] };
