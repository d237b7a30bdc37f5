//! Disk failure tests: on a full or failing disk, members can still read and stay signed in, and see why nothing is
//! saved. When the disk works again, everything works as before.

use std::{io::ErrorKind, sync::Arc};

use serde_json::json;

use crate::{
    people::permission::Role,
    store::{
        Health,
        tests::sim::{Fault, Sim},
    },
    testing::{Got, LogLines, PASSWORD, TestApp},
};

async fn sign_in(app: &TestApp) -> (Got, String) {
    let form = json!({"email": "member@acme.example", "password": PASSWORD});
    let got = app.anonymous("POST", "/api/auth/sign-in", Some(form)).await;
    let cookie = got.headers.get("set-cookie").and_then(|cookie| cookie.to_str().ok()?.split(';').next());
    let cookie = cookie.unwrap_or_default().to_owned();
    (got, cookie)
}

async fn with_cookie(app: &TestApp, call: &str, cookie: &str) -> Got {
    app.anonymous_with("POST", &format!("/api/auth/{call}"), Some(json!({})), &[("cookie", cookie)]).await
}

async fn ready(app: &TestApp) -> serde_json::Value {
    app.anonymous("GET", "/health/ready", None).await.expect(200)
}

/// The value that the interface reads at its start and after every refused change.
async fn writable(app: &TestApp) -> serde_json::Value {
    app.anonymous("GET", "/api/global/version", None).await.expect(200)["writable"].clone()
}

#[tokio::test]
async fn full_disk_keeps_sessions_and_reads_and_rejects_writes_with_a_reason() {
    let disk = Arc::new(Sim::default());
    let app = TestApp::on(disk.clone()).await;
    let member = app.acme(Role::Member).await;
    let (_, cookie) = sign_in(&app).await;
    assert_eq!(ready(&app).await, json!({"status": "ok"}));
    assert_eq!(writable(&app).await, true);

    disk.state().free = Some(100 << 20);
    assert_eq!(writable(&app).await, false, "seen without a write");
    for _ in 0..2 {
        let refused = member.post("/api/tasks", json!({"title": "Lost"})).await;
        refused.refused("busy");
        assert!(refused.body["error"]["message"].as_str().unwrap().contains("disk of the server is full"));
        assert_eq!(refused.headers["retry-after"], "10");
    }
    // No email is promised that cannot be queued.
    for call in ["forgot-password", "resend-confirmation"] {
        let form = json!({"email": "member@acme.example"});
        app.anonymous("POST", &format!("/api/auth/{call}"), Some(form)).await.refused("busy");
    }
    assert_eq!(member.get("/api/tasks").await.expect(200)["items"], json!([]));
    assert_eq!(ready(&app).await, json!({"status": "degraded", "reasons": ["disk-full"]}));
    let condition = app.app.watch().condition().unwrap();
    let free = (100 << 20) - disk.state().reserve;
    assert_eq!((condition.writable, condition.disk_free), (false, Some(free)));
    // Sessions can still be refreshed, created and ended.
    let refreshed = with_cookie(&app, "refresh", &cookie).await;
    let cookie = refreshed.headers["set-cookie"].to_str().unwrap().split(';').next().unwrap().to_owned();
    refreshed.expect(200);
    let (fresh, other) = sign_in(&app).await;
    fresh.expect(200);
    with_cookie(&app, "sign-out", &other).await.expect(204);
    with_cookie(&app, "refresh", &other).await.refused("not_signed_in");
    // Only administrators and owners are notified.
    app.app.watch().notify_full_disk().await.unwrap();
    let told = async |role| {
        let member = app.acme(role).await;
        member.get("/api/common/notifications").await.expect(200).to_string().contains("Nothing can be saved right now")
    };
    assert!(told(Role::Admin).await && told(Role::Owner).await && !told(Role::Viewer).await);

    // Sessions work even when no byte is free.
    disk.state().free = Some(0);
    let refreshed = with_cookie(&app, "refresh", &cookie).await;
    let cookie = refreshed.headers["set-cookie"].to_str().unwrap().split(';').next().unwrap().to_owned();
    refreshed.expect(200);
    member.get("/api/tasks").await.expect(200);
    member.post("/api/tasks", json!({"title": "Lost"})).await.refused("busy");

    disk.state().free = None;
    assert_eq!(ready(&app).await, json!({"status": "ok"}), "seen without a write");
    assert_eq!(writable(&app).await, true, "seen without a write");
    member.post("/api/tasks", json!({"title": "Kept"})).await.expect(201);
    with_cookie(&app, "refresh", &cookie).await.expect(200);
}

#[tokio::test]
async fn full_disk_and_its_end_are_each_logged_once() {
    let (log, _guard) = LogLines::of_this_thread(tracing::Level::INFO);
    let disk = Arc::new(Sim::default());
    let app = TestApp::on(disk.clone()).await;
    let member = app.acme(Role::Member).await;
    let lines = |part: &str| log.text().lines().filter(|line| line.contains(part)).count();
    for round in 1..=2 {
        disk.state().free = Some(100 << 20);
        for _ in 0..5 {
            ready(&app).await;
            member.post("/api/tasks", json!({"title": "Lost"})).await.refused("busy");
        }
        assert_eq!(lines("the disk is nearly full; the store is read only"), round);
        disk.state().free = None;
        for _ in 0..5 {
            ready(&app).await;
            member.post("/api/tasks", json!({"title": "Kept"})).await.expect(201);
        }
        assert_eq!(lines("the store takes writes again"), round);
    }
    let serious = log.text().lines().filter(|line| line.contains("ERROR") || line.contains("WARN")).count();
    assert_eq!(serious, 2, "{}", log.text());
}

#[tokio::test]
async fn failing_disk_keeps_reads_and_recovers() {
    let disk = Arc::new(Sim::default());
    let app = TestApp::on(disk.clone()).await;
    let member = app.acme(Role::Member).await;
    member.post("/api/tasks", json!({"title": "Before"})).await.expect(201);
    let at = disk.calls() + 1;
    disk.state().fault = Some(Fault { at, lasting: true, kind: ErrorKind::Other });
    for _ in 0..3 {
        let refused = member.post("/api/tasks", json!({"title": "Lost"})).await;
        refused.refused("busy");
    }
    let message = member.post("/api/tasks", json!({"title": "Lost"})).await.body["error"]["message"].to_string();
    assert!(message.contains("disk has a problem"), "{message}");
    assert_eq!(member.get("/api/tasks").await.expect(200)["items"][0]["title"], "Before");
    assert_eq!(ready(&app).await, json!({"status": "degraded", "reasons": ["disk-failing"]}));
    assert_eq!(writable(&app).await, false);
    disk.state().fault = None;
    app.app.store().health().wait_for(|health| *health == Health::Working).await.unwrap();
    assert_eq!(ready(&app).await, json!({"status": "ok"}));
    assert_eq!(writable(&app).await, true);
    member.post("/api/tasks", json!({"title": "After"})).await.expect(201);
    assert_eq!(member.get("/api/tasks").await.expect(200)["items"].as_array().unwrap().len(), 2);
}

/// Work that stays "running" until the next restart after a short fault of the disk, so that all other work of the company
/// is refused.
#[tokio::test]
async fn work_in_steps_goes_on_after_the_disk_failed() {
    let disk = Arc::new(Sim::default());
    let app = TestApp::on(disk.clone()).await;
    let admin = app.acme(Role::Admin).await;
    let rows = (0..120).map(|n| format!("Person {n},old\n")).collect::<Vec<_>>().concat();
    let fail_and_heal = async || {
        disk.state().reads_fail = true;
        let at = disk.calls() + 1;
        disk.state().fault = Some(Fault { at, lasting: true, kind: ErrorKind::Other });
        let mut health = app.app.store().health();
        // The work may be over already.
        admin.post("/api/tasks", json!({"title": "Lost"})).await.refused("busy");
        health.wait_for(|health| matches!(health, Health::Failing { .. })).await.unwrap();
        disk.state().reads_fail = false;
        disk.state().fault = None;
        health.wait_for(|health| *health == Health::Working).await.unwrap();
    };
    let import = admin.begin_import("customers", &format!("Name,Tags\n{rows}")).await;
    fail_and_heal().await;
    let import = admin.import_over(&import).await;
    assert_eq!((&import["state"], &import["counts"]["created"]), (&json!("done"), &json!(120)), "{import}");
    let bulk = json!({"kind": "customers", "change": {"status": "inactive"}});
    let bulk = admin.post("/api/bulk", bulk).await.expect(202);
    fail_and_heal().await;
    let bulk = admin.bulk_over(&bulk).await;
    assert_eq!((&bulk["state"], &bulk["changed"]), (&json!("done"), &json!(120)), "{bulk}");
    let tag = admin.post("/api/tags/rename", json!({"from": "old", "to": "new"})).await.expect(202);
    fail_and_heal().await;
    let tag = admin.tag_change_over(&tag).await;
    assert_eq!((&tag["state"], &tag["changed"]), (&json!("done"), &json!(120)), "{tag}");
}
