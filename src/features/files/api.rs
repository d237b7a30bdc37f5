//! HTTP API for uploads.

use std::borrow::Cow;

use poem::web::Field;
use poem_openapi::{
    Multipart, Object, OpenApi,
    registry::{MetaSchema, MetaSchemaRef},
    types::{ParseError, ParseFromMultipartField, ParseResult, Type},
};
use serde::Serialize;
use tokio::io::AsyncReadExt as _;

use super::{
    file_store::FileStore,
    model::FileRecord,
    rules::{self, MAX_FILE_BYTES, Upload},
};
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

impl Type for Upload {
    const IS_REQUIRED: bool = true;
    type RawValueType = Self;
    type RawElementValueType = Self;
    fn name() -> Cow<'static, str> {
        "file".into()
    }
    fn schema_ref() -> MetaSchemaRef {
        MetaSchemaRef::Inline(Box::new(MetaSchema::new_with_format("string", "binary")))
    }
    fn as_raw_value(&self) -> Option<&Self::RawValueType> {
        Some(self)
    }
    fn raw_element_iter<'a>(&'a self) -> Box<dyn Iterator<Item = &'a Self::RawElementValueType> + 'a> {
        Box::new(self.as_raw_value().into_iter())
    }
}

impl ParseFromMultipartField for Upload {
    /// Reads the file into memory, up to one byte more than the limit, which suffices to detect a file that is too
    /// large. The request pipeline limits the memory of all uploads.
    async fn parse_from_multipart(field: Option<Field>) -> ParseResult<Self> {
        let field = field.ok_or_else(ParseError::expected_input)?;
        let name = field.file_name().map(str::to_owned);
        let kind = field.content_type().map(str::to_owned);
        let mut bytes = Vec::new();
        let mut reader = std::pin::pin!(field.into_async_read().take(MAX_FILE_BYTES as u64 + 1));
        reader.read_to_end(&mut bytes).await.map_err(ParseError::custom)?;
        Ok(Self { name, kind, bytes })
    }
}

/// The multipart form that carries the file.
#[derive(Multipart)]
#[oai(deny_unknown_fields)]
struct Form {
    /// The file, at most 5 MB: a PNG, JPEG or WebP picture of at most 4,096 pixels a side and 16 Mpx, or any other type
    /// except pictures. Pictures are re-encoded and their metadata is removed.
    file: Upload,
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
        form: Form,
    ) -> Reply<Created<View>> {
        let record = rules::store_upload(&member, &file_store, form.file, key.0).await?;
        Ok(Created { location: record.url(), version: record.version, body: record.into() })
    }
}
