//! Applying a row of a file within a write.

use std::cmp::Reverse;

use serde_json::{Map, Value};
use uuid::Uuid;

use super::{
    draft::{Draft, MAX_VALUE, Reference, notes_of_card},
    model::{Duplicates, RowFault, RowOutcome},
    source::is_same_text,
};
use crate::{
    feature::{
        BulkPatch, ExchangeField, ExchangeOps, ExchangeValue, MatchKeys, RecordKind,
        exchange::{ReferenceKey, is_of_row, is_same_item, set_value_at, take_value_at, value_at},
        matching::{Candidates, Matched, MatchedBy, SeenRows},
    },
    features::{
        exchange::export::{note_of, notes_after},
        records::fields::ShownValues,
    },
    kernel::{Birthday, Error, Result, error::Words, html, text},
    people::permission::Reader,
    store::TenantWrite,
};

/// A record that was created because a row refers to it.
struct MadeRecord {
    kind: &'static RecordKind,
    id: Uuid,
    /// The digest of its contents.
    digest: String,
}

/// What became of a row.
#[derive(Debug)]
pub struct Applied {
    /// The number of the row.
    pub row: u64,
    /// What became of it.
    pub outcome: RowOutcome,
    /// What there is to say of a row that is imported.
    pub notices: Vec<RowFault>,
    /// While rows are tried: what it would change.
    pub change: Option<TriedChange>,
}

/// What a row would change of a record.
#[derive(Debug)]
pub struct TriedChange {
    /// What the record is called.
    pub title: String,
    /// What calls show of it.
    pub before: Value,
    /// What they would show of it.
    pub after: Value,
}

/// Applies the rows of a batch within a write, one after the other.
pub struct Applier<'a, 't> {
    /// The write.
    pub tx: &'a TenantWrite<'t>,
    /// The author.
    pub reader: Reader,
    /// The kind of the records.
    pub kind: &'static RecordKind,
    /// What happens with rows whose record exists.
    pub duplicates: Duplicates,
    /// Whether rows are only tried.
    pub is_trial: bool,
    /// The rows that were applied before in this write.
    pub seen: SeenRows,
}

impl Applier<'_, '_> {
    /// Creates or changes the record of a row. `found` are the records that may be that of the row.
    /// Errors: only those that are not about the row.
    pub fn apply(&mut self, draft: &Draft, found: &Candidates) -> Result<Applied> {
        let Some(ops) = self.kind.exchange else { return Err(Error::internal("a kind that is not imported")) };
        let failed = |faults| RowOutcome::Failed { faults: draft.with_values(faults) };
        let mut applied =
            Applied { row: draft.row, outcome: failed(draft.faults.clone()), notices: Vec::new(), change: None };
        if !draft.faults.is_empty() {
            return Ok(applied);
        }
        let mut also = Vec::new();
        let tx = self.tx;
        applied.outcome = match tx.attempt(|| self.apply_resolved(&ops, draft, found, &mut also, &mut applied)) {
            Ok(RowOutcome::Failed { faults }) => failed(faults),
            Ok(outcome) => outcome,
            Err(error) if is_of_row(&error) => {
                // Taken back with the rest of the row.
                also.clear();
                failed(draft.faults_of(&error))
            }
            Err(error) => return Err(error),
        };
        if matches!(applied.outcome, RowOutcome::Failed { .. } | RowOutcome::Skipped { .. }) {
            for made in also {
                discard(self.tx, made.kind, made.id)?;
            }
        }
        Ok(applied)
    }

    fn apply_resolved(
        &mut self,
        ops: &ExchangeOps,
        draft: &Draft,
        found: &Candidates,
        also: &mut Vec<MadeRecord>,
        applied: &mut Applied,
    ) -> Result<RowOutcome> {
        let tx = self.tx;
        let reader = self.reader;
        let matched = self.find(ops, draft, found)?;
        let key = draft.keys.import_key_of_row();
        let record = match matched {
            Matched::No => None,
            Matched::Record(id, by) => Some((id, by)),
            Matched::Several(ids) => {
                applied.notices.push(self.several(&ids)?);
                None
            }
        };
        let mut values = draft.values.clone();
        if let Some((id, by)) = record {
            if (ops.match_keys)(tx, reader, id)?.is_none() {
                return Ok(self.outcome_of_tried(id, draft));
            }
            if let Some(key) = key.as_deref().filter(|_| draft.keys.id != Some(id)) {
                (ops.set_import_key)(tx, id, key)?;
            }
            // A record that has a number or an address in place of its name is completed by the row that names it.
            if self.duplicates == Duplicates::Skip && (by != MatchedBy::Channel || draft.is_name_made) {
                return Ok(RowOutcome::Skipped { id: id.into() });
            }
            if by == MatchedBy::Name || draft.is_name_made {
                values.remove("name");
            }
        }
        for reference in &draft.references {
            match (resolve(tx, reader, reference, also)?, &reference.key) {
                (Ok(id), _) => set_value_at(&mut values, reference.path, Value::from(id.to_string())),
                (Err(key), ReferenceKey::Id(_)) => {
                    return Ok(RowOutcome::Failed { faults: vec![reference.fault(key)] });
                }
                (Err(key), _) => applied.notices.extend(draft.with_values(vec![reference.fault(key)])),
            }
        }
        if let Some((id, _)) = record {
            return self.change(id, values, also, draft, applied);
        }
        if let Some(fault) = draft.missing() {
            return Ok(RowOutcome::Failed { faults: vec![fault] });
        }
        let key = key.filter(|_| self.duplicates != Duplicates::Add);
        let (id, digest) = loop {
            match (ops.create)(tx, reader, values.clone(), key.clone()) {
                Ok(made) => break made,
                Err(error) => applied.notices.extend(leave_out(ops, draft, &mut values, &Value::Null, error)?),
            }
        };
        self.seen.note(id, &draft.keys);
        Ok(RowOutcome::Created { id: id.into(), digest, also: names(also), also_digests: digests(also) })
    }

    /// Returns the record that a row describes: of those that were found before the write, which are read again, and those
    /// of the rows before it.
    fn find(&self, ops: &ExchangeOps, draft: &Draft, found: &Candidates) -> Result<Matched> {
        if self.duplicates == Duplicates::Add {
            return Ok(Matched::No);
        }
        let mut found = found.clone();
        found.check_again(|id| (ops.match_keys)(self.tx, self.reader, id))?;
        self.seen.add_to(&mut found, &draft.keys);
        Ok(found.choose(&draft.keys))
    }

    fn change(
        &mut self,
        id: Uuid,
        mut values: Map<String, Value>,
        also: &[MadeRecord],
        draft: &Draft,
        applied: &mut Applied,
    ) -> Result<RowOutcome> {
        let tx = self.tx;
        let reader = self.reader;
        let (Some(bulk), Some(ops)) = (self.kind.bulk, self.kind.exchange) else { return Err(Error::not_found()) };
        let Some((_, mut shown)) = (ops.shown)(tx, reader, id)? else { return Err(Error::not_found()) };
        let kind = self.kind.kind;
        let show_values = || ShownValues::of(tx, kind, Some(reader));
        let custom = values.contains_key("fields").then(show_values).transpose()?;
        if let Some(custom) = &custom {
            custom.hide_deleted_in(&mut shown);
        }
        keep_known_years(&ops, &mut values, &shown);
        keep_known_notes(draft, &mut values, &shown);
        applied.notices.extend(keep_known_currencies(draft, &mut values, &shown));
        applied.notices.extend(keep_known_address(draft, &mut values, &shown));
        let head = self.kind.find_head(tx, reader, id)?;
        let has_name = values.contains_key("name");
        let mut patch = BulkPatch { values: extended(values, &shown), quiet: true, ..BulkPatch::default() };
        let changed = loop {
            match (bulk.change)(tx, reader, id.into_bytes(), &patch) {
                Ok(changed) => break changed,
                Err(error) => applied.notices.extend(leave_out(&ops, draft, &mut patch.values, &shown, error)?),
            }
        };
        let Some(changed) = changed else { return Ok(RowOutcome::Skipped { id: id.into() }) };
        let name = shown.get("name").and_then(Value::as_str).map(text::fold);
        let name = if has_name { draft.keys.name.clone() } else { name };
        self.seen.note(id, &MatchKeys { name, ..draft.keys.clone() });
        if self.is_trial
            && let Some((_, mut after)) = (ops.shown)(tx, reader, id)?
        {
            let mut custom = custom.map_or_else(show_values, Ok)?;
            custom.hide_in(tx, &mut shown)?;
            custom.hide_in(tx, &mut after)?;
            let title = head.map(|head| head.title).unwrap_or_default();
            applied.change = Some(TriedChange { title, before: shown, after });
        }
        Ok(RowOutcome::Updated {
            id: id.into(),
            version: changed.version,
            digest: changed.digest,
            undo: serde_json::to_string(&changed.before).map_err(Error::internal)?,
            also: names(also),
            also_digests: digests(also),
        })
    }

    /// Returns what becomes of a row whose record would come from an earlier row, while rows are only tried.
    fn outcome_of_tried(&mut self, id: Uuid, draft: &Draft) -> RowOutcome {
        if self.duplicates == Duplicates::Skip {
            return RowOutcome::Skipped { id: id.into() };
        }
        self.seen.note(id, &draft.keys);
        let digest = String::new();
        let undo = String::new();
        RowOutcome::Updated { id: id.into(), version: 0, digest, undo, also: Vec::new(), also_digests: Vec::new() }
    }

    /// Says that a row is added because it may be any of several records.
    fn several(&self, ids: &[Uuid]) -> Result<RowFault> {
        let mut titles = Vec::new();
        for id in ids {
            titles.extend(self.kind.find_head(self.tx, self.reader, *id)?.map(|head| head.title));
        }
        Ok(match titles.as_slice() {
            [] => RowFault::of("errors.import.several_alike", &[]),
            _ => RowFault::of("errors.import.several", &[("titles", titles.join(", "))]),
        })
    }
}

fn names(also: &[MadeRecord]) -> Vec<(String, Uuid)> {
    also.iter().map(|made| (made.kind.kind.to_owned(), made.id)).collect()
}

fn digests(also: &[MadeRecord]) -> Vec<String> {
    also.iter().map(|made| made.digest.clone()).collect()
}

/// Returns the record that a row refers to, which is created if there is none and it may be; or the key of the fault.
fn resolve(
    tx: &TenantWrite<'_>,
    reader: Reader,
    reference: &Reference,
    also: &mut Vec<MadeRecord>,
) -> Result<Result<Uuid, &'static str>> {
    const UNKNOWN: &str = "errors.import.unknown_record";
    let kind = reference.kind;
    let Some(ops) = kind.exchange.filter(|_| reader.role.has(kind.rights.read)) else { return Ok(Err(UNKNOWN)) };
    match ((ops.find_referred)(tx, reader, &reference.key)?.as_slice(), &reference.key) {
        ([id], _) => Ok(Ok(*id)),
        ([_, ..], _) => Ok(Err("errors.import.ambiguous_record")),
        ([], ReferenceKey::Name(name)) if reference.creates && reader.role.has(kind.rights.write) => {
            let values = Map::from_iter([("name".to_owned(), Value::from(name.clone()))]);
            let (id, digest) = (ops.create)(tx, reader, values, None)?;
            also.push(MadeRecord { kind, id, digest });
            Ok(Ok(id))
        }
        ([], _) => Ok(Err(UNKNOWN)),
    }
}

/// Removes a record that was created within this write for a row that was then refused.
fn discard(tx: &TenantWrite<'_>, kind: &RecordKind, id: Uuid) -> Result<()> {
    kind.exchange.map_or(Ok(()), |ops| (ops.discard)(tx, id))
}

/// Extends the lists of a record by those of a row: what the row has stands behind what is there.
fn extended(values: Map<String, Value>, shown: &Value) -> Map<String, Value> {
    let extend = |(name, value): (String, Value)| {
        let there = shown.get(&name).cloned().unwrap_or_default();
        let value = match (value, there) {
            (Value::Object(inner), there) if name != "value" => Value::Object(extended(inner, &there)),
            (Value::Array(added), Value::Array(mut there)) => {
                let added: Vec<Value> =
                    added.into_iter().filter(|one| !there.iter().any(|known| is_same_item(known, one))).collect();
                there.extend(added);
                Value::Array(there)
            }
            (value, _) => value,
        };
        (name, value)
    };
    values.into_iter().map(extend).collect()
}

/// Gives birthdays without a year the year that the record has of the same day.
fn keep_known_years(ops: &ExchangeOps, values: &mut Map<String, Value>, shown: &Value) {
    let birthday = |value: Option<&Value>| value?.as_str()?.parse::<Birthday>().ok();
    for field in ops.fields.iter().filter(|field| matches!(field.value, ExchangeValue::Birthday)) {
        let new = birthday(value_at(values, field.path)).filter(|new| new.day().is_none());
        let there = birthday(shown.as_object().and_then(|shown| value_at(shown, field.path)));
        if let Some((_, there)) = new.zip(there).filter(|(new, there)| new.agrees_with(*there)) {
            set_value_at(values, field.path, Value::from(there.to_string()));
        }
    }
}

/// Reads amounts without a currency in those of the amounts that the record has. Returns what is said of those that cannot
/// be, which are left out.
fn keep_known_currencies(draft: &Draft, values: &mut Map<String, Value>, shown: &Value) -> Vec<RowFault> {
    let mut faults = Vec::new();
    for amount in &draft.loose_amounts {
        let known = shown.as_object().and_then(|shown| value_at(shown, &amount.path));
        let Some(currency) = known.and_then(|known| known.get("currency")).and_then(Value::as_str) else { continue };
        match amount.in_currency(currency) {
            Some(value) => set_value_at(values, &amount.path, value),
            None => {
                take_value_at(values, &amount.path);
                faults.push(RowFault::at(amount.column, "errors.import.money"));
            }
        }
    }
    draft.with_values(faults)
}

/// Takes the note of a card out of the values of its row as far as the record has it: as notes, or with what says who the
/// person is before them, as exports write it. What is known of a person is not lost to its plain text.
fn keep_known_notes(draft: &Draft, values: &mut Map<String, Value>, shown: &Value) {
    let Some(note) = &draft.card_note else { return };
    let of = |name: &str| shown.get(name).and_then(Value::as_str).unwrap_or_default();
    let (about, notes) = (of("about"), of("notes"));
    let plain = html::lines(notes);
    if is_same_text(note, &note_of(about, notes)) || is_same_text(note, &plain) {
        values.remove("notes");
        return;
    }
    let Some(rest) = notes_after(note, about) else { return };
    match notes_of_card(rest) {
        Ok(Some(clean)) if !is_same_text(rest, &plain) => drop(values.insert("notes".to_owned(), Value::from(clean))),
        _ => drop(values.remove("notes")),
    }
}

/// Takes a part of an address out of the values of a row whose record has an address, which stays. Returns what is said of
/// the parts that the address does not have.
fn keep_known_address(draft: &Draft, values: &mut Map<String, Value>, shown: &Value) -> Vec<RowFault> {
    let Some(part) = &draft.address_part else { return Vec::new() };
    let there = shown.as_object().and_then(|shown| value_at(shown, part.path)).and_then(Value::as_str);
    let there = text::folded_words(there.unwrap_or_default());
    if there.is_empty() {
        return Vec::new();
    }
    take_value_at(values, part.path);
    let is_new = |(_, text): &&(u16, String)| !text::has_words(&there, &text::folded_words(text));
    let of = |(column, _): &(u16, String)| RowFault::at(*column, "errors.import.address_part");
    draft.with_values(part.cells.iter().filter(is_new).map(of).collect())
}

/// Takes the values that a call refused out of its body, and returns what is said of them. The values that the record has
/// already, `there`, stay.
/// Errors: the error, if it is about something that a record cannot be without, about an id, or about nothing of the body.
fn leave_out(
    ops: &ExchangeOps,
    draft: &Draft,
    values: &mut Map<String, Value>,
    there: &Value,
    error: Error,
) -> Result<Vec<RowFault>> {
    if !is_of_row(&error) || error.fields().is_empty() {
        return Err(error);
    }
    take_out_refused(ops, draft, values, there, &error).ok_or(error)
}

fn take_out_refused(
    ops: &ExchangeOps,
    draft: &Draft,
    values: &mut Map<String, Value>,
    there: &Value,
    error: &Error,
) -> Option<Vec<RowFault>> {
    // The last entries of a list first, so that the places of the others stay.
    let mut fields: Vec<&(String, Words)> = error.fields().iter().collect();
    fields.sort_by_key(|(path, _)| Reverse(path.split('.').find_map(|part| part.parse::<usize>().ok())));
    let mut said = Vec::new();
    for (path, words) in fields {
        let base = optional_base(ops, path)?;
        let known = there.as_object().and_then(|there| value_at(there, base));
        let is_list = value_at(values, base).is_some_and(Value::is_array);
        for text in take_out(values, base, path, words, known)? {
            let column = draft.column_of_value(base, &text);
            // Of a single value, the report shows the cell of the file.
            let value = Some(text).filter(|_| is_list || column.is_none());
            said.push(RowFault { value, ..RowFault::from_words(column, words) });
        }
    }
    Some(draft.with_values(said))
}

/// Returns the path of the field that a call refuses, if a record can be without it.
fn optional_base<'p>(ops: &ExchangeOps, path: &'p str) -> Option<&'p str> {
    let is_at = |field: &&ExchangeField| {
        path.strip_prefix(field.path).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    if let Some(field) = ops.fields.iter().find(is_at) {
        let is_id = matches!(field.value, ExchangeValue::Id | ExchangeValue::Record(_)) || field.name == "externalId";
        let is_needed = ops.fields.iter().any(|one| one.path == field.path && one.is_required);
        return (!is_id && !is_needed).then_some(&path[..field.path.len()]);
    }
    let key = path.strip_prefix("fields.")?.split('.').next()?;
    Some(&path[.."fields.".len() + key.len()])
}

/// Takes a value out of a body: an entry of a list, what a list has too many, a part of an entry that it can be without, or
/// the whole value. Returns the values that it takes out, as texts.
fn take_out(
    values: &mut Map<String, Value>,
    base: &str,
    path: &str,
    words: &Words,
    known: Option<&Value>,
) -> Option<Vec<String>> {
    let (parent, name) = base.rsplit_once('.').unwrap_or(("", base));
    let mut inner = values;
    for part in parent.split('.').filter(|part| !part.is_empty()) {
        inner = inner.get_mut(part)?.as_object_mut()?;
    }
    let known = known.and_then(Value::as_array).map_or(0, Vec::len);
    if let Some(Value::Array(entries)) = inner.get_mut(name) {
        let rest = path.get(base.len() + 1..).unwrap_or_default();
        let (place, part) = rest.split_once('.').unwrap_or((rest, ""));
        let max = words.params.iter().find(|(name, _)| *name == "max").and_then(|(_, max)| max.parse::<usize>().ok());
        match (place.parse::<usize>(), max) {
            (Ok(place), _) if place >= known && place < entries.len() => {
                if matches!(part, "label" | "name" | "country")
                    && let Some(removed) = entries.get_mut(place)?.as_object_mut()?.remove(part)
                {
                    return Some(vec![short_text(&removed)]);
                }
                return Some(vec![short_text(&entries.remove(place))]);
            }
            (Err(_), Some(max)) if rest.is_empty() && known <= max && max < entries.len() => {
                return Some(entries.split_off(max).iter().map(short_text).collect());
            }
            _ => {}
        }
    }
    inner.remove(name).map(|removed| vec![short_text(&removed)])
}

/// Returns the beginning of a value as a text.
fn short_text(value: &Value) -> String {
    let text = match value {
        Value::String(text) => text.clone(),
        Value::Array(entries) => entries.iter().map(short_text).collect::<Vec<_>>().join("; "),
        Value::Object(entry) => {
            let named = ["email", "phoneNumber", "url", "amount", "title"].into_iter().find_map(|name| entry.get(name));
            named.map(short_text).unwrap_or_default()
        }
        other => other.to_string(),
    };
    text.chars().take(MAX_VALUE).collect()
}

/// The faults of a row that a call refused, at the columns of their fields.
impl Draft {
    fn faults_of(&self, error: &Error) -> Vec<RowFault> {
        let of = |(path, words): &(String, Words)| RowFault::from_words(self.column_of(path), words);
        let faults: Vec<RowFault> = error.fields().iter().map(of).collect();
        if faults.is_empty() { vec![RowFault::from_error(error)] } else { faults }
    }
}
