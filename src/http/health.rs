//! Health checks for monitoring: liveness and readiness for everyone, details for the operator.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use http::Method;
use poem::{Endpoint, Request, Response};
use serde_json::{Value, json};

use super::{
    monitoring::{MonitoringToken, is_from_this_machine},
    probes::Probes,
};
use crate::{
    kernel::{Code, Error, Result},
    wire::Problem,
};

/// Readiness check: returns the current problems as stable identifiers, or an error if not even reads are served.
pub type Ready = Arc<dyn Fn() -> Result<Vec<&'static str>> + Send + Sync>;

/// Returns the details that only the operator may see.
pub type Details = Arc<dyn Fn() -> BoxFuture<'static, Result<Value>> + Send + Sync>;

/// Who may see the details.
pub struct DetailsAccess {
    /// Whether requests that a program on this machine sends itself may: no proxy on this machine forwards requests of
    /// others.
    pub is_local: bool,
    /// The token with which all requests may.
    pub token: Option<MonitoringToken>,
}

/// The endpoint of `/health/live`, `/health/ready` and `/health/details`.
pub struct Health {
    ready: Ready,
    details: Details,
    access: DetailsAccess,
    probes: Arc<Probes>,
}

impl Health {
    /// Creates the endpoint; `ready` is the readiness check.
    pub fn new(ready: Ready, details: Details, access: DetailsAccess) -> Self {
        Self { ready, details, access, probes: Arc::default() }
    }

    /// Records requests of `atrium doctor` to `/health/live`.
    pub fn with_probes(self, probes: Arc<Probes>) -> Self {
        Self { probes, ..self }
    }

    fn may_see_details(&self, request: &Request) -> bool {
        let DetailsAccess { is_local, token } = &self.access;
        (*is_local && is_from_this_machine(request))
            || token.as_ref().is_some_and(|token| token.is_in(request.headers()))
    }

    async fn answer(&self, request: &Request) -> Result<Response> {
        let json = |body: Value| Ok(Response::builder().content_type("application/json").body(body.to_string()));
        let is_details = request.uri().path() == "/health/details";
        if request.method() != Method::GET && request.method() != Method::HEAD {
            return Err(Error::new(Code::MethodNotAllowed));
        }
        // For everyone else, it is a path like any unknown one.
        if is_details && self.may_see_details(request) {
            return json((self.details)().await?);
        }
        let reasons = match request.uri().path() {
            "/health/live" => {
                self.probes.record(request);
                Vec::new()
            }
            "/health/ready" => (self.ready)()?,
            _ => return Err(Error::not_found()),
        };
        json(match reasons.as_slice() {
            [] => json!({ "status": "ok" }),
            reasons => json!({ "status": "degraded", "reasons": reasons }),
        })
    }
}

impl Endpoint for Health {
    type Output = Response;

    async fn call(&self, request: Request) -> poem::Result<Response> {
        self.answer(&request).await.map_err(|error| Problem(error).into())
    }
}

#[cfg(test)]
mod tests {
    use poem::web::{LocalAddr, RemoteAddr};

    use super::*;

    fn health(ready: Ready, access: DetailsAccess) -> Health {
        Health::new(ready, Arc::new(|| Box::pin(async { Ok(json!({ "status": "warning" })) })), access)
    }

    const LOCAL: DetailsAccess = DetailsAccess { is_local: true, token: None };

    async fn status(ready: Result<()>, method: &str, path: &str) -> u16 {
        let ready = ready.is_ok();
        let health = health(Arc::new(move || if ready { Ok(Vec::new()) } else { Err(Error::new(Code::Busy)) }), LOCAL);
        let request = Request::builder().method(method.parse().unwrap()).uri(path.parse().unwrap()).finish();
        health.call(request).await.map_or_else(|error| error.status().as_u16(), |answer| answer.status().as_u16())
    }

    #[tokio::test]
    async fn ready_reports_degraded_with_reasons_while_reads_work() {
        let health = health(Arc::new(|| Ok(vec!["disk-full", "damaged"])), LOCAL);
        let request = |path: &str| Request::builder().uri(path.parse().unwrap()).finish();
        let mut ready = health.call(request("/health/ready")).await.unwrap();
        let body: Value = ready.take_body().into_json().await.unwrap();
        assert_eq!(body, json!({ "status": "degraded", "reasons": ["disk-full", "damaged"] }));
        let live = health.call(request("/health/live")).await.unwrap().take_body().into_string().await.unwrap();
        assert_eq!(live, r#"{"status":"ok"}"#);
    }

    #[tokio::test]
    async fn live_returns_200_even_when_not_ready() {
        for (ready, method, path, expected) in [
            (true, "GET", "/health/live", 200),
            (true, "HEAD", "/health/live", 200),
            (true, "GET", "/health/ready", 200),
            (false, "GET", "/health/live", 200),
            (false, "GET", "/health/ready", 503),
            (true, "POST", "/health/live", 405),
            (true, "GET", "/health", 404),
            (true, "GET", "/health/other", 404),
        ] {
            let ready = if ready { Ok(()) } else { Err(Error::new(Code::Busy)) };
            assert_eq!(status(ready, method, path).await, expected, "{method} {path}");
        }
    }

    /// Returns the status of the details for a request from `peer` with these headers.
    async fn details_from(peer: &str, is_local: bool, headers: &[(&str, &str)]) -> u16 {
        let token = Some(MonitoringToken::new("a token that is long"));
        let health = health(Arc::new(|| Ok(Vec::new())), DetailsAccess { is_local, token });
        let mut request = http::Request::builder().uri("/health/details");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let address: std::net::SocketAddr = peer.parse().unwrap();
        let remote = RemoteAddr(poem::Addr::SocketAddr(address));
        let local = LocalAddr(poem::Addr::SocketAddr(address));
        let request = request.body(poem::Body::empty()).unwrap();
        let (head, body) = request.into_parts();
        let head = poem::RequestParts::from((head, local, remote, http::uri::Scheme::HTTP));
        let request = Request::from_parts(head, body);
        health.call(request).await.map_or_else(|error| error.status().as_u16(), |answer| answer.status().as_u16())
    }

    #[tokio::test]
    async fn details_are_for_this_machine_and_for_the_token() {
        for (peer, headers, expected) in [
            ("127.0.0.1:1", &[("host", "localhost:8080")][..], 200),
            ("127.0.0.1:1", &[], 404),
            ("127.0.0.1:1", &[("host", "localhost"), ("host", "localhost")], 404),
            ("[::1]:1", &[("host", "[::1]:8080")], 200),
            ("[::ffff:127.0.0.1]:1", &[("host", "127.0.0.1")], 200),
            ("127.0.0.1:1", &[("host", "evil.example")], 404),
            ("127.0.0.1:1", &[("host", "localhost"), ("x-forwarded-for", "203.0.113.9")], 404),
            ("127.0.0.1:1", &[("host", "localhost"), ("forwarded", "for=127.0.0.1")], 404),
            ("127.0.0.1:1", &[("host", "localhost"), ("x-real-ip", "127.0.0.1")], 404),
            ("203.0.113.9:1", &[("host", "localhost")], 404),
            ("203.0.113.9:1", &[("x-forwarded-for", "127.0.0.1")], 404),
            ("203.0.113.9:1", &[("authorization", "Bearer a token that is long")], 200),
            ("203.0.113.9:1", &[("authorization", "bearer  a token that is long")], 200),
            (
                "127.0.0.1:1",
                &[("x-forwarded-for", "203.0.113.9"), ("authorization", "Bearer a token that is long")],
                200,
            ),
            ("203.0.113.9:1", &[("authorization", "Bearer a token that is longer")], 404),
            ("203.0.113.9:1", &[("authorization", "Basic a token that is long")], 404),
        ] {
            assert_eq!(details_from(peer, true, headers).await, expected, "{peer} {headers:?}");
        }
    }

    #[tokio::test]
    async fn behind_a_proxy_on_this_machine_details_are_for_the_token_alone() {
        for (headers, expected) in [
            (&[("host", "localhost")][..], 404),
            (&[("host", "localhost"), ("authorization", "Bearer a token that is long")], 200),
        ] {
            assert_eq!(details_from("127.0.0.1:1", false, headers).await, expected, "{headers:?}");
        }
    }
}
