//! Operator commands for tenants and members, run from the command line and never reachable from the web. Each command
//! writes an audit entry of the tenant and notifies its administrators.

mod backup;
pub mod companies;
mod erase;
mod export;
mod import;
mod notify;
pub mod people;
mod repair;
mod restore;
mod temp_file;
#[cfg(test)]
mod tests;

pub use backup::{BackedUp, backup};
pub use companies::ignored_hosts;
pub use erase::Eraser;
pub use export::{Exported, export};
pub use import::{Imported, import};
pub use notify::notify_admins;
pub use repair::{Outcome, Repaired, Source, repair};
pub use restore::{Staged, kept, put_in_place, remove_replaced, stage};
pub use temp_file::remove_draft;
