//! The history of records: which fields changed, when, and which member did it. The write that changes a record adds to
//! its history, and unlike the change feed it is never trimmed.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_with::skip_serializing_none;
use uuid::Uuid;

use super::{
    bin::Binned,
    changes::History,
    codec::{Lookups, Record, Stored, TenantRecord},
    derived::FieldChange,
    scan::Scan,
    write::TenantWrite,
};
use crate::kernel::{Result, Timestamp};

/// Index of history entries by record.
pub const HISTORY_BY_RECORD: u16 = 1_242;
/// Longest value, in bytes as JSON, that a history entry keeps.
const MAX_VALUE_BYTES: usize = 500;
/// For how long a change adds to the last entry when the same member changes the same fields, as happens while they
/// type.
const MERGE_SECONDS: i64 = 5 * 60;

/// What happened to the record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum HistoryEvent {
    /// Fields changed.
    Changed,
    /// It was moved to the bin.
    Removed,
    /// It was taken out of the bin.
    Restored,
    /// Another record was merged into it, which changed the fields.
    Merged,
    /// That merge was undone, which changed the fields.
    Unmerged,
}

/// A record that was merged into another one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MergedRecord {
    /// The record.
    pub id: Uuid,
    /// Its name when it was merged.
    pub title: String,
}

/// A change of one field.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HistoryChange {
    /// The name of the field.
    pub field: String,
    /// The value before; absent when there was none or it is long.
    pub from: Option<Value>,
    /// The value after; absent when there is none or it is long.
    pub to: Option<Value>,
    /// Whether a value was left out because it is long.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub long: bool,
}

impl HistoryChange {
    fn of(change: FieldChange) -> Self {
        let FieldChange { field, from, to } = change;
        let long = [&from, &to].into_iter().flatten().any(is_long);
        if long { Self { field, from: None, to: None, long } } else { Self { field, from, to, long } }
    }
}

/// Whether a value is too long for a history entry.
fn is_long(value: &Value) -> bool {
    match value {
        Value::String(text) => text.len() > MAX_VALUE_BYTES,
        other => other.to_string().len() > MAX_VALUE_BYTES,
    }
}

/// An entry in the history of a record. Its metadata say when and by which member.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HistoryEntry {
    /// The record.
    pub record: Uuid,
    /// What happened.
    pub event: HistoryEvent,
    /// The changed fields, by name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<HistoryChange>,
    /// The record that was merged into this one, for `Merged` and `Unmerged`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub merged: Option<MergedRecord>,
}

impl HistoryEntry {
    const fn new(record: Uuid, event: HistoryEvent, changes: Vec<HistoryChange>) -> Self {
        Self { record, event, changes, merged: None }
    }
}

impl Record for HistoryEntry {
    type Key = Self;
    const KIND: &'static str = "history";
    const TABLE: u16 = 36;
    /// The change feed has the change itself.
    const LEDGER: bool = false;
    fn lookups(record: &Stored<Self>, out: &mut Lookups) {
        out.multi(HISTORY_BY_RECORD, record.record.as_bytes());
    }
}
impl TenantRecord for HistoryEntry {}

impl History {
    /// Returns the changes that have a history.
    fn select(&self, changes: Vec<FieldChange>) -> Vec<HistoryChange> {
        let mut found = Vec::with_capacity(changes.len());
        for change in changes.into_iter().filter(|change| !self.except.contains(&change.field.as_str())) {
            if self.in_parts.contains(&change.field.as_str()) {
                found.extend(change.into_parts().into_iter().map(HistoryChange::of));
            } else {
                found.push(HistoryChange::of(change));
            }
        }
        found
    }
}

impl TenantWrite<'_> {
    /// Adds a change of a record to its history.
    pub(super) fn keep_history<R: Record>(&self, record: &Stored<R>, changes: Vec<FieldChange>) -> Result<()> {
        let Some(changes) = R::HISTORY.map(|history| history.select(changes)).filter(|changes| !changes.is_empty())
        else {
            return Ok(());
        };
        let record = record.id.uuid();
        let Some(last) = self.last_entry(record)?.filter(|last| self.continues(last, &changes)) else {
            return self.create(HistoryEntry::new(record, HistoryEvent::Changed, changes)).map(drop);
        };
        let merged: Vec<HistoryChange> = last
            .changes
            .iter()
            .zip(changes)
            .map(|(before, now)| HistoryChange { from: before.from.clone(), ..now })
            .filter(|change| change.long || change.from != change.to)
            .collect();
        if merged.is_empty() {
            return self.remove::<HistoryEntry>(last.id, None).map(drop);
        }
        let merge = |entry: &mut HistoryEntry| {
            entry.changes = merged;
            Ok(())
        };
        self.update::<HistoryEntry>(last.id, None, merge).map(drop)
    }

    /// Adds to the history of a record that it was moved to the bin, with the time and the member of then, and that it was
    /// taken out. Records that stay in the bin have no entry: their history is not read.
    pub(super) fn keep_restored<R: Record>(&self, record: &Stored<R>, binned: &Stored<Binned>) -> Result<()> {
        if R::HISTORY.is_none() {
            return Ok(());
        }
        let entry = |event| HistoryEntry::new(record.id.uuid(), event, Vec::new());
        self.create_as_of(binned.created_at, binned.created_by, entry(HistoryEvent::Removed))?;
        self.create(entry(HistoryEvent::Restored)).map(drop)
    }

    /// Adds to the history of a record that another one was merged into it, or that this was undone. What `change` changes
    /// in the record belongs to that entry and has none of its own.
    pub fn keep_merged<T>(
        &self,
        record: Uuid,
        event: HistoryEvent,
        merged: MergedRecord,
        change: impl FnOnce() -> Result<T>,
    ) -> Result<T> {
        let empty = HistoryEntry { merged: Some(merged), ..HistoryEntry::new(record, event, Vec::new()) };
        let entry = self.create(empty)?;
        let result = change()?;
        let mut changes = Vec::new();
        // The entry of a merge is never continued, so that these are new.
        while let Some(mut last) = self.last_entry(record)?.filter(|last| last.id > entry.id) {
            changes.append(&mut last.value.changes);
            self.remove::<HistoryEntry>(last.id, None)?;
        }
        if !changes.is_empty() {
            let keep = |entry: &mut HistoryEntry| {
                entry.changes = changes;
                Ok(())
            };
            self.update::<HistoryEntry>(entry.id, None, keep)?;
        }
        Ok(result)
    }

    /// Removes the name and the values of a record that is being erased from an entry about its merge.
    pub fn erase_merged(&self, entry: &Stored<HistoryEntry>, name: &str) -> Result<()> {
        self.rewrite(entry, |entry| {
            if let Some(merged) = &mut entry.merged {
                name.clone_into(&mut merged.title);
            }
            for change in &mut entry.changes {
                *change = HistoryChange { field: change.field.clone(), from: None, to: None, long: true };
            }
        })
    }

    fn last_entry(&self, record: Uuid) -> Result<Option<Stored<HistoryEntry>>> {
        let last = Scan::with(HISTORY_BY_RECORD, record.as_bytes()).reversed(true).limit(1);
        Ok(self.page::<HistoryEntry>(&last, |_| true)?.items.pop())
    }

    /// Whether a change continues the last entry: the same member changes the same fields soon after.
    fn continues(&self, last: &Stored<HistoryEntry>, changes: &[HistoryChange]) -> bool {
        let since: Timestamp = self.now().plus_seconds(-MERGE_SECONDS);
        last.event == HistoryEvent::Changed
            && last.created_by.is_some()
            && last.created_by == self.actor().member()
            && last.created_at >= since
            && last.changes.len() == changes.len()
            && last.changes.iter().zip(changes).all(|(last, now)| last.field == now.field && last.long == now.long)
    }
}
