//! Middleware of all requests and responses, in one place and in this order:
//!
//! 1. request id, client address, and the access log;
//! 2. the [`CHECKS`]: host, method, path, encoding, announced length, names of parameters;
//! 3. the body, read within the sender's limits (uploads are streamed within theirs);
//! 4. a permit among the concurrent requests, or `busy`;
//! 5. the handler, which waits for a permit of its tenant, or fails with `slow_down`, once the sender is known. A panic
//!    becomes a 500; a handler that takes too long, including its waits for permits, is aborted with `busy`;
//! 6. an error becomes its response;
//! 7. compression of responses of the API;
//! 8. the security headers.

use std::{
    future::{Future, poll_fn},
    net::{IpAddr, Ipv4Addr},
    panic::{AssertUnwindSafe, catch_unwind},
    pin::{Pin, pin},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    task::Poll,
    time::Instant,
};

use bytes::Bytes;
use http::{
    HeaderMap, HeaderName, HeaderValue, Method, StatusCode, Version,
    header::{ALLOW, AUTHORIZATION, CONTENT_ENCODING, CONTENT_LENGTH},
};
use http_body_util::combinators::BoxBody;
use hyper::body::Body as _;
use poem::{Endpoint, Request, Response};
use tokio::{
    sync::{Semaphore, SemaphorePermit},
    time::timeout,
};
use tracing::Instrument as _;

use super::{
    body::{Account, LimitedBody},
    client_address, compression,
    conditional::RequestConditions,
    connection::Activity,
    contract::Contract,
    headers, host,
    memory::{Pool, Reservation, Share},
    path,
    request_metrics::HttpMetrics,
};
use crate::{
    access::{Peer, RequestClass, RequestPermit},
    config::{Config, Limits, Network},
    features::files::{IMPORT_PATH, too_large},
    kernel::{Clock, Code, Entropy, Error, Limit, MemberId, Result, TenantId, address_block},
    wire::{
        DAMAGED, MetDamage,
        problem::{RequestId, locale, render},
    },
};

/// The header that carries the request's id.
pub(super) const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// The target of the log lines about requests whose sender lacks a permission.
const DENIED_TARGET: &str = "atrium::authorization";

/// Paths whose bodies may have the length of an upload, and are streamed.
const UPLOAD_PATHS: [&str; 2] = ["/api/files", IMPORT_PATH];

/// Longest body in bytes of a request without a valid access token.
const MAX_ANONYMOUS_BODY_BYTES: u64 = 64 << 10;

/// Bytes of bodies that senders without a session may hold while they arrive: in total, and per address.
const ANONYMOUS_BYTES: (usize, usize) = (16 << 20, 1 << 20);

/// The same for senders with a session: in total, per tenant and per member.
const MEMBER_BYTES: (usize, usize, usize) = (48 << 20, 16 << 20, 4 << 20);

/// The same for uploads, which are written to disk as they arrive.
const UPLOAD_BYTES: (usize, usize, usize) = (64 << 20, 24 << 20, 12 << 20);

/// Bytes of an upload's body besides the file: the form around it.
const UPLOAD_FORM_BYTES: u64 = 64 << 10;

/// Bytes of API responses that may wait for their clients to read them: in total, and per address.
const RESPONSE_BYTES: (usize, usize) = (64 << 20, 16 << 20);

/// Returns the sender of a request by its headers. Called for every request with an access token, so it must be cheap.
pub type Bearer = Box<dyn Fn(&HeaderMap) -> Result<(TenantId, MemberId)> + Send + Sync>;

/// The long-polling call: it only waits, so it takes no permit.
const LONG_POLL_PATH: &str = "/api/live";

/// The checks before any work, in this order.
const CHECKS: [fn(&Rules, &Request) -> Result<()>; 6] =
    [check_host, check_method, check_spelling, check_encoding, check_length, check_parameters];

/// The settings and dependencies of the pipeline.
pub struct Rules {
    clock: Clock,
    entropy: Entropy,
    limits: Limits,
    trusted: Vec<Network>,
    https: bool,
    transport: Option<HeaderValue>,
    contract: Contract,
    bearer: Bearer,
    metrics: Option<Arc<HttpMetrics>>,
}

impl Rules {
    /// Creates the rules of a configuration. `contract` knows the parameters of each call, `bearer` the sender of a
    /// request; `clock` and `entropy` make request ids.
    pub fn new(config: &Config, contract: Contract, bearer: Bearer, clock: Clock, entropy: Entropy) -> Self {
        Self {
            clock,
            entropy,
            limits: config.limits.clone(),
            trusted: config.proxies(),
            https: config.is_https(),
            transport: headers::transport(config),
            contract,
            bearer,
            metrics: None,
        }
    }

    /// Measures the requests.
    #[must_use]
    pub fn with_metrics(self, metrics: Option<Arc<HttpMetrics>>) -> Self {
        Self { metrics, ..self }
    }
}

/// An endpoint behind the pipeline. It never fails: every error becomes a response.
pub struct Pipeline<E> {
    inner: E,
    rules: Rules,
    /// Memory held by bodies of senders without a session, of members, and of uploads.
    body_pools: [Pool; 3],
    /// Memory held by responses.
    response_pool: Pool,
    permits: Semaphore,
    waiting: AtomicUsize,
}

impl<E: Endpoint<Output = Response>> Pipeline<E> {
    /// Puts an endpoint behind the pipeline.
    pub fn new(inner: E, rules: Rules) -> Self {
        let permits = Semaphore::new(rules.limits.requests);
        Self {
            inner,
            rules,
            body_pools: Default::default(),
            response_pool: Pool::default(),
            permits,
            waiting: AtomicUsize::new(0),
        }
    }

    /// Runs steps 2 to 5.
    async fn admit(&self, mut request: Request) -> Result<Response> {
        for check in CHECKS {
            check(&self.rules, &request)?;
        }
        let account = self.take_body(&mut request).await?;
        let is_timed = request.uri().path() != LONG_POLL_PATH && !is_upload(&request);
        let handled = pin!(self.call_handler(request, account));
        if !is_timed {
            return handled.await;
        }
        let late = |_| {
            Limit::RequestTimeout.count_hit();
            Err(Error::new(Code::Busy).retry_after(1).with_detail("it took too long"))
        };
        timeout(self.rules.limits.request_timeout, handled).await.unwrap_or_else(late)
    }

    /// Runs steps 4 and 5.
    async fn call_handler(&self, request: Request, account: Option<Arc<Account>>) -> Result<Response> {
        let _permit = self.permit(request.uri().path()).await?;
        let method = request.method().clone();
        let uri = request.uri().clone();
        match catch_panic(pin!(self.inner.call(request))).await {
            Some(Ok(response)) => Ok(response),
            Some(Err(error)) => {
                let explained = || self.rules.contract.explain(error, &method, &uri);
                Err(account.and_then(|account| account.error()).unwrap_or_else(explained))
            }
            None => Err(Error::internal("a handler panicked")),
        }
    }

    /// Reads the body into memory. An upload is not read, only limited.
    async fn take_body(&self, request: &mut Request) -> Result<Option<Arc<Account>>> {
        // First of all: a sender with a session may send more, from a memory share of their own.
        let sender = self.sender(request);
        let body: BoxBody<Bytes, std::io::Error> = request.take_body().into();
        if body.is_end_stream() {
            return Ok(None);
        }
        let longest = match &sender {
            Ok(_) => max_body_bytes(&self.rules, request),
            Err(_) => self.rules.limits.body.min(MAX_ANONYMOUS_BODY_BYTES),
        };
        let held = self.reserve_body_memory(request, sender.as_ref().ok());
        // If the token has expired, the client must renew the token, not shorten the body.
        let refused = match sender {
            Err(error) if is_upload(request) => return Err(error),
            Err(error) if request.headers().contains_key(AUTHORIZATION) => error,
            _ => too_large_error(&self.rules, request),
        };
        if body.size_hint().lower() > longest {
            return Err(refused);
        }
        let (limited, account) = LimitedBody::new(body, longest, &self.rules.limits, held);
        if is_upload(request) {
            let limited = limited.streamed();
            request.set_body(poem::Body::from(BoxBody::new(limited)));
            return Ok(Some(account));
        }
        let body = limited.collect().await;
        // From here the bytes are short-lived, and bounded by the number of concurrent requests.
        drop(account);
        request.set_body(body.map_err(|error| if error.code() == Code::TooLarge { refused } else { error })?);
        Ok(None)
    }

    /// Returns the member that sends a request. Their connection may then have more concurrent requests.
    fn sender(&self, request: &Request) -> Result<(TenantId, MemberId)> {
        if !request.headers().contains_key(AUTHORIZATION) {
            return Err(Error::new(Code::NotSignedIn));
        }
        let sender = (self.rules.bearer)(request.headers())?;
        if let Some(activity) = request.extensions().get::<Arc<Activity>>() {
            activity.mark_signed_in();
        }
        Ok(sender)
    }

    /// Creates the memory reservation for a request's body.
    fn reserve_body_memory(&self, request: &Request, sender: Option<&(TenantId, MemberId)>) -> Reservation {
        let [strangers, members, uploads] = &self.body_pools;
        let Some((tenant, member)) = sender else {
            let address = request.extensions().get::<Peer>().copied().unwrap_or_default().address;
            return strangers.reserve(vec![
                (Share::All, ANONYMOUS_BYTES.0),
                (Share::Address(address_block(address)), ANONYMOUS_BYTES.1),
            ]);
        };
        let (pool, (all, company, own)) =
            if is_upload(request) { (uploads, UPLOAD_BYTES) } else { (members, MEMBER_BYTES) };
        // Whatever the configuration, each share has room for one body.
        let one = usize::try_from(max_body_bytes(&self.rules, request)).unwrap_or(usize::MAX);
        let shares = [(Share::All, all), (Share::Company(*tenant), company), (Share::Member(*tenant, *member), own)];
        pool.reserve(shares.map(|(whose, share)| (whose, share.max(one))).to_vec())
    }

    /// Reserves the memory of a response until the client has read it.
    fn reserve_response_memory(&self, mut response: Response, address: IpAddr) -> Result<Response> {
        let body: BoxBody<Bytes, std::io::Error> = response.take_body().into();
        let length = usize::try_from(body.size_hint().lower()).unwrap_or(usize::MAX);
        if length > 0 {
            let mut held = self.response_pool.reserve(vec![
                (Share::All, RESPONSE_BYTES.0),
                (Share::Address(address_block(address)), RESPONSE_BYTES.1),
            ]);
            held.grow(length)?;
            response.extensions_mut().insert(Arc::new(held));
        }
        response.set_body(poem::Body::from(body));
        Ok(response)
    }

    /// Creates the holder of the tenant's permit. The permit is taken once the tenant is known, and released when the
    /// response is complete.
    fn tenant_permit(&self, path: &str) -> Option<RequestPermit> {
        let counts = self.rules.limits.requests_per_company > 0 && path != LONG_POLL_PATH && path::is_api(path);
        counts.then(|| {
            RequestPermit::new(if UPLOAD_PATHS.contains(&path) { RequestClass::Uploads } else { RequestClass::Calls })
        })
    }

    /// Waits for a permit. Cheap requests (user interface, health) need none.
    async fn permit(&self, path: &str) -> Result<Option<SemaphorePermit<'_>>> {
        if path == LONG_POLL_PATH || (!path::is_api(path) && !path::is_below(path, "/media")) {
            return Ok(None);
        }
        let busy = || {
            Limit::Requests.count_hit();
            Error::new(Code::Busy).retry_after(1)
        };
        if let Ok(permit) = self.permits.try_acquire() {
            return Ok(Some(permit));
        }
        let _place = QueueSlot::take(&self.waiting, self.rules.limits.waiting).ok_or_else(busy)?;
        self.permits.acquire().await.map(Some).map_err(|_| busy())
    }
}

impl<E> Pipeline<E> {
    /// Logs that a request was refused because its sender lacks a permission: sender, address and path.
    fn log_denied(&self, bearer: Option<HeaderValue>, address: IpAddr, id: &str, path: &str) {
        let headers = HeaderMap::from_iter(bearer.map(|bearer| (AUTHORIZATION, bearer)));
        let sender = (self.rules.bearer)(&headers).ok();
        let company = sender.map(|(tenant, _)| tracing::field::display(tenant));
        let member = sender.map(|(_, member)| tracing::field::display(member));
        tracing::warn!(target: DENIED_TARGET, %address, company, member, id, path = loggable_path(path), "permission denied");
    }
}

impl<E: Endpoint<Output = Response>> Endpoint for Pipeline<E> {
    type Output = Response;

    async fn call(&self, mut request: Request) -> poem::Result<Response> {
        let started = Instant::now();
        let id = request_id(&self.rules, &request);
        let address = client_address::client(peer(&request), request.headers(), &self.rules.trusted);
        request.extensions_mut().insert(RequestId(id.clone()));
        request.extensions_mut().insert(Peer { address, https: self.rules.https });
        let damage = MetDamage::default();
        request.extensions_mut().insert(damage.clone());
        let locale = locale(&request);
        let path = request.uri().path().to_owned();
        let measured = self.rules.metrics.as_ref().map(|metrics| (metrics, request.method().clone()));
        let span = tracing::info_span!("request", id, method = request.method().as_str(), path = loggable_path(&path));

        let kept = self.tenant_permit(&path);
        if let Some(kept) = &kept {
            request.extensions_mut().insert(kept.clone());
        }
        let packed = compression::is_allowed(request.method(), &path, request.headers());
        let conditions = RequestConditions::of(request.method(), request.headers());
        let bearer = request.headers().get(AUTHORIZATION).cloned();
        // Pinned before it is wrapped: each move would copy kilobytes.
        let admitted = pin!(self.admit(request)).instrument(span.clone()).await;
        let answer = match admitted.map(|response| conditions.unchanged(response)) {
            Ok(response) if is_shared(&path) => Ok(response),
            Ok(response) if packed => self.reserve_response_memory(compression::compress(response).await, address),
            Ok(response) if path::is_api(&path) => self.reserve_response_memory(response, address),
            answer => answer,
        };
        drop(kept);
        let _entered = span.enter();
        let mut response = answer.unwrap_or_else(|error| render(&error, locale, &id));
        conditions.challenge(&mut response);
        if response.status() == StatusCode::METHOD_NOT_ALLOWED && !response.headers().contains_key(ALLOW) {
            let allowed = HeaderValue::from_str(&self.rules.contract.allowed(&path));
            response.headers_mut().insert(ALLOW, allowed.unwrap_or(HeaderValue::from_static("GET, HEAD")));
        }
        headers::protect(response.headers_mut(), &path, self.rules.transport.as_ref());
        if let Ok(id) = HeaderValue::from_str(&id) {
            response.headers_mut().insert(REQUEST_ID, id);
        }
        if response.status().is_success() && damage.count() > 0 {
            response.headers_mut().insert(DAMAGED, damage.count().into());
        }
        if response.status() == StatusCode::FORBIDDEN {
            self.log_denied(bearer, address, &id, &path);
        }
        let micros = u64::try_from(started.elapsed().as_micros()).unwrap_or(u64::MAX);
        let status = response.status().as_u16();
        if let Some((metrics, method)) = measured {
            metrics.requests.record(&method, &path, status, micros);
        }
        if path::is_below(&path, "/health") {
            tracing::debug!(target: "atrium::access", %address, status, micros, "answered");
        } else {
            tracing::info!(target: "atrium::access", %address, status, micros, "answered");
        }
        Ok(response)
    }
}

/// A place in the queue for a permit.
struct QueueSlot<'a>(&'a AtomicUsize);

impl<'a> QueueSlot<'a> {
    fn take(waiting: &'a AtomicUsize, most: usize) -> Option<Self> {
        let place = Self(waiting);
        // Counted before the comparison, so that two concurrent requests cannot both get the last place.
        (waiting.fetch_add(1, Ordering::Relaxed) < most).then_some(place)
    }
}

impl Drop for QueueSlot<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Returns `None` if the future panicked; the panic hook logs the panic.
async fn catch_panic<F: Future>(mut future: Pin<&mut F>) -> Option<F::Output> {
    poll_fn(|cx| match catch_unwind(AssertUnwindSafe(|| future.as_mut().poll(cx))) {
        Ok(poll) => poll.map(Some),
        Err(_) => Poll::Ready(None),
    })
    .await
}

fn peer(request: &Request) -> IpAddr {
    request.remote_addr().as_socket_addr().map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), std::net::SocketAddr::ip)
}

/// Returns the id that a trusted proxy set, so that both logs can be correlated, or else a new one.
fn request_id(rules: &Rules, request: &Request) -> String {
    let fits = |id: &&str| {
        (1..=64).contains(&id.len()) && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte))
    };
    let given = request.headers().get(REQUEST_ID).and_then(|value| value.to_str().ok()).filter(fits);
    match given {
        Some(id) if client_address::is_trusted(peer(request), &rules.trusted) => id.to_owned(),
        _ => rules.entropy.uuid(rules.clock.now()).simple().to_string(),
    }
}

/// Returns a path for the log: cut to 200 characters, and without the ids that alone grant access to a file.
fn loggable_path(path: &str) -> &str {
    if path::is_below(path, "/media") {
        return "/media/…";
    }
    path.char_indices().nth(200).and_then(|(end, _)| path.get(..end)).unwrap_or(path)
}

/// Requires exactly one valid host.
fn check_host(_: &Rules, request: &Request) -> Result<()> {
    let host = host::named_by(request)?;
    // Only a request from a connection must have one; HTTP/1.0 has no host.
    let came = request.extensions().get::<Arc<Activity>>().is_some();
    if host.is_none() && came && request.version() == Version::HTTP_11 {
        return Err(host::refused("no host"));
    }
    Ok(())
}

fn check_method(_: &Rules, request: &Request) -> Result<()> {
    let known = [Method::GET, Method::HEAD, Method::POST, Method::PUT, Method::PATCH, Method::DELETE, Method::OPTIONS];
    if known.contains(request.method()) { Ok(()) } else { Err(Error::new(Code::MethodNotAllowed)) }
}

fn check_spelling(_: &Rules, request: &Request) -> Result<()> {
    if path::is_canonical(request.uri().path()) { Ok(()) } else { Err(Error::not_found()) }
}

/// Refuses a compressed body: its decompressed length is unbounded.
fn check_encoding(_: &Rules, request: &Request) -> Result<()> {
    let plain = |value: &HeaderValue| value.as_bytes().eq_ignore_ascii_case(b"identity");
    if request.headers().get_all(CONTENT_ENCODING).iter().all(plain) {
        Ok(())
    } else {
        Err(Error::new(Code::UnsupportedMediaType))
    }
}

fn check_length(rules: &Rules, request: &Request) -> Result<()> {
    let announced = request.headers().get(CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse::<u64>().ok());
    if announced.is_some_and(|announced| announced > max_body_bytes(rules, request)) {
        return Err(too_large_error(rules, request));
    }
    Ok(())
}

/// Returns the refusal of a body that is larger than the server accepts; for a file with the limit.
fn too_large_error(rules: &Rules, request: &Request) -> Error {
    match request.uri().path() {
        path @ IMPORT_PATH => too_large(path, rules.limits.import),
        path if UPLOAD_PATHS.contains(&path) => too_large(path, rules.limits.upload),
        _ => Error::new(Code::TooLarge),
    }
}

fn check_parameters(rules: &Rules, request: &Request) -> Result<()> {
    rules.contract.check(request)
}

/// Whether the response's bytes are shared by all clients, so that a further response needs no memory.
fn is_shared(path: &str) -> bool {
    path == "/api/openapi.json" || path::is_below(path, "/api/docs")
}

fn is_upload(request: &Request) -> bool {
    UPLOAD_PATHS.contains(&request.uri().path())
}

fn max_body_bytes(rules: &Rules, request: &Request) -> u64 {
    match request.uri().path() {
        IMPORT_PATH => rules.limits.import.saturating_add(UPLOAD_FORM_BYTES),
        path if UPLOAD_PATHS.contains(&path) => rules.limits.upload.saturating_add(UPLOAD_FORM_BYTES),
        _ => rules.limits.body,
    }
}

#[cfg(test)]
mod tests;
