//! Closing of tenants by their owner. The members lose access at once; the data is erased after 30 days. Until then the
//! operator can reopen the tenant.

use crate::{
    access::{links::Link, sessions::Session},
    kernel::{Code, Error, MemberId, Result, Timestamp},
    people::{
        audit::{self, Event},
        members::{Company, CompanyState, MemberRecord},
        permission::{Permission, Role},
    },
    store::{RecordId, Stored, TenantRecord, TenantWrite},
};

/// Days after which a closed tenant's data is erased.
const KEPT_DAYS: i64 = 30;

/// Returns the time at which a closed tenant's data is erased; `None` for a tenant that is not closed.
pub fn erased_at(company: &Company) -> Option<Timestamp> {
    let closed = company.closed_at.filter(|_| company.state == CompanyState::Closed);
    closed.map(|at| at.plus_seconds(KEPT_DAYS * 24 * 3_600))
}

/// Closes the tenant: ends all sessions and revokes all mailed links. Returns the members whose sessions ended, and the
/// time at which the data is erased.
/// Errors: `forbidden` when the actor is no longer an owner; `invalid` at `slug` when it is not the tenant's slug.
pub fn close(tx: &TenantWrite<'_>, slug: &str, from: String) -> Result<(Vec<MemberId>, Timestamp)> {
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
    remove_all::<Link>(tx)?;
    let mut people: Vec<MemberId> = remove_all::<Session>(tx)?.into_iter().map(|session| session.member).collect();
    people.sort_unstable();
    people.dedup();
    Ok((people, erased_at(&company).unwrap_or_else(|| tx.now())))
}

/// Checks whether the actor may close the tenant at the time of the write.
fn may_end(tx: &TenantWrite<'_>) -> Result<()> {
    let Some(id) = tx.actor().member() else { return Ok(()) };
    let role: Option<Role> = tx.find::<MemberRecord>(id)?.map(|member| member.role);
    if role.is_some_and(|role| role.has(Permission::TenantOwn)) { Ok(()) } else { Err(Error::new(Code::Forbidden)) }
}

fn remove_all<R: TenantRecord>(tx: &TenantWrite<'_>) -> Result<Vec<Stored<R>>> {
    let mut ids: Vec<RecordId<R>> = Vec::new();
    tx.each::<R>(|record| {
        ids.push(record.id);
        Ok(())
    })?;
    ids.into_iter().map(|id| tx.remove(id, None)).collect()
}
