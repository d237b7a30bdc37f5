//! Text normalization: safe links, folding for comparison, canonical e-mail addresses, and removal of hidden
//! characters.

use std::{borrow::Cow, ops::RangeInclusive};

use serde::Serializer;
use unicode_normalization::{IsNormalized, UnicodeNormalization, char::is_combining_mark, is_nfc_quick};

use super::i18n::Locale;

/// The length of a new password, in characters.
pub const PASSWORD_LENGTH: RangeInclusive<usize> = 12..=128;
/// Shortest passphrase for encrypted backups, in characters.
pub const SHORTEST_PASSPHRASE: usize = 12;

/// Escapes text for HTML.
pub fn escape(text: &str) -> String {
    ammonia::clean_text(text)
}

/// Whether `link` is a path inside the application: exactly one leading slash, no backslash, no control characters.
pub fn is_app_path(link: &str) -> bool {
    link.starts_with('/')
        && !link.starts_with("//")
        && link.len() <= 2_000
        && !link.contains('\\')
        && !link.chars().any(|c| c.is_control() || c.is_whitespace())
}

/// Whether `link` is a path for the application's router: from the root, or without the leading slash (`apps/mailbox`,
/// as in the specification's sample data) if its first segment contains no scheme.
pub fn is_router_path(link: &str) -> bool {
    let named = link.starts_with(|c: char| c.is_ascii_alphanumeric());
    let first = link.split(['/', '?', '#']).next().unwrap_or_default();
    is_app_path(link) || (named && !first.contains(':') && is_app_path(&format!("/{link}")))
}

/// Whether `link` is an absolute address with one of these schemes, by the WHATWG URL standard. Refuses `https:evil`,
/// `http:/evil` and `http:///evil`, which parse as addresses although people never mean them.
pub fn is_address(link: &str, schemes: &[&str]) -> bool {
    let is_web = link.get(..4).is_some_and(|start| start.eq_ignore_ascii_case("http"));
    is_parsed_address(link, schemes) && (!is_web || has_two_slashes(link))
}

/// The same, also with another number of slashes before the host: earlier versions kept such addresses. For values that a
/// record had before.
pub fn is_parsed_address(link: &str, schemes: &[&str]) -> bool {
    link.len() <= 2_000
        && !link.contains('\\')
        && !link.chars().any(|c| c.is_control() || c.is_whitespace())
        && url::Url::parse(link).is_ok_and(|url| {
            schemes.contains(&url.scheme()) && (!matches!(url.scheme(), "http" | "https") || url.has_host())
        })
}

fn has_two_slashes(link: &str) -> bool {
    let host = link.split_once(':').and_then(|(_, rest)| rest.strip_prefix("//"));
    host.is_some_and(|host| !host.starts_with('/'))
}

/// Completes the address of a website that was typed without a scheme, such as `acme.example` or `//acme.example`. Drops
/// further slashes, which earlier versions stored.
pub fn web_address(typed: &str) -> String {
    let typed = line(typed);
    let host = if typed.contains(':') { typed.strip_prefix("https:///") } else { Some(typed.as_str()) };
    match host.map(|host| host.trim_start_matches('/')).filter(|host| !host.is_empty()) {
        Some(host) => format!("https://{host}"),
        None => typed,
    }
}

/// Folds text for comparison, without accents and case, so that `José` equals `jose`: NFKD, marks and invisible
/// characters removed, special letters spelt out (`Straße` is `strasse`, `Ørsted` is `orsted`).
pub fn fold(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    // Of ASCII only the case changes, independent of its neighbours: most text takes this fast path.
    for piece in text.as_bytes().chunk_by(|a, b| a.is_ascii() == b.is_ascii()) {
        // Cut between whole characters, so it is text.
        let piece = std::str::from_utf8(piece).unwrap_or_default();
        if piece.is_ascii() {
            let start = folded.len();
            folded.push_str(piece);
            folded[start..].make_ascii_lowercase();
        } else {
            fold_letters(piece, &mut folded);
        }
    }
    folded
}

fn fold_letters(text: &str, folded: &mut String) {
    for c in text.nfkd().flat_map(char::to_lowercase) {
        match c {
            c if c.is_ascii() => folded.push(c),
            c if is_combining_mark(c) || is_invisible(c) => {}
            'ß' => folded.push_str("ss"),
            'æ' => folded.push_str("ae"),
            'œ' => folded.push_str("oe"),
            'ø' => folded.push('o'),
            'đ' | 'ð' => folded.push('d'),
            'ł' => folded.push('l'),
            'þ' => folded.push_str("th"),
            'ħ' => folded.push('h'),
            'ŧ' => folded.push('t'),
            'ı' => folded.push('i'),
            'ς' => folded.push('σ'),
            '’' | '‘' | 'ʼ' => folded.push('\''),
            c => folded.push(c),
        }
    }
}

/// Whether a character is invisible: direction marks, joiners, soft hyphens, byte order marks.
fn is_invisible(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

/// Returns the sort key of a name: without accents and case, except that Spanish sorts ñ as a letter of its own after
/// n.
pub fn sort_key(text: &str, locale: Locale) -> String {
    if locale.language() != Locale::ES.code() {
        return fold(text);
    }
    // A private-use character sorts after all that could follow an n.
    let marked: String =
        text.nfc().flat_map(|c| [c, '\u{E000}'].into_iter().take(1 + usize::from("ñÑ".contains(c)))).collect();
    fold(&marked)
}

/// Returns the canonical form of an e-mail address, or `None` if it is invalid: trimmed, composed (NFKC), lower-case,
/// with an IDNA domain. Different spellings of one address have the same canonical form.
pub fn email(address: &str) -> Option<String> {
    let address: String = address.trim().nfkc().flat_map(char::to_lowercase).collect();
    let (local, domain) = address.rsplit_once('@')?;
    let plausible = !local.is_empty()
        && local.len() <= 64
        && !local.starts_with('.')
        && !local.ends_with('.')
        && !local.contains("..")
        && local.chars().all(|c| c.is_alphanumeric() || "!#$%&'*+-/=?^_`{|}~.".contains(c));
    if !plausible || domain.ends_with('.') {
        return None;
    }
    let domain = idna::domain_to_ascii_strict(domain).ok()?;
    (domain.len() <= 253 && domain.contains('.')).then(|| format!("{local}@{domain}"))
}

/// Returns an e-mail address as people write it: with its domain in letters, not in IDNA's ASCII form.
pub fn shown_email(address: &str) -> Cow<'_, str> {
    // Faster than `contains` for a short text.
    let is_ascii_form = |domain: &str| domain.as_bytes().windows(4).any(|part| part == b"xn--");
    let Some((local, domain)) = address.rsplit_once('@').filter(|(_, domain)| is_ascii_form(domain)) else {
        return address.into();
    };
    match idna::domain_to_unicode(domain) {
        (letters, Ok(())) => format!("{local}@{letters}").into(),
        _ => address.into(),
    }
}

/// Returns an e-mail address as it is kept, and as people write it where that differs.
pub fn spellings_of_email(address: &str) -> impl Iterator<Item = String> + use<> {
    let shown = shown_email(address).into_owned();
    let differs = shown != address;
    [address.to_owned()].into_iter().chain(differs.then_some(shown))
}

/// Serializes an e-mail address: for people as they write it, for the store as it is kept.
pub fn serialize_email<T: AsRef<str>, S: Serializer>(address: &T, serializer: S) -> Result<S::Ok, S::Error> {
    let address = address.as_ref();
    if serializer.is_human_readable() {
        serializer.serialize_str(&shown_email(address))
    } else {
        serializer.serialize_str(address)
    }
}

/// Whether a character is invisible and can disguise a text: control characters, direction marks (`exe.fdp` shown as
/// `pdf.exe`), and characters without width. Joiners are not hidden: Persian, the languages of India and emoji need
/// them.
pub fn is_hidden(c: char) -> bool {
    let joins = matches!(c, '\u{200c}' | '\u{200d}');
    let fills = matches!(c, '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{180e}' | '\u{3164}' | '\u{ffa0}');
    let tags = matches!(c, '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}');
    (c.is_control() && !c.is_whitespace()) || (is_invisible(c) && !joins) || fills || tags
}

/// Normalizes one line of text, such as a name: composed (NFC), each run of white space reduced to one space, hidden
/// characters removed.
pub fn line(text: &str) -> String {
    without_hidden(&composed(text)).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Removes hidden characters, but for those of the flags of regions: a black flag is followed by the letters of its region.
pub fn without_hidden(text: &str) -> String {
    let mut in_flag = false;
    let shown = |c: &char| {
        in_flag = *c == '\u{1f3f4}' || (in_flag && matches!(c, '\u{e0030}'..='\u{e007f}'));
        in_flag || !is_hidden(*c)
    };
    text.chars().filter(shown).collect()
}

/// Normalizes several lines of text: composed (NFC), trimmed, without control characters except line breaks and tabs.
pub fn lines(text: &str) -> String {
    let composed = composed(text).replace("\r\n", "\n");
    let printed: String = composed.chars().filter(|c| "\n\t".contains(*c) || !c.is_control()).collect();
    printed.trim().to_owned()
}

/// Returns composed text (NFC). Most text is composed already, and checking that costs a fraction of composing it.
fn composed(text: &str) -> Cow<'_, str> {
    match is_nfc_quick(text.chars()) {
        IsNormalized::Yes => Cow::Borrowed(text),
        _ => Cow::Owned(text.nfc().collect()),
    }
}

/// Maximum number of tags of a record.
pub const MAX_TAGS: usize = 30;

/// Returns the words of a text, folded and without punctuation, with a space between them.
pub fn folded_words(text: &str) -> String {
    let folded = fold(text);
    let words = folded.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join(" ")
}

/// Whether folded words have those of another text, in any order. Of scripts without spaces, a part of the text is enough.
pub fn has_words(whole: &str, part: &str) -> bool {
    let is_word_of = |word: &str| whole.split(' ').any(|known| known == word);
    part.split(' ').all(is_word_of) || (!part.is_ascii() && whole.contains(part))
}

/// Converts an empty text to `None`.
pub fn filled(text: Option<String>) -> Option<String> {
    text.filter(|text| !text.is_empty())
}

/// Tags that are read of a list: many more than a record may have, so that the list is refused.
const MAX_TAGS_READ: usize = 10 * MAX_TAGS;

/// Normalizes tags: one line each, lower-case, without duplicates and empty ones, in the given order. Of a list that is far
/// too long, only the first 300 are read: it is refused anyway.
pub fn tags<T: AsRef<str>>(tags: &[T]) -> Vec<String> {
    let tags = tags.iter().map(|tag| line(tag.as_ref()).to_lowercase());
    once_each(tags.filter(|tag| !tag.is_empty()), MAX_TAGS_READ)
}

/// Returns the first `limit` different texts, in the given order. Each is compared with all before it.
pub fn once_each(texts: impl Iterator<Item = String>, limit: usize) -> Vec<String> {
    let mut different: Vec<String> = Vec::new();
    for text in texts {
        if different.len() == limit {
            break;
        }
        if !different.contains(&text) {
            different.push(text);
        }
    }
    different
}

/// Converts a name such as `due_date` to the form in which the API writes it: `dueDate`.
pub fn camel_case(name: &str) -> String {
    let mut words = name.split('_');
    let mut made = words.next().unwrap_or_default().to_owned();
    for word in words {
        let mut letters = word.chars();
        made.extend(letters.next().map(|first| first.to_ascii_uppercase()));
        made.push_str(letters.as_str());
    }
    made
}

/// Returns the part of a text around the byte at `at`, in one line: up to `chars` characters, with up to `before` before
/// that byte. Dots mark what is left out. Reads no more than that part.
pub fn excerpt(text: &str, at: usize, before: usize, chars: usize) -> String {
    let is_whole = text.char_indices().nth(chars).is_none();
    let (head, tail) = text.split_at_checked(at).filter(|_| !is_whole).unwrap_or(("", text));
    let start = head.char_indices().rev().take(before).last().map_or(head.len(), |(start, _)| start);
    // Begins with a whole word, if one begins before the match.
    let start = match head[start..].find(char::is_whitespace) {
        Some(space) if start > 0 => start + space,
        _ => start,
    };
    let lead = &head[start..];
    let left = chars - lead.chars().count().min(chars);
    let end = tail.char_indices().nth(left).map_or(tail.len(), |(end, _)| end);
    let part = [lead, &tail[..end]].concat();
    let words: Vec<&str> = part.split_whitespace().collect();
    let dots = |are_left_out| if are_left_out { "…" } else { "" };
    format!("{}{}{}", dots(start > 0), words.join(" "), dots(end < tail.len()))
}

/// Returns the first word of a name.
pub fn first_word(name: &str) -> &str {
    name.split_whitespace().next().unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_a_text_are_found_in_another_one() {
        let whole = folded_words("Calle Mayor 1, 3º\n28013 Málaga; España");
        for (part, expected) in [
            ("MALAGA", true),
            ("Málaga 28013", true),
            ("Mayor", true),
            ("Mala", false),
            ("Calle Mayor 2", false),
            ("Madrid", false),
        ] {
            assert_eq!(has_words(&whole, &folded_words(part)), expected, "{part}");
        }
        assert!(has_words(&folded_words("東京都港区"), &folded_words("東京")));
    }

    #[test]
    fn accepts_only_safe_links() {
        for good in ["/tasks", "/a?b=c#d", "/"] {
            assert!(is_app_path(good), "{good}");
        }
        for bad in ["", "tasks", "//evil", "/\\evil", "/a b", "/a\nb", "javascript:alert(1)", "\\\\evil"] {
            assert!(!is_app_path(bad), "{bad}");
        }
        for good in ["/tasks", "apps/mailbox", "tasks", "tasks?x=a:b"] {
            assert!(is_router_path(good), "{good}");
        }
        for bad in ["", "//evil", "javascript:alert(1)", "https://evil", ".//evil", "\\evil", "a b", "evil:80/x"] {
            assert!(!is_router_path(bad), "{bad}");
        }
        let schemes = ["http", "https", "mailto", "tel"];
        for good in ["https://a.example/x", "http://localhost:8080", "mailto:a@b.example", "tel:+34600555012"] {
            assert!(is_address(good, &schemes), "{good}");
        }
        for bad in [
            "javascript:alert(1)",
            "JaVaScRiPt:x",
            "\tjava\nscript:x",
            "data:text/html,x",
            "vbscript:x",
            "https:evil",
            "http:/evil",
            "https:///evil",
            "http:////evil",
            "https:/\\evil",
            "https://",
            "ftp://x",
            "//evil",
            " https://a.example",
        ] {
            assert!(!is_address(bad, &schemes), "{bad}");
        }
    }

    #[test]
    fn folding_removes_accents_and_case() {
        assert_eq!(fold("José Ñúñez"), "jose nunez");
        assert_eq!(fold("Søren Kjærgaard Straße"), "soren kjaergaard strasse");
        assert_eq!(fold("STRAẞE İstanbul Łódź O’Brien ﬁn ΌΣΟΣ όσος"), "strasse istanbul lodz o'brien fin οσοσ οσοσ");
        assert_eq!(fold("\u{202e}so\u{ad}ft\u{feff}"), "soft");
    }

    proptest::proptest! {
        #[test]
        fn folding_and_composing_in_pieces_matches_the_whole_text(text in "[a-zA-Z'\r\n éÑß\u{301}\u{303}\u{200b}ﬁİςΣ각\u{1100}\u{1161}]{0,12}|\\PC{0,12}") {
            let mut whole = String::new();
            fold_letters(&text, &mut whole);
            proptest::prop_assert_eq!(fold(&text), whole);
            proptest::prop_assert_eq!(composed(&text), text.nfc().collect::<String>());
        }
    }

    #[test]
    fn names_sort_by_the_rules_of_the_language() {
        let sorted = |locale| {
            let mut names = ["Nuñez", "Ñandú", "Nunez", "Zoe", "ana", "Nuzo", "Álvaro"];
            names.sort_by_key(|name| sort_key(name, locale));
            names
        };
        assert_eq!(sorted(Locale::ES), ["Álvaro", "ana", "Nunez", "Nuñez", "Nuzo", "Ñandú", "Zoe"]);
        assert_eq!(sorted(Locale::EN), ["Álvaro", "ana", "Ñandú", "Nuñez", "Nunez", "Nuzo", "Zoe"]);
    }

    #[test]
    fn excerpt_shows_a_place_in_one_line() {
        assert_eq!(excerpt("Short\nand whole", 10, 4, 20), "Short and whole");
        let text = "Prefers to be called in the morning, never after lunch";
        assert_eq!(excerpt(text, text.find("morning").unwrap(), 8, 20), "…in the morning, nev…");
        assert_eq!(excerpt(text, text.find("lunch").unwrap(), 8, 20), "…after lunch");
        assert_eq!(excerpt(text, 0, 8, 20), "Prefers to be called…");
        assert_eq!(excerpt(&"ñ".repeat(50), 40, 8, 20), format!("…{}…", "ñ".repeat(20)), "no space to begin at");
        assert_eq!(excerpt("", 5, 8, 20), "");
    }

    #[test]
    fn email_address_has_one_canonical_form() {
        assert_eq!(email(" Ada@ACME.example "), Some("ada@acme.example".into()));
        assert_eq!(email("ada@bücher.example"), Some("ada@xn--bcher-kva.example".into()));
        for bad in [
            "",
            "ada",
            "@acme.example",
            "ada@",
            "a b@acme.example",
            "ada@acme",
            "ada@acme.example.",
            "a..b@acme.example",
        ] {
            assert_eq!(email(bad), None, "{bad}");
        }
    }

    // The kind of fault: a list is compared with itself before its length is checked.
    #[test]
    fn far_too_many_tags_are_not_compared() {
        let many: Vec<String> = (0..100_000).map(|n| format!("tag {n}")).collect();
        assert_eq!(tags(&many), tags(&many[..MAX_TAGS_READ]));
        assert!(tags(&many).len() > MAX_TAGS);
    }

    #[test]
    fn lines_and_tags_lose_invisible_and_superfluous_characters() {
        assert_eq!(line("  Ada\t\u{7}Lovelace\n"), "Ada Lovelace");
        assert_eq!(line("Rechnung\u{202e}fdp.exe\u{2066}\u{200f}"), "Rechnungfdp.exe");
        assert_eq!(line("\u{200b}A\u{ad}d\u{feff}a\u{e0041}\u{3164}"), "Ada");
        assert_eq!(
            line("\u{645}\u{6cc}\u{200c}\u{62e} 👩\u{200d}💻"),
            "\u{645}\u{6cc}\u{200c}\u{62e} 👩\u{200d}💻",
            "joiners"
        );
        let wales = "🏴\u{e0067}\u{e0062}\u{e0077}\u{e006c}\u{e0073}\u{e007f}";
        assert_eq!(line(&format!("A {wales} B\u{e0067}")), format!("A {wales} B"), "flags of regions");
        assert_eq!(lines(" one\r\n\ttwo\u{0}\n"), "one\n\ttwo");
        assert_eq!(tags(&["VIP", " vip", "", "Key  account"]), ["vip", "key account"]);
    }
}
