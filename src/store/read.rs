//! Reading: a view of the whole store at one moment, and handles on it that are narrowed to one
//! tenant, or to one person inside it, and cannot name another.

use std::ops::{Bound, ControlFlow};

use redb::{ReadOnlyTable, ReadableTable};

use super::{
    changes::Change,
    codec::{PersonalRecord, Record, Stored, TenantRecord, decode, open, open_record},
    keys::{self, Space},
};
use crate::kernel::{Error, Id, MemberId, Result, TenantId};

/// Records looked at for one page before it is handed over as it is, with a cursor to go on from.
const EXAMINE: usize = 20_000;

pub(super) type Visit<'v> = dyn FnMut(&[u8], &[u8]) -> Result<ControlFlow<()>> + 'v;

/// Bytes under keys, in the keys' order: a snapshot, or a write under way.
pub(super) trait View {
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>>;
    fn scan(&self, from: Bound<Vec<u8>>, to: Bound<Vec<u8>>, reverse: bool, visit: &mut Visit<'_>) -> Result<()>;
}

pub(super) fn storage(error: impl std::fmt::Display) -> Error {
    Error::new(crate::kernel::Code::Busy).retry_after(1).with_detail(format_args!("store: {error}"))
}

/// Walks a redb table between two keys.
pub(super) fn scan_table(
    table: &impl ReadableTable<&'static [u8], &'static [u8]>,
    from: &Bound<Vec<u8>>,
    to: &Bound<Vec<u8>>,
    reverse: bool,
    visit: &mut Visit<'_>,
) -> Result<()> {
    fn slice(bound: &Bound<Vec<u8>>) -> Bound<&[u8]> {
        bound.as_ref().map(Vec::as_slice)
    }
    if is_empty(from, to) {
        return Ok(());
    }
    let mut range = table.range::<&[u8]>((slice(from), slice(to))).map_err(storage)?;
    while let Some(row) = if reverse { range.next_back() } else { range.next() } {
        let (key, value) = row.map_err(storage)?;
        if visit(key.value(), value.value())?.is_break() {
            break;
        }
    }
    Ok(())
}

/// Whether no key can lie between two bounds: redb and `BTreeMap` panic on such ranges.
pub(super) fn is_empty(from: &Bound<Vec<u8>>, to: &Bound<Vec<u8>>) -> bool {
    match (from, to) {
        (Bound::Included(a), Bound::Included(b)) => a > b,
        (Bound::Included(a) | Bound::Excluded(a), Bound::Included(b) | Bound::Excluded(b)) => a >= b,
        _ => false,
    }
}

/// The store at one moment. Later writes do not show in it.
pub struct Snapshot {
    pub(super) rows: ReadOnlyTable<&'static [u8], &'static [u8]>,
}

impl View for Snapshot {
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>> {
        Ok(self.rows.get(key).map_err(storage)?.map(|guard| guard.value().to_vec()))
    }
    fn scan(&self, from: Bound<Vec<u8>>, to: Bound<Vec<u8>>, reverse: bool, visit: &mut Visit<'_>) -> Result<()> {
        scan_table(&self.rows, &from, &to, reverse, visit)
    }
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

    fn global_under<R>(&self, prefix: &[u8]) -> Result<Vec<(TenantId, Id<R>)>> {
        let mut found = Vec::new();
        self.scan(Bound::Included(prefix.to_vec()), keys::after(prefix), false, &mut |key, value| {
            open(key, value)?;
            let tail = key.len().checked_sub(32).and_then(|at| key.get(at..));
            let pair = tail.and_then(|tail| {
                let (tenant, id) = tail.split_at(16);
                Some((TenantId::from_bytes(tenant.try_into().ok()?)?, Id::from_slice(id)?))
            });
            found.push(pair.ok_or_else(|| Error::internal("a global lookup without its tenant"))?);
            Ok(ControlFlow::Continue(()))
        })?;
        Ok(found)
    }

    /// The changes after a place of the ledger, of all tenants, oldest first, at most `limit`.
    ///
    /// # Errors
    /// `busy` when the store cannot be read, `internal` when an entry is damaged.
    pub fn changes_after(&self, seq: u64, limit: usize) -> Result<Vec<Change>> {
        let prefix = keys::table(Space::SYSTEM, keys::LEDGER);
        let mut from = prefix.clone();
        from.extend_from_slice(&seq.to_be_bytes());
        let mut places = Vec::new();
        self.scan(Bound::Excluded(from), keys::after(&prefix), false, &mut |key, value| {
            let (_, tenant) = open(key, value)?;
            let mut place = tenant.to_vec();
            place.extend_from_slice(&keys::LEDGER.to_be_bytes());
            place.extend_from_slice(key.get(prefix.len()..).unwrap_or_default());
            places.push(place);
            Ok(if places.len() < limit { ControlFlow::Continue(()) } else { ControlFlow::Break(()) })
        })?;
        places
            .iter()
            .map(|place| {
                let row = self.get(place)?.ok_or_else(|| Error::internal("a ledger entry is missing"))?;
                decode(open(place, &row)?.1)
            })
            .collect()
    }

    /// The last place of the ledger.
    ///
    /// # Errors
    /// `busy` when the store cannot be read.
    pub fn last_change(&self) -> Result<u64> {
        last_seq(self)
    }
}

pub(super) fn last_seq(view: &dyn View) -> Result<u64> {
    let prefix = keys::table(Space::SYSTEM, keys::LEDGER);
    let mut last = 0;
    view.scan(Bound::Included(prefix.clone()), keys::after(&prefix), true, &mut |key, _| {
        let bytes = key.get(prefix.len()..).and_then(|tail| tail.try_into().ok());
        last = bytes.map_or(0, u64::from_be_bytes);
        Ok(ControlFlow::Break(()))
    })?;
    Ok(last)
}

/// In which order, and which, a list reads records.
#[derive(Clone, Debug)]
pub struct Scan {
    by: By,
    reverse: bool,
    after: Option<Vec<u8>>,
    limit: usize,
}

#[derive(Clone, Debug)]
enum By {
    Id,
    Order(u16),
    Exact(u16, Vec<u8>),
    Prefix(u16, Vec<u8>),
}

impl Scan {
    /// All records in the order in which they were made, oldest first, up to 50.
    #[must_use]
    pub const fn all() -> Self {
        Self { by: By::Id, reverse: false, after: None, limit: 50 }
    }
    /// All records in the order of a lookup's values.
    #[must_use]
    pub fn ordered(lookup: u16) -> Self {
        Self { by: By::Order(lookup), ..Self::all() }
    }
    /// The records with exactly this value, in the order in which they were made.
    #[must_use]
    pub fn with(lookup: u16, value: impl AsRef<[u8]>) -> Self {
        Self { by: By::Exact(lookup, value.as_ref().to_vec()), ..Self::all() }
    }
    /// The records whose value begins with this, in the order of the values.
    #[must_use]
    pub fn beginning(lookup: u16, value: impl AsRef<[u8]>) -> Self {
        Self { by: By::Prefix(lookup, value.as_ref().to_vec()), ..Self::all() }
    }
    /// The other way round.
    #[must_use]
    pub const fn reversed(mut self, reverse: bool) -> Self {
        self.reverse = reverse;
        self
    }
    /// Goes on behind the place that an earlier page named.
    #[must_use]
    pub fn after(mut self, place: Option<Vec<u8>>) -> Self {
        self.after = place;
        self
    }
    /// At most so many.
    #[must_use]
    pub const fn limit(mut self, limit: usize) -> Self {
        self.limit = limit;
        self
    }
}

/// Some records, and the place to go on from when there are more.
#[derive(Debug)]
pub struct Page<R> {
    /// The records.
    pub items: Vec<Stored<R>>,
    /// Where the next page begins; none when this was the last.
    pub next: Option<Vec<u8>>,
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
pub struct Own<'a> {
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
    pub fn own(&self) -> Result<Own<'a>> {
        let person = self.me.ok_or_else(|| Error::internal("nobody's own data"))?;
        Ok(self.person(person))
    }

    /// A colleague's own data: for what the house itself does for a person (counting unread, delivering).
    #[must_use]
    pub const fn person(&self, person: MemberId) -> Own<'a> {
        Own { tx: *self, person }
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

    /// All records of a kind, one after the other, in the order in which they were made.
    ///
    /// # Errors
    /// What `visit` returns, and `busy` or `internal` when one cannot be read.
    pub fn each<R: TenantRecord>(&self, mut visit: impl FnMut(Stored<R>) -> Result<()>) -> Result<()> {
        let prefix = keys::table(self.tenant.into(), R::TABLE);
        self.view.scan(Bound::Included(prefix.clone()), keys::after(&prefix), false, &mut |key, value| {
            visit(open_record(key, value)?)?;
            Ok(ControlFlow::Continue(()))
        })
    }

    /// How many records of a kind there are; kept as they come and go, so it costs one read.
    ///
    /// # Errors
    /// `busy` or `internal` when it cannot be read.
    pub fn count<R: Record>(&self) -> Result<u64> {
        let key = meta_key(self.tenant.into(), R::TABLE);
        Ok(read_meta(self.view, &key)?.0)
    }

    /// How many records have exactly this value in a lookup, counted up to `most`.
    ///
    /// # Errors
    /// `busy` when it cannot be read.
    pub fn count_with(&self, lookup: u16, value: impl AsRef<[u8]>, most: u64) -> Result<u64> {
        let prefix = keys::lookup(self.tenant.into(), lookup, None, value.as_ref());
        let mut count = 0;
        self.view.scan(Bound::Included(prefix.clone()), keys::after(&prefix), false, &mut |_, _| {
            count += 1;
            Ok(if count < most { ControlFlow::Continue(()) } else { ControlFlow::Break(()) })
        })?;
        Ok(count)
    }

    /// A figure, 0 when nothing was ever added to it.
    ///
    /// # Errors
    /// `busy` or `internal` when it cannot be read.
    pub fn counter(&self, name: &str) -> Result<i64> {
        read_counter(self.view, &counter_key(self.tenant.into(), name))
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
        self.view.scan(bounds.0, bounds.1, false, &mut |key, value| {
            let name = String::from_utf8_lossy(key.get(skip..).unwrap_or_default()).into_owned();
            found.push((name, decode(open(key, value)?.1)?));
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
        self.view.scan(Bound::Included(prefix), Bound::Excluded(end), true, &mut |key, value| {
            let change: Change = decode(open(key, value)?.1)?;
            if keep(&change) {
                found.push(change);
            }
            seen += 1;
            Ok(if found.len() < limit && seen < EXAMINE { ControlFlow::Continue(()) } else { ControlFlow::Break(()) })
        })?;
        Ok(found)
    }

    pub(super) fn load<R: Record>(&self, person: Option<MemberId>, id: Id<R>) -> Result<Option<Stored<R>>> {
        let key = keys::record(self.tenant.into(), R::TABLE, person, id.as_bytes());
        self.view.get(&key)?.map(|row| open_record(&key, &row)).transpose()
    }

    fn load_by<R: Record>(&self, person: Option<MemberId>, lookup: u16, value: &[u8]) -> Result<Option<Stored<R>>> {
        let key = keys::lookup(self.tenant.into(), lookup, person, value);
        let Some(row) = self.view.get(&key)? else { return Ok(None) };
        let id = Id::from_slice(open(&key, &row)?.1).ok_or_else(|| Error::internal("a lookup without an id"))?;
        self.load(person, id)
    }

    fn load_page<R: Record>(
        &self,
        person: Option<MemberId>,
        scan: &Scan,
        mut keep: impl FnMut(&Stored<R>) -> bool,
    ) -> Result<Page<R>> {
        let space = self.tenant.into();
        let (prefix, through_lookup) = match &scan.by {
            By::Id => {
                let mut prefix = keys::table(space, R::TABLE);
                prefix.extend(person.iter().flat_map(|person| *person.as_bytes()));
                (prefix, false)
            }
            By::Order(lookup) => (keys::lookup_prefix(space, *lookup, person, &[]), true),
            By::Exact(lookup, value) => (keys::lookup(space, *lookup, person, value), true),
            By::Prefix(lookup, value) => (keys::lookup_prefix(space, *lookup, person, value), true),
        };
        let place = scan.after.as_ref().map(|tail| [prefix.as_slice(), tail].concat());
        let (from, to) = match place {
            Some(place) if scan.reverse => (Bound::Included(prefix.clone()), Bound::Excluded(place)),
            Some(place) => (Bound::Excluded(place), keys::after(&prefix)),
            None => (Bound::Included(prefix.clone()), keys::after(&prefix)),
        };
        let mut page = Page { items: Vec::new(), next: None };
        let mut last: Option<Vec<u8>> = None;
        let mut seen = 0;
        self.view.scan(from, to, scan.reverse, &mut |key, value| {
            if page.items.len() == scan.limit || seen == EXAMINE {
                page.next = last.take();
                return Ok(ControlFlow::Break(()));
            }
            seen += 1;
            let record = if through_lookup {
                // A unique lookup holds the id as its payload, the others at the end of their key.
                let (_, payload) = open(key, value)?;
                let tail =
                    if payload.is_empty() { key.len().checked_sub(16).map(|at| &key[at..]) } else { Some(payload) };
                let id = tail.and_then(Id::from_slice).ok_or_else(|| Error::internal("a lookup without an id"))?;
                // A lookup and its record are written in one commit: a missing record is damage.
                self.load(person, id)?.ok_or_else(|| Error::internal("a lookup without its record"))?
            } else {
                open_record(key, value)?
            };
            if keep(&record) {
                page.items.push(record);
            }
            last = Some(key.get(prefix.len()..).unwrap_or_default().to_vec());
            Ok(ControlFlow::Continue(()))
        })?;
        Ok(page)
    }
}

impl Own<'_> {
    /// Whose data it is.
    #[must_use]
    pub const fn person(&self) -> MemberId {
        self.person
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
    view.get(key)?.map_or(Ok((0, 0)), |row| decode(open(key, &row)?.1))
}

pub(super) fn counter_key(space: Space, name: &str) -> Vec<u8> {
    let mut key = keys::table(space, keys::COUNTERS);
    key.extend_from_slice(name.as_bytes());
    key
}

pub(super) fn read_counter(view: &dyn View, key: &[u8]) -> Result<i64> {
    view.get(key)?.map_or(Ok(0), |row| decode(open(key, &row)?.1))
}
