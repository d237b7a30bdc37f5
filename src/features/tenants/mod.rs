//! The companies of an installation, as the operator makes and sees them.

pub mod closing;
mod founding;
mod model;
pub mod operator;
#[cfg(test)]
mod tests;

pub use self::{
    founding::{found, free_slug},
    model::{NewTenant, Owner, check, check_slug, check_slug_change, domains, note_hosts},
};

use crate::feature::Feature;

/// What the house knows of it.
pub const FEATURE: Feature = Feature { name: "tenants", searchable: &[], live: &[] };
