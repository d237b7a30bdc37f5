//! The call for uploads.

use std::borrow::Cow;

use poem::web::Field;
use poem_openapi::{
    Multipart, Object, OpenApi,
    param::Header,
    registry::{MetaSchema, MetaSchemaRef},
    types::{ParseError, ParseFromMultipartField, ParseResult, Type},
};
use serde::Serialize;
use tokio::io::AsyncReadExt as _;

use super::{
    file_store::FileStore,
    model::FileRecord,
    rules::{self, LARGEST, Upload},
};
use crate::{
    access::{Member, permission::FilesWrite},
    kernel::Id,
    store::Stored,
    wire::{Created, Reply},
};

/// An uploaded file.
#[derive(Debug, Serialize, Object)]
#[oai(rename = "File")]
pub struct View {
    id: Id<FileRecord>,
    /// The path at which it is served, to anybody who has it.
    url: String,
    /// What it was called where it came from.
    name: String,
    /// Bytes, as it is kept.
    size: u64,
    /// Its media type.
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
    /// Reads the file into memory, one byte beyond what is taken: enough to tell that it is too large. The edge counts
    /// what uploads hold.
    async fn parse_from_multipart(field: Option<Field>) -> ParseResult<Self> {
        let field = field.ok_or_else(ParseError::expected_input)?;
        let (name, kind) = (field.file_name().map(str::to_owned), field.content_type().map(str::to_owned));
        let mut bytes = Vec::new();
        let mut reader = std::pin::pin!(field.into_async_read().take(LARGEST as u64 + 1));
        reader.read_to_end(&mut bytes).await.map_err(ParseError::custom)?;
        Ok(Self { name, kind, bytes })
    }
}

/// The form with which a file is sent.
#[derive(Multipart)]
#[oai(deny_unknown_fields)]
struct Form {
    /// The file: a PNG, JPEG or WebP picture of at most 4,096 pixels a side and 16 Mpx, or any other type
    /// that is no picture; at most 5 MB. Pictures are written anew, without what a camera notes in them.
    file: Upload,
}

/// The calls.
pub struct Api;

#[OpenApi(prefix_path = "/files", tag = "crate::wire::Tag::Files")]
impl Api {
    /// Uploads a file. One that nothing refers to within 24 hours is removed. When the company's room for files
    /// is used up, it is a conflict.
    #[oai(path = "/", method = "post", operation_id = "uploadFile")]
    async fn upload(
        &self,
        member: Member<FilesWrite>,
        vault: FileStore,
        /// Makes a retry within 24 hours safe.
        #[oai(name = "Idempotency-Key")]
        key: Header<Option<String>>,
        form: Form,
    ) -> Reply<Created<View>> {
        let record = rules::keep(&member, &vault, form.file, key.0).await?;
        Ok(Created { location: record.url(), version: record.version, body: record.into() })
    }
}
