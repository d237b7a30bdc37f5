//! Passwordless sign-in with a passkey.

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

/// The credentials of a passwordless sign-in.
#[derive(Object)]
#[oai(rename = "SignInByPasskey", rename_all = "camelCase", deny_unknown_fields)]
struct Form {
    /// The `challengeId` of the challenge that the passkey answers.
    #[oai(validator(max_length = 64))]
    challenge_id: String,
    /// The credential's `toJSON()`.
    credential: Any<Value>,
    /// The company's slug, if members of other companies are to be refused; the host's company when absent.
    company: Option<String>,
    /// Whether the session outlives the browser: it lasts 7 days instead of 12 hours.
    #[oai(default)]
    remember_me: bool,
}

/// The API of sign-in with a passkey.
pub struct PasskeyApi;

#[OpenApi(prefix_path = "/auth/passkey", tag = "crate::wire::Tag::Auth")]
impl PasskeyApi {
    /// Sign in with a passkey.
    ///
    /// No password is needed.
    #[oai(path = "/sign-in", method = "post", operation_id = "signInByPasskey")]
    async fn sign_in(&self, visitor: Visitor, body: Json<Form>) -> Reply<WithCookie<Token>> {
        let Form { challenge_id, credential, company, remember_me } = body.0;
        let answer = (challenge_id.as_str(), credential.0);
        let signed = visitor.sign_in_by_passkey(answer, company.as_deref(), remember_me, rules::notify_of_new_device);
        Ok(opened(signed.await?))
    }
}
