//! Key layout of all rows: `tenant (16 bytes) | table (2) | key`.
//! Only this module knows it.

use std::ops::Bound;

use crate::kernel::{MemberId, TenantId};

/// Owner of a row: the installation (16 zero bytes) or a tenant.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct Space(pub(super) [u8; 16]);

impl Space {
    pub(super) const SYSTEM: Self = Self([0; 16]);
}

impl From<TenantId> for Space {
    fn from(tenant: TenantId) -> Self {
        Self(*tenant.as_bytes())
    }
}

/// Bytes of space and table at the start of a key.
pub(super) const HEAD_BYTES: usize = 18;

/// The first table of records, and the first table of indexes.
pub(super) const RECORDS: u16 = 10;
pub(super) const LOOKUPS: u16 = 1_000;

/// Tables that the store maintains, below the records.
pub(super) const META: u16 = 1;
pub(super) const COUNTERS: u16 = 2;
pub(super) const LEDGER: u16 = 3;
pub(super) const REPLIES: u16 = 4;
/// The sequence numbers of the changes that people read about.
pub(super) const NEWS: u16 = 5;

/// Returns space and table of a key, `None` when it is too short.
pub(super) fn split(key: &[u8]) -> Option<(Space, u16)> {
    let (space, rest) = key.split_first_chunk::<16>()?;
    let (table, _) = rest.split_first_chunk::<2>()?;
    Some((Space(*space), u16::from_be_bytes(*table)))
}

/// Returns the prefix of all keys of a table.
pub(super) fn table(space: Space, table: u16) -> Vec<u8> {
    let mut key = Vec::with_capacity(64);
    key.extend_from_slice(&space.0);
    key.extend_from_slice(&table.to_be_bytes());
    key
}

/// Returns the key of a tenant's record, or of a member's personal record.
pub(super) fn record(space: Space, table_id: u16, person: Option<MemberId>, id: &[u8; 16]) -> Vec<u8> {
    let mut key = table(space, table_id);
    if let Some(person) = person {
        key.extend_from_slice(person.as_bytes());
    }
    key.extend_from_slice(id);
    key
}

/// Returns the prefix of the index keys for exactly this value. The value is escaped (0x00 becomes 0x00 0xFF) and
/// terminated (0x00 0x01), so that no value is a prefix of another and the order is kept.
pub(super) fn lookup(space: Space, lookup: u16, person: Option<MemberId>, value: &[u8]) -> Vec<u8> {
    let mut key = lookup_prefix(space, lookup, person, value);
    key.extend_from_slice(&[0, 1]);
    key
}

/// Returns the prefix of the index keys for all values that begin with `value`.
pub(super) fn lookup_prefix(space: Space, lookup: u16, person: Option<MemberId>, value: &[u8]) -> Vec<u8> {
    let mut key = table(space, lookup);
    if let Some(person) = person {
        key.extend_from_slice(person.as_bytes());
    }
    for byte in value {
        key.push(*byte);
        if *byte == 0 {
            key.push(0xFF);
        }
    }
    key
}

/// Returns the key of the count and digest of a table, or of the ends of the change feed.
pub(super) fn meta_key(space: Space, table_id: u16) -> Vec<u8> {
    let mut key = table(space, META);
    key.extend_from_slice(&table_id.to_be_bytes());
    key
}

/// Returns the key of a change in the list of those that people read about.
pub(super) fn news_key(space: Space, seq: u64) -> Vec<u8> {
    let mut key = table(space, NEWS);
    key.extend_from_slice(&seq.to_be_bytes());
    key
}

/// Returns the key of a counter.
pub(super) fn counter_key(space: Space, name: &str) -> Vec<u8> {
    let mut key = table(space, COUNTERS);
    key.extend_from_slice(name.as_bytes());
    key
}

/// Returns the first key after all keys with `prefix`, unbounded if there is none.
pub(super) fn end(prefix: &[u8]) -> Bound<Vec<u8>> {
    let mut end = prefix.to_vec();
    while let Some(last) = end.pop() {
        if last < 0xFF {
            end.push(last + 1);
            return Bound::Excluded(end);
        }
    }
    Bound::Unbounded
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn lookup_keys_keep_the_order_and_are_never_prefixes_of_each_other(a: Vec<u8>, b: Vec<u8>) {
            let x = lookup(Space::SYSTEM, 7, None, &a);
            let y = lookup(Space::SYSTEM, 7, None, &b);
            prop_assert_eq!(a.cmp(&b), x.cmp(&y));
            prop_assert!(a == b || !x.starts_with(&y));
        }

        #[test]
        fn a_prefix_range_holds_exactly_the_keys_with_the_prefix(prefix: Vec<u8>, key: Vec<u8>) {
            let within = key >= prefix && match end(&prefix) {
                Bound::Excluded(end) => key < end,
                _ => true,
            };
            prop_assert_eq!(within, key.starts_with(&prefix));
        }
    }
}
