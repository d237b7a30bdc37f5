//! The data directory, which one process has to itself.

use std::{
    fs::{File, TryLockError},
    io::{Read as _, Seek as _, Write as _},
    os::unix::fs::OpenOptionsExt as _,
    path::{Path, PathBuf},
};

use crate::kernel::{Code, Error, Result, folder};

/// The data directory, held by this process as long as this lives.
#[derive(Debug)]
pub struct Home {
    path: PathBuf,
    _lock: File,
}

impl Home {
    /// Takes the data directory, which is made when missing, readable for its owner only.
    ///
    /// # Errors
    /// `busy`, with the process that holds it; `internal` when it cannot be made.
    pub fn take(path: &Path) -> Result<Self> {
        let failed = |error| Error::internal(format_args!("the data directory {}: {error}", path.display()));
        folder::make(path).map_err(failed)?;
        let mut options = File::options();
        options.read(true).write(true).create(true).truncate(false).mode(0o600);
        let mut lock = options.open(path.join("lock")).map_err(failed)?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(held(&mut lock)),
            Err(TryLockError::Error(error)) => return Err(failed(error)),
        }
        // For people: what holds the directory is the lock, not the number.
        let mut sign = || {
            lock.set_len(0)?;
            lock.rewind()?;
            writeln!(lock, "{}", std::process::id())
        };
        sign().map_err(failed)?;
        Ok(Self { path: path.to_owned(), _lock: lock })
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }
}

fn held(lock: &mut File) -> Error {
    let mut who = String::new();
    let read = lock.take(20).read_to_string(&mut who);
    let who = read.ok().map(|_| who.trim()).filter(|who| !who.is_empty()).unwrap_or("unknown");
    Error::new(Code::Busy).with_detail(format_args!("process {who}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_comes_second_hears_who_holds_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("deep").join("data");
        let home = Home::take(&path).unwrap();
        let second = Home::take(&path).unwrap_err();
        assert_eq!(second.code(), Code::Busy);
        assert_eq!(second.detail(), Some(format!("process {}", std::process::id()).as_str()));
        drop(home);
        Home::take(&path).unwrap();
    }
}
