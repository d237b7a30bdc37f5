//! The times of a recurring event: one of them looked at, the whole series moved with it, or the series split in
//! two there.

use jiff::civil::Date;

use super::{
    model::{Event, When},
    occurrences::{At, Span, instant, repeat},
    recurrence::{Rule, Window},
};
use crate::kernel::{Day, Error, Result, Timestamp};

/// Which occurrences a change applies to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// All of them.
    All,
    /// One and those after it.
    Following,
}

/// What a change makes of an event.
#[derive(Clone, Debug, PartialEq)]
pub struct Changed {
    /// The event; of a series that was split, the occurrences before.
    pub kept: Event,
    /// Of a series that was split, an event of its own for the occurrences from there on.
    pub following: Option<Following>,
}

/// The occurrences of a series from one on.
#[derive(Clone, Debug, PartialEq)]
pub struct Following {
    /// As they were.
    pub before: Event,
    /// As they are.
    pub after: Event,
}

/// The event at one of its occurrences, named by its start: an instant, or a day.
///
/// # Errors
/// `invalid` at `occurrence` when it has none that starts there.
pub fn at(event: &Event, occurrence: &str) -> Result<Event> {
    let missing = || Error::field("occurrence", "errors.fields.occurrence");
    let wanted = match event.when {
        When::Timed { .. } => {
            let start: Timestamp = occurrence.parse().map_err(|_| missing())?;
            let end = start.plus_millis(1);
            At::Timed { start, end }
        }
        When::AllDay { .. } => {
            let start: Day = occurrence.parse().map_err(|_| missing())?;
            At::AllDay { start, end: start }
        }
    };
    let start = wanted.start();
    let mut found = None;
    repeat(&span(&wanted), event, |at| {
        if at.start() == start {
            found = Some(at);
        }
        found.is_none()
    });
    let at = found.ok_or_else(missing)?;
    Ok(Event { when: times(&event.when, at), ..event.clone() })
}

/// The event without its occurrences from one on, and when that one was; none when it is its first.
///
/// # Errors
/// `invalid` at `occurrence` when it has none that starts there.
pub fn before(event: &Event, occurrence: &str) -> Result<Option<(Event, When)>> {
    let from = at(event, occurrence)?;
    if from.when == event.when {
        return Ok(None);
    }
    Ok(Some((cut(event, &from.when)?, from.when)))
}

/// Changes an event at one of its occurrences, or without one at its first. What comes of it is settled.
///
/// # Errors
/// `invalid` with the fields that break a rule.
pub fn change(
    event: &Event,
    occurrence: Option<&str>,
    scope: Scope,
    change: impl FnOnce(&mut Event) -> Result<()>,
) -> Result<Changed> {
    let seen = occurrence.map_or_else(|| Ok(event.clone()), |occurrence| at(event, occurrence))?;
    let mut edited = seen.clone();
    change(&mut edited)?;
    let keeps_rule = edited.recurrence == event.recurrence;
    if scope == Scope::All || seen.when == event.when {
        let wanted = std::mem::replace(&mut edited.when, event.when.clone());
        let rule = edited.recurrence.as_deref().filter(|_| keeps_rule).and_then(Rule::parse);
        let rule = rule.and_then(|rule| on_other_weekday(&rule, &seen.when, &wanted));
        edited.when = moved(&event.when, &seen.when, &wanted, rule.as_ref())?;
        edited.recurrence = rule.map(|rule| rule.text()).or(edited.recurrence);
        let kept = edited.settle()?;
        if seen.when != wanted && keeps_rule && at(&kept, &super::occurrences::at(&wanted).start()).is_err() {
            return Err(Error::field(wanted.start_field(), "errors.fields.series_move"));
        }
        return Ok(Changed { kept, following: None });
    }
    let kept = cut(event, &seen.when)?;
    let mut before = seen;
    if keeps_rule {
        let rule = remaining(event, &before.when);
        let other = rule.as_ref().and_then(|rule| on_other_weekday(rule, &before.when, &edited.when));
        edited.recurrence = other.or(rule).map(|rule| rule.text());
        before.recurrence.clone_from(&edited.recurrence);
    }
    Ok(Changed { kept, following: Some(Following { before, after: edited.settle()? }) })
}

/// A weekly rule after one of its times was moved to another weekday.
fn on_other_weekday(rule: &Rule, from: &When, to: &When) -> Option<Rule> {
    let (from, _) = from.on_wall();
    let (to, _) = to.on_wall();
    (from.weekday() != to.weekday()).then(|| rule.with_weekday(from.weekday(), to.weekday()))?
}

/// The first day of a series of which one occurrence is moved from one day to another. `rule` is the rule afterwards,
/// where the move changes it.
fn moved_day(first: Date, from: Date, to: Date, rule: Option<&Rule>) -> Result<Date, jiff::Error> {
    let weekdays = rule.map(Rule::weekdays).unwrap_or_default();
    // Of several weekdays only one is moved.
    if weekdays.len() > 1 && (first.weekday() != from.weekday() || to > from) {
        let mut day = first;
        while !weekdays.contains(&day.weekday()) {
            day = day.tomorrow()?;
        }
        return Ok(day);
    }
    first.checked_add(to - from)
}

/// The first times of a series of which one occurrence is moved from one time to another: as many days later or
/// earlier, and at the new time of day.
fn moved(first: &When, from: &When, to: &When, rule: Option<&Rule>) -> Result<When> {
    if from == to {
        return Ok(first.clone());
    }
    let beyond = || Error::field(to.start_field(), "errors.fields.date");
    let (first, _) = first.on_wall();
    let (from, _) = from.on_wall();
    let (wall, zone) = to.on_wall();
    let day = moved_day(first.date(), from.date(), wall.date(), rule).map_err(|_| beyond())?;
    match to {
        When::AllDay { start_date, end_date } => {
            let start = Day(day);
            let length = i64::from((end_date.0 - start_date.0).get_days());
            Ok(When::AllDay { start_date: start, end_date: start.plus_days(length) })
        }
        When::Timed { start, end, timezone } => {
            // A time of day that the clocks skip on that day only is not the series' own.
            let time = if wall.time() == from.time() { first.time() } else { wall.time() };
            let moved = instant(&zone, day.to_datetime(time)).ok_or_else(beyond)?;
            let length = end.millis() - start.millis();
            Ok(When::Timed { start: moved, end: moved.plus_millis(length), timezone: timezone.clone() })
        }
    }
}

/// The series up to the day before an occurrence; one that has a single time left no longer repeats.
fn cut(event: &Event, from: &When) -> Result<Event> {
    let (start, zone) = event.when.on_wall();
    let (from, _) = from.on_wall();
    let rule = event.recurrence.as_deref().and_then(Rule::parse);
    let mut kept = event.clone();
    kept.recurrence = rule.and_then(|rule| {
        let second = rule.times(start, Window::all(start), &zone)?.nth(1)?;
        (second < from).then(|| rule.until_before(from.date(), matches!(event.when, When::Timed { .. }), &zone).text())
    });
    kept.settle()
}

/// The rule for the occurrences from one on: what `COUNT` says, less those before.
fn remaining(event: &Event, from: &When) -> Option<Rule> {
    let rule = Rule::parse(event.recurrence.as_deref()?)?;
    let (start, zone) = event.when.on_wall();
    let (from, _) = from.on_wall();
    if !rule.is_counted() {
        return Some(rule);
    }
    let left = rule.times(start, Window::all(start), &zone)?.filter(|time| *time >= from).count();
    Some(rule.with_count(u32::try_from(left).unwrap_or(u32::MAX)))
}

/// The shortest span in which an occurrence is.
fn span(at: &At) -> Span {
    match at {
        At::Timed { start, end } => Span::new(*start, *end, "UTC"),
        At::AllDay { start, end } => Span::new(start.start_in("UTC"), end.plus_days(1).start_in("UTC"), "UTC"),
    }
}

fn times(when: &When, at: At) -> When {
    match (at, when) {
        (At::Timed { start, end }, When::Timed { timezone, .. }) => {
            When::Timed { start, end, timezone: timezone.clone() }
        }
        (At::AllDay { start, end }, _) => When::AllDay { start_date: start, end_date: end },
        (At::Timed { start, end }, When::AllDay { .. }) => When::Timed { start, end, timezone: "UTC".to_owned() },
    }
}

#[cfg(test)]
mod tests;
