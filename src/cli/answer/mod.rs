//! Answers to the operator's commands, the same from the running server and from this process: sentences and tables for
//! people, one JSON object for scripts.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{
    commands::{
        alerts,
        backup::BackupShown,
        check::CheckReport,
        compact::Compacted,
        doctor::ServerFacts,
        export::RecordsExported,
        health::HealthShown,
        import::RecordsImported,
        keys::KeysRotated,
        mail::{self, list::EmailShown, send_test::TestSent},
        reindex::Reindexed,
        repair::RepairShown,
        restore::RestoreShown,
        status::StatusShown,
        tenant::{self, TenantShown, create::TenantMade, export::TenantExport, import::TenantImport},
        user::{
            self, UserShown,
            sessions::{SessionShown, SessionsEnded},
        },
    },
    failure::Failure,
};
use crate::{
    kernel::i18n::Locale,
    monitoring::{ChannelState, Standing},
};

/// The answer to a command.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "answer", content = "data")]
pub enum Answer {
    TenantCreated(TenantMade),
    Tenant(TenantShown),
    Tenants(Vec<TenantShown>),
    TenantUpdated(TenantShown),
    TenantSuspended(TenantShown),
    TenantResumed(TenantShown),
    /// Nothing changed: the tenant was already suspended or already active.
    TenantAlready(TenantShown),
    TenantExported(TenantExport),
    TenantImported(TenantImport),
    TenantDeleted(TenantShown),
    RecordsImported(RecordsImported),
    RecordsExported(RecordsExported),
    UserCreated(UserShown),
    Users(Vec<UserShown>),
    PasswordSet(UserShown),
    UserInvited(UserShown),
    RoleSet(UserShown),
    /// Nothing changed: the member already had the role.
    RoleAlready(UserShown),
    FactorsReset(UserShown),
    /// Nothing changed: the member had no second factor.
    NoFactors(UserShown),
    UserSuspended(UserShown),
    UserResumed(UserShown),
    /// Nothing changed: the member was already suspended or already active.
    UserAlready(UserShown),
    Sessions(Vec<SessionShown>),
    SessionsEnded(SessionsEnded),
    KeysRotated(KeysRotated),
    Mail(Vec<EmailShown>),
    TestSent(TestSent),
    BackedUp(BackupShown),
    Restored(RestoreShown),
    Checked(CheckReport),
    Repaired(RepairShown),
    Reindexed(Reindexed),
    Compacted(Compacted),
    /// For `atrium doctor`, which prints what it makes of it.
    Examined(Box<ServerFacts>),
    Healthy(Box<HealthShown>),
    Status(Box<StatusShown>),
    Alerts(Standing),
    AlertsTested(Vec<ChannelState>),
}

impl Answer {
    /// Returns the answer as text, without a line break at the end.
    pub fn text(&self, locale: Locale) -> String {
        match self {
            Self::TenantCreated(made) => made.text(locale),
            Self::Tenant(tenant) => tenant.text(),
            Self::Tenants(tenants) => tenant::list::text(tenants, locale),
            Self::TenantUpdated(tenant) => tenant.sentence("server.cli.tenant_updated", locale),
            Self::TenantSuspended(tenant) => tenant.sentence("server.cli.tenant_suspended", locale),
            Self::TenantResumed(tenant) => tenant.sentence("server.cli.tenant_resumed", locale),
            Self::TenantAlready(tenant) => tenant::state::already(tenant, locale),
            Self::TenantExported(export) => export.text(locale),
            Self::TenantImported(import) => import.text(locale),
            Self::TenantDeleted(tenant) => tenant.sentence("server.cli.tenant_deleted", locale),
            Self::RecordsImported(import) => import.text(locale),
            Self::RecordsExported(export) => export.text(locale),
            Self::UserCreated(user) => user.sentence("server.cli.user_created", locale),
            Self::Users(users) => user::list::text(users, locale),
            Self::PasswordSet(user) => user.sentence("server.cli.password_set", locale),
            Self::UserInvited(user) => user.sentence("server.cli.user_invited", locale),
            Self::RoleSet(user) => user.sentence("server.cli.role_set", locale),
            Self::RoleAlready(user) => user.sentence("server.cli.role_already", locale),
            Self::FactorsReset(user) => user.sentence("server.cli.factors_reset", locale),
            Self::NoFactors(user) => user.sentence("server.cli.no_factors", locale),
            Self::UserSuspended(user) => user.sentence("server.cli.user_suspended", locale),
            Self::UserResumed(user) => user.sentence("server.cli.user_resumed", locale),
            Self::UserAlready(user) => user::state::already(user, locale),
            Self::Sessions(sessions) => user::sessions::text(sessions, locale),
            Self::SessionsEnded(ended) => ended.text(locale),
            Self::KeysRotated(rotated) => rotated.text(locale),
            Self::Mail(emails) => mail::list::text(emails, locale),
            Self::TestSent(sent) => sent.text(locale),
            Self::BackedUp(backup) => backup.text(locale),
            Self::Restored(restore) => restore.text(locale),
            Self::Checked(report) => report.text(locale),
            Self::Repaired(repair) => repair.text(locale),
            Self::Reindexed(index) => index.text(locale),
            Self::Compacted(store) => store.text(locale),
            Self::Examined(_) => String::new(),
            Self::Healthy(health) => health.text(),
            Self::Status(status) => status.text(),
            Self::Alerts(standing) => alerts::list::text(standing),
            Self::AlertsTested(channels) => alerts::test::text(channels),
        }
    }

    /// Returns the answer as one JSON object: its data, or a list as `items`.
    pub fn json(&self) -> serde_json::Result<Value> {
        let data = serde_json::to_value(self)?["data"].take();
        Ok(match self {
            Self::SessionsEnded(ended) => ended.json(),
            Self::KeysRotated(rotated) => rotated.json(),
            Self::Healthy(health) => health.with_status(data),
            _ if data.is_array() => json!({ "items": data }),
            _ => data,
        })
    }

    /// Returns the failure that the exit code reports after the answer is printed.
    pub fn verdict(&self) -> Result<(), Failure> {
        match self {
            Self::Healthy(health) if !health.condition.writable => Err(Failure::new("degraded", "")),
            Self::RecordsImported(import) if !import.is_complete => Err(Failure::new("invalid", "")),
            Self::Checked(report) if !report.damages.is_empty() => Err(Failure::new("damaged", "")),
            Self::Repaired(repair) if repair.leaves_any() => Err(Failure::new("damaged", "")),
            Self::AlertsTested(channels)
                if channels.is_empty() || channels.iter().any(|channel| channel.failure.is_some()) =>
            {
                Err(Failure::new("alerts_failed", ""))
            }
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests;
