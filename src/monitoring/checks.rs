//! Health checks: what the server knows of its own condition, each with a sentence and figures.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::text::{counted, duration, size};
use crate::{
    config::Backups,
    http::{CertificateFault, Validity},
    jobs::{BackupScheduler, Condition, DegradedReason, Job, JobStatus, ScrubJob},
    kernel::Timestamp,
    mail::{MailQueue, MailResults},
};

/// Seconds that the clock may be behind the newest change.
const CLOCK_SECONDS: i64 = 60;
/// Failed runs in a row at which a job is failing.
const FAILED_RUNS: u32 = 3;
/// Seconds after the start until which a job that failed before may not have run again.
const JOBS_SECONDS: u64 = 3_600;
/// The jobs that find out about backups and damage.
const BACKUP_JOB: &str = <BackupScheduler as Job>::NAME;
const SCRUB_JOB: &str = <ScrubJob as Job>::NAME;
/// Free bytes below which the disk is low: a tenth of it, within these bounds.
const LOW_DISK_BYTES: (u64, u64) = (64 << 20, 10 << 30);

/// The status of a check.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CheckStatus {
    /// Nothing to do.
    #[default]
    Ok,
    /// Something to look at soon.
    Warning,
    /// Something does not work.
    Failing,
}

impl CheckStatus {
    /// All statuses.
    pub const ALL: [Self; 3] = [Self::Ok, Self::Warning, Self::Failing];

    /// Returns the name of the status.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Warning => "warning",
            Self::Failing => "failing",
        }
    }
}

/// A health check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Check {
    /// The stable name.
    pub name: String,
    /// The status.
    pub status: CheckStatus,
    /// What was found, in one sentence.
    pub message: String,
    /// The figures that it is based on.
    pub figures: BTreeMap<String, Value>,
    /// Whether it may be ok only because what it is based on has not been found out yet since the start.
    #[serde(skip)]
    pub(super) is_unsettled: bool,
}

impl Check {
    /// Creates a check without figures.
    pub fn new(name: &str, status: CheckStatus, message: impl Into<String>) -> Self {
        Self { name: name.to_owned(), status, message: message.into(), figures: BTreeMap::new(), is_unsettled: false }
    }

    fn unsettled_if(self, is_unsettled: bool) -> Self {
        Self { is_unsettled, ..self }
    }

    fn with(mut self, name: &str, figure: impl Into<Value>) -> Self {
        self.figures.insert(name.to_owned(), figure.into());
        self
    }

    fn with_time(self, name: &str, at: Option<Timestamp>) -> Self {
        self.with(name, at.map(|at| at.to_string()))
    }
}

/// What the checks are based on.
pub(super) struct Findings<'a> {
    pub now: Timestamp,
    /// When the application was opened.
    pub opened: Timestamp,
    pub condition: &'a Condition,
    pub backups: &'a Backups,
    pub index_is_partial: bool,
    pub stores_mail: bool,
    pub mail: MailQueue,
    pub mail_results: &'a MailResults,
    pub jobs: &'a [JobStatus],
    /// Whether the server encrypts.
    pub encrypts: bool,
    /// The certificate that ends first.
    pub certificate: Option<Validity>,
    /// The certificates that the authority did not issue.
    pub certificate_faults: Vec<CertificateFault>,
    pub newest_change: Option<Timestamp>,
}

impl Findings<'_> {
    /// Returns all checks, in a fixed order.
    pub fn checks(&self) -> Vec<Check> {
        let checks = [self.store(), self.disk(), self.index(), self.backup(), self.mail(), self.damage(), self.jobs()];
        checks.into_iter().chain(self.certificate()).chain([self.clock()]).collect()
    }

    /// Whether a job has not run since the start.
    fn awaits(&self, job: &str) -> bool {
        self.jobs.iter().any(|status| status.name == job && status.last_run.is_none())
    }

    fn has(&self, reason: DegradedReason) -> bool {
        self.condition.reasons.contains(&reason)
    }

    fn store(&self) -> Check {
        let (status, message) = if self.has(DegradedReason::StoreRemoved) {
            (
                CheckStatus::Failing,
                "The store's file was removed or replaced, so nothing is saved. Run \"atrium backup FILE\" before you \
                 stop the server, then restore that backup.",
            )
        } else if self.has(DegradedReason::DiskFailing) {
            (CheckStatus::Failing, "The disk fails, so nothing is saved. Look at the system log and the disk.")
        } else if self.has(DegradedReason::DiskFull) {
            (CheckStatus::Failing, "The disk is nearly full, so only sessions are saved.")
        } else {
            (CheckStatus::Ok, "The store takes changes.")
        };
        Check::new("store", status, message).with("writable", self.condition.writable)
    }

    fn disk(&self) -> Check {
        let Condition { disk_free, disk_total, .. } = *self.condition;
        let (status, message) = match (disk_free, disk_total) {
            (Some(free), Some(total)) => {
                let low = (total / 10).clamp(LOW_DISK_BYTES.0, LOW_DISK_BYTES.1);
                let message = format!("{} of {} are free.", size(free), size(total));
                if self.has(DegradedReason::DiskFull) {
                    (CheckStatus::Failing, format!("{message} Free some space; the server then continues by itself."))
                } else if free < low {
                    (CheckStatus::Warning, format!("{message} Free some space before the disk is full."))
                } else {
                    (CheckStatus::Ok, message)
                }
            }
            _ => (CheckStatus::Ok, "The disk does not tell how much space is free.".to_owned()),
        };
        Check::new("disk", status, message).with("freeBytes", disk_free).with("totalBytes", disk_total)
    }

    fn index(&self) -> Check {
        let behind = self.condition.index_behind;
        let (status, message) = if self.index_is_partial {
            (CheckStatus::Warning, "The search index is being rebuilt; searches find less until then.".to_owned())
        } else if self.has(DegradedReason::IndexBehind) {
            (CheckStatus::Warning, format!("Search does not find the last {behind} changes yet."))
        } else if behind > 0 {
            (CheckStatus::Ok, format!("The search index adds the last {}.", counted(behind, "change")))
        } else {
            (CheckStatus::Ok, "The search index is up to date.".to_owned())
        };
        Check::new("index", status, message).with("changesBehind", behind)
    }

    fn backup(&self) -> Check {
        let last = self.condition.last_backup;
        let age = last.map(|at| seconds_between(at, self.now));
        let (status, message) = match (&self.backups.folder, &self.condition.backup_error, age) {
            (None, _, _) => (CheckStatus::Ok, "Scheduled backups are off (backup.folder).".to_owned()),
            (Some(_), Some(error), _) => (CheckStatus::Failing, format!("The last backup failed: {error}")),
            (Some(_), None, Some(age)) if self.has(DegradedReason::BackupOverdue) => {
                (CheckStatus::Failing, format!("The newest backup is {} old, twice backup.every.", duration(age)))
            }
            (Some(_), None, None) if self.has(DegradedReason::BackupOverdue) => {
                (CheckStatus::Failing, "No backup was made for twice backup.every.".to_owned())
            }
            (Some(_), None, Some(age)) => (CheckStatus::Ok, format!("The newest backup is {} old.", duration(age))),
            (Some(_), None, None) => (CheckStatus::Ok, "No backup was due yet.".to_owned()),
        };
        Check::new("backup", status, message)
            .with_time("lastBackup", last)
            .with("ageSeconds", age)
            .unsettled_if(self.awaits(BACKUP_JOB))
    }

    fn mail(&self) -> Check {
        let MailQueue { waiting, late } = self.mail;
        let queue = counted(waiting, "email");
        let (status, message) = if late > 0 {
            let late = counted(late, "email");
            let why = self.mail_results.last_failure.as_ref().map(|(_, why)| format!(" The last failure: {why}"));
            let message = format!(
                "The mail server has not accepted {late} for more than an hour; \"atrium mail list\" shows them.{}",
                why.unwrap_or_default()
            );
            (CheckStatus::Failing, message)
        } else if self.stores_mail {
            let message = "No mail server is set (mail.host): emails are stored in the data directory.";
            (CheckStatus::Ok, message.to_owned())
        } else {
            (CheckStatus::Ok, format!("The queue has {queue}."))
        };
        let failure = self.mail_results.last_failure.as_ref();
        Check::new("mail", status, message)
            .with("waiting", waiting)
            .with("late", late)
            .with_time("lastSuccess", self.mail_results.last_success)
            .with_time("lastFailure", failure.map(|(at, _)| *at))
            .with("lastError", failure.map(|(_, why)| why.clone()))
    }

    fn damage(&self) -> Check {
        let damaged = self.condition.damaged;
        let (status, message) = if damaged > 0 {
            (CheckStatus::Failing, format!("Damaged records and uploads: {damaged}. \"atrium check\" names them."))
        } else {
            (CheckStatus::Ok, "No damage is known.".to_owned())
        };
        Check::new("damage", status, message).with("damaged", damaged).unsettled_if(self.awaits(SCRUB_JOB))
    }

    fn jobs(&self) -> Check {
        let failing: Vec<&JobStatus> = self.jobs.iter().filter(|job| job.failures > 0).collect();
        let worst = failing.iter().map(|job| job.failures).max().unwrap_or_default();
        let status = match worst {
            0 => CheckStatus::Ok,
            runs if runs < FAILED_RUNS => CheckStatus::Warning,
            _ => CheckStatus::Failing,
        };
        let message = match failing.as_slice() {
            [] => "All background jobs work.".to_owned(),
            jobs => {
                let line = |job: &&JobStatus| {
                    let error = job.last_error.as_deref().unwrap_or("unknown error");
                    format!("{} failed {}: {error}", job.name, counted(job.failures.into(), "time"))
                };
                format!("Background jobs fail. {}", jobs.iter().map(line).collect::<Vec<_>>().join("; "))
            }
        };
        let list = serde_json::to_value(self.jobs).unwrap_or_default();
        Check::new("jobs", status, message)
            .with("failing", failing.len())
            .with("jobs", list)
            .unsettled_if(seconds_between(self.opened, self.now) < JOBS_SECONDS)
    }

    fn certificate(&self) -> Option<Check> {
        let end = self.certificate.map(|validity| validity.ends);
        let is_late = self.certificate.is_some_and(|validity| validity.late() <= self.now);
        let left = end.map(|end| end.seconds() - self.now.seconds());
        let missing = self.certificate_faults.iter().find(|fault| !fault.has_certificate);
        let (status, message) = match left {
            _ if missing.is_some() => (CheckStatus::Failing, "A certificate is missing.".to_owned()),
            None => (CheckStatus::Failing, "There is no certificate yet.".to_owned()),
            Some(left) if left <= 0 => (CheckStatus::Failing, "The certificate has ended.".to_owned()),
            Some(left) => {
                let message = format!("The certificate ends in {}.", duration(left.unsigned_abs()));
                (if is_late { CheckStatus::Warning } else { CheckStatus::Ok }, message)
            }
        };
        let faults = self.certificate_faults.iter().map(|fault| format!("{}: {}", fault.host, fault.reason));
        let faults = faults.collect::<Vec<_>>().join("; ");
        let last_error = (!faults.is_empty()).then(|| faults.clone());
        let message = if faults.is_empty() { message } else { format!("{message} Requesting one failed: {faults}") };
        let check = Check::new("certificate", status, message);
        let check = check.with_time("ends", end).with("secondsLeft", left).with("lastError", last_error);
        self.encrypts.then_some(check)
    }

    fn clock(&self) -> Check {
        let behind = self.newest_change.map_or(0, |at| at.seconds() - self.now.seconds()).max(0);
        let (status, message) = if behind > CLOCK_SECONDS {
            let behind = duration(behind.unsigned_abs());
            (CheckStatus::Failing, format!("The clock is {behind} behind the newest change. Synchronize it (NTP)."))
        } else {
            (CheckStatus::Ok, "The clock is not behind the newest change.".to_owned())
        };
        Check::new("clock", status, message)
            .with_time("now", Some(self.now))
            .with_time("newestChange", self.newest_change)
            .with("secondsBehind", behind)
    }
}

/// Returns the seconds from one instant to a later one.
pub(super) fn seconds_between(from: Timestamp, to: Timestamp) -> u64 {
    u64::try_from(to.seconds() - from.seconds()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    const NOW: i64 = crate::testing::NOW;

    fn healthy() -> Condition {
        Condition { writable: true, disk_free: Some(50 << 30), disk_total: Some(100 << 30), ..Condition::default() }
    }

    /// What is found where nothing is wrong, besides what is given.
    fn findings<'a>(
        condition: &'a Condition,
        backups: &'a Backups,
        mail_results: &'a MailResults,
        jobs: &'a [JobStatus],
    ) -> Findings<'a> {
        Findings {
            now: Timestamp::from_millis(NOW),
            opened: Timestamp::from_millis(NOW),
            condition,
            backups,
            index_is_partial: false,
            stores_mail: false,
            mail: MailQueue::default(),
            mail_results,
            jobs,
            encrypts: false,
            certificate: None,
            certificate_faults: Vec::new(),
            newest_change: None,
        }
    }

    /// Changes what is found, and returns the status and the message of each check that is not ok.
    fn found(change: impl FnOnce(&mut Condition, &mut Findings<'_>)) -> Vec<(String, CheckStatus, String)> {
        let backups = Backups { folder: Some(PathBuf::from("/backups")), ..Backups::default() };
        let results = MailResults::default();
        let mut condition = healthy();
        let unchanged = healthy();
        let mut findings = findings(&unchanged, &backups, &results, &[]);
        change(&mut condition, &mut findings);
        let findings = Findings { condition: &condition, ..findings };
        let checks = findings.checks().into_iter().filter(|check| check.status != CheckStatus::Ok);
        checks.map(|check| (check.name, check.status, check.message)).collect()
    }

    /// A certificate with a life of 90 days that ends in some seconds.
    fn ending_in(seconds: i64) -> Validity {
        let ends = Timestamp::from_millis(NOW).plus_seconds(seconds);
        Validity { begins: ends.plus_seconds(-90 * 86_400), ends }
    }

    fn fault(has_certificate: bool) -> CertificateFault {
        CertificateFault { host: "atrium.example".to_owned(), reason: "no answer".to_owned(), has_certificate }
    }

    #[test]
    fn checks_that_depend_on_jobs_are_unsettled_until_these_have_run() {
        let condition = healthy();
        let backups = Backups::default();
        let results = MailResults::default();
        let unsettled = |hours: i64, last_run: Option<Timestamp>| {
            let job = |name: &str| JobStatus { name: name.to_owned(), last_run, ..JobStatus::default() };
            let jobs = [job(BACKUP_JOB), job(SCRUB_JOB)];
            let now = Timestamp::from_millis(NOW);
            let findings =
                Findings { now: now.plus_seconds(hours * 3_600), ..findings(&condition, &backups, &results, &jobs) };
            let checks = findings.checks().into_iter().filter(|check| check.is_unsettled);
            checks.map(|check| check.name).collect::<Vec<_>>()
        };
        assert_eq!(unsettled(0, None), ["backup", "damage", "jobs"]);
        assert_eq!(unsettled(1, None), ["backup", "damage"]);
        assert_eq!(unsettled(0, Some(Timestamp::from_millis(NOW))), ["jobs"]);
    }

    #[test]
    fn a_healthy_server_has_no_faults() {
        assert_eq!(found(|_, _| {}), []);
    }

    #[test]
    fn each_fault_has_its_check_status_and_sentence() {
        type Change = fn(&mut Condition, &mut Findings<'_>);
        let cases: [(Change, &str, CheckStatus, &str); 14] = [
            (
                |condition, _| condition.reasons.push(DegradedReason::StoreRemoved),
                "store",
                CheckStatus::Failing,
                "removed or replaced",
            ),
            (
                |condition, _| condition.reasons.push(DegradedReason::DiskFailing),
                "store",
                CheckStatus::Failing,
                "disk fails",
            ),
            (|condition, _| condition.disk_free = Some(9 << 30), "disk", CheckStatus::Warning, "9.6 GB of 107.3 GB"),
            (|_, findings| findings.index_is_partial = true, "index", CheckStatus::Warning, "being rebuilt"),
            (
                |condition, _| {
                    condition.reasons.push(DegradedReason::BackupOverdue);
                    condition.last_backup = Some(Timestamp::from_millis(NOW).plus_seconds(-3 * 86_400));
                },
                "backup",
                CheckStatus::Failing,
                "3 days old",
            ),
            (
                |condition, _| condition.backup_error = Some("no space".to_owned()),
                "backup",
                CheckStatus::Failing,
                "The last backup failed: no space",
            ),
            (|_, findings| findings.mail.late = 1, "mail", CheckStatus::Failing, "has not accepted 1 email "),
            (
                |_, findings| {
                    findings.encrypts = true;
                    findings.certificate_faults = vec![fault(false)];
                },
                "certificate",
                CheckStatus::Failing,
                "A certificate is missing. Requesting one failed: atrium.example: no answer",
            ),
            (
                |_, findings| {
                    (findings.encrypts, findings.certificate) = (true, Some(ending_in(13 * 86_400)));
                    findings.certificate_faults = vec![fault(true)];
                },
                "certificate",
                CheckStatus::Warning,
                "ends in 13 days. Requesting one failed: atrium.example: no answer",
            ),
            (|condition, _| condition.damaged = 2, "damage", CheckStatus::Failing, "uploads: 2."),
            (|_, findings| findings.encrypts = true, "certificate", CheckStatus::Failing, "no certificate yet"),
            (
                |_, findings| {
                    (findings.encrypts, findings.certificate) = (true, Some(ending_in(13 * 86_400)));
                },
                "certificate",
                CheckStatus::Warning,
                "ends in 13 days",
            ),
            (
                |_, findings| {
                    (findings.encrypts, findings.certificate) = (true, Some(ending_in(-1)));
                },
                "certificate",
                CheckStatus::Failing,
                "has ended",
            ),
            (
                |_, findings| findings.newest_change = Some(Timestamp::from_millis(NOW).plus_seconds(3_600)),
                "clock",
                CheckStatus::Failing,
                "1 hour behind",
            ),
        ];
        for (change, name, status, part) in cases {
            let found = found(change);
            let [(check, found_status, message)] = found.as_slice() else { panic!("{name}: {found:?}") };
            assert_eq!((check.as_str(), *found_status), (name, status), "{message}");
            assert!(message.contains(part), "{name}: {message}");
        }
    }

    #[test]
    fn failing_jobs_are_named_with_their_error() {
        let job = |name: &str, failures| JobStatus {
            name: name.to_owned(),
            failures,
            last_error: Some("no room".to_owned()),
            ..JobStatus::default()
        };
        for (failures, status) in [(1, CheckStatus::Warning), (3, CheckStatus::Failing)] {
            let jobs = [job("bin", 0), job("scrub", failures)];
            let backups = Backups::default();
            let results = MailResults::default();
            let condition = healthy();
            let findings = findings(&condition, &backups, &results, &jobs);
            let check = findings.jobs();
            assert_eq!(check.status, status);
            assert!(check.message.contains("scrub failed") && check.message.contains("no room"), "{check:?}");
            assert!(!check.message.contains("bin"), "{check:?}");
        }
    }
}
