//! Guessing which column of a file holds which field, from the names of the columns and the first rows.

mod content;
mod header;
#[cfg(test)]
mod tests;

use std::collections::{HashMap, HashSet};

pub use self::content::ContentType;
use self::{
    content::ColumnContent,
    header::{HeaderWords, divide_words, is_comment, is_record, shortened},
};

/// Confidence in a column whose name is a synonym.
const EXACT: u8 = 100;
/// … that says what others wrote of it, beside one that has the text itself.
const COMMENTS: u8 = 99;
/// … after words for labels (`Work`) and numbers are removed.
const LABELLED: u8 = 90;
/// … after words for the kind of record (`Contact`) are removed.
const QUALIFIED: u8 = 70;
/// … whose values do not look like that field.
const CONTRADICTED: u8 = 30;
/// Confidence in a column without a name, by its values.
const BY_CONTENT: u8 = 60;
/// … whose name is unknown.
const DESPITE_NAME: u8 = 40;

/// A field to which a column can be mapped.
#[derive(Clone, Debug)]
pub struct TargetField<'a> {
    /// Its name; also a synonym.
    pub name: &'a str,
    /// The type of its values.
    pub content: ContentType,
    /// Other names of its columns, such as those of [`synonyms`](super::synonyms), or the label of a custom field.
    pub synonyms: &'a [&'a str],
    /// Whether several columns can be mapped to it, such as phone numbers or parts of several addresses.
    pub is_multiple: bool,
}

/// What a guess follows from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum GuessedBy {
    /// The name of the column.
    #[default]
    Name,
    /// The values of the column.
    Values,
}

/// The guess for one column.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ColumnGuess {
    /// The index of the field; none if the column fits none.
    pub target: Option<usize>,
    /// How sure the guess is, in percent: 70 or more by name, 60 or less by values alone, 30 if the values do not look like
    /// the field, 0 without a field.
    pub confidence: u8,
    /// What it follows from.
    pub by: GuessedBy,
    /// The label of the values, from the name of the column: `Work` of `Work Email`.
    pub label: Option<&'static str>,
    /// The number in the name of the column: 2 of `E-mail 2`. Parts of one address have the same label and number.
    pub number: Option<u32>,
    /// The column that holds the labels of the values, as `E-mail 1 - Label` of Google Contacts.
    pub label_column: Option<usize>,
    /// The column that holds the countries of phone numbers, as `Phone 1 - Country`.
    pub country_column: Option<usize>,
}

/// Guesses the field of each column.
///
/// `headers` are the names of the columns, or empty; `rows` are the first ones. Fields that are not multiple are used for
/// one column, the surest.
pub fn guess_mapping<R: AsRef<[String]>>(
    headers: &[String],
    rows: &[R],
    targets: &[TargetField<'_>],
) -> Vec<ColumnGuess> {
    let widest = rows.iter().map(|row| row.as_ref().len()).max().unwrap_or_default();
    let count = if headers.is_empty() { widest } else { headers.len() };
    let names: Vec<HeaderWords> =
        (0..count).map(|column| HeaderWords::parse(headers.get(column).map_or("", String::as_str))).collect();
    let contents: Vec<ColumnContent> = (0..count).map(|column| ColumnContent::of_column(rows, column)).collect();
    let index = NameIndex::new(targets);
    let rated: Vec<Vec<Rating>> =
        (0..count).map(|column| rate_column(&names[column], &contents[column], targets, &index)).collect();
    let is_multiple = |column: usize| rated[column].first().is_some_and(|rating| targets[rating.target].is_multiple);
    // The longest part has two words: `Address 1 - Postal Code`.
    let label_columns = find_companions(&names, &LABEL_COLUMNS, 2, is_multiple);
    let is_phone = |column: usize| {
        rated[column].first().is_some_and(|rating| targets[rating.target].content == ContentType::Phone)
    };
    // `Home Country` is a part of an address, and not the country of `Home Phone`.
    let country_columns = find_companions(&names, &COUNTRY_COLUMNS, 0, is_phone);
    let is_companion = |column: usize| label_columns.is_companion(column) || country_columns.is_companion(column);

    let mut candidates = Vec::new();
    for (column, rated) in rated.iter().enumerate().filter(|(column, _)| !is_companion(*column)) {
        candidates.extend(rated.iter().map(|rating| (column, *rating)));
    }
    // The order of columns and fields decides among equals.
    candidates.sort_by_key(|(column, rating)| (u8::MAX - rating.confidence, *column, rating.target));

    let mut guesses = vec![ColumnGuess::default(); count];
    let mut used = HashSet::new();
    for (column, Rating { target, confidence, by }) in candidates {
        let is_multiple = targets[target].is_multiple;
        if guesses[column].target.is_some() || (!is_multiple && !used.insert(target)) {
            continue;
        }
        let name = &names[column];
        guesses[column] = ColumnGuess {
            target: Some(target),
            confidence,
            by,
            label: name.label.filter(|_| is_multiple),
            number: name.number.filter(|_| is_multiple),
            label_column: label_columns.companion_of(column).filter(|_| is_multiple),
            country_column: country_columns.companion_of(column),
        };
    }
    guesses
}

/// Returns the label that a text names, such as `Work` for `* Work`, `Trabajo` or `Work Phone`; none if it names none.
pub fn contact_label(text: &str) -> Option<&'static str> {
    HeaderWords::parse(text).label
}

/// How well a field fits a column.
#[derive(Clone, Copy)]
struct Rating {
    target: usize,
    confidence: u8,
    by: GuessedBy,
}

/// Words for a column that holds the labels of another one.
const LABEL_COLUMNS: [&str; 4] = ["label", "type", "tipo", "etiqueta"];
/// Words for a column that holds the countries of another one.
const COUNTRY_COLUMNS: [&str; 2] = ["country", "pais"];

/// The fields by the names of their columns.
struct NameIndex(HashMap<String, Vec<usize>>);

impl NameIndex {
    fn new(targets: &[TargetField<'_>]) -> Self {
        let mut index: HashMap<String, Vec<usize>> = HashMap::new();
        for (at, target) in targets.iter().enumerate() {
            let names = std::iter::once(&target.name).chain(target.synonyms);
            let names: HashSet<String> = names.map(|name| divide_words(name).concat()).collect();
            for name in names.into_iter().filter(|name| !name.is_empty()) {
                index.entry(name).or_default().push(at);
            }
        }
        Self(index)
    }

    fn find(&self, name: &str) -> &[usize] {
        self.0.get(name).map_or(&[], Vec::as_slice)
    }
}

/// Rates the fields that fit a column.
fn rate_column(
    name: &HeaderWords,
    content: &ColumnContent,
    targets: &[TargetField<'_>],
    index: &NameIndex,
) -> Vec<Rating> {
    let mut rated: Vec<Rating> = Vec::new();
    let mut rate = |target: usize, confidence: u8, by: GuessedBy| {
        if !rated.iter().any(|known| known.target == target) {
            let is_contradicted = content.contradicts(targets[target].content);
            rated.push(Rating { target, confidence: if is_contradicted { CONTRADICTED } else { confidence }, by });
        }
    };
    let is_comments = name.words.last().is_some_and(|word| is_comment(word));
    for target in index.find(&name.words.concat()) {
        rate(*target, if is_comments { COMMENTS } else { EXACT }, GuessedBy::Name);
    }
    let qualified = name.words.split_first().filter(|(first, _)| is_record(first)).map(|(_, rest)| rest);
    let postfixed = name.words.split_last().filter(|(last, _)| is_record(last)).map(|(_, rest)| rest);
    let parts = [(Some(name.words.as_slice()), LABELLED), (qualified, QUALIFIED), (postfixed, QUALIFIED)];
    for (words, confidence) in parts {
        let Some(words) = words else { continue };
        for (rest, is_labelled) in shortened(words) {
            for target in index.find(&rest) {
                // A label belongs to one of several values: `Home Title` is not the title.
                if targets[*target].is_multiple || !is_labelled {
                    rate(*target, confidence, GuessedBy::Name);
                }
            }
        }
    }
    if let Some(found) = content.found {
        // Only these are certain when the name says something else. `Person - Email` is of a person, and not of the owner.
        let is_of_record = name.words.iter().any(|word| is_record(word));
        let is_certain = matches!(found, ContentType::Email | ContentType::Phone | ContentType::Url) && !is_of_record;
        let confidence = if name.words.is_empty() { Some(BY_CONTENT) } else { is_certain.then_some(DESPITE_NAME) };
        let target = targets.iter().position(|field| field.content == found);
        if let (Some(target), Some(confidence)) = (target, confidence) {
            rate(target, confidence, GuessedBy::Values);
        }
    }
    rated
}

/// The columns that say something of the values of other columns.
#[derive(Default)]
struct Companions {
    /// The companion of each column that has one.
    by_column: HashMap<usize, usize>,
    all: HashSet<usize>,
}

impl Companions {
    fn is_companion(&self, column: usize) -> bool {
        self.all.contains(&column)
    }

    fn companion_of(&self, column: usize) -> Option<usize> {
        self.by_column.get(&column).copied()
    }
}

/// Finds columns such as `Phone 1 - Type`, which stands beside `Phone 1 - Value`: their names end with one of `words`, and
/// what is before it begins the other name, which has at most `more` words besides. `is_described` says whether a column
/// fits a field whose values can have companions, such as labels.
fn find_companions(
    names: &[HeaderWords],
    words: &[&str],
    more: usize,
    is_described: impl Fn(usize) -> bool,
) -> Companions {
    let mut by_prefix: HashMap<&[String], usize> = HashMap::new();
    for (column, name) in names.iter().enumerate() {
        if let Some((last, prefix)) = name.words.split_last()
            // `Person - Label` is a label of the person, not of each of the values.
            && !prefix.iter().all(|word| is_record(word))
            && words.contains(&last.as_str())
        {
            by_prefix.insert(prefix, column);
        }
    }
    let mut found = Companions::default();
    for (column, name) in names.iter().enumerate().filter(|(column, _)| is_described(*column)) {
        for cut in 0..=more {
            let Some(length) = name.words.len().checked_sub(cut) else { break };
            if let Some(companion) = by_prefix.get(&name.words[..length]).filter(|companion| **companion != column) {
                found.by_column.insert(column, *companion);
                found.all.insert(*companion);
                break;
            }
        }
    }
    found.by_column.retain(|column, _| !found.all.contains(column));
    found
}
