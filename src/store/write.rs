//! Writing: changes are gathered beside the store, seen by the one who makes them, and applied only
//! when all of them succeeded. Lookups, figures, counts and the ledger are kept here, not by features.

use std::{
    cell::{Cell, RefCell},
    ops::{Bound, ControlFlow, Deref},
};

use serde::{Deserialize, Serialize, de::DeserializeOwned};

use super::{
    changes::{Actor, Change, Op},
    codec::{PersonalRecord, Record, Stored, TenantRecord, decode, encode, seal, seal_record},
    derived::changed_fields,
    keys::{self, Space},
    read::{self, TenantRead, unseal_value},
    table::TableInfo,
    view::{Layer, Rows, View},
};
use crate::kernel::{Code, Entropy, Error, Id, MemberId, Result, TenantId, Timestamp};

/// The most that a record may hold, in bytes as it is stored.
const LARGEST: usize = 16 * 1024 * 1024;
/// Kept replies looked at on the way of a write, to forget the oldest.
const FORGET: usize = 16;

/// What one write has changed so far.
pub(super) struct WriteOverlay<'b> {
    pub(super) rows: Layer<'b>,
    changes: RefCell<Vec<Change>>,
    last_seq: Cell<u64>,
    broken: Cell<bool>,
}

impl<'b> WriteOverlay<'b> {
    pub(super) fn over(base: &'b dyn View, last_seq: u64) -> Self {
        Self {
            rows: Layer::over(base),
            changes: RefCell::default(),
            last_seq: Cell::new(last_seq),
            broken: Cell::new(false),
        }
    }

    /// The rows and changes, to be applied, and the place of the last change.
    ///
    /// # Errors
    /// `internal` when a record was staged by half: the write cannot go through, whatever it answers.
    pub(super) fn finish(self) -> Result<(Rows, Vec<Change>, u64)> {
        if self.broken.get() {
            return Err(Error::internal("a write went on after the store had failed it"));
        }
        Ok((self.rows.into_rows(), self.changes.into_inner(), self.last_seq.get()))
    }

    pub(super) fn set(&self, key: Vec<u8>, value: Option<Vec<u8>>) {
        self.rows.set(key, value);
    }

    /// Does what must be done whole: when it fails on the way, the write as a whole has failed.
    pub(super) fn whole<T>(&self, work: impl FnOnce() -> Result<T>) -> Result<T> {
        work().inspect_err(|_| self.broken.set(true))
    }

    /// The place of the next change.
    pub(super) fn next_seq(&self) -> u64 {
        self.last_seq.get() + 1
    }

    pub(super) fn note(&self, change: Change) -> Result<()> {
        self.note_quietly(&change)?;
        self.changes.borrow_mut().push(change);
        Ok(())
    }

    /// Notes a change of which nobody is told at once: whoever reads the ledger comes upon it.
    pub(super) fn note_quietly(&self, change: &Change) -> Result<()> {
        let seq = change.seq.to_be_bytes();
        let mut order = keys::table(Space::SYSTEM, keys::LEDGER);
        order.extend_from_slice(&seq);
        let sealed = seal(&order, 1, change.tenant.as_bytes());
        self.set(order, Some(sealed));
        let mut key = keys::table(change.tenant.into(), keys::LEDGER);
        key.extend_from_slice(&seq);
        let sealed = seal(&key, 1, &encode(change)?);
        self.set(key, Some(sealed));
        self.last_seq.set(change.seq);
        Ok(())
    }

    pub(super) fn count(&self, key: Vec<u8>, by: i64) -> Result<()> {
        if by == 0 {
            return Ok(());
        }
        let total = match read::read_counter(&self.rows, &key) {
            // A damaged figure stays as it is, noted and refused to readers; it keeps nobody from writing.
            Err(error) if error.is_damage() => return Ok(()),
            kept => kept?.saturating_add(by),
        };
        let value = if total == 0 { None } else { Some(seal(&key, 1, &encode(&total)?)) };
        self.set(key, value);
        Ok(())
    }
}

/// The answer that is kept for a key. Those of before had no names and no digest: they are read as well.
#[derive(Serialize, Deserialize)]
struct Reply {
    until: i64,
    answer: Vec<u8>,
    #[serde(default)]
    asked: Vec<u8>,
}

/// A write to one tenant's data. Reads through it see what it has written already.
pub struct TenantWrite<'a> {
    pub(super) read: TenantRead<'a>,
    pub(super) staged: &'a WriteOverlay<'a>,
    actor: Actor,
    now: Timestamp,
    entropy: &'a Entropy,
    falsely_dated: bool,
}

impl<'a> Deref for TenantWrite<'a> {
    type Target = TenantRead<'a>;
    fn deref(&self) -> &Self::Target {
        &self.read
    }
}

/// The beginning of the rows that say which replies may be forgotten at `until` (milliseconds since 1970).
fn reply_expiries(tenant: TenantId, until: i64) -> Vec<u8> {
    let mut key = keys::table(tenant.into(), keys::REPLIES);
    key.push(0);
    // With the sign bit turned, numbers sort as their bytes do.
    key.extend_from_slice(&(until ^ i64::MIN).to_be_bytes());
    key
}

/// The figure that counts what happens in the hour of a moment.
pub(super) fn activity(at: Timestamp) -> String {
    format!("activity/{}", at.jiff().strftime("%Y-%m-%dT%H"))
}

/// What a write says when a record changed since it was read.
fn stale() -> Error {
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
        }
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

    /// The same write as if it happened at another moment, past or to come, and by another hand: what is
    /// made through it bears that date and that name, in the record and in the ledger. Only demo data and
    /// tests may do so; anybody else would falsify what happened.
    #[must_use]
    pub fn falsely_dated_for_demo(&self, at: Timestamp, actor: Actor) -> Self {
        Self { read: TenantRead { me: actor.member(), ..self.read }, actor, now: at, falsely_dated: true, ..*self }
    }

    /// Whether this write bears another date than its own: nobody is to be told of what it does.
    #[must_use]
    pub const fn is_falsely_dated(&self) -> bool {
        self.falsely_dated
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

    /// Keeps a new record under the id of something else (a member's credentials under the member's), also in the
    /// place of a damaged one.
    ///
    /// # Errors
    /// `conflict` when there is one already, or a unique value is taken.
    pub fn create_at<R: TenantRecord>(&self, id: Id<R>, value: R) -> Result<Stored<R>> {
        if self.find_intact(id)?.is_some() {
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
        self.revise(None, &old, expected, change)
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
    pub fn own(&self) -> Result<PersonalWrite<'_, 'a>> {
        let person = self.me().ok_or_else(|| Error::internal("nobody's own data"))?;
        Ok(PersonalWrite { tx: self, person })
    }

    /// A colleague's own data: to deliver a message, a notification, a line of chat. The caller has
    /// looked the member up through this handle first.
    #[must_use]
    pub const fn person(&self, person: MemberId) -> PersonalWrite<'_, 'a> {
        PersonalWrite { tx: self, person }
    }

    /// Does `work` once for a key: a second time within `hours`, the first answer is given again. `asked` is the
    /// digest of what was asked for: a key stands for one request.
    ///
    /// # Errors
    /// `idempotency_mismatch` when something else was asked for under the key; what `work` returns, and nothing is
    /// kept then.
    pub fn once<T: Serialize + DeserializeOwned>(
        &self,
        name: &str,
        asked: &[u8],
        hours: i64,
        work: impl FnOnce() -> Result<T>,
    ) -> Result<T> {
        self.forget_replies()?;
        let mut key = keys::table(self.tenant.into(), keys::REPLIES);
        // A member's names are the member's own; nobody else can hit upon them.
        key.push(if self.me().is_some() { 1 } else { 2 });
        key.extend(self.me().iter().flat_map(|me| *me.as_bytes()));
        key.extend_from_slice(name.as_bytes());
        if let Some(row) = self.staged.rows.get(&key)? {
            let kept = unseal_value::<Reply>(&self.staged.rows, &key, &row).ok();
            if let Some(kept) = kept.filter(|kept| self.now.millis() < kept.until) {
                // Not known of a reply that was kept before this was.
                if !kept.asked.is_empty() && kept.asked != asked {
                    let error = Error::new(Code::IdempotencyMismatch);
                    return Err(error.and_field("Idempotency-Key", "errors.fields.idempotency_mismatch", Vec::new()));
                }
                return decode(&kept.answer);
            }
        }
        let answer = work()?;
        let until = self.now.plus_seconds(hours.saturating_mul(3_600)).millis();
        let reply = Reply { until, answer: encode(&answer)?, asked: asked.to_owned() };
        let sealed = seal(&key, 1, &encode(&reply)?);
        let mut expiry = reply_expiries(self.tenant, until);
        expiry.extend_from_slice(&key[keys::HEAD..]);
        let sealed_expiry = seal(&expiry, 1, &[]);
        self.staged.set(expiry, Some(sealed_expiry));
        self.staged.set(key, Some(sealed));
        Ok(answer)
    }

    /// Forgets a few of the kept replies whose time is over.
    fn forget_replies(&self) -> Result<()> {
        let first = reply_expiries(self.tenant, i64::MIN);
        let head = first.len();
        let mut over = Vec::new();
        let end = Bound::Excluded(reply_expiries(self.tenant, self.now.millis()));
        self.staged.rows.scan(Bound::Included(first), end, false, &mut |key, _| {
            over.push(key.to_vec());
            Ok(if over.len() < FORGET { ControlFlow::Continue(()) } else { ControlFlow::Break(()) })
        })?;
        for expiry in over {
            let mut key = keys::table(self.tenant.into(), keys::REPLIES);
            key.extend_from_slice(expiry.get(head..).unwrap_or_default());
            // A name that was used again since has a later expiry of its own: its reply stays.
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

    const fn fresh<R>(&self, id: Id<R>, value: R) -> Stored<R> {
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
        old: Option<&Stored<R>>,
        mut new: Stored<R>,
    ) -> Result<Stored<R>> {
        let fields = match old {
            Some(old) => changed_fields(&old.value, &new.value)?,
            None => Vec::new(),
        };
        if let Some(old) = old
            && fields.is_empty()
        {
            // Nothing changed: neither the version nor the ledger says it did.
            return Ok(old.clone());
        }
        new.version += 1;
        let space: Space = self.tenant.into();
        let key = keys::record(space, R::TABLE, person, new.id.as_bytes());
        let sealed = seal_record(&key, &new)?;
        if sealed.len() > LARGEST {
            return Err(Error::new(Code::TooLarge));
        }
        let lookups = self.lookup_changes(person, old, Some(&new))?;
        let op = if old.is_some() { Op::Updated } else { Op::Created };
        self.staged.whole(|| {
            self.keep_lookups(lookups);
            self.keep_counters(person, old, Some(&new))?;
            self.keep_meta(R::TABLE, &key, Some(&sealed))?;
            self.staged.set(key, Some(sealed));
            self.note(person, &new, op, fields)
        })?;
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
        let lookups = self.lookup_changes(person, Some(&old), None)?;
        self.staged.whole(|| {
            self.keep_lookups(lookups);
            self.keep_counters(person, Some(&old), None)?;
            self.keep_meta(R::TABLE, &key, None)?;
            self.staged.set(key, None);
            self.note(person, &old, Op::Removed, Vec::new())
        })?;
        Ok(old)
    }

    fn note<R: Record>(&self, person: Option<MemberId>, record: &Stored<R>, op: Op, fields: Vec<String>) -> Result<()> {
        if !R::LEDGER {
            return Ok(());
        }
        if person.is_none() {
            self.staged.count(read::counter_key(self.tenant.into(), &activity(self.now)), 1)?;
        }
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
            title: record.value.title(),
        })
    }
}

/// A write to one person's own data.
pub struct PersonalWrite<'w, 'a> {
    tx: &'w TenantWrite<'a>,
    person: MemberId,
}

impl PersonalWrite<'_, '_> {
    /// Whose data it is.
    #[must_use]
    pub const fn person(&self) -> MemberId {
        self.person
    }

    /// A colleague's own data in the same write.
    #[must_use]
    pub const fn colleague(&self, person: MemberId) -> Self {
        Self { tx: self.tx, person }
    }

    /// The same data for reading.
    #[must_use]
    pub fn read(&self) -> read::PersonalRead<'_> {
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
        if self.read().find_intact(id)?.is_some() {
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
        self.tx.revise(Some(self.person), &old, None, change)
    }

    /// Removes a record.
    ///
    /// # Errors
    /// `not_found`.
    pub fn remove<R: PersonalRecord>(&self, id: Id<R>) -> Result<Stored<R>> {
        let old = self.read().get(id)?;
        self.tx.drop_record(Some(self.person), old, None)
    }

    /// Removes all that is the person's own, of all kinds in a list: they have gone.
    ///
    /// # Errors
    /// `busy` or `internal` when something cannot be read.
    pub fn clear(&self, tables: &[TableInfo]) -> Result<()> {
        tables.iter().filter_map(|table| table.clear).try_for_each(|clear| clear(self))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reply_that_was_kept_without_a_digest_is_read() {
        // As version 0.1 wrote them: `(17, [1, 2])` as MessagePack.
        let kept: Reply = decode(&[0x92, 0x11, 0x92, 0x01, 0x02]).unwrap();
        assert_eq!((kept.until, kept.answer, kept.asked), (17, vec![1, 2], Vec::new()));
    }
}
