//! Files that are being uploaded: written to disk as they arrive, so that their size needs no memory.

use std::path::{Path, PathBuf};

use poem::{FromRequest as _, Request, RequestBody, web::Multipart};
use poem_openapi::{
    impl_apirequest_for_payload,
    payload::{ParsePayload, Payload},
    registry::{MetaSchema, MetaSchemaRef},
};
use sha2::{Digest as _, Sha256};
use tokio::{
    fs::{File, OpenOptions},
    io::{AsyncRead, AsyncReadExt as _, AsyncWriteExt as _},
};

use super::{
    file_store::{FileStore, IMPORT_PATH, disk_error, too_large},
    picture::SVG_SEARCH_BYTES,
};
use crate::{
    kernel::{Code, Error, Result},
    wire::Problem,
};

/// Size of one read, in bytes.
const CHUNK_BYTES: usize = 64 << 10;

/// A file that arrived. It is removed when this is dropped, unless it was moved to its place.
pub(super) struct IncomingFile {
    path: PathBuf,
    /// The number of bytes.
    pub size: u64,
    /// The first bytes, by which pictures are recognized.
    pub beginning: Vec<u8>,
    sum: Sha256,
}

impl Drop for IncomingFile {
    fn drop(&mut self) {
        // It is gone if it was moved. What stays is removed at the next start.
        let _ = std::fs::remove_file(&self.path);
    }
}

impl IncomingFile {
    /// Writes what arrives to disk, at most as many bytes as a call accepts. The file is synced when this returns.
    /// Errors: `too_large`; `bad_request` when the body broke off; `busy` when the disk is full.
    async fn receive(from: impl AsyncRead, path: PathBuf, (call, max): (&str, u64)) -> Result<Self> {
        let full = |error: std::io::Error| disk_error(&error);
        let mut file = create(&path).await.map_err(full)?;
        let mut incoming = Self { path, size: 0, beginning: Vec::new(), sum: Sha256::new() };
        let mut from = std::pin::pin!(from.take(max + 1));
        let mut chunk = vec![0; CHUNK_BYTES];
        loop {
            let count = from.read(&mut chunk).await;
            let count = count.map_err(|error| Error::new(Code::BadRequest).with_detail(error))?;
            let read = chunk.get(..count).unwrap_or_default();
            if read.is_empty() {
                break;
            }
            incoming.size += count as u64;
            if incoming.size > max {
                return Err(too_large(call, max));
            }
            let missing = SVG_SEARCH_BYTES.saturating_sub(incoming.beginning.len());
            incoming.beginning.extend(read.iter().take(missing));
            incoming.sum.update(read);
            file.write_all(read).await.map_err(full)?;
        }
        file.flush().await.map_err(full)?;
        file.sync_all().await.map_err(full)?;
        Ok(incoming)
    }

    /// Where the file lies.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The digest of its bytes, which further texts may be added to.
    pub fn sum(&self) -> Sha256 {
        self.sum.clone()
    }
}

async fn create(path: &Path) -> std::io::Result<File> {
    OpenOptions::new().write(true).create_new(true).mode(0o600).open(path).await
}

/// The multipart form that carries a file.
pub struct UploadForm {
    /// The name that the client gave the file.
    pub name: Option<String>,
    /// The media type that the client gave.
    pub kind: Option<String>,
    /// The file.
    pub(super) file: IncomingFile,
}

impl UploadForm {
    /// Copies a file of this machine to import it.
    /// Errors: `too_large`; `busy` when the disk is full.
    pub async fn copy_of(name: Option<String>, source: std::fs::File, store: &FileStore) -> Result<Self> {
        let max = store.max_upload_bytes(IMPORT_PATH);
        let file = IncomingFile::receive(File::from_std(source), store.incoming_path()?, (IMPORT_PATH, max)).await?;
        Ok(Self { name, kind: None, file })
    }

    /// Where the file lies until it is kept.
    pub fn path(&self) -> &Path {
        self.file.path()
    }
}

impl Payload for UploadForm {
    const CONTENT_TYPE: &'static str = "multipart/form-data";

    fn check_content_type(content_type: &str) -> bool {
        content_type.split(';').next().is_some_and(|kind| kind.trim().eq_ignore_ascii_case(Self::CONTENT_TYPE))
    }

    fn schema_ref() -> MetaSchemaRef {
        let file = MetaSchema {
            description: Some(
                "The file, at most 25 MiB, unless the server is set otherwise (`limits.upload`; `getSchema` names the \
                 limit; 50 MiB and `limits.import` for imports): a PNG, JPEG or WebP picture of at most 4,096 pixels a side and 16 Mpx, or any other type except \
                 pictures. Pictures are re-encoded and their metadata is removed.",
            ),
            ..MetaSchema::new_with_format("string", "binary")
        };
        MetaSchemaRef::Inline(Box::new(MetaSchema {
            required: vec!["file"],
            properties: vec![("file", MetaSchemaRef::Inline(Box::new(file)))],
            ..MetaSchema::new("object")
        }))
    }
}

impl ParsePayload for UploadForm {
    const IS_REQUIRED: bool = true;

    async fn from_request(request: &Request, body: &mut RequestBody) -> poem::Result<Self> {
        let store = <FileStore as poem::FromRequest>::from_request(request, body).await?;
        let mut parts = Multipart::from_request(request, body).await?;
        let mut form = None;
        while let Some(field) = parts.next_field().await? {
            let field_name = field.name().unwrap_or_default();
            if field_name != "file" || form.is_some() {
                let key = if form.is_some() { "errors.fields.twice" } else { "errors.fields.unknown" };
                let field_name: String = field_name.chars().take(100).collect();
                return Err(Problem(Error::new(Code::BadRequest).and_field(field_name, key, Vec::new())).into());
            }
            let name = field.file_name().map(str::to_owned);
            let kind = field.content_type().map(str::to_owned);
            // The router removes the beginnings of paths that it has matched.
            let call = request.original_uri().path();
            let max = store.max_upload_bytes(call);
            let path = store.incoming_path().map_err(Problem)?;
            let received = IncomingFile::receive(field.into_async_read(), path, (call, max));
            form = Some(Self { name, kind, file: received.await.map_err(Problem)? });
        }
        Ok(form.ok_or_else(|| Problem(Error::field("file", "errors.fields.required")))?)
    }
}

impl_apirequest_for_payload!(UploadForm);
