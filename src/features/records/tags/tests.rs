//! Tags over HTTP: their colors and counts, and renaming, merging and removing them in the records of several kinds.

use serde_json::{Value, json};

use super::{PURGE, TagChange, TagPart, rules};
use crate::{
    features::customers::Customer,
    kernel::Code,
    people::permission::{Reader, Role},
    store::{Actor, Scan, TenantWrite},
    testing::{As, TestApp},
};

async fn record(caller: &As, kind: &str, tags: &[&str]) -> String {
    let name = if matches!(kind, "customers" | "organizations") { "name" } else { "title" };
    let made = caller.post(&format!("/api/{kind}"), json!({name: "A record", "tags": tags})).await.expect(201);
    format!("/api/{kind}/{}", made["id"].as_str().unwrap())
}

async fn tags(caller: &As, path: &str) -> Value {
    caller.get(path).await.expect(200)["tags"].clone()
}

/// Creates customers with a tag.
async fn fill(app: &TestApp, tag: &'static str, count: usize) {
    let work = move |tx: &TenantWrite<'_>| {
        (0..count).try_for_each(|n| {
            let name = format!("Customer {n:03}");
            let tags = vec![tag.to_owned(), "kept".to_owned()];
            tx.create(Customer { name, status: "lead".into(), tags, ..Customer::default() }).map(drop)
        })
    };
    app.app.store().write(app.acme.id, Actor::System, work).await.unwrap();
}

async fn rename(caller: &As, from: &str, to: &str) -> Value {
    caller.post("/api/tags/rename", json!({"from": from, "to": to})).await.expect(202)
}

async fn undo(caller: &As, change: &Value) -> Value {
    let path = format!("/api/tags/changes/{}/undo", change["id"].as_str().unwrap());
    caller.tag_change_over(&caller.post(&path, json!({})).await.expect(202)).await
}

/// Returns each tag of the company with its color and the number of its records.
async fn listed(caller: &As) -> Vec<(String, Value, u64)> {
    let list = caller.get("/api/tags").await.expect(200);
    let items = list["items"].as_array().unwrap().iter();
    let item =
        |one: &Value| (one["tag"].as_str().unwrap().to_owned(), one["color"].clone(), one["records"].as_u64().unwrap());
    items.map(item).collect()
}

fn numbers(change: &Value) -> [&Value; 4] {
    ["total", "changed", "skipped", "undone"].map(|name| &change[name])
}

#[tokio::test]
async fn tags_are_listed_with_colors_and_the_number_of_their_records() {
    let app = TestApp::new().await;
    let admin = app.acme(Role::Admin).await;
    let viewer = app.acme(Role::Viewer).await;
    record(&admin, "customers", &["vip", "north"]).await;
    record(&admin, "tasks", &["vip"]).await;
    let hidden = json!({"title": "Secret", "tags": ["vip", "secret"], "visibility": {"to": "me"}});
    admin.post("/api/deals", hidden).await.expect(201);
    let colored = admin.patch("/api/tags", json!({"tag": " VIP ", "color": "red"})).await.expect(200);
    assert_eq!(colored, json!({"tag": "vip", "color": "red"}));
    admin.patch("/api/tags", json!({"tag": "unused", "color": "teal"})).await.expect(200);
    let list = viewer.get("/api/tags").await.expect(200);
    let kinds = json!([{"kind": "customers", "records": 1}, {"kind": "tasks", "records": 1}]);
    assert_eq!(list["items"][0], json!({"tag": "vip", "color": "red", "records": 2, "kinds": kinds}));
    let expected = [("vip", json!("red"), 2), ("north", Value::Null, 1), ("unused", json!("teal"), 0)];
    assert_eq!(listed(&viewer).await, expected.map(|(tag, color, count)| (tag.to_owned(), color, count)));
    assert_eq!(listed(&admin).await.len(), 4, "a tag of a deal that only some may see");
    admin.patch("/api/tags", json!({"tag": "unused", "color": null})).await.expect(200);
    assert_eq!(list["total"], 3);
    assert_eq!(listed(&viewer).await.len(), 2);
    assert!(app.other(Role::Owner).await.get("/api/tags").await.expect(200)["items"].as_array().unwrap().is_empty());
}

#[tokio::test]
async fn a_tag_is_renamed_in_records_of_all_kinds_and_given_back() {
    let app = TestApp::new().await;
    let admin = app.acme(Role::Admin).await;
    let mut paths = Vec::new();
    for kind in ["customers", "organizations", "deals", "tasks"] {
        paths.push(record(&admin, kind, &["first", "old", "last"]).await);
    }
    let other = record(&admin, "customers", &["older"]).await;
    admin.patch("/api/tags", json!({"tag": "old", "color": "green"})).await.expect(200);
    let change = rename(&admin, "Old", " New  name ").await;
    assert_eq!((&change["from"], &change["to"], &change["state"]), (&json!("old"), &json!("new name"), &json!("done")));
    assert_eq!(numbers(&change), [4, 4, 0, 0]);
    for path in &paths {
        assert_eq!(tags(&admin, path).await, json!(["first", "new name", "last"]), "{path}");
        let timeline = admin.get(&format!("{path}/timeline")).await.expect(200);
        assert_eq!(timeline["items"][0]["by"], json!(admin.id));
    }
    assert_eq!(tags(&admin, &other).await, json!(["older"]));
    assert!(listed(&admin).await.contains(&("new name".to_owned(), json!("green"), 4)), "the color follows");
    let found = admin.get("/api/customers?filter=tags:is:new%20name").await.expect(200);
    assert_eq!(found["total"], 1);

    // What was changed since stays, unless only other fields were.
    admin.patch(&paths[0], json!({"tags": ["new name", "mine"]})).await.expect(200);
    admin.patch(&paths[3], json!({"title": "Another title"})).await.expect(200);
    let undone = undo(&admin, &change).await;
    assert_eq!(
        (numbers(&undone), &undone["state"]),
        (numbers(&json!({"total": 4, "changed": 4, "skipped": 0, "undone": 3})), &json!("undone"))
    );
    assert_eq!(tags(&admin, &paths[0]).await, json!(["new name", "mine"]));
    for path in &paths[1..] {
        assert_eq!(tags(&admin, path).await, json!(["first", "old", "last"]), "{path}");
    }
    assert!(listed(&admin).await.contains(&("old".to_owned(), json!("green"), 3)));
    let skip = json!([{"kind": "customers", "id": paths[0].rsplit('/').next(), "reason": "stale_version"}]);
    assert_eq!((&undone["undoSkipped"], &undone["undoSkips"]), (&json!(1), &skip));
    // What stayed is tried again.
    admin.patch(&paths[0], json!({"tags": ["first", "new name", "last"]})).await.expect(200);
    let undone = undo(&admin, &change).await;
    assert_eq!((&undone["undone"], &undone["undoSkips"]), (&json!(4), &json!([])));
    assert_eq!(tags(&admin, &paths[0]).await, json!(["first", "old", "last"]));
    let again = format!("/api/tags/changes/{}/undo", change["id"].as_str().unwrap());
    admin.post(&again, json!({})).await.refused("conflict");
    let log = app.audit(app.acme.id).await;
    let about_tags: Vec<&str> = log.iter().map(String::as_str).filter(|event| event.starts_with("tag.")).collect();
    assert_eq!(about_tags, ["tag.colored", "tag.renamed", "tag.restored", "tag.restored"]);
}

#[tokio::test]
async fn a_tag_is_merged_into_another_and_both_are_given_back() {
    let app = TestApp::new().await;
    let admin = app.acme(Role::Admin).await;
    let both = record(&admin, "customers", &["a", "b"]).await;
    let one = record(&admin, "tasks", &["a"]).await;
    let kept = record(&admin, "tasks", &["b"]).await;
    for (tag, color) in [("a", "red"), ("b", "blue")] {
        admin.patch("/api/tags", json!({"tag": tag, "color": color})).await.expect(200);
    }
    let change = rename(&admin, "a", "b").await;
    for path in [&both, &one, &kept] {
        assert_eq!(tags(&admin, path).await, json!(["b"]));
    }
    assert_eq!(listed(&admin).await, [("b".to_owned(), json!("blue"), 3)]);
    assert_eq!(undo(&admin, &change).await["undone"], 2);
    assert_eq!(tags(&admin, &both).await, json!(["a", "b"]));
    assert_eq!((tags(&admin, &one).await, tags(&admin, &kept).await), (json!(["a"]), json!(["b"])));
    let expected = [("a".to_owned(), json!("red"), 2), ("b".to_owned(), json!("blue"), 2)];
    assert_eq!(listed(&admin).await, expected);
}

#[tokio::test]
async fn a_tag_is_removed_in_the_background_also_after_a_restart_and_given_back() {
    let app = TestApp::new().await;
    let admin = app.acme(Role::Admin).await;
    fill(&app, "old", 240).await;
    let task = record(&admin, "tasks", &["old"]).await;
    let change = admin.post("/api/tags/remove", json!({"tag": "old"})).await.expect(202);
    assert_eq!(
        (numbers(&change), &change["state"]),
        (numbers(&json!({"total": 241, "changed": 25, "skipped": 0, "undone": 0})), &json!("running"))
    );
    drop(admin);
    let app = app.restart().await;
    let admin = app.acme(Role::Owner).await;
    let change = admin.tag_change_over(&change).await;
    assert_eq!((&change["state"], &change["changed"]), (&json!("done"), &json!(241)));
    assert_eq!(listed(&admin).await, [("kept".to_owned(), Value::Null, 240)]);
    // Another administrator undoes it, later.
    app.clock.advance(1);
    assert_eq!(undo(&admin, &change).await["undone"], 241);
    let expected = [("old".to_owned(), Value::Null, 241), ("kept".to_owned(), Value::Null, 240)];
    assert_eq!(listed(&admin).await, expected);
    let timeline = admin.get(&format!("{task}/timeline")).await.expect(200);
    assert_eq!(timeline["items"][0]["by"], json!(admin.id));
    let snapshot = app.app.store().snapshot().unwrap();
    let parts = snapshot.tenant(app.acme.id, None).page::<TagPart>(&Scan::all(), |_| true).unwrap();
    assert!(parts.items.is_empty(), "what was undone is not kept");
}

#[tokio::test]
async fn a_company_makes_one_change_of_tags_at_a_time() {
    let app = TestApp::new().await;
    let admin = app.acme(Role::Admin).await;
    fill(&app, "old", 200).await;
    let reader = Reader { id: admin.id, role: Role::Admin };
    let address = std::net::IpAddr::from([127, 0, 0, 1]);
    // In one write, so that no step in the background comes between.
    let begin_two = move |tx: &TenantWrite<'_>| {
        let begin = |from: &str, to| rules::begin(tx, reader, (from.to_owned(), to), 200, address);
        let first = begin("old", Some("new".to_owned()))?;
        let second = begin("kept", None).unwrap_err().code();
        let undone = rules::undo(tx, reader, first.id, address).unwrap_err().code();
        Ok((first.id, second, undone))
    };
    let done = app.app.store().write(app.acme.id, Actor::Member(admin.id), begin_two).await.unwrap().0;
    assert_eq!((done.1, done.2), (Code::Conflict, Code::Conflict));
    let other = app.other(Role::Owner).await;
    let theirs = record(&other, "customers", &["old"]).await;
    assert_eq!(rename(&other, "old", "theirs").await["state"], "done", "other companies do not wait");
    other.get(&format!("/api/tags/changes/{}", done.0)).await.refused("not_found");
    assert_eq!(admin.tag_change_over(&json!({"id": done.0})).await["changed"], 200);
    assert_eq!(tags(&other, &theirs).await, json!(["theirs"]));
    admin.post("/api/tags/remove", json!({"tag": "kept"})).await.expect(202);
}

#[tokio::test]
async fn changes_of_tags_can_be_undone_for_thirty_days() {
    let app = TestApp::new().await;
    let admin = app.acme(Role::Admin).await;
    record(&admin, "tasks", &["old"]).await;
    let change = rename(&admin, "old", "new").await;
    let purge = || PURGE.run(app.app.store(), || std::future::ready(()));
    app.clock.advance(29 * 24 * 3_600_000);
    assert_eq!(purge().await.unwrap(), 0);
    app.clock.advance(2 * 24 * 3_600_000);
    assert_eq!(purge().await.unwrap(), 2, "the change and its part");
    let admin = app.acme(Role::Admin).await;
    admin.get(&format!("/api/tags/changes/{}", change["id"].as_str().unwrap())).await.refused("not_found");
    // A company keeps the last 20.
    for n in 0..22 {
        rename(&admin, &format!("tag {n}"), "new").await;
    }
    let snapshot = app.app.store().snapshot().unwrap();
    let kept = snapshot.tenant(app.acme.id, None).page::<TagChange>(&Scan::all(), |_| true).unwrap();
    assert_eq!(kept.items.len(), 20);
}

#[tokio::test]
async fn only_who_changes_the_settings_changes_tags() {
    let app = TestApp::new().await;
    let admin = app.acme(Role::Admin).await;
    record(&admin, "tasks", &["old"]).await;
    let change = rename(&admin, "old", "new").await;
    let change = format!("/api/tags/changes/{}", change["id"].as_str().unwrap());
    for caller in [app.acme(Role::Member).await, app.acme(Role::Viewer).await] {
        caller.get("/api/tags").await.expect(200);
        caller.patch("/api/tags", json!({"tag": "new", "color": "red"})).await.refused("forbidden");
        caller.post("/api/tags/rename", json!({"from": "new", "to": "x"})).await.refused("forbidden");
        caller.post("/api/tags/remove", json!({"tag": "new"})).await.refused("forbidden");
        caller.get(&change).await.refused("forbidden");
        caller.post(&format!("{change}/undo"), json!({})).await.refused("forbidden");
    }
}

#[tokio::test]
async fn every_fault_of_a_tag_is_named() {
    let app = TestApp::new().await;
    let admin = app.acme(Role::Admin).await;
    let long = "x".repeat(1_000_000);
    for (path, body, field, reason) in [
        ("rename", json!({"from": "", "to": "a"}), "from", "required"),
        ("rename", json!({"from": "a", "to": long}), "to", "too_long"),
        ("rename", json!({"from": "a", "to": " A "}), "to", "taken"),
        ("remove", json!({"tag": "x".repeat(51)}), "tag", "too_long"),
        ("remove", json!({"tag": " \u{200b}"}), "tag", "required"),
    ] {
        let got = admin.post(&format!("/api/tags/{path}"), body).await;
        got.refused("invalid");
        assert_eq!(got.body["error"]["reasons"], json!({field: reason}));
    }
    let got = admin.patch("/api/tags", json!({"tag": "a", "color": "mauve"})).await;
    assert_eq!((got.status, &got.body["error"]["reasons"]), (400, &json!({"color": "enum"})));
    admin.patch("/api/tags", json!({"tag": "", "color": "red"})).await.refused("invalid");
    let fill = |tx: &TenantWrite<'_>| {
        let colors = (0..1_000).map(|n| (format!("tag {n}"), crate::feature::Color::Red)).collect();
        super::TagRegister { colors }.save(tx)
    };
    app.app.store().write(app.acme.id, Actor::System, fill).await.unwrap();
    let full = admin.patch("/api/tags", json!({"tag": "one more", "color": "red"})).await;
    full.refused("invalid");
    assert_eq!(full.body["error"]["reasons"], json!({"color": "too_many"}));
    admin.patch("/api/tags", json!({"tag": "tag 5", "color": "blue"})).await.expect(200);
    assert_eq!(listed(&admin).await.len(), 1_000);
}

/// The kind of fault: a call grows with the different values that the records of a company have. Reported: 240,000 tags.
/// Neighbours: the number of records that a rename names, tags with commas and backslashes, and kinds without any tag.
#[tokio::test]
async fn of_very_many_tags_the_most_used_are_listed() {
    let app = TestApp::new().await;
    let admin = app.acme(Role::Admin).await;
    let work = |tx: &TenantWrite<'_>| {
        (0..420).try_for_each(|n| {
            let mut tags: Vec<String> = (0..28).map(|m| format!("tag {n:03} {m:02}")).collect();
            tags.push("common".to_owned());
            if n < 3 {
                tags.push("a,b\\c".to_owned());
            }
            let name = format!("Customer {n:03}");
            tx.create(Customer { name, status: "lead".into(), tags, ..Customer::default() }).map(drop)
        })
    };
    app.app.store().write(app.acme.id, Actor::System, work).await.unwrap();
    record(&admin, "tasks", &["common", "tag 007 03"]).await;
    let list = admin.get("/api/tags").await.expect(200);
    let items = list["items"].as_array().unwrap();
    assert_eq!((items.len(), &items[0]["tag"], &items[0]["records"]), (1_000, &json!("common"), &json!(421)));
    assert_eq!((&items[1]["tag"], &items[1]["records"]), (&json!("a,b\\c"), &json!(3)));
    let total = list["total"].as_u64().unwrap();
    assert!((1_001..=11_762).contains(&total), "{total}");
    for (tag, expected) in [("tag 419 27", 1), ("tag 007 03", 2), ("a,b\\c", 3), ("none", 0)] {
        let change = rename(&admin, tag, "renamed").await;
        assert_eq!(change["total"], expected, "{tag}");
        admin.tag_change_over(&change).await;
    }
}
