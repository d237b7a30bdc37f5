//! Delivery of notifications that no request causes: reminders, tasks due today and digests by the clock; chat messages
//! to absent members by the ledger.

mod clock;
mod ledger;
#[cfg(test)]
mod tests;

use std::{collections::HashMap, future::pending, sync::Arc, time::Duration};

use tokio::{
    sync::{
        Mutex,
        broadcast::{Receiver, error::RecvError},
    },
    time::sleep,
};

use self::clock::DueSchedule;
use super::runner::{Job, Retry};
use crate::{
    kernel::{MemberId, Result, TenantId},
    store::{Change, Store},
};

/// How long a change may wait for its notification, so that several chat messages are handled in one round.
const CHANGE_DELAY: Duration = Duration::from_millis(500);

/// Whether a member of a tenant is away from all devices (`app.rs` decides), so that e-mails are due. Not the status
/// `away`, which they choose or which an idle device shows.
pub type IsAway = Arc<dyn Fn(TenantId, MemberId) -> bool + Send + Sync>;

/// Background delivery of notifications. Cheap to clone.
#[derive(Clone)]
pub struct Notifier(Arc<Inner>);

struct Inner {
    store: Store,
    is_away: IsAway,
    state: Mutex<State>,
}

/// Progress in memory. What must survive a restart is stored.
#[derive(Default)]
struct State {
    /// Ledger sequence number up to which changes are processed; `None` before the first round.
    processed: Option<u64>,
    schedules: HashMap<TenantId, DueSchedule>,
}

impl Notifier {
    /// Creates a notifier over a store; `is_away` says whether a member is absent.
    pub fn new(store: Store, is_away: IsAway) -> Self {
        Self(Arc::new(Inner { store, is_away, state: Mutex::default() }))
    }

    /// Sends everything that is due now. What fails is retried in the next round.
    pub async fn round(&self) -> Result<()> {
        let mut state = self.0.state.lock().await;
        self.0.process_changes(&mut state).await?;
        self.0.send_due(&mut state).await
    }

    /// Pauses delivery until the returned guard is dropped, for tests.
    #[cfg(test)]
    pub(crate) async fn pause(&self) -> impl Drop + '_ {
        self.0.state.lock().await
    }

    /// Returns the time until the next full minute, because reminders are set to the minute.
    fn until_next_minute(&self) -> Duration {
        let millis = 60_000 - self.0.store.clock().now().millis().rem_euclid(60_000);
        Duration::from_millis(millis.unsigned_abs())
    }
}

/// Sends notifications when something is due, and when the change feed grows.
pub struct NotificationJob {
    notifier: Notifier,
    commits: Receiver<Arc<[Change]>>,
}

impl NotificationJob {
    /// Creates the job of a notifier.
    pub fn new(notifier: Notifier) -> Self {
        Self { commits: notifier.0.store.commits(), notifier }
    }

    /// Waits for changes that may cause notifications, or that were missed.
    async fn wait_for_changes(&mut self) {
        loop {
            let is_quiet = match self.commits.recv().await {
                Err(RecvError::Closed) => pending().await,
                Err(RecvError::Lagged(_)) => false,
                Ok(changes) => self.notifier.0.skip_quiet(&changes).await,
            };
            if !is_quiet {
                return;
            }
        }
    }
}

impl Job for NotificationJob {
    const NAME: &'static str = "notifications";
    const RETRY: Retry = Retry::every(Duration::from_secs(5));

    async fn due(&mut self) {
        let minute = sleep(self.notifier.until_next_minute());
        tokio::select! {
            biased;
            () = minute => {}
            () = self.wait_for_changes() => {
                sleep(CHANGE_DELAY).await;
                // The round covers what was committed until here.
                self.commits = self.commits.resubscribe();
            }
        }
    }

    async fn run(&mut self) -> Result<()> {
        self.notifier.round().await
    }
}
