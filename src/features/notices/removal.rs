//! Removal of notices with undo, and batch actions.

use super::{
    model::{Kind, Notice},
    rules::MAX_LISTED,
};
use crate::{
    kernel::{Code, Error, Id, Result, Timestamp},
    store::{PersonalWrite, Scan, Stored, TenantWrite},
};

/// Seconds for which a removed notice can be restored, unless `MAX_KEPT` displaces it. The first notice that arrives or
/// is removed after that erases it.
pub const RESTORABLE_SECONDS: i64 = 10 * 60;

/// Checks that a notice is not removed.
/// Errors: `not_found` when it is.
pub fn ensure_present<K: Kind>(notice: &Notice<K>) -> Result<()> {
    if notice.removed.is_none() { Ok(()) } else { Err(Error::not_found()) }
}

/// Erases notices that were removed too long ago to be restored.
pub fn erase_expired<K: Kind>(own: &PersonalWrite<'_, '_>, now: Timestamp) -> Result<()> {
    let over = Scan::between(K::BY_REMOVAL, [], now.plus_seconds(-RESTORABLE_SECONDS).sortable());
    for notice in own.read().page::<Notice<K>>(&over.limit(MAX_LISTED), |_| true)?.items {
        own.remove::<Notice<K>>(notice.id)?;
    }
    Ok(())
}

/// Removes a notice and returns it. It can be restored for ten minutes.
/// Errors: `not_found`.
pub fn remove<K: Kind>(tx: &TenantWrite<'_>, id: Id<Notice<K>>) -> Result<Stored<Notice<K>>> {
    let own = tx.own_data()?;
    erase_expired::<K>(&own, tx.now())?;
    own.update(id, |notice| {
        ensure_present(notice)?;
        notice.removed = Some(tx.now());
        Ok(())
    })
}

/// Action on several notices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BatchAction {
    /// Mark as read.
    Read,
    /// Mark as unread.
    Unread,
    /// Remove. The notices can be restored for ten minutes.
    Remove,
    /// Restore removed notices.
    Restore,
}

/// Applies an action to several notices in one write and returns the affected ones. Notices that do not exist are
/// skipped.
/// Errors: `invalid` unless 1 to 200 ids are given; `not_found` when none of them exists.
pub fn apply_batch<K: Kind>(
    tx: &TenantWrite<'_>,
    ids: &[Id<Notice<K>>],
    action: BatchAction,
) -> Result<Vec<Stored<Notice<K>>>> {
    if ids.is_empty() {
        return Err(Error::field("ids", "errors.fields.required"));
    }
    if ids.len() > MAX_LISTED {
        let params = vec![("max", MAX_LISTED.to_string())];
        return Err(Error::new(Code::Invalid).and_field("ids", "errors.fields.too_many", params));
    }
    let own = tx.own_data()?;
    erase_expired::<K>(&own, tx.now())?;
    let mut done = Vec::with_capacity(ids.len());
    for id in ids {
        let found = own.read().find::<Notice<K>>(*id)?;
        if found.is_none_or(|notice| notice.removed.is_some() != (action == BatchAction::Restore)) {
            continue;
        }
        let kept = own.update(*id, |notice: &mut Notice<K>| {
            match action {
                BatchAction::Read => (notice.read, notice.seen) = (true, true),
                BatchAction::Unread => notice.read = false,
                BatchAction::Remove => notice.removed = Some(tx.now()),
                BatchAction::Restore => notice.removed = None,
            }
            Ok(())
        })?;
        K::read_changed(&own, &kept, tx.now())?;
        done.push(kept);
    }
    if done.is_empty() { Err(Error::not_found()) } else { Ok(done) }
}
