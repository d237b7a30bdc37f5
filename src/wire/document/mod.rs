//! The OpenAPI document, completed beyond what the types generate: unknown members are refused, where null is allowed,
//! limits of lengths and numbers, the errors of each call, authentication, and a general guide. It is written so that
//! code generators can build complete clients.

pub mod limits;
mod refusals;

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use super::page::LONGEST_CURSOR;

/// The path of the schemas in the document.
const SCHEMAS: &str = "/components/schemas";
/// The prefix of a reference to a schema.
const REFERENCE: &str = "#/components/schemas/";

/// The general description of the API.
const GUIDE: &str = include_str!("guide.md");
/// An example request for each call with a body; it works unchanged unless it names a record.
const EXAMPLES: &str = include_str!("examples.json");
/// The framework's content type for JSON.
const FRAMEWORKS_JSON: &str = "application/json; charset=utf-8";
/// The content type of JSON: it has no parameter `charset` (RFC 8259 §11), and some clients know no other spelling.
const JSON: &str = "application/json";

/// Completes a document: requests and responses are described exactly.
pub fn complete(document: &mut Value) {
    visit(document, &mut |schema| {
        bound(schema);
        unite(schema);
        simplify(schema);
        name_json(schema);
    });
    separate(document);
    title(document);
    limits::set(document);
    let examples: Value = serde_json::from_str(EXAMPLES).unwrap_or_default();
    let paths = document.get_mut("paths").and_then(Value::as_object_mut);
    for operation in paths.into_iter().flat_map(operations) {
        parameters(operation).for_each(spell);
        exemplify(operation, &examples);
        condition(operation);
        refusals::say(operation);
    }
    introduce(document);
    refusals::define(document);
}

/// Sets the servers, the description, the license and the security scheme of the refresh token.
fn introduce(document: &mut Value) {
    let Some(document) = document.as_object_mut() else { return };
    document
        .insert("servers".to_owned(), json!([{ "url": "/", "description": "The server that this document is from." }]));
    if let Some(info) = document.get_mut("info").and_then(Value::as_object_mut) {
        info.insert("description".to_owned(), json!(GUIDE));
        info.insert("license".to_owned(), json!({ "name": "MIT", "url": "https://opensource.org/license/mit" }));
    }
    if let Some(schemes) =
        document.get_mut("components").and_then(|it| it.get_mut("securitySchemes")).and_then(Value::as_object_mut)
    {
        let cookie = json!({
            "type": "apiKey",
            "in": "cookie",
            "name": "__Host-atrium",
            "description": "The refresh token, which sign-in sets and every refresh renews. Over plain HTTP, as on a \
                developer's own machine, its name is `atrium`.",
        });
        schemes.insert(refusals::COOKIE.to_owned(), cookie);
    }
}

/// Reduces `allOf` to its leading reference; other keywords stay beside it. Removes defaults that are objects, which
/// generators cannot express; the description states them.
fn simplify(schema: &mut Map<String, Value>) {
    if let Some(Value::Array(parts)) = schema.get_mut("allOf")
        && parts.first().is_some_and(|first| first.get("$ref").is_some())
    {
        parts.truncate(1);
    }
    // A map of properties is not a schema, and may contain a property called `default`.
    let is_schema = schema.contains_key("allOf") || schema.get("type").is_some_and(Value::is_string);
    if is_schema && schema.get("default").is_some_and(Value::is_object) {
        schema.remove("default");
    }
}

fn name_json(holder: &mut Map<String, Value>) {
    if let Some(content) = holder.get_mut("content").and_then(Value::as_object_mut)
        && let Some(media) = content.remove(FRAMEWORKS_JSON)
    {
        content.insert(JSON.to_owned(), media);
    }
}

/// Sets each schema's title to its name.
fn title(document: &mut Value) {
    let schemas = document.pointer_mut(SCHEMAS).and_then(Value::as_object_mut);
    for (name, schema) in schemas.into_iter().flatten() {
        if let Some(title) = schema.get_mut("title") {
            *title = json!(name);
        }
    }
}

/// Adds the example of a call's body.
fn exemplify(operation: &mut Value, examples: &Value) {
    let id = operation.get("operationId").and_then(Value::as_str).unwrap_or_default();
    let Some(example) = examples.get(id).cloned() else { return };
    let content = operation.get_mut("requestBody").and_then(|body| body.get_mut("content"));
    if let Some(media) = content.and_then(|content| content.get_mut(JSON)).and_then(Value::as_object_mut) {
        media.insert("example".to_owned(), example);
    }
}

/// Documents conditional reads: a response with an `ETag` can be requested with `If-None-Match`.
fn condition(operation: &mut Value) {
    let is_tagged = operation.pointer("/responses/200/headers/ETag").is_some();
    let is_read = operation.get("requestBody").is_none()
        && !parameters(operation).any(|parameter| parameter.get("name") == Some(&json!("If-Match")));
    if !is_tagged || !is_read {
        return;
    }
    let Some(operation) = operation.as_object_mut() else { return };
    let parameter = json!({
        "name": "If-None-Match",
        "in": "header",
        "description": "The `ETag` of what the client has already: 304 when it is still the same.",
        "required": false,
        "schema": { "type": "string", "example": "\"3\"" },
    });
    if let Some(parameters) = operation.entry("parameters").or_insert_with(|| json!([])).as_array_mut() {
        parameters.push(parameter);
    }
    if let Some(responses) = operation.get_mut("responses").and_then(Value::as_object_mut) {
        responses.insert("304".to_owned(), json!({ "$ref": "#/components/responses/NotModified" }));
    }
}

/// Splits schemas that are used in requests and in responses. Requests accept null for optional members, and no unknown
/// members; responses contain null only where the schema says so.
fn separate(document: &mut Value) {
    let mut asked = BTreeSet::new();
    let mut answered = BTreeSet::new();
    for operation in document.get("paths").into_iter().flat_map(members).flat_map(members) {
        collect_reachable(document, operation.get("requestBody"), &mut asked);
        collect_reachable(document, operation.get("responses"), &mut answered);
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

/// Marks what an object in a request accepts: no unknown members, and null for optional ones.
fn close(schema: &mut Value) {
    let required: Vec<Value> = schema.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
    let Some(schema) = schema.as_object_mut().filter(|schema| schema.get("type") == Some(&json!("object"))) else {
        return;
    };
    let properties = schema.get_mut("properties").and_then(Value::as_object_mut);
    for (name, property) in properties.into_iter().flatten() {
        // The mark of a `NotNull`, which may be absent but not null.
        if property.as_object_mut().and_then(|property| property.remove("writeOnly")).is_some() {
            continue;
        }
        // A property without a type accepts anything, including null; `nullable` has no effect there.
        if !required.iter().any(|required| required == name) && property.as_object().is_some_and(|it| !it.is_empty()) {
            make_nullable(property);
        }
    }
    schema.entry("additionalProperties").or_insert(Value::Bool(false));
}

fn make_nullable(property: &mut Value) {
    if let Some(reference) = property.as_object_mut().and_then(|property| property.remove("$ref")) {
        // Other keywords beside a `$ref` are ignored.
        *property = json!({ "allOf": [{ "$ref": reference }] });
    }
    if let Some(property) = property.as_object_mut() {
        property.insert("nullable".to_owned(), Value::Bool(true));
    }
}

/// Adds the range of a number's integer type.
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

/// Removes the type `object` from a schema of alternatives (`anyOf`, `oneOf`).
fn unite(schema: &mut Map<String, Value>) {
    let several = schema.contains_key("anyOf") || schema.contains_key("oneOf");
    if several && !schema.contains_key("properties") && !schema.contains_key("discriminator") {
        schema.remove("type");
    }
}

/// Adds the format and the description of parameters that many calls have, except what a call says itself. Optional
/// parameters lose their example: an id would filter for a record that does not exist.
fn spell(parameter: &mut Value) {
    let is_required = parameter.get("required") == Some(&Value::Bool(true));
    let (further, description) = match parameter.get("name").and_then(Value::as_str) {
        Some("If-Match") => (json!({ "example": "\"3\"" }), Some("The expected version: the record's `ETag`.")),
        Some("Idempotency-Key") => (
            json!({ "minLength": 1, "maxLength": 200, "pattern": "^[!-~]+$" }),
            Some("A key that makes a retry within 24 hours safe: it returns what was created first."),
        ),
        Some("limit") => (
            json!({}),
            Some(
                "Maximum number of items, 1 to 200; 50 by default. A page has fewer when they take more than 4 MiB: only \
                 `nextCursor` tells whether it is the last one.",
            ),
        ),
        Some("cursor") => (
            json!({ "pattern": "^([0-9a-f]{2})+$", "maxLength": LONGEST_CURSOR }),
            Some("The `nextCursor` of the previous page."),
        ),
        Some("q") => (json!({}), Some("Words to search for in all fields.")),
        Some("sort") => (
            json!({}),
            Some(
                "The column by which the list is sorted, after a `-` for the reverse order. Records without a value \
                 come last. `getSchema` names the columns.",
            ),
        ),
        Some("filter") => (
            json!({}),
            Some(
                "Filters that the records must all pass: a column, an operator and values. One of the values is \
                 enough. At most 16. `getSchema` names the columns and their operators. A choice that the company has \
                 removed, or never had, is a value of no record. A field that refers to a record that the caller may \
                 not see is empty.",
            ),
        ),
        _ => (json!({}), None),
    };
    if let Some(description) = description
        && parameter.get("description").is_none_or(|own| own.as_str().is_none_or(str::is_empty))
    {
        parameter["description"] = json!(description);
    }
    let schema = parameter.get_mut("schema").and_then(Value::as_object_mut);
    if let (Some(schema), Value::Object(further)) = (schema, further) {
        if !is_required {
            schema.remove("example");
        }
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

/// Visits every object in a value, outermost first.
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

/// Returns the names of the schemas that a value refers to.
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

/// Collects all schemas that are reachable from a value.
fn collect_reachable(document: &Value, from: Option<&Value>, seen: &mut BTreeSet<String>) {
    for name in from.into_iter().flat_map(references) {
        if seen.insert(name.to_owned()) {
            collect_reachable(document, document.pointer(SCHEMAS).and_then(|schemas| schemas.get(name)), seen);
        }
    }
}

/// Points references to the request variant of a schema.
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
    fn request_and_response_schemas_are_separate_and_exact() {
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
