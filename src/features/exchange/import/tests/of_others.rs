//! Imports and bulk changes whose author was demoted or removed, and what administrators do with those of others.

use serde_json::{Value, json};

use super::{path, upload};
use crate::{
    features::{
        exchange::import::{Import, ImportState, RowFault, RowProblem, rules},
        find_kind,
        records::KindName,
    },
    people::permission::Role,
    store::{Actor, TenantWrite},
    testing::{As, TestApp},
};

/// A file that takes many steps.
fn long_file() -> String {
    let rows: Vec<String> = (0..3_000).map(|n| format!("Person {n},p{n}@a.example\r\n")).collect();
    format!("Name,Email\r\n{}", rows.concat())
}

async fn begin(member: &As, file: &str) -> Value {
    let plan = upload(member, "customers", "people.csv", file.as_bytes()).await;
    member.post(&format!("{}/start", path(&plan)), json!({})).await.expect(202);
    plan
}

async fn total(member: &As) -> u64 {
    loop {
        let list = member.get("/api/customers?limit=1&sort=name").await.expect(200);
        if list["partial"] != true {
            return list["total"].as_u64().unwrap();
        }
    }
}

/// Takes from a member the right to change records: by a change of their membership, or for none by removing them.
async fn take_rights(admin: &As, member: &As, patch: Value) {
    let path = format!("/api/team/{}", member.id);
    if patch.is_null() {
        admin.delete(&path).await.expect(204);
    } else {
        admin.patch(&path, patch).await.expect(200);
    }
}

/// A kind of fault: work goes on, or says that nothing was changed, after its author lost the right to do it; and no one can
/// take back what it did.
#[tokio::test]
async fn an_import_stops_with_its_author_and_administrators_undo_it() {
    let app = TestApp::new().await;
    let admin = app.acme(Role::Admin).await;
    let colleague = app.acme(Role::Member).await;
    let file = long_file();
    let patch = [json!({"role": "viewer"}), json!({"state": "suspended"}), Value::Null];
    for (name, patch) in ["ann", "bob", "cid"].into_iter().zip(patch) {
        let author = app.hire(name, Role::Member).await;
        let plan = begin(&author, &file).await;
        take_rights(&admin, &author, patch).await;
        let import = admin.import_over(&plan).await;
        assert_eq!(import["state"], "failed", "{import}");
        let fault = import["fault"].as_str().unwrap();
        assert!(fault.contains("was removed or may no longer import"), "{fault}");
        let made = import["counts"]["created"].as_u64().unwrap();
        assert_eq!((made, made < 3_000), (total(&admin).await, true));

        let listed = |list: &Value| list["items"].as_array().unwrap().iter().any(|one| one["id"] == plan["id"]);
        assert!(listed(&admin.get("/api/imports").await.expect(200)));
        assert!(!listed(&colleague.get("/api/imports").await.expect(200)));
        colleague.get(&path(&plan)).await.refused("not_found");
        for call in ["stop", "undo"] {
            colleague.post(&format!("{}/{call}", path(&plan)), json!({})).await.refused("not_found");
        }
        // Others only stop and undo it.
        for call in ["check", "start"] {
            admin.post(&format!("{}/{call}", path(&plan)), json!({})).await.refused("not_found");
        }
        admin.patch(&path(&plan), json!({"duplicates": "add"})).await.refused("not_found");
        admin.delete(&path(&plan)).await.refused("not_found");
        let found =
            admin.get(&format!("/api/customers?limit=1&filter=import:is:{}", plan["id"].as_str().unwrap())).await;
        assert_eq!(found.expect(200)["total"], made);
        admin.post(&format!("{}/undo", path(&plan)), json!({})).await.expect(202);
        let undone = admin.import_over(&plan).await;
        assert_eq!((&undone["state"], &undone["undone"]), (&json!("undone"), &json!(made)), "{undone}");
        assert_eq!(undone["undoneBy"], json!(admin.id));
        assert_eq!(total(&admin).await, 0);
    }
}

#[tokio::test]
async fn administrators_stop_imports_of_others_and_a_demoted_author_does_not_undo() {
    let app = TestApp::new().await;
    let admin = app.acme(Role::Admin).await;
    let author = app.hire("ann", Role::Member).await;
    let plan = begin(&author, &long_file()).await;
    let stopped = admin.post(&format!("{}/stop", path(&plan)), json!({})).await.expect(200);
    assert_eq!(stopped["state"], "stopped");
    admin.patch(&format!("/api/team/{}", author.id), json!({"role": "viewer"})).await.expect(200);
    author.post(&format!("{}/undo", path(&plan)), json!({})).await.refused("forbidden");
    admin.post(&format!("{}/undo", path(&plan)), json!({})).await.expect(202);
    assert_eq!(admin.import_over(&plan).await["state"], "undone");
}

#[tokio::test]
async fn a_bulk_change_stops_with_its_author_and_administrators_undo_it() {
    let app = TestApp::new().await;
    let admin = app.acme(Role::Admin).await;
    let names: Vec<String> = (0..1_000).map(|n| format!("Person {n}\r\n")).collect();
    admin.import("customers", &format!("Name\r\n{}", names.concat())).await;
    let patch = [json!({"role": "viewer"}), json!({"state": "suspended"}), Value::Null];
    for (name, patch) in ["ann", "bob", "cid"].into_iter().zip(patch) {
        let author = app.hire(name, Role::Member).await;
        assert_eq!(total(&author).await, 1_000);
        let bulk = json!({"kind": "customers", "addTags": [name]});
        let bulk = author.post("/api/bulk", bulk).await.expect(202);
        take_rights(&admin, &author, patch).await;
        let over = admin.bulk_over(&bulk).await;
        let changed = over["changed"].as_u64().unwrap();
        assert_eq!((&over["state"], &over["skipped"], changed < 1_000), (&json!("stopped"), &json!(0), true), "{over}");
        admin.post(&format!("/api/bulk/{}/undo", over["id"].as_str().unwrap()), json!({})).await.expect(202);
        assert_eq!(admin.bulk_over(&bulk).await["undone"], changed);
    }
}

/// The kind of fault: a response grows with what imports keep of their rows, and beyond 16 MiB it is refused for ever.
/// Neighbours: the imports of all members, pages of two, and one import that is larger than a page.
#[tokio::test]
async fn a_page_of_large_imports_ends_before_its_limit() {
    let app = TestApp::new().await;
    let member = app.acme(Role::Member).await;
    let admin = app.acme(Role::Admin).await;
    let fill = |tx: &TenantWrite<'_>| {
        for n in 0..12 {
            let value = Some("😀".repeat(if n == 5 { 1_250_000 } else { 200_000 }));
            let fault = RowFault { value, ..RowFault::at(0, "errors.fields.too_long") };
            let problems = vec![RowProblem { row: 2, fault, is_warning: false }];
            let import = Import::new(KindName::of(find_kind("customer").unwrap()), format!("{n:02}.csv"), 1);
            tx.create(Import { state: ImportState::Done, problems, ..import })?;
        }
        Ok(())
    };
    app.app.store().write(app.acme.id, Actor::Member(member.id), fill).await.unwrap();
    for (reader, limit, most) in [(&member, 200, 6), (&admin, 200, 6), (&member, 2, 2)] {
        let mut seen = Vec::new();
        let mut cursor = String::new();
        loop {
            let page = reader.get(&format!("/api/imports?limit={limit}{cursor}")).await.expect(200);
            let items = page["items"].as_array().unwrap();
            assert!((1..=most).contains(&items.len()), "{limit}: {}", items.len());
            assert_eq!(page["total"], 12);
            seen.extend(items.iter().map(|one| one["name"].as_str().unwrap().to_owned()));
            let Some(next) = page["nextCursor"].as_str() else { break };
            cursor = format!("&cursor={next}");
        }
        seen.sort();
        assert_eq!(seen, (0..12).map(|n| format!("{n:02}.csv")).collect::<Vec<_>>(), "{limit}");
    }
}

/// A kind of fault: one member uses up what all share.
#[tokio::test]
async fn each_member_has_a_share_of_imports_and_checks_do_not_count() {
    let app = TestApp::new().await;
    let busy = app.acme(Role::Member).await;
    let other = app.hire("other", Role::Member).await;
    let begun = |tx: &TenantWrite<'_>| {
        for n in 0..rules::BEGUN_BY_MEMBER {
            let kind = KindName::of(find_kind("customer").unwrap());
            let import = Import::new(kind, format!("{n}.csv"), 1);
            tx.create(Import { state: ImportState::Done, ..import })?;
        }
        Ok(())
    };
    app.app.store().write(app.acme.id, Actor::Member(busy.id), begun).await.unwrap();
    let plan = upload(&busy, "customers", "one.csv", b"Name\r\nAna\r\n").await;
    let check = format!("{}/check", path(&plan));
    for _ in 0..3 {
        busy.post(&check, json!({})).await.expect(202);
        assert_eq!(busy.import_over(&plan).await["state"], "checked");
    }
    let refused = busy.post(&format!("{}/start", path(&plan)), json!({})).await;
    refused.refused("conflict");
    assert!(refused.body["error"]["fields"]["file"].is_string(), "{}", refused.body);
    let theirs = upload(&other, "customers", "one.csv", b"Name\r\nAna\r\n").await;
    other.post(&format!("{}/start", path(&theirs)), json!({})).await.expect(202);
    other.import_over(&theirs).await;

    for n in 1..rules::OPEN_BY_MEMBER {
        upload(&busy, "customers", &format!("{n}.csv"), b"Name\r\nAna\r\n").await;
    }
    busy.upload_to("/api/imports?kind=customers", "x.csv", "text/csv", b"Name\r\nAna\r\n").await.refused("conflict");
    upload(&other, "customers", "two.csv", b"Name\r\nAna\r\n").await;
    busy.delete(&path(&plan)).await.expect(204);
    upload(&busy, "customers", "x.csv", b"Name\r\nAna\r\n").await;
}

/// The kind of fault: what a member took back counts like what stays.
#[tokio::test]
async fn imports_that_were_wholly_undone_count_only_as_attempts() {
    let app = TestApp::new().await;
    let member = app.acme(Role::Member).await;
    let add = async |count: usize, kept: u64| {
        let begun = move |tx: &TenantWrite<'_>| {
            for n in 0..count {
                let kind = KindName::of(find_kind("customer").unwrap());
                let import = Import::new(kind, format!("{n}.csv"), 1);
                tx.create(Import { state: ImportState::Undone, undone: 1, kept, ..import })?;
            }
            Ok(())
        };
        app.app.store().write(app.acme.id, Actor::Member(member.id), begun).await.unwrap();
    };
    let start = async |name: &str| {
        let plan = upload(&member, "customers", "one.csv", format!("Name\r\n{name}\r\n").as_bytes()).await;
        let answer = member.post(&format!("{}/start", path(&plan)), json!({})).await;
        if answer.status == 202 {
            member.import_over(&plan).await;
        }
        answer
    };
    add(rules::BEGUN_BY_MEMBER, 0).await;
    start("Ana").await.expect(202);
    // Imports with rows that stay count, with the one that was just made.
    add(rules::BEGUN_BY_MEMBER - 2, 1).await;
    start("Bea").await.expect(202);
    start("Cy").await.refused("conflict");
    // Taking back makes room, up to the limit of attempts.
    let undo_one = async || {
        let imports = member.get("/api/imports").await.expect(200);
        let is_done = |one: &&Value| one["state"] == "done";
        let done = imports["items"].as_array().unwrap().iter().find(is_done).unwrap().clone();
        member.post(&format!("{}/undo", path(&done)), json!({})).await.expect(202);
        assert_eq!(member.import_over(&done).await["state"], "undone");
    };
    undo_one().await;
    let attempts = 2 * rules::BEGUN_BY_MEMBER;
    add(rules::ATTEMPTS_BY_MEMBER - attempts - 1, 0).await;
    start("Do").await.expect(202);
    undo_one().await;
    start("Eve").await.refused("conflict");
}
