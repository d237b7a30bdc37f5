//! What a feature tells the house: what of it can be found, and what of it is news to whom. Collected from
//! the register, so that search and the socket know every feature without importing one.

use crate::{
    access::permission::Permission,
    kernel::{Document, Id, MemberId, Result},
    store::{PersonalRecord, Record, TenantRead, TenantRecord},
};

/// A feature, as the house knows it.
pub struct Feature {
    /// Its folder's name.
    pub name: &'static str,
    /// What of it can be found.
    pub searchable: &'static [Searchable],
    /// Changes of which of its records are told, and to whom. Of what is in no such list nobody is told.
    pub live: &'static [LiveKind],
}

/// A kind of record whose changes are told.
#[derive(Clone, Copy)]
pub struct LiveKind {
    /// `Record::KIND`.
    pub kind: &'static str,
    /// To whom.
    pub to: AudienceRule,
}

/// To whom the change of a record is told.
#[derive(Clone, Copy)]
pub enum AudienceRule {
    /// Everybody of the company who holds a right.
    Holders(Permission),
    /// The same, but only few as long as a function says so of the record as it is now.
    HoldersOrRestricted(Permission, fn(&TenantRead<'_>, [u8; 16]) -> Result<Option<Restricted>>),
    /// The person whose own record it is.
    Owner,
    /// These, as the record is now.
    Members(fn(&TenantRead<'_>, [u8; 16]) -> Result<Vec<MemberId>>),
}

/// Those who may know of a record of which not everybody may.
pub struct Restricted {
    /// Whoever holds this right.
    pub holders: Permission,
    /// And these.
    pub people: Vec<MemberId>,
}

impl LiveKind {
    /// The company's records of a kind: to everybody who holds a right.
    #[must_use]
    pub const fn to_holders<R: TenantRecord>(by: Permission) -> Self {
        Self { kind: <R as Record>::KIND, to: AudienceRule::Holders(by) }
    }

    /// The same, but only to few as long as a function says so.
    #[must_use]
    pub const fn to_holders_or_restricted<R: TenantRecord>(
        by: Permission,
        few: fn(&TenantRead<'_>, [u8; 16]) -> Result<Option<Restricted>>,
    ) -> Self {
        Self { kind: <R as Record>::KIND, to: AudienceRule::HoldersOrRestricted(by, few) }
    }

    /// People's own records of a kind: to each theirs.
    #[must_use]
    pub const fn to_owner<R: PersonalRecord>() -> Self {
        Self { kind: <R as Record>::KIND, to: AudienceRule::Owner }
    }

    /// The company's records of a kind: to those whom a function names.
    #[must_use]
    pub const fn to_members<R: TenantRecord>(to: fn(&TenantRead<'_>, [u8; 16]) -> Result<Vec<MemberId>>) -> Self {
        Self { kind: <R as Record>::KIND, to: AudienceRule::Members(to) }
    }
}

/// What is done with each document.
pub type Visit<'v> = dyn FnMut(Document) -> Result<()> + 'v;

/// A kind of record that can be found.
#[derive(Clone, Copy)]
pub struct Searchable {
    /// `Record::KIND`.
    pub kind: &'static str,
    /// What search may know of the record now; none when it is gone.
    pub document: fn(&TenantRead<'_>, [u8; 16]) -> Result<Option<Document>>,
    /// Hands over what search may know of every record of the kind but the damaged ones. How many those are.
    pub each: fn(&TenantRead<'_>, &mut Visit<'_>) -> Result<u64>,
}

impl Searchable {
    /// For a kind of record.
    #[must_use]
    pub const fn of<R: TenantRecord>() -> Self {
        Self { kind: <R as Record>::KIND, document: document::<R>, each: each::<R> }
    }
}

fn document<R: TenantRecord>(tx: &TenantRead<'_>, id: [u8; 16]) -> Result<Option<Document>> {
    Ok(tx.find_intact::<R>(Id::from_bytes(id))?.and_then(|record| R::document(&record)))
}

fn each<R: TenantRecord>(tx: &TenantRead<'_>, visit: &mut Visit<'_>) -> Result<u64> {
    tx.each::<R>(|record| R::document(&record).map_or(Ok(()), &mut *visit))
}
