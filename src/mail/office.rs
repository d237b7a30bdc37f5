//! What the sender of letters asks of those above it.

use super::{letter::Letter, letterhead::Letterhead};
use crate::{
    kernel::{MemberId, Result},
    store::{TenantRead, TenantWrite},
};

/// What the sender must be told by those who know people, companies and links.
pub trait Office: Send + Sync + 'static {
    /// Whose letters a company's are.
    ///
    /// # Errors
    /// `busy` or `internal` when it cannot be read.
    fn letterhead(&self, tx: &TenantRead<'_>) -> Result<Letterhead>;

    /// Whether there is such a member still.
    ///
    /// # Errors
    /// `busy` or `internal` when it cannot be read.
    fn is_member(&self, tx: &TenantRead<'_>, member: MemberId) -> Result<bool>;

    /// A fresh token for a link; none when the link was used, or is over.
    ///
    /// # Errors
    /// `busy` or `internal` when it cannot be made.
    fn token(&self, tx: &TenantWrite<'_>, link: [u8; 16]) -> Result<Option<String>>;

    /// Tells the company's admins of a letter that nobody took.
    ///
    /// # Errors
    /// `busy` or `internal` when they cannot be told.
    fn gave_up(&self, tx: &TenantWrite<'_>, letter: &Letter) -> Result<()>;
}
