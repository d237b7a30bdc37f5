//! Shortcuts: places that a member wants one click away. They belong to one member; a new one goes on top.

mod api;
mod model;
pub mod rules;

#[cfg(test)]
mod tests;

pub use api::Api;
pub use model::Shortcut;

use crate::feature::{Feature, LiveKind};

/// What the house knows of it.
pub const FEATURE: Feature = Feature { name: "shortcuts", searchable: &[], live: &[LiveKind::to_owner::<Shortcut>()] };
