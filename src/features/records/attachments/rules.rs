//! Rules of files on records.

use uuid::Uuid;

use super::model::{ATTACHMENTS_BY_FILE, ATTACHMENTS_BY_RECORD, RecordFile};
use crate::{
    feature::{self, FileOnRecord},
    features::{
        files, find_kind,
        records::{KindName, KindPath, content, ensure_may_write, find_record},
    },
    kernel::{Code, Document, Error, FieldText, Id, Result},
    people::permission::Reader,
    store::{Scan, Stored, TenantRead, TenantWrite},
};

/// Maximum number of files on a record.
const MAX_FILES: usize = 200;

impl From<Stored<RecordFile>> for FileOnRecord {
    fn from(record: Stored<RecordFile>) -> Self {
        let Stored { id, created_at, created_by, value, .. } = record;
        Self { id: id.uuid(), file: value.file, created_at: Some(created_at), created_by }
    }
}

/// Returns the files on a record, the newest first, and the number of damaged ones.
/// Errors: `not_found`, also for a record that the reader may not see.
pub fn list(
    tx: &TenantRead<'_>,
    reader: Reader,
    (kind, record): (KindPath, Uuid),
) -> Result<(Vec<FileOnRecord>, usize)> {
    find_record(tx, reader, kind, record)?;
    if let Some(own) = kind.kind().files {
        return Ok(((own.list)(tx, record.into_bytes())?, 0));
    }
    let all = Scan::with(ATTACHMENTS_BY_RECORD, record.as_bytes()).reversed(true).limit(MAX_FILES);
    let page = tx.page::<RecordFile>(&all, |_| true)?;
    Ok((page.items.into_iter().map(FileOnRecord::from).collect(), page.damaged))
}

/// Attaches an uploaded file to a record.
/// Errors: `not_found`; `forbidden` when the reader may not change the record; `invalid` for a path without a file;
/// `conflict` when the record has 200 files.
pub fn add(tx: &TenantWrite<'_>, reader: Reader, place: (KindPath, Uuid), path: &str) -> Result<FileOnRecord> {
    let (kind, record) = place;
    ensure_may_write(tx, reader, place)?;
    let file = content::find_attachment(tx, path)?;
    let file = file.ok_or_else(|| Error::field("path", "errors.fields.unknown_reference"))?;
    if let Some(own) = kind.kind().files {
        return (own.add)(tx, record.into_bytes(), file);
    }
    if tx.count_with(ATTACHMENTS_BY_RECORD, record.as_bytes(), MAX_FILES as u64)? >= MAX_FILES as u64 {
        let params = vec![("max", MAX_FILES.to_string())];
        return Err(Error::new(Code::Conflict).and_field("path", "errors.fields.too_many", params));
    }
    tx.create(RecordFile { kind: KindName::of(kind.kind()), record, file }).map(FileOnRecord::from)
}

/// Removes a file from a record.
/// Errors: `not_found`; `forbidden` when the reader may not change the record.
pub fn remove(tx: &TenantWrite<'_>, reader: Reader, place: (KindPath, Uuid), id: Uuid) -> Result<()> {
    let (kind, record) = place;
    ensure_may_write(tx, reader, place)?;
    if let Some(own) = kind.kind().files {
        return (own.remove)(tx, record.into_bytes(), id);
    }
    let file = tx.get::<RecordFile>(Id::from(id))?;
    if file.record != record {
        return Err(Error::not_found());
    }
    files::note_removed(tx, &file.file.path)?;
    tx.remove::<RecordFile>(file.id, None).map(drop)
}

/// Adds the names of the files on a record to its search document, unless the record itself has its files.
pub fn add_file_names(tx: &TenantRead<'_>, document: &mut Document) -> Result<()> {
    if find_kind(document.kind).is_none_or(|kind| !kind.has_parts() || kind.files.is_some()) {
        return Ok(());
    }
    let all = Scan::with(ATTACHMENTS_BY_RECORD, document.id).reversed(true).limit(MAX_FILES);
    let names = tx.page::<RecordFile>(&all, |_| true)?.items.into_iter().map(|file| file.value.file.name);
    // Before the other texts, because the index reads a document only up to a maximum length.
    document.body.splice(0..0, FieldText::of("file", names));
    Ok(())
}

/// Whether a reader may see a record with a file.
pub fn shows_file(tx: &TenantRead<'_>, reader: Reader, media: &str) -> Result<bool> {
    feature::shows_file::<RecordFile>(tx, ATTACHMENTS_BY_FILE, media, |file| {
        file.kind.kind().find_head(tx, reader, file.record).is_ok_and(|head| head.is_some())
    })
}
