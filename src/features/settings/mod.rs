//! Settings of a tenant: name, appearance, language, time zone, host names, sign-in rules, e-mail, and what concerns it in the
//! condition of the server.

mod api;
mod health;
mod mail;
mod model;
mod rules;
#[cfg(test)]
mod tests;

pub use api::Api;
pub use health::{BackupCondition, ServerCondition, ServerWatch};
pub use mail::has_tested_mail;

use crate::{
    feature::{Feature, LiveKind},
    people::{members::Company, permission::Permission},
};

/// Feature registration.
pub const FEATURE: Feature = Feature::new("settings").with_live(&[LiveKind::to_holders::<Company>(Permission::Read)]);
