//! The names under which the index keeps what it knows. Every name begins with its company, and that of a word
//! in what belongs to a circle goes on with the circle. This is the only place that makes one, so that no search
//! can ask for what belongs to others.

use super::analyse::{beginning, each_word, grams, is_listed, parts_of_keyword};
use crate::kernel::text::fold;
use crate::kernel::{Document, SearchScope, TenantId};

/// Beginnings of up to this many characters have a name of their own; longer ones are few enough to be
/// looked up word by word.
pub(super) const MAX_BEGINNING: usize = 3;

const MAX_TITLE_CHARS: usize = 1_000;
const MAX_KEYWORDS: usize = 100;
const MAX_KEYWORD_CHARS: usize = 200;
const MAX_BODY_CHARS: usize = 200_000;

/// Where in a record a word stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// Its name or title.
    Title,
    /// What stands beside the title, and its keywords.
    Beside,
    Body,
}

impl Place {
    pub const ALL: [Place; 3] = [Place::Title, Place::Beside, Place::Body];

    fn words(self) -> u8 {
        match self {
            Place::Title => b'T',
            Place::Beside => b'S',
            Place::Body => b'B',
        }
    }

    fn beginnings(self) -> u8 {
        self.words().to_ascii_lowercase()
    }
}

const GRAM: u8 = b'g';
const KIND: u8 = b'k';
const RECORD: u8 = b'r';
/// What stands between a company and a circle of it; no class of names.
const CIRCLE: u8 = b'c';

/// The names of what belongs to all of one company, or to one circle of it: never of both.
#[derive(Clone, Copy, Debug)]
pub(super) struct Terms {
    tenant: TenantId,
    circle: Option<SearchScope>,
}

impl Terms {
    pub fn of(tenant: TenantId) -> Terms {
        Terms { tenant, circle: None }
    }

    pub fn within(tenant: TenantId, circle: Option<SearchScope>) -> Terms {
        Terms { tenant, circle }
    }

    pub fn tenant(&self) -> TenantId {
        self.tenant
    }

    /// The bytes of company and circle: what belongs to others never has the same.
    pub fn whose(&self) -> Vec<u8> {
        let circle = self.circle.iter().flat_map(|circle| *circle.as_bytes());
        self.tenant.as_bytes().iter().copied().chain(circle).collect()
    }

    /// The one function that makes a name.
    fn name(&self, circle: Option<SearchScope>, class: u8, rest: &[&[u8]]) -> Vec<u8> {
        let mut name = Vec::with_capacity(34 + rest.iter().map(|part| part.len()).sum::<usize>());
        name.extend_from_slice(self.tenant.as_bytes());
        if let Some(circle) = circle {
            name.push(CIRCLE);
            name.extend_from_slice(circle.as_bytes());
        }
        name.push(class);
        for part in rest {
            name.extend_from_slice(part);
        }
        name
    }

    /// A whole word; also what all longer words beginning with it begin with.
    pub fn word(&self, place: Place, word: &str) -> Vec<u8> {
        self.name(self.circle, place.words(), &[word.as_bytes()])
    }

    /// The beginning of a word, of at most [`MAX_BEGINNING`] characters.
    pub fn beginning(&self, place: Place, beginning: &str) -> Vec<u8> {
        self.name(self.circle, place.beginnings(), &[beginning.as_bytes()])
    }

    /// Three characters in a row in a keyword.
    pub fn gram(&self, gram: &str) -> Vec<u8> {
        self.name(self.circle, GRAM, &[gram.as_bytes()])
    }

    /// All records of a kind, in whatever circle: finds nothing by itself, but lets them be forgotten.
    pub fn kind(&self, kind: &str) -> Vec<u8> {
        self.name(None, KIND, &[kind.as_bytes()])
    }

    /// One record, in whatever circle.
    pub fn record(&self, kind: &str, id: &[u8; 16]) -> Vec<u8> {
        self.name(None, RECORD, &[kind.as_bytes(), &[0], id])
    }

    /// All names under which a document is found, and the parts of its keywords. Texts are read up to a
    /// limit far above what people write, so that one record cannot fill the index.
    pub fn of_document(&self, document: &Document) -> (Vec<Vec<u8>>, Vec<String>) {
        let mut names = vec![self.record(document.kind, &document.id), self.kind(document.kind)];
        self.add_words(&mut names, Place::Title, &document.title, MAX_TITLE_CHARS, |_| true);
        if let Some(subtitle) = &document.subtitle {
            self.add_words(&mut names, Place::Beside, subtitle, MAX_TITLE_CHARS, |_| true);
        }
        let mut parts = Vec::new();
        for keyword in document.keywords.iter().take(MAX_KEYWORDS) {
            self.add_words(&mut names, Place::Beside, keyword, MAX_KEYWORD_CHARS, is_listed);
            let keyword: String = keyword.chars().take(MAX_KEYWORD_CHARS).collect();
            parts.extend(parts_of_keyword(&fold(&keyword)));
        }
        for part in &parts {
            names.extend(grams(part).into_iter().map(|gram| self.gram(gram)));
        }
        self.add_words(&mut names, Place::Body, &document.body, MAX_BODY_CHARS, |_| true);
        names.sort_unstable();
        names.dedup();
        (names, parts)
    }

    fn add_words(
        &self,
        names: &mut Vec<Vec<u8>>,
        place: Place,
        text: &str,
        limit: usize,
        listed: impl Fn(&str) -> bool,
    ) {
        let text = text.char_indices().nth(limit).map_or(text, |(at, _)| &text[..at]);
        each_word(&fold(text), |word| {
            if listed(word) {
                names.push(self.word(place, word));
            }
            for chars in 1..=MAX_BEGINNING {
                if let Some(beginning) = beginning(word, chars) {
                    names.push(self.beginning(place, beginning));
                }
            }
        });
    }
}
