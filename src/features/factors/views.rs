//! API types of second factors.

use poem_openapi::{Object, types::Any};
use serde::Serialize;
use serde_json::Value;
use serde_with::skip_serializing_none;

use crate::{
    access::{
        Member, Visitor,
        factors::{Enrolment, Overview, Passkey, PasskeyChallenge},
    },
    kernel::{Id, Result, Timestamp},
    people::permission::Right,
    store::Stored,
};

/// The caller's second factors.
#[skip_serializing_none]
#[derive(Debug, Serialize, Object)]
#[oai(rename = "Factors", rename_all = "camelCase", skip_serializing_if_is_none)]
#[serde(rename_all = "camelCase")]
pub struct View {
    /// Whether the caller has a password. Members who sign in with a provider may have none.
    password: bool,
    /// Whether an authenticator app is set up.
    totp: bool,
    recovery_codes_left: u32,
    /// The caller's passkeys, the oldest first.
    passkeys: Vec<PasskeyView>,
    /// Whether the company requires a second factor.
    required: bool,
    /// When the caller loses access without a second factor; absent when none is required.
    required_from: Option<Timestamp>,
}

impl View {
    /// Creates the view. `required_from` is when the tenant requires a second factor.
    pub fn new(overview: Overview, required_from: Option<Timestamp>) -> Self {
        Self {
            password: overview.password,
            totp: overview.totp,
            recovery_codes_left: u32::try_from(overview.recovery_codes_left).unwrap_or(u32::MAX),
            passkeys: overview.passkeys.into_iter().map(PasskeyView::from).collect(),
            required: required_from.is_some(),
            required_from,
        }
    }
}

/// A passkey.
#[skip_serializing_none]
#[derive(Debug, Serialize, Object)]
#[oai(rename = "Passkey", rename_all = "camelCase", skip_serializing_if_is_none)]
#[serde(rename_all = "camelCase")]
pub struct PasskeyView {
    id: Id<Passkey>,
    /// The name that the owner gave the passkey.
    name: String,
    created_at: Timestamp,
    last_used_at: Option<Timestamp>,
}

impl From<Stored<Passkey>> for PasskeyView {
    fn from(record: Stored<Passkey>) -> Self {
        let id = record.id;
        let created_at = record.created_at;
        let passkey = record.value;
        Self { id, name: passkey.name, created_at, last_used_at: passkey.last_used_at }
    }
}

/// A QR code.
#[derive(Debug, Serialize, Object)]
#[oai(rename = "QrCode")]
pub struct Qr {
    /// Width and height in modules, quiet zone included: the `viewBox` is `0 0 size size`.
    size: u32,
    /// The `d` of an SVG path that draws the dark modules.
    path: String,
}

/// The secret of an authenticator app that is being set up.
#[derive(Debug, Serialize, Object)]
#[oai(rename = "TotpEnrolment")]
pub struct EnrolmentView {
    /// The secret in base32, for typing.
    secret: String,
    /// The secret as an `otpauth` URI.
    uri: String,
    /// The `otpauth` URI as a QR code.
    qr: Qr,
}

impl From<Enrolment> for EnrolmentView {
    fn from(new: Enrolment) -> Self {
        let size = u32::try_from(new.qr.size).unwrap_or(u32::MAX);
        Self { secret: new.secret, uri: new.uri, qr: Qr { size, path: new.qr.path } }
    }
}

/// Recovery codes. They are shown only once.
#[derive(Debug, Serialize, Object)]
#[oai(rename = "RecoveryCodes", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct Codes {
    /// The codes. Each works once.
    pub recovery_codes: Vec<String>,
}

/// A passkey challenge for the browser.
#[derive(Debug, Serialize, Object)]
#[oai(rename = "PasskeyQuestion", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct QuestionView {
    /// The challenge's id; the answer must name it within five minutes.
    challenge_id: String,
    /// The input of `PublicKeyCredential.parseCreationOptionsFromJSON` or `parseRequestOptionsFromJSON`.
    options: Any<Value>,
}

impl From<PasskeyChallenge> for QuestionView {
    fn from(question: PasskeyChallenge) -> Self {
        Self { challenge_id: question.id, options: Any(question.options) }
    }
}

/// What proves who the caller is: the password, and a second factor if the caller has one.
#[derive(Object)]
#[oai(rename = "OwnPassword", rename_all = "camelCase", deny_unknown_fields)]
pub struct Password {
    /// The password.
    #[oai(validator(max_length = 1024))]
    pub password: String,
    /// A code from the authenticator app, or a recovery code.
    #[oai(validator(max_length = 64))]
    pub code: Option<String>,
    /// The answer of a passkey, as the second factor.
    pub passkey: Option<PasskeyAnswer>,
}

impl Password {
    /// Authenticates the caller again.
    /// Errors: `invalid_credentials` at `password`; `second_factor_needed` and `invalid_code`; `slow_down`.
    pub async fn prove<R: Right>(self, visitor: &Visitor, member: &Member<R>) -> Result<()> {
        let proof = visitor.second_factor_proof(self.code, self.passkey.map(PasskeyAnswer::into_parts))?;
        member.reauthenticate(self.password, proof).await
    }
}

/// A code from an authenticator app.
#[derive(Object)]
#[oai(rename = "TotpCode", deny_unknown_fields)]
pub struct Code {
    #[oai(validator(max_length = 64))]
    pub code: String,
}

/// A passkey that the browser has created.
#[derive(Object)]
#[oai(rename = "NewPasskey", rename_all = "camelCase", deny_unknown_fields)]
pub struct New {
    #[oai(validator(max_length = 64))]
    pub challenge_id: String,
    /// The passkey's name: 1 to 100 characters.
    pub name: String,
    /// The new credential's `toJSON()`.
    pub credential: Any<Value>,
}

/// The new name of a passkey.
#[derive(Object)]
#[oai(rename = "PasskeyPatch", deny_unknown_fields)]
pub struct Rename {
    /// 1 to 100 characters.
    pub name: String,
}

/// The answer of a passkey to a challenge.
#[derive(Object)]
#[oai(rename_all = "camelCase", deny_unknown_fields)]
pub struct PasskeyAnswer {
    /// The `challengeId` of the challenge.
    #[oai(validator(max_length = 64))]
    pub challenge_id: String,
    /// The credential's `toJSON()`.
    pub credential: Any<Value>,
}

impl PasskeyAnswer {
    /// Returns the challenge's id and the credential.
    pub fn into_parts(self) -> (String, Value) {
        (self.challenge_id, self.credential.0)
    }
}
