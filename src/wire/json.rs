//! The body of a request, held to its types: where the document says text, a number or a truth value is
//! refused, and the answer says where it stood.

use std::{
    any::TypeId,
    collections::HashMap,
    sync::{Arc, LazyLock, PoisonError, RwLock},
};

use poem::{FromRequest, Request, RequestBody, Result};
use poem_openapi::{
    ApiExtractor, ApiExtractorType, ExtractParamOptions,
    error::{ContentTypeError, ParseRequestPayloadError},
    payload::{self, ParsePayload, Payload},
    registry::{MetaRequest, MetaSchema, MetaSchemaRef, Registry},
    types::{ParseFromJSON, Type},
};
use serde_json::Value;

use super::Problem;
use crate::kernel::{Code, Error};

/// Schemas deeper than this are not looked into; none of ours is.
const DEEPEST: usize = 16;

/// A JSON body. (poem-openapi's own takes `5` and `true` for text, without a word.)
pub struct Json<T>(pub T);

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
        let unreadable = |reason: String| ParseRequestPayloadError { reason };
        let value: Value = serde_json::from_slice(&data).map_err(|error| unreadable(error.to_string()))?;
        if let Some(path) = shape::<T>().fault(&value) {
            return Err(Problem(Error::new(Code::BadRequest).and_field(path, "errors.fields.format", vec![])).into());
        }
        let parsed = T::parse_from_json(Some(value)).map_err(|error| unreadable(error.into_message()))?;
        Ok(Self(parsed))
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

/// Where text must stand in a value.
#[derive(Debug)]
enum Shape {
    Text,
    List(Box<Self>),
    Object(Vec<(&'static str, Self)>),
    Anything,
}

impl Shape {
    fn of(schema: &MetaSchemaRef, registry: &Registry, depth: usize) -> Self {
        let schema = match schema {
            MetaSchemaRef::Inline(schema) => Some(&**schema),
            MetaSchemaRef::Reference(name) => registry.schemas.get(name),
        };
        schema.filter(|_| depth < DEEPEST).map_or(Self::Anything, |schema| Self::inside(schema, registry, depth + 1))
    }

    fn inside(schema: &MetaSchema, registry: &Registry, depth: usize) -> Self {
        match (schema.all_of.as_slice(), &schema.items) {
            // A reference with a description of its own stands first among several.
            ([first, ..], _) => Self::of(first, registry, depth),
            (_, Some(items)) => Self::List(Box::new(Self::of(items, registry, depth))),
            _ if schema.ty == "string" => Self::Text,
            _ if !schema.properties.is_empty() => {
                let property = |(name, schema): &(&'static str, _)| (*name, Self::of(schema, registry, depth));
                Self::Object(schema.properties.iter().map(property).collect())
            }
            _ => Self::Anything,
        }
    }

    /// The path to what is no text where text must stand.
    fn fault(&self, value: &Value) -> Option<String> {
        match (self, value) {
            (Self::Text, Value::Bool(_) | Value::Number(_)) => Some(String::new()),
            (Self::List(inside), Value::Array(items)) => {
                items.iter().enumerate().find_map(|(index, item)| Some(join(&index.to_string(), &inside.fault(item)?)))
            }
            (Self::Object(properties), Value::Object(members)) => {
                properties.iter().find_map(|(name, shape)| Some(join(name, &shape.fault(members.get(*name)?)?)))
            }
            _ => None,
        }
    }
}

fn join(name: &str, rest: &str) -> String {
    if rest.is_empty() { name.to_owned() } else { format!("{name}.{rest}") }
}

/// The shape of a type: drawn from its schema when it is first asked for.
fn shape<T: Type + 'static>() -> Arc<Shape> {
    static KNOWN: LazyLock<RwLock<HashMap<TypeId, Arc<Shape>>>> = LazyLock::new(RwLock::default);
    let known = KNOWN.read().unwrap_or_else(PoisonError::into_inner).get(&TypeId::of::<T>()).cloned();
    known.unwrap_or_else(|| {
        let mut registry = Registry::new();
        T::register(&mut registry);
        let shape = Arc::new(Shape::of(&T::schema_ref(), &registry, 0));
        KNOWN.write().unwrap_or_else(PoisonError::into_inner).insert(TypeId::of::<T>(), shape.clone());
        shape
    })
}

#[cfg(test)]
mod tests {
    use poem_openapi::{Object, types::MaybeUndefined};
    use serde_json::json;

    use super::*;

    #[derive(Object)]
    struct Inner {
        label: String,
    }

    #[derive(Object)]
    struct Outer {
        name: String,
        about: MaybeUndefined<String>,
        tags: Vec<String>,
        inner: Vec<Inner>,
        /// The best of them.
        one: Option<Inner>,
        count: Option<u32>,
    }

    #[test]
    fn what_is_no_text_is_found_wherever_it_stands() {
        for (value, fault) in [
            (json!({"name": "a", "about": null, "tags": ["b"], "inner": [{"label": "c"}], "count": 3}), None),
            (json!({"name": 5}), Some("name")),
            (json!({"about": false}), Some("about")),
            (json!({"tags": ["b", 1.5]}), Some("tags.1")),
            (json!({"inner": [{"label": "c"}, {"label": true}]}), Some("inner.1.label")),
            (json!({"one": {"label": 0}}), Some("one.label")),
            (json!([1]), None),
            (json!({"name": {}, "tags": 7}), None),
        ] {
            assert_eq!(shape::<Outer>().fault(&value).as_deref(), fault, "{value}");
        }
    }
}
