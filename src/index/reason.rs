//! Why a record was found: the text that has what its title lacks. It is read from the record's present document with
//! the analysis of the index, so it agrees with what a search matches, except that typing errors are not looked for.

use std::borrow::Cow;

use super::analyse::{Clause, Plan, each_word, pairs, parts_of_keyword, plan};
use crate::kernel::{
    Document, FieldText,
    text::{excerpt, fold},
};

/// Maximum characters of a reason, without the dots at its ends.
const REASON_CHARS: usize = 120;
/// Characters of a reason before the match. Few, so that narrow screens show the match.
const CHARS_BEFORE_MATCH: usize = 16;

/// The text by which a record was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reason {
    /// The name of its field.
    pub field: Cow<'static, str>,
    /// The part of the text around the first match.
    pub text: String,
}

/// Finds the reasons of the hits of one query.
#[derive(Debug)]
pub struct Reasons {
    plan: Plan,
}

/// Returns where a match begins in a piece without spaces: in Chinese or Japanese it can be as long as the text.
fn place_in(piece: &str, clauses: &[(u32, &Clause)]) -> usize {
    let has_word = |pair: &&str| {
        let folded = fold(pair);
        clauses.iter().flat_map(|(_, clause)| &clause.words).any(|word| folded.contains(&word.text))
    };
    let is_long = piece.len() > REASON_CHARS;
    let found = if is_long { pairs(piece).find(has_word) } else { None };
    found.map_or(0, |pair| pair.as_ptr() as usize - piece.as_ptr() as usize)
}

/// What a text has of a query.
#[derive(Default)]
struct Matches {
    /// The clauses that it matches, one bit each.
    clauses: u32,
    /// Where its first matching word is.
    at: Option<usize>,
}

impl Reasons {
    /// Prepares the search for the reasons of a query's hits.
    pub fn of(typed: &str) -> Reasons {
        Reasons { plan: plan(typed) }
    }

    /// Whether a title lacks a word of the query.
    pub fn are_needed(&self, title: &str) -> bool {
        self.lacking(title) != 0
    }

    /// Returns the clauses that a title does not match, one bit each.
    fn lacking(&self, title: &str) -> u32 {
        let all = self.plan.clauses.iter().fold(0, |bits: u32, _| bits << 1 | 1);
        all & !self.matches(title, false, all).clauses
    }

    /// Returns the text that matches most of the words that the title lacks; `None` when the title has every word, or
    /// when no text has any of the others. Takes time in proportion to the texts.
    pub fn find(&self, document: &Document) -> Option<Reason> {
        let lacking = self.lacking(&document.title);
        if lacking == 0 {
            return None;
        }
        let texts = document.subtitle.iter().map(|text| (text, false));
        let texts = texts.chain(document.keywords.iter().map(|text| (text, true)));
        let mut best: Option<(&FieldText, Matches)> = None;
        for (text, is_keyword) in texts.chain(document.body.iter().map(|text| (text, false))) {
            let found = self.matches(&text.text, is_keyword, lacking);
            let most = best.as_ref().map_or(0, |(_, most)| most.clauses.count_ones());
            if found.clauses.count_ones() > most {
                let has_all = found.clauses == lacking;
                best = Some((text, found));
                if has_all {
                    break;
                }
            }
        }
        let (FieldText { field, text }, found) = best?;
        let text = excerpt(text, found.at.unwrap_or(0), CHARS_BEFORE_MATCH, REASON_CHARS);
        Some(Reason { field: field.clone(), text })
    }

    /// Finds which of the wanted clauses a text matches. Keywords also match by any substring.
    fn matches(&self, text: &str, is_keyword: bool, wanted: u32) -> Matches {
        let mut matches = Matches::default();
        let clauses = self.plan.clauses.iter().enumerate().map(|(number, clause)| (1_u32 << number, clause));
        let clauses: Vec<(u32, &Clause)> = clauses.filter(|(bit, _)| wanted & bit != 0).collect();
        // The words of each clause that were seen, one bit each.
        let mut seen: Vec<u32> = vec![0; clauses.len()];
        for piece in text.split_whitespace() {
            let folded = fold(piece);
            let mut is_match = false;
            for ((bit, clause), seen) in clauses.iter().zip(&mut seen) {
                let before = *seen;
                each_word(&folded, |found| {
                    for (number, word) in clause.words.iter().enumerate() {
                        let is_word = found == word.text || word.prefix && found.starts_with(&word.text);
                        *seen |= u32::from(is_word) << number;
                    }
                });
                let address = clause.address();
                let needle = if is_keyword { clause.needle.as_ref() } else { address };
                let has_needle = needle.is_some_and(|needle| folded.contains(&needle.text));
                let counts_words = address.is_none_or(|address| !address.is_half_address());
                if has_needle || counts_words && seen.count_ones() as usize == clause.words.len() {
                    matches.clauses |= bit;
                }
                is_match |= has_needle || *seen != before;
            }
            if is_match && matches.at.is_none() {
                let of_piece = piece.as_ptr() as usize - text.as_ptr() as usize;
                matches.at = Some(of_piece + place_in(piece, &clauses));
            }
            if matches.clauses == wanted {
                return matches;
            }
        }
        if is_keyword {
            // A telephone number is one part, however it is written.
            let parts = parts_of_keyword(&fold(text));
            for (bit, clause) in clauses {
                if clause.needle.as_ref().is_some_and(|needle| needle.is_in(&parts)) {
                    matches.clauses |= bit;
                    matches.at = matches.at.or(Some(0));
                }
            }
        }
        matches
    }
}
