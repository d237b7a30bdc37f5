//! The entries of a cell: e-mail addresses, phone numbers, tags and links.

use serde_json::{Map, Value};

use super::Draft;
use crate::{
    features::organizations::{Email, Phone},
    formats::parse_list,
    kernel::text,
};

/// Maximum digits of the extension of a phone number.
const MAX_EXTENSION_DIGITS: usize = 6;
/// What address books write between several values of a cell.
pub(super) const BETWEEN_VALUES: &str = ":::";

/// Reads the entries of a list. Those of a cell whose last line ends, as exports write them, are lines.
pub(super) fn read_list(cell: &str) -> Vec<String> {
    if cell.ends_with('\n') {
        return cell.lines().map(text::line).collect();
    }
    if cell.contains("* ") {
        // Address books mark the groups that they make by themselves with a star.
        let own = cell.split(BETWEEN_VALUES).filter(|group| !group.trim_start().starts_with("* "));
        return own.flat_map(parse_list).collect();
    }
    parse_list(cell)
}

/// Returns the values of a cell of an address book, with their places.
pub(super) fn several_values(cell: &str) -> impl Iterator<Item = (usize, &str)> {
    cell.split(BETWEEN_VALUES).map(str::trim).enumerate().filter(|(_, value)| !value.is_empty())
}

/// Splits a cell with several addresses or numbers at some characters, except within quotation marks and angle brackets.
fn several<'t>(text: &'t str, separators: &[char]) -> Vec<&'t str> {
    let mut is_quoted = false;
    let mut is_in_brackets = false;
    let is_end = |c: char| {
        match c {
            '"' => is_quoted = !is_quoted,
            '<' => is_in_brackets = true,
            '>' => is_in_brackets = false,
            '\n' => {
                is_quoted = false;
                is_in_brackets = false;
            }
            _ => {}
        }
        !is_quoted && !is_in_brackets && (c == '\n' || separators.contains(&c))
    };
    let parts = text.split(is_end).flat_map(|part| part.split(BETWEEN_VALUES));
    parts.map(str::trim).filter(|part| !part.is_empty()).collect()
}

/// Reads the addresses of a cell, also with the names of their owners (`Ana <ana@x.example>`). Those that are none are
/// left out.
pub(super) fn read_emails(draft: &mut Draft, text: &str, label: &str, column: u16) -> Vec<Email> {
    let mut emails = Vec::new();
    for part in several(text, &[';', ',']) {
        match text::email(address_of(part).trim_matches(text::is_hidden)) {
            Some(email) => emails.push(Email { email, label: label.to_owned() }),
            None => draft.leave_out_entry(column, "errors.fields.email", part),
        }
    }
    draft.entries.extend(emails.iter().map(|email| (column, email.email.clone())));
    emails
}

/// Returns the address in a text such as `"Ruiz, Ana" <mailto:ana@x.example>`.
fn address_of(text: &str) -> &str {
    let inner = text.rsplit_once('<').and_then(|(_, rest)| rest.split_once('>')).map_or(text, |(address, _)| address);
    let inner = inner.trim_matches(|c: char| c.is_whitespace() || text::is_hidden(c) || matches!(c, '"' | '\''));
    match inner.split_at_checked("mailto:".len()) {
        Some((scheme, rest)) if scheme.eq_ignore_ascii_case("mailto:") => rest.split('?').next().unwrap_or_default(),
        _ => inner,
    }
}

/// Splits a cell with several phone numbers. What follows a semicolon and is too short for a number is dialed after it.
pub(super) fn several_numbers(text: &str) -> Vec<&str> {
    let parts = several(text, &[';']);
    let is_short = |part: &&str| part.chars().filter(char::is_ascii_digit).count() <= MAX_EXTENSION_DIGITS;
    if parts.len() > 1 && parts.iter().skip(1).any(is_short) && !text.contains('\n') {
        return vec![text];
    }
    parts.into_iter().flat_map(whole_numbers).collect()
}

/// Reads the phone numbers of a cell. Those that are none are left out.
pub(super) fn read_phones(draft: &mut Draft, numbers: Vec<&str>, label: &str, column: u16) -> Vec<Phone> {
    let mut phones = Vec::new();
    for number in numbers {
        if Phone::is_dialable(number) {
            draft.entries.push((column, number.to_owned()));
            phones.push(Phone { number: number.to_owned(), label: label.to_owned(), ..Phone::default() });
        } else {
            draft.leave_out_entry(column, "errors.fields.phone", number);
        }
    }
    phones
}

/// Splits numbers with commas or slashes between them, which may also stand before an extension or between the groups of
/// a number: those have fewer digits.
fn whole_numbers(numbers: &str) -> Vec<&str> {
    let parts: Vec<&str> = numbers.split([',', '/']).map(str::trim).collect();
    let is_number = |part: &&str| part.chars().filter(char::is_ascii_digit).count() > MAX_EXTENSION_DIGITS;
    if parts.iter().all(is_number) { parts } else { vec![numbers] }
}

/// Reads a web address, with a name after it.
pub(super) fn link(line: &str) -> Option<Value> {
    let line = line.trim();
    let (url, name) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let mut link = Map::from_iter([("url".to_owned(), Value::from(web_address(url)))]);
    if !name.trim().is_empty() {
        link.insert("name".to_owned(), Value::from(name.trim()));
    }
    (!line.is_empty()).then_some(Value::Object(link))
}

/// Completes a web address. A word without a dot is no address: it is refused as it is.
pub(super) fn web_address(typed: &str) -> String {
    if typed.contains('.') { text::web_address(typed) } else { text::line(typed) }
}
