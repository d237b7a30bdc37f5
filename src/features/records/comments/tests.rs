//! Comments over HTTP.

use serde_json::{Value, json};

use crate::{
    people::permission::Role,
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
