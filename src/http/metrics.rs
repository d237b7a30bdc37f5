//! The endpoint of `/metrics`, in Prometheus' text format.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use http::{Method, header::CACHE_CONTROL};
use poem::{Endpoint, Request, Response};
use tokio::sync::Mutex;

use super::{
    host,
    monitoring::{MonitoringToken, has_known_host},
};
use crate::{
    kernel::{Code, Error, Result},
    wire::Problem,
};

/// The content type of the text format.
const CONTENT_TYPE: &str = "text/plain; version=0.0.4; charset=utf-8";

/// Returns the metrics as text: with those that name companies, or without.
pub type RenderMetrics = Arc<dyn Fn(bool) -> BoxFuture<'static, Result<String>> + Send + Sync>;

/// Which requests get the metrics.
pub enum MetricsAccess {
    /// Those with the token.
    Token(MonitoringToken),
    /// At the address that is for metrics alone: those whose host is an IP address, `localhost` or one of these names, in
    /// lower case, so that no web page can read them. Every user of the machine may be able to send one, so that these
    /// metrics name no companies.
    Hosts(Vec<String>),
}

/// The endpoint of `/metrics`.
pub struct Metrics {
    render: RenderMetrics,
    access: MetricsAccess,
    /// Held while the metrics are made: they read the disk, so requests take turns.
    turn: Mutex<()>,
}

impl Metrics {
    /// Creates the endpoint.
    pub fn new(render: RenderMetrics, access: MetricsAccess) -> Self {
        Self { render, access, turn: Mutex::default() }
    }

    async fn answer(&self, request: &Request) -> Result<Response> {
        if request.uri().path() != "/metrics" {
            return Err(Error::not_found());
        }
        if request.method() != Method::GET && request.method() != Method::HEAD {
            return Err(Error::new(Code::MethodNotAllowed));
        }
        match &self.access {
            MetricsAccess::Token(token) if !token.is_in(request.headers()) => {
                return Err(Error::new(Code::NotSignedIn));
            }
            MetricsAccess::Hosts(names) if !has_known_host(request, names) => {
                return Err(host::refused("another host"));
            }
            _ => {}
        }
        let _turn = self.turn.lock().await;
        let text = (self.render)(matches!(self.access, MetricsAccess::Token(_))).await?;
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
        let render: RenderMetrics = Arc::new(|_| Box::pin(async { Ok("a 1\n".to_owned()) }));
        let token = || MetricsAccess::Token(MonitoringToken::new("a token that is long"));
        let alone = || MetricsAccess::Hosts(Vec::new());
        for (access, method, path, authorization, expected) in [
            (alone(), "GET", "/metrics", None, 200),
            (alone(), "GET", "/", None, 404),
            (alone(), "POST", "/metrics", None, 405),
            (token(), "GET", "/metrics", None, 401),
            (token(), "GET", "/metrics", Some("Bearer another token"), 401),
            (token(), "GET", "/metrics", Some("Bearer a token that is long"), 200),
        ] {
            let endpoint = Metrics::new(Arc::clone(&render), access);
            let mut request = Request::builder().method(method.parse().unwrap()).uri(path.parse().unwrap());
            request = request.header("host", "127.0.0.1:9464");
            if let Some(authorization) = authorization {
                request = request.header("authorization", authorization);
            }
            let answer = endpoint.call(request.finish()).await;
            let status = answer.map_or_else(|error| error.status().as_u16(), |answer| answer.status().as_u16());
            assert_eq!(status, expected, "{method} {path} {authorization:?}");
        }
    }

    #[tokio::test]
    async fn metrics_at_their_own_address_are_not_for_pages_of_other_hosts() {
        let render: RenderMetrics = Arc::new(|names_companies| {
            assert!(!names_companies, "everybody on the machine may read them");
            Box::pin(async { Ok("a 1\n".to_owned()) })
        });
        let endpoint = Metrics::new(render, MetricsAccess::Hosts(vec!["metrics.internal".to_owned()]));
        for (hosts, expected) in [
            (&["127.0.0.1:9464"][..], 200),
            (&["203.0.113.9"], 200),
            (&["[2001:db8::1]:9464"], 200),
            (&["localhost:9464"], 200),
            (&["Metrics.internal:9464"], 200),
            (&["rebound.example:9464"], 400),
            (&["metrics.internal.rebound.example"], 400),
            (&["127.0.0.1", "127.0.0.1"], 400),
            (&[], 400),
        ] {
            let request = Request::builder().uri("/metrics".parse().unwrap());
            let request = hosts.iter().fold(request, |request, host| request.header("host", *host));
            let answer = endpoint.call(request.finish()).await;
            let status = answer.map_or_else(|error| error.status().as_u16(), |answer| answer.status().as_u16());
            assert_eq!(status, expected, "{hosts:?}");
        }
    }
}
