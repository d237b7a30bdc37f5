//! HTTP API of merges.

use std::collections::HashMap;

use poem_openapi::{
    Object, OpenApi,
    param::{Path, Query},
};
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;
use uuid::Uuid;

use super::{
    combine::Choice,
    model::{Merge, merges_of},
    rules::{self, NewMerge},
};
use crate::{
    access::Member,
    features::records::{KindName, KindPath, bulk::BulkState, duplicates},
    kernel::{Id, MemberId, Result, Timestamp, error::Faults},
    people::permission::Read,
    store::{Scan, Stored, TenantRead, TenantWrite},
    wire::{Empty, IfMatch, Json, JsonResponse, Listed, Reply},
};

/// Maximum choices of a request.
const MAX_CHOICES: usize = 100;

/// A record that became part of another one.
#[skip_serializing_none]
#[derive(Debug, Serialize, Deserialize, Object)]
#[oai(rename = "Merge", rename_all = "camelCase", skip_serializing_if_is_none)]
#[serde(rename_all = "camelCase")]
struct View {
    id: Id<Merge>,
    created_at: Timestamp,
    /// The member who merged them.
    created_by: Option<MemberId>,
    /// The kind of both.
    kind: KindName,
    /// The record that is kept.
    kept_id: Uuid,
    /// Its name after the merge.
    kept_title: String,
    /// The record that was merged into it.
    duplicate_id: Uuid,
    /// Its name.
    duplicate_title: String,
    state: BulkState,
    /// How many comments, activities, files, links and referring records followed so far.
    moved: u64,
    /// After it was undone: how many of them stayed with the kept record, because they were changed since.
    left: u64,
    /// After it was undone: the fields of the kept record that stayed, because they were changed since.
    left_fields: Vec<String>,
    /// Until when it can be undone; absent when it no longer can.
    undoable_until: Option<Timestamp>,
}

impl View {
    fn of(tx: &TenantRead<'_>, merge: Stored<Merge>) -> Result<Self> {
        let undoable_until = rules::undoable_until(tx, &merge)?;
        let Stored { id, created_at, created_by, value, .. } = merge;
        Ok(Self {
            id,
            created_at,
            created_by,
            kind: value.kind,
            kept_id: value.kept,
            kept_title: value.kept_title,
            duplicate_id: value.duplicate,
            duplicate_title: value.duplicate_title,
            state: value.state,
            moved: value.moved,
            left: value.left,
            left_fields: value.left_fields,
            undoable_until,
        })
    }
}

/// Which record is merged into the one in the path, and what happens to the fields.
#[derive(Object)]
#[oai(rename = "NewMerge", rename_all = "camelCase", deny_unknown_fields)]
struct New {
    /// The record that becomes part of the other one, and goes to the bin.
    duplicate_id: Uuid,
    /// What happens to fields, by their paths such as `details.title`, `tags` and `fields.size`; at most 100. A field
    /// without a choice keeps its value, or gets the duplicate's when it has none; lists are united, and notes joined.
    #[oai(default)]
    fields: HashMap<String, Choice>,
}

/// The endpoints of merges.
pub struct Api;

#[OpenApi(tag = "crate::wire::Tag::Records")]
impl Api {
    /// Merge a record into another one.
    ///
    /// The record in the path is kept. Comments, activities, files and links of the duplicate follow, and what refers to
    /// it: the first 50 at once, the others in the background. The duplicate goes to the bin. It requires the right to
    /// change records of the kind, and to remove the duplicate. Customers and organizations are merged.
    #[oai(path = "/:kind/:id/merge", method = "post", operation_id = "mergeRecords")]
    async fn merge(
        &self,
        member: Member<Read>,
        kind: Path<KindPath>,
        id: Path<Uuid>,
        #[oai(name = "If-Match")] if_match: IfMatch,
        body: Json<New>,
    ) -> Reply<JsonResponse<View>> {
        let New { duplicate_id: duplicate, fields: choices } = body.0;
        let mut faults = Faults::default();
        faults.few("fields", choices.len(), MAX_CHOICES);
        faults.into_result()?;
        let new = NewMerge { kept: id.0, duplicate, choices, expected: if_match.0 };
        let reader = member.reader();
        let work = move |tx: &TenantWrite<'_>| View::of(tx, rules::begin(tx, reader, kind.0.kind(), new)?);
        Ok(JsonResponse(member.write(work).await?))
    }

    /// List merges.
    ///
    /// Those of the last 30 days, the last one first.
    #[oai(path = "/merges", method = "get", operation_id = "listMerges")]
    async fn list(
        &self,
        member: Member<Read>,
        kind: Query<KindPath>,
        limit: Query<Option<u32>>,
        cursor: Query<Option<String>>,
    ) -> Reply<Listed<View>> {
        let cursors = member.cursors();
        let paging = cursors.paging(limit.0, cursor.0.as_deref())?;
        let kind = kind.0.kind();
        duplicates::ops(kind)?;
        let reader = member.reader();
        let page = member.read_blocking(move |tx| {
            duplicates::ensure(reader, kind.rights.read)?;
            let scan = Scan::all().reversed(true).limit(paging.limit).after(paging.after);
            let page = tx.page::<Merge>(&scan, |merge| merge.kind == KindName::of(kind))?;
            let total = tx.counter(&merges_of(KindName::of(kind)))?.try_into().unwrap_or(0);
            let items = page.items.into_iter().map(|merge| View::of(tx, merge)).collect::<Result<Vec<_>>>()?;
            Ok((items, page.next, total, page.damaged))
        });
        let (items, next, total, damaged) = page.await?;
        Ok(Listed(cursors.list(items, next, total)?.without_damaged(damaged)))
    }

    /// Get a merge.
    #[oai(path = "/merges/:id", method = "get", operation_id = "getMerge")]
    async fn get(&self, member: Member<Read>, id: Path<Id<Merge>>) -> Reply<JsonResponse<View>> {
        let reader = member.reader();
        let view = member.read(|tx| View::of(tx, rules::get(tx, reader, id.0)?))?;
        member.await_all_writes()?;
        Ok(JsonResponse(view))
    }

    /// Undo a merge.
    ///
    /// Within 30 days, by the member who merged the records or one who may remove any. The duplicate is taken out of the
    /// bin, and what followed goes back, in the background when there is much. What was changed since stays as it is.
    #[oai(path = "/merges/:id/undo", method = "post", operation_id = "undoMerge")]
    async fn undo(&self, member: Member<Read>, id: Path<Id<Merge>>, _body: Json<Empty>) -> Reply<JsonResponse<View>> {
        let reader = member.reader();
        let work = move |tx: &TenantWrite<'_>| View::of(tx, rules::undo(tx, reader, id.0)?);
        Ok(JsonResponse(member.write(work).await?))
    }
}
