//! Restore of a backup into the data directory, in two steps. The new data is prepared beside the current data, with
//! all sessions and mailed links ended; the next opening of the directory swaps it in. After an interruption at any
//! point, either the old or the new data is complete.

use std::{
    fs::{self, File},
    io,
    path::{Path, PathBuf},
};

use rustix::fs::{AtFlags, CWD, StatxFlags, statx};

use super::{notify_admins, temp_file::unusable_file_error};
use crate::{
    access::{sessions, tokens},
    features::{files, notifications::ParamValue},
    kernel::{Clock, Entropy, Error, Result, Timestamp, folder, progress::Progress, run_blocking},
    people::{
        audit::{self, Event},
        members::{Company, tenants},
    },
    store::{
        Actor, BackupSummary, Home, Options, Record as _, Store, TenantWrite, Unsealer,
        entries::{ACCESS_KEY, FILES, ID_FILE, INDEX, REPLACED, RESTORE_PART, RESTORE_READY, STORE},
        restore,
    },
};

/// All files and folders that the swap replaces.
const SWAPPED_ENTRIES: [&str; 5] = [INDEX, FILES, ACCESS_KEY, ID_FILE, STORE];

/// A prepared restore.
#[derive(Clone, Debug)]
pub struct StagedRestore {
    /// The time of the backup.
    pub at: Timestamp,
    /// The version of Atrium that wrote the backup.
    pub made_by: String,
    /// Number of tenants.
    pub companies: u64,
    /// Number of rows: records and the store's derived data.
    pub rows: u64,
    /// Number of uploads.
    pub files: u64,
    /// Number of damaged rows, which are restored as they are.
    pub damaged: u64,
}

fn disk_error(error: &io::Error) -> Error {
    Error::internal(format_args!("restore: {error}"))
}

/// Reads a whole backup and prepares the data that [`put_in_place`] swaps in. Sessions and mailed links in it are
/// ended, tokens get a new signing key, and each tenant gets an audit entry and a notification to its administrators.
/// The search index is built after the next start; until then searches say that they are incomplete.
/// Errors: `invalid` at `file` when it cannot be read, is incomplete, contains one tenant only or comes from a newer
/// version, at `passphrase` when that is missing, superfluous or wrong; `busy` or `internal` when the disk fails, or a
/// part of the directory cannot be moved. Nothing is changed then.
pub async fn stage(
    home: &Home,
    file: PathBuf,
    passphrase: Option<String>,
    environment: (Clock, Entropy),
    progress: &Progress,
) -> Result<StagedRestore> {
    let part = home.path().join(RESTORE_PART);
    check_movable(home.path())?;
    let staged = prepare(home, &part, file, passphrase, environment, progress).await;
    if staged.is_err() {
        // The next opening removes the rest.
        drop(folder::remove(&part));
    }
    staged
}

async fn prepare(
    home: &Home,
    part: &Path,
    file: PathBuf,
    passphrase: Option<String>,
    (clock, entropy): (Clock, Entropy),
    progress: &Progress,
) -> Result<StagedRestore> {
    let into = part.to_owned();
    let unpacking = progress.clone();
    let BackupSummary { title, rows, files, damage, .. } =
        run_blocking(move || unpack(&into, &file, passphrase.as_deref(), &unpacking)).await?;
    let options = Options { reserve_bytes: 0, ..Options::of_one_pass() };
    let store = Store::open_file(&part.join(STORE), options, clock, entropy.clone())?;
    sessions::end_everything(&store).await?;
    let companies = notify(&store, title.at).await?;
    drop(store);
    // It replaces the index of the old data. The server fills it after the start, so that people can work before.
    folder::make(&part.join(INDEX)).map_err(|error| disk_error(&error))?;
    tokens::write_successor(&home.path().join(ACCESS_KEY), &part.join(ACCESS_KEY), &entropy)?;
    if let Some(installation) = &title.installation {
        installation.write(part).map_err(|error| disk_error(&error))?;
    }
    let part = part.to_owned();
    let ready = home.path().join(RESTORE_READY);
    let seal = move || {
        sync_all(&part)?;
        fs::rename(&part, &ready)?;
        folder::sync(ready.parent().unwrap_or(&ready))
    };
    run_blocking(move || seal().map_err(|error| disk_error(&error))).await?;
    let damaged = damage.len() as u64;
    Ok(StagedRestore { at: title.at, made_by: title.made_by, companies, rows, files, damaged })
}

/// Refuses a directory with a part on another file system, which could not be moved away: the swap would fail too late.
fn check_movable(home: &Path) -> Result<()> {
    // Devices do not tell: on a file system of layers, a file has another one than its folder.
    let mount_of = |path: &Path| {
        let found = statx(CWD, path, AtFlags::SYMLINK_NOFOLLOW, StatxFlags::MNT_ID).map_err(io::Error::from)?;
        Ok((found.stx_mask & StatxFlags::MNT_ID.bits() != 0).then_some(found.stx_mnt_id))
    };
    let own = mount_of(home).map_err(|error: io::Error| disk_error(&error))?;
    for piece in SWAPPED_ENTRIES {
        let place = home.join(piece);
        if mount_of(&place).is_ok_and(|other| other != own) {
            return Err(Error::internal(format_args!("{} is a disk of its own", place.display())));
        }
    }
    Ok(())
}

/// Unpacks the store and the uploads of a backup.
fn unpack(part: &Path, file: &Path, passphrase: Option<&str>, progress: &Progress) -> Result<BackupSummary> {
    let from = File::open(file).map_err(|error| unusable_file_error(file, &error))?;
    let bytes = from.metadata().map(|found| found.len()).ok();
    let archive = Unsealer::new(progress.read("Unpacking the backup", from, bytes), passphrase)?;
    folder::remove(part).map_err(|error| disk_error(&error))?;
    let uploads = part.join(FILES);
    folder::make(&uploads).map_err(|error| disk_error(&error))?;
    restore(archive, &part.join(STORE), &mut |name, bytes| files::put_back(&uploads, name, bytes))
}

/// Writes an audit entry for every tenant and notifies its administrators. Returns the number of tenants.
async fn notify(store: &Store, at: Timestamp) -> Result<u64> {
    let all = tenants(&store.snapshot()?)?;
    for tenant in &all {
        let work = move |tx: &TenantWrite<'_>| {
            // A tenant whose record is damaged is skipped.
            let company = tx
                .find_intact::<Company>(Company::id(tx.tenant()))?
                .filter(|company| !company.is_being_erased_or_imported());
            let Some(company) = company else { return Ok(()) };
            let event = Event::new("operator.restore").about_company(&company);
            audit::write(tx, event.with("moment", at.to_string()))?;
            let params = vec![("company", ParamValue::Text(company.name.clone())), ("moment", ParamValue::Time(at))];
            notify_admins(tx, "server.operator.restore", "shield-alert", params, "/settings/company")
        };
        store.write(*tenant, Actor::Operator, work).await?;
    }
    Ok(all.len() as u64)
}

/// Swaps in a prepared restore, and removes an unfinished preparation. Returns the folder with the replaced data, if
/// there was any; `None` also when nothing was prepared. An interrupted swap continues at the next call.
pub fn put_in_place(home: &Home, now: Timestamp) -> Result<Option<PathBuf>> {
    folder::remove(&home.path().join(RESTORE_PART)).map_err(|error| disk_error(&error))?;
    let ready = home.path().join(RESTORE_READY);
    if !ready.is_dir() {
        return Ok(None);
    }
    swap(home.path(), &ready, now).map_err(|error| disk_error(&error))
}

fn swap(home: &Path, ready: &Path, now: Timestamp) -> io::Result<Option<PathBuf>> {
    let replaced = ready.join(REPLACED);
    folder::make(&replaced)?;
    // A piece that is still in `ready` has not been swapped yet, so the loop can be interrupted and repeated at any
    // point.
    for piece in SWAPPED_ENTRIES {
        let place = home.join(piece);
        let new = ready.join(piece);
        if new.exists() {
            move_away(&place, &replaced.join(piece))?;
            fs::rename(&new, &place)?;
            folder::sync(home)?;
            folder::sync(ready)?;
        }
    }
    let kept = if fs::read_dir(&replaced)?.next().is_some() {
        let stamp = now.jiff().strftime("%Y%m%dT%H%M%SZ").to_string();
        let kept = (1..).map(|number| match number {
            1 => home.join(format!("{REPLACED}-{stamp}")),
            _ => home.join(format!("{REPLACED}-{stamp}-{number}")),
        });
        let kept = kept.into_iter().find(|folder| !folder.exists());
        kept.map(|kept| fs::rename(&replaced, &kept).map(|()| kept)).transpose()?
    } else {
        None
    };
    fs::remove_dir_all(ready)?;
    folder::sync(home)?;
    Ok(kept)
}

/// Returns the folders with data that restores replaced, the oldest first.
pub fn replaced_folders(home: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(home).into_iter().flatten().flatten();
    let is_kept = |name: &str| name.strip_prefix(REPLACED).is_some_and(|rest| rest.starts_with('-'));
    let mut kept: Vec<PathBuf> =
        entries.filter(|entry| entry.file_name().to_str().is_some_and(is_kept)).map(|entry| entry.path()).collect();
    kept.sort();
    kept
}

/// Removes the folders with data that restores replaced, except the `keep` newest; none when `keep` is `None`.
pub fn remove_replaced(home: &Path, keep: Option<usize>) -> Result<()> {
    let Some(keep) = keep else { return Ok(()) };
    let mut kept = replaced_folders(home);
    kept.truncate(kept.len().saturating_sub(keep));
    for folder in kept {
        folder::remove(&folder).map_err(|error| disk_error(&error))?;
        tracing::info!(folder = %folder.display(), "restore: replaced data was removed");
    }
    Ok(())
}

/// Moves `place` to `to`, unless `to` exists already.
fn move_away(place: &Path, to: &Path) -> io::Result<()> {
    if place.exists() && !to.exists() { fs::rename(place, to) } else { Ok(()) }
}

/// Syncs a folder and its contents to the disk, so that they survive a power loss.
fn sync_all(whole: &Path) -> io::Result<()> {
    for entry in fs::read_dir(whole)? {
        let path = entry?.path();
        if path.is_dir() { sync_all(&path)? } else { folder::sync(&path)? }
    }
    folder::sync(whole)
}
