//! Access tokens: short-lived JWTs, signed with a key that is made at the first start and kept in the data directory,
//! checked without any leeway (RFC 9068, RFC 8725).

use std::{
    collections::HashMap,
    fs,
    io::Write,
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use jsonwebtoken::{Algorithm, DecodingKey, EncodingKey, Header, Validation, crypto, decode, decode_header, encode};
use parking_lot::RwLock;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::sessions::{Session, SessionRef};
use crate::kernel::{Clock, Code, Entropy, Error, Id, MemberId, Result, TenantId, Timestamp, hex};

/// Seconds for which an access token is valid.
pub const ACCESS_SECONDS: i64 = 300;
const ISSUER: &str = "atrium";
const AUDIENCE: &str = "api";
const TYPE: &str = "at+jwt";
/// The most verified tokens in the cache; to verify one costs as much as the rest of a read.
const CACHED_TOKENS: usize = 4_096;

/// The claims of an access token.
#[derive(Debug, Serialize, Deserialize)]
pub struct Claims {
    iss: String,
    aud: String,
    /// The member.
    pub sub: MemberId,
    /// The tenant, which must agree with the session's.
    pub tid: TenantId,
    /// The session.
    pub sid: Id<Session>,
    /// The number of the session's refresh that it came from.
    pub generation: u64,
    iat: i64,
    nbf: i64,
    exp: i64,
}

impl Claims {
    /// Returns what it points to.
    pub(super) const fn session_ref(&self) -> SessionRef {
        SessionRef { tenant: self.tid, member: self.sub, session: self.sid, generation: self.generation }
    }
}

#[derive(Clone, Serialize, Deserialize)]
struct KeyFile {
    kid: String,
    secret: String,
    /// The secret part of password salts; stays the same when the key is rotated.
    #[serde(default)]
    pepper: String,
    /// Earlier keys, as long as their tokens may be in use.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    before: Vec<Retired>,
}

/// A key that no longer signs.
#[derive(Clone, Serialize, Deserialize)]
struct Retired {
    kid: String,
    secret: String,
    /// When its last token expires; what else it signed (device cookies) is invalid from then on, too.
    until: Timestamp,
}

impl KeyFile {
    fn new(entropy: &Entropy) -> Self {
        let [secret, pepper] = [(); 2].map(|()| hex::encode(&entropy.bytes::<32>()));
        Self { kid: hex::encode(&entropy.bytes::<8>()), secret, pepper, before: Vec::new() }
    }
}

/// Issues and checks access tokens.
#[derive(Clone)]
pub struct Tokens(Arc<Inner>);

struct Inner {
    file: PathBuf,
    keys: RwLock<Keys>,
    pepper: [u8; 32],
    validation: Validation,
    clock: Clock,
    /// Counts rotations of the key: what was verified before one is not cached after it.
    rotations: AtomicU64,
    /// The cache of tokens with a valid signature, with their claims.
    cache: RwLock<HashMap<String, Arc<Claims>>>,
}

/// The key that signs, and all keys that verify.
struct Keys {
    kid: String,
    signing: EncodingKey,
    checking: Vec<VerifyingKey>,
}

/// Name, key, and when it becomes invalid.
type VerifyingKey = (String, DecodingKey, Option<Timestamp>);

fn is_valid_at((_, _, until): &VerifyingKey, now: Timestamp) -> bool {
    until.is_none_or(|until| now < until)
}

impl Keys {
    fn of(file: &KeyFile) -> Self {
        let checking = |secret: &str| DecodingKey::from_secret(secret.as_bytes());
        let before = file.before.iter().map(|key| (key.kid.clone(), checking(&key.secret), Some(key.until)));
        Self {
            kid: file.kid.clone(),
            signing: EncodingKey::from_secret(file.secret.as_bytes()),
            checking: std::iter::once((file.kid.clone(), checking(&file.secret), None)).chain(before).collect(),
        }
    }

    /// Returns the key with a name, if it is valid now.
    fn checking(&self, kid: &str, now: Timestamp) -> Option<&DecodingKey> {
        self.checking.iter().find(|(name, ..)| name == kid).filter(|key| is_valid_at(key, now)).map(|(_, key, _)| key)
    }

    /// Returns all keys that are valid now.
    fn valid_keys(&self, now: Timestamp) -> impl Iterator<Item = &DecodingKey> {
        self.checking.iter().filter(move |key| is_valid_at(key, now)).map(|(_, key, _)| key)
    }
}

impl Tokens {
    /// Reads the key in `file`, or makes one there (mode 0600) at the first start. A damaged file is renamed and
    /// replaced: access tokens live for minutes, and browsers request new ones without a sign-in.
    /// Errors: `internal` when the file can neither be read nor written.
    pub fn open(file: &Path, clock: Clock, entropy: &Entropy) -> Result<Self> {
        replace_if_damaged(file)?;
        let key = match read_key(file)? {
            Some(key) if !key.pepper.is_empty() => key,
            old => {
                let new = KeyFile::new(entropy);
                let key = old.map_or_else(|| new.clone(), |old| KeyFile { pepper: new.pepper.clone(), ..old });
                write_key(file, &key)?;
                key
            }
        };
        Ok(Self::with(file, &key, clock))
    }

    /// Signs with a new key from now on. The old key stays valid until its last token expires; with `at_once` it is
    /// invalid now, and every client's next request needs a new token. Returns the new key's name.
    /// Errors: `internal` when the key cannot be written; the old one stays in use.
    pub fn rotate(&self, entropy: &Entropy, at_once: bool) -> Result<String> {
        // Held while the file is written: two rotations at the same time would lose a key.
        let mut keys = self.0.keys.write();
        let now = self.0.clock.now();
        let old = read_key(&self.0.file)?.ok_or_else(|| failed(&self.0.file, "it is gone"))?;
        let mut new = KeyFile { pepper: old.pepper, ..KeyFile::new(entropy) };
        if !at_once {
            new.before = old.before.into_iter().filter(|key| now < key.until).collect();
            new.before.push(Retired { kid: old.kid, secret: old.secret, until: now.plus_seconds(ACCESS_SECONDS) });
        }
        write_key(&self.0.file, &new)?;
        *keys = Keys::of(&new);
        let mut cache = self.0.cache.write();
        self.0.rotations.fetch_add(1, Ordering::Relaxed);
        cache.clear();
        Ok(new.kid)
    }

    fn with(file: &Path, key: &KeyFile, clock: Clock) -> Self {
        let mut validation = Validation::new(Algorithm::HS256);
        validation.set_issuer(&[ISSUER]);
        validation.set_audience(&[AUDIENCE]);
        validation.set_required_spec_claims(&["exp", "nbf", "aud", "iss", "sub"]);
        // The times are compared with our own clock below, without leeway.
        validation.validate_exp = false;
        validation.validate_nbf = false;
        Self(Arc::new(Inner {
            file: file.to_owned(),
            keys: RwLock::new(Keys::of(key)),
            pepper: Sha256::digest(&key.pepper).into(),
            validation,
            clock,
            rotations: AtomicU64::new(0),
            cache: RwLock::default(),
        }))
    }

    /// The secret part of password salts: the same for the life of the data directory.
    pub fn pepper(&self) -> [u8; 32] {
        self.0.pepper
    }

    /// Issues a token for a session. Returns it with its expiry.
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
        let keys = self.0.keys.read();
        let header =
            Header { typ: Some(TYPE.to_owned()), kid: Some(keys.kid.clone()), ..Header::new(Algorithm::HS256) };
        Ok((encode(&header, &claims, &keys.signing).map_err(Error::internal)?, ends))
    }

    /// Returns the claims of a token that is ours and valid now.
    /// Errors: `token_expired` for one of ours that has expired, `not_signed_in` for every other token, without a
    /// reason.
    pub fn check(&self, token: &str) -> Result<Arc<Claims>> {
        let rotations = self.0.rotations.load(Ordering::Relaxed);
        let cache = self.0.cache.read().get(token).cloned();
        let is_cached = cache.is_some();
        let claims = match cache {
            Some(claims) => claims,
            None => Arc::new(self.verify(token)?),
        };
        let now = self.0.clock.now().seconds();
        if now >= claims.exp {
            return Err(Error::new(Code::TokenExpired));
        }
        if now < claims.nbf {
            return Err(Error::new(Code::NotSignedIn));
        }
        if !is_cached {
            self.remember(token, &claims, now, rotations);
        }
        Ok(claims)
    }

    /// Signs a message other than an access token, for one purpose.
    pub fn sign(&self, purpose: &str, message: &[u8]) -> Result<String> {
        let keys = self.0.keys.read();
        crypto::sign(&signed(purpose, message), &keys.signing, Algorithm::HS256).map_err(Error::internal)
    }

    /// Checks whether a signature is ours, over this message and for this purpose.
    pub fn is_signed(&self, purpose: &str, message: &[u8], signature: &str) -> bool {
        let keys = self.0.keys.read();
        let now = self.0.clock.now();
        let message = signed(purpose, message);
        let is_by = |key| crypto::verify(signature, &message, key, Algorithm::HS256).unwrap_or(false);
        keys.valid_keys(now).any(is_by)
    }

    fn remember(&self, token: &str, claims: &Arc<Claims>, now: i64, rotations: u64) {
        let mut cache = self.0.cache.write();
        if self.0.rotations.load(Ordering::Relaxed) != rotations {
            return;
        }
        if cache.len() >= CACHED_TOKENS {
            cache.retain(|_, claims| now < claims.exp);
        }
        if cache.len() < CACHED_TOKENS {
            cache.insert(token.to_owned(), claims.clone());
        }
    }

    /// Verifies a token's signature and header. Does not check its times.
    fn verify(&self, token: &str) -> Result<Claims> {
        let refused = || Error::new(Code::NotSignedIn);
        let header = decode_header(token).map_err(|_| refused())?;
        if header.alg != Algorithm::HS256 || header.typ.as_deref() != Some(TYPE) {
            return Err(refused());
        }
        let keys = self.0.keys.read();
        let key = header.kid.and_then(|kid| keys.checking(&kid, self.0.clock.now())).ok_or_else(refused)?;
        Ok(decode::<Claims>(token, key, &self.0.validation).map_err(|_| refused())?.claims)
    }
}

/// Makes the key file for a restored data directory: with a new key, so that no earlier token is valid, and the
/// old pepper, so that the salts of passwords stay the same.
pub fn write_successor(file: &Path, into: &Path, entropy: &Entropy) -> Result<()> {
    let new = KeyFile::new(entropy);
    let old = read_key(file).unwrap_or_else(|error| {
        tracing::warn!(detail = ?error, "access: the existing signing key is invalid");
        None
    });
    let pepper = old.map(|old| old.pepper).filter(|pepper| !pepper.is_empty());
    write_key(into, &KeyFile { pepper: pepper.unwrap_or_else(|| new.pepper.clone()), ..new })
}

/// Signed messages begin with a byte that no token has, so that they can never be mistaken for one.
fn signed(purpose: &str, message: &[u8]) -> Vec<u8> {
    [b"\0", purpose.as_bytes(), b"\0", message].concat()
}

fn failed(file: &Path, why: impl std::fmt::Display) -> Error {
    Error::internal(format_args!("the key in {}: {why}", file.display()))
}

/// Renames a key file that exists but cannot be parsed.
fn replace_if_damaged(file: &Path) -> Result<()> {
    let Ok(text) = fs::read(file) else { return Ok(()) };
    let Err(why) = serde_json::from_slice::<KeyFile>(&text) else { return Ok(()) };
    let aside = file.with_extension("key.damaged");
    fs::rename(file, &aside).map_err(|error| failed(file, error))?;
    tracing::error!(file = %file.display(), aside = %aside.display(), %why, "access: signing key damaged, replaced");
    Ok(())
}

/// Reads the key in a file, if there is one.
fn read_key(file: &Path) -> Result<Option<KeyFile>> {
    match fs::read(file) {
        Ok(text) => serde_json::from_slice(&text).map(Some).map_err(|error| failed(file, error)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(failed(file, error)),
    }
}

/// Writes the key under another name first: a crash in between leaves the old key, not half of one.
fn write_key(file: &Path, key: &KeyFile) -> Result<()> {
    let text = serde_json::to_vec(key).map_err(Error::internal)?;
    let failed = |error| failed(file, error);
    let unfinished = file.with_extension("new");
    let mut options = fs::OpenOptions::new();
    let mut out = options.write(true).create(true).truncate(true).mode(0o600).open(&unfinished).map_err(failed)?;
    out.write_all(&text).and_then(|()| out.sync_all()).map_err(failed)?;
    fs::rename(&unfinished, file).map_err(failed)?;
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    fs::File::open(folder).and_then(|folder| folder.sync_all()).map_err(failed)
}

#[cfg(test)]
mod tests;
