//! The rows of a closed store as they lie on the disk: for tests that read what an earlier version wrote, or that
//! damage it.

use std::path::Path;

use redb::{Database, ReadableDatabase as _, ReadableTable as _};

use super::{TableInfo, codec::open, keys, writer::ROWS};
use crate::kernel::TenantId;

/// Key and value of every row, in the order of the keys.
pub fn rows(file: &Path) -> Vec<(Vec<u8>, Vec<u8>)> {
    let database = Database::open(file).expect("the store opens");
    let table = database.begin_read().expect("a read").open_table(ROWS).expect("its rows");
    let rows = table.iter().expect("a walk").map(|row| row.expect("a row"));
    rows.map(|(key, value)| (key.value().to_vec(), value.value().to_vec())).collect()
}

/// Puts a row as it is; none removes it.
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

/// Whose row it is, none for the installation's own, and the number of its table.
pub fn place(key: &[u8]) -> (Option<TenantId>, u16) {
    let (space, table) = keys::split(key).expect("a key of ours");
    (TenantId::from_bytes(space.0), table)
}

/// What the store calls the tables that it keeps itself, beside the records and their lookups.
pub const OWN_TABLES: [(u16, &str); 4] =
    [(keys::META, "count"), (keys::COUNTERS, "figure"), (keys::LEDGER, "ledger"), (keys::REPLIES, "reply")];

/// The payload in a row's envelope.
pub fn payload(key: &[u8], value: &[u8]) -> Vec<u8> {
    open(key, value).expect("an intact row").1.to_vec()
}

/// What this version makes of the record in a row, as the payload that it would write for it.
pub fn written_anew(table: &TableInfo, key: &[u8], value: &[u8]) -> crate::kernel::Result<Vec<u8>> {
    let (version, payload) = open(key, value)?;
    (table.inspect)(key, version, payload)?;
    (table.rewrite)(key, version, payload)
}

/// The same for an entry of a company's ledger.
pub fn change_anew(key: &[u8], value: &[u8]) -> crate::kernel::Result<Vec<u8>> {
    let change: super::Change = super::codec::decode(open(key, value)?.1)?;
    super::codec::encode(&change)
}
