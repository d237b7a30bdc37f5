//! The entries of a data directory: the one list of their names. `docs/operations.md` explains each.

use std::path::Path;

/// The store.
pub const STORE: &str = "store.redb";
/// The installation's id.
pub const ID_FILE: &str = "installation";
/// The keys of access tokens.
pub const ACCESS_KEY: &str = "access.key";
/// The folder of uploads.
pub const FILES: &str = "files";
/// The folder of the search index.
pub const INDEX: &str = "index";
/// The lock, which the process that uses the data directory holds.
pub const LOCK: &str = "lock";
/// The socket for commands to the running server.
pub const CONTROL_SOCKET: &str = "control.sock";
/// The alerts that were sent.
pub const ALERTS: &str = "alerts.json";
/// The folder of certificates by ACME.
pub const CERTIFICATES: &str = "certificates";
/// The folder of emails, if no mail server is set.
pub const OUTGOING: &str = "outgoing";
/// The folder of an unfinished restore.
pub const RESTORE_PART: &str = "restore.part";
/// The folder of a finished restore, which the next opening puts in place.
pub const RESTORE_READY: &str = "restore.ready";
/// The beginning of the names of folders with data that a restore replaced, before `-`.
pub const REPLACED: &str = "replaced";

/// Space that is kept beside the store.
const RESERVE: &str = "store.redb.reserve";
/// The first part of the names of stores that upgrades and repairs replaced.
const FORMER_STORE: &str = "store.redb.format-";
const DAMAGED_STORE: &str = "store.redb.damaged-";
/// What the names of unfinished files and folders end with.
const UNFINISHED_ENDS: [&str; 5] = ["part", "new", "upgrade", "compact", "restore"];

/// What an entry of a data directory is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryKind {
    /// A part of an installation.
    Part,
    /// What the server makes again when it is missing.
    Helper,
    /// A restored backup that the next opening puts in place.
    Ready,
    /// A store of an older format, which an upgrade kept.
    FormerStore,
    /// Data that a restore or a repair replaced.
    Replaced,
    /// What interrupted work left.
    Unfinished,
    /// Files of others that are expected here: of the file system, of the operator's settings, hidden ones.
    Tolerated,
}

impl EntryKind {
    /// Returns what an entry with a name is; `None` when it does not belong in a data directory.
    pub fn of(name: &str) -> Option<Self> {
        let extension = Path::new(name).extension().and_then(|extension| extension.to_str()).unwrap_or_default();
        Some(match name {
            STORE | ID_FILE | ACCESS_KEY | FILES | INDEX => Self::Part,
            LOCK | CONTROL_SOCKET | ALERTS | CERTIFICATES | OUTGOING | RESERVE => Self::Helper,
            RESTORE_READY => Self::Ready,
            name if name.starts_with(FORMER_STORE) => Self::FormerStore,
            name if name.starts_with(DAMAGED_STORE) => Self::Replaced,
            name if name.strip_prefix(REPLACED).is_some_and(|rest| rest.starts_with('-')) => Self::Replaced,
            _ if UNFINISHED_ENDS.contains(&extension) => Self::Unfinished,
            name if name == "lost+found" || name.starts_with('.') || extension == "toml" => Self::Tolerated,
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// Every entry, as `docs/operations.md` writes it: what varies in a name is `N` or `…`.
    const DOCUMENTED: [(&str, EntryKind); 17] = [
        (STORE, EntryKind::Part),
        (RESERVE, EntryKind::Helper),
        (FILES, EntryKind::Part),
        (INDEX, EntryKind::Part),
        (ID_FILE, EntryKind::Part),
        (ACCESS_KEY, EntryKind::Part),
        (CERTIFICATES, EntryKind::Helper),
        (ALERTS, EntryKind::Helper),
        (OUTGOING, EntryKind::Helper),
        (LOCK, EntryKind::Helper),
        (CONTROL_SOCKET, EntryKind::Helper),
        ("store.redb.format-N", EntryKind::FormerStore),
        ("store.redb.damaged-…", EntryKind::Replaced),
        ("replaced-…", EntryKind::Replaced),
        (RESTORE_PART, EntryKind::Unfinished),
        (RESTORE_READY, EntryKind::Ready),
        ("store.redb.compact", EntryKind::Unfinished),
    ];

    #[test]
    fn every_entry_is_known_and_documented_once() {
        for (name, kind) in DOCUMENTED {
            assert_eq!(EntryKind::of(name), Some(kind), "{name}");
        }
        let page = include_str!("../../docs/operations.md");
        let (_, table) = page.split_once("| Entry | What it is |").unwrap();
        let (table, _) = table.split_once("\n\n").unwrap();
        let rows = table.lines().skip(2).map(|line| line.split('|').nth(1).unwrap());
        let shown: Vec<&str> = rows.flat_map(|names| names.split('`').skip(1).step_by(2)).collect();
        let listed: BTreeSet<&str> = DOCUMENTED.iter().map(|(name, _)| *name).collect();
        assert_eq!(shown.iter().copied().collect::<BTreeSet<_>>(), listed);
        assert_eq!(shown.len(), listed.len(), "each stands there once");
    }

    #[test]
    fn names_of_others_are_told_apart() {
        for (name, kind) in [
            ("alerts.json.part", Some(EntryKind::Unfinished)),
            ("installation.new", Some(EntryKind::Unfinished)),
            ("store.redb.upgrade", Some(EntryKind::Unfinished)),
            ("atrium.toml", Some(EntryKind::Tolerated)),
            (".snapshot", Some(EntryKind::Tolerated)),
            ("lost+found", Some(EntryKind::Tolerated)),
            ("replaced", None),
            ("store.redb.old", None),
            ("thesis.odt", None),
        ] {
            assert_eq!(EntryKind::of(name), kind, "{name}");
        }
    }
}
