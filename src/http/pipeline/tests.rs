//! The request pipeline: accepted requests and their responses.

use std::time::Duration;

use poem::{endpoint::make, error::NotFoundError, web::Json};
use tokio::sync::Notify;

use super::*;
use crate::{
    kernel::i18n::{Locale, say},
    testing::LogLines,
    wire::Problem,
};

/// The policies, written out: a test that took them from the code would agree with any value.
const PAGE: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; \
    font-src 'self'; connect-src 'self'; frame-src 'self'; manifest-src 'self'; form-action 'self'; base-uri 'self'; \
    object-src 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types app dompurify";
const DATA: &str = "default-src 'none'; frame-ancestors 'none'";

fn config() -> Config {
    Config {
        public_url: Some("https://atrium.example".parse().unwrap()),
        trusted_proxies: vec!["10.0.0.1".parse().unwrap()],
        ..Config::default()
    }
}

fn edge<E: Endpoint<Output = Response>>(inner: E, change: impl FnOnce(&mut Config)) -> Pipeline<E> {
    let mut config = config();
    change(&mut config);
    let contract = Contract::listing(&[(Method::POST, "/api/post-only")]);
    let bearer: Bearer = Box::new(|headers| match headers.get(AUTHORIZATION).map(HeaderValue::as_bytes) {
        Some(b"Bearer good") => Ok((TenantId::from_bytes([1; 16]).unwrap(), MemberId::from_bytes([2; 16]))),
        _ => Err(Error::new(Code::NotSignedIn)),
    });
    Pipeline::new(inner, Rules::new(&config, contract, bearer, Clock::system(), Entropy::seeded(7)))
}

async fn inner(mut request: Request) -> poem::Result<Response> {
    Ok(match request.uri().path() {
        "/api/echo" => request.take_body().into_bytes().await?.into(),
        "/api/files" => request.take_body().into_bytes().await?.len().to_string().into(),
        "/api/ok" => Response::builder().header("server", "poem").header("cache-control", "public").finish(),
        "/api/moved" => Response::builder().status(StatusCode::FOUND).finish(),
        "/api/forbidden" => return Err(Problem(Error::new(Code::Forbidden)).into()),
        "/api/panic" => panic!("on purpose"),
        "/api/busy" => return Err(poem::Error::from_status(StatusCode::SERVICE_UNAVAILABLE)),
        "/api/broken" => return Err(poem::Error::from_string("secret", StatusCode::INTERNAL_SERVER_ERROR)),
        "/api/post-only" => return Err(poem::error::MethodNotAllowedError.into()),
        "/api/docs" | "/page" => "page".into(),
        "/unchanged" => Response::builder().status(StatusCode::NOT_MODIFIED).finish(),
        "/assets/viewer" | "/api/framed" => Response::builder().header("x-frame-options", "SAMEORIGIN").finish(),
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
async fn every_response_has_security_headers_and_a_request_id() {
    let long = "x".repeat((1 << 20) + 1);
    let table = [
        (request("GET", "/api/ok").finish(), 200),
        (request("GET", "/page").finish(), 200),
        (request("GET", "/unchanged").finish(), 304),
        (request("GET", "/assets/nothing.js").finish(), 404),
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
        let is_data = api || request.uri().path().starts_with("/assets");
        let (response, body) = send(request).await;
        assert_eq!(response.status().as_u16(), status, "{name}");
        assert!(!response.headers().contains_key("access-control-allow-origin"), "{name}");
        for (header, value) in [
            ("x-content-type-options", "nosniff"),
            ("x-frame-options", "DENY"),
            ("referrer-policy", "no-referrer"),
            ("cross-origin-opener-policy", "same-origin"),
            ("cross-origin-resource-policy", "same-origin"),
            ("strict-transport-security", "max-age=63072000"),
            ("content-security-policy", if is_data { DATA } else { PAGE }),
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
async fn response_keeps_its_own_policy_and_docs_get_the_page_policy() {
    let (media, _) = send(request("GET", "/media/x").finish()).await;
    assert_eq!(media.header("content-security-policy"), Some("sandbox; default-src 'none'"));
    assert_eq!(media.header("cache-control"), Some("private, max-age=31536000, immutable"));
    let (docs, _) = send(request("GET", "/api/docs").finish()).await;
    assert_eq!(docs.header("content-security-policy"), Some(PAGE));
}

#[tokio::test]
async fn only_an_asset_allows_that_the_application_frames_it() {
    for (path, value) in [("/assets/viewer", "SAMEORIGIN"), ("/api/framed", "DENY")] {
        let (response, _) = send(request("GET", path).finish()).await;
        assert_eq!(response.header("x-frame-options"), Some(value), "{path}");
    }
}

#[tokio::test]
async fn omits_hsts_without_https() {
    let edge = edge(make(inner), |config| config.public_url = None);
    let response = edge.call(request("GET", "/api/ok").finish()).await.unwrap();
    assert!(response.header("strict-transport-security").is_none());
}

#[tokio::test]
async fn body_size_limit_depends_on_path_and_authentication() {
    let good = Some("Bearer good");
    let old = Some("Bearer old");
    for (path, bearer, length, status) in [
        ("/api/echo", good, 1 << 20, 200),
        ("/api/echo", good, (1 << 20) + 1, 413),
        ("/api/files", good, (25 << 20) + (64 << 10), 200),
        ("/api/files", good, (25 << 20) + (64 << 10) + 1, 413),
        ("/api/echo", None, 64 << 10, 200),
        ("/api/echo", None, (64 << 10) + 1, 413),
        ("/api/echo", old, 64 << 10, 200),
        ("/api/echo", old, (64 << 10) + 1, 401),
        ("/api/files", old, 1, 401),
        ("/api/files", None, 1, 401),
    ] {
        let request = request("POST", path);
        let request = bearer.into_iter().fold(request, |request, bearer| request.header("authorization", bearer));
        let (response, body) = send(request.body("x".repeat(length))).await;
        assert_eq!(response.status().as_u16(), status, "{path} {bearer:?} {length}");
        assert!(status != 200 || body.len() == length || body == length.to_string());
    }
}

#[tokio::test]
async fn limits_unread_responses_per_address() {
    let edge = edge(make(|_| async { Ok::<_, poem::Error>("x".repeat(1 << 20).into()) }), |_| {});
    let ask = || edge.call(request("GET", "/api/ok").finish());
    let mut answers = Vec::new();
    for _ in 0..RESPONSE_BYTES.1 >> 20 {
        answers.push(ask().await.unwrap());
    }
    assert!(answers.iter().all(Response::is_ok));
    let refused = ask().await.unwrap();
    assert_eq!((refused.status().as_u16(), refused.header("retry-after")), (503, Some("1")));
    drop(answers);
    assert!(ask().await.unwrap().is_ok());
}

#[tokio::test]
async fn rejects_invalid_repeated_and_conflicting_hosts() {
    for (target, hosts, status) in [
        ("/api/ok", &["atrium.example"][..], 200),
        ("/api/ok", &["atrium.example:8080"], 200),
        ("/api/ok", &["[::1]:8080"], 200),
        ("http://atrium.example/api/ok", &["Atrium.example"], 200),
        ("http://atrium.example/api/ok", &["other.example"], 400),
        ("/api/ok", &["atrium.example", "atrium.example"], 400),
        ("/api/ok", &["atrium.example", "other.example"], 400),
        ("/api/ok", &["a b"], 400),
        ("/api/ok", &["a@b"], 400),
        ("/api/ok", &[""], 400),
    ] {
        let start = request("GET", target);
        let asked = hosts.iter().fold(start, |request, host| request.header("host", *host)).finish();
        let (answer, body) = send(asked).await;
        assert_eq!(answer.status().as_u16(), status, "{target} {hosts:?}: {body}");
        assert!(status == 200 || body.contains("\"Host\""), "{body}");
    }
}

#[tokio::test]
async fn hsts_header_follows_the_setting() {
    for (set, bound) in
        [("off", None), ("host", Some("max-age=63072000")), ("subdomains", Some("max-age=63072000; includeSubDomains"))]
    {
        let edge = edge(make(inner), |config| config.strict_transport = set.parse().unwrap());
        let answer = edge.call(request("GET", "/api/ok").finish()).await.unwrap();
        assert_eq!(answer.header("strict-transport-security"), bound, "{set}");
    }
}

#[tokio::test]
async fn error_messages_follow_accept_language() {
    let (_, body) = send(request("GET", "/api/nothing").header("accept-language", "es-MX, en;q=0.5").finish()).await;
    assert!(body.contains(&say(Locale::ES, "errors.not_found", &[])), "{body}");
}

#[tokio::test]
async fn ignores_request_id_and_forwarded_address_from_untrusted_clients() {
    let (response, body) =
        send(request("GET", "/api/who").header("x-request-id", "mine").header("x-forwarded-for", "6.6.6.6").finish())
            .await;
    let id = response.header("x-request-id").unwrap();
    assert_ne!(id, "mine");
    assert_eq!(body, format!("[\"0.0.0.0\",\"{id}\"]"));
}

#[tokio::test]
async fn logs_one_line_per_permission_denial_with_the_member() {
    let (log, _guard) = LogLines::of_this_thread(tracing::Level::WARN);
    send(request("GET", "/api/ok").finish()).await;
    let member = MemberId::from_bytes([2; 16]);
    assert_eq!(log.text(), "");
    let (response, _) = send(request("GET", "/api/forbidden").header("authorization", "Bearer good").finish()).await;
    assert_eq!(response.status(), StatusCode::FORBIDDEN);
    let text = log.text();
    assert_eq!(text.lines().count(), 1, "{text}");
    let id = response.header("x-request-id").unwrap();
    for part in
        ["atrium::authorization: permission denied", "address=0.0.0.0", &member.to_string(), id, "/api/forbidden"]
    {
        assert!(text.contains(part), "{part}: {text}");
    }
    send(request("GET", "/api/forbidden").header("authorization", "Bearer bad").finish()).await;
    assert_eq!(log.text().lines().count(), 2, "also when it is not known who asks");
}

#[test]
fn log_hides_media_keys_and_truncates_long_paths() {
    assert_eq!(loggable_path("/media/0192-secret"), "/media/…");
    assert_eq!(loggable_path("/api/customers"), "/api/customers");
    assert_eq!(loggable_path(&"/x".repeat(5000)).len(), 200);
}

#[tokio::test]
async fn rejects_a_request_at_once_when_slots_and_queue_are_full() {
    let gate = Arc::new(Notify::new());
    let inside = Arc::new(Notify::new());
    let gate_inside = Arc::clone(&gate);
    let tell = Arc::clone(&inside);
    let handler = make(move |request: Request| {
        let gate = Arc::clone(&gate_inside);
        let tell = Arc::clone(&tell);
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
async fn slow_requests_time_out_except_live_updates_and_uploads() {
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
    let upload = request("POST", "/api/files").header("authorization", "Bearer good").body("x");
    let mut upload = pin!(edge.call(upload));
    assert!(poll_once(&mut live).await.is_none() && poll_once(&mut upload).await.is_none());
    let mut slow = pin!(edge.call(request("GET", "/api/slow").finish()));
    assert!(poll_once(&mut slow).await.is_none());
    // No permit is left for this request: waiting for one times out, too.
    let queued = edge.call(request("GET", "/api/queued").finish()).await.unwrap();
    for mut given_up in [slow.await.unwrap(), queued] {
        assert_eq!(given_up.status(), StatusCode::SERVICE_UNAVAILABLE);
        assert_eq!(given_up.header("retry-after"), Some("1"));
        assert!(given_up.take_body().into_string().await.unwrap().contains("\"busy\""));
    }
    assert_eq!((edge.waiting.load(Ordering::Relaxed), edge.permits.available_permits()), (0, 1));
    assert!(poll_once(&mut live).await.is_none() && poll_once(&mut upload).await.is_none());
    gate.notify_waiters();
    assert!(live.await.unwrap().is_ok() && upload.await.unwrap().is_ok());
}

async fn poll_once<F: Future + Unpin>(future: &mut F) -> Option<F::Output> {
    poll_fn(|cx| match Pin::new(&mut *future).poll(cx) {
        Poll::Ready(output) => Poll::Ready(Some(output)),
        Poll::Pending => Poll::Ready(None),
    })
    .await
}
