//! Changes of credentials by members with a second factor.

use serde_json::{Value, json};

use super::{HERE, shown};
use crate::{
    access::factors::code_at,
    people::permission::Role,
    testing::{As, PASSWORD, TestApp},
};

/// Every call that changes how the member signs in, ends sessions or gives the company away, with its body.
async fn guarded(app: &TestApp, me: &As) -> Vec<(String, Value)> {
    let sessions = me.get("/api/auth/sessions").await.expect(200);
    let other = sessions["items"].as_array().unwrap().iter().find(|session| session["current"] == false).unwrap();
    let passkeys = me.get("/api/auth/factors").await.expect(200)["passkeys"].clone();
    let passkey = passkeys[0]["id"].as_str().unwrap();
    let heir = app.acme(Role::Member).await.id;
    let calls = [
        ("/api/common/user/password", json!({"currentPassword": PASSWORD, "newPassword": "another horse battery"})),
        ("/api/common/user/email", json!({"email": "new@acme.example", "password": PASSWORD})),
        ("/api/auth/factors/totp", json!({"password": PASSWORD})),
        ("/api/auth/factors/totp/remove", json!({"password": PASSWORD})),
        ("/api/auth/factors/recovery-codes", json!({"password": PASSWORD})),
        ("/api/auth/factors/passkeys/options", json!({"password": PASSWORD})),
        ("/api/auth/sessions/end", json!({"id": other["id"], "password": PASSWORD})),
        ("/api/auth/sessions/end-others", json!({"password": PASSWORD})),
        ("/api/settings/company/hand-over", json!({"memberId": heir, "password": PASSWORD})),
        ("/api/settings/company/close", json!({"slug": "acme", "password": PASSWORD})),
    ];
    let remove = format!("{HERE}/api/auth/factors/passkeys/{passkey}/remove");
    let mut all: Vec<_> = calls.into_iter().map(|(path, body)| (format!("{HERE}{path}"), body)).collect();
    all.push((remove, json!({"password": PASSWORD})));
    all
}

fn with(body: &Value, field: &str, value: Value) -> Value {
    let mut body = body.clone();
    body[field] = value;
    body
}

/// A kind of fault: what only the holder of a second factor may do is done with the password alone.
#[tokio::test]
async fn every_change_of_credentials_needs_a_second_factor_besides_the_password() {
    let app = TestApp::new().await;
    app.acme(Role::Owner).await;
    let me = app.acme(Role::Owner).await;
    let (_, mut device) = me.add_passkey(HERE).await;
    let proof = json!({"password": PASSWORD, "passkey": shown(&app, &mut device).await});
    let begun = me.post(&format!("{HERE}/api/auth/factors/totp"), proof).await.expect(200);
    let secret = begun["secret"].as_str().unwrap();
    let code = code_at(secret, app.clock.now());
    let codes = me.post("/api/auth/factors/totp/confirm", json!({"code": code})).await.expect(200);
    let codes = codes["recoveryCodes"].as_array().unwrap().clone();
    let user = me.get("/api/common/user").await.expect(200);
    let factors = me.get("/api/auth/factors").await.expect(200);
    let sessions = me.get("/api/auth/sessions").await.expect(200)["items"].as_array().unwrap().len();
    for (at, (path, body)) in guarded(&app, &me).await.into_iter().enumerate() {
        let missing = me.post(&path, body.clone()).await;
        missing.refused("second_factor_needed");
        let offered = missing.body["error"]["factors"].to_string();
        assert!(offered.contains("totp") && offered.contains("recovery") && offered.contains("passkey"), "{offered}");
        // The factors are named only after the right password; more failures would slow the others down.
        for field in ["password", "currentPassword"].into_iter().filter(|field| at < 3 && body.get(field).is_some()) {
            me.post(&path, with(&body, field, json!("something else"))).await.refused("invalid_credentials");
        }
    }
    assert_eq!(me.get("/api/common/user").await.expect(200)["email"], user["email"]);
    assert_eq!(me.get("/api/auth/factors").await.expect(200), factors);
    assert_eq!(me.get("/api/auth/sessions").await.expect(200)["items"].as_array().unwrap().len(), sessions);

    let mail = format!("{HERE}/api/common/user/email");
    let mail_body = json!({"email": "new@acme.example", "password": PASSWORD});
    me.post(&mail, with(&mail_body, "code", codes[0].clone())).await.expect(202);
    me.post(&mail, with(&mail_body, "code", codes[0].clone())).await.refused("invalid_code");
    let passkey = shown(&app, &mut device).await;
    me.post(&mail, with(&mail_body, "passkey", passkey.clone())).await.expect(202);
    me.post(&mail, with(&mail_body, "passkey", passkey)).await.refused("invalid_code");
    app.clock.advance(30_000);
    let code = code_at(secret, app.clock.now());
    me.post(&mail, with(&mail_body, "code", json!(code))).await.expect(202);
    let others = json!({"password": PASSWORD, "code": codes[1]});
    me.post("/api/auth/sessions/end-others", others).await.expect(200);
    // The own session ends without any proof.
    let own = me.get("/api/auth/sessions").await.expect(200)["items"][0]["id"].clone();
    me.post("/api/auth/sessions/end", json!({"id": own})).await.expect(204);
    me.get("/api/common/user").await.refused("not_signed_in");
}

#[tokio::test]
async fn wrong_codes_are_limited_also_with_the_right_password() {
    let app = TestApp::new().await;
    let me = app.acme(Role::Member).await;
    let (_, codes) = me.set_up_app().await;
    let path = "/api/auth/factors/recovery-codes";
    for _ in 0..5 {
        me.post(path, json!({"password": PASSWORD})).await.refused("second_factor_needed");
        me.post(path, json!({"password": PASSWORD, "code": "000000"})).await.refused("invalid_code");
    }
    me.post(path, json!({"password": PASSWORD, "code": codes[0]})).await.refused("slow_down");
    app.clock.advance(30_000);
    me.post(path, json!({"password": PASSWORD, "code": codes[0]})).await.expect(200);
}
