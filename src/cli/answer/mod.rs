//! Answers to the operator's commands, the same from the running server and from this process: sentences and tables for
//! people, JSON objects for scripts.

use serde::{Deserialize, Serialize};
use serde_json::Value;

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
use crate::monitoring::{ChannelState, Standing};

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
    pub fn text(&self) -> String {
        match self {
            Self::TenantCreated(made) => made.text(),
            Self::Tenant(tenant) => tenant.text(),
            Self::Tenants(tenants) => tenant::list::text(tenants),
            Self::TenantUpdated(tenant) => tenant.about("was updated"),
            Self::TenantSuspended(tenant) => tenant::state::suspended(tenant),
            Self::TenantResumed(tenant) => tenant.about("is active again"),
            Self::TenantAlready(tenant) => tenant::state::already(tenant),
            Self::TenantExported(export) => export.text(),
            Self::TenantImported(import) => import.text(),
            Self::TenantDeleted(tenant) => tenant.about("was deleted with all its data"),
            Self::RecordsImported(import) => import.text(),
            Self::RecordsExported(export) => export.text(),
            Self::UserCreated(user) => user::create::text(user),
            Self::Users(users) => user::list::text(users),
            Self::PasswordSet(user) => user::set_password::text(user),
            Self::UserInvited(user) => user::invite::text(user),
            Self::RoleSet(user) => user::set_role::text(user),
            Self::RoleAlready(user) => user::set_role::already(user),
            Self::FactorsReset(user) => user::reset_factors::text(user),
            Self::NoFactors(user) => user::reset_factors::already(user),
            Self::UserSuspended(user) => user::state::suspended(user),
            Self::UserResumed(user) => user::state::resumed(user),
            Self::UserAlready(user) => user::state::already(user),
            Self::Sessions(sessions) => user::sessions::text(sessions),
            Self::SessionsEnded(ended) => ended.text(),
            Self::KeysRotated(rotated) => rotated.text(),
            Self::Mail(emails) => mail::list::text(emails),
            Self::TestSent(sent) => sent.text(),
            Self::BackedUp(backup) => backup.text(),
            Self::Restored(restore) => restore.text(),
            Self::Checked(report) => report.text(),
            Self::Repaired(repair) => repair.text(),
            Self::Reindexed(index) => index.text(),
            Self::Compacted(store) => store.text(),
            Self::Examined(_) => String::new(),
            Self::Healthy(health) => health.text(),
            Self::Status(status) => status.text(),
            Self::Alerts(standing) => alerts::list::text(standing),
            Self::AlertsTested(channels) => alerts::test::text(channels),
        }
    }

    /// Returns the answer as it is printed, without a line break at the end: for people, or as JSON for scripts.
    pub fn shown(&self, json: bool) -> Result<String, Failure> {
        if !json {
            return Ok(self.text());
        }
        let lines = self.json().map_err(Failure::internal)?;
        Ok(lines.iter().map(Value::to_string).collect::<Vec<_>>().join("\n"))
    }

    /// Returns the answer as JSON objects: one with its data, or one for each item of a list.
    fn json(&self) -> serde_json::Result<Vec<Value>> {
        let data = serde_json::to_value(self)?["data"].take();
        Ok(match (self, data) {
            (Self::SessionsEnded(ended), _) => vec![ended.json()],
            (Self::KeysRotated(rotated), _) => vec![rotated.json()],
            (Self::Healthy(health), data) => vec![health.with_status(data)],
            (_, Value::Array(items)) => items,
            (_, data) => vec![data],
        })
    }

    /// Returns the failure that the exit code reports after the answer is printed.
    pub fn verdict(&self) -> Result<(), Failure> {
        match self {
            Self::Healthy(health) if !health.condition.writable => Err(Failure::new("degraded", "")),
            Self::RecordsImported(import) if !import.is_complete => Err(Failure::new("invalid", "")),
            Self::Checked(report) if !report.damages.is_empty() => Err(Failure::new("damaged", "")),
            Self::Repaired(repair) if repair.leaves_any() => Err(Failure::new("damaged", "")),
            Self::AlertsTested(channels) if channels.is_empty() => {
                Err(Failure::new("alerts_failed", alerts::list::NO_CHANNEL))
            }
            Self::AlertsTested(channels) if channels.iter().any(|channel| channel.failure.is_some()) => {
                Err(Failure::new("alerts_failed", ""))
            }
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests;
