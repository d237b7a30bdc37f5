//! Request headers that many calls share, as parameters of handlers. The API document describes them by their names.

use poem::{Request, RequestBody, Result};
use poem_openapi::{
    ApiExtractor, ApiExtractorType, ExtractParamOptions,
    param::Header,
    registry::{MetaParamIn, MetaSchemaRef, Registry},
};

use super::etag;

/// The version that `If-Match` expects; `None` without the header or with `*`.
pub struct IfMatch(pub Option<u64>);

/// The `Idempotency-Key`, which makes a retry within 24 hours safe.
pub struct IdempotencyKey(pub Option<String>);

type Text = Header<Option<String>>;

/// Implements the parameter by reading the header as optional text.
macro_rules! header_parameter {
    ($name:ident, $read:expr) => {
        impl<'a> ApiExtractor<'a> for $name {
            const TYPES: &'static [ApiExtractorType] = <Text as ApiExtractor>::TYPES;
            type ParamType = Option<String>;
            type ParamRawType = String;

            fn register(registry: &mut Registry) {
                Text::register(registry);
            }
            fn param_in() -> Option<MetaParamIn> {
                Text::param_in()
            }
            fn param_schema_ref() -> Option<MetaSchemaRef> {
                Text::param_schema_ref()
            }
            async fn from_request(
                request: &'a Request,
                body: &mut RequestBody,
                options: ExtractParamOptions<Option<String>>,
            ) -> Result<Self> {
                let text = Text::from_request(request, body, options).await?;
                Ok(Self($read(text.0)))
            }
        }
    };
}

header_parameter!(IfMatch, |text: Option<String>| etag::expected(text.as_deref()));
header_parameter!(IdempotencyKey, |text| text);
