//! Conversion of command-line arguments into commands for the store.

use std::path::PathBuf;

use super::{
    args::{Action, Keys, Mail, PassphraseFrom, Person, Repair, Tenant, User},
    command::{self, Archive, ChangedTenant, Command, Invitation, NewTenant, NewUser, Restoration, SetPassword},
    password::{PasswordError, Source},
};
use crate::{features::operator::companies::Changes, kernel::i18n::Locale};

impl Action {
    /// Returns the command for the store with its password read, or `None` when no store is needed. A prompt uses the
    /// given language.
    ///
    /// # Errors
    /// The password cannot be read.
    pub fn command(self, locale: Locale) -> Result<Option<Command>, PasswordError> {
        Ok(Some(match self {
            Self::Serve(_) | Self::Openapi | Self::Config(_) => return Ok(None),
            Self::Backup { file, passphrase } => Command::Backup(archive(file, passphrase, true, locale)?),
            Self::Restore { file, passphrase, keep, .. } => {
                Command::Restore(Restoration { archive: archive(file, passphrase, false, locale)?, keep })
            }
            Self::Compact => Command::Compact,
            Self::Check => Command::Check,
            Self::Repair(Repair { from_backup, passphrase, drop, yes }) => {
                let from = from_backup.map(|file| archive(file, passphrase, false, locale)).transpose()?;
                Command::Repair(command::Repair { from, drop, yes })
            }
            Self::Reindex => Command::Reindex,
            Self::Health => Command::Health,
            Self::Tenant(tenant) => tenant.command(locale)?,
            Self::User(user) => user.command(locale)?,
            Self::Keys(Keys::Rotate { at_once }) => Command::RotateKeys { at_once },
            Self::Mail(Mail::List) => Command::ListMail,
            Self::Mail(Mail::SendTest { address }) => Command::SendTest { address, locale: locale.code().to_owned() },
        }))
    }
}

impl Tenant {
    fn command(self, locale: Locale) -> Result<Command, PasswordError> {
        Ok(match self {
            Self::List => Command::ListTenants,
            Self::Show { slug } => Command::ShowTenant { slug },
            Self::Suspend { slug } => Command::SuspendTenant { slug },
            Self::Resume { slug } => Command::ResumeTenant { slug },
            Self::Export { slug, file } => Command::ExportTenant { slug, file: absolute(file) },
            Self::Import { file, slug } => Command::ImportTenant { file: absolute(file), slug },
            Self::Delete { slug, .. } => Command::DeleteTenant { slug },
            Self::Create(form) => Command::CreateTenant(NewTenant {
                owner_password: Source::new("--owner-password", form.owner_password_stdin, form.owner_password_file)
                    .read(locale)?,
                slug: form.slug,
                name: form.name,
                owner_name: form.owner_name,
                owner_email: form.owner_email,
                color_scheme: form.color_scheme,
                locale: form.locale,
                timezone: form.timezone,
                domains: form.domains,
            }),
            Self::Update(form) => Command::UpdateTenant(ChangedTenant {
                tenant: form.tenant,
                changes: Changes {
                    domains: (form.no_domains || !form.domains.is_empty()).then_some(form.domains),
                    slug: form.slug,
                    name: form.name,
                    color_scheme: form.color_scheme,
                    layout: form.layout,
                    locale: form.locale,
                    timezone: form.timezone,
                },
            }),
        })
    }
}

/// Reads the passphrase; a prompt asks twice for a new one.
fn archive(file: PathBuf, from: PassphraseFrom, is_new: bool, locale: Locale) -> Result<Archive, PasswordError> {
    let PassphraseFrom { ask_passphrase, passphrase_stdin, passphrase_file } = from;
    let is_sealed = ask_passphrase || passphrase_stdin || passphrase_file.is_some();
    let source = is_sealed.then(|| Source::new("--passphrase", passphrase_stdin, passphrase_file));
    let passphrase = source.map(|source| source.passphrase(is_new, locale)).transpose()?;
    Ok(Archive { file: absolute(file), passphrase })
}

/// Returns the absolute path: the server that runs the command has another working directory.
fn absolute(file: PathBuf) -> PathBuf {
    std::path::absolute(&file).unwrap_or(file)
}

impl User {
    fn command(self, locale: Locale) -> Result<Command, PasswordError> {
        let person = |who: Person| command::Person { tenant: who.tenant, email: who.email };
        Ok(match self {
            Self::List { tenant } => Command::ListUsers { tenant },
            Self::Create(form) => Command::CreateUser(NewUser {
                password: Source::new("--password", form.password.password_stdin, form.password.password_file)
                    .read(locale)?,
                tenant: form.tenant,
                name: form.name,
                email: form.email,
                role: form.role,
            }),
            Self::SetPassword(form) => Command::SetPassword(SetPassword {
                password: Source::new("--password", form.password.password_stdin, form.password.password_file)
                    .read(locale)?,
                tenant: form.who.tenant,
                email: form.who.email,
            }),
            Self::Invite(form) => Command::InviteUser(Invitation {
                tenant: form.who.tenant,
                email: form.who.email,
                name: form.name,
                role: form.role,
            }),
            Self::SetRole { who, role } => Command::SetRole { who: person(who), role },
            Self::Suspend(who) => Command::SuspendUser(person(who)),
            Self::Resume(who) => Command::ResumeUser(person(who)),
            Self::Sessions(who) => Command::ListSessions(person(who)),
            Self::EndSessions(who) => Command::EndSessions(person(who)),
        })
    }
}
