//! Rules of bulk changes: who makes them, how they are applied step by step, and undone.

use serde_json::Map;
use uuid::Uuid;

use super::model::{
    BULK_BY_AUTHOR, BULK_IN_PROGRESS, BulkAction, BulkChange, BulkCreated, BulkPart, BulkSkip, BulkState, BulkUndo,
    PARTS_BY_PLACE,
};
use crate::{
    feature::{BulkChanged, BulkPatch, OwnChange, PutBack, RecordKind},
    features::{
        has_referrers,
        records::{
            KindName,
            acts::{ActRecords, MAX_LOOKED_UP},
            parts::{PartedRecord, find_part, purge_with_parts},
            purge::Purge,
        },
    },
    kernel::{Code, Error, Id, MemberId, Result},
    people::{
        members::ActiveMember,
        permission::{Permission, Reader, Role},
    },
    store::{ActEntry, Binned, Page, Scan, Stored, TenantRead, TenantWrite, Verb},
    wire::Paging,
};

/// Maximum records of a bulk change.
pub const MAX_RECORDS: usize = 100_000;
/// Maximum records of a bulk change that notifies members of each.
const NOTIFIED: u64 = 20;
/// Records of a part. Each step writes its part again, so parts are small.
const PART_SIZE: u32 = 50;
/// Parts that are one when a change begins, so that few are written then.
const PARTS_AT_FIRST: usize = 10;
/// Rows of earlier changes that a write removes at most, about.
const FORGOTTEN_PER_WRITE: usize = 500;
/// Maximum listed records that could not be changed.
const MAX_SKIPS: usize = 100;
/// Maximum bulk changes of a member that can be undone.
const KEPT: usize = 20;
/// Maximum records of all these changes.
const KEPT_RECORDS: u64 = 200_000;
/// Maximum records of the changes that a member begins within a minute: each holds up the writer while it begins.
const BEGUN_PER_MINUTE: u64 = if cfg!(test) { 1_000 } else { 200_000 };

/// Begins a bulk change of these records by the writing member, and makes its first step.
/// Errors: `slow_down` after too many records within a minute; `conflict` while another one of the member is in progress;
/// the first refusal when all records are refused, or when the change is invalid for all of the first step.
pub fn begin(
    tx: &TenantWrite<'_>,
    reader: Reader,
    kind: KindName,
    action: BulkAction,
    ids: &[Uuid],
) -> Result<Stored<BulkChange>> {
    let own = finished(tx, reader)?;
    let total = ids.len().try_into().unwrap_or(u64::MAX);
    let minute_ago = tx.now().plus_seconds(-60);
    let begun: u64 = own.iter().filter(|change| change.created_at > minute_ago).map(|change| change.total).sum();
    if begun > 0 && begun + total > BEGUN_PER_MINUTE {
        return Err(Error::new(Code::SlowDown).retry_after(60));
    }
    let change = tx.create(BulkChange {
        kind,
        action,
        state: BulkState::Running,
        total,
        part_size: PART_SIZE,
        done: 0,
        changed: 0,
        skipped: 0,
        skips: Vec::new(),
        undo_done: 0,
        undone: 0,
        undo_skipped: 0,
        undo_skips: Vec::new(),
        undone_by: None,
    })?;
    for (place, ids) in (0..).step_by(PARTS_AT_FIRST).zip(ids.chunks(PARTS_AT_FIRST * PART_SIZE as usize)) {
        let ids = ids.iter().copied().map(Id::from).collect();
        tx.create(BulkPart { change: change.id, place, ids, undo: Vec::new() })?;
    }
    forget_oldest(tx, reader.id)?;
    let mut first_fault = None;
    let change = apply(tx, reader, &change, &mut first_fault)?;
    match first_fault {
        Some(error)
            if change.skipped == change.done && (change.done == change.total || error.code() == Code::Invalid) =>
        {
            Err(error)
        }
        _ => Ok(change),
    }
}

/// Whether a reader sees the bulk changes of all members, and may undo them.
fn sees_all(reader: Reader) -> bool {
    reader.role.has(Permission::AuditRead)
}

/// Returns a bulk change that the reader may see: one of their own, or any for administrators.
/// Errors: `not_found`.
pub fn get(tx: &TenantRead<'_>, reader: Reader, id: Id<BulkChange>) -> Result<Stored<BulkChange>> {
    let is_seen = |change: &Stored<BulkChange>| change.created_by == Some(reader.id) || sees_all(reader);
    tx.find::<BulkChange>(id)?.filter(is_seen).ok_or_else(Error::not_found)
}

/// A page of bulk changes.
#[derive(Debug)]
pub struct BulkList {
    /// The page, the newest change first.
    pub page: Page<BulkChange>,
    /// The number of bulk changes on all pages.
    pub total: u64,
}

/// Returns a page of the bulk changes that the reader may see, of one kind or of all.
pub fn list(tx: &TenantRead<'_>, reader: Reader, kind: Option<KindName>, paging: Paging) -> Result<BulkList> {
    let all = if sees_all(reader) { Scan::all() } else { Scan::with(BULK_BY_AUTHOR, reader.id.as_bytes()) };
    let of_kind = |change: &Stored<BulkChange>| kind.is_none_or(|kind| change.kind == kind);
    let mut total = 0;
    tx.page::<BulkChange>(&all.clone().limit(1), |change| {
        total += u64::from(of_kind(change));
        false
    })?;
    let page = tx.page(&all.reversed(true).limit(paging.limit).after(paging.after), of_kind)?;
    Ok(BulkList { page, total })
}

/// Stops a bulk change before its end. What is changed stays changed.
/// Errors: `not_found`.
pub fn stop(tx: &TenantWrite<'_>, reader: Reader, id: Id<BulkChange>) -> Result<Stored<BulkChange>> {
    let change = get(tx, reader, id)?;
    if change.state == BulkState::Running { end(tx, id) } else { Ok(change) }
}

/// Stops a bulk change that is being applied.
fn end(tx: &TenantWrite<'_>, id: Id<BulkChange>) -> Result<Stored<BulkChange>> {
    let change = tx.update(id, None, |change: &mut BulkChange| {
        change.state = BulkState::Stopped;
        Ok(())
    })?;
    note_end(tx, &change)?;
    Ok(change)
}

/// Adds the entry of a bulk change that has ended, or was undone, to the change feed. That of one record is a change like
/// any other.
fn note_end(tx: &TenantWrite<'_>, change: &Stored<BulkChange>) -> Result<()> {
    let is_removal = change.action == BulkAction::Remove;
    let (verb, count, by) = match change.state {
        BulkState::Running | BulkState::Undoing => return Ok(()),
        BulkState::Done | BulkState::Stopped => {
            (if is_removal { Verb::Removed } else { Verb::Changed }, change.changed, change.created_by)
        }
        BulkState::Undone => {
            (if is_removal { Verb::RemovalUndone } else { Verb::ChangeUndone }, change.undone, change.undone_by)
        }
    };
    if change.total == 1 {
        return Ok(());
    }
    tx.note_act(ActEntry { id: *change.id.as_bytes(), verb, kind: change.kind.kind().kind, count, title: None, by })
}

/// Returns the first records that a bulk change changed, or with `undone` those whose change was undone. Empty when the change is
/// forgotten.
pub fn records_of_act(tx: &TenantRead<'_>, id: Id<BulkChange>, undone: bool) -> Result<ActRecords> {
    let Some(change) = tx.find_intact::<BulkChange>(id)? else { return Ok(ActRecords::default()) };
    let scan = Scan::beginning(PARTS_BY_PLACE, id.as_bytes()).limit(MAX_LOOKED_UP.div_ceil(PART_SIZE as usize));
    let parts = tx.page::<BulkPart>(&scan, |_| true)?.items;
    let looked_at = parts.iter().flat_map(|part| part.ids.iter().zip(&part.undo)).take(MAX_LOOKED_UP);
    // What was undone is forgotten, and then looks like what was not changed. The skipped ones among the first records are
    // all listed, because they are the first that were skipped.
    let was_undone = change.undone_by.is_some();
    let is_changed = |id: Id<()>, undo: Option<&BulkUndo>| match undo {
        Some(_) => !undone,
        None => was_undone && change.skips.iter().all(|skip| skip.id != id),
    };
    let changed = looked_at.filter(|(id, undo)| is_changed(**id, undo.as_ref()));
    let first = changed.map(|(id, _)| (change.kind, id.uuid())).collect();
    let unchanged = if was_undone { change.done.saturating_sub(change.changed + change.skipped) } else { 0 };
    Ok(ActRecords { first, unchanged, are_all: change.done <= MAX_LOOKED_UP as u64 })
}

/// Changes one of the records of a bulk change: a part of the act, unless it is the only one.
fn change_one<T>(tx: &TenantWrite<'_>, total: u64, work: impl FnOnce() -> Result<T>) -> Result<T> {
    if total == 1 { work() } else { tx.as_parts(work) }
}

/// Begins to undo a bulk change, and makes the first step. One that was undone in part is tried again for the rest.
/// Errors: `not_found`; `conflict` while another one is in progress, or when all of it was undone before.
pub fn undo(tx: &TenantWrite<'_>, reader: Reader, id: Id<BulkChange>) -> Result<Stored<BulkChange>> {
    let change = get(tx, reader, id)?;
    if change.state.is_in_progress() {
        return Err(Error::new(Code::Conflict));
    }
    finished(tx, reader)?;
    let change = tx.update(id, None, |change: &mut BulkChange| {
        if change.state == BulkState::Undone {
            if change.undo_skipped == 0 {
                return Err(Error::new(Code::Conflict));
            }
            change.undo_done = 0;
            change.undo_skipped = 0;
            change.undo_skips.clear();
        }
        change.state = BulkState::Undoing;
        change.undone_by = Some(reader.id);
        Ok(())
    })?;
    undo_next(tx, reader, &change)
}

/// Returns the newest bulk changes of a member, the newest first: a few more than are kept.
fn newest(tx: &TenantRead<'_>, author: MemberId) -> Result<Vec<Stored<BulkChange>>> {
    let scan = Scan::with(BULK_BY_AUTHOR, author.as_bytes()).reversed(true).limit(2 * KEPT);
    Ok(tx.page::<BulkChange>(&scan, |_| true)?.items)
}

/// Removes the oldest bulk changes of a member beyond what is kept: some of their parts in each write.
fn forget_oldest(tx: &TenantWrite<'_>, author: MemberId) -> Result<()> {
    let mut kept: u64 = 0;
    let mut rows = 0;
    for (newer, change) in newest(tx, author)?.into_iter().enumerate() {
        kept += change.total;
        let is_kept = newer == 0 || (newer < KEPT && kept <= KEPT_RECORDS) || change.state.is_in_progress();
        if !is_kept && rows < FORGOTTEN_PER_WRITE {
            rows += purge_with_parts(tx, change.id, FORGOTTEN_PER_WRITE - rows)?;
        }
    }
    Ok(())
}

/// Returns the bulk changes of the reader, which are all finished.
/// Errors: `conflict` while one of them is in progress.
fn finished(tx: &TenantRead<'_>, reader: Reader) -> Result<Vec<Stored<BulkChange>>> {
    let own = newest(tx, reader.id)?;
    if own.iter().any(|change| change.state.is_in_progress()) {
        return Err(Error::new(Code::Conflict));
    }
    Ok(own)
}

/// Returns the member who makes a bulk change, or undoes it.
pub fn worker(change: &Stored<BulkChange>) -> Option<MemberId> {
    let undoing = change.undone_by.filter(|_| change.state == BulkState::Undoing);
    undoing.or(change.created_by)
}

/// Makes the next step of a bulk change in the name of who makes or undoes it. Returns whether there is more to do.
pub fn step(tx: &TenantWrite<'_>, id: Id<BulkChange>) -> Result<bool> {
    let Some(change) = tx.find::<BulkChange>(id)?.filter(|change| change.state.is_in_progress()) else {
        return Ok(false);
    };
    let member = worker(&change).map_or(Ok(None), |member| ActiveMember::find(tx, member))?;
    let Some(member) = member.filter(|member| may_make(member.member.role, &change)) else {
        return stop_broken(tx, id).map(|()| false);
    };
    let reader = Reader { id: member.member.id, role: member.member.role };
    forget_oldest(tx, reader.id)?;
    let change = match change.state {
        BulkState::Undoing => undo_next(tx, reader, &change)?,
        _ => apply(tx, reader, &change, &mut None)?,
    };
    Ok(change.state.is_in_progress())
}

/// Whether a role may make a bulk change, or undo it. What its maker did before they lost the right stays, and
/// administrators can undo it.
fn may_make(role: Role, change: &BulkChange) -> bool {
    let rights = &change.kind.kind().rights;
    match change.action {
        BulkAction::Remove => role.has(rights.delete) || role.has(rights.delete_own),
        BulkAction::Change { .. } | BulkAction::Own(_) => role.has(rights.write),
    }
}

/// Stops a bulk change that cannot go on.
pub fn stop_broken(tx: &TenantWrite<'_>, id: Id<BulkChange>) -> Result<()> {
    if tx.get::<BulkChange>(id)?.state == BulkState::Running {
        return end(tx, id).map(drop);
    }
    let stop = |change: &mut BulkChange| {
        change.state = BulkState::Stopped;
        Ok(())
    };
    tx.update(id, None, stop).map(drop)
}

/// Returns the part of a change that a record belongs to, and the record's place in the part; no part if it is gone.
fn part_of(tx: &TenantRead<'_>, change: &Stored<BulkChange>, done: u64) -> Result<Option<(Stored<BulkPart>, usize)>> {
    let size = u64::from(change.part_size.max(1));
    let place = u32::try_from(done / size).map_err(Error::internal)?;
    let at = usize::try_from(done % size).map_err(Error::internal)?;
    Ok(find_part(tx, change.id, place)?.map(|part| (part, at)))
}

/// Moves what a part has beyond its size to the next one.
fn divide(tx: &TenantWrite<'_>, change: &Stored<BulkChange>, part: Stored<BulkPart>) -> Result<Stored<BulkPart>> {
    let size = usize::try_from(change.part_size).map_err(Error::internal)?;
    if part.ids.len() <= size {
        return Ok(part);
    }
    let ids = part.ids[size..].to_vec();
    tx.create(BulkPart { change: change.id, place: part.place + 1, ids, undo: Vec::new() })?;
    tx.update(part.id, None, |part: &mut BulkPart| {
        part.ids.truncate(size);
        Ok(())
    })
}

/// Changes the next records.
fn apply(
    tx: &TenantWrite<'_>,
    reader: Reader,
    change: &Stored<BulkChange>,
    first_fault: &mut Option<Error>,
) -> Result<Stored<BulkChange>> {
    let kind = change.kind.kind();
    let at_once = kind.bulk.map_or(1, |ops| ops.at_once);
    let quiet = change.total > NOTIFIED;
    let task = Task::of(kind, &change.action, quiet)?;
    let mut next = change.value.clone();
    if next.done < next.total {
        let part = part_of(tx, change, next.done)?;
        let (part, at) = part.ok_or_else(|| Error::internal("a part of a bulk change is gone"))?;
        let part = divide(tx, change, part)?;
        let mut undo = part.undo.clone();
        undo.truncate(at);
        for id in part.ids.iter().skip(at).take(at_once) {
            let apply_one = || apply_to(tx, reader, kind, &task, *id.as_bytes());
            match tx.attempt(|| change_one(tx, change.total, apply_one)) {
                Ok(taken) => {
                    next.changed += u64::from(taken.is_some());
                    undo.push(taken);
                }
                Err(error) if error.is_of_server() => return Err(error),
                Err(error) => {
                    next.skipped += 1;
                    if next.skips.len() < MAX_SKIPS {
                        next.skips.push(BulkSkip::of(*id, &error));
                    }
                    undo.push(None);
                    first_fault.get_or_insert(error);
                }
            }
            next.done += 1;
        }
        tx.update(part.id, None, |part: &mut BulkPart| {
            part.undo = undo;
            Ok(())
        })?;
    }
    if next.done >= next.total {
        next.state = BulkState::Done;
    }
    keep(tx, change.id, next)
}

/// Keeps how far a bulk change is.
fn keep(tx: &TenantWrite<'_>, id: Id<BulkChange>, next: BulkChange) -> Result<Stored<BulkChange>> {
    let change = tx.update(id, None, |kept: &mut BulkChange| {
        *kept = next;
        Ok(())
    })?;
    note_end(tx, &change)?;
    Ok(change)
}

/// What is done to each record.
enum Task {
    Change(BulkPatch),
    Own(OwnChange),
    /// The flag is whether no notifications are sent.
    Remove(bool),
}

impl Task {
    fn of(kind: &RecordKind, action: &BulkAction, quiet: bool) -> Result<Self> {
        match action {
            BulkAction::Change { patch, add_tags, remove_tags } => {
                let values: Map<_, _> = serde_json::from_str(patch).map_err(Error::internal)?;
                let (add_tags, remove_tags) = (add_tags.clone(), remove_tags.clone());
                Ok(Self::Change(BulkPatch { values, add_tags, remove_tags, quiet }))
            }
            BulkAction::Own(name) => {
                let own = kind.bulk.into_iter().flat_map(|ops| ops.own_changes).find(|(known, _)| known == name);
                Ok(Self::Own(own.ok_or_else(|| Error::internal("an unknown bulk change"))?.1))
            }
            BulkAction::Remove => Ok(Self::Remove(quiet)),
        }
    }
}

/// Changes or removes a record. Returns how to undo it; `None` when it was so before.
fn apply_to(
    tx: &TenantWrite<'_>,
    reader: Reader,
    kind: &RecordKind,
    task: &Task,
    id: [u8; 16],
) -> Result<Option<BulkUndo>> {
    let ops = kind.bulk.ok_or_else(Error::not_found)?;
    if let Task::Remove(quiet) = *task {
        let any = reader.role.has(kind.rights.delete);
        if !any && !reader.role.has(kind.rights.delete_own) {
            return Err(Error::new(Code::Forbidden));
        }
        (ops.remove)(tx, reader, id, any, quiet)?;
        return Ok(Some(BulkUndo { version: 0, digest: String::new(), patch: None, created: None }));
    }
    if !reader.role.has(kind.rights.write) {
        return Err(Error::new(Code::Forbidden));
    }
    let changed = match task {
        Task::Change(patch) => (ops.change)(tx, reader, id, patch)?,
        Task::Own(change) => change(tx, reader, id)?,
        Task::Remove(_) => None,
    };
    changed
        .map(|BulkChanged { version, digest, before, created }| {
            let patch = serde_json::to_string(&before).map_err(Error::internal)?;
            let created =
                created.and_then(|(kind, id)| Some(BulkCreated { kind: KindName::find(kind)?, id: id.into() }));
            Ok(BulkUndo { version, digest, patch: Some(patch), created })
        })
        .transpose()
}

/// Undoes the change of the next records, the last one first, except those that were changed since then, which are
/// listed. A record that was moved because another was removed is so taken back before the other. What was undone is
/// forgotten, so that the rest can be tried again.
fn undo_next(tx: &TenantWrite<'_>, reader: Reader, change: &Stored<BulkChange>) -> Result<Stored<BulkChange>> {
    let kind = change.kind.kind();
    let quiet = change.total > NOTIFIED;
    let mut next = change.value.clone();
    let left = next.done - next.undo_done;
    let part = left.checked_sub(1).map_or(Ok(None), |last| part_of(tx, change, last))?;
    if part.is_none() {
        // How the others were before is forgotten.
        next.undo_skipped += left;
        next.undo_done = next.done;
    }
    if let Some((part, at)) = part {
        let at_once = kind.bulk.map_or(1, |ops| ops.at_once);
        let mut left = part.undo.clone();
        for (place, (id, undo)) in part.ids.iter().zip(&part.undo).enumerate().take(at + 1).rev().take(at_once) {
            next.undo_done += 1;
            let Some(undo) = undo else { continue };
            let removed_by =
                change.created_by.filter(|author| *author == reader.id || reader.role.has(kind.rights.delete));
            let undo_one = || undo_record(tx, reader, kind, (*id.as_bytes(), undo), (removed_by, quiet));
            match tx.attempt(|| change_one(tx, change.total, undo_one)) {
                Ok(None) => {
                    next.undone += 1;
                    left[place] = None;
                }
                Ok(rest) => {
                    left[place] = rest;
                    note_undo_skip(&mut next, *id, &Error::new(Code::Invalid));
                }
                Err(error) if error.is_of_server() => return Err(error),
                Err(error) => note_undo_skip(&mut next, *id, &error),
            }
        }
        tx.update(part.id, None, |part: &mut BulkPart| {
            part.undo = left;
            Ok(())
        })?;
    }
    if next.undo_done >= next.done {
        next.state = BulkState::Undone;
    }
    keep(tx, change.id, next)
}

/// Notes that the change of a record could not be undone, or not all of it.
fn note_undo_skip(change: &mut BulkChange, id: Id<()>, error: &Error) {
    change.undo_skipped += 1;
    if change.undo_skips.len() < MAX_SKIPS {
        change.undo_skips.push(BulkSkip::of(id, error));
    }
}

/// Undoes the change of a record. `removed_by` is whose removed records the reader may restore. Returns what is left to
/// undo: values that no longer fit.
/// Errors: `stale_version` when it was changed or restored since then; `not_found` when it is gone; `conflict` when
/// another record has a value that must be unique.
fn undo_record(
    tx: &TenantWrite<'_>,
    reader: Reader,
    kind: &RecordKind,
    (id, undo): ([u8; 16], &BulkUndo),
    (removed_by, quiet): (Option<MemberId>, bool),
) -> Result<Option<BulkUndo>> {
    let (Some(ops), Some(bin)) = (kind.bulk, kind.bin) else { return Err(Error::not_found()) };
    let Some(patch) = &undo.patch else {
        let Some(binned) = tx.find::<Binned>(Id::from_bytes(id))? else {
            let is_there = (ops.version)(tx, id)?.is_some();
            return Err(Error::new(if is_there { Code::StaleVersion } else { Code::NotFound }));
        };
        if removed_by.is_none() || binned.created_by != removed_by {
            return Err(Error::not_found());
        }
        return (bin.restore)(tx, id, quiet).map(|()| None);
    };
    let values = serde_json::from_str(patch).map_err(Error::internal)?;
    ops.ensure_left_as(tx, id, undo.version, &undo.digest)?;
    let PutBack { changed, left } = ops.put_back(tx, reader, id, values)?;
    if let Some(created) = undo.created {
        remove_unreferenced(tx, reader, created.kind.kind(), (created.id.uuid(), ""))?;
    }
    if left.is_empty() {
        return Ok(None);
    }
    let (version, digest) =
        changed.map_or_else(|| (undo.version, undo.digest.clone()), |changed| (changed.version, changed.digest));
    let patch = serde_json::to_string(&left).map_err(Error::internal)?;
    Ok(Some(BulkUndo { version, digest, patch: Some(patch), created: None }))
}

/// Why a record that was created for another one stays when that is undone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeptBecause {
    /// It was changed since.
    Changed,
    /// Others refer to it.
    Used,
    /// The reader may not remove it.
    Forbidden,
}

/// Removes a record that was created for another one, unless its contents are others than then or others refer to it.
/// `digest` is that of its contents when it was created; empty when only its version tells. Returns why it stays.
pub fn remove_unreferenced(
    tx: &TenantWrite<'_>,
    reader: Reader,
    kind: &RecordKind,
    (id, digest): (Uuid, &str),
) -> Result<Option<KeptBecause>> {
    let Some(ops) = kind.bulk.filter(|_| reader.role.has(kind.rights.delete_own)) else {
        return Ok(Some(KeptBecause::Forbidden));
    };
    match ops.ensure_left_as(tx, id.into_bytes(), 1, digest) {
        Ok(()) => {}
        Err(error) if error.code() == Code::NotFound => return Ok(None),
        Err(error) if error.code() == Code::StaleVersion => return Ok(Some(KeptBecause::Changed)),
        Err(error) => return Err(error),
    }
    if has_referrers(tx, reader, (kind, id))? {
        return Ok(Some(KeptBecause::Used));
    }
    (ops.remove)(tx, reader, id.into_bytes(), false, true).map(|()| None)
}

/// Returns the bulk changes of a tenant that are in progress, with their authors.
pub fn in_progress(tx: &TenantRead<'_>) -> Result<Vec<Stored<BulkChange>>> {
    Ok(tx.page(&Scan::ordered(BULK_IN_PROGRESS), |_| true)?.items)
}

/// Removes the bulk changes that can no longer be undone.
pub const PURGE: Purge = Purge::of::<BulkChange>();

impl PartedRecord for BulkChange {
    type Part = BulkPart;
    const PARTS: u16 = PARTS_BY_PLACE;
}

/// Removes from a part of a bulk change how a record was before: the change of that record can no longer be undone.
pub fn forget_record(tx: &TenantWrite<'_>, part: Id<BulkPart>, record: Uuid) -> Result<()> {
    let Some(part) = tx.find_intact::<BulkPart>(part)? else { return Ok(()) };
    tx.rewrite(&part, |part| {
        for (id, undo) in part.ids.iter().zip(&mut part.undo) {
            if id.uuid() == record {
                *undo = None;
            }
        }
    })
}
