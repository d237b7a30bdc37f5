//! Where files lie: `files/<tenant>/<media id>` in the data directory. A file is on the disk, whole,
//! before anybody is told that it is there.

use std::{
    collections::BTreeSet,
    fs::{self, OpenOptions},
    io::{self, Read},
    os::unix::fs::OpenOptionsExt as _,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use poem::{FromRequest, Request, RequestBody};
use tokio::{
    sync::{RwLock, RwLockReadGuard, RwLockWriteGuard, Semaphore},
    task::spawn_blocking,
};

use super::{
    model::{BY_MEDIA, FileRecord, is_media},
    sound,
};
use crate::{
    access::members::Company,
    kernel::{Code, Error, Id, Result, TenantId, folder, hex},
    store::{Store, Stored},
    wire::Problem,
};

/// Pictures that are decoded at a time: each takes up to 160 MB of memory.
const PAINTERS: usize = 2;

/// Damaged uploads that are remembered.
const NOTED: usize = 1_000;

/// The uploads of the installation. Cheap to clone.
#[derive(Clone)]
pub struct FileStore(Arc<Inner>);

struct Inner {
    store: Store,
    dir: PathBuf,
    quota: u64,
    painters: Semaphore,
    /// The uploads that were found damaged or missing, a thousand at most.
    damaged: Mutex<BTreeSet<(TenantId, String)>>,
    /// Held by whoever clears away, and shared by those whom that would disturb.
    clearing: RwLock<()>,
}

fn disk(error: &io::Error) -> Error {
    Error::new(Code::Busy).retry_after(5).with_detail(format_args!("files: {error}"))
}

/// A file that is about to be served.
pub(super) struct Found {
    pub record: Stored<FileRecord>,
    pub file: tokio::fs::File,
    /// Its bytes.
    pub length: u64,
    /// Whether the company shows it as its logo, which webmail fetches from pages of its own.
    pub logo: bool,
}

impl FileStore {
    /// The uploads in a data directory, whose place for them is made when missing: at most `quota` bytes for
    /// each company. What an interrupted upload left is cleared away.
    ///
    /// # Errors
    /// `busy` when the disk fails.
    pub fn open(store: Store, data_dir: &Path, quota: u64) -> Result<Self> {
        let dir = data_dir.join("files");
        let (painters, clearing, damaged) = (Semaphore::new(PAINTERS), RwLock::default(), Mutex::default());
        let inside = Inner { store, dir, quota, painters, damaged, clearing };
        let incoming = inside.incoming();
        let made = folder::remove(&incoming).and_then(|()| folder::make(&incoming));
        made.and_then(|()| folder::sync(data_dir)).map_err(|error| disk(&error))?;
        Ok(Self(Arc::new(inside)))
    }

    /// Bytes of files that each company may keep.
    pub(super) fn quota(&self) -> u64 {
        self.0.quota
    }

    /// The store that the files' records are in.
    #[must_use]
    pub fn store(&self) -> &Store {
        &self.0.store
    }

    /// How many uploads were found damaged or missing since the start.
    #[must_use]
    pub fn damaged(&self) -> u64 {
        self.0.damaged().len() as u64
    }

    /// Notes whether an upload is sound. Whether it was known to be damaged or missing already.
    pub(super) fn note(&self, tenant: TenantId, media: &str, is_sound: bool) -> bool {
        let mut damaged = self.0.damaged();
        let known = (tenant, media.to_owned());
        if is_sound {
            return damaged.remove(&known);
        }
        damaged.len() >= NOTED || !damaged.insert(known)
    }

    /// Where a file of a tenant lies; without a name, where all of them do.
    pub(super) fn place(&self, tenant: TenantId, media: &str) -> PathBuf {
        self.0.place(tenant, media)
    }

    /// Works on a picture beside the threads that serve requests, few at a time.
    ///
    /// # Errors
    /// What `work` returns; `internal` when it panics.
    pub(super) async fn paint<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let _painter = self.0.painters.acquire().await.map_err(Error::internal)?;
        spawn_blocking(work).await.map_err(Error::internal)?
    }

    /// Writes a file under a new media id. It is on the disk when this returns.
    ///
    /// # Errors
    /// `busy` when the disk fails.
    pub(super) async fn write(&self, tenant: TenantId, bytes: Vec<u8>) -> Result<[u8; 16]> {
        let media = self.0.store.entropy().bytes();
        let inside = self.0.clone();
        spawn_blocking(move || inside.write(tenant, &hex::encode(&media), &mut bytes.as_slice()))
            .await
            .map_err(Error::internal)?
            .map_err(|error| disk(&error))?;
        Ok(media)
    }

    /// As long as what this answers with is held, nothing is cleared away: a company is being copied out or in, and
    /// not all that refers to its files is there.
    pub async fn hold_still(&self) -> RwLockReadGuard<'_, ()> {
        self.0.clearing.read().await
    }

    /// Waits until nobody needs all files to stay, and keeps it so.
    pub(super) async fn begin_clearing(&self) -> RwLockWriteGuard<'_, ()> {
        self.0.clearing.write().await
    }

    /// Writes a file of a tenant that is being brought in. It is on the disk when this returns, which may take a
    /// while: not for threads that serve requests.
    ///
    /// # Errors
    /// `busy` when the disk fails, or the bytes cannot be read; `internal` for what is no media id.
    pub(super) fn bring(&self, tenant: TenantId, media: &str, bytes: &mut dyn Read) -> Result<()> {
        if !is_media(media) {
            return Err(Error::internal("a file under a name that is no media id"));
        }
        self.0.write(tenant, media, bytes).map_err(|error| disk(&error))
    }

    /// Removes a file whose record could not be kept. One that stays is nobody's and harms nobody.
    pub(super) async fn discard(&self, tenant: TenantId, media: [u8; 16]) {
        self.discard_named(tenant, &hex::encode(&media)).await;
    }

    /// Removes a file whose record is gone.
    pub(super) async fn discard_named(&self, tenant: TenantId, media: &str) {
        // A record from another installation may say anything: nothing but a file of the tenant's is removed.
        if !is_media(media) {
            return;
        }
        let path = self.0.place(tenant, media);
        if let Err(error) = tokio::fs::remove_file(&path).await {
            tracing::warn!(%error, "a file without a record stays");
        }
    }

    /// Removes all files of a tenant that is being erased.
    ///
    /// # Errors
    /// `busy` when the disk fails.
    pub async fn erase(&self, tenant: TenantId) -> Result<()> {
        let place = self.0.place(tenant, "");
        let removed = spawn_blocking(move || folder::remove(&place));
        removed.await.map_err(Error::internal)?.map_err(|error| disk(&error))
    }

    /// The file with a media id, whosever it is, and its record. The file is read through and held against its
    /// record first: what is damaged is not handed out.
    ///
    /// # Errors
    /// `not_found`; `internal` when the record is there and the file is not, or is damaged.
    pub(super) async fn find(&self, media: &str) -> Result<Found> {
        let (tenant, record, logo) = self.record(media)?;
        let place = self.0.place(tenant, &record.media);
        let (size, digest) = (record.value.size, record.value.digest.clone());
        let read = spawn_blocking(move || sound::open(&place, size, digest.as_deref()));
        match read.await.map_err(Error::internal)? {
            Ok(file) => {
                self.note(tenant, &record.media, true);
                Ok(Found { record, file: tokio::fs::File::from_std(file), length: size, logo })
            }
            Err(flaw) => {
                let detail = format!("the upload {} of tenant {tenant} {flaw}", record.id);
                let error = Error::internal(detail).say("errors.file_damaged", Vec::new());
                Err(if self.note(tenant, &record.media, false) { error.already_logged() } else { error })
            }
        }
    }

    fn record(&self, media: &str) -> Result<(TenantId, Stored<FileRecord>, bool)> {
        let snapshot = self.0.store.snapshot()?;
        let found: Vec<(TenantId, Id<FileRecord>)> = snapshot.global(BY_MEDIA, media)?;
        let (tenant, id) = found.first().copied().ok_or_else(Error::not_found)?;
        let tx = snapshot.tenant(tenant, None);
        let (record, company) = (tx.get(id)?, Company::of(&tx)?.value);
        let url = record.url();
        let logo = [company.logotipo_dark, company.logotipo_light].into_iter().flatten().any(|logo| logo == url);
        Ok((tenant, record, logo))
    }
}

impl Inner {
    fn damaged(&self) -> MutexGuard<'_, BTreeSet<(TenantId, String)>> {
        self.damaged.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn incoming(&self) -> PathBuf {
        self.dir.join("incoming")
    }

    fn place(&self, tenant: TenantId, media: &str) -> PathBuf {
        self.dir.join(tenant.to_string()).join(media)
    }

    fn write(&self, tenant: TenantId, media: &str, bytes: &mut dyn Read) -> io::Result<()> {
        let home = self.dir.join(tenant.to_string());
        // Also when somebody removed them while the server runs.
        for folder in [self.incoming(), home.clone()] {
            if !folder.is_dir() {
                folder::make(&folder)?;
                folder::sync(&self.dir)?;
                self.dir.parent().map_or(Ok(()), folder::sync)?;
            }
        }
        let draft = self.incoming().join(media);
        let written = move_in(&draft, &home, media, bytes);
        if written.is_err() {
            // The disk may be full: what was written so far must not stay.
            let _ = fs::remove_file(&draft);
        }
        written
    }
}

/// Writes a file beside its home and moves it in when it is whole and on the disk.
fn move_in(draft: &Path, home: &Path, media: &str, bytes: &mut dyn Read) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(draft)?;
    io::copy(bytes, &mut file)?;
    file.sync_all()?;
    fs::rename(draft, home.join(media))?;
    folder::sync(home)
}

/// The server puts the vault into each request. What can be done with it is this feature's alone.
impl<'a> FromRequest<'a> for FileStore {
    async fn from_request(request: &'a Request, _: &mut RequestBody) -> poem::Result<Self> {
        let missing = || Problem(Error::internal("the server was put together without its vault"));
        Ok(request.data::<Self>().cloned().ok_or_else(missing)?)
    }
}
