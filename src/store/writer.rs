//! The single writer thread, with group commit: waiting writes share one transaction and one disk sync. A write returns
//! only after the sync.

use std::{
    collections::BTreeMap,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    thread::JoinHandle,
    time::Instant,
};

use parking_lot::Mutex;
use redb::Database;
use tokio::sync::{broadcast, oneshot, watch};
use tracing::Span;

use super::{
    changes::{Actor, Change},
    codec::{encode, seal},
    cost::{CountedView, LargestCost, WriteCost},
    errors::{busy_error, disk_error},
    keys::{self, Space, meta_key},
    quarantine::Quarantine,
    queue::{Gathering, Next, Queue},
    rows::ledger_ends,
    supervisor::{AllowedWrites, Health, Supervisor},
    view::{Layer, ROWS},
    walk::TableView,
    write::{TenantWrite, WriteOverlay},
};
use crate::kernel::{Clock, Entropy, Error, Histogram, Result, TenantId, lower_priority};

/// The nice value of the writer thread: on two processors a request waits otherwise until a long series of writes, such as a
/// bulk change, has used up its share.
const NICE: i32 = 3;
/// Most writes per commit.
const MAX_WRITES_PER_COMMIT: usize = 512;
/// The time of a write's closure, in milliseconds, from which it is logged: the writes of all companies wait for it.
const SLOW_WRITE_MS: u128 = 50;
/// Seconds after which a write that met a pause may be tried again.
const PAUSED_SECONDS: u32 = 5;
/// Page size for reading back commits that subscribers have not received.
const BACKFILL_PAGE: usize = 1_000;

/// A write to run inside the transaction. Its result is called when the outcome of the commit is known. A dropped job
/// makes its caller get a retryable error.
struct Job {
    /// Whether it may run when the disk is nearly full.
    small: bool,
    run: Box<dyn FnOnce(&mut WriteGroup<'_>) -> CommitCallback + Send>,
}
type CommitCallback = Box<dyn FnOnce(Result<()>) + Send>;

/// The transaction that a group of writes shares. Each write sees the changes of the earlier ones.
struct WriteGroup<'g> {
    rows: Layer<'g>,
    last_seq: u64,
    changes: Vec<Change>,
    clock: &'g Clock,
    entropy: &'g Entropy,
    largest: &'g LargestCost,
}

impl WriteGroup<'_> {
    /// Runs one write, which `request` asked for. Its rows join the group's on success and are discarded on failure.
    fn run<T>(
        &mut self,
        request: &Span,
        (tenant, actor): (TenantId, Actor),
        work: impl FnOnce(&TenantWrite<'_>) -> Result<T>,
    ) -> Result<(T, u64)> {
        let began = Instant::now();
        #[cfg(test)]
        let began_cpu = super::cost::cpu_micros();
        let counted = CountedView::new(&self.rows);
        let staged = WriteOverlay::new(&counted, self.last_seq);
        let result = {
            let tx = TenantWrite::new(&staged, tenant, actor, self.clock.now(), self.entropy);
            let result = catch_unwind(AssertUnwindSafe(|| work(&tx)));
            result.unwrap_or_else(|_| Err(Error::internal("a write panicked")))
        };
        let (rows, changes, last_seq) = staged.finish();
        let cost = counted.cost(&rows);
        self.largest.add(cost);
        #[cfg(test)]
        self.largest.add_cpu(began_cpu);
        let millis = began.elapsed().as_millis();
        if millis >= SLOW_WRITE_MS {
            let WriteCost { rows_read, bytes_read, rows_written, bytes_written } = cost;
            let _entered = request.enter();
            tracing::warn!(%tenant, ?actor, millis, rows_read, bytes_read, rows_written, bytes_written, "slow write");
        }
        let value = result?;
        self.rows.absorb(rows);
        self.last_seq = last_seq;
        self.changes.extend(changes);
        Ok((value, self.last_seq))
    }
}

/// A handle to the writer thread.
pub(super) struct Writer {
    queue: Arc<Queue<Job>>,
    /// Whether writes are refused, except for small ones.
    pub(super) paused: Arc<AtomicBool>,
    supervisor: Arc<Supervisor>,
    pub(super) stats: Arc<WriteStats>,
    thread: JoinHandle<()>,
}

impl Writer {
    /// Starts the writer thread. It announces commits on `channels`.
    pub(super) fn start(
        supervisor: Arc<Supervisor>,
        clock: Clock,
        entropy: Entropy,
        channels: CommitChannels,
    ) -> Result<Self> {
        let announced = supervisor.snapshot()?.last_change()?;
        let queue = Arc::new(Queue::new());
        let weak_queue = Arc::downgrade(&queue);
        supervisor.quarantine.on_failure(move || {
            if let Some(queue) = weak_queue.upgrade() {
                queue.request_disk_check();
            }
        });
        let stats = Arc::new(WriteStats::default());
        let mut thread = WriterThread {
            queue: queue.clone(),
            supervisor: supervisor.clone(),
            clock,
            entropy,
            channels,
            announced,
            gathering: Gathering::default(),
            stats: stats.clone(),
        };
        let work = move || {
            lower_priority(NICE);
            thread.run();
        };
        let thread = std::thread::Builder::new().name("store-writer".into()).spawn(work);
        let paused = Arc::default();
        Ok(Self { queue, paused, supervisor, stats, thread: thread.map_err(Error::internal)? })
    }

    /// Returns the number of waiting writes.
    pub(super) fn waiting(&self) -> usize {
        self.queue.len()
    }

    /// Finishes the waiting writes and stops the thread.
    pub(super) fn stop(self) {
        self.queue.close();
        // A write itself may drop the last handle. The thread then ends without a join.
        if std::thread::current().id() != self.thread.thread().id() && self.thread.join().is_err() {
            tracing::error!("the writer ended by a panic");
        }
    }

    /// Queues a write and waits until it is durable. A `small` write also runs when the disk is nearly full. Returns
    /// the result and the sequence number of the last change.
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
        if !small && self.paused.load(Ordering::Acquire) {
            return Err(busy_error(PAUSED_SECONDS, "a backup is being restored: what is written now would be lost"));
        }
        let (answer, done) = oneshot::channel();
        let request = Span::current();
        let run = move |group: &mut WriteGroup<'_>| -> CommitCallback {
            let result = group.run(&request, (tenant, actor), work);
            Box::new(move |committed| {
                let _ = answer.send(committed.and(result));
            })
        };
        if !self.queue.push(Job { small, run: Box::new(run) }) {
            return Err(busy_error(1, "too many writes are waiting"));
        }
        done.await.map_err(|_| self.supervisor.refusal())?
    }
}

/// Commits that a subscriber may fall behind.
const COMMITS_BEHIND: usize = 1_024;
/// The same for a kind: there is a channel for each, which takes its memory also while nothing is written.
const COMMITS_OF_KIND_BEHIND: usize = 256;

/// The changes of each commit.
type Commits = broadcast::Sender<Arc<[Change]>>;

/// The channels that announce commits.
#[derive(Clone)]
pub(super) struct CommitChannels {
    /// All commits.
    pub(super) commits: Commits,
    /// Those that have a change of a kind, for each kind with subscribers.
    of_kinds: Arc<Mutex<BTreeMap<&'static str, Commits>>>,
    /// The number of commits.
    pub(super) wrote: watch::Sender<u64>,
}

impl Default for CommitChannels {
    fn default() -> Self {
        Self { commits: broadcast::Sender::new(COMMITS_BEHIND), of_kinds: Arc::default(), wrote: watch::Sender::new(0) }
    }
}

impl CommitChannels {
    /// Subscribes to the commits that have a change of a kind.
    pub(super) fn of_kind(&self, kind: &'static str) -> broadcast::Receiver<Arc<[Change]>> {
        let mut of_kinds = self.of_kinds.lock();
        of_kinds.entry(kind).or_insert_with(|| broadcast::Sender::new(COMMITS_OF_KIND_BEHIND)).subscribe()
    }

    /// Sends the changes of a commit. Without subscribers that fails; the change feed keeps the changes.
    fn send(&self, changes: Arc<[Change]>) {
        for (kind, commits) in self.of_kinds.lock().iter() {
            if changes.iter().any(|change| change.kind == *kind) {
                let _ = commits.send(changes.clone());
            }
        }
        let _ = self.commits.send(changes);
    }
}

/// Upper bounds of the writes per commit, and of the microseconds of a commit.
const COMMIT_WRITES: [u64; 9] = [1, 2, 4, 8, 16, 32, 64, 128, 256];
const COMMIT_MICROS: [u64; 10] = [500, 1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 500_000, 2_000_000];

/// Statistics since the store was opened.
#[derive(Debug)]
pub(super) struct WriteStats {
    pub(super) commits: AtomicU64,
    pub(super) writes: AtomicU64,
    /// The writes of each commit.
    pub(super) sizes: Histogram,
    /// The time of each commit, in microseconds.
    pub(super) micros: Histogram,
    /// The largest cost of a write.
    pub(super) largest: LargestCost,
}

impl Default for WriteStats {
    fn default() -> Self {
        Self {
            commits: AtomicU64::new(0),
            writes: AtomicU64::new(0),
            sizes: Histogram::new(&COMMIT_WRITES),
            micros: Histogram::new(&COMMIT_MICROS),
            largest: LargestCost::default(),
        }
    }
}

/// State of the writer thread.
struct WriterThread {
    queue: Arc<Queue<Job>>,
    supervisor: Arc<Supervisor>,
    clock: Clock,
    entropy: Entropy,
    channels: CommitChannels,
    /// Sequence number of the last change announced to subscribers.
    announced: u64,
    gathering: Gathering,
    stats: Arc<WriteStats>,
}

impl WriterThread {
    fn run(&mut self) {
        loop {
            let failure = match self.queue.next(MAX_WRITES_PER_COMMIT, &mut self.gathering) {
                Next::Stop => return,
                Next::Commit(jobs) => self.commit(jobs),
                Next::CheckDisk => (self.supervisor.quarantine.take_suspicion() && !self.supervisor.probe())
                    .then(|| "a read failed".to_owned()),
            };
            if let Some(reason) = failure
                && !self.heal(&reason)
            {
                return;
            }
        }
    }

    /// Reopens the file, with retries. Returns false if the store is closed before that succeeds.
    fn heal(&mut self, reason: &str) -> bool {
        let mut tries = 0;
        while !self.supervisor.reopen(reason, tries) {
            if !self.queue.drop_jobs_for(self.supervisor.pause(tries)) {
                return false;
            }
            tries += 1;
        }
        self.supervisor.quarantine.take_suspicion();
        if let Err(error) = self.announce_missed() {
            tracing::warn!(?error, "subscriber backfill failed");
        }
        true
    }

    /// Runs a group of writes in one transaction and answers each. Returns the reason if the file must be reopened.
    fn commit(&mut self, mut jobs: Vec<Job>) -> Option<String> {
        // Dropped jobs get a retryable error. There is no failure that reopening could repair.
        match self.supervisor.allowed_writes() {
            AllowedWrites::All => {}
            AllowedWrites::Small => jobs.retain(|job| job.small),
            AllowedWrites::None => return None,
        }
        if jobs.is_empty() {
            return None;
        }
        let mut answers = Vec::with_capacity(jobs.len());
        let began = Instant::now();
        let outcome = catch_unwind(AssertUnwindSafe(|| self.transact(jobs, &mut answers))).unwrap_or_else(|_| {
            self.supervisor.distrust_free_pages();
            Err(Error::internal("the pages to be written cannot be read"))
        });
        // Needed after a failure too: the commit may have taken effect.
        self.supervisor.invalidate_snapshot();
        match outcome {
            Ok(changes) => {
                self.stats.commits.fetch_add(1, Ordering::Relaxed);
                self.stats.writes.fetch_add(answers.len() as u64, Ordering::Relaxed);
                self.stats.sizes.observe(answers.len() as u64);
                let took = began.elapsed();
                self.stats.micros.observe(u64::try_from(took.as_micros()).unwrap_or(u64::MAX));
                self.gathering.note(answers.len(), self.queue.len(), took);
                // Announce before answering: a caller may rely on subscribers having received the change.
                self.announce(changes);
                self.channels.wrote.send_modify(|commits| *commits += 1);
                // If the file was removed, the commit is lost with it.
                let is_kept = self.supervisor.is_in_place() || self.supervisor.check_health() != Health::Removed;
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
                    answer(Err(busy_error(seconds, &detail)));
                }
                broken.then_some(detail)
            }
        }
    }

    fn transact(&self, jobs: Vec<Job>, answers: &mut Vec<CommitCallback>) -> Result<Vec<Change>> {
        let database = self.supervisor.writable()?;
        let largest = &self.stats.largest;
        transact(&database, &self.supervisor.quarantine, jobs, answers, (&self.clock, &self.entropy, largest))
    }

    fn announce(&mut self, changes: Vec<Change>) {
        if let Some(last) = changes.last() {
            self.announced = last.seq;
            self.channels.send(changes.into());
        }
    }

    /// Announces commits that took effect although their last step failed.
    fn announce_missed(&mut self) -> Result<()> {
        let snapshot = self.supervisor.snapshot()?;
        loop {
            let missed = snapshot.changes_after(self.announced, BACKFILL_PAGE)?;
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
    answers: &mut Vec<CommitCallback>,
    (clock, entropy, largest): (&Clock, &Entropy, &LargestCost),
) -> Result<Vec<Change>> {
    let mut transaction = database.begin_write().map_err(disk_error)?;
    // Quick repair implies two-phase commit and a fast open after a crash. redb's default can lose an acknowledged
    // commit when damage and a crash coincide, and needs seconds for repairs.
    transaction.set_quick_repair(true);
    let changes = {
        let mut table = transaction.open_table(ROWS).map_err(disk_error)?;
        let (rows, changes) = {
            let view = TableView { table: &table, quarantine };
            let ledger = meta_key(Space::SYSTEM, keys::LEDGER);
            let (last_seq, _) = ledger_ends(&view)?;
            let mut group =
                WriteGroup { rows: Layer::new(&view), last_seq, changes: Vec::new(), clock, entropy, largest };
            for job in jobs {
                answers.push((job.run)(&mut group));
            }
            if group.last_seq != last_seq {
                // A write of the group may have trimmed the change feed.
                let (_, first_seq) = ledger_ends(&group.rows)?;
                let first = if first_seq == 0 { last_seq + 1 } else { first_seq };
                let sealed = seal(&ledger, 1, &encode(&(group.last_seq, first))?);
                group.rows.set(ledger, Some(sealed));
            }
            (group.rows.into_rows(), group.changes)
        };
        if rows.is_empty() {
            drop(table);
            transaction.abort().map_err(disk_error)?;
            return Ok(changes);
        }
        for (key, row) in &rows {
            match row {
                Some(bytes) => table.insert(key.as_slice(), bytes.as_slice()).map(drop),
                None => table.remove(key.as_slice()).map(drop),
            }
            .map_err(disk_error)?;
        }
        changes
    };
    transaction.commit().map_err(disk_error)?;
    Ok(changes)
}
