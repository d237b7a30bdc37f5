//! Delivery of notifications that no request causes: reminders, tasks due today and digests by the clock; chat messages
//! to absent members by the ledger.

mod clock;
mod ledger;
#[cfg(test)]
mod tests;

use std::{collections::HashMap, sync::Arc, time::Duration};

use tokio::sync::{Mutex, broadcast::error::RecvError, watch};

use self::clock::DueSchedule;
use crate::{
    kernel::{MemberId, Result, TenantId},
    store::Store,
};

/// How long a chat message may wait for its notification, so that several are handled in one round.
const PACE: Duration = Duration::from_millis(500);
/// Wait after a failure.
const PAUSE: Duration = Duration::from_secs(5);

/// Whether a member of a tenant is away.
pub type IsAway = Arc<dyn Fn(TenantId, MemberId) -> bool + Send + Sync>;

/// Background delivery of notifications. Cheap to clone.
#[derive(Clone)]
pub struct Notifier(Arc<Inner>);

struct Inner {
    store: Store,
    away: IsAway,
    state: Mutex<State>,
}

/// Progress in memory. What must survive a restart is stored.
#[derive(Default)]
struct State {
    /// Ledger sequence number up to which changes are processed; `None` before the first round.
    heard: Option<u64>,
    companies: HashMap<TenantId, DueSchedule>,
}

impl Notifier {
    /// Creates a notifier over a store; `away` says whether a member is absent.
    #[must_use]
    pub fn new(store: Store, away: IsAway) -> Self {
        Self(Arc::new(Inner { store, away, state: Mutex::default() }))
    }

    /// Sends everything that is due now. What fails is retried in the next round.
    pub async fn round(&self) -> Result<()> {
        let mut state = self.0.state.lock().await;
        self.0.hear(&mut state).await?;
        self.0.tick(&mut state).await
    }

    /// Pauses delivery until the returned guard is dropped, for tests.
    #[cfg(test)]
    pub(crate) async fn pause(&self) -> impl Drop + '_ {
        self.0.state.lock().await
    }

    /// Sends notifications until `stop` is true.
    pub(super) async fn run(self, mut stop: watch::Receiver<bool>) {
        let mut commits = self.0.store.commits();
        let mut next = Box::pin(tokio::time::sleep(Duration::ZERO));
        let mut soon = true;
        loop {
            tokio::select! {
                biased;
                () = async { drop(stop.wait_for(|stop| *stop).await) } => return,
                () = &mut next => {
                    let wait = match self.round().await {
                        Ok(()) => self.to_the_next_minute(),
                        Err(error) => {
                            if !error.is_logged() {
                                tracing::warn!(detail = ?error, "notifier: a notification round failed, retrying");
                            }
                            PAUSE
                        }
                    };
                    (next, soon) = (Box::pin(tokio::time::sleep(wait)), false);
                }
                news = commits.recv() => {
                    let nothing = match news {
                        Err(RecvError::Closed) => return,
                        Err(RecvError::Lagged(_)) => false,
                        Ok(changes) => self.0.pass_over(&changes).await,
                    };
                    if !nothing && !soon {
                        (next, soon) = (Box::pin(tokio::time::sleep(PACE)), true);
                    }
                }
            }
        }
    }

    /// Returns the time until the next full minute, because reminders are set to the minute.
    fn to_the_next_minute(&self) -> Duration {
        let millis = 60_000 - self.0.store.clock().now().millis().rem_euclid(60_000);
        Duration::from_millis(millis.unsigned_abs())
    }
}
