//! Second factors over HTTP.

mod again;
mod door;
mod own;
mod passwordless;
mod required;

use serde_json::{Value, json};

use crate::{
    testing::{Got, PASSWORD, TestApp},
    tests::authenticator::Authenticator,
};

/// The origin at which browsers allow passkeys without TLS.
pub const HERE: &str = "http://localhost";

/// Signs in with a password and further fields.
pub async fn sign_in(app: &TestApp, email: &str, further: Value) -> Got {
    let mut form = json!({"email": email, "password": PASSWORD});
    form.as_object_mut().unwrap().extend(further.as_object().unwrap().clone());
    app.anonymous("POST", &format!("{HERE}/api/auth/sign-in"), Some(form)).await
}

/// Requests a passkey challenge.
pub async fn asked(app: &TestApp) -> Value {
    app.anonymous("POST", &format!("{HERE}/api/auth/passkey/options"), Some(json!({}))).await.expect(200)
}

/// Returns a passkey's answer to a new challenge.
pub async fn shown(app: &TestApp, device: &mut Authenticator) -> Value {
    let question = asked(app).await;
    json!({"challengeId": question["challengeId"], "credential": device.answer(&question["options"])})
}
