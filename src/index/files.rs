//! The directory of index files for tantivy. Files are read with system calls and not mapped into memory: a mapped file
//! that is truncated or lies on a failing disk ends the process with a signal that code cannot catch, while a failed
//! read returns an error. All files are synced together before the commit that names them.

use std::cell::RefCell;
use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Weak};

use parking_lot::Mutex;
use tantivy::HasLen;
use tantivy::directory::error::{DeleteError, LockError, OpenDirectoryError, OpenReadError, OpenWriteError};
use tantivy::directory::{
    AntiCallToken, Directory, DirectoryLock, FileHandle, Lock, MmapDirectory, OwnedBytes, TerminatingWrite,
    WatchCallback, WatchHandle, WritePtr,
};

use crate::kernel::let_others_run;

/// Kinds of files that are held in memory as a whole, because every search scans them: term dictionaries, positions of
/// documents, deleted documents. The others (postings, stored documents) are read piece by piece.
const IN_MEMORY_EXTENSIONS: [&str; 5] = ["term", "fast", "del", "fieldnorm", "pos"];

/// The file that names all others: replacing it is the commit.
const COMMIT: &str = "meta.json";

/// A directory of index files. Files never change once written, so all readers share one handle per file.
#[derive(Clone)]
pub(super) struct Files {
    root: PathBuf,
    rest: MmapDirectory,
    open: Arc<Mutex<Open>>,
    written: Arc<Mutex<Vec<PathBuf>>>,
}

#[derive(Default)]
struct Open {
    held: HashMap<PathBuf, Weak<OwnedBytes>>,
    read: HashMap<PathBuf, Weak<RangeFile>>,
}

impl Files {
    /// Opens an existing directory.
    pub fn open(root: &Path) -> Result<Files, OpenDirectoryError> {
        let rest = MmapDirectory::open(root)?;
        Ok(Files { root: root.to_owned(), rest, open: Arc::default(), written: Arc::default() })
    }

    /// Whether a reader has the file open.
    fn is_open(&self, path: &Path) -> bool {
        let open = self.open.lock();
        open.held.get(path).is_some_and(|bytes| bytes.strong_count() > 0)
            || open.read.get(path).is_some_and(|reading| reading.strong_count() > 0)
    }

    fn handle(&self, path: &Path) -> io::Result<Arc<dyn FileHandle>> {
        let mut open = self.open.lock();
        if path.extension().and_then(|kind| kind.to_str()).is_some_and(|kind| IN_MEMORY_EXTENSIONS.contains(&kind)) {
            if let Some(bytes) = open.held.get(path).and_then(Weak::upgrade) {
                return Ok(bytes);
            }
            let bytes = Arc::new(OwnedBytes::new(std::fs::read(self.root.join(path))?));
            open.held.retain(|_, bytes| bytes.strong_count() > 0);
            open.held.insert(path.to_owned(), Arc::downgrade(&bytes));
            return Ok(bytes);
        }
        if let Some(reading) = open.read.get(path).and_then(Weak::upgrade) {
            return Ok(reading);
        }
        let file = File::open(self.root.join(path))?;
        let len = usize::try_from(file.metadata()?.len()).map_err(io::Error::other)?;
        let reading = Arc::new(RangeFile { file, len, number: NEXT_FILE_NUMBER.fetch_add(1, Ordering::Relaxed) });
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
        self.rest.delete(path)
    }

    fn exists(&self, path: &Path) -> Result<bool, OpenReadError> {
        self.rest.exists(path)
    }

    fn open_write(&self, path: &Path) -> Result<WritePtr, OpenWriteError> {
        let whole = self.root.join(path);
        let create = || OpenOptions::new().write(true).create_new(true).open(&whole);
        let file = match create() {
            // Left by a process that was killed before the commit that would have named the file.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && !self.is_open(path) => {
                std::fs::remove_file(&whole).and_then(|()| create())
            }
            file => file,
        };
        let file = file.map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => OpenWriteError::FileAlreadyExists(path.to_owned()),
            _ => OpenWriteError::wrap_io_error(error, path.to_owned()),
        })?;
        Ok(BufWriter::new(Box::new(WritingFile { file, path: path.to_owned(), written: self.written.clone() })))
    }

    fn atomic_read(&self, path: &Path) -> Result<Vec<u8>, OpenReadError> {
        self.rest.atomic_read(path)
    }

    fn atomic_write(&self, path: &Path, data: &[u8]) -> io::Result<()> {
        if path == Path::new(COMMIT) {
            self.sync_written()?;
            return self.rest.atomic_write(path, data);
        }
        // The list of all files ever created, which is written several times in each commit.
        let draft = self.root.join(path).with_extension("draft");
        std::fs::write(&draft, data)?;
        std::fs::rename(&draft, self.root.join(path))?;
        note_written(&self.written, path);
        Ok(())
    }

    /// Does nothing: the directory is synced together with the files at the commit.
    fn sync_directory(&self) -> io::Result<()> {
        Ok(())
    }

    fn acquire_lock(&self, lock: &Lock) -> Result<DirectoryLock, LockError> {
        self.rest.acquire_lock(lock)
    }

    fn watch(&self, callback: WatchCallback) -> tantivy::Result<WatchHandle> {
        self.rest.watch(callback)
    }
}

impl Files {
    fn sync_written(&self) -> io::Result<()> {
        let written = std::mem::take(&mut *self.written.lock());
        for path in written {
            match OpenOptions::new().write(true).open(self.root.join(path)) {
                Ok(file) => file.sync_data()?,
                // A temporary file, or one that a merge has replaced.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(error),
            }
        }
        self.rest.sync_directory()
    }
}

fn note_written(written: &Mutex<Vec<PathBuf>>, path: &Path) {
    let mut written = written.lock();
    if !written.iter().any(|known| known == path) {
        written.push(path.to_owned());
    }
}

/// A file being written. Syncing each file separately would cost about twenty waits for the disk per commit.
struct WritingFile {
    file: File,
    path: PathBuf,
    written: Arc<Mutex<Vec<PathBuf>>>,
}

impl Write for WritingFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let_others_run();
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl TerminatingWrite for WritingFile {
    fn terminate_ref(&mut self, _: AntiCallToken) -> io::Result<()> {
        self.file.flush()?;
        note_written(&self.written, &self.path);
        Ok(())
    }
}

/// A file that is read at the requested ranges.
#[derive(Debug)]
struct RangeFile {
    file: File,
    len: usize,
    number: u64,
}

static NEXT_FILE_NUMBER: AtomicU64 = AtomicU64::new(1);

/// Size of the read-ahead, in bytes, while a file is read sequentially, as for many words with the same prefix.
const READ_AHEAD_BYTES: usize = 32 * 1024;

/// The last read of a thread.
struct LastRead {
    file: u64,
    start: usize,
    bytes: OwnedBytes,
    /// Where the last range ended: a read that starts here is sequential.
    next: usize,
}

thread_local! {
    static LAST_READ: RefCell<LastRead> = RefCell::new(LastRead { file: 0, start: 0, bytes: OwnedBytes::empty(), next: 0 });
}

impl HasLen for RangeFile {
    fn len(&self) -> usize {
        self.len
    }
}

impl RangeFile {
    fn read(&self, range: Range<usize>) -> io::Result<OwnedBytes> {
        let mut bytes = vec![0; range.len()];
        read_exact_at(&self.file, &mut bytes, range.start as u64)?;
        Ok(OwnedBytes::new(bytes))
    }
}

impl FileHandle for RangeFile {
    fn read_bytes(&self, range: Range<usize>) -> io::Result<OwnedBytes> {
        if range.start > range.end || range.end > self.len {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "a range outside of the file"));
        }
        LAST_READ.with_borrow_mut(|last| {
            let known = last.file == self.number;
            let reads_on = known && last.next == range.start && range.len() < READ_AHEAD_BYTES;
            let held = known && range.start >= last.start && range.end <= last.start + last.bytes.len();
            if reads_on && !held {
                last.bytes = self.read(range.start..(range.start + READ_AHEAD_BYTES).min(self.len))?;
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
