//! Applying changes, resuming after a restart, and finding records right after a commit.

use std::time::Duration;

use super::*;
use crate::index::Error;

#[test]
fn goes_on_where_it_stopped() {
    let trial = Trial::new();
    trial.engine.apply([entry(tenant(1), document(Heading::Tasks, 1, "First"))], 7).unwrap();
    assert_eq!(trial.engine.commit().unwrap(), 7);
    trial.engine.apply([entry(tenant(1), document(Heading::Tasks, 2, "Lost"))], 8).unwrap();
    let Trial { engine, dir } = trial;
    drop(engine);
    let (engine, opened) = Engine::open(dir.path(), options()).unwrap();
    assert_eq!(opened, Opened::Resumed { reached: 7 });
    assert_eq!(engine.reached(), 7);
    let trial = Trial { engine, dir };
    assert_eq!(trial.titles("first"), ["First"]);
    assert_eq!(trial.titles("lost"), Vec::<String>::new());
}

#[test]
fn taking_in_twice_changes_nothing() {
    let trial = Trial::new();
    let ada = document(Heading::Contacts, 1, "Ada");
    let entries = [
        entry(tenant(1), ada.clone()),
        entry(tenant(1), document(Heading::Contacts, 2, "Adam")),
        removed(tenant(1), &ada),
        entry(tenant(1), document(Heading::Contacts, 1, "Adele")),
    ];
    for seq in 1..=3 {
        trial.engine.apply(entries.clone(), seq).unwrap();
        if seq < 3 {
            trial.engine.commit().unwrap();
        }
    }
    trial.engine.commit().unwrap();
    assert_eq!(trial.titles("ad"), ["Adam", "Adele"]);
}

#[test]
fn what_is_removed_is_not_found() {
    let trial = Trial::with([document(Heading::Contacts, 1, "Ada"), document(Heading::Contacts, 2, "Adam")]);
    trial.engine.apply([removed(tenant(1), &document(Heading::Contacts, 1, ""))], 9).unwrap();
    trial.engine.apply([removed(tenant(2), &document(Heading::Contacts, 2, ""))], 9).unwrap();
    assert_eq!(trial.titles("ad").len(), 2, "not before the commit");
    trial.engine.commit().unwrap();
    assert_eq!(trial.titles("ad"), ["Adam"]);
}

#[test]
fn numbers_without_a_change_need_no_commit() {
    let trial = Trial::new();
    trial.engine.apply([], 5).unwrap();
    assert_eq!(trial.engine.commit().unwrap(), 5);
    assert_eq!(trial.engine.reached(), 5);
    trial.engine.apply([], 20_000).unwrap();
    trial.engine.commit().unwrap();
    let Trial { engine, dir } = trial;
    drop(engine);
    let (_, opened) = Engine::open(dir.path(), options()).unwrap();
    assert_eq!(opened, Opened::Resumed { reached: 20_000 }, "but many are worth one");
}

#[tokio::test]
async fn a_search_can_wait_for_its_own_write() {
    let trial = Trial::new();
    let engine = trial.engine.clone();
    assert!(engine.wait_until(0, Duration::ZERO).await);
    assert!(!engine.wait_until(1, Duration::from_millis(1)).await, "nobody wrote");
    engine.wanted().await;
    let writes = async {
        engine.wanted().await;
        engine.apply([entry(tenant(1), document(Heading::Tasks, 1, "Mine"))], 3).unwrap();
        assert_eq!(engine.reached(), 0, "not before the commit");
        engine.commit().unwrap();
    };
    let (found, ()) = tokio::join!(engine.wait_until(3, Duration::from_mins(1)), writes);
    assert!(found);
    assert_eq!(trial.titles("mine"), ["Mine"]);
}

#[test]
fn is_searched_while_it_is_built_anew() {
    let trial = Trial::with([document(Heading::Tasks, 1, "Old")]);
    let mut rebuild = trial.engine.rebuild().unwrap();
    rebuild.add(&entry(tenant(1), document(Heading::Tasks, 1, "New"))).unwrap();
    assert_eq!((trial.titles("old").len(), trial.titles("new").len()), (1, 0));
    rebuild.finish(30).unwrap();
    assert_eq!((trial.titles("old").len(), trial.titles("new").len()), (0, 1));
    assert_eq!(trial.engine.reached(), 30);
    trial.put(tenant(1), [document(Heading::Tasks, 2, "News")]);
    assert_eq!(trial.titles("new"), ["New", "News"]);
    assert_eq!(std::fs::read_dir(trial.dir.path()).unwrap().count(), 1, "the old one is gone");
}

#[test]
fn an_unfinished_rebuild_leaves_nothing_behind() {
    let trial = Trial::with([document(Heading::Tasks, 1, "Old")]);
    let mut rebuild = trial.engine.rebuild().unwrap();
    rebuild.add(&entry(tenant(1), document(Heading::Tasks, 1, "New"))).unwrap();
    drop(rebuild);
    assert_eq!(trial.titles("old"), ["Old"]);
    assert_eq!(std::fs::read_dir(trial.dir.path()).unwrap().count(), 1);
    // As after a crash during a rebuild.
    std::mem::forget(trial.engine.rebuild().unwrap());
    let opened = trial.engine.reopen().unwrap();
    assert!(matches!(opened, Opened::Resumed { .. }));
    assert_eq!(trial.titles("old"), ["Old"]);
    assert_eq!(std::fs::read_dir(trial.dir.path()).unwrap().count(), 1);
}

#[test]
fn two_cannot_have_it_open() {
    let trial = Trial::new();
    let second = Engine::open(trial.dir.path(), options());
    assert!(matches!(second, Err(Error::InUse)), "{:?}", second.err());
    trial.put(tenant(1), [document(Heading::Tasks, 1, "Still there")]);
    assert_eq!(trial.titles("still"), ["Still there"]);
}

#[test]
fn is_the_same_after_merging() {
    let trial = Trial::new();
    let mut dice = Dice(5);
    // Enough commits that segments are merged, with changed and removed records in them.
    for round in 0..40_u64 {
        let documents = (0..10).map(|number| {
            let number = (round * 7 + number) % 60;
            let at = i64::try_from(round).unwrap();
            Document { at, ..document(Heading::Tasks, number, &format!("Task {number} {}", dice.pick(&NAMES))) }
        });
        trial.put(tenant(1), documents.collect::<Vec<_>>());
    }
    let mut titles: Vec<String> = trial.hits("task").into_iter().map(|hit| hit.title).collect();
    assert_eq!(titles.len(), 50);
    let ids = trial.engine.tenant(tenant(1)).find_ids("task", Heading::Tasks, "task", 1_000);
    assert_eq!(ids.len(), 60);
    titles.dedup();
    assert_eq!(titles.len(), 50);
}
