//! Audit log of a tenant's accounts and settings, for its administrators.

mod api;
mod rules;
#[cfg(test)]
mod tests;

pub use api::{Api, each_about};

use crate::feature::Feature;

/// Feature registration.
pub const FEATURE: Feature = Feature::new("audit");
