//! Records whose content is kept in parts, in rows of their own: a row is written again at each change, and so is short.

use crate::{
    kernel::{Id, Result},
    store::{Scan, Stored, TenantRead, TenantRecord, TenantWrite},
};

/// Maximum number of rows of a record with parts that one write purges.
pub const PURGED_PER_WRITE: usize = 50;

/// A record with parts.
pub trait PartedRecord: TenantRecord<Key = Self> {
    /// A part.
    type Part: TenantRecord<Key = Self::Part>;

    /// The index of the parts by [`part_place`].
    const PARTS: u16;

    /// Removes some of its parts of another sort. Returns their number; 0 when there are none left.
    fn remove_other_parts(_tx: &TenantWrite<'_>, _id: Id<Self>) -> Result<usize> {
        Ok(0)
    }

    /// Removes what else belongs to it. Returns the number of removed rows.
    fn remove_rest(_tx: &TenantWrite<'_>, _id: Id<Self>) -> Result<usize> {
        Ok(0)
    }
}

/// Returns the place of a part in the index of the parts.
pub fn part_place<R>(record: Id<R>, place: u32) -> Vec<u8> {
    [record.as_bytes().as_slice(), &place.to_be_bytes()].concat()
}

/// Returns the part of a record at a place.
pub fn find_part<R: PartedRecord>(tx: &TenantRead<'_>, record: Id<R>, place: u32) -> Result<Option<Stored<R::Part>>> {
    let scan = Scan::with(R::PARTS, part_place(record, place)).limit(1);
    Ok(tx.page::<R::Part>(&scan, |_| true)?.items.pop())
}

/// Removes a record with its parts: at most about `limit` of them, and then the record. Returns the number of removed
/// rows.
pub fn purge_with_parts<R: PartedRecord>(tx: &TenantWrite<'_>, id: Id<R>, limit: usize) -> Result<usize> {
    let mut rows = 0;
    while rows < limit {
        let scan = Scan::beginning(R::PARTS, id.as_bytes()).limit(PURGED_PER_WRITE);
        let parts = tx.page::<R::Part>(&scan, |_| true)?.items;
        if parts.is_empty() {
            let others = R::remove_other_parts(tx, id)?;
            if others > 0 {
                rows += others;
                continue;
            }
            rows += R::remove_rest(tx, id)?;
            tx.remove::<R>(id, None)?;
            return Ok(rows + 1);
        }
        rows += parts.len();
        for part in parts {
            tx.remove::<R::Part>(part.id, None)?;
        }
    }
    Ok(rows)
}
