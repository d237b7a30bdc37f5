//! Merges: two records of a kind become one. What belongs to the duplicate follows, in the background when there is much,
//! and the duplicate goes to the bin. A merge can be undone for 30 days.

mod api;
mod combine;
mod model;
mod parts;
mod rules;
#[cfg(test)]
mod tests;

pub use api::Api;
pub use model::{MERGES_BY_RECORD, Merge, MergePart};
pub use parts::is_in_use;
pub use rules::{PURGE, find_of, forget_record, in_progress, merged_into, step, stop_broken, undo, worker};
