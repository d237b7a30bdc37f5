//! Types of values, by which columns without a name are recognized.

use std::collections::HashMap;

use crate::{
    formats::{DateOrder, DecimalMark, is_date_of_zeros, no_value, parse_day, parse_money},
    kernel::text::email,
};

/// The share of values, in percent, that must look like a type.
const MIN_SHARE: usize = 80;
/// Values of a column that are read.
const MAX_VALUES: usize = 50;
/// The longest value that is not plain text, in bytes.
const MAX_VALUE_BYTES: usize = 300;

/// A type of values by which columns are recognized.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ContentType {
    /// Any text. Is not recognized by values.
    Text,
    /// A name of a person or an organization.
    Name,
    /// An e-mail address.
    Email,
    /// A phone number.
    Phone,
    /// An address of a website.
    Url,
    /// A date.
    Date,
    /// A postal code.
    PostalCode,
    /// A number or an amount of money.
    Number,
}

impl ContentType {
    /// Returns the type that a value looks like; none if it looks like text.
    pub fn of(value: &str) -> Option<Self> {
        let value = value.trim();
        if value.is_empty() || value.len() > MAX_VALUE_BYTES {
            return None;
        }
        if value.contains('@') && email(value).is_some() {
            return Some(Self::Email);
        }
        if is_date(value) {
            return Some(Self::Date);
        }
        if is_url(value) {
            return Some(Self::Url);
        }
        if is_phone(value) {
            return Some(Self::Phone);
        }
        if parse_money(value, None, DecimalMark::Point, "EUR").is_some() {
            return Some(Self::Number);
        }
        None
    }

    /// Whether values of this type could be the names of columns.
    pub(in crate::formats) fn is_plain_text(self) -> bool {
        matches!(self, Self::Text | Self::Name | Self::Url)
    }
}

/// What the values of a column look like.
#[derive(Default)]
pub(super) struct ColumnContent {
    /// The type of most values.
    pub found: Option<ContentType>,
    /// How many values look like each type.
    counts: HashMap<ContentType, usize>,
    /// Values that are not empty.
    filled: usize,
}

impl ColumnContent {
    /// Inspects a column of the first rows.
    pub fn of_column<R: AsRef<[String]>>(rows: &[R], column: usize) -> Self {
        let values = rows.iter().filter_map(|row| row.as_ref().get(column)).map(|value| value.trim());
        let mut content = Self::default();
        let is_value = |value: &&str| !value.is_empty() && no_value(value).is_none();
        for value in values.filter(is_value).take(MAX_VALUES) {
            content.filled += 1;
            let found = ContentType::of(value).or_else(|| is_name(value).then_some(ContentType::Name));
            if let Some(found) = found {
                *content.counts.entry(found).or_default() += 1;
            }
            if is_postal_code(value) {
                *content.counts.entry(ContentType::PostalCode).or_default() += 1;
            }
        }
        let is_most = |count: usize| count > 0 && count * 100 >= content.filled * MIN_SHARE;
        let types = [
            ContentType::Email,
            ContentType::Url,
            ContentType::Date,
            ContentType::Phone,
            ContentType::PostalCode,
            ContentType::Name,
        ];
        content.found = types.into_iter().find(|kind| is_most(content.count(*kind)));
        content
    }

    fn count(&self, kind: ContentType) -> usize {
        self.counts.get(&kind).copied().unwrap_or_default()
    }

    /// Whether there are values, and none of them looks like the type of a field.
    pub fn contradicts(&self, kind: ContentType) -> bool {
        let numbers = [ContentType::Number, ContentType::Phone, ContentType::PostalCode, ContentType::Date];
        let possible = match kind {
            ContentType::Text | ContentType::Name | ContentType::PostalCode => return false,
            ContentType::Email | ContentType::Url => self.count(kind),
            ContentType::Date => self.count(ContentType::Date) + self.count(ContentType::Number),
            ContentType::Phone | ContentType::Number => numbers.iter().map(|kind| self.count(*kind)).sum(),
        };
        self.filled > 0 && possible == 0
    }
}

fn is_date(value: &str) -> bool {
    let orders = [DateOrder::DayMonthYear, DateOrder::MonthDayYear];
    orders.into_iter().any(|order| parse_day(value, order).is_some()) || is_date_of_zeros(value)
}

fn is_url(value: &str) -> bool {
    let has_prefix = ["http://", "https://", "www."]
        .iter()
        .any(|prefix| value.get(..prefix.len()).is_some_and(|start| start.eq_ignore_ascii_case(prefix)));
    if has_prefix {
        return !value.contains(char::is_whitespace);
    }
    // A domain such as `example.com`.
    let host = value.split('/').next().unwrap_or_default();
    let labels: Vec<&str> = host.split('.').collect();
    let is_label = |label: &&str| !label.is_empty() && label.chars().all(|c| c.is_alphanumeric() || c == '-');
    labels.len() > 1
        && labels.iter().all(is_label)
        && labels.last().is_some_and(|top| (2..=10).contains(&top.len()) && top.chars().all(|c| c.is_ascii_lowercase()))
}

fn is_phone(value: &str) -> bool {
    let digits = value.bytes().filter(u8::is_ascii_digit).count();
    let is_written = |value: &str| value.chars().all(|c| c.is_ascii_digit() || " ()+-./\u{a0}".contains(c));
    let start = value.trim_start_matches(['+', '(']);
    let has_plus = value.starts_with(['+', '(']);
    let has_groups = value.trim().contains([' ', '-', '/', '(']);
    is_written(value)
        && start.starts_with(|c: char| c.is_ascii_digit())
        && if has_plus || has_groups {
            (7..=16).contains(&digits)
        } else {
            (9..=13).contains(&digits) && !value.contains('.')
        }
}

pub(super) fn is_postal_code(value: &str) -> bool {
    let digits = value.bytes().filter(u8::is_ascii_digit).count();
    let is_five = value.len() == 5 && digits == 5;
    let is_zip_plus_four = value.len() == 10 && digits == 9 && value.as_bytes()[5] == b'-';
    let is_british = (5..=8).contains(&value.len())
        && digits >= 2
        && value.starts_with(|c: char| c.is_ascii_uppercase())
        && value.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == ' ');
    is_five || is_zip_plus_four || is_british
}

/// Whether a value is two to five capitalized words.
fn is_name(value: &str) -> bool {
    let words: Vec<&str> = value.split_whitespace().take(6).collect();
    let is_capitalized = |word: &&str| word.starts_with(char::is_uppercase);
    (2..=5).contains(&words.len())
        && words.first().is_some_and(is_capitalized)
        && words.last().is_some_and(is_capitalized)
        && value.chars().all(|c| c.is_alphabetic() || " .'’-,".contains(c))
}
