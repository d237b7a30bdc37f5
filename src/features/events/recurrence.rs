//! How an event repeats (RFC 5545 RRULE). The rule is worked out on the clock of the wall, without any
//! zone, so that a weekly meeting stays at nine when the clocks change; who asks puts the times back into
//! the event's zone.

use jiff::{
    Span, Timestamp,
    civil::{Date, DateTime},
    tz::TimeZone,
};
use rrule::RRuleSet;

/// Characters that a rule may have.
const LENGTH: usize = 500;
/// The most that `COUNT` may say.
const COUNT: u32 = 1_000;
/// The most that `INTERVAL` may say.
const INTERVAL: u32 = 366;
/// Steps from the start of a rule after which it is not followed further: more than a century of days.
const STEPS: usize = 50_000;

/// A rule that was understood and is within bounds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    freq: Freq,
    interval: u32,
    count: Option<u32>,
    until: Option<Until>,
    /// The further parts (`BYDAY=MO,TU`), as they were written.
    by: Vec<String>,
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
        let (mut freq, mut interval, mut count, mut until) = (None, None, None, None);
        let (mut by, mut names) = (Vec::new(), Vec::new());
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
        Some(Self { freq: freq?, interval: interval.unwrap_or(1), count, until, by })
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

    /// Whether it ends after a number of times.
    pub const fn counts(&self) -> bool {
        self.count.is_some()
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

    /// The times on the wall of `zone` at which it repeats, from the first at or after `from`, in order.
    /// `start` itself is always one of them. None when the rule cannot be followed from there: its end
    /// comes before the start, or a part has a value that does not exist.
    pub fn times(
        &self,
        start: DateTime,
        from: DateTime,
        zone: &TimeZone,
    ) -> Option<Box<dyn Iterator<Item = DateTime>>> {
        let until = self.until.map(|until| until.on_wall(zone));
        if until.is_some_and(|until| until < start) {
            return None;
        }
        let first = self.forward(start, from);
        let mut rule = format!("FREQ={};INTERVAL={}", self.freq.as_str(), self.interval);
        for part in &self.by {
            rule.push(';');
            rule.push_str(part);
        }
        rule.extend(self.count.map(|count| format!(";COUNT={count}")));
        if let Some(until) = until {
            // Never before the start that is worked out from: the first time is then the only one.
            rule.push_str(&until.max(first).strftime(";UNTIL=%Y%m%dT%H%M%SZ").to_string());
        }
        let set = format!("DTSTART:{}\nRRULE:{rule}", first.strftime("%Y%m%dT%H%M%SZ"));
        let set = set.parse::<RRuleSet>().ok()?.limit();
        let repeated = (&set)
            .into_iter()
            .take(STEPS)
            .map_while(|at| Timestamp::from_second(at.timestamp()).ok())
            .map(|at| TimeZone::UTC.to_datetime(at))
            .take_while(move |at| until.is_none_or(|until| *at <= until))
            .filter(move |at| *at != start);
        Some(Box::new(std::iter::once(start).chain(repeated).skip_while(move |at| *at < from)))
    }

    /// A start that gives the same times from `from` on, without all those long before. Only for rules that
    /// count nothing and whose steps are all of one length.
    fn forward(&self, start: DateTime, from: DateTime) -> DateTime {
        let step = match self.freq {
            Freq::Daily => i64::from(self.interval),
            Freq::Weekly => 7 * i64::from(self.interval),
            Freq::Monthly | Freq::Yearly => return start,
        };
        let days = i64::from((from.date() - start.date()).get_days());
        // One step back, so that a week that began before `from` is there whole.
        let steps = days / step - 1;
        if self.count.is_some() || steps <= 0 {
            return start;
        }
        start.checked_add(Span::new().days(steps * step)).unwrap_or(start)
    }

    /// Whether there is a second time at all, were the rule to go on for ever: a thirtieth of February
    /// never is, and looking for it costs much.
    pub fn comes_true(&self, start: DateTime) -> bool {
        let endless = Self { count: None, until: None, ..self.clone() };
        endless.times(start, start, &TimeZone::UTC).is_some_and(|mut times| times.nth(1).is_some())
    }

    /// The day of the last time on the wall of `zone`; none when it goes on for ever.
    pub fn last_day(&self, start: DateTime, zone: &TimeZone) -> Option<Date> {
        match (self.count, self.until) {
            (Some(_), _) => self.times(start, start, zone)?.last().map(DateTime::date),
            (None, Some(until)) => Some(until.on_wall(zone).date().max(start.date())),
            (None, None) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;

    fn zone(name: &str) -> TimeZone {
        TimeZone::get(name).unwrap()
    }

    fn days(rule: &str, start: DateTime, from: DateTime, most: usize) -> Vec<String> {
        let rule = Rule::parse(rule).unwrap();
        let times = rule.times(start, from, &TimeZone::UTC).unwrap();
        times.take(most).map(|at| at.date().to_string()).collect()
    }

    #[test]
    fn rules_within_bounds_are_understood_and_others_are_not() {
        for (good, text) in [
            ("FREQ=DAILY", "FREQ=DAILY"),
            ("rrule:freq=weekly;byday=mo,we;interval=2", "FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,WE"),
            ("FREQ=MONTHLY;BYDAY=-1FR;COUNT=12", "FREQ=MONTHLY;BYDAY=-1FR;COUNT=12"),
            ("FREQ=YEARLY;UNTIL=20301231", "FREQ=YEARLY;UNTIL=20301231"),
            ("FREQ=DAILY;UNTIL=20301231T220000Z;", "FREQ=DAILY;UNTIL=20301231T220000Z"),
        ] {
            assert_eq!(Rule::parse(good).map(|rule| rule.text()).as_deref(), Some(text), "{good}");
        }
        for bad in [
            "",
            "DAILY",
            "FREQ=HOURLY",
            "FREQ=DAILY;BYHOUR=9,10",
            "FREQ=DAILY;COUNT=0",
            "FREQ=DAILY;COUNT=1001",
            "FREQ=DAILY;INTERVAL=367",
            "FREQ=DAILY;COUNT=2;UNTIL=20301231",
            "FREQ=DAILY;UNTIL=20301331",
            "FREQ=DAILY;UNTIL=2030123é",
            "FREQ=DAILY;FREQ=WEEKLY",
            "FREQ=DAILY\nDTSTART:20200101T000000Z",
            &format!("FREQ=YEARLY;BYYEARDAY={}", vec!["1"; 300].join(",")),
        ] {
            assert_eq!(Rule::parse(bad), None, "{bad}");
        }
    }

    #[test]
    fn rules_repeat_as_the_standard_says() {
        let start = date(2026, 11, 2).at(9, 0, 0, 0);
        for (rule, expected) in [
            ("FREQ=DAILY;INTERVAL=10;COUNT=3", vec!["2026-11-02", "2026-11-12", "2026-11-22"]),
            ("FREQ=WEEKLY;BYDAY=MO,WE;COUNT=3", vec!["2026-11-02", "2026-11-04", "2026-11-09"]),
            ("FREQ=MONTHLY;BYDAY=1MO;COUNT=3", vec!["2026-11-02", "2026-12-07", "2027-01-04"]),
            ("FREQ=MONTHLY;BYMONTHDAY=-1;COUNT=2", vec!["2026-11-02", "2026-11-30", "2026-12-31"]),
            ("FREQ=YEARLY;UNTIL=20281102", vec!["2026-11-02", "2027-11-02", "2028-11-02"]),
        ] {
            assert_eq!(days(rule, start, start, 9), expected, "{rule}");
        }
        let last = date(2024, 1, 31).at(0, 0, 0, 0);
        assert_eq!(days("FREQ=MONTHLY", last, last, 3), ["2024-01-31", "2024-03-31", "2024-05-31"]);
    }

    #[test]
    fn looking_from_later_gives_the_same_times() {
        let start = date(2020, 1, 1).at(9, 30, 0, 0);
        for rule in [
            "FREQ=DAILY",
            "FREQ=DAILY;INTERVAL=3",
            "FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,SU",
            "FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,SU;WKST=SU",
            "FREQ=MONTHLY;BYDAY=2TU",
            "FREQ=DAILY;UNTIL=20260315",
            "FREQ=WEEKLY;COUNT=400",
        ] {
            let from = date(2026, 3, 1).at(0, 0, 0, 0);
            let all = Rule::parse(rule).unwrap();
            let slow = all.times(start, start, &TimeZone::UTC).unwrap().filter(|at| *at >= from);
            let slow: Vec<String> = slow.take(20).map(|at| at.date().to_string()).collect();
            assert_eq!(days(rule, start, from, 20), slow, "{rule}");
        }
    }

    #[test]
    fn an_end_is_meant_on_the_wall_of_the_zone() {
        // 22:30 UTC is 23:30 in Madrid: the time at 23:00 is still before it.
        let rule = Rule::parse("FREQ=DAILY;UNTIL=20261103T223000Z").unwrap();
        let start = date(2026, 11, 2).at(23, 0, 0, 0);
        assert_eq!(rule.times(start, start, &zone("Europe/Madrid")).unwrap().count(), 2);
        assert_eq!(rule.times(start, start, &TimeZone::UTC).unwrap().count(), 1);
        assert_eq!(rule.last_day(start, &zone("Europe/Madrid")), Some(date(2026, 11, 3)));
        let over = Rule::parse("FREQ=DAILY;UNTIL=20261101").unwrap();
        assert!(over.times(start, start, &TimeZone::UTC).is_none());
    }

    #[test]
    fn the_last_day_of_a_rule_is_known() {
        let start = date(2026, 11, 2).at(9, 0, 0, 0);
        let last = |rule: &str| Rule::parse(rule).unwrap().last_day(start, &TimeZone::UTC);
        assert_eq!(last("FREQ=WEEKLY;COUNT=3"), Some(date(2026, 11, 16)));
        assert_eq!(last("FREQ=WEEKLY"), None);
    }
}
