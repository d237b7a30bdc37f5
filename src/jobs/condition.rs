//! Health monitoring of the installation: whether it takes writes, free disk space, the last backup, waiting e-mails,
//! index lag and damage. Logs each change once and notifies administrators once when the disk is full.

use std::{path::PathBuf, sync::Arc, time::Duration};

use parking_lot::{Mutex, MutexGuard};
use serde::{Deserialize, Serialize};
use tokio::time::sleep;

use super::runner::{Job, Retry};
use crate::{
    config::Backups,
    features::{files::FileStore, operator},
    index::Engine,
    kernel::{Result, Timestamp, run_blocking},
    mail::Mailer,
    people::members::{Company, CompanyState, tenants},
    store::{Actor, DiskSpace, Health, Store, TenantWrite},
};

/// Interval between checks.
const CHECK_INTERVAL: Duration = Duration::from_secs(15);
/// Changes that the index may lag behind. It indexes thousands a second, so a larger lag means that it does not keep
/// up.
const MAX_INDEX_LAG: u64 = 5_000;
/// E-mails of the queue that are checked.
const MAX_CHECKED_EMAILS: usize = 1_000;
/// Maximum age of the newest backup, as a multiple of the backup interval.
const OVERDUE_INTERVALS: u32 = 2;

/// Why an installation is degraded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DegradedReason {
    /// The disk has too little free space; only sessions are written.
    DiskFull,
    /// The disk fails; nothing is written.
    DiskFailing,
    /// The store's file was removed or replaced; nothing is written.
    StoreRemoved,
    /// Rows or uploads are damaged.
    Damaged,
    /// The last scheduled backup failed.
    BackupFailed,
    /// The last backup is older than twice the interval.
    BackupOverdue,
    /// E-mails have waited for more than an hour because the mail server does not accept them.
    MailWaiting,
    /// The search index lags behind.
    IndexBehind,
}

impl DegradedReason {
    /// All reasons.
    pub const ALL: [Self; 8] = [
        Self::DiskFull,
        Self::DiskFailing,
        Self::StoreRemoved,
        Self::Damaged,
        Self::BackupFailed,
        Self::BackupOverdue,
        Self::MailWaiting,
        Self::IndexBehind,
    ];

    /// Returns the stable name of the reason.
    pub const fn word(self) -> &'static str {
        match self {
            Self::DiskFull => "disk-full",
            Self::DiskFailing => "disk-failing",
            Self::StoreRemoved => "store-removed",
            Self::Damaged => "damaged",
            Self::BackupFailed => "backup-failed",
            Self::BackupOverdue => "backup-overdue",
            Self::MailWaiting => "mail-waiting",
            Self::IndexBehind => "index-behind",
        }
    }

    /// Returns why writes are refused, if they are.
    const fn of(health: &Health) -> Option<Self> {
        match health {
            Health::Working => None,
            Health::Full { .. } | Health::Failing { full: true, .. } => Some(Self::DiskFull),
            Health::Failing { .. } => Some(Self::DiskFailing),
            Health::Removed => Some(Self::StoreRemoved),
        }
    }
}

/// Health of the installation.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Condition {
    /// Why it is degraded; empty when it is not.
    pub reasons: Vec<DegradedReason>,
    /// Whether writes are accepted.
    pub writable: bool,
    /// Free bytes on the disk of the store.
    pub disk_free: Option<u64>,
    /// Total bytes of this disk.
    pub disk_total: Option<u64>,
    /// When the newest scheduled backup was made.
    pub last_backup: Option<Timestamp>,
    /// Why the last scheduled backup failed.
    pub backup_error: Option<String>,
    /// Number of rows and uploads known to be damaged.
    pub damaged: u64,
    /// Number of e-mails that have waited for more than an hour.
    pub mail_waiting: u64,
    /// Number of changes that are not indexed yet.
    pub index_behind: u64,
    /// Number of folders in the data directory with data that restores replaced.
    pub replaced: u64,
}

/// Results of the last backup and the last scrub, and the last known reasons.
#[derive(Default)]
struct Recorded {
    backup: Option<Timestamp>,
    error: Option<String>,
    damaged: u64,
    reasons: Vec<DegradedReason>,
}

/// Health monitor. Cheap to clone.
#[derive(Clone)]
pub struct HealthMonitor {
    store: Store,
    engine: Engine,
    mailer: Mailer,
    file_store: FileStore,
    home: PathBuf,
    backups: Backups,
    began: Timestamp,
    recorded: Arc<Mutex<Recorded>>,
}

impl HealthMonitor {
    /// Creates a monitor for an installation.
    pub fn new(file_store: FileStore, engine: Engine, mailer: Mailer, home: PathBuf, backups: Backups) -> Self {
        let store = file_store.store().clone();
        let began = store.clock().now();
        Self { store, engine, mailer, file_store, home, backups, began, recorded: Arc::default() }
    }

    fn recorded(&self) -> MutexGuard<'_, Recorded> {
        self.recorded.lock()
    }

    /// Returns the settings of scheduled backups.
    pub const fn backups(&self) -> &Backups {
        &self.backups
    }

    /// Records when the newest backup was made, while the next one is due.
    pub(super) fn record_due_backup(&self, newest: Timestamp) {
        self.recorded().backup = Some(newest);
    }

    /// Records when the newest backup was made, and that none is due.
    pub(super) fn record_backup(&self, at: Timestamp) {
        let mut recorded = self.recorded();
        (recorded.backup, recorded.error) = (Some(at), None);
    }

    /// Records that a backup failed.
    pub(super) fn record_backup_failure(&self, why: String) {
        self.recorded().error = Some(why);
    }

    /// Records how many rows the last scrub found damaged.
    pub fn record_damage(&self, rows: u64) {
        self.recorded().damaged = rows;
    }

    /// Returns why the installation is degraded: refused writes as of now, all other reasons as of the last check.
    pub fn reasons(&self) -> Vec<DegradedReason> {
        let mut reasons: Vec<DegradedReason> = DegradedReason::of(&self.store.check_health()).into_iter().collect();
        reasons.extend(&self.recorded().reasons);
        reasons
    }

    /// Checks whether the store can be read.
    pub fn check_readable(&self) -> Result<()> {
        self.store.snapshot().map(drop)
    }

    /// Checks the health of the installation now.
    pub fn condition(&self) -> Result<Condition> {
        let health = self.store.check_health();
        let now = self.store.clock().now();
        let room = self.store.disk_space();
        let index_behind = self.store.snapshot()?.last_change()?.saturating_sub(self.engine.reached());
        let mail_waiting = self.mailer.queue(None, MAX_CHECKED_EMAILS)?.late;
        self.file_store.forget_removed()?;
        let mut recorded = self.recorded();
        let damaged = recorded.damaged.max(self.store.damaged().len() as u64) + self.file_store.damaged();
        let since = recorded.backup.unwrap_or(self.began);
        let max_millis = i64::try_from((self.backups.every * OVERDUE_INTERVALS).as_millis()).unwrap_or(i64::MAX);
        let is_overdue = self.backups.folder.is_some() && now.millis().saturating_sub(since.millis()) > max_millis;
        let found = [
            (damaged > 0, DegradedReason::Damaged),
            (recorded.error.is_some(), DegradedReason::BackupFailed),
            (is_overdue, DegradedReason::BackupOverdue),
            (mail_waiting > 0, DegradedReason::MailWaiting),
            (index_behind > MAX_INDEX_LAG, DegradedReason::IndexBehind),
        ];
        recorded.reasons = found.into_iter().filter(|(is_so, _)| *is_so).map(|(_, reason)| reason).collect();
        Ok(Condition {
            reasons: DegradedReason::of(&health).into_iter().chain(recorded.reasons.iter().copied()).collect(),
            writable: health == Health::Working,
            disk_free: room.map(|DiskSpace { free, .. }| free),
            disk_total: room.map(|DiskSpace { total, .. }| total),
            last_backup: recorded.backup,
            backup_error: recorded.error.clone(),
            damaged,
            mail_waiting,
            index_behind,
            replaced: operator::replaced_folders(&self.home).len() as u64,
        })
    }

    /// Notifies the administrators of every tenant that nothing can be saved. This small write is allowed below the
    /// floor of free space.
    pub async fn notify_full_disk(&self) -> Result<()> {
        let all = tenants(&self.store.snapshot()?)?;
        for tenant in all {
            self.store.write_even_when_full(tenant, Actor::System, notify).await?;
        }
        Ok(())
    }
}

/// Checks the health, logs changes and notifies administrators.
pub struct HealthJob {
    monitor: HealthMonitor,
    /// The reasons of the last check, without refused writes, which the store logs itself.
    known: Vec<DegradedReason>,
    /// Whether administrators know that the disk is full.
    has_notified: bool,
}

impl HealthJob {
    /// Creates the job of a monitor.
    pub const fn new(monitor: HealthMonitor) -> Self {
        Self { monitor, known: Vec::new(), has_notified: false }
    }

    fn log_changes(&mut self) {
        let reasons = self.monitor.recorded().reasons.clone();
        if reasons == self.known {
            return;
        }
        match reasons.as_slice() {
            [] => tracing::info!("the installation is healthy again"),
            reasons => tracing::warn!(?reasons, "the installation is degraded"),
        }
        self.known = reasons;
    }
}

impl Job for HealthJob {
    const NAME: &'static str = "health";
    const RETRY: Retry = Retry::every(CHECK_INTERVAL);

    async fn due(&mut self) {
        sleep(CHECK_INTERVAL).await;
    }

    async fn run(&mut self) -> Result<()> {
        let monitor = self.monitor.clone();
        let condition = run_blocking(move || monitor.condition()).await?;
        self.log_changes();
        let is_full = condition.reasons.contains(&DegradedReason::DiskFull);
        self.has_notified = is_full && (self.has_notified || self.monitor.notify_full_disk().await.is_ok());
        Ok(())
    }
}

fn notify(tx: &TenantWrite<'_>) -> Result<()> {
    if Company::of(tx)?.state != CompanyState::Active {
        return Ok(());
    }
    let params: Vec<(&'static str, String)> = Vec::new();
    operator::notify_admins(tx, "server.condition.disk_full", "triangle-alert", params, "/settings/company")
}
