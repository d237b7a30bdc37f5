//! Links over HTTP.

use serde_json::{Value, json};

use super::RecordLink;
use crate::{
    people::permission::Role,
    testing::{As, TestApp},
};

/// Creates a record. Returns its path.
async fn create(member: &As, path: &str, body: Value) -> String {
    let made = member.post(path, body).await.expect(201);
    format!("{path}/{}", made["id"].as_str().unwrap())
}

fn other(kind: &str, path: &str) -> Value {
    json!({"kind": kind, "recordId": path.rsplit('/').next().unwrap()})
}

/// The titles of the records that a record is linked to.
async fn linked(member: &As, record: &str) -> Vec<String> {
    let list = member.get(&format!("{record}/links")).await.expect(200);
    let items = list["items"].as_array().unwrap();
    assert_eq!(list["total"], items.len());
    items.iter().map(|item| item["card"]["title"].as_str().unwrap().to_owned()).collect()
}

async fn count_events(member: &As, record: &str) -> usize {
    let page = member.get(&format!("{record}/timeline?part=records")).await.expect(200);
    page["items"].as_array().unwrap().iter().filter(|entry| entry["event"] == "linked").count()
}

#[tokio::test]
async fn both_records_have_a_link_until_one_removes_it() {
    let app = TestApp::new().await;
    let ada = app.acme(Role::Member).await;
    let viewer = app.acme(Role::Viewer).await;
    let customer = create(&ada, "/api/customers", json!({"name": "Kanarium"})).await;
    let task = create(&ada, "/api/tasks", json!({"title": "Call"})).await;
    let page = create(&ada, "/api/pages", json!({"title": "Prices", "status": "published"})).await;
    app.clock.advance(1);
    let link = ada.post(&format!("{customer}/links"), other("task", &task)).await.expect(200);
    app.clock.advance(1);
    ada.post(&format!("{page}/links"), other("customer", &customer)).await.expect(200);
    assert_eq!(linked(&viewer, &customer).await, ["Prices", "Call"]);
    assert_eq!(linked(&viewer, &task).await, ["Kanarium"]);
    assert_eq!((count_events(&viewer, &customer).await, count_events(&viewer, &task).await), (2, 1));

    // Again, and from the other side: there is one link.
    let again = ada.post(&format!("{customer}/links"), other("task", &task)).await.expect(200);
    assert_eq!(again["id"], link["id"]);
    let mirrored = ada.post(&format!("{task}/links"), other("customer", &customer)).await.expect(200);
    assert_eq!(linked(&ada, &customer).await.len(), 2);

    viewer.post(&format!("{customer}/links"), other("task", &task)).await.refused("forbidden");
    let path = |record: &str, link: &Value| format!("{record}/links/{}", link["id"].as_str().unwrap());
    viewer.delete(&path(&customer, &link)).await.refused("forbidden");
    ada.delete(&path(&page, &link)).await.refused("not_found");
    ada.delete(&path(&task, &mirrored)).await.expect(204);
    ada.delete(&path(&customer, &link)).await.refused("not_found");
    assert_eq!(linked(&ada, &customer).await, ["Prices"]);
    assert_eq!(linked(&ada, &task).await, Vec::<String>::new());
    assert_eq!((count_events(&ada, &customer).await, count_events(&ada, &task).await), (1, 0));
}

#[tokio::test]
async fn only_other_records_that_the_member_sees_can_be_linked() {
    let app = TestApp::new().await;
    let ada = app.acme(Role::Member).await;
    let bob = app.acme(Role::Owner).await;
    let foreign = app.other(Role::Member).await;
    let customer = create(&ada, "/api/customers", json!({"name": "Kanarium"})).await;
    let draft = create(&bob, "/api/pages", json!({"title": "Secret"})).await;
    let theirs = create(&foreign, "/api/tasks", json!({"title": "Theirs"})).await;
    for (kind, path) in [
        ("page", draft.as_str()),
        ("task", &theirs),
        ("customer", &customer),
        ("task", &customer),
        ("member", &format!("/api/team/{}", bob.id)),
    ] {
        let refused = ada.post(&format!("{customer}/links"), other(kind, path)).await;
        assert!(refused.body["error"]["fields"]["recordId"].is_string(), "{kind}: {}", refused.body);
    }
    // Who may not see one of the records does not see the link.
    bob.post(&format!("{draft}/links"), other("customer", &customer)).await.expect(200);
    assert_eq!(linked(&bob, &customer).await, ["Secret"]);
    assert_eq!((linked(&ada, &customer).await.len(), count_events(&ada, &customer).await), (0, 0));
    let link = bob.get(&format!("{customer}/links")).await.expect(200)["items"][0]["id"].clone();
    ada.delete(&format!("{customer}/links/{}", link.as_str().unwrap())).await.refused("not_found");
}

#[tokio::test]
async fn links_to_a_record_in_the_bin_wait_for_it_and_go_with_it() {
    let app = TestApp::new().await;
    let ada = app.acme(Role::Owner).await;
    let customer = create(&ada, "/api/customers", json!({"name": "Kanarium"})).await;
    let id = customer.rsplit('/').next().unwrap().to_owned();
    let task = create(&ada, "/api/tasks", json!({"title": "Call"})).await;
    ada.post(&format!("{task}/links"), other("customer", &customer)).await.expect(200);
    ada.delete(&customer).await.expect(204);
    assert_eq!((linked(&ada, &task).await.len(), count_events(&ada, &task).await), (0, 0));
    ada.post(&format!("/api/bin/{id}/restore"), json!({})).await.expect(200);
    assert_eq!(linked(&ada, &task).await, ["Kanarium"]);
    assert_eq!(linked(&ada, &customer).await, ["Call"]);

    ada.delete(&customer).await.expect(204);
    ada.delete(&format!("/api/bin/{id}")).await.expect(204);
    let snapshot = app.app.store().snapshot().unwrap();
    assert_eq!(snapshot.tenant(app.acme.id, None).count::<RecordLink>().unwrap(), 0, "also that of the task");
}
