//! Visiting the rows of a redb table, also where its pages are damaged. Rows are visited in the order of their keys and
//! within the range that was asked for; whatever else the pages say is a gap. A row with an intact envelope is where its
//! key says; the key of a damaged row may be damaged itself.
//!
//! Which rows an unreadable page held cannot be known, nor where the next page begins. The walk tries: first at ever
//! shorter prefixes of the last key, then by bisecting between the place that fails and the place that reads.

use std::ops::{Bound, ControlFlow};

use redb::{ReadableTable, StorageError};

use super::{
    codec::open,
    keys,
    quarantine::Quarantine,
    view::{Gap, Keys, View, Visit, guarded, is_empty},
};
use crate::kernel::{Error, Result};

/// Gaps that one walk passes over before it gives up.
const MOST: u32 = 10_000;
/// Rows out of their order, one after the other, after which reading goes on elsewhere: a damaged branch page may lead
/// into rows without end.
const MISPLACED: u64 = 10_000;
/// Damaged rows that wait for an intact one to say whether they are in their order.
const WAITING: usize = 1_000;
/// Bytes of a key that are told apart: more than the head of a record and two ids.
const WIDTH: usize = 64;

/// A redb table, seen through what guards against damage.
pub(super) struct TableView<'q, T> {
    pub(super) table: T,
    pub(super) quarantine: &'q Quarantine,
}

/// Why a walk ends or pauses.
enum End {
    /// There are no more rows, or the visitor has seen enough.
    Done,
    /// Nothing more can be read here.
    Stuck(StorageError),
}

/// A walk under way.
struct Walk<'w, 'v, 'g> {
    within: &'w Keys,
    reverse: bool,
    visit: &'w mut Visit<'v>,
    gap: &'w mut Gap<'g>,
    /// The key of the last intact row.
    last: Option<Vec<u8>>,
    /// Damaged rows since the last intact one.
    waiting: Vec<(Vec<u8>, Vec<u8>)>,
    /// The key of the last damaged row that was visited since the last intact one.
    damaged: Option<Vec<u8>>,
}

impl Walk<'_, '_, '_> {
    fn follows(&self, key: &[u8], before: Option<&[u8]>) -> bool {
        before.is_none_or(|before| if self.reverse { key < before } else { key > before })
    }

    /// Whether a row may be where it was found.
    fn fits(&self, key: &[u8]) -> bool {
        // A damaged branch page may lead into another tenant's rows.
        let within = (slice(&self.within.0), slice(&self.within.1));
        std::ops::RangeBounds::<[u8]>::contains(&within, key) && self.follows(key, self.last.as_deref())
    }

    fn note_gap(&mut self) -> Result<()> {
        let begin = key_of(if self.reverse { &self.within.1 } else { &self.within.0 });
        (self.gap)(self.last.as_deref().unwrap_or(begin))
    }

    fn take(&mut self, key: &[u8], value: &[u8]) -> Result<ControlFlow<()>> {
        if open(key, value).is_err() {
            if self.waiting.len() == WAITING && self.flush(None)?.is_break() {
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

    /// Visits the damaged rows that wait, when they are in their order and before `next`.
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
    /// Visits rows up to the end, or to where nothing more can be read.
    fn pass(&self, (from, to): (&Bound<Vec<u8>>, &Bound<Vec<u8>>), walk: &mut Walk<'_, '_, '_>) -> Result<End> {
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
            if !walk.fits(key) {
                if misplaced == 0 {
                    walk.note_gap()?;
                }
                misplaced += 1;
                if misplaced == MISPLACED {
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

    /// Where rows can be read again behind pages that cannot.
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
                // Rows that were visited before lead to the same pages again.
                Ok(row.is_none_or(|(key, value)| {
                    value.value();
                    walk.follows(key.value(), walk.last.as_deref())
                }))
            });
            read.unwrap_or(false)
        };
        let begin = key_of(if reverse { to } else { from });
        let begin = if reverse && begin.is_empty() { &[0xFF; WIDTH] } else { begin };
        let known = [Some(begin), walk.last.as_deref(), walk.damaged.as_deref()].into_iter().flatten();
        let stuck = if reverse { known.min() } else { known.max() };
        next_readable(stuck.unwrap_or_default(), reverse, readable)
    }
}

impl<T: ReadableTable<&'static [u8], &'static [u8]>> View for TableView<'_, &T> {
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>> {
        guarded(|| Ok(self.table.get(key)?.map(|row| row.value().to_vec()))).map_err(|e| self.quarantine.failed(e))
    }

    fn walk(&self, keys: Keys, reverse: bool, visit: &mut Visit<'_>, gap: &mut Gap<'_>) -> Result<()> {
        let (mut from, mut to) = keys.clone();
        let mut walk = Walk { within: &keys, reverse, visit, gap, last: None, waiting: Vec::new(), damaged: None };
        for _ in 0..MOST {
            if is_empty(&from, &to) {
                return Ok(());
            }
            let error = match self.pass((&from, &to), &mut walk)? {
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

/// The key in a bound, empty when there is none.
fn key_of(bound: &Bound<Vec<u8>>) -> &[u8] {
    match bound {
        Bound::Included(key) | Bound::Excluded(key) => key,
        Bound::Unbounded => &[],
    }
}

/// The first place behind `stuck` that can be read; walking backwards, the last one before it.
fn next_readable(stuck: &[u8], reverse: bool, readable: impl Fn(&[u8]) -> bool) -> Option<Vec<u8>> {
    let mut stuck = padded(stuck);
    for length in (0..WIDTH).rev() {
        let place = beyond(&stuck[..=length], reverse)?;
        if readable(&place) {
            return Some(between(stuck, place, readable));
        }
        stuck = place;
    }
    None
}

fn padded(key: &[u8]) -> [u8; WIDTH] {
    let mut padded = [0; WIDTH];
    for (to, from) in padded.iter_mut().zip(key) {
        *to = *from;
    }
    padded
}

/// The first key that does not begin with `prefix`, or the first that does.
fn beyond(prefix: &[u8], reverse: bool) -> Option<[u8; WIDTH]> {
    if reverse {
        return prefix.split_last().map(|(_, shorter)| padded(shorter));
    }
    match keys::after(prefix) {
        Bound::Excluded(key) => Some(padded(&key)),
        _ => None,
    }
}

/// The place that can be read which is nearest to one that cannot.
fn between(mut stuck: [u8; WIDTH], mut read: [u8; WIDTH], readable: impl Fn(&[u8]) -> bool) -> Vec<u8> {
    loop {
        let middle = middle(&stuck, &read);
        if middle == stuck || middle == read {
            return read.to_vec();
        }
        *(if readable(&middle) { &mut read } else { &mut stuck }) = middle;
    }
}

/// Half of the sum of two keys, taken as numbers.
fn middle(a: &[u8; WIDTH], b: &[u8; WIDTH]) -> [u8; WIDTH] {
    let mut sum = [0_u16; WIDTH];
    let mut carry = 0;
    for ((sum, a), b) in sum.iter_mut().zip(a).zip(b).rev() {
        *sum = u16::from(*a) + u16::from(*b) + carry;
        carry = *sum >> 8;
        *sum &= 0xFF;
    }
    let mut half = [0; WIDTH];
    for (half, sum) in half.iter_mut().zip(sum) {
        let whole = carry << 8 | sum;
        // Half of what has nine bits.
        *half = u8::try_from(whole >> 1).unwrap_or(u8::MAX);
        carry = whole & 1;
    }
    half
}
