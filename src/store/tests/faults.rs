//! Failure of any single disk call: no failed write is acknowledged, no acknowledged write is lost, reads go on, and
//! the store recovers as soon as the disk works.

use std::{io::ErrorKind, sync::Arc};

use super::{
    sim::{Fault, Sim},
    world::{AckedWrites, check, open, open_cached},
};
use crate::{
    kernel::{Clock, Code, Entropy},
    store::{Actor, Health, Store},
};

/// Makes writes of every kind, alone and concurrently. Returns whether all succeeded.
async fn run_writes(store: &Store, disk: &Sim, acked_writes: &AckedWrites) -> bool {
    let mut well = true;
    for n in 0..5 {
        let a = format!("a{n}");
        let b = format!("b{n}");
        let both = tokio::join!(
            acked_writes.write(store, disk, 0, &a, Some("new")),
            acked_writes.write(store, disk, 1, &b, Some("new"))
        );
        well &= both.0 && both.1;
        if n > 0 {
            well &= acked_writes.write(store, disk, 0, &format!("a{}", n - 1), (n != 3).then_some("changed")).await;
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
    let acked_writes = AckedWrites::default();
    let store = match open(&disk) {
        Ok(store) => store,
        Err(error) => {
            assert_eq!(error.code(), Code::Busy);
            disk.state().fault = None;
            open(&disk).unwrap()
        }
    };
    let well = run_writes(&store, &disk, &acked_writes).await;
    let failed = disk.state().failed > 0;
    assert!(well || failed, "a write was refused although the disk is well");
    // Acknowledged writes can be read while writing fails.
    acked_writes.verify(&store.snapshot().unwrap());
    disk.state().fault = None;
    store.health().wait_for(|health| *health == Health::Working).await.unwrap();
    assert!(run_writes(&store, &disk, &acked_writes).await, "healed, it takes writes again");
    acked_writes.verify(&store.snapshot().unwrap());
    check(&store.snapshot().unwrap());
    drop(store);
    // After a power loss, only synced data is left.
    let survived = std::mem::take(&mut disk.state().durable);
    let store = open(&Arc::new(Sim::with_bytes(survived))).unwrap();
    acked_writes.verify(&store.snapshot().unwrap());
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
async fn one_failed_disk_call_loses_no_acknowledged_write() {
    every_call(false, ErrorKind::Other, 1).await;
}

#[tokio::test]
async fn broken_disk_stays_readable_and_is_writable_once_healed() {
    every_call(true, ErrorKind::Other, 3).await;
}

#[tokio::test]
async fn full_disk_stays_readable_and_is_writable_once_it_has_space() {
    every_call(true, ErrorKind::StorageFull, 5).await;
}

#[tokio::test]
async fn reserve_is_released_on_a_full_disk_and_restored_later() {
    let disk = Arc::new(Sim::default());
    let store = open(&disk).unwrap();
    let acked_writes = AckedWrites::default();
    assert!(acked_writes.write(&store, &disk, 0, "a", Some("x")).await);
    assert_eq!(disk.state().reserve, 1 << 20);
    let next = disk.calls() + 1;
    disk.state().fault = Some(Fault { at: next, lasting: false, kind: ErrorKind::StorageFull });
    assert!(!acked_writes.write(&store, &disk, 0, "b", Some("x")).await);
    store.health().wait_for(|health| *health == Health::Working).await.unwrap();
    assert_eq!(disk.state().reserve, 0);
    disk.state().fault = None;
    assert!(acked_writes.write(&store, &disk, 0, "c", Some("x")).await);
    assert_eq!(disk.state().reserve, 1 << 20);
}

#[tokio::test]
async fn rejects_writes_below_the_free_space_floor() {
    let disk = Arc::new(Sim::default());
    let store = open(&disk).unwrap();
    let acked_writes = AckedWrites::default();
    assert!(acked_writes.write(&store, &disk, 0, "a", Some("x")).await);
    disk.state().free = Some(100 << 20);
    let refused = store
        .write(super::world::tenant(0), Actor::System, |tx| tx.run_once("x", b"a", 1, || Ok(1)))
        .await
        .unwrap_err();
    assert_eq!((refused.code(), refused.retry_seconds()), (Code::Busy, Some(10)));
    assert!(matches!(*store.health().borrow(), Health::Full { .. }));
    acked_writes.verify(&store.snapshot().unwrap());
    disk.state().free = Some(10 << 30);
    assert!(acked_writes.write(&store, &disk, 0, "b", Some("x")).await);
    assert_eq!(*store.health().borrow(), Health::Working);
}

#[tokio::test]
async fn accepts_small_writes_below_the_free_space_floor() {
    let disk = Arc::new(Sim::default());
    let store = open(&disk).unwrap();
    let small = |name: &'static str| {
        store.write_even_when_full(super::world::tenant(0), Actor::System, move |tx| {
            tx.run_once(name, b"a", 1, || Ok(1))
        })
    };
    disk.state().free = Some(100 << 20);
    small("a").await.unwrap();
    let large = store.write(super::world::tenant(0), Actor::System, |tx| tx.run_once("b", b"a", 1, || Ok(1)));
    let refused = large.await.unwrap_err();
    assert_eq!(refused.message().map(|words| words.key), Some("errors.disk_full"));
    disk.state().free = Some(3_000);
    small("c").await.unwrap();
    disk.state().free = Some(10 << 30);
    assert_eq!(store.check_health(), Health::Working, "seen without a write");
    small("d").await.unwrap();
}

#[tokio::test]
async fn reserve_is_released_before_a_small_write_runs_out_of_space() {
    let disk = Arc::new(Sim::default());
    let store = open(&disk).unwrap();
    let acked_writes = AckedWrites::default();
    assert!(acked_writes.write(&store, &disk, 0, "a", Some("x")).await);
    assert_eq!(disk.state().reserve, 1 << 20);
    disk.state().free = Some(0);
    store
        .write_even_when_full(super::world::tenant(0), Actor::System, |tx| tx.run_once("b", b"a", 1, || Ok(1)))
        .await
        .unwrap();
    assert_eq!(disk.state().reserve, 0);
}

#[tokio::test]
async fn reserve_of_an_earlier_run_is_released_for_small_writes() {
    let disk = Arc::new(Sim::default());
    drop(open(&disk).unwrap());
    disk.state().reserve = 1 << 20;
    let store = open(&disk).unwrap();
    let small = |name: &'static str| {
        store.write_even_when_full(super::world::tenant(0), Actor::System, move |tx| {
            tx.run_once(name, b"a", 1, || Ok(1))
        })
    };
    disk.state().free = Some(1 << 20);
    let next = disk.calls() + 1;
    disk.state().fault = Some(Fault { at: next, lasting: true, kind: ErrorKind::StorageFull });
    small("a").await.unwrap_err();
    let mut health = store.health();
    health.wait_for(|health| matches!(health, Health::Failing { full: true, .. })).await.unwrap();
    assert_eq!(small("a").await.unwrap_err().message().map(|words| words.key), Some("errors.disk_full"));
    disk.state().fault = None;
    health.wait_for(|health| *health == Health::Working).await.unwrap();
    assert_eq!(disk.state().reserve, 0);
    small("a").await.unwrap();
}

#[tokio::test]
async fn rejects_writes_while_the_store_file_is_removed_or_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("store.redb");
    let away = folder.path().join("away");
    let store = Store::open(&file, Clock::system(), Entropy::seeded(1)).unwrap();
    let write = |name: &'static str| {
        store.write(super::world::tenant(0), Actor::System, move |tx| tx.run_once(name, b"a", 1, || Ok(1)))
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
async fn failed_read_makes_the_store_reopen_its_file() {
    let disk = Arc::new(Sim::default());
    let acked_writes = AckedWrites::default();
    let store = open_cached(&disk, 0).unwrap();
    assert!(run_writes(&store, &disk, &acked_writes).await);
    let mut health = store.health();
    disk.state().reads_fail = true;
    let read = store
        .snapshot()
        .and_then(|snapshot| snapshot.check(super::world::TABLES, &mut |_| std::ops::ControlFlow::Continue(())));
    assert_eq!(read.unwrap_err().code(), Code::Busy);
    health.wait_for(|health| matches!(health, Health::Failing { .. })).await.unwrap();
    disk.state().reads_fail = false;
    health.wait_for(|health| *health == Health::Working).await.unwrap();
    acked_writes.verify(&store.snapshot().unwrap());
    assert!(run_writes(&store, &disk, &acked_writes).await);
}

#[tokio::test]
async fn commit_during_a_disk_failure_is_announced_after_recovery() {
    // The last call of a commit is its final sync. It fails, but the commit takes effect.
    let disk = Arc::new(Sim::default());
    let store = open(&disk).unwrap();
    let acked_writes = AckedWrites::default();
    assert!(acked_writes.write(&store, &disk, 0, "a", Some("x")).await);
    let before = disk.calls();
    assert!(acked_writes.write(&store, &disk, 0, "b", Some("x")).await);
    let calls = disk.calls() - before;
    let mut commits = store.commits();
    let next = disk.calls();
    disk.state().fault = Some(Fault { at: next + calls, lasting: false, kind: ErrorKind::Other });
    let last = store.snapshot().unwrap().last_change().unwrap();
    assert!(!acked_writes.write(&store, &disk, 0, "c", Some("x")).await);
    store.health().wait_for(|health| *health == Health::Working).await.unwrap();
    assert!(acked_writes.write(&store, &disk, 0, "d", Some("x")).await);
    let now = store.snapshot().unwrap().last_change().unwrap();
    let mut heard = Vec::new();
    while heard.last() != Some(&now) {
        heard.extend(commits.recv().await.unwrap().iter().map(|change| change.seq));
    }
    assert_eq!(heard, (last + 1..=now).collect::<Vec<_>>());
}
