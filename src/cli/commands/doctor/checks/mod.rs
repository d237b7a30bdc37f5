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

use std::path::PathBuf;

use url::Url;

use super::{
    facts::Facts,
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

/// The outcome of a check that needs the running server, when none runs.
fn stopped(facts: &Facts) -> Option<Outcome> {
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
