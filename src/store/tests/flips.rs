//! Bit flips in a closed file: no read returns data that was not written, nothing panics, and the check finds every
//! flip that hit stored data.

use std::{
    collections::BTreeMap,
    ops::{Bound, ControlFlow},
    sync::Arc,
};

use rand::{RngExt, SeedableRng, rngs::StdRng};

use super::{
    BY_NAME, BY_TAG, Note,
    sim::Sim,
    world::{Memo, TABLES, ada, open, put, tenant},
};
use crate::{
    kernel::Timestamp,
    store::{Actor, Change, Health, Scan, Snapshot, Stored, TenantWrite, view::View},
    testing::setting,
};

/// Number of bits flipped, one at a time. `ATRIUM_FLIPS` overrides it.
const FLIPS: u64 = 200;

async fn filled() -> Vec<u8> {
    let disk = Arc::new(Sim::default());
    {
        let store = open(&disk).unwrap();
        for of in 0..2 {
            let work = |tx: &TenantWrite<'_>| {
                (0..120).try_for_each(|n| put(tx, &format!("n{n}"), Some(format!("tag {}", n % 9))))
            };
            store.write(tenant(of), Actor::Member(ada()), work).await.unwrap();
            store.write(tenant(of), Actor::Member(ada()), |tx| put(tx, "n7", None)).await.unwrap();
        }
    }

    disk.state().bytes.clone()
}

pub(super) type Rows = BTreeMap<Vec<u8>, Vec<u8>>;

/// Returns all raw rows, `None` if some cannot be read.
pub(super) fn rows(snapshot: &Snapshot) -> Option<Rows> {
    let mut rows = Rows::new();
    let read = snapshot.scan(Bound::Unbounded, Bound::Unbounded, false, &mut |key, value| {
        rows.insert(key.to_vec(), value.to_vec());
        Ok(ControlFlow::Continue(()))
    });
    read.is_ok().then_some(rows)
}

/// Results of all reads before any flip.
struct ExpectedReads {
    rows: Rows,
    notes: Vec<Vec<Stored<Note>>>,
    memos: Vec<Vec<Stored<Memo>>>,
    changes: Vec<Change>,
}

fn expected_reads(snapshot: &Snapshot) -> ExpectedReads {
    let views = || (0..2).map(|of| snapshot.tenant(tenant(of), Some(ada())));
    let all = Scan::all().limit(1_000);
    ExpectedReads {
        rows: rows(snapshot).unwrap(),
        notes: views().map(|view| view.page(&all, |_| true).unwrap().items).collect(),
        memos: views().map(|view| view.own_data().unwrap().page(&all, |_| true).unwrap().items).collect(),
        changes: snapshot.changes_after(0, 10_000).unwrap(),
    }
}

/// Whether a list contains only items of `wanted`, in that order.
fn is_part<T: PartialEq>(found: &[T], wanted: &[T]) -> bool {
    let mut wanted = wanted.iter();
    found.iter().all(|item| wanted.any(|other| other == item))
}

/// Reads everything in every way. Returns whether all results were complete.
fn read_all(snapshot: &Snapshot, expected: &ExpectedReads) -> bool {
    let mut whole = true;
    for (of, (notes, memos)) in (0_u8..).zip(expected.notes.iter().zip(&expected.memos)) {
        let view = snapshot.tenant(tenant(of), Some(ada()));
        for note in notes {
            for found in [view.find(note.id), view.find_by(BY_NAME, &note.name)] {
                if let Ok(Some(found)) = &found {
                    assert_eq!(found, note);
                }
                whole &= matches!(found, Ok(Some(_)));
            }
        }
        let all = Scan::all().limit(1_000);
        for (scan, ordered) in
            [(all.clone(), true), (Scan::ordered(BY_TAG).limit(1_000), false), (all.reversed(true), false)]
        {
            let page = view.page::<Note>(&scan, |_| true);
            if let Ok(page) = &page {
                assert!(page.items.iter().all(|item| notes.contains(item)));
                assert!(!ordered || is_part(&page.items, notes));
            }
            whole &= page.is_ok_and(|page| page.items.len() == notes.len() && page.damaged == 0);
        }
        let own = view.own_data().unwrap().page::<Memo>(&Scan::all().limit(1_000), |_| true);
        if let Ok(own) = &own {
            assert!(is_part(&own.items, memos));
        }
        whole &= own.is_ok_and(|own| own.items.len() == memos.len());
        for (figure, wanted) in [(view.counter("memos"), 120), (view.count::<Note>().map(u64::cast_signed), 119)] {
            // A counter without a row reads as 0; the check reports the missing row.
            assert!(figure.as_ref().is_err() || matches!(figure, Ok(n) if n == wanted || n == 0));
            whole &= figure.is_ok_and(|n| n == wanted);
        }
    }
    let changes = snapshot.changes_after(0, 10_000);
    if let Ok(changes) = &changes {
        assert!(is_part(changes, &expected.changes));
    }
    whole && changes.is_ok_and(|changes| changes == expected.changes)
}

#[tokio::test]
async fn flipped_bits_are_never_served_and_always_detected() {
    let bytes = filled().await;
    let expected = expected_reads(&open(&Arc::new(Sim::with_bytes(bytes.clone()))).unwrap().snapshot().unwrap());
    let mut dice = StdRng::seed_from_u64(setting("ATRIUM_FLIPS_SEED", 23));
    let flips = setting("ATRIUM_FLIPS", FLIPS);
    let mut unopened = 0;
    let mut hits = 0;
    // Half of the flips hit data in use: the values of some rows.
    let values: Vec<usize> = expected.rows.values().step_by(97).filter_map(|value| find(&bytes, value)).collect();
    for count in 0..flips {
        let mut turned = bytes.clone();
        let place = if count % 2 == 0 {
            dice.random_range(0..turned.len())
        } else {
            values[dice.random_range(0..values.len())]
        };
        turned[place] ^= 1 << dice.random_range(0..8);
        let Ok(store) = open(&Arc::new(Sim::with_bytes(turned))) else {
            unopened += 1;
            continue;
        };
        let snapshot = store.snapshot().unwrap();
        let whole = read_all(&snapshot, &expected);
        let same = rows(&snapshot).is_some_and(|rows| rows == expected.rows);
        let report = snapshot.check(TABLES, &mut |_| ControlFlow::Continue(())).unwrap();
        assert_eq!(report.is_sound(), whole && same, "bit {place} of flip {count}: {:#?}", report.damage);
        hits += u64::from(!same);
        // Damage is not a disk failure and does not block other writes.
        assert_eq!(*store.health().borrow(), Health::Working);
    }
    assert!(hits * 3 > flips, "{hits} of the bits hit something kept, {unopened} the file's own header");
}

/// Returns the position of a value in the file, if it is contiguous.
pub(super) fn find(bytes: &[u8], value: &[u8]) -> Option<usize> {
    let (first, rest) = value.split_first()?;
    let mut places = (0..=bytes.len() - value.len()).filter(|place| bytes[*place] == *first);
    places.find(|place| bytes[place + 1..].starts_with(rest))
}

/// A tenant's export; `None` when it reports damage.
fn exported(disk: Vec<u8>) -> Option<Vec<u8>> {
    let store = open(&Arc::new(Sim::with_bytes(disk))).ok()?;
    let snapshot = store.snapshot().ok()?;
    let view = snapshot.tenant(tenant(1), None);
    let mut archive = Vec::new();
    let summary = view.export(&mut archive, Timestamp::from_millis(0)).ok()?.finish(TABLES).ok()?;
    summary.damage.is_empty().then_some(archive)
}

#[tokio::test]
async fn export_that_lacks_rows_reports_damage() {
    let bytes = filled().await;
    let whole = exported(bytes.clone()).unwrap();
    let mut compared = 0;
    let mut reported = 0;
    // Branch pages, which lead to the rows of a tenant, begin with a 2. A bit of their keys leads elsewhere.
    for page in (0..bytes.len()).step_by(4_096).filter(|page| bytes[*page] == 2) {
        for place in (page..page + 4_096).step_by(8) {
            let mut turned = bytes.clone();
            turned[place] ^= 4;
            match exported(turned) {
                Some(archive) => {
                    compared += 1;
                    assert!(archive == whole, "byte {place}: {} of {} bytes", archive.len(), whole.len());
                }
                None => reported += 1,
            }
        }
    }
    assert!(compared > 0 && reported > 0, "{compared} exports are whole, {reported} report damage");
}
