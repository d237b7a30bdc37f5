//! Software authenticator: creates passkeys and signs assertions in the form that a browser sends (WebAuthn §6).

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD as BASE64};
use p256::ecdsa::{DerSignature, SigningKey, signature::Signer};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::{
    access::factors::code_at,
    kernel::Timestamp,
    testing::{As, PASSWORD},
};

/// An authenticator with one passkey.
pub struct Authenticator {
    key: SigningKey,
    id: Vec<u8>,
    user: Vec<u8>,
    /// The origin in the next response; tests change it.
    pub origin: String,
    pub host: String,
    pub counter: u32,
    pub verified: bool,
    pub kind: &'static str,
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_else(|| panic!("no text: {value}"))
}

fn bytes(value: &Value) -> Vec<u8> {
    BASE64.decode(text(value)).unwrap()
}

/// The CBOR head of a byte string of up to 65,535 bytes.
fn byte_string(bytes: &[u8]) -> Vec<u8> {
    let length = u16::try_from(bytes.len()).unwrap();
    let head = match u8::try_from(length) {
        Ok(short) if short < 24 => vec![0x40 | short],
        Ok(short) => vec![0x58, short],
        Err(_) => [&[0x59][..], &length.to_be_bytes()].concat(),
    };
    [head.as_slice(), bytes].concat()
}

impl Authenticator {
    /// Creates a passkey for the options of a page at `origin`; returns it with the browser's message.
    pub fn make(options: &Value, origin: &str) -> (Self, Value) {
        assert_eq!(options["authenticatorSelection"]["residentKey"], "required");
        assert_eq!(options["authenticatorSelection"]["userVerification"], "required");
        let seed: [u8; 32] = Sha256::digest(text(&options["challenge"])).into();
        let device = Self {
            key: SigningKey::from_slice(&seed).unwrap(),
            id: seed[..20].to_vec(),
            user: bytes(&options["user"]["id"]),
            origin: origin.to_owned(),
            host: text(&options["rp"]["id"]).to_owned(),
            counter: 1,
            verified: true,
            kind: "webauthn.create",
        };
        let credential = device.registration(options);
        (Self { kind: "webauthn.get", ..device }, credential)
    }

    /// Returns the browser's message for a new passkey.
    pub fn registration(&self, options: &Value) -> Value {
        let point = self.key.verifying_key().to_sec1_point(false);
        let x = point.x().unwrap();
        let y = point.y().unwrap();
        // COSE: {1: 2 (EC2), 3: -7 (ES256), -1: 1 (P-256), -2: x, -3: y}.
        let head = [0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21];
        let cose = [&head[..], &byte_string(x), &[0x22], &byte_string(y)].concat();
        let length = u16::try_from(self.id.len()).unwrap().to_be_bytes();
        let data = [&self.data(0x40)[..], &[0; 16], &length, &self.id, &cose].concat();
        // {"fmt": "none", "attStmt": {}, "authData": data}.
        let object = [b"\xa3\x63fmt\x64none\x67attStmt\xa0\x68authData".as_slice(), &byte_string(&data)].concat();
        json!({
            "id": BASE64.encode(&self.id), "rawId": BASE64.encode(&self.id), "type": "public-key",
            "authenticatorAttachment": "platform", "clientExtensionResults": {"credProps": {"rk": true}},
            "response": {
                "clientDataJSON": BASE64.encode(self.client_data(options)), "attestationObject": BASE64.encode(object),
                "transports": ["internal", "something-new"],
            },
        })
    }

    /// Returns the browser's message for a sign-in with the passkey, and increments the signature counter.
    pub fn answer(&mut self, options: &Value) -> Value {
        self.counter += 1;
        self.answer_again(options)
    }

    /// Returns the message without incrementing the signature counter.
    pub fn answer_again(&self, options: &Value) -> Value {
        let data = self.data(0);
        let client = self.client_data(options);
        let signed = [&data[..], &Sha256::digest(&client)].concat();
        let signature: DerSignature = self.key.sign(&signed);
        json!({
            "id": BASE64.encode(&self.id), "rawId": BASE64.encode(&self.id), "type": "public-key",
            "clientExtensionResults": {},
            "response": {
                "clientDataJSON": BASE64.encode(client), "authenticatorData": BASE64.encode(data),
                "signature": BASE64.encode(signature.as_bytes()), "userHandle": BASE64.encode(&self.user),
            },
        })
    }

    fn data(&self, further: u8) -> Vec<u8> {
        let flags = 0x01 | if self.verified { 0x04 } else { 0 } | further;
        [&Sha256::digest(&self.host)[..], &[flags], &self.counter.to_be_bytes()].concat()
    }

    fn client_data(&self, options: &Value) -> Vec<u8> {
        let said = json!({
            "type": self.kind, "challenge": options["challenge"], "origin": self.origin, "crossOrigin": false,
        });
        said.to_string().into_bytes()
    }
}

impl As {
    /// Sets up an authenticator app; returns its secret and the recovery codes.
    pub async fn set_up_app(&self) -> (String, Vec<String>) {
        let begun = self.post("/api/auth/factors/totp", json!({"password": PASSWORD})).await.expect(200);
        let secret = text(&begun["secret"]).to_owned();
        let now: Timestamp = self.clock.now();
        let code = json!({"code": code_at(&secret, now)});
        let done = self.post("/api/auth/factors/totp/confirm", code).await.expect(200);
        let codes = done["recoveryCodes"].as_array().unwrap().iter().map(|code| text(code).to_owned()).collect();
        (secret, codes)
    }

    /// Adds the first factor, a passkey, at an origin; returns its id and the authenticator.
    pub async fn add_passkey(&self, origin: &str) -> (String, Authenticator) {
        self.add_passkey_with(origin, json!({"password": PASSWORD})).await
    }

    /// Adds a passkey with a proof of who the member is.
    pub async fn add_passkey_with(&self, origin: &str, proof: Value) -> (String, Authenticator) {
        let path = |rest: &str| format!("{origin}/api/auth/factors/passkeys{rest}");
        let begun = self.post(&path("/options"), proof).await.expect(200);
        let (device, credential) = Authenticator::make(&begun["options"], origin);
        let new = json!({"challengeId": begun["challengeId"], "name": "Laptop", "credential": credential});
        let made = self.post(&path(""), new).await.expect(201);
        (text(&made["id"]).to_owned(), device)
    }
}
