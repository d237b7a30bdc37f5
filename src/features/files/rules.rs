//! Rules of uploads: accepted types, names, quotas, and references from other records.

use std::{collections::BTreeSet, fs};

use sha2::Digest as _;

use super::{
    file_store::{FileStore, disk_error},
    incoming::UploadForm,
    integrity::sha256_hex,
    model::{BYTES, FileRecord, MEDIA, OWN_BY_MEDIA, media_of},
    picture::{self, Format},
};
use crate::{
    access::Member,
    features::shows_file,
    kernel::{Code, Error, Limit, Result, TenantId, error::Faults, hex, media::media_in, text},
    people::{
        members::{Company, MemberRecord},
        permission::{FilesWrite, Reader, Right},
    },
    store::{Actor, Stored, TenantRead, TenantWrite},
};

/// Media type of files of unknown type.
pub(super) const UNKNOWN_TYPE: &str = "application/octet-stream";

/// File name extensions of pictures.
const PICTURES: [&str; 13] =
    ["png", "apng", "jpg", "jpeg", "jfif", "webp", "gif", "svg", "svgz", "bmp", "ico", "avif", "tiff"];

/// Stores an upload: first the file, then its record, so that no record exists without its file.
/// Errors: `unsupported_media_type` for pictures other than PNG, JPEG and WebP; `invalid` for one that
/// cannot be read or has too many pixels; `not_signed_in` when the sender was suspended during the upload; `conflict`
/// when the tenant's storage quota is used up; as [`Member::write_idempotent`].
pub(super) async fn store_upload(
    member: &Member<FilesWrite>,
    file_store: &FileStore,
    upload: UploadForm,
    once: Option<String>,
) -> Result<Stored<FileRecord>> {
    let UploadForm { name, kind, file } = upload;
    if file.size == 0 {
        return Err(Error::field("file", "errors.fields.required"));
    }
    let quota = file_store.quota();
    // A cheap check before the expensive work; the write checks the quota again.
    member.read(|tx| ensure_within_quota(tx, quota, 0))?;
    let name = clean_name(name.as_deref().unwrap_or(""));
    let asked = once.as_ref().map(|_| {
        let hash = file.sum().chain_update(&name).chain_update("\0");
        hash.chain_update(kind.as_deref().unwrap_or_default()).finalize().to_vec()
    });
    let tenant = member.read(|tx| Ok(tx.tenant()))?;
    let (media, size, digest, kind, pixels) =
        match picture_format(&file.beginning, &name, kind.as_deref().unwrap_or(""))? {
            Some(format) => {
                let path = file.path().to_owned();
                let read = move || fs::read(path).map_err(|error| disk_error(&error));
                let made = file_store.process_picture(move || picture::reencode(&read()?, format)).await?;
                let (size, digest) = (made.bytes.len() as u64, sha256_hex(&made.bytes));
                (file_store.write(tenant, made.bytes).await?, size, digest, made.kind.to_owned(), Some(made.size))
            }
            None => {
                let (size, digest) = (file.size, hex::encode(&file.sum().finalize()));
                (file_store.keep(tenant, file).await?, size, digest, media_type(kind.as_deref()), None)
            }
        };
    let (width, height) = pixels.unzip();
    let digest = Some(digest);
    let record = FileRecord { media: hex::encode(&media), name, size, kind, width, height, digest, doomed: false };
    let work = |tx: &TenantWrite<'_>, record| tx.create(record);
    let kept = write_record(member, quota, record, ("files.upload", once), asked.unwrap_or_default(), work).await;
    // A retry returns the record of the first upload; this second file is discarded.
    if kept.as_ref().map_or(true, |kept| kept.media != hex::encode(&media)) {
        file_store.discard(tenant, media).await;
    }
    kept
}

/// Keeps an upload as it is, and writes its record with what `keep` makes of its name and path.
/// Errors: as `store_upload`; those of `keep`.
pub async fn keep_as_is<R: Right, T: Kept>(
    member: &Member<R>,
    file_store: &FileStore,
    upload: UploadForm,
    (call, once): (&'static str, Option<String>),
    keep: impl FnOnce(&TenantWrite<'_>, (String, String)) -> Result<T> + Send + 'static,
) -> Result<T> {
    let quota = file_store.quota();
    member.read(|tx| ensure_within_quota(tx, quota, 0))?;
    let name = clean_name(upload.name.as_deref().unwrap_or(""));
    let asked = upload.file.sum().chain_update(&name).finalize().to_vec();
    let tenant = member.read(|tx| Ok(tx.tenant()))?;
    let record = place(file_store, tenant, upload).await?;
    let work = |tx: &TenantWrite<'_>, record| {
        let file = tx.create::<FileRecord>(record)?;
        keep(tx, (file.name.clone(), file.url()))
    };
    // The file of a retried or refused upload has no record; garbage collection removes it.
    write_record(member, quota, record, (call, once), asked, work).await
}

/// Keeps an upload as it is in the name of an actor, and writes its record with what `keep` makes of its name and path.
/// Errors: as `keep_as_is`.
pub async fn keep_for<T: Send + 'static>(
    (tenant, actor): (TenantId, Actor),
    file_store: &FileStore,
    upload: UploadForm,
    keep: impl FnOnce(&TenantWrite<'_>, (String, String)) -> Result<T> + Send + 'static,
) -> Result<T> {
    let quota = file_store.quota();
    let record = place(file_store, tenant, upload).await?;
    let work = move |tx: &TenantWrite<'_>| {
        ensure_within_quota(tx, quota, record.size)?;
        let file = tx.create::<FileRecord>(record)?;
        keep(tx, (file.name.clone(), file.url()))
    };
    Ok(file_store.store().write(tenant, actor, work).await?.0)
}

/// Moves an upload to its place. Returns its record, which is not stored yet.
async fn place(file_store: &FileStore, tenant: TenantId, upload: UploadForm) -> Result<FileRecord> {
    let UploadForm { name, kind, file } = upload;
    let size = file.size;
    let digest = hex::encode(&file.sum().finalize());
    let media = hex::encode(&file_store.keep(tenant, file).await?);
    Ok(FileRecord {
        media,
        name: clean_name(name.as_deref().unwrap_or("")),
        size,
        kind: media_type(kind.as_deref()),
        width: None,
        height: None,
        digest: Some(digest),
        doomed: false,
    })
}

/// What a call keeps for a retry.
pub trait Kept: serde::Serialize + serde::de::DeserializeOwned + Send + 'static {}
impl<T: serde::Serialize + serde::de::DeserializeOwned + Send + 'static> Kept for T {}

/// Writes the record of an upload.
async fn write_record<R: Right, T: Kept>(
    member: &Member<R>,
    quota: u64,
    record: FileRecord,
    (call, once): (&'static str, Option<String>),
    asked: Vec<u8>,
    work: impl FnOnce(&TenantWrite<'_>, FileRecord) -> Result<T> + Send + 'static,
) -> Result<T> {
    // An upload may take minutes, during which its sender can be suspended.
    let reauthorize = member.reauthorize();
    let write = move |tx: &TenantWrite<'_>| {
        reauthorize(tx)?;
        ensure_within_quota(tx, quota, record.size)?;
        work(tx, record)
    };
    member.write_idempotent(call, once, asked, write).await
}

/// Returns the bytes that the tenant's uploads take.
pub fn stored_bytes(tx: &TenantRead<'_>) -> Result<u64> {
    Ok(tx.counter(BYTES)?.try_into().unwrap_or(0))
}

/// Rejects an upload that exceeds the tenant's quota.
fn ensure_within_quota(tx: &TenantRead<'_>, quota: u64, size: u64) -> Result<()> {
    let taken = stored_bytes(tx)?;
    if taken < quota && size <= quota - taken {
        return Ok(());
    }
    Limit::Files.count_hit();
    let params = vec![("max", (quota >> 20).to_string())];
    Err(Error::new(Code::Conflict).and_field("file", "errors.fields.storage_full", params))
}

/// Returns the tenant's file that a path leads to, if any.
pub fn by_url(tx: &TenantRead<'_>, url: &str) -> Result<Option<Stored<FileRecord>>> {
    let file: Option<Stored<FileRecord>> = media_of(url).map_or(Ok(None), |media| tx.find_by(OWN_BY_MEDIA, media))?;
    Ok(file.filter(|file| !file.doomed))
}

/// Hours for which a member may name a file again in a record from which they removed it. Garbage collection spares an
/// upload as long.
const NAMEABLE_HOURS: i64 = 24;

/// Most files that a change of a text adds, since each is looked up in the write; most that are noted when it removes them.
const MAX_CHANGED_FILES: usize = 100;

/// Whether a file is the logo of the company, which everyone may see.
pub(super) fn is_logo(tx: &TenantRead<'_>, url: &str) -> Result<bool> {
    let company = Company::of(tx)?.value;
    Ok([company.logotipo_dark, company.logotipo_light].into_iter().flatten().any(|logo| logo == url))
}

fn removed_name(media: &str) -> String {
    format!("files.removed:{media}")
}

/// Whether the member who writes may name a file in a record: they uploaded it, may see it, or removed it from a record
/// less than a day ago. All who see the record then see the file, so its path alone must not be enough. Work without a
/// member may name all files.
fn may_name(tx: &TenantWrite<'_>, file: &Stored<FileRecord>) -> Result<bool> {
    let Some(me) = tx.me().filter(|_| !tx.is_putting_back()) else { return Ok(true) };
    if file.created_by == Some(me) || tx.remembers(&removed_name(&file.media))? || is_logo(tx, &file.url())? {
        return Ok(true);
    }
    let Some(member) = tx.find::<MemberRecord>(me)? else { return Ok(false) };
    shows_file(tx, Reader { id: me, role: member.role }, &file.media)
}

/// Returns the tenant's file that a path leads to, if the member who writes may name it in a record.
pub fn nameable(tx: &TenantWrite<'_>, url: &str) -> Result<Option<Stored<FileRecord>>> {
    match by_url(tx, url)? {
        Some(file) if may_name(tx, &file)? => Ok(Some(file)),
        _ => Ok(None),
    }
}

/// Notes that the member who writes removes a file from a record that they see, so that they can undo it.
pub fn note_removed(tx: &TenantWrite<'_>, url: &str) -> Result<()> {
    match by_url(tx, url)?.filter(|file| tx.me().is_some_and(|me| file.created_by != Some(me))) {
        Some(file) => tx.remember(&removed_name(&file.media), NAMEABLE_HOURS),
        None => Ok(()),
    }
}

/// Rejects a new picture URL that is not one of the tenant's pictures, or one that the member who writes may not name. An
/// unchanged one may stay.
pub fn check_picture(
    tx: &TenantWrite<'_>,
    field: &'static str,
    url: Option<&str>,
    before: Option<&str>,
    faults: &mut Faults,
) -> Result<()> {
    if url == before {
        return Ok(());
    }
    if let Some(url) = url
        && !nameable(tx, url)?.is_some_and(|file| file.is_picture())
    {
        faults.add(field, "errors.fields.unknown_reference");
    }
    before.map_or(Ok(()), |before| note_removed(tx, before))
}

/// Rejects a text with the path of a file that was not in it before and that the member who writes may not name. A path
/// without a file may stand in a text.
pub fn check_text(
    tx: &TenantWrite<'_>,
    field: impl Into<String>,
    text: Option<&str>,
    before: Option<&str>,
    faults: &mut Faults,
) -> Result<()> {
    if text == before {
        return Ok(());
    }
    let media_of_text = |text: Option<&str>| -> BTreeSet<String> {
        text.into_iter().flat_map(media_in).map(ToOwned::to_owned).collect()
    };
    let (now, then) = (media_of_text(text), media_of_text(before));
    let mut is_hidden = false;
    let field = field.into();
    faults.few(&field, now.difference(&then).count(), MAX_CHANGED_FILES);
    for media in now.difference(&then).take(MAX_CHANGED_FILES) {
        if let Some(file) = tx.find_by::<FileRecord>(OWN_BY_MEDIA, media)? {
            is_hidden |= !may_name(tx, &file)?;
        }
    }
    if is_hidden {
        faults.add(field, "errors.fields.unknown_reference");
    }
    then.difference(&now).take(MAX_CHANGED_FILES).try_for_each(|media| note_removed(tx, &format!("{MEDIA}{media}")))
}

/// Maximum characters of a file's name.
const MAX_NAME_CHARS: usize = 200;

/// Returns the last component of a Unix or Windows path, as one line of at most 200 characters. A longer one keeps its
/// ending.
fn clean_name(name: &str) -> String {
    let last = name.rsplit(['/', '\\']).next().unwrap_or_default();
    let line = text::line(last);
    let clean = line.trim_matches(['.', ' ']);
    let is_ending = |ending: &&str| ending.len() < 20 && !ending.contains(' ');
    let ending = clean
        .rsplit_once('.')
        .map(|(_, ending)| ending)
        .filter(is_ending)
        .filter(|_| clean.chars().count() > MAX_NAME_CHARS);
    let ending = ending.map(|ending| format!(".{ending}")).unwrap_or_default();
    let stem: String = clean.chars().take(MAX_NAME_CHARS - ending.chars().count()).collect();
    let stem = if ending.is_empty() { stem.as_str() } else { stem.trim_end_matches(['.', ' ']) };
    if stem.is_empty() { "file".to_owned() } else { format!("{stem}{ending}") }
}

/// Returns the format in which an upload is decoded; `None` when it is no picture.
/// Errors: `unsupported_media_type` for pictures of other formats, detected or declared.
fn picture_format(bytes: &[u8], name: &str, kind: &str) -> Result<Option<Format>> {
    if let Some(format) = Format::of(bytes) {
        return Ok(Some(format));
    }
    let ending = name.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase());
    let promised = kind.starts_with("image/") || ending.is_some_and(|ending| PICTURES.contains(&ending.as_str()));
    if promised || picture::is_drawing(bytes) {
        let error = Error::new(Code::UnsupportedMediaType);
        return Err(error.and_field("file", "errors.fields.file_type", Vec::new()));
    }
    Ok(None)
}

/// Returns the declared media type if it is well-formed and has no parameters.
fn media_type(named: Option<&str>) -> String {
    let token = |text: &str| {
        let known = |c: char| c.is_ascii_alphanumeric() || "!#$&-^_.+".contains(c);
        !text.is_empty() && text.chars().all(known)
    };
    let plain = |named: &&str| named.len() <= 100 && named.split_once('/').is_some_and(|(a, b)| token(a) && token(b));
    named.filter(plain).unwrap_or(UNKNOWN_TYPE).to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_name_is_the_last_path_part_on_one_line() {
        for (given, kept) in [
            ("report.pdf", "report.pdf"),
            ("../../etc/passwd", "passwd"),
            ("C:\\Users\\ada\\a\tb.txt", "a b.txt"),
            ("a\r\nSet-Cookie: x", "a Set-Cookie: x"),
            ("..", "file"),
            ("", "file"),
        ] {
            assert_eq!(clean_name(given), kept);
        }
        assert_eq!(clean_name(&"x".repeat(300)).len(), 200);
        assert_eq!(clean_name(&format!("{}.tar.gz", "é".repeat(300))), format!("{}.gz", "é".repeat(197)));
        assert_eq!(clean_name(&format!("{}. and more", "x".repeat(300))), "x".repeat(200));
        assert_eq!(clean_name(&format!("a.{}", "x".repeat(300))), format!("a.{}", "x".repeat(198)));
    }

    #[test]
    fn keeps_only_plain_media_types() {
        assert_eq!(media_type(Some("application/PDF")), "application/pdf");
        for bad in [None, Some(""), Some("pdf"), Some("a/b\r\nx: y"), Some("a/b; charset=x"), Some("/")] {
            assert_eq!(media_type(bad), UNKNOWN_TYPE, "{bad:?}");
        }
    }

    #[test]
    fn accepts_only_supported_picture_formats() {
        let code = |bytes: &[u8], name, kind| picture_format(bytes, name, kind).map_err(|error| error.code());
        let refused = Err(Code::UnsupportedMediaType);
        assert_eq!(code(b"<svg onload='x()'/>", "a.svg", "image/svg+xml"), refused);
        assert_eq!(code(b"<?xml version='1.0'?>\n<!-- x --><SVG>", "a.txt", "text/plain"), refused);
        assert_eq!(code(b"\xEF\xBB\xBF <svg>", "a", ""), refused);
        assert_eq!(code(b"GIF89a/*", "a.js", "text/javascript"), refused);
        assert_eq!(code(b"hello", "a.png", "application/octet-stream"), refused);
        assert_eq!(code(b"BMW, 3 series", "cars.csv", "text/csv"), Ok(None));
        assert_eq!(code(b"\x89PNG\r\n\x1a\n", "a.pdf", "application/pdf"), Ok(Some(Format::Png)));
    }
}
