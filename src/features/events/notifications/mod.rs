//! Notifications about events: invitations, changes, cancellations and reminders.

use super::{
    model::{Attendee, Event, When},
    reminders::Reminder,
};
use crate::{
    features::notifications::{self, Fact, NotificationDraft, NotificationKind},
    kernel::{MemberId, Result, Timestamp},
    store::{Stored, TenantWrite},
};

/// Returns the members among the attendees.
pub(super) fn members(event: &Event) -> Vec<MemberId> {
    let member = |attendee: &Attendee| match attendee {
        Attendee::Member(id) => Some(*id),
        Attendee::Customer(_) => None,
    };
    event.attendees.iter().filter_map(member).collect()
}

/// Whether the event and all its occurrences are over.
fn is_over(event: &Event, now: Timestamp) -> bool {
    // Days begin and end at different instants around the world.
    let yesterday = now.day_in("UTC").plus_days(-1);
    match (&event.recurrence, &event.when) {
        (Some(_), _) => event.last_day.is_some_and(|last| last < yesterday),
        (None, When::Timed { end, .. }) => *end < now,
        (None, When::AllDay { end_date, .. }) => *end_date < yesterday,
    }
}

fn moment(when: &When) -> Fact {
    match *when {
        When::Timed { start, .. } => Fact::Moment(start),
        When::AllDay { start_date, .. } => Fact::Day(start_date),
    }
}

fn about(event: &Stored<Event>, kind: NotificationKind, words: &str) -> NotificationDraft {
    let draft = NotificationDraft::new(kind, words, format!("/events/{}", event.id));
    draft.text("event", &event.title).with("when", moment(&event.when))
}

/// Notifies newly invited members, removed ones, and those affected by a change. `before` is the event before the
/// change.
pub(super) fn kept(tx: &TenantWrite<'_>, before: Option<&Event>, event: &Stored<Event>) -> Result<()> {
    if is_over(event, tx.now()) && before.is_none_or(|before| is_over(before, tx.now())) {
        return Ok(());
    }
    let came = before.map(members).unwrap_or_default();
    let come = members(event);
    let (stay, new): (Vec<MemberId>, Vec<MemberId>) = come.iter().copied().partition(|member| came.contains(member));
    let by = tx.actor().member().map_or_else(String::new, |by| by.to_string());
    let invited = about(event, NotificationKind::EventInvited, "server.notifications.event_invited");
    let invited = invited.of(format!("event_invited:{by}"), "server.notifications.event_invited.several");
    notifications::notify(tx, &new, &invited)?;
    let Some(before) = before else { return Ok(()) };
    let left_out: Vec<MemberId> = came.into_iter().filter(|member| !come.contains(member)).collect();
    notifications::notify(tx, &left_out, &once(event, "server.notifications.event_left_out"))?;
    if before.when != event.when || before.recurrence != event.recurrence || before.title != event.title {
        let words = match event.recurrence {
            Some(_) => "server.notifications.event_changed.series",
            None => "server.notifications.event_changed",
        };
        notifications::notify(tx, &stay, &once(event, words))?;
    } else if before.location != event.location
        && let Some(place) = &event.location
    {
        notifications::notify(tx, &stay, &once(event, "server.notifications.event_place").text("place", place))?;
    }
    Ok(())
}

/// A notification of a change, which replaces an unread earlier one about the same event.
fn once(event: &Stored<Event>, words: &'static str) -> NotificationDraft {
    about(event, NotificationKind::EventChanged, words).last_of(format!("event:{}", event.id))
}

/// Notifies the attendees that a series ends before its occurrence at `from`.
pub(super) fn ended(tx: &TenantWrite<'_>, event: &Stored<Event>, from: &When) -> Result<()> {
    let mut draft = once(event, "server.notifications.event_cancelled.series");
    draft.facts.retain(|(name, _)| *name != "when");
    notifications::notify(tx, &members(event), &draft.with("when", moment(from)))
}

/// Notifies the attendees that an event is cancelled.
pub(super) fn cancelled(tx: &TenantWrite<'_>, event: &Stored<Event>) -> Result<()> {
    if is_over(event, tx.now()) {
        return Ok(());
    }
    let mut draft = once(event, "server.notifications.event_cancelled");
    draft.link = "/events".to_owned();
    notifications::notify(tx, &members(event), &draft)
}

/// Reminds a member of an event, unless the event has changed since the reminder was computed.
pub fn remind(tx: &TenantWrite<'_>, reminder: &Reminder) -> Result<()> {
    let Some(event) = tx.find::<Event>(reminder.event)?.filter(|event| event.version == reminder.version) else {
        return Ok(());
    };
    let place = event.location.as_deref().filter(|place| !place.trim().is_empty());
    let words = match (&reminder.begins, place) {
        (Fact::Day(_), _) => "server.notifications.event_reminder.day",
        (_, None) => "server.notifications.event_reminder",
        (_, Some(_)) => "server.notifications.event_reminder.placed",
    };
    let occurrence = match &reminder.begins {
        Fact::Moment(start) if event.recurrence.is_some() => format!("?on={start}"),
        Fact::Day(day) if event.recurrence.is_some() => format!("?on={day}"),
        _ => String::new(),
    };
    let draft =
        NotificationDraft::new(NotificationKind::EventReminder, words, format!("/events/{}{occurrence}", event.id));
    let draft = draft.text("event", &event.title).with("when", reminder.begins.clone());
    notifications::notify(tx, &[reminder.member], &draft.text("place", place.unwrap_or_default()))
}

#[cfg(test)]
mod tests;
