//! Shortcuts: a member's private bookmarks. A new one is placed on top.

mod api;
mod model;
pub mod rules;

#[cfg(test)]
mod tests;

pub use api::Api;
pub use model::Shortcut;

use crate::feature::{Feature, LiveKind};

/// Registration of the feature.
pub const FEATURE: Feature = Feature::new("shortcuts").with_live(&[LiveKind::to_owner::<Shortcut>()]);
