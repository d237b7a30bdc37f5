//! HTTP client for providers: https only (or this machine), no redirects, ten seconds and one megabyte at most.

use std::time::Duration;

use openidconnect::{HttpRequest, HttpResponse};
use url::{Host, Url};

use crate::kernel::resolver::http_agent;

/// The time limit of an answer.
const PATIENCE: Duration = Duration::from_secs(10);
/// The size limit of an answer, in bytes.
const LONGEST: u64 = 1 << 20;

/// Why a provider did not answer.
#[derive(Debug, thiserror::Error)]
pub(super) enum Failure {
    /// The connection would not be safe.
    #[error("{0} is neither https nor this machine")]
    Insecure(String),
    /// The request failed.
    #[error("{0}")]
    Http(#[from] Box<ureq::Error>),
}

/// Whether an address is reached by https or on this machine, so that no one can listen in.
pub(super) fn is_safe(url: &Url) -> bool {
    let local = match url.host() {
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        Some(Host::Domain(name)) => name == "localhost",
        None => false,
    };
    let plain = url.username().is_empty() && url.password().is_none();
    plain && (url.scheme() == "https" || (url.scheme() == "http" && local))
}

/// Sends a request.
pub(super) fn call(request: HttpRequest) -> Result<HttpResponse, Failure> {
    let target = request.uri().to_string();
    if !Url::parse(&target).is_ok_and(|url| is_safe(&url)) {
        return Err(Failure::Insecure(target));
    }
    let agent = http_agent(PATIENCE, None, None);
    let (parts, mut body) = agent.run(request).map_err(Box::new)?.into_parts();
    let body = body.with_config().limit(LONGEST).read_to_vec().map_err(Box::new)?;
    Ok(HttpResponse::from_parts(parts, body))
}

#[cfg(test)]
mod tests {
    use std::{
        io::{Read as _, Write as _},
        net::TcpListener,
    };

    use super::*;

    #[test]
    fn https_call_to_a_server_without_tls_fails() {
        let server = TcpListener::bind("127.0.0.1:0").unwrap();
        let target = format!("https://{}/", server.local_addr().unwrap());
        let plain = std::thread::spawn(move || {
            let (mut client, _) = server.accept().unwrap();
            client.read_exact(&mut [0; 5]).unwrap();
            client.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n").unwrap();
        });
        let request = HttpRequest::new(Vec::new());
        let (mut parts, body) = request.into_parts();
        parts.uri = target.parse().unwrap();
        let answer = call(HttpRequest::from_parts(parts, body));
        assert!(matches!(answer, Err(Failure::Http(_))), "{answer:?}");
        plain.join().unwrap();
    }

    #[test]
    fn only_https_and_loopback_urls_are_safe() {
        for (address, safe) in [
            ("https://id.example/", true),
            ("http://127.0.0.1:3000/", true),
            ("http://[::1]:3000/", true),
            ("http://localhost:3000/", true),
            ("http://id.example/", false),
            ("http://10.0.0.1/", false),
            ("http://localhost.evil.example/", false),
            ("https://user:secret@id.example/", false),
            ("file:///etc/passwd", false),
            ("ftp://127.0.0.1/", false),
        ] {
            assert_eq!(is_safe(&Url::parse(address).unwrap()), safe, "{address}");
        }
    }
}
