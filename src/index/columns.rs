//! Lists from the columns of the index: filters combined, sorted by any column, with an exact total. The cost is linear
//! in the number of the tenant's records of the kind.

use std::cmp::{Ordering, Reverse};
use std::collections::{BTreeSet, BinaryHeap, HashMap, HashSet};
use std::ops::{Bound, RangeInclusive};
use std::sync::Arc;

use memchr::memmem::Finder;
use tantivy::DocId;
use tantivy::columnar::{Column, ColumnType, Dictionary, DynamicColumn, MonotonicallyMappableToU64, TermOrdHit};
use uuid::Uuid;

use super::Error;
use super::query::{Matching, TenantIndex};
use super::schema::{SCOPE_COLUMN, VALUES_FIELD_NAME, read_scope, scope_value};
use super::snapshot::{Segment, Snapshot};
use super::terms::Terms;
use crate::kernel::{ColumnValue, Heading, SearchScope};

/// Records whose values of the order `list_ids` holds at a time.
const IDS_AT_ONCE: usize = if cfg!(test) { 7 } else { 5_000 };

/// A column, and the type of its values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ColumnName {
    /// The name that the documents give it.
    pub name: String,
    /// Whether its values are numbers.
    pub is_number: bool,
}

/// A condition on a column.
#[derive(Clone, Debug)]
pub struct ColumnFilter {
    /// The column.
    pub column: ColumnName,
    /// What one of the values must satisfy.
    pub test: ColumnTest,
    /// Whether records pass that do *not* satisfy it.
    pub negated: bool,
}

/// What one of a record's values in a column must satisfy.
#[derive(Clone, Debug)]
pub enum ColumnTest {
    /// There is a value.
    Present,
    /// It lies in one of these ranges.
    Within(Vec<(Bound<ColumnValue>, Bound<ColumnValue>)>),
    /// It contains one of these texts.
    Contains(Vec<String>),
    /// It is none of these texts.
    Except(HashSet<String>),
}

/// The records of one kind that a list has.
#[derive(Clone, Debug)]
pub struct ColumnSelection {
    /// The kind, as in `Record::KIND`.
    pub kind: &'static str,
    /// Conditions that a record must all satisfy.
    pub filters: Vec<ColumnFilter>,
    /// Only records that match these words.
    pub words: Option<ListWords>,
    /// Only these records.
    pub among: Option<HashSet<[u8; 16]>>,
    /// Whether the list has the records of all scopes, for a reader who may see them.
    pub every_scope: bool,
}

/// Words that records must match. Fewer than 2 characters match nothing; only the first 256 characters and 16 words
/// count.
#[derive(Clone, Debug)]
pub struct ListWords {
    /// As typed. The last word may be unfinished.
    pub typed: String,
    /// The heading under which search finds the records.
    pub heading: Heading,
}

/// A page of a list of the records of one kind.
#[derive(Clone, Debug)]
pub struct ColumnQuery {
    /// The records of the list.
    pub selection: ColumnSelection,
    /// The column by which the list is sorted. Records without a value come last; equal ones are sorted by id.
    pub sort: ColumnName,
    /// Whether the order is descending.
    pub descending: bool,
    /// The place after which the page begins.
    pub after: Option<RowPlace>,
    /// Maximum number of records.
    pub limit: usize,
}

/// The place of a record in a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowPlace {
    /// The value by which it is sorted.
    pub value: Option<ColumnValue>,
    /// Its id.
    pub id: [u8; 16],
}

/// A page of a list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rows {
    /// The records in their order.
    pub rows: Vec<RowPlace>,
    /// Whether more follow.
    pub has_more: bool,
    /// The number of records on all pages.
    pub total: u64,
    /// Whether records that may match the words were left out.
    pub lacks_some: bool,
}

/// The ids of the records of a list.
#[derive(Debug, Default)]
pub struct ListedIds {
    /// The ids in their order.
    pub ids: Vec<[u8; 16]>,
    /// Whether more follow.
    pub has_more: bool,
    /// Whether records that may match the words were left out.
    pub lacks_some: bool,
}

/// The values in a column, each with the number of records that have it.
pub type Tally = Vec<(ColumnValue, u64)>;

impl TenantIndex {
    /// Returns a page of the records that satisfy all filters, without those of other scopes unless the query asks for
    /// them. `name_of`, if given, names the ids in the column of the order: the list is sorted by these names. Blocks for
    /// some milliseconds among hundreds of thousands of records. Never fails: while the index is damaged or being rebuilt,
    /// it finds less.
    pub fn list(&self, query: &ColumnQuery, name_of: Option<NameOf<'_>>) -> Rows {
        if query.selection.words.is_some() {
            self.count_search();
        }
        self.guard(|snapshot, terms, scope| {
            let (segments, lacks_some) = SegmentRows::open_all(snapshot, (terms, scope), query, name_of)?;
            Ok(Rows { lacks_some, ..page(&segments, query, query.after.as_ref(), query.limit)? })
        })
    }

    /// Returns the ids of all records of a list in their order, at most `query.limit`. They come from one state of the
    /// index. It holds the values of the order for a page at a time. Blocks for each page as long as `list`, and fails like
    /// it.
    pub fn list_ids(&self, query: &ColumnQuery, name_of: Option<NameOf<'_>>) -> ListedIds {
        self.guard(|snapshot, terms, scope| {
            let (segments, lacks_some) = SegmentRows::open_all(snapshot, (terms, scope), query, name_of)?;
            let mut ids = Vec::new();
            let mut after = query.after.clone();
            loop {
                let left = query.limit.saturating_sub(ids.len());
                let rows = page(&segments, query, after.as_ref(), left.min(IDS_AT_ONCE))?;
                ids.extend(rows.rows.iter().map(|row| row.id));
                after = rows.rows.into_iter().next_back();
                if !rows.has_more || after.is_none() || ids.len() >= query.limit {
                    return Ok(ListedIds { ids, has_more: rows.has_more, lacks_some });
                }
            }
        })
    }

    /// Returns a tally of the selected records for each of the columns; it can name a value several times. Of each segment of
    /// the index it has at most the `most` values that most records have, so that many different ones cost little. Returns also
    /// whether records that may match the words were left out. Blocks and fails like `list`.
    pub fn tally(&self, selection: &ColumnSelection, columns: &[ColumnName], most: usize) -> (Vec<Tally>, bool) {
        self.guard(|snapshot, terms, scope| {
            let mut tallies = vec![Tally::new(); columns.len()];
            let mut selector = Selector::new(snapshot, (terms, scope), selection)?;
            for segment in &snapshot.segments {
                let docs = selector.select(segment)?;
                for (column, tally) in columns.iter().zip(&mut tallies) {
                    if let Some(column) = SegmentColumn::open(segment, column)? {
                        column.tally(&docs, most, tally)?;
                    }
                }
            }
            Ok((tallies, selector.lacks_some()))
        })
    }

    /// Returns the ids in a column of the selected records that are none of the records of `others`, each once. Blocks and
    /// fails like `list`.
    pub fn ids_beyond(&self, selection: &ColumnSelection, column: &ColumnName, others: &ColumnSelection) -> Vec<Uuid> {
        self.guard(|snapshot, terms, scope| {
            let mut ids = HashSet::new();
            let mut selector = Selector::new(snapshot, (terms, scope), selection)?;
            for segment in &snapshot.segments {
                let Some(column) = SegmentColumn::open(segment, column)? else { continue };
                let Some(dictionary) = &column.dictionary else { continue };
                let places = column.places(&selector.select(segment)?);
                dictionary.sorted_ords_to_term_cb(&places, |text| {
                    ids.extend(std::str::from_utf8(text).ok().and_then(|text| Uuid::parse_str(text).ok()));
                })?;
            }
            if ids.is_empty() {
                return Ok(Vec::new());
            }
            let mut selector = Selector::new(snapshot, (terms, scope), others)?;
            for segment in &snapshot.segments {
                for doc in selector.select(segment)? {
                    ids.remove(&Uuid::from_bytes(segment.id(doc)));
                }
            }
            Ok(ids.into_iter().collect())
        })
    }
}

fn compare(a: &RowPlace, b: &RowPlace, descending: bool) -> Ordering {
    let by_value = match (&a.value, &b.value) {
        (Some(a), Some(b)) if descending => b.cmp(a),
        (Some(a), Some(b)) => a.cmp(b),
        (a, b) => a.is_none().cmp(&b.is_none()),
    };
    by_value.then(a.id.cmp(&b.id))
}

/// A column of a segment: the values, or their places in a dictionary of texts.
struct SegmentColumn {
    values: Column<u64>,
    dictionary: Option<Arc<Dictionary>>,
}

impl SegmentColumn {
    /// Opens a column; `None` when no record of the segment has a value.
    fn open(segment: &Segment, column: &ColumnName) -> Result<Option<Self>, Error> {
        let wanted = if column.is_number { ColumnType::I64 } else { ColumnType::Str };
        let path = format!("{VALUES_FIELD_NAME}.{}", column.name);
        let Some(handle) = segment.columns().dynamic_column_handle(&path, wanted)? else { return Ok(None) };
        Ok(match handle.open()? {
            DynamicColumn::I64(values) => Some(Self { values: values.to_u64_monotonic(), dictionary: None }),
            DynamicColumn::Str(texts) => {
                let (dictionary, values) = texts.into_parts();
                Some(Self { values, dictionary: Some(dictionary) })
            }
            _ => None,
        })
    }

    /// Returns the place of the first value that is not before `value`, and whether it equals it.
    fn place(&self, value: &ColumnValue) -> Result<(u64, bool), Error> {
        Ok(match (value, &self.dictionary) {
            (ColumnValue::Number(number), None) => (number.to_u64(), true),
            (ColumnValue::Text(text), Some(dictionary)) => match dictionary.term_ord_or_next(text)? {
                TermOrdHit::Exact(place) => (place, true),
                TermOrdHit::Next(place) => (place, false),
            },
            _ => return Err(Error::Failed("a column has values of another type".to_owned())),
        })
    }

    /// Returns the places in a range; `None` when there are none.
    fn range(
        &self,
        (from, to): &(Bound<ColumnValue>, Bound<ColumnValue>),
    ) -> Result<Option<RangeInclusive<u64>>, Error> {
        let start = match from {
            Bound::Unbounded => Some(0),
            Bound::Included(value) => Some(self.place(value)?.0),
            Bound::Excluded(value) => match self.place(value)? {
                (place, true) => place.checked_add(1),
                (place, false) => Some(place),
            },
        };
        let end = match to {
            Bound::Unbounded => Some(u64::MAX),
            Bound::Included(value) => match self.place(value)? {
                (place, true) => Some(place),
                (place, false) => place.checked_sub(1),
            },
            Bound::Excluded(value) => self.place(value)?.0.checked_sub(1),
        };
        Ok(start.zip(end).map(|(start, end)| start..=end))
    }

    fn value(&self, place: u64) -> Result<ColumnValue, Error> {
        let Some(dictionary) = &self.dictionary else { return Ok(ColumnValue::Number(i64::from_u64(place))) };
        let mut text = Vec::new();
        dictionary.ord_to_term(place, &mut text)?;
        String::from_utf8(text).map(ColumnValue::Text).map_err(|_| Error::Damaged("a column is not text".to_owned()))
    }

    /// Returns the places of the values of these records, each once, in order.
    fn places(&self, docs: &[DocId]) -> Vec<u64> {
        let mut places: Vec<u64> = docs.iter().flat_map(|doc| self.values.values_for_doc(*doc)).collect();
        places.sort_unstable();
        places.dedup();
        places
    }

    /// Adds the values of these records to a tally: at most the `most` values that most of them have.
    fn tally(&self, docs: &[DocId], most: usize, tally: &mut Tally) -> Result<(), Error> {
        let mut all: Vec<u64> = docs.iter().flat_map(|doc| self.values.values_for_doc(*doc)).collect();
        all.sort_unstable();
        let alike = all.chunk_by(|a, b| a == b);
        let mut counts: Vec<(u64, u64)> =
            alike.filter_map(|alike| Some((*alike.first()?, alike.len() as u64))).collect();
        if counts.len() > most {
            counts.sort_unstable_by_key(|(place, count)| (Reverse(*count), *place));
            counts.truncate(most);
            counts.sort_unstable();
        }
        let Some(dictionary) = &self.dictionary else {
            tally.extend(counts.into_iter().map(|(place, count)| (ColumnValue::Number(i64::from_u64(place)), count)));
            return Ok(());
        };
        let places: Vec<u64> = counts.iter().map(|(place, _)| *place).collect();
        let mut counts = counts.into_iter().map(|(_, count)| count);
        dictionary.sorted_ords_to_term_cb(&places, |text| {
            let text = String::from_utf8_lossy(text).into_owned();
            tally.extend(counts.next().map(|count| (ColumnValue::Text(text), count)));
        })?;
        Ok(())
    }

    /// Returns for each place up to the last one of these records whether its text contains one of the needles; places
    /// of other records count as no.
    fn containing(&self, docs: &[DocId], needles: &[String]) -> Result<Vec<bool>, Error> {
        let finders: Vec<Finder<'_>> = needles.iter().map(|needle| Finder::new(needle.as_bytes())).collect();
        self.passing(docs, |text| finders.iter().any(|finder| finder.find(text).is_some()))
    }

    /// The same for texts that pass a test.
    fn passing(&self, docs: &[DocId], passes: impl Fn(&[u8]) -> bool) -> Result<Vec<bool>, Error> {
        let places = self.places(docs);
        let mut found = vec![false; places.last().map_or(0, |last| index_of(*last).saturating_add(1))];
        if let Some(dictionary) = &self.dictionary {
            let mut at = places.iter();
            dictionary.sorted_ords_to_term_cb(&places, |text| {
                let passes = passes(text);
                if let Some(one) = at.next().and_then(|place| found.get_mut(index_of(*place))) {
                    *one = passes;
                }
            })?;
        }
        Ok(found)
    }
}

/// Returns the index of a place in a list by places.
fn index_of(place: u64) -> usize {
    usize::try_from(place).unwrap_or(usize::MAX)
}

/// Returns the name that belongs to an id in a column, by which lists are sorted; `None` sorts as no value.
pub type NameOf<'a> = &'a dyn Fn(&str) -> Option<String>;

/// The column by which the records of a segment are sorted.
enum SortColumn {
    /// No record has a value.
    Empty,
    /// By the values.
    Values(SegmentColumn),
    /// By the names that belong to the values: in order, and the place of each value's name among them.
    Names(SegmentColumn, Vec<String>, HashMap<u64, u64>),
}

impl SortColumn {
    fn open(segment: &Segment, name: &ColumnName, docs: &[DocId], name_of: Option<NameOf<'_>>) -> Result<Self, Error> {
        let Some(column) = SegmentColumn::open(segment, name)? else { return Ok(Self::Empty) };
        let (Some(name_of), Some(dictionary)) = (name_of, &column.dictionary) else { return Ok(Self::Values(column)) };
        let places = column.places(docs);
        let mut named = Vec::with_capacity(places.len());
        let mut at = places.iter();
        dictionary.sorted_ords_to_term_cb(&places, |id| {
            let name = std::str::from_utf8(id).ok().and_then(name_of);
            named.extend(at.next().copied().zip(name));
        })?;
        let mut names: Vec<String> = named.iter().map(|(_, name)| name.clone()).collect();
        names.sort_unstable();
        names.dedup();
        let place = |name: &String| names.binary_search(name).unwrap_or_default() as u64;
        let ranks = named.iter().map(|(value, name)| (*value, place(name))).collect();
        Ok(if names.is_empty() { Self::Empty } else { Self::Names(column, names, ranks) })
    }

    const fn is_empty(&self) -> bool {
        matches!(self, Self::Empty)
    }

    /// Returns the place of a record: that of its first value, in a descending order of its last.
    fn place_of(&self, doc: DocId, descending: bool) -> Option<u64> {
        let first = |places: &mut dyn Iterator<Item = u64>| if descending { places.max() } else { places.min() };
        match self {
            Self::Empty => None,
            Self::Values(column) => first(&mut column.values.values_for_doc(doc)),
            Self::Names(column, _, ranks) => {
                first(&mut column.values.values_for_doc(doc).filter_map(|value| ranks.get(&value).copied()))
            }
        }
    }

    /// Returns the place of the first value that is not before `value`, and whether it equals it.
    fn place(&self, value: &ColumnValue) -> Result<(u64, bool), Error> {
        match (self, value) {
            (Self::Values(column), value) => column.place(value),
            (Self::Names(_, names, _), ColumnValue::Text(name)) => {
                let found = names.binary_search(name);
                Ok((found.unwrap_or_else(|next| next) as u64, found.is_ok()))
            }
            _ => Err(Error::Failed("a column has values of another type".to_owned())),
        }
    }

    fn value(&self, place: u64) -> Result<ColumnValue, Error> {
        match self {
            Self::Values(column) => column.value(place),
            Self::Names(_, names, _) => {
                let name = usize::try_from(place).ok().and_then(|place| names.get(place)).cloned();
                name.map(ColumnValue::Text).ok_or_else(|| Error::Failed("a name is missing".to_owned()))
            }
            Self::Empty => Err(Error::Failed("a column without values".to_owned())),
        }
    }
}

/// A filter as it applies to one segment.
struct SegmentFilter {
    /// `None` when no record of the segment has a value.
    column: Option<SegmentColumn>,
    test: SegmentTest,
    negated: bool,
}

enum SegmentTest {
    Present,
    Within(Vec<RangeInclusive<u64>>),
    /// Whether the value at each place passes.
    OneOf(Vec<bool>),
}

impl SegmentFilter {
    fn new(segment: &Segment, filter: &ColumnFilter, docs: &[DocId]) -> Result<Self, Error> {
        let column = SegmentColumn::open(segment, &filter.column)?;
        let test = match (&filter.test, &column) {
            (ColumnTest::Present, _) | (_, None) => SegmentTest::Present,
            (ColumnTest::Within(ranges), Some(column)) => {
                let ranges = ranges.iter().filter_map(|range| column.range(range).transpose());
                SegmentTest::Within(ranges.collect::<Result<_, _>>()?)
            }
            (ColumnTest::Contains(needles), Some(column)) => SegmentTest::OneOf(column.containing(docs, needles)?),
            (ColumnTest::Except(texts), Some(column)) => {
                let is_other = |text: &[u8]| std::str::from_utf8(text).is_ok_and(|text| !texts.contains(text));
                SegmentTest::OneOf(column.passing(docs, is_other)?)
            }
        };
        Ok(Self { column, test, negated: filter.negated })
    }

    /// Removes the records that do not pass.
    fn narrow(&self, docs: &mut Vec<DocId>) {
        let Some(SegmentColumn { values, .. }) = &self.column else {
            if !self.negated {
                docs.clear();
            }
            return;
        };
        docs.retain(|doc| {
            let mut values = values.values_for_doc(*doc);
            let fits = match &self.test {
                SegmentTest::Present => values.next().is_some(),
                SegmentTest::Within(ranges) => values.any(|place| ranges.iter().any(|range| range.contains(&place))),
                SegmentTest::OneOf(passes) => values.any(|place| passes.get(index_of(place)) == Some(&true)),
            };
            fits != self.negated
        });
    }
}

/// Returns the documents of a kind in a segment.
fn docs_of(segment: &Segment, terms: &Terms, kind: &str) -> Result<Vec<DocId>, Error> {
    let mut docs = Vec::new();
    segment.with_name(&terms.kind(kind), |block| {
        docs.extend(block.iter().copied().filter(|doc| segment.is_alive(*doc)));
    })?;
    Ok(docs)
}

/// Returns the scopes that the records of a kind have.
fn scopes_of(snapshot: &Snapshot, terms: &Terms, kind: &str) -> Result<BTreeSet<SearchScope>, Error> {
    let mut scopes = BTreeSet::new();
    for segment in &snapshot.segments {
        let Some(column) = SegmentColumn::open(segment, &scope_column())? else { continue };
        let Some(dictionary) = &column.dictionary else { continue };
        let places = column.places(&docs_of(segment, terms, kind)?);
        dictionary.sorted_ords_to_term_cb(&places, |value| {
            scopes.extend(std::str::from_utf8(value).ok().and_then(read_scope));
        })?;
    }
    Ok(scopes)
}

/// The column with the scope of a document.
fn scope_column() -> ColumnName {
    ColumnName { name: SCOPE_COLUMN.to_owned(), is_number: false }
}

/// Selects the records of a list, segment by segment.
struct Selector<'a> {
    selection: &'a ColumnSelection,
    terms: &'a Terms,
    scopes: ReadScopes,
    /// What matches the words, if there are words.
    matching: Option<Matching>,
}

impl<'a> Selector<'a> {
    fn new(
        snapshot: &Snapshot,
        (terms, scope): (&'a Terms, Option<SearchScope>),
        selection: &'a ColumnSelection,
    ) -> Result<Self, Error> {
        let matching = match &selection.words {
            None => None,
            Some(words) => {
                let mut all = vec![*terms];
                let scopes = if selection.every_scope {
                    scopes_of(snapshot, terms, selection.kind)?
                } else {
                    scope.into_iter().collect()
                };
                all.extend(scopes.into_iter().map(|scope| Terms::in_scope(terms.tenant(), Some(scope))));
                Some(Matching::of(snapshot, &all, words, selection.kind)?)
            }
        };
        Ok(Self { selection, terms, scopes: ReadScopes::of(selection, scope), matching })
    }

    /// Whether records that may match the words are left out.
    fn lacks_some(&self) -> bool {
        self.matching.as_ref().is_some_and(|matching| matching.lacks_some)
    }

    /// Returns the selected records of a segment.
    fn select(&mut self, segment: &Segment) -> Result<Vec<DocId>, Error> {
        let mut docs = match &mut self.matching {
            Some(matching) => matching.take(segment),
            None => docs_of(segment, self.terms, self.selection.kind)?,
        };
        self.scopes.narrow(segment, &mut docs)?;
        if let Some(among) = &self.selection.among {
            docs.retain(|doc| among.contains(&segment.id(*doc)));
        }
        for filter in &self.selection.filters {
            if docs.is_empty() {
                break;
            }
            SegmentFilter::new(segment, filter, &docs)?.narrow(&mut docs);
        }
        Ok(docs)
    }
}

/// The records of a list in one segment.
struct SegmentRows<'a> {
    segment: &'a Segment,
    docs: Vec<DocId>,
    order: SortColumn,
}

impl<'a> SegmentRows<'a> {
    fn open_all(
        snapshot: &'a Snapshot,
        of: (&Terms, Option<SearchScope>),
        query: &ColumnQuery,
        name_of: Option<NameOf<'_>>,
    ) -> Result<(Vec<Self>, bool), Error> {
        let mut selector = Selector::new(snapshot, of, &query.selection)?;
        let mut all = Vec::with_capacity(snapshot.segments.len());
        for segment in &snapshot.segments {
            let docs = selector.select(segment)?;
            if !docs.is_empty() {
                let order = SortColumn::open(segment, &query.sort, &docs, name_of)?;
                all.push(Self { segment, docs, order });
            }
        }
        Ok((all, selector.lacks_some()))
    }

    /// Adds the first records after the place where the page begins, one more than the page has.
    fn collect(
        &self,
        descending: bool,
        after: Option<&RowPlace>,
        limit: usize,
        rows: &mut Vec<RowPlace>,
    ) -> Result<(), Error> {
        let begin = begin(&self.order, descending, after)?;
        let mut first: BinaryHeap<SortKey> = BinaryHeap::new();
        let keep = limit + 1;
        for doc in &self.docs {
            let value = self.order.place_of(*doc, descending);
            let place = value.map_or((true, 0), |value| (false, if descending { !value } else { value }));
            if first.len() >= keep && first.peek().is_some_and(|last| last.place < place) {
                continue;
            }
            let key = SortKey { place, id: self.segment.id(*doc), doc: *doc };
            if begin.as_ref().is_some_and(|begin| !begin.is_before(&key)) {
                continue;
            }
            first.push(key);
            if first.len() > keep {
                first.pop();
            }
        }
        for SortKey { place: (is_missing, place), id, .. } in first {
            let place = if descending { !place } else { place };
            let value = if is_missing { None } else { Some(self.order.value(place)?) };
            rows.push(RowPlace { value, id });
        }
        Ok(())
    }
}

/// Returns a page of a list.
fn page(
    segments: &[SegmentRows<'_>],
    query: &ColumnQuery,
    after: Option<&RowPlace>,
    limit: usize,
) -> Result<Rows, Error> {
    let mut rows = Rows::default();
    for segment in segments {
        segment.collect(query.descending, after, limit, &mut rows.rows)?;
        rows.total += segment.docs.len() as u64;
    }
    rows.rows.sort_by(|a, b| compare(a, b, query.descending));
    rows.has_more = rows.rows.len() > limit;
    rows.rows.truncate(limit);
    Ok(rows)
}

/// The scopes whose records a list has.
enum ReadScopes {
    /// The reader's own, if any.
    One(Option<SearchScope>),
    /// All. A record has a document for each of its scopes: these are the ids of those that the list has already.
    Every(HashSet<[u8; 16]>),
}

impl ReadScopes {
    fn of(selection: &ColumnSelection, scope: Option<SearchScope>) -> Self {
        if selection.every_scope { Self::Every(HashSet::new()) } else { Self::One(scope) }
    }

    /// Leaves out the documents of records of other scopes, or all but one of each record.
    fn narrow(&mut self, segment: &Segment, docs: &mut Vec<DocId>) -> Result<(), Error> {
        let Some(column) = SegmentColumn::open(segment, &scope_column())? else { return Ok(()) };
        match self {
            Self::Every(known) => {
                docs.retain(|doc| column.values.first(*doc).is_none() || known.insert(segment.id(*doc)));
            }
            Self::One(scope) => {
                let own = scope.map(|scope| column.place(&ColumnValue::Text(scope_value(scope)))).transpose()?;
                let own = own.filter(|(_, exact)| *exact).map(|(place, _)| place);
                docs.retain(|doc| column.values.first(*doc).is_none_or(|scope| Some(scope) == own));
            }
        }
        Ok(())
    }
}

/// The sort key of a record within a segment: whether it has no value, then the place of the value, then the id.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct SortKey {
    place: (bool, u64),
    id: [u8; 16],
    doc: DocId,
}

/// Where a page begins within a segment.
enum Begin {
    /// After this value and id.
    After((bool, u64), [u8; 16]),
    /// With this value.
    With((bool, u64)),
}

impl Begin {
    fn is_before(&self, key: &SortKey) -> bool {
        match self {
            Self::After(place, id) => (key.place, key.id) > (*place, *id),
            Self::With(place) => key.place >= *place,
        }
    }
}

fn begin(order: &SortColumn, descending: bool, after: Option<&RowPlace>) -> Result<Option<Begin>, Error> {
    let Some(after) = after else { return Ok(None) };
    let missing = (true, 0);
    Ok(Some(match &after.value {
        None => Begin::After(missing, after.id),
        Some(_) if order.is_empty() => Begin::With(missing),
        Some(value) => match (order.place(value)?, descending) {
            ((place, true), false) => Begin::After((false, place), after.id),
            ((place, true), true) => Begin::After((false, !place), after.id),
            ((place, false), false) => Begin::With((false, place)),
            ((0, false), true) => Begin::With(missing),
            ((place, false), true) => Begin::With((false, !(place - 1))),
        },
    }))
}
