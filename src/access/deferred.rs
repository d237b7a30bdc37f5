//! Deferred tasks: work after the response, so that response times do not reveal whether there was anything to do.
//! They look up addresses and queue e-mails. One loop runs them in order of arrival, each a quarter of a second after
//! its request, when the response is long sent: work beside the response would slow it down, by an amount that depends
//! on what there is to do.

use std::{pin::Pin, time::Duration};

use parking_lot::Mutex;
use tokio::{
    sync::mpsc,
    time::{Instant, sleep_until},
};

use crate::{
    kernel::{Code, Error, Result},
    store::Store,
};

/// Tasks that may wait.
const QUEUE: usize = 1_024;
/// The time between the request and the start of its deferred work. Tests wait for that work, so they have none.
const DELAY: Duration = if cfg!(test) { Duration::ZERO } else { Duration::from_millis(250) };

type Work = Box<dyn FnOnce(Store) -> Pin<Box<dyn Future<Output = Result<()>> + Send>> + Send>;

/// A task, and the earliest time at which it starts.
pub struct DeferredTask(Work, Instant);

impl DeferredTask {
    fn new<F: Future<Output = Result<()>> + Send + 'static>(
        delay: Duration,
        work: impl FnOnce(Store) -> F + Send + 'static,
    ) -> Self {
        Self(Box::new(move |store| Box::pin(work(store))), Instant::now() + delay)
    }

    /// Waits until its start, and runs it.
    pub async fn run(self, store: Store) -> Result<()> {
        sleep_until(self.1).await;
        (self.0)(store).await
    }
}

/// The queue of deferred tasks.
pub struct DeferredQueue {
    waiting: mpsc::Sender<DeferredTask>,
    taken: Mutex<Option<mpsc::Receiver<DeferredTask>>>,
}

impl Default for DeferredQueue {
    fn default() -> Self {
        let (waiting, taken) = mpsc::channel(QUEUE);
        Self { waiting, taken: Mutex::new(Some(taken)) }
    }
}

impl DeferredQueue {
    /// Queues a task that may be dropped when the queue is full.
    pub(super) fn try_enqueue<F: Future<Output = Result<()>> + Send + 'static>(
        &self,
        work: impl FnOnce(Store) -> F + Send + 'static,
    ) {
        if self.waiting.try_send(DeferredTask::new(DELAY, work)).is_err() {
            tracing::warn!("deferred queue full, task dropped");
        }
    }

    /// Queues a task.
    /// Errors: `slow_down` when the queue is full.
    pub(super) fn enqueue<F: Future<Output = Result<()>> + Send + 'static>(
        &self,
        work: impl FnOnce(Store) -> F + Send + 'static,
    ) -> Result<()> {
        self.waiting.try_send(DeferredTask::new(DELAY, work)).map_err(|_| Error::new(Code::SlowDown).retry_after(1))
    }

    /// The tasks, for the one loop that runs them.
    pub(super) fn take(&self) -> Option<mpsc::Receiver<DeferredTask>> {
        self.taken.lock().take()
    }

    /// Waits until all tasks that were queued before are done.
    #[cfg(test)]
    pub(super) async fn done(&self) {
        let (told, heard) = tokio::sync::oneshot::channel();
        let last = DeferredTask::new(DELAY, move |_| async move {
            let _ = told.send(());
            Ok(())
        });
        self.waiting.send(last).await.ok();
        heard.await.ok();
    }

    /// Holds back the tasks that are queued from now on until the returned sender is used or dropped.
    #[cfg(test)]
    pub(super) fn hold(&self) -> tokio::sync::oneshot::Sender<()> {
        let (release, released) = tokio::sync::oneshot::channel();
        let hold = DeferredTask::new(DELAY, move |_| async move {
            released.await.ok();
            Ok(())
        });
        assert!(self.waiting.try_send(hold).is_ok(), "the queue is full");
        release
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn begins_after_its_delay() {
        let delay = Duration::from_millis(250);
        let asked = Instant::now();
        assert!(DeferredTask::new(delay, |_| async { Ok(()) }).1 >= asked + delay);
    }
}
