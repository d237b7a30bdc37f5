//! No company finds, or can tell from a rank, what belongs to another.

use std::collections::HashMap;

use super::*;

#[test]
fn a_search_never_finds_another_companys_records() {
    let trial = Trial::new();
    let mut dice = Dice(41);
    let (ours, theirs) = (tenant(1), tenant(2));
    for batch in 0..6 {
        for (number, whose, canary) in [(0, ours, "Kanariou"), (1_000, theirs, "Kanarioth")] {
            let documents = (0..25).map(|at| {
                let mut document = random_document(&mut dice, number + batch * 25 + at);
                document.title = format!("{} {canary}", document.title);
                document.keywords.push(format!("{canary}@canary.example"));
                document
            });
            trial.put(whose, documents.collect::<Vec<_>>());
        }
    }
    let index = trial.engine.tenant(ours);
    let mut found = 0;
    for _ in 0..4_000 {
        let mut typed = random_query(&mut dice);
        if dice.below(4) == 0 {
            typed = format!("{typed} {}", dice.pick(&["kanarioth", "kanario", "kanariot", "oth@can", "@canary"]));
        }
        for (_, hits) in index.find(&typed, &Group::ALL, 20) {
            for hit in hits {
                found += 1;
                assert!(hit.title.ends_with("Kanariou"), "{typed} found {}", hit.title);
                assert!(hit.id < id(1_000), "{typed}");
            }
        }
    }
    assert!(found > 10_000, "only {found} hits: the trial tries nothing");
    assert!(index.find("kanarioth", &Group::ALL, 20).iter().all(|(_, hits)| hits.iter().all(|hit| hit.score < 1_000)));
}

#[test]
fn a_new_company_finds_nothing() {
    let trial = Trial::new();
    trial.put(tenant(1), (0..100).map(|number| random_document(&mut Dice(number + 1), number)));
    for name in NAMES {
        assert!(trial.engine.tenant(tenant(3)).find(name, &Group::ALL, 20).is_empty());
    }
}

#[test]
fn what_others_add_changes_no_rank() {
    let trial = Trial::new();
    let mut dice = Dice(42);
    trial.put(tenant(1), (0..200).map(|number| random_document(&mut dice, number)).collect::<Vec<_>>());
    let index = trial.engine.tenant(tenant(1));
    let queries: Vec<String> = (0..300).map(|_| random_query(&mut dice)).collect();
    let ask = || -> HashMap<&str, Vec<(Group, Vec<Hit>)>> {
        queries.iter().map(|typed| (typed.as_str(), index.find(typed, &Group::ALL, 10))).collect()
    };
    let before = ask();
    for batch in 0..10 {
        let documents = (0..200).map(|number| random_document(&mut dice, batch * 200 + number));
        trial.put(tenant(2), documents.collect::<Vec<_>>());
    }
    assert_eq!(ask(), before);
}
