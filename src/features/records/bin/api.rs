//! HTTP API of the bin.

use poem_openapi::{
    Object, OpenApi,
    param::{Path, Query},
};
use serde::Serialize;
use serde_with::skip_serializing_none;
use uuid::Uuid;

use super::rules::{self, BinFilter, InBin};
use crate::{
    access::Member,
    feature::Summary,
    features::records::KindName,
    kernel::{MemberId, Timestamp},
    people::permission::{BinEmpty, Read},
    wire::{Empty, Json, JsonResponse, Listed, NoContent, Reply},
};

/// A removed record that can be restored.
#[skip_serializing_none]
#[derive(Debug, Serialize, Object)]
#[oai(rename = "BinnedRecord", rename_all = "camelCase", skip_serializing_if_is_none)]
#[serde(rename_all = "camelCase")]
struct View {
    /// The id of the record.
    id: Uuid,
    kind: KindName,
    /// The name or title.
    title: String,
    /// A second line, such as the company of a customer.
    subtitle: Option<String>,
    removed_at: Timestamp,
    /// The member who removed it.
    removed_by: Option<MemberId>,
    /// When it is removed for good.
    purged_at: Timestamp,
    /// Only of a person that the retention of their status removed: after how many months without contact or change. They
    /// are erased when they leave the bin, unless they are restored.
    retention_months: Option<u16>,
    /// The record that it was merged into. To restore it is to undo the merge.
    merged_into: Option<MergedInto>,
}

/// The record that another one was merged into.
#[derive(Debug, Serialize, Object)]
#[oai(rename = "MergedInto")]
struct MergedInto {
    id: Uuid,
    /// Its name after the merge.
    title: String,
    /// The path of the record in the application.
    link: String,
}

impl From<InBin> for View {
    fn from(found: InBin) -> Self {
        let InBin { kind, id, summary, removed_at, removed_by, purged_at, retention_months, merged_into } = found;
        let merged_into = merged_into.map(|(id, title)| MergedInto { id, title, link: kind.kind().link(id) });
        let Summary { title, subtitle, .. } = summary;
        Self { id, kind, title, subtitle, removed_at, removed_by, purged_at, retention_months, merged_into }
    }
}

/// A record that was taken out of the bin.
#[derive(Debug, Serialize, Object)]
#[oai(rename = "RestoredRecord")]
struct Restored {
    id: Uuid,
    kind: KindName,
    /// The path of the record in the application.
    link: String,
}

/// The endpoints of the bin.
pub struct Api;

#[OpenApi(prefix_path = "/bin", tag = "crate::wire::Tag::Records")]
impl Api {
    /// List removed records that the caller may restore.
    ///
    /// The last removed one comes first. Members see what they removed themselves, administrators everything. After 30
    /// days records are removed for good. With filters, a page may be short before the last one: each examines at most
    /// 20,000 records, and as many are counted.
    #[oai(path = "/", method = "get", operation_id = "listBin")]
    async fn list(
        &self,
        member: Member<Read>,
        /// Words that the title must have. Accents and case are ignored. Only the first 256 characters and 16 words count.
        q: Query<Option<String>>,
        /// Only records of this kind.
        kind: Query<Option<KindName>>,
        /// Only records that this member removed.
        #[oai(name = "removedBy")]
        removed_by: Query<Option<MemberId>>,
        limit: Query<Option<u32>>,
        cursor: Query<Option<String>>,
    ) -> Reply<Listed<View>> {
        let cursors = member.cursors();
        let paging = cursors.paging(limit.0, cursor.0.as_deref())?;
        let reader = member.reader();
        let filter = BinFilter::new(kind.0, removed_by.0, q.0.as_deref());
        let page = member.read_blocking(move |tx| rules::list(tx, reader, &filter, paging)).await?;
        Ok(Listed(cursors.list(page.items, page.next, page.total)?.without_damaged(page.damaged)))
    }

    /// Restore a removed record.
    ///
    /// It gets back its id, its content and its links. Of a record that was merged into another, the merge is undone. 409 `conflict` when another record has a value since that must
    /// be unique.
    #[oai(path = "/:id/restore", method = "post", operation_id = "restoreRecord")]
    async fn restore(&self, member: Member<Read>, id: Path<Uuid>, _body: Json<Empty>) -> Reply<JsonResponse<Restored>> {
        let reader = member.reader();
        let found = member.write(move |tx| rules::restore(tx, reader, id.0)).await?;
        Ok(JsonResponse(Restored { id: found.id, kind: found.kind, link: found.kind.kind().link(found.id) }))
    }

    /// Remove a record in the bin for good.
    ///
    /// Its comments, files and history go along; the audit log keeps its name. A person with `retentionMonths` is erased,
    /// as by `erasePerson`.
    #[oai(path = "/:id", method = "delete", operation_id = "purgeRecord")]
    async fn purge(&self, member: Member<BinEmpty>, id: Path<Uuid>) -> Reply<NoContent> {
        let reader = member.reader();
        while !member.write(move |tx| rules::purge(tx, reader, id.0)).await? {}
        Ok(NoContent)
    }

    /// Empty the bin.
    ///
    /// Removes everything for good that was in the bin when the call came. People with `retentionMonths` are erased, as by
    /// `erasePerson`.
    #[oai(path = "/", method = "delete", operation_id = "emptyBin")]
    async fn empty(&self, member: Member<BinEmpty>) -> Reply<NoContent> {
        let before = member.now().plus_millis(1);
        while member.write(move |tx| rules::purge_before(tx, before)).await? > 0 {}
        Ok(NoContent)
    }
}
