//! The records of an act that changed many: the first of them, from which follows how much a member may read of the act.

use uuid::Uuid;

use super::KindName;
use crate::{kernel::Result, people::permission::Reader, store::TenantRead};

/// Maximum records of an act that are looked up.
pub const MAX_LOOKED_UP: usize = 50;

/// Hidden records at the beginning of an act after which no further ones are looked up, so that acts on hidden records leave
/// others to older acts.
const MAX_HIDDEN_FIRST: usize = 10;

/// The first records of an act.
#[derive(Debug, Default)]
pub struct ActRecords {
    /// The records with their kinds, at most [`MAX_LOOKED_UP`].
    pub first: Vec<(KindName, Uuid)>,
    /// How many of them may be unchanged by the act, at most.
    pub unchanged: u64,
    /// Whether the act changed no others.
    pub are_all: bool,
}

/// What a member may know of an act on records that not all members may read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ActView {
    /// The kind of the first record that the member sees.
    pub kind: KindName,
    /// Whether the member sees all records of the act, and so may know their number.
    pub has_count: bool,
}

impl ActRecords {
    /// Returns what a reader may know of the act; `None` unless they see a record that it changed, also one that is in the bin
    /// now. `left` is how many records may still be looked up.
    pub fn view(&self, tx: &TenantRead<'_>, reader: Reader, left: &mut usize) -> Result<Option<ActView>> {
        let mut kind = None;
        let mut seen: u64 = 0;
        let mut sees_all = self.are_all;
        for (place, (name, record)) in self.first.iter().enumerate() {
            if (!sees_all && seen > self.unchanged) || (seen == 0 && place == MAX_HIDDEN_FIRST) {
                break;
            }
            let Some(rest) = left.checked_sub(1) else {
                sees_all = false;
                break;
            };
            *left = rest;
            if name.kind().may_know_of(tx, reader, *record)? {
                kind.get_or_insert(*name);
                seen += 1;
            } else {
                sees_all = false;
            }
        }
        // Those that a reader sees may all be ones that the act left as they were.
        let is_shown = sees_all || seen > self.unchanged;
        Ok(kind.filter(|_| is_shown).map(|kind| ActView { kind, has_count: sees_all }))
    }
}
