//! Comparison of the documents of the index with the records of the store. A kind is compared by sums over its documents,
//! in buckets, so that it takes little memory; only the documents in buckets that differ are then looked at one by one.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

use super::engine::Engine;
use super::generation::Generation;
use super::schema::Position;
use super::snapshot::Snapshot;
use super::terms::Terms;
use super::{Error, guarded};
use crate::kernel::{Document, TenantId};

/// Number of buckets, so that a stale document among a million asks for a few hundred to be looked at.
const BUCKETS: usize = 4_096;

/// What tells the documents of a kind from those of another state of its records.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DocumentSums {
    buckets: Vec<(u64, u64)>,
}

impl Default for DocumentSums {
    fn default() -> Self {
        Self { buckets: vec![(0, 0); BUCKETS] }
    }
}

/// Documents of the records in some buckets: how many a record has, and a sum over the times of their last change.
pub type DocumentCounts = HashMap<[u8; 16], (u64, u64)>;

fn bucket_of(id: &[u8; 16]) -> usize {
    (xxh3_64(id) % BUCKETS as u64).try_into().unwrap_or(0)
}

/// Returns the time as the index keeps it, of each of the documents that the record has in the index.
fn times_of(document: &Document) -> impl Iterator<Item = u64> {
    let at = Position::time_of(document.at);
    let count = document.scopes.as_ref().map_or(1, Vec::len);
    std::iter::repeat_n(at, count)
}

impl DocumentSums {
    fn add_one(&mut self, id: &[u8; 16], at: u64) {
        if let Some((count, sum)) = self.buckets.get_mut(bucket_of(id)) {
            *count += 1;
            *sum = sum.wrapping_add(xxh3_64_with_seed(id, at));
        }
    }

    /// Adds the documents of a record.
    pub fn add(&mut self, document: &Document) {
        times_of(document).for_each(|at| self.add_one(&document.id, at));
    }

    /// Returns for each bucket whether it is another one there.
    pub fn differing(&self, other: &Self) -> Vec<bool> {
        self.buckets.iter().zip(&other.buckets).map(|(own, other)| own != other).collect()
    }
}

/// Adds the documents of a record if it is in one of these buckets.
pub fn count_document(counts: &mut DocumentCounts, buckets: &[bool], document: &Document) {
    if is_in(buckets, &document.id) {
        times_of(document).for_each(|at| count(counts, document.id, at));
    }
}

fn is_in(buckets: &[bool], id: &[u8; 16]) -> bool {
    buckets.get(bucket_of(id)).copied().unwrap_or(false)
}

fn count(counts: &mut DocumentCounts, id: [u8; 16], at: u64) {
    let known = counts.entry(id).or_default();
    *known = (known.0 + 1, known.1.wrapping_add(xxh3_64_with_seed(&id, at)));
}

/// The documents of the index as of one commit.
pub struct IndexState {
    snapshot: Arc<Snapshot>,
    /// The sequence number up to which changes are in it.
    pub reached: u64,
}

impl IndexState {
    /// Returns the sums over the documents of a kind.
    pub fn sums(&self, tenant: TenantId, kind: &str) -> Result<DocumentSums, Error> {
        let mut sums = DocumentSums::default();
        self.each(tenant, kind, |id, at| sums.add_one(&id, at))?;
        Ok(sums)
    }

    /// Counts the documents of the records of a kind in some buckets.
    pub fn counts(&self, tenant: TenantId, kind: &str, buckets: &[bool]) -> Result<DocumentCounts, Error> {
        let mut counts = DocumentCounts::new();
        self.each(tenant, kind, |id, at| {
            if is_in(buckets, &id) {
                count(&mut counts, id, at);
            }
        })?;
        Ok(counts)
    }

    fn each(&self, tenant: TenantId, kind: &str, mut visit: impl FnMut([u8; 16], u64)) -> Result<(), Error> {
        let name = Terms::of(tenant).kind(kind);
        guarded(|| {
            for segment in &self.snapshot.segments {
                segment.with_name(&name, |docs| {
                    for doc in docs.iter().copied().filter(|doc| segment.is_alive(*doc)) {
                        visit(segment.id(doc), segment.position(doc).at());
                    }
                })?;
            }
            Ok(())
        })
    }
}

impl Engine {
    /// Returns the state that searches read now; `None` while it is incomplete.
    pub fn state(&self) -> Option<IndexState> {
        // The number first: more may be in the snapshot, never less.
        let reached = self.reached();
        let snapshot = self.snapshot();
        (!self.is_partial()).then_some(IndexState { snapshot, reached })
    }
}

/// Returns the state of the index in a folder that no server has open, without changing anything; `None` when it is to be
/// rebuilt.
/// Errors: [`Error::Damaged`].
pub fn folder_state(root: &Path) -> Result<Option<IndexState>, Error> {
    guarded(|| {
        let newest = Generation::find_newest(root)?;
        newest.map(|(generation, reached)| Ok(IndexState { snapshot: generation.snapshot()?, reached })).transpose()
    })
}
