//! Runs deferred tasks in order of arrival.

use std::{future::pending, time::Duration};

use tokio::sync::mpsc;

use super::runner::{Job, Retry};
use crate::{access::deferred::DeferredTask, kernel::Result, store::Store};

/// Runs deferred tasks. Those that are queued at the stop are still run.
pub struct DeferredJob {
    store: Store,
    queue: mpsc::Receiver<DeferredTask>,
    next: Option<DeferredTask>,
}

impl DeferredJob {
    /// Creates the job of a queue.
    pub const fn new(store: Store, queue: mpsc::Receiver<DeferredTask>) -> Self {
        Self { store, queue, next: None }
    }
}

impl Job for DeferredJob {
    const NAME: &'static str = "deferred";
    const RETRY: Retry = Retry::every(Duration::ZERO);

    async fn due(&mut self) {
        self.next = self.queue.recv().await;
        if self.next.is_none() {
            pending::<()>().await;
        }
    }

    async fn run(&mut self) -> Result<()> {
        if let Some(task) = self.next.take() {
            run_task(&self.store, task).await;
        }
        Ok(())
    }

    async fn finish(&mut self) -> Result<()> {
        while let Ok(task) = self.queue.try_recv() {
            run_task(&self.store, task).await;
        }
        Ok(())
    }
}

async fn run_task(store: &Store, task: DeferredTask) {
    if let Err(error) = task.run(store.clone()).await
        && !error.is_logged()
    {
        tracing::error!(detail = ?error, "a deferred task failed");
    }
}
