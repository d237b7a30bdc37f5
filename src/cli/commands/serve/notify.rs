//! Notifications to the service manager (`sd_notify`). Without one that wants them, nothing happens.

use std::future::pending;

use sd_notify::{NotifyState, notify, watchdog_enabled};

/// Reports that the server answers requests.
pub fn ready() {
    send(&[NotifyState::Ready]);
}

/// Reports that the settings are read again, until [`ready`].
pub fn reloading() {
    match NotifyState::monotonic_usec_now() {
        Ok(now) => send(&[NotifyState::Reloading, now]),
        Err(error) => tracing::warn!(%error, "cannot tell the service manager of the reload"),
    }
}

/// Reports that the server stops.
pub fn stopping() {
    send(&[NotifyState::Stopping]);
}

/// Reports, twice in the interval that the service manager set, that the server's tasks still run.
pub async fn keep_watchdog_quiet() {
    let Some(interval) = watchdog_enabled() else { return pending().await };
    let mut ticks = tokio::time::interval(interval / 2);
    loop {
        ticks.tick().await;
        send(&[NotifyState::Watchdog]);
    }
}

fn send(state: &[NotifyState<'_>]) {
    if let Err(error) = notify(state) {
        tracing::warn!(%error, "cannot reach the service manager");
    }
}
