//! Acts in recent activity (F-U3). The fault was one entry for each record of an import, of its undoing, of sample data and
//! of bulk changes, with the verbs of single changes: what came back read "added", joining "changed the details of".

use serde_json::{Value, json};

use super::tests::{activity, project};
use crate::{
    features::customers::Customer,
    people::permission::Role,
    store::{ActEntry, Actor, Record as _, TenantWrite, Verb},
    testing::{As, PASSWORD, TestApp},
};

#[tokio::test]
async fn an_act_of_many_changes_is_one_entry_with_its_own_verb() {
    let app = TestApp::new().await;
    let admin = app.acme(Role::Admin).await;
    admin.put("/api/setup/sample-data", json!({})).await.expect(200);
    admin.delete("/api/setup/sample-data").await.expect(200);
    let rows: Vec<String> = (0..25).map(|n| format!("Person {n},p{n}@new.example\n")).collect();
    let import = admin.import("customers", &format!("Name,Email\n{}", rows.concat())).await;
    assert_eq!(import["counts"]["created"], 25, "{import}");
    let list = admin.get("/api/customers?limit=3").await.expect(200);
    let ids: Vec<&Value> = list["items"].as_array().unwrap().iter().map(|item| &item["id"]).collect();
    for mut body in [json!({"change": {"status": "active"}}), json!({"remove": true})] {
        body["kind"] = json!("customers");
        body["ids"] = json!(ids);
        let begun = admin.post("/api/bulk", body).await;
        assert!([200, 202].contains(&begun.status), "{begun:?}");
        let change = admin.bulk_over(&begun.body).await;
        let undo = format!("/api/bulk/{}/undo", change["id"].as_str().unwrap());
        admin.post(&undo, json!({})).await.expect(202);
        assert_eq!(admin.bulk_over(&change).await["undone"], 3);
    }
    admin.post(&format!("/api/imports/{}/undo", import["id"].as_str().unwrap()), json!({})).await.expect(202);
    let undone = admin.import_over(&import).await["undone"].clone();
    let zoe = admin.post("/api/customers", json!({"name": "Zoe"})).await.expect(201);
    let zoe = zoe["id"].as_str().unwrap();
    admin.delete(&format!("/api/customers/{zoe}")).await.expect(204);
    admin.post(&format!("/api/bin/{zoe}/restore"), json!({})).await.expect(200);
    // A bulk change of one record is a change like any other.
    let one = json!({"kind": "customers", "ids": [zoe], "change": {"status": "active"}});
    let begun = admin.post("/api/bulk", one).await;
    admin.bulk_over(&begun.body).await;

    let dashboard = project(&admin).await;
    assert_eq!(
        activity(&dashboard)[..11],
        [
            "customer updated Zoe",
            "customer restored Zoe",
            "customer removed Zoe",
            "customer created Zoe",
            "customer importUndone list.csv",
            "customer bulkRemovalUndone ",
            "customer bulkRemoved ",
            "customer bulkChangeUndone ",
            "customer bulkChanged ",
            "customer imported list.csv",
            "customer sampleRemoved ",
        ]
    );
    let entry = |n: usize| &dashboard["activity"][n];
    assert_eq!((&entry(9)["count"], &entry(8)["count"], &entry(4)["count"]), (&json!(25), &json!(3), &undone));
    assert_eq!((&entry(9)["recordId"], entry(9).get("link")), (&import["id"], None));
    assert_eq!(entry(9)["actor"]["name"], "admin of acme");
    assert_eq!(activity(&dashboard)[11], "customer sampleAdded ");
    assert!(entry(1)["link"].is_string() && entry(1).get("count").is_none());
    app.assert_sound();
}

#[tokio::test]
async fn a_merge_is_one_entry_and_an_accepted_invitation_reads_joined() {
    let app = TestApp::new().await;
    let admin = app.acme(Role::Admin).await;
    let ana = admin.post("/api/customers", json!({"name": "Ana"})).await.expect(201);
    let other = admin.post("/api/customers", json!({"name": "Anna"})).await.expect(201);
    let merge = format!("/api/customers/{}/merge", ana["id"].as_str().unwrap());
    let merged = admin.post(&merge, json!({"duplicateId": other["id"]})).await.expect(200);
    let merged = admin.merge_over(&merged).await;
    let undo = format!("/api/merges/{}/undo", merged["id"].as_str().unwrap());
    let undone = admin.post(&undo, json!({})).await.expect(200);
    admin.merge_over(&undone).await;
    let dashboard = project(&admin).await;
    assert_eq!(activity(&dashboard)[..2], ["customer mergeUndone Ana", "customer merged Ana"]);
    // The name goes with the person when she is erased, because the entry has her id.
    assert_eq!(dashboard["activity"][1]["recordId"], ana["id"]);

    let invited = json!({"emails": ["nora@new.example"], "role": "member"});
    let invited = admin.post("/api/team/invitations", invited).await.expect(200);
    let link = invited["items"][0]["link"].as_str().unwrap();
    let token = link.split_once('#').unwrap().1;
    let chosen = json!({"token": token, "name": "Nora", "password": PASSWORD});
    app.anonymous("POST", "/api/auth/activate-account", Some(chosen)).await.expect(200);
    assert_eq!(activity(&project(&admin).await)[0], "member joined Nora");
}

#[tokio::test]
async fn reading_recent_changes_costs_the_same_after_an_act_of_thousands() {
    let app = TestApp::new().await;
    let actor = Actor::Member(app.acme(Role::Admin).await.id);
    let act = async |count: u64| {
        let work = move |tx: &TenantWrite<'_>| {
            tx.as_parts(|| {
                for number in 0..count {
                    let name = format!("Person {number}");
                    tx.create(Customer { name, status: "lead".into(), ..Customer::default() })?;
                }
                Ok(())
            })?;
            let kind = Customer::KIND;
            tx.note_act(ActEntry { id: [7; 16], verb: Verb::Imported, kind, count, title: None, by: None })
        };
        app.app.store().write(app.acme.id, actor, work).await.unwrap();
    };
    let read = || {
        let snapshot = app.app.store().snapshot().unwrap();
        snapshot.counting_rows(app.acme.id, |tx| tx.news(12, |_| true).unwrap().len())
    };
    for _ in 0..12 {
        act(3).await;
    }
    let few = read();
    act(3_000).await;
    assert_eq!(read(), few);
    assert_eq!(few.0, 12);
}

/// Creates a record that all members may read, or one that its author alone may.
async fn record(author: &As, kind: &str, open: bool) -> String {
    let visibility = json!({"to": if open { "company" } else { "me" }});
    let make = async |kind: &str, body: Value| {
        let made = author.post(&format!("/api/{kind}"), body).await.expect(201);
        made["id"].as_str().unwrap().to_owned()
    };
    match kind {
        "tasks" => {
            let deal = make("deals", json!({"title": "A deal", "visibility": visibility})).await;
            make(kind, json!({"title": "A task", "dealId": deal})).await
        }
        "pages" => make(kind, json!({"title": "A page", "status": "published", "visibility": visibility})).await,
        _ => make(kind, json!({"title": "A record", "visibility": visibility})).await,
    }
}

/// Returns the newest entry of a member's recent activity.
async fn newest(member: &As) -> Value {
    project(member).await["activity"][0].clone()
}

/// Returns an entry as a member reads it.
async fn read(member: &As, entry: &Value) -> Option<Value> {
    let dashboard = project(member).await;
    dashboard["activity"].as_array().unwrap().iter().find(|one| one["id"] == entry["id"]).cloned()
}

/// Returns what a member reads of an entry: nothing, its number of records, or null without one.
async fn count_for(member: &As, entry: &Value) -> Option<Value> {
    read(member, entry).await.map(|entry| entry["count"].clone())
}

/// A kind of fault: what was done to many records was shown to its author alone, because their number would tell that some
/// are hidden. Members read of it when they see one of the records, and their number when they see all.
#[tokio::test]
async fn an_act_is_shown_to_who_sees_one_of_its_records_with_their_number_to_who_sees_all() {
    let app = TestApp::new().await;
    let author = app.hire("author", Role::Member).await;
    let outsider = app.acme(Role::Member).await;
    let admin = app.acme(Role::Admin).await;
    for kind in ["deals", "tasks", "pages"] {
        let open = [record(&author, kind, true).await, record(&author, kind, true).await];
        let hidden = [record(&author, kind, false).await, record(&author, kind, false).await];
        for (ids, expected) in [
            ([&open[0], &open[1]], Some(json!(2))),
            ([&hidden[0], &open[0]], Some(Value::Null)),
            ([&hidden[0], &hidden[1]], None),
        ] {
            let acts = [("bulkChanged", json!({"addTags": ["late"]})), ("bulkRemoved", json!({"remove": true}))];
            // Pages have no tags.
            for (op, mut body) in acts.into_iter().skip(usize::from(kind == "pages")) {
                body["kind"] = json!(kind);
                body["ids"] = json!(ids);
                let begun = author.post("/api/bulk", body).await.expect(202);
                let change = author.bulk_over(&begun).await;
                let done = newest(&author).await;
                assert_eq!((&done["op"], &done["count"]), (&json!(op), &json!(2)), "{kind}");
                assert_eq!(count_for(&outsider, &done).await, expected, "{kind} {op}");
                assert_eq!(count_for(&admin, &done).await, Some(json!(2)), "{kind} {op}");

                // Another member undoes it: the author of the records reads of it as others do.
                let undo = format!("/api/bulk/{}/undo", change["id"].as_str().unwrap());
                admin.post(&undo, json!({})).await.expect(202);
                admin.bulk_over(&change).await;
                let undone = newest(&admin).await;
                assert_eq!(undone["op"], if op == "bulkChanged" { "bulkChangeUndone" } else { "bulkRemovalUndone" });
                assert_eq!(count_for(&author, &undone).await, Some(json!(2)), "{kind} {op} undone");
                assert_eq!(count_for(&outsider, &undone).await, expected, "{kind} {op} undone");
                assert_eq!(count_for(&outsider, &done).await, expected, "{kind} {op}, undone since");
            }
        }
    }
}

/// A record that an act left as it was says nothing about the others.
#[tokio::test]
async fn an_act_that_changed_only_hidden_records_is_hidden_with_them() {
    let app = TestApp::new().await;
    let author = app.hire("author", Role::Member).await;
    let outsider = app.acme(Role::Member).await;
    let open = record(&author, "deals", true).await;
    let hidden = record(&author, "deals", false).await;
    author.patch(&format!("/api/deals/{open}"), json!({"tags": ["late"]})).await.expect(200);
    let body = json!({"kind": "deals", "ids": [open, hidden], "addTags": ["late"]});
    let change = author.post("/api/bulk", body).await.expect(202);
    let change = author.bulk_over(&change).await;
    let done = newest(&author).await;
    assert_eq!((&done["op"], &done["count"]), (&json!("bulkChanged"), &json!(1)));
    assert_eq!(count_for(&outsider, &done).await, None);
    author.post(&format!("/api/bulk/{}/undo", change["id"].as_str().unwrap()), json!({})).await.expect(202);
    author.bulk_over(&change).await;
    for entry in [newest(&author).await, done] {
        assert_eq!(count_for(&outsider, &entry).await, None);
    }
}

/// An import of a kind with visibility is such an act, too; the name of its file goes with the number.
#[tokio::test]
async fn an_import_is_shown_to_who_sees_one_of_its_records() {
    let app = TestApp::new().await;
    let author = app.hire("author", Role::Member).await;
    let outsider = app.acme(Role::Member).await;
    author.import("deals", "Title\nOne\nTwo\n").await;
    let done = newest(&author).await;
    assert_eq!((&done["op"], &done["title"]), (&json!("imported"), &json!("list.csv")));
    assert_eq!(count_for(&outsider, &done).await, Some(json!(2)));
    let list = author.get("/api/deals?limit=3").await.expect(200);
    let deals: Vec<&str> = list["items"].as_array().unwrap().iter().map(|one| one["id"].as_str().unwrap()).collect();
    for (deal, expected) in deals.into_iter().zip([Some(Value::Null), None]) {
        author.patch(&format!("/api/deals/{deal}"), json!({"visibility": {"to": "me"}})).await.expect(200);
        assert_eq!(count_for(&outsider, &done).await, expected);
        assert!(!project(&outsider).await["activity"].to_string().contains("list.csv"));
        assert_eq!(count_for(&author, &done).await, Some(json!(2)));
    }
}

/// A kind of fault: an act on records of several kinds is described by none of them. A change of a tag had the first kind with
/// tags, also when it changed no record of that kind; its tag and number were shown to members who see none of its records.
#[tokio::test]
async fn a_change_of_a_tag_has_the_kind_of_a_record_that_the_reader_sees() {
    let app = TestApp::new().await;
    let admin = app.acme(Role::Admin).await;
    let owner = app.acme(Role::Owner).await;
    let outsider = app.acme(Role::Member).await;
    let hidden = json!({"to": "me"});
    let visible = json!({"to": "company"});
    for (tag, deal, task, expected) in [
        ("late", None, true, Some(("task", json!(1)))),
        ("open", Some(&visible), true, Some(("deal", json!(2)))),
        ("mixed", Some(&hidden), true, Some(("task", Value::Null))),
        ("secret", Some(&hidden), false, None),
    ] {
        if let Some(visibility) = deal {
            let deal = json!({"title": "A deal", "tags": [tag], "visibility": visibility});
            admin.post("/api/deals", deal).await.expect(201);
        }
        if task {
            admin.post("/api/tasks", json!({"title": "A task", "tags": [tag]})).await.expect(201);
        }
        let first = if deal.is_some() { "deal" } else { "task" };
        let number = usize::from(deal.is_some()) + usize::from(task);
        let change = json!({"from": tag, "to": format!("{tag} 2")});
        let change = admin.post("/api/tags/rename", change).await.expect(202);
        assert_eq!(change["state"], "done");
        let done = newest(&admin).await;
        let undo = format!("/api/tags/changes/{}/undo", change["id"].as_str().unwrap());
        assert_eq!(admin.post(&undo, json!({})).await.expect(202)["state"], "undone");
        let undone = newest(&admin).await;
        let removed = admin.post("/api/tags/remove", json!({"tag": tag})).await.expect(202);
        assert_eq!(removed["state"], "done");
        let removed = newest(&admin).await;
        for (entry, op) in [(done, "tagChanged"), (undone, "tagChangeUndone"), (removed, "tagRemoved")] {
            assert_eq!((&entry["op"], &entry["title"]), (&json!(op), &json!(tag)));
            for reader in [&admin, &owner] {
                let seen = read(reader, &entry).await.unwrap();
                assert_eq!((&seen["kind"], &seen["count"]), (&json!(first), &json!(number)), "{tag} {op}");
            }
            let seen = read(&outsider, &entry).await;
            let seen = seen.as_ref().map(|seen| (seen["kind"].as_str().unwrap(), seen["count"].clone()));
            assert_eq!(seen, expected, "{tag} {op}");
        }
    }
    assert!(!project(&outsider).await["activity"].to_string().contains("secret"));
}
