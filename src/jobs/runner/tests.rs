//! Tests of the runner: schedule, retries, stop, and the recorded states.

use tokio::time::Instant;

use super::*;
use crate::{kernel::Timestamp, testing::NOW};

/// What a test job did, and when.
#[derive(Clone, Default)]
struct Seen(Arc<Mutex<Vec<(&'static str, u64)>>>);

impl Seen {
    fn note(&self, what: &'static str, start: Instant) {
        self.0.lock().push((what, start.elapsed().as_secs()));
    }

    fn list(&self) -> Vec<(&'static str, u64)> {
        self.0.lock().clone()
    }
}

/// A job that is due every minute, first after ten seconds. Its first `failing` runs fail, and each takes `takes`.
struct Probe {
    seen: Seen,
    start: Instant,
    failing: u32,
    takes: Duration,
}

impl Probe {
    fn new(seen: &Seen) -> Self {
        Self { seen: seen.clone(), start: Instant::now(), failing: 0, takes: Duration::ZERO }
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
            self.seen.note("failed", self.start);
            return Err(Error::internal("no disk"));
        }
        self.seen.note("ran", self.start);
        Ok(())
    }

    async fn finish(&mut self) -> Result<()> {
        self.seen.note("finished", self.start);
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

fn jobs() -> Jobs {
    Jobs::new(Clock::stopped(Timestamp::from_millis(NOW)))
}

async fn pass(seconds: u64) {
    sleep(Duration::from_secs(seconds)).await;
}

#[tokio::test(start_paused = true)]
async fn a_job_runs_when_it_is_due() {
    let seen = Seen::default();
    let mut jobs = jobs();
    jobs.start(Probe::new(&seen));
    pass(131).await;
    assert_eq!(seen.list(), [("ran", 10), ("ran", 70), ("ran", 130)]);
}

#[tokio::test(start_paused = true)]
async fn a_failed_run_is_repeated_with_growing_pauses_until_it_succeeds() {
    let seen = Seen::default();
    let mut jobs = jobs();
    jobs.start(Probe { failing: 5, ..Probe::new(&seen) });
    pass(90).await;
    let failed = [10, 11, 13, 17, 22].map(|at| ("failed", at));
    assert_eq!(seen.list(), [&failed[..], &[("ran", 27), ("ran", 87)]].concat());
}

#[tokio::test(start_paused = true)]
async fn the_log_names_the_job_the_attempt_and_the_error() {
    let log = crate::testing::LogLines::default();
    let writer = log.clone();
    let builder = tracing_subscriber::fmt().with_ansi(false).with_writer(move || writer.clone());
    let _guard = tracing::subscriber::set_default(builder.finish());
    let seen = Seen::default();
    let mut jobs = jobs();
    jobs.start(Probe { failing: 5, ..Probe::new(&seen) });
    pass(30).await;
    let text = log.text();
    let attempts: Vec<_> = text.lines().filter(|line| line.contains("job failed, retrying")).collect();
    assert_eq!(attempts.len(), 3, "{text}");
    for (line, attempt) in attempts.iter().zip([1, 2, 4]) {
        assert!(line.contains("name=\"probe\"") && line.contains(&format!("attempt={attempt}")), "{line}");
        assert!(line.contains("no disk"), "{line}");
    }
    assert!(text.contains("job works again"), "{text}");
}

#[tokio::test(start_paused = true)]
async fn a_stop_ends_the_wait_and_lets_the_job_finish() {
    let seen = Seen::default();
    let mut jobs = jobs();
    jobs.start(Probe::new(&seen));
    pass(15).await;
    jobs.stop().await;
    assert_eq!(seen.list(), [("ran", 10), ("finished", 15)]);
}

#[tokio::test(start_paused = true)]
async fn a_stop_waits_for_a_run_in_progress_or_cancels_it() {
    let seen = Seen::default();
    let mut jobs = jobs();
    jobs.start(Probe { takes: Duration::from_secs(20), ..Probe::new(&seen) });
    pass(15).await;
    jobs.stop().await;
    assert_eq!(seen.list(), [("ran", 30), ("finished", 30)]);

    let seen = Seen::default();
    let mut jobs = self::jobs();
    jobs.start(Cancelled(Probe { takes: Duration::from_secs(20), ..Probe::new(&seen) }));
    pass(15).await;
    jobs.stop().await;
    assert!(seen.list().is_empty(), "{:?}", seen.list());
}

#[tokio::test(start_paused = true)]
async fn a_failing_job_can_be_stopped() {
    let seen = Seen::default();
    let mut jobs = jobs();
    jobs.start(Probe { failing: u32::MAX, ..Probe::new(&seen) });
    pass(12).await;
    jobs.stop().await;
    assert_eq!(seen.list(), [("failed", 10), ("failed", 11), ("finished", 12)]);
}

#[tokio::test(start_paused = true)]
async fn the_last_run_and_the_last_error_are_recorded() {
    let seen = Seen::default();
    let mut jobs = jobs();
    jobs.start(Probe { failing: 2, ..Probe::new(&seen) });
    let statuses = jobs.statuses().clone();
    let status = || statuses.list().pop().unwrap();
    assert_eq!(status(), JobStatus { name: "probe".into(), ..JobStatus::default() });
    pass(12).await;
    assert_eq!(status().failures, 2);
    assert!(status().last_error.unwrap().contains("no disk"));
    pass(2).await;
    let JobStatus { name, last_run, last_error, failures } = status();
    assert_eq!((name.as_str(), last_run.as_deref(), failures), ("probe", Some("2026-11-21T09:30:00.000Z"), 0));
    assert!(last_error.is_some(), "the last error stays known");
}
