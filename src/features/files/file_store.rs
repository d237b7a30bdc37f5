//! File storage: `files/<tenant>/<media id>` in the data directory. A file is complete and synced to disk before its
//! record is written.

use std::{
    collections::{BTreeSet, HashMap},
    fs::{self, OpenOptions},
    io::{self, Read},
    os::unix::fs::OpenOptionsExt as _,
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, Instant, SystemTime},
};

use parking_lot::{Mutex, MutexGuard};
use poem::{FromRequest, Request, RequestBody};
use tokio::{
    sync::{RwLock, RwLockReadGuard, RwLockWriteGuard, Semaphore},
    task::spawn_blocking,
};

use super::{
    garbage::GRACE_PERIOD_SECONDS,
    incoming::IncomingFile,
    integrity::{self, FileFault},
    model::{BY_MEDIA, FileRecord, is_media},
    rules::{by_url, is_logo},
};
use crate::{
    access::FileReader,
    config::Limits,
    features::shows_file,
    kernel::{Code, Error, Result, TenantId, folder, hex, run_blocking},
    people::members::MemberRecord,
    store::{Store, Stored, TenantRead, entries::FILES},
    wire::Problem,
};

/// The path to which files are uploaded that are imported.
pub const IMPORT_PATH: &str = "/api/imports";

/// Returns the refusal of a file that is larger than a call accepts, with the limit.
pub fn too_large(path: &str, max: u64) -> Error {
    let key = if path == IMPORT_PATH { "errors.import.too_large" } else { "errors.upload_too_large" };
    let size = match max >> 20 {
        0 => format!("{} kB", max >> 10),
        megabytes => format!("{megabytes} MB"),
    };
    Error::new(Code::TooLarge).say(key, vec![("max", size)])
}

/// Maximum number of pictures decoded concurrently: each takes up to 160 MB of memory.
const MAX_CONCURRENT_DECODES: usize = 2;

/// Maximum number of damaged uploads that are remembered.
const MAX_REMEMBERED_DAMAGE: usize = 1_000;

/// For how long a verified file is served again without reading it first.
const VERIFIED_FOR: Duration = Duration::from_mins(10);
/// Maximum number of verified files that are remembered.
const MAX_REMEMBERED_VERIFIED: usize = 1_000;

/// The uploads of the installation. Cheap to clone.
#[derive(Clone)]
pub struct FileStore(Arc<Inner>);

struct Inner {
    store: Store,
    dir: PathBuf,
    quota: u64,
    max_file_bytes: u64,
    max_import_bytes: u64,
    decode_permits: Semaphore,
    /// Uploads found damaged or missing, at most 1,000.
    damaged: Mutex<BTreeSet<(TenantId, String)>>,
    /// The files that were verified lately, by path: when, and when they were last changed. At most 1,000.
    verified: Mutex<HashMap<PathBuf, (Instant, SystemTime)>>,
    /// Held for writing by garbage collection, and for reading by work that needs all files to stay.
    clearing: RwLock<()>,
}

pub(super) fn disk_error(error: &io::Error) -> Error {
    Error::new(Code::Busy).retry_after(5).with_detail(format_args!("files: {error}"))
}

/// A file that a reader may see.
pub(super) struct FoundFile {
    tenant: TenantId,
    record: Stored<FileRecord>,
    /// Whether the file is the company logo.
    logo: bool,
}

/// A file about to be served.
pub(super) struct OpenFile {
    pub record: Stored<FileRecord>,
    pub file: tokio::fs::File,
    /// Length in bytes.
    pub length: u64,
    /// Whether the file is the company logo, which webmail loads from other origins.
    pub logo: bool,
}

impl FileStore {
    /// Opens the uploads below a data directory and creates the folder when it is missing. Removes the leftovers of
    /// interrupted uploads.
    pub fn open(store: Store, data_dir: &Path, limits: &Limits) -> Result<Self> {
        let dir = data_dir.join(FILES);
        let decode_permits = Semaphore::new(MAX_CONCURRENT_DECODES);
        let clearing = RwLock::default();
        let damaged = Mutex::default();
        let verified = Mutex::default();
        let Limits { files: quota, upload: max_file_bytes, import: max_import_bytes, .. } = *limits;
        let inner =
            Inner { store, dir, quota, max_file_bytes, max_import_bytes, decode_permits, damaged, verified, clearing };
        let incoming = inner.incoming();
        let made = folder::remove(&incoming).and_then(|()| folder::make(&incoming));
        made.and_then(|()| folder::sync(data_dir)).map_err(|error| disk_error(&error))?;
        Ok(Self(Arc::new(inner)))
    }

    /// Maximum number of bytes that each tenant may store.
    pub fn quota(&self) -> u64 {
        self.0.quota
    }

    /// Maximum number of bytes of one file.
    pub fn max_file_bytes(&self) -> u64 {
        self.0.max_file_bytes
    }

    /// Maximum number of bytes of a file to import.
    pub fn max_import_bytes(&self) -> u64 {
        self.0.max_import_bytes
    }

    /// Maximum number of bytes of an upload to a path.
    pub(super) fn max_upload_bytes(&self, path: &str) -> u64 {
        if path == IMPORT_PATH { self.0.max_import_bytes } else { self.0.max_file_bytes }
    }

    /// Returns where the bytes of an upload lie.
    /// Errors: `not_found`.
    pub fn path_of(&self, tx: &TenantRead<'_>, url: &str) -> Result<PathBuf> {
        let file = by_url(tx, url)?.ok_or_else(Error::not_found)?;
        Ok(self.0.place(tx.tenant(), &file.media))
    }

    /// The store that holds the files' records.
    pub fn store(&self) -> &Store {
        &self.0.store
    }

    /// Returns the number of uploads found damaged or missing since the start.
    pub fn damaged(&self) -> u64 {
        self.0.damaged().len() as u64
    }

    /// Returns the number of these uploads that belong to a tenant.
    pub fn damaged_of(&self, tenant: TenantId) -> u64 {
        self.0.damaged().iter().filter(|(of, _)| *of == tenant).count() as u64
    }

    /// Forgets damaged uploads whose records were removed since.
    pub fn forget_removed(&self) -> Result<()> {
        let known = self.0.damaged().clone();
        if known.is_empty() {
            return Ok(());
        }
        let snapshot = self.0.store.snapshot()?;
        for upload in known {
            let records = snapshot.global::<FileRecord>(BY_MEDIA, &upload.1);
            if records.is_ok_and(|records| records.is_empty()) {
                self.0.damaged().remove(&upload);
            }
        }
        Ok(())
    }

    /// Records whether an upload is intact. Returns whether it was already known to be damaged, or too many are known.
    pub(super) fn note(&self, tenant: TenantId, media: &str, is_sound: bool) -> bool {
        let mut damaged = self.0.damaged();
        let known = (tenant, media.to_owned());
        if is_sound {
            return damaged.remove(&known);
        }
        damaged.len() >= MAX_REMEMBERED_DAMAGE || !damaged.insert(known)
    }

    /// Returns the path of a tenant's file; with an empty name, the tenant's folder.
    pub(super) fn place(&self, tenant: TenantId, media: &str) -> PathBuf {
        self.0.place(tenant, media)
    }

    /// Runs picture processing on a blocking thread, at most two at a time.
    pub(super) async fn process_picture<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let _permit = self.0.decode_permits.acquire().await.map_err(Error::internal)?;
        run_blocking(work).await
    }

    /// Writes a file under a new media id. The file is synced to disk when this returns.
    pub(super) async fn write(&self, tenant: TenantId, bytes: Vec<u8>) -> Result<[u8; 16]> {
        let media = self.0.store.entropy().bytes();
        let inner = self.0.clone();
        let work = move || inner.write(tenant, &hex::encode(&media), &mut bytes.as_slice());
        run_blocking(move || work().map_err(|error| disk_error(&error))).await?;
        Ok(media)
    }

    /// Returns the path for a file that is about to arrive.
    pub(super) fn incoming_path(&self) -> Result<PathBuf> {
        let incoming = self.0.incoming();
        self.0.make_folder(&incoming).map_err(|error| disk_error(&error))?;
        Ok(incoming.join(hex::encode(&self.0.store.entropy().bytes::<16>())))
    }

    /// Creates a file without a name, which is gone when it is closed.
    pub fn temporary_file(&self) -> Result<fs::File> {
        let path = self.incoming_path()?;
        let file = OpenOptions::new().read(true).write(true).create_new(true).mode(0o600).open(&path);
        let file = file.map_err(|error| disk_error(&error))?;
        fs::remove_file(&path).map_err(|error| disk_error(&error))?;
        Ok(file)
    }

    /// Moves a file that arrived to its place, under a new media id.
    pub(super) async fn keep(&self, tenant: TenantId, file: IncomingFile) -> Result<[u8; 16]> {
        let media = self.0.store.entropy().bytes();
        let inner = self.0.clone();
        let work = move || inner.place_file(tenant, &hex::encode(&media), file.path());
        run_blocking(move || work().map_err(|error| disk_error(&error))).await?;
        Ok(media)
    }

    /// Prevents garbage collection while the returned guard is held, as during an export or import, when not all
    /// records that refer to files are present.
    pub async fn prevent_garbage_collection(&self) -> RwLockReadGuard<'_, ()> {
        self.0.clearing.read().await
    }

    /// Waits until no [`FileStore::prevent_garbage_collection`] guard is held, and blocks new ones.
    pub(super) async fn begin_clearing(&self) -> RwLockWriteGuard<'_, ()> {
        self.0.clearing.write().await
    }

    /// Writes an imported file of a tenant. The file is synced to disk when this returns, which may take long: do not
    /// call it on threads that serve requests.
    /// Errors: `internal` when `media` is no media id.
    pub(super) fn write_imported(&self, tenant: TenantId, media: &str, bytes: &mut dyn Read) -> Result<()> {
        if !is_media(media) {
            return Err(Error::internal("a file under a name that is no media id"));
        }
        self.0.write(tenant, media, bytes).map_err(|error| disk_error(&error))
    }

    /// Removes a file whose record could not be written. If removal fails, no record refers to the file and garbage
    /// collection removes it later.
    pub(super) async fn discard(&self, tenant: TenantId, media: [u8; 16]) {
        self.discard_named(tenant, &hex::encode(&media)).await;
    }

    /// Removes a file whose record was removed.
    pub(super) async fn discard_named(&self, tenant: TenantId, media: &str) {
        // A record from another installation may hold any text: only a file of this tenant may be removed.
        if !is_media(media) {
            return;
        }
        let path = self.0.place(tenant, media);
        if let Err(error) = tokio::fs::remove_file(&path).await {
            tracing::warn!(%error, "uploads: removing a file without a record failed");
        }
    }

    /// Removes all files of a tenant that is being erased.
    pub async fn erase(&self, tenant: TenantId) -> Result<()> {
        let place = self.0.place(tenant, "");
        let removed = spawn_blocking(move || folder::remove(&place));
        removed.await.map_err(Error::internal)?.map_err(|error| disk_error(&error))
    }

    /// Opens a file, and verifies it against its record first: damaged files are not served.
    /// Errors: `internal` when the file is missing or damaged.
    pub(super) async fn open_found(&self, found: FoundFile) -> Result<OpenFile> {
        let FoundFile { tenant, record, logo } = found;
        let place = self.0.place(tenant, &record.media);
        let size = record.value.size;
        let digest = record.value.digest.clone();
        let digest = digest.filter(|_| !self.0.is_verified(&place));
        let read = spawn_blocking(move || {
            let file = integrity::open_verified(&place, size, digest.as_deref())?;
            Ok::<_, FileFault>((file, place, digest.is_some()))
        });
        match read.await.map_err(Error::internal)? {
            Ok((file, place, was_verified)) => {
                if was_verified {
                    self.0.note_verified(place);
                }
                self.note(tenant, &record.media, true);
                Ok(OpenFile { record, file: tokio::fs::File::from_std(file), length: size, logo })
            }
            Err(flaw) => {
                let detail = format!("the upload {} of tenant {tenant} {flaw}", record.id);
                let error = Error::internal(detail).say("errors.file_damaged", Vec::new());
                Err(if self.note(tenant, &record.media, false) { error.already_logged() } else { error })
            }
        }
    }

    /// Finds a file of any tenant by its media id, for someone who may see a record that holds it. Free are logos of
    /// companies, and for a day what a member uploaded, since forms show pictures before they are saved.
    /// Errors: `not_found`.
    pub(super) fn find(&self, media: &str, asks: Option<FileReader>) -> Result<FoundFile> {
        let snapshot = self.0.store.snapshot()?;
        let found = snapshot.global::<FileRecord>(BY_MEDIA, media)?;
        let (tenant, id) = found.first().copied().ok_or_else(Error::not_found)?;
        let tx = snapshot.tenant(tenant, None);
        let record = tx.get::<FileRecord>(id)?;
        let url = record.url();
        let logo = is_logo(&tx, &url)?;
        let is_shown = match asks {
            _ if logo => true,
            Some(FileReader::Member(own, reader)) if own == tenant => {
                let recent = self.0.store.clock().now().plus_seconds(-GRACE_PERIOD_SECONDS);
                let is_own_upload = record.created_by == Some(reader.id) && record.created_at > recent;
                is_own_upload || shows_file(&snapshot.tenant(tenant, Some(reader.id)), reader, media)?
            }
            Some(FileReader::Locked(own, member)) if own == tenant => {
                tx.find::<MemberRecord>(member)?.is_some_and(|member| member.avatar.as_ref() == Some(&url))
            }
            _ => false,
        };
        if is_shown { Ok(FoundFile { tenant, record, logo }) } else { Err(Error::not_found()) }
    }
}

impl Inner {
    fn damaged(&self) -> MutexGuard<'_, BTreeSet<(TenantId, String)>> {
        self.damaged.lock()
    }

    fn incoming(&self) -> PathBuf {
        self.dir.join("incoming")
    }

    fn place(&self, tenant: TenantId, media: &str) -> PathBuf {
        self.dir.join(tenant.to_string()).join(media)
    }

    /// Creates a folder that may have been deleted while the server runs.
    fn make_folder(&self, folder: &Path) -> io::Result<()> {
        if folder.is_dir() {
            return Ok(());
        }
        folder::make(folder)?;
        folder::sync(&self.dir)?;
        self.dir.parent().map_or(Ok(()), folder::sync)
    }

    /// Whether a file was verified within the last minutes and has not been changed since.
    fn is_verified(&self, path: &Path) -> bool {
        let known = self.verified.lock().get(path).copied();
        let changed = fs::metadata(path).and_then(|metadata| metadata.modified());
        known.is_some_and(|(at, before)| at.elapsed() < VERIFIED_FOR && changed.is_ok_and(|changed| changed == before))
    }

    fn note_verified(&self, path: PathBuf) {
        let Ok(changed) = fs::metadata(&path).and_then(|metadata| metadata.modified()) else { return };
        let mut verified = self.verified.lock();
        if verified.len() >= MAX_REMEMBERED_VERIFIED {
            verified.clear();
        }
        verified.insert(path, (Instant::now(), changed));
    }

    /// Moves a synced file to the folder of its tenant.
    fn place_file(&self, tenant: TenantId, media: &str, draft: &Path) -> io::Result<()> {
        let home = self.place(tenant, "");
        self.make_folder(&home)?;
        fs::rename(draft, home.join(media))?;
        folder::sync(&home)
    }

    fn write(&self, tenant: TenantId, media: &str, bytes: &mut dyn Read) -> io::Result<()> {
        self.make_folder(&self.incoming())?;
        let draft = self.incoming().join(media);
        let written = write_synced(&draft, bytes).and_then(|()| self.place_file(tenant, media, &draft));
        if written.is_err() {
            // The disk may be full: the incomplete file must not stay.
            let _ = fs::remove_file(&draft);
        }
        written
    }
}

fn write_synced(path: &Path, bytes: &mut dyn Read) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
    io::copy(bytes, &mut file)?;
    file.sync_all()
}

/// The server adds the file store to each request. Only this feature can use its operations.
impl<'a> FromRequest<'a> for FileStore {
    async fn from_request(request: &'a Request, _: &mut RequestBody) -> poem::Result<Self> {
        let missing = || Problem(Error::internal("the server was put together without its vault"));
        Ok(request.data::<Self>().cloned().ok_or_else(missing)?)
    }
}
