//! Security headers of every response (threats T-05 and T-22).

use base64::{Engine as _, engine::general_purpose::STANDARD};
use http::{
    HeaderMap, HeaderName, HeaderValue,
    header::{
        CACHE_CONTROL, CONTENT_SECURITY_POLICY, REFERRER_POLICY, SERVER, STRICT_TRANSPORT_SECURITY,
        X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
    },
};
use poem::{Endpoint, Request, Response};
use sha2::{Digest as _, Sha256};

use super::path;
use crate::config::{Config, StrictTransport};

/// Content Security Policy of pages. `base-uri` is `'self'`, not `'none'`: the page sets its own base, so that relative
/// addresses mean the same on deep routes.
pub const PAGE_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; \
    img-src 'self' blob: data:; font-src 'self'; connect-src 'self'; frame-src 'self'; manifest-src 'self'; \
    form-action 'self'; base-uri 'self'; object-src 'none'; frame-ancestors 'none'; \
    require-trusted-types-for 'script'; trusted-types app dompurify";

/// Content Security Policy of the page that shows PDFs in a frame of the application, without the hash of its script.
/// `sandbox` gives it an origin of its own, however it is opened: it reaches no session, storage or call. It loads
/// nothing; its script creates the worker that reads the file from a blob, and compiles WebAssembly for pictures.
const VIEWER_POLICY: &str = "sandbox allow-scripts; default-src 'none'; worker-src blob:; base-uri 'none'; \
    form-action 'none'; frame-ancestors 'self'; require-trusted-types-for 'script'; trusted-types viewer; \
    script-src 'wasm-unsafe-eval'";

/// Returns the Content Security Policy of the page that shows PDFs. `page` is its text: the one script in it may run.
pub(super) fn viewer_policy(page: &str) -> Option<HeaderValue> {
    let (_, rest) = page.split_once("<script>")?;
    let (script, _) = rest.split_once("</script>")?;
    let hash = STANDARD.encode(Sha256::digest(script));
    HeaderValue::from_str(&format!("{VIEWER_POLICY} 'sha256-{hash}'")).ok()
}

/// Paths outside the API that never serve a page.
const DATA_PATHS: [&str; 3] = ["/assets", "/i18n", "/media"];

/// Content Security Policy of responses that are not pages: it forbids loading anything. The policy of pages would be
/// most of the header bytes of every response, without an effect there.
pub(super) const DATA_POLICY: &str = "default-src 'none'; frame-ancestors 'none'";

/// Which sites may load a response into a page. A tenant's logo sets its own value, because webmail shows it.
const RESOURCE_POLICY: HeaderName = HeaderName::from_static("cross-origin-resource-policy");

/// Headers of every response; they replace existing values.
const COMMON_HEADERS: [(HeaderName, HeaderValue); 6] = [
    (X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
    (X_FRAME_OPTIONS, HeaderValue::from_static("DENY")),
    (REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
    (HeaderName::from_static("cross-origin-opener-policy"), HeaderValue::from_static("same-origin")),
    (RESOURCE_POLICY, HeaderValue::from_static("same-origin")),
    (
        HeaderName::from_static("permissions-policy"),
        HeaderValue::from_static("camera=(), microphone=(), geolocation=(), payment=(), usb=(), fullscreen=(self)"),
    ),
];

/// Returns the HSTS header (RFC 6797), if the installation is reached by https: two years, for this host and, if
/// configured, its subdomains.
pub(super) fn transport(config: &Config) -> Option<HeaderValue> {
    if !config.is_https() {
        return None;
    }
    match config.strict_transport {
        StrictTransport::Off => None,
        StrictTransport::Host => Some(HeaderValue::from_static("max-age=63072000")),
        StrictTransport::Subdomains => Some(HeaderValue::from_static("max-age=63072000; includeSubDomains")),
    }
}

/// Sets the security headers of a response. An existing Content Security Policy or Cache-Control stays, except that
/// responses of the API are never cached. An asset that may be framed has its own `X-Frame-Options`.
pub(super) fn protect(headers: &mut HeaderMap, path: &str, transport: Option<&HeaderValue>) {
    headers.remove(SERVER);
    let shared = path::is_below(path, "/media") && headers.contains_key(RESOURCE_POLICY);
    let framed = path::is_below(path, "/assets") && headers.contains_key(X_FRAME_OPTIONS);
    for (name, value) in &COMMON_HEADERS {
        if (shared && name == RESOURCE_POLICY) || (framed && name == X_FRAME_OPTIONS) {
            continue;
        }
        headers.insert(name, value.clone());
    }
    if let Some(transport) = transport {
        headers.insert(STRICT_TRANSPORT_SECURITY, transport.clone());
    }
    if !headers.contains_key(CONTENT_SECURITY_POLICY) {
        // Decided by the path, not by the content type: a 304 repeats the headers of the page (RFC 9111 §4.3.4).
        let is_data = path::is_api(path) || DATA_PATHS.iter().any(|below| path::is_below(path, below));
        let is_page = !is_data || path == "/api/docs" || path == "/api/docs/";
        let policy = if is_page { PAGE_POLICY } else { DATA_POLICY };
        headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(policy));
    }
    if path::is_api(path) || !headers.contains_key(CACHE_CONTROL) {
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    }
}

/// An endpoint at an address of its own, without the pipeline: its responses get the security headers too. They have no
/// HSTS header, because browsers ignore it over http (RFC 6797 §7.2).
pub struct Protected<E>(pub E);

impl<E: Endpoint<Output = Response>> Endpoint for Protected<E> {
    type Output = Response;

    async fn call(&self, request: Request) -> poem::Result<Response> {
        let path = request.uri().path().to_owned();
        let mut response = self.0.call(request).await.unwrap_or_else(poem::Error::into_response);
        protect(response.headers_mut(), &path, None);
        Ok(response)
    }
}

#[cfg(test)]
mod tests {
    use http::StatusCode;
    use poem::endpoint::make;

    use super::*;
    use crate::{
        kernel::{Code, Error},
        wire::Problem,
    };

    async fn answer(request: Request) -> poem::Result<Response> {
        match request.uri().path() {
            "/moved" => Ok(Response::builder().status(StatusCode::MOVED_PERMANENTLY).finish()),
            "/metrics" => Ok(Response::builder().header("cache-control", "no-store").body("a 1\n")),
            "/api/refused" => Err(Problem(Error::new(Code::Forbidden)).into()),
            _ => Err(Problem(Error::not_found()).into()),
        }
    }

    /// A response outside the pipeline lacks its headers: a redirect, a text, an error.
    #[tokio::test]
    async fn responses_at_other_addresses_have_security_headers() {
        let endpoint = Protected(make(answer));
        for (path, status) in [("/moved", 301), ("/metrics", 200), ("/nothing", 404), ("/api/refused", 403)] {
            let request = Request::builder().uri(path.parse().unwrap()).finish();
            let response = endpoint.call(request).await.unwrap();
            assert_eq!(response.status().as_u16(), status, "{path}");
            for (name, value) in &COMMON_HEADERS {
                assert_eq!(response.headers().get(name), Some(value), "{path} {name}");
            }
            assert!(response.headers().contains_key(CONTENT_SECURITY_POLICY), "{path}");
            assert_eq!(response.header("cache-control"), Some("no-store"), "{path}");
            assert!(!response.headers().contains_key(STRICT_TRANSPORT_SECURITY), "{path}");
        }
    }
}
