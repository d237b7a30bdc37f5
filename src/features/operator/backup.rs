//! Backup of the whole installation into one file: a snapshot of its records, and the bytes of its uploads. The keys
//! that sign tokens are not included: the file does not allow signing in.

use std::{io::BufWriter, path::PathBuf};

use rustix::io::Errno;

use super::{notify_admins, temp_file::TempFile};
use crate::{
    features::files::{self, FileStore},
    kernel::{
        Error, Result, TenantId,
        progress::{Progress, Unit},
        run_blocking,
    },
    people::members::{Company, tenants},
    store::{Actor, InstallationId, Record as _, Sealer, Store, TenantWrite, Unsealer, verify_backup},
};

/// The contents of a backup.
#[derive(Clone, Debug)]
pub struct BackupReport {
    /// Number of tenants.
    pub companies: u64,
    /// Number of rows: records and the store's derived data.
    pub rows: u64,
    /// Number of uploads.
    pub files: u64,
    /// Size of the file in bytes.
    pub bytes: u64,
    /// Number of damaged rows and uploads, which are included as they are, of missing uploads, and of unreadable places
    /// in the store.
    pub damaged: u64,
}

/// Writes a backup to a new file that only its owner can read, encrypted when there is a passphrase. The file is read
/// back completely before it appears at its path.
/// Errors: `conflict` at `file` when it exists; `invalid` at `file` when it cannot be created, at `passphrase` when
/// that is too short; `busy` or `internal` when the backup fails. No file remains then.
pub async fn backup(
    store: &Store,
    file_store: &FileStore,
    of: &InstallationId,
    place: PathBuf,
    passphrase: Option<String>,
    progress: &Progress,
) -> Result<BackupReport> {
    let _still = file_store.prevent_garbage_collection().await;
    let from = store.clone();
    let uploads = file_store.clone();
    let of = of.clone();
    let progress = progress.clone();
    let target = place.display().to_string();
    let copy = move || {
        let (temp, file) = TempFile::create_next_to(place, from.entropy())?;
        let mut out = Sealer::new(BufWriter::new(file), passphrase.as_deref(), from.entropy())?;
        let snapshot = from.snapshot()?;
        let mut backup = snapshot.backup(&mut out, from.clock().now(), &of)?;
        let mut companies = 0;
        progress.start("Copying uploads", Unit::Items, None);
        let mut lost = Vec::new();
        for tenant in tenants(&snapshot)? {
            let add = |media: &str, bytes: &[u8]| {
                progress.add(1);
                backup.file(&format!("{tenant}/{media}"), bytes.len() as u64, bytes)
            };
            match files::copy_out(&uploads, &snapshot.tenant(tenant, None), add)? {
                0 => {}
                files => lost.push((tenant, files)),
            }
            companies += 1;
        }
        let (copied, gaps) = backup.finish(&progress)?;
        drop(snapshot);
        out.finish().map_err(Error::internal)?;
        let file = temp.read()?;
        let bytes = file.metadata().map_err(Error::internal)?.len();
        let file = progress.read("Reading the file back", file, Some(bytes));
        if verify_backup(Unsealer::new(file, passphrase.as_deref())?)? != copied {
            return Err(Error::internal("the file does not hold what was written"));
        }
        temp.keep()?;
        let files: u64 = lost.iter().map(|(_, files)| files).sum();
        let damaged = files + gaps + copied.damage.len() as u64;
        Ok((BackupReport { companies, rows: copied.rows, files: copied.files, bytes, damaged }, lost))
    };
    let (done, lost) = run_blocking(copy).await.map_err(|error| name_full_disk(error, &target))?;
    for (tenant, files) in lost {
        // The backup is complete: a failed notification does not undo it.
        if let Err(error) = tell_of_lost_files(store, tenant, files).await {
            tracing::warn!(detail = ?error, %tenant, "uploads: notifying administrators of damage failed");
        }
    }
    Ok(done)
}

/// Says which disk is full: reading the store takes no room, writing the file does.
fn name_full_disk(error: Error, target: &str) -> Error {
    let no_room = format!("os error {}", Errno::NOSPC.raw_os_error());
    if error.detail().is_some_and(|detail| detail.contains(&no_room)) {
        error.explain(format!("The disk of {target} is full. Free some space there, or choose another folder."))
    } else {
        error
    }
}

async fn tell_of_lost_files(store: &Store, tenant: TenantId, files: u64) -> Result<()> {
    let work = move |tx: &TenantWrite<'_>| {
        if Company::of(tx)?.value.is_being_erased_or_imported() {
            return Ok(());
        }
        let params = vec![("files", files.to_string())];
        notify_admins(tx, "server.condition.files_damaged", "triangle-alert", params, "/settings/company")
    };
    store.write(tenant, Actor::System, work).await.map(drop)
}
