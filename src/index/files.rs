//! The files of the index. They are read, never mapped into memory: a mapped file that is cut short, or lies
//! on a failing disk, ends the whole process with a signal that no code can catch; a read just fails.

use std::cell::RefCell;
use std::collections::HashMap;
use std::fs::File;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use tantivy::HasLen;
use tantivy::directory::error::{DeleteError, LockError, OpenDirectoryError, OpenReadError, OpenWriteError};
use tantivy::directory::{
    Directory, DirectoryLock, FileHandle, Lock, MmapDirectory, OwnedBytes, WatchCallback, WatchHandle, WritePtr,
};

/// Kinds of files that are kept whole in memory, since every search walks through them: term dictionaries,
/// positions of documents, removed documents. The rest (postings, stored documents) is read piece by piece.
const HELD: [&str; 5] = ["term", "fast", "del", "fieldnorm", "pos"];

/// One directory of index files. Files never change once written, so all readers share one handle of each.
#[derive(Clone)]
pub(super) struct Files {
    root: PathBuf,
    writing: MmapDirectory,
    open: Arc<Mutex<Open>>,
}

#[derive(Default)]
struct Open {
    held: HashMap<PathBuf, Weak<[u8]>>,
    read: HashMap<PathBuf, Weak<Reading>>,
}

impl Files {
    /// The directory must exist.
    pub fn open(root: &Path) -> Result<Files, OpenDirectoryError> {
        Ok(Files { root: root.to_owned(), writing: MmapDirectory::open(root)?, open: Arc::default() })
    }

    fn handle(&self, path: &Path) -> io::Result<Arc<dyn FileHandle>> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if path.extension().and_then(|kind| kind.to_str()).is_some_and(|kind| HELD.contains(&kind)) {
            if let Some(bytes) = open.held.get(path).and_then(Weak::upgrade) {
                return Ok(Arc::new(OwnedBytes::new(bytes)));
            }
            let bytes: Arc<[u8]> = std::fs::read(self.root.join(path))?.into();
            open.held.retain(|_, bytes| bytes.strong_count() > 0);
            open.held.insert(path.to_owned(), Arc::downgrade(&bytes));
            return Ok(Arc::new(OwnedBytes::new(bytes)));
        }
        if let Some(reading) = open.read.get(path).and_then(Weak::upgrade) {
            return Ok(reading);
        }
        let file = File::open(self.root.join(path))?;
        let len = usize::try_from(file.metadata()?.len()).map_err(io::Error::other)?;
        let reading = Arc::new(Reading { file, len, number: NUMBER.fetch_add(1, Ordering::Relaxed) });
        open.read.retain(|_, reading| reading.strong_count() > 0);
        open.read.insert(path.to_owned(), Arc::downgrade(&reading));
        Ok(reading)
    }
}

impl std::fmt::Debug for Files {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(to, "Files({})", self.root.display())
    }
}

impl Directory for Files {
    fn get_file_handle(&self, path: &Path) -> Result<Arc<dyn FileHandle>, OpenReadError> {
        self.handle(path).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => OpenReadError::FileDoesNotExist(path.to_owned()),
            _ => OpenReadError::wrap_io_error(error, path.to_owned()),
        })
    }

    fn delete(&self, path: &Path) -> Result<(), DeleteError> {
        self.writing.delete(path)
    }

    fn exists(&self, path: &Path) -> Result<bool, OpenReadError> {
        self.writing.exists(path)
    }

    fn open_write(&self, path: &Path) -> Result<WritePtr, OpenWriteError> {
        self.writing.open_write(path)
    }

    fn atomic_read(&self, path: &Path) -> Result<Vec<u8>, OpenReadError> {
        self.writing.atomic_read(path)
    }

    fn atomic_write(&self, path: &Path, data: &[u8]) -> io::Result<()> {
        self.writing.atomic_write(path, data)
    }

    fn sync_directory(&self) -> io::Result<()> {
        self.writing.sync_directory()
    }

    fn acquire_lock(&self, lock: &Lock) -> Result<DirectoryLock, LockError> {
        self.writing.acquire_lock(lock)
    }

    fn watch(&self, callback: WatchCallback) -> tantivy::Result<WatchHandle> {
        self.writing.watch(callback)
    }
}

/// A file that is read where it is asked for.
#[derive(Debug)]
struct Reading {
    file: File,
    len: usize,
    number: u64,
}

static NUMBER: AtomicU64 = AtomicU64::new(1);

/// How much is read at once while a file is read piece after piece, as when many words begin alike.
const AHEAD: usize = 32 * 1024;

/// What a thread read last.
struct Ahead {
    file: u64,
    start: usize,
    bytes: OwnedBytes,
    /// Where the last piece ended: who asks for the next one is reading on.
    next: usize,
}

thread_local! {
    static LAST: RefCell<Ahead> = RefCell::new(Ahead { file: 0, start: 0, bytes: OwnedBytes::empty(), next: 0 });
}

impl HasLen for Reading {
    fn len(&self) -> usize {
        self.len
    }
}

impl Reading {
    fn read(&self, range: Range<usize>) -> io::Result<OwnedBytes> {
        let mut bytes = vec![0; range.len()];
        read_exact_at(&self.file, &mut bytes, range.start as u64)?;
        Ok(OwnedBytes::new(bytes))
    }
}

impl FileHandle for Reading {
    fn read_bytes(&self, range: Range<usize>) -> io::Result<OwnedBytes> {
        if range.start > range.end || range.end > self.len {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "a range outside of the file"));
        }
        LAST.with_borrow_mut(|last| {
            let known = last.file == self.number;
            let reads_on = known && last.next == range.start && range.len() < AHEAD;
            let held = known && range.start >= last.start && range.end <= last.start + last.bytes.len();
            if reads_on && !held {
                last.bytes = self.read(range.start..(range.start + AHEAD).min(self.len))?;
                last.start = range.start;
            } else if !known {
                (last.file, last.bytes) = (self.number, OwnedBytes::empty());
            }
            last.next = range.end;
            if reads_on || (held && !range.is_empty()) {
                Ok(last.bytes.slice(range.start - last.start..range.end - last.start))
            } else {
                self.read(range)
            }
        })
    }
}

#[cfg(unix)]
fn read_exact_at(file: &File, bytes: &mut [u8], at: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, bytes, at)
}

#[cfg(windows)]
fn read_exact_at(file: &File, mut bytes: &mut [u8], mut at: u64) -> io::Result<()> {
    while !bytes.is_empty() {
        match std::os::windows::fs::FileExt::seek_read(file, bytes, at)? {
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            read => {
                bytes = &mut bytes[read..];
                at += read as u64;
            }
        }
    }
    Ok(())
}
