//! Runner of background jobs: waits until a job is due, runs it, retries with backoff after an error, and ends it when
//! the application stops. The last run and the last error of each job are kept in memory.

use std::{mem, panic::AssertUnwindSafe, sync::Arc, time::Duration};

use futures_util::FutureExt as _;
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use tokio::{sync::watch, task::JoinHandle, time::sleep};

use crate::kernel::{Clock, Error, Result, Timestamp};

/// A background job. A run may be repeated after an error or a restart, so repeating it must be harmless.
pub trait Job: Send + 'static {
    /// The name in the log and in the health of the server.
    const NAME: &'static str;
    /// The pauses after errors.
    const RETRY: Retry;
    /// The time from the start to the first run.
    const FIRST: Duration = Duration::ZERO;
    /// Whether a stop cancels a run in progress, which must then be safe to cancel. Otherwise the run is completed.
    const STOPS_AT_ONCE: bool = false;

    /// Waits, after a run without an error, until the next one is due. A stop cancels it.
    fn due(&mut self) -> impl Future<Output = ()> + Send;

    /// Does the work that is due.
    fn run(&mut self) -> impl Future<Output = Result<()>> + Send;

    /// Does what is left when the application stops.
    fn finish(&mut self) -> impl Future<Output = Result<()>> + Send {
        async { Ok(()) }
    }
}

/// The pauses before a failed run is repeated: `first`, then twice as long each time, up to `longest`.
#[derive(Clone, Copy, Debug)]
pub struct Retry {
    first: Duration,
    longest: Duration,
}

impl Retry {
    /// Pauses that are all the same.
    pub const fn every(pause: Duration) -> Self {
        Self::backoff(pause, pause)
    }

    /// Pauses that grow.
    pub const fn backoff(first: Duration, longest: Duration) -> Self {
        Self { first, longest }
    }

    /// Returns the pause after the given number of failed attempts.
    fn pause_after(self, attempts: u32) -> Duration {
        self.first.saturating_mul(2_u32.saturating_pow(attempts.saturating_sub(1))).min(self.longest)
    }
}

/// What is known of a job since the start.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct JobStatus {
    /// The job's name.
    pub name: String,
    /// When the last run ended, with or without an error.
    pub last_run: Option<Timestamp>,
    /// When the last run without an error ended.
    #[serde(default)]
    pub last_success: Option<Timestamp>,
    /// The error of the last run that failed, also when later ones did not.
    pub last_error: Option<String>,
    /// How many runs have failed since the last one that did not.
    pub failures: u32,
    /// How many runs have ended since the start, with or without an error.
    #[serde(default)]
    pub runs: u64,
    /// How many of them failed.
    #[serde(default)]
    pub failed_runs: u64,
}

type SharedStatus = Arc<Mutex<JobStatus>>;

/// The states of all jobs, in the order in which they were started. Clones see jobs that are started later, too.
#[derive(Clone, Default)]
pub struct JobStatuses(Arc<Mutex<Vec<SharedStatus>>>);

impl JobStatuses {
    /// Returns the states as they are now.
    pub fn list(&self) -> Vec<JobStatus> {
        self.0.lock().iter().map(|status| status.lock().clone()).collect()
    }
}

/// The running jobs.
pub struct Jobs {
    clock: Clock,
    statuses: JobStatuses,
    stop: watch::Sender<bool>,
    tasks: Vec<(&'static str, JoinHandle<()>)>,
}

impl Jobs {
    /// Creates a runner without jobs.
    pub fn new(clock: Clock) -> Self {
        Self { clock, statuses: JobStatuses::default(), stop: watch::Sender::new(false), tasks: Vec::new() }
    }

    /// Returns a value that becomes true at the stop.
    pub fn stop_signal(&self) -> watch::Receiver<bool> {
        self.stop.subscribe()
    }

    /// Returns the states of the jobs.
    pub const fn statuses(&self) -> &JobStatuses {
        &self.statuses
    }

    /// Starts a job.
    pub fn start<J: Job>(&mut self, job: J) {
        let status = self.add(J::NAME);
        let worker = Worker { job, status, clock: self.clock.clone(), stop: self.stop_signal() };
        self.tasks.push((J::NAME, spawn(worker.run())));
    }

    /// Starts work that schedules itself, and ends by itself after [`Jobs::stop_signal`] becomes true.
    pub fn start_loop(&mut self, name: &'static str, work: impl Future<Output = ()> + Send + 'static) {
        self.add(name);
        self.tasks.push((name, spawn(work)));
    }

    fn add(&mut self, name: &str) -> SharedStatus {
        let status = JobStatus { name: name.to_owned(), ..JobStatus::default() };
        let status = Arc::new(Mutex::new(status));
        self.statuses.0.lock().push(Arc::clone(&status));
        status
    }

    /// Stops the jobs and waits for the runs in progress. The caller bounds the time: runs that are cut off are
    /// repeated at the next start.
    pub async fn stop(self) {
        self.stop.send_replace(true);
        for (name, task) in self.tasks {
            if let Err(error) = task.await {
                tracing::error!(name, %error, "a background job ended by a panic");
            }
        }
    }
}

/// A job, and what is recorded of it.
struct Worker<J> {
    job: J,
    status: SharedStatus,
    clock: Clock,
    stop: watch::Receiver<bool>,
}

impl<J: Job> Worker<J> {
    /// Runs the job until the stop.
    async fn run(mut self) {
        let mut pause = Some(J::FIRST);
        while self.wait(pause).await.is_some() {
            let Some(outcome) = self.run_once().await else { break };
            pause = self.record(outcome);
        }
        if let Err(error) = self.job.finish().await {
            tracing::warn!(name = J::NAME, ?error, "job not finished, it continues at the next start");
        }
    }

    /// Waits for a pause, or until the job is due. Returns `None` at the stop.
    async fn wait(&mut self, pause: Option<Duration>) -> Option<()> {
        match pause {
            Some(pause) => unless_stopped(&mut self.stop, sleep(pause)).await,
            None => unless_stopped(&mut self.stop, self.job.due()).await,
        }
    }

    /// Runs the job once. Returns `None` when the stop cancels it.
    async fn run_once(&mut self) -> Option<Result<()>> {
        let run = AssertUnwindSafe(self.job.run()).catch_unwind();
        // A panic is an error of this run, and not the end of the job.
        let run = run.map(|done| done.unwrap_or_else(|_| Err(Error::internal("the job panicked"))));
        if J::STOPS_AT_ONCE { unless_stopped(&mut self.stop, run).await } else { Some(run.await) }
    }

    /// Records the end of a run. Returns the pause before the next attempt when it failed.
    fn record(&self, outcome: Result<()>) -> Option<Duration> {
        let mut status = self.status.lock();
        let now = self.clock.now();
        status.last_run = Some(now);
        status.runs += 1;
        let Err(error) = outcome else {
            status.last_success = Some(now);
            log_recovery(J::NAME, mem::take(&mut status.failures));
            return None;
        };
        status.failures = status.failures.saturating_add(1);
        status.failed_runs += 1;
        status.last_error = Some(format!("{error:?}"));
        log_failure(J::NAME, status.failures, &error);
        Some(J::RETRY.pause_after(status.failures))
    }
}

/// Returns what the future resolves to, or `None` when the stop comes first.
async fn unless_stopped<T>(stop: &mut watch::Receiver<bool>, future: impl Future<Output = T>) -> Option<T> {
    tokio::select! {
        biased;
        _ = stop.wait_for(|stop| *stop) => None,
        value = future => Some(value),
    }
}

/// Logs the attempts 1, 10, 100 and so on, because on a full disk each one fails for hours.
fn log_failure(name: &str, attempt: u32, error: &Error) {
    let is_power_of_ten = attempt.checked_ilog10().is_some_and(|digits| 10_u32.pow(digits) == attempt);
    if is_power_of_ten && !error.is_logged() {
        tracing::warn!(name, attempt, ?error, "job failed, retrying");
    }
}

fn log_recovery(name: &str, failures: u32) {
    if failures > 0 {
        tracing::info!(name, failures, "job works again");
    }
}

#[expect(clippy::disallowed_methods, reason = "the runner is the one place where work goes on by itself")]
fn spawn(work: impl Future<Output = ()> + Send + 'static) -> JoinHandle<()> {
    tokio::spawn(work)
}

#[cfg(test)]
mod tests;
