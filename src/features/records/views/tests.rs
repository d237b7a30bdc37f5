//! Saved views over HTTP.

use serde_json::{Value, json};

use crate::{
    people::permission::Role,
    testing::{As, Got, TestApp},
};

async fn save(member: &As, body: Value) -> String {
    let made = member.post("/api/views", body).await.expect(201);
    format!("/api/views/{}", made["id"].as_str().unwrap())
}

/// The names of a member's views of a kind, and the default view.
async fn views(member: &As, kind: &str) -> (Vec<String>, Option<String>) {
    let list = member.get(&format!("/api/views?kind={kind}")).await.expect(200);
    let names = list["items"].as_array().unwrap().iter().map(|view| view["name"].as_str().unwrap().to_owned());
    (names.collect(), list["defaultId"].as_str().map(|id| format!("/api/views/{id}")))
}

async fn names(member: &As, kind: &str) -> Vec<String> {
    views(member, kind).await.0
}

/// The fields that a refused request names.
fn faults(got: &Got) -> Vec<String> {
    got.refused("invalid");
    got.body["error"]["fields"].as_object().into_iter().flatten().map(|(field, _)| field.clone()).collect()
}

async fn set_default(member: &As, view: Option<&str>) -> Got {
    let id = view.map(|path| path.rsplit('/').next().unwrap());
    member.put("/api/views/default", json!({"kind": "customers", "viewId": id})).await
}

#[tokio::test]
async fn members_keep_views_and_share_them() {
    let app = TestApp::new().await;
    let ada = app.acme(Role::Member).await;
    let bob = app.acme(Role::Viewer).await;
    let other = app.other(Role::Admin).await;
    let body = json!({
        "kind": "customers",
        "name": "  My\u{0} leads ",
        "filters": ["status:is:lead", "ownerId:is:me"],
        "q": " acme ",
        "sort": "-updatedAt",
        "columns": ["name", "status"],
    });
    let own = save(&ada, body).await;
    save(&ada, json!({"kind": "tasks", "name": "Mine", "filters": ["assigneeId:is:me"]})).await;
    let list = ada.get("/api/views?kind=customers").await.expect(200);
    let read = &list["items"][0];
    assert_eq!((&read["name"], &read["q"], &read["createdBy"]), (&json!("My leads"), &json!("acme"), &json!(ada.id)));
    assert_eq!(
        (&read["filters"], &read["sort"], &read["columns"], &read["shared"]),
        (&json!(["status:is:lead", "ownerId:is:me"]), &json!("-updatedAt"), &json!(["name", "status"]), &json!(false))
    );
    // Others see a view only while it is shared.
    assert_eq!(names(&bob, "customers").await, [""; 0]);
    bob.patch(&own, json!({"name": "Taken"})).await.refused("not_found");
    bob.delete(&own).await.refused("not_found");
    ada.patch(&own, json!({"shared": true, "name": "Leads"})).await.expect(200);
    assert_eq!(names(&bob, "customers").await, ["Leads"]);
    assert_eq!(names(&other, "customers").await, [""; 0]);
    ada.patch(&own, json!({"shared": false, "q": null})).await.expect(200);
    assert_eq!(names(&bob, "customers").await, [""; 0]);
    ada.delete(&own).await.expect(204);
    assert_eq!(names(&ada, "customers").await, [""; 0]);
    assert_eq!(names(&ada, "tasks").await, ["Mine"]);
}

#[tokio::test]
async fn only_those_who_change_records_share_views_and_administrators_manage_them() {
    let app = TestApp::new().await;
    let admin = app.acme(Role::Admin).await;
    let ada = app.acme(Role::Member).await;
    let viewer = app.acme(Role::Viewer).await;
    let hers = save(&ada, json!({"kind": "customers", "name": "Hers", "shared": true})).await;
    let private = save(&ada, json!({"kind": "customers", "name": "Private"})).await;
    let theirs = save(&admin, json!({"kind": "customers", "name": "Theirs", "shared": true})).await;
    let his = save(&viewer, json!({"kind": "customers", "name": "His"})).await;
    viewer.post("/api/views", json!({"kind": "customers", "name": "No", "shared": true})).await.refused("forbidden");
    viewer.patch(&his, json!({"shared": true})).await.refused("forbidden");
    viewer.patch(&hers, json!({"name": "Changed"})).await.refused("forbidden");
    ada.patch(&theirs, json!({"name": "Changed"})).await.refused("forbidden");
    ada.delete(&theirs).await.refused("forbidden");
    admin.patch(&private, json!({"name": "Changed"})).await.refused("not_found");
    // An administrator changes what is shared, but does not take it from the company's lists into their own.
    admin.patch(&hers, json!({"shared": false})).await.refused("forbidden");
    admin.patch(&hers, json!({"name": "Ours"})).await.expect(200);
    assert_eq!(names(&viewer, "customers").await, ["His", "Ours", "Theirs"]);
    admin.delete(&hers).await.expect(204);
    assert_eq!(names(&ada, "customers").await, ["Private", "Theirs"]);
}

#[tokio::test]
async fn each_member_chooses_the_view_with_which_a_list_opens() {
    let app = TestApp::new().await;
    let ada = app.acme(Role::Member).await;
    let bob = app.acme(Role::Viewer).await;
    let shared = save(&ada, json!({"kind": "customers", "name": "Shared", "shared": true})).await;
    let own = save(&ada, json!({"kind": "customers", "name": "Own"})).await;
    let of_tasks = save(&ada, json!({"kind": "tasks", "name": "Tasks", "shared": true})).await;
    set_default(&ada, Some(&own)).await.expect(204);
    set_default(&bob, Some(&shared)).await.expect(204);
    assert_eq!(views(&ada, "customers").await.1, Some(own.clone()));
    assert_eq!(views(&bob, "customers").await.1, Some(shared.clone()));
    assert_eq!(views(&ada, "tasks").await.1, None);
    assert_eq!(faults(&set_default(&bob, Some(&own)).await), ["viewId"]);
    assert_eq!(faults(&set_default(&bob, Some(&of_tasks)).await), ["viewId"]);
    // A view that a member no longer sees is not their default.
    ada.patch(&shared, json!({"shared": false})).await.expect(200);
    assert_eq!(views(&bob, "customers").await, (vec![], None));
    ada.delete(&own).await.expect(204);
    assert_eq!(views(&ada, "customers").await.1, None);
    set_default(&ada, Some(&shared)).await.expect(204);
    set_default(&ada, None).await.expect(204);
    assert_eq!(views(&ada, "customers").await.1, None);
}

/// The kind of fault: a list is refused because its saved view names a choice that was removed since. Neighbours: choices of
/// custom fields, statuses and stages, one of several choices, "is not", and changing the view.
#[tokio::test]
async fn a_view_opens_and_is_changed_with_a_choice_that_was_removed() {
    let app = TestApp::new().await;
    let admin = app.acme(Role::Admin).await;
    let choices = json!([{"key": "small", "name": "Small"}, {"key": "large", "name": "Large"}]);
    let field = json!({"kind": "customers", "name": "Size", "type": "choice", "choices": choices});
    let field = admin.post("/api/fields", field).await.expect(201)["id"].as_str().unwrap().to_owned();
    for (name, size) in [("Pear", "small"), ("Quince", "large")] {
        admin.post("/api/customers", json!({"name": name, "fields": {"size": size}})).await.expect(201);
    }
    let filters = json!(["fields.size:is:large", "status:not:inactive"]);
    let view = save(&admin, json!({"kind": "customers", "name": "Large", "filters": filters})).await;
    let total = async |filters: &[&str]| {
        let query = filters.iter().map(|filter| format!("filter={filter}")).collect::<Vec<_>>().join("&");
        admin.get(&format!("/api/customers?{query}&limit=1")).await.expect(200)["total"].as_u64().unwrap()
    };
    assert_eq!(total(&["fields.size:is:large", "status:not:inactive"]).await, 1);

    let small = json!({"choices": [{"key": "small", "name": "Small"}]});
    admin.patch(&format!("/api/fields/{field}"), small).await.expect(200);
    let statuses = json!([
        {"id": "lead", "name": "Lead", "color": "blue"},
        {"id": "active", "name": "Active", "color": "gray"},
    ]);
    admin.patch("/api/customers/statuses", json!({"statuses": statuses})).await.expect(200);
    let cases: [(&[&str], u64); 7] = [
        (&["fields.size:is:large", "status:not:inactive"], 0),
        (&["fields.size:is:large,small"], 1),
        (&["fields.size:not:large"], 2),
        (&["fields.size:not:large,small"], 1),
        (&["status:is:inactive"], 0),
        (&["status:is:inactive,lead"], 2),
        (&["status:not:inactive"], 2),
    ];
    for (filters, expected) in cases {
        assert_eq!(total(filters).await, expected, "{filters:?}");
    }
    assert_eq!(admin.get("/api/deals?filter=stageId:is:removed").await.expect(200)["total"], 0);
    let more = json!({"filters": ["fields.size:is:large", "status:not:inactive", "name:set"]});
    admin.patch(&view, more).await.expect(200);
}

#[tokio::test]
async fn views_are_checked_and_bounded() {
    let app = TestApp::new().await;
    let admin = app.acme(Role::Admin).await;
    let ada = app.acme(Role::Member).await;
    let with = |field: &str, value: Value| {
        let mut body = json!({"kind": "customers", "name": "Leads"});
        body[field] = value;
        body
    };
    for (field, value, fault) in [
        ("name", json!(" "), "name"),
        ("name", json!("x".repeat(101)), "name"),
        ("q", json!("x".repeat(257)), "q"),
        ("sort", json!("nothing"), "sort"),
        ("filters", json!(["status:is:lead", "nothing:is:x"]), "filters.1"),
        ("filters", json!(vec!["status:is:lead"; 13]), "filters"),
        // The kind of fault: what many members may store is read in one response, and beyond 16 MiB that is refused for ever.
        ("filters", json!(vec![format!("name:is:{}", "x".repeat(4_900)); 5]), "filters"),
        ("filters", json!(vec![format!("name:contains:{}", "\"".repeat(1_800)); 12]), "filters"),
        ("columns", json!(["name", "nothing"]), "columns.1"),
        ("columns", json!(["name", "name"]), "columns.1"),
        ("columns", json!(vec!["name"; 101]), "columns"),
    ] {
        assert_eq!(faults(&ada.post("/api/views", with(field, value)).await), [fault]);
    }
    let long = with("filters", json!(vec![format!("name:is:{}", "é".repeat(2_400)); 4]));
    ada.delete(&save(&ada, long).await).await.expect(204);
    // A view keeps a column that was deleted since; only what is new is checked.
    let field = admin.post("/api/fields", json!({"kind": "customers", "name": "Size", "type": "number"})).await;
    let field = field.expect(201)["id"].as_str().unwrap().to_owned();
    let sized = json!({"kind": "customers", "name": "Big", "filters": ["fields.size:gte:5"], "columns": ["name"]});
    let sized = save(&ada, sized).await;
    admin.delete(&format!("/api/fields/{field}")).await.expect(204);
    ada.patch(&sized, json!({"name": "Bigger"})).await.expect(200);
    let again = json!({"filters": ["fields.size:gte:6"]});
    assert_eq!(faults(&ada.patch(&sized, again).await), ["filters.0"]);
    // The member has one view of customers so far.
    for n in 1..100 {
        save(&ada, with("name", json!(format!("View {n}")))).await;
    }
    let one_more = ada.post("/api/views", with("name", json!("One more"))).await;
    one_more.refused("conflict");
    save(&ada, json!({"kind": "tasks", "name": "Of another kind"})).await;
    save(&admin, json!({"kind": "customers", "name": "Of another member"})).await;
}
