//! Derived data that the store maintains with every record: secondary indexes, counters, count and digest of each
//! table. Features declare them and never write them.

use std::{
    collections::BTreeMap,
    ops::{Bound, ControlFlow},
};

use serde_json::{Map, Value};
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

/// The same of those rows that can be read.
pub(super) fn recount_readable(view: &dyn View, prefix: &[u8]) -> Result<(u64, u64)> {
    let mut count = 0_u64;
    let mut digest = 0_u64;
    view.scan_readable((Bound::Included(prefix.to_vec()), keys::end(prefix)), false, &mut |key, value| {
        count += 1;
        digest = digest.wrapping_add(row_digest(key, value));
        Ok(ControlFlow::Continue(()))
    })?;
    Ok((count, digest))
}

/// A field in which two versions of a record differ.
#[derive(Debug, PartialEq)]
pub(super) struct FieldChange {
    pub(super) field: String,
    pub(super) from: Option<Value>,
    pub(super) to: Option<Value>,
}

impl FieldChange {
    /// Returns the parts in which the two values, which are objects, differ.
    pub(super) fn into_parts(self) -> Vec<Self> {
        let object = |value: Option<Value>| match value {
            Some(Value::Object(parts)) => parts,
            _ => Map::new(),
        };
        let mut changes = differences(object(self.from), object(self.to));
        for change in &mut changes {
            change.field = format!("{}.{}", self.field, change.field);
        }
        changes
    }
}

/// Returns the fields in which two versions of a record differ, ordered by name.
pub(super) fn changed_fields<R: Record>(old: &R, new: &R) -> Result<Vec<FieldChange>> {
    let fields = |value: &R| match serde_json::to_value(value) {
        Ok(Value::Object(map)) => Ok(map),
        Ok(_) => Err(Error::internal("a record is always an object")),
        Err(error) => Err(Error::internal(error)),
    };
    Ok(differences(fields(old)?, fields(new)?))
}

fn differences(old: Map<String, Value>, mut new: Map<String, Value>) -> Vec<FieldChange> {
    let mut changes = Vec::new();
    for (field, from) in old {
        let to = new.remove(&field);
        if to.as_ref() != Some(&from) {
            changes.push(FieldChange { field, from: Some(from), to });
        }
    }
    changes.extend(new.into_iter().map(|(field, to)| FieldChange { field, from: None, to: Some(to) }));
    changes.sort_by(|one, other| one.field.cmp(&other.field));
    changes
}
