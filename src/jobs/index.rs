//! Indexing job: keeps the search index up to date with the change feed, and rebuilds it when it is damaged.

use std::{future::pending, pin::Pin, sync::Arc, time::Duration};

use tokio::{
    sync::broadcast::{Receiver, error::RecvError},
    time::{Sleep, sleep},
};

use super::runner::{Job, Retry};
use crate::{
    features,
    index::{Engine, Entry, Opened},
    kernel::{
        Error, Result,
        progress::{Progress, Unit},
        run_in_background, start_in_background,
    },
    people::members::tenants,
    store::{Change, Snapshot, Store},
};

/// Changes applied to the index per batch.
const CHANGES_PER_BATCH: usize = 2_000;
/// How long a change may wait before searches find it; a search for the caller's own write does not wait.
const COMMIT_DELAY: Duration = Duration::from_millis(300);
/// The same while there are many changes, such as a bulk change: each commit costs the time of thousands of records.
const BUSY_COMMIT_DELAY: Duration = Duration::from_secs(1);
/// Changes of a round from which there are many.
const MANY_CHANGES: usize = 500;
/// The name of the threads on which the job works.
const THREAD: &str = "index";
/// Time from the start until the index files are verified, so that the first requests come first.
const VERIFY_DELAY: Duration = Duration::from_secs(10);

/// Keeps the search index up to date.
pub struct IndexJob {
    indexer: Arc<Indexer>,
    commits: Receiver<Arc<[Change]>>,
    rebuild: bool,
    /// How long the next change may wait.
    delay: Duration,
    /// Opening reads only the beginnings of the files. Verification reports damage through `damaged`.
    verify: Option<Pin<Box<Sleep>>>,
}

impl IndexJob {
    /// Creates the job for an index as it was opened.
    pub fn new(store: Store, engine: Engine, opened: &Opened) -> Self {
        let commits = store.commits();
        let rebuild = matches!(opened, Opened::RebuildNeeded { .. });
        Self {
            indexer: Arc::new(Indexer { store, engine }),
            commits,
            rebuild,
            delay: COMMIT_DELAY,
            verify: Some(Box::pin(sleep(VERIFY_DELAY))),
        }
    }

    async fn reopen(&mut self) {
        let engine = self.indexer.engine.clone();
        match run_in_background(THREAD, move || engine.reopen().map_err(Error::internal)).await {
            Ok(opened) => self.rebuild = matches!(opened, Opened::RebuildNeeded { .. }),
            Err(error) => tracing::error!(detail = ?error, "the search index could not be opened"),
        }
    }

    async fn round(&self, rebuild: bool) -> Result<Indexed> {
        let indexer = Arc::clone(&self.indexer);
        run_in_background(THREAD, move || indexer.round(rebuild, &Progress::default())).await
    }
}

impl Job for IndexJob {
    const NAME: &'static str = "index";
    const RETRY: Retry = Retry::backoff(Duration::from_secs(1), Duration::from_secs(10));

    /// A commit makes the job due. It then waits a little, so that many changes share one index commit, unless a search
    /// waits for its own write.
    async fn due(&mut self) {
        let engine = &self.indexer.engine;
        tokio::select! {
            biased;
            () = engine.wait_for_commit_request() => return,
            () = engine.wait_for_damage() => {
                self.rebuild = true;
                return;
            }
            () = wait_for_timer(&mut self.verify) => {
                self.verify = None;
                let engine = engine.clone();
                let verify = move || engine.verify().map_err(Error::internal);
                if let Err(error) = start_in_background(THREAD, verify) {
                    tracing::error!(detail = ?error, "the search index could not be verified");
                }
                return;
            }
            () = next_commit(&mut self.commits) => {}
        }
        tokio::select! {
            () = engine.wait_for_commit_request() => {}
            () = sleep(self.delay) => {}
        }
        self.commits = self.commits.resubscribe();
    }

    async fn run(&mut self) -> Result<()> {
        match self.round(self.rebuild).await {
            Ok(indexed) => {
                self.rebuild = false;
                self.delay = if indexed.changes < MANY_CHANGES { COMMIT_DELAY } else { BUSY_COMMIT_DELAY };
                Ok(())
            }
            Err(error) => {
                self.reopen().await;
                Err(error)
            }
        }
    }

    async fn finish(&mut self) -> Result<()> {
        self.round(false).await.map(drop)
    }
}

async fn wait_for_timer(timer: &mut Option<Pin<Box<Sleep>>>) {
    match timer {
        Some(timer) => timer.await,
        None => pending().await,
    }
}

/// Waits for a commit, also one that was missed.
async fn next_commit(commits: &mut Receiver<Arc<[Change]>>) {
    if matches!(commits.recv().await, Err(RecvError::Closed)) {
        pending::<()>().await;
    }
}

/// What a round did.
#[derive(Default)]
struct Indexed {
    /// Changes that it read.
    changes: usize,
    /// Damaged records that a rebuild found.
    damaged: u64,
}

struct Indexer {
    store: Store,
    engine: Engine,
}

impl Indexer {
    /// Indexes all new ledger entries and commits.
    fn round(&self, rebuild: bool, progress: &Progress) -> Result<Indexed> {
        // An index that lacks trimmed entries, such as a restored one, cannot follow the ledger and is rebuilt.
        let lacks_entries = self.store.snapshot()?.first_change()? > self.engine.reached() + 1;
        let mut indexed = Indexed::default();
        if rebuild || lacks_entries {
            indexed.damaged = self.rebuild(progress)?;
        }
        let _lock = self.engine.lock_feed_position();
        let mut reached = self.engine.reached();
        loop {
            let snapshot = self.store.snapshot()?;
            let changes = snapshot.changes_after(reached, CHANGES_PER_BATCH)?;
            let Some(last) = changes.last() else { break };
            reached = last.seq;
            indexed.changes += changes.len();
            let entries: Vec<Entry> = changes
                .iter()
                .filter_map(|change| Self::to_entry(&snapshot, change).transpose())
                .collect::<Result<_>>()?;
            self.engine.apply(entries, reached).map_err(Error::internal)?;
        }
        self.engine.commit().map_err(Error::internal)?;
        Ok(indexed)
    }

    /// Converts a change to an index entry from the current record, which later changes may have replaced.
    fn to_entry(snapshot: &Snapshot, change: &Change) -> Result<Option<Entry>> {
        if change.person.is_some() {
            return Ok(None);
        }
        let changed = features::changed_document(&snapshot.tenant(change.tenant, None), change)?;
        let entry =
            |features::ChangedDocument { kind, id, document }| Entry { tenant: change.tenant, kind, id, document };
        Ok(changed.map(entry))
    }

    /// Rebuilds the index from the records. Returns the number of damaged records, which are not indexed.
    fn rebuild(&self, progress: &Progress) -> Result<u64> {
        let snapshot = self.store.snapshot()?;
        let reached = snapshot.last_change()?;
        // The index in use has about as many documents.
        progress.start("Indexing records", Unit::Items, Some(self.engine.documents()).filter(|known| *known > 0));
        let mut rebuild = self.engine.rebuild().map_err(Error::internal)?;
        let mut damaged = 0;
        for tenant in tenants(&snapshot)? {
            for searchable in features::searchables() {
                damaged += features::each_document(&snapshot.tenant(tenant, None), searchable, &mut |document| {
                    let entry = Entry { tenant, kind: searchable.kind, id: document.id, document: Some(document) };
                    progress.add(1);
                    rebuild.add(&entry).map_err(Error::internal)
                })?;
            }
        }
        let _lock = self.engine.lock_feed_position();
        progress.start("Writing the index", Unit::Items, None);
        rebuild.finish(reached).map_err(Error::internal)?;
        if damaged > 0 {
            tracing::error!(damaged, "damaged records are not in the search index; `atrium check` names them");
        }
        Ok(damaged)
    }
}

/// Rebuilds the search index synchronously. Returns the number of damaged records, which are not indexed.
pub fn reindex(store: Store, engine: Engine, progress: &Progress) -> Result<u64> {
    Indexer { store, engine }.round(true, progress).map(|indexed| indexed.damaged)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        features::tasks::Task,
        index::Options,
        kernel::{Clock, Entropy, TenantId, Timestamp},
        store::Actor,
        testing::NOW,
    };

    #[tokio::test]
    async fn index_behind_the_ledger_catches_up() {
        let folder = tempfile::tempdir().unwrap();
        let clock = Clock::stopped(Timestamp::from_millis(NOW));
        let store = Store::open(&folder.path().join("store.redb"), clock, Entropy::seeded(1)).unwrap();
        let (engine, _) = Engine::open(&folder.path().join("index"), Options::default()).unwrap();
        let indexer = Indexer { store: store.clone(), engine: engine.clone() };
        let tenant = TenantId::from_bytes([7; 16]).unwrap();
        indexer.round(true, &Progress::default()).unwrap();
        let make = |tx: &crate::store::TenantWrite<'_>| {
            tx.create(Task { title: "A task".to_owned(), ..Task::default() }).map(drop)
        };
        let ((), last) = store.write(tenant, Actor::System, make).await.unwrap();
        indexer.round(false, &Progress::default()).unwrap();
        assert_eq!((engine.reached(), engine.documents()), (last, 1));
        // A rebuild beside it, at a state from before the task.
        engine.rebuild().unwrap().finish(0).unwrap();
        assert_eq!((engine.reached(), engine.documents()), (0, 0));
        indexer.round(false, &Progress::default()).unwrap();
        assert_eq!((engine.reached(), engine.documents()), (last, 1));
    }

    #[tokio::test]
    async fn index_that_misses_trimmed_entries_is_rebuilt() {
        let folder = tempfile::tempdir().unwrap();
        let app = crate::testing::TestApp::new().await;
        let (engine, _) = Engine::open(&folder.path().join("index"), Options::default()).unwrap();
        let indexer = Indexer { store: app.app.store().clone(), engine: engine.clone() };
        engine.rebuild().unwrap().finish(1).unwrap();
        let far = Timestamp::from_millis(i64::MAX);
        assert!(app.app.store().trim_ledger(far, u64::MAX).await.unwrap() > 2);
        indexer.round(false, &Progress::default()).unwrap();
        assert_eq!(engine.documents(), 8, "all members of both companies are found");
    }
}
