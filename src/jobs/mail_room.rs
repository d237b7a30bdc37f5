//! What the sender of letters is told of people, companies and links, which it does not know itself.

use crate::{
    access::{
        links,
        members::{Company, MemberRecord},
    },
    features::operator::tell_admins,
    kernel::{Entropy, Id, MemberId, Result},
    mail::{Letter, Letterhead, Office},
    store::{TenantRead, TenantWrite},
};

/// The house, as the sender of letters knows it.
pub struct MailRoom {
    entropy: Entropy,
}

impl MailRoom {
    /// With the chance that secrets are made of.
    #[must_use]
    pub const fn new(entropy: Entropy) -> Self {
        Self { entropy }
    }
}

impl Office for MailRoom {
    fn letterhead(&self, tx: &TenantRead<'_>) -> Result<Letterhead> {
        let company = Company::of(tx)?.value;
        Ok(Letterhead {
            name: company.name,
            color_scheme: company.color_scheme,
            // Named by their ink: the dark one is for light grounds.
            logo_on_light: company.logotipo_dark,
            logo_on_dark: company.logotipo_light,
            timezone: company.timezone,
        })
    }

    fn is_member(&self, tx: &TenantRead<'_>, member: MemberId) -> Result<bool> {
        Ok(tx.find::<MemberRecord>(member.cast())?.is_some())
    }

    fn token(&self, tx: &TenantWrite<'_>, link: [u8; 16]) -> Result<Option<String>> {
        links::secret(tx, Id::from_bytes(link), &self.entropy)
    }

    fn gave_up(&self, tx: &TenantWrite<'_>, letter: &Letter) -> Result<()> {
        let gaps = vec![("email", letter.to.clone())];
        tell_admins(tx, "server.mail_failed", "mail", gaps, "/team/list")
    }
}
