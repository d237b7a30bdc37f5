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
async fn heard(who: &As, after: u64) -> Vec<Value> {
    let mut news = who.get(&format!("/api/live?after={after}&wait=0")).await.expect(200);
    assert_eq!(news["resync"], false);
    let mut frames = std::mem::take(news["frames"].as_array_mut().unwrap());
    frames.retain(|frame| frame["type"] != "presence.all");
    for frame in &mut frames {
        frame.as_object_mut().unwrap().remove("id");
    }
    frames
}

async fn place(who: &As) -> u64 {
    who.get("/api/live").await.expect(200)["at"].as_u64().unwrap()
}

/// Waits until the hub has published everything.
async fn all_told(app: &TestApp, who: &As, from: u64) {
    let last = app.app.store().snapshot().unwrap().last_change().unwrap();
    let mut at = from;
    while at < last {
        at = who.get(&format!("/api/live?after={at}&wait=25")).await.expect(200)["at"].as_u64().unwrap();
    }
}

#[tokio::test]
async fn an_open_screen_hears_of_its_own_and_of_nobody_elses() {
    let app = TestApp::new().await;
    let ada = app.acme(Role::Member).await;
    let bob = app.acme(Role::Viewer).await;
    let mine = place(&ada).await;
    let his = place(&bob).await;
    let shortcut = json!({"label": "Tasks", "icon": "check", "link": "/tasks", "useRouter": true});
    let made = ada.post("/api/common/shortcuts", json!({"shortcut": shortcut})).await.expect(200);
    all_told(&app, &ada, mine).await;
    let data = json!({"kind": "shortcut", "recordId": made["id"], "version": 1, "op": "created", "memberId": ada.id});
    assert_eq!(heard(&ada, mine).await, [json!({"type": "record.changed", "data": data})]);
    assert_eq!(heard(&bob, his).await, [json!(null); 0]);
    ada.get("/api/live?wait=26").await.refused("invalid");
}

#[test]
fn what_is_told_and_to_whom_is_one_list() {
    let told = |audience: AudienceRule| match audience {
        AudienceRule::Holders(right) => right.as_str(),
        AudienceRule::HoldersOrRestricted(..) => "read, or few",
        AudienceRule::Owner => "its owner",
        AudienceRule::Members(_) => "those concerned",
    };
    let list: BTreeMap<_, _> = features::live_kinds().map(|news| (news.kind, told(news.to))).collect();
    assert_eq!(features::live_kinds().count(), list.len(), "a kind stands in the list twice");
    let expected = [
        ("chat", "its owner"),
        ("chat_message", "those concerned"),
        ("chat_read", "those concerned"),
        ("company", "read"),
        ("customer", "read"),
        ("event", "read"),
        ("member", "read"),
        ("message", "its owner"),
        ("notification", "its owner"),
        ("page", "read, or few"),
        ("shortcut", "its owner"),
        ("task", "read"),
    ];
    assert_eq!(list, BTreeMap::from(expected));
}

#[tokio::test]
async fn messages_and_notifications_come_whole_with_the_count() {
    let app = TestApp::new().await;
    let ada = app.acme(Role::Admin).await;
    let bob = app.acme(Role::Viewer).await;
    for kind in ["message", "notification"] {
        let path = format!("/api/common/{kind}s");
        let from = place(&bob).await;
        let theirs = place(&ada).await;
        let notice = json!({"title": "Hello", "useRouter": false, "to": [bob.id]});
        let made = ada.post(&path, json!({kind: notice})).await.expect(200);
        all_told(&app, &bob, from).await;
        let frames = heard(&bob, from).await;
        let data = json!({"item": made, "unread": 1});
        assert_eq!(frames, [json!({"type": format!("{kind}.created"), "data": data})]);
        assert_eq!(heard(&ada, theirs).await, [json!(null); 0], "not to who sent it");

        let from = place(&bob).await;
        bob.post(&format!("{path}/toggle-read-status"), json!({kind: {"id": made["id"], "read": true}}))
            .await
            .expect(200);
        all_told(&app, &bob, from).await;
        bob.delete(&format!("{path}?id={}", made["id"].as_str().unwrap())).await.expect(200);
        all_told(&app, &bob, from).await;
        bob.post(&format!("{path}/restore"), json!({"ids": [made["id"]]})).await.expect(200);
        all_told(&app, &bob, from).await;
        let frames = heard(&bob, from).await;
        let said: Vec<_> =
            frames.iter().map(|frame| (frame["type"].as_str().unwrap(), &frame["data"]["unread"])).collect();
        let word = |op: &str| format!("{kind}.{op}");
        let zero = json!(0);
        let updated = word("updated");
        let removed = word("removed");
        assert_eq!(said, [(&*updated, &zero), (&*removed, &zero), (&*updated, &zero)]);
    }
}

#[tokio::test]
async fn a_chat_message_comes_to_both_sides_as_each_sees_it() {
    let app = TestApp::new().await;
    let ada = app.acme(Role::Member).await;
    let bob = app.acme(Role::Viewer).await;
    let eve = app.acme(Role::Owner).await;
    let from = place(&ada).await;
    let chat = ada.post("/api/apps/chat/chat", json!({"contactId": bob.id})).await.expect(200);
    let line = json!({"chatId": chat["id"], "value": "Hello", "clientId": "c1"});
    ada.post("/api/apps/chat/messages", line).await.expect(201);
    all_told(&app, &ada, from).await;
    let said =
        |frames: Vec<Value>| frames.into_iter().filter(|frame| frame["type"] == "chat.message").collect::<Vec<_>>();
    let hers = said(heard(&ada, from).await);
    let his = said(heard(&bob, from).await);
    let of = |frames: &[Value]| {
        let message = &frames[0]["data"]["message"];
        (frames.len(), message["isMine"].clone(), message["clientId"].clone())
    };
    assert_eq!((of(&hers), of(&his)), ((1, json!(true), json!("c1")), (1, json!(false), json!(null))));
    assert_eq!(hers[0]["data"]["chatId"], chat["id"]);
    let changed = heard(&bob, from).await.into_iter().rfind(|frame| frame["type"] == "chat.changed").unwrap();
    assert_eq!((&changed["data"]["unread"], &changed["data"]["chat"]["contactId"]), (&json!(1), &json!(ada.id)));
    assert_eq!(heard(&eve, from).await, [json!(null); 0], "nobody else hears that they talk");
}

#[tokio::test]
async fn of_a_draft_only_who_may_read_it_hears_until_it_is_published() {
    let app = TestApp::new().await;
    let author = app.acme(Role::Member).await;
    let admin = app.acme(Role::Admin).await;
    let viewer = app.acme(Role::Viewer).await;
    let mut from = place(&viewer).await;
    let made = author.post("/api/pages", json!({"title": "Plan"})).await.expect(201);
    let path = format!("/api/pages/{}", made["id"].as_str().unwrap());
    let mut times = async || {
        all_told(&app, &author, from).await;
        let mut times = Vec::new();
        for who in [&author, &admin, &viewer] {
            let frames = heard(who, from).await;
            assert!(frames.iter().all(|frame| frame["data"]["recordId"] == made["id"]), "{frames:?}");
            times.push(frames.len());
        }
        from = place(&author).await;
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
async fn of_much_at_once_one_hears_that_there_was_much() {
    let app = TestApp::new().await;
    let bob = app.acme(Role::Viewer).await;
    for _ in 0..60 {
        let notice = json!({"message": {"title": "Hello", "useRouter": false}});
        bob.post("/api/common/messages", notice).await.expect(200);
    }
    let last = app.app.store().snapshot().unwrap().last_change().unwrap();
    all_told(&app, &bob, place(&bob).await).await;
    bob.get("/api/common/messages/mark-all-as-read").await.expect(200);
    all_told(&app, &bob, last).await;
    assert_eq!(heard(&bob, last).await, [json!({"type": "resync", "data": {}})]);
}
