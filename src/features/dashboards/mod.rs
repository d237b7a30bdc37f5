//! The dashboards: what needs doing and what happened, in figures that are kept as data changes, so that
//! looking at them costs the same with ten records or a million.

mod api;
mod figures;
mod recent;
#[cfg(test)]
mod tests;

pub use api::Api;

use crate::feature::Feature;

/// What the house knows of it.
pub const FEATURE: Feature = Feature { name: "dashboards", searchable: &[], live: &[] };
