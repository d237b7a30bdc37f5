//! Fairness between tenants: a concurrency limit and a bounded wait queue for each tenant and class of request, so
//! that no tenant uses up the server. A tenant without requests in progress takes no memory.

use std::{
    collections::{HashMap, VecDeque},
    sync::Arc,
};

use parking_lot::{Mutex, MutexGuard};
use tokio::{sync::oneshot, task::yield_now};

use crate::{
    config::Limits,
    kernel::{Code, Error, Limit, MemberId, Result, TenantId},
};

/// Recent calls from which it is decided whether one tenant makes more than all others together.
const RECENT_CALLS: usize = 32;

/// What a permit is for. Each class of a tenant has permits of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RequestClass {
    /// Ordinary calls.
    Calls,
    /// Uploads, which may be slow and must not hold up other calls. They are never queued: a waiting upload would keep a
    /// permit of the installation for an unlimited time.
    Uploads,
    /// Uploads of one member: at most a quarter of the tenant's.
    UploadsOf(MemberId),
    /// Lists, counters and other work on blocking threads. Each belongs to a call that has a permit, so the limit of calls
    /// bounds this queue.
    Reads,
    /// Searches, which also share the installation's search permits. Bounded like `Reads`.
    Searches,
    /// Hashings of passwords, which run one at a time: each takes a core for long, and sign-ins of all tenants wait for
    /// the same threads. Bounded like `Reads`.
    Passwords,
    /// Calls of a dominant tenant, which start one at a time.
    Serialized,
}

/// How many permits a class has, and how many requests may wait for one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Size {
    permits: usize,
    queue: usize,
}

/// The permits and wait queues of all tenants. Clones share their state.
#[derive(Clone)]
pub(super) struct TenantLimiter(Arc<Inner>);

struct Inner {
    /// Permits of a tenant for calls; 0 is no limit.
    calls: usize,
    /// Blocking threads that one tenant may keep busy.
    reads: usize,
    queues: Mutex<HashMap<(TenantId, RequestClass), WaitQueue>>,
    /// The tenants of the most recent calls.
    recent: Mutex<VecDeque<TenantId>>,
}

/// The permits in use of one tenant and class, and the requests that wait for one, in order of arrival.
#[derive(Default)]
struct WaitQueue {
    in_use: usize,
    waiting: VecDeque<oneshot::Sender<Permit>>,
}

/// A permit, released when it is dropped.
pub(super) struct Permit {
    limiter: TenantLimiter,
    owner: (TenantId, RequestClass),
}

/// The answer to a request for a permit.
enum Admission {
    Granted,
    Queued(oneshot::Receiver<Permit>),
    Refused,
}

impl TenantLimiter {
    /// Creates an empty limiter for a machine with this many cores.
    ///
    /// A tenant has at most a quarter of the installation's permits for calls, a queue of the same length, and another
    /// quarter for uploads: together at most half, so one tenant never uses up all of them.
    pub(super) fn new(limits: &Limits, cores: usize) -> Self {
        let calls = limits.requests_per_company.min(limits.most_per_company());
        let recent = Mutex::new(VecDeque::with_capacity(RECENT_CALLS));
        Self(Arc::new(Inner { calls, reads: cores, queues: Mutex::default(), recent }))
    }

    /// Acquires a permit, after the requests that already wait; `None` where there is no limit.
    /// Errors: `slow_down` when the queue is full.
    pub(super) async fn acquire(&self, tenant: TenantId, class: RequestClass) -> Result<Option<Permit>> {
        let owner = (tenant, class);
        let Some(size) = self.size(class) else { return Ok(None) };
        match self.admit(owner, size) {
            Admission::Granted => Ok(Some(Permit { limiter: self.clone(), owner })),
            Admission::Queued(permit) => permit.await.map(Some).map_err(Error::internal),
            Admission::Refused => {
                Limit::RequestsPerCompany.count_hit();
                Err(Error::new(Code::SlowDown).say("errors.company_busy", Vec::new()).retry_after(1))
            }
        }
    }

    /// Notes a call of a tenant, and answers whether it made more of the recent calls than all others together.
    fn is_dominant(&self, tenant: TenantId) -> bool {
        let mut recent = self.0.recent.lock();
        if recent.len() == RECENT_CALLS {
            recent.pop_front();
        }
        recent.push_back(tenant);
        let own = recent.iter().filter(|one| **one == tenant).count();
        let others = recent.len() - own;
        own > others && others > 0
    }

    /// Yields to the requests of all others that are ready to run. Most calls are complete after their first poll:
    /// without this, the tenant that sends most would be served most, however few permits it has.
    async fn yield_to_others(&self, tenant: TenantId) -> Result<()> {
        let _permit = self.acquire(tenant, RequestClass::Serialized).await?;
        yield_now().await;
        Ok(())
    }

    fn size(&self, class: RequestClass) -> Option<Size> {
        let permits = self.0.calls;
        let size = match class {
            RequestClass::Calls => Size { permits, queue: permits },
            RequestClass::Uploads => Size { permits, queue: 0 },
            RequestClass::UploadsOf(_) => Size { permits: (permits / 4).max(1), queue: 0 },
            RequestClass::Reads | RequestClass::Searches => Size { permits: self.0.reads, queue: usize::MAX },
            RequestClass::Passwords | RequestClass::Serialized => Size { permits: 1, queue: usize::MAX },
        };
        (permits > 0).then_some(size)
    }

    fn queues(&self) -> MutexGuard<'_, HashMap<(TenantId, RequestClass), WaitQueue>> {
        self.0.queues.lock()
    }

    fn admit(&self, owner: (TenantId, RequestClass), size: Size) -> Admission {
        let mut queues = self.queues();
        let queue = queues.entry(owner).or_default();
        if queue.in_use < size.permits {
            queue.in_use += 1;
            return Admission::Granted;
        }
        if queue.waiting.len() >= size.queue {
            // Requests that were dropped while they waited are removed only here.
            queue.waiting.retain(|one| !one.is_closed());
        }
        if queue.waiting.len() >= size.queue {
            return Admission::Refused;
        }
        let (sender, permit) = oneshot::channel();
        queue.waiting.push_back(sender);
        Admission::Queued(permit)
    }

    /// Hands a released permit to the next request in the queue; `None` when no request waits.
    fn next(&self, owner: (TenantId, RequestClass)) -> Option<oneshot::Sender<Permit>> {
        let mut queues = self.queues();
        let queue = queues.get_mut(&owner)?;
        while let Some(next) = queue.waiting.pop_front() {
            if !next.is_closed() {
                return Some(next);
            }
        }
        queue.in_use -= 1;
        if queue.in_use == 0 {
            queues.remove(&owner);
        }
        None
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        if let Some(next) = self.limiter.next(self.owner) {
            // A receiver dropped at this moment drops the permit as well, which hands it on.
            drop(next.send(Self { limiter: self.limiter.clone(), owner: self.owner }));
        }
    }
}

/// Holds a request's permits until its response is complete. The HTTP pipeline puts it into the request; the permits
/// are acquired once the caller's tenant is known. A request without it needs none.
#[derive(Clone)]
pub struct RequestPermit(Arc<(RequestClass, Mutex<Vec<Permit>>)>);

impl RequestPermit {
    /// For a request of this class.
    pub fn new(class: RequestClass) -> Self {
        Self(Arc::new((class, Mutex::default())))
    }

    /// Acquires the permits of the tenant and, for uploads, of the member. Does nothing when the request has them.
    /// Errors: `slow_down` when the queue is full.
    pub(super) async fn acquire(&self, limiter: &TenantLimiter, tenant: TenantId, member: MemberId) -> Result<()> {
        let (class, permits) = &*self.0;
        if !lock(permits).is_empty() {
            return Ok(());
        }
        let own = match class {
            RequestClass::Uploads => limiter.acquire(tenant, RequestClass::UploadsOf(member)).await?,
            _ => None,
        };
        let all = limiter.acquire(tenant, *class).await?;
        *lock(permits) = own.into_iter().chain(all).collect();
        if limiter.is_dominant(tenant) {
            limiter.yield_to_others(tenant).await?;
        }
        Ok(())
    }
}

fn lock(permits: &Mutex<Vec<Permit>>) -> MutexGuard<'_, Vec<Permit>> {
    permits.lock()
}

#[cfg(test)]
mod tests;
