//! Combining the fields of two records.

use std::collections::HashMap;

use poem_openapi::Enum;
use serde_json::{Map, Value};

use crate::{
    feature::{
        MergeOps, MergedField, MergedValue,
        exchange::{is_same_item, set_value_at, value_at},
    },
    kernel::{Error, Result, error::Faults},
};

/// Maximum characters of a joined text.
const MAX_HTML: usize = 50_000;
/// The path before the keys of custom fields.
const CUSTOM: &str = "fields.";

/// What happens to a field in a merge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Enum)]
#[oai(rename = "MergeChoice", rename_all = "lowercase")]
pub enum Choice {
    /// The kept record's value stays.
    Keep,
    /// The duplicate's value replaces it.
    Take,
    /// Lists are united, and notes joined.
    Both,
}

/// Returns the patch that gives the kept record its combined values. A field without a choice keeps its value, or gets the
/// duplicate's when it has none; lists are united, and notes joined.
/// Errors: `invalid` for choices of unknown fields, and of `both` for a field with one value.
pub fn combine(
    ops: &MergeOps,
    choices: &HashMap<String, Choice>,
    kept: &Value,
    duplicate: &Value,
) -> Result<Map<String, Value>> {
    let (Some(kept), Some(duplicate)) = (kept.as_object(), duplicate.as_object()) else {
        return Err(Error::internal("a record is not a JSON object"));
    };
    let paths: Vec<(String, MergedValue)> = ops
        .fields
        .iter()
        .map(|MergedField { path, value }| ((*path).to_owned(), *value))
        .chain(custom_paths(kept, duplicate))
        .collect();
    let mut faults = Faults::default();
    for (path, choice) in choices {
        let known = paths.iter().find(|(known, _)| known == path).map(|(_, value)| *value);
        // A custom field that neither has is one, too.
        let shown: String = path.chars().take(100).collect();
        if known.is_none() && !path.starts_with(CUSTOM) {
            faults.add(format!("fields.{shown}"), "errors.fields.unknown_reference");
        } else if *choice == Choice::Both && known.is_none_or(|value| value == MergedValue::One) {
            faults.add(format!("fields.{shown}"), "errors.fields.merge_both");
        }
    }
    let mut values = Map::new();
    for (path, value) in &paths {
        let own = value_at(kept, path).filter(|value| !is_empty(value));
        let other = value_at(duplicate, path).filter(|value| !is_empty(value));
        let choice = choices.get(path).copied().unwrap_or(match value {
            _ if own.is_none() => Choice::Take,
            MergedValue::One => Choice::Keep,
            MergedValue::List | MergedValue::Html => Choice::Both,
        });
        let combined = match choice {
            Choice::Keep => continue,
            Choice::Take if choices.contains_key(path) => other.cloned().unwrap_or_else(|| empty(*value, path)),
            Choice::Take => match other {
                Some(other) => other.clone(),
                None => continue,
            },
            Choice::Both => match (own, other) {
                (_, None) => continue,
                (None, Some(other)) => other.clone(),
                (Some(own), Some(other)) => both(own, other),
            },
        };
        if combined.as_str().is_some_and(|text| *value == MergedValue::Html && text.chars().count() > MAX_HTML) {
            let params = vec![("max", MAX_HTML.to_string())];
            faults.add_with(format!("fields.{path}"), "errors.fields.too_long", params);
            continue;
        }
        if own != Some(&combined) {
            set_value_at(&mut values, path, combined);
        }
    }
    faults.into_result()?;
    (ops.fit)(&mut values, &Value::Object(kept.clone()));
    Ok(values)
}

/// Returns the paths of the custom fields of two records.
fn custom_paths(kept: &Map<String, Value>, duplicate: &Map<String, Value>) -> Vec<(String, MergedValue)> {
    let fields = |record: &Map<String, Value>| record.get("fields").and_then(Value::as_object).cloned();
    let mut known: Vec<(String, MergedValue)> = Vec::new();
    for (key, value) in [fields(kept), fields(duplicate)].into_iter().flatten().flatten() {
        let path = format!("{CUSTOM}{key}");
        if known.iter().all(|(other, _)| *other != path) {
            known.push((path, if value.is_array() { MergedValue::List } else { MergedValue::One }));
        }
    }
    known
}

/// Whether a value is none.
fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        _ => false,
    }
}

/// Returns what clears a field. Custom fields are cleared by null.
fn empty(value: MergedValue, path: &str) -> Value {
    if value == MergedValue::List && !path.starts_with(CUSTOM) { Value::Array(Vec::new()) } else { Value::Null }
}

/// Ends of HTML after which text begins a new line.
const BLOCK_ENDS: [&str; 11] =
    ["</p>", "</ul>", "</ol>", "</blockquote>", "</pre>", "</h1>", "</h2>", "</h3>", "</table>", "<br>", "<hr>"];

/// Unites two lists, or joins two texts, unless the one has the other.
fn both(own: &Value, other: &Value) -> Value {
    match (own, other) {
        (Value::Array(own), Value::Array(other)) => {
            let added = other.iter().filter(|one| !own.iter().any(|known| is_same_item(known, one)));
            own.iter().chain(added).cloned().collect()
        }
        (Value::String(own), Value::String(other)) if !own.contains(other.as_str()) => {
            // What does not end with an element would go on in the same line.
            let between = if BLOCK_ENDS.iter().any(|end| own.ends_with(end)) { "" } else { "<br>" };
            format!("{own}{between}{other}").into()
        }
        _ => own.clone(),
    }
}

/// Returns the members of a patch whose fields are still as they were after a merge, and the paths of the others. `after`
/// has what the fields were then, and `now` what they are.
pub fn unchanged_members(
    before: &Map<String, Value>,
    after: &Map<String, Value>,
    now: &Value,
) -> (Map<String, Value>, Vec<String>) {
    let mut patch = Map::new();
    let mut changed = Vec::new();
    let null = Value::Null;
    for (name, value) in before {
        let then = after.get(name).unwrap_or(&null);
        let is = now.get(name).unwrap_or(&null);
        let (Value::Object(inner), Value::Object(then_inner)) = (value, then) else {
            if then == is {
                patch.insert(name.clone(), value.clone());
            } else {
                changed.push(name.clone());
            }
            continue;
        };
        for (key, value) in inner {
            let path = format!("{name}.{key}");
            if then_inner.get(key).unwrap_or(&null) == is.get(key).unwrap_or(&null) {
                set_value_at(&mut patch, &path, value.clone());
            } else {
                changed.push(path);
            }
        }
    }
    (patch, changed)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::features::find_kind;

    fn combined(choices: &[(&str, Choice)], kept: &Value, duplicate: &Value) -> Result<Value> {
        let ops = find_kind("customer").and_then(|kind| kind.merge).unwrap();
        let choices = choices.iter().map(|(path, choice)| ((*path).to_owned(), *choice)).collect();
        combine(&ops, &choices, kept, duplicate).map(Value::Object)
    }

    #[test]
    fn nothing_is_lost_without_choices() {
        let kept = json!({"name": "Ana", "status": "lead", "tags": ["vip"], "notes": "<p>a</p>",
            "details": {"emails": [{"email": "a@x.example", "label": ""}], "title": "Miller"}, "fields": {"size": 3}});
        let duplicate = json!({"name": "Ana García", "status": "active", "tags": ["vip", "sol"], "notes": "<p>b</p>",
            "about": "Tall", "details": {"emails": [{"email": "a@x.example", "label": "Work"},
            {"email": "b@x.example", "label": ""}], "phoneNumbers": [], "title": "Baker", "address": "Sol 1"},
            "fields": {"size": 4, "color": "red"}});
        let values = combined(&[], &kept, &duplicate).unwrap();
        assert_eq!(
            values,
            json!({"about": "Tall", "tags": ["vip", "sol"], "notes": "<p>a</p><p>b</p>",
                "details": {"emails": [{"email": "a@x.example", "label": ""}, {"email": "b@x.example", "label": ""}],
                "address": "Sol 1"}, "fields": {"color": "red"}})
        );
    }

    // The kind of fault: texts that are joined become one word.
    #[test]
    fn joined_notes_stay_apart() {
        for (kept, expected) in [
            ("first", "first<br>second"),
            ("<b>first</b>", "<b>first</b><br>second"),
            ("<p>first</p>", "<p>first</p>second"),
            ("<ul><li>first</li></ul>", "<ul><li>first</li></ul>second"),
        ] {
            let values = combined(&[], &json!({"notes": kept}), &json!({"notes": "second"})).unwrap();
            assert_eq!(values["notes"], expected);
        }
    }

    #[test]
    fn choices_take_keep_and_clear() {
        let kept = json!({"name": "Ana", "tags": ["vip"], "about": "Tall", "details": {"title": "Miller"}});
        let duplicate = json!({"name": "Ana García", "tags": ["sol"], "details": {"title": "Baker"}});
        let choices = [("name", Choice::Take), ("tags", Choice::Keep), ("about", Choice::Take)];
        let values = combined(&choices, &kept, &duplicate).unwrap();
        assert_eq!(values, json!({"name": "Ana García", "about": null}));
        let refused = combined(&[("name", Choice::Both), ("version", Choice::Take)], &kept, &duplicate).unwrap_err();
        let mut named: Vec<&str> = refused.fields().iter().map(|(path, _)| path.as_str()).collect();
        named.sort_unstable();
        assert_eq!(named, ["fields.name", "fields.version"]);
    }

    #[test]
    fn company_of_an_organization_is_not_combined() {
        let kept = json!({"name": "Ana", "details": {}, "organizationId": "1"});
        let duplicate = json!({"name": "Ana", "details": {"company": "Sol", "title": "Miller"}});
        assert_eq!(combined(&[], &kept, &duplicate).unwrap(), json!({"details": {"title": "Miller"}}));
    }

    #[test]
    fn undoing_leaves_what_was_changed_since() {
        let map = |value: Value| value.as_object().cloned().unwrap();
        let before = map(json!({"tags": ["vip"], "about": null, "details": {"title": null, "address": null}}));
        let after =
            map(json!({"tags": ["vip", "sol"], "about": "Tall", "details": {"title": "Baker", "address": "Sol 1"}}));
        let now = json!({"tags": ["vip", "sol"], "about": "Small", "details": {"title": "Miller", "address": "Sol 1"}});
        let (patch, changed) = unchanged_members(&before, &after, &now);
        assert_eq!(Value::Object(patch), json!({"tags": ["vip"], "details": {"address": null}}));
        assert_eq!(changed, ["about", "details.title"]);
    }
}
