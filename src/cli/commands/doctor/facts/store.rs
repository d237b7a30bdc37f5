//! Facts about the store of a stopped server. Only the owner of a data directory opens it: root looks by running this
//! program as that user.

use std::{path::Path, process::Command, time::Duration};

use rustix::process::geteuid;
use serde::{Deserialize, Serialize};

use super::{
    files::{DataDir, PathFacts},
    timed::{DISK_LIMIT, run_within, within},
};
use crate::{
    app::open_store,
    cli::{as_owner::program_as, commands::doctor::examine::ServerFacts, failure::Failure},
    index::verify_folder,
    kernel::{Clock, Entropy, Error},
    store::{Home, Options, entries::INDEX, needs_upgrade},
};

/// Time limit of another process that looks at the store and at the search index.
const CHILD_LIMIT: Duration = Duration::from_secs(11);

/// What was found in the store of a stopped server.
#[derive(Debug, Serialize, Deserialize)]
pub enum StoreFacts {
    /// It can be used.
    Usable(Box<ServerFacts>),
    /// Opening it would upgrade it.
    Older,
    /// It cannot be used, for this reason.
    Unusable {
        /// The reason.
        why: String,
        /// Whether its file can be opened, so that a repair can copy what is readable.
        is_repairable: bool,
    },
    /// It could not be looked at, for this reason.
    Unknown(String),
}

impl StoreFacts {
    /// Looks at the store of a stopped server, as the owner of the data directory.
    pub fn gather(data: &DataDir) -> Self {
        let unknown = |why: &str| Self::Unknown(why.to_owned());
        // Opening the data directory would change what the other checks look at.
        if !data.has_store {
            return unknown("there is no store yet");
        }
        if data.is_restore_pending {
            return unknown("the next start puts a restored backup in place");
        }
        if !data.others.is_empty() || data.folder.as_ref().is_some_and(|folder| folder.mode & 0o077 != 0) {
            return unknown("other users have access to the data directory, which opening it would change");
        }
        match &data.folder {
            Some(folder) if geteuid().is_root() && folder.user != 0 => Self::of_child(folder),
            _ => Self::look(&data.path),
        }
    }

    /// Looks at a store, within a time limit.
    pub fn look(folder: &Path) -> Self {
        let path = folder.to_owned();
        let looked = within(DISK_LIMIT, move || Self::open(&path));
        let mut found = looked.unwrap_or_else(|| Self::Unknown("opening the store took too long".to_owned()));
        if let Self::Usable(facts) = &mut found {
            let index = folder.join(INDEX);
            let verified = within(DISK_LIMIT, move || verify_folder(&index).err());
            facts.has_verified_index = verified.is_some();
            facts.index_damage = verified.flatten().map(|error| error.to_string());
        }
        found
    }

    fn open(folder: &Path) -> Self {
        let said = |error: &Error| {
            let detail = error.detail().map(ToOwned::to_owned);
            detail.unwrap_or_else(|| Failure::of(error).message)
        };
        let unusable = |error: &Error, is_repairable| Self::Unusable { why: said(error), is_repairable };
        let home = match Home::take(folder) {
            Ok(home) => home,
            Err(error) => return Self::Unknown(said(&error)),
        };
        match needs_upgrade(&home) {
            Ok(false) => {}
            Ok(true) => return Self::Older,
            Err(error) => return unusable(&error, false),
        }
        let store = open_store(&home, Options::of_one_pass(), Clock::system(), Entropy::system());
        match store.and_then(|store| ServerFacts::of_store(&store)) {
            Ok(facts) => Self::Usable(facts.into()),
            Err(error) => unusable(&error, true),
        }
    }

    /// Looks at a store by a process of the owner of the data directory.
    fn of_child(data: &PathFacts) -> Self {
        let mut command = as_user(data);
        command.args(["doctor", "--store-facts"]);
        let printed = run_within(CHILD_LIMIT, &mut command);
        let parsed = printed
            .map_err(|error| error.to_string())
            .and_then(|text| serde_json::from_str(&text).map_err(|error| error.to_string()));
        parsed.unwrap_or_else(|why| Self::Unknown(format!("this program could not be run as its owner: {why}")))
    }
}

/// Returns a command of this program by the owner of a data directory, without settings: the owner may be unable to read
/// them.
pub fn as_user(data: &PathFacts) -> Command {
    let mut command = program_as(data.user, data.group);
    command.current_dir("/").env_clear();
    command.args(["--config", "/dev/null", "--data-dir"]).arg(&data.path);
    command
}
