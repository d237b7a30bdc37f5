//! Checks of scheduled backups.

use super::{Check, Facts, Fix, Outcome, is_in_home, listed_paths, of_server, quoted};
use crate::{
    cli::commands::doctor::{facts::files::BackupFolder, fix},
    monitoring::{CheckStatus, duration, size},
};

/// Intervals after which the newest backup is too old.
const OVERDUE_INTERVALS: u64 = 2;

/// What the system says of a write to a read-only file system.
const READ_ONLY: &str = "Read-only file system";

/// The checks of this group.
pub const CHECKS: &[Check] = &[
    Check {
        id: "backup.off",
        looks_at: "whether scheduled backups are on",
        means: "A failed disk, or a mistake, takes everything.",
        mend: "backup.folder = \"/var/backups/atrium\"",
        fix: None,
        find: |facts| {
            if facts.config.backup.folder.is_some() || !facts.data.has_parts {
                return Outcome::Ok;
            }
            Outcome::warning("No backups are made.")
        },
    },
    Check {
        id: "backup.no_folder",
        looks_at: "whether the folder of backups exists",
        means: "Its disk may not be mounted; backups would be made elsewhere.",
        mend: "install -d -m 0700 -o OWNER FOLDER",
        fix: Some(Fix {
            beside_server: true,
            run: |facts| {
                let folder = facts.backups.iter().filter(|backups| backups.folder.is_none());
                folder.map(|backups| fix::make_folder(&backups.path, 0o700, facts)).collect()
            },
        }),
        find: |facts| {
            backups(facts, |backups| {
                if backups.folder.is_some() {
                    return Outcome::Ok;
                }
                Outcome::warning(format!("{} does not exist.", backups.path.display()))
            })
        },
    },
    Check {
        id: "backup.unusable",
        looks_at: "whether backups can be written to the folder",
        means: "No backups are made.",
        mend: "chown OWNER FOLDER && chmod 700 FOLDER, or chmod o+x ABOVE, or backup.folder = \"/var/backups/atrium\"",
        fix: None,
        find: |facts| {
            backups(facts, |backups| {
                let folder = backups.path.display();
                if let Some(why) = &backups.obstacle {
                    return Outcome::failing(format!("{folder}: {why}.")).mended_by(0);
                }
                let Some(refused) = &backups.refused else { return Outcome::Ok };
                let owner = facts.owner();
                if refused.path == backups.path {
                    return Outcome::failing(format!("The user {owner} may not write to {folder}.")).mended_by(0);
                }
                let above = refused.path.display();
                let way = if is_in_home(&refused.path) { 2 } else { 1 };
                Outcome::failing(format!("The user {owner} does not reach {folder}, because of {above}."))
                    .with("ABOVE", quoted(std::slice::from_ref(&refused.path)))
                    .mended_by(way)
            })
        },
    },
    Check {
        id: "backup.open_folder",
        looks_at: "who has access to the folder of backups",
        means: "A backup has all data of all companies.",
        mend: "chmod 700 FOLDER",
        fix: Some(Fix { beside_server: true, run: fix::close_backups }),
        find: |facts| {
            backups(facts, |backups| match &backups.folder {
                Some(folder) if folder.is_folder && folder.mode & 0o077 != 0 => {
                    Outcome::warning(format!("Other users have access to {}.", backups.path.display()))
                }
                _ => Outcome::Ok,
            })
        },
    },
    Check {
        id: "backup.open_file",
        looks_at: "who may read the backups",
        means: "A backup has all data of all companies.",
        mend: "chmod go-rwx FILES",
        fix: Some(Fix {
            beside_server: true,
            run: |facts| {
                let mend = |backups: &BackupFolder| fix::remove_mode(&backups.path, &open_files(backups), 0o077);
                facts.backups.as_ref().map(mend).unwrap_or_default()
            },
        }),
        find: |facts| {
            backups(facts, |backups| {
                let open = open_files(backups);
                if open.is_empty() {
                    return Outcome::Ok;
                }
                Outcome::failing(format!("Other users have access to {}.", listed_paths(&open)))
                    .with("FILES", quoted(&open))
            })
        },
    },
    Check {
        id: "backup.too_old",
        looks_at: "the age of the newest backup",
        means: "What was entered since would be lost with the disk.",
        mend: "atrium backup FILE",
        fix: None,
        find: |facts| {
            backups(facts, |backups| {
                // The server says more about its own: why the last one failed, and when the first one is late.
                if facts.health_check("backup").is_some_and(|check| check.status != CheckStatus::Ok) {
                    return Outcome::left_out("the check backup.failed says it");
                }
                let Some((at, _)) = backups.backups.last() else { return Outcome::Ok };
                let age = u64::try_from(facts.now.seconds() - at.seconds()).unwrap_or_default();
                if age <= facts.config.backup.every.as_secs().saturating_mul(OVERDUE_INTERVALS) {
                    return Outcome::Ok;
                }
                Outcome::failing(format!("The newest backup is {} old.", duration(age)))
            })
        },
    },
    Check {
        id: "backup.failed",
        looks_at: "whether the last scheduled backup was made",
        means: "Until it works again, no backups are made.",
        mend: "journalctl -u atrium -g backup, or ReadWritePaths=FOLDER in [Service] (systemctl edit atrium)",
        fix: None,
        find: |facts| {
            backups(facts, |backups| {
                let outcome = of_server(facts, "backup");
                let is_read_only = matches!(&outcome, Outcome::Found(found) if found.message.contains(READ_ONLY));
                // The unit of the server makes all but a few folders read-only for it.
                outcome.mended_by(usize::from(is_read_only && backups.obstacle.is_none()))
            })
        },
    },
    Check {
        id: "backup.incomplete",
        looks_at: "whether the newest backup can be read to its end (up to 64 MiB)",
        means: "It cannot be restored.",
        mend: "atrium backup FILE",
        fix: None,
        find: |facts| {
            backups(facts, |backups| match (&backups.newest_fault, backups.backups.last()) {
                (Some(why), Some((_, file))) => Outcome::failing(format!("{}: {why}.", file.path.display())),
                _ => Outcome::Ok,
            })
        },
    },
    Check {
        id: "backup.same_disk",
        looks_at: "whether backups are on another disk than the data",
        means: "A failed disk takes both.",
        mend: "backup.folder = \"/a/folder/of/another/disk\"",
        fix: None,
        find: |facts| {
            backups(facts, |backups| {
                let device = backups.folder.as_ref().map(|folder| folder.device);
                if device.is_none() || device != backups.data_device {
                    return Outcome::Ok;
                }
                Outcome::warning(format!("{} is on the disk of the data directory.", backups.path.display()))
            })
        },
    },
    Check {
        id: "backup.not_encrypted",
        looks_at: "whether backups have a passphrase",
        means: "Who gets a backup reads all data of all companies.",
        mend: "backup.passphrase_file = \"/etc/atrium/passphrase\"",
        fix: None,
        find: |facts| {
            backups(facts, |_| {
                if facts.config.backup.passphrase_file.is_some() {
                    return Outcome::Ok;
                }
                Outcome::note("Backups are not encrypted.")
            })
        },
    },
    Check {
        id: "backup.leftovers",
        looks_at: "unfinished backups that have not been changed for an hour",
        means: "They take room, and nothing will finish them.",
        mend: "rm FILES",
        fix: Some(Fix {
            beside_server: true,
            run: |facts| fix::remove_temp_files(facts.backups.as_ref().map(|it| it.leftovers.as_slice())),
        }),
        find: |facts| {
            backups(facts, |backups| {
                let leftovers = &backups.leftovers;
                if leftovers.is_empty() {
                    return Outcome::Ok;
                }
                Outcome::note(format!("Interrupted backups left {}.", listed_paths(leftovers)))
                    .with("FILES", quoted(leftovers))
            })
        },
    },
    Check {
        id: "backup.few",
        looks_at: "`backup.keep`",
        means: "A mistake that is noticed late is in all of them.",
        mend: "backup.keep = 14",
        fix: None,
        find: |facts| {
            backups(facts, |_| match facts.config.backup.keep {
                keep @ 0..3 => Outcome::warning(format!("Only {keep} backups are kept.")),
                _ => Outcome::Ok,
            })
        },
    },
    Check {
        id: "backup.no_room",
        looks_at: "whether the next backup has room",
        means: "The next backup may fail.",
        mend: "df -h FOLDER",
        fix: None,
        find: |facts| {
            backups(facts, |backups| match backups.free_bytes {
                Some(free) if free < facts.data.bytes => {
                    let needed = size(facts.data.bytes);
                    Outcome::failing(format!("{} are free for a backup of up to {needed}.", size(free)))
                }
                _ => Outcome::Ok,
            })
        },
    },
];

fn backups(facts: &Facts, judge: impl FnOnce(&BackupFolder) -> Outcome) -> Outcome {
    let Some(backups) = &facts.backups else { return Outcome::left_out("scheduled backups are off") };
    if facts.is_denied {
        return Outcome::left_out("this user may not look at them");
    }
    judge(backups).with("FOLDER", quoted(std::slice::from_ref(&backups.path)))
}

fn open_files(backups: &BackupFolder) -> Vec<std::path::PathBuf> {
    let open = backups.backups.iter().filter(|(_, file)| file.mode & 0o077 != 0);
    open.map(|(_, file)| file.path.clone()).collect()
}
