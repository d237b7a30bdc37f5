//! Settings of a tenant: name, appearance, language, time zone, host names, sign-in rules and e-mail.

mod api;
mod mail;
mod model;
mod rules;
#[cfg(test)]
mod tests;

pub use api::Api;
pub use mail::has_tested_mail;

use crate::{
    feature::{Feature, LiveKind},
    people::{members::Company, permission::Permission},
};

/// Feature registration.
pub const FEATURE: Feature = Feature::new("settings").with_live(&[LiveKind::to_holders::<Company>(Permission::Read)]);
