//! The installation API over HTTP.

use serde_json::{Value, json};

use crate::{
    kernel::i18n,
    people::{members::Company, permission::Role},
    store::{Actor, TenantWrite},
    testing::TestApp,
};

async fn version_at(app: &TestApp, host: &str) -> Value {
    app.anonymous("GET", &format!("http://{host}/api/global/version"), None).await.expect(200)
}

#[tokio::test]
async fn version_shows_the_tenant_of_the_host() {
    let app = TestApp::new().await;
    let tenant = app.acme.id;
    let listed = move |tx: &TenantWrite<'_>| {
        tx.update::<Company>(Company::id(tenant), None, |company| {
            company.domains = vec!["work.acme.example".to_owned()];
            company.color_scheme = "teal".to_owned();
            company.support_link = Some("https://help.acme.example/".to_owned());
            Ok(())
        })
    };
    let company = app.app.store().write(tenant, Actor::Operator, listed).await.unwrap().0;
    let version = version_at(&app, "work.acme.example").await;
    assert_eq!(
        version["company"],
        json!({"id": company.id.to_string(), "name": "Acme Ltd", "logotipo_dark": null, "logotipo_light": null,
            "color_scheme": "teal", "layout": "modern", "support_link": "https://help.acme.example/"})
    );
    assert_eq!((&version["signup"], &version["locales"]), (&json!("first"), &json!(["en", "en-GB", "es"])));
    assert_eq!(version["front_version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(version["server_version"], env!("CARGO_PKG_VERSION"));
}

#[tokio::test]
async fn sign_in_options_depend_on_the_host() {
    let app = TestApp::with(|config| {
        config.public_url = Some("https://atrium.example".parse().unwrap());
        config.sign_in.issuers = vec!["https://id.example".to_owned()];
    })
    .await;
    let owner = app.acme(Role::Owner).await;
    let chosen = json!({"issuer": "https://id.example", "clientId": "a", "clientSecret": "s3cret", "name": "Acme ID"});
    owner.send_with("PUT", "/api/settings/single-sign-on", Some(chosen), &[]).await.expect(200);
    for (host, passkeys, provider) in [
        ("acme.example", true, json!({"name": "Acme ID", "company": "acme"})),
        ("other.example", true, Value::Null),
        ("atrium.example", true, Value::Null),
        ("10.0.0.1", false, Value::Null),
    ] {
        let door = &version_at(&app, host).await["sign_in"];
        assert_eq!((&door["passkeys"], &door["single_sign_on"]), (&json!(passkeys), &provider), "{host}");
    }
}

#[tokio::test]
async fn unknown_host_shows_the_installation() {
    let app = TestApp::new().await;
    let version = version_at(&app, "elsewhere.example").await;
    assert_eq!(
        version["company"],
        json!({"name": "Atrium", "logotipo_dark": null, "logotipo_light": null, "color_scheme": "default", "layout": "modern", "support_link": null})
    );
}

#[tokio::test]
async fn signed_in_member_sees_the_own_tenant_at_any_host() {
    let app = TestApp::new().await;
    let member = app.acme(Role::Viewer).await;
    let version =
        member.send_with("GET", "/api/global/version", None, &[("host", "elsewhere.example")]).await.expect(200);
    assert_eq!((&version["company"]["name"], &version["company"]["id"].is_string()), (&json!("Acme Ltd"), &true));
}

#[tokio::test]
async fn language_added_by_the_operator_works_like_a_built_in_one() {
    i18n::add("fr", r#"{"errors": {"not_found": "Nous n’avons pas trouvé cela."}}"#);
    let app = TestApp::new().await;
    assert_eq!(version_at(&app, "acme.example").await["locales"], json!(["en", "en-GB", "es", "fr"]));
    let file = app.anonymous("GET", "/i18n/fr.json", None).await.expect(200);
    assert_eq!(file["errors"]["not_found"], "Nous n’avons pas trouvé cela.");

    let member = app.acme(Role::Viewer).await;
    member.patch("/api/common/user", json!({"locale": "it"})).await.refused("invalid");
    let user = member.patch("/api/common/user", json!({"locale": "fr"})).await.expect(200);
    assert_eq!(user["locale"], "fr");
    let read = |path: &'static str| {
        let member = member.clone();
        async move { member.send_with("GET", path, None, &[("accept-language", "fr, es;q=0.5")]).await.body }
    };
    assert_eq!(read("/api/nothing").await["error"]["message"], "Nous n’avons pas trouvé cela.");
    // Texts that the language lacks appear in English.
    let refused = read("/api/settings/company").await;
    assert_eq!(refused["error"]["message"], i18n::say(i18n::Locale::EN, "errors.forbidden", &[]));
}
