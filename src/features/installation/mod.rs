//! Public information about the installation, available before sign-in: company, appearance, versions, languages and
//! ways to sign in or sign up.

mod api;
#[cfg(test)]
mod tests;

pub use api::Api;

use crate::feature::Feature;

/// Feature registration.
pub const FEATURE: Feature = Feature::new("global");
