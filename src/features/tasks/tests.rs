//! Tasks over HTTP.

use serde_json::{Value, json};

use super::model::Task;
use crate::{
    features::find_kind,
    kernel::Id,
    people::permission::{Reader, Role},
    store::{Actor, Record as _, TenantWrite},
    testing::{As, TestApp},
};

async fn make(member: &As, body: Value) -> Value {
    member.post("/api/tasks", body).await.expect(201)
}

async fn list(member: &As, query: &str) -> Value {
    member.get(&format!("/api/tasks?{query}")).await.expect(200)
}

fn titles(list: &Value) -> Vec<&str> {
    list["items"].as_array().unwrap().iter().map(|item| item["title"].as_str().unwrap()).collect()
}

fn path(record: &Value) -> String {
    format!("/api/tasks/{}", record["id"].as_str().unwrap())
}

#[tokio::test]
async fn task_keeps_all_its_fields() {
    let app = TestApp::new().await;
    let member = app.acme(Role::Member).await;
    let customer = member.post("/api/customers", json!({"name": "Ada"})).await.expect(201);
    let body = json!({
        "title": " Call  Ada ", "notes": "about the engine\r\n", "priority": 2, "dueDate": "2026-11-23",
        "assigneeId": member.id, "customerId": customer["id"], "tags": ["Phone", "phone"],
        "subtasks": [{"title": "find number"}, {"title": "dial", "completed": true}],
    });
    let got = member.post("/api/tasks", body).await;
    assert_eq!(got.tagged_version(), 1);
    let location = got.headers["location"].to_str().unwrap().to_owned();
    let task = got.expect(201);
    assert_eq!(location, path(&task));
    for (field, value) in [
        ("type", json!("task")),
        ("title", json!("Call Ada")),
        ("notes", json!("about the engine")),
        ("completed", json!(false)),
        ("priority", json!(2)),
        ("dueDate", json!("2026-11-23")),
        ("assigneeId", json!(member.id)),
        ("customerId", customer["id"].clone()),
        ("tags", json!(["phone"])),
        ("createdBy", json!(member.id)),
    ] {
        assert_eq!(task[field], value, "{field}");
    }
    let steps = task["subtasks"].as_array().unwrap();
    assert_eq!((&steps[0]["title"], &steps[1]["completed"]), (&json!("find number"), &json!(true)));
    assert_ne!(steps[0]["id"], steps[1]["id"]);
    assert!(task.get("completedAt").is_none());
    assert_eq!(member.get(&location).await.expect(200), task);
    let bare = make(&member, json!({"title": "x"})).await;
    assert_eq!((&bare["priority"], &bare["tags"], &bare["subtasks"]), (&json!(1), &json!([]), &json!([])));
}

#[tokio::test]
async fn server_sets_the_completion_time() {
    let app = TestApp::new().await;
    let member = app.acme(Role::Member).await;
    let task = make(&member, json!({"title": "x"})).await;
    let done = member.patch(&path(&task), json!({"completed": true})).await.expect(200);
    assert_eq!(done["completedAt"], "2026-11-21T09:30:00.000Z");
    app.clock.advance(1_000);
    let renamed = member.patch(&path(&task), json!({"title": "y", "completed": true})).await.expect(200);
    assert_eq!(renamed["completedAt"], done["completedAt"]);
    let open = member.patch(&path(&task), json!({"completed": false})).await.expect(200);
    assert!(open.get("completedAt").is_none());
    let again = member.patch(&path(&task), json!({"completed": true})).await.expect(200);
    assert_eq!(again["completedAt"], "2026-11-21T09:30:01.000Z");
}

// The kind of fault: what ended elsewhere can only have ended now.
#[tokio::test]
async fn a_task_may_have_been_completed_before() {
    let app = TestApp::new().await;
    let member = app.acme(Role::Member).await;
    let at = "2024-02-02T10:12:00.000Z";
    let task = make(&member, json!({"title": "x", "completed": true, "completedAt": at})).await;
    assert_eq!(task["completedAt"], at);
    let renamed = member.patch(&path(&task), json!({"title": "y"})).await.expect(200);
    assert_eq!(renamed["completedAt"], at);
    let now = member.patch(&path(&task), json!({"completedAt": null})).await.expect(200);
    assert_eq!(now["completedAt"], "2026-11-21T09:30:00.000Z");
    let open = make(&member, json!({"title": "z", "completedAt": at})).await;
    assert!(open.get("completedAt").is_none(), "{open}");
    let done = member.patch(&path(&open), json!({"completed": true, "completedAt": at})).await.expect(200);
    assert_eq!(done["completedAt"], at);
    let future = json!({"completedAt": "2026-11-21T09:36:00Z"});
    member.patch(&path(&open), future.clone()).await.refused("invalid");
    let body = json!({"title": "x", "completed": true, "completedAt": "2027-01-01T00:00:00Z"});
    let refused = member.post("/api/tasks", body).await;
    refused.refused("invalid");
    assert!(refused.body["error"]["fields"]["completedAt"].is_string(), "{}", refused.body);
    // Undoing a bulk change gives back the time.
    let bulk = json!({"kind": "tasks", "ids": [open["id"]], "change": {"completed": false}});
    let bulk = member.post("/api/bulk", bulk).await.expect(202);
    assert_eq!(member.bulk_over(&bulk).await["changed"], 1);
    member.post(&format!("/api/bulk/{}/undo", bulk["id"].as_str().unwrap()), json!({})).await.expect(202);
    member.bulk_over(&bulk).await;
    assert_eq!(member.get(&path(&open)).await.expect(200)["completedAt"], at);
}

#[tokio::test]
async fn moving_a_task_between_two_others_changes_one_record() {
    let app = TestApp::new().await;
    let member = app.acme(Role::Member).await;
    for title in ["a", "b", "c"] {
        make(&member, json!({"title": title})).await;
    }
    make(&member, json!({"title": "first", "order": -5})).await;
    let all = list(&member, "").await;
    assert_eq!(titles(&all), ["first", "a", "b", "c"]);
    let order = |at: usize| all["items"][at]["order"].as_f64().unwrap();
    let moved = json!({"order": f64::midpoint(order(1), order(2))});
    member.patch(&path(&all["items"][3]), moved).await.expect(200);
    assert_eq!(titles(&list(&member, "sort=order").await), ["first", "a", "c", "b"]);
    assert_eq!(titles(&list(&member, "sort=-order").await), ["b", "c", "a", "first"]);
    let others = list(&member, "").await;
    assert_eq!(others["items"][1]["version"], 1);
}

#[tokio::test]
async fn tasks_never_share_an_order() {
    let app = TestApp::new().await;
    let member = app.acme(Role::Member).await;
    let first = make(&member, json!({"title": "a", "order": 1.0})).await;
    let second = make(&member, json!({"title": "b", "order": 1.0})).await;
    let third = make(&member, json!({"title": "c", "order": 5.0})).await;
    let third = member.patch(&path(&third), json!({"order": 1.0})).await.expect(200);
    let order = |task: &Value| task["order"].as_f64().unwrap();
    assert!(order(&first) < order(&second) && order(&second) < order(&third) && order(&third) < 1.000_001);
    // Setting the same order again does not move it.
    assert_eq!(member.patch(&path(&third), json!({"order": order(&third)})).await.expect(200)["version"], 2);
}

#[tokio::test]
async fn lists_are_filtered_and_paged() {
    let app = TestApp::new().await;
    let member = app.acme(Role::Member).await;
    let admin = app.acme(Role::Admin).await;
    let customer = member.post("/api/customers", json!({"name": "Ada"})).await.expect(201);
    let customer = customer["id"].as_str().unwrap();
    make(&member, json!({"title": "Section", "type": "section"})).await;
    // Today is Saturday, 21 November 2026.
    for (title, due, done) in [
        ("long ago", Some("2026-01-02"), false),
        ("done ago", Some("2026-01-02"), true),
        ("yesterday", Some("2026-11-20"), false),
        ("today", Some("2026-11-21"), false),
        ("today done", Some("2026-11-21"), true),
        ("sunday", Some("2026-11-22"), false),
        ("monday", Some("2026-11-23"), false),
        ("someday", None, false),
    ] {
        let mut body = json!({"title": title, "completed": done, "assigneeId": member.id});
        if let Some(due) = due {
            body["dueDate"] = json!(due);
        }
        make(&member, body).await;
    }
    make(&admin, json!({"title": "hers", "tags": ["x"], "assigneeId": admin.id, "customerId": customer})).await;
    for (query, expected) in [
        ("due=overdue".to_owned(), vec!["long ago", "yesterday"]),
        ("due=overdue&completed=true".to_owned(), vec![]),
        ("due=today".to_owned(), vec!["today", "today done"]),
        ("due=today&completed=false".to_owned(), vec!["today"]),
        // In America, the week ends today.
        ("due=week&sort=-dueDate".to_owned(), vec!["today", "today done", "yesterday"]),
        // Tasks without a due day are last in both directions.
        (
            format!("assigneeId={}&sort=-dueDate&completed=false", member.id),
            vec!["monday", "sunday", "today", "yesterday", "long ago", "someday"],
        ),
        ("completed=true".to_owned(), vec!["done ago", "today done"]),
        (
            "completed=false".to_owned(),
            vec!["Section", "long ago", "yesterday", "today", "sunday", "monday", "someday", "hers"],
        ),
        (format!("assigneeId={}", admin.id), vec!["hers"]),
        (format!("assigneeId={}&completed=true", member.id), vec!["done ago", "today done"]),
        (format!("customerId={customer}"), vec!["hers"]),
        ("tag=X".to_owned(), vec!["hers"]),
        (
            "sort=dueDate".to_owned(),
            vec![
                "long ago",
                "done ago",
                "yesterday",
                "today",
                "today done",
                "sunday",
                "monday",
                "Section",
                "someday",
                "hers",
            ],
        ),
    ] {
        let found = list(&member, &query).await;
        assert_eq!(
            (titles(&found), found["total"].as_u64()),
            (expected.clone(), Some(expected.len() as u64)),
            "{query}"
        );
        let mut paged = Vec::new();
        let mut cursor = String::new();
        loop {
            let page = list(&member, &format!("{query}&limit=1{cursor}")).await;
            paged.extend(titles(&page).into_iter().map(str::to_owned));
            let Some(next) = page["nextCursor"].as_str() else { break };
            cursor = format!("&cursor={next}");
        }
        assert_eq!(paged, expected, "{query} in pages");
    }
    member.patch("/api/common/user", json!({"region": {"firstDay": "monday"}})).await.expect(200);
    let member = app.acme(Role::Member).await;
    for query in ["due=week", "due=week&filter=title:set"] {
        let found = list(&member, query).await;
        assert_eq!(found["total"], 4, "{query}: {found}");
        assert!(titles(&found).contains(&"sunday"), "{query}: {found}");
    }
}

#[tokio::test]
async fn due_today_depends_on_the_callers_time_zone() {
    let app = TestApp::new().await;
    let member = app.acme(Role::Member).await;
    make(&member, json!({"title": "sunday", "dueDate": "2026-11-22"})).await;
    assert_eq!(list(&member, "due=today").await["total"], 0);
    // 09:30 UTC on Saturday is 23:30 on the same day on Kiritimati; half an hour later it is Sunday there.
    member.patch("/api/common/user", json!({"timezone": "Pacific/Kiritimati"})).await.expect(200);
    assert_eq!(list(&member, "due=today").await["total"], 0);
    app.clock.advance(30 * 60_000);
    let member = app.acme(Role::Member).await;
    assert_eq!(titles(&list(&member, "due=today").await), ["sunday"]);
    assert_eq!(list(&app.acme(Role::Admin).await, "due=today").await["total"], 0);
}

#[tokio::test]
async fn search_narrows_the_list() {
    let app = TestApp::new().await;
    let member = app.acme(Role::Member).await;
    make(&member, json!({"title": "Send the invoice", "tags": ["globex"]})).await;
    make(&member, json!({"title": "Pay", "notes": "the invoice of March", "completed": true})).await;
    make(&member, json!({"title": "Invoices", "type": "section"})).await;
    assert_eq!(titles(&list(&member, "q=invoice").await), ["Send the invoice", "Pay"]);
    assert_eq!(titles(&list(&member, "q=invoice&completed=true").await), ["Pay"]);
    assert_eq!(titles(&list(&member, "q=globex").await), ["Send the invoice"]);
}

#[tokio::test]
async fn rejects_invalid_values_naming_the_field() {
    let app = TestApp::new().await;
    let member = app.acme(Role::Member).await;
    let stranger = app.other(Role::Member).await;
    let theirs = stranger.post("/api/customers", json!({"name": "Eve"})).await.expect(201);
    for (body, field) in [
        (json!({"title": ""}), "title"),
        (json!({"title": "x".repeat(301)}), "title"),
        (json!({"title": "x", "priority": 3}), "priority"),
        (json!({"title": "x", "order": 1e13}), "order"),
        (json!({"title": "x", "assigneeId": stranger.id}), "assigneeId"),
        (json!({"title": "x", "customerId": theirs["id"]}), "customerId"),
        (json!({"title": "x", "subtasks": [{"title": " "}]}), "subtasks.0.title"),
        (json!({"title": "x", "type": "section", "dueDate": "2026-11-21"}), "dueDate"),
    ] {
        let got = member.post("/api/tasks", body.clone()).await;
        got.refused("invalid");
        assert!(got.body["error"]["fields"][field].is_string(), "{body}: {}", got.body);
    }
    for body in [
        json!({"title": "x", "dueDate": "tomorrow"}),
        json!({"title": "x", "type": "epic"}),
        json!({"title": "x", "createdAt": "2026-11-21T09:30:00Z"}),
    ] {
        member.post("/api/tasks", body).await.refused("bad_request");
    }
    for query in ["sort=age", "due=never", "completed=maybe", "cursor=67"] {
        member.get(&format!("/api/tasks?{query}")).await.refused("bad_request");
    }
}

/// The kind of fault: a day that is mistyped, or stands for none in another program, is kept as if it were meant.
#[tokio::test]
async fn due_dates_lie_in_a_range_except_those_from_before() {
    let app = TestApp::new().await;
    let member = app.acme(Role::Member).await;
    let task = make(&member, json!({"title": "Call", "dueDate": "1900-01-01"})).await;
    make(&member, json!({"title": "Write", "dueDate": "2200-12-31"})).await;
    let text = "Enter a value between 1900-01-01 and 2200-12-31.";
    for day in ["0000-01-01", "0001-01-01", "0026-11-21", "1899-12-31", "2201-01-01", "9999-12-31"] {
        let made = member.post("/api/tasks", json!({"title": "Call", "dueDate": day})).await;
        let changed = member.patch(&path(&task), json!({"dueDate": day})).await;
        for refused in [made, changed] {
            refused.refused("invalid");
            assert_eq!(refused.body["error"]["fields"]["dueDate"], text, "{day}: {}", refused.body);
        }
    }
    let bulk = json!({"kind": "tasks", "ids": [task["id"]], "change": {"dueDate": "9999-12-31"}});
    let refused = member.post("/api/bulk", bulk).await;
    refused.refused("invalid");
    assert_eq!(refused.body["error"]["fields"]["dueDate"], text, "{}", refused.body);
    // The row is imported without the day.
    let import = member.import("tasks", "Title,Due date\r\nPack,1026-05-01\r\nSend,2026-12-01\r\n").await;
    assert_eq!(
        (&import["counts"]["created"], &import["problems"][0]["message"]),
        (&json!(2), &json!(text)),
        "{import}"
    );

    let id: Id<Task> = task["id"].as_str().unwrap().parse().unwrap();
    let age = move |tx: &TenantWrite<'_>| {
        tx.update(id, None, |task: &mut Task| {
            task.due_date = "0001-01-01".parse().ok();
            Ok(())
        })
    };
    app.app.store().write(app.acme.id, Actor::System, age).await.unwrap();
    let same = json!({"title": "Call Ana", "dueDate": "0001-01-01"});
    let renamed = member.patch(&path(&task), same).await.expect(200);
    assert_eq!((&renamed["title"], &renamed["dueDate"]), (&json!("Call Ana"), &json!("0001-01-01")));
    member.patch(&path(&task), json!({"dueDate": "0001-01-02"})).await.refused("invalid");
    member.patch(&path(&task), json!({"dueDate": null})).await.expect(200);
}

#[tokio::test]
async fn rejects_stale_version_and_a_retry_creates_one_task() {
    let app = TestApp::new().await;
    let member = app.acme(Role::Member).await;
    let task = make(&member, json!({"title": "a", "dueDate": "2026-11-21"})).await;
    let tag = [("if-match", "\"1\"")];
    let changed = member.send_with("PATCH", &path(&task), Some(json!({"dueDate": null})), &tag).await.expect(200);
    assert!(changed.get("dueDate").is_none());
    member.send_with("PATCH", &path(&task), Some(json!({"title": "c"})), &tag).await.refused("stale_version");
    let key = [("idempotency-key", "one")];
    let first = member.send_with("POST", "/api/tasks", Some(json!({"title": "b"})), &key).await.expect(201);
    let again = member.send_with("POST", "/api/tasks", Some(json!({"title": "b"})), &key).await.expect(201);
    assert_eq!(first, again);
    assert_eq!(list(&member, "").await["total"], 2);
}

#[tokio::test]
async fn enforces_role_permissions() {
    let app = TestApp::new().await;
    let viewer = app.acme(Role::Viewer).await;
    let member = app.acme(Role::Member).await;
    let admin = app.acme(Role::Admin).await;
    viewer.post("/api/tasks", json!({"title": "A"})).await.refused("forbidden");
    let first = make(&member, json!({"title": "A"})).await;
    let second = make(&admin, json!({"title": "B"})).await;
    assert_eq!(viewer.get(&path(&first)).await.status, 200);
    viewer.patch(&path(&first), json!({"title": "C"})).await.refused("forbidden");
    viewer.delete(&path(&first)).await.refused("forbidden");
    assert_eq!(member.patch(&path(&second), json!({"title": "C"})).await.status, 200);
    member.delete(&path(&second)).await.refused("forbidden");
    assert_eq!(member.delete(&path(&first)).await.status, 204);
    admin.send_with("DELETE", &path(&second), None, &[("if-match", "\"7\"")]).await.refused("stale_version");
    assert_eq!(admin.delete(&path(&second)).await.status, 204);
    admin.delete(&path(&second)).await.refused("not_found");
    for (method, body) in [("GET", None), ("POST", Some(json!({"title": "A"})))] {
        app.anonymous(method, "/api/tasks", body).await.refused("not_signed_in");
    }
}

#[tokio::test]
async fn records_are_not_found_by_another_tenant() {
    let app = TestApp::new().await;
    let ours = app.acme(Role::Owner).await;
    let theirs = app.other(Role::Owner).await;
    let task = make(&ours, json!({"title": "secret"})).await;
    theirs.get(&path(&task)).await.refused("not_found");
    theirs.patch(&path(&task), json!({"title": "mine"})).await.refused("not_found");
    theirs.delete(&path(&task)).await.refused("not_found");
    assert_eq!(list(&theirs, "").await["total"], 0);
    assert_eq!(list(&theirs, "q=secret").await["total"], 0);
    assert_eq!(ours.get(&path(&task)).await.expect(200)["title"], "secret");
}

#[tokio::test]
async fn counters_follow_changes() {
    let app = TestApp::new().await;
    let member = app.acme(Role::Admin).await;
    let due = json!({"title": "a", "dueDate": "2026-11-23", "assigneeId": member.id});
    let first = make(&member, due.clone()).await;
    let second = make(&member, due).await;
    make(&member, json!({"title": "s", "type": "section"})).await;
    member.patch(&path(&first), json!({"completed": true})).await.expect(200);
    member.patch(&path(&second), json!({"dueDate": "2026-11-24"})).await.expect(200);
    let gone = make(&member, json!({"title": "gone"})).await;
    member.delete(&path(&gone)).await;
    let snapshot = app.app.store().snapshot().unwrap();
    let figures = snapshot.tenant(app.acme.id, None).counters_under("tasks/").unwrap();
    let open_by = format!("tasks/open_by/{}", member.id);
    let figures: Vec<(&str, i64)> = figures.iter().map(|(name, count)| (name.as_str(), *count)).collect();
    assert_eq!(
        figures,
        [
            ("tasks/done", 1),
            ("tasks/due/2026-11-24", 1),
            ("tasks/due_month/2026-11", 1),
            ("tasks/due_year/2026", 1),
            ("tasks/open", 1),
            (open_by.as_str(), 1),
            ("tasks/sections", 1),
        ]
    );
}

#[tokio::test]
async fn new_items_go_last_even_after_the_largest_order() {
    let app = TestApp::new().await;
    let member = app.acme(Role::Member).await;
    member.post("/api/tasks", json!({"title": "last", "order": 1e12})).await.expect(201);
    for title in ["behind", "behind that"] {
        member.post("/api/tasks", json!({"title": title})).await.expect(201);
    }
    let all = member.get("/api/tasks").await.expect(200);
    let titles: Vec<&str> = all["items"].as_array().unwrap().iter().filter_map(|task| task["title"].as_str()).collect();
    assert_eq!(titles, ["last", "behind", "behind that"]);
}

/// Traces of hidden data: the answer to a reader is the same whatever happens to tasks that they may not see.
#[tokio::test]
async fn list_does_not_change_with_hidden_tasks() {
    let app = TestApp::new().await;
    let ada = app.acme(Role::Member).await;
    let ben = app.hire("ben", Role::Member).await;
    let secret = json!({"title": "Secret", "visibility": {"to": "me"}});
    let deal = ada.post("/api/deals", secret).await.expect(201)["id"].clone();
    let add = async |body: Value| ada.post("/api/tasks", body).await.expect(201)["id"].as_str().unwrap().to_owned();
    for title in ["One", "Two", "Three"] {
        add(json!({"title": title})).await;
    }
    add(json!({"title": "Hidden", "dealId": deal})).await;
    let lists = ["?limit=1", "?limit=1&completed=false", "?limit=1&sort=-title", "?limit=200", "?limit=1&q=one"];
    let read = async || {
        let mut found = Vec::new();
        for list in lists {
            let got = ben.get(&format!("/api/tasks{list}")).await;
            found.push((got.headers.get("etag").cloned(), got.expect(200)));
        }
        found
    };
    let before = read().await;
    assert_eq!(before[0].1["total"], 3);
    let hidden = add(json!({"title": "Hidden, too", "dealId": deal})).await;
    assert_eq!(read().await, before, "after one was created");
    ada.patch(&format!("/api/tasks/{hidden}"), json!({"title": "Changed"})).await.expect(200);
    assert_eq!(read().await, before, "after it was changed");
    ada.delete(&format!("/api/tasks/{hidden}")).await.expect(204);
    assert_eq!(read().await, before, "after it was removed");
}

// The kind of fault: a heading becomes a task on the way through a file.
#[tokio::test]
async fn files_have_no_sections() {
    let app = TestApp::new().await;
    let member = app.acme(Role::Member).await;
    let task = make(&member, json!({"title": "Task"})).await;
    make(&member, json!({"title": "Section", "type": "section"})).await;
    let snapshot = app.app.store().snapshot().unwrap();
    let reader = Reader { id: member.id, role: Role::Member };
    let exchange = find_kind(Task::KIND).unwrap().exchange.unwrap();
    let ids = (exchange.ids)(&snapshot.tenant(app.acme.id, None), reader, 10).unwrap();
    assert_eq!(ids.iter().map(ToString::to_string).collect::<Vec<_>>(), [task["id"].as_str().unwrap()]);
    let csv = member.export("kind=tasks").await;
    assert!(!String::from_utf8(csv.bytes).unwrap().contains("Section"));
}
