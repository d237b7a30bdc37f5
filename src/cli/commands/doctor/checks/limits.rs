//! Checks of limits: those of the settings, and those of the system for the server's process.

use super::{Check, Facts, Outcome, is_public};
use crate::{cli::commands::doctor::facts::machine::ProcessLimits, monitoring::size};

/// Open files other than connections.
const OTHER_FILES: u64 = 512;
/// Threads that the server may need.
const THREADS: u64 = 512;
/// The share of memory that the bodies of all requests may take.
const BODIES_SHARE: u64 = 2;

/// The checks of this group.
pub const CHECKS: &[Check] = &[
    Check {
        id: "limits.open_files",
        looks_at: "how many files the server may open, for `limits.connections`",
        means: "At the limit, neither connections nor files can be opened.",
        mend: "LimitNOFILE=NEEDED in [Service] (systemctl edit atrium)",
        fix: None,
        find: |facts| {
            let needed = facts.config.limits.connections as u64 + OTHER_FILES;
            match process_limits(facts).open_files {
                Some(allowed) if allowed < needed => {
                    Outcome::warning(format!("The server may open {allowed} files, and needs up to {needed}."))
                        .with("NEEDED", needed)
                }
                _ => Outcome::Ok,
            }
        },
    },
    Check {
        id: "limits.processes",
        looks_at: "how many threads the server may have",
        means: "At the limit, requests fail.",
        mend: "LimitNPROC=THREADS in [Service] (systemctl edit atrium)",
        fix: None,
        find: |facts| match process_limits(facts).processes {
            Some(allowed) if allowed < THREADS => {
                Outcome::warning(format!("The server may have {allowed} threads.")).with("THREADS", THREADS)
            }
            _ => Outcome::Ok,
        },
    },
    Check {
        id: "limits.file_size",
        looks_at: "whether the size of files is limited",
        means: "When the store reaches the limit, nothing can be saved.",
        mend: "LimitFSIZE=infinity in [Service] (systemctl edit atrium)",
        fix: None,
        find: |facts| match process_limits(facts).file_bytes {
            Some(allowed) => Outcome::warning(format!("A file of the server may have at most {}.", size(allowed))),
            None => Outcome::Ok,
        },
    },
    Check {
        id: "limits.sockets",
        looks_at: "`limits.sockets_per_company` and `limits.connections`",
        means: "One company can use up all connections.",
        mend: "limits.connections = NEEDED",
        fix: None,
        find: |facts| {
            let limits = &facts.config.limits;
            if limits.sockets_per_company < limits.connections {
                return Outcome::Ok;
            }
            let message = format!(
                "A company may have {} devices for live updates, and all together {} connections.",
                limits.sockets_per_company, limits.connections
            );
            Outcome::warning(message).with("NEEDED", limits.sockets_per_company * 2)
        },
    },
    Check {
        id: "limits.per_address",
        looks_at: "`limits.connections_per_address`, if people reach the server from other machines",
        means: "One client can use up all connections.",
        mend: "limits.connections_per_address = 64",
        fix: None,
        find: |facts| {
            if facts.config.limits.connections_per_address > 0 || !is_public(&facts.config) {
                return Outcome::Ok;
            }
            Outcome::warning("The connections of one address are not limited.")
        },
    },
    Check {
        id: "limits.bodies",
        looks_at: "`limits.requests` and `limits.body`, for the memory",
        means: "Large requests at once would use up the memory.",
        mend: "limits.requests = FEWER",
        fix: None,
        find: |facts| {
            let limits = &facts.config.limits;
            let bytes = limits.body.saturating_mul(limits.requests as u64);
            match facts.machine.memory_bytes {
                Some(memory) if bytes > memory / BODIES_SHARE => {
                    let fewer = (memory / BODIES_SHARE / limits.body.max(1)).max(1);
                    let message = format!("The bodies of all requests may take {} of {}.", size(bytes), size(memory));
                    Outcome::warning(message).with("FEWER", fewer)
                }
                _ => Outcome::Ok,
            }
        },
    },
];

/// Returns the limits of the running server, otherwise of this process, which has those of a server that it would start.
fn process_limits(facts: &Facts) -> &ProcessLimits {
    facts.process.as_ref().map_or(&facts.machine.limits, |process| &process.limits)
}
