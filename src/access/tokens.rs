//! Access tokens: short-lived, signed by a key that is made at the first start and kept in the data
//! directory, checked without any leeway (RFC 9068, RFC 8725).

use std::{
    collections::HashMap,
    fs,
    io::Write,
    os::unix::fs::OpenOptionsExt,
    path::Path,
    sync::{Arc, PoisonError, RwLock},
};

use jsonwebtoken::{Algorithm, DecodingKey, EncodingKey, Header, Validation, crypto, decode, decode_header, encode};
use serde::{Deserialize, Serialize};

use super::sessions::Session;
use crate::kernel::{Clock, Code, Entropy, Error, Id, MemberId, Result, TenantId, Timestamp, hex};

/// Seconds for which an access token is good.
pub const ACCESS_SECONDS: i64 = 300;
const ISSUER: &str = "atrium";
const AUDIENCE: &str = "api";
const TYPE: &str = "at+jwt";
/// Tokens that are remembered as ours at most; each would cost as much to check as all the rest of a read.
const REMEMBERED: usize = 4_096;

/// What an access token says.
#[derive(Debug, Serialize, Deserialize)]
pub struct Claims {
    iss: String,
    aud: String,
    /// Who.
    pub sub: MemberId,
    /// Of which tenant; the session decides, this must agree.
    pub tid: TenantId,
    /// In which session.
    pub sid: Id<Session>,
    /// Which of the session's refreshes it came from.
    pub generation: u64,
    iat: i64,
    nbf: i64,
    exp: i64,
}

#[derive(Serialize, Deserialize)]
struct KeyFile {
    kid: String,
    secret: String,
}

/// Issues and checks access tokens.
#[derive(Clone)]
pub struct Tokens(Arc<Inside>);

struct Inside {
    kid: String,
    signing: EncodingKey,
    checking: DecodingKey,
    validation: Validation,
    clock: Clock,
    /// Tokens whose signature was found right, whole, with what they say.
    known: RwLock<HashMap<String, Arc<Claims>>>,
}

impl Tokens {
    /// Reads the key in `file`, or makes one there (mode 0600) at the first start.
    ///
    /// # Errors
    /// `internal` when the file can neither be read nor made.
    pub fn open(file: &Path, clock: Clock, entropy: &Entropy) -> Result<Self> {
        let text = match fs::read(file) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => make_key(file, entropy)?,
            Err(error) => return Err(Error::internal(format_args!("the key in {}: {error}", file.display()))),
        };
        let key: KeyFile = serde_json::from_slice(&text)
            .map_err(|error| Error::internal(format_args!("the key in {}: {error}", file.display())))?;
        Ok(Self::with(key, clock))
    }

    fn with(key: KeyFile, clock: Clock) -> Self {
        let mut validation = Validation::new(Algorithm::HS256);
        validation.set_issuer(&[ISSUER]);
        validation.set_audience(&[AUDIENCE]);
        validation.set_required_spec_claims(&["exp", "nbf", "aud", "iss", "sub"]);
        // The instants are held to our own clock below, without leeway.
        validation.validate_exp = false;
        validation.validate_nbf = false;
        Self(Arc::new(Inside {
            signing: EncodingKey::from_secret(key.secret.as_bytes()),
            checking: DecodingKey::from_secret(key.secret.as_bytes()),
            kid: key.kid,
            validation,
            clock,
            known: RwLock::default(),
        }))
    }

    /// A token for a session, and when it ends.
    ///
    /// # Errors
    /// `internal` when signing fails, which does not happen.
    pub fn issue(
        &self,
        tenant: TenantId,
        member: MemberId,
        session: Id<Session>,
        generation: u64,
    ) -> Result<(String, Timestamp)> {
        let now = self.0.clock.now();
        let ends = Timestamp::from_millis((now.seconds() + ACCESS_SECONDS) * 1000);
        let claims = Claims {
            iss: ISSUER.to_owned(),
            aud: AUDIENCE.to_owned(),
            sub: member,
            tid: tenant,
            sid: session,
            generation,
            iat: now.seconds(),
            nbf: now.seconds(),
            exp: ends.seconds(),
        };
        let header =
            Header { typ: Some(TYPE.to_owned()), kid: Some(self.0.kid.clone()), ..Header::new(Algorithm::HS256) };
        Ok((encode(&header, &claims, &self.0.signing).map_err(Error::internal)?, ends))
    }

    /// What a token says, when it is ours and good now.
    ///
    /// # Errors
    /// `not_signed_in` for every other token, without saying why.
    pub fn check(&self, token: &str) -> Result<Arc<Claims>> {
        let known = self.0.known.read().unwrap_or_else(PoisonError::into_inner).get(token).cloned();
        let is_known = known.is_some();
        let claims = match known {
            Some(claims) => claims,
            None => Arc::new(self.verify(token)?),
        };
        let now = self.0.clock.now().seconds();
        if now >= claims.exp || now < claims.nbf {
            return Err(Error::new(Code::NotSignedIn));
        }
        if !is_known {
            self.remember(token, &claims, now);
        }
        Ok(claims)
    }

    /// A signature over something that is no access token, for one purpose.
    ///
    /// # Errors
    /// `internal` when signing fails, which does not happen.
    pub fn sign(&self, purpose: &str, message: &[u8]) -> Result<String> {
        crypto::sign(&signed(purpose, message), &self.0.signing, Algorithm::HS256).map_err(Error::internal)
    }

    /// Whether a signature is ours, over this and for this purpose.
    #[must_use]
    pub fn is_signed(&self, purpose: &str, message: &[u8], signature: &str) -> bool {
        crypto::verify(signature, &signed(purpose, message), &self.0.checking, Algorithm::HS256).unwrap_or(false)
    }

    fn remember(&self, token: &str, claims: &Arc<Claims>, now: i64) {
        let mut known = self.0.known.write().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= REMEMBERED {
            known.retain(|_, claims| now < claims.exp);
        }
        if known.len() < REMEMBERED {
            known.insert(token.to_owned(), claims.clone());
        }
    }

    /// What a token says, when it is ours.
    fn verify(&self, token: &str) -> Result<Claims> {
        let refused = || Error::new(Code::NotSignedIn);
        let header = decode_header(token).map_err(|_| refused())?;
        if header.alg != Algorithm::HS256
            || header.typ.as_deref() != Some(TYPE)
            || header.kid.as_ref() != Some(&self.0.kid)
        {
            return Err(refused());
        }
        Ok(decode::<Claims>(token, &self.0.checking, &self.0.validation).map_err(|_| refused())?.claims)
    }
}

/// What is signed begins with a byte that no token has: it can never be taken for one.
fn signed(purpose: &str, message: &[u8]) -> Vec<u8> {
    [b"\0", purpose.as_bytes(), b"\0", message].concat()
}

/// Makes the key under another name first: who is killed in between leaves none, and not half of one.
fn make_key(file: &Path, entropy: &Entropy) -> Result<Vec<u8>> {
    let key = KeyFile { kid: hex::encode(&entropy.bytes::<8>()), secret: hex::encode(&entropy.bytes::<32>()) };
    let text = serde_json::to_vec(&key).map_err(Error::internal)?;
    let failed = |error| Error::internal(format_args!("the key in {}: {error}", file.display()));
    let unfinished = file.with_extension("new");
    let mut options = fs::OpenOptions::new();
    let mut out = options.write(true).create(true).truncate(true).mode(0o600).open(&unfinished).map_err(failed)?;
    out.write_all(&text).and_then(|()| out.sync_all()).map_err(failed)?;
    fs::rename(&unfinished, file).map_err(failed)?;
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    fs::File::open(folder).and_then(|folder| folder.sync_all()).map_err(failed)?;
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(clock: &Clock) -> Tokens {
        Tokens::with(KeyFile { kid: "k".into(), secret: "s".repeat(64) }, clock.clone())
    }

    fn issue(tokens: &Tokens) -> String {
        let tenant = TenantId::from_bytes([7; 16]).unwrap();
        tokens.issue(tenant, Id::from_bytes([1; 16]), Id::from_bytes([2; 16]), 3).unwrap().0
    }

    #[test]
    fn a_token_is_good_for_five_minutes_to_the_second() {
        let clock = Clock::stopped(Timestamp::from_millis(1_700_000_000_000));
        let tokens = tokens(&clock);
        let token = issue(&tokens);
        assert_eq!(tokens.check(&token).unwrap().generation, 3);
        clock.advance(299_999);
        assert!(tokens.check(&token).is_ok());
        clock.advance(1);
        assert!(tokens.check(&token).is_err());
        clock.advance(-300_001);
        assert!(tokens.check(&token).is_err(), "not before it was issued");
    }

    #[test]
    fn a_start_that_was_killed_leaves_no_half_key_in_the_way() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("access.key");
        fs::write(folder.path().join("access.new"), "{\"kid\":").unwrap();
        let clock = Clock::stopped(Timestamp::from_millis(1_700_000_000_000));
        let token = issue(&Tokens::open(&file, clock.clone(), &Entropy::seeded(1)).unwrap());
        assert!(Tokens::open(&file, clock, &Entropy::seeded(2)).unwrap().check(&token).is_ok());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn forged_tokens_are_refused() {
        let clock = Clock::stopped(Timestamp::from_millis(1_700_000_000_000));
        let tokens = tokens(&clock);
        let good = issue(&tokens);
        let parts: Vec<&str> = good.split('.').collect();
        let [_, claims, signature] = parts.as_slice() else { panic!("three parts") };
        let key = EncodingKey::from_secret("s".repeat(64).as_bytes());
        let now = 1_700_000_000_i64;
        let body = |patch: serde_json::Value| {
            let mut body = serde_json::json!({
                "iss": "atrium", "aud": "api", "sub": uuid::Uuid::from_bytes([1; 16]), "tid": uuid::Uuid::from_bytes([7; 16]),
                "sid": uuid::Uuid::from_bytes([2; 16]), "generation": 3, "iat": now, "nbf": now, "exp": now + 300
            });
            for (name, value) in patch.as_object().unwrap() {
                if value.is_null() {
                    body.as_object_mut().unwrap().remove(name);
                } else {
                    body[name] = value.clone();
                }
            }
            body
        };
        let sign = |header: Header, patch: serde_json::Value| encode(&header, &body(patch), &key).unwrap();
        let header = || Header { typ: Some("at+jwt".into()), kid: Some("k".into()), ..Header::new(Algorithm::HS256) };
        assert!(tokens.check(&sign(header(), serde_json::json!({}))).is_ok(), "the table's own ground");
        // {"alg":"none","typ":"at+jwt","kid":"k"} in base64url.
        let none = "eyJhbGciOiJub25lIiwidHlwIjoiYXQrand0Iiwia2lkIjoiayJ9";
        let mut bad = vec![
            String::new(),
            ".".into(),
            "..".into(),
            "a.b.c".into(),
            good.replace('.', ""),
            format!("{good}x"),
            format!("{good}."),
            format!("{none}.{claims}."),
            format!("{none}.{claims}.{signature}"),
            format!(".{claims}.{signature}"),
            sign(Header { alg: Algorithm::HS512, ..header() }, serde_json::json!({})),
            sign(Header { alg: Algorithm::HS384, ..header() }, serde_json::json!({})),
            sign(Header { typ: Some("JWT".into()), ..header() }, serde_json::json!({})),
            sign(Header { typ: None, ..header() }, serde_json::json!({})),
            sign(Header { kid: None, ..header() }, serde_json::json!({})),
            sign(Header { kid: Some("../../etc/passwd".into()), ..header() }, serde_json::json!({})),
            encode(&header(), &body(serde_json::json!({})), &EncodingKey::from_secret(b"guess")).unwrap(),
        ];
        for patch in [
            serde_json::json!({"iss": "evil"}),
            serde_json::json!({"iss": null}),
            serde_json::json!({"aud": "web"}),
            serde_json::json!({"aud": null}),
            serde_json::json!({"sub": null}),
            serde_json::json!({"sub": "admin"}),
            serde_json::json!({"tid": uuid::Uuid::nil()}),
            serde_json::json!({"tid": null}),
            serde_json::json!({"sid": null}),
            serde_json::json!({"sid": 7}),
            serde_json::json!({"exp": now}),
            serde_json::json!({"exp": now - 1}),
            serde_json::json!({"exp": null}),
            serde_json::json!({"exp": "never"}),
            serde_json::json!({"nbf": now + 1}),
            serde_json::json!({"nbf": null}),
            serde_json::json!({"exp": -1}),
            serde_json::json!({"generation": "3"}),
            serde_json::json!({"generation": -3}),
            serde_json::json!({"iat": null}),
        ] {
            bad.push(sign(header(), patch));
        }
        for token in bad {
            assert_eq!(tokens.check(&token).map_err(|error| error.code()).err(), Some(Code::NotSignedIn), "{token}");
        }
    }
}
