//! What the company's records have in common: members remove those that they made, administrators any.

use crate::{
    kernel::{Code, Error, Id, Result},
    store::{Stored, TenantRead, TenantRecord, TenantWrite},
};

/// A record that the caller may remove; `any` is whether they may remove what others made.
///
/// # Errors
/// `not_found`; `forbidden`.
pub fn removable<R: TenantRecord>(tx: &TenantRead<'_>, id: Id<R>, any: bool) -> Result<Stored<R>> {
    let record = tx.get(id)?;
    if !any && (record.created_by.is_none() || record.created_by != tx.me()) {
        return Err(Error::new(Code::Forbidden));
    }
    Ok(record)
}

/// Removes a record; `any` is whether the caller may remove what others made, `expected` the version that
/// they saw, when they say.
///
/// # Errors
/// `not_found`; `forbidden`; `stale_version`.
pub fn remove<R: TenantRecord>(tx: &TenantWrite<'_>, id: Id<R>, any: bool, expected: Option<u64>) -> Result<Stored<R>> {
    removable(tx, id, any)?;
    tx.remove(id, expected)
}
