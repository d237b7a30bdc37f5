//! The bin over HTTP.

use std::ops::ControlFlow;

use serde_json::{Value, json};

use crate::{
    features::{TABLES, customers::Customer, deals::Deal, operator, records::bin, tasks::Task},
    kernel::progress::Progress,
    people::permission::Role,
    store::{Actor, Fault, TenantWrite},
    testing::{As, TestApp, kinds_with_parts, list_path, new_record},
};

/// Slightly more than 30 days, in milliseconds.
const EXPIRY: i64 = 30 * 24 * 3_600_000 + 1;

/// Path and body of a new record of each kind.
fn records() -> impl Iterator<Item = (String, Value)> {
    kinds_with_parts().map(|kind| {
        let mut body = new_record(kind, "Kanarium");
        match kind.kind {
            "task" => body["dueDate"] = json!("2026-11-23"),
            "page" => (body["status"], body["body"]) = (json!("published"), json!("<p>Words</p>")),
            _ => {}
        }
        if kind.bulk.is_some_and(|bulk| bulk.fields.contains(&"tags")) {
            body["tags"] = json!(["vip"]);
        }
        (format!("/api/{}", kind.name), body)
    })
}

async fn create(member: &As, path: &str, body: Value) -> String {
    let made = member.post(path, body).await.expect(201);
    format!("{path}/{}", made["id"].as_str().unwrap())
}

fn id_of(path: &str) -> &str {
    path.rsplit('/').next().unwrap()
}

/// The titles in the bin that the member sees.
async fn binned(member: &As) -> Vec<String> {
    let list = member.get("/api/bin").await.expect(200);
    let items = list["items"].as_array().unwrap();
    assert_eq!(list["total"], items.len(), "all are on the first page");
    items.iter().map(|item| item["title"].as_str().unwrap().to_owned()).collect()
}

/// What is derived from the records: figures, and what a search finds.
async fn derived(member: &As) -> Value {
    let figures = member.get("/api/dashboards/analytics").await.expect(200);
    let mut totals = Vec::new();
    for list in
        kinds_with_parts().map(list_path).chain(["/api/customers?tag=vip", "/api/tasks?tag=vip"].map(str::to_owned))
    {
        totals.push(member.get(&list).await.expect(200)["total"].clone());
    }
    let mut found = member.post("/api/common/search", json!({"query": "kanarium"})).await.expect(200);
    found.as_array_mut().unwrap().retain(|set| set["id"] != "chat");
    json!([figures["customers"], totals, found])
}

#[tokio::test]
async fn removed_record_of_every_kind_is_gone_until_it_is_restored() {
    let app = TestApp::new().await;
    let member = app.acme(Role::Member).await;
    for (path, body) in records() {
        let record = create(&member, &path, body).await;
        let before = member.get(&record).await.expect(200);
        let derived_before = derived(&member).await;
        member.delete(&record).await.expect(204);
        member.get(&record).await.refused("record_in_bin");
        member.delete(&record).await.refused("not_found");
        let list = member.get("/api/bin").await.expect(200);
        let title = before.get("name").unwrap_or(&before["title"]);
        assert_eq!((&list["items"][0]["title"], &list["items"][0]["removedBy"]), (title, &json!(member.id)), "{path}");
        assert_ne!(derived(&member).await, derived_before, "{path}");

        let restore = format!("/api/bin/{}/restore", id_of(&record));
        let restored = member.post(&restore, json!({})).await.expect(200);
        assert_eq!((&restored["id"], &restored["kind"]), (&before["id"], &list["items"][0]["kind"]));
        let mut after = member.get(&record).await.expect(200);
        assert_eq!(
            after["version"],
            before["version"].as_u64().unwrap() + 1,
            "{path}: a client with the old one notices"
        );
        for own in ["version", "updatedAt"] {
            after[own] = before[own].clone();
        }
        assert_eq!(after, before, "{path}");
        assert_eq!(derived(&member).await, derived_before, "{path}");
        assert_eq!(binned(&member).await, [""; 0]);
        member.post(&restore, json!({})).await.refused("not_found");
    }
}

#[tokio::test]
async fn members_restore_what_they_removed_and_administrators_anything() {
    let app = TestApp::new().await;
    let admin = app.acme(Role::Admin).await;
    let ada = app.acme(Role::Member).await;
    let viewer = app.acme(Role::Viewer).await;
    let hers = create(&ada, "/api/tasks", json!({"title": "Hers"})).await;
    let removed_by_admin = create(&ada, "/api/tasks", json!({"title": "Removed by an administrator"})).await;
    ada.delete(&hers).await.expect(204);
    app.clock.advance(1);
    admin.delete(&removed_by_admin).await.expect(204);

    assert_eq!(binned(&ada).await, ["Hers"]);
    assert_eq!(binned(&viewer).await, [""; 0]);
    assert_eq!(binned(&admin).await, ["Removed by an administrator", "Hers"], "the last removed one comes first");
    let restore = |record: &str| format!("/api/bin/{}/restore", id_of(record));
    ada.post(&restore(&removed_by_admin), json!({})).await.refused("not_found");
    viewer.post(&restore(&hers), json!({})).await.refused("not_found");
    ada.delete(&format!("/api/bin/{}", id_of(&hers))).await.refused("forbidden");
    ada.delete("/api/bin").await.refused("forbidden");
    admin.post(&restore(&hers), json!({})).await.expect(200);
    ada.get(&hers).await.expect(200);
    assert_eq!(binned(&ada).await, [""; 0]);
}

#[tokio::test]
async fn the_address_of_a_record_in_the_bin_names_the_bin_to_those_who_see_it_there() {
    let app = TestApp::new().await;
    let admin = app.acme(Role::Admin).await;
    let ada = app.acme(Role::Member).await;
    let colleagues = [app.hire("ben", Role::Member).await, app.acme(Role::Viewer).await, app.other(Role::Owner).await];
    for (path, body) in records() {
        let record = create(&ada, &path, body).await;
        ada.delete(&record).await.expect(204);
        let removed_at = &ada.get("/api/bin").await.expect(200)["items"][0]["removedAt"];
        for one in [&ada, &admin] {
            let answer = one.get(&record).await;
            assert_eq!((answer.status, &answer.body["error"]["deletedAt"]), (404, removed_at), "{path}");
            answer.refused("record_in_bin");
        }
        // All others get what they get of a record that never was.
        let random = "019a9c3e-7b1f-7c52-9b0e-3d0c5a7f1e20";
        for one in &colleagues {
            let answer = one.get(&record).await.comparable(id_of(&record));
            assert_eq!(answer, one.get(&format!("{path}/{random}")).await.comparable(random), "{path}");
            assert!(answer.1.contains("not_found"), "{path}: {answer:?}");
        }
        // Nor is it in the bin at the address of another kind, nor once it is gone for good.
        let elsewhere = if path.ends_with("tasks") { "pages" } else { "tasks" };
        admin.get(&format!("/api/{elsewhere}/{}", id_of(&record))).await.refused("not_found");
        admin.delete(&format!("/api/bin/{}", id_of(&record))).await.expect(204);
        admin.get(&record).await.refused("not_found");
    }
}

#[tokio::test]
async fn a_private_page_in_the_bin_is_not_found_by_colleagues_who_could_not_read_it() {
    let app = TestApp::new().await;
    let ada = app.acme(Role::Member).await;
    let ben = app.hire("ben", Role::Member).await;
    let page = create(&ada, "/api/pages", json!({"title": "Mine", "visibility": {"to": "me"}})).await;
    ada.delete(&page).await.expect(204);
    ben.get(&page).await.refused("not_found");
    ada.get(&page).await.refused("record_in_bin");
}

#[tokio::test]
async fn the_bin_is_searched_by_title_and_filtered_by_kind_and_remover() {
    let app = TestApp::new().await;
    let admin = app.acme(Role::Admin).await;
    let ada = app.acme(Role::Member).await;
    for (member, path, body) in [
        (&admin, "/api/tasks", json!({"title": "Call José"})),
        (&ada, "/api/tasks", json!({"title": "Renew 100% of it"})),
        (&ada, "/api/customers", json!({"name": "José Núñez"})),
        (&ada, "/api/tasks", json!({"title": "Call Ana"})),
    ] {
        let record = create(member, path, body).await;
        member.delete(&record).await.expect(204);
        app.clock.advance(1);
    }
    let found = async |member: &As, query: &str| {
        let list = member.get(&format!("/api/bin?{query}")).await.expect(200);
        let titles = list["items"].as_array().unwrap().iter().map(|item| item["title"].as_str().unwrap().to_owned());
        (list["total"].as_u64().unwrap(), titles.collect::<Vec<_>>().join(", "))
    };
    let text = |titles: &str| titles.to_owned();
    assert_eq!(found(&admin, "q=jose").await, (2, text("José Núñez, Call José")));
    assert_eq!(found(&admin, "q=JOS%C3%89%20call").await, (1, text("Call José")));
    assert_eq!(found(&admin, "q=%25").await, (1, text("Renew 100% of it")), "punctuation is text");
    assert_eq!(found(&admin, "q=nothing").await, (0, text("")));
    assert_eq!(found(&admin, "kind=customer").await, (1, text("José Núñez")));
    assert_eq!(found(&admin, &format!("removedBy={}", admin.id)).await, (1, text("Call José")));
    let all = format!("q=call&kind=task&removedBy={}", ada.id);
    assert_eq!(found(&admin, &all).await, (1, text("Call Ana")));
    assert_eq!(found(&ada, "q=call").await, (1, text("Call Ana")), "members find what they removed");
    assert_eq!(found(&ada, &format!("removedBy={}", admin.id)).await, (0, text("")));

    let first = admin.get("/api/bin?q=call&limit=1").await.expect(200);
    assert_eq!((&first["total"], &first["items"][0]["title"]), (&json!(2), &json!("Call Ana")));
    let next = first["nextCursor"].as_str().unwrap();
    assert_eq!(found(&admin, &format!("q=call&limit=1&cursor={next}")).await, (2, text("Call José")));
}

#[tokio::test]
async fn records_leave_the_bin_for_good_after_30_days_or_when_an_administrator_purges_them() {
    let app = TestApp::new().await;
    let admin = app.acme(Role::Admin).await;
    let mut paths = Vec::new();
    for title in ["Old", "Purged", "Emptied", "Late"] {
        paths.push(create(&admin, "/api/tasks", json!({"title": title})).await);
    }
    let purge = || bin::PURGE.run(app.app.store(), || std::future::ready(()));
    admin.delete(&paths[0]).await.expect(204);
    app.clock.advance(EXPIRY);
    let admin = app.acme(Role::Admin).await;
    admin.delete(&paths[1]).await.expect(204);
    assert_eq!(purge().await.unwrap(), 1);
    assert_eq!(binned(&admin).await, ["Purged"], "only the one that was removed 30 days ago is gone");
    admin.delete(&format!("/api/bin/{}", id_of(&paths[1]))).await.expect(204);
    admin.delete(&paths[2]).await.expect(204);
    admin.delete("/api/bin").await.expect(204);
    assert_eq!(binned(&admin).await, [""; 0]);
    for gone in &paths[..3] {
        admin.post(&format!("/api/bin/{}/restore", id_of(gone)), json!({})).await.refused("not_found");
    }
    admin.get(&paths[3]).await.expect(200);
    assert_eq!(purge().await.unwrap(), 0);
}

#[tokio::test]
async fn links_to_a_record_stay_while_it_is_in_the_bin_and_are_cleared_with_it() {
    let app = TestApp::new().await;
    let admin = app.acme(Role::Admin).await;
    let customer = create(&admin, "/api/customers", json!({"name": "Kanarium"})).await;
    let mut tasks = Vec::new();
    for number in 0..250 {
        let task = json!({"title": format!("Task {number}"), "customerId": id_of(&customer)});
        tasks.push(create(&admin, "/api/tasks", task).await);
    }
    let day = "2026-11-23";
    let attendees = json!([{"customerId": id_of(&customer)}, {"memberId": admin.id}]);
    let event = json!({"title": "Meet", "allDay": true, "startDate": day, "endDate": day, "attendees": attendees});
    let event = create(&admin, "/api/events", event).await;
    let linked = async || {
        let list = admin.get(&format!("/api/tasks?customerId={}", id_of(&customer))).await.expect(200);
        list["total"].as_u64().unwrap()
    };
    admin.delete(&customer).await.expect(204);
    assert_eq!(linked().await, 250);
    admin.post(&format!("/api/bin/{}/restore", id_of(&customer)), json!({})).await.expect(200);
    assert_eq!(linked().await, 250);
    admin.delete(&customer).await.expect(204);
    admin.delete(&format!("/api/bin/{}", id_of(&customer))).await.expect(204);
    assert_eq!(linked().await, 0);
    assert_eq!(admin.get(&tasks[0]).await.expect(200).get("customerId"), None);
    assert_eq!(admin.get(&event).await.expect(200)["attendees"], json!([{"memberId": admin.id}]));
}

#[tokio::test]
async fn subpages_return_to_a_restored_page_unless_they_were_moved_since() {
    let app = TestApp::new().await;
    let member = app.acme(Role::Member).await;
    let page = async |title: &str, parent: Option<&str>| {
        let body = json!({"title": title, "status": "published", "parentId": parent.map(id_of)});
        create(&member, "/api/pages", body).await
    };
    let top = page("Top", None).await;
    let shelf = page("Shelf", Some(&top)).await;
    let other = page("Other", None).await;
    let [book, moved, removed] =
        [page("Book", Some(&shelf)).await, page("Moved", Some(&shelf)).await, page("Removed", Some(&shelf)).await];
    let parent_of = async |page: &str| member.get(page).await.expect(200)["parentId"].clone();
    member.delete(&shelf).await.expect(204);
    assert_eq!(parent_of(&book).await, id_of(&top));
    member.patch(&moved, json!({"parentId": id_of(&other)})).await.expect(200);
    member.delete(&removed).await.expect(204);
    member.post(&format!("/api/bin/{}/restore", id_of(&shelf)), json!({})).await.expect(200);
    assert_eq!(parent_of(&shelf).await, id_of(&top));
    assert_eq!(parent_of(&book).await, id_of(&shelf));
    assert_eq!(parent_of(&moved).await, id_of(&other));
    // It finds the page where it was.
    member.post(&format!("/api/bin/{}/restore", id_of(&removed)), json!({})).await.expect(200);
    assert_eq!(parent_of(&removed).await, id_of(&top));
}

#[tokio::test]
async fn restored_record_is_fitted_to_what_changed_since() {
    let app = TestApp::new().await;
    let member = app.acme(Role::Member).await;
    let shelf = create(&member, "/api/pages", json!({"title": "Shelf"})).await;
    let book = create(&member, "/api/pages", json!({"title": "Book", "parentId": id_of(&shelf)})).await;
    let first = create(&member, "/api/tasks", json!({"title": "First", "order": 5})).await;
    for record in [&book, &shelf, &first] {
        member.delete(record).await.expect(204);
    }
    create(&member, "/api/tasks", json!({"title": "Second", "order": 5})).await;
    for record in [&book, &first] {
        member.post(&format!("/api/bin/{}/restore", id_of(record)), json!({})).await.expect(200);
    }
    assert_eq!(member.get(&book).await.expect(200).get("parentId"), None, "its parent is in the bin");
    assert!(member.get(&first).await.expect(200)["order"].as_f64().unwrap() > 5.0, "its place is taken");
}

/// What belongs to a record that was lost in another way than by the bin: the check said that all was sound.
#[tokio::test]
async fn parts_without_their_record_are_found_by_check_and_dropped_by_repair() {
    let app = TestApp::new().await;
    let ada = app.acme(Role::Admin).await;
    let kept = ada.post("/api/tasks", json!({"title": "Kept"})).await.expect(201)["id"].clone();
    let mut ids = Vec::new();
    for (kind, name) in [("customers", "name"), ("deals", "title"), ("tasks", "title")] {
        let id = ada.post(&format!("/api/{kind}"), json!({name: "Lost"})).await.expect(201)["id"].clone();
        let path = format!("/api/{kind}/{}", id.as_str().unwrap());
        ada.post(&format!("{path}/comments"), json!({"value": "Lost, too"})).await.expect(201);
        ada.post(&format!("{path}/links"), json!({"kind": "task", "recordId": kept})).await.expect(200);
        // In the bin and back, its parts are none without a record.
        ada.delete(&path).await.expect(204);
        app.assert_sound();
        ada.post(&format!("/api/bin/{}/restore", id.as_str().unwrap()), json!({})).await.expect(200);
        ids.push((kind, id.as_str().unwrap().parse::<uuid::Uuid>().unwrap()));
    }
    for (kind, id) in ids {
        let lose = move |tx: &TenantWrite<'_>| match kind {
            "customers" => tx.remove::<Customer>(id.into(), None).map(drop),
            "deals" => tx.remove::<Deal>(id.into(), None).map(drop),
            _ => tx.remove::<Task>(id.into(), None).map(drop),
        };
        app.app.store().write(app.acme.id, Actor::System, lose).await.unwrap();
    }
    let store = app.app.store();
    let found = || {
        let report = store.check(TABLES, &mut |_| ControlFlow::Continue(())).unwrap();
        assert!(report.damage.iter().all(|damage| damage.fault == Fault::Orphaned), "{:?}", report.damage);
        report.damage.iter().map(|damage| damage.kind.clone()).collect::<Vec<_>>()
    };
    let kinds = found();
    assert_eq!(kinds.iter().filter(|kind| *kind == "comment").count(), 3, "{kinds:?}");
    assert_eq!(kinds.iter().filter(|kind| *kind == "record_link").count(), 3, "{kinds:?}");
    let progress = Progress::default();
    let repair = async |drops| operator::repair(store, app.app.files(), None, drops, true, &progress).await.unwrap();
    assert_eq!(repair(false).await.rows.len(), 6);
    assert_eq!(found().len(), 6, "nothing is dropped unless asked for");
    repair(true).await;
    assert_eq!(found(), [""; 0]);
}
