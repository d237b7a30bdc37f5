//! Response headers that depend on the request: the authentication challenge of a 401, and 304 for conditional
//! requests.

use http::{
    HeaderMap, HeaderValue, Method, StatusCode,
    header::{AUTHORIZATION, CONTENT_LENGTH, CONTENT_TYPE, ETAG, IF_NONE_MATCH, WWW_AUTHENTICATE},
};
use poem::{Body, Response};

/// The challenge for a request without a token (RFC 6750 §3).
const CHALLENGE_NO_TOKEN: HeaderValue = HeaderValue::from_static("Bearer realm=\"Atrium\"");
/// The challenge for a token that is invalid or whose session has ended.
const CHALLENGE_INVALID_TOKEN: HeaderValue =
    HeaderValue::from_static("Bearer realm=\"Atrium\", error=\"invalid_token\"");

/// The parts of a request that are needed to finish its response.
pub(super) struct RequestConditions {
    reads: bool,
    with_token: bool,
    known: Vec<HeaderValue>,
}

impl RequestConditions {
    pub fn of(method: &Method, headers: &HeaderMap) -> Self {
        Self {
            reads: method == Method::GET || method == Method::HEAD,
            with_token: headers.contains_key(AUTHORIZATION),
            known: headers.get_all(IF_NONE_MATCH).iter().cloned().collect(),
        }
    }

    /// Adds the challenge to a 401.
    pub fn challenge(&self, response: &mut Response) {
        if response.status() == StatusCode::UNAUTHORIZED {
            let challenge = if self.with_token { CHALLENGE_INVALID_TOKEN } else { CHALLENGE_NO_TOKEN };
            response.headers_mut().insert(WWW_AUTHENTICATE, challenge);
        }
    }

    /// Turns a response that the client already has into a 304 without a body (RFC 9110 §13.1.2).
    pub fn unchanged(&self, mut response: Response) -> Response {
        let tag = response.headers().get(ETAG).and_then(|tag| tag.to_str().ok());
        if !self.reads || response.status() != StatusCode::OK || !tag.is_some_and(|tag| is_known(&self.known, tag)) {
            return response;
        }
        response.set_status(StatusCode::NOT_MODIFIED);
        response.headers_mut().remove(CONTENT_TYPE);
        response.headers_mut().remove(CONTENT_LENGTH);
        response.set_body(Body::empty());
        response
    }
}

/// Whether the client's entity tags contain this one, by weak comparison.
pub(super) fn is_known<'a>(known: impl IntoIterator<Item = &'a HeaderValue>, tag: &str) -> bool {
    let strong = |tag: &'a str| tag.strip_prefix("W/").unwrap_or(tag);
    let tag = tag.strip_prefix("W/").unwrap_or(tag);
    let given = known.into_iter().filter_map(|value| value.to_str().ok()).flat_map(|value| value.split(','));
    given.map(str::trim).any(|known| known == "*" || strong(known) == tag)
}
