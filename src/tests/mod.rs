//! Tests of the whole server: rules that hold across all features.

mod architecture;
mod asvs;
pub(crate) mod authenticator;
mod contract;
mod damage;
mod disk;
pub(crate) mod document;
mod examples;
mod exhaustion;
mod file_paths;
mod flips;
mod golden;
mod headers;
mod import_and_merge;
mod isolation;
mod mutations;
mod neighbours;
mod permissions;
mod record_model;
mod records;
mod socket;
mod swallowed_errors;
mod visibility;
mod words;
mod world;
mod writes;

use std::{
    fs,
    path::{Path, PathBuf},
};

/// Reads a file of the repository.
fn file(path: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Returns all Rust files below `src`, with their relative paths.
fn sources() -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut found = Vec::new();
    let mut folders = vec![root.clone()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path: PathBuf = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let name = path.strip_prefix(&root).unwrap().to_string_lossy().into_owned();
                found.push((name, fs::read_to_string(&path).unwrap()));
            }
        }
    }
    found.sort();
    found
}
