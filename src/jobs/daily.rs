//! Daily maintenance: garbage collection of uploads, erasure of tenants, purging of bins, retention of personal data,
//! trimming of the change feed.

use std::time::Duration;

use tokio::time::sleep;

use super::runner::{Job, Retry};
use crate::{
    features::{
        exchange::import,
        files::FileStore,
        operator::Eraser,
        personal_data::apply_retention,
        records::{bin, bulk, fields, merge, tags},
    },
    index::Engine,
    kernel::Result,
    store::Store,
};

/// Delay from the start to the first run, so that the first requests come first.
const FIRST_RUN_DELAY: Duration = Duration::from_mins(15);
const HOUR: Duration = Duration::from_hours(1);
const DAY: Duration = Duration::from_hours(24);
/// Pause between two steps, so that requests come first.
const STEP_PAUSE: Duration = Duration::from_millis(300);

/// A job that runs once a day. A stop cancels it.
pub(super) trait Daily: Send + 'static {
    const NAME: &'static str;

    fn run(&mut self) -> impl Future<Output = Result<()>> + Send;
}

impl<D: Daily> Job for D {
    const NAME: &'static str = D::NAME;
    const RETRY: Retry = Retry::backoff(HOUR, DAY);
    const FIRST: Duration = FIRST_RUN_DELAY;
    const STOPS_AT_ONCE: bool = true;

    async fn due(&mut self) {
        sleep(DAY).await;
    }

    async fn run(&mut self) -> Result<()> {
        Daily::run(self).await
    }
}

/// Removes unreferenced uploads.
pub struct UploadGarbageJob(pub FileStore);

impl Daily for UploadGarbageJob {
    const NAME: &'static str = "upload-garbage";

    async fn run(&mut self) -> Result<()> {
        let swept = self.0.collect_garbage(|| sleep(STEP_PAUSE)).await?;
        tracing::info!(swept.files, swept.bytes, "uploads: unreferenced files were removed");
        Ok(())
    }
}

/// Erases tenants that are due for erasure.
pub struct ErasureJob(pub Eraser);

impl Daily for ErasureJob {
    const NAME: &'static str = "erasure";

    async fn run(&mut self) -> Result<()> {
        let companies = self.0.erase_due().await?;
        if companies > 0 {
            tracing::info!(companies, "erased companies that were closed or never confirmed");
        }
        Ok(())
    }
}

/// Purges the bins: removes what has been in them for 30 days for good.
pub struct BinJob(pub Store);

impl Daily for BinJob {
    const NAME: &'static str = "bin";

    async fn run(&mut self) -> Result<()> {
        let rows = bin::PURGE.run(&self.0, || sleep(STEP_PAUSE)).await?;
        if rows > 0 {
            tracing::info!(rows, "bin: records were removed for good after 30 days");
        }
        let fields = fields::purge_expired(&self.0, || sleep(STEP_PAUSE)).await?;
        if fields > 0 {
            tracing::info!(fields, "custom fields were removed with their values 30 days after they were deleted");
        }
        let rows = bulk::PURGE.run(&self.0, || sleep(STEP_PAUSE)).await?;
        let rows = rows + tags::PURGE.run(&self.0, || sleep(STEP_PAUSE)).await?;
        let rows = rows + merge::PURGE.run(&self.0, || sleep(STEP_PAUSE)).await?;
        let rows = rows + import::PURGE.run(&self.0, || sleep(STEP_PAUSE)).await?;
        if rows > 0 {
            tracing::info!(rows, "imports and changes of many records were removed that can no longer be undone");
        }
        Ok(())
    }
}

/// Applies the retention of personal data: moves people into the bin whose status allows no longer time without contact or
/// change.
pub struct RetentionJob(pub Store);

impl Daily for RetentionJob {
    const NAME: &'static str = "retention";

    async fn run(&mut self) -> Result<()> {
        let people = apply_retention(&self.0, || sleep(STEP_PAUSE)).await?;
        if people > 0 {
            tracing::info!(people, "retention: people were moved to the bin");
        }
        Ok(())
    }
}

/// Trims the change feed: removes entries older than `days` that are in the search index, the reader that may be
/// furthest behind. Live frames and notifications ignore entries older than an hour.
pub struct TrimJob {
    /// The store of the change feed.
    pub store: Store,
    /// The search index.
    pub engine: Engine,
    /// How many days entries are kept.
    pub days: u32,
}

impl Daily for TrimJob {
    const NAME: &'static str = "change-feed-trim";

    async fn run(&mut self) -> Result<()> {
        let before = self.store.clock().now().plus_seconds(-i64::from(self.days) * 24 * 3_600);
        let mut trimmed = 0;
        loop {
            match self.store.trim_ledger(before, self.engine.reached()).await? {
                0 => break,
                entries => trimmed += entries,
            }
            sleep(STEP_PAUSE).await;
        }
        if trimmed > 0 {
            tracing::info!(trimmed, "change feed: old entries were removed");
        }
        Ok(())
    }
}
