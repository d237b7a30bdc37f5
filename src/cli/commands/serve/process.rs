//! The server's process: stop signals, the limit of open files, and memory pages.

use std::{io, pin::Pin};

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use tokio::signal::unix::{SignalKind, signal};

/// Open files other than connections: store, index, running uploads, log, outgoing connections.
const OTHER_FILES: usize = 512;

/// Resolves when the process receives SIGTERM or SIGINT.
pub type StopSignal = Pin<Box<dyn Future<Output = ()> + Send>>;

/// Handles SIGTERM and SIGINT from now on. A signal without a handler ends the process.
pub fn stop_signal() -> io::Result<StopSignal> {
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    Ok(Box::pin(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
    }))
}

/// Disables huge pages. With them, the first bytes of every thread would take 2 MB each: a third more memory without a
/// benefit.
pub fn use_small_pages() {
    if let Err(error) = rustix::thread::disable_transparent_huge_pages(true) {
        tracing::debug!(%error, "huge pages stay on");
    }
}

/// Raises the limit of open files to the hard limit, and warns when that is too low for the configured connections.
/// Above the limit, neither a connection nor a file can be opened.
pub fn raise_file_limit(connections: usize) {
    let Rlimit { maximum, .. } = getrlimit(Resource::Nofile);
    if let Err(error) = setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum }) {
        tracing::warn!(%error, "cannot raise the limit of open files");
    }
    let allowed = getrlimit(Resource::Nofile).current;
    if let Some(allowed) = too_few(allowed, connections) {
        tracing::warn!(
            allowed,
            connections,
            needed = connections + OTHER_FILES,
            "fewer open files are allowed than limits.connections needs: raise the limit (LimitNOFILE, ulimit -Hn), or lower limits.connections"
        );
    }
}

/// Returns the limit of open files when it is too low.
fn too_few(allowed: Option<u64>, connections: usize) -> Option<u64> {
    allowed.filter(|allowed| *allowed < (connections + OTHER_FILES) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn detects_a_too_low_open_file_limit() {
        assert_eq!(too_few(Some(1_024), 4_096), Some(1_024));
        assert_eq!(too_few(Some(4_607), 4_096), Some(4_607));
        assert_eq!(too_few(Some(4_608), 4_096), None);
        assert_eq!(too_few(None, 4_096), None);
    }

    #[test]
    fn raises_the_soft_open_file_limit_to_the_hard_limit() {
        raise_file_limit(1);
        let limit = getrlimit(Resource::Nofile);
        assert_eq!(limit.current, limit.maximum);
    }
}
