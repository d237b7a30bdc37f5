//! Duplicates over HTTP: of a new record, of one that exists, and among all.

use serde_json::{Value, json};

use crate::{
    people::permission::Role,
    testing::{As, TestApp, wait_for},
};

async fn create(member: &As, path: &str, body: Value) -> String {
    member.post(path, body).await.expect(201)["id"].as_str().unwrap().to_owned()
}

/// The ids, scores and signs of an answer.
fn found(answer: &Value) -> Vec<(String, u64, Vec<String>)> {
    let one = |item: &Value| {
        let signs = item["reasons"].as_array().unwrap().iter().map(|reason| reason["reason"].as_str().unwrap());
        (item["id"].as_str().unwrap().to_owned(), item["score"].as_u64().unwrap(), signs.map(str::to_owned).collect())
    };
    answer["items"].as_array().unwrap().iter().map(one).collect()
}

async fn look(member: &As, query: Value) -> Vec<(String, u64, Vec<String>)> {
    found(&member.post("/api/duplicates/find", query).await.expect(200))
}

fn signs(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

#[tokio::test]
async fn new_record_is_compared_while_it_is_typed() {
    let app = TestApp::new().await;
    let ada = app.acme(Role::Member).await;
    let ana = json!({"name": "Ana García López", "details": {"emails": [{"email": "ana@sol.example"}],
        "phoneNumbers": [{"country": "ES", "phoneNumber": "600 555 012"}], "company": "Ferretería Sol"}});
    let ana = create(&ada, "/api/customers", ana).await;
    create(&ada, "/api/customers", json!({"name": "Ben Okafor"})).await;
    let email = look(&ada, json!({"kind": "customers", "emails": ["ANA@sol.example"]})).await;
    assert_eq!(email, [(ana.clone(), 50, signs(&["email"]))]);
    let phones = json!([{"country": "ES", "phoneNumber": "0034 600-555-012"}]);
    let query = json!({"kind": "customers", "name": "Lopez Garcia, Ana", "phones": phones});
    let phone = look(&ada, query).await;
    assert_eq!(phone, [(ana.clone(), 80, signs(&["phone", "swappedName"]))]);
    // A phone number alone is enough, also within a company, as an import takes it as the same person.
    let phone =
        look(&ada, json!({"kind": "customers", "name": "Leo", "company": "ferreteria sol", "phones": phones})).await;
    assert_eq!(phone, [(ana.clone(), 45, signs(&["phone"]))]);
    let comma = json!({"kind": "customers", "name": "García López, Ana", "emails": ["ana@sol.example"]});
    assert_eq!(look(&ada, comma).await, [(ana.clone(), 95, signs(&["email", "name"]))]);
    let similar = json!({"kind": "customers", "name": "Ana Garcia", "company": "FERRETERIA SOL"});
    assert_eq!(look(&ada, similar).await, [(ana, 45, signs(&["similarName", "organization"]))]);
    assert_eq!(look(&ada, json!({"kind": "customers", "name": "Anabel"})).await, []);
    assert_eq!(
        look(&app.other(Role::Owner).await, json!({"kind": "customers", "emails": ["ana@sol.example"]})).await,
        []
    );

    let refused = ada.post("/api/duplicates/find", json!({"kind": "tasks", "name": "Call"})).await;
    assert!(refused.body["error"]["fields"]["kind"].is_string(), "{}", refused.body);
    let many: Vec<String> = (0..11).map(|n| format!("a{n}@x.example")).collect();
    let refused = ada.post("/api/duplicates/find", json!({"kind": "customers", "emails": many})).await;
    assert!(refused.body["error"]["fields"]["emails"].is_string(), "{}", refused.body);
}

#[tokio::test]
async fn organizations_are_compared_without_their_legal_form() {
    let app = TestApp::new().await;
    let ada = app.acme(Role::Member).await;
    let sol = json!({"name": "Ferretería Sol, S.L.", "website": "https://www.sol.example/es"});
    let sol = create(&ada, "/api/organizations", sol).await;
    let name = look(&ada, json!({"kind": "organizations", "name": "FERRETERIA SOL SL"})).await;
    assert_eq!(name, [(sol, 60, signs(&["name"]))]);
    let website = json!({"kind": "organizations", "name": "Ferreteria Sool", "website": "sol.example"});
    assert_eq!(look(&ada, website).await[0].1, 65);
}

#[tokio::test]
async fn record_has_no_duplicates_once_a_member_said_so() {
    let app = TestApp::new().await;
    let ada = app.acme(Role::Member).await;
    let viewer = app.acme(Role::Viewer).await;
    let one = create(&ada, "/api/customers", json!({"name": "Ana García"})).await;
    let other = create(&ada, "/api/customers", json!({"name": "ana garcia"})).await;
    let path = format!("/api/customers/{one}/duplicates");
    assert_eq!(found(&viewer.get(&path).await.expect(200)), [(other.clone(), 45, signs(&["name"]))]);
    let dismissed = |is| json!({"kind": "customers", "ids": [other, one], "dismissed": is});
    viewer.post("/api/duplicates/dismiss", dismissed(true)).await.refused("forbidden");
    ada.post("/api/duplicates/dismiss", dismissed(true)).await.expect(204);
    ada.post("/api/duplicates/dismiss", dismissed(true)).await.expect(204);
    assert_eq!(found(&viewer.get(&path).await.expect(200)), []);
    ada.post("/api/duplicates/dismiss", dismissed(false)).await.expect(204);
    assert_eq!(found(&viewer.get(&path).await.expect(200)).len(), 1);

    for ids in [json!([one]), json!([one, one]), json!([one, app.acme(Role::Owner).await.id])] {
        let body = json!({"kind": "customers", "ids": ids});
        let refused = ada.post("/api/duplicates/dismiss", body).await;
        assert!(refused.body["error"]["fields"]["ids"].is_string(), "{}", refused.body);
    }
    app.other(Role::Owner).await.get(&path).await.refused("not_found");
}

/// Scans all customers, and waits for the end.
async fn scan(member: &As) -> Value {
    member.post("/api/duplicates/scan", json!({"kind": "customers"})).await.expect(200);
    wait_for("the end of the scan", async || {
        let scan = member.get("/api/duplicates/scan?kind=customers").await.expect(200);
        (scan["state"] != "running").then_some(scan)
    })
    .await
}

/// The names of the pairs of a list.
async fn pairs(member: &As) -> Vec<Vec<String>> {
    let list = member.get("/api/duplicates?kind=customers").await.expect(200);
    let names = |pair: &Value| {
        let records = pair["records"].as_array().unwrap().iter();
        records.map(|record| record["card"]["title"].as_str().unwrap().to_owned()).collect()
    };
    list["items"].as_array().unwrap().iter().map(names).collect()
}

#[tokio::test]
async fn scan_finds_all_pairs_until_they_are_merged_or_dismissed() {
    let app = TestApp::new().await;
    let ada = app.acme(Role::Owner).await;
    let never = ada.get("/api/duplicates/scan?kind=customers").await.expect(200);
    assert_eq!(never["state"], "never");
    assert_eq!(pairs(&ada).await, Vec::<Vec<String>>::new());
    let mut ids = Vec::new();
    for (name, email, company) in [
        ("Ana García", "ana@sol.example", "Sol"),
        ("Ana Garcia", "ana@sol.example", ""),
        ("Ben Okafor", "ben@x.example", ""),
        ("Okafor, Ben", "ben@x.example", ""),
        ("Carla Núñez", "", "Sol"),
        ("Carla Nuñes", "", "Sol"),
        ("Zoe Park", "zoe@x.example", ""),
        ("Zoe Park", "park@y.example", ""),
    ] {
        let emails: Vec<Value> =
            [email].iter().filter(|email| !email.is_empty()).map(|email| json!({"email": email})).collect();
        let details = json!({"emails": emails, "company": company});
        ids.push(create(&ada, "/api/customers", json!({"name": name, "details": details})).await);
        app.clock.advance(1);
    }
    let done = scan(&ada).await;
    assert_eq!((done["state"].as_str(), done["found"].as_u64()), (Some("done"), Some(3)));
    assert_eq!(
        pairs(&ada).await,
        [["Ana García", "Ana Garcia"], ["Ben Okafor", "Okafor, Ben"], ["Carla Núñez", "Carla Nuñes"]]
    );
    let first = ada.get("/api/duplicates?kind=customers&limit=2").await.expect(200);
    let next = first["nextCursor"].as_str().unwrap();
    let second = ada.get(&format!("/api/duplicates?kind=customers&limit=2&cursor={next}")).await.expect(200);
    assert_eq!((second["items"].as_array().unwrap().len(), second["total"].as_u64()), (1, Some(3)));

    let merge = format!("/api/customers/{}/merge", ids[0]);
    let merged = ada.post(&merge, json!({"duplicateId": ids[1]})).await.expect(200);
    assert_eq!(pairs(&ada).await.len(), 2);
    ada.post(&format!("/api/merges/{}/undo", merged["id"].as_str().unwrap()), json!({})).await.expect(200);
    assert_eq!(
        pairs(&ada).await,
        [["Ana García", "Ana Garcia"], ["Ben Okafor", "Okafor, Ben"], ["Carla Núñez", "Carla Nuñes"]],
        "an undone merge brings the pair back to its place"
    );
    assert_eq!(ada.get("/api/duplicates/scan?kind=customers").await.expect(200)["found"], 3);
    ada.post(&merge, json!({"duplicateId": ids[1]})).await.expect(200);
    let body = json!({"kind": "customers", "ids": [ids[2], ids[3]]});
    ada.post("/api/duplicates/dismiss", body).await.expect(204);
    assert_eq!(pairs(&ada).await, [["Carla Núñez", "Carla Nuñes"]]);
    let body = json!({"kind": "customers", "ids": [ids[2], ids[3]], "dismissed": false});
    ada.post("/api/duplicates/dismiss", body).await.expect(204);
    assert_eq!(pairs(&ada).await.len(), 2, "it is there again");
    assert_eq!(ada.get("/api/duplicates/scan?kind=customers").await.expect(200)["found"], 2);
    let body = json!({"kind": "customers", "ids": [ids[2], ids[3]]});
    ada.post("/api/duplicates/dismiss", body).await.expect(204);
    ada.patch(&format!("/api/customers/{}", ids[5]), json!({"name": "Dora Pérez"})).await.expect(200);
    assert_eq!(pairs(&ada).await, Vec::<Vec<String>>::new());
    assert_eq!(scan(&ada).await["found"], 0);
}

#[tokio::test]
async fn scan_does_not_take_a_shared_number_of_a_company_for_duplicates() {
    let app = TestApp::new().await;
    let ada = app.acme(Role::Owner).await;
    let mut ids = Vec::new();
    for (name, phone, company) in [
        ("Ana García", "600 555 012", "Sol"),
        ("Leo Sanz", "+34 600-555-012", "Luna"),
        // Colleagues with the number of their company.
        ("Ben Okafor", "910 555 001", "Acme"),
        ("Carla Núñez", "910 555 001", "ACME"),
        // A number of many, whose companies are not known.
        ("Dora Pérez", "930 555 002", ""),
        ("Emil Berg", "930 555 002", ""),
        ("Fay Moss", "930 555 002", ""),
        ("Gil Roca", "930 555 002", ""),
        ("Hana Ito", "930 555 002", ""),
    ] {
        let phones = json!([{"country": "ES", "phoneNumber": phone}]);
        let body = json!({"name": name, "details": {"phoneNumbers": phones, "company": company}});
        ids.push(create(&ada, "/api/customers", body).await);
        app.clock.advance(1);
    }
    assert_eq!(scan(&ada).await["found"], 1);
    assert_eq!(pairs(&ada).await, [["Ana García", "Leo Sanz"]]);
    let of_leo = ada.get(&format!("/api/customers/{}/duplicates", ids[1])).await.expect(200);
    assert_eq!(found(&of_leo), [(ids[0].clone(), 45, signs(&["phone"]))]);
    let of_colleague = ada.get(&format!("/api/customers/{}/duplicates", ids[2])).await.expect(200);
    assert_eq!(found(&of_colleague), []);
}
