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
/// (`+34 600 55 50 12`), which spreadsheets show as text. Other phone numbers are guarded, because `+1-555-0101` would be
/// calculated.
pub(super) fn guard_formula(text: &str) -> Cow<'_, str> {
    if !starts_formula(text.trim_start_matches('\'')) || is_negative_number(text) || is_spaced_phone(text) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(format!("'{text}"))
}

/// Restores a text that [`guard_formula`] may have changed.
pub(super) fn unguard_formula(text: &str) -> &str {
    match text.strip_prefix('\'') {
        Some(rest) if starts_formula(rest.trim_start_matches('\'')) => rest,
        _ => text,
    }
}

fn starts_formula(text: &str) -> bool {
    text.starts_with(STARTS)
}

fn is_negative_number(text: &str) -> bool {
    let Some(number) = text.strip_prefix('-') else { return false };
    number.starts_with(|c: char| c.is_ascii_digit()) && number.chars().all(|c| c.is_ascii_digit() || ".,".contains(c))
}

fn is_spaced_phone(text: &str) -> bool {
    let Some(number) = text.strip_prefix('+') else { return false };
    number.starts_with(|c: char| c.is_ascii_digit())
        && number.contains(' ')
        && number.chars().all(|c| c.is_ascii_digit() || c == ' ')
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
        for text in ["-12", "-1.234,56", "+34 600 55 50 12", "Ana", "'tis", "", "1+1", "a=b"] {
            assert_eq!(guard_formula(text), text);
        }
        assert_eq!(guard_formula("'=1"), "''=1", "a text that already starts with an apostrophe");
    }

    proptest::proptest! {
        #[test]
        fn removing_the_guard_restores_every_text(text in "['=+@\t\r\n 0-9a,.-]{0,6}") {
            let guarded = guard_formula(&text).into_owned();
            proptest::prop_assert_eq!(unguard_formula(&guarded), text);
        }
    }
}
