//! Second factors over HTTP.

mod door;
mod own;
mod passwordless;
mod required;

use serde_json::{Value, json};

use crate::{
    testing::{Got, PASSWORD, TestApp},
    tests::authenticator::Authenticator,
};

/// Where browsers have passkeys without TLS.
pub const HERE: &str = "http://localhost";

/// A sign-in with something beside the password.
pub async fn sign_in(app: &TestApp, email: &str, further: Value) -> Got {
    let mut form = json!({"email": email, "password": PASSWORD});
    form.as_object_mut().unwrap().extend(further.as_object().unwrap().clone());
    app.anonymous("POST", &format!("{HERE}/api/auth/sign-in"), Some(form)).await
}

/// A question for a passkey.
pub async fn asked(app: &TestApp) -> Value {
    app.anonymous("POST", &format!("{HERE}/api/auth/passkey/options"), Some(json!({}))).await.expect(200)
}

/// What a passkey answers to a question.
pub async fn shown(app: &TestApp, device: &mut Authenticator) -> Value {
    let question = asked(app).await;
    json!({"challengeId": question["challengeId"], "credential": device.answer(&question["options"])})
}
