//! The disk abstraction under the store: one locked file, the free space of its disk, and a reserve that is released
//! when the disk is full. Tests implement it with disks that fail, tear writes or lose data.

use std::{
    fmt::Debug,
    fs::{File, OpenOptions},
    io,
    os::unix::fs::MetadataExt as _,
    path::{Path, PathBuf},
    sync::atomic::{AtomicU64, Ordering},
};

/// Space on a disk, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DiskSpace {
    /// Bytes that this process may still use.
    pub free: u64,
    /// Size of the disk.
    pub total: u64,
}

/// One file with random access.
pub trait Disk: Debug + Send + Sync + 'static {
    /// Returns the length in bytes.
    fn len(&self) -> io::Result<u64>;

    /// Fills `out` with the bytes from `offset` on.
    /// Errors: `UnexpectedEof` when the file ends too early.
    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()>;

    /// Sets the length. New bytes are zero.
    fn set_len(&self, len: u64) -> io::Result<()>;

    /// Writes bytes at `offset`, within the length.
    /// Errors: On an error, some of the bytes may have been written.
    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()>;

    /// Makes all writes durable against a power loss.
    /// Errors: On an error, all writes since the last success are in doubt.
    fn sync(&self) -> io::Result<()>;

    /// Whether the file has no bytes yet.
    fn is_empty(&self) -> io::Result<bool> {
        Ok(self.len()? == 0)
    }

    /// Returns free and total space.
    fn disk_space(&self) -> io::Result<DiskSpace> {
        Ok(DiskSpace { free: u64::MAX, total: u64::MAX })
    }

    /// Presents a file that was cut short in the length that it should have, with zeros for the missing part, so that
    /// the rest can be read. Returns whether it was cut short.
    fn fill_up(&self) -> io::Result<bool> {
        Ok(false)
    }

    /// Whether the path still leads to this file. If the file was removed or replaced, writes are lost when it is
    /// closed.
    fn is_in_place(&self) -> io::Result<bool> {
        Ok(true)
    }

    /// Reserves disk space next to the file, for use when the disk is full.
    /// Errors: On an error there is no reserve.
    fn keep_reserve(&self, _bytes: u64) -> io::Result<()> {
        Ok(())
    }

    /// Releases the reserve. Returns whether there was one.
    fn give_up_reserve(&self) -> io::Result<bool> {
        Ok(false)
    }

    /// Unlocks the file, so that it can be opened again.
    fn close(&self) {}
}

/// Returns the path of an auxiliary file next to a file.
pub(super) fn sibling_path(file: &Path, what: &str) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(".");
    name.push(what);
    name.into()
}

/// Returns the directory of a file.
fn folder(file: &Path) -> &Path {
    file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Syncs a complete file and renames it to its final path, durably.
pub(super) fn put_in_place(new: &Path, file: &Path) -> io::Result<()> {
    File::open(new)?.sync_all()?;
    std::fs::rename(new, file)?;
    File::open(folder(file))?.sync_all()
}

/// Bytes of the part of redb's header that describes the layout of the file.
const REDB_HEADER_BYTES: usize = 32;

/// Returns the length of a redb file by its header: the size of a page; the pages of a region's header and its most data
/// pages; the number of full regions; and the data pages of the last region that is not full.
fn redb_len(header: &[u8; REDB_HEADER_BYTES]) -> Option<u64> {
    let number =
        |at: usize| -> Option<u64> { Some(u32::from_le_bytes(header.get(at..at + 4)?.try_into().ok()?).into()) };
    let page = number(12)?;
    let head = number(16)?;
    let most = number(20)?;
    let full = number(24)?;
    let last = number(28)?;
    let full = full.checked_mul(head.checked_add(most)?)?;
    let last = if last == 0 { 0 } else { head.checked_add(last)? };
    page.checked_mul(1_u64.checked_add(full)?.checked_add(last)?)
}

/// A file in the file system, locked for this process.
#[derive(Debug)]
pub(super) struct FileDisk {
    file: File,
    path: PathBuf,
    /// The length in which a file that was cut short is presented.
    least_len: AtomicU64,
}

impl FileDisk {
    /// Opens a file that has content. An empty one is never a store, whose file is complete before it gets its name: redb
    /// would make a new store of it.
    /// Errors: `InvalidData` for an empty file, `NotFound` when there is none.
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        let file = OpenOptions::new().read(true).write(true).open(path)?;
        if file.metadata()?.len() == 0 {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "it is empty"));
        }
        file.try_lock()?;
        Ok(Self { file, path: path.to_owned(), least_len: AtomicU64::new(0) })
    }

    /// Creates an empty file, readable only by its owner, in place of one that an interruption left.
    pub(super) fn create(path: &Path) -> io::Result<Self> {
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let file = options.open(path)?;
        file.try_lock()?;
        file.set_len(0)?;
        Ok(Self { file, path: path.to_owned(), least_len: AtomicU64::new(0) })
    }

    fn reserve(&self) -> PathBuf {
        sibling_path(&self.path, "reserve")
    }
}

impl Disk for FileDisk {
    fn len(&self) -> io::Result<u64> {
        Ok(self.file.metadata()?.len().max(self.least_len.load(Ordering::Relaxed)))
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        let missing = match self.least_len.load(Ordering::Relaxed) {
            0 => 0,
            whole => {
                let end = offset.saturating_add(out.len() as u64);
                end.min(whole).saturating_sub(self.file.metadata()?.len().max(offset))
            }
        };
        let there = out.len() - usize::try_from(missing).map_or(out.len(), |missing| missing.min(out.len()));
        let (there, missing) = out.split_at_mut(there);
        missing.fill(0);
        std::os::unix::fs::FileExt::read_exact_at(&self.file, there, offset)
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        self.least_len.store(0, Ordering::Relaxed);
        self.file.set_len(len)
    }

    fn fill_up(&self) -> io::Result<bool> {
        let mut header = [0; REDB_HEADER_BYTES];
        let len = self.file.metadata()?.len();
        if len < REDB_HEADER_BYTES as u64 {
            return Ok(false);
        }
        std::os::unix::fs::FileExt::read_exact_at(&self.file, &mut header, 0)?;
        let whole = redb_len(&header).unwrap_or(0);
        if whole <= len {
            return Ok(false);
        }
        tracing::error!(bytes = len, missing = whole - len, "the store's file was cut short");
        self.least_len.store(whole, Ordering::Relaxed);
        Ok(true)
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        std::os::unix::fs::FileExt::write_all_at(&self.file, data, offset)
    }

    fn sync(&self) -> io::Result<()> {
        self.file.sync_data()
    }

    fn disk_space(&self) -> io::Result<DiskSpace> {
        let stats = fs4::statvfs(folder(&self.path))?;
        Ok(DiskSpace { free: stats.available_space(), total: stats.total_space() })
    }

    fn is_in_place(&self) -> io::Result<bool> {
        let own = self.file.metadata()?;
        match self.path.metadata() {
            Ok(named) => Ok((named.dev(), named.ino()) == (own.dev(), own.ino())),
            Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => Ok(false),
            Err(error) => Err(error),
        }
    }

    fn keep_reserve(&self, bytes: u64) -> io::Result<()> {
        let path = self.reserve();
        let file = OpenOptions::new().write(true).create(true).truncate(false).open(&path)?;
        let kept = fs4::fs_std::FileExt::allocate(&file, bytes);
        if kept.is_err() {
            // A partial reserve would only waste space. A disk that cannot reserve space gets no reserve.
            std::fs::remove_file(path)?;
        }
        kept
    }

    fn give_up_reserve(&self) -> io::Result<bool> {
        match std::fs::remove_file(self.reserve()) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(error),
        }
    }

    fn close(&self) {
        if let Err(error) = self.file.unlock() {
            tracing::warn!(%error, "the store's file could not be unlocked");
        }
    }
}
