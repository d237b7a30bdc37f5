//! One tenant out of a running store: all that is its own, as it is at one moment, with its files, as one archive.
//! What follows from the records (lookups, figures, counts) is left out and made anew where they come in.

use std::{
    io::{Read, Write},
    ops::{Bound, ControlFlow},
};

use super::{
    archive::{FileHead, Frames, Title},
    codec::open,
    keys,
    quarantine::{Damage, Fault},
    read::{TenantRead, last_seq},
    table::TableInfo,
};
use crate::kernel::{Result, Timestamp};

/// The archive of one tenant, being written. It is made of a handle that cannot name another's rows.
pub struct Export<'a, W> {
    tx: TenantRead<'a>,
    frames: Frames<W>,
}

/// What went into the archive of a tenant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exported {
    /// Records.
    pub records: u64,
    /// Files.
    pub files: u64,
    /// Rows that are damaged, and not in it.
    pub damage: Vec<Damage>,
}

impl<'a> TenantRead<'a> {
    /// Begins an archive of the tenant.
    ///
    /// # Errors
    /// `busy` when it cannot be read or written.
    pub fn export<W: Write>(&self, out: W, at: Timestamp) -> Result<Export<'a, W>> {
        let title = Title::new(at, Some(self.tenant), last_seq(self.view)?);
        Ok(Export { tx: *self, frames: Frames::begin(out, &title)? })
    }
}

impl<W: Write> Export<'_, W> {
    /// Adds a file of exactly `size` bytes. Files come before all records: who brings them in knows by then
    /// which files there are.
    ///
    /// # Errors
    /// `busy` when it cannot be read or written.
    pub fn file(&mut self, name: &str, size: u64, bytes: impl Read) -> Result<()> {
        self.frames.file(&FileHead { name: name.to_owned(), size }, bytes)
    }

    /// Adds the records of all kinds that travel, and then what the ledger says of them. Damaged rows are left out.
    ///
    /// # Errors
    /// `busy` when they cannot be read or written.
    pub fn finish(mut self, tables: &[TableInfo]) -> Result<Exported> {
        let (mut damage, mut records) = (Vec::new(), 0);
        for table in tables.iter().filter(|table| !table.stays) {
            records +=
                self.rows(table.table, &mut |key, fault| damage.push(Damage::of_record(key, table.kind, fault)))?;
        }
        // After the records: whoever follows the ledger where they come in finds them.
        self.rows(keys::LEDGER, &mut |key, fault| damage.push(Damage::at(key, fault)))?;
        Ok(Exported { records, files: self.frames.finish()?.files, damage })
    }

    /// Adds the rows of a table. How many there were.
    fn rows(&mut self, table: u16, damaged: &mut dyn FnMut(&[u8], Fault)) -> Result<u64> {
        let mut count = 0;
        let prefix = keys::table(self.tx.tenant.into(), table);
        let keys = (Bound::Included(prefix.clone()), keys::after(&prefix));
        let gaps = self.tx.view.scan_readable(keys, false, &mut |key, value| {
            if open(key, value).is_ok() {
                self.frames.row(key, value)?;
                count += 1;
            } else {
                damaged(key, Fault::Damaged);
            }
            Ok(ControlFlow::Continue(()))
        })?;
        (0..gaps).for_each(|_| damaged(&prefix, Fault::Unreadable));
        Ok(count)
    }
}
