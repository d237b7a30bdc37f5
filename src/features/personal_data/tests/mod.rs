//! Export, erasure and retention of the data of people over HTTP.

mod retention;

use std::{collections::BTreeSet, fs, io::Cursor, path::Path};

use serde_json::{Value, json};

use super::{erasure, model::PersonErasure};
use crate::{
    features::{
        TABLES,
        customers::Customer,
        records::{activities::Activity, comments::Comment},
    },
    kernel::Id,
    people::{
        audit::{ERASED_PERSON, Event},
        permission::Role,
    },
    store::{HistoryEntry, Scan, SearchedRows, harm},
    testing::{As, TestApp, wait_for},
};

/// What only the person has, in the forms in which rows, indexes and files have it.
const RARE: [&str; 9] =
    ["Zyxwolda", "zyxwolda", "Quandrax", "quandrax", "600 123 987", "600123987", "Rarefield", "rarefield", "R4R3-1D"];

async fn create(member: &As, path: &str, body: Value) -> String {
    member.post(path, body).await.expect(201)["id"].as_str().unwrap().to_owned()
}

/// Waits until nothing is left to erase.
async fn erased(app: &TestApp) {
    let left = || app.app.store().snapshot().unwrap().tenant(app.acme.id, None).count::<PersonErasure>().unwrap();
    wait_for("the end of the erasures", async || (left() == 0).then_some(())).await;
}

async fn erase(admin: &As, id: &str) {
    admin.post(&format!("/api/customers/{id}/erasure"), json!({"name": "zyxwolda  QUANDRAX"})).await.expect(204);
}

/// Creates the person, with everything that can name them.
async fn person(app: &TestApp) -> String {
    let admin = app.acme(Role::Admin).await;
    let member = app.acme(Role::Member).await;
    let field = json!({"kind": "customers", "key": "badge", "name": "Badge", "type": "text"});
    admin.post("/api/fields", field).await.expect(201);
    let organization = create(&member, "/api/organizations", json!({"name": "Acme Customers"})).await;
    let mut png = Cursor::new(Vec::new());
    image::RgbImage::new(2, 2).write_to(&mut png, image::ImageFormat::Png).unwrap();
    let png = png.into_inner();
    let picture = member.upload("zyxwolda.png", "image/png", &png).await.expect(201);
    let body = json!({"name": "Zyxwolda Quandrax", "avatar": picture["url"], "about": "Lives in Rarefield", "tags": ["vip"],
        "notes": "<p>Rarefield</p>", "externalId": "R4R3-1D",
        "details": {"emails": [{"email": "zyxwolda@rarefield.example"}],
            "phoneNumbers": [{"phoneNumber": "+34 600 123 987"}], "address": "1 Rarefield Road"},
        "fields": {"badge": "Quandrax-7"}});
    let key = [("Idempotency-Key", "the-first-time")];
    let made = member.send_with("POST", "/api/customers", Some(body), &key).await.expect(201);
    let id = made["id"].as_str().unwrap().to_owned();
    let path = format!("/api/customers/{id}");
    member.patch(&path, json!({"about": "Moved from Rarefield"})).await.expect(200);
    member.patch(&path, json!({"externalId": "R4R3-1D-2"})).await.expect(200);

    // Parts.
    let cv = member.upload("zyxwolda-cv.pdf", "application/pdf", b"%PDF-1.7 Zyxwolda").await.expect(201);
    member.post(&format!("{path}/files"), json!({"path": cv["url"]})).await.expect(200);
    let photo = member.upload("quandrax.pdf", "application/pdf", b"%PDF-1.7 Quandrax").await.expect(201);
    let reference = json!({"kind": "customer", "recordId": id, "text": "#Zyxwolda Quandrax"});
    let mention = json!({"memberId": admin.id, "text": "@admin"});
    let comment = json!({"value": "@admin Zyxwolda called", "attachments": [photo["url"]], "mentions": [mention]});
    member.post(&format!("{path}/comments"), comment).await.expect(201);
    let alone = json!({"type": "call", "links": [{"kind": "customer", "recordId": id}], "text": "Zyxwolda agreed"});
    member.post("/api/activities", alone).await.expect(201);
    member.patch(&path, json!({"organizationId": organization})).await.expect(200);
    let page = create(&member, "/api/pages", json!({"title": "Prices", "status": "published"})).await;
    member.post(&format!("{path}/links"), json!({"kind": "page", "recordId": page})).await.expect(200);

    // It was merged into another one, which was undone.
    let other = create(&member, "/api/customers", json!({"name": "Ben"})).await;
    let merged = member.post(&format!("/api/customers/{other}/merge"), json!({"duplicateId": id})).await.expect(200);
    let undo = format!("/api/merges/{}/undo", merged["id"].as_str().unwrap());
    member.merge_over(&member.post(&undo, json!({})).await.expect(200)).await;
    let timeline = member.get(&format!("/api/customers/{other}/timeline")).await.expect(200).to_string();
    assert!(timeline.contains("Zyxwolda") && timeline.contains("Rarefield"), "{timeline}");
    member.delete(&format!("/api/customers/{other}")).await.expect(204);

    // References.
    let task = create(&member, "/api/tasks", json!({"title": "Call back", "customerId": id})).await;
    let deal = create(&member, "/api/deals", json!({"title": "Big order", "customerId": id})).await;
    let binned = create(&member, "/api/deals", json!({"title": "Old order", "customerId": id})).await;
    member.delete(&format!("/api/deals/{binned}")).await.expect(204);
    let day = "2026-11-23";
    let attendees = json!([{"customerId": id}, {"memberId": admin.id}]);
    let event = json!({"title": "Meet", "allDay": true, "startDate": day, "endDate": day, "attendees": attendees});
    create(&member, "/api/events", event).await;

    // Texts that name it as a record.
    let about = json!({"value": "Ask #Zyxwolda Quandrax", "references": [reference]});
    member.post(&format!("/api/tasks/{task}/comments"), about.clone()).await.expect(201);
    let chat = member.post("/api/apps/chat/chat", json!({"contactId": admin.id.to_string()})).await.expect(200);
    let mut line = about;
    line["chatId"] = chat["id"].clone();
    member.post("/api/apps/chat/messages", line).await.expect(201);
    let shortcut = json!({"shortcut": {"label": "Zyxwolda", "icon": "user", "link": format!("/customers/{id}"), "useRouter": true}});
    admin.post("/api/common/shortcuts", shortcut).await.expect(200);

    // One who was merged into them.
    let twin = json!({"name": "Zyxwolda Quandrax", "about": "Quandrax of Rarefield", "externalId": "zyxwolda"});
    let twin = create(&member, "/api/customers", twin).await;
    member.post(&format!("{path}/merge"), json!({"duplicateId": twin})).await.expect(200);

    // Changes that can be undone, and an import.
    let bulk = json!({"kind": "customers", "ids": [id], "change": {"status": "inactive"}, "addTags": ["rare"]});
    member.bulk_over(&member.post("/api/bulk", bulk).await.expect(202)).await;
    admin.post("/api/tags/rare/rename", json!({"name": "seldom"})).await;
    let csv = format!("id,name,about\n{id},Zyxwolda Quandrax,Imported from Rarefield\n");
    let import =
        admin.upload_to("/api/imports?kind=customers", "list.csv", "text/csv", csv.as_bytes()).await.expect(201);
    let plan = format!("/api/imports/{}", import["id"].as_str().unwrap());
    admin.patch(&plan, json!({"duplicates": "update"})).await.expect(200);
    admin.post(&format!("{plan}/start"), json!({})).await.expect(202);
    assert_eq!(admin.import_over(&import).await["counts"]["updated"], 1);
    admin.get(&format!("{path}/personal-data")).await.expect(200);
    member.get(&format!("/api/deals/{deal}")).await.expect(200);
    id
}

/// Returns the rows and files that hold something of the person, by their tables and paths.
fn traces(rows: &[(Vec<u8>, Vec<u8>)]) -> Vec<String> {
    let holds =
        |bytes: &[u8]| RARE.iter().find(|rare| bytes.windows(rare.len()).any(|part| part == rare.as_bytes())).copied();
    let mut found = Vec::new();
    for (key, value) in rows {
        let place = harm::place(key);
        found.extend(holds(key).map(|rare| format!("{rare} in a key of {place:?}")));
        found.extend(holds(value).map(|rare| format!("{rare} in a value of {place:?}")));
    }
    found
}

fn files_with_traces(folder: &Path) -> usize {
    let mut found = 0;
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.path().is_dir() {
            found += files_with_traces(&entry.path());
        } else {
            let bytes = fs::read(entry.path()).unwrap();
            found += usize::from(RARE.iter().any(|rare| bytes.windows(rare.len()).any(|part| part == rare.as_bytes())));
        }
    }
    found
}

#[tokio::test]
async fn nothing_of_an_erased_person_is_left_in_the_store_the_index_or_the_files() {
    let app = TestApp::new().await;
    let id = person(&app).await;
    let admin = app.acme(Role::Admin).await;
    let uploads = app.app.config().data_dir.join("files");
    assert_eq!(files_with_traces(&uploads), 3, "two files, and the imported one, which nothing refers to any more");
    let search = async || {
        let found = admin.post("/api/common/search", json!({"query": "zyxwolda"})).await.expect(200);
        found.as_array().unwrap().iter().map(|set| set["results"].as_array().unwrap().len()).sum::<usize>()
    };
    // The changes of others are indexed soon.
    let reach = async |count: usize| {
        wait_for(&format!("{count} results"), async || (search().await == count).then_some(())).await;
    };
    // It and the chat message.
    reach(2).await;
    erase(&admin, &id).await;
    // It is gone at once.
    admin.get(&format!("/api/customers/{id}")).await.refused("not_found");
    erased(&app).await;

    reach(0).await;
    assert_eq!(files_with_traces(&uploads), 1);
    for list in
        ["/api/customers", "/api/customers/lookup?email=zyxwolda@rarefield.example", "/api/customers?q=quandrax"]
    {
        assert_eq!(admin.get(list).await.expect(200)["total"], 0, "{list}");
    }
    admin.post(&format!("/api/bin/{id}/restore"), json!({})).await.refused("not_found");
    admin.get(&format!("/api/customers/{id}/timeline")).await.refused("not_found");
    admin.get(&format!("/api/customers/{id}/personal-data")).await.refused("not_found");
    let recent = admin.get("/api/dashboards/project").await.expect(200).to_string();
    assert!(!recent.contains("Zyxwolda"), "{recent}");
    let log = admin.get("/api/audit?event=person").await.expect(200);
    let events: Vec<&Value> = log["items"].as_array().unwrap().iter().map(|entry| &entry["event"]).collect();
    assert_eq!(events, ["person.erased", "person.exported"]);
    assert!(log["items"].as_array().unwrap().iter().all(|entry| entry["about"]["name"] == ERASED_PERSON));
    // What is about others stays.
    let tasks = admin.get("/api/tasks").await.expect(200);
    let task = &tasks["items"][0];
    assert_eq!((&task["title"], task.get("customerId")), (&json!("Call back"), None));
    let comments = admin.get(&format!("/api/tasks/{}/comments", task["id"].as_str().unwrap())).await.expect(200);
    assert_eq!(comments["items"][0]["value"], format!("Ask {ERASED_PERSON}"));
    let deals = admin.get("/api/deals").await.expect(200);
    assert_eq!((&deals["total"], deals["items"][0].get("customerId")), (&json!(1), None));
    let bin = admin.get("/api/bin").await.expect(200);
    let deal = bin["items"][0]["id"].as_str().unwrap().to_owned();
    admin.post(&format!("/api/bin/{deal}/restore"), json!({})).await.expect(200);
    assert_eq!(admin.get(&format!("/api/deals/{deal}")).await.expect(200).get("customerId"), None);
    drop(admin);
    // An imported file goes as every file does to which nothing refers.
    app.clock.advance(25 * 3_600_000);
    app.app.files().collect_garbage(|| std::future::ready(())).await.unwrap();
    assert_eq!(files_with_traces(&uploads), 0);

    let rows = app.into_rows().await;
    assert_eq!(traces(&rows), [""; 0]);
}

#[tokio::test]
async fn an_erasure_goes_on_after_a_restart() {
    let app = TestApp::new().await;
    let id = person(&app).await;
    let customer: Id<Customer> = id.parse().unwrap();
    // More parts than one write removes.
    let record = customer.uuid();
    let work = move |tx: &crate::store::TenantWrite<'_>| {
        for _ in 0..450 {
            let event = crate::store::HistoryEvent::Restored;
            tx.create(HistoryEntry { record, event, changes: Vec::new(), merged: None })?;
        }
        Ok(())
    };
    app.app.store().write(app.acme.id, crate::store::Actor::System, work).await.unwrap();
    // Only the restart can go on with it: it begins while no job runs.
    let begin = move |tx: &crate::store::TenantWrite<'_>| erasure::begin(tx, customer, Event::new("person.erased"));
    let app = app.restart_behind(begin).await;
    erased(&app).await;
    let rows = app.into_rows().await;
    assert_eq!(traces(&rows), [""; 0]);
}

/// What an erasure does with the kinds of records: by hand; removed or cleared with the record, its parts and files; and
/// those that name members only, hold ids alone, or have texts that members typed (`docs/data-protection.md`).
const BY_HAND: &[&str] = &[
    "audit_entry",
    "binned",
    "bulk_part",
    "chat_message",
    "comment",
    "history",
    "import_check_part",
    "import_part",
    "letter",
    "merge",
    "not_duplicate",
    "notification",
    "record_file",
    "shortcut",
    "tag_part",
];
const WITH_THE_RECORD: &[&str] =
    &["activity", "customer", "deal", "event", "file", "organization", "record_link", "task"];
const NAMES_NOBODY: &[&str] = &[
    "bulk_change",
    "chat",
    "chat_read",
    "company",
    "conversation",
    "credentials",
    "custom_field",
    "customer_statuses",
    "duplicate_part",
    "duplicate_scan",
    "factors",
    "former_member",
    "import",
    "import_plan",
    "link",
    "member",
    "merge_part",
    "message",
    "message_broadcast",
    "next_steps",
    "notification_broadcast",
    "notification_preferences",
    "page",
    "page_following",
    "page_planned",
    "passkey",
    "person_erasure",
    "pipeline",
    "pipeline_planned",
    "receipt",
    "renaming",
    "retention_run",
    "sample_data",
    "sent_message",
    "session",
    "setup_card",
    "single_sign_on",
    "tag_change",
    "tags",
    "tidings_places",
    "view",
    "view_defaults",
];

/// The kind of fault (F-M9): a kind of record that is added later names people, and no erasure asks it.
#[test]
fn every_kind_of_record_answers_an_erasure() {
    let answers: BTreeSet<&str> = [BY_HAND, WITH_THE_RECORD, NAMES_NOBODY].concat().into_iter().collect();
    let kinds: BTreeSet<&str> = TABLES.iter().map(|info| info.kind).collect();
    let silent: Vec<_> = kinds.difference(&answers).collect();
    assert!(silent.is_empty(), "say in `erasure.rs` what an erasure does with them, and list them here: {silent:?}");
    let unknown: Vec<_> = answers.difference(&kinds).collect();
    assert!(unknown.is_empty(), "{unknown:?}");
}

/// The kind of fault (F-R9): what a limit cuts off stays. More people are merged into one than a write looks at, and one of
/// them has others merged into them.
#[tokio::test]
async fn everyone_who_was_merged_into_a_person_is_erased_too() {
    let app = TestApp::new().await;
    let admin = app.acme(Role::Admin).await;
    let mut kept = create(&admin, "/api/customers", json!({"name": "Zyxwolda Quandrax"})).await;
    for n in 0..56 {
        let other = create(&admin, "/api/customers", json!({"name": "Zyxwolda Quandrax"})).await;
        // Some of the time the one who stays changes.
        let (stays, goes) = if n % 25 == 24 { (other, kept) } else { (kept, other) };
        let merge = json!({"duplicateId": goes});
        admin.post(&format!("/api/customers/{stays}/merge"), merge).await.expect(200);
        kept = stays;
    }
    erase(&admin, &kept).await;
    erased(&app).await;
    assert_eq!(admin.get("/api/bin").await.expect(200)["total"], 0);
    drop(admin);
    assert_eq!(traces(&app.into_rows().await), [""; 0]);
}

#[tokio::test]
async fn a_person_in_the_bin_is_erased_too() {
    let app = TestApp::new().await;
    let id = person(&app).await;
    let admin = app.acme(Role::Admin).await;
    admin.delete(&format!("/api/customers/{id}")).await.expect(204);
    erase(&admin, &id).await;
    let bin = admin.get("/api/bin").await.expect(200);
    assert!(bin["items"].as_array().unwrap().iter().all(|item| item["id"] != id));
    erased(&app).await;
    drop(admin);
    assert_eq!(traces(&app.into_rows().await), [""; 0]);
}

#[tokio::test]
async fn files_and_activities_that_others_have_too_stay() {
    let app = TestApp::new().await;
    let admin = app.acme(Role::Admin).await;
    let shared = admin.upload("terms.pdf", "application/pdf", b"%PDF-1.7 terms").await.expect(201);
    let mut ids = Vec::new();
    for name in ["Zyxwolda Quandrax", "Ben"] {
        let id = create(&admin, "/api/customers", json!({"name": name})).await;
        admin.post(&format!("/api/customers/{id}/files"), json!({"path": shared["url"]})).await.expect(200);
        ids.push(id);
    }
    let links: Vec<Value> = ids.iter().map(|id| json!({"kind": "customer", "recordId": id})).collect();
    let call = json!({"type": "call", "links": links, "text": "Both agreed"});
    let activity = admin.post("/api/activities", call).await.expect(201);
    erase(&admin, &ids[0]).await;
    erased(&app).await;
    let url = shared["url"].as_str().unwrap();
    assert_eq!(admin.get(url).await.status, 200);
    let timeline = admin.get(&format!("/api/customers/{}/timeline?part=activities", ids[1])).await.expect(200);
    assert_eq!(timeline["items"][0]["activity"]["id"], activity["id"]);
    assert_eq!(timeline["items"][0]["activity"]["links"].as_array().unwrap().len(), 1);
    let comments = |tx: &crate::store::TenantRead<'_>| tx.count::<Comment>().unwrap() + tx.count::<Activity>().unwrap();
    assert_eq!(comments(&app.app.store().snapshot().unwrap().tenant(app.acme.id, None)), 1);
}

#[tokio::test]
async fn only_administrators_erase_and_export_people_of_their_company_and_confirm_the_name() {
    let app = TestApp::new().await;
    let admin = app.acme(Role::Admin).await;
    let id = create(&admin, "/api/customers", json!({"name": "Zyxwolda Quandrax"})).await;
    let erasure = format!("/api/customers/{id}/erasure");
    let export = format!("/api/customers/{id}/personal-data");
    let named = json!({"name": "Zyxwolda Quandrax"});
    for role in [Role::Viewer, Role::Member] {
        let caller = app.acme(role).await;
        caller.post(&erasure, named.clone()).await.refused("forbidden");
        caller.get(&export).await.refused("forbidden");
    }
    let other = app.other(Role::Owner).await;
    other.post(&erasure, named.clone()).await.refused("not_found");
    other.get(&export).await.refused("not_found");
    for wrong in ["", "Zyxwolda", &"Zyxwolda Quandrax ".repeat(10_000)] {
        let got = admin.post(&erasure, json!({"name": wrong})).await;
        assert!(matches!(got.status, 400 | 422), "{}", got.body);
        assert!(got.body["error"]["fields"]["name"].is_string(), "{}", got.body);
    }
    let task = create(&admin, "/api/tasks", json!({"title": "Zyxwolda Quandrax"})).await;
    admin.delete(&format!("/api/tasks/{task}")).await.expect(204);
    admin.post(&format!("/api/customers/{task}/erasure"), named.clone()).await.refused("not_found");
    admin.get(&format!("/api/customers/{id}")).await.expect(200);
    admin.post(&erasure, named.clone()).await.expect(204);
    admin.post(&erasure, named).await.refused("not_found");
}

#[tokio::test]
async fn an_export_has_everything_about_the_person() {
    let app = TestApp::new().await;
    let id = person(&app).await;
    let admin = app.acme(Role::Admin).await;
    let got = admin.get(&format!("/api/customers/{id}/personal-data")).await;
    let name = got.headers["content-disposition"].to_str().unwrap().to_owned();
    assert!(name.contains("filename=\"Personal data of Zyxwolda Quandrax.json\""), "{name}");
    let file = got.expect(200);
    let person = &file["person"];
    assert_eq!(
        (&person["name"], &person["statusName"], &person["customFields"]["Badge"], &person["externalId"]),
        (&json!("Zyxwolda Quandrax"), &json!("Inactive"), &json!("Quandrax-7"), &json!("R4R3-1D-2"))
    );
    assert_eq!(person["details"]["phoneNumbers"][0]["phoneNumber"], "+34 600 123 987");
    assert_eq!(file["company"], "Acme Ltd");
    let texts = |list: &str, member: &str| -> Vec<String> {
        let mut texts: Vec<String> = file[list]
            .as_array()
            .unwrap()
            .iter()
            .map(|item| item[member].as_str().unwrap_or_default().to_owned())
            .collect();
        texts.sort();
        texts.dedup();
        texts
    };
    assert_eq!(texts("files", "name"), ["zyxwolda-cv.pdf", "zyxwolda.png"]);
    assert_eq!(texts("records", "title"), ["Acme Customers", "Big order", "Call back", "Meet", "Prices"]);
    let events = texts("timeline", "event");
    for event in ["changed", "commented", "created", "linked", "logged", "referenced"] {
        assert!(events.iter().any(|known| known == event), "{event} of {events:?}");
    }
    let timeline = file["timeline"].to_string();
    for text in ["Moved from Rarefield", "Zyxwolda agreed", "Zyxwolda called", "quandrax.pdf"] {
        assert!(timeline.contains(text), "{text}");
    }
    assert_eq!(texts("auditLog", "event"), ["person.exported"], "an earlier export");
    assert_eq!(texts("members", "name"), ["admin of acme", "member of acme"]);
    let log = admin.get("/api/audit?event=person.exported").await.expect(200);
    assert_eq!((&log["total"], &log["items"][0]["about"]["name"]), (&json!(2), &json!("Zyxwolda Quandrax")));
}

#[tokio::test]
async fn an_export_reads_a_long_history_in_pages() {
    let app = TestApp::new().await;
    let admin = app.acme(Role::Admin).await;
    let id = create(&admin, "/api/customers", json!({"name": "Zyxwolda Quandrax"})).await;
    for number in 0..230 {
        app.clock.advance(1);
        let comment = json!({"value": format!("Comment {number}")});
        admin.post(&format!("/api/customers/{id}/comments"), comment).await.expect(201);
        create(&admin, "/api/tasks", json!({"title": format!("Task {number}"), "customerId": id})).await;
    }
    let file = admin.get(&format!("/api/customers/{id}/personal-data")).await.expect(200);
    assert_eq!(file["records"].as_array().unwrap().len(), 230);
    let timeline = file["timeline"].as_array().unwrap();
    let comments = timeline.iter().filter(|entry| entry["event"] == "commented").count();
    assert_eq!((comments, timeline.len()), (230, 461));
}

#[tokio::test]
async fn a_search_of_rows_continues_where_it_ended() {
    let app = TestApp::new().await;
    let admin = app.acme(Role::Admin).await;
    let id = create(&admin, "/api/customers", json!({"name": "Zyxwolda Quandrax"})).await;
    for number in 0..60 {
        let field = if number % 2 == 0 { "about" } else { "externalId" };
        admin.patch(&format!("/api/customers/{id}"), json!({field: format!("Text {number}")})).await.expect(200);
    }
    let snapshot = app.app.store().snapshot().unwrap();
    let tx = snapshot.tenant(app.acme.id, None);
    let sought = [id.parse::<Id<Customer>>().unwrap().as_bytes().to_vec()];
    let mut found = Vec::new();
    let mut after = None;
    let mut searches = 0;
    loop {
        let page = tx.find_rows(SearchedRows::Records, &sought, after).unwrap();
        searches += 1;
        found.extend(page.rows.into_iter().filter(|row| row.table == 36).map(|row| row.id));
        after = page.next;
        if after.is_none() {
            break;
        }
    }
    let entries = tx.page::<HistoryEntry>(&Scan::all().limit(1_000), |_| true).unwrap().items;
    let expected: Vec<[u8; 16]> = entries.iter().map(|entry| *entry.id.as_bytes()).collect();
    assert_eq!((found, searches), (expected, 3));
}
