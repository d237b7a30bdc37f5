//! Scrubbing job: verifies all uploads and the whole store once a day and reports damage, so that a flipped bit is known
//! while backups from before it exist.

use std::{ops::ControlFlow, time::Duration};

use tokio::sync::watch;

use super::{condition::HealthMonitor, daily::Daily};
use crate::{
    features::{self, files::FileStore},
    kernel::{Result, run_blocking},
};

/// Read rate in bytes per second, and how often the job checks whether it must stop.
const BYTES_PER_SECOND: u64 = 5_000_000;
const STOP_CHECK_INTERVAL: Duration = Duration::from_millis(100);

/// Verifies uploads and store.
pub struct ScrubJob {
    files: FileStore,
    monitor: HealthMonitor,
    stop: watch::Receiver<bool>,
}

impl ScrubJob {
    /// Creates the job; it ends when `stop` is true.
    pub const fn new(files: FileStore, monitor: HealthMonitor, stop: watch::Receiver<bool>) -> Self {
        Self { files, monitor, stop }
    }

    async fn scrub_uploads(&self) -> Result<()> {
        let stop = self.stop.clone();
        let read = self.files.scrub(move |bytes| throttle(bytes, &stop)).await?;
        tracing::info!(read.files, read.damaged, read.digested, "the daily check of uploads is done");
        Ok(())
    }

    async fn scrub_store(&self) -> Result<()> {
        let store = self.files.store().clone();
        let stop = self.stop.clone();
        let report = run_blocking(move || store.scrub(features::TABLES, &mut |bytes| throttle(bytes, &stop))).await?;
        if report.is_sound() {
            self.monitor.record_damage(0);
            tracing::info!(report.rows, report.bytes, "the daily check of the store found no damage");
        } else {
            let damaged = report.damaged();
            self.monitor.record_damage(damaged);
            tracing::error!(report.rows, report.bytes, damaged, "the daily check found damage in the store");
        }
        Ok(())
    }
}

impl Daily for ScrubJob {
    const NAME: &'static str = "scrub";

    async fn run(&mut self) -> Result<()> {
        let uploads = self.scrub_uploads().await;
        self.scrub_store().await.and(uploads)
    }
}

/// Sleeps for the time that `bytes` take at the scrub rate. Breaks when `stop` is true.
fn throttle(bytes: u64, stop: &watch::Receiver<bool>) -> ControlFlow<()> {
    let mut left = Duration::from_millis(bytes / (BYTES_PER_SECOND / 1_000));
    while !*stop.borrow() {
        if left.is_zero() {
            return ControlFlow::Continue(());
        }
        let slice = left.min(STOP_CHECK_INTERVAL);
        std::thread::sleep(slice);
        left -= slice;
    }
    ControlFlow::Break(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scrub_ends_at_the_stop() {
        let stop = watch::Sender::new(false);
        assert_eq!(throttle(BYTES_PER_SECOND / 1_000, &stop.subscribe()), ControlFlow::Continue(()));
        stop.send_replace(true);
        assert_eq!(throttle(u64::MAX, &stop.subscribe()), ControlFlow::Break(()));
    }
}
