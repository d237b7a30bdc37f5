//! Export of records to files: CSV that imports again without loss, vCards of people, JSON as the calls show them.

mod api;
mod cells;
#[cfg(test)]
mod tests;

pub use api::Api;
