//! The facts that the checks judge, gathered once. Every fact of a network or a disk has a time limit of its own.

pub mod accounts;
pub mod certificate;
pub mod files;
pub mod machine;
pub mod network;
mod server;
pub mod store;
mod timed;
pub mod unit;

use std::{fs, io, path::Path, thread};

use rustix::process::geteuid;

use self::{
    accounts::{Accounts, ServerUser},
    certificate::CertificateFacts,
    files::{BackupFolder, DataDir, DiskFacts, Listening, NamedFile, PathFacts},
    machine::{Machine, ProcessFacts},
    network::NetworkFacts,
    server::{Asked, with_probes},
    unit::UnitFacts,
};
use super::examine::{RunningFacts, ServerFacts};
use crate::{
    cli::arguments::PACKAGED_CONFIG,
    config::{Config, Fault, Loaded, Origin, Sources},
    kernel::{Clock, Entropy, Timestamp, hex},
    monitoring,
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
    /// The files that the settings name.
    pub named_files: Vec<NamedFile>,
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
    /// Its users and groups.
    pub accounts: Accounts,
    /// The unit of the packages, if the data directory is that of its server.
    pub unit: Option<UnitFacts>,
    /// The process of the running server.
    pub process: Option<ProcessFacts>,
    /// What the store, and the running server, knows; otherwise why it does not say.
    pub server: Result<ServerFacts, String>,
    /// Whether a server runs.
    pub is_running: bool,
    /// Whether this user may not ask the server, nor look whether one runs.
    pub is_denied: bool,
    /// Whether the store could not be opened.
    pub is_unusable: bool,
    /// Whether a repair can copy what is readable of a store that cannot be used.
    pub is_repairable: bool,
    /// Whether the next start upgrades the store.
    pub needs_upgrade: bool,
}

/// How the settings were read.
#[derive(Clone, Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub struct Configuration {
    /// The file.
    pub file: Option<PathFacts>,
    /// Whether a password is written in the file itself.
    pub has_password: bool,
    /// Whether this user may not read the file, or the folder of that of the packages.
    pub is_denied: bool,
    /// What keeps the server from reading the file: that, or a folder above it.
    pub refused: Option<PathFacts>,
    /// Whether the file names the data directory.
    pub names_data_dir: bool,
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
        // That of the packages counts for those who may not even look for it, and name no data directory.
        let packaged = Some(Path::new(PACKAGED_CONFIG)).filter(|_| loaded.origin("data_dir").is_none());
        let is_denied = sources.file.as_deref().or(packaged).is_some_and(|file| {
            fs::File::open(file).is_err_and(|error| error.kind() == io::ErrorKind::PermissionDenied)
        });
        Self {
            is_denied,
            refused: None,
            names_data_dir: is_in_file("data_dir"),
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

    /// Returns the name of the owner of the data directory.
    pub fn owner(&self) -> String {
        self.accounts.user(self.data.owner())
    }

    /// Returns the name of the group of the data directory.
    pub fn group(&self) -> String {
        self.accounts.group(self.data.group())
    }

    /// Gathers all facts. Changes nothing.
    pub fn gather(sources: &Sources, offline: bool) -> Self {
        let (loaded, faults) = Loaded::as_far_as_valid(sources.clone());
        let mut configuration = Configuration::of(sources, &loaded, faults);
        let config = loaded.config;
        let now = Clock::system().now();
        let token = hex::encode(&Entropy::system().bytes::<16>());
        let data = DataDir::gather(&config.data_dir, now);
        let process = ProcessFacts::of_server(&config.data_dir);
        let asked = Asked::of(&config, &data, &token);
        let Asked { server, is_running, is_denied, is_unusable, is_repairable, needs_upgrade } = asked;
        let process = process.filter(|_| is_running);
        let accounts = Accounts::gather();
        let unit = UnitFacts::gather(&config, &configuration);
        let user = server_user(&data, &accounts, process.as_ref(), unit.as_ref());
        configuration.refused = configuration.file.as_ref().and_then(|file| user.refused_read(&file.path));
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
            named_files: NamedFile::gather(&config, &user),
            backups: BackupFolder::gather(&config, &data, &user, now),
            listening: Listening::gather(&config, is_running),
            certificate: certificate::gather(&config),
            network,
            machine: Machine::gather(),
            accounts,
            unit,
            process,
            server,
            is_running,
            is_denied,
            is_unusable,
            is_repairable,
            needs_upgrade,
            now,
            config,
            configuration,
            data,
        }
    }
}

/// Returns who runs the server: the owner of the data directory, with their groups and those of the process or its unit.
fn server_user(
    data: &DataDir,
    accounts: &Accounts,
    process: Option<&ProcessFacts>,
    unit: Option<&UnitFacts>,
) -> ServerUser {
    let mut groups = accounts.groups_of(data.owner());
    groups.push(data.group());
    groups.extend(process.into_iter().flat_map(|process| process.groups.iter().copied()));
    let of_unit = unit.into_iter().flat_map(|unit| unit.groups.iter());
    groups.extend(of_unit.filter_map(|name| accounts.group_named(name)));
    ServerUser { user: data.owner(), groups, hidden: unit.map(|unit| unit.hidden).unwrap_or_default() }
}
