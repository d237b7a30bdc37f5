//! The facts that the checks judge, gathered once. Every fact of a network or a disk has a time limit of its own.

pub mod certificate;
pub mod files;
pub mod machine;
pub mod network;
mod timed;

use std::{path::Path, thread};

use rustix::process::geteuid;

use self::{
    certificate::CertificateFacts,
    files::{BackupFolder, DataDir, DiskFacts, Listening, PathFacts, SecretFile},
    machine::{Machine, ProcessFacts},
    network::NetworkFacts,
    timed::within,
};
use super::examine::{Examine, RunningFacts, ServerFacts};
use crate::{
    app::open_store,
    cli::{
        answer::Answer,
        command::Command,
        control::{Request, Response, ask},
    },
    config::{Config, Fault, Loaded, Origin, Sources},
    index::verify_folder,
    kernel::{Clock, Entropy, Timestamp, hex, progress::Progress},
    monitoring,
    store::{Home, needs_upgrade},
};

/// All facts.
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub struct Facts {
    /// When they were gathered.
    pub now: Timestamp,
    /// Whether other machines were not asked.
    pub offline: bool,
    /// The id of the user who runs the command.
    pub user: u32,
    /// The settings, as far as they are valid.
    pub config: Config,
    /// How they were read.
    pub configuration: Configuration,
    /// The data directory.
    pub data: DataDir,
    /// The disk of the data directory.
    pub disk: Option<DiskFacts>,
    /// The files with secrets that the settings name.
    pub secrets: Vec<SecretFile>,
    /// The folder of backups.
    pub backups: Option<BackupFolder>,
    /// Where the server listens.
    pub listening: Listening,
    /// The certificate from files, or why it cannot be used.
    pub certificate: Option<Result<CertificateFacts, String>>,
    /// What other machines say.
    pub network: NetworkFacts,
    /// The machine.
    pub machine: Machine,
    /// The process of the running server.
    pub process: Option<ProcessFacts>,
    /// What the store, and the running server, knows; otherwise why it does not say.
    pub server: Result<ServerFacts, String>,
    /// Whether a server runs.
    pub is_running: bool,
    /// Whether the store could not be opened.
    pub is_unusable: bool,
    /// Whether the next start upgrades the store.
    pub needs_upgrade: bool,
}

/// How the settings were read.
#[derive(Clone, Debug, Default)]
pub struct Configuration {
    /// The file.
    pub file: Option<PathFacts>,
    /// Whether a password is written in the file itself.
    pub has_password: bool,
    /// Whether the data directory is a relative path that no flag gives.
    pub has_relative_data_dir: bool,
    /// What is wrong.
    pub faults: Vec<Fault>,
    /// What has no effect.
    pub warnings: Vec<Fault>,
    /// Variables that set nothing.
    pub unused_variables: Vec<String>,
    /// Every setting, as the file has it.
    pub settings: std::collections::BTreeMap<String, String>,
}

impl Configuration {
    /// Returns the name of the file for the operator.
    pub fn file_name(&self) -> String {
        self.file.as_ref().map_or_else(|| "config.toml".to_owned(), |file| file.path.display().to_string())
    }

    fn of(sources: &Sources, loaded: &Loaded, faults: Vec<Fault>) -> Self {
        let is_in_file = |key: &str| matches!(loaded.origin(key), Some(Origin::File(..)));
        let comes_from_flag = matches!(loaded.origin("data_dir"), Some(Origin::Flag(_)));
        Self {
            file: sources.file.as_deref().and_then(PathFacts::of),
            has_password: is_in_file("mail.password"),
            has_relative_data_dir: loaded.config.data_dir.is_relative() && !comes_from_flag,
            faults,
            warnings: loaded.warnings(),
            unused_variables: loaded.unused_variables.clone(),
            settings: crate::config::shown_settings(&loaded.config),
        }
    }
}

impl Facts {
    /// Returns what the running server says of itself.
    pub fn running(&self) -> Option<&RunningFacts> {
        self.server.as_ref().ok()?.running.as_ref()
    }

    /// Returns a health check of the running server.
    pub fn health_check(&self, name: &str) -> Option<&monitoring::Check> {
        self.running()?.checks.iter().find(|check| check.name == name)
    }

    /// Gathers all facts. Changes nothing.
    pub fn gather(sources: &Sources, offline: bool) -> Self {
        let (loaded, faults) = Loaded::as_far_as_valid(sources.clone());
        let configuration = Configuration::of(sources, &loaded, faults);
        let config = loaded.config;
        let now = Clock::system().now();
        let token = hex::encode(&Entropy::system().bytes::<16>());
        let data = DataDir::gather(&config.data_dir, now);
        let process = ProcessFacts::of_server(&config.data_dir);
        let Asked { server, is_running, is_unusable, needs_upgrade } = Asked::of(&config, &data, &token);
        let process = process.filter(|_| is_running);
        let companies = server.as_ref().map(|facts| facts.companies.as_slice()).unwrap_or_default();
        let (network, disk) = thread::scope(|scope| {
            let disk = scope.spawn(|| data.nearest().and_then(DiskFacts::gather));
            let network = NetworkFacts::gather(&config, companies, &token, is_running, offline);
            (network, disk.join().ok().flatten())
        });
        let server = server.map(|facts| with_probes(facts, &config, &token));
        Self {
            offline,
            user: geteuid().as_raw(),
            disk,
            secrets: SecretFile::gather(&config),
            backups: BackupFolder::gather(&config, &data, now),
            listening: Listening::gather(&config, is_running),
            certificate: certificate::gather(&config),
            network,
            machine: Machine::gather(),
            process,
            server,
            is_running,
            is_unusable,
            needs_upgrade,
            now,
            config,
            configuration,
            data,
        }
    }
}

/// What a running server, or the store of a stopped one, answered.
struct Asked {
    server: Result<ServerFacts, String>,
    is_running: bool,
    is_unusable: bool,
    needs_upgrade: bool,
}

impl Asked {
    fn of(config: &Config, data: &DataDir, token: &str) -> Self {
        let closed = |why: &str| Self {
            server: Err(why.to_owned()),
            is_running: false,
            is_unusable: false,
            needs_upgrade: false,
        };
        match request(config, Some(token), true) {
            Ok(Some(facts)) => {
                return Self { server: Ok(facts), is_running: true, is_unusable: false, needs_upgrade: false };
            }
            Ok(None) => {}
            Err(why) => return Self { is_running: true, ..closed(&why) },
        }
        // Opening the data directory would change what the other checks look at.
        if !data.has_store {
            return closed("there is no store yet");
        }
        if data.is_restore_pending {
            return closed("the next start puts a restored backup in place");
        }
        if !data.others.is_empty() || data.folder.as_ref().is_some_and(|folder| folder.mode & 0o077 != 0) {
            return closed("other users have access to the data directory, which opening it would change");
        }
        let folder = config.data_dir.clone();
        let looked = within(timed::DISK_LIMIT, move || look_into(&folder));
        match looked {
            None => closed("opening the store took too long"),
            Some(Ok(Looked::Facts(mut facts))) => {
                let index = data.path.join("index");
                let verified = within(timed::DISK_LIMIT, move || verify_folder(&index).err());
                facts.has_verified_index = verified.is_some();
                facts.index_damage = verified.flatten().map(|error| error.to_string());
                Self { server: Ok(*facts), ..closed("") }
            }
            Some(Ok(Looked::IsOlder)) => Self { needs_upgrade: true, ..closed("the next start upgrades the store") },
            Some(Err((why, is_unusable))) => Self { is_unusable, ..closed(&why) },
        }
    }
}

enum Looked {
    Facts(Box<ServerFacts>),
    /// Opening the store would upgrade it.
    IsOlder,
}

/// Opens the store of a stopped server.
/// Errors: Why it cannot be looked at, and whether the store itself is the reason.
fn look_into(folder: &Path) -> Result<Looked, (String, bool)> {
    let said = |error: &crate::kernel::Error| {
        let detail = error.detail().map(ToOwned::to_owned);
        detail.unwrap_or_else(|| crate::cli::failure::Failure::of(error).message)
    };
    let home = Home::take(folder).map_err(|error| (said(&error), false))?;
    let unusable = |error: crate::kernel::Error| (said(&error), true);
    if needs_upgrade(&home).map_err(unusable)? {
        return Ok(Looked::IsOlder);
    }
    let store = open_store(&home, Clock::system(), Entropy::system()).map_err(unusable)?;
    let facts = ServerFacts::of_store(&store).map_err(unusable)?;
    Ok(Looked::Facts(Box::new(facts)))
}

/// Asks the running server; `None` when none runs. A large search index is left out when it takes too long.
fn request(config: &Config, probe: Option<&str>, verifies_index: bool) -> Result<Option<ServerFacts>, String> {
    let folder = config.data_dir.clone();
    let token = probe.map(ToOwned::to_owned);
    let command = Command::Examine(Examine { probe: token, verifies_index });
    let request_line = Request::new(command, false);
    match within(timed::DISK_LIMIT, move || ask(&folder, &request_line, &Progress::default())) {
        None if verifies_index => request(config, probe, false),
        None => Err("it does not answer commands".to_owned()),
        Some(Err(error)) => Err(format!("its control socket: {error}")),
        Some(Ok(Some(Response::Done(answer)))) => match *answer {
            Answer::Examined(facts) => Ok(Some(*facts)),
            _ => Err("it answers another command".to_owned()),
        },
        Some(Ok(Some(Response::Failed(failure)))) => Err(failure.message),
        Some(Ok(Some(Response::Progress(_)))) => Err("it answers with progress alone".to_owned()),
        Some(Ok(Some(Response::Stopping))) => Err("it is stopping".to_owned()),
        Some(Ok(None)) => Ok(None),
    }
}

/// Adds the requests that arrived at the server since it was asked first.
fn with_probes(mut facts: ServerFacts, config: &Config, token: &str) -> ServerFacts {
    if let Some(running) = &mut facts.running
        && let Ok(Some(again)) = request(config, Some(token), false)
    {
        running.probes = again.running.map(|running| running.probes).unwrap_or_default();
    }
    facts
}
