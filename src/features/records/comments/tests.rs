//! Comments over HTTP.

use serde_json::{Value, json};

use super::Comment;
use crate::{
    kernel::Id,
    people::permission::Role,
    store::{Actor, TenantWrite},
    testing::{As, Got, TestApp},
};

async fn create(member: &As, path: &str, body: Value) -> String {
    let made = member.post(path, body).await.expect(201);
    format!("{path}/{}", made["id"].as_str().unwrap())
}

async fn comment(member: &As, record: &str, body: Value) -> String {
    create(member, &format!("{record}/comments"), body).await
}

/// The fields that a refused request names.
fn faults(got: &Got) -> Vec<String> {
    got.refused("invalid");
    got.body["error"]["fields"].as_object().into_iter().flatten().map(|(field, _)| field.clone()).collect()
}

/// The titles of a member's notifications, newest first.
async fn notifications(member: &As) -> Vec<String> {
    let list = member.get("/api/common/notifications").await.expect(200);
    list.as_array().unwrap().iter().map(|notice| notice["title"].as_str().unwrap_or_default().to_owned()).collect()
}

#[tokio::test]
async fn every_kind_has_comments_with_files_mentions_references_and_reactions() {
    let app = TestApp::new().await;
    let ada = app.acme(Role::Member).await;
    let bob = app.acme(Role::Viewer).await;
    let day = "2026-11-23";
    let other = create(&ada, "/api/tasks", json!({"title": "Order"})).await;
    let other_id = other.rsplit('/').next().unwrap();
    let file = ada.upload("plan.pdf", "application/pdf", b"%PDF-1.7").await.expect(201);
    for (path, body) in [
        ("/api/customers", json!({"name": "Kanarium"})),
        ("/api/tasks", json!({"title": "Call"})),
        ("/api/events", json!({"title": "Meet", "allDay": true, "startDate": day, "endDate": day})),
        ("/api/pages", json!({"title": "Book", "status": "published"})),
    ] {
        let record = create(&ada, path, body).await;
        let written = json!({
            "value": "  See #Order, @Bob\u{0}  ",
            "attachments": [file["url"]],
            "mentions": [{"memberId": bob.id, "text": "@Bob"}],
            "references": [{"kind": "task", "recordId": other_id, "text": "#Order"}],
        });
        let own = comment(&ada, &record, written).await;
        let list = bob.get(&format!("{record}/comments")).await.expect(200);
        let read = &list["items"][0];
        assert_eq!(
            (&list["total"], &read["value"], &read["createdBy"]),
            (&json!(1), &json!("See #Order, @Bob"), &json!(ada.id))
        );
        assert_eq!(
            (&read["attachments"][0]["name"], &read["references"][0]["card"]["title"]),
            (&json!("plan.pdf"), &json!("Order"))
        );
        let reacted = ada.post(&format!("{own}/reactions"), json!({"emoji": "👍", "on": true})).await.expect(200);
        assert_eq!(reacted["reactions"], json!([{"emoji": "👍", "memberIds": [ada.id]}]));
        let changed = ada.patch(&own, json!({"value": "See #Order"})).await.expect(200);
        assert_eq!(
            (changed["mentions"].as_array().unwrap().len(), changed["references"].as_array().unwrap().len()),
            (0, 1)
        );
        assert!(changed["editedAt"].is_string());
        ada.delete(&own).await.expect(204);
        assert_eq!(bob.get(&format!("{record}/comments")).await.expect(200)["total"], 0);
    }
}

#[tokio::test]
async fn members_change_and_remove_their_own_comments_and_administrators_remove_any() {
    let app = TestApp::new().await;
    let admin = app.acme(Role::Admin).await;
    let ada = app.acme(Role::Member).await;
    let viewer = app.acme(Role::Viewer).await;
    let task = create(&ada, "/api/tasks", json!({"title": "Call"})).await;
    let other = create(&ada, "/api/tasks", json!({"title": "Other"})).await;
    let hers = comment(&ada, &task, json!({"value": "Mine"})).await;
    let theirs = comment(&admin, &task, json!({"value": "Theirs"})).await;
    viewer.post(&format!("{task}/comments"), json!({"value": "No"})).await.refused("forbidden");
    viewer.delete(&hers).await.refused("forbidden");
    ada.patch(&theirs, json!({"value": "Changed"})).await.refused("forbidden");
    ada.delete(&theirs).await.refused("forbidden");
    admin.patch(&hers, json!({"value": "Changed"})).await.refused("forbidden");
    // A comment is found only under its own record.
    ada.delete(&hers.replace(&task, &other)).await.refused("not_found");
    admin.delete(&hers).await.expect(204);
    for (body, field) in [
        (json!({"value": " "}), "value"),
        (json!({"value": "x".repeat(4_001)}), "value"),
        (json!({"value": "x", "attachments": ["/media/0"]}), "attachments.0"),
        (json!({"value": "x", "mentions": [{"memberId": ada.id, "text": "@Ada"}]}), "mentions.0.text"),
    ] {
        assert_eq!(faults(&ada.post(&format!("{task}/comments"), body).await), [field]);
    }
}

#[tokio::test]
async fn comments_notify_those_who_follow_the_record_who_commented_and_who_are_mentioned() {
    let app = TestApp::new().await;
    let author = app.acme(Role::Member).await;
    let assignee = app.acme(Role::Owner).await;
    let mentioned = app.acme(Role::Viewer).await;
    let other = app.acme(Role::Admin).await;
    let task = create(&author, "/api/tasks", json!({"title": "Call <Ana>", "assigneeId": assignee.id})).await;
    let before = notifications(&assignee).await.len();
    let text = json!({"value": "@You look", "mentions": [{"memberId": mentioned.id, "text": "@You"}]});
    comment(&author, &task, text).await;
    assert_eq!(notifications(&assignee).await.len(), before + 1);
    assert_eq!(notifications(&assignee).await[0], "member of acme commented on Call &lt;Ana&gt;");
    assert_eq!(notifications(&mentioned).await[0], "member of acme mentioned you in Call &lt;Ana&gt;");
    assert_eq!(notifications(&author).await, [""; 0], "nobody is told of their own comment");
    assert_eq!(notifications(&other).await, [""; 0]);
    // The second comment is counted in the first notification, and tells the first author.
    comment(&other, &task, json!({"value": "Done?"})).await;
    assert_eq!(notifications(&assignee).await.len(), before + 1);
    assert_eq!(notifications(&assignee).await[0], "2 new comments on Call &lt;Ana&gt;");
    assert_eq!(notifications(&author).await[0], "admin of acme commented on Call &lt;Ana&gt;");
    comment(&author, &task, json!({"value": "Yes"})).await;
    assert_eq!(notifications(&other).await[0], "member of acme commented on Call &lt;Ana&gt;");
}

/// Returns the description of the newest of a member's notifications with some words; null when it has none.
async fn newest(member: &As, words: &str) -> Value {
    member.get(&format!("/api/common/notifications?q={words}")).await.expect(200)[0]["description"].clone()
}

/// A kind of fault: a copy of a text outlives it. A notification kept the beginning of a comment that was edited or deleted, or
/// whose record its reader may not see any more.
#[tokio::test]
async fn notifications_have_the_present_text_of_comments_and_none_of_deleted_ones() {
    let app = TestApp::new().await;
    let author = app.acme(Role::Member).await;
    let reader = app.hire("reader", Role::Member).await;
    let task = create(&author, "/api/tasks", json!({"title": "Call", "assigneeId": reader.id})).await;
    let first = comment(&author, &task, json!({"value": "A secret <plan>"})).await;
    assert_eq!(newest(&reader, "secret").await, "A secret &lt;plan&gt;");
    author.patch(&first, json!({"value": "A plan"})).await.expect(200);
    assert_eq!(newest(&reader, "plan").await, "A plan");
    assert_eq!(newest(&reader, "secret").await, Value::Null);
    // Neighbours: a repetition, which names its author, and the responses of the calls that change a notification.
    let second = comment(&author, &task, json!({"value": "Another"})).await;
    let list = reader.get("/api/common/notifications?q=another").await.expect(200);
    assert_eq!(list[0]["description"], "member of acme: Another");
    let id = &list[0]["id"];
    for (path, body) in [
        ("toggle-read-status", json!({"notification": {"id": id, "read": true}})),
        ("toggle-read-status", json!({"notification": {"id": id, "read": false}})),
    ] {
        let answer = reader.post(&format!("/api/common/notifications/{path}"), body).await.expect(200);
        assert_eq!(answer["description"], "member of acme: Another");
    }
    let batch = json!({"ids": [id], "action": "unread"});
    let answer = reader.post("/api/common/notifications/batch", batch).await.expect(200);
    assert_eq!(answer[0]["description"], "member of acme: Another");
    // What a client sends back as it was is no text of the member's own.
    let same = json!({"id": id, "notification": {"description": "member of acme: Another", "seen": true}});
    reader.patch("/api/common/notifications", same).await.expect(200);
    author.delete(&second).await.expect(204);
    assert_eq!(newest(&reader, "another").await, Value::Null);
    let list = reader.get("/api/common/notifications?q=comments").await.expect(200);
    assert_eq!((&list[0]["title"], list[0].get("description")), (&json!("2 new comments on Call"), None));
}

/// Neighbours: a mention, a page that its reader may not see any more, and one in the bin.
#[tokio::test]
async fn notifications_of_mentions_have_no_text_of_a_hidden_or_deleted_comment() {
    let app = TestApp::new().await;
    let author = app.acme(Role::Member).await;
    let reader = app.hire("reader", Role::Member).await;
    let page = create(&author, "/api/pages", json!({"title": "Handbook", "status": "published"})).await;
    let mention = json!({"value": "@You look", "mentions": [{"memberId": reader.id, "text": "@You"}]});
    let written = comment(&author, &page, mention).await;
    let shown = async || newest(&reader, "handbook").await;
    assert_eq!(shown().await, "@You look");
    for (hidden, expected) in [(true, Value::Null), (false, json!("@You look"))] {
        let visibility = json!({"visibility": {"to": if hidden { "me" } else { "company" }}});
        author.patch(&page, visibility).await.expect(200);
        assert_eq!(shown().await, expected);
    }
    author.delete(&page).await.expect(204);
    assert_eq!(shown().await, Value::Null);
    author.post(&format!("/api/bin/{}/restore", page.rsplit('/').next().unwrap()), json!({})).await.expect(200);
    assert_eq!(shown().await, "@You look");
    author.delete(&written).await.expect(204);
    assert_eq!(shown().await, Value::Null);
    assert_eq!(notifications(&reader).await[0], "member of acme mentioned you in Handbook");
}

#[tokio::test]
async fn nobody_is_told_of_a_record_that_they_may_not_see() {
    let app = TestApp::new().await;
    let ada = app.acme(Role::Admin).await;
    let bob = app.acme(Role::Member).await;
    let page = create(&ada, "/api/pages", json!({"title": "Secret", "status": "published"})).await;
    comment(&bob, &page, json!({"value": "Nice"})).await;
    ada.patch(&page, json!({"status": "draft"})).await.expect(200);
    comment(&ada, &page, json!({"value": "Hidden"})).await;
    assert_eq!(notifications(&bob).await, [""; 0]);
    let mention = json!({"value": "@Bob", "mentions": [{"memberId": bob.id, "text": "@Bob"}]});
    assert_eq!(faults(&ada.post(&format!("{page}/comments"), mention).await), ["mentions.0.memberId"]);
    bob.get(&format!("{page}/comments")).await.refused("not_found");
}

/// The kind of fault: a response grows with what is added when records are shown, such as the cards of references, and beyond
/// 16 MiB it is refused for ever. Neighbours: comments, the whole timeline, and its part with comments.
#[tokio::test]
async fn pages_of_comments_with_many_references_end_before_their_limit() {
    let app = TestApp::new().await;
    let ada = app.acme(Role::Member).await;
    let task = create(&ada, "/api/tasks", json!({"title": "😀".repeat(300)})).await;
    let reference = json!({"kind": "task", "recordId": task.rsplit('/').next(), "text": "#"});
    let first = comment(&ada, &task, json!({"value": "# and all others", "references": [reference]})).await;
    let id: Id<Comment> = first.rsplit('/').next().unwrap().parse().unwrap();
    let copy = move |tx: &TenantWrite<'_>| {
        let mut comment = tx.get::<Comment>(id)?.value;
        comment.references = vec![comment.references[0].clone(); 50];
        (0..149).try_for_each(|_| tx.create(comment.clone()).map(drop))
    };
    app.app.store().write(app.acme.id, Actor::Member(ada.id), copy).await.unwrap();
    for (path, expected) in [("comments", 150), ("timeline?part=comments", 150), ("timeline", 151)] {
        let path = format!("{task}/{path}{}limit=200", if path.contains('?') { '&' } else { '?' });
        let mut seen = Vec::new();
        let mut next = path.clone();
        loop {
            let page = ada.get(&next).await.expect(200);
            let items = page["items"].as_array().unwrap();
            assert!((1..=45).contains(&items.len()), "{path}: {}", items.len());
            seen.extend(items.iter().map(|one| one["id"].to_string()));
            let Some(cursor) = page.get("nextCursor") else { break };
            next = format!("{path}&cursor={}", cursor.as_str().unwrap());
        }
        seen.sort();
        seen.dedup();
        assert_eq!(seen.len(), expected, "{path}");
    }
}
