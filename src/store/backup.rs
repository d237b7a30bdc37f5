//! Backup and restore: a snapshot of the whole installation, streamed into one archive while the server runs, and the
//! way back.

use std::{
    collections::{BTreeMap, BTreeSet},
    io::{self, BufReader, Read, Write},
    ops::{Bound, ControlFlow},
    path::Path,
    sync::Arc,
};

use super::{
    archive::{
        BackupSummary, FileHead, Frames, Part, Parts, Title, Trailer, damaged_archive, each_row, foreign_archive,
    },
    codec::open,
    disk::{FileDisk, put_in_place, sibling_path},
    errors::disk_error,
    home::InstallationId,
    quarantine::{Damage, Fault},
    read::Snapshot,
    repair::{BrokenRow, Copies, LostRecords},
    supervisor::{Options, Supervisor},
    table::TableInfo,
    view::{ROWS, View},
};
use crate::kernel::{
    Code, Error, Result, Timestamp,
    progress::{Progress, Unit},
};

/// Bytes and number of rows restored per transaction. Each is committed and synced, because redb and the journal hold
/// unsynced changes in memory.
const BATCH_BYTES: usize = 4 << 20;
const BATCH_ROWS: usize = 20_000;

/// Callback for each file of an archive, with its name and content.
pub type OnFile<'k> = dyn FnMut(&str, &mut dyn Read) -> io::Result<()> + 'k;

/// A backup archive that is being written.
pub struct Backup<'a, W> {
    snapshot: &'a Snapshot,
    title: Title,
    frames: Frames<W>,
}

impl Snapshot {
    /// Begins a backup archive of the whole installation.
    pub fn backup<W: Write>(&self, out: W, at: Timestamp, of: &InstallationId) -> Result<Backup<'_, W>> {
        let title = Title { installation: Some(of.clone()), ..Title::new(at, None, self.last_change()?) };
        Ok(Backup { snapshot: self, frames: Frames::begin(out, &title)?, title })
    }

    /// Copies all readable rows into a new store file. Returns the number of unreadable ranges.
    pub(super) fn copy_to_file(&self, file: &Path, progress: &Progress) -> Result<u64> {
        progress.start("Copying records", Unit::Items, self.row_count());
        let mut builder = StoreBuilder::create(file)?;
        let mut sum = Trailer::default();
        let gaps = self.scan_readable((Bound::Unbounded, Bound::Unbounded), false, &mut |key, value| {
            sum.add(key, value);
            builder.add(key, value)?;
            progress.add(1);
            Ok(ControlFlow::Continue(()))
        })?;
        if builder.finish()? != sum {
            return Err(Error::internal("the copy holds other rows than the original"));
        }
        Ok(gaps)
    }
}

impl<W: Write> Backup<'_, W> {
    /// Adds a file of exactly `size` bytes. All files must come before the rows.
    pub fn file(&mut self, name: &str, size: u64, bytes: impl Read) -> Result<()> {
        self.frames.file(&FileHead { name: name.to_owned(), size }, bytes)
    }

    /// Adds all rows, including damaged ones. Also returns the number of unreadable ranges.
    pub fn finish(mut self, progress: &Progress) -> Result<(BackupSummary, u64)> {
        progress.start("Copying records", Unit::Items, self.snapshot.row_count());
        let mut damage = Vec::new();
        let add = &mut |key: &[u8], value: &[u8]| {
            note(&mut damage, key, value);
            self.frames.row(key, value)?;
            progress.add(1);
            Ok(ControlFlow::Continue(()))
        };
        let gaps = self.snapshot.scan_readable((Bound::Unbounded, Bound::Unbounded), false, add)?;
        Ok((copied(self.title, self.frames.finish()?, damage), gaps))
    }
}

fn note(damage: &mut Vec<Damage>, key: &[u8], value: &[u8]) {
    if open(key, value).is_err() {
        damage.push(Damage::at(key, Fault::Damaged));
    }
}

fn copied(title: Title, trailer: Trailer, damage: Vec<Damage>) -> BackupSummary {
    BackupSummary { title, rows: trailer.rows, bytes: trailer.bytes, files: trailer.files, damage }
}

/// Reads and verifies a whole backup archive.
/// Errors: `invalid` at `file` when it is damaged or truncated, holds a single tenant or has a newer format; `busy`
/// when it cannot be read.
pub fn verify(archive: impl Read) -> Result<BackupSummary> {
    let pass = &mut |_: &str, bytes: &mut dyn Read| io::copy(bytes, &mut io::sink()).map(drop);
    let (title, trailer, damage) = read_through(archive, pass, |_, _| Ok(()))?;
    Ok(copied(title, trailer, damage))
}

/// Reads and verifies a whole backup archive and creates a store from it at `into`, completely or not at all. Passes
/// its files to `keep`.
/// Errors: `invalid` at `file` when the archive is damaged or truncated, holds a single tenant or has a newer format;
/// `conflict` when a store exists already; `busy` when the disk fails. No store is created then.
pub fn restore(archive: impl Read, into: &Path, keep: &mut OnFile<'_>) -> Result<BackupSummary> {
    if into.exists() {
        return Err(Error::new(Code::Conflict).with_detail("there is a store already"));
    }
    let new = sibling_path(into, "restore");
    let mut builder = StoreBuilder::create(&new)?;
    let (title, trailer, damage) = read_through(archive, keep, |key, value| builder.add(key, value))?;
    // Rows are read back before the store is put in place.
    if !builder.finish()?.has_rows_of(&trailer) {
        return Err(damaged_archive("it holds other rows than it says"));
    }
    put_in_place(&new, into).map_err(disk_error)?;
    Ok(copied(title, trailer, damage))
}

/// Reads and verifies a whole backup archive and returns what is damaged or lost here: intact copies of `broken` rows,
/// and records that `snapshot` lacks although its change feed has no removal. Passes its files to `keep`.
pub fn find_copies(
    archive: impl Read,
    snapshot: &Snapshot,
    tables: &[TableInfo],
    broken: &[BrokenRow],
    keep: &mut OnFile<'_>,
) -> Result<(Copies, Vec<BrokenRow>)> {
    let wanted: BTreeSet<&[u8]> = broken.iter().map(BrokenRow::key).collect();
    let mut missing = LostRecords::new(snapshot, tables)?;
    let mut found = BTreeMap::new();
    let mut lost = Vec::new();
    let (title, ..) = read_through(archive, keep, |key, value| {
        if open(key, value).is_err() {
            return Ok(());
        }
        if wanted.contains(key) {
            found.insert(key.to_vec(), value.to_vec());
        } else if let Some(one) = missing.find(key)? {
            found.insert(key.to_vec(), value.to_vec());
            lost.push(one);
        }
        Ok(())
    })?;
    if !missing.is_feed_complete_since(title.last_change)? {
        let unsure: BTreeSet<&[u8]> = lost.iter().map(BrokenRow::key).collect();
        found.retain(|key, _| !unsure.contains(key.as_slice()));
        lost.clear();
    }
    Ok((Copies(found), lost))
}

fn read_through(
    archive: impl Read,
    keep: &mut OnFile<'_>,
    mut each: impl FnMut(&[u8], &[u8]) -> Result<()>,
) -> Result<(Title, Trailer, Vec<Damage>)> {
    let (mut parts, title) = Parts::begin(BufReader::new(archive))?;
    if title.tenant.is_some() {
        return Err(foreign_archive("it holds one tenant only"));
    }
    let mut damage = Vec::new();
    loop {
        match parts.next()? {
            Part::Rows(rows) => each_row(&rows, |key, value| {
                note(&mut damage, key, value);
                each(key, value)
            })?,
            Part::File(head) => {
                let mut bytes = parts.bytes(&head);
                keep(&head.name, &mut bytes).map_err(|error| match error.kind() {
                    io::ErrorKind::InvalidData => damaged_archive(&error.to_string()),
                    _ => disk_error(error),
                })?;
                bytes.skip()?;
            }
            Part::End(trailer) => return Ok((title, trailer, damage)),
        }
    }
}

/// A new store being filled. Nothing in it is promised to be durable until it is finished.
struct StoreBuilder {
    supervisor: Supervisor,
    transaction: Option<redb::WriteTransaction>,
    pending: (usize, usize),
}

impl StoreBuilder {
    fn create(file: &Path) -> Result<Self> {
        let disk = FileDisk::create(file).map_err(disk_error)?;
        let options = Options { reserve_bytes: 0, ..Options::of_one_pass() };
        Ok(Self { supervisor: Supervisor::open(Arc::new(disk), options)?, transaction: None, pending: (0, 0) })
    }

    fn add(&mut self, key: &[u8], value: &[u8]) -> Result<()> {
        let transaction = if let Some(transaction) = self.transaction.take() {
            transaction
        } else {
            self.supervisor.writable()?.begin_write().map_err(disk_error)?
        };
        transaction.open_table(ROWS).map_err(disk_error)?.insert(key, value).map_err(disk_error)?;
        self.pending = (self.pending.0 + 1, self.pending.1 + key.len() + value.len());
        if self.pending.0 >= BATCH_ROWS || self.pending.1 >= BATCH_BYTES {
            self.pending = (0, 0);
            transaction.commit().map_err(disk_error)?;
        } else {
            self.transaction = Some(transaction);
        }
        Ok(())
    }

    /// Makes all rows durable, reads them back and returns their totals.
    fn finish(mut self) -> Result<Trailer> {
        if let Some(transaction) = self.transaction.take() {
            transaction.commit().map_err(disk_error)?;
        }
        let mut last = self.supervisor.writable()?.begin_write().map_err(disk_error)?;
        last.set_quick_repair(true);
        last.commit().map_err(disk_error)?;
        let mut trailer = Trailer::default();
        self.supervisor.snapshot()?.scan(Bound::Unbounded, Bound::Unbounded, false, &mut |key, value| {
            trailer.add(key, value);
            Ok(ControlFlow::Continue(()))
        })?;
        Ok(trailer)
    }
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng, rngs::StdRng};

    use super::*;
    use crate::{
        kernel::{Clock, Entropy},
        store::{
            Store,
            tests::world::{fill, verify_filled},
        },
    };

    async fn archive_of(dir: &Path) -> Vec<u8> {
        let store = Store::open(&dir.join("store.redb"), Clock::system(), Entropy::seeded(1)).unwrap();
        fill(&store).await;
        let mut archive = Vec::new();
        let snapshot = store.snapshot().unwrap();
        let of = InstallationId::new(&Entropy::seeded(1));
        let mut backup = snapshot.backup(&mut archive, Timestamp::from_millis(1), &of).unwrap();
        for (name, size) in [("small", 3), ("empty", 0), ("large", 300_000)] {
            backup.file(name, size, io::repeat(7).take(size)).unwrap();
        }
        let (copied, gaps) = backup.finish(&Progress::default()).unwrap();
        assert!(gaps == 0 && copied.damage.is_empty() && copied.rows > 100 && copied.files == 3);
        assert_eq!(verify(archive.as_slice()).unwrap(), copied);
        archive
    }

    /// Restores an archive. Returns the names and sizes of its files.
    fn restored(archive: &[u8], into: &Path) -> Result<(BackupSummary, Vec<(String, u64)>)> {
        let mut files = Vec::new();
        let copied = restore(archive, into, &mut |name, bytes| {
            files.push((name.to_owned(), io::copy(bytes, &mut io::sink())?));
            Ok(())
        })?;
        Ok((copied, files))
    }

    #[tokio::test]
    async fn backup_of_a_running_store_restores_completely() {
        let dir = tempfile::tempdir().unwrap();
        let archive = archive_of(dir.path()).await;
        let into = dir.path().join("again.redb");
        let (copied, files) = restored(&archive, &into).unwrap();
        assert_eq!(
            (copied.title.at, copied.title.made_by.as_str()),
            (Timestamp::from_millis(1), env!("CARGO_PKG_VERSION"))
        );
        assert_eq!(files, [("small".to_owned(), 3), ("empty".to_owned(), 0), ("large".to_owned(), 300_000)]);
        let again = Store::open(&into, Clock::system(), Entropy::seeded(1)).unwrap();
        verify_filled(&again.snapshot().unwrap());
        assert_eq!(again.snapshot().unwrap().last_change().unwrap(), copied.title.last_change);
        drop(again);
        assert_eq!(restored(&archive, &into).unwrap_err().code(), Code::Conflict);
    }

    #[tokio::test]
    async fn restoring_a_damaged_archive_leaves_no_file() {
        let dir = tempfile::tempdir().unwrap();
        let archive = archive_of(dir.path()).await;
        let into = dir.path().join("again.redb");
        let mut dice = StdRng::seed_from_u64(2);
        for round in 0..40 {
            let mut harmed = archive.clone();
            if round % 2 == 0 {
                harmed.truncate(dice.random_range(0..archive.len()));
            } else {
                let place = dice.random_range(0..archive.len());
                harmed[place] ^= 1 << dice.random_range(0..8);
            }
            assert_eq!(restored(&harmed, &into).unwrap_err().code(), Code::Invalid);
            assert_eq!(verify(harmed.as_slice()).unwrap_err().code(), Code::Invalid);
            assert!(!into.exists());
        }
        restored(&archive, &into).unwrap();
    }
}
