//! Matching of days against the `BY...` parts of a rule.

use std::collections::VecDeque;

use jiff::{
    Span,
    civil::{Date, Weekday},
};

use super::Freq;

/// The `BY...` parts of a rule as bit sets. Bit n stands for the value n; negative values, which count from the end,
/// have separate sets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct DayFilter {
    months: u16,
    month_days: u32,
    month_days_from_end: u32,
    year_days: DaysOfYear,
    year_days_from_end: DaysOfYear,
    weeks: u64,
    weeks_from_end: u64,
    /// Weekdays without a number; bit 0 is Monday.
    weekdays: u8,
    /// Weekdays with a number, from Monday on: the n-th of their month or year.
    numbered: [u64; 7],
    numbered_from_end: [u64; 7],
    /// Whether the numbers count within the year instead of the month.
    numbered_in_year: bool,
    /// `BYSETPOS`.
    pub(super) positions: Vec<i32>,
    /// The first day of the week; 0 is Monday.
    week_start: u8,
}

type DaysOfYear = [u64; 6];

/// The names of weekdays, from Monday on.
pub(super) const WEEKDAYS: [&str; 7] = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"];

/// Returns the index of a weekday; 0 is Monday.
pub(super) fn place_of(weekday: Weekday) -> u8 {
    weekday.to_monday_zero_offset().unsigned_abs()
}

fn weekday_of(day: Date) -> u8 {
    place_of(day.weekday())
}

fn weekday_named(name: &str) -> Option<u8> {
    let place = WEEKDAYS.iter().position(|weekday| *weekday == name)?;
    u8::try_from(place).ok()
}

/// Parses a list of numbers, each from 1 to `max` or from -`max` to -1.
fn numbers(list: &str, max: i32) -> Option<Vec<i32>> {
    let number = |text: &str| text.parse().ok().filter(|n: &i32| *n != 0 && n.abs() <= max);
    list.split(',').map(number).collect()
}

impl DayFilter {
    /// Parses the `BY...` parts of a rule. Returns `None` for an invalid value or one that `freq` does not allow.
    pub(super) fn parse(freq: Freq, parts: &[String]) -> Option<Self> {
        let mut filter = Self {
            months: 0,
            month_days: 0,
            month_days_from_end: 0,
            year_days: [0; 6],
            year_days_from_end: [0; 6],
            weeks: 0,
            weeks_from_end: 0,
            weekdays: 0,
            numbered: [0; 7],
            numbered_from_end: [0; 7],
            numbered_in_year: false,
            positions: Vec::new(),
            week_start: 0,
        };
        let mut has_by = false;
        for part in parts {
            let (name, list) = part.split_once('=')?;
            has_by |= !matches!(name, "BYSETPOS" | "WKST");
            match name {
                "BYMONTH" => {
                    for month in numbers(list, 12)? {
                        filter.months |= 1 << u32::try_from(month).ok()?;
                    }
                }
                "BYMONTHDAY" if freq != Freq::Weekly => {
                    for day in numbers(list, 31)? {
                        let days = if day > 0 { &mut filter.month_days } else { &mut filter.month_days_from_end };
                        *days |= 1 << day.unsigned_abs();
                    }
                }
                "BYYEARDAY" if freq == Freq::Yearly => {
                    for day in numbers(list, 366)? {
                        let days = if day > 0 { &mut filter.year_days } else { &mut filter.year_days_from_end };
                        let bit = day.unsigned_abs() as usize;
                        days[bit / 64] |= 1 << (bit % 64);
                    }
                }
                "BYWEEKNO" if freq == Freq::Yearly => {
                    for week in numbers(list, 53)? {
                        let weeks = if week > 0 { &mut filter.weeks } else { &mut filter.weeks_from_end };
                        *weeks |= 1 << week.unsigned_abs();
                    }
                }
                "BYDAY" => {
                    for weekday in list.split(',') {
                        filter.add_weekday(freq, weekday)?;
                    }
                }
                "BYSETPOS" => {
                    let max = match freq {
                        Freq::Daily | Freq::Yearly => 366,
                        Freq::Weekly => 53,
                        Freq::Monthly => 31,
                    };
                    filter.positions = numbers(list, max)?;
                }
                "WKST" => filter.week_start = weekday_named(list)?,
                _ => return None,
            }
        }
        filter.numbered_in_year = freq == Freq::Yearly && filter.months == 0;
        (filter.positions.is_empty() || has_by).then_some(filter)
    }

    /// Adds `MO` or `-1MO`. Numbers have a meaning only within months and years; elsewhere they are ignored.
    fn add_weekday(&mut self, freq: Freq, text: &str) -> Option<()> {
        let split = text.len().checked_sub(2)?;
        let weekday = weekday_named(text.get(split..)?)?;
        let number = text.get(..split)?;
        let max = match freq {
            Freq::Daily | Freq::Yearly => 53,
            Freq::Weekly => 8,
            Freq::Monthly => 5,
        };
        if number.is_empty() {
            self.weekdays |= 1 << weekday;
            return Some(());
        }
        let number: i32 = number.parse().ok().filter(|n: &i32| *n != 0 && n.abs() <= max)?;
        let bit = 1 << number.unsigned_abs();
        if matches!(freq, Freq::Daily | Freq::Weekly) {
            self.weekdays |= 1 << weekday;
        } else if number > 0 {
            self.numbered[usize::from(weekday)] |= bit;
        } else {
            self.numbered_from_end[usize::from(weekday)] |= bit;
        }
        Some(())
    }

    /// Returns the filter completed with the days of `start`, if the rule names no days.
    pub(super) fn with_defaults(&self, freq: Freq, start: Date) -> Self {
        let mut filter = self.clone();
        if self.names_days() {
            return filter;
        }
        match freq {
            Freq::Daily => {}
            Freq::Weekly => filter.weekdays = 1 << weekday_of(start),
            Freq::Monthly => filter.month_days = 1 << start.day().unsigned_abs(),
            Freq::Yearly => {
                filter.month_days = 1 << start.day().unsigned_abs();
                if filter.months == 0 {
                    filter.months = 1 << start.month().unsigned_abs();
                }
            }
        }
        filter
    }

    fn names_days(&self) -> bool {
        self.has_month_days() || self.has_year_days() || self.has_weeks() || self.has_weekdays()
    }

    const fn has_month_days(&self) -> bool {
        self.month_days != 0 || self.month_days_from_end != 0
    }

    fn has_year_days(&self) -> bool {
        self.year_days != [0; 6] || self.year_days_from_end != [0; 6]
    }

    const fn has_weeks(&self) -> bool {
        self.weeks != 0 || self.weeks_from_end != 0
    }

    fn has_weekdays(&self) -> bool {
        self.weekdays != 0 || self.numbered != [0; 7] || self.numbered_from_end != [0; 7]
    }

    /// Whether the rule names a weekday without a number.
    pub(super) fn has_weekday(&self, weekday: Weekday) -> bool {
        self.weekdays & (1 << place_of(weekday)) != 0
    }

    /// Returns the first day of the week that contains `day`.
    pub(super) fn week_start(&self, day: Date) -> Date {
        let back = (7 + weekday_of(day) - self.week_start) % 7;
        day.checked_sub(Span::new().days(back)).unwrap_or(Date::MIN)
    }

    /// Adds the matching days from `first` to `last`. Returns the number of steps.
    pub(super) fn matching(&self, first: Date, last: Date, found: &mut VecDeque<Date>) -> u32 {
        let mut steps = 0;
        let mut next = Some(first);
        while let Some(day) = next.filter(|day| *day <= last) {
            steps += 1;
            if self.months != 0 && self.months & (1 << day.month().unsigned_abs()) == 0 {
                next = day.last_of_month().tomorrow().ok();
                continue;
            }
            if self.matches(day) {
                found.push_back(day);
            }
            next = day.tomorrow().ok();
        }
        steps.max(1)
    }

    /// Whether a day, whose month matches, matches the other parts.
    fn matches(&self, day: Date) -> bool {
        (!self.has_weekdays() || self.matches_weekday(day))
            && (!self.has_month_days() || self.matches_month_day(day))
            && (!self.has_year_days() || self.matches_year_day(day))
            && (!self.has_weeks() || self.matches_week(day))
    }

    fn matches_weekday(&self, day: Date) -> bool {
        let weekday = weekday_of(day);
        if self.weekdays & (1 << weekday) != 0 {
            return true;
        }
        let (place, length) = if self.numbered_in_year {
            (day.day_of_year(), day.days_in_year())
        } else {
            (i16::from(day.day()), i16::from(day.days_in_month()))
        };
        let number = (place - 1) / 7 + 1;
        let from_end = (length - place) / 7 + 1;
        let weekday = usize::from(weekday);
        self.numbered[weekday] & (1 << number) != 0 || self.numbered_from_end[weekday] & (1 << from_end) != 0
    }

    fn matches_month_day(&self, day: Date) -> bool {
        let from_end = day.days_in_month() - day.day() + 1;
        self.month_days & (1 << day.day()) != 0 || self.month_days_from_end & (1 << from_end) != 0
    }

    fn matches_year_day(&self, day: Date) -> bool {
        let has = |days: &DaysOfYear, n: i16| {
            let bit = usize::from(n.unsigned_abs());
            days[bit / 64] & (1 << (bit % 64)) != 0
        };
        let place = day.day_of_year();
        has(&self.year_days, place) || has(&self.year_days_from_end, day.days_in_year() - place + 1)
    }

    /// Whether the day's week is one of `BYWEEKNO`. Week 1 has at least four days of its year, so the first days of
    /// January can be in the last week of the previous year, and the last days of December in week 1 of the next.
    fn matches_week(&self, day: Date) -> bool {
        let place = i32::from(day.day_of_year()) - 1;
        let length = i32::from(day.days_in_year());
        let new_year = i32::from(weekday_of(day)) - place;
        // Returns where week 1 begins, relative to 1 January, given the weekday of 1 January.
        let week_1 = |weekday: i32| {
            let into_week = (weekday - i32::from(self.week_start)).rem_euclid(7);
            if into_week <= 3 { -into_week } else { 7 - into_week }
        };
        let first = week_1(new_year);
        let next = length + week_1(new_year + length);
        if place >= next {
            return self.weeks & (1 << 1) != 0;
        }
        if place < first {
            let before = if Date::new(day.year() - 1, 1, 1).is_ok_and(Date::in_leap_year) { 366 } else { 365 };
            let number = (place + before - week_1(new_year - before)) / 7 + 1;
            return self.weeks & (1 << number) != 0 || self.weeks_from_end & (1 << 1) != 0;
        }
        let number = (place - first) / 7 + 1;
        let from_end = (next - first) / 7 - number + 1;
        self.weeks & (1 << number) != 0 || self.weeks_from_end & (1 << from_end) != 0
    }

    /// Returns the days at the positions in `BYSETPOS`, in order.
    pub(super) fn at_positions(&self, days: &VecDeque<Date>) -> impl Iterator<Item = Date> {
        let place = |position: &i32| {
            let back = usize::try_from(position.unsigned_abs()).ok()?;
            if *position > 0 { back.checked_sub(1) } else { days.len().checked_sub(back) }
        };
        let mut chosen: Vec<Date> =
            self.positions.iter().filter_map(place).filter_map(|n| days.get(n).copied()).collect();
        chosen.sort_unstable();
        chosen.dedup();
        chosen.into_iter()
    }
}
