//! What happens to events.

use super::{
    model::{Attendee, Event, When},
    notifications,
    series::{Changed, Following},
};
use crate::{
    access::members::MemberRecord,
    features::records,
    kernel::{Error, Id, Result},
    store::{Stored, TenantRead, TenantWrite},
};

/// Keeps a new event, settled before.
///
/// # Errors
/// `invalid` when it breaks a rule, or somebody who comes does not exist.
pub fn create(tx: &TenantWrite<'_>, event: Event) -> Result<Stored<Event>> {
    event.check()?;
    all_exist(tx, &event, &[])?;
    let kept = tx.create(event)?;
    notifications::kept(tx, None, &kept)?;
    Ok(kept)
}

/// Changes an event, and splits its series where that was asked for. The answer is the event that the change was
/// made to. `prepared` is what `change` made of the event as it was before the write: when that still holds, the
/// recurrence is not worked out here, where others wait.
///
/// # Errors
/// `not_found`, `stale_version`, `invalid`.
pub fn change(
    tx: &TenantWrite<'_>,
    id: Id<Event>,
    expected: Option<u64>,
    prepared: Prepared<Changed>,
    change: impl FnOnce(&Event) -> Result<Changed>,
) -> Result<Stored<Event>> {
    let old = tx.get(id)?.value;
    let Changed { kept, following } = prepared.or(&old, change)?;
    let kept = tx.update(id, expected, |event| {
        *event = kept;
        all_exist(tx, event, &old.attendees)
    })?;
    // Of a series that was split, the times before stay as they were.
    let Some(Following { before, after }) = following else {
        notifications::kept(tx, Some(&old), &kept)?;
        return Ok(kept);
    };
    all_exist(tx, &after, &old.attendees)?;
    let after = tx.create(after)?;
    notifications::kept(tx, Some(&before), &after)?;
    Ok(after)
}

/// Removes an event with all its times; `any` is whether the caller may remove what others made.
///
/// # Errors
/// `not_found`; `forbidden`; `stale_version`.
pub fn remove(tx: &TenantWrite<'_>, id: Id<Event>, any: bool, expected: Option<u64>) -> Result<()> {
    let gone = records::remove(tx, id, any, expected)?;
    notifications::cancelled(tx, &gone)
}

/// Ends a series before one of its occurrences: what `end` makes of it, which is nothing when that is the first.
///
/// # Errors
/// As `remove`; `invalid` when it has no such occurrence.
pub fn end(
    tx: &TenantWrite<'_>,
    id: Id<Event>,
    any: bool,
    expected: Option<u64>,
    prepared: Prepared<Option<(Event, When)>>,
    end: impl FnOnce(&Event) -> Result<Option<(Event, When)>>,
) -> Result<()> {
    let old = records::removable(tx, id, any)?.value;
    let Some((kept, from)) = prepared.or(&old, end)? else { return remove(tx, id, any, expected) };
    let kept = tx.update(id, expected, |event| {
        *event = kept;
        Ok(())
    })?;
    notifications::ended(tx, &kept, &from)
}

/// What a change makes of an event, worked out before it is written.
#[derive(Clone, Debug)]
pub struct Prepared<T> {
    /// The event that it was worked out on.
    pub base: Event,
    /// What came of it.
    pub changed: T,
}

impl<T> Prepared<T> {
    /// What comes of the event as it is now.
    fn or(self, event: &Event, change: impl FnOnce(&Event) -> Result<T>) -> Result<T> {
        if self.base == *event { Ok(self.changed) } else { change(event) }
    }
}

/// Refuses who does not exist. Those who came `before` may have gone meanwhile: the event keeps them.
fn all_exist(tx: &TenantRead<'_>, event: &Event, before: &[Attendee]) -> Result<()> {
    for (place, attendee) in event.attendees.iter().enumerate() {
        let exists = before.contains(attendee)
            || match attendee {
                Attendee::Member(id) => tx.find::<MemberRecord>(id.cast())?.is_some(),
                Attendee::Customer(id) => tx.find(*id)?.is_some(),
            };
        if !exists {
            let field = match attendee {
                Attendee::Member(_) => "memberId",
                Attendee::Customer(_) => "customerId",
            };
            return Err(Error::field(format!("attendees.{place}.{field}"), "errors.fields.unknown_reference"));
        }
    }
    Ok(())
}
