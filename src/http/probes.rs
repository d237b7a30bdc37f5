//! Requests of `atrium doctor` to `/health/live`, recorded as they arrive, so that it learns what a proxy makes of them.

use std::{
    collections::VecDeque,
    sync::atomic::{AtomicBool, Ordering},
};

use http::{HeaderMap, header::HOST};
use parking_lot::Mutex;
use poem::Request;
use serde::{Deserialize, Serialize};

/// What precedes the token in the query.
const PARAMETER: &str = "probe=";
/// Tokens that are expected at a time; the oldest is forgotten first.
const MAX_TOKENS: usize = 8;
/// Requests that are recorded of a token.
const MAX_REQUESTS: usize = 8;
/// Longest header that is recorded, in bytes.
const MAX_HEADER_BYTES: usize = 512;

/// A request as it arrived.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Probe {
    /// The address of the peer: the client, or its proxy. `None` for a Unix socket.
    pub peer: Option<String>,
    /// The `Host` header.
    pub host: Option<String>,
    /// The `X-Forwarded-For` header.
    pub forwarded_for: Option<String>,
    /// The `Upgrade` header.
    pub upgrade: Option<String>,
}

/// The requests of the last tokens. Only requests with an expected token are recorded.
#[derive(Debug, Default)]
pub struct Probes {
    /// Whether a token is expected. Without one, a request costs no more than reading this.
    is_expecting: AtomicBool,
    tokens: Mutex<VecDeque<(String, Vec<Probe>)>>,
}

impl Probes {
    /// Records requests with this token from now on. Returns those that it already had.
    pub fn expect(&self, token: &str) -> Vec<Probe> {
        let mut tokens = self.tokens.lock();
        if let Some((_, probes)) = tokens.iter().find(|(known, _)| known == token) {
            return probes.clone();
        }
        tokens.truncate(MAX_TOKENS - 1);
        tokens.push_front((token.to_owned(), Vec::new()));
        self.is_expecting.store(true, Ordering::Release);
        Vec::new()
    }

    /// Records a request whose query has an expected token.
    pub(super) fn record(&self, request: &Request) {
        if !self.is_expecting.load(Ordering::Acquire) {
            return;
        }
        let Some(token) = request.uri().query().and_then(|query| query.strip_prefix(PARAMETER)) else { return };
        let mut tokens = self.tokens.lock();
        if let Some((_, probes)) = tokens.iter_mut().find(|(known, _)| known == token)
            && probes.len() < MAX_REQUESTS
        {
            let headers = request.headers();
            probes.push(Probe {
                peer: request.remote_addr().as_socket_addr().map(|peer| peer.ip().to_canonical().to_string()),
                host: header(headers, HOST.as_str())
                    .or_else(|| request.uri().authority().map(|authority| authority.as_str().to_owned())),
                forwarded_for: header(headers, "x-forwarded-for"),
                upgrade: header(headers, "upgrade"),
            });
        }
    }
}

fn header(headers: &HeaderMap, name: &str) -> Option<String> {
    let text = headers.get(name)?.to_str().ok()?;
    Some(text.chars().take(MAX_HEADER_BYTES).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(query: &str) -> Request {
        let request = Request::builder().uri(format!("/health/live{query}").parse().unwrap());
        request.header("host", "atrium.example").header("x-forwarded-for", "203.0.113.9").finish()
    }

    #[test]
    fn records_requests_with_an_expected_token_only() {
        let probes = Probes::default();
        probes.record(&request("?probe=a"));
        assert_eq!(probes.expect("a"), []);
        for query in ["", "?probe=b", "?other=a", "?probe=a"] {
            probes.record(&request(query));
        }
        let seen = probes.expect("a");
        assert_eq!(seen.len(), 1);
        assert_eq!(seen[0].host.as_deref(), Some("atrium.example"));
        assert_eq!((seen[0].forwarded_for.as_deref(), seen[0].upgrade.as_deref()), (Some("203.0.113.9"), None));
    }

    #[test]
    fn keeps_few_tokens_and_requests() {
        let probes = Probes::default();
        probes.expect("first");
        for _ in 0..20 {
            probes.record(&request("?probe=first"));
        }
        assert_eq!(probes.expect("first").len(), MAX_REQUESTS);
        for other in 0..MAX_TOKENS {
            probes.expect(&other.to_string());
        }
        assert_eq!(probes.expect("first"), [], "the oldest was forgotten");
    }
}
