//! Log output to standard error, as lines of text for people or of JSON for programs. It never contains secrets.
//!
//! Two targets can be selected: `atrium::sign_in` (one line for each failed sign-in) and `atrium::access` (one line for
//! each request, off unless `log.access` is `on`).

use std::{
    borrow::Cow,
    fmt::Write as _,
    io::{self, IsTerminal as _},
    sync::OnceLock,
};

use rustix::fs::fstat;
use tracing::{Level, Metadata};
use tracing_subscriber::{EnvFilter, fmt::MakeWriter};

use crate::config::{AccessLog, Log, LogFormat, LogLevel};

/// Replaces the filter in force.
type Reload = Box<dyn Fn(EnvFilter) -> anyhow::Result<()> + Send + Sync>;

static RELOAD: OnceLock<Reload> = OnceLock::new();

/// Starts logging.
pub fn start(log: &Log) -> anyhow::Result<()> {
    let filter = EnvFilter::try_new(directives(log))?;
    let output = Output { has_priorities: is_journal(), escapes: matches!(log.format, LogFormat::Text) };
    let builder = tracing_subscriber::fmt().with_env_filter(filter).with_writer(output);
    let started = match log.format {
        LogFormat::Text => {
            let builder = builder.with_ansi(io::stderr().is_terminal()).with_filter_reloading();
            let handle = builder.reload_handle();
            keep(Box::new(move |filter| Ok(handle.reload(filter)?)));
            builder.try_init()
        }
        LogFormat::Json => {
            let builder = builder.json().with_span_list(false).with_filter_reloading();
            let handle = builder.reload_handle();
            keep(Box::new(move |filter| Ok(handle.reload(filter)?)));
            builder.try_init()
        }
    };
    started.map_err(|error| anyhow::anyhow!(error))?;
    std::panic::set_hook(Box::new(|panic| {
        // Only a message that is a literal in the source is certain to contain no secret.
        let message = panic.payload().downcast_ref::<&'static str>().copied().unwrap_or("see the place");
        let place = panic.location().map(ToString::to_string).unwrap_or_default();
        tracing::error!(place, message, "a part of the server panicked");
    }));
    Ok(())
}

fn keep(reload: Reload) {
    // A second start fails, so its handle is not needed.
    drop(RELOAD.set(reload));
}

/// Changes the level and the logging of requests from now on.
pub fn reload(log: &Log) -> anyhow::Result<()> {
    let reload = RELOAD.get().ok_or_else(|| anyhow::anyhow!("logging was not started"))?;
    reload(EnvFilter::try_new(directives(log))?)
}

/// Returns the filter directives. Libraries log at `info` at the most detailed: below it they quote user input.
fn directives(log: &Log) -> String {
    let libraries = match log.level {
        LogLevel::Trace => "info",
        LogLevel::Debug | LogLevel::Info | LogLevel::Warn => "warn",
        LogLevel::Error => "error",
    };
    let access = match (log.access, log.level) {
        (AccessLog::Off, _) => "off",
        // Health checks, which are many, are logged at this level.
        (AccessLog::On, LogLevel::Debug | LogLevel::Trace) => "debug",
        (AccessLog::On, _) => "info",
    };
    let own = log.level.config_value();
    // The request log has the name of the module `access`, whose lines keep their level.
    format!("{libraries},atrium={own},atrium::access={access},atrium::access::={own}")
}

/// Whether standard error leads to the journal of systemd.
fn is_journal() -> bool {
    let Some(stream) = std::env::var_os("JOURNAL_STREAM") else { return false };
    fstat(io::stderr()).is_ok_and(|found| *stream == *format!("{}:{}", found.st_dev, found.st_ino))
}

/// Standard error, as the log writes to it.
#[derive(Clone, Copy)]
struct Output {
    /// Whether each line begins with its priority, as the journal of systemd reads it.
    has_priorities: bool,
    /// Whether control characters are escaped. JSON does that itself.
    escapes: bool,
}

impl Output {
    const fn line<W>(self, level: Level, to: W) -> Line<W> {
        let priority = match level {
            _ if !self.has_priorities => "",
            Level::ERROR => "<3>",
            Level::WARN => "<4>",
            Level::INFO => "<6>",
            Level::DEBUG | Level::TRACE => "<7>",
        };
        Line { priority, escapes: self.escapes, to }
    }
}

impl MakeWriter<'_> for Output {
    type Writer = Line<io::Stderr>;

    fn make_writer(&self) -> Self::Writer {
        self.line(Level::INFO, io::stderr())
    }

    fn make_writer_for(&self, event: &Metadata<'_>) -> Self::Writer {
        self.line(*event.level(), io::stderr())
    }
}

/// Writes an event as one line. Control characters in its text are escaped, so that input in a field cannot begin a line
/// of its own or control a terminal. The formatter writes each event whole. Colours are kept for terminals.
struct Line<W> {
    priority: &'static str,
    escapes: bool,
    to: W,
}

impl<W: io::Write> io::Write for Line<W> {
    fn write(&mut self, event: &[u8]) -> io::Result<usize> {
        let text = String::from_utf8_lossy(event);
        let (line, end) = text.strip_suffix('\n').map_or((&*text, ""), |line| (line, "\n"));
        let line = if self.escapes { escaped(line) } else { Cow::Borrowed(line) };
        self.to.write_all(format!("{}{line}{end}", self.priority).as_bytes())?;
        Ok(event.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}

fn escaped(line: &str) -> Cow<'_, str> {
    let is_unsafe = |letter: char| letter.is_control() || matches!(letter, '\u{2028}' | '\u{2029}');
    if !line.contains(is_unsafe) {
        return Cow::Borrowed(line);
    }
    let mut out = String::with_capacity(line.len() + 16);
    for (at, letter) in line.char_indices() {
        if is_unsafe(letter) && !is_colour(&line[at..]) {
            let _ = write!(out, "{}", letter.escape_default());
        } else {
            out.push(letter);
        }
    }
    Cow::Owned(out)
}

/// Whether a text begins with an escape sequence that only changes colours.
fn is_colour(text: &str) -> bool {
    let parameters = text.strip_prefix("\x1b[").unwrap_or_default();
    parameters.trim_start_matches(|letter: char| letter.is_ascii_digit() || letter == ';').starts_with('m')
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    #[test]
    fn log_lines_cannot_be_forged() {
        let log = crate::testing::LogLines::default();
        let writer = log.clone();
        let output = Output { has_priorities: false, escapes: true };
        let builder = tracing_subscriber::fmt().with_ansi(false);
        let builder = builder.with_writer(move || output.line(Level::INFO, writer.clone()));
        let forged =
            "refused\r\n2026-11-22T00:00:00Z WARN atrium::sign_in: sign-in failed address=192.0.2.1\u{2028}\x1b[2J";
        tracing::subscriber::with_default(builder.finish(), || {
            tracing::warn!(why = %forged, detail = ?std::fmt::from_fn(|f| f.write_str(forged)), text = forged, "{forged}");
            tracing::warn!("as it is: Ñandú");
        });
        let text = log.text();
        assert_eq!(text.lines().count(), 2, "{text}");
        assert!(text.contains("refused\\r\\n2026") && text.ends_with("as it is: Ñandú\n"), "{text}");
        assert!(!text.contains(|letter: char| letter.is_control() && letter != '\n'), "{text}");
    }

    #[test]
    fn lines_for_the_journal_begin_with_their_priority() {
        let written = |has_priorities, level| {
            let mut out = Vec::new();
            let output = Output { has_priorities, escapes: true };
            output.line(level, &mut out).write_all(b"the disk\tfails\n").unwrap();
            String::from_utf8(out).unwrap()
        };
        assert_eq!(written(true, Level::ERROR), "<3>the disk\\tfails\n");
        assert_eq!(written(true, Level::INFO), "<6>the disk\\tfails\n");
        assert_eq!(written(false, Level::ERROR), "the disk\\tfails\n");
    }

    #[test]
    fn accepts_every_log_level() {
        for level in [LogLevel::Error, LogLevel::Warn, LogLevel::Info, LogLevel::Debug, LogLevel::Trace] {
            for access in [AccessLog::On, AccessLog::Off] {
                EnvFilter::try_new(directives(&Log { format: LogFormat::Text, level, access })).unwrap();
            }
        }
    }

    #[test]
    fn hides_library_logs_and_logs_requests_only_when_enabled() {
        let lines = |level, access| {
            let log = crate::testing::LogLines::default();
            let filter = Log { format: LogFormat::Text, level, access };
            let writer = log.clone();
            let builder = tracing_subscriber::fmt().with_writer(move || writer.clone());
            let subscriber = builder.with_env_filter(EnvFilter::try_new(directives(&filter)).unwrap()).finish();
            tracing::subscriber::with_default(subscriber, || {
                tracing::trace!(target: "html5ever::tokenizer", "library trace");
                tracing::debug!(target: "html5ever::tokenizer", "library debug");
                tracing::trace!(target: "atrium::mail", "own trace");
                tracing::info!(target: "atrium::access", "answered");
                tracing::debug!(target: "atrium::access", "health");
                tracing::warn!(target: "atrium::sign_in", "sign-in failed");
                tracing::warn!(target: "atrium::access::sessions::renewing", "stolen");
            });
            log.text()
        };
        let all = lines(LogLevel::Trace, AccessLog::Off);
        assert!(all.contains("own trace") && !all.contains("library") && !all.contains("answered"), "{all}");
        assert!(all.contains("stolen"), "the module `access` is no part of the request log: {all}");
        let usual = lines(LogLevel::Info, AccessLog::On);
        assert!(usual.contains("answered") && usual.contains("sign-in failed"), "{usual}");
        assert!(!usual.contains("health") && lines(LogLevel::Debug, AccessLog::On).contains("health"), "{usual}");
        assert!(lines(LogLevel::Error, AccessLog::On).contains("answered"), "requests are logged at every level");
    }
}
