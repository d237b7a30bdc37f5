//! Closing of tenants by their owner. The members lose access at once; the data is erased after 30 days. Until then the
//! operator can reopen the tenant.

use crate::{
    kernel::{Code, Error, Result, Timestamp},
    people::{
        audit::{self, Event},
        members::{Company, CompanyState, MemberRecord},
        permission::{Permission, Role},
    },
    store::TenantWrite,
};

/// Days after which a closed tenant's data is erased.
const KEPT_DAYS: i64 = 30;

/// Returns the time at which a closed tenant's data is erased; `None` for a tenant that is not closed.
pub fn erased_at(company: &Company) -> Option<Timestamp> {
    let closed = company.closed_at.filter(|_| company.state == CompanyState::Closed);
    closed.map(|at| at.plus_seconds(KEPT_DAYS * 24 * 3_600))
}

/// Closes the tenant: from now on every request of its sessions and links is refused. Returns the time at which the data is
/// erased. The caller ends the sessions and links afterwards, and so does who opens the tenant again.
/// Errors: `forbidden` when the actor is no longer an owner; `invalid` at `slug` when it is not the tenant's slug.
pub fn close(tx: &TenantWrite<'_>, slug: &str, from: String) -> Result<Timestamp> {
    may_end(tx)?;
    let company = tx.update::<Company>(Company::id(tx.tenant()), None, |company| {
        if company.slug != slug.trim() {
            return Err(Error::field("slug", "errors.fields.other_slug"));
        }
        company.state = CompanyState::Closed;
        company.closed_at = Some(tx.now());
        Ok(())
    })?;
    audit::write(tx, Event::new("company.closed").about_company(&company).from_address(from))?;
    Ok(erased_at(&company).unwrap_or_else(|| tx.now()))
}

/// Checks whether the actor may close the tenant at the time of the write.
fn may_end(tx: &TenantWrite<'_>) -> Result<()> {
    let Some(id) = tx.actor().member() else { return Ok(()) };
    let role: Option<Role> = tx.find::<MemberRecord>(id)?.map(|member| member.role);
    if role.is_some_and(|role| role.has(Permission::TenantOwn)) { Ok(()) } else { Err(Error::new(Code::Forbidden)) }
}
