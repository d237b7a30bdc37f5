//! Write transactions: changes are collected in an overlay that the transaction reads through, and applied only when
//! the whole transaction succeeds. The store, not the features, maintains indexes, counters, record counts and the
//! change feed.

use std::{
    cell::{Cell, RefCell},
    ops::{Bound, ControlFlow, Deref},
};

use serde::{Deserialize, Serialize, de::DeserializeOwned};

use super::{
    changes::{Act, Actor, Change, Op, Verb},
    codec::{PersonalRecord, Record, RecordId, Stored, TenantRecord, decode, encode, seal, seal_record},
    derived::{FieldChange, changed_fields},
    keys::{self, Space},
    read::{self, TenantRead},
    rows::{read_counter, unseal_value},
    series::{CounterRow, OPEN_TASKS, SINCE, amounts_of_change, row_of},
    view::{Layer, Rows, View},
};
use crate::kernel::{Code, Entropy, Error, Id, MemberId, Result, TenantId, Timestamp, let_others_run};

/// Changes after which a write lets requests that wait for its processor run: a bulk change has dozens.
const CHANGES_PER_TURN: usize = 4;
/// Largest record, in bytes as stored.
const MAX_RECORD_BYTES: usize = 16 * 1024 * 1024;
/// Most expired replies removed per write.
const MAX_REPLIES_REMOVED: usize = 16;
/// The same where an act is counted: one write may count hundreds of acts.
const MAX_REPLIES_REMOVED_BY_COUNT: usize = 2;

/// The uncommitted changes of one write, over the rows they change.
pub(super) struct WriteOverlay<'b> {
    pub(super) rows: Layer<'b>,
    changes: RefCell<Vec<Change>>,
    last_seq: Cell<u64>,
}

impl<'b> WriteOverlay<'b> {
    pub(super) fn new(base: &'b dyn View, last_seq: u64) -> Self {
        Self { rows: Layer::new(base), changes: RefCell::default(), last_seq: Cell::new(last_seq) }
    }

    /// Returns the rows and changes to apply, and the sequence number of the last change.
    pub(super) fn finish(self) -> (Rows, Vec<Change>, u64) {
        (self.rows.into_rows(), self.changes.into_inner(), self.last_seq.get())
    }

    pub(super) fn set(&self, key: Vec<u8>, value: Option<Vec<u8>>) {
        self.rows.set(key, value);
    }

    /// Runs steps that must all succeed. If one fails, what they staged is taken back, so that the write may go on.
    pub(super) fn attempt<T>(&self, work: impl FnOnce() -> Result<T>) -> Result<T> {
        let savepoint = self.rows.savepoint();
        let changes = self.changes.borrow().len();
        let last_seq = self.last_seq.get();
        let result = work();
        if result.is_ok() {
            self.rows.release(savepoint);
        } else {
            self.rows.roll_back(savepoint);
            self.changes.borrow_mut().truncate(changes);
            self.last_seq.set(last_seq);
        }
        result
    }

    /// The sequence number of the next change.
    pub(super) fn next_seq(&self) -> u64 {
        self.last_seq.get() + 1
    }

    pub(super) fn note(&self, change: Change) -> Result<()> {
        self.note_quietly(&change)?;
        let mut changes = self.changes.borrow_mut();
        changes.push(change);
        if changes.len().is_multiple_of(CHANGES_PER_TURN) {
            let_others_run();
        }
        Ok(())
    }

    /// Records a change, and what it adds to counters, without announcing it to subscribers. Readers of the change feed find
    /// it.
    pub(super) fn note_quietly(&self, change: &Change) -> Result<()> {
        self.count_change(change)?;
        let seq = change.seq.to_be_bytes();
        let mut order = keys::table(Space::SYSTEM, keys::LEDGER);
        order.extend_from_slice(&seq);
        let sealed = seal(&order, 1, change.tenant.as_bytes());
        self.set(order, Some(sealed));
        let mut key = keys::table(change.tenant.into(), keys::LEDGER);
        key.extend_from_slice(&seq);
        let sealed = seal(&key, 1, &encode(change)?);
        self.set(key, Some(sealed));
        if change.is_news() {
            let key = keys::news_key(change.tenant.into(), change.seq);
            let sealed = seal(&key, 1, &[]);
            self.set(key, Some(sealed));
        }
        self.last_seq.set(change.seq);
        Ok(())
    }
}

impl WriteOverlay<'_> {
    /// Adds an amount to a counter.
    pub(super) fn count(&self, space: Space, name: &str, by: i64) -> Result<()> {
        if by == 0 {
            return Ok(());
        }
        let key = keys::counter_key(space, row_of(name));
        match CounterRow::with(&self.rows, &key, name, by) {
            // A damaged counter stays unchanged and recorded in the quarantine. It does not block writes.
            Err(error) if error.is_damage() => {}
            row => {
                let row = row?;
                let value = if row.is_zero() { None } else { Some(row.sealed(&key)?) };
                self.set(key, value);
            }
        }
        Ok(())
    }

    /// Adds to the counters that follow from the change feed.
    fn count_change(&self, change: &Change) -> Result<()> {
        let space = change.tenant.into();
        if change.hides_open_tasks() {
            let key = keys::counter_key(space, &format!("{SINCE}{OPEN_TASKS}"));
            let known = read_counter(&self.rows, &key).unwrap_or_default();
            self.set(key.clone(), Some(CounterRow::Sum(known.max(change.at.millis())).sealed(&key)?));
        }
        change.counters().iter().try_for_each(|(name, by)| self.count(space, name, *by))
    }
}

/// The stored reply of an idempotency key. Older replies have neither field names nor a digest; they can still be read.
#[derive(Serialize, Deserialize)]
pub(super) struct Reply {
    until: i64,
    pub(super) answer: Vec<u8>,
    #[serde(default)]
    asked: Vec<u8>,
}

impl Reply {
    /// Whether the row at a key is a reply, and not one of those that list when replies expire.
    pub(super) fn is_at(key: &[u8]) -> bool {
        key.get(keys::HEAD_BYTES).is_some_and(|sort| *sort != 0)
    }
}

/// An act that changed many records.
#[derive(Debug)]
pub struct ActEntry<'k> {
    /// The id of the record that stands for it: that of a person whom `title` names, so that the title goes when the person
    /// is erased.
    pub id: [u8; 16],
    /// What was done.
    pub verb: Verb,
    /// The kind of the records.
    pub kind: &'k str,
    /// The number of the records.
    pub count: u64,
    /// What it is called, if it has a name.
    pub title: Option<String>,
    /// The member who did it; `None` for who writes.
    pub by: Option<MemberId>,
}

/// A write transaction on one tenant's data. Reads through it see its own changes.
pub struct TenantWrite<'a> {
    pub(super) read: TenantRead<'a>,
    pub(super) staged: &'a WriteOverlay<'a>,
    actor: Actor,
    now: Timestamp,
    entropy: &'a Entropy,
    falsely_dated: bool,
    /// What the changes are that are made now.
    act: RefCell<Option<Act>>,
    /// Whether records get values now that records had before.
    puts_back: Cell<bool>,
}

impl<'a> Deref for TenantWrite<'a> {
    type Target = TenantRead<'a>;
    fn deref(&self) -> &Self::Target {
        &self.read
    }
}

/// Key prefix of the rows that list the replies expiring at `until` (milliseconds since 1970).
fn reply_expiries(tenant: TenantId, until: i64) -> Vec<u8> {
    let mut key = keys::table(tenant.into(), keys::REPLIES);
    key.push(0);
    // With the sign bit flipped, the byte order equals the numeric order.
    key.extend_from_slice(&(until ^ i64::MIN).to_be_bytes());
    key
}

/// The error for a record that changed since it was read.
fn stale_version() -> Error {
    Error::new(Code::StaleVersion)
}

impl<'a> TenantWrite<'a> {
    pub(super) fn new(
        staged: &'a WriteOverlay<'a>,
        tenant: TenantId,
        actor: Actor,
        now: Timestamp,
        entropy: &'a Entropy,
    ) -> Self {
        Self {
            read: TenantRead { view: &staged.rows, tenant, me: actor.member() },
            staged,
            actor,
            now,
            entropy,
            falsely_dated: false,
            act: RefCell::default(),
            puts_back: Cell::default(),
        }
    }

    /// The time of this write.
    pub const fn now(&self) -> Timestamp {
        self.now
    }

    /// The actor who writes.
    pub const fn actor(&self) -> Actor {
        self.actor
    }

    /// Returns this write with another time and actor. Records and change feed entries made through it carry them. Only
    /// demo data and tests may use it; anything else would falsify history.
    pub fn falsely_dated_for_demo(&self, at: Timestamp, actor: Actor) -> Self {
        let read = TenantRead { me: actor.member(), ..self.read };
        let act = self.act.clone();
        let puts_back = self.puts_back.clone();
        Self { read, staged: self.staged, actor, now: at, entropy: self.entropy, falsely_dated: true, act, puts_back }
    }

    /// Whether this write has a false date. Such a write must not send notifications.
    pub const fn is_falsely_dated(&self) -> bool {
        self.falsely_dated
    }

    /// Runs steps that must all succeed. If one fails, the write goes on as if none had been made: its records, counters
    /// and change feed are as before. A caller that does not return an error of a write must make the write in here;
    /// `src/tests/swallowed_errors.rs` finds those that do not.
    pub fn attempt<T>(&self, work: impl FnOnce() -> Result<T>) -> Result<T> {
        self.staged.attempt(work)
    }

    /// Makes changes that are something else to people than their type says. Within an act they stay parts of it.
    pub fn told_as<T>(&self, act: Act, work: impl FnOnce() -> Result<T>) -> Result<T> {
        let before = self.act.borrow().clone();
        if before.is_none() {
            self.act.replace(Some(act));
        }
        let result = work();
        self.act.replace(before);
        result
    }

    /// Runs `work`, which gives records values that they, or the records merged into them, had before. The member does not
    /// choose these values, so what they name is not checked against what the member may see.
    pub fn putting_back<T>(&self, work: impl FnOnce() -> Result<T>) -> Result<T> {
        let before = self.puts_back.replace(true);
        let result = work();
        self.puts_back.set(before);
        result
    }

    /// Whether [`TenantWrite::putting_back`] runs.
    pub fn is_putting_back(&self) -> bool {
        self.puts_back.get()
    }

    /// Makes changes that are parts of an act, which has an entry of its own.
    pub fn as_parts<T>(&self, work: impl FnOnce() -> Result<T>) -> Result<T> {
        self.told_as(Act::Part, work)
    }

    /// Adds the entry of an act to the change feed. None for an act that changed nothing, or that is a part of another.
    pub fn note_act(&self, act: ActEntry<'_>) -> Result<()> {
        let ActEntry { id, verb, kind, count, title, by } = act;
        if count == 0 || self.act.borrow().is_some() {
            return Ok(());
        }
        self.staged.note(Change {
            seq: self.staged.next_seq(),
            tenant: self.tenant,
            at: self.now,
            actor: by.map_or(self.actor, Actor::Member),
            person: None,
            kind: Act::KIND.to_owned(),
            id,
            version: 0,
            op: Op::Updated,
            fields: Vec::new(),
            title,
            part_of: None,
            also_of: Vec::new(),
            amounts: None,
            act: Some(Act::Many { verb, kind: kind.to_owned(), count }),
            is_uncounted: false,
        })
    }

    /// Creates an id that sorts after all earlier ids.
    pub fn new_id<R>(&self) -> Id<R> {
        self.entropy.ordered_uuid(self.now).into()
    }

    /// Creates an id that sorts by a time, among those of records that were created then.
    pub fn id_at<R>(&self, at: Timestamp) -> Id<R> {
        self.entropy.uuid(at).into()
    }

    /// Creates a record under a new id.
    /// Errors: `conflict` when a unique value is taken.
    pub fn create<R: TenantRecord>(&self, value: R) -> Result<Stored<R>> {
        self.put(None, None, self.new_record(self.new_id(), value))
    }

    /// Creates a record under a given id, such as a member's credentials under the member's id. Replaces a damaged
    /// record.
    /// Errors: `conflict` when an intact record has this id, or a unique value is taken.
    pub fn create_at<R: TenantRecord>(&self, id: RecordId<R>, value: R) -> Result<Stored<R>> {
        if self.find_intact::<R>(id)?.is_some() {
            return Err(Error::new(Code::Conflict));
        }
        self.put(None, None, self.new_record(id, value))
    }

    /// Updates a record. `expected` is the version that the caller read; `None` skips the check.
    /// Errors: `not_found`; `stale_version` when the record has another version; `conflict` when a unique value is
    /// taken; what `change` returns.
    pub fn update<R: TenantRecord>(
        &self,
        id: RecordId<R>,
        expected: Option<u64>,
        change: impl FnOnce(&mut R) -> Result<()>,
    ) -> Result<Stored<R>> {
        let old = self.get(id)?;
        self.revise(None, &old, expected, change)
    }

    /// Removes a record.
    /// Errors: `not_found`; `stale_version` when the record has another version than `expected`.
    pub fn remove<R: TenantRecord>(&self, id: RecordId<R>, expected: Option<u64>) -> Result<Stored<R>> {
        let old = self.get(id)?;
        self.drop_record(None, old, expected)
    }

    /// Returns the personal data of the member who writes.
    /// Errors: `internal` when no member writes.
    pub fn own_data(&self) -> Result<PersonalWrite<'_, 'a>> {
        let person = self.me().ok_or_else(|| Error::internal("nobody's own data"))?;
        Ok(PersonalWrite { tx: self, person })
    }

    /// Returns the personal data of any member, to deliver a chat message or a notification. The caller must have
    /// looked up the member through this handle.
    pub const fn person(&self, person: MemberId) -> PersonalWrite<'_, 'a> {
        PersonalWrite { tx: self, person }
    }

    /// Runs `work` once per idempotency key: a repetition within `hours` returns the stored reply. `asked` is the
    /// digest of the request, because a key belongs to one request.
    /// Errors: `idempotency_mismatch` when another request used the key; what `work` returns, and no reply is stored
    /// then.
    pub fn run_once<T: Serialize + DeserializeOwned>(
        &self,
        name: &str,
        asked: &[u8],
        hours: i64,
        work: impl FnOnce() -> Result<T>,
    ) -> Result<T> {
        self.forget_replies(MAX_REPLIES_REMOVED)?;
        let key = self.reply_key(name);
        if let Some(kept) = self.reply(&key)? {
            // Older replies have no digest to compare.
            if !kept.asked.is_empty() && kept.asked != asked {
                let error = Error::new(Code::IdempotencyMismatch);
                return Err(error.and_field("Idempotency-Key", "errors.fields.idempotency_mismatch", Vec::new()));
            }
            return decode(&kept.answer);
        }
        let answer = work()?;
        self.keep_reply(key, asked, hours, &answer)?;
        Ok(answer)
    }

    /// Notes a name for the member who writes, for a number of hours. A repetition begins them again.
    pub fn remember(&self, name: &str, hours: i64) -> Result<()> {
        self.forget_replies(MAX_REPLIES_REMOVED)?;
        self.keep_reply(self.reply_key(name), &[], hours, &())
    }

    /// Whether a name is noted for the member who writes.
    pub fn remembers(&self, name: &str) -> Result<bool> {
        Ok(self.reply(&self.reply_key(name))?.is_some())
    }

    /// Counts an act of the member who writes, under a name, in fixed windows of a number of hours. A window begins with its
    /// first act. Returns the number of acts in the present window, with this one. What no member writes is counted together.
    pub fn count_act(&self, name: &str, hours: i64) -> Result<u32> {
        self.forget_replies(MAX_REPLIES_REMOVED_BY_COUNT)?;
        let key = self.reply_key(name);
        let kept = self.reply(&key)?;
        let before: u32 = kept.as_ref().map_or(Ok(0), |kept| decode(&kept.answer))?;
        let until = kept.map_or_else(|| self.end_of(hours), |kept| kept.until);
        let count = before.saturating_add(1);
        self.keep_reply_until(key, &[], until, &count)?;
        Ok(count)
    }

    /// Returns the key of a reply. It is scoped to the member, so that members cannot collide.
    fn reply_key(&self, name: &str) -> Vec<u8> {
        let mut key = keys::table(self.tenant.into(), keys::REPLIES);
        key.push(if self.me().is_some() { 1 } else { 2 });
        key.extend(self.me().iter().flat_map(|me| *me.as_bytes()));
        key.extend_from_slice(name.as_bytes());
        key
    }

    /// Returns the reply under a key, unless it expired.
    fn reply(&self, key: &[u8]) -> Result<Option<Reply>> {
        let Some(row) = self.staged.rows.get(key)? else { return Ok(None) };
        let kept = unseal_value::<Reply>(&self.staged.rows, key, &row).ok();
        Ok(kept.filter(|kept| self.now.millis() < kept.until))
    }

    fn keep_reply(&self, key: Vec<u8>, asked: &[u8], hours: i64, answer: &impl Serialize) -> Result<()> {
        self.keep_reply_until(key, asked, self.end_of(hours), answer)
    }

    /// Returns the end of a number of hours from now.
    fn end_of(&self, hours: i64) -> i64 {
        self.now.plus_seconds(hours.saturating_mul(3_600)).millis()
    }

    fn keep_reply_until(&self, key: Vec<u8>, asked: &[u8], until: i64, answer: &impl Serialize) -> Result<()> {
        let reply = Reply { until, answer: encode(answer)?, asked: asked.to_owned() };
        let sealed = seal(&key, 1, &encode(&reply)?);
        let mut expiry = reply_expiries(self.tenant, until);
        expiry.extend_from_slice(&key[keys::HEAD_BYTES..]);
        let sealed_expiry = seal(&expiry, 1, &[]);
        self.staged.set(expiry, Some(sealed_expiry));
        self.staged.set(key, Some(sealed));
        Ok(())
    }

    /// Removes at most `most` expired replies.
    fn forget_replies(&self, most: usize) -> Result<()> {
        let first = reply_expiries(self.tenant, i64::MIN);
        let head = first.len();
        let mut over = Vec::new();
        let end = Bound::Excluded(reply_expiries(self.tenant, self.now.millis()));
        self.staged.rows.scan(Bound::Included(first), end, false, &mut |key, _| {
            over.push(key.to_vec());
            Ok(if over.len() < most { ControlFlow::Continue(()) } else { ControlFlow::Break(()) })
        })?;
        for expiry in over {
            let mut key = keys::table(self.tenant.into(), keys::REPLIES);
            key.extend_from_slice(expiry.get(head..).unwrap_or_default());
            // A key that was used again has a later expiry row: its reply stays.
            if let Some(row) = self.staged.rows.get(&key)? {
                let kept = unseal_value::<Reply>(&self.staged.rows, &key, &row);
                if kept.map_or(true, |kept| kept.until < self.now.millis()) {
                    self.staged.set(key, None);
                }
            }
            self.staged.set(expiry, None);
        }
        Ok(())
    }

    /// Puts a record from the bin back into its table: a creation for the change feed.
    pub(super) fn put_restored<R: TenantRecord>(&self, record: Stored<R>) -> Result<Stored<R>> {
        self.told_as(Act::Restored, || self.put(None, None, Stored { updated_at: self.now, ..record }))
    }

    /// Creates a record with an earlier time of creation, by which it sorts, and the member who is its author.
    pub(super) fn create_as_of<R: TenantRecord>(
        &self,
        at: Timestamp,
        by: Option<MemberId>,
        value: R,
    ) -> Result<Stored<R>> {
        // Within one millisecond, only a new id sorts after those before.
        let id = if at < self.now { self.id_at(at) } else { self.new_id() };
        let record = self.new_record(id, value);
        self.put(None, None, Stored { created_at: at, updated_at: at, created_by: by, ..record })
    }

    fn new_record<R: Record>(&self, id: RecordId<R>, value: R) -> Stored<R> {
        Stored { id, version: 0, created_at: self.now, updated_at: self.now, created_by: self.actor.member(), value }
    }

    fn revise<R: Record>(
        &self,
        person: Option<MemberId>,
        old: &Stored<R>,
        expected: Option<u64>,
        change: impl FnOnce(&mut R) -> Result<()>,
    ) -> Result<Stored<R>> {
        if expected.is_some_and(|version| version != old.version) {
            return Err(stale_version());
        }
        let mut new = old.clone();
        change(&mut new.value)?;
        new.updated_at = self.now;
        self.put(person, Some(old), new)
    }

    fn put<R: Record>(
        &self,
        person: Option<MemberId>,
        old: Option<&Stored<R>>,
        mut new: Stored<R>,
    ) -> Result<Stored<R>> {
        let changes = match old {
            Some(old) => changed_fields(&old.value, &new.value)?,
            None => Vec::new(),
        };
        if let Some(old) = old
            && changes.is_empty()
        {
            // Nothing changed: version and change feed stay as they are.
            return Ok(old.clone());
        }
        new.version += 1;
        self.put_row(person, old, &new, changes)?;
        Ok(new)
    }

    /// Changes what members do not edit in a record, such as the values of a deleted field or what follows from other
    /// records. Its version and times stay as they are, and it has no entry in the history. The change feed names no
    /// field.
    pub fn rewrite<R: TenantRecord>(&self, old: &Stored<R>, change: impl FnOnce(&mut R)) -> Result<()> {
        let mut new = old.clone();
        change(&mut new.value);
        if changed_fields(&old.value, &new.value)?.is_empty() {
            return Ok(());
        }
        self.put_row(None, Some(old), &new, Vec::new())
    }

    /// Writes the row of a record with its index entries, counters, history and entry in the change feed.
    fn put_row<R: Record>(
        &self,
        person: Option<MemberId>,
        old: Option<&Stored<R>>,
        new: &Stored<R>,
        changes: Vec<FieldChange>,
    ) -> Result<()> {
        let key = keys::record(self.tenant.into(), R::TABLE, person, new.id.as_bytes());
        let sealed = seal_record(&key, new)?;
        if sealed.len() > MAX_RECORD_BYTES {
            return Err(Error::new(Code::TooLarge));
        }
        let lookups = self.lookup_changes(person, old, Some(new))?;
        self.staged.attempt(|| {
            self.keep_lookups(lookups);
            self.keep_counters(person, old, Some(new))?;
            self.keep_meta(R::TABLE, &key, Some(&sealed))?;
            self.staged.set(key, Some(sealed));
            self.note(person, old, Some(new), changes.iter().map(|change| change.field.clone()).collect())?;
            self.keep_history(new, changes)
        })
    }

    fn drop_record<R: Record>(
        &self,
        person: Option<MemberId>,
        old: Stored<R>,
        expected: Option<u64>,
    ) -> Result<Stored<R>> {
        if expected.is_some_and(|version| version != old.version) {
            return Err(stale_version());
        }
        let key = keys::record(self.tenant.into(), R::TABLE, person, old.id.as_bytes());
        let lookups = self.lookup_changes(person, Some(&old), None)?;
        self.staged.attempt(|| {
            self.keep_lookups(lookups);
            self.keep_counters(person, Some(&old), None)?;
            self.keep_meta(R::TABLE, &key, None)?;
            self.staged.set(key, None);
            self.note(person, Some(&old), None, Vec::new())
        })?;
        Ok(old)
    }

    /// Adds the entry of a change to the change feed. `old` is absent for a new record, `new` for a removed one.
    fn note<R: Record>(
        &self,
        person: Option<MemberId>,
        old: Option<&Stored<R>>,
        new: Option<&Stored<R>>,
        fields: Vec<String>,
    ) -> Result<()> {
        let (op, record) = match (old, new) {
            (None, Some(new)) => (Op::Created, new),
            (Some(_), Some(new)) => (Op::Updated, new),
            (Some(old), None) => (Op::Removed, old),
            (None, None) => return Ok(()),
        };
        if !R::LEDGER {
            return Ok(());
        }
        let title = record.value.title();
        // What has no title is not of all members: a record that few may see, or a part of one.
        let is_uncounted = title.is_none();
        self.staged.note(Change {
            seq: self.staged.next_seq(),
            tenant: self.tenant,
            at: self.now,
            actor: self.actor,
            person,
            kind: R::KIND.to_owned(),
            id: *record.id.as_bytes(),
            version: record.version,
            op,
            fields,
            title,
            part_of: record.value.part_of(),
            also_of: record.value.also_of(),
            amounts: amounts_of_change(old, new, self.now),
            act: self.act.borrow().clone(),
            is_uncounted,
        })
    }
}

/// A write to one member's personal data.
pub struct PersonalWrite<'w, 'a> {
    tx: &'w TenantWrite<'a>,
    person: MemberId,
}

impl PersonalWrite<'_, '_> {
    /// The member whose data this is.
    pub const fn person(&self) -> MemberId {
        self.person
    }

    /// Returns another member's personal data in the same transaction.
    pub const fn colleague(&self, person: MemberId) -> Self {
        Self { tx: self.tx, person }
    }

    /// Returns a read handle on the same data.
    pub fn read(&self) -> read::PersonalRead<'_> {
        self.tx.read.person(self.person)
    }

    /// Creates a record under a new id.
    /// Errors: `conflict` when a unique value is taken.
    pub fn create<R: PersonalRecord>(&self, value: R) -> Result<Stored<R>> {
        self.tx.put(Some(self.person), None, self.tx.new_record(self.tx.new_id(), value))
    }

    /// Creates a record under a given id. Replaces a damaged record.
    /// Errors: `conflict` when an intact record has this id, or a unique value is taken.
    pub fn create_at<R: PersonalRecord>(&self, id: RecordId<R>, value: R) -> Result<Stored<R>> {
        if self.read().find_intact::<R>(id)?.is_some() {
            return Err(Error::new(Code::Conflict));
        }
        self.tx.put(Some(self.person), None, self.tx.new_record(id, value))
    }

    /// Updates a record.
    /// Errors: `not_found`, `conflict`, and what `change` returns.
    pub fn update<R: PersonalRecord>(
        &self,
        id: RecordId<R>,
        change: impl FnOnce(&mut R) -> Result<()>,
    ) -> Result<Stored<R>> {
        let old = self.read().get(id)?;
        self.tx.revise(Some(self.person), &old, None, change)
    }

    /// Removes a record.
    /// Errors: `not_found`.
    pub fn remove<R: PersonalRecord>(&self, id: RecordId<R>) -> Result<Stored<R>> {
        let old = self.read().get(id)?;
        self.tx.drop_record(Some(self.person), old, None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_a_stored_reply_without_a_digest() {
        // Encoding of version 0.1: `(17, [1, 2])` as MessagePack.
        let kept: Reply = decode(&[0x92, 0x11, 0x92, 0x01, 0x02]).unwrap();
        assert_eq!((kept.until, kept.answer, kept.asked), (17, vec![1, 2], Vec::new()));
    }
}
