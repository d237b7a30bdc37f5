//! Compares the index with a slow search that examines every record: the same records, in the same order.

use std::collections::BTreeMap;

use super::*;
use crate::kernel::text::fold;

const TITLE_WEIGHTS: (u32, u32, u32) = (12, 9, 7);
const SECONDARY_WEIGHTS: (u32, u32, u32) = (6, 5, 3);
const BODY_WEIGHTS: (u32, u32, u32) = (3, 2, 1);
const PART_WEIGHT: u32 = 4;

/// Splits a text into words, as far as the names in these tests need it.
fn split_words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    for word in fold(text).split(|c: char| !c.is_alphanumeric() && c != '\'') {
        words.extend(word.split('\'').map(str::to_owned));
        words.push(word.replace('\'', ""));
    }
    words.retain(|word| !word.is_empty());
    words
}

/// Whether the words differ by at most one letter wrong, missing, extra, or two swapped.
fn similar(a: &[char], b: &[char]) -> bool {
    if a == b {
        return true;
    }
    let same = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    let a = &a[same..];
    let b = &b[same..];
    let rest = |word: &[char], from: usize| word.get(from..).map(<[char]>::to_vec);
    rest(a, 1).is_some_and(|a| Some(a) == rest(b, 1))
        || rest(a, 1).is_some_and(|a| a == b)
        || rest(b, 1).is_some_and(|b| a == b)
        || (a.len() > 1 && b.len() > 1 && a[0] == b[1] && a[1] == b[0] && a[2..] == b[2..])
}

fn is_similar(typed: &str, word: &str, prefix: bool) -> bool {
    let (typed, word): (Vec<char>, Vec<char>) = (typed.chars().collect(), word.chars().collect());
    if prefix { (0..=word.len()).any(|end| similar(&typed, &word[..end])) } else { similar(&typed, &word) }
}

/// Words, and whether the index lists them.
type Listed = Vec<(String, bool)>;

/// A record with its words split.
struct Known {
    document: Document,
    /// The words of title, subtitle with keywords, and body; whether they are listed; and their weights.
    places: [(Listed, (u32, u32, u32)); 3],
    parts: Vec<String>,
}

impl Known {
    fn new(document: Document) -> Known {
        let all = |text: &str| split_words(text).into_iter().map(|word| (word, true)).collect::<Vec<_>>();
        let mixed = |word: &str| word.chars().any(char::is_numeric) && word.chars().any(char::is_alphabetic);
        let mut beside = all(&document.second_line().unwrap_or_default());
        let mut parts = Vec::new();
        for FieldText { text: keyword, .. } in &document.keywords {
            // Names with numbers in keywords are listed by their first three letters only.
            beside.extend(split_words(keyword).into_iter().map(|word| (word.clone(), !mixed(&word))));
            let digits = keyword.chars().filter(char::is_ascii_digit).collect();
            parts.push(if keyword.contains('@') { fold(keyword) } else { digits });
        }
        let body: String = document.body.iter().map(|text| text.text.as_str()).collect();
        let places = [(all(&document.title), TITLE_WEIGHTS), (beside, SECONDARY_WEIGHTS), (all(&body), BODY_WEIGHTS)];
        Known { document, places, parts }
    }

    /// Returns the weight of a word in each stage.
    fn weigh(&self, word: &str, prefix: bool) -> [u32; 4] {
        let mut exact = 0;
        let mut title = 0;
        let mut forgiving = 0;
        let chars = word.chars().count();
        for (place, (words, (whole, beginning, error))) in self.places.iter().enumerate() {
            for (found, listed) in words {
                if found == word && *listed {
                    exact = exact.max(*whole);
                } else if prefix && found.starts_with(word) && (*listed || chars <= 3) {
                    exact = exact.max(*beginning);
                }
                let fuzzy_word = match chars {
                    0..4 => false,
                    4 => found.chars().count() >= 5 && is_similar(word, found, false),
                    _ => is_similar(word, found, prefix),
                };
                if *listed && fuzzy_word && !word.chars().any(char::is_numeric) {
                    forgiving = forgiving.max(*error);
                }
            }
            title = if place == 0 { exact } else { title };
        }
        let part = if chars >= 3 && self.parts.iter().any(|part| part.contains(word)) { PART_WEIGHT } else { 0 };
        [title, exact, exact.max(part), exact.max(part).max(forgiving)]
    }
}

fn search(records: &BTreeMap<u64, Known>, group: Heading, typed: &str, limit: usize) -> Vec<(u32, [u8; 16])> {
    let typed: Vec<String> = fold(typed).split_whitespace().map(|word| word.replace('\'', "")).collect();
    let mut found: Vec<(u32, [u8; 16])> = Vec::new();
    for (way, rank) in [3_000, 2_000, 1_000, 0].into_iter().enumerate() {
        if found.len() >= if way == 3 { limit.min(5) } else { limit } {
            break;
        }
        let mut more = Vec::new();
        for known in records.values().filter(|known| known.document.group == group) {
            let weights = typed.iter().enumerate().map(|(at, word)| known.weigh(word, at + 1 == typed.len())[way]);
            let weights: Vec<u32> = weights.collect();
            let Document { id, at, .. } = known.document;
            if weights.iter().all(|weight| *weight > 0) && found.iter().all(|(_, other)| *other != id) {
                more.push((rank + weights.iter().sum::<u32>(), at, id));
            }
        }
        more.sort_by_key(|(score, at, _)| std::cmp::Reverse((*score, *at)));
        found.extend(more.into_iter().map(|(score, _, id)| (score, id)).take(limit - found.len()));
    }
    found
}

#[test]
fn search_agrees_with_a_scan_of_every_record() {
    let test_index = TestIndex::new();
    let index = test_index.engine.tenant(tenant(1));
    let mut dice = Dice(7);
    let mut records: BTreeMap<u64, Known> = BTreeMap::new();
    let mut seq = 0;
    let mut at = 0;
    let mut compared = 0;
    for _ in 0..12 {
        let mut entries = Vec::new();
        for _ in 0..=dice.roll(40) {
            let number = dice.roll(150) as u64;
            if dice.roll(4) == 0
                && let Some(known) = records.remove(&number)
            {
                entries.push(removed(tenant(1), &known.document));
                continue;
            }
            // A record never changes its kind, but its words and its time.
            let mut document = random_document(&mut dice, number);
            if let Some(Known { document: before, .. }) = records.get(&number) {
                (document.group, document.kind) = (before.group, before.kind);
            }
            at += 1;
            document.at = at;
            records.insert(number, Known::new(document.clone()));
            entries.push(entry(tenant(1), document.clone()));
            // Another tenant's records, which must not be found.
            entries.push(entry(tenant(2), document));
        }
        seq += 1;
        test_index.engine.apply(entries, seq).unwrap();
        test_index.engine.commit().unwrap();
        for _ in 0..25 {
            let typed = random_query(&mut dice);
            // Addresses and several consecutive numbers have tests of their own.
            let digits = typed.split_whitespace().filter(|word| word.bytes().all(|b| b.is_ascii_digit())).count();
            if typed.contains('@') || digits > 1 || typed.trim().chars().count() < 2 {
                continue;
            }
            for limit in [3, 20] {
                for group in Heading::ALL {
                    let hits = index.find(&typed, &[group], limit).pop().map(|(_, hits)| hits).unwrap_or_default();
                    let hits: Vec<_> = hits.into_iter().map(|hit| (hit.score, hit.id)).collect();
                    assert_eq!(hits, search(&records, group, &typed, limit), "{typed:?} in {group:?}");
                    compared += hits.len();
                }
            }
        }
    }
    assert!(compared > 500, "only {compared} hits compared");
}
