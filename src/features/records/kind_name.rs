//! The name of a kind of record in requests, responses and stored references.

use std::{borrow::Cow, marker::PhantomData};

use poem_openapi::{
    registry::{MetaSchema, MetaSchemaRef, Registry},
    types::{ParseError, ParseFromJSON, ParseFromParameter, ParseResult, ToJSON, Type},
};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use serde_json::Value;

use crate::{
    feature::RecordKind,
    features::{find_kind, kinds},
};

/// A way to name the kinds.
pub trait Naming: Send + Sync + 'static {
    /// The name of the type in the API document.
    const SCHEMA: &'static str;
    /// Its description there.
    const DESCRIPTION: &'static str;
    /// Returns the name of a kind.
    fn name(kind: &RecordKind) -> &'static str;
    /// Whether it names a kind at all.
    fn is_named(_kind: &RecordKind) -> bool {
        true
    }
}

/// The name of a single record, such as `customer`.
#[derive(Debug)]
pub enum Singular {}

impl Naming for Singular {
    const SCHEMA: &'static str = "RecordKind";
    const DESCRIPTION: &'static str = "The kind of a record.";
    fn name(kind: &RecordKind) -> &'static str {
        kind.kind
    }
}

/// The name in the paths of the common parts, such as `customers`.
#[derive(Debug)]
pub enum InPath {}

impl Naming for InPath {
    const SCHEMA: &'static str = "RecordKindPath";
    const DESCRIPTION: &'static str = "The kind of a record, as in the paths of its calls.";
    fn name(kind: &RecordKind) -> &'static str {
        kind.name
    }
    fn is_named(kind: &RecordKind) -> bool {
        kind.has_parts()
    }
}

/// A registered kind of record, by its name.
#[derive(Debug)]
pub struct NamedKind<N>(&'static RecordKind, PhantomData<fn() -> N>);

/// The name of a registered kind of record, such as `customer`.
pub type KindName = NamedKind<Singular>;

/// The name of a registered kind of record in paths, such as `customers`.
pub type KindPath = NamedKind<InPath>;

impl KindName {
    /// Returns the name of the kind with this `Record::KIND`, if members work with it.
    pub fn find(kind: &str) -> Option<Self> {
        find_kind(kind).map(Self::of)
    }
}

impl<N> NamedKind<N> {
    /// Returns the name of a kind.
    pub const fn of(kind: &'static RecordKind) -> Self {
        Self(kind, PhantomData)
    }

    /// The kind.
    pub const fn kind(self) -> &'static RecordKind {
        self.0
    }
}

impl<N: Naming> NamedKind<N> {
    /// Returns all kinds that have such a name.
    fn all() -> impl Iterator<Item = Self> {
        kinds().filter(|kind| N::is_named(kind)).map(Self::of)
    }

    fn parse(name: &str) -> Option<Self> {
        Self::all().find(|kind| N::name(kind.0) == name)
    }
}

impl<N> Clone for NamedKind<N> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<N> Copy for NamedKind<N> {}

impl<N> PartialEq for NamedKind<N> {
    fn eq(&self, other: &Self) -> bool {
        self.0.kind == other.0.kind
    }
}

impl<N> Eq for NamedKind<N> {}

impl<N: Naming> Serialize for NamedKind<N> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(N::name(self.0))
    }
}

impl<'de, N: Naming> Deserialize<'de> for NamedKind<N> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let name = Cow::<str>::deserialize(from)?;
        Self::parse(&name).ok_or_else(|| de::Error::custom("an unknown kind of record"))
    }
}

impl<N: Naming> Type for NamedKind<N> {
    const IS_REQUIRED: bool = true;
    type RawValueType = Self;
    type RawElementValueType = Self;
    fn name() -> Cow<'static, str> {
        N::SCHEMA.into()
    }
    fn schema_ref() -> MetaSchemaRef {
        MetaSchemaRef::Reference(N::SCHEMA.to_owned())
    }
    fn register(registry: &mut Registry) {
        registry.create_schema::<Self, _>(N::SCHEMA.to_owned(), |_| MetaSchema {
            description: Some(N::DESCRIPTION),
            enum_items: Self::all().map(|kind| Value::from(N::name(kind.0))).collect(),
            ..MetaSchema::new("string")
        });
    }
    fn as_raw_value(&self) -> Option<&Self::RawValueType> {
        Some(self)
    }
    fn raw_element_iter<'a>(&'a self) -> Box<dyn Iterator<Item = &'a Self::RawElementValueType> + 'a> {
        Box::new(self.as_raw_value().into_iter())
    }
}

impl<N: Naming> ParseFromJSON for NamedKind<N> {
    fn parse_from_json(value: Option<Value>) -> ParseResult<Self> {
        let value = value.unwrap_or_default();
        value.as_str().and_then(Self::parse).ok_or_else(|| ParseError::expected_type(value))
    }
}

impl<N: Naming> ParseFromParameter for NamedKind<N> {
    fn parse_from_parameter(value: &str) -> ParseResult<Self> {
        Self::parse(value).ok_or_else(|| ParseError::custom("Expect a valid enumeration value."))
    }
}

impl<N: Naming> ToJSON for NamedKind<N> {
    fn to_json(&self) -> Option<Value> {
        Some(Value::from(N::name(self.0)))
    }
}
