//! The user interface built into the binary: its files, its translations, and the page for every path that is a screen.

use std::{borrow::Cow, collections::BTreeMap, sync::Arc};

use bytes::Bytes;
use http::{Method, StatusCode, header};
use poem::{Endpoint, Request, Response};
use rust_embed::RustEmbed;

use super::{
    asset::{Asset, CACHE_FOREVER, CACHE_REVALIDATE},
    headers::viewer_policy,
    languages::Languages,
    page::{Branding, escape, render_page},
    path,
};
use crate::{
    kernel::{
        Code, Error,
        i18n::{Locale, say},
    },
    wire::{Problem, problem},
};

/// The output of `npm run build`; may be missing during development.
#[derive(RustEmbed)]
#[folder = "ui/dist"]
#[allow_missing = true]
// Megabytes that browsers load in compressed form anyway.
#[exclude = "assets/*.js"]
#[exclude = "assets/*.css"]
#[exclude = "assets/*.html"]
#[exclude = "assets/*.wasm"]
struct Built;

/// The file name of the page.
const PAGE: &str = "index.html";

/// Returns the branding for a host and for the supported language that the browser asks for, if any.
pub type BrandingOf = Arc<dyn Fn(&str, Option<Locale>) -> Result<Branding, Error> + Send + Sync>;

/// The user interface as an endpoint, for every path without another handler.
pub struct Ui {
    files: BTreeMap<String, Asset>,
    page: Option<String>,
    languages: Languages,
    branding: BrandingOf,
    security: Option<TextSource>,
}

/// Creates a text on demand.
pub type TextSource = Box<dyn Fn() -> String + Send + Sync>;

impl Ui {
    /// Creates the endpoint of the built-in user interface.
    pub fn new(languages: Languages, branding: BrandingOf) -> Self {
        let files = Built::iter().filter_map(|name| {
            let bytes = match Built::get(&name)?.data {
                Cow::Borrowed(bytes) => Bytes::from_static(bytes),
                Cow::Owned(bytes) => Bytes::from(bytes),
            };
            Some((name.into_owned(), bytes))
        });
        Self::from_files(files.collect(), languages, branding)
    }

    /// Whether the user interface is built in. A binary without it serves only the API.
    pub fn is_built(&self) -> bool {
        self.page.is_some()
    }

    /// Serves this text at `/.well-known/security.txt`.
    pub fn with_security(mut self, security: Option<TextSource>) -> Self {
        self.security = security;
        self
    }

    fn from_files(mut files: BTreeMap<String, Bytes>, languages: Languages, branding: BrandingOf) -> Self {
        let page = files.remove(PAGE).and_then(|bytes| String::from_utf8(bytes.to_vec()).ok());
        let assets = files.iter().filter(|(name, _)| name.strip_suffix(".br").is_none()).map(|(file, bytes)| {
            let name = file.strip_suffix(".gz").unwrap_or(file);
            let cache = if is_hashed(name) { CACHE_FOREVER } else { CACHE_REVALIDATE };
            let asset = match files.get(&format!("{name}.gz")) {
                Some(gzip) => Asset::of_packed(name, cache, files.get(&format!("{name}.br")).cloned(), gzip.clone()),
                None => Asset::new(name, cache, bytes.clone()),
            };
            let asset = if is_viewer(name) { asset.in_frame(viewer_policy) } else { asset };
            (name.to_owned(), asset)
        });
        Self { files: assets.collect(), page, languages, branding, security: None }
    }

    fn find(&self, path: &str) -> Option<Cow<'_, Asset>> {
        let name = match path.strip_prefix('/')? {
            "favicon.ico" => "favicon.svg",
            name => name,
        };
        match name.strip_prefix("i18n/") {
            Some(name) => self.languages.find(name).map(Cow::Owned),
            None => self.files.get(name).map(Cow::Borrowed),
        }
    }

    fn page(&self, request: &Request) -> Result<Response, Error> {
        let head = request.method() == Method::HEAD;
        let requested_locale = problem::requested_locale(request);
        let Some(template) = &self.page else {
            return Ok(missing(requested_locale.unwrap_or(Locale::EN)));
        };
        let host = request.header(header::HOST).or_else(|| request.uri().host()).unwrap_or_default();
        let page = render_page(template, &(self.branding)(host, requested_locale)?).map_err(Error::internal)?;
        Ok(Asset::new(PAGE, CACHE_REVALIDATE, page).answer(request.headers(), head))
    }

    /// Responds to the standard paths that programs request on every host.
    fn well_known(&self, path: &str) -> Option<Response> {
        let text = |body: String| Response::builder().content_type("text/plain; charset=utf-8").body(body);
        match path {
            // Everything is behind a sign-in: there is nothing to index.
            "/robots.txt" => Some(text("User-agent: *\nDisallow: /\n".to_owned())),
            "/.well-known/security.txt" => self.security.as_ref().map(|tell| text(tell())),
            _ => None,
        }
    }

    fn answer(&self, request: &Request) -> Result<Response, Error> {
        let path = request.uri().path();
        if request.method() != Method::GET && request.method() != Method::HEAD {
            return Err(Error::new(Code::MethodNotAllowed));
        }
        if path == "/" || path == "/index.html" {
            return self.page(request);
        }
        if let Some(asset) = self.find(path) {
            return Ok(asset.answer(request.headers(), request.method() == Method::HEAD));
        }
        if let Some(answer) = self.well_known(path) {
            return Ok(answer);
        }
        let is_screen = !path::is_api(path)
            && !["/assets", "/i18n", "/media", "/health"].iter().any(|folder| path::is_below(path, folder));
        if is_screen && wants_page(request) { self.page(request) } else { Err(Error::not_found()) }
    }
}

impl Endpoint for Ui {
    type Output = Response;

    async fn call(&self, request: Request) -> poem::Result<Response> {
        self.answer(&request).map_err(|error| Problem(error).into())
    }
}

/// Whether an unknown path should get the page: the client is a browser or accepts anything, and the path does not look
/// like a file.
fn wants_page(request: &Request) -> bool {
    let mut accepted =
        request.headers().get_all(header::ACCEPT).iter().filter_map(|value| value.to_str().ok()).peekable();
    let is_file = request.uri().path().rsplit('/').next().is_some_and(|last| last.contains('.'));
    let anything = !is_file && accepted.peek().is_none();
    anything || accepted.any(|value| value.contains("text/html") || (!is_file && value.contains("*/*")))
}

/// Whether a file's name contains a hash of its content, as the build's output below `assets/` does.
fn is_hashed(name: &str) -> bool {
    let Some((stem, _)) = name.strip_prefix("assets/").and_then(|name| name.split_once('.')) else {
        return false;
    };
    stem.char_indices().rev().nth(8).is_some_and(|(at, dash)| dash == '-' && stem.is_char_boundary(at))
}

/// Whether a file is the page that shows PDFs in a frame of the application (`ui/build/pdf-viewer.ts`).
fn is_viewer(name: &str) -> bool {
    let rest = name.strip_prefix("assets/pdf-viewer-").and_then(|rest| rest.split_once('.'));
    rest.is_some_and(|(_, extension)| extension == "html")
}

/// Returns the page of a binary without the user interface.
fn missing(locale: Locale) -> Response {
    let title = escape(&say(locale, "server.no_ui.title", &[]));
    let text = escape(&say(locale, "server.no_ui.text", &[]));
    let lang = locale.code();
    Response::builder().status(StatusCode::SERVICE_UNAVAILABLE).content_type("text/html; charset=utf-8").body(format!(
        "<!doctype html><html lang=\"{lang}\"><title>{title}</title><h1>{title}</h1><p>{text}</p></html>"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        config::{Config, Signup},
        http::asset::tests::gzip,
    };

    fn ui(files: &[(&str, &'static str)]) -> Ui {
        let bytes = |name: &str, text: &'static str| match name.strip_suffix(".gz") {
            Some(_) => gzip(text),
            None => Bytes::from_static(text.as_bytes()),
        };
        let files = files.iter().map(|(name, text)| ((*name).to_owned(), bytes(name, text))).collect();
        let branding: BrandingOf = Arc::new(|host, locale| {
            let mut branding =
                Branding::of_installation(&Config::default(), locale.unwrap_or(Locale::EN).code(), Signup::First);
            branding.company.name = format!("at {host}");
            Ok(branding)
        });
        Ui::from_files(files, Languages::of_catalogue(), branding)
    }

    fn built() -> Ui {
        ui(&[
            ("index.html", "<html lang=\"en\" class=\"light theme-default\"><title>Atrium</title>"),
            ("favicon.svg", "<svg/>"),
            ("assets/index-B3x_9-aZ.js.br", "brotli"),
            ("assets/index-B3x_9-aZ.js.gz", "plain"),
            ("assets/plain.css", "css"),
            ("assets/pdf-viewer-B3x_9-aZ.html.br", "brotli"),
            ("assets/pdf-viewer-B3x_9-aZ.html.gz", "<!doctype html><script>show()</script>"),
        ])
    }

    async fn ask(ui: &Ui, method: &str, path: &str, headers: &[(&str, &str)]) -> (Response, String) {
        let mut request = Request::builder().method(method.parse().unwrap()).uri(path.parse().unwrap());
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let mut response = ui.call(request.finish()).await.unwrap_or_else(poem::Error::into_response);
        let body = response.take_body().into_string().await.unwrap();
        (response, body)
    }

    #[tokio::test]
    async fn serves_files_with_their_type_caching_and_encoding() {
        let ui = built();
        for (path, kind, cache) in [
            ("/assets/index-B3x_9-aZ.js", "text/javascript; charset=utf-8", CACHE_FOREVER),
            ("/assets/plain.css", "text/css; charset=utf-8", CACHE_REVALIDATE),
            ("/favicon.svg", "image/svg+xml", CACHE_REVALIDATE),
            ("/i18n/en.json", "application/json; charset=utf-8", CACHE_REVALIDATE),
            ("/i18n/es.json", "application/json; charset=utf-8", CACHE_REVALIDATE),
        ] {
            let (response, body) = ask(&ui, "GET", path, &[]).await;
            assert_eq!(response.status(), StatusCode::OK, "{path}");
            assert_eq!(response.content_type(), Some(kind), "{path}");
            assert_eq!(response.header("cache-control"), Some(cache), "{path}");
            let (head, nothing) = ask(&ui, "HEAD", path, &[]).await;
            assert_eq!(nothing, "", "{path}");
            assert_eq!(head.header("content-length"), Some(body.len().to_string().as_str()), "{path}");
            assert_eq!(head.header("etag"), response.header("etag"), "{path}");
        }
        let (response, body) = ask(&ui, "GET", "/assets/index-B3x_9-aZ.js", &[("accept-encoding", "gzip, br")]).await;
        assert_eq!((response.header("content-encoding"), body.as_str()), (Some("br"), "brotli"));
        let (response, body) = ask(&ui, "GET", "/assets/index-B3x_9-aZ.js", &[]).await;
        assert_eq!((response.header("content-encoding"), body.as_str()), (None, "plain"));
    }

    #[tokio::test]
    async fn pdf_viewer_runs_only_its_script_in_a_sandbox_that_only_the_application_frames() {
        let ui = built();
        let path = "/assets/pdf-viewer-B3x_9-aZ.html";
        let (page, _) = ask(&ui, "GET", path, &[("accept-encoding", "br")]).await;
        assert_eq!(page.content_type(), Some("text/html; charset=utf-8"));
        assert_eq!((page.header("cache-control"), page.header("content-encoding")), (Some(CACHE_FOREVER), Some("br")));
        let tag = page.header("etag").unwrap();
        let (again, _) = ask(&ui, "GET", path, &[("accept-encoding", "br"), ("if-none-match", tag)]).await;
        assert_eq!(again.status(), StatusCode::NOT_MODIFIED);
        for response in [&page, &again] {
            assert_eq!(
                response.header("content-security-policy"),
                Some(
                    "sandbox allow-scripts; default-src 'none'; worker-src blob:; base-uri 'none'; form-action 'none'; \
                     frame-ancestors 'self'; require-trusted-types-for 'script'; trusted-types viewer; \
                     script-src 'wasm-unsafe-eval' 'sha256-bZcXq6A55386WOhnm+CkmXOdvD/gkjsQT5fkz6gxfg8='"
                )
            );
            assert_eq!(response.header("x-frame-options"), Some("SAMEORIGIN"));
        }
        // All other files leave both headers to the pipeline.
        for path in ["/assets/index-B3x_9-aZ.js", "/favicon.svg", "/"] {
            let (response, _) = ask(&ui, "GET", path, &[("accept", "text/html")]).await;
            assert_eq!(response.header("content-security-policy"), None, "{path}");
            assert_eq!(response.header("x-frame-options"), None, "{path}");
        }
    }

    #[tokio::test]
    async fn every_screen_path_returns_the_tenant_page() {
        let ui = built();
        let browser =
            [("accept", "text/html,application/xhtml+xml"), ("host", "acme.example"), ("accept-language", "es")];
        for path in ["/", "/index.html", "/dashboard", "/customers/17", "/docs/guides/getting-started", "/a/b/"] {
            let (response, body) = ask(&ui, "GET", path, &browser).await;
            assert_eq!(response.status(), StatusCode::OK, "{path}");
            assert_eq!(response.content_type(), Some("text/html; charset=utf-8"), "{path}");
            assert_eq!(response.header("cache-control"), Some(CACHE_REVALIDATE), "{path}");
            assert!(body.contains("<title>at acme.example</title>") && body.contains("lang=\"es\""), "{path}: {body}");
            let tag = response.header("etag").unwrap().to_owned();
            let again = [&browser[..], &[("if-none-match", tag.as_str())]].concat();
            assert_eq!(ask(&ui, "GET", path, &again).await.0.status(), StatusCode::NOT_MODIFIED, "{path}");
            let other = [("accept", "text/html"), ("host", "globex.example"), ("if-none-match", tag.as_str())];
            assert_eq!(ask(&ui, "GET", path, &other).await.0.status(), StatusCode::OK, "{path}");
        }
    }

    #[tokio::test]
    async fn paths_that_are_not_screens_return_404() {
        let ui = built();
        for path in [
            "/api/nothing",
            "/API/nothing",
            "/api",
            "/assets/missing-12345678.js",
            "/assets/",
            "/i18n/fr.json",
            "/i18n/EN.json",
            "/i18n/en",
            "/i18n/../Cargo.toml",
            "/media/x",
            "/health",
            "/assets/index-B3x_9-aZ.js.br",
            "/i18n//en.json",
            "/assets/../index.html",
        ] {
            let (response, _) = ask(&ui, "GET", path, &[("accept", "text/html")]).await;
            assert_eq!(response.status(), StatusCode::NOT_FOUND, "{path}");
        }
        for (path, accept, status) in [
            ("/dashboard", Some("*/*"), 200),
            ("/dashboard", None, 200),
            ("/dashboard", Some("application/json"), 404),
            ("/missing.js", Some("*/*"), 404),
            ("/missing.js", None, 404),
            ("/api/nothing", Some("*/*"), 404),
        ] {
            let headers: Vec<_> = accept.into_iter().map(|accept| ("accept", accept)).collect();
            assert_eq!(ask(&ui, "GET", path, &headers).await.0.status().as_u16(), status, "{path} {accept:?}");
        }
        assert_eq!(ask(&ui, "POST", "/", &[]).await.0.status(), StatusCode::METHOD_NOT_ALLOWED);
    }

    #[tokio::test]
    async fn serves_favicon_robots_and_security_txt() {
        let ui = built();
        let (icon, body) = ask(&ui, "GET", "/favicon.ico", &[]).await;
        assert_eq!((icon.content_type(), body.as_str()), (Some("image/svg+xml"), "<svg/>"));
        let (_, robots) = ask(&ui, "GET", "/robots.txt", &[]).await;
        assert_eq!(robots, "User-agent: *\nDisallow: /\n");
        assert_eq!(ask(&ui, "GET", "/.well-known/security.txt", &[]).await.0.status(), StatusCode::NOT_FOUND);
        let ui = ui.with_security(Some(Box::new(|| "Contact: mailto:a@acme.example\n".to_owned())));
        let (answer, text) = ask(&ui, "GET", "/.well-known/security.txt", &[]).await;
        assert_eq!(answer.content_type(), Some("text/plain; charset=utf-8"));
        assert!(text.starts_with("Contact: "));
    }

    #[tokio::test]
    async fn missing_ui_returns_503_with_build_instructions() {
        let ui = ui(&[]);
        assert!(!ui.is_built());
        let (response, body) = ask(&ui, "GET", "/", &[]).await;
        assert_eq!(response.status(), StatusCode::SERVICE_UNAVAILABLE);
        assert!(body.contains(&say(Locale::EN, "server.no_ui.title", &[])) && body.contains("npm run build"), "{body}");
    }

    #[test]
    fn recognizes_asset_names_with_a_hash() {
        for name in ["assets/index-B3x_9-aZ.js", "assets/a-12345678.woff2", "assets/x-y-abcdefgh.css.map"] {
            assert!(is_hashed(name), "{name}");
        }
        for name in ["index-B3x_9-aZ.js", "assets/index.js", "assets/a-1234567.js", "assets/-.js", "favicon.svg"] {
            assert!(!is_hashed(name), "{name}");
        }
    }
}
