//! The store: everything that Atrium keeps, in one file of redb. Only this folder knows what a key
//! looks like. A write is answered when it is on the disk; what is read was verified.

mod archive;
mod backend;
mod backup;
mod changes;
mod codec;
mod derived;
mod disk;
mod erase;
mod export;
#[cfg(test)]
pub(crate) mod harm;
mod home;
mod import;
mod keys;
mod migrate;
mod page;
mod quarantine;
mod queue;
mod read;
mod repair;
mod scrub;
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
    sync::{Arc, atomic::Ordering},
};

use tokio::sync::{broadcast, watch};

pub use self::{
    archive::{Copied, Sealer, Title, Unsealer},
    backup::{Backup, Keep, copies, restore, verify as verify_backup},
    changes::{Actor, Change, Op},
    codec::{Counters, Lookups, PersonalRecord, Record, Stored, TenantRecord},
    disk::{Disk, Room},
    export::{Export, Exported},
    home::{Home, InstallationId, MARK, STORE},
    import::{Alter, Batch, Intake, LeftOut, TenantArchive},
    page::{Page, Scan},
    quarantine::{Damage, Fault},
    read::{PersonalRead, Snapshot, TenantRead},
    repair::{Broken, Copies, Cure},
    scrub::{Pace, Report},
    supervisor::{Health, Options},
    table::TableInfo,
    write::{PersonalWrite, TenantWrite},
};
use self::{
    disk::FileDisk,
    supervisor::Supervisor,
    view::storage,
    writer::{CommitChannels, Writer},
};
use crate::kernel::{Clock, Entropy, Error, Result, TenantId, Timestamp};

/// The open store of an installation. Cheap to clone; dropping the last one closes the file.
#[derive(Clone)]
pub struct Store(Arc<Inner>);

struct Inner {
    supervisor: Arc<Supervisor>,
    writer: Option<Writer>,
    commits: broadcast::Sender<Arc<[Change]>>,
    wrote: watch::Sender<u64>,
    clock: Clock,
    entropy: Entropy,
}

impl Drop for Inner {
    /// Waits until the writes under way are on the disk and the file is let go.
    fn drop(&mut self) {
        if let Some(writer) = self.writer.take() {
            writer.stop();
        }
    }
}

impl Store {
    /// Opens the store in a file, which is made when missing.
    ///
    /// # Errors
    /// `busy` when another process holds it or it cannot be read; `damaged` when its file is; `internal` when it is
    /// no store of Atrium or of a newer one.
    pub fn open(file: &Path, clock: Clock, entropy: Entropy) -> Result<Self> {
        Self::open_file(file, Options::default(), clock, entropy)
    }

    /// The same with other options than the usual.
    ///
    /// # Errors
    /// As [`Store::open`].
    pub fn open_file(file: &Path, options: Options, clock: Clock, entropy: Entropy) -> Result<Self> {
        match file.metadata() {
            // Made whole before it is put in its place, it is never empty.
            Ok(found) if found.len() == 0 => return Err(Error::damaged("the store's file: it is empty")),
            Ok(_) => {}
            Err(_) => make(file)?,
        }
        remove(&disk::beside(file, COMPACTED))?;
        if !migrate::STEPS.is_empty() {
            migrate::upgrade(file, migrate::STEPS)?;
        }
        let disk = FileDisk::open(file).map_err(cannot_open)?;
        Self::open_with(Arc::new(disk), options, clock, entropy)
    }

    /// Opens the store on a disk of the caller's.
    ///
    /// # Errors
    /// `busy` when the disk fails; `internal` when it holds no store of this version.
    pub fn open_with(disk: Arc<dyn Disk>, options: Options, clock: Clock, entropy: Entropy) -> Result<Self> {
        let supervisor = Arc::new(Supervisor::open(disk, options)?);
        if supervisor.format() != migrate::FORMAT {
            return Err(migrate::refused(supervisor.format(), migrate::STEPS.len()));
        }
        let (commits, _) = broadcast::channel(1_024);
        let wrote = watch::Sender::new(0);
        let news = CommitChannels { commits: commits.clone(), wrote: wrote.clone() };
        let writer = Writer::start(supervisor.clone(), clock.clone(), entropy.clone(), news)?;
        Ok(Self(Arc::new(Inner { supervisor, writer: Some(writer), commits, wrote, clock, entropy })))
    }

    /// The store as it is now.
    ///
    /// # Errors
    /// `busy` when it cannot be read.
    pub fn snapshot(&self) -> Result<Snapshot> {
        self.0.supervisor.snapshot()
    }

    /// How the store is, and how that changes.
    #[must_use]
    pub fn health(&self) -> watch::Receiver<Health> {
        self.0.supervisor.health()
    }

    /// Looks at the disk: how the store is now, also when nobody writes.
    #[must_use]
    pub fn look(&self) -> Health {
        self.0.supervisor.look()
    }

    /// How much room the disk has; none when it does not say.
    #[must_use]
    pub fn room(&self) -> Option<Room> {
        self.0.supervisor.room()
    }

    /// The rows found damaged since the store was opened, a thousand at most.
    #[must_use]
    pub fn damaged(&self) -> Vec<Damage> {
        self.0.supervisor.quarantine.list()
    }

    /// Writes to one tenant's data. Answers, once it is on the disk, with what `work` returned and the
    /// place of its last change in the ledger.
    ///
    /// # Errors
    /// What `work` returns, and nothing is changed then; `busy` when too many writes wait or the disk fails.
    pub async fn write<T: Send + 'static>(
        &self,
        tenant: TenantId,
        actor: Actor,
        work: impl FnOnce(&TenantWrite<'_>) -> Result<T> + Send + 'static,
    ) -> Result<(T, u64)> {
        self.write_as(false, tenant, actor, work).await
    }

    /// The same, also when the disk is nearly full: for sessions, without which nobody can read, and for telling
    /// administrators. A bound stays below which these are refused as well.
    ///
    /// # Errors
    /// As [`Store::write`].
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

    /// How many writes were made since the store was opened, and in how many commits.
    #[must_use]
    pub fn written(&self) -> (u64, u64) {
        self.0.writer.as_ref().map_or((0, 0), |writer| {
            (writer.written.writes.load(Ordering::Relaxed), writer.written.commits.load(Ordering::Relaxed))
        })
    }

    /// What is committed from now on, in order. A listener that falls behind reads the ledger.
    #[must_use]
    pub fn commits(&self) -> broadcast::Receiver<Arc<[Change]>> {
        self.0.commits.subscribe()
    }

    /// Changes whenever something was committed, also what the ledger does not note.
    #[must_use]
    pub fn wrote(&self) -> watch::Receiver<u64> {
        self.0.wrote.subscribe()
    }

    /// The id for a new tenant.
    ///
    /// # Errors
    /// `internal`, which does not happen: a new id is never zero.
    pub fn new_tenant_id(&self) -> Result<TenantId> {
        let uuid = self.0.entropy.uuid(self.0.clock.now());
        TenantId::from_bytes(*uuid.as_bytes()).ok_or_else(|| Error::internal("a new id is never zero"))
    }

    /// Verifies the checksums of all pages: those of the rows, and those that say which pages are free. Reads the whole
    /// file, and is meant for a store without other writes meanwhile.
    ///
    /// # Errors
    /// `busy` when the disk cannot be read.
    pub fn has_sound_pages(&self) -> Result<bool> {
        self.0.supervisor.has_sound_pages()
    }

    /// The clock that the store's writes go by.
    #[must_use]
    pub fn clock(&self) -> &Clock {
        &self.0.clock
    }

    /// The chance that ids are made of.
    #[must_use]
    pub fn entropy(&self) -> &Entropy {
        &self.0.entropy
    }
}

/// What a copy is called that is being made to take its original's place.
const COMPACTED: &str = "compact";

/// Gives back the room that a store which nobody has open does not use: copies it, holds the copy against it, and puts
/// it in its place. Cut short at any moment, the original is there. Answers with the bytes before and after.
///
/// # Errors
/// `busy` when another process has it open, or the disk has no room for the copy; `internal` when it is no store, or
/// damaged. Nothing is changed then.
pub fn compact(file: &Path) -> Result<(u64, u64)> {
    let length = |file: &Path| file.metadata().map(|found| found.len()).map_err(storage);
    let before = length(file)?;
    let original = open_to_copy(file)?;
    let copy = disk::beside(file, COMPACTED);
    let copied = original.snapshot().and_then(|snapshot| match snapshot.copy_to_file(&copy)? {
        0 => Ok(()),
        gaps => Err(Error::damaged(format_args!("{gaps} places of the store cannot be read"))),
    });
    // A small store has nothing to give back: its copy is longer.
    if copied.is_ok() && length(&copy)? >= before {
        remove(&copy)?;
        return Ok((before, before));
    }
    if let Err(error) = copied.and_then(|()| disk::put_in_place(&copy, file).map_err(storage)) {
        remove(&copy)?;
        return Err(error);
    }
    Ok((before, length(file)?))
}

/// Replaces a closed store that has damaged pages by a copy of what can be read. Answers with where the original is
/// kept.
///
/// # Errors
/// `busy` when another process has it open, or the disk has no room for the copy; `internal` when it is no store;
/// `damaged` when none of it can be read. Nothing is changed then.
pub fn rewrite(file: &Path, now: Timestamp) -> Result<Option<PathBuf>> {
    let original = open_to_copy(file)?;
    let snapshot = original.snapshot()?;
    if original.has_sound_pages()? {
        return Ok(None);
    }
    let copy = disk::beside(file, COMPACTED);
    let kept = disk::beside(file, &format!("damaged-{}", now.millis()));
    let put = snapshot
        .copy_to_file(&copy)
        .and_then(|_| std::fs::hard_link(file, &kept).and_then(|()| disk::put_in_place(&copy, file)).map_err(storage));
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

/// Removes a file, if it is there.
fn remove(file: &Path) -> Result<()> {
    match std::fs::remove_file(file) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(storage(error)),
        _ => Ok(()),
    }
}

fn cannot_open(error: io::Error) -> Error {
    match error.kind() {
        io::ErrorKind::WouldBlock => storage("another process has it open"),
        _ => storage(error),
    }
}

/// Makes an empty store beside its place and puts it there when it is whole: a start that is cut short
/// leaves nothing that a later one could not open.
fn make(file: &Path) -> Result<()> {
    let new = disk::beside(file, "new");
    let disk = FileDisk::open(&new).map_err(cannot_open)?;
    Disk::set_len(&disk, 0).map_err(storage)?;
    drop(Supervisor::open(Arc::new(disk), Options::default())?);
    disk::put_in_place(&new, file).map_err(storage)
}

#[cfg(test)]
pub(crate) mod tests;
