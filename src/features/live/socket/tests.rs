//! One socket on its own, without a network.

use poem::{Request, RequestBody};
use poem_openapi::{ApiExtractor, ExtractParamOptions};
use serde_json::Value;
use tokio::io::DuplexStream;

use super::*;
use crate::{
    people::permission::Role as MemberRole,
    testing::{As, TestApp},
};

const HOUR: i64 = 3_600_000;
/// The number of first frames: `hello` and `presence.all`.
const GREETING_FRAMES: usize = 2;

#[tokio::test]
async fn closes_a_client_that_does_not_read() {
    let (ours, theirs) = tokio::io::duplex(1024);
    let mut socket = Socket::new(ours).await;
    let frame = Bytes::from("x".repeat(4096));
    let sent = socket.send_frames(vec![frame; 100]).await;
    assert!(matches!(sent, Err(SocketEnd::Closed(CloseReason::TooSlow))));
    assert_eq!(CloseReason::TooSlow as u16, 4408);
    socket.close(CloseReason::TooSlow).await;
    drop(theirs);
}

#[tokio::test]
async fn client_may_send_twenty_frames_per_second() {
    let (ours, _theirs) = tokio::io::duplex(1024);
    let mut socket = Socket::new(ours).await;
    let allowed = (0..FRAMES_PER_SECOND * 2).filter(|_| socket.check_rate().is_ok()).count();
    assert!((20..=21).contains(&allowed), "{allowed}");
    socket.allowance.1 -= Duration::from_secs(3);
    let allowed = (0..FRAMES_PER_SECOND * 2).filter(|_| socket.check_rate().is_ok()).count();
    assert!((20..=21).contains(&allowed), "the allowance does not add up: {allowed}");
}

/// A member's socket, and its client.
struct SocketPair {
    socket: Socket<DuplexStream>,
    client: WebSocketStream<DuplexStream>,
    member: Member<OwnData>,
    channel: TenantChannel,
}

impl SocketPair {
    async fn open(app: &TestApp, who: &As) -> Self {
        let bearer = format!("Bearer {}", who.token());
        let mut request = Request::builder().header("authorization", bearer).finish();
        request.set_data(app.app.auth().clone());
        let mut body = RequestBody::default();
        let member = Member::from_request(&request, &mut body, ExtractParamOptions::default()).await.unwrap();
        let channel = member.connection().subscribe(false).unwrap();
        let (ours, theirs) = tokio::io::duplex(64 << 10);
        let client = WebSocketStream::from_raw_socket(theirs, Role::Client, None).await;
        Self { socket: Socket::new(ours).await, client, member, channel }
    }

    /// Serves until the socket ends. Returns what the client received; it answers pings and sends nothing else. `once`
    /// is called after the first frames.
    async fn received(self, once: impl FnOnce()) -> Vec<Message> {
        let Self { mut socket, mut client, member, channel } = self;
        let server = async move { socket.serve(&member, &channel, None, None).await };
        let received = async {
            let mut messages = Vec::new();
            let mut once = Some(once);
            while let Some(Ok(message)) = client.next().await {
                messages.push(message);
                if let Some(once) = once.take_if(|_| messages.len() == GREETING_FRAMES) {
                    once();
                }
            }
            messages
        };
        tokio::join!(server, received).1
    }
}

#[tokio::test]
async fn closes_when_a_ping_was_not_answered_by_the_next() {
    let app = TestApp::new().await;
    let ada = app.acme(MemberRole::Member).await;
    let SocketPair { mut socket, mut client, member, channel } = SocketPair::open(&app, &ada).await;
    for _ in 0..3 {
        assert!(socket.check_and_ping(&member).await.is_ok());
        // Reading the ping answers it.
        assert!(matches!(client.next().await, Some(Ok(Message::Ping(_)))));
        client.flush().await.unwrap();
        let pong = socket.stream.next().await;
        assert!(matches!(pong, Some(Ok(Message::Pong(_)))));
        assert!(socket.handle_message(pong, &member, &channel).is_ok());
    }
    assert!(socket.check_and_ping(&member).await.is_ok());
    assert!(matches!(socket.check_and_ping(&member).await, Err(SocketEnd::Disconnected)));
}

#[tokio::test]
async fn closes_a_silent_client_after_one_ping() {
    assert_eq!(HEARTBEAT, Duration::from_secs(25), "docs/socket.md");
    let app = TestApp::new().await;
    let ada = app.acme(MemberRole::Member).await;
    let SocketPair { mut socket, mut client, member, channel } = SocketPair::open(&app, &ada).await;
    socket.heartbeat = Duration::from_millis(10);
    // The client does not read.
    socket.serve(&member, &channel, None, None).await;
    drop(socket);
    let mut sent = Vec::new();
    while let Some(Ok(message)) = client.next().await {
        sent.push(message);
    }
    assert!(matches!(&sent[GREETING_FRAMES..], [Message::Ping(_)]), "{sent:?}");
}

#[tokio::test]
async fn expiry_and_idle_lock_take_effect_at_the_next_heartbeat() {
    for (hours, reason, code) in [(1, "locked", 4423), (24, "ended", 4401)] {
        let app = TestApp::new().await;
        let ada = app.acme(MemberRole::Member).await;
        let mut pair = SocketPair::open(&app, &ada).await;
        pair.socket.heartbeat = Duration::from_millis(10);
        pair.socket.is_active = false;
        let received = pair.received(|| app.clock.advance(hours * HOUR)).await;
        let messages: Vec<&Message> = received[GREETING_FRAMES..].iter().filter(|message| !message.is_ping()).collect();
        let [Message::Text(last), Message::Close(Some(close))] = messages[..] else { panic!("{messages:?}") };
        let last: Value = serde_json::from_str(last).unwrap();
        assert_eq!((last["type"].as_str(), last["data"]["reason"].as_str()), (Some("session.ended"), Some(reason)));
        assert_eq!(u16::from(close.code), code);
    }
}
