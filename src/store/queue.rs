//! The bounded first-in, first-out queue of writes for the writer thread.

use std::{
    collections::VecDeque,
    time::{Duration, Instant},
};

use parking_lot::{Condvar, Mutex, MutexGuard};

use crate::kernel::Limit;

/// Most waiting writes. Further ones are refused.
const MAX_WAITING_WRITES: usize = 4_096;
/// Longest wait for more writes to share a commit, however long the commit before took.
const MAX_PATIENCE: Duration = Duration::from_millis(2);
/// Commits without a wait after one that brought no further write.
const COMMITS_AFTER_VAIN_WAIT: u32 = 8;

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
    /// The number of jobs from which the writer is woken.
    wanted: usize,
    disk_check_requested: bool,
    closed: bool,
}

/// Decides when the writer waits a moment so that more writes share a commit. Clients that were just answered often write
/// again at once. Without the wait they would take turns with those that waited, in groups of half the size, and a
/// commit costs about the same however many writes it has.
#[derive(Default)]
pub(super) struct Gathering {
    /// The writes of all clients that wrote at the last commit: those that it answered, and those that waited at its end.
    all: usize,
    /// Half the time of the last commit: what a write that waits may lose, since it gains that much on the average.
    patience: Duration,
    /// Commits until the next wait.
    pause: u32,
}

impl Gathering {
    /// Notes a commit before its writes are answered: how many they are, how many wait now, and how long it took.
    pub(super) fn note(&mut self, answered: usize, waiting: usize, took: Duration) {
        self.all = answered + waiting;
        self.patience = (took / 2).min(MAX_PATIENCE);
    }

    /// Returns the number of writes that are worth a wait. None for a lone client, and for some commits after a wait in vain.
    fn wanted(&mut self) -> Option<usize> {
        let all = std::mem::take(&mut self.all);
        if all < 2 {
            return None;
        }
        if self.pause > 0 {
            self.pause -= 1;
            return None;
        }
        Some(all)
    }
}

impl<J> Queue<J> {
    pub(super) fn new() -> Self {
        let waiting = Waiting { jobs: VecDeque::new(), wanted: 1, disk_check_requested: false, closed: false };
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
        let wakes = waiting.jobs.len() >= waiting.wanted;
        drop(waiting);
        if wakes {
            self.changed.notify_one();
        }
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
    pub(super) fn next(&self, most: usize, gathering: &mut Gathering) -> Next<J> {
        let mut waiting = self.waiting();
        if let Some(wanted) = gathering.wanted() {
            self.gather(&mut waiting, wanted.min(most), gathering);
        }
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

    /// Waits until this many jobs wait, for as long as `gathering` allows.
    fn gather(&self, waiting: &mut MutexGuard<'_, Waiting<J>>, wanted: usize, gathering: &mut Gathering) {
        let before = waiting.jobs.len();
        let end = Instant::now() + gathering.patience;
        waiting.wanted = wanted;
        while waiting.jobs.len() < wanted && !waiting.closed && !waiting.disk_check_requested {
            if self.changed.wait_until(waiting, end).timed_out() {
                break;
            }
        }
        waiting.wanted = 1;
        if waiting.jobs.len() == before {
            gathering.pause = COMMITS_AFTER_VAIN_WAIT;
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

#[cfg(test)]
mod tests {
    use super::*;

    const LONG: Duration = Duration::from_secs(600);

    fn after(answered: usize, waiting: usize, took: Duration) -> Gathering {
        let mut gathering = Gathering::default();
        gathering.note(answered, waiting, took);
        gathering
    }

    fn filled(jobs: usize) -> Queue<usize> {
        let queue = Queue::new();
        assert!((0..jobs).all(|job| queue.push(job)));
        queue
    }

    #[track_caller]
    fn commit(next: Next<usize>) -> Vec<usize> {
        match next {
            Next::Commit(jobs) => jobs,
            Next::CheckDisk | Next::Stop => panic!("no jobs"),
        }
    }

    #[test]
    fn those_that_were_answered_and_those_that_waited_are_wanted() {
        assert_eq!(after(4, 4, LONG).wanted(), Some(8));
        assert_eq!(after(1, 1, LONG).wanted(), Some(2));
        assert_eq!(after(2, 0, LONG).wanted(), Some(2));
    }

    #[test]
    fn nothing_is_waited_for_by_a_lone_client_or_before_the_first_commit() {
        assert_eq!(after(1, 0, LONG).wanted(), None);
        assert_eq!(Gathering::default().wanted(), None);
    }

    #[test]
    fn the_wait_is_half_a_commit_and_bounded() {
        assert_eq!(after(1, 1, Duration::from_micros(300)).patience, Duration::from_micros(150));
        assert_eq!(after(1, 1, LONG).patience, MAX_PATIENCE);
    }

    #[test]
    fn after_a_wait_in_vain_some_commits_do_not_wait() {
        let queue = filled(1);
        let mut gathering = after(3, 1, Duration::ZERO);
        assert_eq!(commit(queue.next(9, &mut gathering)), [0]);
        for _ in 0..COMMITS_AFTER_VAIN_WAIT {
            gathering.note(3, 1, Duration::ZERO);
            assert_eq!(gathering.wanted(), None);
        }
        gathering.note(3, 1, Duration::ZERO);
        assert_eq!(gathering.wanted(), Some(4));
    }

    #[test]
    fn a_group_waits_for_the_writes_of_those_that_were_answered() {
        let queue = filled(1);
        let mut gathering = Gathering { all: 3, patience: LONG, pause: 0 };
        let jobs = std::thread::scope(|scope| {
            let group = scope.spawn(|| commit(queue.next(9, &mut gathering)));
            assert!(queue.push(1) && queue.push(2));
            group.join().unwrap()
        });
        assert_eq!(jobs, [0, 1, 2]);
    }

    #[test]
    fn closing_ends_the_wait() {
        let queue = filled(1);
        queue.close();
        let mut gathering = Gathering { all: 3, patience: LONG, pause: 0 };
        assert_eq!(commit(queue.next(9, &mut gathering)), [0]);
        assert!(matches!(queue.next(9, &mut gathering), Next::Stop));
    }
}
