//! Translations: one catalogue for the user interface, errors and notifications, from the files in `i18n/`. The command
//! line speaks English only.

use std::{
    collections::BTreeMap,
    sync::{
        LazyLock, OnceLock,
        atomic::{AtomicU64, Ordering},
    },
};

use parking_lot::RwLock;

/// A language of the catalogue, as its code (`en`, `es`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Locale(&'static str);

/// The built-in languages. `en-GB` has only the texts that differ from `en`.
const BUILT_IN: [(&str, &str); 3] = [
    ("en", include_str!("../../i18n/en.json")),
    ("en-GB", include_str!("../../i18n/en-GB.json")),
    ("es", include_str!("../../i18n/es.json")),
];

/// The parts of the catalogue that the user interface does not need.
const SERVERS: [&str; 2] = ["mail", "server"];

/// A language. What is made of its file is made at the first use, because a start needs none of it.
struct Language {
    source: &'static str,
    file: OnceLock<&'static str>,
    texts: OnceLock<BTreeMap<String, String>>,
}

impl Language {
    fn new(source: &'static str) -> &'static Self {
        Box::leak(Box::new(Self { source, file: OnceLock::new(), texts: OnceLock::new() }))
    }

    /// Returns its file for the user interface.
    fn file(&self) -> &'static str {
        self.file.get_or_init(|| for_interface(self.source))
    }

    /// Returns its texts by full key.
    fn texts(&self) -> &BTreeMap<String, String> {
        self.texts.get_or_init(|| flatten(self.source))
    }
}

/// Returns the part of a language's file that the user interface needs. The texts of e-mails and of the server are left
/// out, because every kilobyte delays the first screen.
fn for_interface(file: &'static str) -> &'static str {
    let mut texts: serde_json::Map<String, serde_json::Value> = serde_json::from_str(file).unwrap_or_default();
    texts.retain(|part, _| !SERVERS.contains(&part.as_str()));
    if let Some(errors) = texts.get_mut("errors").and_then(serde_json::Value::as_object_mut) {
        // Responses contain the texts about invalid fields.
        errors.remove("fields");
    }
    serde_json::to_string(&texts).map_or(file, |texts| texts.leak())
}

/// All languages. They are never freed; further ones are added at the start, and when the operator changes them.
static CATALOGUE: LazyLock<RwLock<BTreeMap<&'static str, &'static Language>>> =
    LazyLock::new(|| RwLock::new(BUILT_IN.iter().map(|(code, file)| (*code, Language::new(file))).collect()));

fn language(code: &str) -> Option<&'static Language> {
    CATALOGUE.read().get(code).copied()
}

/// Whether a language is built in.
pub fn is_built_in(code: &str) -> bool {
    BUILT_IN.iter().any(|(known, _)| *known == code)
}

/// Number of changes of the catalogue.
static CHANGES: AtomicU64 = AtomicU64::new(0);

/// Returns a number that changes with each change of the catalogue.
pub fn generation() -> u64 {
    CHANGES.load(Ordering::Acquire)
}

/// Adds a language, or replaces one. Missing texts fall back as in `say`. Built-in languages cannot be replaced.
pub fn add(code: &str, file: &str) {
    let mut catalogue = CATALOGUE.write();
    if is_built_in(code) || catalogue.get(code).is_some_and(|known| known.source == file) {
        return;
    }
    catalogue.insert(String::leak(code.to_owned()), Language::new(String::leak(file.to_owned())));
    CHANGES.fetch_add(1, Ordering::Release);
}

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

    /// Returns the language with this code, or `None` if it is not supported.
    pub fn parse(code: &str) -> Option<Self> {
        CATALOGUE.read().get_key_value(code).map(|(code, _)| Self(code))
    }

    /// Returns the codes of all languages, in alphabetical order.
    pub fn codes() -> Vec<&'static str> {
        CATALOGUE.read().keys().copied().collect()
    }

    /// Returns the best language for an `Accept-Language` header (RFC 9110 §12.5.4), or `None` if none fits.
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
        wishes.iter().find_map(|(_, tag)| Self::of_tag(tag))
    }

    /// Returns the language of a tag such as `es-MX`: with its region if that is supported, or else without.
    pub fn of_tag(tag: &str) -> Option<Self> {
        let mut parts = tag.split('-');
        let language = parts.next()?.to_ascii_lowercase();
        let regional =
            parts.next().and_then(|region| Self::parse(&format!("{language}-{}", region.to_ascii_uppercase())));
        regional.or_else(|| Self::parse(&language))
    }

    /// Returns the code.
    pub const fn code(self) -> &'static str {
        self.0
    }

    /// Returns the code without its region: `pt` of `pt-BR`.
    pub fn language(self) -> &'static str {
        self.0.split_once('-').map_or(self.0, |(language, _)| language)
    }
}

/// Returns the text of a key in a language, with its parameters (`{{name}}`) replaced. Falls back to the language without
/// its region, then to English, then to the key.
pub fn say(locale: Locale, key: &str, params: &[(&'static str, String)]) -> String {
    let found = [locale.0, locale.language(), "en"].iter().find_map(|code| language(code)?.texts().get(key));
    fill(found.map_or(key, String::as_str), params)
}

/// Replaces the parameters (`{{name}}`) of a text. What is put in stays as it is, also where it reads like a parameter.
pub fn fill<N: AsRef<str>>(text: &str, params: &[(N, String)]) -> String {
    let mut filled = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("{{") {
        filled.push_str(before);
        let named = after.split_once("}}").and_then(|(name, after)| {
            let (_, value) = params.iter().find(|(known, _)| known.as_ref() == name)?;
            Some((value, after))
        });
        match named {
            Some((value, after)) => {
                filled.push_str(value);
                rest = after;
            }
            None => {
                filled.push_str("{{");
                rest = after;
            }
        }
    }
    filled.push_str(rest);
    filled
}

/// Whether the hours of a day are counted to 12 or to 24.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hours {
    /// 12 hours, twice.
    Twelve,
    /// 24 hours.
    TwentyFour,
}

impl Hours {
    /// Returns what is usual in a language.
    pub fn of_language(locale: Locale) -> Self {
        if say(locale, "server.region.time_format", &[]) == "12h" { Self::Twelve } else { Self::TwentyFour }
    }
}

/// Formats a time of day in a language.
pub fn clock(locale: Locale, hours: Hours, time: jiff::civil::Time) -> String {
    match hours {
        Hours::TwentyFour => time.strftime("%H:%M").to_string(),
        Hours::Twelve => {
            let half = if time.hour() < 12 { "server.am" } else { "server.pm" };
            format!("{} {}", time.strftime("%-I:%M"), say(locale, half, &[]))
        }
    }
}

/// Returns a language's file for the user interface.
pub fn file(code: &str) -> Option<&'static str> {
    language(code).map(Language::file)
}

/// Returns all keys of a language, for the test that compares the languages.
pub fn keys(code: &str) -> Vec<&'static str> {
    language(code).map(|language| language.texts().keys().map(String::as_str).collect()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn negotiates_the_supported_language_with_the_highest_weight() {
        assert_eq!(Locale::negotiate("fr, es-MX;q=0.8, en;q=0.9"), Some(Locale::EN));
        assert_eq!(Locale::negotiate("es-ES,en;q=0.5"), Some(Locale::ES));
        assert_eq!(Locale::negotiate("fr"), None);
        assert_eq!(Locale::negotiate("es;q=0, en;q=0.1"), Some(Locale::EN));
    }

    #[test]
    fn what_is_filled_in_is_no_placeholder() {
        let names = [("name", "{{slug}}".to_owned()), ("slug", "{{name}}".to_owned()), ("odd", "}}{{".to_owned())];
        assert_eq!(fill("{{name}}, {{slug}} and {{other}}", &names), "{{slug}}, {{name}} and {{other}}");
        assert_eq!(fill("{{{{name}}}} {{odd}} {{name", &names), "{{{{slug}}}} }}{{ {{name");
    }

    #[test]
    fn fills_placeholders_and_returns_a_missing_key_itself() {
        assert_eq!(
            say(Locale::EN, "errors.chat_not_found", &[("id", "7".into())]),
            "Could not found chat with id of 7!"
        );
        assert_eq!(say(Locale::ES, "no.such.key", &[]), "no.such.key");
    }

    #[test]
    fn times_have_twelve_or_24_hours() {
        for (hour, minute, english, spanish, long) in [
            (0, 5, "12:05 AM", "12:05 a. m.", "00:05"),
            (9, 0, "9:00 AM", "9:00 a. m.", "09:00"),
            (12, 30, "12:30 PM", "12:30 p. m.", "12:30"),
            (23, 59, "11:59 PM", "11:59 p. m.", "23:59"),
        ] {
            let time = jiff::civil::time(hour, minute, 0, 0);
            let twelve = [Locale::EN, Locale::ES].map(|locale| clock(locale, Hours::Twelve, time));
            assert_eq!(twelve, [english, spanish]);
            assert_eq!(clock(Locale::ES, Hours::TwentyFour, time), long);
        }
        assert_eq!([Locale::EN, Locale::ES].map(Hours::of_language), [Hours::Twelve, Hours::TwentyFour]);
    }

    #[test]
    fn missing_texts_come_from_the_language_without_its_region_then_from_english() {
        add("pt-BR", r#"{"errors": {"not_found": "Não encontramos isso."}}"#);
        add("pt", r#"{"errors": {"not_found": "Não encontrámos isso.", "busy": "Ocupado."}}"#);
        add("en", r#"{"errors": {"not_found": "not taken"}}"#);
        let found = |header| say(Locale::negotiate(header).unwrap(), "errors.not_found", &[]);
        assert_eq!(found("pt-br, en;q=0.5"), "Não encontramos isso.");
        assert_eq!(found("pt-AO"), "Não encontrámos isso.");
        assert_eq!(found("en"), "We couldn’t find this. It may have been deleted or moved.");
        let brazil = Locale::parse("pt-BR").unwrap();
        assert_eq!(say(brazil, "errors.busy", &[]), "Ocupado.");
        assert_eq!(say(brazil, "errors.forbidden", &[]), say(Locale::EN, "errors.forbidden", &[]));
        let codes = Locale::codes();
        assert!(
            ["en", "en-GB", "es", "pt", "pt-BR"].iter().all(|code| codes.contains(code)) && codes.is_sorted(),
            "{codes:?}"
        );
    }

    #[test]
    fn ui_language_files_omit_server_only_texts() {
        for (code, _) in BUILT_IN {
            let texts: serde_json::Value = serde_json::from_str(file(code).unwrap()).unwrap();
            assert!(texts["ui"]["events"]["color"].is_string());
            assert!(texts["errors"].get("fields").is_none());
            assert!(texts.get("mail").is_none() && texts.get("server").is_none());
        }
    }
}
