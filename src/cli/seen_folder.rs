//! Folders of files that a command names, which the server opens. A server may be kept apart from the rest of the machine
//! (a unit with a `/tmp` of its own, a container) and see another folder at the same path: others would not find what it
//! wrote there.

use std::{
    fs,
    os::unix::fs::MetadataExt as _,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};

use super::failure::Failure;

/// A folder as this process sees it.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SeenFolder {
    path: PathBuf,
    device: u64,
    inode: u64,
}

impl SeenFolder {
    /// Returns the folder of a file, if it is there.
    pub fn of(file: &Path) -> Option<Self> {
        let path = file.parent()?;
        let found = fs::metadata(path).ok()?;
        Some(Self { path: path.to_owned(), device: found.dev(), inode: found.ino() })
    }

    /// Checks that this process sees the same folder.
    /// Errors: `invalid` if it sees another one, or none.
    pub fn expect_same(&self) -> Result<(), Failure> {
        let found = fs::metadata(&self.path);
        if found.is_ok_and(|found| (found.dev(), found.ino()) == (self.device, self.inode)) {
            return Ok(());
        }
        let folder = self.path.display();
        let text = format!(
            "The running server can't use files in {folder}: it sees another folder there, or none, because its unit or container keeps it apart. Choose a folder that it shares with others, such as /var/backups/atrium."
        );
        Err(Failure::new("invalid", text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_same_folder_is_accepted() {
        let one = tempfile::tempdir().unwrap();
        let other = tempfile::tempdir().unwrap();
        let seen = SeenFolder::of(&one.path().join("a.backup")).unwrap();
        assert_eq!(seen.expect_same(), Ok(()));
        for path in [other.path().to_owned(), one.path().join("missing")] {
            let failure = SeenFolder { path, ..SeenFolder::of(&one.path().join("a.backup")).unwrap() }.expect_same();
            assert_eq!(failure.unwrap_err().code, "invalid");
        }
        assert_eq!(SeenFolder::of(&one.path().join("missing").join("a.backup")), None);
    }
}
