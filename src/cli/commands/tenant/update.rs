//! `atrium tenant update`: changes a company.

use super::region::RegionFlags;
use crate::{cli::prelude::*, config::COLOR_SCHEMES, features::operator::companies::Changes};

#[derive(Debug, Args, Serialize, Deserialize)]
#[command(after_help = "Examples:
  atrium tenant update acme --locale es --timezone Europe/Madrid
  atrium tenant update acme --domain work.acme.example --domain acme.example")]
pub struct UpdateTenant {
    /// The company's slug
    #[arg(value_name = "SLUG")]
    tenant: String,
    #[command(flatten)]
    changes: ChangeFlags,
}

/// The changes, as flags and as they are sent.
#[derive(Debug, Args, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct ChangeFlags {
    /// Another slug
    #[arg(long, value_name = "NEW")]
    slug: Option<String>,
    /// Another name
    #[arg(long)]
    name: Option<String>,
    /// Another color scheme, such as teal
    #[arg(long, value_parser = COLOR_SCHEMES, hide_possible_values = true)]
    color_scheme: Option<String>,
    /// Another layout, such as modern
    #[arg(long)]
    layout: Option<String>,
    /// Another language, such as en or es
    #[arg(long)]
    locale: Option<String>,
    /// Another time zone, such as Europe/Madrid
    #[arg(long)]
    timezone: Option<String>,
    #[command(flatten)]
    #[serde(default)]
    region: RegionFlags,
    /// A host name of the company, in place of those it has; may be given several times
    #[arg(long = "domain", value_name = "HOST")]
    domains: Option<Vec<String>>,
    /// Remove all host names
    #[arg(long, conflicts_with = "domains")]
    #[serde(skip)]
    no_domains: bool,
}

impl UpdateTenant {
    /// Converts `--no-domains`.
    pub fn with_domains(mut self) -> Self {
        if self.changes.no_domains {
            self.changes.domains = Some(Vec::new());
        }
        self
    }

    /// Changes the company.
    pub async fn run(self, context: &Context) -> Result<TenantShown> {
        let ChangeFlags { slug, name, color_scheme, layout, locale, timezone, region, domains, .. } = self.changes;
        let changes = Changes { slug, name, color_scheme, layout, locale, timezone, region: region.into(), domains };
        let id = context.tenant(&self.tenant)?.id;
        context.app()?.auth.refuse_own_hosts(changes.domains.as_deref().unwrap_or_default())?;
        let company = companies::update(&context.store, id, changes).await?;
        TenantShown::new(&context.store.snapshot()?, &Tenant { id, company })
    }
}
