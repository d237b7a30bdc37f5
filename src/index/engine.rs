//! The search engine: applies changes from the change feed (ledger), commits them, and detects damaged index files.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use parking_lot::{Mutex, MutexGuard, RwLock};
use tokio::sync::{Notify, watch};

use super::generation::{Generation, NewestGeneration, Writer, remove};
use super::query::TenantIndex;
use super::schema::{encode, kind_term, record_term};
use super::snapshot::Snapshot;
use super::terms::Terms;
use super::waiting::WaitingRoom;
use super::{Entry, Error, Opened, guarded};
use crate::kernel::{TenantId, let_others_run};

/// Number of sequence numbers without a searchable change after which a commit is made, so that a restart does not read
/// them again.
const NUMBERS_BETWEEN_COMMITS: u64 = 10_000;

/// Memory and threads for writing the index.
#[derive(Clone, Debug)]
pub struct Options {
    /// Bytes that each writer thread buffers before it writes a segment; at least 15,000,000.
    pub memory_per_thread: usize,
    /// Writer threads during a rebuild; ordinary changes use one.
    pub rebuild_threads: usize,
}

impl Default for Options {
    fn default() -> Options {
        Options { memory_per_thread: 15_000_000, rebuild_threads: 1 }
    }
}

/// The search index of all tenants. Clones share one engine.
///
/// One loop that reads the change feed writes it: [`Engine::apply`] for new changes, then [`Engine::commit`], every few
/// hundred milliseconds and as soon as [`Engine::wait_for_commit_request`] returns. After an error of either it calls
/// [`Engine::reopen`]; when `reopen` or `open` returns [`Opened::RebuildNeeded`], it calls [`Engine::rebuild`]. All of
/// these block.
#[derive(Clone)]
pub struct Engine {
    shared: Arc<Shared>,
}

pub(super) struct Shared {
    root: PathBuf,
    options: Options,
    writing: Mutex<Writing>,
    /// Where documents wait for the writer threads.
    room: WaitingRoom,
    feed_position: Mutex<()>,
    snapshot: RwLock<Arc<Snapshot>>,
    reached: watch::Sender<u64>,
    /// The sequence number that the change feed had when the index was opened, or more. Until the index has reached it,
    /// it lacks what was committed before.
    expected: AtomicU64,
    commit_requested: Notify,
    damaged: watch::Sender<bool>,
    /// Whether the searched index is an empty placeholder until a rebuild finishes.
    incomplete: AtomicBool,
    /// Number of rebuilds in progress.
    rebuilds: AtomicUsize,
    /// Number of searches since the engine was opened.
    pub(super) searches: AtomicU64,
}

/// The writing side, behind a lock.
struct Writing {
    generation: Generation,
    /// `None` after a failure, until the engine is reopened.
    writer: Option<Writer>,
    /// Whether something was written since the last commit.
    changed: bool,
    /// The sequence number up to which changes are applied.
    applied: u64,
    /// The sequence number of the last commit.
    committed: u64,
    /// False for an empty placeholder that a rebuild will replace.
    complete: bool,
}

impl Writing {
    fn open(root: &Path, options: &Options, verify: bool) -> Result<(Writing, Opened), Error> {
        let (generation, opened) = match Generation::open_newest(root, verify)? {
            NewestGeneration::Usable(generation, reached) => (generation, Opened::Resumed { reached }),
            NewestGeneration::Unusable(why) => (Generation::create(root)?, Opened::RebuildNeeded { why }),
        };
        let reached = match opened {
            Opened::Resumed { reached } => reached,
            Opened::RebuildNeeded { .. } => 0,
        };
        let writer = Some(generation.writer(options, 1)?);
        let complete = matches!(opened, Opened::Resumed { .. });
        Ok((Writing { generation, writer, changed: false, applied: reached, committed: reached, complete }, opened))
    }
}

impl Engine {
    /// Opens the index in `dir`, which no other process may use, and returns the sequence number it has reached. A
    /// damaged index is moved aside and replaced by an empty one, so the returned engine always works.
    ///
    /// Does not verify the files: call [`Engine::verify`] some time later.
    /// Errors: [`Error::InUse`] when another process has the index open; [`Error::Failed`] when the disk fails.
    pub fn open(dir: &Path, options: Options) -> Result<(Engine, Opened), Error> {
        let (writing, opened) = guarded(|| {
            Generation::remove_drafts(dir)?;
            Writing::open(dir, &options, false)
        })?;
        let shared = Shared {
            root: dir.to_owned(),
            snapshot: RwLock::new(writing.generation.snapshot()?),
            reached: watch::Sender::new(writing.applied),
            expected: AtomicU64::new(0),
            commit_requested: Notify::new(),
            damaged: watch::Sender::new(false),
            incomplete: AtomicBool::new(!writing.complete),
            rebuilds: AtomicUsize::new(0),
            searches: AtomicU64::new(0),
            writing: Mutex::new(writing),
            room: WaitingRoom::default(),
            feed_position: Mutex::default(),
            options,
        };
        Ok((Engine { shared: Arc::new(shared) }, opened))
    }

    /// Returns the search index of one tenant.
    pub fn tenant(&self, tenant: TenantId) -> TenantIndex {
        TenantIndex::new(self.shared.clone(), tenant)
    }

    /// Locks the turn of the writing loop. Hold it from reading the reached sequence number until the following changes
    /// are applied, so that no other thread moves the number in between.
    pub fn lock_feed_position(&self) -> MutexGuard<'_, ()> {
        self.shared.feed_position.lock()
    }

    /// Applies entries and marks the change feed as read up to and including `reached`. Of several entries for one
    /// record the last wins. Searches see them after the next [`Engine::commit`]. Blocks while the writer threads are
    /// behind.
    /// Errors: The disk or the engine failed; nothing can be applied before [`Engine::reopen`].
    pub fn apply(&self, entries: impl IntoIterator<Item = Entry>, reached: u64) -> Result<(), Error> {
        let room = &self.shared.room;
        let mut writing = self.shared.writing();
        let writing = &mut *writing;
        let Some(writer) = &mut writing.writer else { return Err(closed()) };
        let mut changed = false;
        let taken = guarded(|| {
            entries.into_iter().try_for_each(|entry| {
                changed = true;
                let_others_run();
                writer.delete_term(record_term(&entry));
                add(writer, room, &entry)
            })
        });
        writing.changed |= changed;
        writing.applied = writing.applied.max(reached);
        if taken.is_err() {
            writing.writer = None;
        }
        taken
    }

    /// Deletes all of a tenant's records of these kinds. As with [`Engine::apply`], the next [`Engine::commit`] makes
    /// it durable.
    pub fn erase(&self, tenant: TenantId, kinds: impl IntoIterator<Item = &'static str>) -> Result<(), Error> {
        let mut writing = self.shared.writing();
        let writing = &mut *writing;
        let Some(writer) = &mut writing.writer else { return Err(closed()) };
        let done = guarded(|| {
            for kind in kinds {
                writer.delete_term(kind_term(tenant, kind));
            }
            Ok(())
        });
        writing.changed = true;
        if done.is_err() {
            writing.writer = None;
        }
        done
    }

    /// Makes everything applied durable and searchable, and returns the sequence number reached. Takes some
    /// milliseconds when there is something new, otherwise nothing.
    pub fn commit(&self) -> Result<u64, Error> {
        let mut writing = self.shared.writing();
        let writing = &mut *writing;
        let Some(writer) = &mut writing.writer else { return Err(closed()) };
        let reached = writing.applied;
        if writing.changed || reached - writing.committed >= NUMBERS_BETWEEN_COMMITS {
            match guarded(|| writing.generation.commit(writer, reached, writing.complete)) {
                Ok(snapshot) => self.shared.publish(snapshot),
                Err(error) => {
                    writing.writer = None;
                    return Err(error);
                }
            }
            writing.changed = false;
            writing.committed = reached;
        }
        self.shared.reached.send_replace(reached);
        Ok(reached)
    }

    /// The sequence number up to which changes are searchable.
    pub fn reached(&self) -> u64 {
        *self.shared.reached.borrow()
    }

    /// Waits until changes up to the sequence number `seq` are searchable, and requests an immediate commit. Returns
    /// false after `timeout`; the caller then searches without them.
    pub async fn wait_until(&self, seq: u64, timeout: Duration) -> bool {
        let mut reached = self.shared.reached.subscribe();
        if *reached.borrow() >= seq {
            return true;
        }
        self.shared.commit_requested.notify_one();
        let arrived = tokio::time::timeout(timeout, reached.wait_for(|reached| *reached >= seq)).await;
        matches!(arrived, Ok(Ok(_)))
    }

    /// Says that the change feed had this sequence number when the index was opened: until the index has reached it, it is
    /// partial.
    pub fn expect(&self, seq: u64) {
        self.shared.expected.fetch_max(seq, Ordering::AcqRel);
    }

    /// Waits until the index has what was in the change feed when it was opened, at most for `timeout`. Does not wait for
    /// a rebuild, which takes minutes.
    pub async fn wait_for_start(&self, timeout: Duration) {
        if !self.is_being_rebuilt() {
            self.wait_until(self.shared.expected.load(Ordering::Acquire), timeout).await;
        }
    }

    /// Returns when a caller waits for a commit, at once if one has since the last call. Only the writing loop may call
    /// it.
    pub async fn wait_for_commit_request(&self) {
        self.shared.commit_requested.notified().await;
    }

    /// Returns when a search has met damage; the caller then calls [`Engine::reopen`].
    pub async fn wait_for_damage(&self) {
        let mut damaged = self.shared.damaged.subscribe();
        // The sender lives as long as the engine, so this cannot fail.
        let _ = damaged.wait_for(|damaged| *damaged).await;
    }

    pub(super) fn snapshot(&self) -> Arc<Snapshot> {
        self.shared.snapshot()
    }

    /// Returns the number of searchable documents of all tenants.
    pub fn documents(&self) -> u64 {
        self.shared.snapshot().documents()
    }

    /// Returns the number of searches for text since the engine was opened.
    pub fn searches(&self) -> u64 {
        self.shared.searches.load(Ordering::Relaxed)
    }

    /// Whether searches may be incomplete: the index is damaged or being rebuilt, or behind the change feed after it was
    /// opened.
    pub fn is_partial(&self) -> bool {
        self.reached() < self.shared.expected.load(Ordering::Acquire) || self.is_being_rebuilt()
    }

    /// Whether the index is damaged or being rebuilt.
    pub fn is_being_rebuilt(&self) -> bool {
        let shared = &self.shared;
        *shared.damaged.borrow()
            || shared.incomplete.load(Ordering::Acquire)
            || shared.rebuilds.load(Ordering::Acquire) > 0
    }

    /// Verifies the checksums of all index files: about a second for each gigabyte or two. Searches continue during it.
    /// Errors: [`Error::Damaged`]; [`Engine::wait_for_damage`] then returns as well.
    pub fn verify(&self) -> Result<(), Error> {
        let generation = self.shared.writing().generation.clone();
        let verified = guarded(|| generation.verify());
        if let Err(error @ Error::Damaged(_)) = &verified {
            if self.shared.writing().generation.dir != generation.dir {
                return Ok(()); // A rebuild has replaced this generation and removed its files.
            }
            self.shared.suspect(error);
        }
        verified
    }

    /// Closes all files, opens them again and verifies them; call it after an error or after damage was met.
    /// Uncommitted changes are lost: continue from the returned sequence number.
    /// Errors: As [`Engine::open`]; try again later.
    pub fn reopen(&self) -> Result<Opened, Error> {
        let mut writing = self.shared.writing();
        writing.writer = None;
        let (anew, opened) = guarded(|| Writing::open(&self.shared.root, &self.shared.options, true))?;
        *writing = anew;
        self.shared.incomplete.store(!writing.complete, Ordering::Release);
        self.shared.publish(writing.generation.snapshot()?);
        self.shared.reached.send_replace(writing.applied);
        self.shared.damaged.send_replace(false);
        Ok(opened)
    }

    /// Starts a rebuild of the index beside the present one, which serves searches until [`Rebuild::finish`]. Dropping
    /// an unfinished rebuild removes its files.
    pub fn rebuild(&self) -> Result<Rebuild, Error> {
        let generation = Generation::create(&self.shared.root)?;
        let writer = generation.writer(&self.shared.options, self.shared.options.rebuild_threads.max(1))?;
        self.shared.rebuilds.fetch_add(1, Ordering::AcqRel);
        Ok(Rebuild { shared: self.shared.clone(), under_way: Some((generation, writer)) })
    }
}

impl Shared {
    fn writing(&self) -> MutexGuard<'_, Writing> {
        self.writing.lock()
    }

    pub fn snapshot(&self) -> Arc<Snapshot> {
        self.snapshot.read().clone()
    }

    fn publish(&self, snapshot: Arc<Snapshot>) {
        *self.snapshot.write() = snapshot;
    }

    /// Records that the files are damaged: logs it once and wakes the loop that repairs it.
    pub fn suspect(&self, error: &Error) {
        if !self.damaged.send_replace(true) {
            tracing::error!(%error, "search: the index is damaged; it will be rebuilt");
        }
    }
}

/// An index that is being rebuilt. Dropping it keeps the present index.
pub struct Rebuild {
    shared: Arc<Shared>,
    under_way: Option<(Generation, Writer)>,
}

impl Rebuild {
    /// Adds a record; each record must be added only once. Blocks while the writer threads are behind.
    pub fn add(&mut self, entry: &Entry) -> Result<(), Error> {
        let Some((_, writer)) = &mut self.under_way else { return Err(closed()) };
        guarded(|| add(writer, &self.shared.room, entry))
    }

    /// Replaces the present index by the new one, which holds everything up to and including the sequence number
    /// `reached`. Apply what came after.
    /// Errors: The disk or the engine failed; the present index stays. Start a new rebuild.
    pub fn finish(mut self, reached: u64) -> Result<(), Error> {
        let Some((generation, mut writer)) = self.under_way.take() else { return Err(closed()) };
        let snapshot = match guarded(|| generation.commit(&mut writer, reached, true)) {
            Ok(snapshot) => snapshot,
            Err(error) => {
                self.under_way = Some((generation, writer));
                return Err(error);
            }
        };
        let mut writing = self.shared.writing();
        let old = std::mem::replace(
            &mut *writing,
            Writing {
                generation,
                // The rebuild's writer continues merging its segments and takes the coming changes.
                writer: Some(writer),
                changed: false,
                applied: reached,
                committed: reached,
                complete: true,
            },
        );
        self.shared.publish(snapshot);
        self.shared.reached.send_replace(reached);
        self.shared.incomplete.store(false, Ordering::Release);
        self.shared.damaged.send_replace(false);
        drop(old.writer);
        // Removal is tried again when the index is next opened.
        if let Err(error) = remove(&old.generation.dir) {
            tracing::warn!(%error, "an old search index could not be removed");
        }
        Ok(())
    }
}

impl Drop for Rebuild {
    fn drop(&mut self) {
        self.shared.rebuilds.fetch_sub(1, Ordering::AcqRel);
        if let Some((generation, writer)) = self.under_way.take() {
            drop(writer);
            if let Err(error) = remove(&generation.dir) {
                tracing::warn!(%error, "an unfinished search index could not be removed");
            }
        }
    }
}

fn add(writer: &Writer, room: &WaitingRoom, entry: &Entry) -> Result<(), Error> {
    let Some(document) = &entry.document else { return Ok(()) };
    let write = |terms: &Terms| {
        let (document, bytes) = encode(terms, document)?;
        writer.add_document(room.enter(document, bytes))?;
        Ok(())
    };
    let Some(scopes) = &document.scopes else { return write(&Terms::of(entry.tenant)) };
    // Once for each scope: a search reads one of them, so it finds the record once.
    scopes.iter().try_for_each(|scope| write(&Terms::in_scope(entry.tenant, Some(*scope))))
}

fn closed() -> Error {
    Error::Failed("it must be reopened after an earlier failure".to_owned())
}
