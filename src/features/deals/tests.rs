//! Deals over HTTP.

use std::net::IpAddr;

use serde_json::{Value, json};

use super::{
    model::Deal,
    pipeline::{Named, PipelineChange, PlannedPipeline, begin},
};
use crate::{
    kernel::{Code, Id, i18n::Locale},
    people::permission::Role,
    store::{Actor, TenantWrite},
    testing::{As, TestApp},
};

fn euros(amount: i64) -> Value {
    json!({"amount": amount, "currency": "EUR"})
}

async fn deal(member: &As, body: Value) -> Value {
    member.post("/api/deals", body).await.expect(201)
}

fn path(record: &Value) -> String {
    format!("/api/deals/{}", record["id"].as_str().unwrap())
}

async fn titles(caller: &As, query: &str) -> Vec<String> {
    let list = caller.get(&format!("/api/deals{query}")).await.expect(200);
    let items = list["items"].as_array().unwrap();
    assert_eq!(list["total"], items.len(), "{query}");
    items.iter().map(|item| item["title"].as_str().unwrap().to_owned()).collect()
}

/// Returns the faulty fields of a refused request.
async fn faulty(caller: &As, body: Value) -> Vec<String> {
    let refused = caller.post("/api/deals", body).await;
    refused.refused("invalid");
    refused.body["error"]["fields"].as_object().unwrap().keys().cloned().collect()
}

#[tokio::test]
async fn a_deal_goes_through_its_stages_and_is_won_lost_and_opened_again() {
    let app = TestApp::new().await;
    let member = app.acme(Role::Member).await;
    let body = json!({"title": "  Rugs  for the hotel ", "value": euros(1_250_000), "expectedDay": "2026-12-15",
        "tags": ["Hotel"], "about": "Forty rooms.", "ownerId": member.id});
    let made = deal(&member, body).await;
    assert_eq!(
        (&made["title"], &made["stageId"], &made["outcome"]),
        (&json!("Rugs for the hotel"), &json!("new"), &json!("open"))
    );
    assert_eq!((&made["value"], &made["tags"]), (&euros(1_250_000), &json!(["hotel"])));
    assert_eq!(made["visibility"], json!({"to": "company", "people": []}));
    let path = path(&made);
    let moved = member.patch(&path, json!({"stageId": "proposal"})).await.expect(200);
    assert_eq!((&moved["stageId"], moved.get("closedAt")), (&json!("proposal"), None));
    let lost = json!({"outcome": "lost", "reasonId": "price", "reason": " Half as much elsewhere "});
    let lost = member.patch(&path, lost).await.expect(200);
    assert_eq!((&lost["reason"], &lost["closedAt"]), (&json!("Half as much elsewhere"), &lost["updatedAt"]));
    app.clock.advance(60_000);
    // The time of the end stays while something else changes, and the reason belongs to one outcome.
    let renamed = member.patch(&path, json!({"title": "Rugs"})).await.expect(200);
    assert_eq!((&renamed["closedAt"], &renamed["reasonId"]), (&lost["closedAt"], &json!("price")));
    let won = member.patch(&path, json!({"outcome": "won"})).await.expect(200);
    assert_eq!((won.get("reasonId"), won.get("reason"), &won["closedAt"]), (None, None, &won["updatedAt"]));
    let open = member.patch(&path, json!({"outcome": "open", "reason": "None"})).await.expect(200);
    assert_eq!((open.get("closedAt"), open.get("reason"), &open["stageId"]), (None, None, &json!("proposal")));
    assert_eq!(member.get(&path).await.expect(200), open);
    member.delete(&path).await.expect(204);
    member.get(&path).await.refused("record_in_bin");
}

#[tokio::test]
async fn every_faulty_field_is_named() {
    let app = TestApp::new().await;
    let member = app.acme(Role::Member).await;
    let none = "019a9c3e-7b1f-7c52-9b0e-3d0c5a7f1e20";
    let body = json!({"title": " ", "value": {"amount": 1, "currency": "EURO"}, "stageId": "none", "outcome": "won",
        "reasonId": "price", "customerId": none, "organizationId": none, "ownerId": none, "reason": "x".repeat(501)});
    let expected =
        ["customerId", "organizationId", "ownerId", "reason", "reasonId", "stageId", "title", "value.currency"];
    assert_eq!(faulty(&member, body).await, expected);
    let body = json!({"title": "A", "value": euros(1_000_000_000_000_001)});
    assert_eq!(faulty(&member, body).await, ["value.amount"]);
    let body = json!({"title": "A", "visibility": {"to": "people"}});
    assert_eq!(faulty(&member, body).await, ["visibility.people"]);
    for day in ["0000-01-01", "1899-12-31", "2201-01-01"] {
        assert_eq!(faulty(&member, json!({"title": "A", "expectedDay": day})).await, ["expectedDay"], "{day}");
    }
}

#[tokio::test]
async fn a_value_is_not_negative() {
    let app = TestApp::new().await;
    let member = app.acme(Role::Member).await;
    assert_eq!(faulty(&member, json!({"title": "A", "value": euros(-1)})).await, ["value.amount"]);
    let free = deal(&member, json!({"title": "Free", "value": euros(0)})).await;
    let refused = member.patch(&path(&free), json!({"value": euros(-1)})).await;
    refused.refused("invalid");
    assert_eq!(refused.body["error"]["fields"]["value.amount"], "This can’t be negative.", "{}", refused.body);
    let import = member.import("deals", "Title,Value,Currency\r\nRefund,-5,EUR\r\nRugs,5,EUR\r\n").await;
    // The row is imported without the value (F-D4).
    assert_eq!((&import["counts"]["created"], &import["counts"]["failed"]), (&json!(2), &json!(0)), "{import}");
    let problem = &import["problems"][0];
    assert_eq!((&problem["column"], &problem["message"]), (&json!(1), &json!("This can’t be negative.")), "{import}");
}

#[tokio::test]
async fn a_negative_value_from_before_stays_until_it_is_changed() {
    let app = TestApp::new().await;
    let member = app.acme(Role::Member).await;
    let kept = deal(&member, json!({"title": "Refund", "value": euros(500)})).await;
    let id: Id<Deal> = kept["id"].as_str().unwrap().parse().unwrap();
    let negate = move |tx: &TenantWrite<'_>| {
        tx.update(id, None, |deal: &mut Deal| {
            deal.worth.as_mut().unwrap().amount = -500;
            Ok(())
        })
    };
    app.app.store().write(app.acme.id, Actor::System, negate).await.unwrap();
    let path = path(&kept);
    let same = json!({"title": "Refund of rugs", "value": euros(-500)});
    let renamed = member.patch(&path, same).await.expect(200);
    assert_eq!((&renamed["title"], &renamed["value"]), (&json!("Refund of rugs"), &euros(-500)));
    member.patch(&path, json!({"value": euros(-400)})).await.refused("invalid");
    let bulk = json!({"kind": "deals", "ids": [kept["id"]], "change": {"stageId": "proposal"}});
    let bulk = member.post("/api/bulk", bulk).await.expect(202);
    assert_eq!(member.bulk_over(&bulk).await["changed"], 1);
    assert_eq!(member.get(&path).await.expect(200)["stageId"], "proposal");
    member.patch(&path, json!({"value": euros(400)})).await.expect(200);
}

#[tokio::test]
async fn deals_of_few_are_seen_by_author_owner_the_chosen_and_administrators() {
    let app = TestApp::new().await;
    let ada = app.acme(Role::Member).await;
    let admin = app.acme(Role::Admin).await;
    let viewer = app.acme(Role::Viewer).await;
    let owner = app.hire("olga", Role::Member).await;
    let other = app.hire("otto", Role::Member).await;
    let secret = json!({"title": "Secret", "visibility": {"to": "me"}, "ownerId": owner.id, "value": euros(100)});
    let secret = deal(&ada, secret).await;
    let some = json!({"title": "Some", "visibility": {"to": "people", "people": [viewer.id]}, "value": euros(10)});
    deal(&ada, some).await;
    deal(&ada, json!({"title": "All", "value": euros(1)})).await;
    for (reader, expected, sum) in [
        (&ada, &["All", "Secret", "Some"][..], 111.0),
        (&admin, &["All", "Secret", "Some"], 111.0),
        (&owner, &["All", "Secret"], 101.0),
        (&viewer, &["All", "Some"], 11.0),
        (&other, &["All"], 1.0),
    ] {
        assert_eq!(titles(reader, "?sort=title").await, expected);
        let sums = reader.get("/api/sums?kind=deals&column=value").await.expect(200);
        assert_eq!(sums["items"][0]["sum"], sum);
        let forecast = reader.get("/api/deals/forecast").await.expect(200);
        assert_eq!(forecast["undated"]["sums"][0]["sum"], sum);
    }
    other.get(&path(&secret)).await.refused("not_found");
    other.patch(&path(&secret), json!({"title": "Mine"})).await.refused("not_found");
    other.delete(&path(&secret)).await.refused("not_found");
    let seen = owner.patch(&path(&secret), json!({"stageId": "qualified"})).await.expect(200);
    assert_eq!(seen["stageId"], "qualified");
    let refused = owner.patch(&path(&secret), json!({"visibility": {"to": "company"}})).await;
    refused.refused("forbidden");
    ada.patch(&path(&secret), json!({"visibility": {"to": "company"}})).await.expect(200);
    other.get(&path(&secret)).await.expect(200);
}

#[tokio::test]
async fn deals_are_listed_by_what_they_refer_to_and_lose_what_is_purged() {
    let app = TestApp::new().await;
    let admin = app.acme(Role::Admin).await;
    let customer = admin.post("/api/customers", json!({"name": "Ana"})).await.expect(201);
    let organization = admin.post("/api/organizations", json!({"name": "Hotel Sol"})).await.expect(201);
    let body = json!({"title": "Rugs", "customerId": customer["id"], "organizationId": organization["id"]});
    let made = deal(&admin, body).await;
    deal(&admin, json!({"title": "Lamps"})).await;
    let id = |record: &Value| record["id"].as_str().unwrap().to_owned();
    assert_eq!(titles(&admin, &format!("?filter=customerId:is:{}", id(&customer))).await, ["Rugs"]);
    let timeline = admin.get(&format!("/api/organizations/{}/timeline", id(&organization))).await.expect(200);
    assert!(timeline.to_string().contains(&id(&made)), "{timeline}");
    let found = admin.post("/api/common/search", json!({"query": "rugs"})).await.expect(200);
    let result = found.as_array().unwrap().iter().find(|set| set["id"] == "deals").unwrap()["results"][0].clone();
    assert_eq!(result["link"], format!("/customers/deals/{}", id(&made)));
    for (kind, record) in [("customers", &customer), ("organizations", &organization)] {
        admin.delete(&format!("/api/{kind}/{}", id(record))).await.expect(204);
        admin.delete(&format!("/api/bin/{}", id(record))).await.expect(204);
    }
    let left = admin.get(&path(&made)).await.expect(200);
    assert_eq!((left.get("customerId"), left.get("organizationId")), (None, None));
}

#[tokio::test]
async fn answers_have_the_names_of_the_person_and_the_organization_that_the_reader_may_see() {
    let app = TestApp::new().await;
    let admin = app.acme(Role::Admin).await;
    let customer = admin.post("/api/customers", json!({"name": "Ana"})).await.expect(201);
    let organization = admin.post("/api/organizations", json!({"name": "Hotel Sol"})).await.expect(201);
    let id = |record: &Value| record["id"].as_str().unwrap().to_owned();
    let both = json!({"title": "Rugs", "customerId": customer["id"], "organizationId": organization["id"],
        "externalId": "7"});
    let made = deal(&admin, both).await;
    deal(&admin, json!({"title": "Lamps", "customerId": customer["id"]})).await;
    deal(&admin, json!({"title": "None"})).await;
    let names = |record: &Value| json!([record["customerName"], record["organizationName"]]);
    let all = json!(["Ana", "Hotel Sol"]);
    assert_eq!(names(&made), all);
    assert_eq!(names(&admin.patch(&path(&made), json!({"stageId": "proposal"})).await.expect(200)), all);
    assert_eq!(names(&admin.get(&path(&made)).await.expect(200)), all);
    let found = admin.get("/api/deals/lookup?externalId=7").await.expect(200);
    assert_eq!(names(&found["items"][0]), all);
    let listed = async |caller: &As| {
        let list = caller.get("/api/deals?sort=-title").await.expect(200);
        list["items"].as_array().unwrap().iter().map(names).collect::<Vec<_>>()
    };
    let viewer = app.acme(Role::Viewer).await;
    assert_eq!(listed(&viewer).await, [all.clone(), json!([null, null]), json!(["Ana", null])]);

    // The name follows at once, and a response that has it is another one.
    let before = admin.get(&path(&made)).await.headers["etag"].clone();
    admin.patch(&format!("/api/customers/{}", id(&customer)), json!({"name": "Ana Sol"})).await.expect(200);
    let renamed = admin.get(&path(&made)).await;
    assert_eq!((names(&renamed.body), renamed.headers["etag"] == before), (json!(["Ana Sol", "Hotel Sol"]), false));
    admin.delete(&format!("/api/organizations/{}", id(&organization))).await.expect(204);
    let left = admin.get(&path(&made)).await.expect(200);
    assert_eq!((names(&left), &left["organizationId"]), (json!(["Ana Sol", null]), &organization["id"]));
    assert_eq!(listed(&viewer).await[0], json!(["Ana Sol", null]));
}

#[tokio::test]
async fn a_reason_of_an_open_deal_is_checked_before_it_is_dropped() {
    let app = TestApp::new().await;
    let member = app.acme(Role::Member).await;
    let long = json!({"title": "Rugs", "reason": "x".repeat(501)});
    assert!(member.post("/api/deals", long).await.expect(422)["error"]["fields"]["reason"].is_string());
    assert_eq!(deal(&member, json!({"title": "Rugs", "reason": "x"})).await.get("reason"), None);
}

#[tokio::test]
async fn sums_are_grouped_by_stage_and_by_owner() {
    let app = TestApp::new().await;
    let member = app.acme(Role::Member).await;
    for (stage, value) in
        [("new", Some(euros(5))), ("new", None), ("proposal", Some(euros(7))), ("new", Some(euros(1)))]
    {
        deal(&member, json!({"title": stage, "stageId": stage, "value": value, "ownerId": member.id})).await;
    }
    deal(&member, json!({"title": "Won", "outcome": "won", "value": euros(50), "ownerId": null})).await;
    let sums = member.get("/api/sums?kind=deals&column=value&by=stageId&filter=outcome:is:open").await.expect(200);
    assert_eq!(sums["groups"], json!([{"value": "new", "count": 3}, {"value": "proposal", "count": 1}]));
    let sum = |group: &str, sum: f64, count: u64| json!({"column": "value", "group": group, "currency": "EUR", "sum": sum, "count": count});
    assert_eq!(sums["items"], json!([sum("new", 6.0, 2), sum("proposal", 7.0, 1)]));
    let by_owner = member.get("/api/sums?kind=deals&column=value&by=ownerId").await.expect(200);
    assert_eq!(by_owner["groups"], json!([{"value": member.id, "count": 4}]));
    let refused = member.get("/api/sums?kind=deals&column=value&by=title").await;
    refused.refused("invalid");
    assert!(refused.body["error"]["fields"].get("by").is_some(), "{}", refused.body);
}

#[tokio::test]
async fn forecast_has_open_deals_by_month_and_stage_and_what_was_won() {
    let app = TestApp::new().await;
    let member = app.acme(Role::Member).await;
    // Today is 21 November 2026.
    for (day, stage, outcome, value) in [
        (Some("2026-11-30"), "new", "open", Some(euros(1_000))),
        (Some("2026-12-01"), "negotiation", "open", Some(euros(400))),
        (Some("2026-12-31"), "new", "open", Some(json!({"amount": 70, "currency": "JPY"}))),
        (Some("2026-12-15"), "new", "open", None),
        (Some("2026-10-31"), "proposal", "open", Some(euros(8))),
        (None, "proposal", "open", Some(euros(6))),
        (Some("2027-03-01"), "proposal", "open", Some(euros(9_999))),
        (Some("2026-12-24"), "proposal", "lost", Some(euros(9_999))),
        (Some("2027-01-24"), "proposal", "won", Some(euros(300))),
    ] {
        let body = json!({"title": "A", "stageId": stage, "outcome": outcome, "value": value, "expectedDay": day});
        deal(&member, body).await;
    }
    let amounts = |count: u64, sums: Value| json!({"count": count, "sums": sums});
    let sum = |currency: &str, sum: f64, weighted: f64| json!({"currency": currency, "sum": sum, "weighted": weighted});
    let none = amounts(0, json!([]));
    let forecast = member.get("/api/deals/forecast?months=2").await.expect(200);
    assert_eq!(
        forecast,
        json!({
            "months": [
                {"month": "2026-11", "open": amounts(1, json!([sum("EUR", 1_000.0, 100.0)])),
                 "won": amounts(1, json!([sum("EUR", 300.0, 300.0)]))},
                {"month": "2026-12", "open": amounts(3, json!([sum("EUR", 400.0, 300.0), sum("JPY", 70.0, 7.0)])),
                 "won": none},
            ],
            "overdue": amounts(1, json!([sum("EUR", 8.0, 4.0)])),
            "undated": amounts(1, json!([sum("EUR", 6.0, 3.0)])),
        })
    );
    let later = member.get("/api/deals/forecast?from=2027-03&months=1&filter=stageId:is:proposal").await.expect(200);
    assert_eq!(later["months"][0]["open"]["count"], 1);
    for (query, field) in
        [("from=2026", "from"), ("from=2026-13", "from"), ("months=0", "months"), ("months=25", "months")]
    {
        let refused = member.get(&format!("/api/deals/forecast?{query}")).await;
        refused.refused("invalid");
        assert!(refused.body["error"]["fields"].get(field).is_some(), "{query}: {}", refused.body);
    }
}

#[tokio::test]
async fn forecast_has_the_deals_with_the_words_of_a_search() {
    let app = TestApp::new().await;
    let member = app.acme(Role::Member).await;
    for (title, amount, day) in
        [("Rugs", 100, "2026-11-10"), ("Red rugs", 10, "2026-11-12"), ("Lamps", 1, "2026-11-20")]
    {
        deal(&member, json!({"title": title, "value": euros(amount), "expectedDay": day, "tags": ["sol"]})).await;
    }
    for (query, count, sum) in [("", 3, 111.0), ("&q=rugs", 2, 110.0), ("&q=rugs&filter=title:contains:red", 1, 10.0)] {
        let forecast = member.get(&format!("/api/deals/forecast?from=2026-11{query}")).await.expect(200);
        let open = &forecast["months"][0]["open"];
        assert_eq!((&open["count"], &open["sums"][0]["sum"]), (&json!(count), &json!(sum)), "{query}");
    }
    let none = member.get("/api/deals/forecast?from=2026-11&q=carpets").await.expect(200);
    assert_eq!(none["months"][0]["open"], json!({"count": 0, "sums": []}));
}

#[tokio::test]
async fn administrators_name_stages_and_remove_those_whose_deals_move() {
    let app = TestApp::new().await;
    let admin = app.acme(Role::Admin).await;
    let member = app.acme(Role::Member).await;
    let before = member.get("/api/deals/pipeline").await.expect(200);
    let names = |pipeline: &Value, list: &str| {
        let all = pipeline[list].as_array().unwrap().iter();
        all.map(|one| one["name"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(names(&before, "stages"), ["New", "Qualified", "Proposal", "Negotiation"]);
    assert_eq!(before["version"], 1);
    let mut deals = Vec::new();
    for n in 0..60 {
        let visibility = if n % 2 == 0 { "me" } else { "company" };
        let body = json!({"title": format!("D{n}"), "stageId": "proposal", "visibility": {"to": visibility}});
        deals.push(deal(&member, body).await);
    }
    let stages = json!([{"id": "negotiation", "name": "Talks", "probability": 80},
        {"id": "new", "name": "New", "probability": 10}, {"name": " Offer ", "probability": 50}]);
    member.patch("/api/deals/pipeline", json!({"stages": stages})).await.refused("forbidden");
    let refused = admin.patch("/api/deals/pipeline", json!({"stages": stages})).await;
    refused.refused("invalid");
    assert!(refused.body["error"]["fields"].get("moves").is_some(), "{}", refused.body);
    let body = json!({"stages": stages, "moves": [{"from": "proposal", "to": "negotiation"}]});
    let tag = before["version"].to_string();
    let stale = [("if-match", "\"7\"")];
    admin.send_with("PATCH", "/api/deals/pipeline", Some(body.clone()), &stale).await.refused("stale_version");
    let tag = format!("\"{tag}\"");
    let changed = admin.send_with("PATCH", "/api/deals/pipeline", Some(body), &[("if-match", &tag)]).await;
    assert_eq!(changed.tagged_version(), 2);
    let changed = changed.expect(200);
    assert_eq!(names(&changed, "stages"), ["Talks", "New", "Offer"]);
    assert_eq!(titles(&member, "?filter=stageId:is:negotiation&limit=100").await.len(), 60);
    // A name that was not changed is that of the reader's language; a deal in the bin finds its place.
    admin.patch("/api/common/user", json!({"locale": "es"})).await.expect(200);
    let spanish = app.acme(Role::Admin).await.get("/api/deals/pipeline").await.expect(200);
    assert_eq!(names(&spanish, "stages"), ["Talks", "Nueva", "Offer"]);
    member.delete(&path(&deals[0])).await.expect(204);
    let id = |pipeline: &Value, at: usize| pipeline["stages"][at]["id"].clone();
    let stages = json!([{"id": id(&changed, 1), "name": "New", "probability": 10}]);
    let moves = json!([{"from": "negotiation", "to": "new"}]);
    admin.patch("/api/deals/pipeline", json!({"stages": stages, "moves": moves})).await.expect(200);
    member.post(&format!("/api/bin/{}/restore", deals[0]["id"].as_str().unwrap()), json!({})).await.expect(200);
    assert_eq!(titles(&member, "?filter=stageId:is:new&limit=100").await.len(), 60);
    let audit = admin.get("/api/audit?event=pipeline.changed").await.expect(200);
    assert_eq!(audit["total"], 2);
}

/// The kind of fault (F-R10): work in several writes that only the waiting request carries on stays half done after a kill.
#[tokio::test]
async fn change_of_the_pipeline_goes_on_after_a_restart() {
    let app = TestApp::new().await;
    let admin = app.acme(Role::Admin).await;
    for n in 0..60 {
        deal(&admin, json!({"title": format!("D{n}"), "stageId": "proposal"})).await;
    }
    let stage = |(id, name, more): (&str, &str, u8)| Named { id: Some(id.to_owned()), name: name.to_owned(), more };
    let stages = [("new", "New", 10), ("qualified", "Fit", 25), ("negotiation", "Negotiation", 75)].map(stage).to_vec();
    let moves = vec![("proposal".to_owned(), "new".to_owned())];
    let change = PipelineChange { stages: Some(stages), reasons: None, moves };
    // The server ends after the first write of a request.
    let begin = move |tx: &TenantWrite<'_>| {
        let by = (Locale::EN, IpAddr::from([127, 0, 0, 1]));
        begin(tx, None, by, change.clone())?;
        assert_eq!(tx.count::<PlannedPipeline>()?, 1, "it is not done in one write");
        assert_eq!(begin(tx, None, by, change).unwrap_err().code(), Code::Busy);
        Ok(())
    };
    app.app.store().write(app.acme.id, Actor::Member(admin.id), begin).await.unwrap();
    drop(admin);
    let planned = |app: &TestApp| {
        let snapshot = app.app.store().snapshot().unwrap();
        snapshot.tenant(app.acme.id, None).count::<PlannedPipeline>().unwrap()
    };
    let app = app.restart().await;
    let mut wrote = app.app.store().wrote();
    loop {
        wrote.borrow_and_update();
        if planned(&app) == 0 {
            break;
        }
        wrote.changed().await.unwrap();
    }
    let admin = app.acme(Role::Admin).await;
    let pipeline = admin.get("/api/deals/pipeline").await.expect(200);
    assert_eq!(pipeline["stages"].as_array().unwrap().len(), 3);
    assert_eq!(titles(&admin, "?filter=stageId:is:new&limit=100").await.len(), 60);
    assert_eq!(titles(&admin, "?filter=stageId:is:proposal&limit=100").await.len(), 0);
}

#[tokio::test]
async fn faulty_pipelines_are_refused_and_removed_reasons_stay_with_their_deals() {
    let app = TestApp::new().await;
    let admin = app.acme(Role::Admin).await;
    let lost = deal(&admin, json!({"title": "A", "outcome": "lost", "reasonId": "price"})).await;
    let stage =
        |id: Option<&str>, name: &str, probability: u32| json!({"id": id, "name": name, "probability": probability});
    for (body, field) in [
        (json!({"stages": []}), "stages"),
        (json!({"stages": [stage(Some("none"), "A", 1)]}), "stages.0.id"),
        (json!({"stages": [stage(Some("new"), "A", 1), stage(Some("new"), "B", 1)]}), "stages.1.id"),
        (json!({"stages": [stage(Some("new"), "A", 1), stage(None, "á", 1)]}), "stages.1.name"),
        (json!({"stages": [stage(Some("new"), " ", 1)]}), "stages.0.name"),
        (json!({"stages": [stage(Some("new"), "A", 101)]}), "stages.0.probability"),
        (json!({"stages": vec![stage(None, "A", 1); 21]}), "stages"),
        (json!({"reasons": [{"name": "A", "outcome": "open"}]}), "reasons.0.outcome"),
    ] {
        let refused = admin.patch("/api/deals/pipeline", body.clone()).await;
        refused.refused("invalid");
        assert!(refused.body["error"]["fields"].get(field).is_some(), "{body}: {}", refused.body);
    }
    // The same name may be a reason to win and to lose.
    let reasons = json!([{"name": "Quality", "outcome": "won"}, {"name": "Quality", "outcome": "lost"}]);
    let changed = admin.patch("/api/deals/pipeline", json!({"reasons": reasons})).await.expect(200);
    let all = changed["reasons"].as_array().unwrap();
    assert_eq!((all.len(), &all[2]["name"], &all[2]["removed"]), (7, &json!("Price"), &json!(true)));
    let kept = admin.patch(&path(&lost), json!({"title": "B"})).await.expect(200);
    assert_eq!(kept["reasonId"], "price");
    let refused = admin.post("/api/deals", json!({"title": "C", "outcome": "lost", "reasonId": "price"})).await;
    refused.refused("invalid");
    let quality = all[0]["id"].clone();
    deal(&admin, json!({"title": "D", "outcome": "won", "reasonId": quality})).await;
}

#[tokio::test]
async fn deals_are_closed_in_bulk_and_opened_again_by_undo() {
    let app = TestApp::new().await;
    let member = app.acme(Role::Member).await;
    let body = json!({"title": "A", "outcome": "lost", "reasonId": "price", "reason": "Too dear",
        "closedAt": "2024-02-02T10:12:00.000Z"});
    let made = deal(&member, body).await;
    let lost = json!({"outcome": "lost", "reasonId": "price", "reason": "No money left"});
    let other = deal(&member, json!({"title": "B"})).await;
    member.post("/api/bulk", json!({"kind": "deals", "ids": [other["id"]], "change": lost})).await.expect(202);
    let closed = member.get(&path(&other)).await.expect(200);
    assert_eq!((&closed["outcome"], &closed["reason"]), (&json!("lost"), &json!("No money left")));
    let change = json!({"kind": "deals", "ids": [made["id"]], "change": {"outcome": "won"}});
    let change = member.post("/api/bulk", change).await.expect(202);
    assert_eq!(member.get(&path(&made)).await.expect(200).get("reason"), None);
    member.post(&format!("/api/bulk/{}/undo", change["id"].as_str().unwrap()), json!({})).await.expect(202);
    let after = member.get(&path(&made)).await.expect(200);
    for field in ["outcome", "closedAt", "reasonId", "reason"] {
        assert_eq!(after[field], made[field], "{field}");
    }
}

// The kind of fault: what ended elsewhere can only have ended now.
#[tokio::test]
async fn a_deal_may_have_been_closed_before() {
    let app = TestApp::new().await;
    let member = app.acme(Role::Member).await;
    let at = "2024-02-02T10:12:00.000Z";
    let won = deal(&member, json!({"title": "A", "outcome": "won", "closedAt": at})).await;
    assert_eq!(won["closedAt"], at);
    let renamed = member.patch(&path(&won), json!({"title": "B"})).await.expect(200);
    assert_eq!(renamed["closedAt"], at);
    let lost = member.patch(&path(&won), json!({"outcome": "lost"})).await.expect(200);
    assert_eq!(lost["closedAt"], lost["updatedAt"], "the time belongs to one outcome");
    let lost = member.patch(&path(&won), json!({"closedAt": at})).await.expect(200);
    assert_eq!(lost["closedAt"], at);
    let open = deal(&member, json!({"title": "C", "closedAt": at})).await;
    assert!(open.get("closedAt").is_none(), "{open}");
    let future = json!({"outcome": "won", "closedAt": "2027-01-01T00:00:00Z"});
    let refused = member.patch(&path(&open), future).await;
    refused.refused("invalid");
    assert!(refused.body["error"]["fields"]["closedAt"].is_string(), "{}", refused.body);
}

#[tokio::test]
async fn a_change_of_nothing_leaves_the_pipeline_as_it_is() {
    let app = TestApp::new().await;
    let admin = app.acme(Role::Admin).await;
    let once = admin.patch("/api/deals/pipeline", json!({})).await.expect(200);
    let again = admin.patch("/api/deals/pipeline", json!({})).await.expect(200);
    assert_eq!(again["stages"], once["stages"]);
}
