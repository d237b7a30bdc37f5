//! Applying a row of a file within a write.

use serde_json::{Map, Value};
use uuid::Uuid;

use super::{
    draft::{Draft, Reference, ReferenceKey},
    model::{Duplicates, RowFault, RowOutcome},
};
use crate::{
    feature::{
        BulkPatch, ExchangeOps, MatchKeys, RecordKind,
        exchange::{is_of_row, is_same_item, set_value_at},
    },
    kernel::text,
    kernel::{Error, Result},
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

/// Creates or changes the record of a row.
/// Errors: only those that are not about the row.
pub fn apply(
    tx: &TenantWrite<'_>,
    reader: Reader,
    kind: &'static RecordKind,
    draft: &Draft,
    duplicates: Duplicates,
) -> Result<RowOutcome> {
    let Some(ops) = kind.exchange else { return Err(Error::internal("a kind that is not imported")) };
    if !draft.faults.is_empty() {
        return Ok(RowOutcome::Failed { faults: draft.with_values(draft.faults.clone()) });
    }
    let mut also = Vec::new();
    let applied = tx.attempt(|| apply_resolved(tx, reader, (kind, &ops), draft, duplicates, &mut also));
    let outcome = match applied {
        Ok(RowOutcome::Failed { faults }) => RowOutcome::Failed { faults: draft.with_values(faults) },
        Ok(outcome) => outcome,
        Err(error) if is_of_row(&error) => {
            // Taken back with the rest of the row.
            also.clear();
            RowOutcome::Failed { faults: draft.with_values(draft.faults_of(&error)) }
        }
        Err(error) => return Err(error),
    };
    if matches!(outcome, RowOutcome::Failed { .. } | RowOutcome::Skipped { .. }) {
        for made in also {
            discard(tx, made.kind, made.id)?;
        }
    }
    Ok(outcome)
}

fn apply_resolved(
    tx: &TenantWrite<'_>,
    reader: Reader,
    (kind, ops): (&'static RecordKind, &ExchangeOps),
    draft: &Draft,
    duplicates: Duplicates,
    also: &mut Vec<MadeRecord>,
) -> Result<RowOutcome> {
    let found = match duplicates {
        Duplicates::Add => None,
        Duplicates::Skip | Duplicates::Update => (ops.find)(tx, reader, &draft.keys)?,
    };
    let key = draft.keys.id.map(MatchKeys::key_of).or_else(|| draft.keys.import_key.clone());
    if let Some(id) = found {
        if let Some(key) = key.as_deref().filter(|_| draft.keys.id != Some(id)) {
            (ops.set_import_key)(tx, id, key)?;
        }
        if duplicates == Duplicates::Skip {
            return Ok(RowOutcome::Skipped { id: id.into() });
        }
    }
    let mut values = draft.values.clone();
    for reference in &draft.references {
        match resolve(tx, reader, reference, also)? {
            Ok(id) => set_value_at(&mut values, reference.path, Value::from(id.to_string())),
            Err(key) => return Ok(RowOutcome::Failed { faults: vec![reference.fault(key)] }),
        }
    }
    let names = |also: &[MadeRecord]| also.iter().map(|made| (made.kind.kind.to_owned(), made.id)).collect();
    let digests = |also: &[MadeRecord]| also.iter().map(|made| made.digest.clone()).collect();
    let Some(id) = found else {
        if let Some(fault) = draft.missing() {
            return Ok(RowOutcome::Failed { faults: vec![fault] });
        }
        let key = key.filter(|_| duplicates != Duplicates::Add);
        let (id, digest) = (ops.create)(tx, reader, values, key)?;
        let also_digests = digests(also);
        return Ok(RowOutcome::Created { id: id.into(), digest, also: names(also), also_digests });
    };
    let (Some(bulk), Some((_, shown))) = (kind.bulk, (ops.shown)(tx, reader, id)?) else {
        return Err(Error::not_found());
    };
    let patch = BulkPatch { values: extended(values, &shown), quiet: true, ..BulkPatch::default() };
    let changed = (bulk.change)(tx, reader, id.into_bytes(), &patch)?;
    Ok(match changed {
        None => RowOutcome::Skipped { id: id.into() },
        Some(changed) => RowOutcome::Updated {
            id: id.into(),
            version: changed.version,
            digest: changed.digest,
            undo: serde_json::to_string(&changed.before).map_err(Error::internal)?,
            also: names(also),
            also_digests: digests(also),
        },
    })
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
    let name = match &reference.key {
        ReferenceKey::Id(id) => {
            let keys = MatchKeys { id: Some(*id), ..MatchKeys::default() };
            return Ok((ops.find)(tx, reader, &keys)?.ok_or(UNKNOWN));
        }
        ReferenceKey::Email(email) => {
            let keys = MatchKeys { emails: vec![email.clone()], ..MatchKeys::default() };
            return Ok((ops.find)(tx, reader, &keys)?.ok_or(UNKNOWN));
        }
        ReferenceKey::Name(name) => name,
    };
    match (ops.find_named)(tx, reader, &text::fold(name))?.as_slice() {
        [id] => Ok(Ok(*id)),
        [_, ..] => Ok(Err("errors.import.ambiguous_record")),
        [] if !reference.creates || !reader.role.has(kind.rights.write) => Ok(Err(UNKNOWN)),
        [] => {
            let values = Map::from_iter([("name".to_owned(), Value::from(name.clone()))]);
            let (id, digest) = (ops.create)(tx, reader, values, None)?;
            also.push(MadeRecord { kind, id, digest });
            Ok(Ok(id))
        }
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

/// The faults of a row that a call refused, at the columns of their fields.
impl Draft {
    fn faults_of(&self, error: &Error) -> Vec<RowFault> {
        let of =
            |(path, words): &(String, crate::kernel::error::Words)| RowFault::from_words(self.column_of(path), words);
        let faults: Vec<RowFault> = error.fields().iter().map(of).collect();
        if faults.is_empty() { vec![RowFault::from_error(error)] } else { faults }
    }
}
