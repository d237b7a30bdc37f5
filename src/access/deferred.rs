//! Deferred tasks: what is done after the answer, so that its time does not tell whether there was anything to do.
//! Whose address is known is looked up here, and letters are queued. One loop runs the tasks in the order in which
//! they came, each a quarter of a second after it was asked for, when the answer is long gone: work that began
//! beside the answer would slow it down by what there is to do.

use std::{
    pin::Pin,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use tokio::{
    sync::mpsc,
    time::{Instant, sleep_until},
};

use crate::{
    kernel::{Code, Error, Result},
    store::Store,
};

/// Errands that may wait.
const QUEUE: usize = 1_024;
/// The time between the request and the start of its deferred work. Tests wait for that work, so they have none.
const DELAY: Duration = if cfg!(test) { Duration::ZERO } else { Duration::from_millis(250) };

type Work = Box<dyn FnOnce(Store) -> Pin<Box<dyn Future<Output = Result<()>> + Send>> + Send>;

/// An errand, and when it begins at the earliest.
pub struct DeferredTask(Work, Instant);

impl DeferredTask {
    fn new<F: Future<Output = Result<()>> + Send + 'static>(
        delay: Duration,
        work: impl FnOnce(Store) -> F + Send + 'static,
    ) -> Self {
        Self(Box::new(move |store| Box::pin(work(store))), Instant::now() + delay)
    }

    /// Does it, when its time has come.
    ///
    /// # Errors
    /// What came of it.
    pub async fn run(self, store: Store) -> Result<()> {
        sleep_until(self.1).await;
        (self.0)(store).await
    }
}

/// The errands that wait.
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
    /// Has something done soon that may be left undone when too much waits.
    pub(super) fn try_enqueue<F: Future<Output = Result<()>> + Send + 'static>(
        &self,
        work: impl FnOnce(Store) -> F + Send + 'static,
    ) {
        if self.waiting.try_send(DeferredTask::new(DELAY, work)).is_err() {
            tracing::warn!("something was left undone after a sign-in: too much waits");
        }
    }

    /// Has something done soon.
    ///
    /// # Errors
    /// `slow_down` when too much waits.
    pub(super) fn enqueue<F: Future<Output = Result<()>> + Send + 'static>(
        &self,
        work: impl FnOnce(Store) -> F + Send + 'static,
    ) -> Result<()> {
        self.waiting.try_send(DeferredTask::new(DELAY, work)).map_err(|_| Error::new(Code::SlowDown).retry_after(1))
    }

    /// The errands, for the one loop that does them.
    pub(super) fn take(&self) -> Option<mpsc::Receiver<DeferredTask>> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Waits until all that was asked for before is done.
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

    /// Lets nothing begin that is asked for from now on until the answered sender is used or dropped.
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
        let (delay, asked) = (Duration::from_millis(250), Instant::now());
        assert!(DeferredTask::new(delay, |_| async { Ok(()) }).1 >= asked + delay);
    }
}
