//! Series of recurring events: finding one occurrence, moving the whole series with it, and splitting the series at it.

use jiff::civil::Date;

use super::{
    model::{Event, When},
    occurrences::{At, Span, instant, repeat},
    recurrence::{Rule, Window},
};
use crate::kernel::{Day, Error, Result, Timestamp};

/// The occurrences that a change applies to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// All occurrences.
    All,
    /// One occurrence and those after it.
    Following,
}

/// The result of a change to an event.
#[derive(Clone, Debug, PartialEq)]
pub struct Changed {
    /// The event; when the series is split, the event of the earlier occurrences.
    pub kept: Event,
    /// When the series is split, the new event of the later occurrences.
    pub following: Option<Following>,
}

/// The later occurrences of a split series.
#[derive(Clone, Debug, PartialEq)]
pub struct Following {
    /// Before the change.
    pub before: Event,
    /// After the change.
    pub after: Event,
}

/// Returns the event with the times of one occurrence, identified by its start: an instant or a day.
/// Errors: `invalid` at `occurrence` when no occurrence starts there.
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

/// Returns the series up to an occurrence, and the times of that occurrence; `None` when it is the first.
/// Errors: `invalid` at `occurrence` when no occurrence starts there.
pub fn before(event: &Event, occurrence: &str) -> Result<Option<(Event, When)>> {
    let from = at(event, occurrence)?;
    if from.when == event.when {
        return Ok(None);
    }
    Ok(Some((cut(event, &from.when)?, from.when)))
}

/// Changes an event at one of its occurrences, by default the first. The results are normalized.
/// Errors: `invalid` with the invalid fields.
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
        let kept = edited.normalize()?;
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
    Ok(Changed { kept, following: Some(Following { before, after: edited.normalize()? }) })
}

/// Returns a weekly rule with the weekday of a moved occurrence replaced.
fn on_other_weekday(rule: &Rule, from: &When, to: &When) -> Option<Rule> {
    let (from, _) = from.on_wall();
    let (to, _) = to.on_wall();
    (from.weekday() != to.weekday()).then(|| rule.with_weekday(from.weekday(), to.weekday()))?
}

/// Returns the first day of a series after one of its occurrences moved to another day. `rule` is the new rule, if the
/// move changes it.
fn moved_day(first: Date, from: Date, to: Date, rule: Option<&Rule>) -> Result<Date, jiff::Error> {
    let weekdays = rule.map(Rule::weekdays).unwrap_or_default();
    // A rule with several weekdays moves only the occurrences on one of them.
    if weekdays.len() > 1 && (first.weekday() != from.weekday() || to > from) {
        let mut day = first;
        while !weekdays.contains(&day.weekday()) {
            day = day.tomorrow()?;
        }
        return Ok(day);
    }
    first.checked_add(to - from)
}

/// Returns the first times of a series after one of its occurrences moved: shifted by the same number of days, at the
/// new time of day.
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
            // If the time of day did not change, the series keeps its own: on this day the clocks may have skipped it.
            let time = if wall.time() == from.time() { first.time() } else { wall.time() };
            let moved = instant(&zone, day.to_datetime(time)).ok_or_else(beyond)?;
            let length = end.millis() - start.millis();
            Ok(When::Timed { start: moved, end: moved.plus_millis(length), timezone: timezone.clone() })
        }
    }
}

/// Returns the series up to the day before an occurrence; with a single occurrence left it is not recurring.
fn cut(event: &Event, from: &When) -> Result<Event> {
    let (start, zone) = event.when.on_wall();
    let (from, _) = from.on_wall();
    let rule = event.recurrence.as_deref().and_then(Rule::parse);
    let mut kept = event.clone();
    kept.recurrence = rule.and_then(|rule| {
        let second = rule.times(start, Window::all(start), &zone)?.nth(1)?;
        (second < from).then(|| rule.until_before(from.date(), matches!(event.when, When::Timed { .. }), &zone).text())
    });
    kept.normalize()
}

/// Returns the rule for an occurrence and those after it, with `COUNT` reduced by the earlier ones.
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

/// Returns the shortest span that contains an occurrence.
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
