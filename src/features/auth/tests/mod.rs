//! Session refresh, and detection of copied tokens.

mod accounts;
mod companies;
mod enumeration;
mod links;
mod locking;
mod log;
mod revocation;
mod sessions;

use std::collections::HashSet;

use poem::{Endpoint, Request, http::Method};
use serde_json::json;

use crate::{
    access::sessions::Session,
    people::{
        members::{Company, CompanyState},
        permission::Role,
    },
    store::{Actor, TenantWrite},
    testing::{Got, PASSWORD, TestApp},
};

/// Returns the cookie that a response sets, as a browser sends it back.
fn cookie(got: &Got) -> String {
    let set = got.headers["set-cookie"].to_str().unwrap();
    set.split(';').next().unwrap().to_owned()
}

async fn sign_in(app: &TestApp, email: &str) -> Got {
    app.anonymous("POST", "/api/auth/sign-in", Some(json!({"email": email, "password": PASSWORD}))).await
}

async fn refresh(app: &TestApp, cookie: &str) -> Got {
    app.anonymous_with("POST", "/api/auth/refresh", Some(json!({})), &[("cookie", cookie)]).await
}

/// Returns the status of a request with the access token of `signed`.
async fn look(app: &TestApp, signed: &Got) -> u16 {
    let bearer = format!("Bearer {}", signed.body["accessToken"].as_str().unwrap());
    app.anonymous_with("GET", "/api/common/user", None, &[("authorization", &bearer)]).await.status
}

#[tokio::test]
async fn refresh_replaces_the_token() {
    let app = TestApp::new().await;
    let first = sign_in(&app, "member@acme.example").await;
    let second = refresh(&app, &cookie(&first)).await;
    assert_eq!((second.status, look(&app, &second).await), (200, 200));
    assert_ne!(cookie(&first), cookie(&second));
    let third = refresh(&app, &cookie(&second)).await;
    assert_eq!((third.status, look(&app, &third).await), (200, 200));
}

#[tokio::test]
async fn lost_refresh_response_does_not_end_the_session() {
    let app = TestApp::new().await;
    let first = sign_in(&app, "member@acme.example").await;
    let lost = refresh(&app, &cookie(&first)).await;
    app.clock.advance(60_000);
    let again = refresh(&app, &cookie(&first)).await;
    assert_eq!(again.status, 200, "nobody used the successor");
    assert_eq!(cookie(&again), cookie(&lost), "each token has one successor");
    assert_eq!(refresh(&app, &cookie(&again)).await.status, 200);
}

#[tokio::test]
async fn either_of_two_refresh_responses_is_valid() {
    let app = TestApp::new().await;
    let first = sign_in(&app, "member@acme.example").await;
    let one = refresh(&app, &cookie(&first)).await;
    let other = refresh(&app, &cookie(&first)).await;
    assert_eq!((one.status, other.status), (200, 200));
    assert_eq!((look(&app, &one).await, look(&app, &other).await), (200, 200));
    // Two tabs refreshed at once, and the browser kept the cookie of the later response.
    let next = refresh(&app, &cookie(&one)).await;
    assert_eq!((next.status, refresh(&app, &cookie(&other)).await.status, look(&app, &next).await), (200, 200, 200));
    refresh(&app, &cookie(&other)).await.refused("not_signed_in");
}

#[tokio::test]
async fn concurrent_refreshes_return_the_same_token() {
    let app = TestApp::new().await;
    let first = sign_in(&app, "member@acme.example").await;
    let shown = cookie(&first);
    let answers = futures_util::future::join_all((0..20).map(|_| refresh(&app, &shown))).await;
    let cookies: HashSet<String> = answers.iter().map(cookie).collect();
    assert_eq!(cookies.len(), 1, "one successor, whichever answer the browser keeps");
    let kept = cookies.into_iter().next().unwrap();
    for answer in &answers {
        assert_eq!(look(&app, answer).await, 200);
    }
    let next = refresh(&app, &kept).await;
    assert_eq!((next.status, look(&app, &next).await), (200, 200));
    assert!(!app.audit(app.acme.id).await.contains(&"session.theft".to_owned()));
}

#[tokio::test]
async fn reused_token_ends_the_session_and_notifies_the_member() {
    for (locale, title) in [("en", "One of your sessions was ended"), ("es", "Hemos cerrado una de tus sesiones")] {
        let app = TestApp::new().await;
        let other = app.acme(Role::Member).await;
        other.patch("/api/common/user", json!({"locale": locale})).await.expect(200);
        let first = sign_in(&app, "member@acme.example").await;
        let second = refresh(&app, &cookie(&first)).await;
        assert_eq!(look(&app, &second).await, 200, "the successor is used");
        refresh(&app, &cookie(&first)).await.refused("not_signed_in");
        assert_eq!(look(&app, &second).await, 401, "the session is over");
        refresh(&app, &cookie(&second)).await.refused("not_signed_in");
        let notified = other.get("/api/common/notifications").await.expect(200);
        let [notice, device] = notified.as_array().unwrap().as_slice() else { panic!("each told once: {notified}") };
        assert_eq!((device["kind"].as_str(), device["link"].as_str()), (Some("security"), Some("/settings/security")));
        assert_eq!((notice["title"].as_str(), notice["read"].as_bool()), (Some(title), Some(false)));
        assert!(notice["description"].as_str().unwrap().contains("0.0.0.0"), "{notice}");
        assert_eq!((notice["link"].as_str(), notice["useRouter"].as_bool()), (Some("/settings/security"), Some(true)));
        let colleague = app.acme(Role::Admin).await;
        assert_eq!(colleague.get("/api/common/notifications").await.expect(200), json!([]));
    }
}

#[tokio::test]
async fn refresh_token_stays_valid_across_a_tenant_suspension() {
    let app = TestApp::new().await;
    let first = sign_in(&app, "member@acme.example").await;
    let state = |state| {
        let work = move |tx: &TenantWrite<'_>| {
            tx.update::<Company>(Company::id(tx.tenant()), None, |company| {
                company.state = state;
                Ok(())
            })
        };
        app.app.store().write(app.acme.id, Actor::Operator, work)
    };
    state(CompanyState::Suspended).await.unwrap();
    refresh(&app, &cookie(&first)).await.refused("not_signed_in");
    app.clock.advance(120_000);
    state(CompanyState::Active).await.unwrap();
    assert_eq!(refresh(&app, &cookie(&first)).await.status, 200, "it was not used up by being refused");
}

#[tokio::test]
async fn eleventh_session_ends_the_oldest_and_expired_sessions_are_removed() {
    let app = TestApp::new().await;
    let first = sign_in(&app, "member@acme.example").await;
    let admin = sign_in(&app, "admin@acme.example").await;
    for _ in 0..10 {
        app.clock.advance(1_000);
        assert_eq!(sign_in(&app, "member@acme.example").await.status, 200);
    }
    assert_eq!((look(&app, &first).await, look(&app, &admin).await), (401, 200));
    let kept = || app.app.store().snapshot().unwrap().tenant(app.acme.id, None).count::<Session>();
    assert_eq!(kept().unwrap(), 11);
    app.clock.advance(13 * 3_600_000);
    assert_eq!(sign_in(&app, "owner@acme.example").await.status, 200);
    assert_eq!(kept().unwrap(), 1);
}

#[tokio::test]
async fn concurrent_sign_in_attempts_are_each_counted() {
    let app = TestApp::new().await;
    let form = json!({"email": "member@acme.example", "password": "a wrong guess of mine"}).to_string();
    let mut guesses = tokio::task::JoinSet::new();
    for _ in 0..40 {
        let request = Request::builder().method(Method::POST).uri("/api/auth/sign-in".parse().unwrap());
        let client = app.client.clone();
        let request = request.content_type("application/json").body(form.clone());
        guesses.spawn(async move { client.get_response(request).await.status().as_u16() });
    }
    let answers = guesses.join_all().await;
    let of = |status| answers.iter().filter(|got| **got == status).count();
    assert_eq!((of(400), of(429)), (5, 35), "five are looked at");
}
