//! Scans of a redb table that tolerate damaged pages. Rows are visited in key order and within the requested range;
//! everything else on the pages counts as a gap. The key of a row with an intact envelope is right; the key of a
//! damaged row may itself be damaged.
//!
//! It is unknown which rows an unreadable page held and where the next page begins. The scan searches: first with ever
//! shorter prefixes of the last key, then by bisection between the unreadable and the readable position.

use std::ops::{Bound, ControlFlow};

use redb::{ReadableTable, StorageError};

use super::{
    codec::open,
    keys,
    quarantine::Quarantine,
    view::{Keys, OnGap, OnRow, View, guarded, is_empty},
};
use crate::kernel::{Error, Result};

/// Most gaps in one scan before it gives up.
const MAX_GAPS: u32 = 10_000;
/// Number of consecutive misplaced rows after which the scan continues elsewhere: a damaged branch page may lead into
/// an endless cycle.
const MAX_MISPLACED_ROWS: u64 = 10_000;
/// Most damaged rows held back until an intact row shows whether they are in order.
const MAX_WAITING_ROWS: usize = 1_000;
/// Bytes of a key that the search considers: more than a record's head and two ids.
const KEY_BYTES: usize = 64;

/// A redb table with protection against damaged pages.
pub(super) struct TableView<'q, T> {
    pub(super) table: T,
    pub(super) quarantine: &'q Quarantine,
}

/// Why a scan ends or pauses.
enum End {
    /// No more rows, or the visitor stopped.
    Done,
    /// No further row can be read here.
    Stuck(StorageError),
}

/// A scan in progress.
struct Walk<'w, 'v, 'g> {
    range: &'w Keys,
    reverse: bool,
    visit: &'w mut OnRow<'v>,
    gap: &'w mut OnGap<'g>,
    /// Key of the last intact row.
    last: Option<Vec<u8>>,
    /// Damaged rows since the last intact one that were not visited yet.
    waiting: Vec<(Vec<u8>, Vec<u8>)>,
    /// Key of the last damaged row visited since the last intact one.
    damaged: Option<Vec<u8>>,
}

impl Walk<'_, '_, '_> {
    fn follows(&self, key: &[u8], before: Option<&[u8]>) -> bool {
        before.is_none_or(|before| if self.reverse { key < before } else { key > before })
    }

    /// Whether a row may be at this position.
    fn is_in_order(&self, key: &[u8]) -> bool {
        // A damaged branch page may lead to rows of another tenant.
        let within = (slice(&self.range.0), slice(&self.range.1));
        std::ops::RangeBounds::<[u8]>::contains(&within, key) && self.follows(key, self.last.as_deref())
    }

    fn note_gap(&mut self) -> Result<()> {
        let begin = key_of(if self.reverse { &self.range.1 } else { &self.range.0 });
        (self.gap)(self.last.as_deref().unwrap_or(begin))
    }

    fn take(&mut self, key: &[u8], value: &[u8]) -> Result<ControlFlow<()>> {
        if open(key, value).is_err() {
            if self.waiting.len() == MAX_WAITING_ROWS && self.flush(None)?.is_break() {
                return Ok(ControlFlow::Break(()));
            }
            self.waiting.push((key.to_vec(), value.to_vec()));
            return Ok(ControlFlow::Continue(()));
        }
        if !self.waiting.is_empty() && self.flush(Some(key))?.is_break() {
            return Ok(ControlFlow::Break(()));
        }
        self.damaged = None;
        let last = self.last.get_or_insert_default();
        last.clear();
        last.extend_from_slice(key);
        (self.visit)(key, value)
    }

    /// Visits the held-back damaged rows that are in order and before `next`.
    fn flush(&mut self, next: Option<&[u8]>) -> Result<ControlFlow<()>> {
        for (key, value) in std::mem::take(&mut self.waiting) {
            let is_before_next = next.is_none_or(|next| self.follows(next, Some(&key)));
            let visited = self.damaged.as_deref().or(self.last.as_deref());
            if is_before_next && self.follows(&key, visited) {
                if (self.visit)(&key, &value)?.is_break() {
                    return Ok(ControlFlow::Break(()));
                }
                self.damaged = Some(key);
            } else {
                self.note_gap()?;
            }
        }
        Ok(ControlFlow::Continue(()))
    }
}

fn slice(bound: &Bound<Vec<u8>>) -> Bound<&[u8]> {
    bound.as_ref().map(Vec::as_slice)
}

impl<T: ReadableTable<&'static [u8], &'static [u8]>> TableView<'_, &T> {
    /// Visits rows up to the end or up to an unreadable page.
    fn visit_until_gap(
        &self,
        (from, to): (&Bound<Vec<u8>>, &Bound<Vec<u8>>),
        walk: &mut Walk<'_, '_, '_>,
    ) -> Result<End> {
        let mut range = match guarded(|| self.table.range::<&[u8]>((slice(from), slice(to)))) {
            Ok(range) => range,
            Err(error) => return Ok(End::Stuck(error)),
        };
        let mut misplaced = 0;
        loop {
            let next = || if walk.reverse { range.next_back() } else { range.next() }.transpose();
            let row = match guarded(next) {
                Ok(Some(row)) => row,
                Ok(None) => return walk.flush(None).map(|_| End::Done),
                Err(error) => return Ok(End::Stuck(error)),
            };
            let (key, value) = match guarded(|| Ok((row.0.value(), row.1.value()))) {
                Ok(row) => row,
                Err(error) => return Ok(End::Stuck(error)),
            };
            if !walk.is_in_order(key) {
                if misplaced == 0 {
                    walk.note_gap()?;
                }
                misplaced += 1;
                if misplaced == MAX_MISPLACED_ROWS {
                    return Ok(End::Stuck(StorageError::Corrupted("rows out of their order".into())));
                }
                continue;
            }
            misplaced = 0;
            if walk.take(key, value)?.is_break() {
                return Ok(End::Done);
            }
        }
    }

    /// Finds the key after an unreadable range at which rows can be read again.
    fn next_readable(
        &self,
        (from, to): (&Bound<Vec<u8>>, &Bound<Vec<u8>>),
        walk: &Walk<'_, '_, '_>,
    ) -> Option<Vec<u8>> {
        let reverse = walk.reverse;
        let readable = |place: &[u8]| {
            let bound = Bound::Included(place);
            let keys = if reverse { (slice(from), bound) } else { (bound, slice(to)) };
            let read = guarded(|| {
                let mut range = self.table.range::<&[u8]>(keys)?;
                let row = if reverse { range.next_back() } else { range.next() }.transpose()?;
                // Rows already visited would lead to the same pages again.
                Ok(row.is_none_or(|(key, value)| {
                    value.value();
                    walk.follows(key.value(), walk.last.as_deref())
                }))
            });
            read.unwrap_or(false)
        };
        let begin = key_of(if reverse { to } else { from });
        let begin = if reverse && begin.is_empty() { &[0xFF; KEY_BYTES] } else { begin };
        let known = [Some(begin), walk.last.as_deref(), walk.damaged.as_deref()].into_iter().flatten();
        let stuck = if reverse { known.min() } else { known.max() };
        next_readable(stuck.unwrap_or_default(), reverse, readable)
    }
}

impl<T: ReadableTable<&'static [u8], &'static [u8]>> View for TableView<'_, &T> {
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>> {
        guarded(|| Ok(self.table.get(key)?.map(|row| row.value().to_vec()))).map_err(|e| self.quarantine.failed(e))
    }

    fn visit(&self, key: &[u8], visit: &mut dyn FnMut(&[u8])) -> Result<bool> {
        let row = guarded(|| self.table.get(key)).map_err(|e| self.quarantine.failed(e))?;
        let Some(row) = row else { return Ok(false) };
        visit(guarded(|| Ok(row.value())).map_err(|e| self.quarantine.failed(e))?);
        Ok(true)
    }

    fn walk(&self, keys: Keys, reverse: bool, visit: &mut OnRow<'_>, gap: &mut OnGap<'_>) -> Result<()> {
        let (mut from, mut to) = keys.clone();
        let mut walk = Walk { range: &keys, reverse, visit, gap, last: None, waiting: Vec::new(), damaged: None };
        for _ in 0..MAX_GAPS {
            if is_empty(&from, &to) {
                return Ok(());
            }
            let error = match self.visit_until_gap((&from, &to), &mut walk)? {
                End::Done => return Ok(()),
                End::Stuck(error) => error,
            };
            if !matches!(error, StorageError::Corrupted(_)) {
                return Err(self.quarantine.failed(error));
            }
            if walk.flush(None)?.is_break() {
                return Ok(());
            }
            walk.note_gap()?;
            let Some(next) = self.next_readable((&from, &to), &walk) else { return Ok(()) };
            *(if reverse { &mut to } else { &mut from }) = Bound::Included(next);
        }
        Err(Error::damaged("pages of the store: too many cannot be read"))
    }

    fn quarantine(&self) -> &Quarantine {
        self.quarantine
    }
}

/// Returns the key in a bound, empty for an unbounded one.
fn key_of(bound: &Bound<Vec<u8>>) -> &[u8] {
    match bound {
        Bound::Included(key) | Bound::Excluded(key) => key,
        Bound::Unbounded => &[],
    }
}

/// Returns the first readable position after `stuck`; in reverse, the last one before it.
fn next_readable(stuck: &[u8], reverse: bool, readable: impl Fn(&[u8]) -> bool) -> Option<Vec<u8>> {
    let mut stuck = padded(stuck);
    for length in (0..KEY_BYTES).rev() {
        let place = key_past_prefix(&stuck[..=length], reverse)?;
        if readable(&place) {
            return Some(bisect(stuck, place, readable));
        }
        stuck = place;
    }
    None
}

fn padded(key: &[u8]) -> [u8; KEY_BYTES] {
    let mut padded = [0; KEY_BYTES];
    for (to, from) in padded.iter_mut().zip(key) {
        *to = *from;
    }
    padded
}

/// Returns the first key after all keys with `prefix`; in reverse, the first key with the prefix shortened by one byte.
fn key_past_prefix(prefix: &[u8], reverse: bool) -> Option<[u8; KEY_BYTES]> {
    if reverse {
        return prefix.split_last().map(|(_, shorter)| padded(shorter));
    }
    match keys::end(prefix) {
        Bound::Excluded(key) => Some(padded(&key)),
        _ => None,
    }
}

/// Returns the readable position nearest to the unreadable one, by bisection.
fn bisect(mut stuck: [u8; KEY_BYTES], mut read: [u8; KEY_BYTES], readable: impl Fn(&[u8]) -> bool) -> Vec<u8> {
    loop {
        let middle = middle(&stuck, &read);
        if middle == stuck || middle == read {
            return read.to_vec();
        }
        *(if readable(&middle) { &mut read } else { &mut stuck }) = middle;
    }
}

/// Returns the mean of two keys, taken as numbers.
fn middle(a: &[u8; KEY_BYTES], b: &[u8; KEY_BYTES]) -> [u8; KEY_BYTES] {
    let mut sum = [0_u16; KEY_BYTES];
    let mut carry = 0;
    for ((sum, a), b) in sum.iter_mut().zip(a).zip(b).rev() {
        *sum = u16::from(*a) + u16::from(*b) + carry;
        carry = *sum >> 8;
        *sum &= 0xFF;
    }
    let mut half = [0; KEY_BYTES];
    for (half, sum) in half.iter_mut().zip(sum) {
        let whole = carry << 8 | sum;
        // The remainder and a byte have nine bits; their half fits into one byte.
        *half = u8::try_from(whole >> 1).unwrap_or(u8::MAX);
        carry = whole & 1;
    }
    half
}
