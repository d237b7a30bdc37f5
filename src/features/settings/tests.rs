//! The settings API over HTTP.

use serde_json::{Value, json};

use crate::{
    features::{files::FileRecord, operator},
    kernel::Code,
    people::{
        members::{Company, CompanyState},
        permission::Role,
    },
    store::{Actor, TenantWrite},
    testing::{As, PASSWORD, TestApp, wait_for},
};

const PATH: &str = "/api/settings/company";

#[tokio::test]
async fn admin_changes_the_tenant_settings() {
    let app = TestApp::new().await;
    let admin = app.acme(Role::Admin).await;
    let before = admin.get(PATH).await;
    assert_eq!(before.tagged_version(), 1);
    let before = before.expect(200);
    assert_eq!((before["name"].as_str(), before["slug"].as_str()), (Some("Acme Ltd"), Some("acme")));
    assert!(before["logotipo_dark"].is_null() && before.get("logotipo_dark").is_some(), "null and not absent");

    let file = FileRecord {
        media: "0".repeat(32),
        name: "logo.png".into(),
        size: 1,
        kind: "image/png".into(),
        width: None,
        height: None,
        digest: None,
        doomed: false,
    };
    let logo = file.url();
    app.app.store().write(app.acme.id, Actor::Member(admin.id), move |tx| tx.create(file)).await.unwrap();
    let patch = json!({
        "name": " Acme & Daughters ", "color_scheme": "rose", "layout": "classy", "locale": "es",
        "timezone": "Europe/Madrid", "domains": ["ACME.example", "acme.example"],
        "logotipo_dark": logo,
    });
    let nowhere = json!({"logotipo_dark": format!("/media/{}", "1".repeat(32))});
    admin.patch(PATH, nowhere).await.refused("invalid");
    let after = admin.send_with("PATCH", PATH, Some(patch), &[("if-match", "\"1\"")]).await;
    assert_eq!(after.tagged_version(), 2);
    let after = after.expect(200);
    assert_eq!(after["name"], "Acme & Daughters");
    assert_eq!(after["domains"], json!(["acme.example"]));
    assert_eq!(after["logotipo_dark"], logo);
    let cleared = admin.patch(PATH, json!({"logotipo_dark": null})).await.expect(200);
    assert!(cleared["logotipo_dark"].is_null());
    assert_eq!(cleared["color_scheme"], "rose", "what is absent stays");
}

#[tokio::test]
async fn regions_follow_the_member_the_company_and_the_language() {
    let app = TestApp::new().await;
    let admin = app.acme(Role::Admin).await;
    let region = async |member: &As| member.get("/api/common/user").await.expect(200)["region"].clone();
    let american = json!({"dateFormat": "mdy", "timeFormat": "12h", "firstDay": "sunday", "phoneCountry": "US", "currency": "USD"});
    assert_eq!(region(&admin).await, american);

    // The company's choices are those of all members.
    let british = json!({"dateFormat": "dmy", "firstDay": "monday", "phoneCountry": "GB", "currency": "GBP"});
    let saved = admin.patch("/api/settings/company", json!({"region": british})).await.expect(200);
    let expected = json!({"dateFormat": "dmy", "timeFormat": "12h", "firstDay": "monday", "phoneCountry": "GB", "currency": "GBP"});
    assert_eq!(saved["region"], expected);
    let member = app.acme(Role::Member).await;
    assert_eq!(region(&member).await, expected);

    // Dates and times that are not chosen follow the member's language; the rest is the company's.
    let spanish = member.patch("/api/common/user", json!({"locale": "es"})).await.expect(200);
    assert_eq!((&spanish["region"]["timeFormat"], &spanish["region"]["currency"]), (&json!("24h"), &json!("GBP")));

    // A member's own choice wins, and can be withdrawn.
    let own = member
        .patch("/api/common/user", json!({"region": {"firstDay": "saturday", "timeFormat": "12h"}}))
        .await
        .expect(200);
    assert_eq!((&own["region"]["firstDay"], &own["region"]["timeFormat"]), (&json!("saturday"), &json!("12h")));
    assert_eq!(own["ownRegion"]["firstDay"], "saturday");
    let withdrawn = member.patch("/api/common/user", json!({"region": {"firstDay": null}})).await.expect(200);
    assert_eq!(withdrawn["region"]["firstDay"], "monday");
    assert_eq!(
        (&withdrawn["ownRegion"]["firstDay"], &withdrawn["ownRegion"]["timeFormat"]),
        (&Value::Null, &json!("12h"))
    );

    let wrong = json!({"region": {"phoneCountry": "UK", "currency": "euro"}});
    for (caller, path) in [(&admin, "/api/settings/company"), (&member, "/api/common/user")] {
        let refused = caller.patch(path, wrong.clone()).await.expect(422);
        let fields: Vec<&String> = refused["error"]["fields"].as_object().unwrap().keys().collect();
        assert_eq!(fields, ["region.currency", "region.phoneCountry"], "{path}");
    }
}

/// How dates and weeks are shown follows the reader, what is proposed for customers follows the company (F-M4): the first
/// day of the week once followed the company even where only its language decided.
#[tokio::test]
async fn weeks_follow_the_language_of_the_reader_and_phone_numbers_the_company() {
    let app = TestApp::new().await;
    let admin = app.acme(Role::Admin).await;
    let member = app.acme(Role::Member).await;
    let language = async |who: &As, locale: &str| {
        let user = who.patch("/api/common/user", json!({"locale": locale})).await.expect(200);
        ["dateFormat", "timeFormat", "firstDay", "phoneCountry", "currency"]
            .map(|name| user["region"][name].as_str().unwrap().to_owned())
            .join(" ")
    };
    assert_eq!(language(&member, "es").await, "dmy 24h monday US USD");
    assert_eq!(language(&member, "en-GB").await, "dmy 24h monday US USD");
    assert_eq!(language(&member, "en").await, "mdy 12h sunday US USD");

    // What the company has chosen is for everyone, also when it is usual in its language.
    let chosen = json!({"region": {"firstDay": "sunday"}});
    admin.patch("/api/settings/company", chosen).await.expect(200);
    assert_eq!(language(&member, "es").await, "dmy 24h sunday US USD");
    let own = json!({"region": {"firstDay": "saturday"}});
    member.patch("/api/common/user", own).await.expect(200);
    assert_eq!(language(&member, "es").await, "dmy 24h saturday US USD");

    // A member who reads English in a Spanish company.
    admin.patch("/api/settings/company", json!({"locale": "es", "region": {"firstDay": null}})).await.expect(200);
    member.patch("/api/common/user", json!({"region": {"firstDay": null}})).await.expect(200);
    assert_eq!(language(&member, "en").await, "mdy 12h sunday ES EUR");
    let typed = json!({"phoneNumbers": [{"phoneNumber": "600 555 012"}]});
    let made = member.post("/api/customers", json!({"name": "Ana", "details": typed})).await.expect(201);
    assert_eq!(made["details"]["phoneNumbers"][0]["e164"], "+34600555012", "{made}");
}

#[tokio::test]
async fn rejects_invalid_settings_naming_each_field() {
    let app = TestApp::new().await;
    let admin = app.acme(Role::Admin).await;
    let bad = json!({
        "name": " ", "color_scheme": "pinkish", "layout": "wide", "locale": "xx", "timezone": "Mars/Olympus",
        "domains": ["acme.example", "not a host"], "logotipo_light": "https://elsewhere.example/logo.png",
    });
    let answer = admin.patch(PATH, bad).await;
    answer.refused("invalid");
    let fields = answer.body["error"]["fields"].as_object().unwrap();
    let names: Vec<&str> = fields.keys().map(String::as_str).collect();
    assert_eq!(names, ["color_scheme", "domains.1", "layout", "locale", "logotipo_light", "name", "timezone"]);
    assert!(fields.values().all(|sentence| !sentence.as_str().unwrap().starts_with("errors.")), "{fields:?}");
    let stale = admin.send_with("PATCH", PATH, Some(json!({"name": "X"})), &[("if-match", "\"9\"")]).await;
    stale.refused("stale_version");
    let taken = admin.patch(PATH, json!({"slug": "other"})).await;
    taken.refused("conflict");
    assert!(taken.body["error"]["fields"]["slug"].is_string());
    assert_eq!(admin.patch(PATH, json!({"slug": "acme-two"})).await.expect(200)["slug"], "acme-two");
}

#[tokio::test]
async fn support_link_accepts_only_safe_urls_and_can_be_cleared() {
    let app = TestApp::new().await;
    let admin = app.acme(Role::Admin).await;
    let before = admin.get(PATH).await.expect(200);
    assert!(before["supportLink"].is_null() && before.get("supportLink").is_some(), "null and not absent");
    for good in ["/docs/guides/team/roles", "https://help.acme.example/", "mailto:help@acme.example"] {
        assert_eq!(admin.patch(PATH, json!({"supportLink": good})).await.expect(200)["supportLink"], good);
        assert_eq!(admin.get("/api/global/version").await.expect(200)["company"]["support_link"], good);
    }
    for bad in
        ["javascript:alert(1)", "//evil.example", "https:evil", "data:text/html,x", "help", "tel:112", "", "/a b"]
    {
        let answer = admin.patch(PATH, json!({"supportLink": bad})).await;
        answer.refused("invalid");
        assert!(answer.body["error"]["fields"]["supportLink"].is_string(), "{bad:?}");
    }
    let cleared = admin.patch(PATH, json!({"supportLink": null})).await.expect(200);
    assert!(cleared["supportLink"].is_null());
}

#[tokio::test]
async fn settings_require_the_admin_role() {
    let app = TestApp::new().await;
    for role in [Role::Viewer, Role::Member] {
        let caller = app.acme(role).await;
        caller.get(PATH).await.refused("forbidden");
        caller.patch(PATH, json!({"name": "Mine"})).await.refused("forbidden");
    }
    app.anonymous("GET", PATH, None).await.refused("not_signed_in");
    app.acme(Role::Owner).await.patch(PATH, json!({"name": "Ours"})).await.expect(200);
    assert_eq!(app.other(Role::Admin).await.get(PATH).await.expect(200)["name"], "Other Ltd");
}

#[tokio::test]
async fn sign_in_rules_are_saved_and_limited() {
    let app = TestApp::new().await;
    let admin = app.acme(Role::Admin).await;
    let before = admin.get(PATH).await.expect(200);
    assert_eq!(before["idleMinutes"], 30);
    assert_eq!(before["secondFactor"], json!({"required": false, "graceDays": 7}));
    assert_eq!(before["joining"], json!({"enabled": false, "domains": [], "role": "member"}));

    let rules = json!({
        "idleMinutes": 0, "secondFactor": {"required": true, "graceDays": 3},
        "joining": {"enabled": true, "domains": ["ACME.example", "bücher.example"], "role": "viewer"},
    });
    let after = admin.patch(PATH, rules).await.expect(200);
    let since = after["secondFactor"]["since"].as_str().unwrap().to_owned();
    assert_eq!((after["idleMinutes"].as_u64(), after["secondFactor"]["graceDays"].as_u64()), (Some(0), Some(3)));
    assert_eq!(after["joining"]["domains"], json!(["acme.example", "xn--bcher-kva.example"]));
    app.clock.advance(60_000);
    let longer = admin.patch(PATH, json!({"secondFactor": {"required": true, "graceDays": 9}})).await.expect(200);
    assert_eq!(longer["secondFactor"]["since"], since.as_str(), "asking again does not give more time");
    let off = admin.patch(PATH, json!({"secondFactor": {"required": false}})).await.expect(200);
    assert!(off["secondFactor"].get("since").is_none());

    for (patch, field) in [
        (json!({"idleMinutes": 1441}), "idleMinutes"),
        (json!({"secondFactor": {"graceDays": 91}}), "secondFactor.graceDays"),
        (json!({"joining": {"domains": []}}), "joining.domains"),
        (json!({"joining": {"domains": ["a b"]}}), "joining.domains.0"),
        (json!({"joining": {"role": "admin"}}), "joining.role"),
        (json!({"slug": "Not a label"}), "slug"),
    ] {
        let answer = admin.patch(PATH, patch).await;
        answer.refused("invalid");
        assert!(answer.body["error"]["fields"][field].is_string(), "{field}: {}", answer.body);
    }
}

fn give(to: &As) -> Value {
    json!({"memberId": to.id, "password": PASSWORD})
}
const GIVE: &str = "/api/settings/company/hand-over";
const CLOSE: &str = "/api/settings/company/close";

#[tokio::test]
async fn owner_transfers_the_tenant_with_the_password() {
    let app = TestApp::new().await;
    let (owner, admin, viewer) =
        (app.acme(Role::Owner).await, app.acme(Role::Admin).await, app.acme(Role::Viewer).await);
    admin.post(GIVE, give(&viewer)).await.refused("forbidden");
    let wrong = owner.post(GIVE, json!({"memberId": viewer.id, "password": "not the password"})).await;
    wrong.refused("invalid_credentials");
    assert!(wrong.body["error"]["fields"]["password"].is_string());
    let stranger = app.other(Role::Member).await;
    for nobody in [&owner, &stranger] {
        let answer = owner.post(GIVE, give(nobody)).await;
        answer.refused("invalid");
        assert!(answer.body["error"]["fields"]["memberId"].is_string());
    }
    admin.patch(&format!("/api/team/{}", viewer.id), json!({"state": "suspended"})).await.expect(200);
    owner.post(GIVE, give(&viewer)).await.refused("invalid");
    owner.post(GIVE, give(&admin)).await.expect(204);

    assert_eq!(owner.get("/api/common/user").await.expect(200)["role"], "admin");
    assert_eq!(admin.get("/api/common/user").await.expect(200)["role"], "owner");
    let notified = admin.get("/api/common/notifications").await.expect(200);
    assert_eq!(notified[0]["title"], "owner of acme transferred the company to you");
    let entry = &admin.get("/api/audit?event=company.handed_over").await.expect(200)["items"][0];
    assert_eq!((&entry["actor"]["id"], &entry["about"]["id"]), (&json!(owner.id), &json!(admin.id)));
    owner.post(GIVE, give(&admin)).await.refused("forbidden");
}

#[tokio::test]
async fn concurrent_transfers_of_a_tenant_succeed_once() {
    let app = TestApp::new().await;
    let (owner, admin, member) =
        (app.acme(Role::Owner).await, app.acme(Role::Admin).await, app.acme(Role::Member).await);
    let (first, second) = tokio::join!(owner.post(GIVE, give(&admin)), owner.post(GIVE, give(&member)));
    let mut answers = [first.status, second.status];
    answers.sort_unstable();
    assert_eq!(answers, [204, 403]);
    let people = admin.get("/api/team?role=owner").await.expect(200);
    assert_eq!(people["total"], 1, "{people}");
}

#[tokio::test]
async fn two_owners_demoting_each_other_at_once_leave_one() {
    let app = TestApp::new().await;
    let owner = app.acme(Role::Owner).await;
    let admin = app.acme(Role::Admin).await;
    owner.patch(&format!("/api/team/{}", admin.id), json!({"role": "owner"})).await.expect(200);
    let of_owner = format!("/api/team/{}", owner.id);
    let of_admin = format!("/api/team/{}", admin.id);
    let lower = json!({"role": "member"});
    let (a, b) = tokio::join!(owner.patch(&of_admin, lower.clone()), admin.patch(&of_owner, lower));
    let mut answers = [a.status, b.status];
    answers.sort_unstable();
    assert_eq!(answers, [200, 403], "who is no owner any more touches none");
}

#[tokio::test]
async fn closing_a_tenant_ends_all_access_at_once() {
    let app = TestApp::new().await;
    let (owner, admin, member) =
        (app.acme(Role::Owner).await, app.acme(Role::Admin).await, app.acme(Role::Member).await);
    admin.post(CLOSE, json!({"slug": "acme", "password": PASSWORD})).await.refused("forbidden");
    owner.post(CLOSE, json!({"slug": "acme", "password": "not the password"})).await.refused("invalid_credentials");
    let other = owner.post(CLOSE, json!({"slug": "other", "password": PASSWORD})).await;
    other.refused("invalid");
    assert!(other.body["error"]["fields"]["slug"].is_string());
    member.get("/api/common/user").await.expect(200);

    let closed = owner.post(CLOSE, json!({"slug": "acme", "password": PASSWORD})).await.expect(200);
    assert_eq!(closed["erasedAt"], "2026-12-21T09:30:00.000Z", "30 days from now");
    for caller in [&owner, &admin, &member] {
        caller.get("/api/common/user").await.refused("not_signed_in");
    }
    let form = json!({"email": "owner@acme.example", "password": PASSWORD});
    app.anonymous("POST", "/api/auth/sign-in", Some(form)).await.refused("invalid_credentials");
    app.other(Role::Owner).await.get("/api/common/user").await.expect(200);

    // After reopening, old tokens stay invalid.
    let open = |tx: &TenantWrite<'_>| {
        tx.update::<Company>(Company::id(tx.tenant()), None, |company| {
            (company.state, company.closed_at) = (CompanyState::Active, None);
            Ok(())
        })
    };
    app.app.store().write(app.acme.id, Actor::Operator, open).await.unwrap();
    for caller in [&owner, &admin, &member] {
        caller.get("/api/common/user").await.refused("not_signed_in");
    }
    let entry = &app.acme(Role::Owner).await.get("/api/audit?event=company.closed").await.expect(200)["items"][0];
    assert_eq!(entry["actor"]["id"], json!(owner.id));
}

#[tokio::test]
async fn limits_password_guesses_in_an_open_session() {
    let app = TestApp::new().await;
    let owner = app.acme(Role::Owner).await;
    let mut answers = Vec::new();
    for _ in 0..7 {
        answers.push(owner.post(CLOSE, json!({"slug": "acme", "password": "not the password"})).await.status);
    }
    assert_eq!(answers, [400, 400, 400, 400, 400, 429, 429]);
}

#[tokio::test]
async fn rejects_new_host_names_and_reserved_slugs() {
    let app = TestApp::with(|config| config.base_domain = Some("atrium.example".to_owned())).await;
    let admin = app.acme(Role::Admin).await;
    for name in ["other.atrium.example", "localhost", "atrium.example", "other.example", "free.example"] {
        let answer = admin.patch(PATH, json!({"domains": ["acme.example", name]})).await;
        answer.refused("invalid");
        assert!(answer.body["error"]["fields"]["domains.1"].is_string(), "{name}: {}", answer.body);
    }
    for slug in ["www", "mail", "api", "admin", "autodiscover"] {
        let answer = admin.patch(PATH, json!({"slug": slug})).await;
        answer.refused("invalid");
        assert!(answer.body["error"]["fields"]["slug"].is_string(), "{slug}: {}", answer.body);
    }
    admin.patch(PATH, json!({"domains": []})).await.expect(200);
}

#[tokio::test]
async fn hosts_of_the_installation_select_no_tenant() {
    let app = TestApp::with(|config| {
        config.base_domain = Some("atrium.example".to_owned());
        config.public_url = Some("https://in.example:8443".parse().unwrap());
        config.socket_origins = vec!["https://intranet.example".to_owned()];
    })
    .await;
    let own = ["in.example", "localhost", "intranet.example", "atrium.example"];
    let listed: Vec<String> =
        own.into_iter().chain(["other.atrium.example", "mine.example"]).map(str::to_owned).collect();
    let work = move |tx: &TenantWrite<'_>| {
        let claim = |company: &mut Company| {
            company.domains = listed;
            Ok(())
        };
        tx.update(Company::id(tx.tenant()), None, claim).map(drop)
    };
    app.app.store().write(app.acme.id, Actor::Operator, work).await.unwrap();
    let at = |host: &str| app.app.auth().company_at(host).unwrap().map(|company| company.value.slug);
    for host in own {
        assert_eq!(at(host), None, "{host}");
        assert_eq!(at(&format!("{host}:8443")), None, "{host}");
    }
    assert_eq!(at("other.atrium.example").as_deref(), Some("other"), "a slug wins over a list");
    assert_eq!(at("mine.example").as_deref(), Some("acme"), "what was listed before stays");
    let ignored = operator::ignored_hosts(&app.app.store().snapshot().unwrap(), app.app.config());
    assert_eq!(ignored.into_iter().map(|(_, host)| host).collect::<Vec<_>>(), own);
    let new = ["free.example", "IN.example"].map(str::to_owned);
    let error = app.app.auth().refuse_own_hosts(&new).unwrap_err();
    assert_eq!((error.code(), error.fields()[0].0.as_str()), (Code::Invalid, "domains.1"));
}

#[tokio::test]
async fn admin_sees_what_concerns_the_company_in_the_condition_of_the_server() {
    let folder = tempfile::tempdir().unwrap();
    let app = TestApp::with(|config| {
        config.limits.files = 1_000;
        config.backup.folder = Some(folder.path().to_owned());
    });
    let app = app.await;
    let path = format!("{PATH}/health");
    let admin = app.acme(Role::Admin).await;
    // The index of a new installation is built in the background.
    let healthy = wait_for("a whole index", async || {
        let health = admin.get(&path).await.expect(200);
        (health["search"]["status"] == "ok").then_some(health)
    })
    .await;
    assert_eq!(healthy["changes"], json!({"status": "ok"}));
    assert_eq!(healthy["backups"], json!({"status": "ok", "scheduled": true}));
    assert_eq!(healthy["emails"], json!({"status": "warning", "configured": false, "waiting": 0, "late": 0}));
    assert_eq!(healthy["uploads"], json!({"status": "ok", "usedBytes": 0, "maxBytes": 1_000}));
    assert_eq!(healthy["damage"], json!({"status": "ok", "records": 0, "uploads": 0}));
    assert_eq!((&healthy["search"]["status"], &healthy["status"]), (&json!("ok"), &json!("warning")));
    app.acme(Role::Member).await.get(&path).await.refused("forbidden");

    // A damaged upload of one company concerns no other.
    let upload = admin.upload("notes.txt", "text/plain", &[b'x'; 950]).await.expect(201);
    let url = upload["url"].as_str().unwrap();
    let folder = app.app.config().data_dir.join("files").join(app.acme.id.to_string());
    std::fs::write(folder.join(url.trim_start_matches("/media/")), "damaged").unwrap();
    admin.get(url).await;
    let harmed = admin.get(&path).await.expect(200);
    assert_eq!(harmed["damage"], json!({"status": "failing", "records": 0, "uploads": 1}));
    assert_eq!(harmed["uploads"], json!({"status": "warning", "usedBytes": 950, "maxBytes": 1_000}));
    assert_eq!(harmed["status"], "failing");
    let other = app.other(Role::Admin).await.get(&path).await.expect(200);
    assert_eq!(other["damage"]["status"], "ok");
    assert_eq!(other["uploads"]["usedBytes"], 0);
}
