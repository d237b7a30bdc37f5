//! Repair of damaged rows: records are restored from a backup or dropped, and derived data (indexes, counters, record
//! counts, the order of the change feed) is rebuilt from the records.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
    ops::{Bound, ControlFlow},
};

use xxhash_rust::xxh3::xxh3_64;

use super::{
    Actor, Op, Store, TableInfo, TenantWrite,
    changes::Change,
    codec::{Record, decode, encode, open, read_record, seal, seal_record},
    derived::recount,
    format::{FORMAT, format_row},
    keys::{self, Space, counter_key, meta_key},
    quarantine::{Damage, Fault},
    read::Snapshot,
    rows::ledger_ends,
    series::{CounterRow, FROM_CHANGES, SINCE},
    table::person_in,
    view::View,
};
use crate::kernel::{
    Result, TenantId,
    progress::{Progress, Unit},
};

/// A damaged or lost row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BrokenRow {
    key: Vec<u8>,
    table: u16,
    /// What is damaged, and the tenant it belongs to.
    pub damage: Damage,
    /// The repair that is allowed.
    pub repair: AllowedRepair,
}

impl BrokenRow {
    pub(super) fn key(&self) -> &[u8] {
        &self.key
    }
}

/// The repairs allowed for a damaged row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AllowedRepair {
    /// Rebuild: the row is derived from other rows.
    Rebuild,
    /// Restore from a backup, or drop.
    RestoreOrDrop,
    /// Drop only: an old copy could grant access again that has ended, or repeat an action.
    Drop,
    /// Restore only: without this row the whole tenant would be lost.
    Restore,
}

/// Intact copies of damaged rows, from a backup.
#[derive(Default)]
pub struct Copies(pub(super) BTreeMap<Vec<u8>, Vec<u8>>);

impl Copies {
    /// Whether there is a copy of a row.
    pub fn has(&self, broken: &BrokenRow) -> bool {
        self.0.contains_key(&broken.key)
    }
}

impl Snapshot {
    /// Returns all damaged rows and the number of unreadable ranges. Reads every row.
    pub fn broken_rows(&self, tables: &[TableInfo], progress: &Progress) -> Result<(Vec<BrokenRow>, u64)> {
        progress.start("Looking for damage", Unit::Items, self.row_count());
        let known: Vec<&TableInfo> = tables.iter().collect();
        let mut broken = Vec::new();
        let gaps = self.scan_readable((Bound::Unbounded, Bound::Unbounded), false, &mut |key, value| {
            broken.extend(examine(tables, key, value).or_else(|| examine_part(self, &known, key, value)));
            progress.add(1);
            Ok(ControlFlow::Continue(()))
        })?;
        Ok((broken, gaps))
    }
}

/// Finds the records of a backup that are lost here: the store does not have them, and the change feed has no removal.
pub(super) struct LostRecords<'s> {
    snapshot: &'s Snapshot,
    tables: &'s [TableInfo],
    removed: HashSet<(TenantId, String, [u8; 16])>,
    /// Whether a tenant has any row and is not being erased or imported. Filled on demand.
    tenants: HashMap<Space, bool>,
}

impl<'s> LostRecords<'s> {
    pub(super) fn new(snapshot: &'s Snapshot, tables: &'s [TableInfo]) -> Result<Self> {
        let mut removed = HashSet::new();
        let mut after = 0;
        loop {
            let changes = snapshot.changes_after(after, 1_000)?;
            let Some(last) = changes.last() else { break };
            after = last.seq;
            for change in changes {
                let record = (change.tenant, change.kind, change.id);
                if change.op == Op::Removed {
                    removed.insert(record);
                } else {
                    removed.remove(&record);
                }
            }
        }
        Ok(Self { snapshot, tables, removed, tenants: HashMap::new() })
    }

    /// Whether the change feed is complete after a sequence number.
    pub(super) fn is_feed_complete_since(&self, seq: u64) -> Result<bool> {
        let (_, first) = ledger_ends(self.snapshot)?;
        Ok(first <= seq.saturating_add(1))
    }

    /// Returns the record for a key of the backup if it is lost here.
    pub(super) fn find(&mut self, key: &[u8]) -> Result<Option<BrokenRow>> {
        let Some((space, table)) = keys::split(key) else { return Ok(None) };
        let info = self.tables.iter().find(|info| info.table == table && info.in_ledger && !info.not_exported);
        let (Some(info), Some(tenant)) = (info, TenantId::from_bytes(space.0)) else { return Ok(None) };
        if self.snapshot.get(key)?.is_some()
            || self.removed.contains(&(tenant, info.kind.to_owned(), id_in(key)))
            || !self.is_live_tenant(space)?
        {
            return Ok(None);
        }
        let repair =
            if info.is_root && key.ends_with(&space.0) { AllowedRepair::Restore } else { AllowedRepair::RestoreOrDrop };
        let damage = Damage::of_record(key, info.kind, Fault::Missing);
        Ok(Some(BrokenRow { key: key.to_vec(), table, damage, repair }))
    }

    fn is_live_tenant(&mut self, space: Space) -> Result<bool> {
        if let Some(is_live) = self.tenants.get(&space) {
            return Ok(*is_live);
        }
        let mut is_live = false;
        let keys = (Bound::Included(space.0.to_vec()), keys::end(&space.0));
        self.snapshot.scan_readable(keys, false, &mut |_, _| {
            is_live = true;
            Ok(ControlFlow::Break(()))
        })?;
        for info in self.tables.iter().filter(|info| info.is_root) {
            let root = keys::record(space, info.table, None, &space.0);
            let row = self.snapshot.get(&root)?;
            let read = row.and_then(|row| {
                let (version, payload) = open(&root, &row).ok()?;
                (info.inspect)(&root, version, payload).ok()
            });
            is_live &= !read.is_some_and(|root| root.is_incomplete);
        }
        self.tenants.insert(space, is_live);
        Ok(is_live)
    }
}

/// Checks a row and returns its damage, if any.
fn examine(tables: &[TableInfo], key: &[u8], value: &[u8]) -> Option<BrokenRow> {
    let Some((space, table)) = keys::split(key) else {
        let damage = Damage::at(key, Fault::Stray);
        return Some(BrokenRow { key: key.to_vec(), table: 0, damage, repair: AllowedRepair::Rebuild });
    };
    let info = tables.iter().find(|info| info.table == table && space != Space::SYSTEM);
    let tail = key.get(keys::HEAD_BYTES..).unwrap_or_default();
    let read = open(key, value).and_then(|(version, payload)| match (info, table) {
        (Some(info), _) => (info.inspect)(key, version, payload).map(|_| info.accepts_key(key)),
        (None, keys::META) if tail == keys::META.to_be_bytes() => decode::<u32>(payload).map(|_| true),
        (None, keys::META) => decode::<(u64, u64)>(payload).map(|_| true),
        (None, keys::COUNTERS) => CounterRow::read(&String::from_utf8_lossy(tail), payload).map(|_| true),
        (None, keys::LEDGER) if space == Space::SYSTEM => Ok(payload.len() == 16),
        (None, keys::LEDGER) => decode::<Change>(payload).map(|change| tail == change.seq.to_be_bytes()),
        _ => Ok(true),
    });
    if read.is_ok_and(|fits| fits) {
        return None;
    }
    let damage = match info {
        Some(info) => Damage::of_record(key, info.kind, Fault::Damaged),
        None => Damage::at(key, Fault::Damaged),
    };
    let repair = match info {
        Some(info) if info.is_root && key.ends_with(&space.0) => AllowedRepair::Restore,
        Some(info) if info.not_exported => AllowedRepair::Drop,
        Some(_) => AllowedRepair::RestoreOrDrop,
        None if table == keys::LEDGER && space != Space::SYSTEM => AllowedRepair::RestoreOrDrop,
        None if table == keys::REPLIES => AllowedRepair::Drop,
        None => AllowedRepair::Rebuild,
    };
    Some(BrokenRow { key: key.to_vec(), table, damage, repair })
}

/// Returns an intact record that is a part of one that is gone.
fn examine_part(view: &dyn View, tables: &[&TableInfo], key: &[u8], value: &[u8]) -> Option<BrokenRow> {
    let (space, table) = keys::split(key)?;
    let info = tables.iter().find(|info| info.table == table && space != Space::SYSTEM)?;
    let (version, payload) = open(key, value).ok()?;
    let inspected = (info.inspect)(key, version, payload).ok()?;
    inspected.is_orphaned(view, tables, space).then(|| {
        let damage = Damage::of_record(key, info.kind, Fault::Orphaned);
        BrokenRow { key: key.to_vec(), table, damage, repair: AllowedRepair::Drop }
    })
}

impl TenantWrite<'_> {
    /// Repairs a damaged or lost row of the tenant: restores its copy if there is one and it may be used, else removes
    /// the row if `drop` is set. Returns whether anything was done. Derived rows are left to [`Store::rebuild`].
    pub fn repair_row(&self, tables: &[TableInfo], broken: &BrokenRow, copies: &Copies, drop: bool) -> Result<bool> {
        let key = &broken.key;
        let Some(row) = self.staged.rows.get(key)? else {
            return if broken.damage.fault == Fault::Missing {
                self.restore_lost(tables, broken, copies)
            } else {
                Ok(false)
            };
        };
        // A concurrent write may have replaced the row, or its record may have been restored.
        let known: Vec<&TableInfo> = tables.iter().collect();
        if examine(tables, key, &row).or_else(|| examine_part(&self.staged.rows, &known, key, &row)).is_none() {
            return Ok(false);
        }
        if drop && !self.exists(tables)? {
            // A damaged key names a tenant that never existed.
            self.staged.set(key.clone(), None);
            return Ok(true);
        }
        let info = tables.iter().find(|info| info.table == broken.table);
        let copy = copies.0.get(key).filter(|copy| examine(tables, key, copy).is_none());
        match (broken.repair, copy) {
            (AllowedRepair::Restore | AllowedRepair::RestoreOrDrop, Some(copy)) => match info {
                Some(info) => {
                    let (version, payload) = open(key, copy)?;
                    (info.put_back)(self, key, version, payload)?;
                }
                None => self.staged.set(key.clone(), Some(copy.clone())),
            },
            (AllowedRepair::Drop | AllowedRepair::RestoreOrDrop, _) if drop => match info {
                Some(info) => (info.remove_damaged)(self, key)?,
                None => self.staged.set(key.clone(), None),
            },
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Restores a lost record, unless another record has taken one of its unique values.
    fn restore_lost(&self, tables: &[TableInfo], lost: &BrokenRow, copies: &Copies) -> Result<bool> {
        let info = tables.iter().find(|info| info.table == lost.table);
        let (Some(info), Some(copy)) = (info, copies.0.get(&lost.key)) else { return Ok(false) };
        let (version, payload) = open(&lost.key, copy)?;
        for (row, sealed) in (info.inspect)(&lost.key, version, payload)?.lookups {
            let is_of_all = keys::split(&row).is_some_and(|(space, _)| space == Space::SYSTEM);
            let is_unique = open(&row, &sealed).is_ok_and(|(_, id)| !id.is_empty());
            if is_of_all && self.is_taken(&row, true, &BTreeMap::new())? && self.staged.rows.get(&row)?.is_none() {
                return Ok(false);
            }
            if is_unique && self.staged.rows.get(&row)?.is_some_and(|other| other != sealed) {
                return Ok(false);
            }
        }
        (info.put_back)(self, &lost.key, version, payload).map(|()| true)
    }

    /// Whether the tenant's root record is there, damaged or not.
    fn exists(&self, tables: &[TableInfo]) -> Result<bool> {
        let tenant = self.tenant();
        let roots = tables.iter().filter(|info| info.is_root);
        let mut keys = roots.map(|info| keys::record(tenant.into(), info.table, None, tenant.as_bytes()));
        keys.try_fold(false, |found, key| Ok(found || self.staged.rows.get(&key)?.is_some()))
    }

    /// Returns the version after the record's last one in the change feed, and after `least`.
    fn version_after<R: Record>(&self, id: [u8; 16], least: u64) -> Result<u64> {
        let known = self.changes_before(u64::MAX, 1, |change| change.kind == R::KIND && change.id == id)?;
        Ok(known.first().map_or(0, |change| change.version).max(least) + 1)
    }

    /// Records the repair of a record in the change feed, so that search and subscribers update.
    fn note_repaired<R: Record>(&self, key: &[u8], version: u64, op: Op, title: Option<String>) -> Result<()> {
        if !R::LEDGER {
            return Ok(());
        }
        let person = person_in(key);
        let is_uncounted = title.is_none();
        self.staged.note(Change {
            seq: self.staged.next_seq(),
            tenant: self.tenant(),
            at: self.now(),
            actor: self.actor(),
            person,
            kind: R::KIND.to_owned(),
            id: id_in(key),
            version,
            op,
            fields: Vec::new(),
            title,
            part_of: None,
            also_of: Vec::new(),
            amounts: None,
            act: None,
            is_uncounted,
        })
    }
}

/// Returns the id in the key of a record.
fn id_in(key: &[u8]) -> [u8; 16] {
    key.last_chunk::<16>().copied().unwrap_or_default()
}

pub(super) fn put_back<R: Record>(tx: &TenantWrite<'_>, key: &[u8], version: u8, payload: &[u8]) -> Result<()> {
    let mut record = read_record::<R>(key, version, payload)?;
    // A client that still has the lost version must get a version conflict when it saves.
    record.version = tx.version_after::<R>(id_in(key), record.version)?;
    record.updated_at = tx.now();
    let sealed = seal_record(key, &record)?;
    tx.keep_meta(R::TABLE, key, Some(&sealed))?;
    tx.staged.set(key.to_vec(), Some(sealed));
    tx.note_repaired::<R>(key, record.version, Op::Updated, record.value.title())
}

pub(super) fn remove_damaged<R: Record>(tx: &TenantWrite<'_>, key: &[u8]) -> Result<()> {
    tx.keep_meta(R::TABLE, key, None)?;
    tx.staged.set(key.to_vec(), None);
    tx.note_repaired::<R>(key, tx.version_after::<R>(id_in(key), 0)?, Op::Removed, None)
}

impl Store {
    /// Rebuilds all derived data that disagrees with the records, one tenant per write; other writes wait for each.
    /// Returns the number of changed rows. While a record is damaged, derived rows that may belong to it stay.
    /// Errors: `busy` when the disk fails, `damaged` when pages cannot be read; what was rebuilt until then stays.
    pub async fn rebuild(&self, tables: &'static [TableInfo]) -> Result<u64> {
        let mut changed = 0;
        let mut whole = true;
        let mut global_lookups = HashSet::new();
        let mut space = Space::SYSTEM;
        let mut some = None;
        loop {
            let next = self.snapshot()?.next_space(space)?;
            let Some(next) = next else { break };
            space = next;
            let Some(tenant) = TenantId::from_bytes(space.0) else { continue };
            let work = move |tx: &TenantWrite<'_>| tx.rebuild(tables);
            let (rebuilt, _) = self.write(tenant, Actor::Operator, work).await?;
            (changed, whole) = (changed + rebuilt.changed, whole && rebuilt.whole);
            global_lookups.extend(rebuilt.global_lookups);
            some = Some(tenant);
        }
        // Rows of the installation are written through any tenant.
        let tenant = some.map_or_else(|| self.new_tenant_id(), Ok)?;
        let work = move |tx: &TenantWrite<'_>| {
            let mut changed = tx.rebuild_order()? + tx.rebuild_global_lookups(&global_lookups, whole)?;
            let (key, format) = format_row(FORMAT)?;
            tx.correct_row(&key, Some(&format), &mut changed)?;
            Ok(changed)
        };
        changed += self.write(tenant, Actor::Operator, work).await?.0;
        let repaired: Vec<Vec<u8>> = {
            let snapshot = self.snapshot()?;
            let noted = self.0.supervisor.quarantine.keys();
            let is_whole = |key: &Vec<u8>| {
                let row = snapshot.get(key).ok().flatten();
                row.is_none_or(|row| examine(tables, key, &row).is_none())
            };
            noted.into_iter().filter(is_whole).collect()
        };
        self.0.supervisor.quarantine.forget(&repaired);
        Ok(changed)
    }
}

/// The result of rebuilding one tenant.
struct Rebuilt {
    changed: u64,
    /// Whether all records are intact and of known kinds, so that an index row without a record is stray.
    whole: bool,
    /// Digests of the global index rows that point to the tenant's records.
    global_lookups: HashSet<u64>,
}

impl TenantWrite<'_> {
    /// Sets or removes a derived row if it differs.
    fn correct_row(&self, key: &[u8], value: Option<&[u8]>, changed: &mut u64) -> Result<()> {
        if self.staged.rows.get(key)?.as_deref() != value {
            self.staged.set(key.to_vec(), value.map(<[u8]>::to_vec));
            *changed += 1;
        }
        Ok(())
    }

    /// Visits all rows of the tenant from table `from` to before table `to`, or to the end.
    fn each_row(&self, from: u16, to: Option<u16>, mut visit: impl FnMut(&[u8], &[u8]) -> Result<()>) -> Result<()> {
        let space: Space = self.tenant().into();
        let end = to.map_or_else(|| keys::end(&space.0), |to| Bound::Excluded(keys::table(space, to)));
        self.staged.rows.scan(Bound::Included(keys::table(space, from)), end, false, &mut |key, value| {
            visit(key, value)?;
            Ok(ControlFlow::Continue(()))
        })
    }

    fn rebuild(&self, tables: &[TableInfo]) -> Result<Rebuilt> {
        let space: Space = self.tenant().into();
        let mut rebuilt = Rebuilt { changed: 0, whole: true, global_lookups: HashSet::new() };
        self.remove_strays(tables, &mut rebuilt)?;
        let mut wrong: Vec<(Vec<u8>, Vec<u8>)> = Vec::new();
        let mut expected = HashSet::new();
        let mut counters = BTreeMap::<String, i64>::new();
        let mut stored = BTreeSet::new();
        self.each_row(keys::RECORDS, Some(keys::LOOKUPS), |key, value| {
            let Some((_, table)) = keys::split(key) else { return Ok(()) };
            stored.insert(table);
            let info = tables.iter().find(|info| info.table == table);
            let inspected = info.and_then(|info| {
                let (version, payload) = open(key, value).ok()?;
                (info.inspect)(key, version, payload).ok()
            });
            let Some(inspected) = inspected else {
                rebuilt.whole = false;
                return Ok(());
            };
            for (row, sealed) in inspected.lookups {
                if self.staged.rows.get(&row)?.as_ref() != Some(&sealed) {
                    wrong.push((row.clone(), sealed));
                }
                let of_all = keys::split(&row).is_some_and(|(space, _)| space == Space::SYSTEM);
                let known = if of_all { &mut rebuilt.global_lookups } else { &mut expected };
                known.insert(xxh3_64(&row));
            }
            for (name, amount) in inspected.counters {
                let sum = counters.entry(name).or_default();
                *sum = sum.saturating_add(amount);
            }
            Ok(())
        })?;
        for (row, sealed) in wrong {
            self.correct_row(&row, Some(&sealed), &mut rebuilt.changed)?;
        }
        self.rebuild_lookups(&expected, &mut rebuilt)?;
        self.rebuild_ledger(&mut counters)?;
        self.rebuild_counters(counters, &mut rebuilt)?;
        self.rebuild_news(&mut rebuilt)?;
        // Includes tables that are empty now.
        let prefix = keys::table(space, keys::META);
        self.staged.rows.scan(Bound::Included(prefix.clone()), keys::end(&prefix), false, &mut |key, _| {
            let table = key.get(keys::HEAD_BYTES..).and_then(|tail| tail.try_into().ok()).map_or(0, u16::from_be_bytes);
            stored.insert(table);
            Ok(ControlFlow::Continue(()))
        })?;
        for table in stored {
            let key = meta_key(space, table);
            let sum = recount(&self.staged.rows, &keys::table(space, table))?;
            let known = tables.iter().any(|info| info.table == table);
            let sealed = (known || sum.0 > 0).then(|| encode(&sum)).transpose()?.map(|payload| seal(&key, 1, &payload));
            self.correct_row(&key, sealed.as_deref(), &mut rebuilt.changed)?;
        }
        Ok(rebuilt)
    }

    /// Removes damaged rows in tables of no kind: their keys are damaged, so nothing reads them. Intact rows of unknown
    /// kinds stay. Reads only what lies between the known tables.
    fn remove_strays(&self, tables: &[TableInfo], rebuilt: &mut Rebuilt) -> Result<()> {
        let kinds = tables.iter().map(|info| info.table).filter(|table| *table < keys::LOOKUPS);
        let known: BTreeSet<u16> = (keys::META..=keys::NEWS).chain(kinds).chain([keys::LOOKUPS]).collect();
        let mut gone = Vec::new();
        let mut from = 0;
        for table in known {
            self.each_row(from, Some(table), |key, value| {
                if open(key, value).is_err() {
                    gone.push(key.to_vec());
                }
                Ok(())
            })?;
            from = table + 1;
        }
        for key in gone {
            self.correct_row(&key, None, &mut rebuilt.changed)?;
        }
        Ok(())
    }

    /// Removes index rows that are damaged or have no record.
    fn rebuild_lookups(&self, expected: &HashSet<u64>, rebuilt: &mut Rebuilt) -> Result<()> {
        let mut gone = Vec::new();
        self.each_row(keys::LOOKUPS, None, |key, value| {
            let stray = rebuilt.whole && !expected.contains(&xxh3_64(key));
            if stray || open(key, value).is_err() {
                gone.push(key.to_vec());
            }
            Ok(())
        })?;
        for key in gone {
            self.correct_row(&key, None, &mut rebuilt.changed)?;
        }
        Ok(())
    }

    /// Adds the counters that follow from the change feed.
    fn rebuild_ledger(&self, counters: &mut BTreeMap<String, i64>) -> Result<()> {
        self.each_row(keys::LEDGER, Some(keys::LEDGER + 1), |key, value| {
            let change = open(key, value).and_then(|(_, payload)| decode::<Change>(payload));
            for (name, by) in change.map(|change| change.counters()).unwrap_or_default() {
                *counters.entry(name).or_default() += by;
            }
            Ok(())
        })
    }

    /// Corrects the list of the changes that people read about.
    fn rebuild_news(&self, rebuilt: &mut Rebuilt) -> Result<()> {
        let space: Space = self.tenant().into();
        let mut news = BTreeMap::new();
        self.each_row(keys::NEWS, Some(keys::NEWS + 1), |key, _| {
            news.insert(key.to_vec(), false);
            Ok(())
        })?;
        self.each_row(keys::LEDGER, Some(keys::LEDGER + 1), |key, value| {
            let change = open(key, value).and_then(|(_, payload)| decode::<Change>(payload));
            if let Some(change) = change.ok().filter(Change::is_news) {
                news.insert(keys::news_key(space, change.seq), true);
            }
            Ok(())
        })?;
        for (key, is_news) in news {
            let sealed = is_news.then(|| seal(&key, 1, &[]));
            self.correct_row(&key, sealed.as_deref(), &mut rebuilt.changed)?;
        }
        Ok(())
    }

    /// Corrects counters. What followed from trimmed entries of the change feed stays, unless it is damaged, and so does
    /// since when it is known.
    fn rebuild_counters(&self, counters: BTreeMap<String, i64>, rebuilt: &mut Rebuilt) -> Result<()> {
        let space: Space = self.tenant().into();
        let head = counter_key(space, "").len();
        let mut kept = BTreeMap::new();
        self.each_row(keys::COUNTERS, Some(keys::COUNTERS + 1), |key, value| {
            let name = key.get(head..).map(String::from_utf8_lossy).unwrap_or_default();
            let read = open(key, value).and_then(|(_, payload)| CounterRow::read(&name, payload)).ok();
            kept.insert(key.to_vec(), read);
            Ok(())
        })?;
        let from_changes = counter_key(space, FROM_CHANGES);
        let since = counter_key(space, SINCE);
        // An untrimmed change feed covers all changes.
        let trimmed = ledger_ends(&self.staged.rows)?.1 > 1;
        let wanted: BTreeMap<Vec<u8>, CounterRow> =
            CounterRow::rows_of(counters).into_iter().map(|(name, row)| (counter_key(space, &name), row)).collect();
        for key in kept.keys().chain(wanted.keys()).cloned().collect::<BTreeSet<_>>() {
            let before = kept.get(&key).cloned();
            let outlives_its_source = trimmed && key.starts_with(&from_changes) || key.starts_with(&since);
            let trusted = matches!(before, Some(Some(_))) && (outlives_its_source || !rebuilt.whole);
            let row = wanted.get(&key);
            if trusted || row.is_some() && before.flatten().as_ref() == row {
                continue;
            }
            let sealed = row.map(|row| row.sealed(&key)).transpose()?;
            self.correct_row(&key, sealed.as_deref(), &mut rebuilt.changed)?;
        }
        Ok(())
    }

    /// Removes global index rows that are damaged or have no record, and damaged rows under unknown keys.
    fn rebuild_global_lookups(&self, global_lookups: &HashSet<u64>, whole: bool) -> Result<u64> {
        let mut gone = Vec::new();
        let mut changed = 0;
        let (format, _) = format_row(FORMAT)?;
        let kept = [format, meta_key(Space::SYSTEM, keys::LEDGER)];
        let from = Bound::Included(Space::SYSTEM.0.to_vec());
        self.staged.rows.scan(from, keys::end(&Space::SYSTEM.0), false, &mut |key, value| {
            let is_damaged = open(key, value).is_err();
            let is_gone = match keys::split(key) {
                Some((_, table)) if table >= keys::LOOKUPS => {
                    is_damaged || whole && !global_lookups.contains(&xxh3_64(key))
                }
                // The change feed's order is rebuilt separately. Any other damaged row besides the two kept ones has a
                // key that nothing reads.
                Some((_, keys::LEDGER)) => false,
                _ => is_damaged && !kept.iter().any(|kept| kept == key),
            };
            if is_gone {
                gone.push(key.to_vec());
            }
            Ok(ControlFlow::Continue(()))
        })?;
        for key in gone {
            self.correct_row(&key, None, &mut changed)?;
        }
        Ok(changed)
    }

    /// Rebuilds the global order of the change feed, which maps each sequence number to its tenant. A lost entry is
    /// assigned to no tenant.
    fn rebuild_order(&self) -> Result<u64> {
        let prefix = keys::table(Space::SYSTEM, keys::LEDGER);
        let place = |seq: u64| [prefix.as_slice(), &seq.to_be_bytes()].concat();
        let mut owners = BTreeMap::new();
        let mut damaged = Vec::new();
        let mut changed = 0;
        self.staged.rows.scan(Bound::Included(prefix.clone()), keys::end(&prefix), false, &mut |key, value| {
            let seq = key.get(prefix.len()..).and_then(|tail| tail.try_into().ok()).map(u64::from_be_bytes);
            match (seq, open(key, value)) {
                (Some(seq), Ok((_, owner))) => drop(owners.insert(seq, owner.to_vec())),
                _ => damaged.push(key.to_vec()),
            }
            Ok(ControlFlow::Continue(()))
        })?;
        for key in damaged {
            self.correct_row(&key, None, &mut changed)?;
        }
        let ends = meta_key(Space::SYSTEM, keys::LEDGER);
        let kept = self.staged.rows.get(&ends)?;
        let kept = kept.map(|row| open(&ends, &row).and_then(|(_, payload)| decode::<(u64, u64)>(payload)));
        let (last, first) = match kept {
            Some(Ok(kept)) => kept,
            None if owners.is_empty() => return Ok(changed),
            // Damaged, or lost with its page.
            None | Some(Err(_)) => {
                let ends_of = owners.keys().last().copied().zip(owners.keys().next().copied());
                let (last, first) = ends_of.unwrap_or_default();
                let sealed = seal(&ends, 1, &encode(&(last, first))?);
                self.correct_row(&ends, Some(&sealed), &mut changed)?;
                (last, first)
            }
        };
        let spaces = self.spaces()?;
        let own = |space: &Space, seq: u64| {
            let key = [keys::table(*space, keys::LEDGER).as_slice(), &seq.to_be_bytes()].concat();
            Ok::<_, crate::kernel::Error>(self.staged.rows.get(&key)?.is_some_and(|row| open(&key, &row).is_ok()))
        };
        for seq in first.max(1)..=last {
            let known = owners.get(&seq).and_then(|owner| owner.as_slice().try_into().ok()).map(Space);
            let fits = match known {
                Some(space) => space == Space::SYSTEM || own(&space, seq)?,
                None => false,
            };
            if fits {
                continue;
            }
            let mut owner = Space::SYSTEM;
            for space in &spaces {
                if own(space, seq)? {
                    owner = *space;
                    break;
                }
            }
            let key = place(seq);
            let sealed = seal(&key, 1, &owner.0);
            self.correct_row(&key, Some(&sealed), &mut changed)?;
        }
        Ok(changed)
    }

    /// Returns all tenants that have any row.
    fn spaces(&self) -> Result<Vec<Space>> {
        let mut found = Vec::new();
        let mut from = keys::end(&Space::SYSTEM.0);
        while let Bound::Excluded(begin) = from {
            let mut next = None;
            self.staged.rows.scan(Bound::Included(begin), Bound::Unbounded, false, &mut |key, _| {
                next = keys::split(key).map(|(space, _)| space);
                Ok(ControlFlow::Break(()))
            })?;
            let Some(space) = next else { break };
            found.push(space);
            from = keys::end(&space.0);
        }
        Ok(found)
    }
}
