//! Query execution. A record matches when it has every word, in any of its fields. Records whose title has every word
//! come first. A word's weight depends on the field and on how exactly it was typed, never on how often it occurs, so
//! that ranks reveal nothing of other tenants' records. Equal scores are ordered by latest change.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use tantivy::DocId;

use super::analyse::{Clause, MAX_QUERY_WORDS, Needle, NeedleKind, Plan, Word, covering_grams, grams, plan};
use super::columns::ListWords;
use super::engine::Shared;
use super::ranking::{Column, MatchStage, ScoredHit, TopHits, weight};
use super::schema::{HitFields, Position};
use super::snapshot::{Segment, Similar, Snapshot, Span};
use super::terms::{MAX_BEGINNING, Place, Terms};
use super::{Error, guarded};
use crate::kernel::{Heading, SearchScope, TenantId};

/// Maximum number of keyword substring matches that one search verifies against the stored keywords. Further unverified
/// matches are left out, except those of e-mail addresses: their keywords have every three characters of it, which is
/// nearly always a match, and many people can have a common domain.
const MAX_PROOFS: usize = 4_096;
/// The same for the search that narrows a list.
const MAX_PROOFS_OF_LIST: usize = 20_000;

/// The groups whose records have e-mail addresses as keywords.
const HAVE_ADDRESSES: [Heading; 2] = [Heading::Contacts, Heading::Organizations];

/// A record that was found, with all that a search result shows of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hit {
    /// The record's kind, as in `Record::KIND`.
    pub kind: String,
    /// The record's id.
    pub id: [u8; 16],
    /// Name or title.
    pub title: String,
    /// A second line, such as the company.
    pub subtitle: Option<String>,
    /// URL of a picture.
    pub avatar: Option<String>,
    /// Whether a task is done.
    pub completed: Option<bool>,
    /// Last change in milliseconds since 1970.
    pub at: i64,
    /// Score, higher is better; comparable only within one answer and group.
    pub score: u32,
}

impl Hit {
    fn read(snapshot: &Snapshot, terms: &Terms, found: &ScoredHit) -> Result<Hit, Error> {
        let HitFields { kind, id, title, subtitle, avatar, completed, at, .. } =
            snapshot.read_fields(terms, found.segment(), found.doc())?;
        Ok(Hit { kind, id, title, subtitle, avatar, completed, at, score: found.score })
    }
}

/// Search in one tenant's records. It cannot address another tenant.
#[derive(Clone)]
pub struct TenantIndex {
    shared: Arc<Shared>,
    terms: Terms,
    /// A scope that is searched together with the tenant-wide records.
    extra_scope: Option<Terms>,
}

impl std::fmt::Debug for TenantIndex {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(to, "TenantIndex({})", self.terms.tenant())
    }
}

impl TenantIndex {
    pub(super) fn new(shared: Arc<Shared>, tenant: TenantId) -> TenantIndex {
        TenantIndex { shared, terms: Terms::of(tenant), extra_scope: None }
    }

    /// Returns the same search, extended by a scope, such as one member's own records.
    pub fn with_scope(self, circle: SearchScope) -> TenantIndex {
        TenantIndex { extra_scope: Some(Terms::in_scope(self.terms.tenant(), Some(circle))), ..self }
    }

    /// Returns the terms of the tenant, and of the additional scope.
    fn names(&self) -> Vec<Terms> {
        [self.terms].into_iter().chain(self.extra_scope).collect()
    }

    /// Returns the best `limit` records of each of these groups for a query, in the order of [`Heading::ALL`]; groups
    /// without a hit are left out. The last word may be unfinished. Only the first 256 characters and 16 words count;
    /// fewer than 2 characters find nothing.
    ///
    /// Blocks for microseconds, or some milliseconds among hundreds of thousands of records. Never fails: while the
    /// index is damaged or being rebuilt, it finds less.
    pub fn find(&self, typed: &str, groups: &[Heading], limit: usize) -> Vec<(Heading, Vec<Hit>)> {
        let groups = Heading::ALL.into_iter().filter(|group| groups.contains(group)).collect::<Vec<_>>();
        let found = self.search(&self.names(), typed, &groups, None, limit, Hit::read);
        let found = groups.into_iter().zip(found);
        found.filter(|(_, hits)| !hits.is_empty()).collect()
    }

    /// Returns the ids of the best `limit` records of one kind, best first, for filtering a list. Otherwise as
    /// [`TenantIndex::find`].
    pub fn find_ids(&self, typed: &str, group: Heading, kind: &str, limit: usize) -> Vec<[u8; 16]> {
        let found = self.search(&self.names(), typed, &[group], Some(kind), limit, |snapshot, _, at| {
            let segment = snapshot.segments.get(at.segment() as usize);
            segment.map(|segment| segment.id(at.doc())).ok_or_else(|| Error::Failed("no such segment".to_owned()))
        });
        found.into_iter().flatten().collect()
    }

    /// Returns the best `limit` records of one group in these scopes, best first. Records of other scopes and
    /// tenant-wide records are not searched. Otherwise as [`TenantIndex::find`].
    pub fn find_within(&self, circles: &[SearchScope], typed: &str, group: Heading, limit: usize) -> Vec<Hit> {
        let names = |circle: &SearchScope| Terms::in_scope(self.terms.tenant(), Some(*circle));
        let circles: Vec<Terms> = circles.iter().map(names).collect();
        self.search(&circles, typed, &[group], None, limit, Hit::read).into_iter().flatten().collect()
    }

    /// Counts a search for text.
    pub(super) fn count_search(&self) {
        self.shared.searches.fetch_add(1, Ordering::Relaxed);
    }

    /// Reads the index for the tenant and the additional scope; what damage hides is left out.
    pub(super) fn guard<T: Default>(
        &self,
        read: impl FnOnce(&Snapshot, &Terms, Option<SearchScope>) -> Result<T, Error>,
    ) -> T {
        let snapshot = self.shared.snapshot();
        let scope = self.extra_scope.and_then(|terms| terms.scope());
        guarded(|| read(&snapshot, &self.terms, scope)).unwrap_or_else(|error| {
            self.shared.suspect(&error);
            T::default()
        })
    }

    fn search<T>(
        &self,
        names: &[Terms],
        typed: &str,
        groups: &[Heading],
        kind: Option<&str>,
        limit: usize,
        read: impl Fn(&Snapshot, &Terms, &ScoredHit) -> Result<T, Error>,
    ) -> Vec<Vec<T>> {
        let plan = plan(typed);
        if plan.clauses.is_empty() || limit == 0 {
            return Vec::new();
        }
        self.count_search();
        let snapshot = self.shared.snapshot();
        let answer = guarded(|| {
            let search = Search { snapshot: &snapshot, names, plan: &plan, groups, kind, limit };
            let found = search.run()?;
            let read = |found: Vec<ScoredHit>| found.iter().map(|at| read(&snapshot, &names[at.whose], at)).collect();
            found.into_iter().map(read).collect()
        });
        answer.unwrap_or_else(|error| {
            self.shared.suspect(&error);
            Vec::new()
        })
    }
}

struct Search<'a> {
    snapshot: &'a Snapshot,
    /// The searched terms: the tenant's, or those of scopes.
    names: &'a [Terms],
    plan: &'a Plan,
    groups: &'a [Heading],
    kind: Option<&'a str>,
    limit: usize,
}

/// The documents that match words.
#[derive(Default)]
pub(super) struct Matching {
    /// Those of each segment.
    docs: HashMap<u32, Vec<DocId>>,
    /// Whether documents that may match were left out.
    pub(super) lacks_some: bool,
}

impl Matching {
    /// Finds all documents of a kind that match words, by the terms of a tenant and of scopes.
    pub(super) fn of(snapshot: &Snapshot, names: &[Terms], words: &ListWords, kind: &str) -> Result<Self, Error> {
        let plan = plan(&words.typed);
        if plan.clauses.is_empty() {
            return Ok(Self::default());
        }
        let groups = [words.heading];
        Search { snapshot, names, plan: &plan, groups: &groups, kind: Some(kind), limit: usize::MAX }.find_all()
    }

    /// Takes out the documents of a segment, in their order.
    pub(super) fn take(&mut self, segment: &Segment) -> Vec<DocId> {
        let mut docs = self.docs.remove(&segment.number()).unwrap_or_default();
        docs.sort_unstable();
        docs
    }
}

/// Candidate documents of the searched groups, of one tenant or scope, in one segment, with their weights so far.
struct TenantSegment<'a> {
    segment: &'a Segment,
    whose: usize,
    terms: &'a Terms,
    /// From the first to the last document of the groups.
    span: Span,
    /// The span of each group.
    groups: Vec<Span>,
    /// One entry for each clause weighed so far.
    weights: Vec<ClauseWeights>,
}

/// Weights of each document for a clause: certain ones, and those that depend on verifying a keyword substring.
struct ClauseWeights {
    stage: MatchStage,
    sure: Column,
    unproved: Option<Column>,
}

impl ClauseWeights {
    fn occurs(&self) -> bool {
        self.sure.touched || self.unproved.as_ref().is_some_and(|unproved| unproved.touched)
    }

    /// Returns the maximum weight of each document.
    fn maxima(&self) -> Cow<'_, [u8]> {
        let sure = &self.sure.values;
        match &self.unproved {
            None => Cow::Borrowed(sure),
            Some(unproved) => sure.iter().zip(&unproved.values).map(|(sure, weight)| *sure.max(weight)).collect(),
        }
    }
}

impl<'a> Search<'a> {
    /// Returns the best hits of each group, in the order of the groups.
    fn run(&self) -> Result<Vec<Vec<ScoredHit>>, Error> {
        let mut tenant_segments = self.tenant_segments();
        let mut found: Vec<Vec<ScoredHit>> = vec![Vec::new(); self.groups.len()];
        let mut proofs = MAX_PROOFS;
        // Groups without documents have no hits.
        let is_occupied = |group: &usize| tenant_segments.iter().any(|one| one.groups[*group].len() > 0);
        let occupied: Vec<usize> = (0..found.len()).filter(is_occupied).collect();
        for stage in MatchStage::ALL.into_iter().filter(|stage| self.can_add_hits(*stage)) {
            let lacks = |group: &usize| found[*group].len() < stage.skip_from(self.limit);
            let lacking: Vec<usize> = occupied.iter().copied().filter(lacks).collect();
            if lacking.is_empty() {
                break;
            }
            let similar = if stage == MatchStage::Forgiving { self.similar()? } else { Vec::new() };
            let known: HashSet<(u32, DocId)> = found.iter().flatten().map(|found| found.at.0).collect();
            let mut best: Vec<TopHits> = lacking
                .iter()
                .map(|group| TopHits { limit: self.limit - found[*group].len(), heap: BinaryHeap::new() })
                .collect();
            for tenant_segment in &mut tenant_segments {
                if self.weigh(tenant_segment, stage, &similar)? {
                    self.collect(tenant_segment, stage, &lacking, &known, &mut best, &mut proofs)?;
                }
            }
            for (group, best) in lacking.into_iter().zip(best) {
                found[group].extend(best.into_sorted());
            }
        }
        Ok(found)
    }

    /// Returns all documents of one group that match, of all stages. Typing errors are tolerated when few match otherwise.
    fn find_all(&self) -> Result<Matching, Error> {
        let mut tenant_segments = self.tenant_segments();
        let mut known: Vec<Vec<bool>> = tenant_segments.iter().map(|one| vec![false; one.span.len()]).collect();
        let mut count = 0;
        let mut proofs = MAX_PROOFS_OF_LIST;
        let mut lacks_some = false;
        // All fields are read at once, so that titles need no stage of their own.
        for stage in MatchStage::ALL.into_iter().filter(|stage| *stage != MatchStage::Titles) {
            if count >= stage.skip_from(self.limit) {
                break;
            }
            if !self.can_add_hits(stage) {
                continue;
            }
            let similar = if stage == MatchStage::Forgiving { self.similar()? } else { Vec::new() };
            for (tenant_segment, known) in tenant_segments.iter_mut().zip(&mut known) {
                if !self.weigh(tenant_segment, stage, &similar)? {
                    continue;
                }
                let total = self.total(tenant_segment)?;
                let scores = total.iter().enumerate().filter(|(_, score)| **score > 0);
                for (at, _) in scores {
                    let doc = tenant_segment.span.start + DocId::try_from(at).unwrap_or(DocId::MAX);
                    if known[at] || !tenant_segment.segment.is_alive(doc) {
                        continue;
                    }
                    let place = (tenant_segment.segment.number(), doc);
                    let found = ScoredHit { score: 0, changed: 0, at: Reverse(place), whose: tenant_segment.whose };
                    let proofs_left = proofs;
                    if self.prove(&found, at, tenant_segment, &mut proofs)?.is_some() {
                        known[at] = true;
                        count += 1;
                    } else {
                        lacks_some |= proofs_left == 0;
                    }
                }
            }
        }
        let mut docs: HashMap<u32, Vec<DocId>> = HashMap::new();
        for (tenant_segment, known) in tenant_segments.iter().zip(known) {
            let found = (tenant_segment.span.start..).zip(known).filter(|(_, is_known)| *is_known);
            docs.entry(tenant_segment.segment.number()).or_default().extend(found.map(|(doc, _)| doc));
        }
        Ok(Matching { docs, lacks_some })
    }

    /// Returns the candidates of all searched terms in all segments.
    fn tenant_segments(&self) -> Vec<TenantSegment<'a>> {
        let segments = &self.snapshot.segments;
        let names = self.names.iter().enumerate();
        let places = names.flat_map(|(whose, terms)| segments.iter().map(move |segment| (segment, whose, terms)));
        places.filter_map(|(segment, whose, terms)| self.tenant_segment(segment, whose, terms)).collect()
    }

    fn tenant_segment(&self, segment: &'a Segment, whose: usize, terms: &'a Terms) -> Option<TenantSegment<'a>> {
        let span = |group: &Heading| segment.span(Position::first(terms, *group), Position::end(terms, *group));
        let groups: Vec<Span> = self.groups.iter().map(span).collect();
        let occupied = || groups.iter().filter(|span| span.len() > 0);
        let start = occupied().map(|span| span.start).min()?;
        let end = occupied().map(|span| span.end).max()?;
        Some(TenantSegment { segment, whose, terms, span: Span { start, end }, groups, weights: Vec::new() })
    }

    /// Whether a stage can find anything that the stages before it do not.
    fn can_add_hits(&self, stage: MatchStage) -> bool {
        let mut clauses = self.plan.clauses.iter();
        match stage {
            MatchStage::Titles | MatchStage::Words => true,
            MatchStage::Parts => clauses.any(|clause| clause.substring_needle().is_some()),
            MatchStage::Forgiving => clauses.any(|clause| clause.fuzzy_word().is_some()),
        }
    }

    /// Returns for each clause the automaton of similar words, if a typing error is tolerated.
    fn similar(&self) -> Result<Vec<Option<Similar>>, Error> {
        let similar = |clause: &Clause| clause.fuzzy_word().as_ref().map(Similar::new).transpose();
        self.plan.clauses.iter().map(similar).collect()
    }

    /// Weighs every clause up to the given stage. Returns false when one of them has no match here.
    fn weigh(
        &self,
        tenant_segment: &mut TenantSegment<'_>,
        stage: MatchStage,
        similar: &[Option<Similar>],
    ) -> Result<bool, Error> {
        for (number, clause) in self.plan.clauses.iter().enumerate() {
            match tenant_segment.weights.get_mut(number) {
                None => {
                    let weights = self.weigh_words(tenant_segment, clause, stage, None)?;
                    tenant_segment.weights.push(weights);
                }
                Some(weights) if weights.stage == MatchStage::Titles && stage > MatchStage::Titles => {
                    let titles = std::mem::replace(&mut weights.sure, Column::new(Span { start: 0, end: 0 }));
                    tenant_segment.weights[number] = self.weigh_words(tenant_segment, clause, stage, Some(titles))?;
                }
                Some(_) => {}
            }
            let TenantSegment { segment, terms, span, ref mut weights, .. } = *tenant_segment;
            let weights = &mut weights[number];
            if let Some(needle) = clause.substring_needle()
                && weights.stage < MatchStage::Parts
                && stage >= MatchStage::Parts
            {
                Self::weigh_needle((segment, terms, span), needle, weight::needle(needle.kind), weights)?;
            }
            if let Some(similar) = similar.get(number).and_then(Option::as_ref)
                && weights.stage < MatchStage::Forgiving
            {
                for place in Place::ALL {
                    let stem = terms.word(place, "");
                    let weight = weight::similar(place);
                    segment.similar_to(&stem, similar, |docs| weights.sure.raise(docs, weight))?;
                }
            }
            weights.stage = weights.stage.max(stage);
            if !weights.occurs() {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Weighs the whole words and beginnings of a clause: in titles only, or in all fields. `titles` are the weights of
    /// titles, if they are known.
    fn weigh_words(
        &self,
        tenant_segment: &TenantSegment<'_>,
        clause: &Clause,
        stage: MatchStage,
        titles: Option<Column>,
    ) -> Result<ClauseWeights, Error> {
        if clause.address().is_some() {
            return self.weigh_address(tenant_segment, clause, stage);
        }
        let TenantSegment { segment, terms, span, .. } = *tenant_segment;
        // Of several words the sum is known, to which the words of other fields cannot be added.
        let mut titles = titles.filter(|_| clause.words.len() == 1);
        let (title, others) = Place::ALL.split_at(1);
        let places = match (stage, &titles) {
            (MatchStage::Titles, _) => title,
            (_, Some(_)) => others,
            (_, None) => &Place::ALL,
        };
        let mut sure: Option<Column> = None;
        for word in &clause.words {
            let mut column = titles.take().unwrap_or_else(|| Column::new(span));
            for place in places.iter().copied() {
                Self::weigh_word((segment, terms), word, place, &mut column)?;
            }
            sure = Some(match sure {
                None => column,
                Some(before) => before.intersect(&column.values),
            });
        }
        let sure = sure.unwrap_or_else(|| Column::new(span));
        let mut weights = ClauseWeights { stage: stage.min(MatchStage::Words), sure, unproved: None };
        if stage > MatchStage::Titles
            && let Some(needle) = clause.needle.as_ref().filter(|needle| needle.kind == NeedleKind::Number)
        {
            // Counts as much as all the words that it replaces.
            let words = u8::try_from(clause.words.len().min(MAX_QUERY_WORDS)).unwrap_or(1);
            Self::weigh_needle((segment, terms, span), needle, weight::needle(needle.kind) * words, &mut weights)?;
        }
        Ok(weights)
    }

    /// Weighs a word, or what begins with it, in one field.
    fn weigh_word(
        (segment, terms): (&Segment, &Terms),
        word: &Word,
        place: Place,
        column: &mut Column,
    ) -> Result<(), Error> {
        let short = word.text.chars().count() <= MAX_BEGINNING;
        let name = terms.word(place, &word.text);
        if !word.prefix || short {
            segment.with_name(&name, |docs| column.raise(docs, weight::word(place)))?;
        }
        if word.prefix && short {
            let beginning = terms.beginning(place, &word.text);
            segment.with_name(&beginning, |docs| column.raise(docs, weight::beginning(place)))?;
        } else if word.prefix {
            segment.beginning_with(&name, |exact, docs| {
                let weight = if exact { weight::word(place) } else { weight::beginning(place) };
                column.raise(docs, weight);
            })?;
        }
        Ok(())
    }

    /// Weighs an address, or a part of one: it stands in keywords, or in a text that has all of its words, because the
    /// index knows words of texts only. People and organizations have their addresses in keywords: of their texts only the
    /// title counts, which may be an address, and half of an address is not looked for there, because it would find
    /// all people of that name.
    fn weigh_address(
        &self,
        tenant_segment: &TenantSegment<'_>,
        clause: &Clause,
        stage: MatchStage,
    ) -> Result<ClauseWeights, Error> {
        let TenantSegment { segment, terms, span, ref groups, .. } = *tenant_segment;
        let places: &[Place] = if stage == MatchStage::Titles { &[Place::Title] } else { &[Place::Title, Place::Body] };
        let of_people = || self.groups.iter().zip(groups).filter(|(heading, _)| HAVE_ADDRESSES.contains(heading));
        let is_half = clause.needle.as_ref().is_some_and(Needle::is_half_address);
        let mut sure = Column::new(span);
        for place in places.iter().copied() {
            let mut of_place: Option<Column> = None;
            for word in &clause.words {
                let mut column = Column::new(span);
                Self::weigh_word((segment, terms), word, place, &mut column)?;
                of_place = Some(match of_place {
                    None => column,
                    Some(before) => before.intersect(&column.values),
                });
            }
            let mut weights = of_place.map(|column| column.values).unwrap_or_default();
            for (_, group) in of_people().filter(|_| is_half || place == Place::Body) {
                let from = group.start.saturating_sub(span.start) as usize;
                weights.iter_mut().skip(from).take(group.len()).for_each(|weight| *weight = 0);
            }
            for (sum, weight) in sure.values.iter_mut().zip(weights) {
                *sum = weight.max(*sum);
            }
        }
        sure.touched = sure.values.iter().any(|weight| *weight > 0);
        let mut weights = ClauseWeights { stage: stage.min(MatchStage::Words), sure, unproved: None };
        if stage > MatchStage::Titles
            && let Some(needle) = &clause.needle
        {
            // Counts as much as all the words that it replaces.
            let words = u8::try_from(clause.words.len().min(MAX_QUERY_WORDS)).unwrap_or(1);
            Self::weigh_needle((segment, terms, span), needle, weight::needle(needle.kind) * words, &mut weights)?;
        }
        Ok(weights)
    }

    /// Weighs the documents whose keywords may contain a needle. Matches are certain when the needle is one gram.
    fn weigh_needle(
        (segment, terms, span): (&Segment, &Terms, Span),
        needle: &Needle,
        weight: u8,
        weights: &mut ClauseWeights,
    ) -> Result<(), Error> {
        if needle.is_one_gram() {
            segment.with_name(&terms.gram(&needle.text), |docs| weights.sure.raise(docs, weight))?;
            return Ok(());
        }
        // All of an address, because those beyond the proofs are taken as they are.
        let grams = if needle.kind == NeedleKind::Address { grams(&needle.text) } else { covering_grams(&needle.text) };
        let mut held = Column::new(span);
        for (before, gram) in (0..=u8::MAX).zip(&grams) {
            held.touched = false;
            segment.with_name(&terms.gram(gram), |docs| held.step(docs, before))?;
            if !held.touched {
                return Ok(());
            }
        }
        let all = u8::try_from(grams.len()).unwrap_or(u8::MAX);
        held.values.iter_mut().for_each(|count| *count = if *count == all { weight } else { 0 });
        weights.unproved = Some(held);
        Ok(())
    }

    /// Returns each document's maximum sum over all clauses; zero where a clause has no match.
    fn total<'h>(&self, tenant_segment: &'h TenantSegment<'_>) -> Result<Cow<'h, [u8]>, Error> {
        let Some((first, rest)) = tenant_segment.weights.split_first() else { return Ok(Cow::default()) };
        let mut total = first.maxima();
        for weights in rest {
            let column = Column { span: tenant_segment.span, values: total.into_owned(), touched: true };
            total = Cow::Owned(column.intersect(&weights.maxima()).values);
        }
        if let Some(kind) = self.kind {
            let mut of_kind = Column::new(tenant_segment.span);
            tenant_segment.segment.with_name(&tenant_segment.terms.kind(kind), |docs| of_kind.raise(docs, u8::MAX))?;
            total.to_mut().iter_mut().zip(of_kind.values).for_each(|(sum, mask)| *sum &= mask);
        }
        Ok(total)
    }

    /// Adds the hits to the best of those groups that lack hits.
    fn collect(
        &self,
        tenant_segment: &TenantSegment<'_>,
        stage: MatchStage,
        lacking: &[usize],
        known: &HashSet<(u32, DocId)>,
        best: &mut [TopHits],
        proofs: &mut usize,
    ) -> Result<(), Error> {
        const BLOCK_DOCS: usize = 64;
        let total = self.total(tenant_segment)?;
        for (group, best) in lacking.iter().zip(best) {
            let from = (tenant_segment.groups[*group].start.saturating_sub(tenant_segment.span.start)) as usize;
            let Some(scores) = total.get(from..from + tenant_segment.groups[*group].len()) else { continue };
            // Documents lie from the latest to the oldest: once a score is not admitted, no later document with that
            // score or a lower one is either.
            let mut floor = 0;
            for (block, scores) in scores.chunks(BLOCK_DOCS).enumerate() {
                if scores.iter().fold(0, |most, score| most.max(*score)) <= floor {
                    continue;
                }
                for (offset, counted) in scores.iter().enumerate() {
                    let at = from + block * BLOCK_DOCS + offset;
                    let doc = tenant_segment.span.start + DocId::try_from(at).unwrap_or(DocId::MAX);
                    let place = (tenant_segment.segment.number(), doc);
                    if *counted <= floor || !tenant_segment.segment.is_alive(doc) || known.contains(&place) {
                        continue;
                    }
                    let changed = tenant_segment.segment.position(doc).at();
                    let score = stage.rank() + u32::from(*counted);
                    let found = ScoredHit { score, changed, at: Reverse(place), whose: tenant_segment.whose };
                    if !best.admits(&found) {
                        floor = *counted;
                        continue;
                    }
                    let Some(score) = self.prove(&found, at, tenant_segment, proofs)? else { continue };
                    let found = ScoredHit { score: stage.rank() + score, ..found };
                    if best.admits(&found) {
                        best.add(found);
                    }
                }
            }
        }
        Ok(())
    }

    /// Returns the verified score of a document; `None` when it is no hit after all.
    fn prove(
        &self,
        found: &ScoredHit,
        at: usize,
        tenant_segment: &TenantSegment<'_>,
        proofs: &mut usize,
    ) -> Result<Option<u32>, Error> {
        let weights = tenant_segment.weights.as_slice();
        let unproved = |weights: &ClauseWeights| weights.unproved.as_ref().map_or(0, |unproved| unproved.values[at]);
        let mut shown = None;
        if weights.iter().any(|weights| unproved(weights) > weights.sure.values[at]) {
            match proofs.checked_sub(1) {
                Some(left) => {
                    *proofs = left;
                    shown = Some(self.snapshot.read_fields(tenant_segment.terms, found.segment(), found.doc())?);
                }
                None if self.plan.clauses.iter().zip(weights).all(|(clause, weights)| {
                    unproved(weights) <= weights.sure.values[at] || clause.address().is_some()
                }) => {}
                None => return Ok(None),
            }
        }
        let mut sum = 0;
        for (clause, weights) in self.plan.clauses.iter().zip(weights) {
            let is_proof = |needle: &Needle| shown.as_ref().is_none_or(|shown| needle.is_in(&shown.parts));
            let proved = unproved(weights) > weights.sure.values[at] && clause.needle.as_ref().is_some_and(is_proof);
            let weight = if proved { unproved(weights) } else { weights.sure.values[at] };
            if weight == 0 {
                return Ok(None);
            }
            sum += u32::from(weight);
        }
        Ok(Some(sum))
    }
}
