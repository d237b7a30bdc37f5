//! Export of records to files: CSV that imports again without loss, vCards of people, JSON as the calls show them.

mod api;
mod cells;
#[cfg(test)]
mod tests;
mod write;

pub use api::Api;
pub use cells::{Audience, Cells, decimal, is_of_export, list};
pub use write::{Export, ExportFormat, MAX_EXPORTED, note_of, notes_after, read_columns};
