//! Rules of activities: who logs, changes and removes one, and which records it concerns.

use std::collections::BTreeSet;

use uuid::Uuid;

use super::{
    dates::set_last_contact,
    model::{ACTIVITIES_BY_RECORD, Activity, ActivityId, ActivityLink, MAX_LINKS},
};
use crate::{
    feature::{Audience, NextStepDraft, Restricted},
    features::{
        find_kind, kinds,
        records::{KindName, check_day},
    },
    kernel::{Code, Day, Error, MemberId, Result, error::Faults},
    people::permission::{Permission, Reader},
    store::{Scan, Stored, TenantRead, TenantWrite},
};

/// Furthest time in the future of an activity: clocks differ.
const FUTURE_MINUTES: i64 = 24 * 60;

/// What comes next, as a member says it.
#[derive(Clone, Debug)]
pub struct NextStep {
    /// What is done.
    pub title: String,
    /// The day on which it is due.
    pub due_date: Option<Day>,
    /// The member who does it.
    pub assignee_id: Option<MemberId>,
}

/// Returns the right whose holders see all records on which activities are logged.
fn sees_all() -> Option<Permission> {
    kinds().filter(|kind| kind.contact.is_some()).find_map(|kind| kind.sees_all)
}

/// Returns the members who see an activity whatever records it still concerns; `None` when all members do.
pub(super) fn restrict_by_limit(activity: &Activity) -> Option<Restricted> {
    match &activity.limit {
        Audience::Company => None,
        Audience::People(people) => Some(Restricted { holders: sees_all(), people: people.iter().copied().collect() }),
    }
}

/// Whether a reader sees an activity: when they see all records that it concerns, and saw those that are gone for good.
pub fn is_visible(tx: &TenantRead<'_>, reader: Reader, activity: &Activity) -> Result<bool> {
    if !activity.limit.includes(reader.id) && !sees_all().is_some_and(|right| reader.role.has(right)) {
        return Ok(false);
    }
    for link in &activity.links {
        if !link.kind.kind().may_know_of(tx, reader, link.record_id)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Returns an activity that the reader may see.
/// Errors: `not_found`.
pub fn get(tx: &TenantRead<'_>, reader: Reader, id: ActivityId) -> Result<Stored<Activity>> {
    let activity = tx.get::<Activity>(id)?;
    if is_visible(tx, reader, &activity)? { Ok(activity) } else { Err(Error::not_found()) }
}

/// Logs an activity. It also concerns the organization of a person, and the person and organization of a deal. A next step
/// becomes a task, unless the activity names a task that exists.
/// Errors: `invalid`, also for records that the reader may not see.
pub fn create(
    tx: &TenantWrite<'_>,
    reader: Reader,
    mut activity: Activity,
    next: Option<NextStep>,
) -> Result<Stored<Activity>> {
    check(tx, reader, &mut activity, None)?;
    check_next_task(tx, reader, &activity, next.is_some())?;
    add_related(tx, reader, &mut activity.links)?;
    if let Some(NextStep { title, due_date, assignee_id }) = next {
        let steps = kinds().find_map(|kind| kind.next_steps);
        let steps = steps.ok_or_else(|| Error::internal("no kind has next steps"))?;
        let concerns = activity.links.iter().map(|link| (link.kind.kind().kind, link.record_id)).collect();
        let made = (steps.make)(tx, &NextStepDraft { title, due_date, assignee_id, concerns });
        activity.next_task_id = Some(made.map_err(|error| error.within("nextStep"))?);
    }
    let kept = tx.create_at(tx.id_at(activity.at), activity)?;
    follow(tx, &kept.links)?;
    Ok(kept)
}

/// Changes an activity; `expected` is the version that the caller read, if given.
/// Errors: `not_found`; `forbidden` for the activity of another member, unless the reader may change any;
/// `stale_version`; `invalid`.
pub fn change(
    tx: &TenantWrite<'_>,
    reader: Reader,
    id: ActivityId,
    expected: Option<u64>,
    change: impl FnOnce(Activity) -> Activity,
) -> Result<Stored<Activity>> {
    let old = own(tx, reader, id)?;
    let new = tx.update::<Activity>(id, expected, |activity| {
        let mut new = change(old.value.clone());
        check(tx, reader, &mut new, Some(&old))?;
        if new.at != old.at {
            new.place = Some(tx.id_at::<Activity>(new.at).uuid());
        }
        *activity = new;
        Ok(())
    })?;
    follow(tx, &old.links)?;
    follow(tx, &new.links)?;
    Ok(new)
}

/// Removes an activity.
/// Errors: `not_found`; `forbidden` for the activity of another member, unless the reader may remove any.
pub fn remove(tx: &TenantWrite<'_>, reader: Reader, id: ActivityId) -> Result<()> {
    let old = own(tx, reader, id)?;
    tx.remove::<Activity>(id, None)?;
    follow(tx, &old.links)
}

/// Sets the last contact of the records of an activity.
fn follow(tx: &TenantWrite<'_>, links: &[ActivityLink]) -> Result<()> {
    links.iter().try_for_each(|link| set_last_contact(tx, link.kind.kind(), link.record_id))
}

/// Returns an activity that the reader may change.
fn own(tx: &TenantRead<'_>, reader: Reader, id: ActivityId) -> Result<Stored<Activity>> {
    let activity = get(tx, reader, id)?;
    let is_own = activity.created_by == Some(reader.id);
    if is_own || reader.role.has(Permission::CommentsDelete) { Ok(activity) } else { Err(Error::new(Code::Forbidden)) }
}

/// Normalizes and validates an activity. Records that were there before may be gone.
fn check(tx: &TenantWrite<'_>, reader: Reader, activity: &mut Activity, old: Option<&Activity>) -> Result<()> {
    let mut faults = Faults::default();
    activity.tidy();
    activity.check(&mut faults);
    for (at, link) in activity.links.iter().enumerate().take(MAX_LINKS) {
        if old.is_some_and(|old| old.links.contains(link)) {
            continue;
        }
        let kind = link.kind.kind();
        if kind.contact.is_none() || kind.find_head(tx, reader, link.record_id)?.is_none() {
            faults.add(format!("links.{at}.recordId"), "errors.fields.unknown_reference");
        } else if activity.links[..at].contains(link) {
            faults.add(format!("links.{at}.recordId"), "errors.fields.twice");
        }
    }
    if activity.at > tx.now().plus_seconds(FUTURE_MINUTES * 60) {
        faults.add("at", "errors.fields.in_future");
    } else {
        let day = |activity: &Activity| activity.at.day_in("UTC");
        check_day(tx, "at", (Some(day(activity)), old.map(day)), Day::PLANNED, &mut faults);
    }
    faults.into_result()
}

/// Rejects a next task that the reader does not see, and one beside a next step.
fn check_next_task(tx: &TenantRead<'_>, reader: Reader, activity: &Activity, has_step: bool) -> Result<()> {
    let Some(id) = activity.next_task_id else { return Ok(()) };
    if has_step {
        return Err(Error::field("nextTaskId", "errors.fields.next_step"));
    }
    let task = kinds().find(|kind| kind.next_steps.is_some());
    match task.map_or(Ok(None), |kind| kind.find_head(tx, reader, id))? {
        Some(_) => Ok(()),
        None => Err(Error::field("nextTaskId", "errors.fields.unknown_reference")),
    }
}

/// Adds the records that an activity concerns, too, as far as the reader may see them and there is room.
fn add_related(tx: &TenantRead<'_>, reader: Reader, links: &mut Vec<ActivityLink>) -> Result<()> {
    for link in links.clone() {
        let Some(ops) = link.kind.kind().contact else { continue };
        for (kind, record_id) in (ops.related)(tx, link.record_id)? {
            let Some(kind) = KindName::find(kind) else { continue };
            let related = ActivityLink { kind, record_id };
            let is_seen = kind.kind().find_head(tx, reader, record_id)?.is_some();
            if is_seen && links.len() < MAX_LINKS && !links.contains(&related) {
                links.push(related);
            }
        }
    }
    Ok(())
}

/// Returns who may see a record that goes for good: of a damaged one of a kind with visibility, only those who see all.
fn last_audience(tx: &TenantRead<'_>, kind: &str, record: Uuid) -> Result<Audience> {
    let Some(kind) = find_kind(kind) else { return Ok(Audience::Company) };
    let known = kind.contact.map_or(Ok(None), |ops| (ops.audience)(tx, record))?;
    let unknown = if kind.has_visibility() { Audience::People(BTreeSet::new()) } else { Audience::Company };
    Ok(known.unwrap_or(unknown))
}

/// Takes up to `limit` activities away from a record that is gone for good: those that concern no other are removed.
/// The others stay hidden from those who could not see the record, as its tasks do. Returns their number.
pub fn take_away(tx: &TenantWrite<'_>, (kind, record): (&str, Uuid), limit: usize) -> Result<usize> {
    let scan = Scan::with(ACTIVITIES_BY_RECORD, record.as_bytes()).limit(limit);
    let found = tx.page::<Activity>(&scan, |_| true)?.items;
    if found.is_empty() {
        return Ok(0);
    }
    let audience = last_audience(tx, kind, record)?;
    let count = found.len();
    for activity in found {
        let left: Vec<ActivityLink> = activity.links.iter().filter(|link| link.record_id != record).copied().collect();
        if left.is_empty() {
            tx.remove::<Activity>(activity.id, None)?;
        } else {
            tx.rewrite(&activity, |new| {
                new.links = left;
                new.limit = activity.limit.intersect(&audience);
            })?;
        }
    }
    Ok(count)
}
