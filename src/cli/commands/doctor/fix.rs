//! What `--fix` does. Nothing here removes or changes data that cannot be had back.

use std::{
    fs::{self, Permissions},
    io,
    os::unix::fs::{MetadataExt as _, PermissionsExt as _, chown},
    path::{Path, PathBuf},
};

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

/// Removes permissions of files and folders.
pub fn remove_mode(paths: Vec<PathBuf>, bits: u32) -> Vec<Mended> {
    let mend = |path: PathBuf| {
        let remove = || {
            let about = fs::symlink_metadata(&path)?;
            let mode = about.mode() & 0o7777 & !bits;
            fs::set_permissions(&path, Permissions::from_mode(mode))?;
            Ok(format!("{} has the mode {mode:o} now.", path.display()))
        };
        said(&path, remove())
    };
    paths.into_iter().map(mend).collect()
}

/// Closes the folder of backups to other users, if it belongs to the server's user.
pub fn close_backups(facts: &Facts) -> Vec<Mended> {
    let Some(folder) = facts.backups.as_ref().and_then(|backups| backups.folder.as_ref()) else { return Vec::new() };
    if folder.user != facts.data.owner() {
        let path = folder.path.display();
        return vec![Err(format!("{path} belongs to another user; the server needs a folder of its own"))];
    }
    remove_mode(vec![folder.path.clone()], 0o077)
}

/// Takes a file with a secret away from users other than its owner and its group, which is that of the server.
pub fn hide(paths: Vec<PathBuf>, facts: &Facts) -> Vec<Mended> {
    let owner = facts.data.owner();
    let group = facts.data.group();
    let mend = |path: PathBuf| {
        let hide = || {
            let about = fs::symlink_metadata(&path)?;
            let mut mode = about.mode() & 0o7770;
            // Otherwise the server could no longer read it.
            if about.uid() != owner {
                if about.gid() != group {
                    chown(&path, None, Some(group))?;
                }
                mode |= 0o040;
            }
            fs::set_permissions(&path, Permissions::from_mode(mode))?;
            Ok(format!("{} has the mode {mode:o} now.", path.display()))
        };
        said(&path, hide())
    };
    paths.into_iter().map(mend).collect()
}

/// Gives files to the owner of the data directory.
pub fn give_to_owner(paths: &[PathBuf], facts: &Facts) -> Vec<Mended> {
    let name = facts.owner();
    let mend = |path: &PathBuf| {
        let given = chown(path, Some(facts.data.owner()), Some(facts.data.group()));
        said(path, given.map(|()| format!("{} belongs to the user {name} now.", path.display())))
    };
    paths.iter().map(mend).collect()
}

/// Creates a folder that belongs to the owner of the data directory.
pub fn make_folder(path: &Path, mode: u32, facts: &Facts) -> Mended {
    let make = || {
        folder::make(path)?;
        fs::set_permissions(path, Permissions::from_mode(mode))?;
        let owner = facts.data.owner();
        if owner != facts.user {
            chown(path, Some(owner), Some(facts.data.group()))?;
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
        let is_folder = fs::symlink_metadata(path).is_ok_and(|about| about.is_dir());
        let removed = if is_folder { fs::remove_dir_all(path) } else { fs::remove_file(path) };
        said(path, removed.map(|()| format!("{} was removed.", path.display())))
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
