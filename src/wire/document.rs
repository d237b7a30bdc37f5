//! What the API document says beyond what the types write down by themselves: that unknown members are
//! refused, where null may stand, how large numbers are, and how the headers and cursors are spelt.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

/// Where the document keeps its schemas.
const SCHEMAS: &str = "/components/schemas";
/// How a reference to one of them begins.
const REFERENCE: &str = "#/components/schemas/";

/// Completes a document: every call takes exactly what it says, and answers with exactly what it says.
pub fn complete(document: &mut Value) {
    visit(document, &mut |schema| {
        bound(schema);
        unite(schema);
    });
    separate(document);
    let paths = document.get_mut("paths").and_then(Value::as_object_mut);
    for parameter in paths.into_iter().flat_map(operations).flat_map(parameters) {
        spell(parameter);
    }
}

/// Bodies take null for what may be absent, and no member that they do not name; answers have no null
/// unless they say so. What stands in both has two schemas, therefore.
fn separate(document: &mut Value) {
    let mut asked = BTreeSet::new();
    let mut answered = BTreeSet::new();
    for operation in document.get("paths").into_iter().flat_map(members).flat_map(members) {
        reach(document, operation.get("requestBody"), &mut asked);
        reach(document, operation.get("responses"), &mut answered);
    }
    let composed = |name: &&String| {
        let schema = document.pointer(SCHEMAS).and_then(|schemas| schemas.get(name.as_str()));
        schema.is_some_and(|schema| schema.get("properties").is_some() || !references(schema).is_empty())
    };
    let both: BTreeSet<String> = asked.intersection(&answered).filter(composed).cloned().collect();
    if let Some(schemas) = document.pointer_mut(SCHEMAS).and_then(Value::as_object_mut) {
        for name in asked {
            let Some(mut schema) = schemas.get(&name).cloned() else { continue };
            rename(&mut schema, &both);
            close(&mut schema);
            schemas.insert(if both.contains(&name) { input(&name) } else { name }, schema);
        }
    }
    let paths = document.get_mut("paths").and_then(Value::as_object_mut);
    for operation in paths.into_iter().flat_map(operations) {
        if let Some(body) = operation.get_mut("requestBody") {
            rename(body, &both);
            let content = body.get_mut("content").and_then(Value::as_object_mut);
            content.into_iter().flat_map(Map::values_mut).filter_map(|media| media.get_mut("schema")).for_each(close);
        }
    }
}

fn input(name: &str) -> String {
    format!("{name}Input")
}

/// Says of an object that is sent what it takes.
fn close(schema: &mut Value) {
    let required: Vec<Value> = schema.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
    let Some(schema) = schema.as_object_mut().filter(|schema| schema.get("type") == Some(&json!("object"))) else {
        return;
    };
    let properties = schema.get_mut("properties").and_then(Value::as_object_mut);
    for (name, property) in properties.into_iter().flatten() {
        // One without a type takes anything, null included; `nullable` would say nothing there.
        if !required.iter().any(|required| required == name) && property.as_object().is_some_and(|it| !it.is_empty()) {
            make_nullable(property);
        }
    }
    schema.insert("additionalProperties".to_owned(), Value::Bool(false));
}

fn make_nullable(property: &mut Value) {
    if let Some(reference) = property.as_object_mut().and_then(|property| property.remove("$ref")) {
        // Beside a reference nothing else counts.
        *property = json!({ "allOf": [{ "$ref": reference }] });
    }
    if let Some(property) = property.as_object_mut() {
        property.insert("nullable".to_owned(), Value::Bool(true));
    }
}

/// Says how large a number may be that has so many bits.
fn bound(schema: &mut Map<String, Value>) {
    let Some(format) = schema.get("format").and_then(Value::as_str) else { return };
    let (least, most) = match format {
        "uint8" => (json!(0), json!(u8::MAX)),
        "uint16" => (json!(0), json!(u16::MAX)),
        "uint32" => (json!(0), json!(u32::MAX)),
        "uint64" => (json!(0), json!(u64::MAX)),
        "int32" => (json!(i32::MIN), json!(i32::MAX)),
        "int64" => (json!(i64::MIN), json!(i64::MAX)),
        _ => return,
    };
    schema.entry("minimum").or_insert(least);
    schema.entry("maximum").or_insert(most);
}

/// What is one of several things is not an object besides.
fn unite(schema: &mut Map<String, Value>) {
    let several = schema.contains_key("anyOf") || schema.contains_key("oneOf");
    if several && !schema.contains_key("properties") && !schema.contains_key("discriminator") {
        schema.remove("type");
    }
}

/// Says how the parameters are spelt that many calls have.
fn spell(parameter: &mut Value) {
    let further = match parameter.get("name").and_then(Value::as_str) {
        Some("If-Match") => json!({ "example": "\"3\"" }),
        Some("Idempotency-Key") => json!({ "minLength": 1, "maxLength": 200, "pattern": "^[!-~]+$" }),
        Some("cursor") => json!({ "pattern": "^([0-9a-f]{2}){1,16384}$" }),
        _ => return,
    };
    let schema = parameter.get_mut("schema").and_then(Value::as_object_mut);
    if let (Some(schema), Value::Object(further)) = (schema, further) {
        schema.extend(further);
    }
}

fn members(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_object().into_iter().flat_map(Map::values)
}

fn operations(paths: &mut Map<String, Value>) -> impl Iterator<Item = &mut Value> {
    paths.values_mut().filter_map(Value::as_object_mut).flat_map(Map::values_mut)
}

fn parameters(operation: &mut Value) -> impl Iterator<Item = &mut Value> {
    operation.get_mut("parameters").and_then(Value::as_array_mut).into_iter().flatten()
}

/// Shows every object in a value, from the outside in.
fn visit(value: &mut Value, look: &mut impl FnMut(&mut Map<String, Value>)) {
    match value {
        Value::Object(object) => {
            look(object);
            object.values_mut().for_each(|value| visit(value, look));
        }
        Value::Array(items) => items.iter_mut().for_each(|value| visit(value, look)),
        _ => {}
    }
}

/// The names of the schemas that a value refers to.
fn references(value: &Value) -> Vec<&str> {
    match value {
        Value::Object(object) => {
            let own = object.get("$ref").and_then(Value::as_str).and_then(|text| text.strip_prefix(REFERENCE));
            own.into_iter().chain(object.values().flat_map(references)).collect()
        }
        Value::Array(items) => items.iter().flat_map(references).collect(),
        _ => Vec::new(),
    }
}

/// Notes all schemas that can be reached from a value.
fn reach(document: &Value, from: Option<&Value>, seen: &mut BTreeSet<String>) {
    for name in from.into_iter().flat_map(references) {
        if seen.insert(name.to_owned()) {
            reach(document, document.pointer(SCHEMAS).and_then(|schemas| schemas.get(name)), seen);
        }
    }
}

/// Lets references go to the schema for what is sent.
fn rename(value: &mut Value, both: &BTreeSet<String>) {
    visit(value, &mut |object| {
        let name = object.get("$ref").and_then(Value::as_str).and_then(|text| text.strip_prefix(REFERENCE));
        if let Some(name) = name.filter(|name| both.contains(*name)) {
            let sent = format!("{REFERENCE}{}", input(name));
            object.insert("$ref".to_owned(), Value::String(sent));
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_sent_and_answered_has_two_schemas_and_each_says_what_it_is() {
        let reference = |name: &str| json!({ "$ref": format!("{REFERENCE}{name}") });
        let content = |name: &str| json!({ "content": { "json": { "schema": reference(name) } } });
        let mut document = json!({
            "paths": { "/a": { "post": {
                "requestBody": content("New"),
                "responses": { "200": content("View") },
                "parameters": [{ "name": "cursor", "schema": { "type": "string" } }],
            } } },
            "components": { "schemas": {
                "New": { "type": "object", "required": ["name"], "properties": {
                    "name": { "type": "string" },
                    "size": { "type": "integer", "format": "uint8" },
                    "details": reference("Details"),
                    "any": {},
                } },
                "View": { "type": "object", "properties": { "details": reference("Details") } },
                "Details": { "type": "object", "properties": { "title": { "type": "string" } } },
                "To": { "type": "object", "anyOf": [{ "type": "string" }] },
            } },
        });
        complete(&mut document);
        let schemas = &document["components"]["schemas"];
        assert_eq!(
            schemas["New"]["properties"],
            json!({
                "name": { "type": "string" },
                "size": { "type": "integer", "format": "uint8", "minimum": 0, "maximum": 255, "nullable": true },
                "details": { "allOf": [reference("DetailsInput")], "nullable": true },
                "any": {},
            })
        );
        assert_eq!(schemas["New"]["additionalProperties"], false);
        assert_eq!(schemas["DetailsInput"]["properties"]["title"], json!({ "type": "string", "nullable": true }));
        assert_eq!(schemas["Details"]["properties"]["title"], json!({ "type": "string" }));
        assert_eq!(schemas["View"]["properties"]["details"], reference("Details"));
        assert!(schemas["Details"].get("additionalProperties").is_none());
        assert!(schemas["To"].get("type").is_none());
        let operation = &document["paths"]["/a"]["post"];
        assert_eq!(operation["requestBody"], content("New"));
        assert!(operation["parameters"][0]["schema"]["pattern"].is_string());
    }
}
