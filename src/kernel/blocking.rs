//! Work on threads where it may block.

use super::{Error, Result};

/// Runs work on a thread where it may block.
pub async fn run_blocking<T: Send + 'static>(work: impl FnOnce() -> Result<T> + Send + 'static) -> Result<T> {
    tokio::task::spawn_blocking(work).await.map_err(Error::internal)?
}
