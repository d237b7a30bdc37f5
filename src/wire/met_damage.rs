//! How many damaged rows a request has met: responses without a place to say so, such as plain arrays, say it in a header.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use poem::http::HeaderName;

use crate::store::count_damage;

/// The header of a response that leaves out damaged data: how many damaged rows the request met.
pub const DAMAGED: HeaderName = HeaderName::from_static("damaged");

/// The count of one request. Clones share it.
#[derive(Clone, Debug, Default)]
pub struct MetDamage(Arc<AtomicU64>);

impl MetDamage {
    /// Runs a read, and counts the damaged rows that it meets.
    pub fn watch<T>(&self, read: impl FnOnce() -> T) -> T {
        let (value, met) = count_damage(read);
        self.0.fetch_add(met, Ordering::Relaxed);
        value
    }

    /// Returns the number of damaged rows so far.
    pub fn count(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}
