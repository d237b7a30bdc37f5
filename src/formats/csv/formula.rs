//! Protection against formula injection (CSV injection), by which a text such as `=HYPERLINK(…)` would be run by the
//! spreadsheet that opens the file.
//!
//! A guarded text has an apostrophe in front. Texts that would look guarded get one as well, so that removing one is
//! the exact inverse.

use std::borrow::Cow;

/// Characters that start a formula in spreadsheets, some with their full-width forms, and control characters that
/// spreadsheets skip.
const STARTS: [char; 11] = ['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠'];

/// Makes a text safe to open in a spreadsheet.
///
/// Plain negative numbers (`-12.5`) stay as they are, so that they can be summed, and so do phone numbers with spaces
/// between their digits (`+34 600 55 50 12`), and lists of such numbers, which spreadsheets show as text: two numbers
/// beside each other are no formula. Other phone numbers are guarded, because `+1-555-0101` would be calculated.
pub(super) fn guard_formula(text: &str) -> Cow<'_, str> {
    if !starts_formula(text.trim_start_matches('\'')) || is_negative_number(text) || is_phone_list(text) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(format!("'{text}"))
}

/// Restores a text that [`guard_formula`] may have changed.
fn unguard_formula(text: &str) -> &str {
    match text.strip_prefix('\'') {
        Some(rest) if starts_formula(rest.trim_start_matches('\'')) => rest,
        _ => text,
    }
}

/// Returns the text that a spreadsheet shows of a cell: without the guard of [`guard_formula`], and of a formula that is
/// only a text (`="00123"`), that text.
pub(super) fn shown_text(text: &str) -> Cow<'_, str> {
    let inner = text.strip_prefix("=\"").and_then(|rest| rest.strip_suffix('"'));
    match inner.filter(|inner| !inner.replace("\"\"", "").contains('"')) {
        Some(inner) => Cow::Owned(inner.replace("\"\"", "\"")),
        None => Cow::Borrowed(unguard_formula(text)),
    }
}

fn starts_formula(text: &str) -> bool {
    text.starts_with(STARTS)
}

fn is_negative_number(text: &str) -> bool {
    let Some(number) = text.strip_prefix('-') else { return false };
    number.starts_with(|c: char| c.is_ascii_digit()) && number.chars().all(|c| c.is_ascii_digit() || ".,".contains(c))
}

/// Whether a text is phone numbers with a space between two digits. Two numbers beside each other are no formula, and
/// without letters and signs such as `=`, `!` and `|` a text can name no function, cell or program.
fn is_phone_list(text: &str) -> bool {
    let is_number = |number: &str| {
        let digits = number.trim().strip_prefix('+').unwrap_or(number.trim());
        digits.starts_with(|c: char| c.is_ascii_digit()) && digits.chars().all(is_of_phone)
    };
    let has_spaced_digits = || {
        let is_spaced = |signs: &[u8]| matches!(signs, [a, b' ', b] if a.is_ascii_digit() && b.is_ascii_digit());
        text.as_bytes().windows(3).any(is_spaced)
    };
    text.starts_with('+') && text.trim_end().split([',', ';', '\n']).all(is_number) && has_spaced_digits()
}

const fn is_of_phone(c: char) -> bool {
    c.is_ascii_digit() || matches!(c, ' ' | '(' | ')' | '-' | '/' | '.')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn guards_what_a_spreadsheet_would_calculate() {
        for text in ["=1+1", "@SUM(A1)", "-2+3+cmd|' /C calc'!A0", "+1-555-0101", "+34600555012", "\t=1", "\r=1", "＝1"]
        {
            assert_eq!(guard_formula(text), format!("'{text}"));
        }
        for text in
            ["+1+cmd|' /C calc'!A0", "+1 2+cmd|' /C calc'!A0", "+1 2,=1+1", "+34600555012, +34600555013", "+1 -2"]
        {
            assert_eq!(guard_formula(text), format!("'{text}"));
        }
        for text in
            ["+34600555012\n+34600555013\n", "+A1 2", "+1 (A1) 2", "+ 1 2", "+1 2 =3", "+1 2\t3", "+1 2,", "+1 (2)"]
        {
            assert_eq!(guard_formula(text), format!("'{text}"));
        }
        for text in ["-12", "-1.234,56", "+34 600 55 50 12", "Ana", "'tis", "", "1+1", "a=b"] {
            assert_eq!(guard_formula(text), text);
        }
        for text in
            ["+34 600 55 50 12, +34 91 123 45 67", "+1 (201) 5; +34 600 1", "+1 201-555-0123, 112", "+1 2\n+3\n"]
        {
            assert_eq!(guard_formula(text), text);
        }
        assert_eq!(guard_formula("'=1"), "''=1", "a text that already starts with an apostrophe");
    }

    proptest::proptest! {
        #[test]
        fn removing_the_guard_restores_every_text(text in "['=+@\t\r\n 0-9a,.;()-]{0,8}") {
            let guarded = guard_formula(&text).into_owned();
            proptest::prop_assert_eq!(unguard_formula(&guarded), text);
        }
    }
}
