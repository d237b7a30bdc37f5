//! What concerns a company in the condition of the server: for its administrators, who cannot see the server itself.

use std::sync::Arc;

use poem::{FromRequest, Request, RequestBody};
use poem_openapi::{Enum, Object};
use serde::Serialize;
use serde_with::skip_serializing_none;

use crate::{
    features::files::{FileStore, stored_bytes},
    kernel::{Error, Result, Timestamp},
    mail::{MailQueue, Mailer},
    store::TenantRead,
    wire::Problem,
};

/// The condition of the server, without anything about its companies.
pub struct ServerCondition {
    /// Whether changes are accepted.
    pub writable: bool,
    /// When the newest scheduled backup was made; `None` without a schedule.
    pub backup: Option<BackupCondition>,
    /// Whether the search finds the newest changes.
    pub index_is_current: bool,
}

/// The condition of scheduled backups.
pub struct BackupCondition {
    /// When the newest one was made.
    pub last: Option<Timestamp>,
    /// Whether the last one failed, or none was made for too long.
    pub is_failing: bool,
}

/// Determines the condition of the server. The server adds it to each request.
#[derive(Clone)]
pub struct ServerWatch(Arc<dyn Fn() -> Result<ServerCondition> + Send + Sync>);

impl ServerWatch {
    /// Creates it from a function that reads the disk.
    pub fn new(condition: impl Fn() -> Result<ServerCondition> + Send + Sync + 'static) -> Self {
        Self(Arc::new(condition))
    }

    /// Returns the condition. Reads the disk: not for threads that serve requests.
    pub fn condition(&self) -> Result<ServerCondition> {
        (self.0)()
    }
}

impl<'a> FromRequest<'a> for ServerWatch {
    async fn from_request(request: &'a Request, _: &mut RequestBody) -> poem::Result<Self> {
        let missing = || Problem(Error::internal("the server was put together without its condition"));
        Ok(request.data::<Self>().cloned().ok_or_else(missing)?)
    }
}

/// Whether something needs attention.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Enum)]
#[oai(rename = "HealthStatus", rename_all = "lowercase")]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// Nothing to do.
    Ok,
    /// To be looked at soon.
    Warning,
    /// Does not work.
    Failing,
}

/// What concerns the company in the condition of the server.
#[derive(Debug, Serialize, Object)]
#[oai(rename = "CompanyHealth", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct View {
    /// The worst of the statuses below.
    status: Status,
    /// The version of Atrium.
    version: String,
    /// When this was determined.
    checked_at: Timestamp,
    changes: ChangesView,
    backups: BackupsView,
    emails: EmailsView,
    uploads: UploadsView,
    damage: DamageView,
    search: SearchView,
}

/// Whether changes can be saved.
#[derive(Debug, Serialize, Object)]
#[oai(rename = "ChangesHealth")]
struct ChangesView {
    /// `failing` while the server refuses changes, for example because its disk is full.
    status: Status,
}

/// The backups of the server, which contain the company's data.
#[skip_serializing_none]
#[derive(Debug, Serialize, Object)]
#[oai(rename = "BackupsHealth", rename_all = "camelCase", skip_serializing_if_is_none)]
#[serde(rename_all = "camelCase")]
struct BackupsView {
    /// `warning` without scheduled backups; `failing` if the last one failed, or none was made for too long.
    status: Status,
    /// Whether the server makes backups on a schedule.
    scheduled: bool,
    /// When the newest scheduled backup was made; absent if none is known.
    last_at: Option<Timestamp>,
}

/// The company's emails.
#[derive(Debug, Serialize, Object)]
#[oai(rename = "EmailsHealth")]
struct EmailsView {
    /// `warning` without a mail server; `failing` if emails are late.
    status: Status,
    /// Whether a mail server is set up.
    configured: bool,
    /// The company's emails that wait to be sent, among the first 10,000 of the server.
    waiting: u64,
    /// Those that the mail server has not accepted for more than an hour.
    late: u64,
}

/// The room that the company's uploads take.
#[derive(Debug, Serialize, Object)]
#[oai(rename = "UploadsHealth", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
struct UploadsView {
    /// `warning` above nine tenths; `failing` when nothing more can be uploaded.
    status: Status,
    /// The bytes in use.
    used_bytes: u64,
    /// The most bytes that the company may use.
    max_bytes: u64,
}

/// The company's records and uploads that are known to be damaged.
#[derive(Debug, Serialize, Object)]
#[oai(rename = "DamageHealth")]
struct DamageView {
    /// `failing` if there are any. Only the operator of the server can repair them.
    status: Status,
    /// Damaged records.
    records: u64,
    /// Damaged uploads.
    uploads: u64,
}

/// The search.
#[derive(Debug, Serialize, Object)]
#[oai(rename = "SearchHealth")]
struct SearchView {
    /// `warning` while the search does not find the newest changes.
    status: Status,
}

/// What the view is based on, besides the company's own data.
pub struct Found<'a> {
    pub server: ServerCondition,
    pub files: &'a FileStore,
    pub mailer: &'a Mailer,
    pub emails: MailQueue,
}

/// Returns what concerns a company.
pub fn view(tx: &TenantRead<'_>, found: &Found<'_>) -> Result<View> {
    let Found { server, files, mailer, emails } = found;
    let tenant = tx.tenant();
    let used_bytes = stored_bytes(tx)?;
    let max_bytes = files.quota();
    let damaged = files.store().damaged().iter().filter(|damage| damage.tenant == Some(tenant)).count() as u64;
    let damaged_uploads = files.damaged_of(tenant);
    let configured = !mailer.stores_locally();
    let backup = server.backup.as_ref();
    let worst = |faults: &[(bool, Status)]| {
        faults.iter().filter(|(is_so, _)| *is_so).map(|(_, status)| *status).max().unwrap_or(Status::Ok)
    };
    let changes = ChangesView { status: worst(&[(!server.writable, Status::Failing)]) };
    let backups = BackupsView {
        status: worst(&[
            (backup.is_none(), Status::Warning),
            (backup.is_some_and(|backup| backup.is_failing), Status::Failing),
        ]),
        scheduled: backup.is_some(),
        last_at: backup.and_then(|backup| backup.last),
    };
    let emails = EmailsView {
        status: worst(&[(!configured, Status::Warning), (emails.late > 0, Status::Failing)]),
        configured,
        waiting: emails.waiting,
        late: emails.late,
    };
    let uploads = UploadsView {
        status: worst(&[
            (used_bytes > max_bytes - max_bytes / 10, Status::Warning),
            (used_bytes >= max_bytes, Status::Failing),
        ]),
        used_bytes,
        max_bytes,
    };
    let damage = DamageView {
        status: worst(&[(damaged + damaged_uploads > 0, Status::Failing)]),
        records: damaged,
        uploads: damaged_uploads,
    };
    let search = SearchView { status: worst(&[(!server.index_is_current, Status::Warning)]) };
    let all = [changes.status, backups.status, emails.status, uploads.status, damage.status, search.status];
    Ok(View {
        status: all.into_iter().max().unwrap_or(Status::Ok),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        checked_at: files.store().clock().now(),
        changes,
        backups,
        emails,
        uploads,
        damage,
        search,
    })
}
