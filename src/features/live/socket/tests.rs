//! One socket on its own, without a network.

use poem::{Request, RequestBody};
use poem_openapi::{ApiExtractor, ExtractParamOptions};
use serde_json::Value;
use tokio::io::DuplexStream;

use super::*;
use crate::{
    people::permission::Role as MailContext,
    testing::{As, TestApp},
};

const HOUR: i64 = 3_600_000;
/// The number of first frames: `hello` and `presence.all`.
const GREETING: usize = 2;

#[tokio::test]
async fn who_does_not_read_is_given_up_and_nothing_is_kept_for_them() {
    let (ours, theirs) = tokio::io::duplex(1024);
    let mut socket = Socket::new(ours).await;
    let frame = Bytes::from("x".repeat(4096));
    let said = socket.say(vec![frame; 100]).await;
    assert!(matches!(said, Err(Stop::Because(Ending::TooSlow))));
    assert_eq!(Ending::TooSlow as u16, 4408);
    socket.close(Ending::TooSlow).await;
    drop(theirs);
}

#[tokio::test]
async fn a_client_may_say_twenty_frames_a_second() {
    let (ours, _theirs) = tokio::io::duplex(1024);
    let mut socket = Socket::new(ours).await;
    let allowed = (0..PER_SECOND * 2).filter(|_| socket.allow().is_ok()).count();
    assert!((20..=21).contains(&allowed), "{allowed}");
    socket.allowance.1 -= Duration::from_secs(3);
    let allowed = (0..PER_SECOND * 2).filter(|_| socket.allow().is_ok()).count();
    assert!((20..=21).contains(&allowed), "what was not used is not saved up: {allowed}");
}

/// A member's socket, and its client.
struct Line {
    socket: Socket<DuplexStream>,
    client: WebSocketStream<DuplexStream>,
    member: Member<OwnData>,
    channel: TenantChannel,
}

impl Line {
    async fn of(app: &TestApp, who: &As) -> Self {
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
    async fn heard(self, once: impl FnOnce()) -> Vec<Message> {
        let Self { mut socket, mut client, member, channel } = self;
        let serving = async move { socket.serve(&member, &channel, None, None).await };
        let hearing = async {
            let mut heard = Vec::new();
            let mut once = Some(once);
            while let Some(Ok(message)) = client.next().await {
                heard.push(message);
                if let Some(once) = once.take_if(|_| heard.len() == GREETING) {
                    once();
                }
            }
            heard
        };
        tokio::join!(serving, hearing).1
    }
}

#[tokio::test]
async fn who_answers_is_asked_again_and_who_does_not_is_let_go_the_next_time() {
    let app = TestApp::new().await;
    let ada = app.acme(MailContext::Member).await;
    let Line { mut socket, mut client, member, channel } = Line::of(&app, &ada).await;
    for _ in 0..3 {
        assert!(socket.look(&member).await.is_ok());
        // Reading the ping answers it.
        assert!(matches!(client.next().await, Some(Ok(Message::Ping(_)))));
        client.flush().await.unwrap();
        let pong = socket.stream.next().await;
        assert!(matches!(pong, Some(Ok(Message::Pong(_)))));
        assert!(socket.take(pong, &member, &channel).is_ok());
    }
    assert!(socket.look(&member).await.is_ok());
    assert!(matches!(socket.look(&member).await, Err(Stop::Gone)));
}

#[tokio::test]
async fn who_is_gone_without_a_word_is_asked_once_and_let_go() {
    assert_eq!(HEARTBEAT, Duration::from_secs(25), "docs/socket.md");
    let app = TestApp::new().await;
    let ada = app.acme(MailContext::Member).await;
    let Line { mut socket, mut client, member, channel } = Line::of(&app, &ada).await;
    socket.heartbeat = Duration::from_millis(10);
    // The client does not read.
    socket.serve(&member, &channel, None, None).await;
    drop(socket);
    let mut sent = Vec::new();
    while let Some(Ok(message)) = client.next().await {
        sent.push(message);
    }
    assert!(matches!(&sent[GREETING..], [Message::Ping(_)]), "{sent:?}");
}

#[tokio::test]
async fn what_the_clock_ends_is_found_at_the_next_heartbeat_without_a_word_of_anybody() {
    for (hours, reason, code) in [(1, "locked", 4423), (24, "ended", 4401)] {
        let app = TestApp::new().await;
        let ada = app.acme(MailContext::Member).await;
        let mut line = Line::of(&app, &ada).await;
        line.socket.heartbeat = Duration::from_millis(10);
        line.socket.active = false;
        let heard = line.heard(|| app.clock.advance(hours * HOUR)).await;
        let words: Vec<&Message> = heard[GREETING..].iter().filter(|message| !message.is_ping()).collect();
        let [Message::Text(last), Message::Close(Some(close))] = words[..] else { panic!("{words:?}") };
        let last: Value = serde_json::from_str(last).unwrap();
        assert_eq!((last["type"].as_str(), last["data"]["reason"].as_str()), (Some("session.ended"), Some(reason)));
        assert_eq!(u16::from(close.code), code);
    }
}
