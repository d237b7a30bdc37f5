//! Checks of the files in the data directory.

use super::{Check, Fix, Outcome, listed, listed_paths, newest_backup, quoted};
use crate::cli::commands::doctor::fix;

/// The checks of this group.
pub const CHECKS: &[Check] = &[
    Check {
        id: "files.no_installation",
        looks_at: "whether the data directory has an installation",
        means: "The first start creates one.",
        mend: "systemctl start atrium",
        fix: None,
        find: |facts| {
            if facts.data.has_parts || facts.is_denied {
                return Outcome::Ok;
            }
            Outcome::note(format!("{} has no installation yet.", facts.data.path.display()))
        },
    },
    Check {
        id: "files.no_folder",
        looks_at: "whether the data directory is a folder",
        means: "The server cannot start.",
        mend: "data_dir = \"/var/lib/atrium\"",
        fix: None,
        find: |facts| match &facts.data.folder {
            Some(folder) if !folder.is_folder => {
                Outcome::failing(format!("{} is not a folder.", facts.data.path.display()))
            }
            _ => Outcome::Ok,
        },
    },
    Check {
        id: "files.store_missing",
        looks_at: "whether the store is there, if other parts of an installation are",
        means: "Its disk is not mounted, or it was removed; the server refuses to start with an empty one.",
        mend: "atrium restore BACKUP",
        fix: None,
        find: |facts| {
            if facts.data.has_store || !facts.data.has_parts {
                return Outcome::Ok;
            }
            let found = Outcome::failing(format!("{} has no store.redb.", facts.data.path.display()));
            found.with("BACKUP", newest_backup(facts))
        },
    },
    Check {
        id: "files.data_dir_mode",
        looks_at: "who has access to the data directory",
        means: "The server refuses to start while other users may enter it.",
        mend: "chmod 700 DATA",
        fix: Some(Fix {
            beside_server: true,
            run: |facts| fix::remove_mode(&facts.data.path, std::slice::from_ref(&facts.data.path), 0o077),
        }),
        find: |facts| match &facts.data.folder {
            Some(folder) if folder.is_folder && folder.mode & 0o077 != 0 && facts.data.has_parts => {
                let message = format!("Other users may enter {} (mode {:o}).", facts.data.path.display(), folder.mode);
                Outcome::failing(message)
            }
            _ => Outcome::Ok,
        },
    },
    Check {
        id: "files.data_dir_owner",
        looks_at: "whether the data directory belongs to the user who runs this command, or the command runs as root",
        means: "This user can neither start the server nor send it commands, and most checks were left out.",
        mend: "sudo atrium doctor",
        fix: None,
        find: |facts| {
            let folder = facts.data.path.display();
            if facts.user == 0 {
                return Outcome::Ok;
            }
            match &facts.data.folder {
                Some(found) if found.user != facts.user => {
                    Outcome::failing(format!("{folder} belongs to the user {}.", facts.owner()))
                }
                _ if facts.is_denied => Outcome::failing(format!("This user may not ask the server of {folder}.")),
                _ => Outcome::Ok,
            }
        },
    },
    Check {
        id: "files.open",
        looks_at: "who has access to the files in the data directory",
        means: "Other users may read what companies wrote.",
        mend: "chmod -R go-rwx DATA",
        fix: Some(Fix {
            beside_server: true,
            run: |facts| fix::remove_mode(&facts.data.path, &facts.data.others, 0o077),
        }),
        find: |facts| {
            let others = &facts.data.others;
            if others.is_empty() {
                return Outcome::Ok;
            }
            Outcome::failing(format!("Other users have access to {}.", listed_paths(others)))
        },
    },
    Check {
        id: "files.foreign",
        looks_at: "whether all files in the data directory belong to its owner",
        means: "The server cannot write them. Commands that root ran while the server was stopped leave such files.",
        mend: "chown -R OWNER DATA",
        fix: Some(Fix { beside_server: true, run: |facts| fix::give_to_owner(&facts.data.foreign, facts) }),
        find: |facts| {
            let foreign = &facts.data.foreign;
            if foreign.is_empty() {
                return Outcome::Ok;
            }
            Outcome::failing(format!("{} belong to another user than the folder.", listed_paths(foreign)))
        },
    },
    Check {
        id: "files.leftovers",
        looks_at: "unfinished files that have not been changed for an hour",
        means: "They take room, and nothing will finish them.",
        mend: "rm -r FILES",
        fix: Some(Fix { beside_server: false, run: |facts| fix::remove_files(&facts.data.leftovers, facts) }),
        find: |facts| {
            let leftovers = &facts.data.leftovers;
            if leftovers.is_empty() {
                return Outcome::Ok;
            }
            Outcome::note(format!("Interrupted work left {}.", listed_paths(leftovers)))
                .with("FILES", quoted(leftovers))
        },
    },
    Check {
        id: "files.control_socket",
        looks_at: "whether the control socket belongs to a running server",
        means: "A server that was killed left it; the next start replaces it.",
        mend: "rm DATA/control.sock",
        fix: Some(Fix {
            beside_server: false,
            run: |facts| fix::remove_files(&[facts.data.path.join("control.sock")], facts),
        }),
        find: |facts| {
            if facts.data.has_stale_socket && !facts.is_running {
                return Outcome::note("control.sock is left of a server that has ended.");
            }
            Outcome::Ok
        },
    },
    Check {
        id: "files.replaced",
        looks_at: "data that restored backups and repairs replaced",
        means: "It takes room until it is removed.",
        mend: "rm -r FOLDERS",
        fix: None,
        find: |facts| room(&facts.data.replaced, "Replaced data is kept in", "FOLDERS"),
    },
    Check {
        id: "files.former_store",
        looks_at: "stores of older formats, which upgrades keep",
        means: "They take room. Remove them when the upgrade has proven itself.",
        mend: "rm FILES",
        fix: None,
        find: |facts| room(&facts.data.former_stores, "The store before an upgrade is kept in", "FILES"),
    },
    Check {
        id: "files.unknown",
        looks_at: "files in the data directory that are not Atrium's",
        means: "Backups do not contain them.",
        mend: "mv FILES /another/folder/",
        fix: None,
        find: |facts| {
            let unknown = &facts.data.unknown;
            if unknown.is_empty() || !facts.data.has_parts {
                return Outcome::Ok;
            }
            let paths: Vec<_> = unknown.iter().map(|name| facts.data.path.join(name)).collect();
            Outcome::note(format!("The data directory has {}.", listed(unknown))).with("FILES", quoted(&paths))
        },
    },
    Check {
        id: "files.no_id",
        looks_at: "the file with the installation's id",
        means: "The next start creates another id, and backups with the former one are no longer removed.",
        mend: "systemctl restart atrium",
        fix: None,
        find: |facts| {
            if facts.data.has_no_id && facts.data.has_store {
                return Outcome::warning("The file `installation` is missing or damaged.");
            }
            Outcome::Ok
        },
    },
    Check {
        id: "files.restore_pending",
        looks_at: "whether a restored backup waits for the next start",
        means: "The next start replaces the data by the backup.",
        mend: "systemctl restart atrium",
        fix: None,
        find: |facts| {
            if facts.data.is_restore_pending && !facts.is_running {
                return Outcome::note("A restored backup is not in place yet.");
            }
            Outcome::Ok
        },
    },
];

fn room(paths: &[std::path::PathBuf], message: &str, word: &'static str) -> Outcome {
    if paths.is_empty() {
        return Outcome::Ok;
    }
    Outcome::note(format!("{message} {}.", listed_paths(paths))).with(word, quoted(paths))
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    #[test]
    fn names_in_command_lines_are_quoted() {
        assert_eq!(quoted(&[PathBuf::from("/a/b-1"), PathBuf::from("/it's here")]), r"/a/b-1 '/it'\''s here'");
        let names: Vec<String> = (0..7).map(|n| n.to_string()).collect();
        assert_eq!(listed(&names), "0, 1, 2, 3, 4 and 2 more");
    }
}
