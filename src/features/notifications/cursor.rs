//! Delivery cursor of a tenant: the ledger sequence number and the time up to which notifications are sent. It is
//! stored in the write that creates them, so that a crash neither loses nor repeats any.

use serde::{Deserialize, Serialize};

use crate::{
    kernel::{Id, Result, Timestamp},
    store::{Record, TenantRead, TenantRecord, TenantWrite},
};

/// Delivery progress. Stored under the tenant's own id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeliveryCursor {
    /// Time up to which reminders, tasks due today and digests are sent.
    pub clock: Timestamp,
    /// Ledger sequence number up to which changes are processed.
    pub ledger: u64,
}

impl Record for DeliveryCursor {
    type Key = Self;
    // An earlier name, which is stored.
    const KIND: &'static str = "tidings_places";
    const TABLE: u16 = 51;
    const LEDGER: bool = false;
}
impl TenantRecord for DeliveryCursor {}

fn id(tx: &TenantRead<'_>) -> Id<DeliveryCursor> {
    tx.single_id()
}

impl DeliveryCursor {
    /// Returns the stored cursor; `None` before the first delivery.
    pub fn of(tx: &TenantRead<'_>) -> Result<Option<Self>> {
        Ok(tx.find_intact(id(tx))?.map(|kept| kept.value))
    }

    /// Advances the stored cursor; it never moves back.
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
