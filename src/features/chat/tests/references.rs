//! Attachments, mentions and references of messages.

use std::io::Cursor;

use serde_json::{Value, json};

use super::{CHATS, MESSAGES, chat, groups, open};
use crate::{
    people::permission::Role,
    testing::{As, TestApp},
};

async fn send(who: &As, body: Value) -> Value {
    who.post(MESSAGES, body).await.expect(201)
}

#[tokio::test]
async fn attachments_are_visible_to_members_and_kept_while_referenced() {
    let app = TestApp::new().await;
    let ada = app.acme(Role::Viewer).await;
    let bob = app.acme(Role::Owner).await;
    let eve = app.acme(Role::Admin).await;
    let mut png = Cursor::new(Vec::new());
    image::RgbImage::new(30, 20).write_to(&mut png, image::ImageFormat::Png).unwrap();
    let picture = ada.upload("me.png", "image/png", png.get_ref()).await.expect(201);
    let plan = ada.upload("plan.pdf", "application/pdf", b"%PDF-1.7").await.expect(201);
    let foreign = app.other(Role::Owner).await.upload("theirs.txt", "text/plain", b"x").await.expect(201);
    let picture = picture["url"].clone();
    let plan = plan["url"].clone();
    let id = open(&ada, &bob).await;
    let sent = send(&ada, json!({"chatId": id, "value": "", "attachments": [picture, plan, picture]})).await;
    let size = sent["attachments"][0]["size"].clone();
    let expected = json!([
        {"path": picture, "name": "me.png", "size": size, "mediaType": "image/png", "width": 30, "height": 20},
        {"path": plan, "name": "plan.pdf", "size": 8, "mediaType": "application/pdf"},
    ]);
    assert_eq!(sent["attachments"], expected);
    let view = chat(&bob, &id).await;
    assert_eq!((&view["messages"][0]["attachments"], &view["lastMessage"]), (&expected, &json!("me.png")));
    // Only the conversation's members get the path.
    let media = picture.as_str().unwrap().trim_start_matches("/media/");
    for path in [CHATS, "/api/live?after=1&wait=0", "/api/audit", "/api/apps/chat/search?q=me.png"] {
        let answer = eve.get(path).await.expect(200).to_string();
        assert!(!answer.contains(media), "{path}");
    }
    eve.get(&format!("{MESSAGES}?chatId={id}")).await.refused("not_found");

    for (at, path) in [(0, foreign["url"].clone()), (0, json!("/media/0")), (1, json!("https://evil.example/x"))] {
        let paths = if at == 0 { vec![path] } else { vec![plan.clone(), path] };
        let refused = ada.post(MESSAGES, json!({"chatId": id, "value": "x", "attachments": paths})).await;
        assert!(refused.body["error"]["fields"][format!("attachments.{at}")].is_string(), "{}", refused.body);
    }
    let many = vec![plan.clone(); 11];
    ada.post(MESSAGES, json!({"chatId": id, "value": "x", "attachments": many})).await.refused("invalid");

    // The file of a message is collected only after the message is removed.
    let exists = async |reader: &As, path: &Value| reader.get(path.as_str().unwrap()).await.status == 200;
    let sweep = async || app.app.files().collect_garbage(|| std::future::ready(())).await.unwrap().files;
    let day = 86_400_000;
    let later = send(&ada, json!({"chatId": id, "value": "", "attachments": [plan]})).await;
    ada.delete(&format!("{MESSAGES}/{}", sent["id"].as_str().unwrap())).await.expect(200);
    app.clock.advance(2 * day);
    let (ada, _) = (app.acme(Role::Viewer).await, later);
    assert_eq!(sweep().await, 2, "the picture, and what the other company never used");
    assert!(!exists(&ada, &picture).await && exists(&ada, &plan).await);
    assert_eq!(chat(&ada, &id).await["messages"][1]["attachments"][0]["path"], plan);
}

#[tokio::test]
async fn only_members_of_the_conversation_can_be_mentioned() {
    let app = TestApp::new().await;
    let ada = app.acme(Role::Member).await;
    let bob = app.acme(Role::Owner).await;
    let eve = app.acme(Role::Admin).await;
    let id = groups::group(&ada, "Office", &[&bob]).await;
    let mention = |who: &As, text: &str| json!([{"memberId": who.id.to_string(), "text": text}]);
    let sent = send(&ada, json!({"chatId": id, "value": "ask @Bob", "mentions": mention(&bob, "@Bob")})).await;
    assert_eq!(sent["mentions"], mention(&bob, "@Bob"));
    for (mentions, field) in [
        (mention(&eve, "@Bob"), "mentions.0.memberId"),
        (mention(&app.other(Role::Owner).await, "@Bob"), "mentions.0.memberId"),
        (mention(&bob, "@Rob"), "mentions.0.text"),
        (mention(&bob, ""), "mentions.0.text"),
        (Value::Array(vec![mention(&bob, "@Bob")[0].clone(); 51]), "mentions"),
    ] {
        let refused = ada.post(MESSAGES, json!({"chatId": id, "value": "ask @Bob", "mentions": mentions})).await;
        refused.refused("invalid");
        assert!(refused.body["error"]["fields"][field].is_string(), "{field}: {}", refused.body);
    }
    // An edited message keeps mentions whose text is still in it, also of members who have left.
    let path = format!("{MESSAGES}/{}", sent["id"].as_str().unwrap());
    groups::change(&ada, &id, json!({"remove": [bob.id.to_string()]})).await;
    assert_eq!(ada.patch(&path, json!({"value": "do ask @Bob"})).await.expect(200)["mentions"], mention(&bob, "@Bob"));
    ada.patch(&path, json!({"value": "@Bob @X", "mentions": mention(&bob, "@X")})).await.refused("invalid");
    assert_eq!(ada.patch(&path, json!({"value": "ask anybody"})).await.expect(200)["mentions"], json!([]));
}

#[tokio::test]
async fn reference_cards_are_current_and_respect_permissions() {
    let app = TestApp::new().await;
    let ada = app.acme(Role::Member).await;
    let bob = app.acme(Role::Viewer).await;
    let make = async |path: &str, body: Value| ada.post(path, body).await.expect(201)["id"].clone();
    let customer = make("/api/customers", json!({"name": "Ana López", "details": {"company": "Sol"}})).await;
    let task = make("/api/tasks", json!({"title": "Call Ana", "assigneeId": bob.id.to_string()})).await;
    let event = json!({"title": "Review", "allDay": true, "startDate": "2026-11-23", "endDate": "2026-11-23", "location": "Room 2"});
    let event = make("/api/events", event).await;
    let page = make("/api/pages", json!({"title": "Handbook", "status": "published"})).await;
    let draft = make("/api/pages", json!({"title": "Secret plan", "status": "draft"})).await;
    let section = make("/api/tasks", json!({"title": "Later", "type": "section"})).await;
    let id = open(&ada, &bob).await;
    let name = |kind: &str, record: &Value| json!({"kind": kind, "recordId": record, "text": "#it"});
    let all = [("customer", &customer), ("task", &task), ("event", &event), ("page", &page), ("page", &draft)];
    let references: Vec<Value> = all.iter().map(|(kind, record)| name(kind, record)).collect();
    let sent = send(&ada, json!({"chatId": id, "value": "see #it", "references": references})).await;
    let cards = |message: &Value| -> Vec<Value> {
        message["references"].as_array().unwrap().iter().map(|reference| reference["card"].clone()).collect()
    };
    let link = |place: &str, record: &Value| format!("/{place}/{}", record.as_str().unwrap());
    let task_card = |done: bool| json!({"title": "Call Ana", "subtitle": "viewer of acme", "link": link("tasks", &task), "done": done});
    let mut expected = vec![
        json!({"title": "Ana López", "subtitle": "Sol", "link": link("customers", &customer)}),
        task_card(false),
        json!({"title": "Review", "subtitle": "Room 2", "link": link("events", &event)}),
        json!({"title": "Handbook", "link": link("pages", &page)}),
        json!({"title": "Secret plan", "link": link("pages", &draft)}),
    ];
    assert_eq!(cards(&sent), expected);
    expected[4] = Value::Null;
    assert_eq!(cards(&chat(&bob, &id).await["messages"][0]), expected, "another's draft shows as if it were gone");
    ada.patch(&format!("/api/tasks/{}", task.as_str().unwrap()), json!({"completed": true})).await.expect(200);
    ada.delete(&format!("/api/customers/{}", customer.as_str().unwrap())).await.expect(204);
    (expected[0], expected[1]) = (Value::Null, task_card(true));
    assert_eq!(cards(&chat(&bob, &id).await["messages"][0]), expected);

    let theirs = app.other(Role::Owner).await.post("/api/customers", json!({"name": "Eve"})).await.expect(201);
    for (who, kind, record) in [
        (&ada, "customer", &customer),
        (&ada, "customer", &theirs["id"]),
        (&ada, "customer", &task),
        (&ada, "task", &section),
        (&bob, "page", &draft),
    ] {
        let body = json!({"chatId": id, "value": "#it", "references": [name(kind, record)]});
        let refused = who.post(MESSAGES, body).await;
        assert!(refused.body["error"]["fields"]["references.0.recordId"].is_string(), "{kind}: {}", refused.body);
    }
    // An edited message keeps its references, also to records that are gone.
    let path = format!("{MESSAGES}/{}", sent["id"].as_str().unwrap());
    let edited = ada.patch(&path, json!({"value": "do see #it", "references": references})).await.expect(200);
    assert_eq!(cards(&edited).len(), 5);
}
