//! Error responses: the only place that turns an error into its code, a sentence in the reader's language, the invalid
//! fields and the request's id. Internal details go only to the log.

use std::collections::BTreeMap;

use poem::{
    IntoResponse, Request, Response,
    error::{MethodNotAllowedError, NotFoundError},
    http::{StatusCode, header},
};
use poem_openapi::{
    ApiResponse, Object,
    error::ContentTypeError,
    registry::{MetaMediaType, MetaResponse, MetaResponses, Registry},
    types::Type,
};
use serde::Serialize;
use serde_with::skip_serializing_none;
use uuid::Uuid;

use super::response::JSON;
use crate::kernel::{
    Code, Error, Timestamp,
    i18n::{Locale, say},
};

/// The result of a handler.
pub type Reply<T> = Result<T, Problem>;

/// An error that is sent to the client.
#[derive(Debug)]
pub struct Problem(pub Error);

/// The id of a request, which the server puts into its extensions, errors and log lines.
#[derive(Clone, Debug)]
pub struct RequestId(pub String);

impl From<Error> for Problem {
    fn from(error: Error) -> Self {
        Self(error)
    }
}

impl From<Problem> for poem::Error {
    fn from(problem: Problem) -> Self {
        let status = StatusCode::from_u16(problem.0.code().status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        Self::new(problem.0, status)
    }
}

/// The body of every response with a status of 400 or above.
#[derive(Debug, Serialize, Object)]
#[oai(rename = "Problem")]
pub struct Body {
    /// The error.
    pub error: Inner,
}

/// An error.
#[skip_serializing_none]
#[derive(Debug, Default, Serialize, Object)]
#[oai(rename = "ProblemDetail", rename_all = "camelCase", skip_serializing_if_is_none)]
#[serde(rename_all = "camelCase")]
pub struct Inner {
    /// The stable code of the error, for programs.
    pub code: String,
    /// A sentence for people, in the language of `Accept-Language`.
    pub message: String,
    /// A sentence for each invalid field, by its path.
    pub fields: Option<BTreeMap<String, String>>,
    /// The stable reason of each invalid field, for programs, such as `missing`, `unknown`, `enum`, `uuid`, `date`,
    /// `offset`, `null` or `too_long`.
    pub reasons: Option<BTreeMap<String, String>>,
    /// The companies to choose from, with `choose_company`.
    pub companies: Option<Vec<Choice>>,
    /// The caller's second factors, with `second_factor_needed`.
    pub factors: Option<Vec<String>>,
    /// The member whose session is locked, with `session_locked`, for the lock screen.
    pub who: Option<Locked>,
    /// The remaining attempts to unlock the session before it ends.
    pub attempts_left: Option<u32>,
    /// The record that the one that was asked for was merged into.
    pub merged_into: Option<Uuid>,
    /// When the record was deleted, with `record_in_bin`.
    pub deleted_at: Option<Timestamp>,
    /// The id of the request, which the server's log contains as well.
    pub request_id: String,
}

/// A company to choose.
#[derive(Debug, Serialize, serde::Deserialize, Object)]
pub struct Choice {
    /// The value for `company`.
    pub slug: String,
    /// The company's name.
    pub name: String,
}

/// The member whose session is locked.
#[derive(Debug, Serialize, serde::Deserialize, Object)]
pub struct Locked {
    /// The member's e-mail address.
    pub email: String,
    /// The member's name.
    pub name: String,
}

/// The error statuses of every call, and their descriptions.
const STATUSES: [(u16, &str); 13] = [
    (400, "The request cannot be read."),
    (401, "Not signed in, or no longer."),
    (403, "Missing permission."),
    (404, "Not found, or not visible to the caller."),
    (409, "Conflict with existing data."),
    (412, "The record has changed since it was read."),
    (413, "The body is too large."),
    (415, "The body has a type that is not accepted here."),
    (422, "Validation failed."),
    (423, "The session is locked."),
    (429, "Too many attempts, or too many requests of one company at once; see Retry-After."),
    (500, "Internal server error."),
    (503, "The server cannot process it now; see Retry-After."),
];

impl ApiResponse for Problem {
    fn meta() -> MetaResponses {
        let responses = STATUSES
            .iter()
            .map(|(status, description)| MetaResponse {
                description,
                status: Some(*status),
                status_range: None,
                content: vec![MetaMediaType { content_type: JSON, schema: Body::schema_ref() }],
                headers: Vec::new(),
            })
            .collect();
        MetaResponses { responses }
    }
    fn register(registry: &mut Registry) {
        Body::register(registry);
    }
}

/// Returns the language that a request asks for, if it is supported.
pub fn requested_locale(request: &Request) -> Option<Locale> {
    request.header(header::ACCEPT_LANGUAGE).and_then(Locale::negotiate)
}

/// Returns the language of a response.
pub fn locale(request: &Request) -> Locale {
    requested_locale(request).unwrap_or(Locale::EN)
}

/// Converts an error into its response.
pub fn render(error: &Error, locale: Locale, request_id: &str) -> Response {
    let code = error.code();
    if matches!(code, Code::Internal | Code::Damaged | Code::Busy) && !error.is_logged() {
        tracing::error!(request = request_id, code = code.as_str(), detail = error.detail(), "a request failed");
    }
    let message = match error.message() {
        Some(words) => say(locale, words.key, &words.params),
        None => say(locale, &format!("errors.{}", code.as_str()), &[]),
    };
    let fields: BTreeMap<String, String> =
        error.fields().iter().map(|(path, words)| (path.clone(), say(locale, words.key, &words.params))).collect();
    let word = |key: &str| key.rsplit('.').next().unwrap_or_default().to_owned();
    let reasons: BTreeMap<String, String> =
        error.fields().iter().map(|(path, words)| (path.clone(), word(words.key))).collect();
    let body = Body {
        error: Inner {
            code: code.as_str().to_owned(),
            message,
            fields: (!fields.is_empty()).then_some(fields),
            reasons: (!reasons.is_empty()).then_some(reasons),
            companies: extra(error, "companies"),
            factors: extra(error, "factors"),
            who: extra(error, "who"),
            attempts_left: extra(error, "attemptsLeft"),
            merged_into: extra(error, "mergedInto"),
            deleted_at: extra(error, "deletedAt"),
            request_id: request_id.to_owned(),
        },
    };
    let status = StatusCode::from_u16(code.status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let mut response = poem::web::Json(body).with_content_type(JSON).with_status(status).into_response();
    if let Some(seconds) = error.retry_seconds() {
        response.headers_mut().insert(header::RETRY_AFTER, seconds.into());
    }
    response
}

fn extra<T: serde::de::DeserializeOwned>(error: &Error, name: &str) -> Option<T> {
    error.extra(name).and_then(|value| T::deserialize(value).ok())
}

/// Converts an error of the framework into an error of the catalogue.
pub fn translate(error: poem::Error) -> Error {
    if error.is::<NotFoundError>() {
        return Error::not_found();
    }
    if error.is::<MethodNotAllowedError>() {
        return Error::new(Code::MethodNotAllowed);
    }
    if error.is::<ContentTypeError>() {
        return Error::new(Code::UnsupportedMediaType);
    }
    let status = error.status().as_u16();
    let detail = error.to_string();
    match error.downcast::<Error>() {
        Ok(ours) => ours,
        Err(_) => match status {
            404 => Error::not_found(),
            405 => Error::new(Code::MethodNotAllowed),
            413 => Error::new(Code::TooLarge),
            415 => Error::new(Code::UnsupportedMediaType),
            400..=499 => Error::new(Code::BadRequest),
            503 => Error::new(Code::Busy).retry_after(1),
            _ => Error::internal(detail),
        },
    }
}
