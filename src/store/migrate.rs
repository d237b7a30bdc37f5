//! The format of the store as a whole: a number in the file. A newer one than this version of Atrium knows
//! is refused, so that going back by mistake harms nothing.

use redb::{Database, ReadableDatabase, TableError};

use super::{
    codec::{decode, encode, open, seal},
    keys::{self, Space},
    read::meta_key,
    view::storage,
    writer::ROWS,
};
use crate::kernel::{Error, Result};

/// The format that this version writes.
pub(super) const FORMAT: u32 = 1;

pub(super) fn format_key() -> Vec<u8> {
    meta_key(Space::SYSTEM, keys::META)
}

/// The format of an open file; none when it holds nothing yet.
pub(super) fn format_of(database: &Database) -> Result<Option<u32>> {
    let read = database.begin_read().map_err(storage)?;
    let rows = match read.open_table(ROWS) {
        Ok(rows) => rows,
        Err(TableError::TableDoesNotExist(_)) => return Ok(None),
        Err(error) => return Err(storage(error)),
    };
    let key = format_key();
    let row = rows.get(key.as_slice()).map_err(storage)?.ok_or_else(|| Error::internal("not a store of Atrium"))?;
    decode(open(&key, row.value())?.1).map(Some)
}

/// Makes a new file a store, and refuses one of another format.
///
/// # Errors
/// `internal` when the format is not ours; `busy` when the disk fails.
pub(super) fn prepare(database: &Database) -> Result<()> {
    match format_of(database)? {
        Some(FORMAT) => Ok(()),
        Some(found) => Err(Error::internal(format_args!("the store has format {found}, this Atrium knows {FORMAT}"))),
        None => {
            let mut transaction = database.begin_write().map_err(storage)?;
            transaction.set_quick_repair(true);
            {
                let mut rows = transaction.open_table(ROWS).map_err(storage)?;
                let key = format_key();
                let sealed = seal(&key, 1, &encode(&FORMAT)?);
                rows.insert(key.as_slice(), sealed.as_slice()).map_err(storage)?;
            }
            transaction.commit().map_err(storage)
        }
    }
}
