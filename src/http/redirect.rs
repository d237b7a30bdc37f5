//! The http address of a server with TLS: redirects to https, and answers challenges of an ACME authority (RFC 8555
//! §8.3).

use std::{collections::HashMap, sync::Arc};

use http::{
    StatusCode, Uri,
    header::{CACHE_CONTROL, CONTENT_TYPE, LOCATION},
    uri::PathAndQuery,
};
use parking_lot::RwLock;
use poem::{Endpoint, Request, Response};
use url::Url;

use super::{host, path};
use crate::{
    kernel::{Error, Result},
    wire::Problem,
};

/// The folder of the answers to challenges.
const CHALLENGE_PATH: &str = "/.well-known/acme-challenge/";

/// The answers to an authority's challenges, by token.
#[derive(Debug, Default)]
pub struct Challenges(RwLock<HashMap<String, String>>);

impl Challenges {
    /// Answers a challenge, or no longer.
    pub fn set(&self, token: &str, answer: Option<String>) {
        let mut answers = self.0.write();
        match answer {
            Some(answer) => answers.insert(token.to_owned(), answer),
            None => answers.remove(token),
        };
    }

    fn of(&self, token: &str) -> Option<String> {
        self.0.read().get(token).cloned()
    }
}

/// Whether the installation serves a host, in lower case and without a port.
pub type IsServed = Arc<dyn Fn(&str) -> bool + Send + Sync>;

/// The endpoint.
#[derive(Clone)]
pub struct Redirect {
    challenges: Arc<Challenges>,
    public_url: Option<Url>,
    is_served: IsServed,
}

impl Redirect {
    /// Creates the endpoint of an installation that is reached at `public_url`, and at the hosts that it serves.
    pub fn new(challenges: Arc<Challenges>, public_url: Option<Url>, is_served: IsServed) -> Self {
        Self { challenges, public_url, is_served }
    }

    fn answer(&self, request: &Request) -> Result<Response> {
        let host = host::named_by(request)?.map(|named| named.host().to_ascii_lowercase());
        let path = request.uri().path();
        if let Some(token) = path.strip_prefix(CHALLENGE_PATH) {
            return Ok(match self.challenges.of(token) {
                Some(answer) => Response::builder().header(CONTENT_TYPE, "application/octet-stream").body(answer),
                None => Response::builder().status(StatusCode::NOT_FOUND).finish(),
            });
        }
        // What a program sends here can be read on the way, so that it must not work.
        let is_page = request.method().is_safe() && !path::is_api(path);
        let status = if is_page { StatusCode::MOVED_PERMANENTLY } else { StatusCode::FORBIDDEN };
        let mut response = Response::builder().status(status).header(CACHE_CONTROL, "no-store");
        if status.is_redirection() {
            if !path::is_canonical(path) {
                return Err(Error::not_found());
            }
            response = response.header(LOCATION, self.target(host.as_deref(), request.uri())?);
        }
        Ok(response.finish())
    }

    /// Returns the same address by https, at `public_url` if the installation does not serve the host: otherwise a link
    /// to it could lead anywhere.
    /// Errors: `bad_request` for such a host without a `public_url`.
    fn target(&self, host: Option<&str>, uri: &Uri) -> Result<String> {
        let public = self.public_url.as_ref().and_then(Url::host_str);
        let known = host.filter(|host| (self.is_served)(host)).or(public);
        let host = known.ok_or_else(|| host::refused("a host that is not served"))?;
        let port = self.public_url.as_ref().and_then(Url::port).map(|port| format!(":{port}")).unwrap_or_default();
        let path = uri.path_and_query().map_or("/", PathAndQuery::as_str);
        Ok(format!("https://{host}{port}{path}"))
    }
}

impl Endpoint for Redirect {
    type Output = Response;

    async fn call(&self, request: Request) -> poem::Result<Response> {
        self.answer(&request).map_err(|error| Problem(error).into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn redirect(challenges: &Arc<Challenges>, url: &str) -> Redirect {
        let is_served: IsServed = Arc::new(|host| host == "atrium.example" || host == "acme.atrium.example");
        Redirect::new(Arc::clone(challenges), Url::parse(url).ok(), is_served)
    }

    async fn status(redirect: &Redirect, request: Request) -> u16 {
        let answer = redirect.call(request).await;
        answer.map_or_else(|error| error.status().as_u16(), |answer| answer.status().as_u16())
    }

    #[tokio::test]
    async fn redirects_to_the_same_address_by_https() {
        let challenges = Arc::default();
        for (public_url, host, path, target) in [
            (
                "https://atrium.example",
                Some("atrium.example"),
                "/tasks?as=list",
                "https://atrium.example/tasks?as=list",
            ),
            ("https://atrium.example", Some("ACME.atrium.example:80"), "/", "https://acme.atrium.example/"),
            ("https://atrium.example:8443", Some("atrium.example:8080"), "/a", "https://atrium.example:8443/a"),
            ("https://atrium.example", None, "/a", "https://atrium.example/a"),
            ("https://atrium.example", Some("evil.example"), "/a?b=c", "https://atrium.example/a?b=c"),
            ("https://atrium.example:8443", Some("evil.example:8443"), "/a", "https://atrium.example:8443/a"),
            ("https://atrium.example", Some("[::1]:80"), "/a", "https://atrium.example/a"),
        ] {
            let mut request = Request::builder().uri(path.parse().unwrap());
            if let Some(host) = host {
                request = request.header("host", host);
            }
            let response = redirect(&challenges, public_url).call(request.finish()).await.unwrap();
            assert_eq!(response.status(), StatusCode::MOVED_PERMANENTLY);
            assert_eq!(response.headers()[LOCATION], target);
        }
    }

    #[tokio::test]
    async fn unclear_hosts_and_targets_are_refused() {
        let redirect = redirect(&Arc::default(), "https://atrium.example");
        for (target, hosts, expected) in [
            ("/", &["atrium.example"][..], 301),
            ("http://atrium.example/", &["atrium.example"], 301),
            ("http://evil.example/", &["atrium.example"], 400),
            ("/", &["atrium.example", "atrium.example"], 400),
            ("/", &["other@atrium.example"], 400),
            ("/", &["a b"], 400),
            ("*", &["atrium.example"], 404),
            ("//evil.example", &["atrium.example"], 404),
            ("/a/../b", &["atrium.example"], 404),
        ] {
            let request = Request::builder().uri(target.parse().unwrap());
            let request = hosts.iter().fold(request, |request, host| request.header("host", *host)).finish();
            assert_eq!(status(&redirect, request).await, expected, "{target} {hosts:?}");
        }
        let unnamed = Redirect { public_url: None, ..redirect };
        for (host, expected) in [(Some("atrium.example"), 301), (Some("evil.example"), 400), (None, 400)] {
            let request = Request::builder();
            let request = host.into_iter().fold(request, |request, host| request.header("host", host)).finish();
            assert_eq!(status(&unnamed, request).await, expected, "{host:?}");
        }
    }

    #[tokio::test]
    async fn calls_and_forms_are_refused() {
        let redirect = redirect(&Arc::default(), "https://atrium.example");
        for (method, path) in [("GET", "/api/customers"), ("POST", "/api/auth/sign-in"), ("POST", "/")] {
            let request = Request::builder().method(method.parse().unwrap()).uri(path.parse().unwrap()).finish();
            let response = redirect.call(request).await.unwrap();
            assert_eq!(response.status(), StatusCode::FORBIDDEN);
            assert!(!response.headers().contains_key(LOCATION));
        }
    }

    #[tokio::test]
    async fn answers_challenges_while_they_are_open() {
        let challenges = Arc::new(Challenges::default());
        let redirect = redirect(&challenges, "https://atrium.example");
        let ask = || {
            let uri = "/.well-known/acme-challenge/token".parse().unwrap();
            redirect.call(Request::builder().uri(uri).finish())
        };
        assert_eq!(ask().await.unwrap().status(), StatusCode::NOT_FOUND);
        challenges.set("token", Some("token.thumbprint".to_owned()));
        assert_eq!(ask().await.unwrap().take_body().into_string().await.unwrap(), "token.thumbprint");
        challenges.set("token", None);
        assert_eq!(ask().await.unwrap().status(), StatusCode::NOT_FOUND);
    }
}
