//! Purging what has been kept for 30 days so that it can be restored or undone.

use crate::{
    kernel::{Result, Timestamp},
    people::members::tenants,
    store::{Actor, Store, TenantRead, TenantWrite},
};

/// For how many days a record stays in the bin, and a change of many records can be undone.
pub const KEPT_DAYS: i64 = 30;
/// Seconds of a day.
pub const SECONDS_PER_DAY: i64 = 24 * 3_600;

/// How rows of a sort are purged.
#[derive(Clone, Copy, Debug)]
pub struct Purge {
    /// Whether a tenant has rows from before a time.
    pub has_expired: fn(&TenantRead<'_>, Timestamp) -> Result<bool>,
    /// Removes some rows from before a time. Returns their number.
    pub remove_some: fn(&TenantWrite<'_>, Timestamp) -> Result<usize>,
}

impl Purge {
    /// Purges the rows of all tenants from more than 30 days ago. Awaits `pause` after each write. Returns the number of
    /// removed rows.
    pub async fn run<F: Future<Output = ()>>(self, store: &Store, pause: impl Fn() -> F) -> Result<usize> {
        let before = store.clock().now().plus_seconds(-KEPT_DAYS * SECONDS_PER_DAY);
        let all = tenants(&store.snapshot()?)?;
        let mut rows = 0;
        for tenant in all {
            while (self.has_expired)(&store.snapshot()?.tenant(tenant, None), before)? {
                rows += store.write(tenant, Actor::System, move |tx| (self.remove_some)(tx, before)).await?.0;
                pause().await;
            }
        }
        Ok(rows)
    }
}
