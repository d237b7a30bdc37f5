//! What the erasure of one person needs of the store: it finds the rows of a tenant that name a record, and replaces
//! titles in the change feed.

use std::{
    collections::HashSet,
    ops::{Bound, ControlFlow},
};

use memchr::memmem::Finder;

use super::{
    changes::Change,
    codec::{encode, seal},
    keys,
    read::TenantRead,
    rows::{unseal, unseal_value},
    write::{Reply, TenantWrite},
};
use crate::kernel::{MemberId, Result};

/// Most rows that one search reads.
const ROWS_READ: usize = 20_000;
/// Most rows that one search finds, so that one write can change them all.
const ROWS_FOUND: usize = 25;
/// Bytes of an id in a key.
const ID_BYTES: usize = 16;

/// The rows of a tenant that are searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SearchedRows {
    /// All records, also those of members.
    Records,
    /// The responses that are stored for repeated requests.
    Replies,
}

impl SearchedRows {
    const fn tables(self) -> (u16, u16) {
        match self {
            Self::Records => (keys::RECORDS, keys::LOOKUPS),
            Self::Replies => (keys::REPLIES, keys::REPLIES + 1),
        }
    }
}

/// A row that holds one of the sought bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundRow {
    key: Vec<u8>,
    /// The number of its table.
    pub table: u16,
    /// The member whose personal record it is.
    pub owner: Option<MemberId>,
    /// The id of the record; zeros for a stored response.
    pub id: [u8; 16],
}

impl FoundRow {
    /// Returns the row at a key: `tenant | table | id`, with a member's id before that of a personal record.
    fn at(key: &[u8]) -> Option<Self> {
        let (_, table) = keys::split(key)?;
        let rest = key.get(keys::HEAD_BYTES..)?;
        let (owner, id) = match rest.len() {
            len if len == 2 * ID_BYTES => (MemberId::from_slice(&rest[..ID_BYTES]), &rest[ID_BYTES..]),
            _ => (None, rest),
        };
        Some(Self { key: key.to_vec(), table, owner, id: id.try_into().unwrap_or_default() })
    }
}

/// What a search found.
#[derive(Debug, Default)]
pub struct FoundRows {
    /// The rows, in the order of their keys.
    pub rows: Vec<FoundRow>,
    /// Where the next search continues; `None` at the end.
    pub next: Option<Vec<u8>>,
}

impl TenantRead<'_> {
    /// Finds rows whose content holds one of the sought bytes: at most 25 among at most 20,000 rows after a key. Damaged
    /// rows are skipped and recorded in the quarantine.
    pub fn find_rows(&self, among: SearchedRows, sought: &[Vec<u8>], after: Option<Vec<u8>>) -> Result<FoundRows> {
        let finders: Vec<Finder<'_>> = sought.iter().map(Finder::new).collect();
        let holds = |bytes: &[u8]| finders.iter().any(|finder| finder.find(bytes).is_some());
        let (first, end) = among.tables();
        let from = after.map_or_else(|| Bound::Included(keys::table(self.tenant.into(), first)), Bound::Excluded);
        let to = Bound::Excluded(keys::table(self.tenant.into(), end));
        let mut found = FoundRows::default();
        let mut seen = 0;
        self.view.scan_readable((from, to), false, &mut |key, value| {
            let is_found = match among {
                SearchedRows::Records => unseal(self.view, key, value).is_ok_and(|(_, payload)| holds(payload)),
                SearchedRows::Replies => {
                    Reply::is_at(key)
                        && unseal_value::<Reply>(self.view, key, value).is_ok_and(|reply| holds(&reply.answer))
                }
            };
            if is_found {
                found.rows.extend(FoundRow::at(key));
            }
            seen += 1;
            if seen < ROWS_READ && found.rows.len() < ROWS_FOUND {
                return Ok(ControlFlow::Continue(()));
            }
            found.next = Some(key.to_vec());
            Ok(ControlFlow::Break(()))
        })?;
        Ok(found)
    }

    /// Finds the changes of some records that have a title: their sequence numbers, among at most 20,000 changes after
    /// one, and the number after which the next search continues; `None` at the end.
    pub fn find_titles(&self, records: &HashSet<[u8; 16]>, after: u64) -> Result<(Vec<u64>, Option<u64>)> {
        let prefix = keys::table(self.tenant.into(), keys::LEDGER);
        let mut from = prefix.clone();
        from.extend_from_slice(&after.to_be_bytes());
        let mut found = Vec::new();
        let mut next = None;
        let mut seen = 0;
        self.view.scan_readable((Bound::Excluded(from), keys::end(&prefix)), false, &mut |key, value| {
            let Ok(change) = unseal_value::<Change>(self.view, key, value) else {
                return Ok(ControlFlow::Continue(()));
            };
            if change.title.is_some() && records.contains(&change.id) {
                found.push(change.seq);
            }
            seen += 1;
            if seen < ROWS_READ && found.len() < ROWS_FOUND {
                return Ok(ControlFlow::Continue(()));
            }
            next = Some(change.seq);
            Ok(ControlFlow::Break(()))
        })?;
        Ok((found, next))
    }
}

impl TenantWrite<'_> {
    /// Removes a stored response: a repetition of its request is a new request.
    pub fn forget_reply(&self, row: &FoundRow) {
        if row.table == keys::REPLIES {
            self.staged.set(row.key.clone(), None);
        }
    }

    /// Replaces the titles of changes. Nothing else of the change feed is ever changed.
    pub fn replace_titles(&self, changes: &[u64], title: &str) -> Result<()> {
        for seq in changes {
            let mut key = keys::table(self.tenant.into(), keys::LEDGER);
            key.extend_from_slice(&seq.to_be_bytes());
            // It may have been trimmed since it was found.
            let Some(row) = self.view.get(&key)? else { continue };
            let change = Change { title: Some(title.to_owned()), ..unseal_value(self.view, &key, &row)? };
            let sealed = seal(&key, 1, &encode(&change)?);
            self.staged.set(key, Some(sealed));
        }
        Ok(())
    }
}
