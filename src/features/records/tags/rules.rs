//! Rules of tags: their colors, and changes of a tag in all records, step by step, and undoing them.

use std::net::IpAddr;

use serde_json::Map;
use uuid::Uuid;

use super::model::{TAG_PARTS_BY_PLACE, TAGS_IN_PROGRESS, TagChange, TagPart, TagRegister, TagSkip, TagUndo};
use crate::{
    feature::{BulkOps, BulkPatch, Color, RecordKind, TaggedPage, TaggedRecord},
    features::{
        kinds,
        records::{
            KindName,
            acts::{ActRecords, MAX_LOOKED_UP},
            bulk::BulkState,
            parts::{PartedRecord, find_part, purge_with_parts},
            purge::Purge,
        },
    },
    kernel::{Code, Error, Id, MemberId, Result},
    people::{
        audit::{self, Event},
        members::ActiveMember,
        permission::Reader,
    },
    store::{ActEntry, Scan, Stored, TenantRead, TenantWrite, Verb},
};

/// Maximum tags that have a color.
const MAX_COLORED: usize = 1_000;
/// Maximum length of a tag.
pub const MAX_LENGTH: usize = 50;
/// Maximum changes of a company that are kept to be undone.
const KEPT: usize = 20;
/// Maximum listed records whose change could not be undone.
const MAX_SKIPS: usize = 100;
/// How many records one write changes, so that other writes do not wait for long.
const CHANGED_PER_WRITE: usize = 25;
/// How many records of a kind one write looks at.
const READ_PER_WRITE: usize = 500;

/// Returns the kinds whose records have tags.
pub fn tagged_kinds() -> impl Iterator<Item = &'static RecordKind> {
    kinds().filter(|kind| kind.tags().is_some())
}

/// Gives a tag a color, or none.
/// Errors: `invalid` when too many tags have one.
pub fn set_color(tx: &TenantWrite<'_>, tag: &str, color: Option<Color>, from: IpAddr) -> Result<()> {
    let mut register = TagRegister::of(tx)?;
    let before = match color {
        Some(color) => register.colors.insert(tag.to_owned(), color),
        None => register.colors.remove(tag),
    };
    if before == color {
        return Ok(());
    }
    if register.colors.len() > MAX_COLORED {
        let params = vec![("max", MAX_COLORED.to_string())];
        return Err(Error::new(Code::Invalid).and_field("color", "errors.fields.too_many", params));
    }
    register.save(tx)?;
    audit::write(tx, Event::new("tag.colored").with("name", tag).from_address(from.to_string()))
}

/// Begins to rename a tag, to merge it into another one, or to remove it, and makes the first step. `total` is the number
/// of records that have it.
/// Errors: `conflict` while another change of the company is in progress.
pub fn begin(
    tx: &TenantWrite<'_>,
    reader: Reader,
    (from, to): (String, Option<String>),
    total: u64,
    address: IpAddr,
) -> Result<Stored<TagChange>> {
    ensure_none_in_progress(tx)?;
    forget_oldest(tx)?;
    let mut register = TagRegister::of(tx)?;
    let color = register.colors.remove(&from);
    let mut passed_color = false;
    if let (Some(color), Some(to)) = (color, &to)
        && !register.colors.contains_key(to)
    {
        register.colors.insert(to.clone(), color);
        passed_color = true;
    }
    if color.is_some() {
        register.save(tx)?;
    }
    let event = Event::new(if to.is_some() { "tag.renamed" } else { "tag.removed" });
    let kind = tagged_kinds().next().map(KindName::of);
    let change = tx.create(TagChange {
        from,
        to,
        state: BulkState::Running,
        kind,
        cursor: None,
        total,
        changed: 0,
        skipped: 0,
        undone: 0,
        undo_skipped: 0,
        undo_skips: Vec::new(),
        undo_parts: None,
        parts: 0,
        color,
        passed_color,
        undone_by: None,
        first: Vec::new(),
    })?;
    let event = event.about(&change, &change.from);
    let event = change.to.iter().fold(event, |event, to| event.with("name", to));
    audit::write(tx, event.from_address(address.to_string()))?;
    advance(tx, reader, &change)
}

/// Begins to undo a change, and makes the first step. One that was undone in part is tried again for the rest.
/// Errors: `not_found`; `conflict` while a change of the company is in progress, or when all of it was undone before.
pub fn undo(tx: &TenantWrite<'_>, reader: Reader, id: Id<TagChange>, address: IpAddr) -> Result<Stored<TagChange>> {
    let change = tx.get::<TagChange>(id)?;
    ensure_none_in_progress(tx)?;
    if change.state == BulkState::Undone && change.undo_skipped == 0 {
        return Err(Error::new(Code::Conflict));
    }
    let mut register = TagRegister::of(tx)?;
    let before = register.clone();
    if let Some(to) =
        change.to.as_ref().filter(|to| change.passed_color && register.colors.get(*to) == change.color.as_ref())
    {
        register.colors.remove(to);
    }
    if let Some(color) = change.color {
        register.colors.entry(change.from.clone()).or_insert(color);
    }
    if register != before {
        register.save(tx)?;
    }
    let change = tx.update(id, None, |change: &mut TagChange| {
        if change.state == BulkState::Undone {
            change.undo_parts = None;
            change.undo_skipped = 0;
            change.undo_skips.clear();
        }
        change.state = BulkState::Undoing;
        change.undone_by = Some(reader.id);
        Ok(())
    })?;
    let event = Event::new("tag.restored").about(&change, &change.from);
    audit::write(tx, event.from_address(address.to_string()))?;
    advance(tx, reader, &change)
}

fn ensure_none_in_progress(tx: &TenantRead<'_>) -> Result<()> {
    if in_progress(tx)?.is_empty() { Ok(()) } else { Err(Error::new(Code::Conflict)) }
}

/// Returns the changes of a tenant that are in progress.
pub fn in_progress(tx: &TenantRead<'_>) -> Result<Vec<Stored<TagChange>>> {
    Ok(tx.page(&Scan::ordered(TAGS_IN_PROGRESS), |_| true)?.items)
}

/// Makes the next step of a change as the member who began it, or who undoes it. Returns whether there is more to do.
pub fn step(tx: &TenantWrite<'_>, id: Id<TagChange>) -> Result<bool> {
    let Some(change) = tx.find::<TagChange>(id)?.filter(|change| change.state.is_in_progress()) else {
        return Ok(false);
    };
    let member = worker(&change).map_or(Ok(None), |member| ActiveMember::find(tx, member))?;
    let Some(ActiveMember { member, .. }) = member else { return stop_broken(tx, id).map(|()| false) };
    let reader = Reader { id: member.id, role: member.role };
    Ok(advance(tx, reader, &change)?.state.is_in_progress())
}

/// Returns the member who makes a change, or undoes it.
pub fn worker(change: &Stored<TagChange>) -> Option<MemberId> {
    if change.state == BulkState::Undoing { change.undone_by } else { change.created_by }
}

/// Stops a change that cannot go on.
pub fn stop_broken(tx: &TenantWrite<'_>, id: Id<TagChange>) -> Result<()> {
    let stop = |change: &mut TagChange| {
        change.state = BulkState::Stopped;
        Ok(())
    };
    tx.update(id, None, stop).map(drop)
}

/// Changes the next records, or undoes their change.
fn advance(tx: &TenantWrite<'_>, reader: Reader, change: &Stored<TagChange>) -> Result<Stored<TagChange>> {
    let mut next = change.value.clone();
    let mut left = CHANGED_PER_WRITE;
    while next.state.is_in_progress() && left > 0 {
        if next.state == BulkState::Undoing {
            tx.as_parts(|| undo_part(tx, reader, (change.id, &mut next), &mut left))?;
        } else {
            tx.as_parts(|| apply_to_page(tx, reader, (change.id, &mut next), &mut left))?;
            if next.cursor.is_some() {
                break;
            }
        }
    }
    let change = tx.update(change.id, None, |kept: &mut TagChange| {
        *kept = next;
        Ok(())
    })?;
    note_end(tx, &change)?;
    Ok(change)
}

/// Adds the entry of a change that has ended, or was undone, to the change feed. It concerns records of several kinds; the
/// entry has that of the first changed record.
fn note_end(tx: &TenantWrite<'_>, change: &Stored<TagChange>) -> Result<()> {
    let (verb, count, by) = match change.state {
        BulkState::Done => (Verb::TagChanged, change.changed, change.created_by),
        BulkState::Undone => (Verb::TagChangeUndone, change.undone, change.undone_by),
        BulkState::Running | BulkState::Undoing | BulkState::Stopped => return Ok(()),
    };
    let first = change.first.first().map(|(name, _)| name.kind());
    // A change that an earlier version began does not name its first records.
    let Some(kind) = first.or_else(|| tagged_kinds().next()).map(|kind| kind.kind) else { return Ok(()) };
    let title = Some(change.from.clone());
    tx.note_act(ActEntry { id: *change.id.as_bytes(), verb, kind, count, title, by })
}

/// Whether a change of a tag removes it. False when the change is forgotten.
pub fn is_removal(tx: &TenantRead<'_>, id: Id<TagChange>) -> Result<bool> {
    Ok(tx.find_intact::<TagChange>(id)?.is_some_and(|change| change.to.is_none()))
}

/// Returns the first records that a change of a tag changed, or with `undone` those that may have been given the tag back. Empty
/// when the change is forgotten.
pub fn records_of_act(tx: &TenantRead<'_>, id: Id<TagChange>, undone: bool) -> Result<ActRecords> {
    let Some(change) = tx.find_intact::<TagChange>(id)? else { return Ok(ActRecords::default()) };
    Ok(ActRecords {
        first: change.first.iter().map(|(name, record)| (*name, record.uuid())).collect(),
        unchanged: if undone { change.undo_skipped } else { 0 },
        are_all: change.changed == change.first.len() as u64,
    })
}

/// Changes the next records of a kind, at most `left`.
fn apply_to_page(
    tx: &TenantWrite<'_>,
    reader: Reader,
    (id, change): (Id<TagChange>, &mut TagChange),
    left: &mut usize,
) -> Result<()> {
    let Some((name, (tags, bulk))) = change.kind.and_then(|name| Some((name, name.kind().tags()?))) else {
        change.state = BulkState::Done;
        return Ok(());
    };
    let kind = name.kind();
    let scan = Scan::all().limit((*left).min(bulk.at_once)).examining(READ_PER_WRITE).after(change.cursor.take());
    let page = if reader.role.has(kind.rights.read) {
        (tags.find)(tx, reader, &scan, &change.from)?
    } else {
        TaggedPage { records: Vec::new(), next: None }
    };
    *left -= page.records.len();
    let mut records = Vec::new();
    for TaggedRecord { id, tags } in page.records {
        match tx.attempt(|| set_tags(tx, reader, (kind, &bulk), id, change.apply_to(&tags))) {
            Ok(()) => records.push(TagUndo { id: id.into(), tags }),
            Err(error) if error.is_of_server() => return Err(error),
            Err(_) => change.skipped += 1,
        }
    }
    change.changed += records.len() as u64;
    let room = MAX_LOOKED_UP.saturating_sub(change.first.len());
    change.first.extend(records.iter().take(room).map(|undo| (name, undo.id)));
    if !records.is_empty() {
        tx.create(TagPart { change: id, place: change.parts, kind: name, records })?;
        change.parts += 1;
    }
    if page.next.is_none() {
        change.kind = tagged_kinds().skip_while(|known| known.kind != kind.kind).nth(1).map(KindName::of);
    }
    change.cursor = page.next;
    Ok(())
}

/// Undoes the change of the records of the last part, except those whose tags were changed since then, which are listed
/// and stay in the part, so that they can be tried again.
fn undo_part(
    tx: &TenantWrite<'_>,
    reader: Reader,
    (id, change): (Id<TagChange>, &mut TagChange),
    left: &mut usize,
) -> Result<()> {
    let Some(last) = change.undo_parts.unwrap_or(change.parts).checked_sub(1) else {
        change.state = BulkState::Undone;
        return Ok(());
    };
    change.undo_parts = Some(last);
    let Some(part) = find_part(tx, id, last)? else { return Ok(()) };
    let kind = part.kind.kind();
    *left = left.saturating_sub(part.records.len());
    let mut records = part.records.clone();
    let mut failed = None;
    records.retain(|undo| match tx.attempt(|| undo_record(tx, reader, kind, change, undo)) {
        Ok(()) => {
            change.undone += 1;
            false
        }
        Err(error) if error.is_of_server() => {
            failed.get_or_insert(error);
            true
        }
        Err(error) => {
            change.undo_skipped += 1;
            if change.undo_skips.len() < MAX_SKIPS {
                change.undo_skips.push(TagSkip {
                    kind: part.kind,
                    id: undo.id,
                    reason: error.code().as_str().to_owned(),
                });
            }
            true
        }
    });
    if let Some(error) = failed {
        return Err(error);
    }
    if records.is_empty() {
        return tx.remove::<TagPart>(part.id, None).map(drop);
    }
    tx.rewrite(&part, |part| part.records = records)
}

/// Gives a record the tags that it had.
/// Errors: `not_found` when it is gone; `stale_version` when its tags were changed since; those of the call that changes
/// one record.
fn undo_record(
    tx: &TenantWrite<'_>,
    reader: Reader,
    kind: &RecordKind,
    change: &TagChange,
    undo: &TagUndo,
) -> Result<()> {
    let (tags, bulk) = kind.tags().ok_or_else(Error::not_found)?;
    let now = (tags.of_record)(tx, reader, undo.id.uuid())?.ok_or_else(Error::not_found)?;
    if now != change.apply_to(&undo.tags) {
        return Err(Error::new(Code::StaleVersion));
    }
    set_tags(tx, reader, (kind, &bulk), undo.id.uuid(), undo.tags.clone())
}

/// Gives a record tags, without notifications.
/// Errors: `forbidden`; those of the call that changes one record.
fn set_tags(
    tx: &TenantWrite<'_>,
    reader: Reader,
    (kind, bulk): (&RecordKind, &BulkOps),
    id: Uuid,
    tags: Vec<String>,
) -> Result<()> {
    if !reader.role.has(kind.rights.write) {
        return Err(Error::new(Code::Forbidden));
    }
    let values = Map::from_iter([("tags".to_owned(), tags.into())]);
    (bulk.change)(tx, reader, id.into_bytes(), &BulkPatch { values, quiet: true, ..BulkPatch::default() }).map(drop)
}

/// Removes the oldest changes when there are too many for another one.
fn forget_oldest(tx: &TenantWrite<'_>) -> Result<()> {
    let kept = tx.page::<TagChange>(&Scan::all().limit(KEPT + 1), |_| true)?.items;
    let surplus = (kept.len() + 1).saturating_sub(KEPT);
    kept.iter().take(surplus).try_for_each(|change| purge_with_parts(tx, change.id, usize::MAX).map(drop))
}

/// Removes the changes of tags that can no longer be undone.
pub const PURGE: Purge = Purge::of::<TagChange>();

impl PartedRecord for TagChange {
    type Part = TagPart;
    const PARTS: u16 = TAG_PARTS_BY_PLACE;
}

/// Removes from a part of a change of tags which tags a record had: the change of that record can no longer be undone.
pub fn forget_record(tx: &TenantWrite<'_>, part: Id<TagPart>, record: Uuid) -> Result<()> {
    let Some(part) = tx.find_intact::<TagPart>(part)? else { return Ok(()) };
    tx.rewrite(&part, |part| part.records.retain(|kept| kept.id.uuid() != record))
}
