//! Both languages say everything, and nothing is said that nobody needs.

use std::collections::BTreeSet;

use super::sources;
use crate::kernel::{
    Code,
    words::{Locale, keys, say},
};

#[test]
fn both_languages_have_the_same_keys() {
    let of = |code| keys(code).into_iter().collect::<BTreeSet<_>>();
    let (en, es) = (of("en"), of("es"));
    assert!(en.len() > 40);
    assert_eq!(en.symmetric_difference(&es).collect::<Vec<_>>(), Vec::<&&str>::new());
}

#[test]
fn every_text_has_the_same_gaps_in_both_languages() {
    let gaps = |text: &str| {
        let parts =
            text.split("{{").skip(1).filter_map(|rest| rest.split("}}").next().map(|gap| gap.trim().to_owned()));
        parts.collect::<BTreeSet<String>>()
    };
    for key in keys("en") {
        let (en, es) = (say(Locale::EN, key, &[]), say(Locale::ES, key, &[]));
        assert!(!en.trim().is_empty() && !es.trim().is_empty(), "{key} is empty");
        assert_eq!(gaps(&en), gaps(&es), "{key}");
    }
}

#[test]
fn every_error_has_its_words() {
    for code in Code::ALL {
        let key = format!("errors.{}", code.as_str());
        assert_ne!(say(Locale::EN, &key, &[]), key);
    }
}

#[test]
fn every_key_that_the_server_names_exists() {
    let known: BTreeSet<&str> = keys("en").into_iter().collect();
    let mut missing = Vec::new();
    for (name, text) in sources() {
        // `mail.host` and the like are settings.
        if name.starts_with("tests/") || name.contains("tests.rs") || name.starts_with("config/") {
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
fn every_event_of_the_record_has_its_words() {
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
fn no_field_sentence_is_left_over() {
    let all: String =
        sources().into_iter().filter(|(name, _)| !name.starts_with("tests/")).map(|(_, text)| text).collect();
    let unused: Vec<&str> = keys("en")
        .into_iter()
        .filter(|key| key.starts_with("errors.fields.") && !all.contains(&format!("\"{key}\"")))
        .collect();
    assert!(unused.is_empty(), "{unused:?}");
}
