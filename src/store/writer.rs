//! The one writer. Writes that wait share one transaction and one sync of the disk; nobody is answered
//! before the disk has it.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
    thread::JoinHandle,
};

use redb::{Database, TableDefinition};
use tokio::sync::{broadcast, mpsc, oneshot};

use super::{
    changes::{Actor, Change},
    read::{last_seq, storage},
    write::{Staged, TenantWrite},
};
use crate::kernel::{Clock, Code, Entropy, Error, Result, TenantId};

pub(super) const ROWS: TableDefinition<&[u8], &[u8]> = TableDefinition::new("rows");

/// Writes that may wait; the next is refused with `busy`.
const QUEUE: usize = 4_096;
/// Writes that share one commit.
const BATCH: usize = 512;

type Table<'txn> = redb::Table<'txn, &'static [u8], &'static [u8]>;
/// Runs inside the transaction; what it returns answers the caller once the commit is known.
type Job = Box<dyn FnOnce(&mut Group<'_, '_>) -> Answer + Send>;
type Answer = Box<dyn FnOnce(Result<()>) + Send>;

/// The transaction that a group of writes shares.
struct Group<'g, 'txn> {
    table: &'g mut Table<'txn>,
    last_seq: u64,
    changes: Vec<Change>,
    clock: &'g Clock,
    entropy: &'g Entropy,
}

impl Group<'_, '_> {
    /// Runs one write; its rows are applied when it succeeds and forgotten when it fails.
    fn run<T>(
        &mut self,
        tenant: TenantId,
        actor: Actor,
        work: impl FnOnce(&TenantWrite<'_>) -> Result<T>,
    ) -> Result<(T, u64)> {
        let (value, applied) = {
            let staged = Staged::new(self.table, self.last_seq);
            let value = {
                let tx = TenantWrite::new(&staged, tenant, actor, self.clock.now(), self.entropy);
                let result = catch_unwind(AssertUnwindSafe(|| work(&tx)));
                result.unwrap_or_else(|_| Err(Error::internal("a write panicked")))?
            };
            (value, staged.finish())
        };
        for (key, row) in &applied.rows {
            match row {
                Some(bytes) => self.table.insert(key.as_slice(), bytes.as_slice()).map(drop),
                None => self.table.remove(key.as_slice()).map(drop),
            }
            .map_err(storage)?;
        }
        self.last_seq = applied.changes.last().map_or(self.last_seq, |change| change.seq);
        self.changes.extend(applied.changes);
        Ok((value, self.last_seq))
    }
}

/// A handle to the writer's thread.
pub(super) struct Writer {
    jobs: mpsc::Sender<Job>,
    thread: JoinHandle<()>,
}

impl Writer {
    /// Starts the writer. Committed changes go to `commits`.
    pub(super) fn start(
        database: Arc<Database>,
        clock: Clock,
        entropy: Entropy,
        commits: broadcast::Sender<Arc<[Change]>>,
    ) -> Result<Self> {
        let (jobs, mut queue) = mpsc::channel::<Job>(QUEUE);
        let thread = std::thread::Builder::new()
            .name("store-writer".into())
            .spawn(move || {
                while let Some(first) = queue.blocking_recv() {
                    let mut group = vec![first];
                    while group.len() < BATCH
                        && let Ok(job) = queue.try_recv()
                    {
                        group.push(job);
                    }
                    if let Some(changes) = commit(&database, group, &clock, &entropy)
                        && !changes.is_empty()
                    {
                        // Nobody listening is fine: the ledger keeps what was missed.
                        let _ = commits.send(changes.into());
                    }
                }
            })
            .map_err(Error::internal)?;
        Ok(Self { jobs, thread })
    }

    /// Finishes the writes that wait and ends.
    pub(super) fn stop(self) {
        drop(self.jobs);
        if self.thread.join().is_err() {
            tracing::error!("the writer ended by a panic");
        }
    }

    /// Hands a write to the writer and waits until the disk has it. Answers with the place of its last change.
    pub(super) async fn write<T: Send + 'static>(
        &self,
        tenant: TenantId,
        actor: Actor,
        work: impl FnOnce(&TenantWrite<'_>) -> Result<T> + Send + 'static,
    ) -> Result<(T, u64)> {
        let (answer, done) = oneshot::channel();
        let job: Job = Box::new(move |group| {
            let result = group.run(tenant, actor, work);
            Box::new(move |committed| {
                let _ = answer.send(committed.and(result));
            })
        });
        self.jobs.try_send(job).map_err(|_| busy("too many writes are waiting"))?;
        done.await.map_err(|_| busy("the writer has stopped"))?
    }
}

fn busy(detail: &str) -> Error {
    Error::new(Code::Busy).retry_after(1).with_detail(detail)
}

/// Runs a group of writes in one transaction and answers each. The changes, when it was committed.
fn commit(database: &Database, jobs: Vec<Job>, clock: &Clock, entropy: &Entropy) -> Option<Vec<Change>> {
    let mut answers = Vec::with_capacity(jobs.len());
    let outcome = transact(database, jobs, &mut answers, clock, entropy);
    let detail = outcome.as_ref().err().map(|error| format!("{error:?}"));
    if let Some(detail) = &detail {
        tracing::error!(detail, "a commit failed; its writes are refused");
    }
    for answer in answers {
        answer(detail.as_ref().map_or(Ok(()), |detail| Err(busy(detail))));
    }
    outcome.ok()
}

fn transact(
    database: &Database,
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
        let last_seq = last_seq(&Staged::new(&table, 0))?;
        let mut group = Group { table: &mut table, last_seq, changes: Vec::new(), clock, entropy };
        for job in jobs {
            answers.push(job(&mut group));
        }
        group.changes
    };
    transaction.commit().map_err(storage)?;
    Ok(changes)
}
