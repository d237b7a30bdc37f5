//! The store: everything that Atrium keeps, in one file of redb. Only this folder knows what a key
//! looks like. A write is answered when it is on the disk; what is read was verified.

mod changes;
mod codec;
mod keys;
mod read;
mod write;
mod writer;

use std::{path::Path, sync::Arc};

use redb::{Database, ReadableDatabase};
use tokio::sync::broadcast;

pub use self::{
    changes::{Actor, Change, Op},
    codec::{Counters, Lookups, PersonalRecord, Record, Stored, TenantRecord},
    read::{Own, Page, Scan, Snapshot, TenantRead},
    write::{OwnWrite, TenantWrite},
};
use self::{read::storage, writer::Writer};
use crate::kernel::{Clock, Entropy, Error, Result, TenantId};

/// Bytes that redb may keep in memory.
const CACHE: usize = 256 * 1024 * 1024;

/// The open store of an installation. Cheap to clone; dropping the last one closes the file.
#[derive(Clone)]
pub struct Store(Arc<Inside>);

struct Inside {
    database: Arc<Database>,
    writer: Option<Writer>,
    commits: broadcast::Sender<Arc<[Change]>>,
    clock: Clock,
    entropy: Entropy,
}

impl Drop for Inside {
    /// Waits until the writes under way are on the disk and the file is let go.
    fn drop(&mut self) {
        if let Some(writer) = self.writer.take() {
            writer.stop();
        }
    }
}

impl Store {
    /// Opens the store in a file, which is made when missing.
    ///
    /// # Errors
    /// `busy` when another process holds it or it cannot be read.
    pub fn open(file: &Path, clock: Clock, entropy: Entropy) -> Result<Self> {
        let database = Database::builder().set_cache_size(CACHE).create(file).map_err(storage)?;
        let first = database.begin_write().map_err(storage)?;
        first.open_table(writer::ROWS).map_err(storage)?;
        first.commit().map_err(storage)?;
        let database = Arc::new(database);
        let (commits, _) = broadcast::channel(1_024);
        let writer = Writer::start(database.clone(), clock.clone(), entropy.clone(), commits.clone())?;
        Ok(Self(Arc::new(Inside { database, writer: Some(writer), commits, clock, entropy })))
    }

    /// The store as it is now.
    ///
    /// # Errors
    /// `busy` when it cannot be read.
    pub fn snapshot(&self) -> Result<Snapshot> {
        let transaction = self.0.database.begin_read().map_err(storage)?;
        Ok(Snapshot { rows: transaction.open_table(writer::ROWS).map_err(storage)? })
    }

    /// Writes to one tenant's data. Answers, once it is on the disk, with what `work` returned and the
    /// place of its last change in the ledger.
    ///
    /// # Errors
    /// What `work` returns, and nothing is changed then; `busy` when too many writes wait or the disk fails.
    pub async fn write<T: Send + 'static>(
        &self,
        tenant: TenantId,
        actor: Actor,
        work: impl FnOnce(&TenantWrite<'_>) -> Result<T> + Send + 'static,
    ) -> Result<(T, u64)> {
        match &self.0.writer {
            Some(writer) => writer.write(tenant, actor, work).await,
            None => Err(Error::internal("the store is closing")),
        }
    }

    /// What is committed from now on, in order. A listener that falls behind reads the ledger.
    #[must_use]
    pub fn commits(&self) -> broadcast::Receiver<Arc<[Change]>> {
        self.0.commits.subscribe()
    }

    /// The id for a new tenant.
    ///
    /// # Errors
    /// `internal`, which does not happen: a new id is never zero.
    pub fn new_tenant_id(&self) -> Result<TenantId> {
        let uuid = self.0.entropy.uuid(self.0.clock.now());
        TenantId::from_bytes(*uuid.as_bytes()).ok_or_else(|| Error::internal("a new id is never zero"))
    }

    /// The clock that the store's writes go by.
    #[must_use]
    pub fn clock(&self) -> &Clock {
        &self.0.clock
    }

    /// The chance that ids are made of.
    #[must_use]
    pub fn entropy(&self) -> &Entropy {
        &self.0.entropy
    }
}

#[cfg(test)]
mod tests;
