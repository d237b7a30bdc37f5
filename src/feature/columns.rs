//! The columns of the lists of a kind: the values of its records by which lists are filtered and sorted.

use std::borrow::Cow;

use poem_openapi::{
    Enum,
    registry::Registry,
    types::{ToJSON, Type},
};
use serde::Serialize;
use serde_json::Value;
use uuid::Uuid;

use super::{Choice, Color, CustomField, FieldType, FieldValues, KindRecord, fields_in_use};
use crate::{
    kernel::{ColumnValue, Day, Id, Result, Timestamp, i18n::Locale, text},
    store::{Record, Stored, TenantRead},
};

/// Maximum characters of a text in a column.
const MAX_TEXT: usize = 2_000;

/// The type of the values of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Enum)]
#[oai(rename = "ColumnType", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub enum ColumnType {
    /// A line of text.
    Text,
    /// Text with several lines: only whether there is any.
    LongText,
    /// A number.
    Number,
    /// An amount of money.
    Money,
    /// A day.
    Date,
    /// A moment.
    Time,
    /// One or several of a few values, such as a status.
    Choice,
    /// Words in lower case.
    Tags,
    /// Yes or no.
    Checkbox,
    /// A member of the company.
    Member,
    /// Another record.
    Record,
    /// An import of the reader that created or changed the record: only for filters. Imports know their records.
    Import,
}

impl ColumnType {
    /// Whether the index keeps the values as numbers.
    pub const fn is_number(self) -> bool {
        matches!(self, Self::LongText | Self::Number | Self::Date | Self::Time | Self::Checkbox)
    }

    /// Whether lists can be sorted by the column.
    pub const fn is_sortable(self) -> bool {
        !matches!(self, Self::LongText | Self::Import)
    }

    /// Whether lists can show the column.
    pub const fn is_shown(self) -> bool {
        !matches!(self, Self::Import)
    }
}

impl From<FieldType> for ColumnType {
    fn from(value_type: FieldType) -> Self {
        match value_type {
            FieldType::Text | FieldType::Url => Self::Text,
            FieldType::LongText => Self::LongText,
            FieldType::Number => Self::Number,
            FieldType::Money => Self::Money,
            FieldType::Date => Self::Date,
            FieldType::Choice | FieldType::Choices => Self::Choice,
            FieldType::Checkbox => Self::Checkbox,
            FieldType::Member => Self::Member,
            FieldType::Record => Self::Record,
        }
    }
}

/// A column of the lists of a kind.
#[derive(Debug)]
pub struct ListColumn<R: Record> {
    /// Its name in the API: that of the field.
    pub name: &'static str,
    /// The type of its values.
    pub value_type: ColumnType,
    /// The values of a record.
    pub values: fn(&Stored<R>) -> Vec<ColumnValue>,
    /// The values that a choice can have.
    choices: Choices,
    /// `Record::KIND` of the records that the values refer to.
    target: Option<&'static str>,
}

/// The values that a choice can have.
#[derive(Clone, Debug)]
pub enum Choices {
    /// These.
    Named(&'static [&'static str]),
    /// Those of an enumeration, which a function returns.
    OfType(fn() -> Vec<String>),
    /// Those of a register of the company, which a function reads.
    OfCompany(ReadChoices),
    /// Those that a company defined.
    Defined(Vec<DefinedChoice>),
}

/// Reads the choices of a company, with their names in a language.
pub type ReadChoices = fn(&TenantRead<'_>, Locale) -> Result<Vec<DefinedChoice>>;

/// A choice that a company defined.
#[derive(Clone, Debug)]
pub struct DefinedChoice {
    /// Identifies it in values.
    pub key: String,
    /// What members see.
    pub name: String,
    /// Its color.
    pub color: Option<Color>,
}

impl Choices {
    /// Whether filters may name a value: one of them, or any if none is named. Saved views and links keep the choices that a
    /// company has removed since, so any is taken where it defines them.
    pub fn allow(&self, value: &str) -> bool {
        match self {
            Self::Named(names) => names.is_empty() || names.contains(&value),
            Self::OfType(names) => names().iter().any(|name| name == value),
            Self::OfCompany(_) | Self::Defined(_) => true,
        }
    }

    /// Reads those of a register.
    fn resolve(self, tx: &TenantRead<'_>, locale: Locale) -> Result<Self> {
        match self {
            Self::OfCompany(read) => Ok(Self::Defined(read(tx, locale)?)),
            known => Ok(known),
        }
    }
}

/// Returns the names of the values of an enumeration, as calls spell them.
fn names_of<T: Type>() -> Vec<String> {
    let mut registry = Registry::new();
    T::register(&mut registry);
    let schema = registry.schemas.remove(T::name().as_ref());
    let items = schema.into_iter().flat_map(|schema| schema.enum_items);
    items.filter_map(|item| item.as_str().map(str::to_owned)).collect()
}

impl<R: Record> ListColumn<R> {
    /// Describes a column.
    pub const fn new(name: &'static str, value_type: ColumnType, values: fn(&Stored<R>) -> Vec<ColumnValue>) -> Self {
        Self { name, value_type, values, choices: Choices::Named(&[]), target: None }
    }

    /// Describes a column with the ids of records of a kind.
    pub const fn record(name: &'static str, target: &'static str, values: fn(&Stored<R>) -> Vec<ColumnValue>) -> Self {
        Self { name, value_type: ColumnType::Record, values, choices: Choices::Named(&[]), target: Some(target) }
    }

    /// Describes a column with a few possible values.
    pub const fn choice(
        name: &'static str,
        choices: &'static [&'static str],
        values: fn(&Stored<R>) -> Vec<ColumnValue>,
    ) -> Self {
        Self { name, value_type: ColumnType::Choice, values, choices: Choices::Named(choices), target: None }
    }

    /// Describes a column with the values of an enumeration; `choice` makes them.
    pub const fn choice_of<T: Type>(name: &'static str, values: fn(&Stored<R>) -> Vec<ColumnValue>) -> Self {
        Self { name, value_type: ColumnType::Choice, values, choices: Choices::OfType(names_of::<T>), target: None }
    }

    /// Describes a column with the choices of a register of the company.
    pub const fn choice_of_company(
        name: &'static str,
        choices: ReadChoices,
        values: fn(&Stored<R>) -> Vec<ColumnValue>,
    ) -> Self {
        Self { name, value_type: ColumnType::Choice, values, choices: Choices::OfCompany(choices), target: None }
    }
}

/// A column without its values.
#[derive(Clone, Debug)]
pub struct ColumnInfo {
    /// Its name in the API, such as `status` or `fields.budget`.
    pub name: String,
    /// Its name in the index.
    pub indexed_as: String,
    /// The type of its values.
    pub value_type: ColumnType,
    /// The values that it can have.
    pub choices: Choices,
    /// Whether records show only those of its values that are choices. They keep values of deleted choices, and hide them.
    pub hides_others: bool,
    /// `Record::KIND` of the records that its values refer to.
    pub target: Option<String>,
}

impl ColumnInfo {
    /// Returns the only choices whose values records show; `None` if they show all values.
    pub fn shown_choices(&self) -> Option<&[DefinedChoice]> {
        match &self.choices {
            Choices::Defined(choices) if self.hides_others => Some(choices),
            _ => None,
        }
    }

    /// Whether records show a value of the column.
    pub fn shows(&self, value: &str) -> bool {
        self.shown_choices().is_none_or(|choices| choices.iter().any(|choice| choice.key == value))
    }
}

/// Returns the columns of all kinds.
pub const fn common_columns<R: KindRecord>() -> [ListColumn<R>; 3] {
    [
        ListColumn::new("createdAt", ColumnType::Time, |record| vec![time(record.created_at)]),
        ListColumn::new("updatedAt", ColumnType::Time, |record| vec![time(record.updated_at)]),
        ListColumn::new("createdBy", ColumnType::Member, |record| ids(record.created_by)),
    ]
}

/// Returns the columns of a kind, with those of the custom fields in use. `locale` is the language of the choices.
pub fn columns<R: KindRecord>(tx: &TenantRead<'_>, locale: Locale) -> Result<Vec<ColumnInfo>> {
    let info = |column: &ListColumn<R>| {
        Ok(ColumnInfo {
            name: column.name.to_owned(),
            indexed_as: column.name.to_owned(),
            value_type: column.value_type,
            choices: column.choices.clone().resolve(tx, locale)?,
            hides_others: false,
            target: column.target.map(str::to_owned),
        })
    };
    let mut columns: Vec<ColumnInfo> =
        R::COLUMNS.iter().chain(&common_columns::<R>()).map(info).collect::<Result<_>>()?;
    if R::KEYS.import_key.is_some() {
        columns.push(import_column());
    }
    columns.extend(fields_in_use(tx, R::KIND)?.iter().map(|field| field.column()));
    Ok(columns)
}

/// Describes the column of the imports of a record, which is not in the index.
fn import_column() -> ColumnInfo {
    let name = "import".to_owned();
    ColumnInfo {
        indexed_as: name.clone(),
        name,
        value_type: ColumnType::Import,
        choices: Choices::Named(&[]),
        hides_others: false,
        target: None,
    }
}

/// Returns the values of a record in all columns.
pub fn column_values<R: KindRecord>(
    record: &Stored<R>,
    fields: &[Stored<CustomField>],
) -> Vec<(Cow<'static, str>, ColumnValue)> {
    let mut all = Vec::new();
    for column in R::COLUMNS.iter().chain(&common_columns::<R>()) {
        all.extend((column.values)(record).into_iter().map(|value| (Cow::Borrowed(column.name), value)));
    }
    if let Some(FieldValues(values)) = record.field_values() {
        for field in fields {
            let Some(value) = values.get(&field.key) else { continue };
            all.extend(field.column_values(value).into_iter().map(|value| (field.column_name().into(), value)));
        }
    }
    all
}

impl From<&Choice> for DefinedChoice {
    fn from(choice: &Choice) -> Self {
        Self { key: choice.key.clone(), name: choice.name.clone(), color: None }
    }
}

impl CustomField {
    /// Returns the name of its column in the index. All companies use the same few names.
    fn column_name(&self) -> String {
        format!("field{}", self.column)
    }

    /// Describes its column.
    pub fn column(&self) -> ColumnInfo {
        ColumnInfo {
            name: format!("fields.{}", self.key),
            indexed_as: self.column_name(),
            value_type: self.value_type.into(),
            choices: Choices::Defined(self.choices.iter().map(DefinedChoice::from).collect()),
            hides_others: self.value_type.has_choices(),
            target: self.target.clone(),
        }
    }

    fn column_values(&self, value: &Value) -> Vec<ColumnValue> {
        let raw = |value: &Value| value.as_str().map(|text| ColumnValue::Text(text.to_owned()));
        match (self.value_type, value) {
            (FieldType::Text | FieldType::Url, Value::String(value)) => texts([value.as_str()]),
            (FieldType::LongText, _) => vec![ColumnValue::Number(1)],
            (FieldType::Number, value) => value.as_f64().map(number).into_iter().collect(),
            (FieldType::Money, value) => {
                let amount = value.get("amount").and_then(Value::as_i64);
                let currency = value.get("currency").and_then(Value::as_str);
                amount.zip(currency).map(|(amount, currency)| money(currency, amount)).into_iter().collect()
            }
            (FieldType::Date, Value::String(value)) => value.parse::<Day>().ok().map(day).into_iter().collect(),
            (FieldType::Checkbox, value) => value.as_bool().map(checkbox).into_iter().collect(),
            (FieldType::Choices, Value::Array(chosen)) => chosen.iter().filter_map(raw).collect(),
            (FieldType::Choice | FieldType::Member | FieldType::Record, value) => raw(value).into_iter().collect(),
            _ => Vec::new(),
        }
    }
}

/// Returns texts as values whose order ignores case and accents.
pub fn texts<T: AsRef<str>>(texts: impl IntoIterator<Item = T>) -> Vec<ColumnValue> {
    let filled = texts.into_iter().filter(|text| !text.as_ref().trim().is_empty());
    filled.map(|text| folded(text.as_ref())).collect()
}

/// Returns a text as a value whose order ignores case and accents.
pub fn folded(text: &str) -> ColumnValue {
    ColumnValue::Text(text::fold(text).chars().take(MAX_TEXT).collect())
}

/// Returns words, such as tags or the names of choices, as values.
pub fn words<T: AsRef<str>>(words: impl IntoIterator<Item = T>) -> Vec<ColumnValue> {
    words.into_iter().map(|one| word(one.as_ref())).collect()
}

/// Returns a word as a value.
pub fn word(word: &str) -> ColumnValue {
    ColumnValue::Text(word.to_owned())
}

/// Returns a value of an enumeration as a value.
pub fn choice<T: ToJSON>(value: &T) -> ColumnValue {
    word(value.to_json().unwrap_or_default().as_str().unwrap_or_default())
}

/// Returns ids as values.
pub fn ids<T>(ids: impl IntoIterator<Item = Id<T>>) -> Vec<ColumnValue> {
    ids.into_iter().map(|id| reference(id.uuid())).collect()
}

/// Returns an id as a value.
pub fn reference(id: Uuid) -> ColumnValue {
    ColumnValue::Text(id.to_string())
}

/// Returns a number as a value.
pub fn number(number: f64) -> ColumnValue {
    // Adding zero makes −0 the same as 0. The bits of numbers have their order, those of negative ones the reverse.
    ColumnValue::Number(in_order((number + 0.0).to_bits().cast_signed()))
}

/// Turns the bits of a number into an integer with its order, and such an integer into the bits.
const fn in_order(bits: i64) -> i64 {
    if bits < 0 { bits ^ i64::MAX } else { bits }
}

/// Returns an amount as a value: amounts of a currency lie together.
pub fn money(currency: &str, amount: i64) -> ColumnValue {
    ColumnValue::Text(format!("{currency}{:016x}", amount.cast_unsigned() ^ (1 << 63)))
}

/// Returns the number of a value of a column with numbers, or the amount and currency of a value of a column with money.
pub fn amount(value: &ColumnValue) -> Option<(f64, Option<&str>)> {
    match value {
        ColumnValue::Number(number) => Some((f64::from_bits(in_order(*number).cast_unsigned()), None)),
        ColumnValue::Text(money) => {
            let (currency, amount) = money.split_at_checked(money.len().checked_sub(16)?)?;
            let amount = (u64::from_str_radix(amount, 16).ok()? ^ (1 << 63)).cast_signed();
            #[expect(clippy::cast_precision_loss, reason = "amounts are below 10^15")]
            Some((amount as f64, Some(currency)))
        }
    }
}

/// Returns a day as a value.
pub fn day(day: Day) -> ColumnValue {
    ColumnValue::Number(day.start_in("UTC").millis())
}

/// Returns a moment as a value.
pub fn time(at: Timestamp) -> ColumnValue {
    ColumnValue::Number(at.millis())
}

/// Returns yes or no as a value.
pub fn checkbox(checked: bool) -> ColumnValue {
    ColumnValue::Number(i64::from(checked))
}
