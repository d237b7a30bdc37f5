//! The accept loop: takes connections within limits of number, time and address, speaks HTTP/1.1
//! and HTTP/2 on them, and stops in good order.

use std::{
    collections::HashMap,
    future::Future,
    io,
    net::{IpAddr, Ipv6Addr, SocketAddr},
    pin::{Pin, pin},
    sync::{Arc, Mutex, PoisonError},
    task::{Context, Poll},
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
    net::{TcpListener, TcpStream},
    sync::{OwnedSemaphorePermit, Semaphore, watch},
    task::JoinSet,
};

use super::connection::{Activity, Busy, Watched};
use crate::{
    config::{Limits, Network},
    wire::upgrade::{Stopping, Upgraded},
};

/// The longest head of a request, in bytes.
const LONGEST_HEAD: usize = 64 << 10;

/// Requests at a time on one HTTP/2 connection: the least that RFC 9113 recommends.
const STREAMS: u32 = 100;

/// How long to wait before accepting again when the system refuses (too many open files).
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

type Answer = hyper::Response<Tracked<BoxBody<Bytes, io::Error>>>;

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
        let addresses = Arc::new(Addresses::default());
        let protocol = protocol();
        let (stopping, _) = watch::channel(false);
        let mut connections = JoinSet::new();
        let mut stop = pin!(stop);
        loop {
            let (socket, remote, place) = tokio::select! {
                biased;
                () = &mut stop => break,
                Some(_) = connections.join_next(), if !connections.is_empty() => continue,
                accepted = accept(&self.listener, &places) => match accepted {
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
            let Some(seat) = Seat::take(&addresses, remote.ip(), limit) else {
                tracing::debug!(%remote, "too many connections from one address");
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
            connections.spawn(connection.run(socket, limits, (place, seat), protocol.clone()));
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
        .max_header_list_size(16 << 10)
        .max_pending_accept_reset_streams(20);
    builder
}

/// Waits for a place before accepting: a client beyond the limit waits in the system's queue.
async fn accept(
    listener: &TcpListener,
    places: &Arc<Semaphore>,
) -> io::Result<(TcpStream, SocketAddr, OwnedSemaphorePermit)> {
    let place = Arc::clone(places).acquire_owned().await.map_err(io::Error::other)?;
    let (socket, remote) = listener.accept().await?;
    if let Err(error) = socket.set_nodelay(true) {
        tracing::debug!(%error, "cannot set TCP_NODELAY");
    }
    Ok((socket, remote, place))
}

/// How many connections each address has.
#[derive(Debug, Default)]
struct Addresses(Mutex<HashMap<IpAddr, usize>>);

/// A connection's place among those of its address.
#[derive(Debug)]
struct Seat(Arc<Addresses>, IpAddr);

impl Seat {
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

impl Drop for Seat {
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
fn block(address: IpAddr) -> IpAddr {
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
        seats: (OwnedSemaphorePermit, Seat),
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

    async fn answer(self: Arc<Self>, request: hyper::Request<Incoming>) -> Result<Answer, io::Error> {
        let busy = self.activity.request(request.version() == http::Version::HTTP_2);
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
        let mut response = self.endpoint.call(request).await.unwrap_or_else(poem::Error::into_response);
        if response.status() == StatusCode::SWITCHING_PROTOCOLS {
            self.activity.upgraded();
            *self.upgraded.lock().unwrap_or_else(PoisonError::into_inner) = response.extensions_mut().remove();
        }
        let response: hyper::Response<BoxBody<Bytes, io::Error>> = response.into();
        Ok(response.map(|body| Tracked { body, _busy: busy }))
    }
}

/// The body of an answer; the request counts as open until it is sent.
struct Tracked<B> {
    body: B,
    _busy: Busy,
}

impl<B: Body + Unpin> Body for Tracked<B> {
    type Data = B::Data;
    type Error = B::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Self::Data>, Self::Error>>> {
        Pin::new(&mut self.body).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
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
