//! One client's connection: it is closed when the client takes too long over a request, reads
//! nothing of its answer, or stays without a request for too long.

use std::{
    collections::HashMap,
    io,
    pin::Pin,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll, ready},
    time::Duration,
};

use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    sync::{OwnedSemaphorePermit, Semaphore},
    time::{Instant, Sleep, sleep_until},
};

use super::malformed;
use crate::config::Limits;

/// How long the rest of a refused body is still taken in. A connection closed with unread bytes is
/// reset, and the client then often never sees the answer that says why.
const LINGER: Duration = Duration::from_secs(2);

/// What ends a head.
const END_OF_HEAD: &[u8] = b"\r\n\r\n";

/// Requests at a time on one connection: the least that RFC 9113 recommends.
pub(super) const STREAMS: u32 = 100;

/// The same before a request on the connection has shown a valid access token; further ones wait.
const STREAMS_OF_STRANGERS: usize = 16;

/// What the deadlines of a connection depend on; shared by the socket and the requests on it.
#[derive(Debug)]
pub(super) struct Activity {
    state: Mutex<State>,
    /// The requests that may be worked on, and answered, at a time.
    turns: Arc<Semaphore>,
    signed_in: AtomicBool,
}

#[derive(Debug)]
struct State {
    /// Requests whose answer is not finished.
    open: usize,
    /// When it was opened, or the last answer finished.
    idle_since: Instant,
    /// When the first byte of the next request's head came; HTTP/1 only.
    head_since: Option<Instant>,
    speaks: Speaks,
    /// Whether a body was refused before its end.
    cut: bool,
    /// Whether an answer of ours may not be on its way yet.
    answering: bool,
    /// The answers that the client has not taken to their ends.
    answers: HashMap<u64, JsonResponse>,
    /// How many requests there were.
    count: u64,
    /// What is seen of the head that comes next; HTTP/1 only.
    head: Head,
}

/// How far a head has come, to find lines that end without a carriage return. The engine takes such lines (RFC 9112
/// §2.2 lets it), but a proxy in front of us may see another request in them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Head {
    /// Only empty lines so far.
    #[default]
    Before,
    /// In a line, behind a carriage return or not.
    Line { returned: bool },
    /// Behind the end of a line, and behind a carriage return after it or not.
    Ended { returned: bool },
    /// Behind the empty line: what comes is a body.
    Body,
}

impl Head {
    /// After a further byte; nothing when a line ended wrongly.
    const fn after(self, byte: u8) -> Option<Self> {
        Some(match (self, byte) {
            (Self::Body, _) | (Self::Ended { returned: true }, b'\n') => Self::Body,
            (Self::Before, b'\r' | b'\n') => Self::Before,
            (Self::Line { returned: true }, b'\n') => Self::Ended { returned: false },
            (_, b'\n') => return None,
            (Self::Ended { .. }, b'\r') => Self::Ended { returned: true },
            (_, byte) => Self::Line { returned: byte == b'\r' },
        })
    }
}

impl State {
    fn late(&self, limits: &Limits) -> Option<Instant> {
        self.answers.values().map(|answer| answer.deadline(limits)).min()
    }
}

/// An answer that is on its way.
#[derive(Debug)]
struct JsonResponse {
    since: Instant,
    /// When the client last took a piece of it; none while it waits for us.
    taken_at: Option<Instant>,
    /// Its length, as far as that is known.
    length: u64,
}

impl JsonResponse {
    /// When the client has been too slow to take it.
    fn deadline(&self, limits: &Limits) -> Instant {
        let whole = self.since + limits.to_move(self.length, limits.write_stall);
        self.taken_at.map_or(whole, |at| whole.min(at + limits.write_stall))
    }
}

/// What is spoken on the connection, as far as the requests so far have shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Speaks {
    NothingYet,
    Http1,
    Http2,
    SomethingElse,
}

impl Activity {
    pub fn new() -> Arc<Self> {
        let state = State {
            open: 0,
            idle_since: Instant::now(),
            head_since: None,
            speaks: Speaks::NothingYet,
            cut: false,
            answering: false,
            answers: HashMap::new(),
            count: 0,
            head: Head::default(),
        };
        let turns = Arc::new(Semaphore::new(STREAMS_OF_STRANGERS));
        Arc::new(Self { state: Mutex::new(state), turns, signed_in: AtomicBool::new(false) })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until a request may be worked on.
    pub async fn turn(&self) -> Option<OwnedSemaphorePermit> {
        Arc::clone(&self.turns).acquire_owned().await.ok()
    }

    /// Notes that a request has shown a valid access token: the connection may do more at a time.
    pub fn signed_in(&self) {
        if !self.signed_in.swap(true, Ordering::AcqRel) {
            self.turns.add_permits(STREAMS as usize - STREAMS_OF_STRANGERS);
        }
    }

    /// Notes that the head of a request is complete; until the guard falls, its client may wait.
    pub fn request(self: &Arc<Self>, http2: bool) -> Busy {
        let mut state = self.state();
        state.open += 1;
        state.answering = true;
        state.head_since = None;
        state.speaks = if http2 { Speaks::Http2 } else { Speaks::Http1 };
        state.count += 1;
        Busy { activity: Arc::clone(self), number: state.count, turn: None }
    }

    /// The connection is no longer HTTP: whoever took it over keeps its time.
    pub fn upgraded(&self) {
        self.state().speaks = Speaks::SomethingElse;
    }

    /// A body was refused before its end.
    pub fn cut(&self) {
        self.state().cut = true;
    }

    /// All that was to be said was said.
    fn flushed(&self) {
        let mut state = self.state();
        state.answering = state.open > 0;
    }

    /// Whether what goes out now is said by the engine by itself: no answer of ours, and no socket's.
    fn is_quiet(&self) -> bool {
        let state = self.state();
        !state.answering && state.speaks != Speaks::SomethingElse
    }

    /// Looks at bytes that came. One that ends a line of a head wrongly becomes one that the engine refuses.
    /// Answers whether there was one.
    fn bytes_came(&self, bytes: &mut [u8]) -> bool {
        let mut state = self.state();
        let mut refused = false;
        if state.open == 0 && matches!(state.speaks, Speaks::NothingYet | Speaks::Http1) {
            for byte in bytes {
                match state.head.after(*byte) {
                    Some(Head::Body) => {
                        state.head = Head::Body;
                        break;
                    }
                    Some(head) => state.head = head,
                    None => {
                        (*byte, state.head, refused) = (0, Head::Body, true);
                        break;
                    }
                }
            }
        }
        if state.open == 0 && state.speaks == Speaks::Http1 && state.head_since.is_none() {
            state.head_since = Some(Instant::now());
        }
        refused
    }

    /// When the client is too slow with an answer.
    fn late(&self, limits: &Limits) -> Option<Instant> {
        self.state().late(limits)
    }

    /// When to give up: the first answer that is not taken, or what is to come next. `None` while requests are
    /// worked on.
    fn deadline(&self, limits: &Limits) -> Option<Instant> {
        let state = self.state();
        if state.speaks == Speaks::SomethingElse {
            return None;
        }
        if state.open > 0 {
            return state.late(limits);
        }
        match (state.speaks, state.head_since) {
            (Speaks::SomethingElse, _) => None,
            (Speaks::NothingYet, _) => Some(state.idle_since + limits.header_timeout),
            (_, Some(since)) => Some(since + limits.header_timeout),
            (_, None) => Some(state.idle_since + limits.keep_alive),
        }
    }
}

/// Held while a request is worked on and its answer sent.
#[derive(Debug)]
pub(super) struct Busy {
    activity: Arc<Activity>,
    number: u64,
    turn: Option<OwnedSemaphorePermit>,
}

impl Busy {
    /// Keeps the turn until the answer is sent.
    pub fn keep(&mut self, turn: Option<OwnedSemaphorePermit>) {
        self.turn = turn;
    }

    /// The answer is there: from now on the client must take it.
    pub fn answered(&self, length: u64) {
        let now = Instant::now();
        let answer = JsonResponse { since: now, taken_at: Some(now), length };
        self.activity.state().answers.insert(self.number, answer);
    }

    /// The client asks for a further piece, having taken so much; `waits` while there is none yet.
    pub fn taken(&self, so_far: u64, waits: bool) {
        if let Some(answer) = self.activity.state().answers.get_mut(&self.number) {
            answer.length = answer.length.max(so_far);
            answer.taken_at = (!waits).then(Instant::now);
        }
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        let mut state = self.activity.state();
        state.open = state.open.saturating_sub(1);
        state.answers.remove(&self.number);
        state.idle_since = Instant::now();
        state.head = Head::default();
    }
}

/// A socket under the deadlines of [`Limits`]. `seats` is what the connection occupies; it is given
/// back when the socket is dropped, also when it was taken over by an upgrade.
pub(super) struct Watched<S, T> {
    socket: S,
    activity: Arc<Activity>,
    limits: Arc<Limits>,
    reading: Timer,
    writing: Timer,
    /// Since when the client has taken nothing of what waits for it.
    stalled_since: Option<Instant>,
    closed: bool,
    lingering: Timer,
    /// What goes out in place of what the protocol's engine says by itself, and how much of it has.
    instead: Option<(Vec<u8>, usize)>,
    _seats: T,
}

impl<S, T> Watched<S, T> {
    pub fn new(socket: S, activity: Arc<Activity>, limits: Arc<Limits>, seats: T) -> Self {
        Self {
            socket,
            activity,
            limits,
            reading: Timer::default(),
            writing: Timer::default(),
            stalled_since: None,
            closed: false,
            lingering: Timer::default(),
            instead: None,
            _seats: seats,
        }
    }
}

/// An alarm that is set rarely: one that goes off early is cheaper than one set anew at each read.
#[derive(Default)]
struct Timer(Option<Pin<Box<Sleep>>>);

impl Timer {
    /// Ready once `deadline` has passed.
    fn poll(&mut self, cx: &mut Context<'_>, deadline: Instant) -> Poll<()> {
        loop {
            let sleep = self.0.get_or_insert_with(|| Box::pin(sleep_until(deadline)));
            if sleep.deadline() > deadline {
                sleep.as_mut().reset(deadline);
            }
            ready!(sleep.as_mut().poll(cx));
            if Instant::now() >= deadline {
                return Poll::Ready(());
            }
            sleep.as_mut().reset(deadline);
        }
    }
}

fn timed_out(what: &'static str) -> io::Error {
    io::Error::new(io::ErrorKind::TimedOut, what)
}

impl<S: AsyncRead + Unpin, T: Unpin> AsyncRead for Watched<S, T> {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let this = &mut *self;
        let before = buf.filled().len();
        if let Poll::Ready(result) = Pin::new(&mut this.socket).poll_read(cx, buf) {
            if buf.filled().len() > before {
                let refused = this.activity.bytes_came(&mut buf.filled_mut()[before..]);
                // The engine answers when the head is complete, and this one may have no further bytes.
                if refused && buf.remaining() >= END_OF_HEAD.len() {
                    buf.put_slice(END_OF_HEAD);
                }
            }
            return Poll::Ready(result);
        }
        // This is not polled again just because an answer began or was finished: the alarm goes off at least once
        // in the shorter of these times and looks what is due by then.
        loop {
            let due = this.activity.deadline(&this.limits);
            let look = Instant::now() + this.limits.keep_alive.min(this.limits.write_stall);
            ready!(this.reading.poll(cx, due.map_or(look, |due| due.min(look))));
            if due.is_some_and(|due| due <= Instant::now()) {
                return Poll::Ready(Err(timed_out("the client took too long over a request or an answer")));
            }
        }
    }
}

impl<S: AsyncWrite + Unpin, T> Watched<S, T> {
    /// Writes an error of ours in place of the engine's own, and says that the engine's was written.
    fn write_instead(&mut self, cx: &mut Context<'_>, buf: &[u8]) -> Option<Poll<io::Result<usize>>> {
        if self.instead.is_none() && self.activity.is_quiet() {
            self.instead = malformed::instead_of(buf).map(|whole| (whole, 0));
        }
        let (whole, mut done) = self.instead.take()?;
        while done < whole.len() {
            let result = Pin::new(&mut self.socket).poll_write(cx, &whole[done..]);
            match self.watch_write(cx, result) {
                Poll::Ready(Ok(0)) => return Some(Poll::Ready(Err(io::ErrorKind::WriteZero.into()))),
                Poll::Ready(Ok(written)) => done += written,
                Poll::Ready(Err(error)) => return Some(Poll::Ready(Err(error))),
                Poll::Pending => {
                    self.instead = Some((whole, done));
                    return Some(Poll::Pending);
                }
            }
        }
        Some(Poll::Ready(Ok(buf.len())))
    }

    fn watch_write(&mut self, cx: &mut Context<'_>, result: Poll<io::Result<usize>>) -> Poll<io::Result<usize>> {
        let late = self.activity.late(&self.limits);
        if result.is_ready() {
            self.stalled_since = None;
            if late.is_none_or(|late| Instant::now() < late) {
                return result;
            }
        } else {
            let since = *self.stalled_since.get_or_insert_with(Instant::now);
            let stalled = since + self.limits.write_stall;
            ready!(self.writing.poll(cx, late.map_or(stalled, |late| late.min(stalled))));
        }
        Poll::Ready(Err(timed_out("the client does not read its answer")))
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin, T: Unpin> AsyncWrite for Watched<S, T> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        if let Some(result) = self.write_instead(cx, buf) {
            return result;
        }
        let result = Pin::new(&mut self.socket).poll_write(cx, buf);
        self.watch_write(cx, result)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        if let [only] = bufs
            && let Some(result) = self.write_instead(cx, only)
        {
            return result;
        }
        let result = Pin::new(&mut self.socket).poll_write_vectored(cx, bufs);
        self.watch_write(cx, result)
    }

    fn is_write_vectored(&self) -> bool {
        self.socket.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(Pin::new(&mut self.socket).poll_flush(cx))?;
        self.activity.flushed();
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = &mut *self;
        if !this.closed {
            ready!(Pin::new(&mut this.socket).poll_shutdown(cx))?;
            this.closed = true;
            this.stalled_since = Some(Instant::now());
        }
        if !this.activity.state().cut {
            return Poll::Ready(Ok(()));
        }
        let mut scratch = [0; 16 << 10];
        loop {
            let mut buf = ReadBuf::new(&mut scratch);
            match Pin::new(&mut this.socket).poll_read(cx, &mut buf) {
                Poll::Ready(Ok(())) if !buf.filled().is_empty() => {}
                Poll::Ready(_) => return Poll::Ready(Ok(())),
                Poll::Pending => break,
            }
        }
        let since = this.stalled_since.unwrap_or_else(Instant::now);
        ready!(this.lingering.poll(cx, since + LINGER));
        Poll::Ready(Ok(()))
    }
}
