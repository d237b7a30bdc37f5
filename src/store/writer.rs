//! The one writer. Writes that wait share one transaction and one sync of the disk; nobody is answered
//! before the disk has it.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    thread::JoinHandle,
};

use redb::{Database, TableDefinition};
use tokio::sync::{broadcast, oneshot, watch};

use super::{
    changes::{Actor, Change},
    codec::{encode, seal},
    keys::{self, Space},
    quarantine::Quarantine,
    queue::{Next, Queue},
    read::{ledger_ends, meta_key},
    supervisor::{Admitted, Health, Supervisor, busy},
    view::{Layer, storage},
    walk::TableView,
    write::{TenantWrite, WriteOverlay},
};
use crate::kernel::{Clock, Entropy, Error, Result, TenantId};

pub(super) const ROWS: TableDefinition<&[u8], &[u8]> = TableDefinition::new("rows");

/// The one table of redb that holds everything, open for writing.
pub(super) type Table<'txn> = redb::Table<'txn, &'static [u8], &'static [u8]>;

/// Writes that share one commit.
const BATCH: usize = 512;
/// Changes read back at once that were committed without anybody hearing of it.
const MISSED: usize = 1_000;

/// Runs inside the transaction; what it returns answers the caller once the commit is known. A job that
/// is dropped tells its caller to try again.
struct Job {
    /// Whether it may be done when the disk is nearly full.
    small: bool,
    run: Box<dyn FnOnce(&mut Group<'_>) -> Answer + Send>,
}
type Answer = Box<dyn FnOnce(Result<()>) + Send>;

/// The transaction that a group of writes shares: each sees what those before it in the group changed.
struct Group<'g> {
    rows: Layer<'g>,
    last_seq: u64,
    changes: Vec<Change>,
    clock: &'g Clock,
    entropy: &'g Entropy,
}

impl Group<'_> {
    /// Runs one write; its rows join the group's when it succeeds and are forgotten when it fails.
    fn run<T>(
        &mut self,
        tenant: TenantId,
        actor: Actor,
        work: impl FnOnce(&TenantWrite<'_>) -> Result<T>,
    ) -> Result<(T, u64)> {
        let staged = WriteOverlay::over(&self.rows, self.last_seq);
        let value = {
            let tx = TenantWrite::new(&staged, tenant, actor, self.clock.now(), self.entropy);
            let result = catch_unwind(AssertUnwindSafe(|| work(&tx)));
            result.unwrap_or_else(|_| Err(Error::internal("a write panicked")))?
        };
        let (rows, changes, last_seq) = staged.finish()?;
        self.rows.absorb(rows);
        self.last_seq = last_seq;
        self.changes.extend(changes);
        Ok((value, self.last_seq))
    }
}

/// A handle to the writer's thread.
pub(super) struct Writer {
    queue: Arc<Queue<Job>>,
    supervisor: Arc<Supervisor>,
    pub(super) written: Arc<Written>,
    thread: JoinHandle<()>,
}

impl Writer {
    /// Starts the writer. What is committed is told to `channels`.
    pub(super) fn start(
        supervisor: Arc<Supervisor>,
        clock: Clock,
        entropy: Entropy,
        channels: CommitChannels,
    ) -> Result<Self> {
        let announced = supervisor.snapshot()?.last_change()?;
        let queue = Arc::new(Queue::new());
        let bell = Arc::downgrade(&queue);
        supervisor.quarantine.on_failure(move || {
            if let Some(queue) = bell.upgrade() {
                queue.look();
            }
        });
        let written = Arc::new(Written::default());
        let mut thread = WriterThread {
            queue: queue.clone(),
            supervisor: supervisor.clone(),
            clock,
            entropy,
            channels,
            announced,
            written: written.clone(),
        };
        let thread = std::thread::Builder::new().name("store-writer".into()).spawn(move || thread.work());
        Ok(Self { queue, supervisor, written, thread: thread.map_err(Error::internal)? })
    }

    /// Finishes the writes that wait and ends.
    pub(super) fn stop(self) {
        self.queue.close();
        // The last handle may be let go by a write itself; the thread then ends on its own.
        if std::thread::current().id() != self.thread.thread().id() && self.thread.join().is_err() {
            tracing::error!("the writer ended by a panic");
        }
    }

    /// Hands a write to the writer and waits until the disk has it. A `small` one is also made when the disk is nearly
    /// full. Answers with the place of its last change.
    pub(super) async fn write<T: Send + 'static>(
        &self,
        small: bool,
        tenant: TenantId,
        actor: Actor,
        work: impl FnOnce(&TenantWrite<'_>) -> Result<T> + Send + 'static,
    ) -> Result<(T, u64)> {
        if self.supervisor.is_failing() {
            return Err(self.supervisor.refusal());
        }
        let (answer, done) = oneshot::channel();
        let run = move |group: &mut Group<'_>| -> Answer {
            let result = group.run(tenant, actor, work);
            Box::new(move |committed| {
                let _ = answer.send(committed.and(result));
            })
        };
        if !self.queue.push(Job { small, run: Box::new(run) }) {
            return Err(busy(1, "too many writes are waiting"));
        }
        done.await.map_err(|_| self.supervisor.refusal())?
    }
}

/// The channels on which commits are announced.
pub(super) struct CommitChannels {
    /// What changed.
    pub(super) commits: broadcast::Sender<Arc<[Change]>>,
    /// That anything did.
    pub(super) wrote: watch::Sender<u64>,
}

/// How much was written since the store was opened.
#[derive(Debug, Default)]
pub(super) struct Written {
    pub(super) commits: AtomicU64,
    pub(super) writes: AtomicU64,
}

/// Where the writer's thread sits.
struct WriterThread {
    queue: Arc<Queue<Job>>,
    supervisor: Arc<Supervisor>,
    clock: Clock,
    entropy: Entropy,
    channels: CommitChannels,
    /// The last change that listeners heard of.
    announced: u64,
    written: Arc<Written>,
}

impl WriterThread {
    fn work(&mut self) {
        loop {
            let failure = match self.queue.next(BATCH) {
                Next::Stop => return,
                Next::Work(jobs) => self.commit(jobs),
                Next::Look => (self.supervisor.quarantine.take_suspicion() && !self.supervisor.probe())
                    .then(|| "a read failed".to_owned()),
            };
            if let Some(reason) = failure
                && !self.heal(&reason)
            {
                return;
            }
        }
    }

    /// Opens the file again, and again. Whether to go on: false when the store is closed meanwhile.
    fn heal(&mut self, reason: &str) -> bool {
        let mut tries = 0;
        while !self.supervisor.reopen(reason, tries) {
            if !self.queue.rest(self.supervisor.pause(tries)) {
                return false;
            }
            tries += 1;
        }
        self.supervisor.quarantine.take_suspicion();
        if let Err(error) = self.announce_missed() {
            tracing::warn!(?error, "listeners will read the ledger");
        }
        true
    }

    /// Runs a group of writes in one transaction and answers each. What failed, when the file must be opened again.
    fn commit(&mut self, mut jobs: Vec<Job>) -> Option<String> {
        // What is dropped is told to try again: nothing failed that opening the file would mend.
        match self.supervisor.admits() {
            Admitted::All => {}
            Admitted::Small => jobs.retain(|job| job.small),
            Admitted::None => return None,
        }
        if jobs.is_empty() {
            return None;
        }
        let mut answers = Vec::with_capacity(jobs.len());
        let outcome = catch_unwind(AssertUnwindSafe(|| self.transact(jobs, &mut answers)))
            .unwrap_or_else(|_| Err(Error::internal("the pages to be written cannot be read")));
        // Also after a failure: the commit may have happened all the same.
        self.supervisor.outdate();
        match outcome {
            Ok(changes) => {
                self.written.commits.fetch_add(1, Ordering::Relaxed);
                self.written.writes.fetch_add(answers.len() as u64, Ordering::Relaxed);
                // Listeners first: who was answered finds that what depends on the write is under way.
                self.announce(changes);
                self.channels.wrote.send_modify(|commits| *commits += 1);
                // A file that was removed takes with it what was just written.
                let is_kept = self.supervisor.is_in_place() || self.supervisor.look() != Health::Removed;
                for answer in answers {
                    answer(if is_kept { Ok(()) } else { Err(self.supervisor.refusal()) });
                }
                None
            }
            Err(error) => {
                let detail = format!("{error:?}");
                let seconds = error.retry_seconds().unwrap_or(1);
                tracing::error!(detail, writes = answers.len(), "a commit failed; its writes are refused");
                let broken = !self.supervisor.probe();
                if broken {
                    self.supervisor.set_failing(&detail);
                }
                for answer in answers {
                    answer(Err(busy(seconds, &detail)));
                }
                broken.then_some(detail)
            }
        }
    }

    fn transact(&self, jobs: Vec<Job>, answers: &mut Vec<Answer>) -> Result<Vec<Change>> {
        let database = self.supervisor.writable()?;
        transact(&database, &self.supervisor.quarantine, jobs, answers, &self.clock, &self.entropy)
    }

    fn announce(&mut self, changes: Vec<Change>) {
        if let Some(last) = changes.last() {
            self.announced = last.seq;
            // Nobody listening is fine: the ledger keeps what was missed.
            let _ = self.channels.commits.send(changes.into());
        }
    }

    /// A commit that failed at its end may have happened all the same: its listeners hear of it now.
    fn announce_missed(&mut self) -> Result<()> {
        let snapshot = self.supervisor.snapshot()?;
        loop {
            let missed = snapshot.changes_after(self.announced, MISSED)?;
            if missed.is_empty() {
                return Ok(());
            }
            self.announce(missed);
        }
    }
}

fn transact(
    database: &Database,
    quarantine: &Quarantine,
    jobs: Vec<Job>,
    answers: &mut Vec<Answer>,
    clock: &Clock,
    entropy: &Entropy,
) -> Result<Vec<Change>> {
    let mut transaction = database.begin_write().map_err(storage)?;
    // Two-phase commits that reopen at once after a crash: the default can silently lose an
    // acknowledged commit when damage meets a crash, and repairs for seconds.
    transaction.set_quick_repair(true);
    let changes = {
        let mut table = transaction.open_table(ROWS).map_err(storage)?;
        let (rows, changes) = {
            let view = TableView { table: &table, quarantine };
            let ledger = meta_key(Space::SYSTEM, keys::LEDGER);
            let (last_seq, _) = ledger_ends(&view)?;
            let mut group = Group { rows: Layer::over(&view), last_seq, changes: Vec::new(), clock, entropy };
            for job in jobs {
                answers.push((job.run)(&mut group));
            }
            if group.last_seq != last_seq {
                // A write of the group may have trimmed it.
                let (_, first_seq) = ledger_ends(&group.rows)?;
                let first = if first_seq == 0 { last_seq + 1 } else { first_seq };
                let sealed = seal(&ledger, 1, &encode(&(group.last_seq, first))?);
                group.rows.set(ledger, Some(sealed));
            }
            (group.rows.into_rows(), group.changes)
        };
        if rows.is_empty() {
            drop(table);
            transaction.abort().map_err(storage)?;
            return Ok(changes);
        }
        for (key, row) in &rows {
            match row {
                Some(bytes) => table.insert(key.as_slice(), bytes.as_slice()).map(drop),
                None => table.remove(key.as_slice()).map(drop),
            }
            .map_err(storage)?;
        }
        changes
    };
    transaction.commit().map_err(storage)?;
    Ok(changes)
}
