//! The disk under the store: one locked file, how much room is left beside it, and a reserve that can be
//! given up when the disk is full. Tests put another disk here, one that fails, tears or forgets.

use std::{
    fmt::Debug,
    fs::{File, OpenOptions},
    io,
    os::unix::fs::MetadataExt as _,
    path::{Path, PathBuf},
};

/// How much a disk holds, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Room {
    /// What this process may still fill.
    pub free: u64,
    /// All there is.
    pub total: u64,
}

/// One file that takes reads and writes at any place.
pub trait Disk: Debug + Send + Sync + 'static {
    /// The length in bytes.
    ///
    /// # Errors
    /// Whatever the disk says.
    fn len(&self) -> io::Result<u64>;

    /// Fills `out` with the bytes from `offset` on.
    ///
    /// # Errors
    /// Whatever the disk says, and when the file ends before.
    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()>;

    /// Sets the length; new bytes are zero.
    ///
    /// # Errors
    /// Whatever the disk says.
    fn set_len(&self, len: u64) -> io::Result<()>;

    /// Writes bytes at `offset`, within the length.
    ///
    /// # Errors
    /// Whatever the disk says; some of the bytes may be written then.
    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()>;

    /// Returns when all that was written survives a power loss.
    ///
    /// # Errors
    /// Whatever the disk says; what was written since the last success is in doubt then.
    fn sync(&self) -> io::Result<()>;

    /// Whether the file has no bytes yet.
    ///
    /// # Errors
    /// Whatever the disk says.
    fn is_empty(&self) -> io::Result<bool> {
        Ok(self.len()? == 0)
    }

    /// How much room is left.
    ///
    /// # Errors
    /// Whatever the disk says.
    fn room(&self) -> io::Result<Room> {
        Ok(Room { free: u64::MAX, total: u64::MAX })
    }

    /// Whether the file is still the one that its name leads to: not when it was removed or replaced. What is
    /// written then is lost when the file is closed.
    ///
    /// # Errors
    /// Whatever the disk says.
    fn is_in_place(&self) -> io::Result<bool> {
        Ok(true)
    }

    /// Sets so many bytes aside beside the file, for the day on which the disk is full.
    ///
    /// # Errors
    /// Whatever the disk says; there is no reserve then.
    fn keep_reserve(&self, _bytes: u64) -> io::Result<()> {
        Ok(())
    }

    /// Gives the reserve up. Whether there was one.
    ///
    /// # Errors
    /// Whatever the disk says.
    fn give_up_reserve(&self) -> io::Result<bool> {
        Ok(false)
    }

    /// Lets go of the file, so that another may open it.
    fn close(&self) {}
}

/// The path of something that belongs to a file and lies beside it.
pub(super) fn beside(file: &Path, what: &str) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(".");
    name.push(what);
    name.into()
}

/// Where a file lies.
fn folder(file: &Path) -> &Path {
    file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Puts a whole file in its place, so that it is there after a power loss too.
pub(super) fn put_in_place(new: &Path, file: &Path) -> io::Result<()> {
    File::open(new)?.sync_all()?;
    std::fs::rename(new, file)?;
    File::open(folder(file))?.sync_all()
}

/// A file of the file system, locked for this process.
#[derive(Debug)]
pub(super) struct FileDisk {
    file: File,
    path: PathBuf,
}

impl FileDisk {
    /// Opens or makes the file, readable for its owner only.
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let file = options.open(path)?;
        file.try_lock()?;
        Ok(Self { file, path: path.to_owned() })
    }

    fn reserve(&self) -> PathBuf {
        beside(&self.path, "reserve")
    }
}

impl Disk for FileDisk {
    fn len(&self) -> io::Result<u64> {
        Ok(self.file.metadata()?.len())
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        std::os::unix::fs::FileExt::read_exact_at(&self.file, out, offset)
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        self.file.set_len(len)
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        std::os::unix::fs::FileExt::write_all_at(&self.file, data, offset)
    }

    fn sync(&self) -> io::Result<()> {
        self.file.sync_data()
    }

    fn room(&self) -> io::Result<Room> {
        let stats = fs4::statvfs(folder(&self.path))?;
        Ok(Room { free: stats.available_space(), total: stats.total_space() })
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
            // Half a reserve would only take the room away; a disk that cannot set room aside has none.
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
