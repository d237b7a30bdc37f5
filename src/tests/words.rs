//! Translation tests: both languages have all texts, and no text is unused.

use std::collections::{BTreeMap, BTreeSet};

use super::sources;
use crate::kernel::{
    Code,
    i18n::{Locale, keys, say},
};

#[test]
fn both_languages_have_the_same_keys() {
    let of = |code| keys(code).into_iter().collect::<BTreeSet<_>>();
    let en = of("en");
    let es = of("es");
    assert!(en.len() > 40);
    assert_eq!(en.symmetric_difference(&es).collect::<Vec<_>>(), Vec::<&&str>::new());
}

/// British English has no text that would be the same without it.
#[test]
fn british_english_names_only_what_differs() {
    let known: BTreeSet<&str> = keys("en").into_iter().collect();
    let british = Locale::parse("en-GB").unwrap();
    let idle: Vec<&str> = keys("en-GB")
        .into_iter()
        .filter(|key| !known.contains(key) || say(british, key, &[]) == say(Locale::EN, key, &[]))
        .collect();
    assert_eq!(idle, Vec::<&str>::new());
    assert!(keys("en-GB").len() > 40);
}

#[test]
fn texts_have_the_same_parameters_in_all_languages() {
    let params = |text: &str| {
        let parts =
            text.split("{{").skip(1).filter_map(|rest| rest.split("}}").next().map(|gap| gap.trim().to_owned()));
        parts.collect::<BTreeSet<String>>()
    };
    for key in keys("en") {
        let en = say(Locale::EN, key, &[]);
        assert!(!en.trim().is_empty(), "{key} is empty");
        for other in Locale::codes().into_iter().filter_map(Locale::parse) {
            let text = say(other, key, &[]);
            assert!(!text.trim().is_empty(), "{}: {key} is empty", other.code());
            assert_eq!(params(&en), params(&text), "{}: {key}", other.code());
        }
    }
}

/// A word that the texts of a language must not use, and the keys where it is allowed.
#[derive(serde::Deserialize)]
struct Refused {
    word: String,
    #[serde(default)]
    keys: Vec<String>,
}

/// Returns the words of a text, in lowercase, without its placeholders.
fn split(text: &str) -> Vec<String> {
    let mut outside = String::new();
    for (number, part) in text.split("{{").enumerate() {
        outside.push_str(if number == 0 { part } else { part.split_once("}}").map_or("", |(_, rest)| rest) });
        outside.push(' ');
    }
    let words = outside.split(|letter: char| !letter.is_alphanumeric() && letter != '*');
    words.filter(|word| !word.is_empty()).map(str::to_lowercase).collect()
}

fn uses(text: &[String], refused: &[String]) -> bool {
    text.windows(refused.len()).any(|window| {
        window.iter().zip(refused).all(|(word, refused)| match refused.strip_suffix('*') {
            Some(start) => word.starts_with(start),
            None => word == refused,
        })
    })
}

#[test]
fn texts_use_no_refused_words() {
    let lists: BTreeMap<String, Vec<Refused>> = toml::from_str(include_str!("refused_words.toml")).unwrap();
    let mut wrong = Vec::new();
    for (language, list) in &lists {
        let locale = Locale::parse(language).unwrap();
        for Refused { word, keys: allowed } in list {
            let refused = split(word);
            let using: Vec<&str> =
                keys("en").into_iter().filter(|key| uses(&split(&say(locale, key, &[])), &refused)).collect();
            let out_of_place = using.iter().filter(|key| !allowed.iter().any(|allowed| allowed == *key));
            wrong.extend(out_of_place.map(|key| format!("{language}: {key} says “{word}”")));
            let unneeded = allowed.iter().filter(|key| !using.contains(&key.as_str()));
            wrong.extend(unneeded.map(|key| format!("{language}: {key} is allowed “{word}” and does not say it")));
        }
    }
    assert!(lists.len() == 3 && wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn texts_use_typographic_quotes_and_ellipses() {
    for (language, locale) in ["en", "en-GB", "es"].map(|code| (code, Locale::parse(code).unwrap())) {
        for key in keys(language).into_iter().filter(|key| *key != "ui.search.placeholder") {
            let text = say(locale, key, &[]);
            assert!(!text.contains(['\'', '"']) && !text.contains("..."), "{language}: {key}: {text}");
        }
    }
}

#[test]
fn every_error_code_has_a_text() {
    for code in Code::ALL {
        let key = format!("errors.{}", code.as_str());
        assert_ne!(say(Locale::EN, &key, &[]), key);
    }
}

#[test]
fn every_text_key_used_by_the_server_exists() {
    let known: BTreeSet<&str> = keys("en").into_iter().collect();
    let mut missing = Vec::new();
    for (name, text) in sources() {
        // Names such as `mail.host` are settings or checks there.
        let has_names = ["config/", "cli/commands/init/", "cli/commands/doctor/"].iter().any(|it| name.starts_with(it));
        if name.contains("tests/") || name.contains("tests.rs") || has_names {
            continue;
        }
        for literal in text.split('"').skip(1).step_by(2) {
            let is_key = ["errors.", "server.", "navigation.", "mail."].iter().any(|start| literal.starts_with(start))
                && literal.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte))
                && !literal.ends_with('.');
            let begins = || known.iter().any(|key| key.strip_prefix(literal).is_some_and(|rest| rest.starts_with('.')));
            if is_key && !known.contains(literal) && !begins() {
                missing.push(format!("{name}: {literal}"));
            }
        }
    }
    assert!(missing.is_empty(), "{missing:#?}");
}

#[test]
fn every_audit_event_has_a_text() {
    let known: BTreeSet<&str> = keys("en").into_iter().collect();
    let mut missing = Vec::new();
    for (name, text) in sources() {
        for word in text.split("Event::new(\"").skip(1).filter_map(|rest| rest.split('"').next()) {
            if word.contains('.') && !known.contains(format!("audit.{word}").as_str()) {
                missing.push(format!("{name}: {word}"));
            }
        }
    }
    assert!(missing.is_empty(), "{missing:#?}");
}

#[test]
fn every_field_error_text_is_used() {
    let all: String =
        sources().into_iter().filter(|(name, _)| !name.starts_with("tests/")).map(|(_, text)| text).collect();
    let unused: Vec<&str> = keys("en")
        .into_iter()
        .filter(|key| key.starts_with("errors.fields.") && !all.contains(&format!("\"{key}\"")))
        .collect();
    assert!(unused.is_empty(), "{unused:?}");
}
