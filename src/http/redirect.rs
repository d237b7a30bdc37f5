//! The http address of a server with TLS: redirects to https, and answers challenges of an ACME authority (RFC 8555
//! §8.3).

use std::{collections::HashMap, sync::Arc};

use http::{
    StatusCode, Uri,
    header::{CACHE_CONTROL, CONTENT_TYPE, HOST, LOCATION},
    uri::{Authority, PathAndQuery},
};
use parking_lot::RwLock;
use poem::{Endpoint, Request, Response};
use url::Url;

use super::path;

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

/// The endpoint.
#[derive(Clone, Debug)]
pub struct Redirect {
    challenges: Arc<Challenges>,
    /// The port of https, unless it is the usual one.
    port: Option<u16>,
    /// The host for requests that do not name one.
    host: String,
}

impl Redirect {
    /// Creates the endpoint of an installation that is reached at `public_url`.
    pub fn new(challenges: Arc<Challenges>, public_url: Option<&Url>) -> Self {
        let host = public_url.and_then(Url::host_str).unwrap_or("localhost").to_owned();
        Self { challenges, port: public_url.and_then(Url::port), host }
    }

    fn answer(&self, request: &Request) -> Response {
        let path = request.uri().path();
        if let Some(token) = path.strip_prefix(CHALLENGE_PATH) {
            return match self.challenges.of(token) {
                Some(answer) => Response::builder().header(CONTENT_TYPE, "application/octet-stream").body(answer),
                None => Response::builder().status(StatusCode::NOT_FOUND).finish(),
            };
        }
        // What a program sends here can be read on the way, so that it must not work.
        let is_page = request.method().is_safe() && !path::is_api(path);
        let status = if is_page { StatusCode::MOVED_PERMANENTLY } else { StatusCode::FORBIDDEN };
        let mut response = Response::builder().status(status).header(CACHE_CONTROL, "no-store");
        if status.is_redirection() {
            response = response.header(LOCATION, self.target(request));
        }
        response.finish()
    }

    /// Returns the same address by https.
    fn target(&self, request: &Request) -> String {
        let header = request.headers().get(HOST).and_then(|host| host.to_str().ok());
        let named = header.and_then(|host| host.parse::<Authority>().ok()).or(request.uri().authority().cloned());
        let host =
            named.as_ref().filter(|named| !named.as_str().contains('@')).map_or(self.host.as_str(), Authority::host);
        let port = self.port.map(|port| format!(":{port}")).unwrap_or_default();
        let path = request.uri().path_and_query().map_or("/", PathAndQuery::as_str);
        let target = format!("https://{host}{port}{path}");
        if target.parse::<Uri>().is_ok() { target } else { format!("https://{}{port}/", self.host) }
    }
}

impl Endpoint for Redirect {
    type Output = Response;

    async fn call(&self, request: Request) -> poem::Result<Response> {
        Ok(self.answer(&request))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn redirect(challenges: &Arc<Challenges>, url: &str) -> Redirect {
        Redirect::new(Arc::clone(challenges), Url::parse(url).ok().as_ref())
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
            ("https://atrium.example", Some("acme.atrium.example:80"), "/", "https://acme.atrium.example/"),
            ("https://atrium.example:8443", Some("atrium.example:8080"), "/a", "https://atrium.example:8443/a"),
            ("https://atrium.example", None, "/a", "https://atrium.example/a"),
            ("https://atrium.example", Some("other@evil.example"), "/a", "https://atrium.example/a"),
            ("https://atrium.example", Some("[::1]:80"), "/a", "https://[::1]/a"),
        ] {
            let mut request = Request::builder().uri(path.parse().unwrap());
            if let Some(host) = host {
                request = request.header(HOST, host);
            }
            let response = redirect(&challenges, public_url).call(request.finish()).await.unwrap();
            assert_eq!(response.status(), StatusCode::MOVED_PERMANENTLY);
            assert_eq!(response.headers()[LOCATION], target);
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
