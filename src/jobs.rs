//! The loops behind: what goes on while nobody asks. Each reads the ledger or the store from where it
//! stopped, so that doing a piece twice changes nothing.

use std::{sync::Arc, time::Duration};

use tokio::{
    sync::{broadcast::error::RecvError, watch},
    task::JoinHandle,
};

use crate::{
    access::members::tenants,
    features,
    index::{Engine, Entry, Opened},
    kernel::{Error, Result},
    live::Hub,
    store::{Change, Snapshot, Store},
};

/// Changes taken into the index at a time.
const STEP: usize = 2_000;
/// How long what was written may wait before it is found by others; the writer's own search does not wait.
const PACE: Duration = Duration::from_millis(300);
/// How long to wait after a failure.
const PAUSE: Duration = Duration::from_secs(1);

/// Keeps the search index up with the ledger until `stop` says true.
#[must_use]
pub fn index(store: Store, engine: Engine, opened: Opened, mut stop: watch::Receiver<bool>) -> JoinHandle<()> {
    let work = Arc::new(Indexer { store, engine });
    spawn(async move {
        let mut rebuild = matches!(opened, Opened::RebuildNeeded { .. });
        let mut commits = work.store.commits();
        let mut verified = false;
        loop {
            let round = work.clone();
            let outcome = blocking(move || round.round(rebuild)).await;
            match outcome {
                Ok(()) => {
                    rebuild = false;
                    // Once, when the house is open: opening reads the files' beginnings only. What it finds
                    // is heard of through `damaged`, so nobody waits for it.
                    if !std::mem::replace(&mut verified, true) {
                        let engine = work.engine.clone();
                        drop(tokio::task::spawn_blocking(move || engine.verify()));
                    }
                }
                Err(error) => {
                    tracing::error!(detail = ?error, "the search index could not be brought up to date");
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

/// Passes what is committed on to those who look, until `stop` says true.
#[must_use]
pub fn news(store: &Store, hub: Hub, stop: watch::Receiver<bool>) -> JoinHandle<()> {
    spawn(hub.run(store.commits(), stop))
}

struct Indexer {
    store: Store,
    engine: Engine,
}

impl Indexer {
    /// Takes in all that the ledger holds, and makes it findable.
    fn round(&self, rebuild: bool) -> Result<()> {
        if rebuild {
            self.rebuild()?;
        }
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
        Ok(())
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

    /// Builds the index anew from the records themselves.
    fn rebuild(&self) -> Result<()> {
        let snapshot = self.store.snapshot()?;
        let reached = snapshot.last_change()?;
        let mut rebuild = self.engine.rebuild().map_err(Error::internal)?;
        for tenant in tenants(&snapshot)? {
            for searchable in features::searchables() {
                (searchable.each)(&snapshot.tenant(tenant, None), &mut |document| {
                    let entry = Entry { tenant, kind: searchable.kind, id: document.id, document: Some(document) };
                    rebuild.add(&entry).map_err(Error::internal)
                })?;
            }
        }
        rebuild.finish(reached).map_err(Error::internal)
    }
}

/// Builds the search index anew, here and now.
///
/// # Errors
/// `busy` or `internal` when store or index fail.
pub fn reindex(store: Store, engine: Engine) -> Result<()> {
    Indexer { store, engine }.round(true)
}

async fn blocking<T: Send + 'static>(work: impl FnOnce() -> Result<T> + Send + 'static) -> Result<T> {
    tokio::task::spawn_blocking(work).await.unwrap_or_else(|panic| Err(Error::internal(panic)))
}

#[expect(clippy::disallowed_methods, reason = "the loops are the one place where work goes on by itself")]
fn spawn(work: impl Future<Output = ()> + Send + 'static) -> JoinHandle<()> {
    tokio::spawn(work)
}
