//! Memory limits for bodies: bounded in total, with a share per address, tenant and member, so that one sender cannot
//! use up the memory of others.

use std::{collections::HashMap, net::IpAddr, sync::Arc};

use parking_lot::{Mutex, MutexGuard};

use crate::kernel::{Code, Error, Limit, MemberId, Result, TenantId};

/// A share of the memory, by its owner.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Share {
    /// All senders together.
    All,
    /// One client address, see [`crate::kernel::address_block`].
    Address(IpAddr),
    /// One tenant.
    Company(TenantId),
    /// One member of a tenant.
    Member(TenantId, MemberId),
}

/// Bytes held per owner. Clones share the same pool.
#[derive(Clone, Debug, Default)]
pub(super) struct Pool(Arc<Mutex<HashMap<Share, usize>>>);

impl Pool {
    /// Creates an empty reservation. `shares` are the owners that it counts for and their limits in bytes.
    pub fn reserve(&self, shares: Vec<(Share, usize)>) -> Reservation {
        Reservation { pool: self.clone(), shares, bytes: 0 }
    }

    fn taken(&self) -> MutexGuard<'_, HashMap<Share, usize>> {
        self.0.lock()
    }
}

/// The bytes that one body holds of a pool, released on drop.
#[derive(Debug)]
pub(super) struct Reservation {
    pool: Pool,
    shares: Vec<(Share, usize)>,
    bytes: usize,
}

impl Reservation {
    /// Reserves further bytes.
    /// Errors: `slow_down` if the share of the tenant or the member is used up, `busy` if that of the address or of all
    /// senders is. Nothing is reserved then.
    pub fn grow(&mut self, bytes: usize) -> Result<()> {
        let mut taken = self.pool.taken();
        for (whose, share) in &self.shares {
            if taken.get(whose).copied().unwrap_or(0).saturating_add(bytes) > *share {
                Limit::Memory.count_hit();
                let error = match whose {
                    Share::All | Share::Address(_) => Error::new(Code::Busy),
                    Share::Company(_) | Share::Member(..) => {
                        Error::new(Code::SlowDown).say("errors.company_busy", Vec::new())
                    }
                };
                return Err(error.retry_after(1));
            }
        }
        for (whose, _) in &self.shares {
            *taken.entry(*whose).or_default() += bytes;
        }
        self.bytes += bytes;
        Ok(())
    }

    /// Releases all bytes.
    pub fn release(&mut self) {
        let mut taken = self.pool.taken();
        for (whose, _) in &self.shares {
            if let Some(count) = taken.get_mut(whose) {
                *count = count.saturating_sub(self.bytes);
                if *count == 0 {
                    taken.remove(whose);
                }
            }
        }
        self.bytes = 0;
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        self.release();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_memory_per_address_and_in_total() {
        let pool = Pool::default();
        let address = |last| Share::Address(IpAddr::from([10, 0, 0, last]));
        let held = |last| pool.reserve(vec![(Share::All, 10), (address(last), 4)]);
        let mut one = held(1);
        let mut again = held(1);
        let mut other = held(2);
        one.grow(3).unwrap();
        assert_eq!(again.grow(2).unwrap_err().code(), Code::Busy);
        again.grow(1).unwrap();
        other.grow(4).unwrap();
        let mut third = held(3);
        assert_eq!(third.grow(3).unwrap_err().code(), Code::Busy, "all together");
        third.grow(2).unwrap();
        drop((one, again, other, third));
        assert!(pool.taken().is_empty());
    }

    #[test]
    fn member_beyond_its_memory_share_gets_slow_down() {
        let pool = Pool::default();
        let tenant = TenantId::from_bytes([1; 16]).unwrap();
        let member = MemberId::from_bytes([2; 16]);
        let mut held = pool.reserve(vec![(Share::Company(tenant), 8), (Share::Member(tenant, member), 4)]);
        assert_eq!(held.grow(5).unwrap_err().code(), Code::SlowDown);
        held.grow(4).unwrap();
    }
}
