//! The name of a kind of record in requests, responses and stored references.

use std::borrow::Cow;

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

/// The name of a registered kind of record, such as `customer`.
#[derive(Clone, Copy, Debug)]
pub struct KindName(&'static RecordKind);

impl KindName {
    /// Returns the name of the kind with this `Record::KIND`, if members work with it.
    pub fn find(kind: &str) -> Option<Self> {
        find_kind(kind).map(Self)
    }

    /// The kind.
    pub const fn kind(self) -> &'static RecordKind {
        self.0
    }
}

impl PartialEq for KindName {
    fn eq(&self, other: &Self) -> bool {
        self.0.kind == other.0.kind
    }
}

impl Eq for KindName {}

impl Serialize for KindName {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(self.0.kind)
    }
}

impl<'de> Deserialize<'de> for KindName {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let name = Cow::<str>::deserialize(from)?;
        Self::find(&name).ok_or_else(|| de::Error::custom("an unknown kind of record"))
    }
}

impl Type for KindName {
    const IS_REQUIRED: bool = true;
    type RawValueType = Self;
    type RawElementValueType = Self;
    fn name() -> Cow<'static, str> {
        "RecordKind".into()
    }
    fn schema_ref() -> MetaSchemaRef {
        MetaSchemaRef::Reference(Self::name().into_owned())
    }
    fn register(registry: &mut Registry) {
        registry.create_schema::<Self, _>(Self::name().into_owned(), |_| MetaSchema {
            description: Some("The kind of a record."),
            enum_items: kinds().map(|kind| Value::from(kind.kind)).collect(),
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

impl ParseFromJSON for KindName {
    fn parse_from_json(value: Option<Value>) -> ParseResult<Self> {
        let value = value.unwrap_or_default();
        value.as_str().and_then(Self::find).ok_or_else(|| ParseError::expected_type(value))
    }
}

impl ParseFromParameter for KindName {
    fn parse_from_parameter(value: &str) -> ParseResult<Self> {
        Self::find(value).ok_or_else(|| ParseError::custom("Expect a valid enumeration value."))
    }
}

impl ToJSON for KindName {
    fn to_json(&self) -> Option<Value> {
        Some(Value::from(self.0.kind))
    }
}
