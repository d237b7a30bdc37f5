//! Work with a time limit.

use std::{
    io::{self, Read as _},
    process::{Command, Stdio},
    sync::mpsc,
    thread,
    time::Duration,
};

/// Time limit of a request to another machine.
pub const NETWORK_LIMIT: Duration = Duration::from_secs(5);

/// Time limit of work with the disk.
pub const DISK_LIMIT: Duration = Duration::from_secs(5);

/// The maximum of bytes that are read from a program.
const MAX_PRINTED_BYTES: u64 = 16 << 20;

/// Runs work on a thread of its own; returns `None` when it takes longer than `limit`. The thread then ends with the
/// process, or with its work.
pub fn within<T: Send + 'static>(limit: Duration, work: impl FnOnce() -> T + Send + 'static) -> Option<T> {
    let (done, finished) = mpsc::channel();
    thread::spawn(move || drop(done.send(work())));
    finished.recv_timeout(limit).ok()
}

/// Runs a program and returns what it prints. It is ended when it takes longer than `limit`.
/// Errors: It cannot be run, takes too long, or fails.
pub fn run_within(limit: Duration, command: &mut Command) -> io::Result<String> {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn()?;
    let printed = child.stdout.take().map(|stdout| stdout.take(MAX_PRINTED_BYTES));
    let read = move || -> io::Result<String> {
        let mut text = String::new();
        printed.map_or(Ok(0), |mut printed| printed.read_to_string(&mut text))?;
        Ok(text)
    };
    let Some(text) = within(limit, read) else {
        child.kill()?;
        child.wait()?;
        return Err(io::Error::new(io::ErrorKind::TimedOut, "it took too long"));
    };
    match child.wait()? {
        status if status.success() => text,
        status => Err(io::Error::other(status.to_string())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::machine::program::program;

    #[test]
    fn endless_work_is_given_up() {
        assert_eq!(within(Duration::from_secs(60), || 1), Some(1));
        let (stop, stopped) = mpsc::channel::<()>();
        assert_eq!(within(Duration::from_millis(10), move || stopped.recv().is_ok()), None);
        drop(stop);
    }

    #[test]
    fn endless_programs_are_ended() {
        let run = |limit, script: &str| run_within(limit, program("sh").args(["-c", script]));
        assert_eq!(run(Duration::from_mins(1), "echo done").unwrap(), "done\n");
        assert!(run(Duration::from_mins(1), "exit 3").unwrap_err().to_string().contains('3'));
        assert_eq!(run(Duration::from_millis(50), "exec sleep 600").unwrap_err().kind(), io::ErrorKind::TimedOut);
        assert!(run_within(DISK_LIMIT, &mut program("/no/such/program")).is_err());
    }
}
