//! Tenant isolation tests (threat T-30): every call, and every id in it, is tried with another tenant's id, with a
//! random one and with a deleted one. All responses must be byte for byte the same.

use serde_json::{Value, json};

use super::{
    document::{PUBLIC, operations},
    world::{self, Ids, Sample},
};
use crate::{
    app,
    people::permission::Role,
    testing::{Got, kinds_with_parts},
};

/// Calls that samples cannot express, with the features that test them: a body that is not JSON (`files`, `exchange`), responses of
/// a device (`factors`), and a handshake (`live`).
const ELSEWHERE: [&str; 5] = ["uploadFile", "createImport", "confirmTotp", "addPasskey", "openSocket"];

/// Returns every call with its method and sample.
pub(super) fn calls() -> Vec<(String, String, Option<Sample>)> {
    let document: Value = serde_json::from_str(&app::document()).unwrap();
    let mut samples = world::samples();
    let mut calls = Vec::new();
    for (name, operation) in operations(&document) {
        let id = operation["operationId"].as_str().unwrap().to_owned();
        let method = name.split(' ').next().unwrap().to_uppercase();
        if PUBLIC.contains(&id.as_str()) || ELSEWHERE.contains(&id.as_str()) {
            continue;
        }
        let place = samples.iter().position(|sample| sample.id == id);
        calls.push((id, method, place.map(|place| samples.swap_remove(place))));
    }
    let left: Vec<_> = samples.iter().map(|sample| sample.id).collect();
    assert!(left.is_empty(), "samples of calls that there are not: {left:?}");
    calls
}

#[test]
fn every_call_has_a_sample() {
    let missing: Vec<String> = calls().into_iter().filter(|(.., sample)| sample.is_none()).map(|(id, ..)| id).collect();
    assert!(missing.is_empty(), "no sample in world.rs for {missing:?}");
}

/// Every field in a call's description that holds an id must be in its sample.
#[test]
fn every_id_field_of_every_call_is_tested() {
    let document: Value = serde_json::from_str(&app::document()).unwrap();
    let mut untried = Vec::new();
    let samples = world::samples();
    for (name, operation) in operations(&document) {
        let Some(sample) = samples.iter().find(|sample| operation["operationId"] == sample.id) else { continue };
        for parameter in operation["parameters"].as_array().into_iter().flatten() {
            let field = parameter["name"].as_str().unwrap();
            let tried = match parameter["in"].as_str() {
                Some("path") => sample.path.contains('$'),
                _ => sample.path.contains(&format!("{field}=$")),
            };
            if parameter["schema"]["format"] == "uuid" && !tried {
                untried.push(format!("{name}: {field}"));
            }
        }
        let schema = &operation["requestBody"]["content"]["application/json"]["schema"];
        let mut fields = Vec::new();
        id_fields(&document, schema, &mut String::new(), &mut fields, 0);
        // Attachments are identified by their address, which is tested in `features/files`, and subtasks are not
        // records; their ids are only returned. An activity with a next step has no next task, which is tested in
        // `features/records/activities`.
        let elsewhere = ["/attachments/", "/subtasks/", "/nextTaskId"];
        let names_a_record = |field: &String| !elsewhere.iter().any(|own| field.starts_with(own));
        for field in fields.into_iter().filter(names_a_record) {
            let body = sample.body.as_ref();
            let value =
                body.and_then(|body| (0..4).find_map(|n| body.pointer(&field.replacen("/0", &format!("/{n}"), 1))));
            if !value.and_then(Value::as_str).is_some_and(|text| text.starts_with('$')) {
                untried.push(format!("{name}: body {field}"));
            }
        }
    }
    assert!(untried.is_empty(), "{untried:#?}");
}

/// Collects the fields of a schema that hold ids, as JSON pointers; the first element stands for a list.
fn id_fields(document: &Value, schema: &Value, at: &mut String, found: &mut Vec<String>, depth: usize) {
    if depth > 8 {
        return;
    }
    if let Some(name) = schema["$ref"].as_str().and_then(|link| link.rsplit('/').next()) {
        return id_fields(document, &document["components"]["schemas"][name], at, found, depth + 1);
    }
    for part in ["allOf", "oneOf", "anyOf"].iter().flat_map(|list| schema[*list].as_array().into_iter().flatten()) {
        id_fields(document, part, at, found, depth + 1);
    }
    if schema["format"] == "uuid" {
        found.push(at.clone());
    }
    let length = at.len();
    if schema["items"].is_object() {
        at.push_str("/0");
        id_fields(document, &schema["items"], at, found, depth + 1);
        at.truncate(length);
    }
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        at.push('/');
        at.push_str(name);
        id_fields(document, property, at, found, depth + 1);
        at.truncate(length);
    }
}

#[tokio::test]
async fn every_call_rejects_requests_without_a_token() {
    let (app, _, ids, _) = world::worlds(Role::Owner).await;
    for (id, method, sample) in calls() {
        let Some(sample) = sample else { continue };
        let (path, body) = world::fill(&sample, &ids);
        let got = app.anonymous(&method, &path, body).await;
        assert_eq!((got.status, &got.body["error"]["code"]), (401, &Value::from("not_signed_in")), "{id}");
    }
}

#[tokio::test]
async fn foreign_unknown_and_removed_ids_get_the_same_response() {
    let (app, caller, ids, others) = world::worlds(Role::Owner).await;
    let colleague = app.acme(Role::Member).await;
    let gone = gone(&caller, &colleague).await;
    for (id, method, sample) in calls() {
        let Some(sample) = sample else { continue };
        for name in world::names(&sample) {
            let with = |value: &str| {
                let mut ids: Ids = ids.clone();
                ids.insert(name, value.to_owned());
                ids
            };
            let foreign = world::send(&caller, &method, &sample, &with(&others[name])).await;
            let random = "019a9c3e-7b1f-7c52-9b0e-3d0c5a7f1e20";
            let unknown = world::send(&caller, &method, &sample, &with(random)).await;
            assert_eq!(foreign.comparable(&others[name]), unknown.comparable(random), "{id}: another's {name}");
            if let Some(old) = gone.get(name) {
                let mut lost = world::send(&caller, &method, &sample, &with(old)).await;
                if lost.body["error"]["code"] == "record_in_bin" {
                    // It says so to those who may restore the record.
                    let kind = kinds_with_parts().find(|kind| kind.kind == name).unwrap();
                    assert_eq!((method.as_str(), &*sample.path), ("GET", &*format!("/api/{}/${name}", kind.name)));
                    lost = world::send(&colleague, &method, &sample, &with(old)).await;
                }
                assert_eq!(lost.comparable(old), unknown.comparable(random), "{id}: a {name} that is gone");
            }
            let narrows = method == "GET" && sample.path.contains('?') && foreign.status == 200;
            assert!(foreign.status >= 400 || narrows, "{id} took another's {name}: {}", foreign.body);
        }
    }
    // The other tenant still has all its data.
    let other = app.other(Role::Admin).await;
    for kind in kinds_with_parts() {
        let record = other.get(&format!("/api/{}/{}", kind.name, others[kind.kind])).await.expect(200);
        assert_eq!(record["version"], 1, "{}", kind.kind);
    }
}

/// Creates records and deletes them; returns their ids.
async fn gone(caller: &crate::testing::As, colleague: &crate::testing::As) -> Ids {
    let mut ids = world::populate(caller, colleague).await;
    let kind_of = |name: &str| kinds_with_parts().find(|kind| kind.kind == name);
    ids.retain(|name, _| kind_of(name).is_some() || ["message", "notification", "shortcut"].contains(name));
    for (name, id) in &ids {
        let path = match kind_of(name) {
            Some(kind) => format!("/api/{}/{id}", kind.name),
            None => format!("/api/common/{name}s?id={id}"),
        };
        let status = caller.delete(&path).await.status;
        assert!((200..300).contains(&status), "{path}: {status}");
    }
    ids
}

/// The samples of calls for parts name one kind each; this tries every kind of the register.
#[tokio::test]
async fn parts_of_every_kind_are_isolated() {
    let (_app, caller, ids, others) = world::worlds(Role::Owner).await;
    let kinds: Vec<_> = kinds_with_parts().collect();
    let id_of = |ids: &Ids, kind: &str| ids.get(kind).cloned().unwrap_or_else(|| panic!("world.rs makes no {kind}"));
    let attach = json!({"path": ids["path"]});
    for kind in &kinds {
        let parts = |id: &str| ["timeline", "comments", "files"].map(|part| format!("/api/{}/{id}/{part}", kind.name));
        for own in parts(&id_of(&ids, kind.kind)) {
            caller.get(&own).await.expect(200);
        }
        // Records of another tenant, and of another kind.
        let other_kind = kinds.iter().find(|other| other.kind != kind.kind).unwrap();
        for foreign in [id_of(&others, kind.kind), id_of(&ids, other_kind.kind)] {
            for part in parts(&foreign) {
                caller.get(&part).await.refused("not_found");
            }
            let [_, comments, files] = parts(&foreign);
            caller.post(&comments, json!({"value": "Hello"})).await.refused("not_found");
            caller.post(&files, attach.clone()).await.refused("not_found");
        }
        // A reference to a record of another tenant.
        let [_, comments, _] = parts(&id_of(&ids, kind.kind));
        let reference = json!({"kind": kind.kind, "recordId": id_of(&others, kind.kind), "text": "#it"});
        caller.post(&comments, json!({"value": "#it", "references": [reference]})).await.refused("invalid");
    }
}

#[tokio::test]
async fn every_sample_request_succeeds() {
    let mut calls = calls();
    let mut removals = Vec::new();
    let needs_own_world = |id: &str| world::LAST.contains(&id) || world::OF_FACTORS.contains(&id);
    while let Some(place) = calls.iter().position(|(id, method, _)| method == "DELETE" || needs_own_world(id)) {
        removals.push(calls.swap_remove(place));
    }
    let (_app, caller, ids, _) = world::worlds(Role::Owner).await;
    for (id, method, sample) in calls {
        let got = world::send(&caller, &method, &sample.unwrap(), &ids).await;
        if id == "sendTestEmail" {
            // This call needs a mail server, as in `mail/tests/sending.rs`, but invitation links need that there is
            // none.
            got.refused("conflict");
        } else {
            succeeds(&id, &got);
        }
    }
    for (id, method, sample) in removals {
        let (_app, caller, mut ids, _) = world::worlds(Role::Owner).await;
        if world::OF_FACTORS.contains(&id.as_str()) {
            world::set_up_factors(&caller, &mut ids).await;
        }
        succeeds(&id, &world::send(&caller, &method, &sample.unwrap(), &ids).await);
    }
}

fn succeeds(id: &str, got: &Got) {
    assert!((200..300).contains(&got.status), "{id}: {} {}", got.status, got.body);
}
