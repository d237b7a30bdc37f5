//! Command-line arguments: the list of commands, and the options that all have.

use std::path::PathBuf;

use clap::{Parser, Subcommand};

use super::{
    commands::{
        alerts::AlertsAction, backup::Backup, completions::Completions, config::ConfigAction, doctor::Doctor,
        export::ExportRecords, import::ImportRecords, init::Init, keys::KeysAction, mail::MailAction, man::ManPages,
        repair::Repair, restore::Restore, serve::Serve, status::Status, tenant::TenantAction, user::UserAction,
    },
    help::GLOBAL,
};
use crate::config::Sources;

/// The configuration file of an installed package. It is used when no other one is named.
pub const PACKAGED_CONFIG: &str = "/etc/atrium/config.toml";

/// One server in which whole companies work: customers, tasks, calendar, pages, chat
#[derive(Debug, Parser)]
#[command(name = "atrium", version, disable_help_flag = true, disable_version_flag = true)]
pub struct Arguments {
    /// The data directory
    #[arg(long, value_name = "DIR", global = true, help_heading = GLOBAL)]
    #[arg(help = "The data directory [default: ./atrium-data] [env: ATRIUM_DATA_DIR]")]
    pub data_dir: Option<PathBuf>,
    /// The configuration file
    #[arg(long, value_name = "FILE", global = true, env = "ATRIUM_CONFIG", help_heading = GLOBAL)]
    #[arg(
        help = "The configuration file; config.example.toml explains every setting [default: /etc/atrium/config.toml if there is one]"
    )]
    pub config: Option<PathBuf>,
    /// Print one JSON object, for scripts
    #[arg(long, global = true, help_heading = GLOBAL)]
    pub json: bool,
    /// What to do.
    #[command(subcommand)]
    pub action: Action,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Action {
    /// Write the configuration file of a new installation
    Init(Box<Init>),
    /// Start the server
    Serve(Serve),
    /// Manage companies
    #[command(subcommand)]
    Tenant(Box<TenantAction>),
    /// Manage the people of a company
    #[command(subcommand)]
    User(UserAction),
    /// Import records of a company from a file, as one of its members
    Import(ImportRecords),
    /// Export records of a company to a file, as one of its members
    Export(ExportRecords),
    /// Manage the signing keys
    #[command(subcommand)]
    Keys(KeysAction),
    /// List emails, and try the mail server
    #[command(subcommand)]
    Mail(MailAction),
    /// Back everything up into one file, whether the server runs or not
    Backup(Backup),
    /// Restore a backup. What it replaces is kept in a folder beside it, and everyone has to sign in again
    Restore(Restore),
    /// Print the `OpenAPI` document
    #[command(after_help = "Examples:
  atrium openapi")]
    Openapi,
    /// Verify the store, the search index and the uploads; exits with 3 when anything is damaged
    #[command(after_help = "Examples:
  atrium check
  atrium check --json")]
    Check,
    /// List damaged records, and repair them with --yes; exits with 3 when any stay damaged
    Repair(Repair),
    /// Rebuild the search index from the store
    #[command(after_help = "Examples:
  atrium reindex")]
    Reindex,
    /// Give the room that the store does not use back to the disk; the server must be stopped
    #[command(after_help = "Examples:
  atrium compact")]
    Compact,
    /// Show or check the configuration
    #[command(subcommand)]
    Config(ConfigAction),
    /// Look for what is wrong with the installation, and say how to mend it
    Doctor(Doctor),
    /// Ask the running server whether it is healthy
    #[command(after_help = "Examples:
  atrium health
  atrium health --json")]
    Health,
    /// Show the checks and figures of the running server: companies, people, sessions, storage
    Status(Status),
    /// List alerts to the operator, and try the channels by which they are sent
    #[command(subcommand)]
    Alerts(AlertsAction),
    /// Print a script that completes commands and options in a shell
    Completions(Completions),
    /// Write the manual pages
    Man(ManPages),
}

impl Arguments {
    /// Returns the sources of the configuration.
    pub fn sources(&self, environment: Vec<(String, String)>) -> Sources {
        let mut flags = Vec::new();
        if let Some(folder) = &self.data_dir {
            flags.push(("data_dir", "--data-dir", folder.display().to_string()));
        }
        if let Action::Serve(Serve { listen: Some(listen), .. }) = &self.action {
            flags.push(("listen", "--listen", listen.clone()));
        }
        let packaged = || Some(PathBuf::from(PACKAGED_CONFIG)).filter(|file| file.exists());
        Sources { file: self.config.clone().or_else(packaged), environment, flags }
    }
}

#[cfg(test)]
mod tests;
