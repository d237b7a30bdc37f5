//! The company as its administrators set it up: name, look, language, time zone and host names.

mod api;
mod mail;
mod model;
mod rules;
#[cfg(test)]
mod tests;

pub use api::Api;

use crate::{
    access::{members::Company, permission::Permission},
    feature::{Feature, LiveKind},
};

/// What the house knows of it.
pub const FEATURE: Feature =
    Feature { name: "settings", searchable: &[], live: &[LiveKind::to_holders::<Company>(Permission::Read)] };
