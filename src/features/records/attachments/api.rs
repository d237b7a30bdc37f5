//! HTTP API of files on records.

use poem_openapi::{Object, OpenApi, param::Path};
use serde::Serialize;
use serde_with::skip_serializing_none;
use uuid::Uuid;

use super::rules;
use crate::{
    access::Member,
    feature::FileOnRecord,
    features::records::{KindPath, content::AttachedFile},
    kernel::{MemberId, Timestamp},
    people::permission::Read,
    store::TenantWrite,
    wire::{Json, JsonResponse, Listed, NoContent, Reply},
};

/// A file on a record.
#[skip_serializing_none]
#[derive(Debug, Serialize, Object)]
#[oai(rename = "RecordFile", rename_all = "camelCase", skip_serializing_if_is_none)]
#[serde(rename_all = "camelCase")]
struct View {
    /// The id under which it is removed.
    id: Uuid,
    file: AttachedFile,
    /// When it was attached, if known.
    created_at: Option<Timestamp>,
    /// The member who attached it, if known.
    created_by: Option<MemberId>,
}

impl From<FileOnRecord> for View {
    fn from(found: FileOnRecord) -> Self {
        let FileOnRecord { id, file, created_at, created_by } = found;
        Self { id, file, created_at, created_by }
    }
}

/// An uploaded file to attach to a record.
#[derive(Object)]
#[oai(rename = "AttachFile", deny_unknown_fields)]
struct Attach {
    /// The `url` of the uploaded file.
    path: String,
}

/// The endpoints of files on records.
pub struct Api;

#[OpenApi(tag = "crate::wire::Tag::Records")]
impl Api {
    /// List the files on a record.
    ///
    /// All are on one page, the newest first. For customers these are the files in `attachments`.
    #[oai(path = "/:kind/:id/files", method = "get", operation_id = "listRecordFiles")]
    async fn list(&self, member: Member<Read>, kind: Path<KindPath>, id: Path<Uuid>) -> Reply<Listed<View>> {
        let reader = member.reader();
        let (files, damaged) = member.read_blocking(move |tx| rules::list(tx, reader, (kind.0, id.0))).await?;
        let total = files.len() as u64;
        Ok(Listed(member.cursors().list(files, None, total)?.without_damaged(damaged)))
    }

    /// Attach an uploaded file to a record.
    ///
    /// It requires the right to change records of the kind. A record has at most 200 files.
    #[oai(path = "/:kind/:id/files", method = "post", operation_id = "attachRecordFile")]
    async fn attach(
        &self,
        member: Member<Read>,
        kind: Path<KindPath>,
        id: Path<Uuid>,
        body: Json<Attach>,
    ) -> Reply<JsonResponse<View>> {
        let reader = member.reader();
        let work = move |tx: &TenantWrite<'_>| rules::add(tx, reader, (kind.0, id.0), &body.0.path);
        Ok(JsonResponse(member.write(work).await?.into()))
    }

    /// Remove a file from a record.
    ///
    /// It requires the right to change records of the kind.
    #[oai(path = "/:kind/:id/files/:fileId", method = "delete", operation_id = "removeRecordFile")]
    async fn remove(
        &self,
        member: Member<Read>,
        kind: Path<KindPath>,
        id: Path<Uuid>,
        #[oai(name = "fileId")] file: Path<Uuid>,
    ) -> Reply<NoContent> {
        let reader = member.reader();
        member.write(move |tx| rules::remove(tx, reader, (kind.0, id.0), file.0)).await?;
        Ok(NoContent)
    }
}
