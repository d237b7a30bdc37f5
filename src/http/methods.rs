//! Which methods each address has, taken from the API's own document: the answer to a wrong method
//! names the right ones (RFC 9110 §15.5.6).

use std::sync::LazyLock;

use serde_json::Value;

/// The methods of every address of the API, drawn from its document when somebody first asks wrongly.
pub struct Methods(LazyLock<Vec<(Vec<Part>, String)>, Draw>);

type Draw = Box<dyn FnOnce() -> Vec<(Vec<Part>, String)> + Send>;

enum Part {
    Fixed(String),
    Any,
}

impl Methods {
    /// Reads them from an OpenAPI document.
    #[must_use]
    pub fn from_document(document: impl FnOnce() -> Value + Send + 'static) -> Self {
        Self(LazyLock::new(Box::new(|| Self::draw(&document()))))
    }

    fn draw(document: &Value) -> Vec<(Vec<Part>, String)> {
        let paths = document.get("paths").and_then(Value::as_object);
        let entries = paths.into_iter().flatten().filter_map(|(path, operations)| {
            let parts = split(path)
                .map(|part| if part.starts_with('{') { Part::Any } else { Part::Fixed(part.to_owned()) })
                .collect();
            let mut names: Vec<String> = operations.as_object()?.keys().map(|name| name.to_ascii_uppercase()).collect();
            names.retain(|name| matches!(name.as_str(), "GET" | "POST" | "PUT" | "PATCH" | "DELETE"));
            if names.iter().any(|name| name == "GET") {
                names.push("HEAD".to_owned());
            }
            names.sort();
            Some((parts, names.join(", ")))
        });
        entries.collect()
    }

    /// The value of `Allow` for a path; everything that is no call of the API can be read only.
    #[must_use]
    pub fn allowed(&self, path: &str) -> &str {
        let fits = |parts: &[Part]| {
            parts.len() == split(path).count()
                && parts.iter().zip(split(path)).all(|(part, given)| match part {
                    Part::Fixed(fixed) => fixed == given,
                    Part::Any => true,
                })
        };
        self.0.iter().find(|(parts, _)| fits(parts)).map_or("GET, HEAD", |(_, allowed)| allowed)
    }
}

fn split(path: &str) -> impl Iterator<Item = &str> {
    path.split('/').filter(|part| !part.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_document_says_what_is_allowed() {
        let document = serde_json::json!({"paths": {
            "/api/customers": {"get": {}, "post": {}, "summary": "x"},
            "/api/customers/{id}": {"get": {}, "patch": {}, "delete": {}},
            "/api/auth/sign-in": {"post": {}},
        }});
        let methods = Methods::from_document(move || document);
        assert_eq!(methods.allowed("/api/customers"), "GET, HEAD, POST");
        assert_eq!(methods.allowed("/api/customers/17"), "DELETE, GET, HEAD, PATCH");
        assert_eq!(methods.allowed("/api/auth/sign-in"), "POST");
        assert_eq!(methods.allowed("/dashboard"), "GET, HEAD");
    }
}
