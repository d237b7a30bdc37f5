//! Ranking of search hits: match stages, weights of words, per-document scores of a span, and the best hits so far.

use std::{cmp::Reverse, collections::BinaryHeap};

use tantivy::DocId;

use super::{
    analyse::{MAX_QUERY_WORDS, NeedleKind},
    snapshot::Span,
    terms::Place,
};

/// Number of exact hits in a group, unless fewer were asked for, from which typing errors are no longer tolerated.
const MIN_EXACT_HITS: usize = 5;

/// The stages of a search, strictest first. A hit of an earlier stage ranks above all hits of a later one, which runs
/// only while hits are missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum MatchStage {
    /// Whole words and their beginnings, all of them in the title.
    Titles,
    /// The same in any field, and addresses and numbers.
    Words,
    /// Also substrings of keywords.
    Parts,
    /// Also words with one typing error.
    Forgiving,
}

impl MatchStage {
    pub(super) const ALL: [MatchStage; 4] =
        [MatchStage::Titles, MatchStage::Words, MatchStage::Parts, MatchStage::Forgiving];

    pub(super) fn rank(self) -> u32 {
        match self {
            MatchStage::Titles => 3_000,
            MatchStage::Words => 2_000,
            MatchStage::Parts => 1_000,
            MatchStage::Forgiving => 0,
        }
    }

    /// Number of hits from which this stage is skipped.
    pub(super) fn skip_from(self, limit: usize) -> usize {
        match self {
            MatchStage::Titles | MatchStage::Words | MatchStage::Parts => limit,
            MatchStage::Forgiving => limit.min(MIN_EXACT_HITS),
        }
    }
}

/// Weights of a word, by its place in the record and by how it was typed. All sums over [`MAX_QUERY_WORDS`] words fit
/// in a byte.
pub(super) mod weight {
    use super::{NeedleKind, Place};

    pub fn word(place: Place) -> u8 {
        match place {
            Place::Title => 12,
            Place::Secondary => 6,
            Place::Body => 3,
        }
    }

    pub fn beginning(place: Place) -> u8 {
        match place {
            Place::Title => 9,
            Place::Secondary => 5,
            Place::Body => 2,
        }
    }

    pub fn similar(place: Place) -> u8 {
        match place {
            Place::Title => 7,
            Place::Secondary => 3,
            Place::Body => 1,
        }
    }

    pub fn needle(kind: NeedleKind) -> u8 {
        match kind {
            NeedleKind::Address => 13,
            NeedleKind::Number => 8,
            NeedleKind::Part => 4,
        }
    }
}

const _: () = assert!(MAX_QUERY_WORDS * 13 <= u8::MAX as usize);

/// A hit with its score and position, ordered from worst to best.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct ScoredHit {
    pub(super) score: u32,
    pub(super) changed: u64,
    pub(super) at: Reverse<(u32, DocId)>,
    /// Index of the searched tenant or scope in which it was found.
    pub(super) whose: usize,
}

impl ScoredHit {
    pub(super) fn segment(&self) -> u32 {
        self.at.0.0
    }

    pub(super) fn doc(&self) -> DocId {
        self.at.0.1
    }
}

/// The best hits, up to a limit.
pub(super) struct TopHits {
    pub(super) limit: usize,
    pub(super) heap: BinaryHeap<Reverse<ScoredHit>>,
}

impl TopHits {
    pub(super) fn admits(&self, found: &ScoredHit) -> bool {
        self.heap.len() < self.limit || self.heap.peek().is_some_and(|Reverse(worst)| found > worst)
    }

    pub(super) fn add(&mut self, found: ScoredHit) {
        if self.heap.len() == self.limit {
            self.heap.pop();
        }
        self.heap.push(Reverse(found));
    }

    pub(super) fn into_sorted(self) -> Vec<ScoredHit> {
        self.heap.into_sorted_vec().into_iter().map(|Reverse(found)| found).collect()
    }
}

/// One score for each document of a span.
pub(super) struct Column {
    pub(super) span: Span,
    pub(super) values: Vec<u8>,
    /// Whether any score was changed.
    pub(super) touched: bool,
}

impl Column {
    pub(super) fn new(span: Span) -> Column {
        Column { span, values: vec![0; span.len()], touched: false }
    }

    /// Calls `change` with the score of each document; skips documents outside the span (of another group).
    pub(super) fn each(&mut self, docs: &[DocId], mut change: impl FnMut(&mut u8) -> bool) {
        for doc in docs {
            if let Some(value) = self.values.get_mut(doc.wrapping_sub(self.span.start) as usize) {
                self.touched |= change(value);
            }
        }
    }

    pub(super) fn raise(&mut self, docs: &[DocId], to: u8) {
        self.each(docs, |value| {
            *value = (*value).max(to);
            true
        });
    }

    pub(super) fn step(&mut self, docs: &[DocId], from: u8) {
        self.each(docs, |value| {
            let steps = *value == from;
            *value += u8::from(steps);
            steps
        });
    }

    /// Adds the scores of documents that are above zero in both columns; all others become zero.
    pub(super) fn intersect(mut self, others: &[u8]) -> Column {
        // Without a branch, so that the compiler vectorises it over sixteen documents or more.
        let mut any = 0;
        for (sum, other) in self.values.iter_mut().zip(others) {
            let both = u8::from(*sum != 0) & u8::from(*other != 0);
            *sum = sum.wrapping_add(*other) & 0_u8.wrapping_sub(both);
            any |= *sum;
        }
        self.touched = any != 0;
        self
    }
}
