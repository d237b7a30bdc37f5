//! `atrium health`: asks the running server whether it is healthy.

use crate::{
    cli::prelude::*,
    jobs::{Condition, JobStatus},
    kernel::run_blocking,
    monitoring::{Check, CheckStatus, HealthReport},
};

/// Checks the health now.
pub async fn run(context: &Context) -> Result<HealthShown> {
    let app = context.app()?;
    let (writes, commits) = context.store.written();
    let health = app.health.clone();
    let monitor = app.monitor.clone();
    let jobs = app.jobs.list();
    run_blocking(move || {
        let condition = health.condition()?;
        let HealthReport { version, uptime_seconds, checks, .. } = monitor.report();
        Ok(HealthShown { version, uptime_seconds, writes, commits, condition, jobs, checks })
    })
    .await
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct HealthShown {
    /// The version of Atrium.
    #[serde(default)]
    pub version: String,
    /// Seconds since the application was opened.
    #[serde(default)]
    pub uptime_seconds: u64,
    /// Writes since the start.
    pub writes: u64,
    /// Commits since the start; one commit can hold many writes.
    pub commits: u64,
    /// The condition of the installation.
    #[serde(flatten)]
    pub condition: Condition,
    /// The background jobs.
    #[serde(default)]
    pub jobs: Vec<JobStatus>,
    /// The checks.
    #[serde(default)]
    pub checks: Vec<Check>,
}

impl HealthShown {
    /// Adds the status to the JSON object.
    pub fn with_status(&self, mut data: Value) -> Value {
        data["status"] = if self.condition.reasons.is_empty() { "ok" } else { "degraded" }.into();
        data
    }

    pub fn text(&self) -> String {
        let is_healthy = self.condition.reasons.is_empty();
        let head =
            if is_healthy { "The server is healthy." } else { "The server runs, but something needs attention." };
        format!("{head}\n\n{}", check_lines(&self.checks)).trim_end().to_owned()
    }
}

/// Formats checks, one a line: those that are not ok first.
pub fn check_lines(checks: &[Check]) -> String {
    let mut checks: Vec<&Check> = checks.iter().collect();
    checks.sort_by_key(|check| std::cmp::Reverse(check.status));
    let width = checks.iter().map(|check| check.name.len()).max().unwrap_or_default();
    let status_width = CheckStatus::ALL.into_iter().map(|status| status.as_str().len()).max().unwrap_or_default();
    let line = |check: &&Check| {
        let status = check.status.as_str();
        format!("{status:status_width$}  {:width$}  {}", check.name, check.message)
    };
    checks.iter().map(line).collect::<Vec<_>>().join("\n")
}
