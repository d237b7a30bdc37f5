//! Merges over HTTP: what is combined, what follows, and how it is undone.

use serde_json::{Value, json};

use super::{Merge, PURGE};
use crate::{
    features::customers::Customer,
    kernel::Id,
    people::permission::Role,
    store::{Actor, HistoryEntry, Scan, TenantWrite},
    testing::{As, TestApp, wait_for},
};

/// Creates a record. Returns its id.
async fn create(member: &As, path: &str, body: Value) -> String {
    id_of(&member.post(path, body).await.expect(201))
}

fn id_of(record: &Value) -> String {
    record["id"].as_str().unwrap().to_owned()
}

async fn merge(member: &As, kind: &str, kept: &str, body: Value) -> Value {
    member.post(&format!("/api/{kind}/{kept}/merge"), body).await.expect(200)
}

async fn undo(member: &As, merge: &Value) -> Value {
    let begun = member.post(&format!("/api/merges/{}/undo", id_of(merge)), json!({})).await.expect(200);
    member.merge_over(&begun).await
}

async fn count(member: &As, path: &str) -> usize {
    member.get(path).await.expect(200)["items"].as_array().unwrap().len()
}

// The kind of fault: a hidden value decides what a merge does.
#[tokio::test]
async fn deleted_fields_and_choices_are_not_merged() {
    let app = TestApp::new().await;
    let admin = app.acme(Role::Admin).await;
    let define = async |field: Value| format!("/api/fields/{}", create(&admin, "/api/fields", field).await);
    let nick = define(json!({"kind": "customers", "name": "Nick", "type": "text"})).await;
    let both = json!([{"key": "small", "name": "Small"}, {"key": "large", "name": "Large"}]);
    let size = define(json!({"kind": "customers", "name": "Size", "type": "choice", "choices": both})).await;
    let kept = json!({"name": "Ana", "fields": {"size": "large"}});
    let kept = create(&admin, "/api/customers", kept).await;
    let duplicate = json!({"name": "Ana", "fields": {"nick": "Annie", "size": "small"}});
    let duplicate = create(&admin, "/api/customers", duplicate).await;
    admin.patch(&size, json!({"choices": [{"key": "small", "name": "Small"}]})).await.expect(200);
    admin.delete(&nick).await.expect(204);
    let merged = merge(&admin, "customers", &kept, json!({"duplicateId": duplicate})).await;
    let fields = async || admin.get(&format!("/api/customers/{kept}")).await.expect(200)["fields"].clone();
    assert_eq!(fields().await, json!({"size": "small"}));
    // A deleted choice cannot come back, and what the duplicate had does not stay.
    assert_eq!(undo(&admin, &merged).await["left"], 0);
    assert_eq!(fields().await, json!({}));
}

// The kind of fault: what followed twice is given back as if it had followed once.
#[tokio::test]
async fn merges_of_one_record_after_another_are_undone_the_last_first() {
    let app = TestApp::new().await;
    let ada = app.acme(Role::Member).await;
    let mut people = Vec::new();
    for name in ["Ana", "Bea", "Cleo"] {
        people.push(create(&ada, "/api/customers", json!({"name": name})).await);
    }
    let [a, b, c] = people.as_slice() else { unreachable!() };
    let task = create(&ada, "/api/tasks", json!({"title": "Call", "customerId": b})).await;
    ada.post(&format!("/api/customers/{b}/comments"), json!({"value": "Likes tea"})).await.expect(201);
    let first = merge(&ada, "customers", a, json!({"duplicateId": b})).await;
    let second = merge(&ada, "customers", c, json!({"duplicateId": a})).await;
    let owner = async || ada.get(&format!("/api/tasks/{task}")).await.expect(200)["customerId"].clone();
    assert_eq!(owner().await, **c);
    ada.post(&format!("/api/merges/{}/undo", id_of(&first)), json!({})).await.refused("conflict");
    ada.post(&format!("/api/bin/{b}/restore"), json!({})).await.refused("conflict");
    assert_eq!(owner().await, **c);
    assert_eq!(undo(&ada, &second).await["left"], 0);
    assert_eq!(owner().await, **a);
    assert_eq!(undo(&ada, &first).await["left"], 0);
    assert_eq!(owner().await, **b);
    assert_eq!(count(&ada, &format!("/api/customers/{b}/comments")).await, 1);
}

#[tokio::test]
async fn what_belongs_to_the_duplicate_follows_and_goes_back() {
    let app = TestApp::new().await;
    let ada = app.acme(Role::Member).await;
    let ana = json!({"name": "Ana García", "tags": ["vip"], "details": {"emails": [{"email": "ana@sol.example"}]}});
    let kept = create(&ada, "/api/customers", ana).await;
    let other = json!({"name": "Ana Garcia", "tags": ["sol"], "about": "Tall", "externalId": "17",
        "details": {"emails": [{"email": "ana@sol.example"}, {"email": "a@home.example"}], "title": "Baker"}});
    let duplicate = create(&ada, "/api/customers", other).await;
    let at = |path: &str| format!("/api/customers/{duplicate}/{path}");
    ada.post(&at("comments"), json!({"value": "Likes tea"})).await.expect(201);
    let task = create(&ada, "/api/tasks", json!({"title": "Call", "customerId": duplicate})).await;
    let deal = create(&ada, "/api/deals", json!({"title": "Mills", "customerId": duplicate})).await;
    let event = json!({"title": "Visit", "start": "2026-07-01T10:00:00Z", "end": "2026-07-01T11:00:00Z",
        "attendees": [{"customerId": duplicate}]});
    let event = create(&ada, "/api/events", event).await;
    let page = create(&ada, "/api/pages", json!({"title": "Prices", "status": "published"})).await;
    ada.post(&at("links"), json!({"kind": "page", "recordId": page})).await.expect(200);
    let call = json!({"type": "call", "text": "Ordered flour", "links": [{"kind": "customer", "recordId": duplicate}]});
    ada.post("/api/activities", call).await.expect(201);

    let merged = merge(&ada, "customers", &kept, json!({"duplicateId": duplicate})).await;
    assert_eq!((merged["state"].as_str(), merged["moved"].as_u64()), (Some("done"), Some(6)));
    let now = ada.get(&format!("/api/customers/{kept}")).await.expect(200);
    assert_eq!(now["name"], "Ana García");
    assert_eq!(
        (&now["tags"], &now["about"], &now["externalId"]),
        (&json!(["vip", "sol"]), &json!("Tall"), &json!("17"))
    );
    assert_eq!(now["details"]["emails"].as_array().unwrap().len(), 2);
    assert!(now["lastContactAt"].is_string() && now["nextStep"]["taskId"] == task.as_str(), "{now}");
    let of_kept = |path: &str| format!("/api/customers/{kept}/{path}");
    assert_eq!((count(&ada, &of_kept("comments")).await, count(&ada, &of_kept("links")).await), (1, 1));
    for (path, pointer) in [("tasks", "/customerId"), ("deals", "/customerId"), ("events", "/attendees/0/customerId")] {
        let id = [("tasks", &task), ("deals", &deal), ("events", &event)].into_iter().find(|(kind, _)| *kind == path);
        let record = ada.get(&format!("/api/{path}/{}", id.unwrap().1)).await.expect(200);
        assert_eq!(record.pointer(pointer), Some(&json!(kept)), "{path}: {record}");
    }
    let gone = ada.get(&format!("/api/customers/{duplicate}")).await;
    gone.refused("not_found");
    assert_eq!(gone.body["error"]["mergedInto"], kept.as_str());
    let binned = ada.get("/api/bin").await.expect(200);
    assert_eq!(binned["items"][0]["mergedInto"]["id"], kept.as_str());

    let undone = undo(&ada, &merged).await;
    assert_eq!((undone["state"].as_str(), undone["left"].as_u64()), (Some("undone"), Some(0)));
    let now = ada.get(&format!("/api/customers/{kept}")).await.expect(200);
    assert_eq!((&now["tags"], now.get("about"), now.get("externalId")), (&json!(["vip"]), None, None));
    assert!(now.get("lastContactAt").is_none() && now.get("nextStep").is_none(), "{now}");
    let back = ada.get(&format!("/api/customers/{duplicate}")).await.expect(200);
    assert_eq!((&back["externalId"], &back["nextStep"]["taskId"]), (&json!("17"), &json!(task)));
    assert_eq!((count(&ada, &at("comments")).await, count(&ada, &at("links")).await), (1, 1));
    assert_eq!((count(&ada, &of_kept("comments")).await, count(&ada, &of_kept("links")).await), (0, 0));
    ada.post(&format!("/api/merges/{}/undo", id_of(&merged)), json!({})).await.refused("conflict");
}

#[tokio::test]
async fn undoing_leaves_what_was_changed_since_and_names_it() {
    let app = TestApp::new().await;
    let ada = app.acme(Role::Member).await;
    let kept = create(&ada, "/api/customers", json!({"name": "Ana"})).await;
    let other = json!({"name": "Ana", "about": "Tall", "details": {"title": "Baker", "address": "Sol 1"}});
    let duplicate = create(&ada, "/api/customers", other).await;
    let task = create(&ada, "/api/tasks", json!({"title": "Call", "customerId": duplicate})).await;
    let merged = merge(&ada, "customers", &kept, json!({"duplicateId": duplicate})).await;
    ada.patch(&format!("/api/customers/{kept}"), json!({"details": {"title": "Miller"}})).await.expect(200);
    ada.patch(&format!("/api/tasks/{task}"), json!({"customerId": null})).await.expect(200);
    // Restoring it from the bin undoes the merge, too.
    ada.post(&format!("/api/bin/{duplicate}/restore"), json!({})).await.expect(200);
    let undone = ada.merge_over(&merged).await;
    assert_eq!(undone["state"], "undone");
    assert_eq!((&undone["leftFields"], undone["left"].as_u64()), (&json!(["details.title"]), Some(1)));
    let now = ada.get(&format!("/api/customers/{kept}")).await.expect(200);
    assert_eq!((now.get("about"), &now["details"]["title"]), (None, &json!("Miller")));
    assert!(now["details"].get("address").is_none(), "{now}");
    assert_eq!(ada.get(&format!("/api/customers/{duplicate}")).await.expect(200)["about"], "Tall");
}

#[tokio::test]
async fn timeline_of_the_kept_record_tells_of_the_merge_and_its_undoing_once() {
    let app = TestApp::new().await;
    let ada = app.acme(Role::Member).await;
    let ben = app.acme(Role::Admin).await;
    let kept = create(&ada, "/api/customers", json!({"name": "Ana García"})).await;
    let duplicate = create(&ada, "/api/customers", json!({"name": "Ana Lopes", "tags": ["sol"]})).await;
    let path = format!("/api/customers/{kept}");
    let entries = async |query: &str| {
        let page = ada.get(&format!("{path}/timeline{query}")).await.expect(200);
        let tell = |entry: &Value| json!([entry["event"], entry["by"], entry["changes"], entry["merged"]["title"]]);
        page["items"].as_array().unwrap().iter().map(tell).collect::<Vec<_>>()
    };
    ada.patch(&path, json!({"tags": ["vip"]})).await.expect(200);
    let merged = merge(&ada, "customers", &kept, json!({"duplicateId": duplicate})).await;
    // It changes the same field as the change before and as the change after, and continues neither.
    ada.patch(&path, json!({"tags": ["vip", "sol", "new"]})).await.expect(200);
    let tags = |from: Value, to: Value| json!([{"field": "tags", "from": from, "to": to}]);
    let mut all = vec![
        json!(["changed", ada.id, tags(json!(["vip", "sol"]), json!(["vip", "sol", "new"])), null]),
        json!(["merged", ada.id, tags(json!(["vip"]), json!(["vip", "sol"])), "Ana Lopes"]),
        json!(["changed", ada.id, tags(json!([]), json!(["vip"])), null]),
        json!(["created", ada.id, [], null]),
    ];
    assert_eq!(entries("").await, all);
    assert_eq!(entries("?part=changes").await, all);
    assert_eq!(entries("?part=comments").await, [Value::Null; 0]);
    let page = ada.get(&format!("{path}/timeline")).await.expect(200);
    assert_eq!(page["items"][1]["merged"], json!({"recordId": duplicate, "title": "Ana Lopes", "card": null}));

    ada.patch(&path, json!({"tags": ["vip", "sol"]})).await.expect(200);
    all.remove(0);
    undo(&ben, &merged).await;
    all.insert(0, json!(["unmerged", ben.id, tags(json!(["vip", "sol"]), json!(["vip"])), "Ana Lopes"]));
    assert_eq!(entries("").await, all);
    let page = ada.get(&format!("{path}/timeline")).await.expect(200);
    assert_eq!(page["items"][0]["merged"]["card"]["title"], "Ana Lopes");

    // A merge that changes no field, and what a record tells after the merge is no longer kept.
    let empty = create(&ada, "/api/customers", json!({"name": "Ana"})).await;
    merge(&ada, "customers", &kept, json!({"duplicateId": empty})).await;
    all.insert(0, json!(["merged", ada.id, [], "Ana"]));
    assert_eq!(entries("").await, all);
    drop((ada, ben));
    app.clock.advance(31 * 24 * 3_600_000);
    PURGE.run(app.app.store(), || std::future::ready(())).await.unwrap();
    let ada = app.acme(Role::Member).await;
    let page = ada.get(&format!("{path}/timeline")).await.expect(200);
    assert_eq!(page["items"][0]["merged"]["title"], "Ana");
}

#[tokio::test]
async fn merges_without_an_entry_in_the_history_are_in_the_timeline_until_they_are_undone() {
    let app = TestApp::new().await;
    let ada = app.acme(Role::Member).await;
    let kept = create(&ada, "/api/customers", json!({"name": "Ana García"})).await;
    let duplicate = create(&ada, "/api/customers", json!({"name": "Ana Lopes"})).await;
    let merged = merge(&ada, "customers", &kept, json!({"duplicateId": duplicate})).await;
    let id: Id<Merge> = id_of(&merged).parse().unwrap();
    // As it was stored before the history had merges.
    let work = move |tx: &TenantWrite<'_>| {
        let entry = tx.page::<HistoryEntry>(&Scan::all().reversed(true).limit(1), |_| true)?.items.remove(0);
        tx.remove::<HistoryEntry>(entry.id, None)?;
        tx.rewrite(&tx.get::<Merge>(id)?, |merge| merge.in_history = false)
    };
    app.app.store().write(app.acme.id, Actor::System, work).await.unwrap();
    let events = async |record: &str| {
        let page = ada.get(&format!("/api/customers/{record}/timeline")).await.expect(200);
        let tell = |entry: &Value| json!([entry["event"], entry["by"], entry["merged"]["title"]]);
        page["items"].as_array().unwrap().iter().map(tell).collect::<Vec<_>>()
    };
    let created = json!(["created", ada.id, null]);
    assert_eq!(events(&kept).await, [json!(["merged", ada.id, "Ana Lopes"]), created.clone()]);
    undo(&ada, &merged).await;
    assert_eq!(events(&kept).await, [json!(["unmerged", ada.id, "Ana Lopes"]), created.clone()]);
    let [restored, removed] = ["restored", "removed"].map(|event| json!([event, ada.id, null]));
    assert_eq!(events(&duplicate).await, [restored, removed, created]);
}

#[tokio::test]
async fn people_of_a_merged_organization_have_the_name_of_the_other() {
    let app = TestApp::new().await;
    let ada = app.acme(Role::Member).await;
    let kept = create(&ada, "/api/organizations", json!({"name": "Ferretería Sol"})).await;
    let duplicate = create(&ada, "/api/organizations", json!({"name": "Ferreteria Sol, S.L."})).await;
    let mut people = Vec::new();
    for number in 0..120 {
        let body = json!({"name": format!("Person {number}"), "organizationId": duplicate});
        people.push(create(&ada, "/api/customers", body).await);
    }
    let merged = merge(&ada, "organizations", &kept, json!({"duplicateId": duplicate})).await;
    assert_eq!(merged["state"], "running");
    let merged = ada.merge_over(&merged).await;
    assert_eq!((merged["state"].as_str(), merged["moved"].as_u64()), (Some("done"), Some(120)));
    // The background gives the last ones the name.
    wait_for("the name of the kept organization in all customers", async || {
        let page = ada.get("/api/customers?limit=1&filter=company:is:Ferreter%C3%ADa%20Sol").await.expect(200);
        (page["total"] == 120).then_some(())
    })
    .await;
    let undone = undo(&ada, &merged).await;
    assert_eq!((undone["state"].as_str(), undone["left"].as_u64()), (Some("undone"), Some(0)));
    for person in [&people[0], &people[119]] {
        let record = ada.get(&format!("/api/customers/{person}")).await.expect(200);
        assert_eq!(record["organizationId"], duplicate.as_str());
    }
}

/// The kind of fault (F-R10): a reference to a record in the bin, which no one typed, refuses the whole act. Neighbours: an
/// owner who has left; the kept record's own organization in the bin; the same in custom fields; a web address in a custom
/// field that an older version took.
#[tokio::test]
async fn people_merge_whose_organization_is_in_the_bin() {
    let app = TestApp::new().await;
    let ada = app.acme(Role::Admin).await;
    for (name, more) in [
        ("Partner", json!({"type": "record", "target": "organizations"})),
        ("Adviser", json!({"type": "member"})),
        ("Site", json!({"type": "url"})),
    ] {
        let mut field = json!({"kind": "customers", "name": name});
        field.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        create(&ada, "/api/fields", field).await;
    }
    let leaver = app.hire("leaver", Role::Member).await;
    let organization = create(&ada, "/api/organizations", json!({"name": "Sol"})).await;
    let kept = create(&ada, "/api/customers", json!({"name": "Ana", "ownerId": null})).await;
    let fields = json!({"partner": organization, "adviser": leaver.id.to_string(), "site": "https://acme.example"});
    let with_both = json!({"name": "Ana", "about": "Tall", "organizationId": organization, "ownerId": leaver.id.to_string(),
        "fields": fields});
    let duplicate = create(&ada, "/api/customers", with_both.clone()).await;
    let id: Id<Customer> = duplicate.parse().unwrap();
    let site = json!("http:///acme.example");
    let write = move |tx: &TenantWrite<'_>| {
        tx.update(id, None, |one: &mut Customer| {
            one.fields.0.insert("site".to_owned(), site);
            Ok(())
        })
    };
    app.app.store().write(app.acme.id, Actor::System, write).await.unwrap();
    let third = create(&ada, "/api/customers", with_both).await;
    ada.delete(&format!("/api/organizations/{organization}")).await.expect(204);
    ada.delete(&format!("/api/team/{}", leaver.id)).await.expect(204);
    let merged = merge(&ada, "customers", &kept, json!({"duplicateId": duplicate})).await;
    assert_eq!(merged["state"], "done");
    let now = ada.get(&format!("/api/customers/{kept}")).await.expect(200);
    assert_eq!((&now["about"], now.get("organizationId")), (&json!("Tall"), None));
    assert_eq!(now["fields"], json!({"site": "http:///acme.example"}));
    // The other way round, the record keeps what it has.
    merge(&ada, "customers", &third, json!({"duplicateId": kept})).await;
    ada.post(&format!("/api/bin/{organization}/restore"), json!({})).await.expect(200);
    let now = ada.get(&format!("/api/customers/{third}")).await.expect(200);
    assert_eq!(now["organizationId"], organization.as_str());
}

#[tokio::test]
async fn merge_goes_on_after_a_restart() {
    let app = TestApp::new().await;
    let ada = app.acme(Role::Member).await;
    let kept = create(&ada, "/api/organizations", json!({"name": "Sol"})).await;
    let duplicate = create(&ada, "/api/organizations", json!({"name": "Sol SL"})).await;
    for number in 0..160 {
        let body = json!({"name": format!("Person {number}"), "organizationId": duplicate});
        create(&ada, "/api/customers", body).await;
    }
    let merged = merge(&ada, "organizations", &kept, json!({"duplicateId": duplicate})).await;
    assert_eq!(merged["state"], "running");
    drop(ada);
    let app = app.restart().await;
    let ada = app.acme(Role::Member).await;
    let done = ada.merge_over(&merged).await;
    assert_eq!((done["state"].as_str(), done["moved"].as_u64()), (Some("done"), Some(160)));
    let people = ada.get(&format!("/api/customers?limit=1&filter=organizationId:is:{kept}")).await.expect(200);
    assert_eq!(people["total"], 160);
}

#[tokio::test]
async fn choices_take_fields_of_the_duplicate() {
    let app = TestApp::new().await;
    let ada = app.acme(Role::Owner).await;
    let field = json!({"kind": "customers", "name": "Size", "type": "number"});
    let key = ada.post("/api/fields", field).await.expect(201)["key"].as_str().unwrap().to_owned();
    let kept = json!({"name": "Ana", "tags": ["vip"], "fields": {key.as_str(): 3}});
    let kept = create(&ada, "/api/customers", kept).await;
    let other = json!({"name": "Ana García", "tags": ["sol"], "fields": {key.as_str(): 4}});
    let duplicate = create(&ada, "/api/customers", other).await;
    let path = format!("/api/customers/{kept}/merge");
    let unknown = ada.post(&path, json!({"duplicateId": duplicate, "fields": {"id": "take", "name": "both"}})).await;
    unknown.refused("invalid");
    let faults = &unknown.body["error"]["fields"];
    assert!(faults["fields.id"].is_string() && faults["fields.name"].is_string(), "{faults}");
    let custom = format!("fields.{key}");
    let choices =
        json!({"duplicateId": duplicate, "fields": {"name": "take", "tags": "keep", custom.as_str(): "take"}});
    merge(&ada, "customers", &kept, choices).await;
    let now = ada.get(&format!("/api/customers/{kept}")).await.expect(200);
    assert_eq!((&now["name"], &now["tags"]), (&json!("Ana García"), &json!(["vip"])));
    assert_eq!(now["fields"][&key], 4);
}

#[tokio::test]
async fn merging_needs_the_rights_and_two_records_of_the_company() {
    let app = TestApp::new().await;
    let ada = app.acme(Role::Owner).await;
    let ben = app.acme(Role::Member).await;
    let viewer = app.acme(Role::Viewer).await;
    let foreign = app.other(Role::Owner).await;
    let kept = create(&ada, "/api/customers", json!({"name": "Ana"})).await;
    let of_ada = create(&ada, "/api/customers", json!({"name": "Ana"})).await;
    let of_ben = create(&ben, "/api/customers", json!({"name": "Ana"})).await;
    let theirs = create(&foreign, "/api/customers", json!({"name": "Ana"})).await;
    let path = format!("/api/customers/{kept}/merge");
    for other in [&kept, &theirs] {
        let refused = ada.post(&path, json!({"duplicateId": other})).await;
        assert!(refused.body["error"]["fields"]["duplicateId"].is_string(), "{}", refused.body);
    }
    viewer.post(&path, json!({"duplicateId": of_ben})).await.refused("forbidden");
    // A member may remove only what they created.
    ben.post(&path, json!({"duplicateId": of_ada})).await.refused("forbidden");
    foreign.post(&path, json!({"duplicateId": theirs})).await.refused("not_found");
    let body = json!({"duplicateId": of_ada});
    let stale = ada.send_with("POST", &path, Some(body), &[("If-Match", "\"7\"")]).await;
    stale.refused("stale_version");
    let task = create(&ada, "/api/tasks", json!({"title": "Call"})).await;
    let tasks = ada.post(&format!("/api/tasks/{task}/merge"), json!({"duplicateId": task})).await;
    assert!(tasks.body["error"]["fields"]["kind"].is_string(), "{}", tasks.body);

    let merged = merge(&ben, "customers", &kept, json!({"duplicateId": of_ben})).await;
    let undo = format!("/api/merges/{}/undo", id_of(&merged));
    foreign.get(&format!("/api/merges/{}", id_of(&merged))).await.refused("not_found");
    viewer.post(&undo, json!({})).await.refused("forbidden");
    assert_eq!(count(&viewer, "/api/merges?kind=customers").await, 1);
    assert_eq!(count(&viewer, "/api/merges?kind=organizations").await, 0);
    ada.post(&undo, json!({})).await.expect(200);
}
