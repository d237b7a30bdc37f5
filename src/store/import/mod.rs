//! Import of a tenant archive: it is first read and verified completely, then imported in batches of a few hundred rows
//! under a new tenant id. Records keep their ids, versions and dates. Derived data is rebuilt. Entries of the change
//! feed get new sequence numbers, because those are global to the installation.

use std::{
    collections::BTreeMap,
    fs::File,
    io::{BufReader, Read, Seek as _},
};

use super::{
    archive::{Part, Parts, Title, damaged_archive, each_row, foreign_archive, newer_archive, push_row},
    bin::Binned,
    changes::Change,
    codec::{Record, Stored, TenantRecord, decode, encode, open, read_record, seal},
    derived::lookup_rows,
    errors::disk_error,
    format::FORMAT,
    keys::{self, Space},
    table::{TableInfo, person_in},
    view::View as _,
    write::TenantWrite,
};
use crate::kernel::{
    Error, Result, TenantId,
    progress::{Progress, ReadProgress},
};

/// Changes a record's payload on import, given the number of its table.
pub type PayloadEdit = dyn Fn(u16, &mut Vec<u8>) + Send + Sync;

/// A tenant archive that was verified completely.
pub struct TenantArchive {
    file: File,
    records: u64,
    files: u64,
    tables: &'static [TableInfo],
    root: (Vec<u8>, Vec<u8>),
    progress: Progress,
}

/// An archive that is being imported.
pub struct ImportReader {
    parts: Parts<ArchiveFile>,
    tenant: TenantId,
    tables: &'static [TableInfo],
}

/// The file of an archive, whose bytes are counted.
type ArchiveFile = BufReader<ReadProgress<File>>;

/// A batch of rows from an archive.
pub struct Batch {
    rows: Vec<u8>,
    tenant: TenantId,
    tables: &'static [TableInfo],
}

/// Number of records left out per kind, because another tenant here has a value that must be unique in the
/// installation.
pub type LeftOut = BTreeMap<&'static str, u64>;

fn find_exported(tables: &'static [TableInfo], table: u16) -> Result<Option<&'static TableInfo>> {
    let known = tables.iter().find(|info| info.table == table);
    let known =
        known.ok_or_else(|| newer_archive(format_args!("records of a kind that is not known here: table {table}")))?;
    Ok(Some(known).filter(|info| !info.not_exported))
}

/// Opens an archive at its beginning and returns the tenant it holds. `step` names what it is read for.
fn begin(mut file: File, progress: &Progress, step: &str) -> Result<(Parts<ArchiveFile>, TenantId)> {
    file.rewind().map_err(disk_error)?;
    let bytes = file.metadata().map(|found| found.len()).ok();
    let file = progress.read(step, file, bytes);
    let (parts, Title { format, tenant, .. }) = Parts::begin(BufReader::new(file))?;
    let tenant = tenant.ok_or_else(|| foreign_archive("it holds a whole installation"))?;
    if format != FORMAT {
        return Err(foreign_archive(
            "it is of an older format: take it in with the version that made it, and upgrade that",
        ));
    }
    Ok((parts, tenant))
}

impl TenantArchive {
    /// Reads and verifies a whole archive. Changes nothing. Calls `each_file` with the name of each file in it.
    /// Errors: `invalid` at `file` when it is not a tenant archive, is of another format, truncated or damaged; `busy`
    /// when it cannot be read; what `each_file` returns.
    pub fn verify(
        file: File,
        tables: &'static [TableInfo],
        progress: &Progress,
        mut each_file: impl FnMut(&str) -> Result<()>,
    ) -> Result<Self> {
        let (mut parts, tenant) = begin(file.try_clone().map_err(disk_error)?, progress, "Verifying the file")?;
        let mut root = None;
        let mut records = 0;
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
        let root = root.ok_or_else(|| damaged_archive("it does not hold what its tenant exists by"))?;
        Ok(Self { file, records, files, tables, root, progress: progress.clone() })
    }

    /// Returns the archive's root record, as the root record of `tenant`.
    pub fn root<R: TenantRecord>(&self, tenant: TenantId) -> Result<Stored<R>> {
        let (key, value) = &self.root;
        let (version, payload) = open(key, value)?;
        read_record(&keys::record(tenant.into(), R::TABLE, None, tenant.as_bytes()), version, payload)
    }

    /// The number of records.
    pub const fn records(&self) -> u64 {
        self.records
    }

    /// The number of files.
    pub const fn files(&self) -> u64 {
        self.files
    }

    /// Begins the import.
    pub fn begin_import(self) -> Result<ImportReader> {
        let (parts, tenant) = begin(self.file, &self.progress, "Importing the company")?;
        Ok(ImportReader { parts, tenant, tables: self.tables })
    }
}

/// The type of a row.
enum Kind {
    /// The tenant's root record.
    Root,
    Record,
    /// An entry of the change feed, or a row that is not imported.
    Other,
}

/// Verifies a row of the archive.
fn verify_row(tenant: TenantId, tables: &'static [TableInfo], key: &[u8], value: &[u8]) -> Result<Kind> {
    let damaged = |_| damaged_archive("a row is damaged");
    let (space, table) = keys::split(key).ok_or_else(|| damaged_archive("a row of no tenant"))?;
    if space != Space::from(tenant) {
        return Err(damaged_archive("a row of another tenant"));
    }
    let (version, payload) = open(key, value).map_err(damaged)?;
    if table == keys::LEDGER {
        let change: Change = decode(payload).map_err(damaged)?;
        return if change.tenant == tenant {
            Ok(Kind::Other)
        } else {
            Err(damaged_archive("an entry of another tenant"))
        };
    }
    let Some(info) = find_exported(tables, table)? else { return Ok(Kind::Other) };
    if !info.accepts_key(key) {
        return Err(damaged_archive("a record under a key of another shape"));
    }
    (info.inspect)(key, version, payload)
        .map_err(|error| newer_archive(format_args!("{}: {}", info.kind, error.detail().unwrap_or_default())))?;
    Ok(if info.is_root && key.ends_with(tenant.as_bytes()) { Kind::Root } else { Kind::Record })
}

impl ImportReader {
    /// Returns the next batch of rows, `None` at the end, without what the API would not have accepted: an archive may be
    /// anyone's. Passes name and content of files that come before it to `keep`.
    pub fn next(&mut self, keep: &mut dyn FnMut(&str, &mut dyn Read) -> Result<()>) -> Result<Option<Batch>> {
        loop {
            match self.parts.next()? {
                Part::File(head) => {
                    let mut bytes = self.parts.bytes(&head);
                    keep(&head.name, &mut bytes)?;
                    bytes.skip()?;
                }
                Part::Rows(rows) => {
                    let rows = admit_rows(&rows, self.tables)?;
                    return Ok(Some(Batch { rows, tenant: self.tenant, tables: self.tables }));
                }
                Part::End(_) => return Ok(None),
            }
        }
    }
}

/// Returns rows of an archive without what the API would not have accepted.
fn admit_rows(rows: &[u8], tables: &'static [TableInfo]) -> Result<Vec<u8>> {
    let mut admitted = Vec::with_capacity(rows.len());
    each_row(rows, |key, value| {
        let changed = admit_row(key, value, tables)?;
        push_row(&mut admitted, key, changed.as_deref().unwrap_or(value))
    })?;
    Ok(admitted)
}

/// Returns what a row becomes if it has something that the API would not have accepted.
fn admit_row(key: &[u8], value: &[u8], tables: &'static [TableInfo]) -> Result<Option<Vec<u8>>> {
    let Some((_, table)) = keys::split(key).filter(|(_, table)| *table != keys::LEDGER) else { return Ok(None) };
    let Some(info) = find_exported(tables, table)? else { return Ok(None) };
    let (version, payload) = open(key, value)?;
    let changed = if table == Binned::TABLE {
        let mut binned = read_record::<Binned>(key, version, payload)?;
        binned
            .value
            .admit_content(tables)?
            .then(|| encode(&binned))
            .transpose()?
            .map(|payload| (Binned::VERSION, payload))
    } else {
        (info.admit)(key, version, payload)?
    };
    Ok(changed.map(|(version, payload)| seal(key, version, &payload)))
}

/// Returns version and payload of a record without what the API would not have accepted; `None` if there is nothing of it.
pub(super) fn admit<R: Record>(key: &[u8], version: u8, payload: &[u8]) -> Result<Option<(u8, Vec<u8>)>> {
    let mut record = read_record::<R>(key, version, payload)?;
    record.value.admit().then(|| Ok((R::VERSION, encode(&record)?))).transpose()
}

impl TenantWrite<'_> {
    /// Stores a record unchanged, with its id, version and dates, and without an entry in the change feed.
    /// Errors: `conflict` when the id is in use or a unique value is taken.
    pub fn import<R: TenantRecord>(&self, record: &Stored<R>) -> Result<()> {
        let key = keys::record(self.tenant().into(), R::TABLE, None, record.id.as_bytes());
        self.adopt(key, R::VERSION, &encode(record)?, record)
    }

    /// Imports rows, except the tenant's root record, which controls access to the tenant and which the caller writes.
    /// Errors: `invalid` at `file` when the rows contradict each other.
    pub fn import_rows(&self, batch: &Batch, edit: &PayloadEdit) -> Result<LeftOut> {
        let mut left_out = LeftOut::new();
        each_row(&batch.rows, |key, value| {
            let (_, table) = keys::split(key).ok_or_else(|| damaged_archive("a row of no tenant"))?;
            let (version, payload) = open(key, value)?;
            if table == keys::LEDGER {
                return self.import_change(decode(payload)?, batch.tenant);
            }
            let Some(info) = find_exported(batch.tables, table)? else { return Ok(()) };
            let own = *self.tenant().as_bytes();
            let old = batch.tenant.as_bytes();
            let mut new = [own.as_slice(), key.get(16..).unwrap_or_default()].concat();
            if key.len() > keys::HEAD_BYTES && key.ends_with(old) {
                if info.is_root {
                    return Ok(());
                }
                // A record under the tenant's id moves to the new tenant id.
                new.truncate(key.len() - old.len());
                new.extend_from_slice(&own);
            }
            let mut payload = payload.to_vec();
            edit(table, &mut payload);
            if !(info.adopt)(self, new, version, &payload)? {
                *left_out.entry(info.kind).or_default() += 1;
            }
            Ok(())
        })?;
        Ok(left_out)
    }

    /// Adds an imported entry to the end of the change feed. It is not announced: it is old, and subscribers would have
    /// to hold the whole import in memory.
    fn import_change(&self, mut change: Change, from: TenantId) -> Result<()> {
        if change.id == *from.as_bytes() {
            change.id = *self.tenant().as_bytes();
        }
        (change.tenant, change.seq) = (self.tenant(), self.staged.next_seq());
        self.staged.attempt(|| self.staged.note_quietly(&change))
    }

    fn adopt<R: Record>(&self, key: Vec<u8>, version: u8, payload: &[u8], record: &Stored<R>) -> Result<()> {
        if self.staged.rows.get(&key)?.is_some() {
            return Err(Error::new(crate::kernel::Code::Conflict));
        }
        let person = person_in(&key);
        let lookups = self.lookup_changes(person, None, Some(record))?;
        let sealed = seal(&key, version, payload);
        self.staged.attempt(|| {
            self.keep_lookups(lookups);
            self.keep_counters(person, None, Some(record))?;
            self.keep_meta(R::TABLE, &key, Some(&sealed))?;
            self.staged.set(key, Some(sealed));
            Ok(())
        })
    }
}

/// Imports a record. Returns false if another tenant has a value that must be unique in the installation.
pub(super) fn adopt<R: Record>(tx: &TenantWrite<'_>, key: Vec<u8>, version: u8, payload: &[u8]) -> Result<bool> {
    let record = read_record::<R>(&key, version, payload)?;
    for (row, (lookup, _)) in &lookup_rows(tx.tenant(), person_in(&key), &record) {
        if lookup.unique.is_some() && lookup.global && tx.is_taken(row, true, &BTreeMap::new())? {
            return Ok(false);
        }
    }
    let twice = |error: Error| match error.code() {
        crate::kernel::Code::Conflict => damaged_archive("two records where there can be one"),
        _ => error,
    };
    tx.adopt(key, version, payload, &record).map_err(twice)?;
    Ok(true)
}

#[cfg(test)]
mod tests;
