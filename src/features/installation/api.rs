//! The call that the interface begins with.

use poem_openapi::{Object, OpenApi};
use serde::Serialize;

use crate::{
    access::{
        Visitor,
        members::{Company, SCHEMES},
    },
    config::Config,
    kernel::{Id, i18n::Locale},
    mail::Mailer,
    wire::{JsonResponse, Reply},
};

/// The layout of whoever chose none.
const LAYOUT: &str = "modern";

/// A company as it shows itself to anybody; the installation in its place where the host names none.
#[derive(Serialize, Object)]
#[oai(rename = "VersionCompany")]
struct Face {
    #[oai(skip_serializing_if_is_none)]
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<Id<Company>>,
    name: String,
    /// The path of a picture for light ground.
    #[oai(nullable)]
    logotipo_dark: Option<String>,
    /// The path of a picture for dark ground.
    #[oai(nullable)]
    logotipo_light: Option<String>,
    /// One of the 21 colour schemes.
    color_scheme: String,
    layout: String,
    /// Where the company's people find help; the built-in help when null.
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

/// How one gets in at the host.
#[derive(Serialize, Object)]
#[oai(rename = "VersionSignIn")]
struct Ways {
    /// What can be signed up for: a `company` of one's own, the `first` one with the link that the start printed, to
    /// `join` the company of the host, or nothing.
    #[oai(nullable)]
    sign_up: Option<String>,
    /// Whether the host has passkeys.
    passkeys: bool,
    /// Whether the server sends email. Where it sends none, links for new passwords and confirmations are kept on it.
    sends_email: bool,
    /// The provider that the company of the host signs in by.
    #[oai(nullable)]
    single_sign_on: Option<Provider>,
}

/// Whom a company lets vouch for its people.
#[derive(Serialize, Object)]
#[oai(rename = "SignInProvider")]
struct Provider {
    /// What to call it.
    name: String,
    /// The company's slug, for `/api/auth/oidc/start`.
    company: String,
}

/// What the interface must know before it starts.
#[derive(Serialize, Object)]
#[oai(rename = "Version")]
struct View {
    company: Face,
    /// The version of the interface.
    front_version: String,
    /// The version of the server.
    server_version: String,
    /// Who may make a company here: `open` anybody, `first` only while there is none, `closed` nobody.
    signup: String,
    /// How one gets in here.
    sign_in: Ways,
    /// The codes of the languages that are offered.
    locales: Vec<String>,
    /// Whether changes are saved now; false while the server's disk is full or fails.
    writable: bool,
}

/// The calls.
pub struct Api;

#[OpenApi(prefix_path = "/global/version", tag = "crate::wire::Tag::Global")]
impl Api {
    /// Whose installation this is, in which colours and languages, and its versions. Needs no sign-in; who is
    /// signed in sees their own company, whatever the host.
    #[oai(path = "/", method = "get", operation_id = "getVersion")]
    async fn get(&self, visitor: Visitor, mailer: Mailer) -> Reply<JsonResponse<View>> {
        let company = match visitor.company()? {
            Some(company) => Face::of_company(company.id, company.value),
            None => Face::of_installation(visitor.config()),
        };
        // Server and interface are one binary: one version.
        let version = env!("CARGO_PKG_VERSION");
        Ok(JsonResponse(View {
            company,
            front_version: version.to_owned(),
            server_version: version.to_owned(),
            signup: visitor.config().signup.word().to_owned(),
            sign_in: Ways {
                sign_up: visitor.offer()?.map(|offer| offer.word().to_owned()),
                passkeys: visitor.has_passkeys()?,
                sends_email: !mailer.keeps(),
                single_sign_on: visitor
                    .single_sign_on()?
                    .map(|(provider, company)| Provider { name: provider.name, company }),
            },
            locales: Locale::codes().into_iter().map(str::to_owned).collect(),
            writable: visitor.is_writable(),
        }))
    }
}
