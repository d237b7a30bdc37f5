//! Indexing job: keeps the search index up to date with the change feed, and rebuilds it when it is damaged.

use std::{collections::BTreeSet, future::pending, ops::ControlFlow, pin::Pin, sync::Arc, time::Duration};

use tokio::{
    sync::{
        broadcast::{Receiver, error::RecvError},
        watch,
    },
    time::{Sleep, sleep},
};

use super::{
    daily::Daily,
    runner::{Job, Retry},
};
use crate::{
    feature::Searchable,
    features,
    index::{DocumentCounts, DocumentSums, Engine, Entry, IndexState, Opened, count_document},
    kernel::{
        Error, Result, TenantId,
        progress::{Progress, Unit},
        run_in_background, start_in_background,
    },
    people::members::{Company, tenants},
    store::{Change, Record as _, Snapshot, Store},
};

/// Changes applied to the index per batch.
pub(super) const CHANGES_PER_BATCH: usize = 2_000;
/// How long a change may wait before searches find it; a search for the caller's own write does not wait.
const COMMIT_DELAY: Duration = Duration::from_millis(300);
/// The same while there are many changes, such as a bulk change: each commit costs the time of thousands of records.
const BUSY_COMMIT_DELAY: Duration = Duration::from_secs(1);
/// Changes of a round from which there are many.
const MANY_CHANGES: usize = 100;
/// The name of the threads on which the job works.
pub(super) const THREAD: &str = "index";
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
        let indexer = Indexer { store, engine };
        indexer.expect_all();
        Self {
            indexer: Arc::new(indexer),
            commits,
            rebuild,
            delay: COMMIT_DELAY,
            verify: Some(Box::pin(sleep(VERIFY_DELAY))),
        }
    }

    async fn reopen(&mut self) {
        let engine = self.indexer.engine.clone();
        match run_in_background(THREAD, move || engine.reopen().map_err(Error::internal)).await {
            Ok(opened) => {
                self.rebuild = matches!(opened, Opened::RebuildNeeded { .. });
                self.indexer.expect_all();
            }
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

/// Writes the documents of records into the index.
pub(super) struct Indexer {
    pub(super) store: Store,
    pub(super) engine: Engine,
}

impl Indexer {
    /// Makes searches say that they are partial until the index has what is in the change feed now.
    fn expect_all(&self) {
        match self.store.snapshot().and_then(|snapshot| snapshot.last_change()) {
            Ok(last) => self.engine.expect(last),
            Err(error) => tracing::warn!(?error, "the end of the change feed could not be read"),
        }
    }

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
            let Some(last) = changes.last() else {
                // The feed may end with entries that are no changes of a tenant: of the system, of an erased tenant, or
                // damaged ones. Searches that wait for the end of the feed must not wait for these.
                self.engine.apply([], snapshot.last_change()?).map_err(Error::internal)?;
                break;
            };
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
        // The index in use has about as many documents.
        progress.start("Indexing records", Unit::Items, Some(self.engine.documents()).filter(|known| *known > 0));
        let mut rebuild = self.engine.rebuild().map_err(Error::internal)?;
        // After the rebuild is announced: it has what was committed before, and the indexing of later changes of fields waits
        // for its end.
        let snapshot = self.store.snapshot()?;
        let reached = snapshot.last_change()?;
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

/// Maximum documents that a comparison lists.
const MAX_DIFFERENCES: usize = 10_000;

/// A record whose documents in the index are not those of its present state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexDifference {
    /// The tenant.
    pub tenant: TenantId,
    /// The record's kind, as in `Record::KIND`.
    pub kind: &'static str,
    /// The record's id.
    pub id: [u8; 16],
}

/// Compares the documents of all kinds in the index with the records: none may be missing, stale or there twice. Records
/// that were changed since the state of the index are left out. Returns at most 10,000 records. Reads all searchable
/// records, those of the kinds that differ twice. `pause` is called after each kind, and may end the comparison.
pub fn compare_index(
    store: &Store,
    state: &IndexState,
    pause: &mut dyn FnMut() -> ControlFlow<()>,
) -> Result<Vec<IndexDifference>> {
    let mut found = Vec::new();
    if state.reached > store.snapshot()?.last_change()? {
        // It is the index of another state of the store, such as one from before a restore by hand.
        return Ok(found);
    }
    for tenant in tenants(&store.snapshot()?)? {
        if !is_searched(store, tenant)? {
            continue;
        }
        for searchable in features::searchables() {
            // Of its own for each kind, because a snapshot keeps old pages from being reused.
            let snapshot = store.snapshot()?;
            compare_kind(&snapshot, state, tenant, searchable, &mut found)?;
            drop(snapshot);
            if pause().is_break() {
                return Ok(Vec::new());
            }
            if found.len() >= MAX_DIFFERENCES {
                return Ok(found);
            }
        }
    }
    Ok(found)
}

/// Whether the records of a company have documents: while it is erased, they go first; while it is imported, they come
/// last.
pub(super) fn is_searched(store: &Store, tenant: TenantId) -> Result<bool> {
    let company = store.snapshot()?.tenant(tenant, None).find_intact::<Company>(Company::id(tenant))?;
    Ok(company.is_some_and(|company| !company.value.is_being_erased_or_imported()))
}

fn compare_kind(
    snapshot: &Snapshot,
    state: &IndexState,
    tenant: TenantId,
    searchable: &'static Searchable,
    found: &mut Vec<IndexDifference>,
) -> Result<()> {
    let tx = snapshot.tenant(tenant, None);
    let kind = searchable.kind;
    let mut expected = DocumentSums::default();
    let mut damaged = features::each_document(&tx, searchable, &mut |document| {
        expected.add(&document);
        Ok(())
    })?;
    let differing = expected.differing(&state.sums(tenant, kind).map_err(Error::internal)?);
    // A damaged record has a document that cannot be compared.
    if damaged > 0 || !differing.contains(&true) {
        return Ok(());
    }
    let Some(changed) = changed_since(snapshot, state.reached, tenant, kind)? else { return Ok(()) };
    let mut expected = DocumentCounts::new();
    damaged += features::each_document(&tx, searchable, &mut |document| {
        count_document(&mut expected, &differing, &document);
        Ok(())
    })?;
    if damaged > 0 {
        return Ok(());
    }
    let indexed = state.counts(tenant, kind, &differing).map_err(Error::internal)?;
    let ids: BTreeSet<[u8; 16]> = expected.keys().chain(indexed.keys()).copied().collect();
    let wrong = ids.into_iter().filter(|id| expected.get(id) != indexed.get(id) && !changed.contains(id));
    let room = MAX_DIFFERENCES.saturating_sub(found.len());
    found.extend(wrong.take(room).map(|id| IndexDifference { tenant, kind, id }));
    Ok(())
}

/// Returns the records of a kind that were changed after a sequence number; `None` when the change feed no longer says.
fn changed_since(
    snapshot: &Snapshot,
    mut seq: u64,
    tenant: TenantId,
    kind: &str,
) -> Result<Option<BTreeSet<[u8; 16]>>> {
    if snapshot.first_change()? > seq + 1 {
        return Ok(None);
    }
    let mut changed = BTreeSet::new();
    loop {
        let changes = snapshot.changes_after(seq, CHANGES_PER_BATCH)?;
        let Some(last) = changes.last() else { return Ok(Some(changed)) };
        seq = last.seq;
        for change in changes.into_iter().filter(|change| change.tenant == tenant) {
            let part_of = change.part_of.filter(|(whole, _)| whole == kind).map(|(_, id)| id);
            changed.extend(part_of.into_iter().chain((change.kind == kind).then_some(change.id)));
        }
    }
}

/// Compares the index with the records once a day, and indexes again what differs.
pub struct IndexComparisonJob {
    /// The store.
    pub store: Store,
    /// The search index.
    pub engine: Engine,
    /// Whether the job must stop.
    pub stop: watch::Receiver<bool>,
}

/// Pause after each kind of a tenant, so that requests come first.
const COMPARISON_PAUSE: Duration = Duration::from_millis(20);

impl Daily for IndexComparisonJob {
    const NAME: &'static str = "index-comparison";

    async fn run(&mut self) -> Result<()> {
        let indexer = Indexer { store: self.store.clone(), engine: self.engine.clone() };
        let stop = self.stop.clone();
        // A thread goes on when its job stops, and would keep the store open.
        let mut pause = move || {
            std::thread::sleep(COMPARISON_PAUSE);
            if *stop.borrow() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let mend = move || indexer.compare_and_mend(&mut pause);
        let mended = run_in_background(THREAD, mend).await?;
        if mended > 0 {
            tracing::error!(mended, "search: documents that did not agree with their records were indexed again");
        }
        Ok(())
    }
}

impl Indexer {
    /// Compares the index with the records, and indexes again what differs. Returns how many records differed.
    fn compare_and_mend(&self, pause: &mut dyn FnMut() -> ControlFlow<()>) -> Result<usize> {
        let mut mended = 0;
        loop {
            let Some(state) = self.engine.state() else { return Ok(mended) };
            let differences = compare_index(&self.store, &state, pause)?;
            drop(state);
            if differences.is_empty() {
                return Ok(mended);
            }
            mended += differences.len();
            for some in differences.chunks(CHANGES_PER_BATCH) {
                self.index_again(some)?;
            }
            if differences.len() < MAX_DIFFERENCES {
                return Ok(mended);
            }
        }
    }

    /// Indexes the present state of records, and commits it.
    pub(super) fn index_again(&self, differences: &[IndexDifference]) -> Result<()> {
        let _lock = self.engine.lock_feed_position();
        let snapshot = self.store.snapshot()?;
        let mut entries = Vec::with_capacity(differences.len());
        for &IndexDifference { tenant, kind, id } in differences {
            entries.push(Entry {
                tenant,
                kind,
                id,
                document: features::document_of(&snapshot.tenant(tenant, None), kind, id)?,
            });
        }
        // What was changed since is applied once more, when the change feed has come there.
        self.engine.apply(entries, 0).map_err(Error::internal)?;
        self.engine.commit().map(drop).map_err(Error::internal)
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
        kernel::{Clock, Entropy, Timestamp},
        store::{Actor, harm},
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

    /// Searches after a kill that answer with nothing, as if nothing had been written: the index is behind the change feed
    /// after a start.
    #[tokio::test]
    async fn searches_are_partial_after_a_start_until_the_index_has_all_that_was_committed() {
        let app = crate::testing::TestApp::new().await;
        let folder = tempfile::tempdir().unwrap();
        let (engine, _) = Engine::open(&folder.path().join("index"), Options::default()).unwrap();
        engine.rebuild().unwrap().finish(1).unwrap();
        assert!(!engine.is_partial());
        let store = app.app.store().clone();
        let resumed = Opened::Resumed { reached: 1 };
        let job = IndexJob::new(store.clone(), engine.clone(), &resumed);
        assert!(engine.is_partial() && !engine.is_being_rebuilt());
        job.round(false).await.unwrap();
        assert!(!engine.is_partial());
        // What is written later does not make others' searches partial.
        let make = |tx: &crate::store::TenantWrite<'_>| tx.create(Task::default()).map(drop);
        store.write(app.acme.id, Actor::System, make).await.unwrap();
        assert!(!engine.is_partial());
    }

    /// Searches that say until the next write that they are partial: the last entry of the feed has no change of a tenant.
    /// Neighbours: an entry of an erased tenant, a damaged one, and one whose change is missing.
    #[tokio::test]
    async fn the_index_reaches_the_end_of_a_feed_that_ends_without_a_change() {
        for ending in ["erased", "damaged", "missing"] {
            let folder = tempfile::tempdir().unwrap();
            let file = folder.path().join("store.redb");
            let open = || Store::open(&file, Clock::stopped(Timestamp::from_millis(NOW)), Entropy::seeded(1)).unwrap();
            let make = |tx: &crate::store::TenantWrite<'_>| tx.create(Task::default()).map(drop);
            let [first, other] = [7, 8].map(|byte| TenantId::from_bytes([byte; 16]).unwrap());
            let store = open();
            store.write(first, Actor::System, make).await.unwrap();
            let ((), last) = store.write(other, Actor::System, make).await.unwrap();
            if ending == "erased" {
                store.erase(other, features::ROOT).await.unwrap();
            }
            drop(store);
            let number = last.to_be_bytes();
            let of_the_change = |(key, _): &(Vec<u8>, Vec<u8>)| {
                key.ends_with(&number) && harm::OWN_TABLES.contains(&(harm::place(key).1, "ledger"))
            };
            for (key, mut value) in harm::rows(&file).into_iter().filter(of_the_change) {
                match (ending, harm::place(&key).0) {
                    ("damaged", None) => {
                        *value.last_mut().unwrap() ^= 1;
                        harm::put(&file, &key, Some(&value));
                    }
                    ("missing", Some(_)) => harm::put(&file, &key, None),
                    _ => {}
                }
            }
            let store = open();
            let (engine, _) = Engine::open(&folder.path().join("index"), Options::default()).unwrap();
            let indexer = Indexer { store: store.clone(), engine: engine.clone() };
            engine.rebuild().unwrap().finish(0).unwrap();
            indexer.expect_all();
            assert!(engine.is_partial(), "{ending}");
            indexer.round(false, &Progress::default()).unwrap();
            assert!(!engine.is_partial(), "{ending}");
            assert_eq!(store.snapshot().unwrap().last_change().unwrap(), last, "{ending}");
        }
    }

    /// What is wrong in the index and stays so unnoticed: a stale second document, one of a record that is gone, and one
    /// that is missing.
    #[tokio::test]
    async fn documents_that_do_not_agree_with_their_records_are_found_and_mended() {
        let app = crate::testing::TestApp::new().await;
        let ada = app.acme(crate::people::permission::Role::Admin).await;
        let mut ids = Vec::new();
        for (kind, name) in [("customers", "name"), ("organizations", "name"), ("tasks", "title"), ("pages", "title")] {
            for n in 0..3 {
                let body = serde_json::json!({name: format!("Findable {n}")});
                let made = ada.post(&format!("/api/{kind}"), body).await.expect(201);
                ids.push((kind, made["id"].as_str().unwrap().to_owned()));
            }
        }
        let hidden = serde_json::json!({"title": "Findable", "visibility": {"to": "me"}});
        ada.post("/api/deals", hidden).await.expect(201);
        ada.delete(&format!("/api/tasks/{}", ids[6].1)).await.expect(204);
        let found = async || ada.get("/api/customers?q=findable").await.expect(200)["total"].clone();
        assert_eq!(found().await, 3);
        let (store, engine) = (app.app.store().clone(), app.app.engine().clone());
        let compare = || compare_index(&store, &engine.state().unwrap(), &mut || ControlFlow::Continue(())).unwrap();
        assert_eq!(compare(), []);

        let last = store.snapshot().unwrap().last_change().unwrap();
        let id_of = |at: usize| *ids[at].1.parse::<uuid::Uuid>().unwrap().as_bytes();
        let document_of = |kind: &'static str, id| {
            features::document_of(&store.snapshot().unwrap().tenant(app.acme.id, None), kind, id).unwrap()
        };
        let entry = |kind, id, document| Entry { tenant: app.acme.id, kind, id, document };
        // A rebuild adds without deleting, so the index gets a document twice, one of no record, and lacks one.
        let mut rebuild = engine.rebuild().unwrap();
        let snapshot = store.snapshot().unwrap();
        for tenant in tenants(&snapshot).unwrap() {
            for searchable in features::searchables() {
                let all = &mut |document: crate::kernel::Document| {
                    let id = document.id;
                    if id == id_of(0) {
                        return Ok(());
                    }
                    let entry = Entry { tenant, kind: searchable.kind, id, document: Some(document) };
                    rebuild.add(&entry).map_err(Error::internal)
                };
                features::each_document(&snapshot.tenant(tenant, None), searchable, all).unwrap();
            }
        }
        let mut stale = document_of("organization", id_of(3)).unwrap();
        stale.at -= 5_000;
        rebuild.add(&entry("organization", id_of(3), Some(stale))).unwrap();
        let mut gone = document_of("task", id_of(7)).unwrap();
        gone.id = id_of(6);
        rebuild.add(&entry("task", id_of(6), Some(gone))).unwrap();
        rebuild.add(&entry("page", id_of(9), document_of("page", id_of(9)))).unwrap();
        rebuild.finish(last).unwrap();
        assert_eq!(found().await, 2);

        let found_ids: BTreeSet<_> = compare().into_iter().map(|one| (one.kind, one.id)).collect();
        let expected = [("customer", id_of(0)), ("organization", id_of(3)), ("task", id_of(6)), ("page", id_of(9))];
        assert_eq!(found_ids, BTreeSet::from(expected));
        let indexer = Indexer { store: store.clone(), engine: engine.clone() };
        assert_eq!(indexer.compare_and_mend(&mut || ControlFlow::Continue(())).unwrap(), 4);
        assert_eq!(compare(), []);
        assert_eq!(found().await, 3);
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
