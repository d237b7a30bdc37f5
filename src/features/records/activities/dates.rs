//! The dates of contact with a record: its last contact and its next step.

use uuid::Uuid;

use super::model::{Activity, CONTACTS_BY_RECORD};
use crate::{
    feature::RecordKind,
    features::kinds,
    kernel::Result,
    store::{Scan, TenantWrite},
};

/// Sets the last contact of a record to the time of its newest call, visit or e-mail.
pub fn set_last_contact(tx: &TenantWrite<'_>, kind: &RecordKind, record: Uuid) -> Result<()> {
    let Some(ops) = kind.contact else { return Ok(()) };
    let newest = Scan::beginning(CONTACTS_BY_RECORD, record.as_bytes()).reversed(true).limit(1);
    let newest = tx.page::<Activity>(&newest, |_| true)?.items.pop().map(|activity| activity.at);
    (ops.set_dates)(tx, record, &|dates| dates.last = newest)
}

/// Sets the next step of a record to the open task that is due first.
pub fn set_next_step(tx: &TenantWrite<'_>, kind: &RecordKind, record: Uuid) -> Result<()> {
    let Some((ops, steps)) = kind.contact.zip(kinds().find_map(|kind| kind.next_steps)) else { return Ok(()) };
    let first = (steps.first)(tx, record)?;
    (ops.set_dates)(tx, record, &|dates| dates.next = first)
}

/// Sets both dates, after a record was taken out of the bin.
pub fn set_dates(tx: &TenantWrite<'_>, kind: &RecordKind, record: Uuid) -> Result<()> {
    set_last_contact(tx, kind, record)?;
    set_next_step(tx, kind, record)
}
