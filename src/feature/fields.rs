//! Custom fields: the fields that a company's administrators define for the records of a kind, and their values.

use std::{borrow::Cow, collections::BTreeMap};

use poem_openapi::{
    Enum,
    registry::{MetaSchema, MetaSchemaRef, Registry},
    types::{ParseError, ParseFromJSON, ParseResult, ToJSON, Type},
};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_with::skip_serializing_none;

use crate::{
    kernel::{FieldText, Result, Timestamp},
    store::{Lookups, Record, Scan, Stored, TenantRead, TenantRecord},
};

/// Index of custom fields by kind and position.
const FIELDS_BY_KIND: u16 = 1_245;
/// Unique index of custom fields by kind and key.
const FIELDS_BY_KEY: u16 = 1_246;
/// Maximum fields of one kind that are read: those in use, and deleted ones.
const MAX_READ: usize = 1_000;

/// The type of a custom field's values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Enum)]
#[oai(rename = "CustomFieldType", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub enum FieldType {
    /// A line of text.
    Text,
    /// Text with several lines.
    LongText,
    /// A number.
    Number,
    /// An amount of money in the smallest unit of its currency.
    Money,
    /// A day.
    Date,
    /// One of the field's choices.
    Choice,
    /// Several of the field's choices.
    Choices,
    /// Yes or no.
    Checkbox,
    /// A web address.
    Url,
    /// A member of the company.
    Member,
    /// A record of the field's target kind.
    Record,
}

impl FieldType {
    /// Whether values are chosen from a list.
    pub const fn has_choices(self) -> bool {
        matches!(self, Self::Choice | Self::Choices)
    }
}

/// A value that a field of type `choice` or `choices` may have.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Choice {
    /// Identifies it in values. It never changes.
    pub key: String,
    /// What members see.
    pub name: String,
}

/// A custom field of the records of a kind.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CustomField {
    /// `Record::KIND` of the records that have it.
    pub kind: String,
    /// Identifies it in values. It never changes.
    pub key: String,
    /// What members see.
    pub name: String,
    /// The type of its values. It never changes.
    #[serde(rename = "type")]
    pub value_type: FieldType,
    /// The choices.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub choices: Vec<Choice>,
    /// `Record::KIND` of the records that values of type `record` refer to.
    pub target: Option<String>,
    /// Its place among the fields of the kind, ascending.
    pub position: u32,
    /// The number of its column in the search index: no other field of the kind has it.
    pub column: u16,
    /// When it was deleted. The values are kept for 30 days and not shown.
    pub removed_at: Option<Timestamp>,
}

impl CustomField {
    /// Removes deleted choices from a value. Returns whether a value is left.
    fn remove_deleted_choices(&self, value: &mut Value) -> bool {
        let is_choice = |value: &Value| self.choices.iter().any(|choice| value.as_str() == Some(&choice.key));
        match (self.value_type, value) {
            (FieldType::Choice, value) => is_choice(&*value),
            (FieldType::Choices, Value::Array(values)) => {
                values.retain(is_choice);
                !values.is_empty()
            }
            _ => true,
        }
    }

    /// Returns the words by which search finds a value.
    fn words(&self, value: &Value) -> Vec<String> {
        let name = |value: &Value| self.choices.iter().find(|choice| value.as_str() == Some(&choice.key));
        match (self.value_type, value) {
            (FieldType::Text | FieldType::LongText | FieldType::Url, Value::String(text)) => vec![text.clone()],
            (FieldType::Number, Value::Number(number)) => vec![number.to_string()],
            (FieldType::Choice, value) => name(value).map(|choice| choice.name.clone()).into_iter().collect(),
            (FieldType::Choices, Value::Array(values)) => {
                values.iter().filter_map(name).map(|choice| choice.name.clone()).collect()
            }
            _ => Vec::new(),
        }
    }
}

impl Record for CustomField {
    type Key = Self;
    const KIND: &'static str = "custom_field";
    const TABLE: u16 = 39;
    fn lookups(record: &Stored<Self>, out: &mut Lookups) {
        let mut place = record.kind.clone().into_bytes();
        place.push(0);
        out.unique(FIELDS_BY_KEY, "key", [&place, record.key.as_bytes()].concat());
        place.extend_from_slice(&record.position.to_be_bytes());
        out.multi(FIELDS_BY_KIND, place);
    }
    fn title(&self) -> Option<String> {
        Some(self.name.clone())
    }
}
impl TenantRecord for CustomField {}

/// Returns all custom fields of a kind in their order, with the deleted ones.
pub fn all_fields(tx: &TenantRead<'_>, kind: &str) -> Result<Vec<Stored<CustomField>>> {
    let mut place = kind.as_bytes().to_vec();
    place.push(0);
    Ok(tx.page::<CustomField>(&Scan::beginning(FIELDS_BY_KIND, place).limit(MAX_READ), |_| true)?.items)
}

/// Returns the custom fields of a kind that are in use, in their order.
pub fn fields_in_use(tx: &TenantRead<'_>, kind: &str) -> Result<Vec<Stored<CustomField>>> {
    let mut fields = all_fields(tx, kind)?;
    fields.retain(|field| field.removed_at.is_none());
    Ok(fields)
}

/// The values of a record's custom fields, by the keys of the fields. In a request, null clears a value.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct FieldValues(pub BTreeMap<String, Value>);

impl FieldValues {
    /// Whether no field has a value.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Applies the values of a patch.
    pub fn merge(&mut self, patch: Self) {
        self.0.extend(patch.0);
    }

    /// Leaves only the values of these fields, without deleted choices.
    pub fn retain_fitting(&mut self, fields: &[Stored<CustomField>]) {
        let field_of = |key: &str| fields.iter().find(|field| field.key == key);
        self.0.retain(|key, value| field_of(key).is_some_and(|field| field.remove_deleted_choices(value)));
    }

    /// Returns the texts by which search finds the values of those of these fields that are in use.
    pub fn texts(&self, fields: &[Stored<CustomField>]) -> Vec<FieldText> {
        let mut texts = Vec::new();
        for field in fields.iter().filter(|field| field.removed_at.is_none()) {
            let words = self.0.get(&field.key).map(|value| field.words(value)).unwrap_or_default();
            let name = field.column().name;
            texts.extend(words.into_iter().map(|text| FieldText { field: name.clone().into(), text }));
        }
        texts
    }
}

/// Removes from the JSON of a record what readers do not see: the values of all but these fields, and deleted choices.
pub fn hide_deleted_values(record: &mut Value, fields: &[Stored<CustomField>]) {
    let Some(Value::Object(values)) = record.get_mut("fields") else { return };
    let mut kept = FieldValues(std::mem::take(values).into_iter().collect());
    kept.retain_fitting(fields);
    values.extend(kept.0);
}

impl Type for FieldValues {
    const IS_REQUIRED: bool = true;
    type RawValueType = Self;
    type RawElementValueType = Self;
    fn name() -> Cow<'static, str> {
        "FieldValues".into()
    }
    fn schema_ref() -> MetaSchemaRef {
        MetaSchemaRef::Reference("FieldValues".to_owned())
    }
    fn register(registry: &mut Registry) {
        registry.create_schema::<Self, _>("FieldValues".to_owned(), |_| MetaSchema {
            description: Some(
                "The values of a record's custom fields, by the keys of the fields. `getSchema` says what each field \
                 accepts. In a request, null clears a value.",
            ),
            additional_properties: Some(Box::new(MetaSchemaRef::Inline(Box::new(MetaSchema::ANY)))),
            ..MetaSchema::new("object")
        });
    }
    fn as_raw_value(&self) -> Option<&Self::RawValueType> {
        Some(self)
    }
    fn raw_element_iter<'a>(&'a self) -> Box<dyn Iterator<Item = &'a Self::RawElementValueType> + 'a> {
        Box::new(std::iter::once(self))
    }
}

impl ParseFromJSON for FieldValues {
    fn parse_from_json(value: Option<Value>) -> ParseResult<Self> {
        match value.unwrap_or_default() {
            Value::Object(values) => Ok(Self(values.into_iter().collect())),
            other => Err(ParseError::expected_type(other)),
        }
    }
}

impl ToJSON for FieldValues {
    fn to_json(&self) -> Option<Value> {
        Some(Value::Object(self.0.clone().into_iter().collect()))
    }
}
