//! Chat over HTTP.

mod finding;
mod groups;
mod messages;
mod model;
mod reading;
mod references;

use serde_json::{Value, json};

use crate::{
    people::{
        members::{MemberRecord, MemberState},
        permission::Role,
    },
    store::{Actor, TenantWrite},
    testing::{As, TestApp},
};

const CHAT: &str = "/api/apps/chat/chat";
const CHATS: &str = "/api/apps/chat/chats";
const MESSAGES: &str = "/api/apps/chat/messages";

async fn open(who: &As, with: &As) -> String {
    let chat = who.post(CHAT, json!({"contactId": with.id.to_string()})).await.expect(200);
    chat["id"].as_str().unwrap().to_owned()
}

async fn send_text(who: &As, chat: &str, value: &str) -> Value {
    who.post(MESSAGES, json!({"chatId": chat, "value": value})).await.expect(201)
}

async fn chat(who: &As, id: &str) -> Value {
    who.get(&format!("{CHAT}?id={id}")).await.expect(200)
}

async fn unread(who: &As) -> Value {
    who.get("/api/apps/chat/unread").await.expect(200)["unread"].clone()
}

#[tokio::test]
async fn both_members_see_one_conversation() {
    let app = TestApp::new().await;
    let ada = app.acme(Role::Viewer).await;
    let bob = app.acme(Role::Owner).await;
    let id = open(&ada, &bob).await;
    assert_eq!(open(&bob, &ada).await, id, "also when the other member opens it");
    let sent = send_text(&ada, &id, " Hello\u{7}, <b>Bob</b>\n").await;
    let at = app.clock.now().to_string();
    let expected = json!({"id": sent["id"], "chatId": id, "contactId": ada.id.to_string(), "value": "Hello, <b>Bob</b>",
        "createdAt": at, "isMine": true, "kind": "text", "removed": false, "reactions": [], "attachments": [],
        "mentions": [], "references": []});
    assert_eq!(sent, expected);
    app.clock.advance(1_000);
    send_text(&bob, &id, "Hello, Ada").await;

    let view = chat(&ada, &id).await;
    assert_eq!(view["contactId"], bob.id.to_string());
    assert_eq!(view["contact"]["name"], bob.get("/api/common/user").await.expect(200)["name"]);
    assert_eq!((&view["unreadCount"], &view["muted"]), (&json!(1), &json!(false)));
    assert_eq!(
        (&view["lastMessage"], &view["lastMessageAt"]),
        (&json!("Hello, Ada"), &json!(app.clock.now().to_string()))
    );
    let authors = |chat: &Value| -> Vec<(String, bool)> {
        let messages = chat["messages"].as_array().unwrap().iter();
        messages.map(|m| (m["contactId"].as_str().unwrap().to_owned(), m["isMine"] == true)).collect()
    };
    let of_ada = ada.id.to_string();
    let of_bob = bob.id.to_string();
    assert_eq!(ada.get("/api/apps/chat/profile").await.expect(200)["id"], of_ada);
    assert_eq!(authors(&view), [(of_ada.clone(), true), (of_bob.clone(), false)]);
    assert_eq!(authors(&chat(&bob, &id).await), [(of_ada, false), (of_bob, true)]);
}

#[tokio::test]
async fn unread_messages_are_counted_per_member() {
    let app = TestApp::new().await;
    let ada = app.acme(Role::Member).await;
    let bob = app.acme(Role::Owner).await;
    let eve = app.acme(Role::Admin).await;
    let with_bob = open(&ada, &bob).await;
    let with_eve = open(&ada, &eve).await;
    for text in ["one", "two"] {
        send_text(&bob, &with_bob, text).await;
    }
    app.clock.advance(1);
    send_text(&eve, &with_eve, "three").await;
    assert_eq!((unread(&ada).await, unread(&bob).await), (json!(3), json!(0)));
    let list = ada.get(CHATS).await.expect(200);
    let summary: Vec<_> = list.as_array().unwrap().iter().map(|chat| (&chat["id"], &chat["unreadCount"])).collect();
    assert_eq!(summary, [(&json!(with_eve), &json!(1)), (&json!(with_bob), &json!(2))]);
    assert!(list[0].get("messages").is_none());

    let read = ada.post("/api/apps/chat/read", json!({"chatId": with_bob})).await.expect(200);
    assert_eq!(read["unreadCount"], 0);
    assert_eq!(unread(&ada).await, 1);
    send_text(&ada, &with_eve, "an answer is a sign of having read").await;
    assert_eq!((unread(&ada).await, unread(&eve).await), (json!(0), json!(1)));
}

#[tokio::test]
async fn settings_are_per_member_and_accept_the_received_conversation() {
    let app = TestApp::new().await;
    let ada = app.acme(Role::Member).await;
    let bob = app.acme(Role::Owner).await;
    let id = open(&ada, &bob).await;
    send_text(&ada, &id, "hello").await;
    let mut given = chat(&ada, &id).await;
    given["muted"] = json!(true);
    given["unreadCount"] = json!(1);
    let changed = ada.patch(CHAT, json!({"id": id, "chat": given})).await.expect(200);
    assert_eq!(changed, given);
    let other = chat(&bob, &id).await;
    assert_eq!((&other["muted"], &other["unreadCount"]), (&json!(false), &json!(1)));
    let refused = ada.patch(CHAT, json!({"id": id, "chat": {"unreadCount": 10_000}})).await;
    refused.refused("invalid");
    assert!(refused.body["error"]["fields"]["chat.unreadCount"].is_string());
    assert_eq!(ada.patch(CHAT, json!({"id": id, "chat": {"colour": "red"}})).await.status / 100, 4);
}

#[tokio::test]
async fn same_client_id_creates_one_message() {
    let app = TestApp::new().await;
    let ada = app.acme(Role::Member).await;
    let bob = app.acme(Role::Owner).await;
    let id = open(&ada, &bob).await;
    let body = json!({"chatId": id, "value": "once", "clientId": "c-1"});
    let (one, two) = tokio::join!(ada.post(MESSAGES, body.clone()), ada.post(MESSAGES, body.clone()));
    let one = one.expect(201);
    let two = two.expect(201);
    assert_eq!(one, two);
    assert_eq!(one["clientId"], "c-1");
    assert_eq!(unread(&bob).await, 1);
    let other = bob.post(MESSAGES, body).await.expect(201);
    assert_ne!(other["id"], one["id"], "another author's is another message");
    let view = chat(&bob, &id).await;
    assert_eq!(view["messages"].as_array().unwrap().len(), 2);
    assert!(view["messages"][0].get("clientId").is_none(), "only its author gets it");
}

#[tokio::test]
async fn history_pages_back_to_the_first_message() {
    let app = TestApp::new().await;
    let ada = app.acme(Role::Member).await;
    let bob = app.acme(Role::Owner).await;
    let id = open(&ada, &bob).await;
    for number in 0..7 {
        send_text(&ada, &id, &number.to_string()).await;
    }
    let mut before = String::new();
    let mut texts = Vec::new();
    let mut pages = 0;
    loop {
        let page = bob.get(&format!("{MESSAGES}?chatId={id}&limit=3{before}")).await.expect(200);
        let items = page["items"].as_array().unwrap().clone();
        before = format!("&before={}", items[0]["id"].as_str().unwrap());
        texts.splice(0..0, items.into_iter().map(|item| item["value"].as_str().unwrap().to_owned()));
        pages += 1;
        if page["more"] == false {
            break;
        }
    }
    assert_eq!((pages, texts.join("")), (3, "0123456".to_owned()));
    bob.get(&format!("{MESSAGES}?chatId={id}&limit=201")).await.refused("invalid");
}

#[tokio::test]
async fn non_members_get_not_found_for_a_conversation() {
    let app = TestApp::new().await;
    let ada = app.acme(Role::Member).await;
    let bob = app.acme(Role::Viewer).await;
    let id = open(&ada, &bob).await;
    for stranger in [app.acme(Role::Owner).await, app.other(Role::Owner).await] {
        for id in [id.as_str(), "9f0e", "019a9c3e-7b1f-7c52-9b0e-3d0c5a7f1e20"] {
            let answers = [
                stranger.get(&format!("{CHAT}?id={id}")).await,
                stranger.patch(CHAT, json!({"id": id, "chat": {"muted": true}})).await,
                stranger.post(MESSAGES, json!({"chatId": id, "value": "x"})).await,
                stranger.get(&format!("{MESSAGES}?chatId={id}")).await,
                stranger.post("/api/apps/chat/read", json!({"chatId": id})).await,
            ];
            for answer in answers {
                answer.refused("not_found");
                assert_eq!(answer.body["error"]["message"], format!("Could not found chat with id of {id}!"));
            }
        }
        assert_eq!(stranger.get(CHATS).await.expect(200), json!([]));
    }
    let eve = app.other(Role::Member).await;
    for contact in [eve.id, ada.id] {
        let refused = ada.post(CHAT, json!({"contactId": contact.to_string()})).await;
        refused.refused("invalid");
        assert!(refused.body["error"]["fields"]["contactId"].is_string());
    }
}

#[tokio::test]
async fn rejects_invalid_messages_naming_the_field() {
    let app = TestApp::new().await;
    let ada = app.acme(Role::Member).await;
    let bob = app.acme(Role::Viewer).await;
    let id = open(&ada, &bob).await;
    send_text(&ada, &id, &"ñ".repeat(4_000)).await;
    for (value, client_id, field) in [
        (" \n", "c", "value"),
        (&"x".repeat(4_001), "c", "value"),
        ("x", "", "clientId"),
        ("x", &"c".repeat(101), "clientId"),
    ] {
        let refused = ada.post(MESSAGES, json!({"chatId": id, "value": value, "clientId": client_id})).await;
        refused.refused("invalid");
        assert!(refused.body["error"]["fields"][field].is_string(), "{field}: {}", refused.body);
    }
    let preview = chat(&ada, &id).await["lastMessage"].as_str().unwrap().chars().count();
    assert_eq!(preview, 200);
}

#[tokio::test]
async fn contacts_are_the_other_members_by_name() {
    let app = TestApp::new().await;
    let ada = app.acme(Role::Member).await;
    let owner = app.acme(Role::Owner).await;
    let add = |tx: &TenantWrite<'_>| {
        let like: MemberRecord =
            tx.page::<MemberRecord>(&crate::store::Scan::all().limit(1), |_| true)?.items[0].value.clone();
        for (number, (name, state)) in [
            ("Ñandú Ortiz", MemberState::Active),
            ("Nuria Paz", MemberState::Active),
            ("Nobody Yet", MemberState::Invited),
        ]
        .into_iter()
        .enumerate()
        {
            let email = format!("new{number}@acme.example");
            let phone = Some("+34 600 555 012".to_owned());
            let name = name.to_owned();
            let about = Some("about".to_owned());
            tx.create(MemberRecord { name, email, phone, about, state, role: Role::Member, ..like.clone() })?;
        }
        Ok(())
    };
    app.app.store().write(app.acme.id, Actor::Operator, add).await.unwrap();
    let names = |list: &Value| -> Vec<String> {
        list.as_array().unwrap().iter().map(|contact| contact["name"].as_str().unwrap().to_owned()).collect()
    };
    let english = ada.get("/api/apps/chat/contacts").await.expect(200);
    let order = names(&english);
    let at = |order: &[String], name: &str| order.iter().position(|other| other == name).unwrap();
    assert_eq!(order.len(), 5, "three colleagues and two new ones: {order:?}");
    assert!(at(&order, "Ñandú Ortiz") < at(&order, "Nuria Paz"));
    assert!(english[0].get("details").is_none() && english[0].get("attachments").is_none());
    ada.patch("/api/common/user", json!({"locale": "es"})).await.expect(200);
    let order = names(&ada.get("/api/apps/chat/contacts").await.expect(200));
    assert!(at(&order, "Nuria Paz") < at(&order, "Ñandú Ortiz"));

    let id = english[at(&names(&english), "Nuria Paz")]["id"].as_str().unwrap().to_owned();
    let card = ada.get(&format!("/api/apps/chat/contact?id={id}")).await.expect(200);
    let details = json!({"emails": [{"email": "new1@acme.example", "label": "Trabajo"}],
        "phoneNumbers": [{"phoneNumber": "+34 600 555 012", "label": "Trabajo"}], "company": "Acme Ltd"});
    assert_eq!(card["about"], "about");
    for (name, value) in details.as_object().unwrap() {
        assert_eq!(&card["details"][name], value, "{name}");
    }
    assert_eq!(card["attachments"], json!({"media": [], "docs": [], "links": []}));
    app.other(Role::Owner).await.get(&format!("/api/apps/chat/contact?id={id}")).await.refused("not_found");
    let profile = owner.get("/api/apps/chat/profile").await.expect(200);
    assert_eq!((&profile["id"], &profile["email"]), (&json!(owner.id.to_string()), &json!("owner@acme.example")));
    assert_eq!(profile.get("about"), Some(&json!(null)), "a part of the profile, also when it is empty");
}

#[tokio::test]
async fn conversation_remains_after_the_colleague_is_removed() {
    let app = TestApp::new().await;
    let ada = app.acme(Role::Member).await;
    let bob = app.acme(Role::Viewer).await;
    let id = open(&ada, &bob).await;
    send_text(&bob, &id, "farewell").await;
    let gone = bob.id;
    let leave = move |tx: &TenantWrite<'_>| tx.remove::<MemberRecord>(gone, None).map(drop);
    app.app.store().write(app.acme.id, Actor::Operator, leave).await.unwrap();
    let view = chat(&ada, &id).await;
    assert_eq!(
        (&view["contact"]["name"], &view["messages"][0]["value"]),
        (&json!("Former member"), &json!("farewell"))
    );
    ada.post(MESSAGES, json!({"chatId": id, "value": "are you there?"})).await.refused("conflict");
}
