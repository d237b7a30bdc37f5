//! Removing so that it can be taken back, and what is done with several at once.

use super::{
    model::{Kind, Notice},
    rules::SHOWN,
};
use crate::{
    kernel::{Code, Error, Id, Result, Timestamp},
    store::{PersonalWrite, Scan, Stored, TenantWrite},
};

/// Seconds for which a removed one can be put back. The next one that comes or goes after that erases it.
pub const RECOVERABLE: i64 = 10 * 60;

/// What was removed is not there, but to be put back.
///
/// # Errors
/// `not_found`.
pub fn there<K: Kind>(notice: &Notice<K>) -> Result<()> {
    if notice.removed.is_none() { Ok(()) } else { Err(Error::not_found()) }
}

/// Erases what was removed too long ago to be put back.
///
/// # Errors
/// `busy` or `internal` when it cannot be kept.
pub fn erase<K: Kind>(own: &PersonalWrite<'_, '_>, now: Timestamp) -> Result<()> {
    let over = Scan::between(K::BY_REMOVAL, [], now.plus_seconds(-RECOVERABLE).sortable());
    for notice in own.read().page::<Notice<K>>(&over.limit(SHOWN), |_| true)?.items {
        own.remove(notice.id)?;
    }
    Ok(())
}

/// Removes one, and answers with it. For some minutes it can be put back.
///
/// # Errors
/// `not_found`.
pub fn remove<K: Kind>(tx: &TenantWrite<'_>, id: Id<Notice<K>>) -> Result<Stored<Notice<K>>> {
    let own = tx.own()?;
    erase::<K>(&own, tx.now())?;
    own.update(id, |notice| {
        there(notice)?;
        notice.removed = Some(tx.now());
        Ok(())
    })
}

/// What is done with several at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BatchAction {
    /// They are read from now on.
    Read,
    /// They are not.
    Unread,
    /// They go, and can be put back for some minutes.
    Remove,
    /// They come back from where they were removed to.
    Restore,
}

/// Does something with several, in one write, and answers with those that it was done with. What is not
/// there any more is passed over.
///
/// # Errors
/// `invalid` unless 1 to 200 are named; `not_found` when none of them is there.
pub fn each<K: Kind>(tx: &TenantWrite<'_>, ids: &[Id<Notice<K>>], deed: BatchAction) -> Result<Vec<Stored<Notice<K>>>> {
    if ids.is_empty() {
        return Err(Error::field("ids", "errors.fields.required"));
    }
    if ids.len() > SHOWN {
        let gaps = vec![("max", SHOWN.to_string())];
        return Err(Error::new(Code::Invalid).and_field("ids", "errors.fields.too_many", gaps));
    }
    let own = tx.own()?;
    erase::<K>(&own, tx.now())?;
    let mut done = Vec::with_capacity(ids.len());
    for id in ids {
        let found = own.read().find(*id)?;
        if found.is_none_or(|notice| notice.removed.is_some() != (deed == BatchAction::Restore)) {
            continue;
        }
        let kept = own.update(*id, |notice: &mut Notice<K>| {
            match deed {
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
