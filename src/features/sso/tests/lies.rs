//! Invalid ID tokens.

use serde_json::{Value, json};

use super::{Manner, Stage, Way, location, who};

const REFUSED: &str = "/sign-in?error=invalid_credentials";

async fn with(stage: &Stage, spoil: impl FnOnce(&mut Manner)) -> String {
    let way = Way::out(&stage.app, "").await;
    let mut manner = Manner { claims: stage.claims(&way, "member@acme.example"), ..Manner::default() };
    spoil(&mut manner);
    let back = stage.back_with(&way, manner).await;
    let location = location(&back);
    assert_eq!(who(&stage.app, &back).await.is_some(), location == "/", "{location}");
    location
}

#[tokio::test]
async fn rejects_mismatched_claims() {
    let stage = Stage::new().await;
    let now = stage.app.clock.now().seconds();
    assert_eq!(with(&stage, |_| {}).await, "/", "the table's own ground");
    let table: [(&str, Value, &str); 21] = [
        ("nonce", json!("another"), REFUSED),
        ("nonce", Value::Null, REFUSED),
        ("aud", json!("somebody-else"), REFUSED),
        ("aud", json!(["somebody-else"]), REFUSED),
        ("aud", json!(["atrium-acme", "somebody-else"]), REFUSED),
        ("aud", json!(["atrium-acme"]), "/"),
        ("aud", Value::Null, REFUSED),
        ("azp", json!("somebody-else"), REFUSED),
        ("azp", json!("atrium-acme"), "/"),
        ("iss", json!("https://evil.example"), REFUSED),
        ("iss", Value::Null, REFUSED),
        ("exp", json!(now), REFUSED),
        ("exp", json!(now - 1), REFUSED),
        ("exp", Value::Null, REFUSED),
        ("iat", json!(now + 600), REFUSED),
        ("iat", Value::Null, REFUSED),
        ("email_verified", json!(false), "/sign-in?error=forbidden"),
        ("email_verified", Value::Null, "/sign-in?error=forbidden"),
        ("email", json!("no address"), "/sign-in?error=forbidden"),
        ("name", Value::Null, "/"),
        ("sub", Value::Null, REFUSED),
    ];
    for (claim, value, end) in table {
        let said = value.clone();
        let came = with(&stage, move |manner| {
            if value.is_null() {
                manner.claims.as_object_mut().unwrap().remove(claim);
            } else {
                manner.claims[claim] = value;
            }
        });
        assert_eq!(came.await, end, "{claim}: {said}");
    }
}

#[tokio::test]
async fn rejects_invalid_signatures() {
    let stage = Stage::new().await;
    for header in [
        json!({"alg": "none"}),
        json!({"alg": "none", "kid": "k"}),
        json!({"alg": "HS256", "kid": "k"}),
        json!({"alg": "RS256", "kid": "k"}),
        json!({"alg": "ES384", "kid": "k"}),
        json!({"alg": "ES256", "kid": "another"}),
    ] {
        let shown = header.to_string();
        assert_eq!(with(&stage, |manner| manner.header = Some(header)).await, REFUSED, "{shown}");
    }
    assert_eq!(with(&stage, |manner| manner.forged = true).await, REFUSED, "another's key");
}

#[tokio::test]
async fn email_missing_from_the_token_is_requested_from_the_provider() {
    let stage = Stage::new().await;
    let nameless = |manner: &mut Manner| {
        manner.claims.as_object_mut().unwrap().remove("email");
    };
    let user = json!({"sub": "member@acme.example", "email": "member@acme.example", "email_verified": true});
    let mut other = user.clone();
    other["sub"] = json!("2");
    let mut unverified = user.clone();
    unverified["email_verified"] = json!(false);
    for (user, end) in [(user, "/"), (other, REFUSED), (unverified, "/sign-in?error=forbidden")] {
        let shown = user.to_string();
        let came = with(&stage, |manner| {
            nameless(manner);
            manner.user = user;
        });
        assert_eq!(came.await, end, "{shown}");
    }
}
