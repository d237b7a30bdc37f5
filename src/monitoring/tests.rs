//! Tests of the monitor on an open application.

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
