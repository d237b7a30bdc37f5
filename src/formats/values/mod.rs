//! Values as people write them in spreadsheets: dates, numbers, amounts of money, truth values, lists.

mod day;
mod number;
mod time;

pub use self::{
    day::{
        DateMarks, DateOrder, detect_date_order, is_date_of_zeros, parse_birthday, parse_day, parse_serial_day,
        parse_yearless,
    },
    number::{
        ColumnMarks, Decimal, DecimalMark, MoneyAmount, detect_decimal_mark, parse_currency, parse_money, parse_number,
    },
    time::{parse_day_of_moment, parse_time},
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

/// What programs write in place of no value.
const PLACEHOLDERS: [&str; 9] = ["NULL", "null", "\\N", "N/A", "n/a", "-", "–", "—", "[]"];
/// The errors of spreadsheets in English, Spanish and German, in capitals.
const SPREADSHEET_ERRORS: [&str; 22] = [
    "#N/A",
    "#REF!",
    "#VALUE!",
    "#DIV/0!",
    "#NAME?",
    "#NULL!",
    "#NUM!",
    "#SPILL!",
    "#CALC!",
    "#ERROR!",
    "#N/D",
    "#¡REF!",
    "#¡VALOR!",
    "#¡DIV/0!",
    "#¿NOMBRE?",
    "#¡NULO!",
    "#¡NUM!",
    "#NV",
    "#WERT!",
    "#BEZUG!",
    "#ZAHL!",
    "#ÜBERLAUF!",
];

/// What stands in a cell that has no value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoValue {
    /// A mark for an empty cell, such as `NULL`, `N/A` or a dash.
    Placeholder,
    /// An error of a spreadsheet, such as `#REF!`.
    SpreadsheetError,
}

/// Recognizes texts that stand in a cell without a value; none for values.
pub fn no_value(text: &str) -> Option<NoValue> {
    let text = text.trim();
    if PLACEHOLDERS.contains(&text) {
        return Some(NoValue::Placeholder);
    }
    let is_error =
        text.starts_with('#') && text.len() <= 20 && SPREADSHEET_ERRORS.contains(&text.to_uppercase().as_str());
    is_error.then_some(NoValue::SpreadsheetError)
}

/// What divides the elements of lists.
const SEPARATORS: [char; 5] = [',', ';', '|', '\n', '\r'];

/// Divides a list, such as of tags, at commas, semicolons, vertical bars and line ends, except within quotation marks that
/// enclose an element (`"red, green", blue`); a mark within them is doubled. Returns one line for each element, without
/// empty and repeated ones. The case of letters does not distinguish elements.
///
/// Also accepts lists of Google Contacts (`* myContacts ::: Friends`), and a list in square brackets (`[red, blue]`).
pub fn parse_list(text: &str) -> Vec<String> {
    let text = without_brackets(text);
    let mut elements = Vec::new();
    let mut seen = HashSet::new();
    let mut add = |element: &str| {
        let element = line(element);
        if !element.is_empty() && seen.insert(element.to_lowercase()) {
            elements.push(element);
        }
    };
    let mut rest = text;
    while !rest.is_empty() {
        if let Some((element, after)) = quoted_element(rest) {
            add(&element);
            rest = after;
            continue;
        }
        let (part, after) = rest.split_once(SEPARATORS).unwrap_or((rest, ""));
        part.split(":::").for_each(|element| add(element.trim().trim_start_matches("* ")));
        rest = after;
    }
    elements
}

/// Removes the square brackets that enclose a whole list.
fn without_brackets(text: &str) -> &str {
    let inner = text.trim().strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    inner.filter(|inner| !inner.contains(['[', ']'])).unwrap_or(text)
}

/// Reads an element in quotation marks at the start of a list, and what follows its separator; none unless the marks enclose
/// all of it, on one line.
fn quoted_element(text: &str) -> Option<(String, &str)> {
    const BLANKS: [char; 2] = [' ', '\t'];
    let mut rest = text.trim_start_matches(BLANKS).strip_prefix('"')?;
    let mut element = String::new();
    loop {
        let (part, after) = rest.split_once('"')?;
        if part.contains(['\n', '\r']) {
            return None;
        }
        element.push_str(part);
        let Some(doubled) = after.strip_prefix('"') else {
            rest = after.trim_start_matches(BLANKS);
            break;
        };
        element.push('"');
        rest = doubled;
    }
    if rest.is_empty() { Some((element, rest)) } else { Some((element, rest.strip_prefix(SEPARATORS)?)) }
}

/// Reads a checklist: titles, with whether they are done, each on a line after `[x]`, `[ ]` or a box, or without a mark.
/// A single line without a mark is divided at semicolons.
pub fn parse_checklist(text: &str) -> Vec<(String, bool)> {
    let brackets = [("[x]", true), ("[X]", true), ("[ ]", false), ("[]", false)];
    let boxes = CHECK_MARKS.map(|mark| (mark, true)).into_iter().chain(EMPTY_BOXES.map(|mark| (mark, false)));
    let marks: Vec<(&str, bool)> = brackets.into_iter().chain(boxes).collect();
    let unmarked = |item: &str| {
        let item = item.trim();
        let item = item.strip_prefix("- ").unwrap_or(item).trim_start();
        let marked = |(mark, is_done): &(&str, bool)| Some((line(item.strip_prefix(mark)?), Some(*is_done)));
        marks.iter().find_map(marked).unwrap_or_else(|| (line(item), None))
    };
    let text = text.trim();
    let has_lines = text.contains(['\n', '\r']) || unmarked(text).1.is_some();
    let items: Vec<&str> = if has_lines { text.split(['\n', '\r']).collect() } else { text.split(';').collect() };
    let items = items.into_iter().map(unmarked).map(|(title, is_done)| (title, is_done.unwrap_or(false)));
    items.filter(|(title, _)| !title.is_empty()).collect()
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

    // The kind of fault: what stands for no value is kept as one.
    #[test]
    fn recognizes_cells_without_a_value() {
        for text in ["NULL", " n/a ", "\\N", "-", "–", "—", "[]"] {
            assert_eq!(no_value(text), Some(NoValue::Placeholder), "{text}");
        }
        for text in ["#N/A", "#ref!", "#¡VALOR!", "#¿NOMBRE?", "#N/D", "#NV", "#BEZUG!", "#DIV/0! "] {
            assert_eq!(no_value(text), Some(NoValue::SpreadsheetError), "{text}");
        }
        for text in ["", "Null", "#1", "#vip", "-5", "--", "n", "NA", "REF!", "#REF! and more", &"#".repeat(1_000_000)]
        {
            assert_eq!(no_value(text), None);
        }
    }

    #[test]
    fn divides_lists() {
        assert_eq!(parse_list("VIP, Key  account;vip | Madrid,,"), ["VIP", "Key account", "Madrid"]);
        assert_eq!(parse_list("* myContacts ::: Friends ::: * starred"), ["myContacts", "Friends", "starred"]);
        assert_eq!(parse_list(" , ;"), Vec::<String>::new());
        assert_eq!(parse_list("VIP\r\nMadrid\nFair\rOld"), ["VIP", "Madrid", "Fair", "Old"]);
    }

    // The kind of fault: how a program marks a list is taken as a part of its elements.
    #[test]
    fn brackets_enclose_lists() {
        assert_eq!(parse_list("[red, blue]"), ["red", "blue"]);
        assert_eq!(parse_list(" [\"red, green\";blue] "), ["red, green", "blue"]);
        assert_eq!(parse_list("[vip]"), ["vip"]);
        assert_eq!(parse_list("[]"), Vec::<String>::new());
        assert_eq!(parse_list("[a], [b]"), ["[a]", "[b]"]);
        assert_eq!(parse_list("[a], b"), ["[a]", "b"]);
    }

    // The kind of fault: a separator within an element divides it.
    #[test]
    fn quotation_marks_enclose_elements_of_lists() {
        assert_eq!(parse_list("\"red, green\", blue"), ["red, green", "blue"]);
        assert_eq!(parse_list("red;\"a;b\""), ["red", "a;b"]);
        assert_eq!(parse_list(" \"a|b\" |\"a ::: b\"\n\"c, d\"\r\ne"), ["a|b", "a ::: b", "c, d", "e"]);
        assert_eq!(parse_list("\"the \"\"big, old\"\" one\",\"\",x"), ["the \"big, old\" one", "x"]);
        // Marks that do not enclose an element are letters like others.
        assert_eq!(parse_list("12\" pipe, 14\" pipe"), ["12\" pipe", "14\" pipe"]);
        assert_eq!(parse_list("\"big\" clients, vip"), ["\"big\" clients", "vip"]);
        assert_eq!(parse_list("\"red, green"), ["\"red", "green"]);
        assert_eq!(parse_list("\"red\ngreen\", blue"), ["\"red", "green\"", "blue"]);
    }

    #[test]
    fn reads_checklists() {
        let read = |text: &str| -> Vec<String> {
            let items = parse_checklist(text).into_iter();
            items.map(|(title, is_done)| format!("{}{title}", if is_done { "+" } else { "-" })).collect()
        };
        assert_eq!(read("[x] Buy paint\n[ ] Paint; twice\r\n\n- [X] Dry"), ["+Buy paint", "-Paint; twice", "+Dry"]);
        assert_eq!(read("☑ Buy\n☐ Paint\n- Dry"), ["+Buy", "-Paint", "-Dry"]);
        assert_eq!(read("[ ] one; with a semicolon"), ["-one; with a semicolon"]);
        assert_eq!(read("[ ] [x] in the title"), ["-[x] in the title"]);
        assert_eq!(read("Buy;Paint; Dry;"), ["-Buy", "-Paint", "-Dry"]);
        assert_eq!(read(" \n[x]\n"), Vec::<String>::new());
    }
}
