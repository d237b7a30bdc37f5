//! `atrium tenant create`: creates a company and its owner.

use super::region::RegionFlags;
use crate::{
    cli::prelude::*,
    config::COLOR_SCHEMES,
    features::tenants::{self, NewTenant, Owner},
    people::region::RegionChoice,
};

#[derive(Debug, Args, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[command(after_help = "Examples:
  atrium tenant create --slug acme --name Acme --owner-name Ada --owner-email ada@acme.example
  atrium tenant create --slug acme --name Acme --owner-name Ada --owner-email ada@acme.example --owner-password-file /etc/atrium/password --color-scheme teal --timezone Europe/Madrid")]
pub struct CreateTenant {
    /// The short name in addresses: lowercase letters, digits and hyphens
    #[arg(long)]
    pub slug: String,
    /// The company's name
    #[arg(long)]
    pub name: String,
    /// The name of its owner
    #[arg(long)]
    pub owner_name: String,
    /// The owner's email address
    #[arg(long)]
    pub owner_email: String,
    /// Read the owner's password from standard input
    #[arg(long, conflicts_with = "owner_password_file")]
    #[serde(skip)]
    pub owner_password_stdin: bool,
    /// Read the owner's password from a file
    #[arg(long, value_name = "FILE")]
    #[serde(skip)]
    pub owner_password_file: Option<PathBuf>,
    #[arg(skip)]
    pub owner_password: Password,
    /// The color scheme, such as teal
    #[arg(long, value_parser = COLOR_SCHEMES, hide_possible_values = true)]
    pub color_scheme: Option<String>,
    /// The language, such as en or es
    #[arg(long)]
    pub locale: Option<String>,
    /// The time zone, such as Europe/Madrid
    #[arg(long)]
    pub timezone: Option<String>,
    #[command(flatten)]
    pub region: RegionFlags,
    /// A host name of the company; may be given several times
    #[arg(long = "domain", value_name = "HOST")]
    pub domains: Vec<String>,
}

impl CreateTenant {
    /// Reads the owner's password.
    pub fn read_password(&mut self) -> Result<(), PasswordError> {
        let file = self.owner_password_file.as_deref();
        self.owner_password = read_password("--owner-password", self.owner_password_stdin, file, &NEW_PASSWORD)?;
        Ok(())
    }

    /// Creates the company.
    pub async fn run(self, context: &Context) -> Result<TenantMade> {
        let auth = &context.app()?.auth;
        let new = NewTenant {
            slug: self.slug,
            name: self.name,
            color_scheme: self.color_scheme,
            layout: None,
            locale: self.locale,
            timezone: self.timezone,
            region: RegionChoice::from(self.region).with_currency(),
            domains: self.domains,
            owner: Owner { name: self.owner_name, email: self.owner_email },
        };
        auth.refuse_own_hosts(&new.domains)?;
        let password = self.owner_password.0;
        let (tenant, owner) = tenants::operator::create(&context.store, auth.passwords(), new, password).await?;
        let tenant = TenantShown::new(&context.store.snapshot()?, &tenant)?;
        Ok(TenantMade { tenant, owner_id: owner.id.to_string(), owner_email: owner.value.email })
    }
}

/// A created tenant and its owner.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TenantMade {
    #[serde(flatten)]
    pub tenant: TenantShown,
    pub owner_id: String,
    pub owner_email: String,
}

impl TenantMade {
    pub fn text(&self) -> String {
        let TenantShown { name, slug, .. } = &self.tenant;
        let email = &self.owner_email;
        format!("The company {name} was created. Its short name is {slug}. {email} is the owner and can sign in now.")
    }
}
