//! Response types that serialize a value directly into bytes. (poem-openapi's own `Json` builds a tree of values first,
//! which costs more than all the rest of a read.)

use std::fmt::Write as _;

use poem::{
    Body, IntoResponse, Response,
    http::{
        HeaderValue, StatusCode,
        header::{CONTENT_DISPOSITION, SET_COOKIE},
    },
};
use poem_openapi::{
    ApiResponse,
    payload::Payload,
    registry::{MetaHeader, MetaMediaType, MetaResponse, MetaResponses, MetaSchema, MetaSchemaRef, Registry},
    types::{ParseFromJSON, ToJSON, Type},
};
use serde::Serialize;
use xxhash_rust::xxh3::xxh3_128;

use super::{List, etag};
use crate::{
    kernel::Result,
    store::{Record, Stored},
};

/// The content type in the document and in responses: JSON is UTF-8 (RFC 8259 §8.1), and has no parameter `charset`.
pub(super) const JSON: &str = "application/json";
/// Bytes of most records in a response.
const USUAL_BYTES: usize = 1_024;
/// The content type of CSV files (RFC 4180). Their byte order mark says that they are UTF-8.
const CSV: &str = "text/csv";

/// 200 with a value.
pub struct JsonResponse<T>(pub T);

/// 200 with a record and an `ETag` with its version.
pub struct Versioned<T>(pub T, pub u64);

/// 200 with a page of a list and an `ETag` of its content.
pub struct Listed<T: Type + ParseFromJSON + ToJSON + Serialize>(pub List<T>);

/// 201 with a new record, its location and its version.
pub struct Created<T> {
    /// The record.
    pub body: T,
    /// Its path.
    pub location: String,
    /// Its version.
    pub version: u64,
}

/// 202 with a value: the request was accepted and is being processed.
pub struct Accepted<T>(pub T);

/// 200 with a file to download that is read while it is sent.
pub struct Download {
    /// The name of the file.
    pub name: String,
    /// Its media type.
    pub media_type: &'static str,
    /// The file at its beginning.
    pub file: std::fs::File,
}

/// 200 with a JSON object to download that is read while it is sent.
pub struct JsonDownload(pub Download);

/// 200 with a CSV file to download that is read while it is sent.
pub struct CsvDownload(pub Download);

/// 204 without a body.
pub struct NoContent;

impl<T> Versioned<T> {
    /// Converts a stored record into its response.
    pub fn of<R: Record>(record: Stored<R>) -> Self
    where
        T: From<Stored<R>>,
    {
        let version = record.version;
        Self(record.into(), version)
    }

    /// Completes the response.
    pub fn complete(mut self, complete: impl FnOnce(&mut T) -> Result<()>) -> Result<Self> {
        complete(&mut self.0)?;
        Ok(self)
    }
}

impl<T> Created<T> {
    /// Converts a new record into its response; `list` is the path of its collection.
    pub fn in_list<R: Record>(list: &str, record: Stored<R>) -> Self
    where
        T: From<Stored<R>>,
    {
        Self { location: format!("{list}/{}", record.id), version: record.version, body: record.into() }
    }

    /// Completes the response.
    pub fn complete(mut self, complete: impl FnOnce(&mut T) -> Result<()>) -> Result<Self> {
        complete(&mut self.body)?;
        Ok(self)
    }
}

impl<T: Type> Payload for JsonResponse<T> {
    const CONTENT_TYPE: &'static str = JSON;
    fn schema_ref() -> MetaSchemaRef {
        T::schema_ref()
    }
    fn register(registry: &mut Registry) {
        T::register(registry);
    }
}

/// Writes a record, with its version in the `ETag`.
fn write_record(status: StatusCode, record: &impl Serialize, version: u64) -> Response {
    match to_bytes(record, 0) {
        Ok(bytes) => {
            let tag = etag::tag(version, &bytes);
            Response::builder().status(status).content_type(JSON).header("ETag", tag).body(bytes)
        }
        Err(error) => serialization_failure(&error),
    }
}

fn write(status: StatusCode, value: &impl Serialize) -> Response {
    match to_bytes(value, 0) {
        Ok(bytes) => Response::builder().status(status).content_type(JSON).body(bytes),
        Err(error) => serialization_failure(&error),
    }
}

/// Serializes a response with this many records, for which the buffer has space at once.
fn to_bytes(value: &impl Serialize, records: usize) -> serde_json::Result<Vec<u8>> {
    let mut bytes = Vec::with_capacity(records.saturating_add(1).saturating_mul(USUAL_BYTES));
    serde_json::to_writer(&mut bytes, value)?;
    Ok(bytes)
}

fn serialization_failure(error: &serde_json::Error) -> Response {
    tracing::error!(%error, "a response could not be serialized");
    StatusCode::INTERNAL_SERVER_ERROR.into_response()
}

fn meta<T: Type>(status: u16, description: &'static str, headers: Vec<MetaHeader>) -> MetaResponses {
    let content = vec![MetaMediaType { content_type: JSON, schema: T::schema_ref() }];
    MetaResponses {
        responses: vec![MetaResponse { description, status: Some(status), status_range: None, content, headers }],
    }
}

fn header(name: &str, description: &'static str) -> MetaHeader {
    MetaHeader {
        name: name.to_owned(),
        description: Some(description.to_owned()),
        required: true,
        deprecated: false,
        schema: MetaSchemaRef::Inline(Box::new(MetaSchema::new("string"))),
    }
}

fn etag_header() -> MetaHeader {
    header("ETag", "Contains the record's version, for `If-Match` and `If-None-Match`.")
}

impl<T: Serialize + Send> IntoResponse for JsonResponse<T> {
    fn into_response(self) -> Response {
        write(StatusCode::OK, &self.0)
    }
}
impl<T: Type + Serialize> ApiResponse for JsonResponse<T> {
    fn meta() -> MetaResponses {
        meta::<T>(200, "Done.", Vec::new())
    }
    fn register(registry: &mut Registry) {
        T::register(registry);
    }
}

impl<T: Serialize + Send> IntoResponse for Accepted<T> {
    fn into_response(self) -> Response {
        write(StatusCode::ACCEPTED, &self.0)
    }
}
impl<T: Type + Serialize> ApiResponse for Accepted<T> {
    fn meta() -> MetaResponses {
        meta::<T>(202, "Accepted; it is done later.", Vec::new())
    }
    fn register(registry: &mut Registry) {
        T::register(registry);
    }
}

impl<T: Serialize + Send> IntoResponse for Versioned<T> {
    fn into_response(self) -> Response {
        write_record(StatusCode::OK, &self.0, self.1)
    }
}
impl<T: Type + Serialize> ApiResponse for Versioned<T> {
    fn meta() -> MetaResponses {
        meta::<T>(200, "The record.", vec![etag_header()])
    }
    fn register(registry: &mut Registry) {
        T::register(registry);
    }
}

impl<T: Type + ParseFromJSON + ToJSON + Serialize + Send> IntoResponse for Listed<T> {
    fn into_response(self) -> Response {
        match to_bytes(&self.0, self.0.items.len()) {
            Ok(bytes) => {
                // Weak, because a compressed response has the same one.
                let tag = format!("W/\"{:032x}\"", xxh3_128(&bytes));
                Response::builder().content_type(JSON).header("ETag", tag).body(bytes)
            }
            Err(error) => serialization_failure(&error),
        }
    }
}
impl<T: Type + ParseFromJSON + ToJSON + Serialize> ApiResponse for Listed<T> {
    fn meta() -> MetaResponses {
        meta::<List<T>>(200, "A page of the list.", vec![header("ETag", "For `If-None-Match`.")])
    }
    fn register(registry: &mut Registry) {
        List::<T>::register(registry);
    }
}

impl<T: Serialize + Send> IntoResponse for Created<T> {
    fn into_response(self) -> Response {
        write_record(StatusCode::CREATED, &self.body, self.version)
            .with_header("Location", self.location)
            .into_response()
    }
}
impl<T: Type + Serialize> ApiResponse for Created<T> {
    fn meta() -> MetaResponses {
        meta::<T>(201, "Created.", vec![etag_header(), header("Location", "The record.")])
    }
    fn register(registry: &mut Registry) {
        T::register(registry);
    }
}

impl IntoResponse for NoContent {
    fn into_response(self) -> Response {
        StatusCode::NO_CONTENT.into_response()
    }
}
impl ApiResponse for NoContent {
    fn meta() -> MetaResponses {
        MetaResponses {
            responses: vec![MetaResponse {
                description: "Done; no content.",
                status: Some(204),
                status_range: None,
                content: Vec::new(),
                headers: Vec::new(),
            }],
        }
    }
    fn register(_registry: &mut Registry) {}
}

/// 303 with cookies.
pub struct SeeOther {
    /// The redirect target.
    pub location: String,
    /// `Set-Cookie` headers.
    pub cookies: Vec<String>,
}

impl IntoResponse for SeeOther {
    fn into_response(self) -> Response {
        let answer = Response::builder().status(StatusCode::SEE_OTHER).header("Location", self.location);
        self.cookies.into_iter().fold(answer, |answer, cookie| answer.header("Set-Cookie", cookie)).finish()
    }
}
impl ApiResponse for SeeOther {
    fn meta() -> MetaResponses {
        MetaResponses {
            responses: vec![MetaResponse {
                description: "Redirect.",
                status: Some(303),
                status_range: None,
                content: Vec::new(),
                headers: vec![header("Location", "The target.")],
            }],
        }
    }
    fn register(_registry: &mut Registry) {}
}

/// 200 with a value and `Set-Cookie` headers.
pub struct WithCookie<T>(pub T, pub Vec<String>);

fn cookie() -> MetaHeader {
    header("Set-Cookie", "The session's cookie: out of the reach of scripts.")
}

impl<T: Serialize + Send> IntoResponse for WithCookie<T> {
    fn into_response(self) -> Response {
        let mut response = write(StatusCode::OK, &self.0);
        for cookie in self.1.iter().filter_map(|cookie| HeaderValue::from_str(cookie).ok()) {
            response.headers_mut().append(SET_COOKIE, cookie);
        }
        response
    }
}

/// 204 that deletes the session's cookies and the browser's cache of this origin.
pub struct CookieGone(pub Vec<String>);

/// What the browser deletes after a sign-out. Never `"storage"`: that would end the sessions and delete the drafts of
/// all other users of this browser.
const CLEAR_CACHE: (&str, &str) = ("Clear-Site-Data", "\"cache\"");

impl IntoResponse for CookieGone {
    fn into_response(self) -> Response {
        let mut response = NoContent.with_header(CLEAR_CACHE.0, CLEAR_CACHE.1).into_response();
        for cookie in self.0.iter().filter_map(|cookie| HeaderValue::from_str(cookie).ok()) {
            response.headers_mut().append(SET_COOKIE, cookie);
        }
        response
    }
}
impl ApiResponse for CookieGone {
    fn meta() -> MetaResponses {
        let mut meta = NoContent::meta();
        for response in &mut meta.responses {
            response.headers.push(cookie());
            response.headers.push(header(CLEAR_CACHE.0, "The browser removes what it cached of this address."));
        }
        meta
    }
    fn register(_registry: &mut Registry) {}
}
impl<T: Type + Serialize> ApiResponse for WithCookie<T> {
    fn meta() -> MetaResponses {
        meta::<T>(200, "Done.", vec![cookie()])
    }
    fn register(registry: &mut Registry) {
        T::register(registry);
    }
}

/// Returns the `Content-Disposition` header with the name of a file (RFC 6266, RFC 8187). `way` is `inline` or
/// `attachment`.
pub fn content_disposition(way: &str, name: &str) -> String {
    let plain: String =
        name.chars().map(|c| if c.is_ascii_graphic() && !"\"\\%".contains(c) || c == ' ' { c } else { '_' }).collect();
    let mut exact = String::new();
    for byte in name.bytes() {
        if byte.is_ascii_alphanumeric() || b"!#$&+-.^_`|~".contains(&byte) {
            exact.push(char::from(byte));
        } else {
            // Writing into a string cannot fail.
            let _ = write!(exact, "%{byte:02X}");
        }
    }
    format!("{way}; filename=\"{plain}\"; filename*=UTF-8''{exact}")
}

impl IntoResponse for CsvDownload {
    fn into_response(self) -> Response {
        self.0.into_response()
    }
}
impl ApiResponse for CsvDownload {
    fn meta() -> MetaResponses {
        MetaResponses { responses: vec![file_response(CSV, MetaSchema::new("string"))] }
    }
    fn register(_registry: &mut Registry) {}
}

impl IntoResponse for JsonDownload {
    fn into_response(self) -> Response {
        self.0.into_response()
    }
}
impl ApiResponse for JsonDownload {
    fn meta() -> MetaResponses {
        MetaResponses { responses: vec![file_response(JSON, MetaSchema::new("object"))] }
    }
    fn register(_registry: &mut Registry) {}
}

/// Describes the response with a file of one type.
fn file_response(content_type: &'static str, schema: MetaSchema) -> MetaResponse {
    let content = vec![MetaMediaType { content_type, schema: MetaSchemaRef::Inline(Box::new(schema)) }];
    let headers = vec![header("Content-Disposition", "Names the file.")];
    MetaResponse { description: "The file.", status: Some(200), status_range: None, content, headers }
}

impl IntoResponse for Download {
    fn into_response(self) -> Response {
        Response::builder()
            .content_type(self.media_type)
            .header(CONTENT_DISPOSITION, content_disposition("attachment", &self.name))
            .body(Body::from_async_read(tokio::fs::File::from_std(self.file)))
    }
}
impl ApiResponse for Download {
    fn meta() -> MetaResponses {
        let record = MetaSchemaRef::Inline(Box::new(MetaSchema::new("object")));
        let content = ["text/csv", "text/vcard", JSON].map(|content_type| {
            let schema = if content_type == JSON {
                MetaSchema { items: Some(Box::new(record.clone())), ..MetaSchema::new("array") }
            } else {
                MetaSchema::new("string")
            };
            MetaMediaType { content_type, schema: MetaSchemaRef::Inline(Box::new(schema)) }
        });
        let headers = vec![header("Content-Disposition", "Names the file.")];
        let response = MetaResponse {
            description: "The file.",
            status: Some(200),
            status_range: None,
            content: content.into(),
            headers,
        };
        MetaResponses { responses: vec![response] }
    }
    fn register(_registry: &mut Registry) {}
}
