//! The command line: every command, its flags and what they mean.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

use crate::config::{COLOR_SCHEMES, Sources};

/// The roles that people can have.
const ROLES: [&str; 4] = ["owner", "admin", "member", "viewer"];

/// An embedded single-binary appliance in which a whole company works.
#[derive(Debug, Parser)]
#[command(name = "atrium", version, propagate_version = true, disable_help_subcommand = true)]
pub struct Arguments {
    /// The folder that holds everything the installation knows [default: ./atrium-data]
    #[arg(long, value_name = "DIR", global = true)]
    pub data_dir: Option<PathBuf>,
    /// The configuration file; config.example.toml names every setting
    #[arg(long, value_name = "FILE", global = true, env = "ATRIUM_CONFIG")]
    pub config: Option<PathBuf>,
    /// Print one JSON object, for scripts
    #[arg(long, global = true)]
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
    /// Companies of this installation
    #[command(subcommand)]
    Tenant(Tenant),
    /// The people of a company
    #[command(subcommand)]
    User(User),
    /// The keys of this installation
    #[command(subcommand)]
    Keys(Keys),
    /// Letters to people
    #[command(subcommand)]
    Mail(Mail),
    /// Write the whole installation into one file, while the server runs or not
    Backup {
        /// The file, which must not exist yet; without a passphrase, keep it as safe as the data directory
        file: PathBuf,
        #[command(flatten)]
        passphrase: PassphraseFrom,
    },
    /// Put a backup back in place of everything that is there, which is kept beside it; everybody signs in again
    Restore {
        /// The file, which is verified before anything is changed
        file: PathBuf,
        #[command(flatten)]
        passphrase: PassphraseFrom,
    },
    /// Print the description of the API as an `OpenAPI` document
    Openapi,
    /// Verify the store and the search index, and that all uploads are there
    Check,
    /// Build the search index anew from the store
    Reindex,
    /// Show or check the configuration
    #[command(subcommand)]
    Config(Configuration),
    /// Ask the running server whether it can take requests
    Health,
}

/// Flags of `serve`.
#[derive(Debug, Args)]
pub struct Serve {
    /// Where to listen [default: 127.0.0.1:8080]
    #[arg(long, value_name = "ADDR:PORT")]
    pub listen: Option<String>,
    /// Fill an empty store with two companies full of believable data
    #[arg(long)]
    pub demo: bool,
}

/// What can be done with companies.
#[derive(Debug, Subcommand)]
pub enum Tenant {
    /// Make a company and its owner
    Create(TenantCreate),
    /// List all companies
    List,
    /// Show a company
    Show {
        /// Its slug
        slug: String,
    },
    /// Change a company; what is not named stays as it is
    Update(TenantUpdate),
    /// Keep all people of a company out until it is resumed
    Suspend {
        /// Its slug
        slug: String,
    },
    /// Let the people of a company in again, also after its owner closed it
    Resume {
        /// Its slug
        slug: String,
    },
    /// Write everything of a company into one file: records, uploads, settings, what people sign in with
    Export {
        /// Its slug
        slug: String,
        /// The file, which must not exist yet; keep it as safe as the data directory
        file: PathBuf,
    },
    /// Bring a company in from its file, also beside itself under another slug
    Import {
        /// The file
        file: PathBuf,
        /// Another slug than the one it had
        #[arg(long, value_name = "OTHER")]
        slug: Option<String>,
    },
    /// Erase a company with all that is its: there is no way back
    Delete {
        /// Its slug
        slug: String,
        /// Really
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
    /// Another colour scheme
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
    /// A host name under which the company is found from now on, instead of all it had; may be given several times
    #[arg(long = "domain", value_name = "HOST")]
    pub domains: Vec<String>,
    /// Take all host names away
    #[arg(long, conflicts_with = "domains")]
    pub no_domains: bool,
}

/// Flags of `tenant create`.
#[derive(Debug, Args)]
pub struct TenantCreate {
    /// The short name in addresses: lower-case letters, digits and hyphens
    #[arg(long)]
    pub slug: String,
    /// The company's name
    #[arg(long)]
    pub name: String,
    /// The name of its owner
    #[arg(long)]
    pub owner_name: String,
    /// The owner's e-mail address
    #[arg(long)]
    pub owner_email: String,
    /// Read the owner's password from standard input
    #[arg(long, conflicts_with = "owner_password_file")]
    pub owner_password_stdin: bool,
    /// Read the owner's password from a file
    #[arg(long, value_name = "FILE")]
    pub owner_password_file: Option<PathBuf>,
    /// The colour scheme
    #[arg(long, value_parser = COLOR_SCHEMES, hide_possible_values = true)]
    pub color_scheme: Option<String>,
    /// The language, such as en or es
    #[arg(long)]
    pub locale: Option<String>,
    /// The time zone, such as Europe/Madrid
    #[arg(long)]
    pub timezone: Option<String>,
    /// A host name under which the company is found; may be given several times
    #[arg(long = "domain", value_name = "HOST")]
    pub domains: Vec<String>,
}

/// What can be done with people.
#[derive(Debug, Subcommand)]
pub enum User {
    /// Add somebody to a company
    Create(UserCreate),
    /// List the people of a company
    List {
        /// The company's slug
        #[arg(long)]
        tenant: String,
    },
    /// Give somebody a new password and end their sessions
    SetPassword(UserSetPassword),
    /// Ask somebody in by mail; they choose their password themselves
    Invite(UserInvite),
    /// Give somebody another role
    SetRole {
        #[command(flatten)]
        who: Person,
        /// The role
        #[arg(long, value_parser = ROLES)]
        role: String,
    },
    /// Keep somebody out until they are resumed
    Suspend(Person),
    /// Let somebody in again
    Resume(Person),
    /// List somebody's sessions
    Sessions(Person),
    /// Sign somebody out everywhere
    EndSessions(Person),
}

/// Whom a command is about.
#[derive(Debug, Args)]
pub struct Person {
    /// The company's slug
    #[arg(long)]
    pub tenant: String,
    /// The person's e-mail address
    #[arg(long)]
    pub email: String,
}

/// Flags of `user invite`.
#[derive(Debug, Args)]
pub struct UserInvite {
    #[command(flatten)]
    pub who: Person,
    /// The person's name, when it is known
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
    /// The person's e-mail address
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

/// Where a password comes from; without a flag it is asked for.
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
    /// Ask for a passphrase, with which the file is encrypted
    #[arg(long)]
    pub ask_passphrase: bool,
    /// Read the passphrase from standard input
    #[arg(long)]
    pub passphrase_stdin: bool,
    /// Read the passphrase from the first line of a file
    #[arg(long, value_name = "FILE")]
    pub passphrase_file: Option<PathBuf>,
}

/// What can be done with keys.
#[derive(Debug, Subcommand)]
pub enum Keys {
    /// Sign access tokens with a new key; the one before is good until its tokens run out
    Rotate {
        /// The key before is good no more: when it may have been copied
        #[arg(long)]
        at_once: bool,
    },
}

/// What can be done with letters.
#[derive(Debug, Subcommand)]
pub enum Mail {
    /// List the letters that wait, were sent, are kept or were refused
    List,
    /// Send a letter to try whether mail goes out
    SendTest {
        /// Where to
        address: String,
    },
}

/// What can be done with the configuration.
#[derive(Clone, Copy, Debug, Subcommand)]
pub enum Configuration {
    /// Print every setting and where its value comes from
    Show,
    /// Say what is wrong with it, if anything
    Check,
}

impl Arguments {
    /// What the configuration is put together from.
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
