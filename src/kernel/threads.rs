//! Threads for work that must not delay requests.

use std::thread;

use tokio::sync::oneshot;

use super::{Error, Result};

/// The nice value of work in the background: requests and writes come first.
pub const BACKGROUND_NICE: i32 = 5;

/// Runs work on a thread where it may block.
pub async fn run_blocking<T: Send + 'static>(work: impl FnOnce() -> Result<T> + Send + 'static) -> Result<T> {
    tokio::task::spawn_blocking(work).await.map_err(Error::internal)?
}

/// Lowers the priority of the calling thread to a nice value. On Linux each thread has its own, and a thread that it starts
/// begins with the same. It cannot be raised again.
pub fn lower_priority(nice: i32) {
    if let Err(error) = rustix::process::setpriority_process(None, nice) {
        tracing::warn!(%error, nice, "the priority of a thread could not be lowered");
    }
}

/// Lets a thread that waits for this processor run first. Work in the background calls it between its parts: a lower
/// priority alone makes a request wait until the work has used up its turn of some milliseconds.
pub fn let_others_run() {
    thread::yield_now();
}

/// Runs work on a thread of its own, below the priority of requests and writes.
pub async fn run_in_background<T: Send + 'static>(
    name: &str,
    work: impl FnOnce() -> Result<T> + Send + 'static,
) -> Result<T> {
    start_in_background(name, work)?.await.map_err(Error::internal)?
}

/// Starts work on a thread of its own with this name, below the priority of requests and writes. Returns where its result
/// arrives.
pub fn start_in_background<T: Send + 'static>(
    name: &str,
    work: impl FnOnce() -> Result<T> + Send + 'static,
) -> Result<oneshot::Receiver<Result<T>>> {
    let (sender, done) = oneshot::channel();
    let work = move || {
        lower_priority(BACKGROUND_NICE);
        // The caller need not wait for it.
        let _ = sender.send(work());
    };
    thread::Builder::new().name(name.to_owned()).spawn(work).map_err(Error::internal)?;
    Ok(done)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn background_work_has_a_lower_priority_as_have_the_threads_it_starts() {
        let nice = || rustix::process::getpriority_process(None).map_err(Error::internal);
        let before = nice().unwrap();
        let inside = start_in_background("test", move || {
            let started = thread::spawn(nice).join().map_err(|_| Error::internal("a panic"))??;
            Ok((nice()?, started))
        });
        assert_eq!(inside.unwrap().await.unwrap().unwrap(), (BACKGROUND_NICE, BACKGROUND_NICE));
        assert_eq!(nice().unwrap(), before, "other threads keep theirs");
        let failed: oneshot::Receiver<Result<()>> = start_in_background("test", || panic!("expected")).unwrap();
        assert!(failed.await.is_err());
    }
}
