//! Links between records of all kinds that members set by hand. A link belongs to both of its records: all who may see
//! both see it from either, and who may change one of them sets and removes it.

mod api;
mod model;
mod rules;
#[cfg(test)]
mod tests;

pub use api::Api;
pub use model::{LINK_BY_BOTH, LINKS_BY_RECORD, RecordLink};
pub use rules::{is_shown, remove_with_other_end};
