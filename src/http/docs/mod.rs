//! API documentation at `/api/docs`: a page that shows the OpenAPI document and tries its calls, and the document
//! itself. All clients get the same bytes, compressed if they accept that.

use std::sync::LazyLock;

use bytes::Bytes;
use http::Method;
use poem::{Endpoint, Request, Response};

use super::asset::{Asset, CACHE_REVALIDATE};
use crate::{
    kernel::{Code, Error, Result},
    wire::Problem,
};

/// The page's files, by the path after `/api/docs`.
static FILES: [(&str, LazyLock<Asset>); 3] = [
    ("", LazyLock::new(|| packed("docs.html", include_str!("docs.html")))),
    ("/docs.js", LazyLock::new(|| packed("docs.js", include_str!("docs.js")))),
    ("/docs.css", LazyLock::new(|| packed("docs.css", include_str!("docs.css")))),
];

fn packed(name: &str, text: &'static str) -> Asset {
    Asset::new(name, CACHE_REVALIDATE, Bytes::from_static(text.as_bytes())).pack()
}

/// The endpoint of the page and the document.
pub struct Docs(LazyLock<Asset, Box<dyn FnOnce() -> Asset + Send>>);

impl Docs {
    /// Creates the endpoint. `document` is called on the first request for it.
    pub fn new(document: impl FnOnce() -> String + Send + 'static) -> Self {
        Self(LazyLock::new(Box::new(|| Asset::new("openapi.json", CACHE_REVALIDATE, Bytes::from(document())).pack())))
    }

    fn answer(&self, request: &Request) -> Result<Response> {
        let head = request.method() == Method::HEAD;
        if !head && request.method() != Method::GET {
            return Err(Error::new(Code::MethodNotAllowed));
        }
        let path = request.uri().path();
        if path == "/api/openapi.json" {
            return Ok(self.0.answer(request.headers(), head));
        }
        let name = path.strip_prefix("/api/docs").ok_or_else(Error::not_found)?;
        let name = if name == "/" { "" } else { name };
        let file = FILES.iter().find(|(known, _)| *known == name).ok_or_else(Error::not_found)?;
        Ok(file.1.answer(request.headers(), head))
    }
}

impl Endpoint for Docs {
    type Output = Response;

    async fn call(&self, request: Request) -> poem::Result<Response> {
        self.answer(&request).map_err(|error| Problem(error).into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn ask(docs: &Docs, path: &str, compression: &str) -> (Option<String>, Bytes) {
        let request = Request::builder().uri(path.parse().unwrap()).header("accept-encoding", compression).finish();
        let answer = docs.call(request).await.unwrap();
        let encoding = answer.header("content-encoding").map(str::to_owned);
        (encoding, answer.into_body().into_bytes().await.unwrap())
    }

    #[tokio::test]
    async fn docs_are_small_and_served_without_copying() {
        let docs = Docs::new(|| "{\"paths\": {}}".repeat(1_000));
        for path in ["/api/docs", "/api/docs/", "/api/docs/docs.js", "/api/docs/docs.css", "/api/openapi.json"] {
            for (compression, encoding) in [("gzip", Some("gzip")), ("identity", None)] {
                let (given, bytes) = ask(&docs, path, compression).await;
                assert_eq!(given.as_deref(), encoding, "{path}");
                assert!(bytes.len() < 20_000 && !bytes.is_empty(), "{path}: {}", bytes.len());
                assert_eq!(bytes.as_ptr(), ask(&docs, path, compression).await.1.as_ptr(), "{path}: a copy");
            }
        }
        let nothing = Request::builder().uri("/api/docs/other".parse().unwrap()).finish();
        assert_eq!(docs.call(nothing).await.unwrap_err().status().as_u16(), 404);
    }

    #[test]
    fn docs_page_follows_the_content_security_policy() {
        let page = include_str!("docs.html");
        assert!(
            !page.contains("<style") && !page.contains(" style=") && !page.contains(" on"),
            "inline style or script"
        );
        assert_eq!(page.matches("<script").count(), page.matches("<script type=\"module\" src=\"/api/docs/").count());
        let script = include_str!("docs.js");
        for sink in
            ["innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function", ".style"]
        {
            assert!(!script.contains(sink), "{sink}");
        }
    }
}
