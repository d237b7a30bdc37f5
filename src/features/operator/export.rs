//! A company out of the installation, as one file. The file is there whole or not at all, and never without a
//! word of it in the company's record.

use std::{
    fs::{self, File},
    io::{self, BufWriter},
    os::unix::fs::OpenOptionsExt as _,
    path::{Path, PathBuf},
};

use super::{erase::has_begun, tell_admins};
use crate::{
    access::{
        audit::{self, Event},
        members::Company,
    },
    features::{
        self,
        files::{self, Vault},
    },
    kernel::{Code, Error, Result, TenantId, hex},
    store::{Actor, Store, TenantWrite},
};

/// What went into a company's file.
#[derive(Clone, Debug)]
pub struct Exported {
    /// Records.
    pub records: u64,
    /// Uploads.
    pub files: u64,
    /// Damaged records and missing uploads, which are not in it.
    pub damaged: u64,
}

/// Writes everything of a company into a new file that only its owner may read: one moment of its records, with
/// the bytes of its uploads. Sessions, mailed links, letters and kept replies stay behind.
///
/// # Errors
/// `conflict` at `file` when there is one already, or of a company that is being erased; `invalid` at `file` when
/// it cannot be made; `busy` or `internal` when it cannot be written to its end. No file is there then.
pub async fn export(store: &Store, vault: &Vault, tenant: TenantId, place: PathBuf) -> Result<Exported> {
    let _still = vault.hold_still().await;
    let (from, uploads) = (store.clone(), vault.clone());
    let name = hex::encode(&store.entropy().bytes::<4>());
    let copy = move || {
        let (draft, file) = Draft::beside(place, &name)?;
        let snapshot = from.snapshot()?;
        let tx = snapshot.tenant(tenant, None);
        let company = Company::of(&tx)?;
        if has_begun(&company) {
            return Err(Error::new(Code::Conflict));
        }
        let mut export = tx.export(BufWriter::new(file), from.clock().now())?;
        let missing = files::copy_out(&uploads, &tx, &mut export)?;
        let copied = export.finish(features::TABLES)?;
        let damaged = missing + copied.damage.len() as u64;
        Ok((draft, Exported { records: copied.records, files: copied.files, damaged }))
    };
    let (draft, exported) = tokio::task::spawn_blocking(copy).await.map_err(Error::internal)??;
    let work = |tx: &TenantWrite<'_>| {
        let company = Company::of(tx)?;
        audit::note(tx, Event::new("operator.tenant_export").about(company.id, &company.name))?;
        let gaps = vec![("company", company.name.clone())];
        tell_admins(tx, "server.operator.tenant_export", "shield-alert", gaps, "/settings/company")
    };
    // Before the file is in its place: rather a word of a file that nobody got than a file that nobody heard of.
    store.write(tenant, Actor::Operator, work).await?;
    draft.keep().map_err(|error| unusable(&error))?;
    Ok(exported)
}

/// What is said of a file that cannot be made or read.
pub(super) fn unusable(error: &io::Error) -> Error {
    let (code, words) = match error.kind() {
        io::ErrorKind::AlreadyExists => (Code::Conflict, "errors.fields.file_exists"),
        _ => (Code::Invalid, "errors.fields.file_unusable"),
    };
    Error::new(code).and_field("file", words, Vec::new()).with_detail(error)
}

/// A file that is being written beside its place; gone unless it is kept.
struct Draft {
    path: PathBuf,
    place: PathBuf,
}

impl Draft {
    fn beside(place: PathBuf, name: &str) -> Result<(Self, File)> {
        let taken = || Err(unusable(&io::ErrorKind::AlreadyExists.into()));
        if place.symlink_metadata().is_ok() {
            return taken();
        }
        let mut path = place.clone().into_os_string();
        path.push(format!(".{name}.part"));
        let path = PathBuf::from(path);
        let made = File::options().write(true).create_new(true).mode(0o600).open(&path);
        let file = made.map_err(|error| unusable(&error))?;
        Ok((Self { path, place }, file))
    }

    /// Puts it in its place, so that it is there after a power loss too.
    fn keep(self) -> io::Result<()> {
        File::open(&self.path)?.sync_all()?;
        // Unlike a renaming, a link takes nobody's place.
        match fs::hard_link(&self.path, &self.place) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Err(error),
            // Not every file system has links.
            Err(_) if self.place.symlink_metadata().is_err() => fs::rename(&self.path, &self.place)?,
            Err(_) => return Err(io::ErrorKind::AlreadyExists.into()),
        }
        let folder = self.place.parent().filter(|folder| !folder.as_os_str().is_empty());
        File::open(folder.unwrap_or(Path::new(".")))?.sync_all()
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        match fs::remove_file(&self.path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                tracing::warn!(%error, path = %self.path.display(), "half a company's file stays");
            }
            _ => {}
        }
    }
}
