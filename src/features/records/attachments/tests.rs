//! Files on records over HTTP.

use serde_json::{Value, json};

use crate::{
    people::permission::Role,
    testing::{As, TestApp},
};

async fn create(member: &As, path: &str, body: Value) -> String {
    let made = member.post(path, body).await.expect(201);
    format!("{path}/{}", made["id"].as_str().unwrap())
}

/// The names of the files on a record.
async fn names(member: &As, record: &str) -> Vec<String> {
    let list = member.get(&format!("{record}/files")).await.expect(200);
    let items = list["items"].as_array().unwrap();
    assert_eq!(list["total"], items.len());
    items.iter().map(|item| item["file"]["name"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn every_kind_has_files() {
    let app = TestApp::new().await;
    let ada = app.acme(Role::Member).await;
    let viewer = app.acme(Role::Viewer).await;
    let plan = ada.upload("plan.pdf", "application/pdf", b"%PDF-1.7").await.expect(201);
    let list = ada.upload("list.csv", "text/csv", b"a,b").await.expect(201);
    let foreign = app.other(Role::Member).await.upload("x.pdf", "application/pdf", b"%PDF").await;
    let foreign = foreign.expect(201);
    let day = "2026-11-23";
    for (path, body) in [
        ("/api/customers", json!({"name": "Kanarium"})),
        ("/api/tasks", json!({"title": "Call"})),
        ("/api/events", json!({"title": "Meet", "allDay": true, "startDate": day, "endDate": day})),
        ("/api/pages", json!({"title": "Book", "status": "published"})),
    ] {
        let record = create(&ada, path, body.clone()).await;
        let files = format!("{record}/files");
        for file in [&plan, &list] {
            app.clock.advance(1);
            ada.post(&files, json!({"path": file["url"]})).await.expect(200);
        }
        assert_eq!(names(&viewer, &record).await, ["list.csv", "plan.pdf"], "{path}");
        viewer.post(&files, json!({"path": plan["url"]})).await.refused("forbidden");
        let wrong = ada.post(&files, json!({"path": foreign["url"]})).await;
        wrong.refused("invalid");
        assert!(wrong.body["error"]["fields"]["path"].is_string(), "{path}: {}", wrong.body);

        let items = ada.get(&files).await.expect(200);
        let own = format!("{files}/{}", items["items"][0]["id"].as_str().unwrap());
        viewer.delete(&own).await.refused("forbidden");
        let other = create(&ada, path, body).await;
        ada.delete(&own.replace(&record, &other)).await.refused("not_found");
        ada.delete(&own).await.expect(204);
        ada.delete(&own).await.refused("not_found");
        assert_eq!(names(&ada, &record).await, ["plan.pdf"], "{path}");
        // In the bin a record keeps its files.
        ada.delete(&record).await.expect(204);
        ada.get(&files).await.refused("not_found");
        ada.post(&format!("/api/bin/{}/restore", record.rsplit('/').next().unwrap()), json!({})).await.expect(200);
        assert_eq!(names(&ada, &record).await, ["plan.pdf"], "{path}");
    }
}

#[tokio::test]
async fn files_of_customers_are_their_attachments() {
    let app = TestApp::new().await;
    let ada = app.acme(Role::Member).await;
    let plan = ada.upload("plan.pdf", "application/pdf", b"%PDF-1.7").await.expect(201);
    let customer = create(&ada, "/api/customers", json!({"name": "Kanarium"})).await;
    for _ in 0..2 {
        ada.post(&format!("{customer}/files"), json!({"path": plan["url"]})).await.expect(200);
    }
    let read = ada.get(&customer).await.expect(200);
    assert_eq!(read["attachments"]["docs"].as_array().unwrap().len(), 1, "attached once");
    assert_eq!(read["attachments"]["docs"][0]["id"], plan["id"]);
    let timeline = ada.get(&format!("{customer}/timeline?part=changes")).await.expect(200);
    assert_eq!(timeline["items"][0]["changes"][0]["field"], "attachments.docs");
    ada.patch(&customer, json!({"attachments": {"docs": []}})).await.expect(200);
    assert_eq!(names(&ada, &customer).await, [""; 0]);
}

#[tokio::test]
async fn timeline_tells_of_files() {
    let app = TestApp::new().await;
    let ada = app.acme(Role::Member).await;
    let plan = ada.upload("plan.pdf", "application/pdf", b"%PDF-1.7").await.expect(201);
    let task = create(&ada, "/api/tasks", json!({"title": "Call"})).await;
    app.clock.advance(1);
    ada.post(&format!("{task}/files"), json!({"path": plan["url"]})).await.expect(200);
    let page = ada.get(&format!("{task}/timeline")).await.expect(200);
    assert_eq!(
        (&page["items"][0]["event"], &page["items"][0]["file"]["name"]),
        (&json!("attached"), &json!("plan.pdf"))
    );
    let files = ada.get(&format!("{task}/timeline?part=files")).await.expect(200);
    assert_eq!(files["items"].as_array().unwrap().len(), 1);
}

/// Returns what a search finds.
async fn search(member: &As, query: &str) -> String {
    member.post("/api/common/search", json!({"query": query, "limit": 50})).await.expect(200).to_string()
}

/// No answer to a member names files of records that the member may not see. Their addresses stay unknown, with which
/// everyone could read them.
#[tokio::test]
async fn files_of_hidden_records_are_hidden() {
    let app = TestApp::new().await;
    let ada = app.acme(Role::Member).await;
    let ben = app.hire("ben", Role::Member).await;
    let cy = app.hire("cy", Role::Member).await;
    let ana = create(&ada, "/api/customers", json!({"name": "Ana"})).await;
    let ana_id = ana.rsplit('/').next().unwrap();
    for visibility in [json!({"to": "me"}), json!({"to": "people", "people": [cy.id]})] {
        let to = visibility["to"].as_str().unwrap().to_owned();
        for (path, body) in [
            ("/api/deals", json!({"title": "Secret", "customerId": ana_id, "visibility": visibility})),
            ("/api/pages", json!({"title": "Secret", "status": "published", "visibility": visibility})),
        ] {
            let record = create(&ada, path, body).await;
            let id = record.rsplit('/').next().unwrap();
            let word = format!("hush{to}{}", path.trim_start_matches("/api/"));
            let plan = ada.upload(&format!("{word}.pdf"), "application/pdf", b"%PDF-1.7").await.expect(201);
            let note = ada.upload(&format!("{word}note.pdf"), "application/pdf", b"%PDF-1.8").await.expect(201);
            let list = ada.post(&format!("{record}/files"), json!({"path": plan["url"]})).await.expect(200);
            let comment = json!({"value": "see", "attachments": [note["url"]]});
            ada.post(&format!("{record}/comments"), comment).await.expect(201);
            for way in ["", "/files", "/comments", "/timeline", "/timeline?part=files", "/links"] {
                ben.get(&format!("{record}{way}")).await.refused("not_found");
            }
            let entry = list["items"].as_array().map_or(&list, |items| &items[0])["id"].as_str().unwrap().to_owned();
            ben.delete(&format!("{record}/files/{entry}")).await.refused("not_found");
            ben.post(&format!("{record}/files"), json!({"path": plan["url"]})).await.refused("not_found");
            for way in [
                format!("{ana}/timeline?limit=100"),
                format!("{ana}/files"),
                format!("{path}?q={word}"),
                format!("{path}?limit=100"),
                "/api/dashboards/project".to_owned(),
                "/api/bin?limit=50".to_owned(),
            ] {
                let text = ben.get(&way).await.expect(200).to_string();
                for secret in [&word, plan["url"].as_str().unwrap(), note["url"].as_str().unwrap(), id] {
                    assert!(!text.contains(secret), "{way}: {text}");
                }
            }
            for query in [word.as_str(), "hush", &format!("{word}.pdf")] {
                assert!(!search(&ben, query).await.contains(id), "{query}");
                assert!(search(&ada, query).await.contains(id), "{query}");
            }
            if to == "people" {
                assert_eq!(names(&cy, &record).await, [format!("{word}.pdf")]);
                assert!(search(&cy, &word).await.contains(id));
            }
            // Who is shut out later does not see them any more.
            ada.patch(&record, json!({"visibility": {"to": "me"}})).await.expect(200);
            cy.get(&format!("{record}/files")).await.refused("not_found");
            // The index has the change once its author finds it.
            assert!(search(&ada, &word).await.contains(id));
            assert!(!search(&cy, &word).await.contains(id));
        }
    }
}
