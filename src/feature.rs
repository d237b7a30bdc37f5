//! What a feature tells the house: what it keeps in the store and what of it can be found. Collected from
//! the register, so that search, checks and upgrades know every feature without importing one.

use crate::{
    kernel::{Document, Id, Result},
    store::{Record, TenantRead, TenantRecord},
};

/// A feature, as the house knows it.
pub struct Feature {
    /// Its folder's name.
    pub name: &'static str,
    /// What of it can be found.
    pub searchable: &'static [Searchable],
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
    /// Hands over what search may know of every record of the kind.
    pub each: fn(&TenantRead<'_>, &mut Visit<'_>) -> Result<()>,
}

impl Searchable {
    /// For a kind of record.
    #[must_use]
    pub const fn of<R: TenantRecord>() -> Self {
        Self { kind: <R as Record>::KIND, document: document::<R>, each: each::<R> }
    }
}

fn document<R: TenantRecord>(tx: &TenantRead<'_>, id: [u8; 16]) -> Result<Option<Document>> {
    Ok(tx.find::<R>(Id::from_bytes(id))?.and_then(|record| R::document(&record)))
}

fn each<R: TenantRecord>(tx: &TenantRead<'_>, visit: &mut Visit<'_>) -> Result<()> {
    tx.each::<R>(|record| R::document(&record).map_or(Ok(()), &mut *visit))
}
