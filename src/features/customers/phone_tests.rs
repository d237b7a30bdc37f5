//! Phone numbers of customers and organizations, and look-up by exact values, over HTTP.

use serde_json::{Value, json};

use super::{
    model::{Customer, Details},
    upgrade::{ContactUpgrade, upgrade_some, waiting},
};
use crate::{
    features::organizations::Phone,
    kernel::{Id, Result},
    people::permission::Role,
    store::{Actor, TenantWrite},
    testing::{As, TestApp},
};

async fn with_phone(member: &As, name: &str, phone: Value) -> Value {
    let customer = json!({"name": name, "details": {"phoneNumbers": [phone]}});
    member.post("/api/customers", customer).await.expect(201)
}

async fn found(member: &As, path: &str) -> Vec<String> {
    let list = member.get(path).await.expect(200);
    let items = list["items"].as_array().unwrap();
    items.iter().map(|one| one["name"].as_str().unwrap_or_default().to_owned()).collect()
}

#[tokio::test]
async fn phone_numbers_have_forms_that_only_the_server_sets() {
    let app = TestApp::new().await;
    let member = app.acme(Role::Member).await;
    let typed = json!({"country": "es", "phoneNumber": "600.555.012", "e164": "+1", "national": "x"});
    let ada = with_phone(&member, "Ada", typed).await;
    let expected = json!({
        "country": "ES", "phoneNumber": "600.555.012", "label": "",
        "e164": "+34600555012", "international": "+34 600 55 50 12", "national": "600 55 50 12",
    });
    assert_eq!(ada["details"]["phoneNumbers"][0], expected);

    // What was read can be sent back; another number gets other forms.
    let path = format!("/api/customers/{}", ada["id"].as_str().unwrap());
    let mut phones = ada["details"]["phoneNumbers"].clone();
    phones[0]["phoneNumber"] = "+44 20 7946 0018".into();
    let changed = member.patch(&path, json!({"details": {"phoneNumbers": phones}})).await.expect(200);
    assert_eq!(changed["details"]["phoneNumbers"][0]["e164"], "+442079460018");
    assert_eq!(changed["details"]["phoneNumbers"][0]["country"], "GB");
    assert_eq!(changed["details"]["phoneNumbers"][0]["national"], "020 7946 0018");

    let extension = with_phone(&member, "Reception", json!({"country": "ES", "phoneNumber": "112"})).await;
    assert_eq!(extension["details"]["phoneNumbers"][0].get("e164"), None);
}

#[tokio::test]
async fn numbers_without_a_country_are_those_of_the_caller() {
    let app = TestApp::new().await;
    let member = app.acme(Role::Member).await;
    member.patch("/api/common/user", json!({"region": {"phoneCountry": "ES"}})).await.expect(200);
    let ada = with_phone(&member, "Ada", json!({"phoneNumber": "600 555 012"})).await;
    assert_eq!(ada["details"]["phoneNumbers"][0]["e164"], "+34600555012");
    let acme = json!({"name": "Acme", "phoneNumbers": [{"phoneNumber": "91 123 45 67"}]});
    let acme = member.post("/api/organizations", acme).await.expect(201);
    assert_eq!(acme["phoneNumbers"][0]["international"], "+34 911 23 45 67");
    let path = format!("/api/organizations/{}", acme["id"].as_str().unwrap());
    let other = json!({"phoneNumbers": [{"phoneNumber": "600 555 013", "e164": "+1"}]});
    assert_eq!(member.patch(&path, other).await.expect(200)["phoneNumbers"][0]["e164"], "+34600555013");
}

#[tokio::test]
async fn numbers_are_found_however_they_are_written() {
    let app = TestApp::new().await;
    let member = app.acme(Role::Member).await;
    member.patch("/api/common/user", json!({"region": {"phoneCountry": "ES"}})).await.expect(200);
    with_phone(&member, "Ada", json!({"country": "ES", "phoneNumber": "600 555 012"})).await;
    with_phone(&member, "Grace", json!({"country": "GB", "phoneNumber": "+44 20 7946 0018"})).await;
    for (typed, name) in [
        ("600555012", "Ada"),
        ("%2B34 600 55 50 12", "Ada"),
        ("0034600555012", "Ada"),
        ("55 50 12", "Ada"),
        ("020 7946 0018", "Grace"),
        ("442079460018", "Grace"),
    ] {
        let typed = typed.replace(' ', "%20");
        assert_eq!(found(&member, &format!("/api/customers?q={typed}")).await, [name], "{typed}");
    }
    let by_filter = found(&member, "/api/customers?filter=phone:contains:600555").await;
    assert_eq!(by_filter, ["Ada"]);
}

#[tokio::test]
async fn looks_up_records_by_exact_values() {
    let app = TestApp::new().await;
    let member = app.acme(Role::Member).await;
    member.patch("/api/common/user", json!({"region": {"phoneCountry": "ES"}})).await.expect(200);
    let ada = json!({
        "name": "Ada", "externalId": " crm-7 ",
        "details": {
            "emails": [{"email": "ada@acme.example"}, {"email": "ada@acme.example"}],
            "phoneNumbers": [{"phoneNumber": "600 555 012"}, {"phoneNumber": "112"}],
        },
    });
    let ada = member.post("/api/customers", ada).await.expect(201);
    assert_eq!(ada["externalId"], "crm-7");
    with_phone(&member, "Grace", json!({"phoneNumber": "600 555 013"})).await;
    for query in ["email=ADA@acme.example", "phone=0034600555012", "phone=600555012", "phone=112", "externalId=crm-7"] {
        assert_eq!(found(&member, &format!("/api/customers/lookup?{query}")).await, ["Ada"], "{query}");
    }
    assert_eq!(found(&member, "/api/customers/lookup?phone=600555013&email=ada@acme.example").await, ["Ada", "Grace"]);
    for query in ["email=ada@acme", "phone=600555", "externalId=CRM-7", "phone="] {
        assert_eq!(found(&member, &format!("/api/customers/lookup?{query}")).await, [""; 0], "{query}");
    }
    let nothing = member.get("/api/customers/lookup").await.expect(422);
    assert!(nothing["error"]["fields"]["externalId"].is_string());

    // Changes and removals follow.
    let path = format!("/api/customers/{}", ada["id"].as_str().unwrap());
    member.patch(&path, json!({"details": {"emails": []}, "externalId": null})).await.expect(200);
    assert_eq!(found(&member, "/api/customers/lookup?email=ada@acme.example&externalId=crm-7").await, [""; 0]);
    member.delete(&path).await.expect(204);
    assert_eq!(found(&member, "/api/customers/lookup?phone=112").await, [""; 0]);
}

#[tokio::test]
async fn external_ids_are_unique_within_a_kind() {
    let app = TestApp::new().await;
    let member = app.acme(Role::Member).await;
    for (path, name) in [("customers", "name"), ("organizations", "name"), ("deals", "title"), ("tasks", "title")] {
        let path = format!("/api/{path}");
        let first = member.post(&path, json!({name: "One", "externalId": "7"})).await.expect(201);
        let again = member.post(&path, json!({name: "Two", "externalId": "7"})).await;
        assert_eq!(again.expect(409)["error"]["fields"]["externalId"], "This is already in use. Choose another.");
        let found = member.get(&format!("{path}/lookup?externalId=7")).await.expect(200);
        assert_eq!(found["items"][0]["id"], first["id"], "{path}");
        let long = member.post(&path, json!({name: "Three", "externalId": "x".repeat(101)})).await;
        assert!(long.expect(422)["error"]["fields"]["externalId"].is_string());
    }
}

#[tokio::test]
async fn the_owner_is_who_creates_unless_the_call_names_another() {
    let app = TestApp::new().await;
    let member = app.acme(Role::Member).await;
    let other = app.acme(Role::Member).await;
    for (path, name) in [("customers", "name"), ("organizations", "name"), ("deals", "title")] {
        let path = format!("/api/{path}");
        let own = member.post(&path, json!({name: "Own"})).await.expect(201);
        assert_eq!(own["ownerId"], member.id.to_string(), "{path}");
        let nobody = member.post(&path, json!({name: "None", "ownerId": null})).await.expect(201);
        assert_eq!(nobody.get("ownerId"), None, "{path}");
        let others = member.post(&path, json!({name: "Other", "ownerId": other.id})).await.expect(201);
        assert_eq!(others["ownerId"], other.id.to_string(), "{path}");
    }
}

#[tokio::test]
async fn earlier_numbers_get_their_forms_once() {
    let app = TestApp::new().await;
    let member = app.acme(Role::Member).await;
    let before = |tx: &TenantWrite<'_>| {
        for _ in 0..60 {
            let phone = Phone { country: Some("ES".into()), number: "600 555 012".into(), ..Phone::default() };
            let details = Details { phone_numbers: vec![phone], ..Details::default() };
            tx.create(Customer { name: "Ada".into(), details, ..Customer::default() })?;
        }
        let id: Id<ContactUpgrade> = tx.single_id();
        assert_eq!(waiting(tx)?, Some(id));
        let mut steps = 1;
        while upgrade_some(tx, id)? {
            steps += 1;
        }
        Ok((steps, waiting(tx)?))
    };
    let done: Result<_> = app.app.store().write(app.acme.id, Actor::System, before).await.map(|(done, _)| done);
    assert_eq!(done.unwrap(), (3, None));
    let found = member.get("/api/customers/lookup?phone=%2B34600555012").await.expect(200);
    assert_eq!(found["total"], 50);
    assert_eq!(found["items"][0]["details"]["phoneNumbers"][0]["national"], "600 55 50 12");
    assert_eq!(found["items"][0]["version"], 1);
}
