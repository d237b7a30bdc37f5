//! Comments on records of all kinds. Whoever may see a record sees its comments; members may write some, and change
//! and remove their own.

mod api;
mod model;
mod rules;
#[cfg(test)]
mod tests;

pub use api::{Api, View};
pub use model::{COMMENTS_BY_RECORD, Comment};

use crate::{
    feature::{AudienceRule, LiveKind, Restricted},
    kernel::{Id, Result},
    people::permission::Permission,
    store::TenantRead,
};

/// Changes of comments go to all who may see the record.
pub const LIVE: LiveKind = LiveKind::to_holders_or_restricted::<Comment>(Permission::Read, restrict);

fn restrict(tx: &TenantRead<'_>, id: [u8; 16]) -> Result<Option<Restricted>> {
    let Some(comment) = tx.find_intact::<Comment>(Id::from_bytes(id))? else { return Ok(None) };
    match comment.kind.kind().live.to {
        AudienceRule::HoldersOrRestricted(_, restrict) => restrict(tx, comment.record.into_bytes()),
        AudienceRule::Holders(_) | AudienceRule::Owner | AudienceRule::Members(_) => Ok(None),
    }
}
