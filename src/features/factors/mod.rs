//! Second factors: enrolment and removal by the member, passkeys, and reset by an administrator or the operator for a
//! lost device.

mod api;
mod rules;
mod views;

pub use api::Api;
pub use rules::reset_by_operator;
pub use views::{PasskeyAnswer, Password};

use crate::feature::Feature;

/// Feature registration.
pub const FEATURE: Feature = Feature::new("factors");

#[cfg(test)]
mod tests;
