//! Log lines of failed sign-ins, for tools that ban addresses (F-O11).

use regex::Regex;
use serde_json::json;

use crate::{
    people::permission::Role,
    testing::{LogLines, PASSWORD, TestApp},
};

const FILTER: &str = include_str!("../../../../docs/logs.md");

fn filter() -> Regex {
    let pattern = FILTER.lines().find_map(|line| line.strip_prefix("failregex = ")).unwrap();
    Regex::new(&pattern.replace("<HOST>", r"(?<host>[0-9a-f.:]+)")).unwrap()
}

#[test]
fn ban_filter_ignores_lines_that_quote_a_failed_sign_in() {
    let quoted = "atrium::sign_in: sign-in failed address=192.0.2.1 reason=";
    for line in [
        format!("2026-11-21T09:30:00.000000Z  WARN atrium::access::sso::protocol: single sign-on refused why={quoted}"),
        format!("2026-11-21T09:30:00.000000Z  WARN request{{id=\"1\" path=\"/x\"}}: atrium::a: x why=WARN {quoted}"),
        format!("2026-11-21T09:30:00.000000Z  INFO WARN {quoted}"),
    ] {
        assert!(!filter().is_match(&line), "{line}");
    }
}

#[tokio::test]
async fn failed_sign_in_logs_one_line_with_address_tenant_and_reason() {
    let log = LogLines::default();
    let writer = log.clone();
    let subscriber = tracing_subscriber::fmt().with_ansi(false).with_writer(move || writer.clone()).finish();
    let _guard = tracing::subscriber::set_default(subscriber);
    let app = TestApp::with(|config| config.sign_in.account_failures = 1).await;
    let mut before = 0;
    let mut lines = async |form: serde_json::Value| {
        app.anonymous("POST", "/api/auth/sign-in", Some(form)).await;
        app.app.auth().deferred_done().await;
        let all: Vec<String> =
            log.text().lines().filter(|line| line.contains("atrium::sign_in: ")).map(str::to_owned).collect();
        let new = all[before..].to_vec();
        before = all.len();
        new
    };
    let unknown = lines(json!({"email": "canary@far.example", "password": PASSWORD})).await;
    assert_eq!(unknown.len(), 1, "{unknown:?}");
    let filter = filter();
    let line = &unknown[0];
    assert_eq!(&filter.captures(line).unwrap()["host"], "0.0.0.0", "{line}");
    // As fail2ban passes it, without the time, and as the journal stores it.
    let (_, untimed) = line.split_once(' ').unwrap();
    for seen in [untimed.to_owned(), format!("server atrium[7]: {line}")] {
        assert!(filter.is_match(&seen), "{seen}");
    }
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

/// Kind of fault: an authentication fails without a line in the log; here in a session, before a change of credentials.
#[tokio::test]
async fn failed_authentication_in_a_session_logs_one_line_with_its_reason() {
    let log = LogLines::default();
    let writer = log.clone();
    let subscriber = tracing_subscriber::fmt().with_ansi(false).with_writer(move || writer.clone()).finish();
    let _guard = tracing::subscriber::set_default(subscriber);
    let app = TestApp::new().await;
    let me = app.acme(Role::Member).await;
    let (_, codes) = me.set_up_app().await;
    let mut before = 0;
    let mut lines = || {
        let all: Vec<String> =
            log.text().lines().filter(|line| line.contains("atrium::sign_in: ")).map(str::to_owned).collect();
        let new = all[before..].to_vec();
        before = all.len();
        new
    };
    assert!(lines().is_empty());

    let wrong = "not the password";
    for (path, body) in [
        ("/api/common/user/email", json!({"email": "new@acme.example", "password": wrong})),
        ("/api/common/user/password", json!({"currentPassword": wrong, "newPassword": "an entirely different one"})),
        ("/api/auth/sessions/end-others", json!({"password": wrong})),
        ("/api/auth/factors/recovery-codes", json!({"password": PASSWORD, "code": "000000"})),
    ] {
        let reason = if body["code"].is_null() { "wrong password" } else { "wrong code" };
        let code = if body["code"].is_null() { "invalid_credentials" } else { "invalid_code" };
        me.post(path, body).await.refused(code);
        let logged = lines();
        assert_eq!(logged.len(), 1, "{path}: {logged:?}");
        assert!(filter().is_match(&logged[0]), "{path}: {logged:?}");
        for part in ["0.0.0.0", "company=\"acme\"", reason, "account=\"member@acme.example\""] {
            assert!(logged[0].contains(part), "{path} {part}: {logged:?}");
        }
        assert!(!logged[0].contains(wrong), "{path}: {logged:?}");
    }

    // A question for the code is no failure.
    let path = "/api/auth/factors/recovery-codes";
    me.post(path, json!({"password": PASSWORD})).await.refused("second_factor_needed");
    me.post(path, json!({"password": PASSWORD, "code": codes[0]})).await.expect(200);
    assert!(lines().is_empty());
}
