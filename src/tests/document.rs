//! The API document in the repository is the one that the types make, and it is complete.

use serde_json::Value;

use super::file;
use crate::app;

/// Calls that anybody may make, signed in or not.
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

#[test]
fn the_document_in_the_repository_is_the_servers() {
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
    let mut ids = std::collections::BTreeSet::new();
    for (name, operation) in operations(&document) {
        let id = operation["operationId"].as_str().unwrap_or_else(|| panic!("{name} has no id"));
        assert!(ids.insert(id.to_owned()), "{name}: {id} twice");
        assert!(operation["summary"].as_str().is_some_and(|text| text.len() > 5), "{name} has no summary");
        assert_eq!(operation["tags"].as_array().map(Vec::len), Some(1), "{name} has no chapter");
        for status in ["400", "500", "503"] {
            assert!(operation["responses"][status].is_object(), "{name} does not say {status}");
        }
        let public = PUBLIC.contains(&id);
        assert_eq!(operation["security"].as_array().is_none_or(Vec::is_empty), public, "{name}: who may call it");
    }
}

#[test]
fn nothing_is_documented_as_absent_and_sent_as_null() {
    let document: Value = serde_json::from_str(&app::document()).unwrap();
    // Where the contract itself says `null`: a picture, a choice or a link that there is not.
    let nullable = [
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
        // What is sent may have null for what is absent, and is closed.
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
