//! Checks of versions.

use super::{Check, Outcome, stopped};

/// The checks of this group.
pub const CHECKS: &[Check] = &[
    Check {
        id: "version.differs",
        looks_at: "the versions of this program and of the running server",
        means: "An upgrade takes effect at the next start.",
        mend: "systemctl restart atrium",
        fix: None,
        find: |facts| {
            if let Some(outcome) = stopped(facts) {
                return outcome;
            }
            let own = env!("CARGO_PKG_VERSION");
            match &facts.server {
                Ok(server) if server.version != own => {
                    Outcome::warning(format!("The server has version {}, this program {own}.", server.version))
                }
                _ => Outcome::Ok,
            }
        },
    },
    Check {
        id: "version.replaced",
        looks_at: "whether the program of the running server was replaced",
        means: "An upgrade takes effect at the next start.",
        mend: "systemctl restart atrium",
        fix: None,
        find: |facts| match &facts.process {
            Some(process) if process.is_replaced => {
                Outcome::warning(format!("The program of process {} was replaced or removed.", process.id))
            }
            _ => Outcome::Ok,
        },
    },
    Check {
        id: "version.debug",
        looks_at: "how this program was built",
        means: "It is several times slower than a release.",
        mend: "make dist",
        fix: None,
        find: |_| {
            if cfg!(debug_assertions) { Outcome::note("This program was built for developers.") } else { Outcome::Ok }
        },
    },
];
