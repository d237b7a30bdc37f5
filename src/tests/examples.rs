//! Tests of the request examples in the API document: each works as it is written, except that the id, the token and
//! the code are replaced by those of a record, a mailed link and the present time.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::{
    document::operations,
    world::{self, Ids, Sample},
};
use crate::{
    app,
    config::Signup,
    people::{members, permission::Role},
    testing::{As, Got, PASSWORD, TestApp},
};

/// The placeholder of a record's id.
const ID: &str = "019a9c3e-7b1f-7c52-9b0e-3d0c5a7f1e20";
/// The placeholder of a second record's id.
const OTHER_ID: &str = "019a9c3e-8c2f-7c52-9b0e-3d0c5a7f1e21";
/// The placeholder of an uploaded file's path.
const MEDIA: &str = "/media/0123456789abcdef0123456789abcdef";
/// The placeholder of a mailed link's token.
const TOKEN: &str = "the token of the mailed link";
/// The member in the examples.
const ADA: &str = "ada@acme.example";

/// Examples that need a device or a current code, each with the error that is its only expected failure.
const BY_DEVICES: [(&str, &str); 3] =
    [("addPasskey", "invalid_code"), ("signInByPasskey", "invalid_credentials"), ("confirmTotp", "invalid_code")];

/// Returns method, path and example of each call with an example, by `operationId`.
fn examples() -> BTreeMap<String, (String, String, Value)> {
    let document: Value = serde_json::from_str(&app::document()).unwrap();
    let all = operations(&document).into_iter().filter_map(|(name, operation)| {
        let example = operation["requestBody"]["content"]["application/json"]["example"].clone();
        let (method, path) = name.split_once(' ').unwrap();
        let id = operation["operationId"].as_str().unwrap().to_owned();
        example.is_object().then(|| (id, (method.to_uppercase(), path.to_owned(), example)))
    });
    all.collect()
}

/// Replaces the ids and paths of an example by those at the same paths in the call's sample.
fn with_ids(example: &Value, sample: Option<&Value>, ids: &Ids) -> Value {
    let within = |name: &str| sample.and_then(|sample| sample.get(name));
    match example {
        Value::String(text) if [ID, OTHER_ID, MEDIA].contains(&text.as_str()) => {
            let name = sample.and_then(Value::as_str).and_then(|name| name.strip_prefix('$'));
            name.and_then(|name| ids.get(name)).map_or_else(|| example.clone(), |id| json!(id))
        }
        Value::Array(items) => {
            let of_place = |at: usize| sample.and_then(|sample| sample.get(at).or_else(|| sample.get(0)));
            items.iter().enumerate().map(|(at, item)| with_ids(item, of_place(at), ids)).collect()
        }
        Value::Object(members) => {
            members.iter().map(|(name, value)| (name.clone(), with_ids(value, within(name), ids))).collect()
        }
        other => other.clone(),
    }
}

fn check(id: &str, got: &Got) {
    match BY_DEVICES.iter().find(|(known, _)| *known == id) {
        Some((_, code)) => assert_eq!(got.body["error"]["code"], *code, "{id}: {}", got.body),
        None => assert!((200..300).contains(&got.status), "{id}: {} {}", got.status, got.body),
    }
}

#[tokio::test]
async fn examples_of_calls_for_members_work() {
    let samples: BTreeMap<&str, Sample> = world::samples().into_iter().map(|sample| (sample.id, sample)).collect();
    let (_app, owner, ids, _) = world::worlds(Role::Owner).await;
    let mut sent = 0;
    let mut all: Vec<_> = examples().into_iter().collect();
    // Calls that remove records come last, because other calls need the records.
    all.sort_by_key(|(id, _)| id.starts_with("remove"));
    for (id, (method, _, example)) in all {
        let Some(sample) = samples.get(id.as_str()) else { continue };
        let send = async |owner: &As, ids: &Ids| {
            let (path, _) = world::fill(sample, ids);
            let mut body = with_ids(&example, sample.body.as_ref(), ids);
            assert!(!body.to_string().contains(ID), "{id}: its sample does not say which record is meant");
            if let Some(code) = ids.get("code").filter(|_| body.get("password").is_some()) {
                body["code"] = json!(code);
            }
            owner.send_with(&method, &path, Some(body), &[]).await
        };
        let of_factors = world::OF_FACTORS.contains(&id.as_str());
        let got = if of_factors || world::LAST.contains(&id.as_str()) {
            let (_app, owner, mut ids, _) = world::worlds(Role::Owner).await;
            if of_factors {
                world::set_up_factors(&owner, &mut ids).await;
            }
            send(&owner, &ids).await
        } else {
            send(&owner, &ids).await
        };
        check(&id, &got);
        sent += 1;
    }
    let device = [
        ("addPasskey", "http://localhost/api/auth/factors/passkeys"),
        ("confirmTotp", "/api/auth/factors/totp/confirm"),
    ];
    for (id, path) in device {
        let (method, _, example) = examples().remove(id).unwrap();
        check(id, &owner.send_with(&method, path, Some(example), &[]).await);
        sent += 1;
    }
    let public = examples().keys().filter(|id| super::document::PUBLIC.contains(&id.as_str())).count();
    assert_eq!(sent + public, examples().len(), "every example is sent by one of the two tests");
}

#[tokio::test]
async fn examples_of_public_calls_work() {
    let app = TestApp::with(|config| config.signup = Signup::Open).await;
    let owner = app.acme(Role::Owner).await;
    let ada = json!({"name": "Ada Lovelace", "email": ADA, "role": "admin", "password": PASSWORD});
    owner.post("/api/team", ada).await.expect(201);
    let invited = json!({"emails": ["ida@acme.example"], "role": "member"});
    owner.post("/api/team/invitations", invited).await.expect(200);
    let mut all = examples();
    let mut send = async |id: &str, token: Option<String>, headers: &[(&str, &str)]| {
        let (method, path, example) = all.remove(id).unwrap_or_else(|| panic!("{id} has no example"));
        let body = example.to_string().replace(TOKEN, &token.unwrap_or_else(|| TOKEN.to_owned()));
        let path = format!("http://localhost{path}");
        let got = app.anonymous_with(&method, &path, Some(serde_json::from_str(&body).unwrap()), headers).await;
        check(id, &got);
        got
    };
    let signed = send("signIn", None, &[]).await;
    let cookie = |got: &Got| got.headers["set-cookie"].to_str().unwrap().split(';').next().unwrap().to_owned();
    let refreshed = send("refreshSession", None, &[("cookie", &cookie(&signed))]).await;
    let unlocked = send("unlockSession", None, &[("cookie", &cookie(&refreshed))]).await;
    let newest = if unlocked.headers.contains_key("set-cookie") { cookie(&unlocked) } else { cookie(&refreshed) };
    send("signOut", None, &[("cookie", &newest)]).await;
    send("askPasskey", None, &[]).await;
    send("signInByPasskey", None, &[]).await;
    send("resendConfirmation", None, &[]).await;
    send("forgotPassword", None, &[]).await;
    let reset = app.mailed(app.acme.id, "reset", ADA).await;
    send("readLink", reset.clone(), &[]).await;
    send("resetPassword", reset, &[]).await;
    send("signUp", None, &[]).await;
    app.app.auth().deferred_done().await;
    let new = members::tenant_by_slug(&app.app.store().snapshot().unwrap(), "acme-ltd").unwrap();
    let confirm = app.mailed(new, "confirm", ADA).await;
    send("activateAccount", confirm, &[]).await;
    let left: Vec<&String> = all.keys().filter(|id| super::document::PUBLIC.contains(&id.as_str())).collect();
    assert!(left.is_empty(), "{left:?}");
}
