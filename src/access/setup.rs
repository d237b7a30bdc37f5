//! The setup token of an installation without a tenant, from the link that the start prints. It is valid until the
//! first tenant exists, and only in the process that printed it.

use parking_lot::Mutex;

use super::hash::Hash;
use crate::kernel::{Entropy, hex};

/// The hash of the setup token.
#[derive(Default)]
pub struct Setup(Mutex<Option<Hash>>);

impl Setup {
    /// Issues a new token; earlier ones become invalid.
    pub(super) fn issue(&self, entropy: &Entropy) -> String {
        let secret = entropy.bytes::<32>();
        *self.0.lock() = Some(Hash::of(&secret));
        hex::encode(&secret)
    }

    /// Takes the token, so that of two requests at the same moment only one has it.
    pub(super) fn take(&self, token: &str) -> Option<Taken<'_>> {
        let secret: [u8; 32] = hex::decode(token.trim())?.try_into().ok()?;
        let mut kept = self.0.lock();
        let hash = kept.take_if(|hash| *hash == Hash::of(&secret))?;
        Some(Taken { setup: self, hash: Some(hash) })
    }
}

/// A token in use: it becomes valid again when this is dropped without [`Self::used`].
pub struct Taken<'s> {
    setup: &'s Setup,
    hash: Option<Hash>,
}

impl Taken<'_> {
    /// Uses the token up.
    pub fn used(mut self) {
        self.hash = None;
    }
}

impl Drop for Taken<'_> {
    fn drop(&mut self) {
        if let Some(hash) = self.hash.take() {
            self.setup.0.lock().get_or_insert(hash);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn setup_token_is_valid_until_used() {
        let setup = Setup::default();
        assert!(setup.take(&"0".repeat(64)).is_none(), "none was printed");
        let entropy = Entropy::seeded(1);
        let old = setup.issue(&entropy);
        let token = setup.issue(&entropy);
        assert!(setup.take(&old).is_none() && setup.take("").is_none() && setup.take("zz").is_none());
        let taken = setup.take(&token);
        assert!(taken.is_some() && setup.take(&token).is_none(), "one at a time");
        drop(taken);
        setup.take(&token).unwrap().used();
        assert!(setup.take(&token).is_none());
    }
}
