//! Test double of an OpenID Connect provider, which signs whatever a test wants.

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::{TcpListener, TcpStream},
    sync::{Arc, Mutex},
    thread,
};

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD as BASE64};
use p256::ecdsa::{Signature, SigningKey, signature::Signer};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

/// Behaviour of the token endpoint.
#[derive(Clone, Default)]
pub struct Manner {
    /// The ID token's claims.
    pub claims: Value,
    /// The ID token's header, if it is not the default.
    pub header: Option<Value>,
    /// Whether another key signs the token.
    pub forged: bool,
    /// The response of `userinfo`.
    pub user: Value,
    /// The PKCE challenge that the client must have sent.
    pub challenge: String,
    /// The authorization code, which works once.
    pub code: String,
}

/// A provider on a free port of this machine.
pub struct Provider {
    pub issuer: String,
    pub manner: Arc<Mutex<Manner>>,
    /// Request bodies that the token endpoint received, each with the preceding `Authorization` header.
    pub asked: Arc<Mutex<Vec<(String, String)>>>,
}

fn key(seed: u8) -> SigningKey {
    SigningKey::from_slice(&[seed; 32]).unwrap()
}

/// Creates a signed token with this header and these claims.
pub fn signed(header: &Value, claims: &Value, seed: u8) -> String {
    let text = format!("{}.{}", BASE64.encode(header.to_string()), BASE64.encode(claims.to_string()));
    let signature: Signature = key(seed).sign(text.as_bytes());
    let none = header["alg"] == "none";
    format!("{text}.{}", if none { String::new() } else { BASE64.encode(signature.to_bytes()) })
}

impl Provider {
    /// Starts a provider; its thread ends with the test.
    pub fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let issuer = format!("http://{}", listener.local_addr().unwrap());
        let manner = Arc::new(Mutex::new(Manner::default()));
        let asked = Arc::default();
        let provider = Self { issuer, manner, asked };
        let issuer = provider.issuer.clone();
        let manner = provider.manner.clone();
        let asked = provider.asked.clone();
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                answer(stream, &issuer, &manner, &asked);
            }
        });
        provider
    }
}

fn answer(mut stream: TcpStream, issuer: &str, manner: &Mutex<Manner>, asked: &Mutex<Vec<(String, String)>>) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let mut lines = Vec::new();
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).unwrap_or_default() < 3 {
            break;
        }
        lines.push(line.trim().to_owned());
    }
    let Some(first) = lines.first() else { return };
    let path = first.split(' ').nth(1).unwrap_or_default().to_owned();
    let header = |name: &str| {
        let found = lines.iter().filter_map(|line| line.split_once(": "));
        found.filter(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value.to_owned()).next()
    };
    let length = header("content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
    let mut body = vec![0; length];
    reader.read_exact(&mut body).unwrap();
    let body = String::from_utf8(body).unwrap();
    let (status, value) = match path.as_str() {
        "/.well-known/openid-configuration" => (200, configuration(issuer)),
        "/jwks" => (200, keys()),
        "/userinfo" => (200, manner.lock().unwrap().user.clone()),
        "/token" => {
            asked.lock().unwrap().push((header("authorization").unwrap_or_default(), body.clone()));
            token(&mut manner.lock().unwrap(), &body)
        }
        "/moved" => (302, json!({})),
        _ => (404, json!({})),
    };
    let text = value.to_string();
    let head = format!("HTTP/1.1 {status} X\r\nContent-Type: application/json\r\nContent-Length: {}\r\n", text.len());
    let _ = stream.write_all(format!("{head}Connection: close\r\n\r\n{text}").as_bytes());
}

fn configuration(issuer: &str) -> Value {
    json!({
        "issuer": issuer, "authorization_endpoint": format!("{issuer}/authorize"),
        "token_endpoint": format!("{issuer}/token"), "jwks_uri": format!("{issuer}/jwks"),
        "userinfo_endpoint": format!("{issuer}/userinfo"), "response_types_supported": ["code"],
        "subject_types_supported": ["public"],
        // The provider offers all of them; the client must not accept all.
        "id_token_signing_alg_values_supported": ["ES256", "RS256", "HS256", "none"],
    })
}

fn keys() -> Value {
    let point = key(1).verifying_key().to_sec1_point(false);
    let x = BASE64.encode(point.x().unwrap());
    let y = BASE64.encode(point.y().unwrap());
    json!({"keys": [{"kty": "EC", "crv": "P-256", "kid": "k", "use": "sig", "alg": "ES256", "x": x, "y": y}]})
}

fn token(manner: &mut Manner, body: &str) -> (u16, Value) {
    let form: Vec<(String, String)> = url::form_urlencoded::parse(body.as_bytes()).into_owned().collect();
    let said = |name: &str| form.iter().find(|(key, _)| key == name).map_or("", |(_, value)| value.as_str());
    let challenge = BASE64.encode(Sha256::digest(said("code_verifier")));
    if manner.code.is_empty() || said("code") != manner.code || challenge != manner.challenge {
        return (400, json!({"error": "invalid_grant"}));
    }
    manner.code.clear();
    let header = manner.header.clone().unwrap_or_else(|| json!({"alg": "ES256", "typ": "JWT", "kid": "k"}));
    let id_token = signed(&header, &manner.claims, if manner.forged { 2 } else { 1 });
    (200, json!({"access_token": "access", "token_type": "Bearer", "expires_in": 60, "id_token": id_token}))
}
