//! `atrium compact`: gives the space that the store does not use back to the disk. The server must be stopped.

use crate::{
    cli::prelude::*,
    store::{self, Home, STORE},
};

/// Compacts the store in a data directory that no server holds.
pub fn run(home: &Home) -> Result<Compacted> {
    home.expect_store()?;
    let (before, after) = store::compact(&home.path().join(STORE))?;
    Ok(Compacted { before, after })
}

/// Returns the error of a running server.
pub fn refused() -> Error {
    Error::new(Code::Conflict).say("server.cli.stop_first", Vec::new())
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Compacted {
    pub before: u64,
    pub after: u64,
}

impl Compacted {
    pub fn text(&self, locale: Locale) -> String {
        let [before, after] = [self.before, self.after].map(|bytes| bytes.div_ceil(1_000_000));
        sentence(locale, "server.cli.compacted", &[("before", &before), ("after", &after)])
    }
}
