//! Folders with private data.

use std::{
    fs::{self, DirBuilder, File, OpenOptions, Permissions},
    io::{self, Write as _},
    os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _, PermissionsExt as _, fchown},
    path::Path,
};

/// The mode of files that only their owner can access.
const PRIVATE_MODE: u32 = 0o600;

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

/// Creates a file, which only its owner can access until `mode` is set, in place of a former one. What a symbolic link at
/// the path leads to stays as it is: another user may have put it there.
pub fn create(path: &Path, mode: u32) -> io::Result<File> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let file = OpenOptions::new().write(true).create_new(true).mode(PRIVATE_MODE).open(path)?;
    if mode != PRIVATE_MODE {
        file.set_permissions(Permissions::from_mode(mode))?;
    }
    Ok(file)
}

/// Writes a file of a folder, which is created when missing, in place of a former one. Only their owner can access them;
/// the new content survives a power loss.
pub fn write(folder: &Path, name: &str, content: &[u8]) -> io::Result<()> {
    make(folder)?;
    write_as(folder, name, content, PRIVATE_MODE, None)
}

/// Writes a file of a folder in place of a former one, through a file that ends with `.part`, with a mode, and with an
/// owner and a group, which stay those of this process where only root may change them. The new content survives a power
/// loss.
pub fn write_as(folder: &Path, name: &str, content: &[u8], mode: u32, owner: Option<(u32, u32)>) -> io::Result<()> {
    let part = folder.join(format!("{name}.part"));
    let mut out = create(&part, PRIVATE_MODE)?;
    out.write_all(content)?;
    // By the open file: at its path, another user may have put another one.
    if let Some((user, group)) = owner {
        drop(fchown(&out, Some(user), Some(group)));
    }
    out.set_permissions(Permissions::from_mode(mode))?;
    out.sync_all()?;
    fs::rename(part, folder.join(name))?;
    sync(folder)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{MetadataExt as _, symlink};

    use super::*;

    #[test]
    fn files_are_written_in_place_of_links_not_through_them() {
        let folder = tempfile::tempdir().unwrap();
        let victim = folder.path().join("victim");
        fs::write(&victim, "untouched").unwrap();
        let at = |name: &str| folder.path().join(name);
        for link in ["a", "a.part", "b", "c.part"] {
            symlink(&victim, at(link)).unwrap();
        }
        symlink(at("missing"), at("d.part")).unwrap();
        write(folder.path(), "a", b"new").unwrap();
        create(&at("b"), 0o644).unwrap().write_all(b"new").unwrap();
        write_as(folder.path(), "c", b"new", 0o640, None).unwrap();
        write(folder.path(), "d", b"new").unwrap();
        assert_eq!(fs::read_to_string(&victim).unwrap(), "untouched");
        assert!(!at("missing").exists());
        for (name, mode) in [("a", 0o600), ("b", 0o644), ("c", 0o640), ("d", 0o600)] {
            let about = fs::symlink_metadata(at(name)).unwrap();
            assert!(about.is_file(), "{name}");
            assert_eq!(about.mode() & 0o777, mode, "{name}");
            assert_eq!(fs::read_to_string(at(name)).unwrap(), "new");
            assert!(!at(&format!("{name}.part")).exists());
        }
    }
}
