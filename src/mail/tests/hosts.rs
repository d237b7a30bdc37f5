//! Host header attacks (threats T-18): links lead only to the configured address, whatever host a request names.

use serde_json::json;

use super::*;

/// The path and the headers of a request that tries to redirect links.
type Hostile = (&'static str, &'static [(&'static str, &'static str)]);

const PATH: &str = "/api/auth/forgot-password";

const HOSTILE: [Hostile; 12] = [
    (PATH, &[("host", "evil.example")]),
    (PATH, &[("host", "atrium.example:80@evil.example")]),
    (PATH, &[("host", "atrium.example"), ("x-forwarded-host", "evil.example")]),
    (PATH, &[("host", "atrium.example"), ("x-host", "evil.example")]),
    (PATH, &[("host", "atrium.example"), ("forwarded", "host=evil.example;proto=http")]),
    (PATH, &[("host", "atrium.example"), ("x-forwarded-server", "evil.example")]),
    (PATH, &[("host", "atrium.example"), ("x-original-url", "http://evil.example/")]),
    (PATH, &[("host", "atrium.example"), ("x-forwarded-proto", "http"), ("x-forwarded-port", "1")]),
    (PATH, &[("host", "atrium.example"), ("host", "evil.example")]),
    (PATH, &[("host", "acme.example.evil.example")]),
    ("http://evil.example/api/auth/forgot-password", &[("host", "atrium.example")]),
    (PATH, &[("host", "atrium.example"), ("origin", "https://evil.example"), ("referer", "https://evil.example/")]),
];

#[tokio::test]
async fn hostile_host_headers_never_change_a_link() {
    let server = Server::start(Encryption::Plain, None, &[]);
    let app = TestApp::with(config_for(&server, Encryption::Plain)).await;
    let mut written = 0;
    for (at, (path, headers)) in HOSTILE.iter().enumerate() {
        let body = json!({"email": format!("{}@acme.example", ["owner", "admin", "member"][at % 3])});
        let status = app.anonymous_with("POST", path, Some(body), headers).await.status;
        assert!(status == 202 || (400..500).contains(&status), "{path} {headers:?}: {status}");
        app.app.auth().deferred_done().await;
        app.app.mailer().round().await.unwrap();
        let received = server.received();
        let new = &received[written..];
        assert!(status != 202 || new.len() == 1, "{path} {headers:?}: {} e-mails", new.len());
        for received in new {
            let (text, html) = bodies(&received.data);
            for page in [&text, &html] {
                assert!(!page.contains("evil") && page.contains("https://atrium.example/reset-password#"), "{page}");
            }
            assert!(!received.data.contains("evil"));
        }
        written = received.len();
        app.clock.advance(super::super::email::HOUR_MILLIS);
    }
    assert!(written >= 6, "{written}");
}
