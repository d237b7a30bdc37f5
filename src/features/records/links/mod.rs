//! Links between records of all kinds that members set by hand. A link belongs to both of its records: all who may see
//! both see it from either, and who may change one of them sets and removes it.

mod api;
mod model;
mod rules;
#[cfg(test)]
mod tests;

pub use api::Api;
pub use model::{LINK_BY_BOTH, LINKS_BY_RECORD, RecordLink};
pub use rules::{is_shown, remove_with_other_end};

use super::{restrict_to_all, restrict_to_former};
use crate::{
    feature::Restricted,
    kernel::{Id, Result},
    store::{Change, TenantRead},
};

/// Returns the members who get a change of a link: those who see both records.
pub fn restrict(tx: &TenantRead<'_>, id: [u8; 16], change: Option<&Change>) -> Result<Option<Restricted>> {
    match tx.find_intact::<RecordLink>(Id::from_bytes(id))? {
        Some(link) => restrict_to_all(tx, [(link.kind, link.record), (link.to_kind, link.to)]),
        None => restrict_to_former(tx, change),
    }
}
