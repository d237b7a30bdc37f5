//! Links over HTTP.

use serde_json::{Value, json};

use super::RecordLink;
use crate::{
    features::records::activities::{self, Activity},
    people::permission::Role,
    store::{Op, Record as _},
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

/// The kind of fault: a change that is not shown is announced. Its neighbours: links and activities, set and removed, seen
/// from the record that all see.
#[tokio::test]
async fn what_joins_a_record_to_a_hidden_one_is_announced_to_those_who_see_both() {
    let app = TestApp::new().await;
    let ada = app.acme(Role::Member).await;
    let bob = app.acme(Role::Owner).await;
    let customer = create(&ada, "/api/customers", json!({"name": "Kanarium"})).await;
    let deal = create(&bob, "/api/deals", json!({"title": "Secret", "visibility": {"to": "me"}})).await;
    let before = app.app.store().snapshot().unwrap().last_change().unwrap();
    let link = bob.post(&format!("{customer}/links"), other("deal", &deal)).await.expect(200);
    let about = json!([other("customer", &customer), other("deal", &deal)]);
    let call = json!({"type": "call", "links": about, "text": "Agreed"});
    let call = bob.post("/api/activities", call).await.expect(201);
    let set = app.app.store().snapshot().unwrap().changes_after(before, 100).unwrap();
    bob.delete(&format!("{customer}/links/{}", link["id"].as_str().unwrap())).await.expect(204);
    bob.delete(&format!("/api/activities/{}", call["id"].as_str().unwrap())).await.expect(204);
    let snapshot = app.app.store().snapshot().unwrap();
    let last = set.last().unwrap().seq;
    let tx = snapshot.tenant(app.acme.id, None);
    let mut seen = Vec::new();
    for change in set.into_iter().chain(snapshot.changes_after(last, 100).unwrap()) {
        let restrict = match change.kind.as_str() {
            RecordLink::KIND => super::restrict,
            Activity::KIND => activities::restrict,
            _ => continue,
        };
        let to = restrict(&tx, change.id, Some(&change)).unwrap().expect("not all members get it");
        assert!(!to.people.contains(&ada.id), "{change:?}");
        assert!(!to.holders.is_some_and(|right| Role::Member.has(right)), "{change:?}");
        assert!(to.people.contains(&bob.id) || to.holders.is_some_and(|right| Role::Owner.has(right)), "{change:?}");
        seen.push((change.kind, change.op));
    }
    let counted = |kind: &str, op: Op| seen.iter().filter(|one| **one == (kind.to_owned(), op)).count();
    assert_eq!((counted(RecordLink::KIND, Op::Created), counted(RecordLink::KIND, Op::Removed)), (2, 2));
    assert_eq!((counted(Activity::KIND, Op::Created), counted(Activity::KIND, Op::Removed)), (1, 1));
}

#[tokio::test]
async fn a_link_of_two_hidden_records_is_announced_to_those_who_see_both() {
    let app = TestApp::new().await;
    let ada = app.acme(Role::Member).await;
    let deal = create(&ada, "/api/deals", json!({"title": "Secret", "visibility": {"to": "me"}})).await;
    let draft = create(&ada, "/api/pages", json!({"title": "Draft"})).await;
    let before = app.app.store().snapshot().unwrap().last_change().unwrap();
    for (record, to) in [(&deal, other("page", &draft)), (&draft, other("deal", &deal))] {
        let link = ada.post(&format!("{record}/links"), to).await.expect(200);
        ada.delete(&format!("{record}/links/{}", link["id"].as_str().unwrap())).await.expect(204);
    }
    let snapshot = app.app.store().snapshot().unwrap();
    let tx = snapshot.tenant(app.acme.id, None);
    let changes = snapshot.changes_after(before, 100).unwrap();
    let of_links: Vec<_> = changes.iter().filter(|change| change.kind == RecordLink::KIND).collect();
    assert_eq!(of_links.len(), 8);
    for change in of_links {
        let to = super::restrict(&tx, change.id, Some(change)).unwrap().expect("not all members get it");
        assert_eq!(to.people, [ada.id], "{change:?}");
        let has = |role: Role| to.holders.is_some_and(|right| role.has(right));
        assert_eq!((has(Role::Admin), has(Role::Member)), (true, false), "{change:?}");
    }
}
