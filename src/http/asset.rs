//! Static files: content type, entity tag and precompressed variants.

use std::{
    io::{Read as _, Write as _},
    sync::{Arc, OnceLock},
};

use bytes::Bytes;
use http::{
    HeaderMap, HeaderValue, StatusCode,
    header::{
        CACHE_CONTROL, CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG, IF_NONE_MATCH,
        VARY, X_FRAME_OPTIONS,
    },
};
use poem::Response;
use xxhash_rust::xxh3::xxh3_128;

use super::{compression::weight, conditional::is_known};

/// Cached for ever: the name changes with the content.
pub(super) const CACHE_FOREVER: &str = "public, max-age=31536000, immutable";

/// Cached, but revalidated on each use.
pub(super) const CACHE_REVALIDATE: &str = "no-cache";

/// The content encodings, best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Encoding {
    Brotli,
    Gzip,
    None,
}

impl Encoding {
    const fn name(self) -> &'static str {
        match self {
            Self::Brotli => "br",
            Self::Gzip => "gzip",
            Self::None => "identity",
        }
    }
}

/// A file and its compressed variants.
#[derive(Clone, Debug)]
pub(super) struct Asset {
    content_type: &'static str,
    cache: &'static str,
    /// Absent if it can be decompressed from the gzip variant: clients rarely ask for it.
    plain: Option<Bytes>,
    brotli: Option<Bytes>,
    /// Compressed when it is first asked for, if the build has not done so: a start must not wait for it.
    gzip: Option<Arc<OnceLock<Bytes>>>,
    digest: String,
    /// The Content Security Policy of a page that the application shows in a frame, once it was asked for.
    frame: Option<(PagePolicy, Arc<OnceLock<Option<HeaderValue>>>)>,
}

/// Returns a page's Content Security Policy for its text; none if it has none of its own.
pub(super) type PagePolicy = fn(&str) -> Option<HeaderValue>;

impl Asset {
    pub fn new(name: &str, cache: &'static str, plain: Bytes) -> Self {
        let digest = format!("{:032x}", xxh3_128(&plain));
        Self {
            content_type: content_type(name),
            cache,
            plain: Some(plain),
            brotli: None,
            gzip: None,
            digest,
            frame: None,
        }
    }

    /// Creates a file of the variants that were compressed when the user interface was built.
    pub fn of_packed(name: &str, cache: &'static str, brotli: Option<Bytes>, gzip: Bytes) -> Self {
        let digest = format!("{:032x}", xxh3_128(&gzip));
        Self {
            content_type: content_type(name),
            cache,
            plain: None,
            brotli,
            gzip: Some(Arc::new(gzip.into())),
            digest,
            frame: None,
        }
    }

    /// Lets the application show this page in a frame. Without a policy, it stays a page that nothing may frame.
    pub fn in_frame(mut self, policy: PagePolicy) -> Self {
        self.frame = Some((policy, Arc::default()));
        self
    }

    /// Adds a gzip variant at the best level, for files that are compressed once and sent often.
    pub fn pack(mut self) -> Self {
        self.gzip = Some(Arc::default());
        self
    }

    fn gzip(&self) -> Option<&Bytes> {
        let compress = || {
            let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
            // Writing to memory does not fail.
            drop(encoder.write_all(self.plain.as_deref().unwrap_or_default()));
            encoder.finish().unwrap_or_default().into()
        };
        self.gzip.as_ref().map(|gzip| gzip.get_or_init(compress))
    }

    fn frame_policy(&self) -> Option<&HeaderValue> {
        let (policy, known) = self.frame.as_ref()?;
        known.get_or_init(|| std::str::from_utf8(&self.plain()).ok().and_then(policy)).as_ref()
    }

    fn plain(&self) -> Bytes {
        self.plain.clone().unwrap_or_else(|| {
            let mut plain = Vec::new();
            let packed = self.gzip().cloned().unwrap_or_default();
            // The build's gzip output always decompresses: `precompress.test.ts` checks that.
            drop(flate2::read::GzDecoder::new(packed.as_ref()).read_to_end(&mut plain));
            plain.into()
        })
    }

    /// Responds to a request with these headers. The caller ensures that it is GET or HEAD.
    pub fn answer(&self, request: &HeaderMap, head: bool) -> Response {
        let compression = self.choose(request);
        let bytes = match compression {
            Encoding::Brotli => self.brotli.as_ref(),
            Encoding::Gzip => self.gzip(),
            Encoding::None => None,
        };
        let tag = match compression {
            Encoding::None => format!("\"{}\"", self.digest),
            packed => format!("\"{}-{}\"", self.digest, packed.name()),
        };
        let mut answer = Response::builder().header(CACHE_CONTROL, self.cache).header(ETAG, &tag);
        if self.brotli.is_some() || self.gzip.is_some() {
            answer = answer.header(VARY, "Accept-Encoding");
        }
        if let Some(policy) = self.frame_policy() {
            answer = answer.header(CONTENT_SECURITY_POLICY, policy.clone()).header(X_FRAME_OPTIONS, "SAMEORIGIN");
        }
        if is_known(request.get_all(IF_NONE_MATCH), &tag) {
            return answer.status(StatusCode::NOT_MODIFIED).finish();
        }
        answer = answer.header(CONTENT_TYPE, self.content_type);
        if compression != Encoding::None {
            answer = answer.header(CONTENT_ENCODING, compression.name());
        }
        let body = bytes.map_or_else(|| self.plain(), Bytes::clone);
        if head {
            return answer.header(CONTENT_LENGTH, body.len()).finish();
        }
        answer.body(body)
    }

    /// Chooses the best variant that exists and that the client accepts.
    fn choose(&self, request: &HeaderMap) -> Encoding {
        let candidates = [
            (Encoding::Brotli, self.brotli.is_some(), weight(request, Encoding::Brotli.name())),
            (Encoding::Gzip, self.gzip.is_some(), weight(request, Encoding::Gzip.name())),
        ];
        let mut best = (Encoding::None, 0.0);
        for (compression, there, weight) in candidates {
            if there && weight > best.1 {
                best = (compression, weight);
            }
        }
        best.0
    }
}

/// Returns the content type for a file extension. Unlisted ones are downloads.
fn content_type(name: &str) -> &'static str {
    match name.rsplit('.').next().unwrap_or_default() {
        "html" => "text/html; charset=utf-8",
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "json" | "map" => "application/json; charset=utf-8",
        "webmanifest" => "application/manifest+json",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "jpg" | "jpeg" => "image/jpeg",
        "webp" => "image/webp",
        "avif" => "image/avif",
        "ico" => "image/x-icon",
        "woff2" => "font/woff2",
        "woff" => "font/woff",
        "txt" => "text/plain; charset=utf-8",
        "wasm" => "application/wasm",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    fn headers(pairs: &[(&'static str, &str)]) -> HeaderMap {
        pairs.iter().map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap())).collect()
    }

    fn asset() -> Asset {
        Asset::of_packed("a.js", CACHE_FOREVER, Some(Bytes::from_static(b"brotli")), gzip("plain"))
    }

    /// Compresses text as the build does.
    pub(in crate::http) fn gzip(text: &'static str) -> Bytes {
        Asset::new("a.js", CACHE_FOREVER, Bytes::from_static(text.as_bytes())).pack().gzip().unwrap().clone()
    }

    #[tokio::test]
    async fn sends_the_best_encoding_that_the_client_accepts() {
        for (accepted, body, encoding) in [
            ("br, gzip", "brotli", Some("br")),
            ("gzip, deflate, br, zstd", "brotli", Some("br")),
            ("gzip", "gzip", Some("gzip")),
            ("br;q=0, gzip", "gzip", Some("gzip")),
            ("br;q=0.5, gzip;q=0.9", "gzip", Some("gzip")),
            ("*", "brotli", Some("br")),
            ("*;q=0", "plain", None),
            ("identity", "plain", None),
            ("", "plain", None),
            ("BR", "brotli", Some("br")),
            ("br;q=nonsense", "plain", None),
        ] {
            let answer = asset().answer(&headers(&[("accept-encoding", accepted)]), false);
            assert_eq!(answer.header("content-encoding"), encoding, "{accepted}");
            assert_eq!(answer.header("vary"), Some("Accept-Encoding"));
            assert_eq!(answer.header("cache-control"), Some(CACHE_FOREVER));
            let sent = answer.into_body().into_bytes().await.unwrap();
            let expected = if body == "gzip" { gzip("plain") } else { Bytes::from_static(body.as_bytes()) };
            assert_eq!(sent, expected, "{accepted}");
        }
    }

    #[test]
    fn each_encoding_has_its_own_etag_and_a_match_returns_304() {
        let plain = asset().answer(&headers(&[]), false).header("etag").unwrap().to_owned();
        let packed = asset().answer(&headers(&[("accept-encoding", "br")]), false).header("etag").unwrap().to_owned();
        assert_ne!(plain, packed);
        for (known, status) in [
            (plain.clone(), 304),
            (format!("W/{plain}"), 304),
            (format!("\"x\", {plain}"), 304),
            ("*".to_owned(), 304),
            (packed, 200),
            ("\"x\"".to_owned(), 200),
        ] {
            let answer = asset().answer(&headers(&[("if-none-match", &known)]), false);
            assert_eq!(answer.status().as_u16(), status, "{known}");
            assert_eq!(answer.header("etag"), Some(plain.as_str()));
        }
    }

    #[tokio::test]
    async fn head_returns_the_length_without_a_body() {
        let answer = asset().answer(&headers(&[]), true);
        assert_eq!(answer.header("content-length"), Some("5"));
        assert!(answer.into_body().is_empty());
    }

    #[tokio::test]
    async fn gzip_variant_decompresses_to_the_original() {
        let asset = Asset::new("en.json", CACHE_REVALIDATE, Bytes::from(vec![b'a'; 10_000])).pack();
        let answer = asset.answer(&headers(&[("accept-encoding", "gzip")]), false);
        let packed = answer.into_body().into_bytes().await.unwrap();
        assert!(packed.len() < 1000);
        let mut plain = Vec::new();
        flate2::read::GzDecoder::new(&packed[..]).read_to_end(&mut plain).unwrap();
        assert_eq!(plain, vec![b'a'; 10_000]);
    }
}
