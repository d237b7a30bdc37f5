//! Tests of custom fields.

use serde_json::{Value, json};

use super::purge_expired;
use crate::{
    people::permission::Role,
    testing::{As, TestApp, kinds_with_parts, list_path, new_record, wait_for},
};

/// Milliseconds of a day.
const DAY: i64 = 24 * 3_600_000;

/// Creates a record of a kind with values of custom fields; returns its path.
async fn create(member: &As, kind: &str, fields: Value) -> String {
    let made = member.post(&format!("/api/{kind}"), body(kind, &fields)).await.expect(201);
    format!("/api/{kind}/{}", made["id"].as_str().unwrap())
}

fn body(name: &str, fields: &Value) -> Value {
    let kind = kinds_with_parts().find(|kind| kind.name == name).unwrap();
    let mut body = new_record(kind, "Kanarium");
    body["fields"] = fields.clone();
    if kind.kind == "page" {
        body["status"] = json!("published");
    }
    body
}

async fn define(admin: &As, kind: &str, mut field: Value) -> Value {
    field["kind"] = json!(kind);
    admin.post("/api/fields", field).await.expect(201)
}

#[tokio::test]
async fn every_kind_keeps_values_of_every_type() {
    let app = TestApp::new().await;
    let admin = app.acme(Role::Admin).await;
    let member = app.acme(Role::Member).await;
    let customer = create(&member, "customers", json!({})).await;
    let customer = customer.rsplit('/').next().unwrap();
    let types = [
        (json!({"name": "Nickname", "type": "text"}), "nickname", json!(" Ada \n L. "), json!("Ada L.")),
        (json!({"name": "About it", "type": "longText"}), "aboutIt", json!("a\nb"), json!("a\nb")),
        (json!({"name": "Seats", "type": "number"}), "seats", json!(2.5), json!(2.5)),
        (
            json!({"name": "Budget", "type": "money"}),
            "budget",
            json!({"amount": 1999, "currency": "EUR"}),
            json!({"amount": 1999, "currency": "EUR"}),
        ),
        (json!({"name": "Contract end", "type": "date"}), "contractEnd", json!("2027-01-31"), json!("2027-01-31")),
        (
            json!({"name": "Size", "type": "choice", "choices": [{"name": "Small"}, {"name": "Very large"}]}),
            "size",
            json!("veryLarge"),
            json!("veryLarge"),
        ),
        (
            json!({"name": "Días", "type": "choices", "choices": [{"name": "Lunes"}, {"key": "tue", "name": "Martes"}]}),
            "dias",
            json!(["tue", "lunes", "tue"]),
            json!(["lunes", "tue"]),
        ),
        (json!({"name": "Signed", "type": "checkbox"}), "signed", json!(false), json!(false)),
        (json!({"name": "Web", "type": "url"}), "web", json!("https://acme.example"), json!("https://acme.example")),
        (json!({"name": "Backup", "type": "member"}), "backup", json!(member.id), json!(member.id)),
        (json!({"name": "For", "type": "record", "target": "customers"}), "for", json!(customer), json!(customer)),
    ];
    for kind in kinds_with_parts().map(|kind| kind.name) {
        for (field, key, ..) in &types {
            assert_eq!(define(&admin, kind, field.clone()).await["key"], *key);
        }
        let given: Value = types.iter().map(|(_, key, given, _)| ((*key).to_owned(), given.clone())).collect();
        let kept: Value = types.iter().map(|(_, key, _, kept)| ((*key).to_owned(), kept.clone())).collect();
        let record = create(&member, kind, given).await;
        assert_eq!(member.get(&record).await.expect(200)["fields"], kept, "{kind}");
        let changed =
            member.patch(&record, json!({"fields": {"seats": 3, "web": null, "nickname": ""}})).await.expect(200);
        assert_eq!(changed["fields"]["seats"], 3);
        assert_eq!(changed["fields"]["budget"], kept["budget"], "{kind}: others stay");
        assert!(changed["fields"]["web"].is_null() && changed["fields"]["nickname"].is_null());
        let timeline = member.get(&format!("{record}/timeline?part=changes")).await.expect(200);
        let fields: Vec<&str> = timeline["items"][0]["changes"]
            .as_array()
            .unwrap()
            .iter()
            .map(|one| one["field"].as_str().unwrap())
            .collect();
        assert_eq!(fields, ["fields.nickname", "fields.seats", "fields.web"], "{kind}");
    }
    let customers = member.get("/api/customers").await.expect(200);
    assert!(customers["items"].as_array().unwrap().iter().any(|item| item["fields"]["seats"] == 3));
    let schema = member.get("/api/schema").await.expect(200);
    assert_eq!(schema["kinds"].as_array().unwrap().len(), kinds_with_parts().count());
    let fields =
        &schema["kinds"].as_array().unwrap().iter().find(|kind| kind["kind"] == "customers").unwrap()["fields"];
    assert_eq!(
        fields["properties"]["nickname"],
        json!({"type": ["string", "null"], "maxLength": 500, "title": "Nickname"})
    );
}

#[tokio::test]
async fn refuses_values_that_do_not_fit() {
    let app = TestApp::new().await;
    let admin = app.acme(Role::Admin).await;
    let foreign = app.other(Role::Admin).await;
    let theirs = define(&foreign, "tasks", json!({"name": "Theirs", "type": "text"})).await;
    for (name, value_type) in [("text", "text"), ("number", "number"), ("money", "money"), ("date", "date")] {
        define(&admin, "tasks", json!({"name": name, "type": value_type})).await;
    }
    for (name, value_type) in [("flag", "checkbox"), ("web", "url"), ("member", "member")] {
        define(&admin, "tasks", json!({"name": name, "type": value_type})).await;
    }
    define(&admin, "tasks", json!({"name": "size", "type": "choices", "choices": [{"name": "S"}]})).await;
    define(&admin, "tasks", json!({"name": "page", "type": "record", "target": "pages"})).await;
    let member = app.acme(Role::Member).await;
    let draft = admin.post("/api/pages", json!({"title": "Secret", "status": "draft"})).await.expect(201);
    let task = create(&member, "tasks", json!({})).await;
    for (key, value, path) in [
        ("theirs", json!("x"), "fields.theirs"),
        ("text", json!(1), "fields.text"),
        ("text", json!("x".repeat(501)), "fields.text"),
        ("number", json!("1"), "fields.number"),
        ("number", json!(1e16), "fields.number"),
        ("money", json!({"amount": 1.5, "currency": "EUR"}), "fields.money.amount"),
        ("money", json!({"amount": 1, "currency": "XXQ"}), "fields.money.currency"),
        ("money", json!({"amount": i64::MIN, "currency": "EUR"}), "fields.money.amount"),
        ("money", json!({"amount": 1, "currency": "EUR", "x": 1}), "fields.money.x"),
        ("date", json!("2026-02-30"), "fields.date"),
        ("date", json!("0026-02-20"), "fields.date"),
        ("date", json!("2201-01-01"), "fields.date"),
        ("flag", json!("yes"), "fields.flag"),
        ("web", json!("javascript:alert(1)"), "fields.web"),
        ("member", json!(foreign.id), "fields.member"),
        ("size", json!(["s", "xl"]), "fields.size.1"),
        ("page", json!(task.rsplit('/').next()), "fields.page"),
        ("page", draft["id"].clone(), "fields.page"),
    ] {
        let answer = member.patch(&task, json!({"fields": {key: value}})).await;
        answer.refused("invalid");
        assert!(answer.body["error"]["fields"][path].is_string(), "{key} {value}: {}", answer.body);
    }
    assert_eq!(member.get(&task).await.expect(200)["fields"], json!({}));
    let path = format!("/api/fields/{}", theirs["id"].as_str().unwrap());
    admin.patch(&path, json!({"name": "Mine"})).await.refused("not_found");
    admin.delete(&path).await.refused("not_found");
    admin.post(&format!("{path}/restore"), json!({})).await.refused("not_found");
}

#[tokio::test]
async fn administrators_define_fields_within_limits() {
    let app = TestApp::new().await;
    let admin = app.acme(Role::Admin).await;
    let member = app.acme(Role::Member).await;
    let size = define(&admin, "tasks", json!({"name": "Size", "type": "text"})).await;
    let twin = define(&admin, "tasks", json!({"name": "Size", "type": "text"})).await;
    assert_eq!((&size["key"], &twin["key"]), (&json!("size"), &json!("size2")));
    for (field, path) in [
        (json!({"kind": "tasks", "name": " ", "type": "text"}), "name"),
        (json!({"kind": "tasks", "name": "A", "type": "text", "key": "a b"}), "key"),
        (json!({"kind": "tasks", "name": "A", "type": "choice"}), "choices"),
        (json!({"kind": "tasks", "name": "A", "type": "text", "choices": [{"name": "B"}]}), "choices"),
        (
            json!({"kind": "tasks", "name": "A", "type": "choice", "choices": [{"name": "B"}, {"name": "b"}]}),
            "choices.1.name",
        ),
        (json!({"kind": "tasks", "name": "A", "type": "record"}), "target"),
        (json!({"kind": "tasks", "name": "A", "type": "text", "target": "tasks"}), "target"),
    ] {
        let answer = admin.post("/api/fields", field).await;
        answer.refused("invalid");
        assert!(answer.body["error"]["fields"][path].is_string(), "{path}: {}", answer.body);
    }
    let taken = json!({"kind": "tasks", "name": "A", "type": "text", "key": "size"});
    admin.post("/api/fields", taken).await.refused("conflict");
    let path = format!("/api/fields/{}", size["id"].as_str().unwrap());
    member.post("/api/fields", json!({"kind": "tasks", "name": "A", "type": "text"})).await.refused("forbidden");
    member.patch(&path, json!({"name": "B"})).await.refused("forbidden");
    member.delete(&path).await.refused("forbidden");
    member.get("/api/fields?removed=true").await.refused("forbidden");

    let third = define(&admin, "tasks", json!({"name": "Third", "type": "text"})).await;
    let third = format!("/api/fields/{}", third["id"].as_str().unwrap());
    admin.patch(&third, json!({"place": 0, "name": "First"})).await.expect(200);
    assert_eq!(names(&member, "tasks").await, ["First", "Size", "Size"]);
    for number in 3..50 {
        define(&admin, "tasks", json!({"name": format!("f{number}"), "type": "text"})).await;
    }
    let one_more = json!({"kind": "tasks", "name": "A", "type": "text"});
    admin.post("/api/fields", one_more.clone()).await.refused("conflict");
    admin.delete(&third).await.expect(204);
    admin.post("/api/fields", one_more).await.expect(201);
    admin.post(&format!("{third}/restore"), json!({})).await.refused("conflict");
    for number in 0..10 {
        let many: Vec<Value> = (0..100).map(|choice| json!({"name": format!("c{choice}")})).collect();
        define(&admin, "pages", json!({"name": format!("f{number}"), "type": "choice", "choices": many})).await;
    }
    let one_more = json!({"kind": "pages", "name": "A", "type": "choice", "choices": [{"name": "B"}]});
    admin.post("/api/fields", one_more).await.refused("invalid");
    let audit = admin.get("/api/audit?event=field.removed").await.expect(200);
    assert_eq!(audit["items"][0]["about"]["name"], "First");
}

async fn names(member: &As, kind: &str) -> Vec<String> {
    let list = member.get(&format!("/api/fields?kind={kind}")).await.expect(200);
    list["items"].as_array().unwrap().iter().map(|item| item["name"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn values_of_deleted_fields_are_hidden_for_30_days_and_then_erased() {
    let app = TestApp::new().await;
    for kind in kinds_with_parts().map(|kind| kind.name) {
        let admin = app.acme(Role::Admin).await;
        let field = define(&admin, kind, json!({"name": "Nickname", "type": "text"})).await;
        let choice = json!({"name": "Size", "type": "choice", "choices": [{"name": "S"}, {"name": "M"}]});
        let size = define(&admin, kind, choice).await;
        let record = create(&admin, kind, json!({"nickname": "Lovelace", "size": "m"})).await;
        let binned = create(&admin, kind, json!({"nickname": "Lovelace"})).await;
        let size = format!("/api/fields/{}", size["id"].as_str().unwrap());
        admin.patch(&size, json!({"choices": [{"key": "s", "name": "Small"}]})).await.expect(200);
        assert_eq!(admin.get(&record).await.expect(200)["fields"], json!({"nickname": "Lovelace"}), "{kind}");
        admin
            .patch(&size, json!({"choices": [{"key": "s", "name": "Small"}, {"key": "m", "name": "M"}]}))
            .await
            .expect(200);
        assert_eq!(admin.get(&record).await.expect(200)["fields"]["size"], "m", "a choice that returns");

        let path = format!("/api/fields/{}", field["id"].as_str().unwrap());
        admin.delete(&path).await.expect(204);
        assert_eq!(admin.get(&record).await.expect(200)["fields"], json!({"size": "m"}), "{kind}");
        let refused = admin.patch(&record, json!({"fields": {"nickname": "x"}})).await;
        refused.refused("invalid");
        admin.patch(&record, json!({"fields": {"size": "s"}})).await.expect(200);
        admin.post(&format!("{path}/restore"), json!({})).await.expect(200);
        assert_eq!(admin.get(&record).await.expect(200)["fields"], json!({"nickname": "Lovelace", "size": "s"}));

        admin.patch(&record, json!({"fields": {"nickname": "Ada"}})).await.expect(200);
        admin.patch(&record, json!({"fields": {"nickname": "Lovelace", "size": "m"}})).await.expect(200);
        admin.patch(&record, json!({"fields": {"size": "s"}})).await.expect(200);
        admin.delete(&path).await.expect(204);
        admin.delete(&binned).await.expect(204);
        app.clock.advance(29 * DAY);
        assert_eq!(purge_expired(app.app.store(), || std::future::ready(())).await.unwrap(), 0);
        app.clock.advance(2 * DAY);
        let admin = app.acme(Role::Admin).await;
        let before = admin.get(&record).await.expect(200);
        // The kind of fault (F-R10): a value that is erased where it stands, and not where its changes are kept.
        let history = async || {
            let timeline = admin.get(&format!("{record}/timeline?part=changes")).await.expect(200).to_string();
            (timeline.contains("Ada"), timeline.contains("size"))
        };
        assert_eq!(history().await, (true, true), "{kind}");
        assert_eq!(purge_expired(app.app.store(), || std::future::ready(())).await.unwrap(), 1, "{kind}");
        assert_eq!(history().await, (false, true), "{kind}");
        assert_eq!(admin.get(&record).await.expect(200), before, "neither version nor time of the change");
        admin.post(&format!("{path}/restore"), json!({})).await.refused("not_found");
        define(&admin, kind, json!({"name": "Nickname", "type": "number"})).await;
        assert_eq!(admin.get(&record).await.expect(200)["fields"], json!({"size": "s"}), "{kind}: nothing returns");
        let id = binned.rsplit('/').next().unwrap();
        admin.post(&format!("/api/bin/{id}/restore"), json!({})).await.expect(200);
        assert_eq!(admin.get(&binned).await.expect(200)["fields"], json!({}), "{kind}");
    }
}

#[tokio::test]
async fn search_finds_values() {
    let app = TestApp::new().await;
    let admin = app.acme(Role::Admin).await;
    define(&admin, "customers", json!({"name": "Nickname", "type": "text"})).await;
    let sizes = json!([{"name": "Gigantic"}, {"name": "Small"}]);
    define(&admin, "customers", json!({"name": "Size", "type": "choice", "choices": sizes})).await;
    create(&admin, "customers", json!({"nickname": "Zaphod", "size": "gigantic"})).await;
    create(&admin, "customers", json!({"size": "small"})).await;
    for word in ["zaphod", "gigantic"] {
        let found = admin.get(&format!("/api/customers?q={word}")).await.expect(200);
        assert_eq!(found["total"], 1, "{word}");
    }
}

/// The kind of fault: what records no longer show is still found, because no change of theirs follows the change of a field.
#[tokio::test]
async fn search_follows_deleted_and_restored_fields_and_choices() {
    let app = TestApp::new().await;
    let admin = app.acme(Role::Admin).await;
    for kind in kinds_with_parts() {
        let nick = define(&admin, kind.name, json!({"name": "Nickname", "type": "text"})).await;
        let sizes = json!([{"key": "one", "name": "Gigantic"}, {"key": "two", "name": "Small"}]);
        let size = define(&admin, kind.name, json!({"name": "Size", "type": "choices", "choices": sizes})).await;
        let path = |field: &Value| format!("/api/fields/{}", field["id"].as_str().unwrap());
        create(&admin, kind.name, json!({"nickname": "Zaphod", "size": ["one", "two"]})).await;
        let finds = async |word: &str, expected: u64| {
            let path = format!("{}?q={word}", list_path(kind));
            wait_for(&format!("{expected} results of {path}"), async || {
                (admin.get(&path).await.expect(200)["total"] == expected).then_some(())
            })
            .await;
        };
        finds("zaphod", 1).await;
        admin.delete(&path(&nick)).await.expect(204);
        finds("zaphod", 0).await;
        admin.post(&format!("{}/restore", path(&nick)), json!({})).await.expect(200);
        finds("zaphod", 1).await;

        let renamed = json!({"choices": [{"key": "one", "name": "Enormous"}, {"key": "two", "name": "Small"}]});
        admin.patch(&path(&size), renamed).await.expect(200);
        finds("enormous", 1).await;
        finds("gigantic", 0).await;
        admin.patch(&path(&size), json!({"choices": [{"key": "two", "name": "Small"}]})).await.expect(200);
        finds("enormous", 0).await;
        finds("small", 1).await;
        let search = admin.post("/api/common/search", json!({"query": "enormous"})).await.expect(200);
        assert!(!search.to_string().contains("Kanarium"), "{search}");
    }
}

/// The kind of fault: the id of a record that a reader may not see is shown where another record refers to it by a
/// custom field: in the record, lists, filters, the timeline and exports; and who does not see a value clears it.
#[tokio::test]
async fn references_to_hidden_records_are_absent_for_who_may_not_see_them() {
    let app = TestApp::new().await;
    let admin = app.acme(Role::Admin).await;
    let author = app.hire("author", Role::Member).await;
    let reader = app.acme(Role::Member).await;
    let me = json!({"to": "me"});
    let deal = json!({"title": "Hidden", "visibility": me});
    let deal = author.post("/api/deals", deal).await.expect(201)["id"].clone();
    let page = json!({"title": "Hidden", "status": "published", "visibility": me});
    let page = author.post("/api/pages", page).await.expect(201)["id"].clone();
    for kind in kinds_with_parts() {
        define(&admin, kind.name, json!({"name": "Note", "type": "text"})).await;
        for (name, target) in [("Deal", "deals"), ("Page", "pages")] {
            define(&admin, kind.name, json!({"name": name, "type": "record", "target": target})).await;
        }
        for (key, id) in [("deal", &deal), ("page", &page)] {
            let hidden = id.as_str().unwrap();
            let record = create(&author, kind.name, json!({"note": "one"})).await;
            author.patch(&record, json!({"fields": {key: id, "note": "two"}})).await.expect(200);
            for member in [&author, &admin] {
                let shown = member.get(&record).await.expect(200);
                assert_eq!(shown["fields"], json!({key: id, "note": "two"}), "{record}");
            }
            assert_eq!(reader.get(&record).await.expect(200)["fields"], json!({"note": "two"}), "{record}");

            let list = list_path(kind);
            let mut paths = vec![
                list.clone(),
                format!("{list}?sort=-createdAt"),
                format!("{list}?filter=fields.note:is:two"),
                format!("{record}/timeline"),
            ];
            if kind.exchange.is_some() {
                let exports = format!("/api/exports?kind={}", kind.name);
                paths.push(format!("{exports}&format=json"));
                paths.push(format!("{exports}&columns=fields.note&columns=fields.{key}"));
                paths.push(exports);
            }
            for path in paths {
                let got = match path.strip_prefix("/api/exports?") {
                    Some(query) => reader.export(query).await,
                    None => reader.get(&path).await,
                };
                assert_eq!(got.status, 200, "{path}");
                assert!(!String::from_utf8_lossy(&got.bytes).contains(hidden), "{path}");
            }
            let timeline = reader.get(&format!("{record}/timeline?part=changes")).await.expect(200);
            let changed: Vec<&Value> =
                timeline["items"][0]["changes"].as_array().unwrap().iter().map(|change| &change["field"]).collect();
            assert_eq!(changed, ["fields.note"], "{record}");
            let timeline = author.get(&format!("{record}/timeline?part=changes")).await.expect(200).to_string();
            assert!(timeline.contains(hidden), "{record}");
            for (member, count) in [(&author, 1), (&reader, 0)] {
                let found = member.get(&format!("{list}?filter=fields.{key}:is:{hidden}")).await.expect(200);
                assert_eq!(found["total"], count, "{record}");
            }

            // Nor is it cleared by who does not see it, also when a form sends the empty field.
            for fields in [json!({"note": "three"}), json!({"note": "four", key: null})] {
                let changed = reader.patch(&record, json!({"fields": fields})).await.expect(200);
                assert_eq!(changed["fields"], json!({"note": fields["note"]}), "{record}");
                assert_eq!(author.get(&record).await.expect(200)["fields"][key], *id, "{record}");
            }
            author.patch(&record, json!({"fields": {key: null}})).await.expect(200);
            assert_eq!(author.get(&record).await.expect(200)["fields"], json!({"note": "four"}), "{record}");
            let timeline = reader.get(&format!("{record}/timeline")).await.expect(200).to_string();
            assert!(!timeline.contains(hidden), "{record}");
        }
    }
}
