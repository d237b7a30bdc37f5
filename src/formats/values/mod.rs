//! Values as people write them in spreadsheets: dates, numbers, amounts of money, truth values, lists.

mod day;
mod number;

pub use self::{
    day::{
        DateOrder, detect_date_order, is_date_of_zeros, parse_birthday, parse_day, parse_serial_day, parse_yearless,
    },
    number::{ColumnMarks, Decimal, DecimalMark, MoneyAmount, detect_decimal_mark, parse_money, parse_number},
};
use std::collections::HashSet;

use crate::kernel::text::{fold, line};

const TRUE: [&str; 18] = [
    "yes",
    "y",
    "si",
    "s",
    "true",
    "t",
    "1",
    "x",
    "verdadero",
    "v",
    "on",
    "done",
    "hecho",
    "hecha",
    "completed",
    "complete",
    "completada",
    "completado",
];
const FALSE: [&str; 16] = [
    "no",
    "n",
    "false",
    "f",
    "0",
    "falso",
    "off",
    "open",
    "pending",
    "pendiente",
    "not started",
    "no iniciada",
    "to do",
    "todo",
    "por hacer",
    "abierta",
];
const CHECK_MARKS: [&str; 4] = ["✓", "✔", "☑", "✅"];
const EMPTY_BOXES: [&str; 3] = ["☐", "✗", "✘"];

/// Reads a truth value in English or Spanish, such as `yes`, `Sí`, `x` or `hecho`; none for other texts.
pub fn parse_boolean(text: &str) -> Option<bool> {
    let text = text.trim();
    if text.len() > 40 {
        return None;
    }
    if CHECK_MARKS.contains(&text) {
        return Some(true);
    }
    if EMPTY_BOXES.contains(&text) {
        return Some(false);
    }
    let text = fold(text);
    if TRUE.contains(&text.as_str()) {
        return Some(true);
    }
    FALSE.contains(&text.as_str()).then_some(false)
}

/// Divides a list, such as of tags, at commas, semicolons, vertical bars and line ends. Returns one line for each
/// element, without empty and repeated ones. The case of letters does not distinguish elements.
///
/// Also accepts lists of Google Contacts (`* myContacts ::: Friends`).
pub fn parse_list(text: &str) -> Vec<String> {
    let mut seen = HashSet::new();
    let elements = text.split([',', ';', '|', '\n']).flat_map(|part| part.split(":::"));
    let elements = elements.map(|element| line(element.trim().trim_start_matches("* ")));
    elements.filter(|element| !element.is_empty() && seen.insert(element.to_lowercase())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_truth_values_in_two_languages() {
        for text in ["yes", " Sí ", "SI", "true", "1", "x", "X", "Verdadero", "done", "Hecho", "✓"] {
            assert_eq!(parse_boolean(text), Some(true), "{text}");
        }
        for text in ["no", "No", "false", "0", "Falso", "pending"] {
            assert_eq!(parse_boolean(text), Some(false), "{text}");
        }
        for text in ["", "maybe", "2", &"y".repeat(1_000_000)] {
            assert_eq!(parse_boolean(text), None);
        }
    }

    #[test]
    fn divides_lists() {
        assert_eq!(parse_list("VIP, Key  account;vip | Madrid,,"), ["VIP", "Key account", "Madrid"]);
        assert_eq!(parse_list("* myContacts ::: Friends ::: * starred"), ["myContacts", "Friends", "starred"]);
        assert_eq!(parse_list(" , ;"), Vec::<String>::new());
    }
}
