//! Statuses of customers over HTTP: changing them, moving customers out of removed ones, and where else they appear.

use serde_json::{Value, json};

use crate::{
    features::customers::Customer,
    people::permission::Role,
    store::{Actor, TenantWrite},
    testing::{As, TestApp, wait_for},
};

const PATH: &str = "/api/customers/statuses";

/// Returns the input that keeps the statuses as they are.
async fn present(caller: &As) -> Vec<Value> {
    let got = caller.get(PATH).await.expect(200);
    let offered = got["statuses"].as_array().unwrap().iter().filter(|status| status.get("replacedBy").is_none());
    offered.map(|one| json!({"id": one["id"], "name": one["name"], "color": one["color"]})).collect()
}

fn ids(statuses: &Value) -> Vec<String> {
    statuses["statuses"].as_array().unwrap().iter().map(|one| one["id"].as_str().unwrap().to_owned()).collect()
}

/// Waits until no customer has a removed status, and returns the statuses.
async fn moved(caller: &As) -> Value {
    wait_for("customers without removed statuses", async || {
        let got = caller.get(PATH).await.expect(200);
        let is_over = got["statuses"].as_array().unwrap().iter().all(|status| status.get("replacedBy").is_none());
        is_over.then_some(got)
    })
    .await
}

async fn customer(caller: &As, body: Value) -> Value {
    caller.post("/api/customers", body).await.expect(201)
}

fn path(record: &Value) -> String {
    format!("/api/customers/{}", record["id"].as_str().unwrap())
}

/// Creates customers with a status.
async fn fill(app: &TestApp, status: &'static str, count: usize) {
    let work = move |tx: &TenantWrite<'_>| {
        (0..count).try_for_each(|n| {
            let name = format!("Customer {n:03}");
            tx.create(Customer { name, status: status.to_owned(), ..Customer::default() }).map(drop)
        })
    };
    app.app.store().write(app.acme.id, Actor::System, work).await.unwrap();
}

/// Returns the fields that a change of the statuses is refused for, with the reasons.
async fn faults(caller: &As, body: Value) -> Vec<(String, String)> {
    let got = caller.patch(PATH, body).await;
    assert!(matches!(got.status, 400 | 422), "{}", got.body);
    let reasons = got.body["error"]["reasons"].as_object().unwrap();
    reasons.iter().map(|(field, reason)| (field.clone(), reason.as_str().unwrap().to_owned())).collect()
}

#[tokio::test]
async fn a_company_begins_with_three_statuses_in_the_language_of_the_reader() {
    let app = TestApp::new().await;
    let viewer = app.acme(Role::Viewer).await;
    let got = viewer.get(PATH).await;
    assert_eq!(got.tagged_version(), 1);
    let expected = json!({"version": 1, "statuses": [
        {"id": "lead", "name": "Lead", "color": "blue", "customers": 0},
        {"id": "active", "name": "Active", "color": "green", "customers": 0},
        {"id": "inactive", "name": "Inactive", "color": "gray", "customers": 0},
    ]});
    assert_eq!(got.expect(200), expected);
    viewer.patch("/api/common/user", json!({"locale": "es"})).await.expect(200);
    assert_eq!(viewer.get(PATH).await.expect(200)["statuses"][0]["name"], "Potencial");
}

#[tokio::test]
async fn statuses_are_renamed_recolored_reordered_and_added() {
    let app = TestApp::new().await;
    let admin = app.acme(Role::Admin).await;
    let reader = app.acme(Role::Member).await;
    reader.patch("/api/common/user", json!({"locale": "es"})).await.expect(200);
    let body = json!({"statuses": [
        {"name": "  New  contact ", "color": "teal"},
        {"id": "active", "name": "Active", "color": "orange"},
        {"id": "lead", "name": "Interested", "color": "blue"},
        {"id": "inactive", "name": "Inactive", "color": "gray"},
    ]});
    let got = admin.patch(PATH, body).await;
    assert_eq!(got.tagged_version(), 2);
    let changed = got.expect(200);
    let new = &changed["statuses"][0];
    assert_eq!((&new["name"], &new["color"]), (&json!("New contact"), &json!("teal")));
    assert_eq!(ids(&changed)[1..], ["active", "lead", "inactive"]);
    // What was not renamed has the name of the reader's language.
    let names = reader.get(PATH).await.expect(200);
    let names: Vec<&Value> = names["statuses"].as_array().unwrap().iter().map(|one| &one["name"]).collect();
    assert_eq!(names, ["New contact", "Activo", "Interested", "Inactivo"]);
    // The first status is that of new customers.
    let made = customer(&reader, json!({"name": "Ana"})).await;
    assert_eq!(made["status"], new["id"]);
    assert!(app.audit(app.acme.id).await.contains(&"customer_statuses.changed".to_owned()));

    let stale = json!({"statuses": present(&admin).await});
    admin.send_with("PATCH", PATH, Some(stale.clone()), &[("if-match", "\"1\"")]).await.refused("stale_version");
    admin.send_with("PATCH", PATH, Some(stale), &[("if-match", "\"2\"")]).await.expect(200);
    let body = json!({"statuses": present(&admin).await});
    reader.patch(PATH, body.clone()).await.refused("forbidden");
    app.acme(Role::Viewer).await.patch(PATH, body).await.refused("forbidden");
}

#[tokio::test]
async fn an_unknown_status_is_refused_with_its_field() {
    let app = TestApp::new().await;
    let member = app.acme(Role::Member).await;
    let ana = customer(&member, json!({"name": "Ana", "status": "active"})).await;
    for got in [
        member.post("/api/customers", json!({"name": "Ben", "status": "gone"})).await,
        member.patch(&path(&ana), json!({"status": "gone"})).await,
        member.patch(&path(&ana), json!({"status": ""})).await,
        member.get("/api/customers?status=gone").await,
        member.get("/api/customers?status=gone&sort=status").await,
        member.post("/api/bulk", json!({"kind": "customers", "ids": [ana["id"]], "change": {"status": "gone"}})).await,
    ] {
        got.refused("invalid");
        assert_eq!(got.body["error"]["reasons"], json!({"status": "unknown_choice"}));
    }
    // Filters may name one: a saved view keeps a status that was removed since. No customer has it.
    for (filter, total) in [("status:is:gone", 0), ("status:is:active,gone", 1), ("status:not:gone", 1)] {
        let found = member.get(&format!("/api/customers?filter={filter}")).await.expect(200);
        assert_eq!(found["total"], total, "{filter}");
    }
    assert_eq!(member.get(&path(&ana)).await.expect(200)["status"], "active");
}

#[tokio::test]
async fn customers_of_a_removed_status_get_another_in_the_background_also_after_a_restart() {
    let app = TestApp::new().await;
    let admin = app.acme(Role::Admin).await;
    fill(&app, "inactive", 240).await;
    let ana = customer(&admin, json!({"name": "Ana", "status": "inactive"})).await;
    let mut statuses = present(&admin).await;
    statuses.push(json!({"name": "Former", "color": "red"}));
    let former = ids(&admin.patch(PATH, json!({"statuses": statuses})).await.expect(200))[3].clone();
    let mut kept = present(&admin).await;
    kept.retain(|status| status["id"] != "inactive");
    assert_eq!(
        faults(&admin, json!({"statuses": kept})).await,
        [("moves".to_owned(), "status_in_use".to_owned())],
        "a status with customers needs one that takes its place"
    );
    let body = json!({"statuses": kept, "moves": [{"from": "inactive", "to": former}]});
    let changed = admin.patch(PATH, body).await.expect(200);
    let removed = &changed["statuses"][3];
    assert_eq!((&removed["id"], &removed["replacedBy"]), (&json!("inactive"), &json!(former)));
    // Until the end it is known, but cannot be chosen.
    let refused = admin.post("/api/customers", json!({"name": "Ben", "status": "inactive"})).await;
    refused.refused("invalid");
    drop(admin);

    let app = app.restart().await;
    let admin = app.acme(Role::Admin).await;
    let done = moved(&admin).await;
    assert_eq!(ids(&done), ["lead", "active", former.as_str()]);
    assert_eq!((&done["version"], &done["statuses"][2]["customers"]), (&changed["version"], &json!(241)));
    let list = admin.get(&format!("/api/customers?filter=status:is:{former}&limit=1")).await.expect(200);
    assert_eq!(list["total"], 241);
    let after = admin.get(&path(&ana)).await.expect(200);
    assert_eq!((&after["status"], &after["version"]), (&json!(former), &json!(2)));
    let timeline = admin.get(&format!("{}/timeline", path(&ana))).await.expect(200);
    assert_eq!(timeline["items"][0]["by"], json!(admin.id), "the move is in the history, by who removed the status");
    // From then on it is unknown.
    assert_eq!(admin.get("/api/customers?filter=status:is:inactive").await.expect(200)["total"], 0);
    kept.push(json!({"id": "inactive", "name": "Inactive", "color": "gray"}));
    let back = faults(&admin, json!({"statuses": kept})).await;
    assert_eq!(back, [("statuses.3.id".to_owned(), "unknown_reference".to_owned())], "an id is not used again");
}

#[tokio::test]
async fn a_status_without_customers_is_removed_at_once_and_what_comes_out_of_the_bin_gets_its_successor() {
    let app = TestApp::new().await;
    let admin = app.acme(Role::Admin).await;
    let ana = customer(&admin, json!({"name": "Ana", "status": "inactive"})).await;
    let ben = customer(&admin, json!({"name": "Ben", "status": "active"})).await;
    for binned in [&ana, &ben] {
        admin.delete(&path(binned)).await.expect(204);
    }
    let remove = async |id: &str, moves: Value| {
        let mut kept = present(&admin).await;
        kept.retain(|status| status["id"] != id);
        admin.patch(PATH, json!({"statuses": kept, "moves": moves})).await.expect(200)
    };
    let changed = remove("inactive", json!([{"from": "inactive", "to": "active"}])).await;
    assert_eq!(ids(&changed), ["lead", "active"]);
    admin.post(&format!("/api/bin/{}/restore", ana["id"].as_str().unwrap()), json!({})).await.expect(200);
    assert_eq!(admin.get(&path(&ana)).await.expect(200)["status"], "active");
    // A replacement that is removed later leads on to the next one.
    admin.patch(&path(&ana), json!({"status": "lead"})).await.expect(200);
    assert_eq!(ids(&remove("active", json!([])).await), ["lead"]);
    admin.post(&format!("/api/bin/{}/restore", ben["id"].as_str().unwrap()), json!({})).await.expect(200);
    assert_eq!(admin.get(&path(&ben)).await.expect(200)["status"], "lead");
}

#[tokio::test]
async fn lists_bulk_changes_schema_and_dashboards_know_own_statuses() {
    let app = TestApp::new().await;
    let admin = app.acme(Role::Admin).await;
    let mut statuses = present(&admin).await;
    statuses.insert(0, json!({"name": "Met at a fair", "color": "pink"}));
    let fair = ids(&admin.patch(PATH, json!({"statuses": statuses})).await.expect(200))[0].clone();
    let ana = customer(&admin, json!({"name": "Ana", "status": fair})).await;
    customer(&admin, json!({"name": "Ben", "status": "active"})).await;
    for query in [format!("status={fair}"), format!("filter=status:is:{fair}"), format!("status={fair}&sort=company")] {
        let list = admin.get(&format!("/api/customers?{query}")).await.expect(200);
        assert_eq!((&list["total"], &list["items"][0]["name"]), (&json!(1), &json!("Ana")), "{query}");
    }
    let body = json!({"kind": "customers", "filter": ["status:is:active"], "change": {"status": fair}});
    assert_eq!(admin.post("/api/bulk", body).await.expect(202)["changed"], 1);

    let schema = admin.get("/api/schema").await.expect(200);
    let customers = schema["kinds"].as_array().unwrap().iter().find(|kind| kind["kind"] == "customers").unwrap();
    let column = customers["columns"].as_array().unwrap().iter().find(|one| one["name"] == "status").unwrap();
    assert_eq!(column["choices"][0], json!({"key": fair, "name": "Met at a fair", "color": "pink"}));
    assert_eq!(column["choices"][1], json!({"key": "lead", "name": "Lead", "color": "blue"}));

    let figures = admin.get("/api/dashboards/analytics").await.expect(200)["customers"]["byStatus"].clone();
    let first = json!({"status": fair, "name": "Met at a fair", "color": "pink", "count": 2});
    assert_eq!((figures.as_array().unwrap().len(), &figures[0]), (4, &first));
    let sums = admin.get("/api/sums?kind=customers&column=fields.none&by=status").await;
    sums.refused("invalid");
    assert_eq!(admin.get(&path(&ana)).await.expect(200)["status"], fair);
}

#[tokio::test]
async fn statuses_of_companies_are_apart() {
    let app = TestApp::new().await;
    let admin = app.acme(Role::Admin).await;
    let mut statuses = present(&admin).await;
    statuses[0] = json!({"id": "lead", "name": "Ours", "color": "red"});
    statuses.push(json!({"name": "Also ours", "color": "red"}));
    let ours = ids(&admin.patch(PATH, json!({"statuses": statuses})).await.expect(200))[3].clone();
    let other = app.other(Role::Owner).await;
    let theirs = other.get(PATH).await.expect(200);
    assert_eq!(
        (ids(&theirs), &theirs["statuses"][0]["name"]),
        (vec!["lead".into(), "active".into(), "inactive".into()], &json!("Lead"))
    );
    other.post("/api/customers", json!({"name": "Eve", "status": ours})).await.refused("invalid");
    assert_eq!(other.get(&format!("/api/customers?filter=status:is:{ours}")).await.expect(200)["total"], 0);
}

#[tokio::test]
async fn every_fault_of_a_change_is_named() {
    let app = TestApp::new().await;
    let admin = app.acme(Role::Admin).await;
    let status = |name: &str| json!({"name": name, "color": "red"});
    for (body, expected) in [
        (json!({"statuses": []}), vec![("statuses", "required")]),
        (json!({"statuses": vec![status("x"); 10_000]}), vec![("statuses", "too_many")]),
        (
            json!({"statuses": [status("A")], "moves": vec![json!({"from": "a", "to": "b"}); 10_000]}),
            vec![("moves", "too_many")],
        ),
        (json!({"statuses": [status(&"x".repeat(1_000_000))]}), vec![("statuses.0.name", "too_long")]),
        (json!({"statuses": [status(" ")]}), vec![("statuses.0.name", "required")]),
        (json!({"statuses": [status("One"), status("óne")]}), vec![("statuses.1.name", "taken")]),
        (
            json!({"statuses": [{"id": "lead", "name": "Lead", "color": "red"}, status("LEAD")]}),
            vec![("statuses.1.name", "taken")],
        ),
        (json!({"statuses": [{"name": "A", "color": "mauve"}]}), vec![("statuses.0.color", "enum")]),
        (
            json!({"statuses": [{"id": "lead", "name": "A", "color": "red"}, {"id": "lead", "name": "B", "color": "red"}]}),
            vec![("statuses.1.id", "twice")],
        ),
        (
            json!({"statuses": [{"id": "x".repeat(100_000), "name": "A", "color": "red"}]}),
            vec![("statuses.0.id", "unknown_reference")],
        ),
        (
            json!({"statuses": [{"id": "lead", "name": "A", "color": "red"}],
                "moves": [{"from": "lead", "to": "lead"}, {"from": "active", "to": "inactive"}]}),
            vec![("moves.0.from", "unknown_reference"), ("moves.1.to", "unknown_reference")],
        ),
    ] {
        let expected: Vec<_> =
            expected.iter().map(|(field, reason)| ((*field).to_owned(), (*reason).to_owned())).collect();
        assert_eq!(faults(&admin, body).await, expected);
    }
    assert_eq!(admin.get(PATH).await.expect(200)["version"], 1);
}
