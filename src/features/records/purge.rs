//! Purging what has been kept for 30 days so that it can be restored or undone.

use crate::{
    features::records::parts::{PURGED_PER_WRITE, PartedRecord, purge_with_parts},
    kernel::{Result, Timestamp},
    people::members::tenants,
    store::{Actor, Scan, Store, Stored, TenantRead, TenantWrite},
};

/// For how many days a record stays in the bin, and a change of many records can be undone.
pub const KEPT_DAYS: i64 = 30;
/// Seconds of a day.
pub const SECONDS_PER_DAY: i64 = 24 * 3_600;

fn oldest<R: PartedRecord>(tx: &TenantRead<'_>) -> Result<Option<Stored<R>>> {
    Ok(tx.page::<R>(&Scan::all().limit(1), |_| true)?.items.pop())
}

/// How rows of a sort are purged.
#[derive(Clone, Copy, Debug)]
pub struct Purge {
    /// Whether a tenant has rows from before a time.
    pub has_expired: fn(&TenantRead<'_>, Timestamp) -> Result<bool>,
    /// Removes some rows from before a time. Returns their number.
    pub remove_some: fn(&TenantWrite<'_>, Timestamp) -> Result<usize>,
}

impl Purge {
    /// Purges records with their parts, the oldest first.
    pub const fn of<R: PartedRecord>() -> Self {
        Self {
            has_expired: |tx, before| Ok(oldest::<R>(tx)?.is_some_and(|record| record.created_at < before)),
            remove_some: |tx, before| match oldest::<R>(tx)? {
                Some(record) if record.created_at < before => purge_with_parts(tx, record.id, PURGED_PER_WRITE),
                _ => Ok(0),
            },
        }
    }

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
