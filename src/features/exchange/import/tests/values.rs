//! Values of files that cannot be kept, and how numbers, notes and headers are read. The kind of fault: one odd value
//! refuses a person, or vanishes without a word, or becomes another one.

use serde_json::{Value, json};

use super::{check, fields, path, report, upload};
use crate::{
    people::permission::Role,
    testing::{As, TestApp},
};

/// Imports a file as it is guessed, over what there is.
async fn import(member: &As, kind: &str, name: &str, bytes: &str) -> (Value, Value) {
    let plan = upload(member, kind, name, bytes.as_bytes()).await;
    member.patch(&path(&plan), json!({"duplicates": "update"})).await.expect(200);
    member.post(&format!("{}/start", path(&plan)), json!({})).await.expect(202);
    let done = member.import_over(&plan).await;
    assert_eq!(done["state"], "done", "{done}");
    (plan, done)
}

async fn people(member: &As) -> Vec<Value> {
    member.get("/api/customers?sort=name&limit=200").await.expect(200)["items"].as_array().unwrap().clone()
}

/// Returns the row, the value and the column's place for each value that is left out.
fn left_out(import: &Value) -> Vec<(u64, String, u64)> {
    let said = import["problems"].as_array().unwrap().iter();
    said.map(|one| {
        assert_eq!(one["warning"], true, "{one}");
        (one["row"].as_u64().unwrap(), one["value"].as_str().unwrap().to_owned(), one["column"].as_u64().unwrap())
    })
    .collect()
}

#[tokio::test]
async fn a_value_that_cannot_be_kept_is_left_out_and_said() {
    let long = "x".repeat(600);
    for (header, good, bad) in [
        ("Birthday", "1980-11-25", "0/0/00"),
        ("Birthday", "--11-25", "--02-30"),
        ("Birthday", "1980-11-25", "never"),
        ("Email", "good@x.example", "wrong at x.example"),
        ("Phone", "600 555 012", "ask her"),
        ("Links", "https://x.example/", "fb://profile/12345"),
        ("Status", "Active", "Whatever"),
        ("Owner", "", "nobody@y.example"),
        ("Job title", "CEO", long.as_str()),
        ("Address", "Calle 1", long.as_str()),
        ("Size", "12", "big"),
        ("Since", "2020-01-01", "long ago"),
        ("Budget", "1,250.00 EUR", "a lot"),
    ] {
        let app = TestApp::new().await;
        let admin = app.acme(Role::Admin).await;
        for (name, of) in [("Size", "number"), ("Since", "date"), ("Budget", "money")] {
            admin.post("/api/fields", json!({"kind": "customers", "name": name, "type": of})).await.expect(201);
        }
        let (_, first) =
            import(&admin, "customers", "a.csv", &format!("ID no.,Name,{header}\n,Ana,\"{good}\"\n")).await;
        assert_eq!(first["problems"], json!([]), "{header}: {first}");
        let before = people(&admin).await;
        // The same person again, and another one, with a value that cannot be kept.
        let (plan, done) =
            import(&admin, "customers", "a.csv", &format!("ID no.,Name,{header}\n,Bea,\"{bad}\"\n,Ana,\"{bad}\"\n"))
                .await;
        assert_eq!(done["counts"]["failed"], 0, "{header} {bad}: {done}");
        assert_eq!(done["counts"]["created"], 1, "{header} {bad}: {done}");
        let shown: String = bad.chars().take(200).collect();
        assert_eq!(left_out(&done), [(2, shown.clone(), 2), (3, shown, 2)], "{header}");
        let lines = report(&admin, &plan).await;
        assert!(lines[1].contains(header) && lines[1].contains("imported without this value"), "{lines:?}");
        // A stored value stays.
        let after = people(&admin).await;
        assert_eq!(after[0]["details"], before[0]["details"], "{header}");
        assert_eq!(after[0]["fields"], before[0]["fields"], "{header}");
        assert_eq!(after[0]["attachments"], before[0]["attachments"], "{header}");
    }
}

/// Kind of fault: a file that knows less takes away what is known.
#[tokio::test]
async fn a_birthday_without_a_year_takes_no_year_away() {
    let app = TestApp::new().await;
    let member = app.acme(Role::Member).await;
    for (born, kept) in
        [("1980-11-25", "1980-11-25"), ("--11-25", "1980-11-25"), ("--12-25", "--12-25"), ("1980-12-25", "1980-12-25")]
    {
        let csv = format!("Name,Email,Birthday\nAna,ana@x.example,{born}\n");
        let (_, done) = import(&member, "customers", "a.csv", &csv).await;
        assert_eq!(done["problems"], json!([]), "{born}: {done}");
        assert_eq!(people(&member).await[0]["details"]["birthday"], kept, "{born}");
    }
}

#[tokio::test]
async fn ids_and_names_refuse_a_row() {
    let app = TestApp::new().await;
    let member = app.acme(Role::Member).await;
    let long = "x".repeat(300);
    let id = "01a22300-5f3c-7176-9a9c-b0148f04aeea";
    let csv = format!("ID,Name,Title\nno id,Ana,CEO\n,,CEO\n,{long},CEO\n{id},Dora,CEO\n");
    let (_, done) = import(&member, "customers", "a.csv", &csv).await;
    assert_eq!((&done["counts"]["created"], &done["counts"]["failed"]), (&json!(1), &json!(3)), "{done}");
    // Also where a cell is empty, the column is named.
    let columns: Vec<u64> =
        done["problems"].as_array().unwrap().iter().map(|one| one["column"].as_u64().unwrap()).collect();
    assert_eq!(columns, [0, 1, 1], "{done}");
    let deals = "Title,Customer\nRugs,Nobody\n";
    let (_, done) = import(&member, "deals", "deals.csv", deals).await;
    assert_eq!(done["counts"]["created"], 1, "{done}");
    assert_eq!(left_out(&done), [(2, "Nobody".to_owned(), 1)]);
}

#[tokio::test]
async fn cards_say_what_is_left_out_and_the_wrong_value_is_named() {
    let app = TestApp::new().await;
    let member = app.acme(Role::Member).await;
    let card = |lines: &str| format!("BEGIN:VCARD\r\nVERSION:3.0\r\n{lines}\r\nEND:VCARD\r\n");
    let file = [
        card("FN:A Link\r\nEMAIL:odd@x.example\r\nURL:https://x.example/\r\nURL:fb://profile/12345"),
        card("FN:B Wrong\r\nEMAIL:right@x.example\r\nEMAIL:wrong at x.example"),
        card("FN:C Birthday\r\nBDAY:--0412"),
        card("FN:D Apple\r\nBDAY;X-APPLE-OMIT-YEAR=1604:1604-04-12"),
        card("FN:E Day\r\nBDAY:sometime\r\nTEL:none"),
        card("FN:F Places\r\nADR;TYPE=HOME:;;Home 1;Toledo;;45001;Spain\r\nADR;TYPE=WORK:;;Work 2;Madrid;;28001;Spain"),
        card("TEL:+34 600 222 001"),
    ]
    .concat();
    let (plan, done) = import(&member, "customers", "a.vcf", &file).await;
    assert_eq!((&done["counts"]["created"], &done["counts"]["failed"]), (&json!(7), &json!(0)), "{done}");
    let column =
        |name: &str| plan["columns"].as_array().unwrap().iter().position(|one| one["header"] == name).unwrap() as u64;
    let expected = [
        (1, "fb://profile/12345", "URL"),
        (2, "wrong at x.example", "EMAIL"),
        (5, "none", "TEL"),
        (5, "sometime", "BDAY"),
    ];
    let mut said = left_out(&done);
    said.sort();
    assert_eq!(said, expected.map(|(row, value, name)| (row, value.to_owned(), column(name))));
    let people = people(&member).await;
    assert_eq!(people[0]["name"], "+34 600 222 001");
    assert_eq!([&people[3]["details"]["birthday"], &people[4]["details"]["birthday"]], ["--04-12", "--04-12"]);
    assert_eq!(people[1]["attachments"]["links"].as_array().unwrap().len(), 1);
    assert_eq!(people[2]["details"]["emails"], json!([{"email": "right@x.example", "label": ""}]));
    assert_eq!(
        people[6]["details"]["address"],
        "Home:\nHome 1\n45001 Toledo\nSpain\n\nWork:\nWork 2\n28001 Madrid\nSpain"
    );
}

#[tokio::test]
async fn addresses_are_found_in_what_mail_programs_write() {
    let app = TestApp::new().await;
    let member = app.acme(Role::Member).await;
    let csv = "Name,Email\nA,\"\"\"Ruiz, Ana\"\" <ana.r@x.example>\"\nB,mailto:b@x.example\nC,\u{200b}c@x.example\n\
        D,\"d1@x.example, D <d2@x.example>; d3@x.example\"\n";
    let (_, done) = import(&member, "customers", "a.csv", csv).await;
    assert_eq!(done["problems"], json!([]));
    let found: Vec<Vec<String>> = people(&member)
        .await
        .iter()
        .map(|one| {
            let emails = one["details"]["emails"].as_array().unwrap();
            emails.iter().map(|email| email["email"].as_str().unwrap().to_owned()).collect()
        })
        .collect();
    let expected = [
        vec!["ana.r@x.example"],
        vec!["b@x.example"],
        vec!["c@x.example"],
        vec!["d1@x.example", "d2@x.example", "d3@x.example"],
    ];
    assert_eq!(found, expected);
}

#[tokio::test]
async fn those_with_only_a_number_are_named_by_it() {
    let app = TestApp::new().await;
    let member = app.acme(Role::Member).await;
    let csv = "Name,Phone\nOnly a name,\n,+34 600 222 001\n,+34 600 222 002\nAna,+34600222001\n";
    let (_, done) = import(&member, "customers", "a.csv", csv).await;
    assert_eq!((&done["counts"]["created"], &done["counts"]["updated"]), (&json!(3), &json!(1)), "{done}");
    let names: Vec<String> = people(&member).await.iter().map(|one| one["name"].as_str().unwrap().to_owned()).collect();
    assert_eq!(names, ["+34 600 222 002", "Ana", "Only a name"]);
    // A row without a name does not take one away.
    let (_, done) =
        import(&member, "customers", "a.csv", "Name,Email,Phone\nEva,eva@x.example,\n,eva@x.example,600 1\n").await;
    assert_eq!(done["counts"]["updated"], 1, "{done}");
    assert!(people(&member).await.iter().any(|one| one["name"] == "Eva"));
    let (_, done) = import(&member, "organizations", "a.csv", "Name,Phone\n,+34 911 222 001\n").await;
    assert_eq!(done["counts"]["created"], 1, "{done}");
}

#[tokio::test]
async fn notes_that_are_no_html_are_kept_letter_for_letter() {
    let app = TestApp::new().await;
    let member = app.acme(Role::Member).await;
    let elsewhere = app.other(Role::Member).await;
    let texts = [
        "<ana@x.example> wrote: ok",
        "<Ana> said 5 > 3",
        "<b is not closed",
        "<p> is a letter",
        "a < b > c",
        "<https://x.example/?a=1&b=2>",
        "one\ntwo & three",
    ];
    let rows: Vec<String> = (0..).zip(texts).map(|(n, text)| format!("P{n},\"{text}\"\n")).collect();
    let csv = format!("Name,Notes\n{}P8,<p>Hello <b>you</b></p>\n", rows.concat());
    let (_, done) = import(&member, "customers", "a.csv", &csv).await;
    assert_eq!(done["counts"]["created"], 8, "{done}");
    let shown =
        |people: &[Value]| people.iter().map(|one| one["notes"].as_str().unwrap_or("").to_owned()).collect::<Vec<_>>();
    let here = shown(&people(&member).await);
    let escape = |text: &str| text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    for (text, notes) in texts.iter().zip(&here) {
        let lines: Vec<String> = text.lines().map(|line| format!("<p>{}</p>", escape(line))).collect();
        assert_eq!(*notes, lines.concat());
    }
    assert_eq!(here[7], "<p>Hello <b>you</b></p>");
    let export = String::from_utf8(member.export("kind=customers").await.bytes).unwrap();
    import(&elsewhere, "customers", "a.csv", &export).await;
    assert_eq!(shown(&people(&elsewhere).await), here);
}

#[tokio::test]
async fn the_header_is_found_and_columns_beyond_it_are_not_dropped() {
    let app = TestApp::new().await;
    let member = app.acme(Role::Member).await;
    for (csv, expected, skipped, rows) in [
        (
            "Name,Email,Email,Phone,Company\nAda One,a1@x.example,a2@x.example,600 123 471,ACME\n",
            vec!["name", "email", "email", "phone", "company"],
            0,
            1,
        ),
        (
            ",Name,Email,Company\n0,Ada One,a1@x.example,ACME\n1,Ada Two,a2@x.example,ACME\n",
            vec!["-", "name", "email", "company"],
            0,
            2,
        ),
        (
            "Customers 2026,,,\n\nName,Email,Phone,Company\nAda,a1@x.example,600 123 471,ACME\n",
            vec!["name", "email", "phone", "company"],
            1,
            1,
        ),
        ("Customers\n\nName;Email\nAda;a1@x.example\n", vec!["name", "email"], 1, 1),
        ("Customers\nof 2026\nName,Email\nAda,a1@x.example\n", vec!["name", "email"], 2, 1),
        ("Name,Email,2024\nAda,a1@x.example,5\nBea,b@x.example,7\n", vec!["name", "email", "-"], 0, 2),
        (
            "Name,Email\nAda,a1@x.example,600 123 471\nBea,b@x.example,600 123 472\n",
            vec!["name", "email", "phone"],
            0,
            2,
        ),
        ("Ada,a1@x.example,600 123 471\nBea,b@x.example,600 123 472\n", vec!["-", "email", "phone"], 0, 2),
    ] {
        let plan = upload(&member, "customers", "a.csv", csv.as_bytes()).await;
        assert_eq!(fields(&plan), expected, "{csv}");
        assert_eq!((&plan["skippedRows"], &plan["rows"]), (&json!(skipped), &json!(rows)), "{csv}");
    }
    let csv = "Ada;CEO\nBea;CFO\nName;Title\nEva;CTO\n";
    let plan = upload(&member, "customers", "a.csv", csv.as_bytes()).await;
    let plan = member.patch(&path(&plan), json!({"skippedRows": 2})).await.expect(200);
    assert_eq!((fields(&plan), &plan["rows"]), (vec!["name", "title"], &json!(1)));
    let checked = check(&member, &plan).await;
    assert_eq!(checked["checked"]["created"], 1, "{checked}");
    member.patch(&path(&plan), json!({"skippedRows": 51})).await.expect(422);
}

#[tokio::test]
async fn three_digits_behind_a_mark_are_thousands_unless_the_column_says_otherwise() {
    let app = TestApp::new().await;
    let member = app.acme(Role::Member).await;
    member.patch("/api/common/user", json!({"region": {"dateFormat": "dmy", "currency": "EUR"}})).await.expect(200);
    for (cells, expected) in [
        (["1,200", "3,500", "12,000"], [120_000, 350_000, 1_200_000]),
        (["1.200", "3.500", "12.000"], [120_000, 350_000, 1_200_000]),
        (["1,200", "3,5", "12"], [120, 350, 1_200]),
        (["1,200", "3.50", "12"], [120_000, 350, 1_200]),
        (["0,500", "1.200", "12"], [50, 120_000, 1_200]),
    ] {
        let rows: Vec<String> = (0..).zip(cells).map(|(n, cell)| format!("D{n};{cell}\n")).collect();
        let csv = format!("Deal name;Amount\n{}", rows.concat());
        let plan = upload(&member, "deals", "a.csv", csv.as_bytes()).await;
        let preview = member.get(&format!("{}/preview", path(&plan))).await.expect(200);
        let shown: Vec<&str> =
            preview["rows"].as_array().unwrap().iter().map(|row| row["cells"][1].as_str().unwrap()).collect();
        let written = expected.map(|amount: i64| format!("{}.{:02} EUR", amount / 100, amount % 100));
        assert_eq!(shown, written, "{cells:?}");
        member.post(&format!("{}/start", path(&plan)), json!({})).await.expect(202);
        member.import_over(&plan).await;
        let list = member.get("/api/deals?sort=title").await.expect(200);
        for (deal, amount) in list["items"].as_array().unwrap().iter().zip(expected) {
            assert_eq!(deal["value"]["amount"], amount, "{cells:?}");
            member.delete(&format!("/api/deals/{}", deal["id"].as_str().unwrap())).await.expect(204);
        }
    }
}

#[tokio::test]
async fn numbers_that_can_be_read_in_two_ways_are_asked_for_once() {
    let app = TestApp::new().await;
    let admin = app.acme(Role::Admin).await;
    admin.post("/api/fields", json!({"kind": "customers", "name": "Size", "type": "number"})).await.expect(201);
    let csv = "Name;Size\nAna;1,200\nBea;3,500\n";
    let plan = upload(&admin, "customers", "a.csv", csv.as_bytes()).await;
    assert_eq!(plan["columns"][1]["ambiguousNumbers"], true, "{plan}");
    for (mark, expected) in [("comma", "1.2"), ("point", "1200")] {
        let plan = admin.patch(&path(&plan), json!({"decimalMark": mark})).await.expect(200);
        assert_eq!(plan["columns"][1]["ambiguousNumbers"], false);
        let preview = admin.get(&format!("{}/preview", path(&plan))).await.expect(200);
        let shown = preview["rows"][0]["cells"][1].as_str().unwrap();
        let difference = shown.parse::<f64>().unwrap() - expected.parse::<f64>().unwrap();
        assert!(difference.abs() < 1e-9, "{shown}");
    }
    let proven = upload(&admin, "customers", "a.csv", b"Name;Size\nAna;1,200\nBea;3,5\n").await;
    assert_eq!(proven["columns"][1]["ambiguousNumbers"], false);
}

// The kind of fault: a separator within a value divides it.
#[tokio::test]
async fn quotation_marks_enclose_tags_and_choices() {
    let app = TestApp::new().await;
    let admin = app.acme(Role::Admin).await;
    let choices = json!([{"name": "Small, blue"}, {"name": "Large"}]);
    let sizes = json!({"kind": "customers", "name": "Sizes", "type": "choices", "choices": choices});
    let sizes = admin.post("/api/fields", sizes).await.expect(201);
    let csv = "Name,Tags,Sizes\nAna,\"\"\"red, green\"\", blue\",\"\"\"Small, blue\"\";Large\"\n\
        Bea,\"red;\"\"a;b\"\"\",\nCy,\"vip\nfair, north\nold\",\n";
    let (_, done) = import(&admin, "customers", "a.csv", csv).await;
    assert_eq!(done["problems"], json!([]), "{done}");
    let people = people(&admin).await;
    let tags: Vec<&Value> = people.iter().map(|one| &one["tags"]).collect();
    let expected = [json!(["red, green", "blue"]), json!(["red", "a;b"]), json!(["vip", "fair", "north", "old"])];
    assert_eq!(tags, expected.iter().collect::<Vec<_>>());
    assert_eq!(people[0]["fields"]["sizes"].as_array().unwrap().len(), 2, "{}", people[0]);
    assert_eq!(people[0]["fields"]["sizes"][0], sizes["choices"][0]["key"]);
    let organizations = "Name,Tags\nAcme,\"\"\"a,b\"\",c\"\n";
    import(&admin, "organizations", "o.csv", organizations).await;
    let organizations = admin.get("/api/organizations").await.expect(200);
    assert_eq!(organizations["items"][0]["tags"], json!(["a,b", "c"]));
}

// The kind of fault: dates that any order reads decide how others are read, and those are lost.
#[tokio::test]
async fn dates_of_two_notations_in_a_column_are_both_read() {
    let app = TestApp::new().await;
    let member = app.acme(Role::Member).await;
    let before = "Name,Birthday\n".to_owned() + &"Zed,2024-03-02\n".repeat(60);
    for (format, order, expected) in [("dmy", "dmy", "1980-03-02"), ("mdy", "mdy", "1980-02-03")] {
        member.patch("/api/common/user", json!({"region": {"dateFormat": format}})).await.expect(200);
        for csv in ["Name,Birthday\nAna,2024-03-02\nBea,02/03/1980\n", format!("{before}Bea,02/03/1980\n").as_str()] {
            let plan = upload(&member, "customers", "a.csv", csv.as_bytes()).await;
            assert_eq!(plan["dateOrder"], order, "what nothing proves is as the member writes dates");
        }
        let csv = format!("Name,Birthday\nAna {format},2024-03-02\nBea {format},02/03/1980\n");
        let (_, done) = import(&member, "customers", "a.csv", &csv).await;
        assert_eq!(done["problems"], json!([]), "{done}");
        let born = |name: &str, people: &[Value]| {
            let is_it = |one: &&Value| one["name"] == format!("{name} {format}");
            people.iter().find(is_it).unwrap()["details"]["birthday"].clone()
        };
        let people = people(&member).await;
        assert_eq!((born("Ana", &people), born("Bea", &people)), (json!("2024-03-02"), json!(expected)));
    }
    // A date below the first rows proves the order of all.
    let plan =
        upload(&member, "customers", "a.csv", format!("{before}Bea,02/03/1980\nCy,25/03/1980\n").as_bytes()).await;
    assert_eq!(plan["dateOrder"], "dmy");
    // Other fields, and another column that has only dates of one notation.
    let tasks = "Title,Created,Due date\nCall,2024-03-02,25/03/2030\nWrite,2024-03-02,02/03/2030\n";
    let (plan, done) = import(&member, "tasks", "t.csv", tasks).await;
    assert_eq!((&plan["dateOrder"], &done["problems"]), (&json!("dmy"), &json!([])));
}

// The kind of fault: a text in a known encoding is refused as no text, or is read in another one that no setting can change.
#[tokio::test]
async fn encodings_are_recognized_or_chosen() {
    let app = TestApp::new().await;
    let member = app.acme(Role::Member).await;
    let text = "Name;Job title\r\nJosé Peña;Campeón de Málaga\r\n";
    let units: Vec<u16> = text.encode_utf16().collect();
    let little: Vec<u8> = units.iter().flat_map(|unit| unit.to_le_bytes()).collect();
    let big: Vec<u8> = units.iter().flat_map(|unit| unit.to_be_bytes()).collect();
    let mac = b"Name;Job title\r\nJos\x8E Pe\x96a;Campe\x97n de M\x87laga\r\n".to_vec();
    let dos = b"Name;Job title\r\nJos\x82 Pe\xA4a;Campe\xA2n de M\xA0laga\r\n".to_vec();
    for (bytes, encoding, is_found) in
        [(little, "utf-16le", true), (big, "utf-16be", true), (mac, "macintosh", false), (dos, "cp850", false)]
    {
        let plan = upload(&member, "customers", "a.csv", &bytes).await;
        assert_eq!(plan["encoding"] == encoding, is_found, "{encoding}: {plan}");
        let plan = member.patch(&path(&plan), json!({"encoding": encoding})).await.expect(200);
        assert_eq!((&plan["encoding"], fields(&plan)), (&json!(encoding), vec!["name", "title"]));
        let preview = member.get(&format!("{}/preview", path(&plan))).await.expect(200);
        assert_eq!(preview["rows"][0]["cells"], json!(["José Peña", "Campeón de Málaga"]), "{encoding}");
        member.patch(&path(&plan), json!({"duplicates": "add"})).await.expect(200);
        member.post(&format!("{}/start", path(&plan)), json!({})).await.expect(202);
        assert_eq!(member.import_over(&plan).await["counts"]["created"], 1, "{encoding}");
    }
    let people = people(&member).await;
    assert!(people.iter().all(|one| one["name"] == "José Peña"), "{people:?}");
    // Cards, too.
    let card = "BEGIN:VCARD\r\nVERSION:3.0\r\nFN:Ana Muñoz\r\nEND:VCARD\r\n";
    let card: Vec<u8> = card.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let plan = upload(&member, "customers", "a.vcf", &card).await;
    member.post(&format!("{}/start", path(&plan)), json!({})).await.expect(202);
    assert_eq!(member.import_over(&plan).await["counts"]["created"], 1);
    assert!(self::people(&member).await.iter().any(|one| one["name"] == "Ana Muñoz"));
}

// The kind of fault: a cell that stands behind the named columns is dropped without a word.
#[tokio::test]
async fn cells_behind_the_named_columns_are_reported() {
    let app = TestApp::new().await;
    let member = app.acme(Role::Member).await;
    let spaced = "\"Name\", \"Email\", \"Address\"\n\"Ann Alpha\", \"ann@a.example\", \"Paris, France\"\n";
    let (plan, done) = import(&member, "customers", "a.csv", spaced).await;
    assert_eq!((fields(&plan), &done["problems"]), (vec!["name", "email", "address"], &json!([])));
    let list = member.get("/api/customers").await.expect(200);
    assert_eq!(list["items"][0]["details"]["address"], "Paris, France");
    for (kind, csv, expected) in [
        ("customers", "Name,Email\nBea,b@x.example,lost\nCy,c@x.example,too\n", vec![(2, "lost", 2), (3, "too", 2)]),
        ("organizations", "Name;Email;\nAcme;info@acme.example;lost\nBeta;b@beta.example;\n", vec![(2, "lost", 2)]),
        ("tasks", "Title,Priority,Due date,\nCall,High,2030-01-02,lost\n", vec![(2, "lost", 3)]),
        // A column that has a name, or stands before one that has, is left out as the plan says.
        ("deals", ",Title,Amount,Color\n0,Rugs,10,red\n1,Lamps,20,blue\n", vec![]),
    ] {
        let (plan, done) = import(&member, kind, "a.csv", csv).await;
        assert_eq!(done["counts"]["failed"], 0, "{done}");
        let expected: Vec<_> = expected.into_iter().map(|(row, value, at)| (row, value.to_owned(), at)).collect();
        assert_eq!(left_out(&done), expected, "{kind}: {plan}");
    }
    let done = member.import("customers", "Name,Email\nDo,d@x.example,lost\nEva,e@x.example\nFay,f@x.example\n").await;
    assert_eq!((&done["counts"]["failed"], &done["problems"][0]["row"]), (&json!(1), &json!(2)), "{done}");
}

// The kind of fault: what spreadsheets and programs write in place of no value is kept as one.
#[tokio::test]
async fn errors_of_spreadsheets_and_placeholders_are_no_values() {
    let app = TestApp::new().await;
    let admin = app.acme(Role::Admin).await;
    let choices = json!([{"name": "N/A"}, {"name": "Large"}]);
    let size = json!({"kind": "customers", "name": "Size", "type": "choice", "choices": choices});
    let size = admin.post("/api/fields", size).await.expect(201);
    admin.post("/api/fields", json!({"kind": "customers", "name": "Code", "type": "text"})).await.expect(201);
    let header = "Name,Email,Phone,Company,Job title,Birthday,Address,Tags,Notes,Code,Size";
    let known = "Ana,ana@x.example,600 555 012,ACME,CEO,1980-11-25,Calle 1,vip,Hello,K1,Large";
    import(&admin, "customers", "a.csv", &format!("{header}\n{known}\n")).await;
    let before = people(&admin).await;
    for placeholder in ["NULL", "\\N", "N/A", "n/a", "-", "–", "—"] {
        let cells = [placeholder; 8].join(",");
        let row = format!("Ana,ana@x.example,{cells},");
        let (_, done) = import(&admin, "customers", "a.csv", &format!("{header}\n{row}\n")).await;
        assert_eq!((&done["problems"], &done["counts"]["failed"]), (&json!([]), &json!(0)), "{placeholder}: {done}");
        let after = people(&admin).await;
        assert_eq!(after.len(), 1);
        assert_eq!((&after[0]["details"], &after[0]["fields"]), (&before[0]["details"], &before[0]["fields"]));
        assert_eq!((&after[0]["tags"], &after[0]["notes"]), (&before[0]["tags"], &before[0]["notes"]));
    }
    for error in ["#N/A", "#REF!", "#VALUE!", "#DIV/0!", "#NAME?", "#¡VALOR!", "#¿NOMBRE?", "#N/D", "#NV", "#WERT!"] {
        let csv = format!("Name,Phone,Notes,Code\n{error},600 555 013,{error},{error}\n");
        let (plan, done) = import(&admin, "customers", "b.csv", &csv).await;
        let expected = [0, 2, 3].map(|column| (2, error.to_owned(), column));
        assert_eq!(left_out(&done), expected, "{error}");
        let lines = report(&admin, &plan).await;
        assert!(lines.iter().any(|line| line.contains("An error of a spreadsheet isn’t a value.")), "{lines:?}");
        assert!(!people(&admin).await.iter().any(|one| one["name"] == error), "{error}");
    }
    // Names and choices may be so.
    import(&admin, "customers", "c.csv", "First name,Middle name,Last name,Size\nEva,-,Null,N/A\nNULL,,,\n").await;
    let people = people(&admin).await;
    let eva = people.iter().find(|one| one["name"] == "Eva Null").unwrap();
    assert_eq!(eva["fields"]["size"], size["choices"][0]["key"]);
    assert!(people.iter().any(|one| one["name"] == "NULL"), "{people:?}");
    // Other kinds, and what stands beside a value.
    let (_, done) = import(&admin, "deals", "d.csv", "Title,Value,Customer,Stage\nRugs,#DIV/0!,N/A,NULL\n").await;
    assert_eq!(left_out(&done), [(2, "#DIV/0!".to_owned(), 1)]);
    let (_, done) = import(&admin, "tasks", "t.csv", "Title,Due date,Completed,Notes\nCall,-,n/a,NULL\n").await;
    assert_eq!(done["problems"], json!([]));
    let labelled = "Name,E-mail 1 - Label,E-mail 1 - Value\nFay,NULL,fay@x.example\n";
    import(&admin, "customers", "e.csv", labelled).await;
    let list = admin.get("/api/customers/lookup?email=fay@x.example").await.expect(200);
    assert_eq!(list["items"][0]["details"]["emails"], json!([{"email": "fay@x.example", "label": ""}]));
}

// The kind of fault: how a spreadsheet marks a text is taken as a part of it.
#[tokio::test]
async fn texts_of_spreadsheets_are_read_in_every_column() {
    let app = TestApp::new().await;
    let member = app.acme(Role::Member).await;
    let text = |text: &str| format!("\"=\"\"{text}\"\"\"");
    let row = ["Ana", "00123", "ana@x.example", "600 555 012", "1980-11-25"].map(text).join(",");
    let header = ["Name", "External ID", "Email", "Phone", "Birthday"].map(text).join(",");
    let (plan, done) = import(&member, "customers", "a.csv", &format!("{header}\n{row}\n")).await;
    assert_eq!(
        (fields(&plan), &done["problems"]),
        (vec!["name", "externalId", "email", "phone", "birthday"], &json!([]))
    );
    let ana = people(&member).await.remove(0);
    assert_eq!((&ana["name"], &ana["externalId"]), (&json!("Ana"), &json!("00123")));
    assert_eq!(ana["details"]["birthday"], "1980-11-25");
    assert_eq!(ana["details"]["phoneNumbers"][0]["phoneNumber"], "600 555 012");
    let deals = format!("Title;Value\n{};{}\n", text("007"), text("1200.50"));
    import(&member, "deals", "d.csv", &deals).await;
    let deals = member.get("/api/deals").await.expect(200);
    assert_eq!((&deals["items"][0]["title"], &deals["items"][0]["value"]["amount"]), (&json!("007"), &json!(120_050)));
}

// The kind of fault: what is dropped between two words makes them one.
#[tokio::test]
async fn blocks_of_html_are_lines_of_notes() {
    let app = TestApp::new().await;
    let member = app.acme(Role::Member).await;
    for (html, expected) in [
        ("<div>one</div><div>two</div>", "one<br>two"),
        ("<section>one</section><section>two</section>", "one<br>two"),
        ("<dl><dt>one</dt><dd>two</dd></dl>", "one<br>two"),
        ("<main><h6>one</h6><p>two</p></main>", "one<p>two</p>"),
        ("<dt> is a letter", "<p>&lt;dt&gt; is a letter</p>"),
    ] {
        import(&member, "customers", "a.csv", &format!("Name,Email,Notes\nAna,ana@x.example,\"{html}\"\n")).await;
        assert_eq!(people(&member).await[0]["notes"], expected, "{html}");
    }
}

// The kind of fault: a currency is read by its code only, and the report blames the amount.
#[tokio::test]
async fn currencies_are_read_by_name_and_symbol() {
    let app = TestApp::new().await;
    let member = app.acme(Role::Member).await;
    member.patch("/api/common/user", json!({"region": {"dateFormat": "dmy", "currency": "MXN"}})).await.expect(200);
    let csv = "Title,Value,Currency\nA,10,Euro\nB,20,€\nC,30,US Dollar\nD,40,$\nE,50,chf\nF,60,Pounds\nG,70,\n\
        H,80,Doubloons\nI,90 €,Doubloons\nJ,many,Doubloons\nK,many,EUR\n";
    let (plan, done) = import(&member, "deals", "d.csv", csv).await;
    let list = member.get("/api/deals?sort=title&limit=50").await.expect(200);
    let shown = |deal: &Value| match deal["value"]["amount"].as_i64() {
        Some(amount) => format!("{} {} {}", deal["title"], amount / 100, deal["value"]["currency"]).replace('"', ""),
        None => deal["title"].as_str().unwrap().to_owned(),
    };
    let shown: Vec<String> = list["items"].as_array().unwrap().iter().map(shown).collect();
    let expected =
        ["A 10 EUR", "B 20 EUR", "C 30 USD", "D 40 MXN", "E 50 CHF", "F 60 GBP", "G 70 MXN", "H", "I 90 EUR", "J", "K"];
    assert_eq!(shown, expected);
    let expected = [(9, "Doubloons", 2), (10, "Doubloons", 2), (11, "Doubloons", 2), (11, "many", 1), (12, "many", 1)];
    assert_eq!(left_out(&done), expected.map(|(row, value, column)| (row, value.to_owned(), column)));
    let lines = report(&member, &plan).await;
    assert!(lines[1].contains("Currency") && lines[1].contains("We don’t know this currency."), "{lines:?}");
}

// The kind of fault: a value of a custom field that cannot be kept is reported without its column.
#[tokio::test]
async fn values_of_custom_fields_are_reported_and_completed_like_others() {
    let app = TestApp::new().await;
    let admin = app.acme(Role::Admin).await;
    let long = "x".repeat(3_000);
    for kind in ["customers", "organizations", "deals", "tasks"] {
        for (name, of) in [("Site", "url"), ("Color", "text"), ("Seats", "number"), ("Since", "date")] {
            admin.post("/api/fields", json!({"kind": kind, "name": name, "type": of})).await.expect(201);
        }
        let name = if matches!(kind, "deals" | "tasks") { "Title" } else { "Name" };
        let rows = format!(
            "A1,a.example,red,1,2020-01-01\nA2,//b.example/x,,,\nA3,http://c.example,,,\nA4,mailto:d@x.example,,,\n\
             A5,nowhere,,,\nA6,ftp://e.example,,,\nA7,,{long},,\nA8,,,1e99,\nA9,,,,9999-01-01\n"
        );
        let (plan, done) = import(&admin, kind, "a.csv", &format!("{name},Site,Color,Seats,Since\n{rows}")).await;
        assert_eq!((&done["counts"]["created"], &done["counts"]["failed"]), (&json!(9), &json!(0)), "{kind}: {done}");
        let list = admin.get(&format!("/api/{kind}?limit=50")).await.expect(200);
        let site = |title: &str| {
            let mut items = list["items"].as_array().unwrap().iter();
            let is_it = |one: &&Value| one.get("name").or(one.get("title")).is_some_and(|own| own == title);
            items.find(is_it).unwrap()["fields"]["site"].clone()
        };
        let sites = ["A1", "A2", "A3", "A4", "A5", "A6"].map(site);
        let expected =
            ["https://a.example", "https://b.example/x", "http://c.example", "mailto:d@x.example"].map(Value::from);
        assert_eq!(sites[..4], expected, "{kind}");
        assert_eq!(sites[4..], [Value::Null, Value::Null], "{kind}");
        let said: Vec<(u64, u64)> = left_out(&done).iter().map(|(row, _, column)| (*row, *column)).collect();
        assert_eq!(said[..3], [(6, 1), (7, 1), (8, 2)], "{kind}: {done}");
        for line in report(&admin, &plan).await.iter().skip(1) {
            assert!(line.contains("imported without this value"), "{kind}: {line}");
        }
    }
    // A change that is refused names the column, too.
    let (_, done) = import(&admin, "organizations", "a.csv", "Name,Site\nA1,nowhere\n").await;
    assert_eq!((&done["counts"]["failed"], left_out(&done)), (&json!(0), vec![(2, "nowhere".to_owned(), 1)]), "{done}");
}

// The kind of fault: a line with the names of the columns becomes a record.
#[tokio::test]
async fn a_repeated_header_is_no_record() {
    let app = TestApp::new().await;
    let member = app.acme(Role::Member).await;
    for (kind, csv, created, repeated) in [
        ("customers", "Name,Email\nAna,ana@x.example\nName,Email\nBea,bea@x.example\n", 2, vec![3]),
        ("organizations", "\"Name\"; \"Website\";\nAcme;a.example\n Name ;Website;\nBeta;b.example\n", 2, vec![3]),
        ("tasks", "Title\nCall\nTitle\nTitle\nWrite\n", 2, vec![3, 4]),
        ("customers", "Exported today,\nName,Email\nCy,cy@x.example\nName,Email\nDo,do@x.example\n", 2, vec![4]),
        // A row that only resembles it, and one of a file without a header.
        ("customers", "Name,Company\nEva,ACME\nName,Acme\n", 2, vec![]),
        ("deals", "Rugs,10\nLamps,20\n", 2, vec![]),
    ] {
        let plan = upload(&member, kind, "a.csv", csv.as_bytes()).await;
        if kind == "deals" {
            let columns = json!([{"field": "title"}, {"field": "value"}]);
            member.patch(&path(&plan), json!({"columns": columns})).await.expect(200);
        }
        member.post(&format!("{}/start", path(&plan)), json!({})).await.expect(202);
        let done = member.import_over(&plan).await;
        assert_eq!(done["counts"]["created"], created, "{csv}: {done}");
        let problems = done["problems"].as_array().unwrap();
        let rows: Vec<u64> = problems.iter().map(|one| one["row"].as_u64().unwrap()).collect();
        assert_eq!(rows, repeated, "{csv}: {done}");
        assert!(problems.iter().all(|one| one["message"].as_str().unwrap().starts_with("This row repeats")), "{done}");
    }
}

// The kind of fault: columns without content hide the header.
#[tokio::test]
async fn a_header_between_columns_without_content_is_found() {
    let app = TestApp::new().await;
    let member = app.acme(Role::Member).await;
    for (kind, csv, expected) in [
        (
            "customers",
            ",Name,,Email,,Phone\n,Ada,,ada@x.example,,600 555 012\n",
            vec!["-", "name", "-", "email", "-", "phone"],
        ),
        ("organizations", ",,Name,,Website\n,,Acme,,acme.example\n", vec!["-", "-", "name", "-", "website"]),
        ("deals", ",Title,,,Stage\n,Rugs,,,\n,Lamps,,,\n", vec!["-", "title", "-", "-", "stage"]),
    ] {
        let (plan, done) = import(&member, kind, "a.csv", csv).await;
        assert_eq!((fields(&plan), &plan["skippedRows"]), (expected, &json!(0)), "{csv}");
        assert_eq!((&done["problems"], &done["counts"]["failed"]), (&json!([]), &json!(0)), "{csv}: {done}");
    }
}

// The kind of fault: a part of a value in a file takes the place of the whole value that a record has.
#[tokio::test]
async fn a_part_of_an_address_does_not_replace_an_address() {
    let whole = "1 Main St\n02134 Boston\nUSA";
    let said = "The record already has an address, and this is only part of one.";
    for (kind, header, cells, before, after, problems) in [
        ("customers", "City", "Cambridge", whole, whole, json!([[1, "Cambridge"]])),
        // The address has it already.
        ("customers", "City", "BOSTON", whole, whole, json!([])),
        ("customers", "Country,City", "USA,Cambridge", whole, whole, json!([[2, "Cambridge"]])),
        ("organizations", "Postal code,City", "28013,Madrid", whole, whole, json!([[1, "28013"], [2, "Madrid"]])),
        // A street with its city or postal code and a whole address are another address, and a record without one takes
        // the part.
        ("customers", "Street,City", "2 Elm St,Cambridge", whole, "2 Elm St\nCambridge", json!([])),
        ("organizations", "Street,Postal code", "2 Elm St,02139", whole, "2 Elm St\n02139", json!([])),
        // A street alone says nothing of the city.
        ("customers", "Street", "2 Elm St", whole, whole, json!([[1, "2 Elm St"]])),
        ("customers", "Street", "1 MAIN ST", whole, whole, json!([])),
        ("customers", "Street,Country", "2 Elm St,USA", whole, whole, json!([[1, "2 Elm St"]])),
        ("organizations", "Street,Country", "1 Main St,Canada", whole, whole, json!([[2, "Canada"]])),
        ("organizations", "Street", "2 Elm St", "", "2 Elm St", json!([])),
        // The row has no city, although the file has its column.
        ("organizations", "Street,City", "2 Elm St,", whole, whole, json!([[1, "2 Elm St"]])),
        // The row has no street, although the file has its column.
        ("customers", "City,Street", "Cambridge,", whole, whole, json!([[1, "Cambridge"]])),
        ("organizations", "Address", "2 Elm St", whole, "2 Elm St", json!([])),
        ("customers", "City", "Cambridge", "", "Cambridge", json!([])),
    ] {
        let app = TestApp::new().await;
        let member = app.acme(Role::Member).await;
        let mut body = json!({"name": "Ana", "externalId": "A1"});
        let place = if kind == "customers" { "/details/address" } else { "/address" };
        if !before.is_empty() {
            if kind == "customers" {
                body["details"] = json!({"address": before});
            } else {
                body["address"] = json!(before);
            }
        }
        let made = member.post(&format!("/api/{kind}"), body).await.expect(201);
        let csv = format!("External ID,{header}\nA1,{cells}\n");
        let plan = upload(&member, kind, "a.csv", csv.as_bytes()).await;
        member.patch(&path(&plan), json!({"duplicates": "update"})).await.expect(200);
        let checked = check(&member, &plan).await;
        member.post(&format!("{}/start", path(&plan)), json!({})).await.expect(202);
        let done = member.import_over(&plan).await;
        assert_eq!((&done["counts"], &done["problems"]), (&checked["checked"], &checked["problems"]), "{csv}");
        let now = member.get(&format!("/api/{kind}/{}", made["id"].as_str().unwrap())).await.expect(200);
        assert_eq!(now.pointer(place), Some(&json!(after)), "{csv}: {now}");
        let of = |one: &Value| {
            assert_eq!((&one["message"], &one["warning"]), (&json!(said), &json!(true)), "{one}");
            json!([one["column"], one["value"]])
        };
        let found: Vec<Value> = done["problems"].as_array().unwrap().iter().map(of).collect();
        assert_eq!(Value::Array(found), problems, "{csv}");
    }
}

// The kind of fault: a part of a value in a file takes the place of the whole value that a record has.
#[tokio::test]
async fn an_amount_without_a_currency_keeps_the_currency_of_the_record() {
    let alone = "A currency needs an amount, and this row has none.";
    let unread = "We can’t read this amount.";
    for (before, header, cells, after, problems) in [
        (json!({"amount": 100_000, "currency": "EUR"}), "Value", "2000", json!([200_000, "EUR"]), json!([])),
        // With the decimals of the currency.
        (json!({"amount": 1_000, "currency": "JPY"}), "Value", "2000", json!([2_000, "JPY"]), json!([])),
        (json!({"amount": 1_000, "currency": "JPY"}), "Value", "2000.50", json!([1_000, "JPY"]), json!([[2, unread]])),
        // A currency that the file names counts, and a record without an amount has that of the region.
        (json!({"amount": 100_000, "currency": "EUR"}), "Value", "2000 GBP", json!([200_000, "GBP"]), json!([])),
        (
            json!({"amount": 100_000, "currency": "EUR"}),
            "Value,Currency",
            "2000,GBP",
            json!([200_000, "GBP"]),
            json!([]),
        ),
        (Value::Null, "Value", "2000", json!([200_000, "USD"]), json!([])),
        // A currency alone is no amount.
        (
            json!({"amount": 100_000, "currency": "EUR"}),
            "Currency",
            "GBP",
            json!([100_000, "EUR"]),
            json!([[2, alone]]),
        ),
        (Value::Null, "Value,Currency", ",GBP", json!([null, null]), json!([[3, alone]])),
        (json!({"amount": 100_000, "currency": "EUR"}), "Budget", "2000", json!([100_000, "EUR"]), json!([])),
    ] {
        let app = TestApp::new().await;
        let admin = app.acme(Role::Admin).await;
        admin.patch("/api/common/user", json!({"region": {"currency": "USD"}})).await.expect(200);
        admin.post("/api/fields", json!({"kind": "deals", "name": "Budget", "type": "money"})).await.expect(201);
        let mut deal =
            json!({"title": "D1", "externalId": "D1", "fields": {"budget": {"amount": 5, "currency": "CHF"}}});
        if !before.is_null() {
            deal["value"] = before;
        }
        let deal = admin.post("/api/deals", deal).await.expect(201);
        let (_, done) = import(&admin, "deals", "a.csv", &format!("External ID,Title,{header}\nD1,D1,{cells}\n")).await;
        assert_eq!((&done["counts"]["created"], &done["counts"]["failed"]), (&json!(0), &json!(0)), "{cells}: {done}");
        let now = admin.get(&format!("/api/deals/{}", deal["id"].as_str().unwrap())).await.expect(200);
        let value = &now["value"];
        assert_eq!(json!([value["amount"], value["currency"]]), after, "{header} {cells}: {now}");
        // A custom field as well.
        let amount = if header == "Budget" { 200_000 } else { 5 };
        assert_eq!(now["fields"]["budget"], json!({"amount": amount, "currency": "CHF"}), "{header} {cells}: {now}");
        let said = done["problems"].as_array().unwrap().iter().map(|one| json!([one["column"], one["message"]]));
        assert_eq!(Value::Array(said.collect()), problems, "{header} {cells}: {done}");
    }
}

// The kind of fault: text in another encoding than that of the file becomes wrong without a word.
#[tokio::test]
async fn encodings_are_said_and_can_be_changed() {
    let app = TestApp::new().await;
    let member = app.acme(Role::Member).await;
    let csv = b"Name,Job title\nMu\xC3\xB1oz,Due\xC3\xB1o\nN\xC3\xBA\xC3\xB1ez,Boss\nJos\xE9,CEO\n";
    let plan = upload(&member, "customers", "a.csv", csv).await;
    assert_eq!(plan["encoding"], "utf-8");
    member.post(&format!("{}/start", path(&plan)), json!({})).await.expect(202);
    let done = member.import_over(&plan).await;
    let said = done["problems"].as_array().unwrap();
    assert_eq!((said.len(), &said[0]["row"], &said[0]["warning"]), (1, &json!(4), &json!(true)), "{done}");
    let names: Vec<Value> = people(&member).await.iter().map(|one| one["name"].clone()).collect();
    assert_eq!(names, ["José", "Muñoz", "Núñez"]);
    // Cards: the encoding is guessed, and a person can choose another one.
    let cards = "BEGIN:VCARD\r\nVERSION:3.0\r\nFN:Анна Иванова\r\nORG:Северное сияние\r\nEND:VCARD\r\n";
    let bytes = encoding_rs::WINDOWS_1251.encode(cards).0.into_owned();
    let plan = upload(&member, "customers", "a.vcf", &bytes).await;
    let plan = member.patch(&path(&plan), json!({"encoding": "koi8-u"})).await.expect(200);
    assert_ne!(plan["columns"][0]["samples"][0], "Анна Иванова", "{plan}");
    let plan = member.patch(&path(&plan), json!({"encoding": "windows-1251"})).await.expect(200);
    assert_eq!(plan["columns"][0]["samples"][0], "Анна Иванова", "{plan}");
    let refused = member.patch(&path(&plan), json!({"delimiter": ";"})).await;
    refused.expect(422);
}

// The kind of fault: a moment becomes the day of another time zone than that of the company.
#[tokio::test]
async fn days_of_moments_are_those_of_the_time_zone() {
    let app = TestApp::new().await;
    let admin = app.acme(Role::Admin).await;
    admin.patch("/api/common/user", json!({"timezone": "America/New_York"})).await.expect(200);
    let field = admin.post("/api/fields", json!({"kind": "tasks", "name": "Since", "type": "date"})).await.expect(201);
    let key = field["key"].as_str().unwrap();
    let csv = "Card Name,Due Date,Since\nCall,2026-12-05T03:00:00.000Z,2026-12-05T03:00:00Z\n\
        Day,2026-12-05T00:00:00.000Z,2026-12-05T00:00:00Z\nLocal,2026-12-05T03:00:00,2026-12-05\n";
    import(&admin, "tasks", "board.csv", csv).await;
    let tasks = admin.get("/api/tasks?limit=200").await.expect(200);
    for (title, day) in [("Call", "2026-12-04"), ("Day", "2026-12-05"), ("Local", "2026-12-05")] {
        let task = tasks["items"].as_array().unwrap().iter().find(|task| task["title"] == title).unwrap();
        assert_eq!((&task["dueDate"], &task["fields"][key]), (&json!(day), &json!(day)), "{task}");
    }
    let deals = "Title,Expected close date\nRugs,2026-12-05T03:00:00.000Z\n";
    import(&admin, "deals", "deals.csv", deals).await;
    assert_eq!(admin.get("/api/deals").await.expect(200)["items"][0]["expectedDay"], "2026-12-04");
}

// The kind of fault: a phone number is read with the country of the company although the row names another one.
#[tokio::test]
async fn numbers_are_of_the_country_that_the_row_names() {
    let app = TestApp::new().await;
    let member = app.acme(Role::Member).await;
    member.patch("/api/common/user", json!({"region": {"phoneCountry": "US"}})).await.expect(200);
    let csv = "Name,Phone,Country\nA,55 1234 5678,Mexico\nB,600 555 012,España\nC,030 901820,DE\nD,+34 600 555 013,Mexico\n\
        E,(212) 555-2368,Atlantis\nF,(212) 555-2369,Spain\nG,12 34 56,Spain\n";
    import(&member, "customers", "a.csv", csv).await;
    let cards = "BEGIN:VCARD\r\nVERSION:3.0\r\nFN:H\r\nTEL;TYPE=WORK:55 1234 5679\r\nTEL;TYPE=HOME:600 555 014\r\n\
        ADR;TYPE=HOME:;;Calle 1;Madrid;;28001;Spain\r\nADR;TYPE=WORK:;;Calle 2;México;;;México\r\nEND:VCARD\r\n";
    import(&member, "customers", "a.vcf", cards).await;
    let firms = "Name,Phone,Country\nFirm,55 1234 5670,México\n";
    import(&member, "organizations", "f.csv", firms).await;
    let people = people(&member).await;
    let numbers: Vec<Option<&str>> = people
        .iter()
        .flat_map(|one| one["details"]["phoneNumbers"].as_array().unwrap())
        .map(|phone| phone.get("e164").and_then(Value::as_str))
        .collect();
    let expected = [
        Some("+525512345678"),
        Some("+34600555012"),
        Some("+4930901820"),
        Some("+34600555013"),
        Some("+12125552368"),
        Some("+12125552369"),
        None,
        Some("+525512345679"),
        Some("+34600555014"),
    ];
    assert_eq!(numbers, expected, "{people:?}");
    let firms = member.get("/api/organizations").await.expect(200);
    assert!(firms.to_string().contains("+525512345670"), "{firms}");
}

// The kind of fault: a form for machines is shown as the name of a person.
#[tokio::test]
async fn a_person_without_a_name_is_called_by_the_letters_of_the_address() {
    let app = TestApp::new().await;
    let member = app.acme(Role::Member).await;
    let csv = "Name,Email\n,isil@FİRMA.example\n,ana@bücher.example\n,li@例子.example\n,bob@x.example\n";
    import(&member, "customers", "a.csv", csv).await;
    let people = people(&member).await;
    for one in &people {
        let name = one["name"].as_str().unwrap();
        assert!(name.contains('@') && !name.contains("xn--"), "{one}");
    }
    assert!(people.iter().any(|one| one["name"] == "ana@bücher.example"), "{people:?}");
}

// The kind of fault: one of several people of a cell vanishes without a word.
#[tokio::test]
async fn further_people_of_a_cell_are_said() {
    let app = TestApp::new().await;
    let owner = app.acme(Role::Owner).await;
    let member = app.acme(Role::Member).await;
    let email = |user: &Value| user["user"]["email"].as_str().or(user["email"].as_str()).unwrap().to_owned();
    let first = email(&owner.get("/api/common/user").await.expect(200));
    let second = email(&member.get("/api/common/user").await.expect(200));
    let csv = format!(
        "Title,Assigned To\nA,{first}; Bob Nobody\nB,Bob Nobody; {second}\nC,{first}; {second}\nD,{first}; {first}\n\
        E,Bob Nobody\n"
    );
    let (_, done) = import(&member, "tasks", "a.csv", &csv).await;
    let nobody = "Bob Nobody".to_owned();
    assert_eq!(
        left_out(&done),
        [(2, nobody.clone(), 1), (3, nobody.clone(), 1), (4, second.clone(), 1), (6, nobody, 1)]
    );
    let tasks = member.get("/api/tasks?limit=200").await.expect(200);
    for (title, assignee) in [("A", &owner), ("B", &member), ("C", &owner), ("D", &owner)] {
        let task = tasks["items"].as_array().unwrap().iter().find(|task| task["title"] == title).unwrap();
        assert_eq!(task["assigneeId"], assignee.id.to_string(), "{task}");
    }
}
