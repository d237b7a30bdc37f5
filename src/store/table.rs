//! Descriptions of the record kinds for checks and exports that do not know the Rust types: the table, and functions
//! that decode a record and derive its indexes and counters.

use super::{
    codec::{PersonalRecord, Record, TenantRecord, read_record},
    derived::{counters_of, lookup_rows},
    import, keys,
    page::Scan,
    repair,
    write::{PersonalWrite, TenantWrite},
};
use crate::kernel::{Error, Id, MemberId, Result, TenantId};

/// Decodes a record from its key, schema version and payload.
type Reading<T> = fn(&[u8], u8, &[u8]) -> Result<T>;

/// Restores a copy of a record (version and payload) under a key.
type PutBack = fn(&TenantWrite<'_>, &[u8], u8, &[u8]) -> Result<()>;

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
    pub stays: bool,
    /// `Record::LEDGER`.
    pub(super) in_ledger: bool,
    pub(super) inspect: Reading<Inspected>,
    /// Decodes a record and returns the payload that this version writes for it.
    #[cfg(test)]
    pub(super) rewrite: Reading<Vec<u8>>,
    /// Replaces a damaged record with a copy from a backup.
    pub(super) put_back: PutBack,
    /// Removes a damaged record.
    pub(super) give_up: fn(&TenantWrite<'_>, &[u8]) -> Result<()>,
    /// Imports a record.
    pub(super) adopt: fn(&TenantWrite<'_>, Vec<u8>, u8, &[u8]) -> Result<bool>,
    /// Removes a member's personal records of this kind; `None` for tenant records.
    pub(super) clear: Option<fn(&PersonalWrite<'_, '_>) -> Result<()>>,
}

/// The data derived from a record.
pub(super) struct Inspected {
    /// Key and value of each index row.
    pub(super) lookups: Vec<(Vec<u8>, Vec<u8>)>,
    /// The amounts it adds to counters.
    pub(super) counters: Vec<(String, i64)>,
    /// Whether it is the root record of a tenant that is being erased or imported.
    pub(super) is_passing: bool,
}

impl TableInfo {
    /// Describes a kind of tenant record.
    pub const fn of<R: TenantRecord>() -> Self {
        Self {
            table: R::TABLE,
            kind: R::KIND,
            is_root: false,
            stays: false,
            in_ledger: R::LEDGER,
            inspect: inspect::<R>,
            #[cfg(test)]
            rewrite: rewrite::<R>,
            put_back: repair::put_back::<R>,
            give_up: repair::give_up::<R>,
            adopt: import::adopt::<R>,
            clear: None,
        }
    }

    /// Describes a kind of personal record.
    pub const fn personal<R: PersonalRecord>() -> Self {
        Self {
            table: R::TABLE,
            kind: R::KIND,
            is_root: false,
            stays: false,
            in_ledger: R::LEDGER,
            inspect: inspect::<R>,
            #[cfg(test)]
            rewrite: rewrite::<R>,
            put_back: repair::put_back::<R>,
            give_up: repair::give_up::<R>,
            adopt: import::adopt::<R>,
            clear: Some(clear::<R>),
        }
    }

    /// Marks the kind of the tenants' root records.
    pub const fn root(mut self) -> Self {
        self.is_root = true;
        self
    }

    /// Leaves the records out of exports: elsewhere they would be meaningless, or be processed twice.
    pub const fn not_exported(mut self) -> Self {
        self.stays = true;
        self
    }

    /// Whether the records are personal.
    const fn is_personal(&self) -> bool {
        self.clear.is_some()
    }

    /// Whether a key has the length that this table requires.
    pub(super) const fn fits(&self, key: &[u8]) -> bool {
        key.len() == keys::HEAD + if self.is_personal() { 32 } else { 16 }
    }
}

fn clear<R: PersonalRecord>(own: &PersonalWrite<'_, '_>) -> Result<()> {
    let mut after = None;
    loop {
        let page = own.read().page::<R>(&Scan::all().limit(500).after(after), |_| true)?;
        for record in page.items {
            own.remove::<R>(record.id)?;
        }
        after = page.next;
        if after.is_none() {
            return Ok(());
        }
    }
}

/// Returns the member in the key of a personal record, `None` for a tenant record.
pub(super) fn person_in(key: &[u8]) -> Option<MemberId> {
    let (person, id) = key.get(keys::HEAD..)?.split_first_chunk::<16>()?;
    // The key of a tenant record has only the id here.
    (!id.is_empty()).then(|| Id::from_bytes(*person))
}

#[cfg(test)]
fn rewrite<R: Record>(key: &[u8], version: u8, payload: &[u8]) -> Result<Vec<u8>> {
    super::codec::encode(&read_record::<R>(key, version, payload)?)
}

fn inspect<R: Record>(key: &[u8], version: u8, payload: &[u8]) -> Result<Inspected> {
    let owner = keys::split(key).and_then(|(space, _)| TenantId::from_bytes(space.0));
    let tenant = owner.ok_or_else(|| Error::internal("a record of no tenant"))?;
    let person = person_in(key);
    let record = read_record::<R>(key, version, payload)?;
    let lookups = lookup_rows(tenant, person, &record).into_iter().map(|(row, (_, sealed))| (row, sealed)).collect();
    Ok(Inspected { lookups, counters: counters_of(person, &record), is_passing: record.value.is_passing() })
}
