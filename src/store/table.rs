//! What the store's own checks know of a kind of record without knowing its type: where it lies, and which
//! lookups and figures follow from it.

use super::{
    codec::{PersonalRecord, Record, TenantRecord, read_record},
    derived::{counters_of, lookup_rows},
    import, keys,
    page::Scan,
    repair,
    write::{PersonalWrite, TenantWrite},
};
use crate::kernel::{Error, Id, MemberId, Result, TenantId};

/// Reads a record: its key, the version of its shape, and its payload.
type Reading<T> = fn(&[u8], u8, &[u8]) -> Result<T>;

/// Puts a copy of a record, its version and its payload, under a key.
type PutBack = fn(&TenantWrite<'_>, &[u8], u8, &[u8]) -> Result<()>;

/// A kind of record, for checks and exports.
#[derive(Clone, Copy)]
pub struct TableInfo {
    /// The number of its table.
    pub table: u16,
    /// `Record::KIND`.
    pub kind: &'static str,
    /// Whether a tenant exists because it has a record here under its own id.
    pub is_root: bool,
    /// Whether the records stay behind when their tenant is taken to another installation.
    pub stays: bool,
    /// `Record::LEDGER`.
    pub(super) in_ledger: bool,
    pub(super) inspect: Reading<Inspected>,
    /// The payload that this version writes for what it read.
    #[cfg(test)]
    pub(super) rewrite: Reading<Vec<u8>>,
    /// Puts a copy of a record from a backup in the place of a damaged one.
    pub(super) put_back: PutBack,
    /// Removes a damaged record.
    pub(super) give_up: fn(&TenantWrite<'_>, &[u8]) -> Result<()>,
    /// Takes a record in from another installation.
    pub(super) adopt: fn(&TenantWrite<'_>, Vec<u8>, u8, &[u8]) -> Result<bool>,
    /// Removes a person's own records of this kind; none for records that are nobody's own.
    pub(super) clear: Option<fn(&PersonalWrite<'_, '_>) -> Result<()>>,
}

/// What follows from a record.
pub(super) struct Inspected {
    /// Key and value of each lookup row.
    pub(super) lookups: Vec<(Vec<u8>, Vec<u8>)>,
    /// What it adds to figures.
    pub(super) counters: Vec<(String, i64)>,
    /// Whether the tenant that exists by it is being erased or brought in.
    pub(super) is_passing: bool,
}

impl TableInfo {
    /// For records of a tenant.
    #[must_use]
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

    /// For records of one person.
    #[must_use]
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

    /// The same, and a tenant exists because it has a record here under its own id.
    #[must_use]
    pub const fn root(mut self) -> Self {
        self.is_root = true;
        self
    }

    /// The same, and the records stay behind when their tenant is taken to another installation: they would be
    /// nothing there, or be done twice.
    #[must_use]
    pub const fn not_exported(mut self) -> Self {
        self.stays = true;
        self
    }

    /// Whether the records are one person's own.
    const fn is_personal(&self) -> bool {
        self.clear.is_some()
    }

    /// Whether a key has the length of this table's.
    pub(super) const fn fits(&self, key: &[u8]) -> bool {
        key.len() == keys::HEAD + if self.is_personal() { 32 } else { 16 }
    }
}

fn clear<R: PersonalRecord>(own: &PersonalWrite<'_, '_>) -> Result<()> {
    let mut after = None;
    loop {
        let page = own.read().page::<R>(&Scan::all().limit(500).after(after), |_| true)?;
        for record in page.items {
            own.remove(record.id)?;
        }
        after = page.next;
        if after.is_none() {
            return Ok(());
        }
    }
}

/// Whose own the record under a key is, when it is somebody's.
pub(super) fn person_in(key: &[u8]) -> Option<MemberId> {
    let (person, id) = key.get(keys::HEAD..)?.split_first_chunk::<16>()?;
    // A tenant's own record has nothing but its id here.
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
