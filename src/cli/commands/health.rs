//! `atrium health`: asks the running server whether it is healthy.

use crate::{
    cli::prelude::*,
    jobs::{Condition, DegradedReason, JobStatus},
};

/// Checks the health now.
pub fn run(context: &Context) -> Result<HealthShown> {
    let app = context.app()?;
    let (writes, commits) = context.store.written();
    Ok(HealthShown { writes, commits, condition: app.watch.condition()?, jobs: app.jobs.list() })
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct HealthShown {
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
}

impl HealthShown {
    /// Adds the status to the JSON object.
    pub fn with_status(&self, mut data: Value) -> Value {
        data["status"] = if self.condition.reasons.is_empty() { "ok" } else { "degraded" }.into();
        data
    }

    pub fn text(&self, locale: Locale) -> String {
        let reasons = &self.condition.reasons;
        if reasons.is_empty() {
            return sentence(locale, "server.cli.healthy", &[]);
        }
        let mut lines = vec![sentence(locale, "server.cli.degraded", &[])];
        lines.extend(reasons.iter().map(|reason| format!("  {}", self.reason(*reason, locale))));
        lines.join("\n")
    }

    fn reason(&self, reason: DegradedReason, locale: Locale) -> String {
        let Condition { damaged, backup_error, mail_waiting, index_behind, disk_free, .. } = &self.condition;
        let params = [
            ("damaged", damaged as _),
            ("error", &backup_error.as_deref().unwrap_or_default() as _),
            ("letters", mail_waiting as _),
            ("changes", index_behind as _),
            ("megabytes", &(disk_free.unwrap_or_default() / 1_000_000) as _),
        ];
        sentence(locale, &format!("server.cli.reasons.{}", reason.word()), &params)
    }
}
