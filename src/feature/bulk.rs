//! Bulk changes: what they ask of each record, and how a kind applies it.

use poem_openapi::types::{ParseFromJSON, ToJSON};
use serde::Serialize;
use serde_json::{Map, Value};
use sha2::{Digest as _, Sha256};
use uuid::Uuid;

use super::{KindRecord, fields_in_use, hide_deleted_values, remove};
use crate::{
    kernel::{Code, Error, Heading, Id, Result, error::Faults, hex},
    people::permission::Reader,
    store::{Record, RecordId, Stored, TenantRead, TenantWrite},
};

/// A kind of record that is changed in bulk.
pub trait BulkRecord: KindRecord {
    /// How calls present it.
    type View: From<Stored<Self>> + ToJSON + Serialize;
    /// The patch of the call that changes one record.
    type Patch: ParseFromJSON;

    /// Under which heading search finds its records.
    const HEADING: Heading;

    /// The fields of the patch that a bulk change may set. With `tags`, it may also add and take away tags.
    const FIELDS: &'static [&'static str];

    /// The members of the patch that may change with others, such as the company with the organization. To undo a change
    /// is to set them back, too.
    const FOLLOWING: &'static [&'static str] = &[];

    /// Changes that members make in bulk only, by name.
    const OWN_CHANGES: &'static [(&'static str, OwnChange)] = &[];

    /// How many records one write changes, so that other writes do not wait for long.
    const AT_ONCE: usize = 25;

    /// Changes a record as the call for one record does. `quiet`: without notifications.
    fn change(
        tx: &TenantWrite<'_>,
        reader: Reader,
        id: RecordId<Self>,
        patch: Self::Patch,
        quiet: bool,
    ) -> Result<Stored<Self>>;

    /// Moves a record to the bin. `any` is whether the caller may remove records that others created; `quiet`: without
    /// notifications.
    fn remove(tx: &TenantWrite<'_>, _reader: Reader, id: RecordId<Self>, any: bool, _quiet: bool) -> Result<()> {
        remove::<Self>(tx, id, any, None).map(drop)
    }
}

/// What a bulk change asks of each record.
#[derive(Clone, Debug, Default)]
pub struct BulkPatch {
    /// The members of the patch, as in the call that changes one record.
    pub values: Map<String, Value>,
    /// Tags to add.
    pub add_tags: Vec<String>,
    /// Tags to take away.
    pub remove_tags: Vec<String>,
    /// Whether no notifications are sent.
    pub quiet: bool,
}

/// Changes a record. Returns `None` when it was so before.
pub type ChangeInBulk = fn(&TenantWrite<'_>, Reader, [u8; 16], &BulkPatch) -> Result<Option<BulkChanged>>;

/// Changes a record in a way of its kind's own. Returns `None` when there was nothing to change.
pub type OwnChange = fn(&TenantWrite<'_>, Reader, [u8; 16]) -> Result<Option<BulkChanged>>;

/// Moves a record to the bin. The flags are whether the caller may remove records that others created, and whether no
/// notifications are sent.
pub type RemoveInBulk = fn(&TenantWrite<'_>, Reader, [u8; 16], bool, bool) -> Result<()>;

/// How the records of a kind are changed in bulk.
#[derive(Clone, Copy, Debug)]
pub struct BulkOps {
    /// Under which heading search finds the records.
    pub heading: Heading,
    /// The fields that a bulk change may set. With `tags`, it may also add and take away tags.
    pub fields: &'static [&'static str],
    /// How many records one write changes.
    pub at_once: usize,
    /// Checks the types of the values of a patch.
    pub check: fn(&Map<String, Value>, &mut Faults),
    /// Changes a record.
    /// Errors: those of the call that changes one record.
    pub change: ChangeInBulk,
    /// Moves a record to the bin.
    pub remove: RemoveInBulk,
    /// The members of the patch that may change with others.
    pub following: &'static [&'static str],
    /// Changes that members make in bulk only, by name.
    pub own_changes: &'static [(&'static str, OwnChange)],
    /// Returns the version of a record; `None` when it is gone.
    pub version: fn(&TenantRead<'_>, [u8; 16]) -> Result<Option<u64>>,
    /// Returns the digest of the contents of a record; `None` when it is gone.
    pub digest: fn(&TenantRead<'_>, [u8; 16]) -> Result<Option<String>>,
}

impl BulkOps {
    /// Returns the operations of a kind.
    pub(super) const fn of<R: BulkRecord>() -> Self {
        Self {
            heading: R::HEADING,
            fields: R::FIELDS,
            at_once: R::AT_ONCE,
            check: check_patch::<R::Patch>,
            change: change_record::<R>,
            remove: remove_record::<R>,
            following: R::FOLLOWING,
            own_changes: R::OWN_CHANGES,
            version: |tx, id| Ok(tx.find::<R>(Id::from_bytes(id))?.map(|record| record.version)),
            digest: |tx, id| tx.find::<R>(Id::from_bytes(id))?.map(|record| content_digest(&record.value)).transpose(),
        }
    }

    /// Gives a record earlier values, without notifications. Those that no longer fit, such as a status that was removed
    /// since, are left out.
    /// Errors: those of the call that changes one record, when they name no value.
    pub fn put_back(
        &self,
        tx: &TenantWrite<'_>,
        reader: Reader,
        id: [u8; 16],
        mut values: Map<String, Value>,
    ) -> Result<PutBack> {
        let mut left = Map::new();
        loop {
            let patch = BulkPatch { values: values.clone(), quiet: true, ..BulkPatch::default() };
            let error = match tx.attempt(|| tx.putting_back(|| (self.change)(tx, reader, id, &patch))) {
                Ok(changed) => {
                    // What follows from the values that were put back is right as it is.
                    left.retain(|name, _| !self.following.contains(&name.as_str()));
                    return Ok(PutBack { changed, left });
                }
                Err(error) if error.code() == Code::Invalid => error,
                Err(error) => return Err(error),
            };
            let before = values.clone();
            error.fields().iter().for_each(|(path, _)| move_member(&mut values, &mut left, path));
            if values.is_empty() {
                return Ok(PutBack { changed: None, left });
            }
            if values == before {
                return Err(error);
            }
        }
    }

    /// Rejects a record whose contents are others than a change left them. A record that was changed since then and got
    /// back its former contents has another version, and the same digest.
    /// Errors: `stale_version`; `not_found`.
    pub fn ensure_left_as(&self, tx: &TenantRead<'_>, id: [u8; 16], version: u64, digest: &str) -> Result<()> {
        let now = (self.version)(tx, id)?.ok_or_else(Error::not_found)?;
        if now == version || (self.digest)(tx, id)?.is_some_and(|now| now == digest) {
            Ok(())
        } else {
            Err(Error::new(Code::StaleVersion))
        }
    }
}

/// What became of earlier values that a record was to be given again.
#[derive(Debug)]
pub struct PutBack {
    /// The record after its change; `None` when it was so before.
    pub changed: Option<BulkChanged>,
    /// The values that no longer fit.
    pub left: Map<String, Value>,
}

/// Moves the member that a fault names, such as `status`, `details.company` or `tags.2`, from one patch to another.
fn move_member(from: &mut Map<String, Value>, to: &mut Map<String, Value>, path: &str) {
    let (name, rest) = path.split_once('.').unwrap_or((path, ""));
    let inner = rest.split('.').next().unwrap_or_default();
    let Some(value) = from.get_mut(name) else { return };
    if let Some((inner, moved)) = value.as_object_mut().and_then(|object| object.remove_entry(inner)) {
        let is_empty = value.as_object().is_some_and(Map::is_empty);
        if let Some(object) = to.entry(name).or_insert_with(|| Value::Object(Map::new())).as_object_mut() {
            object.insert(inner, moved);
        }
        if is_empty {
            from.remove(name);
        }
    } else if let Some(value) = from.remove(name) {
        to.insert(name.to_owned(), value);
    }
}

/// A record after its change.
#[derive(Debug)]
pub struct BulkChanged {
    /// Its version.
    pub version: u64,
    /// The digest of its contents.
    pub digest: String,
    /// The patch that undoes the change.
    pub before: Map<String, Value>,
    /// A record that was created for it, with its `Record::KIND`.
    pub created: Option<(&'static str, Uuid)>,
}

impl BulkChanged {
    /// Describes a change from the state that calls show as `before` to `after`. It is undone by the earlier values of
    /// the members of `values`, and of those members that followed them.
    fn between<R: BulkRecord>(values: &Map<String, Value>, before: &Value, after: Stored<R>) -> Self {
        let version = after.version;
        let digest = content_digest(&after.value).unwrap_or_default();
        let mut undo = members_of(values, before);
        if !R::FOLLOWING.is_empty() {
            let after = R::View::from(after).to_json().unwrap_or_default();
            for name in R::FOLLOWING.iter().filter(|name| before.get(name) != after.get(name)) {
                undo.insert((*name).to_owned(), earlier_value(before.get(name), after.get(name)));
            }
        }
        Self { version, digest, before: undo, created: None }
    }

    /// The same for a change that no patch describes: `fields` are the members of the patch that it changed.
    pub fn of_fields<R: BulkRecord>(fields: &[&str], before: Stored<R>, after: Stored<R>) -> Self {
        let values = fields.iter().map(|name| ((*name).to_owned(), Value::Null)).collect();
        let before = R::View::from(before).to_json().unwrap_or_default();
        Self::between(&values, &before, after)
    }

    /// Adds that a record was created for the change.
    #[must_use]
    pub const fn creating(mut self, kind: &'static str, id: Uuid) -> Self {
        self.created = Some((kind, id));
        self
    }
}

/// Returns a digest of the contents of a record: its fields that have a history, so without those that the server derives
/// from other records.
pub(super) fn content_digest<R: Record>(record: &R) -> Result<String> {
    let mut contents = serde_json::to_value(record).map_err(Error::internal)?;
    if let (Value::Object(fields), Some(history)) = (&mut contents, R::HISTORY) {
        fields.retain(|name, _| !history.except.contains(&name.as_str()));
    }
    let sum = Sha256::digest(contents.to_string());
    Ok(hex::encode(sum.get(..16).unwrap_or_default()))
}

/// Returns an earlier value, of an object only the members that are others now; null for what was not there.
fn earlier_value(before: Option<&Value>, after: Option<&Value>) -> Value {
    let (Some(Value::Object(before)), Some(Value::Object(after))) = (before, after) else {
        return before.cloned().unwrap_or_default();
    };
    let names = before.keys().chain(after.keys().filter(|name| !before.contains_key(*name)));
    let changed = names.filter(|name| before.get(*name) != after.get(*name));
    changed.map(|name| (name.clone(), before.get(name).cloned().unwrap_or_default())).collect()
}

/// Checks each value of a patch of type `P` by itself, so that a fault names its field.
fn check_patch<P: ParseFromJSON>(values: &Map<String, Value>, faults: &mut Faults) {
    for (name, value) in values {
        let alone = Map::from_iter([(name.clone(), value.clone())]);
        if P::parse_from_json(Some(Value::Object(alone))).is_err() {
            faults.add(format!("change.{name}"), "errors.fields.bulk_value");
        }
    }
}

/// Changes a record.
/// Errors: `not_found`, also when the reader may not see it; those of the call that changes one record.
fn change_record<R: BulkRecord>(
    tx: &TenantWrite<'_>,
    reader: Reader,
    id: [u8; 16],
    patch: &BulkPatch,
) -> Result<Option<BulkChanged>> {
    let id = Id::from_bytes(id);
    let old = tx.get::<R>(id)?;
    if !R::is_visible_to(&old, reader) {
        return Err(Error::not_found());
    }
    let version = old.version;
    let mut shown = R::View::from(old).to_json().unwrap_or_default();
    if patch.values.contains_key("fields") {
        // A deleted choice cannot be put back: to undo the change is to clear the value.
        hide_deleted_values(&mut shown, &fields_in_use(tx, R::KIND)?);
    }
    let values = with_tags(patch, &shown);
    let parsed = R::Patch::parse_from_json(Some(Value::Object(values.clone())));
    let parsed = parsed.map_err(|error| Error::internal(error.into_message()))?;
    let new = R::change(tx, reader, id, parsed, patch.quiet)?;
    Ok((new.version != version).then(|| BulkChanged::between(&values, &shown, new)))
}

/// Moves a record to the bin.
/// Errors: `not_found`, also when the reader may not see it; those of the call that removes one record.
fn remove_record<R: BulkRecord>(
    tx: &TenantWrite<'_>,
    reader: Reader,
    id: [u8; 16],
    any: bool,
    quiet: bool,
) -> Result<()> {
    let id = Id::from_bytes(id);
    if !R::is_visible_to(&tx.get::<R>(id)?, reader) {
        return Err(Error::not_found());
    }
    R::remove(tx, reader, id, any, quiet)
}

/// Returns the values of a patch, with the tags that a record then has.
fn with_tags(patch: &BulkPatch, shown: &Value) -> Map<String, Value> {
    let mut values = patch.values.clone();
    if patch.add_tags.is_empty() && patch.remove_tags.is_empty() {
        return values;
    }
    let had = shown.get("tags").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    let mut tags: Vec<String> =
        had.filter(|tag| patch.remove_tags.iter().all(|one| one != tag)).map(str::to_owned).collect();
    let added = patch.add_tags.iter().filter(|tag| !tags.contains(tag)).cloned().collect::<Vec<_>>();
    tags.extend(added);
    values.insert("tags".to_owned(), tags.into());
    values
}

/// Returns what a record shows of the members of a patch, null for what it has not.
pub fn members_of(values: &Map<String, Value>, shown: &Value) -> Map<String, Value> {
    let had = |shown: &Value, name: &str| shown.get(name).cloned().unwrap_or_default();
    let of = |(name, value): (&String, &Value)| match value {
        Value::Object(inner) => {
            let shown = had(shown, name);
            let inner = inner.keys().map(|name| (name.clone(), had(&shown, name)));
            (name.clone(), Value::Object(inner.collect()))
        }
        _ => (name.clone(), had(shown, name)),
    };
    values.iter().map(of).collect()
}
