//! Rules for defining custom fields.

use std::net::IpAddr;

use crate::{
    feature::{Choice, CustomField, FieldType, RecordKind, all_fields},
    kernel::{Code, Error, Id, Result, error::Faults, text},
    people::audit::{self, Event},
    store::{Stored, TenantRead, TenantWrite},
};

/// Maximum length of a text in characters.
pub const MAX_TEXT: usize = 500;
/// Maximum length of a text with several lines.
pub const MAX_LONG_TEXT: usize = 5_000;
/// Maximum length of a web address.
pub const MAX_URL: usize = 2_000;
/// Largest number.
pub const MAX_NUMBER: f64 = 1e15;
/// Maximum chosen choices of a value.
pub const MAX_CHOSEN: usize = 50;
/// Maximum fields of a kind.
pub const MAX_FIELDS: usize = 50;
/// Maximum fields of a kind with those that were deleted in the last 30 days.
const MAX_WITH_DELETED: usize = 200;
/// Maximum choices of a field.
pub const MAX_CHOICES: usize = 100;
/// Maximum choices of all fields of a kind: each request that shows values reads them.
const MAX_CHOICES_OF_KIND: usize = 1_000;
/// Maximum length of the key of a field or a choice.
const MAX_KEY: usize = 40;
/// Maximum length of the name of a field or a choice.
const MAX_NAME: usize = 100;

/// A choice in a request; its key is made from the name by default.
#[derive(Debug)]
pub struct ChoiceDraft {
    /// The key.
    pub key: Option<String>,
    /// The name.
    pub name: String,
}

/// A field in a request.
#[derive(Debug)]
pub struct FieldDraft {
    /// The kind of the records that have it.
    pub kind: &'static RecordKind,
    /// The key; made from the name by default.
    pub key: Option<String>,
    /// The name.
    pub name: String,
    /// The type of its values.
    pub value_type: FieldType,
    /// The choices.
    pub choices: Vec<ChoiceDraft>,
    /// The kind of the records that values of type `record` refer to.
    pub target: Option<&'static RecordKind>,
}

/// What a request changes of a field.
#[derive(Debug, Default)]
pub struct FieldChange {
    /// The new name.
    pub name: Option<String>,
    /// The new choices. Those that are missing are deleted.
    pub choices: Option<Vec<ChoiceDraft>>,
    /// The new place among the fields of the kind, from 0.
    pub place: Option<usize>,
}

/// Defines a field, after the others of its kind.
/// Errors: `invalid`; `conflict` when the key is taken or the kind has 50 fields.
pub fn create(tx: &TenantWrite<'_>, draft: FieldDraft, from: IpAddr) -> Result<Stored<CustomField>> {
    let FieldDraft { kind, key, name, value_type, choices, target } = draft;
    let others = all_fields(tx, kind.kind)?;
    ensure_room(&others)?;
    let mut faults = Faults::default();
    let name = checked_name("name", &name, &mut faults);
    let key = match key {
        Some(key) => key,
        None => free_key(&name, |key| others.iter().all(|other| other.key != key)),
    };
    check_key("key", &key, &mut faults);
    let choices = named(choices, &mut faults);
    check_room(&others, None, &choices, &mut faults);
    if value_type.has_choices() == choices.is_empty() {
        let key = if choices.is_empty() { "errors.fields.required" } else { "errors.fields.no_choices" };
        faults.add("choices", key);
    }
    if (value_type == FieldType::Record) != target.is_some() {
        let key = if target.is_some() { "errors.fields.no_target" } else { "errors.fields.required" };
        faults.add("target", key);
    }
    faults.into_result()?;
    let position = next_position(&others);
    let target = target.map(|target| target.kind.to_owned());
    let kind = kind.kind.to_owned();
    let is_free = |column: &u16| others.iter().all(|other| other.column != *column);
    let column = (0..=u16::MAX).find(is_free).unwrap_or(u16::MAX);
    let field =
        tx.create(CustomField { kind, key, name, value_type, choices, target, position, column, removed_at: None })?;
    record(tx, "field.created", &field, from)?;
    Ok(field)
}

/// Changes a field.
/// Errors: `not_found`, also for a deleted field; `stale_version`; `invalid`.
pub fn change(
    tx: &TenantWrite<'_>,
    id: Id<CustomField>,
    expected: Option<u64>,
    change: FieldChange,
    from: IpAddr,
) -> Result<Stored<CustomField>> {
    let old = in_use(tx, id)?;
    let FieldChange { name, choices, place } = change;
    let mut faults = Faults::default();
    let name = name.map(|name| checked_name("name", &name, &mut faults));
    let choices = choices.map(|choices| named(choices, &mut faults));
    if let Some(choices) = &choices {
        check_room(&all_fields(tx, &old.kind)?, Some(id), choices, &mut faults);
    }
    if let Some(choices) = &choices
        && old.value_type.has_choices() == choices.is_empty()
    {
        let key = if choices.is_empty() { "errors.fields.required" } else { "errors.fields.no_choices" };
        faults.add("choices", key);
    }
    faults.into_result()?;
    let mut field = tx.update::<CustomField>(id, expected, |field| {
        field.name = name.unwrap_or_else(|| field.name.clone());
        field.choices = choices.unwrap_or_else(|| field.choices.clone());
        Ok(())
    })?;
    if let Some(place) = place {
        field = move_to(tx, field, place)?;
    }
    if field.version != old.version {
        record(tx, "field.changed", &field, from)?;
    }
    Ok(field)
}

/// Deletes a field. Its values are kept for 30 days. `from` is the address of the request, if it is one that asks.
/// Errors: `not_found`; `stale_version`.
pub fn remove(
    tx: &TenantWrite<'_>,
    id: Id<CustomField>,
    expected: Option<u64>,
    from: impl Into<Option<IpAddr>>,
) -> Result<()> {
    in_use(tx, id)?;
    let field = tx.update::<CustomField>(id, expected, |field| {
        field.removed_at = Some(tx.now());
        Ok(())
    })?;
    record(tx, "field.removed", &field, from)
}

/// Restores a deleted field with its values, after the others of its kind.
/// Errors: `not_found`; `conflict` when the kind has 50 fields.
pub fn restore(tx: &TenantWrite<'_>, id: Id<CustomField>, from: IpAddr) -> Result<Stored<CustomField>> {
    let old = tx.get::<CustomField>(id)?;
    if old.removed_at.is_none() {
        return Ok(old);
    }
    let others = all_fields(tx, &old.kind)?;
    ensure_room(&others)?;
    let field = tx.update::<CustomField>(id, None, |field| {
        field.removed_at = None;
        field.position = next_position(&others);
        Ok(())
    })?;
    record(tx, "field.restored", &field, from)?;
    Ok(field)
}

fn record(
    tx: &TenantWrite<'_>,
    event: &'static str,
    field: &Stored<CustomField>,
    from: impl Into<Option<IpAddr>>,
) -> Result<()> {
    let event = Event::new(event).about(field, &field.name).with("kind", &*field.kind);
    let event = match from.into() {
        Some(from) => event.from_address(from.to_string()),
        None => event,
    };
    audit::write(tx, event)
}

/// Returns a field that is not deleted.
fn in_use(tx: &TenantRead<'_>, id: Id<CustomField>) -> Result<Stored<CustomField>> {
    let field = tx.get::<CustomField>(id)?;
    if field.removed_at.is_none() { Ok(field) } else { Err(Error::not_found()) }
}

fn ensure_room(others: &[Stored<CustomField>]) -> Result<()> {
    let used = others.iter().filter(|other| other.removed_at.is_none()).count();
    if used < MAX_FIELDS && others.len() < MAX_WITH_DELETED {
        return Ok(());
    }
    let params = vec![("max", MAX_FIELDS.to_string())];
    Err(Error::new(Code::Conflict).and_field("kind", "errors.fields.too_many", params))
}

/// Checks that the choices of all fields of a kind together are not too many.
fn check_room(others: &[Stored<CustomField>], own: Option<Id<CustomField>>, choices: &[Choice], faults: &mut Faults) {
    let others = others.iter().filter(|other| Some(other.id) != own);
    if others.map(|other| other.choices.len()).sum::<usize>() + choices.len() > MAX_CHOICES_OF_KIND {
        faults.add_with("choices", "errors.fields.too_many_choices", vec![("max", MAX_CHOICES_OF_KIND.to_string())]);
    }
}

fn next_position(others: &[Stored<CustomField>]) -> u32 {
    others.last().map_or(0, |last| last.position + 1)
}

/// Moves a field to a place among those in use. The others keep their order.
fn move_to(tx: &TenantWrite<'_>, field: Stored<CustomField>, place: usize) -> Result<Stored<CustomField>> {
    let mut order = all_fields(tx, &field.kind)?;
    order.retain(|other| other.id != field.id && other.removed_at.is_none());
    order.insert(place.min(order.len()), field.clone());
    let mut moved = field;
    for (position, one) in (0..).zip(order) {
        let after = tx.update::<CustomField>(one.id, None, |one| {
            one.position = position;
            Ok(())
        })?;
        if after.id == moved.id {
            moved = after;
        }
    }
    Ok(moved)
}

fn checked_name(path: &str, name: &str, faults: &mut Faults) -> String {
    let name = text::line(name);
    faults.required(path, &name, MAX_NAME);
    name
}

/// Whether it begins with a lower-case letter and has only letters and digits of ASCII.
fn check_key(path: &str, key: &str, faults: &mut Faults) {
    let begins = key.bytes().next().is_some_and(|first| first.is_ascii_lowercase());
    if !begins || key.len() > MAX_KEY || !key.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
        faults.add_with(path, "errors.fields.key", vec![("max", MAX_KEY.to_string())]);
    }
}

/// Makes a key from a name that no other has: `contractEnd` from *Contract end*.
fn free_key(name: &str, is_free: impl Fn(&str) -> bool) -> String {
    let folded = text::fold(name);
    let mut key = String::new();
    for word in folded.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty()) {
        let (first, rest) = word.split_at(1);
        key.push_str(&if key.is_empty() { first.to_owned() } else { first.to_ascii_uppercase() });
        key.push_str(rest);
    }
    key.truncate(MAX_KEY - 4);
    if !key.bytes().next().is_some_and(|first| first.is_ascii_lowercase()) {
        key.insert(0, 'f');
    }
    let numbered = (2..).map(|number| format!("{key}{number}"));
    std::iter::once(key.clone()).chain(numbered).find(|key| is_free(key)).unwrap_or(key)
}

/// Checks choices, and makes keys for those without one.
fn named(drafts: Vec<ChoiceDraft>, faults: &mut Faults) -> Vec<Choice> {
    if !faults.few("choices", drafts.len(), MAX_CHOICES) {
        return Vec::new();
    }
    let given: Vec<String> = drafts.iter().filter_map(|draft| draft.key.clone()).collect();
    let mut choices: Vec<Choice> = Vec::with_capacity(drafts.len());
    for (at, ChoiceDraft { key, name }) in drafts.into_iter().enumerate() {
        let name = checked_name(&format!("choices.{at}.name"), &name, faults);
        if choices.iter().any(|other| text::fold(&other.name) == text::fold(&name)) {
            faults.add(format!("choices.{at}.name"), "errors.fields.taken");
        }
        let key = match key {
            Some(key) => {
                check_key(&format!("choices.{at}.key"), &key, faults);
                if choices.iter().any(|other| other.key == key) {
                    faults.add(format!("choices.{at}.key"), "errors.fields.taken");
                }
                key
            }
            None => free_key(&name, |key| {
                !given.iter().any(|other| other == key) && choices.iter().all(|one| one.key != key)
            }),
        };
        choices.push(Choice { key, name });
    }
    choices
}
