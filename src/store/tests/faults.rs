//! Failure of any single disk call: no failed write is acknowledged, no acknowledged write is lost, reads go on, and
//! the store recovers as soon as the disk works.

use std::{io::ErrorKind, sync::Arc};

use super::{
    sim::{Fault, Sim},
    world::{Promises, check, open, open_cached},
};
use crate::{
    kernel::{Clock, Code, Entropy},
    store::{Actor, Health, Store},
};

/// Makes writes of every kind, alone and concurrently. Returns whether all succeeded.
async fn work(store: &Store, disk: &Sim, promises: &Promises) -> bool {
    let mut well = true;
    for n in 0..5 {
        let a = format!("a{n}");
        let b = format!("b{n}");
        let both = tokio::join!(
            promises.write(store, disk, 0, &a, Some("new")),
            promises.write(store, disk, 1, &b, Some("new"))
        );
        well &= both.0 && both.1;
        if n > 0 {
            well &= promises.write(store, disk, 0, &format!("a{}", n - 1), (n != 3).then_some("changed")).await;
        }
        if !well {
            break;
        }
    }
    well
}

/// Runs the workload with one fault. Returns whether the fault occurred.
async fn run(fault: Fault) -> bool {
    let disk = Arc::new(Sim::default());
    drop(open(&disk).unwrap());
    let before = disk.calls();
    disk.state().fault = Some(Fault { at: before + fault.at, ..fault });
    let promises = Promises::default();
    let store = match open(&disk) {
        Ok(store) => store,
        Err(error) => {
            assert_eq!(error.code(), Code::Busy);
            disk.state().fault = None;
            open(&disk).unwrap()
        }
    };
    let well = work(&store, &disk, &promises).await;
    let failed = disk.state().failed > 0;
    assert!(well || failed, "a write was refused although the disk is well");
    // Acknowledged writes can be read while writing fails.
    promises.verify(&store.snapshot().unwrap());
    disk.state().fault = None;
    store.health().wait_for(|health| *health == Health::Working).await.unwrap();
    assert!(work(&store, &disk, &promises).await, "healed, it takes writes again");
    promises.verify(&store.snapshot().unwrap());
    check(&store.snapshot().unwrap());
    drop(store);
    // After a power loss, only synced data is left.
    let survived = std::mem::take(&mut disk.state().durable);
    let store = open(&Arc::new(Sim::holding(survived))).unwrap();
    promises.verify(&store.snapshot().unwrap());
    check(&store.snapshot().unwrap());
    failed
}

async fn every_call(lasting: bool, kind: ErrorKind, step: usize) {
    for at in (1..).step_by(step) {
        if !run(Fault { at, lasting, kind }).await {
            assert!(at > 50, "the workload calls the disk often");
            return;
        }
    }
}

#[tokio::test]
async fn one_failed_call_of_the_disk_loses_nothing() {
    every_call(false, ErrorKind::Other, 1).await;
}

#[tokio::test]
async fn a_disk_that_stays_broken_is_read_and_then_written_again() {
    every_call(true, ErrorKind::Other, 3).await;
}

#[tokio::test]
async fn a_full_disk_is_read_and_then_written_again() {
    every_call(true, ErrorKind::StorageFull, 5).await;
}

#[tokio::test]
async fn the_reserve_is_given_up_when_the_disk_is_full_and_kept_again_later() {
    let disk = Arc::new(Sim::default());
    let store = open(&disk).unwrap();
    let promises = Promises::default();
    assert!(promises.write(&store, &disk, 0, "a", Some("x")).await);
    assert_eq!(disk.state().reserve, 1 << 20);
    let next = disk.calls() + 1;
    disk.state().fault = Some(Fault { at: next, lasting: false, kind: ErrorKind::StorageFull });
    assert!(!promises.write(&store, &disk, 0, "b", Some("x")).await);
    store.health().wait_for(|health| *health == Health::Working).await.unwrap();
    assert_eq!(disk.state().reserve, 0);
    disk.state().fault = None;
    assert!(promises.write(&store, &disk, 0, "c", Some("x")).await);
    assert_eq!(disk.state().reserve, 1 << 20);
}

#[tokio::test]
async fn below_the_floor_of_free_space_writes_are_refused_in_good_time() {
    let disk = Arc::new(Sim::default());
    let store = open(&disk).unwrap();
    let promises = Promises::default();
    assert!(promises.write(&store, &disk, 0, "a", Some("x")).await);
    disk.state().free = Some(100 << 20);
    let refused =
        store.write(super::world::tenant(0), Actor::System, |tx| tx.once("x", b"a", 1, || Ok(1))).await.unwrap_err();
    assert_eq!((refused.code(), refused.retry_seconds()), (Code::Busy, Some(10)));
    assert!(matches!(*store.health().borrow(), Health::Full { .. }));
    promises.verify(&store.snapshot().unwrap());
    disk.state().free = Some(10 << 30);
    assert!(promises.write(&store, &disk, 0, "b", Some("x")).await);
    assert_eq!(*store.health().borrow(), Health::Working);
}

#[tokio::test]
async fn below_the_floor_small_writes_are_made_however_little_room_is_left() {
    let disk = Arc::new(Sim::default());
    let store = open(&disk).unwrap();
    let small = |name: &'static str| {
        store.write_even_when_full(super::world::tenant(0), Actor::System, move |tx| tx.once(name, b"a", 1, || Ok(1)))
    };
    disk.state().free = Some(100 << 20);
    small("a").await.unwrap();
    let large = store.write(super::world::tenant(0), Actor::System, |tx| tx.once("b", b"a", 1, || Ok(1)));
    let refused = large.await.unwrap_err();
    assert_eq!(refused.words().map(|words| words.key), Some("errors.disk_full"));
    disk.state().free = Some(3_000);
    small("c").await.unwrap();
    disk.state().free = Some(10 << 30);
    assert_eq!(store.look(), Health::Working, "seen without a write");
    small("d").await.unwrap();
}

#[tokio::test]
async fn the_reserve_is_given_up_before_a_small_write_finds_no_space() {
    let disk = Arc::new(Sim::default());
    let store = open(&disk).unwrap();
    let promises = Promises::default();
    assert!(promises.write(&store, &disk, 0, "a", Some("x")).await);
    assert_eq!(disk.state().reserve, 1 << 20);
    disk.state().free = Some(0);
    store
        .write_even_when_full(super::world::tenant(0), Actor::System, |tx| tx.once("b", b"a", 1, || Ok(1)))
        .await
        .unwrap();
    assert_eq!(disk.state().reserve, 0);
}

#[tokio::test]
async fn a_reserve_that_an_earlier_run_kept_is_given_up_for_small_writes() {
    let disk = Arc::new(Sim::default());
    drop(open(&disk).unwrap());
    disk.state().reserve = 1 << 20;
    let store = open(&disk).unwrap();
    let small = |name: &'static str| {
        store.write_even_when_full(super::world::tenant(0), Actor::System, move |tx| tx.once(name, b"a", 1, || Ok(1)))
    };
    disk.state().free = Some(1 << 20);
    let next = disk.calls() + 1;
    disk.state().fault = Some(Fault { at: next, lasting: true, kind: ErrorKind::StorageFull });
    small("a").await.unwrap_err();
    let mut health = store.health();
    health.wait_for(|health| matches!(health, Health::Failing { full: true, .. })).await.unwrap();
    assert_eq!(small("a").await.unwrap_err().words().map(|words| words.key), Some("errors.disk_full"));
    disk.state().fault = None;
    health.wait_for(|health| *health == Health::Working).await.unwrap();
    assert_eq!(disk.state().reserve, 0);
    small("a").await.unwrap();
}

#[tokio::test]
async fn a_store_whose_file_was_removed_promises_nothing_more() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("store.redb");
    let away = folder.path().join("away");
    let store = Store::open(&file, Clock::system(), Entropy::seeded(1)).unwrap();
    let write = |name: &'static str| {
        store.write(super::world::tenant(0), Actor::System, move |tx| tx.once(name, b"a", 1, || Ok(1)))
    };
    write("a").await.unwrap();
    for replaced in [false, true] {
        std::fs::rename(&file, &away).unwrap();
        if replaced {
            std::fs::write(&file, "another").unwrap();
        }
        assert_eq!(write("b").await.unwrap_err().code(), Code::Busy);
        assert_eq!(*store.health().borrow(), Health::Removed);
        store.snapshot().unwrap();
        std::fs::rename(&away, &file).unwrap();
        assert_eq!(write("c").await.unwrap().0, 1, "put back, it goes on");
        assert_eq!(*store.health().borrow(), Health::Working);
    }
}

#[tokio::test]
async fn a_read_that_fails_makes_the_store_open_its_file_again() {
    let disk = Arc::new(Sim::default());
    let promises = Promises::default();
    let store = open_cached(&disk, 0).unwrap();
    assert!(work(&store, &disk, &promises).await);
    let mut health = store.health();
    disk.state().reads_fail = true;
    let read = store
        .snapshot()
        .and_then(|snapshot| snapshot.check(super::world::TABLES, &mut |_| std::ops::ControlFlow::Continue(())));
    assert_eq!(read.unwrap_err().code(), Code::Busy);
    health.wait_for(|health| matches!(health, Health::Failing { .. })).await.unwrap();
    disk.state().reads_fail = false;
    health.wait_for(|health| *health == Health::Working).await.unwrap();
    promises.verify(&store.snapshot().unwrap());
    assert!(work(&store, &disk, &promises).await);
}

#[tokio::test]
async fn what_was_committed_while_the_disk_failed_is_announced_once_it_heals() {
    // The last call of a commit is its final sync. It fails, but the commit takes effect.
    let disk = Arc::new(Sim::default());
    let store = open(&disk).unwrap();
    let promises = Promises::default();
    assert!(promises.write(&store, &disk, 0, "a", Some("x")).await);
    let before = disk.calls();
    assert!(promises.write(&store, &disk, 0, "b", Some("x")).await);
    let calls = disk.calls() - before;
    let mut commits = store.commits();
    let next = disk.calls();
    disk.state().fault = Some(Fault { at: next + calls, lasting: false, kind: ErrorKind::Other });
    let last = store.snapshot().unwrap().last_change().unwrap();
    assert!(!promises.write(&store, &disk, 0, "c", Some("x")).await);
    store.health().wait_for(|health| *health == Health::Working).await.unwrap();
    assert!(promises.write(&store, &disk, 0, "d", Some("x")).await);
    let now = store.snapshot().unwrap().last_change().unwrap();
    let mut heard = Vec::new();
    while heard.last() != Some(&now) {
        heard.extend(commits.recv().await.unwrap().iter().map(|change| change.seq));
    }
    assert_eq!(heard, (last + 1..=now).collect::<Vec<_>>());
}
