//! The engine: takes in what the ledger tells, makes it searchable, and notices when its files are damaged.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use std::time::Duration;

use tantivy::IndexWriter;
use tokio::sync::{Notify, watch};

use super::generation::{Found, Generation, remove};
use super::query::TenantIndex;
use super::schema::{encode, kind_term, record_term};
use super::snapshot::Snapshot;
use super::terms::Terms;
use super::{Entry, Error, Opened, guarded};
use crate::kernel::TenantId;

/// A commit is due after so many ledger numbers without a searchable change, so that a restart does not have
/// to read them again.
const NUMBERS_BETWEEN_COMMITS: u64 = 10_000;

/// How the index is written.
#[derive(Clone, Debug)]
pub struct Options {
    /// Bytes that each writing thread may gather before it writes a segment; at least 15,000,000.
    pub memory_per_thread: usize,
    /// Threads that write while the index is built anew; one suffices for what people change.
    pub rebuild_threads: usize,
}

impl Default for Options {
    fn default() -> Options {
        Options { memory_per_thread: 32_000_000, rebuild_threads: 2 }
    }
}

/// The search index of all companies. Clones are the same engine.
///
/// It is written by one loop that reads the ledger: [`Engine::apply`] what is new, then [`Engine::commit`],
/// every few hundred milliseconds and as soon as [`Engine::wanted`] returns. After an error of either,
/// [`Engine::reopen`]; when that, or opening, says so, [`Engine::rebuild`]. All of these block.
#[derive(Clone)]
pub struct Engine {
    shared: Arc<Shared>,
}

pub(super) struct Shared {
    root: PathBuf,
    options: Options,
    writing: Mutex<Writing>,
    turn: Mutex<()>,
    snapshot: RwLock<Arc<Snapshot>>,
    reached: watch::Sender<u64>,
    wanted: Notify,
    damaged: watch::Sender<bool>,
    /// Whether what is searched is an empty stand-in for an index that must be built anew.
    incomplete: AtomicBool,
    /// Rebuilds under way.
    rebuilds: AtomicUsize,
}

/// The writing side: one at a time.
struct Writing {
    generation: Generation,
    /// `None` after a failure, until the engine is reopened.
    writer: Option<IndexWriter>,
    /// Whether something was written since the last commit.
    changed: bool,
    /// The ledger number that all written so far reaches.
    applied: u64,
    /// The ledger number of the last commit.
    committed: u64,
    /// False while the generation waits to be replaced by a rebuilt one.
    complete: bool,
}

impl Writing {
    fn open(root: &Path, options: &Options, verify: bool) -> Result<(Writing, Opened), Error> {
        let (generation, opened) = match Generation::newest(root, verify)? {
            Found::Usable(generation, reached) => (generation, Opened::Resumed { reached }),
            Found::Unusable(why) => (Generation::create(root)?, Opened::RebuildNeeded { why }),
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
    /// Opens the index in `dir`, which it has to itself, and says how far it is. Whatever is found there, an
    /// engine that works comes back: a damaged index is put aside and an empty one begun.
    ///
    /// Files are not read through: call [`Engine::verify`] some time after.
    ///
    /// # Errors
    /// [`Error::InUse`] when another process has it open; [`Error::Failed`] when the disk refuses.
    pub fn open(dir: &Path, options: Options) -> Result<(Engine, Opened), Error> {
        let (writing, opened) = guarded(|| Writing::open(dir, &options, false))?;
        let shared = Shared {
            root: dir.to_owned(),
            snapshot: RwLock::new(writing.generation.snapshot()?),
            reached: watch::Sender::new(writing.applied),
            wanted: Notify::new(),
            damaged: watch::Sender::new(false),
            incomplete: AtomicBool::new(!writing.complete),
            rebuilds: AtomicUsize::new(0),
            writing: Mutex::new(writing),
            turn: Mutex::default(),
            options,
        };
        Ok((Engine { shared: Arc::new(shared) }, opened))
    }

    /// Search in one company's records.
    #[must_use]
    pub fn tenant(&self, tenant: TenantId) -> TenantIndex {
        TenantIndex::new(self.shared.clone(), tenant)
    }

    /// The turn of one writing loop: from reading how far the index is until what follows is applied, no other
    /// may move it.
    pub fn turn(&self) -> MutexGuard<'_, ()> {
        self.shared.turn.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes in entries, the later of the same record winning, and notes that the ledger is known up to and
    /// including `reached`. Found only after the next [`Engine::commit`]. Blocks while the writing threads
    /// are behind.
    ///
    /// # Errors
    /// The disk or the engine failed; nothing more can be taken in before [`Engine::reopen`].
    pub fn apply(&self, entries: impl IntoIterator<Item = Entry>, reached: u64) -> Result<(), Error> {
        let mut writing = self.shared.writing();
        let writing = &mut *writing;
        let Some(writer) = &mut writing.writer else { return Err(closed()) };
        let mut changed = false;
        let taken = guarded(|| {
            entries.into_iter().try_for_each(|entry| {
                changed = true;
                writer.delete_term(record_term(&entry));
                add(writer, &entry)
            })
        });
        writing.changed |= changed;
        writing.applied = writing.applied.max(reached);
        if taken.is_err() {
            writing.writer = None;
        }
        taken
    }

    /// Forgets all of a company's records of these kinds. As with [`Engine::apply`], only the next
    /// [`Engine::commit`] makes it last.
    ///
    /// # Errors
    /// As [`Engine::apply`].
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

    /// Makes all that was applied durable and findable, and says which ledger number that reaches. Costs some
    /// milliseconds when there is something new, and nothing otherwise.
    ///
    /// # Errors
    /// As [`Engine::apply`].
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

    /// The ledger number up to which everything is found.
    #[must_use]
    pub fn reached(&self) -> u64 {
        *self.shared.reached.borrow()
    }

    /// Waits until everything up to the ledger number `seq` is found, and asks for a commit now rather than
    /// at the next interval. False when that took longer than `timeout`: search all the same.
    pub async fn wait_until(&self, seq: u64, timeout: Duration) -> bool {
        let mut reached = self.shared.reached.subscribe();
        if *reached.borrow() >= seq {
            return true;
        }
        self.shared.wanted.notify_one();
        let arrived = tokio::time::timeout(timeout, reached.wait_for(|reached| *reached >= seq)).await;
        matches!(arrived, Ok(Ok(_)))
    }

    /// Returns as soon as somebody waits for a commit, at once if somebody has since the last call. For one
    /// caller, the loop.
    pub async fn wanted(&self) {
        self.shared.wanted.notified().await;
    }

    /// Returns as soon as a search met damage: time to [`Engine::reopen`].
    pub async fn damaged(&self) {
        let mut damaged = self.shared.damaged.subscribe();
        // The sender lives as long as the engine: there is nothing to fail.
        let _ = damaged.wait_for(|damaged| *damaged).await;
    }

    /// How many documents can be found, of all tenants.
    #[must_use]
    pub fn documents(&self) -> u64 {
        self.shared.snapshot().documents()
    }

    /// Whether searches may find less than there is: the index is damaged, or is being built anew.
    #[must_use]
    pub fn is_partial(&self) -> bool {
        let shared = &self.shared;
        *shared.damaged.borrow()
            || shared.incomplete.load(Ordering::Acquire)
            || shared.rebuilds.load(Ordering::Acquire) > 0
    }

    /// Reads all files of the index and compares them with their checksums: about a second for each gigabyte
    /// or two. Searches go on meanwhile.
    ///
    /// # Errors
    /// [`Error::Damaged`], upon which [`Engine::damaged`] returns, too.
    pub fn verify(&self) -> Result<(), Error> {
        let generation = self.shared.writing().generation.clone();
        let verified = guarded(|| generation.verify());
        if let Err(error @ Error::Damaged(_)) = &verified {
            if self.shared.writing().generation.dir != generation.dir {
                return Ok(()); // Replaced meanwhile: its files are gone, and nobody needs them.
            }
            self.shared.suspect(error);
        }
        verified
    }

    /// Closes all files and opens them again, after an error or when damage was met, reading them through.
    /// What was not committed is forgotten: go on from the number returned.
    ///
    /// # Errors
    /// As [`Engine::open`]; try again later.
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

    /// Begins to build the index anew, beside the present one, in which is searched until
    /// [`Rebuild::finish`]. An unfinished rebuild leaves nothing behind.
    ///
    /// # Errors
    /// The disk or the engine failed.
    pub fn rebuild(&self) -> Result<Rebuild, Error> {
        let generation = Generation::create(&self.shared.root)?;
        let writer = generation.writer(&self.shared.options, self.shared.options.rebuild_threads.max(1))?;
        self.shared.rebuilds.fetch_add(1, Ordering::AcqRel);
        Ok(Rebuild { shared: self.shared.clone(), under_way: Some((generation, writer)) })
    }
}

impl Shared {
    fn writing(&self) -> MutexGuard<'_, Writing> {
        self.writing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn snapshot(&self) -> Arc<Snapshot> {
        self.snapshot.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn publish(&self, snapshot: Arc<Snapshot>) {
        *self.snapshot.write().unwrap_or_else(PoisonError::into_inner) = snapshot;
    }

    /// Something is wrong with the files: says so once, and wakes who can mend it.
    pub fn suspect(&self, error: &Error) {
        if !self.damaged.send_replace(true) {
            tracing::error!(%error, "the search index is damaged: it will be built anew");
        }
    }
}

/// An index that is being built anew. Dropping it leaves everything as it was.
pub struct Rebuild {
    shared: Arc<Shared>,
    under_way: Option<(Generation, IndexWriter)>,
}

impl Rebuild {
    /// Adds a record, each only once. Blocks while the writing threads are behind.
    ///
    /// # Errors
    /// The disk or the engine failed; begin again.
    pub fn add(&mut self, entry: &Entry) -> Result<(), Error> {
        let Some((_, writer)) = &mut self.under_way else { return Err(closed()) };
        guarded(|| add(writer, entry))
    }

    /// Puts the new index in the place of the present one. It holds everything up to and including the
    /// ledger number `reached`: apply what came after.
    ///
    /// # Errors
    /// The disk or the engine failed; the present index stays, begin again.
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
                // It goes on merging what it has written, and is as good as another for what comes.
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
        // What cannot be removed now is when the index is opened next.
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

fn add(writer: &IndexWriter, entry: &Entry) -> Result<(), Error> {
    if let Some(document) = &entry.document {
        writer.add_document(encode(&Terms::within(entry.tenant, document.circle), document)?)?;
    }
    Ok(())
}

fn closed() -> Error {
    Error::Failed("it must be reopened after an earlier failure".to_owned())
}
