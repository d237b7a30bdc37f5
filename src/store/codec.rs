//! Record encoding: an envelope with a version and a checksum over key, version and payload. Every read verifies it, so
//! a damaged record is detected and never returned.

use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_with::skip_serializing_none;
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use super::changes::History;
use crate::kernel::{Document, Error, Heading, Id, MemberId, Result, Timestamp};

/// Bytes before the payload: version, flags, checksum.
const HEADER_BYTES: usize = 10;

/// A type that the store persists. The Rust type is the newest version of the schema.
pub trait Record: Serialize + DeserializeOwned + Clone + Send + Sync + 'static {
    /// Type of the ids: the record itself, or the record by whose ids it is keyed (credentials by their member).
    type Key;
    /// Name of the kind in search, change feed and audit log.
    const KIND: &'static str;
    /// Number of the table. Never reused for another kind.
    const TABLE: u16;
    /// Schema version. Increased when older payloads can no longer be decoded as they are. A new optional field needs
    /// no new version.
    const VERSION: u8 = 1;
    /// Whether the change feed records changes. Secrets and internal data are left out.
    const LEDGER: bool = true;
    /// The fields whose changes are kept as the record's history; `None` for a kind without one.
    const HISTORY: Option<History> = None;

    /// Decodes the payload of an older version.
    /// Errors: `internal` when the version is unknown.
    fn upgrade(version: u8, _payload: &[u8]) -> Result<Stored<Self>> {
        Err(Error::internal(format_args!("{} of version {version} cannot be read", Self::KIND)))
    }

    /// Takes out of a record of an archive what the API would not have accepted, such as scripts in HTML and in links. May
    /// take long. Returns whether the record changed.
    fn admit(&mut self) -> bool {
        false
    }

    /// The index entries of the record. The store maintains them.
    fn lookups(_record: &Stored<Self>, _out: &mut Lookups) {}

    /// Whether this is the root record of a tenant that is being erased or imported. The data of such a tenant may be
    /// incomplete.
    fn is_being_erased_or_imported(&self) -> bool {
        false
    }

    /// The counters that the record adds to. The store maintains them.
    fn counters(_record: &Stored<Self>, _out: &mut Counters) {}

    /// What the record adds to levels whose changes are kept over time, such as the number of customers. `at` is the time
    /// of a change. The store keeps by how much each level rose and fell in each quarter of an hour, which
    /// `TenantRead::level_changes` reads. `None` for a kind without levels.
    fn levels(_record: &Stored<Self>, _at: Timestamp) -> Option<Vec<(String, i64)>> {
        None
    }

    /// The document for full-text search.
    fn document(_record: &Stored<Self>) -> Option<Document> {
        None
    }

    /// The record's title in the change feed.
    fn title(&self) -> Option<String> {
        None
    }

    /// Kind and id of the record that it is a part of, as a comment is.
    fn part_of(&self) -> Option<(String, [u8; 16])> {
        None
    }

    /// Kinds and ids of the other records without which it is not seen, as the other end of a link is.
    fn also_of(&self) -> Vec<(String, [u8; 16])> {
        Vec::new()
    }

    /// Whether it is a part of other records, too, and so stays when that one is gone.
    fn is_shared(&self) -> bool {
        false
    }
}

/// A record that belongs to a tenant, read and written through the tenant's handle.
pub trait TenantRecord: Record {}
/// A personal record of a member, read and written through that member's handle.
pub trait PersonalRecord: Record {}

/// The id of a record.
pub type RecordId<R> = Id<<R as Record>::Key>;

/// A record with the metadata that the store adds.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound(deserialize = "R: DeserializeOwned"))]
pub struct Stored<R: Record> {
    /// The id. It is taken from the key on read; it is stored for idempotent replies, which hold records without keys.
    #[serde(rename = "i", default = "nil_id")]
    pub id: RecordId<R>,
    /// Number of its changes, from 1. Used as the `ETag`.
    #[serde(rename = "v")]
    pub version: u64,
    /// When it was created.
    #[serde(rename = "c")]
    pub created_at: Timestamp,
    /// When it was last changed.
    #[serde(rename = "u")]
    pub updated_at: Timestamp,
    /// The member who created it; `None` when it was not a member.
    #[serde(rename = "b")]
    pub created_by: Option<MemberId>,
    /// The record itself.
    #[serde(rename = "r")]
    pub value: R,
}

fn nil_id<T>() -> Id<T> {
    Id::from_bytes([0; 16])
}

impl<R: Record> Stored<R> {
    /// Begins the search document of the record: with a title under a heading, without further texts.
    pub fn document(&self, group: Heading, title: &str) -> Document {
        Document::new(group, (R::KIND, *self.id.as_bytes()), title, self.updated_at.millis())
    }
}

impl<R: Record> std::ops::Deref for Stored<R> {
    type Target = R;
    fn deref(&self) -> &R {
        &self.value
    }
}

/// The index entries of a record.
#[derive(Default)]
pub struct Lookups(pub(super) Vec<LookupKey>);

pub(super) struct LookupKey {
    pub(super) lookup: u16,
    pub(super) unique: Option<&'static str>,
    pub(super) global: bool,
    pub(super) value: Vec<u8>,
}

impl Lookups {
    /// Adds a unique index entry. A second record with the same value is a conflict at `field`.
    pub fn unique(&mut self, lookup: u16, field: &'static str, value: impl AsRef<[u8]>) {
        self.0.push(LookupKey { lookup, unique: Some(field), global: false, value: value.as_ref().to_vec() });
    }

    /// Adds an index entry that is unique among the records for which `is_unique` is true. The others reserve no value: a
    /// conflict would tell that a hidden record exists.
    pub fn unique_if(&mut self, is_unique: bool, lookup: u16, field: &'static str, value: impl AsRef<[u8]>) {
        if is_unique { self.unique(lookup, field, value) } else { self.multi(lookup, value) }
    }

    /// Adds an index entry. Several records may have the same value; scans are ordered by value.
    pub fn multi(&mut self, lookup: u16, value: impl AsRef<[u8]>) {
        self.0.push(LookupKey { lookup, unique: None, global: false, value: value.as_ref().to_vec() });
    }

    /// Adds an entry to an index that is unique in the whole installation. A second record is a conflict at `field`.
    pub fn global_unique(&mut self, lookup: u16, field: &'static str, value: impl AsRef<[u8]>) {
        self.0.push(LookupKey { lookup, unique: Some(field), global: true, value: value.as_ref().to_vec() });
    }

    /// Adds an entry to an index over all tenants. Only snapshots can read it, tenant handles cannot.
    pub fn global(&mut self, lookup: u16, value: impl AsRef<[u8]>) {
        self.0.push(LookupKey { lookup, unique: None, global: true, value: value.as_ref().to_vec() });
    }
}

/// The counters that a record adds to, by name.
#[derive(Default)]
pub struct Counters {
    pub(super) amounts: Vec<(String, i64)>,
    pub(super) person: Option<MemberId>,
}

impl Counters {
    /// Adds an amount to a counter.
    pub fn add(&mut self, name: impl Into<String>, amount: i64) {
        self.amounts.push((name.into(), amount));
    }

    /// Adds an amount to the counter `<name>/<member id>` of the member whose personal record this is. Does nothing for
    /// a tenant record.
    pub fn add_own(&mut self, name: &str, amount: i64) {
        if let Some(person) = self.person {
            self.add(personal_counter(name, person), amount);
        }
    }
}

/// The name of a member's counter.
pub(super) fn personal_counter(name: &str, person: MemberId) -> String {
    format!("{name}/{person}")
}

/// Bytes up to which the parts of a checksum are joined: hashing them one by one costs more than a short copy.
const JOINED_BYTES: usize = 256;

fn checksum(key: &[u8], version: u8, payload: &[u8]) -> u64 {
    let mut joined = [0; JOINED_BYTES];
    let mut rest = joined.as_mut_slice();
    if let Some(left) = JOINED_BYTES.checked_sub(key.len() + 1 + payload.len()) {
        for part in [key, &[version], payload] {
            let (to, after) = rest.split_at_mut(part.len());
            to.copy_from_slice(part);
            rest = after;
        }
        return xxh3_64(&joined[..JOINED_BYTES - left]);
    }
    let mut hash = Xxh3::new();
    hash.update(key);
    hash.update(&[version]);
    hash.update(payload);
    hash.digest()
}

/// Wraps the payload of the row `key` in an envelope.
pub(super) fn seal(key: &[u8], version: u8, payload: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(HEADER_BYTES + payload.len());
    bytes.push(version);
    bytes.push(0);
    bytes.extend_from_slice(&checksum(key, version, payload).to_be_bytes());
    bytes.extend_from_slice(payload);
    bytes
}

/// Verifies the envelope of the row `key` and returns version and payload.
/// Errors: `damaged` when the checksum is wrong: the bytes are damaged or belong to another key.
pub(super) fn open<'a>(key: &[u8], bytes: &'a [u8]) -> Result<(u8, &'a [u8])> {
    let damaged = || Error::damaged("the checksum does not fit");
    let (header, payload) = bytes.split_at_checked(HEADER_BYTES).ok_or_else(damaged)?;
    let [version, flags, sum @ ..] = header else { return Err(damaged()) };
    let intact = *flags == 0 && sum == checksum(key, *version, payload).to_be_bytes();
    if intact { Ok((*version, payload)) } else { Err(damaged()) }
}

/// Encodes a value as MessagePack with field names, so that fields can be added and removed.
/// Errors: `internal` when the value cannot be encoded, which is a bug.
pub(super) fn encode<T: Serialize>(value: &T) -> Result<Vec<u8>> {
    rmp_serde::to_vec_named(value).map_err(Error::internal)
}

/// Decodes a payload.
pub(super) fn decode<T: DeserializeOwned>(payload: &[u8]) -> Result<T> {
    rmp_serde::from_slice(payload).map_err(Error::internal)
}

/// Encodes a record and wraps it in the envelope for its key.
pub(super) fn seal_record<R: Record>(key: &[u8], record: &Stored<R>) -> Result<Vec<u8>> {
    Ok(seal(key, R::VERSION, &encode(record)?))
}

/// Decodes a record and upgrades an older version. The id is the last 16 bytes of the key.
/// Errors: `damaged` when the payload has another structure.
pub(super) fn read_record<R: Record>(key: &[u8], version: u8, payload: &[u8]) -> Result<Stored<R>> {
    let read = if version == R::VERSION { decode(payload) } else { R::upgrade(version, payload) };
    let mut record: Stored<R> = read.map_err(|error| Error::damaged(error.detail().unwrap_or_default()))?;
    record.id = key.len().checked_sub(16).and_then(|at| Id::from_slice(&key[at..])).unwrap_or_else(nil_id);
    Ok(record)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checksum_does_not_depend_on_how_it_is_computed() {
        for bytes in (0..600).chain([4_096]) {
            let payload: Vec<u8> = (0..bytes).map(|n| u8::try_from(n % 251).unwrap()).collect();
            let whole = [b"a key".as_slice(), &[3], &payload].concat();
            assert_eq!(checksum(b"a key", 3, &payload), xxh3_64(&whole), "{bytes}");
        }
    }

    #[test]
    fn detects_every_flipped_bit() {
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
