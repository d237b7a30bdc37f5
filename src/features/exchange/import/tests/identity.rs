//! Which record a row of a file describes. The kind of fault: records of different people become one, because they have
//! something in common that is not theirs alone, or one becomes two, because the file is imported again.

use std::collections::BTreeMap;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::{check, names, path, report, upload};
use crate::{
    feature::{
        MatchKeys,
        matching::{MAX_EXAMINED, Matched, MatchedBy, is_role_address},
    },
    features::{customers::Customer, find_kind},
    people::permission::{Reader, Role},
    store::Record as _,
    testing::{As, TestApp},
};

/// Creates an application, and signs in the member who imports.
async fn importer() -> (TestApp, As) {
    let app = TestApp::new().await;
    let member = app.acme(Role::Member).await;
    (app, member)
}

/// Creates a person.
async fn create(member: &As, person: Value) -> Value {
    member.post("/api/customers", person).await.expect(201)
}

/// Uploads a file with what happens with rows whose record exists. Returns the plan of its import.
async fn plan_import(member: &As, kind: &str, duplicates: &str, csv: &str) -> Value {
    let plan = upload(member, kind, "list.csv", csv.as_bytes()).await;
    member.patch(&path(&plan), json!({"duplicates": duplicates})).await.expect(200)
}

/// Makes a planned import.
async fn start(member: &As, plan: &Value) -> Value {
    member.post(&format!("{}/start", path(plan)), json!({})).await.expect(202);
    let done = member.import_over(plan).await;
    assert_eq!(done["state"], "done", "{done}");
    done
}

/// Imports a file.
async fn import(member: &As, kind: &str, duplicates: &str, csv: &str) -> Value {
    start(member, &plan_import(member, kind, duplicates, csv).await).await
}

/// Imports a file whose records exist: none is created.
async fn import_again(member: &As, kind: &str, duplicates: &str, csv: &str) {
    let again = import(member, kind, duplicates, csv).await;
    assert_eq!(counts(&again)[0], 0, "{kind} {duplicates} {csv}: {again}");
}

/// Checks a file, and imports it. Returns the counts of the check, and the import.
async fn check_and_import(member: &As, kind: &str, duplicates: &str, csv: &str) -> (Value, Value) {
    let checked = check(member, &plan_import(member, kind, duplicates, csv).await).await;
    (checked["checked"].clone(), import(member, kind, duplicates, csv).await)
}

/// Returns how many rows were created, updated, skipped and refused.
fn counts(import: &Value) -> [u64; 4] {
    ["created", "updated", "skipped", "failed"].map(|name| import["counts"][name].as_u64().unwrap())
}

async fn sorted_names(member: &As, kind: &str) -> Vec<String> {
    let mut all = names(member, &format!("/api/{kind}?limit=200")).await;
    all.sort_unstable();
    all
}

#[tokio::test]
async fn those_of_one_name_with_other_birthdays_are_others() {
    let (_app, member) = importer().await;
    let first = "Name,Company,Birthday\nAna Ruiz,Acme,1980-04-12\nAna Ruiz,Acme,1999-01-01\nAna Ruiz,Other,\n";
    assert_eq!(counts(&import(&member, "customers", "skip", first).await), [3, 0, 0, 0]);
    // The same one, with less known of the day, and a third one.
    let second = "Name,Company,Birthday,Title\nAna Ruiz,Acme,--04-12,CEO\nAna Ruiz,Acme,--05-01,CFO\n";
    assert_eq!(counts(&import(&member, "customers", "update", second).await), [1, 1, 0, 0]);
}

const SWITCHBOARD: &str = "Name,Email,Phone,Title\nAna,ana@x.example,+34 91 555 00 00,CEO\n\
    Berta,berta@x.example,+34 91 555 00 00,CFO\nCarla,carla@x.example,+34915550000,CTO\n";

#[tokio::test]
async fn those_who_share_a_number_or_an_address_of_a_role_are_others() {
    let family = "Name,Phone\nAna Ruiz,933 111 222\nLuis Ruiz,933 111 222\n";
    let info = "Name,Email\nAna,info@x.example\nBerta,INFO@x.example\nCarla,ventas.madrid@x.example\nDora,ventas.madrid@x.example\n";
    let firms =
        "Name,Email,Phone\nAcme Norte,office@acme.example,911 000 000\nAcme Sur,office@acme.example,911 000 000\n";
    for duplicates in ["skip", "update"] {
        for (kind, csv, people) in [
            ("customers", SWITCHBOARD, vec!["Ana", "Berta", "Carla"]),
            ("customers", family, vec!["Ana Ruiz", "Luis Ruiz"]),
            ("customers", info, vec!["Ana", "Berta", "Carla", "Dora"]),
            ("organizations", firms, vec!["Acme Norte", "Acme Sur"]),
        ] {
            let (_app, member) = importer().await;
            let first = import(&member, kind, duplicates, csv).await;
            assert_eq!(counts(&first), [people.len() as u64, 0, 0, 0], "{first}");
            import_again(&member, kind, duplicates, csv).await;
            assert_eq!(sorted_names(&member, kind).await, people);
        }
    }
}

#[tokio::test]
async fn a_row_with_a_shared_number_does_not_become_the_record_that_has_it() {
    let (_app, member) = importer().await;
    let ana = json!({"name": "Ana", "details": {
        "emails": [{"email": "ana@x.example"}, {"email": "info@x.example"}],
        "phoneNumbers": [{"phoneNumber": "+34 91 444 00 00"}], "title": "CEO",
    }});
    let ana = create(&member, ana).await;
    let csv = "Name,Email,Phone,Title\nBerta,berta@x.example,+34 91 444 00 00,Intern\nBerta,info@x.example,,Intern\n\
        ANA,,+34 914 440 000,Founder\nAna María,ana@x.example,,\n";
    let plan = plan_import(&member, "customers", "update", csv).await;
    let checked = check(&member, &plan).await;
    assert_eq!(counts(&json!({"counts": checked["checked"]})), [2, 2, 0, 0], "{checked}");
    // The check names the record, and what changes: the name only where the address of the person says who it is.
    let changes = checked["changes"].as_array().unwrap();
    assert_eq!(changes.len(), 2, "{checked}");
    assert_eq!((&changes[0]["row"], &changes[0]["id"], &changes[0]["title"]), (&json!(4), &ana["id"], &json!("Ana")));
    assert_eq!(changes[0]["values"], json!([{"field": "Job title", "before": "CEO", "after": "Founder"}]));
    assert_eq!(changes[1]["values"], json!([{"field": "Name", "before": "Ana", "after": "Ana María"}]));
    let lines = report(&member, &plan).await;
    assert!(lines.contains(&r#"4,"","Job title","Founder","Changes Ana. Now: CEO""#.to_owned()), "{lines:?}");

    let done = start(&member, &plan).await;
    assert_eq!(done["counts"], checked["checked"], "{done}");
    assert_eq!(done["changes"], json!([]), "what was checked is over");
    let now = member.get(&format!("/api/customers/{}", ana["id"].as_str().unwrap())).await.expect(200);
    assert_eq!((&now["name"], &now["details"]["title"]), (&json!("Ana María"), &json!("Founder")));
    assert_eq!(sorted_names(&member, "customers").await, ["Ana María", "Berta", "Berta"]);
}

#[tokio::test]
async fn a_row_that_several_records_fit_is_added_and_says_which() {
    let (_app, member) = importer().await;
    for (name, email) in [("Ana", "ana@x.example"), ("Berta", "berta@x.example"), ("Eva", "eva@x.example")] {
        let one = json!({"name": name, "details": {"emails": [{"email": email}, {"email": "both@x.example"}]}});
        create(&member, one).await;
    }
    let csv = "Name,Email\nCarla,ana@x.example; berta@x.example\nDora,both@x.example\nEva,both@x.example\n";
    let done = import(&member, "customers", "update", csv).await;
    // An address that several have is that of the one whose name it comes with.
    assert_eq!(counts(&done), [2, 0, 1, 0], "{done}");
    let said = json!([{
        "row": 2, "warning": true,
        "message": "Several records fit this row, so it’s added as a new one: Ana, Berta.",
    }]);
    assert_eq!(done["problems"], said);
    import_again(&member, "customers", "update", csv).await;
}

#[tokio::test]
async fn other_ids_are_others() {
    let (_app, member) = importer().await;
    let id = |n: u8| uuid::Uuid::from_bytes([n; 16]);
    let csv = |ids: [u8; 2]| {
        let row = |n: u8| format!("{},Ana,ana@x.example,600 555 012\n", id(n));
        format!("ID,Name,Email,Phone\n{}{}", row(ids[0]), row(ids[1]))
    };
    for (ids, expected, people) in [([1, 2], [2, 0, 0, 0], 2), ([1, 2], [0, 0, 2, 0], 2), ([2, 3], [1, 0, 1, 0], 3)] {
        let done = import(&member, "customers", "skip", &csv(ids)).await;
        assert_eq!(counts(&done), expected, "{ids:?}: {done}");
        assert_eq!(names(&member, "/api/customers").await.len(), people);
    }
    // Neither are those with other ids in another system, of any kind.
    for (kind, csv) in [
        ("customers", "External ID,Name,Email\nA1,Eva,eva@x.example\nA2,Eva,eva@x.example\n"),
        ("organizations", "External ID,Name,Email\nA1,Acme,jo@x.example\nA2,Acme,jo@x.example\n"),
    ] {
        let done = import(&member, kind, "update", csv).await;
        assert_eq!(counts(&done), [2, 0, 0, 0], "{done}");
        import_again(&member, kind, "update", csv).await;
    }
}

#[tokio::test]
async fn the_same_file_makes_no_doubles_after_changes_here() {
    let (_app, member) = importer().await;
    for (kind, csv) in [
        ("customers", "Name,Company\nAna,Acme\nAna,\n"),
        ("customers", "Name,Email\nBerta,berta@x.example\n"),
        ("organizations", "Name,Website\nAcme,acme.example\n"),
    ] {
        let first = import(&member, kind, "skip", csv).await;
        assert_eq!(counts(&first)[1..], [0, 0, 0], "{first}");
        let list = member.get(&format!("/api/{kind}")).await.expect(200);
        for (at, one) in list["items"].as_array().unwrap().iter().enumerate() {
            let change = json!({"name": format!("Renamed {at}"), "about": "here"});
            member.patch(&format!("/api/{kind}/{}", one["id"].as_str().unwrap()), change).await.expect(200);
        }
        import_again(&member, kind, "skip", csv).await;
    }
}

// The kind of fault: people who share an address become one, because the address is taken for that of one of them.
#[tokio::test]
async fn an_address_beside_several_names_of_a_file_is_nobodys() {
    let words = [
        "rezeption",
        "recepção",
        "recepcion",
        "bureau",
        "main",
        "hotel",
        "kanzlei",
        "lager",
        "warehouse",
        "biuro",
        "kantoor",
        "verkoop",
        "financeiro",
        "logistica",
        "dispatch.madrid",
        "facturación",
    ];
    for word in words {
        assert!(is_role_address(&format!("{word}@x.example")), "{word}");
    }
    let practice = "Name,Email\nPetra Kurz,praxis@dr-kurz.example\nHans Lang,praxis@dr-kurz.example\n\
        Eva Neu,praxis@dr-kurz.example\n";
    let couple = "Name,Email\nHans Meier,meier@gmx.example\nPetra Meier,meier@gmx.example\n";
    // The word of a role is in no list, and the rows are in different steps.
    let between = (0..260).map(|n| format!("Person {n},p{n}@x.example\n")).collect::<Vec<_>>().concat();
    let far_apart =
        format!("Name,Email\nAna Gil,zzz@x.example\n{between}Bea Gil,ZZZ@x.example\nAna Gil,zzz@x.example\n");
    let firms = "Name,Email\nAcme Norte,jo@acme.example\nAcme Sur,jo@acme.example\n";
    // One of them without a name.
    let nameless = "Name,Email\n,a.b@x.example\nAna Gil,a.b@x.example\nBea Gil,a.b@x.example\n";
    for duplicates in ["skip", "update"] {
        for (kind, csv, made, known, people) in [
            ("customers", practice, 3, 0, 3),
            ("customers", couple, 2, 0, 2),
            ("customers", far_apart.as_str(), 262, 1, 262),
            ("organizations", firms, 2, 0, 2),
            ("customers", nameless, 2, 1, 2),
            // The names agree: they are one.
            ("customers", "Name,Email\nJosé Gil,j.gil@x.example\nJOSE GIL,j.gil@x.example\n", 1, 1, 1),
        ] {
            let (_app, member) = importer().await;
            let (checked, done) = check_and_import(&member, kind, duplicates, csv).await;
            let [created, updated, skipped, failed] = counts(&done);
            assert_eq!([created, updated + skipped, failed], [made, known, 0], "{duplicates} {csv}: {done}");
            assert_eq!(checked["created"], made, "{duplicates} {csv}: {checked}");
            let all = member.get(&format!("/api/{kind}?limit=1")).await.expect(200);
            assert_eq!(all["total"], people, "{duplicates} {csv}");
            import_again(&member, kind, duplicates, csv).await;
        }
    }
}

// The kind of fault: people who share an address become one, because the address is taken for that of one of them.
#[tokio::test]
async fn a_record_with_an_address_beside_several_names_of_a_file_is_found_by_its_name() {
    for duplicates in ["skip", "update"] {
        let (_app, member) = importer().await;
        let hans =
            json!({"name": "Hans Meier", "details": {"emails": [{"email": "meier@gmx.example"}], "title": "CEO"}});
        create(&member, hans).await;
        let csv = "Name,Email,Title\nPetra Meier,meier@gmx.example,CFO\nHans Meier,meier@gmx.example,CEO\n";
        let done = import(&member, "customers", duplicates, csv).await;
        assert_eq!(counts(&done)[0], 1, "{duplicates}: {done}");
        assert_eq!(sorted_names(&member, "customers").await, ["Hans Meier", "Petra Meier"]);
    }
}

// The kind of fault: people or places of one name become one, although what is known of them contradicts it.
#[tokio::test]
async fn those_of_one_name_who_contradict_each_other_are_others() {
    let family = "Name,Phone,Birthday\nJuan Ruiz,933 111 222,1950-03-02\nJuan Ruiz,933 111 222,1980-04-12\n";
    let role = "Name,Email,Birthday\nJuan Ruiz,info@x.example,1950-03-02\nJuan Ruiz,info@x.example,1980-04-12\n";
    let couple = "Name,Email,Birthday\nJuan Ruiz,ruiz@x.example,1950-03-02\nEva Gil,ruiz@x.example,\n\
        Juan Ruiz,ruiz@x.example,1980-04-12\n";
    let streets = "Name,Street,City\nMaria García,Calle 1,Madrid\nMaria García,Rue 2,Lyon\n";
    let phones =
        "Name,Phone,Address\nMaria García,933 111 222,\"Calle 1, Madrid\"\nMaria García,933 111 222,\"Rue 2, Lyon\"\n";
    let halls = "Name,City\nCity Hall,Boston\nCity Hall,Paris\nCity Hall,Rome\n";
    let sites = "Name,Website\nAcme,acme.example\nAcme,https://www.acme.test/es\n";
    for duplicates in ["skip", "update"] {
        for (kind, csv, made, known) in [
            ("customers", family, 2, 0),
            ("customers", role, 2, 0),
            ("customers", couple, 3, 0),
            ("customers", streets, 2, 0),
            ("customers", phones, 2, 0),
            ("organizations", halls, 3, 0),
            ("organizations", sites, 2, 0),
            // They do not contradict each other: one says less, or writes it in another way.
            ("customers", "Name,Phone,Birthday\nJuan,933 111 222,1980-04-12\nJuan,933 111 222,\n", 1, 1),
            ("customers", "Name,Address\nAna,\"Calle Mayor 1, 28013 MADRID\"\nAna,28013 Madrid\n", 1, 1),
            (
                "organizations",
                "Name,Website,City\nAcme,www.acme.example,\nAcme,https://shop.acme.example/,Rome\n",
                1,
                1,
            ),
            // The address of a person says more than where they were.
            ("customers", "Name,Email,City\nAna Gil,gil@x.example,Madrid\nAna Gil,gil@x.example,Lyon\n", 1, 1),
        ] {
            let (app, member) = importer().await;
            let (checked, done) = check_and_import(&member, kind, duplicates, csv).await;
            let [created, updated, skipped, failed] = counts(&done);
            assert_eq!([created, updated + skipped, failed], [made, known, 0], "{duplicates} {csv}: {done}");
            assert_eq!(checked, done["counts"], "{duplicates} {csv}");
            // The same file again, and an export of it elsewhere, twice.
            import_again(&member, kind, duplicates, csv).await;
            let other = app.other(Role::Member).await;
            let export = member.export(&format!("kind={kind}")).await;
            let export = String::from_utf8(export.bytes).unwrap();
            for expected in [made, 0] {
                let moved = import(&other, kind, duplicates, &export).await;
                assert_eq!(counts(&moved)[0], expected, "{duplicates} {export}: {moved}");
            }
        }
    }
}

/// A record remembers each row by which it was recognised, not only the first.
#[tokio::test]
async fn several_files_about_the_same_people_make_no_doubles_after_changes_here() {
    let (_app, member) = importer().await;
    let files = [
        "Name,Email\nBerta,berta@x.example\n",
        "Name,Email,Company\nBerta,berta@x.example,Acme\n",
        "Name,Email,Phone\nBerta Ruiz,berta@x.example,600 555 012\n",
    ];
    for (at, csv) in files.iter().enumerate() {
        let done = import(&member, "customers", "skip", csv).await;
        assert_eq!(counts(&done), if at == 0 { [1, 0, 0, 0] } else { [0, 0, 1, 0] }, "{done}");
    }
    let list = member.get("/api/customers").await.expect(200);
    let one = format!("/api/customers/{}", list["items"][0]["id"].as_str().unwrap());
    let moved = json!({"name": "B. Ruiz", "details": {"emails": [{"email": "b@y.example"}], "phoneNumbers": []}});
    member.patch(&one, moved).await.expect(200);
    for csv in files {
        let again = import(&member, "customers", "skip", csv).await;
        assert_eq!(counts(&again), [0, 0, 1, 0], "{csv}: {again}");
    }
}

#[tokio::test]
async fn one_named_by_a_number_gets_the_name_of_a_later_row() {
    for duplicates in ["skip", "update"] {
        let (_app, member) = importer().await;
        let named = json!({"name": "info@x.example", "details": {"emails": [{"email": "info@x.example"}]}});
        create(&member, named).await;
        let csv = "Name,Email\nX Limited,info@x.example\nBerta,info@x.example\n";
        let (checked, done) = check_and_import(&member, "customers", duplicates, csv).await;
        assert_eq!(counts(&done), [1, 1, 0, 0], "{done}");
        assert_eq!(checked, done["counts"]);
        assert_eq!(sorted_names(&member, "customers").await, ["Berta", "X Limited"]);
    }
}

#[tokio::test]
async fn a_place_does_not_become_a_person_with_an_address_of_their_own() {
    let csv = "Name,Company,Email,Phone,Notes\n,Initech,info@initech.example,(512) 555-0200,General desk\n\
        Bill Lumbergh,Initech,\"info@initech.example, bill@initech.example\",(512) 555-0200,Boss\n";
    for duplicates in ["skip", "update"] {
        let (_app, member) = importer().await;
        let done = import(&member, "customers", duplicates, csv).await;
        assert_eq!(counts(&done), [2, 0, 0, 0], "{done}");
        assert_eq!(sorted_names(&member, "customers").await, ["Bill Lumbergh", "info@initech.example"]);
    }
}

#[tokio::test]
async fn a_row_that_names_somebody_gives_them_all_that_it_has() {
    let (_app, member) = importer().await;
    let csv = "Name,Email,Phone,Job title\n,,+34 600 555 012,\nAna Ruiz,ana@x.example,+34 600555012,Boss\n";
    let done = import(&member, "customers", "skip", csv).await;
    assert_eq!(counts(&done), [1, 1, 0, 0], "{done}");
    let ana = member.get("/api/customers").await.expect(200)["items"][0].clone();
    assert_eq!((&ana["name"], &ana["details"]["title"]), (&json!("Ana Ruiz"), &json!("Boss")), "{ana}");
    assert_eq!(ana["details"]["emails"][0]["email"], "ana@x.example", "{ana}");
}

#[tokio::test]
async fn a_row_whose_address_and_whose_name_are_of_different_people_is_neither() {
    for duplicates in ["skip", "update"] {
        let (_app, member) = importer().await;
        let people = "Name,Email,Phone\nAna Ruiz,ana@x.example,+34 600 111 111\nBea Ruiz,,+34 600 222 222\n";
        import(&member, "customers", duplicates, people).await;
        let row = "Name,Email,Phone\nBea Ruiz,ana@x.example,+34 600 222 222\n";
        let done = import(&member, "customers", duplicates, row).await;
        assert_eq!(counts(&done), [1, 0, 0, 0], "{done}");
        assert_eq!(sorted_names(&member, "customers").await, ["Ana Ruiz", "Bea Ruiz", "Bea Ruiz"]);
        // The address alone says who it is, also under a new name.
        let renamed = "Name,Email,Phone\nAna Ruiz Vega,ana.ruiz@x.example;ana@x.example,+34 600 333 333\n";
        assert_eq!(counts(&import(&member, "customers", duplicates, renamed).await)[0], 1, "two people have it now");
    }
}

// The kind of fault: work in the single writer, or for one row, that grows with the data of a company.
#[tokio::test]
async fn rows_with_thousands_of_entries_cost_no_more_than_a_hundred_and_few_of_them_share_a_write() {
    let (app, member) = importer().await;
    let many = |entry: fn(usize) -> String| (0..3_000).map(entry).collect::<Vec<_>>().join(";");
    for (header, cell, created) in [
        ("Email", many(|n| format!("a{n}@x.example")), 20),
        ("Phone", many(|n| format!("+34 6{n:08}")), 20),
        ("Tags", many(|n| format!("tag {n}")), 20),
    ] {
        let rows = (0..20).map(|n| format!("{header} {n},\"{cell}\"\n")).collect::<Vec<_>>().concat();
        app.app.store().take_largest_write();
        let done = import(&member, "customers", "skip", &format!("Name,{header}\n{rows}")).await;
        assert_eq!(counts(&done), [created, 0, 20 - created, 0], "{header}");
        let cost = app.app.store().take_largest_write();
        assert!(cost.rows_read.max(cost.rows_written) < 2_000, "{header}: {cost:?}");
        let problems = done["problems"].as_array().unwrap();
        assert!(problems.iter().any(|one| one["message"].as_str().unwrap().contains("100")), "{header}: {done}");
    }
}

#[tokio::test]
async fn a_bounded_number_of_records_is_examined_for_a_row() {
    let (app, member) = importer().await;
    let rows: Vec<String> =
        (0..400).map(|n| format!("Same Name,p{n}@x.example,+34 91 555 00 00,info@x.example\n")).collect();
    let csv = format!("Name,Email,Phone,Work email\n{}", rows.concat());
    let done = import(&member, "customers", "add", &csv).await;
    assert_eq!(counts(&done), [400, 0, 0, 0], "{done}");

    let ops = find_kind(Customer::KIND).unwrap().exchange.unwrap();
    let reader = Reader { id: member.id, role: Role::Member };
    let snapshot = app.app.store().snapshot().unwrap();
    let tx = snapshot.tenant(app.acme.id, None);
    let many: Vec<String> = (0..400).map(|n| format!("p{n}@x.example")).collect();
    let name = Some("same name".to_owned());
    let phones = vec!["+34915550000".to_owned()];
    let emails = vec!["info@x.example".to_owned()];
    for (row, expected) in [
        (MatchKeys { name: name.clone(), ..MatchKeys::default() }, None),
        (MatchKeys { name: name.clone(), phones, emails, ..MatchKeys::default() }, None),
        (MatchKeys { name: name.clone(), emails: many.clone(), ..MatchKeys::default() }, None),
        (MatchKeys { name, emails: many[399..].to_vec(), ..MatchKeys::default() }, Some(MatchedBy::Identity)),
    ] {
        let found = (ops.look_up)(&tx, reader, &row).unwrap();
        assert!(found.examined <= MAX_EXAMINED, "{} for {row:?}", found.examined);
        assert!(found.kept() <= 10, "{} are read again in the write", found.kept());
        match (found.choose(&row), expected) {
            (Matched::Record(_, by), Some(expected)) => assert_eq!(by, expected),
            (Matched::Several(_), None) => {}
            other => panic!("{other:?} for {row:?}"),
        }
    }
    // Rows of one file that are alike are bounded in the same way: which of them is meant cannot be said.
    let done = import(&member, "customers", "skip", "Name\nSame Name\nSame Name\n").await;
    assert_eq!(counts(&done), [1, 0, 1, 0], "{done}");
    assert!(done["problems"][0]["message"].as_str().unwrap().starts_with("Several records fit"), "{done}");
}

/// A person of a file.
#[derive(Clone, Debug)]
struct Person {
    name: usize,
    emails: Vec<usize>,
    phone: Option<usize>,
    company: Option<usize>,
}

const NAMES: [&str; 5] = ["Ana Ruiz", "Berta Gil", "Carla", "Ana Ruíz", "D. Ortiz"];
const EMAILS: [&str; 6] =
    ["ana@x.example", "berta@x.example", "info@x.example", "ventas@x.example", "carla@y.example", "d.ortiz@y.example"];
const PHONES: [&str; 3] = ["+34915550000", "+34600555012", "+34933111222"];
const COMPANIES: [&str; 2] = ["X SL", "Y SA"];

fn person() -> impl Strategy<Value = Person> {
    (
        0..NAMES.len(),
        prop::collection::vec(0..EMAILS.len(), 0..3),
        prop::option::of(0..PHONES.len()),
        prop::option::of(0..COMPANIES.len()),
    )
        .prop_map(|(name, emails, phone, company)| Person { name, emails, phone, company })
}

impl Person {
    fn emails(&self) -> Vec<&'static str> {
        let mut emails: Vec<&str> = self.emails.iter().map(|at| EMAILS[*at]).collect();
        emails.sort_unstable();
        emails.dedup();
        emails
    }

    fn body(&self) -> Value {
        let emails: Vec<Value> = self.emails().iter().map(|email| json!({"email": email})).collect();
        let phones: Vec<Value> = self.phone.iter().map(|at| json!({"phoneNumber": PHONES[*at]})).collect();
        let mut details = json!({"emails": emails, "phoneNumbers": phones});
        if let Some(at) = self.company {
            details["company"] = json!(COMPANIES[at]);
        }
        json!({"name": NAMES[self.name], "details": details})
    }

    fn row(&self) -> String {
        let phone = self.phone.map_or("", |at| PHONES[at]);
        let company = self.company.map_or("", |at| COMPANIES[at]);
        format!("{},{},{phone},{company}\n", NAMES[self.name], self.emails().join("; "))
    }
}

async fn records(member: &As) -> BTreeMap<String, Value> {
    let list = member.get("/api/customers?limit=200").await.expect(200);
    let by_id = |one: &Value| (one["id"].as_str().unwrap().to_owned(), one.clone());
    list["items"].as_array().unwrap().iter().map(by_id).collect()
}

/// Imports rows over people who exist. A name changes only by the address of the person alone.
async fn import_over_people(known: Vec<Person>, rows: Vec<Person>) {
    let (_app, member) = importer().await;
    for one in &known {
        create(&member, one.body()).await;
    }
    let before = records(&member).await;
    let csv: String = rows.iter().map(Person::row).collect();
    let csv = format!("Name,Email,Phone,Company\n{csv}");
    let plan = plan_import(&member, "customers", "update", &csv).await;
    let checked = check(&member, &plan).await;
    let done = start(&member, &plan).await;
    assert_eq!(done["counts"], checked["checked"], "a check counts as the import: {csv}");
    let after = records(&member).await;
    assert_eq!(after.len() as u64, before.len() as u64 + counts(&done)[0]);
    for (id, former) in &before {
        let now = &after[id];
        if now["name"] == former["name"] {
            continue;
        }
        // An address of theirs is in the row with the new name, and is of a person.
        let personal = |record: &Value| {
            let emails = record["details"]["emails"].as_array().cloned().unwrap_or_default();
            let emails = emails.iter().map(|one| one["email"].as_str().unwrap().to_owned());
            emails.filter(|email| !email.starts_with("info") && !email.starts_with("ventas")).collect::<Vec<_>>()
        };
        let own = personal(now);
        let is_by_address = rows.iter().any(|row| {
            json!(NAMES[row.name]) == now["name"] && row.emails().iter().any(|email| own.contains(&(*email).to_owned()))
        });
        assert!(is_by_address, "{former} became {now} by {csv}");
    }
}

/// Moves people to another company by a file. As many as there were are there, also after a second time and a rename.
async fn move_people(people: Vec<Person>, others: Vec<Person>, duplicates: &'static str) {
    let (app, here) = importer().await;
    let elsewhere = app.other(Role::Member).await;
    for one in &people {
        create(&here, one.body()).await;
    }
    for one in &others {
        create(&elsewhere, one.body()).await;
    }
    let export = here.export("kind=customers").await;
    let csv = String::from_utf8(export.bytes).unwrap();
    let expected = people.len() + others.len();
    import(&elsewhere, "customers", duplicates, &csv).await;
    let made = records(&elsewhere).await;
    assert_eq!(made.len(), expected, "{people:?}");
    let mut expected_names: Vec<&str> = people.iter().chain(&others).map(|one| NAMES[one.name]).collect();
    expected_names.sort_unstable();
    let mut found: Vec<&str> = made.values().map(|one| one["name"].as_str().unwrap()).collect();
    found.sort_unstable();
    assert_eq!(found, expected_names);
    if let Some(id) = made.keys().next() {
        let change = json!({"name": "Renamed here", "details": {"emails": [], "phoneNumbers": []}});
        elsewhere.patch(&format!("/api/customers/{id}"), change).await.expect(200);
    }
    import(&elsewhere, "customers", duplicates, &csv).await;
    assert_eq!(records(&elsewhere).await.len(), expected, "{people:?}");
    import(&here, "customers", duplicates, &csv).await;
    assert_eq!(records(&here).await.len(), people.len(), "{people:?}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, max_shrink_iters: 40, ..ProptestConfig::default() })]

    #[test]
    fn a_name_changes_only_by_id_key_or_the_address_of_a_person(
        known in prop::collection::vec(person(), 0..5),
        rows in prop::collection::vec(person(), 1..20),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(import_over_people(known, rows));
    }

    #[test]
    fn people_of_an_export_are_as_many_elsewhere_and_after_a_second_time(
        people in prop::collection::vec(person(), 1..8),
        others in prop::collection::vec(person(), 0..3),
        duplicates in prop::sample::select(vec!["skip", "update"]),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(move_people(people, others, duplicates));
    }
}
