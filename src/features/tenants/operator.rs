//! Operator commands that create and list tenants, run from the command line and never reachable from the web.

use super::{create::create_tenant, model::NewTenant};
use crate::{
    access::passwords::{self, Passwords},
    kernel::{Result, TenantId},
    people::members::{self, Company, MemberRecord, MemberState},
    store::{Actor, Snapshot, Store, Stored},
};

/// A tenant: its id and its company record.
#[derive(Clone, Debug)]
pub struct Tenant {
    /// The tenant's id.
    pub id: TenantId,
    /// The company record.
    pub company: Stored<Company>,
}

/// Creates a tenant together with its owner, in one write.
/// Errors: `invalid` with all faulty fields, or at `password`; `conflict` at `slug` or `domains` when another tenant
/// has it; `slow_down` when too many passwords are being hashed.
pub async fn create(
    store: &Store,
    passwords: &Passwords,
    new: NewTenant,
    owner_password: String,
) -> Result<(Tenant, Stored<MemberRecord>)> {
    new.check()?;
    passwords::check_new_password(&owner_password, &[&new.name, &new.slug, &new.owner.name, &new.owner.email])?;
    let hash = passwords.hash(owner_password, &new.owner.email).await?;
    let founded = create_tenant(store, Actor::Operator, new, (hash, MemberState::Active), |_, _, _| Ok(())).await?;
    Ok((Tenant { id: founded.tenant, company: founded.company }, founded.owner))
}

/// Returns all tenants, by slug.
pub fn list(snapshot: &Snapshot) -> Result<Vec<Tenant>> {
    let tenants = members::tenants(snapshot)?.into_iter();
    let mut tenants: Vec<Tenant> = tenants.map(|id| at(snapshot, id)).collect::<Result<_>>()?;
    tenants.sort_by(|a, b| a.company.slug.cmp(&b.company.slug));
    Ok(tenants)
}

/// Finds the tenant with a slug.
/// Errors: `not_found` when there is none.
pub fn show(snapshot: &Snapshot, slug: &str) -> Result<Tenant> {
    at(snapshot, members::tenant_by_slug(snapshot, slug)?)
}

fn at(snapshot: &Snapshot, id: TenantId) -> Result<Tenant> {
    Ok(Tenant { id, company: Company::of(&snapshot.tenant(id, None))? })
}
