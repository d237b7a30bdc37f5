//! Counts and durations of requests by route. The routes are those of the API document, so labels never have ids.

use std::{
    collections::HashMap,
    sync::{
        Arc,
        atomic::{AtomicU64, AtomicUsize, Ordering},
    },
};

use http::Method;

use super::{contract::Contract, path};
use crate::kernel::{Histogram, HistogramCounts};

/// Upper bounds of the durations, in microseconds.
const DURATIONS: [u64; 12] =
    [1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000, 1_000_000, 2_500_000, 10_000_000];

/// The method of routes that are counted together for all methods.
const ANY_METHOD: &str = "any";

/// Routes outside of the API. The last two are those of all other paths.
const OTHER_ROUTES: [&str; 5] = ["/media/{id}", "/health", "/metrics", "unknown call", "page"];

/// What is measured of HTTP.
#[derive(Debug)]
pub struct HttpMetrics {
    /// The requests.
    pub requests: RequestMetrics,
    /// Number of open connections.
    pub connections: Arc<AtomicUsize>,
}

impl HttpMetrics {
    /// Creates the metrics of an API.
    pub fn new(contract: &Contract) -> Self {
        Self { requests: RequestMetrics::new(contract), connections: Arc::default() }
    }
}

/// Counts and durations of requests.
#[derive(Debug)]
pub struct RequestMetrics {
    routes: Vec<RouteMetrics>,
    /// The routes of the API, by the segments of their paths.
    calls: Node,
    /// The index of the first of [`OTHER_ROUTES`].
    others: usize,
}

/// What is measured of a route.
#[derive(Debug)]
pub struct RouteMetrics {
    /// The method.
    pub method: String,
    /// The path, with the names of its parameters in braces.
    pub path: String,
    /// Number of responses by status class, 1xx to 5xx.
    statuses: [AtomicU64; 5],
    durations: Histogram,
}

/// The routes that begin with the same segments.
#[derive(Debug, Default)]
struct Node {
    fixed: HashMap<String, Node>,
    parameter: Option<Box<Node>>,
    calls: Vec<(Method, usize)>,
}

impl Node {
    fn insert(&mut self, segments: &[&str], call: (Method, usize)) {
        let Some((first, rest)) = segments.split_first() else { return self.calls.push(call) };
        let next = if first.starts_with('{') {
            self.parameter.get_or_insert_default()
        } else {
            self.fixed.entry((*first).to_owned()).or_default()
        };
        next.insert(rest, call);
    }

    /// Finds the calls of a path. A fixed segment hides a parameter in its place, as in the router.
    fn find<'a>(&self, mut segments: impl Iterator<Item = &'a str> + Clone) -> Option<&Self> {
        let Some(first) = segments.next() else { return (!self.calls.is_empty()).then_some(self) };
        let fixed = self.fixed.get(first).and_then(|next| next.find(segments.clone()));
        fixed.or_else(|| self.parameter.as_ref()?.find(segments))
    }
}

impl RouteMetrics {
    fn new(method: &str, path: &str) -> Self {
        Self {
            method: method.to_owned(),
            path: path.to_owned(),
            statuses: Default::default(),
            durations: Histogram::new(&DURATIONS),
        }
    }

    /// Returns the number of responses of each status class that occurred, such as `2xx`.
    pub fn statuses(&self) -> impl Iterator<Item = (&'static str, u64)> {
        let counts = self.statuses.iter().map(|count| count.load(Ordering::Relaxed));
        ["1xx", "2xx", "3xx", "4xx", "5xx"].into_iter().zip(counts).filter(|(_, count)| *count > 0)
    }

    /// Returns the durations, in microseconds.
    pub fn durations(&self) -> HistogramCounts {
        self.durations.read()
    }
}

impl RequestMetrics {
    fn new(contract: &Contract) -> Self {
        let mut routes = Vec::new();
        let mut calls = Node::default();
        for (method, path) in contract.routes() {
            let segments: Vec<&str> = segments(&path).collect();
            calls.insert(&segments, (method.clone(), routes.len()));
            routes.push(RouteMetrics::new(method.as_str(), &path));
        }
        let others = routes.len();
        routes.extend(OTHER_ROUTES.map(|path| RouteMetrics::new(ANY_METHOD, path)));
        Self { routes, calls, others }
    }

    /// Returns all routes.
    pub fn routes(&self) -> &[RouteMetrics] {
        &self.routes
    }

    /// Counts a response.
    pub(super) fn record(&self, method: &Method, path: &str, status: u16, micros: u64) {
        let Some(route) = self.routes.get(self.route(method, path)) else { return };
        let class = usize::from(status / 100).saturating_sub(1);
        if let Some(count) = route.statuses.get(class) {
            count.fetch_add(1, Ordering::Relaxed);
        }
        route.durations.observe(micros);
    }

    /// Returns the index of the route of a request.
    fn route(&self, method: &Method, path: &str) -> usize {
        let method = if method == Method::HEAD { &Method::GET } else { method };
        let is_call = path::is_api(path);
        let call = is_call.then(|| self.calls.find(segments(path))).flatten();
        let call = call.and_then(|node| node.calls.iter().find(|(own, _)| own == method));
        let other = || match path {
            _ if path::is_below(path, "/media") => 0,
            _ if path::is_below(path, "/health") => 1,
            "/metrics" => 2,
            _ if is_call => 3,
            _ => 4,
        };
        call.map_or_else(|| self.others + other(), |(_, index)| *index)
    }
}

fn segments(path: &str) -> impl Iterator<Item = &str> + Clone {
    path.split('/').filter(|part| !part.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_counted_by_route_and_status_class() {
        let contract = Contract::listing(&[
            (Method::GET, "/api/events/records"),
            (Method::GET, "/api/events/{id}"),
            (Method::PATCH, "/api/events/{id}"),
            (Method::GET, "/api/{kind}/records/all"),
        ]);
        let metrics = RequestMetrics::new(&contract);
        let route = |method: Method, path: &str| {
            let route = &metrics.routes[metrics.route(&method, path)];
            format!("{} {}", route.method, route.path)
        };
        for (method, path, expected) in [
            (Method::GET, "/api/events/records", "GET /api/events/records"),
            (Method::HEAD, "/api/events/17", "GET /api/events/{id}"),
            (Method::PATCH, "/api/events/17", "PATCH /api/events/{id}"),
            (Method::GET, "/api/events/records/all", "GET /api/{kind}/records/all"),
            (Method::PATCH, "/api/events/records", "any unknown call"),
            (Method::GET, "/api/nothing/0192", "any unknown call"),
            (Method::GET, "/media/0192", "any /media/{id}"),
            (Method::GET, "/health/live", "any /health"),
            (Method::GET, "/customers/0192", "any page"),
        ] {
            assert_eq!(route(method, path), expected, "{path}");
        }
        for status in [200, 204, 404, 503] {
            metrics.record(&Method::GET, "/api/events/17", status, 3_000);
        }
        let events = metrics.routes().iter().find(|route| route.path == "/api/events/{id}").unwrap();
        assert_eq!(events.statuses().collect::<Vec<_>>(), [("2xx", 2), ("4xx", 1), ("5xx", 1)]);
        assert_eq!((events.durations().total(), events.durations().sum), (4, 12_000));
    }
}
