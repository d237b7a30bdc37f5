//! Response header tests: every response has the security headers and a request id.

use serde_json::Value;

use crate::{
    app,
    people::permission::Role,
    testing::{Got, TestApp},
};

/// The headers of every response.
const EVERYWHERE: [&str; 8] = [
    "content-security-policy",
    "x-content-type-options",
    "x-frame-options",
    "referrer-policy",
    "permissions-policy",
    "cross-origin-opener-policy",
    "cross-origin-resource-policy",
    "x-request-id",
];

const METHODS: [&str; 7] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "TRACE"];

#[track_caller]
fn is_protected(name: &str, got: &Got) {
    for header in EVERYWHERE {
        assert!(got.headers.contains_key(header), "{name} {}: no {header}", got.status);
    }
    assert!(!got.headers.contains_key("server"), "{name}");
    if name.contains("/api") {
        assert_eq!(got.headers["cache-control"], "no-store", "{name}");
    }
}

#[tokio::test]
async fn documented_paths_have_security_headers_and_list_their_methods() {
    let app = TestApp::new().await;
    let admin = app.acme(Role::Admin).await;
    let document: Value = serde_json::from_str(&app::document()).unwrap();
    for (path, operations) in document["paths"].as_object().unwrap() {
        // This call waits before it responds.
        if path.starts_with("/api/live") {
            continue;
        }
        let asked = path.replace(['{', '}'], "");
        for method in METHODS {
            let name = format!("{method} {asked}");
            let documented = if method == "HEAD" { "get".to_owned() } else { method.to_ascii_lowercase() };
            let has = operations.get(&documented).is_some();
            let got = app.anonymous(method, &asked, None).await;
            is_protected(&name, &got);
            assert_eq!(got.status == 405, !has, "{name}: {}", got.status);
            if !has {
                let allowed = got.headers["allow"].to_str().unwrap();
                for known in operations.as_object().unwrap().keys() {
                    assert!(allowed.split(", ").any(|allow| allow.eq_ignore_ascii_case(known)), "{name}: {allowed}");
                }
            }
            if has && matches!(method, "GET" | "PUT") {
                is_protected(&name, &admin.send_with(method, &asked, None, &[]).await);
            }
        }
    }
}

#[tokio::test]
async fn other_paths_have_security_headers() {
    let app = TestApp::new().await;
    for (path, status) in [
        ("/", 0),
        ("/dashboard", 0),
        ("/health/live", 200),
        ("/health/ready", 200),
        ("/i18n/en.json", 200),
        ("/i18n/xx.json", 404),
        ("/api/openapi.json", 200),
        ("/api/docs", 200),
        ("/api/nothing", 404),
        ("/api//global/version", 404),
        ("/assets/nothing.js", 404),
        ("/media/nothing", 404),
    ] {
        let got = app.anonymous("GET", path, None).await;
        is_protected(path, &got);
        let policy = got.headers["content-security-policy"].to_str().unwrap();
        assert!(policy.starts_with("default-src 'none'; ") && !policy.contains('*'), "{path}: {policy}");
        assert!(status == 0 || got.status == status, "{path}: {}", got.status);
    }
}
