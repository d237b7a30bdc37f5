//! Retention by status: who is due, what a run does, and what is left of people when they leave the bin.

use std::future::ready;

use serde_json::{Value, json};

use super::{create, erased, files_with_traces, person, traces};
use crate::{
    features::{
        customers::Customer,
        personal_data::{RetentionRun, apply_retention},
        records::bin,
    },
    kernel::{Id, Timestamp},
    people::{
        audit::ERASED_PERSON,
        members::Company,
        permission::{Permission, Role},
    },
    store::{Actor, Binned, TenantWrite},
    testing::{As, TestApp},
};

const DAY: i64 = 24 * 3_600_000;
const STATUSES: &str = "/api/customers/statuses";

/// Sets the clock.
fn set_clock(app: &TestApp, at: &str) {
    let at: Timestamp = at.parse().unwrap();
    app.clock.advance(at.millis() - app.clock.now().millis());
}

/// Sets the time zone of the company.
async fn set_zone(app: &TestApp, zone: &'static str) {
    let work = move |tx: &TenantWrite<'_>| {
        tx.update(Company::id(tx.tenant()), None, |company: &mut Company| {
            company.timezone = zone.to_owned();
            Ok(())
        })
    };
    app.app.store().write(app.acme.id, Actor::System, work).await.unwrap();
}

/// Sets the retention of a status, none with null.
async fn retain(admin: &As, status: &str, months: Value) -> Value {
    let mut statuses = admin.get(STATUSES).await.expect(200)["statuses"].take();
    for one in statuses.as_array_mut().unwrap() {
        one.as_object_mut().unwrap().remove("customers");
        if one["id"] == status {
            one["retentionMonths"] = months.clone();
        }
    }
    admin.patch(STATUSES, json!({"statuses": statuses})).await.expect(200)
}

/// Makes the run of a day. Returns how many people were moved.
async fn run(app: &TestApp) -> u64 {
    apply_retention(app.app.store(), || ready(())).await.unwrap()
}

/// Removes what has been in the bins for 30 days.
async fn purge(app: &TestApp) {
    bin::PURGE.run(app.app.store(), || ready(())).await.unwrap();
}

/// The names in the bin, with the months of the retention that removed them.
async fn binned(admin: &As) -> Vec<(String, Value)> {
    let list = admin.get("/api/bin").await.expect(200);
    let item = |item: &Value| (item["title"].as_str().unwrap().to_owned(), item["retentionMonths"].clone());
    let mut found: Vec<_> = list["items"].as_array().unwrap().iter().map(item).collect();
    found.sort_by(|one, other| one.0.cmp(&other.0));
    found
}

async fn customer(admin: &As, name: &str, status: &str) -> String {
    create(admin, "/api/customers", json!({"name": name, "status": status})).await
}

async fn call(admin: &As, id: &str, at: &str) {
    let body = json!({"type": "call", "at": at, "links": [{"kind": "customer", "recordId": id}], "text": "Called"});
    admin.post("/api/activities", body).await.expect(201);
}

/// Creates people of a tenant with a status.
async fn fill(app: &TestApp, status: &'static str, count: usize) {
    let work = move |tx: &TenantWrite<'_>| {
        (0..count).try_for_each(|n| {
            let name = format!("Customer {n:03}");
            tx.create(Customer { name, status: status.to_owned(), ..Customer::default() }).map(drop)
        })
    };
    app.app.store().write(app.acme.id, Actor::System, work).await.unwrap();
}

#[tokio::test]
async fn people_are_due_by_calendar_months_in_the_time_zone_of_the_company() {
    let app = TestApp::new().await;
    set_clock(&app, "2027-01-31T11:30:00Z");
    // There, it is the 31st until 11 in the morning.
    set_zone(&app, "Pacific/Honolulu").await;
    let mut admin = app.acme(Role::Admin).await;
    customer(&admin, "Ana", "inactive").await;
    customer(&admin, "Ben", "lead").await;
    retain(&admin, "inactive", json!(1)).await;
    assert_eq!(run(&app).await, 0);
    // The last day of February.
    set_clock(&app, "2027-03-01T09:59:00Z");
    assert_eq!(run(&app).await, 0);
    set_clock(&app, "2027-03-01T10:00:00Z");
    assert_eq!(run(&app).await, 1);
    admin = app.acme(Role::Admin).await;
    assert_eq!(binned(&admin).await, [("Ana".to_owned(), json!(1))]);
    assert_eq!(admin.get("/api/customers").await.expect(200)["items"][0]["name"], "Ben", "another status is kept");
    let shown = admin.get("/api/bin").await.expect(200)["items"][0].clone();
    assert_eq!((&shown["removedBy"], &shown["purgedAt"]), (&Value::Null, &json!("2027-03-31T10:00:00.000Z")));
}

#[tokio::test]
async fn contact_and_changes_put_the_day_off_and_what_follows_from_other_records_does_not() {
    let app = TestApp::new().await;
    let mut admin = app.acme(Role::Admin).await;
    retain(&admin, "inactive", json!(2)).await;
    let mut ids = Vec::new();
    for name in ["Called", "Changed", "Commented", "Left"] {
        ids.push(customer(&admin, name, "inactive").await);
    }
    let organization = create(&admin, "/api/organizations", json!({"name": "Acme"})).await;
    admin.patch(&format!("/api/customers/{}", ids[3]), json!({"organizationId": organization})).await.expect(200);
    set_clock(&app, "2027-01-10T09:00:00Z");
    admin = app.acme(Role::Admin).await;
    call(&admin, &ids[0], "2027-01-05T09:00:00Z").await;
    admin.patch(&format!("/api/customers/{}", ids[1]), json!({"about": "Moved"})).await.expect(200);
    admin.post(&format!("/api/customers/{}/comments", ids[2]), json!({"value": "Anything new?"})).await.expect(201);
    admin.patch(&format!("/api/organizations/{organization}"), json!({"name": "Acme Ltd"})).await.expect(200);

    set_clock(&app, "2027-02-01T09:00:00Z");
    assert_eq!(run(&app).await, 2);
    admin = app.acme(Role::Admin).await;
    let names: Vec<String> = binned(&admin).await.into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["Commented", "Left"]);
    // An older call changes nothing, and the later of contact and change counts.
    set_clock(&app, "2027-03-06T09:00:00Z");
    assert_eq!(run(&app).await, 1);
    admin = app.acme(Role::Admin).await;
    admin.get(&format!("/api/customers/{}", ids[0])).await.refused("record_in_bin");
    admin.get(&format!("/api/customers/{}", ids[1])).await.expect(200);
    set_clock(&app, "2027-03-11T09:00:00Z");
    assert_eq!(run(&app).await, 1);
}

#[tokio::test]
async fn who_is_restored_is_not_due_again_the_next_day() {
    let app = TestApp::new().await;
    let mut admin = app.acme(Role::Admin).await;
    retain(&admin, "inactive", json!(1)).await;
    let id = customer(&admin, "Ana", "inactive").await;
    set_clock(&app, "2027-01-10T09:00:00Z");
    assert_eq!(run(&app).await, 1);
    admin = app.acme(Role::Admin).await;
    admin.post(&format!("/api/bin/{id}/restore"), json!({})).await.expect(200);
    app.clock.advance(DAY);
    assert_eq!(run(&app).await, 0);
    // After 30 days, nothing is erased, and a removal by hand is an ordinary one.
    app.clock.advance(20 * DAY);
    assert_eq!(run(&app).await, 0);
    admin = app.acme(Role::Admin).await;
    admin.delete(&format!("/api/customers/{id}")).await.expect(204);
    assert_eq!(binned(&admin).await, [("Ana".to_owned(), Value::Null)]);
    app.clock.advance(31 * DAY);
    purge(&app).await;
    assert!(!app.audit(app.acme.id).await.contains(&"person.erased_by_retention".to_owned()));
}

#[tokio::test]
async fn a_run_that_was_interrupted_goes_on_after_a_restart_and_is_told_once() {
    let app = TestApp::new().await;
    let mut admin = app.acme(Role::Admin).await;
    retain(&admin, "inactive", json!(1)).await;
    retain(&admin, "lead", json!(24)).await;
    fill(&app, "inactive", 70).await;
    fill(&app, "lead", 5).await;
    fill(&app, "active", 5).await;
    set_clock(&app, "2027-01-10T09:00:00Z");
    {
        // It stops before the second write.
        let store = app.app.store().clone();
        let pauses = std::cell::Cell::new(0);
        let pause = || {
            pauses.set(pauses.get() + 1);
            std::future::pending::<()>()
        };
        let mut stopped = std::pin::pin!(apply_retention(&store, pause));
        std::future::poll_fn(|cx| {
            if pauses.get() > 0 {
                return std::task::Poll::Ready(());
            }
            let polled = stopped.as_mut().poll(cx);
            assert!(polled.is_pending(), "it did not pause");
            if pauses.get() > 0 { std::task::Poll::Ready(()) } else { std::task::Poll::Pending }
        })
        .await;
    }
    admin = app.acme(Role::Admin).await;
    assert_eq!(admin.get("/api/bin").await.expect(200)["total"], 25);
    let told = admin.get("/api/common/notifications").await.expect(200);
    assert!(!told.to_string().contains("/settings/data/bin"), "nothing is told before the end: {told}");
    drop(admin);
    let app = app.restart().await;
    assert_eq!(run(&app).await, 45);
    assert_eq!(run(&app).await, 0);
    admin = app.acme(Role::Admin).await;
    assert_eq!(admin.get("/api/bin").await.expect(200)["total"], 70);
    assert_eq!(admin.get("/api/customers").await.expect(200)["total"], 10);
    let log = admin.get("/api/audit?event=person.binned_by_retention").await.expect(200);
    assert_eq!((&log["total"], &log["items"][0]["actor"]["kind"]), (&json!(1), &json!("system")));
    assert_eq!(log["items"][0]["facts"], json!([{"name": "people", "value": "Inactive: 70"}]));
    // More become due on the same day: they wait for the next.
    retain(&admin, "active", json!(1)).await;
    assert_eq!(run(&app).await, 0);
    app.clock.advance(DAY);
    assert_eq!(run(&app).await, 5);
}

#[tokio::test]
async fn administrators_are_told_in_their_language_once_a_day_and_may_turn_it_off() {
    let app = TestApp::new().await;
    let admin = app.acme(Role::Admin).await;
    let owner = app.acme(Role::Owner).await;
    let member = app.acme(Role::Member).await;
    owner.patch("/api/common/user", json!({"locale": "es"})).await.expect(200);
    let muted = app.hire("Muted", Role::Admin).await;
    muted
        .patch(
            "/api/common/user/notification-preferences",
            json!({"kinds": {"retention": {"app": false, "mail": false}}}),
        )
        .await
        .expect(200);
    retain(&admin, "inactive", json!(1)).await;
    fill(&app, "inactive", 12).await;
    set_clock(&app, "2027-01-10T09:00:00Z");
    run(&app).await;
    run(&app).await;
    drop((admin, owner, member, muted));
    for (role, expected) in [
        (Role::Admin, vec!["12 people were moved to the trash because of the retention of their status"]),
        (Role::Owner, vec!["Se han movido 12 personas a la papelera por el plazo de conservación de su estado"]),
        (Role::Member, vec![]),
    ] {
        let reader = app.acme(role).await;
        let list = reader.get("/api/common/notifications").await.expect(200);
        let about: Vec<&Value> =
            list.as_array().unwrap().iter().filter(|notice| notice["link"] == "/settings/data/bin").collect();
        let titles: Vec<&str> = about.iter().map(|notice| notice["title"].as_str().unwrap()).collect();
        assert_eq!(titles, expected);
    }
    let told = app.emails(app.acme.id).await;
    let told = told.iter().filter(|(kind, to)| kind == "notification" && to.starts_with("muted")).count();
    assert_eq!(told, 0);
}

#[tokio::test]
async fn companies_have_their_own_retention() {
    let app = TestApp::new().await;
    let mut admin = app.acme(Role::Admin).await;
    let other = app.other(Role::Owner).await;
    customer(&admin, "Ana", "inactive").await;
    customer(&other, "Eve", "inactive").await;
    retain(&other, "inactive", json!(1)).await;
    app.clock.advance(60 * DAY);
    assert_eq!(run(&app).await, 1);
    admin = app.acme(Role::Admin).await;
    let other = app.other(Role::Owner).await;
    assert_eq!(admin.get("/api/customers").await.expect(200)["total"], 1);
    assert_eq!(binned(&admin).await, []);
    assert_eq!(binned(&other).await, [("Eve".to_owned(), json!(1))]);
    assert!(!app.audit(app.acme.id).await.contains(&"person.binned_by_retention".to_owned()));
    let snapshot = app.app.store().snapshot().unwrap();
    assert_eq!(
        snapshot.tenant(app.acme.id, None).count::<RetentionRun>().unwrap(),
        0,
        "nothing is written without one"
    );
}

#[tokio::test]
async fn nothing_of_a_person_is_left_when_the_retention_has_ended() {
    let app = TestApp::new().await;
    let id = person(&app).await;
    let mut admin = app.acme(Role::Admin).await;
    retain(&admin, "inactive", json!(24)).await;
    set_clock(&app, "2028-12-01T09:00:00Z");
    assert_eq!(run(&app).await, 1);
    admin = app.acme(Role::Admin).await;
    admin.get(&format!("/api/customers/{id}")).await.refused("record_in_bin");
    app.clock.advance(31 * DAY);
    purge(&app).await;
    erased(&app).await;
    admin = app.acme(Role::Admin).await;
    let log = admin.get("/api/audit?event=person.erased_by_retention").await.expect(200);
    assert_eq!((&log["total"], &log["items"][0]["about"]["name"]), (&json!(1), &json!(ERASED_PERSON)));
    let tasks = admin.get("/api/tasks").await.expect(200);
    assert_eq!((&tasks["items"][0]["title"], tasks["items"][0].get("customerId")), (&json!("Call back"), None));
    drop(admin);
    app.app.files().collect_garbage(|| ready(())).await.unwrap();
    // The one who was merged into them was purged before: the change feed has that name until it is trimmed.
    let before = app.clock.now().plus_millis(-90 * DAY);
    while app.app.store().trim_ledger(before, u64::MAX).await.unwrap() > 0 {}
    assert_eq!(files_with_traces(&app.app.config().data_dir.join("files")), 0);
    assert_eq!(traces(&app.into_rows().await), [""; 0]);
}

#[tokio::test]
async fn emptying_the_bin_and_purging_by_hand_erase_whom_the_retention_removed() {
    let app = TestApp::new().await;
    let mut admin = app.acme(Role::Admin).await;
    retain(&admin, "inactive", json!(1)).await;
    let rare = customer(&admin, "Zyxwolda", "inactive").await;
    let other = customer(&admin, "Quandrax", "inactive").await;
    // It names them in the audit log.
    admin.get(&format!("/api/customers/{rare}/personal-data")).await.expect(200);
    admin.get(&format!("/api/customers/{other}/personal-data")).await.expect(200);
    set_clock(&app, "2027-01-10T09:00:00Z");
    assert_eq!(run(&app).await, 2);
    admin = app.acme(Role::Admin).await;
    admin.delete(&format!("/api/bin/{rare}")).await.expect(204);
    assert_eq!(binned(&admin).await, [("Quandrax".to_owned(), json!(1))]);
    admin.delete("/api/bin").await.expect(204);
    assert_eq!(binned(&admin).await, []);
    erased(&app).await;
    let log = admin.get("/api/audit?event=person").await.expect(200);
    let events: Vec<&Value> = log["items"].as_array().unwrap().iter().map(|entry| &entry["event"]).collect();
    assert_eq!(
        events,
        [
            "person.erased_by_retention",
            "person.erased_by_retention",
            "person.binned_by_retention",
            "person.exported",
            "person.exported"
        ]
    );
    assert_eq!(log["items"][0]["actor"]["id"], json!(admin.id));
    drop(admin);
    assert_eq!(traces(&app.into_rows().await), [""; 0]);
}

#[tokio::test]
async fn a_damaged_person_in_the_bin_is_purged_as_any_record() {
    let app = TestApp::new().await;
    let admin = app.acme(Role::Admin).await;
    let id: Id<Binned> = customer(&admin, "Ana", "inactive").await.parse().unwrap();
    admin.delete(&format!("/api/customers/{id}")).await.expect(204);
    let work = move |tx: &TenantWrite<'_>| {
        tx.mark_retention(id, 1)?;
        tx.rewrite(&tx.get::<Binned>(id)?, Binned::spoil)
    };
    app.app.store().write(app.acme.id, Actor::System, work).await.unwrap();
    app.clock.advance(31 * DAY);
    purge(&app).await;
    let snapshot = app.app.store().snapshot().unwrap();
    assert_eq!(snapshot.tenant(app.acme.id, None).count::<Binned>().unwrap(), 0);
}

#[tokio::test]
async fn retentions_are_validated_shown_to_all_changed_by_administrators_and_in_the_audit_log() {
    let app = TestApp::new().await;
    let admin = app.acme(Role::Admin).await;
    let changed = retain(&admin, "inactive", json!(24)).await;
    assert_eq!(changed["statuses"][2]["retentionMonths"], 24);
    assert_eq!(changed["statuses"][0].get("retentionMonths"), None);
    let viewer = app.acme(Role::Viewer).await;
    assert_eq!(viewer.get(STATUSES).await.expect(200)["statuses"][2]["retentionMonths"], 24);
    for role in [Role::Viewer, Role::Member] {
        let caller = app.acme(role).await;
        let body = json!({"statuses": [{"id": "lead", "name": "Lead", "color": "blue", "retentionMonths": 1}]});
        caller.patch(STATUSES, body).await.refused("forbidden");
        caller.get("/api/customers/retention?status=lead&months=1").await.refused("forbidden");
    }
    for months in [json!(0), json!(241), json!(65_535)] {
        let body = json!({"statuses": [{"id": "lead", "name": "Lead", "color": "blue", "retentionMonths": months}]});
        let got = admin.patch(STATUSES, body).await;
        got.refused("invalid");
        assert_eq!(got.body["error"]["reasons"], json!({"statuses.0.retentionMonths": "range"}));
    }
    retain(&admin, "inactive", json!(12)).await;
    retain(&admin, "inactive", json!(12)).await;
    retain(&admin, "inactive", Value::Null).await;
    let log = admin.get("/api/audit?event=customer_statuses.retention").await.expect(200);
    let facts: Vec<Vec<&str>> = log["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| entry["facts"].as_array().unwrap().iter().map(|fact| fact["value"].as_str().unwrap()).collect())
        .collect();
    assert_eq!(facts, [["Inactive", "12", "0"], ["Inactive", "24", "12"], ["Inactive", "0", "24"]]);
    assert!(Role::Admin.has(Permission::SettingsCompany));
}

#[tokio::test]
async fn a_preview_counts_who_is_due() {
    let app = TestApp::new().await;
    let mut admin = app.acme(Role::Admin).await;
    fill(&app, "inactive", 60).await;
    fill(&app, "active", 10).await;
    let called = customer(&admin, "Ana", "inactive").await;
    app.clock.advance(100 * DAY);
    admin = app.acme(Role::Admin).await;
    call(&admin, &called, "2027-02-20T09:00:00Z").await;
    customer(&admin, "Ben", "inactive").await;
    let preview = async |query: &str| admin.get(&format!("/api/customers/retention?{query}")).await;
    for (query, people) in [
        ("status=inactive&months=3", 60),
        ("status=inactive&months=4", 0),
        ("status=active&months=1", 10),
        ("status=lead&months=1", 0),
    ] {
        let got = preview(query).await.expect(200);
        assert_eq!(got, json!({"people": people, "hasMore": false}), "{query}");
    }
    for (query, field, reason) in [
        ("status=gone&months=3", "status", "unknown_choice"),
        ("status=lead&months=0", "months", "range"),
        ("status=lead&months=241", "months", "range"),
    ] {
        let got = preview(query).await;
        got.refused("invalid");
        assert_eq!(got.body["error"]["reasons"], json!({field: reason}), "{query}");
    }
    let other = app.other(Role::Owner).await;
    let got = other.get("/api/customers/retention?status=inactive&months=3").await.expect(200);
    assert_eq!(got["people"], 0);
}
