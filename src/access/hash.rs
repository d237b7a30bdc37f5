//! Hashes of random secrets: the store has only the SHA-256, from which the secret cannot be recovered.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::kernel::hex;

/// The hash of a secret of 256 random bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Hash([u8; 32]);

impl Hash {
    /// A hash that no secret matches.
    pub(super) const NONE: Self = Self([0; 32]);

    pub(super) fn of(secret: &[u8; 32]) -> Self {
        Self(Sha256::digest(secret).into())
    }
}

impl Serialize for Hash {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        hex::encode(&self.0).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Hash {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let bytes = hex::decode(&String::deserialize(deserializer)?);
        let bytes = bytes.and_then(|bytes| bytes.try_into().ok());
        bytes.map(Self).ok_or_else(|| serde::de::Error::custom("a hash has 32 bytes"))
    }
}
