//! Recipients of notifications about assigned and moved tasks.

use serde_json::{Value, json};

use crate::{
    people::permission::Role,
    testing::{As, TestApp},
};

async fn notified(who: &As) -> Vec<(String, String, String)> {
    let all = who.get("/api/common/notifications").await.expect(200);
    let text = |item: &Value, field: &str| item[field].as_str().unwrap_or_default().to_owned();
    all.as_array()
        .unwrap()
        .iter()
        .map(|item| (text(item, "kind"), text(item, "description"), text(item, "link")))
        .collect()
}

#[tokio::test]
async fn assignee_is_notified_of_assignment_and_due_date_changes() {
    let app = TestApp::new().await;
    let member = app.acme(Role::Member).await;
    let owner = app.acme(Role::Owner).await;
    let viewer = app.acme(Role::Viewer).await;
    let mine = json!({"title": "Mine", "assigneeId": member.id.to_string()});
    member.post("/api/tasks", mine).await.expect(201);
    assert!(notified(&member).await.is_empty(), "not what one gives oneself");
    let task = json!({"title": "Call <Ana>", "assigneeId": owner.id.to_string(), "dueDate": "2026-11-30"});
    let task = member.post("/api/tasks", task).await.expect(201);
    let path = format!("/api/tasks/{}", task["id"].as_str().unwrap());
    let link = format!("/tasks/{}", task["id"].as_str().unwrap());
    let given = ("task_assigned".to_owned(), "Call &lt;Ana&gt;, due on November 30".to_owned(), link.clone());
    assert_eq!(notified(&owner).await, std::slice::from_ref(&given));
    // Changes to other fields, and changes by the assignee, are not notified.
    member.patch(&path, json!({"notes": "Soon", "priority": 2, "title": "Call Ana"})).await.expect(200);
    owner.patch(&path, json!({"dueDate": "2026-12-01"})).await.expect(200);
    assert_eq!(notified(&owner).await.len(), 1);
    // Another due day is notified; a further one replaces the unread notification.
    member.patch(&path, json!({"dueDate": "2026-12-02"})).await.expect(200);
    member.patch(&path, json!({"dueDate": "2026-12-03"})).await.expect(200);
    let moved = ("task_due".to_owned(), "Call Ana, now due on December 3".to_owned(), link.clone());
    assert_eq!(notified(&owner).await, [moved.clone(), given.clone()]);
    member.patch(&path, json!({"dueDate": null})).await.expect(200);
    member.patch(&path, json!({"completed": true, "dueDate": "2026-12-09"})).await.expect(200);
    assert_eq!(notified(&owner).await, [moved, given], "what has no day, or is done, is not due");
    // A completed task that is assigned to another member is not notified.
    member.patch(&path, json!({"assigneeId": viewer.id.to_string()})).await.expect(200);
    assert!(notified(&viewer).await.is_empty());
    let emails = app.emails(app.acme.id).await;
    assert_eq!(emails.iter().filter(|(kind, to)| kind == "notification" && to == "owner@acme.example").count(), 1);
}
