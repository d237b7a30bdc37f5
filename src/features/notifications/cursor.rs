//! How far those who tell people things have come in a company: up to which place of the ledger, and up to which
//! moment. Kept in the write that tells, so that nothing is told twice or not at all, whatever happens in between.

use serde::{Deserialize, Serialize};

use crate::{
    kernel::{Id, Result, Timestamp},
    store::{Record, TenantRead, TenantRecord, TenantWrite},
};

/// How far they have come. Lies under the company's own id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeliveryCursor {
    /// The moment up to which reminders and the like are told.
    pub clock: Timestamp,
    /// The place of the ledger up to which it is told of what happened.
    pub ledger: u64,
}

impl Record for DeliveryCursor {
    const KIND: &'static str = "tidings_places";
    const TABLE: u16 = 51;
    const LEDGER: bool = false;
}
impl TenantRecord for DeliveryCursor {}

fn id(tx: &TenantRead<'_>) -> Id<DeliveryCursor> {
    Id::from_bytes(*tx.tenant().as_bytes())
}

impl DeliveryCursor {
    /// How far they have come; none when they have not begun.
    ///
    /// # Errors
    /// `busy` or `internal` when it cannot be read.
    pub fn of(tx: &TenantRead<'_>) -> Result<Option<Self>> {
        Ok(tx.find_intact(id(tx))?.map(|kept| kept.value))
    }

    /// They have come so far; never back.
    ///
    /// # Errors
    /// `busy` or `internal` when it cannot be kept.
    pub fn advance(self, tx: &TenantWrite<'_>) -> Result<()> {
        if Self::of(tx)?.is_none() {
            return tx.create_at(id(tx), self).map(drop);
        }
        tx.update(id(tx), None, |kept: &mut Self| {
            *kept = Self { clock: kept.clock.max(self.clock), ledger: kept.ledger.max(self.ledger) };
            Ok(())
        })
        .map(drop)
    }
}
