//! The register of features. Adding one is its folder, its `mod` line and its place in the two lists
//! below; a feature may use those listed before it.

pub mod auth;
pub mod messages;
pub mod notices;
pub mod notifications;
pub mod pages;
pub mod search;
pub mod settings;
pub mod shortcuts;
pub mod team;
pub mod tenants;
pub mod user;

use crate::feature::{Feature, Searchable};

/// All features, in the order in which they may use each other.
// One a line, so that two who add theirs at once do not meet.
pub const FEATURES: &[&Feature] = &[
    &team::FEATURE,
    &tenants::FEATURE,
    &settings::FEATURE,
    &user::FEATURE,
    &auth::FEATURE,
    &notices::FEATURE,
    &messages::FEATURE,
    &notifications::FEATURE,
    &shortcuts::FEATURE,
    &search::FEATURE,
    &pages::FEATURE,
];

/// The calls of all features. Pairs in pairs: poem-openapi's own tuples end at sixteen.
#[must_use]
pub fn api() -> impl poem_openapi::OpenApi + 'static {
    let panels = (shortcuts::Api, (messages::Api, notifications::Api));
    let company = (team::Api, settings::Api);
    let plans = pages::Api;
    (auth::Api, (user::Api, (search::Api, (panels, (company, plans)))))
}

/// Everything that can be found.
pub fn searchables() -> impl Iterator<Item = &'static Searchable> {
    FEATURES.iter().flat_map(|feature| feature.searchable)
}
