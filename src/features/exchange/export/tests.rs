//! Exports over HTTP, and that an import of an export is the same.

use serde_json::{Map, Value, json};

use crate::{
    people::permission::Role,
    testing::{As, TestApp},
};

async fn export(member: &As, query: &str) -> String {
    let got = member.export(query).await;
    assert_eq!(got.status, 200, "{}", got.body);
    String::from_utf8(got.bytes).unwrap()
}

// The kind of fault: two columns of a file have one name, so that the values of one come back as those of the other.
#[tokio::test]
async fn a_custom_field_with_the_name_of_one_of_ours_comes_back_as_itself() {
    let app = TestApp::new().await;
    let admin = app.acme(Role::Admin).await;
    for name in ["Job title", "ABOUT"] {
        admin.post("/api/fields", json!({"kind": "customers", "name": name, "type": "text"})).await.expect(201);
    }
    let fields = admin.get("/api/fields?kind=customers").await.expect(200);
    let keys: Vec<String> =
        fields["items"].as_array().unwrap().iter().map(|one| one["key"].as_str().unwrap().to_owned()).collect();
    let values = json!({keys[0].clone(): "first", keys[1].clone(): "second"});
    let ana = json!({"name": "Ana", "about": "own", "details": {"title": "CEO"}, "fields": values});
    let ana = admin.post("/api/customers", ana).await.expect(201);
    let csv = export(&admin, "kind=customers").await;
    let change =
        json!({"about": "x", "details": {"title": "x"}, "fields": {keys[0].clone(): "x", keys[1].clone(): "x"}});
    let at = format!("/api/customers/{}", ana["id"].as_str().unwrap());
    admin.patch(&at, change).await.expect(200);
    let plan = admin.upload_to("/api/imports?kind=customers", "a.csv", "text/csv", csv.as_bytes()).await.expect(201);
    let plan_path = format!("/api/imports/{}", plan["id"].as_str().unwrap());
    admin.patch(&plan_path, json!({"duplicates": "update"})).await.expect(200);
    admin.post(&format!("{plan_path}/start"), json!({})).await.expect(202);
    admin.import_over(&plan).await;
    let back = admin.get(&at).await.expect(200);
    for field in ["about", "details", "fields"] {
        assert_eq!(back[field], ana[field], "{csv}");
    }
}

// The kind of fault: two columns of a file have one name, so that the values of one come back as those of the other.
#[tokio::test]
async fn custom_fields_that_could_be_taken_for_ours_come_back_as_themselves() {
    for (kind, language, names, plain) in [
        ("customers", "en", vec!["Email", "Phone", "Teléfono", "Correo", "Links", "Tags"], vec!["Shoe size"]),
        ("customers", "es", vec!["City", "Country", "First name", "Ciudad", "ID", "Título"], vec!["Talla"]),
        // Their names mean something only beside other columns, or with words around them.
        ("customers", "en", vec!["Phone 1 type", "Work email", "Second surname"], vec!["Since"]),
        ("organizations", "en", vec!["Correo electrónico", "Web", "Postal code"], vec!["Sector"]),
        ("deals", "es", vec!["Amount", "Stage", "Owner"], vec!["Canal"]),
    ] {
        let app = TestApp::new().await;
        let admin = app.acme(Role::Admin).await;
        admin.patch("/api/common/user", json!({"locale": language})).await.expect(200);
        let mut values = Map::new();
        for name in names.iter().chain(&plain) {
            let field = json!({"kind": kind, "name": name, "type": "text"});
            let field = admin.post("/api/fields", field).await.expect(201);
            values.insert(field["key"].as_str().unwrap().to_owned(), json!(format!("{name}@x.example")));
        }
        let keys: Vec<String> = values.keys().cloned().collect();
        let made = json!({"name": "Ana", "fields": values});
        let mut body = made.clone();
        if kind == "deals" {
            body = json!({"title": "Ana", "fields": made["fields"]});
        }
        let made = admin.post(&format!("/api/{kind}"), body).await.expect(201);
        let csv = export(&admin, &format!("kind={kind}")).await;
        let header = csv.lines().next().unwrap();
        for name in &plain {
            assert!(header.contains(&format!("\"{name}\"")), "{header}");
        }
        for name in ["Email", "Teléfono", "Correo", "City", "First name"].iter().filter(|name| names.contains(name)) {
            assert!(header.contains(&format!("\"{name} (fields.")), "{header}");
        }
        let at = format!("/api/{kind}/{}", made["id"].as_str().unwrap());
        let others: Map<String, Value> = keys.iter().map(|key| (key.clone(), json!("x"))).collect();
        admin.patch(&at, json!({"fields": others})).await.expect(200);
        let path = format!("/api/imports?kind={kind}");
        let plan = admin.upload_to(&path, "a.csv", "text/csv", csv.as_bytes()).await.expect(201);
        let place = format!("/api/imports/{}", plan["id"].as_str().unwrap());
        admin.patch(&place, json!({"duplicates": "update"})).await.expect(200);
        admin.post(&format!("{place}/start"), json!({})).await.expect(202);
        admin.import_over(&plan).await;
        let back = admin.get(&at).await.expect(200);
        for member in ["name", "title", "details", "fields", "tags", "website", "address", "value", "ownerId"] {
            assert_eq!(back[member], made[member], "{member}: {csv}");
        }
        // Where there are no such fields, their columns go to no others.
        let other = app.other(Role::Admin).await;
        let plan = other.upload_to(&path, "a.csv", "text/csv", csv.as_bytes()).await.expect(201);
        for column in plan["columns"].as_array().unwrap() {
            let is_named = column["header"].as_str().unwrap().contains("(fields.");
            assert!(!is_named || column["field"].is_null(), "{column}");
        }
    }
}

/// Imports cards over the people who are there.
async fn update_by_cards(member: &As, cards: &str) -> Value {
    let path = "/api/imports?kind=customers";
    let plan = member.upload_to(path, "a.vcf", "text/vcard", cards.as_bytes()).await.expect(201);
    let place = format!("/api/imports/{}", plan["id"].as_str().unwrap());
    member.patch(&place, json!({"duplicates": "update"})).await.expect(200);
    member.post(&format!("{place}/start"), json!({})).await.expect(202);
    member.import_over(&plan).await
}

/// Returns cards as a program writes them that keeps no properties of ours.
fn without_own_properties(cards: &str) -> String {
    let mut is_own = false;
    let mut kept = String::new();
    for line in cards.split_inclusive("\r\n") {
        is_own = if line.starts_with(' ') { is_own } else { line.starts_with("X-ATRIUM-") };
        if !is_own {
            kept.push_str(line);
        }
    }
    kept
}

// The kind of fault: a file of ours that comes back changes what it came from.
#[tokio::test]
async fn our_cards_change_nothing_of_the_people_they_come_from() {
    let list = "<p>Call on <strong>Monday</strong></p><ul><li>offer</li><li>contract, signed; dated</li></ul>";
    let long = format!("<p>{}</p><p><em>end</em></p>", "ñandú, 東京; ".repeat(300).trim_end());
    for (about, notes) in [
        ("Met at the fair.\nSpeaks Basque", list),
        ("Only this", ""),
        ("", list),
        ("", "plain"),
        ("the same", "<p>the same</p>"),
        ("A, b; c\\d", long.as_str()),
    ] {
        let app = TestApp::new().await;
        let admin = app.acme(Role::Admin).await;
        let ana = json!({"name": "Ana López", "about": about, "notes": notes, "tags": ["fair"], "details": {
            "emails": [{"email": "ana@a.example", "label": "Work"}], "title": "CEO", "birthday": "1980-11-05",
        }});
        let ana = admin.post("/api/customers", ana).await.expect(201);
        let at = format!("/api/customers/{}", ana["id"].as_str().unwrap());
        let ana = admin.get(&at).await.expect(200);
        for format in ["vcard", "vcard3"] {
            for _ in 0..2 {
                let cards = export(&admin, &format!("kind=customers&format={format}")).await;
                for cards in [cards.clone(), without_own_properties(&cards)] {
                    let done = update_by_cards(&admin, &cards).await;
                    assert_eq!(done["counts"]["failed"], 0, "{done}");
                    let now = admin.get(&at).await.expect(200);
                    assert_eq!((&now["about"], &now["notes"]), (&ana["about"], &ana["notes"]), "{format}: {cards}");
                    assert_eq!(now["version"], ana["version"], "{format}: {cards}");
                }
            }
            // Elsewhere they are as they were here.
            let other = app.other(Role::Admin).await;
            let cards = export(&admin, &format!("kind=customers&format={format}")).await;
            update_by_cards(&other, &cards).await;
            let theirs = other.get("/api/customers").await.expect(200)["items"][0].clone();
            assert_eq!((&theirs["about"], &theirs["notes"]), (&ana["about"], &ana["notes"]), "{format}: {cards}");
        }
    }
}

// The kind of fault: a file of ours that comes back changes what it came from.
#[tokio::test]
async fn a_note_that_was_changed_elsewhere_replaces_the_notes_alone() {
    let app = TestApp::new().await;
    let admin = app.acme(Role::Admin).await;
    let ana = json!({"name": "Ana", "about": "Speaks Basque", "notes": "<p><b>Old</b></p>"});
    let ana = admin.post("/api/customers", ana).await.expect(201);
    let at = format!("/api/customers/{}", ana["id"].as_str().unwrap());
    for (is_stripped, from, to) in [(false, "Old", "New"), (true, "New", "Newer"), (false, "Newer", "Newest")] {
        let cards = export(&admin, "kind=customers&format=vcard").await;
        let note = format!("NOTE:Speaks Basque\\n\\n{from}\r\n");
        assert!(cards.contains(&note), "{cards}");
        let cards = cards.replace(&note, &format!("NOTE:Speaks Basque\\n\\n{to}\r\n"));
        let cards = if is_stripped { without_own_properties(&cards) } else { cards };
        update_by_cards(&admin, &cards).await;
        let now = admin.get(&at).await.expect(200);
        let expected = (&json!("Speaks Basque"), &json!(format!("<p>{to}</p>")));
        assert_eq!((&now["about"], &now["notes"]), expected, "{cards}");
    }
}

async fn list(member: &As, kind: &str) -> Vec<Value> {
    let sort = if kind == "tasks" || kind == "deals" { "title" } else { "name" };
    let list = member.get(&format!("/api/{kind}?sort={sort}&limit=200")).await.expect(200);
    list["items"].as_array().unwrap().clone()
}

/// Returns what an import keeps of a record: references as the names of the records.
fn kept(record: &Value, names: &Map<String, Value>) -> Value {
    let mut kept = record.as_object().unwrap().clone();
    for own in ["id", "version", "createdAt", "updatedAt", "createdBy", "ownerId", "order", "nextStep"] {
        kept.remove(own);
    }
    for subtask in kept.get_mut("subtasks").and_then(Value::as_array_mut).into_iter().flatten() {
        subtask.as_object_mut().unwrap().remove("id");
    }
    for reference in ["customerId", "organizationId", "dealId"] {
        if let Some(id) = kept.get(reference).and_then(Value::as_str) {
            kept.insert(reference.to_owned(), names[id].clone());
        }
    }
    Value::Object(kept)
}

/// Returns the names of all records by their ids.
async fn names(member: &As) -> Map<String, Value> {
    let mut names = Map::new();
    for kind in ["organizations", "customers", "deals"] {
        for record in list(member, kind).await {
            let name = record.get("name").or(record.get("title")).unwrap().clone();
            names.insert(record["id"].as_str().unwrap().to_owned(), name);
        }
    }
    names
}

/// Fills a company with records that have all that files have.
async fn fill(admin: &As) {
    for (kind, name, of) in [
        ("customers", "Budget", "money"),
        ("customers", "Shoe size", "number"),
        ("customers", "Since", "date"),
        ("customers", "VIP", "checkbox"),
        ("deals", "Site", "url"),
        ("tasks", "Story", "longText"),
    ] {
        admin.post("/api/fields", json!({"kind": kind, "name": name, "type": of})).await.expect(201);
    }
    let choices = json!([{"name": "Small, blue"}, {"name": "Large"}]);
    let sizes = json!({"kind": "customers", "name": "Sizes", "type": "choices", "choices": choices});
    let sizes = admin.post("/api/fields", sizes).await.expect(201);
    let size = &sizes["choices"][0]["key"];
    let acme = json!({
        "name": "=Acme, \"the\" firm", "website": "https://acme.example", "tags": ["a;b", "plain"], "externalId": "77",
        "emails": [{"email": "info@acme.example", "label": "Work"}], "address": "Calle Mayor 1\n28013 Madrid",
        "phoneNumbers": [{"country": "ES", "phoneNumber": "+34 911 23 45 67", "label": "Oficina"}], "about": "'=x\nline",
    });
    let acme = admin.post("/api/organizations", acme).await.expect(201);
    let ana = json!({
        "name": "Ana López", "status": "active", "organizationId": acme["id"], "tags": ["fair"], "about": "-5",
        "notes": "<h2>Call</h2><p>on <strong>Monday</strong></p>", "externalId": "0012",
        "details": {
            "emails": [{"email": "ana@a.example", "label": "Work"}, {"email": "ana@home.example", "label": "Casa"}],
            "phoneNumbers": [
                {"country": "ES", "phoneNumber": "+34 600 55 50 12", "label": "Mobile"},
                {"phoneNumber": "112", "label": ""},
                {"country": "US", "phoneNumber": "(202) 555-0143", "label": "Work"},
                {"country": "ES", "phoneNumber": "112", "label": "SOS"}
            ],
            "title": "CEO", "birthday": "1980-11-05", "address": "Calle Mayor 1\n28013 Madrid",
        },
        "attachments": {"links": [{"url": "https://ana.example/a?b=1", "name": "Home page"}]},
        "fields": {
            "budget": {"amount": -1_234_500, "currency": "EUR"}, "shoeSize": 1.234, "since": "2020-02-01", "vip": false,
            "sizes": [size],
        },
    });
    let ana = admin.post("/api/customers", ana).await.expect(201);
    admin.post("/api/customers", json!({"name": "Li Wei", "details": {"company": "Free text"}})).await.expect(201);
    let deal = json!({
        "title": "Rugs", "customerId": ana["id"], "organizationId": acme["id"], "outcome": "lost", "reasonId": "price",
        "value": {"amount": 1_250_075, "currency": "USD"}, "stageId": "proposal", "expectedDay": "2026-12-15",
        "reason": "Half as much elsewhere", "tags": ["x"], "about": "Two", "fields": {"site": "https://x.example"},
    });
    let deal = admin.post("/api/deals", deal).await.expect(201);
    let task = json!({
        "title": "Call", "notes": "First\nsecond", "priority": 2, "dueDate": "2026-12-01", "customerId": ana["id"],
        "dealId": deal["id"], "tags": ["\"phone\"", "later"], "completed": false, "fields": {"story": "a\nb"},
        "subtasks": [{"title": "Find the number; ask"}, {"title": "[x] marks", "completed": true}],
    });
    admin.post("/api/tasks", task).await.expect(201);
    admin.post("/api/tasks", json!({"title": "Done, with a comma", "completed": true})).await.expect(201);
}

#[tokio::test]
async fn what_is_exported_and_imported_again_is_the_same() {
    for language in ["en", "es"] {
        let app = TestApp::new().await;
        let admin = app.acme(Role::Admin).await;
        admin.patch("/api/common/user", json!({"locale": language})).await.expect(200);
        fill(&admin).await;
        let other = app.other(Role::Admin).await;
        other.patch("/api/common/user", json!({"locale": language})).await.expect(200);
        let fields = admin.get("/api/fields").await.expect(200);
        for field in fields["items"].as_array().unwrap() {
            let mut copy = json!({"kind": field["kind"], "name": field["name"], "type": field["type"]});
            if let Some(choices) = field.get("choices").filter(|choices| choices != &&json!([])) {
                copy["choices"] = choices.clone();
            }
            other.post("/api/fields", copy).await.expect(201);
        }
        let kinds = ["organizations", "customers", "deals", "tasks"];
        // As the interface asks for files in each language.
        let delimiter = if language == "es" { "semicolon" } else { "comma" };
        for kind in kinds {
            let csv = export(&admin, &format!("kind={kind}&delimiter={delimiter}")).await;
            assert!(csv.lines().next().unwrap().contains(if language == "es" { "\";\"" } else { "\",\"" }), "{csv}");
            let imported = other.import(kind, &csv).await;
            assert_eq!(imported["counts"]["failed"], 0, "{kind}: {imported}\n{csv}");
            assert_eq!(imported["counts"]["created"], list(&admin, kind).await.len(), "{kind}: {imported}");
        }
        let theirs = names(&other).await;
        let ours = names(&admin).await;
        for kind in kinds {
            let before: Vec<Value> = list(&admin, kind).await.iter().map(|one| kept(one, &ours)).collect();
            let after: Vec<Value> = list(&other, kind).await.iter().map(|one| kept(one, &theirs)).collect();
            assert_eq!(after, before, "{kind} in {language}");
        }
        // The same file again, there and where it comes from, makes none twice.
        for kind in kinds {
            let csv = export(&admin, &format!("kind={kind}")).await;
            for member in [&other, &admin] {
                let again = member.import(kind, &csv).await;
                assert_eq!(again["counts"]["skipped"], again["counts"]["done"], "{kind}: {again}");
            }
        }
    }
}

// The kind of fault: a file of ours that comes back changes what it came from.
#[tokio::test]
async fn texts_that_programs_write_for_no_value_come_back() {
    for language in ["en", "es"] {
        let app = TestApp::new().await;
        let admin = app.acme(Role::Admin).await;
        let other = app.other(Role::Admin).await;
        for member in [&admin, &other] {
            member.patch("/api/common/user", json!({"locale": language})).await.expect(200);
            for (kind, name, of) in
                [("customers", "Code", "text"), ("customers", "Story", "longText"), ("tasks", "Code", "text")]
            {
                member.post("/api/fields", json!({"kind": kind, "name": name, "type": of})).await.expect(201);
            }
        }
        for (at, text) in ["N/A", "-", "NULL", "[]", "\\N", "—"].into_iter().enumerate() {
            let emails = json!([{"email": format!("p{at}@x.example"), "label": text}]);
            let ana = json!({
                "name": text, "about": text, "notes": format!("<p>{text}</p>"), "externalId": text, "tags": [text],
                "details": {"title": text, "company": text, "address": text, "emails": emails},
                "fields": {"code": text, "story": text},
            });
            admin.post("/api/customers", ana).await.expect(201);
            let firm = json!({"name": format!("Firm {at}"), "about": text, "address": text, "tags": [text, "plain"]});
            admin.post("/api/organizations", firm).await.expect(201);
            let call = json!({"title": text, "notes": text, "tags": [text], "fields": {"code": text}});
            admin.post("/api/tasks", call).await.expect(201);
        }
        let no_names = Map::new();
        // No member of the other company has the address of the owner.
        let problems_of = |imported: &Value| {
            let problems = imported["problems"].as_array().unwrap().iter();
            problems.filter(|one| one["value"] != "admin@acme.example").count()
        };
        for kind in ["customers", "organizations", "tasks"] {
            let csv = export(&admin, &format!("kind={kind}")).await;
            let imported = other.import(kind, &csv).await;
            assert_eq!((&imported["counts"]["created"], problems_of(&imported)), (&json!(6), 0), "{imported}");
            let before: Vec<Value> = list(&admin, kind).await.iter().map(|one| kept(one, &no_names)).collect();
            let after: Vec<Value> = list(&other, kind).await.iter().map(|one| kept(one, &no_names)).collect();
            assert_eq!(after, before, "{kind} in {language}: {csv}");
        }
        // A row that a person adds to the file is as in files of others.
        let csv = export(&admin, "kind=customers").await;
        let columns = csv.lines().next().unwrap().split("\",\"").count();
        let row = format!("\"\",\"-\",\"Zoe\"{}\r\n", ",\"-\"".repeat(columns - 3));
        let imported = other.import("customers", &format!("{csv}{row}")).await;
        assert_eq!((&imported["counts"]["created"], problems_of(&imported)), (&json!(1), 0), "{imported}");
        let people = list(&other, "customers").await;
        let zoe = people.iter().find(|one| one["name"] == "Zoe").unwrap();
        for value in [&zoe["externalId"], &zoe["details"]["title"], &zoe["fields"]["code"], &zoe["about"]] {
            assert_eq!(value, &Value::Null, "{zoe}");
        }
    }
}

#[tokio::test]
async fn only_csv_files_have_a_delimiter_and_it_is_a_known_one() {
    let app = TestApp::new().await;
    let admin = app.acme(Role::Admin).await;
    admin.post("/api/organizations", json!({"name": "Acme; Co"})).await.expect(201);
    let tabs = export(&admin, "kind=organizations&delimiter=tab").await;
    assert!(tabs.contains("\"\t\"Acme; Co\"\t"), "{tabs}");
    let plain = export(&admin, "kind=organizations").await;
    assert_eq!(export(&admin, "kind=organizations&delimiter=comma").await, plain);
    let refused = admin.get("/api/exports?kind=organizations&format=json&delimiter=tab").await.expect(422);
    assert!(refused["error"]["fields"]["delimiter"].is_string(), "{refused}");
    admin.get("/api/exports?kind=organizations&delimiter=%7C").await.expect(400);
}

#[tokio::test]
async fn exports_have_what_the_list_shows() {
    let app = TestApp::new().await;
    let admin = app.acme(Role::Admin).await;
    fill(&admin).await;
    let csv = export(&admin, "kind=customers&filter=status:is:active").await;
    assert_eq!(csv.lines().next().unwrap().split(',').next(), Some("\u{feff}\"ID\""));
    assert!(csv.contains("Ana López") && !csv.contains("Li Wei"), "{csv}");
    let json: Value = serde_json::from_str(&export(&admin, "kind=customers&format=json&q=wei").await).unwrap();
    assert_eq!(json[0]["name"], "Li Wei");
    assert_eq!(json.as_array().unwrap().len(), 1);
    let cards = export(&admin, "kind=customers&format=vcard").await;
    assert_eq!(cards.matches("BEGIN:VCARD").count(), 2, "{cards}");
    let other = app.other(Role::Admin).await;
    let imported = other.import("customers", &cards).await;
    assert_eq!(imported["counts"]["created"], 2, "{imported}");
    let ana = other.get("/api/customers/lookup?email=ana@home.example").await.expect(200)["items"][0].clone();
    assert_eq!(ana["details"]["phoneNumbers"][0]["e164"], "+34600555012");
    assert_eq!(ana["details"]["company"], "=Acme, \"the\" firm");

    let older = export(&admin, "kind=customers&format=vcard3").await;
    for part in ["VERSION:3.0\r\n", "FN:Ana López\r\n", "N:López;Ana;;;\r\n", "NOTE:-5"] {
        assert!(older.contains(part), "{part}: {older}");
    }

    for format in ["vcard", "vcard3"] {
        let refused = admin.get(&format!("/api/exports?kind=deals&format={format}")).await.expect(422);
        assert!(refused["error"]["fields"]["format"].is_string(), "{refused}");
    }
    let audit = admin.get("/api/audit?event=records.exported").await.expect(200);
    assert_eq!(audit["total"], 4);
}

// The kind of fault: a file has what records hide, the values of deleted fields and deleted choices.
#[tokio::test]
async fn files_lack_the_values_of_deleted_fields_and_choices() {
    let app = TestApp::new().await;
    let admin = app.acme(Role::Admin).await;
    let both = json!([{"key": "small", "name": "Small"}, {"key": "large", "name": "Large"}]);
    let mut paths = Vec::new();
    for field in [
        json!({"kind": "tasks", "name": "Nick", "type": "text"}),
        json!({"kind": "tasks", "name": "Size", "type": "choice", "choices": both}),
        json!({"kind": "tasks", "name": "Sizes", "type": "choices", "choices": both}),
    ] {
        let made = admin.post("/api/fields", field).await.expect(201);
        paths.push(format!("/api/fields/{}", made["id"].as_str().unwrap()));
    }
    let fields = json!({"nick": "Annie", "size": "large", "sizes": ["small", "large"]});
    admin.post("/api/tasks", json!({"title": "Call", "fields": fields})).await.expect(201);
    admin.delete(&paths[0]).await.expect(204);
    for path in &paths[1..] {
        admin.patch(path, json!({"choices": [{"key": "small", "name": "Small"}]})).await.expect(200);
    }
    let json: Value = serde_json::from_str(&export(&admin, "kind=tasks&format=json").await).unwrap();
    assert_eq!(json[0]["fields"], json!({"sizes": ["small"]}));
    for query in ["kind=tasks", "kind=tasks&columns=title&columns=fields.size&columns=fields.sizes"] {
        let csv = export(&admin, query).await;
        assert!(csv.contains("Small") && !csv.contains("Large") && !csv.contains("large"), "{csv}");
        assert!(!csv.contains("Annie"), "{csv}");
    }
}

#[tokio::test]
async fn a_file_has_the_order_and_the_columns_of_the_view() {
    let app = TestApp::new().await;
    let admin = app.acme(Role::Admin).await;
    admin.patch("/api/common/user", json!({"name": "Ada Lovelace", "timezone": "Europe/Madrid"})).await.expect(200);
    fill(&admin).await;
    let buddy = json!({"kind": "customers", "name": "Buddy", "type": "member"});
    admin.post("/api/fields", buddy).await.expect(201);
    let ana = admin.get("/api/customers/lookup?email=ana@home.example").await.expect(200)["items"][0].clone();
    let ana_path = format!("/api/customers/{}", ana["id"].as_str().unwrap());
    admin.patch(&ana_path, json!({"fields": {"buddy": admin.id.to_string()}})).await.expect(200);
    let made = ana["createdAt"].as_str().unwrap()[..10].to_owned();

    let shown = [
        "name",
        "organizationId",
        "email",
        "phone",
        "status",
        "ownerId",
        "tags",
        "birthday",
        "fields.budget",
        "fields.buddy",
        "fields.sizes",
    ];
    let columns: String = shown.map(|column| format!("&columns={column}")).concat();
    let csv = export(&admin, &format!("kind=customers&sort=-name{columns}")).await;
    let lines: Vec<&str> = csv.trim_start_matches('\u{feff}').split("\r\n").collect();
    assert_eq!(
        lines[0],
        r#""Name","Organization","Email","Phone","Status","Owner","Tags","Birthday","Budget","Buddy","Sizes""#
    );
    assert_eq!(lines[1], r#""Li Wei","","","","Lead","Ada Lovelace","","","","","""#);
    assert!(lines[2].starts_with(r#""Ana López","'=Acme, ""the"" firm","ana@a.example, ana@home.example","#), "{csv}");
    let rest = r#""+34 600 55 50 12, 112, +1 202-555-0143, 112","Active","Ada Lovelace","fair","1980-11-05","'-12345.00 EUR","Ada Lovelace","#;
    assert!(lines[2].contains(rest), "{csv}");
    let sorted = export(&admin, "kind=customers&sort=name&columns=name").await;
    assert_eq!(sorted, "\u{feff}\"Name\"\r\n\"Ana López\"\r\n\"Li Wei\"\r\n");
    // The order is also that of files with all fields.
    let json: Value = serde_json::from_str(&export(&admin, "kind=customers&sort=-name&format=json").await).unwrap();
    assert_eq!((&json[0]["name"], &json[1]["name"]), (&json!("Li Wei"), &json!("Ana López")));

    let deal =
        "title customerId organizationId value stageId outcome reasonId visibility expectedDay createdAt createdBy";
    let columns = deal.split(' ').map(|column| format!("&columns={column}")).collect::<Vec<_>>().concat();
    let csv = export(&admin, &format!("kind=deals{columns}")).await;
    let title = r#""Title","Person","Organization","Value","Currency","Stage","Outcome","Reason","Who can see it","#;
    assert!(csv.contains(title), "{csv}");
    let cells =
        r#""'=Acme, ""the"" firm",12500.75,"USD","Proposal","Lost","Price","Everyone in the company","2026-12-15","#;
    assert!(csv.contains(cells), "{csv}");
    assert!(csv.contains(&format!("\"{made} ")), "{csv}");
    assert!(csv.trim_end().ends_with(r#","Ada Lovelace""#), "{csv}");
}

#[tokio::test]
async fn each_column_of_a_list_can_be_exported_and_has_a_title() {
    for language in ["en", "es"] {
        let app = TestApp::new().await;
        let admin = app.acme(Role::Admin).await;
        admin.patch("/api/common/user", json!({"locale": language})).await.expect(200);
        fill(&admin).await;
        let schema = admin.get("/api/schema").await.expect(200);
        for kind in ["customers", "organizations", "deals", "tasks"] {
            let of_kind = schema["kinds"].as_array().unwrap().iter().find(|one| one["kind"] == kind).unwrap();
            let columns = of_kind["columns"].as_array().unwrap();
            let shown = columns.iter().filter(|one| one["type"] != "import");
            let names = shown.map(|one| format!("&columns={}", one["name"].as_str().unwrap()));
            let names = names.collect::<Vec<_>>().concat();
            let csv = export(&admin, &format!("kind={kind}{names}")).await;
            let header = csv.lines().next().unwrap();
            assert!(!header.contains("server.") && !header.contains("\"\""), "{header}");
            assert!(header.split(',').count() >= columns.len() - 1, "{header}");
        }
    }
}

#[tokio::test]
async fn an_order_or_columns_that_do_not_exist_are_refused_by_name() {
    let app = TestApp::new().await;
    let member = app.acme(Role::Member).await;
    let many = "&columns=name".repeat(101);
    for (query, status, field) in [
        ("sort=nme", 400, "sort"),
        ("columns=name&columns=nme", 422, "columns.1"),
        ("columns=name&columns=name", 422, "columns.1"),
        ("columns=fields.none", 422, "columns.0"),
        ("columns=name&format=json", 422, "columns"),
        (many.trim_start_matches('&'), 422, "columns"),
    ] {
        let refused = member.get(&format!("/api/exports?kind=customers&{query}")).await.expect(status);
        assert!(refused["error"]["fields"][field].is_string(), "{query}: {refused}");
    }
}

#[tokio::test]
async fn hidden_deals_are_not_exported() {
    let app = TestApp::new().await;
    let author = app.acme(Role::Member).await;
    author.post("/api/deals", json!({"title": "Secret", "visibility": {"to": "me"}})).await.expect(201);
    let other = app.hire("other", Role::Member).await;
    assert!(!export(&other, "kind=deals").await.contains("Secret"));
    assert!(export(&author, "kind=deals").await.contains("Secret"));
    let sorted = "kind=deals&sort=-title&columns=title";
    assert!(!export(&other, sorted).await.contains("Secret"));
    assert!(export(&author, sorted).await.contains("Secret"));
}

#[tokio::test]
async fn the_name_of_a_file_has_the_kind_the_company_and_the_day() {
    let app = TestApp::new().await;
    let admin = app.acme(Role::Admin).await;
    let day = app.clock.now().day_in("UTC").to_string();
    admin.patch("/api/common/user", json!({"timezone": "UTC"})).await.expect(200);
    admin.patch("/api/settings/company", json!({"name": "Peña/Sol: \"A\" & B"})).await.expect(200);
    for (language, query, plain, exact) in [
        ("en", "kind=customers", "People Pe_aSol A & B", "People%20Pe%C3%B1aSol%20A%20&%20B"),
        ("es", "kind=customers&format=vcard", "Personas Pe_aSol A & B", "Personas%20Pe%C3%B1aSol%20A%20&%20B"),
        ("es", "kind=deals&format=json", "Oportunidades Pe_aSol A & B", "Oportunidades%20Pe%C3%B1aSol%20A%20&%20B"),
    ] {
        admin.patch("/api/common/user", json!({"locale": language})).await.expect(200);
        let got = admin.export(query).await;
        let ending =
            query.split_once("format=").map_or("csv", |(_, format)| if format == "vcard" { "vcf" } else { format });
        let name = got.headers["content-disposition"].to_str().unwrap();
        let expected =
            format!("attachment; filename=\"{plain} {day}.{ending}\"; filename*=UTF-8''{exact}%20{day}.{ending}");
        assert_eq!(name, expected);
    }
}

#[tokio::test]
async fn phone_numbers_are_no_formulas_and_are_read_with_and_without_a_guard() {
    let app = TestApp::new().await;
    let admin = app.acme(Role::Admin).await;
    let numbers = ["+34 600 55 50 12", "+34 911 23 45 67", "+1 201-555-0123"];
    let phones: Vec<Value> = numbers.iter().map(|number| json!({"phoneNumber": number})).collect();
    admin.post("/api/customers", json!({"name": "Ana", "details": {"phoneNumbers": phones}})).await.expect(201);
    let csv = export(&admin, "kind=customers&columns=name&columns=phone").await;
    assert!(csv.contains(r#""Ana","+34 600 55 50 12, +34 911 23 45 67, +1 201-555-0123""#), "{csv}");
    let other = app.other(Role::Admin).await;
    let guarded = csv.replace("\"+34", "\"'+34").replace("Ana", "Guarded");
    for (name, csv) in [("Ana", csv.as_str()), ("Guarded", &guarded)] {
        let plan = other.upload_to("/api/imports?kind=customers", "people.csv", "text/csv", csv.as_bytes()).await;
        let plan = plan.expect(201);
        let place = format!("/api/imports/{}", plan["id"].as_str().unwrap());
        other.patch(&place, json!({"duplicates": "add"})).await.expect(200);
        other.post(&format!("{place}/start"), json!({})).await.expect(202);
        assert_eq!(other.import_over(&plan).await["counts"]["created"], 1);
        let list = other.get(&format!("/api/customers?q={name}")).await.expect(200);
        let found = list["items"][0]["details"]["phoneNumbers"].clone();
        let found: Vec<&str> = found.as_array().unwrap().iter().map(|one| one["e164"].as_str().unwrap()).collect();
        assert_eq!(found, ["+34600555012", "+34911234567", "+12015550123"], "{name}");
    }
    // What is no phone number stays guarded.
    let formula = json!({"name": "+1 2+cmd|' /C calc'!A0"});
    admin.post("/api/customers", formula).await.expect(201);
    assert!(export(&admin, "kind=customers&columns=name").await.contains(r#""'+1 2+cmd|' /C calc'!A0""#));
}
