//! The bounded first-in, first-out queue of writes for the writer thread.

use std::{collections::VecDeque, time::Duration};

use parking_lot::{Condvar, Mutex, MutexGuard};

use crate::kernel::Limit;

/// Most waiting writes. Further ones are refused.
const MAX_WAITING_WRITES: usize = 4_096;

/// The writer's next action.
pub(super) enum Next<J> {
    /// Run these jobs in one commit.
    Commit(Vec<J>),
    /// Check the disk.
    CheckDisk,
    /// Stop: the queue is closed and empty.
    Stop,
}

/// The waiting jobs.
pub(super) struct Queue<J> {
    waiting: Mutex<Waiting<J>>,
    changed: Condvar,
}

struct Waiting<J> {
    jobs: VecDeque<J>,
    disk_check_requested: bool,
    closed: bool,
}

impl<J> Queue<J> {
    pub(super) fn new() -> Self {
        let waiting = Waiting { jobs: VecDeque::new(), disk_check_requested: false, closed: false };
        Self { waiting: Mutex::new(waiting), changed: Condvar::new() }
    }

    fn waiting(&self) -> MutexGuard<'_, Waiting<J>> {
        self.waiting.lock()
    }

    /// Adds a job. Returns false if the queue is full or closed.
    pub(super) fn push(&self, job: J) -> bool {
        let mut waiting = self.waiting();
        if waiting.closed || waiting.jobs.len() >= MAX_WAITING_WRITES {
            Limit::Writes.count_hit();
            return false;
        }
        waiting.jobs.push_back(job);
        drop(waiting);
        self.changed.notify_one();
        true
    }

    /// Returns the number of waiting jobs.
    pub(super) fn len(&self) -> usize {
        self.waiting().jobs.len()
    }

    /// Makes the writer check the disk.
    pub(super) fn request_disk_check(&self) {
        self.waiting().disk_check_requested = true;
        self.changed.notify_one();
    }

    /// Accepts no further jobs. Waiting ones still run.
    pub(super) fn close(&self) {
        self.waiting().closed = true;
        self.changed.notify_one();
    }

    /// Waits for work and returns it, at most `most` jobs at a time.
    pub(super) fn next(&self, most: usize) -> Next<J> {
        let mut waiting = self.waiting();
        loop {
            if std::mem::take(&mut waiting.disk_check_requested) {
                return Next::CheckDisk;
            }
            if !waiting.jobs.is_empty() {
                let count = waiting.jobs.len().min(most);
                return Next::Commit(waiting.jobs.drain(..count).collect());
            }
            if waiting.closed {
                return Next::Stop;
            }
            self.changed.wait(&mut waiting);
        }
    }

    /// Drops all jobs for this duration. Returns false if the queue was closed.
    pub(super) fn drop_jobs_for(&self, duration: Duration) -> bool {
        let mut waiting = self.waiting();
        let keep_waiting = |waiting: &mut Waiting<J>| {
            waiting.jobs.clear();
            !waiting.closed
        };
        self.changed.wait_while_for(&mut waiting, keep_waiting, duration);
        waiting.jobs.clear();
        waiting.disk_check_requested = false;
        !waiting.closed
    }
}
