//! HTTP API for uploads.

use poem_openapi::{Object, OpenApi};
use serde::Serialize;

use super::{file_store::FileStore, incoming::UploadForm, model::FileRecord, rules};
use crate::{
    access::Member,
    kernel::Id,
    people::permission::FilesWrite,
    store::Stored,
    wire::{Created, IdempotencyKey, Reply},
};

/// An uploaded file.
#[derive(Debug, Serialize, Object)]
#[oai(rename = "File")]
pub struct View {
    id: Id<FileRecord>,
    /// The path at which the file is served. Any client that has the path can read the file.
    url: String,
    /// The file's original name.
    name: String,
    /// The stored size in bytes.
    size: u64,
    /// The media type.
    #[serde(rename = "type")]
    #[oai(rename = "type")]
    kind: String,
}

impl From<Stored<FileRecord>> for View {
    fn from(record: Stored<FileRecord>) -> Self {
        let url = record.url();
        let FileRecord { name, size, kind, .. } = record.value;
        Self { id: record.id, url, name, size, kind }
    }
}

/// The file endpoints.
pub struct Api;

#[OpenApi(prefix_path = "/files", tag = "crate::wire::Tag::Files")]
impl Api {
    /// Upload a file.
    ///
    /// A file is removed if no record refers to it within 24 hours. The call fails with `conflict` when the company's
    /// storage quota is used up.
    #[oai(path = "/", method = "post", operation_id = "uploadFile")]
    async fn upload(
        &self,
        member: Member<FilesWrite>,
        file_store: FileStore,
        #[oai(name = "Idempotency-Key")] key: IdempotencyKey,
        form: UploadForm,
    ) -> Reply<Created<View>> {
        let record = rules::store_upload(&member, &file_store, form, key.0).await?;
        Ok(Created { location: record.url(), version: record.version, body: record.into() })
    }
}
