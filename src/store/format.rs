//! The number of the store's format, in a row of its own.

use redb::{Database, ReadableDatabase, TableError};

use super::{
    codec::{decode, encode, open, seal},
    errors::{disk_error, open_error},
    keys::{self, Space, meta_key},
    view::{ROWS, Table, guarded_open},
};
use crate::kernel::{Error, Result};

/// The format that this version writes: the number of migration steps plus one (a test verifies it).
pub(super) const FORMAT: u32 = 8;

fn format_key() -> Vec<u8> {
    meta_key(Space::SYSTEM, keys::META)
}

/// Returns key and value of the row that stores the format.
pub(super) fn format_row(format: u32) -> Result<(Vec<u8>, Vec<u8>)> {
    let key = format_key();
    let sealed = seal(&key, 1, &encode(&format)?);
    Ok((key, sealed))
}

/// Stores the format.
pub(super) fn set_format(rows: &mut Table<'_>, format: u32) -> Result<()> {
    let (key, sealed) = format_row(format)?;
    rows.insert(key.as_slice(), sealed.as_slice()).map_err(disk_error)?;
    Ok(())
}

/// Returns the format of an open file, `None` if it is empty.
/// Errors: `internal` when the file is not an Atrium store.
fn format_of(database: &Database) -> Result<Option<u32>> {
    let read = database.begin_read().map_err(open_error)?;
    let rows = match read.open_table(ROWS) {
        Ok(rows) => rows,
        Err(TableError::TableDoesNotExist(_)) => return Ok(None),
        Err(error) => return Err(open_error(error)),
    };
    let key = format_key();
    let row = rows.get(key.as_slice()).map_err(open_error)?.ok_or_else(|| Error::internal("not a store of Atrium"))?;
    let format = open(&key, row.value()).and_then(|(_, payload)| decode(payload));
    Ok(Some(format.unwrap_or_else(|error| {
        // Every row has its own version and checksum, so a wrong guess is refused row by row.
        tracing::error!(detail = ?error, "the row that says the store's format is damaged; the newest is assumed");
        FORMAT
    })))
}

/// Initializes a new file with the current format. Returns the format of the file.
pub(super) fn prepare(database: &Database) -> Result<u32> {
    if let Some(format) = guarded_open(|| format_of(database))? {
        return Ok(format);
    }
    let mut transaction = database.begin_write().map_err(disk_error)?;
    transaction.set_quick_repair(true);
    set_format(&mut transaction.open_table(ROWS).map_err(disk_error)?, FORMAT)?;
    transaction.commit().map_err(disk_error)?;
    Ok(FORMAT)
}
