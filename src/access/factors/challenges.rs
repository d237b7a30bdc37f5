//! Challenges that wait for a response: in memory, bounded, each valid for five minutes and once.

use std::{
    collections::{HashMap, VecDeque},
    net::IpAddr,
};

use parking_lot::Mutex;

use crate::kernel::{Entropy, Timestamp, address_block, hex};

/// Seconds for which a challenge is valid: of passkeys, and of sign-ins at a provider.
pub(crate) const CHALLENGE_SECONDS: i64 = 5 * 60;
/// Challenges that wait at once; the oldest is dropped first.
const MAX_CHALLENGES: usize = 10_000;
/// The share of one address (for IPv6, of one /64): an address that asks without end displaces only its own.
const MAX_PER_ADDRESS: usize = 500;

type Name = [u8; 32];

/// Challenges of one kind.
pub(crate) struct Challenges<T> {
    pending: Mutex<Pending<T>>,
}

struct Pending<T> {
    challenges: HashMap<Name, (Timestamp, T)>,
    /// In the order in which they were issued, with the key of the client; some have been answered.
    order: VecDeque<(Name, IpAddr)>,
}

impl<T> Default for Challenges<T> {
    fn default() -> Self {
        Self { pending: Mutex::new(Pending { challenges: HashMap::new(), order: VecDeque::new() }) }
    }
}

impl<T> Pending<T> {
    /// Drops the oldest challenges while they are expired, answered or too many, and the client's oldest above its
    /// share.
    fn make_room(&mut self, from: IpAddr, now: Timestamp) {
        while let Some((oldest, _)) = self.order.front() {
            let over = self.challenges.get(oldest).is_none_or(|(until, _)| *until <= now);
            if !over && self.order.len() < MAX_CHALLENGES {
                break;
            }
            self.challenges.remove(oldest);
            self.order.pop_front();
        }
        if self.order.iter().filter(|(_, who)| *who == from).count() >= MAX_PER_ADDRESS
            && let Some(place) = self.order.iter().position(|(_, who)| *who == from)
            && let Some((name, _)) = self.order.remove(place)
        {
            self.challenges.remove(&name);
        }
    }
}

impl<T> Challenges<T> {
    /// Stores a challenge, and returns the name under which it waits.
    pub(crate) fn issue(&self, challenge: T, from: IpAddr, now: Timestamp, entropy: &Entropy) -> String {
        let name = entropy.bytes::<32>();
        let from = address_block(from);
        let mut pending = self.pending.lock();
        pending.make_room(from, now);
        pending.challenges.insert(name, (now.plus_seconds(CHALLENGE_SECONDS), challenge));
        pending.order.push_back((name, from));
        hex::encode(&name)
    }

    /// Takes a waiting challenge, so that it is answered only once.
    pub(crate) fn take(&self, name: &str, now: Timestamp) -> Option<T> {
        let name: Name = hex::decode(name)?.try_into().ok()?;
        let mut pending = self.pending.lock();
        let (until, challenge) = pending.challenges.remove(&name)?;
        (now < until).then_some(challenge)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HERE: IpAddr = IpAddr::V4(std::net::Ipv4Addr::LOCALHOST);

    fn now() -> Timestamp {
        Timestamp::from_millis(1_700_000_000_000)
    }

    #[test]
    fn challenge_is_taken_once_and_before_it_expires() {
        let challenges = Challenges::default();
        let entropy = Entropy::seeded(1);
        let now = now();
        let id = challenges.issue(7, HERE, now, &entropy);
        assert_eq!((challenges.take(&id, now), challenges.take(&id, now)), (Some(7), None));
        let id = challenges.issue(8, HERE, now, &entropy);
        assert_eq!(challenges.take(&id, now.plus_seconds(CHALLENGE_SECONDS)), None);
        let id = challenges.issue(9, HERE, now, &entropy);
        assert_eq!(challenges.take(&id, now.plus_millis(CHALLENGE_SECONDS * 1000 - 1)), Some(9));
        assert_eq!(challenges.take("", now), None);
        assert_eq!(challenges.take(&"0".repeat(64), now), None);
    }

    #[test]
    fn issuing_uses_bounded_memory() {
        let challenges = Challenges::default();
        let entropy = Entropy::seeded(1);
        let now = now();
        let first = challenges.issue(0, HERE, now, &entropy);
        for n in 0..u32::try_from(MAX_CHALLENGES * 2).unwrap() {
            let id = challenges.issue(n, IpAddr::from(n.to_be_bytes()), now, &entropy);
            if n % 2 == 0 {
                challenges.take(&id, now);
            }
        }
        let pending = challenges.pending.lock();
        assert!(pending.challenges.len() <= MAX_CHALLENGES && pending.order.len() <= MAX_CHALLENGES);
        drop(pending);
        assert_eq!(challenges.take(&first, now), None);
    }

    #[test]
    fn flood_from_one_address_evicts_only_its_own_challenges() {
        let challenges = Challenges::default();
        let entropy = Entropy::seeded(1);
        let now = now();
        let mine = challenges.issue(1, HERE, now, &entropy);
        let flood: IpAddr = "2001:db8::1".parse().unwrap();
        let first = challenges.issue(2, flood, now, &entropy);
        for n in 0..u128::try_from(MAX_PER_ADDRESS).unwrap() {
            let neighbour = IpAddr::V6((0x2001_0db8_u128 << 96 | n).into());
            challenges.issue(3, neighbour, now, &entropy);
        }
        assert_eq!((challenges.take(&mine, now), challenges.take(&first, now)), (Some(1), None));
    }
}
