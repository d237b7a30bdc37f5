//! One tenant's archive into a store: first read to its end and verified, then taken in a few hundred rows at a
//! time under an id of its own. Records keep their ids, versions and dates. What follows from them is made anew,
//! and the entries of the ledger get new places, because places are the installation's.

use std::{
    collections::BTreeMap,
    fs::File,
    io::{BufReader, Read, Seek as _},
};

use super::{
    archive::{Part, Parts, Title, each_row, foreign, newer, not_whole},
    changes::Change,
    codec::{Record, Stored, TenantRecord, decode, encode, open, read_record, seal},
    derived::lookup_rows,
    keys::{self, Space},
    migrate::FORMAT,
    table::{TableInfo, person_in},
    view::{View as _, storage},
    write::{TenantWrite, activity},
};
use crate::kernel::{Error, Result, TenantId};

/// What is done to a record's bytes on its way in, by the number of its table.
pub type Alter = dyn Fn(u16, &mut Vec<u8>) + Send + Sync;

/// The archive of a tenant that was read to its end, and is whole.
pub struct TenantArchive {
    file: File,
    records: u64,
    files: u64,
    tables: &'static [TableInfo],
    root: (Vec<u8>, Vec<u8>),
}

/// An archive that is being taken in.
pub struct Intake {
    parts: Parts<BufReader<File>>,
    tenant: TenantId,
    tables: &'static [TableInfo],
}

/// Some rows of an archive.
pub struct Batch {
    rows: Vec<u8>,
    tenant: TenantId,
    tables: &'static [TableInfo],
}

/// How many records of which kinds were left out, because what is unique on an installation is another's here.
pub type LeftOut = BTreeMap<&'static str, u64>;

fn travelling(tables: &'static [TableInfo], table: u16) -> Result<Option<&'static TableInfo>> {
    let known = tables.iter().find(|info| info.table == table);
    let known = known.ok_or_else(|| newer(format_args!("records of a kind that is not known here: table {table}")))?;
    Ok(Some(known).filter(|info| !info.stays))
}

/// A file opened from its beginning, and the tenant that it is of.
fn begin(mut file: File) -> Result<(Parts<BufReader<File>>, TenantId)> {
    file.rewind().map_err(storage)?;
    let (parts, Title { format, tenant, .. }) = Parts::begin(BufReader::new(file))?;
    let tenant = tenant.ok_or_else(|| foreign("it holds a whole installation"))?;
    if format != FORMAT {
        return Err(foreign("it is of an older format: take it in with the version that made it, and upgrade that"));
    }
    Ok((parts, tenant))
}

impl TenantArchive {
    /// Reads a file to its end. Nothing is changed by that. `each_file` hears the name of every file in it.
    ///
    /// # Errors
    /// `invalid` at `file` when it is no archive of a tenant, of a newer version, cut short or damaged; `busy`
    /// when it cannot be read; what `each_file` returns.
    pub fn verify(
        file: File,
        tables: &'static [TableInfo],
        mut each_file: impl FnMut(&str) -> Result<()>,
    ) -> Result<Self> {
        let (mut parts, tenant) = begin(file.try_clone().map_err(storage)?)?;
        let (mut root, mut records) = (None, 0);
        let files = loop {
            match parts.next()? {
                Part::File(head) => {
                    parts.bytes(&head).skip()?;
                    each_file(&head.name)?;
                }
                Part::Rows(rows) => each_row(&rows, |key, value| {
                    match verify_row(tenant, tables, key, value)? {
                        Kind::Root => root = Some((key.to_vec(), value.to_vec())),
                        Kind::Record => {}
                        Kind::Other => return Ok(()),
                    }
                    records += 1;
                    Ok(())
                })?,
                Part::End(trailer) => break trailer.files,
            }
        };
        let root = root.ok_or_else(|| not_whole("it does not hold what its tenant exists by"))?;
        Ok(Self { file, records, files, tables, root })
    }

    /// The record by which the tenant existed where it comes from, as one of `tenant`.
    ///
    /// # Errors
    /// `internal` when it is of another kind.
    pub fn root<R: TenantRecord>(&self, tenant: TenantId) -> Result<Stored<R>> {
        let (key, value) = &self.root;
        let (version, payload) = open(key, value)?;
        read_record(&keys::record(tenant.into(), R::TABLE, None, tenant.as_bytes()), version, payload)
    }

    /// How many records are in it.
    #[must_use]
    pub const fn records(&self) -> u64 {
        self.records
    }

    /// How many files are in it.
    #[must_use]
    pub const fn files(&self) -> u64 {
        self.files
    }

    /// Begins to take it in.
    ///
    /// # Errors
    /// As [`TenantArchive::verify`], when the file is another now.
    pub fn take_in(self) -> Result<Intake> {
        let (parts, tenant) = begin(self.file)?;
        Ok(Intake { parts, tenant, tables: self.tables })
    }
}

/// What a row is.
enum Kind {
    /// The record by which the tenant exists.
    Root,
    Record,
    /// An entry of the ledger, or what is not taken in.
    Other,
}

/// Holds a row to what it must be.
fn verify_row(tenant: TenantId, tables: &'static [TableInfo], key: &[u8], value: &[u8]) -> Result<Kind> {
    let damaged = |_| not_whole("a row is damaged");
    let (space, table) = keys::split(key).ok_or_else(|| not_whole("a row of nobody"))?;
    if space != Space::from(tenant) {
        return Err(not_whole("a row of somebody else"));
    }
    let (version, payload) = open(key, value).map_err(damaged)?;
    if table == keys::LEDGER {
        let change: Change = decode(payload).map_err(damaged)?;
        return if change.tenant == tenant { Ok(Kind::Other) } else { Err(not_whole("an entry of somebody else")) };
    }
    let Some(info) = travelling(tables, table)? else { return Ok(Kind::Other) };
    if !info.fits(key) {
        return Err(not_whole("a record under a key of another shape"));
    }
    (info.inspect)(key, version, payload)
        .map_err(|error| newer(format_args!("{}: {}", info.kind, error.detail().unwrap_or_default())))?;
    Ok(if info.is_root && key.ends_with(tenant.as_bytes()) { Kind::Root } else { Kind::Record })
}

impl Intake {
    /// The next rows; none at the end. Files that come before them go to `keep`, name and bytes.
    ///
    /// # Errors
    /// As [`TenantArchive::verify`], and what `keep` returns.
    pub fn next(&mut self, keep: &mut dyn FnMut(&str, &mut dyn Read) -> Result<()>) -> Result<Option<Batch>> {
        loop {
            match self.parts.next()? {
                Part::File(head) => {
                    let mut bytes = self.parts.bytes(&head);
                    keep(&head.name, &mut bytes)?;
                    bytes.skip()?;
                }
                Part::Rows(rows) => return Ok(Some(Batch { rows, tenant: self.tenant, tables: self.tables })),
                Part::End(_) => return Ok(None),
            }
        }
    }
}

impl TenantWrite<'_> {
    /// Keeps a record as it was elsewhere: under its id, with its version and its dates, and without a word in
    /// the ledger.
    ///
    /// # Errors
    /// `conflict` when there is one already, or a unique value is taken.
    pub fn import<R: TenantRecord>(&self, record: &Stored<R>) -> Result<()> {
        let key = keys::record(self.tenant().into(), R::TABLE, None, record.id.as_bytes());
        self.adopt(key, R::VERSION, &encode(record)?, record)
    }

    /// Takes rows of an archive in, all but the record by which the tenant exists: that one decides who may come
    /// in, and is its keeper's matter.
    ///
    /// # Errors
    /// `invalid` at `file` when the rows contradict each other; `busy` when they cannot be kept.
    pub fn import_rows(&self, batch: &Batch, alter: &Alter) -> Result<LeftOut> {
        let mut left_out = LeftOut::new();
        each_row(&batch.rows, |key, value| {
            let (_, table) = keys::split(key).ok_or_else(|| not_whole("a row of nobody"))?;
            let (version, payload) = open(key, value)?;
            if table == keys::LEDGER {
                return self.import_change(decode(payload)?, batch.tenant);
            }
            let Some(info) = travelling(batch.tables, table)? else { return Ok(()) };
            let (own, old) = (*self.tenant().as_bytes(), batch.tenant.as_bytes());
            let mut new = [own.as_slice(), key.get(16..).unwrap_or_default()].concat();
            if key.len() > keys::HEAD && key.ends_with(old) {
                if info.is_root {
                    return Ok(());
                }
                // What lies under the tenant's own id goes on lying there.
                new.truncate(key.len() - old.len());
                new.extend_from_slice(&own);
            }
            let mut payload = payload.to_vec();
            alter(table, &mut payload);
            if !(info.adopt)(self, new, version, &payload)? {
                *left_out.entry(info.kind).or_default() += 1;
            }
            Ok(())
        })?;
        Ok(left_out)
    }

    /// Notes what happened elsewhere, after all that happened here. It is no news, and those who listen would hold
    /// all of it in memory.
    fn import_change(&self, mut change: Change, from: TenantId) -> Result<()> {
        if change.id == *from.as_bytes() {
            change.id = *self.tenant().as_bytes();
        }
        (change.tenant, change.seq) = (self.tenant(), self.staged.next_seq());
        self.staged.whole(|| {
            if change.person.is_none() {
                self.staged.count(super::read::counter_key(self.tenant().into(), &activity(change.at)), 1)?;
            }
            self.staged.note_quietly(&change)
        })
    }

    fn adopt<R: Record>(&self, key: Vec<u8>, version: u8, payload: &[u8], record: &Stored<R>) -> Result<()> {
        if self.staged.rows.get(&key)?.is_some() {
            return Err(Error::new(crate::kernel::Code::Conflict));
        }
        let person = person_in(&key);
        let lookups = self.lookup_changes(person, None, Some(record))?;
        let sealed = seal(&key, version, payload);
        self.staged.whole(|| {
            self.keep_lookups(lookups);
            self.keep_counters(person, None, Some(record))?;
            self.keep_meta(R::TABLE, &key, Some(&sealed))?;
            self.staged.set(key, Some(sealed));
            Ok(())
        })
    }
}

/// Takes a record in as it was elsewhere. False when what is unique on the installation is another's already.
pub(super) fn adopt<R: Record>(tx: &TenantWrite<'_>, key: Vec<u8>, version: u8, payload: &[u8]) -> Result<bool> {
    let record = read_record::<R>(&key, version, payload)?;
    for (row, (lookup, _)) in &lookup_rows(tx.tenant(), person_in(&key), &record) {
        if lookup.unique.is_some() && lookup.global && tx.taken(row, true, &BTreeMap::new())? {
            return Ok(false);
        }
    }
    let twice = |error: Error| match error.code() {
        crate::kernel::Code::Conflict => not_whole("two records where there can be one"),
        _ => error,
    };
    tx.adopt(key, version, payload, &record).map_err(twice)?;
    Ok(true)
}

#[cfg(test)]
mod tests;
