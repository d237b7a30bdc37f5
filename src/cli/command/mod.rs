//! Operator commands that work on an installation. The same command is executed by the running server, which receives
//! it through its socket, or in this process when no server runs.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::{
    answer::Answer,
    commands::{
        alerts,
        backup::Backup,
        check, compact,
        doctor::Examine,
        export::ExportRecords,
        health,
        import::ImportRecords,
        keys::RotateKeys,
        mail::{self, send_test::SendTest},
        reindex,
        repair::Repair,
        restore::Restore,
        status,
        tenant::{
            self, TenantSlug, create::CreateTenant, delete::DeleteTenant, export::ExportTenant, import::ImportTenant,
            update::UpdateTenant,
        },
        user::{
            Person, create::CreateUser, invite::InviteUser, list::ListUsers, set_password::SetPassword,
            set_role::SetRole,
        },
    },
    context::Context,
    password::PasswordError,
};
use crate::{
    config::Config,
    kernel::{Error, Result},
};

/// A command with its arguments.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "command", content = "arguments")]
pub enum Command {
    CreateTenant(CreateTenant),
    ListTenants,
    ShowTenant(TenantSlug),
    UpdateTenant(UpdateTenant),
    SuspendTenant(TenantSlug),
    ResumeTenant(TenantSlug),
    ExportTenant(ExportTenant),
    ImportTenant(ImportTenant),
    DeleteTenant(DeleteTenant),
    ImportRecords(ImportRecords),
    ExportRecords(ExportRecords),
    CreateUser(CreateUser),
    ListUsers(ListUsers),
    SetPassword(SetPassword),
    InviteUser(InviteUser),
    SetRole(SetRole),
    ResetFactors(Person),
    SuspendUser(Person),
    ResumeUser(Person),
    ListSessions(Person),
    EndSessions(Person),
    RotateKeys(RotateKeys),
    ListMail,
    SendTest(SendTest),
    Backup(Backup),
    Restore(Restore),
    Check,
    Repair(Repair),
    Reindex,
    Compact,
    Examine(Examine),
    Health,
    Status,
    ListAlerts,
    TestAlerts,
}

impl Command {
    /// Whether the command can create an installation. All other commands need an existing one.
    pub const fn creates(&self) -> bool {
        matches!(self, Self::CreateTenant(_) | Self::ImportTenant(_) | Self::Restore(_))
    }

    /// Whether the command needs only the store, which may be damaged, and not the open application.
    pub const fn needs_only_store(&self) -> bool {
        matches!(
            self,
            Self::ListTenants | Self::ExportTenant(_) | Self::Backup(_) | Self::Check | Self::Repair(_) | Self::Reindex
        )
    }

    /// Returns the files that the command names. The server opens them.
    pub fn files(&self) -> Vec<&Path> {
        let named = match self {
            Self::ExportTenant(form) => [Some(&form.file), None],
            Self::ImportTenant(form) => [Some(&form.file), None],
            Self::ImportRecords(form) => [Some(&form.file), form.report.as_ref()],
            Self::ExportRecords(form) => [Some(&form.file), None],
            Self::Backup(form) => [Some(&form.file), None],
            Self::Restore(form) => [Some(&form.file), None],
            Self::Repair(form) => [form.from.as_ref().map(|from| &from.file), None],
            _ => [None, None],
        };
        named.into_iter().flatten().map(PathBuf::as_path).collect()
    }

    /// Reads the password that the command needs.
    pub fn read_password(&mut self, config: &Config) -> Result<(), PasswordError> {
        match self {
            Self::CreateTenant(form) => form.read_password(),
            Self::CreateUser(form) => form.password.read(),
            Self::SetPassword(form) => form.password.read(),
            Self::Backup(form) => form.read_passphrase(config.backup.passphrase_file.as_deref()),
            Self::Restore(form) => form.passphrase.read(false),
            Self::Repair(form) => form.read_passphrase(),
            _ => Ok(()),
        }
    }

    /// Executes the command on opened data. Two commands replace the file of the store, so they run without a context:
    /// [`Restore::run`] and [`compact::run`].
    pub async fn execute(self, context: &Context) -> Result<Answer> {
        match self {
            Self::CreateTenant(form) => form.run(context).await.map(Answer::TenantCreated),
            Self::ListTenants => tenant::list::run(context).map(Answer::Tenants),
            Self::ShowTenant(tenant) => tenant.show(context).map(Answer::Tenant),
            Self::UpdateTenant(form) => form.run(context).await.map(Answer::TenantUpdated),
            Self::SuspendTenant(tenant) => tenant.suspend(context).await,
            Self::ResumeTenant(tenant) => tenant.resume(context).await,
            Self::ExportTenant(form) => form.run(context).await.map(Answer::TenantExported),
            Self::ImportTenant(form) => form.run(context).await.map(Answer::TenantImported),
            Self::DeleteTenant(form) => form.run(context).await.map(Answer::TenantDeleted),
            Self::ImportRecords(form) => form.run(context).await.map(Answer::RecordsImported),
            Self::ExportRecords(form) => form.run(context).await.map(Answer::RecordsExported),
            Self::CreateUser(form) => form.run(context).await.map(Answer::UserCreated),
            Self::ListUsers(form) => form.run(context).map(Answer::Users),
            Self::SetPassword(form) => form.run(context).await.map(Answer::PasswordSet),
            Self::InviteUser(form) => form.run(context).await.map(Answer::UserInvited),
            Self::SetRole(form) => form.run(context).await,
            Self::ResetFactors(person) => person.reset_factors(context).await,
            Self::SuspendUser(person) => person.suspend(context).await,
            Self::ResumeUser(person) => person.resume(context).await,
            Self::ListSessions(person) => person.list_sessions(context).map(Answer::Sessions),
            Self::EndSessions(person) => person.end_sessions(context).await.map(Answer::SessionsEnded),
            Self::RotateKeys(form) => form.run(context).map(Answer::KeysRotated),
            Self::ListMail => mail::list::run(context).map(Answer::Mail),
            Self::SendTest(form) => form.run(context).await.map(Answer::TestSent),
            Self::Backup(form) => form.run(context).await.map(Answer::BackedUp),
            Self::Restore(_) => Err(Error::internal("a restore needs the closed data directory")),
            Self::Check => check::run(context).await.map(Answer::Checked),
            Self::Repair(form) => form.run(context).await.map(Answer::Repaired),
            Self::Reindex => reindex::run(context).await.map(Answer::Reindexed),
            Self::Compact => Err(compact::refused()),
            Self::Examine(form) => form.run(context).await.map(|found| Answer::Examined(found.into())),
            Self::Health => health::run(context).await.map(|health| Answer::Healthy(health.into())),
            Self::ListAlerts => alerts::list::run(context).map(Answer::Alerts),
            Self::TestAlerts => alerts::test::run(context).await.map(Answer::AlertsTested),
            Self::Status => status::run(context).await.map(|status| Answer::Status(status.into())),
        }
    }
}

#[cfg(test)]
mod tests;
