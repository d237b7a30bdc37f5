//! Indexing of the values of custom fields after their field was changed. A deleted field, or a deleted or renamed choice,
//! changes what search finds of the records that have a value, and none of these records changes: the indexing job does
//! not see it.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
    time::{Duration, Instant},
};

use tokio::{
    sync::{
        broadcast::{
            Receiver,
            error::{RecvError, TryRecvError},
        },
        watch,
    },
    time::timeout,
};

use super::{
    index::{CHANGES_PER_BATCH, IndexDifference, Indexer, THREAD, is_searched},
    runner::{Job, Retry},
};
use crate::{
    feature::{CustomField, Searchable},
    features,
    index::Engine,
    kernel::{Id, Result, TenantId, run_in_background},
    people::members::tenants,
    store::{Change, Record as _, Store, TenantRead},
};

/// The stored parts of a field on which the search documents of records depend.
const SEARCHED_PARTS: [&str; 2] = ["choices", "removed_at"];
/// Age of the changes whose fields are indexed again after a start, in seconds. The daily comparison of the index mends what
/// older ones left.
const LOOK_BACK: i64 = 2 * 24 * 3_600;
/// Least pause after each part. It is as long as the part took, so that the indexing of changes has half of the time.
const PART_PAUSE: Duration = Duration::from_millis(20);
/// Pause between two checks whether a rebuild of the index has ended.
const REBUILD_PAUSE: Duration = Duration::from_millis(500);

/// Indexes records again whose custom fields were deleted or restored, or got other choices.
pub struct FieldIndexJob {
    indexer: Arc<Indexer>,
    commits: Receiver<Arc<[Change]>>,
    /// The fields whose values are to be indexed again.
    waiting: BTreeMap<TenantId, BTreeSet<Id<CustomField>>>,
    /// Whether the fields of all companies must be scanned: at the start, and after missed commits.
    must_scan_fields: bool,
    stop: watch::Receiver<bool>,
}

impl FieldIndexJob {
    /// Creates the job. It ends its work when `stop` becomes true.
    pub fn new(store: Store, engine: Engine, stop: watch::Receiver<bool>) -> Self {
        let commits = store.commits_of(CustomField::KIND);
        let indexer = Arc::new(Indexer { store, engine });
        Self { indexer, commits, waiting: BTreeMap::new(), must_scan_fields: true, stop }
    }

    fn add(&mut self, changes: &[Change]) {
        let concerns_search = |name: &String| SEARCHED_PARTS.contains(&name.as_str());
        for change in changes.iter().filter(|change| change.kind == CustomField::KIND) {
            if change.fields.iter().any(concerns_search) {
                self.waiting.entry(change.tenant).or_default().insert(Id::from_bytes(change.id));
            }
        }
    }

    /// Queues what the commits since the last call changed.
    fn drain_commits(&mut self) {
        loop {
            match self.commits.try_recv() {
                Ok(changes) => self.add(&changes),
                Err(TryRecvError::Lagged(_)) => self.must_scan_fields = true,
                Err(TryRecvError::Empty | TryRecvError::Closed) => return,
            }
        }
    }

    /// Queues the fields that were changed in the last days: a stop may have ended the work on them.
    async fn queue_recent_changes(&mut self) -> Result<()> {
        let indexer = Arc::clone(&self.indexer);
        for (tenant, fields) in run_in_background(THREAD, move || indexer.recently_changed_fields()).await? {
            self.waiting.entry(tenant).or_default().extend(fields);
        }
        self.must_scan_fields = false;
        Ok(())
    }

    /// Waits until the index is not being rebuilt: a rebuild may read records and fields as they were before a change.
    /// Returns whether that is so; not at a stop.
    async fn wait_for_rebuild(&mut self) -> bool {
        while self.indexer.engine.is_being_rebuilt() {
            if timeout(REBUILD_PAUSE, self.stop.wait_for(|stop| *stop)).await.is_ok() {
                return false;
            }
        }
        true
    }
}

impl Job for FieldIndexJob {
    const NAME: &'static str = "field-index";
    const RETRY: Retry = Retry::backoff(Duration::from_secs(1), Duration::from_secs(60));

    async fn due(&mut self) {
        while self.waiting.is_empty() && !self.must_scan_fields {
            match self.commits.recv().await {
                Ok(changes) => self.add(&changes),
                Err(RecvError::Lagged(_)) => self.must_scan_fields = true,
                Err(RecvError::Closed) => std::future::pending().await,
            }
        }
    }

    async fn run(&mut self) -> Result<()> {
        self.drain_commits();
        if self.must_scan_fields {
            self.queue_recent_changes().await?;
        }
        let mut failed = Vec::new();
        let mut outcome = Ok(());
        while let Some((tenant, fields)) = self.waiting.pop_first() {
            if !self.wait_for_rebuild().await {
                return Ok(());
            }
            let indexer = Arc::clone(&self.indexer);
            let stop = self.stop.clone();
            let of_work = fields.clone();
            let work = move || indexer.index_values_again(tenant, &of_work, &stop);
            match run_in_background(THREAD, work).await {
                Ok(records) => {
                    tracing::debug!(%tenant, records, "search: records were indexed again after a change of their fields");
                }
                // The other companies do not wait for this one.
                Err(error) => {
                    failed.push((tenant, fields));
                    outcome = Err(error);
                }
            }
            self.drain_commits();
        }
        for (tenant, fields) in failed {
            self.waiting.entry(tenant).or_default().extend(fields);
        }
        outcome
    }
}

impl Indexer {
    /// Returns the fields of all companies that were changed in the last days.
    fn recently_changed_fields(&self) -> Result<BTreeMap<TenantId, BTreeSet<Id<CustomField>>>> {
        let snapshot = self.store.snapshot()?;
        let since = self.store.clock().now().plus_seconds(-LOOK_BACK);
        let mut changed = BTreeMap::<_, BTreeSet<_>>::new();
        for tenant in tenants(&snapshot)? {
            let read = snapshot.tenant(tenant, None).each::<CustomField>(|field| {
                if field.version > 1 && field.updated_at >= since {
                    changed.entry(tenant).or_default().insert(field.id);
                }
                Ok(())
            });
            if let Err(error) = read {
                tracing::warn!(%tenant, ?error, "search: the custom fields of a company could not be read");
            }
        }
        Ok(changed)
    }

    /// Indexes the records again that have a value of one of these fields, until `stop` is true. Returns how many.
    fn index_values_again(
        &self,
        tenant: TenantId,
        fields: &BTreeSet<Id<CustomField>>,
        stop: &watch::Receiver<bool>,
    ) -> Result<usize> {
        let columns = columns_of(&self.store.snapshot()?.tenant(tenant, None), fields)?;
        let mut indexed = 0;
        for searchable in features::searchables() {
            let Some(columns) = columns.get(searchable.kind) else { continue };
            let ids = ids_with_values(&self.store.snapshot()?.tenant(tenant, None), searchable, columns)?;
            for some in ids.chunks(CHANGES_PER_BATCH) {
                if *stop.borrow() || !is_searched(&self.store, tenant)? {
                    return Ok(indexed);
                }
                let record = |id: &[u8; 16]| IndexDifference { tenant, kind: searchable.kind, id: *id };
                let began = Instant::now();
                self.index_again(&some.iter().map(record).collect::<Vec<_>>())?;
                indexed += some.len();
                std::thread::sleep(began.elapsed().max(PART_PAUSE));
            }
        }
        Ok(indexed)
    }
}

/// Returns the names of the columns that these fields have in the index, by the kinds of their records.
fn columns_of(tx: &TenantRead<'_>, fields: &BTreeSet<Id<CustomField>>) -> Result<BTreeMap<String, Vec<String>>> {
    let mut columns = BTreeMap::<String, Vec<String>>::new();
    for id in fields {
        // When the values of a deleted field are erased, the records change.
        let Some(field) = tx.find_intact::<CustomField>(*id)? else { continue };
        columns.entry(field.kind.clone()).or_default().push(field.column().indexed_as);
    }
    Ok(columns)
}

/// Returns the ids of the records of a kind that have a value in one of these columns.
fn ids_with_values(tx: &TenantRead<'_>, searchable: &Searchable, columns: &[String]) -> Result<Vec<[u8; 16]>> {
    let mut ids = Vec::new();
    features::each_document(tx, searchable, &mut |document| {
        if document.columns.iter().any(|(name, _)| columns.iter().any(|column| column == name)) {
            ids.push(document.id);
        }
        Ok(())
    })?;
    Ok(ids)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{
        features::customers::Customer,
        index::Options,
        jobs::reindex,
        kernel::{Heading, progress::Progress},
        people::permission::Role,
        testing::TestApp,
    };

    /// Work that is lost at a stop: values of a deleted field that search finds until the next day.
    #[tokio::test]
    async fn values_of_a_field_that_changed_before_the_start_are_indexed_again() {
        let app = TestApp::new().await;
        let ada = app.acme(Role::Admin).await;
        let field = json!({"kind": "customers", "name": "Nickname", "type": "text"});
        let field = ada.post("/api/fields", field).await.expect(201);
        let field = format!("/api/fields/{}", field["id"].as_str().unwrap());
        ada.post("/api/customers", json!({"name": "Ada", "fields": {"nickname": "Zaphod"}})).await.expect(201);
        let folder = tempfile::tempdir().unwrap();
        let (engine, _) = Engine::open(&folder.path().join("index"), Options::default()).unwrap();
        let store = app.app.store().clone();
        reindex(store.clone(), engine.clone(), &Progress::default()).unwrap();
        let index = engine.tenant(app.acme.id);
        let found = || index.find_ids("zaphod", Heading::Contacts, Customer::KIND, 10).len();
        assert_eq!(found(), 1);

        ada.delete(&field).await.expect(204);
        let (_stop, stopped) = watch::channel(false);
        let mut job = FieldIndexJob::new(store, engine.clone(), stopped);
        job.run().await.unwrap();
        assert_eq!(found(), 0);
        // The next change makes it due; a change of the name does not.
        ada.post(&format!("{field}/restore"), json!({})).await.expect(200);
        job.due().await;
        job.run().await.unwrap();
        assert_eq!(found(), 1);
        ada.patch(&field, json!({"name": "Nick"})).await.expect(200);
        job.drain_commits();
        assert!(job.waiting.is_empty());
    }
}
