//! Tenants of an installation: creation, validation and closing.

pub mod closing;
mod create;
mod model;
pub mod operator;
#[cfg(test)]
mod tests;

pub use self::{
    create::{create_tenant, free_slug},
    model::{NewTenant, Owner, check, check_slug, check_slug_change, domains, note_hosts},
};

use crate::feature::Feature;

/// Feature registration.
pub const FEATURE: Feature = Feature::new("tenants");
