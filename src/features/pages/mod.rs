//! Knowledge base: a tree of pages. Drafts are visible to their author and to administrators, published pages to all
//! members. Search finds published pages and the searcher's own drafts.

mod api;
mod model;
pub mod rules;
#[cfg(test)]
mod tests;

pub use api::Api;
pub use model::{Page, PageStatus, clean};

use crate::{
    feature::{Feature, LiveKind, Searchable},
    people::permission::Permission,
};

/// Feature registration.
pub const FEATURE: Feature = Feature {
    name: "pages",
    searchable: &[Searchable::of::<Page>()],
    live: &[LiveKind::to_holders_or_restricted::<Page>(Permission::Read, rules::restrict_never_published)],
};
