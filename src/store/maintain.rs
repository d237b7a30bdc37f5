//! Maintenance of derived data with every change of a record: indexes, counters, and count and digest of its table.

use std::{
    collections::BTreeMap,
    ops::{Bound, ControlFlow},
};

use super::{
    codec::{LookupKey, Record, Stored, encode, seal},
    derived::{counters_of, lookup_rows, row_digest},
    keys::{self, meta_key},
    rows::kept_meta,
    view::{Rows, View as _},
    write::TenantWrite,
};
use crate::kernel::{Code, Error, MemberId, Result};

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
                && self.is_taken(row, key.global, &before)?
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
    pub(super) fn is_taken(
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
        self.staged.rows.scan(Bound::Included(prefix.to_vec()), keys::end(prefix), false, &mut |other, _| {
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
            self.staged.count(self.read.tenant.into(), &name, by)?;
        }
        Ok(())
    }

    /// Updates count and digest of the table, which reveal a missing row.
    pub(super) fn keep_meta(&self, table: u16, key: &[u8], new: Option<&[u8]>) -> Result<()> {
        let view = &self.staged.rows;
        let meta = meta_key(self.read.tenant.into(), table);
        let (mut count, mut digest) = kept_meta(view, self.read.tenant.into(), table)?;
        view.visit(key, &mut |old| {
            count = count.wrapping_sub(1);
            digest = digest.wrapping_sub(row_digest(key, old));
        })?;
        if let Some(new) = new {
            count = count.wrapping_add(1);
            digest = digest.wrapping_add(row_digest(key, new));
        }
        let sealed = seal(&meta, 1, &encode(&(count, digest))?);
        self.staged.set(meta, Some(sealed));
        Ok(())
    }
}
