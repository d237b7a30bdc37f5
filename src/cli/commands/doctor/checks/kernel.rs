//! Checks of the kernel's settings.

use super::{Check, Outcome};

/// Waiting connections below which bursts are refused.
const WAITING_CONNECTIONS: u64 = 1024;
/// Open files of the whole system below which the server may not get its own.
const SYSTEM_FILES: u64 = 65_536;
/// The oldest kernel that is tested.
const OLDEST_KERNEL: (u32, u32) = (5, 10);

/// The checks of this group.
pub const CHECKS: &[Check] = &[
    Check {
        id: "kernel.overcommit",
        looks_at: "vm.overcommit_memory",
        means: "With 2, memory that is only reserved counts, and the server may not get what it needs.",
        mend: "sysctl -w vm.overcommit_memory=0",
        fix: None,
        find: |facts| match facts.machine.overcommit {
            Some(2) => Outcome::warning("vm.overcommit_memory is 2."),
            _ => Outcome::Ok,
        },
    },
    Check {
        id: "kernel.waiting_connections",
        looks_at: "net.core.somaxconn",
        means: "When many people connect at once, the system refuses some.",
        mend: "sysctl -w net.core.somaxconn=4096",
        fix: None,
        find: |facts| match facts.machine.waiting_connections {
            Some(found) if found < WAITING_CONNECTIONS => Outcome::note(format!("net.core.somaxconn is {found}.")),
            _ => Outcome::Ok,
        },
    },
    Check {
        id: "kernel.open_files",
        looks_at: "fs.file-max",
        means: "All programs together may use it up.",
        mend: "sysctl -w fs.file-max=1048576",
        fix: None,
        find: |facts| match facts.machine.open_files {
            Some(found) if found < SYSTEM_FILES => Outcome::warning(format!("fs.file-max is {found}.")),
            _ => Outcome::Ok,
        },
    },
    Check {
        id: "kernel.old",
        looks_at: "the version of the kernel",
        means: "Atrium is not tested with it.",
        mend: "apt full-upgrade",
        fix: None,
        find: |facts| match facts.machine.kernel {
            Some(found) if found < OLDEST_KERNEL => {
                Outcome::note(format!("The kernel is Linux {}.{}.", found.0, found.1))
            }
            _ => Outcome::Ok,
        },
    },
];
