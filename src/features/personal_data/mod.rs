//! Personal data of people who are customers: export of everything about one person, and erasure.

mod api;
mod erasure;
mod export;
mod model;
#[cfg(test)]
mod tests;

pub use api::Api;
pub use erasure::{ErasureWork, begin};
pub use model::PersonErasure;

use crate::feature::Feature;

/// Feature registration.
pub const FEATURE: Feature = Feature::new("personal_data");
