//! Removes the values of fields that were deleted 30 days ago, and then the fields.

use crate::{
    feature::{CustomField, RecordKind, all_fields},
    features::{
        kinds,
        records::purge::{KEPT_DAYS, SECONDS_PER_DAY},
    },
    kernel::{Result, Timestamp},
    people::members::tenants,
    store::{Actor, Scan, Store, Stored, TenantWrite},
};

/// Records that one write reads.
const RECORDS_PER_WRITE: usize = 500;

/// Removes what was deleted 30 days ago from the records of all tenants. Awaits `pause` after each write. Returns the
/// number of removed fields.
pub async fn purge_expired<F: Future<Output = ()>>(store: &Store, pause: impl Fn() -> F) -> Result<usize> {
    let before = store.clock().now().plus_seconds(-KEPT_DAYS * SECONDS_PER_DAY);
    let all = tenants(&store.snapshot()?)?;
    let mut removed = 0;
    for tenant in all {
        for kind in kinds().filter(|kind| kind.has_parts()) {
            let fields = all_fields(&store.snapshot()?.tenant(tenant, None), kind.kind)?;
            for field in fields.into_iter().filter(|field| is_due(field, before)) {
                let mut next = None;
                loop {
                    let after = next.take();
                    let key = field.key.clone();
                    next = store.write(tenant, Actor::System, move |tx| erase(tx, kind, &key, after)).await?.0;
                    pause().await;
                    if next.is_none() {
                        break;
                    }
                }
                let id = field.id;
                store.write(tenant, Actor::System, move |tx| tx.remove::<CustomField>(id, None)).await?;
                removed += 1;
            }
        }
    }
    Ok(removed)
}

fn is_due(field: &Stored<CustomField>, before: Timestamp) -> bool {
    field.removed_at.is_some_and(|at| at < before)
}

fn erase(tx: &TenantWrite<'_>, kind: &RecordKind, key: &str, after: Option<Vec<u8>>) -> Result<Option<Vec<u8>>> {
    (kind.erase_values)(tx, &Scan::all().limit(RECORDS_PER_WRITE).after(after), key)
}
