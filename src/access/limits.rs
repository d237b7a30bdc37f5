//! Limits on guessing: after a few failures an account, and an address, must wait, each time twice as
//! long. The table is bounded, so that guessing cannot fill the memory either.

use std::{collections::HashMap, net::IpAddr, sync::Mutex};

use crate::{
    config::SignIn,
    kernel::{Code, Error, Result, Timestamp},
};

/// Entries kept; the least recent are forgotten first.
const ENTRIES: usize = 100_000;

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Key(u64);

#[derive(Clone, Copy, Debug)]
struct Entry {
    failures: u32,
    last: Timestamp,
}

/// Counts failures.
pub struct Limits {
    entries: Mutex<HashMap<Key, Entry>>,
    settings: SignIn,
}

fn account_key(email: &str) -> Key {
    Key(xxhash_rust::xxh3::xxh3_64_with_seed(email.as_bytes(), 1))
}

/// An IPv6 address counts by its /64, which one subscriber has whole.
fn address_key(address: IpAddr) -> Key {
    let bytes = match address.to_canonical() {
        IpAddr::V4(v4) => v4.octets().to_vec(),
        IpAddr::V6(v6) => v6.octets()[..8].to_vec(),
    };
    Key(xxhash_rust::xxh3::xxh3_64_with_seed(&bytes, 2))
}

impl Limits {
    /// Counts under these settings.
    #[must_use]
    pub fn new(settings: &SignIn) -> Self {
        Self { entries: Mutex::default(), settings: settings.clone() }
    }

    /// Seconds to wait after so many failures: 1, 2, 4, ... up to the longest wait.
    fn wait(&self, failures: u32, free: u32) -> i64 {
        let Some(over) = failures.checked_sub(free) else { return 0 };
        let longest = i64::try_from(self.settings.longest_delay.as_secs()).unwrap_or(i64::MAX).max(1);
        // Beyond 62 doublings the shift itself would wrap round.
        1_i64.checked_shl(over.min(62)).unwrap_or(longest).clamp(1, longest)
    }

    /// Lets somebody try, and counts the try as a failure until it is known better: a thousand tries at the same
    /// moment are a thousand, whatever the order in which they are answered.
    ///
    /// # Errors
    /// `slow_down` with the seconds to wait.
    pub fn attempt(&self, email: &str, address: IpAddr, now: Timestamp) -> Result<()> {
        let mut entries = self.entries();
        let keys = [
            (account_key(email), self.settings.account_failures),
            (address_key(address), self.settings.address_failures),
        ];
        let left = |(key, free)| {
            entries.get(&key).map_or(0, |entry: &Entry| {
                let wait = self.wait(entry.failures, free).saturating_mul(1000);
                // A clock that was set back makes nobody wait longer.
                entry.last.plus_millis(wait).millis().saturating_sub(now.millis()).min(wait)
            })
        };
        let left = keys.into_iter().map(left).max().unwrap_or(0);
        if left > 0 {
            let seconds = u32::try_from((left + 999) / 1000).unwrap_or(1);
            return Err(Error::new(Code::SlowDown).retry_after(seconds));
        }
        if entries.len() >= ENTRIES {
            let mut times: Vec<Timestamp> = entries.values().map(|entry| entry.last).collect();
            let (_, median, _) = times.select_nth_unstable(ENTRIES / 2);
            let median = *median;
            entries.retain(|_, entry| entry.last > median);
        }
        for (key, _) in keys {
            let entry = entries.entry(key).or_insert(Entry { failures: 0, last: now });
            // A day without a failure forgets the ones before.
            let forgotten = now.millis() - entry.last.millis() > 86_400_000;
            entry.failures = if forgotten { 1 } else { entry.failures.saturating_add(1) };
            entry.last = now;
        }
        Ok(())
    }

    /// Takes back a try whose password was not looked at.
    pub fn untried(&self, email: &str, address: IpAddr) {
        let mut entries = self.entries();
        for key in [account_key(email), address_key(address)] {
            if let Some(entry) = entries.get_mut(&key) {
                entry.failures = entry.failures.saturating_sub(1);
            }
        }
    }

    /// Forgets an account's failures after it signed in, and takes back the try.
    pub fn succeeded(&self, email: &str, address: IpAddr) {
        self.untried(email, address);
        self.entries().remove(&account_key(email));
    }

    fn entries(&self) -> std::sync::MutexGuard<'_, HashMap<Key, Entry>> {
        self.entries.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_failure_after_the_fifth_waits_twice_as_long() {
        let limits = Limits::new(&SignIn::default());
        let (address, mut now) = (IpAddr::from([10, 0, 0, 1]), Timestamp::from_millis(1_700_000_000_000));
        let mut waits = Vec::new();
        for _ in 0..16 {
            let refused = limits.attempt("ada", address, now).err();
            let seconds = refused.as_ref().and_then(Error::retry_seconds).unwrap_or(0);
            waits.push(seconds);
            now = now.plus_seconds(i64::from(seconds));
            if refused.is_some() {
                limits.attempt("ada", address, now).unwrap();
            }
        }
        assert_eq!(waits, [0, 0, 0, 0, 0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900]);
        limits.succeeded("ada", address);
        limits.attempt("ada", address, now).unwrap();
    }

    #[test]
    fn tries_that_were_not_looked_at_do_not_count() {
        let limits = Limits::new(&SignIn::default());
        let (address, now) = (IpAddr::from([10, 0, 0, 1]), Timestamp::from_millis(1_700_000_000_000));
        for _ in 0..1_000 {
            limits.attempt("ada", address, now).unwrap();
            limits.untried("ada", address);
        }
    }

    #[test]
    fn a_clock_that_is_set_back_locks_nobody_out() {
        let limits = Limits::new(&SignIn::default());
        let (address, now) = (IpAddr::from([10, 0, 0, 1]), Timestamp::from_millis(1_700_000_000_000));
        limits.attempt("ada", address, now).unwrap();
        limits.attempt("ada", address, now.plus_seconds(-86_400)).unwrap();
    }

    #[test]
    fn one_address_cannot_try_many_accounts() {
        let limits = Limits::new(&SignIn::default());
        let (address, now) = (IpAddr::from([10, 0, 0, 1]), Timestamp::from_millis(1_700_000_000_000));
        for n in 0..SignIn::default().address_failures {
            limits.attempt(&n.to_string(), address, now).unwrap();
        }
        assert!(limits.attempt("another", address, now).is_err());
        limits.attempt("another", IpAddr::from([10, 0, 0, 2]), now).unwrap();
    }

    #[test]
    fn guessing_cannot_fill_the_memory() {
        let limits = Limits::new(&SignIn::default());
        for n in 0..100_010_u32 {
            let (address, now) = (IpAddr::from(n.to_be_bytes()), Timestamp::from_millis(i64::from(n)));
            limits.attempt(&n.to_string(), address, now).unwrap();
        }
        assert!(limits.entries.lock().unwrap().len() <= ENTRIES + 2);
    }
}
