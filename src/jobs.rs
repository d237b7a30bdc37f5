//! The loops behind: what goes on while nobody asks. Each reads the ledger or the store from where it
//! stopped, so that doing a piece twice changes nothing.

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

/// Changes taken into the index at a time.
const STEP: usize = 2_000;
/// How long what was written may wait before it is found by others; the writer's own search does not wait.
const PACE: Duration = Duration::from_millis(300);
/// When the index's files are read through, counted from the start: whoever comes first is served first.
const VERIFY: Duration = Duration::from_secs(10);
/// How long to wait after a failure.
const PAUSE: Duration = Duration::from_secs(1);

/// Keeps the search index up with the ledger until `stop` says true.
#[must_use]
pub fn index(store: Store, engine: Engine, opened: Opened, mut stop: watch::Receiver<bool>) -> JoinHandle<()> {
    let work = Arc::new(Indexer { store, engine });
    spawn(async move {
        let mut rebuild = matches!(opened, Opened::RebuildNeeded { .. });
        let mut commits = work.store.commits();
        // Opening reads the files' beginnings only. What this finds is heard of through `damaged`.
        let mut verify = Some(Box::pin(tokio::time::sleep(VERIFY)));
        // On a full disk it fails for hours: the log has the first failure, and the end of it.
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
            // Something new wakes the loop; it then waits a little, so that many changes share a commit,
            // unless somebody waits for their own.
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

/// Does what was to be done after answers, until `stop` says true; what waits then is still done.
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
                tracing::error!(detail = ?error, "what was to be done after an answer failed");
            }
        }
    })
}

/// Passes what is committed on to those who look, until `stop` says true.
#[must_use]
pub fn publish(store: &Store, hub: Hub, stop: watch::Receiver<bool>) -> JoinHandle<()> {
    spawn(hub.run(store.commits(), stop))
}

/// Sends letters from the moment at which the server can be reached until `stop` says true.
#[must_use]
pub fn mail(mailer: Mailer, stop: watch::Receiver<bool>) -> JoinHandle<()> {
    spawn(mailer.run(stop))
}

/// Tells people what became due, and what was said while they were away, until `stop` says true.
#[must_use]
pub fn notifications(notifier: Notifier, stop: watch::Receiver<bool>) -> JoinHandle<()> {
    spawn(notifier.run(stop))
}

/// Makes backups when they are due, until `stop` says true.
#[must_use]
pub fn backups(backup_scheduler: BackupScheduler, stop: watch::Receiver<bool>) -> JoinHandle<()> {
    spawn(backup_scheduler.run(stop))
}

/// Looks after the condition of the installation until `stop` says true.
#[must_use]
pub fn watch_over(watch: HealthMonitor, stop: watch::Receiver<bool>) -> JoinHandle<()> {
    spawn(watch.run(stop))
}

/// How long after a start the house begins to tidy up, and how long it rests after it did.
const SETTLE: Duration = Duration::from_mins(15);
/// Bytes a second that the daily reading of the store takes, and how soon it hears that it is to stop.
const SCRUB_RATE: u64 = 5_000_000;
const SLICE: Duration = Duration::from_millis(100);
const DAY: Duration = Duration::from_hours(24);

/// Clears away uploads that nothing refers to, once a day, until `stop` says true.
#[must_use]
pub fn sweep(files: FileStore, stop: watch::Receiver<bool>) -> JoinHandle<()> {
    daily(stop, move || {
        let files = files.clone();
        async move {
            match files.sweep(|| tokio::time::sleep(PACE)).await {
                Ok(swept) => tracing::info!(swept.files, swept.bytes, "uploads that nothing referred to were removed"),
                Err(error) => tracing::warn!(detail = ?error, "uploads will be looked through tomorrow"),
            }
        }
    })
}

/// Erases companies whose time has come, once a day, until `stop` says true.
#[must_use]
pub fn erase(eraser: Eraser, stop: watch::Receiver<bool>) -> JoinHandle<()> {
    daily(stop, move || {
        let eraser = eraser.clone();
        async move {
            match eraser.round().await {
                Ok(0) => {}
                Ok(companies) => tracing::info!(companies, "companies that were closed or never confirmed were erased"),
                Err(error) => tracing::warn!(detail = ?error, "erasing companies goes on tomorrow"),
            }
        }
    })
}

/// Reads all uploads and the whole store once a day, at five megabytes a second, and says what is wrong with them, until `stop`
/// says true: a broken bit is to be known while there are backups from before it.
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
                    tracing::info!(read.files, read.damaged, read.digested, "the uploads were read through");
                }
                Err(error) => tracing::warn!(detail = ?error, "the uploads were not read through"),
            }
            match blocking(move || store.scrub(features::TABLES, &mut |bytes| slowly(bytes, &told))).await {
                Ok(report) if report.is_sound() => {
                    watch.has_damage(0);
                    tracing::info!(report.rows, report.bytes, "the store was read through; nothing is wrong with it");
                }
                Ok(report) => {
                    let damaged = report.damaged();
                    watch.has_damage(damaged);
                    tracing::error!(report.rows, report.bytes, damaged, "the store was read through; it is damaged");
                }
                Err(error) => tracing::warn!(detail = ?error, "the store was not read through"),
            }
        }
    })
}

/// Trims the ledger once a day, until `stop` says true: what is older than so many days and is in the search index, the
/// reader that may be furthest behind. News and notifications tell nothing that is older than an hour.
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
                        tracing::warn!(detail = ?error, "the ledger will be trimmed further tomorrow");
                        break;
                    }
                }
                tokio::time::sleep(PACE).await;
            }
            if trimmed > 0 {
                tracing::info!(trimmed, "old entries of the ledger were removed");
            }
        }
    })
}

/// Waits as long as so many bytes may take. Whether to go on.
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

/// Does a piece of work once a day until `stop` says true, which also breaks it off: it must bear that.
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
    /// Takes in all that the ledger holds, and makes it findable. How many records a rebuild found damaged.
    fn round(&self, rebuild: bool) -> Result<u64> {
        // An index from before entries were trimmed, such as one that was put back, cannot follow the ledger.
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

    /// What a change means to the index: the record as it is now, which later changes may have made anew.
    fn entry(snapshot: &Snapshot, change: &Change) -> Result<Option<Entry>> {
        let Some(searchable) = features::searchables().find(|known| known.kind == change.kind) else { return Ok(None) };
        if change.person.is_some() {
            return Ok(None);
        }
        let document = (searchable.document)(&snapshot.tenant(change.tenant, None), change.id)?;
        Ok(Some(Entry { tenant: change.tenant, kind: searchable.kind, id: change.id, document }))
    }

    /// Builds the index anew from the records themselves. How many are damaged, and so not in it.
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

/// Builds the search index anew, here and now. Answers with how many records are damaged, and so not in it.
///
/// # Errors
/// `busy` or `internal` when store or index fail.
pub fn reindex(store: Store, engine: Engine) -> Result<u64> {
    Indexer { store, engine }.round(true)
}

async fn blocking<T: Send + 'static>(work: impl FnOnce() -> Result<T> + Send + 'static) -> Result<T> {
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
        // Built anew beside it, from before the task.
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
