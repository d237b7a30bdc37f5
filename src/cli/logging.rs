//! Log output: lines of text for people or of JSON for programs, to standard error, never with a secret in them.
//!
//! Two targets are meant to be picked out: `atrium::sign_in` (one line for each failed sign-in) and
//! `atrium::access` (one line for each request, off unless `log.access` is `on`).

use std::{io::IsTerminal as _, sync::OnceLock};

use tracing_subscriber::EnvFilter;

use crate::config::{AccessLog, Log, LogFormat, LogLevel};

/// Puts another filter in force.
type Reload = Box<dyn Fn(EnvFilter) -> anyhow::Result<()> + Send + Sync>;

static RELOAD: OnceLock<Reload> = OnceLock::new();

/// Starts logging.
///
/// # Errors
/// Logging was started already.
pub fn start(log: &Log) -> anyhow::Result<()> {
    let filter = EnvFilter::try_new(directives(log))?;
    let builder = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr);
    let started = match log.format {
        LogFormat::Text => {
            let builder = builder.with_ansi(std::io::stderr().is_terminal()).with_filter_reloading();
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
        // Only a message that stands in the source can hold no secret.
        let message = panic.payload().downcast_ref::<&'static str>().copied().unwrap_or("see the place");
        let place = panic.location().map(ToString::to_string).unwrap_or_default();
        tracing::error!(place, message, "a part of the server panicked");
    }));
    Ok(())
}

fn keep(reload: Reload) {
    // A second start fails, and its handle with it.
    drop(RELOAD.set(reload));
}

/// Logs at another level, and requests or not, from now on.
///
/// # Errors
/// Logging was never started.
pub fn reload(log: &Log) -> anyhow::Result<()> {
    let reload = RELOAD.get().ok_or_else(|| anyhow::anyhow!("logging was not started"))?;
    reload(EnvFilter::try_new(directives(log))?)
}

/// What is logged. Libraries never log below `info`: what they say there quotes what people wrote.
fn directives(log: &Log) -> String {
    let libraries = match log.level {
        LogLevel::Trace => "info",
        LogLevel::Debug | LogLevel::Info | LogLevel::Warn => "warn",
        LogLevel::Error => "error",
    };
    let access = match log.access {
        AccessLog::On => "trace",
        AccessLog::Off => "off",
    };
    format!("{libraries},atrium={},atrium::access={access}", log.level.word())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_level_is_understood() {
        for level in [LogLevel::Error, LogLevel::Warn, LogLevel::Info, LogLevel::Debug, LogLevel::Trace] {
            for access in [AccessLog::On, AccessLog::Off] {
                EnvFilter::try_new(directives(&Log { format: LogFormat::Text, level, access })).unwrap();
            }
        }
    }

    #[test]
    fn libraries_stay_silent_about_what_people_wrote_and_requests_are_logged_on_demand() {
        let lines = |level, access| {
            let (log, filter) = (crate::testing::LogLines::default(), Log { format: LogFormat::Text, level, access });
            let writer = log.clone();
            let builder = tracing_subscriber::fmt().with_writer(move || writer.clone());
            let subscriber = builder.with_env_filter(EnvFilter::try_new(directives(&filter)).unwrap()).finish();
            tracing::subscriber::with_default(subscriber, || {
                tracing::trace!(target: "html5ever::tokenizer", "library trace");
                tracing::debug!(target: "html5ever::tokenizer", "library debug");
                tracing::trace!(target: "atrium::mail", "own trace");
                tracing::info!(target: "atrium::access", "answered");
                tracing::warn!(target: "atrium::sign_in", "sign-in failed");
            });
            log.text()
        };
        let all = lines(LogLevel::Trace, AccessLog::Off);
        assert!(all.contains("own trace") && !all.contains("library") && !all.contains("answered"), "{all}");
        let usual = lines(LogLevel::Info, AccessLog::On);
        assert!(usual.contains("answered") && usual.contains("sign-in failed"), "{usual}");
    }
}
