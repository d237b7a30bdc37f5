//! The description of a record kind from its type.

use super::{
    codec::{PersonalRecord, Record, TenantRecord, read_record},
    derived::{counters_of, lookup_rows},
    import, keys, repair,
    scan::Scan,
    table::{Clear, Inspected, TableInfo, person_in},
    write::PersonalWrite,
};
use crate::kernel::{Error, Result, TenantId};

impl TableInfo {
    /// Describes a kind of tenant record.
    pub const fn of<R: TenantRecord>() -> Self {
        Self::describe::<R>(None)
    }

    /// Describes a kind of personal record.
    pub const fn personal<R: PersonalRecord>() -> Self {
        Self::describe::<R>(Some(clear::<R>))
    }

    const fn describe<R: Record>(clear: Option<Clear>) -> Self {
        Self {
            table: R::TABLE,
            kind: R::KIND,
            is_root: false,
            not_exported: false,
            in_ledger: R::LEDGER,
            inspect: inspect::<R>,
            #[cfg(test)]
            rewrite: rewrite::<R>,
            put_back: repair::put_back::<R>,
            remove_damaged: repair::remove_damaged::<R>,
            admit: import::admit::<R>,
            adopt: import::adopt::<R>,
            clear,
        }
    }
}

impl PersonalWrite<'_, '_> {
    /// Removes all personal records of the member in these tables, because the member has left.
    pub fn clear(&self, tables: &[TableInfo]) -> Result<()> {
        tables.iter().filter_map(|table| table.clear).try_for_each(|clear| clear(self))
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
    let is_incomplete = record.value.is_being_erased_or_imported();
    let part_of = record.value.part_of().filter(|_| !record.value.is_shared());
    Ok(Inspected { lookups, counters: counters_of(person, &record), part_of, is_incomplete })
}
