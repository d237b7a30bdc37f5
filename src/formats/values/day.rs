//! Dates as people write them, in English and Spanish.

use poem_openapi::Enum;
use serde::{Deserialize, Serialize};

use crate::kernel::{Birthday, Day, text::fold};

/// The longest text that can be a date, in bytes.
const MAX_BYTES: usize = 64;

/// Names of months in English and Spanish, with the number of the month. They can be abbreviated to three letters.
const MONTHS: [(&str, i32); 25] = [
    ("january", 1),
    ("february", 2),
    ("march", 3),
    ("april", 4),
    ("may", 5),
    ("june", 6),
    ("july", 7),
    ("august", 8),
    ("september", 9),
    ("october", 10),
    ("november", 11),
    ("december", 12),
    ("enero", 1),
    ("febrero", 2),
    ("marzo", 3),
    ("abril", 4),
    ("mayo", 5),
    ("junio", 6),
    ("julio", 7),
    ("agosto", 8),
    ("septiembre", 9),
    ("setiembre", 9),
    ("octubre", 10),
    ("noviembre", 11),
    ("diciembre", 12),
];
/// Words in dates that say nothing.
const FILLERS: [&str; 10] = ["de", "del", "of", "the", "st", "nd", "rd", "th", "el", "o"];
/// Days of the week, at least their first three letters.
const WEEKDAYS: [&str; 14] = [
    "monday",
    "tuesday",
    "wednesday",
    "thursday",
    "friday",
    "saturday",
    "sunday",
    "lunes",
    "martes",
    "miercoles",
    "jueves",
    "viernes",
    "sabado",
    "domingo",
];

/// The order of day, month and year in dates of numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Enum)]
pub enum DateOrder {
    /// `25/11/2026`.
    #[oai(rename = "dmy")]
    #[serde(rename = "dmy")]
    DayMonthYear,
    /// `11/25/2026`.
    #[oai(rename = "mdy")]
    #[serde(rename = "mdy")]
    MonthDayYear,
    /// `2026/11/25`.
    #[oai(rename = "ymd")]
    #[serde(rename = "ymd")]
    YearMonthDay,
}

/// Reads a date: ISO 8601 (`2026-11-25`, `20261125`), numbers in the given order (`25/11/26`, `25.11.2026`), or with the
/// name of the month (`25 de noviembre de 2026`, `Nov 25, 2026`, `25-nov-26`). A time after it is ignored.
///
/// A year of four digits that comes first is followed by month and day whatever the order. A date that is valid only in
/// another order is refused, since a column with two orders is ambiguous. Years of two digits are those from 1969 to
/// 2068 (POSIX).
pub fn parse_day(text: &str, order: DateOrder) -> Option<Day> {
    let (year, month, day) = DateParts::parse(text)?.resolve(order)?;
    make_day(year?.value(68), month, day)
}

/// Reads a date of birth like [`parse_day`], but a year of two digits is the last such year that is not after `today`, and
/// the year may be missing (`25/11`, `25 nov`, `--1125`, `--11-25`) or `0000`.
pub fn parse_birthday(text: &str, order: DateOrder, today: Day) -> Option<Birthday> {
    let (year, month, day) = DateParts::parse(text)?.resolve(order)?;
    let Some(year) = year.filter(|year| year.digits <= 2 || year.number > 0) else {
        return without_year(month, day);
    };
    let recent = make_day(year.value(i32::from(today.0.year() % 100)), month, day)?;
    if year.digits == 2 && recent > today {
        return make_day(year.value(i32::from(today.0.year() % 100) - 1), month, day).map(Birthday::from);
    }
    Some(recent.into())
}

/// Reads a date of birth without a year as vCards write it: `--1125`, `--11-25`.
pub fn parse_yearless(text: &str) -> Option<Birthday> {
    match DateParts::with_month_and_day(text.strip_prefix("--")?)? {
        DateParts::Named(day, month, None) => without_year(month, day.number),
        _ => None,
    }
}

/// Whether a text is a date whose day, month or year is zero, which some programs write for none: `0000-00-00`, `0/0/00`.
pub fn is_date_of_zeros(text: &str) -> bool {
    matches!(DateParts::parse(text), Some(DateParts::Numbers(parts)) if parts.iter().any(|part| part.number == 0))
}

/// Reads a serial number of Excel (the 1900 date system): days since the end of 1899, such as `46351` for 25 November
/// 2026. A fraction, which is a time, is ignored. Only years up to 9999.
pub fn parse_serial_day(text: &str) -> Option<Day> {
    let whole = text.trim().split(['.', ',']).next()?;
    if whole.is_empty() || whole.len() > 7 || !whole.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let serial: i64 = whole.parse().ok()?;
    // Excel counts 29 February 1900, which did not exist, as day 60.
    let days = match serial {
        1..=59 => serial + 1,
        61..=2_958_465 => serial,
        _ => return None,
    };
    Some(Day(jiff::civil::date(1899, 12, 30)).plus_days(days))
}

/// What values say of the order of day, month and year.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DateMarks {
    /// The values that begin with the day.
    day_first: u32,
    /// The values that begin with the month.
    month_first: u32,
    /// The values that begin with the year.
    year_first: u32,
    /// The values that can begin with either the day or the month.
    ambiguous: u32,
}

impl DateMarks {
    /// Looks at a value.
    pub fn note(&mut self, value: &str) {
        let value = value.trim();
        // Most values of a file are no dates.
        let may_be = value.len() == 8 || (value.len() <= MAX_BYTES && value.contains(['/', '-', '.']));
        if !may_be || value.bytes().filter(u8::is_ascii_digit).count() < 3 {
            return;
        }
        match DateParts::parse(value) {
            Some(DateParts::Numbers([year, _, _])) if year.digits == 4 => self.year_first += 1,
            Some(DateParts::Numbers([first, second, _])) => match (first.number > 12, second.number > 12) {
                (true, false) => self.day_first += 1,
                (false, true) => self.month_first += 1,
                (false, false) => self.ambiguous += 1,
                (true, true) => {}
            },
            _ => {}
        }
    }

    /// Returns the order that the values prove; none if they do not prove one, or contradict each other.
    ///
    /// A number above 12 in the first or second place is a day, which proves the order. Dates that begin with the year are
    /// read in any order, so they prove nothing of others, and decide only if there are no others. Days without a year
    /// prove nothing: they can also be amounts.
    pub const fn proven(self) -> Option<DateOrder> {
        match (self.day_first, self.month_first) {
            (1.., 0) => Some(DateOrder::DayMonthYear),
            (0, 1..) => Some(DateOrder::MonthDayYear),
            (0, 0) if self.year_first > 0 && self.ambiguous == 0 => Some(DateOrder::YearMonthDay),
            _ => None,
        }
    }
}

/// Decides the order of dates as [`DateMarks`] does.
pub fn detect_date_order<'a>(samples: impl IntoIterator<Item = &'a str>) -> Option<DateOrder> {
    let mut marks = DateMarks::default();
    samples.into_iter().for_each(|sample| marks.note(sample));
    marks.proven()
}

/// A number of a date.
#[derive(Clone, Copy)]
struct DateNumber {
    number: i32,
    digits: usize,
}

impl DateNumber {
    /// Returns the year; of two digits, those up to `last` belong to this century.
    fn value(self, last: i32) -> i32 {
        match self.digits {
            1 | 2 if self.number <= last => 2000 + self.number,
            1 | 2 => 1900 + self.number,
            _ => self.number,
        }
    }
}

/// The parts of a date.
enum DateParts {
    /// Three numbers.
    Numbers([DateNumber; 3]),
    /// Day and month, in any order.
    Yearless([DateNumber; 2]),
    /// Day, month and year, if there is one.
    Named(DateNumber, i32, Option<DateNumber>),
}

impl DateParts {
    fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        if text.len() > MAX_BYTES {
            return None;
        }
        let date = without_time(text);
        if let Some(yearless) = date.strip_prefix("--") {
            return Self::with_month_and_day(yearless);
        }
        let mut numbers = Vec::new();
        let mut words = Vec::new();
        let mut separators = Vec::new();
        let folded = fold(date);
        for token in folded.as_bytes().chunk_by(|a, b| class(*a) == class(*b)) {
            // Cut between ASCII characters, so it is text.
            let token = std::str::from_utf8(token).ok()?;
            match class(token.as_bytes()[0]) {
                CharClass::Digit => {
                    let number = token.parse().ok().filter(|_| token.len() <= 8)?;
                    numbers.push(DateNumber { number, digits: token.len() });
                }
                CharClass::Letter => words.push(token),
                CharClass::Other => separators.push(token.trim()),
            }
        }
        match Self::find_month(&words).ok()? {
            Some(month) => Self::with_month(&numbers, month, &separators),
            None => Self::with_numbers(&numbers, &separators),
        }
    }

    /// Reads what follows the `--` of a date without a year: `1125`, `11-25`.
    fn with_month_and_day(text: &str) -> Option<Self> {
        let digits = text.replacen('-', "", usize::from(text.len() == 5));
        let is_usual = digits.len() == 4 && digits.bytes().all(|byte| byte.is_ascii_digit());
        let number = digits.parse::<u16>().ok().filter(|_| is_usual)?;
        let day = DateNumber { number: i32::from(number % 100), digits: 2 };
        Some(Self::Named(day, i32::from(number / 100), None))
    }

    /// Finds the month among the words of a date.
    fn find_month(words: &[&str]) -> Result<Option<i32>, UnknownWord> {
        let mut found = None;
        for word in words {
            if FILLERS.contains(word) || is_weekday(word) {
                continue;
            }
            if found.is_some() {
                return Err(UnknownWord);
            }
            found = Some(month_number(word).ok_or(UnknownWord)?);
        }
        Ok(found)
    }

    fn with_month(numbers: &[DateNumber], month: i32, separators: &[&str]) -> Option<Self> {
        let are_usual = separators.iter().all(|separator| separator.chars().all(|c| "/-.,'º".contains(c)));
        match numbers {
            _ if !are_usual => None,
            [day] if day.digits <= 2 => Some(Self::Named(*day, month, None)),
            [first, second] => match (first.digits, second.digits) {
                (4, 1 | 2) => Some(Self::Named(*second, month, Some(*first))),
                (1 | 2, 2 | 4) => Some(Self::Named(*first, month, Some(*second))),
                _ => None,
            },
            _ => None,
        }
    }

    fn with_numbers(numbers: &[DateNumber], separators: &[&str]) -> Option<Self> {
        if let ([whole], []) = (numbers, separators)
            && whole.digits == 8
        {
            let part = |number: i32, digits| DateNumber { number, digits };
            let year = part(whole.number / 10_000, 4);
            return Some(Self::Numbers([year, part(whole.number / 100 % 100, 2), part(whole.number % 100, 2)]));
        }
        let is_usual = |separator: &str| ["/", "-", "."].contains(&separator);
        let is_small = |number: &DateNumber| number.digits <= 2;
        if let ([first, second], [separator]) = (numbers, separators) {
            let is_date = is_usual(separator) && is_small(first) && is_small(second);
            return is_date.then_some(Self::Yearless([*first, *second]));
        }
        let [first, second, third] = numbers else { return None };
        let [one, other] = separators else { return None };
        let is_usual = is_usual(one) && one == other;
        let is_year = |number: &DateNumber| matches!(number.digits, 2 | 4);
        let are_parts =
            is_small(second) && ((first.digits == 4 && is_small(third)) || (is_small(first) && is_year(third)));
        (is_usual && are_parts).then_some(Self::Numbers([*first, *second, *third]))
    }

    /// Returns year, if there is one, month and day.
    fn resolve(self, order: DateOrder) -> Option<(Option<DateNumber>, i32, i32)> {
        let [first, second, third] = match self {
            Self::Named(day, month, year) => return Some((year, month, day.number)),
            Self::Yearless([day, month]) if order == DateOrder::DayMonthYear => {
                return Some((None, month.number, day.number));
            }
            Self::Yearless([month, day]) => return Some((None, month.number, day.number)),
            Self::Numbers(numbers) => numbers,
        };
        if first.digits == 4 {
            return Some((Some(first), second.number, third.number));
        }
        let (year, month, day) = match order {
            DateOrder::DayMonthYear => Some((third, second.number, first.number)),
            DateOrder::MonthDayYear => Some((third, first.number, second.number)),
            DateOrder::YearMonthDay if third.digits == 2 && first.digits == 2 => {
                Some((first, second.number, third.number))
            }
            // The year comes last: only an unambiguous date is read.
            DateOrder::YearMonthDay if first.number > 12 => Some((third, second.number, first.number)),
            DateOrder::YearMonthDay if second.number > 12 => Some((third, first.number, second.number)),
            DateOrder::YearMonthDay => None,
        }?;
        Some((Some(year), month, day))
    }
}

/// A word that is in no date.
struct UnknownWord;

#[derive(PartialEq)]
enum CharClass {
    Digit,
    Letter,
    Other,
}

fn class(byte: u8) -> CharClass {
    match byte {
        b'0'..=b'9' => CharClass::Digit,
        b'a'..=b'z' => CharClass::Letter,
        _ => CharClass::Other,
    }
}

/// Removes a time: `T10:00Z`, ` 10:30 pm`.
fn without_time(text: &str) -> &str {
    let Some(colon) = text.find(':') else { return text };
    let date = text[..colon].trim_end_matches(|c: char| c.is_ascii_digit());
    let date = date.trim_end_matches(['T', 't', ' ', ',']);
    ["a las", "at"].iter().find_map(|word| date.strip_suffix(word)).unwrap_or(date).trim_end_matches([' ', ','])
}

fn month_number(word: &str) -> Option<i32> {
    let found = MONTHS.iter().find(|(name, _)| word.len() >= 3 && name.starts_with(word));
    found.map(|(_, number)| *number)
}

fn is_weekday(word: &str) -> bool {
    word.len() >= 3 && WEEKDAYS.iter().any(|day| day.starts_with(word)) && month_number(word).is_none()
}

fn without_year(month: i32, day: i32) -> Option<Birthday> {
    Birthday::without_year(i8::try_from(month).ok()?, i8::try_from(day).ok()?)
}

fn make_day(year: i32, month: i32, day: i32) -> Option<Day> {
    let year = i16::try_from(year).ok().filter(|year| (1..=9_999).contains(year))?;
    let month = i8::try_from(month).ok()?;
    let day = i8::try_from(day).ok()?;
    jiff::civil::Date::new(year, month, day).ok().map(Day)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ORDERS: [DateOrder; 3] = [DateOrder::DayMonthYear, DateOrder::MonthDayYear, DateOrder::YearMonthDay];

    fn read(text: &str, order: DateOrder) -> Option<String> {
        parse_day(text, order).map(|day| day.to_string())
    }

    #[test]
    fn reads_dates_that_are_the_same_in_all_orders() {
        for text in [
            "2026-11-25",
            " 2026/11/25 ",
            "20261125",
            "2026-11-25T10:00:00Z",
            "2026-11-25 10:30",
            "25 nov 2026",
            "25 Nov. 2026",
            "25-nov-26",
            "25-Nov-2026",
            "Nov 25, 2026",
            "November 25th, 2026",
            "25 de noviembre de 2026",
            "miércoles, 25 de noviembre de 2026",
            "Wed, 25 Nov 2026 10:00:00",
            "noviembre 25, 2026",
            "2026 Nov 25",
            "25. November 2026",
        ] {
            for order in ORDERS {
                assert_eq!(read(text, order).as_deref(), Some("2026-11-25"), "{text}");
            }
        }
        assert_eq!(read("1 mar 2026", ORDERS[0]).as_deref(), Some("2026-03-01"));
        assert_eq!(read("martes 3 de marzo de 2026", ORDERS[0]).as_deref(), Some("2026-03-03"));
        assert_eq!(read("1º de sept. de 2026", ORDERS[0]).as_deref(), Some("2026-09-01"));
    }

    #[test]
    fn order_decides_dates_of_numbers() {
        for text in ["4/3/2026", "04/03/2026", "4.3.26", "04-03-2026", "4. 3. 2026", "4/3/2026 10:30"] {
            assert_eq!(read(text, DateOrder::DayMonthYear).as_deref(), Some("2026-03-04"), "{text}");
            assert_eq!(read(text, DateOrder::MonthDayYear).as_deref(), Some("2026-04-03"), "{text}");
        }
        assert_eq!(read("26/11/25", DateOrder::YearMonthDay).as_deref(), Some("2026-11-25"));
        assert_eq!(read("25/11/2026", DateOrder::YearMonthDay).as_deref(), Some("2026-11-25"));
        assert_eq!(read("4/3/2026", DateOrder::YearMonthDay), None, "ambiguous");
        assert_eq!(read("11/25/2026", DateOrder::DayMonthYear), None, "the other order");
    }

    #[test]
    fn years_of_two_digits() {
        assert_eq!(read("25/11/68", DateOrder::DayMonthYear).as_deref(), Some("2068-11-25"));
        assert_eq!(read("25/11/69", DateOrder::DayMonthYear).as_deref(), Some("1969-11-25"));
        let today: Day = "2026-11-25".parse().unwrap();
        let birthday = |text| parse_birthday(text, DateOrder::DayMonthYear, today).unwrap().to_string();
        assert_eq!(birthday("25/11/45"), "1945-11-25");
        assert_eq!(birthday("25/11/26"), "2026-11-25");
        assert_eq!(birthday("26/11/26"), "1926-11-26");
        assert_eq!(birthday("12/4/1985"), "1985-04-12");
    }

    #[test]
    fn birthdays_may_have_no_year() {
        let today: Day = "2026-11-25".parse().unwrap();
        let birthday = |text, order| parse_birthday(text, order, today).map(|day| day.to_string());
        for text in
            ["--0412", "--04-12", "12 April", "April 12th", "12 de abril", "12-abr", "0000-04-12", "12 Apr 0000"]
        {
            for order in ORDERS {
                assert_eq!(birthday(text, order).as_deref(), Some("--04-12"), "{text}");
                assert_eq!(read(text, order), None, "{text}");
            }
        }
        for (text, order) in [("12/4", ORDERS[0]), ("12.04", ORDERS[0]), ("4/12", ORDERS[1]), ("04-12", ORDERS[2])] {
            assert_eq!(birthday(text, order).as_deref(), Some("--04-12"), "{text}");
            assert_eq!(read(text, order), None, "{text}");
        }
        assert_eq!(birthday("29/2", ORDERS[0]).as_deref(), Some("--02-29"));
        for text in
            ["30/2", "13/13", "0/0", "0/0/00", "--0230", "--412", "--04-1", "--+412", "April", "12", "12/4/", "1985-04"]
        {
            assert_eq!(birthday(text, ORDERS[0]), None, "{text}");
        }
        // Two numbers can be an amount.
        assert_eq!(detect_date_order(["12.50", "11/25", "18.5", "9-30"]), None);
    }

    #[test]
    fn other_texts_are_no_dates() {
        for text in [
            "",
            "25",
            "25/11",
            "Nov 2026",
            "2026-02-30",
            "32/1/2026",
            "1.234,56",
            "10-11/12",
            "1.2.3.4",
            "12 34 56",
            "600 55 50",
            "25 nov",
            "tomorrow",
            "25 nov dec 2026",
            "0/0/0",
            "2026-1-1-1",
            "+34 600 55 50 12",
            "192.168.1.1",
        ] {
            for order in ORDERS {
                assert_eq!(read(text, order), None, "{text}");
            }
        }
        assert_eq!(read(&"1/".repeat(1_000_000), ORDERS[0]), None);
    }

    #[test]
    fn values_prove_the_order_of_a_column() {
        assert_eq!(detect_date_order(["3/4/2026", "25/11/2026"]), Some(DateOrder::DayMonthYear));
        assert_eq!(detect_date_order(["3/4/2026", "11/25/2026"]), Some(DateOrder::MonthDayYear));
        assert_eq!(detect_date_order(["2026-11-25", "", "x"]), Some(DateOrder::YearMonthDay));
        assert_eq!(detect_date_order(["2026-11-25", "25/11/2026", "2026-13-45"]), Some(DateOrder::DayMonthYear));
        assert_eq!(detect_date_order(["3/4/2026", "5/6/2026"]), None);
        assert_eq!(detect_date_order(["25/11/2026", "11/25/2026"]), None);
        assert_eq!(detect_date_order(["25 nov 2026"]), None);
    }

    // The kind of fault: dates that any order reads decide how others are read.
    #[test]
    fn dates_that_begin_with_the_year_prove_nothing_of_others() {
        for iso in ["2024-03-02", "20240302", "2024/3/2 10:00", "2024-03-02T10:00:00Z"] {
            assert_eq!(detect_date_order([iso, "02/03/1980"]), None, "{iso}");
            assert_eq!(detect_date_order(["2.3.80", iso]), None, "{iso}");
            assert_eq!(detect_date_order([iso, "25/03/1980"]), Some(DateOrder::DayMonthYear), "{iso}");
            assert_eq!(detect_date_order(["03-25-1980", iso]), Some(DateOrder::MonthDayYear), "{iso}");
            assert_eq!(detect_date_order([iso, "--03-25", "12.5"]), Some(DateOrder::YearMonthDay), "{iso}");
        }
    }

    #[test]
    fn reads_serial_numbers_of_excel() {
        let read = |text| parse_serial_day(text).map(|day| day.to_string());
        assert_eq!(read("46351").as_deref(), Some("2026-11-25"));
        assert_eq!(read("46351.75").as_deref(), Some("2026-11-25"));
        assert_eq!(read("1").as_deref(), Some("1900-01-01"));
        assert_eq!(read("61").as_deref(), Some("1900-03-01"));
        for text in ["", "60", "0", "-1", "99999999", "x"] {
            assert_eq!(read(text), None, "{text}");
        }
    }

    proptest::proptest! {
        #[test]
        fn reads_back_what_was_written(year in 1_900_i16..2_200, month in 1_i8..=12, day in 1_i8..=28) {
            let date = Day(jiff::civil::date(year, month, day));
            for (text, order) in [
                (date.to_string(), ORDERS[0]),
                (format!("{day}/{month}/{year}"), ORDERS[0]),
                (format!("{month}-{day}-{year}"), ORDERS[1]),
                (format!("{year}.{month}.{day}"), ORDERS[2]),
            ] {
                proptest::prop_assert_eq!(parse_day(&text, order), Some(date), "{}", text);
            }
        }

        #[test]
        fn no_text_makes_reading_panic(text in "\\PC{0,30}|[0-9a-zñ/.: ,'-]{0,30}") {
            for order in ORDERS {
                let _ = parse_day(&text, order);
            }
            let _ = parse_serial_day(&text);
        }
    }
}
