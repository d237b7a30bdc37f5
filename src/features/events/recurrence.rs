//! Recurrence rules of events (RFC 5545 RRULE). A rule is expanded in wall-clock time without a time zone, so
//! that a weekly meeting stays at nine when the clocks change; the caller converts the times to the event's
//! zone.
//!
//! The expander walks periods (days, weeks, months or years) and looks at the days in them. Each day or
//! skipped month that it looks at is one step, and steps are bounded: a read looks only at the periods that
//! touch its window, whatever the rule, and a search without a window ends after `SEARCH` steps.

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

/// Characters that a rule may have.
const LENGTH: usize = 500;
/// The most that `COUNT` may say.
const COUNT: u32 = 1_000;
/// The most that `INTERVAL` may say.
const INTERVAL: u32 = 366;
/// Steps after which a search ends. The calendar repeats every 400 years, and 400 years, 4,800 months, 20,871
/// weeks or 146,097 days have less than 150,000 steps: a rule without a time among them has none at all. The
/// rest is for `COUNT`: 1,000 years have 366,000 steps.
const SEARCH: u32 = 400_000;

/// A rule that was understood and is within bounds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    freq: Freq,
    interval: u32,
    count: Option<u32>,
    until: Option<Until>,
    /// The further parts (`BYDAY=MO,TU`), as they were written.
    by: Vec<String>,
    /// The same parts in the form that days are matched with.
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

/// The end that a rule names, in the three forms there are.
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

    /// The last moment on the wall of a zone.
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
    /// Understands a rule, with or without `RRULE:` before it. None when it cannot be understood, repeats
    /// more often than daily, names hours, or goes beyond our bounds (`COUNT` 1,000, `INTERVAL` 366).
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

    /// The rule as it is kept and shown.
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

    /// The same rule for another number of times.
    pub fn with_count(self, count: u32) -> Self {
        Self { count: Some(count), ..self }
    }

    /// The same rule up to the end of the day before another, written as an instant for timed events (RFC 5545 has
    /// `UNTIL` in the form of the start).
    pub fn until_before(self, day: Date, timed: bool, zone: &TimeZone) -> Self {
        let last = day.yesterday().unwrap_or(day);
        let end = last.at(23, 59, 59, 0);
        let instant = zone.to_ambiguous_timestamp(end).compatible().map(|end| TimeZone::UTC.to_datetime(end));
        let until = if timed { instant.map_or(Until::Wall(end), Until::Instant) } else { Until::Day(last) };
        Self { count: None, until: Some(until), ..self }
    }

    /// The same rule with one of the weekdays that it names replaced by another. None when it is not weekly, or does
    /// not name that weekday.
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

    /// The weekdays that it names.
    pub fn weekdays(&self) -> Vec<Weekday> {
        let days = (0..7).filter_map(|place| Weekday::from_monday_zero_offset(place).ok());
        days.filter(|day| self.days.has_weekday(*day)).collect()
    }

    /// The times in wall-clock time of `zone`, in order. `start` itself is always one of them. None when the
    /// rule ends before it starts.
    pub fn times(&self, start: DateTime, window: Window, zone: &TimeZone) -> Option<Times<'_>> {
        let mut until = self.until.map(|until| until.on_wall(zone));
        if until.is_some_and(|until| until < start) {
            return None;
        }
        let mut left = self.count;
        if let (Some(_), Some(last)) = (self.count, window.last) {
            // Counted when the event was written; counting again would cost all times before the window.
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

    /// The number of the last period that begins on `day` or before it.
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

    /// First and last day of a period; none beyond the end of the calendar.
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

    /// Whether there is a second time at all when the rule's end is ignored: a 30th of February never is.
    pub fn repeats(&self, start: DateTime) -> bool {
        let endless = Self { count: None, until: None, ..self.clone() };
        endless.times(start, Window::all(start), &TimeZone::UTC).is_some_and(|mut times| times.nth(1).is_some())
    }

    /// The day of the last time in wall-clock time of `zone`: `Never` when it goes on for ever, `TooRare` when
    /// `SEARCH` steps do not reach it.
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

    /// Whether it ends after a number of times.
    pub const fn is_counted(&self) -> bool {
        self.count.is_some()
    }
}

/// When the last time of a rule is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LastDay {
    /// On this day.
    On(Date),
    /// The rule goes on for ever.
    Never,
    /// The rule repeats too rarely to find out within `SEARCH` steps.
    TooRare,
}

/// The part of a rule's times that is asked for.
#[derive(Clone, Copy, Debug)]
pub struct Window {
    /// Times before this are left out.
    pub from: DateTime,
    /// Days from this one on are not looked at.
    pub end: Date,
    /// The day of the last time, for rules with `COUNT`, when it is known.
    pub last: Option<Date>,
}

impl Window {
    /// Everything from `from` on.
    pub const fn all(from: DateTime) -> Self {
        Self { from, end: Date::MAX, last: None }
    }
}

/// The times of a rule within a window.
#[derive(Debug)]
pub struct Times<'r> {
    rule: &'r Rule,
    days: DayFilter,
    start: DateTime,
    until: Option<DateTime>,
    /// Times that `COUNT` still allows.
    left: Option<u32>,
    window: Window,
    /// The first day to look at.
    first: Date,
    /// The period to look at next.
    period: i64,
    /// Days of the periods so far that were not given out yet.
    found: VecDeque<Date>,
    started: bool,
    ended: bool,
    steps: u32,
}

impl Times<'_> {
    /// Days and skipped months looked at so far.
    pub const fn steps(&self) -> u32 {
        self.steps
    }

    /// Looks at the next period. False when there is none, or after `SEARCH` steps.
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
            // Positions count from the ends of the whole period.
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
