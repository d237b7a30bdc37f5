//! Error responses to malformed requests. hyper answers a head that it cannot read with a bare status, before the
//! application is called; this module replaces that by the standard error body. It also builds the response to a
//! connection beyond the limits.

use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};

use super::{headers, pipeline::REQUEST_ID};
use crate::{
    kernel::{
        Code, Entropy, hex,
        i18n::{Locale, say},
    },
    wire::problem::{Body, Inner},
};

/// Returns the full response that replaces hyper's, if these bytes are a bare error response: a head with an error
/// status and no body.
pub(super) fn replace_bare_error(answer: &[u8]) -> Option<Vec<u8>> {
    let status = answer.strip_prefix(b"HTTP/1.1 ").or_else(|| answer.strip_prefix(b"HTTP/1.0 "))?.get(..3)?;
    let status = StatusCode::from_bytes(status).ok().filter(StatusCode::is_client_error)?;
    if !answer.ends_with(b"\r\n\r\n") {
        return None;
    }
    let code = match status {
        StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE | StatusCode::URI_TOO_LONG => Code::TooLarge,
        _ => Code::BadRequest,
    };
    let whole = full_response(status, code, &[])?;
    tracing::debug!(status = status.as_u16(), "a request could not be read");
    Some(whole)
}

/// Returns the full response to a connection beyond the limits, which is closed afterwards.
pub(super) fn too_many_connections() -> Option<Vec<u8>> {
    full_response(StatusCode::SERVICE_UNAVAILABLE, Code::Busy, &[(header::RETRY_AFTER, HeaderValue::from_static("1"))])
}

fn full_response(status: StatusCode, code: Code, further: &[(HeaderName, HeaderValue)]) -> Option<Vec<u8>> {
    let id = hex::encode(&Entropy::system().bytes::<16>());
    let message = say(Locale::EN, &format!("errors.{}", code.as_str()), &[]);
    let error = Inner { code: code.as_str().to_owned(), message, request_id: id.clone(), ..Inner::default() };
    let body = serde_json::to_vec(&Body { error }).ok()?;
    let mut fields = HeaderMap::new();
    headers::protect(&mut fields, "/api", None);
    fields.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    fields.insert(header::CONTENT_LENGTH, HeaderValue::from(body.len()));
    fields.insert(header::CONNECTION, HeaderValue::from_static("close"));
    fields.insert(REQUEST_ID, HeaderValue::from_str(&id).ok()?);
    fields.extend(further.iter().cloned());
    let mut whole = format!("HTTP/1.1 {status}\r\n").into_bytes();
    for (name, value) in &fields {
        whole.extend_from_slice(&[name.as_str().as_bytes(), b": ", value.as_bytes(), b"\r\n"].concat());
    }
    whole.extend_from_slice(b"\r\n");
    whole.extend_from_slice(&body);
    Some(whole)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replaces_only_error_responses_without_a_body() {
        let error =
            replace_bare_error(b"HTTP/1.1 431 Request Header Fields Too Large\r\ncontent-length: 0\r\n\r\n").unwrap();
        let error = String::from_utf8(error).unwrap();
        assert!(error.starts_with("HTTP/1.1 431 ") && error.contains("\"too_large\""), "{error}");
        for other in ["HTTP/1.1 200 OK\r\n\r\n", "HTTP/1.1 400 Bad Request\r\n\r\nbody", "hello\r\n\r\n", ""] {
            assert_eq!(replace_bare_error(other.as_bytes()), None, "{other}");
        }
    }
}
