//! Rules of shortcuts: listing, ordering, creating, changing and removing.

use super::model::Shortcut;
use crate::{
    kernel::{Code, Error, Id, Result},
    store::{PersonalRead, PersonalWrite, Scan, Stored},
};

/// Maximum shortcuts of a member.
const MOST: usize = 200;

/// Lists all shortcuts in their owner's order.
pub fn list(own: &PersonalRead<'_>) -> Result<Vec<Stored<Shortcut>>> {
    let mut all = own.page(&Scan::all().reversed(true).limit(MOST), |_| true)?.items;
    all.sort_by_key(|shortcut: &Stored<Shortcut>| shortcut.place);
    Ok(all)
}

/// Creates a shortcut on top.
/// Errors: `invalid`; `conflict` when there are 200 already.
pub fn create(own: &PersonalWrite<'_, '_>, mut shortcut: Shortcut) -> Result<Stored<Shortcut>> {
    shortcut.check(None)?;
    let all = list(&own.read())?;
    if all.len() >= MOST {
        let params = vec![("max", MOST.to_string())];
        return Err(Error::new(Code::Conflict).and_field("shortcut", "errors.fields.too_many", params));
    }
    shortcut.place = all.first().map_or(0, |first| first.place.saturating_sub(1));
    own.create(shortcut)
}

/// Reorders the shortcuts and returns all of them. Those that are not named follow in their current order.
/// Errors: `not_found` when one of the named shortcuts does not exist.
pub fn order(own: &PersonalWrite<'_, '_>, ids: &[Id<Shortcut>]) -> Result<Vec<Stored<Shortcut>>> {
    let mut all = list(&own.read())?;
    if ids.iter().any(|id| all.iter().all(|shortcut| shortcut.id != *id)) {
        return Err(Error::not_found());
    }
    all.sort_by_key(|shortcut| ids.iter().position(|id| *id == shortcut.id).unwrap_or(ids.len()));
    for (shortcut, place) in all.iter().zip(0..) {
        own.update::<Shortcut>(shortcut.id, |shortcut| {
            shortcut.place = place;
            Ok(())
        })?;
    }
    list(&own.read())
}

/// Changes a shortcut.
/// Errors: `not_found`, `invalid`.
pub fn change(
    own: &PersonalWrite<'_, '_>,
    id: Id<Shortcut>,
    change: impl FnOnce(&mut Shortcut),
) -> Result<Stored<Shortcut>> {
    own.update(id, |shortcut: &mut Shortcut| {
        let before = shortcut.link.clone();
        change(shortcut);
        shortcut.check(Some(&before))
    })
}

/// Removes a shortcut and returns it.
/// Errors: `not_found`.
pub fn remove(own: &PersonalWrite<'_, '_>, id: Id<Shortcut>) -> Result<Stored<Shortcut>> {
    own.remove(id)
}
