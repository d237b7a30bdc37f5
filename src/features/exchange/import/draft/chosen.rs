//! Choices and boxes.

use serde_json::Value;

use super::{
    super::choices::{MatchedValue, NamedChoice, clip},
    Draft, DraftReader,
};
use crate::{
    feature::{ExchangeField, ImpliedValue},
    formats::{parse_boolean, parse_day},
    kernel::{Result, text},
};

/// The choice of a checked box.
const YES: &str = "true";

impl DraftReader {
    /// Returns what a choice of another program says of another field, unless it is a choice here or a member said what it
    /// becomes.
    pub(super) fn implied_by(&self, field: &ExchangeField, column: u16, text: &str) -> Option<&'static ImpliedValue> {
        if self.choice(column, text).is_ok() || self.values.find(column, text).is_some() {
            return None;
        }
        let folded = text::fold(text);
        self.implied.iter().find(|known| known.field == field.name && known.choices.contains(&folded.as_str()))
    }

    /// Returns the id of the choice of a column that a text names, or the key of the text about one that names none.
    pub(super) fn choice(&self, column: u16, text: &str) -> Result<&str, &'static str> {
        match self.choices.get(&column).map_or(NamedChoice::None, |names| names.find(text)) {
            NamedChoice::One(id) => Ok(id),
            NamedChoice::None => Err("errors.import.choice"),
            NamedChoice::Several => Err("errors.import.ambiguous_choice"),
        }
    }

    /// Returns the choice that a value becomes: the one that the import says, or else `known`, which the value names
    /// itself. Without either the value is left out, which is said.
    pub(super) fn matched<'t>(
        &'t self,
        draft: &mut Draft,
        column: u16,
        text: &str,
        known: Result<&'t str, &'static str>,
    ) -> Option<&'t str> {
        if known.is_err() {
            draft.unknown.push((column, clip(text)));
        }
        match self.values.find(column, text) {
            Some(MatchedValue::Choice(choice)) => return Some(choice),
            Some(MatchedValue::LeftOut) => return None,
            None => {}
        }
        let is_named = draft.warnings.last().is_some_and(|last| last.column == Some(column));
        if let Err(fault) = known
            && !is_named
        {
            draft.leave_out(column, fault);
        }
        known.ok()
    }

    /// Reads a yes or no.
    pub(super) fn checkbox(&self, draft: &mut Draft, column: u16, text: &str) -> Option<Value> {
        // The time at which it was done says that it is.
        let is_checked = parse_boolean(text).or_else(|| parse_day(text, self.plan.date_order).map(|_| true));
        let known = is_checked.map(|is_checked| if is_checked { YES } else { "false" });
        let choice = self.matched(draft, column, text, known.ok_or("errors.import.checkbox"));
        choice.map(|choice| Value::from(choice == YES))
    }
}
