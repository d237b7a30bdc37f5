//! The caller's own profile: name, picture, status, permissions, company and preferences.

mod api;

pub use api::{Api, UserView};

use crate::feature::Feature;

/// Feature registration.
pub const FEATURE: Feature = Feature::new("user");
