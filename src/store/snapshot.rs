//! A copy of the store, or of one tenant, out of a running server: one moment of it, streamed into one file
//! whose every part carries a checksum and whose end says how much there must be. And the way back.

use std::{
    fs::File,
    io::{self, BufReader, BufWriter, Read, Write},
    ops::{Bound, ControlFlow},
    path::Path,
    sync::Arc,
};

use redb::Durability;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::Xxh3;

use super::{
    codec::{decode, encode, open},
    disk::{FileDisk, beside, put_in_place},
    keys,
    migrate::FORMAT,
    quarantine::{Damage, Fault},
    read::Snapshot,
    supervisor::{Options, Supervisor},
    upkeep::row_digest,
    view::{View, storage},
    writer::ROWS,
};
use crate::kernel::{Error, Result, TenantId, Timestamp};

/// The beginning of every archive; its last byte is the version of what follows.
const MAGIC: &[u8; 8] = b"ATRIUM\0\x01";
/// Bytes of rows that are gathered for one frame.
const FRAME: usize = 256 * 1024;
/// The most that a frame may claim to hold: the largest row and a full frame.
const LARGEST: usize = 32 * 1024 * 1024;
/// Rows that are restored in one transaction.
const BATCH: u64 = 20_000;

/// What an archive says of itself at its beginning.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Title {
    /// The format of the store that it was made of.
    pub format: u32,
    /// When it was made.
    pub at: Timestamp,
    /// The tenant whose data it holds; none when it is everything.
    pub tenant: Option<TenantId>,
    /// The last place of the ledger that is in it.
    pub last_change: u64,
}

/// What an archive says of itself at its end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Trailer {
    rows: u64,
    bytes: u64,
    digest: u64,
}

impl Trailer {
    fn add(&mut self, key: &[u8], value: &[u8]) {
        self.rows += 1;
        self.bytes += (key.len() + value.len()) as u64;
        self.digest = self.digest.wrapping_add(row_digest(key, value));
    }
}

/// What was copied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Copied {
    /// What the archive says of itself.
    pub title: Title,
    /// Rows in it.
    pub rows: u64,
    /// Bytes of keys and values in it.
    pub bytes: u64,
    /// Rows that are damaged: copied as they are, for whoever can mend them.
    pub damage: Vec<Damage>,
}

const TITLE: u8 = 1;
const ROWS_FRAME: u8 = 2;
const END: u8 = 3;

fn frame_sum(kind: u8, place: u64, payload: &[u8]) -> [u8; 8] {
    let mut hash = Xxh3::new();
    hash.update(&[kind]);
    hash.update(&place.to_be_bytes());
    hash.update(payload);
    hash.digest().to_be_bytes()
}

/// Writes frames: kind, length, checksum over kind, place and payload, payload.
struct Frames<W> {
    out: W,
    place: u64,
}

impl<W: Write> Frames<W> {
    fn put(&mut self, kind: u8, payload: &[u8]) -> Result<()> {
        let len = u32::try_from(payload.len()).map_err(Error::internal)?;
        let sum = frame_sum(kind, self.place, payload);
        self.place += 1;
        for part in [&[kind][..], &len.to_be_bytes(), &sum, payload] {
            self.out.write_all(part).map_err(storage)?;
        }
        Ok(())
    }
}

fn not_whole(detail: &str) -> Error {
    Error::internal(format_args!("the archive is not whole: {detail}"))
}

/// Reads frames and verifies them.
struct Parts<R> {
    from: R,
    place: u64,
}

impl<R: Read> Parts<R> {
    fn fill(&mut self, bytes: &mut [u8]) -> Result<()> {
        self.from.read_exact(bytes).map_err(|error| match error.kind() {
            io::ErrorKind::UnexpectedEof => not_whole("it ends early"),
            _ => storage(error),
        })
    }

    fn next(&mut self) -> Result<(u8, Vec<u8>)> {
        let (mut kind, mut len, mut sum) = ([0; 1], [0; 4], [0; 8]);
        self.fill(&mut kind)?;
        self.fill(&mut len)?;
        self.fill(&mut sum)?;
        let len = usize::try_from(u32::from_be_bytes(len)).map_err(Error::internal)?;
        if len > LARGEST {
            return Err(not_whole("a part of impossible size"));
        }
        let mut payload = vec![0; len];
        self.fill(&mut payload)?;
        if sum != frame_sum(kind[0], self.place, &payload) {
            return Err(not_whole("a part is damaged"));
        }
        self.place += 1;
        Ok((kind[0], payload))
    }
}

impl Snapshot {
    /// Writes everything in this snapshot, or all of one tenant's, as one archive.
    ///
    /// # Errors
    /// `busy` when it cannot be read or written; `internal` when pages are so damaged that rows are missing.
    pub fn write_to(&self, out: impl Write, tenant: Option<TenantId>, at: Timestamp) -> Result<Copied> {
        let title = Title { format: FORMAT, at, tenant, last_change: self.last_change()? };
        let mut frames = Frames { out, place: 0 };
        frames.out.write_all(MAGIC).map_err(storage)?;
        frames.put(TITLE, &encode(&title)?)?;
        let (from, to) = match tenant {
            Some(tenant) => (Bound::Included(tenant.as_bytes().to_vec()), keys::after(tenant.as_bytes())),
            None => (Bound::Unbounded, Bound::Unbounded),
        };
        let (mut trailer, mut rows, mut damage) = (Trailer::default(), Vec::new(), Vec::new());
        self.scan(from, to, false, &mut |key, value| {
            if open(key, value).is_err() {
                damage.push(Damage::at(key, Fault::Damaged));
            }
            trailer.add(key, value);
            for part in [key, value] {
                rows.extend_from_slice(&u32::try_from(part.len()).map_err(Error::internal)?.to_be_bytes());
                rows.extend_from_slice(part);
            }
            if rows.len() >= FRAME {
                frames.put(ROWS_FRAME, &rows)?;
                rows.clear();
            }
            Ok(ControlFlow::Continue(()))
        })?;
        if !rows.is_empty() {
            frames.put(ROWS_FRAME, &rows)?;
        }
        frames.put(END, &encode(&trailer)?)?;
        frames.out.flush().map_err(storage)?;
        Ok(Copied { title, rows: trailer.rows, bytes: trailer.bytes, damage })
    }

    /// Writes everything in this snapshot, or all of one tenant's, into a file, which is there whole or not at all.
    ///
    /// # Errors
    /// As [`Snapshot::write_to`].
    pub fn archive(&self, file: &Path, tenant: Option<TenantId>, at: Timestamp) -> Result<Copied> {
        let part = beside(file, "part");
        let copied = self.write_to(BufWriter::new(private(&part)?), tenant, at)?;
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
/// `internal` when the archive is not whole, is of one tenant or of another format; `conflict` when there is
/// a file already; `busy` when the disk fails. Nothing is there then that was not before.
pub fn restore(archive: impl Read, into: &Path) -> Result<Copied> {
    if into.exists() {
        return Err(Error::new(crate::kernel::Code::Conflict).with_detail("there is a store already"));
    }
    let mut parts = Parts { from: BufReader::new(archive), place: 0 };
    let mut magic = [0; 8];
    parts.fill(&mut magic)?;
    if magic != *MAGIC {
        return Err(not_whole("it does not begin like one"));
    }
    let (TITLE, payload) = parts.next()? else { return Err(not_whole("it has no title")) };
    let title: Title = decode(&payload)?;
    if title.tenant.is_some() {
        return Err(not_whole("it holds one tenant only"));
    }
    if title.format > FORMAT {
        return Err(super::migrate::refused(title.format, super::migrate::STEPS.len()));
    }
    let new = beside(into, "restore");
    let (mut filling, mut damage) = (Filling::of(&new)?, Vec::new());
    let trailer: Trailer = loop {
        let (kind, payload) = parts.next()?;
        match kind {
            ROWS_FRAME => each_row(&payload, |key, value| {
                if open(key, value).is_err() {
                    damage.push(Damage::at(key, Fault::Damaged));
                }
                filling.add(key, value)
            })?,
            END => break decode(&payload)?,
            _ => return Err(not_whole("a part of unknown kind")),
        }
    };
    // What was written is read again before it takes its place.
    if filling.finish()? != trailer {
        return Err(not_whole("it holds other rows than it says"));
    }
    put_in_place(&new, into).map_err(storage)?;
    Ok(Copied { title, rows: trailer.rows, bytes: trailer.bytes, damage })
}

fn each_row(mut payload: &[u8], mut visit: impl FnMut(&[u8], &[u8]) -> Result<()>) -> Result<()> {
    fn part<'p>(payload: &mut &'p [u8]) -> Result<&'p [u8]> {
        let cut = || not_whole("a row is cut off");
        let (len, rest) = payload.split_first_chunk::<4>().ok_or_else(cut)?;
        let len = usize::try_from(u32::from_be_bytes(*len)).map_err(Error::internal)?;
        let (bytes, rest) = rest.split_at_checked(len).ok_or_else(cut)?;
        *payload = rest;
        Ok(bytes)
    }
    while !payload.is_empty() {
        let (key, value) = (part(&mut payload)?, part(&mut payload)?);
        visit(key, value)?;
    }
    Ok(())
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
            tests::world::{fill, tenant, verify_filled},
        },
    };

    async fn archive_of(dir: &Path, of: Option<TenantId>) -> Vec<u8> {
        let store = Store::open(&dir.join("store.redb"), Clock::system(), Entropy::seeded(1)).unwrap();
        fill(&store).await;
        let mut archive = Vec::new();
        let copied = store.snapshot().unwrap().write_to(&mut archive, of, Timestamp::from_millis(1)).unwrap();
        assert!(copied.damage.is_empty() && copied.rows > 100);
        archive
    }

    #[tokio::test]
    async fn what_was_copied_out_of_a_running_store_comes_back_whole() {
        let dir = tempfile::tempdir().unwrap();
        let archive = archive_of(dir.path(), None).await;
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
        let archive = archive_of(dir.path(), None).await;
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

    #[tokio::test]
    async fn a_tenants_archive_holds_nothing_of_another() {
        let dir = tempfile::tempdir().unwrap();
        let archive = archive_of(dir.path(), Some(tenant(0))).await;
        let mut parts = Parts { from: &archive[8..], place: 0 };
        let mut rows = 0;
        while let (kind @ (TITLE | ROWS_FRAME), payload) = parts.next().unwrap() {
            if kind == ROWS_FRAME {
                each_row(&payload, |key, _| {
                    assert!(key.starts_with(tenant(0).as_bytes()));
                    rows += 1;
                    Ok(())
                })
                .unwrap();
            }
        }
        assert!(rows > 100);
    }
}
