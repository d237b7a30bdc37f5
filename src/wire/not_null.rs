//! Optional members of a patch that must not be null; an absent one keeps the stored value.

use std::borrow::Cow;

use poem_openapi::{
    registry::{MetaSchema, MetaSchemaRef, Registry},
    types::{ParseError, ParseFromJSON, ParseResult, ToJSON, Type},
};
use serde_json::Value;

/// A new value, if one is given. An `Option` would silently treat null as absent and keep the stored value.
#[derive(Clone, Copy, Debug)]
pub struct NotNull<T>(Option<T>);

impl<T> Default for NotNull<T> {
    fn default() -> Self {
        Self(None)
    }
}

impl<T> NotNull<T> {
    /// Replaces the field's value, if a new one is given.
    pub fn update_to(self, field: &mut T) {
        if let Some(value) = self.0 {
            *field = value;
        }
    }

    /// Returns the new value to change it, if one is given.
    pub const fn as_mut(&mut self) -> Option<&mut T> {
        self.0.as_mut()
    }

    /// Returns the new value, if one is given.
    pub fn into_option(self) -> Option<T> {
        self.0
    }

    /// Returns a reference to the new value, if one is given.
    pub const fn as_option(&self) -> Option<&T> {
        self.0.as_ref()
    }
}

impl<T: Type> Type for NotNull<T> {
    const IS_REQUIRED: bool = false;
    type RawValueType = T::RawValueType;
    type RawElementValueType = T::RawElementValueType;

    fn name() -> Cow<'static, str> {
        format!("given_{}", T::name()).into()
    }

    /// Marked by `write_only`, which nothing else here uses: it tells the document and the validation that null is
    /// refused ([`is_not_null`]).
    fn schema_ref() -> MetaSchemaRef {
        let mark = MetaSchema { write_only: true, ..MetaSchema::ANY };
        T::schema_ref().merge(mark)
    }

    fn register(registry: &mut Registry) {
        T::register(registry);
    }

    fn as_raw_value(&self) -> Option<&Self::RawValueType> {
        self.0.as_ref().and_then(T::as_raw_value)
    }

    fn raw_element_iter<'a>(&'a self) -> Box<dyn Iterator<Item = &'a Self::RawElementValueType> + 'a> {
        match &self.0 {
            Some(value) => value.raw_element_iter(),
            None => Box::new(std::iter::empty()),
        }
    }
}

impl<T: ParseFromJSON> ParseFromJSON for NotNull<T> {
    fn parse_from_json(value: Option<Value>) -> ParseResult<Self> {
        match value {
            None => Ok(Self(None)),
            Some(Value::Null) => Err(ParseError::expected_type(Value::Null)),
            value => T::parse_from_json(value).map(|value| Self(Some(value))).map_err(ParseError::propagate),
        }
    }
}

impl<T: ToJSON> ToJSON for NotNull<T> {
    fn to_json(&self) -> Option<Value> {
        self.0.as_ref().and_then(T::to_json)
    }
}

/// Whether a schema is that of a [`NotNull`].
pub const fn is_not_null(schema: &MetaSchema) -> bool {
    schema.write_only
}
