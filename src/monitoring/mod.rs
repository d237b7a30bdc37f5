//! Monitoring for the operator: health checks with reasons, alerts, and the figures of the whole installation.

mod alerts;
mod checks;
mod metrics;
mod text;
mod totals;

use std::{
    path::PathBuf,
    sync::{Arc, OnceLock},
    time::Instant,
};

use serde::{Deserialize, Serialize};

use self::checks::Findings;
pub use self::{
    alerts::{Alert, AlertJob, Alerts, ChannelState, Sent, Standing},
    checks::{Check, CheckStatus},
    text::{counted, duration, size},
    totals::{StorageUsed, Totals},
};
use crate::{
    access::AuthService,
    features::files::FileStore,
    http::{Certificates, HttpMetrics, Probes},
    index::Engine,
    jobs::{HealthMonitor, JobStatuses},
    kernel::{Result, Timestamp},
    live::presence::Presence,
    mail::Mailer,
    store::{Snapshot, Store},
};

/// E-mails of the queue that are counted.
const MAX_COUNTED_EMAILS: usize = 10_000;

/// What is monitored.
pub struct Sources {
    /// The state of store, backups, damage and index.
    pub health: HealthMonitor,
    /// The search index.
    pub engine: Engine,
    /// The mailer.
    pub mailer: Mailer,
    /// The background jobs.
    pub jobs: JobStatuses,
    /// The sessions.
    pub auth: AuthService,
    /// The connected devices.
    pub presence: Presence,
    /// The uploads.
    pub files: FileStore,
    /// What is measured of HTTP; `None` if metrics are off.
    pub http: Option<Arc<HttpMetrics>>,
    /// The data directory.
    pub home: PathBuf,
}

/// The monitor of an installation. Cheap to clone.
#[derive(Clone)]
pub struct Monitor(Arc<Inner>);

struct Inner {
    sources: Sources,
    began: Instant,
    /// The time of `began`.
    opened: Timestamp,
    /// The certificates, if the server encrypts.
    certificates: OnceLock<Arc<Certificates>>,
    probes: Arc<Probes>,
}

/// The result of all checks.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct HealthReport {
    /// The version of Atrium.
    pub version: String,
    /// Seconds since the application was opened.
    pub uptime_seconds: u64,
    /// The worst status of the checks.
    pub status: CheckStatus,
    /// The checks.
    pub checks: Vec<Check>,
}

impl Monitor {
    /// Creates the monitor. The jobs must be started.
    pub fn new(sources: Sources) -> Self {
        let opened = sources.files.store().clock().now();
        let probes = Arc::default();
        Self(Arc::new(Inner { sources, began: Instant::now(), opened, certificates: OnceLock::new(), probes }))
    }

    /// Adds the certificates of the server to what is monitored.
    pub fn watch_certificates(&self, certificates: Arc<Certificates>) {
        drop(self.0.certificates.set(certificates));
    }

    /// Returns the requests by which `atrium doctor` finds out how people reach the server.
    pub fn probes(&self) -> &Arc<Probes> {
        &self.0.probes
    }

    fn store(&self) -> &Store {
        self.0.sources.files.store()
    }

    /// Runs all checks. Reads the disk: not for threads that serve requests.
    pub fn report(&self) -> HealthReport {
        let checks = self.checks();
        HealthReport {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            uptime_seconds: self.0.began.elapsed().as_secs(),
            status: checks.iter().map(|check| check.status).max().unwrap_or_default(),
            checks,
        }
    }

    fn checks(&self) -> Vec<Check> {
        self.try_checks().unwrap_or_else(|error| {
            let message = format!("The store cannot be read: {}", error.detail().unwrap_or(error.code().as_str()));
            vec![Check::new("store", CheckStatus::Failing, message)]
        })
    }

    fn try_checks(&self) -> Result<Vec<Check>> {
        let Sources { health, engine, mailer, jobs, .. } = &self.0.sources;
        let findings = Findings {
            now: self.store().clock().now(),
            opened: self.0.opened,
            condition: &health.condition()?,
            backups: health.backups(),
            index_is_partial: engine.is_being_rebuilt(),
            stores_mail: mailer.stores_locally(),
            mail: mailer.queue(None, MAX_COUNTED_EMAILS)?,
            mail_results: &mailer.results(),
            jobs: &jobs.list(),
            encrypts: self.0.certificates.get().is_some(),
            certificate: self.0.certificates.get().and_then(|certificates| certificates.first_to_end()),
            certificate_faults: self.0.certificates.get().map(|certificates| certificates.faults()).unwrap_or_default(),
            newest_change: newest_change(&self.store().snapshot()?)?,
        };
        Ok(findings.checks())
    }

    /// Counts companies, people, sessions, storage and e-mails. Reads the disk: not for threads that serve requests.
    pub fn totals(&self) -> Result<Totals> {
        let Sources { mailer, auth, presence, home, .. } = &self.0.sources;
        let mut totals = Totals::of_store(&self.store().snapshot()?, home)?;
        totals.sessions = auth.sessions().count(self.store().clock().now()) as u64;
        totals.devices = presence.devices() as u64;
        totals.emails_waiting = mailer.queue(None, MAX_COUNTED_EMAILS)?.waiting;
        Ok(totals)
    }
}

/// Returns when the newest change was made.
fn newest_change(snapshot: &Snapshot) -> Result<Option<Timestamp>> {
    let last = snapshot.last_change()?;
    let newest = snapshot.changes_after(last.saturating_sub(1), 1)?;
    Ok(newest.last().map(|change| change.at))
}

#[cfg(test)]
mod tests;
