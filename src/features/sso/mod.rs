//! Single sign-on: whom a company lets vouch for its people, and the way to that provider and back.

mod api;
mod model;
mod rules;

pub use api::Api;

use crate::feature::Feature;

/// What the house knows of it.
pub const FEATURE: Feature = Feature { name: "sso", searchable: &[], live: &[] };

#[cfg(test)]
mod tests;
