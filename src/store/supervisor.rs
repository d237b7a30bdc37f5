//! Recovery from disk failures. After one failed write, redb refuses all further writes until the file is opened again.
//! Until then reads go on, writes get a retryable error, and the supervisor tries to reopen the file.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use parking_lot::RwLock;
use redb::{Database, ReadOnlyTable, ReadableDatabase, StorageBackend, TableError};
use tokio::sync::watch;

use super::{
    backend::{Backend, Journal, Overlay},
    disk::{Disk, DiskSpace},
    errors::{busy_error, disk_error, open_error},
    format,
    quarantine::Quarantine,
    read::Snapshot,
    view::{ROWS, catch_panic, guarded, guarded_open},
};
use crate::kernel::{Error, Result};

/// Free bytes below which small writes use the reserve.
const RELEASE_RESERVE_BELOW_BYTES: u64 = 4 << 20;

/// Options for opening the store.
#[derive(Clone)]
pub struct Options {
    /// Size of redb's cache in bytes. The operating system caches the file too, so a larger value duplicates memory.
    pub cache_bytes: usize,
    /// Bytes reserved on disk next to the store. They are released when the disk is full.
    pub reserve_bytes: u64,
    /// Delay before the file is reopened, by the number of attempts so far.
    pub pause: Arc<dyn Fn(u32) -> Duration + Send + Sync>,
}

impl Default for Options {
    /// 32 MiB of cache, 16 MiB of reserve, delays of 0.1 to 5 seconds.
    fn default() -> Self {
        Self {
            cache_bytes: 32 * 1024 * 1024,
            reserve_bytes: 16 * 1024 * 1024,
            pause: Arc::new(|tries| Duration::from_millis(100 << tries.min(6)).min(Duration::from_secs(5))),
        }
    }
}

impl Options {
    /// Those for a command that goes through the store once: 8 MiB of cache.
    pub fn of_one_pass() -> Self {
        Self { cache_bytes: 8 * 1024 * 1024, ..Self::default() }
    }
}

/// The health of the store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Health {
    /// Reads and writes work.
    Working,
    /// Read only: too little free disk space for further writes.
    Full {
        /// Free bytes.
        free: u64,
    },
    /// Read only: the file was removed or replaced while it was open, so writes would be lost.
    Removed,
    /// Read only: the disk fails. The file is reopened until that succeeds.
    Failing {
        /// What failed, for the log and the operator.
        reason: String,
        /// Whether the disk is full.
        full: bool,
    },
}

/// The writes that are allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AllowedWrites {
    /// All.
    All,
    /// Only those allowed when the disk is nearly full.
    Small,
    /// None.
    None,
}

/// Logs changes of the health state.
fn log_change(before: &Health, now: &Health) {
    if std::mem::discriminant(before) == std::mem::discriminant(now) {
        return;
    }
    match now {
        Health::Working => tracing::info!("the store takes writes again"),
        Health::Full { free } => tracing::error!(free, "the disk is nearly full; the store is read only"),
        Health::Failing { reason, full } => tracing::error!(reason, full, "the disk fails; the store is read only"),
        Health::Removed => tracing::error!(
            "the store's file was removed or replaced; the store is read only. Make a backup before you stop the server"
        ),
    }
}

type Rows = ReadOnlyTable<&'static [u8], &'static [u8]>;

struct Opened {
    database: Option<Arc<Database>>,
    retired: Arc<AtomicBool>,
    writable: bool,
}

/// Owns the open database and reopens it after a failure.
pub(super) struct Supervisor {
    journal: Arc<Journal>,
    options: Options,
    opened: RwLock<Opened>,
    /// The read transaction as of the last commit, shared by all readers until the next commit.
    current: RwLock<Option<Arc<Rows>>>,
    health: watch::Sender<Health>,
    reserved: AtomicBool,
    /// Whether the records of the free pages must be rebuilt before the next write.
    distrusted: AtomicBool,
    /// Whether they were distrusted before.
    rebuilt: AtomicBool,
    format: u32,
    pub(super) quarantine: Arc<Quarantine>,
}

impl Drop for Supervisor {
    fn drop(&mut self) {
        self.invalidate_snapshot();
        close(self.opened.get_mut().database.take());
        // Snapshots may outlive the store; they must not keep the file locked.
        self.journal.disk.close();
    }
}

impl Supervisor {
    /// Opens the store on a disk.
    pub(super) fn open(disk: Arc<dyn Disk>, options: Options) -> Result<Self> {
        let journal = Arc::new(Journal::new(disk));
        let (database, retired) = match open_backed(&journal, &options) {
            // What a file that was cut short still has can be read, and repaired or copied.
            Err(error) if error.is_damage() && journal.disk.fill_up().map_err(disk_error)? => {
                open_backed(&journal, &options)?
            }
            opened => opened?,
        };
        let format = format::prepare(&database)?;
        let opened = Opened { database: Some(Arc::new(database)), retired, writable: true };
        let supervisor = Self {
            journal,
            options,
            opened: RwLock::new(opened),
            current: RwLock::default(),
            health: watch::Sender::new(Health::Working),
            reserved: AtomicBool::new(false),
            distrusted: AtomicBool::new(false),
            rebuilt: AtomicBool::new(false),
            quarantine: Arc::default(),
            format,
        };
        Ok(supervisor)
    }

    /// The format of the file.
    pub(super) const fn format(&self) -> u32 {
        self.format
    }

    pub(super) fn health(&self) -> watch::Receiver<Health> {
        self.health.subscribe()
    }

    pub(super) fn is_failing(&self) -> bool {
        matches!(*self.health.borrow(), Health::Failing { .. })
    }

    /// The error for a write that is refused now. The change of health has already been logged with its reason.
    pub(super) fn refusal(&self) -> Error {
        let (seconds, words, detail) = match &*self.health.borrow() {
            Health::Working => return busy_error(1, "the store takes no writes now"),
            Health::Full { .. } | Health::Failing { full: true, .. } => {
                (10, "errors.disk_full", "the disk is nearly full".to_owned())
            }
            Health::Failing { reason, .. } => (1, "errors.disk_failing", format!("the disk fails: {reason}")),
            Health::Removed => (10, "errors.disk_failing", "the store's file was removed".to_owned()),
        };
        busy_error(seconds, &detail).say(words, Vec::new()).already_logged()
    }

    /// Returns the delay after this number of attempts to reopen the file.
    pub(super) fn pause(&self, tries: u32) -> Duration {
        (self.options.pause)(tries)
    }

    fn set_health(&self, health: Health) {
        self.health.send_if_modified(|now| {
            log_change(now, &health);
            let changed = *now != health;
            *now = health;
            changed
        });
    }

    /// Checks the disk and returns the current health.
    pub(super) fn check_health(&self) -> Health {
        self.check_disk().0
    }

    /// Checks the disk and returns the current health, and the space of the disk if the file is there and the disk can tell.
    fn check_disk(&self) -> (Health, Option<DiskSpace>) {
        let is_in_place = self.is_in_place();
        let space = if is_in_place { self.disk_space() } else { None };
        let found = match space {
            Some(DiskSpace { free, total }) if free < min_free_bytes(total) => Health::Full { free },
            None if !is_in_place => Health::Removed,
            _ => Health::Working,
        };
        self.health.send_if_modified(|now| {
            // Only a successful reopening ends the failing state.
            if matches!(now, Health::Failing { .. }) || *now == found {
                return false;
            }
            log_change(now, &found);
            *now = found;
            true
        });
        (self.health.borrow().clone(), space)
    }

    /// Whether the store's file is still where it was opened. If the disk cannot tell, true is assumed.
    pub(super) fn is_in_place(&self) -> bool {
        self.journal.disk.is_in_place().unwrap_or(true)
    }

    /// Returns free and total space of the disk.
    pub(super) fn disk_space(&self) -> Option<DiskSpace> {
        self.journal.disk.disk_space().ok()
    }

    fn database(&self, for_writing: bool) -> Option<Arc<Database>> {
        let opened = self.opened.read();
        if for_writing && !opened.writable { None } else { opened.database.clone() }
    }

    /// Returns the database if it takes writes.
    pub(super) fn writable(&self) -> Result<Arc<Database>> {
        self.database(true).ok_or_else(|| self.refusal())
    }

    /// Returns a snapshot of the current state.
    pub(super) fn snapshot(&self) -> Result<Snapshot> {
        let known = self.current.read().clone();
        let rows = match known {
            Some(rows) => rows,
            None => self.begin_read()?,
        };
        Ok(Snapshot { rows, quarantine: self.quarantine.clone() })
    }

    /// Invalidates the shared read transaction, because newer rows may exist.
    pub(super) fn invalidate_snapshot(&self) {
        *self.current.write() = None;
    }

    fn begin_read(&self) -> Result<Arc<Rows>> {
        // Held until the new transaction is shared, so that a concurrent commit invalidates it afterwards.
        let mut current = self.current.write();
        if let Some(rows) = &*current {
            return Ok(rows.clone());
        }
        let database = self.database(false).ok_or_else(|| self.refusal())?;
        let rows = guarded(|| {
            let transaction = database.begin_read().map_err(|error| match error {
                redb::TransactionError::Storage(error) => error,
                error => redb::StorageError::Corrupted(error.to_string()),
            })?;
            transaction.open_table(ROWS).map_err(|error| match error {
                TableError::Storage(error) => error,
                error => redb::StorageError::Corrupted(error.to_string()),
            })
        });
        let rows = Arc::new(rows.map_err(|error| self.quarantine.failed(error))?);
        *current = Some(rows.clone());
        Ok(rows)
    }

    /// Returns which writes are allowed now. Creates the reserve while there is ample space.
    pub(super) fn allowed_writes(&self) -> AllowedWrites {
        let (health, space) = self.check_disk();
        match health {
            Health::Working => {}
            // Session writes are small and mostly use free pages of the file. The reserve is released before a write
            // that must grow the file fails for want of space.
            Health::Full { .. } => {
                if space.is_some_and(|room| room.free < RELEASE_RESERVE_BELOW_BYTES) {
                    self.release_reserve();
                }
                return AllowedWrites::Small;
            }
            Health::Removed | Health::Failing { .. } => return AllowedWrites::None,
        }
        let reserve = self.options.reserve_bytes;
        let ample = |room: DiskSpace| room.free.saturating_sub(reserve.saturating_mul(4)) > min_free_bytes(room.total);
        if reserve > 0
            && space.is_some_and(ample)
            && !self.reserved.swap(true, Ordering::AcqRel)
            && let Err(error) = self.journal.disk.keep_reserve(reserve)
        {
            tracing::warn!(%error, "the reserve for a full disk could not be created");
        }
        AllowedWrites::All
    }

    /// Whether the open database still takes writes.
    pub(super) fn probe(&self) -> bool {
        self.database(true).is_some_and(|database| {
            catch_unwind(AssertUnwindSafe(|| database.begin_write().is_ok_and(|probe| probe.abort().is_ok())))
                .unwrap_or(false)
        })
    }

    /// Whether the checksums of all pages are correct. Repairs that redb makes on the way stay in memory.
    pub(super) fn has_sound_pages(&self) -> Result<bool> {
        let overlay = Overlay::new(self.journal.clone()).map_err(disk_error)?;
        let check = || {
            let mut database = open_on(overlay, self.options.cache_bytes)?;
            database.check_integrity().map_err(open_error)
        };
        match catch_panic(check) {
            Some(Err(error)) if !error.is_damage() => Err(error),
            outcome => Ok(matches!(outcome, Some(Ok(true)))),
        }
    }

    /// Lets the next reopening rebuild the records of the free pages: redb reads them without verifying them, and wrong
    /// ones make every write panic. Has an effect once, because it reads the whole file, and a write can also panic on
    /// a damaged page of its own.
    pub(super) fn distrust_free_pages(&self) {
        if !self.rebuilt.swap(true, Ordering::AcqRel) {
            self.distrusted.store(true, Ordering::Release);
        }
    }

    /// Sets the health to failing.
    pub(super) fn set_failing(&self, reason: &str) {
        self.set_health(Health::Failing { reason: reason.to_owned(), full: self.journal.is_full() });
    }

    /// Reopens the file; `tries` is the number of failed attempts so far. Returns whether that succeeded. Otherwise
    /// falls back to reading what is on the disk.
    pub(super) fn reopen(&self, reason: &str, tries: u32) -> bool {
        self.set_failing(reason);
        if self.journal.take_full() {
            self.release_reserve();
        }
        // With a damaged page the rebuild would fail, and the store still takes the writes that do not meet that page.
        let rebuild = self.distrusted.load(Ordering::Acquire) && self.has_sound_pages().unwrap_or(false);
        let failure = match self.try_reopen(rebuild) {
            Ok(()) => {
                self.distrusted.store(false, Ordering::Release);
                self.set_health(Health::Working);
                return true;
            }
            Err(error) => error,
        };
        let fallen_back = self.fall_back();
        // Log only the first failed attempt.
        if tries == 0 {
            tracing::warn!(?failure, "the store could not be opened again yet");
            if let Err(error) = fallen_back {
                tracing::warn!(?error, "the store could not be opened for reading either");
            }
        }
        false
    }

    fn release_reserve(&self) {
        self.reserved.store(false, Ordering::Release);
        match self.journal.disk.give_up_reserve() {
            Ok(true) => tracing::warn!("the disk is full; the reserve was given up"),
            Ok(false) => {}
            Err(error) => tracing::error!(%error, "the reserve could not be given up"),
        }
    }

    /// Opens the file again; `rebuild` rebuilds the records of the free pages from the pages in use, which must be sound.
    pub(super) fn try_reopen(&self, rebuild: bool) -> Result<()> {
        if self.database(true).is_some() {
            // Cuts the failed database off from the file.
            self.opened.read().retired.store(true, Ordering::Release);
        }
        self.journal.replay().map_err(disk_error)?;
        let (mut database, retired) = open_backed(&self.journal, &self.options)?;
        if rebuild {
            guarded_open(|| database.check_integrity().map_err(open_error))?;
        }
        verify_writable(&database)?;
        self.swap(Opened { database: Some(Arc::new(database)), retired, writable: true });
        Ok(())
    }

    /// Opens the disk read only; redb's changes while opening stay in memory.
    fn fall_back(&self) -> Result<()> {
        if self.database(true).is_none() {
            return Ok(());
        }
        let overlay = Overlay::new(self.journal.clone()).map_err(disk_error)?;
        let database = open_on(overlay, self.options.cache_bytes)?;
        let retired = Arc::new(AtomicBool::new(true));
        self.swap(Opened { database: Some(Arc::new(database)), retired, writable: false });
        Ok(())
    }

    fn swap(&self, opened: Opened) {
        let before = {
            let mut current = self.opened.write();
            std::mem::replace(&mut *current, opened)
        };
        self.invalidate_snapshot();
        close(before.database);
    }
}

/// Closes a database. Closing may panic on damaged pages. Acknowledged writes are on disk in any case, and the next
/// open determines the pages in use.
fn close(database: Option<Arc<Database>>) {
    if catch_panic(|| drop(database)).is_none() {
        tracing::error!("the store could not be closed cleanly: its file is damaged");
    }
}

/// Bytes that must stay free: 5 % of the disk, at least 32 MiB and at most 512 MiB.
fn min_free_bytes(total: u64) -> u64 {
    (total / 20).clamp(32 << 20, 512 << 20)
}

fn open_backed(journal: &Arc<Journal>, options: &Options) -> Result<(Database, Arc<AtomicBool>)> {
    let retired = Arc::new(AtomicBool::new(false));
    let backend = Backend { journal: journal.clone(), retired: retired.clone() };
    Ok((open_on(backend, options.cache_bytes)?, retired))
}

fn open_on(backend: impl StorageBackend, cache_bytes: usize) -> Result<Database> {
    guarded_open(|| Database::builder().set_cache_size(cache_bytes).create_with_backend(backend).map_err(open_error))
}

/// Verifies with an empty commit that the disk takes writes.
fn verify_writable(database: &Database) -> Result<()> {
    let mut transaction = database.begin_write().map_err(disk_error)?;
    transaction.set_quick_repair(true);
    transaction.commit().map_err(disk_error)
}
