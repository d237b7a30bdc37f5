//! Single sign-on by OpenID Connect: a company lets its people in whom a provider vouches for. Off unless the
//! operator lists the provider.

mod directory;
mod flow;
mod http;
mod protocol;

use std::fmt;

use serde::{Deserialize, Serialize};

pub use self::{
    flow::{Answer, Redirect},
    protocol::Identity,
};
use super::{factors::Challenges, members::Company, permission::Role};
use crate::{
    config::Config,
    kernel::{Id, Result},
    store::{Record, TenantRead, TenantRecord},
};

/// A secret that a provider gave to the company.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClientSecret(pub String);

/// Without the secret, which must not come into a log.
impl fmt::Debug for ClientSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ClientSecret")
    }
}

/// Whom a company lets vouch for its people. Lies under the tenant's own id.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Provider {
    /// Its address, as the operator lists it.
    pub issuer: String,
    /// The name under which it knows the company.
    pub client_id: String,
    /// The secret that belongs to that.
    pub client_secret: ClientSecret,
    /// What the button at the door says.
    pub name: String,
    /// Whether whom it vouches for becomes a member, when they are none.
    pub create_members: bool,
    /// The role that they get.
    pub role: Role,
    /// What their address must end with.
    pub domains: Vec<String>,
    /// Whether it counts as a second factor, whatever it says itself.
    #[serde(default)]
    pub second_factor: bool,
}

impl Record for Provider {
    const KIND: &'static str = "single_sign_on";
    const TABLE: u16 = 45;
    const LEDGER: bool = false;
}
impl TenantRecord for Provider {}

impl Provider {
    /// Under which id a tenant's provider lies.
    #[must_use]
    pub fn id(tx: &TenantRead<'_>) -> Id<Self> {
        Company::id(tx.tenant()).cast()
    }

    /// The provider of a tenant, as long as the operator lists it.
    ///
    /// # Errors
    /// `busy` or `internal` when it cannot be read.
    pub fn of(tx: &TenantRead<'_>, config: &Config) -> Result<Option<Self>> {
        let kept = tx.find(Self::id(tx))?.map(|kept| kept.value);
        Ok(kept.filter(|kept| is_listed(config, &kept.issuer) && return_address(config).is_some()))
    }

    /// Whether somebody with this address becomes a member.
    #[must_use]
    pub fn admits(&self, email: &str) -> bool {
        let domain = email.rsplit_once('@').map(|(_, domain)| domain);
        self.create_members && domain.is_some_and(|domain| self.domains.iter().any(|known| known == domain))
    }
}

/// Whether the operator lists a provider.
#[must_use]
pub fn is_listed(config: &Config, issuer: &str) -> bool {
    config.sign_in.issuers.iter().any(|listed| listed == issuer)
}

/// Where providers send people back to: known only where the installation's address is.
#[must_use]
pub fn return_address(config: &Config) -> Option<String> {
    let public = config.public_url.as_ref()?;
    public.join("/api/auth/oidc/callback").ok().map(Into::into)
}

/// What is known of providers, and who is on the way to one.
#[derive(Default)]
pub(super) struct Waiting {
    directory: directory::Directory,
    /// Nobody is kept longer than five minutes, nor more than ten thousand.
    journeys: Challenges<flow::Journey>,
}
