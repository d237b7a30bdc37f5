//! Customers over HTTP.

use serde_json::{Value, json};

use super::{
    model::Customer,
    rules::{self, CustomerFilter, Sort},
};
use crate::{
    people::{members::MemberRecord, permission::Role},
    store::{Actor, Scan, TenantWrite},
    testing::{As, TestApp},
    wire::Paging,
};

async fn make(member: &As, body: Value) -> Value {
    member.post("/api/customers", body).await.expect(201)
}

fn names(list: &Value) -> Vec<&str> {
    list["items"].as_array().unwrap().iter().map(|item| item["name"].as_str().unwrap()).collect()
}

fn path(record: &Value) -> String {
    format!("/api/customers/{}", record["id"].as_str().unwrap())
}

/// Returns a picture of one pixel.
fn pixel() -> Vec<u8> {
    let mut out = std::io::Cursor::new(Vec::new());
    image::RgbImage::new(1, 1).write_to(&mut out, image::ImageFormat::Png).unwrap();
    out.into_inner()
}

#[tokio::test]
async fn customer_keeps_all_contact_fields() {
    let app = TestApp::new().await;
    let member = app.acme(Role::Member).await;
    let picture = member.upload("me.png", "image/png", &pixel()).await.expect(201);
    let contract = member.upload("contract.pdf", "application/pdf", b"%PDF-").await.expect(201);
    let got = member
        .post(
            "/api/customers",
            json!({
                "name": " Ada  Lovelace ",
                "avatar": picture["url"],
                "about": "First programmer",
                "status": "active",
                "tags": ["VIP", "vip", "Analytical  engine"],
                "ownerId": member.id,
                "notes": "<h2>Call</h2><script>alert(1)</script><p onclick=\"x()\">on Monday</p>",
                "details": {
                    "emails": [{"email": "Ada@Acme.example", "label": "Work"}],
                    "phoneNumbers": [{"country": "gb", "phoneNumber": "020 7946 0018", "label": "Mobile"}],
                    "title": "Analyst",
                    "company": "Babbage & Co",
                    "birthday": "1815-12-10",
                    "address": "12 St James's Square\r\nLondon",
                },
                "attachments": {
                    "media": [{"url": picture["url"]}],
                    "docs": [{"url": contract["url"], "name": "The contract"}],
                    "links": [{"url": "https://ada.example/", "name": "Home"}],
                },
            }),
        )
        .await;
    assert_eq!(got.tagged_version(), 1);
    let location = got.headers["location"].to_str().unwrap().to_owned();
    let ada = got.expect(201);
    assert_eq!(location, path(&ada));
    assert_eq!(ada["name"], "Ada Lovelace");
    assert_eq!(ada["tags"], json!(["vip", "analytical engine"]));
    assert_eq!(ada["notes"], "<h2>Call</h2><p>on Monday</p>");
    assert_eq!(ada["details"]["emails"], json!([{"email": "ada@acme.example", "label": "Work"}]));
    assert_eq!(ada["details"]["phoneNumbers"][0]["country"], "GB");
    assert_eq!(ada["details"]["address"], "12 St James's Square\nLondon");
    assert_eq!(ada["details"]["birthday"], "1815-12-10");
    let doc = &ada["attachments"]["docs"][0];
    assert_eq!(
        doc,
        &json!({"id": contract["id"], "url": contract["url"], "name": "The contract", "size": 5, "type": "application/pdf"})
    );
    assert_eq!(ada["attachments"]["media"][0]["name"], "me.png");
    assert_eq!(ada["attachments"]["links"], json!([{"url": "https://ada.example/", "name": "Home"}]));
    assert_eq!(ada["createdBy"], json!(member.id));
    assert_eq!((&ada["version"], &ada["background"]), (&json!(1), &Value::Null));
    assert!(ada.get("background").is_none(), "what is absent is left out");
    assert_eq!(member.get(&location).await.expect(200), ada);
}

#[tokio::test]
async fn patch_changes_only_the_given_fields() {
    let app = TestApp::new().await;
    let member = app.acme(Role::Member).await;
    let ada = make(
        &member,
        json!({
            "name": "Ada", "about": "x", "tags": ["a"], "notes": "<p>n</p>",
            "details": {"title": "Analyst", "company": "Babbage", "emails": [{"email": "a@b.example", "label": "Work"}]},
        }),
    )
    .await;
    app.clock.advance(1_000);
    let patch = json!({"about": null, "tags": ["b"], "details": {"title": null, "birthday": "1815-12-10"}});
    let got = member.patch(&path(&ada), patch).await;
    assert_eq!(got.tagged_version(), 2);
    let changed = got.expect(200);
    assert_eq!((changed.get("about"), &changed["tags"]), (None, &json!(["b"])));
    assert_eq!((&changed["name"], &changed["notes"]), (&json!("Ada"), &json!("<p>n</p>")));
    let emails = json!([{"email": "a@b.example", "label": "Work"}]);
    assert_eq!(
        changed["details"],
        json!({"company": "Babbage", "birthday": "1815-12-10", "emails": emails, "phoneNumbers": []})
    );
    assert_ne!(changed["updatedAt"], ada["updatedAt"]);
    assert_eq!(changed["createdAt"], ada["createdAt"]);
    // A change without effect creates no new version.
    assert_eq!(member.patch(&path(&ada), json!({"tags": ["B "]})).await.expect(200)["version"], 2);
}

#[tokio::test]
async fn rejects_stale_version_and_a_retry_creates_one_customer() {
    let app = TestApp::new().await;
    let member = app.acme(Role::Member).await;
    let ada = make(&member, json!({"name": "Ada"})).await;
    let patch = |name: &str, tag: &'static str| {
        let member = member.clone();
        let path = path(&ada);
        let body = json!({ "name": name });
        async move { member.send_with("PATCH", &path, Some(body), &[("if-match", tag)]).await }
    };
    patch("Ada L", "\"1\"").await.expect(200);
    patch("Ada M", "\"1\"").await.refused("stale_version");
    patch("Ada M", "\"nonsense\"").await.refused("stale_version");
    let got = patch("Ada M", "nonsense").await;
    got.refused("bad_request");
    assert_eq!(got.body["error"]["reasons"]["If-Match"], "if_match", "nobody else changed anything");
    patch("Ada M", "*").await.expect(200);

    let key = [("idempotency-key", "one")];
    let first = member.send_with("POST", "/api/customers", Some(json!({"name": "Bob"})), &key).await.expect(201);
    let again = member.send_with("POST", "/api/customers", Some(json!({"name": "Bob"})), &key).await.expect(201);
    assert_eq!(first, again);
    assert_eq!(member.get("/api/customers").await.expect(200)["total"], 2);
}

#[tokio::test]
async fn rejects_invalid_values_naming_the_field() {
    let app = TestApp::new().await;
    let member = app.acme(Role::Member).await;
    let file = member.upload("a.txt", "text/plain", b"a").await.expect(201);
    let foreign = app.other(Role::Member).await.upload("me.png", "image/png", &pixel()).await.expect(201);
    let stranger = app.other(Role::Member).await.id;
    for (body, field) in [
        (json!({"name": " "}), "name"),
        (json!({"name": "x".repeat(201)}), "name"),
        (json!({"name": "A", "avatar": "https://evil.example/x.png"}), "avatar"),
        (json!({"name": "A", "avatar": file["url"]}), "avatar"),
        (json!({"name": "A", "background": foreign["url"]}), "background"),
        (json!({"name": "A", "ownerId": stranger}), "ownerId"),
        (json!({"name": "A", "attachments": {"docs": [{"url": foreign["url"]}]}}), "attachments.docs.0.url"),
        (json!({"name": "A", "attachments": {"media": [{"url": file["url"]}]}}), "attachments.media.0.url"),
        (json!({"name": "A", "attachments": {"links": [{"url": "javascript:x"}]}}), "attachments.links.0.url"),
        (json!({"name": "A", "details": {"birthday": "0001-01-01"}}), "details.birthday"),
        (json!({"name": "A", "details": {"birthday": "2026-11-23"}}), "details.birthday"),
        (json!({"name": "A", "details": {"emails": [{"email": "ada"}]}}), "details.emails.0.email"),
        (
            json!({"name": "A", "details": {"phoneNumbers": [{"country": "UK", "phoneNumber": "112"}]}}),
            "details.phoneNumbers.0.country",
        ),
    ] {
        let got = member.post("/api/customers", body.clone()).await;
        got.refused("invalid");
        assert!(got.body["error"]["fields"][field].is_string(), "{body}: {}", got.body);
    }
    for body in [
        json!({}),
        json!({"name": "A", "status": 1}),
        json!({"name": "A", "nonsense": 1}),
        json!({"name": "A", "details": {"birthday": "10/12/1815"}}),
        json!({"name": "A", "details": {"birthday": "--02-30"}}),
    ] {
        member.post("/api/customers", body).await.refused("bad_request");
    }
    for query in ["limit=0", "limit=201"] {
        member.get(&format!("/api/customers?{query}")).await.refused("invalid");
    }
    for query in ["sort=age", "cursor=zz", "cursor=00", "cursor=67", "ownerId=me"] {
        member.get(&format!("/api/customers?{query}")).await.refused("bad_request");
    }
}

#[tokio::test]
async fn lists_are_sorted_filtered_and_paged() {
    let app = TestApp::new().await;
    let member = app.acme(Role::Member).await;
    for (name, status, tag) in [
        ("Óscar", "lead", "vip"),
        ("ana", "active", "vip"),
        ("Zoe", "active", "new"),
        ("Bruno", "lead", "vip"),
        ("Carla", "lead", "new"),
    ] {
        app.clock.advance(10);
        make(&member, json!({"name": name, "status": status, "tags": [tag], "ownerId": member.id})).await;
    }
    let list = |query: String| {
        let member = member.clone();
        async move { member.get(&format!("/api/customers?{query}")).await.expect(200) }
    };
    let all = list(String::new()).await;
    assert_eq!((names(&all), &all["total"]), (vec!["ana", "Bruno", "Carla", "Óscar", "Zoe"], &json!(5)));
    assert!(all.get("nextCursor").is_none());
    for (query, expected) in [
        ("sort=-name", vec!["Zoe", "Óscar", "Carla", "Bruno", "ana"]),
        ("sort=createdAt", vec!["Óscar", "ana", "Zoe", "Bruno", "Carla"]),
        ("sort=-createdAt", vec!["Carla", "Bruno", "Zoe", "ana", "Óscar"]),
        ("status=lead", vec!["Bruno", "Carla", "Óscar"]),
        ("tag=VIP&sort=-name", vec!["Óscar", "Bruno", "ana"]),
        ("tag=vip&status=lead&sort=-createdAt", vec!["Bruno", "Óscar"]),
        ("status=inactive", vec![]),
    ] {
        let found = list(query.to_owned()).await;
        assert_eq!(
            (names(&found), found["total"].as_u64()),
            (expected.clone(), Some(expected.len() as u64)),
            "{query}"
        );
        for limit in [1, 2] {
            let mut paged = Vec::new();
            let mut cursor = String::new();
            loop {
                let page = list(format!("{query}&limit={limit}{cursor}")).await;
                paged.extend(names(&page).into_iter().map(str::to_owned));
                assert_eq!(page["total"], found["total"], "{query}");
                let Some(next) = page["nextCursor"].as_str() else { break };
                cursor = format!("&cursor={next}");
            }
            assert_eq!(paged, expected, "{query} in pages of {limit}");
        }
    }
    let mine = list(format!("ownerId={}", member.id)).await;
    assert_eq!(mine["total"], 5);
    app.clock.advance(10);
    member.patch(&path(&all["items"][0]), json!({"about": "changed"})).await.expect(200);
    assert_eq!(names(&list("sort=-updatedAt&limit=1".into()).await), ["ana"]);
}

#[tokio::test]
async fn list_is_complete_for_filters_with_many_or_few_matches() {
    let app = TestApp::new().await;
    let member = app.acme(Role::Member).await;
    let fill = |tx: &TenantWrite<'_>| {
        for n in 0..2_010 {
            let status = if n % 201 == 0 { "lead" } else { "active" };
            tx.create(Customer {
                name: format!("Customer {n:04}"),
                status: status.to_owned(),
                tags: vec!["all".into()],
                ..Customer::default()
            })?;
        }
        Ok(())
    };
    app.app.store().write(app.acme.id, Actor::System, fill).await.unwrap();
    // Where most pass a filter, a page is read in its order, not all of them.
    let filter = CustomerFilter { status: Some("active".into()), tag: None, owner: None, sort: Sort::default() };
    let paging = Paging { limit: 50, after: None };
    let snapshot = app.app.store().snapshot().unwrap();
    let (found, rows) = snapshot.counting_rows(app.acme.id, |tx| rules::list(tx, &filter, &paging));
    assert_eq!(found.unwrap().items.len(), 50);
    assert!(rows < 200, "{rows}");
    for (query, total) in [("tag=all", 2_010), ("tag=all&status=lead", 10), ("status=active", 2_000), ("", 2_010)] {
        let mut seen = Vec::new();
        let mut cursor = String::new();
        loop {
            let page = member.get(&format!("/api/customers?{query}&limit=200{cursor}")).await.expect(200);
            assert_eq!(page["total"], total, "{query}");
            seen.extend(names(&page).into_iter().map(str::to_owned));
            let Some(next) = page["nextCursor"].as_str() else { break };
            cursor = format!("&cursor={next}");
        }
        assert_eq!(seen.len(), total, "{query}");
        assert!(seen.is_sorted_by(|a, b| a < b), "{query}");
    }
}

#[tokio::test]
async fn search_narrows_the_list() {
    let app = TestApp::new().await;
    let member = app.acme(Role::Member).await;
    make(&member, json!({"name": "José Pérez", "details": {"emails": [{"email": "jose@globex.example"}]}})).await;
    make(&member, json!({"name": "Ana", "notes": "<p>prefers <b>telephone</b></p>"})).await;
    make(&member, json!({"name": "Bob", "status": "active", "details": {"company": "Globex"}})).await;
    for (query, expected) in [
        ("q=jose", vec!["José Pérez"]),
        ("q=telephone", vec!["Ana"]),
        ("q=globex", vec!["Bob", "José Pérez"]),
        ("q=globex&status=active", vec!["Bob"]),
        ("q=nobody", vec![]),
    ] {
        let found = member.get(&format!("/api/customers?{query}")).await.expect(200);
        assert_eq!(
            (names(&found), found["total"].as_u64()),
            (expected.clone(), Some(expected.len() as u64)),
            "{query}"
        );
    }
    let other = app.other(Role::Owner).await;
    assert_eq!(other.get("/api/customers?q=jose").await.expect(200)["total"], 0);
}

#[tokio::test]
async fn enforces_role_permissions() {
    let app = TestApp::new().await;
    let viewer = app.acme(Role::Viewer).await;
    let member = app.acme(Role::Member).await;
    let admin = app.acme(Role::Admin).await;
    viewer.post("/api/customers", json!({"name": "A"})).await.refused("forbidden");
    let first = make(&member, json!({"name": "A"})).await;
    let second = make(&admin, json!({"name": "B"})).await;
    assert_eq!(viewer.get(&path(&first)).await.status, 200);
    viewer.patch(&path(&first), json!({"name": "C"})).await.refused("forbidden");
    viewer.delete(&path(&first)).await.refused("forbidden");
    assert_eq!(member.patch(&path(&second), json!({"name": "C"})).await.status, 200);
    member.delete(&path(&second)).await.refused("forbidden");
    assert_eq!(member.delete(&path(&first)).await.status, 204);
    admin.send_with("DELETE", &path(&second), None, &[("if-match", "\"7\"")]).await.refused("stale_version");
    assert_eq!(admin.delete(&path(&second)).await.status, 204);
    admin.delete(&path(&second)).await.refused("not_found");
    for (method, body) in [("GET", None), ("POST", Some(json!({"name": "A"})))] {
        app.anonymous(method, "/api/customers", body).await.refused("not_signed_in");
    }
}

#[tokio::test]
async fn records_are_not_found_by_another_tenant() {
    let app = TestApp::new().await;
    let ours = app.acme(Role::Owner).await;
    let theirs = app.other(Role::Owner).await;
    let ada = make(&ours, json!({"name": "Ada"})).await;
    theirs.get(&path(&ada)).await.refused("not_found");
    theirs.patch(&path(&ada), json!({"name": "Eve"})).await.refused("not_found");
    theirs.delete(&path(&ada)).await.refused("not_found");
    let list = theirs.get("/api/customers").await.expect(200);
    assert_eq!((names(&list), &list["total"]), (vec![], &json!(0)));
    assert_eq!(ours.get(&path(&ada)).await.expect(200)["name"], "Ada");
}

#[tokio::test]
async fn counters_follow_changes() {
    let app = TestApp::new().await;
    let member = app.acme(Role::Admin).await;
    let ada = make(&member, json!({"name": "Ada", "tags": ["vip"], "ownerId": member.id})).await;
    let bob = make(&member, json!({"name": "Bob", "tags": ["vip", "new"]})).await;
    member.patch(&path(&ada), json!({"status": "active", "ownerId": null})).await.expect(200);
    member.delete(&path(&bob)).await;
    let snapshot = app.app.store().snapshot().unwrap();
    let figures = snapshot.tenant(app.acme.id, None).counters_under("customers/").unwrap();
    let figures: Vec<(&str, i64)> = figures.iter().map(|(name, count)| (name.as_str(), *count)).collect();
    assert_eq!(figures, [("customers/status/active", 1), ("customers/tag/vip", 1), ("customers/total", 1)]);
}

#[tokio::test]
async fn patch_accepts_an_existing_reference_to_a_removed_owner() {
    let app = TestApp::new().await;
    let owner = app.acme(Role::Owner).await;
    let member = app.acme(Role::Member).await;
    let ada = make(&owner, json!({"name": "Ada", "ownerId": member.id})).await;
    let remove = move |tx: &TenantWrite<'_>| tx.remove::<MemberRecord>(member.id, None);
    app.app.store().write(app.acme.id, Actor::System, remove).await.unwrap();
    owner.patch(&path(&ada), json!({"name": "Ada L"})).await.expect(200);
    let bob = make(&owner, json!({"name": "Bob"})).await;
    let got = owner.patch(&path(&bob), json!({"ownerId": member.id})).await;
    assert!(got.body["error"]["fields"]["ownerId"].is_string());
}

/// The kind of fault (F-D11): what is kept in a form for machines is shown and sought in it. Neighbours: both spellings in
/// both directions; organizations, members; lists, search, look-up, export.
#[tokio::test]
async fn addresses_with_letters_are_shown_and_found_as_people_write_them() {
    let app = TestApp::new().await;
    let member = app.acme(Role::Member).await;
    for (name, typed) in [("Kim", "info@münchen-käse.example"), ("Lee", "lee@xn--mnchen-kse-x5a4z.example")] {
        let made = make(&member, json!({"name": name, "details": {"emails": [{"email": typed}]}})).await;
        let shown = made["details"]["emails"][0]["email"].as_str().unwrap().to_owned();
        assert!(shown.ends_with("@münchen-käse.example"), "{shown}");
        let again = member.patch(&path(&made), json!({"details": {"emails": [{"email": shown}]}})).await.expect(200);
        assert_eq!(again["version"], made["version"], "it is the same address");
    }
    member
        .post("/api/organizations", json!({"name": "Käse", "emails": [{"email": "a@MÜNCHEN-käse.example"}]}))
        .await
        .expect(201);
    for sought in ["münchen-käse", "info@münchen-käse.example", "xn--mnchen"] {
        let list = member.get(&format!("/api/customers?q={}", urlencoding(sought))).await.expect(200);
        assert!(names(&list).contains(&"Kim"), "{sought}: {list}");
    }
    for typed in ["info@münchen-käse.example", "INFO@xn--mnchen-kse-x5a4z.example"] {
        let found = member.get(&format!("/api/customers/lookup?email={}", urlencoding(typed))).await.expect(200);
        assert_eq!(names(&found), ["Kim"], "{typed}");
        let filter = format!("/api/customers?filter=email:is:{}", urlencoding(typed));
        assert_eq!(names(&member.get(&filter).await.expect(200)), ["Kim"], "{typed}");
    }
    let exported = member.export("kind=customers&format=json").await.expect(200).to_string();
    assert!(exported.contains("info@münchen-käse.example") && !exported.contains("xn--"), "{exported}");
    let snapshot = app.app.store().snapshot().unwrap();
    let kept = snapshot.tenant(app.acme.id, None).page::<Customer>(&Scan::all(), |_| true).unwrap().items;
    assert!(kept.iter().all(|one| one.details.emails[0].email.ends_with("@xn--mnchen-kse-x5a4z.example")), "{kept:?}");
}

fn urlencoding(text: &str) -> String {
    url::form_urlencoded::byte_serialize(text.as_bytes()).collect()
}

#[tokio::test]
async fn a_part_of_an_address_narrows_the_list_and_the_search() {
    let app = TestApp::new().await;
    let member = app.acme(Role::Member).await;
    for n in [1, 12, 120] {
        let person =
            json!({"name": format!("P{n} Acme"), "details": {"emails": [{"email": format!("p{n}@acme.example")}]}});
        member.post("/api/customers", person).await.expect(201);
    }
    let other = json!({"name": "Acme Example", "about": "p12 of acme, example", "details": {"company": "Acme"}});
    member.post("/api/customers", other).await.expect(201);
    for (typed, names) in [
        ("p12@", &["P12 Acme"][..]),
        ("p12@acme", &["P12 Acme"]),
        ("@acme.example", &["P1 Acme", "P12 Acme", "P120 Acme"]),
        ("p2@", &[]),
    ] {
        let query = typed.replace('@', "%40");
        for sort in ["name", "createdAt"] {
            let list = member.get(&format!("/api/customers?q={query}&sort={sort}")).await.expect(200);
            let found = list["items"].as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap());
            assert_eq!(found.collect::<Vec<_>>(), names, "{typed} by {sort}");
        }
        let found = member.post("/api/common/search", json!({"query": typed, "limit": 50})).await.expect(200);
        // Members have addresses, too.
        let found = found.to_string().matches("\"kind\":\"customer\"").count();
        assert_eq!(found, names.len(), "{typed}");
    }
}
