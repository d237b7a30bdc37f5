//! Checks of memory.

use super::{Check, Outcome};
use crate::monitoring::size;

/// Bytes below which memory is small: sign-ins take 19 MiB each, the index 100 MB, the store's cache the rest.
const SMALL_BYTES: u64 = 480 << 20;
/// Bytes below which swap is needed.
const SWAPLESS_BYTES: u64 = 1 << 30;
/// The least share of memory that is to be available.
const AVAILABLE_SHARE: u64 = 20;
/// Swapped bytes of the server above which it is slow.
const SWAPPED_BYTES: u64 = 32 << 20;

/// The checks of this group.
pub const CHECKS: &[Check] = &[
    Check {
        id: "memory.small",
        looks_at: "how much memory programs may use, of the machine or of the container",
        means: "The system may end the server when many people sign in at once.",
        mend: "limits.requests = 64",
        fix: None,
        find: |facts| match facts.machine.memory_bytes {
            Some(bytes) if bytes < SMALL_BYTES => Outcome::warning(format!("There are {} of memory.", size(bytes))),
            _ => Outcome::Ok,
        },
    },
    Check {
        id: "memory.used_up",
        looks_at: "how much memory is available",
        means: "The system may end the server, or slow everything down.",
        mend: "ps -eo rss,comm --sort -rss | head",
        fix: None,
        find: |facts| match (facts.machine.available_bytes, facts.machine.memory_bytes) {
            (Some(free), Some(all)) if free < all / AVAILABLE_SHARE => {
                Outcome::warning(format!("{} of {} of memory are available.", size(free), size(all)))
            }
            _ => Outcome::Ok,
        },
    },
    Check {
        id: "memory.no_swap",
        looks_at: "whether a machine with less than a gigabyte of memory has swap",
        means: "A peak ends a program.",
        mend: "fallocate -l 1G /swapfile && chmod 600 /swapfile && mkswap /swapfile && swapon /swapfile",
        fix: None,
        find: |facts| match (facts.machine.memory_bytes, facts.machine.swap_bytes) {
            (Some(memory), Some(0)) if memory < SWAPLESS_BYTES => Outcome::note("There is no swap."),
            _ => Outcome::Ok,
        },
    },
    Check {
        id: "memory.swapped",
        looks_at: "how much of the server is swapped out",
        means: "It answers slowly; the machine has too little memory for all its programs.",
        mend: "ps -eo rss,comm --sort -rss | head",
        fix: None,
        find: |facts| match &facts.process {
            Some(process) if process.swapped_bytes > SWAPPED_BYTES => {
                Outcome::warning(format!("{} of the server are swapped out.", size(process.swapped_bytes)))
            }
            _ => Outcome::Ok,
        },
    },
];
