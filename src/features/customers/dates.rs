//! Next steps of customers from before they were kept: their open tasks are there, but no customer names one.

use serde::{Deserialize, Serialize};

use super::{KIND, model::Customer};
use crate::{
    features::records::activities::dates::set_next_step,
    kernel::{Id, Result},
    people::members::Company,
    store::{Record, Scan, TenantRead, TenantRecord, TenantWrite},
};

/// How many customers one write looks at, so that other writes do not wait for long.
const AT_ONCE: usize = 50;

/// How far the next steps of a company's customers are set. Stored under the company's own id.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct NextSteps {
    /// Where the customers begin who have not been looked at; none when all have.
    pub cursor: Option<Vec<u8>>,
}

impl Record for NextSteps {
    type Key = Self;
    const KIND: &'static str = "next_steps";
    const TABLE: u16 = 62;
    const LEDGER: bool = false;
}
impl TenantRecord for NextSteps {}

/// Returns the id, unless the next steps of all customers are set.
pub fn waiting(tx: &TenantRead<'_>) -> Result<Option<Id<NextSteps>>> {
    let id = Id::from_bytes(*tx.tenant().as_bytes());
    let found = tx.find_intact::<NextSteps>(id)?;
    Ok(found.is_none_or(|found| found.cursor.is_some()).then_some(id))
}

/// Sets the next steps of some customers. Returns whether there are more.
pub fn set_some(tx: &TenantWrite<'_>, id: Id<NextSteps>) -> Result<bool> {
    let company = tx.find_intact::<Company>(Company::id(tx.tenant()))?;
    if company.is_none_or(|company| company.is_being_erased_or_imported()) {
        return Ok(false);
    }
    let found = tx.find_intact::<NextSteps>(id)?;
    let after = found.as_ref().and_then(|found| found.cursor.clone());
    let page = tx.page::<Customer>(&Scan::all().limit(AT_ONCE).after(after), |_| true)?;
    for customer in page.items {
        set_next_step(tx, &KIND, customer.id.uuid())?;
    }
    let has_more = page.next.is_some();
    let next = NextSteps { cursor: page.next };
    if found.is_none() {
        tx.create_at(id, next)?;
    } else {
        tx.update(id, None, |steps: &mut NextSteps| {
            *steps = next;
            Ok(())
        })?;
    }
    Ok(has_more)
}
