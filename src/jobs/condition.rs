//! How the installation is, for whatever watches over it: whether writes are taken, how much room is left, what
//! became of the last backup, of mail and of the index, and what was found damaged. Each change of it is logged once,
//! and administrators are told once of what concerns them.

use std::{
    path::PathBuf,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use serde::{Deserialize, Serialize};
use tokio::sync::watch;

use crate::{
    access::members::{Company, CompanyState, tenants},
    config::Backups,
    features::{files::FileStore, operator},
    index::Engine,
    kernel::{Result, Timestamp},
    mail::Mailer,
    store::{Actor, Health, Room, Store, TenantWrite},
};

/// How often the condition is looked at.
const PACE: Duration = Duration::from_secs(15);
/// Changes that the index may be behind; it takes thousands a second, so more means that it does not follow.
const BEHIND: u64 = 5_000;
/// How many times its interval a backup may be old.
const OVERDUE: u32 = 2;

/// Why an installation is degraded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reason {
    /// There is too little room on the disk: only sessions are written.
    DiskFull,
    /// The disk fails: nothing is written.
    DiskFailing,
    /// The store's file was removed or replaced: nothing is written.
    StoreRemoved,
    /// Rows or uploads are damaged.
    Damaged,
    /// The last backup was not made.
    BackupFailed,
    /// The last backup is older than twice the interval.
    BackupOverdue,
    /// Mail waits for longer than an hour, because the mail server does not take it.
    MailWaiting,
    /// The search index is behind.
    IndexBehind,
}

impl Reason {
    /// All of them.
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

    /// The stable word.
    #[must_use]
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

    /// Why no write is taken, if none is.
    const fn of(health: &Health) -> Option<Self> {
        match health {
            Health::Working => None,
            Health::Full { .. } | Health::Failing { full: true, .. } => Some(Self::DiskFull),
            Health::Failing { .. } => Some(Self::DiskFailing),
            Health::Removed => Some(Self::StoreRemoved),
        }
    }
}

/// How the installation is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Condition {
    /// Why it is degraded; nothing when it is not.
    pub reasons: Vec<Reason>,
    /// Whether it takes writes.
    pub writable: bool,
    /// Bytes that are free on the disk of the store.
    pub disk_free: Option<u64>,
    /// Bytes that this disk has.
    pub disk_total: Option<u64>,
    /// When the newest backup by the clock was made.
    pub last_backup: Option<String>,
    /// Why the last backup by the clock was not made.
    pub backup_error: Option<String>,
    /// Rows and uploads that are damaged, as far as is known.
    pub damaged: u64,
    /// Letters that wait for longer than an hour.
    pub mail_waiting: u64,
    /// Changes that search does not know yet.
    pub index_behind: u64,
    /// Folders in the data directory with what restores replaced.
    pub replaced: u64,
}

/// What is known of the last backup and the last reading of the store.
#[derive(Default)]
struct Noted {
    backup: Option<Timestamp>,
    error: Option<String>,
    damaged: u64,
    reasons: Vec<Reason>,
}

/// Looks after the condition. Cheap to clone.
#[derive(Clone)]
pub struct HealthMonitor {
    store: Store,
    engine: Engine,
    mailer: Mailer,
    vault: FileStore,
    home: PathBuf,
    backups: Backups,
    began: Timestamp,
    noted: Arc<Mutex<Noted>>,
}

impl HealthMonitor {
    /// For an installation.
    #[must_use]
    pub fn new(vault: FileStore, engine: Engine, mailer: Mailer, home: PathBuf, backups: Backups) -> Self {
        let store = vault.store().clone();
        let began = store.clock().now();
        Self { store, engine, mailer, vault, home, backups, began, noted: Arc::default() }
    }

    fn noted(&self) -> MutexGuard<'_, Noted> {
        self.noted.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes when the newest backup was made.
    pub(super) fn has_backup(&self, at: Timestamp) {
        let mut noted = self.noted();
        (noted.backup, noted.error) = (Some(at), None);
    }

    /// Notes that no backup could be made.
    pub(super) fn has_no_backup(&self, why: String) {
        self.noted().error = Some(why);
    }

    /// Notes how many rows the last reading of the store found damaged.
    pub fn has_damage(&self, rows: u64) {
        self.noted().damaged = rows;
    }

    /// Why the installation is degraded: whether writes are taken as it is now, all else as it was seen last.
    #[must_use]
    pub fn reasons(&self) -> Vec<Reason> {
        let mut reasons: Vec<Reason> = Reason::of(&self.store.look()).into_iter().collect();
        reasons.extend(&self.noted().reasons);
        reasons
    }

    /// Whether reads are answered.
    ///
    /// # Errors
    /// `busy` when the store cannot be read.
    pub fn reads(&self) -> Result<()> {
        self.store.snapshot().map(drop)
    }

    /// How the installation is now.
    ///
    /// # Errors
    /// `busy` or `internal` when the store cannot be read.
    pub fn condition(&self) -> Result<Condition> {
        let health = self.store.look();
        let (now, room) = (self.store.clock().now(), self.store.room());
        let index_behind = self.store.snapshot()?.last_change()?.saturating_sub(self.engine.reached());
        let mail_waiting = self.mailer.late()?;
        let mut noted = self.noted();
        let damaged = noted.damaged.max(self.store.damaged().len() as u64) + self.vault.damaged();
        let since = noted.backup.unwrap_or(self.began);
        let most = i64::try_from((self.backups.every * OVERDUE).as_millis()).unwrap_or(i64::MAX);
        let is_overdue = self.backups.folder.is_some() && now.millis().saturating_sub(since.millis()) > most;
        let found = [
            (damaged > 0, Reason::Damaged),
            (noted.error.is_some(), Reason::BackupFailed),
            (is_overdue, Reason::BackupOverdue),
            (mail_waiting > 0, Reason::MailWaiting),
            (index_behind > BEHIND, Reason::IndexBehind),
        ];
        noted.reasons = found.into_iter().filter(|(is_so, _)| *is_so).map(|(_, reason)| reason).collect();
        Ok(Condition {
            reasons: Reason::of(&health).into_iter().chain(noted.reasons.iter().copied()).collect(),
            writable: health == Health::Working,
            disk_free: room.map(|Room { free, .. }| free),
            disk_total: room.map(|Room { total, .. }| total),
            last_backup: noted.backup.map(|at| at.to_string()),
            backup_error: noted.error.clone(),
            damaged,
            mail_waiting,
            index_behind,
            replaced: operator::kept(&self.home).len() as u64,
        })
    }

    /// Looks at the condition until `stop` says true, logs what changes and tells administrators.
    pub async fn run(self, mut stop: watch::Receiver<bool>) {
        let (mut known, mut told) = (Vec::new(), None);
        loop {
            let looking = self.clone();
            let seen = tokio::task::spawn_blocking(move || looking.condition()).await;
            if let Ok(Ok(condition)) = seen {
                // What keeps writes away the store has logged itself.
                let others: Vec<Reason> = self.noted().reasons.clone();
                if others != known {
                    match others.as_slice() {
                        [] => tracing::info!("nothing is wrong with the installation any more"),
                        reasons => tracing::warn!(?reasons, "the installation is degraded"),
                    }
                    known = others;
                }
                let is_full = condition.reasons.contains(&Reason::DiskFull);
                if !is_full {
                    told = None;
                } else if told.is_none() {
                    told = self.tell_of_full_disk().await.ok();
                }
            }
            tokio::select! {
                _ = stop.wait_for(|stop| *stop) => return,
                () = tokio::time::sleep(PACE) => {}
            }
        }
    }

    /// Tells the administrators of every company that nothing can be saved. It is a small write, which may be made
    /// below the floor of free space.
    ///
    /// # Errors
    /// `busy` or `internal` when it cannot be written, or not for all.
    pub async fn tell_of_full_disk(&self) -> Result<()> {
        let all = tenants(&self.store.snapshot()?)?;
        for tenant in all {
            self.store.write_even_when_full(tenant, Actor::System, tell).await?;
        }
        Ok(())
    }
}

fn tell(tx: &TenantWrite<'_>) -> Result<()> {
    if Company::of(tx)?.state != CompanyState::Active {
        return Ok(());
    }
    let gaps: Vec<(&'static str, String)> = Vec::new();
    operator::tell_admins(tx, "server.condition.disk_full", "triangle-alert", gaps, "/settings/company")
}
