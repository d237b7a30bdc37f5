//! Files on their way to another installation and back: a company's archive holds their bytes under their media
//! ids, and where an id is taken already all of them get new ones, and with them whatever mentions their paths.

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
    model::{BY_MEDIA, FileRecord, MEDIA, is_media},
    sound,
};
use crate::{
    kernel::{Code, Error, Result, TenantId, folder, hex},
    store::{Record as _, Snapshot, Stored, TenantRead, TenantWrite},
};

/// Characters of a media id.
const LENGTH: usize = 32;

/// Hands the files of a company to `add`: media id and bytes. Answers with how many are damaged, which are handed over
/// as they are, or are missing or cannot be read. Nothing may be cleared away meanwhile ([`FileStore::hold_still`]).
///
/// # Errors
/// `busy` or `internal` when a record cannot be read; what `add` returns.
pub fn copy_out(vault: &FileStore, tx: &TenantRead<'_>, mut add: impl FnMut(&str, &[u8]) -> Result<()>) -> Result<u64> {
    let mut lost = 0;
    tx.each::<FileRecord>(|record| {
        if !is_media(&record.media) {
            return Ok(());
        }
        let flaw = match fs::read(vault.place(tx.tenant(), &record.media)) {
            Ok(bytes) => {
                add(&record.media, &bytes)?;
                sound::hold_against(&bytes, &record).err()
            }
            Err(error) => Some(error.into()),
        };
        lost += u64::from(vault.report(tx.tenant(), &record, flaw.as_ref()));
        Ok(())
    })?;
    Ok(lost)
}

/// An upload that is damaged or missing.
#[derive(Clone, Debug)]
pub struct Lost {
    /// Whose it is.
    pub tenant: TenantId,
    /// Its record.
    pub record: Stored<FileRecord>,
    /// What is wrong with it, in words.
    pub flaw: String,
}

impl Lost {
    /// What it is called in a backup.
    #[must_use]
    pub fn name(&self) -> String {
        format!("{}/{}", self.tenant, self.record.media)
    }

    /// Takes its bytes out of a backup, when they are those that its record tells of, and keeps them when `keep`.
    /// Whether they are.
    ///
    /// # Errors
    /// Whatever the disk or the backup say.
    pub fn take_back(&self, vault: &FileStore, bytes: &mut dyn Read, keep: bool) -> io::Result<bool> {
        let mut read = Vec::new();
        bytes.take(self.record.size.saturating_add(1)).read_to_end(&mut read)?;
        if sound::hold_against(&read, &self.record).is_err() {
            return Ok(false);
        }
        if keep {
            let brought = vault.bring(self.tenant, &self.record.media, &mut read.as_slice());
            brought.map_err(|error| io::Error::other(format!("{error:?}")))?;
            vault.note(self.tenant, &self.record.media, true);
        }
        Ok(true)
    }

    /// Removes its record; what lies in its place is cleared away later.
    ///
    /// # Errors
    /// `busy` when it cannot be written.
    pub fn give_up(&self, tx: &TenantWrite<'_>) -> Result<()> {
        match tx.remove(self.record.id, None) {
            Err(error) if error.code() != Code::NotFound => Err(error),
            _ => Ok(()),
        }
    }
}

/// The uploads of a company that are damaged or missing.
///
/// # Errors
/// `busy` or `internal` when a record cannot be read.
pub fn lost(vault: &FileStore, tx: &TenantRead<'_>) -> Result<Vec<Lost>> {
    let mut lost = Vec::new();
    tx.each::<FileRecord>(|record| {
        let place = vault.place(tx.tenant(), &record.media);
        let opened = sound::open(&place, record.size, record.digest.as_deref());
        vault.note(tx.tenant(), &record.media, opened.is_ok());
        if let Err(flaw) = opened {
            lost.push(Lost { tenant: tx.tenant(), record, flaw: flaw.to_string() });
        }
        Ok(())
    })?;
    Ok(lost)
}

/// Keeps a file of a backup, known there as `<tenant>/<media id>`, in the folder of uploads that is being put back.
/// To make it survive a power loss is the caller's.
///
/// # Errors
/// `InvalidData` for any other name; whatever the disk or the bytes say.
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

/// Under which ids the files of a company go on that is brought in.
#[derive(Clone)]
pub struct Names {
    vault: FileStore,
    tenant: TenantId,
    /// What new ids are made of; none when the files keep theirs. So no list of all of them is needed.
    secret: Option<[u8; 32]>,
}

impl Names {
    /// For a company that is brought in as `tenant`: new ids when any of its own `is_taken`.
    #[must_use]
    pub fn new(vault: &FileStore, tenant: TenantId, is_taken: bool) -> Self {
        let secret = is_taken.then(|| vault.store().entropy().bytes());
        Self { vault: vault.clone(), tenant, secret }
    }

    /// Whether a file in an archive has an id that a file of the installation has.
    ///
    /// # Errors
    /// `invalid` at `file` for what is no id at all; `busy` when it cannot be read.
    pub fn is_taken(snapshot: &Snapshot, media: &str) -> Result<bool> {
        if !is_media(media) {
            return Err(Error::field("file", "errors.fields.archive_damaged").with_detail("a file of another name"));
        }
        Ok(!snapshot.global::<FileRecord>(BY_MEDIA, media)?.is_empty())
    }

    /// Keeps a file of the company's, known in its archive as `media`.
    ///
    /// # Errors
    /// `busy` when the disk fails.
    pub fn keep(&self, media: &str, bytes: &mut dyn Read) -> Result<()> {
        self.vault.bring(self.tenant, &self.now(media.as_bytes()), bytes)
    }

    fn now(&self, media: &[u8]) -> String {
        match &self.secret {
            None => String::from_utf8_lossy(media).into_owned(),
            Some(secret) => {
                let made = Sha256::new().chain_update(secret).chain_update(media).finalize();
                hex::encode(made.get(..LENGTH / 2).unwrap_or_default())
            }
        }
    }

    /// Puts the files' new ids wherever a record mentions the old ones. All files were kept before.
    pub fn rewrite(&self, table: u16, payload: &mut [u8]) {
        if self.secret.is_none() {
            return;
        }
        // A file's own record has the id without its path.
        let path = if table == FileRecord::TABLE { &[][..] } else { MEDIA.as_bytes() };
        let mut at = 0;
        while let Some(rest) = payload.get_mut(at..) {
            let id = if rest.starts_with(path) { rest.get_mut(path.len()..path.len() + LENGTH) } else { None };
            at += if id.is_some_and(|id| self.replace(id)) { path.len() + LENGTH } else { 1 };
        }
    }

    /// Replaces what is the id of a file of the company's. Whether it was.
    fn replace(&self, id: &mut [u8]) -> bool {
        if !std::str::from_utf8(id).is_ok_and(is_media) {
            return false;
        }
        let new = self.now(id);
        // Whatever else looks like one stays: it leads to nothing of theirs.
        let is_theirs = self.vault.place(self.tenant, &new).is_file();
        if is_theirs {
            id.copy_from_slice(new.as_bytes());
        }
        is_theirs
    }
}
