//! Atomic creation of files: a file appears complete at its path, or not at all.

use std::{
    fs::{self, File},
    io,
    os::unix::fs::OpenOptionsExt as _,
    path::{Path, PathBuf},
};

use crate::kernel::{Code, Entropy, Error, Result, hex};

/// Converts an I/O error into the error for a file that cannot be created or read.
pub(super) fn unusable_file_error(path: &Path, error: &io::Error) -> Error {
    let file = path.display();
    let (code, words, text) = match error.kind() {
        io::ErrorKind::AlreadyExists => (
            Code::Conflict,
            "errors.fields.file_exists",
            format!("{file} already exists. Choose another name, or move the existing file first."),
        ),
        io::ErrorKind::NotFound => {
            (Code::Invalid, "errors.fields.file_unusable", format!("There is no file {file}. Check the path."))
        }
        _ => (Code::Invalid, "errors.fields.file_unusable", format!("{file} can't be opened or created: {error}")),
    };
    Error::new(code).explain(text).and_field("file", words, Vec::new())
}

/// Removes the temporary file of an interrupted write, unless it is locked or cannot be locked: then it may still be in
/// use.
pub fn remove_temp_file(path: &Path) -> io::Result<()> {
    match File::open(path)?.try_lock() {
        Ok(()) => fs::remove_file(path),
        Err(_) => Ok(()),
    }
}

/// Removes the temporary files that earlier attempts to write `place` left behind.
fn remove_temp_files_of(place: &Path) -> io::Result<()> {
    let name = place.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    for entry in fs::read_dir(folder_of(place))? {
        let entry = entry?;
        let number = entry.file_name();
        let number =
            number.to_str().and_then(|other| other.strip_prefix(name)?.strip_prefix('.')?.strip_suffix(".part"));
        if number.is_some_and(|number| number.len() == 8 && hex::decode(number).is_some()) {
            remove_temp_file(&entry.path())?;
        }
    }
    Ok(())
}

fn folder_of(place: &Path) -> &Path {
    place.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// A temporary file beside its final path. It is deleted on drop unless it is kept. It is locked while it is written,
/// so that other processes can tell it from one that was left behind.
pub(super) struct TempFile {
    path: PathBuf,
    place: PathBuf,
    _lock: File,
}

impl TempFile {
    /// Creates the temporary file, readable by its owner only.
    /// Errors: `conflict` at `file` when the final path exists; `invalid` at `file` when the file cannot be created.
    pub(super) fn create_next_to(place: PathBuf, entropy: &Entropy) -> Result<(Self, File)> {
        let taken = || Err(unusable_file_error(&place, &io::ErrorKind::AlreadyExists.into()));
        if place.symlink_metadata().is_ok() {
            return taken();
        }
        remove_temp_files_of(&place).map_err(|error| unusable_file_error(&place, &error))?;
        let mut path = place.clone().into_os_string();
        path.push(format!(".{}.part", hex::encode(&entropy.bytes::<4>())));
        let path = PathBuf::from(path);
        let made = File::options().write(true).create_new(true).mode(0o600).open(&path);
        let file = made.map_err(|error| unusable_file_error(&place, &error))?;
        let lock = file.try_clone().map_err(|error| unusable_file_error(&place, &error))?;
        if let Err(error) = lock.try_lock() {
            // Not every file system supports locks; on those, leftovers are not removed.
            tracing::debug!(%error, path = %path.display(), "uploads: locking a temporary file failed");
        }
        Ok((Self { path, place, _lock: lock }, file))
    }

    /// Opens what was written so far.
    pub(super) fn read(&self) -> Result<File> {
        File::open(&self.path).map_err(|error| unusable_file_error(&self.place, &error))
    }

    /// Moves the file to its final path, durably.
    /// Errors: `conflict` at `file` when the path exists by now; `invalid` at `file` when the file cannot be moved.
    pub(super) fn keep(self) -> Result<()> {
        self.put().map_err(|error| unusable_file_error(&self.place, &error))
    }

    fn put(&self) -> io::Result<()> {
        File::open(&self.path)?.sync_all()?;
        // Unlike a rename, a hard link never replaces an existing file.
        match fs::hard_link(&self.path, &self.place) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Err(error),
            // Not every file system supports hard links.
            Err(_) if self.place.symlink_metadata().is_err() => fs::rename(&self.path, &self.place)?,
            Err(_) => return Err(io::ErrorKind::AlreadyExists.into()),
        }
        File::open(folder_of(&self.place))?.sync_all()
    }
}

impl Drop for TempFile {
    fn drop(&mut self) {
        match fs::remove_file(&self.path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                tracing::warn!(%error, path = %self.path.display(), "removing an unfinished file failed");
            }
            _ => {}
        }
    }
}
