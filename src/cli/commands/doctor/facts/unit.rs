//! Facts about the unit of the packages, from systemd.

use std::{path::Path, process::Command};

use super::{
    Configuration,
    timed::{DISK_LIMIT, run_within},
};
use crate::{cli::arguments::PACKAGED_DATA, config::Config};

/// The properties that are asked for.
const PROPERTIES: &str = "--property=Id,LoadState,ActiveState,SubState,UnitFileState,Result,NRestarts,ProtectHome,\
                          SupplementaryGroups,ExecStart,Environment";
/// Folders of people, which `ProtectHome` hides, and which are not opened for a server.
pub const HOMES: &[&str] = &["/home", "/root", "/run/user"];

/// The unit whose server has the data directory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UnitFacts {
    /// What it does now.
    pub state: UnitState,
    /// Whether it is started with the machine.
    pub is_enabled: bool,
    /// Why it failed.
    pub result: String,
    /// Folders that it hides from the server.
    pub hidden: &'static [&'static str],
    /// The names of further groups of the server.
    pub groups: Vec<String>,
}

/// What a unit does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum UnitState {
    /// It runs.
    #[default]
    Active,
    /// It starts, as after an upgrade.
    Starting,
    /// It fails again and again.
    Restarting,
    /// It was given up.
    Failed,
    /// It is stopped.
    Inactive,
    /// Its socket waits for a first connection.
    Waiting,
}

impl UnitFacts {
    /// Asks systemd, if there is one; `None` when the data directory is not that of the unit.
    pub fn gather(config: &Config, configuration: &Configuration) -> Option<Self> {
        let mut command = Command::new("systemctl");
        command.args(["show", "atrium.service", "atrium.socket", PROPERTIES]);
        let shown = run_within(DISK_LIMIT, &mut command).ok()?;
        let file = configuration.file.as_ref().filter(|_| configuration.names_data_dir).map(|file| file.path.as_path());
        Self::parse(&shown, &config.data_dir, file)
    }

    /// Parses the properties of the unit and of its socket. `file` is the configuration file that names the data
    /// directory.
    fn parse(shown: &str, data: &Path, file: Option<&Path>) -> Option<Self> {
        let mut blocks = shown.split("\n\n");
        let service = blocks.find(|block| value(block, "Id") == "atrium.service")?;
        let socket = shown.split("\n\n").find(|block| value(block, "Id") == "atrium.socket");
        if value(service, "LoadState") != "loaded" {
            return None;
        }
        let started = format!("{} {}", value(service, "ExecStart"), value(service, "Environment"));
        let names = |path: &Path| started.split([' ', '=', ';', '"']).any(|word| Path::new(word) == path);
        if data != Path::new(PACKAGED_DATA) && !names(data) && !file.is_some_and(names) {
            return None;
        }
        let has_restarted = value(service, "NRestarts").parse().is_ok_and(|count: u32| count > 0);
        let state = match (value(service, "ActiveState"), value(service, "SubState")) {
            ("failed", _) => UnitState::Failed,
            ("activating", "auto-restart" | "auto-restart-queued") => UnitState::Restarting,
            ("activating", _) if has_restarted => UnitState::Restarting,
            ("activating" | "reloading", _) => UnitState::Starting,
            ("inactive", _) if socket.is_some_and(|socket| value(socket, "ActiveState") == "active") => {
                UnitState::Waiting
            }
            ("inactive" | "deactivating", _) => UnitState::Inactive,
            _ => UnitState::Active,
        };
        let hides_homes = ["yes", "tmpfs"].contains(&value(service, "ProtectHome"));
        Some(Self {
            state,
            is_enabled: value(service, "UnitFileState").starts_with("enabled"),
            result: value(service, "Result").to_owned(),
            hidden: if hides_homes { HOMES } else { &[] },
            groups: value(service, "SupplementaryGroups").split_whitespace().map(ToOwned::to_owned).collect(),
        })
    }
}

fn value<'a>(block: &'a str, property: &str) -> &'a str {
    block.lines().find_map(|line| line.strip_prefix(property)?.strip_prefix('=')).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(state: &str, sub: &str, restarts: u32, socket: &str) -> String {
        format!(
            "Result=exit-code\nNRestarts={restarts}\nEnvironment=\"ATRIUM_DATA_DIR=/srv/its data\" X=/srv/other\n\
             ExecStart={{ path=/usr/bin/atrium ; argv[]=/usr/bin/atrium serve --config /etc/atrium/config.toml ; \
             ignore_errors=no }}\nSupplementaryGroups=ssl-cert adm\nProtectHome=yes\nId=atrium.service\n\
             LoadState=loaded\nActiveState={state}\nSubState={sub}\nUnitFileState=enabled\n\n\
             Id=atrium.socket\nLoadState=loaded\nActiveState={socket}\nSubState=dead\n"
        )
    }

    #[test]
    fn reads_the_state_of_the_unit() {
        for (state, sub, restarts, socket, expected) in [
            ("active", "running", 0, "inactive", UnitState::Active),
            ("failed", "failed", 5, "inactive", UnitState::Failed),
            ("activating", "auto-restart", 1, "inactive", UnitState::Restarting),
            ("activating", "start", 2, "inactive", UnitState::Restarting),
            ("activating", "start", 0, "inactive", UnitState::Starting),
            ("inactive", "dead", 0, "inactive", UnitState::Inactive),
            ("inactive", "dead", 0, "active", UnitState::Waiting),
        ] {
            let unit = UnitFacts::parse(&shown(state, sub, restarts, socket), Path::new(PACKAGED_DATA), None);
            let unit = unit.unwrap();
            assert_eq!(unit.state, expected, "{state} {sub}");
            assert_eq!((unit.is_enabled, unit.result.as_str()), (true, "exit-code"));
            assert_eq!((unit.hidden, unit.groups), (HOMES, vec!["ssl-cert".to_owned(), "adm".to_owned()]));
        }
    }

    #[test]
    fn a_unit_of_another_data_directory_does_not_count() {
        let text = shown("failed", "failed", 0, "inactive");
        let is_its =
            |data: &str, file: Option<&str>| UnitFacts::parse(&text, Path::new(data), file.map(Path::new)).is_some();
        assert!(is_its("/var/lib/atrium", None) && is_its("/srv/other", None));
        assert!(is_its("/srv/data", Some("/etc/atrium/config.toml")));
        assert!(!is_its("/srv/data", None) && !is_its("/srv/data", Some("/etc/atrium/other.toml")));
        assert_eq!(UnitFacts::parse(&text.replace("=loaded", "=not-found"), Path::new(PACKAGED_DATA), None), None);
        assert_eq!(UnitFacts::parse("", Path::new(PACKAGED_DATA), None), None);
    }
}
