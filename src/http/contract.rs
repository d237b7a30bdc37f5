//! Request validation against the API's types, the same that the OpenAPI document is generated from: methods and
//! parameters of each path. Unknown parameters are refused by name, unreadable ones with a reason.

use std::{collections::BTreeSet, sync::LazyLock};

use poem::{
    Request,
    http::{HeaderMap, Method, Uri},
};
use poem_openapi::{
    OpenApi,
    error::{ParseMultipartError, ParseParamError, ParsePathError},
    registry::{MetaParamIn, Registry},
};

use crate::{
    kernel::{Error, Result},
    wire::{
        IDEMPOTENCY_KEY, IF_MATCH,
        document::limits,
        etag,
        problem::translate,
        query,
        shape::{Fault, Shape, clip_name, refusal},
    },
};

/// The path prefix of all calls.
const PREFIX: &str = "/api";
/// The redirect target of single sign-on providers. They may add parameters, and unknown ones must be ignored (RFC 6749
/// §4.1.2).
const ANSWERS_OF_PROVIDERS: &str = "/api/auth/oidc/callback";
/// Longest `Idempotency-Key`, in characters.
const LONGEST_KEY: usize = 200;

/// All calls of the API, collected on first use.
pub struct Contract(LazyLock<Vec<Call>, Draw>);

type Draw = Box<dyn FnOnce() -> Vec<Call> + Send>;

struct Call {
    method: Method,
    parts: Vec<Part>,
    parameters: Vec<Parameter>,
}

enum Part {
    Fixed(String),
    Any(String),
}

struct Parameter {
    name: String,
    place: MetaParamIn,
    shape: Shape,
}

impl Contract {
    /// Creates the contract of an API.
    pub fn of<A: OpenApi + 'static>(_: fn() -> A) -> Self {
        Self(LazyLock::new(Box::new(describe_calls::<A>)))
    }

    /// Creates a contract of calls without parameters, for tests.
    #[cfg(test)]
    pub fn listing(calls: &'static [(Method, &'static str)]) -> Self {
        let call =
            |(method, path): &(Method, &str)| Call { method: method.clone(), parts: parts(path), parameters: vec![] };
        Self(LazyLock::new(Box::new(move || calls.iter().map(call).collect())))
    }

    /// Returns method and path of each call. Parameters of the path are in braces.
    pub(super) fn routes(&self) -> impl Iterator<Item = (Method, String)> {
        self.0.iter().map(|call| {
            let parts = call.parts.iter().map(|part| match part {
                Part::Fixed(part) => format!("/{part}"),
                Part::Any(name) => format!("/{{{name}}}"),
            });
            (call.method.clone(), parts.collect())
        })
    }

    /// Returns the value of `Allow` for a path (RFC 9110 §15.5.6). Paths outside the API are read-only.
    pub fn allowed(&self, path: &str) -> String {
        let mut names: BTreeSet<&str> = self.calls_at(path).into_iter().map(|call| call.method.as_str()).collect();
        if names.is_empty() || names.contains("GET") {
            names.extend(["GET", "HEAD"]);
        }
        names.into_iter().collect::<Vec<_>>().join(", ")
    }

    /// Refuses parameters that are unknown or given twice, and headers of the API that the handler could not read and
    /// would ignore.
    /// Errors: `bad_request` with each of them.
    pub fn check(&self, request: &Request) -> Result<()> {
        let headers = [IDEMPOTENCY_KEY, IF_MATCH].map(|name| (name, request.headers()));
        if request.uri().query().is_none() && !headers.iter().any(|(name, headers)| headers.contains_key(*name)) {
            return Ok(());
        }
        let Some(call) = self.find(request.method(), request.uri().path()) else { return Ok(()) };
        let mut faults = Vec::new();
        let mut seen = BTreeSet::new();
        for (name, _) in query(request.uri()) {
            if request.uri().path() == ANSWERS_OF_PROVIDERS {
                break;
            }
            if !call.has(&name, MetaParamIn::Query) {
                faults.push(Fault::new(clip_name(&name), "errors.fields.unknown"));
            } else if !seen.insert(name.clone()) && !call.may_repeat(&name) {
                faults.push(Fault::new(&name, "errors.fields.twice"));
            }
        }
        let own = headers.iter().filter(|(name, _)| call.has(name, MetaParamIn::Header));
        faults.extend(own.filter_map(|(name, headers)| header_fault(name, headers)));
        if faults.is_empty() { Ok(()) } else { Err(refusal(faults)) }
    }

    /// Converts an error of the framework into an error of the catalogue; for an unreadable parameter, with the reason.
    pub fn explain(&self, error: poem::Error, method: &Method, uri: &Uri) -> Error {
        if let Some(form) = error.downcast_ref::<ParseMultipartError>() {
            return refusal([form_fault(&form.reason)]);
        }
        let call = self.find(method, uri.path());
        let name = match (error.downcast_ref::<ParseParamError>(), error.downcast_ref::<ParsePathError>()) {
            (Some(error), _) => error.name,
            (_, Some(error)) => call.and_then(|call| call.in_path(error.name)).unwrap_or(error.name),
            _ => return translate(error),
        };
        let parameter = call.and_then(|call| call.parameters.iter().find(|it| it.name == name).map(|it| (call, it)));
        let Some((call, parameter)) = parameter else { return refusal([Fault::new(name, "errors.fields.format")]) };
        let value = match parameter.place {
            MetaParamIn::Path => call.segment(uri.path(), name),
            _ => query(uri).into_iter().find(|(given, _)| given == name).map(|(_, value)| value),
        };
        let Some(value) = value else { return refusal([Fault::new(name, "errors.fields.missing")]) };
        let faults = parameter.shape.faults_of_text(name, &value);
        if faults.is_empty() { refusal([Fault::new(name, "errors.fields.format")]) } else { refusal(faults) }
    }

    fn find(&self, method: &Method, path: &str) -> Option<&Call> {
        let method = if method == Method::HEAD { &Method::GET } else { method };
        self.calls_at(path).into_iter().find(|call| call.method == method)
    }

    /// Returns the calls of a path. One with a fixed segment hides those with a parameter there, as in the router.
    fn calls_at(&self, path: &str) -> Vec<&Call> {
        let given: Vec<&str> = split(path).collect();
        let mut calls: Vec<&Call> = self.0.iter().filter(|call| call.is_at(&given)).collect();
        let closest = calls.iter().map(|call| call.fixed()).max();
        calls.retain(|call| Some(call.fixed()) == closest);
        calls
    }
}

impl Call {
    /// Returns how many segments of the path are fixed.
    fn fixed(&self) -> usize {
        self.parts.iter().filter(|part| matches!(part, Part::Fixed(_))).count()
    }

    fn is_at(&self, given: &[&str]) -> bool {
        let fits = |(part, given): (&Part, &&str)| match part {
            Part::Fixed(fixed) => fixed == given,
            Part::Any(_) => true,
        };
        self.parts.len() == given.len() && self.parts.iter().zip(given).all(fits)
    }

    fn has(&self, name: &str, place: MetaParamIn) -> bool {
        let is_it = |it: &Parameter| it.place == place && it.name.eq_ignore_ascii_case(name);
        self.parameters.iter().any(|it| is_it(it) && (place == MetaParamIn::Header || it.name == name))
    }

    /// Whether a query parameter may be given several times: it is a list.
    fn may_repeat(&self, name: &str) -> bool {
        self.parameters.iter().any(|it| it.place == MetaParamIn::Query && it.name == name && it.shape.is_list())
    }

    /// Returns the name of a path parameter, which the framework calls `param0`, `param1` and so on.
    fn in_path(&self, numbered: &str) -> Option<&str> {
        let number = numbered.strip_prefix("param")?.parse().ok()?;
        let mut names = self.parts.iter().filter_map(|part| match part {
            Part::Any(name) => Some(name.as_str()),
            Part::Fixed(_) => None,
        });
        names.nth(number)
    }

    /// Returns the segment of a path that holds a parameter.
    fn segment(&self, path: &str, name: &str) -> Option<String> {
        let found = self.parts.iter().zip(split(path)).find(|(part, _)| matches!(part, Part::Any(it) if it == name));
        found.map(|(_, segment)| segment.to_owned())
    }
}

fn describe_calls<A: OpenApi>() -> Vec<Call> {
    let mut registry = Registry::new();
    A::register(&mut registry);
    let mut calls = Vec::new();
    for path in A::meta().into_iter().flat_map(|api| api.paths) {
        for operation in path.operations {
            let call = operation.operation_id.unwrap_or_default();
            let parameters = operation.params.into_iter().map(|it| {
                let mut shape = Shape::of(&it.schema, &registry);
                if let Some(range) = limits::of_parameter(call, &it.name) {
                    shape.narrow(range);
                }
                Parameter { shape, name: it.name, place: it.in_type }
            });
            let parts = parts(&format!("{PREFIX}{}", path.path));
            calls.push(Call { method: operation.method, parts, parameters: parameters.collect() });
        }
    }
    calls
}

fn parts(path: &str) -> Vec<Part> {
    let part = |part: &str| match part.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')) {
        Some(name) => Part::Any(name.to_owned()),
        None => Part::Fixed(part.to_owned()),
    };
    split(path).map(part).collect()
}

fn split(path: &str) -> impl Iterator<Item = &str> {
    path.split('/').filter(|part| !part.is_empty())
}

/// Returns what is wrong with a form. The framework reports it only as a sentence, with the field in backticks.
fn form_fault(reason: &str) -> Fault {
    let name = reason.split('`').nth(1).unwrap_or("body");
    let missing = reason.ends_with("is required") || reason.ends_with("expects an input value.");
    let key = match reason {
        _ if reason.starts_with("unknown field") => "errors.fields.unknown",
        _ if missing => "errors.fields.missing",
        _ => "errors.fields.format",
    };
    Fault::new(clip_name(name), key)
}

/// Returns why a header of the API would be ignored or misread.
fn header_fault(name: &'static str, headers: &HeaderMap) -> Option<Fault> {
    let mut values = headers.get_all(name).iter();
    let value = values.next()?;
    if values.next().is_some() {
        return Some(Fault::new(name, "errors.fields.twice"));
    }
    let visible = |bytes: &[u8]| bytes.iter().all(u8::is_ascii_graphic);
    if name == IDEMPOTENCY_KEY {
        let fits = (1..=LONGEST_KEY).contains(&value.len()) && visible(value.as_bytes());
        return (!fits).then(|| Fault::new(name, "errors.fields.idempotency_key"));
    }
    (!value.to_str().is_ok_and(etag::is_one)).then(|| Fault::new(name, "errors.fields.if_match"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features;

    #[test]
    fn fixed_path_has_no_calls_of_the_parameter_in_its_place() {
        let contract = Contract::listing(&[(Method::GET, "/api/events/records"), (Method::PATCH, "/api/events/{id}")]);
        assert!(contract.find(&Method::GET, "/api/events/records").is_some());
        assert!(contract.find(&Method::PATCH, "/api/events/records").is_none());
        assert!(contract.find(&Method::PATCH, "/api/events/17").is_some());
    }

    #[test]
    fn lists_the_allowed_methods_of_each_path() {
        let contract = Contract::of(features::api);
        assert_eq!(contract.allowed("/api/customers"), "GET, HEAD, POST");
        assert_eq!(contract.allowed("/api/customers/17"), "DELETE, GET, HEAD, PATCH");
        assert_eq!(contract.allowed("/api/auth/sign-in"), "POST");
        assert_eq!(contract.allowed("/dashboard"), "GET, HEAD");
    }
}
