//! Bulk changes: changing or removing many records at once, in the background, and undoing it.

mod api;
mod model;
mod rules;
#[cfg(test)]
mod tests;

pub use api::{Api, View as BulkView};
pub use model::{BulkAction, BulkChange, BulkPart, BulkSkip, BulkState};
pub use rules::{
    KeptBecause, MAX_RECORDS, PURGE, begin, forget_record, in_progress, records_of_act, remove_unreferenced, step,
    stop_broken, worker,
};

use crate::{
    feature::Restricted,
    kernel::{Id, Result},
    people::permission::Permission,
    store::{Change, Stored, TenantRead},
};

/// Returns the members who get a bulk change: its author, who undoes it, and administrators.
pub fn restrict(tx: &TenantRead<'_>, id: [u8; 16], _change: Option<&Change>) -> Result<Option<Restricted>> {
    let change = tx.find_intact::<BulkChange>(Id::from_bytes(id))?;
    let people = |change: &Stored<BulkChange>| change.created_by.into_iter().chain(change.undone_by).collect();
    Ok(change.map(|change| Restricted { holders: Some(Permission::AuditRead), people: people(&change) }))
}
