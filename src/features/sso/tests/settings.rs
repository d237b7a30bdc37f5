//! The single sign-on settings of a tenant.

use serde_json::json;

use super::{HERE, app, location};
use crate::{people::permission::Role, testing::TestApp};

const PATH: &str = "/api/settings/single-sign-on";
const ISSUER: &str = "http://127.0.0.1:9";

#[tokio::test]
async fn owner_chooses_a_provider_listed_by_the_operator() {
    let app = app(ISSUER).await;
    let owner = app.acme(Role::Owner).await;
    let none = json!({"issuers": [ISSUER], "redirectUri": format!("{HERE}/api/auth/oidc/callback")});
    assert_eq!(owner.get(PATH).await.expect(200), none);
    let good = json!({"issuer": ISSUER, "clientId": " a ", "clientSecret": "s3cret", "name": " Acme ID "});
    let set = |body| owner.send_with("PUT", PATH, Some(body), &[]);
    for (field, value) in [
        ("issuer", json!("https://evil.example")),
        ("clientId", json!(" ")),
        ("clientSecret", json!("")),
        ("name", json!("")),
        ("name", json!("x".repeat(61))),
        ("role", json!("admin")),
        ("domains", json!(["no domain"])),
        ("createMembers", json!(true)),
    ] {
        let mut body = good.clone();
        body[field] = value.clone();
        let got = set(body).await;
        got.refused("invalid");
        let fields = got.body["error"]["fields"].as_object().unwrap();
        let named = |name: &String| name.starts_with(field) || (field == "createMembers" && name == "domains");
        assert!(fields.len() == 1 && fields.keys().all(named), "{field} {value}: {}", got.body);
    }
    let kept = set(good.clone()).await.expect(200);
    assert_eq!(
        kept["provider"],
        json!({"issuer": ISSUER, "clientId": "a", "name": "Acme ID", "createMembers": false, "role": "member",
            "domains": [], "trustsSecondFactor": false})
    );
    assert!(!owner.get(PATH).await.expect(200).to_string().contains("s3cret"));
    let mut again = good.clone();
    again.as_object_mut().unwrap().remove("clientSecret");
    again["domains"] = json!(["ACME.example"]);
    assert_eq!(set(again.clone()).await.expect(200)["provider"]["domains"], json!(["acme.example"]));
    again["clientId"] = json!("another");
    set(again).await.refused("invalid");

    for role in [Role::Viewer, Role::Member, Role::Admin] {
        let caller = app.acme(role).await;
        caller.get(PATH).await.refused("forbidden");
        caller.send_with("PUT", PATH, Some(good.clone()), &[]).await.refused("forbidden");
        caller.delete(PATH).await.refused("forbidden");
    }
    owner.delete(PATH).await.expect(204);
    owner.delete(PATH).await.refused("not_found");
    assert_eq!(owner.get(PATH).await.expect(200), none);
}

#[tokio::test]
async fn single_sign_on_is_off_without_a_listed_provider_or_a_public_url() {
    for (issuers, public) in [(vec![], Some(HERE)), (vec![ISSUER.to_owned()], None)] {
        let app = TestApp::with(|config| {
            config.public_url = public.map(|url| url.parse().unwrap());
            config.sign_in.issuers = issuers.clone();
        })
        .await;
        let owner = app.acme(Role::Owner).await;
        let body = json!({"issuer": ISSUER, "clientId": "a", "clientSecret": "s", "name": "ID"});
        let set = owner.send_with("PUT", PATH, Some(body), &[]).await;
        assert_eq!(set.status, if issuers.is_empty() { 422 } else { 200 }, "{}", set.body);
        let got = app.anonymous("GET", "http://acme.example/api/auth/oidc/start", None).await;
        assert_eq!(location(&got), "/sign-in?error=not_found");
        let version = app.anonymous("GET", "http://acme.example/api/global/version", None).await.expect(200);
        assert_eq!(version["sign_in"]["single_sign_on"], json!(null));
    }
}

#[tokio::test]
async fn unreachable_provider_is_reported_as_busy() {
    let app = app(ISSUER).await;
    super::choose(&app, ISSUER, json!({})).await;
    let got = app.anonymous("GET", &format!("{HERE}/api/auth/oidc/start?company=acme"), None).await;
    assert_eq!(location(&got), "/sign-in?error=busy");
}
