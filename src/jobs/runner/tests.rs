//! Tests of the runner: schedule, retries, stop, and the recorded states.

use tokio::time::Instant;

use super::*;
use crate::testing::NOW;

/// What a test job did, and when.
#[derive(Clone, Default)]
struct RunLog(Arc<Mutex<Vec<(&'static str, u64)>>>);

impl RunLog {
    fn note(&self, what: &'static str, start: Instant) {
        self.0.lock().push((what, start.elapsed().as_secs()));
    }

    fn list(&self) -> Vec<(&'static str, u64)> {
        self.0.lock().clone()
    }
}

/// A job that is due every minute, first after ten seconds. Its first `failing` runs fail, and each takes `takes`.
struct Probe {
    log: RunLog,
    start: Instant,
    failing: u32,
    takes: Duration,
}

impl Probe {
    fn new(log: &RunLog) -> Self {
        Self { log: log.clone(), start: Instant::now(), failing: 0, takes: Duration::ZERO }
    }
}

impl Job for Probe {
    const NAME: &'static str = "probe";
    const RETRY: Retry = Retry::backoff(Duration::from_secs(1), Duration::from_secs(5));
    const FIRST: Duration = Duration::from_secs(10);

    async fn due(&mut self) {
        sleep(Duration::from_mins(1)).await;
    }

    async fn run(&mut self) -> Result<()> {
        sleep(self.takes).await;
        if self.failing > 0 {
            self.failing -= 1;
            self.log.note("failed", self.start);
            return Err(Error::internal("no disk"));
        }
        self.log.note("ran", self.start);
        Ok(())
    }

    async fn finish(&mut self) -> Result<()> {
        self.log.note("finished", self.start);
        Ok(())
    }
}

/// The same job, cancelled by a stop.
struct Cancelled(Probe);

impl Job for Cancelled {
    const NAME: &'static str = "cancelled";
    const RETRY: Retry = Probe::RETRY;
    const STOPS_AT_ONCE: bool = true;

    async fn due(&mut self) {
        self.0.due().await;
    }

    async fn run(&mut self) -> Result<()> {
        self.0.run().await
    }
}

/// The same job, whose failing runs panic.
struct Panicking(Probe);

impl Job for Panicking {
    const NAME: &'static str = "panicking";
    const RETRY: Retry = Probe::RETRY;

    async fn due(&mut self) {
        self.0.due().await;
    }

    async fn run(&mut self) -> Result<()> {
        assert!(self.0.run().await.is_ok(), "a run failed");
        Ok(())
    }
}

fn jobs() -> Jobs {
    Jobs::new(Clock::stopped(Timestamp::from_millis(NOW)))
}

async fn advance(seconds: u64) {
    sleep(Duration::from_secs(seconds)).await;
}

#[tokio::test(start_paused = true)]
async fn a_job_runs_when_it_is_due() {
    let log = RunLog::default();
    let mut jobs = jobs();
    jobs.start(Probe::new(&log));
    advance(131).await;
    assert_eq!(log.list(), [("ran", 10), ("ran", 70), ("ran", 130)]);
}

#[tokio::test(start_paused = true)]
async fn retries_a_failed_job_with_growing_delays_until_it_succeeds() {
    let log = RunLog::default();
    let mut jobs = jobs();
    jobs.start(Probe { failing: 5, ..Probe::new(&log) });
    advance(90).await;
    let failed = [10, 11, 13, 17, 22].map(|at| ("failed", at));
    assert_eq!(log.list(), [&failed[..], &[("ran", 27), ("ran", 87)]].concat());
}

#[tokio::test(start_paused = true)]
async fn a_panic_is_recorded_and_the_job_runs_again() {
    let log = RunLog::default();
    let mut jobs = jobs();
    jobs.start(Panicking(Probe { failing: 1, ..Probe::new(&log) }));
    sleep(Duration::from_millis(500)).await;
    let [status] = jobs.statuses().list().try_into().unwrap();
    assert_eq!(status.failures, 1);
    assert!(status.last_error.unwrap().contains("panicked"));
    advance(61).await;
    assert_eq!(log.list(), [("failed", 0), ("ran", 1), ("ran", 61)]);
    assert_eq!(jobs.statuses().list()[0].failures, 0);
}

#[tokio::test(start_paused = true)]
async fn log_of_a_retry_names_job_attempt_and_error() {
    let lines = crate::testing::LogLines::default();
    let writer = lines.clone();
    let builder = tracing_subscriber::fmt().with_ansi(false).with_writer(move || writer.clone());
    let _guard = tracing::subscriber::set_default(builder.finish());
    let log = RunLog::default();
    let mut jobs = jobs();
    jobs.start(Probe { failing: 12, ..Probe::new(&log) });
    advance(90).await;
    let text = lines.text();
    let attempts: Vec<_> = text.lines().filter(|line| line.contains("job failed, retrying")).collect();
    assert_eq!(attempts.len(), 2, "{text}");
    for (line, attempt) in attempts.iter().zip([1, 10]) {
        assert!(line.contains("name=\"probe\"") && line.contains(&format!("attempt={attempt}")), "{line}");
        assert!(line.contains("no disk"), "{line}");
    }
    assert!(text.contains("job works again"), "{text}");
}

#[tokio::test(start_paused = true)]
async fn stop_interrupts_the_wait_and_lets_the_job_finish() {
    let log = RunLog::default();
    let mut jobs = jobs();
    jobs.start(Probe::new(&log));
    advance(15).await;
    jobs.stop().await;
    assert_eq!(log.list(), [("ran", 10), ("finished", 15)]);
}

#[tokio::test(start_paused = true)]
async fn stop_waits_for_a_run_in_progress_or_cancels_it() {
    let log = RunLog::default();
    let mut jobs = jobs();
    jobs.start(Probe { takes: Duration::from_secs(20), ..Probe::new(&log) });
    advance(15).await;
    jobs.stop().await;
    assert_eq!(log.list(), [("ran", 30), ("finished", 30)]);

    let log = RunLog::default();
    let mut jobs = self::jobs();
    jobs.start(Cancelled(Probe { takes: Duration::from_secs(20), ..Probe::new(&log) }));
    advance(15).await;
    jobs.stop().await;
    assert!(log.list().is_empty(), "{:?}", log.list());
}

#[tokio::test(start_paused = true)]
async fn a_failing_job_can_be_stopped() {
    let log = RunLog::default();
    let mut jobs = jobs();
    jobs.start(Probe { failing: u32::MAX, ..Probe::new(&log) });
    advance(12).await;
    jobs.stop().await;
    assert_eq!(log.list(), [("failed", 10), ("failed", 11), ("finished", 12)]);
}

#[tokio::test(start_paused = true)]
async fn the_last_run_and_the_last_error_are_recorded() {
    let log = RunLog::default();
    let mut jobs = jobs();
    jobs.start(Probe { failing: 2, ..Probe::new(&log) });
    let statuses = jobs.statuses().clone();
    let status = || statuses.list().pop().unwrap();
    assert_eq!(status(), JobStatus { name: "probe".into(), ..JobStatus::default() });
    advance(12).await;
    assert_eq!(status().failures, 2);
    assert!(status().last_error.unwrap().contains("no disk"));
    advance(2).await;
    let JobStatus { name, last_run, last_error, failures, .. } = status();
    assert_eq!((name.as_str(), last_run, failures), ("probe", Some(Timestamp::from_millis(NOW)), 0));
    assert!(last_error.is_some(), "the last error stays known");
}
