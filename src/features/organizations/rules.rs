//! Operations on organizations: validation and references.

use super::model::{BY_NAME, Organization};
use crate::{
    features::{
        files, kinds,
        records::{check_reference, fields::check_values},
    },
    kernel::{Id, Result, error::Faults},
    people::members::MemberRecord,
    store::{Record as _, Scan, Stored, TenantRead, TenantWrite},
};

/// Returns the oldest organization with this folded name.
pub fn find_by_name(tx: &TenantRead<'_>, folded: &str) -> Result<Option<Stored<Organization>>> {
    Ok(tx.page::<Organization>(&Scan::with(BY_NAME, folded).limit(1), |_| true)?.items.pop())
}

/// Creates an organization.
/// Errors: `invalid`.
pub fn create(tx: &TenantWrite<'_>, mut organization: Organization) -> Result<Stored<Organization>> {
    check(tx, &mut organization, None)?;
    tx.create(organization)
}

/// Changes an organization; `expected` is the version that the caller read, if given.
/// Errors: `not_found`, `stale_version`, `invalid`.
pub fn change(
    tx: &TenantWrite<'_>,
    id: Id<Organization>,
    expected: Option<u64>,
    change: impl FnOnce(Organization) -> Organization,
) -> Result<Stored<Organization>> {
    let mut is_renamed = false;
    let new = tx.update::<Organization>(id, expected, |organization| {
        let old = organization.clone();
        let mut new = change(old.clone());
        check(tx, &mut new, Some(&old))?;
        is_renamed = new.name != old.name;
        *organization = new;
        Ok(())
    })?;
    if is_renamed {
        announce_name(tx, new.id)?;
    }
    Ok(new)
}

/// Gives the name of an organization to the records of other kinds that keep it.
pub(super) fn announce_name(tx: &TenantWrite<'_>, id: Id<Organization>) -> Result<()> {
    let mut followers = kinds().filter_map(|kind| kind.follow_name);
    followers.try_for_each(|follow| follow(tx, Organization::KIND, id.uuid()))
}

/// Normalizes and validates an organization. References that were there before may no longer resolve; only new ones must.
fn check(tx: &TenantWrite<'_>, organization: &mut Organization, old: Option<&Organization>) -> Result<()> {
    let mut faults = Faults::default();
    organization.tidy();
    // A merge or an undo may put back what earlier versions kept.
    let put_back = tx.is_putting_back().then(|| organization.clone());
    organization.check(put_back.as_ref().or(old), &mut faults);
    check_reference::<MemberRecord, _>(tx, (organization, old), "ownerId", |one| one.owner_id, &mut faults)?;
    let before = old.and_then(|old| old.logo.as_deref());
    files::check_picture(tx, "logo", organization.logo.as_deref(), before, &mut faults)?;
    check_values::<Organization>(tx, &mut organization.fields, old.map(|old| &old.fields), &mut faults)?;
    faults.into_result()
}
