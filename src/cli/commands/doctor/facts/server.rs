//! Facts that the running server says of itself, or that its store says while it is stopped.

use std::io;

use super::{
    files::DataDir,
    store::StoreFacts,
    timed::{DISK_LIMIT, within},
};
use crate::{
    cli::{
        answer::Answer,
        command::Command,
        commands::doctor::examine::{Examine, ServerFacts},
        control::{Request, Response, ask},
    },
    config::Config,
    kernel::progress::Progress,
};

/// What a running server, or the store of a stopped one, answered.
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub struct Asked {
    /// The facts, or why there are none.
    pub server: Result<ServerFacts, String>,
    /// Whether a server runs.
    pub is_running: bool,
    /// Whether this user may not ask the server, nor look whether one runs.
    pub is_denied: bool,
    /// Whether the store could not be opened.
    pub is_unusable: bool,
    /// Whether a repair can copy what is readable of a store that cannot be used.
    pub is_repairable: bool,
    /// Whether the next start upgrades the store.
    pub needs_upgrade: bool,
}

/// Why a running server does not answer.
enum Silence {
    /// This user may not ask it.
    Denied,
    /// For another reason.
    Other(String),
}

impl Asked {
    /// Asks the running server, or looks at the store of a stopped one. `token` marks requests to the server.
    pub fn of(config: &Config, data: &DataDir, token: &str) -> Self {
        match request(config, Some(token), true) {
            Ok(Some(facts)) => Self { server: Ok(facts), is_running: true, ..Self::nothing("") },
            Ok(None) if data.is_denied => Self { is_denied: true, ..Self::nothing("this user may not look at it") },
            Ok(None) => Self::of_store(StoreFacts::gather(data)),
            // The address that it has is looked at as that of a running server, which it may be.
            Err(Silence::Denied) => {
                Self { is_running: true, is_denied: true, ..Self::nothing("this user may not ask the server") }
            }
            Err(Silence::Other(why)) => Self { is_running: true, ..Self::nothing(&why) },
        }
    }

    fn of_store(found: StoreFacts) -> Self {
        match found {
            StoreFacts::Usable(facts) => Self { server: Ok(*facts), ..Self::nothing("") },
            StoreFacts::Older => Self { needs_upgrade: true, ..Self::nothing("the next start upgrades the store") },
            StoreFacts::Unusable { why, is_repairable } => {
                Self { is_unusable: true, is_repairable, ..Self::nothing(&why) }
            }
            StoreFacts::Unknown(why) => Self::nothing(&why),
        }
    }

    fn nothing(why: &str) -> Self {
        Self {
            server: Err(why.to_owned()),
            is_running: false,
            is_denied: false,
            is_unusable: false,
            is_repairable: false,
            needs_upgrade: false,
        }
    }
}

/// Asks the running server; `None` when none runs. A large search index is left out when it takes too long.
fn request(config: &Config, probe: Option<&str>, verifies_index: bool) -> Result<Option<ServerFacts>, Silence> {
    let folder = config.data_dir.clone();
    let token = probe.map(ToOwned::to_owned);
    let command = Command::Examine(Examine { probe: token, verifies_index });
    let request_line = Request::new(command, false);
    let silent = |why: &str| Err(Silence::Other(why.to_owned()));
    match within(DISK_LIMIT, move || ask(&folder, &request_line, &Progress::default())) {
        None if verifies_index => request(config, probe, false),
        None => silent("it does not answer commands"),
        Some(Err(error)) if error.kind() == io::ErrorKind::PermissionDenied => Err(Silence::Denied),
        Some(Err(error)) => silent(&format!("its control socket: {error}")),
        Some(Ok(Some(Response::Done(answer)))) => match *answer {
            Answer::Examined(facts) => Ok(Some(*facts)),
            _ => silent("it answers another command"),
        },
        Some(Ok(Some(Response::Failed(failure)))) => silent(&failure.message),
        Some(Ok(Some(Response::Progress(_)))) => silent("it answers with progress alone"),
        Some(Ok(Some(Response::Stopping))) => silent("it is stopping"),
        Some(Ok(None)) => Ok(None),
    }
}

/// Adds the requests that arrived at the server since it was asked first.
pub fn with_probes(mut facts: ServerFacts, config: &Config, token: &str) -> ServerFacts {
    if let Some(running) = &mut facts.running
        && let Ok(Some(again)) = request(config, Some(token), false)
    {
        running.probes = again.running.map(|running| running.probes).unwrap_or_default();
    }
    facts
}
