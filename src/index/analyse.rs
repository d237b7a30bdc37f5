//! Text analysis for indexing and for queries: folding of accents and case, word splitting, and parsing of a query into
//! a short list of clauses. Indexing and searching share the folding, so they always agree.

use crate::kernel::text::fold;

/// Maximum number of query characters that are read; the rest is ignored.
pub const MAX_QUERY_CHARS: usize = 256;
/// Maximum number of query words that are read; the rest is ignored.
pub const MAX_QUERY_WORDS: usize = 16;
/// Minimum length of a query in characters; shorter queries find nothing.
pub const MIN_QUERY_CHARS: usize = 2;
/// Words are compared by their first 64 characters, which keeps index terms short.
const MAX_WORD_CHARS: usize = 64;
/// Minimum word length in characters from which one typing error is tolerated.
const FORGIVING_CHARS: usize = 5;
/// Length of a gram in characters, and so the shortest part of an e-mail address or telephone number that is found
/// inside it.
const GRAM: usize = 3;
/// Maximum number of digits of a number in a keyword that is indexed as a word; longer numbers are found by their
/// grams.
const MAX_LISTED_DIGITS: usize = 4;
/// Minimum number of digits of a phone number that is dialled with `00` before the country code.
const DIALLED_DIGITS: usize = 9;
/// Minimum number of digits that makes a keyword without letters a telephone number.
const MIN_PHONE_DIGITS: usize = 5;

fn clip(text: &str, chars: usize) -> &str {
    text.char_indices().nth(chars).map_or(text, |(at, _)| &text[..at])
}

/// Calls `found` with each word of a folded text. `o'brien` yields `o`, `brien` and `obrien`, so that every spelling
/// finds it. What is written without spaces yields every two characters, and the last one.
pub(super) fn each_word(folded: &str, mut found: impl FnMut(&str)) {
    for piece in folded.split(|c: char| !c.is_alphanumeric() && c != '\'') {
        if piece.contains('\'') {
            let parts = piece.split('\'').filter(|part| !part.is_empty());
            parts.clone().for_each(|part| each_word_of(part, &mut found));
            if parts.clone().nth(1).is_some() {
                each_word_of(&parts.collect::<String>(), &mut found);
            }
        } else if !piece.is_empty() {
            each_word_of(piece, &mut found);
        }
    }
}

fn each_word_of(piece: &str, found: &mut impl FnMut(&str)) {
    for run in runs(piece) {
        if is_unspaced(run) {
            pairs(run).for_each(&mut *found);
            run.char_indices().next_back().into_iter().for_each(|(last, _)| found(&run[last..]));
        } else {
            found(clip(run, MAX_WORD_CHARS));
        }
    }
}

/// Whether a letter belongs to a script that is written without spaces between words: Chinese, Japanese; or whose words are
/// put together, so that people search for a part: Korean, also divided into its letters.
const fn is_unspaced_letter(c: char) -> bool {
    matches!(c,
        '\u{1100}'..='\u{11ff}' | '\u{2e80}'..='\u{2fdf}' | '\u{3005}'..='\u{3007}' | '\u{3021}'..='\u{3029}'
        | '\u{3031}'..='\u{3035}' | '\u{3041}'..='\u{30ff}' | '\u{3105}'..='\u{31ff}' | '\u{3400}'..='\u{4dbf}'
        | '\u{4e00}'..='\u{9fff}' | '\u{a960}'..='\u{a97f}' | '\u{ac00}'..='\u{d7ff}' | '\u{f900}'..='\u{faff}'
        | '\u{20000}'..='\u{3ffff}')
}

/// Whether a run of [`runs`] is of a script that is written without spaces.
fn is_unspaced(run: &str) -> bool {
    run.chars().next().is_some_and(is_unspaced_letter)
}

/// Divides a word where a script that is written without spaces begins or ends.
fn runs(word: &str) -> impl Iterator<Item = &str> {
    let mut rest = word;
    std::iter::from_fn(move || {
        let first = rest.chars().next()?;
        let end = if rest.is_ascii() {
            rest.len()
        } else {
            let is_other = |c: char| is_unspaced_letter(c) != is_unspaced_letter(first);
            rest.find(is_other).unwrap_or(rest.len())
        };
        let (run, after) = rest.split_at(end);
        rest = after;
        Some(run)
    })
}

/// Returns every two characters of a text.
pub(super) fn pairs(text: &str) -> impl Iterator<Item = &str> {
    let ends = text.char_indices().skip(2).map(|(at, _)| at).chain([text.len()]);
    let starts = text.char_indices().map(|(at, _)| at);
    starts.zip(ends).map(|(start, end)| &text[start..end]).filter(|pair| pair.chars().nth(1).is_some())
}

/// Returns the first `chars` characters of a word, or `None` when the word is shorter.
pub(super) fn beginning(word: &str, chars: usize) -> Option<&str> {
    match word.char_indices().nth(chars) {
        Some((at, _)) => Some(&word[..at]),
        None if word.chars().count() == chars => Some(word),
        None => None,
    }
}

/// Splits a keyword into the parts that are found by any substring: all its digits when it is a telephone number,
/// otherwise its folded pieces between spaces.
pub(super) fn parts_of_keyword(folded: &str) -> Vec<String> {
    let digits: String = folded.chars().filter(char::is_ascii_digit).collect();
    if digits.len() >= MIN_PHONE_DIGITS && !folded.chars().any(char::is_alphabetic) {
        vec![digits]
    } else {
        folded.split_whitespace().map(str::to_owned).collect()
    }
}

/// Returns every run of three characters in a text.
pub(super) fn grams(text: &str) -> Vec<&str> {
    let mut starts: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
    starts.push(text.len());
    starts.windows(GRAM + 1).map(|window| &text[window[0]..window[GRAM]]).collect()
}

/// Returns the fewest grams that cover the whole text. They suffice for a lookup, since each hit is verified.
pub(super) fn covering_grams(text: &str) -> Vec<&str> {
    let all = grams(text);
    let mut some: Vec<&str> = all.iter().step_by(GRAM).chain(all.last()).copied().collect();
    some.sort_unstable();
    some.dedup();
    some
}

/// Whether a word of a keyword is also indexed as a word. Words that mix letters and digits, and long numbers, are
/// nearly all different: they are found by their grams and would only enlarge the term dictionary.
pub(super) fn is_listed(word: &str) -> bool {
    let digits = word.chars().filter(|c| c.is_numeric()).count();
    let chars = word.chars().count();
    digits == 0 || chars < GRAM || (digits == chars && chars <= MAX_LISTED_DIGITS)
}

/// A parsed query: all of its clauses must match.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Plan {
    pub clauses: Vec<Clause>,
}

/// One condition on a record: it has all of these words, or the needle occurs in one of its keywords.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Clause {
    pub words: Vec<Word>,
    pub needle: Option<Needle>,
}

impl Clause {
    /// Returns the needle of a single word, which may occur inside a keyword.
    pub fn substring_needle(&self) -> Option<&Needle> {
        self.needle.as_ref().filter(|needle| needle.kind == NeedleKind::Part)
    }

    /// Returns the needle of an address, or of a part of one.
    pub fn address(&self) -> Option<&Needle> {
        self.needle.as_ref().filter(|needle| needle.kind == NeedleKind::Address)
    }

    /// Returns the word to match with one typing error; `None` unless the clause is one word without digits that is
    /// long enough, and no address.
    pub fn fuzzy_word(&self) -> Option<FuzzyWord<'_>> {
        let [word] = self.words.as_slice() else { return None };
        if self.address().is_some() {
            return None;
        }
        let chars = word.text.chars().count();
        if chars + 1 < FORGIVING_CHARS || word.text.chars().any(char::is_numeric) {
            None
        } else if chars < FORGIVING_CHARS {
            Some(FuzzyWord { word: &word.text, prefix: false, least: FORGIVING_CHARS })
        } else {
            Some(FuzzyWord { word: &word.text, prefix: word.prefix, least: 0 })
        }
    }
}

/// A word that may have a typing error.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct FuzzyWord<'a> {
    pub word: &'a str,
    /// Whether the word may be the beginning of a longer one.
    pub prefix: bool,
    /// Minimum length of the intended word: a word of four characters can only be one of five with one missing.
    pub least: usize,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Word {
    pub text: String,
    /// Whether the word may be the beginning of a longer one: it is the last word, still being typed.
    pub prefix: bool,
}

/// A substring of an e-mail address, a telephone number or a tag, at least three characters long.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Needle {
    pub text: String,
    pub kind: NeedleKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NeedleKind {
    /// Typed with an `@`.
    Address,
    /// Several groups of digits that may be one telephone number written with other separators.
    Number,
    /// A single word that may occur inside a keyword.
    Part,
}

impl Needle {
    fn new(text: String, kind: NeedleKind) -> Option<Needle> {
        (text.chars().count() >= GRAM).then_some(Needle { text, kind })
    }

    /// Whether one of a record's keyword parts contains the needle.
    pub fn is_in(&self, parts: &[String]) -> bool {
        parts.iter().any(|part| part.contains(&self.text))
    }

    /// Whether it is what stands before or after the `@` of an address, with the `@`.
    pub fn is_half_address(&self) -> bool {
        self.kind == NeedleKind::Address && (self.text.starts_with('@') || self.text.ends_with('@'))
    }

    /// Whether the needle is exactly one gram: finding the gram proves the match.
    pub fn is_one_gram(&self) -> bool {
        self.text.chars().count() == GRAM
    }
}

/// Parses a query. All input is plain text: characters that are operators in the search library have no special
/// meaning. Work and result are bounded by [`MAX_QUERY_CHARS`] and [`MAX_QUERY_WORDS`].
pub(super) fn plan(typed: &str) -> Plan {
    // Cut before folding, so that a hostile query of a megabyte costs nothing.
    let typed: String = typed.chars().skip_while(|c| c.is_whitespace()).take(MAX_QUERY_CHARS).collect();
    if typed.trim_end().chars().count() < MIN_QUERY_CHARS {
        return Plan::default();
    }
    let folded = fold(&typed);
    let mut clauses: Vec<Clause> = Vec::new();
    let mut numbers: Vec<Word> = Vec::new();
    let mut left = MAX_QUERY_WORDS;
    for chunk in folded.split_whitespace() {
        let mut words: Vec<(Vec<Word>, String)> = Vec::new();
        for piece in chunk.split(|c: char| !c.is_alphanumeric() && c != '\'') {
            let joined: String = piece.chars().filter(|c| *c != '\'').collect();
            for run in runs(&joined) {
                let run = clip(run, MAX_WORD_CHARS);
                let has_pairs = is_unspaced(run) && run.chars().nth(1).is_some();
                let parts: Vec<&str> = if has_pairs { pairs(run).take(left).collect() } else { vec![run] };
                let parts = parts.into_iter().take(left);
                let of_run: Vec<Word> = parts.map(|text| Word { text: text.to_owned(), prefix: false }).collect();
                left -= of_run.len();
                if !of_run.is_empty() {
                    words.push((of_run, run.to_owned()));
                }
            }
        }
        if chunk.contains('@') {
            close_numbers(&mut numbers, &mut clauses);
            let address = chunk.trim_matches(|c: char| !c.is_alphanumeric() && c != '@');
            let needle = Needle::new(address.to_owned(), NeedleKind::Address);
            let words: Vec<Word> = words.into_iter().flat_map(|(words, _)| words).collect();
            if !words.is_empty() {
                clauses.push(Clause { words, needle });
            }
            continue;
        }
        for (words, text) in words {
            if text.bytes().all(|b| b.is_ascii_digit()) {
                numbers.extend(words);
            } else {
                close_numbers(&mut numbers, &mut clauses);
                clauses.push(Clause { words, needle: Needle::new(text, NeedleKind::Part) });
            }
        }
    }
    close_numbers(&mut numbers, &mut clauses);
    // Before an `@` a word is complete.
    let is_open = |clause: &&mut Clause| clause.address().is_none_or(|address| !address.text.ends_with('@'));
    if let Some(last) = clauses.last_mut().filter(is_open).and_then(|clause| clause.words.last_mut()) {
        last.prefix = true;
    }
    Plan { clauses }
}

/// Turns consecutive groups of digits into one clause: separate numbers, or one telephone number.
fn close_numbers(numbers: &mut Vec<Word>, clauses: &mut Vec<Clause>) {
    if numbers.is_empty() {
        return;
    }
    let words = std::mem::take(numbers);
    let kind = if words.len() > 1 { NeedleKind::Number } else { NeedleKind::Part };
    let joined: String = words.iter().map(|word| word.text.as_str()).collect();
    let digits = if joined.len() >= DIALLED_DIGITS { joined.strip_prefix("00") } else { None };
    clauses.push(Clause { needle: Needle::new(digits.unwrap_or(&joined).to_owned(), kind), words });
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Renders a plan: words, with `…` when they may continue, and needles in angle brackets.
    fn rendered_plan(typed: &str) -> String {
        let clause = |clause: &Clause| {
            let mut said: Vec<String> = clause
                .words
                .iter()
                .map(|word| format!("{}{}", word.text, if word.prefix { "…" } else { "" }))
                .collect();
            said.extend(clause.needle.as_ref().map(|needle| format!("<{}>", needle.text)));
            said.join(" ")
        };
        plan(typed).clauses.iter().map(clause).collect::<Vec<_>>().join(" & ")
    }

    #[test]
    fn splits_a_query_into_words_addresses_and_numbers() {
        assert_eq!(rendered_plan("José nu"), "jose <jose> & nu…");
        assert_eq!(rendered_plan("(ada@acme.ex) call"), "ada acme ex <ada@acme.ex> & call… <call>");
        assert_eq!(rendered_plan("p12@"), "p12 <p12@>");
        assert_eq!(rendered_plan("p12@ a"), "p12 <p12@> & a…");
        assert_eq!(rendered_plan("@acme.co"), "acme co… <@acme.co>");
        assert_eq!(rendered_plan("a@"), "a…");
        assert_eq!(rendered_plan("ada +34 600-555"), "ada <ada> & 34 600 555… <34600555>");
        assert_eq!(rendered_plan("0034 600 555"), "0034 600 555… <34600555>");
        assert_eq!(rendered_plan("1 2"), "1 2…");
        assert_eq!(rendered_plan("O’Brien's"), "obriens… <obriens>");
        assert_eq!(rendered_plan("a"), "");
        assert_eq!(rendered_plan(" \u{200b}()@ "), "");
    }

    #[test]
    fn splits_text_into_words_and_joins_words_at_apostrophes() {
        let mut found = Vec::new();
        each_word("o'brien-lee, 'quoted' l'aquila.x1", |word| found.push(word.to_owned()));
        assert_eq!(found, ["o", "brien", "obrien", "lee", "quoted", "l", "aquila", "laquila", "x1"]);
    }

    #[test]
    fn divides_what_is_written_without_spaces_into_pairs() {
        let words = |text: &str| {
            let mut found = Vec::new();
            each_word(&fold(text), |word| found.push(word.to_owned()));
            found
        };
        assert_eq!(words("東京都 iPhone手机。李"), ["東京", "京都", "都", "iphone", "手机", "机", "李"]);
        assert_eq!(words("カメラ"), ["カメ", "メラ", "ラ"]);
        assert_eq!(words("한국")[..2], ["\u{1112}\u{1161}", "\u{1161}\u{11ab}"]);
        assert_eq!(rendered_plan("東京都 co"), "東京 京都 <東京都> & co…");
        assert_eq!(rendered_plan("手机"), "手机…");
        assert_eq!(rendered_plan("a都"), "a & 都…");
    }

    #[test]
    fn covering_grams_cover_a_text_with_few_trigrams() {
        assert_eq!(grams("ñandú"), ["ñan", "and", "ndú"]);
        assert_eq!(grams("ab"), [""; 0]);
        assert_eq!(covering_grams("abcdefgh"), ["abc", "def", "fgh"]);
        assert_eq!(covering_grams("abc"), ["abc"]);
        assert_eq!(covering_grams("aaaaaa"), ["aaa"]);
    }

    #[test]
    fn phone_numbers_are_reduced_to_their_digits() {
        assert_eq!(parts_of_keyword("+34 600 555-012"), ["34600555012"]);
        assert_eq!(parts_of_keyword("key account"), ["key", "account"]);
        assert_eq!(parts_of_keyword("es 1234567x"), ["es", "1234567x"]);
    }
}
