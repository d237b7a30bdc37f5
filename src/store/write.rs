//! Writing: changes are gathered beside the store, seen by the one who makes them, and applied only
//! when all of them succeeded. Lookups, figures, counts and the ledger are kept here, not by features.

use std::{
    cell::{Cell, RefCell},
    collections::BTreeMap,
    ops::{Bound, ControlFlow, Deref},
};

use redb::{ReadableTable, Table};
use serde::{Serialize, de::DeserializeOwned};
use xxhash_rust::xxh3::xxh3_64;

use super::{
    changes::{Actor, Change, Op},
    codec::{
        Counters, LookupKey, Lookups, PersonalRecord, Record, Stored, TenantRecord, decode, encode, open, seal,
        seal_record,
    },
    keys::{self, Space},
    read::{self, TenantRead, View, Visit, storage},
};
use crate::kernel::{Code, Entropy, Error, Id, MemberId, Result, TenantId, Timestamp};

/// What one write has changed so far.
pub(super) struct Staged<'t, 'txn> {
    base: &'t Table<'txn, &'static [u8], &'static [u8]>,
    rows: RefCell<BTreeMap<Vec<u8>, Option<Vec<u8>>>>,
    changes: RefCell<Vec<Change>>,
    last_seq: Cell<u64>,
}

/// What a finished write hands over to be applied.
pub(super) struct Applied {
    pub(super) rows: BTreeMap<Vec<u8>, Option<Vec<u8>>>,
    pub(super) changes: Vec<Change>,
}

impl<'t, 'txn> Staged<'t, 'txn> {
    pub(super) fn new(base: &'t Table<'txn, &'static [u8], &'static [u8]>, last_seq: u64) -> Self {
        Self { base, rows: RefCell::default(), changes: RefCell::default(), last_seq: Cell::new(last_seq) }
    }

    pub(super) fn finish(self) -> Applied {
        Applied { rows: self.rows.into_inner(), changes: self.changes.into_inner() }
    }

    fn set(&self, key: Vec<u8>, value: Option<Vec<u8>>) {
        self.rows.borrow_mut().insert(key, value);
    }

    fn note(&self, change: Change) -> Result<()> {
        let seq = change.seq.to_be_bytes();
        let mut order = keys::table(Space::SYSTEM, keys::LEDGER);
        order.extend_from_slice(&seq);
        let sealed = seal(&order, 1, change.tenant.as_bytes());
        self.set(order, Some(sealed));
        let mut key = keys::table(change.tenant.into(), keys::LEDGER);
        key.extend_from_slice(&seq);
        let sealed = seal(&key, 1, &encode(&change)?);
        self.set(key, Some(sealed));
        self.last_seq.set(change.seq);
        self.changes.borrow_mut().push(change);
        Ok(())
    }

    fn count(&self, key: Vec<u8>, by: i64) -> Result<()> {
        if by == 0 {
            return Ok(());
        }
        let total = read::read_counter(self, &key)? + by;
        let value = if total == 0 { None } else { Some(seal(&key, 1, &encode(&total)?)) };
        self.set(key, value);
        Ok(())
    }
}

impl View for Staged<'_, '_> {
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>> {
        if let Some(staged) = self.rows.borrow().get(key) {
            return Ok(staged.clone());
        }
        Ok(self.base.get(key).map_err(storage)?.map(|guard| guard.value().to_vec()))
    }

    fn scan(&self, from: Bound<Vec<u8>>, to: Bound<Vec<u8>>, reverse: bool, visit: &mut Visit<'_>) -> Result<()> {
        if read::is_empty(&from, &to) {
            return Ok(());
        }
        // Copied, so that `visit` may read and write on the way; what one write stages is small.
        let mut staged: Vec<(Vec<u8>, Option<Vec<u8>>)> = self
            .rows
            .borrow()
            .range((from.clone(), to.clone()))
            .map(|(key, value)| (key.clone(), value.clone()))
            .collect();
        if !reverse {
            staged.reverse();
        }
        let comes_before = |a: &[u8], b: &[u8]| if reverse { a > b } else { a < b };
        let mut stopped = false;
        read::scan_table(self.base, &from, &to, reverse, &mut |key, value| {
            while let Some((next, change)) = staged.pop_if(|(next, _)| comes_before(next, key)) {
                if let Some(bytes) = change
                    && visit(&next, &bytes)?.is_break()
                {
                    stopped = true;
                    return Ok(ControlFlow::Break(()));
                }
            }
            let flow = match staged.pop_if(|(next, _)| next == key) {
                Some((_, None)) => ControlFlow::Continue(()),
                Some((_, Some(bytes))) => visit(key, &bytes)?,
                None => visit(key, value)?,
            };
            stopped = flow.is_break();
            Ok(flow)
        })?;
        while !stopped && let Some((next, change)) = staged.pop() {
            if let Some(bytes) = change {
                stopped = visit(&next, &bytes)?.is_break();
            }
        }
        Ok(())
    }
}

/// A write to one tenant's data. Reads through it see what it has written already.
pub struct TenantWrite<'a> {
    read: TenantRead<'a>,
    staged: &'a Staged<'a, 'a>,
    actor: Actor,
    now: Timestamp,
    entropy: &'a Entropy,
}

impl<'a> Deref for TenantWrite<'a> {
    type Target = TenantRead<'a>;
    fn deref(&self) -> &Self::Target {
        &self.read
    }
}

/// What a write says when a record changed since it was read.
fn stale() -> Error {
    Error::new(Code::StaleVersion)
}

impl<'a> TenantWrite<'a> {
    pub(super) fn new(
        staged: &'a Staged<'a, 'a>,
        tenant: TenantId,
        actor: Actor,
        now: Timestamp,
        entropy: &'a Entropy,
    ) -> Self {
        Self { read: TenantRead { view: staged, tenant, me: actor.member() }, staged, actor, now, entropy }
    }

    /// The moment of this write.
    #[must_use]
    pub const fn now(&self) -> Timestamp {
        self.now
    }

    /// Who writes.
    #[must_use]
    pub const fn actor(&self) -> Actor {
        self.actor
    }

    /// A new id, later than all before it.
    #[must_use]
    pub fn new_id<R>(&self) -> Id<R> {
        self.entropy.uuid(self.now).into()
    }

    /// Keeps a new record under a new id.
    ///
    /// # Errors
    /// `conflict` when a unique value is taken.
    pub fn create<R: TenantRecord>(&self, value: R) -> Result<Stored<R>> {
        self.put(None, None, self.fresh(self.new_id(), value))
    }

    /// Keeps a new record under the id of something else (a member's credentials under the member's).
    ///
    /// # Errors
    /// `conflict` when there is one already, or a unique value is taken.
    pub fn create_at<R: TenantRecord>(&self, id: Id<R>, value: R) -> Result<Stored<R>> {
        if self.find(id)?.is_some() {
            return Err(Error::new(Code::Conflict));
        }
        self.put(None, None, self.fresh(id, value))
    }

    /// Changes a record; `expected` is the version that the caller saw, when it says one.
    ///
    /// # Errors
    /// `not_found`; `stale_version` when it has another version; `conflict` when a unique value is
    /// taken; what `change` returns.
    pub fn update<R: TenantRecord>(
        &self,
        id: Id<R>,
        expected: Option<u64>,
        change: impl FnOnce(&mut R) -> Result<()>,
    ) -> Result<Stored<R>> {
        let old = self.get(id)?;
        self.revise(None, old, expected, change)
    }

    /// Removes a record.
    ///
    /// # Errors
    /// `not_found`; `stale_version` when it has another version than `expected`.
    pub fn remove<R: TenantRecord>(&self, id: Id<R>, expected: Option<u64>) -> Result<Stored<R>> {
        let old = self.get(id)?;
        self.drop_record(None, old, expected)
    }

    /// The writing member's own data.
    ///
    /// # Errors
    /// `internal` when nobody writes.
    pub fn own(&self) -> Result<OwnWrite<'_, 'a>> {
        let person = self.me().ok_or_else(|| Error::internal("nobody's own data"))?;
        Ok(OwnWrite { tx: self, person })
    }

    /// A colleague's own data: to deliver a message, a notification, a line of chat. The caller has
    /// looked the member up through this handle first.
    #[must_use]
    pub const fn person(&self, person: MemberId) -> OwnWrite<'_, 'a> {
        OwnWrite { tx: self, person }
    }

    /// Does `work` once for a key: a second time within `hours`, the first answer is given again.
    ///
    /// # Errors
    /// What `work` returns; nothing is kept then.
    pub fn once<T: Serialize + DeserializeOwned>(
        &self,
        name: &str,
        hours: i64,
        work: impl FnOnce() -> Result<T>,
    ) -> Result<T> {
        let mut key = keys::table(self.tenant.into(), keys::REPLIES);
        key.extend(self.me().iter().flat_map(|me| *me.as_bytes()));
        key.extend_from_slice(name.as_bytes());
        if let Some(row) = self.staged.get(&key)? {
            let (at, answer): (i64, Vec<u8>) = decode(open(&key, &row)?.1)?;
            if self.now.millis() < at + hours * 3_600_000 {
                return decode(&answer);
            }
        }
        let answer = work()?;
        let sealed = seal(&key, 1, &encode(&(self.now.millis(), encode(&answer)?))?);
        self.staged.set(key, Some(sealed));
        Ok(answer)
    }

    const fn fresh<R>(&self, id: Id<R>, value: R) -> Stored<R> {
        Stored { id, version: 0, created_at: self.now, updated_at: self.now, created_by: self.actor.member(), value }
    }

    fn revise<R: Record>(
        &self,
        person: Option<MemberId>,
        old: Stored<R>,
        expected: Option<u64>,
        change: impl FnOnce(&mut R) -> Result<()>,
    ) -> Result<Stored<R>> {
        if expected.is_some_and(|version| version != old.version) {
            return Err(stale());
        }
        let mut new = old.clone();
        change(&mut new.value)?;
        new.updated_at = self.now;
        self.put(person, Some(old), new)
    }

    fn put<R: Record>(
        &self,
        person: Option<MemberId>,
        old: Option<Stored<R>>,
        mut new: Stored<R>,
    ) -> Result<Stored<R>> {
        let fields = match &old {
            Some(old) => changed_fields(&old.value, &new.value)?,
            None => Vec::new(),
        };
        if let Some(old) = &old
            && fields.is_empty()
        {
            // Nothing changed: neither the version nor the ledger says it did.
            return Ok(old.clone());
        }
        new.version += 1;
        let space: Space = self.tenant.into();
        let key = keys::record(space, R::TABLE, person, new.id.as_bytes());
        self.keep_lookups(person, old.as_ref(), Some(&new))?;
        self.keep_counters(old.as_ref(), Some(&new))?;
        let sealed = seal_record(&key, &new)?;
        self.keep_meta(R::TABLE, &key, Some(&sealed))?;
        self.staged.set(key, Some(sealed));
        let op = if old.is_some() { Op::Updated } else { Op::Created };
        self.note(person, &new, op, fields)?;
        Ok(new)
    }

    fn drop_record<R: Record>(
        &self,
        person: Option<MemberId>,
        old: Stored<R>,
        expected: Option<u64>,
    ) -> Result<Stored<R>> {
        if expected.is_some_and(|version| version != old.version) {
            return Err(stale());
        }
        let key = keys::record(self.tenant.into(), R::TABLE, person, old.id.as_bytes());
        self.keep_lookups(person, Some(&old), None)?;
        self.keep_counters(Some(&old), None)?;
        self.keep_meta(R::TABLE, &key, None)?;
        self.staged.set(key, None);
        self.note(person, &old, Op::Removed, Vec::new())?;
        Ok(old)
    }

    fn note<R: Record>(&self, person: Option<MemberId>, record: &Stored<R>, op: Op, fields: Vec<String>) -> Result<()> {
        if !R::LEDGER {
            return Ok(());
        }
        if person.is_none() {
            let hour = self.now.jiff().strftime("%Y-%m-%dT%H").to_string();
            self.staged.count(read::counter_key(self.tenant.into(), &format!("activity/{hour}")), 1)?;
        }
        self.staged.note(Change {
            seq: self.staged.last_seq.get() + 1,
            tenant: self.tenant,
            at: self.now,
            actor: self.actor,
            person,
            kind: R::KIND.to_owned(),
            id: *record.id.as_bytes(),
            version: record.version,
            op,
            fields,
            title: record.value.title(),
        })
    }

    fn keep_lookups<R: Record>(
        &self,
        person: Option<MemberId>,
        old: Option<&Stored<R>>,
        new: Option<&Stored<R>>,
    ) -> Result<()> {
        let keys_of = |record: Option<&Stored<R>>| {
            let mut lookups = Lookups::default();
            if let Some(record) = record {
                R::lookups(record, &mut lookups);
            }
            lookups.0
        };
        let id = old.or(new).map(|record| *record.id.as_bytes()).unwrap_or_default();
        let before: BTreeMap<Vec<u8>, LookupKey> =
            keys_of(old).into_iter().map(|key| (self.lookup_row(person, &key, &id), key)).collect();
        let after: BTreeMap<Vec<u8>, LookupKey> =
            keys_of(new).into_iter().map(|key| (self.lookup_row(person, &key, &id), key)).collect();
        for row in before.keys().filter(|row| !after.contains_key(*row)) {
            self.staged.set(row.clone(), None);
        }
        for (row, key) in after.iter().filter(|(row, _)| !before.contains_key(*row)) {
            if let Some(field) = key.unique
                && self.taken(row, key.global)?
            {
                return Err(Error::new(Code::Conflict).and_field(field, "errors.fields.taken", Vec::new()));
            }
            let payload: &[u8] = if key.unique.is_some() && !key.global { &id } else { &[] };
            self.staged.set(row.clone(), Some(seal(row, 1, payload)));
        }
        Ok(())
    }

    /// Where a lookup's entry lies. A unique one ends with its value, the others with the record's id;
    /// a global one with tenant and id.
    fn lookup_row(&self, person: Option<MemberId>, key: &LookupKey, id: &[u8; 16]) -> Vec<u8> {
        if key.global {
            let mut row = keys::lookup(Space::SYSTEM, key.lookup, None, &key.value);
            row.extend_from_slice(self.tenant.as_bytes());
            row.extend_from_slice(id);
            return row;
        }
        let mut row = keys::lookup(self.tenant.into(), key.lookup, person, &key.value);
        if key.unique.is_none() {
            row.extend_from_slice(id);
        }
        row
    }

    fn taken(&self, row: &[u8], global: bool) -> Result<bool> {
        if !global {
            return Ok(self.staged.get(row)?.is_some());
        }
        let prefix = row.get(..row.len().saturating_sub(32)).unwrap_or_default();
        let mut taken = false;
        self.staged.scan(Bound::Included(prefix.to_vec()), keys::after(prefix), false, &mut |_, _| {
            taken = true;
            Ok(ControlFlow::Break(()))
        })?;
        Ok(taken)
    }

    fn keep_counters<R: Record>(&self, old: Option<&Stored<R>>, new: Option<&Stored<R>>) -> Result<()> {
        let mut sums: BTreeMap<String, i64> = BTreeMap::new();
        for (record, sign) in [(old, -1), (new, 1)] {
            let mut counters = Counters::default();
            if let Some(record) = record {
                R::counters(record, &mut counters);
            }
            for (name, amount) in counters.0 {
                *sums.entry(name).or_default() += sign * amount;
            }
        }
        for (name, by) in sums {
            self.staged.count(read::counter_key(self.tenant.into(), &name), by)?;
        }
        Ok(())
    }

    /// Keeps count and digest of the table, so that a missing row is noticed.
    fn keep_meta(&self, table: u16, key: &[u8], new: Option<&[u8]>) -> Result<()> {
        let meta = read::meta_key(self.tenant.into(), table);
        let (mut count, mut digest) = read::read_meta(self.staged, &meta)?;
        if let Some(old) = self.staged.get(key)? {
            count = count.wrapping_sub(1);
            digest = digest.wrapping_sub(row_digest(key, &old));
        }
        if let Some(new) = new {
            count = count.wrapping_add(1);
            digest = digest.wrapping_add(row_digest(key, new));
        }
        let sealed = seal(&meta, 1, &encode(&(count, digest))?);
        self.staged.set(meta, Some(sealed));
        Ok(())
    }
}

/// What one row adds to its table's digest.
pub(super) fn row_digest(key: &[u8], value: &[u8]) -> u64 {
    xxh3_64(key).rotate_left(32) ^ xxh3_64(value)
}

/// The names of the fields in which two shapes of a record differ.
fn changed_fields<R: Record>(old: &R, new: &R) -> Result<Vec<String>> {
    let fields = |value: &R| match serde_json::to_value(value) {
        Ok(serde_json::Value::Object(map)) => Ok(map),
        Ok(_) => Err(Error::internal("a record is always an object")),
        Err(error) => Err(Error::internal(error)),
    };
    let (old, new) = (fields(old)?, fields(new)?);
    let mut names: Vec<String> = old
        .keys()
        .chain(new.keys().filter(|name| !old.contains_key(*name)))
        .filter(|name| old.get(*name) != new.get(*name))
        .cloned()
        .collect();
    names.sort();
    Ok(names)
}

/// A write to one person's own data.
pub struct OwnWrite<'w, 'a> {
    tx: &'w TenantWrite<'a>,
    person: MemberId,
}

impl OwnWrite<'_, '_> {
    /// Whose data it is.
    #[must_use]
    pub const fn person(&self) -> MemberId {
        self.person
    }

    /// The same data for reading.
    #[must_use]
    pub fn read(&self) -> read::Own<'_> {
        self.tx.read.person(self.person)
    }

    /// Keeps a new record under a new id.
    ///
    /// # Errors
    /// `conflict` when a unique value is taken.
    pub fn create<R: PersonalRecord>(&self, value: R) -> Result<Stored<R>> {
        self.tx.put(Some(self.person), None, self.tx.fresh(self.tx.new_id(), value))
    }

    /// Keeps a new record under an id made before.
    ///
    /// # Errors
    /// `conflict` when there is one already, or a unique value is taken.
    pub fn create_at<R: PersonalRecord>(&self, id: Id<R>, value: R) -> Result<Stored<R>> {
        if self.read().find(id)?.is_some() {
            return Err(Error::new(Code::Conflict));
        }
        self.tx.put(Some(self.person), None, self.tx.fresh(id, value))
    }

    /// Changes a record.
    ///
    /// # Errors
    /// `not_found`, `conflict`, and what `change` returns.
    pub fn update<R: PersonalRecord>(&self, id: Id<R>, change: impl FnOnce(&mut R) -> Result<()>) -> Result<Stored<R>> {
        let old = self.read().get(id)?;
        self.tx.revise(Some(self.person), old, None, change)
    }

    /// Removes a record.
    ///
    /// # Errors
    /// `not_found`.
    pub fn remove<R: PersonalRecord>(&self, id: Id<R>) -> Result<Stored<R>> {
        let old = self.read().get(id)?;
        self.tx.drop_record(Some(self.person), old, None)
    }
}
