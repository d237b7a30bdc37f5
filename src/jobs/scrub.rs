//! Scrubbing job: verifies all uploads and the whole store once a day and reports damage, so that a flipped bit is known
//! while backups from before it exist.

use std::{ops::ControlFlow, time::Duration};

use tokio::sync::watch;

use super::{blocking, condition::HealthMonitor, daily::Daily};
use crate::{
    features::{self, files::FileStore},
    kernel::Result,
};

/// Read rate in bytes per second, and how often the job checks whether it must stop.
const RATE: u64 = 5_000_000;
const SLICE: Duration = Duration::from_millis(100);

/// Verifies uploads and store.
pub struct ScrubJob {
    files: FileStore,
    watch: HealthMonitor,
    stop: watch::Receiver<bool>,
}

impl ScrubJob {
    /// Creates the job; it ends when `stop` is true.
    pub const fn new(files: FileStore, watch: HealthMonitor, stop: watch::Receiver<bool>) -> Self {
        Self { files, watch, stop }
    }

    async fn scrub_uploads(&self) -> Result<()> {
        let stop = self.stop.clone();
        let read = self.files.scrub(move |bytes| slowly(bytes, &stop)).await?;
        tracing::info!(read.files, read.damaged, read.digested, "the daily check of uploads is done");
        Ok(())
    }

    async fn scrub_store(&self) -> Result<()> {
        let store = self.files.store().clone();
        let stop = self.stop.clone();
        let report = blocking(move || store.scrub(features::TABLES, &mut |bytes| slowly(bytes, &stop))).await?;
        if report.is_sound() {
            self.watch.has_damage(0);
            tracing::info!(report.rows, report.bytes, "the daily check of the store found no damage");
        } else {
            let damaged = report.damaged();
            self.watch.has_damage(damaged);
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
fn slowly(bytes: u64, stop: &watch::Receiver<bool>) -> ControlFlow<()> {
    let mut left = Duration::from_millis(bytes / (RATE / 1_000));
    while !*stop.borrow() {
        if left.is_zero() {
            return ControlFlow::Continue(());
        }
        let slice = left.min(SLICE);
        std::thread::sleep(slice);
        left -= slice;
    }
    ControlFlow::Break(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reading_the_store_ends_when_it_is_told_to() {
        let stop = watch::Sender::new(false);
        assert_eq!(slowly(RATE / 1_000, &stop.subscribe()), ControlFlow::Continue(()));
        stop.send_replace(true);
        assert_eq!(slowly(u64::MAX, &stop.subscribe()), ControlFlow::Break(()));
    }
}
