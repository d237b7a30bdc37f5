//! Test helpers that read and change the raw rows of a closed store: for reading data of earlier versions, and for
//! damaging data.

use std::path::Path;

use redb::{Database, ReadableDatabase as _, ReadableTable as _};

use super::{TableInfo, codec::open, keys, view::ROWS};
use crate::kernel::TenantId;

/// Returns key and value of all rows, ordered by key.
pub fn rows(file: &Path) -> Vec<(Vec<u8>, Vec<u8>)> {
    let database = Database::open(file).expect("the store opens");
    let table = database.begin_read().expect("a read").open_table(ROWS).expect("its rows");
    let rows = table.iter().expect("a walk").map(|row| row.expect("a row"));
    rows.map(|(key, value)| (key.value().to_vec(), value.value().to_vec())).collect()
}

/// Sets a raw row. `None` removes it.
pub fn put(file: &Path, key: &[u8], value: Option<&[u8]>) {
    let database = Database::open(file).expect("the store opens");
    let write = database.begin_write().expect("a write");
    {
        let mut table = write.open_table(ROWS).expect("its rows");
        match value {
            Some(value) => drop(table.insert(key, value).expect("a row goes in")),
            None => drop(table.remove(key).expect("a row goes")),
        }
    }
    write.commit().expect("a commit");
}

/// Returns the tenant of a row, `None` for the installation's rows, and the number of its table.
pub fn place(key: &[u8]) -> (Option<TenantId>, u16) {
    let (space, table) = keys::split(key).expect("a key of ours");
    (TenantId::from_bytes(space.0), table)
}

/// Tables that the store maintains besides records and indexes, and their names.
pub const OWN_TABLES: [(u16, &str); 5] = [
    (keys::META, "count"),
    (keys::COUNTERS, "figure"),
    (keys::LEDGER, "ledger"),
    (keys::REPLIES, "reply"),
    (keys::NEWS, "news"),
];

/// Returns the payload in a row's envelope.
pub fn payload(key: &[u8], value: &[u8]) -> Vec<u8> {
    open(key, value).expect("an intact row").1.to_vec()
}

/// Decodes the record in a row and returns the payload that this version writes for it.
pub fn written_anew(table: &TableInfo, key: &[u8], value: &[u8]) -> crate::kernel::Result<Vec<u8>> {
    let (version, payload) = open(key, value)?;
    (table.inspect)(key, version, payload)?;
    (table.rewrite)(key, version, payload)
}

/// Decodes an entry of a tenant's change feed and returns the payload that this version writes for it.
pub fn change_anew(key: &[u8], value: &[u8]) -> crate::kernel::Result<Vec<u8>> {
    let change: super::Change = super::codec::decode(open(key, value)?.1)?;
    super::codec::encode(&change)
}
