//! Removes the values of fields that were deleted 30 days ago, also from the history of records, and then the fields.

use crate::{
    feature::{CustomField, RecordKind, all_fields},
    features::{
        kinds,
        records::purge::{KEPT_DAYS, SECONDS_PER_DAY},
    },
    kernel::{Id, Result, TenantId, Timestamp, run_in_background},
    people::members::tenants,
    store::{
        Actor, Binned, FoundRow, FoundRows, HistoryEntry, HistoryEvent, Record as _, Scan, SearchedRows, Store, Stored,
        TenantWrite,
    },
};

/// The name of the thread that searches.
const THREAD: &str = "fields";
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
                erase_in_histories(store, tenant, kind, &field.key, &pause).await?;
                let id = field.id;
                store.write(tenant, Actor::System, move |tx| tx.remove::<CustomField>(id, None)).await?;
                removed += 1;
            }
        }
    }
    Ok(removed)
}

/// Removes the values of a field from the history of all records of a kind. Searches outside of the writes.
async fn erase_in_histories<F: Future<Output = ()>>(
    store: &Store,
    tenant: TenantId,
    kind: &'static RecordKind,
    key: &str,
    pause: &impl Fn() -> F,
) -> Result<()> {
    let name = format!("fields.{key}");
    let mut after = None;
    loop {
        let from = store.clone();
        let sought = vec![name.clone().into_bytes()];
        let find = move || from.snapshot()?.tenant(tenant, None).find_rows(SearchedRows::Records, &sought, after);
        let FoundRows { rows, next } = run_in_background(THREAD, find).await?;
        let name = name.clone();
        let work = move |tx: &TenantWrite<'_>| rows.iter().try_for_each(|row| erase_in_history(tx, kind, &name, row));
        store.write(tenant, Actor::System, work).await?;
        pause().await;
        if next.is_none() {
            return Ok(());
        }
        after = next;
    }
}

/// Removes the values of a field from an entry in the history of a record of this kind. An entry about nothing else goes.
fn erase_in_history(tx: &TenantWrite<'_>, kind: &RecordKind, name: &str, row: &FoundRow) -> Result<()> {
    if (row.table, row.owner) != (HistoryEntry::TABLE, None) {
        return Ok(());
    }
    let Some(entry) = tx.find_intact::<HistoryEntry>(Id::from_bytes(row.id))? else { return Ok(()) };
    let binned = tx.find_intact::<Binned>(Id::from(entry.record))?;
    let is_there = match binned {
        Some(binned) => binned.kind == kind.kind,
        None => kind.bulk.map_or(Ok(None), |bulk| (bulk.version)(tx, entry.record.into_bytes()))?.is_some(),
    };
    if !is_there || entry.changes.iter().all(|change| change.field != name) {
        return Ok(());
    }
    if entry.event == HistoryEvent::Changed && entry.changes.len() == 1 {
        return tx.remove::<HistoryEntry>(entry.id, None).map(drop);
    }
    tx.rewrite(&entry, |entry| entry.changes.retain(|change| change.field != name))
}

fn is_due(field: &Stored<CustomField>, before: Timestamp) -> bool {
    field.removed_at.is_some_and(|at| at < before)
}

fn erase(tx: &TenantWrite<'_>, kind: &RecordKind, key: &str, after: Option<Vec<u8>>) -> Result<Option<Vec<u8>>> {
    (kind.erase_values)(tx, &Scan::all().limit(RECORDS_PER_WRITE).after(after), key)
}
