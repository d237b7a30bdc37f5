//! Sign-in and unlocking with a password and a second factor.

use serde_json::{Value, json};

use super::{HERE, asked, shown, sign_in};
use crate::{
    access::factors::code_at,
    people::permission::Role,
    testing::{Got, PASSWORD, TestApp},
};

const ME: &str = "member@acme.example";

fn factors(got: &Got) -> Vec<&str> {
    got.refused("second_factor_needed");
    got.body["error"]["factors"].as_array().unwrap().iter().map(|factor| factor.as_str().unwrap()).collect()
}

#[tokio::test]
async fn required_factors_are_named_only_after_the_right_password() {
    let app = TestApp::new().await;
    let me = app.acme(Role::Member).await;
    let (secret, codes) = me.set_up_app().await;
    app.clock.advance(30_000);
    let code = code_at(&secret, app.clock.now());
    for further in [json!({}), json!({"code": code}), json!({"code": "000000"})] {
        let mut form = further;
        form["password"] = json!("something else");
        let got = sign_in(&app, ME, form).await;
        got.refused("invalid_credentials");
        assert!(got.body["error"].get("factors").is_none(), "{}", got.body);
    }
    assert_eq!(factors(&sign_in(&app, ME, json!({})).await), ["totp", "recovery"]);
    assert_eq!(factors(&sign_in(&app, ME, json!({"code": " "})).await), ["totp", "recovery"]);
    me.add_passkey_with(HERE, json!({"password": PASSWORD, "code": codes[0]})).await;
    assert_eq!(factors(&sign_in(&app, ME, json!({})).await), ["totp", "recovery", "passkey"]);
    let elsewhere = json!({"email": ME, "password": PASSWORD});
    let elsewhere = app.anonymous("POST", "/api/auth/sign-in", Some(elsewhere)).await;
    assert_eq!(factors(&elsewhere), ["totp", "recovery"], "the passkey is another host's");
    assert_eq!(sign_in(&app, "viewer@acme.example", json!({})).await.status, 200, "others have none");
}

#[tokio::test]
async fn totp_code_signs_in_once_and_invalidates_earlier_codes() {
    let app = TestApp::new().await;
    let (secret, _) = app.acme(Role::Member).await.set_up_app().await;
    let used = code_at(&secret, app.clock.now());
    sign_in(&app, ME, json!({"code": used})).await.refused("invalid_code");
    let before = code_at(&secret, app.clock.now());
    app.clock.advance(60_000);
    let code = code_at(&secret, app.clock.now());
    let spaced = format!("{} {}", &code[..3], &code[3..]);
    let signed = sign_in(&app, ME, json!({"code": spaced})).await.expect(200);
    sign_in(&app, ME, json!({"code": code})).await.refused("invalid_code");
    sign_in(&app, ME, json!({"code": before})).await.refused("invalid_code");
    let bearer = format!("Bearer {}", signed["accessToken"].as_str().unwrap());
    let sessions = app.anonymous_with("GET", "/api/auth/sessions", None, &[("authorization", &bearer)]).await;
    let with: Vec<&Value> =
        sessions.body["items"].as_array().unwrap().iter().map(|session| &session["secondFactor"]).collect();
    assert_eq!(with, [&json!(true), &json!(false)], "newest first");
    app.clock.advance(30_000);
    let next = code_at(&secret, app.clock.now());
    sign_in(&app, ME, json!({"code": next})).await.expect(200);
}

#[tokio::test]
async fn recovery_code_signs_in_once() {
    let app = TestApp::new().await;
    let me = app.acme(Role::Member).await;
    let (_, codes) = me.set_up_app().await;
    sign_in(&app, ME, json!({"code": codes[3].to_uppercase()})).await.expect(200);
    sign_in(&app, ME, json!({"code": codes[3]})).await.refused("invalid_code");
    let (_, others) = app.acme(Role::Viewer).await.set_up_app().await;
    sign_in(&app, ME, json!({"code": others[0]})).await.refused("invalid_code");
    assert_eq!(me.get("/api/auth/factors").await.expect(200)["recoveryCodesLeft"], 9);
}

#[tokio::test]
async fn password_alone_does_not_reset_the_throttle_for_wrong_codes() {
    let app = TestApp::new().await;
    let (secret, _) = app.acme(Role::Member).await.set_up_app().await;
    let right = code_at(&secret, app.clock.now().plus_seconds(30));
    let wrong = if right == "123456" { "654321" } else { "123456" };
    for _ in 0..5 {
        sign_in(&app, ME, json!({})).await.refused("second_factor_needed");
        sign_in(&app, ME, json!({"code": wrong})).await.refused("invalid_code");
    }
    sign_in(&app, ME, json!({"code": wrong})).await.refused("slow_down");
    sign_in(&app, ME, json!({"code": right})).await.refused("slow_down");
    app.clock.advance(30_000);
    sign_in(&app, ME, json!({"code": right})).await.expect(200);
}

#[tokio::test]
async fn passkey_is_accepted_as_a_second_factor() {
    let app = TestApp::new().await;
    let (_, mut device) = app.acme(Role::Member).await.add_passkey(HERE).await;
    let (_, mut theirs) = app.acme(Role::Viewer).await.add_passkey(HERE).await;
    let passkey = shown(&app, &mut theirs).await;
    sign_in(&app, ME, json!({"passkey": passkey})).await.refused("invalid_code");
    let passkey = shown(&app, &mut device).await;
    sign_in(&app, ME, json!({"passkey": passkey})).await.expect(200);
    sign_in(&app, ME, json!({"passkey": passkey})).await.refused("invalid_code");
    let question = asked(&app).await;
    let copied =
        json!({"challengeId": question["challengeId"], "credential": device.answer_again(&question["options"])});
    let refused = sign_in(&app, ME, json!({"passkey": copied})).await.expect(400);
    assert!(refused["error"]["message"].as_str().unwrap().contains("copied"), "{refused}");
    let passkey = shown(&app, &mut device).await;
    sign_in(&app, ME, json!({"passkey": passkey})).await.expect(200);
}

#[tokio::test]
async fn unlock_requires_the_second_factor() {
    let app = TestApp::new().await;
    let (secret, _) = app.acme(Role::Member).await.set_up_app().await;
    app.clock.advance(30_000);
    let signed = sign_in(&app, ME, json!({"code": code_at(&secret, app.clock.now())})).await;
    let mut cookie = keeps(&signed);
    let bearer = format!("Bearer {}", signed.body["accessToken"].as_str().unwrap());
    let lock = async || {
        app.anonymous_with("POST", "/api/auth/lock-session", Some(json!({})), &[("authorization", &bearer)]).await
    };
    assert_eq!(lock().await.status, 204);
    let unlock = async |cookie: &str, further: Value| {
        let mut body = json!({"password": PASSWORD});
        body.as_object_mut().unwrap().extend(further.as_object().unwrap().clone());
        app.anonymous_with("POST", "/api/auth/unlock-session", Some(body), &[("cookie", cookie)]).await
    };
    unlock(&cookie, json!({"password": "something else"})).await.refused("invalid_credentials");
    assert_eq!(factors(&unlock(&cookie, json!({})).await), ["totp", "recovery"]);
    let wrong = unlock(&cookie, json!({"code": code_at(&secret, app.clock.now())})).await;
    wrong.refused("invalid_code");
    assert_eq!(wrong.body["error"]["attemptsLeft"], 3, "{}", wrong.body);
    app.clock.advance(30_000);
    let opened = unlock(&cookie, json!({"code": code_at(&secret, app.clock.now())})).await;
    assert_eq!(opened.status, 200, "{}", opened.body);
    cookie = keeps(&opened);
    assert_eq!(lock().await.status, 204);
    for left in [4, 3, 2, 1] {
        let got = unlock(&cookie, json!({"code": "000000"})).await;
        assert_eq!(
            (got.body["error"]["code"].as_str(), &got.body["error"]["attemptsLeft"]),
            (Some("invalid_code"), &json!(left))
        );
    }
    unlock(&cookie, json!({"code": "000000"})).await.refused("not_signed_in");
}

/// Returns the refresh cookie that a response sets, as a browser sends it back.
fn keeps(got: &Got) -> String {
    let sets = got.headers.get_all("set-cookie").iter().map(|set| set.to_str().unwrap());
    sets.filter_map(|set| set.split(';').next()).find(|set| set.starts_with("atrium=")).unwrap().to_owned()
}
