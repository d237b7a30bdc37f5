//! Power loss at any moment: any part of the unsynced writes may have reached the disk, in any order, and torn. Every
//! resulting disk opens, has all acknowledged writes, and no partial ones.

use std::{collections::BTreeMap, sync::Arc};

use rand::{RngExt, SeedableRng, rngs::StdRng};

use super::{
    sim::{Event, Sim, apply},
    world::{AckedWrites, check, open, tag_of},
};
use crate::{store::Store, testing::setting};

/// Bytes that a disk writes atomically.
const SECTOR: usize = 512;

/// Number of disk images tried. `ATRIUM_POWER_IMAGES` overrides it.
const IMAGES: u64 = 2_000;

/// Acknowledged writes: position in the log, tenant and name, tag.
type AckedLog = Vec<(usize, (u8, String), Option<String>)>;

/// Runs a workload on a disk that logs it.
async fn run_writes() -> (Vec<u8>, Vec<Event>, AckedLog) {
    let disk = Arc::new(Sim::default());
    drop(open(&disk).unwrap());
    let before = disk.state().bytes.clone();
    disk.state().log = Some(Vec::new());
    let acked_writes = AckedWrites::default();
    let mut acked_log = AckedLog::new();
    let mut note = |of: u8, name: &str, tag: Option<&str>| {
        let place = disk.state().log.as_ref().map_or(0, Vec::len);
        acked_log.push((place, (of, name.to_owned()), tag.map(str::to_owned)));
    };
    {
        let store = open(&disk).unwrap();
        for n in 0_u8..60 {
            let of = n % 2;
            let name = format!("n{}", n % 23);
            let long = "y".repeat(usize::from(n) * 40);
            let tag = (n % 7 != 6).then_some(if n % 5 == 0 { long.as_str() } else { "x" });
            // In every third step two writes share a commit.
            let other = format!("m{n}");
            if n % 3 == 0 {
                let both = tokio::join!(
                    acked_writes.write(&store, &disk, of, &name, tag),
                    acked_writes.write(&store, &disk, 1 - of, &other, Some("z"))
                );
                assert!(both.0 && both.1);
                note(1 - of, &other, Some("z"));
            } else {
                assert!(acked_writes.write(&store, &disk, of, &name, tag).await);
            }
            note(of, &name, tag);
        }
    }
    let log = disk.state().log.take().unwrap();
    (before, log, acked_log)
}

/// Returns unsynced events that may survive a power loss.
fn survivors(unsynced: &[Event], dice: &mut StdRng) -> Vec<Event> {
    let style = dice.random_range(0..4);
    let cut = dice.random_range(0..=unsynced.len());
    let mut left = Vec::new();
    for (place, event) in unsynced.iter().enumerate() {
        let whole = match style {
            0 => place < cut,
            1 => dice.random_bool(0.5),
            2 => place >= cut,
            _ => place != cut,
        };
        match event {
            Event::Write(offset, data) if !whole || style == 1 && dice.random_bool(0.3) => {
                for (sector, piece) in data.chunks(SECTOR).enumerate() {
                    if style == 1 && dice.random_bool(0.5) {
                        left.push(Event::Write(offset + (sector * SECTOR) as u64, piece.to_vec()));
                    }
                }
            }
            event if whole => left.push(event.clone()),
            _ => {}
        }
    }
    left
}

/// Returns the disk content after a power loss at a position of the log.
fn image(synced: &[u8], log: &[Event], from: usize, to: usize, dice: &mut StdRng) -> Vec<u8> {
    let mut bytes = synced.to_vec();
    // A file grows completely or not at all, and never shrinks below its synced length.
    for event in survivors(&log[from..to], dice) {
        apply(&mut bytes, &event);
    }
    bytes
}

fn verify(store: &Store, acked_log: &AckedLog, to: usize) {
    let snapshot = store.snapshot().unwrap();
    check(&snapshot);
    let mut wanted: BTreeMap<&(u8, String), Option<&String>> = BTreeMap::new();
    let mut later: BTreeMap<&(u8, String), Vec<Option<&String>>> = BTreeMap::new();
    for (place, name, tag) in acked_log {
        if *place <= to {
            wanted.insert(name, tag.as_ref());
        } else {
            later.entry(name).or_default().push(tag.as_ref());
        }
    }
    for (name, wanted) in &wanted {
        let found = tag_of(&snapshot, name.0, &name.1);
        // Only the next write of the same name may have been in progress.
        let next = later.get(*name).and_then(|later| later.first());
        assert!(found.as_ref() == *wanted || next == Some(&found.as_ref()), "{name:?} is lost");
    }
    for name in later.keys().filter(|name| !wanted.contains_key(*name)) {
        let found = tag_of(&snapshot, name.0, &name.1);
        assert!(found.is_none() || later[*name].first() == Some(&found.as_ref()), "{name:?} came from nowhere");
    }
}

#[tokio::test]
async fn acknowledged_writes_survive_any_power_loss() {
    let (mut synced, log, acked_log) = run_writes().await;
    let mut dice = StdRng::seed_from_u64(setting("ATRIUM_POWER_SEED", 11));
    let mut places: Vec<usize> =
        (0..setting("ATRIUM_POWER_IMAGES", IMAGES)).map(|_| dice.random_range(0..=log.len())).collect();
    places.sort_unstable();
    let mut from = 0;
    for (count, to) in places.into_iter().enumerate() {
        while let Some(sync) = log[from..to].iter().position(|event| matches!(event, Event::Sync)) {
            for event in &log[from..=from + sync] {
                apply(&mut synced, event);
            }
            from += sync + 1;
        }
        let disk = Arc::new(Sim::with_bytes(image(&synced, &log, from, to, &mut dice)));
        let second = count % 8 == 0;
        disk.state().log = second.then(Vec::new);
        let start = if second { disk.state().bytes.clone() } else { Vec::new() };
        verify(&open(&disk).unwrap(), &acked_log, to);
        // A second power loss, while the store opens and closes after the first.
        let Some(again) = disk.state().log.take() else { continue };
        let end = dice.random_range(0..=again.len());
        let kept = again[..end].iter().rposition(|event| matches!(event, Event::Sync)).map_or(0, |sync| sync + 1);
        let mut base = start;
        again[..kept].iter().for_each(|event| apply(&mut base, event));
        let disk = Arc::new(Sim::with_bytes(image(&base, &again, kept, end, &mut dice)));
        verify(&open(&disk).unwrap(), &acked_log, to);
    }
}
