//! What `--fix` does. Nothing here removes or changes data that cannot be had back.

use std::{
    fs::{self, Permissions},
    io,
    os::{
        fd::{AsRawFd as _, OwnedFd},
        unix::fs::{PermissionsExt as _, chown},
    },
    path::{Path, PathBuf},
    slice,
};

use rustix::fs::{FileType, Mode, OFlags, ResolveFlags, Stat, fstat, open, openat2};
use serde_json::Value;

use super::facts::{Facts, files::PathFacts, store::as_user};
use crate::{
    cli::{answer::Answer, client, command::Command},
    features::operator::remove_temp_file,
    kernel::folder,
    store::Home,
};

/// What was done, or why it could not be.
type Mended = Result<String, String>;

fn said(path: &Path, done: io::Result<String>) -> Mended {
    done.map_err(|error| format!("{}: {error}", path.display()))
}

/// An entry, held by a descriptor: what is changed is what was looked at, even if something else takes its name by then.
/// Root runs this in folders where other users may write.
struct Held {
    entry: OwnedFd,
    about: Stat,
}

impl Held {
    /// Opens an entry in a folder, or the folder itself, without following symbolic links below the folder.
    fn below(folder: &Path, path: &Path) -> io::Result<Self> {
        let name = path.strip_prefix(folder).map_err(io::Error::other)?;
        let base = open(folder, OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?;
        let entry = if name.as_os_str().is_empty() {
            base
        } else {
            let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
            openat2(&base, name, flags, Mode::empty(), ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS)?
        };
        let about = fstat(&entry)?;
        if FileType::from_raw_mode(about.st_mode) == FileType::Symlink {
            return Err(io::Error::other("it is a symbolic link; look at what it leads to"));
        }
        Ok(Self { entry, about })
    }

    /// Opens a file that a setting names, if only trusted users can have put it there.
    fn named(path: &Path, trusted: &[u32]) -> io::Result<Self> {
        let folder = path.parent().unwrap_or(Path::new("/"));
        let place = Self::below(folder, folder)?;
        let file = Self::below(folder, path)?;
        let is_trusted = |held: &Self| trusted.contains(&held.about.st_uid);
        if !is_trusted(&place) || place.mode() & 0o022 != 0 || !is_trusted(&file) {
            return Err(io::Error::other("it belongs to another user, or lies where other users may write"));
        }
        Ok(file)
    }

    const fn mode(&self) -> u32 {
        self.about.st_mode & 0o7777
    }

    /// A path that leads to what is held.
    fn path(&self) -> String {
        format!("/proc/self/fd/{}", self.entry.as_raw_fd())
    }

    fn set_mode(&self, mode: u32) -> io::Result<()> {
        fs::set_permissions(self.path(), Permissions::from_mode(mode))
    }

    /// Removes permissions, and says so of a path.
    fn remove_mode(&self, bits: u32, path: &Path) -> io::Result<String> {
        let mode = self.mode() & !bits;
        self.set_mode(mode)?;
        Ok(format!("{} has the mode {mode:o} now.", path.display()))
    }

    fn give(&self, user: Option<u32>, group: u32) -> io::Result<()> {
        chown(self.path(), user, Some(group))
    }
}

/// Removes permissions of entries of a folder, or of the folder itself.
pub fn remove_mode(folder: &Path, paths: &[PathBuf], bits: u32) -> Vec<Mended> {
    let remove = |path: &PathBuf| Held::below(folder, path)?.remove_mode(bits, path);
    paths.iter().map(|path| said(path, remove(path))).collect()
}

/// Closes the folder of backups to other users, if it belongs to the server's user.
pub fn close_backups(facts: &Facts) -> Vec<Mended> {
    let Some(folder) = facts.backups.as_ref().and_then(|backups| backups.folder.as_ref()) else { return Vec::new() };
    if folder.user != facts.data.owner() {
        let path = folder.path.display();
        return vec![Err(format!("{path} belongs to another user; the server needs a folder of its own"))];
    }
    remove_mode(&folder.path, slice::from_ref(&folder.path), 0o077)
}

/// Takes a file that a setting names away from users other than its owner and the server's group: they can neither read
/// nor change it.
pub fn hide(paths: &[PathBuf], facts: &Facts) -> Vec<Mended> {
    let owner = facts.data.owner();
    let trusted = [0, facts.user, owner];
    paths.iter().map(|path| said(path, hide_file(path, &trusted, owner, facts.data.group()))).collect()
}

fn hide_file(path: &Path, trusted: &[u32], owner: u32, group: u32) -> io::Result<String> {
    let held = Held::named(path, trusted)?;
    let mut mode = held.mode() & 0o7740;
    // The server reads it by its group, which gets it only when it cannot change it any more.
    if held.about.st_uid != owner {
        held.set_mode(mode & 0o7700)?;
        if held.about.st_gid != group {
            held.give(None, group)?;
        }
        mode |= 0o040;
    }
    held.set_mode(mode)?;
    Ok(format!("{} has the mode {mode:o} now.", path.display()))
}

/// Takes the right to change the file that a setting names away from users other than its owner.
pub fn keep_unchanged(paths: &[PathBuf], facts: &Facts) -> Vec<Mended> {
    let trusted = [0, facts.user, facts.data.owner()];
    let keep = |path: &PathBuf| Held::named(path, &trusted)?.remove_mode(0o022, path);
    paths.iter().map(|path| said(path, keep(path))).collect()
}

/// Gives entries of the data directory to its owner.
pub fn give_to_owner(paths: &[PathBuf], facts: &Facts) -> Vec<Mended> {
    let name = facts.owner();
    let mend = |path: &PathBuf| {
        let give = || {
            let held = Held::below(&facts.data.path, path)?;
            // Another name of a file may lie where it belongs to that user.
            if FileType::from_raw_mode(held.about.st_mode) == FileType::RegularFile && held.about.st_nlink > 1 {
                return Err(io::Error::other("it has a second name elsewhere"));
            }
            held.give(Some(facts.data.owner()), facts.data.group())?;
            Ok(format!("{} belongs to the user {name} now.", path.display()))
        };
        said(path, give())
    };
    paths.iter().map(mend).collect()
}

/// Creates a folder that belongs to the owner of the data directory.
pub fn make_folder(path: &Path, mode: u32, facts: &Facts) -> Mended {
    let make = || {
        folder::make(path)?;
        let held = Held::below(path.parent().unwrap_or(Path::new("/")), path)?;
        held.set_mode(mode)?;
        let owner = facts.data.owner();
        if owner != facts.user {
            held.give(Some(owner), facts.data.group())?;
        }
        Ok(format!("{} was created.", path.display()))
    };
    said(path, make())
}

/// Removes unfinished files and folders, and sockets, of a data directory that no program uses.
pub fn remove_files(paths: &[PathBuf], facts: &Facts) -> Vec<Mended> {
    // A command may be restoring a backup.
    let _held = match Home::hold(&facts.data.path) {
        Ok(held) => held,
        Err(error) => {
            let who = error.detail().unwrap_or_default();
            return vec![Err(format!("the data directory is in use ({who})"))];
        }
    };
    let mend = |path: &PathBuf| {
        let remove = || {
            let folder = path.parent().unwrap_or(Path::new("/"));
            let base = if folder.starts_with(&facts.data.path) { &facts.data.path } else { folder };
            let name = path.file_name().unwrap_or_default();
            let place = Held::below(base, folder)?;
            let entry = Path::new(&place.path()).join(name);
            let is_folder = fs::symlink_metadata(&entry)?.is_dir();
            if is_folder { fs::remove_dir_all(&entry) } else { fs::remove_file(&entry) }?;
            Ok(format!("{} was removed.", path.display()))
        };
        said(path, remove())
    };
    paths.iter().map(mend).collect()
}

/// Removes unfinished backups, except those that a program is writing.
pub fn remove_temp_files(paths: Option<&[PathBuf]>) -> Vec<Mended> {
    let mend = |path: &PathBuf| {
        let removed = remove_temp_file(path).map(|()| {
            if path.exists() {
                format!("{} is in use, and stays.", path.display())
            } else {
                format!("{} was removed.", path.display())
            }
        });
        said(path, removed)
    };
    paths.unwrap_or_default().iter().map(mend).collect()
}

/// Rebuilds the search index, in the running server if there is one.
pub fn rebuild_index(facts: &Facts) -> Vec<Mended> {
    if let Some(data) = facts.data.folder.as_ref().filter(|data| facts.user == 0 && data.user != 0 && !facts.is_running)
    {
        return vec![rebuild_as_owner(data)];
    }
    let rebuilt = match client::run(&facts.config, Command::Reindex, client::WAIT) {
        Ok(Answer::Reindexed(index)) => Ok(format!("The search index was rebuilt: {} documents.", index.documents)),
        Ok(_) => Err("the search index: an answer to another command".to_owned()),
        Err(failure) => Err(format!("the search index: {failure}")),
    };
    vec![rebuilt]
}

/// Rebuilds the search index as the owner of the data directory, whom its files must belong to.
fn rebuild_as_owner(data: &PathFacts) -> Mended {
    let output = as_user(data).args(["reindex", "--json"]).output();
    let output = output.map_err(|error| format!("the search index: {error}"))?;
    let answer: Option<Value> = serde_json::from_slice(&output.stdout).ok();
    match answer.and_then(|answer| answer["documents"].as_u64()) {
        Some(documents) => Ok(format!("The search index was rebuilt: {documents} documents.")),
        None => Err(format!("the search index: {}", String::from_utf8_lossy(&output.stderr).trim())),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{MetadataExt as _, symlink};

    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().mode() & 0o7777
    }

    /// A folder with a file that everyone may change, and beside it a folder with links to both.
    fn place() -> (tempfile::TempDir, PathBuf, PathBuf) {
        let place = tempfile::tempdir().unwrap();
        let theirs = place.path().join("theirs");
        let ours = place.path().join("ours");
        for folder in [&theirs, &ours] {
            fs::create_dir(folder).unwrap();
            fs::set_permissions(folder, Permissions::from_mode(0o755)).unwrap();
        }
        fs::write(theirs.join("file"), "x").unwrap();
        fs::set_permissions(theirs.join("file"), Permissions::from_mode(0o666)).unwrap();
        symlink(&theirs, ours.join("folder")).unwrap();
        symlink(theirs.join("file"), ours.join("link")).unwrap();
        (place, theirs, ours)
    }

    #[test]
    fn nothing_behind_a_symbolic_link_is_changed() {
        let (_place, theirs, ours) = place();
        let own = fs::metadata(&ours).unwrap();
        for path in [ours.join("link"), ours.join("folder").join("file")] {
            let mended = remove_mode(&ours, slice::from_ref(&path), 0o077);
            assert!(mended[0].is_err(), "{mended:?}");
            assert!(hide_file(&ours.join("link"), &[own.uid()], own.uid(), own.gid()).is_err());
        }
        assert_eq!(mode(&theirs.join("file")), 0o666);
    }

    #[test]
    fn secrets_are_hidden_only_where_nobody_else_may_write() {
        let (_place, theirs, _) = place();
        let own = fs::metadata(&theirs).unwrap();
        let file = theirs.join("file");
        let hide = |trusted: u32| hide_file(&file, &[trusted], own.uid(), own.gid());
        assert!(hide(own.uid() + 1).is_err());
        fs::set_permissions(&theirs, Permissions::from_mode(0o777)).unwrap();
        assert!(hide(own.uid()).is_err());
        assert_eq!(mode(&file), 0o666);
        fs::set_permissions(&theirs, Permissions::from_mode(0o755)).unwrap();
        hide(own.uid()).unwrap();
        assert_eq!(mode(&file), 0o640);
        // A file of root that the server reads by its group, which may not change it.
        fs::set_permissions(&file, Permissions::from_mode(0o666)).unwrap();
        hide_file(&file, &[own.uid()], own.uid() + 1, own.gid()).unwrap();
        assert_eq!(mode(&file), 0o640);
    }
}
