//! Metrics in Prometheus' text format. They are read when they are asked for; while requests run, only atomics are
//! counted.

use std::{fmt, fs};

use prometheus_client::{
    collector::Collector,
    encoding::{DescriptorEncoder, MetricEncoder, NoLabelSet, prometheus_text},
    metrics::{MetricType, exemplar::Exemplar},
    registry::Registry,
};
use rustix::time::{ClockId, clock_gettime};

use super::{MAX_COUNTED_EMAILS, Monitor, Sources, checks::CheckStatus, totals};
use crate::{
    jobs::JobStatus,
    kernel::{Error, HistogramCounts, Limit, Result, Timestamp},
};

/// Companies whose storage is shown: those with the most.
const MAX_COMPANIES: usize = 50;

/// Microseconds per second.
const MICROS: f64 = 1_000_000.0;

/// The labels of a sample.
type Labels = Vec<(&'static str, String)>;

/// The value of a sample.
#[derive(Debug)]
enum Value {
    Whole(u64),
    Float(f64),
    /// The counts, and by what they are divided.
    Histogram(HistogramCounts, f64),
}

/// All samples of one metric.
#[derive(Debug)]
struct Family {
    name: &'static str,
    help: &'static str,
    kind: MetricType,
    samples: Vec<(Labels, Value)>,
}

/// All metrics as they are now.
#[derive(Debug, Default)]
struct Families(Vec<Family>);

impl Families {
    fn add(&mut self, name: &'static str, kind: MetricType, help: &'static str, samples: Vec<(Labels, Value)>) {
        self.0.push(Family { name, help, kind, samples });
    }

    fn gauge(&mut self, name: &'static str, help: &'static str, value: u64) {
        self.add(name, MetricType::Gauge, help, vec![(Labels::new(), Value::Whole(value))]);
    }

    fn counter(&mut self, name: &'static str, help: &'static str, value: u64) {
        self.add(name, MetricType::Counter, help, vec![(Labels::new(), Value::Whole(value))]);
    }

    /// Adds a gauge that has no sample without a value.
    fn time(&mut self, name: &'static str, help: &'static str, at: Option<Timestamp>) {
        let samples = at.map(|at| (Labels::new(), seconds_of(at))).into_iter().collect();
        self.add(name, MetricType::Gauge, help, samples);
    }
}

impl Collector for Families {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> fmt::Result {
        for Family { name, help, kind, samples } in &self.0 {
            let mut encoder = encoder.encode_descriptor(name, help, None, *kind)?;
            for (labels, value) in samples {
                if labels.is_empty() {
                    encode(&mut encoder, *kind, value)?;
                } else {
                    encode(&mut encoder.encode_family(labels)?, *kind, value)?;
                }
            }
        }
        Ok(())
    }
}

fn encode(encoder: &mut MetricEncoder<'_>, kind: MetricType, value: &Value) -> fmt::Result {
    const NO_EXEMPLAR: Option<&Exemplar<NoLabelSet, f64>> = None;
    match (value, kind) {
        (Value::Whole(value), MetricType::Counter) => encoder.encode_counter(value, NO_EXEMPLAR),
        (Value::Whole(value), _) => encoder.encode_gauge(value),
        (Value::Float(value), MetricType::Counter) => encoder.encode_counter(value, NO_EXEMPLAR),
        (Value::Float(value), _) => encoder.encode_gauge(value),
        (Value::Histogram(counts, divisor), _) => {
            let bounds = counts.bounds.iter().map(|bound| as_float(*bound) / divisor).chain([f64::INFINITY]);
            let buckets: Vec<(f64, u64)> = bounds.zip(counts.counts.iter().copied()).collect();
            encoder.encode_histogram::<NoLabelSet>(as_float(counts.sum) / divisor, counts.total(), &buckets, None)
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "metrics are floating point numbers")]
const fn as_float(value: u64) -> f64 {
    value as f64
}

fn seconds_of(at: Timestamp) -> Value {
    Value::Whole(u64::try_from(at.seconds()).unwrap_or_default())
}

impl Monitor {
    /// Returns all metrics in Prometheus' text format, those that name companies only if asked. Those of a store that cannot be read are left out: the check
    /// `store` says so. Reads the disk: not for threads that serve requests.
    pub fn metrics(&self, names_companies: bool) -> Result<String> {
        let mut families = Families::default();
        self.process_metrics(&mut families);
        self.http_metrics(&mut families);
        self.job_metrics(&mut families);
        self.health_metrics(&mut families);
        if let Err(error) =
            self.store_metrics(&mut families, names_companies).and_then(|()| self.mail_metrics(&mut families))
        {
            tracing::warn!(detail = ?error, "metrics: the store cannot be read");
        }
        let mut registry = Registry::default();
        registry.register_collector(Box::new(families));
        let mut text = String::new();
        prometheus_text::encode(&mut text, &registry).map_err(Error::internal)?;
        Ok(text)
    }

    fn process_metrics(&self, families: &mut Families) {
        let version = vec![("version", env!("CARGO_PKG_VERSION").to_owned())];
        let info = vec![(version, Value::Whole(1))];
        families.add("atrium_build_info", MetricType::Gauge, "The version that runs; always 1", info);
        let help = "Time at which the application was opened";
        families.time("atrium_start_timestamp_seconds", help, Some(self.0.opened));
        let process = Process::read();
        let help = "Processor time that the process has used";
        families.add(
            "process_cpu_seconds",
            MetricType::Counter,
            help,
            vec![(Labels::new(), Value::Float(process.cpu))],
        );
        families.gauge("process_resident_memory_bytes", "Memory of the process", process.memory);
        families.gauge("process_open_fds", "Open files, sockets among them", process.open_files);
        let most = rustix::process::getrlimit(rustix::process::Resource::Nofile).current.unwrap_or(u64::MAX);
        families.gauge("process_max_fds", "Files that may be open at a time", most);
    }

    fn http_metrics(&self, families: &mut Families) {
        let http = self.0.sources.http.as_deref();
        let routes = http.map(|http| http.requests.routes()).unwrap_or_default();
        let mut counts = Vec::new();
        let mut durations = Vec::new();
        for route in routes {
            let labels = vec![("method", route.method.clone()), ("route", route.path.clone())];
            for (class, count) in route.statuses() {
                let labels = [labels.clone(), vec![("status", class.to_owned())]].concat();
                counts.push((labels, Value::Whole(count)));
            }
            let taken = route.durations();
            if taken.total() > 0 {
                durations.push((labels, Value::Histogram(taken, MICROS)));
            }
        }
        let help = "Requests by method, route and class of the status";
        families.add("atrium_http_requests", MetricType::Counter, help, counts);
        let help = "Time from the head of a request to its response, by method and route";
        families.add("atrium_http_request_duration_seconds", MetricType::Histogram, help, durations);
        let open = http.map_or(0, |http| http.connections.load(std::sync::atomic::Ordering::Relaxed));
        families.gauge("atrium_http_connections", "Open connections", open as u64);
        let hits = Limit::ALL.map(|limit| (vec![("limit", limit.as_str().to_owned())], Value::Whole(limit.hits())));
        let help = "Requests and connections that were refused, by the limit that was reached";
        families.add("atrium_limit_hits", MetricType::Counter, help, hits.into());
    }

    fn store_metrics(&self, families: &mut Families, names_companies: bool) -> Result<()> {
        let Sources { engine, health, .. } = &self.0.sources;
        let store = self.store();
        let (writes, _) = store.written();
        families.counter("atrium_store_writes", "Writes that were committed", writes);
        let stats = store.commit_stats();
        let samples = |counts: Option<HistogramCounts>, divisor: f64| {
            counts.map(|counts| (Labels::new(), Value::Histogram(counts, divisor))).into_iter().collect()
        };
        let (sizes, times) = stats.unzip();
        let help = "Writes of each commit";
        families.add("atrium_store_commit_writes", MetricType::Histogram, help, samples(sizes, 1.0));
        let help = "Time of each commit, until it is on the disk";
        families.add("atrium_store_commit_duration_seconds", MetricType::Histogram, help, samples(times, MICROS));
        families.gauge("atrium_store_waiting_writes", "Writes that wait for a commit", store.waiting_writes() as u64);
        let condition = health.condition()?;
        families.gauge("atrium_store_writable", "Whether the store takes changes", condition.writable.into());
        let totals = self.totals()?;
        families.gauge("atrium_store_bytes", "Size of the store", totals.storage.store_bytes);
        families.gauge("atrium_index_bytes", "Size of the search index", totals.storage.index_bytes);
        families.gauge("atrium_uploads_bytes", "Size of the uploads of all companies", totals.storage.upload_bytes);
        let most = if names_companies { MAX_COMPANIES } else { 0 };
        let largest = totals::largest_companies(&store.snapshot()?, most)?;
        let largest = largest.into_iter().map(|(slug, bytes)| (vec![("company", slug)], Value::Whole(bytes)));
        let help = "Size of the uploads of a company; of the 50 companies with the most";
        families.add("atrium_company_uploads_bytes", MetricType::Gauge, help, largest.collect());
        families.gauge("atrium_companies", "Companies", totals.companies);
        families.gauge("atrium_people", "People of all companies", totals.people);
        families.gauge("atrium_sessions", "Sessions", totals.sessions);
        families.gauge("atrium_live_devices", "Devices that are connected for live updates", totals.devices);
        let room = |bytes: Option<u64>| bytes.map(|bytes| (Labels::new(), Value::Whole(bytes))).into_iter().collect();
        let help = "Free bytes of the disk of the store";
        families.add("atrium_disk_free_bytes", MetricType::Gauge, help, room(condition.disk_free));
        let help = "Size of the disk of the store";
        families.add("atrium_disk_total_bytes", MetricType::Gauge, help, room(condition.disk_total));
        families.counter("atrium_search_queries", "Searches for text", engine.searches());
        families.gauge("atrium_index_changes_behind", "Changes that search does not find yet", condition.index_behind);
        families.gauge("atrium_damaged", "Damaged records and uploads that are known", condition.damaged);
        families.time("atrium_backup_last_timestamp_seconds", "Time of the newest backup", condition.last_backup);
        let failed = condition.backup_error.is_some();
        families.gauge("atrium_backup_failed", "Whether the last scheduled backup failed", failed.into());
        Ok(())
    }

    fn job_metrics(&self, families: &mut Families) {
        let jobs = self.0.sources.jobs.list();
        let each = |value: &dyn Fn(&JobStatus) -> Option<Value>| -> Vec<(Labels, Value)> {
            let sample = |job: &JobStatus| Some((vec![("job", job.name.clone())], value(job)?));
            jobs.iter().filter_map(sample).collect()
        };
        let runs = each(&|job| Some(Value::Whole(job.runs)));
        families.add("atrium_job_runs", MetricType::Counter, "Runs of a background job", runs);
        let failed = each(&|job| Some(Value::Whole(job.failed_runs)));
        families.add("atrium_job_failed_runs", MetricType::Counter, "Failed runs of a background job", failed);
        let failing = each(&|job| Some(Value::Whole(job.failures.into())));
        let help = "Failed runs of a background job since the last one that did not fail";
        families.add("atrium_job_failures_in_a_row", MetricType::Gauge, help, failing);
        let last = each(&|job| job.last_run.map(seconds_of));
        let help = "Time at which the last run of a background job ended";
        families.add("atrium_job_last_run_timestamp_seconds", MetricType::Gauge, help, last);
        let last = each(&|job| job.last_success.map(seconds_of));
        let help = "Time at which the last run of a background job ended that did not fail";
        families.add("atrium_job_last_success_timestamp_seconds", MetricType::Gauge, help, last);
    }

    fn mail_metrics(&self, families: &mut Families) -> Result<()> {
        let mailer = &self.0.sources.mailer;
        let results = mailer.results();
        let of = |name: &str, count| (vec![("result", name.to_owned())], Value::Whole(count));
        let counts = vec![
            of("sent", results.sent),
            of("stored", results.stored),
            of("retried", results.retried),
            of("failed", results.failed),
        ];
        let help = "Attempts to deliver an email, by their result";
        families.add("atrium_mail_deliveries", MetricType::Counter, help, counts);
        let queue = mailer.queue(None, MAX_COUNTED_EMAILS)?;
        families.gauge("atrium_mail_waiting", "Emails that wait to be sent", queue.waiting);
        families.gauge("atrium_mail_late", "Emails that failed and have waited for over an hour", queue.late);
        Ok(())
    }

    fn health_metrics(&self, families: &mut Families) {
        let first = self.0.certificates.get().and_then(|certificates| certificates.first_to_end());
        let end = first.map(|validity| validity.ends);
        families.time("atrium_certificate_end_timestamp_seconds", "Time at which the first certificate ends", end);
        let statuses = self.checks().into_iter().map(|check| {
            let status = match check.status {
                CheckStatus::Ok => 0,
                CheckStatus::Warning => 1,
                CheckStatus::Failing => 2,
            };
            (vec![("check", check.name)], Value::Whole(status))
        });
        let help = "Status of a health check: 0 ok, 1 warning, 2 failing";
        families.add("atrium_check_status", MetricType::Gauge, help, statuses.collect());
    }
}

/// What the system knows of this process.
#[derive(Debug, Default)]
struct Process {
    /// Seconds.
    cpu: f64,
    /// Bytes.
    memory: u64,
    open_files: u64,
}

impl Process {
    /// Reads the files of procfs; what is not there is 0.
    fn read() -> Self {
        let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
        let kibibytes = status.lines().find_map(|line| line.strip_prefix("VmRSS:")?.trim().strip_suffix(" kB"));
        let kibibytes = kibibytes.and_then(|number| number.trim().parse::<u64>().ok());
        let open_files = fs::read_dir("/proc/self/fd").map_or(0, |files| files.count() as u64);
        let cpu = clock_gettime(ClockId::ProcessCPUTime);
        #[expect(clippy::cast_precision_loss, reason = "metrics are floating point numbers")]
        let cpu = cpu.tv_sec as f64 + cpu.tv_nsec as f64 / 1e9;
        Self { cpu, memory: kibibytes.unwrap_or_default() * 1024, open_files }
    }
}
