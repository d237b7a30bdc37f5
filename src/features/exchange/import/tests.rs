//! Imports over HTTP.

use serde_json::{Value, json};

use crate::{
    people::permission::Role,
    testing::{As, TestApp},
};

/// Uploads a file to import.
async fn upload(member: &As, kind: &str, name: &str, bytes: &[u8]) -> Value {
    member.upload_to(&format!("/api/imports?kind={kind}"), name, "text/csv", bytes).await.expect(201)
}

fn path(plan: &Value) -> String {
    format!("/api/imports/{}", plan["id"].as_str().unwrap())
}

fn fields(plan: &Value) -> Vec<&str> {
    plan["columns"].as_array().unwrap().iter().map(|column| column["field"].as_str().unwrap_or("-")).collect()
}

async fn names(member: &As, list: &str) -> Vec<String> {
    let list = member.get(list).await.expect(200);
    let name = |one: &Value| one.get("name").or(one.get("title")).unwrap().as_str().unwrap().to_owned();
    list["items"].as_array().unwrap().iter().map(name).collect()
}

const PEOPLE: &str = "First name;Last name;Work Email;Mobile;Company;Birthday;Tags;Status;Street;Zip;City\r\n\
    Ana;López;Ana@Lopez.example;600 555 012;López SL;25/11/1980;vip, fair;Active;Calle Mayor 1;28013;Madrid\r\n\
    Li;Wei;li@wei.example;+34 600 555 013;;;;;;;\r\n";

#[tokio::test]
async fn people_are_imported_from_csv() {
    let app = TestApp::new().await;
    let member = app.acme(Role::Member).await;
    member.patch("/api/common/user", json!({"region": {"phoneCountry": "ES"}})).await.expect(200);
    let plan = upload(&member, "customers", "people.csv", PEOPLE.as_bytes()).await;
    assert_eq!(plan["rows"], 2);
    assert_eq!(plan["delimiter"], ";");
    assert_eq!(plan["dateOrder"], "dmy");
    assert_eq!(
        fields(&plan),
        [
            "firstName",
            "lastName",
            "email",
            "phone",
            "company",
            "birthday",
            "tags",
            "status",
            "street",
            "postalCode",
            "city"
        ]
    );
    let preview = member.get(&format!("{}/preview", path(&plan))).await.expect(200);
    assert_eq!(preview["rows"][0]["cells"][0], "Ana");
    assert_eq!(preview["rows"][0]["problems"], json!([]));

    member.post(&format!("{}/start", path(&plan)), json!({})).await.expect(202);
    let import = member.import_over(&plan).await;
    assert_eq!(import["state"], "done", "{import}");
    assert_eq!(import["counts"], json!({"done": 2, "created": 2, "updated": 0, "skipped": 0, "failed": 0}));
    let ana = member.get("/api/customers/lookup?email=ana@lopez.example").await.expect(200)["items"][0].clone();
    assert_eq!(ana["name"], "Ana López");
    assert_eq!(ana["status"], "active");
    assert_eq!(ana["tags"], json!(["vip", "fair"]));
    assert_eq!(ana["ownerId"], member.id.to_string());
    assert_eq!(ana["details"]["emails"], json!([{"email": "ana@lopez.example", "label": "Work"}]));
    assert_eq!(ana["details"]["phoneNumbers"][0]["e164"], "+34600555012");
    assert_eq!(ana["details"]["phoneNumbers"][0]["label"], "Mobile");
    assert_eq!(ana["details"]["birthday"], "1980-11-25");
    assert_eq!(ana["details"]["address"], "Calle Mayor 1\n28013 Madrid");
    assert_eq!(names(&member, "/api/customers?q=lopez").await, ["Ana López"]);
}

#[tokio::test]
async fn a_name_beside_last_names_is_the_first_name() {
    let app = TestApp::new().await;
    let member = app.acme(Role::Member).await;
    let csv = "Nombre;Apellidos\r\nAna;López García\r\n";
    let plan = upload(&member, "customers", "people.csv", csv.as_bytes()).await;
    assert_eq!(fields(&plan), ["firstName", "lastName"]);
    member.import("customers", csv).await;
    assert_eq!(names(&member, "/api/customers").await, ["Ana López García"]);
}

#[tokio::test]
async fn importing_twice_makes_none_twice() {
    let app = TestApp::new().await;
    let member = app.acme(Role::Member).await;
    let nameless = "Name,Company\r\nOnly a name,\r\nOnly a name,Acme\r\nOnly a name,\r\n";
    let organizations = "Name,Website\r\nAcme,acme.example\r\n";
    let deals = "Title,Organization,Value,Currency\r\nRugs,Acme,\"1,250.00\",EUR\r\nRugs,,5,EUR\r\n";
    let tasks = "Title,Due date\r\nCall,2026-12-01\r\nCall,2026-12-02\r\n";
    for (kind, csv, created) in [
        ("customers", PEOPLE, 2),
        ("customers", nameless, 2),
        ("organizations", organizations, 1),
        ("deals", deals, 2),
        ("tasks", tasks, 2),
    ] {
        let first = member.import(kind, csv).await;
        assert_eq!(first["counts"]["created"], created, "{first}");
        assert_eq!(first["counts"]["failed"], 0, "{first}");
        let again = member.import(kind, csv).await;
        assert_eq!(again["counts"]["created"], 0, "{again}");
        assert_eq!(again["counts"]["skipped"], again["counts"]["done"], "{again}");
    }
}

#[tokio::test]
async fn a_check_counts_what_the_import_would_do_and_keeps_nothing() {
    let app = TestApp::new().await;
    let member = app.acme(Role::Member).await;
    let csv = "Name,Email,Birthday\r\nAda,ada@a.example,1815-12-10\r\nAda again,ada@a.example,\r\n\
        ,bad address,\r\nGrace,grace@a.example,never\r\n,,1900-01-01\r\n";
    let plan = upload(&member, "customers", "people.csv", csv.as_bytes()).await;
    assert_eq!(fields(&plan), ["name", "email", "birthday"]);
    member.post(&format!("{}/check", path(&plan)), json!({})).await.expect(202);
    let checked = member.import_over(&plan).await;
    assert_eq!(checked["state"], "checked", "{checked}");
    assert_eq!(checked["checked"], json!({"done": 5, "created": 1, "updated": 0, "skipped": 1, "failed": 3}));
    let problems: Vec<(u64, u64)> = checked["problems"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| (one["row"].as_u64().unwrap(), one["column"].as_u64().unwrap_or(99)))
        .collect();
    assert_eq!(problems, [(4, 1), (5, 2), (6, 99)]);
    assert_eq!(names(&member, "/api/customers").await, [""; 0]);

    member.post(&format!("{}/start", path(&plan)), json!({})).await.expect(202);
    let done = member.import_over(&plan).await;
    assert_eq!(done["counts"], checked["checked"]);
    let report = member.get(&format!("{}/report", path(&plan))).await;
    let text = String::from_utf8(report.bytes.clone()).unwrap();
    assert!(text.contains("\"Birthday\",\"We can’t read this date."), "{text}");
}

#[tokio::test]
async fn updates_fill_in_and_undo_puts_back_what_nobody_changed() {
    let app = TestApp::new().await;
    let member = app.acme(Role::Member).await;
    let ada = json!({"name": "Ada", "tags": ["old"], "details": {"emails": [{"email": "ada@a.example"}], "title": "Analyst"}});
    let ada = member.post("/api/customers", ada).await.expect(201);
    let ada_path = format!("/api/customers/{}", ada["id"].as_str().unwrap());
    let csv = "Name,Email,Tags,Job title,Organization\r\nAda Lovelace,ada@a.example,new,,Babbage & Co\r\n\
        Grace,grace@a.example,,,Navy\r\nKeeper,keep@a.example,,,Navy\r\n";
    let plan = upload(&member, "customers", "people.csv", csv.as_bytes()).await;
    let columns = json!([
        {"field": "name"}, {"field": "email"}, {"field": "tags"}, {"field": "title"}, {"field": "organization"}
    ]);
    let change = json!({"duplicates": "update", "columns": columns});
    member.patch(&path(&plan), change).await.expect(200);
    member.post(&format!("{}/start", path(&plan)), json!({})).await.expect(202);
    let done = member.import_over(&plan).await;
    assert_eq!(done["counts"], json!({"done": 3, "created": 2, "updated": 1, "skipped": 0, "failed": 0}), "{done}");
    let updated = member.get(&ada_path).await.expect(200);
    assert_eq!(updated["name"], "Ada Lovelace");
    assert_eq!(updated["tags"], json!(["old", "new"]));
    assert_eq!(updated["details"]["title"], "Analyst", "an empty cell changes nothing");
    assert_eq!(updated["details"]["company"], "Babbage & Co");
    assert_eq!(names(&member, "/api/organizations").await, ["Babbage & Co", "Navy"]);

    let keeper = member.get("/api/customers/lookup?email=keep@a.example").await.expect(200)["items"][0].clone();
    let keeper_path = format!("/api/customers/{}", keeper["id"].as_str().unwrap());
    member.patch(&keeper_path, json!({"about": "changed since"})).await.expect(200);
    member.post(&format!("{}/undo", path(&plan)), json!({})).await.expect(202);
    let undone = member.import_over(&plan).await;
    assert_eq!(undone["state"], "undone");
    assert_eq!(undone["undone"], 2);
    assert_eq!(undone["keptIds"], json!([keeper["id"]]));
    let restored = member.get(&ada_path).await.expect(200);
    for field in ["name", "tags", "details", "organizationId"] {
        assert_eq!(restored.get(field), ada.get(field), "{field}");
    }
    assert_eq!(names(&member, "/api/customers").await, ["Ada", "Keeper"]);
    assert_eq!(names(&member, "/api/organizations").await, ["Navy"]);
    member.post(&format!("{}/undo", path(&plan)), json!({})).await.expect(409);
}

#[tokio::test]
async fn columns_can_become_custom_fields() {
    let app = TestApp::new().await;
    let admin = app.acme(Role::Admin).await;
    let csv = "Name,Shoe size,Since\r\nAda,\"38,5\",01/02/2020\r\n";
    let plan = upload(&admin, "customers", "people.csv", csv.as_bytes()).await;
    assert_eq!(fields(&plan), ["name", "-", "-"]);
    let number = json!({"name": "Shoe size", "type": "number"});
    let date = json!({"name": "Since", "type": "date"});
    let columns = json!([{"field": "name"}, {"newField": number}, {"newField": date}]);
    let change = json!({"columns": columns, "decimalMark": "comma", "dateOrder": "dmy"});
    let changed = admin.patch(&path(&plan), change).await.expect(200);
    assert_eq!(changed["columns"][1]["newField"]["type"], "number");
    admin.post(&format!("{}/start", path(&plan)), json!({})).await.expect(202);
    assert_eq!(admin.import_over(&plan).await["counts"]["created"], 1);
    let ada = admin.get("/api/customers").await.expect(200)["items"][0].clone();
    assert_eq!(ada["fields"], json!({"shoeSize": 38.5, "since": "2020-02-01"}));

    let member = app.acme(Role::Member).await;
    let plan = upload(&member, "customers", "people.csv", csv.as_bytes()).await;
    let columns = json!([{"field": "name"}, {"newField": {"name": "Other", "type": "text"}}, {}]);
    let refused = member.patch(&path(&plan), json!({"columns": columns})).await.expect(422);
    assert!(refused["error"]["fields"]["columns.1"].is_string());
}

#[tokio::test]
async fn vcards_are_imported_as_people() {
    let app = TestApp::new().await;
    let member = app.acme(Role::Member).await;
    let cards = "BEGIN:VCARD\r\nVERSION:3.0\r\nFN:Ana López\r\nN:López;Ana;;;\r\nORG:López SL\r\nTITLE:CEO\r\n\
        EMAIL;TYPE=WORK:ana@lopez.example\r\nTEL;TYPE=CELL:+34 600 555 012\r\nBDAY:1980-11-25\r\n\
        ADR;TYPE=WORK:;;Calle Mayor 1;Madrid;;28013;España\r\nNOTE:Met at\\nthe fair\r\nCATEGORIES:vip,fair\r\n\
        END:VCARD\r\nBEGIN:VCARD\r\nVERSION:4.0\r\nFN:Li Wei\r\nEND:VCARD\r\n";
    let plan = upload(&member, "customers", "people.vcf", cards.as_bytes()).await;
    assert_eq!(plan["format"], "vcard");
    assert_eq!(plan["rows"], 2);
    member.post(&format!("{}/start", path(&plan)), json!({})).await.expect(202);
    let done = member.import_over(&plan).await;
    assert_eq!(done["counts"]["created"], 2, "{done}");
    let ana = member.get("/api/customers/lookup?email=ana@lopez.example").await.expect(200)["items"][0].clone();
    assert_eq!(ana["details"]["company"], "López SL");
    assert_eq!(ana["details"]["phoneNumbers"][0]["e164"], "+34600555012");
    assert_eq!(ana["tags"], json!(["vip", "fair"]));
    assert_eq!(ana["notes"], "<p>Met at</p><p>the fair</p>");
    let refused = member.upload_to("/api/imports?kind=deals", "people.vcf", "text/vcard", cards.as_bytes()).await;
    refused.expect(422);
}

#[tokio::test]
async fn files_that_cannot_be_read_are_refused_with_a_reason() {
    let app = TestApp::new().await;
    let member = app.acme(Role::Member).await;
    let wide = vec!["x"; 500].join(",");
    let blank = "\r\n".repeat(1_000_000);
    let unclosed = format!("Name,About\r\nAda,\"{}", "x\n".repeat(100_000));
    for (name, bytes, reason) in [
        ("empty", &b""[..], "empty"),
        ("blank", blank.as_bytes(), "empty"),
        ("picture", &b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"[..], "binary"),
        ("workbook", &b"PK\x03\x04\x14\0\x06\0\x08\0\0\0!\0[Content_Types].xml xl/workbook.xml"[..], "spreadsheet"),
        ("wide", wide.as_bytes(), "columns"),
        ("unclosed", unclosed.as_bytes(), "quote"),
    ] {
        let refused = member.upload_to("/api/imports?kind=customers", name, "text/csv", bytes).await.expect(422);
        assert_eq!(refused["error"]["reasons"]["file"], reason, "{name}: {refused}");
    }
    let refused = member.upload_to("/api/imports?kind=pages", "a.csv", "text/csv", b"a,b\n1,2").await.expect(422);
    assert!(refused["error"]["fields"]["kind"].is_string(), "{refused}");
    app.acme(Role::Viewer)
        .await
        .upload_to("/api/imports?kind=customers", "a.csv", "text/csv", b"a\n1")
        .await
        .expect(403);
    assert_eq!(names(&member, "/api/imports").await, [""; 0]);
}

#[tokio::test]
async fn an_import_goes_on_after_a_restart() {
    let app = TestApp::new().await;
    let member = app.acme(Role::Member).await;
    let rows: Vec<String> = (0..1_500).map(|n| format!("Person {n},p{n}@a.example")).collect();
    let csv = format!("Name,Email\r\n{}", rows.join("\r\n"));
    let plan = upload(&member, "customers", "people.csv", csv.as_bytes()).await;
    member.post(&format!("{}/start", path(&plan)), json!({})).await.expect(202);
    drop(member);
    let app = app.restart().await;
    let member = app.acme(Role::Member).await;
    let done = member.import_over(&plan).await;
    assert_eq!(done["counts"], json!({"done": 1500, "created": 1500, "updated": 0, "skipped": 0, "failed": 0}));
    assert_eq!(member.get("/api/customers?limit=1").await.expect(200)["total"], 1500);
}
