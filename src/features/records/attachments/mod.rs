//! Files on records of all kinds. All who may see a record see its files; who may change it adds and removes some. A
//! kind may keep the files in its records instead, as customers do (`RecordKind::with_own_files`).

mod api;
mod model;
mod rules;
#[cfg(test)]
mod tests;

pub use api::Api;
pub use model::{ATTACHMENTS_BY_RECORD, RecordFile};
pub use rules::{add_file_names, shows_file};
