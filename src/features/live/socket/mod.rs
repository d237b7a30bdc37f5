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
    frame_builder::{resync_frame, write},
    frames::{ClientFrame, Hello, HelloFrame, ServerFrame, SessionEnded, SessionEndedFrame},
};
use crate::{
    access::Member,
    kernel::{Code, Error},
    live::{Subscription, TenantChannel},
    people::permission::OwnData,
};

/// The longest frame, in bytes.
const LONGEST: usize = 64 << 10;
/// Size of a socket's read buffer in bytes; tungstenite's default takes 128 KiB for each socket.
const READ: usize = 4 << 10;
/// Frames that a client may send in a second.
pub(super) const PER_SECOND: u32 = 20;
/// Time between pings; the client must answer one before the next.
const HEARTBEAT: Duration = Duration::from_secs(25);
/// How long a send may take before the client counts as too slow.
const PATIENCE: Duration = Duration::from_millis(if cfg!(test) { 300 } else { 5_000 });
/// How long the client has to answer a close frame.
const GOODBYE: Duration = Duration::from_secs(1);

/// Close codes of the socket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u16)]
pub enum Ending {
    /// The server stops: the client connects again.
    Restart = 1012,
    /// The client sent an invalid frame.
    BadFrame = 4400,
    /// The session is over.
    Over = 4401,
    /// The client does not read what is sent.
    TooSlow = 4408,
    /// The session is locked.
    Locked = 4423,
    /// Too many frames, or too many sockets.
    TooMuch = 4429,
}

/// Why a socket ends: a close code of ours, the session's error, or a client that is gone.
enum Stop {
    Because(Ending),
    Session(Error),
    Gone,
}

impl From<Ending> for Stop {
    fn from(ending: Ending) -> Self {
        Self::Because(ending)
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
    alive: bool,
    /// Whether the member is active at the device.
    active: bool,
}

/// Buffer and size limits of a socket.
fn config() -> WebSocketConfig {
    WebSocketConfig::default()
        .read_buffer_size(READ)
        .write_buffer_size(0)
        .max_write_buffer_size(2 * LONGEST)
        .max_message_size(Some(LONGEST))
        .max_frame_size(Some(LONGEST))
}

/// Closes a connection because there are too many sockets.
pub async fn refuse<S: AsyncRead + AsyncWrite + Unpin>(connection: S) {
    let mut socket = Socket::new(connection).await;
    socket.close(Ending::TooMuch).await;
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
        let stream = WebSocketStream::from_raw_socket(connection, Role::Server, Some(config())).await;
        let allowance = (f64::from(PER_SECOND), Instant::now());
        Self { stream, heartbeat: HEARTBEAT, allowance, alive: true, active: true }
    }

    async fn serve(
        &mut self,
        member: &Member<OwnData>,
        channel: &TenantChannel,
        after: Option<u64>,
        stopping: Option<watch::Receiver<bool>>,
    ) {
        match self.run(member, channel, after, stopping).await {
            Stop::Gone => {}
            Stop::Because(ending) => self.close(ending).await,
            Stop::Session(error) => {
                let data = SessionEnded { reason: member.connection().end_reason(&error).into() };
                let frame = ServerFrame::SessionEnded(SessionEndedFrame { id: channel.ledger_seq(), data });
                let told = timeout(GOODBYE, self.say(vec![write(&frame)])).await;
                if matches!(told, Ok(Ok(()))) {
                    let locked = error.code() == Code::SessionLocked;
                    self.close(if locked { Ending::Locked } else { Ending::Over }).await;
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
    ) -> Stop {
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
            Err(stop) => return stop,
        };
        loop {
            let outcome = tokio::select! {
                biased;
                error = &mut closed => return Stop::Session(error),
                () = &mut stopped => return Ending::Restart.into(),
                _ = heartbeat.tick() => self.look(member).await,
                () = channel.wait(frame_seq) => self.tell(member, channel, &mut frame_seq).await,
                message = self.stream.next() => self.take(message, member, channel),
            };
            if let Err(stop) = outcome {
                return stop;
            }
        }
    }

    /// Sends `hello`, the missed frames and `presence.all`. Returns the frame number to continue from.
    async fn greet(
        &mut self,
        member: &Member<OwnData>,
        channel: &TenantChannel,
        after: Option<u64>,
    ) -> Result<u64, Stop> {
        let Subscription { at, frame_seq, resumed, frames } = channel.start(after);
        if channel.is_suspect() {
            member.connection().check().map_err(Stop::Session)?;
        }
        let data = Hello { session_id: member.session().uuid(), member_id: member.id(), at, resumed };
        let id = if resumed { after.unwrap_or(at) } else { at };
        let mut all = vec![write(&ServerFrame::Hello(HelloFrame { id, data }))];
        all.extend(frames);
        all.push(channel.everybody(at));
        self.say(all).await?;
        Ok(frame_seq)
    }

    /// Checks the session, and that the client answered the last ping.
    async fn look(&mut self, member: &Member<OwnData>) -> Result<(), Stop> {
        if self.active {
            member.connection().touch();
        }
        member.connection().check().map_err(Stop::Session)?;
        if !std::mem::take(&mut self.alive) {
            return Err(Stop::Gone);
        }
        self.send([Message::Ping(Bytes::new())]).await
    }

    /// Sends the frames after a frame number.
    async fn tell(
        &mut self,
        member: &Member<OwnData>,
        channel: &TenantChannel,
        frame_seq: &mut u64,
    ) -> Result<(), Stop> {
        let next = channel.next(frame_seq);
        // After reading the frames: whatever ended the session has marked it as suspect by then.
        if channel.is_suspect() {
            member.connection().check().map_err(Stop::Session)?;
        }
        let mut frames = next.frames;
        if next.resync {
            frames.push(write(&resync_frame(next.at)));
        }
        if next.resync || next.blinked {
            frames.push(channel.everybody(next.at));
        }
        self.say(frames).await
    }

    async fn say(&mut self, frames: Vec<Bytes>) -> Result<(), Stop> {
        // The server serialized the frames from text, so they are always valid UTF-8.
        self.send(frames.into_iter().filter_map(|frame| Utf8Bytes::try_from(frame).ok()).map(Message::Text)).await
    }

    async fn send(&mut self, messages: impl IntoIterator<Item = Message>) -> Result<(), Stop> {
        for message in messages {
            let sent = timeout(PATIENCE, self.stream.send(message)).await;
            sent.map_err(|_| Stop::from(Ending::TooSlow))?.map_err(|_| Stop::Gone)?;
        }
        Ok(())
    }

    /// Handles a message from the client.
    fn take(
        &mut self,
        message: Option<Result<Message, tungstenite::Error>>,
        member: &Member<OwnData>,
        channel: &TenantChannel,
    ) -> Result<(), Stop> {
        let text = match message {
            Some(Ok(Message::Text(text))) => text,
            // Pings and pongs are not frames, but count for the rate limit.
            Some(Ok(Message::Ping(_) | Message::Pong(_))) => return self.allow(),
            Some(Ok(Message::Binary(_) | Message::Frame(_))) => return Err(Ending::BadFrame.into()),
            Some(Err(tungstenite::Error::Capacity(_) | tungstenite::Error::Utf8(_))) => {
                return Err(Ending::BadFrame.into());
            }
            Some(Ok(Message::Close(_)) | Err(_)) | None => return Err(Stop::Gone),
        };
        self.allow()?;
        match serde_json::from_str(&text).map_err(|_| Stop::from(Ending::BadFrame))? {
            ClientFrame::Activity(frame) => {
                self.active = !frame.data.idle;
                channel.set_idle(frame.data.idle);
            }
            ClientFrame::Typing(frame) => client_frames::typing(member, channel, &frame.data.chat_id),
            ClientFrame::Editing(frame) => {
                let records = client_frames::edited(member, frame.data).ok_or(Ending::BadFrame)?;
                channel.edit(&records);
            }
        }
        Ok(())
    }

    /// Checks whether the client may send a frame now.
    fn allow(&mut self) -> Result<(), Stop> {
        self.alive = true;
        let (left, since) = self.allowance;
        let now = Instant::now();
        let most = f64::from(PER_SECOND);
        let left = (left + (now - since).as_secs_f64() * most).min(most) - 1.0;
        self.allowance = (left, now);
        if left < 0.0 { Err(Ending::TooMuch.into()) } else { Ok(()) }
    }

    /// Sends the close code, and waits briefly for the client's answer.
    async fn close(&mut self, ending: Ending) {
        let frame = CloseFrame { code: CloseCode::from(ending as u16), reason: Utf8Bytes::from_static("") };
        let goodbye = async {
            if self.stream.send(Message::Close(Some(frame))).await.is_ok() {
                while let Some(Ok(_)) = self.stream.next().await {}
            }
        };
        drop(timeout(GOODBYE, goodbye).await);
    }
}

#[cfg(test)]
mod tests;
