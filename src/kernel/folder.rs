//! Folders with private data.

use std::{
    fs::{self, DirBuilder, File, OpenOptions},
    io::{self, Write as _},
    os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _},
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

/// Writes a file of a folder, which is created when missing, in place of a former one, through a file that ends with
/// `.part`. Only their owner can access them; the new content survives a power loss.
pub fn write(folder: &Path, name: &str, content: &[u8]) -> io::Result<()> {
    make(folder)?;
    let part = folder.join(format!("{name}.part"));
    let mut out = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&part)?;
    out.write_all(content)?;
    out.sync_all()?;
    fs::rename(part, folder.join(name))?;
    sync(folder)
}
