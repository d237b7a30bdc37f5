//! The record of a link as one of its two records has it.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::{
    features::records::KindName,
    store::{Lookups, Record, Stored, TenantRecord},
};

/// Index of links by the record that has them.
pub const LINKS_BY_RECORD: u16 = 1_251;
/// Index of links by both records.
pub const LINK_BY_BOTH: u16 = 1_252;

/// A link of a record to another one. The other record has such a link, too, and both are set and removed together: each
/// is a part of its record, so that changes reach those who see that one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordLink {
    /// The kind of the record.
    pub kind: KindName,
    /// The record.
    pub record: Uuid,
    /// The kind of the other record.
    pub to_kind: KindName,
    /// The other record.
    pub to: Uuid,
}

impl RecordLink {
    /// Returns the key of the link from one record to another in `LINK_BY_BOTH`.
    pub fn key(record: Uuid, to: Uuid) -> [u8; 32] {
        let mut key = [0; 32];
        key[..16].copy_from_slice(record.as_bytes());
        key[16..].copy_from_slice(to.as_bytes());
        key
    }
}

impl Record for RecordLink {
    type Key = Self;
    const KIND: &'static str = "record_link";
    const TABLE: u16 = 56;
    fn lookups(record: &Stored<Self>, out: &mut Lookups) {
        out.multi(LINKS_BY_RECORD, record.record.as_bytes());
        out.unique(LINK_BY_BOTH, "recordId", Self::key(record.record, record.to));
    }
    fn part_of(&self) -> Option<(String, [u8; 16])> {
        Some((self.kind.kind().kind.to_owned(), self.record.into_bytes()))
    }
    fn also_of(&self) -> Vec<(String, [u8; 16])> {
        vec![(self.to_kind.kind().kind.to_owned(), self.to.into_bytes())]
    }
}
impl TenantRecord for RecordLink {}
