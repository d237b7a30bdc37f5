//! What the server writes about its work: lines of text for people or of JSON for programs, to
//! standard error, never with a secret in them.

use std::io::IsTerminal as _;

use tracing_subscriber::EnvFilter;

use crate::config::{Log, LogFormat, LogLevel};

/// Starts logging. What libraries say is of interest only when a fault is looked for.
///
/// # Errors
/// Logging was started already.
pub fn start(log: &Log) -> anyhow::Result<()> {
    let filter = EnvFilter::try_new(directives(log.level))?;
    let builder = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr);
    let started = match log.format {
        LogFormat::Text => builder.with_ansi(std::io::stderr().is_terminal()).try_init(),
        LogFormat::Json => builder.json().with_span_list(false).try_init(),
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

fn directives(level: LogLevel) -> String {
    let libraries = match level {
        LogLevel::Trace => "debug",
        LogLevel::Debug | LogLevel::Info | LogLevel::Warn => "warn",
        LogLevel::Error => "error",
    };
    format!("{libraries},atrium={}", level.word())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_level_is_understood() {
        for level in [LogLevel::Error, LogLevel::Warn, LogLevel::Info, LogLevel::Debug, LogLevel::Trace] {
            EnvFilter::try_new(directives(level)).unwrap();
        }
    }
}
