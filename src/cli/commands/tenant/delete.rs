//! `atrium tenant delete`: deletes a company with all its data.

use crate::{cli::prelude::*, store::Actor};

#[derive(Debug, Args, Serialize, Deserialize)]
#[command(after_help = "Examples:
  atrium tenant delete acme --yes
  atrium tenant delete acme-copy --yes --json")]
pub struct DeleteTenant {
    /// The company's slug
    slug: String,
    /// Confirm that everything is deleted
    #[arg(long, required = true)]
    #[serde(skip)]
    yes: bool,
}

impl DeleteTenant {
    /// Deletes the company.
    pub async fn run(self, context: &Context) -> Result<TenantShown> {
        let tenant = context.tenant(&self.slug)?;
        let shown = TenantShown::new(&context.store.snapshot()?, &tenant)?;
        context.app()?.eraser.erase(tenant.id, Actor::Operator).await?;
        // The tenant's audit log was erased as well, so the server's log is the only record.
        let id = &shown.id;
        let slug = self.slug;
        let members = shown.members;
        tracing::warn!(id, slug, members, "the operator erased a company");
        Ok(shown)
    }
}
