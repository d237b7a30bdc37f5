//! The values of custom fields: validation, and what readers see of them.

use std::collections::{HashMap, hash_map::Entry};

use serde_json::Value;
use uuid::Uuid;

use super::rules::{MAX_CHOSEN, MAX_LONG_TEXT, MAX_NUMBER, MAX_TEXT, MAX_URL};
use crate::{
    feature::{CustomField, FieldType, FieldValues, KindRecord, Money, RecordKind, fields_in_use, hide_deleted_values},
    features::{
        find_kind,
        listing::ListPage,
        records::{check_day, is_seen, may_know_of, reader_of},
    },
    kernel::{Day, Id, Result, error::Faults, text},
    people::{members::MemberRecord, permission::Reader},
    store::{Record, Stored, TenantRead, TenantWrite},
};

/// Maximum values in one request.
const MAX_VALUES: usize = 1_000;
/// URL schemes that a web address may have.
const SCHEMES: [&str; 4] = ["http", "https", "mailto", "tel"];

/// Normalizes and validates the values that differ from `old`. A value that the member who writes does not see is not
/// cleared.
pub fn check_values<R: Record>(
    tx: &TenantWrite<'_>,
    values: &mut FieldValues,
    old: Option<&FieldValues>,
    faults: &mut Faults,
) -> Result<()> {
    let is_new = |key: &str, value: &Value| old.is_none_or(|old| old.0.get(key) != Some(value));
    let given = std::mem::take(&mut values.0);
    if !faults.few("fields", given.len(), MAX_VALUES) {
        return Ok(());
    }
    let mut fields = None;
    for (key, value) in given {
        if !is_new(&key, &value) {
            values.0.insert(key, value);
            continue;
        }
        let fields = match &mut fields {
            Some(fields) => fields,
            none => none.insert(fields_in_use(tx, R::KIND)?),
        };
        let path = format!("fields.{key}");
        let Some(field) = fields.iter().find(|field| field.key == key) else {
            // A value that is being cleared may belong to a field that was deleted since.
            if !value.is_null() {
                faults.add(path, "errors.fields.unknown");
            }
            continue;
        };
        if let Some(kept) = old.and_then(|old| old.0.get(&key))
            && value.is_null()
            && stays_hidden(tx, field, kept)?
        {
            values.0.insert(key, kept.clone());
        } else if let Some(value) = checked(tx, field, value, &path, faults)? {
            values.0.insert(key, value);
        }
    }
    Ok(())
}

/// Normalizes and validates the values that differ from `old`.
/// Errors: `invalid` with every faulty field.
pub fn prepare_values<R: Record>(
    tx: &TenantWrite<'_>,
    values: &mut FieldValues,
    old: Option<&FieldValues>,
) -> Result<()> {
    let mut faults = Faults::default();
    check_values::<R>(tx, values, old, &mut faults)?;
    faults.into_result()
}

/// Returns the normalized value; `None` when it is empty or invalid.
fn checked(
    tx: &TenantWrite<'_>,
    field: &CustomField,
    value: Value,
    path: &str,
    faults: &mut Faults,
) -> Result<Option<Value>> {
    let filled = |text: String| (!text.is_empty()).then(|| Value::from(text));
    Ok(match (field.value_type, value) {
        (_, Value::Null) => None,
        (FieldType::Text, Value::String(value)) => {
            let value = text::line(&value);
            faults.at_most(path, &value, MAX_TEXT);
            filled(value)
        }
        (FieldType::LongText, Value::String(value)) => {
            let value = text::lines(&value);
            faults.at_most(path, &value, MAX_LONG_TEXT);
            filled(value)
        }
        (FieldType::Number, Value::Number(value)) => {
            if value.as_f64().is_none_or(|number| number.abs() > MAX_NUMBER) {
                let params = vec![("min", format!("{}", -MAX_NUMBER)), ("max", format!("{MAX_NUMBER}"))];
                faults.add_with(path, "errors.fields.range", params);
            }
            Some(Value::Number(value))
        }
        (FieldType::Money, Value::Object(value)) => money(value, path, faults),
        (FieldType::Date, Value::String(value)) => match value.parse::<Day>() {
            Ok(day) => {
                check_day(tx, path, (Some(day), None), Day::NOTED, faults);
                Some(Value::from(day.to_string()))
            }
            Err(_) => fault(path, "errors.fields.date", faults),
        },
        (FieldType::Checkbox, Value::Bool(value)) => Some(Value::Bool(value)),
        (FieldType::Url, Value::String(value)) => {
            let value = text::line(&value);
            faults.at_most(path, &value, MAX_URL);
            // What was taken before the rule was there is put back.
            if !value.is_empty() && !tx.is_putting_back() && !text::is_address(&value, &SCHEMES) {
                faults.add(path, "errors.fields.link_address");
            }
            filled(value)
        }
        (FieldType::Choice, Value::String(value)) if value.is_empty() => None,
        (FieldType::Choice, value) => {
            if !is_choice(field, &value) {
                faults.add(path, "errors.fields.unknown_choice");
            }
            Some(value)
        }
        (FieldType::Choices, Value::Array(mut chosen)) => {
            if !faults.few(path, chosen.len(), MAX_CHOSEN) {
                return Ok(None);
            }
            if let Some(at) = chosen.iter().position(|value| !is_choice(field, value)) {
                faults.add(format!("{path}.{at}"), "errors.fields.unknown_choice");
                return Ok(None);
            }
            // In the order of the field's choices, each once.
            let place = |value: &Value| field.choices.iter().position(|choice| value.as_str() == Some(&choice.key));
            chosen.sort_by_key(place);
            chosen.dedup();
            (!chosen.is_empty()).then_some(Value::Array(chosen))
        }
        (FieldType::Member, Value::String(value)) => match value.parse::<Uuid>() {
            Ok(id) if tx.find::<MemberRecord>(Id::from(id))?.is_some() => Some(Value::from(id.to_string())),
            _ => fault(path, "errors.fields.unknown_reference", faults),
        },
        (FieldType::Record, Value::String(value)) => match value.parse::<Uuid>() {
            Ok(id) if is_visible(tx, field, id)? => Some(Value::from(id.to_string())),
            _ => fault(path, "errors.fields.unknown_reference", faults),
        },
        _ => fault(path, expected(field.value_type), faults),
    })
}

/// What to say about a value of another JSON type.
const fn expected(value_type: FieldType) -> &'static str {
    match value_type {
        FieldType::Text | FieldType::LongText | FieldType::Url => "errors.fields.text",
        FieldType::Number => "errors.fields.number",
        FieldType::Money => "errors.fields.object",
        FieldType::Date => "errors.fields.date",
        FieldType::Choice | FieldType::Choices => "errors.fields.list",
        FieldType::Checkbox => "errors.fields.boolean",
        FieldType::Member | FieldType::Record => "errors.fields.uuid",
    }
}

fn fault(path: &str, key: &'static str, faults: &mut Faults) -> Option<Value> {
    faults.add(path, key);
    None
}

fn is_choice(field: &CustomField, value: &Value) -> bool {
    field.choices.iter().any(|choice| value.as_str() == Some(&choice.key))
}

/// Checks an amount in the smallest unit of a currency.
fn money(value: serde_json::Map<String, Value>, path: &str, faults: &mut Faults) -> Option<Value> {
    if let Some(unknown) = value.keys().find(|key| !["amount", "currency"].contains(&key.as_str())) {
        return fault(&format!("{path}.{unknown}"), "errors.fields.unknown", faults);
    }
    let amount = value.get("amount").and_then(Value::as_i64);
    if amount.is_none() {
        faults.add(format!("{path}.amount"), "errors.fields.integer");
    }
    let currency = value.get("currency").and_then(Value::as_str);
    Money::check(amount.unwrap_or_default(), currency.unwrap_or_default(), path, faults);
    Some(Value::Object(value))
}

/// Whether the member who writes may see a record of the field's target kind.
fn is_visible(tx: &TenantRead<'_>, field: &CustomField, id: Uuid) -> Result<bool> {
    field.target.as_deref().and_then(find_kind).map_or(Ok(false), |kind| is_seen(tx, kind, id))
}

/// Whether a value refers to a record that is hidden from the member who writes: for them the field is empty, so that to
/// clear it is no change. An undo clears what the act set.
fn stays_hidden(tx: &TenantWrite<'_>, field: &CustomField, value: &Value) -> Result<bool> {
    let Some((kind, id)) = referred(field, value).filter(|_| !tx.is_putting_back()) else { return Ok(false) };
    let Some(reader) = reader_of(tx)? else { return Ok(false) };
    Ok(!may_know_of(tx, reader, kind, id)?)
}

/// Returns the record to which a value of a field refers, with its kind.
fn referred(field: &CustomField, value: &Value) -> Option<(&'static RecordKind, Uuid)> {
    let kind = field.target.as_deref().and_then(find_kind)?;
    Some((kind, value.as_str()?.parse().ok()?))
}

/// What a reader sees of the values of the custom fields of a kind.
#[derive(Debug)]
pub struct ShownValues {
    /// Who reads; the system, which sees all, is `None`.
    reader: Option<Reader>,
    /// The fields that are in use.
    fields: Vec<Stored<CustomField>>,
    /// Whether the reader may know of records to which values refer.
    known: HashMap<(&'static str, Uuid), bool>,
}

impl ShownValues {
    /// Prepares to show values of the records of a kind.
    pub fn of(tx: &TenantRead<'_>, kind: &str, reader: Option<Reader>) -> Result<Self> {
        Ok(Self { reader, fields: fields_in_use(tx, kind)?, known: HashMap::new() })
    }

    /// Removes what the reader does not see: the values of deleted fields, deleted choices, and references to records
    /// that are hidden from them.
    pub fn hide(&mut self, tx: &TenantRead<'_>, values: &mut FieldValues) -> Result<()> {
        values.retain_fitting(&self.fields);
        let Some(reader) = self.reader else { return Ok(()) };
        for field in &self.fields {
            let Some((kind, id)) = values.0.get(&field.key).and_then(|value| referred(field, value)) else { continue };
            let is_shown = match self.known.entry((kind.kind, id)) {
                Entry::Occupied(known) => *known.get(),
                Entry::Vacant(new) => *new.insert(may_know_of(tx, reader, kind, id)?),
            };
            if !is_shown {
                values.0.remove(&field.key);
            }
        }
        Ok(())
    }

    /// Removes only the values of deleted fields and deleted choices from the JSON of a record.
    pub fn hide_deleted_in(&self, record: &mut Value) {
        hide_deleted_values(record, &self.fields);
    }

    /// The same as [`Self::hide`] in the JSON of a record.
    pub fn hide_in(&mut self, tx: &TenantRead<'_>, record: &mut Value) -> Result<()> {
        let Some(Value::Object(values)) = record.get_mut("fields") else { return Ok(()) };
        let mut kept = FieldValues(std::mem::take(values).into_iter().collect());
        self.hide(tx, &mut kept)?;
        values.extend(kept.0);
        Ok(())
    }
}

/// Removes from records what the member who reads does not see of their custom fields.
pub fn hide_unused<'r, R: KindRecord>(
    tx: &TenantRead<'_>,
    records: impl IntoIterator<Item = &'r mut Stored<R>>,
) -> Result<()> {
    let mut shown = None;
    for record in records {
        let Some(values) = record.value.field_values_mut().filter(|values| !values.is_empty()) else { continue };
        let shown = match &mut shown {
            Some(shown) => shown,
            none => none.insert(ShownValues::of(tx, R::KIND, reader_of(tx)?)?),
        };
        shown.hide(tx, values)?;
    }
    Ok(())
}

/// Returns a record as readers see it.
pub fn shown<R: KindRecord>(tx: &TenantRead<'_>, mut record: Stored<R>) -> Result<Stored<R>> {
    hide_unused(tx, [&mut record])?;
    Ok(record)
}

/// Returns a page of records as readers see them.
pub fn shown_page<R: KindRecord>(tx: &TenantRead<'_>, mut page: ListPage<R>) -> Result<ListPage<R>> {
    hide_unused(tx, &mut page.items)?;
    Ok(page)
}
