//! The checks, one file for each group.

pub mod backup;
pub mod clock;
pub mod configuration;
pub mod disk;
pub mod dns;
pub mod files;
pub mod index;
pub mod jobs;
pub mod kernel;
pub mod limits;
pub mod mail;
pub mod memory;
pub mod network;
pub mod proxy;
pub mod public;
pub mod secrets;
pub mod server;
pub mod sign_in;
pub mod store;
pub mod tls;
pub mod version;

use std::path::{Path, PathBuf};

use url::Url;

use super::{
    facts::{Facts, files::PathFacts, unit::HOMES},
    register::{Check, Fix, Outcome},
};
use crate::{
    config::{Config, ListenAddress},
    monitoring::CheckStatus,
};

/// Names shown of a longer list.
const MAX_SHOWN: usize = 5;

/// The outcome of a check that needs other machines, when they were not asked.
fn offline(facts: &Facts) -> Option<Outcome> {
    facts.offline.then(|| Outcome::left_out("other machines were not asked (--offline)"))
}

/// The outcome of a check that needs the running server, when none runs, or it may not be asked.
fn stopped(facts: &Facts) -> Option<Outcome> {
    if facts.is_denied {
        return Some(Outcome::left_out("this user may not ask the server"));
    }
    (!facts.is_running).then(|| Outcome::left_out("no server runs"))
}

/// Returns the outcome of a health check that the running server makes itself.
fn of_server(facts: &Facts, name: &str) -> Outcome {
    if let Some(outcome) = stopped(facts) {
        return outcome;
    }
    match facts.health_check(name) {
        None => Outcome::left_out("the server did not say"),
        Some(check) if check.status == CheckStatus::Ok => Outcome::Ok,
        Some(check) if check.status == CheckStatus::Warning => Outcome::warning(check.message.clone()),
        Some(check) => Outcome::failing(check.message.clone()),
    }
}

/// Formats paths for a command line.
fn quoted(paths: &[PathBuf]) -> String {
    let quote = |path: &PathBuf| {
        let path = path.display().to_string();
        let is_plain = path.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"/._-+:@".contains(&byte));
        if is_plain { path } else { format!("'{}'", path.replace('\'', r"'\''")) }
    };
    paths.iter().map(quote).collect::<Vec<_>>().join(" ")
}

/// Formats the first of some names, and how many more there are.
fn listed(names: &[String]) -> String {
    let shown = names.iter().take(MAX_SHOWN).cloned().collect::<Vec<_>>().join(", ");
    match names.len().saturating_sub(MAX_SHOWN) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}

fn listed_paths(paths: &[PathBuf]) -> String {
    listed(&paths.iter().map(|path| path.display().to_string()).collect::<Vec<_>>())
}

/// The ways to let the server read files: by their mode, by that of a folder above them, or at another place.
const MAKE_READABLE: &str = "chgrp GROUP FILES && chmod g+r FILES, \
                             or chgrp GROUP FOLDERS && chmod g+rx FOLDERS, \
                             or install -m 0640 -g GROUP FILES /etc/atrium/";

/// Judges files by what keeps the server from reading them.
fn readable<'a>(facts: &Facts, files: impl Iterator<Item = (&'a PathFacts, Option<&'a PathFacts>)>) -> Outcome {
    let way_of = |refused: &PathFacts| match refused {
        file if !file.is_folder => 0,
        // The folder may be that of a group of other programs.
        folder if folder.group == 0 && !is_in_home(&folder.path) => 1,
        _ => 2,
    };
    let refused: Vec<(&PathFacts, &PathFacts)> = files.filter_map(|(file, refused)| Some((file, refused?))).collect();
    let Some((_, first)) = refused.first() else { return Outcome::Ok };
    let way = way_of(first);
    let files: Vec<PathBuf> = refused.iter().map(|(file, _)| file.path.clone()).collect();
    let alike: Vec<&(&PathFacts, &PathFacts)> = refused.iter().filter(|(_, refused)| way_of(refused) == way).collect();
    let mut folders: Vec<PathBuf> = alike.iter().map(|(_, refused)| refused.path.clone()).collect();
    folders.dedup();
    let reason = if way == 0 { String::new() } else { format!(", because of {}", listed_paths(&folders)) };
    Outcome::failing(format!("The user {} may not read {}{reason}.", facts.owner(), listed_paths(&files)))
        .with("FILES", quoted(&alike.iter().map(|(file, _)| file.path.clone()).collect::<Vec<_>>()))
        .with("FOLDERS", quoted(&folders))
        .mended_by(way)
}

fn is_in_home(path: &Path) -> bool {
    HOMES.iter().any(|home| path.starts_with(home))
}

/// Returns the newest backup for a command line, with the passphrase of backups; without a backup, a word for one.
fn newest_backup(facts: &Facts) -> String {
    let newest = facts.backups.as_ref().and_then(|backups| backups.backups.last());
    let newest = newest.map_or_else(|| "BACKUP".to_owned(), |(_, file)| quoted(std::slice::from_ref(&file.path)));
    match &facts.config.backup.passphrase_file {
        Some(file) => format!("{newest} --passphrase-file {}", quoted(std::slice::from_ref(file))),
        None => newest,
    }
}

/// Whether other machines reach the server: it listens at an address of the network.
fn is_reachable(config: &Config) -> bool {
    matches!(&config.listen, ListenAddress::Tcp(address) if !address.ip().is_loopback())
}

/// Whether people reach the installation from other machines.
fn is_public(config: &Config) -> bool {
    let host = config.public_url.as_ref().and_then(Url::host_str);
    is_reachable(config) || host.is_some_and(|host| !is_local_name(host))
}

/// Whether a host is this machine.
fn is_local_name(host: &str) -> bool {
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    host == "localhost" || bare.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
}
