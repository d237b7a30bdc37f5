//! Access to the figures of the operator: from this machine, or with the token of `metrics.token_file`.

use std::net::IpAddr;

use http::{
    HeaderMap,
    header::{AUTHORIZATION, HOST},
    uri::Authority,
};
use poem::Request;
use sha2::{Digest as _, Sha256};

/// Headers that proxies add to requests of others.
const FORWARDING_HEADERS: [&str; 6] =
    ["forwarded", "via", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto", "x-real-ip"];

/// The token that lets a request see the operator's figures. Only its digest is kept, and compared.
#[derive(Clone)]
pub struct MonitoringToken([u8; 32]);

impl MonitoringToken {
    /// Creates the token.
    pub fn new(token: &str) -> Self {
        Self(Sha256::digest(token).into())
    }

    /// Whether a request has the token.
    pub(super) fn is_in(&self, headers: &HeaderMap) -> bool {
        let bearer = headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok());
        let sent = bearer.and_then(|bearer| bearer.split_once(' ')).filter(|(scheme, _)| {
            // The scheme's case does not count (RFC 9110 §11.1).
            scheme.eq_ignore_ascii_case("bearer")
        });
        sent.is_some_and(|(_, token)| <[u8; 32]>::from(Sha256::digest(token.trim())) == self.0)
    }
}

/// Whether a program on this machine sent the request itself: it comes from a loopback address, was not forwarded, and
/// names this machine as host, which a web page of another host cannot make a browser do.
pub(super) fn is_from_this_machine(request: &Request) -> bool {
    let peer = request.remote_addr().as_socket_addr().map(|address| address.ip().to_canonical());
    let headers = request.headers();
    let is_forwarded = FORWARDING_HEADERS.iter().any(|name| headers.contains_key(*name));
    let authority = headers.get(HOST).and_then(|host| Authority::try_from(host.as_bytes()).ok());
    let host = authority.as_ref().or(request.uri().authority()).map(Authority::host);
    peer.is_some_and(|peer| peer.is_loopback()) && !is_forwarded && host.is_none_or(is_loopback)
}

fn is_loopback(host: &str) -> bool {
    let address = host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
    host.eq_ignore_ascii_case("localhost") || address.is_ok_and(|address| address.is_loopback())
}
