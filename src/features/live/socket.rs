//! One open socket: says what its member may hear, takes what they say, and ends when their session does.

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
    access::{Member, permission::OwnData},
    kernel::{Code, Error},
    live::{Subscription, TenantChannel},
};

/// The longest frame.
const LONGEST: usize = 64 << 10;
/// Bytes of the buffer into which a socket reads; tungstenite's own choice takes 128 KiB for each.
const READ: usize = 4 << 10;
/// Frames that a client may send in a second.
pub(super) const PER_SECOND: u32 = 20;
/// How often a client is asked whether it is there; it has until the next time to answer.
const HEARTBEAT: Duration = Duration::from_secs(25);
/// How long a client may take nothing of what is said to it.
const PATIENCE: Duration = Duration::from_millis(if cfg!(test) { 300 } else { 5_000 });
/// How long the other side has to say good-bye.
const GOODBYE: Duration = Duration::from_secs(1);

/// Why a socket closes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u16)]
pub enum Ending {
    /// The server stops: connect anew.
    Restart = 1012,
    /// The client sent what is no frame.
    BadFrame = 4400,
    /// The session is over.
    Over = 4401,
    /// The client does not take what is said to it.
    TooSlow = 4408,
    /// The session is locked.
    Locked = 4423,
    /// Too many frames, or too many sockets.
    TooMuch = 4429,
}

/// What ends a socket: an ending of ours, or that the client is gone.
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

/// A socket and what it knows of its client.
struct Socket<S> {
    stream: WebSocketStream<S>,
    /// How often the client is asked whether it is there.
    heartbeat: Duration,
    /// Frames that the client may still send, and since when.
    allowance: (f64, Instant),
    /// Whether something came since the client was last asked.
    alive: bool,
    /// Whether somebody is at the device.
    active: bool,
}

/// What a socket takes and holds.
fn config() -> WebSocketConfig {
    WebSocketConfig::default()
        .read_buffer_size(READ)
        .write_buffer_size(0)
        .max_write_buffer_size(2 * LONGEST)
        .max_message_size(Some(LONGEST))
        .max_frame_size(Some(LONGEST))
}

/// Says that there are too many already.
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
                let data = SessionEnded { reason: member.parting(&error).into() };
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
        let mut closed = Box::pin(member.closed());
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

    /// Says who hears, what they missed, and who is there. The moment from which to go on.
    async fn greet(
        &mut self,
        member: &Member<OwnData>,
        channel: &TenantChannel,
        after: Option<u64>,
    ) -> Result<u64, Stop> {
        let Subscription { at, frame_seq, resumed, frames } = channel.start(after);
        if channel.is_suspect() {
            member.check().map_err(Stop::Session)?;
        }
        let data = Hello { session_id: member.session().uuid(), member_id: member.id(), at, resumed };
        let id = if resumed { after.unwrap_or(at) } else { at };
        let mut all = vec![write(&ServerFrame::Hello(HelloFrame { id, data }))];
        all.extend(frames);
        all.push(channel.everybody(at));
        self.say(all).await?;
        Ok(frame_seq)
    }

    /// Looks whether the session holds and the client is there.
    async fn look(&mut self, member: &Member<OwnData>) -> Result<(), Stop> {
        if self.active {
            member.touch();
        }
        member.check().map_err(Stop::Session)?;
        if !std::mem::take(&mut self.alive) {
            return Err(Stop::Gone);
        }
        self.send([Message::Ping(Bytes::new())]).await
    }

    /// Says what was said since a moment.
    async fn tell(
        &mut self,
        member: &Member<OwnData>,
        channel: &TenantChannel,
        frame_seq: &mut u64,
    ) -> Result<(), Stop> {
        let next = channel.next(frame_seq);
        // After it was heard: then whatever ended the session has made it suspect.
        if channel.is_suspect() {
            member.check().map_err(Stop::Session)?;
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
        // Written by ourselves from texts: it is always one.
        self.send(frames.into_iter().filter_map(|frame| Utf8Bytes::try_from(frame).ok()).map(Message::Text)).await
    }

    async fn send(&mut self, messages: impl IntoIterator<Item = Message>) -> Result<(), Stop> {
        for message in messages {
            let sent = timeout(PATIENCE, self.stream.send(message)).await;
            sent.map_err(|_| Stop::from(Ending::TooSlow))?.map_err(|_| Stop::Gone)?;
        }
        Ok(())
    }

    /// Takes what the client says.
    fn take(
        &mut self,
        message: Option<Result<Message, tungstenite::Error>>,
        member: &Member<OwnData>,
        channel: &TenantChannel,
    ) -> Result<(), Stop> {
        let text = match message {
            Some(Ok(Message::Text(text))) => text,
            // Asking and answering whether one is there is no frame, but no way to flood either.
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

    /// Whether the client may say something now.
    fn allow(&mut self) -> Result<(), Stop> {
        self.alive = true;
        let (left, since) = self.allowance;
        let now = Instant::now();
        let most = f64::from(PER_SECOND);
        let left = (left + (now - since).as_secs_f64() * most).min(most) - 1.0;
        self.allowance = (left, now);
        if left < 0.0 { Err(Ending::TooMuch.into()) } else { Ok(()) }
    }

    /// Says why, and waits a moment for the other side to say good-bye.
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
