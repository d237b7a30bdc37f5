//! Access to the figures of the operator: from this machine, or with the token of `metrics.token_file`.

use http::{HeaderMap, header::AUTHORIZATION, uri::Authority};
use poem::Request;
use sha2::{Digest as _, Sha256};

use super::host;

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

/// Whether a program on this machine sent the request itself, on a server without a proxy on the same machine: it comes
/// from a loopback address, was not forwarded, and names this machine as host, which a web page of another host cannot
/// make a browser do.
pub(super) fn is_from_this_machine(request: &Request) -> bool {
    let peer = request.remote_addr().as_socket_addr().map(|address| address.ip().to_canonical());
    let headers = request.headers();
    let is_forwarded = FORWARDING_HEADERS.iter().any(|name| headers.contains_key(*name));
    let named = host::named_by(request).ok().flatten();
    let names_this_machine = named.as_ref().map(Authority::host).is_some_and(is_loopback);
    peer.is_some_and(|peer| peer.is_loopback()) && !is_forwarded && names_this_machine
}

fn is_loopback(host: &str) -> bool {
    is_localhost(host) || host::ip_address(host).is_some_and(|address| address.is_loopback())
}

fn is_localhost(host: &str) -> bool {
    host.eq_ignore_ascii_case("localhost")
}

/// Whether a web page of another host cannot make a browser send the request (DNS rebinding): its host is an IP address,
/// `localhost` or one of `names`, in lower case.
pub(super) fn has_known_host(request: &Request, names: &[String]) -> bool {
    let named = host::named_by(request).ok().flatten();
    named.as_ref().map(Authority::host).is_some_and(|host| {
        is_localhost(host)
            || host::ip_address(host).is_some()
            || names.iter().any(|name| host.eq_ignore_ascii_case(name))
    })
}
