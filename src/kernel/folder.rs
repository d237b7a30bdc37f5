//! Folders that hold what is Atrium's.

use std::{
    fs::{self, DirBuilder, File},
    io,
    os::unix::fs::DirBuilderExt as _,
    path::Path,
};

/// Makes a folder, and those above it, where they are missing: only their owner may look into them.
///
/// # Errors
/// Whatever the disk says.
pub fn make(folder: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

/// Removes a folder with all in it, if it is there.
///
/// # Errors
/// Whatever the disk says.
pub fn remove(folder: &Path) -> io::Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Returns when what a folder, or a file, holds survives a power loss.
///
/// # Errors
/// Whatever the disk says.
pub fn sync(path: &Path) -> io::Result<()> {
    File::open(path)?.sync_all()
}
