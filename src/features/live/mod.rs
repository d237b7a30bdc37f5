//! What happened meanwhile: how an open screen hears that something on it has changed.

mod api;
#[cfg(test)]
mod tests;

pub use api::Api;

use crate::feature::Feature;

/// What the house knows of it.
pub const FEATURE: Feature = Feature { name: "live", searchable: &[] };
