//! Searches while the index is being rebuilt, and the reasons of results.

use std::{sync::mpsc, thread};

use serde_json::{Value, json};

use crate::{
    people::permission::Role,
    testing::{As, TestApp},
};

/// Lists that a search text filters.
const LISTS: [&str; 7] = [
    "/api/customers?q=",
    "/api/organizations?q=",
    "/api/deals?q=",
    "/api/tasks?q=",
    "/api/pages?q=",
    "/api/team?q=",
    "/api/apps/chat/search?q=",
];

/// Returns each result set's id, number of results, and whether it is partial.
async fn sets(who: &As, query: &str) -> Vec<(String, usize, bool)> {
    let answer = who.post("/api/common/search", json!({"query": query})).await.expect(200);
    let set = |set: &Value| {
        let results = set["results"].as_array().unwrap().len();
        (set["id"].as_str().unwrap().to_owned(), results, set["partial"] == true)
    };
    answer.as_array().unwrap().iter().map(set).collect()
}

// The kind of fault: the index answers with what was hidden since its last commit.
#[tokio::test]
async fn what_was_just_hidden_or_removed_is_not_found() {
    let app = TestApp::new().await;
    let author = app.acme(Role::Member).await;
    let other = app.hire("other", Role::Member).await;
    let is_found = async |who: &As| !sets(who, "kanarium").await.is_empty();
    for (list, body) in [
        ("/api/pages", json!({"title": "Kanarium", "status": "published"})),
        ("/api/deals", json!({"title": "Kanarium"})),
        ("/api/customers", json!({"name": "Kanarium"})),
        ("/api/tasks", json!({"title": "Kanarium"})),
    ] {
        let made = author.post(list, body).await.expect(201);
        let path = format!("{list}/{}", made["id"].as_str().unwrap());
        assert!(is_found(&author).await && is_found(&other).await, "{list}");
        if matches!(list, "/api/pages" | "/api/deals") {
            author.patch(&path, json!({"visibility": {"to": "me"}})).await.expect(200);
            assert!(!is_found(&other).await, "{list}");
            assert!(is_found(&author).await, "{list}");
        }
        author.delete(&path).await.expect(204);
        assert!(!is_found(&other).await, "{list} after it was removed");
    }
}

#[tokio::test]
async fn results_are_marked_partial_while_the_index_is_rebuilt() {
    let app = TestApp::new().await;
    let member = app.acme(Role::Member).await;
    let made = member.post("/api/customers", json!({"name": "Kanarium"})).await.expect(201);
    let contacts = |is_partial| ("contacts".to_owned(), 1, is_partial);
    assert_eq!(sets(&member, "kanarium").await, [contacts(false)]);
    for path in LISTS {
        let list = member.get(&format!("{path}kanarium")).await.expect(200);
        assert!(list.get("partial").is_none(), "{path}: {list}");
    }

    let half_way = app.app.engine().rebuild().unwrap();
    let none = |id: &str| (id.to_owned(), 0, true);
    let all = [
        contacts(true),
        none("pages"),
        none("tasks"),
        none("events"),
        none("organizations"),
        none("deals"),
        none("chat"),
    ];
    assert_eq!(sets(&member, "kanarium").await, all, "kinds without a result may have some");
    for path in LISTS {
        let list = member.get(&format!("{path}kanarium")).await.expect(200);
        assert_eq!(list["partial"], true, "{path}");
    }
    // What works on what was found would leave records out.
    let export = member.get("/api/exports?kind=customers").await;
    let forecast = member.get("/api/deals/forecast").await;
    let bulk = member.post("/api/bulk", json!({"kind": "customers", "change": {"status": "active"}})).await;
    for (name, got) in [("export", export), ("forecast", forecast), ("bulk", bulk)] {
        got.refused("busy");
        assert!(got.headers.contains_key("retry-after"), "{name}");
    }
    let named = json!({"kind": "customers", "ids": [made["id"]], "change": {"status": "active"}});
    member.post("/api/bulk", named).await.expect(202);
    for path in ["/api/customers", "/api/tasks?q=", "/api/pages", "/api/team"] {
        let list = member.get(path).await.expect(200);
        assert!(list.get("partial").is_none(), "nothing is searched for: {path}");
    }

    drop(half_way);
    assert_eq!(sets(&member, "kanarium").await, [contacts(false)]);
    assert!(member.get("/api/customers?q=kanarium").await.expect(200).get("partial").is_none());
}

#[tokio::test]
async fn results_are_marked_partial_while_the_index_lacks_the_last_changes() {
    let app = TestApp::new().await;
    let member = app.acme(Role::Member).await;
    let engine = app.app.engine().clone();
    let (begun, begins) = mpsc::channel();
    let (release, released) = mpsc::channel::<()>();
    let holder = thread::spawn(move || {
        // The job of the index waits for this.
        let _position = engine.lock_feed_position();
        begun.send(()).unwrap();
        let _ = released.recv();
    });
    begins.recv().unwrap();
    member.post("/api/customers", json!({"name": "Kanarium"})).await.expect(201);
    let late = member.get("/api/customers?filter=name:contains:kanarium").await.expect(200);
    assert_eq!((&late["total"], &late["partial"]), (&json!(0), &json!(true)));
    drop(release);
    holder.join().unwrap();
    let list = member.get("/api/customers?filter=name:contains:kanarium").await.expect(200);
    assert_eq!((&list["total"], list.get("partial")), (&json!(1), None));
}

/// Searches, and returns the title of each result with the label and the text of its reason.
async fn found(who: &As, query: &str) -> Vec<(String, String)> {
    let answer = who.post("/api/common/search", json!({"query": query})).await.expect(200);
    let mut found = Vec::new();
    for set in answer.as_array().unwrap() {
        for result in set["results"].as_array().unwrap() {
            let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
            let reason = match &result["reason"] {
                Value::Null => String::new(),
                reason => format!("{}: {}", text(&reason["label"]), text(&reason["text"])),
            };
            found.push((text(&result["value"]), reason));
        }
    }
    found
}

fn one(title: &str, reason: &str) -> Vec<(String, String)> {
    vec![(title.to_owned(), reason.to_owned())]
}

#[tokio::test]
async fn results_say_which_text_was_found() {
    let app = TestApp::new().await;
    let admin = app.acme(Role::Admin).await;
    let member = app.acme(Role::Member).await;
    admin.post("/api/fields", json!({"kind": "customers", "name": "Contract", "type": "text"})).await.expect(201);
    let details = json!({
        "emails": [{"email": "zaphod@umbrella.example"}],
        "phoneNumbers": [{"phoneNumber": "+34 600 555-012"}],
        "company": "Umbrella",
        "title": "Purchasing",
    });
    let customer = json!({
        "name": "Kanarium",
        "tags": ["gigantic"],
        "about": "A canary shop",
        "notes": format!("<p>{} Prefers <b>quarterly</b> calls</p>", "Some words. ".repeat(40)),
        "details": details,
        "fields": {"contract": "Framework"},
    });
    member.post("/api/customers", customer).await.expect(201);
    for (query, reason) in [
        ("kanari", ""),
        ("zaphod", "Email: zaphod@umbrella.example"),
        ("kanarium 600555", "Phone: +34 600 555-012"),
        ("umbrella", "Company: Umbrella"),
        ("purchasing kana", "Job title: Purchasing"),
        ("gigan", "Tags: gigantic"),
        ("canary", "About: A canary shop"),
        ("quarterly", "Notes: …words. Prefers quarterly calls"),
        ("framew", "Contract: Framework"),
    ] {
        assert_eq!(found(&member, query).await, one("Kanarium", reason), "{query}");
    }
    member.patch("/api/common/user", json!({"locale": "es"})).await.expect(200);
    assert_eq!(found(&member, "zaphod").await, one("Kanarium", "Correo: zaphod@umbrella.example"));
    assert_eq!(found(&member, "framework").await, one("Kanarium", "Contract: Framework"));
    assert!(found(&app.other(Role::Member).await, "zaphod").await.is_empty());
}

#[tokio::test]
async fn every_kind_of_record_says_why_it_was_found() {
    let app = TestApp::new().await;
    let member = app.acme(Role::Member).await;
    let day = "2026-11-23";
    let task = json!({"title": "Call", "notes": "about zebras", "subtasks": [{"title": "Find the zoo"}]});
    member.post("/api/tasks", task).await.expect(201);
    let event = json!({"title": "Meet", "allDay": true, "startDate": day, "endDate": day, "location": "Bilbao",
        "description": "with giraffes"});
    member.post("/api/events", event).await.expect(201);
    member.post("/api/pages", json!({"title": "Book", "body": "<p>of lemurs</p>"})).await.expect(201);
    for (query, title, reason) in [
        ("zebras", "Call", "Notes: about zebras"),
        ("find zoo", "Call", "Subtasks: Find the zoo"),
        ("bilb", "Meet", "Location: Bilbao"),
        ("giraffe", "Meet", "Description: with giraffes"),
        ("lemur", "Book", "Text: of lemurs"),
    ] {
        assert_eq!(found(&member, query).await, one(title, reason), "{query}");
    }
    let other = app.acme(Role::Admin).await;
    assert!(found(&other, "lemurs").await.is_empty(), "a draft is found by its author only");
}

#[tokio::test]
async fn values_of_deleted_fields_are_no_reason() {
    let app = TestApp::new().await;
    let admin = app.acme(Role::Admin).await;
    let field = json!({"kind": "tasks", "name": "Secret", "type": "text"});
    let field = admin.post("/api/fields", field).await.expect(201);
    admin.post("/api/tasks", json!({"title": "Call", "fields": {"secret": "Zaphod"}})).await.expect(201);
    assert_eq!(found(&admin, "zaphod").await, one("Call", "Secret: Zaphod"));
    admin.delete(&format!("/api/fields/{}", field["id"].as_str().unwrap())).await.expect(204);
    for (_, reason) in found(&admin, "zaphod").await {
        assert_eq!(reason, "", "the index may still know the value");
    }
}

#[tokio::test]
async fn records_are_found_by_the_names_of_their_files() {
    let app = TestApp::new().await;
    let member = app.acme(Role::Member).await;
    let viewer = app.acme(Role::Viewer).await;
    let day = "2026-11-23";
    for (path, title, body) in [
        ("/api/customers", "Kanarium", json!({"name": "Kanarium"})),
        ("/api/tasks", "Call", json!({"title": "Call"})),
        ("/api/events", "Meet", json!({"title": "Meet", "allDay": true, "startDate": day, "endDate": day})),
        ("/api/pages", "Book", json!({"title": "Book", "status": "published"})),
    ] {
        let file = member.upload("Zebra_count-2026.pdf", "application/pdf", b"%PDF-1.7").await.expect(201);
        let id = member.post(path, body).await.expect(201)["id"].as_str().unwrap().to_owned();
        let files = format!("{path}/{id}/files");
        let by_file = one(title, "File: Zebra_count-2026.pdf");
        let attached = member.post(&files, json!({"path": file["url"]})).await.expect(200);
        assert_eq!(found(&member, "zebra 2026").await, by_file, "{path}");
        assert_eq!(found(&viewer, "zebra 2026").await, by_file, "{path}");
        assert!(found(&app.other(Role::Member).await, "zebra").await.is_empty(), "{path}");

        member.delete(&format!("{path}/{id}")).await.expect(204);
        assert!(found(&member, "zebra").await.is_empty(), "{path}: in the bin");
        member.post(&format!("/api/bin/{id}/restore"), json!({})).await.expect(200);
        assert_eq!(found(&member, "zebra").await, by_file, "{path}");

        member.delete(&format!("{files}/{}", attached["id"].as_str().unwrap())).await.expect(204);
        assert!(found(&member, "zebra").await.is_empty(), "{path}: removed");
    }
}

#[tokio::test]
async fn files_on_drafts_are_found_by_their_authors() {
    let app = TestApp::new().await;
    let author = app.acme(Role::Member).await;
    let admin = app.acme(Role::Admin).await;
    let file = author.upload("zebra.pdf", "application/pdf", b"%PDF-1.7").await.expect(201);
    let page = author.post("/api/pages", json!({"title": "Book"})).await.expect(201);
    let page = format!("/api/pages/{}", page["id"].as_str().unwrap());
    author.post(&format!("{page}/files"), json!({"path": file["url"]})).await.expect(200);
    assert_eq!(found(&author, "zebra").await, one("Book", "File: zebra.pdf"));
    assert!(found(&admin, "zebra").await.is_empty());
    author.patch(&page, json!({"status": "published"})).await.expect(200);
    assert_eq!(found(&author, "zebra").await, one("Book", "File: zebra.pdf"));
    assert_eq!(found(&admin, "zebra").await, one("Book", "File: zebra.pdf"));
}

#[tokio::test]
async fn rebuilt_index_knows_the_files() {
    let app = TestApp::new().await;
    let member = app.acme(Role::Member).await;
    let file = member.upload("zebra.pdf", "application/pdf", b"%PDF-1.7").await.expect(201);
    let task = member.post("/api/tasks", json!({"title": "Call"})).await.expect(201);
    let files = format!("/api/tasks/{}/files", task["id"].as_str().unwrap());
    member.post(&files, json!({"path": file["url"]})).await.expect(200);
    crate::jobs::reindex(
        app.app.store().clone(),
        app.app.engine().clone(),
        &crate::kernel::progress::Progress::default(),
    )
    .unwrap();
    assert_eq!(found(&member, "zebra").await, one("Call", "File: zebra.pdf"));
}
