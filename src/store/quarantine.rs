//! Rows that were found damaged: each is refused, noted here and told to the log once, so that a broken
//! bit is a known loss that health and `check` show, and never a wrong answer or a crash.

use std::{
    collections::BTreeMap,
    fmt,
    sync::{
        Mutex, OnceLock, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

use redb::StorageError;
use xxhash_rust::xxh3::xxh3_64;

use super::{
    keys::{self, Space},
    view::storage,
};
use crate::kernel::{Error, TenantId};

/// Damaged rows that are remembered; more are only counted.
const REMEMBERED: usize = 1_000;

/// A row that cannot be trusted.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Damage {
    /// Whose it is; none for the installation's own.
    pub tenant: Option<TenantId>,
    /// The number of its table.
    pub table: u16,
    /// What it is a row of: a record's kind, or one of the store's own tables.
    pub kind: String,
    /// Its name: the id of a record, else a short digest of the key, because keys hold names of people.
    pub row: String,
    /// What is wrong with it.
    pub fault: Fault,
}

/// What is wrong with a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fault {
    /// Its bytes are not those that were written.
    Damaged,
    /// It should be there and is not.
    Missing,
    /// It is there and nothing accounts for it.
    Stray,
    /// It does not agree with the rows it sums up.
    Disagrees,
    /// The pages that hold it, and perhaps its neighbours, cannot be read.
    Unreadable,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Damaged => "damaged",
            Self::Missing => "missing",
            Self::Stray => "stray",
            Self::Disagrees => "disagrees",
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
    /// The damage of the row under a key.
    pub(super) fn at(key: &[u8], fault: Fault) -> Self {
        let (space, table) = keys::split(key).unwrap_or((Space::SYSTEM, 0));
        let kind = match table {
            keys::META => "count".to_owned(),
            keys::COUNTERS => "figure".to_owned(),
            keys::LEDGER => "ledger entry".to_owned(),
            keys::REPLIES => "reply".to_owned(),
            _ => format!("table {table}"),
        };
        let row = format!("#{:016x}", xxh3_64(key));
        Self { tenant: TenantId::from_bytes(space.0), table, kind, row, fault }
    }

    /// The damage of the record under a key.
    pub(super) fn of_record(key: &[u8], kind: &str, fault: Fault) -> Self {
        let mut damage = Self::at(key, fault);
        kind.clone_into(&mut damage.kind);
        if let Some(id) = key.len().checked_sub(16).and_then(|at| key[at..].try_into().ok()) {
            damage.row = uuid::Uuid::from_bytes(id).to_string();
        }
        damage
    }
}

/// The rows found damaged since the store was opened.
#[derive(Default)]
pub(super) struct Quarantine {
    rows: Mutex<BTreeMap<Vec<u8>, Damage>>,
    suspect: AtomicBool,
    alarm: OnceLock<Box<dyn Fn() + Send + Sync>>,
}

impl Quarantine {
    /// Notes a row; the first time it is also told to the log.
    pub(super) fn note(&self, key: &[u8], damage: Damage) {
        let mut rows = self.rows.lock().unwrap_or_else(PoisonError::into_inner);
        if rows.len() < REMEMBERED && !rows.contains_key(key) {
            tracing::error!(%damage, "a row of the store is damaged; it is withheld");
            rows.insert(key.to_vec(), damage);
        }
    }

    /// The keys of all that is noted.
    pub(super) fn keys(&self) -> Vec<Vec<u8>> {
        self.rows.lock().unwrap_or_else(PoisonError::into_inner).keys().cloned().collect()
    }

    /// Forgets rows that were mended.
    pub(super) fn forget(&self, keys: &[Vec<u8>]) {
        let mut rows = self.rows.lock().unwrap_or_else(PoisonError::into_inner);
        rows.retain(|key, _| !keys.contains(key));
    }

    /// All that is noted.
    pub(super) fn list(&self) -> Vec<Damage> {
        self.rows.lock().unwrap_or_else(PoisonError::into_inner).values().cloned().collect()
    }

    /// What a caller hears of a failure below; one after which the file must be opened again is remembered.
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
                storage(error)
            }
        }
    }

    /// What is to be called when the disk fails.
    pub(super) fn on_failure(&self, alarm: impl Fn() + Send + Sync + 'static) {
        // Set once, by the one who made this quarantine.
        let _ = self.alarm.set(Box::new(alarm));
    }

    /// Whether the disk failed since this was last asked.
    pub(super) fn take_suspicion(&self) -> bool {
        self.suspect.swap(false, Ordering::AcqRel)
    }
}
