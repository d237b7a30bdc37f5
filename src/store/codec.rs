//! How a record becomes bytes and back: an envelope with a version and a checksum over where it lies
//! and what it says, verified at every read, so that a damaged record is noticed and never served.

use serde::{Deserialize, Serialize, de::DeserializeOwned};
use xxhash_rust::xxh3::Xxh3;

use crate::kernel::{Document, Error, Id, MemberId, Result, Timestamp};

/// Bytes before the payload: version, flags, checksum.
const HEADER: usize = 10;

/// Something the store keeps. The type itself is the newest shape of the record.
pub trait Record: Serialize + DeserializeOwned + Clone + Send + Sync + 'static {
    /// The kind, as search, ledger and audit name it.
    const KIND: &'static str;
    /// The table: a number that is never used again for something else.
    const TABLE: u16;
    /// The version of the shape; raised when an older payload can no longer be read as it is. A new
    /// optional field needs no new version.
    const VERSION: u8 = 1;
    /// Whether changes are noted in the ledger. Secrets and bookkeeping are not.
    const LEDGER: bool = true;

    /// Reads the payload of an older version.
    ///
    /// # Errors
    /// `internal` when the version is not known.
    fn upgrade(version: u8, _payload: &[u8]) -> Result<Stored<Self>> {
        Err(Error::internal(format_args!("{} of version {version} cannot be read", Self::KIND)))
    }

    /// The keys by which it can be looked up, kept by the store with the record.
    fn lookups(_record: &Stored<Self>, _out: &mut Lookups) {}

    /// Whether it is the record of a tenant that is being erased, or brought in: what there is of such a tenant
    /// need not be whole.
    fn is_passing(&self) -> bool {
        false
    }

    /// The figures that it adds to, kept by the store as it comes, changes and goes.
    fn counters(_record: &Stored<Self>, _out: &mut Counters) {}

    /// What search may know of it.
    fn document(_record: &Stored<Self>) -> Option<Document> {
        None
    }

    /// Its name in lists of what happened.
    fn title(&self) -> Option<String> {
        None
    }
}

/// A record of a tenant: reached by a handle that is narrowed to one tenant.
pub trait TenantRecord: Record {}
/// A record of one person inside a tenant: reached by that person's handle.
pub trait PersonalRecord: Record {}

/// A record as it lies in the store, with what the store itself keeps of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound(deserialize = "R: DeserializeOwned"))]
pub struct Stored<R> {
    /// Its id. Its key has it too; here it is for answers that are kept to be given again.
    #[serde(rename = "i", default = "nil")]
    pub id: Id<R>,
    /// Counts its changes, from 1: its `ETag`.
    #[serde(rename = "v")]
    pub version: u64,
    /// When it was made.
    #[serde(rename = "c")]
    pub created_at: Timestamp,
    /// When it was last changed.
    #[serde(rename = "u")]
    pub updated_at: Timestamp,
    /// Who made it; nobody when the installation itself did.
    #[serde(rename = "b", default, skip_serializing_if = "Option::is_none")]
    pub created_by: Option<MemberId>,
    /// The record itself.
    #[serde(rename = "r")]
    pub value: R,
}

fn nil<R>() -> Id<R> {
    Id::from_bytes([0; 16])
}

impl<R> std::ops::Deref for Stored<R> {
    type Target = R;
    fn deref(&self) -> &R {
        &self.value
    }
}

/// The lookup keys of a record.
#[derive(Default)]
pub struct Lookups(pub(super) Vec<LookupKey>);

pub(super) struct LookupKey {
    pub(super) lookup: u16,
    pub(super) unique: Option<&'static str>,
    pub(super) global: bool,
    pub(super) value: Vec<u8>,
}

impl Lookups {
    /// At most one record has this value; a second is a conflict at `field`.
    pub fn unique(&mut self, lookup: u16, field: &'static str, value: impl AsRef<[u8]>) {
        self.0.push(LookupKey { lookup, unique: Some(field), global: false, value: value.as_ref().to_vec() });
    }

    /// Any number of records have this value; they come in its order.
    pub fn multi(&mut self, lookup: u16, value: impl AsRef<[u8]>) {
        self.0.push(LookupKey { lookup, unique: None, global: false, value: value.as_ref().to_vec() });
    }

    /// At most one record of the whole installation has this value; a second is a conflict at `field`.
    pub fn global_unique(&mut self, lookup: u16, field: &'static str, value: impl AsRef<[u8]>) {
        self.0.push(LookupKey { lookup, unique: Some(field), global: true, value: value.as_ref().to_vec() });
    }

    /// Kept for the whole installation: which tenants' records have this value. Only the system's handle reads it.
    pub fn global(&mut self, lookup: u16, value: impl AsRef<[u8]>) {
        self.0.push(LookupKey { lookup, unique: None, global: true, value: value.as_ref().to_vec() });
    }
}

/// The figures that a record adds to, by name.
#[derive(Default)]
pub struct Counters {
    pub(super) figures: Vec<(String, i64)>,
    pub(super) person: Option<MemberId>,
}

impl Counters {
    /// Adds so much to a figure.
    pub fn add(&mut self, name: impl Into<String>, amount: i64) {
        self.figures.push((name.into(), amount));
    }

    /// Adds so much to a figure of the person whose own record it is: the tenant's figure
    /// `<name>/<member id>`. Does nothing for a record that is the company's.
    pub fn add_own(&mut self, name: &str, amount: i64) {
        if let Some(person) = self.person {
            self.add(own_figure(name, person), amount);
        }
    }
}

/// The name of a person's figure.
pub(super) fn own_figure(name: &str, person: MemberId) -> String {
    format!("{name}/{person}")
}

fn checksum(key: &[u8], version: u8, payload: &[u8]) -> u64 {
    let mut hash = Xxh3::new();
    hash.update(key);
    hash.update(&[version]);
    hash.update(payload);
    hash.digest()
}

/// Puts a payload that lies under `key` into its envelope.
pub(super) fn seal(key: &[u8], version: u8, payload: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(HEADER + payload.len());
    bytes.push(version);
    bytes.push(0);
    bytes.extend_from_slice(&checksum(key, version, payload).to_be_bytes());
    bytes.extend_from_slice(payload);
    bytes
}

/// Takes version and payload out of the envelope that lies under `key`.
///
/// # Errors
/// `damaged` when the checksum does not fit: the bytes were damaged, or lie where they do not belong.
pub(super) fn open<'a>(key: &[u8], bytes: &'a [u8]) -> Result<(u8, &'a [u8])> {
    let damaged = || Error::damaged("the checksum does not fit");
    let (header, payload) = bytes.split_at_checked(HEADER).ok_or_else(damaged)?;
    let [version, flags, sum @ ..] = header else { return Err(damaged()) };
    let intact = *flags == 0 && sum == checksum(key, *version, payload).to_be_bytes();
    if intact { Ok((*version, payload)) } else { Err(damaged()) }
}

/// The payload of a value: self-describing (MessagePack with names), so that fields can come and go.
///
/// # Errors
/// `internal` when the value cannot be written, which is a fault of ours.
pub(super) fn encode<T: Serialize>(value: &T) -> Result<Vec<u8>> {
    rmp_serde::to_vec_named(value).map_err(Error::internal)
}

/// Reads a payload.
///
/// # Errors
/// `internal` when it has another shape.
pub(super) fn decode<T: DeserializeOwned>(payload: &[u8]) -> Result<T> {
    rmp_serde::from_slice(payload).map_err(Error::internal)
}

/// Puts a record into the envelope under its key.
pub(super) fn seal_record<R: Record>(key: &[u8], record: &Stored<R>) -> Result<Vec<u8>> {
    Ok(seal(key, R::VERSION, &encode(record)?))
}

/// Reads the record that lies under a key; an older version is upgraded. The id is the last sixteen
/// bytes of the key.
///
/// # Errors
/// `damaged` when the payload has another shape.
pub(super) fn read_record<R: Record>(key: &[u8], version: u8, payload: &[u8]) -> Result<Stored<R>> {
    let read = if version == R::VERSION { decode(payload) } else { R::upgrade(version, payload) };
    let mut record: Stored<R> = read.map_err(|error| Error::damaged(error.detail().unwrap_or_default()))?;
    record.id = key.len().checked_sub(16).and_then(|at| Id::from_slice(&key[at..])).unwrap_or_else(nil);
    Ok(record)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_flipped_bit_is_noticed() {
        let sealed = seal(b"key", 1, b"payload");
        for bit in 0..sealed.len() * 8 {
            let mut damaged = sealed.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            assert!(open(b"key", &damaged).is_err(), "bit {bit}");
        }
        assert!(open(b"kex", &sealed).is_err(), "the same bytes under another key");
        assert_eq!(open(b"key", &sealed).map(|(_, payload)| payload.to_vec()).ok(), Some(b"payload".to_vec()));
    }
}
