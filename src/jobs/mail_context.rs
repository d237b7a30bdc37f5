//! Branding, members and link tokens for the mailer, which is below the modules that own them.

use crate::{
    access::links,
    config::Installation,
    features::operator::notify_admins,
    kernel::{Entropy, Id, MemberId, Result},
    mail::{Branding, Email, MailContext},
    people::{
        members::{Company, MemberRecord, MemberState},
        permission::Role,
    },
    store::{Stored, TenantRead, TenantWrite},
};

/// The application's `MailContext`.
pub struct AppMailContext {
    entropy: Entropy,
    installation: Installation,
}

impl AppMailContext {
    /// Creates the context with the source of random bytes for link tokens, and the name of the installation.
    pub const fn new(entropy: Entropy, installation: Installation) -> Self {
        Self { entropy, installation }
    }
}

impl MailContext for AppMailContext {
    fn branding(&self, tx: &TenantRead<'_>, member: Option<MemberId>) -> Result<Branding> {
        let company = Company::of(tx)?.value;
        let member = member.map_or(Ok(None), |member| tx.find::<MemberRecord>(member))?;
        // Any stranger may have typed the name of a company whose owner has not confirmed the address yet.
        let is_unconfirmed =
            |member: &Stored<MemberRecord>| member.state == MemberState::Unconfirmed && member.role == Role::Owner;
        let is_nobodys = member.as_ref().is_some_and(is_unconfirmed);
        let hours = member.map(|member| member.region(&company).hours());
        if is_nobodys {
            return Ok(Branding { timezone: company.timezone, hours, ..Branding::of_installation(&self.installation) });
        }
        Ok(Branding {
            name: company.name,
            color_scheme: company.color_scheme,
            // The fields are named by the colour of the logotype: the dark one is for light backgrounds.
            logo_on_light: company.logotipo_dark,
            logo_on_dark: company.logotipo_light,
            timezone: company.timezone,
            hours,
        })
    }

    fn is_member(&self, tx: &TenantRead<'_>, member: MemberId) -> Result<bool> {
        Ok(tx.find::<MemberRecord>(member)?.is_some())
    }

    fn token(&self, tx: &TenantWrite<'_>, link: [u8; 16]) -> Result<Option<String>> {
        links::create_secret(tx, Id::from_bytes(link), &self.entropy)
    }

    fn on_permanent_failure(&self, tx: &TenantWrite<'_>, email: &Email) -> Result<()> {
        let params = vec![("email", email.to.clone())];
        notify_admins(tx, "server.mail_failed", "mail", params, "/team/list")
    }
}
