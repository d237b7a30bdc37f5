//! The names of the fields of files: their labels in each language, and what other programs call them.

use crate::{
    feature::{CustomField, ExchangeField, ExchangeValue, FieldType, RecordKind},
    formats::{ContentType, synonyms::synonyms_of},
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

/// Returns the name of a column with a custom field that has the name of another column.
pub fn name_with_key(field: &CustomField) -> String {
    format!("{} (fields.{})", field.name, field.key)
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
