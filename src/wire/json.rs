//! Strict JSON request bodies: a number or a boolean is refused where a text is expected, and the error names every
//! invalid field with its reason.

use std::{
    any::TypeId,
    collections::HashMap,
    fmt,
    sync::{Arc, LazyLock},
};

use parking_lot::RwLock;
use poem::{FromRequest, Request, RequestBody, Result};
use poem_openapi::{
    ApiExtractor, ApiExtractorType, ExtractParamOptions,
    error::ContentTypeError,
    payload::{self, ParsePayload, Payload},
    registry::{MetaRequest, MetaSchemaRef, Registry},
    types::{ParseFromJSON, Type},
};
use serde::de::{self, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};
use sha2::{Digest as _, Sha256};

use super::{
    IDEMPOTENCY_KEY, Problem,
    shape::{Fault, Shape, refusal},
};
use crate::kernel::{Code, Error};

/// A JSON body. (poem-openapi's own `Json` silently accepts `5` and `true` as text.) The second field is the body's
/// digest, to detect an `Idempotency-Key` that is reused for another body; empty without that header.
pub struct Json<T>(pub T, pub Vec<u8>);

impl<T> std::ops::Deref for Json<T> {
    type Target = T;
    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T: Type> Payload for Json<T> {
    const CONTENT_TYPE: &'static str = <payload::Json<T> as Payload>::CONTENT_TYPE;
    fn check_content_type(content_type: &str) -> bool {
        payload::Json::<T>::check_content_type(content_type)
    }
    fn schema_ref() -> MetaSchemaRef {
        T::schema_ref()
    }
    fn register(registry: &mut Registry) {
        T::register(registry);
    }
}

impl<T: ParseFromJSON + 'static> ParsePayload for Json<T> {
    const IS_REQUIRED: bool = T::IS_REQUIRED;

    async fn from_request(request: &Request, body: &mut RequestBody) -> Result<Self> {
        let data = <bytes::Bytes as FromRequest>::from_request(request, body).await?;
        let value = read(&data).map_err(|(error, twice)| {
            Problem(match twice {
                Some(path) => Error::new(Code::BadRequest).and_field(path, "errors.fields.twice", vec![]),
                None => no_json(&error),
            })
        })?;
        // Checked first: the framework consumes the value.
        if shape::<T>().has_non_text(&value) {
            return Err(Problem(mismatch_error::<T>(&value)).into());
        }
        // Digest of the value, not of its bytes: a client may format the same body differently in a retry.
        let asked = request.headers().contains_key(IDEMPOTENCY_KEY).then(|| Sha256::digest(value.to_string()).to_vec());
        let parsed = T::parse_from_json(Some(value)).map_err(|_| Problem(diagnose::<T>(&data)))?;
        Ok(Self(parsed, asked.unwrap_or_default()))
    }
}

/// Parses JSON and refuses duplicate names in an object: a proxy may have read the other one. The error comes with the
/// path of a duplicate.
fn read(data: &[u8]) -> std::result::Result<Value, (serde_json::Error, Option<String>)> {
    let mut path = Vec::new();
    let mut twice = None;
    let mut reader = serde_json::Deserializer::from_slice(data);
    let once = UniqueMembers { path: &mut path, twice: &mut twice };
    let value = once.deserialize(&mut reader).and_then(|value| reader.end().map(|()| value));
    value.map_err(|error| (error, twice))
}

/// Parses the value at a path, as [`Value`] does.
struct UniqueMembers<'p> {
    path: &'p mut Vec<String>,
    twice: &'p mut Option<String>,
}

impl UniqueMembers<'_> {
    fn child(&mut self, name: String) -> UniqueMembers<'_> {
        self.path.push(name);
        UniqueMembers { path: self.path, twice: self.twice }
    }
}

impl<'de> DeserializeSeed<'de> for UniqueMembers<'_> {
    type Value = Value;
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> std::result::Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for UniqueMembers<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }
    fn visit_unit<E>(self) -> std::result::Result<Value, E> {
        Ok(Value::Null)
    }
    fn visit_bool<E>(self, value: bool) -> std::result::Result<Value, E> {
        Ok(value.into())
    }
    fn visit_i64<E>(self, value: i64) -> std::result::Result<Value, E> {
        Ok(value.into())
    }
    fn visit_u64<E>(self, value: u64) -> std::result::Result<Value, E> {
        Ok(value.into())
    }
    fn visit_f64<E>(self, value: f64) -> std::result::Result<Value, E> {
        Ok(value.into())
    }
    fn visit_str<E>(self, value: &str) -> std::result::Result<Value, E> {
        Ok(value.into())
    }
    fn visit_string<E>(self, value: String) -> std::result::Result<Value, E> {
        Ok(value.into())
    }
    fn visit_seq<A: SeqAccess<'de>>(mut self, mut items: A) -> std::result::Result<Value, A::Error> {
        let mut all = Vec::new();
        while let Some(item) = items.next_element_seed(self.child(all.len().to_string()))? {
            all.push(item);
            self.path.pop();
        }
        self.path.pop();
        Ok(Value::Array(all))
    }
    fn visit_map<A: MapAccess<'de>>(mut self, mut members: A) -> std::result::Result<Value, A::Error> {
        let mut all = Map::new();
        while let Some(name) = members.next_key::<String>()? {
            let inside = self.child(name.clone());
            if all.contains_key(&name) {
                *inside.twice = Some(inside.path.join("."));
                return Err(de::Error::custom("a member that is there twice"));
            }
            all.insert(name, members.next_value_seed(inside)?);
            self.path.pop();
        }
        Ok(Value::Object(all))
    }
}

impl<'a, T: ParseFromJSON + 'static> ApiExtractor<'a> for Json<T> {
    const TYPES: &'static [ApiExtractorType] = &[ApiExtractorType::RequestObject];
    type ParamType = ();
    type ParamRawType = ();

    fn register(registry: &mut Registry) {
        T::register(registry);
    }

    fn request_meta() -> Option<MetaRequest> {
        <payload::Json<T> as ApiExtractor<'a>>::request_meta()
    }

    async fn from_request(request: &'a Request, body: &mut RequestBody, _: ExtractParamOptions<()>) -> Result<Self> {
        match request.content_type() {
            Some(content_type) if Self::check_content_type(content_type) => {
                <Self as ParsePayload>::from_request(request, body).await
            }
            Some(other) => Err(ContentTypeError::NotSupported { content_type: other.to_owned() }.into()),
            None => Err(ContentTypeError::ExpectContentType.into()),
        }
    }
}

/// An empty object: the call needs no data besides its path and parameters.
#[derive(poem_openapi::Object)]
#[oai(rename = "Empty", deny_unknown_fields)]
pub struct Empty {}

/// Returns the error for a body that is not JSON.
fn no_json(error: &serde_json::Error) -> Error {
    let params = vec![("line", error.line().to_string()), ("column", error.column().to_string())];
    Error::new(Code::BadRequest).and_field("body", "errors.fields.json", params)
}

/// Returns the error for a body that its type does not accept.
fn diagnose<T: Type + 'static>(data: &[u8]) -> Error {
    serde_json::from_slice(data).map_or_else(|error| no_json(&error), |value| mismatch_error::<T>(&value))
}

fn mismatch_error<T: Type + 'static>(value: &Value) -> Error {
    let faults = shape::<T>().faults(value);
    if faults.is_empty() { refusal([Fault::new("body", "errors.fields.format")]) } else { refusal(faults) }
}

/// Returns the shape of a type, built from its schema on first use.
fn shape<T: Type + 'static>() -> Arc<Shape> {
    static KNOWN: LazyLock<RwLock<HashMap<TypeId, Arc<Shape>>>> = LazyLock::new(RwLock::default);
    let known = KNOWN.read().get(&TypeId::of::<T>()).cloned();
    known.unwrap_or_else(|| {
        let mut registry = Registry::new();
        T::register(&mut registry);
        let shape = Arc::new(Shape::of(&T::schema_ref(), &registry));
        KNOWN.write().insert(TypeId::of::<T>(), shape.clone());
        shape
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn detects_duplicate_json_keys_at_any_depth() {
        for (text, twice) in [
            (r#"{"a": 1, "b": {"a": 2}, "c": [{"a": 3}, {"a": 4}]}"#, None),
            (r#"{"a": 1, "a": 2}"#, Some("a")),
            (r#"{"a": 1, "\u0061": 1}"#, Some("a")),
            (r#"{"x": [], "b": {"c": [0, [1], {"d": null, "e": 1.5, "d": null}]}}"#, Some("b.c.2.d")),
        ] {
            match (read(text.as_bytes()), twice) {
                (Ok(value), None) => assert_eq!(value, serde_json::from_str::<Value>(text).unwrap()),
                (Err((_, found)), Some(_)) => assert_eq!(found.as_deref(), twice),
                (other, _) => panic!("{text}: {other:?}"),
            }
        }
        for text in ["", "{", "[1,]", "1 2", "{\"a\": 1} x", "nul", &"[".repeat(200)] {
            assert!(matches!(read(text.as_bytes()), Err((_, None))), "{text}");
        }
        for text in ["null", "true", "-5", "18446744073709551615", "1e3", "\"\\u00e9\"", "[]", "{}"] {
            assert_eq!(read(text.as_bytes()).ok(), serde_json::from_str(text).ok(), "{text}");
        }
    }
}
