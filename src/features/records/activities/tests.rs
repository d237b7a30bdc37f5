//! Activities over HTTP.

use serde_json::{Value, json};

use crate::{
    people::permission::Role,
    testing::{As, NOW, TestApp},
};

const DAY: i64 = 24 * 3_600_000;

fn at(days: i64) -> String {
    crate::kernel::Timestamp::from_millis(NOW + days * DAY).to_string()
}

async fn create(member: &As, kind: &str, body: Value) -> Value {
    member.post(&format!("/api/{kind}"), body).await.expect(201)
}

fn link(kind: &str, record: &Value) -> Value {
    json!({"kind": kind, "recordId": record["id"]})
}

async fn log(member: &As, body: Value) -> Value {
    member.post("/api/activities", body).await.expect(201)
}

fn path(kind: &str, record: &Value) -> String {
    format!("/api/{kind}/{}", record["id"].as_str().unwrap())
}

/// Returns the last contact and the next step that a record shows.
async fn dates(member: &As, path: &str) -> (Value, Value) {
    let record = member.get(path).await.expect(200);
    (record["lastContactAt"].clone(), record["nextStep"]["taskId"].clone())
}

#[tokio::test]
async fn a_call_is_in_the_timelines_of_all_that_it_concerns_and_is_their_last_contact() {
    let app = TestApp::new().await;
    let member = app.acme(Role::Member).await;
    let organization = create(&member, "organizations", json!({"name": "Acme"})).await;
    let customer = create(&member, "customers", json!({"name": "Ana", "organizationId": organization["id"]})).await;
    let deal = create(&member, "deals", json!({"title": "Rugs", "customerId": customer["id"]})).await;
    let body = json!({"type": "call", "at": at(-1), "links": [link("deal", &deal)], "text": "  Wants samples ",
        "outcome": "Reached", "nextStep": {"title": "Send samples", "dueDate": "2026-11-27"}});
    let call = log(&member, body).await;
    assert_eq!((&call["text"], call["links"].as_array().unwrap().len()), (&json!("Wants samples"), 2));
    // The person of the deal belongs to an organization, which is not that of the deal.
    assert_eq!(call["links"][1]["recordId"], customer["id"]);
    assert_eq!(call["nextTask"]["title"], "Send samples");
    for record in [path("deals", &deal), path("customers", &customer)] {
        assert_eq!(dates(&member, &record).await, (json!(at(-1)), call["nextTaskId"].clone()), "{record}");
        let timeline = member.get(&format!("{record}/timeline?part=activities")).await.expect(200);
        assert_eq!((&timeline["items"][0]["event"], &timeline["items"][0]["at"]), (&json!("logged"), &json!(at(-1))));
        assert_eq!(timeline["items"][0]["activity"]["outcome"], "Reached");
    }
    assert_eq!(dates(&member, &path("organizations", &organization)).await, (Value::Null, Value::Null));

    // A visit of the person concerns the organization, too; an earlier one is not the last contact.
    for days in [0, -3] {
        let visit = json!({"type": "visit", "at": at(days), "links": [link("customer", &customer)]});
        log(&member, visit).await;
    }
    app.clock.advance(1_000);
    log(&member, json!({"type": "note", "text": "Likes blue", "links": [link("customer", &customer)]})).await;
    assert_eq!(dates(&member, &path("customers", &customer)).await.0, json!(at(0)));
    assert_eq!(dates(&member, &path("organizations", &organization)).await.0, json!(at(0)));
    let timeline = member.get(&format!("{}/timeline?part=activities", path("customers", &customer))).await.expect(200);
    let types: Vec<&Value> = timeline["items"].as_array().unwrap().iter().map(|one| &one["activity"]["type"]).collect();
    assert_eq!(types, ["note", "visit", "call", "visit"], "by the time at which they were");
    let found = member.get("/api/customers?filter=lastContactAt:gte:today&sort=-lastContactAt").await.expect(200);
    assert_eq!(found["total"], 1);
    let found = member.get("/api/customers?filter=nextStepDay:lte:today%2B7").await.expect(200);
    assert_eq!((&found["total"], &found["items"][0]["nextStep"]["dueDate"]), (&json!(1), &json!("2026-11-27")));
    let task = format!("/api/tasks/{}", call["nextTaskId"].as_str().unwrap());
    assert_eq!(member.get(&task).await.expect(200)["dealId"], deal["id"]);
}

#[tokio::test]
async fn last_contact_follows_changed_and_removed_activities() {
    let app = TestApp::new().await;
    let member = app.acme(Role::Member).await;
    let ana = create(&member, "customers", json!({"name": "Ana"})).await;
    let ben = create(&member, "customers", json!({"name": "Ben"})).await;
    let call = log(&member, json!({"type": "call", "at": at(-2), "links": [link("customer", &ana)]})).await;
    let mail = log(&member, json!({"type": "email", "at": at(-1), "links": [link("customer", &ana)]})).await;
    let ana_path = path("customers", &ana);
    let ben_path = path("customers", &ben);
    assert_eq!(dates(&member, &ana_path).await.0, json!(at(-1)));
    let moved = member.patch(&path("activities", &mail), json!({"links": [link("customer", &ben)]})).await;
    assert_eq!(moved.tagged_version(), 2);
    assert_eq!((dates(&member, &ana_path).await.0, dates(&member, &ben_path).await.0), (json!(at(-2)), json!(at(-1))));
    member.patch(&path("activities", &mail), json!({"type": "note"})).await.refused("invalid");
    member.patch(&path("activities", &mail), json!({"type": "note", "text": "Only this"})).await.expect(200);
    assert_eq!(dates(&member, &ben_path).await.0, Value::Null);
    let version = member.get(&ana_path).await.expect(200)["version"].clone();
    member.delete(&path("activities", &call)).await.expect(204);
    let after = member.get(&ana_path).await.expect(200);
    assert_eq!((after.get("lastContactAt"), &after["version"]), (None, &version), "nobody edited the customer");
    member.get(&path("activities", &call)).await.refused("not_found");
}

/// Returns the texts of the activities in the timeline of a record, read page by page.
async fn timeline_texts(member: &As, record: &str) -> Vec<String> {
    let mut texts = Vec::new();
    let mut cursor = String::new();
    loop {
        let page = member.get(&format!("{record}/timeline?part=activities&limit=1{cursor}")).await.expect(200);
        let items = page["items"].as_array().unwrap();
        texts.extend(items.iter().map(|one| one["activity"]["text"].as_str().unwrap().to_owned()));
        let Some(next) = page["nextCursor"].as_str() else { return texts };
        cursor = format!("&cursor={next}");
    }
}

#[tokio::test]
async fn an_activity_moves_in_the_timeline_with_its_time() {
    let app = TestApp::new().await;
    let member = app.acme(Role::Member).await;
    let ana = create(&member, "customers", json!({"name": "Ana"})).await;
    let ben = create(&member, "customers", json!({"name": "Ben"})).await;
    let ana_path = path("customers", &ana);
    let mut calls = Vec::new();
    for (days, text) in [(-4, "a"), (-3, "b"), (-2, "c")] {
        let call = json!({"type": "call", "at": at(days), "text": text, "links": [link("customer", &ana)]});
        calls.push(path("activities", &log(&member, call).await));
    }
    assert_eq!(timeline_texts(&member, &ana_path).await, ["c", "b", "a"]);
    member.patch(&calls[0], json!({"at": at(-1)})).await.expect(200);
    assert_eq!(timeline_texts(&member, &ana_path).await, ["a", "c", "b"]);
    assert_eq!(dates(&member, &ana_path).await.0, json!(at(-1)));
    member.patch(&calls[2], json!({"at": at(-5)})).await.expect(200);
    assert_eq!(timeline_texts(&member, &ana_path).await, ["a", "b", "c"]);
    let page = member.get(&format!("{ana_path}/timeline?part=activities")).await.expect(200);
    assert_eq!(page["items"][2]["at"], at(-5));
    // Moved again, changed without its time, and given to another record.
    member.patch(&calls[0], json!({"at": at(-4)})).await.expect(200);
    member.patch(&calls[0], json!({"outcome": "Reached"})).await.expect(200);
    assert_eq!(timeline_texts(&member, &ana_path).await, ["b", "a", "c"]);
    assert_eq!(dates(&member, &ana_path).await.0, json!(at(-3)));
    member.patch(&calls[0], json!({"links": [link("customer", &ben)]})).await.expect(200);
    assert_eq!(timeline_texts(&member, &ana_path).await, ["b", "c"]);
    assert_eq!(timeline_texts(&member, &path("customers", &ben)).await, ["a"]);
    member.delete(&calls[2]).await.expect(204);
    assert_eq!(timeline_texts(&member, &ana_path).await, ["b"]);
}

#[tokio::test]
async fn an_activity_names_a_task_that_exists_as_the_next_step() {
    let app = TestApp::new().await;
    let ada = app.acme(Role::Member).await;
    let stranger = app.other(Role::Owner).await;
    let ana = create(&ada, "customers", json!({"name": "Ana"})).await;
    let step = json!({"title": "Send samples"});
    let call = json!({"type": "call", "links": [link("customer", &ana)], "nextStep": step});
    let call = log(&ada, call).await;
    ada.delete(&path("activities", &call)).await.expect(204);
    // As undoing the removal does.
    let mut again = json!({"type": "call", "links": [link("customer", &ana)], "nextTaskId": call["nextTaskId"]});
    let restored = log(&ada, again.clone()).await;
    assert_eq!(
        (&restored["nextTaskId"], &restored["nextTask"]["title"]),
        (&call["nextTaskId"], &json!("Send samples"))
    );
    assert_eq!(ada.get("/api/tasks").await.expect(200)["total"], 1, "no second task");
    again["nextStep"] = step;
    let both = ada.post("/api/activities", again.clone()).await;
    both.refused("invalid");
    assert!(both.body["error"]["fields"]["nextTaskId"].is_string(), "{}", both.body);
    again.as_object_mut().unwrap().remove("nextStep");
    let theirs = create(&stranger, "tasks", json!({"title": "Theirs"})).await;
    ada.delete(&format!("/api/tasks/{}", call["nextTaskId"].as_str().unwrap())).await.expect(204);
    for id in [&theirs["id"], &call["nextTaskId"], &ana["id"]] {
        again["nextTaskId"] = id.clone();
        let refused = ada.post("/api/activities", again.clone()).await;
        assert!(refused.body["error"]["fields"]["nextTaskId"].is_string(), "{}", refused.body);
    }
}

#[tokio::test]
async fn next_step_is_the_open_task_that_is_due_first() {
    let app = TestApp::new().await;
    let member = app.acme(Role::Member).await;
    let ana = create(&member, "customers", json!({"name": "Ana"})).await;
    let acme = create(&member, "organizations", json!({"name": "Acme"})).await;
    let ana_path = path("customers", &ana);
    let task = async |title: &str, due: Option<&str>| {
        create(&member, "tasks", json!({"title": title, "dueDate": due, "customerId": ana["id"]})).await
    };
    let undated = task("Some time", None).await;
    assert_eq!(dates(&member, &ana_path).await.1, undated["id"]);
    let late = task("Late", Some("2026-12-24")).await;
    let soon = task("Soon", Some("2026-12-01")).await;
    assert_eq!(dates(&member, &ana_path).await.1, soon["id"]);
    member.patch(&path("tasks", &soon), json!({"completed": true})).await.expect(200);
    assert_eq!(dates(&member, &ana_path).await.1, late["id"]);
    member.patch(&path("tasks", &soon), json!({"completed": false})).await.expect(200);
    member.delete(&path("tasks", &soon)).await.expect(204);
    assert_eq!(dates(&member, &ana_path).await.1, late["id"]);
    member.post(&format!("/api/bin/{}/restore", soon["id"].as_str().unwrap()), json!({})).await.expect(200);
    assert_eq!(dates(&member, &ana_path).await.1, soon["id"]);
    let moved = json!({"customerId": null, "organizationId": acme["id"]});
    member.patch(&path("tasks", &soon), moved).await.expect(200);
    assert_eq!(dates(&member, &ana_path).await.1, late["id"]);
    assert_eq!(dates(&member, &path("organizations", &acme)).await.1, soon["id"]);
    // A bulk change, and a record that was in the bin at that time.
    member.delete(&ana_path).await.expect(204);
    let body = json!({"kind": "tasks", "ids": [late["id"]], "change": {"completed": true}});
    member.post("/api/bulk", body).await.expect(202);
    member.post(&format!("/api/bin/{}/restore", ana["id"].as_str().unwrap()), json!({})).await.expect(200);
    assert_eq!(dates(&member, &ana_path).await.1, undated["id"]);
}

#[tokio::test]
async fn members_change_their_own_activities_and_administrators_any() {
    let app = TestApp::new().await;
    let ada = app.acme(Role::Member).await;
    let ben = app.hire("ben", Role::Member).await;
    let admin = app.acme(Role::Admin).await;
    let viewer = app.acme(Role::Viewer).await;
    let stranger = app.other(Role::Owner).await;
    let ana = create(&ada, "customers", json!({"name": "Ana"})).await;
    let note = json!({"type": "note", "text": "A", "links": [link("customer", &ana)]});
    viewer.post("/api/activities", note.clone()).await.refused("forbidden");
    stranger.post("/api/activities", note.clone()).await.refused("invalid");
    let note = path("activities", &log(&ada, note).await);
    viewer.get(&note).await.expect(200);
    stranger.get(&note).await.refused("not_found");
    ben.patch(&note, json!({"text": "B"})).await.refused("forbidden");
    ben.delete(&note).await.refused("forbidden");
    admin.patch(&note, json!({"text": "B"})).await.expect(200);
    admin.delete(&note).await.expect(204);
}

#[tokio::test]
async fn an_activity_of_a_hidden_deal_is_hidden_and_goes_with_what_is_purged() {
    let app = TestApp::new().await;
    let ada = app.acme(Role::Member).await;
    let ben = app.hire("ben", Role::Member).await;
    let admin = app.acme(Role::Admin).await;
    let ana = create(&admin, "customers", json!({"name": "Ana"})).await;
    let secret = json!({"title": "Secret", "customerId": ana["id"], "visibility": {"to": "me"}});
    let deal = create(&ada, "deals", secret).await;
    let call = log(&ada, json!({"type": "call", "text": "Hush", "links": [link("deal", &deal)]})).await;
    let timeline = format!("{}/timeline", path("customers", &ana));
    assert!(ada.get(&timeline).await.expect(200).to_string().contains("Hush"));
    assert!(!ben.get(&timeline).await.expect(200).to_string().contains("Hush"));
    ben.get(&path("activities", &call)).await.refused("not_found");
    ben.post("/api/activities", json!({"type": "call", "links": [link("deal", &deal)]})).await.refused("invalid");
    let task = json!({"title": "A", "dealId": deal["id"]});
    ben.post("/api/tasks", task).await.refused("invalid");
    for (kind, record) in [("customers", &ana), ("deals", &deal)] {
        admin.delete(&path(kind, record)).await.expect(204);
        admin.delete(&format!("/api/bin/{}", record["id"].as_str().unwrap())).await.expect(204);
    }
    admin.get(&path("activities", &call)).await.refused("not_found");
}

#[tokio::test]
async fn every_faulty_field_is_named() {
    let app = TestApp::new().await;
    let member = app.acme(Role::Member).await;
    let ana = create(&member, "customers", json!({"name": "Ana"})).await;
    let task = create(&member, "tasks", json!({"title": "A"})).await;
    let one = link("customer", &ana);
    for (body, field) in [
        (json!({"type": "call", "links": []}), "links"),
        (json!({"type": "call", "links": vec![one.clone(); 11]}), "links"),
        (json!({"type": "call", "links": [one, one]}), "links.1.recordId"),
        (json!({"type": "call", "links": [link("task", &task)]}), "links.0.recordId"),
        (json!({"type": "note", "text": " ", "links": [one]}), "text"),
        (json!({"type": "call", "links": [one], "outcome": "x".repeat(201)}), "outcome"),
        (json!({"type": "call", "links": [one], "at": at(3)}), "at"),
        (json!({"type": "call", "links": [one], "at": "0026-11-20T09:30:00Z"}), "at"),
        (
            json!({"type": "call", "links": [one], "nextStep": {"title": "A", "dueDate": "0001-01-01"}}),
            "nextStep.dueDate",
        ),
        (json!({"type": "call", "links": [one], "nextStep": {"title": " "}}), "nextStep.title"),
        (
            json!({"type": "call", "links": [one], "nextStep": {"title": "A", "assigneeId": ana["id"]}}),
            "nextStep.assigneeId",
        ),
    ] {
        let refused = member.post("/api/activities", body.clone()).await;
        refused.refused("invalid");
        assert!(refused.body["error"]["fields"].get(field).is_some(), "{body}: {}", refused.body);
    }
    assert_eq!(member.get("/api/tasks").await.expect(200)["total"], 1, "no task without its activity");
}
