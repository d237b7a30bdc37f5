//! Reading of single rows: their envelopes are verified, and damaged ones are recorded in the quarantine.

use std::ops::{Bound, ControlFlow};

use serde::de::DeserializeOwned;

use super::{
    codec::{Record, Stored, decode, open, read_record},
    derived::recount,
    keys::{self, Space, meta_key},
    quarantine::{Damage, Fault},
    view::View,
};
use crate::kernel::{Error, Result};

/// Records a damaged row in the quarantine. The returned error names the row.
fn found_damaged(view: &dyn View, key: &[u8], damage: Damage, why: &Error) -> Error {
    let error = Error::damaged(format_args!("{damage}: {}", why.detail().unwrap_or_default()));
    view.quarantine().note(key, damage);
    error
}

/// Verifies an envelope and returns version and payload. Records a damaged one in the quarantine.
pub(super) fn unseal<'v>(view: &dyn View, key: &[u8], bytes: &'v [u8]) -> Result<(u8, &'v [u8])> {
    open(key, bytes).map_err(|why| found_damaged(view, key, Damage::at(key, Fault::Damaged), &why))
}

/// Decodes a value from its envelope. Records a damaged one in the quarantine.
pub(super) fn unseal_value<T: DeserializeOwned>(view: &dyn View, key: &[u8], bytes: &[u8]) -> Result<T> {
    let read = open(key, bytes).and_then(|(_, payload)| decode(payload));
    read.map_err(|why| found_damaged(view, key, Damage::at(key, Fault::Damaged), &why))
}

/// Decodes a record from its envelope. Records a damaged one in the quarantine.
pub(super) fn unseal_record<R: Record>(view: &dyn View, key: &[u8], bytes: &[u8]) -> Result<Stored<R>> {
    let read = open(key, bytes).and_then(|(version, payload)| read_record(key, version, payload));
    read.map_err(|why| found_damaged(view, key, Damage::of_record(key, R::KIND, Fault::Damaged), &why))
}

/// Returns the last and the first sequence number of the change feed, 0 when it is empty. If the row that stores them
/// is damaged, they are read from the feed itself, which always keeps its last entry.
pub(super) fn ledger_ends(view: &dyn View) -> Result<(u64, u64)> {
    let ends = read_meta(view, &meta_key(Space::SYSTEM, keys::LEDGER));
    match ends {
        Err(error) if error.is_damage() => {}
        ends => return ends,
    }
    let prefix = keys::table(Space::SYSTEM, keys::LEDGER);
    let end = |reverse| -> Result<u64> {
        let mut seq = 0;
        view.scan_readable((Bound::Included(prefix.clone()), keys::end(&prefix)), reverse, &mut |key, value| {
            if unseal(view, key, value).is_err() {
                return Ok(ControlFlow::Continue(()));
            }
            seq = key.get(prefix.len()..).and_then(|tail| tail.try_into().ok()).map_or(0, u64::from_be_bytes);
            Ok(ControlFlow::Break(()))
        })?;
        Ok(seq)
    };
    Ok((end(true)?, end(false)?))
}

/// Reads a stored pair: count and order-independent digest of a table's records, or last and first sequence number of
/// the change feed.
pub(super) fn read_meta(view: &dyn View, key: &[u8]) -> Result<(u64, u64)> {
    view.get(key)?.map_or(Ok((0, 0)), |row| unseal_value(view, key, &row))
}

/// Reads the stored count and digest of a table. Computes them from the table if their row is damaged.
pub(super) fn kept_meta(view: &dyn View, space: Space, table: u16) -> Result<(u64, u64)> {
    match read_meta(view, &meta_key(space, table)) {
        Err(error) if error.is_damage() => recount(view, &keys::table(space, table)),
        kept => kept,
    }
}

pub(super) fn read_counter(view: &dyn View, key: &[u8]) -> Result<i64> {
    view.get(key)?.map_or(Ok(0), |row| unseal_value(view, key, &row))
}
