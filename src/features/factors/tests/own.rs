//! Second factors: set-up and removal by the member.

use serde_json::{Value, json};

use super::{HERE, shown};
use crate::{
    access::factors::code_at,
    features::TABLES,
    people::{audit, permission::Role},
    store::Scan,
    testing::{As, PASSWORD, TestApp},
    tests::authenticator::Authenticator,
};

fn password() -> Value {
    json!({"password": PASSWORD})
}

fn with_code(code: &Value) -> Value {
    json!({"password": PASSWORD, "code": code})
}

/// Returns what proves who a member with a passkey is.
async fn with_passkey(app: &TestApp, device: &mut Authenticator) -> Value {
    json!({"password": PASSWORD, "passkey": shown(app, device).await})
}

/// Returns the audit events about second factors, the oldest first.
fn noted(app: &TestApp) -> Vec<String> {
    let snapshot = app.app.store().snapshot().unwrap();
    let page = snapshot.tenant(app.acme.id, None).page::<audit::Entry>(&Scan::all(), |_| true).unwrap();
    let own = |word: &str| word.starts_with("factor.") || word.starts_with("passkey.");
    page.items.iter().map(|entry| entry.event().to_owned()).filter(|word| own(word)).collect()
}

async fn titles(who: &As) -> Vec<String> {
    let notified = who.get("/api/common/notifications").await.expect(200);
    let mut titles: Vec<String> =
        notified.as_array().unwrap().iter().map(|item| item["title"].as_str().unwrap().to_owned()).collect();
    titles.reverse();
    titles
}

/// Makes a device send a wrong answer.
type Spoil = fn(&mut Authenticator);

#[tokio::test]
async fn totp_app_is_active_only_after_a_right_code() {
    let app = TestApp::new().await;
    let me = app.acme(Role::Viewer).await;
    me.post("/api/auth/factors/totp", json!({"password": "something else"})).await.refused("invalid_credentials");
    let begun = me.post("/api/auth/factors/totp", password()).await.expect(200);
    let secret = begun["secret"].as_str().unwrap();
    let uri = begun["uri"].as_str().unwrap();
    assert_eq!(uri, format!("otpauth://totp/Acme%20Ltd:viewer%40acme.example?secret={secret}&issuer=Acme%20Ltd"));
    assert_eq!(secret.len(), 32, "160 bits");
    assert!(begun["qr"]["size"].as_u64().unwrap() > 29 && begun["qr"]["path"].as_str().unwrap().starts_with("M4 4h7"));
    let none = me.get("/api/auth/factors").await.expect(200);
    assert_eq!(
        none,
        json!({"password": true, "totp": false, "recoveryCodesLeft": 0, "passkeys": [], "required": false})
    );

    let confirm = |code: String| me.post("/api/auth/factors/totp/confirm", json!({"code": code}));
    let wrong = if code_at(secret, app.clock.now()) == "000000" { "000001" } else { "000000" };
    confirm(wrong.to_owned()).await.refused("invalid_code");
    assert_eq!(me.get("/api/auth/factors").await.expect(200)["totp"], false);
    let done = confirm(code_at(secret, app.clock.now())).await.expect(200);
    let codes: std::collections::BTreeSet<&str> =
        done["recoveryCodes"].as_array().unwrap().iter().map(|code| code.as_str().unwrap()).collect();
    assert_eq!(codes.len(), 10);
    let have = me.get("/api/auth/factors").await.expect(200);
    assert_eq!((&have["totp"], &have["recoveryCodesLeft"]), (&json!(true), &json!(10)));
    confirm(code_at(secret, app.clock.now())).await.refused("invalid_code");

    let others = me.post("/api/auth/factors/recovery-codes", with_code(&done["recoveryCodes"][0])).await.expect(200);
    assert!(others["recoveryCodes"].as_array().unwrap().iter().all(|code| !codes.contains(code.as_str().unwrap())));
    me.post("/api/auth/factors/totp/remove", json!({"password": "something else"}))
        .await
        .refused("invalid_credentials");
    me.post("/api/auth/factors/totp/remove", with_code(&others["recoveryCodes"][0])).await.expect(204);
    me.post("/api/auth/factors/totp/remove", password()).await.refused("not_found");
    assert_eq!(me.get("/api/auth/factors").await.expect(200), none);
    me.post("/api/auth/factors/recovery-codes", password()).await.refused("conflict");
    assert_eq!(noted(&app), ["factor.added", "factor.codes", "factor.removed"]);
    let emails = app.emails(app.acme.id).await;
    assert_eq!(emails, vec![("factor-changed".to_owned(), "viewer@acme.example".to_owned()); 3]);
    let notified = titles(&me).await;
    let said = ["An authenticator app was set up", "You have new recovery codes", "Your authenticator app was removed"];
    assert_eq!(notified, said);
}

#[tokio::test]
async fn totp_setup_expires_without_a_code() {
    let app = TestApp::new().await;
    let me = app.acme(Role::Member).await;
    let begun = me.post("/api/auth/factors/totp", password()).await.expect(200);
    app.clock.advance(15 * 60_000);
    let me = app.acme(Role::Member).await;
    let code = code_at(begun["secret"].as_str().unwrap(), app.clock.now());
    me.post("/api/auth/factors/totp/confirm", json!({"code": code})).await.refused("invalid_code");
}

#[tokio::test]
async fn secrets_are_not_returned_after_setup() {
    let app = TestApp::new().await;
    let me = app.acme(Role::Member).await;
    let (secret, codes) = me.set_up_app().await;
    let (_, device) = me.add_passkey_with(HERE, with_code(&json!(codes[0]))).await;
    drop(device);
    let admin = app.acme(Role::Admin).await;
    for who in [&me, &admin] {
        for path in ["/api/auth/factors", &format!("/api/team/{}", me.id), "/api/common/user"] {
            let body = who.get(path).await.expect(200).to_string();
            assert!(!body.contains(&secret) && !codes.iter().any(|code| body.contains(code)), "{path}");
        }
    }
    let report = app.app.store().check(TABLES, &mut |_| std::ops::ControlFlow::Continue(())).unwrap();
    assert!(report.is_sound(), "{:?}", report.damage);
}

#[tokio::test]
async fn passkeys_are_added_named_and_removed() {
    let app = TestApp::new().await;
    let me = app.acme(Role::Member).await;
    let (first, mut device) = me.add_passkey(HERE).await;
    let path = format!("/api/auth/factors/passkeys/{first}");
    assert_eq!(me.patch(&path, json!({"name": " Phone "})).await.expect(200)["name"], "Phone");
    me.patch(&path, json!({"name": " "})).await.refused("invalid");
    me.patch(&path, json!({"name": "x".repeat(101)})).await.refused("invalid");
    let colleague = app.acme(Role::Owner).await;
    colleague.patch(&path, json!({"name": "Mine"})).await.refused("not_found");
    colleague.post(&format!("{path}/remove"), password()).await.refused("not_found");
    for _ in 1..10 {
        let proof = with_passkey(&app, &mut device).await;
        me.add_passkey_with(HERE, proof).await;
    }
    let begin = format!("{HERE}/api/auth/factors/passkeys/options");
    let proof = with_passkey(&app, &mut device).await;
    me.post(&begin, proof).await.refused("conflict");
    let have = me.get("/api/auth/factors").await.expect(200);
    assert_eq!(have["passkeys"].as_array().unwrap().len(), 10);
    me.post(&format!("{path}/remove"), json!({"password": "something else"})).await.refused("invalid_credentials");
    let proof = with_passkey(&app, &mut device).await;
    me.post(&format!("{HERE}{path}/remove"), proof).await.expect(204);
    let left = me.get("/api/auth/factors").await.expect(200);
    assert_eq!(left["passkeys"].as_array().unwrap().len(), 9);
    let noted = noted(&app);
    assert_eq!((noted.len(), noted[0].as_str(), noted[10].as_str()), (11, "passkey.added", "passkey.removed"));
    assert_eq!(titles(&me).await.last().unwrap(), "A passkey was removed");
}

#[tokio::test]
async fn passkey_registration_needs_a_valid_response_to_the_members_challenge() {
    let app = TestApp::new().await;
    let me = app.acme(Role::Member).await;
    let colleague = app.acme(Role::Viewer).await;
    let begin = format!("{HERE}/api/auth/factors/passkeys/options");
    let add = format!("{HERE}/api/auth/factors/passkeys");
    let count_request = || async { me.post(&begin, password()).await.expect(200) };
    let new = |begun: &Value, credential: &Value| json!({"challengeId": begun["challengeId"], "name": "Laptop", "credential": credential});

    let begun = count_request().await;
    let (_, good) = Authenticator::make(&begun["options"], HERE);
    colleague.post(&add, new(&begun, &good)).await.refused("invalid_code");
    me.post(&add, new(&begun, &good)).await.refused("invalid_code");

    let begun = count_request().await;
    app.clock.advance(5 * 60_000);
    let me = app.acme(Role::Member).await;
    let (_, late) = Authenticator::make(&begun["options"], HERE);
    me.post(&add, new(&begun, &late)).await.refused("invalid_code");

    let spoils: [(&str, Spoil); 4] = [
        ("another site", |device| device.origin = "http://evil.example".to_owned()),
        ("another host", |device| device.host = "evil.example".to_owned()),
        ("nobody verified", |device| device.verified = false),
        ("another kind", |device| device.kind = "webauthn.get"),
    ];
    for (what, spoil) in spoils {
        let begun = me.post(&begin, password()).await.expect(200);
        let (mut device, _) = Authenticator::make(&begun["options"], HERE);
        device.kind = "webauthn.create";
        spoil(&mut device);
        let bad = device.registration(&begun["options"]);
        let got = me.post(&add, new(&begun, &bad)).await;
        assert_eq!(got.body["error"]["code"], "invalid_code", "{what}: {}", got.body);
    }
    let one = me.post(&begin, password()).await.expect(200);
    let other = me.post(&begin, password()).await.expect(200);
    let (_, swapped) = Authenticator::make(&one["options"], HERE);
    me.post(&add, new(&other, &swapped)).await.refused("invalid_code");
    for nonsense in [json!(null), json!({}), json!("x"), json!({"id": 7, "response": []})] {
        let begun = me.post(&begin, password()).await.expect(200);
        me.post(&add, new(&begun, &nonsense)).await.refused("invalid_code");
    }
    let begun = me.post(&begin, password()).await.expect(200);
    let (_, good) = Authenticator::make(&begun["options"], HERE);
    me.post(&add, new(&begun, &good)).await.expect(201);
}

#[tokio::test]
async fn passkeys_are_offered_only_at_own_hosts() {
    let app = TestApp::with(|config| {
        config.public_url = Some("https://atrium.example".parse().unwrap());
        config.base_domain = Some("atrium.example".to_owned());
    })
    .await;
    let me = app.acme(Role::Member).await;
    for (host, ours) in [
        ("localhost", true),
        ("localhost:8443", true),
        ("atrium.example", true),
        ("acme.atrium.example", true),
        ("ACME.example", true),
        ("nobody.atrium.example", false),
        ("a.acme.example", false),
        ("evil.example", false),
        ("127.0.0.1", false),
        ("[::1]:8080", false),
    ] {
        let path = format!("https://{host}/api/auth/passkey/options");
        let got = app.anonymous_with("POST", &path, Some(json!({})), &[("host", host)]).await;
        assert_eq!(got.status, if ours { 200 } else { 409 }, "{host}: {}", got.body);
    }
    me.add_passkey("https://acme.atrium.example").await;
}

#[tokio::test]
async fn admin_resets_the_factors_of_a_member() {
    let app = TestApp::new().await;
    let me = app.acme(Role::Member).await;
    let admin = app.acme(Role::Admin).await;
    let (_, codes) = me.set_up_app().await;
    me.add_passkey_with(HERE, with_code(&json!(codes[0]))).await;
    let path = format!("/api/team/{}/factors", me.id);
    me.delete(&path).await.refused("forbidden");
    app.other(Role::Owner).await.delete(&path).await.refused("not_found");
    let owner = app.acme(Role::Owner).await;
    owner.set_up_app().await;
    admin.delete(&format!("/api/team/{}/factors", owner.id)).await.refused("forbidden");
    owner.delete(&format!("/api/team/{}/factors", owner.id)).await.refused("forbidden");
    admin.delete(&path).await.expect(204);
    let left = me.get("/api/auth/factors").await.expect(200);
    assert_eq!((&left["totp"], &left["passkeys"], &left["recoveryCodesLeft"]), (&json!(false), &json!([]), &json!(0)));
    assert_eq!(titles(&me).await.last().unwrap(), "Your two-step verification was reset");
    assert_eq!(noted(&app).last().unwrap(), "factor.reset");
    admin.delete(&path).await.expect(204);
    assert_eq!(noted(&app).iter().filter(|word| *word == "factor.reset").count(), 1);
}
