//! What all kinds of records have in common: their names, lists with saved views, the bin, activities, comments, files,
//! links and the timeline.

pub mod activities;
pub mod acts;
pub mod attachments;
pub mod bin;
pub mod bulk;
pub mod comments;
pub mod content;
pub mod duplicates;
mod emoji;
pub mod exact;
pub mod fields;
mod kind_name;
pub mod links;
pub mod lists;
pub mod merge;
pub mod names;
pub mod parts;
pub mod purge;
pub mod tags;
pub mod timeline;
pub mod views;

pub use crate::feature::{removable, remove};
pub use kind_name::{KindName, KindPath};
use uuid::Uuid;

use crate::{
    feature::{
        AudienceRule, CustomField, ExcerptSource, Feature, KindRecord, LiveKind, RecordHead, RecordKind, Restricted,
    },
    kernel::{Code, Day, Error, Id, MemberId, Result, Timestamp, error::Faults},
    people::{
        members::MemberRecord,
        permission::{Permission, Reader, Role},
    },
    store::{Change, Record, RecordId, Stored, TenantRead, TenantRecord, TenantWrite},
};

/// Feature registration.
pub const FEATURE: Feature = Feature::new("records")
    .with_live(&[
        live_part::<comments::Comment>(),
        live_part::<attachments::RecordFile>(),
        LiveKind::to_holders_or_restricted::<activities::Activity>(Permission::Read, activities::restrict),
        LiveKind::to_holders_or_restricted::<links::RecordLink>(Permission::Read, links::restrict),
        LiveKind::to_holders_or_restricted::<bulk::BulkChange>(Permission::Read, bulk::restrict),
        LiveKind::to_holders::<CustomField>(Permission::Read),
        LiveKind::to_holders::<duplicates::DuplicateScan>(Permission::Read),
        LiveKind::to_holders::<merge::Merge>(Permission::Read),
        LiveKind::to_holders::<tags::TagRegister>(Permission::Read),
        LiveKind::to_holders::<tags::TagChange>(Permission::SettingsCompany),
        LiveKind::to_holders_or_restricted::<views::SavedView>(Permission::Read, views::restrict_never_shared),
        LiveKind::to_owner::<views::ViewDefaults>(),
    ])
    .with_files(&[attachments::shows_file, comments::shows_file])
    .with_excerpts(&[ExcerptSource { kind: <comments::Comment as Record>::KIND, find: comments::find_excerpt }]);

/// Changes of a part go to all who may see its record. `P` names the record in `Record::part_of`.
const fn live_part<P: TenantRecord<Key = P>>() -> LiveKind {
    LiveKind::to_holders_or_restricted::<P>(Permission::Read, restrict_part::<P>)
}

fn restrict_part<P: TenantRecord<Key = P>>(
    tx: &TenantRead<'_>,
    id: [u8; 16],
    change: Option<&Change>,
) -> Result<Option<Restricted>> {
    match tx.find_intact::<P>(Id::from_bytes(id))? {
        Some(part) => restrict_to_all(tx, part.part_of().iter().filter_map(parse_record)),
        None => restrict_to_former(tx, change),
    }
}

/// Returns the members who see all records that something was a part of, by the change that removed it; `None` when all
/// do.
fn restrict_to_former(tx: &TenantRead<'_>, change: Option<&Change>) -> Result<Option<Restricted>> {
    let records = change.into_iter().flat_map(|change| change.part_of.iter().chain(&change.also_of));
    restrict_to_all(tx, records.filter_map(parse_record))
}

fn parse_record((kind, id): &(String, [u8; 16])) -> Option<(KindName, Uuid)> {
    Some((KindName::find(kind)?, Uuid::from_bytes(*id)))
}

/// Returns the members who see all of some records; `None` when all members do.
fn restrict_to_all(
    tx: &TenantRead<'_>,
    records: impl IntoIterator<Item = (KindName, Uuid)>,
) -> Result<Option<Restricted>> {
    let mut all: Option<Restricted> = None;
    for (kind, record) in records {
        let AudienceRule::HoldersOrRestricted(_, restrict) = kind.kind().live.to else { continue };
        let Some(one) = restrict(tx, record.into_bytes(), None)? else { continue };
        all = Some(match all {
            None => one,
            Some(all) => intersect(tx, &all, &one)?,
        });
    }
    Ok(all)
}

/// Returns the members who are in both audiences. Holders of a right that opens only one of them are named, unless all who
/// hold it hold the other one's, too.
fn intersect(tx: &TenantRead<'_>, one: &Restricted, other: &Restricted) -> Result<Restricted> {
    let includes_right =
        |wide: Permission, narrow: Permission| Role::ALL.iter().all(|role| !role.has(narrow) || role.has(wide));
    let holders = match (one.holders, other.holders) {
        (Some(one), Some(other)) if includes_right(other, one) => Some(one),
        (Some(one), Some(other)) if includes_right(one, other) => Some(other),
        _ => None,
    };
    let mut people = Vec::new();
    for member in one.people.iter().chain(&other.people).copied() {
        if !people.contains(&member) && includes(tx, one, member)? && includes(tx, other, member)? {
            people.push(member);
        }
    }
    Ok(Restricted { holders, people })
}

fn includes(tx: &TenantRead<'_>, audience: &Restricted, id: MemberId) -> Result<bool> {
    if audience.people.contains(&id) {
        return Ok(true);
    }
    let Some(right) = audience.holders else { return Ok(false) };
    Ok(tx.find_intact::<MemberRecord>(id)?.is_some_and(|member| member.role.has(right)))
}

/// Returns a record as its parts see it.
/// Errors: `not_found`, also when the reader may not see it.
pub fn find_record(tx: &TenantRead<'_>, reader: Reader, kind: KindPath, id: Uuid) -> Result<RecordHead> {
    kind.kind().find_head(tx, reader, id)?.ok_or_else(Error::not_found)
}

/// Returns a record that the reader may see.
/// Errors: `not_found`.
pub fn get_visible<R: KindRecord>(tx: &TenantRead<'_>, reader: Reader, id: RecordId<R>) -> Result<Stored<R>> {
    let record = tx.get::<R>(id)?;
    if R::is_visible_to(&record, reader) { Ok(record) } else { Err(Error::not_found()) }
}

/// Rejects a change of a record's parts by a reader who may not change the record.
/// Errors: `not_found`; `forbidden`.
pub fn ensure_may_write(tx: &TenantRead<'_>, reader: Reader, (kind, record): (KindPath, Uuid)) -> Result<()> {
    find_record(tx, reader, kind, record)?;
    if reader.role.has(kind.kind().rights.write) { Ok(()) } else { Err(Error::new(Code::Forbidden)) }
}

/// Returns the member who reads or writes, as a reader of records; `None` when it is the system.
pub fn reader_of(tx: &TenantRead<'_>) -> Result<Option<Reader>> {
    let Some(me) = tx.me() else { return Ok(None) };
    Ok(tx.find::<MemberRecord>(me)?.map(|member| Reader { id: me, role: member.role }))
}

/// Whether the member who writes may see a record.
pub fn is_seen(tx: &TenantRead<'_>, kind: &RecordKind, id: Uuid) -> Result<bool> {
    let Some(reader) = reader_of(tx)? else { return Ok(false) };
    Ok(kind.find_head(tx, reader, id)?.is_some())
}

/// Whether a reader may know of a record to which another one refers, as [`RecordKind::may_know_of`]; false for a record
/// that cannot be read.
pub fn may_know_of(tx: &TenantRead<'_>, reader: Reader, kind: &RecordKind, id: Uuid) -> Result<bool> {
    match kind.may_know_of(tx, reader, id) {
        Err(error) if error.is_damage() => Ok(false),
        known => known,
    }
}

/// Adds a fault when a field refers to a record that does not exist. What it referred to before may have been removed
/// since.
pub fn check_reference<R: TenantRecord, T>(
    tx: &TenantRead<'_>,
    (new, old): (&T, Option<&T>),
    field: &'static str,
    id_of: impl Fn(&T) -> Option<RecordId<R>>,
    faults: &mut Faults,
) -> Result<()> {
    if let Some(id) = id_of(new)
        && old.and_then(&id_of) != Some(id)
        && tx.find::<R>(id)?.is_none()
    {
        faults.add(field, "errors.fields.unknown_reference");
    }
    Ok(())
}

/// Checks that the time of something that is over is possible, as [`Faults::past_time`] does. The time that a record had
/// before the change stays, and a merge or an undo may put one back.
pub fn check_past_time(
    tx: &TenantWrite<'_>,
    field: &str,
    (new, old): (Option<Timestamp>, Option<Timestamp>),
    faults: &mut Faults,
) {
    if let Some(at) = new.filter(|_| new != old && !tx.is_putting_back()) {
        faults.past_time(field, at, tx.now());
    }
}

/// Checks that a day lies within a range, such as [`Day::PLANNED`]. The day that a record had before the change may lie
/// outside, and so may one that a merge or an undo puts back.
pub fn check_day(
    tx: &TenantWrite<'_>,
    field: &str,
    (new, old): (Option<Day>, Option<Day>),
    range: (Day, Day),
    faults: &mut Faults,
) {
    if let Some(day) = new.filter(|_| new != old && !tx.is_putting_back()) {
        faults.day(field, day, range);
    }
}
