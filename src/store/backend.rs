//! The storage backend between redb and the disk: a journal of unsynced changes, a switch that cuts a failed database
//! off from the disk, and an overlay that keeps changes in memory.

use std::{
    collections::{BTreeMap, btree_map::Entry},
    io,
    ops::{Bound, Range},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use parking_lot::{Mutex, MutexGuard};
use redb::{BackendError, StorageBackend};

use super::disk::Disk;

/// A change to the disk that no sync has confirmed yet.
#[derive(Debug)]
enum Unsynced {
    Write(u64, Vec<u8>),
    Length(u64),
}

/// The length of the writes whose buffers are kept: a page of redb.
const PAGE_BYTES: usize = 4_096;
/// Buffers that are kept: more than an ordinary commit needs.
const SPARE_BUFFERS: usize = 128;

/// The unsynced changes, and buffers for further ones. A commit writes some thirty pages: allocating their copies for each
/// commit would return memory to the system and ask for it again.
#[derive(Debug, Default)]
struct UnsyncedLog {
    steps: Vec<Unsynced>,
    spare: Vec<Vec<u8>>,
}

impl UnsyncedLog {
    fn copy(&mut self, data: &[u8]) -> Vec<u8> {
        match self.spare.pop_if(|_| data.len() == PAGE_BYTES) {
            Some(mut buffer) => {
                buffer.copy_from_slice(data);
                buffer
            }
            None => data.to_vec(),
        }
    }

    /// Forgets the oldest changes.
    fn forget(&mut self, count: usize) {
        for step in self.steps.drain(..count) {
            if let Unsynced::Write(_, buffer) = step
                && buffer.len() == PAGE_BYTES
                && self.spare.len() < SPARE_BUFFERS
            {
                self.spare.push(buffer);
            }
        }
    }
}

/// A disk that remembers all changes since its last successful sync. After a failed sync the operating system may drop
/// unwritten data and report success next time, so the changes must be written again. According to simulated power
/// losses, redb's two-phase commits do not need this, but redb does not promise it.
#[derive(Debug)]
pub(super) struct Journal {
    pub(super) disk: Arc<dyn Disk>,
    unsynced: Mutex<UnsyncedLog>,
    full: AtomicBool,
}

impl Journal {
    pub(super) fn new(disk: Arc<dyn Disk>) -> Self {
        Self { disk, unsynced: Mutex::default(), full: AtomicBool::new(false) }
    }

    fn unsynced(&self) -> MutexGuard<'_, UnsyncedLog> {
        self.unsynced.lock()
    }

    fn note_if_full<T>(&self, result: io::Result<T>) -> io::Result<T> {
        result.inspect_err(|error| {
            if matches!(error.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded) {
                self.full.store(true, Ordering::Release);
            }
        })
    }

    /// Whether the disk reported that it is full and this was not handled yet.
    pub(super) fn is_full(&self) -> bool {
        self.full.load(Ordering::Acquire)
    }

    /// Returns whether the disk reported that it is full, and clears the flag.
    pub(super) fn take_full(&self) -> bool {
        self.full.swap(false, Ordering::AcqRel)
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        // Held during the write: everything that a sync finds in the journal was written before it.
        let mut unsynced = self.unsynced();
        let copy = unsynced.copy(data);
        unsynced.steps.push(Unsynced::Write(offset, copy));
        self.note_if_full(self.disk.write(offset, data))
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        let mut unsynced = self.unsynced();
        unsynced.steps.push(Unsynced::Length(len));
        self.note_if_full(self.disk.set_len(len))
    }

    fn sync(&self) -> io::Result<()> {
        let before = self.unsynced().steps.len();
        self.note_if_full(self.disk.sync())?;
        self.unsynced().forget(before);
        Ok(())
    }

    /// Repeats all unsynced changes and syncs them.
    pub(super) fn replay(&self) -> io::Result<()> {
        let mut unsynced = self.unsynced();
        for step in &unsynced.steps {
            let done = match step {
                Unsynced::Write(offset, data) => self.disk.write(*offset, data),
                Unsynced::Length(len) => self.disk.set_len(*len),
            };
            self.note_if_full(done)?;
        }
        self.note_if_full(self.disk.sync())?;
        unsynced.steps.clear();
        Ok(())
    }
}

/// The backend given to redb: the disk, until it is retired. A failed database then cannot change the file that its
/// successor has opened.
#[derive(Debug)]
pub(super) struct Backend {
    pub(super) journal: Arc<Journal>,
    pub(super) retired: Arc<AtomicBool>,
}

impl Backend {
    fn active_journal(&self) -> io::Result<&Journal> {
        if self.retired.load(Ordering::Acquire) {
            return Err(io::Error::other("the store was opened anew"));
        }
        Ok(&self.journal)
    }
}

/// Returns the part of `out` that lies before the end of the file, and sets the rest to zeros. A damaged page number may
/// point behind the end; redb would repeat an I/O error at every later call, and rejects a page of zeros as damaged.
fn clip_to_file(offset: u64, out: &mut [u8], end: u64) -> &mut [u8] {
    let len = usize::try_from(end.saturating_sub(offset)).unwrap_or(usize::MAX).min(out.len());
    let (within, behind) = out.split_at_mut(len);
    behind.fill(0);
    within
}

impl StorageBackend for Backend {
    fn len(&self) -> io::Result<u64> {
        self.active_journal()?.disk.len()
    }
    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        let disk = &self.active_journal()?.disk;
        match disk.read(offset, out) {
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
                let within = clip_to_file(offset, out, disk.len()?);
                disk.read(offset, within)
            }
            result => result,
        }
    }
    fn set_len(&self, len: u64) -> io::Result<()> {
        self.active_journal()?.set_len(len)
    }
    fn sync_data(&self) -> io::Result<()> {
        self.active_journal()?.sync()
    }
    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        self.active_journal()?.write(offset, data)
    }
    // The whole file is locked for this process when it is opened.
    fn try_lock_range(&self, _: Bound<u64>, _: Bound<u64>) -> Result<bool, BackendError> {
        Ok(true)
    }
    fn unlock_range(&self, _: Bound<u64>, _: Bound<u64>) -> Result<(), BackendError> {
        Ok(())
    }
}

/// The disk with all further changes in memory. The store is read through it while the disk takes no writes. It grows
/// by the few pages that opening changes.
#[derive(Debug)]
pub(super) struct Overlay {
    journal: Arc<Journal>,
    changed: Mutex<Changed>,
}

#[derive(Debug)]
struct Changed {
    blocks: BTreeMap<u64, Vec<u8>>,
    len: u64,
}

/// Size of a block kept in memory, in bytes.
const BLOCK_BYTES: u64 = 4_096;

impl Overlay {
    /// Creates an overlay of the disk with all unsynced changes applied.
    pub(super) fn new(journal: Arc<Journal>) -> io::Result<Self> {
        let len = journal.disk.len()?;
        let overlay = Self { journal, changed: Mutex::new(Changed { blocks: BTreeMap::new(), len }) };
        for step in &overlay.journal.unsynced().steps {
            match step {
                Unsynced::Write(offset, data) => overlay.write(*offset, data)?,
                Unsynced::Length(len) => overlay.set_len(*len)?,
            }
        }
        Ok(overlay)
    }

    fn changed(&self) -> MutexGuard<'_, Changed> {
        self.changed.lock()
    }

    /// Reads a block from the disk, with zeros after its end.
    fn read_disk_block(&self, block: u64) -> io::Result<Vec<u8>> {
        let mut bytes = vec![0; usize::try_from(BLOCK_BYTES).map_err(io::Error::other)?];
        let start = block * BLOCK_BYTES;
        let within = self.journal.disk.len()?.saturating_sub(start).min(BLOCK_BYTES);
        let within = usize::try_from(within).map_err(io::Error::other)?;
        if within > 0 {
            self.journal.disk.read(start, &mut bytes[..within])?;
        }
        Ok(bytes)
    }

    /// Calls `visit` for each block that a byte range touches, with the block number, the offset in the block, and the
    /// part of the range.
    fn each_block(
        offset: u64,
        len: usize,
        mut visit: impl FnMut(u64, usize, Range<usize>) -> io::Result<()>,
    ) -> io::Result<()> {
        let mut done = 0;
        while done < len {
            let at = offset + done as u64;
            let within = usize::try_from(at % BLOCK_BYTES).map_err(io::Error::other)?;
            let size = (usize::try_from(BLOCK_BYTES).map_err(io::Error::other)? - within).min(len - done);
            visit(at / BLOCK_BYTES, within, done..done + size)?;
            done += size;
        }
        Ok(())
    }
}

impl StorageBackend for Overlay {
    fn len(&self) -> io::Result<u64> {
        Ok(self.changed().len)
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        let changed = self.changed();
        let out = clip_to_file(offset, out, changed.len);
        Self::each_block(offset, out.len(), |block, within, part| {
            let size = part.len();
            match changed.blocks.get(&block) {
                Some(bytes) => out[part].copy_from_slice(&bytes[within..within + size]),
                None => out[part].copy_from_slice(&self.read_disk_block(block)?[within..within + size]),
            }
            Ok(())
        })
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        let mut changed = self.changed();
        if len < changed.len {
            // Bytes after the new end must read as zeros if the file grows again.
            for block in len / BLOCK_BYTES..changed.len.div_ceil(BLOCK_BYTES) {
                let mut bytes = match changed.blocks.remove(&block) {
                    Some(bytes) => bytes,
                    None => self.read_disk_block(block)?,
                };
                let kept = usize::try_from(len.saturating_sub(block * BLOCK_BYTES).min(BLOCK_BYTES))
                    .map_err(io::Error::other)?;
                bytes[kept..].fill(0);
                changed.blocks.insert(block, bytes);
            }
        }
        changed.len = len;
        Ok(())
    }

    fn sync_data(&self) -> io::Result<()> {
        Ok(())
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        let mut changed = self.changed();
        Self::each_block(offset, data.len(), |block, within, part| {
            let bytes = match changed.blocks.entry(block) {
                Entry::Occupied(entry) => entry.into_mut(),
                Entry::Vacant(entry) => entry.insert(self.read_disk_block(block)?),
            };
            bytes[within..within + part.len()].copy_from_slice(&data[part]);
            Ok(())
        })
    }

    fn try_lock_range(&self, _: Bound<u64>, _: Bound<u64>) -> Result<bool, BackendError> {
        Ok(true)
    }
    fn unlock_range(&self, _: Bound<u64>, _: Bound<u64>) -> Result<(), BackendError> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::store::tests::sim::{Event, Fault, Sim, apply};

    #[test]
    fn replay_restores_writes_dropped_by_a_failed_sync() {
        let disk = Arc::new(Sim::default());
        let journal = Journal::new(disk.clone());
        journal.set_len(64).unwrap();
        journal.write(0, &[1; 32]).unwrap();
        journal.sync().unwrap();
        journal.write(8, &[2; 8]).unwrap();
        // The fourth call is the preceding write, the fifth is the sync.
        disk.state().fault = Some(Fault { at: 5, lasting: false, kind: io::ErrorKind::Other });
        assert!(journal.sync().is_err());
        journal.write(12, &[3; 8]).unwrap();
        journal.disk.sync().unwrap();
        assert_eq!(disk.state().durable[8..12], [1; 4], "the system forgot it and said nothing");
        journal.replay().unwrap();
        let state = disk.state();
        assert_eq!(state.durable[8..12], [2; 4]);
        assert_eq!(state.durable, state.bytes);
        assert!(journal.unsynced().steps.is_empty());
    }

    #[test]
    fn buffers_of_pages_are_used_again_and_hold_what_was_written_last() {
        let journal = Journal::new(Arc::new(Sim::default()));
        journal.set_len(1 << 20).unwrap();
        for round in 1..=3 {
            for page in 0..200_u64 {
                journal.write(page * 4_096, &[round; PAGE_BYTES]).unwrap();
            }
            journal.write(7, &[round; 320]).unwrap();
            let unsynced = journal.unsynced();
            let is_written = |step: &Unsynced| match step {
                Unsynced::Write(_, data) => data.iter().all(|byte| *byte == round),
                Unsynced::Length(_) => true,
            };
            assert!(unsynced.steps.iter().all(is_written));
            drop(unsynced);
            journal.sync().unwrap();
            assert_eq!(journal.unsynced().spare.len(), SPARE_BUFFERS);
        }
    }

    #[test]
    fn take_full_reports_a_full_disk_once() {
        let disk = Arc::new(Sim::default());
        disk.state().fault = Some(Fault { at: 1, lasting: false, kind: io::ErrorKind::StorageFull });
        let journal = Journal::new(disk);
        assert!(journal.set_len(64).is_err());
        assert!(journal.take_full() && !journal.take_full());
    }

    #[test]
    fn retired_backend_fails_without_disk_calls() {
        let disk = Arc::new(Sim::with_bytes(vec![7; 64]));
        let retired = Arc::new(AtomicBool::new(false));
        let backend = Backend { journal: Arc::new(Journal::new(disk.clone())), retired: retired.clone() };
        backend.write(0, &[1]).unwrap();
        retired.store(true, Ordering::Release);
        let calls = disk.calls();
        let refused = [backend.write(0, &[2]), backend.set_len(0), backend.sync_data(), backend.read(0, &mut [0])];
        assert!(refused.iter().all(Result::is_err));
        assert_eq!(disk.calls(), calls);
    }

    #[test]
    fn reading_past_the_end_returns_zeros_and_a_failing_disk_an_error() {
        let disk = Arc::new(Sim::with_bytes(vec![7; 64]));
        let backend = Backend { journal: Arc::new(Journal::new(disk.clone())), retired: Arc::default() };
        for (offset, wanted) in [(60, [7, 7, 7, 7, 0, 0]), (64, [0; 6]), (1 << 40, [0; 6])] {
            let mut read = [9; 6];
            backend.read(offset, &mut read).unwrap();
            assert_eq!(read, wanted);
        }
        disk.state().reads_fail = true;
        assert!(backend.read(60, &mut [0; 6]).is_err());
    }

    fn step() -> impl Strategy<Value = Event> {
        prop_oneof![
            4 => (0..20_000_u64, prop::collection::vec(any::<u8>(), 1..9_000)).prop_map(|(at, data)| Event::Write(at, data)),
            1 => (0..30_000_u64).prop_map(Event::Length),
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn overlay_reads_like_a_disk_and_leaves_the_real_disk_unchanged(
            before in prop::collection::vec(any::<u8>(), 0..20_000),
            steps in prop::collection::vec(step(), 0..12),
        ) {
            let disk = Arc::new(Sim::with_bytes(before.clone()));
            let overlay = Overlay::new(Arc::new(Journal::new(disk.clone()))).unwrap();
            let mut wanted = before.clone();
            for step in &steps {
                match step {
                    Event::Write(at, data) => {
                        // redb writes only within the length that it has set.
                        let end = at + data.len() as u64;
                        if end > wanted.len() as u64 {
                            overlay.set_len(end).unwrap();
                        }
                        overlay.write(*at, data).unwrap();
                    }
                    Event::Length(len) => overlay.set_len(*len).unwrap(),
                    Event::Sync | Event::Mark => {}
                }
                apply(&mut wanted, step);
                let mut read = vec![0; wanted.len()];
                overlay.read(0, &mut read).unwrap();
                prop_assert_eq!(&read, &wanted);
            }
            let mut read = vec![9; wanted.len() + 3];
            overlay.read(0, &mut read).unwrap();
            prop_assert_eq!(&read[wanted.len()..], &[0; 3]);
            prop_assert_eq!(&disk.state().bytes, &before);
        }
    }
}
