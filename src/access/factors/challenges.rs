//! Challenges that wait for a response: in memory, bounded, each valid for five minutes and once.

use std::{
    collections::{HashMap, VecDeque},
    net::IpAddr,
};

use parking_lot::Mutex;

use crate::kernel::{Entropy, Timestamp, hex};

/// Milliseconds for which a challenge is valid.
const LIFE: i64 = 5 * 60_000;
/// Challenges that wait at once; the oldest is dropped first.
const MOST: usize = 10_000;
/// The share of one address (for IPv6, of one /64): an address that asks without end displaces only its own.
const SHARE: usize = 500;

type Name = [u8; 32];

/// Challenges of one kind.
pub(crate) struct Challenges<T> {
    waiting: Mutex<Waiting<T>>,
}

struct Waiting<T> {
    questions: HashMap<Name, (Timestamp, T)>,
    /// In the order in which they were issued, with the key of the client; some have been answered.
    order: VecDeque<(Name, u64)>,
}

impl<T> Default for Challenges<T> {
    fn default() -> Self {
        Self { waiting: Mutex::new(Waiting { questions: HashMap::new(), order: VecDeque::new() }) }
    }
}

/// Returns the key of a client's address.
fn asker(address: IpAddr) -> u64 {
    match address.to_canonical() {
        IpAddr::V4(v4) => u64::from(v4.to_bits()),
        IpAddr::V6(v6) => (v6.to_bits() >> 64) as u64,
    }
}

impl<T> Waiting<T> {
    /// Drops the oldest challenges while they are expired, answered or too many, and the client's oldest above its
    /// share.
    fn make_room(&mut self, from: u64, now: Timestamp) {
        while let Some((oldest, _)) = self.order.front() {
            let over = self.questions.get(oldest).is_none_or(|(until, _)| *until <= now);
            if !over && self.order.len() < MOST {
                break;
            }
            self.questions.remove(oldest);
            self.order.pop_front();
        }
        if self.order.iter().filter(|(_, who)| *who == from).count() >= SHARE
            && let Some(place) = self.order.iter().position(|(_, who)| *who == from)
            && let Some((name, _)) = self.order.remove(place)
        {
            self.questions.remove(&name);
        }
    }
}

impl<T> Challenges<T> {
    /// Stores a challenge, and returns the name under which it waits.
    pub(crate) fn ask(&self, question: T, from: IpAddr, now: Timestamp, entropy: &Entropy) -> String {
        let name = entropy.bytes::<32>();
        let from = asker(from);
        let mut waiting = self.waiting.lock();
        waiting.make_room(from, now);
        waiting.questions.insert(name, (now.plus_millis(LIFE), question));
        waiting.order.push_back((name, from));
        hex::encode(&name)
    }

    /// Takes a waiting challenge, so that it is answered only once.
    pub(crate) fn take(&self, name: &str, now: Timestamp) -> Option<T> {
        let name: Name = hex::decode(name)?.try_into().ok()?;
        let mut waiting = self.waiting.lock();
        let (until, question) = waiting.questions.remove(&name)?;
        (now < until).then_some(question)
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
    fn a_question_is_answered_once_and_in_time() {
        let challenges = Challenges::default();
        let entropy = Entropy::seeded(1);
        let now = now();
        let id = challenges.ask(7, HERE, now, &entropy);
        assert_eq!((challenges.take(&id, now), challenges.take(&id, now)), (Some(7), None));
        let id = challenges.ask(8, HERE, now, &entropy);
        assert_eq!(challenges.take(&id, now.plus_millis(LIFE)), None);
        let id = challenges.ask(9, HERE, now, &entropy);
        assert_eq!(challenges.take(&id, now.plus_millis(LIFE - 1)), Some(9));
        assert_eq!(challenges.take("", now), None);
        assert_eq!(challenges.take(&"0".repeat(64), now), None);
    }

    #[test]
    fn asking_cannot_fill_the_memory() {
        let challenges = Challenges::default();
        let entropy = Entropy::seeded(1);
        let now = now();
        let first = challenges.ask(0, HERE, now, &entropy);
        for n in 0..u32::try_from(MOST * 2).unwrap() {
            let id = challenges.ask(n, IpAddr::from(n.to_be_bytes()), now, &entropy);
            if n % 2 == 0 {
                challenges.take(&id, now);
            }
        }
        let waiting = challenges.waiting.lock();
        assert!(waiting.questions.len() <= MOST && waiting.order.len() <= MOST);
        drop(waiting);
        assert_eq!(challenges.take(&first, now), None);
    }

    #[test]
    fn who_asks_without_end_forgets_only_their_own() {
        let challenges = Challenges::default();
        let entropy = Entropy::seeded(1);
        let now = now();
        let mine = challenges.ask(1, HERE, now, &entropy);
        let flood: IpAddr = "2001:db8::1".parse().unwrap();
        let first = challenges.ask(2, flood, now, &entropy);
        for n in 0..u128::try_from(SHARE).unwrap() {
            let neighbour = IpAddr::V6((0x2001_0db8_u128 << 96 | n).into());
            challenges.ask(3, neighbour, now, &entropy);
        }
        assert_eq!((challenges.take(&mine, now), challenges.take(&first, now)), (Some(1), None));
    }
}
