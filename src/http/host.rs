//! The host that a request names (RFC 9112 §3.2).

use std::net::IpAddr;

use http::{header::HOST, uri::Authority};
use poem::Request;

use crate::kernel::{Code, Error, Result};

/// Returns the host that a request names, with its port. HTTP/1.0 needs none.
/// Errors: `bad_request` when the request names two hosts, as a proxy and this server could use different ones; when its
/// host is not valid, or not that of its target.
pub(super) fn named_by(request: &Request) -> Result<Option<Authority>> {
    let target = request.uri().authority();
    let mut given = request.headers().get_all(HOST).iter();
    let first = given.next();
    let further = given.next();
    if further.is_some() {
        return Err(refused("two hosts"));
    }
    let Some(host) = first else { return Ok(target.cloned()) };
    match Authority::try_from(host.as_bytes()) {
        Ok(host) if host.as_str().contains('@') => Err(refused("a host with a user")),
        Ok(host) if target.is_none_or(|target| *target == host) => Ok(Some(host)),
        Ok(_) => Err(refused("a host that is not the target's")),
        Err(_) => Err(refused("no host name")),
    }
}

/// Returns the error for a host that is not accepted.
pub(super) fn refused(why: &str) -> Error {
    Error::new(Code::BadRequest).and_field("Host", "errors.fields.host", vec![]).with_detail(why)
}

/// Returns the IP address that a host is; an IPv6 address is in brackets there.
pub(super) fn ip_address(host: &str) -> Option<IpAddr> {
    host.trim_start_matches('[').trim_end_matches(']').parse().ok()
}
