//! Checks of the settings and of their file.

use super::{Check, Facts, Fix, MAKE_READABLE, Outcome, listed, readable};
use crate::{
    cli::commands::doctor::fix,
    config::{Fault, LogLevel, Origin},
};

/// The checks of this group.
pub const CHECKS: &[Check] = &[
    Check {
        id: "configuration.denied",
        looks_at: "whether this user may read the configuration file",
        means: "Its settings are not known, so the other checks looked at those that apply without it.",
        mend: "sudo atrium doctor",
        fix: None,
        find: |facts| {
            if facts.configuration.is_denied {
                return Outcome::failing("This user may not read the configuration file.");
            }
            Outcome::Ok
        },
    },
    Check {
        id: "configuration.unreadable",
        looks_at: "whether the owner of the data directory may read the configuration file, and the files in it that are no secrets",
        means: "The server does not start, or does not do what they are for.",
        mend: MAKE_READABLE,
        fix: None,
        find: |facts| {
            let own = facts.configuration.file.iter().map(|file| (file, facts.configuration.refused.as_ref()));
            let others = facts.named_files.iter().filter(|named| !named.is_secret);
            readable(facts, own.chain(others.map(|named| (&named.file, named.refused.as_ref()))))
        },
    },
    Check {
        id: "configuration.faults",
        looks_at: "the values of all settings",
        means: "The server does not start with them.",
        mend: "atrium config check --config CONFIG",
        fix: None,
        find: |facts| {
            let faults: Vec<&Fault> = all_faults(facts, false);
            faulty(&faults)
        },
    },
    Check {
        id: "configuration.languages",
        looks_at: "the files in the folder of `languages`",
        means: "The server does not start with a faulty translation.",
        mend: "correct the file, or move it out of FOLDER",
        fix: None,
        find: |facts| {
            let faults: Vec<&Fault> = all_faults(facts, true);
            let folder = facts.config.languages.as_ref().map(|folder| folder.display().to_string());
            faulty(&faults).with("FOLDER", folder.unwrap_or_default())
        },
    },
    Check {
        id: "configuration.ineffective",
        looks_at: "settings that another one makes ineffective",
        means: "The server ignores what they say.",
        mend: "atrium config show --config CONFIG",
        fix: None,
        find: |facts| {
            let found = facts.configuration.warnings.iter().filter(|fault| fault.key != "backup.folder");
            let found: Vec<String> = found.map(ToString::to_string).collect();
            if found.is_empty() { Outcome::Ok } else { Outcome::warning(format!("{}.", found.join("; "))) }
        },
    },
    Check {
        id: "configuration.unused_variables",
        looks_at: "environment variables that begin with ATRIUM_ and name no setting",
        means: "They may be misspelled settings, which have no effect.",
        mend: "unset NAMES",
        fix: None,
        find: |facts| {
            let names = &facts.configuration.unused_variables;
            if names.is_empty() {
                return Outcome::Ok;
            }
            Outcome::warning(format!("No setting has the name {}.", listed(names))).with("NAMES", names.join(" "))
        },
    },
    Check {
        id: "configuration.file_open",
        looks_at: "who may read the configuration file, if a password is in it",
        means: "Every user of the machine can sign in to the mail server with it.",
        mend: "chgrp GROUP CONFIG && chmod g+r,o-rwx CONFIG",
        fix: Some(Fix { beside_server: true, run: |facts| fix::hide(&config_file(facts), facts) }),
        find: |facts| match &facts.configuration.file {
            Some(file) if facts.configuration.has_password && file.is_for_everyone() => {
                Outcome::failing(format!("Every user may read {}, which has a password.", file.path.display()))
            }
            _ => Outcome::Ok,
        },
    },
    Check {
        id: "configuration.file_writable",
        looks_at: "who may change the configuration file",
        means: "Who changes it decides where the server writes, and whom it trusts.",
        mend: "chmod go-w CONFIG",
        fix: Some(Fix { beside_server: true, run: |facts| fix::keep_unchanged(&config_file(facts), facts) }),
        find: |facts| match &facts.configuration.file {
            Some(file) if file.is_writable_by_others() => {
                Outcome::warning(format!("Users other than its owner may change {}.", file.path.display()))
            }
            _ => Outcome::Ok,
        },
    },
    Check {
        id: "configuration.relative_data_dir",
        looks_at: "whether `data_dir` is an absolute path",
        means: "Started in another folder, the server would have no data.",
        mend: "data_dir = \"DATA\"",
        fix: None,
        find: |facts| {
            if !facts.configuration.has_relative_data_dir || facts.configuration.file.is_none() {
                return Outcome::Ok;
            }
            let folder = facts.config.data_dir.display();
            Outcome::warning(format!("data_dir is {folder}, below the folder in which the server is started."))
        },
    },
    Check {
        id: "configuration.verbose_log",
        looks_at: "`log.level`",
        means: "It takes time and room.",
        mend: "log.level = \"info\"",
        fix: None,
        find: |facts| match facts.config.log.level {
            level @ (LogLevel::Debug | LogLevel::Trace) => {
                Outcome::note(format!("The log has the level {}.", level.config_value()))
            }
            _ => Outcome::Ok,
        },
    },
    Check {
        id: "configuration.restart_needed",
        looks_at: "whether the running server has the settings of the file",
        means: "Changed settings take effect at the next start.",
        mend: "systemctl restart atrium",
        fix: None,
        find: |facts| {
            let Some(server) = facts.running() else { return Outcome::left_out("no server runs") };
            // Mail, log and languages are reloaded, and a free port is chosen at the start.
            let is_reloaded = |key: &str| {
                ["mail.", "log.", "languages"].iter().any(|start| key.starts_with(start))
                    || (key == "listen" && facts.config.listen.takes_any_port())
            };
            let settings = &facts.configuration.settings;
            let differs = |(key, value): &(&String, &String)| settings.get(*key) != Some(*value) && !is_reloaded(key);
            let changed: Vec<String> = server.settings.iter().filter(differs).map(|(key, _)| key.clone()).collect();
            if changed.is_empty() {
                return Outcome::Ok;
            }
            Outcome::warning(format!("The running server has other values of {}.", listed(&changed)))
        },
    },
];

fn all_faults(facts: &Facts, of_languages: bool) -> Vec<&Fault> {
    let is_of_file = |fault: &Fault| fault.key.is_empty() && matches!(fault.origin, Origin::File(_, 0));
    let faults = facts.configuration.faults.iter().filter(|fault| (fault.key == "languages") == of_languages);
    // That this user may not read the file is a finding of its own.
    faults.filter(|fault| !(facts.configuration.is_denied && is_of_file(fault))).collect()
}

fn faulty(faults: &[&Fault]) -> Outcome {
    if faults.is_empty() {
        return Outcome::Ok;
    }
    let faults: Vec<String> = faults.iter().map(ToString::to_string).collect();
    Outcome::failing(format!("{}.", faults.join("; ")))
}

fn config_file(facts: &Facts) -> Vec<std::path::PathBuf> {
    facts.configuration.file.iter().map(|file| file.path.clone()).collect()
}
