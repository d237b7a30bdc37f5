//! What was asked of somebody and waits for the answer: in memory, bounded, for five minutes, once.

use std::{
    collections::{HashMap, VecDeque},
    sync::{Mutex, PoisonError},
};

use crate::kernel::{Entropy, Timestamp, hex};

/// Milliseconds that somebody has to answer.
const LIFE: i64 = 5 * 60_000;
/// Questions that wait at once; the oldest is forgotten first.
const MOST: usize = 10_000;

/// Questions of one kind.
pub(crate) struct Challenges<T> {
    waiting: Mutex<Waiting<T>>,
}

struct Waiting<T> {
    questions: HashMap<[u8; 32], (Timestamp, T)>,
    /// In the order in which they were asked; some have been answered.
    order: VecDeque<[u8; 32]>,
}

impl<T> Default for Challenges<T> {
    fn default() -> Self {
        Self { waiting: Mutex::new(Waiting { questions: HashMap::new(), order: VecDeque::new() }) }
    }
}

impl<T> Challenges<T> {
    /// Remembers a question, and answers with the name under which it waits.
    pub(crate) fn ask(&self, question: T, now: Timestamp, entropy: &Entropy) -> String {
        let id = entropy.bytes::<32>();
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        while let Some(oldest) = waiting.order.front().copied() {
            let over = waiting.questions.get(&oldest).is_none_or(|(until, _)| *until <= now);
            if !over && waiting.order.len() < MOST {
                break;
            }
            waiting.order.pop_front();
            waiting.questions.remove(&oldest);
        }
        waiting.questions.insert(id, (now.plus_millis(LIFE), question));
        waiting.order.push_back(id);
        hex::encode(&id)
    }

    /// Takes a question that waits: nobody answers it again.
    pub(crate) fn take(&self, id: &str, now: Timestamp) -> Option<T> {
        let id: [u8; 32] = hex::decode(id)?.try_into().ok()?;
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        let (until, question) = waiting.questions.remove(&id)?;
        (now < until).then_some(question)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_is_answered_once_and_in_time() {
        let (challenges, entropy) = (Challenges::default(), Entropy::seeded(1));
        let now = Timestamp::from_millis(1_700_000_000_000);
        let id = challenges.ask(7, now, &entropy);
        assert_eq!((challenges.take(&id, now), challenges.take(&id, now)), (Some(7), None));
        let id = challenges.ask(8, now, &entropy);
        assert_eq!(challenges.take(&id, now.plus_millis(LIFE)), None);
        let id = challenges.ask(9, now, &entropy);
        assert_eq!(challenges.take(&id, now.plus_millis(LIFE - 1)), Some(9));
        assert_eq!(challenges.take("", now), None);
        assert_eq!(challenges.take(&"0".repeat(64), now), None);
    }

    #[test]
    fn asking_cannot_fill_the_memory() {
        let (challenges, entropy) = (Challenges::default(), Entropy::seeded(1));
        let now = Timestamp::from_millis(1_700_000_000_000);
        let first = challenges.ask(0, now, &entropy);
        for n in 0..MOST * 2 {
            let id = challenges.ask(n, now, &entropy);
            if n % 2 == 0 {
                challenges.take(&id, now);
            }
        }
        let waiting = challenges.waiting.lock().unwrap();
        assert!(waiting.questions.len() <= MOST && waiting.order.len() <= MOST);
        drop(waiting);
        assert_eq!(challenges.take(&first, now), None);
    }
}
