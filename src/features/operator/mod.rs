//! Operator commands for tenants and members, run from the command line and never reachable from the web. Each command
//! writes an audit entry of the tenant and notifies its administrators.

mod backup;
pub mod companies;
mod erase;
mod export;
mod import;
mod notify;
pub mod people;
pub mod records;
mod repair;
mod restore;
mod temp_file;
#[cfg(test)]
mod tests;

pub use backup::{BackupReport, backup};
pub use companies::ignored_hosts;
pub use erase::Eraser;
pub use export::{ExportReport, export};
pub use import::{ImportReport, import};
pub use notify::notify_admins;
pub use repair::{Outcome, RepairReport, Source, repair};
pub use restore::{StagedRestore, put_in_place, remove_replaced, replaced_folders, stage};
pub use temp_file::remove_temp_file;
