//! The records of duplicates: what a scan found, and what members said are none.

use std::cmp::Reverse;

use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;
use uuid::Uuid;

use crate::{
    features::records::{KindName, parts::part_place},
    kernel::{Id, MemberId, Result, Timestamp},
    store::{Lookups, Record, Scan, Stored, TenantRead, TenantRecord},
};

/// Index of pairs that are no duplicates.
pub const NOT_DUPLICATES: u16 = 1_258;
/// Index of scans by kind.
pub const SCANS_BY_KIND: u16 = 1_259;
/// Index of the parts of scans by scan and place.
pub const DUPLICATE_PARTS: u16 = 1_267;

/// How far a scan is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, poem_openapi::Enum)]
#[oai(rename = "DuplicateScanState", rename_all = "lowercase")]
#[serde(rename_all = "snake_case")]
pub enum ScanState {
    /// None was made yet.
    Never,
    /// Records are being compared.
    Running,
    /// All were compared.
    Done,
    /// It could not go on.
    Failed,
}

/// The last scan of a kind for duplicates.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DuplicateScan {
    /// The kind.
    pub kind: KindName,
    /// How far it is.
    pub state: ScanState,
    /// How many records there were when it began.
    pub total: u64,
    /// How many pairs are kept.
    pub found: u64,
    /// When it began.
    pub begun_at: Timestamp,
    /// The member who began it.
    pub begun_by: Option<MemberId>,
    /// When it ended.
    pub ended_at: Option<Timestamp>,
}

impl DuplicateScan {
    /// Returns the last scan of a kind.
    pub fn of(tx: &TenantRead<'_>, kind: KindName) -> Result<Option<Stored<Self>>> {
        Ok(tx.page::<Self>(&Scan::with(SCANS_BY_KIND, kind.kind().kind).limit(1), |_| true)?.items.pop())
    }
}

impl Record for DuplicateScan {
    type Key = Self;
    const KIND: &'static str = "duplicate_scan";
    const TABLE: u16 = 76;
    fn lookups(record: &Stored<Self>, out: &mut Lookups) {
        out.unique(SCANS_BY_KIND, "kind", record.kind.kind().kind);
    }
}
impl TenantRecord for DuplicateScan {}

/// Two records that look alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FoundPair {
    /// The one with the lower id.
    pub one: Id<()>,
    /// The other one.
    pub other: Id<()>,
    /// How much they looked alike when they were found.
    pub score: u8,
}

impl FoundPair {
    /// What the pairs of a scan are sorted by: the likeliest first.
    pub fn place(&self) -> (Reverse<u8>, Id<()>, Id<()>) {
        (Reverse(self.score), self.one, self.other)
    }
}

/// Some of the pairs that a scan found, the likeliest first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DuplicatePart {
    /// The scan.
    pub scan: Id<DuplicateScan>,
    /// Its place among the parts of the scan.
    pub place: u32,
    /// The pairs.
    pub pairs: Vec<FoundPair>,
}

#[cfg(test)]
impl DuplicatePart {
    /// Returns a part with one pair.
    pub fn of_pair(scan: Id<DuplicateScan>, record: Id<()>) -> Self {
        Self { scan, place: 0, pairs: vec![FoundPair { one: record, other: record, score: 95 }] }
    }
}

impl Record for DuplicatePart {
    type Key = Self;
    const KIND: &'static str = "duplicate_part";
    const TABLE: u16 = 84;
    fn lookups(record: &Stored<Self>, out: &mut Lookups) {
        out.multi(DUPLICATE_PARTS, part_place(record.scan, record.place));
    }
}
impl TenantRecord for DuplicatePart {}

/// Two records that a member called no duplicates.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NotDuplicate {
    /// The one with the lower id.
    pub one: Uuid,
    /// The other one.
    pub other: Uuid,
}

impl NotDuplicate {
    /// Returns the key of two records in `NOT_DUPLICATES`.
    pub fn key(one: Uuid, other: Uuid) -> [u8; 32] {
        let mut key = [0; 32];
        key[..16].copy_from_slice(one.min(other).as_bytes());
        key[16..].copy_from_slice(one.max(other).as_bytes());
        key
    }
}

impl Record for NotDuplicate {
    type Key = Self;
    const KIND: &'static str = "not_duplicate";
    const TABLE: u16 = 75;
    fn lookups(record: &Stored<Self>, out: &mut Lookups) {
        out.unique(NOT_DUPLICATES, "ids", Self::key(record.one, record.other));
    }
}
impl TenantRecord for NotDuplicate {}
