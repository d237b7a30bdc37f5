//! The tags of a company: their colors, how many records have them, and renaming, merging and removing them in the records
//! of all kinds.

mod api;
mod model;
mod rules;
#[cfg(test)]
mod tests;

pub use api::Api;
pub use model::{TagChange, TagPart, TagRegister};
pub use rules::{
    PURGE, forget_record, in_progress, is_removal, records_of_act, step, stop_broken, tagged_kinds, worker,
};
