//! What happened to the company's accounts and settings, as its administrators read it.

mod api;
mod rules;
#[cfg(test)]
mod tests;

pub use api::Api;

use crate::feature::Feature;

/// What the house knows of it.
pub const FEATURE: Feature = Feature { name: "audit", searchable: &[], live: &[] };
