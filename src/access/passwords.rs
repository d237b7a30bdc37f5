//! Passwords: hashed slowly, on threads that give way to all others, never more at once than there are cores.

use std::{
    sync::{Arc, Mutex, PoisonError, mpsc},
    thread,
};

use argon2::{
    Algorithm, Argon2, Params, PasswordHasher, PasswordVerifier, Version,
    password_hash::phc::{Output, ParamsString, PasswordHash, Salt},
};
use tokio::sync::{Semaphore, oneshot};

use crate::kernel::{Code, Entropy, Error, Result};

/// Passwords that are tried first by whoever guesses; all are refused.
const COMMON: &str = include_str!("common-passwords.txt");
/// Hashings that may wait for a core; the next is refused with `slow_down`.
const QUEUE: usize = 64;
/// How far the hashing threads stand behind all others: the most that there is.
const NICE: i32 = 19;

/// Hashes and checks passwords.
#[derive(Clone)]
pub struct Passwords {
    desks: Arc<Desks>,
    waiting: Arc<Semaphore>,
    entropy: Entropy,
    /// Checked in place of an unknown member's, so that both take the same time.
    dummy: Arc<str>,
    cost: Params,
}

impl Passwords {
    /// argon2id with 19 MiB, 2 passes, 1 lane (OWASP's least), as many at once as there are cores.
    ///
    /// # Errors
    /// `internal` when the parameters are refused, which does not happen.
    pub fn new(entropy: Entropy) -> Result<Self> {
        Self::with_cost(entropy, 19 * 1024, 2)
    }

    /// The same with another cost: tests need not be slow.
    ///
    /// # Errors
    /// `internal` when the parameters are refused.
    pub fn with_cost(entropy: Entropy, kibibytes: u32, passes: u32) -> Result<Self> {
        let cost = Params::new(kibibytes, passes, 1, None).map_err(Error::internal)?;
        let dummy = unmatched(&cost, &entropy)?;
        Ok(Self { desks: Arc::default(), waiting: Arc::new(Semaphore::new(QUEUE)), entropy, dummy: dummy.into(), cost })
    }

    /// The hash to keep.
    ///
    /// # Errors
    /// `slow_down` when too many wait.
    pub async fn hash(&self, password: String) -> Result<String> {
        let (cost, salt) = (self.cost.clone(), self.entropy.bytes::<16>());
        self.run(move || hash(&cost, &salt, &password)).await?
    }

    /// Whether a password belongs to a hash. Without a hash it takes as long, and is never right.
    ///
    /// # Errors
    /// `slow_down` when too many wait, `internal` when the hash is damaged.
    pub async fn verify(&self, password: String, kept: Option<String>) -> Result<bool> {
        let dummy = self.dummy.clone();
        self.run(move || {
            let known = kept.is_some();
            let text = kept.as_deref().unwrap_or(&dummy);
            let parsed = PasswordHash::new(text).map_err(Error::internal)?;
            let right = Argon2::default().verify_password(password.as_bytes(), &parsed).is_ok();
            Ok(right && known)
        })
        .await?
    }

    async fn run<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> Result<T> {
        let crowded = || Error::new(Code::SlowDown).retry_after(1);
        let _place = self.waiting.clone().try_acquire_owned().map_err(|_| crowded())?;
        let (answer, done) = oneshot::channel();
        self.desks.put(Box::new(move || {
            // Whoever has gone away meanwhile needs no answer, and nobody hashes for them.
            if !answer.is_closed() {
                let _ = answer.send(work());
            }
        }))?;
        done.await.map_err(Error::internal)
    }
}

type Work = Box<dyn FnOnce() + Send>;

/// The threads that hash. They begin with the first password, and end with the last handle.
#[derive(Default)]
struct Desks(Mutex<Option<mpsc::Sender<Work>>>);

impl Desks {
    fn put(&self, work: Work) -> Result<()> {
        let mut sender = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let sender = match &mut *sender {
            Some(sender) => sender,
            none => none.insert(Self::open()?),
        };
        sender.send(work).map_err(|_| Error::internal("nobody hashes passwords any more"))
    }

    fn open() -> Result<mpsc::Sender<Work>> {
        let (sender, receiver) = mpsc::channel::<Work>();
        let receiver = Arc::new(Mutex::new(receiver));
        for _ in 0..thread::available_parallelism().map_or(2, usize::from) {
            let receiver = Arc::clone(&receiver);
            let desk = move || {
                // Linux keeps this for each thread: the others are served first.
                if let Err(error) = rustix::process::setpriority_process(None, NICE) {
                    tracing::warn!(%error, "hashing passwords may slow others down");
                }
                loop {
                    let next = receiver.lock().unwrap_or_else(PoisonError::into_inner).recv();
                    let Ok(work) = next else { return };
                    if std::panic::catch_unwind(std::panic::AssertUnwindSafe(work)).is_err() {
                        tracing::error!("hashing a password panicked");
                    }
                }
            };
            thread::Builder::new().name("passwords".into()).spawn(desk).map_err(Error::internal)?;
        }
        Ok(sender)
    }
}

fn hash(cost: &Params, salt: &[u8], password: &str) -> Result<String> {
    let argon2 = Argon2::new(Algorithm::Argon2id, Version::V0x13, cost.clone());
    let hash = argon2.hash_password_with_salt(password.as_bytes(), salt).map_err(Error::internal)?;
    Ok(hash.to_string())
}

/// A hash of the usual cost that no password is known to have: chance in the place of a result, since making
/// one would take a good part of the start's time and memory.
fn unmatched(cost: &Params, entropy: &Entropy) -> Result<String> {
    let hash = PasswordHash {
        algorithm: Algorithm::Argon2id.ident(),
        version: Some(Version::V0x13.into()),
        params: ParamsString::try_from(cost).map_err(Error::internal)?,
        salt: Some(Salt::new(&entropy.bytes::<16>()).map_err(Error::internal)?),
        hash: Some(Output::new(&entropy.bytes::<32>()).map_err(Error::internal)?),
    };
    Ok(hash.to_string())
}

/// Holds a new password to the rules: 12 to 128 characters, none that is tried first by whoever guesses.
///
/// # Errors
/// `invalid` at the field `password`.
pub fn acceptable(password: &str) -> Result<()> {
    if !(12..=128).contains(&password.chars().count()) {
        return Err(Error::field("password", "errors.fields.password_length"));
    }
    let folded = password.to_lowercase();
    // A short word repeated or stretched by digits is as easy to guess as the word.
    let core = folded.trim_matches(|c: char| c.is_ascii_digit() || c.is_ascii_punctuation());
    let mut letters: Vec<char> = folded.chars().collect();
    letters.sort_unstable();
    letters.dedup();
    if letters.len() < 4 || COMMON.lines().any(|common| common == folded || (common.len() > 3 && common == core)) {
        return Err(Error::field("password", "errors.fields.password_common"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn only_the_right_password_opens() {
        let passwords = Passwords::with_cost(Entropy::seeded(1), 64, 1).unwrap();
        let hash = passwords.hash("correct horse battery".into()).await.unwrap();
        assert!(hash.starts_with("$argon2id$v=19$m=64,t=1,p=1$"), "{hash}");
        assert!(passwords.verify("correct horse battery".into(), Some(hash.clone())).await.unwrap());
        assert!(!passwords.verify("correct horse battery!".into(), Some(hash)).await.unwrap());
        assert!(!passwords.verify("a password that nobody has".into(), None).await.unwrap());
    }

    #[test]
    fn easy_passwords_are_refused() {
        for bad in [
            "short",
            "password1234",
            "Password123!",
            "aaaaaaaaaaaaaaaa",
            "abababababababab",
            "123456789012",
            &"x".repeat(129),
        ] {
            assert!(acceptable(bad).is_err(), "{bad}");
        }
        for good in ["correct horse battery", "eine längere Passphrase", "Tr0ub4dor&3-long"] {
            assert!(acceptable(good).is_ok(), "{good}");
        }
    }
}
