//! When members are reminded of events: each time of a recurring one by the clock on its own wall, all-day ones by
//! the midnight with which the day begins where the member lives.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    model::{BY_START, Event, LENGTHS, by_start},
    notifications::members,
    occurrences::{At, Span, at, each, recurring, repeat},
};
use crate::{
    features::notifications::Fact,
    kernel::{Id, MemberId, Result, Timestamp},
    store::{Scan, Stored, TenantRead},
};

/// Somebody is to be reminded of something.
#[derive(Clone, Debug)]
pub struct Reminder {
    /// When.
    pub at: Timestamp,
    /// Whom.
    pub member: MemberId,
    /// Of what.
    pub event: Id<Event>,
    /// The event's version by which this was worked out.
    pub version: u64,
    /// When it begins.
    pub begins: Fact,
}

/// The reminders after one moment and up to another, the earliest first. `zones` says where members live.
///
/// # Errors
/// `busy` or `internal` when the events cannot be read.
pub fn between(
    tx: &TenantRead<'_>,
    from: Timestamp,
    to: Timestamp,
    zones: &BTreeMap<MemberId, String>,
) -> Result<Vec<Reminder>> {
    let mut found = Found { from, to, zones, reminders: Vec::new() };
    let (first, last) = (from.day_in("UTC").plus_days(-2), to.day_in("UTC").plus_days(2 + LONGEST_NOTICE));
    for class in 0..LENGTHS.len() {
        each(tx, &Scan::between(BY_START, by_start(class, first), by_start(class, last)), |event| {
            found.offer(&event, at(&event.when));
            true
        })?;
    }
    let near = Span::new(from, to.plus_seconds(1), "UTC");
    recurring(tx, &near, |event| {
        let Some(most) = event.reminders.iter().max() else { return };
        // A day more: all-day ones begin at another moment in every zone.
        let end = to.plus_seconds(i64::from(*most) * 60 + 2 * 86_400);
        repeat(&Span::new(from.plus_seconds(-2 * 86_400), end, "UTC"), event, |at| {
            found.offer(event, at);
            true
        });
    })?;
    found.reminders.sort_by_key(|reminder| reminder.at);
    Ok(found.reminders)
}

/// Days before an event at which one can be reminded of it.
const LONGEST_NOTICE: i64 = 28;

struct Found<'z> {
    from: Timestamp,
    to: Timestamp,
    zones: &'z BTreeMap<MemberId, String>,
    reminders: Vec<Reminder>,
}

impl Found<'_> {
    /// Takes the reminders of one time of an event: for those who come, and for whoever made it.
    fn offer(&mut self, event: &Stored<Event>, at: At) {
        if event.reminders.is_empty() {
            return;
        }
        let people: BTreeSet<MemberId> = members(event).into_iter().chain(event.created_by).collect();
        for member in people {
            let Some(zone) = self.zones.get(&member) else { continue };
            let (begins, start) = match at {
                At::Timed { start, .. } => (Fact::Moment(start), start),
                At::AllDay { start, .. } => (Fact::Day(start), start.start_in(zone)),
            };
            for minutes in &event.reminders {
                let at = start.plus_seconds(-i64::from(*minutes) * 60);
                if at > self.from && at <= self.to {
                    let (event, version) = (event.id, event.version);
                    self.reminders.push(Reminder { at, member, event, version, begins: begins.clone() });
                }
            }
        }
    }
}
