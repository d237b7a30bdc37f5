//! What second factors look like from outside.

use poem_openapi::{Object, types::Any};
use serde::Serialize;
use serde_json::Value;

use crate::{
    access::factors::{Enrolment, Overview, Passkey, Question},
    kernel::{Id, Timestamp},
    store::Stored,
};

/// The caller's second factors.
#[derive(Debug, Serialize, Object)]
#[oai(rename = "Factors", rename_all = "camelCase", skip_serializing_if_is_none)]
#[serde(rename_all = "camelCase")]
pub struct View {
    /// Whether the caller has a password; who comes by a provider may have none.
    password: bool,
    /// Whether an authenticator app is set up.
    totp: bool,
    recovery_codes_left: u32,
    /// Oldest first.
    passkeys: Vec<PasskeyView>,
    /// Whether the company asks for a second factor.
    required: bool,
    /// From when on nothing else can be used without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    required_from: Option<Timestamp>,
}

impl View {
    /// From what the caller has, and when the company asks for it.
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
#[derive(Debug, Serialize, Object)]
#[oai(rename = "Passkey", rename_all = "camelCase", skip_serializing_if_is_none)]
#[serde(rename_all = "camelCase")]
pub struct PasskeyView {
    id: Id<Passkey>,
    /// What its owner calls it.
    name: String,
    created_at: Timestamp,
    #[serde(skip_serializing_if = "Option::is_none")]
    last_used_at: Option<Timestamp>,
}

impl From<Stored<Passkey>> for PasskeyView {
    fn from(record: Stored<Passkey>) -> Self {
        let (id, created_at, passkey) = (record.id, record.created_at, record.value);
        Self { id, name: passkey.name, created_at, last_used_at: passkey.last_used_at }
    }
}

/// A QR code.
#[derive(Debug, Serialize, Object)]
#[oai(rename = "QrCode")]
pub struct Qr {
    /// Units on a side, the quiet border included: the `viewBox` is `0 0 size size`.
    size: u32,
    /// The `d` of an SVG path that draws the dark modules.
    path: String,
}

/// What an authenticator app needs to know.
#[derive(Debug, Serialize, Object)]
#[oai(rename = "TotpEnrolment")]
pub struct EnrolmentView {
    /// The secret in base32, to be typed.
    secret: String,
    /// The same as an `otpauth` address.
    uri: String,
    /// That address as a QR code.
    qr: Qr,
}

impl From<Enrolment> for EnrolmentView {
    fn from(new: Enrolment) -> Self {
        let size = u32::try_from(new.qr.size).unwrap_or(u32::MAX);
        Self { secret: new.secret, uri: new.uri, qr: Qr { size, path: new.qr.path } }
    }
}

/// Recovery codes: shown this once.
#[derive(Debug, Serialize, Object)]
#[oai(rename = "RecoveryCodes", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct Codes {
    /// Each is good once.
    pub recovery_codes: Vec<String>,
}

/// A question for the browser.
#[derive(Debug, Serialize, Object)]
#[oai(rename = "PasskeyQuestion", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct QuestionView {
    /// What to answer with, within five minutes.
    challenge_id: String,
    /// What `PublicKeyCredential.parseCreationOptionsFromJSON` or `parseRequestOptionsFromJSON` takes.
    options: Any<Value>,
}

impl From<Question> for QuestionView {
    fn from(question: Question) -> Self {
        Self { challenge_id: question.id, options: Any(question.options) }
    }
}

/// Who it is that asks, shown by the password.
#[derive(Object)]
#[oai(rename = "OwnPassword", deny_unknown_fields)]
pub struct Password {
    #[oai(validator(max_length = 1024))]
    pub password: String,
}

/// A code of an authenticator app.
#[derive(Object)]
#[oai(rename = "TotpCode", deny_unknown_fields)]
pub struct Code {
    #[oai(validator(max_length = 64))]
    pub code: String,
}

/// A passkey that the browser made.
#[derive(Object)]
#[oai(rename = "NewPasskey", rename_all = "camelCase", deny_unknown_fields)]
pub struct New {
    #[oai(validator(max_length = 64))]
    pub challenge_id: String,
    /// What to call it: 1 to 100 characters.
    pub name: String,
    /// The new credential's `toJSON()`.
    pub credential: Any<Value>,
}

/// Another name.
#[derive(Object)]
#[oai(rename = "PasskeyPatch", deny_unknown_fields)]
pub struct Rename {
    /// 1 to 100 characters.
    pub name: String,
}

/// What a passkey answered.
#[derive(Object)]
#[oai(rename = "PasskeyAnswer", rename_all = "camelCase", deny_unknown_fields)]
pub struct Shown {
    /// The question that it answers.
    #[oai(validator(max_length = 64))]
    pub challenge_id: String,
    /// The credential's `toJSON()`.
    pub credential: Any<Value>,
}

impl Shown {
    /// Name and answer of the question.
    #[must_use]
    pub fn into_parts(self) -> (String, Value) {
        (self.challenge_id, self.credential.0)
    }
}
