//! Resource exhaustion tests: clients that never finish hold bounded resources, and other clients are served (threats
//! T-40 and T-41). They use real connections with HTTP/2, which allows many requests on one connection.

use std::{net::SocketAddr, time::Duration};

use bytes::Bytes;
use futures_util::future::join_all;
use h2::client::{Builder, SendRequest};
use http::Request;
use serde_json::json;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpSocket, TcpStream},
    task::JoinSet,
    time::timeout,
};

use crate::{
    config::Limits,
    people::permission::Role,
    testing::{As, PASSWORD, TestApp, served},
};

/// Longer than any working operation takes.
const PATIENCE: Duration = Duration::from_secs(20);

/// Opens an application that stops quickly in spite of unfinished requests.
async fn limited_app(change: impl FnOnce(&mut Limits)) -> TestApp {
    TestApp::with(|config| {
        config.limits.stop = Duration::from_millis(300);
        change(&mut config.limits);
    })
    .await
}

/// Opens a connection; its one task ends when the connection does.
async fn connect(address: SocketAddr, window: u32) -> (SendRequest<Bytes>, JoinSet<()>) {
    let stream = TcpStream::connect(address).await.unwrap();
    let (client, connection) = Builder::new().initial_window_size(window).handshake::<_, Bytes>(stream).await.unwrap();
    let mut task = JoinSet::new();
    task.spawn(async move { drop(connection.await) });
    (client, task)
}

/// Starts a request and sends as much of its body as the server accepts, but never the end. The body's stream is kept
/// open.
async fn unfinished(client: SendRequest<Bytes>, request: Request<()>, start: &str, length: usize) -> impl Sized {
    let mut rest = Bytes::from([start.as_bytes(), &vec![b'x'; length]].concat());
    let Ok(mut client) = client.ready().await else { return None };
    let Ok((answer, mut body)) = client.send_request(request, false) else { return None };
    while !rest.is_empty() {
        body.reserve_capacity(rest.len());
        let Some(Ok(room)) = std::future::poll_fn(|cx| body.poll_capacity(cx)).await else { break };
        if room > 0 && body.send_data(rest.split_to(room.min(rest.len())), false).is_err() {
            break;
        }
    }
    Some((client, answer, body))
}

/// Sends one request over its own connection, from another address than the attacker's; returns the status.
async fn from_elsewhere(address: SocketAddr, request: &[u8]) -> u16 {
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind("127.0.0.2:0".parse().unwrap()).unwrap();
    let mut stream = socket.connect(address).await.unwrap();
    stream.write_all(request).await.unwrap();
    let mut answer = Vec::new();
    timeout(PATIENCE, stream.read_to_end(&mut answer)).await.unwrap().unwrap();
    String::from_utf8_lossy(&answer).split(' ').nth(1).unwrap().parse().unwrap()
}

fn sign_in(address: SocketAddr) -> Vec<u8> {
    let body = json!({"email": "member@acme.example", "password": PASSWORD}).to_string();
    format!(
        "POST /api/auth/sign-in HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\
         Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    )
    .into_bytes()
}

const FORM: &str = "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.txt\"\r\n\r\n";

fn upload(address: SocketAddr, who: &As) -> Vec<u8> {
    let body = format!("{FORM}hello\r\n--b--\r\n");
    format!(
        "POST /api/files HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\nAuthorization: Bearer {}\r\n\
         Content-Type: multipart/form-data; boundary=b\r\nContent-Length: {}\r\n\r\n{body}",
        who.token(),
        body.len()
    )
    .into_bytes()
}

#[tokio::test]
async fn unfinished_anonymous_bodies_do_not_block_sign_in() {
    let app = limited_app(|limits| limits.body_grace = Duration::from_secs(2)).await;
    served(&app, |line| async move {
        let (client, _connection) = connect(line.address, 65_535).await;
        let begin = |length: usize| {
            let request = Request::post(format!("http://{}/api/auth/sign-in", line.address));
            let request = request.header("content-type", "application/json").body(()).unwrap();
            timeout(PATIENCE, unfinished(client.clone(), request, "", length))
        };
        // Bodies that are larger than the server accepts without a session, exactly as much as all may hold together,
        // and bodies as large as it accepts.
        for (count, length) in [(16, 1 << 20), (64, 64 << 10)] {
            let all = join_all((0..count).map(|_| begin(length)));
            let signing_in = async {
                for _ in 0..20 {
                    assert_eq!(from_elsewhere(line.address, &sign_in(line.address)).await, 200, "{length}");
                    tokio::time::sleep(Duration::from_millis(50)).await;
                }
            };
            let (held, ()) = tokio::join!(all, signing_in);
            assert!(held.iter().all(Result::is_ok), "each body was taken or refused");
        }
    })
    .await;
}

#[tokio::test]
async fn unfinished_uploads_of_one_member_do_not_block_other_members() {
    let app = limited_app(|_| {}).await;
    let eve = app.acme(Role::Member).await;
    let colleague = app.acme(Role::Admin).await;
    let stranger = app.other(Role::Member).await;
    served(&app, |line| async move {
        let (client, _connection) = connect(line.address, 65_535).await;
        let begin = || {
            let request = Request::post(format!("http://{}/api/files", line.address))
                .header("authorization", format!("Bearer {}", eve.token()))
                .header("content-type", "multipart/form-data; boundary=b");
            timeout(PATIENCE, unfinished(client.clone(), request.body(()).unwrap(), FORM, 5 << 20))
        };
        let held = join_all((0..32).map(|_| begin())).await;
        for who in [&colleague, &stranger] {
            assert_eq!(from_elsewhere(line.address, &upload(line.address, who)).await, 201);
        }
        drop(held);
    })
    .await;
}

#[tokio::test]
async fn drops_a_connection_that_does_not_read_its_responses() {
    let app = limited_app(|limits| limits.write_stall = Duration::from_millis(300)).await;
    served(&app, |line| async move {
        // A window of zero, and one that ends within the response.
        for window in [0, 20_000] {
            let (mut client, mut connection) = connect(line.address, window).await;
            let mut answers = Vec::new();
            for _ in 0..50 {
                let request = Request::get(format!("http://{}/api/openapi.json", line.address)).body(()).unwrap();
                client = client.ready().await.unwrap();
                answers.push(client.send_request(request, true).unwrap().0);
            }
            timeout(PATIENCE, connection.join_next()).await.expect("the connection is kept").unwrap().unwrap();
            drop(answers);
        }
        assert_eq!(from_elsewhere(line.address, &sign_in(line.address)).await, 200);
    })
    .await;
}

#[tokio::test]
async fn http_1_1_request_needs_exactly_one_host_header() {
    let app = TestApp::new().await;
    served(&app, |line| async move {
        let ask = |head: &'static [u8]| from_elsewhere(line.address, head);
        assert_eq!(ask(b"GET /health/live HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n").await, 200);
        assert_eq!(ask(b"GET /health/live HTTP/1.0\r\n\r\n").await, 200, "HTTP/1.0 has no hosts");
        assert_eq!(ask(b"GET /health/live HTTP/1.1\r\nConnection: close\r\n\r\n").await, 400);
        assert_eq!(ask(b"GET /health/live HTTP/1.1\r\nHost: a\r\nHost: b\r\nConnection: close\r\n\r\n").await, 400);
    })
    .await;
}
