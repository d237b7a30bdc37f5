//! The first hour of a new company: which steps of setting it up are done, and sample data that can be added and taken
//! away again.

mod api;
mod model;
mod rules;
mod sample;
#[cfg(test)]
mod tests;

pub use api::Api;
pub use model::{SampleData, SetupCard};

use crate::{
    feature::{Feature, LiveKind},
    people::permission::Permission,
};

/// Feature registration.
pub const FEATURE: Feature = Feature::new("setup")
    .with_live(&[LiveKind::to_holders::<SampleData>(Permission::SettingsCompany), LiveKind::to_owner::<SetupCard>()]);
