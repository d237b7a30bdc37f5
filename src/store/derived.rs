//! Derived data that the store maintains with every record: secondary indexes, counters, count and digest of each
//! table. Features declare them and never write them.

use std::{
    collections::BTreeMap,
    ops::{Bound, ControlFlow},
};

use xxhash_rust::xxh3::xxh3_64;

use super::{
    codec::{Counters, LookupKey, Lookups, Record, Stored, encode, seal},
    keys::{self, Space},
    read,
    view::{Rows, View},
    write::TenantWrite,
};
use crate::kernel::{Code, Error, MemberId, Result, TenantId};

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
    counters.figures
}

/// Returns what one row adds to its table's digest.
pub(super) fn row_digest(key: &[u8], value: &[u8]) -> u64 {
    xxh3_64(key).rotate_left(32) ^ xxh3_64(value)
}

/// Computes count and digest of the rows under a prefix by reading them all.
pub(super) fn recount(view: &dyn View, prefix: &[u8]) -> Result<(u64, u64)> {
    let mut count = 0_u64;
    let mut digest = 0_u64;
    view.scan(Bound::Included(prefix.to_vec()), keys::after(prefix), false, &mut |key, value| {
        (count, digest) = (count + 1, digest.wrapping_add(row_digest(key, value)));
        Ok(ControlFlow::Continue(()))
    })?;
    Ok((count, digest))
}

impl TenantWrite<'_> {
    /// Returns the index rows that a change of a record adds and removes. Stages nothing.
    /// Errors: `conflict` when a unique value is taken.
    pub(super) fn lookup_changes<R: Record>(
        &self,
        person: Option<MemberId>,
        old: Option<&Stored<R>>,
        new: Option<&Stored<R>>,
    ) -> Result<Rows> {
        let rows_of = |record| lookup_rows(self.read.tenant, person, record);
        let before = old.map(rows_of).unwrap_or_default();
        let after = new.map(rows_of).unwrap_or_default();
        let mut rows = Rows::new();
        for (row, (key, sealed)) in &after {
            if before.contains_key(row) {
                continue;
            }
            if let Some(field) = key.unique
                && self.taken(row, key.global, &before)?
            {
                return Err(Error::new(Code::Conflict).and_field(field, "errors.fields.taken", Vec::new()));
            }
            rows.insert(row.clone(), Some(sealed.clone()));
        }
        rows.extend(before.into_keys().filter(|row| !after.contains_key(row)).map(|row| (row, None)));
        Ok(rows)
    }

    pub(super) fn keep_lookups(&self, rows: Rows) {
        for (row, value) in rows {
            self.staged.set(row, value);
        }
    }

    /// Whether another record has the value of this unique index row.
    pub(super) fn taken(
        &self,
        row: &[u8],
        global: bool,
        own: &BTreeMap<Vec<u8>, (LookupKey, Vec<u8>)>,
    ) -> Result<bool> {
        if !global {
            return Ok(self.staged.rows.get(row)?.is_some());
        }
        let prefix = row.get(..row.len().saturating_sub(32)).unwrap_or_default();
        let mut taken = false;
        self.staged.rows.scan(Bound::Included(prefix.to_vec()), keys::after(prefix), false, &mut |other, _| {
            taken = !own.contains_key(other);
            Ok(if taken { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
        })?;
        Ok(taken)
    }

    pub(super) fn keep_counters<R: Record>(
        &self,
        person: Option<MemberId>,
        old: Option<&Stored<R>>,
        new: Option<&Stored<R>>,
    ) -> Result<()> {
        let mut sums: BTreeMap<String, i64> = BTreeMap::new();
        for (record, sign) in [(old, -1), (new, 1)] {
            for (name, amount) in record.map(|record| counters_of(person, record)).unwrap_or_default() {
                let sum = sums.entry(name).or_default();
                *sum = sum.saturating_add(amount.saturating_mul(sign));
            }
        }
        for (name, by) in sums {
            self.staged.count(read::counter_key(self.read.tenant.into(), &name), by)?;
        }
        Ok(())
    }

    /// Updates count and digest of the table, which reveal a missing row.
    pub(super) fn keep_meta(&self, table: u16, key: &[u8], new: Option<&[u8]>) -> Result<()> {
        let view = &self.staged.rows;
        let meta = read::meta_key(self.read.tenant.into(), table);
        let (mut count, mut digest) = read::kept_meta(view, self.read.tenant.into(), table)?;
        if let Some(old) = view.get(key)? {
            count = count.wrapping_sub(1);
            digest = digest.wrapping_sub(row_digest(key, &old));
        }
        if let Some(new) = new {
            count = count.wrapping_add(1);
            digest = digest.wrapping_add(row_digest(key, new));
        }
        let sealed = seal(&meta, 1, &encode(&(count, digest))?);
        self.staged.set(meta, Some(sealed));
        Ok(())
    }
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
