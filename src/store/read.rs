//! Reading: a view of the whole store at one moment, and handles on it that are narrowed to one
//! tenant, or to one person inside it, and cannot name another.

use std::{
    ops::{Bound, ControlFlow},
    sync::Arc,
};

use redb::ReadOnlyTable;
use serde::de::DeserializeOwned;

use super::{
    changes::Change,
    codec::{PersonalRecord, Record, Stored, TenantRecord, decode, open, own_figure, read_record},
    derived::{lookup_rows, recount},
    keys::{self, Space},
    page::{Page, Scan},
    quarantine::{Damage, Fault, Quarantine},
    view::{Gap, Keys, View, Visit},
    walk::TableView,
};
use crate::kernel::{Error, Id, MemberId, Result, TenantId};

/// Entries of the ledger looked at for one answer before it is given as it is.
const EXAMINE: usize = 20_000;

/// The store at one moment. Later writes do not show in it.
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
    fn walk(&self, keys: Keys, reverse: bool, visit: &mut Visit<'_>, gap: &mut Gap<'_>) -> Result<()> {
        self.view().walk(keys, reverse, visit, gap)
    }
    fn quarantine(&self) -> &Quarantine {
        &self.quarantine
    }
}

/// Notes a damaged row in the quarantine. What is said of it names it.
fn found_damaged(view: &dyn View, key: &[u8], damage: Damage, why: &Error) -> Error {
    let error = Error::damaged(format_args!("{damage}: {}", why.detail().unwrap_or_default()));
    view.quarantine().note(key, damage);
    error
}

/// Takes version and payload out of an envelope; a damaged one is noted in the quarantine.
pub(super) fn unseal<'v>(view: &dyn View, key: &[u8], bytes: &'v [u8]) -> Result<(u8, &'v [u8])> {
    open(key, bytes).map_err(|why| found_damaged(view, key, Damage::at(key, Fault::Damaged), &why))
}

/// Takes a value out of its envelope; a damaged one is noted in the quarantine.
pub(super) fn unseal_value<T: DeserializeOwned>(view: &dyn View, key: &[u8], bytes: &[u8]) -> Result<T> {
    let read = open(key, bytes).and_then(|(_, payload)| decode(payload));
    read.map_err(|why| found_damaged(view, key, Damage::at(key, Fault::Damaged), &why))
}

/// Takes a record out of its envelope; a damaged one is noted in the quarantine.
pub(super) fn unseal_record<R: Record>(view: &dyn View, key: &[u8], bytes: &[u8]) -> Result<Stored<R>> {
    let read = open(key, bytes).and_then(|(version, payload)| read_record(key, version, payload));
    read.map_err(|why| found_damaged(view, key, Damage::of_record(key, R::KIND, Fault::Damaged), &why))
}

impl Snapshot {
    /// One tenant's data, as `me` sees it.
    #[must_use]
    pub fn tenant(&self, tenant: TenantId, me: Option<MemberId>) -> TenantRead<'_> {
        TenantRead { view: self, tenant, me }
    }

    /// Which records of which tenants have a value in a global lookup.
    ///
    /// # Errors
    /// `busy` when the store cannot be read.
    pub fn global<R>(&self, lookup: u16, value: impl AsRef<[u8]>) -> Result<Vec<(TenantId, Id<R>)>> {
        self.global_under(&keys::lookup(Space::SYSTEM, lookup, None, value.as_ref()))
    }

    /// All records of all tenants that have any value in a global lookup, in the values' order.
    ///
    /// # Errors
    /// `busy` when the store cannot be read.
    pub fn global_all<R>(&self, lookup: u16) -> Result<Vec<(TenantId, Id<R>)>> {
        self.global_under(&keys::table(Space::SYSTEM, lookup))
    }

    /// The first records of all tenants in the order of a global lookup's values, at most `limit`.
    ///
    /// # Errors
    /// `busy` when the store cannot be read.
    pub fn global_first<R>(&self, lookup: u16, limit: usize) -> Result<Vec<(TenantId, Id<R>)>> {
        self.global_up_to(&keys::table(Space::SYSTEM, lookup), limit)
    }

    fn global_under<R>(&self, prefix: &[u8]) -> Result<Vec<(TenantId, Id<R>)>> {
        self.global_up_to(prefix, usize::MAX)
    }

    /// Whether a row of a global lookup was found damaged: what it led to is not found by it.
    #[must_use]
    pub fn is_hurt(&self, lookup: u16) -> bool {
        self.quarantine.list().iter().any(|damage| damage.tenant.is_none() && damage.table == lookup)
    }

    /// The tenants that there are, by the records by which they exist, damaged ones too; at most `limit`.
    ///
    /// # Errors
    /// `busy` or `damaged` when the store cannot be read.
    pub fn tenants<R: TenantRecord>(&self, limit: usize) -> Result<Vec<TenantId>> {
        let (mut found, mut space) = (Vec::new(), Space::SYSTEM);
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

    /// The first space with rows after another.
    pub(super) fn next_space(&self, space: Space) -> Result<Option<Space>> {
        let mut found = None;
        let Bound::Excluded(next) = keys::after(&space.0) else { return Ok(None) };
        self.scan_readable((Bound::Included(next), Bound::Unbounded), false, &mut |key, value| {
            // A damaged key may name a tenant that never was, and hide those before it.
            found = open(key, value).ok().and_then(|_| keys::split(key)).map(|(space, _)| space);
            Ok(if found.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
        })?;
        Ok(found)
    }

    fn global_up_to<R>(&self, prefix: &[u8], limit: usize) -> Result<Vec<(TenantId, Id<R>)>> {
        let mut found = Vec::new();
        self.scan_readable((Bound::Included(prefix.to_vec()), keys::after(prefix)), false, &mut |key, value| {
            // A damaged row is noted and passed over: it must not stand before those of others.
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

    /// The changes after a place of the ledger, of all tenants, oldest first, at most `limit`. Damaged entries are
    /// noted and passed over: who follows the ledger would stop at them for ever.
    ///
    /// # Errors
    /// `busy` when the store cannot be read.
    pub fn changes_after(&self, seq: u64, limit: usize) -> Result<Vec<Change>> {
        let prefix = keys::table(Space::SYSTEM, keys::LEDGER);
        let mut from = prefix.clone();
        from.extend_from_slice(&seq.to_be_bytes());
        let mut changes = Vec::new();
        self.scan_readable((Bound::Excluded(from), keys::after(&prefix)), false, &mut |key, value| {
            changes.extend(self.change_at(key, value, prefix.len())?);
            Ok(if changes.len() < limit { ControlFlow::Continue(()) } else { ControlFlow::Break(()) })
        })?;
        Ok(changes)
    }

    /// The change that a row of the ledger of all names; none when it is of a tenant that was erased, or damaged.
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

    /// The last place of the ledger.
    ///
    /// # Errors
    /// `busy` when the store cannot be read.
    pub fn last_change(&self) -> Result<u64> {
        last_seq(self)
    }
}

/// The last place of the ledger: kept beside it, so that trimming the ledger never makes a place come twice.
pub(super) fn last_seq(view: &dyn View) -> Result<u64> {
    Ok(ledger_ends(view)?.0)
}

/// The last and the first place of the ledger, 0 when it is empty. When the row that keeps them is damaged,
/// the ledger itself tells, as long as its last entry was not trimmed.
pub(super) fn ledger_ends(view: &dyn View) -> Result<(u64, u64)> {
    let ends = read_meta(view, &meta_key(Space::SYSTEM, keys::LEDGER));
    match ends {
        Err(error) if error.is_damage() => {}
        ends => return ends,
    }
    let prefix = keys::table(Space::SYSTEM, keys::LEDGER);
    let end = |reverse| -> Result<u64> {
        let mut seq = 0;
        view.scan_readable((Bound::Included(prefix.clone()), keys::after(&prefix)), reverse, &mut |key, value| {
            if unseal(view, key, value).is_err() {
                return Ok(ControlFlow::Continue(()));
            }
            seq = key.get(prefix.len()..).and_then(|tail| tail.try_into().ok()).map_or(0, u64::from_be_bytes);
            Ok(ControlFlow::Break(()))
        })?;
        Ok(seq)
    };
    Ok((end(true)?, end(false)?))
}

/// One tenant's data at one moment. It cannot name another tenant.
#[derive(Clone, Copy)]
pub struct TenantRead<'a> {
    pub(super) view: &'a dyn View,
    pub(super) tenant: TenantId,
    pub(super) me: Option<MemberId>,
}

/// One person's own data within a tenant.
#[derive(Clone, Copy)]
pub struct PersonalRead<'a> {
    tx: TenantRead<'a>,
    person: MemberId,
}

impl<'a> TenantRead<'a> {
    /// Who looks, when it is a member.
    #[must_use]
    pub const fn me(&self) -> Option<MemberId> {
        self.me
    }

    /// Whose data it is.
    #[must_use]
    pub const fn tenant(&self) -> TenantId {
        self.tenant
    }

    /// The looking member's own data.
    ///
    /// # Errors
    /// `internal` when nobody looks: jobs and commands have no own data.
    pub fn own(&self) -> Result<PersonalRead<'a>> {
        let person = self.me.ok_or_else(|| Error::internal("nobody's own data"))?;
        Ok(self.person(person))
    }

    /// A colleague's own data: for what the house itself does for a person (counting unread, delivering).
    #[must_use]
    pub const fn person(&self, person: MemberId) -> PersonalRead<'a> {
        PersonalRead { tx: *self, person }
    }

    /// The record with this id.
    ///
    /// # Errors
    /// `not_found`, which is all that can be learned of another tenant's.
    pub fn get<R: TenantRecord>(&self, id: Id<R>) -> Result<Stored<R>> {
        self.find(id)?.ok_or_else(Error::not_found)
    }

    /// The record with this id, if there is one.
    ///
    /// # Errors
    /// `busy` or `internal` when it cannot be read.
    pub fn find<R: TenantRecord>(&self, id: Id<R>) -> Result<Option<Stored<R>>> {
        self.load(None, id)
    }

    /// The same, and a damaged one, which is noted, is none: for those who go through many.
    ///
    /// # Errors
    /// `busy` when it cannot be read.
    pub fn find_intact<R: TenantRecord>(&self, id: Id<R>) -> Result<Option<Stored<R>>> {
        none_if_damaged(self.find(id))
    }

    /// The record with this value in a unique lookup.
    ///
    /// # Errors
    /// `busy` or `internal` when it cannot be read.
    pub fn by<R: TenantRecord>(&self, lookup: u16, value: impl AsRef<[u8]>) -> Result<Option<Stored<R>>> {
        self.load_by(None, lookup, value.as_ref())
    }

    /// A page of records; those that `keep` refuses are passed over. A page may be short although
    /// there are more: the cursor tells.
    ///
    /// # Errors
    /// `busy` or `internal` when they cannot be read.
    pub fn page<R: TenantRecord>(&self, scan: &Scan, keep: impl FnMut(&Stored<R>) -> bool) -> Result<Page<R>> {
        self.load_page(None, scan, keep)
    }

    /// All records of a kind, one after the other, in the order in which they were made. Damaged ones are noted and
    /// passed over; answers with how many those are.
    ///
    /// # Errors
    /// What `visit` returns, and `busy` when they cannot be read.
    pub fn each<R: TenantRecord>(&self, mut visit: impl FnMut(Stored<R>) -> Result<()>) -> Result<u64> {
        let prefix = keys::table(self.tenant.into(), R::TABLE);
        let mut damaged = 0;
        let keys = (Bound::Included(prefix.clone()), keys::after(&prefix));
        let gaps = self.view.scan_readable(keys, false, &mut |key, value| {
            match unseal_record(self.view, key, value) {
                Ok(record) => visit(record)?,
                Err(_) => damaged += 1,
            }
            Ok(ControlFlow::Continue(()))
        })?;
        Ok(damaged + gaps)
    }

    /// The bytes of every record of the tenant's, of all kinds and all people: for looking for what they mention.
    ///
    /// # Errors
    /// What `visit` returns, and `busy` or `internal` when one cannot be read.
    pub fn each_payload(&self, mut visit: impl FnMut(&[u8]) -> Result<()>) -> Result<()> {
        let space = self.tenant.into();
        let bound = |table| keys::table(space, table);
        let (from, to) = (Bound::Included(bound(keys::RECORDS)), Bound::Excluded(bound(keys::LOOKUPS)));
        self.view.scan(from, to, false, &mut |key, value| {
            visit(unseal(self.view, key, value)?.1)?;
            Ok(ControlFlow::Continue(()))
        })
    }

    /// How many records of a kind there are; kept as they come and go, so it costs one read.
    ///
    /// # Errors
    /// `busy` or `internal` when it cannot be read.
    pub fn count<R: Record>(&self) -> Result<u64> {
        Ok(self.fingerprint::<R>()?.0)
    }

    /// Changes whenever a record of the kind comes, changes or goes: how many there are, and the digest of all.
    ///
    /// # Errors
    /// `busy` or `internal` when it cannot be read.
    pub fn fingerprint<R: Record>(&self) -> Result<(u64, u64)> {
        kept_meta(self.view, self.tenant.into(), R::TABLE)
    }

    /// How many records have exactly this value in a lookup, counted up to `most`.
    ///
    /// # Errors
    /// `busy` or `internal` when it cannot be read.
    pub fn count_with(&self, lookup: u16, value: impl AsRef<[u8]>, most: u64) -> Result<u64> {
        let prefix = keys::lookup(self.tenant.into(), lookup, None, value.as_ref());
        let mut count = 0;
        self.view.scan_readable(
            (Bound::Included(prefix.clone()), keys::after(&prefix)),
            false,
            &mut |key, value| {
                count += u64::from(unseal(self.view, key, value).is_ok());
                Ok(if count < most { ControlFlow::Continue(()) } else { ControlFlow::Break(()) })
            },
        )?;
        Ok(count)
    }

    /// A figure, 0 when nothing was ever added to it. So is a damaged one, which is noted, until it is rebuilt.
    ///
    /// # Errors
    /// `busy` when it cannot be read.
    pub fn counter(&self, name: &str) -> Result<i64> {
        Ok(none_if_damaged(read_counter(self.view, &counter_key(self.tenant.into(), name)).map(Some))?.unwrap_or(0))
    }

    /// All figures whose name lies from `from` to before `to`, in the order of their names.
    ///
    /// # Errors
    /// `busy` or `internal` when they cannot be read.
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

    /// All figures whose name begins with `prefix`.
    ///
    /// # Errors
    /// `busy` or `internal` when they cannot be read.
    pub fn counters_under(&self, prefix: &str) -> Result<Vec<(String, i64)>> {
        self.counters(prefix, &format!("{prefix}\u{10FFFF}"))
    }

    /// What happened in the tenant before a place of the ledger, newest first, at most `limit` of those that `keep` keeps.
    ///
    /// # Errors
    /// `busy` or `internal` when it cannot be read.
    pub fn changes_before(&self, seq: u64, limit: usize, mut keep: impl FnMut(&Change) -> bool) -> Result<Vec<Change>> {
        let prefix = keys::table(self.tenant.into(), keys::LEDGER);
        let mut end = prefix.clone();
        end.extend_from_slice(&seq.to_be_bytes());
        let mut found = Vec::new();
        let mut seen = 0;
        self.view.scan_readable((Bound::Included(prefix), Bound::Excluded(end)), true, &mut |key, value| {
            found.extend(unseal_value::<Change>(self.view, key, value).ok().filter(&mut keep));
            seen += 1;
            Ok(if found.len() < limit && seen < EXAMINE { ControlFlow::Continue(()) } else { ControlFlow::Break(()) })
        })?;
        Ok(found)
    }

    pub(super) fn load<R: Record>(&self, person: Option<MemberId>, id: Id<R>) -> Result<Option<Stored<R>>> {
        let key = keys::record(self.tenant.into(), R::TABLE, person, id.as_bytes());
        self.view.get(&key)?.map(|row| unseal_record(self.view, &key, &row)).transpose()
    }

    fn load_by<R: Record>(&self, person: Option<MemberId>, lookup: u16, value: &[u8]) -> Result<Option<Stored<R>>> {
        let key = keys::lookup(self.tenant.into(), lookup, person, value);
        let Some(row) = self.view.get(&key)? else { return Ok(None) };
        match unseal(self.view, &key, &row).ok().and_then(|(_, id)| Id::from_slice(id)) {
            Some(id) => self.load(person, id),
            None => self.holder(person, &key),
        }
    }

    /// The record that a row of a lookup belongs to, by reading them all: the row itself is damaged.
    fn holder<R: Record>(&self, person: Option<MemberId>, lookup: &[u8]) -> Result<Option<Stored<R>>> {
        let mut prefix = keys::table(self.tenant.into(), R::TABLE);
        prefix.extend(person.iter().flat_map(|person| *person.as_bytes()));
        let mut found = None;
        self.view.scan_readable(
            (Bound::Included(prefix.clone()), keys::after(&prefix)),
            false,
            &mut |key, value| {
                found = unseal_record::<R>(self.view, key, value)
                    .ok()
                    .filter(|record| lookup_rows(self.tenant, person, record).contains_key(lookup));
                Ok(if found.is_none() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) })
            },
        )?;
        Ok(found)
    }
}

impl PersonalRead<'_> {
    /// Whose data it is.
    #[must_use]
    pub const fn person(&self) -> MemberId {
        self.person
    }

    /// A figure of the person's own records, 0 when nothing was ever added to it.
    ///
    /// # Errors
    /// `busy` or `internal` when it cannot be read.
    pub fn counter(&self, name: &str) -> Result<i64> {
        self.tx.counter(&own_figure(name, self.person))
    }

    /// The person's record with this id.
    ///
    /// # Errors
    /// `not_found`, which is all that can be learned of somebody else's.
    pub fn get<R: PersonalRecord>(&self, id: Id<R>) -> Result<Stored<R>> {
        self.find(id)?.ok_or_else(Error::not_found)
    }

    /// The person's record with this id, if there is one.
    ///
    /// # Errors
    /// `busy` or `internal` when it cannot be read.
    pub fn find<R: PersonalRecord>(&self, id: Id<R>) -> Result<Option<Stored<R>>> {
        self.tx.load(Some(self.person), id)
    }

    /// The same, and a damaged one, which is noted, is none.
    ///
    /// # Errors
    /// `busy` when it cannot be read.
    pub fn find_intact<R: PersonalRecord>(&self, id: Id<R>) -> Result<Option<Stored<R>>> {
        none_if_damaged(self.find(id))
    }

    /// The person's record with this value in a unique lookup.
    ///
    /// # Errors
    /// `busy` or `internal` when it cannot be read.
    pub fn by<R: PersonalRecord>(&self, lookup: u16, value: impl AsRef<[u8]>) -> Result<Option<Stored<R>>> {
        self.tx.load_by(Some(self.person), lookup, value.as_ref())
    }

    /// A page of the person's records.
    ///
    /// # Errors
    /// `busy` or `internal` when they cannot be read.
    pub fn page<R: PersonalRecord>(&self, scan: &Scan, keep: impl FnMut(&Stored<R>) -> bool) -> Result<Page<R>> {
        self.tx.load_page(Some(self.person), scan, keep)
    }
}

pub(super) fn meta_key(space: Space, table: u16) -> Vec<u8> {
    let mut key = keys::table(space, keys::META);
    key.extend_from_slice(&table.to_be_bytes());
    key
}

/// Count and order-independent digest of a table's records.
pub(super) fn read_meta(view: &dyn View, key: &[u8]) -> Result<(u64, u64)> {
    view.get(key)?.map_or(Ok((0, 0)), |row| unseal_value(view, key, &row))
}

/// The same; where the row that keeps them is damaged, the table itself tells.
pub(super) fn kept_meta(view: &dyn View, space: Space, table: u16) -> Result<(u64, u64)> {
    match read_meta(view, &meta_key(space, table)) {
        Err(error) if error.is_damage() => recount(view, &keys::table(space, table)),
        kept => kept,
    }
}

/// What is damaged is none.
fn none_if_damaged<T>(read: Result<Option<T>>) -> Result<Option<T>> {
    match read {
        Err(error) if error.is_damage() => Ok(None),
        read => read,
    }
}

pub(super) fn counter_key(space: Space, name: &str) -> Vec<u8> {
    let mut key = keys::table(space, keys::COUNTERS);
    key.extend_from_slice(name.as_bytes());
    key
}

pub(super) fn read_counter(view: &dyn View, key: &[u8]) -> Result<i64> {
    view.get(key)?.map_or(Ok(0), |row| unseal_value(view, key, &row))
}
