//! The timeline of a record: its creation and changes, the comments on it, and the records that refer to it, newest
//! first. All have ids that sort by time, so that a page is a merge of the sources before an id.

mod api;
mod rules;
#[cfg(test)]
mod tests;

pub use api::{Api, each_entry};
