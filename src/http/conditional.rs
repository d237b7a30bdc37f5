//! What an answer says beside its body by the request it answers: how to sign in, and that nothing has changed.

use http::{
    HeaderMap, HeaderValue, Method, StatusCode,
    header::{AUTHORIZATION, CONTENT_LENGTH, CONTENT_TYPE, ETAG, IF_NONE_MATCH, WWW_AUTHENTICATE},
};
use poem::{Body, Response};

/// How a call is signed (RFC 6750 §3).
const CHALLENGE: HeaderValue = HeaderValue::from_static("Bearer realm=\"Atrium\"");
/// The same for a token that is wrong, or of a session that is over.
const WRONG: HeaderValue = HeaderValue::from_static("Bearer realm=\"Atrium\", error=\"invalid_token\"");

/// What is kept of a request until its answer is made.
pub(super) struct Asked {
    reads: bool,
    with_token: bool,
    known: Vec<HeaderValue>,
}

impl Asked {
    pub fn of(method: &Method, headers: &HeaderMap) -> Self {
        Self {
            reads: method == Method::GET || method == Method::HEAD,
            with_token: headers.contains_key(AUTHORIZATION),
            known: headers.get_all(IF_NONE_MATCH).iter().cloned().collect(),
        }
    }

    /// A 401 says how to sign in.
    pub fn challenge(&self, response: &mut Response) {
        if response.status() == StatusCode::UNAUTHORIZED {
            let challenge = if self.with_token { WRONG } else { CHALLENGE };
            response.headers_mut().insert(WWW_AUTHENTICATE, challenge);
        }
    }

    /// A reader who has this very answer already gets a 304 without a body (RFC 9110 §13.1.2).
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

/// Whether one of the tags that a client has is this one, by the weak comparison.
pub(super) fn is_known<'a>(known: impl IntoIterator<Item = &'a HeaderValue>, tag: &str) -> bool {
    let strong = |tag: &'a str| tag.strip_prefix("W/").unwrap_or(tag);
    let tag = tag.strip_prefix("W/").unwrap_or(tag);
    let given = known.into_iter().filter_map(|value| value.to_str().ok()).flat_map(|value| value.split(','));
    given.map(str::trim).any(|known| known == "*" || strong(known) == tag)
}
