//! API document tests: the document in the repository matches the types, and it is complete.

use std::{collections::BTreeSet, sync::LazyLock};

use serde_json::Value;

use super::file;
use crate::{app, kernel::Code, testing::Got};

/// Calls that need no session.
pub(super) const PUBLIC: [&str; 15] = [
    "signInByPasskey",
    "startSingleSignOn",
    "finishSingleSignOn",
    "askPasskey",
    "signIn",
    "refreshSession",
    "unlockSession",
    "signOut",
    "getVersion",
    "signUp",
    "resendConfirmation",
    "readLink",
    "activateAccount",
    "forgotPassword",
    "resetPassword",
];

pub(super) fn operations(document: &Value) -> Vec<(String, &Value)> {
    let paths = document["paths"].as_object().unwrap();
    let all = paths.iter().flat_map(|(path, item)| {
        item.as_object().unwrap().iter().map(move |(method, operation)| (format!("{method} {path}"), operation))
    });
    all.collect()
}

/// A call of the document: its method, the segments of its path, and the statuses that it declares.
struct Declared {
    method: String,
    path: Vec<String>,
    statuses: BTreeSet<String>,
}

static DECLARED: LazyLock<Vec<Declared>> = LazyLock::new(|| {
    let document: Value = serde_json::from_str(&file("openapi/openapi.json")).unwrap();
    let declared = |(name, operation): (String, &Value)| {
        let (method, path) = name.split_once(' ').unwrap();
        Declared {
            method: method.to_uppercase(),
            path: path.split('/').map(str::to_owned).collect(),
            statuses: operation["responses"].as_object().unwrap().keys().cloned().collect(),
        }
    };
    operations(&document).into_iter().map(declared).collect()
});

/// Checks a response of any test against the document: an error has a status that the call declares, and a code of that
/// status.
#[track_caller]
pub(crate) fn expect_declared(method: &str, uri: &str, got: &Got) {
    // A method that the path does not have is not in the document.
    if got.status < 400 || got.status == 405 {
        return;
    }
    let path = uri.find("/api/").map_or(uri, |at| &uri[at..]);
    let path: Vec<&str> = path.split('?').next().unwrap_or_default().trim_end_matches('/').split('/').collect();
    let is_meant = |call: &&Declared| {
        let same = |(known, given): (&String, &&str)| known.starts_with('{') || known == given;
        call.method == method && call.path.len() == path.len() && call.path.iter().zip(&path).all(same)
    };
    // Fixed names take precedence over ids: `/api/team/former` is not the member `former`.
    let ids = |call: &&Declared| call.path.iter().filter(|part| part.starts_with('{')).count();
    let Some(call) = DECLARED.iter().filter(is_meant).min_by_key(ids) else { return };
    let status = got.status.to_string();
    assert!(call.statuses.contains(&status), "{method} {uri} does not declare {status}: {}", got.body);
    let code = Code::ALL.iter().find(|code| got.body["error"]["code"] == code.as_str());
    assert_eq!(code.map(|code| code.status()), Some(got.status), "{method} {uri}: {}", got.body);
}

#[test]
fn openapi_file_matches_the_server() {
    if std::env::var_os("ATRIUM_UPDATE").is_some() {
        std::fs::write(concat!(env!("CARGO_MANIFEST_DIR"), "/openapi/openapi.json"), app::document()).unwrap();
    }
    assert!(
        file("openapi/openapi.json") == app::document(),
        "openapi/openapi.json is behind the types: run `make openapi` and look at the difference"
    );
}

#[test]
fn every_call_is_described() {
    let document: Value = serde_json::from_str(&app::document()).unwrap();
    let mut ids = BTreeSet::new();
    for (name, operation) in operations(&document) {
        let id = operation["operationId"].as_str().unwrap_or_else(|| panic!("{name} has no id"));
        assert!(ids.insert(id.to_owned()), "{name}: {id} twice");
        assert!(operation["summary"].as_str().is_some_and(|text| text.len() > 5), "{name} has no summary");
        assert_eq!(operation["tags"].as_array().map(Vec::len), Some(1), "{name} has no chapter");
        for status in ["400", "500", "503"] {
            assert!(operation["responses"][status].is_object(), "{name} does not say {status}");
        }
        let security =
            operation["security"].as_array().unwrap_or_else(|| panic!("{name} does not say who may call it"));
        let is_public = security.iter().all(|one| one["refreshToken"].is_array());
        assert_eq!(is_public, PUBLIC.contains(&id), "{name}: who may call it");
    }
}

#[test]
fn openapi_document_suits_client_generators() {
    let document: Value = serde_json::from_str(&app::document()).unwrap();
    let mut faults = Vec::new();
    look(&document, "", &mut |at, value| {
        let alone = value["allOf"][0]["$ref"].is_null() || value["allOf"][1].is_null();
        if !alone || (value["default"].is_object() && !at.ends_with("/properties")) {
            faults.push(at.to_owned());
        }
        faults.extend(value["content"].as_object().into_iter().flat_map(|content| {
            content.keys().filter(|name| name.contains(';')).map(|name| format!("{at}: {name}")).collect::<Vec<_>>()
        }));
    });
    assert!(faults.is_empty(), "{faults:#?}");
    for (name, schema) in document["components"]["schemas"].as_object().unwrap() {
        assert!(schema["title"].is_null() || schema["title"] == **name, "{name}");
    }
    for (name, operation) in operations(&document) {
        for (status, answer) in operation["responses"].as_object().unwrap() {
            assert_eq!(
                status.starts_with(['4', '5']),
                answer["$ref"].is_string() && status != "304",
                "{name} {status}"
            );
        }
        let json = &operation["requestBody"]["content"]["application/json"];
        assert!(json.is_null() || json["example"].is_object(), "{name} has no example");
    }
    let codes = document["components"]["schemas"]["ProblemDetail"]["properties"]["code"]["enum"].as_array().unwrap();
    assert_eq!(codes.len(), Code::ALL.len());
    for (text, least) in [("/info/description", 1_000), ("/info/license/name", 3), ("/servers/0/url", 1)] {
        let said = document.pointer(text).and_then(Value::as_str);
        assert!(said.is_some_and(|said| said.len() >= least), "{text}");
    }
}

/// Visits every object in the document with its path.
fn look(value: &Value, at: &str, see: &mut impl FnMut(&str, &Value)) {
    match value {
        Value::Object(members) => {
            see(at, value);
            members.iter().for_each(|(name, value)| look(value, &format!("{at}/{name}"), see));
        }
        Value::Array(items) => items.iter().for_each(|item| look(item, at, see)),
        _ => {}
    }
}

#[test]
fn only_listed_response_fields_are_nullable() {
    let document: Value = serde_json::from_str(&app::document()).unwrap();
    // Fields for which the contract specifies `null`: a picture, choice or link that is not set.
    let nullable = [
        "about",
        "avatar",
        "card",
        "logotipo_dark",
        "logotipo_light",
        "layout",
        "scheme",
        "support_link",
        "supportLink",
        "sign_up",
        "single_sign_on",
    ];
    for (name, schema) in document["components"]["schemas"].as_object().unwrap() {
        // Request types may accept null for an absent value. They are recognized by `additionalProperties: false`.
        if schema["additionalProperties"] == false {
            continue;
        }
        for (field, property) in schema["properties"].as_object().into_iter().flatten() {
            if property["nullable"] == true {
                assert!(nullable.contains(&field.as_str()), "{name}.{field}");
            }
        }
    }
}
