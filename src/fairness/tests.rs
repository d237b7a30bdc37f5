//! Which requests get a permit, wait, or are refused, and that nothing is left when all are done.

use crate::fairness::*;
use std::{
    future::{Future, poll_fn},
    pin::{Pin, pin},
    task::Poll,
};

fn limiter(per_company: usize) -> TenantLimiter {
    TenantLimiter::new(&Limits { requests_per_company: per_company, ..Limits::default() }, 2)
}

const MEMBER: MemberId = MemberId::from_bytes([1; 16]);

fn tenant(n: u8) -> TenantId {
    TenantId::from_bytes([n; 16]).unwrap()
}

async fn poll_once<F: Future>(future: &mut Pin<&mut F>) -> Option<F::Output> {
    poll_fn(|cx| match future.as_mut().poll(cx) {
        Poll::Ready(output) => Poll::Ready(Some(output)),
        Poll::Pending => Poll::Ready(None),
    })
    .await
}

/// A permit that is granted at once.
async fn at_once(limiter: &TenantLimiter, whose: u8, class: RequestClass) -> Permit {
    let mut taking = pin!(limiter.acquire(tenant(whose), class));
    poll_once(&mut taking).await.expect("a turn at once").expect("a turn").expect("a limit")
}

fn remembered(limiter: &TenantLimiter) -> usize {
    limiter.queues().len()
}

#[tokio::test]
async fn rejects_only_the_tenant_whose_permits_and_queue_are_full() {
    let limiter = limiter(2);
    let held = [at_once(&limiter, 1, RequestClass::Calls).await, at_once(&limiter, 1, RequestClass::Calls).await];
    let (mut third, mut fourth) =
        (pin!(limiter.acquire(tenant(1), RequestClass::Calls)), pin!(limiter.acquire(tenant(1), RequestClass::Calls)));
    assert!(poll_once(&mut third).await.is_none() && poll_once(&mut fourth).await.is_none());
    let refused = limiter.acquire(tenant(1), RequestClass::Calls).await.err().unwrap();
    assert_eq!((refused.code(), refused.retry_seconds()), (Code::SlowDown, Some(1)));
    let others = [at_once(&limiter, 2, RequestClass::Calls).await, at_once(&limiter, 1, RequestClass::Uploads).await];
    drop(held);
    let third = third.await.unwrap();
    let fourth = fourth.await.unwrap();
    assert_eq!(remembered(&limiter), 3);
    drop((third, fourth, others));
    assert_eq!(remembered(&limiter), 0, "nobody is there, and nothing is remembered");
}

#[tokio::test]
async fn tenant_hashes_one_password_at_a_time() {
    let limiter = limiter(8);
    let turn = at_once(&limiter, 1, RequestClass::Passwords).await;
    let mut next = pin!(limiter.acquire(tenant(1), RequestClass::Passwords));
    assert!(poll_once(&mut next).await.is_none());
    let other = at_once(&limiter, 2, RequestClass::Passwords).await;
    drop(turn);
    drop((next.await.unwrap(), other));
    assert_eq!(remembered(&limiter), 0);
}

#[tokio::test]
async fn queue_is_first_in_first_out_and_skips_cancelled_requests() {
    let limiter = limiter(1);
    let turn = at_once(&limiter, 1, RequestClass::Reads).await;
    let other = at_once(&limiter, 1, RequestClass::Reads).await;
    let mut waiting: Vec<_> = (0..5).map(|_| Box::pin(limiter.acquire(tenant(1), RequestClass::Reads))).collect();
    for one in &mut waiting {
        assert!(poll_once(&mut one.as_mut()).await.is_none());
    }
    drop(waiting.remove(0));
    drop(turn);
    let second = poll_once(&mut waiting[0].as_mut()).await.expect("the next in line").unwrap();
    assert!(poll_once(&mut waiting[1].as_mut()).await.is_none());
    // This request gets the permit, and is dropped before it is polled.
    drop(other);
    drop(waiting.remove(1));
    let third = poll_once(&mut waiting[1].as_mut()).await.expect("the next in line").unwrap();
    drop((second, third, waiting));
    assert_eq!(remembered(&limiter), 0);
}

#[tokio::test]
async fn cancelled_requests_free_their_queue_positions() {
    let limiter = limiter(1);
    let turn = at_once(&limiter, 1, RequestClass::Calls).await;
    for _ in 0..100 {
        let mut left = pin!(limiter.acquire(tenant(1), RequestClass::Calls));
        assert!(poll_once(&mut left).await.is_none());
    }
    let mut stays = pin!(limiter.acquire(tenant(1), RequestClass::Calls));
    assert!(poll_once(&mut stays).await.is_none());
    assert_eq!(limiter.queues().values().map(|line| line.waiting.len()).sum::<usize>(), 1, "who left is forgotten");
    drop(turn);
    assert!(stays.await.is_ok());
    assert_eq!(remembered(&limiter), 0);
}

#[tokio::test]
async fn uploads_are_not_queued_and_do_not_block_calls() {
    let limiter = limiter(2);
    let uploads =
        [at_once(&limiter, 1, RequestClass::Uploads).await, at_once(&limiter, 1, RequestClass::Uploads).await];
    assert!(limiter.acquire(tenant(1), RequestClass::Uploads).await.is_err());
    drop(at_once(&limiter, 1, RequestClass::Calls).await);
    drop(uploads);
    assert_eq!(remembered(&limiter), 0);
}

#[tokio::test]
async fn tenant_permits_are_capped_at_a_share_of_the_installation() {
    let limits = |requests, requests_per_company| Limits { requests, requests_per_company, ..Limits::default() };
    for (requests, per_company, expected) in [(256, 32, 32), (256, 1_000, 64), (8, 32, 2), (1, 32, 1), (256, 0, 0)] {
        assert_eq!(TenantLimiter::new(&limits(requests, per_company), 2).0.calls, expected, "{requests} {per_company}");
    }
    let none = limiter(0);
    for lane in [RequestClass::Calls, RequestClass::Uploads, RequestClass::Reads, RequestClass::Searches] {
        assert!(none.acquire(tenant(1), lane).await.unwrap().is_none(), "{lane:?}");
    }
    assert_eq!(remembered(&none), 0);
}

#[tokio::test]
async fn request_that_acquires_twice_has_one_permit() {
    let limiter = limiter(1);
    let kept = RequestPermit::new(RequestClass::Calls);
    for _ in 0..2 {
        let mut taking = pin!(kept.acquire(&limiter, tenant(1), MEMBER));
        poll_once(&mut taking).await.expect("a turn at once").unwrap();
    }
    let in_the_request = kept.clone();
    drop(kept);
    assert_eq!(remembered(&limiter), 1);
    drop(in_the_request);
    assert_eq!(remembered(&limiter), 0);
}

#[tokio::test]
async fn dominant_tenant_yields_to_others() {
    let limiter = limiter(8);
    let noisy = tenant(1);
    let quiet = tenant(2);
    for n in 0..100 {
        assert!(!limiter.is_dominant(noisy), "nobody else asked: {n}");
    }
    assert!(!limiter.is_dominant(quiet));
    let calls: Vec<_> = (0..5).map(|_| RequestPermit::new(RequestClass::Calls)).collect();
    let (mut first, mut second) =
        (Box::pin(calls[0].acquire(&limiter, noisy, MEMBER)), Box::pin(calls[1].acquire(&limiter, noisy, MEMBER)));
    assert!(poll_once(&mut first.as_mut()).await.is_none() && poll_once(&mut second.as_mut()).await.is_none());
    let mut other = Box::pin(calls[2].acquire(&limiter, quiet, MEMBER));
    poll_once(&mut other.as_mut()).await.expect("who asks seldom waits for nobody").unwrap();
    assert!(poll_once(&mut second.as_mut()).await.is_none(), "one after the other");
    drop(other);
    first.await.unwrap();
    second.await.unwrap();
    // A request that was dropped while it yielded holds up no other.
    let mut given_up = Box::pin(calls[3].acquire(&limiter, noisy, MEMBER));
    assert!(poll_once(&mut given_up.as_mut()).await.is_none());
    drop(given_up);
    calls[4].acquire(&limiter, noisy, MEMBER).await.unwrap();
    assert_eq!(limiter.0.recent.lock().len(), RECENT_CALLS);
    for _ in 0..RECENT_CALLS {
        limiter.is_dominant(noisy);
    }
    assert!(!limiter.is_dominant(noisy), "the other asked too long ago");
    drop(calls);
    assert_eq!(remembered(&limiter), 0);
}

#[tokio::test]
async fn uploads_of_one_member_leave_permits_for_other_members() {
    let limiter = limiter(8);
    let member = |n| MemberId::from_bytes([n; 16]);
    let uploads: Vec<RequestPermit> = (0..3).map(|_| RequestPermit::new(RequestClass::Uploads)).collect();
    for upload in &uploads[..2] {
        upload.acquire(&limiter, tenant(1), member(1)).await.unwrap();
    }
    assert_eq!(uploads[2].acquire(&limiter, tenant(1), member(1)).await.err().unwrap().code(), Code::SlowDown);
    uploads[2].acquire(&limiter, tenant(1), member(2)).await.unwrap();
    drop(uploads);
    assert_eq!(remembered(&limiter), 0);
}
