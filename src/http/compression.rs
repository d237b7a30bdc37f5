//! Compression: negotiation of the encoding, and gzip for responses that are created per request.

use std::io::Write as _;

use bytes::Bytes;
use http::{
    HeaderMap, HeaderValue, Method, StatusCode,
    header::{ACCEPT_ENCODING, CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, ETAG, VARY},
};
use poem::{Body, Response};

use super::path;

/// Smallest compressed body in bytes: below it, compression costs more than it saves.
const MIN_BYTES: usize = 1_024;
/// Smallest body in bytes that is compressed on the blocking thread pool, not on a thread that serves requests.
const BLOCKING_POOL_BYTES: usize = 32 * 1_024;
/// Largest compressed body in bytes.
const MAX_BYTES: usize = 1_024 * 1_024;

/// Returns the client's preference for an encoding, from 0 (not accepted) to 1 (RFC 9110 §12.5.3).
pub(super) fn weight(request: &HeaderMap, compression: &str) -> f32 {
    let mut any = 0.0;
    for value in request.get_all(ACCEPT_ENCODING).iter().filter_map(|value| value.to_str().ok()) {
        for part in value.split(',') {
            let (name, rest) = part.split_once(';').unwrap_or((part, ""));
            let weight = rest.trim().strip_prefix("q=").map_or(Some(1.0), |weight| weight.parse().ok());
            match (name.trim(), weight.unwrap_or(0.0)) {
                (name, weight) if name.eq_ignore_ascii_case(compression) => return weight,
                ("*", weight) => any = weight,
                _ => {}
            }
        }
    }
    any
}

/// Whether the response to a request may be compressed: calls that need an access token, and the public information about
/// the installation, which has no secret. Other sites cannot send that token, so they cannot trigger requests and infer
/// secrets from response lengths (BREACH). Where a cookie alone authenticates, nothing is compressed.
pub(super) fn is_allowed(method: &Method, path: &str, request: &HeaderMap) -> bool {
    method == Method::GET && path::is_api(path) && !path::is_below(path, "/api/auth") && weight(request, "gzip") > 0.0
}

/// Compresses a response if that saves bytes. A response with a strong tag stays as it is: the tag identifies its exact
/// bytes.
pub(super) async fn compress(mut response: Response) -> Response {
    let headers = response.headers();
    let is_json = headers.get(CONTENT_TYPE).is_some_and(|kind| kind.as_bytes().starts_with(b"application/json"));
    if !is_json
        || response.status() != StatusCode::OK
        || headers.contains_key(CONTENT_ENCODING)
        || headers.get(ETAG).is_some_and(|tag| !tag.as_bytes().starts_with(b"W/"))
    {
        return response;
    }
    let Ok(plain) = response.take_body().into_bytes().await else {
        // A body that is already in memory can be read.
        return Response::builder().status(StatusCode::INTERNAL_SERVER_ERROR).finish();
    };
    let packed = match plain.len() {
        MIN_BYTES..BLOCKING_POOL_BYTES => gzip(&plain),
        BLOCKING_POOL_BYTES..=MAX_BYTES => {
            let plain = plain.clone();
            tokio::task::spawn_blocking(move || gzip(&plain)).await.ok().flatten()
        }
        _ => None,
    };
    if let Some(packed) = packed {
        response.set_body(Body::from_bytes(packed));
        let headers = response.headers_mut();
        headers.insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
        headers.append(VARY, HeaderValue::from_static("Accept-Encoding"));
        headers.remove(CONTENT_LENGTH);
    } else {
        response.set_body(Body::from_bytes(plain));
    }
    response
}

fn gzip(plain: &[u8]) -> Option<Bytes> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::with_capacity(plain.len() / 2), flate2::Compression::fast());
    encoder.write_all(plain).and_then(|()| encoder.finish()).ok().map(Bytes::from)
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use super::*;

    fn accepts(value: &str) -> HeaderMap {
        HeaderMap::from_iter([(ACCEPT_ENCODING, HeaderValue::from_str(value).unwrap())])
    }

    #[test]
    fn compresses_only_calls_that_need_an_access_token() {
        let gzip = accepts("gzip, deflate, br, zstd");
        for (method, path, request, wanted) in [
            (Method::GET, "/api/tasks", &gzip, true),
            (Method::GET, "/api/tasks", &accepts("GZIP;q=0.5"), true),
            (Method::GET, "/api/tasks", &accepts("*"), true),
            (Method::GET, "/api/tasks", &accepts("gzip;q=0, *"), false),
            (Method::GET, "/api/tasks", &accepts("br"), false),
            (Method::GET, "/api/tasks", &HeaderMap::new(), false),
            (Method::POST, "/api/common/search", &gzip, false),
            (Method::GET, "/api/auth/sessions", &gzip, false),
            (Method::GET, "/media/x", &gzip, false),
            (Method::GET, "/", &gzip, false),
        ] {
            assert_eq!(is_allowed(&method, path, request), wanted, "{method} {path} {request:?}");
        }
    }

    fn json() -> poem::ResponseBuilder {
        Response::builder().content_type("application/json")
    }

    #[tokio::test]
    async fn compresses_bodies_in_the_size_range_and_keeps_their_content() {
        for length in [0, MIN_BYTES - 1, MIN_BYTES, BLOCKING_POOL_BYTES, MAX_BYTES, MAX_BYTES + 1] {
            let plain: String = "words and more ".chars().cycle().take(length).collect();
            let mut packed = compress(json().body(plain.clone())).await;
            let is_packed = (MIN_BYTES..=MAX_BYTES).contains(&length);
            assert_eq!(packed.header("content-encoding"), is_packed.then_some("gzip"), "{length}");
            assert_eq!(packed.header("vary"), is_packed.then_some("Accept-Encoding"), "{length}");
            let bytes = packed.take_body().into_bytes().await.unwrap();
            let mut unpacked = String::new();
            if is_packed {
                assert!(bytes.len() < length / 2);
                flate2::read::GzDecoder::new(bytes.as_ref()).read_to_string(&mut unpacked).unwrap();
            } else {
                unpacked = String::from_utf8(bytes.to_vec()).unwrap();
            }
            assert_eq!(unpacked, plain, "{length}");
        }
    }

    #[tokio::test]
    async fn leaves_encoded_tagged_non_json_and_error_responses_unchanged() {
        let long = "x".repeat(MIN_BYTES);
        for answer in [
            json().header("etag", "\"1\"").body(long.clone()),
            json().header("content-encoding", "br").body(long.clone()),
            json().status(StatusCode::BAD_REQUEST).body(long.clone()),
            Response::builder().content_type("text/html").body(long.clone()),
        ] {
            let before = answer.header("content-encoding").map(str::to_owned);
            let mut after = compress(answer).await;
            assert_eq!(after.header("content-encoding"), before.as_deref());
            assert_eq!(after.take_body().into_string().await.unwrap(), long);
        }
    }
}
