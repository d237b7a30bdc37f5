//! Integrity verification of uploads against the length and SHA-256 digest in their records. Uploads that predate
//! digests get one when all uploads are verified.

use std::{
    fmt,
    fs::File,
    io::{self, Read, Seek as _},
    ops::ControlFlow,
    path::Path,
};

use sha2::{Digest as _, Sha256};

use super::{file_store::FileStore, model::FileRecord};
use crate::{
    kernel::{Id, Result, TenantId, hex, run_blocking},
    people::members::tenants,
    store::{Actor, Scan, Stored, TenantWrite},
};

/// Size of one read, in bytes.
const CHUNK_BYTES: usize = 64 << 10;
/// Number of uploads verified per page of records.
const UPLOADS_PER_PAGE: usize = 100;

/// What is wrong with an upload.
#[derive(Debug)]
pub(super) enum FileFault {
    /// The file is missing.
    Missing,
    /// The file cannot be read.
    Unreadable(io::Error),
    /// The file's length differs from the record's.
    Length(u64, u64),
    /// The file's digest differs from the record's.
    Bytes,
}

impl fmt::Display for FileFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing => f.write_str("is missing"),
            Self::Unreadable(error) => write!(f, "cannot be read: {error}"),
            Self::Length(is, was) => write!(f, "has {is} bytes of {was}"),
            Self::Bytes => f.write_str("is damaged: its bytes have changed"),
        }
    }
}

impl From<io::Error> for FileFault {
    fn from(error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::NotFound { Self::Missing } else { Self::Unreadable(error) }
    }
}

/// Returns the digest of an upload.
pub(super) fn sha256_hex(bytes: &[u8]) -> String {
    hex::encode(&Sha256::digest(bytes))
}

/// Returns length and digest of all bytes. Calls `pace` with the size of each chunk; returns `None` when `pace` breaks.
fn digest_of(mut from: impl Read, pace: &mut dyn FnMut(u64) -> ControlFlow<()>) -> io::Result<Option<(u64, String)>> {
    let mut sum = Sha256::new();
    let mut length = 0;
    let mut chunk = vec![0; CHUNK_BYTES];
    loop {
        let count = match from.read(&mut chunk) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            count => count?,
        };
        if count == 0 {
            return Ok(Some((length, hex::encode(&sum.finalize()))));
        }
        sum.update(chunk.get(..count).unwrap_or_default());
        length += count as u64;
        if pace(count as u64).is_break() {
            return Ok(None);
        }
    }
}

/// Checks bytes against the size and digest in a record.
pub(super) fn verify_bytes(bytes: &[u8], record: &FileRecord) -> Result<(), FileFault> {
    let length = bytes.len() as u64;
    if length != record.size {
        return Err(FileFault::Length(length, record.size));
    }
    if record.digest.as_ref().is_some_and(|digest| *digest != sha256_hex(bytes)) {
        Err(FileFault::Bytes)
    } else {
        Ok(())
    }
}

/// Opens an upload after verifying its length and digest, positioned at its beginning.
pub(super) fn open_verified(place: &Path, size: u64, digest: Option<&str>) -> Result<File, FileFault> {
    let mut file = File::open(place)?;
    let length = file.metadata()?.len();
    if length != size {
        return Err(FileFault::Length(length, size));
    }
    if let Some(digest) = digest {
        let (_, found) = digest_of(&file, &mut |_| ControlFlow::Continue(()))?.unwrap_or_default();
        if found != digest {
            return Err(FileFault::Bytes);
        }
        file.rewind()?;
    }
    Ok(file)
}

/// The result of verifying all uploads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ScrubReport {
    /// Number of uploads read.
    pub files: u64,
    /// Number of those that are damaged or missing.
    pub damaged: u64,
    /// Number of those that got a digest.
    pub digested: u64,
}

impl FileStore {
    /// Verifies all uploads and adds missing digests. Calls `pace` with the number of bytes read; stops when `pace`
    /// breaks.
    pub async fn scrub(
        &self,
        pace: impl FnMut(u64) -> ControlFlow<()> + Send + Clone + 'static,
    ) -> Result<ScrubReport> {
        let mut all = ScrubReport::default();
        for tenant in tenants(&self.store().snapshot()?)? {
            let mut after = None;
            loop {
                // No file is removed between reading its record and reading the file.
                let _still = self.prevent_garbage_collection().await;
                let file_store = self.clone();
                let mut pace = pace.clone();
                let from = after.take();
                let work = move || file_store.scrub_page(tenant, from, &mut pace);
                let page = run_blocking(work).await?;
                all.files += page.files;
                all.damaged += page.damaged;
                all.digested += page.digests.len() as u64;
                if !page.digests.is_empty() {
                    self.keep_digests(tenant, page.digests).await?;
                }
                if page.stopped {
                    return Ok(all);
                }
                after = page.next;
                if after.is_none() {
                    break;
                }
            }
        }
        Ok(all)
    }

    fn scrub_page(
        &self,
        tenant: TenantId,
        after: Option<Vec<u8>>,
        pace: &mut dyn FnMut(u64) -> ControlFlow<()>,
    ) -> Result<Page> {
        let snapshot = self.store().snapshot()?;
        let found = snapshot
            .tenant(tenant, None)
            .page::<FileRecord>(&Scan::all().limit(UPLOADS_PER_PAGE).after(after), |_| true)?;
        let mut page = Page { next: found.next, ..Page::default() };
        for record in found.items {
            let read = File::open(self.place(tenant, &record.media)).and_then(|file| digest_of(file, pace));
            let flaw = match read {
                Ok(None) => {
                    page.stopped = true;
                    return Ok(page);
                }
                Ok(Some((length, _))) if length != record.size => Some(FileFault::Length(length, record.size)),
                Ok(Some((_, digest))) => match &record.digest {
                    Some(known) => (*known != digest).then_some(FileFault::Bytes),
                    None => {
                        page.digests.push((record.id, digest));
                        None
                    }
                },
                Err(error) => Some(error.into()),
            };
            page.files += 1;
            page.damaged += u64::from(self.report(tenant, &record, flaw.as_ref()));
        }
        Ok(page)
    }

    /// Records whether an upload is intact, and logs a flaw once. Returns whether there is a flaw.
    pub(super) fn report(&self, tenant: TenantId, record: &Stored<FileRecord>, flaw: Option<&FileFault>) -> bool {
        let was_known = self.note(tenant, &record.media, flaw.is_none());
        if let Some(flaw) = flaw
            && !was_known
        {
            tracing::error!(%tenant, file = %record.id, %flaw, "uploads: an upload is damaged");
        }
        flaw.is_some()
    }

    async fn keep_digests(&self, tenant: TenantId, digests: Vec<(Id<FileRecord>, String)>) -> Result<()> {
        let work = move |tx: &TenantWrite<'_>| {
            for (id, digest) in digests {
                // The file may be removed by now; its bytes never change.
                if tx.find::<FileRecord>(id)?.is_some() {
                    tx.update(id, None, |file: &mut FileRecord| {
                        file.digest = Some(digest);
                        Ok(())
                    })?;
                }
            }
            Ok(())
        };
        self.store().write(tenant, Actor::System, work).await.map(drop)
    }
}

/// The result of verifying one page of records.
#[derive(Default)]
struct Page {
    files: u64,
    damaged: u64,
    digests: Vec<(Id<FileRecord>, String)>,
    next: Option<Vec<u8>>,
    stopped: bool,
}
