//! The public interface of the store.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::*;
use crate::kernel::{Code, Document, Id, MemberId, Timestamp};

mod faults;
mod flips;
mod golden;
mod pages;
mod power;
mod savepoints;
pub(crate) mod sim;
pub(super) mod world;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(in crate::store) struct Note {
    name: String,
    pub(in crate::store) tag: String,
}

const BY_NAME: u16 = 60_001;
const BY_TAG: u16 = 60_002;

impl Record for Note {
    type Key = Self;
    const KIND: &'static str = "note";
    const TABLE: u16 = 60_000;
    fn lookups(record: &Stored<Self>, out: &mut Lookups) {
        out.unique(BY_NAME, "name", &record.name);
        out.multi(BY_TAG, &record.tag);
    }
    fn counters(record: &Stored<Self>, out: &mut Counters) {
        out.add(format!("notes/{}", record.tag), 1);
        out.add_own("notes/own", 1);
    }
    fn document(_record: &Stored<Self>) -> Option<Document> {
        None
    }
}
impl TenantRecord for Note {}
impl PersonalRecord for Note {}

struct Fixture {
    store: Store,
    acme: TenantId,
    other: TenantId,
    dir: tempfile::TempDir,
}

fn fixture() -> Fixture {
    let dir = tempfile::tempdir().unwrap();
    let clock = Clock::stopped(Timestamp::from_millis(1_700_000_000_000));
    let store = Store::open(&dir.path().join("store.redb"), clock, Entropy::seeded(1)).unwrap();
    let acme = store.new_tenant_id().unwrap();
    let other = store.new_tenant_id().unwrap();
    Fixture { store, acme, other, dir }
}

pub(in crate::store) fn note(name: &str, tag: &str) -> Note {
    Note { name: name.into(), tag: tag.into() }
}

#[tokio::test]
async fn record_is_visible_only_to_its_tenant() {
    let f = fixture();
    let (made, seq) = f.store.write(f.acme, Actor::Operator, |tx| tx.create(note("a", "x"))).await.unwrap();
    assert_eq!((made.version, seq), (1, 1));
    let snapshot = f.store.snapshot().unwrap();
    assert_eq!(snapshot.tenant(f.acme, None).get(made.id).unwrap(), made);
    assert_eq!(snapshot.tenant(f.other, None).get::<Note>(made.id).unwrap_err().code(), Code::NotFound);
    assert_eq!(snapshot.tenant(f.acme, None).find_by::<Note>(BY_NAME, "a").unwrap().unwrap().id, made.id);
    assert!(snapshot.tenant(f.other, None).find_by::<Note>(BY_NAME, "a").unwrap().is_none());
}

#[tokio::test]
async fn a_failed_write_leaves_no_trace() {
    let f = fixture();
    let failed = f
        .store
        .write(f.acme, Actor::Operator, |tx| {
            tx.create(note("a", "x"))?;
            assert_eq!(tx.counter("notes/x")?, 1, "a write sees what it wrote");
            Err::<(), _>(Error::not_found())
        })
        .await;
    assert_eq!(failed.unwrap_err().code(), Code::NotFound);
    let snapshot = f.store.snapshot().unwrap();
    let tenant = snapshot.tenant(f.acme, None);
    assert_eq!((tenant.count::<Note>().unwrap(), tenant.counter("notes/x").unwrap()), (0, 0));
    assert_eq!(snapshot.last_change().unwrap(), 0);
}

#[tokio::test]
async fn rejects_a_duplicate_unique_value_within_a_tenant() {
    let f = fixture();
    f.store.write(f.acme, Actor::Operator, |tx| tx.create(note("a", "x"))).await.unwrap();
    let second = f.store.write(f.acme, Actor::Operator, |tx| tx.create(note("a", "y"))).await.unwrap_err();
    assert_eq!((second.code(), second.fields()[0].0.as_str()), (Code::Conflict, "name"));
    f.store.write(f.other, Actor::Operator, |tx| tx.create(note("a", "x"))).await.unwrap();
}

#[tokio::test]
async fn lookups_and_counters_follow_the_record() {
    let f = fixture();
    let made = f.store.write(f.acme, Actor::Operator, |tx| tx.create(note("a", "x"))).await.unwrap().0;
    let change = move |tx: &TenantWrite<'_>| {
        tx.update::<Note>(made.id, Some(1), |note| {
            note.tag = "y".into();
            Ok(())
        })
    };
    let changed = f.store.write(f.acme, Actor::Operator, change).await.unwrap().0;
    assert_eq!(changed.version, 2);
    let stale =
        f.store.write(f.acme, Actor::Operator, move |tx| tx.remove::<Note>(made.id, Some(1))).await.unwrap_err();
    assert_eq!(stale.code(), Code::StaleVersion);
    let snapshot = f.store.snapshot().unwrap();
    let tenant = snapshot.tenant(f.acme, None);
    let with = |tag: &str| tenant.page::<Note>(&Scan::with(BY_TAG, tag), |_| true).unwrap().items.len();
    assert_eq!((with("x"), with("y")), (0, 1));
    assert_eq!((tenant.counter("notes/x").unwrap(), tenant.counter("notes/y").unwrap()), (0, 1));
    let history = tenant.changes_before(u64::MAX, 10, |_| true).unwrap();
    assert_eq!(
        history.iter().map(|change| (change.op, change.fields.clone())).collect::<Vec<_>>(),
        [(Op::Updated, vec!["tag".to_owned()]), (Op::Created, vec![])]
    );
    f.store.write(f.acme, Actor::Operator, move |tx| tx.remove::<Note>(made.id, Some(2))).await.unwrap();
    let snapshot = f.store.snapshot().unwrap();
    assert_eq!(snapshot.tenant(f.acme, None).count::<Note>().unwrap(), 0);
    assert_eq!(snapshot.changes_after(0, 10).unwrap().len(), 3);
}

#[tokio::test]
async fn range_includes_its_start_but_not_its_end() {
    let f = fixture();
    let make =
        |tx: &TenantWrite<'_>| ["a", "b", "ba", "c", "d"].iter().try_for_each(|n| tx.create(note(n, "x")).map(drop));
    f.store.write(f.acme, Actor::Operator, make).await.unwrap();
    let snapshot = f.store.snapshot().unwrap();
    let names = |scan: &Scan| {
        let page = snapshot.tenant(f.acme, None).page::<Note>(scan, |_| true).unwrap();
        (page.items.iter().map(|note| note.name.as_str()).collect::<Vec<_>>().join(" "), page.next)
    };
    let span = || Scan::between(BY_NAME, "b", "d");
    assert_eq!(names(&span()), ("b ba c".to_owned(), None));
    assert_eq!(names(&span().reversed(true)), ("c ba b".to_owned(), None));
    let (first, next) = names(&span().limit(2));
    assert_eq!(first, "b ba");
    assert_eq!(names(&span().after(next)), ("c".to_owned(), None));
    assert_eq!(names(&Scan::between(BY_NAME, "d", "b")), (String::new(), None));
}

#[tokio::test]
async fn pages_continue_after_the_last_item_in_both_directions() {
    let f = fixture();
    f.store
        .write(f.acme, Actor::Operator, |tx| {
            for name in ["d", "a", "c", "b", "e"] {
                tx.create(note(name, if name == "c" { "odd" } else { "even" }))?;
            }
            // Reads rows that are staged but not in the table yet.
            let names = tx.page::<Note>(&Scan::ordered(BY_NAME), |_| true)?.items;
            assert_eq!(names.iter().map(|note| note.name.as_str()).collect::<String>(), "abcde");
            Ok(())
        })
        .await
        .unwrap();
    let snapshot = f.store.snapshot().unwrap();
    let tenant = snapshot.tenant(f.acme, None);
    for (scan, expected) in [
        (Scan::ordered(BY_NAME), "abde"),
        (Scan::ordered(BY_NAME).reversed(true), "edba"),
        (Scan::with(BY_TAG, "even").limit(9), ""),
    ] {
        if expected.is_empty() {
            assert_eq!(tenant.page::<Note>(&scan, |_| true).unwrap().items.len(), 4);
            continue;
        }
        let mut seen = String::new();
        let mut place = None;
        loop {
            let scan = scan.clone().limit(2).after(place);
            let page = tenant.page::<Note>(&scan, |note| note.tag == "even").unwrap();
            seen.extend(page.items.iter().map(|note| note.name.as_str()));
            place = page.next;
            if place.is_none() {
                break;
            }
        }
        assert_eq!(seen, expected);
    }
}

#[tokio::test]
async fn concurrent_writes_all_complete() {
    let f = fixture();
    let mut tasks = tokio::task::JoinSet::new();
    for n in 0..200 {
        let store = f.store.clone();
        let acme = f.acme;
        tasks.spawn(async move {
            store.write(acme, Actor::System, move |tx| tx.create(note(&n.to_string(), "x"))).await.map(drop)
        });
    }
    assert!(tasks.join_all().await.into_iter().all(|done| done.is_ok()));
    let snapshot = f.store.snapshot().unwrap();
    assert_eq!(snapshot.tenant(f.acme, None).count::<Note>().unwrap(), 200);
    assert_eq!(snapshot.tenant(f.acme, None).counter("notes/x").unwrap(), 200);
}

#[tokio::test]
async fn personal_data_is_visible_only_to_its_member() {
    let f = fixture();
    let (ada, bob): (MemberId, MemberId) = (Id::from_bytes([1; 16]), Id::from_bytes([2; 16]));
    let made = f.store.write(f.acme, Actor::Member(ada), |tx| tx.own_data()?.create(note("a", "x"))).await.unwrap().0;
    let snapshot = f.store.snapshot().unwrap();
    assert!(snapshot.tenant(f.acme, Some(ada)).own_data().unwrap().get::<Note>(made.id).is_ok());
    assert_eq!(
        snapshot.tenant(f.acme, Some(bob)).own_data().unwrap().get::<Note>(made.id).unwrap_err().code(),
        Code::NotFound
    );
    assert_eq!(snapshot.tenant(f.acme, None).get::<Note>(made.id).unwrap_err().code(), Code::NotFound);
}

#[tokio::test]
async fn retried_write_returns_the_whole_record() {
    let f = fixture();
    let once = |tx: &TenantWrite<'_>| tx.run_once("key", b"a", 24, || tx.create(note("a", "x")));
    let first = f.store.write(f.acme, Actor::Operator, once).await.unwrap().0;
    let again = f.store.write(f.acme, Actor::Operator, once).await.unwrap().0;
    assert_eq!(first, again);
}

#[tokio::test]
async fn retried_write_takes_effect_once() {
    let f = fixture();
    let once = |tx: &TenantWrite<'_>| tx.run_once("key", b"a", 24, || tx.create(note("a", "x")).map(|note| note.id));
    let first: Id<Note> = f.store.write(f.acme, Actor::Operator, once).await.unwrap().0;
    let again: Id<Note> = f.store.write(f.acme, Actor::Operator, once).await.unwrap().0;
    assert_eq!(first, again);
}

#[tokio::test]
async fn written_record_survives_reopening() {
    let f = fixture();
    let made = f.store.write(f.acme, Actor::Operator, |tx| tx.create(note("a", "x"))).await.unwrap().0;
    let mut commits = f.store.commits();
    f.store.write(f.acme, Actor::Operator, |tx| tx.create(note("b", "x"))).await.unwrap();
    let announced: Arc<[Change]> = commits.recv().await.unwrap();
    assert_eq!(announced.len(), 1);
    let Fixture { store, acme, dir, .. } = f;
    drop(store);
    let again = Store::open(&dir.path().join("store.redb"), Clock::system(), Entropy::system()).unwrap();
    assert_eq!(again.snapshot().unwrap().tenant(acme, None).get(made.id).unwrap(), made);
}

#[tokio::test]
async fn ignored_conflict_leaves_no_partial_change() {
    let f = fixture();
    let made = f.store.write(f.acme, Actor::Operator, |tx| tx.create(note("a", "x"))).await.unwrap().0;
    f.store.write(f.acme, Actor::Operator, |tx| tx.create(note("b", "x"))).await.unwrap();
    let passes_over = move |tx: &TenantWrite<'_>| {
        let taken = tx.update::<Note>(made.id, None, |note| {
            note.name = "b".into();
            note.tag = "y".into();
            Ok(())
        });
        assert_eq!(taken.unwrap_err().code(), Code::Conflict);
        tx.create(note("c", "z"))
    };
    f.store.write(f.acme, Actor::Operator, passes_over).await.unwrap();
    let snapshot = f.store.snapshot().unwrap();
    let tenant = snapshot.tenant(f.acme, None);
    assert_eq!(tenant.find_by::<Note>(BY_NAME, "a").unwrap().unwrap().id, made.id);
    let with = |tag: &str| tenant.page::<Note>(&Scan::with(BY_TAG, tag), |_| true).unwrap().items.len();
    assert_eq!((with("x"), with("y"), with("z")), (2, 0, 1));
}

#[tokio::test]
async fn records_created_in_one_write_keep_their_order() {
    let f = fixture();
    let names = |tx: &TenantRead<'_>| -> Vec<String> {
        tx.page::<Note>(&Scan::all(), |_| true).unwrap().items.into_iter().map(|note| note.value.name).collect()
    };
    let expected: Vec<String> = (0..40).map(|n| n.to_string()).collect();
    let wanted = expected.clone();
    let work = move |tx: &TenantWrite<'_>| wanted.iter().try_for_each(|name| tx.create(note(name, "x")).map(drop));
    f.store.write(f.acme, Actor::Operator, work).await.unwrap();
    assert_eq!(names(&f.store.snapshot().unwrap().tenant(f.acme, None)), expected);
}

#[tokio::test]
async fn too_large_record_is_rejected_without_failing_concurrent_writes() {
    let f = fixture();
    let large = "x".repeat(17 << 20);
    let (refused, done) = tokio::join!(
        f.store.write(f.acme, Actor::Operator, move |tx| tx.create(note(&large, "x"))),
        f.store.write(f.acme, Actor::Operator, |tx| tx.create(note("a", "x"))),
    );
    assert_eq!(refused.unwrap_err().code(), Code::TooLarge);
    done.unwrap();
}

#[tokio::test]
async fn stored_replies_expire_and_are_removed() {
    let f = fixture();
    let once = |name: &'static str| {
        move |tx: &TenantWrite<'_>| {
            tx.run_once(name, b"a", 1, || tx.create(note(name, &tx.now().to_string())).map(|note| note.id))
        }
    };
    let first: Id<Note> = f.store.write(f.acme, Actor::Operator, once("a")).await.unwrap().0;
    f.store.clock().advance(3_600_000);
    f.store.write(f.acme, Actor::Operator, move |tx| tx.remove::<Note>(first, None)).await.unwrap();
    let second: Id<Note> = f.store.write(f.acme, Actor::Operator, once("a")).await.unwrap().0;
    assert_ne!(first, second);
    let rows = || {
        let mut count = 0;
        let prefix = keys::table(f.acme.into(), keys::REPLIES);
        let snapshot = f.store.snapshot().unwrap();
        let count_one = &mut |_: &[u8], _: &[u8]| {
            count += 1;
            Ok(std::ops::ControlFlow::Continue(()))
        };
        view::View::scan(&snapshot, std::ops::Bound::Included(prefix.clone()), keys::end(&prefix), false, count_one)
            .unwrap();
        count
    };
    f.store.clock().advance(3_600_001);
    f.store.write(f.acme, Actor::Operator, once("b")).await.unwrap();
    assert_eq!(rows(), 2, "one reply and when to forget it");
}

#[tokio::test]
async fn panicking_write_does_not_affect_other_writes() {
    let f = fixture();
    let (panicked, done) = tokio::join!(
        f.store.write(f.acme, Actor::Operator, |tx| -> Result<()> {
            tx.create(note("a", "x"))?;
            panic!("a fault in a feature")
        }),
        f.store.write(f.acme, Actor::Operator, |tx| tx.create(note("b", "x"))),
    );
    assert_eq!(panicked.unwrap_err().code(), Code::Internal);
    done.unwrap();
    assert_eq!(f.store.snapshot().unwrap().tenant(f.acme, None).count::<Note>().unwrap(), 1);
}

#[tokio::test]
async fn store_cannot_be_opened_twice() {
    let f = fixture();
    let again = Store::open(&f.dir.path().join("store.redb"), Clock::system(), Entropy::system());
    assert_eq!(again.err().map(|error| error.code()), Some(Code::Busy));
    let snapshot = f.store.snapshot().unwrap();
    let Fixture { store, dir, .. } = f;
    drop(store);
    // A snapshot that outlives the store does not keep the file locked.
    Store::open(&dir.path().join("store.redb"), Clock::system(), Entropy::system()).unwrap();
    drop(snapshot);
}

#[tokio::test]
async fn personal_counters_are_counted_per_member() {
    let f = fixture();
    let ada = Id::from_bytes([1; 16]);
    let bob = Id::from_bytes([2; 16]);
    let write = move |tx: &TenantWrite<'_>| {
        tx.create(note("everybody's", "x"))?;
        let kept = tx.person(ada).create(note("a", "x"))?;
        tx.person(ada).create(note("b", "x"))?;
        tx.person(bob).create(note("a", "x"))?;
        tx.person(ada).remove::<Note>(kept.id).map(drop)
    };
    f.store.write(f.acme, Actor::Operator, write).await.unwrap();
    let snapshot = f.store.snapshot().unwrap();
    let tenant = snapshot.tenant(f.acme, None);
    let own = |person: MemberId| tenant.person(person).counter("notes/own").unwrap();
    assert_eq!((own(ada), own(bob)), (1, 1));
    assert_eq!(tenant.counters_under("notes/own").unwrap().len(), 2, "a company's record is nobody's own");
}

#[tokio::test]
async fn demo_date_is_used_for_record_ledger_and_order() {
    let f = fixture();
    let ada = Id::from_bytes([1; 16]);
    let at = Timestamp::from_millis(1_600_000_000_000);
    let write = move |tx: &TenantWrite<'_>| {
        let made = tx.falsely_dated_for_demo(at, Actor::Member(ada)).create(note("a", "x"))?;
        tx.create(note("b", "x"))?;
        Ok(made)
    };
    let (made, _) = f.store.write(f.acme, Actor::System, write).await.unwrap();
    assert_eq!((made.created_at, made.created_by), (at, Some(ada)));
    let snapshot = f.store.snapshot().unwrap();
    let changes = snapshot.changes_after(0, 10).unwrap();
    assert_eq!(changes.iter().map(|change| change.actor).collect::<Vec<_>>(), [Actor::Member(ada), Actor::System]);
    assert_eq!(changes[0].at, at);
    let first = snapshot.tenant(f.acme, None).page::<Note>(&Scan::all(), |_| true).unwrap();
    assert_eq!(first.items[0].id, made.id, "the order is that of the dates");
}

#[tokio::test]
async fn truncated_file_is_reported_as_damaged_not_in_use() {
    let f = fixture();
    for name in 0..200 {
        let made = move |tx: &TenantWrite<'_>| tx.create(note(&format!("note {name}"), "x")).map(drop);
        f.store.write(f.acme, Actor::Operator, made).await.unwrap();
    }
    let Fixture { store, dir, .. } = f;
    drop(store);
    let file = dir.path().join("store.redb");
    let whole = std::fs::read(&file).unwrap();
    for length in [0, 5, 100, 5_000, whole.len() / 2] {
        std::fs::write(&file, &whole[..length]).unwrap();
        let opened = Store::open(&file, Clock::system(), Entropy::seeded(1));
        let code = opened.and_then(|store| store.check(&[], &mut |_| std::ops::ControlFlow::Continue(())));
        match code {
            Err(error) => assert_eq!(error.code(), Code::Damaged, "{length}: {error:?}"),
            Ok(report) => assert!(!report.is_sound(), "{length}"),
        }
    }
}

/// An empty file in the place of the store: an opening that makes a new store of it hides that the data is gone.
#[test]
fn no_opening_makes_a_store_of_an_empty_file() {
    let dir = tempfile::tempdir().unwrap();
    let home = Home::take(dir.path()).unwrap();
    let file = dir.path().join(STORE);
    std::fs::write(&file, b"").unwrap();
    let clock = Clock::stopped(Timestamp::from_millis(1_700_000_000_000));
    let progress = Progress::default();
    let openings = [
        ("open", Store::open(&file, clock.clone(), Entropy::seeded(1)).err()),
        ("needs_upgrade", needs_upgrade(&home).err()),
        ("upgrade", migrate::upgrade(&file, migrate::STEPS).err()),
        ("compact", compact(&file, &progress).err()),
        ("rewrite", rewrite(&file, clock.now(), &progress).err()),
    ];
    for (name, error) in openings {
        assert_eq!(error.map(|error| error.code()), Some(Code::Damaged), "{name}");
        assert_eq!(file.metadata().unwrap().len(), 0, "{name}");
    }
    let names: Vec<_> = std::fs::read_dir(dir.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert!(names.iter().all(|name| !name.to_string_lossy().contains("compact")), "{names:?}");
}

/// The kind of fault (F-R10): a file that lost its end can be neither opened nor repaired. Neighbours: one byte, a part of a
/// page, a page.
#[tokio::test]
async fn store_that_was_cut_short_opens_and_says_what_is_damaged() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("store.redb");
    let open = || Store::open(&file, Clock::system(), Entropy::seeded(1));
    world::fill(&open().unwrap()).await;
    let whole = std::fs::read(&file).unwrap();
    for missing in [1, 100, 4_095, 4_096] {
        std::fs::write(&file, &whole[..whole.len() - missing]).unwrap();
        let store = open().unwrap_or_else(|error| panic!("{missing} bytes: {error:?}"));
        let snapshot = store.snapshot().unwrap();
        let report = snapshot.check(world::TABLES, &mut |_| std::ops::ControlFlow::Continue(())).unwrap();
        if report.is_sound() {
            world::verify_filled(&snapshot);
        }
        drop((snapshot, store));
        assert!(open().is_ok(), "{missing} bytes: once more");
    }
    std::fs::write(&file, &whole[..100]).unwrap();
    assert!(open().is_err());
}
