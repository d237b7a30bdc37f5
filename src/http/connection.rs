//! One client's connection: it is closed when the client takes too long over a request, reads
//! nothing of its answer, or stays without a request for too long.

use std::{
    io,
    pin::Pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Context, Poll, ready},
    time::Duration,
};

use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    time::{Instant, Sleep, sleep_until},
};

use super::unread;
use crate::config::Limits;

/// How long the rest of a refused body is still taken in. A connection closed with unread bytes is
/// reset, and the client then often never sees the answer that says why.
const LINGER: Duration = Duration::from_secs(2);

/// What the deadlines of a connection depend on; shared by the socket and the requests on it.
#[derive(Debug)]
pub(super) struct Activity(Mutex<State>);

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
        Arc::new(Self(Mutex::new(State {
            open: 0,
            idle_since: Instant::now(),
            head_since: None,
            speaks: Speaks::NothingYet,
            cut: false,
            answering: false,
        })))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes that the head of a request is complete; until the guard falls, its client may wait.
    pub fn request(self: &Arc<Self>, http2: bool) -> Busy {
        let mut state = self.state();
        state.open += 1;
        state.answering = true;
        state.head_since = None;
        state.speaks = if http2 { Speaks::Http2 } else { Speaks::Http1 };
        Busy(Arc::clone(self))
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

    fn bytes_came(&self) {
        let mut state = self.state();
        if state.open == 0 && state.speaks == Speaks::Http1 && state.head_since.is_none() {
            state.head_since = Some(Instant::now());
        }
    }

    /// When to give up reading, or `None` while a request is worked on.
    fn deadline(&self, limits: &Limits) -> Option<Instant> {
        let state = self.state();
        if state.open > 0 {
            return None;
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
pub(super) struct Busy(Arc<Activity>);

impl Drop for Busy {
    fn drop(&mut self) {
        let mut state = self.0.state();
        state.open = state.open.saturating_sub(1);
        state.idle_since = Instant::now();
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
                this.activity.bytes_came();
            }
            return Poll::Ready(result);
        }
        // Nobody polls again just because an answer was finished: the alarm goes off at least once in
        // a keep-alive time and looks what is due by then.
        loop {
            let due = this.activity.deadline(&this.limits);
            let look = Instant::now() + this.limits.keep_alive;
            ready!(this.reading.poll(cx, due.map_or(look, |due| due.min(look))));
            if due.is_some_and(|due| due <= Instant::now()) {
                return Poll::Ready(Err(timed_out("the client took too long over a request")));
            }
        }
    }
}

impl<S: AsyncWrite + Unpin, T> Watched<S, T> {
    /// Writes an error of ours in place of the engine's own, and says that the engine's was written.
    fn write_instead(&mut self, cx: &mut Context<'_>, buf: &[u8]) -> Option<Poll<io::Result<usize>>> {
        if self.instead.is_none() && self.activity.is_quiet() {
            self.instead = unread::instead_of(buf).map(|whole| (whole, 0));
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
        if result.is_ready() {
            self.stalled_since = None;
            return result;
        }
        let since = *self.stalled_since.get_or_insert_with(Instant::now);
        ready!(self.writing.poll(cx, since + self.limits.write_stall));
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
