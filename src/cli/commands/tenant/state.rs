//! `atrium tenant suspend` and `atrium tenant resume`: whether the members of a company can sign in.

use crate::{cli::prelude::*, people::members::Company};

impl TenantSlug {
    /// Suspends the company.
    pub async fn suspend(&self, context: &Context) -> Result<Answer> {
        let before = context.tenant(&self.slug)?;
        let after = companies::suspend(&context.store, before.id).await?;
        answer_change(context, &before, after, Answer::TenantSuspended)
    }

    /// Resumes the company.
    pub async fn resume(&self, context: &Context) -> Result<Answer> {
        let before = context.tenant(&self.slug)?;
        let after = companies::resume(&context.store, before.id).await?;
        answer_change(context, &before, after, Answer::TenantResumed)
    }
}

/// Returns the answer, which may be that nothing changed.
fn answer_change(
    context: &Context,
    before: &Tenant,
    company: Stored<Company>,
    answer: fn(TenantShown) -> Answer,
) -> Result<Answer> {
    let answer = if company.version == before.company.version { Answer::TenantAlready } else { answer };
    TenantShown::new(&context.store.snapshot()?, &Tenant { id: before.id, company }).map(answer)
}

/// Returns what is printed when nothing changed.
pub fn already(tenant: &TenantShown) -> String {
    tenant.about(&format!("was already {}. Nothing was changed", tenant.state))
}

/// Returns what is printed for a suspended tenant.
pub fn suspended(tenant: &TenantShown) -> String {
    let slug = &tenant.slug;
    tenant.about(&format!("is suspended. No one can sign in until you run `atrium tenant resume {slug}`"))
}
