//! The accept loop over real sockets.

use std::{
    io::{Read as _, Write as _},
    net::TcpStream as Client,
    thread::JoinHandle,
};

use poem::{Request, endpoint::make};
use tokio::sync::oneshot;

use super::*;

/// A server on its own thread. Dropping it stops the server and waits for the thread.
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
                let listener = Listener::bind(&SocketAddr::from(([127, 0, 0, 1], 0)).into()).await.unwrap();
                let server = Server::new(&listener, limits, trusted).unwrap();
                tell.send(listener.address().unwrap().local().unwrap()).unwrap();
                drop(listener);
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

/// The endpoint of the test server: `/echo` returns the body, `/large` sends more than any socket buffers, `/refuse`
/// does not read the body, `/panic` panics.
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

fn short_limits(change: impl FnOnce(&mut Limits, Duration)) -> Limits {
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

/// Reads one response with a Content-Length.
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
fn serves_several_requests_on_one_connection() {
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
fn serves_http2_on_the_same_port() {
    let server = Running::start(limits(), &[]);
    let mut client = server.connect();
    client.write_all(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\x00\x00\x00\x04\x00\x00\x00\x00\x00").unwrap();
    let mut head = [0; 9];
    client.read_exact(&mut head).unwrap();
    assert_eq!(head[3], 4, "the first frame is SETTINGS");
}

#[test]
fn a_client_that_sends_nothing_or_half_a_head_is_dropped() {
    let server = Running::start(short_limits(|limits, time| limits.header_timeout = time), &[]);
    for sent in ["", "G", "GET / HTTP/1.1\r\nHost: a\r\nX-Slow: ", "PRI * HTTP/2.0\r\n"] {
        let mut client = server.connect();
        client.write_all(sent.as_bytes()).unwrap();
        let answer = read_until_closed(&mut client);
        assert!(!answer.contains("200"), "{sent:?} was answered {answer:?}");
    }
}

#[test]
fn drops_a_kept_alive_connection_that_sends_half_a_head() {
    let server = Running::start(short_limits(|limits, time| limits.header_timeout = time), &[]);
    let mut client = server.connect();
    client.write_all(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n").unwrap();
    assert!(read_answer(&mut client).ends_with("hello"));
    client.write_all(b"GET / HTTP").unwrap();
    assert!(!read_until_closed(&mut client).contains("200"));
}

#[test]
fn an_idle_connection_is_closed() {
    let server = Running::start(short_limits(|limits, time| limits.keep_alive = time), &[]);
    let mut client = server.connect();
    client.write_all(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n").unwrap();
    assert!(read_until_closed(&mut client).ends_with("hello"));
}

#[test]
fn an_idle_http2_connection_is_closed() {
    let server = Running::start(short_limits(|limits, time| limits.header_timeout = time), &[]);
    let mut client = server.connect();
    client.write_all(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\x00\x00\x00\x04\x00\x00\x00\x00\x00").unwrap();
    read_until_closed(&mut client);
}

#[test]
fn a_client_that_does_not_read_is_dropped() {
    let server = Running::start(short_limits(|limits, time| limits.write_stall = time), &[]);
    let mut client = server.connect();
    client.write_all(b"GET /large HTTP/1.1\r\nHost: a\r\n\r\n").unwrap();
    // The server reads the second request only after the first response is sent, which never happens: the client's
    // close is found by a write error, without a read.
    let mut sent = 0_u64;
    while client.write_all(&[b'x'; 4096]).is_ok() {
        sent += 4096;
        assert!(sent < 1 << 40, "never closed");
    }
}

#[test]
fn limits_connections_per_address_and_frees_closed_ones() {
    let server = Running::start(Limits { connections_per_address: 2, ..limits() }, &[]);
    let mut first = server.connect();
    let mut second = server.connect();
    for client in [&mut first, &mut second] {
        client.write_all(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n").unwrap();
        assert!(read_answer(client).ends_with("hello"));
    }
    let mut third = server.connect();
    third.write_all(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n").unwrap();
    let refused = read_until_closed(&mut third);
    assert!(refused.starts_with("HTTP/1.1 503 ") && refused.contains("retry-after: 1\r\n"), "{refused}");
    assert!(refused.contains("\"busy\"") && refused.contains("x-request-id: "), "{refused}");
    first.write_all(b"GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n").unwrap();
    assert!(read_until_closed(&mut first).ends_with("hello"));
    drop(first);
    // The slot is free once the server has seen the close: retry until then.
    let free_again = (0..1000).any(|_| {
        let mut client = server.connect();
        client.write_all(b"GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n").is_ok()
            && read_until_closed(&mut client).ends_with("hello")
    });
    assert!(free_again);
}

#[test]
fn returns_503_beyond_the_total_connection_limit() {
    let server = Running::start(Limits { connections: 1, ..limits() }, &[]);
    let mut first = server.connect();
    first.write_all(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n").unwrap();
    assert!(read_answer(&mut first).ends_with("hello"));
    let mut second = server.connect();
    second.write_all(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n").unwrap();
    assert!(read_until_closed(&mut second).starts_with("HTTP/1.1 503 "));
}

#[test]
fn drops_a_client_below_the_minimum_read_rate() {
    let limits = short_limits(|limits, time| (limits.write_stall, limits.body_rate) = (time * 5, 1 << 30));
    let server = Running::start(limits, &[]);
    let mut client = server.connect();
    client.write_all(b"GET /large HTTP/1.1\r\nHost: a\r\n\r\n").unwrap();
    let mut all = 0;
    let mut piece = vec![0; 32 << 10];
    // The client never stops reading, but reads at a tenth of the required rate.
    while let Ok(count @ 1..) = client.read(&mut piece) {
        all += count;
        std::thread::sleep(Duration::from_millis(2));
    }
    assert!(all < 64 << 20, "it was given everything");
}

#[test]
fn rejects_head_lines_that_do_not_end_with_crlf() {
    let server = Running::start(limits(), &[]);
    for head in
        ["GET / HTTP/1.1\nHost: a\n\n", "GET / HTTP/1.1\r\nHost: a\nX: b\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\n\n"]
    {
        for before in ["", "GET / HTTP/1.1\r\nHost: a\r\n\r\n"] {
            let mut client = server.connect();
            if !before.is_empty() {
                client.write_all(before.as_bytes()).unwrap();
                assert!(read_answer(&mut client).ends_with("hello"));
            }
            client.write_all(head.as_bytes()).unwrap();
            let answer = read_answer(&mut client);
            assert!(answer.starts_with("HTTP/1.1 400 "), "{head:?}: {answer}");
        }
        // Sent at once behind another request, with and without a body (F-S5).
        let chunked = "POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n\n\r\n0\r\n\r\n";
        let sized = "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n\n\n";
        for before in ["GET / HTTP/1.1\r\nHost: a\r\n\r\n", chunked, sized] {
            let mut client = server.connect();
            client.write_all(format!("{before}{head}").as_bytes()).unwrap();
            let answers = read_until_closed(&mut client);
            assert_eq!(answers.matches("HTTP/1.1 200 ").count(), 1, "{before:?} {head:?}: {answers}");
        }
    }
    let mut client = server.connect();
    client.write_all(b"\r\nPOST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\na\nb\n\n").unwrap();
    assert!(read_answer(&mut client).ends_with("a\nb\n\n"), "a body is not looked at");
}

#[test]
fn trusted_proxy_has_no_connection_limit() {
    let server = Running::start(Limits { connections_per_address: 1, ..limits() }, &["127.0.0.0/8"]);
    let mut clients: Vec<Client> = (0..8).map(|_| server.connect()).collect();
    for client in &mut clients {
        client.write_all(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n").unwrap();
        assert!(read_answer(client).ends_with("hello"));
    }
}

#[test]
fn response_to_a_rejected_body_reaches_the_client() {
    let server = Running::start(limits(), &[]);
    let mut client = server.connect();
    client.write_all(b"POST /refuse HTTP/1.1\r\nHost: a\r\nContent-Length: 8388608\r\n\r\n").unwrap();
    client.write_all(&vec![b'x'; 8 << 20]).unwrap();
    assert!(read_until_closed(&mut client).starts_with("HTTP/1.1 413"));
}

#[test]
fn panic_closes_only_its_own_connection() {
    let server = Running::start(limits(), &[]);
    let mut client = server.connect();
    client.write_all(b"GET /panic HTTP/1.1\r\nHost: a\r\n\r\n").unwrap();
    assert_eq!(read_until_closed(&mut client), "");
    let mut client = server.connect();
    client.write_all(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n").unwrap();
    assert!(read_answer(&mut client).ends_with("hello"));
}

#[test]
fn shutdown_closes_idle_connections_and_finishes_requests() {
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
fn shutdown_does_not_wait_longer_than_its_limit() {
    let mut server = Running::start(limits(), &[]);
    let mut hanging = server.connect();
    hanging.write_all(b"POST /echo HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n").unwrap();
    assert!(read_answer(&mut hanging).starts_with("HTTP/1.1 100"));
    server.stop();
    assert_eq!(read_until_closed(&mut hanging), "");
}

#[test]
fn ipv6_clients_are_counted_by_their_network() {
    let same: [IpAddr; 2] = ["2001:db8:1:2::1".parse().unwrap(), "2001:db8:1:2:ffff::9".parse().unwrap()];
    assert_eq!(address_block(same[0]), address_block(same[1]));
    assert_ne!(address_block(same[0]), address_block("2001:db8:1:3::1".parse().unwrap()));
    assert_eq!(address_block("::ffff:10.0.0.1".parse().unwrap()), address_block("10.0.0.1".parse().unwrap()));
}

#[test]
fn malformed_head_gets_a_regular_error_response() {
    let server = Running::start(limits(), &[]);
    let long = format!("GET / HTTP/1.1\r\nHost: a\r\nX-Long: {}\r\n\r\n", "x".repeat(MAX_HEAD_BYTES));
    let good = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
    for (before, head, status) in
        [(false, "NONSENSE\r\n\r\n", 400), (false, &long, 431), (true, "GET / HTTP/1.1\r\nbad header\r\n\r\n", 400)]
    {
        let mut client = server.connect();
        if before {
            client.write_all(good.as_bytes()).unwrap();
            assert!(read_answer(&mut client).ends_with("hello"));
        }
        client.write_all(head.as_bytes()).unwrap();
        let answer = read_answer(&mut client);
        assert!(answer.starts_with(&format!("HTTP/1.1 {status} ")), "{answer}");
        for said in ["x-content-type-options: nosniff", "content-security-policy: ", "x-request-id: ", "no-store"] {
            assert!(answer.contains(said), "{said}: {answer}");
        }
        let body: serde_json::Value = serde_json::from_str(answer.split("\r\n\r\n").nth(1).unwrap()).unwrap();
        assert!(body["error"]["message"].is_string() && body["error"]["requestId"].is_string(), "{body}");
    }
}
