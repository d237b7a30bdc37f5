//! Cache of the metadata and keys of providers (OpenID Connect Discovery). Only providers that the operator lists are
//! ever requested, so it stays small.

use std::{collections::HashMap, sync::Arc};

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use openidconnect::{
    IssuerUrl, TokenUrl,
    core::{CoreJsonWebKey, CoreJsonWebKeySet, CoreProviderMetadata},
};
use parking_lot::Mutex;
use tokio::sync::Semaphore;

use super::http::{self, Failure};
use crate::kernel::{Code, Error, Result, Timestamp};

/// Milliseconds for which metadata is cached.
const METADATA_CACHE_MILLIS: i64 = 60 * 60_000;
/// Requests to providers at once: each takes a thread.
const AT_ONCE: usize = 4;

/// Bytes of the shortest RSA key that is accepted.
const RSA_BYTES: usize = 256;

/// A provider's metadata.
pub(super) type Metadata = Arc<CoreProviderMetadata>;

/// The metadata of all providers that were requested.
pub(super) struct Directory {
    known: Mutex<HashMap<String, (Timestamp, Metadata)>>,
    permits: Arc<Semaphore>,
}

impl Default for Directory {
    fn default() -> Self {
        Self { known: Mutex::default(), permits: Arc::new(Semaphore::new(AT_ONCE)) }
    }
}

/// Returns the error of an unreachable provider, with the cause for the log.
pub(super) fn unreachable(error: impl std::fmt::Display) -> Error {
    Error::new(Code::Busy).retry_after(5).with_detail(format_args!("single sign-on: {error}"))
}

impl Directory {
    /// Runs a request to a provider on a blocking thread.
    /// Errors: `busy` when too many run already.
    pub(super) async fn ask<T: Send + 'static>(&self, work: impl FnOnce() -> Result<T> + Send + 'static) -> Result<T> {
        let permit = self.permits.clone().try_acquire_owned();
        let permit = permit.map_err(|_| Error::new(Code::Busy).retry_after(1).with_detail("all permits are in use"))?;
        let asking = tokio::task::spawn_blocking(move || {
            let answer = work();
            drop(permit);
            answer
        });
        asking.await.map_err(Error::internal)?
    }

    /// Returns a provider's metadata, not older than an hour, or newer than `since`.
    pub(super) async fn find(&self, issuer: &str, now: Timestamp, since: Option<Timestamp>) -> Result<Metadata> {
        let oldest = since.unwrap_or(now.plus_millis(-METADATA_CACHE_MILLIS));
        let known = self.known.lock().get(issuer).cloned();
        if let Some((_, metadata)) = known.filter(|(at, _)| *at > oldest && *at <= now) {
            return Ok(metadata);
        }
        let url = IssuerUrl::new(issuer.to_owned()).map_err(Error::internal)?;
        let metadata = self.ask(move || discover(&url)).await?;
        let mut known = self.known.lock();
        known.insert(issuer.to_owned(), (now, metadata.clone()));
        Ok(metadata)
    }
}

fn discover(issuer: &IssuerUrl) -> Result<Metadata> {
    let client = |request| http::call(request);
    let metadata = CoreProviderMetadata::discover(issuer, &client).map_err(|error| unreachable(describe(&error)))?;
    let token = metadata.token_endpoint().map(TokenUrl::url);
    if !token.is_some_and(http::is_safe) || !http::is_safe(metadata.authorization_endpoint().url()) {
        return Err(unreachable(Failure::Insecure(issuer.to_string())));
    }
    let keys = strong(metadata.jwks());
    Ok(Arc::new(metadata.set_jwks(keys)))
}

/// Returns the keys of a provider without RSA keys of fewer than 2,048 bits, whose signatures prove nothing.
fn strong(keys: &CoreJsonWebKeySet) -> CoreJsonWebKeySet {
    let is_strong = |key: &&CoreJsonWebKey| {
        let Ok(key) = serde_json::to_value(key) else { return false };
        key.get("n").is_none_or(|modulus| {
            let bytes = modulus.as_str().and_then(|text| URL_SAFE_NO_PAD.decode(text).ok()).unwrap_or_default();
            bytes.iter().skip_while(|byte| **byte == 0).count() >= RSA_BYTES
        })
    };
    CoreJsonWebKeySet::new(keys.keys().iter().filter(is_strong).cloned().collect())
}

/// Formats an error with its causes.
pub(super) fn describe(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text = format!("{text}: {error}");
        cause = error.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use openidconnect::JsonWebKey as _;
    use serde_json::json;

    use super::*;

    #[test]
    fn ignores_short_rsa_keys() {
        let key = |id: &str, bytes: usize| {
            let modulus = URL_SAFE_NO_PAD.encode(vec![0xc5; bytes]);
            json!({"kty": "RSA", "kid": id, "use": "sig", "alg": "RS256", "n": modulus, "e": "AQAB"})
        };
        let curve = json!({"kty": "OKP", "kid": "ed", "crv": "Ed25519", "x": URL_SAFE_NO_PAD.encode([7; 32])});
        let mut padded = key("padded", 128);
        padded["n"] = URL_SAFE_NO_PAD.encode([vec![0; 200], vec![0xc5; 128]].concat()).into();
        let keys = json!({"keys": [key("short", 128), key("long", 256), key("longer", 512), curve, padded]});
        let keys: CoreJsonWebKeySet = serde_json::from_value(keys).unwrap();
        let left: Vec<_> = strong(&keys).keys().iter().filter_map(|key| Some(key.key_id()?.to_string())).collect();
        assert_eq!(left, ["long", "longer", "ed"]);
    }
}
