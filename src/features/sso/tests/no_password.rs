//! Members who sign in with a provider and have no password.

use serde_json::{Value, json};

use super::{Manner, Stage, Way, choose, cookie, renew};
use crate::testing::Got;

const NOVA: &str = "nova@acme.example";
const MINUTE: i64 = 60_000;

/// Returns an installation whose provider has created a member, and the response of that sign-in.
async fn stage() -> (Stage, Got) {
    let stage = Stage::new().await;
    let made = json!({"createMembers": true, "role": "member", "domains": ["acme.example"]});
    choose(&stage.app, &stage.provider.issuer.clone(), made).await;
    let back = stage.vouched(NOVA).await;
    (stage, back)
}

/// Sends a request with the access token of a refresh.
async fn call(stage: &Stage, renewed: &Got, path: &str, body: Option<Value>) -> Got {
    let token = format!("Bearer {}", renewed.body["accessToken"].as_str().unwrap());
    let method = if body.is_some() { "POST" } else { "GET" };
    stage.app.anonymous_with(method, path, body, &[("authorization", &token)]).await
}

#[tokio::test]
async fn member_without_a_password_needs_none_right_after_sign_in() {
    let (stage, back) = stage().await;
    let fresh = renew(&stage.app, &cookie(&back).unwrap()).await;
    assert_eq!(call(&stage, &fresh, "/api/auth/factors", None).await.expect(200)["password"], false);
    let nothing = json!({"password": ""});
    call(&stage, &fresh, "/api/auth/factors/totp", Some(nothing.clone())).await.expect(200);

    stage.app.clock.advance(11 * MINUTE);
    let later = renew(&stage.app, &cookie(&fresh).unwrap()).await;
    for password in ["", "a guess of somebody who found the screen open"] {
        let refused = call(&stage, &later, "/api/auth/factors/totp", Some(json!({"password": password}))).await;
        refused.refused("invalid_credentials");
        assert!(refused.body["error"]["fields"]["password"].as_str().unwrap().contains("Sign in again"), "{refused:?}");
    }

    let again = renew(&stage.app, &cookie(&stage.vouched(NOVA).await).unwrap()).await;
    let first = json!({"currentPassword": "", "newPassword": "a first one of her own"});
    assert_eq!(call(&stage, &again, "/api/common/user/password", Some(first)).await.status, 204);
    assert_eq!(call(&stage, &again, "/api/auth/factors", None).await.expect(200)["password"], true);
    call(&stage, &again, "/api/auth/factors/totp", Some(nothing)).await.refused("invalid_credentials");
}

#[tokio::test]
async fn provider_sign_in_replaces_a_locked_session() {
    let (stage, back) = stage().await;
    let fresh = renew(&stage.app, &cookie(&back).unwrap()).await;
    assert_eq!(call(&stage, &fresh, "/api/auth/lock-session", Some(json!({}))).await.status, 204);
    let locked = cookie(&fresh).unwrap();
    renew(&stage.app, &locked).await.refused("session_locked");

    let way = Way::out(&stage.app, "").await;
    let way = Way { cookie: format!("{}; {locked}", way.cookie), location: way.location, query: way.query };
    let manner = Manner { claims: stage.claims(&way, NOVA), ..Manner::default() };
    let open = renew(&stage.app, &cookie(&stage.back_with(&way, manner).await).unwrap()).await;
    assert_eq!(open.body["user"]["email"], NOVA);
    renew(&stage.app, &locked).await.refused("not_signed_in");
}
