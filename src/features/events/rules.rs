//! Operations on events.

use super::{
    model::{Attendee, Event, When},
    notifications,
    series::{Changed, Following},
};
use crate::{
    features::{
        customers::Customer,
        records::{self, fields::prepare_values},
    },
    kernel::{Error, Id, Result},
    people::members::MemberRecord,
    store::{Stored, TenantRead, TenantWrite},
};

/// Creates an event, which `Event::normalize` returned.
/// Errors: `invalid` when it breaks a rule, or an attendee does not exist.
pub fn create(tx: &TenantWrite<'_>, mut event: Event) -> Result<Stored<Event>> {
    event.check()?;
    prepare_values::<Event>(tx, &mut event.fields, None)?;
    all_exist(tx, &event, &[])?;
    let kept = tx.create(event)?;
    notifications::notify_change(tx, None, &kept)?;
    Ok(kept)
}

/// Changes an event, and splits its series when `change` says so. Returns the changed event, or the new one of a split.
/// `prepared` is the result of `change` computed before the write. While it is still current, the recurrence is not
/// computed inside the write, where other writes wait.
/// Errors: `not_found`, `stale_version`, `invalid`.
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
        prepare_values::<Event>(tx, &mut event.fields, Some(&old.fields))?;
        all_exist(tx, event, &old.attendees)
    })?;
    // The earlier occurrences of a split series stay unchanged.
    let Some(Following { before, mut after }) = following else {
        notifications::notify_change(tx, Some(&old), &kept)?;
        return Ok(kept);
    };
    prepare_values::<Event>(tx, &mut after.fields, Some(&old.fields))?;
    all_exist(tx, &after, &old.attendees)?;
    let after = tx.create(after)?;
    notifications::notify_change(tx, Some(&before), &after)?;
    Ok(after)
}

/// Removes an event with all its occurrences. `any` is whether the caller may remove events that others created.
/// Errors: `not_found`; `forbidden`; `stale_version`.
pub fn remove(tx: &TenantWrite<'_>, id: Id<Event>, any: bool, expected: Option<u64>) -> Result<()> {
    let gone = records::remove(tx, id, any, expected)?;
    notifications::notify_cancelled(tx, &gone)
}

/// Ends a series before one of its occurrences. `end` returns the shortened series, or `None` when that occurrence is
/// the first, in which case the event is removed.
/// Errors: As `remove`; `invalid` when the series has no such occurrence.
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
    notifications::notify_series_end(tx, &kept, &from)
}

/// The result of a change, computed before the write.
#[derive(Clone, Debug)]
pub struct Prepared<T> {
    /// The event from which it was computed.
    pub base: Event,
    /// The result.
    pub changed: T,
}

impl<T> Prepared<T> {
    /// Returns the prepared result, or computes it again when the event has changed since.
    fn or(self, event: &Event, change: impl FnOnce(&Event) -> Result<T>) -> Result<T> {
        if self.base == *event { Ok(self.changed) } else { change(event) }
    }
}

/// Rejects attendees that do not exist. Those from `before` may have been removed since; the event keeps them.
fn all_exist(tx: &TenantRead<'_>, event: &Event, before: &[Attendee]) -> Result<()> {
    for (place, attendee) in event.attendees.iter().enumerate() {
        let exists = before.contains(attendee)
            || match attendee {
                Attendee::Member(id) => tx.find::<MemberRecord>(*id)?.is_some(),
                Attendee::Customer(id) => tx.find::<Customer>(*id)?.is_some(),
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
