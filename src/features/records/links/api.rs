//! HTTP API of links.

use poem_openapi::{Object, OpenApi, param::Path};
use serde::Serialize;
use serde_with::skip_serializing_none;
use uuid::Uuid;

use super::{
    model::RecordLink,
    rules::{self, Linked},
};
use crate::{
    access::Member,
    feature::Card,
    features::records::{KindName, KindPath},
    kernel::{Id, MemberId, Timestamp},
    people::permission::Read,
    store::TenantWrite,
    wire::{Json, JsonResponse, Listed, NoContent, Reply},
};

/// A link to another record.
#[skip_serializing_none]
#[derive(Debug, Serialize, Object)]
#[oai(rename = "RecordLink", rename_all = "camelCase", skip_serializing_if_is_none)]
#[serde(rename_all = "camelCase")]
struct View {
    /// The id under which it is removed.
    id: Id<RecordLink>,
    created_at: Timestamp,
    /// The member who linked them.
    created_by: Option<MemberId>,
    /// The kind of the other record.
    kind: KindName,
    /// The other record.
    record_id: Uuid,
    /// Its current state.
    card: Card,
}

impl From<Linked> for View {
    fn from(Linked { link, card }: Linked) -> Self {
        let RecordLink { to_kind: kind, to: record_id, .. } = link.value;
        Self { id: link.id, created_at: link.created_at, created_by: link.created_by, kind, record_id, card }
    }
}

/// A record to link to.
#[derive(Object)]
#[oai(rename = "NewRecordLink", rename_all = "camelCase", deny_unknown_fields)]
struct New {
    /// The kind of the other record: one that has comments, files and a timeline.
    kind: KindName,
    /// The other record.
    record_id: Uuid,
}

/// The endpoints of links.
pub struct Api;

#[OpenApi(tag = "crate::wire::Tag::Records")]
impl Api {
    /// List the links of a record.
    ///
    /// All are on one page, the newest first. Links to records that are in the bin, or that the caller may not see, are
    /// not in it.
    #[oai(path = "/:kind/:id/links", method = "get", operation_id = "listRecordLinks")]
    async fn list(&self, member: Member<Read>, kind: Path<KindPath>, id: Path<Uuid>) -> Reply<Listed<View>> {
        let reader = member.reader();
        let (links, damaged) = member.read_blocking(move |tx| rules::list(tx, reader, (kind.0, id.0))).await?;
        let total = links.len() as u64;
        let items = links.into_iter().map(View::from);
        Ok(Listed(member.cursors().list(items, None, total)?.without_damaged(damaged)))
    }

    /// Link a record to another one.
    ///
    /// Both have the link. It requires the right to change records of the kind in the path. A record has at most 200
    /// links. Records that are linked already stay so, and the response is their link.
    #[oai(path = "/:kind/:id/links", method = "post", operation_id = "linkRecord")]
    async fn add(
        &self,
        member: Member<Read>,
        kind: Path<KindPath>,
        id: Path<Uuid>,
        body: Json<New>,
    ) -> Reply<JsonResponse<View>> {
        let reader = member.reader();
        let other = (body.0.kind, body.0.record_id);
        let work = move |tx: &TenantWrite<'_>| rules::add(tx, reader, (kind.0, id.0), other);
        Ok(JsonResponse(member.write(work).await?.into()))
    }

    /// Remove a link.
    ///
    /// Both records lose it. It requires the right to change records of the kind in the path.
    #[oai(path = "/:kind/:id/links/:linkId", method = "delete", operation_id = "unlinkRecord")]
    async fn remove(
        &self,
        member: Member<Read>,
        kind: Path<KindPath>,
        id: Path<Uuid>,
        #[oai(name = "linkId")] link: Path<Id<RecordLink>>,
    ) -> Reply<NoContent> {
        let reader = member.reader();
        member.write(move |tx| rules::remove(tx, reader, (kind.0, id.0), link.0)).await?;
        Ok(NoContent)
    }
}
