//! Computation of due event reminders. Occurrences of recurring events keep their wall-clock time; all-day events begin
//! at midnight in the recipient's time zone.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    model::{BY_START, Event, LENGTHS, by_start},
    notifications::members,
    occurrences::{At, Span, at, each, recurring, repeat},
};
use crate::{
    features::notifications::ParamValue,
    kernel::{Id, MemberId, Result, Timestamp},
    store::{Scan, Stored, TenantRead},
};

/// A reminder of one occurrence of an event for one member.
#[derive(Clone, Debug)]
pub struct Reminder {
    /// When the reminder is due.
    pub at: Timestamp,
    /// The recipient.
    pub member: MemberId,
    /// The event.
    pub event: Id<Event>,
    /// The version of the event from which the reminder was computed.
    pub version: u64,
    /// The start of the occurrence.
    pub begins: ParamValue,
}

/// Returns the reminders due after `from` and up to `to`, earliest first. `zones` has the members' time zones.
pub fn between(
    tx: &TenantRead<'_>,
    from: Timestamp,
    to: Timestamp,
    zones: &BTreeMap<MemberId, String>,
) -> Result<Vec<Reminder>> {
    let mut found = Found { from, to, zones, reminders: Vec::new() };
    let first = from.day_in("UTC").plus_days(-2);
    let last = to.day_in("UTC").plus_days(2 + LONGEST_NOTICE);
    for class in 0..LENGTHS.len() {
        each(tx, &Scan::between(BY_START, by_start(class, first), by_start(class, last)), |event, _| {
            found.offer(&event, at(&event.when));
            true
        })?;
    }
    let near = Span::new(from, to.plus_seconds(1), "UTC");
    recurring(tx, &near, |event, _| {
        let Some(most) = event.reminders.iter().max() else { return };
        // Extended by two days, since all-day events begin at different instants in each time zone.
        let end = to.plus_seconds(i64::from(*most) * 60 + 2 * 86_400);
        repeat(&Span::new(from.plus_seconds(-2 * 86_400), end, "UTC"), event, |at| {
            found.offer(event, at);
            true
        });
    })?;
    found.reminders.sort_by_key(|reminder| reminder.at);
    Ok(found.reminders)
}

/// Maximum number of days between a reminder and its event.
const LONGEST_NOTICE: i64 = 28;

struct Found<'z> {
    from: Timestamp,
    to: Timestamp,
    zones: &'z BTreeMap<MemberId, String>,
    reminders: Vec<Reminder>,
}

impl Found<'_> {
    /// Adds the reminders of one occurrence, for the attendees and the member who created the event.
    fn offer(&mut self, event: &Stored<Event>, at: At) {
        if event.reminders.is_empty() {
            return;
        }
        let people: BTreeSet<MemberId> = members(event).into_iter().chain(event.created_by).collect();
        for member in people {
            let Some(zone) = self.zones.get(&member) else { continue };
            let (begins, start) = match at {
                At::Timed { start, .. } => (ParamValue::Time(start), start),
                At::AllDay { start, .. } => (ParamValue::Day(start), start.start_in(zone)),
            };
            for minutes in &event.reminders {
                let at = start.plus_seconds(-i64::from(*minutes) * 60);
                if at > self.from && at <= self.to {
                    let begins = begins.clone();
                    self.reminders.push(Reminder { at, member, event: event.id, version: event.version, begins });
                }
            }
        }
    }
}
