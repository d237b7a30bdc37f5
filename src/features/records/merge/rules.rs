//! Rules of merges.

use std::collections::HashMap;

use serde_json::{Map, Value};
use uuid::Uuid;

use super::{
    combine::{Choice, combine, unchanged_members},
    model::{MERGE_PARTS, MERGES_BY_RECORD, MERGES_IN_PROGRESS, Merge, MergePart},
    parts::{count_public, move_back, move_some},
};
use crate::{
    feature::{BulkChanged, BulkOps, BulkPatch, RecordKind, fields_in_use, hide_deleted_values, members_of},
    features::{
        kinds,
        records::{
            KindName,
            activities::dates::set_dates,
            bulk::BulkState,
            duplicates,
            parts::{PartedRecord, find_part, purge_with_parts},
            purge::{KEPT_DAYS, Purge, SECONDS_PER_DAY},
        },
    },
    kernel::{Code, Error, Id, MemberId, Result, Timestamp, error::Words},
    people::permission::Reader,
    store::{ActEntry, Binned, HistoryEvent, MergedRecord, Scan, Stored, TenantRead, TenantWrite, Verb},
};

/// How many things follow in one write, so that other writes do not wait for long.
const MOVED_PER_WRITE: usize = 50;
/// How many of the last merges of a record are looked at.
const MERGES_OF_RECORD: usize = 50;
/// Merges of a record that are looked at in one write of an erasure.
const MERGED_AT_ONCE: usize = 10;
/// Maximum merges of a company that can be undone.
const KEPT: u64 = 10_000;

/// What a member merges.
#[derive(Debug)]
pub struct NewMerge {
    /// The record that is kept.
    pub kept: Uuid,
    /// The record that becomes part of it.
    pub duplicate: Uuid,
    /// What happens to the fields.
    pub choices: HashMap<String, Choice>,
    /// The version of the kept record that the member saw, if given.
    pub expected: Option<u64>,
}

/// Merges a record into another one, and lets the first things follow.
/// Errors: `not_found`; `forbidden` when the reader may not change the one or remove the other; `stale_version`;
/// `invalid` for another record that does not exist, for unknown choices, and for combined values that break a rule;
/// `conflict` while the duplicate takes part in a merge in progress.
pub fn begin(tx: &TenantWrite<'_>, reader: Reader, kind: &'static RecordKind, new: NewMerge) -> Result<Stored<Merge>> {
    let merge = tx.as_parts(|| begin_parts(tx, reader, kind, new))?;
    note_act(tx, &merge, Verb::Merged)?;
    Ok(merge)
}

/// Adds the entry of a merge, or of its undoing, to the change feed. It has the id of the kept record, whose title it names,
/// so that the title is replaced when the person is erased.
fn note_act(tx: &TenantWrite<'_>, merge: &Stored<Merge>, verb: Verb) -> Result<()> {
    let id = *merge.kept.as_bytes();
    let title = Some(merge.kept_title.clone());
    tx.note_act(ActEntry { id, verb, kind: merge.kind.kind().kind, count: 1, title, by: None })
}

fn begin_parts(
    tx: &TenantWrite<'_>,
    reader: Reader,
    kind: &'static RecordKind,
    new: NewMerge,
) -> Result<Stored<Merge>> {
    let ops = duplicates::ops(kind)?;
    let (Some(exchange), Some(bulk)) = (kind.exchange, kind.bulk) else { return Err(Error::not_found()) };
    let NewMerge { kept, duplicate, choices, expected } = new;
    let (version, mut own) = (exchange.shown)(tx, reader, kept)?.ok_or_else(Error::not_found)?;
    duplicates::ensure(reader, kind.rights.write)?;
    let other = if kept == duplicate { None } else { (exchange.shown)(tx, reader, duplicate)? };
    let (_, mut other) = other.ok_or_else(|| Error::field("duplicateId", "errors.fields.unknown_reference"))?;
    let fields = fields_in_use(tx, kind.kind)?;
    hide_deleted_values(&mut own, &fields);
    hide_deleted_values(&mut other, &fields);
    if expected.is_some_and(|expected| expected != version) {
        return Err(Error::new(Code::StaleVersion));
    }
    for id in [kept, duplicate] {
        if of_record(tx, id)?.iter().any(|merge| merge.state.is_in_progress()) {
            return Err(Error::new(Code::Conflict));
        }
    }
    if tx.count::<Merge>()? >= KEPT {
        return Err(Error::new(Code::Conflict).say("errors.too_many_merges", vec![("max", KEPT.to_string())]));
    }
    // Refused as a whole, before anything is changed.
    combine(&ops, &choices, &own, &other)?;
    let duplicate_title = title(tx, reader, kind, duplicate)?;
    let any = reader.role.has(kind.rights.delete);
    if !any {
        duplicates::ensure(reader, kind.rights.delete_own)?;
    }
    // First, because unique values are free while a record is in the bin.
    (bulk.remove)(tx, reader, duplicate.into_bytes(), any, true)?;
    let merged = MergedRecord { id: duplicate, title: duplicate_title.clone() };
    let changed = tx.keep_merged(kept, HistoryEvent::Merged, merged, || {
        change_kept(tx, reader, &bulk, kept, other, |other| combine(&ops, &choices, &own, other))
            .map_err(|error| error.within("fields"))
    })?;
    let mut before = None;
    let mut after = None;
    if let Some(changed) = changed {
        let (_, now) = (exchange.shown)(tx, reader, kept)?.ok_or_else(Error::not_found)?;
        after = Some(text_of(&members_of(&changed.before, &now))?);
        before = Some(text_of(&changed.before)?);
    }
    let name = KindName::of(kind);
    duplicates::forget(tx, name, duplicate)?;
    let merge = tx.create(Merge {
        kind: name,
        kept,
        kept_title: title(tx, reader, kind, kept)?,
        duplicate,
        duplicate_title,
        state: BulkState::Running,
        before,
        after,
        phase: 0,
        cursor: None,
        parts: 0,
        moved: 0,
        left: 0,
        left_fields: Vec::new(),
        undone_by: None,
        in_history: true,
    })?;
    advance(tx, &merge)
}

/// Gives the kept record its combined values. A value of the other record that refers to one that is not there, such as an
/// organization in the bin, is left out.
fn change_kept(
    tx: &TenantWrite<'_>,
    reader: Reader,
    bulk: &BulkOps,
    kept: Uuid,
    mut other: Value,
    combined: impl Fn(&Value) -> Result<Map<String, Value>>,
) -> Result<Option<BulkChanged>> {
    loop {
        let patch = BulkPatch { values: combined(&other)?, quiet: true, ..BulkPatch::default() };
        if patch.values.is_empty() {
            return Ok(None);
        }
        let error = match tx.attempt(|| tx.putting_back(|| (bulk.change)(tx, reader, kept.into_bytes(), &patch))) {
            Err(error) => error,
            changed => return changed,
        };
        let is_gone = |(_, fault): &(String, Words)| fault.key == "errors.fields.unknown_reference";
        let paths = error.fields().iter().map(|(path, _)| path.as_str());
        if !error.fields().iter().all(is_gone) || paths.filter(|path| remove_at(&mut other, path)).count() == 0 {
            return Err(error);
        }
    }
}

/// Removes the value at a path of names, such as `fields.partner`. Returns whether there was one.
fn remove_at(values: &mut Value, path: &str) -> bool {
    let (parent, name) = match path.rsplit_once('.') {
        Some((parent, name)) => (values.pointer_mut(&format!("/{}", parent.replace('.', "/"))), name),
        None => (Some(values), path),
    };
    parent.and_then(Value::as_object_mut).is_some_and(|members| members.remove(name).is_some())
}

fn title(tx: &TenantRead<'_>, reader: Reader, kind: &RecordKind, id: Uuid) -> Result<String> {
    Ok(kind.find_head(tx, reader, id)?.map(|head| head.title).unwrap_or_default())
}

fn text_of(values: &Map<String, Value>) -> Result<String> {
    serde_json::to_string(values).map_err(Error::internal)
}

/// Returns a merge that the reader may see.
/// Errors: `not_found`.
pub fn get(tx: &TenantRead<'_>, reader: Reader, id: Id<Merge>) -> Result<Stored<Merge>> {
    let merge = tx.get::<Merge>(id)?;
    if reader.role.has(merge.kind.kind().rights.read) { Ok(merge) } else { Err(Error::not_found()) }
}

/// Returns until when a merge can be undone; `None` when it no longer can.
pub fn undoable_until(tx: &TenantRead<'_>, merge: &Stored<Merge>) -> Result<Option<Timestamp>> {
    let is_done = matches!(merge.state, BulkState::Done | BulkState::Stopped);
    // What followed went on to another record, if the kept one was merged since: that merge is undone first.
    let went_on = || find_of(tx, merge.kept).map(|later| later.is_some());
    if !is_done || tx.find_intact::<Binned>(Id::from(merge.duplicate))?.is_none() || went_on()? {
        return Ok(None);
    }
    Ok(Some(merge.created_at.plus_seconds(KEPT_DAYS * SECONDS_PER_DAY)))
}

/// Begins to undo a merge, and makes the first step: the fields of the kept record that were not changed since are as before,
/// and the duplicate is taken out of the bin.
/// Errors: `not_found`; `forbidden` for members who neither merged the records nor may remove any; `conflict` when the
/// merge is in progress, was undone before or can no longer be undone, when the kept record was merged into another one
/// since, or when a unique value is taken.
pub fn undo(tx: &TenantWrite<'_>, reader: Reader, id: Id<Merge>) -> Result<Stored<Merge>> {
    let merge = tx.as_parts(|| undo_parts(tx, reader, id))?;
    note_act(tx, &merge, Verb::MergeUndone)?;
    Ok(merge)
}

fn undo_parts(tx: &TenantWrite<'_>, reader: Reader, id: Id<Merge>) -> Result<Stored<Merge>> {
    let merge = get(tx, reader, id)?;
    let kind = merge.kind.kind();
    let (Some(exchange), Some(bulk), Some(bin)) = (kind.exchange, kind.bulk, kind.bin) else {
        return Err(Error::not_found());
    };
    if merge.created_by != Some(reader.id) {
        duplicates::ensure(reader, kind.rights.delete)?;
    }
    duplicates::ensure(reader, kind.rights.write)?;
    if undoable_until(tx, &merge)?.is_none() {
        return Err(Error::new(Code::Conflict));
    }
    let merged = MergedRecord { id: merge.duplicate, title: merge.duplicate_title.clone() };
    let left_fields = tx.keep_merged(merge.kept, HistoryEvent::Unmerged, merged, || {
        let (Some(before), Some(after)) = (&merge.before, &merge.after) else { return Ok(Vec::new()) };
        let before = values_of(before)?;
        let after = values_of(after)?;
        let now = (exchange.shown)(tx, reader, merge.kept)?;
        let now = now.map(|(_, now)| now).unwrap_or_default();
        let (values, mut changed) = unchanged_members(&before, &after, &now);
        if !values.is_empty() {
            let left = bulk.put_back(tx, reader, merge.kept.into_bytes(), values)?.left;
            changed.extend(left.into_iter().map(|(name, _)| name));
        }
        Ok(changed)
    })?;
    (bin.restore)(tx, merge.duplicate.into_bytes(), true)?;
    duplicates::put_back(tx, reader, kind, (merge.kept, merge.duplicate))?;
    let merge = tx.update(id, None, |merge: &mut Merge| {
        merge.state = BulkState::Undoing;
        merge.left_fields = left_fields;
        merge.undone_by = Some(reader.id);
        Ok(())
    })?;
    advance(tx, &merge)
}

fn values_of(text: &str) -> Result<Map<String, Value>> {
    serde_json::from_str(text).map_err(Error::internal)
}

/// Makes the next step of a merge. Returns whether there is more to do.
pub fn step(tx: &TenantWrite<'_>, id: Id<Merge>) -> Result<bool> {
    let Some(merge) = tx.find::<Merge>(id)?.filter(|merge| merge.state.is_in_progress()) else { return Ok(false) };
    Ok(tx.as_parts(|| advance(tx, &merge))?.state.is_in_progress())
}

/// Stops a merge that cannot go on.
pub fn stop_broken(tx: &TenantWrite<'_>, id: Id<Merge>) -> Result<()> {
    let stop = |merge: &mut Merge| {
        merge.state = BulkState::Stopped;
        Ok(())
    };
    tx.update(id, None, stop).map(drop)
}

/// Returns the member who merges records, or undoes it.
pub fn worker(merge: &Stored<Merge>) -> Option<MemberId> {
    if merge.state == BulkState::Undoing { merge.undone_by } else { merge.created_by }
}

/// Lets the next things follow, or gives them back.
fn advance(tx: &TenantWrite<'_>, merge: &Stored<Merge>) -> Result<Stored<Merge>> {
    let mut next = merge.value.clone();
    let mut left = MOVED_PER_WRITE;
    while next.state.is_in_progress() && left > 0 {
        if next.state == BulkState::Undoing {
            give_back(tx, merge.id, &mut next, &mut left)?;
        } else {
            follow(tx, merge.id, &mut next, &mut left)?;
        }
    }
    tx.update(merge.id, None, |merge: &mut Merge| {
        *merge = next;
        Ok(())
    })
}

fn follow(tx: &TenantWrite<'_>, id: Id<Merge>, merge: &mut Merge, left: &mut usize) -> Result<()> {
    let from = (merge.phase, merge.cursor.take());
    let Some(moved) = move_some(tx, merge.kind, (merge.duplicate, merge.kept), from, *left)? else {
        merge.state = BulkState::Done;
        return refresh(tx, merge.kind.kind(), merge.kept);
    };
    // A sort without any counts as one, so that a write stays short.
    *left = left.saturating_sub(moved.items.len().max(1));
    merge.moved += count_public(tx, &moved.items)?;
    if !moved.items.is_empty() {
        tx.create(MergePart { merge: id, place: merge.parts, items: moved.items })?;
        merge.parts += 1;
    }
    if moved.next.is_none() {
        merge.phase += 1;
    }
    merge.cursor = moved.next;
    Ok(())
}

fn give_back(tx: &TenantWrite<'_>, id: Id<Merge>, merge: &mut Merge, left: &mut usize) -> Result<()> {
    let Some(last) = merge.parts.checked_sub(1) else {
        merge.state = BulkState::Undone;
        refresh(tx, merge.kind.kind(), merge.kept)?;
        return refresh(tx, merge.kind.kind(), merge.duplicate);
    };
    merge.parts = last;
    let Some(part) = find_part(tx, id, last)? else { return Ok(()) };
    *left = left.saturating_sub(part.items.len());
    for item in &part.items {
        if !move_back(tx, *item, merge.kept, merge.duplicate)? {
            merge.left += count_public(tx, &[*item])?;
        }
    }
    tx.remove::<MergePart>(part.id, None).map(drop)
}

/// Sets what follows from other records: the dates of contact, and the name in the records that keep it.
fn refresh(tx: &TenantWrite<'_>, kind: &'static RecordKind, id: Uuid) -> Result<()> {
    let is_there = kind.bulk.map_or(Ok(None), |bulk| (bulk.version)(tx, id.into_bytes()))?.is_some();
    if !is_there {
        return Ok(());
    }
    set_dates(tx, kind, id)?;
    kinds().filter_map(|kind| kind.follow_name).try_for_each(|follow| follow(tx, kind.kind, id))
}

/// Returns the last merges of a record, the newest first.
fn of_record(tx: &TenantRead<'_>, record: Uuid) -> Result<Vec<Stored<Merge>>> {
    let scan = Scan::with(MERGES_BY_RECORD, record.as_bytes()).reversed(true).limit(MERGES_OF_RECORD);
    Ok(tx.page::<Merge>(&scan, |_| true)?.items)
}

/// Returns the merge that put a record into the bin, if it was not undone.
pub fn find_of(tx: &TenantRead<'_>, duplicate: Uuid) -> Result<Option<Stored<Merge>>> {
    let is_of = |merge: &Stored<Merge>| {
        merge.duplicate == duplicate && !matches!(merge.state, BulkState::Undoing | BulkState::Undone)
    };
    Ok(of_record(tx, duplicate)?.into_iter().find(is_of))
}

/// Returns the next records in the bin that were merged into a record, and where to continue; not those that were merged
/// into these.
pub fn merged_into(tx: &TenantRead<'_>, kept: Uuid, after: Option<Vec<u8>>) -> Result<(Vec<Uuid>, Option<Vec<u8>>)> {
    let scan = Scan::with(MERGES_BY_RECORD, kept.as_bytes()).limit(MERGED_AT_ONCE).after(after);
    let page = tx.page::<Merge>(&scan, |_| true)?;
    let mut found = Vec::new();
    for merge in page.items {
        if merge.kept == kept && find_of(tx, merge.duplicate)?.is_some_and(|last| last.id == merge.id) {
            found.push(merge.value.duplicate);
        }
    }
    Ok((found, page.next))
}

/// Removes a merge of a record that is being erased, with its parts.
pub fn forget_record(tx: &TenantWrite<'_>, id: Id<Merge>) -> Result<()> {
    let found = tx.find_intact::<Merge>(id)?;
    found.map_or(Ok(()), |merge| purge_with_parts(tx, merge.id, usize::MAX).map(drop))
}

/// Returns the merges of a tenant that are in progress.
pub fn in_progress(tx: &TenantRead<'_>) -> Result<Vec<Stored<Merge>>> {
    Ok(tx.page(&Scan::ordered(MERGES_IN_PROGRESS), |_| true)?.items)
}

/// Removes the merges that can no longer be undone.
pub const PURGE: Purge = Purge::of::<Merge>();

impl PartedRecord for Merge {
    type Part = MergePart;
    const PARTS: u16 = MERGE_PARTS;
}
