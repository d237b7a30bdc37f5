//! Days, birthdays, and the times at which records ended.

use serde_json::Value;

use super::{Draft, DraftReader, Parts};
use crate::{
    feature::{
        DayPart, ExchangeField, ExchangeValue,
        exchange::{set_value_at, value_at},
    },
    formats::{DateOrder, parse_birthday, parse_boolean, parse_day, parse_day_of_moment, parse_time},
    kernel::{Day, Result, Timestamp},
};

/// When a record ended, or is expected to end.
#[derive(Clone, Copy, Default)]
pub(super) struct RecordEnd {
    /// The column and the time at which it ended.
    time: Option<(u16, Timestamp)>,
    /// The path, the column and the day at which it is expected to end, and that day as the time at which it ended.
    day: Option<(&'static str, u16, Day, Result<Timestamp, &'static str>)>,
}

impl DraftReader {
    /// Reads a day: that of a moment is the one in the reader's time zone.
    pub(super) fn day(&self, text: &str) -> Option<Day> {
        self.day_of_moment(text).or_else(|| parse_day(text, self.plan.date_order))
    }

    fn day_of_moment(&self, text: &str) -> Option<Day> {
        parse_day_of_moment(text, self.plan.date_order, &self.timezone)
    }

    /// Reads a day, a birthday or a time.
    pub(super) fn read_date(
        &self,
        draft: &mut Draft,
        parts: &mut Parts,
        field: &'static ExchangeField,
        column: u16,
        text: &str,
    ) {
        let day = self.day(text);
        let birthday = || match self.day_of_moment(text) {
            Some(day) => Some(day.into()),
            None => parse_birthday(text, self.plan.date_order, self.today),
        };
        let read = match field.value {
            ExchangeValue::EndTime { .. } => {
                match self.end_time(text) {
                    // Several columns say the same, or only one of them is filled.
                    Ok(at) => parts.end.time = parts.end.time.or(Some((column, at))),
                    Err(key) => draft.leave_out(column, key),
                }
                return;
            }
            ExchangeValue::EndDay if day.is_some() => {
                parts.end.day = day.map(|day| (field.path, column, day, self.end_time(text)));
                return;
            }
            ExchangeValue::Birthday => birthday().map(|birthday| birthday.to_string()),
            _ => day.map(|day| day.to_string()),
        };
        match read {
            Some(value) => {
                draft.shown.push((column, value.clone()));
                set_value_at(&mut draft.values, field.path, Value::from(value));
            }
            None if birthday().is_some() => draft.leave_out(column, "errors.import.no_year"),
            None => draft.leave_out(column, "errors.import.date"),
        }
    }

    /// Reads the time at which a record ended, or returns the key of the text about one that cannot be it.
    fn end_time(&self, text: &str) -> Result<Timestamp, &'static str> {
        let at = parse_time(text, self.plan.date_order, &self.timezone).ok_or("errors.import.date")?;
        if at.day_in(&self.timezone) < Day::PLANNED.0 {
            // Programs write the year 1 for a time that there is not.
            Err("errors.import.date")
        } else if at <= self.now {
            Ok(at)
        } else if at.day_in(&self.timezone) == self.today {
            Ok(self.now)
        } else {
            Err("errors.fields.in_future")
        }
    }

    /// Takes a date in place of a yes as the time at which a record ended.
    pub(super) fn note_end(&self, parts: &mut Parts, field: &ExchangeField, column: u16, text: &str) {
        let is_of_field =
            |one: &ExchangeField| matches!(one.value, ExchangeValue::EndTime { state, .. } if state == field.path);
        if self.fields.iter().any(is_of_field)
            && parse_boolean(text).is_none()
            && let Ok(at) = self.end_time(text)
        {
            parts.end.time = parts.end.time.or(Some((column, at)));
        }
    }

    /// Keeps when a record ended, if its state says that it did. A row with such a time and without a state is of a record
    /// that ended if the state is a yes or no.
    pub(super) fn finish_end(&self, draft: &mut Draft, end: RecordEnd) {
        let ends = self.fields.iter().find_map(|field| match field.value {
            ExchangeValue::EndTime { state, open } => Some((field.path, state, open)),
            _ => None,
        });
        let Some((path, state, open)) = ends else { return };
        if let Some((expected, column, day, _)) = end.day
            && value_at(&draft.values, expected).is_none()
        {
            draft.shown.push((column, day.to_string()));
            set_value_at(&mut draft.values, expected, Value::from(day.to_string()));
        }
        let is_checkbox = |field: &ExchangeField| field.path == state && matches!(field.value, ExchangeValue::Checkbox);
        let known = value_at(&draft.values, state);
        if known.is_none() && end.time.is_some() && self.fields.iter().any(is_checkbox) {
            set_value_at(&mut draft.values, state, Value::Bool(true));
        }
        let has_ended = value_at(&draft.values, state).is_some_and(|state| match state {
            Value::String(state) => state != open,
            Value::Bool(state) => state.to_string() != open,
            _ => false,
        });
        let (column, at) = match (end.time, end.day) {
            (Some((column, _)), _) if !has_ended => return draft.leave_out(column, "errors.import.not_ended"),
            (Some((column, at)), _) => (column, Ok(at)),
            (None, Some((_, column, _, at))) if has_ended => (column, at),
            (None, _) => return,
        };
        match at {
            Ok(at) => {
                let local = at.zoned(&self.timezone).strftime("%Y-%m-%d %H:%M").to_string();
                draft.shown.push((column, local));
                set_value_at(&mut draft.values, path, Value::from(at.to_string()));
            }
            Err(key) => draft.leave_out(column, key),
        }
    }

    /// Reads a date whose parts stand in several columns.
    pub(super) fn read_day_parts(&self, draft: &mut Draft, parts: &[(DayPart, &'static str, u16, String)]) {
        let Some((_, path, column, _)) = parts.first() else { return };
        if value_at(&draft.values, path).is_some() {
            return;
        }
        let part = |part: DayPart| parts.iter().find(|(known, ..)| *known == part).map(|(.., text)| text.as_str());
        let is_none = |text: &str| text.trim_matches('0').is_empty();
        let written = [DayPart::Year, DayPart::Month, DayPart::Day].map(|one| part(one).unwrap_or_default());
        if written.iter().all(|text| is_none(text)) {
            return;
        }
        // The month may be a word.
        let [year, month, day] = written;
        let is_word = month.chars().any(char::is_alphabetic);
        // The year 2000 can have two digits.
        let year = if is_none(year) && year.len() != 2 { "" } else { year };
        let text = match (is_word, year) {
            (true, year) => format!("{day} {month} {year}"),
            (false, "") => format!("--{month:0>2}-{day:0>2}"),
            (false, year) => format!("{year}-{month:0>2}-{day:0>2}"),
        };
        match parse_birthday(&text, DateOrder::YearMonthDay, self.today).filter(|_| !is_none(month) && !is_none(day)) {
            Some(birthday) => set_value_at(&mut draft.values, path, Value::from(birthday.to_string())),
            None => {
                let typed = [day, month, year].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>();
                draft.leave_out_entry(*column, "errors.import.date", &typed.join("/"));
            }
        }
    }
}
