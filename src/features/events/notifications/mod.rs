//! Notifications about events: invitations, changes, cancellations and reminders.

use super::{
    model::{Attendee, Event, When},
    reminders::Reminder,
};
use crate::{
    features::notifications::{self, NotificationDraft, NotificationKind, ParamValue},
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

fn start_of(when: &When) -> ParamValue {
    match *when {
        When::Timed { start, .. } => ParamValue::Time(start),
        When::AllDay { start_date, .. } => ParamValue::Day(start_date),
    }
}

fn draft_about(event: &Stored<Event>, kind: NotificationKind, text_key: &str) -> NotificationDraft {
    let draft = NotificationDraft::new(kind, text_key, format!("/events/{}", event.id));
    draft.with_text("event", &event.title).with_param("when", start_of(&event.when))
}

/// Notifies newly invited members, removed ones, and those affected by a change. `before` is the event before the
/// change.
pub(super) fn notify_change(tx: &TenantWrite<'_>, before: Option<&Event>, event: &Stored<Event>) -> Result<()> {
    if is_over(event, tx.now()) && before.is_none_or(|before| is_over(before, tx.now())) {
        return Ok(());
    }
    let invited_before = before.map(members).unwrap_or_default();
    let invited_now = members(event);
    let (stay, new): (Vec<MemberId>, Vec<MemberId>) =
        invited_now.iter().copied().partition(|member| invited_before.contains(member));
    let by = tx.actor().member().map_or_else(String::new, |by| by.to_string());
    let invited = draft_about(event, NotificationKind::EventInvited, "server.notifications.event_invited");
    let invited = invited
        .with_group(format!("event_invited:{by}"), "server.notifications.event_invited.several")
        .counting_once(event.id.uuid());
    notifications::notify(tx, &new, &invited)?;
    let Some(before) = before else { return Ok(()) };
    let left_out: Vec<MemberId> = invited_before.into_iter().filter(|member| !invited_now.contains(member)).collect();
    notifications::notify(tx, &left_out, &change_draft(event, "server.notifications.event_left_out"))?;
    if before.when != event.when || before.recurrence != event.recurrence || before.title != event.title {
        let text_key = match event.recurrence {
            Some(_) => "server.notifications.event_changed.series",
            None => "server.notifications.event_changed",
        };
        notifications::notify(tx, &stay, &change_draft(event, text_key))?;
    } else if before.location != event.location
        && let Some(place) = &event.location
    {
        notifications::notify(
            tx,
            &stay,
            &change_draft(event, "server.notifications.event_place").with_text("place", place),
        )?;
    }
    Ok(())
}

/// A notification of a change, which replaces an unread earlier one about the same event.
fn change_draft(event: &Stored<Event>, text_key: &'static str) -> NotificationDraft {
    draft_about(event, NotificationKind::EventChanged, text_key).with_replacing_group(format!("event:{}", event.id))
}

/// Notifies the attendees that a series ends before its occurrence at `from`.
pub(super) fn notify_series_end(tx: &TenantWrite<'_>, event: &Stored<Event>, from: &When) -> Result<()> {
    let mut draft = change_draft(event, "server.notifications.event_cancelled.series");
    draft.params.retain(|(name, _)| *name != "when");
    notifications::notify(tx, &members(event), &draft.with_param("when", start_of(from)))
}

/// Notifies the attendees that an event is cancelled.
pub(super) fn notify_cancelled(tx: &TenantWrite<'_>, event: &Stored<Event>) -> Result<()> {
    if is_over(event, tx.now()) {
        return Ok(());
    }
    let mut draft = change_draft(event, "server.notifications.event_cancelled");
    draft.link = "/events".to_owned();
    notifications::notify(tx, &members(event), &draft)
}

/// Notifies the attendees that an event is back which was cancelled, in place of an unread notification of that.
pub(super) fn notify_restored(tx: &TenantWrite<'_>, event: &Stored<Event>) -> Result<()> {
    if is_over(event, tx.now()) {
        return Ok(());
    }
    notifications::notify(tx, &members(event), &change_draft(event, "server.notifications.event_restored"))
}

/// Reminds a member of an event, unless the event has changed since the reminder was computed.
pub fn remind(tx: &TenantWrite<'_>, reminder: &Reminder) -> Result<()> {
    let Some(event) = tx.find::<Event>(reminder.event)?.filter(|event| event.version == reminder.version) else {
        return Ok(());
    };
    let place = event.location.as_deref().filter(|place| !place.trim().is_empty());
    let text_key = match (&reminder.begins, place) {
        (ParamValue::Day(_), _) => "server.notifications.event_reminder.day",
        (_, None) => "server.notifications.event_reminder",
        (_, Some(_)) => "server.notifications.event_reminder.placed",
    };
    let occurrence = match &reminder.begins {
        ParamValue::Time(start) if event.recurrence.is_some() => format!("?on={start}"),
        ParamValue::Day(day) if event.recurrence.is_some() => format!("?on={day}"),
        _ => String::new(),
    };
    let draft =
        NotificationDraft::new(NotificationKind::EventReminder, text_key, format!("/events/{}{occurrence}", event.id));
    let draft = draft.with_text("event", &event.title).with_param("when", reminder.begins.clone());
    notifications::notify(tx, &[reminder.member], &draft.with_text("place", place.unwrap_or_default()))
}

#[cfg(test)]
mod tests;
