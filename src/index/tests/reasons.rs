//! The reasons of hits: which text is shown, and that it has what was searched for.

use super::*;
use crate::index::{Reason, Reasons};

fn customer() -> Document {
    Document {
        subtitle: FieldText::of("company", ["Umbrella Ibérica"]).collect(),
        keywords: FieldText::of("email", ["ada.lovelace@umbrella.example"])
            .chain(FieldText::of("phone", ["+34 600 555-012"]))
            .chain(FieldText::of("fields.plan", ["Premium support"]))
            .collect(),
        body: FieldText::of("notes", ["Prefers to be called in the morning.\nNever on Mondays: the umbrella shop."])
            .collect(),
        ..document(Heading::Contacts, 1, "Ada Lovelace")
    }
}

/// Returns field and text of the reason; empty ones when the title says it all.
fn reason(typed: &str) -> (String, String) {
    let Some(Reason { field, text }) = Reasons::of(typed).find(&customer()) else { return Default::default() };
    (field.into_owned(), text)
}

#[test]
fn title_with_every_word_needs_no_reason() {
    for typed in ["ada", "love", "Lovelace ADA", "lovelcae", "a", ""] {
        assert_eq!(reason(typed), <(String, String)>::default(), "{typed}");
    }
}

#[test]
fn reason_is_the_text_that_has_what_the_title_lacks() {
    for (typed, field, text) in [
        ("iberica", "company", "Umbrella Ibérica"),
        ("ada@umb", "email", "ada.lovelace@umbrella.example"),
        ("lovelace@umbrella.ex", "email", "ada.lovelace@umbrella.example"),
        ("elace@umb", "email", "ada.lovelace@umbrella.example"),
        ("600555", "phone", "+34 600 555-012"),
        ("ada 0034 600", "", ""),
        ("34 600 555", "phone", "+34 600 555-012"),
        ("premium ada", "fields.plan", "Premium support"),
        ("emium", "fields.plan", "Premium support"),
        ("mondays morn", "notes", "Prefers to be called in the morning. Never on Mondays: the umbrella shop."),
        ("umbrella shop", "notes", "Prefers to be called in the morning. Never on Mondays: the umbrella shop."),
    ] {
        assert_eq!(reason(typed), (field.to_owned(), text.to_owned()), "{typed}");
    }
}

#[test]
fn whole_words_are_words_and_only_the_last_may_be_a_beginning() {
    assert_eq!(reason("morn called").0, "notes", "`called` is there");
    assert_eq!(reason("morn xx").0, "");
    assert_eq!(reason("lovelaces").0, "");
}

#[test]
fn reason_is_a_text_of_the_record() {
    let mut dice = Dice(11);
    let mut explained = 0;
    for round in 0..400 {
        let document = random_document(&mut dice, round);
        let typed = random_query(&mut dice);
        let Some(Reason { text, .. }) = Reasons::of(&typed).find(&document) else { continue };
        explained += 1;
        let of = |texts: &[FieldText]| texts.iter().any(|whole| whole.text == text);
        let is_whole = of(&document.subtitle) || of(&document.keywords) || of(&document.body);
        assert!(is_whole, "short texts are shown whole: {text:?} of {document:?}");
    }
    assert!(explained > 30, "only {explained} reasons");
}

#[test]
fn reason_begins_near_the_match_in_text_without_spaces() {
    let body = format!("{}東京本社で会う{}", "あいうえお".repeat(60), "かきくけこ".repeat(60));
    let long = Document { body: FieldText::of("notes", [body]).collect(), ..document(Heading::Contacts, 1, "Ada") };
    let found = Reasons::of("本社").find(&long).unwrap();
    assert!(found.text.contains("本社") && found.text.chars().count() < 140, "{}", found.text);
}
