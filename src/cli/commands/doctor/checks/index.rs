//! Checks of the search index.

use super::{Check, Fix, Outcome, of_server};
use crate::cli::commands::doctor::fix;

/// The checks of this group.
pub const CHECKS: &[Check] = &[
    Check {
        id: "index.missing",
        looks_at: "whether the search index of a stopped server is there",
        means: "The next start builds it; until then, searches find less.",
        mend: "atrium reindex",
        fix: Some(Fix { beside_server: true, run: fix::rebuild_index }),
        find: |facts| {
            if facts.data.has_index || !facts.data.has_store || facts.is_running {
                return Outcome::Ok;
            }
            Outcome::warning("There is no search index.")
        },
    },
    Check {
        id: "index.damaged",
        looks_at: "the checksums of the search index",
        means: "Searches and lists find less, or fail.",
        mend: "atrium reindex",
        fix: Some(Fix { beside_server: true, run: fix::rebuild_index }),
        find: |facts| match &facts.server {
            Ok(server) => match &server.index_damage {
                Some(why) => Outcome::failing(format!("The search index is damaged: {why}.")),
                None if server.has_verified_index => Outcome::Ok,
                None => Outcome::left_out("reading the search index takes too long here; `atrium check` does it"),
            },
            Err(_) => Outcome::left_out("the search index was not read"),
        },
    },
    Check {
        id: "index.behind",
        looks_at: "how many changes the search index lacks",
        means: "Searches and lists do not have what is new.",
        mend: "atrium status --watch",
        fix: None,
        find: |facts| of_server(facts, "index"),
    },
];
