//! Answers what someone typed. A record is found when it has every word, in whatever place; how much each
//! word counts depends on where it stands and how exactly it was typed, never on how often it occurs, so that
//! nothing of another company's records shows in a rank. Among equals the latest change comes first.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashSet};
use std::sync::Arc;

use tantivy::DocId;

use super::analyse::{Clause, MAX_QUERY_WORDS, NeedleKind, Plan, Word, grams, plan};
use super::engine::Shared;
use super::schema::{Position, Shown};
use super::snapshot::{Segment, Similar, Snapshot, Span};
use super::terms::{MAX_BEGINNING, Place, Terms};
use super::{Error, guarded};
use crate::kernel::{Group, TenantId};

/// Typing errors are forgiven only when a group has fewer exact hits than this, or than was asked for.
const ENOUGH: usize = 5;
/// Hits by parts of keywords are proved against the stored keyword; after so many proofs in one search, the
/// unproved ones are left out.
const MAX_PROOFS: usize = 4_096;
/// Hits without a forgiven error rank above all others.
const EXACT: u32 = 1_000;

/// What a word counts, by place and by how it was typed. All sums over [`MAX_QUERY_WORDS`] words fit in a byte.
mod weight {
    use super::{NeedleKind, Place};

    pub fn word(place: Place) -> u8 {
        match place {
            Place::Title => 12,
            Place::Beside => 6,
            Place::Body => 3,
        }
    }

    pub fn beginning(place: Place) -> u8 {
        match place {
            Place::Title => 9,
            Place::Beside => 5,
            Place::Body => 2,
        }
    }

    pub fn similar(place: Place) -> u8 {
        match place {
            Place::Title => 7,
            Place::Beside => 3,
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

/// One record that was found, with all that an answer shows of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hit {
    /// The record's kind, as `Record::KIND` names it.
    pub kind: String,
    /// The record's id.
    pub id: [u8; 16],
    /// Name or title.
    pub title: String,
    /// A second line, such as the company.
    pub subtitle: Option<String>,
    /// Address of a picture.
    pub avatar: Option<String>,
    /// Whether a task is done.
    pub completed: bool,
    /// Last change in milliseconds since 1970.
    pub at: i64,
    /// The higher, the better: comparable within one answer and group only.
    pub score: u32,
}

/// Search in one company's records. It was made for that company and cannot name another.
#[derive(Clone)]
pub struct TenantIndex {
    shared: Arc<Shared>,
    terms: Terms,
}

impl std::fmt::Debug for TenantIndex {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(to, "TenantIndex({})", self.terms.tenant())
    }
}

impl TenantIndex {
    pub(super) fn new(shared: Arc<Shared>, tenant: TenantId) -> TenantIndex {
        TenantIndex { shared, terms: Terms::of(tenant) }
    }

    /// The best `limit` records of each of these groups for what was typed, in the groups' own order; groups
    /// without a hit are left out. The last word may be unfinished. Only the first 256 characters and 16
    /// words count; fewer than 2 characters find nothing.
    ///
    /// Blocks for microseconds, and some milliseconds among hundreds of thousands of records. Never fails:
    /// while the index is damaged or being built, less is found.
    #[must_use]
    pub fn find(&self, typed: &str, groups: &[Group], limit: usize) -> Vec<(Group, Vec<Hit>)> {
        let groups = Group::ALL.into_iter().filter(|group| groups.contains(group)).collect::<Vec<_>>();
        let found = self.search(typed, &groups, None, limit, |snapshot, at| {
            let Shown { kind, id, title, subtitle, avatar, completed, at: changed, .. } =
                snapshot.shown(&self.terms, at.segment(), at.doc())?;
            Ok(Hit { kind, id, title, subtitle, avatar, completed, at: changed, score: at.score })
        });
        let found = groups.into_iter().zip(found);
        found.filter(|(_, hits)| !hits.is_empty()).collect()
    }

    /// The ids of the best `limit` records of one kind for what was typed, the best first: what a list
    /// narrows itself to. As [`TenantIndex::find`] otherwise.
    #[must_use]
    pub fn find_ids(&self, typed: &str, group: Group, kind: &str, limit: usize) -> Vec<[u8; 16]> {
        let found = self.search(typed, &[group], Some(kind), limit, |snapshot, at| {
            Ok(snapshot.shown(&self.terms, at.segment(), at.doc())?.id)
        });
        found.into_iter().flatten().collect()
    }

    fn search<T>(
        &self,
        typed: &str,
        groups: &[Group],
        kind: Option<&str>,
        limit: usize,
        read: impl Fn(&Snapshot, &Found) -> Result<T, Error>,
    ) -> Vec<Vec<T>> {
        let plan = plan(typed);
        if plan.clauses.is_empty() || limit == 0 {
            return Vec::new();
        }
        let snapshot = self.shared.snapshot();
        let answer = guarded(|| {
            let search = Search { snapshot: &snapshot, terms: &self.terms, plan: &plan, groups, kind, limit };
            let found = search.run()?;
            let read = |found: Vec<Found>| found.iter().map(|found| read(&snapshot, found)).collect();
            found.into_iter().map(read).collect()
        });
        answer.unwrap_or_else(|error| {
            self.shared.suspect(&error);
            Vec::new()
        })
    }
}

/// Where a hit lies, and how good it is: ordered from worst to best.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Found {
    score: u32,
    changed: u64,
    at: Reverse<(u32, DocId)>,
}

impl Found {
    fn segment(&self) -> u32 {
        self.at.0.0
    }

    fn doc(&self) -> DocId {
        self.at.0.1
    }
}

/// The best so many.
struct Best {
    limit: usize,
    heap: BinaryHeap<Reverse<Found>>,
}

impl Best {
    fn admits(&self, found: &Found) -> bool {
        self.heap.len() < self.limit || self.heap.peek().is_some_and(|Reverse(worst)| found > worst)
    }

    fn add(&mut self, found: Found) {
        if self.heap.len() == self.limit {
            self.heap.pop();
        }
        self.heap.push(Reverse(found));
    }

    fn in_order(self) -> Vec<Found> {
        self.heap.into_sorted_vec().into_iter().map(|Reverse(found)| found).collect()
    }
}

struct Search<'a> {
    snapshot: &'a Snapshot,
    terms: &'a Terms,
    plan: &'a Plan,
    groups: &'a [Group],
    kind: Option<&'a str>,
    limit: usize,
}

/// How much each document of a span counts for a clause: surely, and if a part of a keyword proves true.
struct Weights {
    sure: Vec<u8>,
    unproved: Option<Vec<u8>>,
}

impl Search<'_> {
    /// The best of each group, in the order of the groups.
    fn run(&self) -> Result<Vec<Vec<Found>>, Error> {
        let mut found = self.pass(self.groups, false, &HashSet::new())?;
        let forgiving = self.plan.clauses.iter().flat_map(|clause| &clause.words).any(Word::forgiving);
        let few = |found: &Vec<Found>| found.len() < self.limit.min(ENOUGH);
        let poor: Vec<Group> =
            self.groups.iter().zip(&found).filter(|(_, found)| few(found)).map(|(group, _)| *group).collect();
        if forgiving && !poor.is_empty() {
            let known = found.iter().flatten().map(|found| found.at.0).collect();
            let mut more = self.pass(&poor, true, &known)?.into_iter();
            for (group, found) in self.groups.iter().zip(&mut found) {
                if poor.contains(group) {
                    let room = self.limit - found.len();
                    found.extend(more.next().unwrap_or_default().into_iter().take(room));
                }
            }
        }
        Ok(found)
    }

    /// One walk over all segments, exact or forgiving, without the documents known already.
    fn pass(&self, groups: &[Group], forgiving: bool, known: &HashSet<(u32, DocId)>) -> Result<Vec<Vec<Found>>, Error> {
        let similar = if forgiving { self.similar()? } else { Vec::new() };
        let mut best: Vec<Best> = groups.iter().map(|_| Best { limit: self.limit, heap: BinaryHeap::new() }).collect();
        let mut proofs = MAX_PROOFS;
        for segment in &self.snapshot.segments {
            let spans: Vec<Span> = groups.iter().map(|group| self.span(segment, *group)).collect();
            let occupied = || spans.iter().filter(|span| span.len() > 0);
            let (Some(start), Some(end)) =
                (occupied().map(|span| span.start).min(), occupied().map(|span| span.end).max())
            else {
                continue;
            };
            let whole = Span { start, end };
            let Some(weights) = self.weigh(segment, whole, &similar)? else { continue };
            let total = self.total(segment, whole, &weights)?;
            for (span, best) in spans.iter().zip(&mut best) {
                // Documents lie from the latest to the oldest: once one is not good enough, neither is any
                // after it that counts no more.
                let mut floor = 0;
                for doc in span.start..span.end {
                    let at = (doc - whole.start) as usize;
                    let score = total[at];
                    if score <= floor || !segment.is_alive(doc) || known.contains(&(segment.number(), doc)) {
                        continue;
                    }
                    let rank = if forgiving { 0 } else { EXACT };
                    let found = Found {
                        score: rank + u32::from(score),
                        changed: segment.position(doc).at(),
                        at: Reverse((segment.number(), doc)),
                    };
                    if !best.admits(&found) {
                        floor = score;
                        continue;
                    }
                    let Some(score) = self.prove(&found, at, &weights, &mut proofs)? else { continue };
                    let found = Found { score: rank + score, ..found };
                    if best.admits(&found) {
                        best.add(found);
                    }
                }
            }
        }
        Ok(best.into_iter().map(Best::in_order).collect())
    }

    fn span(&self, segment: &Segment, group: Group) -> Span {
        let tenant = self.terms.tenant();
        segment.span(Position::first(tenant, group), Position::end(tenant, group))
    }

    /// For each word of the plan in turn what it may have been meant to be, if a typing error is forgiven.
    fn similar(&self) -> Result<Vec<Option<Similar>>, Error> {
        let words = self.plan.clauses.iter().flat_map(|clause| &clause.words);
        words.map(|word| word.forgiving().then(|| Similar::to(&word.text, word.prefix)).transpose()).collect()
    }

    /// What every clause weighs in a span; `None` when one of them occurs nowhere in it.
    fn weigh(&self, segment: &Segment, span: Span, similar: &[Option<Similar>]) -> Result<Option<Vec<Weights>>, Error> {
        let mut all = Vec::with_capacity(self.plan.clauses.len());
        let mut similar = similar.iter();
        for clause in &self.plan.clauses {
            let Some(weights) = self.weigh_clause(segment, span, clause, &mut similar)? else { return Ok(None) };
            all.push(weights);
        }
        Ok(Some(all))
    }

    fn weigh_clause<'s>(
        &self,
        segment: &Segment,
        span: Span,
        clause: &Clause,
        similar: &mut impl Iterator<Item = &'s Option<Similar>>,
    ) -> Result<Option<Weights>, Error> {
        let mut sure: Option<Vec<u8>> = None;
        for word in &clause.words {
            let mut weights = Column::new(span);
            self.weigh_word(segment, word, similar.next().and_then(Option::as_ref), &mut weights)?;
            sure = Some(match sure {
                None => weights.values,
                Some(mut sure) => {
                    for (sum, weight) in sure.iter_mut().zip(weights.values) {
                        *sum = if *sum == 0 || weight == 0 { 0 } else { *sum + weight };
                    }
                    sure
                }
            });
        }
        let mut weights = Weights { sure: sure.unwrap_or_else(|| vec![0; span.len()]), unproved: None };
        let mut occurs = weights.sure.iter().any(|weight| *weight > 0);
        if let Some(needle) = &clause.needle {
            let words = u8::try_from(clause.words.len().clamp(1, MAX_QUERY_WORDS)).unwrap_or(1);
            let mut holding = self.with_all_grams(segment, span, &needle.text)?;
            if holding.iter().any(|weight| *weight > 0) {
                occurs = true;
                let weight = weight::needle(needle.kind) * words;
                holding.iter_mut().for_each(|holds| *holds *= weight);
                if needle.is_one_gram() {
                    for (sure, holds) in weights.sure.iter_mut().zip(holding) {
                        *sure = (*sure).max(holds);
                    }
                } else {
                    weights.unproved = Some(holding);
                }
            }
        }
        Ok(occurs.then_some(weights))
    }

    fn weigh_word(
        &self,
        segment: &Segment,
        word: &Word,
        similar: Option<&Similar>,
        weights: &mut Column,
    ) -> Result<(), Error> {
        let short = word.text.chars().count() <= MAX_BEGINNING;
        for place in Place::ALL {
            let name = self.terms.word(place, &word.text);
            if !word.prefix || short {
                segment.with_name(&name, |docs| weights.raise(docs, weight::word(place)))?;
            }
            if word.prefix && short {
                let beginning = self.terms.beginning(place, &word.text);
                segment.with_name(&beginning, |docs| weights.raise(docs, weight::beginning(place)))?;
            } else if word.prefix {
                segment.beginning_with(&name, |exact, docs| {
                    let weight = if exact { weight::word(place) } else { weight::beginning(place) };
                    weights.raise(docs, weight);
                })?;
            }
            if let Some(similar) = similar {
                let stem = self.terms.word(place, "");
                segment.similar_to(&stem, similar, |docs| weights.raise(docs, weight::similar(place)))?;
            }
        }
        Ok(())
    }

    /// One for each document with all grams of a needle, zero for the others.
    fn with_all_grams(&self, segment: &Segment, span: Span, needle: &str) -> Result<Vec<u8>, Error> {
        let mut wanted = grams(needle);
        wanted.sort_unstable();
        wanted.dedup();
        let mut counts = Column::new(span);
        for (before, gram) in (0..=u8::MAX).zip(&wanted) {
            let known = segment.with_name(&self.terms.gram(gram), |docs| counts.step(docs, before))?;
            if !known {
                return Ok(vec![0; span.len()]);
            }
        }
        let all = u8::try_from(wanted.len()).unwrap_or(u8::MAX);
        counts.values.iter_mut().for_each(|count| *count = u8::from(*count == all));
        Ok(counts.values)
    }

    /// The sum over all clauses for each document of the span, zero where one is missing or the kind is wrong.
    fn total(&self, segment: &Segment, span: Span, weights: &[Weights]) -> Result<Vec<u8>, Error> {
        let mut total: Option<Vec<u8>> = None;
        for Weights { sure, unproved } in weights {
            let weight = |at: usize| sure[at].max(unproved.as_ref().map_or(0, |unproved| unproved[at]));
            total = Some(match total {
                None => (0..span.len()).map(weight).collect(),
                Some(mut total) => {
                    for (at, sum) in total.iter_mut().enumerate() {
                        let weight = weight(at);
                        *sum = if *sum == 0 || weight == 0 { 0 } else { sum.saturating_add(weight) };
                    }
                    total
                }
            });
        }
        let mut total = total.unwrap_or_else(|| vec![0; span.len()]);
        if let Some(kind) = self.kind {
            let mut of_kind = Column::new(span);
            segment.with_name(&self.terms.kind(kind), |docs| of_kind.raise(docs, u8::MAX))?;
            total.iter_mut().zip(of_kind.values).for_each(|(sum, mask)| *sum &= mask);
        }
        Ok(total)
    }

    /// The true score of a document whose keywords may hold a needle; `None` when it is no hit after all.
    fn prove(&self, found: &Found, at: usize, weights: &[Weights], proofs: &mut usize) -> Result<Option<u32>, Error> {
        let unproved = |weights: &Weights| weights.unproved.as_ref().map_or(0, |unproved| unproved[at]);
        let mut shown = None;
        if weights.iter().any(|weights| unproved(weights) > weights.sure[at]) {
            let Some(left) = proofs.checked_sub(1) else { return Ok(None) };
            *proofs = left;
            shown = Some(self.snapshot.shown(self.terms, found.segment(), found.doc())?);
        }
        let mut sum = 0;
        for (clause, weights) in self.plan.clauses.iter().zip(weights) {
            let proved = unproved(weights) > weights.sure[at]
                && clause.needle.as_ref().zip(shown.as_ref()).is_some_and(|(needle, shown)| needle.is_in(&shown.parts));
            let weight = if proved { unproved(weights) } else { weights.sure[at] };
            if weight == 0 {
                return Ok(None);
            }
            sum += u32::from(weight);
        }
        Ok(Some(sum))
    }
}

/// One small number for each document of a span.
struct Column {
    span: Span,
    values: Vec<u8>,
}

impl Column {
    fn new(span: Span) -> Column {
        Column { span, values: vec![0; span.len()] }
    }

    /// Documents outside the span (of another group) are passed over.
    fn each(&mut self, docs: &[DocId], mut change: impl FnMut(&mut u8)) {
        for doc in docs {
            if let Some(value) = self.values.get_mut(doc.wrapping_sub(self.span.start) as usize) {
                change(value);
            }
        }
    }

    fn raise(&mut self, docs: &[DocId], to: u8) {
        self.each(docs, |value| *value = (*value).max(to));
    }

    fn step(&mut self, docs: &[DocId], from: u8) {
        self.each(docs, |value| *value += u8::from(*value == from));
    }
}
