//! Times as programs write them.

use super::day::{DateOrder, parse_day};
use crate::kernel::{Day, Timestamp, text::fold};

/// The longest text that can be a time, in bytes.
const MAX_BYTES: usize = 64;
/// The hour of a date without a time: it is the same day in most other time zones.
const NOON: (i8, i8, i8) = (12, 0, 0);

/// Reads a time: RFC 3339, or a date as [`parse_day`] reads it, with a time of day after it (`10:12`, `9:21:05 PM`,
/// `10:12 UTC`) or without one, in a time zone (an IANA name; an unknown one counts as UTC).
pub fn parse_time(text: &str, order: DateOrder, zone: &str) -> Option<Timestamp> {
    let text = text.trim();
    if text.len() > MAX_BYTES {
        return None;
    }
    if let Ok(at) = text.parse() {
        return Some(at);
    }
    let day = parse_day(text, order)?;
    let (hour, minute, second) = time_of_day(text).unwrap_or(NOON);
    let time = jiff::civil::Time::new(hour, minute, second, 0).ok()?;
    let zone = jiff::tz::TimeZone::get(if is_in_utc(text) { "UTC" } else { zone }).unwrap_or(jiff::tz::TimeZone::UTC);
    zone.to_ambiguous_timestamp(day.0.to_datetime(time)).compatible().ok().map(Timestamp::from)
}

/// Returns the day in a time zone (an IANA name; an unknown one counts as UTC) of a moment: a date with a time of day and
/// its offset from UTC (`2026-12-05T03:00:00.000Z`, `2026-12-05 03:00 UTC`). Midnight in UTC is the day as it is written,
/// because programs write days without a time like this. None for other texts.
pub fn parse_day_of_moment(text: &str, order: DateOrder, zone: &str) -> Option<Day> {
    let text = text.trim();
    if text.len() > MAX_BYTES {
        return None;
    }
    let time = time_of_day(text);
    let at: Timestamp = match text.parse() {
        Ok(at) => at,
        Err(_) if is_in_utc(text) && time.is_some() => parse_time(text, order, zone)?,
        Err(_) => return None,
    };
    let utc = at.zoned("UTC");
    let is_midnight = utc.time() == jiff::civil::Time::midnight() && time.is_none_or(|time| time == (0, 0, 0));
    Some(if is_midnight { Day(utc.date()) } else { at.day_in(zone) })
}

/// Whether a text ends with a name of UTC.
fn is_in_utc(text: &str) -> bool {
    [" UTC", " GMT"].iter().any(|name| text.ends_with(name))
}

/// Returns hour, minute and second of a text with a time.
fn time_of_day(text: &str) -> Option<(i8, i8, i8)> {
    let (before, after) = text.split_once(':')?;
    let hours = before.trim_end_matches(|c: char| c.is_ascii_digit()).len();
    let hour: i8 = before.get(hours..)?.parse().ok()?;
    let (minute, rest) = two_digits(after)?;
    let (second, rest) = match rest.strip_prefix(':') {
        Some(rest) => two_digits(rest)?,
        None => (0, rest),
    };
    // `PM`, `p. m.`
    let half: String = fold(rest).chars().filter(char::is_ascii_alphabetic).take(2).collect();
    let hour = match half.as_str() {
        "pm" if hour < 12 => hour + 12,
        "am" if hour == 12 => 0,
        _ => hour,
    };
    Some((hour, minute, second))
}

fn two_digits(text: &str) -> Option<(i8, &str)> {
    let (digits, rest) = text.split_at_checked(2)?;
    let number = digits.parse().ok().filter(|_| digits.bytes().all(|byte| byte.is_ascii_digit()))?;
    Some((number, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Option<String> {
        parse_time(text, DateOrder::DayMonthYear, "Europe/Madrid").map(|at| at.to_string())
    }

    #[test]
    fn reads_times_of_other_programs() {
        for (text, at) in [
            ("2024-03-02T10:12:00Z", "2024-03-02T10:12:00.000Z"),
            ("2024-03-02T10:12:00.500+02:00", "2024-03-02T08:12:00.500Z"),
            ("2024-03-02 10:12", "2024-03-02T09:12:00.000Z"),
            ("2024-07-02 10:12:05", "2024-07-02T08:12:05.000Z"),
            ("2024-03-02 10:12:00 UTC", "2024-03-02T10:12:00.000Z"),
            ("12/Mar/24 9:21 PM", "2024-03-12T20:21:00.000Z"),
            ("12/03/2024 12:05 a. m.", "2024-03-11T23:05:00.000Z"),
            ("Mar 12, 2024, 12:05 PM", "2024-03-12T11:05:00.000Z"),
            // A day alone is its noon, and a time that the clocks skip is the one after it.
            ("2024-03-02", "2024-03-02T11:00:00.000Z"),
            ("02/03/2024", "2024-03-02T11:00:00.000Z"),
            ("2024-03-31 02:30", "2024-03-31T01:30:00.000Z"),
        ] {
            assert_eq!(read(text).as_deref(), Some(at), "{text}");
        }
        for text in ["", "yes", "10:12", "2024-02-30", "2024-03-02 25:00", "12/Mar"] {
            assert_eq!(read(text), None, "{text}");
        }
        assert_eq!(read(&"1".repeat(1_000_000)), None);
    }

    // The kind of fault: a moment becomes the day of another time zone.
    #[test]
    fn a_moment_is_a_day_of_the_time_zone() {
        for (text, day) in [
            ("2026-12-05T03:00:00.000Z", "2026-12-04"),
            ("2026-12-05T03:00:00Z", "2026-12-04"),
            ("2026-12-05T05:00:00Z", "2026-12-05"),
            ("2026-12-05 03:00:00 UTC", "2026-12-04"),
            ("2026-12-04T21:00:00-08:00", "2026-12-05"),
            ("2026-12-05T03:00:00.000+0000", "2026-12-04"),
            ("2026-12-05T02:00:00+02:00", "2026-12-04"),
            // Programs write days without a time like this.
            ("2026-12-05T00:00:00Z", "2026-12-05"),
            ("2026-12-05T00:00:00.000Z", "2026-12-05"),
            ("2026-12-05T00:00:00+00:00", "2026-12-05"),
        ] {
            let read = parse_day_of_moment(text, DateOrder::DayMonthYear, "America/New_York");
            assert_eq!(read.map(|day| day.to_string()).as_deref(), Some(day), "{text}");
        }
        for text in ["2026-12-05", "2026-12-05T03:00:00", "5/12/2026 03:00", "5 Dec 2026", "", "x"] {
            assert_eq!(parse_day_of_moment(text, DateOrder::DayMonthYear, "America/New_York"), None, "{text}");
        }
    }

    proptest::proptest! {
        #[test]
        fn no_text_makes_reading_panic(text in "\\PC{0,30}|[0-9a-zñ/.: ,TZ+-]{0,30}") {
            let _ = read(&text);
            let _ = parse_day_of_moment(&text, DateOrder::DayMonthYear, "Europe/Madrid");
        }
    }
}
