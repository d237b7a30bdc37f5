//! API contract tests over HTTP: every refusal names its fields with a reason, unknown parameters are refused, cursors
//! are valid for their list only, idempotency keys identify one request, and unchanged data is not sent twice.

use http::{HeaderValue, Method, StatusCode};
use poem::{Endpoint as _, Request};
use serde_json::{Value, json};

use super::{
    document::operations,
    world::{fill, samples, worlds},
};
use crate::{
    app,
    people::permission::Role,
    testing::{As, TestApp},
};

/// Returns the reasons in a response, by field.
fn reasons(body: &Value) -> Vec<(String, String)> {
    let error = &body["error"];
    let given = error["reasons"].as_object().cloned().unwrap_or_default();
    for name in given.keys() {
        assert!(error["fields"][name].as_str().is_some_and(|text| text.len() > 5), "{body}");
    }
    given.into_iter().map(|(name, reason)| (name, reason.as_str().unwrap_or_default().to_owned())).collect()
}

async fn refused(caller: &As, method: &str, path: &str, body: Option<Value>, expected: &[(&str, &str)]) {
    let got = caller.send_with(method, path, body.clone(), &[]).await;
    let expected: Vec<_> = expected.iter().map(|(name, reason)| ((*name).to_owned(), (*reason).to_owned())).collect();
    assert_eq!((got.status, reasons(&got.body)), (400, expected), "{method} {path} {body:?}: {}", got.body);
}

/// The kind of fault: a line of text that shows something else than it holds, by marks of direction and without width.
#[tokio::test]
async fn lines_of_text_lose_what_disguises_them() {
    let app = TestApp::new().await;
    let owner = app.acme(Role::Owner).await;
    let colleague = app.acme(Role::Member).await.id;
    let id = owner.id.to_string();
    let disguised = "In\u{202e}vo\u{200b}ice\u{2066} A";
    let event = json!({"title": disguised, "location": disguised, "allDay": false, "start": "2026-11-21T09:00:00Z",
        "end": "2026-11-21T09:30:00Z"});
    let shortcut =
        json!({"label": disguised, "description": disguised, "icon": "star", "link": "/", "useRouter": true});
    let entity = "In&#x202e;vo&#8203;ice A";
    for (method, path, body, fields) in [
        ("POST", "/api/pages", json!({"title": disguised}), &["title"][..]),
        ("POST", "/api/events", event, &["title", "location"]),
        ("POST", "/api/common/shortcuts", json!({"shortcut": shortcut}), &["label", "description"]),
        ("POST", "/api/common/notifications", json!({"notification": {"title": disguised}}), &["title"]),
        ("POST", "/api/common/notifications", json!({"notification": {"title": entity}}), &["title"]),
        (
            "POST",
            "/api/common/messages",
            json!({"message": {"title": disguised, "description": entity}}),
            &["title", "description"],
        ),
        ("POST", "/api/messages/send", json!({"to": [colleague], "title": disguised, "text": "Hi"}), &["title"]),
        ("PATCH", "/api/common/user", json!({"name": disguised}), &["name"]),
        ("PATCH", &format!("/api/team/{id}"), json!({"title": disguised, "phone": disguised}), &["title", "phone"]),
        ("POST", "/api/tasks", json!({"title": disguised}), &["title"]),
        ("POST", "/api/deals", json!({"title": disguised}), &["title"]),
        ("POST", "/api/organizations", json!({"name": disguised}), &["name"]),
        ("POST", "/api/customers", json!({"name": disguised}), &["name"]),
    ] {
        let got = owner.send_with(method, path, Some(body), &[]).await;
        assert!(matches!(got.status, 200 | 201), "{method} {path}: {}", got.body);
        for field in fields {
            assert_eq!(got.body[field], "Invoice A", "{method} {path}: {}", got.body);
        }
    }
}

#[tokio::test]
async fn rejects_unreadable_input_with_field_and_reason() {
    let app = TestApp::new().await;
    let member = app.acme(Role::Member).await;
    let event = |start: &str| json!({"title": "Fair", "allDay": false, "start": start, "end": "2026-11-21T09:30:00Z"});
    for (path, body, expected) in [
        ("/api/customers", json!({}), vec![("name", "missing")]),
        ("/api/customers", json!({"name": "A", "nmae": "B"}), vec![("nmae", "unknown")]),
        ("/api/pages", json!({"title": "A", "status": "gone"}), vec![("status", "enum")]),
        ("/api/customers", json!({"name": null, "ownerId": "me"}), vec![("name", "null"), ("ownerId", "uuid")]),
        ("/api/customers", json!({"name": 5}), vec![("name", "text")]),
        (
            "/api/customers",
            json!({"name": "A", "details": {"birthday": "1.1.1990", "emails": [{"email": "a@b.example", "x": 1}]}}),
            vec![("details.birthday", "birthday"), ("details.emails.0.x", "unknown")],
        ),
        ("/api/tasks", json!({"title": "A", "priority": "high"}), vec![("priority", "integer")]),
        ("/api/tasks", json!({"title": "A", "completed": 1}), vec![("completed", "boolean")]),
        ("/api/tasks", json!({"title": "A", "tags": "b"}), vec![("tags", "list")]),
        ("/api/tasks", json!(["title"]), vec![("body", "object")]),
        ("/api/events", event("2026-11-21T09:00:00"), vec![("start", "offset")]),
        ("/api/events", event("soon"), vec![("start", "instant")]),
    ] {
        refused(&member, "POST", path, Some(body), &expected).await;
    }
    for (path, expected) in [
        ("/api/customers/17", vec![("id", "uuid")]),
        ("/api/customers?limit=many", vec![("limit", "integer")]),
        ("/api/customers?limit=-1", vec![("limit", "range")]),
        ("/api/fields?kind=gone", vec![("kind", "enum")]),
        ("/api/customers?ownerId=me", vec![("ownerId", "uuid")]),
        ("/api/customers?limit=1&limit=2", vec![("limit", "twice")]),
        ("/api/customers?Limit=1&x=", vec![("Limit", "unknown"), ("x", "unknown")]),
        ("/api/tasks?completed=maybe", vec![("completed", "boolean")]),
        ("/api/apps/chat/contact", vec![("id", "missing")]),
    ] {
        refused(&member, "GET", path, None, &expected).await;
    }
    let broken = Request::builder()
        .method(Method::POST)
        .uri("/api/customers".parse().unwrap())
        .header("authorization", format!("Bearer {}", member.token()))
        .header("accept-language", "es")
        .content_type("application/json")
        .body("{\"name\": \n}");
    let mut answer = app.client.get_response(broken).await;
    let body: Value = serde_json::from_slice(&answer.take_body().into_vec().await.unwrap()).unwrap();
    assert_eq!(reasons(&body), [("body".to_owned(), "json".to_owned())]);
    assert_eq!(
        body["error"]["fields"]["body"],
        "No se puede leer como JSON (línea 2, columna 1): no es válido, está demasiado anidado o contiene un número demasiado grande."
    );
}

/// A property of a body: its path, whether it is optional but refuses null, and its range.
type Bounded = (String, bool, Option<(i64, i64)>);

/// Collects all properties of a body.
fn members(document: &Value, schema: &Value, path: &[&str], found: &mut Vec<Bounded>) {
    let schema = match schema["$ref"].as_str() {
        Some(reference) => document.pointer(reference.trim_start_matches('#')).unwrap(),
        None => schema,
    };
    let required: Vec<&str> = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        let path = [path, &[name.as_str()]].concat();
        let nullable = property["nullable"] == true || property.as_object().is_some_and(serde_json::Map::is_empty);
        let range = property["minimum"].as_i64().zip(property["maximum"].as_i64());
        found.push((path.join("."), !nullable && !required.contains(&name.as_str()), range));
        members(document, property, &path, found);
    }
}

#[tokio::test]
async fn rejects_null_without_effect_and_values_outside_documented_ranges() {
    let document: Value = serde_json::from_str(&app::document()).unwrap();
    let (_app, owner, ids, _) = worlds(Role::Owner).await;
    let all = operations(&document);
    let mut nulls = 0;
    let mut ranges = 0;
    for sample in samples() {
        let (name, operation) = all.iter().find(|(_, it)| it["operationId"] == sample.id).unwrap();
        let (method, _) = name.split_once(' ').unwrap();
        let (path, body) = fill(&sample, &ids);
        let mut found = Vec::new();
        members(&document, &operation["requestBody"]["content"]["application/json"]["schema"], &[], &mut found);
        for (member, refuses_null, range) in found {
            let with = |value: Value| {
                let mut body = body.clone().unwrap_or_else(|| json!({}));
                let mut place = &mut body;
                for name in member.split('.') {
                    if !place.is_object() {
                        *place = json!({});
                    }
                    place = place.as_object_mut().unwrap().entry(name).or_insert_with(|| json!({}));
                }
                *place = value;
                body
            };
            if refuses_null {
                let got = owner.send_with(&method.to_uppercase(), &path, Some(with(Value::Null)), &[]).await;
                assert_eq!(
                    (got.status, &got.body["error"]["reasons"][&member]),
                    (400, &json!("null")),
                    "{name} {member}"
                );
                nulls += 1;
            }
            if let Some((least, most)) = range {
                let got = owner.send_with(&method.to_uppercase(), &path, Some(with(json!(-1_i64 << 40))), &[]).await;
                let said = got.body["error"]["fields"][&member].as_str().unwrap_or_default().replace(',', "");
                assert_eq!(got.status, 400, "{name} {member}");
                assert!(
                    said.contains(&least.to_string()) && said.contains(&most.to_string()),
                    "{name} {member}: {said}"
                );
                ranges += 1;
            }
        }
    }
    assert!(nulls > 40 && ranges > 4, "{nulls} {ranges}");
    // The kind of fault: the range of a parameter is that of its type, in the document and in errors, not that of its rule.
    for (path, least, most) in [
        ("/api/customers?limit=-1", "1", "200"),
        ("/api/live?wait=-1", "0", "25"),
        ("/api/deals/forecast?months=-1", "1", "24"),
        ("/api/customers/retention?status=lead&months=-1", "1", "240"),
        ("/api/dashboards/analytics?days=-1", "1", "366"),
    ] {
        let got = owner.get(path).await;
        let said = got.body["error"]["fields"].to_string();
        assert!(got.status == 400 && said.contains(&format!("{least} and {most}")), "{path}: {}", got.body);
    }
}

#[tokio::test]
async fn every_call_rejects_unknown_parameters() {
    let (_app, caller, ids, _) = worlds(Role::Owner).await;
    let document: Value = serde_json::from_str(&app::document()).unwrap();
    let methods: std::collections::BTreeMap<&str, String> = operations(&document)
        .iter()
        .filter_map(|(name, it)| Some((it["operationId"].as_str()?, name.split(' ').next()?.to_uppercase())))
        .collect();
    let samples = samples();
    assert!(samples.len() > 100);
    for sample in samples {
        let (path, body) = fill(&sample, &ids);
        let path = format!("{path}{}surprise=1", if path.contains('?') { '&' } else { '?' });
        let got = caller.send_with(&methods[sample.id], &path, body, &[]).await;
        assert_eq!(reasons(&got.body), [("surprise".to_owned(), "unknown".to_owned())], "{}", sample.id);
    }
}

#[tokio::test]
async fn cursor_is_valid_only_for_its_own_list() {
    let app = TestApp::new().await;
    let member = app.acme(Role::Member).await;
    let stranger = app.other(Role::Member).await;
    for caller in [&member, &stranger] {
        for name in ["Ana", "Ben", "Cem"] {
            caller.post("/api/customers", json!({"name": name})).await.expect(201);
            caller.post("/api/tasks", json!({"title": name})).await.expect(201);
        }
    }
    let first = member.get("/api/customers?sort=name&limit=1").await.expect(200);
    let cursor = first["nextCursor"].as_str().unwrap();
    assert!(!cursor.to_lowercase().contains("416e61") && !cursor.contains("Ana"), "{cursor}");
    let second = member.get(&format!("/api/customers?sort=name&limit=2&cursor={cursor}")).await.expect(200);
    assert_eq!(second["items"].as_array().unwrap().len(), 2);
    for path in ["/api/customers?sort=-name", "/api/customers?sort=name&status=lead", "/api/customers?", "/api/tasks?"]
    {
        let expected = [("cursor", "cursor")];
        refused(&member, "GET", &format!("{path}&cursor={cursor}").replace("?&", "?"), None, &expected).await;
    }
    let path = format!("/api/customers?sort=name&cursor={cursor}");
    refused(&stranger, "GET", &path, None, &[("cursor", "cursor")]).await;
}

/// The calls that create a record, except those without a session and those with a one-time proof.
const CREATING: [&str; 25] = [
    "createImport",
    "createCustomer",
    "createOrganization",
    "createDeal",
    "createTask",
    "createEvent",
    "createPage",
    "createMember",
    "inviteMembers",
    "createShortcut",
    "createMessage",
    "createNotification",
    "sendMessage",
    "openChat",
    "createChatGroup",
    "sendChatMessage",
    "createActivity",
    "createComment",
    "createCustomField",
    "createBulkChange",
    "makeOrganizations",
    "createSavedView",
    "renameTag",
    "removeTag",
    "uploadFile",
];

#[tokio::test]
async fn idempotency_key_is_bound_to_one_request() {
    let (_app, caller, ids, _) = worlds(Role::Owner).await;
    let document: Value = serde_json::from_str(&app::document()).unwrap();
    let takes_key = |operation: &Value| {
        operation["parameters"].as_array().is_some_and(|all| {
            all.iter()
                .any(|it| it["name"] == "Idempotency-Key" || it["$ref"] == "#/components/parameters/IdempotencyKey")
        })
    };
    for (name, operation) in operations(&document) {
        let id = operation["operationId"].as_str().unwrap();
        assert_eq!(takes_key(operation), CREATING.contains(&id), "{name}");
    }
    for sample in samples().iter().filter(|sample| CREATING.contains(&sample.id)) {
        let (path, body) = fill(sample, &ids);
        let body = body.unwrap();
        let send = |key: &'static str, body: Value| {
            let path = path.clone();
            let caller = caller.clone();
            async move { caller.send_with("POST", &path, Some(body), &[("Idempotency-Key", key)]).await }
        };
        let first = send("one", body.clone()).await;
        assert!((200..300).contains(&first.status), "{}: {}", sample.id, first.body);
        let again = send("one", body.clone()).await;
        let id = |body: &Value| if body["id"].is_null() { body["items"][0]["id"].clone() } else { body["id"].clone() };
        assert_eq!((again.status, id(&again.body)), (first.status, id(&first.body)), "{}", sample.id);
        let mut other = body.clone();
        change_a_text(&mut other);
        let refused = send("one", other).await;
        refused.refused("idempotency_mismatch");
        assert_eq!((refused.status, reasons(&refused.body)[0].0.as_str()), (422, "Idempotency-Key"), "{}", sample.id);
    }
}

/// Changes a value into another one that is valid too.
fn change_a_text(value: &mut Value) {
    let texts = ["name", "title", "value", "label", "email", "text", "contactId", "message", "from", "tag"];
    for (name, member) in value.as_object_mut().into_iter().flatten() {
        match member {
            Value::String(text) if name == "contactId" => *text = "019a9c3e-7b1f-7c52-9b0e-3d0c5a7f1e20".to_owned(),
            Value::String(text) if texts.contains(&name.as_str()) => text.insert(0, 'x'),
            Value::Array(items) if name == "addTags" || name == "except" => items.push(Value::from("other")),
            Value::Object(_) => change_a_text(member),
            _ => {}
        }
    }
}

#[tokio::test]
async fn rejects_malformed_idempotency_keys() {
    let app = TestApp::new().await;
    let member = app.acme(Role::Member).await;
    let create = |keys: Vec<Vec<u8>>| {
        let request = Request::builder()
            .method(Method::POST)
            .uri("/api/customers".parse().unwrap())
            .header("authorization", format!("Bearer {}", member.token()))
            .content_type("application/json");
        let request = keys
            .into_iter()
            .fold(request, |request, key| request.header("Idempotency-Key", HeaderValue::from_bytes(&key).unwrap()));
        app.client.get_response(request.body(r#"{"name": "Ana"}"#))
    };
    for (keys, reason) in [
        (vec!["clé".as_bytes().to_vec()], "idempotency_key"),
        (vec![b"two words".to_vec()], "idempotency_key"),
        (vec![Vec::new()], "idempotency_key"),
        (vec![vec![b'k'; 201]], "idempotency_key"),
        (vec![b"a".to_vec(), b"b".to_vec()], "twice"),
    ] {
        let mut answer = create(keys.clone()).await;
        let body: Value = serde_json::from_slice(&answer.take_body().into_vec().await.unwrap()).unwrap();
        assert_eq!(answer.status(), StatusCode::BAD_REQUEST, "{keys:?}");
        assert_eq!(reasons(&body), [("Idempotency-Key".to_owned(), reason.to_owned())], "{keys:?}");
    }
    assert_eq!(create(vec![vec![b'k'; 200]]).await.status(), StatusCode::CREATED);
    assert_eq!(member.get("/api/customers").await.expect(200)["total"], 1);
}

#[tokio::test]
async fn response_401_names_the_scheme_and_the_token_error() {
    let app = TestApp::new().await;
    let member = app.acme(Role::Member).await;
    let challenge = |got: &crate::testing::Got| got.headers["www-authenticate"].to_str().unwrap().to_owned();
    let none = app.anonymous("GET", "/api/customers", None).await;
    none.refused("not_signed_in");
    assert_eq!(challenge(&none), "Bearer realm=\"Atrium\"");
    let wrong = app.anonymous_with("GET", "/api/customers", None, &[("authorization", "Bearer x.y.z")]).await;
    wrong.refused("not_signed_in");
    assert_eq!(challenge(&wrong), "Bearer realm=\"Atrium\", error=\"invalid_token\"");
    app.clock.advance(301_000);
    let expired = member.get("/api/customers").await;
    expired.refused("token_expired");
    assert_eq!(
        (expired.status, challenge(&expired)),
        (401, "Bearer realm=\"Atrium\", error=\"invalid_token\"".to_owned())
    );
}

#[tokio::test]
async fn unchanged_resources_return_304() {
    let app = TestApp::new().await;
    let member = app.acme(Role::Member).await;
    let made = member.post("/api/customers", json!({"name": "Ana"})).await.expect(201);
    let one = format!("/api/customers/{}", made["id"].as_str().unwrap());
    for path in [one.as_str(), "/api/customers", "/api/customers?limit=1", "/api/team"] {
        let first = member.get(path).await;
        let tag = first.headers["etag"].to_str().unwrap().to_owned();
        let known = [("if-none-match", tag.as_str())];
        let again = member.send_with("GET", path, None, &known).await;
        assert_eq!((again.status, again.body), (304, Value::Null), "{path}");
        assert_eq!(again.headers["etag"], first.headers["etag"], "{path}");
        assert!(!again.headers.contains_key("content-type"), "{path}");
        member.send_with("GET", path, None, &[("if-none-match", "\"another\"")]).await.expect(200);
    }
    let tag = member.get("/api/customers").await.headers["etag"].to_str().unwrap().to_owned();
    member.patch(&one, json!({"about": "A friend."})).await.expect(200);
    member.send_with("GET", "/api/customers", None, &[("if-none-match", &tag)]).await.expect(200);
}
