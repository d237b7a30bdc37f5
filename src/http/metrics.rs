//! The endpoint of `/metrics`, in Prometheus' text format.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use http::{Method, header::CACHE_CONTROL};
use poem::{Endpoint, Request, Response};
use tokio::sync::Mutex;

use super::monitoring::MonitoringToken;
use crate::{
    kernel::{Code, Error, Result},
    wire::Problem,
};

/// The content type of the text format.
const CONTENT_TYPE: &str = "text/plain; version=0.0.4; charset=utf-8";

/// Returns the metrics as text.
pub type RenderMetrics = Arc<dyn Fn() -> BoxFuture<'static, Result<String>> + Send + Sync>;

/// The endpoint of `/metrics`.
pub struct Metrics {
    render: RenderMetrics,
    /// The token that a request must have; `None` at the address that is for metrics alone.
    token: Option<MonitoringToken>,
    /// Held while the metrics are made: they read the disk, so requests take turns.
    turn: Mutex<()>,
}

impl Metrics {
    /// Creates the endpoint.
    pub fn new(render: RenderMetrics, token: Option<MonitoringToken>) -> Self {
        Self { render, token, turn: Mutex::default() }
    }

    async fn answer(&self, request: &Request) -> Result<Response> {
        if request.uri().path() != "/metrics" {
            return Err(Error::not_found());
        }
        if request.method() != Method::GET && request.method() != Method::HEAD {
            return Err(Error::new(Code::MethodNotAllowed));
        }
        if self.token.as_ref().is_some_and(|token| !token.is_in(request.headers())) {
            return Err(Error::new(Code::NotSignedIn));
        }
        let _turn = self.turn.lock().await;
        let text = (self.render)().await?;
        Ok(Response::builder().content_type(CONTENT_TYPE).header(CACHE_CONTROL, "no-store").body(text))
    }
}

impl Endpoint for Metrics {
    type Output = Response;

    async fn call(&self, request: Request) -> poem::Result<Response> {
        self.answer(&request).await.map_err(|error| Problem(error).into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn metrics_need_the_token_unless_the_address_is_theirs_alone() {
        let render: RenderMetrics = Arc::new(|| Box::pin(async { Ok("a 1\n".to_owned()) }));
        let token = Some(MonitoringToken::new("a token that is long"));
        for (token, method, path, authorization, expected) in [
            (None, "GET", "/metrics", None, 200),
            (None, "GET", "/", None, 404),
            (None, "POST", "/metrics", None, 405),
            (token.clone(), "GET", "/metrics", None, 401),
            (token.clone(), "GET", "/metrics", Some("Bearer another token"), 401),
            (token, "GET", "/metrics", Some("Bearer a token that is long"), 200),
        ] {
            let endpoint = Metrics::new(Arc::clone(&render), token);
            let mut request = Request::builder().method(method.parse().unwrap()).uri(path.parse().unwrap());
            if let Some(authorization) = authorization {
                request = request.header("authorization", authorization);
            }
            let answer = endpoint.call(request.finish()).await;
            let status = answer.map_or_else(|error| error.status().as_u16(), |answer| answer.status().as_u16());
            assert_eq!(status, expected, "{method} {path} {authorization:?}");
        }
    }
}
