//! A read snapshot of the index as of one commit, unaffected by later writes.

use std::sync::Arc;

use tantivy::columnar::ColumnValues;
use tantivy::fastfield::FastFieldReaders;
use tantivy::postings::BlockSegmentPostings;
use tantivy::query::{DfaWrapper, FuzzyTermQuery};
use tantivy::schema::IndexRecordOption;
use tantivy::{DocId, InvertedIndexReader, Searcher, SegmentReader, Term};
use tantivy_fst::Automaton;

use super::Error;
use super::analyse::FuzzyWord;
use super::schema::{HitFields, ID_FIELD_NAMES, NAMES_FIELD, ORDER_FIELD_NAME, Position, id_of};
use super::terms::Terms;

/// Maximum number of words that a beginning, or a word with a typing error, may match in one segment and field.
const MAX_LONGER_WORDS: usize = 16_384;
const MAX_SIMILAR_WORDS: usize = 512;

pub(super) struct Snapshot {
    searcher: Searcher,
    pub segments: Vec<Segment>,
}

/// One segment of the index, with its columns and dictionaries opened once.
pub(super) struct Segment {
    number: u32,
    reader: SegmentReader,
    names: Arc<InvertedIndexReader>,
    order: Numbers,
    id: [Numbers; 2],
}

/// A number for each document; `None` when the segment has no such column.
type Numbers = Option<Arc<dyn ColumnValues<u64>>>;

fn numbers(reader: &SegmentReader, name: &str) -> Result<Numbers, Error> {
    Ok(reader.fast_fields().column_opt::<u64>(name)?.map(|column| column.values))
}

fn value(numbers: &Numbers, doc: DocId) -> u64 {
    numbers.as_ref().map_or(0, |numbers| numbers.get_val(doc))
}

impl Snapshot {
    pub fn new(searcher: Searcher) -> Result<Snapshot, Error> {
        let mut segments = Vec::new();
        for (number, reader) in (0..).zip(searcher.segment_readers()) {
            segments.push(Segment {
                number,
                names: reader.inverted_index(NAMES_FIELD)?,
                order: numbers(reader, ORDER_FIELD_NAME)?,
                id: [numbers(reader, ID_FIELD_NAMES[0])?, numbers(reader, ID_FIELD_NAMES[1])?],
                reader: reader.clone(),
            });
        }
        Ok(Snapshot { searcher, segments })
    }

    /// Returns the stored fields of a document, verified to belong to this tenant or scope.
    pub fn read_fields(&self, terms: &Terms, segment: u32, doc: DocId) -> Result<HitFields, Error> {
        let stored = self.searcher.doc(tantivy::DocAddress::new(segment, doc))?;
        HitFields::decode(terms, &stored)
    }

    /// Returns the number of documents.
    pub fn documents(&self) -> u64 {
        self.searcher.num_docs()
    }
}

/// A contiguous range of documents of a segment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Span {
    pub start: DocId,
    pub end: DocId,
}

impl Span {
    pub fn len(self) -> usize {
        self.end.saturating_sub(self.start) as usize
    }
}

impl Segment {
    pub fn number(&self) -> u32 {
        self.number
    }

    /// Returns the documents between two positions.
    pub fn span(&self, first: Position, end: Option<Position>) -> Span {
        let count = self.reader.max_doc();
        let start = self.first_at(first, 0, count);
        Span { start, end: end.map_or(count, |end| self.first_at(end, start, count)) }
    }

    /// Finds the first document at or after a position, by binary search.
    fn first_at(&self, position: Position, mut low: DocId, mut high: DocId) -> DocId {
        while low < high {
            let middle = low + (high - low) / 2;
            if self.position(middle) < position { low = middle + 1 } else { high = middle }
        }
        low
    }

    pub fn position(&self, doc: DocId) -> Position {
        Position(value(&self.order, doc))
    }

    /// Returns the id of a document's record.
    pub fn id(&self, doc: DocId) -> [u8; 16] {
        id_of([value(&self.id[0], doc), value(&self.id[1], doc)])
    }

    /// Returns the columns of the documents.
    pub fn columns(&self) -> &FastFieldReaders {
        self.reader.fast_fields()
    }

    pub fn is_alive(&self, doc: DocId) -> bool {
        !self.reader.is_deleted(doc)
    }

    /// Calls `found` with blocks of the documents that have this term.
    pub fn with_name(&self, name: &[u8], found: impl FnMut(&[DocId])) -> Result<bool, Error> {
        let Some(info) = self.names.terms().get(name)? else { return Ok(false) };
        let mut postings = self.names.read_block_postings_from_terminfo(&info, IndexRecordOption::Basic)?;
        each_block(&mut postings, found);
        Ok(true)
    }

    /// Calls `found` with blocks of the documents with a term that has this prefix, and whether the term equals the
    /// prefix.
    pub fn beginning_with(&self, beginning: &[u8], mut found: impl FnMut(bool, &[DocId])) -> Result<(), Error> {
        let mut end = beginning.to_vec();
        // UTF-8 has no byte 255: the last byte can always be raised.
        if let Some(last) = end.last_mut() {
            *last += 1;
        }
        let mut names = self.names.terms().range().ge(beginning).lt(end).into_stream()?;
        let mut postings = BlockSegmentPostings::empty();
        let mut left = MAX_LONGER_WORDS;
        while left > 0 && names.advance() {
            left -= 1;
            let exact = names.key().len() == beginning.len();
            self.names.reset_block_postings_from_terminfo(names.value(), &mut postings)?;
            each_block(&mut postings, |docs| found(exact, docs));
        }
        Ok(())
    }

    /// Calls `found` with blocks of the documents with a term that has the stem as prefix and continues with a similar
    /// word.
    pub fn similar_to(&self, stem: &[u8], similar: &Similar, mut found: impl FnMut(&[DocId])) -> Result<(), Error> {
        let after = AfterStem { stem, similar: &similar.automaton };
        let mut names = self.names.terms().search(after).into_stream()?;
        let mut postings = BlockSegmentPostings::empty();
        let mut left = MAX_SIMILAR_WORDS;
        while left > 0 && names.advance() {
            left -= 1;
            // Every byte except UTF-8 continuation bytes begins a character.
            let chars = names.key()[stem.len()..].iter().filter(|byte| **byte & 0xc0 != 0x80).count();
            if chars < similar.least {
                continue;
            }
            self.names.reset_block_postings_from_terminfo(names.value(), &mut postings)?;
            each_block(&mut postings, &mut found);
        }
        Ok(())
    }
}

/// Automaton of words with at most one letter wrong, missing, extra, or two swapped. Expensive to build, cheap to use.
pub(super) struct Similar {
    automaton: DfaWrapper,
    least: usize,
}

impl Similar {
    /// Accepts words similar to this one, and longer ones with a similar beginning if `prefix` is set.
    pub fn new(&FuzzyWord { word, prefix, least }: &FuzzyWord<'_>) -> Result<Similar, Error> {
        let word = Term::from_field_text(NAMES_FIELD, word);
        let query = if prefix { FuzzyTermQuery::new_prefix(word, 1, true) } else { FuzzyTermQuery::new(word, 1, true) };
        Ok(Similar { automaton: query.automaton()?, least })
    }
}

fn each_block(postings: &mut BlockSegmentPostings, mut found: impl FnMut(&[DocId])) {
    while !postings.docs().is_empty() {
        found(postings.docs());
        postings.advance();
    }
}

/// Accepts terms that begin with exactly the stem and continue as the other automaton accepts.
struct AfterStem<'a, A> {
    stem: &'a [u8],
    similar: &'a A,
}

#[derive(Clone)]
enum State<S> {
    Stem(usize),
    After(S),
    Never,
}

impl<A: Automaton> Automaton for AfterStem<'_, A> {
    type State = State<A::State>;

    fn start(&self) -> Self::State {
        if self.stem.is_empty() { State::After(self.similar.start()) } else { State::Stem(0) }
    }

    fn is_match(&self, state: &Self::State) -> bool {
        matches!(state, State::After(state) if self.similar.is_match(state))
    }

    fn can_match(&self, state: &Self::State) -> bool {
        match state {
            State::Stem(_) => true,
            State::After(state) => self.similar.can_match(state),
            State::Never => false,
        }
    }

    fn accept(&self, state: &Self::State, byte: u8) -> Self::State {
        match state {
            State::Stem(at) if self.stem.get(*at) != Some(&byte) => State::Never,
            State::Stem(at) if at + 1 == self.stem.len() => State::After(self.similar.start()),
            State::Stem(at) => State::Stem(at + 1),
            State::After(state) => State::After(self.similar.accept(state, byte)),
            State::Never => State::Never,
        }
    }
}
