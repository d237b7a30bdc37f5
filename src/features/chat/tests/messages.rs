//! Changes to sent messages: edits, removals and reactions.

use serde_json::json;

use super::{MESSAGES, chat, groups, open, send_text, unread};
use crate::{people::permission::Role, testing::TestApp};

fn path(message: &serde_json::Value) -> String {
    format!("{MESSAGES}/{}", message["id"].as_str().unwrap())
}

#[tokio::test]
async fn author_edits_message_for_fifteen_minutes() {
    let app = TestApp::new().await;
    let ada = app.acme(Role::Member).await;
    let bob = app.acme(Role::Owner).await;
    let id = open(&ada, &bob).await;
    let sent = send_text(&ada, &id, "helo").await;
    app.clock.advance(15 * 60_000);
    let ada = app.acme(Role::Member).await;
    let bob = app.acme(Role::Owner).await;
    let eve = app.acme(Role::Viewer).await;
    let edited = ada.patch(&path(&sent), json!({"value": " hello "})).await.expect(200);
    assert_eq!((&edited["value"], &edited["editedAt"]), (&json!("hello"), &json!(app.clock.now().to_string())));
    let view = chat(&bob, &id).await;
    assert_eq!(
        (&view["messages"][0]["value"], &view["lastMessage"], &view["unreadCount"]),
        (&json!("hello"), &json!("hello"), &json!(1))
    );
    assert_eq!(view["messages"][0]["createdAt"], sent["createdAt"]);
    ada.patch(&path(&sent), json!({"value": " "})).await.refused("invalid");
    bob.patch(&path(&sent), json!({"value": "mine"})).await.refused("forbidden");
    bob.delete(&path(&sent)).await.refused("forbidden");
    eve.patch(&path(&sent), json!({"value": "mine"})).await.refused("not_found");
    eve.delete(&path(&sent)).await.refused("not_found");
    app.clock.advance(1);
    let late = ada.patch(&path(&sent), json!({"value": "hallo"})).await;
    late.refused("conflict");
    assert_eq!(late.body["error"]["message"], "You can only edit or delete a message within 15 minutes of sending it.");
    ada.delete(&path(&sent)).await.refused("conflict");
    assert_eq!(chat(&ada, &id).await["messages"][0]["value"], "hello");
}

#[tokio::test]
async fn removed_message_keeps_no_content() {
    let app = TestApp::new().await;
    let ada = app.acme(Role::Member).await;
    let bob = app.acme(Role::Owner).await;
    let id = open(&ada, &bob).await;
    let body = json!({"chatId": id, "value": "secret", "clientId": "c"});
    let sent = ada.post(MESSAGES, body.clone()).await.expect(201);
    let kept = send_text(&ada, &id, "kept").await;
    bob.post(&format!("{}/reactions", path(&sent)), json!({"emoji": "👍", "on": true})).await.expect(200);
    assert_eq!(unread(&bob).await, 2);
    let removed = ada.delete(&path(&sent)).await.expect(200);
    assert_eq!((&removed["removed"], &removed["value"], &removed["reactions"]), (&json!(true), &json!(""), &json!([])));
    assert_eq!(unread(&bob).await, 1, "a removed message is not unread");
    assert_eq!(ada.delete(&path(&sent)).await.expect(200), removed, "a second time changes nothing");
    assert_eq!(ada.post(MESSAGES, body).await.expect(201)["removed"], true, "sending it again does not restore it");
    ada.patch(&path(&sent), json!({"value": "again"})).await.refused("conflict");
    bob.post(&format!("{}/reactions", path(&sent)), json!({"emoji": "👍", "on": true})).await.refused("conflict");
    ada.delete(&path(&kept)).await.expect(200);
    let view = chat(&bob, &id).await;
    assert_eq!((&view["lastMessage"], &view["unreadCount"]), (&json!("This message was deleted"), &json!(0)));
    let raw = app.app.store().snapshot().unwrap();
    let mut left = 0;
    let secret = |payload: &[u8]| payload.windows(6).any(|bytes| bytes == b"secret");
    raw.tenant(app.acme.id, None)
        .each_payload(|payload| {
            left += usize::from(secret(payload));
            Ok(())
        })
        .unwrap();
    assert_eq!(left, 0, "its content is deleted");
}

#[tokio::test]
async fn reaction_counts_once_per_member() {
    let app = TestApp::new().await;
    let ada = app.acme(Role::Member).await;
    let bob = app.acme(Role::Owner).await;
    let eve = app.acme(Role::Viewer).await;
    let id = open(&ada, &bob).await;
    let sent = send_text(&ada, &id, "cake").await;
    let reactions = format!("{}/reactions", path(&sent));
    let a = ada.id.to_string();
    let b = bob.id.to_string();
    for (who, emoji, on, expected) in [
        (&bob, "🎉", true, json!([{"emoji": "🎉", "memberIds": [b]}])),
        (&bob, "🎉", true, json!([{"emoji": "🎉", "memberIds": [b]}])),
        (&ada, "❤️", true, json!([{"emoji": "🎉", "memberIds": [b]}, {"emoji": "❤️", "memberIds": [a]}])),
        (&ada, "🎉", true, json!([{"emoji": "🎉", "memberIds": [b, a]}, {"emoji": "❤️", "memberIds": [a]}])),
        (&ada, "👎", false, json!([{"emoji": "🎉", "memberIds": [b, a]}, {"emoji": "❤️", "memberIds": [a]}])),
        (&ada, "❤️", false, json!([{"emoji": "🎉", "memberIds": [b, a]}])),
    ] {
        let view = who.post(&reactions, json!({"emoji": emoji, "on": on})).await.expect(200);
        assert_eq!(view["reactions"], expected);
    }
    assert_eq!(unread(&ada).await, 0, "a reaction is no message");
    eve.post(&reactions, json!({"emoji": "🎉", "on": true})).await.refused("not_found");
    for nonsense in ["", "yes", "<b>", "👍👍", &"👨\u{200D}".repeat(20)] {
        let refused = bob.post(&reactions, json!({"emoji": nonsense, "on": true})).await;
        assert!(refused.body["error"]["fields"]["emoji"].is_string(), "{nonsense}: {}", refused.body);
    }
    for emoji in ('\u{1F600}'..='\u{1F612}').map(String::from) {
        bob.post(&reactions, json!({"emoji": emoji, "on": true})).await.expect(200);
    }
    bob.post(&reactions, json!({"emoji": "🐢", "on": true})).await.refused("conflict");
    bob.post(&reactions, json!({"emoji": "😀", "on": false})).await.expect(200);
    bob.post(&reactions, json!({"emoji": "🐢", "on": true})).await.expect(200);
}

#[tokio::test]
async fn group_events_cannot_be_edited_or_removed() {
    let app = TestApp::new().await;
    let ada = app.acme(Role::Member).await;
    let bob = app.acme(Role::Owner).await;
    let id = groups::group(&ada, "Office", &[&bob]).await;
    let event = chat(&ada, &id).await["messages"][0].clone();
    ada.patch(&path(&event), json!({"value": "x"})).await.refused("forbidden");
    ada.delete(&path(&event)).await.refused("forbidden");
    bob.post(&format!("{}/reactions", path(&event)), json!({"emoji": "🎉", "on": true})).await.refused("forbidden");
}
