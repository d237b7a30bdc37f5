//! Organizations over HTTP.

use serde_json::{Value, json};

use crate::{
    people::permission::Role,
    testing::{As, TestApp},
};

async fn names(caller: &As, query: &str) -> Vec<String> {
    let list = caller.get(&format!("/api/organizations{query}")).await.expect(200);
    let items = list["items"].as_array().unwrap();
    assert_eq!(list["total"], items.len());
    items.iter().map(|item| item["name"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn an_organization_is_written_read_changed_and_removed() {
    let app = TestApp::new().await;
    let member = app.acme(Role::Member).await;
    let body = json!({"name": "  López  SL ", "tags": ["Supplier"], "ownerId": member.id, "website": "lopez.example",
        "emails": [{"email": "Info@Lopez.example"}], "phoneNumbers": [{"country": "es", "phoneNumber": "914 555 012"}],
        "address": "Calle Mayor 1\n28013 Madrid", "about": "Delivers on Mondays."});
    let made = member.post("/api/organizations", body).await;
    assert_eq!(made.tagged_version(), 1);
    let made = made.expect(201);
    assert_eq!((&made["name"], &made["tags"]), (&json!("López SL"), &json!(["supplier"])));
    assert_eq!(made["website"], "https://lopez.example");
    assert_eq!(made["emails"], json!([{"email": "info@lopez.example", "label": ""}]));
    assert_eq!(made["phoneNumbers"][0]["country"], "ES");
    let path = format!("/api/organizations/{}", made["id"].as_str().unwrap());
    let changed = member.patch(&path, json!({"about": null, "tags": []})).await.expect(200);
    assert_eq!((changed.get("about"), &changed["version"]), (None, &json!(2)));
    assert_eq!(member.get(&path).await.expect(200), changed);
    member.delete(&path).await.expect(204);
    member.get(&path).await.refused("record_in_bin");
}

#[tokio::test]
async fn every_faulty_field_is_named() {
    let app = TestApp::new().await;
    let member = app.acme(Role::Member).await;
    let body = json!({"name": " ", "logo": "/media/none", "website": "javascript:alert(1)", "ownerId": app.other.id,
        "emails": [{"email": "info"}], "phoneNumbers": [{"phoneNumber": "call"}], "address": "x".repeat(501)});
    let refused = member.post("/api/organizations", body).await;
    refused.refused("invalid");
    let fields: Vec<&String> = refused.body["error"]["fields"].as_object().unwrap().keys().collect();
    let expected = ["address", "emails.0.email", "logo", "name", "ownerId", "phoneNumbers.0.phoneNumber", "website"];
    assert_eq!(fields, expected);
}

#[tokio::test]
async fn lists_are_sorted_by_name_filtered_and_searched() {
    let app = TestApp::new().await;
    let member = app.acme(Role::Member).await;
    let add = async |body: Value| member.post("/api/organizations", body).await.expect(201);
    add(json!({"name": "Zeta Ltd", "tags": ["supplier"], "address": "1 High Street\nLeeds"})).await;
    add(json!({"name": "Ábaco", "emails": [{"email": "hola@abaco.example"}]})).await;
    add(json!({"name": "Beta", "tags": ["supplier", "press"]})).await;
    assert_eq!(names(&member, "").await, ["Ábaco", "Beta", "Zeta Ltd"]);
    assert_eq!(names(&member, "?sort=-name&filter=tags:is:supplier").await, ["Zeta Ltd", "Beta"]);
    assert_eq!(names(&member, "?q=abaco.example").await, ["Ábaco"]);
    let found = member.post("/api/common/search", json!({"query": "leeds"})).await.expect(200);
    assert_eq!((&found[0]["id"], &found[0]["results"][0]["title"]), (&json!("organizations"), &json!("Zeta Ltd")));
    assert!(found[0]["results"][0]["link"].as_str().unwrap().starts_with("/customers/organizations/"), "{found}");
    let stranger = app.other(Role::Owner).await;
    assert_eq!(names(&stranger, "").await, Vec::<String>::new());
}
