//! Command-line arguments: the list of commands, and the options that all have.

use std::{ffi::OsString, path::PathBuf};

use clap::{Parser, Subcommand, value_parser};

use super::{
    commands::{
        alerts::AlertsAction, backup::Backup, completions::Completions, config::ConfigAction, doctor::Doctor,
        export::ExportRecords, import::ImportRecords, init::Init, keys::KeysAction, mail::MailAction, man::ManPages,
        repair::Repair, restore::Restore, serve::Serve, status::Status, tenant::TenantAction, user::UserAction,
    },
    help::{GLOBAL, Help},
};
use crate::config::Sources;

/// The configuration file of an installed package. It is used when no other one is named.
pub const PACKAGED_CONFIG: &str = "/etc/atrium/config.toml";

/// The data directory of an installed package.
pub const PACKAGED_DATA: &str = "/var/lib/atrium";

/// The variable that names the configuration file.
pub const CONFIG_VARIABLE: &str = "ATRIUM_CONFIG";

/// The longest time that a command waits: a day.
const MAX_WAIT_SECONDS: u64 = 86_400;

/// One server in which whole companies work: customers, tasks, calendar, pages, chat
#[derive(Debug, Parser)]
#[command(name = "atrium", version, disable_help_flag = true, disable_help_subcommand = true)]
#[command(disable_version_flag = true)]
#[command(after_help = "Examples:
  atrium serve --demo
  atrium status
  atrium help tenant create")]
pub struct Arguments {
    /// The data directory
    #[arg(long, value_name = "DIR", global = true, help_heading = GLOBAL)]
    #[arg(help = "The data directory [default: ./atrium-data] [env: ATRIUM_DATA_DIR]")]
    pub data_dir: Option<PathBuf>,
    /// The configuration file
    #[arg(long, value_name = "FILE", global = true, help_heading = GLOBAL)]
    #[arg(help = "The configuration file [default: /etc/atrium/config.toml if there is one] [env: ATRIUM_CONFIG]")]
    pub config: Option<PathBuf>,
    /// Print JSON for scripts: an object, or for lists an object on each line
    #[arg(long, global = true, help_heading = GLOBAL)]
    pub json: bool,
    /// How long to wait for the data directory
    #[arg(long, value_name = "SECONDS", global = true, help_heading = GLOBAL)]
    #[arg(value_parser = value_parser!(u64).range(..=MAX_WAIT_SECONDS))]
    #[arg(help = "Wait at most so long while another process uses the data directory [default: 5; serve: 30]")]
    pub wait: Option<u64>,
    /// What to do.
    #[command(subcommand)]
    pub action: Action,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Action {
    /// Write the configuration file of a new installation: asks for what no option says, or nothing with --yes
    Init(Box<Init>),
    /// Start the server
    Serve(Serve),
    /// Manage companies
    #[command(subcommand)]
    #[command(after_help = "Examples:
  atrium tenant list
  atrium tenant create --slug acme --name Acme --owner-name Ada --owner-email ada@acme.example
  atrium help tenant update")]
    Tenant(Box<TenantAction>),
    /// Manage the people of a company
    #[command(subcommand)]
    #[command(after_help = "Examples:
  atrium user list --tenant acme
  atrium user invite --tenant acme --email cleo@acme.example --role member
  atrium help user set-password")]
    User(UserAction),
    /// Import records of a company from a file, as one of its members
    Import(ImportRecords),
    /// Export records of a company to a file, as one of its members
    Export(ExportRecords),
    /// Manage the signing keys
    #[command(subcommand)]
    #[command(after_help = "Examples:
  atrium keys rotate
  atrium help keys rotate")]
    Keys(KeysAction),
    /// List emails, and try the mail server
    #[command(subcommand)]
    #[command(after_help = "Examples:
  atrium mail list
  atrium mail send-test ops@acme.example")]
    Mail(MailAction),
    /// Back up the whole installation into one file, while the server runs or not
    Backup(Backup),
    /// Restore a backup. What it replaces is kept in a folder beside it, and everyone has to sign in again
    Restore(Restore),
    /// Print the API document (`OpenAPI`)
    #[command(about = "Print the API document (OpenAPI)")]
    #[command(after_help = "Examples:
  atrium openapi
  atrium openapi > openapi.json")]
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
  atrium reindex
  atrium reindex --json")]
    Reindex,
    /// Give the space that the store does not use back to the disk; the server must be stopped
    #[command(after_help = "Examples:
  atrium compact
  atrium compact --data-dir /var/lib/atrium")]
    Compact,
    /// Show or check the configuration
    #[command(subcommand)]
    #[command(after_help = "Examples:
  atrium config show
  atrium config check --config /etc/atrium/config.toml
  atrium help configuration")]
    Config(ConfigAction),
    /// Look for what is wrong with the installation, and say how to mend it
    Doctor(Doctor),
    /// Ask the running server whether it is healthy; exits with 1 when it accepts no changes
    #[command(after_help = "Examples:
  atrium health
  atrium health --json")]
    Health,
    /// Show the checks and figures of the running server: companies, people, sessions, storage
    Status(Status),
    /// List alerts to the operator, and try the channels by which they are sent
    #[command(subcommand)]
    #[command(after_help = "Examples:
  atrium alerts list
  atrium alerts test --json")]
    Alerts(AlertsAction),
    /// Print a script that completes commands and options in a shell
    Completions(Completions),
    /// Write the manual pages
    Man(ManPages),
    /// Explain a command or a topic
    Help(Help),
}

impl Arguments {
    /// Takes the configuration file that `ATRIUM_CONFIG` names, unless the command line names one. Platforms set empty
    /// variables, which name none.
    pub fn with_config_variable(mut self, variable: Option<OsString>) -> Self {
        let named = variable.filter(|name| !name.is_empty()).map(PathBuf::from);
        self.config = self.config.or(named);
        self
    }

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
