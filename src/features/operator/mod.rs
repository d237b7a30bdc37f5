//! What the operator does to companies and people by the command line, and what those concerned are told of
//! it: never reached from the web. Each act leaves an entry in the company's record and word to its admins.

mod backup;
pub mod companies;
mod erase;
mod export;
mod import;
pub mod people;
mod repair;
mod restore;
mod tell;
mod temp_file;
#[cfg(test)]
mod tests;

pub use backup::{BackedUp, backup};
pub use companies::ignored_hosts;
pub use erase::Eraser;
pub use export::{Exported, export};
pub use import::{Imported, import};
pub use repair::{Outcome, Repaired, Source, repair};
pub use restore::{Staged, kept, put_in_place, remove_replaced, stage};
pub use tell::tell_admins;
pub use temp_file::remove_draft;
