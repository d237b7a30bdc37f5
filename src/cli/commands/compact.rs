//! `atrium compact`: gives the space that the store does not use back to the disk. The server must be stopped.

use crate::{
    cli::prelude::*,
    kernel::progress::Progress,
    monitoring::size,
    store::{self, Home, STORE},
};

/// Compacts the store in a data directory that no server holds.
pub fn run(home: &Home, progress: &Progress) -> Result<Compacted> {
    home.expect_store()?;
    let (before, after) = store::compact(&home.path().join(STORE), progress)?;
    Ok(Compacted { before, after })
}

/// Returns the error of a running server.
pub fn refused() -> Error {
    Error::new(Code::Conflict).explain("A server is running on this data. Stop it first, then try again.")
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Compacted {
    pub before: u64,
    pub after: u64,
}

impl Compacted {
    pub fn text(&self) -> String {
        format!("The store now uses {} instead of {}.", size(self.after), size(self.before))
    }
}
