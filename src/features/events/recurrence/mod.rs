//! Recurrence rules of events (RFC 5545 RRULE). A rule is expanded in wall-clock time without a time zone, so that a
//! weekly meeting stays at nine when the clocks change; the caller converts the times to the event's zone.
//!
//! The expander iterates over periods (days, weeks, months or years) and the days in them. Each visited day or skipped
//! month is one step, and steps are bounded: a read visits only the periods that touch its window, whatever the rule,
//! and a search without a window ends after `SEARCH` steps.

mod days;
#[cfg(test)]
mod tests;

use std::collections::{BTreeSet, VecDeque};

use jiff::{
    Span,
    civil::{Date, DateTime, Weekday},
    tz::TimeZone,
};

use self::days::DayFilter;

/// Maximum length of a rule in characters.
const LENGTH: usize = 500;
/// Maximum value of `COUNT`.
const COUNT: u32 = 1_000;
/// Maximum value of `INTERVAL`.
const INTERVAL: u32 = 366;
/// Maximum number of steps of a search. The calendar repeats every 400 years, and 400 years, 4,800 months, 20,871 weeks
/// or 146,097 days have less than 150,000 steps: a rule without an occurrence among them has none at all. The rest is
/// for `COUNT`: 1,000 years have 366,000 steps.
const SEARCH: u32 = 400_000;

/// A parsed and validated rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    freq: Freq,
    interval: u32,
    count: Option<u32>,
    until: Option<Until>,
    /// The `BY...` parts (`BYDAY=MO,TU`), as they were written.
    by: Vec<String>,
    /// The same parts, compiled for matching days.
    days: DayFilter,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Freq {
    Daily,
    Weekly,
    Monthly,
    Yearly,
}

impl Freq {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Daily => "DAILY",
            Self::Weekly => "WEEKLY",
            Self::Monthly => "MONTHLY",
            Self::Yearly => "YEARLY",
        }
    }
}

/// The end of a rule (`UNTIL`), in the three forms of RFC 5545.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Until {
    Day(Date),
    Wall(DateTime),
    Instant(DateTime),
}

impl Until {
    fn parse(text: &str) -> Option<Self> {
        let number = |range: std::ops::Range<usize>| -> Option<i16> {
            let digits = text.get(range)?;
            if digits.bytes().all(|byte| byte.is_ascii_digit()) { digits.parse().ok() } else { None }
        };
        let small = |range| number(range).and_then(|n| i8::try_from(n).ok());
        let day = Date::new(number(0..4)?, small(4..6)?, small(6..8)?).ok()?;
        if text.len() == 8 {
            return Some(Self::Day(day));
        }
        if text.get(8..9)? != "T" {
            return None;
        }
        let at = DateTime::new(day.year(), day.month(), day.day(), small(9..11)?, small(11..13)?, small(13..15)?, 0);
        match text.get(15..)? {
            "" => at.ok().map(Self::Wall),
            "Z" => at.ok().map(Self::Instant),
            _ => None,
        }
    }

    /// Returns the last moment in wall-clock time of a zone.
    fn on_wall(self, zone: &TimeZone) -> DateTime {
        match self {
            Self::Day(day) => day.at(23, 59, 59, 0),
            Self::Wall(at) => at,
            Self::Instant(at) => TimeZone::UTC.to_timestamp(at).map_or(at, |instant| zone.to_datetime(instant)),
        }
    }

    fn text(self) -> String {
        match self {
            Self::Day(day) => day.strftime("%Y%m%d").to_string(),
            Self::Wall(at) => at.strftime("%Y%m%dT%H%M%S").to_string(),
            Self::Instant(at) => at.strftime("%Y%m%dT%H%M%SZ").to_string(),
        }
    }
}

impl Rule {
    /// Parses a rule, with or without the prefix `RRULE:`. Returns `None` for an invalid rule, and for one that repeats
    /// more often than daily, names hours, or exceeds the limits (`COUNT` 1,000, `INTERVAL` 366).
    pub fn parse(text: &str) -> Option<Self> {
        if text.len() > LENGTH {
            return None;
        }
        let text = text.trim().to_ascii_uppercase();
        let text = text.strip_prefix("RRULE:").unwrap_or(&text);
        let mut freq = None;
        let mut interval = None;
        let mut count = None;
        let mut until = None;
        let mut by = Vec::new();
        let mut names = Vec::new();
        for part in text.split(';').filter(|part| !part.is_empty()) {
            let (name, value) = part.split_once('=')?;
            if names.contains(&name) || !value.bytes().all(|b| b.is_ascii_alphanumeric() || b"+-,".contains(&b)) {
                return None;
            }
            names.push(name);
            match name {
                "FREQ" => {
                    let all = [Freq::Daily, Freq::Weekly, Freq::Monthly, Freq::Yearly];
                    freq = Some(all.into_iter().find(|freq| freq.as_str() == value)?);
                }
                "INTERVAL" => interval = Some(value.parse().ok().filter(|n| (1..=INTERVAL).contains(n))?),
                "COUNT" => count = Some(value.parse().ok().filter(|n| (1..=COUNT).contains(n))?),
                "UNTIL" => until = Some(Until::parse(value)?),
                "BYDAY" | "BYMONTHDAY" | "BYMONTH" | "BYYEARDAY" | "BYWEEKNO" | "BYSETPOS" | "WKST" => {
                    by.push(part.to_owned());
                }
                _ => return None,
            }
        }
        if count.is_some() && until.is_some() {
            return None;
        }
        let freq = freq?;
        let days = DayFilter::parse(freq, &by)?;
        Some(Self { freq, interval: interval.unwrap_or(1), count, until, by, days })
    }

    /// Returns the canonical text of the rule, as stored and displayed.
    pub fn text(&self) -> String {
        let mut parts = vec![format!("FREQ={}", self.freq.as_str())];
        if self.interval > 1 {
            parts.push(format!("INTERVAL={}", self.interval));
        }
        parts.extend(self.by.iter().cloned());
        parts.extend(self.count.map(|count| format!("COUNT={count}")));
        parts.extend(self.until.map(|until| format!("UNTIL={}", until.text())));
        parts.join(";")
    }

    /// Returns the rule with another `COUNT`.
    pub fn with_count(self, count: u32) -> Self {
        Self { count: Some(count), ..self }
    }

    /// Returns the rule with an end on the day before `day`, written as an instant for timed events (RFC 5545 requires
    /// `UNTIL` in the form of the start).
    pub fn until_before(self, day: Date, timed: bool, zone: &TimeZone) -> Self {
        let last = day.yesterday().unwrap_or(day);
        let end = last.at(23, 59, 59, 0);
        let instant = zone.to_ambiguous_timestamp(end).compatible().map(|end| TimeZone::UTC.to_datetime(end));
        let until = if timed { instant.map_or(Until::Wall(end), Until::Instant) } else { Until::Day(last) };
        Self { count: None, until: Some(until), ..self }
    }

    /// Returns the rule with one of its weekdays replaced by another; `None` when it is not weekly or does not name
    /// that weekday.
    pub fn with_weekday(&self, from: Weekday, to: Weekday) -> Option<Self> {
        let part = self.by.iter().position(|part| part.starts_with("BYDAY=") && self.freq == Freq::Weekly)?;
        let named = self.weekdays();
        if !named.contains(&from) {
            return None;
        }
        let named = named.into_iter().map(|day| if day == from { to } else { day });
        let places: BTreeSet<usize> = named.map(|day| usize::from(days::place_of(day))).collect();
        let names: Vec<&str> = places.into_iter().map(|place| days::WEEKDAYS[place]).collect();
        let mut by = self.by.clone();
        by[part] = format!("BYDAY={}", names.join(","));
        let days = DayFilter::parse(self.freq, &by)?;
        Some(Self { by, days, ..self.clone() })
    }

    /// Returns the weekdays that the rule names.
    pub fn weekdays(&self) -> Vec<Weekday> {
        let days = (0..7).filter_map(|place| Weekday::from_monday_zero_offset(place).ok());
        days.filter(|day| self.days.has_weekday(*day)).collect()
    }

    /// Returns the occurrences in wall-clock time of `zone`, in order. `start` itself is always one of them. `None`
    /// when the rule ends before it starts.
    pub fn times(&self, start: DateTime, window: Window, zone: &TimeZone) -> Option<Times<'_>> {
        let mut until = self.until.map(|until| until.on_wall(zone));
        if until.is_some_and(|until| until < start) {
            return None;
        }
        let mut left = self.count;
        if let (Some(_), Some(last)) = (self.count, window.last) {
            // The last day was computed when the event was written; counting again would expand all occurrences before
            // the window.
            until = Some(last.at(23, 59, 59, 0).max(start));
            left = None;
        }
        let first = if left.is_some() { start.date() } else { window.from.date().max(start.date()) };
        Some(Times {
            rule: self,
            days: self.days.with_defaults(self.freq, start.date()),
            start,
            until,
            left,
            window,
            first,
            period: self.period_of(start.date(), first),
            found: VecDeque::new(),
            started: false,
            ended: false,
            steps: 0,
        })
    }

    /// Returns the number of the last period that begins on or before `day`.
    fn period_of(&self, start: Date, day: Date) -> i64 {
        let days = |from: Date| i64::from((day - from).get_days());
        let months = |date: Date| i64::from(date.year()) * 12 + i64::from(date.month());
        let units = match self.freq {
            Freq::Daily => days(start),
            Freq::Weekly => days(self.days.week_start(start)).div_euclid(7),
            Freq::Monthly => months(day) - months(start),
            Freq::Yearly => i64::from(day.year() - start.year()),
        };
        units.div_euclid(i64::from(self.interval)).max(0)
    }

    /// Returns the first and last day of a period; `None` beyond the end of the calendar.
    fn period(&self, start: Date, number: i64) -> Option<(Date, Date)> {
        let units = number.checked_mul(i64::from(self.interval))?;
        match self.freq {
            Freq::Daily => {
                let day = start.checked_add(Span::new().try_days(units).ok()?).ok()?;
                Some((day, day))
            }
            Freq::Weekly => {
                let first = self.days.week_start(start).checked_add(Span::new().try_weeks(units).ok()?).ok()?;
                Some((first, first.checked_add(Span::new().days(6)).unwrap_or(Date::MAX)))
            }
            Freq::Monthly => {
                let first = start.first_of_month().checked_add(Span::new().try_months(units).ok()?).ok()?;
                Some((first, first.last_of_month()))
            }
            Freq::Yearly => {
                let first = start.first_of_year().checked_add(Span::new().try_years(units).ok()?).ok()?;
                Some((first, first.last_of_year()))
            }
        }
    }

    /// Whether the rule without its end has a second occurrence: a 30 February has none.
    pub fn repeats(&self, start: DateTime) -> bool {
        let endless = Self { count: None, until: None, ..self.clone() };
        endless.times(start, Window::all(start), &TimeZone::UTC).is_some_and(|mut times| times.nth(1).is_some())
    }

    /// Returns the day of the last occurrence in wall-clock time of `zone`: `Never` when the rule has no end, `TooRare`
    /// when `SEARCH` steps do not reach it.
    pub fn last_day(&self, start: DateTime, zone: &TimeZone) -> LastDay {
        match (self.count, self.until) {
            (Some(_), _) => {
                let Some(mut times) = self.times(start, Window::all(start), zone) else { return LastDay::Never };
                let last = times.by_ref().last().map_or(start.date(), DateTime::date);
                if times.steps >= SEARCH { LastDay::TooRare } else { LastDay::On(last) }
            }
            (None, Some(until)) => LastDay::On(until.on_wall(zone).date().max(start.date())),
            (None, None) => LastDay::Never,
        }
    }

    /// Whether the rule ends after a number of occurrences.
    pub const fn is_counted(&self) -> bool {
        self.count.is_some()
    }
}

/// The last occurrence of a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LastDay {
    /// On this day.
    On(Date),
    /// The rule has no end.
    Never,
    /// The rule repeats too rarely to find the last occurrence within `SEARCH` steps.
    TooRare,
}

/// The range of occurrences that a caller needs.
#[derive(Clone, Copy, Debug)]
pub struct Window {
    /// Occurrences before this time are left out.
    pub from: DateTime,
    /// The first day that is not visited.
    pub end: Date,
    /// The day of the last occurrence, if known, for rules with `COUNT`.
    pub last: Option<Date>,
}

impl Window {
    /// Everything from `from` on.
    pub const fn all(from: DateTime) -> Self {
        Self { from, end: Date::MAX, last: None }
    }
}

/// Iterator over the occurrences of a rule within a window.
#[derive(Debug)]
pub struct Times<'r> {
    rule: &'r Rule,
    days: DayFilter,
    start: DateTime,
    until: Option<DateTime>,
    /// Number of occurrences that `COUNT` still allows.
    left: Option<u32>,
    window: Window,
    /// The first day to visit.
    first: Date,
    /// The next period to visit.
    period: i64,
    /// Matching days of the visited periods that were not yielded yet.
    found: VecDeque<Date>,
    started: bool,
    ended: bool,
    steps: u32,
}

impl Times<'_> {
    /// Returns the number of days and skipped months visited so far.
    pub const fn steps(&self) -> u32 {
        self.steps
    }

    /// Visits the next period. Returns false when there is none, or after `SEARCH` steps.
    fn look_further(&mut self) -> bool {
        let Some((first, last)) = self.rule.period(self.start.date(), self.period) else { return false };
        let until = self.until.map_or(Date::MAX, DateTime::date);
        if self.ended || first >= self.window.end || first > until || self.steps >= SEARCH {
            return false;
        }
        self.period += 1;
        if self.days.positions.is_empty() {
            let last = last.min(until);
            let last = if last < self.window.end { Some(last) } else { self.window.end.yesterday().ok() };
            if let Some(last) = last {
                self.steps += self.days.matching(first.max(self.first), last, &mut self.found);
            }
        } else {
            // `BYSETPOS` counts from the ends of the whole period.
            let mut all = VecDeque::new();
            self.steps += self.days.matching(first, last, &mut all);
            let wanted = self.first..self.window.end;
            self.found.extend(self.days.at_positions(&all).filter(|day| wanted.contains(day)));
        }
        true
    }
}

impl Iterator for Times<'_> {
    type Item = DateTime;

    fn next(&mut self) -> Option<DateTime> {
        if !self.started {
            self.started = true;
            if self.start >= self.window.from {
                return Some(self.start);
            }
        }
        loop {
            let Some(day) = self.found.pop_front() else {
                if self.look_further() {
                    continue;
                }
                return None;
            };
            let at = day.to_datetime(self.start.time());
            if self.until.is_some_and(|until| at > until) || self.left == Some(0) {
                self.ended = true;
                self.found.clear();
                return None;
            }
            self.left = self.left.map(|left| left - 1);
            if at != self.start && at >= self.window.from {
                return Some(at);
            }
        }
    }
}
