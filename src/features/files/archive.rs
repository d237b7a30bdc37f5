//! Export, import, backup and restore of uploaded files. A tenant's archive holds their bytes under their media ids.
//! When an id is already taken on import, all files get new ids, and records that mention their paths are rewritten.

use std::{
    fs::{self, File},
    io::{self, Read},
    os::unix::fs::OpenOptionsExt as _,
    path::Path,
};

use sha2::{Digest as _, Sha256};
use uuid::Uuid;

use super::{
    file_store::FileStore,
    integrity,
    model::{BY_MEDIA, FileRecord, MEDIA, is_media},
};
use crate::{
    kernel::{Code, Error, Result, TenantId, folder, hex},
    store::{Record as _, Snapshot, Stored, TenantRead, TenantWrite},
};

/// Length of a media id in characters.
const MEDIA_ID_CHARS: usize = 32;

/// Passes each file of a tenant to `add`: media id and bytes. Returns how many are damaged, missing or unreadable;
/// damaged ones are passed on as they are. The caller holds [`FileStore::prevent_garbage_collection`], so that no file
/// is removed in the meantime.
pub fn copy_out(
    file_store: &FileStore,
    tx: &TenantRead<'_>,
    mut add: impl FnMut(&str, &[u8]) -> Result<()>,
) -> Result<u64> {
    let mut lost = 0;
    tx.each::<FileRecord>(|record| {
        if !is_media(&record.media) {
            return Ok(());
        }
        let flaw = match fs::read(file_store.place(tx.tenant(), &record.media)) {
            Ok(bytes) => {
                add(&record.media, &bytes)?;
                integrity::verify_bytes(&bytes, &record).err()
            }
            Err(error) => Some(error.into()),
        };
        lost += u64::from(file_store.report(tx.tenant(), &record, flaw.as_ref()));
        Ok(())
    })?;
    Ok(lost)
}

/// An upload that is damaged or missing.
#[derive(Clone, Debug)]
pub struct DamagedUpload {
    /// The tenant that owns the file.
    pub tenant: TenantId,
    /// Its record.
    pub record: Stored<FileRecord>,
    /// What is wrong with it, in words.
    pub flaw: String,
}

impl DamagedUpload {
    /// Returns the file's name in a backup.
    pub fn name(&self) -> String {
        format!("{}/{}", self.tenant, self.record.media)
    }

    /// Reads the file's bytes from a backup and, if `keep` is set, restores them. Returns false when they do not match
    /// the record's size and checksum.
    pub fn restore_from_backup(&self, file_store: &FileStore, bytes: &mut dyn Read, keep: bool) -> io::Result<bool> {
        let mut read = Vec::new();
        bytes.take(self.record.size.saturating_add(1)).read_to_end(&mut read)?;
        if integrity::verify_bytes(&read, &self.record).is_err() {
            return Ok(false);
        }
        if keep {
            let brought = file_store.write_imported(self.tenant, &self.record.media, &mut read.as_slice());
            brought.map_err(|error| io::Error::other(format!("{error:?}")))?;
            file_store.note(self.tenant, &self.record.media, true);
        }
        Ok(true)
    }

    /// Removes the record; garbage collection removes the file later.
    pub fn remove_record(&self, tx: &TenantWrite<'_>) -> Result<()> {
        match tx.attempt(|| tx.remove::<FileRecord>(self.record.id, None)) {
            Err(error) if error.code() != Code::NotFound => Err(error),
            _ => Ok(()),
        }
    }
}

/// Returns the uploads of a tenant that are damaged or missing.
pub fn find_damaged(file_store: &FileStore, tx: &TenantRead<'_>) -> Result<Vec<DamagedUpload>> {
    let mut lost = Vec::new();
    tx.each::<FileRecord>(|record| {
        let place = file_store.place(tx.tenant(), &record.media);
        let opened = integrity::open_verified(&place, record.size, record.digest.as_deref());
        file_store.note(tx.tenant(), &record.media, opened.is_ok());
        if let Err(flaw) = opened {
            lost.push(DamagedUpload { tenant: tx.tenant(), record, flaw: flaw.to_string() });
        }
        Ok(())
    })?;
    Ok(lost)
}

/// Writes a file from a backup, named `<tenant>/<media id>`, into the uploads folder being restored. The caller syncs
/// the file system.
/// Errors: `InvalidData` for any other name; errors of the disk or of reading the bytes.
pub fn put_back(uploads: &Path, name: &str, bytes: &mut dyn Read) -> io::Result<()> {
    let parts = name.split_once('/').filter(|(_, media)| is_media(media));
    let tenant = parts.and_then(|(tenant, _)| TenantId::from_bytes(*Uuid::try_parse(tenant).ok()?.as_bytes()));
    let (Some(tenant), Some((_, media))) = (tenant, parts) else {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "a file of another name"));
    };
    let home = uploads.join(tenant.to_string());
    folder::make(&home)?;
    let mut file = File::options().write(true).create_new(true).mode(0o600).open(home.join(media))?;
    io::copy(bytes, &mut file).map(drop)
}

/// The media ids that an imported tenant's files get.
#[derive(Clone)]
pub struct Names {
    file_store: FileStore,
    tenant: TenantId,
    /// Secret from which new ids are derived, so that no mapping table is needed; `None` when the files keep their ids.
    secret: Option<[u8; 32]>,
}

impl Names {
    /// For files imported into `tenant`. `is_taken` says whether any of their ids is in use, and they need new ones.
    pub fn new(file_store: &FileStore, tenant: TenantId, is_taken: bool) -> Self {
        let secret = is_taken.then(|| file_store.store().entropy().bytes());
        Self { file_store: file_store.clone(), tenant, secret }
    }

    /// Whether a media id from an archive belongs to a file of this installation.
    /// Errors: `invalid` at `file` when the text is no media id.
    pub fn is_taken(snapshot: &Snapshot, media: &str) -> Result<bool> {
        if !is_media(media) {
            return Err(Error::field("file", "errors.fields.archive_damaged").with_detail("a file of another name"));
        }
        Ok(!snapshot.global::<FileRecord>(BY_MEDIA, media)?.is_empty())
    }

    /// Writes a file that the archive has as `media`, under its new id.
    pub fn keep(&self, media: &str, bytes: &mut dyn Read) -> Result<()> {
        self.file_store.write_imported(self.tenant, &self.now(media.as_bytes()), bytes)
    }

    fn now(&self, media: &[u8]) -> String {
        match &self.secret {
            None => String::from_utf8_lossy(media).into_owned(),
            Some(secret) => {
                let made = Sha256::new().chain_update(secret).chain_update(media).finalize();
                hex::encode(made.get(..MEDIA_ID_CHARS / 2).unwrap_or_default())
            }
        }
    }

    /// Replaces old media ids in a record's payload by new ones. Call it after all files were written.
    pub fn rewrite(&self, table: u16, payload: &mut [u8]) {
        if self.secret.is_none() {
            return;
        }
        // A file's own record has the id without its path.
        let path = if table == FileRecord::TABLE { &[][..] } else { MEDIA.as_bytes() };
        let mut at = 0;
        while let Some(rest) = payload.get_mut(at..) {
            let id = if rest.starts_with(path) { rest.get_mut(path.len()..path.len() + MEDIA_ID_CHARS) } else { None };
            at += if id.is_some_and(|id| self.replace(id)) { path.len() + MEDIA_ID_CHARS } else { 1 };
        }
    }

    /// Replaces a media id if it belongs to one of the tenant's files. Returns whether it did.
    fn replace(&self, id: &mut [u8]) -> bool {
        if !std::str::from_utf8(id).is_ok_and(is_media) {
            return false;
        }
        let new = self.now(id);
        // Other text that looks like an id stays: it leads to none of the tenant's files.
        let is_theirs = self.file_store.place(self.tenant, &new).is_file();
        if is_theirs {
            id.copy_from_slice(new.as_bytes());
        }
        is_theirs
    }
}
