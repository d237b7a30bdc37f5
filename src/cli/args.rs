//! Command-line arguments: every command and its flags.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

use super::help::GLOBAL;
use crate::config::{COLOR_SCHEMES, Sources};

/// The roles of members.
const ROLES: [&str; 4] = ["owner", "admin", "member", "viewer"];

/// One server in which whole companies work: customers, tasks, calendar, pages, chat
#[derive(Debug, Parser)]
#[command(name = "atrium", version, disable_help_flag = true, disable_version_flag = true)]
pub struct Arguments {
    /// The data directory
    #[arg(long, value_name = "DIR", global = true, help_heading = GLOBAL)]
    #[arg(help = "The data directory [default: ./atrium-data] [env: ATRIUM_DATA_DIR]")]
    pub data_dir: Option<PathBuf>,
    /// The configuration file; config.example.toml explains every setting
    #[arg(long, value_name = "FILE", global = true, env = "ATRIUM_CONFIG", help_heading = GLOBAL)]
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
    /// Start the server
    Serve(Serve),
    /// Manage companies
    #[command(subcommand)]
    Tenant(Tenant),
    /// Manage the people of a company
    #[command(subcommand)]
    User(User),
    /// Manage the signing keys
    #[command(subcommand)]
    Keys(Keys),
    /// List emails, and try the mail server
    #[command(subcommand)]
    Mail(Mail),
    /// Back everything up into one file, whether the server runs or not
    Backup {
        /// The file to create. Without a passphrase it is not encrypted: keep it as safe as the data directory
        file: PathBuf,
        #[command(flatten)]
        passphrase: PassphraseFrom,
    },
    /// Restore a backup. What it replaces is kept in a folder beside it, and everyone has to sign in again
    Restore {
        /// The backup. It is verified before anything is changed
        file: PathBuf,
        #[command(flatten)]
        passphrase: PassphraseFrom,
        /// Do not ask before the data of a running server is replaced
        #[arg(long)]
        yes: bool,
        /// Afterwards, delete all but the newest N of the folders with what was replaced
        #[arg(long, value_name = "N")]
        keep: Option<usize>,
    },
    /// Print the `OpenAPI` document
    Openapi,
    /// Verify the store, the search index and the uploads; exits with 3 when anything is damaged
    Check,
    /// List damaged records, and repair them with --yes; exits with 3 when any stay damaged
    Repair(Repair),
    /// Rebuild the search index from the store
    Reindex,
    /// Give the room that the store does not use back to the disk; the server must be stopped
    Compact,
    /// Show or check the configuration
    #[command(subcommand)]
    Config(Configuration),
    /// Ask the running server whether it is healthy
    Health,
}

/// Flags of `serve`.
#[derive(Debug, Args)]
pub struct Serve {
    /// Where to listen
    #[arg(long, value_name = "ADDR:PORT")]
    #[arg(
        help = "The address or host name, and the port, to listen on [default: 127.0.0.1:8080] [env: ATRIUM_LISTEN]"
    )]
    pub listen: Option<String>,
    /// Fill an empty installation with two companies of sample data
    #[arg(long)]
    pub demo: bool,
}

/// Commands on companies.
#[derive(Debug, Subcommand)]
pub enum Tenant {
    /// Create a company and its owner
    Create(TenantCreate),
    /// List all companies
    List,
    /// Show a company
    Show {
        /// Its slug
        slug: String,
    },
    /// Change a company. What is not named stays as it is
    Update(TenantUpdate),
    /// Suspend a company: no one can sign in to it until it is resumed
    Suspend {
        /// Its slug
        slug: String,
    },
    /// Resume a company that was suspended, or that its owner closed
    Resume {
        /// Its slug
        slug: String,
    },
    /// Export a company into one file: records, uploads, settings, and its people with their passwords
    Export {
        /// Its slug
        slug: String,
        /// The file to create. It is not encrypted: keep it as safe as the data directory
        file: PathBuf,
    },
    /// Import a company from its file
    Import {
        /// The file
        file: PathBuf,
        /// Another slug, for a second copy of a company that is here
        #[arg(long, value_name = "OTHER")]
        slug: Option<String>,
    },
    /// Delete a company and everything in it, for good
    Delete {
        /// Its slug
        slug: String,
        /// Confirm that everything is deleted
        #[arg(long, required = true)]
        yes: bool,
    },
}

/// Flags of `tenant update`.
#[derive(Debug, Args)]
pub struct TenantUpdate {
    /// The company's slug
    #[arg(value_name = "SLUG")]
    pub tenant: String,
    /// Another slug
    #[arg(long, value_name = "NEW")]
    pub slug: Option<String>,
    /// Another name
    #[arg(long)]
    pub name: Option<String>,
    /// Another color scheme
    #[arg(long, value_parser = COLOR_SCHEMES, hide_possible_values = true)]
    pub color_scheme: Option<String>,
    /// Another layout
    #[arg(long)]
    pub layout: Option<String>,
    /// Another language, such as en or es
    #[arg(long)]
    pub locale: Option<String>,
    /// Another time zone, such as Europe/Madrid
    #[arg(long)]
    pub timezone: Option<String>,
    /// A host name of the company, in place of those it has; may be given several times
    #[arg(long = "domain", value_name = "HOST")]
    pub domains: Vec<String>,
    /// Remove all host names
    #[arg(long, conflicts_with = "domains")]
    pub no_domains: bool,
}

/// Flags of `tenant create`.
#[derive(Debug, Args)]
pub struct TenantCreate {
    /// The short name in addresses: lowercase letters, digits and hyphens
    #[arg(long)]
    pub slug: String,
    /// The company's name
    #[arg(long)]
    pub name: String,
    /// The name of its owner
    #[arg(long)]
    pub owner_name: String,
    /// The owner's email address
    #[arg(long)]
    pub owner_email: String,
    /// Read the owner's password from standard input
    #[arg(long, conflicts_with = "owner_password_file")]
    pub owner_password_stdin: bool,
    /// Read the owner's password from a file
    #[arg(long, value_name = "FILE")]
    pub owner_password_file: Option<PathBuf>,
    /// The color scheme
    #[arg(long, value_parser = COLOR_SCHEMES, hide_possible_values = true)]
    pub color_scheme: Option<String>,
    /// The language, such as en or es
    #[arg(long)]
    pub locale: Option<String>,
    /// The time zone, such as Europe/Madrid
    #[arg(long)]
    pub timezone: Option<String>,
    /// A host name of the company; may be given several times
    #[arg(long = "domain", value_name = "HOST")]
    pub domains: Vec<String>,
}

/// Commands on members.
#[derive(Debug, Subcommand)]
pub enum User {
    /// Add a person to a company
    Create(UserCreate),
    /// List the people of a company
    List {
        /// The company's slug
        #[arg(long)]
        tenant: String,
    },
    /// Set a new password for a person, and end their sessions
    SetPassword(UserSetPassword),
    /// Invite a person by email. They choose their own password
    Invite(UserInvite),
    /// Change a person's role
    SetRole {
        #[command(flatten)]
        who: Person,
        /// The role
        #[arg(long, value_parser = ROLES)]
        role: String,
    },
    /// Suspend a person: they can’t sign in until they are resumed
    Suspend(Person),
    /// Resume a person who was suspended
    Resume(Person),
    /// List a person's sessions
    Sessions(Person),
    /// Sign a person out everywhere
    EndSessions(Person),
}

/// The member that a command acts on.
#[derive(Debug, Args)]
pub struct Person {
    /// The company's slug
    #[arg(long)]
    pub tenant: String,
    /// The person's email address
    #[arg(long)]
    pub email: String,
}

/// Flags of `user invite`.
#[derive(Debug, Args)]
pub struct UserInvite {
    #[command(flatten)]
    pub who: Person,
    /// The person's name
    #[arg(long)]
    pub name: Option<String>,
    /// The role
    #[arg(long, value_parser = ROLES, default_value = "member")]
    pub role: String,
}

/// Flags of `user create`.
#[derive(Debug, Args)]
pub struct UserCreate {
    /// The company's slug
    #[arg(long)]
    pub tenant: String,
    /// The person's name
    #[arg(long)]
    pub name: String,
    /// The person's email address
    #[arg(long)]
    pub email: String,
    /// The role
    #[arg(long, value_parser = ROLES, default_value = "member")]
    pub role: String,
    #[command(flatten)]
    pub password: PasswordFrom,
}

/// Flags of `user set-password`.
#[derive(Debug, Args)]
pub struct UserSetPassword {
    #[command(flatten)]
    pub who: Person,
    #[command(flatten)]
    pub password: PasswordFrom,
}

/// Flags of `repair`.
#[derive(Debug, Args)]
pub struct Repair {
    /// Take what this backup has an intact copy of
    #[arg(long, value_name = "FILE")]
    pub from_backup: Option<PathBuf>,
    #[command(flatten)]
    pub passphrase: PassphraseFrom,
    /// Remove damaged records that no backup is given for, or that it does not have
    #[arg(long)]
    pub drop: bool,
    /// Do it
    #[arg(long)]
    pub yes: bool,
}

/// Where a password comes from; without a flag, from a prompt.
#[derive(Debug, Args)]
pub struct PasswordFrom {
    /// Read the password from standard input
    #[arg(long, conflicts_with = "password_file")]
    pub password_stdin: bool,
    /// Read the password from a file
    #[arg(long, value_name = "FILE")]
    pub password_file: Option<PathBuf>,
}

/// Where the passphrase of a backup comes from; without a flag there is none.
#[derive(Debug, Args)]
#[group(multiple = false)]
pub struct PassphraseFrom {
    /// Ask for the passphrase that encrypts the file
    #[arg(long)]
    pub ask_passphrase: bool,
    /// Read the passphrase from standard input
    #[arg(long)]
    pub passphrase_stdin: bool,
    /// Read the passphrase from the first line of a file
    #[arg(long, value_name = "FILE")]
    pub passphrase_file: Option<PathBuf>,
}

/// Commands on signing keys.
#[derive(Debug, Subcommand)]
pub enum Keys {
    /// Sign access tokens with a new key. The previous one stays valid until its tokens expire
    Rotate {
        /// Revoke the previous key immediately, when it may have been copied
        #[arg(long)]
        at_once: bool,
    },
}

/// Commands on e-mails.
#[derive(Debug, Subcommand)]
pub enum Mail {
    /// List emails that wait, were sent, are kept or were refused
    List,
    /// Send a test message
    SendTest {
        /// The email address to send it to
        address: String,
    },
}

/// Commands on the configuration.
#[derive(Clone, Copy, Debug, Subcommand)]
pub enum Configuration {
    /// Print every setting and where its value comes from
    Show,
    /// Check the configuration, and list everything that is wrong with it
    Check,
}

impl Arguments {
    /// Returns the sources of the configuration.
    #[must_use]
    pub fn sources(&self, environment: Vec<(String, String)>) -> Sources {
        let mut flags = Vec::new();
        if let Some(folder) = &self.data_dir {
            flags.push(("data_dir", "--data-dir", folder.display().to_string()));
        }
        if let Action::Serve(Serve { listen: Some(listen), .. }) = &self.action {
            flags.push(("listen", "--listen", listen.clone()));
        }
        Sources { file: self.config.clone(), environment, flags }
    }
}

#[cfg(test)]
mod tests;
