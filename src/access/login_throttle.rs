//! Rate limiting of sign-ins per account and address: after a few failures each further one doubles the waiting time.
//! A browser from which the member signed in before is counted separately, so that other people's guesses do not lock
//! them out. Calls that need no sign-in are limited per address. The table is bounded, so that guessing cannot fill
//! the memory.

use std::{collections::HashMap, net::IpAddr};

use parking_lot::{Mutex, MutexGuard};
use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::{
    config::SignIn,
    kernel::{Code, Error, Limit, Result, Timestamp, address_block},
};

/// Entries kept; the older half is dropped when there are more.
const ENTRIES: usize = 100_000;
/// Milliseconds after which an address may make one more request.
const REFILL_MILLIS: i64 = 60_000;
/// Milliseconds without a failure after which earlier failures are dropped.
const FORGET_MILLIS: i64 = 86_400_000;

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Key(u64);

#[derive(Clone, Copy, Debug)]
struct Entry {
    failures: u32,
    last: Timestamp,
}

/// An attempt to sign in.
#[derive(Clone, Copy, Debug)]
pub struct LoginAttempt<'g> {
    /// The account: the e-mail address that was typed.
    pub account: &'g str,
    /// The client's IP address.
    pub address: IpAddr,
    /// The browser, if it signed in to that account before.
    pub known_device: Option<&'g [u8]>,
}

/// Counts failed sign-ins, and requests per address.
pub struct LoginThrottle {
    entries: Mutex<HashMap<Key, Entry>>,
    settings: SignIn,
    /// Random, so that an attacker cannot find two accounts with the same key.
    seed: u64,
}

impl LoginThrottle {
    /// Creates an empty throttle with these settings.
    pub fn new(settings: &SignIn, seed: u64) -> Self {
        Self { entries: Mutex::default(), settings: settings.clone(), seed }
    }

    fn key(&self, kind: u64, bytes: &[u8]) -> Key {
        Key(xxh3_64_with_seed(bytes, self.seed.wrapping_add(kind)))
    }

    fn address_key(&self, kind: u64, address: IpAddr) -> Key {
        match address_block(address) {
            IpAddr::V4(v4) => self.key(kind, &v4.octets()),
            IpAddr::V6(v6) => self.key(kind, &v6.octets()),
        }
    }

    /// Returns the keys that count an attempt, and how many failures each allows without a wait.
    fn keys(&self, attempt: LoginAttempt<'_>) -> Vec<(Key, u32)> {
        if let Some(device) = attempt.known_device {
            let both = [device, attempt.account.as_bytes()].concat();
            return vec![(self.key(3, &both), self.settings.account_failures)];
        }
        vec![
            (self.key(1, attempt.account.as_bytes()), self.settings.account_failures),
            (self.address_key(2, attempt.address), self.settings.address_failures),
        ]
    }

    /// Returns the seconds to wait after this many failures: 1, 2, 4, ... up to the longest wait.
    fn wait(&self, failures: u32, free: u32) -> i64 {
        let Some(over) = failures.checked_sub(free) else { return 0 };
        let longest = i64::try_from(self.settings.longest_delay.as_secs()).unwrap_or(i64::MAX).max(1);
        // A shift by more than 62 would overflow.
        1_i64.checked_shl(over.min(62)).unwrap_or(longest).clamp(1, longest)
    }

    /// Admits an attempt, and counts it as a failure until its result is known: a thousand attempts at the same moment
    /// count as a thousand, whatever the order of their results.
    /// Errors: `slow_down` with the seconds to wait.
    pub fn attempt(&self, attempt: LoginAttempt<'_>, now: Timestamp) -> Result<()> {
        let mut entries = self.entries();
        let keys = self.keys(attempt);
        let left = |(key, free): &(Key, u32)| {
            entries.get(key).map_or(0, |entry: &Entry| {
                let wait = self.wait(entry.failures, *free).saturating_mul(1000);
                // A clock that is set back makes no wait longer.
                entry.last.plus_millis(wait).millis().saturating_sub(now.millis()).min(wait)
            })
        };
        slow_down(keys.iter().map(left).max().unwrap_or(0))?;
        make_room(&mut entries);
        for (key, _) in keys {
            let entry = entries.entry(key).or_insert(Entry { failures: 0, last: now });
            let forgotten = now.millis() - entry.last.millis() > FORGET_MILLIS;
            entry.failures = if forgotten { 1 } else { entry.failures.saturating_add(1) };
            entry.last = now;
        }
        Ok(())
    }

    /// Takes back an attempt whose password was not checked.
    pub fn return_attempt(&self, attempt: LoginAttempt<'_>) {
        let mut entries = self.entries();
        for (key, _) in self.keys(attempt) {
            if let Some(entry) = entries.get_mut(&key) {
                entry.failures = entry.failures.saturating_sub(1);
            }
        }
    }

    /// Drops the failures of an account, or of a known browser, after a sign-in, and takes back the attempt.
    pub fn succeeded(&self, attempt: LoginAttempt<'_>) {
        self.return_attempt(attempt);
        if let Some((first, _)) = self.keys(attempt).first() {
            self.entries().remove(first);
        }
    }

    /// Admits a request that costs work or e-mail: at once as many of an address as it may have failures, then one a
    /// minute.
    /// Errors: `slow_down` with the seconds to wait.
    pub fn count_request(&self, address: IpAddr, now: Timestamp) -> Result<()> {
        let mut entries = self.entries();
        make_room(&mut entries);
        let entry = entries.entry(self.address_key(4, address)).or_insert(Entry { failures: 0, last: now });
        let passed = (now.millis() - entry.last.millis()) / REFILL_MILLIS;
        if passed > 0 {
            entry.failures = entry.failures.saturating_sub(u32::try_from(passed).unwrap_or(u32::MAX));
            entry.last = entry.last.plus_millis(passed * REFILL_MILLIS);
        }
        if entry.failures >= self.settings.address_failures {
            return slow_down((entry.last.millis() + REFILL_MILLIS - now.millis()).clamp(1, REFILL_MILLIS));
        }
        entry.failures += 1;
        Ok(())
    }

    fn entries(&self) -> MutexGuard<'_, HashMap<Key, Entry>> {
        self.entries.lock()
    }
}

fn slow_down(millis: i64) -> Result<()> {
    if millis <= 0 {
        return Ok(());
    }
    Limit::SignIn.count_hit();
    let seconds = u32::try_from((millis + 999) / 1000).unwrap_or(1);
    Err(Error::new(Code::SlowDown).retry_after(seconds))
}

/// Drops the older half when the table is full.
fn make_room(entries: &mut HashMap<Key, Entry>) {
    if entries.len() >= ENTRIES {
        let mut times: Vec<Timestamp> = entries.values().map(|entry| entry.last).collect();
        let (_, median, _) = times.select_nth_unstable(ENTRIES / 2);
        let median = *median;
        entries.retain(|_, entry| entry.last > median);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limits() -> LoginThrottle {
        LoginThrottle::new(&SignIn::default(), 7)
    }

    fn attempt(account: &str, address: u32) -> LoginAttempt<'_> {
        LoginAttempt { account, address: IpAddr::from(address.to_be_bytes()), known_device: None }
    }

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_millis(1_700_000_000_000).plus_seconds(seconds)
    }

    #[test]
    fn wait_doubles_with_each_failure_after_the_fifth() {
        let limits = limits();
        let ada = attempt("ada", 1);
        let mut now = at(0);
        let mut waits = Vec::new();
        for _ in 0..16 {
            let refused = limits.attempt(ada, now).err();
            let seconds = refused.as_ref().and_then(Error::retry_seconds).unwrap_or(0);
            waits.push(seconds);
            now = now.plus_seconds(i64::from(seconds));
            if refused.is_some() {
                limits.attempt(ada, now).unwrap();
            }
        }
        assert_eq!(waits, [0, 0, 0, 0, 0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900]);
        limits.succeeded(ada);
        limits.attempt(ada, now).unwrap();
    }

    #[test]
    fn ten_thousand_guesses_in_an_hour_get_fewer_than_thirty_attempts() {
        let limits = limits();
        let guesses =
            (0..10_000_u32).filter(|n| limits.attempt(attempt("ada", *n), at(i64::from(*n) * 36 / 100)).is_ok());
        let tried = guesses.count();
        assert!((10..30).contains(&tried), "{tried}");
    }

    #[test]
    fn known_device_is_not_locked_out_but_its_guesses_are_limited() {
        let limits = limits();
        for n in 0..10_000 {
            drop(limits.attempt(attempt("ada", n), at(0)));
        }
        limits.attempt(attempt("ada", 77), at(0)).unwrap_err();
        let known = LoginAttempt { known_device: Some(b"browser"), ..attempt("ada", 1) };
        for _ in 0..5 {
            limits.attempt(known, at(0)).unwrap();
        }
        limits.attempt(known, at(0)).unwrap_err();
        limits.attempt(LoginAttempt { account: "ben", ..known }, at(0)).unwrap();
        limits.attempt(known, at(1)).unwrap();
        limits.succeeded(known);
        limits.attempt(known, at(1)).unwrap();
    }

    #[test]
    fn returned_attempts_do_not_count() {
        let limits = limits();
        for _ in 0..1_000 {
            limits.attempt(attempt("ada", 1), at(0)).unwrap();
            limits.return_attempt(attempt("ada", 1));
        }
    }

    #[test]
    fn clock_set_back_does_not_lengthen_the_wait() {
        let limits = limits();
        limits.attempt(attempt("ada", 1), at(0)).unwrap();
        limits.attempt(attempt("ada", 1), at(-86_400)).unwrap();
        for _ in 0..30 {
            limits.count_request(attempt("", 1).address, at(0)).unwrap();
        }
        assert_eq!(limits.count_request(attempt("", 1).address, at(-86_400)).unwrap_err().retry_seconds(), Some(60));
    }

    #[test]
    fn limits_failures_of_one_address_across_accounts() {
        let limits = limits();
        for n in 0..SignIn::default().address_failures {
            limits.attempt(attempt(&n.to_string(), 1), at(0)).unwrap();
        }
        assert!(limits.attempt(attempt("another", 1), at(0)).is_err());
        limits.attempt(attempt("another", 2), at(0)).unwrap();
    }

    #[test]
    fn limits_requests_of_an_address_to_thirty_then_one_a_minute() {
        let limits = limits();
        let here = attempt("", 1).address;
        for _ in 0..30 {
            limits.count_request(here, at(0)).unwrap();
        }
        assert_eq!(limits.count_request(here, at(20)).unwrap_err().retry_seconds(), Some(40));
        limits.count_request(here, at(60)).unwrap();
        limits.count_request(here, at(60)).unwrap_err();
        limits.count_request(attempt("", 2).address, at(60)).unwrap();
        // One subscriber has a whole /64.
        let six = |tail: u16| IpAddr::from([0x2001, 0xdb8, 0, 1, 0, 0, 0, tail]);
        (0..30).for_each(|n| limits.count_request(six(n), at(0)).unwrap());
        limits.count_request(six(99), at(0)).unwrap_err();
    }

    #[test]
    fn attempts_use_bounded_memory() {
        let limits = limits();
        for n in 0..100_010_u32 {
            let now = Timestamp::from_millis(i64::from(n));
            limits.attempt(attempt(&n.to_string(), n), now).unwrap();
            limits.count_request(IpAddr::from(n.to_be_bytes()), now).unwrap();
        }
        assert!(limits.entries.lock().len() <= ENTRIES + 2);
    }
}
