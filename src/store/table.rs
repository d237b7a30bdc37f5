//! Descriptions of the record kinds for checks and exports that do not know the Rust types: the table, and functions
//! that decode a record and derive its indexes and counters.

use super::{
    keys::{self, Space},
    view::View,
    write::{PersonalWrite, TenantWrite},
};
use crate::kernel::{Id, MemberId, Result};

/// Decodes a record from its key, schema version and payload.
type Reading<T> = fn(&[u8], u8, &[u8]) -> Result<T>;

/// Restores a copy of a record (version and payload) under a key.
type PutBack = fn(&TenantWrite<'_>, &[u8], u8, &[u8]) -> Result<()>;

/// Removes a member's personal records of one kind.
pub(super) type Clear = fn(&PersonalWrite<'_, '_>) -> Result<()>;

/// A record kind, for checks and exports.
#[derive(Clone, Copy)]
pub struct TableInfo {
    /// The number of its table.
    pub table: u16,
    /// `Record::KIND`.
    pub kind: &'static str,
    /// Whether this kind has the root record of a tenant: a tenant exists while a record here has the tenant's own id.
    pub is_root: bool,
    /// Whether exports leave out the records of this kind.
    pub not_exported: bool,
    /// `Record::LEDGER`.
    pub(super) in_ledger: bool,
    pub(super) inspect: Reading<Inspected>,
    /// Decodes a record and returns the payload that this version writes for it.
    #[cfg(test)]
    pub(super) rewrite: Reading<Vec<u8>>,
    /// Replaces a damaged record with a copy from a backup.
    pub(super) put_back: PutBack,
    /// Removes a damaged record.
    pub(super) remove_damaged: fn(&TenantWrite<'_>, &[u8]) -> Result<()>,
    /// Takes out of a record of an archive what the API would not have accepted. Returns the new version and payload.
    pub(super) admit: Reading<Option<(u8, Vec<u8>)>>,
    /// Imports a record.
    pub(super) adopt: fn(&TenantWrite<'_>, Vec<u8>, u8, &[u8]) -> Result<bool>,
    /// Removes a member's personal records of this kind; `None` for tenant records.
    pub(super) clear: Option<Clear>,
}

/// The data derived from a record.
pub(super) struct Inspected {
    /// Key and value of each index row.
    pub(super) lookups: Vec<(Vec<u8>, Vec<u8>)>,
    /// The amounts it adds to counters.
    pub(super) counters: Vec<(String, i64)>,
    /// Kind and id of the record that it is a part of.
    pub(super) part_of: Option<(String, [u8; 16])>,
    /// Whether it is the root record of a tenant that is being erased or imported.
    pub(super) is_incomplete: bool,
}

impl Inspected {
    /// Whether the record is a part of one that is gone: neither in its table, nor in the bin, nor being erased, where it
    /// has the same id. One that cannot be read is not gone.
    pub(super) fn is_orphaned(&self, view: &dyn View, tables: &[&TableInfo], space: Space) -> bool {
        let Some((kind, id)) = &self.part_of else { return false };
        let is_gone = |info: &TableInfo| {
            info.is_personal() || view.get(&keys::record(space, info.table, None, id)).is_ok_and(|row| row.is_none())
        };
        // First where it usually is.
        let own = tables.iter().find(|info| info.kind == kind);
        own.is_some_and(|own| is_gone(own)) && tables.iter().all(|info| is_gone(info))
    }
}

impl TableInfo {
    /// Marks the kind of the tenants' root records.
    pub const fn root(mut self) -> Self {
        self.is_root = true;
        self
    }

    /// Leaves the records out of exports: elsewhere they would be meaningless, or be processed twice.
    pub const fn not_exported(mut self) -> Self {
        self.not_exported = true;
        self
    }

    /// Whether the records are personal.
    const fn is_personal(&self) -> bool {
        self.clear.is_some()
    }

    /// Whether a key has the length that this table requires.
    pub(super) const fn accepts_key(&self, key: &[u8]) -> bool {
        key.len() == keys::HEAD_BYTES + if self.is_personal() { 32 } else { 16 }
    }
}

/// Returns the member in the key of a personal record, `None` for a tenant record.
pub(super) fn person_in(key: &[u8]) -> Option<MemberId> {
    let (person, id) = key.get(keys::HEAD_BYTES..)?.split_first_chunk::<16>()?;
    // The key of a tenant record has only the id here.
    (!id.is_empty()).then(|| Id::from_bytes(*person))
}
