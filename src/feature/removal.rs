//! The rules of removal: members may remove records that they created, administrators any.

use super::KindRecord;
use crate::{
    kernel::{Code, Error, Result},
    store::{RecordId, Stored, TenantRead, TenantRecord, TenantWrite},
};

/// Returns a record if the caller may remove it. `any` is whether they may remove records that others created.
/// Errors: `not_found`; `forbidden`.
pub fn removable<R: TenantRecord>(tx: &TenantRead<'_>, id: RecordId<R>, any: bool) -> Result<Stored<R>> {
    let record = tx.get(id)?;
    if !any && (record.created_by.is_none() || record.created_by != tx.me()) {
        return Err(Error::new(Code::Forbidden));
    }
    Ok(record)
}

/// Moves a record to the bin. `any` is whether the caller may remove records that others created; `expected` is the
/// version that they saw, if given.
/// Errors: `not_found`; `forbidden`; `stale_version`.
pub fn remove<R: KindRecord>(
    tx: &TenantWrite<'_>,
    id: RecordId<R>,
    any: bool,
    expected: Option<u64>,
) -> Result<Stored<R>> {
    removable::<R>(tx, id, any)?;
    let removed = tx.bin(id, expected)?;
    R::after_removal(tx, &removed)?;
    Ok(removed)
}
