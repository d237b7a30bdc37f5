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
async fn twelve_hostile_hosts_never_change_a_link() {
    let server = Server::start(Way::Plain, None, &[]);
    let app = TestApp::with(by(&server, Way::Plain)).await;
    let mut written = 0;
    for (at, (path, headers)) in HOSTILE.iter().enumerate() {
        let body = json!({"email": format!("{}@acme.example", ["owner", "admin", "member"][at % 3])});
        let status = app.anonymous_with("POST", path, Some(body), headers).await.status;
        assert!(status == 202 || (400..500).contains(&status), "{path} {headers:?}: {status}");
        app.app.auth().deferred_done().await;
        app.app.mailer().round().await.unwrap();
        let given = server.given();
        let new = &given[written..];
        assert!(status != 202 || new.len() == 1, "{path} {headers:?}: {} letters", new.len());
        for given in new {
            let (text, html) = bodies(&given.data);
            for page in [&text, &html] {
                assert!(!page.contains("evil") && page.contains("https://atrium.example/reset-password#"), "{page}");
            }
            assert!(!given.data.contains("evil"));
        }
        written = given.len();
        app.clock.advance(super::super::email::HOUR);
    }
    assert!(written >= 6, "{written}");
}
