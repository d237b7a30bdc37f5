//! One open WebSocket: sends its member's frames, handles theirs, and ends with their session.

use std::{future::pending, time::Duration};

use bytes::Bytes;
use futures_util::{SinkExt, StreamExt};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    sync::watch,
    time::{Instant, MissedTickBehavior, interval_at, timeout},
};
use tokio_tungstenite::{
    WebSocketStream,
    tungstenite::{
        self, Message, Utf8Bytes,
        protocol::{CloseFrame, Role, WebSocketConfig, frame::coding::CloseCode},
    },
};

use super::{
    client_frames,
    frame_builder::{encode, resync_frame},
    frames::{ClientFrame, Hello, HelloFrame, ServerFrame, SessionEnded, SessionEndedFrame},
};
use crate::{
    access::Member,
    kernel::{Code, Error},
    live::{Subscription, TenantChannel},
    people::permission::OwnData,
};

/// The longest frame, in bytes.
const MAX_FRAME_BYTES: usize = 64 << 10;
/// Size of a socket's read buffer in bytes; tungstenite's default takes 128 KiB for each socket.
const READ_BUFFER_BYTES: usize = 4 << 10;
/// Frames that a client may send in a second.
pub(super) const FRAMES_PER_SECOND: u32 = 20;
/// Time between pings; the client must answer one before the next. The interface notices silence by its own
/// `silenceMs`, and a shorter idle time of a proxy closes the socket.
const HEARTBEAT: Duration = Duration::from_secs(25);
/// How long a send may take before the client counts as too slow.
const SEND_TIMEOUT: Duration = Duration::from_millis(if cfg!(test) { 300 } else { 5_000 });
/// How long the client has to answer a close frame.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(1);

/// Close codes of the socket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u16)]
pub enum CloseReason {
    /// The server stops: the client connects again.
    Restart = 1012,
    /// The client sent an invalid frame.
    BadFrame = 4400,
    /// The session is over.
    SessionOver = 4401,
    /// The client does not read what is sent.
    TooSlow = 4408,
    /// The session is locked.
    Locked = 4423,
    /// Too many frames, or too many sockets.
    TooMany = 4429,
}

/// Why a socket ends: a close code of ours, the session's error, or a client that is gone.
enum SocketEnd {
    Closed(CloseReason),
    Session(Error),
    Disconnected,
}

impl From<CloseReason> for SocketEnd {
    fn from(reason: CloseReason) -> Self {
        Self::Closed(reason)
    }
}

/// A socket and the state of its client.
struct Socket<S> {
    stream: WebSocketStream<S>,
    /// Time between pings.
    heartbeat: Duration,
    /// The rate limit: frames that the client may still send, and the time of that count.
    allowance: (f64, Instant),
    /// Whether the client sent anything since the last ping.
    is_alive: bool,
    /// Whether the member is active at the device.
    is_active: bool,
}

/// Buffer and size limits of a socket.
fn socket_config() -> WebSocketConfig {
    WebSocketConfig::default()
        .read_buffer_size(READ_BUFFER_BYTES)
        .write_buffer_size(0)
        .max_write_buffer_size(2 * MAX_FRAME_BYTES)
        .max_message_size(Some(MAX_FRAME_BYTES))
        .max_frame_size(Some(MAX_FRAME_BYTES))
}

/// Closes a connection because there are too many sockets.
pub async fn refuse<S: AsyncRead + AsyncWrite + Unpin>(connection: S) {
    let mut socket = Socket::new(connection).await;
    socket.close(CloseReason::TooMany).await;
}

/// Serves a socket until it ends.
pub async fn serve<S: AsyncRead + AsyncWrite + Unpin>(
    connection: S,
    member: Member<OwnData>,
    channel: TenantChannel,
    after: Option<u64>,
    stopping: Option<watch::Receiver<bool>>,
) {
    Socket::new(connection).await.serve(&member, &channel, after, stopping).await;
}

impl<S: AsyncRead + AsyncWrite + Unpin> Socket<S> {
    async fn new(connection: S) -> Self {
        let stream = WebSocketStream::from_raw_socket(connection, Role::Server, Some(socket_config())).await;
        let allowance = (f64::from(FRAMES_PER_SECOND), Instant::now());
        Self { stream, heartbeat: HEARTBEAT, allowance, is_alive: true, is_active: true }
    }

    async fn serve(
        &mut self,
        member: &Member<OwnData>,
        channel: &TenantChannel,
        after: Option<u64>,
        stopping: Option<watch::Receiver<bool>>,
    ) {
        match self.run(member, channel, after, stopping).await {
            SocketEnd::Disconnected => {}
            SocketEnd::Closed(reason) => self.close(reason).await,
            SocketEnd::Session(error) => {
                let data = SessionEnded { reason: member.connection().end_reason(&error).into() };
                let frame = ServerFrame::SessionEnded(SessionEndedFrame { id: channel.ledger_seq(), data });
                let sent = timeout(CLOSE_TIMEOUT, self.send_frames(vec![encode(&frame)])).await;
                if matches!(sent, Ok(Ok(()))) {
                    let locked = error.code() == Code::SessionLocked;
                    self.close(if locked { CloseReason::Locked } else { CloseReason::SessionOver }).await;
                }
            }
        }
    }

    async fn run(
        &mut self,
        member: &Member<OwnData>,
        channel: &TenantChannel,
        after: Option<u64>,
        stopping: Option<watch::Receiver<bool>>,
    ) -> SocketEnd {
        let mut heartbeat = interval_at(Instant::now() + self.heartbeat, self.heartbeat);
        heartbeat.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut closed = Box::pin(member.connection().closed());
        let mut stopped = Box::pin(async move {
            match stopping {
                Some(mut stopping) => drop(stopping.wait_for(|stop| *stop).await),
                None => pending().await,
            }
        });
        let mut frame_seq = match self.greet(member, channel, after).await {
            Ok(frame_seq) => frame_seq,
            Err(end) => return end,
        };
        loop {
            let outcome = tokio::select! {
                biased;
                error = &mut closed => return SocketEnd::Session(error),
                () = &mut stopped => return CloseReason::Restart.into(),
                _ = heartbeat.tick() => self.check_and_ping(member).await,
                () = channel.wait_for_frame(frame_seq) => self.send_new_frames(member, channel, &mut frame_seq).await,
                message = self.stream.next() => self.handle_message(message, member, channel),
            };
            if let Err(end) = outcome {
                return end;
            }
        }
    }

    /// Sends `hello`, the missed frames and `presence.all`. Returns the frame number to continue from.
    async fn greet(
        &mut self,
        member: &Member<OwnData>,
        channel: &TenantChannel,
        after: Option<u64>,
    ) -> Result<u64, SocketEnd> {
        let Subscription { at, frame_seq, resumed, frames } = channel.start(after);
        if channel.take_needs_check() {
            member.connection().check().map_err(SocketEnd::Session)?;
        }
        let data = Hello { session_id: member.session().uuid(), member_id: member.id(), at, resumed };
        let id = if resumed { after.unwrap_or(at) } else { at };
        let mut first = vec![encode(&ServerFrame::Hello(HelloFrame { id, data }))];
        first.extend(frames);
        first.push(channel.presence_all_frame(at));
        self.send_frames(first).await?;
        Ok(frame_seq)
    }

    /// Checks the session, and that the client answered the last ping.
    async fn check_and_ping(&mut self, member: &Member<OwnData>) -> Result<(), SocketEnd> {
        if self.is_active {
            member.connection().touch();
        }
        member.connection().check().map_err(SocketEnd::Session)?;
        if !std::mem::take(&mut self.is_alive) {
            return Err(SocketEnd::Disconnected);
        }
        self.send([Message::Ping(Bytes::new())]).await
    }

    /// Sends the frames after a frame number.
    async fn send_new_frames(
        &mut self,
        member: &Member<OwnData>,
        channel: &TenantChannel,
        frame_seq: &mut u64,
    ) -> Result<(), SocketEnd> {
        let batch = channel.next_frames(frame_seq);
        // After reading the frames: what ended the session has marked it for a check by then.
        if channel.take_needs_check() {
            member.connection().check().map_err(SocketEnd::Session)?;
        }
        let mut frames = batch.frames;
        if batch.resync {
            frames.push(encode(&resync_frame(batch.at)));
        }
        if batch.resync || batch.missed_transient {
            frames.push(channel.presence_all_frame(batch.at));
        }
        self.send_frames(frames).await
    }

    async fn send_frames(&mut self, frames: Vec<Bytes>) -> Result<(), SocketEnd> {
        // The server serialized the frames from text, so they are always valid UTF-8.
        self.send(frames.into_iter().filter_map(|frame| Utf8Bytes::try_from(frame).ok()).map(Message::Text)).await
    }

    async fn send(&mut self, messages: impl IntoIterator<Item = Message>) -> Result<(), SocketEnd> {
        for message in messages {
            let sent = timeout(SEND_TIMEOUT, self.stream.send(message)).await;
            sent.map_err(|_| SocketEnd::from(CloseReason::TooSlow))?.map_err(|_| SocketEnd::Disconnected)?;
        }
        Ok(())
    }

    /// Handles a message from the client.
    fn handle_message(
        &mut self,
        message: Option<Result<Message, tungstenite::Error>>,
        member: &Member<OwnData>,
        channel: &TenantChannel,
    ) -> Result<(), SocketEnd> {
        let text = match message {
            Some(Ok(Message::Text(text))) => text,
            // Pings and pongs are not frames, but count for the rate limit.
            Some(Ok(Message::Ping(_) | Message::Pong(_))) => return self.check_rate(),
            Some(Ok(Message::Binary(_) | Message::Frame(_))) => return Err(CloseReason::BadFrame.into()),
            Some(Err(tungstenite::Error::Capacity(_) | tungstenite::Error::Utf8(_))) => {
                return Err(CloseReason::BadFrame.into());
            }
            Some(Ok(Message::Close(_)) | Err(_)) | None => return Err(SocketEnd::Disconnected),
        };
        self.check_rate()?;
        match serde_json::from_str(&text).map_err(|_| SocketEnd::from(CloseReason::BadFrame))? {
            ClientFrame::Activity(frame) => {
                self.is_active = !frame.data.idle;
                channel.set_idle(frame.data.idle);
            }
            ClientFrame::Typing(frame) => client_frames::publish_typing(member, channel, &frame.data.chat_id),
            ClientFrame::Editing(frame) => {
                let records = client_frames::filter_edited(member, frame.data).ok_or(CloseReason::BadFrame)?;
                channel.set_edited(&records);
            }
        }
        Ok(())
    }

    /// Checks whether the client may send a frame now.
    fn check_rate(&mut self) -> Result<(), SocketEnd> {
        self.is_alive = true;
        let (left, since) = self.allowance;
        let now = Instant::now();
        let most = f64::from(FRAMES_PER_SECOND);
        let left = (left + (now - since).as_secs_f64() * most).min(most) - 1.0;
        self.allowance = (left, now);
        if left < 0.0 { Err(CloseReason::TooMany.into()) } else { Ok(()) }
    }

    /// Sends the close code, and waits briefly for the client's answer.
    async fn close(&mut self, reason: CloseReason) {
        let frame = CloseFrame { code: CloseCode::from(reason as u16), reason: Utf8Bytes::from_static("") };
        let closing = async {
            if self.stream.send(Message::Close(Some(frame))).await.is_ok() {
                while let Some(Ok(_)) = self.stream.next().await {}
            }
        };
        drop(timeout(CLOSE_TIMEOUT, closing).await);
    }
}

#[cfg(test)]
mod tests;
