//! Checks of background jobs.

use super::{Check, of_server};

/// The checks of this group.
pub const CHECKS: &[Check] = &[Check {
    id: "jobs.failing",
    looks_at: "whether background jobs fail",
    means: "What they do, such as reminders, imports and cleaning up, is late.",
    mend: "atrium health --json",
    fix: None,
    find: |facts| of_server(facts, "jobs"),
}];
