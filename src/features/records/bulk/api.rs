//! HTTP API of bulk changes.

use std::collections::HashSet;

use poem_openapi::{
    Object, OpenApi,
    param::{Path, Query},
};
use serde::Serialize;
use serde_with::skip_serializing_none;
use uuid::Uuid;

use super::{
    model::{BulkAction, BulkChange, BulkSkip, BulkState},
    rules::{self, MAX_RECORDS},
};
use crate::{
    access::Member,
    feature::{BulkOps, FieldValues, RecordKind},
    features::records::{KindName, KindPath, lists},
    kernel::{Code, Error, Id, MemberId, Result, Timestamp, error::Faults, text},
    people::permission::Read,
    store::{Stored, TenantWrite},
    wire::{Accepted, Empty, IdempotencyKey, Json, JsonResponse, Listed, Reply},
};

/// Maximum records that a request names one by one.
const MAX_IDS: usize = 1_000;

/// A change of many records.
#[skip_serializing_none]
#[derive(Debug, Serialize, Object)]
#[oai(rename = "BulkChange", rename_all = "camelCase", skip_serializing_if_is_none)]
#[serde(rename_all = "camelCase")]
pub struct View {
    id: Id<BulkChange>,
    created_at: Timestamp,
    /// The member who began it.
    created_by: Option<MemberId>,
    /// The kind of the records.
    kind: KindPath,
    /// Whether the records are removed, not changed.
    remove: bool,
    state: BulkState,
    /// The number of records.
    total: u64,
    /// How many of them have been looked at.
    done: u64,
    /// How many were changed. The others were so before, or were skipped.
    changed: u64,
    /// How many could not be changed.
    skipped: u64,
    /// The first 100 of those.
    skips: Vec<Skip>,
    /// How many changes were undone.
    undone: u64,
    /// How many could not be undone.
    undo_skipped: u64,
    /// The first 100 of those. `stale_version`: the record was changed since. `conflict`: another record has a value that
    /// must be unique.
    undo_skips: Vec<Skip>,
    /// The member who undid it, or is doing so.
    undone_by: Option<MemberId>,
}

/// A record that could not be changed, or whose change could not be undone.
#[derive(Debug, Serialize, Object)]
#[oai(rename = "BulkSkip")]
struct Skip {
    id: Uuid,
    /// The code of the error that the call for one record returns.
    reason: String,
}

impl From<Stored<BulkChange>> for View {
    fn from(record: Stored<BulkChange>) -> Self {
        let Stored { id, created_at, created_by, value: change, .. } = record;
        let listed = |skips: Vec<BulkSkip>| {
            let skips = skips.into_iter().map(|skip| Skip { id: skip.id.uuid(), reason: skip.reason });
            skips.collect()
        };
        Self {
            id,
            created_at,
            created_by,
            kind: KindPath::of(change.kind.kind()),
            remove: change.action == BulkAction::Remove,
            state: change.state,
            total: change.total,
            done: change.done,
            changed: change.changed,
            skipped: change.skipped,
            skips: listed(change.skips),
            undone: change.undone,
            undo_skipped: change.undo_skipped,
            undo_skips: listed(change.undo_skips),
            undone_by: change.undone_by,
        }
    }
}

/// A new bulk change: the records, and what is done to each. With neither `ids` nor filters, it concerns all records of
/// the kind.
#[derive(Object)]
#[oai(rename = "NewBulkChange", rename_all = "camelCase", deny_unknown_fields)]
struct New {
    /// The kind of the records.
    kind: KindPath,
    /// The ids of the records, at most 1,000.
    ids: Option<Vec<Uuid>>,
    /// Without `ids`: filters that the records must all pass, as in the parameter `filter` of the list calls. At most
    /// 10.
    #[oai(default)]
    filter: Vec<String>,
    /// Without `ids`: words that the records must match.
    q: Option<String>,
    /// The fields to set, as in the call that changes one record. `getSchema` names those of each kind.
    change: Option<FieldValues>,
    /// Tags to add, at most 30.
    #[oai(default)]
    add_tags: Vec<String>,
    /// Tags to take away, at most 30.
    #[oai(default)]
    remove_tags: Vec<String>,
    /// Whether the records are removed, to the bin.
    #[oai(default)]
    remove: bool,
}

impl New {
    /// Returns what is done to each record.
    /// Errors: `invalid`.
    fn action(&mut self, ops: &BulkOps) -> Result<BulkAction> {
        let mut faults = Faults::default();
        let values: serde_json::Map<_, _> = self.change.take().unwrap_or_default().0.into_iter().collect();
        for (field, tags) in [("addTags", &self.add_tags), ("removeTags", &self.remove_tags)] {
            if faults.few(field, tags.len(), text::MAX_TAGS) && !tags.is_empty() && !ops.fields.contains(&"tags") {
                faults.add(field, "errors.fields.bulk_tags");
            }
        }
        faults.few("ids", self.ids.as_ref().map_or(0, Vec::len), MAX_IDS);
        for name in values.keys().filter(|name| !ops.fields.contains(&name.as_str())) {
            let name: String = name.chars().take(100).collect();
            faults.add_with(format!("change.{name}"), "errors.fields.enum", vec![("values", ops.fields.join(", "))]);
        }
        faults.into_result()?;
        let mut faults = Faults::default();
        (ops.check)(&values, &mut faults);
        let (add_tags, remove_tags) = (text::tags(&self.add_tags), text::tags(&self.remove_tags));
        let is_change = !(values.is_empty() && add_tags.is_empty() && remove_tags.is_empty());
        if is_change == self.remove {
            faults.add(if is_change { "remove" } else { "change" }, "errors.fields.bulk_action");
        }
        if self.ids.is_some() && (self.q.is_some() || !self.filter.is_empty()) {
            faults.add("ids", "errors.fields.bulk_ids");
        }
        faults.into_result()?;
        if self.remove {
            return Ok(BulkAction::Remove);
        }
        let patch = serde_json::to_string(&values).map_err(Error::internal)?;
        Ok(BulkAction::Change { patch, add_tags, remove_tags })
    }

    /// Returns the ids of the records, each once.
    async fn records(self, member: &Member<Read>, kind: &'static RecordKind, ops: &BulkOps) -> Result<Vec<Uuid>> {
        let ids = match self.ids {
            Some(ids) => ids,
            None => {
                let words = lists::words(ops.heading, self.q);
                let list = lists::IdList { filters: &self.filter, words, max: MAX_RECORDS, ..lists::IdList::default() };
                lists::find_ids(member, kind, list).await?
            }
        };
        let mut known = HashSet::new();
        Ok(ids.into_iter().filter(|id| known.insert(*id)).collect())
    }
}

/// The endpoints of bulk changes.
pub struct Api;

#[OpenApi(tag = "crate::wire::Tag::Records")]
impl Api {
    /// Change or remove many records.
    ///
    /// Changes the first 25 records at once, of pages the first 5, and the others in the background: `getBulkChange` says
    /// how far it is. What
    /// the caller may not change is skipped; when that are all records, the response is the first refusal. A member
    /// makes one bulk change at a time, of at most 100,000 records. It can be undone for 30 days: the last 20 changes,
    /// with 200,000 records in all. With more than 20 records, no notifications are sent.
    #[oai(path = "/bulk", method = "post", operation_id = "createBulkChange")]
    async fn create(
        &self,
        member: Member<Read>,
        #[oai(name = "Idempotency-Key")] key: IdempotencyKey,
        body: Json<New>,
    ) -> Reply<Accepted<View>> {
        let mut new = body.0;
        let kind = new.kind.kind();
        let ops = kind.bulk.ok_or_else(|| Error::field("kind", "errors.fields.bulk_kind"))?;
        let right = if new.remove { kind.rights.delete_own } else { kind.rights.write };
        if !member.may(kind.rights.read) || !member.may(right) {
            return Err(Error::new(Code::Forbidden).into());
        }
        let action = new.action(&ops)?;
        let ids = new.records(&member, kind, &ops).await?;
        let (name, reader) = (KindName::of(kind), member.reader());
        let work = move |tx: &TenantWrite<'_>| rules::begin(tx, reader, name, action, &ids);
        let change = member.write_idempotent("bulk.create", key.0, body.1, work).await?;
        Ok(Accepted(change.into()))
    }

    /// List bulk changes that can be undone, or were.
    ///
    /// The newest one comes first. Members see their own, administrators those of all members. A change is listed for 30
    /// days, as long as it is among the last 20 of its author, with 200,000 records in all.
    #[oai(path = "/bulk", method = "get", operation_id = "listBulkChanges")]
    async fn list(
        &self,
        member: Member<Read>,
        /// Only changes of records of this kind.
        kind: Query<Option<KindPath>>,
        limit: Query<Option<u32>>,
        cursor: Query<Option<String>>,
    ) -> Reply<Listed<View>> {
        let cursors = member.cursors();
        let paging = cursors.paging(limit.0, cursor.0.as_deref())?;
        let reader = member.reader();
        let kind = kind.0.map(|kind| KindName::of(kind.kind()));
        let found = member.read_blocking(move |tx| rules::list(tx, reader, kind, paging)).await?;
        let list = cursors.list(found.page.items, found.page.next, found.total)?;
        Ok(Listed(list.without_damaged(found.page.damaged)))
    }

    /// Get a bulk change.
    ///
    /// Members see their own, administrators those of all members.
    #[oai(path = "/bulk/:id", method = "get", operation_id = "getBulkChange")]
    async fn get(&self, member: Member<Read>, id: Path<Id<BulkChange>>) -> Reply<JsonResponse<View>> {
        let reader = member.reader();
        let change = member.read(|tx| rules::get(tx, reader, id.0))?;
        member.await_all_writes()?;
        Ok(JsonResponse(change.into()))
    }

    /// Stop a bulk change before its end.
    ///
    /// What was changed stays changed until it is undone.
    #[oai(path = "/bulk/:id/stop", method = "post", operation_id = "stopBulkChange")]
    async fn stop(
        &self,
        member: Member<Read>,
        id: Path<Id<BulkChange>>,
        _body: Json<Empty>,
    ) -> Reply<JsonResponse<View>> {
        let reader = member.reader();
        Ok(JsonResponse(member.write(move |tx| rules::stop(tx, reader, id.0)).await?.into()))
    }

    /// Undo a bulk change.
    ///
    /// In the background, like the change. Records that were changed since then, or that cannot be put back, stay as they
    /// are and are listed; another call tries those again. Administrators also undo the changes of other members. 409
    /// `conflict` while it is in progress, or when all of it was undone before.
    #[oai(path = "/bulk/:id/undo", method = "post", operation_id = "undoBulkChange")]
    async fn undo(&self, member: Member<Read>, id: Path<Id<BulkChange>>, _body: Json<Empty>) -> Reply<Accepted<View>> {
        let reader = member.reader();
        Ok(Accepted(member.write(move |tx| rules::undo(tx, reader, id.0)).await?.into()))
    }
}
