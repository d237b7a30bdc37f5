//! Files on records of all kinds. Whoever may see a record sees its files; who may change it adds and removes some. A
//! kind may keep the files in its records instead, as customers do (`KindRecord::FILES`).

mod api;
mod model;
mod rules;
#[cfg(test)]
mod tests;

pub use api::Api;
pub use model::{ATTACHMENTS_BY_RECORD, RecordFile};
