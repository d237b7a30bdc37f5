//! The dates of contact with a record: its last contact and its next step. A record shows only those that all who see the
//! record may see, so that what hangs on a hidden record leaves no trace on others.

use uuid::Uuid;

use super::model::{ACTIVITIES_BY_RECORD, Activity, CONTACTS_BY_RECORD};
use crate::{
    feature::{Audience, RecordKind},
    features::kinds,
    kernel::Result,
    store::{Scan, TenantRead, TenantWrite},
};

/// Maximum contacts that are examined for the last one of a record, and activities whose records follow a change of who may
/// see one of them.
const MAX_EXAMINED: usize = 50;

/// Sets the last contact of a record to the time of its newest call, visit or e-mail, of the newest 50.
pub fn set_last_contact(tx: &TenantWrite<'_>, kind: &RecordKind, record: Uuid) -> Result<()> {
    let Some(ops) = kind.contact else { return Ok(()) };
    let Some(audience) = (ops.audience)(tx, record)? else { return Ok(()) };
    let newest = Scan::beginning(CONTACTS_BY_RECORD, record.as_bytes()).reversed(true).limit(1).examining(MAX_EXAMINED);
    let is_seen = |activity: &Activity| is_seen_by(tx, activity, record, &audience).unwrap_or(false);
    let newest = tx.page::<Activity>(&newest, |activity| is_seen(activity))?.items.pop().map(|activity| activity.at);
    (ops.set_dates)(tx, record, &|dates| dates.last = newest)
}

/// Whether all members of an audience, who see one record of an activity, see its others, also those that are gone for
/// good.
fn is_seen_by(tx: &TenantRead<'_>, activity: &Activity, record: Uuid, audience: &Audience) -> Result<bool> {
    if !activity.limit.includes_all(audience) {
        return Ok(false);
    }
    for link in activity.links.iter().filter(|link| link.record_id != record) {
        let other = link.kind.kind().contact.map_or(Ok(None), |ops| (ops.audience)(tx, link.record_id))?;
        if other.is_some_and(|other| !other.includes_all(audience)) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Sets the next step of a record to the open task that is due first.
pub fn set_next_step(tx: &TenantWrite<'_>, kind: &RecordKind, record: Uuid) -> Result<()> {
    let Some((ops, steps)) = kind.contact.zip(kinds().find_map(|kind| kind.next_steps)) else { return Ok(()) };
    let Some(audience) = (ops.audience)(tx, record)? else { return Ok(()) };
    let first = (steps.first)(tx, record, &audience)?;
    (ops.set_dates)(tx, record, &|dates| dates.next = first)
}

/// Sets both dates, after a record was taken out of the bin.
pub fn set_dates(tx: &TenantWrite<'_>, kind: &RecordKind, record: Uuid) -> Result<()> {
    set_last_contact(tx, kind, record)?;
    set_next_step(tx, kind, record)
}

/// Lets what hangs on a record follow when it becomes visible to others: its tasks, and the dates of the records that its
/// newest 50 activities concern.
/// Errors: `conflict` with `visibility` when it has too many tasks for one write.
pub fn follow_audience(tx: &TenantWrite<'_>, kind: &RecordKind, record: Uuid, audience: &Audience) -> Result<()> {
    if let Some(steps) = kinds().find_map(|kind| kind.next_steps) {
        (steps.follow_audience)(tx, (kind.kind, record), audience)?;
    }
    let newest = Scan::with(ACTIVITIES_BY_RECORD, record.as_bytes()).reversed(true).limit(MAX_EXAMINED);
    let mut links = Vec::new();
    for activity in tx.page::<Activity>(&newest, |_| true)?.items {
        let new = activity.links.iter().filter(|link| !links.contains(*link)).copied().collect::<Vec<_>>();
        links.extend(new);
    }
    links.iter().try_for_each(|link| set_last_contact(tx, link.kind.kind(), link.record_id))?;
    set_next_step(tx, kind, record)
}
