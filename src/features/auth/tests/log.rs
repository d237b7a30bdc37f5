//! What a failed sign-in leaves in the log, for tools that ban addresses (F-O11).

use serde_json::json;

use crate::testing::{LogLines, PASSWORD, TestApp};

const FILTER: &str = include_str!("../../../../docs/logs.md");

#[tokio::test]
async fn each_failed_sign_in_is_one_line_with_address_company_and_reason() {
    let log = LogLines::default();
    let writer = log.clone();
    let subscriber = tracing_subscriber::fmt().with_ansi(false).with_writer(move || writer.clone()).finish();
    let _guard = tracing::subscriber::set_default(subscriber);
    let app = TestApp::with(|config| config.sign_in.account_failures = 1).await;
    let mut before = 0;
    let mut lines = async |form: serde_json::Value| {
        app.anonymous("POST", "/api/auth/sign-in", Some(form)).await;
        app.app.gate().errands_done().await;
        let all: Vec<String> =
            log.text().lines().filter(|line| line.contains("atrium::sign_in: ")).map(str::to_owned).collect();
        let new = all[before..].to_vec();
        before = all.len();
        new
    };
    let unknown = lines(json!({"email": "canary@far.example", "password": PASSWORD})).await;
    assert_eq!(unknown.len(), 1, "{unknown:?}");
    let pattern = FILTER.lines().find_map(|line| line.split_once("failregex = ")).unwrap().1;
    let pattern = pattern.trim_start_matches("^.*").replace("<HOST>", "0.0.0.0").replace("\\b", " ");
    assert!(unknown[0].contains(&pattern), "{pattern}: {unknown:?}");
    assert!(unknown[0].contains("unknown account") && !unknown[0].contains("canary"), "{unknown:?}");

    let wrong = lines(json!({"email": "member@acme.example", "password": "not the password"})).await;
    assert_eq!(wrong.len(), 1, "{wrong:?}");
    for part in ["0.0.0.0", "company=\"acme\"", "wrong password", "account=\"member@acme.example\""] {
        assert!(wrong[0].contains(part), "{part}: {wrong:?}");
    }
    assert!(!wrong[0].contains("not the password"), "{wrong:?}");

    let form = json!({"email": "member@acme.example", "password": PASSWORD, "company": "canary"});
    let throttled = lines(form).await;
    assert_eq!(throttled.len(), 1, "{throttled:?}");
    assert!(throttled[0].contains("too many attempts") && !throttled[0].contains("canary"), "{throttled:?}");

    assert!(lines(json!({"email": "viewer@acme.example", "password": PASSWORD})).await.is_empty());
}
