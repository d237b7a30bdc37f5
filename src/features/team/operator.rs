//! What the operator does to a company's people by the command line.

use super::{model::NewMember, rules};
use crate::{
    access::{
        members::MemberRecord,
        passwords::{self, Passwords},
        sessions::Sessions,
    },
    kernel::{Result, TenantId},
    store::{Actor, Store, Stored},
};

/// Adds an active member to a tenant.
///
/// # Errors
/// `invalid`, also at `password`; `conflict` when the address is taken; `slow_down` when too many
/// passwords are hashed at once.
pub async fn create_user(
    store: &Store,
    passwords: &Passwords,
    tenant: TenantId,
    new: NewMember,
    password: String,
) -> Result<Stored<MemberRecord>> {
    // First what costs nothing: a wrong form is not worth a hashing.
    new.clone().into_record()?;
    passwords::acceptable(&password)?;
    let hash = passwords.hash(password).await?;
    Ok(store.write(tenant, Actor::Operator, move |tx| rules::add(tx, new, hash)).await?.0)
}

/// All members of a tenant, by name.
///
/// # Errors
/// `busy` or `internal` when they cannot be read.
pub fn list_users(store: &Store, tenant: TenantId) -> Result<Vec<Stored<MemberRecord>>> {
    rules::all(&store.snapshot()?.tenant(tenant, None))
}

/// Gives the member with an address another password, and ends all their sessions.
///
/// # Errors
/// `not_found` when nobody of the tenant has the address; `invalid` at `password`; `slow_down`.
pub async fn set_password(
    store: &Store,
    passwords: &Passwords,
    sessions: &Sessions,
    tenant: TenantId,
    email: &str,
    password: String,
) -> Result<Stored<MemberRecord>> {
    let id = rules::by_email(&store.snapshot()?.tenant(tenant, None), email)?.id;
    passwords::acceptable(&password)?;
    let hash = passwords.hash(password).await?;
    let (member, _) = store.write(tenant, Actor::Operator, move |tx| rules::set_password(tx, id, hash)).await?;
    sessions.forget_all(id.cast());
    Ok(member)
}
