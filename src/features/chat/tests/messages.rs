//! Changes to sent messages: edits, removals and reactions.

use serde_json::json;

use super::{MESSAGES, chat, groups, open, say, unread};
use crate::{people::permission::Role, testing::TestApp};

fn path(message: &serde_json::Value) -> String {
    format!("{MESSAGES}/{}", message["id"].as_str().unwrap())
}

#[tokio::test]
async fn ones_own_words_are_changed_for_a_quarter_of_an_hour_and_no_longer() {
    let app = TestApp::new().await;
    let ada = app.acme(Role::Member).await;
    let bob = app.acme(Role::Owner).await;
    let id = open(&ada, &bob).await;
    let said = say(&ada, &id, "helo").await;
    app.clock.advance(15 * 60_000);
    let ada = app.acme(Role::Member).await;
    let bob = app.acme(Role::Owner).await;
    let eve = app.acme(Role::Viewer).await;
    let edited = ada.patch(&path(&said), json!({"value": " hello "})).await.expect(200);
    assert_eq!((&edited["value"], &edited["editedAt"]), (&json!("hello"), &json!(app.clock.now().to_string())));
    let seen = chat(&bob, &id).await;
    assert_eq!(
        (&seen["messages"][0]["value"], &seen["lastMessage"], &seen["unreadCount"]),
        (&json!("hello"), &json!("hello"), &json!(1))
    );
    assert_eq!(seen["messages"][0]["createdAt"], said["createdAt"]);
    ada.patch(&path(&said), json!({"value": " "})).await.refused("invalid");
    bob.patch(&path(&said), json!({"value": "mine"})).await.refused("forbidden");
    bob.delete(&path(&said)).await.refused("forbidden");
    eve.patch(&path(&said), json!({"value": "mine"})).await.refused("not_found");
    eve.delete(&path(&said)).await.refused("not_found");
    app.clock.advance(1);
    let late = ada.patch(&path(&said), json!({"value": "hallo"})).await;
    late.refused("conflict");
    assert_eq!(late.body["error"]["message"], "You can only edit or delete a message within 15 minutes of sending it.");
    ada.delete(&path(&said)).await.refused("conflict");
    assert_eq!(chat(&ada, &id).await["messages"][0]["value"], "hello");
}

#[tokio::test]
async fn what_is_taken_back_leaves_only_that_it_was() {
    let app = TestApp::new().await;
    let ada = app.acme(Role::Member).await;
    let bob = app.acme(Role::Owner).await;
    let id = open(&ada, &bob).await;
    let body = json!({"chatId": id, "value": "secret", "clientId": "c"});
    let said = ada.post(MESSAGES, body.clone()).await.expect(201);
    let kept = say(&ada, &id, "kept").await;
    bob.post(&format!("{}/reactions", path(&said)), json!({"emoji": "👍", "on": true})).await.expect(200);
    assert_eq!(unread(&bob).await, 2);
    let removed = ada.delete(&path(&said)).await.expect(200);
    assert_eq!((&removed["removed"], &removed["value"], &removed["reactions"]), (&json!(true), &json!(""), &json!([])));
    assert_eq!(unread(&bob).await, 1, "what is gone is not unread");
    assert_eq!(ada.delete(&path(&said)).await.expect(200), removed, "a second time changes nothing");
    assert_eq!(ada.post(MESSAGES, body).await.expect(201)["removed"], true, "sent again it does not come back");
    ada.patch(&path(&said), json!({"value": "again"})).await.refused("conflict");
    bob.post(&format!("{}/reactions", path(&said)), json!({"emoji": "👍", "on": true})).await.refused("conflict");
    ada.delete(&path(&kept)).await.expect(200);
    let seen = chat(&bob, &id).await;
    assert_eq!((&seen["lastMessage"], &seen["unreadCount"]), (&json!("This message was deleted"), &json!(0)));
    let raw = app.app.store().snapshot().unwrap();
    let mut left = 0;
    let secret = |payload: &[u8]| payload.windows(6).any(|bytes| bytes == b"secret");
    raw.tenant(app.acme.id, None)
        .each_payload(|payload| {
            left += usize::from(secret(payload));
            Ok(())
        })
        .unwrap();
    assert_eq!(left, 0, "nothing of it is kept");
}

#[tokio::test]
async fn a_reaction_is_said_once_by_each() {
    let app = TestApp::new().await;
    let ada = app.acme(Role::Member).await;
    let bob = app.acme(Role::Owner).await;
    let eve = app.acme(Role::Viewer).await;
    let id = open(&ada, &bob).await;
    let said = say(&ada, &id, "cake").await;
    let reactions = format!("{}/reactions", path(&said));
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
        let seen = who.post(&reactions, json!({"emoji": emoji, "on": on})).await.expect(200);
        assert_eq!(seen["reactions"], expected);
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
async fn what_happened_to_a_group_is_nobodys_words() {
    let app = TestApp::new().await;
    let ada = app.acme(Role::Member).await;
    let bob = app.acme(Role::Owner).await;
    let id = groups::group(&ada, "Office", &[&bob]).await;
    let event = chat(&ada, &id).await["messages"][0].clone();
    ada.patch(&path(&event), json!({"value": "x"})).await.refused("forbidden");
    ada.delete(&path(&event)).await.refused("forbidden");
    bob.post(&format!("{}/reactions", path(&event)), json!({"emoji": "🎉", "on": true})).await.refused("forbidden");
}
