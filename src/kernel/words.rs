//! The words people read, in every language the product speaks: one catalogue for the interface,
//! errors, notifications and the command line, from the files in `i18n/`.

use std::{collections::BTreeMap, sync::LazyLock};

/// A language that the catalogue holds, as its code (`en`, `es`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Locale(&'static str);

/// The languages built in: code, name of the language in itself, file.
const FILES: [(&str, &str, &str); 2] =
    [("en", "English", include_str!("../../i18n/en.json")), ("es", "Español", include_str!("../../i18n/es.json"))];

static CATALOGUE: LazyLock<BTreeMap<&'static str, BTreeMap<String, String>>> =
    LazyLock::new(|| FILES.iter().map(|(code, _, file)| (*code, flatten(file))).collect());

fn flatten(file: &str) -> BTreeMap<String, String> {
    fn walk(prefix: &str, value: serde_json::Value, out: &mut BTreeMap<String, String>) {
        match value {
            serde_json::Value::Object(map) => {
                for (key, value) in map {
                    let path = if prefix.is_empty() { key } else { format!("{prefix}.{key}") };
                    walk(&path, value, out);
                }
            }
            serde_json::Value::String(text) => {
                out.insert(prefix.to_owned(), text);
            }
            _ => {}
        }
    }
    let mut out = BTreeMap::new();
    walk("", serde_json::from_str(file).unwrap_or_default(), &mut out);
    out
}

impl Locale {
    /// English: the default and the fallback.
    pub const EN: Self = Self("en");
    /// Spanish.
    pub const ES: Self = Self("es");

    /// The language with this code, or `None` when it is not spoken here.
    #[must_use]
    pub fn parse(code: &str) -> Option<Self> {
        FILES.iter().find(|(known, ..)| *known == code).map(|(known, ..)| Self(known))
    }

    /// The codes of all languages.
    #[must_use]
    pub fn codes() -> Vec<&'static str> {
        FILES.iter().map(|(code, ..)| *code).collect()
    }

    /// The best language for an `Accept-Language` header (RFC 9110 §12.5.4), or `None` when none fits.
    #[must_use]
    pub fn negotiate(header: &str) -> Option<Self> {
        let mut wishes: Vec<(f32, &str)> = header
            .split(',')
            .take(16)
            .filter_map(|part| {
                let (tag, rest) = part.split_once(';').unwrap_or((part, ""));
                let weight = rest.trim().strip_prefix("q=").map_or(Some(1.0), |q| q.parse().ok())?;
                (weight > 0.0).then_some((weight, tag.trim()))
            })
            .collect();
        wishes.sort_by(|a, b| b.0.total_cmp(&a.0));
        wishes.iter().find_map(|(_, tag)| Self::parse(&tag.split('-').next().unwrap_or("").to_ascii_lowercase()))
    }

    /// The code.
    #[must_use]
    pub const fn code(self) -> &'static str {
        self.0
    }
}

/// The text for a key in a language, with its gaps (`{{name}}`) filled. Falls back to English, then to the key.
#[must_use]
pub fn say(locale: Locale, key: &str, gaps: &[(&'static str, String)]) -> String {
    let found = [locale.0, "en"].iter().find_map(|code| CATALOGUE.get(code)?.get(key));
    let mut text = found.cloned().unwrap_or_else(|| key.to_owned());
    for (name, value) in gaps {
        text = text.replace(&format!("{{{{{name}}}}}"), value);
    }
    text
}

/// The file of a language as the interface loads it.
#[must_use]
pub fn file(code: &str) -> Option<&'static str> {
    FILES.iter().find(|(known, ..)| *known == code).map(|(.., file)| *file)
}

/// All keys of a language, for the test that holds the languages to each other.
#[must_use]
pub fn keys(code: &str) -> Vec<&'static str> {
    CATALOGUE.get(code).map(|texts| texts.keys().map(String::as_str).collect()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_heaviest_language_that_is_spoken_wins() {
        assert_eq!(Locale::negotiate("fr, es-MX;q=0.8, en;q=0.9"), Some(Locale::EN));
        assert_eq!(Locale::negotiate("es-ES,en;q=0.5"), Some(Locale::ES));
        assert_eq!(Locale::negotiate("fr"), None);
        assert_eq!(Locale::negotiate("es;q=0, en;q=0.1"), Some(Locale::EN));
    }

    #[test]
    fn gaps_are_filled_and_a_missing_key_shows_itself() {
        assert_eq!(
            say(Locale::EN, "errors.chat_not_found", &[("id", "7".into())]),
            "Could not found chat with id of 7!"
        );
        assert_eq!(say(Locale::ES, "no.such.key", &[]), "no.such.key");
    }
}
