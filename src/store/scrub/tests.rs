//! Each type of damage, written below the store's own rules: the check reports it, and nothing else.

use std::{ops::ControlFlow, sync::Arc};

use super::*;
use crate::{
    kernel::{Id, MemberId},
    store::{
        codec::{encode, seal},
        tests::{
            sim::Sim,
            world::{Memo, TABLES, ada, fill, open as open_world, tenant},
        },
        view::{ROWS, Table},
    },
};

async fn filled() -> Store {
    let store = open_world(&Arc::new(Sim::default())).unwrap();
    fill(&store).await;
    store
}

fn tamper(store: &Store, harm: impl FnOnce(&mut Table<'_>)) {
    let transaction = store.0.supervisor.writable().unwrap().begin_write().unwrap();
    harm(&mut transaction.open_table(ROWS).unwrap());
    transaction.commit().unwrap();
    store.0.supervisor.invalidate_snapshot();
}

fn on(_: u64) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

/// Returns the damage that a full check reports.
fn faults(store: &Store) -> Vec<(u16, Fault)> {
    store.check(TABLES, &mut on).unwrap().damage.iter().map(|damage| (damage.table, damage.fault)).collect()
}

/// Returns the first row of a table.
fn first(store: &Store, space: Space, table: u16) -> (Vec<u8>, Vec<u8>) {
    let prefix = keys::table(space, table);
    let mut found = None;
    let snapshot = store.snapshot().unwrap();
    let take = &mut |key: &[u8], value: &[u8]| {
        found = Some((key.to_vec(), value.to_vec()));
        Ok(ControlFlow::Break(()))
    };
    snapshot.scan(Bound::Included(prefix.clone()), keys::end(&prefix), false, take).unwrap();
    found.unwrap()
}

fn tenant_space() -> Space {
    tenant(0).into()
}

#[tokio::test]
async fn sound_store_passes_the_check_with_record_counts() {
    let store = filled().await;
    let report = store.check(TABLES, &mut on).unwrap();
    assert!(report.is_sound() && report.unknown.is_empty());
    assert_eq!(
        (report.tenants, report.records["note"], report.records["memo"], report.records["firm"]),
        (2, 78, 80, 2)
    );
    let scrubbed = store.scrub(TABLES, &mut on).unwrap();
    assert_eq!(report, scrubbed);
}

#[tokio::test]
async fn unknown_kinds_are_listed_but_not_reported_as_damage() {
    let store = filled().await;
    let report = store.check(&[], &mut on).unwrap();
    assert!(report.is_sound(), "{:?}", report.damage);
    assert!(report.unknown.contains(&60_000));
}

#[tokio::test]
async fn missing_record_is_detected_by_its_count() {
    let store = filled().await;
    let (key, _) = first(&store, tenant_space(), 60_000);
    tamper(&store, |rows| drop(rows.remove(key.as_slice()).unwrap()));
    assert_eq!(faults(&store), [(60_000, Fault::Disagrees)]);
}

#[tokio::test]
async fn reports_missing_and_stray_lookups() {
    let store = filled().await;
    let (key, _) = first(&store, tenant_space(), 60_002);
    tamper(&store, |rows| drop(rows.remove(key.as_slice()).unwrap()));
    assert_eq!(faults(&store), [(60_002, Fault::Missing)]);
    let mut stray = keys::lookup(tenant_space(), 60_001, None, b"no kind");
    tamper(&store, |rows| drop(rows.insert(stray.as_slice(), seal(&stray, 1, &[9; 16]).as_slice()).unwrap()));
    assert_eq!(faults(&store), [(60_001, Fault::Stray), (60_002, Fault::Missing)]);
    stray = keys::lookup(Space::SYSTEM, 60_011, None, b"no firm");
    stray.extend_from_slice(&[8; 32]);
    tamper(&store, |rows| drop(rows.insert(stray.as_slice(), seal(&stray, 1, &[]).as_slice()).unwrap()));
    assert_eq!(faults(&store)[0], (60_011, Fault::Stray));
}

#[tokio::test]
async fn reports_counters_that_disagree_with_the_records() {
    let store = filled().await;
    let day: &[(u16, i64)] = &[(1_320, 7), (1_335, 7)];
    for (name, payload) in
        [("memos", encode(&7_i64).unwrap()), ("series/changes/activity/2023-11-14", encode(&day).unwrap())]
    {
        let key = counter_key(tenant_space(), name);
        tamper(&store, |rows| {
            drop(rows.insert(key.as_slice(), seal(&key, 1, &payload).as_slice()).unwrap());
        });
    }
    assert_eq!(faults(&store), [(keys::COUNTERS, Fault::Disagrees), (keys::COUNTERS, Fault::Disagrees)]);
}

#[tokio::test]
async fn reports_a_gap_in_the_ledger() {
    let store = filled().await;
    let place = |space: Space, seq: u64| [keys::table(space, keys::LEDGER).as_slice(), &seq.to_be_bytes()].concat();
    tamper(&store, |rows| drop(rows.remove(place(tenant_space(), 5).as_slice()).unwrap()));
    assert_eq!(faults(&store)[0], (keys::LEDGER, Fault::Disagrees));
    tamper(&store, |rows| drop(rows.remove(place(Space::SYSTEM, 5).as_slice()).unwrap()));
    assert_eq!(faults(&store)[0], (keys::LEDGER, Fault::Missing));
    let last = store.snapshot().unwrap().last_change().unwrap();
    tamper(&store, |rows| drop(rows.remove(place(Space::SYSTEM, last).as_slice()).unwrap()));
    assert!(faults(&store).contains(&(keys::META, Fault::Disagrees)));
}

#[tokio::test]
async fn reports_rows_of_a_nonexistent_tenant() {
    let store = filled().await;
    store
        .write(tenant(7), crate::store::Actor::System, |tx| tx.person(ada()).create(Memo { text: "x".into() }))
        .await
        .unwrap();
    let report = store.check(TABLES, &mut on).unwrap();
    let [damage] = report.damage.as_slice() else { panic!("{:?}", report.damage) };
    assert_eq!((damage.tenant, damage.kind.as_str(), damage.fault), (Some(tenant(7)), "firm", Fault::Missing));
}

#[tokio::test]
async fn damaged_record_is_withheld_and_reported_without_breaking_its_list() {
    let store = filled().await;
    let (key, mut value) = first(&store, tenant_space(), 60_020);
    *value.last_mut().unwrap() ^= 1;
    tamper(&store, |rows| drop(rows.insert(key.as_slice(), value.as_slice()).unwrap()));
    assert_eq!(faults(&store), [(60_020, Fault::Damaged)]);
    assert!(store.damaged().is_empty(), "a check on demand reports, it does not alarm");
    let snapshot = store.snapshot().unwrap();
    let own = snapshot.tenant(tenant(0), Some(ada()));
    let page = own.own_data().unwrap().page::<Memo>(&crate::store::Scan::all(), |_| true).unwrap();
    assert_eq!((page.items.len(), page.damaged), (39, 1));
    let [noted] = store.damaged().try_into().unwrap();
    assert_eq!((noted.kind.as_str(), noted.fault), ("memo", Fault::Damaged));
    let id: Id<Memo> = Id::from_slice(&key[key.len() - 16..]).unwrap();
    assert_eq!(noted.row, id.to_string());
    let person: MemberId = ada();
    assert_eq!(own.person(person).get::<Memo>(id).unwrap_err().code(), Code::Damaged);
}

#[tokio::test]
async fn scrub_reports_bytes_to_its_callback_and_stops_on_break() {
    let store = filled().await;
    let mut bytes = 0;
    let mut asked = 0;
    let report = store.scrub(TABLES, &mut |read| {
        (bytes, asked) = (bytes + read, asked + 1);
        ControlFlow::Continue(())
    });
    assert_eq!((report.unwrap().bytes, asked), (bytes, 3));
    assert_eq!(store.scrub(TABLES, &mut |_| ControlFlow::Break(())).unwrap_err().code(), Code::Busy);
}

#[tokio::test]
async fn damaged_metadata_and_counters_do_not_block_writes() {
    let store = filled().await;
    let harmed =
        [meta_key(Space::SYSTEM, keys::LEDGER), meta_key(tenant_space(), 60_000), counter_key(tenant_space(), "memos")];
    for key in &harmed {
        tamper(&store, |rows| drop(rows.insert(key.as_slice(), b"turned to dust".as_slice()).unwrap()));
    }
    assert_eq!(faults(&store).len(), 3);
    let last = store.snapshot().unwrap().last_change().unwrap();
    let actor = crate::store::Actor::Member(ada());
    let work = |tx: &crate::store::TenantWrite<'_>| crate::store::tests::world::put(tx, "new", Some("t1".into()));
    let ((), seq) = store.write(tenant(0), actor, work).await.unwrap();
    assert_eq!(seq, last + 2);
    // Counts are recomputed from the rows; a counter stays damaged until it is rebuilt.
    assert_eq!(faults(&store), [(keys::COUNTERS, Fault::Damaged)]);
    assert_eq!(store.snapshot().unwrap().tenant(tenant(0), None).counter("memos").unwrap(), 0, "noted, and no figure");
}
