//! Session locks on the server: by request, by idling and across restarts, and unlocking.

use std::time::Duration;

use poem::http::Method;
use serde_json::{Value, json};

use super::{cookie, look, refresh, sign_in};
use crate::{
    people::{members::Company, permission::Role},
    store::{Actor, TenantWrite},
    testing::{As, Got, PASSWORD, TestApp},
};

const MEMBER: &str = "member@acme.example";

fn bearer(signed: &Got) -> String {
    format!("Bearer {}", signed.body["accessToken"].as_str().unwrap())
}

async fn lock(app: &TestApp, signed: &Got) -> Got {
    let bearer = bearer(signed);
    app.anonymous_with("POST", "/api/auth/lock-session", Some(json!({})), &[("authorization", &bearer)]).await
}

async fn unlock(app: &TestApp, cookie: &str, password: &str) -> Got {
    let body = Some(json!({"password": password}));
    app.anonymous_with("POST", "/api/auth/unlock-session", body, &[("cookie", cookie)]).await
}

/// Sends a request that reports the client's idle seconds.
async fn idle(app: &TestApp, signed: &Got, seconds: &str) -> Got {
    let bearer = bearer(signed);
    app.anonymous_with("GET", "/api/common/user", None, &[("authorization", &bearer), ("atrium-idle", seconds)]).await
}

async fn idle_limit(app: &TestApp, minutes: u32) {
    let work = move |tx: &TenantWrite<'_>| {
        tx.update::<Company>(Company::id(tx.tenant()), None, |company| {
            company.idle_minutes = minutes;
            Ok(())
        })
    };
    app.app.store().write(app.acme.id, Actor::Operator, work).await.unwrap();
}

#[tokio::test]
async fn locked_session_rejects_requests_until_unlocked() {
    let app = TestApp::new().await;
    let signed = sign_in(&app, MEMBER).await;
    assert_eq!((lock(&app, &signed).await.status, lock(&app, &signed).await.status), (204, 204));
    let authorization = bearer(&signed);
    for (method, path, body) in [
        ("GET", "/api/common/user", None),
        ("GET", "/api/tasks", None),
        ("POST", "/api/tasks", Some(json!({"title": "A task"}))),
        ("GET", "/api/live", None),
        ("GET", "/api/auth/sessions", None),
    ] {
        let got = app.anonymous_with(method, path, body, &[("authorization", &authorization)]).await;
        assert_eq!(got.status, 423, "{method} {path}");
        got.refused("session_locked");
    }
    let refused = refresh(&app, &cookie(&signed)).await;
    refused.refused("session_locked");
    assert_eq!(refused.body["error"]["who"], json!({"email": MEMBER, "name": "member of acme"}));
    assert!(!refused.headers.contains_key("set-cookie"));

    let opened = unlock(&app, &cookie(&signed), PASSWORD).await;
    assert_eq!((opened.status, look(&app, &opened).await), (200, 200));
    assert_ne!(cookie(&opened), cookie(&signed), "unlocking renews the token");
    assert_eq!(refresh(&app, &cookie(&opened)).await.status, 200);
}

#[tokio::test]
async fn five_wrong_passwords_end_the_session() {
    let app = TestApp::new().await;
    let signed = sign_in(&app, MEMBER).await;
    lock(&app, &signed).await;
    for left in [4, 3, 2, 1] {
        let got = unlock(&app, &cookie(&signed), "a wrong guess of mine").await;
        got.refused("invalid_credentials");
        assert_eq!(got.body["error"]["attemptsLeft"], left);
    }
    unlock(&app, &cookie(&signed), "a wrong guess of mine").await.refused("not_signed_in");
    unlock(&app, &cookie(&signed), PASSWORD).await.refused("not_signed_in");
    refresh(&app, &cookie(&signed)).await.refused("not_signed_in");
    assert_eq!(look(&app, &signed).await, 401);
    let events = app.audit(app.acme.id).await;
    assert_eq!(events, ["auth.signed_in", "auth.locked", "session.ended"]);
}

#[tokio::test]
async fn concurrent_unlock_attempts_are_limited_to_five() {
    let app = TestApp::new().await;
    let signed = sign_in(&app, MEMBER).await;
    lock(&app, &signed).await;
    let shown = cookie(&signed);
    let mut tries = tokio::task::JoinSet::new();
    for _ in 0..20 {
        let client = app.client.clone();
        let shown = shown.clone();
        let body = json!({"password": "a wrong guess of mine"}).to_string();
        let request = poem::Request::builder()
            .method(Method::POST)
            .uri("/api/auth/unlock-session".parse().unwrap())
            .header("cookie", shown)
            .content_type("application/json")
            .body(body);
        tries.spawn(async move { poem::Endpoint::get_response(&client, request).await.status().as_u16() });
    }
    let answers = tries.join_all().await;
    assert!(answers.iter().filter(|status| **status == 400).count() <= 4, "{answers:?}");
    assert!(answers.iter().all(|status| matches!(status, 400 | 401)), "{answers:?}");
    unlock(&app, &shown, PASSWORD).await.refused("not_signed_in");
}

#[tokio::test]
async fn idle_session_locks_despite_polling() {
    let app = TestApp::new().await;
    idle_limit(&app, 10).await;
    let signed = sign_in(&app, MEMBER).await;
    app.clock.advance(4 * 60_000);
    assert_eq!(idle(&app, &signed, "0").await.status, 200);
    app.clock.advance(59_000);
    let mut fresh = refresh(&app, &cookie(&signed)).await;
    // Polling alone does not count as activity.
    for minute in 1..=10 {
        app.clock.advance(60_000);
        if minute % 4 == 0 {
            let header = [("cookie", cookie(&fresh)), ("atrium-idle", (minute * 60).to_string())];
            let header: Vec<(&str, &str)> = header.iter().map(|(name, value)| (*name, value.as_str())).collect();
            fresh = app.anonymous_with("POST", "/api/auth/refresh", Some(json!({})), &header).await;
            assert_eq!(fresh.status, 200, "minute {minute}: {}", fresh.body);
        }
        assert_eq!(idle(&app, &fresh, &(minute * 60).to_string()).await.status, 200, "minute {minute}");
    }
    app.clock.advance(1_000);
    let late = idle(&app, &fresh, "601").await;
    late.refused("session_locked");
    assert_eq!(late.body["error"]["who"]["email"], MEMBER);
    idle(&app, &fresh, "0").await.refused("session_locked");
    idle(&app, &fresh, "nonsense").await.refused("session_locked");
    refresh(&app, &cookie(&fresh)).await.refused("session_locked");
    assert_eq!(unlock(&app, &cookie(&fresh), PASSWORD).await.status, 200);
}

#[tokio::test]
async fn session_locks_after_the_idle_limit_and_never_with_limit_0() {
    let app = TestApp::new().await;
    let signed = sign_in(&app, MEMBER).await;
    app.clock.advance(31 * 60_000);
    refresh(&app, &cookie(&signed)).await.refused("session_locked");
    let opened = unlock(&app, &cookie(&signed), PASSWORD).await;
    assert_eq!(opened.status, 200);
    idle_limit(&app, 0).await;
    app.clock.advance(11 * 3_600_000);
    assert_eq!(refresh(&app, &cookie(&opened)).await.status, 200);
}

#[tokio::test]
async fn lock_survives_a_restart() {
    let app = TestApp::new().await;
    let signed = sign_in(&app, MEMBER).await;
    let idling = sign_in(&app, MEMBER).await;
    lock(&app, &signed).await;
    unlock(&app, &cookie(&signed), "a wrong guess of mine").await.refused("invalid_credentials");
    app.clock.advance(20 * 60_000);
    let app = app.restart().await;
    let idling = refresh(&app, &cookie(&idling)).await;
    assert_eq!(idling.status, 200, "twenty minutes are no idling");
    refresh(&app, &cookie(&signed)).await.refused("session_locked");
    let wrong = unlock(&app, &cookie(&signed), "a wrong guess of mine").await;
    assert_eq!(wrong.body["error"]["attemptsLeft"], 3, "what was tried before counts");
    app.clock.advance(31 * 60_000);
    let app = app.restart().await;
    refresh(&app, &cookie(&idling)).await.refused("session_locked");
    assert_eq!(unlock(&app, &cookie(&signed), PASSWORD).await.status, 200);
}

#[tokio::test]
async fn waiting_live_request_ends_when_the_session_is_locked_or_ended() {
    let app = TestApp::new().await;
    let member = app.acme(Role::Member).await;
    let admin = app.acme(Role::Admin).await;
    // Signing in again causes a change itself, the notification of a new device: wait for the changes after it.
    let wait = async |member: &As| {
        let last = app.app.store().snapshot().unwrap().last_change().unwrap();
        let at = async || member.get("/api/live").await.expect(200)["at"].as_u64().unwrap();
        while at().await < last {
            tokio::task::yield_now().await;
        }
        format!("/api/live?after={last}&wait=25")
    };
    let path = wait(&member).await;
    let within = |waiting| tokio::time::timeout(Duration::from_secs(5), waiting);
    let (locked, ()) = tokio::join!(within(member.get(&path)), async {
        member.post("/api/auth/lock-session", json!({})).await.expect(204);
    });
    locked.unwrap().refused("session_locked");

    let member = app.acme(Role::Member).await;
    let path = wait(&member).await;
    let (ended, ()) = tokio::join!(within(member.get(&path)), async {
        let got = admin.delete(&format!("/api/team/{}/sessions", member.id)).await;
        assert_eq!(got.expect(200), json!({"ended": 2}));
    });
    ended.unwrap().refused("not_signed_in");

    let member = app.acme(Role::Member).await;
    let path = wait(&member).await;
    let (suspended, ()) = tokio::join!(within(member.get(&path)), async {
        admin.patch(&format!("/api/team/{}", member.id), json!({"state": "suspended"})).await.expect(200);
    });
    suspended.unwrap().refused("not_signed_in");
}

#[tokio::test]
async fn unlock_requires_same_origin_and_the_newest_token() {
    let app = TestApp::new().await;
    let signed = sign_in(&app, MEMBER).await;
    let next = refresh(&app, &cookie(&signed)).await;
    assert_eq!(look(&app, &next).await, 200);
    lock(&app, &next).await;
    let shown = cookie(&next);
    for site in ["cross-site", "same-site", "none"] {
        let headers = [("cookie", shown.as_str()), ("sec-fetch-site", site)];
        let body = Some(json!({"password": PASSWORD}));
        app.anonymous_with("POST", "/api/auth/unlock-session", body, &headers).await.refused("forbidden");
    }
    unlock(&app, &cookie(&signed), PASSWORD).await.refused("not_signed_in");
    unlock(&app, "atrium=nonsense", PASSWORD).await.refused("not_signed_in");
    assert_eq!(unlock(&app, &shown, PASSWORD).await.status, 200);
}

#[tokio::test]
async fn sign_out_works_while_locked() {
    let app = TestApp::new().await;
    for by_cookie in [true, false] {
        let signed = sign_in(&app, MEMBER).await;
        lock(&app, &signed).await;
        let shown = cookie(&signed);
        let authorization = bearer(&signed);
        let header = if by_cookie { ("cookie", shown.as_str()) } else { ("authorization", authorization.as_str()) };
        let out = app.anonymous_with("POST", "/api/auth/sign-out", Some(json!({})), &[header]).await;
        assert_eq!(out.status, 204);
        assert!(out.headers["set-cookie"].to_str().unwrap().contains("Max-Age=0"));
        unlock(&app, &shown, PASSWORD).await.refused("not_signed_in");
    }
}

#[tokio::test]
async fn session_list_shows_locked_sessions() {
    let app = TestApp::new().await;
    let one = sign_in(&app, MEMBER).await;
    let two = sign_in(&app, MEMBER).await;
    lock(&app, &one).await;
    let authorization = bearer(&two);
    let three = sign_in(&app, MEMBER).await;
    app.clock.advance(4 * 60_000);
    let list = app.anonymous_with("GET", "/api/auth/sessions", None, &[("authorization", &authorization)]).await;
    let items = list.expect(200)["items"].clone();
    let locked: Vec<bool> = items.as_array().unwrap().iter().map(|item| item["lockedAt"].is_string()).collect();
    assert_eq!(
        (locked, &items[1]["current"], &items[1]["secondFactor"]),
        (vec![false, false, true], &Value::Bool(true), &Value::Bool(false))
    );
    idle_limit(&app, 1).await;
    app.clock.advance(61_000);
    let fresh = unlock(&app, &cookie(&three), PASSWORD).await;
    let authorization = bearer(&fresh);
    let list = app.anonymous_with("GET", "/api/auth/sessions", None, &[("authorization", &authorization)]).await;
    let items = list.expect(200)["items"].clone();
    let locked: Vec<bool> = items.as_array().unwrap().iter().map(|item| item["lockedAt"].is_string()).collect();
    assert_eq!(locked, [false, true, true], "who idles is as good as locked");
}
