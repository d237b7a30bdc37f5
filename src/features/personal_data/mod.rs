//! Personal data of people who are customers: export of everything about one person, erasure, and retention by status.

mod api;
mod erasure;
mod export;
mod model;
mod retention;
#[cfg(test)]
mod tests;

pub use api::Api;
pub use erasure::{ErasureWork, begin};
pub use model::{PersonErasure, RetentionRun};
pub use retention::apply_retention;

use crate::{
    feature::{Feature, RetentionErasure},
    features::customers::Customer,
    store::Record as _,
};

/// Feature registration.
pub const FEATURE: Feature = Feature::new("personal_data")
    .with_erasure(RetentionErasure { kind: Customer::KIND, begin: erasure::begin_for_retention });
