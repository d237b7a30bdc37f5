//! Dates of birth whose year may be unknown.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};

use super::Day;

/// The year of a date of birth whose year is unknown. It is a leap year.
const UNKNOWN_YEAR: i16 = 0;
/// The year by which it is sorted: the first leap year that a `Timestamp` can have.
const YEAR_OF_PLACE: i16 = 4;

/// A date of birth: `YYYY-MM-DD`, or `--MM-DD` when the year is unknown (a yearless date of HTML).
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Birthday(Day);

impl Birthday {
    /// Returns a date of birth without a year; `None` if there is no such day in any year.
    pub fn without_year(month: i8, day: i8) -> Option<Self> {
        jiff::civil::Date::new(UNKNOWN_YEAR, month, day).ok().map(|date| Self(Day(date)))
    }

    /// Returns the day, if the year is known.
    pub fn day(self) -> Option<Day> {
        Some(self.0).filter(|day| day.0.year() != UNKNOWN_YEAR)
    }

    /// Whether two dates of birth can be the same day: those whose year is unknown agree if day and month do.
    pub fn agrees_with(self, other: Self) -> bool {
        let has_years = self.day().is_some() && other.day().is_some();
        let in_year = |birthday: Self| (birthday.0.0.month(), birthday.0.0.day());
        if has_years { self == other } else { in_year(self) == in_year(other) }
    }

    /// The day from which on birthdays with a year have their places.
    pub const FIRST_PLACE: Day = Day(jiff::civil::date(YEAR_OF_PLACE + 1, 1, 1));

    /// Returns the day by which lists are sorted: without a year, one before all others.
    pub fn place(self) -> Day {
        let in_year = jiff::civil::Date::new(YEAR_OF_PLACE, self.0.0.month(), self.0.0.day());
        self.day().unwrap_or_else(|| Day(in_year.unwrap_or(self.0.0)))
    }
}

impl From<Day> for Birthday {
    fn from(day: Day) -> Self {
        Self(day)
    }
}
impl fmt::Display for Birthday {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.day() {
            Some(day) => fmt::Display::fmt(&day, f),
            None => write!(f, "--{:02}-{:02}", self.0.0.month(), self.0.0.day()),
        }
    }
}
impl fmt::Debug for Birthday {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
impl FromStr for Birthday {
    type Err = jiff::Error;
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let Some(rest) = text.strip_prefix("--") else { return text.parse::<Day>().map(Self) };
        format!("{UNKNOWN_YEAR:04}-{rest}").parse::<Day>().map(Self)
    }
}
impl Serialize for Birthday {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}
impl<'de> Deserialize<'de> for Birthday {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_read_and_written_with_and_without_a_year() {
        for text in ["1985-04-12", "--04-12", "--02-29", "2024-02-29", "--12-31"] {
            assert_eq!(text.parse::<Birthday>().unwrap().to_string(), text);
        }
        for text in ["--4-12", "--0412", "--02-30", "--13-01", "--00-10", "-04-12", "04-12", "2023-02-29", "--", ""] {
            assert!(text.parse::<Birthday>().is_err(), "{text}");
        }
        assert_eq!(Birthday::without_year(4, 12).unwrap().day(), None);
        assert_eq!("1985-04-12".parse::<Birthday>().unwrap().day(), "1985-04-12".parse().ok());
        assert_eq!("--02-29".parse::<Birthday>().unwrap().place(), "0004-02-29".parse().unwrap());
        assert_eq!("1985-04-12".parse::<Birthday>().unwrap().place(), "1985-04-12".parse().unwrap());
        let agree = |one: &str, other: &str| one.parse::<Birthday>().unwrap().agrees_with(other.parse().unwrap());
        assert!(agree("1985-04-12", "--04-12") && agree("--04-12", "--04-12") && agree("1985-04-12", "1985-04-12"));
        assert!(!agree("1985-04-12", "1986-04-12") && !agree("1985-04-12", "--04-13") && !agree("--05-12", "--04-12"));
        assert!(Birthday::without_year(2, 29).is_some() && Birthday::without_year(2, 30).is_none());
    }
}
