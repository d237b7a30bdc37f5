//! Recovery codes, for members who lost the device: ten of 120 random bits, stored as hashes. From 112 bits on a fast
//! hash is enough (ASVS 6.5.2); older codes of 80 bits stay valid until new ones are made.

use sha2::{Digest, Sha256};

use super::totp::DIGITS;
use crate::{
    access::hash::Hash,
    kernel::{Entropy, MemberId},
};

/// Codes in a set.
pub(super) const COUNT: usize = 10;
/// Characters of a code; `GROUP` is the size of its groups.
const LENGTH: usize = 24;
/// Characters of older codes.
const OLD_LENGTH: usize = 16;
const GROUP: usize = 4;
/// Crockford's alphabet: no two characters look alike.
const LETTERS: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";

/// Makes a new set: the codes for the member, and the hashes for the store.
pub(super) fn make(entropy: &Entropy, member: MemberId) -> (Vec<String>, Vec<Hash>) {
    let codes: Vec<String> = (0..COUNT).map(|_| spell(entropy.bytes::<LENGTH>())).collect();
    let hashes = codes.iter().filter_map(|code| hash(code, member)).collect();
    (codes, hashes)
}

fn spell(chance: [u8; LENGTH]) -> String {
    let letter = |byte: &u8| char::from(LETTERS[usize::from(byte % 32)]);
    chance.chunks(GROUP).map(|group| group.iter().map(letter).collect::<String>()).collect::<Vec<_>>().join("-")
}

/// Hashes what may be a code, in any spelling; `None` for anything else.
fn hash(typed: &str, member: MemberId) -> Option<Hash> {
    let plain: String = typed
        .chars()
        .filter(|c| !c.is_whitespace() && *c != '-')
        .map(|c| match c.to_ascii_lowercase() {
            'o' => '0',
            'i' | 'l' => '1',
            c => c,
        })
        .collect();
    let fits = [LENGTH, OLD_LENGTH].contains(&plain.len()) && plain.bytes().all(|byte| LETTERS.contains(&byte));
    fits.then(|| {
        let mut digest = Sha256::new();
        digest.update(member.as_bytes());
        digest.update(plain.as_bytes());
        Hash::of(&digest.finalize().into())
    })
}

/// Whether the input is too long for a code of an app, so that it can only be a recovery code.
pub(super) fn is_recovery_code(typed: &str) -> bool {
    typed.chars().filter(char::is_ascii_alphanumeric).count() > usize::from(DIGITS)
}

/// Removes a code from a set. Returns whether it was in it.
pub(super) fn take(kept: &mut Vec<Hash>, typed: &str, member: MemberId) -> bool {
    let found = hash(typed, member).and_then(|hash| kept.iter().position(|kept| *kept == hash));
    found.map(|place| kept.remove(place)).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::Id;

    #[test]
    fn codes_have_at_least_112_bits_and_old_shorter_codes_stay_valid() {
        let letters = spell([0; LENGTH]).chars().filter(char::is_ascii_alphanumeric).count();
        assert!(letters * 5 >= 112, "each letter is five bits");
        let me = Id::from_bytes([1; 16]);
        let mut kept: Vec<Hash> = hash("0123-4567-89ab-cdef", me).into_iter().collect();
        assert!(take(&mut kept, "0123 4567 89AB CDEF", me) && kept.is_empty());
    }

    #[test]
    fn code_is_valid_once_and_only_for_its_member() {
        let me = Id::from_bytes([1; 16]);
        let other = Id::from_bytes([2; 16]);
        let (codes, mut kept) = make(&Entropy::seeded(1), me);
        assert_eq!((codes.len(), kept.len()), (COUNT, COUNT));
        assert!(codes.iter().all(|code| code.len() == 29 && is_recovery_code(code)), "{codes:?}");
        for code in &codes {
            assert!(!take(&mut kept, code, other), "{code}");
            let typed = code.replace('-', " ").to_uppercase().replace('0', "O");
            assert!(take(&mut kept, &typed, me), "{code}");
            assert!(!take(&mut kept, code, me), "{code} again");
        }
        for nonsense in ["", "0000", "uuuu-uuuu-uuuu-uuuu", "é000-0000-0000-000"] {
            assert!(!take(&mut kept, nonsense, me), "{nonsense}");
        }
    }
}
