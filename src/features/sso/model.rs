//! API types of single sign-on, and validation of the provider's settings.

use poem_openapi::Object;
use serde::Serialize;
use serde_with::skip_serializing_none;

use crate::{
    access::sso::{self, ClientSecret, Provider},
    config::Config,
    features::tenants,
    kernel::{Result, error::Faults, text},
    people::permission::Role,
};

/// The single sign-on settings, visible to the company's owners.
#[skip_serializing_none]
#[derive(Debug, Serialize, Object)]
#[oai(rename = "SingleSignOn", rename_all = "camelCase", skip_serializing_if_is_none)]
#[serde(rename_all = "camelCase")]
pub struct View {
    /// Issuers that the operator allows; empty when single sign-on is off.
    issuers: Vec<String>,
    /// The redirect URI to register with the provider; absent while the installation's own address is unknown.
    redirect_uri: Option<String>,
    /// The provider that the company has chosen.
    provider: Option<ProviderView>,
}

/// The provider that a company has chosen. Its client secret is never returned.
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
    /// Creates the view from the stored provider and the operator's configuration.
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
        Self { issuers: config.sign_in.issuers.clone(), redirect_uri: sso::redirect_uri(config), provider }
    }
}

/// The settings of a provider.
#[derive(Object)]
#[oai(rename = "SignOnProviderInput", rename_all = "camelCase", deny_unknown_fields)]
pub struct Choice {
    /// The issuer: one of those that the operator allows.
    issuer: String,
    /// The OAuth client id of the company: 1 to 200 characters.
    client_id: String,
    /// The client secret, at most 1,000 characters; the previous one stays when absent and the issuer and client id are
    /// unchanged.
    client_secret: Option<String>,
    /// The label of the sign-in button: 1 to 60 characters.
    name: String,
    /// Whether a person without an account becomes a member at their first sign-in.
    #[oai(default)]
    create_members: bool,
    /// The role of such members: at most `member`; `member` when absent.
    role: Option<Role>,
    /// Email domains of such members, at most 20; at least one when `createMembers` is set.
    #[oai(default)]
    domains: Vec<String>,
    /// Whether the provider's sign-in counts as a second factor, whatever its token says.
    #[oai(default)]
    trusts_second_factor: bool,
}

impl Choice {
    /// Validates the settings and returns the provider to store.
    /// Errors: `invalid` with every faulty field.
    pub fn into_provider(self, before: Option<Provider>, config: &Config) -> Result<Provider> {
        let mut faults = Faults::default();
        if !sso::is_listed(config, &self.issuer) {
            faults.add("issuer", "errors.fields.issuer");
        }
        faults.required("clientId", &self.client_id, 200);
        faults.required("name", &self.name, 60);
        // A secret is valid only for the issuer and client id that it was entered for.
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
