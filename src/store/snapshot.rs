//! A copy of the store out of a running server: one moment of it, streamed into one archive. And the way back.

use std::{
    fs::File,
    io::{BufReader, BufWriter, Read, Write},
    ops::{Bound, ControlFlow},
    path::Path,
    sync::Arc,
};

use redb::Durability;

use super::{
    archive::{Copied, Frames, Part, Parts, Title, Trailer, each_row, foreign, not_whole},
    codec::open,
    disk::{FileDisk, beside, put_in_place},
    migrate::FORMAT,
    quarantine::{Damage, Fault},
    read::Snapshot,
    supervisor::{Options, Supervisor},
    view::{View, storage},
    writer::ROWS,
};
use crate::kernel::{Error, Result, Timestamp};

/// Rows that are restored in one transaction.
const BATCH: u64 = 20_000;

impl Snapshot {
    /// Writes everything in this snapshot as one archive.
    ///
    /// # Errors
    /// `busy` when it cannot be read or written; `internal` when pages are so damaged that rows are missing.
    pub fn write_to(&self, out: impl Write, at: Timestamp) -> Result<Copied> {
        let title = Title { format: FORMAT, at, tenant: None, last_change: self.last_change()? };
        let mut frames = Frames::begin(out, &title)?;
        let mut damage = Vec::new();
        self.scan(Bound::Unbounded, Bound::Unbounded, false, &mut |key, value| {
            if open(key, value).is_err() {
                damage.push(Damage::at(key, Fault::Damaged));
            }
            frames.row(key, value)?;
            Ok(ControlFlow::Continue(()))
        })?;
        let Trailer { rows, bytes, .. } = frames.finish()?;
        Ok(Copied { title, rows, bytes, damage })
    }

    /// Writes everything in this snapshot into a file, which is there whole or not at all.
    ///
    /// # Errors
    /// As [`Snapshot::write_to`].
    pub fn archive(&self, file: &Path, at: Timestamp) -> Result<Copied> {
        let part = beside(file, "part");
        let copied = self.write_to(BufWriter::new(private(&part)?), at)?;
        put_in_place(&part, file).map_err(storage)?;
        Ok(copied)
    }

    /// Copies everything in this snapshot into a new store.
    pub(super) fn copy_to_file(&self, file: &Path) -> Result<()> {
        let mut filling = Filling::of(file)?;
        self.scan(Bound::Unbounded, Bound::Unbounded, false, &mut |key, value| {
            filling.add(key, value)?;
            Ok(ControlFlow::Continue(()))
        })?;
        filling.finish().map(drop)
    }
}

/// Makes a file that only its owner may read.
fn private(path: &Path) -> Result<File> {
    let mut options = File::options();
    options.write(true).create(true).truncate(true);
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path).map_err(storage)
}

/// Reads an archive of everything to its end, verifying it, and makes a store of it in `into`, which is there
/// whole or not at all.
///
/// # Errors
/// `invalid` at `file` when the archive is not whole, is of one tenant or of a newer format; `conflict` when there
/// is a store already; `busy` when the disk fails. Nothing is there then that was not before.
pub fn restore(archive: impl Read, into: &Path) -> Result<Copied> {
    if into.exists() {
        return Err(Error::new(crate::kernel::Code::Conflict).with_detail("there is a store already"));
    }
    let (mut parts, title) = Parts::begin(BufReader::new(archive))?;
    if title.tenant.is_some() {
        return Err(foreign("it holds one tenant only"));
    }
    let new = beside(into, "restore");
    let (mut filling, mut damage) = (Filling::of(&new)?, Vec::new());
    let trailer = loop {
        match parts.next()? {
            Part::Rows(rows) => each_row(&rows, |key, value| {
                if open(key, value).is_err() {
                    damage.push(Damage::at(key, Fault::Damaged));
                }
                filling.add(key, value)
            })?,
            Part::File(_) => return Err(not_whole("a file where none belongs")),
            Part::End(trailer) => break trailer,
        }
    };
    // What was written is read again before it takes its place.
    if filling.finish()? != trailer {
        return Err(not_whole("it holds other rows than it says"));
    }
    put_in_place(&new, into).map_err(storage)?;
    Ok(Copied { title, rows: trailer.rows, bytes: trailer.bytes, damage })
}

/// A new store that is being filled; nobody was promised anything of it until it is finished.
struct Filling {
    supervisor: Supervisor,
    transaction: Option<redb::WriteTransaction>,
    pending: u64,
}

impl Filling {
    fn of(file: &Path) -> Result<Self> {
        let disk = FileDisk::open(file).map_err(storage)?;
        super::Disk::set_len(&disk, 0).map_err(storage)?;
        let options = Options { reserve_bytes: 0, ..Options::default() };
        Ok(Self { supervisor: Supervisor::open(Arc::new(disk), options)?, transaction: None, pending: 0 })
    }

    fn add(&mut self, key: &[u8], value: &[u8]) -> Result<()> {
        let transaction = if let Some(transaction) = self.transaction.take() {
            transaction
        } else {
            let mut transaction = self.supervisor.writable()?.begin_write().map_err(storage)?;
            transaction.set_durability(Durability::None).map_err(storage)?;
            transaction
        };
        transaction.open_table(ROWS).map_err(storage)?.insert(key, value).map_err(storage)?;
        self.pending += 1;
        if self.pending >= BATCH {
            self.pending = 0;
            transaction.commit().map_err(storage)?;
        } else {
            self.transaction = Some(transaction);
        }
        Ok(())
    }

    /// Makes all of it last, and reads it once more: what it sums up to.
    fn finish(mut self) -> Result<Trailer> {
        if let Some(transaction) = self.transaction.take() {
            transaction.commit().map_err(storage)?;
        }
        let mut last = self.supervisor.writable()?.begin_write().map_err(storage)?;
        last.set_quick_repair(true);
        last.commit().map_err(storage)?;
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
        let copied = store.snapshot().unwrap().write_to(&mut archive, Timestamp::from_millis(1)).unwrap();
        assert!(copied.damage.is_empty() && copied.rows > 100);
        archive
    }

    #[tokio::test]
    async fn what_was_copied_out_of_a_running_store_comes_back_whole() {
        let dir = tempfile::tempdir().unwrap();
        let archive = archive_of(dir.path()).await;
        let into = dir.path().join("again.redb");
        let copied = restore(archive.as_slice(), &into).unwrap();
        assert_eq!(copied.title.at, Timestamp::from_millis(1));
        let again = Store::open(&into, Clock::system(), Entropy::seeded(1)).unwrap();
        verify_filled(&again.snapshot().unwrap());
        assert_eq!(again.snapshot().unwrap().last_change().unwrap(), copied.title.last_change);
        drop(again);
        assert_eq!(restore(archive.as_slice(), &into).unwrap_err().code(), crate::kernel::Code::Conflict);
    }

    #[tokio::test]
    async fn an_archive_that_is_not_whole_leaves_nothing() {
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
            assert!(restore(harmed.as_slice(), &into).is_err());
            assert!(!into.exists());
        }
        restore(archive.as_slice(), &into).unwrap();
    }
}
