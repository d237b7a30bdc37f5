//! The audit log API over HTTP.

use serde_json::{Value, json};

use crate::{
    people::{audit::Entry, permission::Role},
    store::Actor,
    testing::{As, PASSWORD, TestApp},
};

async fn read(caller: &As, query: &str) -> Vec<Value> {
    caller.get(&format!("/api/audit{query}")).await.expect(200)["items"].as_array().unwrap().clone()
}

fn events(entries: &[Value]) -> Vec<&str> {
    entries.iter().map(|entry| entry["event"].as_str().unwrap()).collect()
}

fn facts(entry: &Value) -> Vec<(&str, &str)> {
    let facts = entry["facts"].as_array().unwrap().iter();
    facts.map(|fact| (fact["name"].as_str().unwrap(), fact["value"].as_str().unwrap())).collect()
}

#[tokio::test]
async fn member_and_settings_changes_are_logged_with_actor_and_address() {
    let app = TestApp::new().await;
    let admin = app.acme(Role::Admin).await;
    let viewer = app.acme(Role::Viewer).await;
    let path = format!("/api/team/{}", viewer.id);
    let new = json!({"name": "Ben", "email": "ben@acme.example", "role": "viewer", "password": PASSWORD});
    admin.post("/api/team", new).await.expect(201);
    admin.patch(&path, json!({"role": "member"})).await.expect(200);
    admin.patch(&path, json!({"title": "Cook", "phone": "555"})).await.expect(200);
    admin.patch(&path, json!({"title": "Cook"})).await.expect(200);
    admin.patch(&path, json!({"state": "suspended"})).await.expect(200);
    admin.patch(&path, json!({"state": "active"})).await.expect(200);
    admin.delete(&path).await.expect(204);
    let rules = json!({"name": "Acme & Sons", "supportLink": "/docs", "secondFactor": {"required": true}});
    admin.patch("/api/settings/company", rules).await.expect(200);

    let entries: Vec<Value> = read(&admin, "?event=member").await;
    let expected =
        ["member.removed", "member.reactivated", "member.suspended", "member.changed", "member.role", "member.added"];
    assert_eq!(events(&entries), expected, "the newest first, and nothing for a change that changes nothing");
    for entry in &entries {
        assert_eq!(entry["actor"]["id"], admin.id.to_string());
        assert_eq!((&entry["actor"]["name"], &entry["actor"]["former"]), (&json!("admin of acme"), &json!(false)));
        assert!(entry["address"].is_string() && entry["at"].is_string(), "{entry}");
    }
    assert_eq!(
        (&entries[0]["about"]["name"], &entries[0]["about"]["kind"]),
        (&json!("viewer of acme"), &json!("member"))
    );
    assert_eq!(facts(&entries[3]), [("fields", "title, phone")]);
    assert_eq!(facts(&entries[4]), [("was", "viewer"), ("role", "member")]);
    let company = read(&admin, "?event=company.changed").await;
    assert_eq!(facts(&company[0]), [("fields", "name, supportLink, secondFactor")]);
}

#[tokio::test]
async fn audit_log_is_filtered_by_member_event_and_time_and_paged() {
    let app = TestApp::new().await;
    let admin = app.acme(Role::Admin).await;
    let owner = app.acme(Role::Owner).await;
    let path = format!("/api/team/{}", admin.id);
    for title in ["A", "B", "C"] {
        app.clock.advance(60_000);
        owner.patch(&path, json!({"title": title})).await.expect(200);
    }
    let start = app.clock.now();
    app.clock.advance(60_000);
    admin.patch("/api/settings/company", json!({"name": "New"})).await.expect(200);

    let mine = read(&owner, &format!("?actor={}&event=company", admin.id)).await;
    assert_eq!(events(&mine), ["company.changed"]);
    assert_eq!(read(&owner, &format!("?actor={}&event=member", admin.id)).await.len(), 0);
    let concerns = read(&owner, &format!("?member={}&event=member.changed", admin.id)).await;
    assert_eq!(concerns.len(), 3, "what was done to somebody concerns them");
    assert_eq!(read(&owner, "?event=memb").await.len(), 0, "a beginning is a whole word");
    let later = read(&owner, &format!("?from={start}&event=company")).await;
    assert_eq!(events(&later), ["company.changed"]);
    let until = app.clock.now();
    assert_eq!(read(&owner, &format!("?to={start}&event=member.changed")).await.len(), 2);
    assert_eq!(read(&owner, &format!("?from={until}&to={start}")).await.len(), 0);

    // The total is that of the filter, also of a page that is shorter than the log.
    for id in [&admin.id, &owner.id] {
        let all = read(&owner, &format!("?member={id}&limit=200")).await.len();
        for limit in [1, 2] {
            let page = owner.get(&format!("/api/audit?member={id}&limit={limit}")).await.expect(200);
            assert_eq!(page["total"], all, "{limit}");
        }
    }

    let mut seen = Vec::new();
    let mut query = String::new();
    loop {
        let page = owner.get(&format!("/api/audit?event=member.changed&limit=2{query}")).await.expect(200);
        assert_eq!(page["total"], 3);
        seen.extend(page["items"].as_array().unwrap().iter().map(|entry| entry["id"].clone()));
        let Some(next) = page["nextCursor"].as_str() else { break };
        query = format!("&cursor={next}");
    }
    assert_eq!(seen.len(), 3);
    owner.get("/api/audit?limit=0").await.refused("invalid");
    owner.get("/api/audit?cursor=zz").await.refused("bad_request");
    owner.get(&format!("/api/audit?event={}", "x".repeat(61))).await.refused("invalid");
}

#[tokio::test]
async fn audit_log_names_former_members_and_requires_permission() {
    let app = TestApp::new().await;
    let admin = app.acme(Role::Admin).await;
    let owner = app.acme(Role::Owner).await;
    admin.patch("/api/settings/company", json!({"name": "New"})).await.expect(200);
    owner.delete(&format!("/api/team/{}", admin.id)).await.expect(204);
    let entry = &read(&owner, "?event=company").await[0];
    assert_eq!((&entry["actor"]["name"], &entry["actor"]["former"]), (&json!("admin of acme"), &json!(true)));
    for role in [Role::Viewer, Role::Member] {
        app.acme(role).await.get("/api/audit").await.refused("forbidden");
    }
    let strangers = read(&app.other(Role::Owner).await, "?event=company").await;
    assert!(strangers.is_empty(), "{strangers:?}");
}

#[tokio::test]
async fn audit_entries_are_not_in_the_ledger() {
    let app = TestApp::new().await;
    let admin = app.acme(Role::Admin).await;
    admin.patch("/api/settings/company", json!({"name": "Zanzibar"})).await.expect(200);
    let work =
        |tx: &crate::store::TenantWrite<'_>| tx.changes_before(u64::MAX, 50, |change| change.kind == "audit_entry");
    let (changes, _) = app.app.store().write(app.acme.id, Actor::System, work).await.unwrap();
    assert!(changes.is_empty());
    let count = app.app.store().snapshot().unwrap().tenant(app.acme.id, None).count::<Entry>().unwrap();
    assert!(count >= 1);
}
