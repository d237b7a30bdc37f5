//! Progress on the terminal: one line on standard error while a long command runs, which is gone at the end.

use std::{
    io::{self, IsTerminal as _, Write as _},
    sync::mpsc::{RecvTimeoutError, Sender, channel},
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use rustix::termios::tcgetwinsize;

use crate::{
    kernel::progress::{Progress, ProgressReport, Unit},
    monitoring::{duration, size},
};

/// How long a command may run without a line, and how often the line is drawn.
const INTERVAL: Duration = Duration::from_millis(250);
/// How long a step runs before its rate is trusted.
const RATE_DELAY: Duration = Duration::from_secs(2);
/// The columns of a terminal that does not tell how many it has.
const USUAL_COLUMNS: usize = 80;
/// Returns to the beginning of the line and erases it (ECMA-48).
const ERASE: &str = "\r\x1b[K";

/// Whether progress can be shown: standard error is a terminal that can erase a line.
pub fn is_visible() -> bool {
    io::stderr().is_terminal() && std::env::var_os("TERM").is_none_or(|name| name != "dumb")
}

/// Shows progress until it is dropped.
pub struct ProgressLine {
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl ProgressLine {
    /// Shows the progress, if it [is visible](is_visible).
    pub fn show(progress: &Progress) -> Self {
        if !is_visible() {
            return Self { stop: None, thread: None };
        }
        let progress = progress.clone();
        let (stop, stopped) = channel();
        let thread = thread::spawn(move || {
            let mut shown = Shown::new();
            while stopped.recv_timeout(INTERVAL) == Err(RecvTimeoutError::Timeout) {
                if let Some(report) = progress.report() {
                    let columns = tcgetwinsize(io::stderr()).map_or(0, |size| usize::from(size.ws_col));
                    shown.draw(&report, if columns == 0 { USUAL_COLUMNS } else { columns });
                }
            }
            shown.erase();
        });
        Self { stop: Some(stop), thread: Some(thread) }
    }
}

impl Drop for ProgressLine {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            drop(thread.join());
        }
    }
}

/// The line as it is drawn.
struct Shown {
    step: String,
    since: Instant,
    is_drawn: bool,
}

impl Shown {
    fn new() -> Self {
        Self { step: String::new(), since: Instant::now(), is_drawn: false }
    }

    fn draw(&mut self, report: &ProgressReport, columns: usize) {
        if self.step != report.step {
            self.step.clone_from(&report.step);
            self.since = Instant::now();
        }
        // The last column stays free: some terminals begin a new line after it.
        let line: String = line(report, self.since.elapsed()).chars().take(columns.saturating_sub(1)).collect();
        print(&format!("{ERASE}{line}"));
        self.is_drawn = true;
    }

    fn erase(&self) {
        if self.is_drawn {
            print(ERASE);
        }
    }
}

/// Prints to the terminal. A failure is ignored: the command goes on without the line.
fn print(text: &str) {
    let mut out = io::stderr().lock();
    drop(out.write_all(text.as_bytes()).and_then(|()| out.flush()));
}

/// Returns the line: `Copying records  1,200 of 4,800 (25%), 400/s, 9 seconds left`.
fn line(report: &ProgressReport, elapsed: Duration) -> String {
    let ProgressReport { step, unit, done, total } = report;
    let amount = |number: u64| match unit {
        Unit::Items => grouped(number),
        Unit::Bytes => size(number),
    };
    let seconds = elapsed.as_secs();
    let mut parts = match total {
        // The total is counted at the beginning: in a running server, there may be more by now.
        Some(total) if *total > 0 => {
            let done = (*done).min(*total);
            vec![format!("{} of {} ({}%)", amount(done), amount(*total), u128::from(done) * 100 / u128::from(*total))]
        }
        _ if *done > 0 => vec![amount(*done)],
        _ => vec![duration(seconds)],
    };
    let rate = done.checked_div(seconds).filter(|rate| *rate > 0 && elapsed >= RATE_DELAY);
    if let Some(rate) = rate {
        parts.push(format!("{}/s", amount(rate)));
        let left = total.map(|total| total.saturating_sub(*done).div_ceil(rate)).filter(|left| *left > 0);
        parts.extend(left.map(|left| format!("{} left", duration(left))));
    }
    format!("{step}  {}", parts.join(", "))
}

/// Formats a number with commas between thousands.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::with_capacity(digits.len() * 4 / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_has_what_is_known() {
        let shown = |unit, done, total, seconds| {
            let report = ProgressReport { step: "Copying".into(), unit, done, total };
            line(&report, Duration::from_secs(seconds))
        };
        for (text, found) in [
            ("Copying  0 of 4,800 (0%)", shown(Unit::Items, 0, Some(4_800), 0)),
            ("Copying  1,200 of 4,800 (25%)", shown(Unit::Items, 1_200, Some(4_800), 1)),
            ("Copying  1,200 of 4,800 (25%), 400/s, 9 seconds left", shown(Unit::Items, 1_200, Some(4_800), 3)),
            ("Copying  4,800 of 4,800 (100%), 500/s", shown(Unit::Items, 5_000, Some(4_800), 10)),
            (
                "Copying  1.5 MB of 3.0 MB (50%), 500.0 kB/s, 3 seconds left",
                shown(Unit::Bytes, 1_500_000, Some(3_000_000), 3),
            ),
            ("Copying  12,345,678, 1,234,567/s", shown(Unit::Items, 12_345_678, None, 10)),
            ("Copying  7 seconds", shown(Unit::Items, 0, None, 7)),
            ("Copying  7 seconds", shown(Unit::Items, 0, Some(0), 7)),
        ] {
            assert_eq!(found, text);
        }
        assert_eq!([0, 999, 1_000, 123_456].map(grouped), ["0", "999", "1,000", "123,456"]);
    }
}
