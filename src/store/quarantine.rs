//! Quarantine of damaged rows: each is refused, remembered here and logged once. Damage thus becomes a known loss that
//! health and `check` report, never a wrong answer or a crash.

use std::{
    cell::Cell,
    collections::BTreeMap,
    fmt,
    sync::{
        OnceLock,
        atomic::{AtomicBool, Ordering},
    },
};

use parking_lot::Mutex;
use redb::StorageError;
use xxhash_rust::xxh3::xxh3_64;

use super::{
    errors::disk_error,
    keys::{self, Space},
};
use crate::kernel::{Error, TenantId};

/// Most damaged rows remembered. Further ones are neither remembered nor logged.
const MAX_ROWS: usize = 1_000;

/// The damage of one row.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Damage {
    /// The tenant of the row, `None` for the installation's rows.
    pub tenant: Option<TenantId>,
    /// The number of its table.
    pub table: u16,
    /// The kind of the record, or the name of the store's own table.
    pub kind: String,
    /// Name of the row: the id of a record, otherwise a digest of the key, because keys can contain personal data.
    pub row: String,
    /// What is wrong with it.
    pub fault: Fault,
}

/// The type of damage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fault {
    /// The bytes are not those that were written.
    Damaged,
    /// The row should exist and does not.
    Missing,
    /// The row exists and nothing refers to it.
    Stray,
    /// The row disagrees with the rows that it summarizes.
    Disagrees,
    /// The record is a part of another one that is gone.
    Orphaned,
    /// The pages with this row, and perhaps with its neighbours, cannot be read.
    Unreadable,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Damaged => "damaged",
            Self::Missing => "missing",
            Self::Stray => "stray",
            Self::Disagrees => "disagrees",
            Self::Orphaned => "orphaned",
            Self::Unreadable => "unreadable",
        })
    }
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { tenant, table, kind, row, fault } = self;
        match tenant {
            Some(tenant) => write!(f, "{fault}: {kind} {row} of tenant {tenant} (table {table})"),
            None => write!(f, "{fault}: {kind} {row} of the installation (table {table})"),
        }
    }
}

impl Damage {
    /// The damage of the row with this key.
    pub(super) fn at(key: &[u8], fault: Fault) -> Self {
        let (space, table) = keys::split(key).unwrap_or((Space::SYSTEM, 0));
        let kind = match table {
            keys::META => "count".to_owned(),
            keys::COUNTERS => "figure".to_owned(),
            keys::LEDGER => "ledger entry".to_owned(),
            keys::REPLIES => "reply".to_owned(),
            keys::NEWS => "recent change".to_owned(),
            _ => format!("table {table}"),
        };
        let row = format!("#{:016x}", xxh3_64(key));
        Self { tenant: TenantId::from_bytes(space.0), table, kind, row, fault }
    }

    /// The damage of the record with this key.
    pub(super) fn of_record(key: &[u8], kind: &str, fault: Fault) -> Self {
        let mut damage = Self::at(key, fault);
        kind.clone_into(&mut damage.kind);
        if let Some(id) = key.len().checked_sub(16).and_then(|at| key[at..].try_into().ok()) {
            damage.row = uuid::Uuid::from_bytes(id).to_string();
        }
        damage
    }
}

thread_local! {
    /// Damaged rows that were met on this thread.
    static MET: Cell<u64> = const { Cell::new(0) };
}

/// Runs a read on this thread. Returns how many damaged rows it met, too.
pub fn count_damage<T>(read: impl FnOnce() -> T) -> (T, u64) {
    let before = MET.get();
    let value = read();
    (value, MET.get().wrapping_sub(before))
}

/// The rows found damaged since the store was opened.
#[derive(Default)]
pub(super) struct Quarantine {
    rows: Mutex<BTreeMap<Vec<u8>, Damage>>,
    suspect: AtomicBool,
    alarm: OnceLock<Box<dyn Fn() + Send + Sync>>,
}

impl Quarantine {
    /// Remembers a damaged row, and logs it the first time.
    pub(super) fn note(&self, key: &[u8], damage: Damage) {
        MET.set(MET.get().wrapping_add(1));
        let mut rows = self.rows.lock();
        if rows.len() < MAX_ROWS && !rows.contains_key(key) {
            tracing::error!(%damage, "a row of the store is damaged; it is withheld");
            rows.insert(key.to_vec(), damage);
        }
    }

    /// Returns the keys of all remembered rows.
    pub(super) fn keys(&self) -> Vec<Vec<u8>> {
        self.rows.lock().keys().cloned().collect()
    }

    /// Forgets rows that were repaired.
    pub(super) fn forget(&self, keys: &[Vec<u8>]) {
        let mut rows = self.rows.lock();
        rows.retain(|key, _| !keys.contains(key));
    }

    /// Returns all remembered damage.
    pub(super) fn list(&self) -> Vec<Damage> {
        self.rows.lock().values().cloned().collect()
    }

    /// Converts a redb error for the caller. If the file must be reopened after it, raises the alarm.
    pub(super) fn failed(&self, error: StorageError) -> Error {
        match error {
            StorageError::Corrupted(_) | StorageError::ValueTooLarge(_) => {
                Error::damaged(format_args!("pages of the store: {error}"))
            }
            error => {
                if !self.suspect.swap(true, Ordering::AcqRel)
                    && let Some(alarm) = self.alarm.get()
                {
                    alarm();
                }
                disk_error(error)
            }
        }
    }

    /// Sets the function to call when the disk fails.
    pub(super) fn on_failure(&self, alarm: impl Fn() + Send + Sync + 'static) {
        // Set once, by the creator of this quarantine.
        let _ = self.alarm.set(Box::new(alarm));
    }

    /// Returns whether the disk failed since the last call.
    pub(super) fn take_suspicion(&self) -> bool {
        self.suspect.swap(false, Ordering::AcqRel)
    }
}
