//! Customers of organizations over HTTP.

use serde_json::{Value, json};

use super::{Customer, Renaming, company::AT_ONCE};
use crate::{
    features::organizations::Organization,
    kernel::Id,
    people::permission::Role,
    store::{Actor, TenantWrite},
    testing::{As, TestApp, wait_for},
};

async fn organization(member: &As, name: &str) -> Value {
    member.post("/api/organizations", json!({"name": name})).await.expect(201)
}

async fn customer(member: &As, body: Value) -> String {
    let made = member.post("/api/customers", body).await.expect(201);
    format!("/api/customers/{}", made["id"].as_str().unwrap())
}

async fn company(member: &As, path: &str) -> Value {
    member.get(path).await.expect(200)["details"]["company"].clone()
}

fn path(record: &Value) -> String {
    format!("/api/organizations/{}", record["id"].as_str().unwrap())
}

#[tokio::test]
async fn new_organization_is_created_with_its_customer_or_not_at_all() {
    let app = TestApp::new().await;
    let member = app.acme(Role::Member).await;
    let organizations =
        async || member.get("/api/organizations").await.expect(200)["total"].as_u64().unwrap_or_default();
    let with_new_organization =
        |name: &str, company: &str| json!({"name": name, "details": {"company": company}, "newOrganization": true});
    let made = member.post("/api/customers", with_new_organization("Ana", "  Gamma  SL ")).await.expect(201);
    let gamma =
        member.get(&format!("/api/organizations/{}", made["organizationId"].as_str().unwrap())).await.expect(200);
    assert_eq!((&gamma["name"], &gamma["ownerId"]), (&json!("Gamma SL"), &json!(member.id)));
    assert_eq!(made["details"]["company"], "Gamma SL");

    // Nothing is left of a customer who is not created, or not changed.
    let refused = member.post("/api/customers", with_new_organization(" ", "Delta")).await;
    refused.refused("invalid");
    assert_eq!(organizations().await, 1);
    let bea = customer(&member, json!({"name": "Bea"})).await;
    let stale = json!({"newOrganization": true, "details": {"company": "Delta"}});
    member.send_with("PATCH", &bea, Some(stale.clone()), &[("if-match", "\"7\"")]).await.refused("stale_version");
    assert_eq!(organizations().await, 1);

    let changed = member.patch(&bea, stale).await.expect(200);
    assert_eq!((changed["organizationId"].is_string(), organizations().await), (true, 2));
    // One of this name is taken, in any spelling.
    let joined = member.post("/api/customers", with_new_organization("Cora", "DELTA")).await.expect(201);
    assert_eq!(
        (&joined["organizationId"], &joined["details"]["company"]),
        (&changed["organizationId"], &json!("Delta"))
    );
    // The text that a customer has is enough.
    let dora = customer(&member, json!({"name": "Dora", "details": {"company": "Epsilon"}})).await;
    let joined_own = member.patch(&dora, json!({"newOrganization": true})).await.expect(200);
    assert_eq!((joined_own["organizationId"].is_string(), organizations().await), (true, 3));

    for company in [String::new(), "x".repeat(201)] {
        let refused = member.post("/api/customers", with_new_organization("Emma", &company)).await;
        refused.refused("invalid");
        assert!(refused.body["error"]["fields"].get("details.company").is_some(), "{}", refused.body);
    }
    assert_eq!(organizations().await, 3);
}

#[tokio::test]
async fn company_is_the_name_of_the_organization_and_follows_it() {
    let app = TestApp::new().await;
    let member = app.acme(Role::Member).await;
    let acme = organization(&member, "Acme").await;
    let other = organization(&member, "Other").await;
    let free = customer(&member, json!({"name": "Ana", "details": {"company": "ACME Inc"}})).await;
    let linked = customer(&member, json!({"name": "Bea", "organizationId": acme["id"]})).await;
    assert_eq!((company(&member, &free).await, company(&member, &linked).await), (json!("ACME Inc"), json!("Acme")));
    // A link replaces the text, and its own name is accepted in any spelling.
    let body = json!({"organizationId": acme["id"], "details": {"company": "  ácme "}});
    assert_eq!(member.patch(&free, body).await.expect(200)["details"]["company"], "Acme");

    let before = member.get(&linked).await;
    let tag = before.headers["etag"].to_str().unwrap().to_owned();
    member.patch(&path(&acme), json!({"name": "Acme SL"})).await.expect(200);
    let after = member.send_with("GET", &linked, None, &[("if-none-match", &tag)]).await;
    let after_version = after.tagged_version();
    let after = after.expect(200);
    assert_eq!(after["details"]["company"], "Acme SL");
    assert_eq!((after_version, &after["updatedAt"]), (before.tagged_version(), &before.body["updatedAt"]));
    let found = member.get("/api/customers?filter=company:is:acme%20sl").await.expect(200);
    assert_eq!(found["total"], 2);
    let filter = format!("/api/customers?filter=organizationId:is:{}", acme["id"].as_str().unwrap());
    assert_eq!(member.get(&filter).await.expect(200)["total"], 2);

    // Another text is refused, not dropped.
    let refused = member.patch(&linked, json!({"details": {"company": "Elsewhere"}})).await;
    refused.refused("invalid");
    assert!(refused.body["error"]["fields"].get("details.company").is_some(), "{}", refused.body);
    let moved = member.patch(&linked, json!({"organizationId": other["id"]})).await.expect(200);
    assert_eq!(moved["details"]["company"], "Other");
    let left = member.patch(&linked, json!({"organizationId": null})).await.expect(200);
    assert_eq!((&left["details"]["company"], left.get("organizationId")), (&json!("Other"), None));
    let gone = member.patch(&linked, json!({"details": {"company": null}})).await.expect(200);
    assert_eq!(gone["details"].get("company"), None);
}

#[tokio::test]
async fn only_an_organization_of_the_company_can_be_chosen() {
    let app = TestApp::new().await;
    let member = app.acme(Role::Member).await;
    let stranger = app.other(Role::Member).await;
    let theirs = organization(&stranger, "Theirs").await;
    let binned = organization(&member, "Binned").await;
    member.delete(&path(&binned)).await.expect(204);
    for id in [&theirs["id"], &binned["id"]] {
        let refused = member.post("/api/customers", json!({"name": "Ana", "organizationId": id})).await;
        refused.refused("invalid");
        assert!(refused.body["error"]["fields"].get("organizationId").is_some(), "{}", refused.body);
    }
}

#[tokio::test]
async fn organization_in_the_bin_keeps_its_customers_and_leaves_its_name_when_it_is_purged() {
    let app = TestApp::new().await;
    let admin = app.acme(Role::Admin).await;
    let acme = organization(&admin, "Acme").await;
    let linked = customer(&admin, json!({"name": "Bea", "organizationId": acme["id"]})).await;
    let binned = customer(&admin, json!({"name": "Cid", "organizationId": acme["id"]})).await;
    admin.delete(&binned).await.expect(204);
    admin.patch(&path(&acme), json!({"name": "Acme SL"})).await.expect(200);
    let id = binned.rsplit('/').next().unwrap().to_owned();
    admin.post(&format!("/api/bin/{id}/restore"), json!({})).await.expect(200);
    assert_eq!(company(&admin, &binned).await, "Acme SL", "the name of now, not that of its removal");

    admin.delete(&path(&acme)).await.expect(204);
    let kept = admin.patch(&linked, json!({"about": "Changed meanwhile"})).await.expect(200);
    assert_eq!((&kept["organizationId"], &kept["details"]["company"]), (&acme["id"], &json!("Acme SL")));
    admin.delete(&format!("/api/bin/{}", acme["id"].as_str().unwrap())).await.expect(204);
    let after = admin.get(&linked).await.expect(200);
    assert_eq!((after.get("organizationId"), &after["details"]["company"]), (None, &json!("Acme SL")));
}

#[tokio::test]
async fn name_of_an_organization_with_many_customers_follows_also_after_a_restart() {
    let app = TestApp::new().await;
    let member = app.acme(Role::Member).await;
    let acme = organization(&member, "Acme").await;
    let id: Id<Organization> = acme["id"].as_str().unwrap().parse().unwrap();
    let add = move |tx: &TenantWrite<'_>| {
        for n in 0..AT_ONCE * 3 {
            let new = Customer { name: format!("C{n}"), organization_id: Some(id), ..Customer::default() };
            super::create(tx, new)?;
        }
        Ok(())
    };
    let store = app.app.store();
    let tenant = app.acme.id;
    store.write(tenant, Actor::System, add).await.unwrap();
    let with_name = async |member: &As, name: &str| {
        member.get(&format!("/api/customers?limit=1&filter=company:is:{name}")).await.expect(200)["total"].clone()
    };
    member.patch(&path(&acme), json!({"name": "Bond"})).await.expect(200);
    // As after a stop in the middle: half are done, the others wait.
    let all = AT_ONCE * 3;
    let follow = async |member: &As, name: &str| {
        let what = format!("customers named after {name}");
        wait_for(&what, async || (with_name(member, name).await == json!(all)).then_some(())).await;
    };
    follow(&member, "bond").await;
    let stop = move |tx: &TenantWrite<'_>| {
        let organization = tx.get::<Organization>(id)?;
        tx.rewrite(&organization, |organization| organization.name = "Cole".to_owned())?;
        tx.create_at(id, Renaming { cursor: Vec::new() }).map(drop)
    };
    store.write(tenant, Actor::System, stop).await.unwrap();
    drop(member);
    let app = app.restart().await;
    let member = app.acme(Role::Member).await;
    follow(&member, "cole").await;
    // Half of them follow, and the organization is removed before the others do.
    member.patch(&path(&acme), json!({"name": "Dahl"})).await.expect(200);
    member.delete(&path(&acme)).await.expect(204);
    member.post(&format!("/api/bin/{}/restore", acme["id"].as_str().unwrap()), json!({})).await.expect(200);
    follow(&member, "dahl").await;
    let left = || app.app.store().snapshot().unwrap().tenant(tenant, None).find::<Renaming>(id).unwrap();
    wait_for("the end of the renaming", async || left().is_none().then_some(())).await;
}

#[tokio::test]
async fn companies_become_organizations_and_it_is_undone() {
    let app = TestApp::new().await;
    let member = app.acme(Role::Member).await;
    let known = organization(&member, "Solé").await;
    let of = |name: &str, company: &str| json!({"name": name, "details": {"company": company}});
    let mut ours = Vec::new();
    for (name, company) in [("A", "ACME"), ("B", "Acme"), ("C", "Acme"), ("D", "SOLE"), ("E", "Self-employed")] {
        ours.push(customer(&member, of(name, company)).await);
    }
    customer(&member, json!({"name": "F"})).await;
    customer(&member, json!({"name": "G", "organizationId": known["id"]})).await;
    let stranger = app.other(Role::Member).await;
    customer(&stranger, of("H", "Acme")).await;

    let preview = member.get("/api/customers/companies").await.expect(200);
    assert_eq!((&preview["total"], &preview["known"], &preview["customers"]), (&json!(3), &json!(1), &json!(5)));
    let expected = json!([{"name": "Acme", "customers": 3}, {"name": "SOLE", "customers": 1,
        "organizationId": known["id"]}, {"name": "Self-employed", "customers": 1}]);
    assert_eq!(preview["items"], expected);
    let viewer = app.acme(Role::Viewer).await;
    viewer.post("/api/customers/companies/organizations", json!({})).await.refused("forbidden");

    let body = json!({"except": ["self-EMPLOYED"]});
    let change = member.post("/api/customers/companies/organizations", body).await.expect(202);
    let change = member.bulk_over(&change).await;
    assert_eq!((&change["total"], &change["changed"]), (&json!(4), &json!(4)));
    let list = member.get("/api/organizations").await.expect(200);
    assert_eq!((&list["total"], &list["items"][0]["name"]), (&json!(2), &json!("Acme")));
    assert_eq!(list["items"][0]["ownerId"], json!(member.id));
    for (at, name) in ["Acme", "Acme", "Acme", "Solé", "Self-employed"].into_iter().enumerate() {
        assert_eq!(company(&member, &ours[at]).await, name, "{at}");
    }
    let left = member.get("/api/customers/companies").await.expect(200);
    assert_eq!((&left["total"], &left["items"][0]["name"]), (&json!(1), &json!("Self-employed")));

    // One of them is changed before the undo, and keeps its organization.
    member.patch(&ours[2], json!({"about": "Busy"})).await.expect(200);
    let undo = format!("/api/bulk/{}/undo", change["id"].as_str().unwrap());
    let undone = member.post(&undo, json!({})).await.expect(202);
    assert_eq!(member.bulk_over(&undone).await["undone"], 3);
    for (at, name) in ["ACME", "Acme", "Acme", "SOLE", "Self-employed"].into_iter().enumerate() {
        assert_eq!(company(&member, &ours[at]).await, name, "{at}");
    }
    assert_eq!(member.get("/api/organizations").await.expect(200)["total"], 2, "Acme has a customer");
    assert_eq!(member.get("/api/customers/companies").await.expect(200)["customers"], 4);
}

#[tokio::test]
async fn companies_are_listed_page_by_page_searched_and_chosen_by_name() {
    let app = TestApp::new().await;
    let member = app.acme(Role::Member).await;
    let of = |name: &str, company: &str| json!({"name": name, "details": {"company": company}});
    for (name, company) in [
        ("A", "Sol Hotels"),
        ("B", "Sol Hotels"),
        ("C", "Hotel Luna"),
        ("D", "Bond"),
        ("E", "Córdoba Hotels"),
        ("F", "cordoba hotels"),
    ] {
        customer(&member, of(name, company)).await;
    }
    let read = async |query: &str| {
        let mut pages = Vec::new();
        let mut cursor = String::new();
        loop {
            let page = member.get(&format!("/api/customers/companies?limit=2{query}{cursor}")).await.expect(200);
            let names = page["items"].as_array().unwrap().iter().map(|one| one["name"].clone()).collect::<Vec<_>>();
            assert_eq!((&page["total"], &page["customers"]), (&json!(4), &json!(6)));
            pages.push(json!([page["found"], names]));
            let Some(next) = page["nextCursor"].as_str() else { return pages };
            cursor = format!("&cursor={next}");
        }
    };
    assert_eq!(read("").await, [json!([4, ["Córdoba Hotels", "Sol Hotels"]]), json!([4, ["Bond", "Hotel Luna"]])]);
    let hotels = [json!([3, ["Córdoba Hotels", "Sol Hotels"]]), json!([3, ["Hotel Luna"]])];
    assert_eq!(read("&q=HOTEL").await, hotels);
    assert_eq!(read("&q=hotel%20cordo").await, [json!([1, ["Córdoba Hotels"]])]);
    assert_eq!(read("&q=nothing").await, [json!([0, []])]);

    let path = "/api/customers/companies/organizations";
    let many: Vec<String> = (0..1_001).map(|number| number.to_string()).collect();
    for field in ["only", "except"] {
        let refused = member.post(path, json!({field: many})).await;
        assert!(refused.body["error"]["fields"][field].is_string(), "{}", refused.body);
    }
    let chosen = json!({"only": ["CORDOBA hotels", "Bond", "Unknown"], "except": ["bond"]});
    let change = member.post(path, chosen).await.expect(202);
    assert_eq!(member.bulk_over(&change).await["changed"], 2);
    let left = member.get("/api/customers/companies").await.expect(200);
    assert_eq!((&left["total"], &left["customers"]), (&json!(3), &json!(4)));
}

#[tokio::test]
async fn organizations_that_were_made_are_removed_when_it_is_undone() {
    let app = TestApp::new().await;
    let member = app.acme(Role::Member).await;
    let of = |name: &str, company: &str| json!({"name": name, "details": {"company": company}});
    for (name, company) in [("A", "ACME"), ("B", "Bond"), ("C", "Bond"), ("D", "Cole")] {
        customer(&member, of(name, company)).await;
    }
    let change = member.post("/api/customers/companies/organizations", json!({})).await.expect(202);
    let change = member.bulk_over(&change).await;
    let list = member.get("/api/organizations").await.expect(200);
    member.patch(&path(&list["items"][2]), json!({"about": "Ours"})).await.expect(200);
    let undo = format!("/api/bulk/{}/undo", change["id"].as_str().unwrap());
    let undone = member.post(&undo, json!({})).await.expect(202);
    assert_eq!(member.bulk_over(&undone).await["undone"], 4);
    let list = member.get("/api/organizations").await.expect(200);
    assert_eq!((&list["total"], &list["items"][0]["name"]), (&json!(1), &json!("Cole")), "what was changed stays");
    assert_eq!(member.get("/api/bin").await.expect(200)["total"], 2);
}

#[tokio::test]
async fn undoing_a_bulk_change_of_the_organization_brings_back_the_company() {
    let app = TestApp::new().await;
    let member = app.acme(Role::Member).await;
    let acme = organization(&member, "Acme").await;
    let one = customer(&member, json!({"name": "A", "details": {"company": "Somewhere", "title": "Cook"}})).await;
    let before = member.get(&one).await.expect(200);
    let body = json!({"kind": "customers", "ids": [before["id"]], "change": {"organizationId": acme["id"]}});
    let change = member.post("/api/bulk", body).await.expect(202);
    assert_eq!(company(&member, &one).await, "Acme");
    member.post(&format!("/api/bulk/{}/undo", change["id"].as_str().unwrap()), json!({})).await.expect(202);
    let after = member.get(&one).await.expect(200);
    assert_eq!((&after["details"], after.get("organizationId")), (&before["details"], None));
}
