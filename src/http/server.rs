//! The accept loop: takes connections within limits of number, time and address, speaks HTTP/1.1
//! and HTTP/2 on them, and stops in good order.

use std::{
    collections::HashMap,
    future::Future,
    io,
    net::{IpAddr, Ipv6Addr, SocketAddr},
    pin::{Pin, pin},
    sync::{Arc, Mutex, PoisonError},
    task::{Context, Poll, ready},
    time::Duration,
};

use bytes::Bytes;
use http::StatusCode;
use http_body_util::combinators::BoxBody;
use hyper::{
    body::{Body, Frame, Incoming, SizeHint},
    service::service_fn,
};
use hyper_util::{
    rt::{TokioExecutor, TokioIo, TokioTimer},
    server::conn::auto,
};
use poem::{
    Addr, Endpoint, Response,
    web::{LocalAddr, RemoteAddr},
};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
    sync::{OwnedSemaphorePermit, Semaphore, watch},
    task::JoinSet,
};

use super::{
    connection::{Activity, Busy, STREAMS, Watched},
    held::Held,
    malformed,
};
use crate::{
    config::{Limits, Network},
    wire::upgrade::{Stopping, Upgraded},
};

/// The longest head of a request, in bytes.
const LONGEST_HEAD: usize = 64 << 10;

/// Bytes of bodies that a client may send before we take them: on one HTTP/2 request, and on its connection.
const WINDOWS: (u32, u32) = (128 << 10, 512 << 10);

/// Bytes of an answer that may wait in the protocol's engine, and that it is given at a time.
const SEND_BUFFER: usize = 64 << 10;
const PIECE: usize = 16 << 10;

/// How long to wait before accepting again when the system refuses (too many open files).
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// Connections beyond the limits that are told so at a time, how long each may take, and the bytes of its head.
const REFUSALS: usize = 64;
const REFUSING: Duration = Duration::from_secs(2);
const REFUSED_HEAD: usize = 8 << 10;

type JsonResponse = hyper::Response<Tracked<BoxBody<Bytes, io::Error>>>;

/// A listening socket and the limits under which connections are taken from it.
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
    limits: Arc<Limits>,
    trusted: Vec<Network>,
}

impl Server {
    /// Listens on an address; port 0 takes any free port, see [`Server::address`]. The limit of
    /// connections for one address does not hold for the `trusted` proxies.
    ///
    /// # Errors
    /// The address is taken or not this machine's.
    pub async fn bind(address: SocketAddr, limits: Limits, trusted: Vec<Network>) -> io::Result<Self> {
        Ok(Self::of(TcpListener::bind(address).await?, limits, trusted))
    }

    /// As [`Server::bind`], on a socket that listens already.
    #[must_use]
    pub fn of(listener: TcpListener, limits: Limits, trusted: Vec<Network>) -> Self {
        Self { listener, limits: Arc::new(limits), trusted }
    }

    /// The address it listens on.
    ///
    /// # Errors
    /// The system does not say.
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// Serves until `stop` resolves, then takes no more connections, lets requests under way finish
    /// for at most `limits.stop`, and closes what is left.
    pub async fn serve<E>(self, endpoint: E, stop: impl Future<Output = ()>)
    where
        E: Endpoint<Output = Response> + 'static,
    {
        let endpoint = Arc::new(endpoint);
        let places = Arc::new(Semaphore::new(self.limits.connections));
        let refusals = Arc::new(Semaphore::new(REFUSALS));
        let addresses = Arc::new(Addresses::default());
        let protocol = protocol();
        let (stopping, _) = watch::channel(false);
        let mut connections = JoinSet::new();
        let mut stop = pin!(stop);
        loop {
            let (socket, remote) = tokio::select! {
                biased;
                () = &mut stop => break,
                Some(_) = connections.join_next(), if !connections.is_empty() => continue,
                accepted = accept(&self.listener, &places, &refusals) => match accepted {
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
            let place = Arc::clone(&places).try_acquire_owned().ok();
            let Some(seats) = place.zip(AddressSlot::take(&addresses, remote.ip(), limit)) else {
                tracing::debug!(%remote, "too many connections");
                // Without a place for this either, the connection is closed.
                if let Ok(refusal) = Arc::clone(&refusals).try_acquire_owned() {
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
                local: socket.local_addr().unwrap_or(remote),
            };
            let limits = Arc::clone(&self.limits);
            connections.spawn(connection.run(socket, limits, seats, protocol.clone()));
        }
        drop(self.listener);
        stopping.send_replace(true);
        let rest = async { while connections.join_next().await.is_some() {} };
        if tokio::time::timeout(self.limits.stop, rest).await.is_err() {
            tracing::warn!("requests were cut off by the stop");
        }
    }
}

fn protocol() -> auto::Builder<TokioExecutor> {
    let mut builder = auto::Builder::new(TokioExecutor::new());
    // Deadlines are kept by `Watched`: hyper's own for the head also ends idle connections.
    builder.http1().timer(TokioTimer::new()).header_read_timeout(None).max_buf_size(LONGEST_HEAD);
    builder
        .http2()
        .timer(TokioTimer::new())
        .max_concurrent_streams(STREAMS)
        .initial_stream_window_size(WINDOWS.0)
        .initial_connection_window_size(WINDOWS.1)
        .max_send_buf_size(SEND_BUFFER)
        .max_header_list_size(16 << 10)
        .max_pending_accept_reset_streams(20);
    builder
}

/// Waits for a place, or for one to say that there is none, before accepting: a client beyond both waits in the
/// system's queue.
async fn accept(
    listener: &TcpListener,
    places: &Semaphore,
    refusals: &Semaphore,
) -> io::Result<(TcpStream, SocketAddr)> {
    // Given back at once: only this loop takes them, so one that was free is free when the connection is there.
    tokio::select! {
        place = places.acquire() => drop(place),
        refusal = refusals.acquire() => drop(refusal),
    }
    let (socket, remote) = listener.accept().await?;
    if let Err(error) = socket.set_nodelay(true) {
        tracing::debug!(%error, "cannot set TCP_NODELAY");
    }
    Ok((socket, remote))
}

/// Tells a client beyond the limits to come again: a connection that is closed without a word looks like a fault.
async fn refuse(mut socket: TcpStream, _refusal: OwnedSemaphorePermit) {
    let said = async {
        // Answered before its head is read, a client may see only that the connection was reset.
        let mut head = vec![0; REFUSED_HEAD];
        let mut length = 0;
        while length < head.len() && !head[..length].windows(4).any(|end| end == b"\r\n\r\n") {
            match socket.read(&mut head[length..]).await {
                Ok(count) if count > 0 => length += count,
                _ => return,
            }
        }
        if !head.starts_with(b"PRI ")
            && let Some(answer) = malformed::too_many()
            && socket.write_all(&answer).await.is_ok()
            && socket.shutdown().await.is_ok()
        {
            while socket.read(&mut head).await.is_ok_and(|count| count > 0) {}
        }
    };
    drop(tokio::time::timeout(REFUSING, said).await);
}

/// How many connections each address has.
#[derive(Debug, Default)]
struct Addresses(Mutex<HashMap<IpAddr, usize>>);

/// A connection's place among those of its address.
#[derive(Debug)]
struct AddressSlot(Arc<Addresses>, IpAddr);

impl AddressSlot {
    fn take(addresses: &Arc<Addresses>, address: IpAddr, limit: usize) -> Option<Self> {
        let address = block(address);
        let mut taken = addresses.0.lock().unwrap_or_else(PoisonError::into_inner);
        let count = taken.entry(address).or_default();
        if *count >= limit {
            return None;
        }
        *count += 1;
        Some(Self(Arc::clone(addresses), address))
    }
}

impl Drop for AddressSlot {
    fn drop(&mut self) {
        let mut taken = self.0.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = taken.get_mut(&self.1) {
            *count -= 1;
            if *count == 0 {
                taken.remove(&self.1);
            }
        }
    }
}

/// What counts as one client: an IPv4 address, or the /64 that one IPv6 customer is given.
pub(super) fn block(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(v6) => Ipv6Addr::from_bits(v6.to_bits() & (u128::MAX << 64)).into(),
        v4 @ IpAddr::V4(_) => v4,
    }
}

struct Connection<E> {
    endpoint: Arc<E>,
    activity: Arc<Activity>,
    stopping: watch::Receiver<bool>,
    /// What goes on when it is no longer HTTP.
    upgraded: Mutex<Option<Upgraded>>,
    remote: SocketAddr,
    local: SocketAddr,
}

impl<E: Endpoint<Output = Response> + 'static> Connection<E> {
    async fn run(
        self,
        socket: TcpStream,
        limits: Arc<Limits>,
        seats: (OwnedSemaphorePermit, AddressSlot),
        protocol: auto::Builder<TokioExecutor>,
    ) {
        let this = Arc::new(self);
        let socket = Watched::new(socket, Arc::clone(&this.activity), limits, seats);
        // On the heap, and gone before what comes after it begins: a socket lives long, and there are many.
        Box::pin(Arc::clone(&this).speak(socket, protocol)).await;
        let upgraded = this.upgraded.lock().unwrap_or_else(PoisonError::into_inner).take();
        drop(this);
        if let Some(work) = upgraded.and_then(|upgraded| upgraded.take()) {
            work.await;
        }
    }

    /// Speaks HTTP until the client goes, the server stops, or it becomes something else.
    async fn speak<T: Send + Unpin + 'static>(
        self: Arc<Self>,
        socket: Watched<TcpStream, T>,
        protocol: auto::Builder<TokioExecutor>,
    ) {
        let mut stopping = self.stopping.clone();
        let service = service_fn(move |request| Arc::clone(&self).answer(request));
        let mut serving = pin!(protocol.serve_connection_with_upgrades(TokioIo::new(socket), service));
        let stop = async { drop(stopping.wait_for(|stopping| *stopping).await) };
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
        let mut busy = self.activity.request(request.version() == http::Version::HTTP_2);
        busy.keep(self.activity.turn().await);
        let mut request = poem::Request::from((
            request,
            LocalAddr(Addr::SocketAddr(self.local)),
            RemoteAddr(Addr::SocketAddr(self.remote)),
            http::uri::Scheme::HTTP,
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
            self.activity.upgraded();
            *self.upgraded.lock().unwrap_or_else(PoisonError::into_inner) = response.extensions_mut().remove();
        }
        let held = response.extensions_mut().remove();
        let response: hyper::Response<BoxBody<Bytes, io::Error>> = response.into();
        busy.answered(response.body().size_hint().lower());
        Ok(response.map(|body| Tracked { body, busy, _held: held, rest: Bytes::new(), sent: 0 }))
    }
}

/// The body of an answer, in pieces: the engine asks for each when the client has taken what went before, so that it
/// is known how the client reads. The request counts as open until the body is sent.
struct Tracked<B> {
    body: B,
    busy: Busy,
    /// What it takes of the memory, where that is counted.
    _held: Option<Arc<Held>>,
    /// What is left of the last frame of the body.
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
            this.busy.taken(this.sent, next.is_pending());
            match ready!(next).transpose()?.map(Frame::into_data) {
                Some(Ok(data)) => this.rest = data,
                Some(Err(trailers)) => return Poll::Ready(Some(Ok(trailers))),
                None => return Poll::Ready(None),
            }
        }
        let piece = this.rest.split_to(this.rest.len().min(PIECE));
        this.sent += piece.len() as u64;
        this.busy.taken(this.sent, false);
        Poll::Ready(Some(Ok(Frame::data(piece))))
    }

    /// A long body ends only when the client has room for more: all of it is then on its way.
    fn is_end_stream(&self) -> bool {
        self.rest.is_empty() && self.sent <= PIECE as u64 && self.body.is_end_stream()
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

/// The body of a request; tells its connection when it was dropped before its end.
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
            activity.cut();
        }
    }
}

#[cfg(test)]
mod tests;
