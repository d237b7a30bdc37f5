//! Notes, and other texts of several lines.

use std::borrow::Cow;

use serde_json::Value;

use super::{
    super::{model::RowFault, source::Cell},
    Draft, DraftReader,
};
use crate::{
    feature::{ExchangeField, exchange::set_value_at},
    features::customers::clean_notes,
    kernel::{Result, html},
};

impl DraftReader {
    /// Reads notes: those of a card are text, unless it has the same as HTML.
    pub(super) fn read_notes(&self, draft: &mut Draft, field: &ExchangeField, cell: &Cell) {
        let clean = match &cell.html {
            Some(html) => clean_notes(html),
            None => notes(cell.text.trim(), self.is_card()),
        };
        match clean {
            Ok(Some(clean)) => set_value_at(&mut draft.values, field.path, Value::from(clean)),
            Ok(None) => {}
            Err(error) => {
                let words = error.fields().first().map(|(_, words)| RowFault::from_words(Some(cell.column), words));
                draft.warnings.push(words.unwrap_or_else(|| RowFault::at(cell.column, "errors.invalid")));
            }
        }
        if self.is_card() && cell.html.is_none() {
            draft.card_note = Some(cell.text.trim().to_owned());
        }
    }
}

/// Joins the texts at each path: the only one as it is, several with their labels.
pub(super) fn joined_texts(texts: &[(&'static str, String, String)]) -> Vec<(&'static str, String)> {
    let mut joined: Vec<(&'static str, String)> = Vec::new();
    for (path, _, _) in texts {
        if joined.iter().any(|(known, _)| known == path) {
            continue;
        }
        let all: Vec<_> = texts.iter().filter(|(of, _, _)| of == path).collect();
        let labelled = |(_, label, text): &(&str, String, String)| match label.as_str() {
            "" => text.clone(),
            label => format!("{label}:\n{text}"),
        };
        let text = match all.as_slice() {
            [(_, _, text)] => text.clone(),
            all => all.iter().map(|one| labelled(one)).collect::<Vec<_>>().join("\n\n"),
        };
        joined.push((path, text));
    }
    joined
}

/// Returns the lines of a card as clean HTML.
pub fn notes_of_card(text: &str) -> Result<Option<String>> {
    notes(text, true)
}

/// Returns notes as clean HTML. The lines of plain text become paragraphs, as do several texts of a cell.
fn notes(text: &str, is_text: bool) -> Result<Option<String>> {
    if !is_text && is_html(text) {
        return clean_notes(text);
    }
    let text = if is_text { Cow::Borrowed(text) } else { Cow::Owned(text.replace(" ::: ", "\n")) };
    let paragraphs = text.lines().map(|line| format!("<p>{}</p>", html::escape_text(line)));
    clean_notes(&paragraphs.collect::<String>())
}

/// Whether a text is HTML: it begins with an element that ends, and not with an address or a name in angle brackets.
fn is_html(text: &str) -> bool {
    const VOID: [&str; 3] = ["br", "hr", "img"];
    const INLINE: [&str; 13] =
        ["a", "b", "code", "em", "font", "i", "s", "span", "strike", "strong", "sub", "sup", "u"];
    let Some(rest) = text.strip_prefix('<') else { return false };
    if rest.get(..8).is_some_and(|start| start.eq_ignore_ascii_case("!doctype")) {
        return true;
    }
    let name: String = rest.chars().take_while(char::is_ascii_alphanumeric).collect::<String>().to_ascii_lowercase();
    let after = rest[name.len()..].chars().next();
    if !matches!(after, Some('>' | '/' | ' ' | '\t' | '\n' | '\r')) || !rest.contains('>') {
        return false;
    }
    let has_end = || text.to_ascii_lowercase().contains(&format!("</{name}"));
    let is_element = INLINE.contains(&name.as_str()) || html::is_block_element(&name);
    VOID.contains(&name.as_str()) || (is_element && has_end())
}
