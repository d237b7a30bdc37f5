//! The body of a request, held to its types: where the document says text, a number or a truth value is
//! refused, and the answer names every field that does not fit and says why.

use std::{
    any::TypeId,
    collections::HashMap,
    sync::{Arc, LazyLock, PoisonError, RwLock},
};

use poem::{FromRequest, Request, RequestBody, Result};
use poem_openapi::{
    ApiExtractor, ApiExtractorType, ExtractParamOptions,
    error::ContentTypeError,
    payload::{self, ParsePayload, Payload},
    registry::{MetaRequest, MetaSchemaRef, Registry},
    types::{ParseFromJSON, Type},
};
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use super::{
    IDEMPOTENCY_KEY, Problem,
    shape::{Fault, Shape, refusal},
};
use crate::kernel::{Code, Error};

/// A JSON body. (poem-openapi's own takes `5` and `true` for text, without a word.) With an `Idempotency-Key` also
/// its digest, by which a request with the same key and another body is told apart; empty without.
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
        let value: Value = serde_json::from_slice(&data).map_err(|error| Problem(no_json(&error)))?;
        // Kept for the diagnosis only where it is needed: the framework takes the value.
        if shape::<T>().untext(&value) {
            return Err(Problem(misfit::<T>(&value)).into());
        }
        // Of the value, not of its bytes: a client may write the same body differently when it tries again.
        let asked = request.headers().contains_key(IDEMPOTENCY_KEY).then(|| Sha256::digest(value.to_string()).to_vec());
        let parsed = T::parse_from_json(Some(value)).map_err(|_| Problem(diagnose::<T>(&data)))?;
        Ok(Self(parsed, asked.unwrap_or_default()))
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

/// Nothing: what a call says besides its body says it all.
#[derive(poem_openapi::Object)]
#[oai(rename = "Empty", deny_unknown_fields)]
pub struct Empty {}

/// What to say of a body that is no JSON.
fn no_json(error: &serde_json::Error) -> Error {
    let gaps = vec![("line", error.line().to_string()), ("column", error.column().to_string())];
    Error::new(Code::BadRequest).and_field("body", "errors.fields.json", gaps)
}

/// What to say of a body that its type does not take.
fn diagnose<T: Type + 'static>(data: &[u8]) -> Error {
    serde_json::from_slice(data).map_or_else(|error| no_json(&error), |value| misfit::<T>(&value))
}

fn misfit<T: Type + 'static>(value: &Value) -> Error {
    let faults = shape::<T>().faults(value);
    if faults.is_empty() { refusal([Fault::new("body", "errors.fields.format")]) } else { refusal(faults) }
}

/// The shape of a type: drawn from its schema when it is first asked for.
fn shape<T: Type + 'static>() -> Arc<Shape> {
    static KNOWN: LazyLock<RwLock<HashMap<TypeId, Arc<Shape>>>> = LazyLock::new(RwLock::default);
    let known = KNOWN.read().unwrap_or_else(PoisonError::into_inner).get(&TypeId::of::<T>()).cloned();
    known.unwrap_or_else(|| {
        let mut registry = Registry::new();
        T::register(&mut registry);
        let shape = Arc::new(Shape::of(&T::schema_ref(), &registry));
        KNOWN.write().unwrap_or_else(PoisonError::into_inner).insert(TypeId::of::<T>(), shape.clone());
        shape
    })
}
