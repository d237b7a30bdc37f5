//! Folders with private data.

use std::{
    fs::{self, DirBuilder, File},
    io,
    os::unix::fs::DirBuilderExt as _,
    path::Path,
};

/// Creates a folder and its missing parents; only their owner can access them.
pub fn make(folder: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

/// Removes a folder and its content, if it exists.
pub fn remove(folder: &Path) -> io::Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Returns once the content of a folder or a file survives a power loss.
pub fn sync(path: &Path) -> io::Result<()> {
    File::open(path)?.sync_all()
}
