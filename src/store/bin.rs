//! The bin: removed records as they were, so that they can be restored. To everything else a record in the bin is gone:
//! its indexes, counters and entries in the change feed are those of a removal.

use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;

use super::{
    codec::{Counters, Lookups, Record, RecordId, Stored, TenantRecord, encode, read_record},
    table::TableInfo,
    write::TenantWrite,
};
use crate::kernel::{Code, Error, Id, MemberId, Result};

/// Index of the bin by the time of removal.
pub const BINNED_BY_TIME: u16 = 1_240;
/// Index of the bin by the member who removed the record, and by the time.
pub const BINNED_BY_MEMBER: u16 = 1_241;

/// A record in the bin, under the id that it had.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Binned {
    /// The record's kind.
    pub kind: String,
    /// The member who created the record.
    pub creator: Option<MemberId>,
    /// The months without contact or change after which the retention of personal data removed the record. It is erased
    /// when it leaves the bin, unless it is restored.
    #[serde(rename = "retentionMonths")]
    pub retention_months: Option<u16>,
    /// The schema version of `payload`.
    version: u8,
    /// The record, encoded. As bytes, so that the files that it names are still found in it.
    #[serde(with = "serde_bytes")]
    payload: Vec<u8>,
}

impl Record for Binned {
    type Key = Self;
    const KIND: &'static str = "binned";
    const TABLE: u16 = 35;
    /// The change feed has the removal itself.
    const LEDGER: bool = false;
    fn lookups(record: &Stored<Self>, out: &mut Lookups) {
        let at = record.created_at.millis().to_be_bytes();
        out.multi(BINNED_BY_TIME, at);
        if let Some(member) = record.created_by {
            out.multi(BINNED_BY_MEMBER, [member.as_bytes().as_slice(), &at].concat());
        }
    }
    fn counters(record: &Stored<Self>, out: &mut Counters) {
        if let Some(member) = record.created_by {
            out.add(binned_by(member), 1);
        }
    }
}
impl TenantRecord for Binned {}

/// Returns the name of the counter of records that a member put into the bin.
pub fn binned_by(member: MemberId) -> String {
    format!("bin/by/{member}")
}

impl Binned {
    /// Returns the record as it was.
    /// Errors: `damaged` when it has another structure.
    pub fn open<R: TenantRecord>(&self, id: RecordId<R>) -> Result<Stored<R>> {
        Ok(Stored { id, ..read_record::<R>(&[], self.version, &self.payload)? })
    }

    /// Takes out of the record in it what the API would not have accepted. Returns whether it changed.
    pub(super) fn admit_content(&mut self, tables: &[TableInfo]) -> Result<bool> {
        let Some(info) = tables.iter().find(|info| info.kind == self.kind) else { return Ok(false) };
        let Some((version, payload)) = (info.admit)(&[], self.version, &self.payload)? else { return Ok(false) };
        (self.version, self.payload) = (version, payload);
        Ok(true)
    }
}

#[cfg(test)]
impl Binned {
    /// Damages the record in it.
    pub fn spoil(&mut self) {
        self.payload = vec![0xc1];
    }
}

impl TenantWrite<'_> {
    /// Moves a record to the bin.
    /// Errors: `not_found`; `stale_version` when the record has another version than `expected`.
    pub fn bin<R: TenantRecord>(&self, id: RecordId<R>, expected: Option<u64>) -> Result<Stored<R>> {
        self.attempt(|| {
            let old = self.remove(id, expected)?;
            let payload = encode(&old)?;
            let binned = Binned {
                kind: R::KIND.to_owned(),
                creator: old.created_by,
                retention_months: None,
                version: R::VERSION,
                payload,
            };
            self.create_at(Id::from_bytes(*id.as_bytes()), binned)?;
            Ok(old)
        })
    }

    /// Marks a record in the bin as removed by the retention of personal data after a number of months.
    /// Errors: `not_found`.
    pub fn mark_retention(&self, id: Id<Binned>, months: u16) -> Result<()> {
        self.rewrite(&self.get::<Binned>(id)?, |binned| binned.retention_months = Some(months))
    }

    /// Changes a record in the bin. The time of its removal and its remover stay.
    pub fn rewrite_binned<R: TenantRecord>(&self, id: RecordId<R>, change: impl FnOnce(&mut R)) -> Result<()> {
        let binned = self.get::<Binned>(Id::from_bytes(*id.as_bytes()))?;
        let mut record = binned.open::<R>(id)?;
        change(&mut record.value);
        let payload = encode(&record)?;
        self.rewrite(&binned, |binned| (binned.version, binned.payload) = (R::VERSION, payload))
    }

    /// Takes a record out of the bin. `adapt` fits it to what has changed since.
    /// Errors: `not_found` when it is not in the bin; `conflict` when a record has its id, or a unique value is taken; what
    /// `adapt` returns.
    pub fn restore<R: TenantRecord>(
        &self,
        id: RecordId<R>,
        adapt: impl FnOnce(&mut R) -> Result<()>,
    ) -> Result<Stored<R>> {
        let place = Id::from_bytes(*id.as_bytes());
        self.attempt(|| {
            let binned = self.get::<Binned>(place)?;
            let mut record = binned.open::<R>(id)?;
            if self.find_intact::<R>(id)?.is_some() {
                return Err(Error::new(Code::Conflict));
            }
            adapt(&mut record.value)?;
            self.remove::<Binned>(place, None)?;
            let record = self.put_restored(record)?;
            self.keep_restored(&record, &binned)?;
            Ok(record)
        })
    }
}
