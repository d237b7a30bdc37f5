//! Read transactions: a snapshot of the whole store, and handles restricted to one tenant, or to one member's personal
//! data within it. A handle cannot reach any other data.

use std::{
    ops::{Bound, ControlFlow},
    sync::Arc,
};

use redb::{ReadOnlyTable, ReadableTableMetadata as _};

use super::{
    changes::Change,
    codec::{PersonalRecord, Record, RecordId, Stored, TenantRecord, open, personal_counter},
    derived::{lookup_rows, recount_readable},
    keys::{self, Space, counter_key},
    quarantine::{Damage, Fault, Quarantine},
    rows::{kept_meta, ledger_ends, read_counter, unseal, unseal_record, unseal_value},
    scan::{Page, Scan},
    view::{Keys, OnGap, OnRow, View, catch_panic},
    walk::TableView,
};
use crate::kernel::{Error, Id, MemberId, Result, TenantId};

/// Most change feed entries examined for one answer; the answer may be incomplete after that.
const MAX_SEEN: usize = 20_000;
/// Most changes that people read about that are examined for one answer.
const MAX_NEWS: usize = 500;

/// A consistent snapshot of the store. Later writes are not visible in it.
pub struct Snapshot {
    pub(super) rows: Arc<ReadOnlyTable<&'static [u8], &'static [u8]>>,
    pub(super) quarantine: Arc<Quarantine>,
}

impl Snapshot {
    fn view(&self) -> TableView<'_, &ReadOnlyTable<&'static [u8], &'static [u8]>> {
        TableView { table: &self.rows, quarantine: &self.quarantine }
    }
}

impl View for Snapshot {
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>> {
        self.view().get(key)
    }
    fn visit(&self, key: &[u8], visit: &mut dyn FnMut(&[u8])) -> Result<bool> {
        self.view().visit(key, visit)
    }
    fn walk(&self, keys: Keys, reverse: bool, visit: &mut OnRow<'_>, gap: &mut OnGap<'_>) -> Result<()> {
        self.view().walk(keys, reverse, visit, gap)
    }
    fn quarantine(&self) -> &Quarantine {
        &self.quarantine
    }
}

impl Snapshot {
    /// Returns the number of rows: records and the store's own rows. `None` when damage prevents counting.
    pub fn row_count(&self) -> Option<u64> {
        catch_panic(|| self.rows.len().ok()).flatten()
    }

    /// Returns a handle on one tenant's data, as read by member `me`.
    pub fn tenant(&self, tenant: TenantId, me: Option<MemberId>) -> TenantRead<'_> {
        TenantRead { view: self, tenant, me }
    }

    /// Reads one tenant's data, and returns how many rows that read.
    #[cfg(test)]
    pub fn counting_rows<T>(&self, tenant: TenantId, read: impl FnOnce(&TenantRead<'_>) -> T) -> (T, u64) {
        let view = super::cost::CountedView::new(self);
        let result = read(&TenantRead { view: &view, tenant, me: None });
        (result, view.rows_read())
    }

    /// Returns tenant and id of the records with this value in a global index.
    pub fn global<R: Record>(&self, lookup: u16, value: impl AsRef<[u8]>) -> Result<Vec<(TenantId, RecordId<R>)>> {
        self.global_under::<R>(&keys::lookup(Space::SYSTEM, lookup, None, value.as_ref()))
    }

    /// Returns tenant and id of all records in a global index, ordered by value.
    pub fn global_all<R: Record>(&self, lookup: u16) -> Result<Vec<(TenantId, RecordId<R>)>> {
        self.global_under::<R>(&keys::table(Space::SYSTEM, lookup))
    }

    /// Returns tenant and id of the first `limit` records in a global index, ordered by value.
    pub fn global_first<R: Record>(&self, lookup: u16, limit: usize) -> Result<Vec<(TenantId, RecordId<R>)>> {
        self.global_up_to::<R>(&keys::table(Space::SYSTEM, lookup), limit)
    }

    fn global_under<R: Record>(&self, prefix: &[u8]) -> Result<Vec<(TenantId, RecordId<R>)>> {
        self.global_up_to::<R>(prefix, usize::MAX)
    }

    /// Whether a damaged row was found in a global index. The index does not find the record of such a row.
    pub fn has_damaged_rows(&self, lookup: u16) -> bool {
        self.quarantine.list().iter().any(|damage| damage.tenant.is_none() && damage.table == lookup)
    }

    /// Returns the tenants that have a root record, intact or damaged, at most `limit`.
    /// Errors: `damaged` when pages of the store cannot be read.
    pub fn tenants<R: TenantRecord>(&self, limit: usize) -> Result<Vec<TenantId>> {
        let mut found = Vec::new();
        let mut space = Space::SYSTEM;
        while found.len() < limit
            && let Some(next) = self.next_space(space)?
        {
            space = next;
            let root = keys::record(space, R::TABLE, None, &space.0);
            if self.get(&root)?.is_some() {
                found.extend(TenantId::from_bytes(space.0));
            }
        }
        Ok(found)
    }

    /// Returns the first space with rows after the given one.
    pub(super) fn next_space(&self, space: Space) -> Result<Option<Space>> {
        let mut found = None;
        let Bound::Excluded(next) = keys::end(&space.0) else { return Ok(None) };
        self.scan_readable((Bound::Included(next), Bound::Unbounded), false, &mut |key, value| {
            // A damaged key may name a tenant that never existed, and hide the tenants before it.
            found = open(key, value).ok().and_then(|_| keys::split(key)).map(|(space, _)| space);
            Ok(if found.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
        })?;
        Ok(found)
    }

    fn global_up_to<R: Record>(&self, prefix: &[u8], limit: usize) -> Result<Vec<(TenantId, RecordId<R>)>> {
        let mut found = Vec::new();
        self.scan_readable((Bound::Included(prefix.to_vec()), keys::end(prefix)), false, &mut |key, value| {
            // Skips damaged rows (the quarantine records them), so that they do not block the rows of other records.
            if unseal(self, key, value).is_ok() {
                let tail = key.len().checked_sub(32).and_then(|at| key.get(at..));
                let pair = tail.and_then(|tail| {
                    let (tenant, id) = tail.split_at(16);
                    Some((TenantId::from_bytes(tenant.try_into().ok()?)?, Id::from_slice(id)?))
                });
                found.push(pair.ok_or_else(|| Error::internal("a global lookup without its tenant"))?);
            }
            Ok(if found.len() < limit { ControlFlow::Continue(()) } else { ControlFlow::Break(()) })
        })?;
        Ok(found)
    }

    /// Returns the changes of all tenants after a sequence number, oldest first, at most `limit`. Skips damaged entries
    /// and records them in the quarantine; otherwise a reader would stop at them forever.
    pub fn changes_after(&self, seq: u64, limit: usize) -> Result<Vec<Change>> {
        let prefix = keys::table(Space::SYSTEM, keys::LEDGER);
        let mut from = prefix.clone();
        from.extend_from_slice(&seq.to_be_bytes());
        let mut changes = Vec::new();
        self.scan_readable((Bound::Excluded(from), keys::end(&prefix)), false, &mut |key, value| {
            changes.extend(self.change_at(key, value, prefix.len())?);
            Ok(if changes.len() < limit { ControlFlow::Continue(()) } else { ControlFlow::Break(()) })
        })?;
        Ok(changes)
    }

    /// Returns the change for a row of the global order, `None` when it is damaged or its tenant was erased.
    fn change_at(&self, key: &[u8], value: &[u8], head: usize) -> Result<Option<Change>> {
        let Ok((_, tenant)) = unseal(self, key, value) else { return Ok(None) };
        if tenant == Space::SYSTEM.0 {
            return Ok(None);
        }
        let mut place = tenant.to_vec();
        place.extend_from_slice(&keys::LEDGER.to_be_bytes());
        place.extend_from_slice(key.get(head..).unwrap_or_default());
        let Some(row) = self.get(&place)? else {
            self.quarantine.note(&place, Damage::at(&place, Fault::Missing));
            return Ok(None);
        };
        Ok(unseal_value(self, &place, &row).ok())
    }

    /// Returns the last sequence number of the change feed.
    pub fn last_change(&self) -> Result<u64> {
        last_seq(self)
    }
}

/// Returns the last sequence number of the change feed. It has its own row, so that trimming never causes a number to
/// be reused.
pub(super) fn last_seq(view: &dyn View) -> Result<u64> {
    Ok(ledger_ends(view)?.0)
}

/// One tenant's data in a snapshot or a transaction. The handle cannot reach another tenant's data.
#[derive(Clone, Copy)]
pub struct TenantRead<'a> {
    pub(super) view: &'a dyn View,
    pub(super) tenant: TenantId,
    pub(super) me: Option<MemberId>,
}

/// One member's personal data within a tenant.
#[derive(Clone, Copy)]
pub struct PersonalRead<'a> {
    tx: TenantRead<'a>,
    person: MemberId,
}

impl<'a> TenantRead<'a> {
    /// The member who reads, if any.
    pub const fn me(&self) -> Option<MemberId> {
        self.me
    }

    /// The tenant whose data this is.
    pub const fn tenant(&self) -> TenantId {
        self.tenant
    }

    /// Returns the id of a record that the tenant has once: the tenant's own.
    pub fn single_id<K>(&self) -> Id<K> {
        Id::from_bytes(*self.tenant.as_bytes())
    }

    /// Returns the personal data of the member who reads.
    /// Errors: `internal` when no member reads: jobs and commands have no personal data.
    pub fn own_data(&self) -> Result<PersonalRead<'a>> {
        let person = self.me.ok_or_else(|| Error::internal("nobody's own data"))?;
        Ok(self.person(person))
    }

    /// Returns the personal data of any member, for work that the server does for them (counting unread messages,
    /// delivering).
    pub const fn person(&self, person: MemberId) -> PersonalRead<'a> {
        PersonalRead { tx: *self, person }
    }

    /// Returns the record with this id.
    /// Errors: `not_found`, also for a record of another tenant.
    pub fn get<R: TenantRecord>(&self, id: RecordId<R>) -> Result<Stored<R>> {
        self.find(id)?.ok_or_else(Error::not_found)
    }

    /// Returns the record with this id, if it exists.
    pub fn find<R: TenantRecord>(&self, id: RecordId<R>) -> Result<Option<Stored<R>>> {
        self.load(None, id)
    }

    /// The same with its size in bytes as stored.
    pub fn find_sized<R: TenantRecord>(&self, id: RecordId<R>) -> Result<Option<(Stored<R>, usize)>> {
        self.load_sized(None, id)
    }

    /// Returns the record with this id, if it exists and is intact. A damaged one is recorded in the quarantine and
    /// treated as missing. For callers that read many records.
    pub fn find_intact<R: TenantRecord>(&self, id: RecordId<R>) -> Result<Option<Stored<R>>> {
        none_if_damaged(self.find(id))
    }

    /// Returns the record with this value in a unique index.
    pub fn find_by<R: TenantRecord>(&self, lookup: u16, value: impl AsRef<[u8]>) -> Result<Option<Stored<R>>> {
        self.load_by(None, lookup, value.as_ref())
    }

    /// Returns a page of the records that `keep` accepts. A page may be short although more records follow: the cursor
    /// says whether they do.
    pub fn page<R: TenantRecord>(&self, scan: &Scan, keep: impl FnMut(&Stored<R>) -> bool) -> Result<Page<R>> {
        self.load_page(None, scan, keep)
    }

    /// Visits all records of a kind, in order of creation. Skips damaged records, records them in the quarantine and
    /// returns their number.
    pub fn each<R: TenantRecord>(&self, mut visit: impl FnMut(Stored<R>) -> Result<()>) -> Result<u64> {
        let prefix = keys::table(self.tenant.into(), R::TABLE);
        let mut damaged = 0;
        let keys = (Bound::Included(prefix.clone()), keys::end(&prefix));
        let gaps = self.view.scan_readable(keys, false, &mut |key, value| {
            match unseal_record(self.view, key, value) {
                Ok(record) => visit(record)?,
                Err(_) => damaged += 1,
            }
            Ok(ControlFlow::Continue(()))
        })?;
        Ok(damaged + gaps)
    }

    /// Visits the payloads of all records of the tenant, of all kinds and members. For finding references in them.
    /// Errors: What `visit` returns; `damaged` when a record cannot be read.
    pub fn each_payload(&self, mut visit: impl FnMut(&[u8]) -> Result<()>) -> Result<()> {
        let space = self.tenant.into();
        let bound = |table| keys::table(space, table);
        let from = Bound::Included(bound(keys::RECORDS));
        let to = Bound::Excluded(bound(keys::LOOKUPS));
        self.view.scan(from, to, false, &mut |key, value| {
            visit(unseal(self.view, key, value)?.1)?;
            Ok(ControlFlow::Continue(()))
        })
    }

    /// Returns the number of records of a kind. The store maintains it, so this costs one read.
    pub fn count<R: Record>(&self) -> Result<u64> {
        Ok(self.fingerprint::<R>()?.0)
    }

    /// Returns the number of records of a kind and the digest of all of them. It changes with every change of a record.
    pub fn fingerprint<R: Record>(&self) -> Result<(u64, u64)> {
        match kept_meta(self.view, self.tenant.into(), R::TABLE) {
            // A page that cannot be read must not make a whole list fail.
            Err(error) if error.is_damage() => recount_readable(self.view, &keys::table(self.tenant.into(), R::TABLE)),
            kept => kept,
        }
    }

    /// Counts the records with exactly this value in an index, up to `most`.
    pub fn count_with(&self, lookup: u16, value: impl AsRef<[u8]>, most: u64) -> Result<u64> {
        let prefix = keys::lookup(self.tenant.into(), lookup, None, value.as_ref());
        let mut count = 0;
        self.view.scan_readable((Bound::Included(prefix.clone()), keys::end(&prefix)), false, &mut |key, value| {
            count += u64::from(unseal(self.view, key, value).is_ok());
            Ok(if count < most { ControlFlow::Continue(()) } else { ControlFlow::Break(()) })
        })?;
        Ok(count)
    }

    /// Returns the ids of up to `most` records whose value in an index that is not unique begins with `value`, ordered by
    /// value, without reading the records.
    pub fn ids_beginning<R: TenantRecord>(
        &self,
        lookup: u16,
        value: impl AsRef<[u8]>,
        most: usize,
    ) -> Result<Vec<RecordId<R>>> {
        let prefix = keys::lookup_prefix(self.tenant.into(), lookup, None, value.as_ref());
        let mut found = Vec::new();
        self.view.scan_readable((Bound::Included(prefix.clone()), keys::end(&prefix)), false, &mut |key, value| {
            if found.len() == most {
                return Ok(ControlFlow::Break(()));
            }
            // Skips damaged rows; the quarantine records them.
            if unseal(self.view, key, value).is_ok() {
                let id = key.len().checked_sub(16).and_then(|at| Id::from_slice(&key[at..]));
                found.push(id.ok_or_else(|| Error::internal("a lookup without an id"))?);
            }
            Ok(ControlFlow::Continue(()))
        })?;
        Ok(found)
    }

    /// Returns a counter, 0 when it does not exist. A damaged counter is recorded in the quarantine and reads as 0
    /// until it is rebuilt.
    pub fn counter(&self, name: &str) -> Result<i64> {
        Ok(none_if_damaged(read_counter(self.view, &counter_key(self.tenant.into(), name)).map(Some))?.unwrap_or(0))
    }

    /// Returns all counters with names from `from` (inclusive) to `to` (exclusive), ordered by name.
    pub fn counters(&self, from: &str, to: &str) -> Result<Vec<(String, i64)>> {
        let space = self.tenant.into();
        let skip = counter_key(space, "").len();
        let mut found = Vec::new();
        let bounds = (Bound::Included(counter_key(space, from)), Bound::Excluded(counter_key(space, to)));
        self.view.scan_readable(bounds, false, &mut |key, value| {
            let name = String::from_utf8_lossy(key.get(skip..).unwrap_or_default()).into_owned();
            found.extend(unseal_value(self.view, key, value).ok().map(|figure| (name, figure)));
            Ok(ControlFlow::Continue(()))
        })?;
        Ok(found)
    }

    /// Returns all counters whose name begins with `prefix`.
    pub fn counters_under(&self, prefix: &str) -> Result<Vec<(String, i64)>> {
        self.counters(prefix, &format!("{prefix}\u{10FFFF}"))
    }

    /// Returns the tenant's changes before a sequence number that `keep` accepts, newest first, at most `limit`.
    /// Examines at most 20,000 entries.
    pub fn changes_before(&self, seq: u64, limit: usize, mut keep: impl FnMut(&Change) -> bool) -> Result<Vec<Change>> {
        let prefix = keys::table(self.tenant.into(), keys::LEDGER);
        let mut end = prefix.clone();
        end.extend_from_slice(&seq.to_be_bytes());
        let mut found = Vec::new();
        let mut seen = 0;
        self.view.scan_readable((Bound::Included(prefix), Bound::Excluded(end)), true, &mut |key, value| {
            found.extend(unseal_value::<Change>(self.view, key, value).ok().filter(&mut keep));
            seen += 1;
            Ok(if found.len() < limit && seen < MAX_SEEN { ControlFlow::Continue(()) } else { ControlFlow::Break(()) })
        })?;
        Ok(found)
    }

    /// Returns the tenant's latest changes that people read about and `keep` accepts, newest first, at most `limit`.
    /// Examines at most 500, and no change of an act that has an entry of its own, so that its cost does not depend on how
    /// many records an act changed.
    pub fn news(&self, limit: usize, mut keep: impl FnMut(&Change) -> bool) -> Result<Vec<Change>> {
        let space: Space = self.tenant.into();
        let prefix = keys::table(space, keys::NEWS);
        let mut end = keys::end(&prefix);
        let mut found = Vec::new();
        let mut seen = 0;
        while seen < MAX_NEWS && found.len() < limit {
            let mut news: Vec<Vec<u8>> = Vec::new();
            let range = (Bound::Included(prefix.clone()), end);
            self.view.scan_readable(range, true, &mut |key, _| {
                news.push(key.to_vec());
                Ok(if news.len() < limit { ControlFlow::Continue(()) } else { ControlFlow::Break(()) })
            })?;
            let Some(last) = news.last() else { break };
            seen += news.len();
            end = Bound::Excluded(last.clone());
            for key in news {
                let seq = key.get(prefix.len()..).unwrap_or_default();
                let key = [keys::table(space, keys::LEDGER).as_slice(), seq].concat();
                let row = none_if_damaged(self.view.get(&key))?;
                let change = row.and_then(|row| unseal_value::<Change>(self.view, &key, &row).ok());
                if found.len() < limit {
                    found.extend(change.filter(&mut keep));
                }
            }
        }
        Ok(found)
    }

    pub(super) fn load<R: Record>(&self, person: Option<MemberId>, id: RecordId<R>) -> Result<Option<Stored<R>>> {
        Ok(self.load_sized(person, id)?.map(|(record, _)| record))
    }

    fn load_sized<R: Record>(&self, person: Option<MemberId>, id: RecordId<R>) -> Result<Option<(Stored<R>, usize)>> {
        let key = keys::record(self.tenant.into(), R::TABLE, person, id.as_bytes());
        let mut record = None;
        self.view.visit(&key, &mut |row| {
            record = Some(unseal_record(self.view, &key, row).map(|record| (record, row.len())));
        })?;
        record.transpose()
    }

    fn load_by<R: Record>(&self, person: Option<MemberId>, lookup: u16, value: &[u8]) -> Result<Option<Stored<R>>> {
        let key = keys::lookup(self.tenant.into(), lookup, person, value);
        let Some(row) = self.view.get(&key)? else { return Ok(None) };
        match unseal(self.view, &key, &row).ok().and_then(|(_, id)| Id::from_slice(id)) {
            Some(id) => self.load(person, id),
            None => self.find_by_scanning(person, &key),
        }
    }

    /// Finds the record of a damaged index row by reading all records of the kind.
    fn find_by_scanning<R: Record>(&self, person: Option<MemberId>, lookup: &[u8]) -> Result<Option<Stored<R>>> {
        let mut prefix = keys::table(self.tenant.into(), R::TABLE);
        prefix.extend(person.iter().flat_map(|person| *person.as_bytes()));
        let mut found = None;
        self.view.scan_readable((Bound::Included(prefix.clone()), keys::end(&prefix)), false, &mut |key, value| {
            found = unseal_record::<R>(self.view, key, value)
                .ok()
                .filter(|record| lookup_rows(self.tenant, person, record).contains_key(lookup));
            Ok(if found.is_none() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) })
        })?;
        Ok(found)
    }
}

impl PersonalRead<'_> {
    /// The member whose data this is.
    pub const fn person(&self) -> MemberId {
        self.person
    }

    /// Returns a read handle on the tenant's data.
    pub const fn tenant_read(&self) -> &TenantRead<'_> {
        &self.tx
    }

    /// Returns a counter over the member's personal records, 0 when it does not exist.
    pub fn counter(&self, name: &str) -> Result<i64> {
        self.tx.counter(&personal_counter(name, self.person))
    }

    /// Returns the member's record with this id.
    /// Errors: `not_found`, also for a record of another member.
    pub fn get<R: PersonalRecord>(&self, id: RecordId<R>) -> Result<Stored<R>> {
        self.find(id)?.ok_or_else(Error::not_found)
    }

    /// Returns the member's record with this id, if it exists.
    pub fn find<R: PersonalRecord>(&self, id: RecordId<R>) -> Result<Option<Stored<R>>> {
        self.tx.load(Some(self.person), id)
    }

    /// Returns the member's record with this id, if it exists and is intact. A damaged one is recorded in the
    /// quarantine.
    pub fn find_intact<R: PersonalRecord>(&self, id: RecordId<R>) -> Result<Option<Stored<R>>> {
        none_if_damaged(self.find(id))
    }

    /// Returns the member's record with this value in a unique index.
    pub fn find_by<R: PersonalRecord>(&self, lookup: u16, value: impl AsRef<[u8]>) -> Result<Option<Stored<R>>> {
        self.tx.load_by(Some(self.person), lookup, value.as_ref())
    }

    /// Returns a page of the member's records.
    pub fn page<R: PersonalRecord>(&self, scan: &Scan, keep: impl FnMut(&Stored<R>) -> bool) -> Result<Page<R>> {
        self.tx.load_page(Some(self.person), scan, keep)
    }
}

/// Turns a `damaged` error into `None`.
fn none_if_damaged<T>(read: Result<Option<T>>) -> Result<Option<T>> {
    match read {
        Err(error) if error.is_damage() => Ok(None),
        read => read,
    }
}
