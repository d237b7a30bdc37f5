//! Checks of the store.

use super::{Check, Outcome, newest_backup, of_server};

/// The checks of this group.
pub const CHECKS: &[Check] = &[
    Check {
        id: "store.unusable",
        looks_at: "whether the store of a stopped server can be opened",
        means: "The server cannot start.",
        mend: "atrium restore BACKUP, or atrium repair --from-backup BACKUP --yes",
        fix: None,
        find: |facts| match &facts.server {
            Err(why) if facts.is_unusable && facts.is_repairable => {
                Outcome::failing(format!("The store cannot be read: {why}."))
                    .with("BACKUP", newest_backup(facts))
                    .mended_by(1)
            }
            Err(why) if facts.is_unusable => Outcome::failing(format!("The store cannot be opened: {why}."))
                .with("BACKUP", newest_backup(facts))
                .mended_by(0),
            _ => Outcome::Ok,
        },
    },
    Check {
        id: "store.unknown",
        looks_at: "whether the store of a stopped server could be looked at",
        means: "The checks of companies, of the search index and of damage were left out.",
        mend: "systemctl start atrium",
        fix: None,
        find: |facts| match &facts.server {
            Err(_) if facts.is_denied => Outcome::left_out("this user may not look at it"),
            Err(why) if !facts.is_running && !facts.is_unusable && facts.data.has_store && !facts.needs_upgrade => {
                Outcome::note(format!("The store was not opened: {why}."))
            }
            _ => Outcome::Ok,
        },
    },
    Check {
        id: "store.older",
        looks_at: "whether the store has an older format",
        means: "The next start upgrades a copy, and keeps the former file; it needs as much room again.",
        mend: "atrium backup FILE",
        fix: None,
        find: |facts| {
            if facts.needs_upgrade {
                return Outcome::note("The store has the format of an older version.");
            }
            Outcome::Ok
        },
    },
    Check {
        id: "store.damaged",
        looks_at: "damaged records and uploads that are known",
        means: "They cannot be read until they are repaired.",
        mend: "atrium repair --from-backup BACKUP --yes",
        fix: None,
        find: |facts| {
            let newest = newest_backup(facts);
            if facts.is_running {
                return of_server(facts, "damage").with("BACKUP", newest);
            }
            match &facts.server {
                Ok(server) if server.damaged_rows > 0 => {
                    Outcome::failing(format!("Damaged rows: {}.", server.damaged_rows)).with("BACKUP", newest)
                }
                Ok(_) => Outcome::Ok,
                Err(_) => Outcome::left_out("the store was not opened"),
            }
        },
    },
];
