//! One file for each command: its arguments, what it does, and how its answer is printed. The arguments are also what
//! the running server receives.

pub mod alerts;
pub mod backup;
pub mod check;
pub mod compact;
pub mod completions;
pub mod config;
pub mod doctor;
pub mod export;
pub mod health;
pub mod import;
pub mod init;
pub mod keys;
pub mod mail;
pub mod man;
pub mod openapi;
pub mod records;
pub mod reindex;
pub mod repair;
pub mod restore;
pub mod serve;
pub mod status;
pub mod tenant;
pub mod user;
