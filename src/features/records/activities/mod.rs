//! Activities: calls, visits, e-mails and notes that members log on customers, organizations and deals.

mod api;
pub mod dates;
mod model;
pub mod rules;
#[cfg(test)]
mod tests;

pub use api::{Api, View};
pub use model::{ACTIVITIES_BY_RECORD, Activity, ActivityLink, ActivityType, moved_before};

use crate::{
    feature::{AudienceRule, Restricted},
    kernel::{Id, Result},
    store::{Change, TenantRead},
};

/// Returns the members to whom a change of an activity is announced: those who see all records that it concerns.
pub fn restrict(tx: &TenantRead<'_>, id: [u8; 16], _change: Option<&Change>) -> Result<Option<Restricted>> {
    let Some(activity) = tx.find_intact::<Activity>(Id::from_bytes(id))? else { return Ok(None) };
    let mut all: Option<Restricted> = None;
    for link in &activity.links {
        let AudienceRule::HoldersOrRestricted(_, restrict) = link.kind.kind().live.to else { continue };
        let Some(one) = restrict(tx, link.record_id.into_bytes(), None)? else { continue };
        all = Some(match all {
            None => one,
            Some(mut all) => {
                all.people.retain(|member| one.people.contains(member));
                all
            }
        });
    }
    Ok(all)
}
