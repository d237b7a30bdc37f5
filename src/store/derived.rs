//! Derived data that the store maintains with every record: secondary indexes, counters, count and digest of each
//! table. Features declare them and never write them.

use std::{
    collections::BTreeMap,
    ops::{Bound, ControlFlow},
};

use xxhash_rust::xxh3::xxh3_64;

use super::{
    codec::{Counters, LookupKey, Lookups, Record, Stored, seal},
    keys::{self, Space},
    view::View,
};
use crate::kernel::{Error, MemberId, Result, TenantId};

/// Returns key and value of an index row. The key of a unique index ends with the value, and the row holds the record's
/// id. The key of any other index ends with the id, that of a global index with tenant and id.
pub(super) fn lookup_row(
    tenant: TenantId,
    person: Option<MemberId>,
    key: &LookupKey,
    id: &[u8; 16],
) -> (Vec<u8>, Vec<u8>) {
    let (mut row, payload): (_, &[u8]) = if key.global {
        let mut row = keys::lookup(Space::SYSTEM, key.lookup, None, &key.value);
        row.extend_from_slice(tenant.as_bytes());
        (row, &[])
    } else {
        let row = keys::lookup(tenant.into(), key.lookup, person, &key.value);
        (row, if key.unique.is_some() { id } else { &[] })
    };
    if payload.is_empty() {
        row.extend_from_slice(id);
    }
    let sealed = seal(&row, 1, payload);
    (row, sealed)
}

/// Returns all index rows of a record.
pub(super) fn lookup_rows<R: Record>(
    tenant: TenantId,
    person: Option<MemberId>,
    record: &Stored<R>,
) -> BTreeMap<Vec<u8>, (LookupKey, Vec<u8>)> {
    let mut lookups = Lookups::default();
    R::lookups(record, &mut lookups);
    let id = record.id.as_bytes();
    lookups
        .0
        .into_iter()
        .map(|key| {
            let (row, sealed) = lookup_row(tenant, person, &key, id);
            (row, (key, sealed))
        })
        .collect()
}

/// Returns the counters that a record adds to.
pub(super) fn counters_of<R: Record>(person: Option<MemberId>, record: &Stored<R>) -> Vec<(String, i64)> {
    let mut counters = Counters { person, ..Counters::default() };
    R::counters(record, &mut counters);
    counters.amounts
}

/// Returns what one row adds to its table's digest.
pub(super) fn row_digest(key: &[u8], value: &[u8]) -> u64 {
    xxh3_64(key).rotate_left(32) ^ xxh3_64(value)
}

/// Computes count and digest of the rows under a prefix by reading them all.
pub(super) fn recount(view: &dyn View, prefix: &[u8]) -> Result<(u64, u64)> {
    let mut count = 0_u64;
    let mut digest = 0_u64;
    view.scan(Bound::Included(prefix.to_vec()), keys::end(prefix), false, &mut |key, value| {
        (count, digest) = (count + 1, digest.wrapping_add(row_digest(key, value)));
        Ok(ControlFlow::Continue(()))
    })?;
    Ok((count, digest))
}

/// Returns the names of the fields in which two versions of a record differ.
pub(super) fn changed_fields<R: Record>(old: &R, new: &R) -> Result<Vec<String>> {
    let fields = |value: &R| match serde_json::to_value(value) {
        Ok(serde_json::Value::Object(map)) => Ok(map),
        Ok(_) => Err(Error::internal("a record is always an object")),
        Err(error) => Err(Error::internal(error)),
    };
    let old = fields(old)?;
    let new = fields(new)?;
    let mut names: Vec<String> = old
        .keys()
        .chain(new.keys().filter(|name| !old.contains_key(*name)))
        .filter(|name| old.get(*name) != new.get(*name))
        .cloned()
        .collect();
    names.sort();
    Ok(names)
}
