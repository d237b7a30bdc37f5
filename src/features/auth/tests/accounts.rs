//! Creation of accounts in each possible way, and account recovery.

use serde_json::{Value, json};

use super::{cookie, look, refresh, sign_in};
use crate::{
    config::Signup,
    jobs::AppMailContext,
    kernel::TenantId,
    mail::{Email, MailContext as _},
    people::{
        members::{self, Company},
        permission::Role,
    },
    store::{Actor, Scan, TenantWrite},
    testing::{As, Got, PASSWORD, TestApp},
};

async fn post(app: &TestApp, path: &str, body: Value) -> Got {
    app.anonymous("POST", &format!("/api/auth/{path}"), Some(body)).await
}

fn form(email: &str) -> Value {
    json!({"company": "Ferretería Sol", "name": "Ana López", "email": email, "password": PASSWORD})
}

fn tenant(app: &TestApp, slug: &str) -> Option<TenantId> {
    members::tenant_by_slug(&app.app.store().snapshot().unwrap(), slug).ok()
}

/// Returns the sender of the e-mails to a member, and the name in the greeting of the first one.
fn mail_for(app: &TestApp, tenant: TenantId, to: &str) -> (String, String) {
    let snapshot = app.app.store().snapshot().unwrap();
    let tx = snapshot.tenant(tenant, None);
    let mails = tx.page::<Email>(&Scan::all(), |email| email.to == to).unwrap().items;
    let context = AppMailContext::new(app.app.store().entropy().clone(), app.app.config().installation.clone());
    (context.branding(&tx, mails[0].member).unwrap().name, mails[0].name.clone())
}

/// Allows people with an address of `acme.example` to join.
async fn open_doors(app: &TestApp) {
    let work = |tx: &TenantWrite<'_>| {
        tx.update(Company::id(tx.tenant()), None, |company: &mut Company| {
            company.joining.enabled = true;
            company.joining.domains = vec!["acme.example".to_owned()];
            Ok(())
        })
    };
    app.app.store().write(app.acme.id, Actor::Operator, work).await.unwrap();
}

async fn at_acme(app: &TestApp, path: &str, body: Value) -> Got {
    let host = [("host", "acme.example")];
    app.anonymous_with("POST", &format!("/api/auth/{path}"), Some(body), &host).await
}

#[tokio::test]
async fn open_sign_up_creates_a_tenant_owned_once_confirmed() {
    let app = TestApp::with(|config| config.signup = Signup::Open).await;
    let answer = post(&app, "sign-up", form("Ana@Sol.example")).await.expect(202);
    assert_eq!(answer, json!({"email": "ana@sol.example", "next": "confirm"}));
    app.app.auth().deferred_done().await;
    let sol = tenant(&app, "ferreteria-sol").unwrap();
    post(&app, "sign-in", json!({"email": "ana@sol.example", "password": PASSWORD}))
        .await
        .refused("invalid_credentials");

    // It is not known yet whose address it is: what was typed does not go there.
    assert_eq!(mail_for(&app, sol, "ana@sol.example"), ("Atrium".to_owned(), String::new()));
    let token = app.mailed(sol, "confirm", "ana@sol.example").await.unwrap();
    let link = post(&app, "link", json!({"token": token})).await.expect(200);
    let expected = json!({"purpose": "confirm", "email": "ana@sol.example", "name": "Ana López",
        "company": {"name": "Ferretería Sol"}});
    assert_eq!(link, expected);
    let signed = post(&app, "activate-account", json!({"token": token, "password": PASSWORD})).await;
    assert_eq!((signed.status, look(&app, &signed).await), (200, 200));
    assert_eq!(signed.body["user"]["role"], "owner");
    assert_eq!(mail_for(&app, sol, "ana@sol.example").0, "Ferretería Sol", "it is confirmed");
    assert_eq!(refresh(&app, &cookie(&signed)).await.status, 200);
    post(&app, "activate-account", json!({"token": token})).await.refused("link_invalid");
    assert_eq!(app.audit(sol).await, ["auth.signed_up", "auth.refused", "member.joined", "auth.signed_in"]);
    // A second tenant of that name gets another slug.
    post(&app, "sign-up", form("eva@sol.example")).await.expect(202);
    app.app.auth().deferred_done().await;
    assert!(tenant(&app, "ferreteria-sol-2").is_some());
}

#[tokio::test]
async fn new_company_has_the_region_of_the_browser() {
    let app = TestApp::with(|config| config.signup = Signup::Open).await;
    let body = |region: Value| {
        let mut body = form("ana@sol.example");
        body["locale"] = json!("es");
        body["region"] = region;
        body
    };
    let refused = post(&app, "sign-up", body(json!({"phoneCountry": "XX", "currency": "EUR"}))).await;
    refused.refused("invalid");
    assert!(refused.body["error"]["fields"]["region.phoneCountry"].is_string(), "{}", refused.body);
    let mexican = json!({"dateFormat": "dmy", "timeFormat": "12h", "firstDay": "sunday", "phoneCountry": "MX"});
    post(&app, "sign-up", body(mexican)).await.expect(202);
    app.app.auth().deferred_done().await;
    let sol = tenant(&app, "ferreteria-sol").unwrap();
    let company = Company::of(&app.app.store().snapshot().unwrap().tenant(sol, None)).unwrap();
    assert_eq!(company.region().to_string(), "dmy, 12h, sunday, MX, MXN");
    assert_eq!(company.region.date_format, None, "what is usual in Spanish is no choice");
}

#[tokio::test]
async fn repeated_sign_up_keeps_one_tenant_and_the_last_password() {
    let app = TestApp::with(|config| config.signup = Signup::Open).await;
    let mut first = form("ana@sol.example");
    first["password"] = json!("chosen by somebody else");
    post(&app, "sign-up", first).await.expect(202);
    app.app.auth().deferred_done().await;
    let sol = tenant(&app, "ferreteria-sol").unwrap();
    let theirs = app.mailed(sol, "confirm", "ana@sol.example").await.unwrap();
    post(&app, "sign-up", form("ana@sol.example")).await.expect(202);
    app.app.auth().deferred_done().await;
    assert!(tenant(&app, "ferreteria-sol-2").is_none());
    post(&app, "activate-account", json!({"token": theirs})).await.refused("link_invalid");
    post(&app, "resend-confirmation", json!({"email": "ana@sol.example"})).await.expect(202);
    let own = app.mailed(sol, "confirm", "ana@sol.example").await.unwrap();
    post(&app, "activate-account", json!({"token": own, "password": PASSWORD})).await.expect(200);
    post(&app, "sign-in", json!({"email": "ana@sol.example", "password": PASSWORD})).await.expect(200);
}

#[tokio::test]
async fn confirmation_needs_the_password_of_the_sign_up() {
    let app = TestApp::with(|config| config.signup = Signup::Open).await;
    let mut attacker = form("ana@sol.example");
    attacker["password"] = json!("chosen by somebody else");
    post(&app, "sign-up", attacker).await.expect(202);
    app.app.auth().deferred_done().await;
    let sol = tenant(&app, "ferreteria-sol").unwrap();
    let token = app.mailed(sol, "confirm", "ana@sol.example").await.unwrap();
    for body in [json!({"token": token}), json!({"token": token, "password": PASSWORD})] {
        let refused = post(&app, "activate-account", body).await;
        refused.refused("invalid_credentials");
        assert!(refused.body["error"]["fields"]["password"].is_string(), "{}", refused.body);
    }
    let stolen = json!({"email": "ana@sol.example", "password": "chosen by somebody else"});
    post(&app, "sign-in", stolen).await.refused("invalid_credentials");
    for _ in 0..2 {
        post(&app, "activate-account", json!({"token": token})).await.refused("invalid_credentials");
    }
    post(&app, "activate-account", json!({"token": token})).await.refused("slow_down");
}

#[tokio::test]
async fn first_sign_up_needs_the_printed_setup_token() {
    let app = TestApp::empty(|_| {}).await;
    let version = app.anonymous("GET", "/api/global/version", None).await.expect(200);
    assert_eq!(version["sign_in"]["sign_up"], "first");
    let token = app.app.auth().set_up().unwrap().unwrap();
    let mut body = form("ana@sol.example");
    for wrong in [Value::Null, json!(""), json!("0".repeat(64)), json!(token.to_uppercase().replace('A', "B"))] {
        body["token"] = wrong;
        post(&app, "sign-up", body.clone()).await.refused("link_invalid");
    }
    body["token"] = json!(token);
    body["password"] = json!("short");
    post(&app, "sign-up", body.clone()).await.refused("invalid");
    body["password"] = json!(PASSWORD);
    assert_eq!(post(&app, "sign-up", body.clone()).await.expect(202)["next"], "sign-in");
    let signed = post(&app, "sign-in", json!({"email": "ana@sol.example", "password": PASSWORD})).await;
    assert_eq!(signed.expect(200)["user"]["role"], "owner");
    post(&app, "sign-up", body).await.refused("forbidden");
    assert_eq!(app.app.auth().set_up().unwrap(), None);
}

#[tokio::test]
async fn rejects_sign_up_when_closed() {
    let app = TestApp::with(|config| config.signup = Signup::Closed).await;
    post(&app, "sign-up", form("ana@sol.example")).await.refused("forbidden");
    let app = TestApp::new().await;
    post(&app, "sign-up", form("ana@sol.example")).await.refused("forbidden");
}

#[tokio::test]
async fn sign_up_with_an_allowed_domain_joins_the_tenant() {
    let app = TestApp::with(|config| config.signup = Signup::Closed).await;
    let body = |email: &str| json!({"name": "Ben", "email": email, "password": PASSWORD, "locale": "es"});
    at_acme(&app, "sign-up", body("ben@acme.example")).await.refused("forbidden");
    open_doors(&app).await;
    let version = app.anonymous_with("GET", "/api/global/version", None, &[("host", "acme.example")]).await;
    assert_eq!(version.expect(200)["sign_in"]["sign_up"], "join");
    let strange = at_acme(&app, "sign-up", body("ben@evil-acme.example")).await;
    strange.refused("invalid");
    assert!(strange.body["error"]["fields"]["email"].is_string());
    at_acme(&app, "sign-up", body("ben@acme.example")).await.expect(202);
    let token = app.mailed(app.acme.id, "confirm", "ben@acme.example").await.unwrap();
    let own = json!({"token": token, "password": PASSWORD});
    let signed = at_acme(&app, "activate-account", own).await.expect(200);
    assert_eq!((&signed["user"]["role"], &signed["user"]["locale"]), (&json!("member"), &json!("es")));
    // The existing member gets an e-mail; the response reveals nothing.
    at_acme(&app, "sign-up", body("ben@acme.example")).await.expect(202);
    assert_eq!(app.emails(app.acme.id).await.last().unwrap().0, "already-member");
    post(&app, "sign-in", json!({"email": "ben@acme.example", "password": PASSWORD})).await.expect(200);
}

#[tokio::test]
async fn sign_up_with_an_invited_address_does_not_take_over_the_invitation() {
    let app = TestApp::new().await;
    open_doors(&app).await;
    let admin = app.acme(Role::Admin).await;
    admin.post("/api/team/invitations", json!({"emails": ["ben@acme.example"], "role": "admin"})).await.expect(200);
    let typed = "a password of somebody else's";
    at_acme(&app, "sign-up", json!({"name": "Mallory", "email": "ben@acme.example", "password": typed}))
        .await
        .expect(202);
    assert_eq!(app.mailed(app.acme.id, "confirm", "ben@acme.example").await, None);
    let token = app.mailed(app.acme.id, "invitation", "ben@acme.example").await.unwrap();
    let form = json!({"token": token, "name": "Ben", "password": PASSWORD});
    assert_eq!(post(&app, "activate-account", form).await.expect(200)["user"]["role"], "admin");
    let tried = post(&app, "sign-in", json!({"email": "ben@acme.example", "password": typed})).await;
    tried.refused("invalid_credentials");
    sign_in(&app, "ben@acme.example").await.expect(200);
}

#[tokio::test]
async fn invited_member_chooses_name_and_password() {
    let app = TestApp::new().await;
    let admin = app.acme(Role::Admin).await;
    admin.post("/api/team/invitations", json!({"emails": ["ben@acme.example"], "role": "member"})).await.expect(200);
    let token = app.mailed(app.acme.id, "invitation", "ben@acme.example").await.unwrap();
    assert_eq!(post(&app, "link", json!({"token": token})).await.expect(200)["purpose"], "invite");
    for (body, field) in [
        (json!({"token": token, "password": PASSWORD}), "name"),
        (json!({"token": token, "name": "Ben", "password": "short"}), "password"),
        (json!({"token": token, "name": "Ben"}), "password"),
    ] {
        let got = post(&app, "activate-account", body).await;
        got.refused("invalid");
        assert!(got.body["error"]["fields"][field].is_string(), "{}", got.body);
    }
    let signed = post(&app, "activate-account", json!({"token": token, "name": "Ben", "password": PASSWORD})).await;
    assert_eq!(signed.expect(200)["user"]["name"], "Ben");
    sign_in(&app, "ben@acme.example").await.expect(200);
    post(&app, "activate-account", json!({"token": token, "name": "B", "password": PASSWORD}))
        .await
        .refused("link_invalid");
}

#[tokio::test]
async fn password_reset_by_email_ends_all_sessions() {
    let app = TestApp::new().await;
    let signed = sign_in(&app, "member@acme.example").await;
    post(&app, "forgot-password", json!({"email": " Member@ACME.example "})).await.expect(202);
    let token = app.mailed(app.acme.id, "reset", "member@acme.example").await.unwrap();
    post(&app, "reset-password", json!({"token": token, "password": "password1234"})).await.refused("invalid");
    let fresh = "an entirely different one";
    post(&app, "reset-password", json!({"token": token, "password": fresh})).await.expect(204);
    assert_eq!(look(&app, &signed).await, 401);
    sign_in(&app, "member@acme.example").await.refused("invalid_credentials");
    post(&app, "sign-in", json!({"email": "member@acme.example", "password": fresh})).await.expect(200);
    let emails = app.emails(app.acme.id).await;
    assert!(emails.iter().any(|(kind, to)| kind == "password-changed" && to == "member@acme.example"), "{emails:?}");
    let audit = app.audit(app.acme.id).await;
    for event in ["password.requested", "password.reset"] {
        assert!(audit.iter().any(|noted| noted == event), "{event} is not in {audit:?}");
    }
}

#[tokio::test]
async fn administrators_pass_on_password_links_without_a_mail_server() {
    let app = TestApp::new().await;
    let admin = app.acme(Role::Admin).await;
    let owner = app.acme(Role::Owner).await;
    let member = app.acme(Role::Member).await;
    let path = |whose: &As| format!("/api/team/{}/password-link", whose.id);
    member.post(&path(&admin), json!({})).await.refused("forbidden");
    admin.post(&path(&owner), json!({})).await.refused("forbidden");
    app.other(Role::Owner).await.post(&path(&member), json!({})).await.refused("not_found");
    // The own password is changed with the old one, so that a session that was left open does not become an account.
    admin.post(&path(&admin), json!({})).await.refused("conflict");
    let link = admin.post(&path(&member), json!({})).await.expect(200);
    let token = link["link"].as_str().unwrap().strip_prefix("/reset-password#").unwrap().to_owned();
    member.get("/api/common/user").await.expect(200);
    let form = json!({"token": token, "password": "an entirely different one"});
    post(&app, "reset-password", form.clone()).await.expect(204);
    member.get("/api/common/user").await.refused("not_signed_in");
    post(&app, "reset-password", form).await.refused("link_invalid");
    let entry = &admin.get("/api/audit?event=password.link_created").await.expect(200)["items"][0];
    assert_eq!((&entry["actor"]["id"], &entry["about"]["id"]), (&json!(admin.id), &json!(member.id)));

    admin.patch(&format!("/api/team/{}", member.id), json!({"state": "suspended"})).await.expect(200);
    admin.post(&path(&member), json!({})).await.refused("conflict");
}

#[tokio::test]
async fn administrators_get_no_password_links_with_a_mail_server() {
    let app = TestApp::with(|config| config.mail.host = Some("smtp.acme.example".into())).await;
    let admin = app.acme(Role::Admin).await;
    let member = app.acme(Role::Member).await;
    admin.post(&format!("/api/team/{}/password-link", member.id), json!({})).await.refused("conflict");
}

#[tokio::test]
async fn email_change_needs_its_link_opened_in_the_members_session() {
    let app = TestApp::new().await;
    let signed = sign_in(&app, "member@acme.example").await;
    let bearer = format!("Bearer {}", signed.body["accessToken"].as_str().unwrap());
    let headers = [("authorization", bearer.as_str())];
    let count_request = async |body| app.anonymous_with("POST", "/api/common/user/email", Some(body), &headers).await;
    count_request(json!({"email": "new@acme.example", "password": "not mine"})).await.refused("invalid_credentials");
    count_request(json!({"email": "admin@acme.example", "password": PASSWORD})).await.refused("conflict");
    count_request(json!({"email": "nonsense", "password": PASSWORD})).await.refused("invalid");
    count_request(json!({"email": "New@acme.example", "password": PASSWORD})).await.expect(202);
    let token = app.mailed(app.acme.id, "email-change", "new@acme.example").await.unwrap();
    // The address may be a stranger's (F-S11).
    let snapshot = app.app.store().snapshot().unwrap();
    let mails = snapshot.tenant(app.acme.id, None).page::<Email>(&Scan::all().limit(100), |_| true).unwrap();
    let names: Vec<&str> =
        mails.items.iter().filter(|mail| mail.to == "new@acme.example").map(|mail| mail.name.as_str()).collect();
    assert_eq!(names, [""]);
    // Opening the link without the member's session is refused: the address may be a typing error.
    post(&app, "activate-account", json!({"token": token})).await.refused("forbidden");
    let other = sign_in(&app, "admin@acme.example").await;
    let theirs = [("cookie", cookie(&other))];
    let theirs: Vec<(&str, &str)> = theirs.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let body = Some(json!({"token": token}));
    app.anonymous_with("POST", "/api/auth/activate-account", body.clone(), &theirs).await.refused("forbidden");
    let shown = cookie(&signed);
    let own = app.anonymous_with("POST", "/api/auth/activate-account", body, &[("cookie", &shown)]).await.expect(200);
    assert_eq!(own["user"]["email"], "new@acme.example");
    sign_in(&app, "new@acme.example").await.expect(200);
    sign_in(&app, "member@acme.example").await.refused("invalid_credentials");
    let emails = app.emails(app.acme.id).await;
    assert!(emails.contains(&("email-changed".to_owned(), "member@acme.example".to_owned())), "{emails:?}");
}

/// E-mails to strangers without a limit: an address has many spellings, so the member is limited, too.
#[tokio::test]
async fn member_requests_few_email_changes_an_hour() {
    let app = TestApp::new().await;
    let ask = async |member: &As, to: &str| {
        member.post("/api/common/user/email", json!({"email": to, "password": PASSWORD})).await
    };
    let member = app.acme(Role::Member).await;
    for n in 0..5 {
        ask(&member, &format!("victim+{n}@elsewhere.example")).await.expect(202);
    }
    ask(&member, "victim+5@elsewhere.example").await.refused("slow_down");
    ask(&app.acme(Role::Viewer).await, "victim+6@elsewhere.example").await.expect(202);
    app.clock.advance(3_600_000);
    ask(&app.acme(Role::Member).await, "victim+7@elsewhere.example").await.expect(202);
}

/// F-S7: a refused link left the browser with a token that counted as stolen a minute later.
#[tokio::test]
async fn rejected_link_does_not_change_the_session() {
    let app = TestApp::new().await;
    let signed = sign_in(&app, "member@acme.example").await;
    let bearer = format!("Bearer {}", signed.body["accessToken"].as_str().unwrap());
    let body = json!({"email": "new@acme.example", "password": PASSWORD});
    let path = "/api/common/user/email";
    app.anonymous_with("POST", path, Some(body), &[("authorization", &bearer)]).await.expect(202);
    let token = app.mailed(app.acme.id, "email-change", "new@acme.example").await.unwrap();
    let open = async |cookie: &str| {
        let body = Some(json!({"token": token}));
        app.anonymous_with("POST", "/api/auth/activate-account", body, &[("cookie", cookie)]).await
    };
    // Another member opens the link in their browser.
    let other = sign_in(&app, "viewer@acme.example").await;
    open(&cookie(&other)).await.refused("forbidden");
    // Another member has taken the address when the link is opened.
    let admin = app.acme(Role::Admin).await;
    let newcomer = json!({"name": "New", "email": "new@acme.example", "role": "viewer", "password": PASSWORD});
    admin.post("/api/team", newcomer).await.expect(201);
    let refused = open(&cookie(&signed)).await;
    refused.refused("conflict");
    assert!(refused.headers.get("set-cookie").is_none());
    for browser in [&other, &signed] {
        app.clock.advance(61_000);
        let next = refresh(&app, &cookie(browser)).await;
        assert_eq!((next.status, look(&app, &next).await), (200, 200));
    }
    assert!(!app.audit(app.acme.id).await.contains(&"session.theft".to_owned()));
}

#[tokio::test]
async fn password_change_needs_the_old_password_and_ends_other_sessions() {
    let app = TestApp::new().await;
    let other = sign_in(&app, "member@acme.example").await;
    let here = app.acme(Role::Member).await;
    let body = |old: &str, new: &str| json!({"currentPassword": old, "newPassword": new});
    let change = async |body| here.post("/api/common/user/password", body).await;
    let wrong = change(body("not mine", "another horse battery")).await;
    wrong.refused("invalid_credentials");
    assert!(wrong.body["error"]["fields"]["currentPassword"].is_string(), "{}", wrong.body);
    let weak = change(body(PASSWORD, "short")).await;
    assert!(weak.body["error"]["fields"]["newPassword"].is_string(), "{}", weak.body);
    change(body(PASSWORD, "another horse battery")).await.expect(204);
    here.get("/api/common/user").await.expect(200);
    assert_eq!(look(&app, &other).await, 401);
    refresh(&app, &cookie(&other)).await.refused("not_signed_in");
    sign_in(&app, "member@acme.example").await.refused("invalid_credentials");
    assert!(app.emails(app.acme.id).await.contains(&("password-changed".to_owned(), "member@acme.example".to_owned())));
}
