//! Bulk changes over HTTP.

use serde_json::{Value, json};
use uuid::Uuid;

use super::{
    model::{BulkAction, BulkChange, BulkPart, BulkState},
    rules::{self, MAX_RECORDS},
};
use crate::{
    features::records::{KindName, parts::find_part},
    kernel::Id,
    people::permission::{Reader, Role},
    store::{Actor, TenantWrite},
    testing::{As, Got, TestApp},
};

/// Creates customers with the status `lead`; returns their ids.
async fn customers(member: &As, count: usize) -> Vec<Value> {
    let mut ids = Vec::new();
    for n in 0..count {
        let body = json!({"name": format!("Customer {n:03}"), "status": "lead", "tags": ["old", "vip"]});
        ids.push(member.post("/api/customers", body).await.expect(201)["id"].clone());
    }
    ids
}

/// Begins a bulk change.
async fn begin(member: &As, kind: &str, mut body: Value) -> Got {
    body["kind"] = json!(kind);
    member.post("/api/bulk", body).await
}

async fn undo(member: &As, change: &Value) -> Value {
    let path = format!("/api/bulk/{}/undo", change["id"].as_str().unwrap());
    let begun = member.post(&path, json!({})).await.expect(202);
    member.bulk_over(&begun).await
}

/// Returns how many people a list has, once the index has all changes: on a busy machine a list says that it has not.
async fn total(member: &As, filter: &str) -> Value {
    loop {
        let list = member.get(&format!("/api/customers?limit=1&filter={filter}")).await.expect(200);
        if list["partial"] != true {
            return list["total"].clone();
        }
    }
}

fn figures(change: &Value) -> [u64; 5] {
    ["total", "done", "changed", "skipped", "undone"].map(|name| change[name].as_u64().unwrap())
}

#[tokio::test]
async fn a_bulk_change_is_applied_and_undone_except_where_a_record_changed_since() {
    let app = TestApp::new().await;
    let admin = app.acme(Role::Admin).await;
    let ada = app.acme(Role::Member).await;
    admin.post("/api/fields", json!({"kind": "customers", "name": "Seats", "type": "number"})).await.expect(201);
    let ids = customers(&ada, 4).await;
    let path = |n: usize| format!("/api/customers/{}", ids[n].as_str().unwrap());
    ada.patch(&path(1), json!({"fields": {"seats": 7}})).await.expect(200);
    let before = ada.get(&path(1)).await.expect(200);
    let body = json!({
        "ids": [ids[0], ids[1], ids[2], ids[2]],
        "change": {"status": "active", "ownerId": ada.id, "fields": {"seats": 3}},
        "addTags": ["New", "vip"],
        "removeTags": ["old"],
    });
    let change = begin(&ada, "customers", body).await.expect(202);
    assert_eq!((figures(&change), &change["state"]), ([3, 3, 3, 0, 0], &json!("done")));
    let after = ada.get(&path(1)).await.expect(200);
    assert_eq!(
        (&after["status"], &after["ownerId"], &after["tags"], &after["fields"]),
        (&json!("active"), &json!(ada.id), &json!(["vip", "new"]), &json!({"seats": 3}))
    );
    assert_eq!(ada.get(&path(3)).await.expect(200)["status"], "lead");
    // What is in the timeline names the member who began it.
    let timeline = ada.get(&format!("{}/timeline", path(0))).await.expect(200);
    assert_eq!(timeline["items"][0]["by"], json!(ada.id));

    ada.patch(&path(2), json!({"name": "Changed since"})).await.expect(200);
    let change = undo(&ada, &change).await;
    assert_eq!((figures(&change), &change["state"]), ([3, 3, 3, 0, 2], &json!("undone")));
    assert_eq!(change["undoSkips"], json!([{"id": ids[2], "reason": "stale_version"}]));
    let restored = ada.get(&path(1)).await.expect(200);
    for field in ["status", "ownerId", "tags", "fields"] {
        assert_eq!(restored[field], before[field], "{field}");
    }
    assert_eq!(ada.get(&path(0)).await.expect(200)["fields"], json!({}));
    assert_eq!(ada.get(&path(2)).await.expect(200)["status"], "active");
    let again = undo(&ada, &change).await;
    assert_eq!((figures(&again), &again["undoSkipped"]), ([3, 3, 3, 0, 2], &json!(1)), "what was undone stays undone");
    // A change that was undone is no change since.
    let first = json!({"ids": [ids[3]], "addTags": ["first"]});
    let first = begin(&ada, "customers", first).await.expect(202);
    let second = json!({"ids": [ids[3]], "change": {"status": "active"}});
    let second = begin(&ada, "customers", second).await.expect(202);
    for change in [&second, &first] {
        assert_eq!(undo(&ada, change).await["undone"], 1);
    }
    // Nothing to change is no change.
    let same = json!({"ids": [ids[2]], "change": {"status": "active"}});
    assert_eq!(figures(&begin(&ada, "customers", same).await.expect(202)), [1, 1, 0, 0, 0]);
}

#[tokio::test]
async fn all_matching_records_are_changed_in_the_background() {
    let app = TestApp::new().await;
    let ada = app.acme(Role::Member).await;
    let ids = customers(&ada, 300).await;
    ada.post("/api/customers", json!({"name": "Other", "status": "inactive"})).await.expect(201);
    let body = json!({"filter": ["status:is:lead"], "change": {"status": "active"}});
    let begun = begin(&ada, "customers", body).await.expect(202);
    assert_eq!((figures(&begun), &begun["state"]), ([300, 25, 25, 0, 0], &json!("running")));
    // Without a filter, which would wait for the index.
    let other = json!({"ids": ids[..1], "change": {"status": "active"}});
    begin(&ada, "customers", other).await.refused("conflict");
    let change = ada.bulk_over(&begun).await;
    assert_eq!((figures(&change), &change["state"]), ([300, 300, 300, 0, 0], &json!("done")));
    assert_eq!(total(&ada, "status:is:active").await, 300);
    let change = undo(&ada, &change).await;
    assert_eq!(figures(&change), [300, 300, 300, 0, 300]);
    assert_eq!((total(&ada, "status:is:lead").await, total(&ada, "status:is:inactive").await), (json!(300), json!(1)));
    // Search narrows the records as in the list.
    let found = json!({"q": "Customer 017", "addTags": ["found"]});
    assert_eq!(figures(&begin(&ada, "customers", found).await.expect(202))[2], 1);
}

#[tokio::test]
async fn a_bulk_change_goes_on_after_a_restart() {
    let app = TestApp::new().await;
    let ada = app.acme(Role::Member).await;
    customers(&ada, 120).await;
    let begun = begin(&ada, "customers", json!({"change": {"status": "inactive"}})).await.expect(202);
    drop(ada);
    let app = app.restart().await;
    let ada = app.acme(Role::Member).await;
    assert_eq!(figures(&ada.bulk_over(&begun).await), [120, 120, 120, 0, 0]);
    assert_eq!(total(&ada, "status:is:inactive").await, 120);
}

#[tokio::test]
async fn a_bulk_change_is_stopped_and_its_first_part_undone() {
    let app = TestApp::new().await;
    let ada = app.acme(Role::Member).await;
    customers(&ada, 260).await;
    let begun = begin(&ada, "customers", json!({"change": {"status": "inactive"}})).await.expect(202);
    let stop = format!("/api/bulk/{}/stop", begun["id"].as_str().unwrap());
    let stopped = ada.post(&stop, json!({})).await.expect(200);
    let [_, done, changed, ..] = figures(&stopped);
    assert!(stopped["state"] == "stopped" && done < 260, "{stopped}");
    assert_eq!(total(&ada, "status:is:inactive").await, changed);
    assert_eq!(undo(&ada, &stopped).await["undone"], changed);
    assert_eq!(total(&ada, "status:is:lead").await, 260);
}

#[tokio::test]
async fn removed_records_come_back_and_others_are_skipped() {
    let app = TestApp::new().await;
    let admin = app.acme(Role::Admin).await;
    let ada = app.acme(Role::Member).await;
    let viewer = app.acme(Role::Viewer).await;
    let hers = customers(&ada, 2).await;
    let theirs = customers(&admin, 1).await;
    let all = json!({"ids": [hers[0], hers[1], theirs[0]], "remove": true});
    begin(&viewer, "customers", all.clone()).await.refused("forbidden");
    let change = begin(&ada, "customers", all).await.expect(202);
    assert_eq!(figures(&change), [3, 3, 2, 1, 0]);
    assert_eq!(change["skips"], json!([{"id": theirs[0], "reason": "forbidden"}]));
    assert_eq!(total(&ada, "status:set").await, 1);
    // Only its author and administrators see it.
    viewer.get(&format!("/api/bulk/{}", change["id"].as_str().unwrap())).await.refused("not_found");
    viewer.post(&format!("/api/bulk/{}/undo", change["id"].as_str().unwrap()), json!({})).await.refused("not_found");
    admin.get(&format!("/api/bulk/{}", change["id"].as_str().unwrap())).await.expect(200);
    assert_eq!(undo(&ada, &change).await["undone"], 2);
    assert_eq!(total(&ada, "status:set").await, 3);
    // A record of another company is not there.
    let other = app.other(Role::Owner).await;
    let got = begin(&other, "customers", json!({"ids": hers, "change": {"status": "active"}})).await;
    got.refused("not_found");
}

#[tokio::test]
async fn tasks_are_assigned_in_bulk_and_few_of_them_notify() {
    let app = TestApp::new().await;
    let ada = app.acme(Role::Member).await;
    let bob = app.acme(Role::Admin).await;
    let mut ids = Vec::new();
    for n in 0..21 {
        ids.push(ada.post("/api/tasks", json!({"title": format!("Task {n}")})).await.expect(201)["id"].clone());
    }
    let unread = async || bob.get("/api/common/notifications").await.expect(200).as_array().unwrap().len();
    let before = unread().await;
    let few = json!({"ids": ids[..2], "change": {"assigneeId": bob.id, "dueDate": "2026-12-01", "priority": 2}});
    assert_eq!(figures(&begin(&ada, "tasks", few).await.expect(202))[2], 2);
    assert_eq!(unread().await, before + 2);
    let many = json!({"ids": ids, "change": {"assigneeId": bob.id}});
    assert_eq!(figures(&begin(&ada, "tasks", many).await.expect(202))[2], 19);
    assert_eq!(unread().await, before + 2);
}

#[tokio::test]
async fn a_bulk_change_that_cannot_go_on_is_stopped_and_holds_up_no_others() {
    let app = TestApp::new().await;
    let ada = app.acme(Role::Member).await;
    let other = app.other(Role::Member).await;
    customers(&other, 60).await;
    let broken = BulkChange {
        kind: KindName::find("customer").unwrap(),
        action: BulkAction::Remove,
        state: BulkState::Running,
        total: 300,
        part_size: 50,
        done: 0,
        changed: 0,
        skipped: 0,
        skips: Vec::new(),
        undo_done: 0,
        undone: 0,
        undo_skipped: 0,
        undo_skips: Vec::new(),
        undone_by: None,
    };
    // Its parts are missing.
    let store = app.app.store();
    let kept = store.write(app.acme.id, Actor::Member(ada.id), |tx| tx.create(broken)).await.unwrap().0;
    let begun = begin(&other, "customers", json!({"change": {"status": "inactive"}})).await.expect(202);
    assert_eq!(other.bulk_over(&begun).await["changed"], 60);
    let change = ada.bulk_over(&json!({"id": kept.id})).await;
    assert_eq!((&change["state"], &change["done"]), (&json!("stopped"), &json!(0)));
}

/// The kind of fault: a write that grows with what a member chose, or with what they did before.
#[tokio::test]
async fn beginning_a_bulk_change_of_the_most_records_writes_few_parts_and_forgets_older_ones_in_steps() {
    let app = TestApp::new().await;
    let ada = app.acme(Role::Member).await;
    let reader = Reader { id: ada.id, role: Role::Member };
    let mut all_parts = Vec::new();
    for _ in 0..4 {
        app.clock.advance(61_000);
        let work = move |tx: &TenantWrite<'_>| {
            // None of them exists.
            let ids: Vec<Uuid> = (1..=MAX_RECORDS as u128).map(Uuid::from_u128).collect();
            let before = tx.count::<BulkPart>()?;
            let change = rules::begin(tx, reader, KindName::find("customer").unwrap(), BulkAction::Remove, &ids)?;
            let begun = tx.count::<BulkPart>()?;
            for _ in 0..30 {
                assert!(rules::step(tx, change.id)?);
            }
            rules::stop(tx, reader, change.id)?;
            Ok((before, begun, tx.count::<BulkPart>()?))
        };
        let (before, begun, after) = app.app.store().write(app.acme.id, Actor::Member(ada.id), work).await.unwrap().0;
        assert!(begun <= before + 201, "{before} {begun}");
        all_parts.push(after);
    }
    assert!(all_parts[3] == all_parts[2] && all_parts[2] == all_parts[1], "what is beyond is forgotten: {all_parts:?}");
    assert_eq!(ada.get("/api/bulk").await.expect(200)["total"], 2);
}

#[tokio::test]
async fn undoing_what_is_forgotten_in_part_ends_and_says_how_much_stays() {
    let app = TestApp::new().await;
    let ada = app.acme(Role::Member).await;
    customers(&ada, 60).await;
    let begun = begin(&ada, "customers", json!({"change": {"status": "inactive"}})).await.expect(202);
    let change = ada.bulk_over(&begun).await;
    let id: Id<BulkChange> = change["id"].as_str().unwrap().parse().unwrap();
    let work = move |tx: &TenantWrite<'_>| {
        let first = find_part(tx, id, 0)?.unwrap();
        tx.remove::<BulkPart>(first.id, None)
    };
    app.app.store().write(app.acme.id, Actor::System, work).await.unwrap();
    let undone = undo(&ada, &change).await;
    assert_eq!((figures(&undone), &undone["undoSkipped"]), ([60, 60, 60, 0, 10], &json!(50)));
    assert_eq!(total(&ada, "status:is:lead").await, 10);
}

#[tokio::test]
async fn a_bulk_change_of_an_earlier_version_goes_on_and_is_undone() {
    let app = TestApp::new().await;
    let ada = app.acme(Role::Member).await;
    let ids = customers(&ada, 60).await;
    let ids = ids.iter().map(|id| id.as_str().unwrap().parse().unwrap()).collect();
    // Stored without a size of parts, which were larger.
    let patch = json!({"status": "inactive"}).to_string();
    let action = json!({"change": {"patch": patch}});
    let stored = json!({"kind": "customer", "action": action, "state": "running", "total": 60, "done": 0, "changed": 0,
        "skipped": 0, "undo_done": 0, "undone": 0});
    let change: BulkChange = serde_json::from_value(stored).unwrap();
    let work = |tx: &TenantWrite<'_>| {
        let change = tx.create(change)?;
        tx.create(BulkPart { change: change.id, place: 0, ids, undo: Vec::new() })?;
        Ok(change)
    };
    let kept = app.app.store().write(app.acme.id, Actor::Member(ada.id), work).await.unwrap().0;
    let kept = json!({"id": kept.id});
    assert_eq!(figures(&ada.bulk_over(&kept).await), [60, 60, 60, 0, 0]);
    assert_eq!(total(&ada, "status:is:inactive").await, 60);
    assert_eq!(figures(&undo(&ada, &kept).await), [60, 60, 60, 0, 60]);
    assert_eq!(total(&ada, "status:is:lead").await, 60);
}

#[tokio::test]
async fn a_member_begins_bulk_changes_of_so_many_records_a_minute() {
    let app = TestApp::new().await;
    let ada = app.acme(Role::Member).await;
    customers(&ada, 300).await;
    for n in 0..3 {
        let begun = begin(&ada, "customers", json!({"addTags": [format!("tag {n}")]})).await.expect(202);
        ada.bulk_over(&begun).await;
    }
    begin(&ada, "customers", json!({"addTags": ["one more"]})).await.refused("slow_down");
    app.clock.advance(61_000);
    begin(&ada, "customers", json!({"addTags": ["one more"]})).await.expect(202);
}

#[tokio::test]
async fn bulk_changes_are_checked() {
    let app = TestApp::new().await;
    let ada = app.acme(Role::Member).await;
    let id = customers(&ada, 1).await.remove(0);
    let stranger = "019a9c3e-7b1f-7c52-9b0e-3d0c5a7f1e20";
    for (body, field) in [
        (json!({}), "change"),
        (json!({"change": {}}), "change"),
        (json!({"change": {"status": "active"}, "remove": true}), "remove"),
        (json!({"change": {"name": "All the same"}}), "change.name"),
        (json!({"change": {"status": "unknown"}}), "status"),
        (json!({"change": {"ownerId": 5}}), "change.ownerId"),
        (json!({"ids": [id], "filter": ["status:is:lead"], "remove": true}), "ids"),
        (json!({"ids": vec![stranger; 1_001], "remove": true}), "ids"),
        (json!({"filter": ["nothing:is:x"], "remove": true}), "filter.0"),
        (json!({"addTags": vec!["x"; 31]}), "addTags"),
        (json!({"ids": [id], "change": {"ownerId": stranger}}), "ownerId"),
        (json!({"ids": [id], "addTags": ["x".repeat(51)]}), "tags.2"),
    ] {
        let got = begin(&ada, "customers", body.clone()).await;
        got.refused("invalid");
        assert!(got.body["error"]["fields"].get(field).is_some(), "{body}: {}", got.body);
    }
    let tagged = begin(&ada, "events", json!({"addTags": ["vip"]})).await;
    tagged.refused("invalid");
    assert!(tagged.body["error"]["fields"].get("addTags").is_some(), "{}", tagged.body);
    assert_eq!(total(&ada, "status:is:lead").await, 1);
}

#[tokio::test]
async fn events_are_changed_in_bulk_and_their_attendees_notified_of_few() {
    let app = TestApp::new().await;
    let ada = app.acme(Role::Member).await;
    let bob = app.acme(Role::Admin).await;
    let mut ids = Vec::new();
    for day in 1..=21 {
        let body = json!({
            "title": format!("Event {day}"), "allDay": true, "startDate": format!("2026-12-{day:02}"),
            "endDate": format!("2026-12-{day:02}"), "recurrence": "FREQ=WEEKLY;COUNT=3",
            "attendees": [{"memberId": bob.id}],
        });
        ids.push(ada.post("/api/events", body).await.expect(201)["id"].clone());
    }
    let seen = async || bob.get("/api/common/notifications").await.expect(200).to_string().matches("Event ").count();
    let before = seen().await;
    let change = json!({"filter": ["start:gte:2026-12-01"], "change": {"location": "Hall", "color": "teal"}});
    let change = begin(&ada, "events", change).await.expect(202);
    assert_eq!(figures(&change), [21, 21, 21, 0, 0]);
    let removed = begin(&ada, "events", json!({"remove": true})).await.expect(202);
    assert_eq!(figures(&removed), [21, 21, 21, 0, 0]);
    assert_eq!(undo(&ada, &removed).await["undone"], 21);
    let filters = "filter=location:is:hall&filter=start:gte:2026-12-05";
    let list = ada.get(&format!("/api/events/records?{filters}&sort=start&limit=2")).await.expect(200);
    assert_eq!((&list["total"], &list["items"][0]["title"]), (&json!(17), &json!("Event 5")));
    assert_eq!(list["items"][0]["recurrence"], "FREQ=WEEKLY;COUNT=3");
    assert_eq!(seen().await, before, "more than 20 are changed without notifications");
    let few = json!({"ids": [ids[0]], "remove": true});
    begin(&ada, "events", few).await.expect(202);
    assert!(seen().await > before, "the attendee is told that the event is cancelled");
}

#[tokio::test]
async fn pages_are_published_moved_and_removed_in_bulk_and_undo_puts_subpages_back() {
    let app = TestApp::new().await;
    let ada = app.acme(Role::Member).await;
    let bob = app.acme(Role::Viewer).await;
    let new = async |title: &str, parent: Option<&Value>| {
        ada.post("/api/pages", json!({"title": title, "parentId": parent})).await.expect(201)["id"].clone()
    };
    let top = new("Top", None).await;
    let below = new("Below", Some(&top)).await;
    let lowest = new("Lowest", Some(&below)).await;
    let place = async |id: &Value| {
        let page = ada.get(&format!("/api/pages/{}", id.as_str().unwrap())).await.expect(200);
        (page["status"].clone(), page.get("parentId").cloned())
    };
    let all = json!([top, below, lowest]);
    begin(&bob, "pages", json!({"ids": all, "change": {"status": "published"}})).await.refused("forbidden");
    let change = json!({"filter": ["status:is:draft"], "change": {"status": "published"}});
    let published = begin(&ada, "pages", change).await.expect(202);
    assert_eq!(figures(&published), [3, 3, 3, 0, 0]);
    let moved = json!({"ids": all, "change": {"parentId": lowest}});
    begin(&ada, "pages", moved).await.refused("invalid");

    let only_me = json!({"ids": [top], "change": {"visibility": {"to": "me"}}});
    begin(&ada, "pages", only_me).await.expect(202);
    let titles = async |member: &As, query: &str| {
        let list = member.get(&format!("/api/pages?{query}")).await.expect(200);
        let items = list["items"].as_array().unwrap();
        assert_eq!(list["total"], items.len(), "{query}");
        items.iter().map(|page| page["title"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(titles(&ada, "filter=visibility:is:me").await, ["Top"]);
    assert_eq!(titles(&bob, "sort=title").await, [""; 0]);

    let gone = begin(&ada, "pages", json!({"ids": [top, below], "remove": true})).await.expect(202);
    assert_eq!(figures(&gone), [2, 2, 2, 0, 0]);
    assert_eq!(place(&lowest).await, (json!("published"), None));
    assert_eq!(undo(&ada, &gone).await["undone"], 2);
    assert_eq!(place(&lowest).await.1, Some(below.clone()));
    assert_eq!(place(&below).await.1, Some(top));
}

#[tokio::test]
async fn bulk_changes_are_listed_and_administrators_undo_those_of_others() {
    let app = TestApp::new().await;
    let admin = app.acme(Role::Admin).await;
    let ada = app.acme(Role::Member).await;
    let ben = app.acme(Role::Viewer).await;
    let ids = customers(&ada, 30).await;
    let task = ada.post("/api/tasks", json!({"title": "Call"})).await.expect(201);
    let changed = begin(&ada, "customers", json!({"ids": ids, "change": {"status": "active"}})).await.expect(202);
    ada.bulk_over(&changed).await;
    app.clock.advance(1);
    let removed = begin(&ada, "tasks", json!({"ids": [task["id"]], "remove": true})).await.expect(202);
    let list = async |member: &As, query: &str| {
        let list = member.get(&format!("/api/bulk{query}")).await.expect(200);
        let ids = list["items"].as_array().unwrap().iter().map(|item| item["id"].clone());
        (list["total"].as_u64().unwrap(), ids.collect::<Vec<_>>())
    };
    let both = vec![removed["id"].clone(), changed["id"].clone()];
    assert_eq!(list(&ada, "").await, (2, both.clone()), "the newest one first");
    assert_eq!(list(&admin, "").await, (2, both.clone()));
    assert_eq!(list(&ben, "").await, (0, Vec::new()), "members see their own");
    assert_eq!(list(&ada, "?kind=customers").await, (1, vec![changed["id"].clone()]));
    let first = ada.get("/api/bulk?limit=1").await.expect(200);
    let next = first["nextCursor"].as_str().unwrap();
    assert_eq!(list(&ada, &format!("?limit=1&cursor={next}")).await, (2, vec![changed["id"].clone()]));

    let path = |change: &Value| format!("/api/bulk/{}/undo", change["id"].as_str().unwrap());
    ben.post(&path(&removed), json!({})).await.refused("not_found");
    for change in [&removed, &changed] {
        let undone = undo(&admin, change).await;
        assert_eq!((&undone["state"], &undone["undone"]), (&json!("undone"), &change["total"]));
        assert_eq!((&undone["createdBy"], &undone["undoneBy"]), (&json!(ada.id), &json!(admin.id)));
        ada.post(&path(change), json!({})).await.refused("conflict");
    }
    ada.get(&format!("/api/tasks/{}", task["id"].as_str().unwrap())).await.expect(200);
    assert_eq!(total(&ada, "status:is:lead").await, 30);
}

/// An error that is swallowed within a write after something was changed: undoing a removal destroyed the records whose
/// unique values others had taken since.
#[tokio::test]
async fn removed_records_that_cannot_come_back_stay_in_the_bin_are_listed_and_tried_again() {
    let app = TestApp::new().await;
    let ada = app.acme(Role::Member).await;
    let new = async |kind: &str, body: Value| ada.post(&format!("/api/{kind}"), body).await.expect(201)["id"].clone();
    for (kind, name) in [("customers", "name"), ("organizations", "name"), ("deals", "title")] {
        let lost = new(kind, json!({name: "First", "externalId": "E1"})).await;
        let free = new(kind, json!({name: "Second", "externalId": "E2"})).await;
        let record = format!("/api/{kind}/{}", lost.as_str().unwrap());
        let comment = ada.post(&format!("{record}/comments"), json!({"value": "Kept"})).await.expect(201);
        let removed = begin(&ada, kind, json!({"ids": [lost, free], "remove": true})).await.expect(202);
        let taken = new(kind, json!({name: "Another", "externalId": "E1"})).await;

        let undone = undo(&ada, &removed).await;
        assert_eq!((&undone["undone"], &undone["undoSkipped"]), (&json!(1), &json!(1)), "{kind}");
        assert_eq!(undone["undoSkips"], json!([{"id": lost, "reason": "conflict"}]), "{kind}");
        let bin = ada.get("/api/bin").await.expect(200);
        assert!(bin["items"].as_array().unwrap().iter().any(|item| item["id"] == lost), "{kind}: {bin}");

        // It comes back as soon as the value is free.
        ada.patch(&format!("/api/{kind}/{}", taken.as_str().unwrap()), json!({"externalId": "E3"})).await.expect(200);
        let again = undo(&ada, &undone).await;
        assert_eq!((&again["undone"], &again["undoSkips"]), (&json!(2), &json!([])), "{kind}");
        let comments = ada.get(&format!("{record}/comments")).await.expect(200);
        assert_eq!(comments["items"][0]["id"], comment["id"], "{kind}");
        ada.post(&format!("/api/bulk/{}/undo", removed["id"].as_str().unwrap()), json!({})).await.refused("conflict");
    }
    app.assert_sound();
}

#[tokio::test]
async fn removed_records_that_were_restored_since_are_listed_as_changed() {
    let app = TestApp::new().await;
    let ada = app.acme(Role::Admin).await;
    let ids = customers(&ada, 2).await;
    let removed = begin(&ada, "customers", json!({"ids": ids, "remove": true})).await.expect(202);
    ada.post(&format!("/api/bin/{}/restore", ids[0].as_str().unwrap()), json!({})).await.expect(200);
    ada.delete(&format!("/api/bin/{}", ids[1].as_str().unwrap())).await.expect(204);
    let undone = undo(&ada, &removed).await;
    let reasons = json!([{"id": ids[1], "reason": "not_found"}, {"id": ids[0], "reason": "stale_version"}]);
    assert_eq!((&undone["undone"], &undone["undoSkips"]), (&json!(0), &reasons));
}

/// Undoing that gives up the whole record because of one value that no longer fits, and cannot be tried again.
#[tokio::test]
async fn undo_puts_back_the_values_that_still_fit_and_lists_the_rest() {
    let app = TestApp::new().await;
    let admin = app.acme(Role::Admin).await;
    let organization =
        async |name: &str| admin.post("/api/organizations", json!({"name": name})).await.expect(201)["id"].clone();
    let former = organization("Former").await;
    let other = organization("Other").await;
    let statuses = async || {
        let got = admin.get("/api/customers/statuses").await.expect(200);
        let all = got["statuses"].as_array().unwrap().iter();
        all.map(|one| json!({"id": one["id"], "name": one["name"], "color": one["color"]})).collect::<Vec<_>>()
    };
    let body = json!({"name": "Ana", "status": "inactive", "organizationId": former});
    let ana = admin.post("/api/customers", body).await.expect(201)["id"].clone();
    let path = format!("/api/customers/{}", ana.as_str().unwrap());
    let before = admin.get(&path).await.expect(200);
    let change = json!({"ids": [ana], "change": {"status": "active", "organizationId": other, "ownerId": admin.id}});
    let change = begin(&admin, "customers", change).await.expect(202);

    // The former organization is renamed, and the status removed.
    admin
        .patch(&format!("/api/organizations/{}", former.as_str().unwrap()), json!({"name": "Renamed"}))
        .await
        .expect(200);
    let kept: Vec<Value> = statuses().await.into_iter().filter(|status| status["id"] != "inactive").collect();
    admin.patch("/api/customers/statuses", json!({"statuses": kept})).await.expect(200);

    let undone = undo(&admin, &change).await;
    let skips = json!([{"id": ana, "reason": "invalid"}]);
    assert_eq!((&undone["undone"], &undone["undoSkips"]), (&json!(0), &skips), "the status is left");
    let now = admin.get(&path).await.expect(200);
    assert_eq!((&now["organizationId"], &now["details"]["company"]), (&former, &json!("Renamed")));
    assert_eq!((&now["status"], now.get("ownerId")), (&json!("active"), before.get("ownerId")));
    let again = undo(&admin, &undone).await;
    assert_eq!((&again["undone"], &again["undoSkips"]), (&json!(0), &skips), "it fits no better");

    // Without such a value, the change is undone, although the company has another name.
    let change = json!({"ids": [ana], "change": {"organizationId": other}});
    let change = begin(&admin, "customers", change).await.expect(202);
    admin
        .patch(&format!("/api/organizations/{}", former.as_str().unwrap()), json!({"name": "Again"}))
        .await
        .expect(200);
    let undone = undo(&admin, &change).await;
    assert_eq!((&undone["undone"], &undone["undoSkips"]), (&json!(1), &json!([])));
    assert_eq!(admin.get(&path).await.expect(200)["details"]["company"], "Again");
}
