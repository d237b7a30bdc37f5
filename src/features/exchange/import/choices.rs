//! Columns of files whose fields have choices: the choices, what values of the file become, and the values that are none.

use std::collections::{HashMap, HashSet, hash_map::Entry};

use super::{
    draft::Draft,
    model::{ColumnTarget, ImportColumn, ImportPlan, UnknownValue, UnknownValues, ValueMatch},
};
use crate::{
    feature::{CustomField, ExchangeValue, FieldType, RecordKind},
    kernel::{
        Result,
        error::Faults,
        i18n::{Locale, say},
        text,
    },
    store::{Stored, TenantRead},
};

/// Maximum values of a column that become something else, and listed values that are no choices.
pub const MAX_VALUES: usize = 200;
/// Maximum characters of such a value; the rest of longer ones does not count.
pub const MAX_VALUE_CHARS: usize = 200;

/// Returns the part of a value that counts.
pub fn clip(value: &str) -> String {
    text::line(value).chars().take(MAX_VALUE_CHARS).collect()
}

/// Returns what is the same for values that differ in case and accents only.
pub fn key(value: &str) -> String {
    text::fold(&clip(value))
}

/// Returns the ids and names of the choices of a field; none for a field without choices.
pub fn choices_of(
    tx: &TenantRead<'_>,
    kind: &RecordKind,
    custom: &[Stored<CustomField>],
    name: &str,
    locale: Locale,
) -> Result<Option<Vec<(String, String)>>> {
    let own = kind.exchange.and_then(|ops| ops.fields.iter().find(|field| field.name == name));
    let yes_or_no = || {
        let choice = |id: &str, word| (id.to_owned(), say(locale, &format!("server.exchange.{word}"), &[]));
        Some(vec![choice("true", "yes"), choice("false", "no")])
    };
    if let Some(field) = own {
        return Ok(match field.value {
            ExchangeValue::Choice(of) | ExchangeValue::NumberedChoice(of) => Some(of(tx, locale)?),
            ExchangeValue::Checkbox => yes_or_no(),
            _ => None,
        });
    }
    let field = name.strip_prefix("fields.").and_then(|key| custom.iter().find(|field| field.key == key));
    Ok(field.and_then(|field| match field.value_type {
        FieldType::Choice | FieldType::Choices => {
            Some(field.choices.iter().map(|choice| (choice.key.clone(), choice.name.clone())).collect())
        }
        FieldType::Checkbox => yes_or_no(),
        _ => None,
    }))
}

/// The choice that a text names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NamedChoice<'a> {
    /// The one with this id.
    One(&'a str),
    /// No choice.
    None,
    /// Several, so that it cannot be said which.
    Several,
}

impl<'a> NamedChoice<'a> {
    fn or_else(self, next: impl FnOnce() -> NamedChoice<'a>) -> Self {
        if self == Self::None { next() } else { self }
    }
}

/// The choices of a field by what files and people call them.
///
/// A text names the choice whose id it is; or else the one whose label it is; or else the one whose label it is without
/// regard to case and accents; or else the one whose id it is in that way. Labels in the reader's language go before those
/// in other languages, which files often have. A text that fits several choices alike names none of them.
#[derive(Clone, Debug, Default)]
pub struct ChoiceNames {
    /// By language, the reader's first.
    languages: Vec<Vec<ChoiceName>>,
}

#[derive(Clone, Debug)]
struct ChoiceName {
    id: String,
    label: String,
    folded: String,
}

impl ChoiceNames {
    /// Takes the ids and labels of the choices in each language, the reader's first.
    pub fn of(languages: impl IntoIterator<Item = Vec<(String, String)>>) -> Self {
        let name = |(id, label): (String, String)| ChoiceName { folded: text::fold(&label), id, label };
        Self { languages: languages.into_iter().map(|all| all.into_iter().map(name).collect()).collect() }
    }

    /// Returns the choice that a text names.
    pub fn find(&self, typed: &str) -> NamedChoice<'_> {
        let typed = text::line(typed);
        let folded = text::fold(&typed);
        let ids = self.languages.first().map(Vec::as_slice).unwrap_or_default();
        only(ids, |name| name.id == typed)
            .or_else(|| self.labelled(|name| name.label == typed))
            .or_else(|| self.labelled(|name| name.folded == folded))
            .or_else(|| only(ids, |name| text::fold(&name.id) == folded))
    }

    /// Returns the choice whose label fits in the first language that has one.
    fn labelled(&self, fits: impl Fn(&ChoiceName) -> bool) -> NamedChoice<'_> {
        self.languages.iter().fold(NamedChoice::None, |found, names| found.or_else(|| only(names, &fits)))
    }
}

/// Returns the choice that fits, if no other does.
fn only(names: &[ChoiceName], fits: impl Fn(&ChoiceName) -> bool) -> NamedChoice<'_> {
    let mut ids = names.iter().filter(|name| fits(name)).map(|name| name.id.as_str());
    let Some(id) = ids.next() else { return NamedChoice::None };
    if ids.all(|other| other == id) { NamedChoice::One(id) } else { NamedChoice::Several }
}

/// Checks what the values of columns become: few, each of them once, and choices of the field.
pub fn check_values(
    tx: &TenantRead<'_>,
    kind: &RecordKind,
    custom: &[Stored<CustomField>],
    plan: &ImportPlan,
    faults: &mut Faults,
) -> Result<()> {
    for (at, column) in plan.columns.iter().enumerate().filter(|(_, column)| !column.values.is_empty()) {
        let path = format!("columns.{at}");
        let field = match &column.target {
            Some(ColumnTarget::Field(name)) => choices_of(tx, kind, custom, name, Locale::EN)?,
            _ => None,
        };
        let Some(choices) = field else {
            faults.add(path, "errors.import.no_choices");
            continue;
        };
        if !faults.few(&path, column.values.len(), MAX_VALUES) {
            continue;
        }
        let mut known = HashSet::new();
        for ValueMatch { value, choice } in &column.values {
            faults.required(&path, value, MAX_VALUE_CHARS);
            if !known.insert(key(value)) {
                faults.add(&path, "errors.import.value_twice");
            } else if choice.as_ref().is_some_and(|choice| choices.iter().all(|(id, _)| id != choice)) {
                faults.add(&path, "errors.import.no_choice");
            }
        }
    }
    Ok(())
}

/// What a value becomes.
#[derive(Clone, Copy, Debug)]
pub enum MatchedValue<'a> {
    /// The choice with this id.
    Choice(&'a str),
    /// Nothing: the row is imported without it.
    LeftOut,
}

/// What the values of the columns of a file become, by column and folded value.
#[derive(Debug, Default)]
pub struct ValueMatches(HashMap<u16, HashMap<String, Option<String>>>);

impl ValueMatches {
    /// Reads those of columns.
    pub fn of(columns: &[ImportColumn]) -> Self {
        let of_column = |column: &ImportColumn| {
            column.values.iter().map(|ValueMatch { value, choice }| (key(value), choice.clone())).collect()
        };
        let columns = (0..).zip(columns).filter(|(_, column)| !column.values.is_empty());
        Self(columns.map(|(at, column)| (at, of_column(column))).collect())
    }

    /// Returns what a value becomes; `None` when it stays as it is.
    pub fn find(&self, column: u16, value: &str) -> Option<MatchedValue<'_>> {
        let choice = self.0.get(&column)?.get(&key(value))?;
        Some(choice.as_deref().map_or(MatchedValue::LeftOut, MatchedValue::Choice))
    }
}

/// Counts the values that are no choices while the rows of a file are tried.
#[derive(Debug, Default)]
pub struct UnknownCounts(HashMap<u16, ColumnCounts>);

#[derive(Debug, Default)]
struct ColumnCounts {
    listed: HashMap<String, UnknownValue>,
    others: u64,
}

impl UnknownCounts {
    /// Counts those of a row.
    pub fn note(&mut self, draft: &Draft) {
        for (column, value) in &draft.unknown {
            let counts = self.0.entry(*column).or_default();
            let is_full = counts.listed.len() >= MAX_VALUES;
            match counts.listed.entry(key(value)) {
                Entry::Occupied(mut known) => known.get_mut().rows += 1,
                Entry::Vacant(_) if is_full => counts.others += 1,
                Entry::Vacant(place) => drop(place.insert(UnknownValue { value: clip(value), rows: 1 })),
            }
        }
    }

    /// Returns those of each column of a file.
    pub fn of_columns(mut self, columns: usize) -> Vec<UnknownValues> {
        let of = |at| {
            let ColumnCounts { listed, others } = self.0.remove(&at).unwrap_or_default();
            let mut listed: Vec<UnknownValue> = listed.into_values().collect();
            listed.sort_unstable_by(|a, b| b.rows.cmp(&a.rows).then_with(|| a.value.cmp(&b.value)));
            UnknownValues { listed, others }
        };
        (0..=u16::MAX).take(columns).map(of).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::{ChoiceNames, NamedChoice};

    fn names(languages: &[&[(&str, &str)]]) -> ChoiceNames {
        let owned = |(id, label): &(&str, &str)| ((*id).to_owned(), (*label).to_owned());
        ChoiceNames::of(languages.iter().map(|names| names.iter().map(owned).collect()))
    }

    #[test]
    fn finds_a_choice_by_id_then_label_then_folded_label_then_folded_id() {
        let known = names(&[
            &[("lead", "Interesado"), ("a", "B"), ("b", "A"), ("c", "Cafe"), ("d", "Café")],
            &[("lead", "Lead"), ("a", "First")],
        ]);
        let found = |text| known.find(text);
        assert_eq!(found("a"), NamedChoice::One("a"), "an id goes before a label");
        assert_eq!(found("A"), NamedChoice::One("b"), "a label as it stands goes before a folded id");
        assert_eq!(found("  INTERESADO "), NamedChoice::One("lead"));
        assert_eq!(found("first"), NamedChoice::One("a"), "labels in other languages are found");
        assert_eq!(found("Café"), NamedChoice::One("d"), "a label as it stands goes before a folded one");
        assert_eq!(found("CAFÉ"), NamedChoice::Several, "which of the two is meant cannot be said");
        assert_eq!(found("unknown"), NamedChoice::None);
        assert_eq!(names(&[&[("vipClient", "Best")]]).find("VIPclient"), NamedChoice::One("vipClient"));
    }

    #[test]
    fn a_label_in_the_language_of_the_reader_goes_before_that_of_another() {
        let known = names(&[&[("won", "Ganada"), ("lost", "Final")], &[("won", "Final"), ("lost", "Lost")]]);
        assert_eq!(known.find("Final"), NamedChoice::One("lost"));
        assert_eq!(known.find("final"), NamedChoice::One("lost"));
        assert_eq!(ChoiceNames::default().find("x"), NamedChoice::None);
    }
}
