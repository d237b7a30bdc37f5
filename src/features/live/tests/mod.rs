//! Long polling over HTTP.

mod matrix;
mod socket;
mod wire;

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::{
    feature::AudienceRule,
    features,
    people::permission::Role,
    testing::{As, TestApp},
};

/// The frames that a member gets after a sequence number, without waiting and without ids, and the new number.
async fn frames_after(who: &As, after: u64) -> Vec<Value> {
    let mut update = who.get(&format!("/api/live?after={after}&wait=0")).await.expect(200);
    assert_eq!(update["resync"], false);
    let mut frames = std::mem::take(update["frames"].as_array_mut().unwrap());
    frames.retain(|frame| frame["type"] != "presence.all");
    for frame in &mut frames {
        frame.as_object_mut().unwrap().remove("id");
    }
    frames
}

async fn ledger_seq(who: &As) -> u64 {
    who.get("/api/live").await.expect(200)["at"].as_u64().unwrap()
}

/// Waits until the hub has published everything.
async fn wait_until_published(app: &TestApp, who: &As, from: u64) {
    let last = app.app.store().snapshot().unwrap().last_change().unwrap();
    let mut at = from;
    while at < last {
        at = who.get(&format!("/api/live?after={at}&wait=25")).await.expect(200)["at"].as_u64().unwrap();
    }
}

#[tokio::test]
async fn personal_changes_are_sent_to_their_owner_only() {
    let app = TestApp::new().await;
    let ada = app.acme(Role::Member).await;
    let bob = app.acme(Role::Viewer).await;
    let hers = ledger_seq(&ada).await;
    let his = ledger_seq(&bob).await;
    let shortcut = json!({"label": "Tasks", "icon": "check", "link": "/tasks", "useRouter": true});
    let made = ada.post("/api/common/shortcuts", json!({"shortcut": shortcut})).await.expect(200);
    wait_until_published(&app, &ada, hers).await;
    let data = json!({"kind": "shortcut", "recordId": made["id"], "version": 1, "op": "created", "memberId": ada.id});
    assert_eq!(frames_after(&ada, hers).await, [json!({"type": "record.changed", "data": data})]);
    assert_eq!(frames_after(&bob, his).await, [json!(null); 0]);
    ada.get("/api/live?wait=26").await.refused("invalid");
}

#[test]
fn live_kinds_and_audiences_are_as_listed() {
    let recipients = |audience: AudienceRule| match audience {
        AudienceRule::Holders(right) => right.as_str(),
        AudienceRule::HoldersOrRestricted(..) => "read, or restricted",
        AudienceRule::Owner => "its owner",
        AudienceRule::Members(_) => "named members",
    };
    let list: BTreeMap<_, _> = features::live_kinds().map(|live| (live.kind, recipients(live.to))).collect();
    assert_eq!(features::live_kinds().count(), list.len(), "a kind is listed twice");
    let expected = [
        ("activity", "read, or restricted"),
        ("bulk_change", "read, or restricted"),
        ("chat", "its owner"),
        ("chat_message", "named members"),
        ("chat_read", "named members"),
        ("comment", "read, or restricted"),
        ("company", "read"),
        ("custom_field", "read"),
        ("customer", "customers.read"),
        ("customer_statuses", "customers.read"),
        ("deal", "read, or restricted"),
        ("duplicate_scan", "read"),
        ("event", "events.read"),
        ("import", "read, or restricted"),
        ("member", "read"),
        ("merge", "read"),
        ("message", "its owner"),
        ("notification", "its owner"),
        ("organization", "organizations.read"),
        ("page", "read, or restricted"),
        ("pipeline", "deals.read"),
        ("record_file", "read, or restricted"),
        ("record_link", "read, or restricted"),
        ("sample_data", "settings.company"),
        ("setup_card", "its owner"),
        ("shortcut", "its owner"),
        ("tag_change", "settings.company"),
        ("tags", "read"),
        ("task", "read, or restricted"),
        ("view", "read, or restricted"),
        ("view_defaults", "its owner"),
    ];
    assert_eq!(list, BTreeMap::from(expected));
}

#[tokio::test]
async fn notice_frames_have_the_item_and_the_unread_count() {
    let app = TestApp::new().await;
    let ada = app.acme(Role::Admin).await;
    let bob = app.acme(Role::Viewer).await;
    for kind in ["message", "notification"] {
        let path = format!("/api/common/{kind}s");
        let from = ledger_seq(&bob).await;
        let theirs = ledger_seq(&ada).await;
        let notice = json!({"title": "Hello", "useRouter": false, "to": [bob.id]});
        let made = ada.post(&path, json!({kind: notice})).await.expect(200);
        wait_until_published(&app, &bob, from).await;
        let frames = frames_after(&bob, from).await;
        let data = json!({"item": made, "unread": 1});
        assert_eq!(frames, [json!({"type": format!("{kind}.created"), "data": data})]);
        assert_eq!(frames_after(&ada, theirs).await, [json!(null); 0], "not to the sender");

        let from = ledger_seq(&bob).await;
        bob.post(&format!("{path}/toggle-read-status"), json!({kind: {"id": made["id"], "read": true}}))
            .await
            .expect(200);
        wait_until_published(&app, &bob, from).await;
        bob.delete(&format!("{path}?id={}", made["id"].as_str().unwrap())).await.expect(200);
        wait_until_published(&app, &bob, from).await;
        bob.post(&format!("{path}/restore"), json!({"ids": [made["id"]]})).await.expect(200);
        wait_until_published(&app, &bob, from).await;
        let frames = frames_after(&bob, from).await;
        let types: Vec<_> =
            frames.iter().map(|frame| (frame["type"].as_str().unwrap(), &frame["data"]["unread"])).collect();
        let frame_type = |op: &str| format!("{kind}.{op}");
        let zero = json!(0);
        let updated = frame_type("updated");
        let removed = frame_type("removed");
        assert_eq!(types, [(&*updated, &zero), (&*removed, &zero), (&*updated, &zero)]);
    }
}

#[tokio::test]
async fn chat_message_is_sent_to_both_members_as_each_sees_it() {
    let app = TestApp::new().await;
    let ada = app.acme(Role::Member).await;
    let bob = app.acme(Role::Viewer).await;
    let eve = app.acme(Role::Owner).await;
    let from = ledger_seq(&ada).await;
    let chat = ada.post("/api/apps/chat/chat", json!({"contactId": bob.id})).await.expect(200);
    let line = json!({"chatId": chat["id"], "value": "Hello", "clientId": "c1"});
    ada.post("/api/apps/chat/messages", line).await.expect(201);
    wait_until_published(&app, &ada, from).await;
    let messages =
        |frames: Vec<Value>| frames.into_iter().filter(|frame| frame["type"] == "chat.message").collect::<Vec<_>>();
    let hers = messages(frames_after(&ada, from).await);
    let his = messages(frames_after(&bob, from).await);
    let summary = |frames: &[Value]| {
        let message = &frames[0]["data"]["message"];
        (frames.len(), message["isMine"].clone(), message["clientId"].clone())
    };
    assert_eq!((summary(&hers), summary(&his)), ((1, json!(true), json!("c1")), (1, json!(false), json!(null))));
    assert_eq!(hers[0]["data"]["chatId"], chat["id"]);
    let changed = frames_after(&bob, from).await.into_iter().rfind(|frame| frame["type"] == "chat.changed").unwrap();
    assert_eq!((&changed["data"]["unread"], &changed["data"]["chat"]["contactId"]), (&json!(1), &json!(ada.id)));
    assert_eq!(frames_after(&eve, from).await, [json!(null); 0], "not to other members");
}

#[tokio::test]
async fn draft_changes_are_sent_to_its_readers_until_published() {
    let app = TestApp::new().await;
    let author = app.acme(Role::Member).await;
    let admin = app.acme(Role::Admin).await;
    let viewer = app.acme(Role::Viewer).await;
    let mut from = ledger_seq(&viewer).await;
    let made = author.post("/api/pages", json!({"title": "Plan"})).await.expect(201);
    let path = format!("/api/pages/{}", made["id"].as_str().unwrap());
    let mut times = async || {
        wait_until_published(&app, &author, from).await;
        let mut times = Vec::new();
        for who in [&author, &admin, &viewer] {
            let frames = frames_after(who, from).await;
            assert!(frames.iter().all(|frame| frame["data"]["recordId"] == made["id"]), "{frames:?}");
            times.push(frames.len());
        }
        from = ledger_seq(&author).await;
        times
    };
    assert_eq!(times().await, [1, 1, 0]);
    admin.patch(&path, json!({"title": "Our plan"})).await.expect(200);
    assert_eq!(times().await, [1, 1, 0]);
    author.patch(&path, json!({"status": "published"})).await.expect(200);
    assert_eq!(times().await, [1, 1, 1]);
    // A client that shows it learns that its member may no longer see it.
    author.patch(&path, json!({"status": "draft"})).await.expect(200);
    assert_eq!(times().await, [1, 1, 1]);
}

#[tokio::test]
async fn many_changes_at_once_send_resync() {
    let app = TestApp::new().await;
    let bob = app.acme(Role::Viewer).await;
    for _ in 0..60 {
        let notice = json!({"message": {"title": "Hello", "useRouter": false}});
        bob.post("/api/common/messages", notice).await.expect(200);
    }
    let last = app.app.store().snapshot().unwrap().last_change().unwrap();
    wait_until_published(&app, &bob, ledger_seq(&bob).await).await;
    bob.get("/api/common/messages/mark-all-as-read").await.expect(200);
    wait_until_published(&app, &bob, last).await;
    assert_eq!(frames_after(&bob, last).await, [json!({"type": "resync", "data": {}})]);
}
