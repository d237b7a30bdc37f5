//! Single sign-on over HTTP, with a misbehaving test provider and a real one.

mod journey;
mod lies;
mod no_password;
mod provider;
mod real;
mod settings;

use std::collections::BTreeMap;

use serde_json::{Value, json};

use self::provider::{Manner, Provider};
use crate::{
    people::permission::Role,
    testing::{Got, TestApp},
};

/// The public address in these tests.
pub const HERE: &str = "https://acme.example";

/// An installation whose tenant acme signs in with a provider.
pub struct Stage {
    pub app: TestApp,
    pub provider: Provider,
}

impl Stage {
    pub async fn new() -> Self {
        let provider = Provider::start();
        let app = app(&provider.issuer).await;
        choose(&app, &provider.issuer, json!({})).await;
        Self { app, provider }
    }

    /// Returns valid claims for an address.
    pub fn claims(&self, way: &Way, email: &str) -> Value {
        let now = self.app.clock.now().seconds();
        json!({
            "iss": self.provider.issuer, "aud": "atrium-acme", "sub": email.to_lowercase(), "exp": now + 60, "iat": now,
            "nonce": way.query["nonce"], "email": email, "email_verified": true, "name": "Nova Newcomer",
        })
    }

    /// Returns the callback's response when the provider behaves like `manner`.
    pub async fn back_with(&self, way: &Way, manner: Manner) -> Got {
        let challenge = way.query["code_challenge"].clone();
        *self.provider.manner.lock().unwrap() = Manner { challenge, code: "c0de".to_owned(), ..manner };
        way.back(&self.app, &format!("code=c0de&state={}", way.query["state"])).await
    }

    /// Returns the callback's response when the provider confirms this address.
    pub async fn vouched(&self, email: &str) -> Got {
        let way = Way::out(&self.app, "").await;
        let manner = Manner { claims: self.claims(&way, email), ..Manner::default() };
        self.back_with(&way, manner).await
    }
}

/// Returns an installation that allows a provider.
pub async fn app(issuer: &str) -> TestApp {
    let issuers = vec![issuer.to_owned()];
    TestApp::with(|config| {
        config.public_url = Some(HERE.parse().unwrap());
        config.sign_in.issuers = issuers;
    })
    .await
}

/// Sets the provider of acme.
pub async fn choose(app: &TestApp, issuer: &str, further: Value) {
    let mut body = json!({"issuer": issuer, "clientId": "atrium-acme", "clientSecret": "s3cret", "name": "Acme ID"});
    body.as_object_mut().unwrap().extend(further.as_object().unwrap().clone());
    app.acme(Role::Owner).await.send_with("PUT", "/api/settings/single-sign-on", Some(body), &[]).await.expect(200);
}

/// A browser that was redirected to the provider.
pub struct Way {
    pub location: String,
    pub query: BTreeMap<String, String>,
    pub cookie: String,
}

impl Way {
    pub async fn out(app: &TestApp, query: &str) -> Self {
        // The public address belongs to no tenant: its sign-in page names the tenant in the query.
        let company = if query.contains("company=") { "" } else { "company=acme&" };
        let path = format!("{HERE}/api/auth/oidc/start?{company}{query}");
        let got = app.anonymous_with("GET", &path, None, &[("host", "acme.example")]).await;
        assert_eq!(got.status, 303, "{}", got.body);
        let location = location(&got);
        let url: url::Url = location.parse().unwrap_or_else(|_| panic!("{location}"));
        let set = got.headers["set-cookie"].to_str().unwrap();
        for part in ["__Host-atrium-oidc=", "; HttpOnly", "; SameSite=Lax", "; Secure", "; Path=/;", "; Max-Age=300"] {
            assert!(set.contains(part), "{set}");
        }
        let cookie = set.split(';').next().unwrap().to_owned();
        Self { query: url.query_pairs().into_owned().collect(), location, cookie }
    }

    /// Requests the callback with a query.
    pub async fn back(&self, app: &TestApp, query: &str) -> Got {
        let path = format!("{HERE}/api/auth/oidc/callback?{query}");
        app.anonymous_with("GET", &path, None, &[("host", "acme.example"), ("cookie", &self.cookie)]).await
    }
}

/// Returns the path that a response redirects to.
pub fn location(got: &Got) -> String {
    assert_eq!(got.status, 303, "{}", got.body);
    let to = got.headers["location"].to_str().unwrap();
    // The fragment `signed-in` is present exactly when a session was opened.
    let signed_in = got.headers.get_all("set-cookie").iter().any(|set| set.as_bytes().starts_with(b"__Host-atrium="));
    assert_eq!(to.ends_with("#signed-in"), signed_in, "{to}");
    to.trim_end_matches("#signed-in").to_owned()
}

/// Returns the session cookie that a response sets.
pub fn cookie(got: &Got) -> Option<String> {
    let set = got.headers.get_all("set-cookie").iter().filter_map(|value| value.to_str().ok());
    set.filter_map(|set| set.split(';').next()).find(|set| set.starts_with("__Host-atrium=")).map(str::to_owned)
}

/// Refreshes the session of a cookie.
pub async fn renew(app: &TestApp, cookie: &str) -> Got {
    app.anonymous_with("POST", "/api/auth/refresh", Some(json!({})), &[("cookie", cookie)]).await
}

/// Returns the address of the member whose session cookie a response sets.
pub async fn who(app: &TestApp, got: &Got) -> Option<String> {
    renew(app, &cookie(got)?).await.body["user"]["email"].as_str().map(str::to_owned)
}
