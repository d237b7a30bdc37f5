//! The writes that wait for the writer: bounded, in the order in which they came.

use std::{
    collections::VecDeque,
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

/// Writes that may wait; the next is refused.
const LENGTH: usize = 4_096;

/// What the writer is to do next.
pub(super) enum Next<J> {
    /// These, in one commit.
    Work(Vec<J>),
    /// See whether the disk is well.
    Look,
    /// End: all is done and nobody can ask for more.
    Stop,
}

/// Jobs that wait.
pub(super) struct Queue<J> {
    waiting: Mutex<Waiting<J>>,
    changed: Condvar,
}

struct Waiting<J> {
    jobs: VecDeque<J>,
    look: bool,
    closed: bool,
}

impl<J> Queue<J> {
    pub(super) fn new() -> Self {
        let waiting = Waiting { jobs: VecDeque::new(), look: false, closed: false };
        Self { waiting: Mutex::new(waiting), changed: Condvar::new() }
    }

    fn waiting(&self) -> MutexGuard<'_, Waiting<J>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a job. Whether there was room for it.
    pub(super) fn push(&self, job: J) -> bool {
        let mut waiting = self.waiting();
        if waiting.closed || waiting.jobs.len() >= LENGTH {
            return false;
        }
        waiting.jobs.push_back(job);
        drop(waiting);
        self.changed.notify_one();
        true
    }

    /// Has the writer see whether the disk is well.
    pub(super) fn look(&self) {
        self.waiting().look = true;
        self.changed.notify_one();
    }

    /// Takes no further jobs; those that wait are still done.
    pub(super) fn close(&self) {
        self.waiting().closed = true;
        self.changed.notify_one();
    }

    /// Waits for something to do: at most `most` jobs at once.
    pub(super) fn next(&self, most: usize) -> Next<J> {
        let mut waiting = self.waiting();
        loop {
            if std::mem::take(&mut waiting.look) {
                return Next::Look;
            }
            if !waiting.jobs.is_empty() {
                let count = waiting.jobs.len().min(most);
                return Next::Work(waiting.jobs.drain(..count).collect());
            }
            if waiting.closed {
                return Next::Stop;
            }
            waiting = self.changed.wait(waiting).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Refuses all jobs for so long. Whether to go on: false when nobody can ask for more.
    pub(super) fn rest(&self, duration: Duration) -> bool {
        let waiting = self.waiting();
        let (mut waiting, _) = self
            .changed
            .wait_timeout_while(waiting, duration, |waiting| {
                waiting.jobs.clear();
                !waiting.closed
            })
            .unwrap_or_else(PoisonError::into_inner);
        waiting.jobs.clear();
        waiting.look = false;
        !waiting.closed
    }
}
