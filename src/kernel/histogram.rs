//! Histograms that are counted without locks.

use std::sync::atomic::{AtomicU64, Ordering};

/// A histogram of whole numbers.
#[derive(Debug)]
pub struct Histogram {
    bounds: &'static [u64],
    /// One for each bound, and one for what is above all of them.
    counts: Box<[AtomicU64]>,
    sum: AtomicU64,
}

/// The counts of a histogram.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HistogramCounts {
    /// The largest value of each bucket but the last.
    pub bounds: &'static [u64],
    /// Number of values of each bucket; the last bucket has no bound.
    pub counts: Vec<u64>,
    /// The sum of all values.
    pub sum: u64,
}

impl Histogram {
    /// Creates an empty histogram; the bounds are in ascending order.
    pub fn new(bounds: &'static [u64]) -> Self {
        let counts = (0..=bounds.len()).map(|_| AtomicU64::new(0)).collect();
        Self { bounds, counts, sum: AtomicU64::new(0) }
    }

    /// Counts a value.
    pub fn observe(&self, value: u64) {
        let bucket = self.bounds.partition_point(|bound| *bound < value);
        if let Some(count) = self.counts.get(bucket) {
            count.fetch_add(1, Ordering::Relaxed);
        }
        self.sum.fetch_add(value, Ordering::Relaxed);
    }

    /// Returns the counts.
    pub fn read(&self) -> HistogramCounts {
        let counts = self.counts.iter().map(|count| count.load(Ordering::Relaxed)).collect();
        HistogramCounts { bounds: self.bounds, counts, sum: self.sum.load(Ordering::Relaxed) }
    }
}

impl HistogramCounts {
    /// Returns the number of values.
    pub fn total(&self) -> u64 {
        self.counts.iter().sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_counted_in_the_bucket_with_the_next_bound() {
        let histogram = Histogram::new(&[10, 100]);
        for value in [0, 10, 11, 100, 101] {
            histogram.observe(value);
        }
        let counts = histogram.read();
        assert_eq!((counts.counts.as_slice(), counts.sum, counts.total()), (&[2, 2, 1][..], 222, 5));
    }
}
