//! Upgrade of customers and organizations from before next steps and the forms of phone numbers were kept.

use serde::{Deserialize, Serialize};

use super::{KIND, model::Customer};
use crate::{
    features::{
        organizations::{Organization, Phone},
        records::activities::dates::set_next_step,
    },
    kernel::{Id, Result},
    people::members::Company,
    store::{Record, Scan, TenantRead, TenantRecord, TenantWrite},
};

/// How many records one write looks at, so that other writes do not wait for long.
const AT_ONCE: usize = 50;

/// What an upgrade sets: 1 next steps, 2 the forms of phone numbers as well.
const LEVEL: u8 = 2;

/// How far the records of a company are upgraded. Stored under the company's own id.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ContactUpgrade {
    /// What is set.
    #[serde(default = "first_level")]
    pub level: u8,
    /// Whether all customers have been looked at, so that `cursor` is one of organizations.
    #[serde(default)]
    pub in_organizations: bool,
    /// Where the records begin that have not been looked at; none when all have.
    pub cursor: Option<Vec<u8>>,
}

const fn first_level() -> u8 {
    1
}

impl Record for ContactUpgrade {
    type Key = Self;
    const KIND: &'static str = "next_steps";
    const TABLE: u16 = 62;
    const LEDGER: bool = false;
}
impl TenantRecord for ContactUpgrade {}

/// Returns the id, unless all records of the company are upgraded.
pub fn waiting(tx: &TenantRead<'_>) -> Result<Option<Id<ContactUpgrade>>> {
    let id = tx.single_id();
    let found = tx.find_intact::<ContactUpgrade>(id)?;
    let is_done = found.is_some_and(|found| found.level >= LEVEL && found.cursor.is_none());
    Ok((!is_done).then_some(id))
}

/// Upgrades some records. Returns whether there are more.
pub fn upgrade_some(tx: &TenantWrite<'_>, id: Id<ContactUpgrade>) -> Result<bool> {
    let company = tx.find_intact::<Company>(Company::id(tx.tenant()))?;
    let Some(company) = company.filter(|company| !company.is_being_erased_or_imported()) else { return Ok(false) };
    let found = tx.find_intact::<ContactUpgrade>(id)?;
    let begun = found.as_ref().filter(|found| found.level == LEVEL);
    let in_organizations = begun.is_some_and(|found| found.in_organizations);
    let after = begun.and_then(|found| found.cursor.clone());
    let scan = Scan::all().limit(AT_ONCE).after(after);
    let country = company.region().phone_country;
    let next = if in_organizations {
        let page = tx.page::<Organization>(&scan, |_| true)?;
        for one in &page.items {
            tx.rewrite(one, |one| Phone::complete(&mut one.phone_numbers, || country.clone()))?;
        }
        page.next
    } else {
        let page = tx.page::<Customer>(&scan, |_| true)?;
        for one in &page.items {
            tx.rewrite(one, |one| Phone::complete(&mut one.details.phone_numbers, || country.clone()))?;
            set_next_step(tx, &KIND, one.id.uuid())?;
        }
        // Organizations begin before all ids.
        page.next.or_else(|| Some(Vec::new()))
    };
    let are_customers_done = in_organizations || next.as_ref().is_some_and(Vec::is_empty);
    let has_more = next.is_some();
    let next = ContactUpgrade { level: LEVEL, in_organizations: are_customers_done, cursor: next };
    if found.is_none() {
        tx.create_at(id, next)?;
    } else {
        tx.update(id, None, |upgrade: &mut ContactUpgrade| {
            *upgrade = next;
            Ok(())
        })?;
    }
    Ok(has_more)
}
