//! The register of features. Adding one is its folder, its `mod` line and its place in the two lists
//! below; a feature may use those listed before it.

pub mod auth;
pub mod search;
pub mod shortcuts;
pub mod team;
pub mod tenants;
pub mod user;

use crate::feature::{Feature, Searchable};

/// All features, in the order in which they may use each other.
pub const FEATURES: &[&Feature] =
    &[&team::FEATURE, &tenants::FEATURE, &auth::FEATURE, &user::FEATURE, &shortcuts::FEATURE, &search::FEATURE];

/// The calls of all features. Pairs in pairs: poem-openapi's own tuples end at sixteen.
#[must_use]
pub fn api() -> impl poem_openapi::OpenApi + 'static {
    (auth::Api, (user::Api, (shortcuts::Api, search::Api)))
}

/// Everything that can be found.
pub fn searchables() -> impl Iterator<Item = &'static Searchable> {
    FEATURES.iter().flat_map(|feature| feature.searchable)
}
