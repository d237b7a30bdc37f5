//! What a write costs the writer thread, which all companies share: the rows and bytes that it reads and writes. Limits on
//! inputs and on the contents of a company bound it; `src/tests/writes.rs` holds every call to a bound.

use std::{
    cell::Cell,
    sync::atomic::{AtomicU64, Ordering},
};

use super::{
    quarantine::Quarantine,
    view::{Keys, OnGap, OnRow, Rows, View},
};
use crate::kernel::Result;

/// Rows and bytes (keys and values) that one write reads from the store and writes to it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WriteCost {
    /// Rows that were read, also those that a scan passed over.
    pub rows_read: u64,
    /// Bytes of these rows.
    pub bytes_read: u64,
    /// Rows to be written or removed.
    pub rows_written: u64,
    /// Bytes of these rows.
    pub bytes_written: u64,
}

/// The largest of each figure of all writes.
#[derive(Debug, Default)]
pub(super) struct LargestCost {
    rows_read: AtomicU64,
    bytes_read: AtomicU64,
    rows_written: AtomicU64,
    bytes_written: AtomicU64,
    /// Microseconds of the writer's CPU. Each measurement is a system call, so only tests make them.
    #[cfg(test)]
    cpu_micros: AtomicU64,
}

impl LargestCost {
    /// Counts the CPU time of a write that began when [`cpu_micros`] was `began`.
    #[cfg(test)]
    pub(super) fn add_cpu(&self, began: u64) {
        self.cpu_micros.fetch_max(cpu_micros() - began, Ordering::Relaxed);
    }

    /// Returns the most microseconds of CPU that a write took, and sets them to zero.
    #[cfg(test)]
    pub(super) fn take_cpu(&self) -> u64 {
        self.cpu_micros.swap(0, Ordering::Relaxed)
    }

    pub(super) fn add(&self, cost: WriteCost) {
        self.rows_read.fetch_max(cost.rows_read, Ordering::Relaxed);
        self.bytes_read.fetch_max(cost.bytes_read, Ordering::Relaxed);
        self.rows_written.fetch_max(cost.rows_written, Ordering::Relaxed);
        self.bytes_written.fetch_max(cost.bytes_written, Ordering::Relaxed);
    }

    /// Returns the figures, and sets them to zero.
    pub(super) fn take(&self) -> WriteCost {
        WriteCost {
            rows_read: self.rows_read.swap(0, Ordering::Relaxed),
            bytes_read: self.bytes_read.swap(0, Ordering::Relaxed),
            rows_written: self.rows_written.swap(0, Ordering::Relaxed),
            bytes_written: self.bytes_written.swap(0, Ordering::Relaxed),
        }
    }
}

/// The microseconds that the calling thread has run.
#[cfg(test)]
pub(super) fn cpu_micros() -> u64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    u64::try_from(time.tv_sec * 1_000_000 + time.tv_nsec / 1_000).unwrap_or_default()
}

/// A view that counts what is read through it.
pub(super) struct CountedView<'b> {
    base: &'b dyn View,
    rows: Cell<u64>,
    bytes: Cell<u64>,
}

impl<'b> CountedView<'b> {
    /// Counts the reads from `base`.
    pub(super) fn new(base: &'b dyn View) -> Self {
        Self { base, rows: Cell::new(0), bytes: Cell::new(0) }
    }

    /// Returns the cost of a write that read through this view and stages `written`.
    pub(super) fn cost(&self, written: &Rows) -> WriteCost {
        let bytes_of = |(key, value): (&Vec<u8>, &Option<Vec<u8>>)| key.len() + value.as_ref().map_or(0, Vec::len);
        WriteCost {
            rows_read: self.rows.get(),
            bytes_read: self.bytes.get(),
            rows_written: written.len() as u64,
            bytes_written: written.iter().map(bytes_of).sum::<usize>() as u64,
        }
    }

    /// The number of rows that were read through this view.
    #[cfg(test)]
    pub(super) fn rows_read(&self) -> u64 {
        self.rows.get()
    }

    fn count(&self, key: &[u8], value: &[u8]) {
        self.rows.set(self.rows.get() + 1);
        self.bytes.set(self.bytes.get() + (key.len() + value.len()) as u64);
    }
}

impl View for CountedView<'_> {
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>> {
        let row = self.base.get(key)?;
        self.count(key, row.as_deref().unwrap_or_default());
        Ok(row)
    }

    fn visit(&self, key: &[u8], visit: &mut dyn FnMut(&[u8])) -> Result<bool> {
        let counted: &mut dyn FnMut(&[u8]) = &mut |row| {
            self.count(key, row);
            visit(row);
        };
        let is_there = self.base.visit(key, counted)?;
        if !is_there {
            self.count(key, &[]);
        }
        Ok(is_there)
    }

    fn walk(&self, keys: Keys, reverse: bool, visit: &mut OnRow<'_>, gap: &mut OnGap<'_>) -> Result<()> {
        let counted: &mut OnRow<'_> = &mut |key, value| {
            self.count(key, value);
            visit(key, value)
        };
        self.base.walk(keys, reverse, counted, gap)
    }

    fn quarantine(&self) -> &Quarantine {
        self.base.quarantine()
    }
}
