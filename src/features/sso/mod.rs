//! Single sign-on with OpenID Connect: the tenant's provider, and the redirects to it and back.

mod api;
mod model;
mod rules;

pub use api::Api;

use crate::feature::Feature;

/// Feature registration.
pub const FEATURE: Feature = Feature::new("sso");

#[cfg(test)]
mod tests;
