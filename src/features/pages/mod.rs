//! The knowledge base: pages in a tree, drafts that only their author and administrators see, and
//! published ones that everybody reads and finds. Authors find their own drafts.

mod api;
mod model;
pub mod rules;
#[cfg(test)]
mod tests;

pub use api::Api;
pub use model::{Page, PageStatus, clean};

use crate::{
    access::permission::Permission,
    feature::{Feature, LiveKind, Searchable},
};

/// What the house knows of it.
pub const FEATURE: Feature = Feature {
    name: "pages",
    searchable: &[Searchable::of::<Page>()],
    live: &[LiveKind::to_holders_or_restricted::<Page>(Permission::Read, rules::few)],
};
