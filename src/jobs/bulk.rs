//! Applies bulk changes and undoes them, step by step, those of all companies in turn.

use std::{
    collections::{HashSet, VecDeque},
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
    features::records::bulk::{BulkChange, in_progress, step, stop_broken},
    kernel::{Code, Error, Id, Result, TenantId},
    people::members::tenants,
    store::{Actor, Change, Record as _, Store},
};

/// Pause after each step, so that requests come first.
const STEP_PAUSE: Duration = Duration::from_millis(1);

type Waiting = (TenantId, Id<BulkChange>);

/// Applies the bulk changes in progress.
pub struct BulkJob {
    store: Store,
    commits: Receiver<Arc<[Change]>>,
    queue: VecDeque<Waiting>,
    queued: HashSet<Waiting>,
    /// Whether all companies must be looked through: at the start, and after missed commits.
    looks_through: bool,
}

impl BulkJob {
    /// Creates the job.
    pub fn new(store: Store) -> Self {
        let commits = store.commits();
        Self { store, commits, queue: VecDeque::new(), queued: HashSet::new(), looks_through: true }
    }

    fn add(&mut self, changes: &[Change]) {
        for change in changes.iter().filter(|change| change.kind == BulkChange::KIND) {
            self.enqueue((change.tenant, Id::from_bytes(change.id)));
        }
    }

    fn enqueue(&mut self, waiting: Waiting) {
        if self.queued.insert(waiting) {
            self.queue.push_back(waiting);
        }
    }

    /// Queues what was begun since the last look.
    fn look(&mut self) {
        loop {
            match self.commits.try_recv() {
                Ok(changes) => self.add(&changes),
                Err(TryRecvError::Lagged(_)) => self.looks_through = true,
                Err(TryRecvError::Empty | TryRecvError::Closed) => return,
            }
        }
    }

    fn look_through(&mut self) -> Result<()> {
        let snapshot = self.store.snapshot()?;
        for tenant in tenants(&snapshot)? {
            match in_progress(&snapshot.tenant(tenant, None)) {
                Ok(changes) => changes.iter().for_each(|change| self.enqueue((tenant, change.id))),
                Err(error) => tracing::warn!(%tenant, ?error, "bulk changes in progress could not be read"),
            }
        }
        self.looks_through = false;
        Ok(())
    }

    /// Makes the next step of a bulk change. Returns whether there is more to do.
    async fn step(&self, (tenant, id): Waiting) -> Result<bool> {
        let change = self.store.snapshot()?.tenant(tenant, None).find_intact::<BulkChange>(id)?;
        let Some(change) = change.filter(|change| change.state.is_in_progress()) else { return Ok(false) };
        let actor = change.created_by.map_or(Actor::System, Actor::Member);
        Ok(self.store.write(tenant, actor, move |tx| step(tx, id)).await?.0)
    }

    /// Stops a bulk change that cannot go on, such as one with a damaged part, so that it holds up no others.
    async fn give_up(&self, (tenant, id): Waiting, error: &Error) -> bool {
        tracing::warn!(%tenant, %id, ?error, "a bulk change was stopped");
        if let Err(error) = self.store.write(tenant, Actor::System, move |tx| stop_broken(tx, id)).await {
            tracing::warn!(%tenant, %id, ?error, "a bulk change could not be stopped");
        }
        false
    }
}

impl Job for BulkJob {
    const NAME: &'static str = "bulk";
    const RETRY: Retry = Retry::backoff(Duration::from_secs(1), Duration::from_secs(60));
    const STOPS_AT_ONCE: bool = true;

    async fn due(&mut self) {
        while self.queue.is_empty() && !self.looks_through {
            match self.commits.recv().await {
                Ok(changes) => self.add(&changes),
                Err(RecvError::Lagged(_)) => self.looks_through = true,
                Err(RecvError::Closed) => std::future::pending().await,
            }
        }
    }

    async fn run(&mut self) -> Result<()> {
        if self.looks_through {
            self.look_through()?;
        }
        while let Some(waiting) = self.queue.front().copied() {
            let has_more = match self.step(waiting).await {
                Ok(has_more) => has_more,
                Err(error) if error.code() == Code::Busy => return Err(error),
                Err(error) => self.give_up(waiting, &error).await,
            };
            self.queue.pop_front();
            if has_more {
                self.queue.push_back(waiting);
            } else {
                self.queued.remove(&waiting);
            }
            self.look();
            sleep(STEP_PAUSE).await;
        }
        Ok(())
    }
}
