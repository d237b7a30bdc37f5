//! Making organizations of the companies that customers name: what would be made, and the change that makes it.

use std::{
    cmp::Reverse,
    collections::{HashMap, HashSet},
};

use uuid::Uuid;

use super::{model::Customer, rules};
use crate::{
    feature::BulkChanged,
    features::organizations::{self, MAX_NAME, Organization},
    kernel::{Id, MemberId, Result, error::Faults, text},
    people::permission::{Permission, Reader},
    store::{Record as _, Stored, TenantRead, TenantWrite},
};

/// The name of the change in bulk.
pub const MAKE_ORGANIZATIONS: &str = "make_organizations";

/// A company that customers without an organization name, whatever its case and accents.
#[derive(Debug)]
pub struct NamedCompany {
    /// Its name, in the spelling of most customers.
    pub name: String,
    /// The organization of this name, if there is one.
    pub organization: Option<Id<Organization>>,
    /// The customers, those with this spelling first.
    pub customers: Vec<Uuid>,
}

impl NamedCompany {
    /// Its place among all: those of most customers come first.
    pub fn place(&self) -> (Reverse<usize>, &str) {
        (Reverse(self.customers.len()), &self.name)
    }
}

/// Which companies become organizations, by their names.
#[derive(Debug)]
pub struct ChosenCompanies {
    /// Only these; all without it.
    pub only: Option<Vec<String>>,
    /// These do not.
    pub except: Vec<String>,
}

/// Returns the companies that customers without an organization name, those of most customers first.
pub fn companies(tx: &TenantRead<'_>) -> Result<Vec<NamedCompany>> {
    let mut spellings: HashMap<String, HashMap<String, Vec<Uuid>>> = HashMap::new();
    tx.each::<Customer>(|customer| {
        if let Stored { id, value: Customer { organization_id: None, details, .. }, .. } = customer
            && let Some(company) = details.company
        {
            spellings.entry(text::fold(&company)).or_default().entry(company).or_default().push(id.uuid());
        }
        Ok(())
    })?;
    let mut found = Vec::with_capacity(spellings.len());
    for (folded, spellings) in spellings {
        let mut spellings: Vec<_> = spellings.into_iter().collect();
        spellings.sort_unstable_by_key(|(name, customers)| (Reverse(customers.len()), name.clone()));
        let Some((name, _)) = spellings.first().cloned() else { continue };
        let organization = organizations::find_by_name(tx, &folded)?.map(|organization| organization.id);
        let customers = spellings.into_iter().flat_map(|(_, customers)| customers).collect();
        found.push(NamedCompany { name, organization, customers });
    }
    found.sort_unstable_by(|a, b| a.place().cmp(&b.place()));
    Ok(found)
}

/// Returns the customers of the chosen companies, for the change `MAKE_ORGANIZATIONS`.
pub fn customers_of_companies(tx: &TenantRead<'_>, chosen: &ChosenCompanies) -> Result<Vec<Uuid>> {
    let folded = |names: &[String]| names.iter().map(|name| text::fold(&text::line(name))).collect::<HashSet<_>>();
    let only = chosen.only.as_deref().map(folded);
    let except = folded(&chosen.except);
    let is_chosen = |company: &NamedCompany| {
        let name = text::fold(&company.name);
        only.as_ref().is_none_or(|only| only.contains(&name)) && !except.contains(&name)
    };
    Ok(companies(tx)?.into_iter().filter(is_chosen).flat_map(|company| company.customers).collect())
}

/// Returns a test whether a company has the words of a search in its name.
pub fn has_words(words: &str) -> impl Fn(&NamedCompany) -> bool {
    let words = text::fold(words);
    move |company| {
        let name = text::fold(&company.name);
        words.split_whitespace().all(|word| name.contains(word))
    }
}

/// Returns the organization of a name, which is created for this owner if there is none, and whether it was.
fn find_or_create(tx: &TenantWrite<'_>, name: String, owner: MemberId) -> Result<(Stored<Organization>, bool)> {
    if let Some(known) = organizations::find_by_name(tx, &text::fold(&name))? {
        return Ok((known, false));
    }
    let new = Organization { name, owner_id: Some(owner), ..Organization::default() };
    Ok((organizations::rules::create(tx, new)?, true))
}

/// Returns the organization for a customer who names a company, in the same write: the one of this name, which is created
/// if there is none.
/// Errors: `invalid` for a company without a name, or with one that is too long.
pub(super) fn organization_of(
    tx: &TenantWrite<'_>,
    company: Option<&str>,
    owner: MemberId,
) -> Result<Id<Organization>> {
    let name = text::line(company.unwrap_or_default());
    let mut faults = Faults::default();
    faults.required("details.company", &name, MAX_NAME);
    faults.into_result()?;
    Ok(find_or_create(tx, name, owner)?.0.id)
}

/// Puts a customer into the organization of the name of their company, which is created if there is none.
pub(super) fn make_organization(tx: &TenantWrite<'_>, reader: Reader, id: [u8; 16]) -> Result<Option<BulkChanged>> {
    let old = tx.get::<Customer>(Id::from_bytes(id))?;
    if old.organization_id.is_some() || !reader.role.has(Permission::OrganizationsWrite) {
        return Ok(None);
    }
    let Some(company) = &old.details.company else { return Ok(None) };
    let (organization, is_new) = find_or_create(tx, company.clone(), old.owner_id.unwrap_or(reader.id))?;
    let new =
        rules::change(tx, old.id, None, |customer| Customer { organization_id: Some(organization.id), ..customer })?;
    let changed = BulkChanged::of_fields::<Customer>(&["organizationId"], old, new);
    Ok(Some(if is_new { changed.creating(Organization::KIND, organization.id.uuid()) } else { changed }))
}
