//! What every request passes and every answer gets, in one place and one order:
//!
//! 1. the request's id, the client's address, and a line in the log;
//! 2. the [`CHECKS`]: method, path, encoding, announced length;
//! 3. the body, taken in within its limits (uploads are streamed within theirs);
//! 4. a turn among the requests worked on, or `busy`;
//! 5. the call itself, whose panic is a 500 and nothing more, and which is given up with `busy` when it and
//!    its wait for a turn take too long;
//! 6. an error becomes its response;
//! 7. the protective headers.

use std::{
    future::{Future, poll_fn},
    net::{IpAddr, Ipv4Addr},
    panic::{AssertUnwindSafe, catch_unwind},
    pin::pin,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    task::Poll,
    time::Instant,
};

use http::{
    HeaderName, HeaderValue, Method, StatusCode,
    header::{ALLOW, CONTENT_ENCODING, CONTENT_LENGTH},
};
use hyper::body::Body as _;
use poem::{Endpoint, Request, Response};
use tokio::{
    sync::{Semaphore, SemaphorePermit},
    time::timeout,
};
use tracing::Instrument as _;

use super::{
    body::{self, HELD, Verdict},
    headers,
    methods::Methods,
    origin, path,
};
use crate::{
    access::Peer,
    config::{Config, Limits, Network},
    kernel::{Clock, Code, Entropy, Error, Result},
    wire::problem::{RequestId, locale, render, translate},
};

/// The header that carries the request's id.
const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// Where bodies may have the length of an upload, and are streamed.
const UPLOADS: [&str; 1] = ["/api/files"];

/// A call that does nothing but wait, and would keep a turn from those that work.
const WAITING: &str = "/api/live";

/// What is looked at before anything is done, in this order.
const CHECKS: [fn(&Rules, &Request) -> Result<()>; 4] = [method, spelling, encoding, length];

/// The rules of the edge.
pub struct Rules {
    clock: Clock,
    entropy: Entropy,
    limits: Limits,
    trusted: Vec<Network>,
    https: bool,
    methods: Methods,
}

impl Rules {
    /// The rules that a configuration sets; `methods` says what the API allows where, ids of requests
    /// come from clock and entropy.
    #[must_use]
    pub fn new(config: &Config, methods: Methods, clock: Clock, entropy: Entropy) -> Self {
        Self {
            clock,
            entropy,
            limits: config.limits.clone(),
            trusted: config.trusted_proxies.clone(),
            https: config.is_https(),
            methods,
        }
    }
}

/// An endpoint behind the edge. It never fails: every error is an answer.
pub struct Edge<E> {
    inner: E,
    rules: Rules,
    /// Bytes of bodies that may still be held.
    held: Semaphore,
    turns: Semaphore,
    waiting: AtomicUsize,
}

impl<E: Endpoint<Output = Response>> Edge<E> {
    /// Puts an endpoint behind the edge.
    #[must_use]
    pub fn new(inner: E, rules: Rules) -> Self {
        let turns = Semaphore::new(rules.limits.requests);
        Self { inner, rules, held: Semaphore::new(HELD), turns, waiting: AtomicUsize::new(0) }
    }

    /// Steps 2 to 5.
    async fn admit(&self, mut request: Request) -> Result<Response> {
        for check in CHECKS {
            check(&self.rules, &request)?;
        }
        let verdict = self.take_body(&mut request).await?;
        if request.uri().path() == WAITING || is_upload(&request) {
            return self.work(request, verdict).await;
        }
        let late = |_| Err(Error::new(Code::Busy).retry_after(1).with_detail("it took too long"));
        timeout(self.rules.limits.request_timeout, self.work(request, verdict)).await.unwrap_or_else(late)
    }

    /// Steps 4 and 5.
    async fn work(&self, request: Request, verdict: Option<Arc<Verdict>>) -> Result<Response> {
        let _turn = self.turn(request.uri().path()).await?;
        match unpanicked(self.inner.call(request)).await {
            Some(Ok(response)) => Ok(response),
            Some(Err(error)) => Err(verdict.and_then(|verdict| verdict.error()).unwrap_or_else(|| translate(error))),
            None => Err(Error::internal("a handler panicked")),
        }
    }

    /// Takes the body in; of an upload only the limits are put around it.
    async fn take_body(&self, request: &mut Request) -> Result<Option<Arc<Verdict>>> {
        let body: http_body_util::combinators::BoxBody<bytes::Bytes, std::io::Error> = request.take_body().into();
        if body.is_end_stream() {
            return Ok(None);
        }
        let longest = longest(&self.rules, request);
        let (limited, verdict) = body::Limited::new(body, longest, &self.rules.limits);
        if is_upload(request) {
            request.set_body(poem::Body::from(http_body_util::combinators::BoxBody::new(limited)));
            return Ok(Some(verdict));
        }
        request.set_body(limited.collect(&self.held).await?);
        Ok(None)
    }

    /// Waits for a turn; what costs nothing (the interface, health) needs none.
    async fn turn(&self, path: &str) -> Result<Option<SemaphorePermit<'_>>> {
        if path == WAITING || (!path::is_api(path) && !path::is_below(path, "/media")) {
            return Ok(None);
        }
        let busy = || Error::new(Code::Busy).retry_after(1);
        if let Ok(turn) = self.turns.try_acquire() {
            return Ok(Some(turn));
        }
        let _place = Place::take(&self.waiting, self.rules.limits.waiting).ok_or_else(busy)?;
        self.turns.acquire().await.map(Some).map_err(|_| busy())
    }
}

impl<E: Endpoint<Output = Response>> Endpoint for Edge<E> {
    type Output = Response;

    async fn call(&self, mut request: Request) -> poem::Result<Response> {
        let started = Instant::now();
        let id = request_id(&self.rules, &request);
        let address = origin::client(peer(&request), request.headers(), &self.rules.trusted);
        request.extensions_mut().insert(RequestId(id.clone()));
        request.extensions_mut().insert(Peer { address, https: self.rules.https });
        let locale = locale(&request);
        let path = request.uri().path().to_owned();
        let span = tracing::info_span!("request", id, method = request.method().as_str(), path = shown(&path));

        let answer = self.admit(request).instrument(span.clone()).await;
        let _entered = span.enter();
        let mut response = answer.unwrap_or_else(|error| render(&error, locale, &id));
        if response.status() == StatusCode::METHOD_NOT_ALLOWED && !response.headers().contains_key(ALLOW) {
            let allowed = HeaderValue::from_str(self.rules.methods.allowed(&path));
            response.headers_mut().insert(ALLOW, allowed.unwrap_or(HeaderValue::from_static("GET, HEAD")));
        }
        headers::protect(response.headers_mut(), &path, self.rules.https);
        if let Ok(id) = HeaderValue::from_str(&id) {
            response.headers_mut().insert(REQUEST_ID, id);
        }
        let micros = u64::try_from(started.elapsed().as_micros()).unwrap_or(u64::MAX);
        if path::is_below(&path, "/health") {
            tracing::debug!(status = response.status().as_u16(), micros, "answered");
        } else {
            tracing::info!(status = response.status().as_u16(), micros, "answered");
        }
        Ok(response)
    }
}

/// A place in the queue for a turn.
struct Place<'a>(&'a AtomicUsize);

impl<'a> Place<'a> {
    fn take(waiting: &'a AtomicUsize, most: usize) -> Option<Self> {
        let place = Self(waiting);
        // Taken before it is looked at, so that two that come at once cannot both get the last one.
        (waiting.fetch_add(1, Ordering::Relaxed) < most).then_some(place)
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Nothing when the future panicked; the panic itself is told by the panic hook.
async fn unpanicked<F: Future>(future: F) -> Option<F::Output> {
    let mut future = pin!(future);
    poll_fn(|cx| match catch_unwind(AssertUnwindSafe(|| future.as_mut().poll(cx))) {
        Ok(poll) => poll.map(Some),
        Err(_) => Poll::Ready(None),
    })
    .await
}

fn peer(request: &Request) -> IpAddr {
    request.remote_addr().as_socket_addr().map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), std::net::SocketAddr::ip)
}

/// A new id, or the one that a trusted proxy gave, so that its log and ours can be laid side by side.
fn request_id(rules: &Rules, request: &Request) -> String {
    let fits = |id: &&str| {
        (1..=64).contains(&id.len()) && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte))
    };
    let given = request.headers().get(REQUEST_ID).and_then(|value| value.to_str().ok()).filter(fits);
    match given {
        Some(id) if origin::is_trusted(peer(request), &rules.trusted) => id.to_owned(),
        _ => rules.entropy.uuid(rules.clock.now()).simple().to_string(),
    }
}

/// A path as it stands in the log: cut to a bearable length, and without the ids that are the only
/// key to a file.
fn shown(path: &str) -> &str {
    if path::is_below(path, "/media") {
        return "/media/…";
    }
    path.char_indices().nth(200).and_then(|(end, _)| path.get(..end)).unwrap_or(path)
}

fn method(_: &Rules, request: &Request) -> Result<()> {
    let known = [Method::GET, Method::HEAD, Method::POST, Method::PUT, Method::PATCH, Method::DELETE, Method::OPTIONS];
    if known.contains(request.method()) { Ok(()) } else { Err(Error::new(Code::MethodNotAllowed)) }
}

fn spelling(_: &Rules, request: &Request) -> Result<()> {
    if path::is_canonical(request.uri().path()) { Ok(()) } else { Err(Error::not_found()) }
}

/// A packed body is refused: it could be any length when it is unpacked.
fn encoding(_: &Rules, request: &Request) -> Result<()> {
    let plain = |value: &HeaderValue| value.as_bytes().eq_ignore_ascii_case(b"identity");
    if request.headers().get_all(CONTENT_ENCODING).iter().all(plain) {
        Ok(())
    } else {
        Err(Error::new(Code::UnsupportedMediaType))
    }
}

fn length(rules: &Rules, request: &Request) -> Result<()> {
    let announced = request.headers().get(CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse::<u64>().ok());
    if announced.is_some_and(|announced| announced > longest(rules, request)) {
        return Err(Error::new(Code::TooLarge));
    }
    Ok(())
}

fn is_upload(request: &Request) -> bool {
    UPLOADS.contains(&request.uri().path())
}

fn longest(rules: &Rules, request: &Request) -> u64 {
    if is_upload(request) { rules.limits.upload } else { rules.limits.body }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use poem::{endpoint::make, error::NotFoundError, web::Json};
    use tokio::sync::Notify;

    use super::*;
    use crate::kernel::words::{Locale, say};

    fn config() -> Config {
        Config {
            public_url: Some("https://atrium.example".parse().unwrap()),
            trusted_proxies: vec!["10.0.0.1".parse().unwrap()],
            ..Config::default()
        }
    }

    fn edge<E: Endpoint<Output = Response>>(inner: E, change: impl FnOnce(&mut Config)) -> Edge<E> {
        let mut config = config();
        change(&mut config);
        let document = serde_json::json!({"paths": {"/api/post-only": {"post": {}}}});
        Edge::new(inner, Rules::new(&config, Methods::from_document(&document), Clock::system(), Entropy::seeded(7)))
    }

    async fn inner(mut request: Request) -> poem::Result<Response> {
        Ok(match request.uri().path() {
            "/api/echo" | "/api/files" => request.take_body().into_bytes().await?.into(),
            "/api/ok" => Response::builder().header("server", "poem").header("cache-control", "public").finish(),
            "/api/moved" => Response::builder().status(StatusCode::FOUND).finish(),
            "/api/panic" => panic!("on purpose"),
            "/api/busy" => return Err(poem::Error::from_status(StatusCode::SERVICE_UNAVAILABLE)),
            "/api/broken" => return Err(poem::Error::from_string("secret", StatusCode::INTERNAL_SERVER_ERROR)),
            "/api/post-only" => return Err(poem::error::MethodNotAllowedError.into()),
            "/api/docs" | "/page" => "page".into(),
            "/media/x" => Response::builder()
                .header("content-security-policy", "sandbox; default-src 'none'")
                .header("cache-control", "private, max-age=31536000, immutable")
                .finish(),
            "/api/who" => {
                let address = request.extensions().get::<Peer>().map(|peer| peer.address.to_string());
                let id = request.extensions().get::<RequestId>().map(|id| id.0.clone());
                poem::IntoResponse::into_response(Json((address, id)))
            }
            _ => return Err(NotFoundError.into()),
        })
    }

    fn request(method: &str, path: &str) -> poem::RequestBuilder {
        Request::builder().method(method.parse().unwrap()).uri(path.parse().unwrap())
    }

    async fn send(request: Request) -> (Response, String) {
        let mut response = edge(make(inner), |_| {}).call(request).await.unwrap();
        let body = response.take_body().into_string().await.unwrap();
        (response, body)
    }

    #[tokio::test]
    async fn every_kind_of_answer_is_protected_and_has_its_id() {
        let long = "x".repeat((1 << 20) + 1);
        let table = [
            (request("GET", "/api/ok").finish(), 200),
            (request("GET", "/page").finish(), 200),
            (request("GET", "/api/moved").finish(), 302),
            (request("POST", "/api/echo").header("content-length", "1048577").finish(), 413),
            (request("POST", "/api/echo").body(long), 413),
            (request("GET", "/api/nothing").finish(), 404),
            (request("GET", "/nothing").finish(), 404),
            (request("GET", "/api//ok").finish(), 404),
            (request("GET", "/%61pi/ok").finish(), 404),
            (request("TRACE", "/api/ok").finish(), 405),
            (request("CONNECT", "/api/ok").finish(), 405),
            (request("BREW", "/api/ok").finish(), 405),
            (request("GET", "/api/post-only").finish(), 405),
            (request("POST", "/api/echo").header("content-encoding", "gzip").body("x"), 415),
            (request("GET", "/api/panic").finish(), 500),
            (request("GET", "/api/broken").finish(), 500),
            (request("GET", "/api/busy").finish(), 503),
        ];
        for (request, status) in table {
            let name = format!("{} {}", request.method(), request.uri());
            let api = request.uri().path().starts_with("/api");
            let (response, body) = send(request).await;
            assert_eq!(response.status().as_u16(), status, "{name}");
            for (header, value) in [
                ("x-content-type-options", "nosniff"),
                ("x-frame-options", "DENY"),
                ("referrer-policy", "no-referrer"),
                ("cross-origin-opener-policy", "same-origin"),
                ("cross-origin-resource-policy", "same-origin"),
                ("strict-transport-security", "max-age=63072000; includeSubDomains"),
                ("content-security-policy", headers::PAGE_POLICY),
            ] {
                assert_eq!(response.header(header), Some(value), "{name} {header}");
            }
            assert!(response.header("permissions-policy").is_some(), "{name}");
            assert!(response.header("server").is_none(), "{name}");
            assert!(!api || response.header("cache-control") == Some("no-store"), "{name}");
            let id = response.header("x-request-id").unwrap();
            assert_eq!(id.len(), 32, "{name}");
            if status == 405 {
                let allowed = if name.contains("post-only") { "POST" } else { "GET, HEAD" };
                assert_eq!(response.header("allow"), Some(allowed), "{name}");
            }
            if status == 503 {
                assert_eq!(response.header("retry-after"), Some("1"), "{name}");
            }
            if status >= 400 {
                let body: serde_json::Value = serde_json::from_str(&body).unwrap();
                assert_eq!(body["error"]["requestId"], id, "{name}");
                assert!(body["error"]["message"].as_str().unwrap().contains(' '), "{name}");
                assert!(!body.to_string().contains("secret") && !body.to_string().contains("purpose"), "{name}");
            }
        }
    }

    #[tokio::test]
    async fn an_answer_keeps_its_own_policy_and_the_documentation_has_a_looser_one() {
        let (media, _) = send(request("GET", "/media/x").finish()).await;
        assert_eq!(media.header("content-security-policy"), Some("sandbox; default-src 'none'"));
        assert_eq!(media.header("cache-control"), Some("private, max-age=31536000, immutable"));
        let (docs, _) = send(request("GET", "/api/docs").finish()).await;
        assert!(docs.header("content-security-policy").unwrap().contains("'unsafe-inline'"));
    }

    #[tokio::test]
    async fn without_https_browsers_are_not_bound_to_it() {
        let edge = edge(make(inner), |config| config.public_url = None);
        let response = edge.call(request("GET", "/api/ok").finish()).await.unwrap();
        assert!(response.header("strict-transport-security").is_none());
    }

    #[tokio::test]
    async fn bodies_have_their_limits_and_uploads_larger_ones() {
        for (path, length, status) in [
            ("/api/echo", 1 << 20, 200),
            ("/api/echo", (1 << 20) + 1, 413),
            ("/api/files", 6 << 20, 200),
            ("/api/files", (6 << 20) + 1, 413),
        ] {
            let (response, body) = send(request("POST", path).body("x".repeat(length))).await;
            assert_eq!(response.status().as_u16(), status, "{path} {length}");
            assert!(status != 200 || body.len() == length);
        }
    }

    #[tokio::test]
    async fn errors_speak_the_reader_s_language() {
        let (_, body) =
            send(request("GET", "/api/nothing").header("accept-language", "es-MX, en;q=0.5").finish()).await;
        assert!(body.contains(&say(Locale::ES, "errors.not_found", &[])), "{body}");
    }

    #[tokio::test]
    async fn nobody_but_a_trusted_proxy_names_ids_and_addresses() {
        let (response, body) = send(
            request("GET", "/api/who").header("x-request-id", "mine").header("x-forwarded-for", "6.6.6.6").finish(),
        )
        .await;
        let id = response.header("x-request-id").unwrap();
        assert_ne!(id, "mine");
        assert_eq!(body, format!("[\"0.0.0.0\",\"{id}\"]"));
    }

    #[test]
    fn the_log_holds_no_key_to_a_file_and_no_endless_path() {
        assert_eq!(shown("/media/0192-secret"), "/media/…");
        assert_eq!(shown("/api/customers"), "/api/customers");
        assert_eq!(shown(&"/x".repeat(5000)).len(), 200);
    }

    #[tokio::test]
    async fn beyond_its_turns_and_queue_a_request_is_shed_at_once() {
        let gate = Arc::new(Notify::new());
        let inside = Arc::new(Notify::new());
        let (gate_inside, tell) = (Arc::clone(&gate), Arc::clone(&inside));
        let handler = make(move |request: Request| {
            let (gate, tell) = (Arc::clone(&gate_inside), Arc::clone(&tell));
            async move {
                if request.uri().path() == "/api/slow" {
                    tell.notify_one();
                    gate.notified().await;
                }
                Ok::<_, poem::Error>(Response::default())
            }
        });
        let edge = edge(handler, |config| {
            config.limits.requests = 1;
            config.limits.waiting = 1;
        });
        let mut slow = pin!(edge.call(request("GET", "/api/slow").finish()));
        let mut queued = pin!(edge.call(request("GET", "/api/queued").finish()));
        tokio::select! {
            _ = &mut slow => panic!("answered before it was let go"),
            () = inside.notified() => {}
        }
        assert!(poll_once(&mut queued).await.is_none());
        let shed = edge.call(request("GET", "/api/shed").finish()).await.unwrap();
        assert_eq!(shed.status(), StatusCode::SERVICE_UNAVAILABLE);
        assert!(shed.header("retry-after").is_some());
        for free in ["/health/live", "/dashboard", "/api/live"] {
            assert!(edge.call(request("GET", free).finish()).await.unwrap().is_ok(), "{free}");
        }
        gate.notify_one();
        let done = timeout(Duration::from_secs(20), async { (slow.await, queued.await) }).await.unwrap();
        assert!(done.0.unwrap().is_ok() && done.1.unwrap().is_ok());
        assert_eq!(edge.waiting.load(Ordering::Relaxed), 0);
    }

    #[tokio::test]
    async fn a_request_that_takes_too_long_is_given_up_unless_it_is_there_to_wait() {
        let gate = Arc::new(Notify::new());
        let opened = Arc::clone(&gate);
        let handler = make(move |_| {
            let opened = Arc::clone(&opened);
            async move {
                opened.notified().await;
                Ok::<_, poem::Error>(Response::default())
            }
        });
        let edge = edge(handler, |config| {
            config.limits.requests = 2;
            config.limits.request_timeout = Duration::from_millis(20);
        });
        let mut live = pin!(edge.call(request("GET", "/api/live").finish()));
        let mut upload = pin!(edge.call(request("POST", "/api/files").body("x")));
        assert!(poll_once(&mut live).await.is_none() && poll_once(&mut upload).await.is_none());
        let mut slow = pin!(edge.call(request("GET", "/api/slow").finish()));
        assert!(poll_once(&mut slow).await.is_none());
        // No turn is left for this one: waiting for one ends too.
        let queued = edge.call(request("GET", "/api/queued").finish()).await.unwrap();
        for mut given_up in [slow.await.unwrap(), queued] {
            assert_eq!(given_up.status(), StatusCode::SERVICE_UNAVAILABLE);
            assert_eq!(given_up.header("retry-after"), Some("1"));
            assert!(given_up.take_body().into_string().await.unwrap().contains("\"busy\""));
        }
        assert_eq!((edge.waiting.load(Ordering::Relaxed), edge.turns.available_permits()), (0, 1));
        assert!(poll_once(&mut live).await.is_none() && poll_once(&mut upload).await.is_none());
        gate.notify_waiters();
        assert!(live.await.unwrap().is_ok() && upload.await.unwrap().is_ok());
    }

    async fn poll_once<F: Future + Unpin>(future: &mut F) -> Option<F::Output> {
        poll_fn(|cx| match std::pin::Pin::new(&mut *future).poll(cx) {
            Poll::Ready(output) => Poll::Ready(Some(output)),
            Poll::Pending => Poll::Ready(None),
        })
        .await
    }
}
