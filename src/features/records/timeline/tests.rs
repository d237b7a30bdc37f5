//! Timelines over HTTP.

use std::slice;

use serde_json::{Value, json};
use uuid::Uuid;

use crate::{
    features::records::{bin, comments::Comment},
    people::permission::Role,
    store::{Actor, HistoryChange, HistoryEntry, HistoryEvent, TenantWrite},
    testing::{As, TestApp, kinds_with_parts, new_record},
};

/// Slightly more than the five minutes for which a change adds to the last entry, in milliseconds.
const LATER: i64 = 5 * 60_000 + 1;

async fn create(member: &As, path: &str, body: Value) -> String {
    let made = member.post(path, body).await.expect(201);
    format!("{path}/{}", made["id"].as_str().unwrap())
}

/// The entries of a record's timeline, without ids and times.
async fn timeline(member: &As, record: &str) -> Vec<Value> {
    let page = member.get(&format!("{record}/timeline")).await.expect(200);
    assert_eq!(page.get("nextCursor"), None, "all are on the first page");
    page["items"].as_array().unwrap().iter().map(shown).collect()
}

/// What is shown of an entry: event, member, and what it is about.
fn shown(entry: &Value) -> Value {
    let about = match entry["event"].as_str().unwrap() {
        "changed" => entry["changes"].clone(),
        "commented" => entry["comment"]["value"].clone(),
        "referenced" | "linked" => entry["records"][0]["card"]["title"].clone(),
        "mentioned" => entry["mention"]["text"].clone(),
        _ => Value::Null,
    };
    json!([entry["event"], entry["by"], about])
}

#[tokio::test]
async fn tells_creation_changes_comments_and_records_that_refer_to_it() {
    let app = TestApp::new().await;
    let ada = app.acme(Role::Member).await;
    let bob = app.acme(Role::Admin).await;
    let customer = create(&ada, "/api/customers", json!({"name": "Kanarium"})).await;
    app.clock.advance(1);
    let change = json!({"status": "active", "details": {"company": "Kanarium AG"}, "notes": "<p>Met</p>"});
    bob.patch(&customer, change).await.expect(200);
    app.clock.advance(1);
    ada.post(&format!("{customer}/comments"), json!({"value": "Call them"})).await.expect(201);
    app.clock.advance(1);
    let id = customer.rsplit('/').next().unwrap();
    create(&bob, "/api/tasks", json!({"title": "Call", "customerId": id})).await;

    let changes = json!([
        {"field": "details.company", "to": "Kanarium AG"},
        {"field": "notes", "to": "<p>Met</p>"},
        {"field": "status", "from": "lead", "to": "active"},
    ]);
    let all = [
        json!(["referenced", bob.id, "Call"]),
        json!(["commented", ada.id, "Call them"]),
        json!(["changed", bob.id, changes]),
        json!(["created", ada.id, null]),
    ];
    assert_eq!(timeline(&ada, &customer).await, all);
    for (part, kept) in [("changes", &[2, 3][..]), ("comments", &[1]), ("records", &[0])] {
        let wanted: Vec<Value> = kept.iter().map(|at| all[*at].clone()).collect();
        let got = ada.get(&format!("{customer}/timeline?part={part}")).await.expect(200);
        let got: Vec<Value> = got["items"].as_array().unwrap().iter().map(shown).collect();
        assert_eq!(got, wanted, "{part}");
    }

    // Page by page.
    let mut path = format!("{customer}/timeline?limit=1");
    let mut entries = Vec::new();
    loop {
        let page = ada.get(&path).await.expect(200);
        entries.extend(page["items"].as_array().unwrap().iter().map(shown));
        let Some(next) = page["nextCursor"].as_str() else { break };
        path = format!("{customer}/timeline?limit=1&cursor={next}");
    }
    assert_eq!(entries, all);
}

#[tokio::test]
async fn tells_of_events_that_the_customer_attends() {
    let app = TestApp::new().await;
    let ada = app.acme(Role::Member).await;
    let customer = create(&ada, "/api/customers", json!({"name": "Kanarium"})).await;
    let id = customer.rsplit('/').next().unwrap();
    let day = "2026-11-23";
    let attendees = json!([{"customerId": id}, {"memberId": ada.id}]);
    let event = json!({"title": "Meet", "allDay": true, "startDate": day, "endDate": day, "attendees": attendees});
    app.clock.advance(1);
    let event = create(&ada, "/api/events", event).await;
    let created = json!(["created", ada.id, null]);
    assert_eq!(timeline(&ada, &customer).await, [json!(["referenced", ada.id, "Meet"]), created.clone()]);
    ada.patch(&event, json!({"attendees": []})).await.expect(200);
    assert_eq!(timeline(&ada, &customer).await, slice::from_ref(&created));
    ada.patch(&event, json!({"attendees": [{"customerId": id}]})).await.expect(200);
    assert_eq!(timeline(&ada, &customer).await.len(), 2);
    ada.delete(&event).await.expect(204);
    assert_eq!(timeline(&ada, &customer).await, [created], "an event in the bin is in no timeline");
}

#[tokio::test]
async fn changes_while_typing_are_one_entry() {
    let app = TestApp::new().await;
    let ada = app.acme(Role::Member).await;
    let bob = app.acme(Role::Admin).await;
    let task = create(&ada, "/api/tasks", json!({"title": "C"})).await;
    let typed = async |member: &As, title: &str| drop(member.patch(&task, json!({"title": title})).await.expect(200));
    let changed =
        |by: &As, from: &str, to: &str| json!(["changed", by.id, [{"field": "title", "from": from, "to": to}]]);
    let created = json!(["created", ada.id, null]);
    for title in ["Ca", "Cal", "Call"] {
        typed(&ada, title).await;
        app.clock.advance(1_000);
    }
    assert_eq!(timeline(&ada, &task).await, [changed(&ada, "C", "Call"), created.clone()]);
    // Another member, or later: another entry.
    typed(&bob, "Call Ana").await;
    app.clock.advance(LATER);
    let (ada, bob) = (app.acme(Role::Member).await, app.acme(Role::Admin).await);
    typed(&bob, "Call Bo").await;
    let all =
        [changed(&bob, "Call Ana", "Call Bo"), changed(&bob, "Call", "Call Ana"), changed(&ada, "C", "Call"), created];
    assert_eq!(timeline(&ada, &task).await, all);
    // What was undone did not happen.
    typed(&bob, "Call Ana").await;
    assert_eq!(timeline(&ada, &task).await, all[1..]);
    // The place in the order has no history.
    ada.patch(&task, json!({"order": 7})).await.expect(200);
    assert_eq!(timeline(&ada, &task).await, all[1..]);
}

#[tokio::test]
async fn names_long_fields_without_values_and_the_records_that_changed_fields_refer_to() {
    let app = TestApp::new().await;
    let ada = app.acme(Role::Member).await;
    let shelf = create(&ada, "/api/pages", json!({"title": "Shelf", "status": "published"})).await;
    let page = create(&ada, "/api/pages", json!({"title": "Book", "status": "published"})).await;
    let shelf_id = shelf.rsplit('/').next().unwrap();
    let body = format!("<p>{}</p>", "word ".repeat(200));
    ada.patch(&page, json!({"body": body, "parentId": shelf_id})).await.expect(200);
    let got = ada.get(&format!("{page}/timeline")).await.expect(200);
    let entry = &got["items"][0];
    assert_eq!(entry["changes"], json!([{"field": "body", "long": true}, {"field": "parentId", "to": shelf_id}]));
    assert_eq!(entry["records"][0]["card"]["title"], "Shelf");
}

#[tokio::test]
async fn only_readers_of_a_record_see_its_timeline() {
    let app = TestApp::new().await;
    let ada = app.acme(Role::Member).await;
    let viewer = app.acme(Role::Viewer).await;
    let draft = create(&ada, "/api/pages", json!({"title": "Secret"})).await;
    for part in ["timeline", "comments"] {
        ada.get(&format!("{draft}/{part}")).await.expect(200);
        viewer.get(&format!("{draft}/{part}")).await.refused("not_found");
        viewer.get(&format!("{}/{part}", draft.replace("pages", "tasks"))).await.refused("not_found");
    }
    ada.get("/api/team/00000000-0000-4000-8000-000000000000/timeline").await.refused("bad_request");
}

/// A kind of fault: only the undoing of an act is noted. A record that came back said who restored it, not who had removed it.
/// Neighbours: every kind, several removals, and a removal in bulk that was undone.
#[tokio::test]
async fn a_record_that_came_back_says_who_removed_it_and_who_restored_it() {
    let app = TestApp::new().await;
    let ada = app.acme(Role::Member).await;
    let admin = app.acme(Role::Admin).await;
    for kind in kinds_with_parts() {
        let record = create(&ada, &format!("/api/{}", kind.name), new_record(kind, "Gone")).await;
        let id = record.rsplit('/').next().unwrap();
        let mut expected = vec![json!(["created", ada.id, app.clock.now().to_string()])];
        let mut note = |event: &str, by: &As| {
            expected.insert(0, json!([event, by.id, app.clock.now().to_string()]));
        };
        for (remover, restorer) in [(&ada, &admin), (&admin, &admin)] {
            app.clock.advance(1);
            remover.delete(&record).await.expect(204);
            note("removed", remover);
            app.clock.advance(1);
            restorer.post(&format!("/api/bin/{id}/restore"), json!({})).await.expect(200);
            note("restored", restorer);
        }
        app.clock.advance(1);
        let bulk = json!({"kind": kind.name, "ids": [id], "remove": true});
        let bulk = ada.post("/api/bulk", bulk).await.expect(202);
        note("removed", &ada);
        app.clock.advance(1);
        admin.post(&format!("/api/bulk/{}/undo", bulk["id"].as_str().unwrap()), json!({})).await.expect(202);
        note("restored", &admin);
        let page = ada.get(&format!("{record}/timeline")).await.expect(200);
        let entries = page["items"].as_array().unwrap().iter();
        let found: Vec<Value> = entries.map(|entry| json!([entry["event"], entry["by"], entry["at"]])).collect();
        assert_eq!(found, expected, "{}", kind.name);
    }
}

#[tokio::test]
async fn history_and_comments_stay_in_the_bin_and_are_purged_with_their_record() {
    let app = TestApp::new().await;
    let admin = app.acme(Role::Admin).await;
    let task = create(&admin, "/api/tasks", json!({"title": "Call"})).await;
    let id = task.rsplit('/').next().unwrap();
    admin.patch(&task, json!({"title": "Call Ana"})).await.expect(200);
    for number in 0..250 {
        admin.post(&format!("{task}/comments"), json!({"value": format!("{number}")})).await.expect(201);
    }
    app.clock.advance(1);
    admin.delete(&task).await.expect(204);
    admin.get(&format!("{task}/timeline")).await.refused("not_found");
    app.clock.advance(1);
    admin.post(&format!("/api/bin/{id}/restore"), json!({})).await.expect(200);
    let page = admin.get(&format!("{task}/timeline?limit=200")).await.expect(200);
    assert_eq!(shown(&page["items"][0]), json!(["restored", admin.id, null]));
    assert_eq!(shown(&page["items"][1]), json!(["removed", admin.id, null]));
    let rows = |app: &TestApp| {
        let snapshot = app.app.store().snapshot().unwrap();
        let tx = snapshot.tenant(app.acme.id, None);
        (tx.count::<HistoryEntry>().unwrap(), tx.count::<Comment>().unwrap())
    };
    assert_eq!(rows(&app), (3, 250));
    admin.delete(&task).await.expect(204);
    admin.delete(&format!("/api/bin/{id}")).await.expect(204);
    assert_eq!(rows(&app), (0, 0));

    let task = create(&admin, "/api/tasks", json!({"title": "Call"})).await;
    admin.post(&format!("{task}/comments"), json!({"value": "Soon"})).await.expect(201);
    admin.delete(&task).await.expect(204);
    app.clock.advance(31 * 24 * 3_600_000);
    assert_eq!(bin::PURGE.run(app.app.store(), || std::future::ready(())).await.unwrap(), 2);
    assert_eq!(rows(&app), (0, 0));
}

#[tokio::test]
async fn tells_of_mentions_in_the_readers_chats_only() {
    let app = TestApp::new().await;
    let ada = app.acme(Role::Member).await;
    let bob = app.acme(Role::Viewer).await;
    let eve = app.acme(Role::Owner).await;
    let customer = create(&ada, "/api/customers", json!({"name": "Kanarium"})).await;
    let id = customer.rsplit('/').next().unwrap();
    let chat = ada.post("/api/apps/chat/chat", json!({"contactId": bob.id})).await.expect(200);
    let send = async |text: &str| {
        app.clock.advance(1);
        let reference = json!({"kind": "customer", "recordId": id, "text": "#K"});
        let message = json!({"chatId": chat["id"], "value": text, "references": [reference, reference]});
        ada.post("/api/apps/chat/messages", message).await.expect(201)
    };
    let first = send("Ask #K").await;
    let second = send("#K called").await;
    let created = json!(["created", ada.id, null]);
    let both = [json!(["mentioned", ada.id, "#K called"]), json!(["mentioned", ada.id, "Ask #K"]), created.clone()];
    assert_eq!(timeline(&ada, &customer).await, both);
    assert_eq!(timeline(&bob, &customer).await, both);
    assert_eq!(timeline(&eve, &customer).await, slice::from_ref(&created), "in a chat of others");

    let page = bob.get(&format!("{customer}/timeline?part=mentions&limit=1")).await.expect(200);
    let wanted = json!({"chatId": chat["id"], "messageId": second["id"], "text": "#K called"});
    assert_eq!(page["items"][0]["mention"], wanted);
    let next = page["nextCursor"].as_str().unwrap();
    let page = bob.get(&format!("{customer}/timeline?part=mentions&limit=1&cursor={next}")).await.expect(200);
    assert_eq!(page["items"][0]["mention"]["messageId"], first["id"]);
    assert_eq!(page.get("nextCursor"), None);

    ada.delete(&format!("/api/apps/chat/messages/{}", second["id"].as_str().unwrap())).await.expect(200);
    assert_eq!(timeline(&bob, &customer).await.len(), 2, "a removed message mentions nothing");
}

/// The kind of fault: a response that grows with what members write, because a part of it does not count. Neighbours: the
/// history alone, all parts, and a page that ends between the entries of two parts.
#[tokio::test]
async fn a_page_with_large_changes_ends_before_its_limit() {
    let app = TestApp::new().await;
    let ada = app.acme(Role::Member).await;
    let customer = create(&ada, "/api/customers", json!({"name": "Ana"})).await;
    ada.post(&format!("{customer}/comments"), json!({"value": "First"})).await.expect(201);
    let record: Uuid = customer.rsplit('/').next().unwrap().parse().unwrap();
    let fill = move |tx: &TenantWrite<'_>| {
        let value = Some(json!("x".repeat(400)));
        let change = |n: usize| HistoryChange {
            field: format!("fields.f{n}"),
            from: value.clone(),
            to: value.clone(),
            long: false,
        };
        (0..40).try_for_each(|_| {
            let changes = (0..200).map(change).collect();
            tx.create(HistoryEntry { record, event: HistoryEvent::Changed, changes, merged: None }).map(drop)
        })
    };
    app.app.store().write(app.acme.id, Actor::System, fill).await.unwrap();
    ada.post(&format!("{customer}/comments"), json!({"value": "Last"})).await.expect(201);
    for (part, expected) in [("part=changes&", 41), ("", 43)] {
        let path = format!("{customer}/timeline?{part}limit=200");
        let mut seen = Vec::new();
        let mut next = path.clone();
        loop {
            let page = ada.get(&next).await.expect(200);
            let items = page["items"].as_array().unwrap();
            assert!((1..=30).contains(&items.len()), "{next}: {}", items.len());
            seen.extend(items.iter().map(|entry| entry["id"].as_str().unwrap().to_owned()));
            let Some(cursor) = page.get("nextCursor") else { break };
            next = format!("{path}&cursor={}", cursor.as_str().unwrap());
        }
        assert_eq!(seen.len(), expected, "{path}");
        assert!(seen.is_sorted_by(|newer, older| newer > older), "{path}: each is there once, the newest first");
    }
}
