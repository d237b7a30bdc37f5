//! The company of a customer who belongs to an organization is the organization's name. It is kept in the customer, so
//! that lists, search and exports have it, and follows when the organization is renamed: for the first customers in the
//! same write, for the others in the background.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::model::{BY_ORGANIZATION, Customer};
use crate::{
    features::organizations::Organization,
    kernel::{Id, Result, error::Faults, text},
    store::{Record, Scan, Stored, TenantRead, TenantRecord, TenantWrite},
};

/// How many customers one write gives the new name, so that other writes do not wait for long.
pub(super) const AT_ONCE: usize = 50;

/// A renamed organization with customers who have its earlier name still. It has the id of the organization.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Renaming {
    /// Where the customers begin who are not done.
    pub cursor: Vec<u8>,
}

impl Record for Renaming {
    type Key = Organization;
    const KIND: &'static str = "renaming";
    const TABLE: u16 = 58;
}
impl TenantRecord for Renaming {}

/// Gives the customers of a renamed organization its name as their company, and leaves those beyond the first to the
/// background.
pub(super) fn follow_name(tx: &TenantWrite<'_>, kind: &str, id: Uuid) -> Result<()> {
    if kind != Organization::KIND {
        return Ok(());
    }
    let organization = &tx.get::<Organization>(Id::from(id))?;
    if tx.find_intact::<Renaming>(organization.id)?.is_some() {
        tx.remove::<Renaming>(organization.id, None)?;
    }
    if let Some(cursor) = follow_some(tx, organization, None)? {
        tx.create_at(organization.id, Renaming { cursor })?;
    }
    Ok(())
}

/// Gives the next customers that `follow_name` has left the name. Returns whether there is more to do.
pub fn follow_next(tx: &TenantWrite<'_>, id: Id<Organization>) -> Result<bool> {
    let Some(left) = tx.find::<Renaming>(id)? else { return Ok(false) };
    let organization = tx.find::<Organization>(id)?;
    let next = organization.map_or(Ok(None), |organization| follow_some(tx, &organization, Some(left.value.cursor)))?;
    let Some(cursor) = next else { return tx.remove::<Renaming>(id, None).map(|_| false) };
    tx.update(id, None, |left: &mut Renaming| {
        left.cursor = cursor;
        Ok(())
    })?;
    Ok(true)
}

/// Gives a page of customers the name. Returns where the next page begins.
fn follow_some(
    tx: &TenantWrite<'_>,
    organization: &Stored<Organization>,
    after: Option<Vec<u8>>,
) -> Result<Option<Vec<u8>>> {
    let scan = Scan::with(BY_ORGANIZATION, organization.id.as_bytes()).limit(AT_ONCE).after(after);
    let page = tx.page::<Customer>(&scan, |_| true)?;
    for customer in page.items {
        tx.rewrite(&customer, |customer| customer.details.company = Some(organization.name.clone()))?;
    }
    Ok(page.next)
}

/// Checks the organization of a customer, and takes its name as the company. One that was there before may be in the bin.
pub(super) fn take_name(
    tx: &TenantRead<'_>,
    customer: &mut Customer,
    old: Option<&Customer>,
    faults: &mut Faults,
) -> Result<()> {
    let Some(id) = customer.organization_id else { return Ok(()) };
    let Some(organization) = tx.find::<Organization>(id)? else {
        if old.and_then(|old| old.organization_id) != Some(id) {
            faults.add("organizationId", "errors.fields.unknown_reference");
        }
        return Ok(());
    };
    let had = old.and_then(|old| old.details.company.as_ref());
    let typed = customer.details.company.replace(organization.value.name);
    let is_another = |typed: &str, name: &str| text::fold(typed) != text::fold(name);
    if let (Some(typed), Some(name)) = (&typed, &customer.details.company)
        && had != Some(typed)
        && is_another(typed, name)
    {
        faults.add("details.company", "errors.fields.company_of_organization");
    }
    Ok(())
}
