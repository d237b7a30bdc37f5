//! The accept loop: accepts connections within limits of number, time and address, serves HTTP/1.1 and HTTP/2, and
//! shuts down gracefully.

use std::{
    collections::HashMap,
    future::Future,
    io,
    net::{IpAddr, SocketAddr},
    pin::{Pin, pin},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    task::{Context, Poll, ready},
    time::Duration,
};

use bytes::Bytes;
use http::{StatusCode, uri::Scheme};
use http_body_util::combinators::BoxBody;
use hyper::{
    body::{Body, Frame, Incoming, SizeHint},
    service::service_fn,
};
use hyper_util::{
    rt::{TokioExecutor, TokioIo, TokioTimer},
    server::conn::auto,
};
use parking_lot::Mutex;
use poem::{
    Addr, Endpoint, Response,
    web::{LocalAddr, RemoteAddr},
};
use rustls::ServerConfig;
use tokio::{
    io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _},
    sync::{OwnedSemaphorePermit, Semaphore, watch},
    task::JoinSet,
};
use tokio_rustls::{Accept, TlsAcceptor};

use super::{
    connection::{Activity, DeadlineSocket, MAX_STREAMS, RequestGuard},
    listener::{Accepting, Listener, Socket},
    malformed,
    memory::Reservation,
    tls::CHALLENGE_PROTOCOL,
};
use crate::{
    config::{Limits, Network},
    kernel::{Limit, address_block},
    wire::upgrade::{Stopping, Upgraded},
};

/// Longest head of a request, in bytes.
const MAX_HEAD_BYTES: usize = 64 << 10;

/// Flow control windows in bytes: of one HTTP/2 request, and of its connection.
const FLOW_WINDOWS_BYTES: (u32, u32) = (128 << 10, 512 << 10);

/// Bytes of a response that hyper may buffer (`SEND_BUFFER_BYTES`), and that it gets at a time (`SEND_CHUNK_BYTES`).
const SEND_BUFFER_BYTES: usize = 64 << 10;
const SEND_CHUNK_BYTES: usize = 16 << 10;

/// Pause before the next accept after the system refused one (too many open files).
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// How long a stop waits for the first request of a connection that was just accepted: the client of a connection that
/// is closed without a response sees a fault.
const FIRST_REQUEST_GRACE: Duration = Duration::from_millis(500);

/// Connections beyond the limits that get an error response: how many at a time, the time limit of each, and the
/// longest head that is read, in bytes.
const MAX_REFUSALS: usize = 64;
const REFUSAL_TIMEOUT: Duration = Duration::from_secs(2);
const MAX_REFUSED_HEAD_BYTES: usize = 8 << 10;

type JsonResponse = hyper::Response<Tracked<BoxBody<Bytes, io::Error>>>;

/// A listening socket and the limits of its connections.
pub struct Server {
    listener: Accepting,
    /// How connections are encrypted, if they are.
    tls: Option<TlsAcceptor>,
    limits: Arc<Limits>,
    trusted: Vec<Network>,
    /// Counts the open connections.
    open: Arc<AtomicUsize>,
}

impl Server {
    /// Creates the server of a listening socket. The `trusted` proxies are exempt from the limit of connections per
    /// address.
    pub fn new(listener: &Listener, limits: Limits, trusted: Vec<Network>) -> io::Result<Self> {
        let open = Arc::default();
        Ok(Self { listener: listener.accepting()?, tls: None, limits: Arc::new(limits), trusted, open })
    }

    /// Encrypts the connections.
    #[must_use]
    pub fn with_tls(self, config: Option<Arc<ServerConfig>>) -> Self {
        Self { tls: config.map(TlsAcceptor::from), ..self }
    }

    /// Counts the open connections in `open`.
    #[must_use]
    pub fn counting(self, open: Arc<AtomicUsize>) -> Self {
        Self { open, ..self }
    }

    /// Serves until `stop` resolves. Then it accepts no more connections, lets running requests finish for at most
    /// `limits.stop`, and closes the rest.
    pub async fn serve<E>(self, endpoint: E, stop: impl Future<Output = ()>)
    where
        E: Endpoint<Output = Response> + 'static,
    {
        let endpoint = Arc::new(endpoint);
        let connection_permits = Arc::new(Semaphore::new(self.limits.connections));
        let refusals = Arc::new(Semaphore::new(MAX_REFUSALS));
        let addresses = Arc::new(Addresses { taken: Mutex::default(), open: Arc::clone(&self.open) });
        let protocol = protocol();
        let (stopping, _) = watch::channel(false);
        let mut connections = JoinSet::new();
        let mut stop = pin!(stop);
        loop {
            let (socket, remote, local) = tokio::select! {
                biased;
                () = &mut stop => break,
                Some(_) = connections.join_next(), if !connections.is_empty() => continue,
                accepted = accept(&self.listener, &connection_permits, &refusals) => match accepted {
                    Ok(accepted) => accepted,
                    Err(error) => {
                        tracing::warn!(%error, "cannot accept connections");
                        tokio::time::sleep(ACCEPT_PAUSE).await;
                        continue;
                    }
                },
            };
            let limit = match self.limits.connections_per_address {
                0 => usize::MAX,
                _ if self.trusted.iter().any(|network| network.contains(remote.ip())) => usize::MAX,
                limit => limit,
            };
            let place = Arc::clone(&connection_permits).try_acquire_owned().ok();
            let is_full = place.is_none();
            let Some(seats) = place.zip(AddressSlot::take(&addresses, remote.ip(), limit)) else {
                let reached = if is_full { Limit::Connections } else { Limit::ConnectionsPerAddress };
                reached.count_hit();
                tracing::debug!(%remote, "too many connections");
                // If no permit for a refusal is left either, the connection is closed.
                // An encrypted client sees a closed connection, too: a handshake costs more than its refusal may.
                if self.tls.is_none()
                    && let Ok(refusal) = Arc::clone(&refusals).try_acquire_owned()
                {
                    connections.spawn(refuse(socket, refusal));
                }
                continue;
            };
            let connection = Connection {
                endpoint: Arc::clone(&endpoint),
                activity: Activity::new(),
                stopping: stopping.subscribe(),
                upgraded: Mutex::default(),
                remote,
                local,
                scheme: if self.tls.is_some() { Scheme::HTTPS } else { Scheme::HTTP },
            };
            let limits = Arc::clone(&self.limits);
            let protocol = protocol.clone();
            match &self.tls {
                None => connections.spawn(connection.run(socket, limits, seats, protocol)),
                Some(tls) => connections.spawn(connection.run_encrypted(tls.accept(socket), limits, seats, protocol)),
            };
        }
        drop(self.listener);
        stopping.send_replace(true);
        let rest = async { while connections.join_next().await.is_some() {} };
        if tokio::time::timeout(self.limits.stop, rest).await.is_err() {
            tracing::warn!("stop: requests were cut off");
        }
    }
}

fn protocol() -> auto::Builder<TokioExecutor> {
    let mut builder = auto::Builder::new(TokioExecutor::new());
    // `DeadlineSocket` enforces the deadlines: hyper's own timeout for the head also ends idle connections.
    builder.http1().timer(TokioTimer::new()).header_read_timeout(None).max_buf_size(MAX_HEAD_BYTES);
    builder
        .http2()
        .timer(TokioTimer::new())
        .max_concurrent_streams(MAX_STREAMS)
        .initial_stream_window_size(FLOW_WINDOWS_BYTES.0)
        .initial_connection_window_size(FLOW_WINDOWS_BYTES.1)
        .max_send_buf_size(SEND_BUFFER_BYTES)
        .max_header_list_size(16 << 10)
        .max_pending_accept_reset_streams(20);
    builder
}

/// Accepts a connection once a permit for one, or for a refusal, is free. Further clients wait in the system's backlog.
async fn accept(
    listener: &Accepting,
    connection_permits: &Semaphore,
    refusals: &Semaphore,
) -> io::Result<(Socket, SocketAddr, SocketAddr)> {
    // Released at once: only this loop takes permits, so a free one is still free after the accept.
    tokio::select! {
        place = connection_permits.acquire() => drop(place),
        refusal = refusals.acquire() => drop(refusal),
    }
    listener.accept().await
}

/// Responds 503 to a client beyond the limits: a connection that is closed without a response looks like a fault.
async fn refuse(mut socket: Socket, _refusal: OwnedSemaphorePermit) {
    let said = async {
        // Read the head first: a client that gets the response earlier may see only a connection reset.
        let mut head = vec![0; MAX_REFUSED_HEAD_BYTES];
        let mut length = 0;
        while length < head.len() && !head[..length].windows(4).any(|end| end == b"\r\n\r\n") {
            match socket.read(&mut head[length..]).await {
                Ok(count) if count > 0 => length += count,
                _ => return,
            }
        }
        if !head.starts_with(b"PRI ")
            && let Some(answer) = malformed::too_many_connections()
            && socket.write_all(&answer).await.is_ok()
            && socket.shutdown().await.is_ok()
        {
            while socket.read(&mut head).await.is_ok_and(|count| count > 0) {}
        }
    };
    drop(tokio::time::timeout(REFUSAL_TIMEOUT, said).await);
}

/// Number of connections per address, and of all.
#[derive(Debug, Default)]
struct Addresses {
    taken: Mutex<HashMap<IpAddr, usize>>,
    open: Arc<AtomicUsize>,
}

/// A connection's slot among those of its address.
#[derive(Debug)]
struct AddressSlot(Arc<Addresses>, IpAddr);

impl AddressSlot {
    fn take(addresses: &Arc<Addresses>, address: IpAddr, limit: usize) -> Option<Self> {
        let address = address_block(address);
        let mut taken = addresses.taken.lock();
        let count = taken.entry(address).or_default();
        if *count >= limit {
            return None;
        }
        *count += 1;
        addresses.open.fetch_add(1, Ordering::Relaxed);
        Some(Self(Arc::clone(addresses), address))
    }
}

impl Drop for AddressSlot {
    fn drop(&mut self) {
        self.0.open.fetch_sub(1, Ordering::Relaxed);
        let mut taken = self.0.taken.lock();
        if let Some(count) = taken.get_mut(&self.1) {
            *count -= 1;
            if *count == 0 {
                taken.remove(&self.1);
            }
        }
    }
}

struct Connection<E> {
    endpoint: Arc<E>,
    activity: Arc<Activity>,
    stopping: watch::Receiver<bool>,
    /// The task that takes over the connection after an upgrade.
    upgraded: Mutex<Option<Upgraded>>,
    remote: SocketAddr,
    local: SocketAddr,
    scheme: Scheme,
}

/// A connection's permits.
type Seats = (OwnedSemaphorePermit, AddressSlot);

impl<E: Endpoint<Output = Response> + 'static> Connection<E> {
    /// Waits for the handshake, as long as for the head of a request, then serves the connection.
    async fn run_encrypted(
        self,
        handshake: Accept<Socket>,
        limits: Arc<Limits>,
        seats: Seats,
        protocol: auto::Builder<TokioExecutor>,
    ) {
        // Boxed: the handshake needs kilobytes that the connection does not need afterwards.
        let socket = match tokio::time::timeout(limits.header_timeout, Box::pin(handshake)).await {
            Ok(Ok(socket)) => socket,
            Ok(Err(error)) => return tracing::trace!(remote = %self.remote, %error, "a handshake failed"),
            Err(_) => return tracing::trace!(remote = %self.remote, "a handshake took too long"),
        };
        // The answer to a challenge is the certificate.
        if socket.get_ref().1.alpn_protocol() != Some(CHALLENGE_PROTOCOL) {
            self.run(Box::new(socket), limits, seats, protocol).await;
        }
    }

    async fn run<S: AsyncRead + AsyncWrite + Unpin + Send + 'static>(
        self,
        socket: S,
        limits: Arc<Limits>,
        seats: Seats,
        protocol: auto::Builder<TokioExecutor>,
    ) {
        let this = Arc::new(self);
        let socket = DeadlineSocket::new(socket, Arc::clone(&this.activity), limits, seats);
        // Boxed, and freed before the upgraded task starts: WebSockets are long-lived and numerous.
        Box::pin(Arc::clone(&this).serve_connection(socket, protocol)).await;
        let upgraded = this.upgraded.lock().take();
        drop(this);
        if let Some(work) = upgraded.and_then(|upgraded| upgraded.take()) {
            work.await;
        }
    }

    /// Serves HTTP until the client closes, the server stops, or the connection is upgraded.
    async fn serve_connection<S: AsyncRead + AsyncWrite + Unpin + Send + 'static>(
        self: Arc<Self>,
        socket: DeadlineSocket<S, Seats>,
        protocol: auto::Builder<TokioExecutor>,
    ) {
        let mut stopping = self.stopping.clone();
        let activity = Arc::clone(&self.activity);
        let service = service_fn(move |request| Arc::clone(&self).answer(request));
        let mut serving = pin!(protocol.serve_connection_with_upgrades(TokioIo::new(socket), service));
        let stop = async {
            drop(stopping.wait_for(|stopping| *stopping).await);
            drop(tokio::time::timeout(FIRST_REQUEST_GRACE, activity.first_request()).await);
        };
        let result = tokio::select! {
            result = &mut serving => result,
            () = stop => {
                serving.as_mut().graceful_shutdown();
                serving.await
            }
        };
        if let Err(error) = result {
            tracing::trace!(%error, "a connection ended early");
        }
    }

    async fn answer(self: Arc<Self>, request: hyper::Request<Incoming>) -> Result<JsonResponse, io::Error> {
        let mut guard = self.activity.begin_request(request.version() == http::Version::HTTP_2);
        guard.keep_permit(self.activity.permit().await);
        let mut request = poem::Request::from((
            request,
            LocalAddr(Addr::SocketAddr(self.local)),
            RemoteAddr(Addr::SocketAddr(self.remote)),
            self.scheme.clone(),
        ));
        let body: BoxBody<Bytes, io::Error> = request.take_body().into();
        if !body.is_end_stream() {
            let watched = Unfinished { body, activity: Some(Arc::clone(&self.activity)) };
            request.set_body(poem::Body::from(BoxBody::new(watched)));
        }
        request.extensions_mut().insert(Stopping(self.stopping.clone()));
        request.extensions_mut().insert(Arc::clone(&self.activity));
        let mut response = self.endpoint.call(request).await.unwrap_or_else(poem::Error::into_response);
        if response.status() == StatusCode::SWITCHING_PROTOCOLS {
            self.activity.mark_upgraded();
            *self.upgraded.lock() = response.extensions_mut().remove();
        }
        let held = response.extensions_mut().remove();
        let response: hyper::Response<BoxBody<Bytes, io::Error>> = response.into();
        guard.mark_response_ready(response.body().size_hint().lower());
        Ok(response.map(|body| Tracked { body, guard, _held: held, rest: Bytes::new(), sent: 0 }))
    }
}

/// The body of a response, in pieces. hyper asks for the next piece once the client has read the previous one, which
/// shows how fast the client reads. The request counts as open until the body is sent.
struct Tracked<B> {
    body: B,
    guard: RequestGuard,
    /// The memory reservation of the body, if it is counted.
    _held: Option<Arc<Reservation>>,
    /// The unsent part of the body's last frame.
    rest: Bytes,
    sent: u64,
}

impl<B: Body<Data = Bytes> + Unpin> Body for Tracked<B> {
    type Data = Bytes;
    type Error = B::Error;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        let this = &mut *self;
        if this.rest.is_empty() {
            let next = Pin::new(&mut this.body).poll_frame(cx);
            this.guard.mark_bytes_taken(this.sent, next.is_pending());
            match ready!(next).transpose()?.map(Frame::into_data) {
                Some(Ok(data)) => this.rest = data,
                Some(Err(trailers)) => return Poll::Ready(Some(Ok(trailers))),
                None => return Poll::Ready(None),
            }
        }
        let piece = this.rest.split_to(this.rest.len().min(SEND_CHUNK_BYTES));
        this.sent += piece.len() as u64;
        this.guard.mark_bytes_taken(this.sent, false);
        Poll::Ready(Some(Ok(Frame::data(piece))))
    }

    /// A long body ends only when the client has room for more: only then is all of it on its way.
    fn is_end_stream(&self) -> bool {
        self.rest.is_empty() && self.sent <= SEND_CHUNK_BYTES as u64 && self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        let mut hint = self.body.size_hint();
        let rest = self.rest.len() as u64;
        if let Some(exact) = hint.exact() {
            hint.set_exact(exact + rest);
        } else {
            hint.set_lower(hint.lower() + rest);
        }
        hint
    }
}

/// The body of a request; reports to its connection if it is dropped before its end.
struct Unfinished<B> {
    body: B,
    activity: Option<Arc<Activity>>,
}

impl<B: Body + Unpin> Body for Unfinished<B> {
    type Data = B::Data;
    type Error = B::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Self::Data>, Self::Error>>> {
        let frame = Pin::new(&mut self.body).poll_frame(cx);
        if matches!(frame, Poll::Ready(None)) || self.body.is_end_stream() {
            self.activity = None;
        }
        frame
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

impl<B> Drop for Unfinished<B> {
    fn drop(&mut self) {
        if let Some(activity) = self.activity.take() {
            activity.mark_body_dropped();
        }
    }
}

#[cfg(test)]
mod tests;
