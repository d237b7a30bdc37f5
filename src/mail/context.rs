//! The mailer's interface to tenants, members and links.

use super::{branding::Branding, email::Email};
use crate::{
    kernel::{MemberId, Result},
    store::{TenantRead, TenantWrite},
};

/// Supplies branding, members and link tokens to the mailer.
pub trait MailContext: Send + Sync + 'static {
    /// Returns the branding of the tenant's e-mails, with the region of the member who receives one.
    fn branding(&self, tx: &TenantRead<'_>, member: Option<MemberId>) -> Result<Branding>;

    /// Whether the member still exists.
    fn is_member(&self, tx: &TenantRead<'_>, member: MemberId) -> Result<bool>;

    /// Creates a new token for a link; `None` if the link was used or has expired.
    fn token(&self, tx: &TenantWrite<'_>, link: [u8; 16]) -> Result<Option<String>>;

    /// Notifies the tenant's admins of an e-mail that could not be delivered.
    fn on_permanent_failure(&self, tx: &TenantWrite<'_>, email: &Email) -> Result<()>;
}
