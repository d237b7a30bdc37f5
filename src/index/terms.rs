//! Index terms, called names in the code. Every term begins with its tenant; the term of a word in a search scope
//! (`circle`) continues with that scope. Only this module builds terms, so that no search can address the records of
//! another tenant or scope.

use super::analyse::{beginning, each_word, grams, is_listed, parts_of_keyword};
use crate::kernel::text::fold;
use crate::kernel::{Document, FieldText, SearchScope, TenantId};

/// Word beginnings of up to this many characters have terms of their own; longer ones are looked up by a range scan
/// over the words.
pub(super) const MAX_BEGINNING: usize = 3;

const MAX_TITLE_CHARS: usize = 1_000;
const MAX_KEYWORDS: usize = 100;
const MAX_KEYWORD_CHARS: usize = 200;
const MAX_BODY_CHARS: usize = 200_000;

/// The field of a record in which a word stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// Name or title.
    Title,
    /// Subtitle and keywords.
    Secondary,
    Body,
}

impl Place {
    pub const ALL: [Place; 3] = [Place::Title, Place::Secondary, Place::Body];

    fn word_class(self) -> u8 {
        match self {
            Place::Title => b'T',
            Place::Secondary => b'S',
            Place::Body => b'B',
        }
    }

    fn beginning_class(self) -> u8 {
        self.word_class().to_ascii_lowercase()
    }
}

const GRAM: u8 = b'g';
const KIND: u8 = b'k';
const RECORD: u8 = b'r';
/// Separates a tenant from a scope in a term; not a class of terms.
const SCOPE_SEPARATOR: u8 = b'c';

/// Builds the terms of a tenant's common records, or of one scope in it, never of both.
#[derive(Clone, Copy, Debug)]
pub(super) struct Terms {
    tenant: TenantId,
    circle: Option<SearchScope>,
}

impl Terms {
    pub fn of(tenant: TenantId) -> Terms {
        Terms { tenant, circle: None }
    }

    pub fn in_scope(tenant: TenantId, circle: Option<SearchScope>) -> Terms {
        Terms { tenant, circle }
    }

    pub fn tenant(&self) -> TenantId {
        self.tenant
    }

    pub fn scope(&self) -> Option<SearchScope> {
        self.circle
    }

    /// Returns the bytes of tenant and scope, which are unique to them.
    pub fn owner_bytes(&self) -> Vec<u8> {
        let circle = self.circle.iter().flat_map(|circle| *circle.as_bytes());
        self.tenant.as_bytes().iter().copied().chain(circle).collect()
    }

    /// Builds a term; all others go through it.
    fn name(&self, circle: Option<SearchScope>, class: u8, rest: &[&[u8]]) -> Vec<u8> {
        let mut name = Vec::with_capacity(34 + rest.iter().map(|part| part.len()).sum::<usize>());
        name.extend_from_slice(self.tenant.as_bytes());
        if let Some(circle) = circle {
            name.push(SCOPE_SEPARATOR);
            name.extend_from_slice(circle.as_bytes());
        }
        name.push(class);
        for part in rest {
            name.extend_from_slice(part);
        }
        name
    }

    /// The term of a whole word, and the prefix of the terms of all longer words that begin with it.
    pub fn word(&self, place: Place, word: &str) -> Vec<u8> {
        self.name(self.circle, place.word_class(), &[word.as_bytes()])
    }

    /// The term of a word's beginning, of at most [`MAX_BEGINNING`] characters.
    pub fn beginning(&self, place: Place, beginning: &str) -> Vec<u8> {
        self.name(self.circle, place.beginning_class(), &[beginning.as_bytes()])
    }

    /// The term of three consecutive characters in a keyword.
    pub fn gram(&self, gram: &str) -> Vec<u8> {
        self.name(self.circle, GRAM, &[gram.as_bytes()])
    }

    /// The term of all records of a kind, in any scope. Finds nothing by itself; it serves to delete them.
    pub fn kind(&self, kind: &str) -> Vec<u8> {
        self.name(None, KIND, &[kind.as_bytes()])
    }

    /// The term of one record, in any scope.
    pub fn record(&self, kind: &str, id: &[u8; 16]) -> Vec<u8> {
        self.name(None, RECORD, &[kind.as_bytes(), &[0], id])
    }

    /// Returns all terms of a document and the parts of its keywords. Texts are read up to a limit far above common
    /// lengths, so that one record cannot fill the index.
    pub fn of_document(&self, document: &Document) -> (Vec<Vec<u8>>, Vec<String>) {
        let mut names = vec![self.record(document.kind, &document.id), self.kind(document.kind)];
        self.add_words(&mut names, Place::Title, &document.title, MAX_TITLE_CHARS, |_| true);
        for text in &document.subtitle {
            self.add_words(&mut names, Place::Secondary, &text.text, MAX_TITLE_CHARS, |_| true);
        }
        let mut parts = Vec::new();
        for FieldText { text: keyword, .. } in document.keywords.iter().take(MAX_KEYWORDS) {
            self.add_words(&mut names, Place::Secondary, keyword, MAX_KEYWORD_CHARS, is_listed);
            let keyword: String = keyword.chars().take(MAX_KEYWORD_CHARS).collect();
            parts.extend(parts_of_keyword(&fold(&keyword)));
        }
        for part in &parts {
            names.extend(grams(part).into_iter().map(|gram| self.gram(gram)));
        }
        let mut left = MAX_BODY_CHARS;
        for text in &document.body {
            self.add_words(&mut names, Place::Body, &text.text, left, |_| true);
            left = left.saturating_sub(text.text.chars().count());
        }
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
