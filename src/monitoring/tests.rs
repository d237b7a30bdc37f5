//! Tests of the monitor on an open application.

use std::{collections::BTreeSet, fs};

use regex::Regex;

use super::*;
use crate::{jobs::DegradedReason, people::permission::Role, testing::TestApp};

#[tokio::test]
async fn report_has_every_check_and_totals_count_the_installation() {
    let app = TestApp::new().await;
    let monitor = app.app.monitor();
    let report = monitor.report();
    let names: Vec<&str> = report.checks.iter().map(|check| check.name.as_str()).collect();
    assert_eq!(names, ["store", "disk", "index", "backup", "mail", "damage", "jobs", "clock"]);
    assert_eq!(report.version, env!("CARGO_PKG_VERSION"));
    let member = app.acme(Role::Member).await;
    member.upload("a.txt", "text/plain", b"twelve bytes").await.expect(201);
    let totals = monitor.totals().unwrap();
    assert_eq!((totals.companies, totals.inactive_companies, totals.people), (2, 0, 2 * Role::ALL.len() as u64));
    assert_eq!((totals.sessions, totals.devices, totals.storage.upload_bytes), (1, 0, 12));
    assert!(totals.storage.store_bytes > 0 && totals.storage.index_bytes > 0, "{totals:?}");
    let invitation = serde_json::json!({"emails": ["eve@acme.example"], "role": "member"});
    let invited = app.acme(Role::Admin).await.post("/api/team/invitations", invitation).await;
    assert!((200..300).contains(&invited.status), "{invited:?}");
    assert!(monitor.totals().unwrap().emails_waiting >= 1);
}

#[tokio::test]
async fn certificates_are_checked_once_they_are_known() {
    let app = TestApp::new().await;
    let status = || {
        let checks = app.app.monitor().report().checks;
        checks.into_iter().find(|check| check.name == "certificate").map(|check| check.status)
    };
    assert_eq!(status(), None);
    app.app.monitor().watch_certificates(Arc::default());
    assert_eq!(status(), Some(CheckStatus::Failing));
}

#[tokio::test]
async fn clock_behind_the_newest_change_is_failing() {
    let app = TestApp::new().await;
    app.clock.advance(-3_600_000);
    let report = app.app.monitor().report();
    let clock = report.checks.iter().find(|check| check.name == "clock").unwrap();
    assert_eq!((report.status, clock.status), (CheckStatus::Failing, CheckStatus::Failing), "{clock:?}");
    assert!(!app.app.watch().reasons().contains(&DegradedReason::Damaged));
}

const TOKEN: &str = "a token that is long";

async fn measured_app(folder: &tempfile::TempDir) -> TestApp {
    let file = folder.path().join("token");
    fs::write(&file, TOKEN).unwrap();
    TestApp::with(|config| config.metrics.token_file = Some(file)).await
}

async fn scrape(app: &TestApp) -> String {
    let bearer = format!("Bearer {TOKEN}");
    let got = app.anonymous_with("GET", "/metrics", None, &[("authorization", &bearer)]).await;
    assert_eq!(got.status, 200, "{}", got.body);
    String::from_utf8(got.bytes).unwrap()
}

#[tokio::test]
async fn metrics_count_requests_by_route_and_need_the_token() {
    let folder = tempfile::tempdir().unwrap();
    let app = measured_app(&folder).await;
    assert_eq!(app.anonymous("GET", "/metrics", None).await.status, 401);
    let member = app.acme(Role::Member).await;
    member.post("/api/tasks", serde_json::json!({"title": "A task"})).await.expect(201);
    member.upload("a.txt", "text/plain", b"twelve bytes").await.expect(201);
    member.get("/api/tasks/0192").await;
    member.get("/api/tasks?q=task").await.expect(200);
    member.post("/api/common/search", serde_json::json!({"query": "task", "limit": 5})).await.expect(200);
    let text = scrape(&app).await;
    for line in [
        "atrium_http_requests_total{method=\"POST\",route=\"/api/auth/sign-in\",status=\"2xx\"} 1",
        "atrium_http_requests_total{method=\"POST\",route=\"/api/tasks\",status=\"2xx\"} 1",
        "atrium_http_requests_total{method=\"GET\",route=\"/api/tasks/{id}\",status=\"4xx\"} 1",
        "atrium_http_requests_total{method=\"any\",route=\"/metrics\",status=\"4xx\"} 1",
        "atrium_http_request_duration_seconds_count{method=\"POST\",route=\"/api/tasks\"} 1",
        "atrium_company_uploads_bytes{company=\"acme\"} 12",
        "atrium_store_writable 1",
        "atrium_sessions 1",
        "atrium_check_status{check=\"store\"} 0",
        "atrium_mail_deliveries_total{result=\"sent\"} 0",
    ] {
        assert!(text.lines().any(|found| found == line), "{line}: {text}");
    }
    assert!(!text.contains("/api/tasks/0192"), "{text}");
    let searches = text.lines().find_map(|line| line.strip_prefix("atrium_search_queries_total "));
    assert!(searches.unwrap().parse::<u64>().unwrap() >= 2, "the list and the search: {text}");
}

#[tokio::test]
async fn nothing_is_measured_and_served_without_the_settings() {
    let app = TestApp::new().await;
    assert!(app.app.http_metrics().is_none());
    let got = app.anonymous_with("GET", "/metrics", None, &[("authorization", "Bearer ")]).await;
    assert!(!String::from_utf8_lossy(&got.bytes).contains("atrium_build_info"));
}

/// Returns the names of metrics in a text; the parts of a histogram have its name.
fn names(text: &str, histograms: &BTreeSet<String>) -> BTreeSet<String> {
    let name = Regex::new(r"\b(atrium|process)_[a-z0-9_]+").unwrap();
    let whole = |found: &str| {
        let base = ["_bucket", "_sum", "_count"].iter().find_map(|part| found.strip_suffix(part));
        base.filter(|base| histograms.contains(*base)).unwrap_or(found).to_owned()
    };
    name.find_iter(text).map(|found| whole(found.as_str())).collect()
}

#[tokio::test]
async fn documentation_dashboard_and_alert_rules_name_the_metrics_and_rules_that_exist() {
    let folder = tempfile::tempdir().unwrap();
    let app = measured_app(&folder).await;
    let text = scrape(&app).await;
    let types = text.lines().filter_map(|line| line.strip_prefix("# TYPE ")?.split_once(' '));
    let histograms = types.clone().filter(|(_, kind)| *kind == "histogram").map(|(name, _)| name.to_owned()).collect();
    let exist: BTreeSet<String> = types.map(|(name, _)| name.to_owned()).collect();
    let read = |file: &str| fs::read_to_string(format!("{}/{file}", env!("CARGO_MANIFEST_DIR"))).unwrap();
    let manual = read("docs/operations.md");
    let (_, section) = manual.split_once("\n## Metrics\n").unwrap();
    let section = section.split("\n## ").next().unwrap();
    assert_eq!(names(section, &histograms), exist, "docs/operations.md");
    let rules = read("packaging/alerts.yml");
    let rules: Vec<String> = rules
        .lines()
        .filter_map(|line| line.trim().strip_prefix("- alert: "))
        .map(|name| format!("| `{name}` |"))
        .collect();
    let listed: Vec<&str> = section.lines().filter(|line| line.starts_with("| `Atrium")).collect();
    assert!(listed.len() == rules.len() && !rules.is_empty(), "{rules:?}: {listed:?}");
    for (rule, line) in rules.iter().zip(listed) {
        assert!(line.starts_with(rule), "{rule}: {line}");
    }
    for file in ["packaging/grafana-dashboard.json", "packaging/alerts.yml"] {
        let named = names(&read(file), &histograms);
        assert!(!named.is_empty() && named.is_subset(&exist), "{file}: {:?}", named.difference(&exist));
    }
    serde_json::from_str::<serde_json::Value>(&read("packaging/grafana-dashboard.json")).unwrap();
}
