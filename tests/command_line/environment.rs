//! Tests that depend on the machine would fail beside a running server, with variables set, or in another country: the
//! programs that tests start get no variables from it, and addresses are theirs alone.

use std::{
    collections::BTreeSet,
    fs,
    net::{TcpListener, TcpStream},
    path::{Path, PathBuf},
};

use crate::machine::{
    free_address::FreeAddress,
    program::{KEPT, SET, program},
};

#[test]
fn programs_get_no_variables_of_who_runs_the_tests() {
    let shown = String::from_utf8(program("env").output().unwrap().stdout).unwrap();
    let names: BTreeSet<&str> = shown.lines().filter_map(|line| Some(line.split_once('=')?.0)).collect();
    // Cargo gives tests many variables.
    assert!(std::env::vars_os().count() > names.len());
    let allowed: BTreeSet<&str> = KEPT.into_iter().chain(SET.map(|(name, _)| name)).collect();
    assert!(names.is_subset(&allowed) && names.contains("PATH"), "{names:?}");
}

#[test]
fn free_addresses_refuse_connections_and_are_given_to_no_other_program() {
    let free = FreeAddress::reserve();
    assert!(TcpStream::connect(*free).is_err());
    let others: Vec<TcpListener> = (0..200).map(|_| TcpListener::bind("127.0.0.1:0").unwrap()).collect();
    assert!(others.iter().all(|other| other.local_addr().unwrap() != *free));
    // The server under test can listen there.
    let server = TcpListener::bind(*free).unwrap();
    assert!(TcpStream::connect(*free).is_ok());
    drop(server);
}

/// Returns the Rust files below a folder.
fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let files = entries.flat_map(|path| if path.is_dir() { rust_files(&path) } else { vec![path] });
    files.filter(|path| path.extension().is_some_and(|end| end == "rs")).collect()
}

/// The lines of a file that belong to tests.
fn test_lines(root: &Path, file: &Path) -> Vec<String> {
    let text = fs::read_to_string(file).unwrap();
    let within = file.strip_prefix(root).unwrap().to_string_lossy().into_owned();
    let is_test = within.starts_with("tests/") || within.contains("/tests") || within.ends_with("_tests.rs");
    let before = if is_test { 0 } else { text.lines().take_while(|line| *line != "#[cfg(test)]").count() };
    text.lines().skip(before).map(str::to_owned).collect()
}

#[test]
fn tests_reach_the_machine_in_one_way() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let files = ["src", "tests"].map(|folder| rust_files(&root.join(folder))).concat();
    let mut found = Vec::new();
    for file in files.iter().filter(|file| !file.starts_with(root.join("tests/machine"))) {
        let name = file.strip_prefix(root).unwrap().display();
        for line in test_lines(root, file) {
            for (part, instead) in [
                (concat!("Command", "::new("), "program()"),
                (concat!("ureq", "::get("), "agent_settings()"),
                (concat!("ureq", "::post("), "agent_settings()"),
                (concat!("Agent", "::config_builder("), "agent_settings()"),
                (concat!(":0\").unwrap()", ".local_addr()"), "FreeAddress"),
                (concat!("0)).unwrap()", ".local_addr()"), "FreeAddress"),
            ] {
                if line.contains(part) {
                    found.push(format!("{name}: use {instead} of tests/machine: {}", line.trim()));
                }
            }
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}
