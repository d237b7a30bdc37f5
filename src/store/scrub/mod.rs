//! Integrity check of the whole store: verifies every row, compares the records with their stored counts, counters and
//! indexes, and follows the change feed from its first to its last entry.

use std::{
    cell::RefCell,
    collections::{BTreeMap, BTreeSet},
    ops::{Bound, ControlFlow},
};

use super::{
    Store,
    changes::Change,
    codec::{decode, open},
    derived::row_digest,
    keys::{self, Space, counter_key, meta_key},
    quarantine::{Damage, Fault},
    read::Snapshot,
    table::TableInfo,
    view::View,
    write::activity_counter,
};
use crate::kernel::{
    Code, Error, Result, TenantId,
    progress::{Progress, Unit},
};

/// Most damaged rows listed in a report. Further ones are only counted.
const MAX_LISTED_DAMAGE: usize = 10_000;
/// Number of rows between two calls of the pace function.
const ROWS_PER_PACE_CALL: u64 = 512;

/// The result of a check.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Number of rows read.
    pub rows: u64,
    /// Bytes of keys and values read.
    pub bytes: u64,
    /// Number of intact records per kind.
    pub records: BTreeMap<&'static str, u64>,
    /// Number of tenants that have any row.
    pub tenants: u64,
    /// Tables of unknown kinds. Their checksums are verified, nothing else.
    pub unknown: BTreeSet<u16>,
    /// The damage found, at most 10,000 rows.
    pub damage: Vec<Damage>,
    /// Number of further damaged rows.
    pub more: u64,
}

impl Report {
    /// Whether no damage was found.
    pub fn is_sound(&self) -> bool {
        self.damage.is_empty()
    }

    /// The number of damaged rows, listed or not.
    pub fn damaged(&self) -> u64 {
        self.damage.len() as u64 + self.more
    }

    fn note(&mut self, damage: Damage) {
        if self.damage.len() < MAX_LISTED_DAMAGE {
            self.damage.push(damage);
        } else {
            self.more += 1;
        }
    }

    fn add(&mut self, other: Self) {
        self.rows += other.rows;
        self.bytes += other.bytes;
        self.tenants += other.tenants;
        self.more += other.more;
        self.unknown.extend(other.unknown);
        for (kind, count) in other.records {
            *self.records.entry(kind).or_default() += count;
        }
        for damage in other.damage {
            self.note(damage);
        }
    }
}

/// Called during a check with the bytes read since the last call, or 0 where the check must not be slowed. It may
/// sleep, and returns whether to continue.
pub type Pacer<'p> = dyn FnMut(u64) -> ControlFlow<()> + 'p;

impl Store {
    /// Checks the whole store in one snapshot. Meant for the command line: while it runs, pages freed by writes cannot
    /// be reused.
    pub fn check(&self, tables: &[TableInfo], pace: &mut Pacer<'_>) -> Result<Report> {
        self.snapshot()?.check(tables, pace)
    }

    /// Checks the whole store in one snapshot, and counts the rows.
    pub fn check_with_progress(&self, tables: &[TableInfo], progress: &Progress) -> Result<Report> {
        let snapshot = self.snapshot()?;
        progress.start("Verifying records", Unit::Items, snapshot.row_count());
        snapshot.check(tables, &mut |_| {
            progress.add(ROWS_PER_PACE_CALL);
            ControlFlow::Continue(())
        })
    }

    /// Checks the store tenant by tenant, each in its own snapshot, so that it may run for hours beside other work.
    /// Damaged rows also appear in [`Store::damaged`].
    pub fn scrub(&self, tables: &[TableInfo], pace: &mut Pacer<'_>) -> Result<Report> {
        let mut report = Report::default();
        let mut space = Some(Space::SYSTEM);
        while let Some(current) = space {
            let snapshot = self.snapshot()?;
            // Within a tenant the pace may stop the check but not slow it.
            let part = StoreCheck::new(&snapshot, tables, Some(current)).run(&mut |_| pace(0))?;
            space = snapshot.next_space(current)?;
            // Released before the wait, because a snapshot keeps old pages from being reused.
            drop(snapshot);
            let bytes = part.bytes;
            report.add(part);
            if pace(bytes).is_break() {
                return Err(check_stopped());
            }
        }
        Ok(report)
    }
}

impl Snapshot {
    /// Checks the whole snapshot.
    pub fn check(&self, tables: &[TableInfo], pace: &mut Pacer<'_>) -> Result<Report> {
        StoreCheck::new(self, tables, None).run(pace)
    }
}

fn check_stopped() -> Error {
    Error::new(Code::Busy).with_detail("the check was stopped")
}

/// Count and order-independent digest of a table's rows.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
struct Sum {
    count: u64,
    digest: u64,
}

impl Sum {
    fn add(&mut self, digest: u64) {
        self.count = self.count.wrapping_add(1);
        self.digest = self.digest.wrapping_add(digest);
    }
}

/// One table of one space.
type Section = (Space, u16);

struct StoreCheck<'s> {
    snapshot: &'s Snapshot,
    tables: BTreeMap<u16, &'s TableInfo>,
    only: Option<Space>,
    report: Report,
    unpaced: (u64, u64),
    /// Sums of the rows read, per table.
    found: BTreeMap<Section, Sum>,
    /// Sums of the index rows that the records require.
    expected: BTreeMap<Section, Sum>,
    /// Stored counts and digests.
    kept: BTreeMap<Section, Sum>,
    /// Stored counters minus what the records add to them. They are 0 where both agree.
    counters: BTreeMap<(Space, String), i64>,
    /// Tables with reported damage, which explains differing sums.
    damaged: BTreeSet<Section>,
    /// Parts of records that are gone, with the table of that record.
    orphans: Vec<(Section, Damage)>,
    /// Keys of damaged records. Rows that refer to them are not damage of their own.
    lost: BTreeSet<Vec<u8>>,
    /// Sums of each tenant's change feed entries: from the global order, and from the tenant's own rows.
    ledgers: BTreeMap<Space, (Sum, Sum)>,
    last_seq: Option<u64>,
    first_seq: u64,
    roots: BTreeSet<Space>,
    /// Tenants that are being erased or imported. Their data may be incomplete.
    incomplete: BTreeSet<Space>,
}

impl<'s> StoreCheck<'s> {
    fn new(snapshot: &'s Snapshot, tables: &'s [TableInfo], only: Option<Space>) -> Self {
        Self {
            snapshot,
            tables: tables.iter().map(|info| (info.table, info)).collect(),
            only,
            report: Report::default(),
            unpaced: (0, 0),
            found: BTreeMap::new(),
            expected: BTreeMap::new(),
            kept: BTreeMap::new(),
            counters: BTreeMap::new(),
            damaged: BTreeSet::new(),
            orphans: Vec::new(),
            lost: BTreeSet::new(),
            ledgers: BTreeMap::new(),
            last_seq: None,
            first_seq: 0,
            roots: BTreeSet::new(),
            incomplete: BTreeSet::new(),
        }
    }

    fn run(mut self, pace: &mut Pacer<'_>) -> Result<Report> {
        let keys = match self.only {
            Some(space) => (Bound::Included(space.0.to_vec()), keys::end(&space.0)),
            None => (Bound::Unbounded, Bound::Unbounded),
        };
        let snapshot = self.snapshot;
        let gaps = RefCell::<Vec<Vec<u8>>>::default();
        let visit = &mut |key: &[u8], value: &[u8]| {
            let next = keys::split(key);
            for place in gaps.take() {
                self.note_gap(&place, next);
            }
            self.row(key, value);
            self.count_and_pace(key.len() + value.len(), pace)
        };
        snapshot.walk(keys, false, visit, &mut |place| {
            gaps.borrow_mut().push(place.to_vec());
            Ok(())
        })?;
        for place in gaps.take() {
            self.note_gap(&place, None);
        }
        self.finish();
        let incomplete = &self.incomplete;
        let counts = |tenant: TenantId| !incomplete.contains(&Space::from(tenant));
        self.report.damage.retain(|damage| damage.tenant.is_none_or(counts));
        for damage in &self.report.damage {
            tracing::error!(%damage, "the check found damage");
        }
        Ok(self.report)
    }

    fn count_and_pace(&mut self, bytes: usize, pace: &mut Pacer<'_>) -> Result<ControlFlow<()>> {
        self.unpaced = (self.unpaced.0 + 1, self.unpaced.1 + bytes as u64);
        if self.unpaced.0 < ROWS_PER_PACE_CALL {
            return Ok(ControlFlow::Continue(()));
        }
        let (_, bytes) = std::mem::take(&mut self.unpaced);
        if pace(bytes).is_break() { Err(check_stopped()) } else { Ok(ControlFlow::Continue(())) }
    }

    /// Reports an unreadable range. Its rows belong to the table before it or to the one after it.
    fn note_gap(&mut self, place: &[u8], next: Option<Section>) {
        let begin = keys::split(place).or(self.only.map(|space| (space, keys::META)));
        let section = begin.or(next).unwrap_or((Space::SYSTEM, 0));
        let key = keys::table(section.0, section.1);
        let mut damage = Damage::at(&key, Fault::Unreadable);
        if let Some(info) = self.tables.get(&section.1) {
            info.kind.clone_into(&mut damage.kind);
        }
        self.damaged.extend([Some(section), next].into_iter().flatten());
        self.report.note(damage);
    }

    fn report_damage(&mut self, section: Section, damage: Damage) {
        self.damaged.insert(section);
        self.report.note(damage);
    }

    fn row(&mut self, key: &[u8], value: &[u8]) {
        self.report.rows += 1;
        self.report.bytes += (key.len() + value.len()) as u64;
        let Some(section) = keys::split(key) else {
            self.report.note(Damage::at(key, Fault::Stray));
            return;
        };
        let info = self.tables.get(&section.1).copied().filter(|_| section.0 != Space::SYSTEM);
        let Ok((version, payload)) = open(key, value) else {
            let damage = match info {
                Some(info) => {
                    self.lost.insert(key.to_vec());
                    Damage::of_record(key, info.kind, Fault::Damaged)
                }
                None => Damage::at(key, Fault::Damaged),
            };
            if self.only.is_some() {
                // Only the scrub feeds the quarantine; a check on demand returns its report.
                self.snapshot.quarantine.note(key, damage.clone());
            }
            self.report_damage(section, damage);
            return;
        };
        let tail = key.get(keys::HEAD_BYTES..).unwrap_or_default();
        let understood = match section.1 {
            keys::META => self.meta(section.0, tail, payload),
            keys::COUNTERS => self.counter(section.0, tail, payload),
            keys::LEDGER => self.entry(section.0, tail, payload),
            keys::REPLIES => Some(()),
            _ => {
                self.found.entry(section).or_default().add(row_digest(key, value));
                info.map_or(Some(()), |info| self.record(section.0, info, key, version, payload))
            }
        };
        if understood.is_none() {
            let damage = info.map_or_else(
                || Damage::at(key, Fault::Damaged),
                |info| Damage::of_record(key, info.kind, Fault::Damaged),
            );
            self.lost.insert(key.to_vec());
            if self.only.is_some() {
                // Only the scrub feeds the quarantine; a check on demand returns its report.
                self.snapshot.quarantine.note(key, damage.clone());
            }
            self.report_damage(section, damage);
        }
    }

    fn meta(&mut self, space: Space, tail: &[u8], payload: &[u8]) -> Option<()> {
        let table = u16::from_be_bytes(tail.try_into().ok()?);
        if table == keys::META {
            return decode::<u32>(payload).ok().map(drop);
        }
        let (count, digest): (u64, u64) = decode(payload).ok()?;
        self.kept.insert((space, table), Sum { count, digest });
        Some(())
    }

    fn counter(&mut self, space: Space, tail: &[u8], payload: &[u8]) -> Option<()> {
        let name = String::from_utf8(tail.to_vec()).ok()?;
        let value: i64 = decode(payload).ok()?;
        *self.counters.entry((space, name)).or_default() += value;
        Some(())
    }

    fn entry(&mut self, space: Space, tail: &[u8], payload: &[u8]) -> Option<()> {
        let seq = u64::from_be_bytes(tail.try_into().ok()?);
        let digest = row_digest(tail, &[]);
        if space == Space::SYSTEM {
            // Entries of erased tenants have no tenant.
            if payload != Space::SYSTEM.0 {
                let tenant = Space::from(TenantId::from_bytes(payload.try_into().ok()?)?);
                self.ledgers.entry(tenant).or_default().0.add(digest);
            }
            match self.last_seq.replace(seq) {
                Some(last) => self.report_gap(last, seq),
                None => self.first_seq = seq,
            }
        } else {
            let change: Change = decode(payload).ok()?;
            if change.seq != seq || Space::from(change.tenant) != space {
                return None;
            }
            self.ledgers.entry(space).or_default().1.add(digest);
            if change.is_counted() {
                *self.counters.entry((space, activity_counter(change.at))).or_default() -= 1;
            }
        }
        Some(())
    }

    /// Reports the missing entries between two sequence numbers, at most a hundred.
    fn report_gap(&mut self, last: u64, seq: u64) {
        for missing in last.saturating_add(1)..seq.min(last.saturating_add(100)) {
            let mut key = keys::table(Space::SYSTEM, keys::LEDGER);
            key.extend_from_slice(&missing.to_be_bytes());
            if !self.damaged.contains(&(Space::SYSTEM, keys::LEDGER)) {
                self.report.note(Damage::at(&key, Fault::Missing));
            }
        }
    }

    fn record(&mut self, space: Space, info: &TableInfo, key: &[u8], version: u8, payload: &[u8]) -> Option<()> {
        if !info.accepts_key(key) {
            return None;
        }
        let inspected = (info.inspect)(key, version, payload).ok()?;
        for (row, value) in &inspected.lookups {
            self.expected.entry(keys::split(row)?).or_default().add(row_digest(row, value));
        }
        for (name, amount) in &inspected.counters {
            *self.counters.entry((space, name.clone())).or_default() -= amount;
        }
        *self.report.records.entry(info.kind).or_default() += 1;
        let part_of =
            inspected.part_of.as_ref().and_then(|(kind, _)| self.tables.values().find(|info| info.kind == kind));
        if let Some(whole) = part_of
            && self.orphans.len() < MAX_LISTED_DAMAGE
            && inspected.is_orphaned(self.snapshot, &self.tables.values().copied().collect::<Vec<_>>(), space)
        {
            self.orphans.push(((space, whole.table), Damage::of_record(key, info.kind, Fault::Orphaned)));
        }
        if info.is_root && key.ends_with(&space.0) {
            self.roots.insert(space);
            if inspected.is_incomplete {
                self.incomplete.insert(space);
            }
        }
        Some(())
    }
}

mod compare;

#[cfg(test)]
mod tests;
