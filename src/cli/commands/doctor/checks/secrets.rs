//! Checks of the files with secrets.

use std::path::PathBuf;

use super::{Check, Facts, Fix, MAKE_READABLE, Outcome, quoted, readable};
use crate::cli::commands::doctor::fix;

/// Declares the check of who may read a file.
macro_rules! private {
    ($id:literal, $key:literal, $means:literal) => {
        Check {
            id: $id,
            looks_at: concat!("who may read the file of `", $key, "`"),
            means: $means,
            mend: "chgrp GROUP FILE && chmod g+r,o-rwx FILE",
            fix: Some(Fix { beside_server: true, run: |facts| fix::hide(&file(facts, $key), facts) }),
            find: |facts| is_private(facts, $key),
        }
    };
}

/// The checks of this group.
pub const CHECKS: &[Check] = &[
    private!(
        "secrets.mail_password",
        "mail.password_file",
        "Every user of the machine can sign in to the mail server with it."
    ),
    private!("secrets.passphrase", "backup.passphrase_file", "Every user of the machine can open backups with it."),
    private!(
        "secrets.token",
        "metrics.token_file",
        "Every user of the machine can read the operator's figures with it."
    ),
    private!("secrets.tls_key", "tls.key", "Every user of the machine can pretend to be the server."),
    Check {
        id: "secrets.unreadable",
        looks_at: "whether the owner of the data directory may read the files with secrets",
        means: "The server does not start.",
        mend: MAKE_READABLE,
        fix: None,
        find: |facts| {
            let secrets = facts.named_files.iter().filter(|named| named.is_secret);
            readable(facts, secrets.map(|named| (&named.file, named.refused.as_ref())))
        },
    },
    Check {
        id: "secrets.passphrase_beside_backups",
        looks_at: "whether the passphrase of backups lies beside them",
        means: "Who gets the backups gets the passphrase as well.",
        mend: "backup.passphrase_file = \"/etc/atrium/passphrase\"",
        fix: None,
        find: |facts| {
            let Some(folder) = &facts.config.backup.folder else { return Outcome::Ok };
            match &facts.config.backup.passphrase_file {
                Some(file) if file.starts_with(folder) => {
                    Outcome::warning(format!("{} is in the folder of the backups.", file.display()))
                }
                _ => Outcome::Ok,
            }
        },
    },
];

fn file(facts: &Facts, key: &str) -> Vec<PathBuf> {
    facts.named_files.iter().filter(|secret| secret.key == key).map(|secret| secret.file.path.clone()).collect()
}

fn is_private(facts: &Facts, key: &str) -> Outcome {
    match facts.named_files.iter().find(|secret| secret.key == key && secret.file.is_for_everyone()) {
        Some(secret) => {
            let message = format!("Every user may read {} ({key}).", secret.file.path.display());
            Outcome::failing(message).with("FILE", quoted(std::slice::from_ref(&secret.file.path)))
        }
        None => Outcome::Ok,
    }
}
