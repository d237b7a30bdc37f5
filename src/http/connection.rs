//! Deadlines of a connection: it is closed if the client is too slow with a request, does not read its response, or
//! stays idle for too long.

use std::{
    collections::HashMap,
    io,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll, ready},
    time::Duration,
};

use parking_lot::{Mutex, MutexGuard};
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    sync::{OwnedSemaphorePermit, Semaphore},
    time::{Instant, Sleep, sleep_until},
};

use super::{framing::Framing, malformed};
use crate::config::Limits;

/// How long the rest of a refused body is still read. A connection closed with unread bytes is reset, and the client
/// then often misses the response with the reason.
const LINGER_TIMEOUT: Duration = Duration::from_secs(2);

/// How often it is looked whether a connection has received its first request.
const FIRST_REQUEST_INTERVAL: Duration = Duration::from_millis(5);

/// The end of a head.
const END_OF_HEAD: &[u8] = b"\r\n\r\n";

/// Concurrent requests on one connection: the minimum that RFC 9113 recommends.
pub(super) const MAX_STREAMS: u32 = 100;

/// The same until a request on the connection has shown a valid access token; further ones wait.
const MAX_STREAMS_ANONYMOUS: usize = 16;

/// The state behind a connection's deadlines, shared by its socket and its requests.
#[derive(Debug)]
pub(super) struct Activity {
    state: Mutex<State>,
    /// Permits of the connection's concurrent requests.
    permits: Arc<Semaphore>,
    signed_in: AtomicBool,
}

#[derive(Debug)]
struct State {
    /// Requests whose response is not finished.
    open: usize,
    /// When the connection was opened, or its last response finished.
    idle_since: Instant,
    /// When the first byte of the next request's head arrived; HTTP/1 only.
    head_since: Option<Instant>,
    protocol: Protocol,
    /// Whether a body was dropped before its end.
    cut: bool,
    /// Whether output of the application may still be unsent.
    answering: bool,
    /// The responses that the client has not read completely.
    answers: HashMap<u64, ResponseDeadline>,
    /// Number of requests so far.
    count: u64,
    /// Where the heads are; HTTP/1 only.
    framing: Framing,
}

impl State {
    fn response_deadline(&self, limits: &Limits) -> Option<Instant> {
        self.answers.values().map(|answer| answer.deadline(limits)).min()
    }
}

/// A response that is being sent.
#[derive(Debug)]
struct ResponseDeadline {
    since: Instant,
    /// When the client last took a piece; `None` while the client waits for the server.
    taken_at: Option<Instant>,
    /// Its length, as far as it is known.
    length: u64,
}

impl ResponseDeadline {
    /// Returns when the client has been too slow.
    fn deadline(&self, limits: &Limits) -> Instant {
        let whole = self.since + limits.to_move(self.length, limits.write_stall);
        self.taken_at.map_or(whole, |at| whole.min(at + limits.write_stall))
    }
}

/// The protocol of the connection, as far as the requests so far show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Protocol {
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
            protocol: Protocol::NothingYet,
            cut: false,
            answering: false,
            answers: HashMap::new(),
            count: 0,
            framing: Framing::default(),
        };
        let permits = Arc::new(Semaphore::new(MAX_STREAMS_ANONYMOUS));
        Arc::new(Self { state: Mutex::new(state), permits, signed_in: AtomicBool::new(false) })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock()
    }

    /// Waits for a permit to process a request.
    pub async fn permit(&self) -> Option<OwnedSemaphorePermit> {
        Arc::clone(&self.permits).acquire_owned().await.ok()
    }

    /// Records that a request has shown a valid access token: the connection may have more concurrent requests.
    pub fn mark_signed_in(&self) {
        if !self.signed_in.swap(true, Ordering::AcqRel) {
            self.permits.add_permits(MAX_STREAMS as usize - MAX_STREAMS_ANONYMOUS);
        }
    }

    /// Records that a request's head is complete. The client may wait until the guard is dropped.
    pub fn begin_request(self: &Arc<Self>, http2: bool) -> RequestGuard {
        let mut state = self.state();
        state.open += 1;
        state.answering = true;
        state.head_since = None;
        state.protocol = if http2 { Protocol::Http2 } else { Protocol::Http1 };
        state.count += 1;
        RequestGuard { activity: Arc::clone(self), number: state.count, permit: None }
    }

    /// Waits until the first request has begun. Only a stop waits for it, so that looking again is cheap enough.
    pub async fn first_request(&self) {
        while self.state().count == 0 {
            tokio::time::sleep(FIRST_REQUEST_INTERVAL).await;
        }
    }

    /// Records that the connection is no longer HTTP: its new owner enforces the deadlines.
    pub fn mark_upgraded(&self) {
        self.state().protocol = Protocol::SomethingElse;
    }

    /// Records that a body was dropped before its end.
    pub fn mark_body_dropped(&self) {
        self.state().cut = true;
    }

    /// Records that all output was flushed.
    fn mark_flushed(&self) {
        let mut state = self.state();
        state.answering = state.open > 0;
    }

    /// Whether hyper itself writes the output now: neither a response of the application nor an upgraded connection.
    fn is_quiet(&self) -> bool {
        let state = self.state();
        !state.answering && state.protocol != Protocol::SomethingElse
    }

    /// Inspects received bytes. Replaces a byte that wrongly ends a line of a head by one that hyper refuses. Returns
    /// whether there was one.
    fn inspect_bytes(&self, bytes: &mut [u8]) -> bool {
        let mut state = self.state();
        let mut refused = false;
        // Also while a request is answered: the next head may be sent at once behind it.
        if matches!(state.protocol, Protocol::NothingYet | Protocol::Http1)
            && let Some(byte) = state.framing.parse(bytes).and_then(|at| bytes.get_mut(at))
        {
            (*byte, refused) = (0, true);
        }
        if state.open == 0 && state.protocol == Protocol::Http1 && state.head_since.is_none() {
            state.head_since = Some(Instant::now());
        }
        refused
    }

    /// Returns when the client has been too slow to read a response.
    fn response_deadline(&self, limits: &Limits) -> Option<Instant> {
        self.state().response_deadline(limits)
    }

    /// Returns when to close the connection: at the deadline of an unread response, of the next head, or of being idle.
    /// `None` while requests are processed.
    fn deadline(&self, limits: &Limits) -> Option<Instant> {
        let state = self.state();
        if state.protocol == Protocol::SomethingElse {
            return None;
        }
        if state.open > 0 {
            return state.response_deadline(limits);
        }
        match (state.protocol, state.head_since) {
            (Protocol::SomethingElse, _) => None,
            (Protocol::NothingYet, _) => Some(state.idle_since + limits.header_timeout),
            (_, Some(since)) => Some(since + limits.header_timeout),
            (_, None) => Some(state.idle_since + limits.keep_alive),
        }
    }
}

/// Guard of a request until its response is sent.
#[derive(Debug)]
pub(super) struct RequestGuard {
    activity: Arc<Activity>,
    number: u64,
    permit: Option<OwnedSemaphorePermit>,
}

impl RequestGuard {
    /// Keeps the permit until the response is sent.
    pub fn keep_permit(&mut self, permit: Option<OwnedSemaphorePermit>) {
        self.permit = permit;
    }

    /// Records that the response is ready: from now on the client must read it.
    pub fn mark_response_ready(&self, length: u64) {
        let now = Instant::now();
        let answer = ResponseDeadline { since: now, taken_at: Some(now), length };
        self.activity.state().answers.insert(self.number, answer);
    }

    /// Records that the client has taken `so_far` bytes and asks for more; `waits` while there is none yet.
    pub fn mark_bytes_taken(&self, so_far: u64, waits: bool) {
        if let Some(answer) = self.activity.state().answers.get_mut(&self.number) {
            answer.length = answer.length.max(so_far);
            answer.taken_at = (!waits).then(Instant::now);
        }
    }
}

impl Drop for RequestGuard {
    fn drop(&mut self) {
        let mut state = self.activity.state();
        state.open = state.open.saturating_sub(1);
        state.answers.remove(&self.number);
        state.idle_since = Instant::now();
    }
}

/// A socket with the deadlines of [`Limits`]. `seats` are the connection's permits; they are released when the socket
/// is dropped, also after an upgrade.
pub(super) struct DeadlineSocket<S, T> {
    socket: S,
    activity: Arc<Activity>,
    limits: Arc<Limits>,
    reading: Timer,
    writing: Timer,
    /// Since when the client has read nothing of the pending output.
    stalled_since: Option<Instant>,
    closed: bool,
    lingering: Timer,
    /// The bytes sent in place of hyper's own error response, and how many of them are sent.
    replacement: Option<(Vec<u8>, usize)>,
    _seats: T,
}

impl<S, T> DeadlineSocket<S, T> {
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
            replacement: None,
            _seats: seats,
        }
    }
}

/// A timer that is rarely reset: waking up early is cheaper than a reset at each read.
#[derive(Default)]
struct Timer(Option<Pin<Box<Sleep>>>);

impl Timer {
    /// Returns ready once `deadline` has passed.
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

impl<S: AsyncRead + Unpin, T: Unpin> AsyncRead for DeadlineSocket<S, T> {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let this = &mut *self;
        let before = buf.filled().len();
        if let Poll::Ready(result) = Pin::new(&mut this.socket).poll_read(cx, buf) {
            if buf.filled().len() > before {
                let refused = this.activity.inspect_bytes(&mut buf.filled_mut()[before..]);
                // hyper responds at the end of the head, and the client may send no further bytes.
                if refused && buf.remaining() >= END_OF_HEAD.len() {
                    buf.put_slice(END_OF_HEAD);
                }
            }
            return Poll::Ready(result);
        }
        // The start or end of a response does not wake this task: the timer fires at least once in the shorter of these
        // times and checks what is due by then.
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

impl<S: AsyncWrite + Unpin, T> DeadlineSocket<S, T> {
    /// Writes this server's error response in place of hyper's, and reports hyper's as written.
    fn write_replacement(&mut self, cx: &mut Context<'_>, buf: &[u8]) -> Option<Poll<io::Result<usize>>> {
        if self.replacement.is_none() && self.activity.is_quiet() {
            self.replacement = malformed::replace_bare_error(buf).map(|whole| (whole, 0));
        }
        let (whole, mut done) = self.replacement.take()?;
        while done < whole.len() {
            let result = Pin::new(&mut self.socket).poll_write(cx, &whole[done..]);
            match self.watch_write(cx, result) {
                Poll::Ready(Ok(0)) => return Some(Poll::Ready(Err(io::ErrorKind::WriteZero.into()))),
                Poll::Ready(Ok(written)) => done += written,
                Poll::Ready(Err(error)) => return Some(Poll::Ready(Err(error))),
                Poll::Pending => {
                    self.replacement = Some((whole, done));
                    return Some(Poll::Pending);
                }
            }
        }
        Some(Poll::Ready(Ok(buf.len())))
    }

    fn watch_write(&mut self, cx: &mut Context<'_>, result: Poll<io::Result<usize>>) -> Poll<io::Result<usize>> {
        let late = self.activity.response_deadline(&self.limits);
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

impl<S: AsyncRead + AsyncWrite + Unpin, T: Unpin> AsyncWrite for DeadlineSocket<S, T> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        if let Some(result) = self.write_replacement(cx, buf) {
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
            && let Some(result) = self.write_replacement(cx, only)
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
        self.activity.mark_flushed();
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
        ready!(this.lingering.poll(cx, since + LINGER_TIMEOUT));
        Poll::Ready(Ok(()))
    }
}
