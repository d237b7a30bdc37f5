//! Dashboards. They read counters that are maintained as data changes, so that their cost is the same for ten records
//! or a million.

#[cfg(test)]
mod act_tests;
mod api;
#[cfg(test)]
mod figure_tests;
mod figures;
mod recent;
#[cfg(test)]
mod tests;

pub use api::Api;

use crate::feature::Feature;

/// Feature registration.
pub const FEATURE: Feature = Feature::new("dashboards");
