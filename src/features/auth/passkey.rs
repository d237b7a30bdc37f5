//! Signing in by a passkey alone.

use poem_openapi::{Object, OpenApi, types::Any};
use serde_json::Value;

use super::{
    api::{Token, opened},
    rules,
};
use crate::{
    access::Visitor,
    wire::{Json, Reply, response::WithCookie},
};

/// What one signs in with, without a password.
#[derive(Object)]
#[oai(rename = "SignInByPasskey", rename_all = "camelCase", deny_unknown_fields)]
struct Form {
    /// The question that the passkey answers.
    #[oai(validator(max_length = 64))]
    challenge_id: String,
    /// The credential's `toJSON()`.
    credential: Any<Value>,
    /// The company's slug, where the host stands for none.
    company: Option<String>,
    /// Whether the session outlives the browser: 7 days instead of 12 hours.
    #[oai(default)]
    remember_me: bool,
}

/// The calls.
pub struct PasskeyApi;

#[OpenApi(prefix_path = "/auth/passkey", tag = "crate::wire::Tag::Auth")]
impl PasskeyApi {
    /// Signs in by a passkey, without a password.
    #[oai(path = "/sign-in", method = "post", operation_id = "signInByPasskey")]
    async fn sign_in(&self, visitor: Visitor, body: Json<Form>) -> Reply<WithCookie<Token>> {
        let Form { challenge_id, credential, company, remember_me } = body.0;
        let answer = (challenge_id.as_str(), credential.0);
        let signed = visitor.sign_in_by_passkey(answer, company.as_deref(), remember_me, rules::tell_of_stranger);
        Ok(opened(signed.await?))
    }
}
