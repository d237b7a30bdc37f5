//! Export of one tenant from a running store: its records as of one snapshot, with its files, as one archive. Derived
//! data (indexes, counters, record counts) is left out; the import rebuilds it.

use std::{
    io::{Read, Write},
    ops::{Bound, ControlFlow},
};

use super::{
    archive::{FileHead, Frames, Title},
    codec::open,
    derived::row_digest,
    keys::{self, Space},
    quarantine::{Damage, Fault},
    read::{TenantRead, last_seq},
    rows::kept_meta,
    table::TableInfo,
};
use crate::kernel::{Result, Timestamp};

/// A tenant archive that is being written. It uses a handle that cannot reach rows of other tenants.
pub struct Export<'a, W> {
    tx: TenantRead<'a>,
    frames: Frames<W>,
}

/// The contents of a tenant archive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExportSummary {
    /// Number of records.
    pub records: u64,
    /// Number of files.
    pub files: u64,
    /// Damaged rows, which were left out.
    pub damage: Vec<Damage>,
}

impl<'a> TenantRead<'a> {
    /// Begins an archive of the tenant.
    pub fn export<W: Write>(&self, out: W, at: Timestamp) -> Result<Export<'a, W>> {
        let title = Title::new(at, Some(self.tenant), last_seq(self.view)?);
        Ok(Export { tx: *self, frames: Frames::begin(out, &title)? })
    }
}

impl<W: Write> Export<'_, W> {
    /// Adds a file of exactly `size` bytes. All files must come before the records, so that an import knows them when
    /// it reads the records.
    pub fn file(&mut self, name: &str, size: u64, bytes: impl Read) -> Result<()> {
        self.frames.file(&FileHead { name: name.to_owned(), size }, bytes)
    }

    /// Adds the records of all exported kinds, then the tenant's change feed. Leaves out damaged rows. A damaged branch
    /// page can hide rows at the ends of a range without an error, so the rows are compared with the kept counts.
    pub fn finish(mut self, tables: &[TableInfo]) -> Result<ExportSummary> {
        let mut damage = Vec::new();
        let mut records = 0;
        for table in tables.iter().filter(|table| !table.not_exported) {
            let before = damage.len();
            let (count, digest) =
                self.rows(table.table, &mut |key, fault| damage.push(Damage::of_record(key, table.kind, fault)))?;
            records += count;
            let space = self.tx.tenant.into();
            if damage.len() == before && kept_meta(self.tx.view, space, table.table)? != (count, digest) {
                damage.push(Damage::of_record(&keys::table(space, table.table), table.kind, Fault::Unreadable));
            }
        }
        // After the records, so that a reader of the feed at the destination finds them.
        let before = damage.len();
        let (count, _) = self.rows(keys::LEDGER, &mut |key, fault| damage.push(Damage::at(key, fault)))?;
        if damage.len() == before && self.count_changes()? > count {
            damage.push(Damage::at(&keys::table(self.tx.tenant.into(), keys::LEDGER), Fault::Unreadable));
        }
        Ok(ExportSummary { records, files: self.frames.finish()?.files, damage })
    }

    /// Counts the tenant's changes in the order of all changes.
    fn count_changes(&self) -> Result<u64> {
        let prefix = keys::table(Space::SYSTEM, keys::LEDGER);
        let mut count = 0;
        self.tx.view.scan_readable(
            (Bound::Included(prefix.clone()), keys::end(&prefix)),
            false,
            &mut |key, value| {
                let is_own = open(key, value).is_ok_and(|(_, tenant)| tenant == self.tx.tenant.as_bytes());
                count += u64::from(is_own);
                Ok(ControlFlow::Continue(()))
            },
        )?;
        Ok(count)
    }

    /// Adds the rows of a table. Returns their number and digest.
    fn rows(&mut self, table: u16, damaged: &mut dyn FnMut(&[u8], Fault)) -> Result<(u64, u64)> {
        let (mut count, mut digest) = (0, 0_u64);
        let prefix = keys::table(self.tx.tenant.into(), table);
        let keys = (Bound::Included(prefix.clone()), keys::end(&prefix));
        let gaps = self.tx.view.scan_readable(keys, false, &mut |key, value| {
            if open(key, value).is_ok() {
                self.frames.row(key, value)?;
                (count, digest) = (count + 1, digest.wrapping_add(row_digest(key, value)));
            } else {
                damaged(key, Fault::Damaged);
            }
            Ok(ControlFlow::Continue(()))
        })?;
        (0..gaps).for_each(|_| damaged(&prefix, Fault::Unreadable));
        Ok((count, digest))
    }
}
