//! Passwordless sign-in with a passkey.

use serde_json::{Value, json};

use super::{HERE, asked, shown};
use crate::{
    people::permission::Role,
    testing::{Got, PASSWORD, TestApp},
    tests::authenticator::Authenticator,
};

async fn sign_in(app: &TestApp, answer: Value) -> Got {
    app.anonymous("POST", &format!("{HERE}/api/auth/passkey/sign-in"), Some(answer)).await
}

/// Makes a device send a wrong answer.
type Spoil = fn(&mut Authenticator);

#[tokio::test]
async fn passkey_alone_signs_in_its_member() {
    let app = TestApp::new().await;
    let me = app.acme(Role::Member).await;
    let (passkey, mut device) = me.add_passkey(HERE).await;
    let question = asked(&app).await;
    assert_eq!(question["options"]["userVerification"], "required");
    assert_eq!(question["options"]["rpId"], "localhost");
    assert_eq!(question["options"]["allowCredentials"], json!([]), "it names nobody");
    let answer = shown(&app, &mut device).await;
    let signed = sign_in(&app, answer.clone()).await.expect(200);
    assert_eq!(signed["user"]["email"], "member@acme.example");
    sign_in(&app, answer).await.refused("invalid_credentials");
    let bearer = format!("Bearer {}", signed["accessToken"].as_str().unwrap());
    let sessions = app.anonymous_with("GET", "/api/auth/sessions", None, &[("authorization", &bearer)]).await.body;
    assert_eq!(sessions["items"][0]["secondFactor"], true);
    let have = me.get("/api/auth/factors").await.expect(200);
    assert!(have["passkeys"][0]["lastUsedAt"].is_string(), "{have}");
    let remove = format!("{HERE}/api/auth/factors/passkeys/{passkey}/remove");
    let proof = json!({"password": PASSWORD, "passkey": shown(&app, &mut device).await});
    me.post(&remove, proof).await.expect(204);
    let answer = shown(&app, &mut device).await;
    sign_in(&app, answer).await.refused("invalid_credentials");
}

#[tokio::test]
async fn rejects_invalid_passkey_responses() {
    let app = TestApp::new().await;
    let me = app.acme(Role::Member).await;
    let (_, mut device) = me.add_passkey(HERE).await;
    let (_, other) = app.acme(Role::Viewer).await.add_passkey(HERE).await;
    let spoils: [(&str, Spoil); 5] = [
        ("another site", |device| device.origin = "http://evil.example".to_owned()),
        ("another port", |device| device.origin = "http://localhost:81".to_owned()),
        ("another host", |device| device.host = "evil.example".to_owned()),
        ("nobody verified", |device| device.verified = false),
        ("another kind", |device| device.kind = "webauthn.create"),
    ];
    for (what, spoil) in spoils {
        let proof = json!({"password": PASSWORD, "passkey": shown(&app, &mut device).await});
        let (_, mut bad) = me.add_passkey_with(HERE, proof).await;
        spoil(&mut bad);
        let got = sign_in(&app, shown(&app, &mut bad).await).await;
        assert_eq!(got.body["error"]["code"], "invalid_credentials", "{what}");
        // No one typed an address or a password.
        let text = got.body["error"]["message"].as_str().unwrap();
        assert!(text.contains("passkey") && !text.contains("password"), "{what}: {text}");
    }
    // After this pause, earlier failures no longer throttle attempts.
    let pause = || app.clock.advance(15 * 60_000);
    // The member's key with another member's user handle, without a user handle, and with the id of another member's
    // key.
    pause();
    let mut answer = shown(&app, &mut device).await;
    answer["credential"]["response"]["userHandle"] =
        other.answer_again(&asked(&app).await["options"])["response"]["userHandle"].clone();
    sign_in(&app, answer).await.refused("invalid_credentials");
    pause();
    let mut answer = shown(&app, &mut device).await;
    answer["credential"]["response"].as_object_mut().unwrap().remove("userHandle");
    sign_in(&app, answer).await.refused("invalid_credentials");
    pause();
    let mut answer = shown(&app, &mut device).await;
    let theirs = other.answer_again(&asked(&app).await["options"]);
    answer["credential"]["id"] = theirs["id"].clone();
    answer["credential"]["rawId"] = theirs["rawId"].clone();
    sign_in(&app, answer).await.refused("invalid_credentials");
    // An answer to another challenge, to an unknown one, and to an expired one.
    pause();
    let one = asked(&app).await;
    let two = asked(&app).await;
    let swapped = json!({"challengeId": one["challengeId"], "credential": device.answer(&two["options"])});
    sign_in(&app, swapped).await.refused("invalid_credentials");
    let never = json!({"challengeId": "0".repeat(64), "credential": device.answer(&two["options"])});
    sign_in(&app, never).await.refused("invalid_credentials");
    pause();
    let late = shown(&app, &mut device).await;
    app.clock.advance(5 * 60_000);
    sign_in(&app, late).await.refused("invalid_credentials");
    for nonsense in [json!(null), json!({}), json!([]), json!({"id": "x", "rawId": "!", "type": "public-key"})] {
        pause();
        let question = asked(&app).await;
        let answer = json!({"challengeId": question["challengeId"], "credential": nonsense});
        sign_in(&app, answer).await.refused("invalid_credentials");
    }
    pause();
    let answer = shown(&app, &mut device).await;
    sign_in(&app, answer).await.expect(200);
}

#[tokio::test]
async fn rejects_a_copied_passkey_by_its_counter() {
    let app = TestApp::new().await;
    let (_, mut device) = app.acme(Role::Member).await.add_passkey(HERE).await;
    for _ in 0..3 {
        let answer = shown(&app, &mut device).await;
        sign_in(&app, answer).await.expect(200);
    }
    for counter in [1, 3] {
        let newest = device.counter;
        device.counter = counter;
        let answer = shown(&app, &mut device).await;
        sign_in(&app, answer).await.refused("invalid_credentials");
        device.counter = newest;
    }
    let answer = shown(&app, &mut device).await;
    sign_in(&app, answer).await.expect(200);
}

#[tokio::test]
async fn rejects_passkeys_of_suspended_and_removed_members() {
    let app = TestApp::new().await;
    let me = app.acme(Role::Member).await;
    let (_, mut device) = me.add_passkey(HERE).await;
    let mut answer = shown(&app, &mut device).await;
    answer["company"] = json!("other");
    sign_in(&app, answer).await.refused("invalid_credentials");
    let mut answer = shown(&app, &mut device).await;
    answer["company"] = json!("acme");
    sign_in(&app, answer).await.expect(200);
    let admin = app.acme(Role::Admin).await;
    admin.patch(&format!("/api/team/{}", me.id), json!({"state": "suspended"})).await.expect(200);
    let answer = shown(&app, &mut device).await;
    sign_in(&app, answer).await.refused("invalid_credentials");
    admin.delete(&format!("/api/team/{}", me.id)).await.expect(204);
    let answer = shown(&app, &mut device).await;
    sign_in(&app, answer).await.refused("invalid_credentials");
}

#[tokio::test]
async fn tenant_host_accepts_only_passkeys_of_its_own_members() {
    let app = TestApp::with(|config| {
        config.public_url = Some("https://atrium.example".parse().unwrap());
        config.base_domain = Some("atrium.example".to_owned());
    })
    .await;
    let shared = "https://atrium.example";
    let (_, mut device) = app.acme(Role::Member).await.add_passkey(shared).await;
    let count_request = async |host: &str| {
        app.anonymous("POST", &format!("https://{host}/api/auth/passkey/options"), Some(json!({}))).await.expect(200)
    };
    let enter = async |host: &str, body: Value| {
        app.anonymous("POST", &format!("https://{host}/api/auth/passkey/sign-in"), Some(body)).await
    };
    let question = count_request("atrium.example").await;
    let answer = json!({"challengeId": question["challengeId"], "credential": device.answer(&question["options"])});
    enter("acme.atrium.example", answer).await.refused("invalid_credentials");
    let question = count_request("other.atrium.example").await;
    device.host = "other.atrium.example".to_owned();
    device.origin = "https://other.atrium.example".to_owned();
    let answer = json!({"challengeId": question["challengeId"], "credential": device.answer(&question["options"])});
    enter("other.atrium.example", answer).await.refused("invalid_credentials");
    device.host = "atrium.example".to_owned();
    device.origin = shared.to_owned();
    let question = count_request("atrium.example").await;
    let answer = json!({"challengeId": question["challengeId"], "credential": device.answer(&question["options"])});
    enter("atrium.example", answer).await.expect(200);
}
