//! The command line: every command, its flags and what they mean.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

use super::{
    command::{Command, NewTenant, NewUser, SetPassword},
    password::{PasswordError, Source},
};
use crate::{
    config::{COLOR_SCHEMES, Sources},
    kernel::words::Locale,
};

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
    /// Print the description of the API as an `OpenAPI` document
    Openapi,
    /// Verify the store and the search index
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
    #[arg(long, value_parser = ["owner", "admin", "member", "viewer"], default_value = "member")]
    pub role: String,
    #[command(flatten)]
    pub password: PasswordFrom,
}

/// Flags of `user set-password`.
#[derive(Debug, Args)]
pub struct UserSetPassword {
    /// The company's slug
    #[arg(long)]
    pub tenant: String,
    /// The person's e-mail address
    #[arg(long)]
    pub email: String,
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

impl Action {
    /// The command for the store, with its password read (a prompt speaks the given language); `None` for what needs no store.
    ///
    /// # Errors
    /// The password cannot be read.
    pub fn command(self, locale: Locale) -> Result<Option<Command>, PasswordError> {
        Ok(Some(match self {
            Self::Serve(_) | Self::Openapi | Self::Config(_) => return Ok(None),
            Self::Check => Command::Check,
            Self::Reindex => Command::Reindex,
            Self::Health => Command::Health,
            Self::Tenant(Tenant::List) => Command::ListTenants,
            Self::Tenant(Tenant::Show { slug }) => Command::ShowTenant { slug },
            Self::Tenant(Tenant::Create(form)) => Command::CreateTenant(NewTenant {
                owner_password: Source::new(form.owner_password_stdin, form.owner_password_file).read(locale)?,
                slug: form.slug,
                name: form.name,
                owner_name: form.owner_name,
                owner_email: form.owner_email,
                color_scheme: form.color_scheme,
                locale: form.locale,
                timezone: form.timezone,
                domains: form.domains,
            }),
            Self::User(User::List { tenant }) => Command::ListUsers { tenant },
            Self::User(User::Create(form)) => Command::CreateUser(NewUser {
                password: Source::new(form.password.password_stdin, form.password.password_file).read(locale)?,
                tenant: form.tenant,
                name: form.name,
                email: form.email,
                role: form.role,
            }),
            Self::User(User::SetPassword(form)) => Command::SetPassword(SetPassword {
                password: Source::new(form.password.password_stdin, form.password.password_file).read(locale)?,
                tenant: form.tenant,
                email: form.email,
            }),
        }))
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;

    fn parse(line: &str) -> Result<Arguments, clap::Error> {
        Arguments::try_parse_from(line.split_whitespace())
    }

    #[test]
    fn the_definitions_do_not_contradict_each_other() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn the_forms_that_scripts_rely_on_are_understood() {
        for line in [
            "atrium serve",
            "atrium serve --listen 127.0.0.1:0 --demo --data-dir x --config y",
            "atrium --data-dir x --config y --json tenant list",
            "atrium tenant create --slug acme --name Acme --owner-name Ada --owner-email ada@acme.example --owner-password-stdin --color-scheme teal --domain a.example --domain b.example --json",
            "atrium tenant create --slug acme --name Acme --owner-name Ada --owner-email ada@acme.example --owner-password-file f",
            "atrium tenant show acme --json",
            "atrium user create --tenant acme --name Ada --email ada@acme.example --role member --password-stdin --json",
            "atrium user list --tenant acme",
            "atrium user set-password --tenant acme --email ada@acme.example --password-file f",
            "atrium openapi",
            "atrium check --json",
            "atrium reindex",
            "atrium config show",
            "atrium config check --config x",
            "atrium health",
        ] {
            parse(line).unwrap_or_else(|error| panic!("{line}: {error}"));
        }
    }

    #[test]
    fn wrong_usage_ends_with_2() {
        for line in [
            "atrium",
            "atrium nonsense",
            "atrium serve --port 80",
            "atrium tenant create --slug acme",
            "atrium tenant create --slug a --name A --owner-name B --owner-email c --owner-password secret",
            "atrium user create --tenant a --name b --email c --role king",
            "atrium user create --tenant a --name b --email c --password-stdin --password-file f",
            "atrium tenant create --slug a --name A --owner-name B --owner-email c --color-scheme pumpkin",
        ] {
            assert_eq!(parse(line).unwrap_err().exit_code(), 2, "{line}");
        }
        assert_eq!(parse("atrium --help").unwrap_err().exit_code(), 0);
    }

    #[test]
    fn flags_become_the_uppermost_layer_of_the_configuration() {
        let sources = parse("atrium serve --listen 127.0.0.1:0 --data-dir x --config y").unwrap().sources(Vec::new());
        assert_eq!(sources.file, Some(PathBuf::from("y")));
        assert_eq!(
            sources.flags,
            [("data_dir", "--data-dir", "x".to_owned()), ("listen", "--listen", "127.0.0.1:0".to_owned())]
        );
    }
}
