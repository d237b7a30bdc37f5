//! What happens to shortcuts.

use super::model::Shortcut;
use crate::{
    kernel::{Code, Error, Id, Result},
    store::{Own, OwnWrite, Scan, Stored},
};

/// Shortcuts that one member may keep.
const MOST: usize = 200;

/// All of them, the newest on top.
///
/// # Errors
/// `busy` or `internal` when they cannot be read.
pub fn list(own: &Own<'_>) -> Result<Vec<Stored<Shortcut>>> {
    Ok(own.page(&Scan::all().reversed(true).limit(MOST), |_| true)?.items)
}

/// Keeps a new one.
///
/// # Errors
/// `invalid`; `conflict` when there are 200 already.
pub fn create(own: &OwnWrite<'_, '_>, shortcut: Shortcut) -> Result<Stored<Shortcut>> {
    shortcut.check()?;
    if list(&own.read())?.len() >= MOST {
        let gaps = vec![("max", MOST.to_string())];
        return Err(Error::new(Code::Conflict).and_field("shortcut", "errors.fields.too_many", gaps));
    }
    own.create(shortcut)
}

/// Changes one.
///
/// # Errors
/// `not_found`, `invalid`.
pub fn change(
    own: &OwnWrite<'_, '_>,
    id: Id<Shortcut>,
    change: impl FnOnce(&mut Shortcut),
) -> Result<Stored<Shortcut>> {
    own.update(id, |shortcut| {
        change(shortcut);
        shortcut.check()
    })
}

/// Removes one, and answers with it.
///
/// # Errors
/// `not_found`.
pub fn remove(own: &OwnWrite<'_, '_>, id: Id<Shortcut>) -> Result<Stored<Shortcut>> {
    own.remove(id)
}
