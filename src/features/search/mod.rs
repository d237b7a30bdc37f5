//! Search while typing: customers, members, pages, tasks and chat messages, by kind, within the caller's tenant.

mod api;
mod reasons;
mod screens;
#[cfg(test)]
mod tests;

pub use api::Api;

use crate::feature::Feature;

/// Registration of the feature.
pub const FEATURE: Feature = Feature::new("search");
