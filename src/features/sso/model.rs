//! What a company says of its provider, and what makes that valid.

use poem_openapi::Object;
use serde::Serialize;

use crate::{
    access::{
        permission::Role,
        sso::{self, ClientSecret, Provider},
    },
    config::Config,
    features::tenants,
    kernel::{Result, error::Faults, text},
};

/// What a company's owner sees of single sign-on.
#[derive(Debug, Serialize, Object)]
#[oai(rename = "SingleSignOn", rename_all = "camelCase", skip_serializing_if_is_none)]
#[serde(rename_all = "camelCase")]
pub struct View {
    /// The providers that the operator allows; none when single sign-on is off.
    issuers: Vec<String>,
    /// The address to register with the provider; absent while the installation's own is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    redirect_uri: Option<String>,
    /// The provider that is chosen.
    #[serde(skip_serializing_if = "Option::is_none")]
    provider: Option<ProviderView>,
}

/// The provider that a company has chosen. Its secret is never shown.
#[derive(Debug, Serialize, Object)]
#[oai(rename = "SignOnProvider", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
struct ProviderView {
    issuer: String,
    client_id: String,
    name: String,
    create_members: bool,
    role: Role,
    domains: Vec<String>,
    trusts_second_factor: bool,
}

impl View {
    /// From what is kept, and what the operator allows.
    #[must_use]
    pub fn new(kept: Option<Provider>, config: &Config) -> Self {
        let provider = kept.map(|kept| ProviderView {
            issuer: kept.issuer,
            client_id: kept.client_id,
            name: kept.name,
            create_members: kept.create_members,
            role: kept.role,
            domains: kept.domains,
            trusts_second_factor: kept.second_factor,
        });
        Self { issuers: config.sign_in.issuers.clone(), redirect_uri: sso::return_address(config), provider }
    }
}

/// A provider to choose.
#[derive(Object)]
#[oai(rename = "SignOnProviderInput", rename_all = "camelCase", deny_unknown_fields)]
pub struct Choice {
    /// One of those that the operator allows.
    issuer: String,
    /// The name under which the provider knows the company: 1 to 200 characters.
    client_id: String,
    /// The secret that belongs to it; the one before stays when absent.
    client_secret: Option<String>,
    /// What the button at the door says: 1 to 60 characters.
    name: String,
    /// Whether whom the provider vouches for becomes a member, when they are none.
    #[oai(default)]
    create_members: bool,
    /// The role that they get: `member` at most, `member` when absent.
    role: Option<Role>,
    /// What their addresses must end with, at most 20.
    #[oai(default)]
    domains: Vec<String>,
    /// Whether signing in there counts as a second factor, whatever the provider says.
    #[oai(default)]
    trusts_second_factor: bool,
}

impl Choice {
    /// What is to be kept.
    ///
    /// # Errors
    /// `invalid` with every field that breaks a rule.
    pub fn into_provider(self, before: Option<Provider>, config: &Config) -> Result<Provider> {
        let mut faults = Faults::default();
        if !sso::is_listed(config, &self.issuer) {
            faults.add("issuer", "errors.fields.issuer");
        }
        faults.required("clientId", &self.client_id, 200);
        faults.required("name", &self.name, 60);
        // A secret belongs to the provider and the name that it was given for.
        let before = before.filter(|before| before.issuer == self.issuer && before.client_id == self.client_id.trim());
        let secret = self.client_secret.filter(|secret| !secret.is_empty()).map(ClientSecret);
        let secret = secret.or_else(|| before.map(|before| before.client_secret));
        match &secret {
            None => faults.add("clientSecret", "errors.fields.required"),
            Some(secret) => faults.at_most("clientSecret", &secret.0, 1_000),
        }
        let role = self.role.unwrap_or(Role::Member);
        if role > Role::Member {
            faults.add("role", "errors.fields.role");
        }
        let domains = tenants::domains(&self.domains);
        tenants::note_hosts(&domains, "domains", &mut faults);
        if self.create_members && domains.is_empty() {
            faults.add("domains", "errors.fields.required");
        }
        faults.into_result()?;
        Ok(Provider {
            issuer: self.issuer,
            client_id: self.client_id.trim().to_owned(),
            client_secret: secret.unwrap_or(ClientSecret(String::new())),
            name: text::line(&self.name),
            create_members: self.create_members,
            role,
            domains,
            second_factor: self.trusts_second_factor,
        })
    }
}
