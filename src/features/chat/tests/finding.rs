//! Search of chat messages: only in conversations that the member is in, from joining until leaving.

use serde_json::{Value, json};

use super::{CHAT, MESSAGES, groups, open, send_text};
use crate::{
    features::chat::{Conversation, find::search_scopes},
    kernel::{Code, SearchScope},
    people::permission::Role,
    testing::{As, TestApp},
};

async fn find(who: &As, query: &str) -> Vec<String> {
    let found = who.get(&format!("/api/apps/chat/search?q={query}")).await.expect(200);
    found["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|item| item["message"]["value"].as_str().unwrap().to_owned())
        .collect()
}

async fn find_globally(who: &As, query: &str) -> Vec<Value> {
    let sets = who.post("/api/common/search", json!({"query": query})).await.expect(200);
    let chat = sets.as_array().unwrap().iter().filter(|set| set["id"] == "chat");
    chat.flat_map(|set| set["results"].as_array().unwrap().clone()).collect()
}

#[tokio::test]
async fn search_finds_messages_of_own_conversations_only() {
    let app = TestApp::new().await;
    let ada = app.acme(Role::Member).await;
    let bob = app.acme(Role::Viewer).await;
    let eve = app.acme(Role::Owner).await;
    let dan = app.acme(Role::Admin).await;
    let pair = open(&ada, &bob).await;
    let group = groups::group(&ada, "Office", &[&eve]).await;
    let sent = send_text(&ada, &pair, "The kanarium invoice for José").await;
    app.clock.advance(1);
    send_text(&eve, &group, "A kanarium of our own").await;
    // The other tenant has the same words.
    let frank = app.other(Role::Owner).await;
    let gina = app.other(Role::Member).await;
    let theirs = open(&frank, &gina).await;
    send_text(&frank, &theirs, "Our kanarium").await;

    // The author finds their message at once; others may have to wait for the index.
    for (who, expected) in [
        (&ada, vec!["A kanarium of our own", "The kanarium invoice for José"]),
        (&bob, vec!["The kanarium invoice for José"]),
        (&eve, vec!["A kanarium of our own"]),
        (&dan, vec![]),
        (&gina, vec!["Our kanarium"]),
    ] {
        app.app.engine().wait_until(app.app.store().snapshot().unwrap().last_change().unwrap(), INDEX_TIMEOUT).await;
        for query in ["kanarium", "kanari", "kanaruim"] {
            assert_eq!(find(who, query).await, expected, "{query}");
            assert_eq!(find_globally(who, query).await.len(), expected.len(), "{query}");
        }
    }
    assert_eq!(find(&bob, "jose").await.len(), 1);
    assert_eq!(find(&bob, "k").await.len(), 0);
    let found = bob.get("/api/apps/chat/search?q=kanarium").await.expect(200)["items"][0].clone();
    assert_eq!(found["chat"], json!({"id": pair, "name": "member of acme"}));
    assert_eq!((&found["message"]["id"], &found["message"]["isMine"]), (&sent["id"], &json!(false)));
    let shown = &find_globally(&eve, "kanarium").await[0];
    assert_eq!((&shown["title"], &shown["value"]), (&json!("Office"), &json!("A kanarium of our own")));
    assert!(shown["link"].as_str().unwrap().starts_with(&format!("/chat/{group}?message=")));

    let only = ada.get(&format!("/api/apps/chat/search?q=kanarium&chatId={pair}")).await.expect(200);
    assert_eq!(only["items"].as_array().unwrap().len(), 1);
    for id in [pair.as_str(), theirs.as_str(), "x"] {
        dan.get(&format!("/api/apps/chat/search?q=kanarium&chatId={id}")).await.refused("not_found");
    }
    dan.get("/api/apps/chat/search?q=kanarium&limit=51").await.refused("invalid");
}

/// Checks the scopes that the index is asked for. The results do not show them, because they are filtered again when
/// read.
#[tokio::test]
async fn search_is_limited_to_own_conversations() {
    let app = TestApp::new().await;
    let ada = app.acme(Role::Member).await;
    let bob = app.acme(Role::Owner).await;
    let eve = app.acme(Role::Viewer).await;
    let pair = open(&ada, &bob).await;
    let group = groups::group(&bob, "Office", &[&eve]).await;
    let named = |who: &As| {
        let snapshot = app.app.store().snapshot().unwrap();
        search_scopes(&snapshot.tenant(app.acme.id, Some(who.id)), None).unwrap()
    };
    let scope = |id: &str| SearchScope::of::<Conversation>(id.parse().unwrap());
    assert_eq!(named(&ada), [scope(&pair)]);
    assert_eq!(named(&bob).len(), 2);
    assert_eq!(named(&eve), [scope(&group)]);
    eve.delete(&format!("/api/apps/chat/groups/{group}/membership")).await.expect(204);
    assert_eq!(named(&eve), []);
    let snapshot = app.app.store().snapshot().unwrap();
    let stranger = snapshot.tenant(app.acme.id, Some(eve.id));
    assert_eq!(search_scopes(&stranger, Some(&pair)).unwrap_err().code(), Code::NotFound);
}

const INDEX_TIMEOUT: std::time::Duration = std::time::Duration::from_secs(20);

#[tokio::test]
async fn new_member_finds_earlier_messages_and_removed_member_finds_none() {
    let app = TestApp::new().await;
    let ada = app.acme(Role::Member).await;
    let bob = app.acme(Role::Owner).await;
    let eve = app.acme(Role::Viewer).await;
    let id = groups::group(&ada, "Office", &[&bob]).await;
    let sent = send_text(&ada, &id, "kanarium").await;
    assert_eq!(find(&ada, "kanarium").await.len(), 1);
    assert_eq!(find(&eve, "kanarium").await.len(), 0);
    groups::change(&ada, &id, json!({"add": [eve.id.to_string()]})).await;
    assert_eq!(find(&eve, "kanarium").await.len(), 1);
    groups::change(&ada, &id, json!({"remove": [eve.id.to_string()]})).await;
    assert_eq!((find(&eve, "kanarium").await.len(), find_globally(&eve, "kanarium").await.len()), (0, 0));
    bob.delete(&format!("/api/apps/chat/groups/{id}/membership")).await.expect(204);
    assert_eq!(find(&bob, "kanarium").await.len(), 0);
    // An edited message is found by its new words, a removed one by none.
    let path = format!("{MESSAGES}/{}", sent["id"].as_str().unwrap());
    ada.patch(&path, json!({"value": "nightingale"})).await.expect(200);
    assert_eq!((find(&ada, "kanarium").await.len(), find(&ada, "nightingale").await.len()), (0, 1));
    ada.delete(&path).await.expect(200);
    assert_eq!(find(&ada, "nightingale").await.len(), 0);
    ada.get(&format!("{CHAT}?id={id}")).await.expect(200);
}
