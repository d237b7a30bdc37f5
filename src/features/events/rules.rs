//! What happens to events.

use super::{
    model::{Attendee, Event},
    tidings,
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
    tidings::kept(tx, None, &kept)?;
    Ok(kept)
}

/// Changes an event. `prepared` is what `change` made of the event as it was before the write, settled: when
/// that still holds, the recurrence need not be worked out here, where others wait.
///
/// # Errors
/// `not_found`, `stale_version`, `invalid`.
pub fn change(
    tx: &TenantWrite<'_>,
    id: Id<Event>,
    expected: Option<u64>,
    prepared: Prepared,
    change: impl FnOnce(&mut Event) -> Result<()>,
) -> Result<Stored<Event>> {
    let old = tx.get(id)?.value;
    let kept = tx.update(id, expected, |event| {
        if prepared.base == *event {
            *event = prepared.settled;
        } else {
            change(event)?;
            *event = event.clone().settle()?;
        }
        all_exist(tx, event, &old.attendees)
    })?;
    tidings::kept(tx, Some(&old), &kept)?;
    Ok(kept)
}

/// Removes an event with all its times; `any` is whether the caller may remove what others made.
///
/// # Errors
/// `not_found`; `forbidden`; `stale_version`.
pub fn remove(tx: &TenantWrite<'_>, id: Id<Event>, any: bool, expected: Option<u64>) -> Result<Stored<Event>> {
    let gone = records::remove(tx, id, any, expected)?;
    tidings::cancelled(tx, &gone)?;
    Ok(gone)
}

/// A change that was worked out on an event before it is written.
#[derive(Clone, Debug)]
pub struct Prepared {
    /// The event that it was worked out on.
    pub base: Event,
    /// What came of it.
    pub settled: Event,
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
