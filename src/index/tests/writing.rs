//! Applying changes, resuming after a restart, and finding records right after a commit.

use std::time::Duration;

use super::*;
use crate::index::Error;

#[test]
fn reopening_resumes_at_the_last_commit() {
    let test_index = TestIndex::new();
    test_index.engine.apply([entry(tenant(1), document(Heading::Tasks, 1, "First"))], 7).unwrap();
    assert_eq!(test_index.engine.commit().unwrap(), 7);
    test_index.engine.apply([entry(tenant(1), document(Heading::Tasks, 2, "Lost"))], 8).unwrap();
    let TestIndex { engine, dir } = test_index;
    drop(engine);
    let (engine, opened) = Engine::open(dir.path(), options()).unwrap();
    assert_eq!(opened, Opened::Resumed { reached: 7 });
    assert_eq!(engine.reached(), 7);
    let test_index = TestIndex { engine, dir };
    assert_eq!(test_index.titles("first"), ["First"]);
    assert_eq!(test_index.titles("lost"), Vec::<String>::new());
}

#[test]
fn applying_the_same_entries_twice_changes_nothing() {
    let test_index = TestIndex::new();
    let ada = document(Heading::Contacts, 1, "Ada");
    let entries = [
        entry(tenant(1), ada.clone()),
        entry(tenant(1), document(Heading::Contacts, 2, "Adam")),
        removed(tenant(1), &ada),
        entry(tenant(1), document(Heading::Contacts, 1, "Adele")),
    ];
    for seq in 1..=3 {
        test_index.engine.apply(entries.clone(), seq).unwrap();
        if seq < 3 {
            test_index.engine.commit().unwrap();
        }
    }
    test_index.engine.commit().unwrap();
    assert_eq!(test_index.titles("ad"), ["Adam", "Adele"]);
}

#[test]
fn removed_record_is_not_found_after_the_commit() {
    let test_index = TestIndex::with([document(Heading::Contacts, 1, "Ada"), document(Heading::Contacts, 2, "Adam")]);
    test_index.engine.apply([removed(tenant(1), &document(Heading::Contacts, 1, ""))], 9).unwrap();
    test_index.engine.apply([removed(tenant(2), &document(Heading::Contacts, 2, ""))], 9).unwrap();
    assert_eq!(test_index.titles("ad").len(), 2, "not before the commit");
    test_index.engine.commit().unwrap();
    assert_eq!(test_index.titles("ad"), ["Adam"]);
}

#[test]
fn reached_sequence_number_advances_without_changes() {
    let test_index = TestIndex::new();
    test_index.engine.apply([], 5).unwrap();
    assert_eq!(test_index.engine.commit().unwrap(), 5);
    assert_eq!(test_index.engine.reached(), 5);
    test_index.engine.apply([], 20_000).unwrap();
    test_index.engine.commit().unwrap();
    let TestIndex { engine, dir } = test_index;
    drop(engine);
    let (_, opened) = Engine::open(dir.path(), options()).unwrap();
    assert_eq!(opened, Opened::Resumed { reached: 20_000 }, "but many are worth one");
}

#[tokio::test]
async fn search_waits_for_its_own_write() {
    let test_index = TestIndex::new();
    let engine = test_index.engine.clone();
    assert!(engine.wait_until(0, Duration::ZERO).await);
    assert!(!engine.wait_until(1, Duration::from_millis(1)).await, "nobody wrote");
    engine.wait_for_commit_request().await;
    let writes = async {
        engine.wait_for_commit_request().await;
        engine.apply([entry(tenant(1), document(Heading::Tasks, 1, "Mine"))], 3).unwrap();
        assert_eq!(engine.reached(), 0, "not before the commit");
        engine.commit().unwrap();
    };
    let (found, ()) = tokio::join!(engine.wait_until(3, Duration::from_mins(1)), writes);
    assert!(found);
    assert_eq!(test_index.titles("mine"), ["Mine"]);
}

#[test]
fn index_can_be_searched_during_a_rebuild() {
    let test_index = TestIndex::with([document(Heading::Tasks, 1, "Old")]);
    let mut rebuild = test_index.engine.rebuild().unwrap();
    rebuild.add(&entry(tenant(1), document(Heading::Tasks, 1, "New"))).unwrap();
    assert_eq!((test_index.titles("old").len(), test_index.titles("new").len()), (1, 0));
    rebuild.finish(30).unwrap();
    assert_eq!((test_index.titles("old").len(), test_index.titles("new").len()), (0, 1));
    assert_eq!(test_index.engine.reached(), 30);
    test_index.put(tenant(1), [document(Heading::Tasks, 2, "News")]);
    assert_eq!(test_index.titles("new"), ["New", "News"]);
    assert_eq!(std::fs::read_dir(test_index.dir.path()).unwrap().count(), 1, "the old one is gone");
}

#[test]
fn an_unfinished_rebuild_leaves_nothing_behind() {
    let test_index = TestIndex::with([document(Heading::Tasks, 1, "Old")]);
    let mut rebuild = test_index.engine.rebuild().unwrap();
    rebuild.add(&entry(tenant(1), document(Heading::Tasks, 1, "New"))).unwrap();
    drop(rebuild);
    assert_eq!(test_index.titles("old"), ["Old"]);
    assert_eq!(std::fs::read_dir(test_index.dir.path()).unwrap().count(), 1);
    // As after a crash during a rebuild.
    std::mem::forget(test_index.engine.rebuild().unwrap());
    let opened = test_index.engine.reopen().unwrap();
    assert!(matches!(opened, Opened::Resumed { .. }));
    assert_eq!(test_index.titles("old"), ["Old"]);
    assert_eq!(std::fs::read_dir(test_index.dir.path()).unwrap().count(), 1);
}

#[test]
fn index_cannot_be_opened_twice() {
    let test_index = TestIndex::new();
    let second = Engine::open(test_index.dir.path(), options());
    assert!(matches!(second, Err(Error::InUse)), "{:?}", second.err());
    test_index.put(tenant(1), [document(Heading::Tasks, 1, "Still there")]);
    assert_eq!(test_index.titles("still"), ["Still there"]);
}

#[test]
fn merging_segments_does_not_change_results() {
    let test_index = TestIndex::new();
    let mut dice = Dice(5);
    // Enough commits that segments are merged, with changed and removed records in them.
    for round in 0..40_u64 {
        let documents = (0..10).map(|number| {
            let number = (round * 7 + number) % 60;
            let at = i64::try_from(round).unwrap();
            Document { at, ..document(Heading::Tasks, number, &format!("Task {number} {}", dice.pick(&NAMES))) }
        });
        test_index.put(tenant(1), documents.collect::<Vec<_>>());
    }
    let mut titles: Vec<String> = test_index.hits("task").into_iter().map(|hit| hit.title).collect();
    assert_eq!(titles.len(), 50);
    let ids = test_index.engine.tenant(tenant(1)).find_ids("task", Heading::Tasks, "task", 1_000);
    assert_eq!(ids.len(), 60);
    titles.dedup();
    assert_eq!(titles.len(), 50);
}
