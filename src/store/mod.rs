//! The embedded database: all persistent data of Atrium in one redb file. Only this module knows the key layout.
//! A write returns once it is durable on disk. Every row read has its checksum verified.

mod archive;
mod backend;
mod backup;
mod bin;
mod changes;
mod codec;
mod cost;
mod derived;
mod disk;
pub mod entries;
mod erase;
mod errors;
mod export;
mod format;
#[cfg(test)]
pub(crate) mod harm;
mod history;
mod home;
mod import;
mod keys;
mod kinds;
mod last_read;
mod maintain;
mod migrate;
mod page;
mod quarantine;
mod queue;
mod read;
mod redact;
mod repair;
mod rows;
mod scan;
mod scrub;
mod series;
mod steps;
mod supervisor;
mod table;
mod trim;
mod view;
mod walk;
mod write;
mod writer;

use std::{
    io,
    path::{Path, PathBuf},
    sync::{
        Arc, Weak,
        atomic::{AtomicBool, Ordering},
    },
};

use tokio::sync::{broadcast, watch};

pub use self::{
    archive::{BackupSummary, Sealer, Title, Unsealer},
    backup::{Backup, OnFile, find_copies, restore, verify as verify_backup},
    bin::{BINNED_BY_MEMBER, BINNED_BY_TIME, Binned, binned_by},
    changes::{Act, Actor, Change, History, Op, Verb},
    codec::{Counters, Lookups, PersonalRecord, Record, RecordId, Stored, TenantRecord},
    cost::WriteCost,
    disk::{Disk, DiskSpace},
    entries::{ID_FILE, STORE},
    export::{Export, ExportSummary},
    history::{HISTORY_BY_RECORD, HistoryChange, HistoryEntry, HistoryEvent, MergedRecord},
    home::{Home, InstallationId},
    import::{Batch, ImportReader, LeftOut, PayloadEdit, TenantArchive},
    last_read::LastRead,
    migrate::needs_upgrade,
    quarantine::{Damage, Fault, count_damage},
    read::{PersonalRead, Snapshot, TenantRead},
    redact::{FoundRow, FoundRows, SearchedRows},
    repair::{AllowedRepair, BrokenRow, Copies},
    scan::{MAX_PAGE_BYTES, Page, Scan, count_fitting},
    scrub::{Pacer, Report},
    series::{next_minute, next_quarter},
    supervisor::{Health, Options},
    table::TableInfo,
    write::{ActEntry, PersonalWrite, TenantWrite},
};
use self::{
    disk::FileDisk,
    errors::disk_error,
    supervisor::Supervisor,
    writer::{CommitChannels, Writer},
};
use crate::kernel::{Clock, Entropy, Error, HistogramCounts, Result, TenantId, Timestamp, progress::Progress};

/// The open store of an installation. Cheap to clone. Dropping the last clone closes the file.
#[derive(Clone)]
pub struct Store(Arc<Inner>);

struct Inner {
    supervisor: Arc<Supervisor>,
    writer: Option<Writer>,
    channels: CommitChannels,
    clock: Clock,
    entropy: Entropy,
}

/// Says whether the file of a store is still open. Does not keep it open.
pub struct OpenFile(Weak<quarantine::Quarantine>);

impl OpenFile {
    /// Whether the store or one of its snapshots is in use. Both hold the quarantine until they have let go of the file.
    pub fn is_open(&self) -> bool {
        self.0.strong_count() > 0
    }
}

impl Drop for Inner {
    /// Waits until all pending writes are durable and the file is closed.
    fn drop(&mut self) {
        if let Some(writer) = self.writer.take() {
            writer.stop();
        }
    }
}

impl Store {
    /// Opens the store in a file. Creates the file when it is missing.
    /// Errors: `busy` when another process holds the file or it cannot be read; `damaged` when the file is damaged;
    /// `internal` when it is not an Atrium store or has a newer format.
    pub fn open(file: &Path, clock: Clock, entropy: Entropy) -> Result<Self> {
        Self::open_file(file, Options::default(), clock, entropy)
    }

    /// Opens the store like [`Store::open`], with the given options.
    pub fn open_file(file: &Path, options: Options, clock: Clock, entropy: Entropy) -> Result<Self> {
        match file.metadata() {
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => make(file)?,
            Err(error) => return Err(disk_error(error)),
        }
        remove(&disk::sibling_path(file, COMPACTED_SUFFIX))?;
        if !migrate::STEPS.is_empty() {
            migrate::upgrade(file, migrate::STEPS)?;
        }
        let disk = FileDisk::open(file).map_err(cannot_open)?;
        Self::open_with(Arc::new(disk), options, clock, entropy)
    }

    /// Opens the store on the given disk.
    /// Errors: `busy` when the disk fails; `internal` when it holds no store of this format version.
    pub fn open_with(disk: Arc<dyn Disk>, options: Options, clock: Clock, entropy: Entropy) -> Result<Self> {
        let supervisor = Arc::new(Supervisor::open(disk, options)?);
        if supervisor.format() != format::FORMAT {
            return Err(migrate::refused(supervisor.format(), migrate::STEPS.len()));
        }
        let channels = CommitChannels::default();
        let writer = Writer::start(supervisor.clone(), clock.clone(), entropy.clone(), channels.clone())?;
        Ok(Self(Arc::new(Inner { supervisor, writer: Some(writer), channels, clock, entropy })))
    }

    /// Returns a snapshot of the current state.
    pub fn snapshot(&self) -> Result<Snapshot> {
        self.0.supervisor.snapshot()
    }

    /// Returns a receiver of the store's health, which also reports changes.
    pub fn health(&self) -> watch::Receiver<Health> {
        self.0.supervisor.health()
    }

    /// Checks the disk and returns the current health. Works without a write.
    pub fn check_health(&self) -> Health {
        self.0.supervisor.check_health()
    }

    /// Returns free and total space of the disk, `None` when the disk does not report it.
    pub fn disk_space(&self) -> Option<DiskSpace> {
        self.0.supervisor.disk_space()
    }

    /// Returns the rows found damaged since the store was opened, at most 1,000.
    pub fn damaged(&self) -> Vec<Damage> {
        self.0.supervisor.quarantine.list()
    }

    /// Runs a write transaction on one tenant's data. Returns, once the commit is durable, the result of `work` and the
    /// sequence number of its last change in the change feed.
    /// Errors: What `work` returns, and nothing is changed then; `busy` when too many writes wait or the disk fails.
    pub async fn write<T: Send + 'static>(
        &self,
        tenant: TenantId,
        actor: Actor,
        work: impl FnOnce(&TenantWrite<'_>) -> Result<T> + Send + 'static,
    ) -> Result<(T, u64)> {
        self.write_as(false, tenant, actor, work).await
    }

    /// Writes like [`Store::write`], also when the disk is nearly full. Meant for sessions, which reading requires, and
    /// for notifications to administrators. These writes fail too when the file must grow and the disk has no space
    /// left.
    pub async fn write_even_when_full<T: Send + 'static>(
        &self,
        tenant: TenantId,
        actor: Actor,
        work: impl FnOnce(&TenantWrite<'_>) -> Result<T> + Send + 'static,
    ) -> Result<(T, u64)> {
        self.write_as(true, tenant, actor, work).await
    }

    async fn write_as<T: Send + 'static>(
        &self,
        small: bool,
        tenant: TenantId,
        actor: Actor,
        work: impl FnOnce(&TenantWrite<'_>) -> Result<T> + Send + 'static,
    ) -> Result<(T, u64)> {
        match &self.0.writer {
            Some(writer) => writer.write(small, tenant, actor, work).await,
            None => Err(Error::internal("the store is closing")),
        }
    }

    /// Fails like a write would when the store takes no writes now.
    /// Errors: `busy` with the reason.
    pub fn ensure_writable(&self) -> Result<()> {
        match self.check_health() {
            Health::Working => Ok(()),
            _ => Err(self.0.supervisor.refusal()),
        }
    }

    /// Refuses writes until the returned guard is dropped: while a backup is restored, after which they would be lost.
    /// Sessions can still be written, because reading requires them.
    pub fn pause_writes(&self) -> PausedWrites {
        let paused = self.0.writer.as_ref().map(|writer| writer.paused.clone()).unwrap_or_default();
        paused.store(true, Ordering::Release);
        PausedWrites(paused)
    }

    /// Returns the numbers of writes and of commits since the store was opened.
    pub fn written(&self) -> (u64, u64) {
        self.0.writer.as_ref().map_or((0, 0), |writer| {
            (writer.stats.writes.load(Ordering::Relaxed), writer.stats.commits.load(Ordering::Relaxed))
        })
    }

    /// Returns how many writes the commits had, and how many microseconds they took, since the store was opened.
    pub fn commit_stats(&self) -> Option<(HistogramCounts, HistogramCounts)> {
        self.0.writer.as_ref().map(|writer| (writer.stats.sizes.read(), writer.stats.micros.read()))
    }

    /// Returns the largest cost of a write since the store was opened, or since the last call: of each figure the largest,
    /// which may come from different writes.
    pub fn take_largest_write(&self) -> WriteCost {
        self.0.writer.as_ref().map_or_else(WriteCost::default, |writer| writer.stats.largest.take())
    }

    /// Returns the most microseconds of CPU that a write took since the last call.
    #[cfg(test)]
    pub(crate) fn take_longest_write(&self) -> u64 {
        self.0.writer.as_ref().map_or(0, |writer| writer.stats.largest.take_cpu())
    }

    /// Returns the number of writes that wait for a commit.
    pub fn waiting_writes(&self) -> usize {
        self.0.writer.as_ref().map_or(0, Writer::waiting)
    }

    /// Subscribes to all changes committed from now on, in order. A subscriber that falls behind must read the change
    /// feed.
    pub fn commits(&self) -> broadcast::Receiver<Arc<[Change]>> {
        self.0.channels.commits.subscribe()
    }

    /// Returns what says whether the file is still open, also in a snapshot that a thread holds.
    pub fn watch_open(&self) -> OpenFile {
        OpenFile(Arc::downgrade(&self.0.supervisor.quarantine))
    }

    /// Subscribes like [`Store::commits`], but only to the commits that have a change of this kind: others do not wake the
    /// subscriber.
    pub fn commits_of(&self, kind: &'static str) -> broadcast::Receiver<Arc<[Change]>> {
        self.0.channels.of_kind(kind)
    }

    /// Returns a counter of commits, including those that the change feed does not record.
    pub fn wrote(&self) -> watch::Receiver<u64> {
        self.0.channels.wrote.subscribe()
    }

    /// Creates the id for a new tenant.
    /// Errors: `internal` in theory only: a new id is never zero.
    pub fn new_tenant_id(&self) -> Result<TenantId> {
        let uuid = self.0.entropy.ordered_uuid(self.0.clock.now());
        TenantId::from_bytes(*uuid.as_bytes()).ok_or_else(|| Error::internal("a new id is never zero"))
    }

    /// Verifies the checksums of all pages, including those of the free-page lists. Reads the whole file; meant for a
    /// store without concurrent writes.
    pub fn has_sound_pages(&self) -> Result<bool> {
        self.0.supervisor.has_sound_pages()
    }

    /// Returns the clock that timestamps writes.
    pub fn clock(&self) -> &Clock {
        &self.0.clock
    }

    /// Returns the source of randomness for ids.
    pub fn entropy(&self) -> &Entropy {
        &self.0.entropy
    }
}

/// The time in which a store refuses writes. It keeps no file open.
#[derive(Debug)]
pub struct PausedWrites(Arc<AtomicBool>);

impl Drop for PausedWrites {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Release);
    }
}

/// File name suffix of a copy that will replace its original.
const COMPACTED_SUFFIX: &str = "compact";

/// Compacts a closed store: copies it, compares the copy with the original and replaces the original. Free pages, which may
/// hold what was removed, stay behind, so also a small store is replaced, whose copy may be larger. An interruption at any
/// point leaves the original intact. Returns the file sizes before and after, in bytes.
/// Errors: `busy` when another process has it open or the disk has no space for the copy; `internal` when it is not a
/// store; `damaged` when parts of it cannot be read. Nothing is changed then.
pub fn compact(file: &Path, progress: &Progress) -> Result<(u64, u64)> {
    let length = |file: &Path| file.metadata().map(|found| found.len()).map_err(disk_error);
    let before = length(file)?;
    let original = open_to_copy(file)?;
    let copy = disk::sibling_path(file, COMPACTED_SUFFIX);
    let copied = original.snapshot().and_then(|snapshot| match snapshot.copy_to_file(&copy, progress)? {
        0 => Ok(()),
        gaps => Err(Error::damaged(format_args!("{gaps} places of the store cannot be read"))),
    });
    if let Err(error) = copied.and_then(|()| disk::put_in_place(&copy, file).map_err(disk_error)) {
        remove(&copy)?;
        return Err(error);
    }
    Ok((before, length(file)?))
}

/// Replaces a closed store that has damaged pages with a copy of everything readable. Returns the path where the
/// original is kept, `None` when no page is damaged.
/// Errors: `busy` when another process has it open or the disk has no space for the copy; `internal` when it is not a
/// store; `damaged` when none of it can be read. Nothing is changed then.
pub fn rewrite(file: &Path, now: Timestamp, progress: &Progress) -> Result<Option<PathBuf>> {
    let original = open_to_copy(file)?;
    let snapshot = original.snapshot()?;
    if original.has_sound_pages()? {
        drop(snapshot);
        return original.try_reopen(true).map(|()| None);
    }
    let copy = disk::sibling_path(file, COMPACTED_SUFFIX);
    let kept = disk::sibling_path(file, &format!("damaged-{}", now.millis()));
    let put = snapshot.copy_to_file(&copy, progress).and_then(|_| {
        std::fs::hard_link(file, &kept).and_then(|()| disk::put_in_place(&copy, file)).map_err(disk_error)
    });
    if let Err(error) = put {
        remove(&copy)?;
        return Err(error);
    }
    Ok(Some(kept))
}

fn open_to_copy(file: &Path) -> Result<Supervisor> {
    let disk = FileDisk::open(file).map_err(cannot_open)?;
    Supervisor::open(Arc::new(disk), Options { reserve_bytes: 0, ..Options::default() })
}

/// Removes a file if it exists.
fn remove(file: &Path) -> Result<()> {
    match std::fs::remove_file(file) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(disk_error(error)),
        _ => Ok(()),
    }
}

fn cannot_open(error: io::Error) -> Error {
    match error.kind() {
        io::ErrorKind::WouldBlock => disk_error("another process has it open"),
        io::ErrorKind::InvalidData => Error::damaged(format_args!("the store's file: {error}")),
        _ => disk_error(error),
    }
}

/// Creates an empty store under a temporary name and renames it when it is complete. An interrupted start leaves no
/// file that a later start cannot open.
fn make(file: &Path) -> Result<()> {
    let new = disk::sibling_path(file, "new");
    let disk = FileDisk::create(&new).map_err(cannot_open)?;
    drop(Supervisor::open(Arc::new(disk), Options::default())?);
    disk::put_in_place(&new, file).map_err(disk_error)
}

#[cfg(test)]
pub(crate) mod tests;
