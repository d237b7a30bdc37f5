//! Ending sessions: the caller's own, all others, and those of another member. An ended session gets no more responses.

use poem::http::Method;
use serde_json::json;

use super::{cookie, look, refresh, sign_in};
use crate::{
    people::permission::Role,
    testing::{Got, PASSWORD, TestApp},
};

const MEMBER: &str = "member@acme.example";

/// Returns a cookie's `Set-Cookie` header without its value.
fn kept(got: &Got, name: &str) -> Option<String> {
    let all = got.headers.get_all("set-cookie").iter().filter_map(|set| set.to_str().ok());
    let rest = all.into_iter().find_map(|set| set.strip_prefix(name)?.strip_prefix('='))?;
    Some(rest.split_once(';').map_or("", |(_, attributes)| attributes).trim().to_owned())
}

#[tokio::test]
async fn session_cookie_has_the_host_prefix_and_strict_attributes() {
    let app = TestApp::with(|config| config.public_url = Some("https://atrium.example".parse().unwrap())).await;
    let form = json!({"email": MEMBER, "password": PASSWORD});
    let signed = app.anonymous("POST", "/api/auth/sign-in", Some(form)).await;
    let session = "HttpOnly; SameSite=Strict; Path=/; Secure";
    assert_eq!(kept(&signed, "__Host-atrium").as_deref(), Some(session));
    assert_eq!(kept(&signed, "__Host-atrium-device").unwrap(), format!("{session}; Max-Age=31536000"));
    assert_eq!(kept(&signed, "atrium"), None);
    let shown = cookie(&signed);
    assert!(shown.starts_with("__Host-atrium="), "{shown}");
    let renewed = refresh(&app, &shown).await;
    assert_eq!(kept(&renewed, "__Host-atrium").as_deref(), Some(session));
    // The token is refused under the cookie name of plain HTTP.
    refresh(&app, &cookie(&renewed).replace("__Host-", "")).await.refused("not_signed_in");
    let out = app.anonymous_with("POST", "/api/auth/sign-out", Some(json!({})), &[("cookie", &cookie(&renewed))]).await;
    assert_eq!(kept(&out, "__Host-atrium").unwrap(), format!("{session}; Max-Age=0"));
}

#[tokio::test]
async fn ending_other_sessions_keeps_the_current_one() {
    let app = TestApp::new().await;
    let one = sign_in(&app, MEMBER).await;
    let two = sign_in(&app, MEMBER).await;
    let here = app.acme(Role::Member).await;
    assert_eq!(
        here.post("/api/auth/sessions/end-others", json!({"password": PASSWORD})).await.expect(200),
        json!({"ended": 2})
    );
    assert_eq!((look(&app, &one).await, look(&app, &two).await), (401, 401));
    refresh(&app, &cookie(&one)).await.refused("not_signed_in");
    here.get("/api/common/user").await.expect(200);
    assert_eq!(
        here.post("/api/auth/sessions/end-others", json!({"password": PASSWORD})).await.expect(200),
        json!({"ended": 0})
    );
    let ended = app.audit(app.acme.id).await.into_iter().filter(|event| event == "session.ended_all").count();
    assert_eq!(ended, 1, "what did not happen is not noted");
}

#[tokio::test]
async fn admins_manage_sessions_except_those_of_owners() {
    let app = TestApp::new().await;
    let admin = app.acme(Role::Admin).await;
    let owner = app.acme(Role::Owner).await;
    let member = app.acme(Role::Member).await;
    let path = format!("/api/team/{}/sessions", member.id);
    let list = admin.get(&path).await.expect(200);
    assert_eq!((list["items"].as_array().unwrap().len(), &list["items"][0]["current"]), (1, &json!(false)));
    assert_eq!(admin.delete(&path).await.expect(200), json!({"ended": 1}));
    member.get("/api/common/user").await.refused("not_signed_in");
    let path = format!("/api/team/{}/sessions", owner.id);
    admin.get(&path).await.refused("forbidden");
    admin.delete(&path).await.refused("forbidden");
    owner.get(&path).await.expect(200);
    app.other(Role::Owner).await.delete(&path).await.refused("not_found");
}

#[tokio::test]
async fn rejects_every_token_use_after_sign_out() {
    let app = TestApp::new().await;
    let signed = sign_in(&app, MEMBER).await;
    let bearer = format!("Bearer {}", signed.body["accessToken"].as_str().unwrap());
    let shown = cookie(&signed);
    assert_eq!(look(&app, &signed).await, 200);
    let out = app.anonymous_with("POST", "/api/auth/sign-out", Some(json!({})), &[("cookie", &shown)]).await;
    assert_eq!(out.status, 204);
    // Never "storage", which would delete the drafts of everyone who uses this browser.
    assert_eq!(out.headers["clear-site-data"], "\"cache\"");
    let mut uses = tokio::task::JoinSet::new();
    for n in 0..1_000 {
        let client = app.client.clone();
        let bearer = bearer.clone();
        let path = ["/api/common/user", "/api/tasks", "/api/live?wait=0", "/api/auth/sessions"][n % 4];
        let request = poem::Request::builder().uri(path.parse().unwrap()).header("authorization", bearer).finish();
        uses.spawn(async move { poem::Endpoint::get_response(&client, request).await.status().as_u16() });
    }
    assert!(uses.join_all().await.into_iter().all(|status| status == 401));
    refresh(&app, &shown).await.refused("not_signed_in");
    // An unclean stop of the server changes nothing.
    let app = app.restart().await;
    assert_eq!(look(&app, &signed).await, 401);
    refresh(&app, &shown).await.refused("not_signed_in");
}

#[tokio::test]
async fn known_device_signs_in_while_the_account_is_throttled() {
    let app = TestApp::new().await;
    let first = sign_in(&app, MEMBER).await;
    let mark = first.headers.get_all("set-cookie").iter().filter_map(|value| value.to_str().ok());
    let mark =
        mark.filter_map(|value| value.split(';').next()).find(|value| value.starts_with("atrium-device=")).unwrap();
    let form = |password: &str| Some(json!({"email": MEMBER, "password": password}));
    let mut last = 0;
    for _ in 0..12 {
        last = app.anonymous("POST", "/api/auth/sign-in", form("a wrong guess of mine")).await.status;
    }
    assert_eq!(last, 429);
    let right = PASSWORD;
    let headers = [("cookie", mark)];
    let known = app.anonymous_with("POST", "/api/auth/sign-in", form(right), &headers).await;
    assert_eq!(known.status, 200, "{}", known.body);
    app.anonymous("POST", "/api/auth/sign-in", form(right)).await.refused("slow_down");
    // The device cookie is valid only for the account that signed in, and cannot be forged.
    let other = Some(json!({"email": "admin@acme.example", "password": "a wrong guess of mine"}));
    for _ in 0..5 {
        app.anonymous_with("POST", "/api/auth/sign-in", other.clone(), &headers).await.refused("invalid_credentials");
    }
    app.anonymous("POST", "/api/auth/sign-in", other).await.refused("slow_down");
    let (number, signature) = mark.split_once('.').unwrap();
    for forged in [format!("{number}.{}", &signature[1..]), format!("atrium-device=00.{signature}"), number.to_owned()]
    {
        let headers = [("cookie", forged.as_str())];
        app.anonymous_with("POST", "/api/auth/sign-in", form(right), &headers).await.refused("slow_down");
    }
}

#[tokio::test]
async fn sign_in_from_a_new_device_sends_an_email() {
    let app = TestApp::new().await;
    let emails = async || app.emails(app.acme.id).await;
    let first = sign_in(&app, MEMBER).await;
    assert!(emails().await.is_empty(), "the first time is no news");
    let mark = first.headers.get_all("set-cookie").iter().filter_map(|value| value.to_str().ok());
    let mark =
        mark.filter_map(|value| value.split(';').next()).find(|value| value.starts_with("atrium-device=")).unwrap();
    let form = Some(json!({"email": MEMBER, "password": PASSWORD}));
    app.anonymous_with("POST", "/api/auth/sign-in", form, &[("cookie", mark)]).await.expect(200);
    assert!(emails().await.is_empty(), "this one is known");
    sign_in(&app, MEMBER).await;
    assert_eq!(emails().await, [("new-device".to_owned(), MEMBER.to_owned())]);
}

#[tokio::test]
async fn rejects_cross_site_use_of_the_cookie() {
    let app = TestApp::new().await;
    let signed = sign_in(&app, MEMBER).await;
    let shown = cookie(&signed);
    for path in ["refresh", "sign-out"] {
        let path = format!("/api/auth/{path}");
        for (name, value) in [
            ("sec-fetch-site", "cross-site"),
            ("sec-fetch-site", "same-site"),
            ("sec-fetch-site", "none"),
            ("origin", "https://evil.example"),
            ("origin", "https://acme.example"),
            ("origin", "ftp://acme.example"),
            ("origin", "null"),
        ] {
            let headers = [("cookie", shown.as_str()), (name, value), ("host", "acme.example")];
            app.anonymous_with("POST", &path, Some(json!({})), &headers).await.refused("forbidden");
        }
        let plain = poem::Request::builder()
            .method(Method::POST)
            .uri(path.parse().unwrap())
            .header("cookie", &shown)
            .content_type("text/plain")
            .body("{}");
        let status = poem::Endpoint::get_response(&app.client, plain).await.status().as_u16();
        assert_eq!(status, 415, "a form cannot say JSON");
    }
    let set = signed.headers["set-cookie"].to_str().unwrap();
    assert!(set.contains("HttpOnly; SameSite=Strict"), "{set}");
    assert_eq!(look(&app, &signed).await, 200, "nothing happened");
}
