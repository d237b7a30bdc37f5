//! Tells people what no call tells them: reminders, what is due today and digests, as the clock goes on; what was
//! said in the team chat while they were away, as the ledger does.

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

/// How long what was said may wait until it is told, so that several things are told together.
const PACE: Duration = Duration::from_millis(500);
/// How long to wait after a failure.
const PAUSE: Duration = Duration::from_secs(5);

/// Whether a member of a company is away.
pub type IsAway = Arc<dyn Fn(TenantId, MemberId) -> bool + Send + Sync>;

/// Whoever tells.
#[derive(Clone)]
pub struct Notifier(Arc<Inner>);

struct Inner {
    store: Store,
    away: IsAway,
    state: Mutex<State>,
}

/// How far it has come. What of this must outlive the process is kept in the store.
#[derive(Default)]
struct State {
    /// The place of the ledger up to which it is told; none before the first look.
    heard: Option<u64>,
    companies: HashMap<TenantId, DueSchedule>,
}

impl Notifier {
    /// Over a store; `away` says who is not there.
    #[must_use]
    pub fn new(store: Store, away: IsAway) -> Self {
        Self(Arc::new(Inner { store, away, state: Mutex::default() }))
    }

    /// Tells what there is to tell now.
    ///
    /// # Errors
    /// `busy` or `internal` when it cannot be told; the next round tells it.
    pub async fn round(&self) -> Result<()> {
        let mut state = self.0.state.lock().await;
        self.0.hear(&mut state).await?;
        self.0.tick(&mut state).await
    }

    /// Lets nobody be told anything as long as what this answers with is held: for tests of what happens meanwhile.
    #[cfg(test)]
    pub(crate) async fn pause(&self) -> impl Drop + '_ {
        self.0.state.lock().await
    }

    /// Tells until `stop` says true.
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
                                tracing::warn!(detail = ?error, "some are told later");
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

    /// Reminders are set to the minute.
    fn to_the_next_minute(&self) -> Duration {
        let millis = 60_000 - self.0.store.clock().now().millis().rem_euclid(60_000);
        Duration::from_millis(millis.unsigned_abs())
    }
}
