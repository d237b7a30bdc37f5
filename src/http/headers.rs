//! The headers that protect every answer, whatever its kind (threats T-05 and T-22).

use http::{
    HeaderMap, HeaderName, HeaderValue,
    header::{
        CACHE_CONTROL, CONTENT_SECURITY_POLICY, REFERRER_POLICY, SERVER, STRICT_TRANSPORT_SECURITY,
        X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
    },
};

use super::path;
use crate::config::{Config, StrictTransport};

/// What a page of ours may load and do. `base-uri` is `'self'`, not `'none'`: the page names its own
/// base, so that relative addresses mean the same on deep routes.
pub const PAGE_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; \
    img-src 'self' blob: data:; font-src 'self'; connect-src 'self'; manifest-src 'self'; form-action 'self'; \
    base-uri 'self'; object-src 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; \
    trusted-types app dompurify";

/// Where nothing is a page, besides the API.
const DATA: [&str; 3] = ["/assets", "/i18n", "/media"];

/// For what is no page: it loads nothing, wherever it is shown. The pages' policy would be most of the headers of
/// every answer, and mean nothing there.
pub(super) const DATA_POLICY: &str = "default-src 'none'; frame-ancestors 'none'";

/// Who may load an answer into a page. A company's logo says so itself: webmail shows it.
const RESOURCE_POLICY: HeaderName = HeaderName::from_static("cross-origin-resource-policy");

/// On every answer, in place of whatever was there.
const ALWAYS: [(HeaderName, HeaderValue); 6] = [
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

/// What binds browsers to https (RFC 6797), where people come by it: for two years, this host and, if that is set, all
/// below it.
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

/// Puts the protective headers on an answer. A policy or a rule for caches that the answer brings
/// itself stays, except that nothing of the API is ever cached.
pub(super) fn protect(headers: &mut HeaderMap, path: &str, transport: Option<&HeaderValue>) {
    headers.remove(SERVER);
    let shared = path::is_below(path, "/media") && headers.contains_key(RESOURCE_POLICY);
    for (name, value) in &ALWAYS {
        if shared && name == RESOURCE_POLICY {
            continue;
        }
        headers.insert(name, value.clone());
    }
    if let Some(transport) = transport {
        headers.insert(STRICT_TRANSPORT_SECURITY, transport.clone());
    }
    if !headers.contains_key(CONTENT_SECURITY_POLICY) {
        // By the path, and not by what comes: that a page has not changed says it anew (RFC 9111 §4.3.4).
        let is_data = path::is_api(path) || DATA.iter().any(|below| path::is_below(path, below));
        let is_page = !is_data || path == "/api/docs" || path == "/api/docs/";
        let policy = if is_page { PAGE_POLICY } else { DATA_POLICY };
        headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(policy));
    }
    if path::is_api(path) || !headers.contains_key(CACHE_CONTROL) {
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    }
}
