//! Checks of the server's process.

use super::{Check, Outcome};

/// The checks of this group.
pub const CHECKS: &[Check] = &[
    Check {
        id: "server.stopped",
        looks_at: "whether a server runs",
        means: "Until it is started, people cannot work.",
        mend: "systemctl start atrium",
        fix: None,
        find: |facts| {
            if facts.is_running || !facts.data.has_store {
                return Outcome::Ok;
            }
            Outcome::note("The server does not run.")
        },
    },
    Check {
        id: "server.silent",
        looks_at: "whether the running server answers commands",
        means: "It hangs, or its control socket belongs to another user.",
        mend: "systemctl restart atrium",
        fix: None,
        find: |facts| match &facts.server {
            Err(why) if facts.is_running => Outcome::failing(format!("The server runs, but {why}.")),
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
