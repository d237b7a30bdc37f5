//! Search: finds a company's customers, members, pages and tasks while someone types. What it knows comes
//! from the ledger alone, so it can be thrown away at any time and built again from the store.
//!
//! [`Engine`] holds the index and takes in changes; [`TenantIndex`] answers for one company, and cannot name
//! another. Only this folder knows tantivy.

mod analyse;
mod engine;
mod files;
mod generation;
mod query;
mod ranking;
mod schema;
mod snapshot;
mod terms;
#[cfg(test)]
mod tests;

pub use engine::{Engine, Options, Rebuild};
pub use query::{Hit, TenantIndex};

use crate::kernel::{Document, TenantId};

/// One record as it is now: the newest document to find it by, or none when it is gone or not to be found.
/// Taking in the same entry twice changes nothing.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Whose record it is.
    pub tenant: TenantId,
    /// The record's kind, as `Record::KIND` names it; the same as in its document.
    pub kind: &'static str,
    /// The record's id.
    pub id: [u8; 16],
    /// What to find it by; `None` removes it.
    pub document: Option<Document>,
}

/// In what state an index was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Opened {
    /// It holds everything up to and including this ledger number: go on after it.
    Resumed {
        /// The last ledger number taken in.
        reached: u64,
    },
    /// It is missing, damaged or of an older shape. An empty one stands in its place, in which nothing is
    /// found until [`Engine::rebuild`] has filled it.
    RebuildNeeded {
        /// Why, for the log.
        why: String,
    },
}

/// Why the index could not take something in. Searching never fails: it finds less.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Another process has the index open.
    #[error("the search index is in use by another process")]
    InUse,
    /// What is on the disk is not what was written. [`Engine::reopen`] says what to do.
    #[error("the search index is damaged: {0}")]
    Damaged(String),
    /// The disk, or the engine, refused. [`Engine::reopen`] begins again at the last commit.
    #[error("the search index failed: {0}")]
    Failed(String),
}

impl From<tantivy::TantivyError> for Error {
    fn from(error: tantivy::TantivyError) -> Error {
        use tantivy::TantivyError as E;
        use tantivy::directory::error::{LockError, OpenDirectoryError, OpenReadError};
        match &error {
            E::LockFailure(LockError::LockBusy, _) => Error::InUse,
            E::DataCorruption(_)
            | E::IncompatibleIndex(_)
            | E::SchemaError(_)
            | E::OpenDirectoryError(OpenDirectoryError::NotADirectory(_) | OpenDirectoryError::DoesNotExist(_))
            | E::OpenReadError(OpenReadError::FileDoesNotExist(_) | OpenReadError::IncompatibleIndex(_)) => {
                Error::Damaged(error.to_string())
            }
            E::IoError(io) => Error::from_io(io, &error),
            E::OpenReadError(OpenReadError::IoError { io_error, .. }) => Error::from_io(io_error, &error),
            _ => Error::Failed(error.to_string()),
        }
    }
}

impl From<std::io::Error> for Error {
    fn from(error: std::io::Error) -> Error {
        Error::from_io(&error, &error)
    }
}

impl Error {
    /// What reads as too short, malformed or missing is damage; all else may pass.
    fn from_io(io: &std::io::Error, shown: &dyn std::fmt::Display) -> Error {
        use std::io::ErrorKind as K;
        match io.kind() {
            K::UnexpectedEof | K::InvalidData | K::InvalidInput | K::NotFound | K::Other => {
                Error::Damaged(shown.to_string())
            }
            _ => Error::Failed(shown.to_string()),
        }
    }
}

/// Verifies the index in a folder that no server has open, and changes nothing.
///
/// # Errors
/// [`Error::Damaged`], with what was found.
pub fn verify_folder(root: &std::path::Path) -> Result<(), Error> {
    guarded(|| generation::Generation::verify_newest(root))
}

/// Runs what reads the index: damaged files can make the engine beneath panic, which is damage like any other.
fn guarded<T>(work: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(work)).unwrap_or_else(|panic| {
        let what = panic.downcast_ref::<String>().map(String::as_str);
        let what = what.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("a panic");
        Err(Error::Damaged(what.to_owned()))
    })
}
