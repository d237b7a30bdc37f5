//! What is done after the answer, so that nobody can tell from its time whether there was anything to do: whose
//! address is known is looked up here, and letters are queued. A loop behind does it in the order in which it
//! came, within a moment.

use std::{
    pin::Pin,
    sync::{Mutex, PoisonError},
};

use tokio::sync::mpsc;

use crate::{
    kernel::{Code, Error, Result},
    store::Store,
};

/// Errands that may wait.
const QUEUE: usize = 1_024;

type Work = Box<dyn FnOnce(Store) -> Pin<Box<dyn Future<Output = Result<()>> + Send>> + Send>;

/// An errand.
pub struct Errand(Work);

impl Errand {
    /// Does it.
    ///
    /// # Errors
    /// What came of it.
    pub async fn run(self, store: Store) -> Result<()> {
        (self.0)(store).await
    }
}

/// The errands that wait.
pub struct Errands {
    waiting: mpsc::Sender<Errand>,
    taken: Mutex<Option<mpsc::Receiver<Errand>>>,
}

impl Default for Errands {
    fn default() -> Self {
        let (waiting, taken) = mpsc::channel(QUEUE);
        Self { waiting, taken: Mutex::new(Some(taken)) }
    }
}

impl Errands {
    fn wrap<F: Future<Output = Result<()>> + Send + 'static>(work: impl FnOnce(Store) -> F + Send + 'static) -> Errand {
        Errand(Box::new(move |store| Box::pin(work(store))))
    }

    /// Has something done soon that may be left undone when too much waits.
    pub(super) fn put<F: Future<Output = Result<()>> + Send + 'static>(
        &self,
        work: impl FnOnce(Store) -> F + Send + 'static,
    ) {
        if self.waiting.try_send(Self::wrap(work)).is_err() {
            tracing::warn!("something was left undone after a sign-in: too much waits");
        }
    }

    /// Has something done soon.
    ///
    /// # Errors
    /// `slow_down` when too much waits.
    pub(super) fn must<F: Future<Output = Result<()>> + Send + 'static>(
        &self,
        work: impl FnOnce(Store) -> F + Send + 'static,
    ) -> Result<()> {
        self.waiting.try_send(Self::wrap(work)).map_err(|_| Error::new(Code::SlowDown).retry_after(1))
    }

    /// The errands, for the one loop that does them.
    pub(super) fn take(&self) -> Option<mpsc::Receiver<Errand>> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Waits until all that was asked for before is done.
    #[cfg(test)]
    pub(super) async fn done(&self) {
        let (told, heard) = tokio::sync::oneshot::channel();
        let last = Self::wrap(move |_| async move {
            let _ = told.send(());
            Ok(())
        });
        self.waiting.send(last).await.ok();
        heard.await.ok();
    }
}
