//! Health checks for monitoring: liveness and readiness.

use std::sync::Arc;

use http::Method;
use poem::{Endpoint, Request, Response};
use serde_json::json;

use crate::{
    kernel::{Code, Error, Result},
    wire::Problem,
};

/// Readiness check: returns the current problems as stable identifiers, or an error if not even reads are served.
pub type Ready = Arc<dyn Fn() -> Result<Vec<&'static str>> + Send + Sync>;

/// The endpoint of `/health/live` and `/health/ready`.
pub struct Health(Ready);

impl Health {
    /// Creates the endpoint; `ready` is the readiness check.
    pub fn new(ready: Ready) -> Self {
        Self(ready)
    }

    fn answer(&self, request: &Request) -> Result<Response> {
        if request.method() != Method::GET && request.method() != Method::HEAD {
            return Err(Error::new(Code::MethodNotAllowed));
        }
        let reasons = match request.uri().path() {
            "/health/live" => Vec::new(),
            "/health/ready" => (self.0)()?,
            _ => return Err(Error::not_found()),
        };
        let body = match reasons.as_slice() {
            [] => json!({ "status": "ok" }),
            reasons => json!({ "status": "degraded", "reasons": reasons }),
        };
        Ok(Response::builder().content_type("application/json").body(body.to_string()))
    }
}

impl Endpoint for Health {
    type Output = Response;

    async fn call(&self, request: Request) -> poem::Result<Response> {
        self.answer(&request).map_err(|error| Problem(error).into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn status(ready: Result<()>, method: &str, path: &str) -> u16 {
        let ready = ready.is_ok();
        let health = Health::new(Arc::new(move || if ready { Ok(Vec::new()) } else { Err(Error::new(Code::Busy)) }));
        let request = Request::builder().method(method.parse().unwrap()).uri(path.parse().unwrap()).finish();
        health.call(request).await.map_or_else(|error| error.status().as_u16(), |answer| answer.status().as_u16())
    }

    #[tokio::test]
    async fn ready_reports_degraded_with_reasons_while_reads_work() {
        let health = Health::new(Arc::new(|| Ok(vec!["disk-full", "damaged"])));
        let request = |path: &str| Request::builder().uri(path.parse().unwrap()).finish();
        let mut ready = health.call(request("/health/ready")).await.unwrap();
        let body: serde_json::Value = ready.take_body().into_json().await.unwrap();
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
}
