//! Activities: calls, visits, e-mails and notes that members log on customers, organizations and deals.

mod api;
pub mod dates;
mod model;
pub mod rules;
#[cfg(test)]
mod tests;

pub use api::{Api, View};
pub use model::{ACTIVITIES_BY_RECORD, Activity, ActivityLink, ActivityType, moved_before};

use super::{intersect, restrict_to_all, restrict_to_former};
use crate::{
    feature::Restricted,
    kernel::{Id, Result},
    store::{Change, TenantRead},
};

/// Returns the members who get a change of an activity: those who see all records that it concerns or concerned.
pub fn restrict(tx: &TenantRead<'_>, id: [u8; 16], change: Option<&Change>) -> Result<Option<Restricted>> {
    match tx.find_intact::<Activity>(Id::from_bytes(id))? {
        Some(activity) => {
            let of_links = restrict_to_all(tx, activity.links.iter().map(|link| (link.kind, link.record_id)))?;
            Ok(match (rules::restrict_by_limit(&activity), of_links) {
                (Some(limit), Some(of_links)) => Some(intersect(tx, &limit, &of_links)?),
                (limit, of_links) => limit.or(of_links),
            })
        }
        None => restrict_to_former(tx, change),
    }
}
