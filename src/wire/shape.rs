//! Validation of JSON values against their schema, field by field. The framework reports only that a value could not be
//! read; this module reports where, and why.

use std::collections::HashMap;

use poem_openapi::registry::{MetaSchema, MetaSchemaRef, Registry};
use serde_json::Value;

use super::{document::limits, not_null::is_not_null};
use crate::kernel::{Birthday, Code, Day, Error, Timestamp};

/// Deepest schema level that is validated; no schema of the API is deeper.
const MAX_DEPTH: usize = 16;
/// Maximum of faults in one response.
const MAX_FAULTS: usize = 50;
/// Maximum of characters repeated of a name that the client sent.
const MAX_NAME_CHARS: usize = 100;

/// The expected form of a value.
#[derive(Debug)]
pub struct Shape {
    nullable: bool,
    /// Whether it may be absent, but not null.
    not_null: bool,
    kind: Kind,
}

#[derive(Debug)]
enum Kind {
    Text(Option<&'static str>),
    Choice(Vec<String>),
    /// An integer with its minimum and maximum.
    Integer(i128, i128),
    Number,
    Boolean,
    List(Box<Shape>),
    Map(Box<Shape>),
    /// An object: by name, whether a member is required, and its form. Other members are refused.
    Object(HashMap<&'static str, (bool, Shape)>),
    /// Validated elsewhere.
    Anything,
}

/// A fault: its path, the key of its sentence, and the sentence's parameters.
pub struct Fault {
    path: String,
    key: &'static str,
    params: Vec<(&'static str, String)>,
}

impl Fault {
    /// Creates a fault without parameters.
    pub fn new(path: &str, key: &'static str) -> Self {
        Self { path: path.to_owned(), key, params: Vec::new() }
    }
}

/// Returns the error `bad_request` with these faults.
pub fn refusal(faults: impl IntoIterator<Item = Fault>) -> Error {
    let add = |error: Error, fault: Fault| error.and_field(fault.path, fault.key, fault.params);
    faults.into_iter().fold(Error::new(Code::BadRequest), add)
}

/// Cuts a name that the client sent to a length that can be repeated.
pub fn clip_name(name: &str) -> &str {
    name.char_indices().nth(MAX_NAME_CHARS).and_then(|(end, _)| name.get(..end)).unwrap_or(name)
}

impl Shape {
    /// Builds the form that a schema describes.
    pub fn of(schema: &MetaSchemaRef, registry: &Registry) -> Self {
        Self::at(schema, registry, 0)
    }

    fn at(schema: &MetaSchemaRef, registry: &Registry, depth: usize) -> Self {
        let (name, schema) = match schema {
            MetaSchemaRef::Inline(schema) => (None, Some(&**schema)),
            MetaSchemaRef::Reference(name) => (Some(name.as_str()), registry.schemas.get(name)),
        };
        let anything = Self { nullable: true, not_null: false, kind: Kind::Anything };
        let mut shape = schema
            .filter(|_| depth < MAX_DEPTH)
            .map_or(anything, |schema| Self::from_schema(schema, registry, depth + 1));
        if let (Some(name), Kind::Object(members)) = (name, &mut shape.kind) {
            for (member, (_, shape)) in members {
                if let Some(range) = limits::of_member(name, member) {
                    shape.narrow(range);
                }
            }
        }
        shape
    }

    /// Narrows the range of a number, or of the numbers in a list, from that of the type to that of the rules.
    pub fn narrow(&mut self, (least, most): (i64, i64)) {
        match &mut self.kind {
            Kind::Integer(from, to) => (*from, *to) = (least.into(), most.into()),
            Kind::List(items) => items.narrow((least, most)),
            _ => {}
        }
    }

    fn from_schema(schema: &MetaSchema, registry: &Registry, depth: usize) -> Self {
        let boxed = |schema| Box::new(Self::at(schema, registry, depth));
        let kind = match (schema.all_of.as_slice(), &schema.items, &schema.additional_properties) {
            // A reference with its own description is the first item of `allOf`.
            ([first, ..], _, _) => {
                return Self {
                    nullable: schema.nullable,
                    not_null: is_not_null(schema),
                    ..Self::at(first, registry, depth)
                };
            }
            (_, Some(items), _) => Kind::List(boxed(items)),
            (_, _, Some(values)) if schema.properties.is_empty() => Kind::Map(boxed(values)),
            _ => match schema.ty {
                "string" if !schema.enum_items.is_empty() => {
                    Kind::Choice(schema.enum_items.iter().filter_map(|item| item.as_str().map(str::to_owned)).collect())
                }
                "string" => Kind::Text(schema.format),
                "boolean" => Kind::Boolean,
                "number" => Kind::Number,
                "integer" => integer(schema.format),
                "object" if schema.any_of.is_empty() && schema.one_of.is_empty() && schema.rust_typename.is_some() => {
                    let member = |(name, member): &(&'static str, MetaSchemaRef)| {
                        (*name, (schema.required.contains(name), Self::at(member, registry, depth)))
                    };
                    Kind::Object(schema.properties.iter().map(member).collect())
                }
                _ => return Self { nullable: true, not_null: false, kind: Kind::Anything },
            },
        };
        Self { nullable: schema.nullable, not_null: is_not_null(schema), kind }
    }

    /// Returns all faults of a value.
    pub fn faults(&self, value: &Value) -> Vec<Fault> {
        let mut faults = Vec::new();
        self.check(value, "", &mut faults);
        faults
    }

    /// Whether it is a list.
    pub const fn is_list(&self) -> bool {
        matches!(self.kind, Kind::List(_))
    }

    /// Returns all faults of a parameter, which is plain text.
    pub fn faults_of_text(&self, name: &str, text: &str) -> Vec<Fault> {
        let value = match self.kind {
            Kind::Integer(..) | Kind::Number | Kind::Boolean => serde_json::from_str(text).ok(),
            _ => None,
        };
        let mut faults = Vec::new();
        self.check(&value.unwrap_or_else(|| Value::String(text.to_owned())), name, &mut faults);
        faults
    }

    /// Whether a number or a boolean is given for a text: the framework would accept it.
    pub fn has_non_text(&self, value: &Value) -> bool {
        match (&self.kind, value) {
            (Kind::Text(_) | Kind::Choice(_), Value::Bool(_) | Value::Number(_)) => true,
            (Kind::List(inside), Value::Array(items)) => items.iter().any(|item| inside.has_non_text(item)),
            (Kind::Map(inside), Value::Object(members)) => members.values().any(|member| inside.has_non_text(member)),
            (Kind::Object(shapes), Value::Object(members)) => members
                .iter()
                .any(|(name, member)| shapes.get(name.as_str()).is_some_and(|it| it.1.has_non_text(member))),
            _ => false,
        }
    }

    fn check(&self, value: &Value, path: &str, faults: &mut Vec<Fault>) {
        if faults.len() >= MAX_FAULTS || (value.is_null() && self.nullable) {
            return;
        }
        let mut add = |key| faults.push(Fault::new(if path.is_empty() { "body" } else { path }, key));
        match (&self.kind, value) {
            (Kind::Anything, _) | (Kind::Boolean, Value::Bool(_)) | (Kind::Number, Value::Number(_)) => {}
            (_, Value::Null) => add("errors.fields.null"),
            (Kind::Text(format), Value::String(text)) => {
                if let Some(key) = format.and_then(|format| format_fault(format, text)) {
                    add(key);
                }
            }
            (Kind::Choice(values), Value::String(text)) if values.contains(text) => {}
            (Kind::Choice(values), _) => {
                let params = vec![("values", values.join(", "))];
                faults.push(Fault { params, ..Fault::new(path, "errors.fields.enum") });
            }
            (Kind::Integer(least, most), Value::Number(number)) => {
                match number.as_i64().map(i128::from).or_else(|| number.as_u64().map(i128::from)) {
                    None => add("errors.fields.integer"),
                    Some(number) if (*least..=*most).contains(&number) => {}
                    Some(_) => {
                        let params = vec![("min", least.to_string()), ("max", most.to_string())];
                        faults.push(Fault { params, ..Fault::new(path, "errors.fields.range") });
                    }
                }
            }
            (Kind::List(inside), Value::Array(items)) => {
                items
                    .iter()
                    .enumerate()
                    .for_each(|(at, item)| inside.check(item, &join(path, &at.to_string()), faults));
            }
            (Kind::Map(inside), Value::Object(members)) => {
                members.iter().for_each(|(name, member)| inside.check(member, &join(path, clip_name(name)), faults));
            }
            (Kind::Object(shapes), Value::Object(members)) => {
                for (name, member) in members.iter().take(MAX_FAULTS) {
                    match shapes.get(name.as_str()) {
                        Some((required, shape)) if *required || shape.not_null || !member.is_null() => {
                            shape.check(member, &join(path, name), faults);
                        }
                        Some(_) => {}
                        None => faults.push(Fault::new(&join(path, clip_name(name)), "errors.fields.unknown")),
                    }
                }
                let missing = shapes.iter().filter(|(name, (required, _))| *required && !members.contains_key(**name));
                faults.extend(missing.map(|(name, _)| Fault::new(&join(path, name), "errors.fields.missing")));
            }
            (Kind::Text(_), _) => add("errors.fields.text"),
            (Kind::Integer(..), _) => add("errors.fields.integer"),
            (Kind::Number, _) => add("errors.fields.number"),
            (Kind::Boolean, _) => add("errors.fields.boolean"),
            (Kind::List(_), _) => add("errors.fields.list"),
            (Kind::Map(_) | Kind::Object(_), _) => add("errors.fields.object"),
        }
    }
}

fn integer(format: Option<&str>) -> Kind {
    match format {
        Some("uint8") => Kind::Integer(0, u8::MAX.into()),
        Some("uint16") => Kind::Integer(0, u16::MAX.into()),
        Some("uint32") => Kind::Integer(0, u32::MAX.into()),
        Some("uint64") => Kind::Integer(0, u64::MAX.into()),
        Some("int32") => Kind::Integer(i32::MIN.into(), i32::MAX.into()),
        _ => Kind::Integer(i64::MIN.into(), i64::MAX.into()),
    }
}

/// Returns why a text does not have the given format.
fn format_fault(format: &str, text: &str) -> Option<&'static str> {
    match format {
        "uuid" => uuid::Uuid::parse_str(text).is_err().then_some("errors.fields.uuid"),
        "date" => text.parse::<Day>().is_err().then_some("errors.fields.date"),
        "birthday" => text.parse::<Birthday>().is_err().then_some("errors.fields.birthday"),
        "date-time" if text.parse::<Timestamp>().is_ok() => None,
        "date-time" if format!("{text}Z").parse::<Timestamp>().is_ok() => Some("errors.fields.offset"),
        "date-time" => Some("errors.fields.instant"),
        _ => None,
    }
}

fn join(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") }
}

#[cfg(test)]
mod tests {
    use poem_openapi::{
        Enum, Object,
        types::{MaybeUndefined, Type},
    };
    use serde_json::json;

    use super::*;
    use crate::kernel::Id;

    #[derive(Enum)]
    #[oai(rename_all = "lowercase")]
    enum Colour {
        Red,
        Blue,
    }

    #[derive(Object)]
    struct Inner {
        label: String,
        colour: Option<Colour>,
    }

    #[derive(Object)]
    #[oai(deny_unknown_fields)]
    struct Outer {
        name: String,
        about: MaybeUndefined<String>,
        tags: Option<Vec<String>>,
        inner: Option<Vec<Inner>>,
        /// The best of them.
        one: Option<Inner>,
        count: Option<u8>,
        done: Option<bool>,
        who: Option<Id<()>>,
        day: Option<Day>,
        at: Option<Timestamp>,
    }

    fn shape<T: Type>() -> Shape {
        let mut registry = Registry::new();
        T::register(&mut registry);
        Shape::of(&T::schema_ref(), &registry)
    }

    fn named(faults: &[Fault]) -> Vec<String> {
        let mut all: Vec<String> =
            faults.iter().map(|it| format!("{} {}", it.path, it.key.trim_start_matches("errors.fields."))).collect();
        all.sort();
        all
    }

    #[test]
    fn reports_every_fault_with_path_and_reason() {
        for (value, faults) in [
            (json!({"name": "a", "about": null, "tags": ["b"], "inner": [{"label": "c"}], "count": 3}), vec![]),
            (json!({"name": null, "more": 1}), vec!["more unknown", "name null"]),
            (json!({"count": 256, "done": "yes"}), vec!["count range", "done boolean", "name missing"]),
            (json!({"name": 5, "count": 1.5, "tags": 7}), vec!["count integer", "name text", "tags list"]),
            (json!({"name": "a", "tags": ["b", null]}), vec!["tags.1 null"]),
            (
                json!({"name": "a", "inner": [{"label": "c"}, {"colour": "green"}]}),
                vec!["inner.1.colour enum", "inner.1.label missing"],
            ),
            (
                json!({"name": "a", "one": "c", "who": "me", "day": "21.11.2026"}),
                vec!["day date", "one object", "who uuid"],
            ),
            (json!({"name": "a", "at": "2026-11-21T09:30:00"}), vec!["at offset"]),
            (json!({"name": "a", "at": "yesterday"}), vec!["at instant"]),
            (json!([1]), vec!["body object"]),
            (json!(null), vec!["body null"]),
        ] {
            assert_eq!(named(&shape::<Outer>().faults(&value)), faults, "{value}");
        }
    }

    #[test]
    fn parameters_are_checked_against_their_type() {
        let found = |shape: Shape, text: &str| named(&shape.faults_of_text("it", text));
        assert_eq!(found(shape::<u32>(), "12"), Vec::<String>::new());
        assert_eq!(found(shape::<u32>(), "-1"), ["it range"]);
        assert_eq!(found(shape::<u32>(), "ten"), ["it integer"]);
        assert_eq!(found(shape::<bool>(), "maybe"), ["it boolean"]);
        assert_eq!(found(shape::<Colour>(), "green"), ["it enum"]);
        assert_eq!(found(shape::<Id<()>>(), "me"), ["it uuid"]);
    }

    #[test]
    fn detects_numbers_and_booleans_given_for_texts() {
        for (value, has_non_text) in [
            (json!({"name": "a", "tags": ["b"], "count": 3}), false),
            (json!({"name": 5}), true),
            (json!({"about": false}), true),
            (json!({"tags": ["b", 1.5]}), true),
            (json!({"inner": [{"label": "c"}, {"label": true}]}), true),
            (json!({"one": {"label": 0}}), true),
            (json!({"name": {}, "tags": 7}), false),
        ] {
            assert_eq!(shape::<Outer>().has_non_text(&value), has_non_text, "{value}");
        }
    }
}
