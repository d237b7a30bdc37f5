//! Second factors: what a member sets up and takes away, sign-in by passkey, and what an administrator does
//! for somebody who lost the device.

mod api;
mod rules;
mod views;

pub use api::Api;
pub use views::Shown;

use crate::feature::Feature;

/// What the house knows of it.
pub const FEATURE: Feature = Feature { name: "factors", searchable: &[], live: &[] };

#[cfg(test)]
mod tests;
