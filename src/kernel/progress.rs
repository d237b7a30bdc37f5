//! Progress of a long operation: its present step, how much of it is done, and of how much. The operation counts,
//! and the code that started it reads.

use std::{
    io::{self, Read},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use parking_lot::Mutex;
use serde::{Deserialize, Serialize};

/// What a step counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unit {
    /// Records, rows or files.
    Items,
    /// Bytes.
    Bytes,
}

/// The state of a step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProgressReport {
    /// What is being done: `Copying records`.
    pub step: String,
    /// What is counted.
    pub unit: Unit,
    /// How much is done.
    pub done: u64,
    /// Of how much; `None` when that is not known.
    pub total: Option<u64>,
}

#[derive(Debug, Default)]
struct Inner {
    /// The step, without what is done.
    step: Mutex<Option<ProgressReport>>,
    done: AtomicU64,
}

/// The progress of an operation. Clones show the same one.
#[derive(Clone, Debug, Default)]
pub struct Progress(Arc<Inner>);

impl Progress {
    /// Begins a step.
    pub fn start(&self, step: &str, unit: Unit, total: Option<u64>) {
        self.set(ProgressReport { step: step.to_owned(), unit, done: 0, total });
    }

    /// Adds to what is done of the step.
    pub fn add(&self, done: u64) {
        self.0.done.fetch_add(done, Ordering::Relaxed);
    }

    /// Replaces the state, by that of an operation elsewhere.
    pub fn set(&self, report: ProgressReport) {
        let mut step = self.0.step.lock();
        self.0.done.store(report.done, Ordering::Relaxed);
        *step = Some(report);
    }

    /// Returns the state; `None` before the first step.
    pub fn report(&self) -> Option<ProgressReport> {
        let step = self.0.step.lock().clone()?;
        Some(ProgressReport { done: self.0.done.load(Ordering::Relaxed), ..step })
    }

    /// Begins a step that reads a file, and counts the bytes that are read.
    pub fn read<R>(&self, step: &str, from: R, bytes: Option<u64>) -> ReadProgress<R> {
        self.start(step, Unit::Bytes, bytes);
        ReadProgress { from, progress: self.clone() }
    }
}

/// Counts the bytes that are read.
#[derive(Debug)]
pub struct ReadProgress<R> {
    from: R,
    progress: Progress,
}

impl<R: Read> Read for ReadProgress<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let read = self.from.read(into)?;
        self.progress.add(read as u64);
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_the_bytes_of_a_step_and_begins_the_next_at_zero() {
        let progress = Progress::default();
        assert_eq!(progress.report(), None);
        let watched = progress.clone();
        let mut file = progress.read("Reading", &b"12345"[..], Some(5));
        file.read_exact(&mut [0; 3]).unwrap();
        let reading = ProgressReport { step: "Reading".into(), unit: Unit::Bytes, done: 3, total: Some(5) };
        assert_eq!(watched.report(), Some(reading));
        progress.start("Writing", Unit::Items, None);
        progress.add(2);
        let writing = ProgressReport { step: "Writing".into(), unit: Unit::Items, done: 2, total: None };
        assert_eq!(watched.report(), Some(writing));
    }
}
