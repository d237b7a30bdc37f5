//! API of the installation's public information, which the interface requests first.

use poem_openapi::{Object, OpenApi};
use serde::Serialize;

use crate::{
    access::Visitor,
    config::Config,
    kernel::{Id, i18n::Locale},
    mail::Mailer,
    people::members::{Company, SCHEMES},
    wire::{JsonResponse, Reply},
};

/// The default layout.
const LAYOUT: &str = "modern";

/// The public view of a company; of the installation where the host belongs to no company.
#[derive(Serialize, Object)]
#[oai(rename = "VersionCompany")]
struct Face {
    #[oai(skip_serializing_if_is_none)]
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<Id<Company>>,
    name: String,
    /// The path of the logo for light backgrounds.
    #[oai(nullable)]
    logotipo_dark: Option<String>,
    /// The path of the logo for dark backgrounds.
    #[oai(nullable)]
    logotipo_light: Option<String>,
    /// One of the 21 colour schemes.
    color_scheme: String,
    layout: String,
    /// Where members find help; the built-in help when null.
    #[oai(nullable)]
    support_link: Option<String>,
}

impl Face {
    fn of_company(id: Id<Company>, company: Company) -> Self {
        let known = SCHEMES.contains(&company.color_scheme.as_str());
        Self {
            id: Some(id),
            name: company.name,
            logotipo_dark: company.logotipo_dark,
            logotipo_light: company.logotipo_light,
            color_scheme: if known { company.color_scheme } else { "default".to_owned() },
            layout: company.layout,
            support_link: company.support_link,
        }
    }

    fn of_installation(config: &Config) -> Self {
        Self {
            id: None,
            name: config.installation.name.clone(),
            logotipo_dark: None,
            logotipo_light: None,
            color_scheme: config.installation.color_scheme.clone(),
            layout: LAYOUT.to_owned(),
            support_link: None,
        }
    }
}

/// The ways to sign in and sign up at the host.
#[derive(Serialize, Object)]
#[oai(rename = "VersionSignIn")]
struct Ways {
    /// What sign-up creates: a `company`, the `first` company of the installation (with the link that the server
    /// printed at its start), or an account that may `join` the company of the host. Null when sign-up is closed.
    #[oai(nullable)]
    sign_up: Option<String>,
    /// Whether passkeys work at the host.
    passkeys: bool,
    /// Whether the server sends email. If not, emails with links for passwords and confirmations are kept on the
    /// server.
    sends_email: bool,
    /// The single sign-on provider of the host's company.
    #[oai(nullable)]
    single_sign_on: Option<Provider>,
}

/// A single sign-on provider of a company.
#[derive(Serialize, Object)]
#[oai(rename = "SignInProvider")]
struct Provider {
    /// The display name of the provider.
    name: String,
    /// The company's slug, for `/api/auth/oidc/start`.
    company: String,
}

/// What the interface needs before it starts.
#[derive(Serialize, Object)]
#[oai(rename = "Version")]
struct View {
    company: Face,
    /// The version of the interface.
    front_version: String,
    /// The version of the server.
    server_version: String,
    /// Who may create a company: `open` for all visitors, `first` while there is none, `closed` for none.
    signup: String,
    /// The ways to sign in and sign up.
    sign_in: Ways,
    /// Codes of the available languages.
    locales: Vec<String>,
    /// Whether changes can be saved; false while the server's disk is full or failing.
    writable: bool,
}

/// The API of the installation's public information.
pub struct Api;

#[OpenApi(prefix_path = "/global/version", tag = "crate::wire::Tag::Global")]
impl Api {
    /// Get the public information about the installation.
    ///
    /// No sign-in is needed. Callers who are signed in get their own company, at any host.
    #[oai(path = "/", method = "get", operation_id = "getVersion")]
    async fn get(&self, visitor: Visitor, mailer: Mailer) -> Reply<JsonResponse<View>> {
        let company = match visitor.company()? {
            Some(company) => Face::of_company(company.id, company.value.clone()),
            None => Face::of_installation(visitor.config()),
        };
        // Server and interface are one binary with one version.
        let version = env!("CARGO_PKG_VERSION");
        Ok(JsonResponse(View {
            company,
            front_version: version.to_owned(),
            server_version: version.to_owned(),
            signup: visitor.config().signup.config_value().to_owned(),
            sign_in: Ways {
                sign_up: visitor.offer()?.map(|offer| offer.word().to_owned()),
                passkeys: visitor.has_passkeys()?,
                sends_email: !mailer.stores_locally(),
                single_sign_on: visitor
                    .single_sign_on()?
                    .map(|(provider, company)| Provider { name: provider.name, company }),
            },
            locales: Locale::codes().into_iter().map(str::to_owned).collect(),
            writable: visitor.is_writable(),
        }))
    }
}
