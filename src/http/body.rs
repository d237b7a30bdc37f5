//! The body of a request: counted as it arrives, and given up when it is too long or comes too slowly.

use std::{
    io,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicU8, Ordering},
    },
    task::{Context, Poll, ready},
    time::Duration,
};

use bytes::{Bytes, BytesMut};
use http_body_util::BodyExt as _;
use hyper::body::{Body, Frame, SizeHint};
use tokio::{
    sync::Semaphore,
    time::{Instant, Sleep, sleep_until},
};

use crate::{
    config::Limits,
    kernel::{Code, Error},
};

/// Bytes of bodies that are held in memory at a time, for all clients together.
pub(super) const HELD: usize = 64 << 20;

/// Why a body was given up; kept beside the body, because what reads it shows only an I/O error.
#[derive(Debug, Default)]
pub(super) struct Verdict(AtomicU8);

const TOO_LONG: u8 = 1;
const TOO_SLOW: u8 = 2;

impl Verdict {
    /// The error to answer with, when the body was given up.
    pub fn error(&self) -> Option<Error> {
        match self.0.load(Ordering::Relaxed) {
            TOO_LONG => Some(Error::new(Code::TooLarge)),
            TOO_SLOW => Some(Error::new(Code::BadRequest).with_detail("the body came too slowly")),
            _ => None,
        }
    }

    fn given_up(&self, why: u8) -> io::Error {
        self.0.store(why, Ordering::Relaxed);
        io::Error::other("the body was given up")
    }
}

/// A body under limits: at most `longest` bytes, and after a grace time at least a rate. Only the
/// time spent waiting for the client counts.
pub(super) struct Limited<B> {
    body: B,
    verdict: Arc<Verdict>,
    longest: u64,
    grace: Duration,
    rate: u64,
    received: u64,
    waited: Duration,
    waiting_since: Option<Instant>,
    alarm: Option<Pin<Box<Sleep>>>,
}

impl<B: Body<Data = Bytes, Error = io::Error> + Unpin> Limited<B> {
    pub fn new(body: B, longest: u64, limits: &Limits) -> (Self, Arc<Verdict>) {
        let verdict = Arc::new(Verdict::default());
        let limited = Self {
            body,
            verdict: Arc::clone(&verdict),
            longest,
            grace: limits.body_grace,
            rate: limits.body_rate.max(1),
            received: 0,
            waited: Duration::ZERO,
            waiting_since: None,
            alarm: None,
        };
        (limited, verdict)
    }

    /// How long the client may keep us waiting, for what it has sent so far.
    fn allowance(&self) -> Duration {
        self.grace + Duration::from_millis(self.received.saturating_mul(1000) / self.rate)
    }

    /// Takes the whole body into memory, within what may be held for all clients together.
    ///
    /// # Errors
    /// `too_large`, `bad_request` when it came too slowly or broke off, `busy` when too much is held.
    pub async fn collect(mut self, held: &Semaphore) -> Result<Bytes, Error> {
        let broken = |error: &io::Error| Error::new(Code::BadRequest).with_detail(error);
        let mut first = Bytes::new();
        let mut all = BytesMut::new();
        // Permits are given back when this function ends: by then the body is short-lived, and
        // what a handler holds is bounded by the number of requests worked on at a time.
        let mut holding = Vec::new();
        while let Some(frame) = self.frame().await {
            let frame = frame.map_err(|error| self.verdict.error().unwrap_or_else(|| broken(&error)))?;
            let Ok(data) = frame.into_data() else {
                continue;
            };
            let count = u32::try_from(data.len()).unwrap_or(u32::MAX);
            let permit = held.try_acquire_many(count).map_err(|_| Error::new(Code::Busy).retry_after(1))?;
            holding.push(permit);
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

impl<B: Body<Data = Bytes, Error = io::Error> + Unpin> Body for Limited<B> {
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
                    return Poll::Ready(Some(Err(this.verdict.given_up(TOO_LONG))));
                }
            }
            return Poll::Ready(frame);
        }
        let since = *this.waiting_since.get_or_insert_with(Instant::now);
        let deadline = since + this.allowance().saturating_sub(this.waited);
        let alarm = this.alarm.get_or_insert_with(|| Box::pin(sleep_until(deadline)));
        ready!(alarm.as_mut().poll(cx));
        Poll::Ready(Some(Err(this.verdict.given_up(TOO_SLOW))))
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

    use super::*;

    /// A body of chunks; waits for ever after the last one if it is to stall.
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
        Limited::new(body, longest, limits).0.collect(&Semaphore::new(HELD)).await
    }

    #[tokio::test]
    async fn a_body_within_its_limit_arrives_whole() {
        for (parts, whole) in [(&["abc"][..], "abc"), (&["ab", "", "cde"], "abcde"), (&[], "")] {
            let limits = Limits::default();
            assert_eq!(collect(chunks(parts, false), 5, &limits).await.unwrap(), whole);
        }
    }

    #[tokio::test]
    async fn a_body_beyond_its_limit_is_refused() {
        let error = collect(chunks(&["abc", "def"], true), 5, &Limits::default()).await.unwrap_err();
        assert_eq!(error.code(), Code::TooLarge);
    }

    #[tokio::test]
    async fn too_much_held_at_a_time_is_refused_and_given_back() {
        let held = Semaphore::new(4);
        let limits = Limits::default();
        let error = Limited::new(chunks(&["abc", "def"], false), 100, &limits).0.collect(&held).await.unwrap_err();
        assert_eq!(error.code(), Code::Busy);
        assert_eq!(held.available_permits(), 4);
    }

    #[tokio::test]
    async fn a_slow_body_is_given_up_after_grace_and_what_its_bytes_earned() {
        let limits = Limits { body_grace: Duration::from_millis(20), body_rate: 100, ..Limits::default() };
        let start = Instant::now();
        let error = collect(chunks(&["abcd"], true), 100, &limits).await.unwrap_err();
        assert_eq!(error.code(), Code::BadRequest);
        // Four bytes at a hundred a second earn 40 ms beyond the grace.
        assert!(start.elapsed() >= Duration::from_millis(60));
    }

    #[tokio::test]
    async fn a_body_that_waits_registers_its_alarm() {
        let limits = Limits::default();
        let mut body = pin!(collect(chunks(&[], true), 100, &limits));
        assert!(body.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
    }
}
