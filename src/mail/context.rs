//! What the sender of letters asks of those above it.

use super::{branding::Branding, email::Email};
use crate::{
    kernel::{MemberId, Result},
    store::{TenantRead, TenantWrite},
};

/// What the sender must be told by those who know people, companies and links.
pub trait MailContext: Send + Sync + 'static {
    /// Whose letters a company's are.
    ///
    /// # Errors
    /// `busy` or `internal` when it cannot be read.
    fn branding(&self, tx: &TenantRead<'_>) -> Result<Branding>;

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
    fn on_permanent_failure(&self, tx: &TenantWrite<'_>, letter: &Email) -> Result<()>;
}
