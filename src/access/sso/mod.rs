//! Single sign-on by OpenID Connect: members sign in at a provider that their company has chosen. Off unless the
//! operator lists the provider.

mod directory;
mod flow;
mod http;
mod protocol;

use std::fmt;

use serde::{Deserialize, Serialize};

pub use self::{
    flow::{AuthorizationResponse, Redirect},
    protocol::Identity,
};
use super::factors::Challenges;
use crate::{
    config::Config,
    kernel::{Id, Result},
    people::{members::Company, permission::Role},
    store::{Record, TenantRead, TenantRecord},
};

/// The client secret that a provider issued to the tenant.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClientSecret(pub String);

/// Without the secret, which must not get into a log.
impl fmt::Debug for ClientSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ClientSecret")
    }
}

/// The single sign-on provider of a tenant. Stored under the tenant's own id.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Provider {
    /// Its issuer URL, as the operator lists it.
    pub issuer: String,
    /// The client id that it issued to the tenant.
    pub client_id: String,
    /// The client secret.
    pub client_secret: ClientSecret,
    /// The label of the sign-in button.
    pub name: String,
    /// Whether people without a membership become members at their first sign-in.
    pub create_members: bool,
    /// The role of such new members.
    pub role: Role,
    /// The domains of addresses that may become members; subdomains do not count.
    pub domains: Vec<String>,
    /// Whether it always counts as a second factor, whatever its tokens say.
    #[serde(default)]
    pub second_factor: bool,
}

impl Record for Provider {
    type Key = Company;
    const KIND: &'static str = "single_sign_on";
    const TABLE: u16 = 45;
    const LEDGER: bool = false;
}
impl TenantRecord for Provider {}

impl Provider {
    /// Returns the id of a tenant's provider.
    pub fn id(tx: &TenantRead<'_>) -> Id<Company> {
        Company::id(tx.tenant())
    }

    /// Returns the provider of a tenant, while the operator lists it and the installation's address is known.
    pub fn of(tx: &TenantRead<'_>, config: &Config) -> Result<Option<Self>> {
        let kept = tx.find::<Self>(Self::id(tx))?.map(|kept| kept.value);
        Ok(kept.filter(|kept| is_listed(config, &kept.issuer) && redirect_uri(config).is_some()))
    }

    /// Whether a person with this address becomes a member.
    pub fn admits(&self, email: &str) -> bool {
        let domain = email.rsplit_once('@').map(|(_, domain)| domain);
        self.create_members && domain.is_some_and(|domain| self.domains.iter().any(|known| known == domain))
    }
}

/// Whether the operator lists a provider.
pub fn is_listed(config: &Config, issuer: &str) -> bool {
    config.sign_in.issuers.iter().any(|listed| listed == issuer)
}

/// Returns the URL to which providers send browsers back; `None` when the installation's address is not known.
pub fn redirect_uri(config: &Config) -> Option<String> {
    let public = config.public_url.as_ref()?;
    public.join("/api/auth/oidc/callback").ok().map(Into::into)
}

/// Metadata of providers, and sign-ins in progress.
#[derive(Default)]
pub(super) struct SingleSignOn {
    directory: directory::Directory,
    /// Sign-ins in progress, for at most five minutes, and at most ten thousand.
    pending: Challenges<flow::PendingSignIn>,
}
