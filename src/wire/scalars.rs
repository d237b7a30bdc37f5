//! Scalar types of the API: ids, instants and days, in JSON and in the API document.

use std::{borrow::Cow, fmt::Display, str::FromStr};

use poem_openapi::{
    registry::{MetaSchema, MetaSchemaRef},
    types::{ParseError, ParseFromJSON, ParseFromParameter, ParseResult, ToJSON, Type},
};
use serde_json::Value;

use crate::kernel::{Birthday, Day, Id, Timestamp};

fn parse<T: Type + FromStr>(text: &str) -> ParseResult<T> {
    text.parse().map_err(|_| ParseError::custom(format_args!("this is no {}", T::name()).to_string()))
}

fn parse_json<T: Type + FromStr>(value: Option<Value>) -> ParseResult<T> {
    match value {
        Some(Value::String(text)) => parse(&text),
        other => Err(ParseError::expected_type(other.unwrap_or_default())),
    }
}

fn to_json(value: &impl Display) -> Value {
    Value::String(value.to_string())
}

macro_rules! scalar {
    ($type:ty, $($generic:ident)?, $name:literal, $format:literal, $example:literal) => {
        impl$(<$generic: 'static>)? Type for $type {
            const IS_REQUIRED: bool = true;
            type RawValueType = Self;
            type RawElementValueType = Self;
            fn name() -> Cow<'static, str> {
                $name.into()
            }
            fn schema_ref() -> MetaSchemaRef {
                MetaSchemaRef::Inline(Box::new(MetaSchema {
                    example: Some($example.into()),
                    ..MetaSchema::new_with_format("string", $format)
                }))
            }
            fn as_raw_value(&self) -> Option<&Self::RawValueType> {
                Some(self)
            }
            fn raw_element_iter<'a>(&'a self) -> Box<dyn Iterator<Item = &'a Self::RawElementValueType> + 'a> {
                Box::new(self.as_raw_value().into_iter())
            }
        }
        impl$(<$generic: 'static>)? ParseFromJSON for $type {
            fn parse_from_json(value: Option<Value>) -> ParseResult<Self> {
                parse_json(value)
            }
        }
        impl$(<$generic: 'static>)? ParseFromParameter for $type {
            fn parse_from_parameter(value: &str) -> ParseResult<Self> {
                parse(value)
            }
        }
        impl$(<$generic: 'static>)? ToJSON for $type {
            fn to_json(&self) -> Option<Value> {
                Some(to_json(self))
            }
        }
    };
}

scalar!(Id<T>, T, "id", "uuid", "019a9c3e-7b1f-7c52-9b0e-3d0c5a7f1e20");
scalar!(Timestamp, , "instant", "date-time", "2026-11-21T09:30:00.000Z");
scalar!(Day, , "day", "date", "2026-11-21");
scalar!(Birthday, , "birthday", "birthday", "1985-04-12");
