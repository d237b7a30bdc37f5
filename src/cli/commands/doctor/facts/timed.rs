//! Work with a time limit.

use std::{sync::mpsc, thread, time::Duration};

/// Time limit of a request to another machine.
pub const NETWORK_LIMIT: Duration = Duration::from_secs(5);

/// Time limit of work with the disk.
pub const DISK_LIMIT: Duration = Duration::from_secs(5);

/// Runs work on a thread of its own; returns `None` when it takes longer than `limit`. The thread then ends with the
/// process, or with its work.
pub fn within<T: Send + 'static>(limit: Duration, work: impl FnOnce() -> T + Send + 'static) -> Option<T> {
    let (done, finished) = mpsc::channel();
    thread::spawn(move || drop(done.send(work())));
    finished.recv_timeout(limit).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endless_work_is_given_up() {
        assert_eq!(within(Duration::from_secs(60), || 1), Some(1));
        let (stop, stopped) = mpsc::channel::<()>();
        assert_eq!(within(Duration::from_millis(10), move || stopped.recv().is_ok()), None);
        drop(stop);
    }
}
