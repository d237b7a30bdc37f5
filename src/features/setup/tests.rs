//! Setting up a company over HTTP: the steps, and sample data.

use serde_json::{Value, json};

use crate::{
    people::permission::Role,
    testing::{As, TestApp},
};

const PATH: &str = "/api/setup";
const SAMPLE: &str = "/api/setup/sample-data";

/// Returns the names of the steps that are done.
async fn done(admin: &As) -> Vec<String> {
    let setup = admin.get(PATH).await.expect(200);
    let steps = setup["steps"].as_array().unwrap();
    steps.iter().filter(|step| step["done"] == true).map(|step| step["name"].as_str().unwrap().to_owned()).collect()
}

async fn add(admin: &As) -> Value {
    admin.put(SAMPLE, json!({})).await.expect(200)
}

async fn remove(admin: &As) -> Value {
    admin.delete(SAMPLE).await.expect(200)
}

async fn total(admin: &As, path: &str) -> u64 {
    admin.get(path).await.expect(200)["total"].as_u64().unwrap()
}

/// Numbers of customers, organizations, deals, tasks, events and pages.
async fn totals(admin: &As) -> Vec<u64> {
    let mut totals = Vec::new();
    for kind in ["customers", "organizations", "deals", "tasks", "events/records", "pages"] {
        totals.push(total(admin, &format!("/api/{kind}?limit=1")).await);
    }
    totals
}

/// Returns the path of the first record of a list whose name or title begins so.
async fn find(admin: &As, kind: &str, name: &str) -> String {
    let list = admin.get(&format!("/api/{kind}?limit=100")).await.expect(200);
    let items = list["items"].as_array().unwrap();
    let begins = |item: &&Value| item.get("name").unwrap_or(&item["title"]).as_str().unwrap().starts_with(name);
    let found = items.iter().find(begins).unwrap_or_else(|| panic!("{name} in {list}"));
    format!("/api/{kind}/{}", found["id"].as_str().unwrap())
}

/// The titles in the bin.
async fn binned(admin: &As) -> Vec<String> {
    let list = admin.get("/api/bin?limit=100").await.expect(200);
    let titles = list["items"].as_array().unwrap().iter().map(|item| item["title"].as_str().unwrap().to_owned());
    let mut titles: Vec<String> = titles.collect();
    titles.sort();
    titles
}

#[tokio::test]
async fn steps_follow_from_the_data_of_the_company() {
    let app = TestApp::new().await;
    let admin = app.acme(Role::Admin).await;
    let setup = admin.get(PATH).await.expect(200);
    assert_eq!((&setup["isNew"], &setup["hidden"]), (&json!(true), &json!(false)));
    assert_eq!(setup["sampleData"], json!({"state": "available", "records": 0}));
    let names: Vec<&str> = setup["steps"].as_array().unwrap().iter().map(|it| it["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["look", "people", "customers", "task"], "no mail server is set up");
    admin.patch("/api/settings/company", json!({"color_scheme": "default"})).await.expect(200);
    // The company has four members.
    assert_eq!(done(&admin).await, ["people"]);
    admin.patch("/api/settings/company", json!({"color_scheme": "teal"})).await.expect(200);
    assert_eq!(done(&admin).await, ["look", "people"]);
    let member = app.acme(Role::Member).await;
    let customer = member.post("/api/customers", json!({"name": "Ana"})).await.expect(201);
    assert_eq!(done(&admin).await, ["look", "people", "customers"]);
    member.post("/api/tasks", json!({"type": "section", "title": "This week"})).await.expect(201);
    assert_eq!(done(&admin).await, ["look", "people", "customers"], "a heading is no task");
    member.post("/api/tasks", json!({"title": "Call Ana"})).await.expect(201);
    assert_eq!(done(&admin).await, ["look", "people", "customers", "task"]);
    member.delete(&format!("/api/customers/{}", customer["id"].as_str().unwrap())).await.expect(204);
    assert_eq!(done(&admin).await, ["look", "people", "task"]);
    app.clock.advance(31 * 24 * 3_600_000);
    let admin = app.acme(Role::Admin).await;
    assert_eq!(admin.get(PATH).await.expect(200)["isNew"], false);
}

#[tokio::test]
async fn setup_is_for_administrators_and_put_away_for_oneself() {
    let app = TestApp::new().await;
    for role in [Role::Viewer, Role::Member] {
        let caller = app.acme(role).await;
        caller.get(PATH).await.refused("forbidden");
        caller.patch(PATH, json!({"hidden": true})).await.refused("forbidden");
        caller.put(SAMPLE, json!({})).await.refused("forbidden");
        caller.delete(SAMPLE).await.refused("forbidden");
    }
    let admin = app.acme(Role::Admin).await;
    let owner = app.acme(Role::Owner).await;
    assert_eq!(admin.patch(PATH, json!({"hidden": true})).await.expect(200)["hidden"], true);
    assert_eq!(admin.get(PATH).await.expect(200)["hidden"], true);
    assert_eq!(owner.get(PATH).await.expect(200)["hidden"], false);
    assert_eq!(admin.patch(PATH, json!({"hidden": false})).await.expect(200)["hidden"], false);
    assert_eq!(app.other(Role::Owner).await.get(PATH).await.expect(200)["hidden"], false);
}

#[tokio::test]
async fn sample_data_is_added_once_and_belongs_to_the_caller() {
    let app = TestApp::new().await;
    let admin = app.acme(Role::Admin).await;
    let notified = admin.get("/api/common/notifications").await.expect(200);
    let steps = done(&admin).await;
    let setup = add(&admin).await;
    assert_eq!(setup["sampleData"], json!({"state": "present", "records": 35}));
    assert_eq!(totals(&admin).await, [12, 4, 5, 8, 4, 2]);
    assert_eq!(done(&admin).await, steps, "sample data completes no step");
    assert_eq!(add(&admin).await["sampleData"], setup["sampleData"]);
    assert_eq!(totals(&admin).await, [12, 4, 5, 8, 4, 2]);
    assert_eq!(admin.get("/api/common/notifications").await.expect(200), notified, "no one is told of it");

    let nora = admin.get(&find(&admin, "customers", "Nora").await).await.expect(200);
    assert_eq!(nora["ownerId"], json!(admin.id));
    assert_eq!(nora["details"]["company"], "Harbor Coffee Roasters");
    assert_eq!(nora["details"]["phoneNumbers"][0]["e164"], "+15035550111");
    assert!(nora["lastContactAt"].is_string(), "{nora}");
    assert_eq!(nora["nextStep"]["dueDate"], "2026-11-21", "a task is due today");
    let deal = admin.get(&find(&admin, "deals", "Annual").await).await.expect(200);
    assert_eq!(deal["customerId"], nora["id"]);
    assert_eq!(deal["value"], json!({"amount": 1_440_000, "currency": "USD"}));
    let won = admin.get(&find(&admin, "deals", "Training").await).await.expect(200);
    assert_eq!(won["outcome"], "won");
    let entry = &admin.get("/api/audit?event=company.sample_added").await.expect(200)["items"];
    assert_eq!(entry.as_array().unwrap().len(), 1);
    assert_eq!((&entry[0]["event"], &entry[0]["actor"]["id"]), (&json!("company.sample_added"), &json!(admin.id)));
    assert_eq!(totals(&app.other(Role::Owner).await).await, [0; 6]);
}

#[tokio::test]
async fn sample_data_is_in_the_language_and_region_of_the_caller() {
    let app = TestApp::new().await;
    let admin = app.acme(Role::Admin).await;
    admin.patch("/api/common/user", json!({"locale": "es"})).await.expect(200);
    admin.patch("/api/settings/company", json!({"region": {"currency": "JPY"}})).await.expect(200);
    add(&admin).await;
    let deal = admin.get(&find(&admin, "deals", "Contrato anual").await).await.expect(200);
    assert_eq!(deal["value"], json!({"amount": 14_400, "currency": "JPY"}), "yen have no cents");
    find(&admin, "customers", "Nuria").await;
    find(&admin, "pages", "Cómo trabajamos").await;
}

#[tokio::test]
async fn untouched_sample_data_is_removed_for_good() {
    let app = TestApp::new().await;
    let admin = app.acme(Role::Admin).await;
    assert_eq!(remove(&admin).await, json!({"purged": 0, "binned": 0}));
    add(&admin).await;
    let nora = find(&admin, "customers", "Nora").await;
    // What people do beside it does not change it.
    admin.post("/api/pages", json!({"title": "Ours"})).await.expect(201);
    admin.post("/api/customers", json!({"name": "Ana"})).await.expect(201);
    assert_eq!(remove(&admin).await, json!({"purged": 35, "binned": 0}));
    assert_eq!(totals(&admin).await, [1, 0, 0, 0, 0, 1]);
    assert_eq!(binned(&admin).await, [""; 0]);
    admin.get(&nora).await.refused("not_found");
    assert_eq!(admin.get(PATH).await.expect(200)["sampleData"], json!({"state": "none", "records": 0}));
    let entry = &admin.get("/api/audit?event=company.sample_removed").await.expect(200)["items"][0];
    assert_eq!(entry["facts"], json!([{"name": "purged", "value": "35"}, {"name": "binned", "value": "0"}]));
    assert_eq!(remove(&admin).await, json!({"purged": 0, "binned": 0}));
    admin.put(SAMPLE, json!({})).await.refused("conflict");
}

#[tokio::test]
async fn sample_data_that_people_worked_on_goes_to_the_bin() {
    let app = TestApp::new().await;
    let admin = app.acme(Role::Admin).await;
    let member = app.acme(Role::Member).await;
    add(&admin).await;
    // Changed; with a comment; linked; completed; called; with a page below; and a customer that a member's task concerns.
    let olivia = find(&admin, "customers", "Olivia").await;
    member.patch(&olivia, json!({"about": "Took our pictures"})).await.expect(200);
    let grace = find(&admin, "customers", "Grace").await;
    member.post(&format!("{grace}/comments"), json!({"value": "Nice"})).await.expect(201);
    let peter = find(&admin, "customers", "Peter").await;
    let id = |path: &str| path.rsplit('/').next().unwrap().to_owned();
    let own = member.post("/api/customers", json!({"name": "Ana"})).await.expect(201);
    let link = json!({"kind": "customer", "recordId": own["id"]});
    member.post(&format!("{peter}/links"), link).await.expect(200);
    let prices = find(&admin, "tasks", "Update the price").await;
    member.patch(&prices, json!({"completed": true})).await.expect(200);
    let ines = find(&admin, "customers", "Ines").await;
    let call = json!({"type": "call", "links": [{"kind": "customer", "recordId": id(&ines)}]});
    member.post("/api/activities", call).await.expect(201);
    let checklist = find(&admin, "pages", "Checklist").await;
    member.post("/api/pages", json!({"title": "Ours", "parentId": id(&checklist)})).await.expect(201);
    let rosa = find(&admin, "customers", "Rosa").await;
    let task = member.post("/api/tasks", json!({"title": "Ask Rosa", "customerId": id(&rosa)})).await.expect(201);

    let removed = remove(&admin).await;
    // Linden, Harbor and Maple Street are the organizations of customers that stay, and one page is above another.
    let stays = [
        "Checklist for new customers",
        "Grace Okoye",
        "Harbor Coffee Roasters",
        "How we work with customers",
        "Ines Carvalho",
        "Linden Architects",
        "Maple Street Dental",
        "Olivia Grant",
        "Peter Novak",
        "Rosa Delgado",
        "Update the price list",
    ];
    assert_eq!(removed, json!({"purged": 35 - stays.len(), "binned": stays.len()}));
    assert_eq!(binned(&admin).await, stays);
    assert_eq!(totals(&admin).await, [1, 0, 0, 1, 0, 1]);
    admin.post(&format!("/api/bin/{}/restore", id(&olivia)), json!({})).await.expect(200);
    assert_eq!(admin.get(&olivia).await.expect(200)["about"], "Took our pictures");
    assert_eq!(admin.get(PATH).await.expect(200)["sampleData"]["state"], "none");
    let of_task = format!("/api/tasks/{}", task["id"].as_str().unwrap());
    assert_eq!(admin.get(&of_task).await.expect(200)["customerId"], json!(id(&rosa)), "Rosa can come back");
}

#[tokio::test]
async fn sample_data_is_not_added_to_records_of_the_company() {
    let app = TestApp::new().await;
    let admin = app.acme(Role::Admin).await;
    for (kind, body) in [
        ("customers", json!({"name": "Ana"})),
        ("organizations", json!({"name": "Acme"})),
        ("deals", json!({"title": "Sale"})),
        ("tasks", json!({"title": "Call"})),
    ] {
        let record = admin.post(&format!("/api/{kind}"), body).await.expect(201);
        assert_eq!(admin.get(PATH).await.expect(200)["sampleData"]["state"], "none", "{kind}");
        let refused = admin.put(SAMPLE, json!({})).await;
        refused.refused("conflict");
        assert!(refused.body["error"]["message"].as_str().unwrap().contains("sample data"), "{}", refused.body);
        admin.delete(&format!("/api/{kind}/{}", record["id"].as_str().unwrap())).await.expect(204);
    }
    add(&admin).await;
    // What people removed by hand is not missed, and can be added again.
    for kind in ["tasks", "events/records", "deals", "customers", "organizations", "pages"] {
        let list = admin.get(&format!("/api/{kind}?limit=100")).await.expect(200);
        for item in list["items"].as_array().unwrap() {
            let kind = kind.split('/').next().unwrap();
            admin.delete(&format!("/api/{kind}/{}", item["id"].as_str().unwrap())).await.expect(204);
        }
    }
    assert_eq!(admin.get(PATH).await.expect(200)["sampleData"], json!({"state": "available", "records": 0}));
    assert_eq!(add(&admin).await["sampleData"]["records"], 35);
}
