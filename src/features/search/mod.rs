//! Search as one types: customers and members, pages, tasks, grouped, for the asker's company only.

mod api;
mod screens;
#[cfg(test)]
mod tests;

pub use api::Api;

use crate::feature::Feature;

/// What the house knows of it.
pub const FEATURE: Feature = Feature { name: "search", searchable: &[], live: &[] };
