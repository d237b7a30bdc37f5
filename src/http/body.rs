//! Limits on request bodies: length, speed, and the memory that a sender may hold.

use std::{
    io,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
    time::Duration,
};

use bytes::{Bytes, BytesMut};
use http_body_util::BodyExt as _;
use hyper::body::{Body, Frame, SizeHint};
use parking_lot::Mutex;
use tokio::time::{Instant, Sleep, sleep_until};

use super::memory::Reservation;
use crate::{
    config::Limits,
    kernel::{Code, Error},
};

/// The memory that a body holds, and the reason why it was aborted. Kept beside the body, because readers of the body
/// see only an I/O error, and keep the bytes after the body is dropped.
#[derive(Debug)]
pub(super) struct Account(Mutex<(Reservation, Option<Error>)>);

impl Account {
    /// Returns the error to respond with, if the body was aborted.
    pub fn error(&self) -> Option<Error> {
        self.0.lock().1.take()
    }

    fn grow(&self, bytes: usize) -> io::Result<()> {
        let grown = self.0.lock().0.grow(bytes);
        grown.map_err(|error| self.abort(error))
    }

    fn release(&self) {
        self.0.lock().0.release();
    }

    fn abort(&self, why: Error) -> io::Error {
        self.0.lock().1 = Some(why);
        io::Error::other("the body was given up")
    }
}

/// A body with limits: at most `longest` bytes; no silence longer than the grace time; and in total no longer than the
/// grace time plus its length at the slowest rate. Fast bytes earn no time for later ones. Only time spent waiting for
/// the client counts.
pub(super) struct LimitedBody<B> {
    body: B,
    account: Arc<Account>,
    longest: u64,
    silence: Duration,
    allowance: Duration,
    received: u64,
    /// Whether the reader is done with a frame when it asks for the next one.
    streamed: bool,
    waited: Duration,
    waiting_since: Option<Instant>,
    alarm: Option<Pin<Box<Sleep>>>,
}

impl<B: Body<Data = Bytes, Error = io::Error> + Unpin> LimitedBody<B> {
    pub fn new(body: B, longest: u64, limits: &Limits, held: Reservation) -> (Self, Arc<Account>) {
        let account = Arc::new(Account(Mutex::new((held, None))));
        let length = body.size_hint().exact().unwrap_or(longest).min(longest);
        let limited = Self {
            body,
            account: Arc::clone(&account),
            longest,
            silence: limits.body_grace,
            allowance: limits.to_move(length, limits.body_grace),
            received: 0,
            streamed: false,
            waited: Duration::ZERO,
            waiting_since: None,
            alarm: None,
        };
        (limited, account)
    }

    /// Marks a body whose reader does not keep what it has read: only the last frame counts as held memory.
    pub fn streamed(mut self) -> Self {
        self.streamed = true;
        self
    }

    /// Reads the whole body into memory.
    /// Errors: `too_large`; `bad_request` if it was too slow or broke off; `busy` or `slow_down` if too much memory is
    /// held.
    pub async fn collect(mut self) -> Result<Bytes, Error> {
        let broken = |error: &io::Error| Error::new(Code::BadRequest).with_detail(error);
        let mut first = Bytes::new();
        let mut all = BytesMut::new();
        while let Some(frame) = self.frame().await {
            let frame = frame.map_err(|error| self.account.error().unwrap_or_else(|| broken(&error)))?;
            let Ok(data) = frame.into_data() else {
                continue;
            };
            if first.is_empty() && all.is_empty() {
                first = data;
            } else {
                if all.is_empty() {
                    all.extend_from_slice(&std::mem::take(&mut first));
                }
                all.extend_from_slice(&data);
            }
        }
        Ok(if all.is_empty() { first } else { all.freeze() })
    }
}

impl<B: Body<Data = Bytes, Error = io::Error> + Unpin> Body for LimitedBody<B> {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, io::Error>>> {
        let this = &mut *self;
        if let Poll::Ready(frame) = Pin::new(&mut this.body).poll_frame(cx) {
            if let Some(since) = this.waiting_since.take() {
                this.waited += since.elapsed();
                this.alarm = None;
            }
            if let Some(data) = frame.as_ref().and_then(|frame| frame.as_ref().ok()?.data_ref()) {
                this.received = this.received.saturating_add(u64::try_from(data.len()).unwrap_or(u64::MAX));
                if this.received > this.longest {
                    return Poll::Ready(Some(Err(this.account.abort(Error::new(Code::TooLarge)))));
                }
                if this.streamed {
                    this.account.release();
                }
                if let Err(error) = this.account.grow(data.len()) {
                    return Poll::Ready(Some(Err(error)));
                }
            }
            return Poll::Ready(frame);
        }
        let since = *this.waiting_since.get_or_insert_with(Instant::now);
        let deadline = since + this.silence.min(this.allowance.saturating_sub(this.waited));
        let alarm = this.alarm.get_or_insert_with(|| Box::pin(sleep_until(deadline)));
        ready!(alarm.as_mut().poll(cx));
        let slow = Error::new(Code::BadRequest).with_detail("the body came too slowly");
        Poll::Ready(Some(Err(this.account.abort(slow))))
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use std::{collections::VecDeque, future::Future as _, pin::pin, task::Waker};

    use tokio::time::timeout;

    use super::*;
    use crate::http::memory::{Pool, Share};

    /// Longer than any step that works.
    const TEST_TIMEOUT: Duration = Duration::from_secs(20);

    /// A body of chunks; after the last one it ends, or stalls for ever.
    struct Chunks {
        chunks: VecDeque<Bytes>,
        stalls: bool,
    }

    impl Body for Chunks {
        type Data = Bytes;
        type Error = io::Error;

        fn poll_frame(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, io::Error>>> {
            match self.chunks.pop_front() {
                Some(chunk) => Poll::Ready(Some(Ok(Frame::data(chunk)))),
                None if self.stalls => Poll::Pending,
                None => Poll::Ready(None),
            }
        }
    }

    fn chunks(chunks: &[&'static str], stalls: bool) -> Chunks {
        Chunks { chunks: chunks.iter().map(|chunk| Bytes::from_static(chunk.as_bytes())).collect(), stalls }
    }

    async fn collect(body: Chunks, longest: u64, limits: &Limits) -> Result<Bytes, Error> {
        LimitedBody::new(body, longest, limits, Pool::default().reserve(vec![])).0.collect().await
    }

    #[tokio::test]
    async fn accepts_a_body_within_the_limit() {
        for (parts, whole) in [(&["abc"][..], "abc"), (&["ab", "", "cde"], "abcde"), (&[], "")] {
            let limits = Limits::default();
            assert_eq!(collect(chunks(parts, false), 5, &limits).await.unwrap(), whole);
        }
    }

    #[tokio::test]
    async fn rejects_a_body_beyond_the_limit() {
        let error = collect(chunks(&["abc", "def"], true), 5, &Limits::default()).await.unwrap_err();
        assert_eq!(error.code(), Code::TooLarge);
    }

    #[tokio::test]
    async fn rejects_a_body_beyond_the_pool_and_releases_its_memory() {
        let pool = Pool::default();
        let limits = Limits::default();
        let room = || pool.reserve(vec![(Share::All, 4)]);
        let (body, account) = LimitedBody::new(chunks(&["abc", "def"], false), 100, &limits, room());
        assert_eq!(body.collect().await.unwrap_err().code(), Code::Busy);
        assert!(room().grow(2).is_err(), "held as long as its account is");
        drop(account);
        room().grow(4).unwrap();
    }

    fn quick(body_rate: u64) -> Limits {
        Limits { body_grace: Duration::from_millis(50), body_rate, ..Limits::default() }
    }

    #[tokio::test]
    async fn ends_a_stalled_body_even_after_a_fast_start() {
        let limits = quick(1);
        let ended = timeout(TEST_TIMEOUT, collect(chunks(&["a fast beginning"; 20], true), 1_000_000, &limits));
        assert_eq!(ended.await.unwrap().unwrap_err().code(), Code::BadRequest);
    }

    #[tokio::test]
    async fn ends_a_slow_body_after_the_time_its_length_allows() {
        for (announced, longest) in [(None, 1_000), (Some(1_000), 1_000_000)] {
            let (body, _) =
                LimitedBody::new(Trickle(None, announced), longest, &quick(10_000), Pool::default().reserve(vec![]));
            let ended = timeout(TEST_TIMEOUT, body.collect()).await.unwrap();
            assert_eq!(ended.unwrap_err().code(), Code::BadRequest, "{announced:?}");
        }
    }

    /// An endless body of one byte every few milliseconds.
    struct Trickle(Option<Pin<Box<Sleep>>>, Option<u64>);

    impl Body for Trickle {
        type Data = Bytes;
        type Error = io::Error;

        fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, io::Error>>> {
            let next = Instant::now() + Duration::from_millis(10);
            ready!(self.0.get_or_insert_with(|| Box::pin(sleep_until(next))).as_mut().poll(cx));
            self.0 = None;
            Poll::Ready(Some(Ok(Frame::data(Bytes::from_static(b"x")))))
        }

        fn size_hint(&self) -> SizeHint {
            self.1.map_or_else(SizeHint::default, SizeHint::with_exact)
        }
    }

    #[tokio::test]
    async fn body_waiting_for_data_is_pending() {
        let limits = Limits::default();
        let mut body = pin!(collect(chunks(&[], true), 100, &limits));
        assert!(body.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
    }
}
