//! Full-text search of a tenant's customers, members, pages, tasks and messages while a query is typed, and the columns of
//! their lists. The index is
//! derived from the change feed (ledger) alone, so it can be deleted at any time and rebuilt from the store.
//!
//! [`Engine`] holds the index and applies changes; [`TenantIndex`] searches for one tenant and cannot address another.
//! Only this folder uses tantivy.

mod analyse;
mod columns;
mod compare;
mod engine;
mod files;
mod generation;
mod query;
mod ranking;
mod reason;
mod schema;
mod snapshot;
mod terms;
#[cfg(test)]
mod tests;
mod waiting;

pub use analyse::MAX_QUERY_CHARS;
pub use columns::{
    ColumnFilter, ColumnName, ColumnQuery, ColumnSelection, ColumnTest, ListWords, ListedIds, NameOf, RowPlace, Rows,
    Tally,
};
pub use compare::{DocumentCounts, DocumentSums, IndexState, count_document, folder_state};
pub use engine::{Engine, Options, Rebuild};
pub use query::{Hit, TenantIndex};
pub use reason::{Reason, Reasons};

use crate::kernel::{Document, TenantId};

/// The current state of one record for the index. Applying the same entry twice changes nothing.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The tenant that the record belongs to.
    pub tenant: TenantId,
    /// The record's kind, as in `Record::KIND`; the same as in its document.
    pub kind: &'static str,
    /// The record's id.
    pub id: [u8; 16],
    /// The searchable document; `None` removes the record from the index.
    pub document: Option<Document>,
}

/// The state in which an index was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Opened {
    /// The index holds everything up to and including this sequence number: continue after it.
    Resumed {
        /// The last sequence number applied.
        reached: u64,
    },
    /// The index is missing, damaged or of an older schema version. An empty one replaces it and finds nothing until
    /// [`Engine::rebuild`] has filled it.
    RebuildNeeded {
        /// The reason, for the log.
        why: String,
    },
}

/// Why the index could not be written or opened. Searches never fail: they find less.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Another process has the index open.
    #[error("the search index is in use by another process")]
    InUse,
    /// The data on disk is not what was written. [`Engine::reopen`] returns what to do.
    #[error("the search index is damaged: {0}")]
    Damaged(String),
    /// The disk or the engine failed. [`Engine::reopen`] continues from the last commit.
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
    /// Maps truncated, malformed or missing data to damage; other errors may be temporary.
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

/// Verifies the index in a folder that no server has open, without changing anything.
/// Errors: [`Error::Damaged`] with what was found.
pub fn verify_folder(root: &std::path::Path) -> Result<(), Error> {
    guarded(|| generation::Generation::find_newest(root).map(drop))
}

/// Runs work that reads the index. Damaged files can make tantivy panic; such a panic becomes [`Error::Damaged`].
fn guarded<T>(work: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(work)).unwrap_or_else(|panic| {
        let what = panic.downcast_ref::<String>().map(String::as_str);
        let what = what.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("a panic");
        Err(Error::Damaged(what.to_owned()))
    })
}
