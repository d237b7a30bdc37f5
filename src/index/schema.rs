//! The schema of the index: terms that lead to documents, the sort order of documents, and the stored fields of a hit.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use tantivy::schema::{BytesOptions, FAST, Field, JsonObjectOptions, OwnedValue, Schema};
use tantivy::store::Compressor;
use tantivy::{IndexSettings, IndexSortByField, Order, TantivyDocument};
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use super::terms::Terms;
use super::{Entry, Error};
use crate::kernel::{ColumnValue, Document, Heading, Id, SearchScope, TenantId, hex};

/// Version of the schema and of the text analysis. An index of another version is rebuilt: raise it whenever an old
/// index would give different results.
pub(super) const SCHEMA_VERSION: u32 = 12;

const TERMS_FIELD_NAME: &str = "names";
pub(super) const ORDER_FIELD_NAME: &str = "order";
/// The record's id in two halves, for lists that need many ids and nothing else.
pub(super) const ID_FIELD_NAMES: [&str; 2] = ["id_first", "id_last"];
const SHOWN_FIELD_NAME: &str = "shown";
/// The values by which lists are filtered and sorted, by the names of their columns.
pub(super) const VALUES_FIELD_NAME: &str = "values";
/// The column of the scope of a record; those for all members of the tenant have none.
pub(super) const SCOPE_COLUMN: &str = "scope";

const GROUP_BITS: u32 = 3;
const TIME_BITS: u32 = 42;
const TIME_MASK: u64 = (1 << TIME_BITS) - 1;

pub(super) fn schema() -> Schema {
    let mut schema = Schema::builder();
    schema.add_bytes_field(TERMS_FIELD_NAME, BytesOptions::default().set_indexed());
    schema.add_u64_field(ORDER_FIELD_NAME, FAST);
    schema.add_bytes_field(SHOWN_FIELD_NAME, BytesOptions::default().set_stored());
    for half in ID_FIELD_NAMES {
        schema.add_u64_field(half, FAST);
    }
    schema.add_json_field(VALUES_FIELD_NAME, JsonObjectOptions::default().set_fast("raw"));
    schema.build()
}

/// Fields are numbered in the order in which [`schema`] adds them.
pub(super) const NAMES_FIELD: Field = Field::from_field_id(0);
const ORDER_FIELD: Field = Field::from_field_id(1);
const SHOWN_FIELD: Field = Field::from_field_id(2);
const ID_FIELDS: [Field; 2] = [Field::from_field_id(3), Field::from_field_id(4)];
const VALUES_FIELD: Field = Field::from_field_id(5);

pub(super) fn settings() -> IndexSettings {
    IndexSettings {
        sort_by_field: Some(IndexSortByField { field: ORDER_FIELD_NAME.to_owned(), order: Order::Asc }),
        // A search reads a few documents from anywhere. Small blocks without compression save time, and a damaged block
        // cannot claim a huge unpacked length.
        docstore_compression: Compressor::None,
        docstore_blocksize: 4_096,
        docstore_compress_dedicated_thread: false,
        ..IndexSettings::default()
    }
}

/// Sort position of a document: those of a tenant, or of one search scope, lie together, by group, latest first. Two
/// tenants or scopes may share positions (their hash has only 19 bits). This costs time but reveals nothing, since
/// their terms differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Position(pub u64);

impl Position {
    /// Returns where a group begins.
    pub fn first(terms: &Terms, group: Heading) -> Position {
        let whose = xxh3_64(&terms.owner_bytes()) >> (GROUP_BITS + TIME_BITS);
        Position((whose << GROUP_BITS | number(group)) << TIME_BITS)
    }

    /// Returns the first position after the group.
    pub fn end(terms: &Terms, group: Heading) -> Option<Position> {
        Position::first(terms, group).0.checked_add(1 << TIME_BITS).map(Position)
    }

    fn new(terms: &Terms, group: Heading, at: i64) -> Position {
        Position(Position::first(terms, group).0 | (TIME_MASK - Position::time_of(at)))
    }

    /// Returns a time as it is kept in positions.
    pub fn time_of(at: i64) -> u64 {
        u64::try_from(at).unwrap_or(0).min(TIME_MASK)
    }

    /// Unix milliseconds of the document's last change.
    pub fn at(self) -> u64 {
        TIME_MASK - (self.0 & TIME_MASK)
    }
}

fn number(group: Heading) -> u64 {
    match group {
        Heading::Contacts => 0,
        Heading::Pages => 1,
        Heading::Tasks => 2,
        Heading::Chat => 3,
        Heading::Events => 4,
        Heading::Organizations => 5,
        Heading::Deals => 6,
    }
}

/// The stored fields of a document, from which a hit is answered without the store.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct HitFields {
    pub kind: String,
    #[serde(with = "serde_bytes_16")]
    pub id: [u8; 16],
    pub title: String,
    pub subtitle: Option<String>,
    pub avatar: Option<String>,
    pub completed: Option<bool>,
    pub at: i64,
    /// Keyword parts, against which needle matches are verified.
    pub parts: Vec<String>,
}

impl HitFields {
    /// The checksum includes the tenant and scope: damage can never show a record to another tenant or scope.
    fn checksum(terms: &Terms, shown: &[u8]) -> [u8; 8] {
        let mut sum = Xxh3::new();
        sum.update(&terms.owner_bytes());
        sum.update(shown);
        sum.digest().to_le_bytes()
    }

    fn encode(&self, terms: &Terms) -> Result<Vec<u8>, Error> {
        let shown = rmp_serde::to_vec(self).map_err(|error| Error::Failed(error.to_string()))?;
        let mut bytes = HitFields::checksum(terms, &shown).to_vec();
        bytes.extend_from_slice(&shown);
        Ok(bytes)
    }

    /// Reads what [`HitFields::encode`] wrote for this tenant or scope.
    /// Errors: [`Error::Damaged`] when the checksum does not match.
    pub fn decode(terms: &Terms, stored: &TantivyDocument) -> Result<HitFields, Error> {
        use tantivy::schema::Value as _;
        let damaged = || Error::Damaged("a stored document does not match its checksum".to_owned());
        let bytes = stored.get_first(SHOWN_FIELD).and_then(|value| value.as_bytes()).ok_or_else(damaged)?;
        let (sum, shown) = bytes.split_first_chunk::<8>().ok_or_else(damaged)?;
        if *sum != HitFields::checksum(terms, shown) {
            return Err(damaged());
        }
        rmp_serde::from_slice(shown).map_err(|_| damaged())
    }
}

/// Bytes of a value of a document in memory, besides its own.
const VALUE_BYTES: usize = 16;

/// Encodes a document for tantivy, for the records of all members or for one scope. Returns also about how many bytes it
/// has in memory.
pub(super) fn encode(terms: &Terms, document: &Document) -> Result<(TantivyDocument, usize), Error> {
    let (names, parts) = terms.of_document(document);
    let shown = HitFields {
        kind: document.kind.to_owned(),
        id: document.id,
        title: document.title.clone(),
        subtitle: document.second_line(),
        avatar: document.avatar.clone(),
        completed: document.completed,
        at: document.at,
        parts,
    };
    let mut encoded = TantivyDocument::new();
    for name in &names {
        encoded.add_bytes(NAMES_FIELD, name);
    }
    encoded.add_u64(ORDER_FIELD, Position::new(terms, document.group, document.at).0);
    for (field, half) in ID_FIELDS.into_iter().zip(halves(document.id)) {
        encoded.add_u64(field, half);
    }
    let shown = shown.encode(terms)?;
    encoded.add_bytes(SHOWN_FIELD, &shown);
    let bytes = shown.len() + names.iter().map(|name| name.len() + VALUE_BYTES).sum::<usize>();
    let mut values: BTreeMap<String, Vec<OwnedValue>> = BTreeMap::new();
    let scope = terms.scope().map(|scope| (Cow::Borrowed(SCOPE_COLUMN), ColumnValue::Text(scope_value(scope))));
    for (column, value) in document.columns.iter().cloned().chain(scope) {
        let value = match value {
            ColumnValue::Number(number) => OwnedValue::I64(number),
            ColumnValue::Text(text) => OwnedValue::Str(text),
        };
        values.entry(column.into_owned()).or_default().push(value);
    }
    if !values.is_empty() {
        let values = values.into_iter().map(|(column, values)| (column, OwnedValue::Array(values)));
        encoded.add_object(VALUES_FIELD, values.collect());
    }
    Ok((encoded, bytes))
}

/// The value of a scope in its column.
pub(super) fn scope_value(scope: SearchScope) -> String {
    hex::encode(scope.as_bytes())
}

/// Reads the value of a scope.
pub(super) fn read_scope(value: &str) -> Option<SearchScope> {
    let bytes = hex::decode(value)?.try_into().ok()?;
    Some(SearchScope::of(Id::<()>::from_bytes(bytes)))
}

fn halves(id: [u8; 16]) -> [u64; 2] {
    let id = u128::from_be_bytes(id);
    [u64::try_from(id >> 64).unwrap_or(0), u64::try_from(id & u128::from(u64::MAX)).unwrap_or(0)]
}

/// Returns the id that these halves form.
pub(super) fn id_of([first, last]: [u64; 2]) -> [u8; 16] {
    (u128::from(first) << 64 | u128::from(last)).to_be_bytes()
}

/// Returns the unique term of an entry's record.
pub(super) fn record_term(entry: &Entry) -> tantivy::Term {
    tantivy::Term::from_field_bytes(NAMES_FIELD, &Terms::of(entry.tenant).record(entry.kind, &entry.id))
}

/// Returns the term of all records of a kind of a tenant.
pub(super) fn kind_term(tenant: TenantId, kind: &str) -> tantivy::Term {
    tantivy::Term::from_field_bytes(NAMES_FIELD, &Terms::of(tenant).kind(kind))
}

mod serde_bytes_16 {
    //! Serializes sixteen bytes as one value, not as a list of sixteen numbers.
    use serde::{Deserializer, Serializer, de};

    pub fn serialize<S: Serializer>(bytes: &[u8; 16], to: S) -> Result<S::Ok, S::Error> {
        to.serialize_bytes(bytes)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<[u8; 16], D::Error> {
        struct Sixteen;
        impl de::Visitor<'_> for Sixteen {
            type Value = [u8; 16];
            fn expecting(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                to.write_str("sixteen bytes")
            }
            fn visit_bytes<E: de::Error>(self, bytes: &[u8]) -> Result<[u8; 16], E> {
                bytes.try_into().map_err(|_| E::invalid_length(bytes.len(), &self))
            }
        }
        from.deserialize_bytes(Sixteen)
    }
}
