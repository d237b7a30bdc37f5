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
use crate::config::{Limits, Network};

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
        Ok(Self { listener: TcpListener::bind(address).await?, limits: Arc::new(limits), trusted })
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
                remote,
                local: socket.local_addr().unwrap_or(remote),
            };
            let limits = Arc::clone(&self.limits);
            connections.spawn(connection.run(socket, limits, (place, seat), protocol.clone(), stopping.subscribe()));
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
        mut stopping: watch::Receiver<bool>,
    ) {
        let socket = Watched::new(socket, Arc::clone(&self.activity), limits, seats);
        let this = Arc::new(self);
        let service = service_fn(move |request| Arc::clone(&this).answer(request));
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
        let response = self.endpoint.call(request).await.unwrap_or_else(poem::Error::into_response);
        if response.status() == StatusCode::SWITCHING_PROTOCOLS {
            self.activity.upgraded();
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
mod tests {
    use std::{
        io::{Read as _, Write as _},
        net::TcpStream as Client,
        thread::JoinHandle,
    };

    use poem::{Request, endpoint::make};
    use tokio::sync::oneshot;

    use super::*;

    /// A server on a thread of its own; stopped, and waited for, when it is dropped.
    struct Running {
        address: SocketAddr,
        stop: Option<oneshot::Sender<()>>,
        thread: Option<JoinHandle<()>>,
    }

    impl Running {
        fn start(limits: Limits, trusted: &[&str]) -> Self {
            let trusted = trusted.iter().map(|network| network.parse().unwrap()).collect();
            let (tell, address) = std::sync::mpsc::channel();
            let (stop, stopped) = oneshot::channel();
            let thread = std::thread::spawn(move || {
                tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async move {
                    let server = Server::bind(([127, 0, 0, 1], 0).into(), limits, trusted).await.unwrap();
                    tell.send(server.address().unwrap()).unwrap();
                    server.serve(make(answer), async { drop(stopped.await) }).await;
                });
            });
            Self { address: address.recv().unwrap(), stop: Some(stop), thread: Some(thread) }
        }

        fn connect(&self) -> Client {
            let client = Client::connect(self.address).unwrap();
            client.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
            client
        }

        fn stop(&mut self) {
            if let Some(stop) = self.stop.take() {
                stop.send(()).unwrap();
            }
            if let Some(thread) = self.thread.take() {
                thread.join().unwrap();
            }
        }
    }

    impl Drop for Running {
        fn drop(&mut self) {
            self.stop();
        }
    }

    /// What the test server does: `/echo` the body, `/large` more than any socket buffers, `/refuse`
    /// without reading the body, `/panic`.
    async fn answer(mut request: Request) -> poem::Result<Response> {
        Ok(match request.uri().path() {
            "/echo" => request.take_body().into_bytes().await?.into(),
            "/large" => Bytes::from(vec![b'x'; 64 << 20]).into(),
            "/refuse" => StatusCode::PAYLOAD_TOO_LARGE.into(),
            "/panic" => panic!("on purpose"),
            _ => "hello".into(),
        })
    }

    fn limits() -> Limits {
        Limits { stop: Duration::from_millis(300), ..Limits::default() }
    }

    fn short(change: impl FnOnce(&mut Limits, Duration)) -> Limits {
        let mut limits = limits();
        change(&mut limits, Duration::from_millis(200));
        limits
    }

    fn read_until_closed(client: &mut Client) -> String {
        let mut all = Vec::new();
        match client.read_to_end(&mut all) {
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::ConnectionReset => {}
            Err(error) => panic!("the server did not close: {error}"),
        }
        String::from_utf8_lossy(&all).into_owned()
    }

    /// Reads one answer with a Content-Length.
    fn read_answer(client: &mut Client) -> String {
        let mut text = String::new();
        let mut byte = [0];
        while !text.ends_with("\r\n\r\n") {
            client.read_exact(&mut byte).unwrap();
            text.push(char::from(byte[0]));
        }
        let length = text
            .lines()
            .find_map(|line| line.to_ascii_lowercase().strip_prefix("content-length: ")?.parse::<usize>().ok())
            .unwrap_or_default();
        let mut body = vec![0; length];
        client.read_exact(&mut body).unwrap();
        text + &String::from_utf8(body).unwrap()
    }

    #[test]
    fn several_requests_pass_over_one_connection_without_delay() {
        let server = Running::start(limits(), &[]);
        let mut client = server.connect();
        for _ in 0..3 {
            client.write_all(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n").unwrap();
            let answer = read_answer(&mut client);
            assert!(answer.starts_with("HTTP/1.1 200") && answer.ends_with("hello"), "{answer}");
        }
        client.write_all(b"POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc").unwrap();
        assert!(read_answer(&mut client).ends_with("abc"));
    }

    #[test]
    fn http2_is_spoken_on_the_same_port() {
        let server = Running::start(limits(), &[]);
        let mut client = server.connect();
        client.write_all(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\x00\x00\x00\x04\x00\x00\x00\x00\x00").unwrap();
        let mut head = [0; 9];
        client.read_exact(&mut head).unwrap();
        assert_eq!(head[3], 4, "the first frame is SETTINGS");
    }

    #[test]
    fn a_client_that_sends_nothing_or_half_a_head_is_dropped() {
        let server = Running::start(short(|limits, time| limits.header_timeout = time), &[]);
        for sent in ["", "G", "GET / HTTP/1.1\r\nHost: a\r\nX-Slow: ", "PRI * HTTP/2.0\r\n"] {
            let mut client = server.connect();
            client.write_all(sent.as_bytes()).unwrap();
            let answer = read_until_closed(&mut client);
            assert!(!answer.contains("200"), "{sent:?} was answered {answer:?}");
        }
    }

    #[test]
    fn half_a_second_head_on_a_kept_connection_is_dropped() {
        let server = Running::start(short(|limits, time| limits.header_timeout = time), &[]);
        let mut client = server.connect();
        client.write_all(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n").unwrap();
        assert!(read_answer(&mut client).ends_with("hello"));
        client.write_all(b"GET / HTTP").unwrap();
        assert!(!read_until_closed(&mut client).contains("200"));
    }

    #[test]
    fn an_idle_connection_is_closed() {
        let server = Running::start(short(|limits, time| limits.keep_alive = time), &[]);
        let mut client = server.connect();
        client.write_all(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n").unwrap();
        assert!(read_until_closed(&mut client).ends_with("hello"));
    }

    #[test]
    fn an_idle_http2_connection_is_closed() {
        let server = Running::start(short(|limits, time| limits.header_timeout = time), &[]);
        let mut client = server.connect();
        client.write_all(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\x00\x00\x00\x04\x00\x00\x00\x00\x00").unwrap();
        read_until_closed(&mut client);
    }

    #[test]
    fn a_client_that_does_not_read_is_dropped() {
        let server = Running::start(short(|limits, time| limits.write_stall = time), &[]);
        let mut client = server.connect();
        client.write_all(b"GET /large HTTP/1.1\r\nHost: a\r\n\r\n").unwrap();
        // The second request is only taken up once the first answer is sent, which it never is: the
        // peer's close shows as an error of writing, without reading.
        let mut sent = 0_u64;
        while client.write_all(&[b'x'; 4096]).is_ok() {
            sent += 4096;
            assert!(sent < 1 << 40, "never closed");
        }
    }

    #[test]
    fn one_address_has_its_limit_of_connections_and_gets_them_back() {
        let server = Running::start(Limits { connections_per_address: 2, ..limits() }, &[]);
        let mut first = server.connect();
        let mut second = server.connect();
        for client in [&mut first, &mut second] {
            client.write_all(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n").unwrap();
            assert!(read_answer(client).ends_with("hello"));
        }
        assert_eq!(read_until_closed(&mut server.connect()), "");
        first.write_all(b"GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n").unwrap();
        assert!(read_until_closed(&mut first).ends_with("hello"));
        drop(first);
        // The place is free once the server has seen the end: try until it is.
        let free_again = (0..1000).any(|_| {
            let mut client = server.connect();
            client.write_all(b"GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n").is_ok()
                && read_until_closed(&mut client).ends_with("hello")
        });
        assert!(free_again);
    }

    #[test]
    fn a_trusted_proxy_has_no_limit_of_connections() {
        let server = Running::start(Limits { connections_per_address: 1, ..limits() }, &["127.0.0.0/8"]);
        let mut clients: Vec<Client> = (0..8).map(|_| server.connect()).collect();
        for client in &mut clients {
            client.write_all(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n").unwrap();
            assert!(read_answer(client).ends_with("hello"));
        }
    }

    #[test]
    fn a_refused_body_does_not_hide_the_answer() {
        let server = Running::start(limits(), &[]);
        let mut client = server.connect();
        client.write_all(b"POST /refuse HTTP/1.1\r\nHost: a\r\nContent-Length: 8388608\r\n\r\n").unwrap();
        client.write_all(&vec![b'x'; 8 << 20]).unwrap();
        assert!(read_until_closed(&mut client).starts_with("HTTP/1.1 413"));
    }

    #[test]
    fn a_panic_ends_its_connection_only() {
        let server = Running::start(limits(), &[]);
        let mut client = server.connect();
        client.write_all(b"GET /panic HTTP/1.1\r\nHost: a\r\n\r\n").unwrap();
        assert_eq!(read_until_closed(&mut client), "");
        let mut client = server.connect();
        client.write_all(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n").unwrap();
        assert!(read_answer(&mut client).ends_with("hello"));
    }

    #[test]
    fn a_stop_closes_idle_connections_and_finishes_requests() {
        let mut server = Running::start(Limits { stop: Duration::from_mins(1), ..limits() }, &[]);
        let mut idle = server.connect();
        idle.write_all(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n").unwrap();
        assert!(read_answer(&mut idle).ends_with("hello"));
        let mut under_way = server.connect();
        under_way
            .write_all(b"POST /echo HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n")
            .unwrap();
        assert!(read_answer(&mut under_way).starts_with("HTTP/1.1 100"));
        server.stop.take().unwrap().send(()).unwrap();
        assert_eq!(read_until_closed(&mut idle), "");
        under_way.write_all(b"abc").unwrap();
        assert!(read_until_closed(&mut under_way).ends_with("abc"));
        server.stop();
        assert!(Client::connect(server.address).is_err());
    }

    #[test]
    fn a_stop_does_not_wait_longer_than_its_limit() {
        let mut server = Running::start(limits(), &[]);
        let mut hanging = server.connect();
        hanging
            .write_all(b"POST /echo HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n")
            .unwrap();
        assert!(read_answer(&mut hanging).starts_with("HTTP/1.1 100"));
        server.stop();
        assert_eq!(read_until_closed(&mut hanging), "");
    }

    #[test]
    fn ipv6_clients_are_counted_by_their_network() {
        let same: [IpAddr; 2] = ["2001:db8:1:2::1".parse().unwrap(), "2001:db8:1:2:ffff::9".parse().unwrap()];
        assert_eq!(block(same[0]), block(same[1]));
        assert_ne!(block(same[0]), block("2001:db8:1:3::1".parse().unwrap()));
        assert_eq!(block("::ffff:10.0.0.1".parse().unwrap()), block("10.0.0.1".parse().unwrap()));
    }
}
