//! Checks of the disk of the data directory.

use std::{path::Path, time::Duration};

use super::{Check, Facts, Outcome, of_server};
use crate::{
    cli::{arguments::PACKAGED_DATA, commands::doctor::facts::files::DiskFacts},
    monitoring::size,
};

/// A median of durable writes above this is slow.
const SLOW_WRITE: Duration = Duration::from_millis(50);
/// Free bytes below which the disk is low: a tenth of it, within these bounds.
const LOW_BYTES: (u64, u64) = (64 << 20, 10 << 30);
/// Free bytes that the server keeps.
const FULL_BYTES: u64 = 64 << 20;
/// Free files below which the disk is low.
const LOW_FILES: u64 = 10_000;

/// The checks of this group.
pub const CHECKS: &[Check] = &[
    Check {
        id: "disk.space",
        looks_at: "the free space",
        means: "On a full disk, only sessions are saved.",
        mend: "du -xhd1 DATA | sort -h",
        fix: None,
        find: |facts| {
            disk(facts, |disk| {
                let low = (disk.total_bytes / 10).clamp(LOW_BYTES.0, LOW_BYTES.1);
                let message = format!("{} of {} are free.", size(disk.free_bytes), size(disk.total_bytes));
                match disk.free_bytes {
                    free if free < FULL_BYTES => Outcome::failing(message),
                    free if free < low => Outcome::warning(message),
                    _ => Outcome::Ok,
                }
            })
        },
    },
    Check {
        id: "disk.files",
        looks_at: "how many further files the disk can have",
        means: "Without them, nothing can be saved, although space is free.",
        mend: "df -i DATA",
        fix: None,
        find: |facts| {
            disk(facts, |disk| match disk.free_files {
                Some(free) if free < LOW_FILES => {
                    Outcome::warning(format!("The disk can have only {free} more files."))
                }
                _ => Outcome::Ok,
            })
        },
    },
    Check {
        id: "disk.read_only",
        looks_at: "whether the disk can be written",
        means: "Nothing can be saved. Disks become read-only when they fail.",
        mend: "dmesg | tail",
        fix: None,
        find: |facts| {
            disk(facts, |disk| {
                if disk.is_read_only { Outcome::failing("The disk is mounted read-only.") } else { Outcome::Ok }
            })
        },
    },
    Check {
        id: "disk.network",
        looks_at: "whether the disk is of another machine",
        means: "Such file systems lose or reorder writes when the network fails.",
        mend: "data_dir = \"/a/folder/of/a/local/disk\"",
        fix: None,
        find: |facts| {
            disk(facts, |disk| match disk.network {
                Some(kind) => {
                    Outcome::failing(format!("The data directory is on a file system over the network ({kind})."))
                }
                None => Outcome::Ok,
            })
        },
    },
    Check {
        id: "disk.volatile",
        looks_at: "whether the data survives a restart of the machine",
        means: "The data is lost with a restart of the machine, or removed by a timer.",
        mend: "data_dir = \"/var/lib/atrium\", or mount a disk at DATA",
        fix: None,
        find: |facts| {
            disk(facts, |disk| {
                let folder = facts.data.path.display();
                if disk.is_volatile {
                    let way = usize::from(facts.data.path == Path::new(PACKAGED_DATA));
                    Outcome::warning(format!("{folder} is a place for temporary files, or in memory.")).mended_by(way)
                } else {
                    Outcome::Ok
                }
            })
        },
    },
    Check {
        id: "disk.slow",
        looks_at: "how long a small durable write takes",
        means: "Every change waits for it.",
        mend: "data_dir = \"/a/folder/of/a/faster/disk\"",
        fix: None,
        find: |facts| {
            disk(facts, |disk| match disk.write_time {
                Some(time) if time > SLOW_WRITE => {
                    Outcome::warning(format!("A durable write takes {} milliseconds.", time.as_millis()))
                }
                _ => Outcome::Ok,
            })
        },
    },
    Check {
        id: "disk.failing",
        looks_at: "whether the running server can save",
        means: "People lose what they enter.",
        mend: "journalctl -u atrium -p err",
        fix: None,
        find: |facts| of_server(facts, "store"),
    },
];

fn disk(facts: &Facts, judge: impl FnOnce(&DiskFacts) -> Outcome) -> Outcome {
    facts.disk.as_ref().map_or_else(|| Outcome::left_out("the disk did not answer in time"), judge)
}
