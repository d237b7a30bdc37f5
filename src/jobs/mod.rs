//! Background jobs. Each resumes from its last position in the ledger or the store and is idempotent, so that repeating
//! a step is harmless.

mod backup_scheduler;
mod condition;
mod mail_context;
mod notifier;

pub use backup_scheduler::BackupScheduler;
pub use condition::{Condition, HealthMonitor, Reason};
pub use mail_context::AppMailContext;
pub use notifier::{IsAway, Notifier};

use std::{future::pending, ops::ControlFlow, sync::Arc, time::Duration};

use tokio::{
    sync::{broadcast::error::RecvError, watch},
    task::JoinHandle,
};

use crate::{
    access::{AuthService, members::tenants},
    features::{self, files::FileStore, operator::Eraser},
    index::{Engine, Entry, Opened},
    kernel::{Error, Result},
    live::Hub,
    mail::Mailer,
    store::{Change, Snapshot, Store},
};

/// Changes applied to the index per batch.
const STEP: usize = 2_000;
/// How long a change may wait before searches find it; a search for the caller's own write does not wait.
const PACE: Duration = Duration::from_millis(300);
/// Time from the start until the index files are verified, so that the first requests come first.
const VERIFY: Duration = Duration::from_secs(10);
/// Wait after a failure.
const PAUSE: Duration = Duration::from_secs(1);

/// Keeps the search index up to date with the ledger until `stop` is true.
#[must_use]
pub fn index(store: Store, engine: Engine, opened: Opened, mut stop: watch::Receiver<bool>) -> JoinHandle<()> {
    let work = Arc::new(Indexer { store, engine });
    spawn(async move {
        let mut rebuild = matches!(opened, Opened::RebuildNeeded { .. });
        let mut commits = work.store.commits();
        // Opening reads only the beginnings of the files. Verification reports damage through `damaged`.
        let mut verify = Some(Box::pin(tokio::time::sleep(VERIFY)));
        // On a full disk every round fails for hours, so only the first failure and the recovery are logged.
        let mut is_failing = false;
        loop {
            let round = work.clone();
            let outcome = blocking(move || round.round(rebuild)).await;
            match outcome {
                Ok(_) => {
                    rebuild = false;
                    if std::mem::take(&mut is_failing) {
                        tracing::info!("the search index is up to date again");
                    }
                }
                Err(error) => {
                    if !std::mem::replace(&mut is_failing, true) {
                        tracing::error!(detail = ?error, "the search index could not be brought up to date; tried again every second");
                    }
                    let engine = work.engine.clone();
                    match blocking(move || engine.reopen().map_err(Error::internal)).await {
                        Ok(opened) => rebuild = matches!(opened, Opened::RebuildNeeded { .. }),
                        Err(error) => tracing::error!(detail = ?error, "the search index could not be opened"),
                    }
                    tokio::select! { () = tokio::time::sleep(PAUSE) => {}, _ = stop.wait_for(|stop| *stop) => return }
                    continue;
                }
            }
            // A commit wakes the loop. It then waits a little, so that many changes share one index commit, unless a
            // search waits for its own write.
            tokio::select! {
                biased;
                _ = stop.wait_for(|stop| *stop) => break,
                () = work.engine.wanted() => continue,
                () = work.engine.damaged() => { rebuild = true; continue }
                () = async { match &mut verify { Some(due) => due.await, None => pending().await } } => {
                    verify = None;
                    let engine = work.engine.clone();
                    drop(tokio::task::spawn_blocking(move || engine.verify()));
                    continue;
                }
                news = commits.recv() => if matches!(news, Err(RecvError::Closed)) { break },
            }
            tokio::select! {
                _ = stop.wait_for(|stop| *stop) => break,
                () = work.engine.wanted() => {}
                () = tokio::time::sleep(PACE) => {}
            }
            commits = commits.resubscribe();
        }
        let last = work.clone();
        if let Err(error) = blocking(move || last.round(false)).await {
            tracing::warn!(detail = ?error, "the last changes will be indexed at the next start");
        }
    })
}

/// Runs deferred tasks until `stop` is true; tasks that are queued then are still run.
#[must_use]
pub fn deferred(store: Store, auth: &AuthService, mut stop: watch::Receiver<bool>) -> JoinHandle<()> {
    let deferred = auth.deferred();
    spawn(async move {
        let Some(mut deferred) = deferred else { return };
        loop {
            let errand = tokio::select! {
                biased;
                errand = deferred.recv() => errand,
                _ = stop.wait_for(|stop| *stop) => deferred.try_recv().ok(),
            };
            let Some(errand) = errand else { return };
            if let Err(error) = errand.run(store.clone()).await
                && !error.is_logged()
            {
                tracing::error!(detail = ?error, "a deferred task failed");
            }
        }
    })
}

/// Publishes commits to subscribers until `stop` is true.
#[must_use]
pub fn publish(store: &Store, hub: Hub, stop: watch::Receiver<bool>) -> JoinHandle<()> {
    spawn(hub.run(store.commits(), stop))
}

/// Sends queued e-mails until `stop` is true.
#[must_use]
pub fn mail(mailer: Mailer, stop: watch::Receiver<bool>) -> JoinHandle<()> {
    spawn(mailer.run(stop))
}

/// Sends notifications of due items and of chat messages to absent members until `stop` is true.
#[must_use]
pub fn notifications(notifier: Notifier, stop: watch::Receiver<bool>) -> JoinHandle<()> {
    spawn(notifier.run(stop))
}

/// Makes backups when they are due, until `stop` is true.
#[must_use]
pub fn backups(backup_scheduler: BackupScheduler, stop: watch::Receiver<bool>) -> JoinHandle<()> {
    spawn(backup_scheduler.run(stop))
}

/// Monitors the health of the installation until `stop` is true.
#[must_use]
pub fn watch_over(watch: HealthMonitor, stop: watch::Receiver<bool>) -> JoinHandle<()> {
    spawn(watch.run(stop))
}

/// Delay from the start to the first round of daily maintenance.
const SETTLE: Duration = Duration::from_mins(15);
/// Read rate of the daily scrub in bytes per second, and how often it checks `stop`.
const SCRUB_RATE: u64 = 5_000_000;
const SLICE: Duration = Duration::from_millis(100);
const DAY: Duration = Duration::from_hours(24);

/// Removes unreferenced uploads once a day until `stop` is true.
#[must_use]
pub fn sweep(files: FileStore, stop: watch::Receiver<bool>) -> JoinHandle<()> {
    daily(stop, move || {
        let files = files.clone();
        async move {
            match files.sweep(|| tokio::time::sleep(PACE)).await {
                Ok(swept) => tracing::info!(swept.files, swept.bytes, "uploads: unreferenced files were removed"),
                Err(error) => tracing::warn!(detail = ?error, "uploads: garbage collection failed, retrying tomorrow"),
            }
        }
    })
}

/// Erases tenants that are due for erasure once a day until `stop` is true.
#[must_use]
pub fn erase(eraser: Eraser, stop: watch::Receiver<bool>) -> JoinHandle<()> {
    daily(stop, move || {
        let eraser = eraser.clone();
        async move {
            match eraser.round().await {
                Ok(0) => {}
                Ok(companies) => tracing::info!(companies, "erased companies that were closed or never confirmed"),
                Err(error) => tracing::warn!(detail = ?error, "erasing companies failed, retrying tomorrow"),
            }
        }
    })
}

/// Verifies all uploads and the whole store once a day at five megabytes a second and reports damage, until `stop` is
/// true, so that a flipped bit is known while backups from before it exist.
#[must_use]
pub fn scrub(files: FileStore, watch: HealthMonitor, stop: watch::Receiver<bool>) -> JoinHandle<()> {
    let told = stop.clone();
    daily(stop, move || {
        let (store, told) = (files.store().clone(), told.clone());
        let (files, watch) = (files.clone(), watch.clone());
        async move {
            let hears = told.clone();
            match files.scrub(move |bytes| slowly(bytes, &hears)).await {
                Ok(read) => {
                    tracing::info!(read.files, read.damaged, read.digested, "the daily check of uploads is done");
                }
                Err(error) => tracing::warn!(detail = ?error, "the daily check of uploads failed"),
            }
            match blocking(move || store.scrub(features::TABLES, &mut |bytes| slowly(bytes, &told))).await {
                Ok(report) if report.is_sound() => {
                    watch.has_damage(0);
                    tracing::info!(report.rows, report.bytes, "the daily check of the store found no damage");
                }
                Ok(report) => {
                    let damaged = report.damaged();
                    watch.has_damage(damaged);
                    tracing::error!(report.rows, report.bytes, damaged, "the daily check found damage in the store");
                }
                Err(error) => tracing::warn!(detail = ?error, "the daily check of the store failed"),
            }
        }
    })
}

/// Trims the ledger once a day until `stop` is true. It removes entries older than `days` that are in the search index,
/// the reader that may be furthest behind. Live frames and notifications ignore entries older than an hour.
#[must_use]
pub fn trim(store: Store, engine: Engine, days: u32, stop: watch::Receiver<bool>) -> JoinHandle<()> {
    daily(stop, move || {
        let (store, engine) = (store.clone(), engine.clone());
        async move {
            let before = store.clock().now().plus_seconds(-i64::from(days) * 24 * 3_600);
            let mut trimmed = 0;
            loop {
                match store.trim_ledger(before, engine.reached()).await {
                    Ok(0) => break,
                    Ok(entries) => trimmed += entries,
                    Err(error) => {
                        tracing::warn!(detail = ?error, "change feed: trimming failed, retrying tomorrow");
                        break;
                    }
                }
                tokio::time::sleep(PACE).await;
            }
            if trimmed > 0 {
                tracing::info!(trimmed, "change feed: old entries were removed");
            }
        }
    })
}

/// Sleeps for the time that `bytes` take at the scrub rate. Breaks when `stop` is true.
fn slowly(bytes: u64, stop: &watch::Receiver<bool>) -> ControlFlow<()> {
    let mut left = Duration::from_millis(bytes / (SCRUB_RATE / 1_000));
    while !*stop.borrow() {
        if left.is_zero() {
            return ControlFlow::Continue(());
        }
        let slice = left.min(SLICE);
        std::thread::sleep(slice);
        left -= slice;
    }
    ControlFlow::Break(())
}

/// Runs `work` once a day until `stop` is true. A stop also cancels a run, so `work` must be safe to cancel.
fn daily<F: Future<Output = ()> + Send>(
    mut stop: watch::Receiver<bool>,
    work: impl Fn() -> F + Send + Sync + 'static,
) -> JoinHandle<()> {
    spawn(async move {
        let mut wait = SETTLE;
        loop {
            tokio::select! {
                _ = stop.wait_for(|stop| *stop) => return,
                () = async { tokio::time::sleep(wait).await; work().await } => wait = DAY,
            }
        }
    })
}

struct Indexer {
    store: Store,
    engine: Engine,
}

impl Indexer {
    /// Indexes all new ledger entries and commits. Returns the number of damaged records that a rebuild found.
    fn round(&self, rebuild: bool) -> Result<u64> {
        // An index that lacks trimmed entries, such as a restored one, cannot follow the ledger and is rebuilt.
        let misses = self.store.snapshot()?.first_change()? > self.engine.reached() + 1;
        let damaged = if rebuild || misses { self.rebuild()? } else { 0 };
        let _turn = self.engine.turn();
        let mut reached = self.engine.reached();
        loop {
            let snapshot = self.store.snapshot()?;
            let changes = snapshot.changes_after(reached, STEP)?;
            let Some(last) = changes.last() else { break };
            reached = last.seq;
            let entries: Vec<Entry> = changes
                .iter()
                .filter_map(|change| Self::entry(&snapshot, change).transpose())
                .collect::<Result<_>>()?;
            self.engine.apply(entries, reached).map_err(Error::internal)?;
        }
        self.engine.commit().map_err(Error::internal)?;
        Ok(damaged)
    }

    /// Converts a change to an index entry from the current record, which later changes may have replaced.
    fn entry(snapshot: &Snapshot, change: &Change) -> Result<Option<Entry>> {
        let Some(searchable) = features::searchables().find(|known| known.kind == change.kind) else { return Ok(None) };
        if change.person.is_some() {
            return Ok(None);
        }
        let document = (searchable.document)(&snapshot.tenant(change.tenant, None), change.id)?;
        Ok(Some(Entry { tenant: change.tenant, kind: searchable.kind, id: change.id, document }))
    }

    /// Rebuilds the index from the records. Returns the number of damaged records, which are not indexed.
    fn rebuild(&self) -> Result<u64> {
        let snapshot = self.store.snapshot()?;
        let reached = snapshot.last_change()?;
        let mut rebuild = self.engine.rebuild().map_err(Error::internal)?;
        let mut damaged = 0;
        for tenant in tenants(&snapshot)? {
            for searchable in features::searchables() {
                damaged += (searchable.each)(&snapshot.tenant(tenant, None), &mut |document| {
                    let entry = Entry { tenant, kind: searchable.kind, id: document.id, document: Some(document) };
                    rebuild.add(&entry).map_err(Error::internal)
                })?;
            }
        }
        let _turn = self.engine.turn();
        rebuild.finish(reached).map_err(Error::internal)?;
        if damaged > 0 {
            tracing::error!(damaged, "damaged records are not in the search index; `atrium check` names them");
        }
        Ok(damaged)
    }
}

/// Rebuilds the search index synchronously. Returns the number of damaged records, which are not indexed.
pub fn reindex(store: Store, engine: Engine) -> Result<u64> {
    Indexer { store, engine }.round(true)
}

pub(crate) async fn blocking<T: Send + 'static>(work: impl FnOnce() -> Result<T> + Send + 'static) -> Result<T> {
    tokio::task::spawn_blocking(work).await.unwrap_or_else(|panic| Err(Error::internal(panic)))
}

#[expect(clippy::disallowed_methods, reason = "the loops are the one place where work goes on by itself")]
fn spawn(work: impl Future<Output = ()> + Send + 'static) -> JoinHandle<()> {
    tokio::spawn(work)
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
    async fn an_index_that_falls_behind_the_ledger_takes_everything_up_again() {
        let folder = tempfile::tempdir().unwrap();
        let clock = Clock::stopped(Timestamp::from_millis(NOW));
        let store = Store::open(&folder.path().join("store.redb"), clock, Entropy::seeded(1)).unwrap();
        let (engine, _) = Engine::open(&folder.path().join("index"), Options::default()).unwrap();
        let indexer = Indexer { store: store.clone(), engine: engine.clone() };
        let tenant = TenantId::from_bytes([7; 16]).unwrap();
        indexer.round(true).unwrap();
        let make = |tx: &crate::store::TenantWrite<'_>| {
            tx.create(Task { title: "A task".to_owned(), ..Task::default() }).map(drop)
        };
        let ((), last) = store.write(tenant, Actor::System, make).await.unwrap();
        indexer.round(false).unwrap();
        assert_eq!((engine.reached(), engine.documents()), (last, 1));
        // A rebuild beside it, at a state from before the task.
        engine.rebuild().unwrap().finish(0).unwrap();
        assert_eq!((engine.reached(), engine.documents()), (0, 0));
        indexer.round(false).unwrap();
        assert_eq!((engine.reached(), engine.documents()), (last, 1));
    }

    #[tokio::test]
    async fn an_index_that_misses_trimmed_entries_is_built_anew() {
        let folder = tempfile::tempdir().unwrap();
        let app = crate::testing::TestApp::new().await;
        let (engine, _) = Engine::open(&folder.path().join("index"), Options::default()).unwrap();
        let indexer = Indexer { store: app.app.store().clone(), engine: engine.clone() };
        engine.rebuild().unwrap().finish(1).unwrap();
        let far = Timestamp::from_millis(i64::MAX);
        assert!(app.app.store().trim_ledger(far, u64::MAX).await.unwrap() > 2);
        indexer.round(false).unwrap();
        assert_eq!(engine.documents(), 8, "all members of both companies are found");
    }

    #[test]
    fn reading_the_store_ends_when_it_is_told_to() {
        let stop = watch::Sender::new(false);
        assert_eq!(slowly(SCRUB_RATE / 1_000, &stop.subscribe()), ControlFlow::Continue(()));
        stop.send_replace(true);
        assert_eq!(slowly(u64::MAX, &stop.subscribe()), ControlFlow::Break(()));
    }
}
