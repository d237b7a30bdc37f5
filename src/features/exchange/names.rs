//! The names of the fields of files: their labels in each language, and what other programs call them.

use std::slice;

use crate::{
    feature::{CustomField, ExchangeField, ExchangeValue, FieldType, RecordKind},
    formats::{ColumnGuess, ContentType, TargetField, guess_mapping, synonyms::synonyms_of},
    kernel::i18n::{Locale, say},
};

/// What a field is called in files.
#[derive(Debug)]
pub struct FieldNames {
    /// Its name in mappings.
    pub name: String,
    /// What its values look like.
    pub content: ContentType,
    /// What columns with it are called.
    pub synonyms: Vec<String>,
    /// Whether several columns can have it.
    pub is_multiple: bool,
}

/// Returns the label of a field in a language.
pub fn label(kind: &RecordKind, field: &ExchangeField, locale: Locale) -> String {
    say(locale, &format!("server.exchange.{}.{}", kind.name, field.name), &[])
}

/// Returns the name of a column with a custom field that could be taken for another column.
pub fn name_with_key(field: &CustomField) -> String {
    format!("{} (fields.{})", field.name, field.key)
}

/// Returns the key of a custom field in the name of a column that [`name_with_key`] made.
fn key_in_name(name: &str) -> Option<&str> {
    Some(name.trim_end().strip_suffix(')')?.rsplit_once("(fields.")?.1)
}

/// The names of the fields of a kind, by which the fields of columns are guessed.
pub struct KindNames(Vec<FieldNames>);

impl KindNames {
    /// Returns the names of the fields of a kind and of custom fields.
    pub fn of<'f>(kind: &RecordKind, custom: impl IntoIterator<Item = &'f CustomField>) -> Self {
        let own = kind.exchange.map(|ops| ops.fields).unwrap_or_default();
        let own = own.iter().map(|field| FieldNames::of(kind, field));
        Self(own.chain(custom.into_iter().map(FieldNames::of_custom)).collect())
    }

    /// Guesses the fields of the columns of a file from their names and the first rows. A name with the key of a custom
    /// field is that of this field, and of no other one.
    pub fn guess<R: AsRef<[String]>>(&self, header: &[String], rows: &[R]) -> Vec<ColumnGuess> {
        let synonyms: Vec<Vec<&str>> =
            self.0.iter().map(|names| names.synonyms.iter().map(String::as_str).collect()).collect();
        let targets: Vec<TargetField<'_>> = self
            .0
            .iter()
            .zip(&synonyms)
            .map(|(names, synonyms)| TargetField {
                name: &names.name,
                content: names.content,
                synonyms,
                is_multiple: names.is_multiple,
            })
            .collect();
        let mut guesses = guess_mapping(header, rows, &targets);
        for (column, name) in header.iter().enumerate() {
            let Some(key) = key_in_name(name) else { continue };
            let named = self.position(&format!("fields.{key}"));
            for (other, guess) in guesses.iter_mut().enumerate() {
                if other == column {
                    let confidence = if named.is_some() { 100 } else { 0 };
                    *guess = ColumnGuess { target: named, confidence, ..ColumnGuess::default() };
                } else if named.is_some() && guess.target == named {
                    *guess = ColumnGuess::default();
                }
            }
        }
        guesses
    }

    /// Returns the place of a field by its name in mappings.
    pub fn position(&self, name: &str) -> Option<usize> {
        self.0.iter().position(|field| field.name == name)
    }

    /// Returns the name in mappings of the field that a column was guessed to have.
    pub fn name_of(&self, guess: &ColumnGuess) -> Option<&str> {
        Some(self.0.get(guess.target?)?.name.as_str())
    }
}

/// Adds the keys of custom fields to the names of their columns where an import would take them for other fields.
/// `custom` are the places of the columns and their fields.
pub fn tell_apart(kind: &RecordKind, header: &mut [String], custom: &[(usize, &CustomField)]) {
    const NO_ROWS: &[Vec<String>] = &[];
    let own = KindNames::of(kind, []);
    for (at, field) in custom {
        let Some(name) = header.get_mut(*at) else { continue };
        if own.guess(slice::from_ref(name), NO_ROWS).iter().any(|guess| guess.target.is_some()) {
            *name = name_with_key(field);
        }
    }
    // The names of columns beside each other say more: `Phone 1 type` stands for the label of `Phone 1`.
    let all = KindNames::of(kind, custom.iter().map(|(_, field)| *field));
    let guesses = all.guess(header, NO_ROWS);
    for (at, field) in custom {
        let guessed = guesses.get(*at).and_then(|guess| all.name_of(guess));
        let is_own = guessed.and_then(|name| name.strip_prefix("fields.")) == Some(field.key.as_str());
        if let Some(name) = header.get_mut(*at).filter(|_| !is_own) {
            *name = name_with_key(field);
        }
    }
}

impl FieldNames {
    /// Returns the names of a field.
    pub fn of(kind: &RecordKind, field: &ExchangeField) -> Self {
        let known = kind.exchange.map(|ops| synonyms_of(ops.synonyms, field.name)).unwrap_or_default();
        let locales = Locale::codes().into_iter().filter_map(Locale::parse);
        let labels = locales.map(|locale| label(kind, field, locale));
        let content = match field.value {
            ExchangeValue::Emails | ExchangeValue::Member => ContentType::Email,
            ExchangeValue::Phones => ContentType::Phone,
            ExchangeValue::Day | ExchangeValue::Birthday | ExchangeValue::EndTime { .. } | ExchangeValue::EndDay => {
                ContentType::Date
            }
            ExchangeValue::Money => ContentType::Number,
            ExchangeValue::Links => ContentType::Url,
            ExchangeValue::NamePart(_) => ContentType::Name,
            ExchangeValue::AddressPart(_) if field.name == "postalCode" => ContentType::PostalCode,
            ExchangeValue::Text if field.is_required => ContentType::Name,
            _ => ContentType::Text,
        };
        Self {
            name: field.name.to_owned(),
            content,
            synonyms: labels.chain(known.iter().map(|name| (*name).to_owned())).collect(),
            is_multiple: field.value.is_list(),
        }
    }

    /// Returns the names of a custom field.
    pub fn of_custom(field: &CustomField) -> Self {
        let content = match field.value_type {
            FieldType::Date => ContentType::Date,
            FieldType::Number | FieldType::Money => ContentType::Number,
            FieldType::Url => ContentType::Url,
            _ => ContentType::Text,
        };
        let name = format!("fields.{}", field.key);
        let synonyms = vec![field.name.clone(), field.key.clone(), name_with_key(field)];
        Self { name, content, synonyms, is_multiple: false }
    }
}
