//! The caller as the shell shows them: name, picture, status, rights, company, and the choices of their own.

mod api;

pub use api::{Api, UserView};

use crate::feature::Feature;

/// What the house knows of it.
pub const FEATURE: Feature = Feature { name: "user", searchable: &[], live: &[] };
