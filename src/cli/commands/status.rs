//! `atrium status`: asks the running server for its checks and figures, once or every two seconds.

use std::{
    io::{self, IsTerminal as _, Write as _},
    thread,
    time::Duration,
};

use super::health::check_lines;
use crate::{
    cli::{client, prelude::*},
    config::Config,
    kernel::run_blocking,
    monitoring::{HealthReport, Totals, counted, duration, size},
};

/// The pause between two answers of `--watch`.
const WATCH_INTERVAL: Duration = Duration::from_secs(2);

/// Clears the terminal and moves the cursor to its beginning (ECMA-48).
const CLEAR: &str = "\x1b[2J\x1b[H";

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  atrium status
  atrium status --watch
  atrium status --watch --json")]
pub struct Status {
    /// Show it again every two seconds, until Ctrl+C; with --json, an object on each line
    #[arg(long)]
    watch: bool,
}

impl Status {
    /// Asks the server and prints its answers.
    pub fn run(&self, config: &Config, wait: Duration, json: bool) -> Result<(), Failure> {
        let ask = || client::run(config, Command::Status, wait);
        if !self.watch {
            return print_text(&ask()?.shown(json)?);
        }
        let mut out = io::stdout();
        let is_terminal = out.is_terminal();
        loop {
            let text = ask()?.shown(json)?;
            let text = match (json, is_terminal) {
                (true, _) => format!("{text}\n"),
                (false, true) => format!("{CLEAR}{text}\n"),
                (false, false) => format!("{text}\n\n"),
            };
            // The reader has ended (`| head`).
            if out.write_all(text.as_bytes()).and_then(|()| out.flush()).is_err() {
                return Ok(());
            }
            thread::sleep(WATCH_INTERVAL);
        }
    }
}

/// Checks the installation and counts what it has.
pub async fn run(context: &Context) -> Result<StatusShown> {
    let monitor = context.app()?.monitor.clone();
    run_blocking(move || Ok(StatusShown { report: monitor.report(), totals: monitor.totals()? })).await
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StatusShown {
    /// The checks.
    #[serde(flatten)]
    pub report: HealthReport,
    /// The figures.
    #[serde(flatten)]
    pub totals: Totals,
}

impl StatusShown {
    pub fn text(&self) -> String {
        let Self { report, totals } = self;
        let storage = totals.storage;
        let companies = match totals.inactive_companies {
            0 => totals.companies.to_string(),
            inactive => format!("{} ({inactive} not active)", totals.companies),
        };
        let used = format!(
            "{} (store {}, uploads {}, search index {})",
            size(storage.total()),
            size(storage.store_bytes),
            size(storage.upload_bytes),
            size(storage.index_bytes)
        );
        let sessions = format!("{} ({} connected)", totals.sessions, counted(totals.devices, "device"));
        let figures = pairs(&[
            ("Companies", &companies),
            ("People", &totals.people.to_string()),
            ("Sessions", &sessions),
            ("Storage", &used),
            ("Emails", &format!("{} waiting", totals.emails_waiting)),
        ]);
        let head = format!(
            "Atrium {}, running for {}: {}",
            report.version,
            duration(report.uptime_seconds),
            report.status.as_str()
        );
        format!("{head}\n\n{figures}\n\n{}", check_lines(&report.checks))
    }
}
