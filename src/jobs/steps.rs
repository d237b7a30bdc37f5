//! Does work that is recorded in the store step by step, that of all companies in turn.

use std::{
    collections::{HashMap, HashSet, VecDeque},
    marker::PhantomData,
    sync::Arc,
    time::Duration,
};

use tokio::{
    sync::broadcast::{
        Receiver,
        error::{RecvError, TryRecvError},
    },
    time::sleep,
};

use super::runner::{Job, Retry};
use crate::{
    features::{
        customers::{self, ContactUpgrade, Customer, Renaming, Statuses, follow_next, statuses},
        deals::pipeline::{self, Pipeline, PlannedPipeline},
        exchange::import::{self, Import, ImportWork},
        notices::{Broadcast, Kind, broadcast},
        organizations::Organization,
        pages::{self, Following, Page},
        personal_data::{ErasureWork, PersonErasure},
        records::{
            bulk::{self, BulkChange},
            duplicates::{self, DuplicateScan, ScanWork},
            merge::{self, Merge},
            tags::{self, TagChange},
        },
    },
    kernel::{Code, Error, Id, Result, TenantId},
    people::members::tenants,
    store::{Actor, Change, Record, Scan, Store, TenantRead, TenantRecord, TenantWrite},
};

/// Pause after each step, so that requests come first.
const STEP_PAUSE: Duration = Duration::from_millis(1);
/// Steps of some work that fail in a row because the server is busy, at pauses of up to a minute, before it is given up:
/// the disk may be unable to read its file.
const MAX_FAILURES: u32 = 30;

/// Work that a record stands for until it is done.
pub trait StepWork: Send + Sync + 'static {
    /// The record.
    type Record: TenantRecord<Key = Self::Key>;
    /// The type of its id.
    type Key: Send + Sync + 'static;
    /// The name of the job.
    const NAME: &'static str;

    /// Returns the ids of the records with work left.
    fn waiting(tx: &TenantRead<'_>) -> Result<Vec<Id<Self::Key>>>;

    /// Returns in whose name the next step of a record is made; `None` when there is no work left.
    fn actor(tx: &TenantRead<'_>, id: Id<Self::Key>) -> Result<Option<Actor>>;

    /// Makes the next step within a write. Returns whether there is more to do. Not called for work that advances in a
    /// way of its own.
    fn step(_: &TenantWrite<'_>, _: Id<Self::Key>) -> Result<bool> {
        Err(Error::internal("work that is not made within a write"))
    }

    /// Makes the next step, by default in one write.
    fn advance(
        &self,
        store: &Store,
        (tenant, actor): (TenantId, Actor),
        id: Id<Self::Key>,
    ) -> impl Future<Output = Result<bool>> + Send {
        async move { Ok(store.write(tenant, actor, move |tx| Self::step(tx, id)).await?.0) }
    }

    /// Ends work that cannot go on, such as after damage, so that it holds up no other.
    fn give_up(tx: &TenantWrite<'_>, id: Id<Self::Key>) -> Result<()>;
}

/// Applies bulk changes and undoes them.
pub struct BulkWork;

impl StepWork for BulkWork {
    type Record = BulkChange;
    type Key = BulkChange;
    const NAME: &'static str = "bulk";

    fn waiting(tx: &TenantRead<'_>) -> Result<Vec<Id<BulkChange>>> {
        Ok(bulk::in_progress(tx)?.iter().map(|change| change.id).collect())
    }

    fn actor(tx: &TenantRead<'_>, id: Id<BulkChange>) -> Result<Option<Actor>> {
        let change = tx.find_intact::<BulkChange>(id)?.filter(|change| change.state.is_in_progress());
        Ok(change.map(|change| Actor::of(bulk::worker(&change))))
    }

    fn step(tx: &TenantWrite<'_>, id: Id<BulkChange>) -> Result<bool> {
        bulk::step(tx, id)
    }

    fn give_up(tx: &TenantWrite<'_>, id: Id<BulkChange>) -> Result<()> {
        bulk::stop_broken(tx, id)
    }
}

/// Renames, merges and removes tags, and undoes it.
pub struct TagWork;

impl StepWork for TagWork {
    type Record = TagChange;
    type Key = TagChange;
    const NAME: &'static str = "tags";

    fn waiting(tx: &TenantRead<'_>) -> Result<Vec<Id<TagChange>>> {
        Ok(tags::in_progress(tx)?.iter().map(|change| change.id).collect())
    }

    fn actor(tx: &TenantRead<'_>, id: Id<TagChange>) -> Result<Option<Actor>> {
        let change = tx.find_intact::<TagChange>(id)?.filter(|change| change.state.is_in_progress());
        Ok(change.map(|change| Actor::of(tags::worker(&change))))
    }

    fn step(tx: &TenantWrite<'_>, id: Id<TagChange>) -> Result<bool> {
        tags::step(tx, id)
    }

    fn give_up(tx: &TenantWrite<'_>, id: Id<TagChange>) -> Result<()> {
        tags::stop_broken(tx, id)
    }
}

/// Gives the customers of a renamed organization its new name as their company.
pub struct RenamingWork;

impl StepWork for RenamingWork {
    type Record = Renaming;
    type Key = Organization;
    const NAME: &'static str = "renaming";

    fn waiting(tx: &TenantRead<'_>) -> Result<Vec<Id<Organization>>> {
        Ok(tx.page::<Renaming>(&Scan::all(), |_| true)?.items.iter().map(|left| left.id).collect())
    }

    fn actor(tx: &TenantRead<'_>, id: Id<Organization>) -> Result<Option<Actor>> {
        Ok(tx.find_intact::<Renaming>(id)?.map(|_| Actor::System))
    }

    fn step(tx: &TenantWrite<'_>, id: Id<Organization>) -> Result<bool> {
        follow_next(tx, id)
    }

    fn give_up(tx: &TenantWrite<'_>, id: Id<Organization>) -> Result<()> {
        tx.remove::<Renaming>(id, None).map(drop)
    }
}

/// Upgrades customers and organizations from before next steps and the forms of phone numbers were kept.
pub struct ContactUpgradeWork;

impl StepWork for ContactUpgradeWork {
    type Record = ContactUpgrade;
    type Key = ContactUpgrade;
    const NAME: &'static str = "contact-upgrade";

    fn waiting(tx: &TenantRead<'_>) -> Result<Vec<Id<ContactUpgrade>>> {
        Ok(customers::waiting(tx)?.into_iter().collect())
    }

    fn actor(tx: &TenantRead<'_>, _: Id<ContactUpgrade>) -> Result<Option<Actor>> {
        Ok(customers::waiting(tx)?.map(|_| Actor::System))
    }

    fn step(tx: &TenantWrite<'_>, id: Id<ContactUpgrade>) -> Result<bool> {
        customers::upgrade_some(tx, id)
    }

    /// It is tried again at the next start.
    fn give_up(_: &TenantWrite<'_>, _: Id<ContactUpgrade>) -> Result<()> {
        Ok(())
    }
}

/// Imports records from files, tries them, and undoes them.
impl StepWork for ImportWork {
    type Record = Import;
    type Key = Import;
    const NAME: &'static str = "import";

    fn waiting(tx: &TenantRead<'_>) -> Result<Vec<Id<Import>>> {
        Ok(import::in_progress(tx)?.iter().map(|import| import.id).collect())
    }

    fn actor(tx: &TenantRead<'_>, id: Id<Import>) -> Result<Option<Actor>> {
        let import = tx.find_intact::<Import>(id)?.filter(|import| import.state.is_in_progress());
        Ok(import.map(|import| Actor::of(import::worker_id(&import))))
    }

    fn step(tx: &TenantWrite<'_>, id: Id<Import>) -> Result<bool> {
        import::undo_part(tx, id)
    }

    async fn advance(&self, store: &Store, (tenant, actor): (TenantId, Actor), id: Id<Import>) -> Result<bool> {
        Self::advance(self, store, tenant, actor, id).await
    }

    fn give_up(tx: &TenantWrite<'_>, id: Id<Import>) -> Result<()> {
        import::fail(tx, id)
    }
}

/// Merges records and undoes it.
pub struct MergeWork;

impl StepWork for MergeWork {
    type Record = Merge;
    type Key = Merge;
    const NAME: &'static str = "merge";

    fn waiting(tx: &TenantRead<'_>) -> Result<Vec<Id<Merge>>> {
        Ok(merge::in_progress(tx)?.iter().map(|merge| merge.id).collect())
    }

    fn actor(tx: &TenantRead<'_>, id: Id<Merge>) -> Result<Option<Actor>> {
        let merge = tx.find_intact::<Merge>(id)?.filter(|merge| merge.state.is_in_progress());
        Ok(merge.map(|merge| Actor::of(merge::worker(&merge))))
    }

    fn step(tx: &TenantWrite<'_>, id: Id<Merge>) -> Result<bool> {
        merge::step(tx, id)
    }

    fn give_up(tx: &TenantWrite<'_>, id: Id<Merge>) -> Result<()> {
        merge::stop_broken(tx, id)
    }
}

/// Scans for duplicates.
impl StepWork for ScanWork {
    type Record = DuplicateScan;
    type Key = DuplicateScan;
    const NAME: &'static str = "duplicates";

    fn waiting(tx: &TenantRead<'_>) -> Result<Vec<Id<DuplicateScan>>> {
        duplicates::waiting(tx)
    }

    fn actor(tx: &TenantRead<'_>, id: Id<DuplicateScan>) -> Result<Option<Actor>> {
        Ok(duplicates::waiting(tx)?.contains(&id).then_some(Actor::System))
    }

    async fn advance(&self, store: &Store, (tenant, actor): (TenantId, Actor), id: Id<DuplicateScan>) -> Result<bool> {
        Self::make(store, tenant, actor, id).await
    }

    fn give_up(tx: &TenantWrite<'_>, id: Id<DuplicateScan>) -> Result<()> {
        duplicates::fail_scan(tx, id)
    }
}

/// Gives the customers of removed statuses those that took their place.
pub struct StatusWork;

impl StepWork for StatusWork {
    type Record = Statuses;
    type Key = Statuses;
    const NAME: &'static str = "customer-statuses";

    fn waiting(tx: &TenantRead<'_>) -> Result<Vec<Id<Statuses>>> {
        Ok(statuses::waiting(tx)?.into_iter().collect())
    }

    fn actor(tx: &TenantRead<'_>, _: Id<Statuses>) -> Result<Option<Actor>> {
        statuses::actor(tx)
    }

    fn step(tx: &TenantWrite<'_>, _: Id<Statuses>) -> Result<bool> {
        statuses::move_some(tx)
    }

    /// It is tried again at the next start.
    fn give_up(_: &TenantWrite<'_>, _: Id<Statuses>) -> Result<()> {
        Ok(())
    }
}

/// Moves deals out of the stages that a change of the pipeline removes, and makes the change.
pub struct PipelineWork;

impl StepWork for PipelineWork {
    type Record = PlannedPipeline;
    type Key = Pipeline;
    const NAME: &'static str = "pipeline";

    fn waiting(tx: &TenantRead<'_>) -> Result<Vec<Id<Pipeline>>> {
        let id = Pipeline::id(tx);
        Ok(tx.find_intact::<PlannedPipeline>(id)?.map(|_| id).into_iter().collect())
    }

    fn actor(tx: &TenantRead<'_>, id: Id<Pipeline>) -> Result<Option<Actor>> {
        let planned = tx.find_intact::<PlannedPipeline>(id)?;
        Ok(planned.map(|planned| Actor::of(planned.created_by)))
    }

    fn step(tx: &TenantWrite<'_>, _: Id<Pipeline>) -> Result<bool> {
        pipeline::go_on(tx)
    }

    fn give_up(tx: &TenantWrite<'_>, _: Id<Pipeline>) -> Result<()> {
        pipeline::give_up(tx)
    }
}

/// Lets pages follow changes of the pages above them.
pub struct PageWork;

impl StepWork for PageWork {
    type Record = Following;
    type Key = Page;
    const NAME: &'static str = "pages";

    fn waiting(tx: &TenantRead<'_>) -> Result<Vec<Id<Page>>> {
        Ok(tx.page::<Following>(&Scan::all(), |_| true)?.items.iter().map(|following| following.id).collect())
    }

    fn actor(tx: &TenantRead<'_>, id: Id<Page>) -> Result<Option<Actor>> {
        let following = tx.find_intact::<Following>(id)?;
        Ok(following.map(|following| Actor::of(following.created_by)))
    }

    fn step(tx: &TenantWrite<'_>, id: Id<Page>) -> Result<bool> {
        pages::follow_next(tx, id)
    }

    fn give_up(tx: &TenantWrite<'_>, id: Id<Page>) -> Result<()> {
        pages::stop_following(tx, id)
    }
}

/// Delivers notices that are for every member.
pub struct BroadcastWork<K>(PhantomData<fn() -> K>);

impl<K> Default for BroadcastWork<K> {
    fn default() -> Self {
        Self(PhantomData)
    }
}

impl<K: Kind> StepWork for BroadcastWork<K> {
    type Record = Broadcast<K>;
    type Key = Broadcast<K>;
    const NAME: &'static str = K::BROADCAST_JOB;

    fn waiting(tx: &TenantRead<'_>) -> Result<Vec<Id<Broadcast<K>>>> {
        Ok(tx.page::<Broadcast<K>>(&Scan::all(), |_| true)?.items.iter().map(|one| one.id).collect())
    }

    fn actor(tx: &TenantRead<'_>, id: Id<Broadcast<K>>) -> Result<Option<Actor>> {
        let broadcast = tx.find_intact::<Broadcast<K>>(id)?;
        Ok(broadcast.map(|one| Actor::of(one.created_by)))
    }

    fn step(tx: &TenantWrite<'_>, id: Id<Broadcast<K>>) -> Result<bool> {
        broadcast::deliver_next(tx, id)
    }

    fn give_up(tx: &TenantWrite<'_>, id: Id<Broadcast<K>>) -> Result<()> {
        broadcast::give_up(tx, id)
    }
}

/// Erases people.
impl StepWork for ErasureWork {
    type Record = PersonErasure;
    type Key = Customer;
    const NAME: &'static str = "person-erasure";

    fn waiting(tx: &TenantRead<'_>) -> Result<Vec<Id<Customer>>> {
        Ok(tx.page::<PersonErasure>(&Scan::all().limit(usize::MAX), |_| true)?.items.iter().map(|one| one.id).collect())
    }

    fn actor(tx: &TenantRead<'_>, id: Id<Customer>) -> Result<Option<Actor>> {
        let erasure = tx.find_intact::<PersonErasure>(id)?;
        Ok(erasure.map(|erasure| Actor::of(erasure.created_by)))
    }

    async fn advance(&self, store: &Store, (tenant, actor): (TenantId, Actor), id: Id<Customer>) -> Result<bool> {
        Self::advance(self, store, tenant, actor, id).await
    }

    /// It is tried again at the next start.
    fn give_up(_: &TenantWrite<'_>, _: Id<Customer>) -> Result<()> {
        Ok(())
    }
}

type Waiting<W> = (TenantId, Id<<W as StepWork>::Key>);

/// Does all work of a sort.
pub struct StepJob<W: StepWork> {
    work: W,
    store: Store,
    commits: Receiver<Arc<[Change]>>,
    queue: VecDeque<Waiting<W>>,
    /// What could not go on in this run because the server was busy, so that it holds up no other.
    set_aside: Vec<Waiting<W>>,
    /// All that is in `queue` or set aside.
    queued: HashSet<Waiting<W>>,
    /// How many times in a row the step of each failed.
    failures: HashMap<Waiting<W>, u32>,
    /// Whether all companies must be scanned: at the start, and after missed commits.
    must_scan: bool,
}

impl<W: StepWork> StepJob<W> {
    /// Creates the job.
    pub fn new(work: W, store: Store) -> Self {
        let commits = store.commits_of(W::Record::KIND);
        Self {
            work,
            store,
            commits,
            queue: VecDeque::new(),
            set_aside: Vec::new(),
            queued: HashSet::new(),
            failures: HashMap::new(),
            must_scan: true,
        }
    }

    fn add(&mut self, changes: &[Change]) {
        for change in changes.iter().filter(|change| change.kind == W::Record::KIND) {
            self.enqueue((change.tenant, Id::from_bytes(change.id)));
        }
    }

    fn enqueue(&mut self, waiting: Waiting<W>) {
        if self.queued.insert(waiting) {
            self.queue.push_back(waiting);
        }
    }

    /// Queues what the commits since the last call changed.
    fn drain_commits(&mut self) {
        loop {
            match self.commits.try_recv() {
                Ok(changes) => self.add(&changes),
                Err(TryRecvError::Lagged(_)) => self.must_scan = true,
                Err(TryRecvError::Empty | TryRecvError::Closed) => return,
            }
        }
    }

    /// Queues the unfinished work of all companies.
    fn scan(&mut self) -> Result<()> {
        let snapshot = self.store.snapshot()?;
        for tenant in tenants(&snapshot)? {
            match W::waiting(&snapshot.tenant(tenant, None)) {
                Ok(ids) => ids.into_iter().for_each(|id| self.enqueue((tenant, id))),
                Err(error) => tracing::warn!(%tenant, job = W::NAME, ?error, "unfinished work could not be read"),
            }
        }
        self.must_scan = false;
        Ok(())
    }

    /// Makes the next step of a record. Returns whether there is more to do.
    async fn step(&self, (tenant, id): Waiting<W>) -> Result<bool> {
        let Some(actor) = W::actor(&self.store.snapshot()?.tenant(tenant, None), id)? else { return Ok(false) };
        self.work.advance(&self.store, (tenant, actor), id).await
    }

    /// Gives work up. Returns whether that is done, too: while the disk fails it is not, and is tried again.
    async fn give_up(&self, (tenant, id): Waiting<W>, error: &Error) -> bool {
        tracing::warn!(%tenant, job = W::NAME, %id, ?error, "work was given up");
        match self.store.write(tenant, Actor::System, move |tx| W::give_up(tx, id)).await {
            Err(error) if error.code() == Code::Busy => {
                tracing::warn!(%tenant, job = W::NAME, %id, ?error, "work could not be given up, retrying");
                false
            }
            Err(error) => {
                tracing::warn!(%tenant, job = W::NAME, %id, ?error, "work could not be given up");
                true
            }
            Ok(_) => true,
        }
    }

    /// Makes a step of some work, or gives it up. Returns whether there is more to do.
    /// Errors: `busy` when neither can be done now.
    async fn step_or_give_up(&mut self, waiting: Waiting<W>) -> Result<bool> {
        let error = match self.step(waiting).await {
            Ok(has_more) => {
                self.failures.remove(&waiting);
                return Ok(has_more);
            }
            Err(error) => error,
        };
        let failures = self.failures.entry(waiting).or_default();
        *failures += 1;
        let is_busy = error.code() == Code::Busy;
        if is_busy && *failures < MAX_FAILURES {
            return Err(error);
        }
        if self.give_up(waiting, &error).await {
            self.failures.remove(&waiting);
            return Ok(false);
        }
        Err(if is_busy { error } else { Error::new(Code::Busy).with_detail("work could not be given up") })
    }
}

impl<W: StepWork> Job for StepJob<W> {
    const NAME: &'static str = W::NAME;
    const RETRY: Retry = Retry::backoff(Duration::from_secs(1), Duration::from_secs(60));
    const STOPS_AT_ONCE: bool = true;

    async fn due(&mut self) {
        while self.queue.is_empty() && !self.must_scan {
            match self.commits.recv().await {
                Ok(changes) => self.add(&changes),
                Err(RecvError::Lagged(_)) => self.must_scan = true,
                Err(RecvError::Closed) => std::future::pending().await,
            }
        }
    }

    async fn run(&mut self) -> Result<()> {
        if self.must_scan {
            self.scan()?;
        }
        self.queue.extend(self.set_aside.drain(..));
        let mut outcome = Ok(());
        while let Some(waiting) = self.queue.front().copied() {
            let stepped = self.step_or_give_up(waiting).await;
            self.queue.pop_front();
            match stepped {
                Ok(true) => self.queue.push_back(waiting),
                Ok(false) => {
                    self.queued.remove(&waiting);
                }
                Err(error) => {
                    self.set_aside.push(waiting);
                    outcome = Err(error);
                }
            }
            self.drain_commits();
            sleep(STEP_PAUSE).await;
        }
        outcome
    }
}

#[cfg(test)]
mod tests {
    //! Work that stays "running" until the next restart, and so refuses all other work of its company, because the disk
    //! failed when it was made or given up.

    use std::sync::atomic::{AtomicU32, Ordering};

    use super::*;
    use crate::testing::TestApp;

    /// How often giving up fails before it succeeds.
    static REFUSALS: AtomicU32 = AtomicU32::new(0);
    static GIVEN_UP: AtomicU32 = AtomicU32::new(0);

    /// Work that fails with an error of this code.
    struct Failing(Code);

    impl StepWork for Failing {
        type Record = BulkChange;
        type Key = BulkChange;
        const NAME: &'static str = "failing";

        fn waiting(_: &TenantRead<'_>) -> Result<Vec<Id<BulkChange>>> {
            Ok(vec![Id::from_bytes([7; 16])])
        }

        fn actor(_: &TenantRead<'_>, _: Id<BulkChange>) -> Result<Option<Actor>> {
            Ok(Some(Actor::System))
        }

        async fn advance(&self, _: &Store, _: (TenantId, Actor), _: Id<BulkChange>) -> Result<bool> {
            Err(Error::new(self.0))
        }

        fn give_up(_: &TenantWrite<'_>, _: Id<BulkChange>) -> Result<()> {
            if REFUSALS.load(Ordering::SeqCst) > 0 {
                REFUSALS.fetch_sub(1, Ordering::SeqCst);
                return Err(Error::new(Code::Busy));
            }
            GIVEN_UP.fetch_add(1, Ordering::SeqCst);
            Ok(())
        }
    }

    #[tokio::test]
    async fn work_that_cannot_be_given_up_stays_queued_and_is_given_up_later() {
        let app = TestApp::new().await;
        let companies = tenants(&app.app.store().snapshot().unwrap()).unwrap().len();
        REFUSALS.store(3, Ordering::SeqCst);
        let mut job = StepJob::new(Failing(Code::Internal), app.app.store().clone());
        assert_eq!(job.run().await.unwrap_err().code(), Code::Busy);
        assert_eq!(job.set_aside.len(), companies.min(3));
        while job.run().await.is_err() {}
        assert_eq!(usize::try_from(GIVEN_UP.load(Ordering::SeqCst)).unwrap(), companies);
        assert!(job.queued.is_empty() && job.failures.is_empty() && job.set_aside.is_empty());

        // A disk that is busy for long gives it up, too, and holds up no other until then.
        let mut job = StepJob::new(Failing(Code::Busy), app.app.store().clone());
        let mut runs = 1;
        while job.run().await.is_err() {
            assert_eq!(job.set_aside.len(), companies, "each is tried once in a run");
            runs += 1;
        }
        assert_eq!(runs, MAX_FAILURES);
        assert_eq!(usize::try_from(GIVEN_UP.load(Ordering::SeqCst)).unwrap(), 2 * companies);
        assert!(job.queued.is_empty());
    }
}
