//! Checks of the server's process.

use super::{Check, Outcome};
use crate::cli::commands::doctor::facts::unit::UnitState;

/// The checks of this group.
pub const CHECKS: &[Check] = &[
    Check {
        id: "server.stopped",
        looks_at: "whether a server runs",
        means: "Until it is started, people cannot work.",
        mend: "systemctl start atrium, or journalctl -u atrium -n 50",
        fix: None,
        find: |facts| {
            if facts.is_running || facts.is_denied {
                return Outcome::Ok;
            }
            match &facts.unit {
                Some(unit) if unit.state == UnitState::Failed => {
                    Outcome::failing(format!("The server failed, and systemd gave it up ({}).", unit.result))
                        .mended_by(1)
                }
                Some(unit) if unit.state == UnitState::Restarting => {
                    Outcome::failing("The server ends soon after each start, and systemd starts it again and again.")
                        .mended_by(1)
                }
                Some(unit) if unit.state == UnitState::Starting => {
                    Outcome::note("The server is starting.").mended_by(1)
                }
                Some(unit) if unit.state == UnitState::Waiting => Outcome::Ok,
                Some(unit) if unit.state == UnitState::Inactive && unit.is_enabled => {
                    Outcome::failing("The server does not run, although its unit is enabled.").mended_by(0)
                }
                _ if facts.data.has_store => Outcome::note("The server does not run.").mended_by(0),
                _ => Outcome::Ok,
            }
        },
    },
    Check {
        id: "server.silent",
        looks_at: "whether the running server answers commands",
        means: "It hangs, or has too much to do.",
        mend: "systemctl restart atrium",
        fix: None,
        find: |facts| match &facts.server {
            Err(why) if facts.is_running && !facts.is_denied => {
                Outcome::failing(format!("The server runs, but {why}."))
            }
            _ => Outcome::Ok,
        },
    },
    Check {
        id: "server.runs_as_root",
        looks_at: "the user who runs the server",
        means: "A fault in the server would be one of the whole machine.",
        mend: "User=atrium in [Service] (systemctl edit atrium)",
        fix: None,
        find: |facts| match &facts.process {
            Some(process) if process.user == 0 => Outcome::warning("The server runs as root."),
            None if !facts.is_running && facts.data.has_store && facts.data.owner() == 0 => {
                Outcome::warning("The data directory belongs to root, so only root can run the server.")
            }
            _ => Outcome::Ok,
        },
    },
];
